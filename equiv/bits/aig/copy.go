package aig

// A Copier makes gates of one graph again in another, or in the same, with other literals in the place of its signals.
type Copier struct {
	from, to *Graph
	of       func(Signal) Lit
	done     []Lit // of nodes, one more than the literal; 0: not yet
}

// NewCopier returns one that has of(s) for signal s.
func NewCopier(from, to *Graph, of func(Signal) Lit) *Copier {
	return &Copier{from: from, to: to, of: of}
}

// Lit is the copy of a literal.
func (c *Copier) Lit(l Lit) Lit {
	for len(c.done) <= l.Node() {
		c.done = append(c.done, 0)
	}
	for stack := []int{l.Node()}; len(stack) > 0; {
		n := stack[len(stack)-1]
		if c.done[n] != 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		a, b, gate := c.from.Gate(n)
		switch {
		case n == 0:
			c.done[n] = False + 1
		case !gate:
			c.done[n] = c.of(c.from.signals[c.from.fanins[n][0]]) + 1
		case c.done[a.Node()] == 0:
			stack = append(stack, a.Node())
		case c.done[b.Node()] == 0:
			stack = append(stack, b.Node())
		default:
			c.done[n] = c.to.And(c.at(a), c.at(b)) + 1
		}
	}
	return c.at(l)
}

// at is the copy of a literal whose node was copied.
func (c *Copier) at(l Lit) Lit { return (c.done[l.Node()] - 1).NotIf(l.Negated()) }

// Lits copies several.
func (c *Copier) Lits(list []Lit) []Lit {
	out := make([]Lit, len(list))
	for i, l := range list {
		out[i] = c.Lit(l)
	}
	return out
}
