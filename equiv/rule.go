package equiv

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"tv/internal/languages"

	language "tv/semantics/glenside"

	"tv/equiv/prove"
	"tv/equiv/sample"
	"tv/equiv/sizes"
	"tv/glenside"
	"tv/glenside/rule"
	"tv/internal/source"
	"tv/proofs"
	"tv/semantics"
	"tv/semantics/domain"
)

// A RuleResult answers whether a rule is right. The embedded Result is that of the rule; its counterexample, blame and
// programs are those of the case that tells.
type RuleResult struct {
	Result
	Name     string
	Elem     domain.Elem // of the variables that have no type of their own
	Cover    Cover       // which instances were looked at
	Cases    int         // programs compared
	Instance string      // the smallest instance that is admitted
	Choices  []string    // of the case that tells: what groups, axes and lists are
	Trivial  bool        // both sides are the same text
	Programs [2]string   // of the case that tells
	Mend     *Mend       // of a refuted rule, without Options.Unmended: a guard under which it is right, if one is found

	Mending time.Duration // what looking for that guard took, which Elapsed leaves out

	// WhereBoth is the second verdict of a rule that is refuted for the form of its right side alone: whether it is right
	// wherever both sides are well formed and have one type. Its certificate is of that statement. Nil with Options.FirstOnly.
	WhereBoth *RuleResult
}

// CheckRule decides a rule for tensors of the given element type. Errors: source.Errors, of a rule that cannot be
// stated (unsupported-rule) or that no instance is admitted by (vacuous).
func CheckRule(ctx context.Context, r *rule.Rule, elem domain.Elem, opts Options) (RuleResult, error) {
	out, err := checkRule(ctx, r, elem, opts)
	if err != nil || out.Verdict != Refuted {
		return out, err
	}
	if out.Form && !opts.FirstOnly {
		weaker := opts
		weaker.whereBoth = true
		second, err := checkRule(ctx, r.WhereBoth(), elem, weaker)
		out.WhereBoth = &second
		second.without(err)
	}
	if !opts.Unmended {
		opts.Unmended, opts.FirstOnly = true, true
		start := time.Now()
		opts.formed = out.WhereBoth != nil && out.WhereBoth.Verdict == Proved
		out.Mend = mend(ctx, r, elem, ruleOptions(r, opts))
		out.Mending = time.Since(start)
	}
	return out, nil
}

// SecondVerdict says whether a rule is right wherever both sides are well formed: a rule that is proved is, and one that is
// refuted by values is not.
func (r *RuleResult) SecondVerdict() Verdict {
	if r.WhereBoth != nil {
		return r.WhereBoth.Verdict
	}
	if r.Verdict == Refuted && r.Form { // nobody asked
		return Unknown
	}
	return r.Verdict
}

// without turns the error with which a second verdict ends into an unknown: the rule itself could be asked about.
func (r *RuleResult) without(err error) {
	if err == nil {
		return
	}
	e := source.AsErrors(err)[0]
	r.Verdict, r.Reason, r.Detail = Unknown, "unsupported", e.Msg
	if e.Code == "vacuous" {
		r.Reason, r.Detail = "vacuous", "no instance was found in which both sides are well formed and have one type"
	}
}

func checkRule(ctx context.Context, r *rule.Rule, elem domain.Elem, opts Options) (RuleResult, error) {
	start := time.Now()
	if opts.Timeout == 0 {
		opts.Timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, opts.Timeout)
	defer cancel()
	opts = ruleOptions(r, opts)
	out := RuleResult{Name: r.Name, Elem: elem}
	out.Before, out.After = r.Name+": left", "right"
	out.Arith, out.Types, out.Equal = opts.Arith, RuleTypes(r, elem, opts.Arith), opts.Equal
	out.SHA256 = RuleStatement(r, elem, opts)
	out.Trivial = r.LHS.Span.Text() == r.RHS.Span.Text()
	cases, reason := r.Cases(elem)
	j := &judge{ctx: ctx, opts: opts, out: &out, span: r.Span, refuted: -1}
	if out.Cover = (Cover{All: reason == "", Ranks: -1}); out.Cover.All {
		err := j.all(cases)
		if err == nil {
			j.look(r, elem)
		}
		j.certificate(r, elem)
		out.Elapsed = time.Since(start)
		return out, err
	}
	out.Cover.Reason, out.Cover.Ranks = reason, -1
	if opts.proofOnly { // a guard has to do at all ranks
		out.Reason, out.Detail = "unsupported", reason
		return out, nil
	}
	short := "" // why the ranks end before MaxRank
	for rank := 0; rank <= r.MaxRank() && j.refuted < 0 && !j.over; rank++ {
		cases, why := r.RankedCases(rank, elem)
		if why != "" {
			short = why
			break
		}
		out.Cover.Ranks = rank
		j.some(cases)
		if j.err != nil {
			return out, j.err
		}
	}
	if out.Cover.Ranks < 0 || short != "" && !j.admitted {
		return out, source.Errors{source.Errorf(r.Span, "unsupported-rule",
			"rule %s cannot be stated for any number of dims, nor for numbers of dims: %s; %s", r.Name, reason, short)}
	}
	err := j.finish()
	if err == nil {
		if short != "" && out.Verdict == Proved {
			out.Verdict, out.Reason = Unknown, "unsupported"
			out.Detail = fmt.Sprintf("proved at ranks up to %d only: %s", out.Cover.Ranks, short)
		}
		j.look(r, elem)
	}
	j.certificate(r, elem)
	out.Elapsed = time.Since(start)
	return out, err
}

// look draws instances of a rule that is not refuted, the more where its cases leave it open.
func (j *judge) look(r *rule.Rule, elem domain.Elem) {
	if j.out.Verdict == Proved {
		j.instances(r, elem, drawsProved, worthProved)
	} else if j.out.Verdict == Unknown && !j.opts.proofOnly {
		j.instances(r, elem, drawsOpen, worthOpen)
	}
}

// certificate makes the certificate of a rule that is proved, and has the checker accept it: that the cases are all.
func (j *judge) certificate(r *rule.Rule, elem domain.Elem) {
	o := j.out
	if o.Verdict != Proved || j.opts.Uncertified {
		return
	}
	s := proofs.RuleStatement{WhereBoth: j.opts.whereBoth, Text: r.Span.Text(), Elem: elem, Arith: j.opts.Arith, Ranks: o.Cover.Ranks}
	data := proofs.FormatRule(s, j.pairs)
	if _, _, err := languages.Checker.CheckRuleRest("certificate", data); err != nil {
		o.Verdict, o.Reason, o.Where, o.Trusts = Unknown, "incomplete", nil, nil
		o.Detail = "proved, but the certificate was not accepted: " + source.AsErrors(err)[0].Msg
		return
	}
	o.Certificate = data
}

// RuleArith is the arithmetic of a rule: what it says, or that of the options.
func RuleArith(r *rule.Rule, opts Options) Arith {
	if arith, ok := domain.ParseArith(r.Arith); ok {
		return arith
	}
	return opts.Arith
}

// ruleOptions are the options with what the rule says itself.
func ruleOptions(r *rule.Rule, opts Options) Options {
	opts.rule = true
	opts.Equal = Access
	if r.Equal == "tensor" {
		opts.Equal = Tensor
	}
	opts.Arith = RuleArith(r, opts)
	return opts
}

// caseWork bounds the work on further inputs for a case of a rule: a rule has many cases, most of them small.
const caseWork = 3_000

// casePoints are the points of its domain at which a case is looked at.
const casePoints = 8

// extraWork returns the work that inputs beyond the first may cost.
func (o Options) extraWork() int {
	if o.rule {
		return caseWork
	}
	return sample.Work
}

// searchSteps returns how many points may be looked at for members of a domain.
func (o Options) searchSteps() int {
	if o.proofOnly {
		return sizes.FewSteps
	}
	return sizes.SearchSteps
}

// RuleStatement returns the SHA-256, in hexadecimal digits, of what is asked of a rule.
func RuleStatement(r *rule.Rule, elem domain.Elem, opts Options) string {
	opts = ruleOptions(r, opts)
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "tv rule 1%s\n%s\n%s\n%s\n%s\n", opts.weaker(), opts.Arith,
		opts.Equal, elem, r.Span.Text())))
}

// weaker is what the hash of a weaker statement has more.
func (o Options) weaker() string {
	if o.whereBoth {
		return " where both sides are well formed"
	}
	return ""
}

// CheckCases decides a claim that is given as cases: it is right if all of them are. span is where it stands. The
// certificate is one of the pairs that the cases are, without those that no instance belongs to: nothing in it says
// that the cases are all.
func CheckCases(ctx context.Context, name string, span source.Span, cases []*rule.Case, opts Options) (RuleResult, error) {
	start := time.Now()
	if opts.Timeout == 0 {
		opts.Timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, opts.Timeout)
	defer cancel()
	opts.rule = true
	out := RuleResult{Name: name, Elem: domain.Float32, Cover: Cover{All: true}}
	out.Before, out.After = name+": left", "right"
	out.Arith, out.Equal = opts.Arith, opts.Equal
	out.SHA256 = CasesStatement(cases, opts)
	j := &judge{ctx: ctx, opts: opts, out: &out, span: span, refuted: -1}
	err := j.all(cases)
	if out.Verdict == Proved && !opts.Uncertified {
		out.Certificate = proofs.Format(j.pairs)
	}
	out.Elapsed = time.Since(start)
	return out, err
}

// CheckWhereBoth adds the second verdict to that of a claim: the cases are those in which both sides are well formed and
// have one type, where they are.
func CheckWhereBoth(ctx context.Context, first *RuleResult, span source.Span, cases []*rule.Case, opts Options) {
	opts.whereBoth = true
	second, err := CheckCases(ctx, first.Name, span, cases, opts)
	first.WhereBoth = &second
	second.without(err)
}

// A Cover says which instances of a rule were looked at.
type Cover struct {
	All    bool   // all of them
	Ranks  int    // otherwise those in which each variable has at most so many dims from groups
	Reason string // why not all
}

// CasesStatement returns the SHA-256, in hexadecimal digits, of what is asked of cases.
func CasesStatement(cases []*rule.Case, opts Options) string {
	h := sha256.New()
	fmt.Fprintf(h, "tv cases 1%s\n%s\n%s\n", opts.weaker(), opts.Arith, opts.Equal)
	for _, c := range cases {
		fmt.Fprintf(h, "%s\n%s\n%s\n", c.Before, c.After, c.Broken)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// A judge goes through the cases of a rule.
type judge struct {
	ctx      context.Context
	opts     Options
	out      *RuleResult
	span     source.Span // of the rule
	smallest int64       // size of the smallest instance admitted, counted in dims and their sum

	admitted bool  // there is an instance
	open     bool  // some case is unknown
	over     bool  // there is no time or memory left
	refuted  int64 // size of the smallest instance that tells the sides apart; negative: none
	err      error

	pairs []proofs.Pair // what the checker accepted
}

// all asks about each case. A refutation of one is one of the rule, the smallest that is found; the rule is proved if
// all are.
func (j *judge) all(cases []*rule.Case) error {
	if j.some(cases); j.err != nil {
		return j.err
	}
	return j.finish()
}

// some asks about some cases.
func (j *judge) some(cases []*rule.Case) {
	j.out.Cases += len(cases)
	for _, c := range cases {
		if j.over || j.err != nil || j.opts.proofOnly && (j.open || j.refuted >= 0) {
			return
		}
		var res *Result
		var size int64
		if res, size, j.err = j.one(c); res == nil {
			continue // no instance
		}
		j.keep(res)
		j.admitted = true
		j.out.Stats.add(res.Stats)
		j.out.Idealised = prove.MergeNames(j.out.Idealised, res.Idealised)
		j.out.Trusts = prove.MergeNames(j.out.Trusts, res.Trusts)
		if j.out.Where == nil { // that of the first case: the others say the same of other numbers of dims
			j.out.Where = res.Where
		}
		switch res.Verdict {
		case Refuted:
			if j.refuted < 0 || size < j.refuted {
				j.refuted = size
				j.take(c, res)
			}
		case Unknown:
			if !j.open && j.refuted < 0 {
				j.take(c, res)
			}
			j.open = true
			j.over = res.Reason == "timeout" || res.Reason == "memory"
		default:
			if (res.Engine != "normal-form" || j.out.Engine == "") && j.refuted < 0 && !j.open {
				j.out.Engine = res.Engine
			}
		}
	}
}

// finish sums up.
func (j *judge) finish() error {
	o := j.out
	scope := "all ranks and sizes"
	if !o.Cover.All {
		scope = fmt.Sprintf("all sizes at ranks up to %d", o.Cover.Ranks)
	}
	o.Domain = []string{scope}
	if !j.admitted {
		return source.Errors{source.Errorf(j.span, "vacuous", "no instance of rule %s was found whose guard is "+
			"true and whose left side is well formed", o.Name)}
	}
	if j.refuted < 0 && !j.open {
		o.Verdict = Proved
		if !o.Cover.All {
			o.Detail = "not for any number of dims: " + o.Cover.Reason
		}
	}
	return nil
}

// keep adds the pair that a case's certificate is of.
func (j *judge) keep(res *Result) {
	if res.Certificate == nil {
		return
	}
	pairs, err := proofs.Parse("certificate", res.Certificate)
	if err != nil {
		panic(fmt.Sprintf("equiv: a certificate that was accepted is not one: %v", err))
	}
	j.pairs = append(j.pairs, pairs...)
}

// take makes the result of a case that of the rule.
func (j *judge) take(c *rule.Case, res *Result) {
	o := j.out
	o.Verdict, o.Reason, o.Detail, o.Engine, o.Form = res.Verdict, res.Reason, res.Detail, res.Engine, res.Form
	o.Counterexample, o.Blame, o.Regions = res.Counterexample, res.Blame, res.Regions
	o.Choices, o.Programs = c.Choices, [2]string{c.Before, c.After}
}

// one asks about a case. The result is nil where no instance is admitted, or where the case has no instance smaller
// than the one that is known to tell, if that is not negative. size is that of the smallest instance that tells.
func (j *judge) one(c *rule.Case) (res *Result, size int64, err error) {
	defer func() {
		if err != nil { // of a program that is not the user's
			e := source.AsErrors(err)[0]
			err = source.Errors{source.Errorf(j.span, e.Code, "%s", e.Msg)}
		}
	}()
	before, err := glenside.Parse(source.NewFile("left", c.Before))
	if err != nil {
		return nil, 0, err
	}
	dom, ty, err := caseDomain(before)
	switch {
	case glenside.Unsupported(err):
		return unsupported("left", err), 0, nil
	case err != nil:
		return nil, 0, nil // the left side is nowhere well formed
	}
	if j.opts.whereBoth {
		if res, none := j.both(dom, before, ty, c); res != nil || none {
			return res, 0, nil
		}
	}
	dom.Steps = j.opts.searchSteps()
	if j.refuted >= 0 && instanceSize(ty, nil) > j.refuted || dom.Contradictory() {
		return nil, 0, nil
	}
	points := dom.Points(1)
	if len(points) > 0 {
		j.note(c, ty, points[0])
	}
	if c.Broken != "" {
		return j.broken(points, ty, c.Broken)
	}
	after, err := glenside.Parse(source.NewFile("right", c.After))
	if err != nil {
		return nil, 0, err
	}
	if env, err := Environment(language.Sources(before, after), nil); err == nil {
		if _, err := glenside.Check(after, env); glenside.Unsupported(err) {
			return unsupported("right", err), 0, nil
		} else if err != nil {
			return j.broken(points, ty, source.AsErrors(err)[0].Msg)
		}
	}
	got, err := Check(j.ctx, Question{Before: language.Of(before), After: language.Of(after)}, j.opts)
	if err != nil {
		return nil, 0, err
	}
	if got.Verdict == Refuted && got.Counterexample == nil && len(points) > 0 { // they differ in rank, say: anywhere
		got.Counterexample = &sample.Counterexample{Point: points[0]}
	}
	if got.Verdict == Refuted && got.Counterexample != nil {
		size = instanceSize(ty, got.Counterexample.Point)
	}
	if len(points) == 0 && got.Verdict == Proved {
		j.keep(&got)
		j.out.Trusts = prove.MergeNames(j.out.Trusts, got.Trusts)
		return nil, 0, nil // right wherever it says something, and no place is known
	}
	return &got, size, nil
}

// both leaves the points of a domain at which the right side of a case is well formed as well, with the dims of the left
// side. none tells that there are none: the right side has no type, or another one, whatever the sizes are.
func (j *judge) both(dom *sizes.Domain, before *glenside.Program, left *glenside.Typing, c *rule.Case) (res *Result, none bool) {
	if c.Broken != "" {
		return nil, true
	}
	after, err := glenside.Parse(source.NewFile("right", c.After))
	if err != nil {
		return unsupported("right", err), false
	}
	env, err := Environment(language.Sources(before, after), nil)
	if err != nil {
		return unsupported("right", err), false
	}
	right, err := glenside.Check(after, env)
	switch {
	case glenside.Unsupported(err):
		return unsupported("right", err), false
	case err != nil:
		return nil, true
	}
	x, y := language.Typed(left), language.Typed(right)
	if !sameKind(x.Result(), y.Result(), j.opts.Equal) {
		return nil, true
	}
	dom.OfBoth(x, y)
	return nil, false
}

// sameKind tells whether types are the same but for the sizes of dims.
func sameKind(x, y *semantics.Type, equal Equality) bool {
	return x.Tuple == y.Tuple && len(x.Dims) == len(y.Dims) && (equal != Access || x.Split == y.Split) &&
		(x.Tuple || x.Elem == y.Elem) &&
		slices.EqualFunc(x.Items, y.Items, func(x, y *semantics.Type) bool { return sameKind(x, y, equal) })
}

// unsupported is the result where a side is beyond what programs may be: at some points it may still have a meaning.
func unsupported(side string, err error) *Result {
	return &Result{Verdict: Unknown, Reason: "unsupported", Engine: "type",
		Detail: fmt.Sprintf("the %s side: %s", side, source.AsErrors(err)[0].Msg)}
}

// broken is the result where the right side has no meaning.
func (j *judge) broken(points []domain.Point, ty *glenside.Typing, msg string) (*Result, int64, error) {
	if len(points) == 0 {
		return &Result{Verdict: Unknown, Reason: "incomplete", Engine: "type",
			Detail: "the right side is undefined (" + msg + "), but no instance was found"}, 0, nil
	}
	pt := points[0]
	return &Result{Verdict: Refuted, Reason: "undefined", Engine: "type",
		Detail: fmt.Sprintf("right side undefined for %s: %s", instanceText(ty, pt), msg), Form: true,
		Counterexample: &sample.Counterexample{Point: pt},
	}, instanceSize(ty, pt), nil
}

// note keeps the smallest instance admitted.
func (j *judge) note(c *rule.Case, ty *glenside.Typing, pt domain.Point) {
	if size := instanceSize(ty, pt); j.out.Instance == "" || size < j.smallest {
		j.smallest, j.out.Instance = size, instanceText(ty, pt)
		if len(c.Choices) > 0 {
			j.out.Instance += " with " + strings.Join(c.Choices, ", ")
		}
	}
}

// instanceSize orders instances: by the number of dims of the inputs, then by the sum of the sizes.
func instanceSize(ty *glenside.Typing, pt domain.Point) int64 {
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
func instanceText(ty *glenside.Typing, pt domain.Point) string {
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
func caseDomain(before *glenside.Program) (*sizes.Domain, *glenside.Typing, error) {
	env, err := Environment(language.Sources(before), nil)
	if err != nil {
		return nil, nil, err
	}
	ty, err := glenside.Check(before, env)
	if err != nil {
		return nil, nil, err
	}
	return sizes.NewDomain(language.Typed(ty), env), ty, nil
}

func (s *Stats) add(o Stats) {
	s.Nodes += o.Nodes
	s.Terms += o.Terms
	s.Queries += o.Queries
	s.Contexts += o.Contexts
	s.Samples += o.Samples
}
