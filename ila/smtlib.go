package ila

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"tv/semantics/index"
	"tv/semantics/term"
)

// SMTLIB writes the transition relation of a model in SMT-LIB 2, as declarations and definitions without an
// assertion. For a model or child model M with an instruction I:
//
//	M.x, M.x.next       a state variable before and after a step; an input has no next
//	M.x.written         of a memory: which cells have a value
//	M/I.decode          I decodes
//	M/I.fault           a check of I does not hold, an address is beyond its memory, or a cell is read that has no value
//	M/I.step            I decodes, is not at fault, and leaves the state after; what it does not update stays
//	M.step, M.fault     a step of some instruction of M; several decode, of the root also none, or one that does is at fault
//	M.rests             no instruction of M decodes: for child models
//
// A step of an instruction is one step of M: that the steps of the children follow until they rest is for the
// reader to unroll. Functions that terms apply by name are declared and left uninterpreted. An error says what
// has no form in SMT-LIB.
func SMTLIB(w io.Writer, m *Model) error {
	if err := Validate(m); err != nil {
		return err
	}
	s := &smtlib{names: map[*term.Term]string{}, counts: map[*index.Atom]uint64{}, free: map[*term.Term][]*index.Atom{},
		loads: map[*term.Term]bool{}, named: map[string]string{}, seen: map[*term.Term]bool{},
		functions: map[string]bool{}}
	scalars, memories := m.Layout()
	s.printf("; %s: %s\n(set-logic ALL)\n", m.Path(), m.Doc)
	for _, v := range append(scalars[:len(scalars):len(scalars)], memories...) {
		s.declare(v)
	}
	m.Walk(func(c *Model) { s.model(c, c == m) })
	if s.err != nil {
		return s.err
	}
	_, err := io.WriteString(w, s.b.String())
	return err
}

type smtlib struct {
	b         strings.Builder
	vars      []*Var                // of the state
	names     map[*term.Term]string // of variables
	counts    map[*index.Atom]uint64
	free      map[*term.Term][]*index.Atom // counters that a term depends on
	loads     map[*term.Term]bool          // terms that read memories
	named     map[string]string            // definitions that stand for a text
	seen      map[*term.Term]bool          // terms whose functions are declared
	functions map[string]bool
	err       error
}

func (s *smtlib) printf(format string, args ...any) { fmt.Fprintf(&s.b, format, args...) }

func smtBits(width int) string { return fmt.Sprintf("(_ BitVec %d)", width) }

func smtSort(t term.Sort) string {
	switch t.Kind {
	case term.Bool:
		return "Bool"
	case term.Memory:
		return fmt.Sprintf("(Array %s %s)", smtBits(t.Frac), smtBits(t.Width))
	}
	return smtBits(t.Width)
}

func (s *smtlib) declare(v *Var) {
	name, sort := v.Path(), smtSort(v.Term.Sort)
	s.names[v.Term] = name
	s.printf("(declare-const %s %s)\n", name, sort)
	if v.IsInput() {
		return
	}
	s.vars = append(s.vars, v)
	s.printf("(declare-const %s.next %s)\n", name, sort)
	if v.Depth > 0 {
		for _, when := range []string{"", ".next"} {
			s.printf("(declare-const %s.written%s (Array %s Bool))\n", name, when, smtBits(AddressWidth))
		}
	}
}

func (s *smtlib) model(m *Model, root bool) {
	var decodes, faults, steps []string
	for _, i := range m.Instructions {
		name := m.Path() + "/" + i.Name
		s.printf("\n; %s\n", i.Doc)
		s.instruction(name, i)
		decodes = append(decodes, name+".decode")
		faults = append(faults, name+".fault")
		steps = append(steps, name+".step")
	}
	if len(decodes) == 0 {
		return
	}
	rests := "(not " + smtJoin("or", decodes) + ")"
	wrong := []string{}
	if root {
		wrong = append(wrong, m.Path()+".rests")
	}
	for i, d := range decodes {
		wrong = append(wrong, fmt.Sprintf("(and %s %s)", d, faults[i]))
		for _, e := range decodes[:i] {
			wrong = append(wrong, fmt.Sprintf("(and %s %s)", e, d))
		}
	}
	s.printf("\n(define-fun %s.rests () Bool %s)\n", m.Path(), rests)
	s.printf("(define-fun %s.fault () Bool %s)\n", m.Path(), smtJoin("or", wrong))
	s.printf("(define-fun %s.step () Bool (and (not %s.fault) %s))\n", m.Path(), m.Path(), smtJoin("or", steps))
}

// smtJoin returns the conjunction or disjunction of a list.
func smtJoin(op string, list []string) string {
	switch len(list) {
	case 0:
		return map[string]string{"and": "true", "or": "false"}[op]
	case 1:
		return list[0]
	}
	return "(" + op + " " + strings.Join(list, " ") + ")"
}

func (s *smtlib) instruction(name string, i *Instruction) {
	i.terms(func(t *term.Term) { s.declareFunctions(t) })
	s.printf("(define-fun %s.decode () Bool %s)\n", name, s.text(i.Decode))
	fine := []string{s.defined(i.Decode)}
	for _, c := range i.Checks {
		fine = append(fine, s.defined(c.Cond), s.text(c.Cond))
	}
	next := map[*Var]string{}
	for _, set := range i.Sets {
		fine = append(fine, s.defined(set.Value))
		next[set.Var] = s.text(set.Value)
	}
	written := map[*Var]string{}
	stores := 0
	for _, e := range i.Eachs {
		for k := range e.N {
			if e.Var != nil {
				s.counts[e.Var] = uint64(k)
			}
			for _, st := range e.Stores {
				// each state of a memory on the way gets a name, so that texts stay short
				stores++
				memory, marks := next[st.Memory], written[st.Memory]
				if memory == "" {
					memory, marks = st.Memory.Path(), st.Memory.Path()+".written"
				}
				at := s.text(st.Address)
				after := memory
				sound := []string{s.defined(st.Address), fmt.Sprintf("(bvult %s %s)", at, smtNumber(st.Memory.Depth, AddressWidth))}
				if st.Value != nil {
					sound = append(sound, s.defined(st.Value))
					after = fmt.Sprintf("(store %s %s %s)", memory, at, s.text(st.Value))
				}
				marked := fmt.Sprintf("(store %s %s %t)", marks, at, st.Value != nil)
				ok := smtJoin("and", nontrivial(sound))
				if st.When != nil {
					when := s.text(st.When)
					after, marked = fmt.Sprintf("(ite %s %s %s)", when, after, memory), fmt.Sprintf("(ite %s %s %s)", when, marked, marks)
					ok = smtJoin("and", nontrivial([]string{s.defined(st.When), fmt.Sprintf("(=> %s %s)", when, ok)}))
				}
				fine = append(fine, ok)
				here := fmt.Sprintf("%s.%s.%d", name, st.Memory.Name, stores)
				s.printf("(define-fun %s () %s %s)\n", here, smtSort(st.Memory.Term.Sort), after)
				s.printf("(define-fun %s.written () (Array %s Bool) %s)\n", here, smtBits(AddressWidth), marked)
				next[st.Memory], written[st.Memory] = here, here+".written"
			}
		}
		if e.Var != nil {
			delete(s.counts, e.Var)
		}
	}
	s.printf("(define-fun %s.fault () Bool (not %s))\n", name, smtJoin("and", nontrivial(fine)))
	step := []string{name + ".decode", "(not " + name + ".fault)"}
	for _, v := range s.vars {
		value := v.Path()
		if next[v] != "" {
			value = next[v]
		}
		step = append(step, fmt.Sprintf("(= %s.next %s)", v.Path(), value))
		if v.Depth > 0 {
			marks := v.Path() + ".written"
			if written[v] != "" {
				marks = written[v]
			}
			step = append(step, fmt.Sprintf("(= %s.written.next %s)", v.Path(), marks))
		}
	}
	s.printf("(define-fun %s.step () Bool %s)\n", name, smtJoin("and", step))
}

// nontrivial leaves out conditions that are true.
func nontrivial(list []string) []string {
	var out []string
	for _, c := range list {
		if c != "true" {
			out = append(out, c)
		}
	}
	return out
}

// counters returns the counters that a term depends on and that are bound outside of it.
func (s *smtlib) counters(t *term.Term) []*index.Atom {
	if list, ok := s.free[t]; ok {
		return list
	}
	var list []*index.Atom
	add := func(a *index.Atom) {
		if !slices.Contains(list, a) && !slices.Contains(t.Vars, a) {
			list = append(list, a)
		}
	}
	if t.Op == term.Number {
		for _, a := range t.Index[0].Free() {
			add(a)
		}
	}
	for _, arg := range t.Args {
		for _, a := range s.counters(arg) {
			add(a)
		}
	}
	s.free[t] = list
	return list
}

// shortText is the length up to which a text is repeated instead of defined.
const shortText = 60

// define returns a text of a term, or the name of a definition of it: the same term at the same counters is
// written out once.
func (s *smtlib) define(kind string, t *term.Term, sort string, text func() string) string {
	key := fmt.Sprintf("%s%d", kind, t.ID())
	for _, a := range s.counters(t) {
		key += fmt.Sprintf(" %d", s.counts[a])
	}
	if known, ok := s.named[key]; ok {
		return known
	}
	body := text()
	if len(body) > shortText {
		name := fmt.Sprintf("%s%d", kind, len(s.named))
		s.printf("(define-fun %s () %s %s)\n", name, sort, body)
		body = name
	}
	s.named[key] = body
	return body
}

func (s *smtlib) declareFunctions(t *term.Term) {
	if s.seen[t] {
		return
	}
	s.seen[t] = true
	if t.Op == term.Apply && !s.functions[t.Name] {
		s.functions[t.Name] = true
		var args []string
		for _, a := range t.Args {
			args = append(args, smtSort(a.Sort))
		}
		s.printf("(declare-fun |%s| (%s) %s)\n", t.Name, strings.Join(args, " "), smtSort(t.Sort))
	}
	for _, a := range t.Args {
		s.declareFunctions(a)
	}
}

func smtNumber(n uint64, width int) string { return fmt.Sprintf("(_ bv%d %d)", n, width) }

var smtOperations = map[term.Op]string{
	term.Add: "bvadd", term.Mul: "bvmul", term.Neg: "bvneg", term.And: "bvand", term.Or: "bvor", term.Xor: "bvxor",
	term.Not: "bvnot", term.Shl: "bvshl", term.ShrU: "bvlshr", term.ShrS: "bvashr", term.DivU: "bvudiv",
	term.RemU: "bvurem", term.Equal: "=", term.LessU: "bvult", term.LessS: "bvslt", term.Choose: "ite",
	term.Concat: "concat", term.Load: "select", term.Store: "store",
}

// text returns a term, with counters at their values.
func (s *smtlib) text(t *term.Term) string {
	if name := s.names[t]; name != "" {
		return name
	}
	return s.define("t", t, smtSort(t.Sort), func() string { return s.operation(t) })
}

func (s *smtlib) operation(t *term.Term) string {
	switch t.Op {
	case term.Const:
		n, _ := t.ConstBits()
		if t.Sort.Kind == term.Bool {
			return fmt.Sprint(n != 0)
		}
		return smtNumber(n, t.Sort.Width)
	case term.Number:
		free := t.Index[0].Free()
		if len(free) != 1 || free[0].Expr() != t.Index[0] {
			return s.fail("the number %s", t)
		}
		return smtNumber(s.counts[free[0]]&term.Ones(t.Sort.Width), t.Sort.Width)
	case term.Reduce:
		if t.Fold != term.Sum || len(t.Vars) != 1 {
			return s.fail("%s", t)
		}
		var parts []string
		s.each(t.Vars[0], func() { parts = append(parts, s.text(t.Args[0])) })
		return smtSum(parts, t.Sort.Width)
	}
	args := make([]string, len(t.Args))
	for i, a := range t.Args {
		args[i] = s.text(a)
	}
	all := strings.Join(args, " ")
	switch t.Op {
	case term.Extract:
		return fmt.Sprintf("((_ extract %d %d) %s)", t.Low()+t.Sort.Width-1, t.Low(), all)
	case term.ExtendU, term.ExtendS:
		return smtExtend(t.Op == term.ExtendS, args[0], t.Args[0].Sort.Width, t.Sort.Width)
	case term.Dot:
		var parts []string
		for i := 0; i < len(args); i += 2 {
			x := smtExtend(true, args[i], t.Args[i].Sort.Width, t.Sort.Width)
			y := smtExtend(true, args[i+1], t.Args[i+1].Sort.Width, t.Sort.Width)
			parts = append(parts, fmt.Sprintf("(bvmul %s %s)", x, y))
		}
		return smtSum(parts, t.Sort.Width)
	case term.Apply:
		return fmt.Sprintf("(|%s| %s)", t.Name, all)
	}
	op, ok := smtOperations[t.Op]
	if !ok {
		return s.fail("%s", t)
	}
	if t.Sort.Kind == term.Bool {
		switch t.Op {
		case term.And, term.Or, term.Xor, term.Not:
			op = strings.TrimPrefix(op, "bv")
		}
	}
	return "(" + op + " " + all + ")"
}

func (s *smtlib) fail(format string, args ...any) string {
	if s.err == nil {
		s.err = fmt.Errorf("no form in SMT-LIB: "+format, args...)
	}
	return "true"
}

// each calls f for every value of a counter.
func (s *smtlib) each(v *index.Atom, f func()) {
	for k := range Iterations(v) {
		s.counts[v] = uint64(k)
		f()
	}
	delete(s.counts, v)
}

func smtSum(parts []string, width int) string {
	if len(parts) == 0 {
		return smtNumber(0, width)
	}
	sum := parts[0]
	for _, p := range parts[1:] {
		sum = "(bvadd " + sum + " " + p + ")"
	}
	return sum
}

func smtExtend(signed bool, text string, from, to int) string {
	name := map[bool]string{true: "sign_extend", false: "zero_extend"}[signed]
	return fmt.Sprintf("((_ %s %d) %s)", name, to-from, text)
}

// defined returns when a term has a value: the cells that it reads are written, in the branch that is taken.
func (s *smtlib) defined(t *term.Term) string {
	if !ReadsMemory(t, s.loads) {
		return "true"
	}
	return s.define("d", t, "Bool", func() string { return s.definedness(t) })
}

func (s *smtlib) definedness(t *term.Term) string {
	var parts []string
	switch t.Op {
	case term.Load:
		at := s.text(t.Args[1])
		memory := s.names[t.Args[0]]
		parts = []string{s.defined(t.Args[1]), fmt.Sprintf("(bvult %s %s)", at, smtNumber(s.depth(t.Args[0]), AddressWidth)),
			fmt.Sprintf("(select %s.written %s)", memory, at)}
	case term.Choose:
		parts = []string{s.defined(t.Args[0]), fmt.Sprintf("(ite %s %s %s)", s.text(t.Args[0]), s.defined(t.Args[1]),
			s.defined(t.Args[2]))}
	case term.Reduce:
		s.each(t.Vars[0], func() { parts = append(parts, s.defined(t.Args[0])) })
	default:
		for i, a := range t.Args {
			part := s.defined(a)
			if i > 0 && t.Sort.Kind == term.Bool && (t.Op == term.And || t.Op == term.Or) && part != "true" {
				// the second is looked at only where the first does not settle it
				first := s.text(t.Args[0])
				if t.Op == term.Or {
					first = "(not " + first + ")"
				}
				part = fmt.Sprintf("(=> %s %s)", first, part)
			}
			parts = append(parts, part)
		}
	}
	return smtJoin("and", nontrivial(parts))
}

func (s *smtlib) depth(memory *term.Term) uint64 {
	for _, v := range s.vars {
		if v.Term == memory {
			return v.Depth
		}
	}
	s.fail("a load of %s", memory)
	return 0
}
