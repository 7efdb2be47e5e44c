package refine

import (
	"fmt"
	"slices"

	"tv/ila"
	"tv/ila/prove"
	"tv/semantics/term"
)

// A Finding is what Check has to say about one model or child model: which question, and the answer.
type Finding struct {
	Model    string
	Question string // "decodes do not overlap", "every word decodes"
	Verdict  prove.Verdict
	Code     string // of what is wrong where it is refuted: machine-decode, machine-invariant and so on
	Detail   string // a state and inputs at which it is wrong, or why it is open
	Cases    int    // looked at
}

// maxDecodes bounds the cases that Check looks at for one question.
const maxDecodes = 1 << 20

// Check judges a model by itself:
//
//   - of the instructions of each model at most one decodes, and of those of the root at least one does (its child
//     models rest where nothing decodes), for every state and input. It is decided by cases that cover everything
//     the decodes can tell apart: all values of the bits that they take out of inputs and state, or, for a variable
//     that they only compare with numbers, one of each stretch between those;
//   - what the model states (Invariant, Filling) holds in the first state, and each instruction keeps it;
//   - in every state of which that holds, loads and stores use addresses that do not wrap and lie in the memory,
//     and load cells that were written, but where the memory says that programs see to it.
//
// The last two are decided by ranges of bit-vectors (ranges.go); a refutation is a state. Errors are those of
// Validate.
func Check(m *ila.Model) ([]Finding, error) {
	if err := ila.Validate(m); err != nil {
		return nil, err
	}
	byTerm := ila.Link(m).ByTerm
	var list []Finding
	m.Walk(func(c *ila.Model) {
		if len(c.Instructions) == 0 {
			return
		}
		overlap, gap := decodes(c, c == m)
		list = append(list, overlap)
		if c == m {
			list = append(list, gap)
			list = append(list, invariants(m)...)
		}
		list = append(list, memoriesInOrder(c, byTerm)...)
	})
	return list, nil
}

// decodes judges the decodes of the instructions of a model; complete says that one has to hold.
func decodes(m *ila.Model, complete bool) (overlap, gap Finding) {
	overlap = Finding{Model: m.Path(), Question: "decodes do not overlap", Code: ila.CodeDecode}
	gap = Finding{Model: m.Path(), Question: "every input decodes", Code: ila.CodeDecode}
	p := partition{bits: map[*term.Term]uint64{}, points: map[*term.Term][]uint64{}, whole: map[*term.Term]bool{}}
	for _, i := range m.Instructions {
		p.visit(i.Decode)
	}
	p.cases()
	if p.unfit != "" {
		overlap.Detail, gap.Detail = p.unfit, p.unfit
		return overlap, gap
	}
	overlap.Verdict, gap.Verdict = prove.Proved, prove.Proved
	e := &assignment{values: map[*term.Term]uint64{}}
	p.each(0, e, func() bool {
		overlap.Cases++
		var found []string
		for _, i := range m.Instructions {
			if e.value(i.Decode) != 0 {
				found = append(found, i.Name)
			}
		}
		switch {
		case len(found) > 1 && overlap.Verdict == prove.Proved:
			overlap.Verdict = prove.Refuted
			overlap.Detail = fmt.Sprintf("%s and %s at %s", found[0], found[1], p.describe(e))
		case len(found) == 0 && gap.Verdict == prove.Proved:
			gap.Verdict = prove.Refuted
			gap.Detail = "nothing decodes at " + p.describe(e)
		}
		return overlap.Verdict == prove.Proved || complete && gap.Verdict == prove.Proved
	})
	gap.Cases = overlap.Cases
	return overlap, gap
}

// A partition is what decodes take from inputs and state.
type partition struct {
	order  []*term.Term            // variables in order of first use
	bits   map[*term.Term]uint64   // bits that are taken out
	whole  map[*term.Term]bool     // is compared as a whole
	points map[*term.Term][]uint64 // numbers that it is compared with
	values [][]uint64              // by place in order
	unfit  string
}

func (p *partition) use(t *term.Term) {
	if !slices.Contains(p.order, t) {
		p.order = append(p.order, t)
	}
}

func (p *partition) visit(t *term.Term) {
	switch {
	case t.Op == term.Const:
		return
	case t.Op == term.Read && t.Sort.Kind == term.Memory, t.Op == term.Load, t.Op == term.Reduce:
		p.unfit = "a decode reads a memory"
		return
	case t.Op == term.Read: // as a whole, in an operation that tells all values apart
		p.use(t)
		p.bits[t] |= term.Ones(t.Sort.Width)
		return
	case t.Op == term.Extract && t.Args[0].Op == term.Read:
		x := t.Args[0]
		p.use(x)
		p.bits[x] |= term.Ones(t.Sort.Width) << t.Low()
		return
	case t.Op == term.Equal || t.Op == term.LessU:
		for i, x := range t.Args {
			if v, ok := t.Args[1-i].ConstBits(); ok && x.Op == term.Read {
				p.use(x)
				p.whole[x] = true
				p.points[x] = append(p.points[x], v)
				return
			}
		}
	}
	for _, a := range t.Args {
		p.visit(a)
	}
}

// cases lists the values of each variable that stand for all.
func (p *partition) cases() {
	total := 1
	for _, x := range p.order {
		var values []uint64
		if mask := p.bits[x]; mask == 0 {
			// x < v and x = v change at v and at v+1 only
			values = []uint64{0}
			for _, v := range p.points[x] {
				values = append(values, v, (v+1)&term.Ones(x.Sort.Width))
			}
			slices.Sort(values)
			values = slices.Compact(values)
		} else {
			if p.whole[x] {
				mask = term.Ones(x.Sort.Width)
			}
			for v := uint64(0); ; v = (v - mask) & mask {
				if len(values) > maxDecodes {
					break
				}
				values = append(values, v)
				if v == mask {
					break
				}
			}
		}
		p.values = append(p.values, values)
		if total *= len(values); total > maxDecodes {
			p.unfit = fmt.Sprintf("decodes tell more than %d cases apart", maxDecodes)
			return
		}
	}
}

func (p *partition) each(at int, e *assignment, f func() bool) bool {
	if at == len(p.order) {
		return f()
	}
	for _, v := range p.values[at] {
		e.values[p.order[at]] = v
		if !p.each(at+1, e, f) {
			return false
		}
	}
	return true
}

func (p *partition) describe(e *assignment) string { return describeValues(p.order, e.values) }

type assignment struct{ values map[*term.Term]uint64 }

func (e *assignment) value(t *term.Term) uint64 {
	switch t.Op {
	case term.Const:
		v, _ := t.ConstBits()
		return v
	case term.Read:
		return e.values[t]
	}
	args := make([]uint64, len(t.Args))
	for i, a := range t.Args {
		args[i] = e.value(a)
	}
	return term.EvalBits(t, args)
}
