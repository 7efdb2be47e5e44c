package glenside

import (
	"cmp"

	"tv/semantics/domain"
)

// typeLiterals gives the patterns made of literals alone the element type of their use. A type flows from
// the result to the operands, so this goes through the nodes from the last to the first; then it types them.
func (c *checker) typeLiterals() {
	wanted := make([]domain.Elem, len(c.types))
	for id := len(c.types) - 1; id >= 0; id-- {
		n := c.prog.Nodes[id]
		if n.Kind != KindCall {
			continue
		}
		if c.untypedNode(n) {
			wanted[id] = cmp.Or(wanted[id], domain.Float32)
		}
		if c.want(n, cmp.Or(c.types[id].Elem, wanted[id], domain.Float32), wanted); len(c.errs) > 0 {
			return
		}
	}
	for id, t := range c.types {
		switch n := c.prog.Nodes[id]; {
		case c.untypedNode(n):
			typed := *t
			typed.Elem = wanted[id]
			c.types[id] = &typed
			if c.adopted == nil {
				c.adopted = map[*Node]bool{}
			}
			c.adopted[n] = true
		case t.Kind == TypeTuple && n.Op.Name == "construct-tuple":
			c.types[id] = c.tupleOf(n)
		case n.Kind == KindCall && n.Op.Name == "tuple-get-item":
			c.types[id] = c.types[n.Args[0].ID].Items[n.Args[1].number()]
		}
	}
}

func (c *checker) untypedNode(n *Node) bool {
	t := c.types[n.ID]
	return (t.Kind == TypeAccess || t.Kind == TypeTensor) && t.Elem == domain.Elem{}
}

func (c *checker) tupleOf(n *Node) *Type {
	t := c.newType(Type{Kind: TypeTuple, Items: make([]*Type, len(n.Args))})
	for i, a := range n.Args {
		t.Items[i] = c.types[a.ID]
	}
	return t
}

// want tells the operands of n, whose elements have the given type, at which element type n uses them.
func (c *checker) want(n *Node, elem domain.Elem, wanted []domain.Elem) {
	switch n.Op.Name {
	case "construct-tuple", "get-access-shape", "shape-of":
		return // these read no element
	case "tuple-get-item":
		c.use(component(n.Args[0], n.Args[1].number()), elem, wanted)
		return
	case "relay-concatenate":
		for i := range c.types[n.Args[1].ID].Items {
			c.use(component(n.Args[1], int64(i)), elem, wanted)
		}
		return
	case "relay-cast", "relay-dropout", "relay-split":
		elem = domain.Float32
	}
	for i, a := range n.Args {
		switch {
		case n.Op.operand(i, len(n.Args)).Sort == SortAccessShape:
		case n.Op.Name == "relay-take" && i == 1:
			c.use(a, domain.Elem{Kind: domain.ElemInt, Width: 32}, wanted)
		default:
			c.use(a, elem, wanted)
		}
	}
}

// use records the element type at which n is used, if n has none of its own.
func (c *checker) use(n *Node, elem domain.Elem, wanted []domain.Elem) {
	if n == nil || !c.untypedNode(n) {
		return
	}
	if w := wanted[n.ID]; w != elem && w != (domain.Elem{}) {
		c.fail(n, "ambiguous-literal", "this literal is used as %s and as %s: what is spelt alike "+
			"is one literal; spell it another way in one place, 2.0 for 2", w, elem)
		return
	}
	wanted[n.ID] = elem
}

// component returns the expression of component i of a tuple. It is the tuple itself if an operator makes
// it whose components have one element type and rank, and nil if there is no such component.
func component(tuple *Node, i int64) *Node {
	path := []int64{i}
	for tuple.Kind == KindCall {
		switch tuple.Op.Name {
		case "construct-tuple":
			i := path[len(path)-1]
			if i < 0 || i >= int64(len(tuple.Args)) {
				return nil
			}
			tuple = tuple.Args[i]
			if path = path[:len(path)-1]; len(path) == 0 {
				return tuple
			}
		case "tuple-get-item":
			path = append(path, tuple.Args[1].number())
			tuple = tuple.Args[0]
		default:
			return tuple
		}
	}
	return nil
}
