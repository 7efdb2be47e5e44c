package sweep

import (
	"slices"

	"tv/equiv/bits/aig"
	"tv/equiv/bits/sat"
)

// windows are how many nodes next to those in question are looked at first: what lies deeper matters rarely, and in deep circuits is a lot.
// near is what each may cost, in conflicts: a few layers of exclusive ors take more than a few.
var windows = [...]int{16, 32, 64, 128, 256}

// Of local conflicts cheap count as one: clauses are few, and nothing of them is kept.
const (
	near  = 40
	cheap = 10
)

// A local question is about few nodes, with a solver that knows these alone, so that its cost does not depend on how large the graph is: an
// input that all layers of a deep circuit read would have each of its values propagated through all of them. What lies outside is taken
// for anything, which makes a proof no less one; a model is none of the whole.
type local struct {
	nodes  []int // variables of the solver are places in it
	inner  int   // so many of nodes, from the first, are gates whose clauses the solver has, or inputs
	proof  *sat.Proof
	solver *sat.Solver
}

// clauses are those of a gate over what its fanins were found to be, and their lemmas, once these are derived.
type clauses struct {
	kids [2]aig.Lit
	ids  [3]sat.ID
}

// over are the clauses of gate n with these fanins, (¬n a), (¬n b) and (n ¬a ¬b).
func over(n int, kids [2]aig.Lit) [3][]sat.Lit {
	l := aig.Lit(2 * n)
	return [3][]sat.Lit{clause(l.Not(), kids[0]), clause(l.Not(), kids[1]), clause(l, kids[0].Not(), kids[1].Not())}
}

// found returns what the fanins of a gate were found to be.
func (s *sweeper) found(n int) (kids [2]aig.Lit, ok bool) {
	a, b, ok := s.Graph.Gate(n)
	if !ok {
		return kids, false
	}
	return [2]aig.Lit{s.rep(a), s.rep(b)}, true
}

// local makes the local question of so many nodes around some literals; more is false where these are all that they depend on.
func (s *sweeper) local(window int, lits ...aig.Lit) (q local, more bool) {
	s.stamp++
	add := func(n int) {
		if s.stamps[n] != s.stamp && n != 0 {
			s.stamps[n] = s.stamp
			s.spot[n] = int32(len(q.nodes))
			q.nodes = append(q.nodes, n)
		}
	}
	for _, l := range lits {
		add(l.Node())
	}
	for ; q.inner < len(q.nodes); q.inner++ {
		kids, ok := s.found(q.nodes[q.inner])
		if !ok {
			continue
		}
		if more = q.inner >= window; more {
			break
		}
		add(kids[0].Node())
		add(kids[1].Node())
	}
	q.proof = sat.NewProof(3 * q.inner)
	q.solver = sat.New(q.proof)
	q.solver.Reserve(len(q.nodes))
	for range q.nodes {
		q.solver.NewVar()
	}
	for i, n := range q.nodes[:q.inner] {
		kids, ok := s.found(n)
		if !ok {
			continue
		}
		for k, c := range over(n, kids) {
			if c != nil {
				q.solver.Add(sat.ID(3*i+k+1), s.placed(c)...)
			}
		}
	}
	return q, more
}

// placed are literals of nodes as those of a local question.
func (s *sweeper) placed(lits []sat.Lit) []sat.Lit {
	out := make([]sat.Lit, len(lits))
	for i, l := range lits {
		out[i] = sat.Lit(2*s.spot[l.Var()]) | l&1
	}
	return out
}

// nearby asks a local question whether node n is r; then it is made so.
func (s *sweeper) nearby(window, n int, r aig.Lit, conflicts int64) (status sat.Status, more bool) {
	l := aig.Lit(2 * n)
	q, more := s.local(window, l, r)
	all := make([]int, len(q.nodes))
	for i := range all {
		all[i] = i
		q.solver.Prefer(i, 1/float64(2+i)) // the nearest first
	}
	defer func() { s.solver.Conflicts += q.solver.Conflicts / cheap }()
	refuted := func(lits ...aig.Lit) sat.ID {
		assume := s.placed(clause(lits...))
		if status = q.solver.Solve(s.ctx, all, assume, conflicts-q.solver.Conflicts); status != sat.Unsatisfiable {
			return tautology
		}
		return q.solver.Lemma()
	}
	if r.Node() == 0 { // one question, and the other clause is a tautology
		if lemma := refuted(l.NotIf(r == aig.True)); status == sat.Unsatisfiable {
			ids := []sat.ID{s.adopt(q, lemma)}
			s.merge(n, r, ids, ids)
		}
		return status, more
	}
	there := refuted(l, r.Not())
	if status != sat.Unsatisfiable {
		return status, more
	}
	if back := refuted(l.Not(), r); status == sat.Unsatisfiable {
		s.merge(n, r, []sat.ID{s.adopt(q, there)}, []sat.ID{s.adopt(q, back)})
	}
	return status, more
}

// adopt appends a lemma of a local question to the proof, with those that it rests on.
func (s *sweeper) adopt(q local, lemma sat.ID) sat.ID {
	ids := map[sat.ID]sat.ID{}
	for _, id := range q.proof.Used(lemma) {
		if k := int(id) - 1; k < q.proof.Axioms() {
			ids[id] = s.clauseOf(q.nodes[k/3], k%3)
			continue
		}
		lits, hints := q.proof.Lemma(id)
		lits, hints = slices.Clone(lits), slices.Clone(hints)
		for i, l := range lits {
			lits[i] = sat.Lit(2*q.nodes[l.Var()]) | l&1
		}
		for i, h := range hints {
			hints[i] = ids[h]
		}
		ids[id] = s.proof.Add(lits, hints...)
	}
	return ids[lemma]
}

// clauseOf is the k-th clause of a gate over what its fanins were found to be, as a lemma.
func (s *sweeper) clauseOf(n, k int) sat.ID {
	kids, _ := s.found(n)
	c := s.gates[n]
	if c == nil || c.kids != kids {
		c = &clauses{kids: kids}
		s.gates[n] = c
	}
	if c.ids[k] == 0 {
		a, b, _ := s.Graph.Gate(n)
		first, second, both := gate(n)
		from := [3][]sat.ID{{first, s.up(a)}, {second, s.up(b)}, {s.up(a.Not()), s.up(b.Not()), both}}
		c.ids[k] = s.derive(over(n, kids)[k], from[k]...)
	}
	return c.ids[k]
}
