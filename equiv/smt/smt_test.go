package smt

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"tv/internal/tier"
	"tv/semantics/index"
	"tv/semantics/term"
)

var (
	int8s   = term.Sort{Kind: term.Signed, Width: 8}
	uint8s  = term.Sort{Kind: term.Unsigned, Width: 8}
	int32s  = term.Sort{Kind: term.Signed, Width: 32}
	sat8    = term.Sort{Kind: term.Saturate, Width: 8}
	half    = term.Sort{Kind: term.Float, Width: 16}
	brain   = term.Sort{Kind: term.Float, Width: 16, Frac: 8}
	single  = term.Sort{Kind: term.Float, Width: 32}
	fix8    = term.Sort{Kind: term.Fixed, Width: 8, Frac: 4}
	reals   = term.Sort{}
	solvers = []string{"auto", "z3", "cvc5"}
)

// identities lists pairs of terms over x, y and z of a sort, and whether they are equal.
var identities = []struct {
	name  string
	sort  term.Sort
	valid bool
	make  func(b *term.Builder, x, y, z *term.Term) (s, t *term.Term)
}{
	{"int8 sums re-associate", int8s, true, sums},
	{"sat8 sums do not", sat8, false, sums},
	{"fixed sums re-associate", fix8, true, sums},
	{"float16 sums do not", half, false, sums},
	{"bfloat16 sums do not", brain, false, sums},
	{"bfloat16 keeps 256", brain, true, func(b *term.Builder, x, _, _ *term.Term) (s, t *term.Term) {
		return b.Add(b.Int(brain, 256), b.Int(brain, 1)), b.Int(brain, 256)
	}},
	{"float16 does not", half, false, func(b *term.Builder, x, _, _ *term.Term) (s, t *term.Term) {
		return b.Add(b.Int(half, 256), b.Int(half, 1)), b.Int(half, 256)
	}},
	{"bfloat16 and float32 and back", brain, true, func(b *term.Builder, x, _, _ *term.Term) (s, t *term.Term) {
		return b.Convert(brain, b.Convert(single, x)), x
	}},
	{"float16 sums commute", half, true, func(b *term.Builder, x, y, _ *term.Term) (s, t *term.Term) {
		return b.Add(x, y), b.Add(y, x)
	}},
	{"float32 negation twice", single, true, func(b *term.Builder, x, _, _ *term.Term) (s, t *term.Term) {
		return b.Neg(b.Neg(x)), x
	}},
	{"sat8 negation twice is not the identity", sat8, false, func(b *term.Builder, x, _, _ *term.Term) (s, t *term.Term) {
		return b.Neg(b.Neg(x)), x
	}},
	{"float16 x + 0 is not x: -0", half, false, func(b *term.Builder, x, _, _ *term.Term) (s, t *term.Term) {
		return b.Add(x, b.Int(half, 0)), x
	}},
	{"float16 x - 0 is x", half, true, func(b *term.Builder, x, _, _ *term.Term) (s, t *term.Term) {
		return b.Add(x, b.Special(half, "-0")), x
	}},
	{"int8 2x/2 is not x", int8s, false, func(b *term.Builder, x, _, _ *term.Term) (s, t *term.Term) {
		return b.Div(b.Mul(b.Int(int8s, 2), x), b.Int(int8s, 2)), x
	}},
	{"int8 x/x is 1 where it is defined", int8s, true, func(b *term.Builder, x, _, _ *term.Term) (s, t *term.Term) {
		return b.Div(x, x), b.Int(int8s, 1)
	}},
	{"int8 1 is not x/x, which may be undefined", int8s, false, func(b *term.Builder, x, _, _ *term.Term) (s, t *term.Term) {
		return b.Int(int8s, 1), b.Div(x, x)
	}},
	{"uint8 128·x·(x+1) is 0", uint8s, true, func(b *term.Builder, x, _, _ *term.Term) (s, t *term.Term) {
		return b.Mul(b.Int(uint8s, 128), b.Mul(x, b.Add(x, b.Int(uint8s, 1)))), b.Int(uint8s, 0)
	}},
	{"max is signed", int8s, false, func(b *term.Builder, x, _, _ *term.Term) (s, t *term.Term) {
		return b.Max(x, b.Int(int8s, 0)), x
	}},
	{"or not", uint8s, true, func(b *term.Builder, x, _, _ *term.Term) (s, t *term.Term) {
		return b.Max(x, b.Int(uint8s, 0)), x
	}},
	{"int8 to int32 and back", int8s, true, func(b *term.Builder, x, _, _ *term.Term) (s, t *term.Term) {
		return b.Convert(int8s, b.Convert(int32s, x)), x
	}},
	{"int8 to float32 and back", int8s, true, func(b *term.Builder, x, _, _ *term.Term) (s, t *term.Term) {
		return b.Convert(int8s, b.Convert(single, x)), x
	}},
	{"int32 to float32 and back is not the identity", int32s, false, func(b *term.Builder, x, _, _ *term.Term) (s, t *term.Term) {
		return b.Convert(int32s, b.Convert(single, x)), x
	}},
	{"real max + min", reals, true, func(b *term.Builder, x, y, _ *term.Term) (s, t *term.Term) {
		return b.Add(b.Max(x, y), b.Min(x, y)), b.Add(x, y)
	}},
	{"fixed products round", fix8, false, func(b *term.Builder, x, y, z *term.Term) (s, t *term.Term) {
		return b.Mul(b.Mul(x, y), z), b.Mul(x, b.Mul(y, z))
	}},
}

func sums(b *term.Builder, x, y, z *term.Term) (s, t *term.Term) {
	return b.Add(b.Add(x, y), z), b.Add(x, b.Add(y, z))
}

func query(t *testing.T, s term.Sort, f func(b *term.Builder, x, y, z *term.Term) (s, t *term.Term)) *Query {
	t.Helper()
	b := term.NewBuilder()
	read := func(name string) *term.Term { return b.Read(b.Input(name, nil, s), nil) }
	p, q := f(b, read("x"), read("y"), read("z"))
	out, err := NewQuery(b, b.Index.Root(), p, q, 1000)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// hang is a time that nothing takes which ends.
const hang = 5 * time.Minute

// TestIdentities asks every solver: the one in this process and the binaries, which CI installs.
func TestIdentities(t *testing.T) {
	for _, test := range identities {
		q := query(t, test.sort, test.make)
		for _, solver := range solvers {
			r := Decide(context.Background(), q, Options{Solver: solver, Timeout: hang})
			if want := map[bool]Answer{true: Valid, false: Counterexample}[test.valid]; r.Answer != want {
				t.Errorf("%s: %s answers %v (%s), want %v\n%s", test.name, solver, r.Answer, r.Reason, want, q.Text())
			}
		}
	}
}

// TestMemory: a question that needs little is answered within a bound. (cvc5 may not know it in this time.)
func TestMemory(t *testing.T) {
	q := query(t, reals, func(b *term.Builder, x, y, _ *term.Term) (s, t *term.Term) {
		root := b.Apply(reals, term.Sqrt, y)
		return b.Div(x, root), b.Div(b.Mul(x, root), y)
	})
	for _, solver := range solvers {
		for _, memory := range []int64{1 << 30, 4 << 30, 64 << 30} {
			opts := Options{Solver: solver, Timeout: hang, Memory: memory}
			if solver == "cvc5" { // may look for it for ever
				opts.Timeout = tier.Pick(time.Second, 3*time.Second)
			}
			r := Decide(context.Background(), q, opts)
			if r.Answer != Valid && (solver != "cvc5" || r.Answer != Unknown || r.Reason == "memory") {
				t.Errorf("%s within %d bytes: %v (%s %s)", solver, memory, r.Answer, r.Reason, r.Detail)
			}
		}
	}
}

// TestNoContextWithoutNeed: what is the same term needs no solver.
func TestNoContextWithoutNeed(t *testing.T) {
	before := Stats.Contexts.Load()
	q := query(t, int8s, func(b *term.Builder, x, y, _ *term.Term) (s, t *term.Term) { return b.Add(x, y), b.Add(x, y) })
	if r := Decide(context.Background(), q, Options{}); r.Answer != Valid || Stats.Contexts.Load() != before {
		t.Errorf("answer %v, %d contexts", r.Answer, Stats.Contexts.Load()-before)
	}
}

// TestDeadline: factoring in 64 bits ends with the clock, in the process and outside.
func TestDeadline(t *testing.T) {
	wide := term.Sort{Kind: term.Unsigned, Width: 64}
	q := query(t, wide, func(b *term.Builder, x, y, _ *term.Term) (s, t *term.Term) {
		// the square root modulo 2^64 of a number that has none, hidden in a product
		p := b.Mul(b.Mul(x, y), b.Add(x, y))
		return b.Mul(p, p), b.Mul(b.Mul(b.Add(b.Mul(x, x), b.Mul(x, y)), b.Add(b.Mul(y, x), b.Mul(y, y))), b.Mul(x, y))
	})
	for _, solver := range solvers {
		start := time.Now()
		r := Decide(context.Background(), q, Options{Solver: solver, Timeout: 200 * time.Millisecond})
		if took := time.Since(start); took > hang {
			t.Errorf("%s took %s", solver, took)
		}
		if r.Answer == Counterexample {
			t.Errorf("%s: satisfiable", solver)
		}
	}
}

func TestUnroll(t *testing.T) {
	b := term.NewBuilder()
	x := b.Input("x", []*index.Expr{b.Index.Const(3)}, int8s)
	k := b.Index.NewVar("k", b.Index.Const(0), b.Index.Const(3))
	sum := b.Reduce(term.Sum, []*index.Atom{k}, b.Read(x, []*index.Expr{k.Expr()}))
	at := func(i int64) *term.Term { return b.Read(x, []*index.Expr{b.Index.Const(i)}) }
	got, err := newUnroller(b, b.Index.Root(), 100).at(sum, nil)
	if want := b.Add(b.Add(at(0), at(1)), at(2)); err != nil || got != want {
		t.Errorf("got %v (%v), want %v", got, err, want)
	}
	if _, err := newUnroller(b, b.Index.Root(), 2).at(sum, nil); err != ErrTooLarge {
		t.Errorf("limit: %v", err)
	}
}

// TestText: the text grows with the nodes of the formula, not with its paths.
func TestText(t *testing.T) {
	q := query(t, int8s, func(b *term.Builder, x, y, _ *term.Term) (s, t *term.Term) {
		s = x
		for range 60 {
			s = b.Mul(s, s)
		}
		return s, y
	})
	if n := strings.Count(q.Text(), "\n"); n > 100 {
		t.Errorf("%d lines", n)
	}
	if _, err := exec.LookPath("cvc5"); err != nil {
		t.Errorf("cvc5 is not installed; .ci/deps does that: %v", err)
	}
}
