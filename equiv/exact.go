package equiv

import (
	"errors"

	"tv/equiv/prove"
	"tv/equiv/sample"
	"tv/proofs/algebra"
	"tv/semantics"
)

// exactNodes bounds the programs for which the exactness line is worked out.
const exactNodes = 10_000

// exactReads bounds what a side may read in a run for a witness against a proof in stages.
const exactReads = 400_000

// exactness says whether a proof about real numbers also holds bit for bit in the element types.
func (w *inquiry) exactness(proof prove.Answer) []ExactVerdict {
	cuts := proof.Cuts
	if len(w.elementTypes()) == 0 {
		return nil
	}
	v := ExactVerdict{Verdict: "unknown", Reason: "incomplete"}
	if errors.Join(semantics.Suits(w.before, Exact), semantics.Suits(w.after, Exact)) != nil {
		v.Reason = "unsupported" // the programs have no meaning bit for bit
	} else if proof.Recurrence != nil && proof.Recurrence.Bitwise() {
		v = ExactVerdict{Verdict: "yes"}
	} else if w.blank.Stats.Nodes > exactNodes { // a second run would cost more than the first
	} else if a := w.prover.Apart(proof.Splits).Exactly(w.ctx, cuts); a.Proved {
		v = ExactVerdict{Verdict: "yes"}
	} else {
		v.Reason = a.Reason
		if c := w.exactSampler(cuts).Witness(w.ctx, w.points); c != nil {
			v = ExactVerdict{Verdict: "no", Reason: "values", Witness: c}
		}
	}
	return w.forAll(v)
}

// forAll writes one verdict down for every element type among the inputs.
func (q *question) forAll(v ExactVerdict) (out []ExactVerdict) {
	for _, v.Type = range q.elementTypes() {
		out = append(out, v)
	}
	return out
}

// exactSampler returns a sampler of the same programs that looks at bits.
func (w *inquiry) exactSampler(cuts []algebra.Cut) *sample.Sampler {
	s := w.sampler.Exact()
	if len(cuts) > 0 { // a remark on a proof is not worth more than it
		s.MostReads = exactReads
	}
	return s
}
