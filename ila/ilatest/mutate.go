// Package ilatest helps to test what is proved about machines: it makes wrong machines, and asks whether one of
// them is proved right.
//
//	Mutate  changes one thing in a model
//	Rewrite changes an instruction by a function on its terms
//	Judge   proves a family without running it, and runs it
package ilatest

import (
	"context"
	"fmt"
	"path"

	"tv/ila"
	"tv/ila/induct"
	"tv/ila/prove"
	"tv/semantics/term"
)

// Mutate makes the n-th change to a model: a number in an expression becomes greater by one, a sum loses a part, a
// choice takes the other branch, an update or a store is dropped. It says what it did, or "" where there is no n-th.
func Mutate(m *ila.Model, n int) string {
	u := &mutation{b: m.B, left: n, seen: map[*term.Term]bool{}}
	u.model(m)
	return u.what
}

// Rewrite replaces the parts of an instruction's updates for which f returns something, those above before those
// below, and says how many it replaced. name is "gemm.multiply" of a child, "gemm" of the root.
func Rewrite(m *ila.Model, name string, f func(b *term.Builder, t *term.Term) *term.Term) int {
	r := &rewriting{b: m.B, f: f, memo: map[*term.Term]*term.Term{}}
	for _, i := range instructions(m, name) {
		for n := range i.Sets {
			i.Sets[n].Value = r.term(i.Sets[n].Value)
		}
		for n := range i.Eachs {
			for k := range i.Eachs[n].Stores {
				s := &i.Eachs[n].Stores[k]
				s.Address, s.Value = r.term(s.Address), r.term(s.Value)
			}
		}
	}
	return r.count
}

func instructions(m *ila.Model, name string) (list []*ila.Instruction) {
	visit := func(prefix string, c *ila.Model) {
		for _, i := range c.Instructions {
			if ok, err := path.Match(name, prefix+i.Name); err == nil && ok {
				list = append(list, i)
			}
		}
	}
	visit("", m)
	for _, c := range m.Children {
		visit(c.Name+".", c)
	}
	return list
}

type rewriting struct {
	b     *term.Builder
	f     func(*term.Builder, *term.Term) *term.Term
	memo  map[*term.Term]*term.Term
	count int
}

func (r *rewriting) term(t *term.Term) *term.Term {
	if t == nil {
		return nil
	}
	if made := r.memo[t]; made != nil {
		return made
	}
	out := r.f(r.b, t)
	if out != nil {
		r.count++
	} else if out = t; len(t.Args) > 0 {
		args := make([]*term.Term, len(t.Args))
		for i, a := range t.Args {
			args[i] = r.term(a)
		}
		out = ila.Remake(r.b, t, args)
	}
	r.memo[t] = out
	return out
}

type mutation struct {
	b    *term.Builder
	left int
	what string
	seen map[*term.Term]bool // terms share parts: as trees they may be huge
}

// here tells whether this is the change to make.
func (u *mutation) here(format string, args ...any) bool {
	if u.what != "" {
		return false
	}
	if u.left > 0 {
		u.left--
		return false
	}
	u.what = fmt.Sprintf(format, args...)
	return true
}

func (u *mutation) model(m *ila.Model) {
	for _, i := range m.Instructions {
		for n := range i.Sets {
			s := &i.Sets[n]
			if u.here("%s.%s does not set %s", m.Name, i.Name, s.Var.Name) {
				s.Value = s.Var.Term
				return
			}
			s.Value = u.term(s.Value, m.Name+"."+i.Name+" sets "+s.Var.Name)
		}
		for n := range i.Eachs {
			e := &i.Eachs[n]
			for k := range e.Stores {
				s := &e.Stores[k]
				if u.here("%s.%s does not store to %s", m.Name, i.Name, s.Memory.Name) {
					s.When = u.b.Truth(false)
					return
				}
				s.Address = u.term(s.Address, m.Name+"."+i.Name+" stores to "+s.Memory.Name+" at")
				if s.Value != nil {
					s.Value = u.term(s.Value, m.Name+"."+i.Name+" stores to "+s.Memory.Name)
				}
			}
		}
	}
	for _, c := range m.Children {
		u.model(c)
	}
}

// term returns t with the change, if it lies in t.
func (u *mutation) term(t *term.Term, where string) *term.Term {
	b := u.b
	if u.what != "" || u.seen[t] {
		return t
	}
	u.seen[t] = true
	switch t.Op {
	case term.Const:
		if v, ok := t.ConstBits(); ok && t.Sort.Kind == term.Unsigned && u.here("%s: %d + 1", where, v) {
			return b.Bits(t.Sort.Width, v+1)
		}
		return t
	case term.Read, term.Number:
		return t
	case term.Add:
		for i := range 2 {
			if u.here("%s: %s without %s", where, t.Short(3), t.Args[i].Short(3)) {
				return t.Args[1-i]
			}
		}
	case term.Choose:
		if u.here("%s: %s the other way round", where, t.Short(3)) {
			return b.Choose(t.Args[0], t.Args[2], t.Args[1])
		}
	case term.LessS, term.LessU:
		if u.here("%s: %s with sides swapped", where, t.Short(3)) {
			return b.Rebuild(t, []*term.Term{t.Args[1], t.Args[0]})
		}
	}
	args := make([]*term.Term, len(t.Args))
	for i, a := range t.Args {
		args[i] = u.term(a, where)
	}
	if u.what == "" {
		return t
	}
	return ila.Remake(b, t, args)
}

// Judge proves a family for all sizes without running it on numbers. Where that succeeds it runs it, and tells
// whether a run shows it wrong.
func Judge(f *ila.Family) (proved, wrong bool, err error) {
	r := prove.NewResult()
	if err := induct.Prove(context.Background(), f, r); err != nil {
		return false, false, err
	}
	if r.Verdict != prove.Proved {
		return false, false, nil
	}
	a, err := induct.Verify(context.Background(), f)
	if err != nil {
		return true, false, err
	}
	return true, a.Verdict == prove.Refuted, nil
}
