// Package sat decides clauses: a solver that learns from conflicts, under assumptions, again and again, and that says for each
// clause that it learns which clauses this follows from.
//
//	solver.go    the solver: propagation, conflicts, decisions, restarts
//	order.go     the heap of variables that are decided next
//	proof.go     the lemmas, each with the clauses it follows from by unit propagation
//
// Why not a solver that exists: a certificate has clauses with hints, so that whoever checks it propagates nothing on its own.
// The solvers at hand write what they learn at most, without hints (gophersat and Debian's cadical: DRUP and DRAT), and to find the
// hints afterwards takes a checker that is a solver itself. Gophersat has no budget in conflicts either, does not give the clause that follows from
// refused assumptions, and a sweep asks thousands of small questions of one solver, each about a few variables of many.
//
// What a solver learns is implied by the clauses alone, never by an assumption: Solve under assumptions that cannot hold ends in a
// lemma that is a disjunction of negated assumptions. Work is bounded in conflicts, not in seconds, so that an answer
// does not depend on the clock.
package sat

import (
	"context"
	"slices"
)

// A Lit is a variable or its negation: 2·variable, one more if negated.
type Lit uint32

// Not returns the negation of l.
func (l Lit) Not() Lit { return l ^ 1 }

// Var returns l's variable.
func (l Lit) Var() int { return int(l >> 1) }

// A Status is what Solve found.
type Status int

// Unknown: the budget was spent, or the context cancelled.
const (
	Unknown Status = iota
	Satisfiable
	Unsatisfiable
)

// A ref is the offset of a clause in the arena: its length, its level count (0 if it is not learnt), its id, its literals.
type ref int32

const (
	none   ref = -1
	header ref = 3
)

type watch struct {
	clause ref
	other  Lit // some literal of the clause: where it holds, the clause needs no look
}

const (
	unset int8 = iota
	yes
	no
)

// A Solver holds clauses over variables that NewVar numbers from 0.
type Solver struct {
	// Conflicts counts all conflicts so far.
	Conflicts int64

	proof   *Proof
	arena   []Lit
	learnts []ref
	watches [][]watch
	values  []int8 // by literal
	level   []int32
	place   []int32 // on the trail
	reason  []ref
	units   []ID // of variables that are set at level 0: the lemma that says so
	phase   []bool
	model   []bool
	trail   []Lit
	limits  []int // of levels on the trail
	head    int
	order   order
	wanted  []int32 // the question for which a variable is decided
	asked   int32
	empty   ID // the empty clause, once it is learnt
	failed  ID

	seen                 []bool
	marked               []int // variables seen, to clear
	stamps               []int64
	stamp                int64
	reduceAt, reduceStep int64
}

// New returns a solver that appends what it learns to a proof.
func New(p *Proof) *Solver { return &Solver{proof: p, reduceAt: 2000, reduceStep: 2000} }

// NewVar returns a new variable.
func (s *Solver) NewVar() int {
	v := len(s.level)
	s.values = append(s.values, unset, unset)
	s.watches = append(s.watches, nil, nil)
	s.level = append(s.level, 0)
	s.place = append(s.place, 0)
	s.reason = append(s.reason, none)
	s.units = append(s.units, 0)
	s.phase = append(s.phase, false)
	s.model = append(s.model, false)
	s.wanted = append(s.wanted, -1)
	s.seen = append(s.seen, false)
	s.stamps = append(s.stamps, 0)
	s.order.grow()
	return v
}

// Reserve makes place for so many variables.
func (s *Solver) Reserve(n int) {
	s.values = slices.Grow(s.values, 2*n)
	s.watches = slices.Grow(s.watches, 2*n)
	s.level, s.place, s.reason, s.units = slices.Grow(s.level, n), slices.Grow(s.place, n), slices.Grow(s.reason, n), slices.Grow(s.units, n)
	s.phase, s.model, s.wanted = slices.Grow(s.phase, n), slices.Grow(s.model, n), slices.Grow(s.wanted, n)
	s.seen, s.stamps = slices.Grow(s.seen, n), slices.Grow(s.stamps, n)
	s.order.index, s.order.activity = slices.Grow(s.order.index, n), slices.Grow(s.order.activity, n)
}

// Empty returns the id of the empty clause, if the clauses contradict each other.
func (s *Solver) Empty() (ID, bool) { return s.empty, s.empty != 0 }

// Lemma returns what followed when Solve said Unsatisfiable: a clause of negated assumptions.
func (s *Solver) Lemma() ID { return s.failed }

// Value returns the value of a variable in the last model.
func (s *Solver) Value(v int) bool { return s.model[v] }

func (s *Solver) size(c ref) int   { return int(s.arena[c]) }
func (s *Solver) id(c ref) ID      { return ID(s.arena[c+2]) }
func (s *Solver) lits(c ref) []Lit { return s.arena[c+header : c+header+ref(s.arena[c])] }

func (s *Solver) store(lits []Lit, glue int, id ID) ref {
	c := ref(len(s.arena))
	s.arena = append(s.arena, Lit(len(lits)), Lit(glue), Lit(id))
	s.arena = append(s.arena, lits...)
	return c
}

func (s *Solver) attach(c ref) {
	l := s.lits(c)
	s.watches[l[0]] = append(s.watches[l[0]], watch{c, l[1]})
	s.watches[l[1]] = append(s.watches[l[1]], watch{c, l[0]})
}

// Add adds the clause that id names in the proof: different literals, of different variables.
func (s *Solver) Add(id ID, lits ...Lit) {
	s.backtrack(0)
	if s.empty != 0 {
		return
	}
	lits = slices.Clone(lits)
	// Those that are not false go first, to be watched.
	slices.SortStableFunc(lits, func(a, b Lit) int { return s.rank(a) - s.rank(b) })
	if len(lits) > 0 && s.values[lits[0]] == yes {
		return // it holds for good
	}
	switch {
	case len(lits) == 0 || s.values[lits[0]] == no:
		s.empty = s.derive(id, lits)
	case len(lits) == 1 || s.values[lits[1]] == no:
		u := id
		if len(lits) > 1 {
			u = s.derive(id, lits, lits[0])
		}
		s.assign(lits[0], none)
		s.units[lits[0].Var()] = u
		s.settle()
	default:
		s.attach(s.store(lits, 0, id))
	}
}

func (s *Solver) rank(l Lit) int {
	switch s.values[l] {
	case yes:
		return 0
	case unset:
		return 1
	}
	return 2
}

// derive appends the lemma that is left of a clause when its other literals are false at level 0.
func (s *Solver) derive(id ID, lits []Lit, left ...Lit) ID {
	var hints []ID
	for _, l := range lits {
		if !slices.Contains(left, l) {
			hints = append(hints, s.units[l.Var()])
		}
	}
	return s.proof.Add(left, append(hints, id)...)
}

// settle propagates at level 0.
func (s *Solver) settle() {
	if c := s.propagate(); c != none && s.empty == 0 {
		s.empty = s.derive(s.id(c), s.lits(c))
	}
}

func (s *Solver) assign(l Lit, why ref) {
	v := l.Var()
	s.values[l], s.values[l^1] = yes, no
	s.level[v], s.reason[v], s.place[v] = int32(len(s.limits)), why, int32(len(s.trail))
	s.trail = append(s.trail, l)
	if len(s.limits) == 0 && why != none {
		// What holds for good is a lemma of its own: then no later one has to say why.
		if s.size(why) == 1 {
			s.units[v] = s.id(why)
		} else {
			s.units[v] = s.derive(s.id(why), s.lits(why), l)
		}
	}
}

// propagate returns a clause that is false, or none.
func (s *Solver) propagate() ref {
	for s.head < len(s.trail) {
		f := s.trail[s.head] ^ 1
		s.head++
		list := s.watches[f]
		kept := 0
	next:
		for i := 0; i < len(list); i++ {
			w := list[i]
			if s.values[w.other] == yes {
				list[kept] = w
				kept++
				continue
			}
			lits := s.lits(w.clause)
			if lits[0] == f {
				lits[0], lits[1] = lits[1], f
			}
			first := lits[0]
			if first != w.other && s.values[first] == yes {
				list[kept] = watch{w.clause, first}
				kept++
				continue
			}
			for k := 2; k < len(lits); k++ {
				if s.values[lits[k]] != no {
					lits[1], lits[k] = lits[k], f
					s.watches[lits[1]] = append(s.watches[lits[1]], watch{w.clause, first})
					continue next
				}
			}
			list[kept] = watch{w.clause, first}
			kept++
			if s.values[first] == no {
				kept += copy(list[kept:], list[i+1:])
				s.watches[f] = list[:kept]
				s.head = len(s.trail)
				return w.clause
			}
			s.assign(first, w.clause)
		}
		s.watches[f] = list[:kept]
	}
	return none
}

func (s *Solver) backtrack(level int) {
	if len(s.limits) <= level {
		return
	}
	to := s.limits[level]
	for i := len(s.trail) - 1; i >= to; i-- {
		l := s.trail[i]
		v := l.Var()
		s.values[l], s.values[l^1] = unset, unset
		s.phase[v] = l&1 == 0
		if s.wanted[v] == s.asked {
			s.order.push(v)
		}
	}
	s.trail, s.limits, s.head = s.trail[:to], s.limits[:level], to
}

func (s *Solver) see(v int) {
	s.seen[v] = true
	s.marked = append(s.marked, v)
}

// analyse learns from a conflict above level 0: a clause with one literal, its first, of this level, with its second of the level to go
// back to; hints as a proof has them.
func (s *Solver) analyse(conflict ref) (lits []Lit, hints []ID, glue int) {
	lits = append(lits, 0)
	open, at := 0, len(s.trail)-1
	var because []int // variables whose reasons were used
	var units []ID
	level := int32(len(s.limits))
	for c := conflict; ; {
		for _, l := range s.lits(c) {
			v := l.Var()
			if s.seen[v] || s.values[l] == yes {
				continue // the latter is what the clause implied
			}
			s.see(v)
			switch {
			case s.level[v] == 0:
				units = append(units, s.units[v])
				continue
			case s.level[v] == level:
				open++
			default:
				lits = append(lits, l)
			}
			s.order.bump(v)
		}
		for !s.seen[s.trail[at].Var()] || s.level[s.trail[at].Var()] != level {
			at--
		}
		l := s.trail[at]
		at--
		if open--; open == 0 {
			lits[0] = l ^ 1
			break
		}
		c = s.reason[l.Var()]
		because = append(because, l.Var())
	}
	// Literals that the others imply are left out.
	kept := 1
	for _, l := range lits[1:] {
		if s.reason[l.Var()] == none || !s.implied(l, &because, &units) {
			lits[kept] = l
			kept++
		}
	}
	lits = lits[:kept]
	slices.SortFunc(because, func(a, b int) int { return int(s.place[a] - s.place[b]) })
	hints = units
	for _, v := range slices.Compact(because) {
		hints = append(hints, s.id(s.reason[v]))
	}
	hints = append(hints, s.id(conflict))
	for _, v := range s.marked {
		s.seen[v] = false
	}
	s.marked = s.marked[:0]
	s.stamp++
	for i, l := range lits {
		if i > 1 && s.level[l.Var()] > s.level[lits[1].Var()] {
			lits[1], lits[i] = lits[i], lits[1]
		}
		if k := s.level[l.Var()]; s.stamps[k] != s.stamp {
			s.stamps[k] = s.stamp
			glue++
		}
	}
	return lits, hints, glue
}

// implied reports whether literals of the clause that is learnt imply l, which has a reason. Variables found so on the way count as
// seen: their reasons are used too.
func (s *Solver) implied(l Lit, because *[]int, units *[]ID) bool {
	marked, used, unit := len(s.marked), len(*because), len(*units)
	*because = append(*because, l.Var())
	for k := used; k < len(*because); k++ {
		for _, m := range s.lits(s.reason[(*because)[k]]) {
			v := m.Var()
			if s.seen[v] || s.values[m] == yes {
				continue
			}
			switch {
			case s.level[v] == 0:
				s.see(v)
				*units = append(*units, s.units[v])
			case s.reason[v] == none:
				for _, v := range s.marked[marked:] {
					s.seen[v] = false
				}
				s.marked, *because, *units = s.marked[:marked], (*because)[:used], (*units)[:unit]
				return false
			default:
				s.see(v)
				*because = append(*because, v)
			}
		}
	}
	return true
}

// refuse learns the clause of negated assumptions that follows when assumption p is false.
func (s *Solver) refuse(p Lit) ID {
	if s.level[p.Var()] == 0 {
		return s.units[p.Var()]
	}
	lits := []Lit{p ^ 1}
	var hints, units []ID
	s.see(p.Var())
	for at := len(s.trail) - 1; at >= s.limits[0]; at-- {
		l := s.trail[at]
		v := l.Var()
		if !s.seen[v] {
			continue
		}
		if s.reason[v] == none {
			if v != p.Var() {
				lits = append(lits, l^1)
			}
			continue
		}
		hints = append(hints, s.id(s.reason[v]))
		for _, m := range s.lits(s.reason[v]) {
			switch {
			case s.seen[m.Var()]:
			case s.level[m.Var()] == 0:
				units = append(units, s.units[m.Var()])
				s.see(m.Var())
			default:
				s.see(m.Var())
			}
		}
	}
	for _, v := range s.marked {
		s.seen[v] = false
	}
	s.marked = s.marked[:0]
	slices.Reverse(hints)
	return s.proof.Add(lits, append(units, hints...)...)
}

// reduce forgets the half of the learnt clauses that span most levels.
func (s *Solver) reduce() {
	slices.SortStableFunc(s.learnts, func(a, b ref) int { return int(s.arena[a+1]) - int(s.arena[b+1]) })
	keep := len(s.learnts) / 2
	gone := map[ref]bool{}
	kept := s.learnts[:keep:keep]
	for _, c := range s.learnts[keep:] {
		if l := s.lits(c)[0]; s.arena[c+1] <= 2 || s.values[l] == yes && s.reason[l.Var()] == c {
			kept = append(kept, c)
		} else {
			gone[c] = true
		}
	}
	s.learnts = kept
	for l, list := range s.watches {
		s.watches[l] = slices.DeleteFunc(list, func(w watch) bool { return gone[w.clause] })
	}
	s.compact(gone)
}

// compact moves the clauses together.
func (s *Solver) compact(gone map[ref]bool) {
	moved := map[ref]ref{}
	to := ref(0)
	for c := ref(0); int(c) < len(s.arena); {
		n := header + ref(s.arena[c])
		if !gone[c] {
			copy(s.arena[to:], s.arena[c:c+n])
			moved[c] = to
			to += n
		}
		c += n
	}
	s.arena = s.arena[:to]
	for _, list := range s.watches {
		for i := range list {
			list[i].clause = moved[list[i].clause]
		}
	}
	for _, l := range s.trail {
		if c := s.reason[l.Var()]; c != none && len(s.limits) > 0 && s.level[l.Var()] > 0 {
			s.reason[l.Var()] = moved[c]
		} else {
			s.reason[l.Var()] = none // never asked for at level 0
		}
	}
	for i, c := range s.learnts {
		s.learnts[i] = moved[c]
	}
}

// Prefer has the next questions decide a variable early: weight is from 0 to 1.
func (s *Solver) Prefer(v int, weight float64) { s.order.prefer(v, weight) }

// Phase says which value a variable is tried with first.
func (s *Solver) Phase(v int, value bool) { s.phase[v] = value }

// Solve decides whether the clauses can hold together with the assumptions, within so many conflicts. It decides the
// variables of the question alone: the others must be such that values of these can always be completed. A
// model has values for all that were decided or implied.
func (s *Solver) Solve(ctx context.Context, vars []int, assumptions []Lit, conflicts int64) Status {
	s.backtrack(0)
	s.settle()
	s.asked++
	s.order.clear()
	for _, v := range vars {
		s.wanted[v] = s.asked
		s.order.push(v)
	}
	for len(s.stamps) < len(s.level)+1 {
		s.stamps = append(s.stamps, 0)
	}
	var met, fast, slow float64 // conflicts, and means of the levels that clauses span: of late, and of long
	since := 0                  // the last restart
	defer func() { s.backtrack(0) }()
	for steps := 0; ; steps++ {
		if s.empty != 0 {
			s.failed = s.empty
			return Unsatisfiable
		}
		if c := s.propagate(); c != none {
			if len(s.limits) == 0 {
				s.empty = s.derive(s.id(c), s.lits(c))
				continue
			}
			s.Conflicts++
			conflicts--
			since++
			lits, hints, glue := s.analyse(c)
			s.order.decay()
			s.learn(lits, glue, s.proof.Add(lits, hints...))
			met++
			fast += (float64(glue) - fast) / min(met, 32)
			slow += (float64(glue) - slow) / min(met, 4096)
			continue
		}
		switch {
		case conflicts <= 0 || steps&1023 == 0 && ctx.Err() != nil:
			return Unknown
		case since > 50 && fast > 1.2*slow:
			since, fast = 0, slow
			s.backtrack(0)
			continue
		case s.Conflicts >= s.reduceAt:
			s.reduceStep += 300
			s.reduceAt = s.Conflicts + s.reduceStep
			s.reduce()
		}
		l, ok := Lit(0), false
		for !ok && len(s.limits) < len(assumptions) {
			switch p := assumptions[len(s.limits)]; s.values[p] {
			case yes:
				s.limits = append(s.limits, len(s.trail)) // a level without a decision
			case no:
				s.failed = s.refuse(p)
				return Unsatisfiable
			default:
				l, ok = p, true
			}
		}
		for !ok {
			v, some := s.order.pop()
			if !some {
				for _, l := range s.trail {
					s.model[l.Var()] = l&1 == 0
				}
				return Satisfiable
			}
			if s.values[2*v] == unset {
				l, ok = Lit(2*v), true
				if !s.phase[v] {
					l ^= 1
				}
			}
		}
		s.limits = append(s.limits, len(s.trail))
		s.assign(l, none)
	}
}

func (s *Solver) learn(lits []Lit, glue int, id ID) {
	if len(lits) == 1 {
		s.backtrack(0)
		s.assign(lits[0], none)
		s.units[lits[0].Var()] = id
		return
	}
	s.backtrack(int(s.level[lits[1].Var()]))
	c := s.store(lits, glue, id)
	s.attach(c)
	s.learnts = append(s.learnts, c)
	s.assign(lits[0], c)
}
