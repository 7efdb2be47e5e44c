package glenside

import (
	"slices"

	"tv/semantics/domain"
)

// Under returns the program with other names for its tensors and sizes: what a map does not hold is called the same. Nodes
// keep their numbers and their places, though two that were different may say the same now.
func (p *Program) Under(names map[string]string, sizes map[string]domain.Size) *Program {
	if len(names)+len(sizes) == 0 {
		return p
	}
	q := *p
	q.Nodes, q.lost = make([]*Node, len(p.Nodes)), map[*Node][]domain.Size{}
	for i, n := range p.Nodes { // operands stand before what is made of them
		m := *n
		switch n.Kind {
		case KindSymbol:
			if name, ok := names[n.Text]; ok {
				m.Text = name
			}
		case KindInt:
			m.Int = n.Int.Subst(sizes)
			for _, d := range n.Int.Divisors(slices.Clip(p.lost[n])) { // which the new normal form may lose
				q.lost[&m] = append(q.lost[&m], d.Subst(sizes))
			}
		}
		m.Args = make([]*Node, len(n.Args))
		for k, a := range n.Args {
			m.Args[k] = q.Nodes[a.ID]
		}
		q.Nodes[i] = &m
	}
	q.Root = q.Nodes[p.Root.ID]
	if p.unreached != nil {
		q.unreached = p.unreached.Under(names, sizes)
	}
	return &q
}
