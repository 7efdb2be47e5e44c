package ila_test

import (
	"testing"

	"tv/ila"
	"tv/semantics/term"
)

// Sums of products of rows have the values of sums of products of elements, also where factors are such sums themselves.
func TestRows(t *testing.T) {
	m := ila.New("rows", "")
	b := m.B
	f := func(args []uint64) uint64 { return (args[0]*args[0] ^ args[0]<<3) & 0x3f } // 6 bits with a sign
	task := &ila.Task{Model: m, Tables: map[string]func([]uint64) uint64{"f": f}, Scalars: map[string]ila.Scalar{"f": {Args: []int{8}, Width: 6}}}
	x, y := task.Declare("x", 8, false, 5, 8), task.Declare("y", 8, false, 40)
	values := [][]uint64{make([]uint64, 40), make([]uint64, 40)}
	for i := range 40 {
		values[0][i], values[1][i] = uint64(i*37+5)&0xff, uint64(i*i*11+3)&0xff
	}
	elements := func(x *ila.Tensor, from, n int) (f ila.Factors) {
		for i := range n {
			f.Terms = append(f.Terms, task.Element(x, from+i))
		}
		return f
	}
	row := func(x *ila.Tensor, from, n int) ila.Factors {
		return ila.Factors{Stretch: ila.Stretch{Tensor: x, From: from, Count: n}}
	}
	var mixed, other ila.Factors
	for i := range 8 {
		inner := m.Products(32, "f", row(x, i, 3), ila.Factors{Terms: []*term.Term{task.Element(y, 2*i), task.Element(y, 9), task.Element(x, i)}})
		mixed.Terms = append(mixed.Terms, b.Extract(inner, 0, 8))
		other.Terms = append(other.Terms, task.Element(y, 39-i))
	}
	env := task.Environment(values)
	for _, test := range []struct {
		left, right ila.Factors
		rows        bool
	}{
		{row(x, 3, 8), row(y, 11, 8), true}, {row(x, 0, 40), row(y, 0, 40), true}, {row(x, 5, 8), other, true}, {other, row(x, 5, 8), true},
		{row(x, 5, 8), mixed, true}, {mixed, row(y, 8, 8), true}, {mixed, other, false}, {row(x, 7, 1), row(y, 7, 1), false},
	} {
		got := m.Products(20, "f", test.left, test.right)
		var pairs []*term.Term
		want := uint64(0)
		for i := range test.left.Len() {
			one := func(f ila.Factors) *term.Term {
				if f.Tensor != nil {
					return task.Element(f.Tensor, f.From+i)
				}
				return f.Terms[i]
			}
			l, r := one(test.left), one(test.right)
			pairs = append(pairs, l, r)
			want += uint64(term.Signed64(f([]uint64{env.Value(l)}), 6) * term.Signed64(f([]uint64{env.Value(r)}), 6))
		}
		if v := env.Value(got); v != want&(1<<20-1) {
			t.Errorf("%s: %d, want %d", got, v, want&(1<<20-1))
		}
		if rows := got.Name == ila.RowProducts("f"); rows != test.rows || !rows && got != b.Apply(term.BitsSort(20), ila.Products("f"), pairs...) {
			t.Errorf("%s: by rows: %v", got, rows)
		}
		same := func(f ila.Factors) ila.Factors {
			if f.Tensor != nil {
				return elements(f.Tensor, f.From, f.Count)
			}
			return f
		}
		if again := m.Products(20, "f", same(test.left), same(test.right)); again != got {
			t.Errorf("%s is %s of elements", got, again)
		}
	}
	if m.Products(20, "f", row(x, 3, 8), row(y, 11, 8)) == m.Products(20, "f", row(x, 4, 8), row(y, 11, 8)) {
		t.Error("the next row is the same")
	}
}

// What decodes at a number is what the decodes say one by one.
func TestDecodes(t *testing.T) {
	m := ila.New("decodes", "")
	b := m.B
	a := m.Input("a", 6, "").Term
	at := func(n uint64) *term.Term { return b.Equal(a, b.Bits(6, n)) }
	below := func(n uint64) *term.Term { return b.LessU(a, b.Bits(6, n)) }
	decodes := []*term.Term{b.Or(at(0), at(63)), b.And(b.Not(below(10)), below(20)), b.LessU(b.Bits(6, 50), a), below(3), b.Not(below(62)), b.Truth(false)}
	for _, d := range decodes {
		m.Instruction("i", "", d)
	}
	table := ila.Link(m).Decodes[m]
	if table == nil {
		t.Fatal("no table")
	}
	holds := [...]func(n uint64) bool{
		func(n uint64) bool { return n == 0 || n == 63 }, func(n uint64) bool { return n >= 10 && n < 20 },
		func(n uint64) bool { return n > 50 }, func(n uint64) bool { return n < 3 }, func(n uint64) bool { return n >= 62 },
		func(n uint64) bool { return false },
	}
	for k := range uint64(256) {
		n := k * 29 % 64
		got := table.At(n)
		for i, h := range holds {
			if in := len(got) > 0 && got[0] == i; h(n) != in {
				t.Errorf("at %d: %d decodes: %v", n, i, !h(n))
			} else if in {
				got = got[1:]
			}
		}
	}
	for _, d := range []*term.Term{b.Equal(b.Extract(a, 0, 3), b.Bits(3, 1)), b.Equal(m.Input("c", 6, "").Term, b.Bits(6, 1))} {
		m.Instruction("more", "", d)
		if ila.Link(m).Decodes[m] != nil {
			t.Errorf("a table with %s", d)
		}
		m.Instructions = m.Instructions[:len(decodes)]
	}
}
