package run

import (
	"fmt"

	"tv/ila"
	"tv/semantics/term"
)

// A value is a number, or a term where t is not nil, or a function of that term where f is not nil: its term is made where it is needed.
type value struct {
	t *term.Term
	f *function
	n uint64
}

// A function is one that a part of the model has the values of.
type function struct {
	name string
	sort term.Sort
}

type cell struct {
	value
	written bool
}

type symbolicMemory struct {
	v     *ila.Var
	pages [][]cell
}

func (m *symbolicMemory) write(at uint64, c cell) {
	p := m.pages[at>>pageBits]
	if p == nil {
		p = make([]cell, pageSize)
		m.pages[at>>pageBits] = p
	}
	p[at%pageSize] = c
}

func (m *symbolicMemory) read(at uint64) (value, bool) {
	if at >= m.v.Depth || m.pages[at>>pageBits] == nil {
		return value{}, false
	}
	c := m.pages[at>>pageBits][at%pageSize]
	return c.value, c.written
}

// A symbolicWrite is the update of a cell that is to take place.
type symbolicWrite struct {
	m  *symbolicMemory
	at uint64
	c  cell
}

// Symbolic runs a model on terms. What decides (decodes, checks, addresses, conditions of stores) must come
// out as a number; data may be any term of the model's builder. It shares the description of the operations
// with nothing of the simulator: it walks the terms that the simulator compiles.
type Symbolic struct {
	l        *ila.Linked
	b        *term.Builder
	scalars  []value
	memories []*symbolicMemory
	counts   map[int]uint64
	of       []*about // by the number of a term of an instruction, those met before
	memo     []value
	stamps   []uint64
	stamp    uint64
	fault    *ila.Fault
	steps    int
	micro    int

	// memory that is used again: factors of the sum of products at work, updates of the step at work
	factors []value
	sets    []value
	writes  []symbolicWrite

	// Access, where it is set, is called for each cell that is read or written, whatever data may be: of a choice that depends on these
	// both sides are computed.
	Access func(memory *ila.Var, at uint64, write bool)
	// Before, where it is set, is called before each micro-step.
	Before func()
	// Known, where it is set, names a function that has the values of a part of the model, whose inputs are the given terms; "" where
	// nothing is known that has. Constants among the terms are values that inputs have; the others are its arguments.
	Known func(part *term.Term, inputs, values []*term.Term) string

	known map[string]*function // by name
}

// NewSymbolic prepares a run of a model that Validate accepts.
func NewSymbolic(m *ila.Model) *Symbolic {
	l := ila.Link(m)
	s := &Symbolic{l: l, b: m.B, scalars: make([]value, len(l.Scalars)), counts: map[int]uint64{}, known: map[string]*function{},
		memo: make([]value, len(l.Shared)), stamps: make([]uint64, len(l.Shared))}
	for _, v := range l.Memories {
		s.memories = append(s.memories,
			&symbolicMemory{v: v, pages: make([][]cell, (v.Depth+pageSize-1)>>pageBits)})
	}
	s.of = make([]*about, l.Most+1)
	return s
}

// about is what a term of the model is.
type about struct {
	shared int // slot, or -1
	v      *ila.Var
	dot    *ila.Dot
	inputs []*term.Term // of a part
}

// about returns what a term of the model is.
func (s *Symbolic) about(t *term.Term) *about {
	if t.ID() < len(s.of) && s.of[t.ID()] != nil {
		return s.of[t.ID()]
	}
	a := &about{shared: -1, v: s.l.ByTerm[t], inputs: s.l.Model.Parts[t]}
	if slot, ok := s.l.Shared[t]; ok {
		a.shared = slot
	}
	if d, ok := s.l.Dots[t]; ok {
		a.dot = &d
	}
	if t.ID() < len(s.of) {
		s.of[t.ID()] = a
	}
	return a
}

// MicroSteps counts the steps of children taken so far.
func (s *Symbolic) MicroSteps() int { return s.micro }

// valueOf returns a term as a value: constants are numbers.
func valueOf(t *term.Term) value {
	if n, ok := t.ConstBits(); ok {
		return value{n: n}
	}
	return value{t: t}
}

// termOf returns a value as a term of the given width.
func (s *Symbolic) termOf(v value, width int) *term.Term {
	switch {
	case v.f != nil:
		return s.b.Apply(v.f.sort, v.f.name, v.t)
	case v.t != nil:
		return v.t
	}
	return s.b.Bits(width, v.n)
}

// Step takes one step of the root, as Simulator.Step does.
func (s *Symbolic) Step(inputs ...*term.Term) error {
	m := s.l.Model
	for i, v := range m.Inputs {
		s.scalars[v.Slot()] = valueOf(inputs[i])
	}
	s.fault = nil
	i := s.pick(m)
	if s.fault == nil && i == nil {
		s.fail(ila.CodeDecode, "no instruction decodes")
	}
	if s.fault == nil {
		s.take(i)
	}
	limit := ila.MaxMicroSteps
	for _, c := range m.Children {
		s.rest(c, &limit)
	}
	if s.fault != nil {
		s.fault.Step = s.steps
		return s.fault
	}
	s.steps++
	return nil
}

// End says whether the program may end here, as Simulator.End does.
func (s *Symbolic) End() error {
	s.stamp++
	s.fault = nil
	for n := range s.l.Model.Ends {
		r := &s.l.Model.Ends[n]
		holds := s.number(r.Cond, "whether the program may end", "") != 0
		if s.fault != nil {
			s.fault.Step, s.fault.AtEnd = s.steps, true
			return s.fault
		}
		if !holds {
			return endFault(r, s.steps)
		}
	}
	return nil
}

func (s *Symbolic) rest(m *ila.Model, limit *int) {
	for s.fault == nil {
		i := s.pick(m)
		if i == nil {
			return
		}
		if *limit--; *limit < 0 {
			s.fail(ila.CodeSteps, "more than %d micro-steps", ila.MaxMicroSteps)
			return
		}
		s.micro++
		if s.Before != nil {
			s.Before()
		}
		s.take(i)
		for _, c := range m.Children {
			s.rest(c, limit)
		}
	}
}

func (s *Symbolic) fail(code, format string, args ...any) {
	if s.fault == nil {
		s.fault = &ila.Fault{Code: code, Msg: fmt.Sprintf(format, args...)}
	}
}

func (s *Symbolic) pick(m *ila.Model) *ila.Instruction {
	s.stamp++
	var found *ila.Instruction
	for _, i := range m.Instructions {
		if s.number(i.Decode, "the decode of ", i.Name) == 0 {
			continue
		}
		if found != nil {
			s.fail(ila.CodeDecode, "both %s and %s decode", found.Name, i.Name)
			return nil
		}
		found = i
	}
	return found
}

// number returns the value of what decides, which must not be a term.
func (s *Symbolic) number(t *term.Term, what, name string) uint64 {
	v := s.eval(t)
	if v.t != nil {
		s.fail(ila.CodeSymbolic, "%s%s depends on data", what, name)
		return 0
	}
	return v.n
}

func (s *Symbolic) take(i *ila.Instruction) {
	for _, c := range i.Checks {
		if s.number(c.Cond, "a check of ", i.Name) == 0 {
			s.fail(c.Code, "%s", c.Msg)
		}
		if s.fault != nil {
			s.fault.Instruction = i.Name
			return
		}
	}
	sets, writes := s.sets[:0], s.writes[:0]
	defer func() { s.sets, s.writes = sets, writes }()
	for _, set := range i.Sets {
		sets = append(sets, s.eval(set.Value))
	}
	for _, e := range i.Eachs {
		for k := range e.N {
			if e.Var != nil {
				s.counts[e.Var.ID()] = uint64(k)
				s.stamp++
			}
			for _, st := range e.Stores {
				if st.When != nil && s.number(st.When, "the condition of a store", "") == 0 {
					continue
				}
				at := s.number(st.Address, "an address of ", st.Memory.Name)
				if at >= st.Memory.Depth {
					s.fail(ila.CodeAddress, "address %d of %s, which has %d", at, st.Memory.Name, st.Memory.Depth)
					break
				}
				w := symbolicWrite{m: s.memories[st.Memory.Slot()], at: at}
				if st.Value != nil {
					w.c = cell{s.eval(st.Value), true}
				}
				writes = append(writes, w)
			}
		}
	}
	if s.fault != nil {
		s.fault.Instruction = i.Name
		return
	}
	for n, set := range i.Sets {
		s.scalars[set.Var.Slot()] = sets[n]
	}
	for _, w := range writes {
		if s.Access != nil {
			s.Access(w.m.v, w.at, true)
		}
		w.m.write(w.at, w.c)
	}
}

// Number returns the value of a term over the state, which must not depend on data.
func (s *Symbolic) Number(t *term.Term, what string) uint64 { return s.number(t, what, "") }

// SetCell writes a cell of a memory; at is less than its depth.
func (s *Symbolic) SetCell(v *ila.Var, at uint64, t *term.Term) {
	s.memories[v.Slot()].write(at, cell{valueOf(t), true})
}

// Cell returns a cell of a memory as a term, or nil where nobody wrote it.
func (s *Symbolic) Cell(v *ila.Var, at uint64) *term.Term {
	x, ok := s.memories[v.Slot()].read(at)
	if !ok {
		return nil
	}
	return s.termOf(x, v.Width)
}

func (s *Symbolic) eval(t *term.Term) value {
	slot := s.about(t).shared
	if slot < 0 {
		return s.operation(t)
	}
	if s.stamps[slot] != s.stamp {
		v := s.operation(t)
		s.memo[slot], s.stamps[slot] = v, s.stamp
	}
	return s.memo[slot]
}

func (s *Symbolic) operation(t *term.Term) value {
	if inputs := s.about(t).inputs; inputs != nil && s.Known != nil {
		if v, ok := s.part(t, inputs); ok {
			return v
		}
	}
	switch t.Op {
	case term.Const:
		n, _ := t.ConstBits()
		return value{n: n}
	case term.Read:
		return s.scalars[s.about(t).v.Slot()]
	case term.Number:
		return value{n: s.counts[t.Index[0].Free()[0].ID()] & term.Ones(t.Sort.Width)}
	case term.Reduce:
		if d := s.about(t).dot; d != nil {
			return s.dot(*d, t.Sort.Width)
		}
		id := t.Vars[0].ID()
		sum := value{}
		for k := range ila.Iterations(t.Vars[0]) {
			s.counts[id] = uint64(k)
			sum = s.add(sum, s.eval(t.Args[0]), t.Sort.Width)
		}
		return sum
	case term.Load:
		return s.load(s.about(t.Args[0]).v, s.number(t.Args[1], "an address", ""))
	case term.Choose:
		cond := s.eval(t.Args[0])
		if cond.t == nil {
			return s.eval(t.Args[2-int(cond.n)])
		}
		w := t.Sort.Width
		x, y := s.eval(t.Args[1]), s.eval(t.Args[2])
		if t.Sort.Kind == term.Bool {
			return valueOf(s.b.Choose(cond.t, s.truthOf(x), s.truthOf(y)))
		}
		return valueOf(s.b.Choose(cond.t, s.termOf(x, w), s.termOf(y, w)))
	case term.And, term.Or:
		if t.Sort.Kind == term.Bool {
			x := s.eval(t.Args[0])
			if x.t == nil && (x.n == 0) == (t.Op == term.And) {
				return x
			}
			y := s.eval(t.Args[1])
			if x.t == nil {
				return y
			}
			return valueOf(s.b.Rebuild(t, []*term.Term{x.t, s.truthOf(y)}))
		}
	}
	if t.Op == term.Apply {
		args := make([]*term.Term, len(t.Args))
		for i, a := range t.Args {
			args[i] = s.termOf(s.eval(a), a.Sort.Width)
		}
		return value{t: s.b.Apply(t.Sort, t.Name, args...)}
	}
	var buffer [4]uint64
	var values [4]value
	n := len(t.Args)
	numbers := true
	for i, a := range t.Args {
		values[i] = s.eval(a)
		buffer[i] = values[i].n
		numbers = numbers && values[i].t == nil
	}
	if numbers {
		return value{n: term.EvalBits(t, buffer[:n])}
	}
	args := make([]*term.Term, n)
	for i, a := range t.Args {
		if a.Sort.Kind == term.Bool {
			args[i] = s.truthOf(values[i])
		} else {
			args[i] = s.termOf(values[i], a.Sort.Width)
		}
	}
	return valueOf(s.b.Rebuild(t, args))
}

// part returns the value of a part of the model as a whole, if something is known that has it.
func (s *Symbolic) part(t *term.Term, inputs []*term.Term) (v value, ok bool) {
	values, numbers := make([]*term.Term, len(inputs)), true
	for i, in := range inputs {
		v := s.eval(in)
		values[i], numbers = s.termOf(v, in.Sort.Width), numbers && v.t == nil
	}
	if numbers {
		return value{}, false
	}
	name := s.Known(t, inputs, values)
	if name == "" {
		return value{}, false
	}
	args := values[:0]
	for _, x := range values {
		if _, constant := x.ConstBits(); !constant {
			args = append(args, x)
		}
	}
	if len(args) > 1 {
		return value{t: s.b.Apply(t.Sort, name, args...)}, true
	}
	f := s.known[name]
	if f == nil || f.sort != t.Sort {
		f = &function{name, t.Sort}
		s.known[name] = f
	}
	return value{t: args[0], f: f}, true
}

func (s *Symbolic) truthOf(v value) *term.Term {
	if v.t != nil {
		return v.t
	}
	return s.b.Truth(v.n != 0)
}

func (s *Symbolic) add(x, y value, width int) value {
	if x.t == nil && y.t == nil {
		return value{n: (x.n + y.n) & term.Ones(width)}
	}
	return valueOf(s.b.AddBits(s.termOf(x, width), s.termOf(y, width)))
}

func (s *Symbolic) load(v *ila.Var, at uint64) value {
	if s.Access != nil {
		s.Access(v, at, false)
	}
	x, ok := s.memories[v.Slot()].read(at)
	switch {
	case ok:
	case at >= v.Depth:
		s.fail(ila.CodeAddress, "address %d of %s, which has %d", at, v.Name, v.Depth)
	default:
		s.fail(ila.CodeUnwritten, "%s[%d] is read and was never written", v.Name, at)
	}
	return x
}

// dot returns one term for a sum of products: of what the factors are functions of, where all are of one. Products with a number 0 are left
// out, those of two numbers are added up.
func (s *Symbolic) dot(d ila.Dot, width int) value {
	l, r := s.number(d.BaseL, "an address", ""), s.number(d.BaseR, "an address", "")
	s.factors = s.factors[:0]
	sum := uint64(0)
	for k := range uint64(d.N) {
		x, y := s.load(d.Left, l+k), s.load(d.Right, r+k)
		switch {
		case x.t == nil && y.t == nil:
			sum += uint64(term.Signed64(x.n, d.Left.Width)) * uint64(term.Signed64(y.n, d.Right.Width))
		case x.t == nil && x.n == 0 || y.t == nil && y.n == 0:
		default:
			s.factors = append(s.factors, x, y)
		}
	}
	sum &= term.Ones(width)
	if len(s.factors) == 0 {
		return value{n: sum}
	}
	pairs := make([]*term.Term, len(s.factors))
	f := s.factors[0].f
	for i, x := range s.factors {
		if pairs[i] = x.t; x.f != f {
			f = nil
		}
	}
	if f != nil {
		return s.add(value{t: s.b.Apply(term.BitsSort(width), ila.Products(f.name), pairs...)}, value{n: sum}, width)
	}
	for i, x := range s.factors {
		pairs[i] = s.termOf(x, [...]*ila.Var{d.Left, d.Right}[i%2].Width)
	}
	return s.add(value{t: s.b.Dot(width, pairs...)}, value{n: sum}, width)
}
