package egraph

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/crillab/gophersat/solver"
)

// A Limit ends a search for the best choice by counts, so that it ends alike each time.
type Limit struct {
	Conflicts int // of each question to the solver; 0: 20,000
	Clauses   int // of each question; 0: 200,000
}

// Optimum finds the cheapest term in which what is shared is paid once, and tells whether it is proved that there is none
// cheaper. Where a limit, or the context, ends the search, the best term so far is returned.
//
// What [Graph.Shared] has is the start. Classes that options connect are one question for a pseudo-Boolean solver:
// a variable for each option; an option needs one of each of its children; no circle in classes that need each other. Costs are
// made least one number after the other.
func (g *Graph[D]) Optimum(ctx context.Context, root Class, costs Costs, limit Limit) (*Choice, bool, error) {
	if limit.Conflicts == 0 {
		limit.Conflicts = 20_000
	}
	if limit.Clauses == 0 {
		limit.Clauses = 200_000
	}
	p := g.problem(root, costs)
	if chosen, _, _ := p.tree(); chosen[p.root] < 0 {
		return nil, false, &ErrNothing{g.Find(root)}
	}
	p.reduce()
	e := p.evaluation()
	chosen, parts := e.greedy()
	component, _ := p.components()
	optimal := true
	for _, part := range parts {
		if !e.solve(ctx, part, component, chosen, limit) {
			optimal = false
		}
	}
	return g.choice(p, chosen), optimal, nil
}

// A question is a part of a problem for the solver.
type question struct {
	*evaluation
	part      part
	component []int32
	first     map[int32]int     // variable of the first option of a class
	arcs      map[[2]int32]int  // variable: one class needs another, maybe by way of those eliminated
	out, in   map[int32][]int32 // arcs by class
	clauses   []solver.PBConstr // without costs
	variables int
}

// solve makes what is chosen in a part best, and tells whether that is proved.
func (e *evaluation) solve(ctx context.Context, part part, component []int32, chosen choosing, limit Limit) bool {
	q := &question{evaluation: e, part: part, component: component, first: map[int32]int{}, arcs: map[[2]int32]int{},
		out: map[int32][]int32{}, in: map[int32][]int32{}}
	if !q.state(limit.Clauses) {
		return false
	}
	bounds := []solver.PBConstr{}
	for place := range (Cost{}) {
		w, ok := q.weights(place)
		if !ok {
			return false
		}
		if len(w.lits) == 0 {
			continue
		}
		if over := q.over(w, chosen, place); over > 0 {
			model, ended := q.minimize(ctx, append(slices.Clone(bounds), w.atMost(over-1)), w, limit)
			if model != nil && !q.take(model, chosen) || !ended {
				return false
			}
		}
		bounds = append(bounds, w.atMost(q.over(w, chosen, place)))
	}
	return true
}

// state states what a choice is. It is false where that takes too many clauses.
func (q *question) state(limit int) bool {
	for _, c := range q.part {
		q.first[c] = q.variables + 1
		q.variables += len(q.options[c])
	}
	for _, c := range q.part {
		if q.paid[c] {
			q.clauses = append(q.clauses, solver.PropClause(q.anyOf(c)...))
		}
		for i, o := range q.options[c] {
			for _, d := range o.children {
				q.clauses = append(q.clauses, solver.PropClause(append(q.anyOf(d), -(q.first[c]+i))...))
				if q.component[c] == q.component[d] {
					q.clauses = append(q.clauses, solver.PropClause(-(q.first[c]+i), q.arc(c, d)))
				}
			}
		}
		if len(q.clauses) > limit {
			return false
		}
	}
	return q.noCircles(limit)
}

func (q *question) anyOf(c int32) []int {
	var out []int
	for i := range q.options[c] {
		out = append(out, q.first[c]+i)
	}
	return out
}

func (q *question) arc(c, d int32) int {
	key := [2]int32{c, d}
	if q.arcs[key] == 0 {
		q.variables++
		q.arcs[key] = q.variables
		q.out[c], q.in[d] = append(q.out[c], d), append(q.in[d], c)
	}
	return q.arcs[key]
}

// noCircles says that the arcs that hold have no circle, by eliminating classes one after the other: an arc in and an arc
// out of it make one past it (Rankooh and Rintanen, Propositional encodings of acyclicity and reachability by using vertex
// elimination, 2022). Those with few arcs go first.
func (q *question) noCircles(limit int) bool {
	var left []int32
	for _, c := range q.part {
		if len(q.out[c])+len(q.in[c]) > 0 {
			left = append(left, c)
		}
	}
	for len(left) > 0 {
		at := 0
		for i, c := range left {
			if len(q.out[c])*len(q.in[c]) < len(q.out[left[at]])*len(q.in[left[at]]) {
				at = i
			}
		}
		c := left[at]
		left = slices.Delete(left, at, at+1)
		in, out := q.in[c], q.out[c]
		for _, b := range in {
			for _, d := range out {
				clause := []int{-q.arcs[[2]int32{b, c}], -q.arcs[[2]int32{c, d}]}
				if b != d {
					clause = append(clause, q.arc(b, d))
				}
				q.clauses = append(q.clauses, solver.PropClause(clause...))
			}
		}
		if len(q.clauses) > limit {
			return false
		}
		for _, b := range in {
			q.out[b] = slices.DeleteFunc(q.out[b], func(x int32) bool { return x == c })
		}
		for _, d := range out {
			q.in[d] = slices.DeleteFunc(q.in[d], func(x int32) bool { return x == c })
		}
	}
	return true
}

// Weights are what options cost at one place more than their class costs anyway, if it is paid, over a number that divides
// all. So the solver need not prove that each of many classes costs something.
type weights struct {
	lits, weights []int
	least, scale  uint64 // what the classes cost anyway
}

func (w *weights) atMost(n int) solver.PBConstr {
	return solver.LtEq(slices.Clone(w.lits), slices.Clone(w.weights), n)
}

// over is what a choosing weighs.
func (q *question) over(w *weights, chosen choosing, place int) int {
	cost, _ := q.cost(q.part, chosen)
	return int((cost[place] - w.least) / w.scale)
}

// weights is false where the solver, which keeps bounds in 30 bits, could not add them.
func (q *question) weights(place int) (w *weights, ok bool) {
	w = &weights{}
	more := map[int]uint64{}
	for _, c := range q.part {
		least := uint64(0)
		if q.paid[c] {
			least = slices.MinFunc(q.options[c], func(a, b option) int { return cmp.Compare(a.cost[place], b.cost[place]) }).cost[place]
		}
		var carry uint64
		if w.least, carry = bits.Add64(w.least, least, 0); carry > 0 {
			return nil, false
		}
		for i, o := range q.options[c] {
			more[q.first[c]+i] = o.cost[place] - least
			for a, b := w.scale, o.cost[place]-least; ; a, b = b, a%b {
				if b == 0 {
					w.scale = a
					break
				}
			}
		}
	}
	sum := uint64(0)
	for _, c := range q.part {
		for i := range q.options[c] {
			lit := q.first[c] + i
			if more[lit] == 0 {
				continue
			}
			weight := more[lit] / w.scale
			if sum += weight; weight >= 1<<30 || sum >= 1<<30 {
				return nil, false
			}
			w.lits, w.weights = append(w.lits, lit), append(w.weights, int(weight))
		}
	}
	return w, true
}

// take chooses what a model has, where that is a choice and a cheaper one.
func (q *question) take(model []bool, chosen choosing) bool {
	before := slices.Clone(chosen)
	cost, _ := q.cost(q.part, chosen)
	for _, c := range q.part {
		for i := range q.options[c] {
			if model[q.first[c]+i-1] {
				chosen[c] = int32(i)
				break
			}
		}
	}
	if now, ok := q.cost(q.part, chosen); !ok || !now.Less(cost) {
		copy(chosen, before)
		return false
	}
	return true
}

// minimize looks for the model that costs least, and tells whether the search came to its end: then there is none cheaper,
// or none at all. The solver has no limit of its own, but it hands over each clause that it learns: these are counted, and
// where they are not taken any more it panics, which ends it.
func (q *question) minimize(ctx context.Context, bounds []solver.PBConstr, w *weights, limit Limit) (model []bool, ended bool) {
	var clauses []solver.PBConstr
	for _, c := range slices.Concat(bounds, q.clauses) { // the solver sorts and shortens what it is given
		clauses = append(clauses, solver.PBConstr{Lits: slices.Clone(c.Lits), Weights: slices.Clone(c.Weights), AtLeast: c.AtLeast})
	}
	clauses = append(clauses, solver.AtLeast([]int{q.variables}, 0)) // says how many there are
	problem := solver.ParsePBConstrs(clauses)
	if problem.Status == solver.Unsat {
		return nil, true
	}
	min := make([]solver.Lit, len(w.lits))
	for i, l := range w.lits {
		min[i] = solver.IntToLit(int32(l))
	}
	problem.SetCostFunc(min, slices.Clone(w.weights))
	var (
		learned = make(chan string)
		results = make(chan solver.Result)
		end     = make(chan bool, 1)
	)
	go func() {
		defer func() { end <- recover() == nil }()
		s := solver.New(problem)
		s.Certified, s.CertChan = true, learned
		s.Optimal(results, nil)
	}()
	stop := func() ([]bool, bool) {
		close(learned)
		for range results {
		}
		<-end
		return model, false
	}
	for n := 0; ; {
		select {
		case r, open := <-results:
			if !open {
				return model, <-end
			}
			if r.Status == solver.Sat {
				model = r.Model
			}
		case <-learned:
			if n++; n > limit.Conflicts {
				return stop()
			}
		case <-ctx.Done():
			return stop()
		}
	}
}
