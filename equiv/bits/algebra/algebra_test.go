package algebra

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"tv/equiv/bits/aig"
)

// adders are ways to add three bits.
var adders = map[string]func(g *aig.Graph, a, b, c aig.Lit) (sum, carry aig.Lit){
	"halves": func(g *aig.Graph, a, b, c aig.Lit) (aig.Lit, aig.Lit) {
		x := g.Xor(a, b)
		return g.Xor(x, c), g.Or(g.And(a, b), g.And(x, c))
	},
	"mux": func(g *aig.Graph, a, b, c aig.Lit) (aig.Lit, aig.Lit) {
		x := g.Xor(a, b)
		return g.Xor(x, c), g.Mux(x, c, a)
	},
	"majority": func(g *aig.Graph, a, b, c aig.Lit) (aig.Lit, aig.Lit) {
		sum := g.Mux(a, g.Xor(b, c).Not(), g.Xor(b, c))
		return sum, g.Or(g.Or(g.And(a, b), g.And(a, c)), g.And(b, c))
	},
	"negated": func(g *aig.Graph, a, b, c aig.Lit) (aig.Lit, aig.Lit) {
		x := g.Xor(a.Not(), c)
		return g.Xor(x, b).Not(), g.Mux(x, a, b)
	},
}

type adder = func(g *aig.Graph, a, b, c aig.Lit) (sum, carry aig.Lit)

// tree adds columns of bits with adders wherever there are three, the oldest first or the newest.
func tree(g *aig.Graph, columns [][]aig.Lit, add adder, newest bool) aig.Word {
	var out aig.Word
	for i := range columns {
		for len(columns[i]) > 1 {
			c := columns[i]
			three := []aig.Lit{c[0], c[1], aig.False}
			rest := c[2:]
			if len(c) > 2 {
				three[2], rest = c[2], c[3:]
			}
			sum, carry := add(g, three[0], three[1], three[2])
			if newest {
				columns[i] = append([]aig.Lit{sum}, rest...)
			} else {
				columns[i] = append(append([]aig.Lit{}, rest...), sum)
			}
			if i+1 < len(columns) {
				columns[i+1] = append(columns[i+1], carry)
			}
		}
		if len(columns[i]) == 0 {
			columns[i] = append(columns[i], aig.False)
		}
		out = append(out, columns[i][0])
	}
	return out
}

func product(g *aig.Graph, a, b aig.Word, width int) [][]aig.Lit {
	columns := make([][]aig.Lit, width)
	for i, x := range a {
		for j, y := range b {
			if i+j < width {
				columns[i+j] = append(columns[i+j], g.And(x, y))
			}
		}
	}
	return columns
}

func wide(w aig.Word, width int) aig.Word {
	return append(append(aig.Word{}, w...), make(aig.Word, width-len(w))...)
}

// Products by trees of adders, of each way to write one: the order of columns, the shape of adders and the width of the result do not matter.
func TestTrees(t *testing.T) {
	for name, add := range adders {
		for _, n := range []int{1, 2, 3, 5, 8} {
			for _, width := range []int{n, 2 * n} {
				for _, newest := range []bool{false, true} {
					testTree(t, name, add, n, width, newest)
				}
			}
		}
	}
	testTree(t, "mux", adders["mux"], 32, 64, false)
}

func testTree(t *testing.T, name string, add adder, n, width int, newest bool) {
	t.Helper()
	g := aig.New()
	a, b := g.InputWord("a", n, 0), g.InputWord("b", n, 0)
	want := g.Mul(wide(a, width), wide(b, width))
	got := tree(g, product(g, a, b, width), add, newest)
	p := Prove(t.Context(), g, []Word{{Name: "y", Before: want, After: got}})
	if p == nil || !p.Has("y") {
		t.Errorf("%s: %d bits to %d: not proved", name, n, width)
	}
}

// One gate in another way is no product, and nothing proves it.
func TestTreesWrong(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for k := range 100 {
		g := aig.New()
		n := 3
		a, b := g.InputWord("a", n, 0), g.InputWord("b", n, 0)
		want := g.Mul(wide(a, 2*n), wide(b, 2*n))
		at := draw.IntN(6)
		count := 0
		add := func(g *aig.Graph, a, b, c aig.Lit) (aig.Lit, aig.Lit) {
			sum, carry := adders["mux"](g, a, b, c)
			if count++; count-1 == at {
				switch k % 4 {
				case 0:
					carry = g.Or(a, b)
				case 1:
					sum = g.Xor(a, g.Or(b, c))
				case 2:
					sum, carry = carry, sum
				case 3:
					carry = g.And(a, c)
				}
			}
			return sum, carry
		}
		got := tree(g, product(g, a, b, 2*n), add, k%2 == 0)
		p := Prove(t.Context(), g, []Word{{Name: "y", Before: want, After: got}})
		if equal := same(g, want, got); (p != nil) != equal {
			t.Errorf("case %d: proved: %v; equal: %v", k, p != nil, equal)
		}
	}
}

// The table of a cut has the values of the node, over all values of the leaves that occur, and a form has the values of its tables.
func TestCuts(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 3))
	for range 50 {
		g := aig.New()
		w := g.InputWord("a", 6, 0)
		for range 40 {
			pick := func() aig.Lit { return w[draw.IntN(len(w))].NotIf(draw.IntN(2) == 0) }
			if l := g.And(pick(), pick()); l > aig.True {
				w = append(w, l)
			}
		}
		p, _ := number(g, w)
		c := enumerate(p)
		values := make([]uint64, c.nodes) // at the 64 values of the inputs
		for i := range p.Inputs {
			values[1+i] = column[i]
		}
		at := func(l aig.Lit) uint64 { return values[l.Node()] ^ -uint64(l&1) }
		for j, gate := range p.Gates {
			n := 1 + c.inputs + j
			values[n] = at(gate[0]) & at(gate[1])
			for _, k := range c.of[n] {
				f := newForm(k.table, ^k.table, int(k.leaves.n))
				for m := range 64 {
					place, sum := 0, int64(0)
					for i, leaf := range k.nodes() {
						place |= int(values[leaf]>>m&1) << i
					}
					for set, v := range f {
						if set&place == set {
							sum += v
						}
					}
					want := values[n] >> m & 1
					if k.table>>place&1 != want || sum != int64(want)+2*int64(1-want) {
						t.Fatalf("cut %v of node %d, place %d", k, n, place)
					}
				}
			}
		}
	}
}

// same tries all inputs.
func same(g *aig.Graph, a, b aig.Word) bool {
	n := len(g.Signals())
	for m := range 1 << n {
		value := make([]bool, g.Len())
		at := func(l aig.Lit) bool { return value[l.Node()] != l.Negated() }
		for i := range value {
			if k, ok := g.InputOf(i); ok {
				value[i] = m>>k&1 == 1
			} else if x, y, ok := g.Gate(i); ok {
				value[i] = at(x) && at(y)
			}
		}
		for i := range a {
			if at(a[i]) != at(b[i]) {
				return false
			}
		}
	}
	return true
}

func ExampleProve() {
	g := aig.New()
	a, b := g.InputWord("a", 8, 0), g.InputWord("b", 8, 0)
	y := g.Mul(wide(a, 16), wide(b, 16))
	z := g.Mul(wide(b, 16), wide(a, 16))
	fmt.Println(Prove(context.Background(), g, []Word{{Name: "y", Before: y, After: z}}) != nil)
	// Output: true
}
