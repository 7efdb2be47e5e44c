package run

import (
	"fmt"

	"tv/ila"
	"tv/semantics/term"
)

// A value is a number, or a term where t is not nil, or element n of a tensor where that is not nil, or a function of one of these two where f
// is not nil: its term is made where it is needed.
type value struct {
	t  *term.Term
	of *ila.Tensor
	f  *function
	n  uint64
}

// symbolic tells whether a value is no number.
func (v value) symbolic() bool { return v.t != nil || v.of != nil }

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
	state    uint64 // numbers states
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
	known  *function    // that a part of one input has the values of, once asked
	asked  bool

	still bool // the same for all values of counters: computed once in a state
	state uint64
	memo  value
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
		a.still = len(t.Args) > 0 && s.isStill(t)
	}
	return a
}

// isStill tells whether no counter is in t.
func (s *Symbolic) isStill(t *term.Term) bool {
	if t.Op == term.Number {
		return false
	}
	for _, x := range t.Args {
		if x.ID() < len(s.of) && len(x.Args) > 0 {
			if !s.about(x).still {
				return false
			}
		} else if !s.isStill(x) {
			return false
		}
	}
	return true
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
		return s.b.Apply(v.f.sort, v.f.name, s.argumentOf(v))
	case v.symbolic():
		return s.argumentOf(v)
	}
	return s.b.Bits(width, v.n)
}

// argumentOf returns what v is a function of, or v itself, as a term.
func (s *Symbolic) argumentOf(v value) *term.Term {
	if v.t == nil {
		return v.of.At(s.b, int(v.n))
	}
	return v.t
}

// input returns a term from outside as a value: one that is an element of a tensor without its term.
func (s *Symbolic) input(t *term.Term) value {
	if x, flat, ok := s.l.Model.ElementOf(t); ok {
		return value{of: x, n: uint64(flat)}
	}
	return valueOf(t)
}

// Step takes one step of the root, as Simulator.Step does.
func (s *Symbolic) Step(inputs ...*term.Term) error { return s.Take(&ila.Step{Values: inputs}) }

// Take takes a step of a program.
func (s *Symbolic) Take(step *ila.Step) error {
	m := s.l.Model
	for i, v := range m.Inputs {
		if i < len(step.Values) {
			s.scalars[v.Slot()] = s.input(step.Values[i])
		} else {
			s.scalars[v.Slot()] = value{of: step.Row.Tensor, n: uint64(step.Row.From + i - len(step.Values))}
		}
	}
	s.fault = nil
	i := s.pick(m)
	if s.fault == nil && i == nil {
		s.fail(ila.CodeDecode, "no instruction decodes")
	}
	if s.fault == nil {
		s.update(i)
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
	s.state++
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
		s.update(i)
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
	s.state++
	if d := s.l.Decodes[m]; d != nil {
		if v := s.scalars[d.Var.Slot()]; !v.symbolic() {
			if i := decoded(d, v.n, m, s.fail); i >= 0 {
				return m.Instructions[i]
			}
			return nil
		}
	}
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

// decoded returns which instruction decodes where they all depend on one number, or -1.
func decoded(d *ila.Decodes, n uint64, m *ila.Model, fail func(code, format string, args ...any)) int {
	of := d.At(n)
	if len(of) > 1 {
		fail(ila.CodeDecode, "both %s and %s decode", m.Instructions[of[0]].Name, m.Instructions[of[1]].Name)
	}
	if len(of) != 1 {
		return -1
	}
	return of[0]
}

// number returns the value of what decides, which must not be a term.
func (s *Symbolic) number(t *term.Term, what, name string) uint64 {
	v := s.eval(t)
	if v.symbolic() {
		s.fail(ila.CodeSymbolic, "%s%s depends on data", what, name)
		return 0
	}
	return v.n
}

func (s *Symbolic) update(i *ila.Instruction) {
	s.state++ // what it reads is read again: Access is told
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
	s.memories[v.Slot()].write(at, cell{s.input(t), true})
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
	a := s.about(t)
	if a.still {
		if a.state != s.state {
			a.memo, a.state = s.operation(t), s.state
		}
		return a.memo
	}
	slot := a.shared
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
	if a := s.about(t); a.inputs != nil && s.Known != nil {
		if v, ok := s.part(t, a); ok {
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
		if !cond.symbolic() {
			return s.eval(t.Args[2-int(cond.n)])
		}
		w := t.Sort.Width
		x, y := s.eval(t.Args[1]), s.eval(t.Args[2])
		if t.Sort.Kind == term.Bool {
			return valueOf(s.b.Choose(s.truthOf(cond), s.truthOf(x), s.truthOf(y)))
		}
		return valueOf(s.b.Choose(s.truthOf(cond), s.termOf(x, w), s.termOf(y, w)))
	case term.And, term.Or:
		if t.Sort.Kind == term.Bool {
			x := s.eval(t.Args[0])
			if !x.symbolic() && (x.n == 0) == (t.Op == term.And) {
				return x
			}
			y := s.eval(t.Args[1])
			if !x.symbolic() {
				return y
			}
			return valueOf(s.b.Rebuild(t, []*term.Term{s.truthOf(x), s.truthOf(y)}))
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
		numbers = numbers && !values[i].symbolic()
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
func (s *Symbolic) part(t *term.Term, a *about) (v value, ok bool) {
	if len(a.inputs) == 1 { // the most frequent: the function depends on nothing but that the input is no number
		v := s.eval(a.inputs[0])
		if !v.symbolic() {
			return value{}, false
		}
		if !a.asked {
			a.known, a.asked = s.function(s.Known(t, a.inputs, a.inputs), t.Sort), true
		}
		if a.known == nil {
			return value{}, false
		}
		return s.applied(a.known, v, a.inputs[0].Sort.Width), true
	}
	values, terms := make([]value, len(a.inputs)), make([]*term.Term, len(a.inputs))
	free := 0
	for i, in := range a.inputs {
		if values[i] = s.eval(in); values[i].symbolic() {
			free++
			terms[i] = in // any that is no number
		} else {
			terms[i] = s.termOf(values[i], in.Sort.Width)
		}
	}
	if free == 0 {
		return value{}, false
	}
	f := s.function(s.Known(t, a.inputs, terms), t.Sort)
	if f == nil {
		return value{}, false
	}
	var args []*term.Term
	for i, x := range values {
		switch {
		case !x.symbolic():
		case free == 1:
			return s.applied(f, x, a.inputs[i].Sort.Width), true
		default:
			args = append(args, s.termOf(x, a.inputs[i].Sort.Width))
		}
	}
	return value{t: s.b.Apply(t.Sort, f.name, args...)}, true
}

// function returns the function of a name, or nil for none.
func (s *Symbolic) function(name string, sort term.Sort) *function {
	if name == "" {
		return nil
	}
	f := s.known[name]
	if f == nil || f.sort != sort {
		f = &function{name, sort}
		s.known[name] = f
	}
	return f
}

// applied returns a function of a value that is no number.
func (s *Symbolic) applied(f *function, x value, width int) value {
	if x.f != nil {
		x = value{t: s.termOf(x, width)}
	}
	x.f = f
	return x
}

func (s *Symbolic) truthOf(v value) *term.Term {
	if v.symbolic() {
		return s.termOf(v, 1)
	}
	return s.b.Truth(v.n != 0)
}

func (s *Symbolic) add(x, y value, width int) value {
	if !x.symbolic() && !y.symbolic() {
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
		case !x.symbolic() && !y.symbolic():
			sum += uint64(term.Signed64(x.n, d.Left.Width)) * uint64(term.Signed64(y.n, d.Right.Width))
		case !x.symbolic() && x.n == 0 || !y.symbolic() && y.n == 0:
		default:
			s.factors = append(s.factors, x, y)
		}
	}
	sum &= term.Ones(width)
	if len(s.factors) == 0 {
		return value{n: sum}
	}
	f := s.factors[0].f
	for _, x := range s.factors {
		if x.f != f {
			f = nil
		}
	}
	if f != nil {
		left, right := s.side(0), s.side(1)
		return s.add(value{t: s.l.Model.Products(width, f.name, left, right)}, value{n: sum}, width)
	}
	pairs := make([]*term.Term, len(s.factors))
	for i, x := range s.factors {
		pairs[i] = s.termOf(x, [...]*ila.Var{d.Left, d.Right}[i%2].Width)
	}
	return s.add(value{t: s.b.Dot(width, pairs...)}, value{n: sum}, width)
}

// side returns what the factors on the left or on the right are functions of.
func (s *Symbolic) side(which int) ila.Factors {
	first, n := s.factors[which], len(s.factors)/2
	row := first.of != nil
	for i := 0; i < n && row; i++ {
		x := s.factors[2*i+which]
		row = x.of == first.of && x.n == first.n+uint64(i)
	}
	if row {
		return ila.Factors{Stretch: ila.Stretch{Tensor: first.of, From: int(first.n), Count: n}}
	}
	terms := make([]*term.Term, n)
	for i := range terms {
		terms[i] = s.argumentOf(s.factors[2*i+which])
	}
	return ila.Factors{Terms: terms}
}
