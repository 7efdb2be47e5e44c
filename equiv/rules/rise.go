package rules

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tv/equiv"
	"tv/equiv/sample"
	"tv/equiv/sizes"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/proofs"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/rise"
	"tv/semantics/rise/syntax"
	"tv/semantics/value"
)

// CheckRISE decides a rule of RISE: for all natural numbers, element types and functions that it admits. It is one pair of
// programs, its sides: so there are no cases. Errors: source.Errors, of a rule that no instance is admitted by (vacuous).
func CheckRISE(ctx context.Context, r *syntax.Rule, opts equiv.Options) (Result, error) {
	start := time.Now()
	limited, cancel := equiv.Limit(ctx, opts)
	defer cancel()
	opts.Equal, opts.Arith = equiv.Tensor, RISEArith(r, opts)
	out, sides, err := decideRISE(limited, r, opts, equiv.Case{})
	out.Elapsed = time.Since(start)
	if err == nil && out.Verdict == equiv.Refuted && !opts.Unmended {
		start = time.Now()
		out.Mend = sides.mend(limited, opts)
		out.Mending = time.Since(start)
	}
	return out, err
}

// RISEArith is the arithmetic of a rule: what it says, or that of the options.
func RISEArith(r *syntax.Rule, opts equiv.Options) domain.Arith {
	if arith, ok := domain.ParseArith(r.Arith); ok {
		return arith
	}
	return opts.Arith
}

// RISEStatement returns the SHA-256, in hexadecimal digits, of what is asked of a rule.
func RISEStatement(r *syntax.Rule, opts equiv.Options) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "tv rule of RISE 1\n%s\n%s\n", RISEArith(r, opts), r.Span.Text())))
}

// RISESides are the texts of the sides of a rule, as programs in languages.ByExtension(".rise-rule").
func RISESides(r *syntax.Rule) (out [2]*source.File) {
	for i, name := range []string{"lhs", "rhs"} {
		out[i] = source.NewFile(r.Name, r.Span.Text())
		out[i].Function = name
	}
	return out
}

// riseSides are the sides of a rule as typed programs.
type riseSides struct {
	rule     *syntax.Rule
	sources  [2]semantics.Source
	programs [2]semantics.Program
	env      *domain.Env
	placed   semantics.Program // the right one, where the user has it: for messages
	domain   *sizes.Domain
	arith    domain.Arith
	seed     uint64
}

func newRISESides(r *syntax.Rule, opts equiv.Options) (*riseSides, error) {
	s := &riseSides{rule: r, arith: opts.Arith, seed: opts.SampleSeed()}
	var err error
	for i, f := range RISESides(r) {
		if s.sources[i], err = rise.Rules.Parse(f); err != nil {
			return nil, err
		}
	}
	if s.env, err = equiv.Environment(s.sources[:], nil); err != nil {
		return nil, err
	}
	for i, p := range s.sources {
		if s.programs[i], err = p.Type(s.env); err != nil {
			return nil, err
		}
	}
	if s.placed, err = rise.Side(r.Sides[1]).Type(s.env); err != nil {
		return nil, err
	}
	s.domain = sizes.NewDomain(s.programs[0], s.env)
	return s, nil
}

// Scope of a rule of RISE that is proved.
const riseScope = "all sizes and functions"

func decideRISE(ctx context.Context, r *syntax.Rule, opts equiv.Options, asked equiv.Case) (Result, *riseSides, error) {
	out := Result{Name: r.Name, Elem: domain.Float32, Cover: Cover{All: true, Ranks: -1}, Cases: 1}
	out.Before, out.After = r.Name+": left", "right"
	out.Arith, out.Equal, out.SHA256 = opts.Arith, opts.Equal, RISEStatement(r, opts)
	out.Trivial = r.Sides[0].Root().Text() == r.Sides[1].Root().Text()
	out.Sides = RISESides(r)
	for i, side := range r.Sides {
		out.Programs[i] = strings.Join(strings.Fields(side.Root().Text()), " ")
	}
	s, err := newRISESides(r, opts)
	if err != nil {
		return out, s, err
	}
	points := s.domain.Points(firstPoints)
	if len(points) == 0 {
		return out, s, source.Errors{source.Errorf(r.Span, "vacuous", "no instance of rule %s was found whose guard is "+
			"true and whose left side is well formed", r.Name)}
	}
	out.Instance, out.Domain = sizesText(points[0]), []string{riseScope}
	if found := s.refute(ctx, points); found != nil {
		out.take(found)
		return out, s, nil
	}
	got, err := equiv.CheckCase(ctx, equiv.Question{Before: s.sources[0], After: s.sources[1]}, opts, asked)
	if err != nil {
		return out, s, placed(err, r.Span)
	}
	out.take(&got)
	if out.Stats = got.Stats; out.Verdict == equiv.Proved && !opts.Uncertified {
		out.certify(r, &got)
	}
	return out, s, nil
}

// take makes the result of a pair that of the rule.
func (o *Result) take(r *equiv.Result) {
	o.Verdict, o.Reason, o.Detail, o.Engine, o.Form = r.Verdict, r.Reason, r.Detail, r.Engine, r.Form
	o.Counterexample, o.Trusts, o.Where = r.Counterexample, r.Trusts, r.Where
}

// placed puts errors at a place of the text that the user has.
func placed(err error, span source.Span) error {
	e := source.AsErrors(err)[0]
	return source.Errors{source.Errorf(span, e.Code, "%s", e.Msg)}
}

// certify makes the certificate of a rule, and has the checker accept it: without one nothing is proved.
func (o *Result) certify(r *syntax.Rule, got *equiv.Result) {
	pairs, err := proofs.Parse("certificate", got.Certificate)
	if err == nil {
		s := proofs.RuleStatement{Text: r.Span.Text(), Elem: domain.Float32, Arith: o.Arith, Ranks: -1}
		o.Certificate = proofs.FormatRule(s, pairs)
		_, _, err = languages.Checker.CheckRuleRest("certificate", o.Certificate)
	}
	if err != nil {
		o.Verdict, o.Reason, o.Where, o.Trusts, o.Certificate = equiv.Unknown, "incomplete", nil, nil, nil
		o.Detail = "proved, but the certificate was not accepted: " + source.AsErrors(err)[0].Msg
	}
}

// Points at which a rule is looked at before it is put to the prover.
const (
	firstPoints = 48
	moreElems   = 400 // elements compared at one
	riseDraws   = 8   // inputs at one
	shrinkRuns  = 600
)

// refute looks for the smallest instance that tells the sides apart, nil where none is found.
func (s *riseSides) refute(ctx context.Context, points []domain.Point) *equiv.Result {
	for _, pt := range slices.Concat(points, s.domain.Spread(firstPoints/2)) {
		if ctx.Err() != nil {
			return nil
		}
		if msg, code := s.illFormed(pt); msg != "" {
			r := &equiv.Result{Verdict: equiv.Refuted, Reason: code, Engine: "type", Form: true,
				Detail:         fmt.Sprintf("right side %s for %s", msg, sizesText(pt)),
				Counterexample: sample.Bare(pt, s.programs[0], s.programs[1], s.seed)}
			return r
		}
		for draw := range riseDraws {
			in := s.draw(pt, draw)
			if in == nil {
				break
			}
			if d := s.differs(pt, in); d != nil {
				if r := s.shown(pt, in); r != nil {
					return r
				}
			}
		}
	}
	return nil
}

// illFormed says why the right side is not well formed at a point, or how its shape is another one. Whether functions of
// places are inverses of each other is seen where they are applied to all places: that depends on sizes alone.
func (s *riseSides) illFormed(pt domain.Point) (msg, reason string) {
	for _, c := range s.placed.Conditions() {
		if ok, err := c.Pred.Eval(pt); err != nil || !ok {
			return "undefined (" + strings.TrimSpace(c.Msg) + ")", "undefined"
		}
	}
	x, y := s.programs[0].Result().Components(), s.programs[1].Result().Components()
	if len(x) != len(y) {
		return "of another type", "shape"
	}
	for i := range x {
		b, a := sample.DimsAt(x[i].Dims, pt), sample.DimsAt(y[i].Dims, pt)
		if !slices.Equal(b, a) || x[i].Elem != y[i].Elem {
			return fmt.Sprintf("of another shape (%v before, %v after)", b, a), "shape"
		}
	}
	if in := s.draw(pt, 0); in != nil {
		if _, err := s.programs[0].Evaluate(value.Arith(s.arith), pt, in, nil); err == nil {
			_, err = s.placed.Evaluate(value.Arith(s.arith), pt, in, nil)
			if e := source.AsErrors(err); len(e) > 0 && e[0].Code == "not-a-permutation" {
				return "undefined (" + e[0].Msg + ")", "undefined"
			}
		}
	}
	return "", ""
}

// sizesText prints a point: "k = 1, n = 0".
func sizesText(pt domain.Point) string {
	var parts []string
	for _, n := range slices.Sorted(maps.Keys(pt)) {
		parts = append(parts, fmt.Sprintf("%s = %d", n, pt[n]))
	}
	if len(parts) == 0 {
		return "no sizes"
	}
	return strings.Join(parts, ", ")
}
