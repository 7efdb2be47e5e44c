package smt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"tv/semantics/term"
)

// TestAnyOperation: any operation on any sort, of any operands, has a formula that a solver takes, or none. A mean of a
// number of summands that is a name has none.
func TestAnyOperation(t *testing.T) {
	sorts := []term.Sort{reals, {Kind: term.Bool}, int8s, uint8s, int32s, sat8, fix8, half, single,
		{Kind: term.Float, Width: 64}, {Kind: term.Fixed, Width: 16}, {Kind: term.Adaptive, Width: 8, Frac: 3}}
	names := []string{relu, leakyRelu, sigmoid, tanh, round, leftShift, rightShift, subtract, mean, term.Exp, term.Log,
		term.Sqrt, term.Erf, "call", "div"}
	formulas, without := 0, map[string]int{}
	for _, s := range sorts {
		b := term.NewBuilder()
		ask := func(what string, u *term.Term) {
			q, err := NewQuery(b, b.Index.Root(), u, b.If(b.Index.AddInt(b.Index.Size("N", 1), -2), u, u), 200)
			one, other := NewElement(b, b.Index.Root(), u, 200)
			if slices.ContainsFunc([]error{err, other}, func(err error) bool {
				return err != nil && !errors.Is(err, ErrUnsupported) && !errors.Is(err, ErrTooLarge)
			}) {
				t.Errorf("%v %s: %v, %v", s, what, err, other)
			}
			if err != nil {
				without[fmt.Sprintf("%v %s", s, what)]++
			}
			for _, q := range []*Query{q, one} {
				if q == nil {
					continue
				}
				_ = q.Script()
				if formulas++; formulas%30 == 0 { // a solver takes a few milliseconds even for nothing
					Decide(context.Background(), q, Options{Solver: "z3", RLimit: 2_000})
				}
			}
		}
		operands := operandsOf(b, s)
		for i, x := range operands {
			ask("operand", x)
			ask("neg", b.Neg(x))
			for _, to := range sorts {
				ask("convert to "+to.String(), b.Convert(to, x))
			}
			for _, name := range names {
				ask(name, b.Apply(s, name, x))
			}
			for j, y := range operands {
				for name, f := range map[string]func(x, y *term.Term) *term.Term{"add": b.Add, "mul": b.Mul, "div": b.Div,
					"max": b.Max, "min": b.Min} {
					ask(name, f(x, y))
				}
				if i > 3 && j > 3 {
					continue
				}
				for _, name := range names {
					ask(name, b.Apply(s, name, x, y))
				}
				ask("choice", b.If(b.Index.AddInt(b.Index.Size("N", 1), -3), x, y))
			}
		}
	}
	if formulas < 2000 || without["saturate8 mean"] == 0 || without["float32 mean"] == 0 || without["real mean"] == 0 {
		t.Errorf("%d formulas; none of a mean: %v", formulas, without)
	}
}

// operandsOf returns terms of a sort: reads, numbers that it holds or not, what is no number, MIN, and sizes.
func operandsOf(b *term.Builder, s term.Sort) []*term.Term {
	n := b.Index.Size("N", 1)
	out := []*term.Term{
		b.Read(b.Input("x", nil, s), nil), b.Int(s, 0), b.Lowest(s), b.Number(s, n),
		b.Int(s, 3), b.Int(s, -1), b.Int(s, 1<<40), b.Number(s, b.Index.Const(-2)), b.Number(s, b.Index.Const(300)),
		b.Convert(s, b.Int(reals, 5)), b.Convert(s, b.Int(reals, -70_000)),
	}
	for _, name := range []string{"nan", "inf", "-0", "another"} {
		out = append(out, b.Special(s, name))
	}
	return out
}
