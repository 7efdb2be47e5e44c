// Package rules decides rewrite rules: by their cases, which are pairs of programs that package equiv is asked about, and by
// instances in the evaluator.
//
//	Result  the verdict, the case that was wrong, and whether the rule is right wherever both sides are well formed
//	Mend    a guard under which a wrong rule is right: mend.go
//	Cover   which instances were looked at
//
// Start with [Check]; [CheckCases] decides a claim that is given as cases. rule.go goes through cases, instances.go draws
// instances.
package rules

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"tv/equiv"
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

// A Result answers whether a rule is right. The embedded Result is that of the rule; its counterexample, blame and
// programs are those of the case that tells.
type Result struct {
	equiv.Result
	Name     string
	Elem     domain.Elem     // of the variables that have no type of their own
	Cover    Cover           // which instances were looked at
	Cases    int             // programs compared
	Instance string          // the smallest instance that is admitted
	Choices  []string        // of the case that tells: what groups, axes and lists are
	Trivial  bool            // both sides are the same text
	Programs [2]string       // of the case that tells
	Sides    [2]*source.File // of a rule of RISE: its sides, as programs that can be run again
	Mend     *Mend           // of a refuted rule, without Options.Unmended: a guard under which it is right, if one is found

	Mending time.Duration // what looking for that guard took, which Elapsed leaves out

	// WhereBoth is the second verdict of a rule that is refuted for the form of its right side alone: whether it is right
	// wherever both sides are well formed and have one type. Its certificate is of that statement. Nil with Options.FirstOnly.
	WhereBoth *Result

	// Converse is the answer for the converse of a rule that is proved, wherever both sides are well formed and have one type,
	// where it was asked for ([CheckConverse]).
	Converse *Result
}

// CheckRule decides a rule for tensors of the given element type. Errors: source.Errors, of a rule that cannot be
// stated (unsupported-rule) or that no instance is admitted by (vacuous).
func Check(ctx context.Context, r *rule.Rule, elem domain.Elem, opts equiv.Options) (Result, error) {
	asked := ruleOptions(r, opts)
	out, err := checkRule(ctx, r, elem, asked)
	if err != nil || out.Verdict != equiv.Refuted {
		return out, err
	}
	if out.Form && !opts.FirstOnly {
		weaker := asked
		weaker.WhereBoth = true
		second, err := checkRule(ctx, r.WhereBoth(), elem, weaker)
		out.WhereBoth = &second
		second.without(err)
	}
	if !opts.Unmended {
		asked.Unmended, asked.FirstOnly = true, true
		start := time.Now()
		asked.formed = out.WhereBoth != nil && out.WhereBoth.Verdict == equiv.Proved
		out.Mend = mend(ctx, r, elem, asked)
		out.Mending = time.Since(start)
	}
	return out, nil
}

// SecondVerdict says whether a rule is right wherever both sides are well formed: a rule that is proved is, and one that is
// refuted by values is not.
func (r *Result) SecondVerdict() equiv.Verdict {
	if r.WhereBoth != nil {
		return r.WhereBoth.Verdict
	}
	if r.Verdict == equiv.Refuted && r.Form { // nobody asked
		return equiv.Unknown
	}
	return r.Verdict
}

// without turns the error with which a second verdict ends into an unknown: the rule itself could be asked about.
func (r *Result) without(err error) {
	if err == nil {
		return
	}
	e := source.AsErrors(err)[0]
	r.Verdict, r.Reason, r.Detail = equiv.Unknown, "unsupported", e.Msg
	if e.Code == "vacuous" {
		r.Reason, r.Detail = "vacuous", "no instance was found in which both sides are well formed and have one type"
	}
}

func checkRule(ctx context.Context, r *rule.Rule, elem domain.Elem, opts options) (Result, error) {
	start := time.Now()
	if opts.Timeout == 0 {
		opts.Timeout = equiv.DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, opts.Timeout)
	defer cancel()
	out := Result{Name: r.Name, Elem: elem}
	out.Before, out.After = r.Name+": left", "right"
	out.Arith, out.Types, out.Equal = opts.Arith, Types(r, elem, opts.Arith), opts.Equal
	out.SHA256 = ruleStatement(r, elem, opts)
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
	if opts.ProofOnly { // a guard has to do at all ranks
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
		if short != "" && out.Verdict == equiv.Proved {
			out.Verdict, out.Reason = equiv.Unknown, "unsupported"
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
	if j.out.Verdict == equiv.Proved {
		j.instances(r, elem, drawsProved, worthProved)
	} else if j.out.Verdict == equiv.Unknown && !j.opts.ProofOnly {
		j.instances(r, elem, drawsOpen, worthOpen)
	}
}

// certificate makes the certificate of a rule that is proved, and has the checker accept it: that the cases are all.
func (j *judge) certificate(r *rule.Rule, elem domain.Elem) {
	o := j.out
	if o.Verdict != equiv.Proved || j.opts.Uncertified {
		return
	}
	s := proofs.RuleStatement{WhereBoth: j.opts.WhereBoth, Text: r.Span.Text(), Elem: elem, Arith: j.opts.Arith, Ranks: o.Cover.Ranks}
	data := proofs.FormatRule(s, j.pairs)
	if _, _, err := languages.Checker.CheckRuleRest("certificate", data); err != nil {
		o.Verdict, o.Reason, o.Where, o.Trusts = equiv.Unknown, "incomplete", nil, nil
		o.Detail = "proved, but the certificate was not accepted: " + source.AsErrors(err)[0].Msg
		return
	}
	o.Certificate = data
}

// RuleArith is the arithmetic of a rule: what it says, or that of the options.
func Arith(r *rule.Rule, opts equiv.Options) domain.Arith {
	if arith, ok := domain.ParseArith(r.Arith); ok {
		return arith
	}
	return opts.Arith
}

// options are how a rule is asked about.
type options struct {
	equiv.Options
	equiv.Case
	formed bool // of instances that are known to be right wherever both sides are well formed and have one type
}

// ruleOptions are the options with what the rule says itself.
func ruleOptions(r *rule.Rule, opts equiv.Options) options {
	opts.Equal = equiv.Access
	if r.Equal == "tensor" {
		opts.Equal = equiv.Tensor
	}
	opts.Arith = Arith(r, opts)
	return options{Options: opts}
}

// RuleStatement returns the SHA-256, in hexadecimal digits, of what is asked of a rule.
func Statement(r *rule.Rule, elem domain.Elem, opts equiv.Options) string {
	return ruleStatement(r, elem, ruleOptions(r, opts))
}

func ruleStatement(r *rule.Rule, elem domain.Elem, opts options) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "tv rule 1%s\n%s\n%s\n%s\n%s\n", opts.weaker(), opts.Arith,
		opts.Equal, elem, r.Span.Text())))
}

// weaker is what the hash of a weaker statement has more.
func (o options) weaker() string {
	if o.WhereBoth {
		return " where both sides are well formed"
	}
	return ""
}

// CheckCases decides a claim that is given as cases: it is right if all of them are. span is where it stands. The
// certificate is one of the pairs that the cases are, without those that no instance belongs to: nothing in it says
// that the cases are all.
func CheckCases(ctx context.Context, name string, span source.Span, cases []*rule.Case, opts equiv.Options) (Result, error) {
	return checkCases(ctx, name, span, cases, options{Options: opts})
}

func checkCases(ctx context.Context, name string, span source.Span, cases []*rule.Case, opts options) (Result, error) {
	start := time.Now()
	if opts.Timeout == 0 {
		opts.Timeout = equiv.DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, opts.Timeout)
	defer cancel()
	out := Result{Name: name, Elem: domain.Float32, Cover: Cover{All: true}}
	out.Before, out.After = name+": left", "right"
	out.Arith, out.Equal = opts.Arith, opts.Equal
	out.SHA256 = casesStatement(cases, opts)
	j := &judge{ctx: ctx, opts: opts, out: &out, span: span, refuted: -1}
	err := j.all(cases)
	if out.Verdict == equiv.Proved && !opts.Uncertified {
		out.Certificate = proofs.Format(j.pairs)
	}
	out.Elapsed = time.Since(start)
	return out, err
}

// CheckWhereBoth adds the second verdict to that of a claim: the cases are those in which both sides are well formed and
// have one type, where they are.
func CheckWhereBoth(ctx context.Context, first *Result, span source.Span, cases []*rule.Case, opts equiv.Options) {
	second, err := checkCases(ctx, first.Name, span, cases, options{Options: opts, Case: equiv.Case{WhereBoth: true}})
	first.WhereBoth = &second
	second.without(err)
}

// A Cover says which instances of a rule were looked at.
type Cover struct {
	All    bool   // all of them
	Ranks  int    // otherwise those in which each variable has at most so many dims from groups
	Reason string // why not all
	Widths int64  // of a rule over bit-vectors: those in which no name stands for more; 0: all
}

// CasesStatement returns the SHA-256, in hexadecimal digits, of what is asked of cases.
func CasesStatement(cases []*rule.Case, opts equiv.Options) string {
	return casesStatement(cases, options{Options: opts})
}

func casesStatement(cases []*rule.Case, opts options) string {
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
	opts     options
	out      *Result
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
		if j.over || j.err != nil || j.opts.ProofOnly && (j.open || j.refuted >= 0) {
			return
		}
		var res *equiv.Result
		var size int64
		if res, size, j.err = j.one(c); res == nil {
			continue // no instance
		}
		j.keep(res)
		j.admitted = true
		j.out.Stats.Add(res.Stats)
		j.out.Idealised = prove.MergeNames(j.out.Idealised, res.Idealised)
		j.out.Trusts = prove.MergeNames(j.out.Trusts, res.Trusts)
		if j.out.Where == nil { // that of the first case: the others say the same of other numbers of dims
			j.out.Where = res.Where
		}
		switch res.Verdict {
		case equiv.Refuted:
			if j.refuted < 0 || size < j.refuted {
				j.refuted = size
				j.take(c, res)
			}
		case equiv.Unknown:
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
		o.Verdict = equiv.Proved
		if !o.Cover.All {
			o.Detail = "not for any number of dims: " + o.Cover.Reason
		}
	}
	return nil
}

// keep adds the pair that a case's certificate is of.
func (j *judge) keep(res *equiv.Result) {
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
func (j *judge) take(c *rule.Case, res *equiv.Result) {
	o := j.out
	o.Verdict, o.Reason, o.Detail, o.Engine, o.Form = res.Verdict, res.Reason, res.Detail, res.Engine, res.Form
	o.Counterexample, o.Blame, o.Regions = res.Counterexample, res.Blame, res.Regions
	o.Choices, o.Programs = c.Choices, [2]string{c.Before, c.After}
}

// one asks about a case. The result is nil where no instance is admitted, or where the case has no instance smaller
// than the one that is known to tell, if that is not negative. size is that of the smallest instance that tells.
func (j *judge) one(c *rule.Case) (res *equiv.Result, size int64, err error) {
	defer func() {
		if err != nil { // of a program that is not the user's
			e := source.AsErrors(err)[0]
			err = source.Errors{source.Errorf(j.span, e.Code, "%s", e.Msg)}
		}
	}()
	before, err := parsed("left", c.Before)
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
	if j.opts.WhereBoth {
		if res, none := j.both(dom, before, ty, c); res != nil || none {
			return res, 0, nil
		}
	}
	dom.Steps = j.opts.SearchSteps()
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
	after, err := parsed("right", c.After)
	if err != nil {
		return nil, 0, err
	}
	if env, err := equiv.Environment([]semantics.Source{before, after}, nil); err == nil {
		if _, err := after.Check(env); glenside.Unsupported(err) {
			return unsupported("right", err), 0, nil
		} else if err != nil {
			return j.broken(points, ty, source.AsErrors(err)[0].Msg)
		}
	}
	got, err := equiv.CheckCase(j.ctx, equiv.Question{Before: before, After: after}, j.opts.Options, j.opts.Case)
	if err != nil {
		return nil, 0, err
	}
	if got.Verdict == equiv.Refuted && got.Counterexample == nil && len(points) > 0 { // they differ in rank, say: anywhere
		got.Counterexample = &sample.Counterexample{Point: points[0]}
	}
	if got.Verdict == equiv.Refuted && got.Counterexample != nil {
		size = instanceSize(ty, got.Counterexample.Point)
	}
	if len(points) == 0 && got.Verdict == equiv.Proved {
		j.keep(&got)
		j.out.Trusts = prove.MergeNames(j.out.Trusts, got.Trusts)
		return nil, 0, nil // right wherever it says something, and no place is known
	}
	return &got, size, nil
}

// both leaves the points of a domain at which the right side of a case is well formed as well, with the dims of the left
// side. none tells that there are none: the right side has no type, or another one, whatever the sizes are.
func (j *judge) both(dom *sizes.Domain, before *language.Source, left *glenside.Typing, c *rule.Case) (res *equiv.Result, none bool) {
	if c.Broken != "" {
		return nil, true
	}
	after, err := parsed("right", c.After)
	if err != nil {
		return unsupported("right", err), false
	}
	env, err := equiv.Environment([]semantics.Source{before, after}, nil)
	if err != nil {
		return unsupported("right", err), false
	}
	right, err := after.Check(env)
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
func sameKind(x, y *semantics.Type, equal equiv.Equality) bool {
	return x.Tuple == y.Tuple && len(x.Dims) == len(y.Dims) && (equal != equiv.Access || x.Split == y.Split) &&
		(x.Tuple || x.Elem == y.Elem) &&
		slices.EqualFunc(x.Items, y.Items, func(x, y *semantics.Type) bool { return sameKind(x, y, equal) })
}

// unsupported is the result where a side is beyond what programs may be: at some points it may still have a meaning.
func unsupported(side string, err error) *equiv.Result {
	return &equiv.Result{Verdict: equiv.Unknown, Reason: "unsupported", Engine: "type",
		Detail: fmt.Sprintf("the %s side: %s", side, source.AsErrors(err)[0].Msg)}
}

// broken is the result where the right side has no meaning.
func (j *judge) broken(points []domain.Point, ty *glenside.Typing, msg string) (*equiv.Result, int64, error) {
	if len(points) == 0 {
		return &equiv.Result{Verdict: equiv.Unknown, Reason: "incomplete", Engine: "type",
			Detail: "the right side is undefined (" + msg + "), but no instance was found"}, 0, nil
	}
	pt := points[0]
	return &equiv.Result{Verdict: equiv.Refuted, Reason: "undefined", Engine: "type",
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

// parsed reads a side of a case, which is typed once for all who ask.
func parsed(side, text string) (*language.Source, error) {
	p, err := glenside.Parse(source.NewFile(side, text))
	if err != nil {
		return nil, err
	}
	return language.Of(p), nil
}

// caseDomain types the left side of a case and derives its domain.
func caseDomain(before *language.Source) (*sizes.Domain, *glenside.Typing, error) {
	env, err := equiv.Environment([]semantics.Source{before}, nil)
	if err != nil {
		return nil, nil, err
	}
	ty, err := before.Check(env)
	if err != nil {
		return nil, nil, err
	}
	return sizes.NewDomain(language.Typed(ty), env), ty, nil
}

// RuleTypes lists the element types that the variables of a rule have; none where it is about tensors of any type.
func Types(r *rule.Rule, elem domain.Elem, arith domain.Arith) (out []equiv.TypeArith) {
	typed := len(r.Types) > 0 || slices.ContainsFunc(r.Vars, func(v *rule.Var) bool { return v.Elem != nil })
	for _, v := range r.Vars {
		t := elem
		if v.Elem != nil {
			t = *v.Elem
		}
		if typed && !slices.ContainsFunc(out, func(o equiv.TypeArith) bool { return o.Type == t }) {
			out = append(out, equiv.TypeArith{Type: t, Bits: arith.Bits(t)})
		}
	}
	return out
}
