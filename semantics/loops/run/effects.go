package run

import (
	"fmt"

	"tv/semantics/loops"
	"tv/semantics/value"
)

// A stmt is a statement, compiled. find moves the clock as run does, past the statement or, where the statement is what
// happened at a time, up to it.
type stmt interface {
	run(r *Run)
	find(r *Run, at int64) *place
	cost() int64 // by which the clock always goes on, or -1 where it depends on counters
}

type block []stmt

func (b block) run(r *Run) {
	for _, s := range b {
		s.run(r)
	}
}

func (b block) cost() int64 {
	sum := int64(0)
	for _, s := range b {
		n := s.cost()
		if n < 0 {
			return -1
		}
		sum += n
	}
	return sum
}

type assign struct {
	stmt  *loops.Assign
	value func() value.Value
	to    access
	steps int64
}

func (s *assign) cost() int64 { return s.steps }

func (s *assign) run(r *Run) {
	r.clock += s.steps
	v := s.value()
	offset, b := s.to.offset(), s.to.buffer
	if s.to.meets != nil {
		s.to.meet(offset)
	}
	if r.trying > 0 {
		r.note(b, offset)
	}
	c := b.at(offset)
	c.Value, c.at = v, r.clock
}

type alloc struct {
	*buffer
	dims []integer
	site site
}

func (s *alloc) cost() int64 { return 1 }

func (s *alloc) run(r *Run) {
	r.clock++
	for axis := range s.dims {
		n := s.dims[axis].at(r.counters)
		if n < 0 {
			s.site.end(r, loops.Index, "%s with %d elements on axis %d", s.Name, n, axis)
		}
		s.buffer.dims[axis] = n
	}
	if !s.grow(r) {
		panic(stop{fmt.Errorf("%w: %s of dims %d", ErrTooLarge, s.Name, s.buffer.dims)})
	}
	s.since = r.clock
}

type require struct {
	*loops.Require
	cond    func() bool
	failing func() string
	site    site
}

func (s *require) cost() int64 { return 1 }

func (s *require) run(r *Run) {
	if r.clock++; s.cond() {
		return
	}
	message := s.Message
	if why := s.failing(); why != "" {
		message += ": " + why
	}
	s.site.end(r, s.Obligation, "%s", message)
}

type branch struct {
	cond      func() bool
	then, els block
}

func (s *branch) cost() int64 { return -1 }

func (s *branch) run(r *Run) {
	if r.clock++; s.cond() {
		s.then.run(r)
	} else {
		s.els.run(r)
	}
}

type loop struct {
	*loops.For
	slot     int
	lo, hi   []integer
	step     integer
	body     block
	each     int64 // what an iteration costs, or -1
	parallel *parallelLoop
	site     site
}

func (s *loop) cost() int64 { return -1 }

// bounds returns the first value of the counter, the step and how often the loop runs, all that within what is executed of it.
func (s *loop) bounds(r *Run) (first, step int64, trips uint64) {
	first, step, trips = s.whole(r)
	within, some := r.within[s.For]
	if !some || trips == 0 {
		return first, step, trips
	}
	if step < 0 {
		within = Range{-within.Last, -within.First}
	}
	at, by, skip, end := first, magnitude(step), uint64(0), trips // of all iterations those from skip on, up to end
	if step < 0 {
		at = -at
	}
	if within.First > -farthest && at < within.First {
		skip = (uint64(within.First)-uint64(at)-1)/by + 1
	}
	if within.Last < farthest {
		if at > within.Last {
			return first, step, 0
		}
		end = min(end, (uint64(within.Last)-uint64(at))/by+1)
	}
	if skip >= end {
		return first, step, 0
	}
	return first + int64(skip)*step, step, end - skip
}

// whole is bounds for all of a loop.
func (s *loop) whole(r *Run) (first, step int64, trips uint64) {
	lo, hi := s.lo[0].at(r.counters), s.hi[0].at(r.counters)
	for i := range s.lo[1:] {
		lo = max(lo, s.lo[i+1].at(r.counters))
	}
	step = s.step.at(r.counters)
	for i := range s.hi[1:] {
		if next := s.hi[i+1].at(r.counters); (step > 0) == (next < hi) {
			hi = next
		}
	}
	switch {
	case step > 0 && lo < hi: // differences of words fit in words without a sign
		return lo, step, (uint64(hi)-uint64(lo)-1)/uint64(step) + 1
	case step < 0 && lo > hi:
		return lo, step, (uint64(lo)-uint64(hi)-1)/magnitude(step) + 1
	}
	return lo, step, 0
}

func (s *loop) run(r *Run) {
	r.clock++
	i, step, trips := s.bounds(r)
	if step == 0 {
		s.site.end(r, loops.Termination, "the step of %s is 0", s.Name)
	}
	if s.parallel != nil {
		s.parallel.start = r.clock
	}
	for ; trips > 0; trips-- {
		if uint64(i+mostCounter) > 2*mostCounter {
			panic(stop{fmt.Errorf("%w: %s = %d", ErrTooLarge, s.Name, i)})
		}
		r.counters[s.slot] = i
		if r.clock++; r.clock > r.next {
			r.pause()
		}
		if s.parallel != nil {
			s.parallel.iteration = r.clock
		}
		for _, x := range s.body {
			x.run(r)
		}
		i += step // after the last iteration it may wrap, and is not used
	}
}

type when struct {
	stmt      *loops.When
	cond      func() value.Value
	steps     int64
	then, els block
	thenCost  int64
	elsCost   int64
	site      site
}

func (s *when) cost() int64 { return s.steps + s.thenCost + s.elsCost }

func (s *when) run(r *Run) {
	r.clock += s.steps
	start := r.clock
	middle := start + s.thenCost
	switch holds, err := s.cond().Holds(); {
	case err != nil:
		s.either(r, err)
	case holds:
		s.then.run(r)
	default:
		r.clock = middle
		s.els.run(r)
	}
	r.clock = middle + s.elsCost
}
