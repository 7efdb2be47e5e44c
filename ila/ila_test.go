package ila

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"tv/semantics/term"
)

// A random expression is built as a term and, beside it, as a function on big integers that shares nothing
// with package term.
type pair struct {
	t *term.Term
	f func(in []uint64) *big.Int
}

func modulo(x *big.Int, width int) *big.Int {
	return new(big.Int).And(x, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(width)), big.NewInt(1)))
}

func signed(x *big.Int, width int) *big.Int {
	if x.Bit(width-1) == 1 {
		return new(big.Int).Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(width)))
	}
	return x
}

type generator struct {
	r  *rand.Rand
	b  *term.Builder
	in []*term.Term
}

// bits returns an expression of the given width.
func (g *generator) bits(width, depth int) pair {
	b := g.b
	if depth == 0 || g.r.IntN(8) == 0 {
		if n := g.r.IntN(len(g.in) + 1); n < len(g.in) {
			x := g.in[n]
			leaf := pair{x, func(in []uint64) *big.Int { return new(big.Int).SetUint64(in[n]) }}
			return g.fit(leaf, width)
		}
		v := g.r.Uint64() & term.Ones(width)
		return pair{b.Bits(width, v), func([]uint64) *big.Int { return new(big.Int).SetUint64(v) }}
	}
	x, y := g.bits(width, depth-1), g.bits(width, depth-1)
	two := func(t *term.Term, f func(x, y *big.Int) *big.Int) pair {
		return pair{t, func(in []uint64) *big.Int { return modulo(f(x.f(in), y.f(in)), width) }}
	}
	shift := func(t *term.Term, f func(x *big.Int, n uint) *big.Int) pair {
		return two(t, func(x, y *big.Int) *big.Int { return f(x, uint(min(y.Uint64(), 200))) })
	}
	switch g.r.IntN(16) {
	case 0:
		return two(b.AddBits(x.t, y.t), func(x, y *big.Int) *big.Int { return new(big.Int).Add(x, y) })
	case 1:
		return two(b.MulBits(x.t, y.t), func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) })
	case 2:
		return two(b.SubBits(x.t, y.t), func(x, y *big.Int) *big.Int { return new(big.Int).Sub(x, y) })
	case 3:
		return two(b.And(x.t, y.t), func(x, y *big.Int) *big.Int { return new(big.Int).And(x, y) })
	case 4:
		return two(b.Or(x.t, y.t), func(x, y *big.Int) *big.Int { return new(big.Int).Or(x, y) })
	case 5:
		return two(b.Xor(x.t, y.t), func(x, y *big.Int) *big.Int { return new(big.Int).Xor(x, y) })
	case 6:
		return two(b.Not(x.t), func(x, _ *big.Int) *big.Int { return new(big.Int).Not(x) })
	case 7:
		return shift(b.Shl(x.t, y.t), func(x *big.Int, n uint) *big.Int { return new(big.Int).Lsh(x, n) })
	case 8:
		return shift(b.ShrU(x.t, y.t), func(x *big.Int, n uint) *big.Int { return new(big.Int).Rsh(x, n) })
	case 9:
		return shift(b.ShrS(x.t, y.t), func(x *big.Int, n uint) *big.Int { return new(big.Int).Rsh(signed(x, width), n) })
	case 10:
		return two(b.MaxS(x.t, y.t), func(x, y *big.Int) *big.Int {
			if signed(x, width).Cmp(signed(y, width)) < 0 {
				return y
			}
			return x
		})
	case 11:
		return two(b.Choose(b.LessU(x.t, y.t), x.t, b.NegBits(y.t)), func(x, y *big.Int) *big.Int {
			if x.Cmp(y) < 0 {
				return x
			}
			return new(big.Int).Neg(y)
		})
	case 12:
		if width > 1 {
			cut := 1 + g.r.IntN(width-1)
			high, low := g.bits(width-cut, depth-1), g.bits(cut, depth-1)
			return pair{b.Concat(high.t, low.t), func(in []uint64) *big.Int {
				return new(big.Int).Or(new(big.Int).Lsh(high.f(in), uint(cut)), low.f(in))
			}}
		}
	case 13:
		return g.fit(g.bits(1+g.r.IntN(20), depth-1), width)
	case 14:
		u, v := g.bits(1+g.r.IntN(width), depth-1), g.bits(1+g.r.IntN(width), depth-1)
		return pair{b.Dot(width, u.t, v.t, x.t, y.t), func(in []uint64) *big.Int {
			sum := new(big.Int).Mul(signed(u.f(in), u.t.Sort.Width), signed(v.f(in), v.t.Sort.Width))
			sum.Add(sum, new(big.Int).Mul(signed(x.f(in), width), signed(y.f(in), width)))
			return modulo(sum, width)
		}}
	case 15:
		return two(b.DivU(x.t, b.Or(y.t, b.Bits(width, 1))), func(x, y *big.Int) *big.Int {
			return new(big.Int).Div(x, new(big.Int).Or(y, big.NewInt(1)))
		})
	}
	return x
}

// fit extends or cuts an expression.
func (g *generator) fit(p pair, width int) pair {
	have := p.t.Sort.Width
	if have >= width {
		low := g.r.IntN(have - width + 1)
		return pair{g.b.Extract(p.t, low, width), func(in []uint64) *big.Int {
			return modulo(new(big.Int).Rsh(p.f(in), uint(low)), width)
		}}
	}
	if g.r.IntN(2) == 0 {
		return pair{g.b.ExtendU(p.t, width), p.f}
	}
	return pair{g.b.ExtendS(p.t, width), func(in []uint64) *big.Int { return modulo(signed(p.f(in), have), width) }}
}

// The simulator, the symbolic executor and big integers agree on random expressions; sums that the comparison
// takes for equal are.
func TestExpressions(t *testing.T) {
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := New("random", "")
		g := &generator{r: r, b: m.B}
		for _, name := range []string{"p", "q", "s"} {
			g.in = append(g.in, m.Input(name, 1+r.IntN(12), "").Term)
		}
		width := 1 + r.IntN(20)
		x, y := g.bits(width, 4), g.bits(width, 2)
		result, other := m.Bits("result", width, ""), m.Bits("other", width, "")
		i := m.Instruction("only", "", m.B.Truth(true))
		i.Set(result, x.t)
		i.Set(other, y.t)
		if err := Validate(m); err != nil {
			t.Fatal(err)
		}
		simulator := NewSimulator(m)
		task := &Task{Model: m}
		symbolic := NewSymbolic(m)
		var values []*term.Term
		var inputs [][]uint64
		for n, in := range g.in {
			tensor := task.Declare(in.String()+string(rune('a'+n)), in.Sort.Width, false, 1)
			values = append(values, task.Element(tensor, 0))
			inputs = append(inputs, []uint64{0})
		}
		if err := symbolic.Step(values...); err != nil {
			t.Fatal(err)
		}
		got := symbolic.termOf(symbolic.scalars[result.slot], width)
		second := symbolic.termOf(symbolic.scalars[other.slot], width)
		e := &equality{b: m.B, result: &Result{lemma: map[string]bool{}}}
		// what x - y + y comes to is x, and only if the comparison is sound it says no more than that
		if !e.sums(m.B.AddBits(m.B.SubBits(got, second), second), got) {
			t.Errorf("seed %d: x - y + y is not seen to be x", seed)
		}
		small := 0
		for _, in := range g.in {
			small += in.Sort.Width
		}
		equal := small <= 14 && e.same(got, second)
		for range 12 {
			in := make([]uint64, len(g.in))
			for n, x := range g.in {
				in[n] = r.Uint64() & term.Ones(x.Sort.Width)
				inputs[n][0] = in[n]
			}
			want := x.f(in).Uint64()
			if err := simulator.Step(in...); err != nil {
				t.Fatal(err)
			}
			if v := simulator.Bits(result); v != want {
				t.Fatalf("seed %d: the simulator gives %d, want %d: %s", seed, v, want, (&printer{}).pretty(x.t))
			}
			env := task.Environment(inputs)
			if v := env.Value(got); v != want {
				t.Fatalf("seed %d: the symbolic executor gives %d, want %d: %v", seed, v, want, got)
			}
			if equal && want != y.f(in).Uint64() {
				t.Fatalf("seed %d: %v and %v are taken for equal", seed, got, second)
			}
		}
	}
}

// counterModel copies a cell a step, up to n.
func counterModel() (*Model, *Var, *Var) {
	m := New("copy", "copies cells")
	n := m.Input("n", 4, "cells")
	from, to := m.Memory("from", 8, 8, ""), m.Memory("to", 8, 8, "")
	at := m.Bits("at", 4, "")
	m.Instruction("start", "", m.B.Truth(true)).Set(at, n.Term)
	c := m.Child("copy", "")
	i := c.Instruction("cell", "", m.B.Not(m.B.Equal(at.Term, m.B.Bits(4, 0))))
	before := m.B.SubBits(at.Term, m.B.Bits(4, 1))
	i.Store(to, m.At(before), m.Load(from, m.At(before)))
	i.Set(at, before)
	return m, from, to
}

func TestFaults(t *testing.T) {
	for _, test := range []struct {
		n       uint64
		written uint64
		code    string
	}{{4, 4, ""}, {5, 4, CodeUnwritten}, {9, 8, CodeAddress}} {
		m, from, to := counterModel()
		simulator, symbolic := NewSimulator(m), NewSymbolic(m)
		for at := range test.written {
			simulator.SetCell(from, at, at)
			symbolic.SetCell(from, at, m.B.Bits(8, at))
		}
		for name, err := range map[string]error{
			"simulator": simulator.Step(test.n), "symbolic executor": symbolic.Step(m.B.Bits(4, test.n)),
		} {
			var f *Fault
			if errors.As(err, &f); (f == nil) != (test.code == "") || f != nil && f.Code != test.code {
				t.Errorf("%s with n = %d: %v, want code %q", name, test.n, err, test.code)
			}
		}
		if _, ok := simulator.Cell(to, 0); ok != (test.code == "") {
			t.Errorf("n = %d: to[0] is written: %t", test.n, ok)
		}
	}
	m, _, _ := counterModel()
	data := (&Task{Model: m}).Declare("x", 4, false, 1)
	var f *Fault
	if err := NewSymbolic(m).Step((&Task{Model: m}).Element(data, 0)); !errors.As(err, &f) || f.Code != CodeSymbolic {
		t.Errorf("control by data: %v", err)
	}
}

func TestValidate(t *testing.T) {
	for _, test := range []struct {
		want  string
		wreck func(m *Model, from *Var)
	}{
		{"is a child of itself", func(m *Model, _ *Var) { m.Children[0].Children = append(m.Children[0].Children, m) }},
		{"two variables n", func(m *Model, _ *Var) { m.Input("n", 1, "") }},
		{"two instructions start", func(m *Model, _ *Var) { m.Instruction("start", "", m.B.Truth(false)) }},
		{"not a truth value", func(m *Model, _ *Var) { m.Instructions[0].Decode = m.B.Bits(1, 1) }},
		{"a value of sort unsigned3", func(m *Model, _ *Var) { m.Instructions[0].Sets[0].Value = m.B.Bits(3, 1) }},
		{"no bit-vector of its state", func(m *Model, from *Var) { m.Instructions[0].Set(from, m.B.Bits(8, 1)) }},
		{"twice", func(m *Model, _ *Var) { i := m.Instructions[0]; i.Set(i.Sets[0].Var, i.Sets[0].Value) }},
		{"of another width", func(m *Model, from *Var) { m.Instructions[0].Store(from, m.Address(0), m.B.Bits(9, 1)) }},
	} {
		m, from, _ := counterModel()
		if err := Validate(m); err != nil {
			t.Fatal(err)
		}
		test.wreck(m, from)
		if err := Validate(m); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Validate: %v, want %q", err, test.want)
		}
	}
}

func TestCheckDecodes(t *testing.T) {
	for _, test := range []struct {
		name         string
		overlap, gap Verdict
		build        func(m *Model, x *term.Term)
	}{
		{"split at 5", Proved, Proved, func(m *Model, x *term.Term) {
			m.Instruction("low", "", m.B.LessU(x, m.B.Bits(32, 5)))
			m.Instruction("high", "", m.B.Not(m.B.LessU(x, m.B.Bits(32, 5))))
		}},
		{"both have 5", Refuted, Proved, func(m *Model, x *term.Term) {
			m.Instruction("low", "", m.B.LessU(x, m.B.Bits(32, 6)))
			m.Instruction("high", "", m.B.LessU(m.B.Bits(32, 4), x))
		}},
		{"nobody has 5", Proved, Refuted, func(m *Model, x *term.Term) {
			m.Instruction("low", "", m.B.LessU(x, m.B.Bits(32, 5)))
			m.Instruction("high", "", m.B.LessU(m.B.Bits(32, 5), x))
		}},
		{"fields that overlap", Refuted, Refuted, func(m *Model, x *term.Term) {
			m.Instruction("a", "", m.B.Equal(m.B.Extract(x, 0, 3), m.B.Bits(3, 6)))
			m.Instruction("b", "", m.B.Equal(m.B.Extract(x, 2, 3), m.B.Bits(3, 1)))
		}},
		{"too many cases", Unknown, Unknown, func(m *Model, x *term.Term) {
			m.Instruction("a", "", m.B.Equal(m.B.AddBits(x, x), m.B.Bits(32, 6)))
		}},
	} {
		m := New("m", "")
		test.build(m, m.Input("x", 32, "").Term)
		list, err := Check(m)
		if err != nil || len(list) < 2 {
			t.Fatal(list, err)
		}
		if list[0].Verdict != test.overlap || list[1].Verdict != test.gap {
			t.Errorf("%s: overlap %v, gap %v", test.name, list[0], list[1])
		}
	}
}
