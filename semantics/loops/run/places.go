package run

import "tv/semantics/loops"

// A place is what happened at a time.
type place struct {
	stmt      loops.Stmt
	iteration []Counter
}

// placeOf finds what happened at a time: the statement in which the clock passed it.
func (r *Run) placeOf(at int64) *place {
	out := &place{}
	r.fromStart(func() {
		if p := r.body.find(r, at); p != nil {
			for i := range p.iteration {
				p.iteration[i].Value = r.counters[i]
			}
			out = p
		}
	})
	return out
}

// fromStart calls f with the clock at the beginning of the call.
func (r *Run) fromStart(f func()) {
	clock, counters := r.clock, append([]int64(nil), r.counters...)
	r.clock = r.born + 1
	defer func() {
		r.clock = clock
		copy(r.counters, counters)
	}()
	f()
}

// Longer tells whether the call takes more than so many steps, if it does not end before. The answer takes fewer, and no
// storage.
func (r *Run) Longer(steps int64) (longer bool) {
	_ = r.attempt(func() { r.fromStart(func() { longer = r.body.reaches(r, r.born+steps+2) }) }) // what stops that stops the call
	return longer
}

// reaches moves the clock past a block and tells whether it reaches a time.
func (b block) reaches(r *Run, at int64) bool {
	for _, s := range b {
		switch s := s.(type) {
		case *branch:
			r.clock++
			next := s.els
			if s.cond() {
				next = s.then
			}
			if next.reaches(r, at) {
				return true
			}
		case *loop:
			r.clock++
			if s.reaches(r, at) {
				return true
			}
		default:
			r.clock += s.cost()
		}
		if r.clock >= at {
			return true
		}
	}
	return r.clock >= at
}

// reaches is that of its iterations.
func (s *loop) reaches(r *Run, at int64) bool {
	i, step, trips := s.bounds(r)
	if s.each > 0 {
		if r.clock >= at || trips > uint64(at-r.clock)/uint64(s.each) {
			return true
		}
		r.clock += int64(trips) * s.each
		return r.clock >= at
	}
	for ; trips > 0; trips-- {
		r.counters[s.slot] = i
		if r.clock++; r.clock >= at || s.body.reaches(r, at) {
			return true
		}
		i += step
	}
	return false
}

// Writer returns what wrote a cell last; false if nothing did. Where it is not known which branch was taken, it is what is
// written last in either.
func (r *Run) Writer(b *loops.Buffer, offset int64) (Write, bool) {
	x := r.buffers[b]
	at := x.at(offset).at
	if at <= max(x.since, r.born+1) {
		return Write{}, false
	}
	p := r.placeOf(at)
	s, ok := p.stmt.(*loops.Assign)
	return Write{s, p.iteration}, ok
}

func (b block) find(r *Run, at int64) *place {
	for _, s := range b {
		if p := s.find(r, at); p != nil {
			return p
		}
	}
	return nil
}

// passed moves the clock by n and returns the place, if at has been reached.
func (r *Run) passed(n, at int64, s loops.Stmt, around []*loops.For) *place {
	if r.clock += n; r.clock < at {
		return nil
	}
	p := &place{stmt: s}
	for _, l := range around {
		p.iteration = append(p.iteration, Counter{Name: l.Name})
	}
	return p
}

func (s *assign) find(r *Run, at int64) *place {
	return r.passed(s.steps, at, s.stmt, s.to.site.around)
}

func (s *alloc) find(r *Run, at int64) *place { return r.passed(1, at, nil, s.site.around) }

func (s *require) find(r *Run, at int64) *place { return r.passed(1, at, s.Require, s.site.around) }

func (s *branch) find(r *Run, at int64) *place {
	if r.clock++; s.cond() {
		return s.then.find(r, at)
	}
	return s.els.find(r, at)
}

func (s *when) find(r *Run, at int64) *place {
	if p := r.passed(s.steps, at, s.stmt, s.site.around); p != nil {
		return p
	}
	if p := s.then.find(r, at); p != nil {
		return p
	}
	return s.els.find(r, at)
}

func (s *loop) find(r *Run, at int64) *place {
	r.clock++
	i, step, trips := s.bounds(r)
	skip := uint64(0)
	if s.each >= 0 { // all iterations take the same time: go to the one that is wanted, or past the last
		skip = min(trips, uint64(max(0, at-r.clock-1))/uint64(s.each))
		r.clock += int64(skip) * s.each
	}
	for i += int64(skip) * step; skip < trips; skip++ {
		r.counters[s.slot] = i
		r.clock++
		if p := s.body.find(r, at); p != nil {
			return p
		}
		i += step
	}
	return nil
}
