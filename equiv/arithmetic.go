package equiv

import (
	"slices"
	"strings"

	"tv/equiv/prove"
	"tv/proofs"
	"tv/semantics"
	"tv/semantics/domain"
)

// A TypeArith says how the elements of a type are taken: bit for bit, or as real numbers.
type TypeArith struct {
	Type domain.Elem
	Bits bool
}

// String returns "real" or "exact".
func (t TypeArith) String() string { return domain.ArithOf(t.Bits).String() }

// Arithmetic is the first field of a result's first line: the arithmetic in force, under auto of each type.
func (r *Result) Arithmetic() string {
	if r.Arith != Auto {
		return r.Arith.String()
	}
	var parts []string
	for _, t := range r.Types {
		parts = append(parts, t.Type.String()+" "+t.String())
	}
	if len(parts) == 0 { // of a rule about tensors of any type
		return Real.String()
	}
	return strings.Join(parts, " + ")
}

// Elements lists the element types of programs in the order in which they first occur, inputs first. What is computed from
// real numbers is a function of them, whatever its type: that type is not one of elements bit for bit there.
func Elements(arith Arith, programs ...semantics.Program) (out []TypeArith) {
	add := func(t domain.Elem) {
		if !slices.ContainsFunc(out, func(o TypeArith) bool { return o.Type == t }) {
			out = append(out, TypeArith{t, arith.Bits(t)})
		}
	}
	for _, p := range programs {
		for _, t := range p.Inputs() {
			add(t.Elem)
		}
	}
	for _, p := range programs {
		parts := p.Parts()
		real := make([]bool, len(parts)) // what a part is made of
		for i, n := range parts {
			real[i] = n.Tensor && !arith.Bits(n.Elem)
			for _, k := range n.Operands {
				real[i] = real[i] || real[k]
			}
			if n.Tensor && (!real[i] || !arith.Bits(n.Elem)) {
				add(n.Elem)
			}
		}
	}
	return out
}

// Stated returns the element types of a statement of a certificate and which tensors it takes not to overlap, see
// [Result.Disjoint]. Languages are known by their names.
func Stated(s proofs.Statement, named func(string) *semantics.Language) (types []TypeArith, disjoint string, err error) {
	v, err := prove.Restate(s, named)
	if err != nil {
		return nil, "", err
	}
	return Elements(s.Arith, v.Before, v.After), apart(v.Before.Source().Signature(), v.After.Source().Signature()), nil
}

// RequireExact makes of a proof about real numbers one of bits: where it does not hold bit for bit the result is a
// refutation, with its witness, and where that is not known it is unknown.
func (r *Result) RequireExact() {
	reals := slices.IndexFunc(r.Types, func(t TypeArith) bool { return !t.Bits })
	if r.Verdict != Proved || reals < 0 {
		return
	}
	if len(r.Exact) == 0 { // the time was up, or there are no inputs
		r.Exact = []ExactVerdict{{Type: r.Types[reals].Type, Verdict: "unknown", Reason: "incomplete"}}
	}
	i := slices.IndexFunc(r.Exact, func(v ExactVerdict) bool { return v.Verdict == "no" })
	if i < 0 {
		i = slices.IndexFunc(r.Exact, func(v ExactVerdict) bool { return v.Verdict != "yes" })
	}
	if i < 0 {
		return
	}
	v, of := r.Exact[i], r.Types[reals].Type.String()
	r.Arith, r.Certificate, r.Where, r.Trusts, r.Point = Exact, nil, nil, nil, nil
	r.Exact, r.Types = nil, slices.Clone(r.Types)
	for i := range r.Types {
		r.Types[i].Bits = true
	}
	if v.Verdict == "no" {
		r.Verdict, r.Reason, r.Counterexample = Refuted, v.Reason, v.Witness
		r.Detail = "proved of real numbers, but not bit for bit in " + of
		return
	}
	r.Verdict, r.Reason = Unknown, "incomplete"
	r.Detail = "proved of real numbers, but not known to hold bit for bit in " + of
}
