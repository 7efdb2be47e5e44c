package prove

import (
	"math/rand/v2"
	"testing"

	"tv/ila"
	"tv/semantics/term"
)

// What is said to be known of an operation holds for all values of the bits that are not.
func TestTernary(t *testing.T) {
	const w = 6
	b := term.NewBuilder()
	read := func(name string, s term.Sort) *term.Term { return b.Read(b.Input(name, nil, s), nil) }
	x, y, c := read("x", term.BitsSort(w)), read("y", term.BitsSort(w)), read("c", term.BoolSort)
	one := b.Bits(w, 13)
	list := []*term.Term{b.AddBits(x, y), b.NegBits(x), b.MulBits(x, y), b.MulBits(x, one), b.And(x, y), b.Or(x, y), b.Xor(x, y), b.Not(x),
		b.Shl(x, y), b.ShrU(x, y), b.ShrS(x, y), b.Concat(x, y), b.Extract(x, 2, 3), b.ExtendS(x, 9), b.ExtendU(x, 9), b.Equal(x, y),
		b.LessU(x, y), b.LessS(x, y), b.Choose(c, x, y), b.DivU(x, y)}
	random := rand.New(rand.NewPCG(5, 0))
	known := map[term.Op]int{}
	for _, op := range list {
		for range 3000 {
			args := make([]ternary, len(op.Args))
			for i, a := range op.Args {
				ones := term.Ones(a.Sort.Width)
				args[i].mask = random.Uint64() & random.Uint64() & ones
				args[i].value = random.Uint64() & ones &^ args[i].mask
				if n, ok := a.ConstBits(); ok {
					args[i] = ternary{n, 0}
				}
			}
			got := ternaryOf(op, args)
			if got.value&got.mask != 0 || (got.value|got.mask)&^term.Ones(op.Sort.Width) != 0 {
				t.Fatalf("%v of %x: %x", op.Op, args, got)
			}
			if got.mask != term.Ones(op.Sort.Width) {
				known[op.Op]++
			}
			values := make([]uint64, len(args))
			for range 20 {
				for i, a := range args {
					values[i] = a.value | random.Uint64()&a.mask
				}
				if v := term.EvalBits(op, values); v&^got.mask != got.value {
					t.Fatalf("%v of %x: %x, but %x gives %#x", op.Op, args, got, values, v)
				}
			}
		}
		if known[op.Op] == 0 {
			t.Errorf("%v: nothing is known of it", op.Op)
		}
	}
}

// A part has the values of a function or it has not: one that differs in one value of 2^20, or depends on something else, has not.
func TestPart(t *testing.T) {
	m := ila.New("m", "")
	b := m.B
	x, s := m.Bits("x", 20, "").Term, m.Bits("s", 3, "").Term
	other := m.Bits("other", 20, "").Term
	floor := func(args []uint64) uint64 { return args[1] >> 10 >> args[0] }
	scalar := ila.Scalar{Args: []int{3, 20}, Width: 20, Constant: func(args []uint64, to uint64) bool {
		return floor(args) == floor([]uint64{args[0], to})
	}}
	right := b.ShrU(x, b.AddBits(b.ExtendU(s, 20), b.Bits(20, 10)))
	for _, test := range []struct {
		name string
		part *term.Term
		bias *term.Term
		want bool
	}{
		{"as it is", right, s, true},
		{"with a constant", right, b.Bits(3, 2), false}, // a function of one argument is none of two
		{"one value differs", b.Choose(b.And(b.Equal(x, b.Bits(20, 0x54321)), b.Equal(s, b.Bits(3, 5))), b.Bits(20, 7), right), s, false},
		{"one more is shifted", b.ShrU(x, b.AddBits(b.ExtendU(s, 20), b.Bits(20, 11))), s, false},
		{"another term below", b.Choose(b.Equal(other, x), b.Bits(20, 0), right), s, false},
	} {
		p := NewParts(&ila.Task{Model: m, Tables: map[string]func([]uint64) uint64{"floor": floor},
			Scalars: map[string]ila.Scalar{"floor": scalar}}, NewResult())
		got := p.Known(test.part, []*term.Term{s, x}, []*term.Term{test.bias, other})
		if got != map[bool]string{true: "floor"}[test.want] {
			t.Errorf("%s: %q", test.name, got)
		}
	}
}
