package egraph

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
)

// A Cost has natural numbers, the first one most important: of two costs that one is less which is less at the first place
// where they differ. A sum that does not fit stays at the greatest number.
//
// "As much as possible on a machine" is no cost of this kind: a call that takes less the more it does would be worth any
// detour. What is left to the host is one: it is added up, and no part takes any away.
type Cost [4]uint64

// Add is the sum.
func (c Cost) Add(d Cost) Cost {
	for i := range c {
		sum, carry := bits.Add64(c[i], d[i], 0)
		if carry > 0 {
			sum = math.MaxUint64
		}
		c[i] = sum
	}
	return c
}

// Compare is negative where c is less than d.
func (c Cost) Compare(d Cost) int {
	for i := range c {
		if c[i] != d[i] {
			return cmp.Compare(c[i], d[i])
		}
	}
	return 0
}

// Less tells whether c is less than d.
func (c Cost) Less(d Cost) bool { return c.Compare(d) < 0 }

// Costs says what a node of a class costs without its arguments, or that it is not to be used. A node with arguments that
// costs nothing is not used either: a term has to cost more than its parts.
type Costs func(Class, Node) (cost Cost, ok bool)

// A Choice is a node for each class that a term of the root needs, so that no class needs itself.
type Choice struct {
	Root    Class
	Cost    Cost // of the term: each class once, or, of [Graph.Tree], as often as it occurs
	Classes []Class
	nodes   map[Class]Node
}

// Node is what is chosen of a class.
func (c *Choice) Node(class Class) (Node, bool) {
	n, ok := c.nodes[class]
	return n, ok
}

// ErrNothing says that a class has no term of nodes that may be used.
type ErrNothing struct{ Class Class }

func (e *ErrNothing) Error() string {
	return fmt.Sprintf("class %d has no term that may be used", e.Class)
}

// Build adds the term that is chosen.
func (g *Graph[D]) Build(c *Choice) (Term, error) {
	built := map[Class]Term{}
	for _, class := range c.Classes { // arguments first
		n := c.nodes[class]
		children := make([]Term, len(n.Children))
		for i, child := range n.Children {
			children[i] = built[child]
		}
		t, err := g.Add(n.Op, children...)
		if err != nil {
			return 0, err
		}
		built[class] = t
	}
	return built[c.Root], nil
}
