package calls

import (
	"slices"

	"tv/semantics/loops"
)

// A node is a statement of a procedure that can be taken apart: a loop has a body of its own, while its counter stays that of
// the procedure.
type node struct {
	stmt loops.Stmt // nil of a call
	body []*node    // of a For
	call *Site
}

// nodes copies the structure of statements.
func nodes(list []loops.Stmt) (out []*node) {
	for _, s := range list {
		n := &node{stmt: s}
		if f, ok := s.(*loops.For); ok {
			n.body = nodes(f.Body)
		}
		out = append(out, n)
	}
	return out
}

// loop is the loop that a node is, or nil.
func (n *node) loop() *loops.For {
	f, _ := n.stmt.(*loops.For)
	return f
}

// perfect returns the loops of a node that hold one statement each, and the assignment in the innermost; nil where it is
// something else.
func (n *node) perfect() (around []*loops.For, leaf *loops.Assign) {
	for n.loop() != nil && len(n.body) == 1 {
		around, n = append(around, n.loop()), n.body[0]
	}
	leaf, _ = n.stmt.(*loops.Assign)
	return around, leaf
}

// distributed takes loops apart, so that each of the statements in one has a loop of its own, where that keeps what is read.
func distributed(list []*node) (out []*node) {
	for _, n := range list {
		f := n.loop()
		if f == nil {
			out = append(out, n)
			continue
		}
		n.body = distributed(n.body)
		if !n.separable() {
			out = append(out, n)
			continue
		}
		for _, s := range n.body {
			out = append(out, &node{stmt: f, body: []*node{s}})
		}
	}
	return out
}

// separable tells whether each statement of a loop may run to the end of the loop before the next one begins: what one of them
// writes, the others access in the same iteration alone, which a subscript that is the counter shows.
func (n *node) separable() bool {
	if n.loop().Parallel != nil || len(n.body) < 2 {
		return false
	}
	var all []accesses
	for _, s := range n.body {
		a, ok := s.accesses()
		if _, local := s.stmt.(*loops.Alloc); local || !ok {
			return false
		}
		all = append(all, a)
	}
	for i, a := range all {
		for _, b := range all[i+1:] {
			if a.meet(b, n.loop()) || b.meet(a, n.loop()) {
				return false
			}
		}
	}
	return true
}

// accesses are those of some statements.
type accesses struct{ reads, writes []loops.Access }

// accesses lists what a node accesses, unless it holds what nobody takes apart.
func (n *node) accesses() (out accesses, ok bool) {
	if n.call != nil {
		return accesses{[]loops.Access{n.call.a, n.call.b}, []loops.Access{n.call.to}}, true
	}
	switch s := n.stmt.(type) {
	case *loops.Assign:
		out.writes = append(out.writes, s.To)
		out.reads = reads(s.Value)
		return out, true
	case *loops.For:
		for _, m := range n.body {
			inner, ok := m.accesses()
			if !ok {
				return out, false
			}
			out.reads, out.writes = append(out.reads, inner.reads...), append(out.writes, inner.writes...)
		}
		return out, true
	case *loops.Require, *loops.Alloc:
		return out, true
	}
	return out, false
}

// meet tells whether what a writes may be what b accesses in another iteration of a loop.
func (a accesses) meet(b accesses, f *loops.For) bool {
	return slices.ContainsFunc(a.writes, func(w loops.Access) bool {
		other := func(x loops.Access) bool { return x.Buffer == w.Buffer && !together(w, x, f) }
		return slices.ContainsFunc(b.reads, other) || slices.ContainsFunc(b.writes, other)
	})
}

// together tells whether two accesses that are of one cell are so in one iteration of a loop alone.
func together(x, y loops.Access, f *loops.For) bool {
	for k := range min(len(x.At), len(y.At)) {
		if x.At[k].Same(y.At[k]) && mentions(x.At[k], f) && onlyCounter(x.At[k], f) {
			return true
		}
	}
	return false
}

// onlyCounter tells whether an integer is the counter of a loop, perhaps with something added that stays the same.
func onlyCounter(x *loops.Int, f *loops.For) bool {
	terms := sumOf(x)
	at := slices.IndexFunc(terms, func(t *loops.Int) bool { return t.Op == loops.Counter && t.Loop == f })
	return at >= 0 && !slices.ContainsFunc(slices.Delete(slices.Clone(terms), at, at+1), func(t *loops.Int) bool {
		return mentionsAny(t)
	})
}

// sumOf lists the summands of an integer.
func sumOf(x *loops.Int) (out []*loops.Int) {
	if x.Op != loops.Plus {
		return []*loops.Int{x}
	}
	for _, a := range x.Args {
		out = append(out, sumOf(a)...)
	}
	return out
}

// mentions tells whether an integer reads the counter of one of some loops.
func mentions(x *loops.Int, list ...*loops.For) bool {
	return counters(x, func(f *loops.For) bool { return slices.Contains(list, f) })
}

func mentionsAny(x *loops.Int) bool { return counters(x, func(*loops.For) bool { return true }) }

// counters tells whether a counter in an integer is one for which yes holds.
func counters(x *loops.Int, yes func(*loops.For) bool) bool {
	return x.Op == loops.Counter && yes(x.Loop) || x.Cond != nil ||
		slices.ContainsFunc(x.Args, func(a *loops.Int) bool { return counters(a, yes) })
}

// reads lists what an element reads.
func reads(e *loops.Expr) (out []loops.Access) {
	if e.Op == loops.Read {
		return []loops.Access{e.From}
	}
	for _, a := range e.Args {
		out = append(out, reads(a)...)
	}
	return out
}
