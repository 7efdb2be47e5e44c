package isa

import (
	"fmt"
	"slices"

	"tv/equiv/egraph"
	"tv/semantics/bits/rule"
)

// A reason is why two terms are equal.
type reason struct {
	kind     reasonKind
	from, to egraph.Term
	rule     int // of rewrites, as the following
	vars     map[string]egraph.Term
	names    map[string]int
	kept     []bool // of applies: which children of from stay as parts
}

type reasonKind int

const (
	rewrites reasonKind = iota // an instance of a rule
	applies                    // an operator whose children become parts of an instruction or holes
	itself                     // a hole applied to a term
)

// explainAll checks for each application why it is equal to the oldest term of its class. It returns the number of steps.
func (s *search) explainAll(list []application) (steps int, err error) {
	known := map[egraph.Class]egraph.Term{}
	for _, a := range list {
		if _, ok := known[a.class]; !ok {
			known[a.class] = s.g.Representative(a.class)
		}
		n, err := s.explained(known[a.class], a.term)
		if err != nil {
			return steps, err
		}
		steps += n
	}
	return steps, nil
}

// explained checks a proof step by step: chains hang together, a step in an argument changes that argument alone, by a lemma before it, and
// a union is a reason that holds. Nothing is asked of the graph but what terms are.
func (s *search) explained(from, to egraph.Term) (int, error) {
	p := s.g.Explain(from, to)
	if p == nil {
		return 0, fmt.Errorf("isa: terms of one class have no explanation")
	}
	steps := 0
	chain := func(from, to egraph.Term, chain []egraph.Step, lemmas []egraph.Lemma) error {
		at := from
		for i := range chain {
			steps++
			if st := &chain[i]; st.From != at || !s.step(st, lemmas) {
				return fmt.Errorf("isa: step %d of an explanation does not hold", i)
			}
			at = chain[i].To
		}
		if at != to {
			return fmt.Errorf("isa: an explanation ends elsewhere")
		}
		return nil
	}
	for i, l := range p.Lemmas {
		if err := chain(l.From, l.To, l.Chain, p.Lemmas[:i]); err != nil {
			return 0, err
		}
	}
	return steps, chain(from, to, p.Chain, p.Lemmas)
}

func (s *search) step(st *egraph.Step, lemmas []egraph.Lemma) bool {
	from, to := st.From, st.To
	if st.Argument >= 0 {
		a, b := s.g.Args(from), s.g.Args(to)
		if s.g.Op(from) != s.g.Op(to) || st.Lemma < 0 || st.Lemma >= len(lemmas) || len(a) != len(b) {
			return false
		}
		for i := range a {
			if i != st.Argument && a[i] != b[i] {
				return false
			}
		}
		l := lemmas[st.Lemma]
		ends := [2]egraph.Term{a[st.Argument], b[st.Argument]}
		return ends == [2]egraph.Term{l.From, l.To} || ends == [2]egraph.Term{l.To, l.From}
	}
	if st.Reason < 0 || int(st.Reason) >= len(s.reasons) {
		return false
	}
	r := &s.reasons[st.Reason]
	if st.Reversed {
		from, to = to, from
	}
	return r.from == from && r.to == to && s.holds(r)
}

// holds checks a reason by the terms that it is about.
func (s *search) holds(r *reason) bool {
	switch r.kind {
	case itself:
		in := s.applied(r.to)
		return in != nil && in.body.op == nil && slices.Equal(s.g.Args(r.to), []egraph.Term{r.from})
	case rewrites:
		of := s.o.Rules[r.rule]
		if in := of.At(r.names); !in.Admitted || in.Ill != "" || !of.Admits(r.names) {
			return false
		}
		for _, v := range of.Vars {
			if t, ok := r.vars[v.Name]; ok && v.Width != nil && v.Width.At(r.names) != int64(s.g.Data(s.g.Class(t))) {
				return false
			}
		}
		return s.instanceOf(of.Sides[0], r.from, r) && s.instanceOf(of.Sides[1], r.to, r)
	}
	return s.fused(r)
}

func (s *search) applied(t egraph.Term) *instruction {
	if o := &s.ops[s.g.Op(t)]; o.name == opApply {
		return s.instructions[o.instruction]
	}
	return nil
}

// fused checks that an application is the term it stands for: the instruction's operator is that of the term; each child is a part, with the
// arguments that the part is applied to, or a hole, which is filled with the child and has its width; there are as many holes
// as arguments, and holes of one number have one argument.
func (s *search) fused(r *reason) bool {
	in := s.applied(r.to)
	children, args := s.g.Args(r.from), s.g.Args(r.to)
	if in == nil || in.body.op == nil || in.body.name != s.g.Op(r.from) || len(in.body.parts) != len(children) || len(r.kept) != len(children) {
		return false
	}
	var filled []egraph.Term
	for i, child := range children {
		switch of := s.applied(child); {
		case !r.kept[i]:
			if in.body.parts[i].op != nil {
				return false
			}
			filled = append(filled, child)
		case of == nil || of.body.op == nil || !of.body.same(in.body.parts[i]):
			return false
		default:
			filled = append(filled, s.g.Args(child)...)
		}
	}
	if !slices.Equal(filled, args) || len(in.widths) != len(args) || len(in.numbers) != len(args) || in.body.holes() != len(args) {
		return false
	}
	for i, a := range args {
		if in.widths[i] != s.g.Data(s.g.Class(a)) {
			return false
		}
		for j := range i {
			if (in.numbers[i] == in.numbers[j]) != (a == args[j]) {
				return false
			}
		}
	}
	return true
}

func (b *body) holes() int {
	if b.op == nil {
		return 1
	}
	n := 0
	for _, p := range b.parts {
		n += p.holes()
	}
	return n
}

func (b *body) same(c *body) bool {
	return (b.op == nil) == (c.op == nil) && b.name == c.name && slices.EqualFunc(b.parts, c.parts, (*body).same)
}

// instanceOf checks that a term is a side of a rule with the terms that its variables stand for.
func (s *search) instanceOf(x *rule.Term, t egraph.Term, r *reason) bool {
	o := &s.ops[s.g.Op(t)]
	switch x.Op {
	case rule.OpVar:
		return r.vars[x.Name] == t
	case rule.OpConst, rule.OpNumber:
		v, w := value(x, r.names)
		return o.name == opConst && o.width == w && o.value.Cmp(v) == 0
	}
	if o.name != x.Op || len(o.indices) != len(x.Indices) {
		return false
	}
	for i, e := range x.Indices {
		if e.At(r.names) != int64(o.indices[i]) {
			return false
		}
	}
	args, parts := s.g.Args(t), x.Args
	if n := len(parts); n > 2 && leftToRight[x.Op] {
		parts = []*rule.Term{{Op: x.Op, Args: parts[:n-1]}, parts[n-1]}
	} else if n > 2 && x.Op == "=>" {
		parts = []*rule.Term{parts[0], {Op: x.Op, Args: parts[1:]}}
	}
	if len(args) != len(parts) {
		return false
	}
	for i := range args {
		if !s.instanceOf(parts[i], args[i], r) {
			return false
		}
	}
	return true
}
