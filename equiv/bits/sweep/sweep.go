// Package sweep compares two circuits in one graph bit by bit, from their inputs on.
//
//	sweep.go        the question, the answer, the order of work
//	merge.go        a node that is another one: by its fanins, or as the solver says, and the lemmas that say so
//	patterns.go     assignments to simulate: random ones, near misses, counterexamples with what is near them
//	certificate.go  the lemmas that are used, as a text
//
// Nodes that have been equal in all assignments so far are likely to be equal. Each such pair is a small question, as what feeds it was
// merged before: a carry chain falls bit by bit. Where the solver finds a difference, it is simulated, and tells other pairs apart too.
// All that is found is a lemma: a clause over nodes of the graph, implied by what the gates mean and by the
// assumptions. So a proof is a list of lemmas which ends in the equality of each pair of outputs.
package sweep

import (
	"context"

	"tv/equiv/bits/aig"
	"tv/equiv/bits/sat"
)

// A Question is whether Before[i] equals After[i] for each i wherever all of Assume hold.
type Question struct {
	Graph         *aig.Graph
	Before, After []aig.Lit
	Assume        []aig.Lit
}

// Options bound the work, in conflicts of the solver.
type Options struct {
	Conflicts int64 // all in all
	Inner     int64 // of a question about a pair that is no output
}

// A Verdict is what was found.
type Verdict int

// Empty: no input satisfies the assumptions. Unknown: the work was bounded, or the context cancelled.
const (
	Unknown Verdict = iota
	Equal
	Different
	Empty
)

// A Result has the certificate of Equal, or the inputs that show Different.
type Result struct {
	Verdict     Verdict
	Output      int    // the first pair that differs, or is open
	Inputs      []bool // of the graph's signals
	Conflicts   int64
	Certificate *Certificate
}

// no clause: a tautology needs none
const tautology sat.ID = 0

type sweeper struct {
	Question
	Options
	ctx    context.Context
	proof  *sat.Proof
	solver *sat.Solver
	cone   []bool

	reps  []aig.Lit    // what a node was found to be: itself, or one that came before it
	links [][2]sat.ID  // of a node that is another one: (¬node rep), (node ¬rep)
	kids  [][2]aig.Lit // what the fanins were found to be
	order []int32      // when a node was reached, from 1; 0 if it was not
	known map[[2]aig.Lit]int32
	clock int32

	encoded []bool // in the solver
	stamps  []int32
	stamp   int32
	assumed []int // variables that assumptions depend on

	patterns *patterns
	class    []int32 // nodes alike so far; 0 where a node is alone
	members  map[int32][]int32
	classes  int32

	result Result
}

// Check answers the question.
func Check(ctx context.Context, q Question, o Options) Result {
	n := q.Graph.Len()
	s := &sweeper{Question: q, Options: o, ctx: ctx,
		proof: sat.NewProof(3*n + len(q.Assume)),
		reps:  make([]aig.Lit, n), links: make([][2]sat.ID, n), kids: make([][2]aig.Lit, n), order: make([]int32, n),
		known: map[[2]aig.Lit]int32{}, encoded: make([]bool, n), stamps: make([]int32, n),
	}
	s.solver = sat.New(s.proof)
	for i := range n {
		s.solver.NewVar()
		s.reps[i] = aig.Lit(2 * i)
	}
	s.run()
	s.result.Conflicts = s.solver.Conflicts
	return s.result
}

func (s *sweeper) run() {
	roots := append(append([]aig.Lit{}, s.Assume...), s.Before...)
	s.cone = s.Graph.Cone(append(roots, s.After...)...)
	s.patterns = newPatterns(s.Graph)
	if !s.assume() || !s.sort() {
		return
	}
	var final []sat.ID
	for i := range s.Before {
		s.result.Output = i
		if s.Before[i] == s.After[i] {
			continue
		}
		for n, in := range s.Graph.Cone(s.Before[i], s.After[i]) {
			if in && !s.reach(n) {
				return
			}
		}
		if !s.join(i) {
			return
		}
		a, b := s.Before[i], s.After[i]
		final = append(final, s.derive(clause(a.Not(), b), s.up(a), s.up(b.Not())),
			s.derive(clause(a, b.Not()), s.up(b), s.up(a.Not())))
	}
	s.result.Output = 0
	s.result.Verdict = Equal
	s.result.Certificate = s.certificate(final)
}

// assume has the assumptions hold in the solver, and finds an input that satisfies them.
func (s *sweeper) assume() bool {
	if len(s.Assume) == 0 {
		return true
	}
	for n, in := range s.Graph.Cone(s.Assume...) {
		if in {
			s.enter(n)
		}
	}
	s.stamp++
	for k, l := range s.Assume {
		id := sat.ID(s.proof.Axioms() - len(s.Assume) + 1 + k)
		if r := s.rep(l); r != aig.True {
			s.assumed = s.variables(s.assumed, r)
			s.solver.Add(s.derive(clause(r), id, s.up(l)), sat.Lit(r))
		}
		if s.rep(l) == aig.False {
			s.result.Verdict = Empty
			return false
		}
	}
	switch s.solver.Solve(s.ctx, s.assumed, nil, s.Conflicts) {
	case sat.Unsatisfiable:
		s.result.Verdict = Empty
		return false
	case sat.Satisfiable:
		s.patterns.first = s.patterns.near(s.model())
		return true
	}
	return false
}

// model reads an assignment off the solver.
func (s *sweeper) model() []bool {
	in := make([]bool, len(s.Graph.Signals()))
	for n := range s.Graph.Len() {
		if i, ok := s.Graph.InputOf(n); ok && s.stamps[n] == s.stamp {
			in[i] = s.solver.Value(n)
		}
	}
	return in
}

// left is what may be spent on a question.
func (s *sweeper) left(most int64) int64 { return min(most, s.Conflicts-s.solver.Conflicts) }

// reach puts a node in its place: it is another one, or stays. It returns false when the answer is known.
func (s *sweeper) reach(n int) bool {
	if s.order[n] != 0 {
		return true
	}
	if s.ctx.Err() != nil {
		return false
	}
	s.enter(n)
	if s.reps[n] != aig.Lit(2*n) || n == 0 {
		s.enlist(n)
		return true
	}
	if _, _, gate := s.Graph.Gate(n); gate {
		tried := map[int32]bool{}
	again:
		for _, m := range s.members[s.class[n]] {
			if tried[m] || s.class[n] == 0 || s.reps[m] != aig.Lit(2*m) {
				continue
			}
			if len(tried) == 4 {
				break
			}
			tried[m] = true
			r := aig.Lit(2 * m).NotIf(s.patterns.phase[m] != s.patterns.phase[n])
			switch s.ask(n, r, s.left(s.Inner)) {
			case sat.Unsatisfiable:
				s.enlist(n)
				return true
			case sat.Satisfiable:
				if !s.refine(s.model()) {
					return false
				}
				goto again
			}
		}
	}
	s.enlist(n)
	return true
}

// enlist makes a node that stays one that others may be.
func (s *sweeper) enlist(n int) {
	if s.reps[n] == aig.Lit(2*n) && s.class[n] != 0 {
		s.members[s.class[n]] = append(s.members[s.class[n]], int32(n))
	}
}

// join makes the outputs of a pair one.
func (s *sweeper) join(i int) bool {
	a, b := s.rep(s.Before[i]), s.rep(s.After[i])
	if a == b {
		return true
	}
	if s.order[a.Node()] < s.order[b.Node()] {
		a, b = b, a
	}
	switch s.ask(a.Node(), b.NotIf(a.Negated()), s.left(s.Conflicts)) {
	case sat.Unsatisfiable:
		s.relink(a.Node())
		return true
	case sat.Satisfiable:
		s.differ(s.model())
	}
	return false
}

// relink has those nodes that were found to be n be what n is, now that it is another one; the solver is told, as gates over n may be
// known to it.
func (s *sweeper) relink(n int) {
	l := aig.Lit(2 * n)
	for k, c := range [][]sat.Lit{clause(l.Not(), s.rep(l)), clause(l, s.rep(l).Not())} {
		if c != nil {
			s.solver.Add(s.links[n][k], c...)
		}
	}
	for m, r := range s.reps {
		if m != n && r.Node() == n {
			l := aig.Lit(2 * m)
			s.merge(m, s.rep(r), []sat.ID{s.up(l), s.up(r)}, []sat.ID{s.up(r.Not()), s.up(l.Not())})
		}
	}
}

// differ looks up where an assignment makes outputs differ.
func (s *sweeper) differ(in []bool) {
	words, values := make([]uint64, len(in)), make([]uint64, s.Graph.Len())
	for i, b := range in {
		if b {
			words[i] = 1
		}
	}
	s.Graph.Simulate(words, values)
	for _, l := range s.Assume {
		if l.Value(values)&1 == 0 {
			panic("sweep: a difference where assumptions do not hold")
		}
	}
	for i := range s.Before {
		if (s.Before[i].Value(values)^s.After[i].Value(values))&1 != 0 {
			s.result.Verdict, s.result.Output, s.result.Inputs = Different, i, in
			return
		}
	}
	panic("sweep: a difference that is none")
}
