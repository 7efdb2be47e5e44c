package egraph

import (
	"cmp"
	"iter"
	"slices"
)

// A Node is an operator of classes, and the oldest term that has it.
type Node struct {
	Op       Op
	Term     Term
	Children []Class
}

// A view has the nodes of each class, as they were when it was made.
type view struct {
	classes []Class // by number
	start   []int32 // of the nodes of a class, by class; one more than there are
	nodes   []Node
	heads   []int32 // beside nodes
	byHead  []int32 // where classes of a head start in ofHead; one more than there are heads
	ofHead  []Class
}

// look makes the view. Nodes of a class are sorted by head, then by age.
func (g *Graph[D]) look() *view {
	if g.view != nil {
		return g.view
	}
	v := &view{start: make([]int32, len(g.parent)+1)}
	g.view = v
	arguments, top := 0, int32(-1)
	for t := range g.state {
		if g.state[t]&alive != 0 {
			v.start[g.Class(Term(t))+1]++
			arguments += len(g.arguments(Term(t)))
			top = max(top, g.head(g.ops[t]))
		}
	}
	for c := range g.parent {
		if v.start[c+1] > 0 {
			v.classes = append(v.classes, Class(c))
		}
		v.start[c+1] += v.start[c]
	}
	n := int(v.start[len(g.parent)])
	ordered, fill := make([]Term, n), slices.Clone(v.start)
	for t := range g.state {
		if g.state[t]&alive != 0 {
			c := g.Class(Term(t))
			ordered[fill[c]] = Term(t)
			fill[c]++
		}
	}
	v.nodes, v.heads = make([]Node, n), make([]int32, n)
	children := make([]Class, 0, arguments)
	v.byHead = make([]int32, top+2)
	for _, c := range v.classes {
		of := ordered[v.start[c]:v.start[c+1]]
		if len(of) > 1 {
			slices.SortFunc(of, func(a, b Term) int {
				return cmp.Or(cmp.Compare(g.head(g.ops[a]), g.head(g.ops[b])), cmp.Compare(a, b))
			})
		}
		for i, t := range of {
			from := len(children)
			for _, a := range g.arguments(t) {
				children = append(children, g.Class(a))
			}
			at, h := int(v.start[c])+i, g.head(g.ops[t])
			v.nodes[at] = Node{Op: g.ops[t], Term: t, Children: children[from:len(children):len(children)]}
			v.heads[at] = h
			if i == 0 || v.heads[at-1] != h {
				v.byHead[h+1]++
			}
		}
	}
	for h := range top + 1 {
		v.byHead[h+1] += v.byHead[h]
	}
	v.ofHead = make([]Class, v.byHead[top+1])
	fill = slices.Clone(v.byHead)
	for _, c := range v.classes {
		for at := v.start[c]; at < v.start[c+1]; at++ {
			if h := v.heads[at]; at == v.start[c] || v.heads[at-1] != h {
				v.ofHead[fill[h]] = c
				fill[h]++
			}
		}
	}
	return v
}

// Classes are those that there were when they were first asked for after the last [Graph.Rebuild], in the order of their
// numbers. So it is with Nodes, NodesOf and ByHead: they may be read while terms are added and united, and change with the
// next Rebuild.
func (g *Graph[D]) Classes() iter.Seq[Class] { return slices.Values(g.look().classes) }

// Nodes are those of a class, sorted by head and age, not to be changed.
func (g *Graph[D]) Nodes(c Class) []Node {
	v := g.look()
	if int(c)+1 >= len(v.start) {
		return nil // younger than the view
	}
	return v.nodes[v.start[c]:v.start[c+1]:v.start[c+1]]
}

// NodesOf are the nodes of a class whose operators have that head.
func (g *Graph[D]) NodesOf(c Class, head int32) []Node {
	v := g.look()
	if int(c)+1 >= len(v.start) {
		return nil
	}
	from, to := v.start[c], v.start[c+1]
	for from < to && v.heads[from] < head {
		from++
	}
	end := from
	for end < to && v.heads[end] == head {
		end++
	}
	return v.nodes[from:end:end]
}

// ByHead are the classes that have nodes of that head, in the order of their numbers, not to be changed.
func (g *Graph[D]) ByHead(head int32) []Class {
	v := g.look()
	if head < 0 || int(head)+1 >= len(v.byHead) {
		return nil
	}
	return v.ofHead[v.byHead[head]:v.byHead[head+1]:v.byHead[head+1]]
}
