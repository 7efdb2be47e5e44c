// Package sweep compares two circuits in one graph bit by bit, from their inputs on.
//
//	sweep.go        the question, the answer, the order of work
//	known.go        equalities and clauses that hold besides: signals that others replace, the order of nodes
//	merge.go        a node that is another one: by its fanins, or as the solver says, and the lemmas that say so
//	local.go        the same of few nodes, by a solver of their own
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
	"slices"

	"tv/equiv/bits/aig"
	"tv/equiv/bits/sat"
)

// A Question is whether Before[i] equals After[i] for each i, and each clause of Show has a true literal, wherever all of Assume hold and
// what is known besides.
type Question struct {
	Graph         *aig.Graph
	Before, After []aig.Lit
	Show          [][]aig.Lit
	Assume        []aig.Lit
	Equal         [][2]aig.Lit // known: each pair is equal
	Clauses       [][]aig.Lit  // known: one literal of each is true
	// Draw returns 64 assignments of the signals that satisfy all that is known; nil: they are made up, which is for questions where
	// nothing is known but Assume.
	Draw func() []uint64
	Keep []aig.Lit // what a certificate is to have besides
	All  bool      // go on after something is found not to hold: it is in Failed
}

// Options bound the work, in conflicts of the solver.
type Options struct {
	Conflicts int64 // all in all
	Vain      int64 // of questions that got no answer, all in all; 0: as many as Conflicts
	Inner     int64 // of a question about a pair that is no output
	Pair      int64 // of one about a pair of outputs, or a clause; 0: what is left
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
	Output      int    // the first pair that differs, or is open; behind the pairs come the clauses
	Inputs      []bool // of the graph's signals
	Conflicts   int64
	Certificate *Certificate
	Failed      []Failure // with All, of Different
	Open        []int     // with All: pairs and clauses that were not decided
}

// A Failure is a pair or a clause, in the order of Output, that does not hold, and an assignment that shows it.
type Failure struct {
	Output int
	Inputs []bool
}

// maxWork bounds what questions about inner pairs may cost that get no answer; then these are asked of what is next to them alone.
const maxWork = 1 << 26

// no clause: a tautology needs none
const tautology sat.ID = 0

type sweeper struct {
	Question
	Options
	ctx    context.Context
	proof  *sat.Proof
	solver *sat.Solver

	reps  []aig.Lit    // what a node was found to be: itself, or one that came before it
	links [][2]sat.ID  // of a node that is another one: (¬node rep), (node ¬rep)
	kids  [][2]aig.Lit // what the fanins were found to be
	order []int32      // when a node was reached, from 1; 0 if it was not
	known map[[2]aig.Lit]int32
	clock int32

	topo     []int32   // the nodes that matter, each behind those that it depends on
	sub      []aig.Lit // of a signal what replaces it, or itself
	subBy    []int32   // by which pair of Equal
	residual []int     // pairs of Equal that replace nothing
	follow   map[int][]int32

	encoded []bool           // in the solver
	gates   map[int]*clauses // of gates whose clauses were needed
	spot    []int32          // of nodes of a local question: their places
	stamps  []int32
	stamp   int32
	vain    int64 // conflicts of questions that got no answer
	work    int64 // of these, of the whole and not about outputs: conflicts times variables
	asked   []int // variables of the last question
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
		proof: sat.NewProof(3*n + len(q.Assume) + 2*len(q.Equal) + len(q.Clauses)),
		reps:  make([]aig.Lit, n), links: make([][2]sat.ID, n), kids: make([][2]aig.Lit, n), order: make([]int32, n),
		known: map[[2]aig.Lit]int32{}, encoded: make([]bool, n), gates: map[int]*clauses{}, spot: make([]int32, n), stamps: make([]int32, n), follow: map[int][]int32{},
	}
	s.solver = sat.New(s.proof)
	s.solver.Reserve(n)
	for i := range n {
		s.solver.NewVar()
		s.reps[i] = aig.Lit(2 * i)
	}
	s.run()
	s.result.Conflicts = s.solver.Conflicts
	return s.result
}

func (s *sweeper) run() {
	s.orient()
	s.patterns = newPatterns(s.Graph)
	if !s.assume() || !s.sort() {
		return
	}
	pairs, shown := make([][2]sat.ID, len(s.Before)), make([]sat.ID, len(s.Show))
	for i, a := range s.Before {
		b := s.After[i]
		s.result.Output = i
		if a == b {
			continue
		}
		if !s.reach(a, b) {
			return
		}
		if s.join(i) {
			pairs[i] = [2]sat.ID{s.derive(clause(a.Not(), b), s.up(a), s.up(b.Not())), s.derive(clause(a, b.Not()), s.up(b), s.up(a.Not()))}
		} else if !s.All || s.ctx.Err() != nil {
			return
		}
	}
	for i, c := range s.Show {
		s.result.Output = len(s.Before) + i
		if !s.reach(c...) {
			return
		}
		id, ok := s.show(c)
		shown[i] = id
		if !ok && (!s.All || s.ctx.Err() != nil) {
			return
		}
	}
	if len(s.result.Failed) > 0 {
		s.result.Verdict, s.result.Output = Different, s.result.Failed[0].Output
		return
	}
	if len(s.result.Open) > 0 {
		s.result.Verdict, s.result.Output = Unknown, s.result.Open[0]
		return
	}
	s.result.Output = 0
	s.result.Verdict = Equal
	s.result.Certificate = s.certificate(pairs, shown)
}

// assume has what is known hold in the solver, and finds an input that satisfies the assumptions.
func (s *sweeper) assume() bool {
	if len(s.Assume)+len(s.residual)+len(s.Clauses) == 0 {
		return true
	}
	var roots []aig.Lit
	for _, c := range s.axioms() {
		roots = append(roots, c.lits...)
	}
	s.visit(roots, func(n int) bool { s.enter(n); return true })
	s.stamp++
	for _, c := range s.axioms() {
		var reps []aig.Lit
		hints := []sat.ID{c.id}
		for _, l := range c.lits {
			r := s.rep(l)
			s.assumed = s.variables(s.assumed, r)
			reps, hints = append(reps, r), append(hints, s.up(l))
		}
		lits := clause(reps...)
		if lits == nil {
			continue
		}
		if len(lits) == 0 {
			s.result.Verdict = Empty
			return false
		}
		// Each (¬l rep) makes l false where rep is, and the axiom is false then.
		s.solver.Add(s.derive(lits, append(hints[1:], hints[0])...), lits...)
	}
	if s.Draw != nil {
		return true
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
	for _, n := range s.topo {
		if i, ok := s.Graph.InputOf(int(n)); ok && s.stamps[n] == s.stamp {
			in[i] = s.solver.Value(int(n))
		}
	}
	return in
}

// left is what may be spent on a question.
func (s *sweeper) left(most int64) int64 {
	if s.Vain > 0 {
		most = min(most, s.Vain-s.vain)
	}
	return min(most, s.Conflicts-s.solver.Conflicts)
}

// most is what may be spent on an output.
func (s *sweeper) most() int64 {
	if s.Pair > 0 {
		return s.Pair
	}
	return s.Conflicts
}

// reach puts what literals depend on in its place. It returns false when the answer is known.
func (s *sweeper) reach(roots ...aig.Lit) bool { return s.visit(roots, s.settle) }

// settle puts a node in its place, those that it depends on being in theirs: it is another one, or stays. It returns false when the answer
// is known.
func (s *sweeper) settle(n int) bool {
	if s.ctx.Err() != nil || !s.All && s.left(1) <= 0 { // nothing could be asked about any output
		return false
	}
	s.enter(n)
	if s.reps[n] != aig.Lit(2*n) || n == 0 {
		s.enlist(n)
		return true
	}
	if _, _, gate := s.Graph.Gate(n); gate && s.Inner > 0 {
		tried := map[int32]bool{}
	again:
		for _, m := range slices.Backward(s.members[s.class[n]]) { // what came last is most likely of the same place of the other side
			if tried[m] || s.class[n] == 0 || s.reps[m] != aig.Lit(2*m) {
				continue
			}
			if len(tried) == 4 {
				break
			}
			tried[m] = true
			r := aig.Lit(2 * m).NotIf(s.patterns.phase[m] != s.patterns.phase[n])
			switch s.ask(n, r, s.left(s.Inner), s.work < maxWork) {
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
	switch s.ask(a.Node(), b.NotIf(a.Negated()), s.left(s.most()), true) {
	case sat.Unsatisfiable:
		s.relink(a.Node())
		return true
	case sat.Satisfiable:
		s.differ(s.model())
	default:
		s.result.Open = append(s.result.Open, i)
	}
	return false
}

// show derives a clause.
func (s *sweeper) show(c []aig.Lit) (sat.ID, bool) {
	lits := clause(c...)
	if lits == nil {
		return tautology, true
	}
	var reps []aig.Lit
	var hints []sat.ID
	for _, l := range c {
		reps, hints = append(reps, s.rep(l)), append(hints, s.up(l.Not()))
	}
	false_ := clause(reps...)
	if false_ == nil {
		return s.derive(lits, hints...), true
	}
	s.question(reps...)
	assumptions := make([]sat.Lit, len(false_))
	for i, l := range false_ {
		assumptions[i] = l.Not()
	}
	switch s.solver.Solve(s.ctx, s.asked, assumptions, s.left(s.most())) {
	case sat.Unsatisfiable:
		return s.derive(lits, append(hints, s.solver.Lemma())...), true
	case sat.Satisfiable:
		s.differ(s.model())
	default:
		s.result.Open = append(s.result.Open, s.result.Output)
	}
	return tautology, false
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
	for _, m := range s.follow[n] {
		if l := aig.Lit(2 * m); s.reps[m].Node() == n {
			r := s.reps[m]
			s.merge(int(m), s.rep(r), []sat.ID{s.up(l), s.up(r)}, []sat.ID{s.up(r.Not()), s.up(l.Not())})
		}
	}
}

// differ looks up what an assignment makes wrong.
func (s *sweeper) differ(in []bool) {
	words, values := make([]uint64, len(in)), make([]uint64, s.Graph.Len())
	for i, b := range in {
		if b {
			words[i] = 1
		}
	}
	if s.valid(words, values)&1 == 0 {
		panic("sweep: a difference where assumptions do not hold")
	}
	in = s.assignment(words, values, 0)
	if s.All {
		s.result.Failed = append(s.result.Failed, Failure{s.result.Output, in})
		return
	}
	for i := range s.Before {
		if (s.Before[i].Value(values)^s.After[i].Value(values))&1 != 0 {
			s.result.Verdict, s.result.Output, s.result.Inputs = Different, i, in
			return
		}
	}
	for i, c := range s.Show {
		if !holds(c, values, 0) {
			s.result.Verdict, s.result.Output, s.result.Inputs = Different, len(s.Before)+i, in
			return
		}
	}
	panic("sweep: a difference that is none")
}

func holds(c []aig.Lit, values []uint64, lane int) bool {
	for _, l := range c {
		if l.Value(values)>>lane&1 != 0 {
			return true
		}
	}
	return false
}
