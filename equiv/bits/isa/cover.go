package isa

import (
	"slices"

	"github.com/crillab/gophersat/solver"

	"tv/equiv/egraph"
)

// A Cover is a set of instructions that all specifications can be made of.
type Cover struct {
	Instructions []int // places in Report.Instructions
	None         bool  // no set does: an operator has more arguments than an instruction may have holes
	Smallest     bool  // no set has fewer, and none of as many has fewer operators
	AtLeast      int   // otherwise: every set has so many
}

// Limits of the search for a smallest cover: sets that are tried, and conflicts of each question to the solver.
const coverTries = 400

// A covering is the question which applications make the outputs, by places of instructions.
type covering struct {
	list  []application
	of    []int // the instruction of each
	count int
	free  map[egraph.Class]bool // inputs and constants
	roots []egraph.Class
	cost  []int // operators of each instruction
}

// cover finds a smallest cover by sets that each cover has a member of: instructions that, of those that are left out, could be the
// next after all that can be made without. A set that has one of each of these is tried, the smallest first; where it is no
// cover it gives one more. Every set is made as large as it can be before it gives that, so that what is asked for is small.
func (s *search) cover(list []application, index map[int]int) Cover {
	q := &covering{count: len(index), free: map[egraph.Class]bool{}, cost: make([]int, len(index))}
	listed := make([]int, len(index)) // by places
	for k, place := range index {
		listed[place] = k
	}
	for _, a := range list {
		in := s.instructions[s.ops[s.g.Op(a.term)].instruction]
		if in.body.op == nil { // the identity makes nothing
			continue
		}
		for place, k := range listed {
			if s.instructions[k].does(in) {
				q.list, q.of = append(q.list, a), append(q.of, place)
				q.cost[place] = in.operators
			}
		}
	}
	for c := range s.g.Classes() {
		for _, n := range s.g.Nodes(c) {
			if o := s.ops[n.Op].name; o == opVar || o == opConst {
				q.free[c] = true
			}
		}
	}
	for _, root := range s.roots {
		q.roots = append(q.roots, s.g.Class(root))
	}
	return q.smallest()
}

// does tells whether an instruction makes all that another one makes: it is the same, or asks for less where arguments are equal.
func (in *instruction) does(of *instruction) bool {
	if !in.body.same(of.body) || !slices.Equal(in.widths, of.widths) {
		return false
	}
	for i, n := range in.numbers {
		for j := range i {
			if n == in.numbers[j] && of.numbers[i] != of.numbers[j] {
				return false
			}
		}
	}
	return true
}

// made are the classes that can be made by instructions of a set.
func (q *covering) made(set []bool) map[egraph.Class]bool {
	out := map[egraph.Class]bool{}
	for c := range q.free {
		out[c] = true
	}
	for changed := true; changed; {
		changed = false
		for i, a := range q.list {
			if set[q.of[i]] && !out[a.class] && q.ready(a, out) {
				out[a.class], changed = true, true
			}
		}
	}
	return out
}

func (q *covering) ready(a application, made map[egraph.Class]bool) bool {
	return !slices.ContainsFunc(a.args, func(c egraph.Class) bool { return !made[c] })
}

func (q *covering) all(made map[egraph.Class]bool) bool {
	return !slices.ContainsFunc(q.roots, func(c egraph.Class) bool { return !made[c] })
}

// cut is a set of instructions of which each cover has one, where a set is none: it is made larger while it stays none.
func (q *covering) cut(set []bool) []int {
	large := slices.Clone(set)
	for k := range large {
		if large[k] {
			continue
		}
		large[k] = true
		if q.all(q.made(large)) {
			large[k] = false
		}
	}
	made := q.made(large)
	var out []int
	for i, a := range q.list {
		if k := q.of[i]; !large[k] && !made[a.class] && q.ready(a, made) && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

func (q *covering) smallest() Cover {
	every := make([]bool, q.count)
	for k := range every {
		every[k] = true
	}
	if !q.all(q.made(every)) {
		return Cover{None: true}
	}
	best := q.greedy()
	out := Cover{Instructions: members(best)}
	var cuts [][]int
	for range coverTries {
		set, ok := q.hitting(cuts)
		if !ok {
			return out
		}
		if out.AtLeast = len(members(set)); q.all(q.made(set)) {
			return Cover{Instructions: members(set), Smallest: true, AtLeast: out.AtLeast}
		}
		cuts = append(cuts, q.cut(set))
	}
	return out
}

func members(set []bool) (out []int) {
	for k, in := range set {
		if in {
			out = append(out, k)
		}
	}
	return out
}

// greedy leaves out what is not needed, the largest instructions first.
func (q *covering) greedy() []bool {
	set := make([]bool, q.count)
	order := make([]int, q.count)
	for k := range set {
		set[k], order[k] = true, k
	}
	slices.SortStableFunc(order, func(a, b int) int { return q.cost[b] - q.cost[a] })
	for _, k := range order {
		if set[k] = false; !q.all(q.made(set)) {
			set[k] = true
		}
	}
	return set
}

// hitting is a smallest set that has a member of each cut, and of those one with the fewest operators.
func (q *covering) hitting(cuts [][]int) ([]bool, bool) {
	set := make([]bool, q.count)
	if len(cuts) == 0 {
		return set, true
	}
	used := map[int]int{} // variables of the solver
	var variable []int
	total := 1
	for _, c := range q.cost {
		total += c
	}
	var clauses []solver.PBConstr
	for _, cut := range cuts {
		var lits []int
		for _, k := range cut {
			if used[k] == 0 {
				variable = append(variable, k)
				used[k] = len(variable)
			}
			lits = append(lits, used[k])
		}
		clauses = append(clauses, solver.PropClause(lits...))
	}
	problem := solver.ParsePBConstrs(clauses)
	lits, weights := make([]solver.Lit, len(variable)), make([]int, len(variable))
	for i, k := range variable {
		lits[i], weights[i] = solver.IntToLit(int32(i+1)), total+q.cost[k]
	}
	problem.SetCostFunc(lits, weights)
	sat := solver.New(problem)
	if sat.Minimize() < 0 {
		return nil, false
	}
	for i, v := range sat.Model()[:len(variable)] {
		if v {
			set[variable[i]] = true
		}
	}
	return set, true
}
