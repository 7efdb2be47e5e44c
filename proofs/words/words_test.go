package words

import (
	"math/rand/v2"
	"testing"
)

// TestGraphs: graphs of random programs say what all values say, of each operation.
func TestGraphs(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 14))
	equal, apart, met := 0, 0, map[Op]int{}
	for range 3000 {
		p := program(random)
		x, y := random.IntN(len(p.words)), random.IntN(len(p.words))
		if x == y || p.words[x].Width != p.words[y].Width {
			continue
		}
		same, known := p.byGraph(x, y, func(int) {})
		if values := p.byValues(x, y, func(int) {}); !known || same != values {
			t.Fatalf("graphs say %v, values %v: %v, %d and %d", same, values, p.words, x, y)
		}
		for i, in := range p.needed(x, y) {
			if in {
				met[p.words[i].Op]++
			}
		}
		if same {
			equal++
		} else {
			apart++
		}
	}
	for op := range Convert + 1 {
		if met[op] < 40 {
			t.Errorf("operation %d is met %d times", op, met[op])
		}
	}
	if equal < 50 || apart < 500 {
		t.Errorf("%d are equal, %d are not", equal, apart)
	}
}

// program makes a few words of two leaves of 4 bits.
func program(random *rand.Rand) *Program {
	p := &Program{}
	for i, width := range []int{4, 4, 4, 8, 1} {
		w := Word{Width: width, Value: uint64(i)}
		if i > 1 {
			w.Op, w.Value = Const, random.Uint64()&ones(width)
		}
		p.Make(w)
	}
	for len(p.words) < 20 {
		w := Word{Op: Add + Op(random.IntN(int(Convert-Add)+1)), Width: []int{1, 4, 8}[random.IntN(3)]}
		for i := range operands[w.Op] {
			w.Args[i] = random.IntN(len(p.words))
		}
		switch w.Op {
		case Div, Rem, ShiftRight, Less, Convert:
			w.Signed = random.IntN(2) == 0
		}
		if w.Op == Less || w.Op == Equal {
			w.Width = 1
		}
		if p.Typed(w) {
			p.Make(w)
		}
	}
	return p
}

// TestMeanings: each operation is what its comment says, for operands with a sign and without.
func TestMeanings(t *testing.T) {
	for _, test := range []struct {
		op         Op
		signed     bool
		x, y, want uint64 // of 8 bits
	}{
		{Add, false, 200, 100, 44}, {Mul, false, 20, 20, 144}, {Div, false, 200, 7, 28}, {Div, true, 200, 7, 248},
		{Div, true, 128, 255, 128}, {Div, false, 9, 0, 0}, {Rem, true, 200, 7, 0}, {Rem, true, 199, 7, 255},
		{Rem, false, 9, 0, 9}, {And, false, 12, 10, 8}, {Or, false, 12, 10, 14}, {Xor, false, 12, 10, 6},
		{ShiftLeft, false, 129, 1, 2}, {ShiftRight, false, 129, 1, 64}, {ShiftRight, true, 129, 1, 192},
		{Less, false, 128, 127, 0}, {Less, true, 128, 127, 1}, {Equal, false, 5, 5, 1},
	} {
		p := &Program{}
		number := func(width int, n uint64) int { return p.Make(Word{Op: Const, Width: width, Value: n}) }
		width := 8
		if test.op == Less || test.op == Equal {
			width = 1
		}
		w := Word{Op: test.op, Width: width, Signed: test.signed, Args: [3]int{number(8, test.x), number(8, test.y)}}
		x, y := p.Make(w), number(width, test.want)
		graph, known := p.byGraph(x, y, func(int) {})
		if !graph || !known || !p.byValues(x, y, func(int) {}) {
			t.Errorf("operation %d of %d and %d is not %d", test.op, test.x, test.y, test.want)
		}
	}
}

// TestTyped: words of other widths are refused.
func TestTyped(t *testing.T) {
	p := &Program{}
	x, y, c := p.Make(Word{Width: 8}), p.Make(Word{Width: 16, Value: 1}), p.Make(Word{Width: 1, Value: 2})
	for _, w := range []Word{
		{Op: Add, Width: 8, Args: [3]int{x, y}}, {Op: Less, Width: 8, Args: [3]int{x, x}}, {Op: Less, Width: 1, Args: [3]int{x, y}},
		{Op: Choose, Width: 8, Args: [3]int{x, x, x}}, {Op: Choose, Width: 8, Args: [3]int{c, x, y}}, {Op: Neg, Width: 8, Args: [3]int{9}},
		{Op: Const, Width: 65}, {Op: Const}, {Op: Add, Width: 16, Args: [3]int{x, x}},
	} {
		if p.Typed(w) {
			t.Errorf("%v", w)
		}
	}
	if w := (Word{Op: Choose, Width: 8, Args: [3]int{c, x, x}}); !p.Typed(w) {
		t.Errorf("%v", w)
	}
}
