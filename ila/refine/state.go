package refine

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"tv/ila"
	"tv/semantics/index"
	"tv/semantics/term"
)

// A state gives variables random values, and memories random contents.
type state struct {
	values map[*term.Term]uint64
	order  []*term.Term
	counts map[*index.Atom]uint64 // of counters; those missing are drawn
	seed   uint64
	random *rand.Rand
}

// aim sets the bits that the conjunction when compares with numbers, so that it holds more often.
func (e *state) aim(when *term.Term) {
	switch {
	case when.Op == term.And && when.Sort == term.BoolSort:
		e.aim(when.Args[0])
		e.aim(when.Args[1])
	case when.Op == term.Equal:
		for i, x := range when.Args {
			v, ok := when.Args[1-i].ConstBits()
			switch {
			case ok && x.Op == term.Read:
				e.read(x)
				e.values[x] = v
			case ok && x.Op == term.Extract && x.Args[0].Op == term.Read:
				at := x.Args[0]
				mask := term.Ones(x.Sort.Width) << x.Low()
				e.values[at] = e.read(at)&^mask | v<<x.Low()
			}
		}
	}
}

func (e *state) read(t *term.Term) uint64 {
	v, ok := e.values[t]
	if !ok {
		v = e.random.Uint64() & term.Ones(t.Sort.Width)
		switch e.random.IntN(4) {
		case 0:
			v &= 3
		case 1: // few bits, so that fields beside each other are 0 and not
			v &= e.random.Uint64() & e.random.Uint64() & e.random.Uint64() & e.random.Uint64()
		}
		e.values[t] = v
		e.order = append(e.order, t)
	}
	return v
}

func (e *state) value(t *term.Term) uint64 {
	switch t.Op {
	case term.Const:
		v, _ := t.ConstBits()
		return v
	case term.Read:
		return e.read(t)
	case term.Load:
		h := e.seed ^ uint64(t.Args[0].ID())<<40 ^ e.value(t.Args[1])*0x9e3779b97f4a7c15
		h = (h ^ h>>31) * 0xbf58476d1ce4e5b9
		return (h ^ h>>29) & term.Ones(t.Sort.Width)
	case term.Number:
		v := t.Index[0].Free()[0]
		n, ok := e.counts[v]
		if !ok {
			n = e.random.Uint64N(uint64(ila.Iterations(v)))
			e.counts[v] = n
		}
		return n & term.Ones(t.Sort.Width)
	case term.Apply:
		h := e.seed
		for _, r := range t.Name {
			h = h*31 + uint64(r)
		}
		for _, a := range t.Args {
			h = (h ^ e.value(a)) * 0x9e3779b97f4a7c15
		}
		return (h ^ h>>31) & term.Ones(t.Sort.Width)
	}
	args := make([]uint64, len(t.Args))
	for i, a := range t.Args {
		args[i] = e.value(a)
	}
	return term.EvalBits(t, args)
}

func (e *state) describe() string { return describeValues(e.order, e.values) }

// describeValues says which elements have which values.
func describeValues(order []*term.Term, values map[*term.Term]uint64) string {
	parts := make([]string, len(order))
	for i, t := range order {
		parts[i] = fmt.Sprintf("%s = 0x%x", t.Tensor.Name, values[t])
	}
	return strings.Join(parts, ", ")
}
