package synth

import (
	"context"
	"math/big"

	"tv/equiv/bits/aig"
	"tv/equiv/bits/sat"
	"tv/equiv/bits/sweep"
)

// A sample is what inputs are, in their order, and what the output has to be.
type sample struct {
	in   []*big.Int
	want *big.Int
}

// A finder looks for words for the holes of a sketch that are right for samples, more and more of them.
type finder struct {
	sketch  *Sketch
	samples []sample
	graph   *aig.Graph
	proof   *sat.Proof
	solver  *sat.Solver
	encoded []bool
	vars    []int
	axioms  sat.ID
	units   []aig.Lit // what samples ask of the output's bits
}

// unnumbered is more axioms than there are: the proof of a finder that goes on is not kept.
const unnumbered = 1 << 28

func newFinder(s *Sketch) *finder {
	f := &finder{sketch: s, graph: aig.New(), proof: sat.NewProof(unnumbered)}
	f.solver = sat.New(f.proof)
	return f
}

// add has the holes be right for one more sample.
func (f *finder) add(x sample) {
	f.samples = append(f.samples, x)
	f.ask(f.demands(x), func() sat.ID { f.axioms++; return f.axioms })
}

// demands are the literals that a sample wants true.
func (f *finder) demands(x sample) (out []aig.Lit) {
	for i, l := range f.sketch.over(f.graph, x.in) {
		if l = l.NotIf(x.want.Bit(i) == 0); l != aig.True {
			out = append(out, l)
		}
	}
	return out
}

// ask gives the solver gates, and units; id numbers clauses: three of a gate, then the units.
func (f *finder) ask(units []aig.Lit, id func() sat.ID) {
	f.units = append(f.units, units...)
	cone := f.graph.Cone(units...)
	for len(f.encoded) < len(cone) {
		f.encoded = append(f.encoded, false)
		f.solver.NewVar()
	}
	for n, in := range cone {
		if !in || f.encoded[n] {
			continue
		}
		f.encoded[n] = true
		if n == 0 {
			continue
		}
		f.vars = append(f.vars, n)
		if a, b, ok := f.graph.Gate(n); ok {
			g := sat.Lit(2 * n)
			f.solver.Add(id(), g.Not(), sat.Lit(a))
			f.solver.Add(id(), g.Not(), sat.Lit(b))
			f.solver.Add(id(), g, sat.Lit(a).Not(), sat.Lit(b).Not())
		}
	}
	for _, l := range units {
		if l == aig.False { // as no gate makes it
			f.solver.Add(id())
			continue
		}
		f.solver.Add(id(), sat.Lit(l))
	}
}

// solve finds words for the holes, within so many conflicts. A hole that does not matter is 0.
func (f *finder) solve(ctx context.Context, conflicts int64) (sat.Status, []*big.Int) {
	status := f.solver.Solve(ctx, f.vars, nil, conflicts)
	if status != sat.Satisfiable {
		return status, nil
	}
	found := make([]*big.Int, len(f.sketch.holes))
	for i, h := range f.sketch.holes {
		found[i] = new(big.Int)
		for bit := range h.bits {
			l := f.graph.Input(aig.Signal{Port: h.name, Bit: bit})
			if n := l.Node(); n < len(f.encoded) && f.encoded[n] && f.solver.Value(n) {
				found[i].SetBit(found[i], bit, 1)
			}
		}
	}
	return status, found
}

// refutation shows that no words are right for the samples: it asks once more, of a solver whose clauses are numbered as certificates have
// them. It is nil where that ends without an answer.
func (f *finder) refutation(ctx context.Context, conflicts int64) *sweep.Certificate {
	again := newFinder(f.sketch)
	var units []aig.Lit
	for _, x := range f.samples {
		units = append(units, again.demands(x)...)
	}
	cone := again.graph.Cone(units...)
	c := &sweep.Certificate{}
	number := make([]aig.Lit, len(cone))
	for n, in := range cone {
		if i, ok := again.graph.InputOf(n); ok && in {
			c.Inputs = append(c.Inputs, again.graph.Signals()[i])
			number[n] = aig.Lit(2 * len(c.Inputs))
		}
	}
	lit := func(l aig.Lit) aig.Lit { return number[l.Node()].NotIf(l.Negated()) }
	for n, in := range cone {
		if a, b, ok := again.graph.Gate(n); ok && in {
			c.Gates = append(c.Gates, [2]aig.Lit{lit(a), lit(b)})
			number[n] = aig.Lit(2 * (len(c.Inputs) + len(c.Gates)))
		}
	}
	for _, l := range units {
		if l == aig.False { // no lemma is needed
			return &sweep.Certificate{}
		}
		c.Units = append(c.Units, lit(l))
	}
	axioms := 3*len(c.Gates) + len(c.Units)
	again.proof = sat.NewProof(axioms)
	again.solver = sat.New(again.proof)
	next := sat.ID(0)
	again.ask(units, func() sat.ID { next++; return next })
	if again.solver.Solve(ctx, again.vars, nil, conflicts) != sat.Unsatisfiable {
		return nil
	}
	used := again.proof.Used(again.solver.Lemma())
	ids := map[sat.ID]sat.ID{}
	last := sat.ID(axioms)
	for _, id := range used {
		if int(id) <= axioms {
			ids[id] = id
			continue
		}
		last++
		ids[id] = last
		lits, hints := again.proof.Lemma(id)
		var m sweep.Lemma
		for _, l := range lits {
			m.Lits = append(m.Lits, lit(aig.Lit(l)))
		}
		for _, h := range hints {
			m.Hints = append(m.Hints, ids[h])
		}
		c.Lemmas = append(c.Lemmas, m)
	}
	return c
}
