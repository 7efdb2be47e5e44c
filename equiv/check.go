package equiv

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"time"

	"tv/equiv/normal"
	"tv/equiv/sizes"
	"tv/equiv/smt"
	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/term"
	"tv/semantics/value"
)

// DefaultTimeout is the time that a question may take where Options say nothing.
const DefaultTimeout = 60 * time.Second

// DefaultSteps is what the engines of tv's own may take on a question where Options say nothing: they give up by
// count, so that verdicts do not depend on the clock.
const DefaultSteps = 20_000_000

// steps is what the engines of tv's own may take.
func (o *Options) steps() int { return cmp.Or(o.Steps, DefaultSteps) }

// Check decides whether AFTER equals BEFORE at every point of BEFORE's domain. An error (source.Errors) means
// that the question could not be asked; giving up is a Result with verdict Unknown.
func Check(ctx context.Context, asked Question, opts Options) (Result, error) {
	start := time.Now()
	if opts.Timeout == 0 {
		opts.Timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, opts.Timeout)
	defer cancel()
	ctx, tooMuch := context.WithCancelCause(ctx)
	defer tooMuch(nil)
	go watchMemory(ctx, opts.Memory, tooMuch)
	q, err := ask(asked, opts)
	if err != nil {
		return Result{}, err
	}
	q.ctx = ctx
	partial := q.r
	done := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- &Fault{Value: r, Stack: debug.Stack()}
			}
		}()
		done <- q.decide(ctx)
	}()
	select {
	case err = <-done:
	case <-ctx.Done():
		select { // engines look at the context; one that does not in time is left behind
		case err = <-done:
		case <-time.After(leftBehind):
			known := q.known.Load()
			q = &question{opts: opts, r: partial, ctx: ctx}
			if q.stopped(context.Cause(ctx)); known != nil {
				q.r = *known
			}
		}
	}
	if fault := (*Fault)(nil); errors.As(err, &fault) {
		panic(fault)
	}
	if err != nil {
		return Result{}, err
	}
	q.r.Elapsed = time.Since(start)
	q.keep(ctx)
	return q.r, nil
}

// A Fault is a panic inside Check, passed on to its caller.
type Fault struct {
	Value any
	Stack []byte // where it happened
}

// Error prints the value alone.
func (f *Fault) Error() string { return fmt.Sprint(f.Value) }

// DefaultMemory is the memory that a question may take where Options say nothing, in bytes.
const DefaultMemory = 4 << 30

var errMemory = errors.New("out of memory")

// watchMemory ends a run that holds more live memory than it may.
func watchMemory(ctx context.Context, limit int64, stop context.CancelCauseFunc) {
	if limit == 0 {
		limit = DefaultMemory
	}
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			metrics.Read(heap)
			if heap[0].Value.Uint64() > uint64(limit) { // garbage does not count
				runtime.GC()
				metrics.Read(heap)
			}
			if heap[0].Value.Uint64() > uint64(limit) {
				stop(errMemory)
				return
			}
		}
	}
}

// leftBehind is how long an engine may go on after its time is up.
const leftBehind = 700 * time.Millisecond

// A question is a pair of typed programs and what is known of their domain.
type question struct {
	asked         Question
	opts          Options
	env           *domain.Env
	names         *correspondence // of AFTER's names, where they are its own
	before, after semantics.Program
	domain        *sizes.Domain
	points        []domain.Point // for sampling
	small         []domain.Point // the smallest
	s             *sampler
	r             Result
	fatal         error // why the question cannot be asked after all
	ctx           context.Context
	spots         []spot                  // in which something is left
	path          []int                   // of the component at hand
	first         Result                  // what was known before anything was decided
	known         *atomic.Pointer[Result] // a refutation, while it is made smaller
	found         *difference             // the first, before it was made small
	recalled      *Memo                   // what the answer comes from
	cuts          []algebra.Cut           // of a proof in stages
	solved        []int                   // tensors of the result that a solver proved, counted from 0
	answers       map[string]smt.Result   // of solvers, by script
}

// ask types the programs and derives the domain.
func ask(asked Question, opts Options) (*question, error) {
	before, after := asked.Before, asked.After
	if assumes := after.Declarations().Assumes; len(assumes) > 0 {
		return nil, source.Errors{source.Errorf(assumes[0].Span, "assume-in-after",
			"assume is legal in BEFORE only: nothing that AFTER needs is assumed")}
	}
	q := &question{asked: asked, opts: opts, known: &atomic.Pointer[Result]{}, ctx: context.Background(),
		answers: map[string]smt.Result{}}
	var err error
	if q.env, q.before, q.after, q.names, err = meet(asked, opts.Tensors); err != nil {
		return nil, err
	}
	for _, p := range []semantics.Program{q.before, q.after} {
		if err := semantics.Suits(p, opts.Arith); err != nil {
			return nil, err
		}
	}
	env := q.env
	q.domain = sizes.NewDomain(q.before, env)
	if opts.whereBoth {
		q.domain.OfBoth(q.before, q.after)
	}
	q.domain.Steps = opts.searchSteps()
	points := domainPoints
	if opts.rule {
		points = casePoints
	}
	q.points = q.domain.Spread(points)
	q.small = q.domain.Points(points)
	if len(q.points) == 0 && !opts.rule {
		return nil, emptyDomain(before, q.domain)
	}
	if names := foreignNames(q.after, q.domain); len(names) > 0 {
		code := "unknown-size"
		if q.names != nil {
			code = "size-unbound"
		}
		return nil, source.Errors{source.Errorf(after.Root(), code, "%s is not a size that BEFORE declares", names[0])}
	}
	if !opts.rule { // of a rule that is a refutation
		if c := q.nowhere(); c != nil {
			return nil, source.Errors{&source.Error{Span: q.after.At(c.Part), Code: c.Code,
				Msg: c.Msg + ", at every point of the domain"}}
		}
	}
	if !opts.rule && q.empty() {
		inhabited := q.domain.Where(someElement(q.before.Result()))
		pts := inhabited.Points(1)
		if len(pts) == 0 {
			which := "any point of the domain"
			if !inhabited.Contradictory() {
				which = "the points of the domain that were found"
			}
			return nil, source.Errors{source.Errorf(before.Root(), "empty-output",
				"the result has no element at %s, so that there is nothing to compare", which)}
		}
		q.points, q.small = pts, append(q.small, pts...)
	}
	q.r = Result{
		Before: before.File().Name, After: after.File().Name,
		Arith: opts.Arith, Types: Elements(opts.Arith, q.before, q.after), Equal: opts.Equal,
		Domain: q.domain.Conditions(), Bound: q.names.String(),
	}
	q.r.SHA256 = StatementSHA256(q.stated(opts.Arith))
	q.s = newSampler(q.before, q.after, opts.Arith, opts.Seed+1)
	q.s.limit = opts.extraWork()
	q.s.deep = q.s.reals() && q.depth() > wholeDepth
	q.r.Stats.Nodes = len(q.before.Parts()) + len(q.after.Parts())
	q.first = q.r
	return q, nil
}

// emptyDomain is the error for a domain of which no point was found; whether there is none is known for some.
func emptyDomain(s semantics.Source, d *sizes.Domain) error {
	span := s.Root()
	if assumes := s.Declarations().Assumes; len(assumes) > 0 {
		span = assumes[0].Span
	}
	found := "were found that"
	if d.Contradictory() {
		found = "can"
	}
	return source.Errors{source.Errorf(span, "empty-domain",
		"no sizes %s satisfy the declarations, the assumes and the conditions under which the program is well formed", found)}
}

// nowhere returns a condition of AFTER that holds at no point of the domain, or nil if none is known.
func (q *question) nowhere() *semantics.Condition {
	for i, c := range q.after.Conditions() {
		ok, err := c.Pred.Eval(q.points[0]) // there is a point: the domain is not empty
		if err == nil && !ok && q.domain.Where(c.Pred).Contradictory() {
			return &q.after.Conditions()[i]
		}
	}
	return nil
}

// foreignNames lists the sizes that a program names and the domain does not.
func foreignNames(p semantics.Program, d *sizes.Domain) []string {
	var out []string
	for _, s := range p.Sizes() {
		for _, name := range s.Names() {
			if _, ok := d.Mins[name]; !ok {
				out = append(out, name)
			}
		}
	}
	sort.Strings(out)
	return out
}

// decide runs the engines, cheapest first. An error means that the question cannot be asked after all: a tensor
// is too large for the reference evaluator.
func (q *question) decide(ctx context.Context) error {
	defer q.finish()
	if q.shapes() {
		return nil
	}
	memo := q.recall()
	if memo != nil && memo.Counterexample != nil && q.attempt(memo, q.replay) {
		return nil
	}
	if q.sample(ctx) {
		if memo != nil && memo.Certificate != nil && q.r.Verdict == Refuted {
			q.refuse(errors.New("the programs differ"))
		}
		return q.fatal
	}
	if memo != nil && memo.Certificate != nil && q.attempt(memo, q.recheck) {
		return q.fatal
	}
	if q.r.Stats.Nodes > certifyEarly { // the proof needs the memory; they are made again if need be
		q.s.rigs = nil
	}
	if depth := max(q.before.Depth(), q.after.Depth()); depth > maxDepth {
		q.unknown("unsupported", tooDeep(depth))
		return q.fatal
	}
	certifying, stop := context.WithCancel(ctx)
	defer stop()
	found := q.certifying(certifying)
	q.normalForm(ctx)
	q.certify(ctx, found)
	if q.r.Verdict == Proved && q.s.reals() && !q.opts.rule { // of the proof that has a certificate
		q.exactness(ctx)
	}
	if q.r.Verdict == Unknown && q.r.Reason == "incomplete" && !q.opts.proofOnly {
		left := q.r
		if !q.last(ctx) || q.r.Verdict != Refuted {
			q.r = left
		}
	}
	return q.fatal
}

// maxDepth bounds how deep calls nest in programs that are lowered: that is recursion, here and in the checker, and
// a stack that overflows ends the process. The evaluator has no such bound.
const maxDepth = 20_000

func tooDeep(depth int) string {
	return fmt.Sprintf("calls nest %d deep; the prover takes programs of at most %d", depth, maxDepth)
}

// finish fills in what every result says.
func (q *question) finish() {
	if q.r.Stats.Samples = q.s.count; q.recalled != nil {
		q.r.Stats = q.recalled.Stats
	}
	if q.r.Verdict == Proved && len(q.domain.Names) > 0 && len(q.points) > 0 {
		q.r.Point = q.points[min(1, len(q.points)-1)]
	}
}

func (q *question) refute(engine, reason, detail string) {
	q.r.Verdict, q.r.Engine, q.r.Reason, q.r.Detail = Refuted, engine, reason, detail
}

func (q *question) unknown(reason, detail string) {
	q.r.Verdict, q.r.Reason, q.r.Detail = Unknown, reason, detail
}

// shapes is the type engine: it answers where the results differ in kind.
func (q *question) shapes() bool {
	return q.sameType(q.before.Result(), q.after.Result(), nil)
}

func (q *question) sameType(x, y *semantics.Type, path []int) bool {
	where := ""
	if len(path) > 0 {
		where = fmt.Sprintf("component %v: ", path)
	}
	points := slices.Concat(q.small, q.points)
	refute := func(points []domain.Point, reason, format string, args ...any) bool {
		if len(points) > 0 { // for rules there may be none
			q.r.Counterexample = q.s.bare(points[0])
			q.r.Counterexample.Path = path
		}
		q.refute("type", reason, where+fmt.Sprintf(format, args...))
		q.r.Form = true
		return true
	}
	if x.Tuple || y.Tuple {
		if x.Tuple != y.Tuple || len(x.Items) != len(y.Items) {
			return refute(points, "shape", "BEFORE is %s, AFTER is %s", x.Text, y.Text)
		}
		for i := range x.Items {
			if q.sameType(x.Items[i], y.Items[i], append(path[:len(path):len(path)], i)) {
				return true
			}
		}
		return false
	}
	if len(x.Dims) != len(y.Dims) {
		return refute(points, "shape", "BEFORE is %s, AFTER is %s", x.Text, y.Text)
	}
	if x.Elem != y.Elem {
		return refute(points, "type", "BEFORE is of %s, AFTER of %s", x.Elem, y.Elem)
	}
	if q.opts.Equal == Access && x.Split != y.Split {
		return refute(points, "split", "BEFORE is %s, AFTER is %s", x.Text, y.Text)
	}
	for at, pt := range points {
		for i := range x.Dims {
			m, errM := x.Dims[i].Eval(pt)
			n, errN := y.Dims[i].Eval(pt)
			if errM == nil && errN == nil && m.Cmp(n) != 0 {
				place := ""
				if len(pt) > 0 {
					place = " at " + sizes.FormatPoint(pt)
				}
				return refute(points[at:], "shape", "axis %d has %s elements in BEFORE and %s in AFTER%s", i, m, n, place)
			}
		}
	}
	return false
}

// sample is the sample engine.
func (q *question) sample(ctx context.Context) bool {
	for i, pt := range slices.Concat(q.small, q.points) {
		for _, c := range q.after.Conditions() {
			if ok, err := c.Pred.Eval(pt); err != nil || !ok {
				if i >= len(q.small) { // a point that was drawn: there may be a smaller one
					for _, less := range q.domain.Violating(c.Pred) {
						pt = less
					}
				}
				return q.undefined("sample", pt, c)
			}
		}
	}
	q.s.mostReads = q.s.firstReads()
	defer func() { q.s.mostReads = 0 }()
	return q.sampleValues(ctx, q.points)
}

// undefined refutes: the condition of AFTER does not hold at the point.
func (q *question) undefined(engine string, pt domain.Point, c semantics.Condition) bool {
	q.r.Counterexample = q.s.bare(pt)
	q.refute(engine, "undefined", fmt.Sprintf("AFTER is undefined at %s: %s", sizes.FormatPoint(pt), c.Msg))
	q.r.Form = true
	q.r.Blame = []Blame{{Side: "after", Span: q.after.At(c.Part), Text: q.after.Text(c.Part)}}
	return true
}

func (q *question) sampleValues(ctx context.Context, points []domain.Point) bool {
	d, err := q.s.search(ctx, points, nil)
	if err != nil {
		return q.stopped(err)
	}
	if d != nil {
		return q.report(d, "sample")
	}
	return false
}

// empty reports whether the result of BEFORE has no element at any point that is looked at.
func (q *question) empty() bool {
	for _, list := range [][]domain.Point{q.small, q.points} {
		for _, pt := range list {
			if q.outputSize(pt) > 0 {
				return false
			}
		}
	}
	return true
}

// someElement is the condition that a result has an element.
func someElement(t *semantics.Type) *domain.Pred {
	if t.Tuple {
		any := &domain.Pred{Op: domain.PredOr}
		for _, i := range t.Items {
			any.Args = append(any.Args, someElement(i))
		}
		return any
	}
	all := &domain.Pred{Op: domain.PredAnd}
	for _, d := range t.Dims {
		all.Args = append(all.Args, &domain.Pred{Op: domain.PredLe, A: domain.IntSize(1), B: d})
	}
	return all
}

// outputSize counts the elements of BEFORE's result at a point, over all components.
func (q *question) outputSize(pt domain.Point) int64 {
	var total int64
	for _, c := range q.before.Result().Components() {
		total += product(dimsAt(c.Dims, pt))
	}
	return total
}

// stopped turns the end of a context into an unknown.
func (q *question) stopped(err error) bool {
	if q.r.Verdict == Proved { // what was found is kept: only the exactness line is missing
		return true
	}
	if cause := context.Cause(q.ctx); cause != nil && errors.Is(err, context.Canceled) {
		err = cause
	}
	var coded *source.Error
	switch {
	case errors.Is(err, errMemory):
		q.unknown("memory", "no answer within the memory allowed")
	case errors.As(err, &coded) && coded.Code == "too-large":
		q.fatal = source.Errors{coded}
	case errors.Is(err, context.DeadlineExceeded):
		q.unknown("timeout", fmt.Sprintf("no answer within %s", q.opts.Timeout))
	case errors.Is(err, context.Canceled):
		q.unknown("timeout", "interrupted")
	default:
		q.unknown("unsupported", err.Error())
	}
	return true
}

// report shrinks, replays and describes a difference.
func (q *question) report(d *difference, engine string) bool {
	if c, ok := q.s.counterexample(d); ok {
		r := q.r
		r.Verdict, r.Engine, r.Reason, r.Counterexample = Refuted, engine, "values", c
		if d.bad != nil {
			r.Reason, r.Detail = "undefined", "AFTER is "+d.bad.Error()
		}
		q.known.Store(&r)
	}
	d = q.smaller(d)
	small := q.s.first(q.s.shrink(q.ctx, d, shrinkSteps))
	if !small.spent && (small.path != nil || small.index != nil) {
		small = q.s.first(q.s.shrink(q.ctx, small, shrinkSteps))
	}
	c, ok := q.s.counterexample(small)
	if !ok {
		if c, ok = q.s.counterexample(d); !ok {
			q.unknown("incomplete", "a difference that was found does not replay")
			return true
		}
		small = d
	}
	q.describe(d, small, c, engine)
	return true
}

// describe refutes with a counterexample: found is the difference as it was found, small the one to show.
func (q *question) describe(found, small *difference, c *Counterexample, engine string) {
	q.found = found
	q.r.Counterexample = c
	reason, detail := "values", ""
	if small.bad != nil {
		reason, detail = "undefined", "AFTER is "+small.bad.Error()
	}
	q.refute(engine, reason, detail)
	q.r.Blame = q.s.blame(small)
	if !q.opts.rule {
		q.r.Regions = q.s.regions(q.ctx, found)
	}
}

// smallerPoints bounds the points at which a smaller counterexample is looked for.
const smallerPoints = 64

// smaller looks for a difference at a smaller point of the domain.
func (q *question) smaller(d *difference) *difference {
	if len(q.domain.Names) == 0 {
		return d
	}
	for _, pt := range q.domain.Points(smallerPoints) {
		if q.domain.Total(pt) >= q.domain.Total(d.point) {
			break
		}
		for _, m := range q.s.modes() {
			if o, err := q.s.run(context.Background(), pt, m, 0, extraElements, nil); err == nil && o != nil {
				return o
			}
		}
	}
	return d
}

// normalForm is the normal form engine.
func (q *question) normalForm(ctx context.Context) {
	a := q.settle(ctx)
	q.r.Engine = a.engine
	if a.engine == "" {
		q.r.Engine = "normal-form"
	}
	if !a.proved {
		switch {
		case a.found != nil:
			q.report(a.found, "smt")
		case a.err != nil:
			q.stopped(a.err)
		case a.open != nil:
			if pts := q.domain.Violating(a.open.Pred); len(pts) > 0 {
				q.undefined("sample", pts[0], *a.open)
				return
			}
			q.unknown(a.reason, a.detail)
		default:
			q.unknown(a.reason, a.detail)
		}
		return
	}
	q.r.Verdict = Proved
	q.rests(a)
}

// rests writes down what a proof rests on.
func (q *question) rests(a answer) {
	q.r.Where, q.r.Trusts, q.solved = a.where, a.trusts, a.solved
}

// An answer of the normal form to all cases of a domain.
type answer struct {
	proved         bool
	reason, detail string // why not
	err            error  // the context's
	where          []string
	engine         string // where it was not the normal form
	trusts         []string
	solved         []int                // tensors of the result that a solver proved, ascending
	found          *difference          // that a solver's model led to
	open           *semantics.Condition // of AFTER, where it is not known to hold
	corners        [][]*index.Expr      // of the boxes of the output in which something is left
	spent          bool                 // the engine gave up by count
	large          bool                 // of programs for which nothing more should be tried than stages
}

// add takes over what the proof of a part rests on.
func (a *answer) add(part answer) {
	a.where = mergeNames(a.where, part.where)
	a.trusts = mergeNames(a.trusts, part.trusts)
	a.solved = append(a.solved, part.solved...)
	slices.Sort(a.solved)
	a.solved = slices.Compact(a.solved)
	if part.engine != "" && part.engine != "normal-form" {
		a.engine = part.engine
	}
}

// prove proves a goal in every case of the domain, in the arithmetic given.
func (q *question) prove(ctx context.Context, arith Arith, g goal) answer {
	preds := q.domain.Preds
	all, ok := sizes.Cases(preds, q.domain.Mins)
	if !ok {
		return answer{reason: "incomplete", detail: "the domain has too many cases"}
	}
	out := answer{proved: true, engine: "normal-form"}
	for i, cs := range all {
		if ctx.Err() != nil {
			return answer{err: ctx.Err()}
		}
		a := q.proveCase(ctx, part{of: i, cases: len(all), clauses: cs}, arith, g)
		if !a.proved {
			return a
		}
		out.add(a)
	}
	return out
}

// proveCase proves a goal in one case of the domain: p without a tensor.
func (q *question) proveCase(ctx context.Context, p part, arith Arith, g goal) answer {
	b := term.NewBuilder()
	sz := sizes.NewFacts(b.Index, q.domain.Names, q.domain.Mins, p.clauses)
	if sz.Contradictory(p.clauses) {
		return answer{proved: true}
	}
	for _, c := range q.after.Conditions() {
		if !sz.Proves(c.Pred, false) {
			return answer{reason: "incomplete", detail: fmt.Sprintf("not known to hold: %s (%s)", c.Pred, c.Msg), open: &c}
		}
	}
	x, y, err := q.lower(b, sz, arith, g)
	if err != nil {
		return answer{reason: "unsupported", detail: err.Error()}
	}
	defer func() { q.r.Stats.Terms += b.Terms() }()
	if arith == q.opts.Arith {
		q.r.Idealised = mergeNames(q.r.Idealised, x.Idealised, y.Idealised)
	}
	out := answer{proved: true}
	p.tensors = len(x.Components)
	for i := range x.Components {
		s, t := x.Components[i].Array, y.Components[i].Array
		for k := range s.Dims {
			if d := b.Index.Sub(s.Dims[k], t.Dims[k]); !isZero(b.Index, d) {
				return answer{reason: "incomplete",
					detail: fmt.Sprintf("axis %d: %s and %s are not known to be equal", k, s.Dims[k], t.Dims[k])}
			}
			if len(t.Dims[k].Free()) < len(s.Dims[k].Free()) {
				s.Dims = slices.Clone(s.Dims) // the plain one of two that are equal
				s.Dims[k] = t.Dims[k]
			}
		}
		if slices.ContainsFunc(s.Dims, func(d *index.Expr) bool { return isZero(b.Index, d) }) {
			continue // it has no element in this case of the domain
		}
		if g.lemma() && s.Sort.Kind == term.Real && mayBeLowest(b, s) {
			return answer{reason: "incomplete", detail: "a cut of a tensor that may hold MIN"}
		}
		q.path = x.Components[i].Path
		var a answer
		p.tensor = i
		if c, ok := q.table(ctx, b, g, s, t); ok {
			a = answerOf(c)
			a.engine = "enumerate"
		} else {
			q.granted(b, s, func() { a = q.engine(ctx, b, arith, g, p)(s, t) })
		}
		if !a.proved {
			if g.budget == 0 {
				q.spots = append(q.spots, spot{path: q.path, corners: a.corners, sizes: sz})
			}
			if opaque := mergeNames(x.Opaque, y.Opaque); len(opaque) > 0 {
				a.reason, a.detail = "unsupported", "rests on uninterpreted "+strings.Join(opaque, ", ")+"; "+a.detail
			}
			return a
		}
		out.add(a)
	}
	return out
}

// table compares two tensors that are constants of many parts; the engines are quick at others.
func (q *question) table(ctx context.Context, b *term.Builder, g goal, x, y term.Array) (normal.Comparison, bool) {
	for i, p := range q.sides() {
		part := len(p.Parts()) - 1
		if g.lemma() {
			part = g.parts[i]
		}
		if part < 0 || constantParts(p.Parts(), part, g.cuts[i]) < normal.TableParts {
			return normal.Comparison{}, false
		}
	}
	return normal.Table(ctx, b.Index, x.Dims, x, y)
}

// constantParts returns how many parts one is made of that reads no input and no tensor that stands for a part; 0 of others.
func constantParts(parts []semantics.Part, part int, standing semantics.Standing) int {
	seen := map[int]bool{}
	var reads func(n int) bool
	reads = func(n int) bool {
		if _, cut := standing[n]; cut || parts[n].Input != "" {
			return true
		} else if seen[n] {
			return false
		}
		seen[n] = true
		return slices.ContainsFunc(parts[n].Operands, reads)
	}
	if reads(part) {
		return 0
	}
	return len(seen)
}

// granted calls f while what x takes for granted holds: the output has an element, of others nothing is asked, and
// the sizes that each divides by are not 0.
func (q *question) granted(b *term.Builder, x term.Array, f func()) {
	var some []*index.Expr
	for _, d := range x.Dims {
		some = append(some, b.Index.AddInt(d, -1))
	}
	b.Index.Suppose(some, func() { b.Index.Suppose(q.divisors(b, x), f) })
}

// divisors returns e - 1 for each size e that every element of x divides by, with what else is needed to see that it
// does: where e is 0, x has no value and nothing is asked.
func (q *question) divisors(b *term.Builder, x term.Array) []*index.Expr {
	if len(q.domain.Names) == 0 {
		return nil
	}
	root := b.Index.Root()
	at := make([]*index.Expr, len(x.Dims))
	for i, d := range x.Dims {
		at[i] = b.Index.NewVar(fmt.Sprintf("i%d", i), b.Index.Const(0), d).Expr()
	}
	var out []*index.Expr
	seen := map[*term.Term]bool{}
	var walk func(t *term.Term)
	walk = func(t *term.Term) {
		if seen[t] || !t.MayBePartial() || t.Op == term.If || t.Op == term.Gather {
			return
		}
		seen[t] = true
		for _, v := range t.Vars { // of nothing nothing is asked
			extent := b.Index.AddInt(b.Index.Sub(v.Hi, v.Lo), -1)
			if !slices.Contains(out, extent) && !b.Index.Nonneg(root, extent) {
				return
			}
		}
		if n := len(t.Args) - 1; (t.Op == term.Div || t.Op == term.Apply && t.Name == "mean") && t.Args[n].Op == term.Number {
			if e := t.Args[n].Index[0]; b.Index.Nonneg(root, e) {
				out = append(out, b.Index.AddInt(e, -1))
			}
		}
		for _, a := range t.Args {
			walk(a)
		}
	}
	walk(x.Element(root, at))
	return out
}

// mayBeLowest reports whether an element of x may be MIN.
func mayBeLowest(b *term.Builder, x term.Array) bool {
	at := make([]*index.Expr, len(x.Dims))
	for i, d := range x.Dims {
		at[i] = b.Index.NewVar(fmt.Sprintf("i%d", i), b.Index.Const(0), d).Expr()
	}
	return x.Element(b.Index.Root(), at).MayBeLowest()
}

func isZero(b *index.Builder, d *index.Expr) bool {
	return d.IsZero() || b.Nonneg(b.Root(), d) && b.Nonneg(b.Root(), b.Scale(index.Int(-1), d))
}

// engine returns the comparison of two components under the laws of the arithmetic: polynomials for reals and
// for integers that wrap, terms in their order where there is anything else.
func (q *question) engine(ctx context.Context, tb *term.Builder, arith Arith, g goal, p part) func(x, y term.Array) answer {
	b := tb.Index
	root := b.Root()
	laws, polynomial := q.laws(arith)
	if !polynomial {
		o := normal.NewOrdered(ctx, b, g.steps(q.opts))
		return func(x, y term.Array) answer {
			a := answerOf(o.Compare(root, x.Dims, x, y))
			if a.proved || g.budget > 0 {
				return a
			}
			return q.solve(ctx, p, arith, a)
		}
	}
	e := normal.NewEngine(ctx, b, laws, g.steps(q.opts))
	return func(x, y term.Array) answer {
		a := compare(e, root, x, y)
		if a.proved || a.reason != "incomplete" || g.budget > 0 {
			return a
		}
		if c := normal.NewEngine(ctx, b, laws, min(enumerateBudget, q.opts.steps())).Enumerate(root, x.Dims, enumerateElements, x, y); c.Equal {
			return answer{proved: true, engine: "enumerate"}
		}
		return q.solve(ctx, p, arith, a)
	}
}

// Limits of the enumerate engine: elements of the output, and steps.
const (
	enumerateElements = 256
	enumerateBudget   = 400_000
)

// compare is the normal form of two components and of what they rest on.
func compare(e *normal.Engine, root *index.Context, x, y term.Array) answer {
	a := answerOf(e.Compare(root, x.Dims, x, y))
	if !a.proved {
		return a
	}
	where, left, err := e.Defined(root, x, y)
	if err != nil {
		return answer{reason: "incomplete", detail: err.Error()}
	}
	if len(left) > 0 {
		return answer{reason: "incomplete", detail: "AFTER may be undefined: not known that " + strings.Join(left, "; ")}
	}
	a.where = where
	return a
}

func answerOf(c normal.Comparison) answer {
	switch {
	case c.Equal:
		return answer{proved: true}
	case errors.Is(c.Err, context.DeadlineExceeded), errors.Is(c.Err, context.Canceled):
		return answer{err: c.Err}
	case c.Err != nil:
		return answer{reason: "incomplete", detail: c.Err.Error(), spent: errors.Is(c.Err, normal.ErrBudget)}
	}
	detail := "what is left of BEFORE - AFTER: " + strings.Join(c.Left, " ")
	if len(c.Where) > 0 {
		detail += " (where " + strings.Join(c.Where, ", ") + ")"
	}
	return answer{reason: "incomplete", detail: detail, corners: c.Hints}
}

// laws returns the laws of what both programs are made of; ok is false where sums may not be re-ordered.
func (q *question) laws(arith Arith) (laws normal.Laws, ok bool) {
	real, width, ok := q.numbers(arith)
	switch {
	case real || !ok:
		return normal.RealLaws, ok
	case width > 0:
		return normal.WrapLaws(width), true
	}
	return normal.Laws{}, true
}

// numbers reports whether there are real numbers among the elements of both programs, and whether all others are integers
// that wrap, with their width if it is the same everywhere.
func (q *question) numbers(arith Arith) (real bool, width int, ok bool) {
	if arith == Real {
		return true, 0, true
	}
	width = -1
	for _, p := range q.sides() {
		if len(p.Parts()) == 0 { // nothing is known of what is between
			return false, 0, false
		}
		for _, t := range p.Parts() {
			switch {
			case !t.Tensor:
				continue
			case !arith.Bits(t.Elem):
				real = true
				continue
			case t.Elem.Kind != domain.ElemInt && t.Elem.Kind != domain.ElemUint:
				return false, 0, false
			case width == -1:
				width = t.Elem.Width
			}
			if width != t.Elem.Width {
				width = 0
			}
		}
	}
	return real, max(width, 0), true
}

// exactNodes bounds the programs for which the exactness line is worked out.
const exactNodes = 10_000

// exactness says whether a proof about real numbers also holds bit for bit in the element types.
func (q *question) exactness(ctx context.Context) {
	if len(q.elementTypes()) == 0 {
		return
	}
	v := ExactVerdict{Verdict: "unknown", Reason: "incomplete"}
	if errors.Join(semantics.Suits(q.before, Exact), semantics.Suits(q.after, Exact)) != nil {
		v.Reason = "unsupported" // the programs have no meaning bit for bit
	} else if q.r.Stats.Nodes > exactNodes { // a second run would cost more than the first
	} else if a := q.exactly(ctx); a.proved {
		v = ExactVerdict{Verdict: "yes"}
	} else {
		v.Reason = a.reason
		if w := q.exactWitness(ctx); w != nil {
			v = ExactVerdict{Verdict: "no", Reason: "values", Witness: w}
		}
	}
	q.setExact(v)
}

// exactly asks whether what was proved in the reals holds bit for bit. What was proved in stages is asked by the same
// stages, which is right for the same reason: each takes no longer than its proof. Where one fails the programs may still
// agree in one piece, of which not more is asked than a short while, and of a deep network nothing.
func (q *question) exactly(ctx context.Context) answer {
	if len(q.cuts) == 0 {
		return q.prove(ctx, Exact, goal{})
	}
	var a answer
	for _, g := range q.goals(q.cuts) {
		g.budget = stageBudget
		if a = q.prove(ctx, Exact, g); !a.proved {
			break
		}
	}
	switch deep := q.depth() > wholeDepth; {
	case a.proved || a.err != nil:
		return a
	case !deep:
		if a = q.prove(ctx, Exact, goal{budget: quickBudget}); a.proved || a.err != nil || !a.spent {
			return a
		}
	}
	return answer{reason: "deep"}
}

// setExact writes one verdict down for every element type among the inputs.
func (q *question) setExact(v ExactVerdict) {
	for _, t := range q.elementTypes() {
		v.Type = t
		q.r.Exact = append(q.r.Exact, v)
	}
}

// elementTypes lists the element types of the inputs, each once.
func (q *question) elementTypes() []domain.Elem {
	var types []domain.Elem
	seen := map[domain.Elem]bool{}
	for _, t := range slices.Concat(q.before.Inputs(), q.after.Inputs()) {
		if !seen[t.Elem] {
			seen[t.Elem] = true
			types = append(types, t.Elem)
		}
	}
	return types
}

// exactSampler returns a sampler of the same programs that looks at bits.
func (q *question) exactSampler() *sampler {
	s := newSampler(q.s.before, q.s.after, value.Exact, q.s.seed)
	if len(q.cuts) > 0 { // a remark on a proof is not worth more than it
		s.mostReads = stageReads
	}
	return s
}

// exactWitness looks for inputs on which the programs differ bit for bit.
func (q *question) exactWitness(ctx context.Context) *Counterexample {
	s := q.exactSampler()
	var d *difference
	for _, pt := range q.points[:min(2, len(q.points))] {
		for _, m := range []mode{edges, specials, mixed, wide} {
			var err error
			if d, err = s.run(ctx, pt, m, 0, extraElements, nil); d != nil || err != nil {
				break
			}
		}
		if d != nil {
			break
		}
	}
	if d == nil {
		return nil
	}
	if c, ok := s.counterexample(s.shrink(ctx, d, max(leastWitness, witnessWork/q.r.Stats.Nodes))); ok {
		return c
	}
	return nil
}

// mergeNames unites lists, sorted, each name once.
func mergeNames(lists ...[]string) []string {
	var out []string
	seen := map[string]bool{}
	for _, l := range lists {
		for _, n := range l {
			if !seen[n] {
				seen[n] = true
				out = append(out, n)
			}
		}
	}
	sort.Strings(out)
	return out
}
