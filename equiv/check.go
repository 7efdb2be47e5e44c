package equiv

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"tv/equiv/fault"
	"tv/equiv/prove"
	"tv/equiv/sample"
	"tv/internal/source"
	"tv/internal/watch"
	"tv/proofs/algebra"
	"tv/semantics"
	"tv/semantics/domain"
)

// Check decides whether AFTER equals BEFORE at every point of BEFORE's domain. An error (source.Errors) means
// that the question could not be asked; giving up is a Result with verdict Unknown.
func Check(ctx context.Context, asked Question, opts Options) (Result, error) {
	start := time.Now()
	ctx, cancel := Limit(ctx, opts)
	defer cancel()
	q, err := ask(asked, opts)
	if err != nil {
		return Result{}, err
	}
	w := q.inquire(ctx)
	type answer struct {
		outcome
		err error
	}
	done := make(chan answer, 1)
	go func() {
		var a answer
		a.err = fault.Catch(func() (err error) { a.outcome, err = w.decide(); return err })
		done <- a
	}()
	var a answer
	select {
	case a = <-done:
	case <-ctx.Done():
		select { // engines look at the context; one that does not in time is left behind
		case a = <-done:
		case <-time.After(leftBehind):
			r := w.unknown(Spent(ctx, opts))
			if known := w.known.Load(); known != nil {
				r = *known
			}
			r.Elapsed = time.Since(start)
			return r, nil
		}
	}
	if f := (*fault.Fault)(nil); errors.As(a.err, &f) {
		panic(f)
	}
	if a.err != nil {
		return Result{}, a.err
	}
	a.Elapsed = time.Since(start)
	w.keep(&a.outcome)
	return a.Result, nil
}

// CheckCase is Check for a case of a rule. A case without points is proved like others.
func CheckCase(ctx context.Context, asked Question, opts Options, c Case) (Result, error) {
	opts.of = &c
	return Check(ctx, asked, opts)
}

// leftBehind is how long an engine may go on after its time is up.
const leftBehind = 700 * time.Millisecond

// An inquiry is the work on a question: its engines, each of which returns its answer, and what they have found so far.
type inquiry struct {
	*question
	ctx     context.Context
	sampler *sample.Sampler
	prover  *prove.Prover
	known   atomic.Pointer[Result] // a refutation, while it is made smaller
}

// An outcome is an answer, with what a memo keeps of how it was found.
type outcome struct {
	Result
	found    *sample.Difference // the first, before it was made small
	cuts     []algebra.Cut      // of a proof in stages
	splits   []algebra.Split    // of one that takes the domain apart
	recalled *Memo              // what the answer comes from
}

// inquire begins the work on a question.
func (q *question) inquire(ctx context.Context) *inquiry {
	s := sample.New(q.before, q.after, q.opts.Arith, q.opts.SampleSeed())
	s.Allow(q.opts.extraWork(s.Reals()))
	v := prove.New(prove.Pair{
		Before: q.before, After: q.after, Domain: q.domain, Points: q.points, Arith: q.opts.Arith, Case: q.opts.of != nil,
		Steps: q.opts.steps(), Solver: q.opts.Solver, RLimit: q.opts.RLimit, State: q.stated,
		RunsFrom: q.opts.runsFrom,
	}, s)
	s.Deep = s.Reals() && v.Deep()
	return &inquiry{question: q, ctx: ctx, sampler: s, prover: v}
}

// undefined is that of the question, with what is to blame: the same wherever the condition was found, also in a memo's replay.
func (w *inquiry) undefined(engine string, pt domain.Point, c semantics.Condition) *Result {
	r := w.question.undefined(engine, pt, c)
	if r != nil {
		r.Blame = w.blamed(nil, r.Blame)
	}
	return r
}

// decide runs the engines, cheapest first. An error means that the question cannot be asked after all: a tensor
// is too large for the reference evaluator.
func (w *inquiry) decide() (outcome, error) {
	if r := w.types(); r != nil {
		r.Blame = w.blamed(nil, w.sampler.Unlike(r.Counterexample))
		return w.finished(outcome{Result: *r}), nil
	}
	memo := w.recall()
	if memo != nil && memo.Counterexample != nil {
		if out, ok := w.attempt(memo, w.replay); ok {
			return w.finished(out), nil
		}
	}
	watch.Enter(w.ctx, "running both programs")
	if out, err := w.sample(); out != nil || err != nil {
		if memo != nil && memo.Certificate != nil && out != nil && out.Verdict == Refuted {
			w.refuse(errors.New("the programs differ"))
		}
		return w.finishedBy(out, err)
	}
	if w.unstated != nil {
		return w.finishedBy(w.untold())
	}
	if memo != nil && memo.Certificate != nil {
		if out, ok := w.attempt(memo, w.recheck); ok {
			return w.finished(out), nil
		}
	}
	if w.prover.Large() { // the proof needs the memory; they are made again if need be
		w.sampler.Forget()
	}
	if depth := max(w.before.Depth(), w.after.Depth()); depth > maxDepth {
		return w.finished(outcome{Result: w.unknown("unsupported", tooDeep(depth))}), nil
	}
	out, spots, err := w.prove()
	if err == nil && out.Verdict == Unknown && (w.opts.of == nil || !w.opts.of.ProofOnly) {
		var found *outcome
		switch {
		case out.Reason == "incomplete", out.Reason == "unsupported" && w.nests():
			found, err = w.last(spots)
		case w.sampler.Unrun && w.ctx.Err() == nil: // what a proof can do without
			w.sampler.MostReads = w.sampler.FirstReads()
			found, err = w.sampleValues(w.points)
		}
		if err == nil && found != nil && found.Verdict == Refuted {
			found.Idealised = out.Idealised
			out = *found
		}
	}
	if err == nil && out.Verdict == Unknown {
		if found, lastErr := w.overlapping(); lastErr == nil && found != nil {
			out = *found
		}
	}
	return w.finishedBy(&out, err)
}

// untold asks about an AFTER of which something that it owes is no condition on sizes that the prover can state: whether it holds the
// checker says alone, so nothing is proved without a certificate. Else it looks further for what AFTER does wrong.
func (w *inquiry) untold() (*outcome, error) {
	left := ""
	if !w.opts.Uncertified && (w.opts.of == nil || !w.opts.of.ProofOnly) {
		out, _, err := w.prove()
		if left = out.Detail; err != nil || out.Verdict == Refuted || out.Verdict == Proved && out.Certificate != nil {
			return &out, err
		}
	}
	out, err := w.last(nil)
	if out == nil && err == nil {
		first := source.AsErrors(w.unstated)[0]
		detail := fmt.Sprintf("%s: %s [%s]", first.Span.Position(), first.Msg, first.Code)
		if left != "" {
			detail += "; " + left
		}
		out = &outcome{Result: w.unknown("unsupported", detail)}
	}
	return out, err
}

// maxDepth bounds how deep calls nest in programs that are lowered: that is recursion, here and in the checker, and
// a stack that overflows ends the process. The evaluator has no such bound.
const maxDepth = 20_000

func tooDeep(depth int) string {
	return fmt.Sprintf("calls nest %d deep; the prover takes programs of at most %d", depth, maxDepth)
}

// finishedBy is finished, for an engine's answer.
func (w *inquiry) finishedBy(out *outcome, err error) (outcome, error) {
	if err != nil {
		return outcome{}, err
	}
	return w.finished(*out), nil
}

// finished fills in what every result says.
func (w *inquiry) finished(out outcome) outcome {
	c := w.prover.Counts
	out.Stats.Terms, out.Stats.Queries, out.Stats.Contexts = c.Terms, c.Queries, c.Contexts
	if out.Stats.Samples = w.sampler.Count; out.recalled != nil {
		out.Stats = out.recalled.Stats
	}
	if out.Failed != "" && w.opts.Explain {
		out.Explanation = append(out.Explanation, "after fails: "+out.Failed)
	}
	if w.opts.Explain {
		out.Explanation = append(out.Explanation, paths(out.Blame)...)
	}
	if out.Verdict == Proved && len(w.domain.Names) > 0 && len(w.points) > 0 {
		out.Point = w.points[min(1, len(w.points)-1)]
	}
	return out
}

// sample is the sample engine. It returns nil where it finds no difference.
func (w *inquiry) sample() (*outcome, error) {
	for i, pt := range slices.Concat(w.small, w.points) {
		for _, c := range w.after.Conditions() {
			if ok, err := c.Pred.Eval(pt); err != nil || !ok {
				if i >= len(w.small) { // a point that was drawn: there may be a smaller one
					for _, less := range w.domain.Violating(c.Pred) {
						pt = less
					}
				}
				if r := w.undefined("sample", pt, c); r != nil {
					return &outcome{Result: *r}, nil
				}
			}
		}
	}
	w.sampler.MostReads, w.sampler.MostWork = w.sampler.FirstReads(), sample.FirstWork
	defer func() { w.sampler.MostReads, w.sampler.MostWork = 0, 0 }()
	return w.sampleValues(w.points)
}

// sampleValues looks for elements that differ at points. It returns nil where it finds none.
func (w *inquiry) sampleValues(points []domain.Point) (*outcome, error) {
	return w.judged(w.sampler.Search(w.ctx, points, nil))
}

// judged makes an answer of what sampling found, nil of nothing.
func (w *inquiry) judged(d *sample.Difference, err error) (*outcome, error) {
	if err != nil {
		out, err := w.stopped(err)
		return &out, err
	}
	if d == nil {
		return nil, nil
	}
	out := w.report(d, "sample")
	return &out, nil
}

// stopped turns what ended an engine into an unknown, or into the error that the question cannot be asked.
func (w *inquiry) stopped(err error) (outcome, error) {
	if cause := context.Cause(w.ctx); cause != nil && errors.Is(err, context.Canceled) {
		err = cause
	}
	var coded *source.Error
	switch {
	case errors.As(err, &coded) && coded.Code == "too-large":
		return outcome{}, source.Errors{coded}
	case errors.Is(err, errMemory), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return outcome{Result: w.unknown(spent(err, w.opts))}, nil
	}
	return outcome{Result: w.unknown("unsupported", err.Error())}, nil
}

// report shrinks, replays and describes a difference.
func (w *inquiry) report(d *sample.Difference, engine string) outcome {
	if c, ok := w.sampler.Counterexample(d); ok {
		r := w.refuted(engine, "values", "")
		r.Counterexample = c
		if d.Bad != nil {
			r.Reason, r.Detail = "undefined", "AFTER is "+d.Bad.Error()
		}
		w.known.Store(&r)
	}
	watch.Enter(w.ctx, "making the counterexample small")
	d = w.sampler.Smaller(w.domain, d)
	small, c, ok := w.sampler.Small(w.ctx, d)
	if !ok {
		return outcome{Result: w.unknown("incomplete", "a difference that was found does not replay")}
	}
	if e := w.sampler.Transplanted(w.ctx, w.domain, small); e != small {
		if smaller, again, ok := w.sampler.Small(w.ctx, e); ok {
			d, small, c = e, smaller, again
		}
	}
	return w.describe(d, small, c, engine)
}

// describe refutes with a counterexample: found is the difference as it was found, small the one to show.
func (w *inquiry) describe(found, small *sample.Difference, c *sample.Counterexample, engine string) outcome {
	reason, detail, failed := "values", "", "value"
	if small.Bad != nil {
		reason, detail = "undefined", "AFTER is "+small.Bad.Error()
		if b := semantics.Breach(nil); errors.As(small.Bad, &b) {
			failed = b.Breached()
		}
	} else if c.Kept {
		failed = "frame"
	}
	out := outcome{Result: w.refuted(engine, reason, detail), found: found}
	out.Failed = w.owing(failed)
	out.Counterexample = c
	out.Blame = w.blamed(small, sample.Writers(c, w.sampler.Blame(small)))
	if w.opts.of == nil {
		out.Regions = w.sampler.Regions(w.ctx, found)
	}
	return out
}

// prove asks the engines that prove, and has the checker accept a certificate of what they prove. The spots are where
// something is left.
func (w *inquiry) prove() (out outcome, spots []prove.Spot, err error) {
	certifying, stop := context.WithCancel(w.ctx)
	defer stop()
	var found func(prove.Answer) prove.Certificate
	if !w.opts.Uncertified {
		found = w.prover.Certifying(certifying)
	}
	watch.Enter(w.ctx, "comparing both programs")
	a := w.prover.Settle(w.ctx)
	if a.Large {
		w.sampler.Deep = w.sampler.Reals()
	}
	if !a.Proved {
		out, err = w.unproved(a)
	} else {
		var c prove.Certificate
		if found != nil {
			watch.Enter(w.ctx, "making the certificate and checking it")
			a, c = w.prover.Certify(w.ctx, a, found)
		}
		out, err = w.proved(a, c)
	}
	out.Idealised = a.Idealised
	if out.Verdict != Refuted {
		out.Engine = cmp.Or(a.Engine, "normal-form")
	}
	return out, a.Spots, err
}

// elements counts those of all tensors at a point.
func (q *question) elements(pt domain.Point) (n int64) {
	for _, p := range []semantics.Program{q.before, q.after} {
		for _, t := range p.Inputs() {
			n = min(n, 1<<61) + min(sample.Product(sample.DimsAt(t.Dims, pt)), 1<<61)
		}
	}
	return n
}

// unproved is the answer where the engines prove nothing.
func (w *inquiry) unproved(a prove.Answer) (outcome, error) {
	switch {
	case a.Found != nil:
		return w.report(a.Found, cmp.Or(a.Engine, "smt")), nil
	case a.Err != nil:
		return w.stopped(a.Err)
	case a.Open != nil:
		if pts := w.domain.Violating(a.Open.Pred); len(pts) > 0 {
			if r := w.undefined("sample", pts[0], *a.Open); r != nil {
				return outcome{Result: *r}, nil
			}
		} else if pt := w.domain.Beyond(a.Open.Pred); pt != nil {
			if b := w.breach(pt); b != nil && b.Breached() == a.Open.Owed && w.elements(pt) <= mostShown {
				if r := w.undefined("sample", pt, *a.Open); r != nil {
					return outcome{Result: *r}, nil
				}
				return outcome{Result: w.unknown(a.Reason, a.Detail)}, nil
			}
			detail := fmt.Sprintf("%s: %s%s, which is too large to run", a.Open.At.Position(), a.Open.Msg, at(pt))
			if a.Open.Owed != "" {
				detail = a.Open.Owed + ": " + detail
			}
			return outcome{Result: w.unknown("incomplete", detail)}, nil
		}
	}
	return outcome{Result: w.unknown(a.Reason, a.Detail)}, nil
}

// proved is the answer where the engines prove the programs equal: the proof is taken back where the checker does not
// accept its certificate.
func (w *inquiry) proved(a prove.Answer, c prove.Certificate) (outcome, error) {
	switch {
	case c.Err == nil:
	case w.ctx.Err() != nil:
		return w.stopped(w.ctx.Err())
	default:
		msg := c.Err.Error()
		if coded := (*source.Error)(nil); errors.As(source.AsErrors(c.Err), &coded) {
			msg = coded.Msg + " [" + coded.Code + "]"
		}
		return outcome{Result: w.unknown("incomplete", "proved, but the certificate was not accepted: "+msg)}, nil
	}
	out := outcome{Result: w.blank, cuts: a.Cuts, splits: a.Splits}
	out.Verdict, out.Certificate = Proved, c.Data
	out.Where, out.Trusts = a.Where, a.Trusts
	if w.opts.Explain {
		out.Explanation = slices.Concat(out.Explanation, a.Explanation)
	}
	if w.sampler.Reals() && w.opts.of == nil { // of the proof that has a certificate
		out.Exact = w.exactness(a)
	}
	return out, nil
}
