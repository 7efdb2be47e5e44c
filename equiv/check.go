package equiv

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"tv/equiv/normal"
	"tv/glenside"
	"tv/internal/source"
	"tv/semantics/eval"
	"tv/semantics/index"
	"tv/semantics/lower"
	"tv/semantics/term"
)

// DefaultTimeout is the time that a question may take where Options say nothing.
const DefaultTimeout = 60 * time.Second

// normalBudget bounds the steps of the normal form engine, so that verdicts do not depend on the clock.
const normalBudget = 20_000_000

// Check decides whether after equals before at every point of before's domain. An error (source.Errors) means
// that the question could not be asked; giving up is a Result with verdict Unknown.
func Check(ctx context.Context, before, after *glenside.Program, opts Options) (Result, error) {
	start := time.Now()
	if opts.Timeout == 0 {
		opts.Timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, opts.Timeout)
	defer cancel()
	q, err := ask(before, after, opts)
	if err != nil {
		return Result{}, err
	}
	q.decide(ctx)
	q.r.Elapsed = time.Since(start)
	return q.r, nil
}

// A question is a pair of typed programs and what is known of their domain.
type question struct {
	opts          Options
	before, after *glenside.Typing
	domain        *domain
	points        []glenside.Point
	s             *sampler
	r             Result
}

// ask types the programs and derives the domain.
func ask(before, after *glenside.Program, opts Options) (*question, error) {
	if len(after.Assumes) > 0 {
		return nil, source.Errors{source.Errorf(after.Assumes[0].Span, "assume-in-after",
			"assume is legal in BEFORE only: nothing that AFTER needs is assumed")}
	}
	env, err := environment(before, after, opts)
	if err != nil {
		return nil, err
	}
	q := &question{opts: opts}
	if q.before, err = glenside.Check(before, env); err != nil {
		return nil, err
	}
	if q.after, err = glenside.Check(after, env); err != nil {
		return nil, err
	}
	for _, ty := range []*glenside.Typing{q.before, q.after} {
		if !isResult(ty.Root()) {
			return nil, source.Errors{source.Errorf(ty.Program.Span(ty.Program.Root), "not-a-tensor",
				"the program is not a tensor but %s", ty.Root())}
		}
	}
	q.domain = newDomain(before, q.before, env)
	q.points = q.domain.points(smallPoints)
	if len(q.points) == 0 {
		return nil, emptyDomain(before)
	}
	if len(q.domain.names) > 0 {
		for _, n := range foreignNames(after, q.domain) {
			return nil, source.Errors{source.Errorf(after.Span(after.Root), "unknown-size",
				"%s is not a size that BEFORE declares", n)}
		}
	}
	q.r = Result{
		Before: before.File.Name, After: after.File.Name,
		Arith: opts.Arith, Equal: opts.Equal, Domain: q.domain.conditions(),
	}
	q.r.SHA256 = statement(before, after, env, opts)
	q.s = &sampler{before: q.before, after: q.after, arith: eval.Arith(opts.Arith),
		seed: opts.Seed + 1, opaque: map[string]bool{}, paths: paths(q.before.Root(), nil)}
	q.r.Stats.Nodes = len(before.Nodes) + len(after.Nodes)
	return q, nil
}

func isResult(t *glenside.Type) bool {
	switch t.Kind {
	case glenside.TypeAccess, glenside.TypeTensor, glenside.TypeLiteral:
		return true
	case glenside.TypeTuple:
		for _, i := range t.Items {
			if !isResult(i) {
				return false
			}
		}
		return true
	}
	return false
}

// foreignNames lists the sizes that a program names and the domain does not.
func foreignNames(p *glenside.Program, d *domain) []string {
	var out []string
	for _, n := range p.Nodes {
		if n.Kind == glenside.KindInt {
			for _, name := range n.Int.Names() {
				if _, ok := d.mins[name]; !ok {
					out = append(out, name)
				}
			}
		}
	}
	sort.Strings(out)
	return out
}

// statement is the digest of what is asked.
func statement(before, after *glenside.Program, env *glenside.Env, opts Options) string {
	h := sha256.New()
	fmt.Fprintf(h, "tv check 1\n%s\n%s\n%s\n%s\n", opts.Arith, opts.Equal, before.File.Text, after.File.Text)
	names := make([]string, 0, len(env.Tensors))
	for n := range env.Tensors {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		t := env.Tensors[n]
		fmt.Fprintf(h, "%s %v %s\n", n, t.Dims, t.Elem)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// decide runs the engines, cheapest first.
func (q *question) decide(ctx context.Context) {
	if q.shapes() {
		return
	}
	if q.sample(ctx, nil) {
		return
	}
	q.normalForm(ctx)
	q.finish(ctx)
}

// finish fills in what every result says.
func (q *question) finish(context.Context) {
	q.r.Stats.Samples = q.s.count
	if q.r.Verdict == Proved && len(q.domain.names) > 0 {
		q.r.Point = q.points[0]
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
	return q.sameType(q.before.Root(), q.after.Root(), nil)
}

func (q *question) sameType(x, y *glenside.Type, path []int) bool {
	where := ""
	if len(path) > 0 {
		where = fmt.Sprintf("component %v: ", path)
	}
	refute := func(reason, format string, args ...any) bool {
		q.refute("type", reason, where+fmt.Sprintf(format, args...))
		return true
	}
	if x.Kind == glenside.TypeTuple || y.Kind == glenside.TypeTuple {
		if x.Kind != y.Kind || len(x.Items) != len(y.Items) {
			return refute("shape", "BEFORE is %s, AFTER is %s", x, y)
		}
		for i := range x.Items {
			if q.sameType(x.Items[i], y.Items[i], append(path[:len(path):len(path)], i)) {
				return true
			}
		}
		return false
	}
	if len(x.Dims) != len(y.Dims) {
		return refute("shape", "BEFORE is %s, AFTER is %s", x, y)
	}
	if x.Elem != y.Elem {
		return refute("type", "BEFORE is of %s, AFTER of %s", x.Elem, y.Elem)
	}
	if q.opts.Equal == Access && x.Split != y.Split {
		return refute("split", "BEFORE is %s, AFTER is %s", x, y)
	}
	for _, pt := range q.points {
		for i := range x.Dims {
			m, errM := x.Dims[i].Eval(pt)
			n, errN := y.Dims[i].Eval(pt)
			if errM == nil && errN == nil && m.Cmp(n) != 0 {
				q.r.Counterexample = &Counterexample{Point: pt, Path: path}
				at := ""
				if len(pt) > 0 {
					at = " at " + formatPoint(pt)
				}
				return refute("shape", "axis %d has %s elements in BEFORE and %s in AFTER%s", i, m, n, at)
			}
		}
	}
	return false
}

// sample is the sample engine; hints are elements to look at.
func (q *question) sample(ctx context.Context, hints []hint) bool {
	for _, pt := range q.points {
		for _, c := range q.after.Conds {
			if ok, err := c.Pred.Eval(pt); err != nil || !ok {
				q.r.Counterexample = &Counterexample{Point: pt}
				q.refute("sample", "undefined", fmt.Sprintf("AFTER is undefined at %s: %s", formatPoint(pt), c.Msg))
				q.r.Blame = []Blame{{Side: "after", Span: q.after.Program.Span(c.Node), Text: glenside.FormatNode(c.Node)}}
				return true
			}
		}
	}
	for i, pt := range q.points {
		modes := []mode{mixed, positive, wide, indices}
		limit := sampleElements
		if i >= samplePoints { // further points only where that is cheap
			modes, limit = modes[:2], smallOutput
			if q.outputSize(pt) > smallOutput {
				continue
			}
		}
		if len(q.points) == 1 && q.outputSize(pt) > sampleElements {
			modes = modes[:1] // large tensors: once; the shape of the inputs matters less than time
		}
		d, err := q.s.run(ctx, pt, modes, limit, hints)
		if err != nil {
			return q.stopped(err)
		}
		if d != nil {
			return q.report(d, "sample")
		}
	}
	return false
}

func (q *question) outputSize(pt glenside.Point) int64 {
	var total int64
	var walk func(t *glenside.Type)
	walk = func(t *glenside.Type) {
		for _, i := range t.Items {
			walk(i)
		}
		if t.Kind != glenside.TypeTuple {
			total += product(dimsAt(t.Dims, pt))
		}
	}
	walk(q.before.Root())
	return total
}

// stopped turns the end of a context into an unknown.
func (q *question) stopped(err error) bool {
	switch {
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
	small := q.s.first(q.s.shrink(d))
	if small.path != nil || small.index != nil {
		small = q.s.first(q.s.shrink(small))
	}
	c, ok := q.s.counterexample(small)
	if !ok {
		if c, ok = q.s.counterexample(d); !ok {
			q.unknown("incomplete", "a difference that was found does not replay")
			return true
		}
		small = d
	}
	q.r.Counterexample = c
	reason, detail := "values", ""
	if small.bad != nil {
		reason, detail = "undefined", "AFTER is "+small.bad.Error()
	}
	q.refute(engine, reason, detail)
	q.r.Blame = q.s.blame(small)
	return true
}

// normalForm is the normal form engine.
func (q *question) normalForm(ctx context.Context) {
	var preds []*glenside.Pred
	preds = append(preds, q.domain.preds...)
	all, ok := cases(preds)
	if !ok {
		q.unknown("incomplete", "the domain has too many cases")
		return
	}
	q.r.Engine = "normal-form"
	for _, cs := range all {
		if ctx.Err() != nil {
			q.stopped(ctx.Err())
			return
		}
		if !q.proveCase(ctx, cs) {
			return
		}
	}
	q.r.Verdict = Proved
}

// proveCase proves one case of the domain; where it fails it has set the verdict.
func (q *question) proveCase(ctx context.Context, cs []clause) bool {
	b := term.NewBuilder()
	sz := newSizes(b.Index, q.domain.names, q.domain.mins, cs)
	for _, c := range q.after.Conds {
		if !sz.proves(c.Pred, false) {
			q.unknown("incomplete", fmt.Sprintf("not known to hold: %s (%s)", c.Pred, c.Msg))
			return false
		}
	}
	opts := lower.Options{Exact: q.opts.Arith == Exact, Size: sz.name}
	x, err := lower.Lower(b, q.before, opts)
	if err != nil {
		q.stopped(err)
		return false
	}
	y, err := lower.Lower(b, q.after, opts)
	if err != nil {
		q.stopped(err)
		return false
	}
	q.r.Idealised = mergeNames(q.r.Idealised, x.Idealised, y.Idealised)
	e := normal.NewEngine(b.Index, normal.RealLaws, normalBudget)
	root := b.Index.Root()
	for i := range x.Components {
		p, o := x.Components[i].Array, y.Components[i].Array
		for k := range p.Dims {
			d := b.Index.Sub(p.Dims[k], o.Dims[k])
			if !b.Index.Nonneg(root, d) || !b.Index.Nonneg(root, b.Index.Scale(index.Int(-1), d)) {
				q.unknown("incomplete", fmt.Sprintf("axis %d: %s and %s are not known to be equal", k, p.Dims[k], o.Dims[k]))
				return false
			}
		}
		c := e.Compare(root, p.Dims, p, o)
		if !c.Equal {
			q.r.Stats.Terms = b.Terms()
			q.left(ctx, c, x, y)
			return false
		}
		have, need, err := e.Obligations(root, p.Dims, p, o)
		if err != nil {
			q.unknown("incomplete", err.Error())
			return false
		}
		left, err := e.Discharged(root, have, need)
		if err != nil || len(left) > 0 {
			q.unknown("incomplete", "AFTER may be undefined: "+strings.Join(left, "; "))
			return false
		}
		q.r.Where = mergeNames(q.r.Where, have.Texts())
	}
	q.r.Stats.Terms += b.Terms()
	return true
}

// left says why the normal form does not answer.
func (q *question) left(_ context.Context, c normal.Comparison, x, y *lower.Program) {
	switch {
	case c.Err != nil:
		q.unknown("incomplete", c.Err.Error())
	case len(x.Opaque)+len(y.Opaque) > 0 && len(q.s.opaque) > 0:
		q.unknown("unsupported", "rests on uninterpreted "+strings.Join(mergeNames(x.Opaque, y.Opaque), ", "))
	default:
		detail := "what is left of BEFORE - AFTER: " + strings.Join(c.Left, " ")
		if len(c.Where) > 0 {
			detail += " (where " + strings.Join(c.Where, ", ") + ")"
		}
		q.unknown("incomplete", detail)
	}
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
