package equiv

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"tv/internal/languages"

	"tv/equiv/normal"
	"tv/equiv/sample"
	"tv/equiv/sizes"
	"tv/equiv/witness"
	"tv/proofs"
	"tv/proofs/algebra"
	"tv/semantics/domain"
	"tv/semantics/term"
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
	env, _, _, names, err := meet(asked, opts.Tensors)
	if err != nil {
		return proofs.Statement{}, err
	}
	q := &question{asked: asked, opts: opts, env: env, names: names}
	return q.stated(opts.Arith), nil
}

// stated returns the question as the checker of certificates states it, in the arithmetic given.
func (q *question) stated(arith Arith) proofs.Statement {
	var under *domain.Env
	if q.names != nil {
		under = q.names.env
	}
	s := witness.State(q.asked.Before, q.asked.After, q.env, under, arith, q.opts.Equal == Access)
	s.WhereBoth = q.opts.whereBoth
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
	return q.opts.Memos.Recall(q.first.SHA256)
}

// refuse drops a memo.
func (q *question) refuse(why error) {
	if q.remembers() {
		q.opts.Memos.Refuse(q.first.SHA256, why)
	}
}

// attempt tries to answer with a memo, and leaves the question as it is where that fails.
func (q *question) attempt(m *Memo, answer func(*Memo) error) bool {
	saved, s := q.r, q.s.Clone()
	err := func() (err error) {
		defer func() {
			if p := recover(); p != nil { // a memo may hold anything
				err = fmt.Errorf("%v", p)
			}
		}()
		return answer(m)
	}()
	if err == nil {
		q.recalled = m
		return true
	}
	q.r, q.s = saved, s
	if q.ctx.Err() == nil { // else it is the time that is at fault
		q.refuse(err)
	}
	return false
}

// replay answers with a refutation.
func (q *question) replay(m *Memo) error {
	c := m.Counterexample
	if !slices.Contains([]string{"sample", "smt"}, m.Engine) {
		return fmt.Errorf("no engine %q finds refutations", m.Engine)
	}
	if !q.domain.Has(c.Point) {
		return errors.New("the counterexample is not in the domain")
	}
	for _, cond := range q.after.Conditions() {
		if ok, err := cond.Pred.Eval(c.Point); err != nil || !ok {
			q.undefined(m.Engine, c.Point, cond)
			return nil
		}
	}
	d, err := q.s.Recorded(c)
	if err != nil {
		return err
	}
	again, ok := q.s.Counterexample(d)
	if !ok || again.Before != c.Before || again.After != c.After {
		return errors.New("the counterexample does not replay")
	}
	found := *d
	if found.Path, found.Index = m.FoundPath, m.FoundIndex; !q.s.Inside(d, found.Path, found.Index) {
		return errors.New("the element that was found first is none")
	}
	q.describe(&found, d, again, m.Engine)
	return nil
}

// recheck answers with a proof. The samples have found no difference.
func (q *question) recheck(m *Memo) error {
	if !slices.Contains([]string{"normal-form", "enumerate", "smt"}, m.Engine) {
		return fmt.Errorf("no engine %q finds proofs", m.Engine)
	}
	if err := q.accepted(m.Certificate, q.opts.Arith); err != nil {
		return err
	}
	return q.restore(m)
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
func (q *question) restore(m *Memo) error {
	pairs, err := proofs.Parse("certificate", m.Certificate)
	if err != nil {
		return err
	}
	q.cuts = pairs[0].Cuts()
	where, idealised, err := q.restsOn(q.cuts)
	if err != nil {
		return err
	}
	q.r.Verdict, q.r.Engine, q.r.Certificate = Proved, m.Engine, m.Certificate
	q.r.Where, q.r.Idealised = where, idealised
	if !q.s.Reals() || q.opts.rule {
		return nil
	}
	v, ok := q.exactAgain(m.Exact)
	if !ok {
		q.exactness(q.ctx)
		return q.ctx.Err()
	}
	q.setExact(v)
	return nil
}

// restsOn works out where a proof with these cuts holds and which calls it takes by their ideal meaning.
func (q *question) restsOn(cuts []algebra.Cut) (where, idealised []string, err error) {
	all, ok := sizes.Cases(q.domain.Preds, q.domain.Mins)
	if !ok {
		return nil, nil, errors.New("the domain has too many cases")
	}
	for _, cs := range all {
		for _, g := range q.goals(cuts) {
			w, ideal, err := q.goalRestsOn(cs, g)
			if err != nil {
				return nil, nil, err
			}
			where, idealised = mergeNames(where, w), mergeNames(idealised, ideal)
		}
	}
	return where, idealised, nil
}

func (q *question) goalRestsOn(cs []sizes.Clause, g goal) (where, idealised []string, err error) {
	arith := q.opts.Arith
	b := term.NewBuilder()
	sz := sizes.NewFacts(b.Index, q.domain.Names, q.domain.Mins, cs)
	if sz.Contradictory(cs) {
		return nil, nil, nil
	}
	x, y, err := q.lower(b, sz, arith, g)
	if err != nil {
		return nil, nil, err
	}
	idealised = mergeNames(x.Idealised, y.Idealised)
	laws, polynomial := q.laws(arith)
	if !polynomial {
		return nil, idealised, nil // terms in their order say by themselves where they are defined
	}
	for i := range x.Components {
		var texts, left []string
		p, o := x.Components[i].Array, y.Components[i].Array
		q.granted(b, p, func() {
			e := normal.NewEngine(q.ctx, b.Index, laws, q.opts.steps())
			texts, left, err = e.Defined(b.Index.Root(), p, o)
		})
		if err != nil {
			return nil, nil, err
		}
		if len(left) > 0 {
			return nil, nil, fmt.Errorf("AFTER may be undefined: not known that %s", left[0])
		}
		where = mergeNames(where, texts)
	}
	return where, idealised, nil
}

// exactAgain checks an exactness line; ok is false where it has to be worked out anew.
func (q *question) exactAgain(m *ExactMemo) (v ExactVerdict, ok bool) {
	if m == nil {
		return v, false
	}
	v = ExactVerdict{Verdict: m.Verdict, Reason: m.Reason}
	switch {
	case m.Verdict == "unknown":
		return v, true
	case m.Verdict == "yes" && m.Certificate != nil:
		return v, q.accepted(m.Certificate, Exact) == nil
	case m.Verdict == "no" && m.Witness != nil && q.domain.Has(m.Witness.Point):
		s := q.exactSampler()
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
func (q *question) keep(ctx context.Context) {
	r := &q.r
	if q.recalled != nil || r.Verdict == Unknown || !q.remembers() {
		return
	}
	m := &Memo{Engine: r.Engine, Stats: r.Stats}
	again := *q
	again.s, again.r, again.recalled = q.s.Clone(), q.first, nil
	var answer func(*Memo) error
	switch {
	case r.Verdict == Refuted && r.Counterexample != nil && r.Engine != "type":
		m.Counterexample = r.Counterexample
		if q.found != nil {
			m.FoundPath, m.FoundIndex = q.found.Path, q.found.Index
		}
		answer = again.replay
	case r.Verdict == Proved && r.Certificate != nil && len(r.Trusts) == 0 && len(r.RestsOn) == 0:
		m.Certificate = r.Certificate
		m.Exact = q.exactMemo(ctx)
		answer = again.restore
	default:
		return
	}
	again.opts.Memos = nil // nothing has been recalled that could be refused
	if again.attempt(m, answer) && again.sameAs(r) {
		q.opts.Memos.Keep(q.first.SHA256, m)
	}
}

// exactMemo returns what is to be kept of the exactness line. A yes needs a certificate of its own.
func (q *question) exactMemo(ctx context.Context) *ExactMemo {
	if len(q.r.Exact) == 0 {
		return nil
	}
	v := q.r.Exact[0] // one verdict for all types
	m := &ExactMemo{Verdict: v.Verdict, Reason: v.Reason, Witness: v.Witness}
	if v.Verdict == "yes" && len(q.cuts) > 0 {
		return nil // worked out anew by the same stages, which takes less than to find a certificate of it
	}
	if v.Verdict == "yes" {
		data, err := witness.Certify(ctx, q.stated(Exact), witness.Search{})
		if err != nil {
			return nil
		}
		m.Certificate = data
	}
	return m
}

// sameAs tells whether a question was answered as before.
func (q *question) sameAs(r *Result) bool {
	x, y := q.r, *r
	for _, r := range []*Result{&x, &y} {
		r.Stats, r.Elapsed, r.Point = Stats{}, 0, nil // told by finish
	}
	sameCertificate := bytes.Equal(x.Certificate, y.Certificate)
	x.Certificate, y.Certificate = nil, nil
	return sameCertificate && reflect.DeepEqual(x, y)
}
