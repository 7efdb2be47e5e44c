package egraph

import "fmt"

// A Class is a set of equal terms. Unions leave one number of two: [Graph.Find] has the one that is left.
type Class int32

// A Reason is what the client gives for a union; proofs return it.
type Reason int32

// An Analysis says what holds of all terms of a class: a type.
type Analysis[D any] interface {
	// Make is asked of an operator of children. It keeps the slice no longer than the call. An error keeps the term out.
	Make(op Op, children []D) (D, error)
	// Same tells whether two classes may be one. Same children have to make the same data.
	Same(a, b D) bool
}

// An Analysis may have heads: small numbers, at least 0, by which [Graph.ByHead] finds operators that differ in their immediate
// operands. Without it each operator is its own head.
type heads interface{ Head(Op) int32 }

// A Mismatch is a union of classes with different data, which was not made.
type Mismatch struct{ A, B Term }

func (m *Mismatch) Error() string {
	return fmt.Sprintf("terms %d and %d have different data and are not equal", m.A, m.B)
}

// Graph is an e-graph. Use [New].
type Graph[D any] struct {
	analysis Analysis[D]
	head     func(Op) int32
	terms

	// by term
	class []Class // in which it was added
	state []uint8 // alive, dirty
	link  []link  // to a neighbour in the proof forest
	// Terms that are nodes, by the hash of operator and argument classes: buckets of chains. Each bucket, and each next, is
	// a term plus 1, or 0.
	buckets []int32
	next    []int32
	hash    []uint32 // under which the term is in a bucket

	// by class
	parent []Class // itself where it stands for its set
	data   []D
	oldest []Term
	size   []int32 // terms
	uses   []useList
	cells  []use

	nodes, classes int
	dirty          []Term // nodes to hash anew
	changed        bool   // since the last Rebuild
	view           *view  // of the classes, or nil; after a Rebuild a new one is made when it is asked for

	scratchData    []D
	scratchClasses []Class
}

// What a term is in the graph.
const (
	alive     = 1 << iota // a node: no other node has its operator and argument classes
	isDirty               // in the list
	isForward             // its link is a union of it (first) and its neighbour; without, of its neighbour (first) and it
)

// A link is an edge of the proof forest.
type link struct {
	to     Term   // itself at a root
	reason Reason // of the union
	union  bool   // or the two are congruent
}

// A useList is a list of nodes that have a class as argument, in cells.
type useList struct{ first, last, length int32 } // cells plus 1

type use struct {
	node Term
	next int32
}

// New returns an empty graph.
func New[D any](a Analysis[D]) *Graph[D] {
	g := &Graph[D]{analysis: a, head: func(op Op) int32 { return int32(op) }}
	if h, ok := a.(heads); ok {
		g.head = h.Head
	}
	return g
}

// Size counts classes and nodes. Terms that differ in nothing but equal arguments are one node.
func (g *Graph[D]) Size() (classes, nodes int) { return g.classes, g.nodes }

// Terms counts the terms, which are numbered from 0.
func (g *Graph[D]) Terms() int { return g.terms.len() }

// Op is the operator of a term.
func (g *Graph[D]) Op(t Term) Op { return g.ops[t] }

// Args are the arguments of a term, not to be changed.
func (g *Graph[D]) Args(t Term) []Term { return g.arguments(t) }

// Lookup finds a term that was added.
func (g *Graph[D]) Lookup(op Op, children ...Term) (Term, bool) {
	t, _, ok := g.terms.find(op, children)
	return t, ok
}

// Congruent finds the class that an operator of the classes of some terms has a node in, whether or not it was added with
// these very terms.
func (g *Graph[D]) Congruent(op Op, children ...Term) (Class, bool) {
	t, ok := g.findNode(g.hashNode(op, children), op, children)
	if !ok {
		return 0, false
	}
	return g.Class(t), true
}

// Add returns the term, which is new where its operator or arguments are. Where the analysis has no data for it nothing is
// added, and its error is returned.
func (g *Graph[D]) Add(op Op, children ...Term) (Term, error) {
	h, t, ok := g.known(op, children)
	if ok {
		return t, nil
	}
	children2 := g.scratchData[:0]
	for _, c := range children {
		children2 = append(children2, g.data[g.Class(c)])
	}
	g.scratchData = children2
	data, err := g.analysis.Make(op, children2)
	if err != nil {
		return -1, err
	}
	return g.addNode(data, h, op, children), nil
}

// AddAs is Add where the caller knows what data the analysis has for the term.
func (g *Graph[D]) AddAs(data D, op Op, children ...Term) Term {
	h, t, ok := g.known(op, children)
	if ok {
		return t
	}
	return g.addNode(data, h, op, children)
}

// known finds a term, or adds it to the class that has a node like it; else it returns the hash of the node.
func (g *Graph[D]) known(op Op, children []Term) (hash uint32, t Term, ok bool) {
	if t, _, ok := g.terms.find(op, children); ok {
		return 0, t, true
	}
	h := g.hashNode(op, children)
	if u, ok := g.findNode(h, op, children); ok {
		return h, g.addCongruent(op, children, u), true
	}
	return h, 0, false
}

// addNode adds a term that is a class of its own.
func (g *Graph[D]) addNode(data D, h uint32, op Op, children []Term) Term {
	c := Class(len(g.parent))
	t := g.addTerm(op, children, c)
	g.parent = append(g.parent, c)
	g.data = append(g.data, data)
	g.oldest = append(g.oldest, t)
	g.size = append(g.size, 1)
	g.uses = append(g.uses, useList{})
	g.link[t] = link{to: t}
	g.state[t] = alive
	g.putNode(t, h)
	g.classes++
	g.nodes++
	g.changed = true
	// its arguments know of it, each class once
	seen := g.scratchClasses[:0]
	for _, a := range g.arguments(t) {
		if c := g.Class(a); !contains(seen, c) {
			seen = append(seen, c)
			g.addUse(c, t)
		}
	}
	g.scratchClasses = seen
	return t
}

// addCongruent adds a term that is congruent to u: it is no node.
func (g *Graph[D]) addCongruent(op Op, children []Term, u Term) Term {
	c := g.Class(u)
	t := g.addTerm(op, children, c)
	g.link[t] = link{to: u}
	g.size[c]++
	return t
}

func (g *Graph[D]) addTerm(op Op, children []Term, c Class) Term {
	t := g.terms.add(op, children)
	g.class = append(g.class, c)
	g.state = append(g.state, 0)
	g.link = append(g.link, link{})
	g.next = append(g.next, 0)
	g.hash = append(g.hash, 0)
	return t
}

func (g *Graph[D]) addUse(c Class, t Term) {
	g.cells = append(g.cells, use{node: t})
	cell, list := int32(len(g.cells)), &g.uses[c]
	if list.length == 0 {
		list.first = cell
	} else {
		g.cells[list.last-1].next = cell
	}
	list.last = cell
	list.length++
}

func contains(list []Class, c Class) bool {
	for _, other := range list {
		if other == c {
			return true
		}
	}
	return false
}

// Class is the class of a term, as it is now.
func (g *Graph[D]) Class(t Term) Class { return g.Find(g.class[t]) }

// Find is what a class has become.
func (g *Graph[D]) Find(c Class) Class {
	for g.parent[c] != c {
		g.parent[c] = g.parent[g.parent[c]]
		c = g.parent[c]
	}
	return c
}

// Data is what holds of a class.
func (g *Graph[D]) Data(c Class) D { return g.data[g.Find(c)] }

// Representative is the oldest term of a class.
func (g *Graph[D]) Representative(c Class) Term { return g.oldest[g.Find(c)] }

// Union makes the classes of two terms one, and tells whether they were two. It is an error if their data differ. What is
// congruent by it becomes equal with the next [Graph.Rebuild].
func (g *Graph[D]) Union(a, b Term, reason Reason) (bool, error) {
	return g.unite(a, b, link{reason: reason, union: true})
}

// unite puts an edge from a to b into the proof forest, and makes their classes one.
func (g *Graph[D]) unite(a, b Term, l link) (bool, error) {
	ca, cb := g.Class(a), g.Class(b)
	if ca == cb {
		return false, nil
	}
	if !g.analysis.Same(g.data[ca], g.data[cb]) {
		return false, &Mismatch{a, b}
	}
	g.changed = true
	g.classes--
	forward := true
	if g.size[ca] > g.size[cb] {
		a, b, forward = b, a, false
	}
	g.root(a)
	l.to = b
	g.link[a] = l
	g.setForward(a, forward)

	// the class with more uses stays; of two alike the older one
	if g.uses[ca].length < g.uses[cb].length || g.uses[ca].length == g.uses[cb].length && cb < ca {
		ca, cb = cb, ca
	}
	g.parent[cb] = ca
	g.size[ca] += g.size[cb]
	g.oldest[ca] = min(g.oldest[ca], g.oldest[cb])
	g.moveUses(ca, cb)
	var none D
	g.data[cb] = none
	return true, nil
}

// root turns the links of a tree of the proof forest to a.
func (g *Graph[D]) root(a Term) {
	at, l := a, g.link[a]
	forward := g.state[a]&isForward != 0
	g.link[a] = link{to: a}
	for l.to != at {
		to := l.to
		l, g.link[to] = g.link[to], link{to: at, reason: l.reason, union: l.union}
		turned := !forward
		forward = g.state[to]&isForward != 0
		g.setForward(to, turned)
		at = to
	}
}

func (g *Graph[D]) setForward(t Term, forward bool) {
	g.state[t] &^= isForward
	if forward {
		g.state[t] |= isForward
	}
}

// moveUses gives class a the uses of b, which are to be hashed anew.
func (g *Graph[D]) moveUses(a, b Class) {
	from, to := g.uses[b], &g.uses[a]
	g.uses[b] = useList{}
	for cell := from.first; cell != 0; {
		c := &g.cells[cell-1]
		following := c.next
		if t := c.node; g.state[t]&alive != 0 {
			if g.state[t]&isDirty == 0 {
				g.state[t] |= isDirty
				g.dirty = append(g.dirty, t)
			}
			c.next = 0
			if to.length == 0 {
				to.first = cell
			} else {
				g.cells[to.last-1].next = cell
			}
			to.last = cell
			to.length++
		}
		cell = following
	}
}
