package equiv

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sort"
	"strings"
	"time"

	"tv/glenside"
	"tv/glenside/rule"
	"tv/internal/source"
)

// A RuleResult answers whether a rule is right. The embedded Result is that of the rule; its counterexample, blame and
// programs are those of the case that tells.
type RuleResult struct {
	Result
	Name     string
	Elem     glenside.ElemType // of the variables that have no type of their own
	Cover    rule.Cover        // which instances were looked at
	Cases    int               // programs compared
	Instance string            // the smallest instance that is admitted
	Choices  []string          // of the case that tells: what groups, axes and lists are
	Trivial  bool              // both sides are the same text
	Programs [2]string         // of the case that tells
}

// CheckRule decides a rule for tensors of the given element type. Errors: source.Errors, of a rule that cannot be
// stated (unsupported-rule) or that no instance is admitted by (vacuous).
func CheckRule(ctx context.Context, r *rule.Rule, elem glenside.ElemType, opts Options) (RuleResult, error) {
	start := time.Now()
	if opts.Timeout == 0 {
		opts.Timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, opts.Timeout)
	defer cancel()
	opts = ruleOptions(r, opts)
	out := RuleResult{Name: r.Name, Elem: elem}
	out.Before, out.After = r.Name+": left", "right"
	out.Arith, out.Equal = opts.Arith, opts.Equal
	out.SHA256 = RuleStatement(r, elem, opts)
	out.Trivial = r.LHS.Span.Text() == r.RHS.Span.Text()
	cases, cover, err := r.Cases(elem)
	if err != nil {
		return out, err
	}
	out.Cover = cover
	err = out.decide(ctx, r.Span, cases, opts)
	out.Elapsed = time.Since(start)
	return out, err
}

// ruleOptions are the options with what the rule says itself.
func ruleOptions(r *rule.Rule, opts Options) Options {
	opts.rule = true
	opts.Equal = Access
	if r.Equal == "tensor" {
		opts.Equal = Tensor
	}
	switch r.Arith {
	case "real":
		opts.Arith = Real
	case "exact":
		opts.Arith = Exact
	}
	return opts
}

// caseWork bounds the work on further inputs for a case of a rule: a rule has many cases, most of them small.
const caseWork = 8_000

// extraWork returns the work that inputs beyond the first may cost.
func (o Options) extraWork() int {
	if o.rule {
		return caseWork
	}
	return extraWork
}

// RuleStatement returns the SHA-256, in hexadecimal digits, of what is asked of a rule.
func RuleStatement(r *rule.Rule, elem glenside.ElemType, opts Options) string {
	opts = ruleOptions(r, opts)
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "tv rule 1\n%s\n%s\n%s\n%s\n", opts.Arith, opts.Equal, elem,
		r.Span.Text())))
}

// CheckCases decides a claim that is given as cases: it is right if all of them are. span is where it stands.
func CheckCases(ctx context.Context, name string, span source.Span, cases []*rule.Case, opts Options) (RuleResult, error) {
	start := time.Now()
	if opts.Timeout == 0 {
		opts.Timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, opts.Timeout)
	defer cancel()
	opts.rule = true
	out := RuleResult{Name: name, Elem: glenside.Float32, Cover: rule.Cover{All: true}}
	out.Before, out.After = name+": left", "right"
	out.Arith, out.Equal = opts.Arith, opts.Equal
	out.SHA256 = CasesStatement(cases, opts)
	err := out.decide(ctx, span, cases, opts)
	out.Elapsed = time.Since(start)
	return out, err
}

// CasesStatement returns the SHA-256, in hexadecimal digits, of what is asked of cases.
func CasesStatement(cases []*rule.Case, opts Options) string {
	h := sha256.New()
	fmt.Fprintf(h, "tv cases 1\n%s\n%s\n", opts.Arith, opts.Equal)
	for _, c := range cases {
		fmt.Fprintf(h, "%s\n%s\n%s\n", c.Before, c.After, c.Broken)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// decide goes through the cases.
func (o *RuleResult) decide(ctx context.Context, span source.Span, cases []*rule.Case, opts Options) error {
	o.Cases = len(cases)
	scope := "all ranks and sizes"
	if !o.Cover.All {
		scope = fmt.Sprintf("all sizes at ranks up to %d", o.Cover.Ranks)
	}
	o.Domain = []string{scope}
	j := &judge{ctx: ctx, opts: opts, out: o, span: span}
	if err := j.all(cases); err != nil {
		return err
	}
	if !o.Cover.All && o.Verdict == Proved {
		o.Detail = "not for any number of dims: " + o.Cover.Reason
	}
	return nil
}

// A judge goes through the cases of a rule.
type judge struct {
	ctx      context.Context
	opts     Options
	out      *RuleResult
	span     source.Span // of the rule
	smallest int64       // size of the smallest instance admitted, counted in dims and their sum
}

// all asks about each case. A refutation of one is one of the rule, the smallest that is found; the rule is proved if
// all are.
func (j *judge) all(cases []*rule.Case) error {
	admitted, open := false, (*Result)(nil)
	refuted := int64(-1)
	for _, c := range cases {
		res, size, err := j.one(c, refuted)
		if err != nil {
			return err
		}
		if res == nil {
			continue // no instance
		}
		admitted = true
		j.out.Stats.add(res.Stats)
		j.out.Idealised = mergeNames(j.out.Idealised, res.Idealised)
		j.out.Trusts = mergeNames(j.out.Trusts, res.Trusts)
		if j.out.Where == nil { // that of the first case: the others say the same of other numbers of dims
			j.out.Where = res.Where
		}
		switch res.Verdict {
		case Refuted:
			if refuted < 0 || size < refuted {
				refuted = size
				j.take(c, res)
			}
		case Unknown:
			if open == nil {
				open = res
				if refuted < 0 {
					j.take(c, res)
				}
			}
			if res.Reason == "timeout" || res.Reason == "memory" {
				return nil
			}
		default:
			if res.Engine != "normal-form" || j.out.Engine == "" {
				if refuted < 0 && open == nil {
					j.out.Engine = res.Engine
				}
			}
		}
	}
	if !admitted {
		return source.Errors{source.Errorf(j.span, "vacuous", "no instance of rule %s was found whose guard is "+
			"true and whose left side is well formed", j.out.Name)}
	}
	if refuted < 0 && open == nil {
		j.out.Verdict = Proved
	}
	return nil
}

// take makes the result of a case that of the rule.
func (j *judge) take(c *rule.Case, res *Result) {
	o := j.out
	o.Verdict, o.Reason, o.Detail, o.Engine = res.Verdict, res.Reason, res.Detail, res.Engine
	o.Counterexample, o.Blame, o.Regions = res.Counterexample, res.Blame, res.Regions
	o.Choices, o.Programs = c.Choices, [2]string{c.Before, c.After}
}

// one asks about a case. The result is nil where no instance is admitted, or where the case has no instance smaller
// than the one that is known to tell, if that is not negative. size is that of the smallest instance that tells.
func (j *judge) one(c *rule.Case, known int64) (res *Result, size int64, err error) {
	before, err := glenside.Parse(source.NewFile(j.out.Name+"-left.sexp", c.Before))
	if err != nil {
		return nil, 0, err
	}
	dom, ty, err := caseDomain(before)
	if err != nil {
		return nil, 0, nil // the left side is nowhere well formed
	}
	if known >= 0 && instanceSize(ty, nil) > known || dom.contradictory() {
		return nil, 0, nil
	}
	points := dom.points(1)
	if len(points) > 0 {
		j.note(c, ty, points[0])
	}
	if c.Broken != "" {
		return j.broken(points, ty, c.Broken)
	}
	after, err := glenside.Parse(source.NewFile(j.out.Name+"-right.sexp", c.After))
	if err != nil {
		return nil, 0, err
	}
	if env, err := Environment([]*glenside.Program{before, after}, nil); err == nil {
		if _, err := glenside.Check(after, env); err != nil {
			return j.broken(points, ty, source.AsErrors(err)[0].Msg)
		}
	}
	got, err := Check(j.ctx, before, after, j.opts)
	if err != nil {
		return nil, 0, err
	}
	if got.Verdict == Refuted && got.Counterexample != nil {
		size = instanceSize(ty, got.Counterexample.Point)
	}
	if len(points) == 0 && got.Verdict == Proved {
		return nil, 0, nil // right wherever it says something, and no place is known
	}
	return &got, size, nil
}

// broken is the result where the right side has no meaning.
func (j *judge) broken(points []glenside.Point, ty *glenside.Typing, msg string) (*Result, int64, error) {
	if len(points) == 0 {
		return &Result{Verdict: Unknown, Reason: "incomplete", Engine: "type",
			Detail: "the right side is undefined (" + msg + "), but no instance was found"}, 0, nil
	}
	pt := points[0]
	return &Result{Verdict: Refuted, Reason: "undefined", Engine: "type",
		Detail:         fmt.Sprintf("right side undefined for %s: %s", instanceText(ty, pt), msg),
		Counterexample: &Counterexample{Point: pt},
	}, instanceSize(ty, pt), nil
}

// note keeps the smallest instance admitted.
func (j *judge) note(c *rule.Case, ty *glenside.Typing, pt glenside.Point) {
	if size := instanceSize(ty, pt); j.out.Instance == "" || size < j.smallest {
		j.smallest, j.out.Instance = size, instanceText(ty, pt)
		if len(c.Choices) > 0 {
			j.out.Instance += " with " + strings.Join(c.Choices, ", ")
		}
	}
}

// instanceSize orders instances: by the number of dims of the inputs, then by the sum of the sizes.
func instanceSize(ty *glenside.Typing, pt glenside.Point) int64 {
	var total, rank int64
	for _, t := range ty.Tensors {
		rank += int64(len(t.Dims))
	}
	for _, v := range pt {
		total += v
	}
	return rank<<32 + min(total, 1<<32-1)
}

// instanceText prints the shapes of the inputs and what else there is: "a (2 3), lo = 1".
func instanceText(ty *glenside.Typing, pt glenside.Point) string {
	var parts []string
	shown := map[string]bool{}
	for _, t := range ty.Tensors {
		var dims []string
		for _, d := range t.Dims {
			n, err := d.Eval(pt)
			if err != nil {
				dims = append(dims, "?")
				continue
			}
			dims = append(dims, n.String())
			if name := d.Name(); name != "" {
				shown[name] = true
			}
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", t.Name, strings.Join(dims, " ")))
	}
	var names []string
	for n := range pt {
		if !shown[n] {
			names = append(names, n)
		}
	}
	sort.Strings(names)
	for _, n := range names {
		parts = append(parts, fmt.Sprintf("%s = %d", n, pt[n]))
	}
	return strings.Join(parts, ", ")
}

// caseDomain types the left side of a case and derives its domain.
func caseDomain(before *glenside.Program) (*domain, *glenside.Typing, error) {
	env, err := Environment([]*glenside.Program{before}, nil)
	if err != nil {
		return nil, nil, err
	}
	ty, err := glenside.Check(before, env)
	if err != nil {
		return nil, nil, err
	}
	return newDomain(before, ty, env), ty, nil
}

func (s *Stats) add(o Stats) {
	s.Nodes += o.Nodes
	s.Terms += o.Terms
	s.Queries += o.Queries
	s.Contexts += o.Contexts
	s.Samples += o.Samples
}
