package run

import (
	"tv/semantics/domain"
	"tv/semantics/loops"
)

// What one cell holds after the call depends on few iterations of a large nest. A slice of a call executes those, and perhaps some more: all
// that write what the cell is made of, in their order. It says what the cell holds if the call does not end, which it does not find out.

// A Range is of the values of a counter, both ends included; First above Last: none.
type Range struct{ First, Last int64 }

// farthest bounds what is computed here: beyond it nothing is known.
const farthest = int64(1) << 40

var anywhere = Range{-farthest, farthest}

func (x Range) empty() bool { return x.First > x.Last }

// hull is the least range that holds two.
func (x Range) hull(y Range) Range {
	switch {
	case x.empty():
		return y
	case y.empty():
		return x
	}
	return Range{min(x.First, y.First), max(x.Last, y.Last)}
}

// Sliceable tells whether a call of a procedure executes to its end whatever contents are, if its accesses lie in their bounds and what it
// requires holds: nothing is computed that may end it, and locals are scalars that are set where they begin.
func Sliceable(p *loops.Procedure) bool {
	return !p.Alias && calm(p, p.Body)
}

// calm is Sliceable for a block.
func calm(p *loops.Procedure, list []loops.Stmt) bool {
	for i, s := range list {
		ok := true
		switch s := s.(type) {
		case *loops.Alloc:
			ok = len(s.Buffer.Dims) == 0 && begins(list[i+1:], s.Buffer)
		case *loops.Assign:
			ok = total(s.To.At...) && tame(p, s.Value)
		case *loops.For:
			ok = s.Step.Op == loops.Number && s.Step.N != 0 && total(s.Lo...) && total(s.Hi...) && calm(p, s.Body)
		case *loops.If:
			ok = decided(s.Cond) && calm(p, s.Then) && calm(p, s.Else)
		case *loops.Require:
			ok = decided(s.Cond)
		case *loops.When:
			ok = tame(p, s.Cond) && calm(p, s.Then) && calm(p, s.Else)
		}
		if !ok {
			return false
		}
	}
	return true
}

// total tells whether integers are surely divided by nothing that is 0. A size may be 0 as well.
func total(list ...*loops.Int) bool {
	for _, x := range list {
		switch x.Op {
		case loops.FloorDiv, loops.CeilDiv, loops.FloorMod, loops.TruncDiv, loops.TruncMod:
			if d := x.Args[1]; d.Op != loops.Number || d.N == 0 {
				return false
			}
		case loops.Choose:
			if !decided(x.Cond) {
				return false
			}
		}
		if !total(x.Args...) {
			return false
		}
	}
	return true
}

// decided is total for a condition.
func decided(c *loops.Cond) bool {
	if c.A != nil && !total(c.A) || c.B != nil && !total(c.B) {
		return false
	}
	for _, x := range c.Conds {
		if !decided(x) {
			return false
		}
	}
	return true
}

// begins tells whether statements set a scalar before they read it.
func begins(list []loops.Stmt, b *loops.Buffer) bool {
	for _, s := range list {
		switch s := s.(type) {
		case *loops.Alloc:
			if s.Buffer == b {
				return false
			}
		case *loops.Assign:
			if mentions(s.Value, b) {
				return false
			}
			if s.To.Buffer == b {
				return true
			}
		default:
			return false
		}
	}
	return false
}

func mentions(e *loops.Expr, b *loops.Buffer) bool {
	if e.Op == loops.Read && e.From.Buffer == b {
		return true
	}
	for _, a := range e.Args {
		if mentions(a, b) {
			return true
		}
	}
	return false
}

// tame tells whether nothing in an element ends the call but an access.
func tame(p *loops.Procedure, e *loops.Expr) bool {
	integer := e.Elem.Kind != domain.ElemFloat
	switch {
	case loops.MayEnd(e, p.Wide),
		e.Op == loops.Convert && integer && e.Args[0].Elem.Kind == domain.ElemFloat,
		e.Op == loops.Read && (e.From.Buffer.Kind == loops.Returned || !total(e.From.At...)),
		e.Op == loops.FromInt && !total(e.Int):
		return false
	}
	for _, a := range e.Args {
		if !tame(p, a) {
			return false
		}
	}
	return true
}

// A slicer finds what a cell is made of, in boxes: of each buffer the places that count.
type slicer struct {
	sizes  map[string]int64
	boxes  map[*loops.Buffer][]Range
	loops  map[*loops.For]Range
	scope  map[*loops.Buffer][]*loops.For // of a local, the loops around its Alloc: each of their iterations has one of its own
	around []*loops.For
	under  []*loops.Expr // conditions on data around
	grown  map[*loops.Buffer]bool
}

// Limits of the search for boxes: rounds until those that still grow hold all of a buffer, and of bounds within a round.
const (
	mostRounds = 8
	mostPasses = 32
)

// Slice returns for the loops of a procedure which values of their counters count for a cell at an index of a buffer. The procedure has to
// be Sliceable.
func Slice(p *loops.Procedure, sizes map[string]int64, b *loops.Buffer, index []int64) map[*loops.For]Range {
	box := make([]Range, len(index))
	for axis, i := range index {
		box[axis] = Range{i, i}
	}
	s := &slicer{sizes: sizes, boxes: map[*loops.Buffer][]Range{b: box}, scope: map[*loops.Buffer][]*loops.For{}}
	s.scopes(p.Body, nil)
	for round := 0; ; round++ {
		s.loops, s.grown = map[*loops.For]Range{}, map[*loops.Buffer]bool{}
		s.block(p.Body)
		if len(s.grown) == 0 {
			return s.loops
		}
		for b := range s.grown {
			for axis := range s.boxes[b] {
				if round >= mostRounds {
					s.boxes[b][axis] = anywhere
				}
			}
		}
	}
}

// scopes finds the loops around the Allocs of locals.
func (s *slicer) scopes(list []loops.Stmt, around []*loops.For) {
	for _, x := range list {
		switch x := x.(type) {
		case *loops.Alloc:
			scope, again := s.scope[x.Buffer]
			if !again {
				scope = around
			}
			n := 0
			for n < min(len(scope), len(around)) && scope[n] == around[n] {
				n++
			}
			s.scope[x.Buffer] = around[:n:n]
		case *loops.For:
			s.scopes(x.Body, append(around[:len(around):len(around)], x))
		case *loops.If:
			s.scopes(x.Then, around)
			s.scopes(x.Else, around)
		}
	}
}

// place is where an access is: the iteration of which a local is, and the subscripts.
func (s *slicer) place(v *system, a loops.Access) (out []line) {
	for _, l := range s.scope[a.Buffer] {
		out = append(out, v.sum(loops.CounterOf(l)))
	}
	for _, at := range a.At {
		out = append(out, v.sum(at))
	}
	return out
}

// block looks at statements: it widens boxes by what those read that write into boxes, and ranges by where these are executed.
func (s *slicer) block(list []loops.Stmt) {
	for _, x := range list {
		switch x := x.(type) {
		case *loops.Assign:
			s.assign(x)
		case *loops.For:
			if _, ok := s.loops[x]; !ok {
				s.loops[x] = Range{0, -1}
			}
			s.around = append(s.around, x)
			s.block(x.Body)
			s.around = s.around[:len(s.around)-1]
		case *loops.If:
			s.block(x.Then)
			s.block(x.Else)
		case *loops.When:
			s.under = append(s.under, x.Cond)
			s.block(x.Then)
			s.block(x.Else)
			s.under = s.under[:len(s.under)-1]
		}
	}
}

func (s *slicer) assign(x *loops.Assign) {
	box, ok := s.boxes[x.To.Buffer]
	if !ok {
		return
	}
	v := &system{sizes: s.sizes, of: map[*loops.For]int{}}
	for _, l := range s.around {
		v.loop(l)
	}
	if !v.narrow() {
		return
	}
	for axis, sum := range s.place(v, x.To) {
		v.least(sum.plus(line{number: -box[axis].First}, 1))
		v.least(line{number: box[axis].Last}.plus(sum, -1))
	}
	if !v.narrow() {
		return // never executed
	}
	for _, l := range s.around {
		s.loops[l] = s.loops[l].hull(v.ranges[v.of[l]])
	}
	s.reads(v, x.Value)
	for _, c := range s.under {
		s.reads(v, c)
	}
}

// reads widens boxes by what an element reads.
func (s *slicer) reads(v *system, e *loops.Expr) {
	if e.Op == loops.Read {
		b, known := e.From.Buffer, len(v.below)
		sums := s.place(v, e.From)
		box, ok := s.boxes[b]
		if !ok {
			box = make([]Range, len(sums))
			for axis := range box {
				box[axis] = Range{0, -1}
			}
			s.boxes[b], s.grown[b] = box, true
		}
		if len(v.below) > known {
			v.narrow()
		}
		for axis, sum := range sums {
			if wide := box[axis].hull(v.rangeOf(sum)); wide != box[axis] {
				box[axis], s.grown[b] = wide, true
			}
		}
	}
	for _, a := range e.Args {
		s.reads(v, a)
	}
}

// A line is a linear expression over the unknowns of a system.
type line struct {
	factors []int64 // by unknown; those beyond the end are 0
	number  int64
	wild    bool // it grew beyond what is computed here: it may be anything
}

// alone is a line that is an unknown.
func alone(k int) line {
	out := line{factors: make([]int64, k+1)}
	out.factors[k] = 1
	return out
}

// constant tells whether no unknown is in a line.
func (x line) constant() bool { return !x.wild && len(x.factors) == 0 }

// plus is x + f·y.
func (x line) plus(y line, f int64) line {
	out := line{factors: make([]int64, max(len(x.factors), len(y.factors))), wild: x.wild || y.wild || !small(f)}
	if out.wild {
		return out
	}
	copy(out.factors, x.factors)
	for k, c := range y.factors {
		out.factors[k] += f * c
		out.wild = out.wild || !small(out.factors[k])
	}
	out.number = x.number + f*y.number
	out.wild = out.wild || !near(out.number)
	for len(out.factors) > 0 && out.factors[len(out.factors)-1] == 0 {
		out.factors = out.factors[:len(out.factors)-1]
	}
	return out
}

// near tells whether a number is one that is computed with here: the product with a small one is a word.
func near(n int64) bool { return -2*farthest <= n && n <= 2*farthest }

// small tells whether a number may be a factor.
func small(n int64) bool { return -1<<20 <= n && n <= 1<<20 }

// A system is of integers: the counters of the loops around a statement, and quotients, each in a range.
type system struct {
	sizes  map[string]int64
	of     map[*loops.For]int
	ranges []Range
	below  []line // each is at least 0
}

func (v *system) unknown() (line, int) {
	k := len(v.ranges)
	v.ranges = append(v.ranges, anywhere)
	return alone(k), k
}

// least says that a sum is at least 0.
func (v *system) least(x line) {
	if !x.wild {
		v.below = append(v.below, x)
	}
}

// loop adds a counter and its bounds.
func (v *system) loop(l *loops.For) {
	counter, k := v.unknown()
	v.of[l] = k
	way := int64(1)
	if l.Step.N < 0 {
		way = -1
	}
	for _, lo := range l.Lo {
		v.least(line{}.plus(counter, way).plus(v.sum(lo), -way))
	}
	for _, hi := range l.Hi {
		v.least(line{number: -1}.plus(v.sum(hi), way).plus(counter, -way))
	}
}

// sum is an integer as a linear expression; what is none is an unknown of which all or some is known.
func (v *system) sum(x *loops.Int) line {
	switch x.Op {
	case loops.Number, loops.Size:
		n := x.N
		if x.Op == loops.Size {
			n = v.sizes[x.Name]
		}
		return line{number: n, wild: !near(n)}
	case loops.Counter:
		if k, ok := v.of[x.Loop]; ok {
			return alone(k)
		}
	case loops.Plus:
		out := line{}
		for _, a := range x.Args {
			out = out.plus(v.sum(a), 1)
		}
		return out
	case loops.Times:
		a, b := v.sum(x.Args[0]), v.sum(x.Args[1])
		if !a.constant() {
			a, b = b, a
		}
		if a.constant() && small(a.number) {
			return line{}.plus(b, a.number)
		}
	case loops.FloorDiv, loops.CeilDiv, loops.FloorMod, loops.TruncDiv, loops.TruncMod:
		a, b := v.sum(x.Args[0]), v.sum(x.Args[1])
		if towards0 := x.Op == loops.TruncDiv || x.Op == loops.TruncMod; towards0 && v.rangeOf(a).First < 0 {
			break // what is not below 0 is rounded down
		}
		if a.wild || !b.constant() || b.number <= 0 || !small(b.number) {
			break
		}
		q, _ := v.unknown()
		rest := a.plus(q, -b.number)
		if x.Op == loops.CeilDiv {
			rest.number += b.number - 1
		}
		v.least(rest)
		v.least(line{number: b.number - 1}.plus(rest, -1))
		if x.Op == loops.FloorMod || x.Op == loops.TruncMod {
			return a.plus(q, -b.number)
		}
		return q
	case loops.Least, loops.Greatest:
		m, _ := v.unknown()
		way := int64(1)
		if x.Op == loops.Greatest {
			way = -1
		}
		for _, a := range x.Args {
			v.least(line{}.plus(v.sum(a), way).plus(m, -way))
		}
		return m
	}
	out, _ := v.unknown()
	out.wild = true
	return out
}

// rangeOf is where a sum lies.
func (v *system) rangeOf(x line) Range {
	if x.wild {
		return anywhere
	}
	out := Range{x.number, x.number}
	for k, c := range x.factors {
		if c == 0 {
			continue
		}
		r := v.ranges[k]
		if r.First <= -farthest || r.Last >= farthest {
			return anywhere
		}
		if c > 0 {
			out.First, out.Last = out.First+c*r.First, out.Last+c*r.Last
		} else {
			out.First, out.Last = out.First+c*r.Last, out.Last+c*r.First
		}
	}
	if out.First < -farthest || out.Last > farthest {
		return anywhere
	}
	return out
}

// narrow makes ranges smaller by what is at least 0, and tells whether none is empty then.
func (v *system) narrow() bool {
	for range mostPasses {
		changed := false
		for _, x := range v.below {
			if len(x.factors) == 0 && x.number < 0 {
				return false
			}
			for k, c := range x.factors {
				if c == 0 {
					continue
				}
				top := v.rangeOf(x.plus(alone(k), -c)).Last // c·k + top >= 0
				if top >= farthest {
					continue
				}
				r := v.ranges[k]
				if c > 0 {
					r.First = max(r.First, -floor(top, c))
				} else {
					r.Last = min(r.Last, floor(top, -c))
				}
				if r.empty() {
					return false
				}
				changed = changed || r != v.ranges[k]
				v.ranges[k] = r
			}
		}
		if !changed {
			break
		}
	}
	return true
}

// floor is x/y, rounded down; y is above 0.
func floor(x, y int64) int64 {
	q := x / y
	if x%y < 0 {
		q--
	}
	return q
}
