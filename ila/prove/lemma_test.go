package prove

import (
	"testing"

	"tv/semantics/index"
	"tv/semantics/term"
)

// A machine and a contract that compute the same in other words: factors of sums by their values, and a function
// of a sum that is cut off from the elements. Each right pair has a near miss.
func TestLemmas(t *testing.T) {
	b := term.NewBuilder()
	tensor := b.Input("x", nil, term.BitsSort(8))
	x := make([]*term.Term, 6)
	for i := range x {
		x[i] = b.Read(tensor, []*index.Expr{b.Index.Const(int64(i))})
	}
	// a code of sign and magnitude, in three ways
	signed := func(c *term.Term, zero uint64) *term.Term {
		size := b.ExtendU(b.Extract(c, 0, 7), 9)
		n := b.Choose(b.Equal(b.Extract(c, 7, 1), b.Bits(1, 1)), b.NegBits(size), size)
		return b.Choose(b.Equal(c, b.Bits(8, zero)), b.Bits(9, 0), n)
	}
	table := func(c *term.Term) *term.Term { return b.Apply(term.BitsSort(16), "value", c) }
	dot := func(f func(*term.Term) *term.Term, order ...int) *term.Term {
		var pairs []*term.Term
		for _, i := range order {
			pairs = append(pairs, f(x[i]))
		}
		return b.Dot(32, pairs...)
	}
	chain := func(f func(*term.Term) *term.Term, order ...int) *term.Term {
		sum := b.Bits(32, 0)
		for i := 0; i < len(order); i += 2 {
			sum = b.AddBits(sum, b.MulBits(b.ExtendS(f(x[order[i]]), 32), b.ExtendS(f(x[order[i+1]]), 32)))
		}
		return sum
	}
	// the machine's clip to 12 bits and code of a sum, and the contract's
	clip := func(v *term.Term) *term.Term {
		most := b.Bits(32, 2047)
		return b.Choose(b.LessS(most, v), b.Bits(12, 2047), b.Extract(v, 0, 12))
	}
	low := func(v *term.Term) *term.Term { return b.Extract(b.ShrS(v, b.Bits(32, 3)), 0, 12) }
	round := func(v *term.Term, half uint64) *term.Term {
		wide := b.ShrS(b.AddBits(b.ExtendS(v, 14), b.Bits(14, half)), b.Bits(14, 4))
		sign := b.ExtendU(b.Extract(v, 11, 1), 8) // taken out of what v was cut from
		return b.AddBits(b.SubBits(b.Extract(wide, 0, 8), sign), sign)
	}
	code := func(v *term.Term) *term.Term { return b.Apply(term.BitsSort(8), "round", v) }
	machine := func(c *term.Term) *term.Term { return signed(c, 0x80) }
	wrong := func(c *term.Term) *term.Term { return signed(c, 0x7f) }
	all := []int{0, 1, 2, 3, 4, 5}
	for _, test := range []struct {
		name string
		x, y *term.Term
		want bool
	}{
		{"dots", dot(table, all...), dot(machine, 2, 3, 5, 4, 0, 1), true},
		{"one code differs", dot(table, all...), dot(wrong, 2, 3, 5, 4, 0, 1), false},
		{"a chain", dot(table, all...), chain(machine, 4, 5, 1, 0, 3, 2), true},
		{"another element", dot(table, all...), chain(machine, 4, 5, 1, 0, 3, 3), false},
		{"cut", code(clip(dot(table, all...))), round(clip(chain(machine, all...)), 8), true},
		{"cut, another rounding", code(clip(dot(table, all...))), round(clip(chain(machine, all...)), 7), false},
		{"cut, another sum", code(clip(dot(table, all...))), round(clip(chain(machine, 0, 1, 2, 3)), 8), false},
		{"cut at low bits", code(low(dot(table, all...))), round(low(chain(machine, all...)), 8), true},
		{"cut at low bits, others taken", code(low(dot(table, all...))),
			round(b.Extract(chain(machine, all...), 1, 12), 8), false},
		{"cut at low bits, and one above", code(low(dot(table, all...))), b.Xor(round(low(chain(machine, all...)), 8),
			b.Extract(b.ShrS(chain(machine, all...), b.Bits(32, 3)), 12, 8)), false},
		{"cut, no clip", code(clip(dot(table, all...))), round(b.Extract(chain(machine, all...), 0, 12), 8), false},
	} {
		e := NewEquality(map[string]func([]uint64) uint64{
			"value": func(a []uint64) uint64 {
				if v := a[0] & 0x7f; a[0] >= 0x80 {
					return -v & 0xffff
				}
				return a[0]
			},
			"round": func(a []uint64) uint64 { return uint64((term.Signed64(a[0], 12)+8)>>4) & 0xff },
		}, NewResult())
		if got := e.Same(test.x, test.y); got != test.want {
			t.Errorf("%s: %t, want %t", test.name, got, test.want)
		}
	}
}
