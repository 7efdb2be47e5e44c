package prove

import (
	"context"
	"math/rand/v2"

	"tv/ila"
	"tv/semantics/term"
)

// Before an element is left open, operands are looked for at which the machine and the contract differ: those that give a number a value at
// which its scalar lemma fails, and those that bring what is compared, shifted or cut to where that shows. All of it is steps that are
// counted: the answer does not depend on time.

const (
	elementsSearched = 3
	mostGoals        = 96      // of an element
	goalWork         = 1 << 20 // operations computed for a goal
	searchWork       = 1 << 25 // for a task
	searchedOperands = 96      // that are changed for a goal
	searchRounds     = 4       // times that each of them is
	searchStarts     = 4
	decidedBelow     = 1 << 11 // terms of an element in which goals are looked for
)

// An openElement is one whose terms are not known to be the same.
type openElement struct {
	flat      int
	want, got *term.Term
	differ    []Difference
}

// A goal is what operands are to bring about: that a number is far from it by 0.
type goal struct {
	of  []*term.Term
	far func(values []uint64) uint64
}

// search looks for operands that show an open element to be wrong, and reports whether it found any: then r says how.
func (r *Result) search(ctx context.Context, t *ila.Task, list []openElement) (bool, error) {
	left := searchWork
	for _, o := range list {
		goals := o.goals()
		terms := []*term.Term{o.want, o.got}
		for _, g := range goals {
			terms = append(terms, g.of...)
		}
		e := newEvaluation(t, terms...)
		if e == nil || len(e.operands) == 0 {
			continue
		}
		for n, g := range goals {
			if err := ctx.Err(); err != nil {
				return false, err
			}
			s := &searching{evaluation: e, goal: g, want: e.places[o.want], got: e.places[o.got], left: min(left, goalWork),
				random: rand.New(rand.NewPCG(uint64(n), 0x7365))}
			for _, x := range g.of {
				s.of = append(s.of, e.places[x])
			}
			s.values = make([]uint64, len(s.of))
			before := s.left
			if s.run() {
				if done, err := runOn(t, e.inputs(), o.flat, 1, r); done || err != nil {
					return done, err
				}
			}
			if left -= before - s.left; left <= 0 {
				return false, nil
			}
		}
	}
	return false, nil
}

// inputs returns the values of all operands; elements that nothing depends on are 0.
func (e *evaluation) inputs() (list [][]uint64) {
	for _, x := range e.task.Inputs {
		values := make([]uint64, x.Size())
		for _, o := range e.operands {
			if o.Tensor == x {
				values[o.From] = e.values[e.at[o]]
			}
		}
		list = append(list, values)
	}
	return list
}

// goals returns what is tried for an element, the most promising first.
func (o *openElement) goals() (list []goal) {
	for _, d := range o.differ {
		w := d.Of.Sort.Width
		for _, v := range d.Values {
			list = append(list, goal{[]*term.Term{d.Of}, func(values []uint64) uint64 { return apart(values[0], v, w) }})
		}
	}
	seen := map[*term.Term]bool{}
	for at := []*term.Term{o.want, o.got}; len(at) > 0 && len(seen) < decidedBelow; {
		t := at[0]
		if at = at[1:]; seen[t] {
			continue
		}
		seen[t] = true
		list = append(list, goalsOf(t)...)
		at = append(at, t.Args...)
	}
	if len(list) > mostGoals {
		list = list[:mostGoals]
	}
	return list
}

// goalsOf returns the goals that an operation has: both sides of a comparison equal, or one from it; bits that are shifted out a half, one
// from it, or all ones, of numbers of either sign, above an even or an odd number.
func goalsOf(t *term.Term) (list []goal) {
	switch t.Op {
	case term.LessS, term.LessU, term.Equal:
		if t.Args[0].Sort.Kind != term.Unsigned || t.Args[0].Sort.Width > 64 {
			return nil
		}
		w := t.Args[0].Sort.Width
		for _, by := range []uint64{0, 1, ^uint64(0)} {
			list = append(list, goal{t.Args[:2], func(v []uint64) uint64 { return apart(v[0], (v[1]+by)&term.Ones(w), w) }})
		}
	case term.ShrS, term.ShrU:
		by, ok := t.Args[1].ConstBits()
		w := t.Sort.Width
		if !ok || by == 0 || by >= uint64(w) || w > 64 {
			return nil
		}
		half := uint64(1) << (by - 1)
		for _, low := range []uint64{half, half - 1, half + 1, term.Ones(int(by))} {
			for kind := range uint64(4) {
				list = append(list, goal{t.Args[:1], func(v []uint64) uint64 {
					far := apart(v[0]&term.Ones(int(by)), low&term.Ones(int(by)), int(by))
					if v[0]>>by&1 != kind&1 {
						far += half
					}
					if v[0]>>(w-1) != kind>>1 {
						far += min(uint64(max(term.Signed64(v[0], w), -term.Signed64(v[0], w))), 1<<40) + half
					}
					return far
				}})
			}
		}
	}
	return list
}

// apart returns how far numbers of a width are from each other, as signed ones.
func apart(x, y uint64, width int) uint64 {
	a, b := term.Signed64(x, width), term.Signed64(y, width)
	return uint64(max(a, b)) - uint64(min(a, b))
}

// A searching changes one operand after the other, each to the value that brings the goal nearest, until the element differs.
type searching struct {
	*evaluation
	goal      goal
	of        []int // where what the goal is about is
	want, got int
	values    []uint64
	left      int // nodes that may be computed yet
	random    *rand.Rand
}

// run searches, and reports whether the element differs.
func (s *searching) run() bool {
	for start := range searchStarts {
		few := s.random.IntN(2) == 0 // operands other than 0: sums are small
		for _, o := range s.operands {
			v := s.random.Uint64() >> s.random.IntN(64) & term.Ones(o.Tensor.Width)
			if few && s.random.IntN(4) != 0 || start == 0 && s.random.IntN(2) == 0 {
				v = 0
			}
			s.evaluation.values[s.at[o]] = v
		}
		s.all()
		near := s.far()
		order := s.random.Perm(len(s.operands))
		for round := 0; round < searchRounds && near > 0; round++ {
			before := near
			for _, n := range order[:min(len(order), searchedOperands)] {
				var found bool
				if near, found = s.move(s.operands[n], near); found || s.left <= 0 {
					return found
				}
				if near == 0 {
					break
				}
			}
			if near == before {
				break
			}
		}
		if s.differs() {
			return true
		}
	}
	return false
}

// move gives an operand the value that brings the goal nearest, or the first at which the element differs.
func (s *searching) move(o ila.Stretch, near uint64) (nearer uint64, found bool) {
	w := o.Tensor.Width
	now := s.evaluation.values[s.at[o]]
	best, flat := now, true
	try := func(v uint64) {
		if v &= term.Ones(w); found || near == 0 || v == best || s.left <= 0 {
			return
		}
		s.set(o, v)
		s.left -= 1 + len(s.affected[s.at[o]])
		if found = s.differs(); found {
			return
		}
		far := s.far()
		flat = flat && far == near
		if far < near {
			near, best = far, v
		}
	}
	if w <= 8 {
		for v := range uint64(1) << w {
			try(v)
		}
	} else {
		try(now + near)
		try(now - near)
		for i := range w {
			try(best + 1<<i)
			try(best - 1<<i)
		}
	}
	if flat { // as a factor of 0: another value may help what comes later
		best = s.random.Uint64() & term.Ones(w)
	}
	if !found {
		s.set(o, best)
	}
	return near, found
}

// far returns how far the goal is.
func (s *searching) far() uint64 {
	for i, at := range s.of {
		s.values[i] = s.evaluation.values[at]
	}
	return s.goal.far(s.values)
}

// differs tells whether the machine's term and the contract's have other values.
func (s *searching) differs() bool {
	return s.evaluation.values[s.want] != s.evaluation.values[s.got]
}
