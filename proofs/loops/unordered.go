package loops

import (
	"slices"

	"tv/semantics/domain"
)

// A touch is an access that a statement makes.
type touch struct {
	Access
	write   bool
	guarded bool // data decides whether it is made
}

// touches lists the accesses of an assignment.
func (s *Assign) touches() (out []touch) {
	out = append(out, touch{s.To, true, s.Guarded})
	var reads func(d *Data, guarded bool)
	reads = func(d *Data, guarded bool) {
		if d.Op == DataRead {
			out = append(out, touch{d.From, false, guarded})
		}
		choice := d.Op == DataChoose || d.Op == DataBoth || d.Op == DataEither
		for i, a := range d.Args {
			reads(a, guarded || choice && i > 0)
		}
	}
	reads(s.Value, s.Guarded)
	return out
}

// accesses are those of a block to buffers, and the buffers that begin in it.
type accesses struct {
	of  map[*Buffer][]touch
	own map[*Buffer]bool
}

func accessesOf(block []Stmt) *accesses {
	a := &accesses{of: map[*Buffer][]touch{}, own: map[*Buffer]bool{}}
	a.block(block)
	return a
}

func (a *accesses) block(list []Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *Assign:
			if s.tally {
				continue
			}
			for _, x := range s.touches() {
				a.of[x.Buffer] = append(a.of[x.Buffer], x)
			}
		case *For:
			a.block(s.Body)
		case *If:
			a.block(s.Then)
			a.block(s.Else)
		case *Alloc:
			a.own[s.Buffer] = true
		}
	}
}

// meets reports whether two iterations of a loop may meet in a cell of a buffer that one of them
// writes, as far as subscripts alone tell.
func (a *accesses) meets(b *Buffer, f *For) bool {
	list := a.of[b]
	if a.own[b] || !slices.ContainsFunc(list, func(x touch) bool { return x.write }) {
		return false
	}
	for k := range b.Dims {
		if !slices.ContainsFunc(list, func(x touch) bool {
			return x.At[k].Op != IntCounter || x.At[k].Loop != f
		}) {
			return false // this axis has the counter for a subscript in all of them
		}
	}
	return true
}

// NoneMeet reports whether subscripts alone tell that iterations of a loop have nothing to do with
// each other, whichever those of other loops in a block are.
func NoneMeet(block []Stmt, f *For) bool {
	a := accessesOf(block)
	for b := range a.of {
		if a.meets(b, f) {
			return false
		}
	}
	return true
}

// unordered asks for iterations of a loop in no order to have nothing to do with each other: that
// no cell which one of them writes is accessed in another (law 11).
func (n *conditioner) unordered(here reached, l *For) {
	all := accessesOf(l.Body)
	n.reductions(l.Body, all)
	assign := func(s Stmt) bool { a, ok := s.(*Assign); return ok && !a.tally }
	later := n.enter(here, l, nil)
	n.visit(later, assign, func(x reached) {
		// The other iteration is one before, in the same ones of the loops around.
		earlier := n.enter(reached{here.at, x.where}, l, later.at.iteration)
		for _, a := range x.statement().(*Assign).touches() {
			if all.meets(a.Buffer, l) {
				n.visit(earlier, assign, func(y reached) { n.apart(x, y, a) })
			}
		}
	})
}

// reductions takes a buffer that only reductions access for one that each iteration has of its own.
func (n *conditioner) reductions(block []Stmt, all *accesses) {
	ops := map[*Buffer]DataOp{}
	count := map[*Buffer]int{}
	var visit func([]Stmt)
	visit = func(block []Stmt) {
		for _, s := range block {
			switch s := s.(type) {
			case *Assign:
				b, op := s.To.Buffer, s.Value.Op
				if first, some := ops[b]; n.reduces(s) && (!some || op == first) {
					ops[b] = op
					count[b]++
				}
			case *For:
				visit(s.Body)
			case *If:
				visit(s.Then)
				visit(s.Else)
			}
		}
	}
	visit(block)
	for b, k := range count { // each writes once, and reads once
		all.own[b] = all.own[b] || len(all.of[b]) == 2*k
	}
}

// reduces reports whether a statement is a declared reduction by what is associative and
// commutative, if not of floats bit for bit: that its elements are none is asked for later.
func (n *conditioner) reduces(s *Assign) bool {
	ops := []DataOp{DataAdd, DataMul, DataMax, DataMin}
	elem := s.To.Buffer.Elem
	if integer(elem) {
		ops = append(ops, DataBitAnd, DataBitOr)
	} else if elem.Kind != domain.ElemFloat {
		return false
	}
	if !s.Reduces || len(s.Value.Args) != 2 || !slices.Contains(ops, s.Value.Op) {
		return false
	}
	n.t.reduced = append(n.t.reduced, elem)
	x := s.Value.Args[0]
	return x.Op == DataRead && SameAccess(x.From, s.To)
}

// apart asks for an access in one instance to be of no cell that a statement in another accesses,
// unless both read.
func (n *conditioner) apart(x, y reached, a touch) {
	for _, b := range y.statement().(*Assign).touches() {
		if b.Buffer != a.Buffer || !a.write && !b.write {
			continue
		}
		var same way
		there := n.all(b.At, y.at, y.where.c)
		for k, e := range n.all(a.At, x.at, x.where.c) {
			same.zero = append(same.zero, n.Sub(e, there[k]))
		}
		n.guarded = a.guarded || b.guarded
		n.never(y, same, "iterations in no order leave no cell of %s to each other", a.Buffer.Name)
	}
	n.guarded = false
}
