// Package cnf tells a solver what gates mean, as they are asked for. What is found by it is no proof: its lemmas are not for certificates.
package cnf

import (
	"context"

	"tv/equiv/bits/aig"
	"tv/equiv/bits/sat"
)

// An Encoder asks about gates of a graph, which may grow, and about free variables.
type Encoder struct {
	graph  *aig.Graph
	solver *sat.Solver
	proof  *sat.Proof
	of     []int // the variable of a node, one more; 0: it has none
	vars   []int
	must   []sat.Lit // of the last question
}

// New returns an encoder of which nothing was asked.
func New(g *aig.Graph) *Encoder {
	p := sat.NewProof(int(unnamed))
	return &Encoder{graph: g, solver: sat.New(p), proof: p}
}

// unnamed is the id of clauses that no proof speaks of.
const unnamed sat.ID = 1

// Free returns a new variable.
func (e *Encoder) Free() sat.Lit {
	v := e.solver.NewVar()
	e.vars = append(e.vars, v)
	return sat.Lit(2 * v)
}

// Lit returns a literal of the graph as one of the solver's.
func (e *Encoder) Lit(l aig.Lit) sat.Lit {
	for len(e.of) <= l.Node() {
		e.of = append(e.of, 0)
	}
	for stack := []int{l.Node()}; len(stack) > 0; {
		n := stack[len(stack)-1]
		a, b, gate := e.graph.Gate(n)
		switch {
		case e.of[n] != 0:
			stack = stack[:len(stack)-1]
		case gate && e.of[a.Node()] == 0:
			stack = append(stack, a.Node())
		case gate && e.of[b.Node()] == 0:
			stack = append(stack, b.Node())
		default:
			x := e.Free()
			e.of[n] = x.Var() + 1
			if gate {
				e.Add(x.Not(), e.at(a))
				e.Add(x.Not(), e.at(b))
				e.Add(x, e.at(a).Not(), e.at(b).Not())
			} else if n == 0 {
				e.Add(x.Not())
			}
		}
	}
	return e.at(l)
}

func (e *Encoder) at(l aig.Lit) sat.Lit {
	x := sat.Lit(2 * (e.of[l.Node()] - 1))
	if l.Negated() {
		x = x.Not()
	}
	return x
}

// Lits are several.
func (e *Encoder) Lits(list ...aig.Lit) []sat.Lit {
	out := make([]sat.Lit, len(list))
	for i, l := range list {
		out[i] = e.Lit(l)
	}
	return out
}

// Add adds a clause. A literal may be in it more than once, or with its complement.
func (e *Encoder) Add(lits ...sat.Lit) {
	var c []sat.Lit
	for i, l := range lits {
		first := true
		for _, m := range lits[:i] {
			if m == l.Not() {
				return
			}
			first = first && m != l
		}
		if first {
			c = append(c, l)
		}
	}
	e.solver.Add(unnamed, c...)
}

// Solve asks whether all of must can hold.
func (e *Encoder) Solve(ctx context.Context, must []sat.Lit, conflicts int64) sat.Status {
	e.must = must
	return e.solver.Solve(ctx, e.vars, must, conflicts)
}

// Conflicts counts all so far.
func (e *Encoder) Conflicts() int64 { return e.solver.Conflicts }

// Core tells, behind an answer that all of must cannot hold, which of these cannot.
func (e *Encoder) Core() map[sat.Lit]bool {
	core := map[sat.Lit]bool{}
	id := e.solver.Lemma()
	if id == unnamed { // one was false from the start, by a clause of one literal that was added
		for _, l := range e.must {
			if e.solver.Solve(context.Background(), nil, []sat.Lit{l}, 1) == sat.Unsatisfiable {
				core[l] = true
				break
			}
		}
		return core
	}
	lits, _ := e.proof.Lemma(id)
	for _, l := range lits {
		core[l.Not()] = true
	}
	return core
}

// Value is that of a literal in the last model; what nothing asked for is false.
func (e *Encoder) Value(l aig.Lit) bool {
	return l.Node() < len(e.of) && e.of[l.Node()] != 0 && e.solver.Value(e.of[l.Node()]-1) != l.Negated()
}
