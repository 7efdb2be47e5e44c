package words

import (
	"math/rand/v2"
	"testing"
)

// TestDiagrams: diagrams of random circuits say what trials say, and where two nodes differ both have numbers for which they do.
func TestDiagrams(t *testing.T) {
	random := rand.New(rand.NewPCG(14, 3))
	equal, apart := 0, 0
	for range 3000 {
		var c Circuit
		nodes := drawn(random, &c)
		x, y := nodes[random.IntN(len(nodes))], nodes[random.IntN(len(nodes))]
		if x == y || x.Bits != y.Bits {
			continue
		}
		cone := c.cone(x, y)
		a, b := c.diagrams(cone, x, y, func(int) {}), c.trial(cone, x, y, func(int) {})
		if a.Equal != b.Equal || !a.Known || !b.Known {
			t.Fatalf("diagrams say %v, trials %v", a, b)
		}
		if a.Equal {
			equal++
			continue
		}
		apart++
		for _, w := range []map[*Node]uint64{a.Witness, b.Witness} {
			value := make([]uint64, len(c.nodes))
			for _, n := range cone {
				if value[n.index] = w[n]; n.Kind != Input {
					value[n.index] = n.compute(value)
				}
			}
			if value[x.index] == value[y.index] {
				t.Fatalf("%v is no witness", w)
			}
		}
	}
	if equal < 50 || apart < 500 {
		t.Errorf("%d are equal, %d are not", equal, apart)
	}
}

// drawn makes a few nodes of two inputs of 4 bits.
func drawn(random *rand.Rand, c *Circuit) []*Node {
	nodes := []*Node{c.Node(Node{Kind: Input, Bits: 4}), c.Node(Node{Kind: Input, Bits: 4, Number: 1}),
		c.Literal(4, random.Uint64()), c.Literal(1, 1)}
	of := func(bits int) *Node {
		for {
			if n := nodes[random.IntN(len(nodes))]; n.Bits == bits {
				return n
			}
		}
	}
	widths := []int{1, 4, 8}
	nodes = append(nodes, c.Literal(8, random.Uint64()))
	for range 12 {
		kind, bits, signed := Plus+Kind(random.IntN(int(Fit-Plus)+1)), widths[random.IntN(3)], random.IntN(2) == 0
		x, y := of(bits), of(bits)
		switch kind {
		case Minus:
			nodes = append(nodes, c.Op(kind, bits, false, x))
		case Below, Alike:
			nodes = append(nodes, c.Op(kind, 1, signed, x, y))
		case Pick:
			nodes = append(nodes, c.Op(kind, bits, false, of(1), x, y))
		case Fit:
			nodes = append(nodes, c.Op(kind, widths[random.IntN(3)], signed, x))
		default:
			nodes = append(nodes, c.Op(kind, bits, signed, x, y))
		}
	}
	return nodes
}

// TestLarge: functions of many bits are compared, and what is too large is given up.
func TestLarge(t *testing.T) {
	var c Circuit
	x, y := c.Node(Node{Kind: Input, Bits: 64}), c.Node(Node{Kind: Input, Bits: 64, Number: 1})
	op := func(k Kind, args ...*Node) *Node { return c.Op(k, 64, true, args...) }
	sum := op(Plus, op(Differ, x, y), op(Up, op(Both, x, y), c.Literal(64, 1)))
	if a := c.Compare(op(Plus, x, y), sum, func(int) {}); !a.Equal || !a.Known {
		t.Errorf("%v", a)
	}
	a := c.Compare(op(Plus, x, y), op(Either, x, y), func(int) {})
	if a.Equal || !a.Known || a.Witness[x] != 1 || a.Witness[y] != 1 {
		t.Errorf("x + y is not x | y, the least for 1 and 1: %v", a)
	}
	square := op(Times, op(Plus, x, y), op(Plus, x, y))
	if a := c.Compare(square, op(Plus, op(Times, x, x), op(Times, y, y)), func(int) {}); a.Known {
		t.Error("products of 64 bits are compared")
	}
}
