package run

import (
	"fmt"
	"slices"

	"tv/semantics/domain"
	"tv/semantics/loops"
	"tv/semantics/value"
)

// Iterations of a parallel loop must not meet in a cell: one writes it, another reads or writes it. Updates by one declared
// reduction may. A cell has, for each parallel loop around and each kind of access, the time of the last access and that of
// the last one of an iteration before that one's. Of all earlier accesses of other iterations of the loop one of the two is
// the latest, so that nothing else need be kept.

// A parallelLoop is a loop whose iterations may run in any order.
type parallelLoop struct {
	*loops.For
	level     int   // of parallel loops around it
	start     int64 // when the loop began
	iteration int64 // when the iteration began
}

// A kind is what an access does: it reads, writes or updates. Updates have kinds of their own by operation.
type kind int

const (
	looks kind = iota
	written
	updates // and more, by the place in Reductions
)

// kinds returns how many there are.
func (p *parallelLoop) kinds() int { return int(updates) + len(p.Parallel.Reductions) }

// A visit says when a cell was accessed.
type visit struct{ last, before int64 }

// A meeting is a parallel loop in which an access may meet others.
type meeting struct {
	*parallelLoop
	kind kind
}

// An update is a statement x = op(x, e).
type update struct {
	op   loops.Op
	self *loops.Expr // the read of x
}

// updateOf returns what a statement updates, or nil. The operator is associative and commutative in the arithmetic.
func updateOf(a value.Arith, s *loops.Assign) *update {
	v := s.Value
	if len(v.Args) != 2 || !reduces(a, v.Op, v.Elem) {
		return nil
	}
	for i, x := range v.Args {
		if x.Op == loops.Read && x.From.Buffer == s.To.Buffer && slices.EqualFunc(x.From.At, s.To.At, sameInt) {
			if occurs(x, v.Args[1-i], map[*loops.Expr]bool{}) {
				return nil // e reads x too, by the same node
			}
			return &update{v.Op, x}
		}
	}
	return nil
}

// occurs tells whether a node is in a graph, of which some nodes are seen already.
func occurs(x, in *loops.Expr, seen map[*loops.Expr]bool) bool {
	if x == in || seen[in] {
		return x == in
	}
	seen[in] = true
	return slices.ContainsFunc(in.Args, func(a *loops.Expr) bool { return occurs(x, a, seen) })
}

// reduces tells whether an operator may combine elements in any order. Sums and products of floats bit for bit may not, and
// of 0 and -0 MinNum and MaxNum may return either.
func reduces(a value.Arith, op loops.Op, t domain.Elem) bool {
	rounds := t.Kind == domain.ElemFloat && a.Bits(t)
	switch op {
	case loops.Add, loops.Mul, loops.MinNum, loops.MaxNum:
		return !rounds
	case loops.BitAnd, loops.BitOr, loops.BitXor, loops.Minimum, loops.Maximum:
		return true
	}
	return false
}

// sameInt tells whether two integers are made in the same way of the same.
func sameInt(x, y *loops.Int) bool {
	return x == y || x.Op == y.Op && x.N == y.N && x.Name == y.Name && x.Loop == y.Loop && x.Cond == y.Cond &&
		slices.EqualFunc(x.Args, y.Args, sameInt)
}

// kindOf returns the kind of a read in the statement.
func (u *update) kindOf(e *loops.Expr) kind {
	if u != nil && u.self == e {
		return updates
	}
	return looks
}

// meetings returns the parallel loops in which an access may meet others: those around it, but not around the Alloc.
func (c *compiler) meetings(a loops.Access, k kind, level int) []meeting {
	var list []meeting
	for _, p := range c.parallel[level:] {
		own := -1
		if c.update != nil {
			own = slices.Index(p.Parallel.Reductions, c.update.op)
		}
		switch {
		case own >= 0 && k == updates: // it counts when it is written
		case own >= 0 && k == written:
			list = append(list, meeting{p, updates + kind(own)})
		case k == updates:
			list = append(list, meeting{p, looks})
		default:
			list = append(list, meeting{p, k})
		}
	}
	return list
}

// meet records an access, and ends the call where it meets one of another iteration.
func (a *access) meet(offset int64) {
	r, b := a.r, a.buffer
	for i := range a.meets {
		p := &a.meets[i]
		for len(b.trace) <= p.level {
			b.trace = append(b.trace, nil)
		}
		kinds := p.kinds()
		if size := kinds * len(b.cells); len(b.trace[p.level]) < size {
			b.trace[p.level] = make([]visit, size)
		}
		visits := b.trace[p.level][offset*int64(kinds):][:kinds]
		for k, v := range visits {
			if kind(k) == p.kind && p.kind != written {
				continue // two reads, or two updates by one reduction
			}
			if v.last > p.iteration {
				v.last = v.before
			}
			if v.last > p.start {
				a.met(p, kind(k), v.last)
			}
		}
		if v := &visits[p.kind]; v.last <= p.iteration {
			v.before, v.last = v.last, r.clock
		} else {
			v.last = r.clock
		}
	}
}

// met ends the call: at a time another iteration accessed the cell.
func (a *access) met(p *meeting, other kind, at int64) {
	r := a.r
	verbs := [...]string{"read", "written", "updated"}
	before := r.placeOf(at)
	text := fmt.Sprintf("an element of %s that is %s here was %s by another iteration of %s", a.buffer.Name,
		verbs[min(p.kind, updates)], verbs[min(other, updates)], p.Name)
	for i, c := range before.iteration {
		text += map[bool]string{true: ", ", false: ": "}[i > 0] + fmt.Sprintf("%s = %d", c.Name, c.Value)
	}
	if r.doubt {
		a.site.unsure(value.ErrUndecided, "parallel iterations are independent")
	}
	a.site.end(r, loops.Independent, "%s", text)
}
