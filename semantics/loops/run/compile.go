package run

import (
	"errors"
	"fmt"
	"math/bits"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/loops"
	"tv/semantics/value"
)

// A compiler turns the statements of a procedure into ones with numbers for sizes and slots for counters.
type compiler struct {
	r        *Run
	around   []*loops.For          // loops around
	parallel []*parallelLoop       // those of them that are parallel
	live     map[*loops.Buffer]int // of each buffer that lives, how many parallel loops are around its Alloc
	born     []lifetime            // locals in live, in the order of their Allocs
	span     source.Span           // of the statement that is compiled
	steps    int64                 // operations of the statement so far
	update   *update               // what the statement is, where it updates a cell
	// Of a large statement, what was compiled is kept by node: see shares.
	nodes    int
	integers map[*loops.Int]integer
	elements map[*loops.Expr]func() value.Value
}

// A lifetime is a local with what live held before its Alloc.
type lifetime struct {
	buffer *loops.Buffer
	level  int
	lived  bool
}

// A site is where a statement stands: what an Ended says of it.
type site struct {
	span   source.Span
	around []*loops.For
}

// iteration returns the counters of the loops around.
func (s site) iteration(r *Run) []Counter {
	list := make([]Counter, len(s.around))
	for i, l := range s.around {
		list[i] = Counter{l.Name, r.counters[i]}
	}
	return list
}

// end ends the call.
func (s site) end(r *Run, o loops.Obligation, format string, args ...any) {
	panic(stop{&Ended{o, s.span, fmt.Sprintf(format, args...), s.iteration(r)}})
}

// unsure stops a run of which it is not known whether the call ends. Whether it does where something is undefined nobody
// says: that is no undefined element.
func (s site) unsure(why error, what string) {
	if errors.Is(why, value.ErrUndefined) {
		why = fmt.Errorf("%w: %v", value.ErrUndecided, why)
	}
	panic(stop{fmt.Errorf("%w: it is not known whether %s at %s", why, what, s.span.Position())})
}

// fewNodes are compiled as a tree.
const fewNodes = 64

// shares counts a node and tells whether it has to be looked up: expressions may be graphs that stand for much larger
// trees. Then a node of a statement is compiled once, and computed once at a time.
func (c *compiler) shares() bool {
	if c.nodes++; c.nodes > fewNodes && c.integers == nil {
		c.integers, c.elements = map[*loops.Int]integer{}, map[*loops.Expr]func() value.Value{}
	}
	return c.integers != nil
}

// once computes f once at a time: neither counters nor cells change before the clock goes on.
func once[T any](r *Run, f func() T) func() T {
	var last T
	at := int64(0)
	return func() T {
		if at != r.clock {
			last = f() // which may stop
			at = r.clock
		}
		return last
	}
}

// site returns that of the statement that is compiled, or of a part of it that has a place of its own.
func (c *compiler) site(span source.Span) site {
	if span.File == nil {
		span = c.span
	}
	return site{span, c.around[:len(c.around):len(c.around)]}
}

// fail says that the procedure cannot be run.
func (c *compiler) fail(code, format string, args ...any) {
	panic(stop{source.Errorf(c.span, code, format, args...)})
}

// compile fills r in for a procedure.
func compile(r *Run, p *loops.Procedure) {
	c := &compiler{r: r, live: map[*loops.Buffer]int{}, span: p.Span}
	r.clock, r.counters = 1, make([]int64, max(1, depth(p.Body)))
	for _, b := range p.Buffers {
		x := &buffer{Buffer: b, input: b.Kind == loops.InOut || b.Kind == loops.In, local: b.Kind == loops.Local}
		if c.span = b.Span; b.Elem.Kind > domain.ElemBool {
			c.fail("internal", "%s has elements of %s", b.Name, b.Elem)
		}
		r.buffers[b] = x
		if x.dims = make([]int64, len(b.Dims)); x.local {
			continue
		}
		for axis, d := range b.Dims {
			n := c.integer(d)
			if x.dims[axis] = n.at(r.counters); x.dims[axis] < 0 {
				c.fail("negative-dim", "axis %d of %s has %d elements", axis, b.Name, x.dims[axis])
			}
		}
		if r.parts && x.countable() {
			x.few = map[int64]*cell{}
		} else if r.cells += int(x.count()); r.cells > mostCells {
			c.fail("too-large", "%s of dims %d is too large to run", b.Name, x.dims)
		}
		c.live[b] = 0
	}
	r.body = c.block(p.Body)
}

// countable tells whether the number of elements is a word.
func (b *buffer) countable() bool {
	count := uint64(1)
	for _, n := range b.dims {
		high, low := bits.Mul64(count, uint64(n))
		if high != 0 || low >= 1<<62 {
			return false
		}
		count = low
	}
	return true
}

// count is the number of elements of a buffer, or one that is more than there may be.
func (b *buffer) count() int64 {
	count := int64(1)
	for _, n := range b.dims {
		if count > mostCells && n != 0 {
			count = mostCells + 1 // another axis may have no elements
		} else {
			count *= min(n, mostCells+1)
		}
	}
	return min(count, mostCells+1)
}

// store makes the cells of parameters: no run needs them before it begins.
func (r *Run) store() {
	for _, b := range r.buffers {
		if !b.local && b.cells == nil && b.few == nil {
			b.cells = make([]cell, b.count())
		}
	}
	r.stored = true
}

// grow sees to it that a local has a cell for each element.
func (b *buffer) grow(r *Run) bool {
	count := b.count()
	if more := count - int64(len(b.cells)); more > 0 {
		if count+int64(r.cells-len(b.cells)) > mostCells {
			return false
		}
		r.cells += int(more)
		b.cells = make([]cell, count)
	}
	return true
}

// depth returns how deep loops are nested.
func depth(list []loops.Stmt) int {
	most := 0
	for _, s := range list {
		switch s := s.(type) {
		case *loops.For:
			most = max(most, 1+depth(s.Body))
		case *loops.If:
			most = max(most, depth(s.Then), depth(s.Else))
		}
	}
	return most
}

// block compiles statements. A local lives from its Alloc to the end of the block.
func (c *compiler) block(list []loops.Stmt) block {
	mark := len(c.born)
	out := make(block, 0, len(list))
	for _, s := range list {
		out = append(out, c.statement(s))
	}
	for ; len(c.born) > mark; c.born = c.born[:len(c.born)-1] {
		if last := c.born[len(c.born)-1]; last.lived {
			c.live[last.buffer] = last.level
		} else {
			delete(c.live, last.buffer)
		}
	}
	return out
}

func (c *compiler) statement(s loops.Stmt) stmt {
	c.span, c.steps, c.update = s.Span(), 1, nil
	c.nodes, c.integers, c.elements = 0, nil, nil
	switch s := s.(type) {
	case *loops.Alloc:
		return c.alloc(s)
	case *loops.Assign:
		return c.assign(s)
	case *loops.For:
		return c.loop(s)
	case *loops.If:
		out := &branch{cond: c.condition(s.Cond)}
		out.then, out.els = c.block(s.Then), c.block(s.Else)
		return out
	case *loops.When:
		return c.when(s)
	case *loops.Require:
		return &require{Require: s, cond: c.condition(s.Cond), site: c.site(s.At), failing: c.failing(s.Cond)}
	}
	c.fail("internal", "a statement of type %T", s)
	return nil
}

func (c *compiler) alloc(s *loops.Alloc) stmt {
	b := c.r.buffers[s.Buffer]
	if b == nil || !b.local {
		c.fail("internal", "%s is allocated and is no local", s.Buffer.Name)
	}
	out := &alloc{buffer: b, site: c.site(s.At)}
	for _, d := range b.Dims {
		out.dims = append(out.dims, c.integer(d))
	}
	level, lived := c.live[s.Buffer]
	c.born = append(c.born, lifetime{s.Buffer, level, lived})
	c.live[s.Buffer] = len(c.parallel)
	return out
}

func (c *compiler) assign(s *loops.Assign) stmt {
	if b := s.To.Buffer; s.Value.Elem != b.Elem || b.Kind == loops.In {
		c.fail("internal", "%s of %s is assigned an element of %s", b.Name, b.Elem, s.Value.Elem)
	}
	if len(c.parallel) > 0 {
		c.update = updateOf(c.r.arith, s)
	}
	out := &assign{stmt: s, value: c.element(s.Value)}
	out.to = c.access(s.To, written)
	out.steps = c.steps
	return out
}

func (c *compiler) loop(s *loops.For) stmt {
	out := &loop{For: s, slot: len(c.around), site: c.site(s.At), step: c.integer(s.Step)}
	for _, x := range s.Lo {
		out.lo = append(out.lo, c.integer(x))
	}
	for _, x := range s.Hi {
		out.hi = append(out.hi, c.integer(x))
	}
	if len(s.Lo) == 0 || len(s.Hi) == 0 {
		c.fail("internal", "the loop over %s has no bounds", s.Name)
	}
	around, parallel := c.around, c.parallel
	c.around = append(around[:len(around):len(around)], s)
	if s.Parallel != nil && !c.r.parts {
		out.parallel = &parallelLoop{For: s, level: len(parallel)}
		c.parallel = append(parallel[:len(parallel):len(parallel)], out.parallel)
	}
	out.body = c.block(s.Body)
	c.around, c.parallel = around, parallel
	if out.each = out.body.cost(); out.each >= 0 {
		out.each++
	}
	return out
}

func (c *compiler) when(s *loops.When) stmt {
	if s.Cond.Elem.Kind != domain.ElemBool {
		c.fail("internal", "a condition of type %s", s.Cond.Elem)
	}
	for _, list := range [][]loops.Stmt{s.Then, s.Else} {
		for _, x := range list {
			switch x.(type) {
			case *loops.Assign, *loops.Require, *loops.When:
			default:
				c.fail("internal", "a branch on data holds a statement of type %T", x)
			}
		}
	}
	out := &when{stmt: s, cond: c.element(s.Cond), site: c.site(s.At)}
	out.steps = c.steps
	out.then, out.els = c.block(s.Then), c.block(s.Else)
	out.thenCost, out.elsCost = out.then.cost(), out.els.cost()
	return out
}
