package sweep

import (
	"slices"

	"tv/equiv/bits/aig"
	"tv/equiv/bits/sat"
)

// rep returns what a literal was found to be.
func (s *sweeper) rep(l aig.Lit) aig.Lit { return s.reps[l.Node()].NotIf(l.Negated()) }

// up is the lemma (¬l rep l), if l is not its own; up of ¬l is (l ¬rep l).
func (s *sweeper) up(l aig.Lit) sat.ID { return s.links[l.Node()][l&1] }

// gate returns the three axioms of a gate: (¬n a), (¬n b), (n ¬a ¬b).
func gate(n int) (a, b, both sat.ID) { return sat.ID(3*n + 1), sat.ID(3*n + 2), sat.ID(3*n + 3) }

// clause leaves out what is false, and is nil if it holds always.
func clause(lits ...aig.Lit) []sat.Lit {
	out := []sat.Lit{}
	for _, l := range lits {
		switch {
		case l == aig.True || slices.Contains(out, sat.Lit(l.Not())):
			return nil
		case l != aig.False && !slices.Contains(out, sat.Lit(l)):
			out = append(out, sat.Lit(l))
		}
	}
	return out
}

// literals returns those of a clause of the proof.
func (s *sweeper) literals(id sat.ID, to []sat.Lit) []sat.Lit {
	k := int(id) - 1
	if k < 3*s.Graph.Len() {
		n := sat.Lit(2 * (k / 3))
		a, b, _ := s.Graph.Gate(k / 3)
		switch k % 3 {
		case 0:
			return append(to, n^1, sat.Lit(a))
		case 1:
			return append(to, n^1, sat.Lit(b))
		}
		return append(to, n, sat.Lit(a)^1, sat.Lit(b)^1)
	}
	if k >= s.proof.Axioms() {
		lits, _ := s.proof.Lemma(id)
		return append(to, lits...)
	}
	for _, l := range s.axiom(id) {
		to = append(to, sat.Lit(l))
	}
	return to
}

// axiom is the clause of an id that is none of a gate's and no lemma.
func (s *sweeper) axiom(id sat.ID) []aig.Lit {
	switch k := int(id - s.unit(0)); {
	case k < len(s.Assume):
		return s.Assume[k : k+1]
	case id < s.clauseID(0):
		k -= len(s.Assume)
		return sides(s.Equal[k/2])[k%2]
	}
	return s.Clauses[id-s.clauseID(0)]
}

// derive returns a clause as a lemma: the hints that are needed are among those given, in their order. An axiom or a lemma that is the
// clause already serves.
func (s *sweeper) derive(lits []sat.Lit, from ...sat.ID) sat.ID {
	if lits == nil {
		return tautology
	}
	no := append(make([]sat.Lit, 0, 16), lits...) // literals that are false
	var hints []sat.ID
	var buffer [8]sat.Lit
next:
	for _, id := range from {
		if id == tautology {
			continue
		}
		c := s.literals(id, buffer[:0])
		left := sat.Lit(0)
		for _, l := range c {
			if l == 0 || slices.Contains(no, l) {
				continue
			}
			if left != 0 || slices.Contains(no, l^1) {
				continue next // two are left, or it holds
			}
			left = l
		}
		hints = append(hints, id)
		if left == 0 {
			if len(hints) == 1 && len(c) == len(lits) {
				return id
			}
			return s.proof.Add(lits, hints...)
		}
		no = append(no, left^1)
	}
	panic("sweep: a lemma that does not follow")
}

// merge makes node n what r is, where both clauses follow from those given.
func (s *sweeper) merge(n int, r aig.Lit, there, back []sat.ID) {
	l := aig.Lit(2 * n)
	s.links[n] = [2]sat.ID{s.derive(clause(l.Not(), r), there...), s.derive(clause(l, r.Not()), back...)}
	s.reps[n] = r
	s.follow[r.Node()] = append(s.follow[r.Node()], int32(n))
}

// enter gives a node its turn, and makes it another one where its fanins say so.
func (s *sweeper) enter(n int) {
	s.clock++
	s.order[n] = s.clock
	a, b, ok := s.Graph.Gate(n)
	if !ok {
		if t := s.sub[n]; t != aig.Lit(2*n) {
			i, l := int(s.subBy[n]), aig.Lit(2*n)
			p := s.Equal[i]
			there, back := s.equal(i, 0), s.equal(i, 1) // (¬n t) and (n ¬t)
			if p[0] == l.Not() || p[0].Node() != n && p[1] == l {
				there, back = back, there
			}
			s.merge(n, s.rep(t), []sat.ID{there, s.up(t)}, []sat.ID{s.up(t.Not()), back})
		}
		return
	}
	ra, rb := s.rep(a), s.rep(b)
	if ra > rb {
		a, b, ra, rb = b, a, rb, ra
	}
	s.kids[n] = [2]aig.Lit{ra, rb}
	first, second, both := gate(n)
	there := []sat.ID{first, second, s.up(a), s.up(b)}
	back := []sat.ID{s.up(a.Not()), s.up(b.Not()), both}
	switch {
	case ra == aig.False || ra == rb.Not():
		s.merge(n, aig.False, there, back)
	case ra == aig.True || ra == rb:
		s.merge(n, rb, there, back)
	default:
		m, ok := s.known[s.kids[n]]
		if !ok {
			s.known[s.kids[n]] = int32(n)
			return
		}
		ma, mb, _ := s.Graph.Gate(int(m))
		first, second, joint := gate(int(m))
		l := aig.Lit(2 * m)
		s.merge(n, s.rep(l), append(there, s.up(ma.Not()), s.up(mb.Not()), joint, s.up(l)),
			append([]sat.ID{s.up(l.Not()), first, second, s.up(ma), s.up(mb)}, back...))
	}
}

// variables appends the nodes that l depends on, as far as they stay, and has the solver know them.
func (s *sweeper) variables(to []int, l aig.Lit) []int {
	n := l.Node()
	if s.stamps[n] == s.stamp || n == 0 {
		return to
	}
	s.stamps[n] = s.stamp
	at := len(to)
	for to = append(to, n); at < len(to); at++ {
		n := to[at]
		if _, _, ok := s.Graph.Gate(n); !ok {
			continue
		}
		s.encode(n)
		for _, k := range s.kids[n] {
			if m := k.Node(); s.stamps[m] != s.stamp {
				s.stamps[m] = s.stamp
				to = append(to, m)
			}
		}
	}
	return to
}

// encode adds the clauses of a gate, over what its fanins were found to be.
func (s *sweeper) encode(n int) {
	if s.encoded[n] {
		return
	}
	s.encoded[n] = true
	s.kids[n], _ = s.found(n) // what the clauses have from now on
	for k, c := range over(n, s.kids[n]) {
		if c != nil {
			s.solver.Add(s.clauseOf(n, k), c...)
		}
	}
}

// question collects the variables of a question in asked.
func (s *sweeper) question(lits ...aig.Lit) {
	s.stamp++
	for _, v := range s.assumed {
		s.stamps[v] = s.stamp
	}
	s.asked = append(s.asked[:0], s.assumed...)
	for _, l := range lits {
		s.asked = s.variables(s.asked, l)
	}
}

// ask has the solver say whether node n is r; then it is made so. Unless all is set what is next to them alone is looked at.
func (s *sweeper) ask(n int, r aig.Lit, conflicts int64, all bool) sat.Status {
	before := s.solver.Conflicts
	for _, w := range windows {
		status, more := s.nearby(w, n, r, near)
		if status == sat.Unsatisfiable {
			return status
		}
		if !more {
			break
		}
	}
	status := sat.Unknown
	if left := conflicts - (s.solver.Conflicts - before); all && left > 0 {
		s.question(aig.Lit(2*n), r)
		start := s.solver.Conflicts
		if status = s.same(n, r, left); status == sat.Unknown {
			s.work += (s.solver.Conflicts - start) * int64(len(s.asked))
		}
	}
	if status == sat.Unknown {
		s.vain += s.solver.Conflicts - before
	}
	return status
}

// same is ask over the variables that were collected.
func (s *sweeper) same(n int, r aig.Lit, conflicts int64) sat.Status {
	l := aig.Lit(2 * n)
	for _, v := range []int{n, r.Node()} {
		for _, k := range s.kids[v] {
			s.solver.Prefer(k.Node(), 0.5)
			for _, j := range s.kids[k.Node()] {
				s.solver.Prefer(j.Node(), 0.25)
			}
		}
	}
	if r.Node() == 0 {
		// l is constant: one question, and the other clause is a tautology.
		status := s.solver.Solve(s.ctx, s.asked, []sat.Lit{sat.Lit(l.NotIf(r == aig.True))}, conflicts)
		if status == sat.Unsatisfiable {
			lemma := []sat.ID{s.solver.Lemma()}
			s.merge(n, r, lemma, lemma)
		}
		return status
	}
	before := s.solver.Conflicts
	status := s.solver.Solve(s.ctx, s.asked, []sat.Lit{sat.Lit(l), sat.Lit(r.Not())}, conflicts)
	if status != sat.Unsatisfiable {
		return status
	}
	there := s.solver.Lemma()
	status = s.solver.Solve(s.ctx, s.asked, []sat.Lit{sat.Lit(l.Not()), sat.Lit(r)}, conflicts-(s.solver.Conflicts-before))
	if status == sat.Unsatisfiable {
		s.merge(n, r, []sat.ID{there}, []sat.ID{s.solver.Lemma()})
	}
	return status
}
