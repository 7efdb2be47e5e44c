package induct

import (
	"context"
	"math/rand/v2"

	"tv/equiv/bits/aig"
	"tv/equiv/bits/sat"
	"tv/equiv/bits/sweep"
)

type prover struct {
	*System
	Options
	ctx       context.Context
	random    *rand.Rand
	inputs    *runner // of Graph
	start     *runner // of Start
	signal    []int   // of bits of the state, among the signals of Graph
	bit       []bool  // nodes that are bits of the state
	stateful  []bool  // nodes that depend on these alone
	next      *aig.Copier
	initial   *aig.Copier
	runs      []words
	hash      []uint64
	phase     []bool
	classes   []class
	began     words // the signals of the start, in the runs
	told      *Run  // one in which outputs differ
	twin      []int // of bits
	avoid     map[[2]int]bool
	undecided map[int]int
	early     bool // outputs differ before the first state
	quick     bool // pairs that are not easy are left out
	passes    int
	conflicts int64
}

func (p *prover) prepare() {
	n := p.Graph.Len()
	p.random = rand.New(rand.NewPCG(21, 22))
	p.bit, p.stateful, p.twin = make([]bool, n), make([]bool, n), make([]int, n)
	p.avoid, p.undecided = map[[2]int]bool{}, map[int]int{}
	state := map[aig.Signal]int{}
	isState := map[int]bool{}
	for i, b := range p.State {
		at, _ := p.Graph.InputOf(b.Now.Node())
		p.signal = append(p.signal, at)
		state[p.Graph.Signals()[at]] = i
		isState[at] = true
		p.bit[b.Now.Node()] = true
		p.twin[b.Now.Node()] = b.Twin.Node()
	}
	p.stateful[0] = true
	for n := 1; n < len(p.stateful); n++ {
		if a, b, ok := p.Graph.Gate(n); ok {
			p.stateful[n] = p.stateful[a.Node()] && p.stateful[b.Node()]
		} else {
			p.stateful[n] = p.bit[n]
		}
	}
	p.next = aig.NewCopier(p.Graph, p.Graph, func(s aig.Signal) aig.Lit { return p.State[state[s]].Next })
	p.initial = aig.NewCopier(p.Graph, p.Start, func(s aig.Signal) aig.Lit {
		if i, ok := state[s]; ok {
			return p.Initial[i]
		}
		return p.Start.Input(s) // of the first cycle, which no signal of the start is of
	})
	p.inputs = newRunner(p.Graph, p.Assume, p.random, func(i int) bool { return !isState[i] })
	p.start = newRunner(p.Start, p.StartAssume, p.random, func(int) bool { return true })
}

func (p *prover) run() (r Result) {
	p.prepare()
	defer func() { r.Conflicts = p.conflicts }()
	cycle := p.simulate()
	switch {
	case p.early:
		return Result{Verdict: Different, Cycle: -1}
	case cycle >= 0:
		return Result{Verdict: Different, Cycle: cycle, Run: p.told}
	case len(p.runs) == 0:
		return Result{Verdict: Empty}
	}
	p.group()
	classes := p.classes
	if done := p.match(classes); done.Verdict == Equal {
		return done
	}
	var equal [][2]aig.Lit
	for _, gates := range []bool{false, true} {
		p.classes = classes
		if gates && p.Graph.Len() > tooMany {
			break
		}
		pairs, ok := p.correspond(gates)
		if !ok {
			break
		}
		equal = pairs
		if done := p.prove(equal, nil); done.Verdict == Equal {
			return done
		}
	}
	return p.reach(equal)
}

// tooMany gates are not all taken for candidates.
const tooMany = 20_000

// prove shows that pairs and clauses are an invariant under which outputs are equal.
func (p *prover) prove(equal [][2]aig.Lit, clauses [][]aig.Lit) Result {
	step := sweep.Question{Graph: p.Graph, Assume: p.Assume, Equal: equal, Clauses: clauses, Draw: p.drawRun(), Keep: p.Keep}
	base := sweep.Question{Graph: p.Start, Assume: p.StartAssume, Keep: p.StartKeep}
	for _, e := range equal {
		step.Before, step.After = append(step.Before, p.next.Lit(e[0])), append(step.After, p.next.Lit(e[1]))
		base.Before, base.After = append(base.Before, p.initial.Lit(e[0])), append(base.After, p.initial.Lit(e[1]))
	}
	step.Before, step.After = append(step.Before, p.Before...), append(step.After, p.After...)
	base.Before, base.After = append(base.Before, p.First...), append(base.After, p.Second...)
	for _, c := range clauses {
		step.Show, base.Show = append(step.Show, p.next.Lits(c)), append(base.Show, p.initial.Lits(c))
	}
	s := p.sweep(step)
	if s.Verdict == sweep.Different && len(clauses) > 0 {
		panic("induct: an invariant that is none")
	}
	if s.Verdict != sweep.Equal {
		return Result{}
	}
	b := p.sweep(base)
	if b.Verdict != sweep.Equal {
		return Result{}
	}
	return Result{Verdict: Equal, Step: s.Certificate, Base: b.Certificate, Clauses: len(s.Certificate.Clauses),
		StepShown: shown(equal, clauses, s.Certificate), BaseShown: shown(equal, clauses, b.Certificate)}
}

// shown are the ids that show the clauses of an invariant, in the order in which certificates have these.
func shown(equal [][2]aig.Lit, clauses [][]aig.Lit, c *sweep.Certificate) (ids []sat.ID) {
	for i, e := range equal {
		for k, lits := range [2][]aig.Lit{{e[0].Not(), e[1]}, {e[0], e[1].Not()}} {
			if !sweep.Tautology(lits) {
				ids = append(ids, c.Pairs[i][k])
			}
		}
	}
	for i, lits := range clauses {
		if !sweep.Tautology(lits) {
			ids = append(ids, c.Shown[i])
		}
	}
	return ids
}
