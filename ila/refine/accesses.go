package refine

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"tv/ila"
	"tv/ila/prove"
	"tv/semantics/index"
	"tv/semantics/term"
)

// An accessing is a load or a store of an instruction, and what is known where it takes place.
type accessing struct {
	memory *ila.Var
	at     *term.Term
	where  *known
	loads  bool
}

// accesses lists the loads and stores of an instruction of m.
func accesses(m *ila.Model, i *ila.Instruction, byTerm map[*term.Term]*ila.Var) []accessing {
	w := &accessWalk{byTerm: byTerm, seen: map[accessKey]bool{}, reads: map[*term.Term]bool{}}
	k := nothingKnown(m.B).assume(premise(m, i, false))
	for _, c := range i.Checks {
		w.visit(c.Cond, k)
		k = k.assume(c.Cond)
	}
	for _, s := range i.Sets {
		w.visit(s.Value, k)
	}
	for _, e := range i.Eachs {
		for _, st := range e.Stores {
			here := k
			if st.When != nil {
				w.visit(st.When, k)
				here = k.assume(st.When)
			}
			w.visit(st.Address, here)
			w.list = append(w.list, accessing{memory: st.Memory, at: st.Address, where: here})
			if st.Value != nil {
				w.visit(st.Value, here)
			}
		}
	}
	return w.list
}

type accessKey struct {
	t     *term.Term
	where *known
}

type accessWalk struct {
	byTerm map[*term.Term]*ila.Var
	list   []accessing
	seen   map[accessKey]bool
	reads  map[*term.Term]bool // whether a term reads a memory
}

// visit collects the loads below t. A branch that is not taken loads nothing: conditions on the way are assumed, but
// for those that depend on data.
func (w *accessWalk) visit(t *term.Term, k *known) {
	key := accessKey{t, k}
	if w.seen[key] || k.empty || !ila.ReadsMemory(t, w.reads) {
		return
	}
	w.seen[key] = true
	under := func(cond *term.Term, holds bool) *known {
		if ila.ReadsMemory(cond, w.reads) {
			return k
		}
		if !holds {
			cond = k.b.Not(cond)
		}
		return k.assume(cond)
	}
	switch {
	case t.Op == term.Load:
		w.visit(t.Args[1], k)
		w.list = append(w.list, accessing{memory: w.byTerm[t.Args[0]], at: t.Args[1], where: k, loads: true})
	case t.Op == term.Choose:
		w.visit(t.Args[0], k)
		w.visit(t.Args[1], under(t.Args[0], true))
		w.visit(t.Args[2], under(t.Args[0], false))
	case (t.Op == term.And || t.Op == term.Or) && t.Sort == term.BoolSort:
		w.visit(t.Args[0], k)
		w.visit(t.Args[1], under(t.Args[0], t.Op == term.And))
	default:
		for _, a := range t.Args {
			w.visit(a, k)
		}
	}
}

// memoriesInOrder judges the loads and stores of the instructions of m itself: addresses do not wrap, and lie in
// memories that programs do not address; cells that programs do not fill are written before they are read.
func memoriesInOrder(m *ila.Model, byTerm map[*term.Term]*ila.Var) []Finding {
	address := Finding{Model: m.Path(), Question: "indices in range", Code: ila.CodeAddress, Verdict: prove.Proved}
	cells := Finding{Model: m.Path(), Question: "cells written before read", Code: ila.CodeUnwritten, Verdict: prove.Proved}
	_, fillings := stated(m)
	for _, i := range m.Instructions {
		for _, a := range accesses(m, i, byTerm) {
			name := fmt.Sprintf("%s.%s: %s", m.Path(), i.Name, a.memory.Name)
			address.Cases++
			if !a.where.empty && address.Verdict == prove.Proved && !a.inRange() {
				address.open(m.B, a.where.all, name, a.misses)
			}
			if !a.loads || a.memory.FreeCells {
				continue
			}
			cells.Cases++
			if cells.Verdict == prove.Proved && !a.written(fillings) {
				cells.open(m.B, a.where.all, name, func(e *state) bool { return !a.filled(e, fillings) })
			}
		}
	}
	return []Finding{address, cells}
}

func (a *accessing) inRange() bool {
	return a.where.exact(a.at) && (a.memory.FreeAddress || a.where.span(a.at).hi < a.memory.Depth)
}

// misses tells whether an address wraps, or lies beyond a memory that programs do not address, in a state.
func (a *accessing) misses(e *state) bool {
	return e.wraps(a.at) || !a.memory.FreeAddress && e.value(a.at) >= a.memory.Depth
}

// written tells whether a filling says that what is read was written.
func (a *accessing) written(fillings []ila.Filling) bool {
	s := a.where.span(a.at)
	for _, f := range fillings {
		if f.Memory == a.memory && f.First <= s.lo && s.hi < f.First+f.Count && a.where.prove(f.When, maxCaseSplits) {
			return true
		}
	}
	return a.where.empty
}

// filled tells whether a filling says so in a state.
func (a *accessing) filled(e *state, fillings []ila.Filling) bool {
	at := e.value(a.at)
	for _, f := range fillings {
		if f.Memory == a.memory && f.First <= at && at < f.First+f.Count && e.value(f.When) != 0 {
			return true
		}
	}
	return false
}

// open says of a finding that a claim about a place is not known: refuted where a random state in which when holds
// shows it wrong, else unknown.
func (f *Finding) open(b *term.Builder, when *term.Term, place string, wrong func(*state) bool) {
	random := rand.New(rand.NewPCG(0x7476, 9))
	for range equivalenceSamples {
		e := &state{values: map[*term.Term]uint64{}, counts: map[*index.Atom]uint64{}, seed: random.Uint64(), random: random}
		e.aim(when)
		f.Cases++
		if e.value(when) != 0 && wrong(e) {
			f.Verdict, f.Detail = prove.Refuted, place+" at "+e.describe()
			return
		}
	}
	f.Verdict, f.Detail = prove.Unknown, place+": neither is it known nor does a random state show it wrong"
}

// claim asks whether goal follows from premise; f tells of the first place where it is not known to.
func (f *Finding) claim(b *term.Builder, premise, goal *term.Term, place string) {
	f.Cases++
	if f.Verdict != prove.Proved || nothingKnown(b).assume(premise).prove(goal, maxCaseSplits) {
		return
	}
	f.open(b, premise, place, func(e *state) bool { return e.value(goal) == 0 })
}

// wraps tells whether a sum or product of an address is not that of integers in a state; see known.exact.
func (e *state) wraps(t *term.Term) bool {
	ones := term.Ones(t.Sort.Width)
	switch t.Op {
	case term.Add:
		if from, less := difference(t); less != nil {
			return e.value(less) > e.value(from) || e.wraps(less) || e.wraps(from)
		}
		sum, carry := bits.Add64(e.value(t.Args[0]), e.value(t.Args[1]), 0)
		return (carry != 0 || sum > ones) != lowers(t) || e.wraps(t.Args[0]) || e.wraps(t.Args[1])
	case term.Mul:
		high, low := bits.Mul64(e.value(t.Args[0]), e.value(t.Args[1]))
		return high != 0 || low > ones || e.wraps(t.Args[0]) || e.wraps(t.Args[1])
	case term.Neg:
		return e.value(t.Args[0]) != 0
	case term.ExtendU:
		return e.wraps(t.Args[0])
	}
	return false
}
