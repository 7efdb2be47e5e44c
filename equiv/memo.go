package equiv

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"tv/equiv/prove"

	"tv/internal/languages"
	"tv/proofs/algebra"

	"tv/equiv/fault"
	"tv/equiv/sample"
	"tv/equiv/witness"
	"tv/proofs"
	"tv/semantics/domain"
)

// A Memo is what is worth keeping of an answer: what took a search to find. None of it is believed. A proof is one
// if the checker accepts its certificate for the question at hand, a refutation if the evaluator shows it at a point
// of the domain; all else that the answer says is worked out anew. Only the engine and the counts, which say how the
// answer was found the first time, are taken as they stand.
type Memo struct {
	Engine string
	Stats  Stats

	Certificate []byte     // of a proof
	Exact       *ExactMemo // of a proof in the reals: its exactness line

	Counterexample *sample.Counterexample // of a refutation
	FoundPath      []int                  // the element that was found first: the boxes of Regions are looked for from there
	FoundIndex     []int64
}

// An ExactMemo is what is kept of an exactness line.
type ExactMemo struct {
	Verdict, Reason string
	Certificate     []byte                 // of a yes: the same statement, bit for bit
	Witness         *sample.Counterexample // of a no
}

// Memos keep memos. Their methods are called from one goroutine at a time, but maybe after Check has given up.
type Memos interface {
	// Recall returns what was kept of a question, nil where nothing was. The key is the SHA-256 of its Result.
	Recall(key string) *Memo
	// Keep keeps a memo in place of any other.
	Keep(key string, m *Memo)
	// Refuse says that a memo that was recalled does not answer the question; it is not to be recalled again.
	Refuse(key string, why error)
}

// PairStatement returns the SHA-256, in hexadecimal digits, of what is asked of two programs: their texts, what they
// inherit, all declarations, the arithmetic and what equal means. Errors: those of Environment.
func PairStatement(asked Question, opts Options) (string, error) {
	s, err := Statement(asked, opts)
	if err != nil {
		return "", err
	}
	return StatementSHA256(s), nil
}

// Statement returns what is asked of two programs as the checker of certificates states it. Errors: source.Errors.
func Statement(asked Question, opts Options) (proofs.Statement, error) {
	met, err := meet(asked, opts.Tensors)
	if err != nil {
		return proofs.Statement{}, err
	}
	q := &question{asked: asked, opts: opts, pair: met}
	return q.stated(opts.Arith), nil
}

// stated returns the question as the checker of certificates states it, in the arithmetic given.
func (q *question) stated(arith Arith) proofs.Statement {
	var under *domain.Env
	if q.names != nil {
		under = q.names.env
	}
	s := witness.State(q.asked.Before, q.asked.After, q.env, under, arith, q.opts.Equal == Access)
	s.WhereBoth = q.opts.of != nil && q.opts.of.WhereBoth
	return s
}

// StatementSHA256 returns the SHA-256 of a statement, in hexadecimal digits.
func StatementSHA256(s proofs.Statement) string {
	return fmt.Sprintf("%x", sha256.Sum256(proofs.Format([]proofs.Pair{{Statement: s}})))
}

// remembers tells whether the question is one that memos are kept of.
func (q *question) remembers() bool {
	return q.opts.Memos != nil && !q.opts.Explain && !q.opts.Uncertified
}

// recall returns what is known of the question, or nil.
func (q *question) recall() *Memo {
	if !q.remembers() {
		return nil
	}
	return q.opts.Memos.Recall(q.blank.SHA256)
}

// refuse drops a memo.
func (q *question) refuse(why error) {
	if q.remembers() {
		q.opts.Memos.Refuse(q.blank.SHA256, why)
	}
}

// attempt tries to answer with a memo, and leaves what was counted as it is where that fails.
func (w *inquiry) attempt(m *Memo, answer func(*Memo) (outcome, error)) (outcome, bool) {
	sampler, counts := w.sampler.Clone(), w.prover.Counts
	out, err := guarded(m, answer)
	if err == nil {
		out.recalled = m
		return out, true
	}
	w.sampler, w.prover.Sampler, w.prover.Counts = sampler, sampler, counts
	if w.ctx.Err() == nil { // else it is the time that is at fault
		w.refuse(err)
	}
	return outcome{}, false
}

// guarded answers with a memo, which may hold anything.
func guarded(m *Memo, answer func(*Memo) (outcome, error)) (out outcome, err error) {
	err = fault.Catch(func() (err error) { out, err = answer(m); return err })
	return out, err
}

// replay answers with a refutation.
func (w *inquiry) replay(m *Memo) (outcome, error) {
	c := m.Counterexample
	if !slices.Contains([]string{"sample", "smt"}, m.Engine) {
		return outcome{}, fmt.Errorf("no engine %q finds refutations", m.Engine)
	}
	if !w.domain.Has(c.Point) {
		return outcome{}, errors.New("the counterexample is not in the domain")
	}
	for _, cond := range w.after.Conditions() {
		if ok, err := cond.Pred.Eval(c.Point); err != nil || !ok {
			r := w.undefined(m.Engine, c.Point, cond)
			if r == nil {
				return outcome{}, errors.New("BEFORE's call ends there")
			}
			return outcome{Result: *r}, nil
		}
	}
	d, err := w.sampler.Recorded(c)
	if err != nil {
		return outcome{}, err
	}
	again, ok := w.sampler.Counterexample(d)
	if !ok || again.Before != c.Before || again.After != c.After {
		return outcome{}, errors.New("the counterexample does not replay")
	}
	found := *d
	if found.Path, found.Index = m.FoundPath, m.FoundIndex; !w.sampler.Inside(d, found.Path, found.Index) {
		return outcome{}, errors.New("the element that was found first is none")
	}
	return w.describe(&found, d, again, m.Engine), nil
}

// recheck answers with a proof. The samples have found no difference.
func (w *inquiry) recheck(m *Memo) (outcome, error) {
	if !slices.Contains([]string{"normal-form", "enumerate", "smt"}, m.Engine) {
		return outcome{}, fmt.Errorf("no engine %q finds proofs", m.Engine)
	}
	if err := w.accepted(m.Certificate, w.opts.Arith); err != nil {
		return outcome{}, err
	}
	return w.restore(m)
}

// accepted has the checker accept a certificate of the question, in the arithmetic given.
func (q *question) accepted(certificate []byte, arith Arith) error {
	list, err := languages.Checker.CheckRest("certificate", certificate)
	if err != nil {
		return err
	}
	want := q.stated(arith)
	if len(list) != 1 || len(list[0].Obligations) > 0 || StatementSHA256(list[0].Statement) != StatementSHA256(want) {
		return errors.New("the certificate is of another statement")
	}
	return nil
}

// restore states a proof whose certificate has been accepted.
func (w *inquiry) restore(m *Memo) (outcome, error) {
	pairs, err := proofs.Parse("certificate", m.Certificate)
	if err != nil {
		return outcome{}, err
	}
	out := outcome{Result: w.blank, cuts: pairs[0].Cuts()}
	out.Verdict, out.Engine, out.Certificate = Proved, m.Engine, m.Certificate
	if out.Where, out.Idealised, err = w.prover.RestsOn(w.ctx, out.cuts); err != nil {
		return outcome{}, err
	}
	if !w.sampler.Reals() || w.opts.of != nil {
		return out, nil
	}
	v, ok := w.exactAgain(m.Exact, out.cuts)
	if !ok {
		out.Exact = w.exactness(prove.Answer{Cuts: out.cuts})
		return out, w.ctx.Err()
	}
	out.Exact = w.forAll(v)
	return out, nil
}

// exactAgain checks an exactness line; ok is false where it has to be worked out anew.
func (w *inquiry) exactAgain(m *ExactMemo, cuts []algebra.Cut) (v ExactVerdict, ok bool) {
	if m == nil {
		return v, false
	}
	v = ExactVerdict{Verdict: m.Verdict, Reason: m.Reason}
	switch {
	case m.Verdict == "unknown":
		return v, true
	case m.Verdict == "yes" && m.Certificate != nil:
		return v, w.accepted(m.Certificate, Exact) == nil
	case m.Verdict == "no" && m.Witness != nil && w.domain.Has(m.Witness.Point):
		s := w.exactSampler(cuts)
		d, err := s.Recorded(m.Witness)
		if err != nil {
			return v, false
		}
		v.Witness, ok = s.Counterexample(d)
		return v, ok
	}
	return v, false
}

// keep keeps what was found, if it can be found again from what is kept: proofs with a certificate that trust
// nobody, refutations that replay. It is called when the question is answered, so its time is not that of the answer.
func (w *inquiry) keep(out *outcome) {
	if out.recalled != nil || out.Verdict == Unknown || !w.remembers() {
		return
	}
	m := &Memo{Engine: out.Engine, Stats: out.Stats}
	again := w.inquire(w.ctx)
	var answer func(*Memo) (outcome, error)
	switch {
	case out.Verdict == Refuted && out.Counterexample != nil && out.Engine != "type":
		m.Counterexample = out.Counterexample
		if out.found != nil {
			m.FoundPath, m.FoundIndex = out.found.Path, out.found.Index
		}
		answer = again.replay
	case out.Engine == "recurrence", len(out.splits) > 0: // found anew: that takes hardly longer
		return
	case out.Verdict == Proved && out.Certificate != nil && len(out.Trusts) == 0 && len(out.RestsOn) == 0:
		m.Certificate = out.Certificate
		m.Exact = w.exactMemo(out)
		answer = again.restore
	default:
		return
	}
	if found, err := guarded(m, answer); err == nil && sameAnswer(found.Result, out.Result) {
		w.opts.Memos.Keep(w.blank.SHA256, m)
	}
}

// exactMemo returns what is to be kept of the exactness line. A yes needs a certificate of its own.
func (w *inquiry) exactMemo(out *outcome) *ExactMemo {
	if len(out.Exact) == 0 {
		return nil
	}
	v := out.Exact[0] // one verdict for all types
	m := &ExactMemo{Verdict: v.Verdict, Reason: v.Reason, Witness: v.Witness}
	if v.Verdict == "yes" && len(out.cuts) > 0 {
		return nil // worked out anew by the same stages, which takes less than to find a certificate of it
	}
	if v.Verdict == "yes" {
		data, err := witness.Certify(w.ctx, w.stated(Exact), witness.Search{})
		if err != nil {
			return nil
		}
		m.Certificate = data
	}
	return m
}

// sameAnswer tells whether a question was answered as before.
func sameAnswer(x, y Result) bool {
	for _, r := range []*Result{&x, &y} {
		r.Stats, r.Elapsed, r.Point = Stats{}, 0, nil // told when an answer is finished
	}
	sameCertificate := bytes.Equal(x.Certificate, y.Certificate)
	x.Certificate, y.Certificate = nil, nil
	return sameCertificate && reflect.DeepEqual(x, y)
}
