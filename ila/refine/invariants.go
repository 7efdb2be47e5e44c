package refine

import (
	"tv/ila"
	"tv/ila/prove"
	"tv/semantics/index"
	"tv/semantics/term"
)

// stated returns the invariants and fillings of a model and of all models below its root.
func stated(m *ila.Model) (invariants []ila.Invariant, fillings []ila.Filling) {
	root := m
	for root.Parent != nil {
		root = root.Parent
	}
	root.Walk(func(c *ila.Model) {
		invariants, fillings = append(invariants, c.Invariants...), append(fillings, c.Fillings...)
	})
	return invariants, fillings
}

// atRest returns that no instruction of the children of a model, or below them, decodes.
func atRest(m *ila.Model) *term.Term {
	rest := m.B.Truth(true)
	for _, c := range m.Children {
		c.Walk(func(c *ila.Model) {
			for _, i := range c.Instructions {
				rest = m.B.And(rest, m.B.Not(i.Decode))
			}
		})
	}
	return rest
}

// invariants judges what a model states, one finding each.
func invariants(m *ila.Model) (list []Finding) {
	b := m.B
	all, fillings := stated(m)
	for _, v := range all {
		f := Finding{Model: m.Path(), Question: "invariant: " + v.Name, Code: ila.CodeInvariant, Verdict: prove.Proved}
		atStart(m, &f, v.Cond)
		m.Walk(func(c *ila.Model) {
			for _, i := range c.Instructions {
				goal := after(c, i, v.Cond)
				if goal != v.Cond {
					f.claim(b, premise(c, i, true), goal, c.Path()+"."+i.Name)
				}
			}
		})
		renewed(m, &f, v.Cond, v.Cond)
		list = append(list, f)
	}
	for _, v := range fillings {
		f := Finding{Model: m.Path(), Question: "filled: " + v.String(), Code: ila.CodeInvariant, Verdict: prove.Proved}
		atStart(m, &f, b.Not(v.When))
		m.Walk(func(c *ila.Model) {
			for _, i := range c.Instructions {
				stored, spoilt := writes(i, v)
				goal := b.Or(b.Not(after(c, i, v.When)), b.Truth(stored))
				if !spoilt {
					goal = b.Or(goal, v.When)
				}
				f.claim(b, premise(c, i, true), goal, c.Path()+"."+i.Name)
			}
		})
		renewed(m, &f, v.When, b.Not(v.When))
		list = append(list, f)
	}
	return list
}

// atStart asks whether goal holds in the first state: all bit-vectors are 0.
func atStart(m *ila.Model, f *Finding, goal *term.Term) {
	zero := map[*term.Term]*term.Term{}
	scalars, _ := m.Layout()
	for _, v := range scalars {
		if !v.IsInput() {
			zero[v.Term] = m.B.Bits(v.Width, 0)
		}
	}
	f.claim(m.B, m.B.Truth(true), replace(m.B, goal, zero), "the first state")
}

// renewed asks whether goal still holds when the children rest and inputs change; mention tells which inputs matter.
func renewed(m *ila.Model, f *Finding, mention, goal *term.Term) {
	fresh := map[*term.Term]*term.Term{}
	for _, v := range m.Inputs {
		fresh[v.Term] = m.B.Read(m.B.Input("next input "+v.Name, nil, v.Term.Sort), nil)
	}
	if replace(m.B, mention, fresh) == mention {
		return
	}
	all, _ := stated(m)
	premise := m.B.And(atRest(m), goal)
	for _, v := range all {
		premise = m.B.And(premise, v.Cond)
	}
	f.claim(m.B, premise, replace(m.B, goal, fresh), "new inputs")
}

// premise returns what holds when an instruction of m takes place: what is stated, that the children rest, and its
// decode; with its checks too where they are met.
func premise(m *ila.Model, i *ila.Instruction, checked bool) *term.Term {
	all, _ := stated(m)
	premise := m.B.Truth(true)
	for _, v := range all {
		premise = m.B.And(premise, v.Cond)
	}
	premise = m.B.And(m.B.And(premise, atRest(m)), i.Decode)
	if checked {
		for _, c := range i.Checks {
			premise = m.B.And(premise, c.Cond)
		}
	}
	return premise
}

// after returns a condition as it reads after an instruction.
func after(m *ila.Model, i *ila.Instruction, cond *term.Term) *term.Term {
	next := map[*term.Term]*term.Term{}
	for _, s := range i.Sets {
		next[s.Var.Term] = s.Value
	}
	return replace(m.B, cond, next)
}

// replace returns t with variables replaced.
func replace(b *term.Builder, t *term.Term, by map[*term.Term]*term.Term) *term.Term {
	return ila.Rebuild(b, t, map[*term.Term]*term.Term{}, func(t *term.Term) *term.Term {
		if r := by[t]; r != nil {
			return r
		}
		if t.Op == term.Read || t.Op == term.Number {
			return t
		}
		return nil
	})
}

// writes tells whether an instruction writes all cells of a filling, and whether it may take the value of one.
func writes(i *ila.Instruction, f ila.Filling) (all, spoils bool) {
	done := map[uint64]bool{}
	for _, e := range i.Eachs {
		for _, st := range e.Stores {
			if st.Memory != f.Memory {
				continue
			}
			if st.Value == nil {
				spoils = true
				continue
			}
			if st.When != nil {
				continue
			}
			for k := 0; k < e.N && constant(st.Address); k++ {
				at := &state{counts: map[*index.Atom]uint64{e.Var: uint64(k)}}
				done[at.value(st.Address)] = true
			}
		}
	}
	if spoils {
		return false, true
	}
	for at := f.First; at < f.First+f.Count; at++ {
		if !done[at] {
			return false, false
		}
	}
	return true, false
}

// constant tells whether a term depends on nothing but counters.
func constant(t *term.Term) bool {
	if t.Op == term.Read {
		return false
	}
	for _, a := range t.Args {
		if !constant(a) {
			return false
		}
	}
	return true
}
