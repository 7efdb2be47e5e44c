package algebra

import (
	"math/big"
	"testing"
)

// TestAdjacent: sums that follow each other are one, in any order, beside others, of blocks of any size, and in conditions; not
// where a block is missing, another factor or another coefficient stands in one, or fewer follow each other than are looked for.
func TestAdjacent(t *testing.T) {
	type block struct{ from, places, coef int64 }
	for _, test := range []struct {
		name   string
		blocks []block
		want   []int64 // places of the sums that come out
	}{
		{"four", []block{{0, 4, 1}, {4, 4, 1}, {8, 4, 1}, {12, 4, 1}}, []int64{16}},
		{"mixed up", []block{{8, 4, 1}, {0, 4, 1}, {12, 4, 1}, {4, 4, 1}}, []int64{16}},
		{"of any size", []block{{0, 4, 1}, {4, 5, 1}, {9, 6, 1}, {15, 9, 1}}, []int64{24}},
		{"three", []block{{0, 4, 1}, {4, 4, 1}, {8, 4, 1}}, []int64{4, 4, 4}},
		{"two runs", []block{{0, 4, 1}, {4, 4, 1}, {8, 4, 1}, {12, 4, 1}, {20, 4, 1}, {24, 4, 1}, {28, 4, 1}, {32, 4, 1}}, []int64{16, 16}},
		{"one is missing", []block{{0, 4, 1}, {4, 4, 1}, {12, 4, 1}, {16, 4, 1}}, []int64{4, 4, 4, 4}},
		{"they overlap", []block{{0, 4, 1}, {3, 4, 1}, {6, 4, 1}, {9, 4, 1}}, []int64{4, 4, 4, 4}},
		{"twice", []block{{0, 4, 1}, {0, 4, 1}, {4, 4, 1}, {8, 4, 1}, {12, 4, 1}}, []int64{16, 4}},
		{"another coefficient", []block{{0, 4, 1}, {4, 4, 1}, {8, 4, 2}, {12, 4, 1}}, []int64{4, 4, 4, 4}},
	} {
		for _, set := range []bool{false, true} {
			if set && test.name == "another coefficient" {
				continue
			}
			b := NewBuilder()
			e := newEngine(b, func() {}, func(*Goal) *answer { return nil })
			var x sum
			for _, bl := range test.blocks {
				v := b.NewVar(b.Const(0), b.Const(bl.places))
				at := b.AddInt(v.expr, bl.from)
				digits := b.Div(b.Root, at, b.Const(3)) // positions that are taken apart
				read := ofAtom(e.atom(atom{kind: readAtom, name: "A", e: b.Add(b.Scale(Int(7), at), digits)}))
				guard := []*Expr{b.AddInt(at, -2)}
				if set {
					x = append(x, memberOf(read, []*Atom{v}, guard))
					continue
				}
				s := *read[0]
				s.vars, s.guards, s.coef = []*Atom{v}, guard, new(big.Rat).SetInt64(bl.coef)
				x = append(x, &s)
			}
			got := e.adjacent(b.Root, x)
			if len(got) != len(test.want) {
				t.Errorf("%s, sets %t: %d sums, wanted %d", test.name, set, len(got), len(test.want))
				continue
			}
			for i, s := range got {
				if s.vars[0].Hi != b.Const(test.want[i]) {
					t.Errorf("%s, sets %t: a sum over %s places, wanted %d", test.name, set, Formatted(s.vars[0].Hi), test.want[i])
				}
			}
		}
	}
}

// TestAdjacentBodies: sums that differ in more than their place do not follow each other.
func TestAdjacentBodies(t *testing.T) {
	for other := range 4 {
		b := NewBuilder()
		e := newEngine(b, func() {}, func(*Goal) *answer { return nil })
		var x sum
		for i := range int64(4) {
			v := b.NewVar(b.Const(0), b.Const(4))
			at, name := b.AddInt(v.expr, 4*i), "A"
			guard := b.AddInt(at, -2)
			if i == 2 {
				switch other {
				case 1:
					name = "B"
				case 2:
					guard = b.AddInt(at, -3)
				case 3:
					at = b.Scale(Int(2), at)
				}
			}
			s := *ofAtom(e.atom(atom{kind: readAtom, name: name, e: at}))[0]
			s.vars, s.guards = []*Atom{v}, []*Expr{guard}
			x = append(x, &s)
		}
		if got := len(e.adjacent(b.Root, x)); (got == 1) != (other == 0) {
			t.Errorf("case %d: %d sums", other, got)
		}
	}
}
