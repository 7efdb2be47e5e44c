package run

import (
	"fmt"

	"tv/ila"
	"tv/semantics/term"
)

type closure func() uint64

type write struct {
	m         *memory
	at, value uint64
	written   bool     // else the cell loses its value
	lanes     []uint64 // where not nil: written at at, at + step, ... instead of value
	step      uint64
}

type compiledEach struct {
	n, binder int // binder is -1 for stores that take place once
	stores    []compiledStore
	lanes     []laneStore // the same for all values of the counter at once, or nil
	limit     closure     // of lanes: how many values of the counter store something; nil: all
}

type compiledStore struct {
	m                    *memory
	address, value, when closure
}

type compiledInstruction struct {
	of     *ila.Instruction
	decode closure
	checks []closure
	slots  []int
	sets   []closure
	eachs  []compiledEach
}

type compiledModel struct {
	of           *ila.Model
	instructions []compiledInstruction
	decodes      *ila.Decodes // or nil
	children     []*compiledModel
}

// A Simulator runs a model on numbers. It is not safe for concurrent use.
type Simulator struct {
	l        *ila.Linked
	root     *compiledModel
	scalars  []uint64
	memories []*memory
	binders  map[int]int // slot of a counter
	counts   []uint64
	memo     []uint64
	stamps   []uint64
	compiled []closure // of terms that occur twice
	ends     []closure // conditions of Model.Ends
	stamp    uint64
	round    uint64 // numbers runs of lanes
	count    int    // values that lanes have in the run
	fault    *ila.Fault
	sets     []uint64
	writes   []write
	steps    int
	applied  string // the uninterpreted function applied last, or ""

	// Trace, where it is set, is called for each instruction that takes place, child instructions included.
	Trace func(model, instruction string)
}

// NewSimulator compiles a model that Validate accepts.
func NewSimulator(m *ila.Model) *Simulator {
	l := ila.Link(m)
	s := &Simulator{l: l, scalars: make([]uint64, len(l.Scalars)), binders: map[int]int{},
		memo: make([]uint64, len(l.Shared)), stamps: make([]uint64, len(l.Shared)),
		compiled: make([]closure, len(l.Shared))}
	for _, v := range l.Memories {
		s.memories = append(s.memories, newMemory(v))
	}
	s.root = s.compileModel(m)
	for _, r := range m.Ends {
		s.ends = append(s.ends, s.compile(r.Cond))
	}
	return s
}

// Reset puts the state before the first step: compiling a model takes as long as many a program. Trace stays.
func (s *Simulator) Reset() {
	clear(s.scalars)
	for _, m := range s.memories {
		m.clear()
	}
	s.writes, s.fault, s.steps, s.applied = s.writes[:0], nil, 0, ""
	s.stamp++
	s.round++
}

// Step takes one step of the root with the given inputs, in the order of Model.Inputs, and runs the children
// until they rest. After a fault the state is that before the faulty step or micro-step.
func (s *Simulator) Step(inputs ...uint64) error {
	for i, v := range s.l.Model.Inputs {
		s.scalars[v.Slot()] = inputs[i] & term.Ones(v.Width)
	}
	s.fault = nil
	i := s.pick(s.root)
	if s.fault == nil && i == nil {
		s.fault = &ila.Fault{Code: ila.CodeDecode, Msg: "no instruction decodes"}
	}
	if s.fault == nil {
		s.take(s.root, i)
	}
	limit := ila.MaxMicroSteps
	for _, c := range s.root.children {
		s.rest(c, &limit)
	}
	if s.fault != nil {
		s.fault.Step = s.steps
		return s.fault
	}
	s.steps++
	return nil
}

// End says whether the program may end here: nil, or a fault at the end.
func (s *Simulator) End() error {
	s.stamp++
	for n, holds := range s.ends {
		if holds() == 0 {
			return endFault(&s.l.Model.Ends[n], s.steps)
		}
	}
	return nil
}

// endFault returns the fault of a program that may not end after the given number of steps.
func endFault(r *ila.Requirement, steps int) *ila.Fault {
	return &ila.Fault{Code: r.Code, Msg: r.Msg, Step: steps, AtEnd: true}
}

// rest runs a child until none of its instructions decodes.
func (s *Simulator) rest(m *compiledModel, limit *int) {
	for s.fault == nil {
		i := s.pick(m)
		if i == nil {
			return
		}
		if *limit--; *limit < 0 {
			s.fail(ila.CodeSteps, "more than %d micro-steps", ila.MaxMicroSteps)
			return
		}
		s.take(m, i)
		for _, c := range m.children {
			s.rest(c, limit)
		}
	}
}

func (s *Simulator) fail(code, format string, args ...any) {
	if s.fault == nil {
		s.fault = &ila.Fault{Code: code, Msg: fmt.Sprintf(format, args...)}
	}
}

// pick returns the instruction that decodes, or nil.
func (s *Simulator) pick(m *compiledModel) *compiledInstruction {
	s.stamp++
	if m.decodes != nil {
		if i := decoded(m.decodes, s.scalars[m.decodes.Var.Slot()], m.of, s.fail); i >= 0 {
			return &m.instructions[i]
		}
		return nil
	}
	var found *compiledInstruction
	for n := range m.instructions {
		i := &m.instructions[n]
		if i.decode() == 0 {
			continue
		}
		if found != nil {
			s.fail(ila.CodeDecode, "both %s and %s decode", found.of.Name, i.of.Name)
			return nil
		}
		found = i
	}
	return found
}

func (s *Simulator) take(m *compiledModel, i *compiledInstruction) {
	for n, check := range i.checks {
		if check() == 0 {
			s.fail(i.of.Checks[n].Code, "%s", i.of.Checks[n].Msg)
		}
		if s.fault != nil {
			s.fault.Instruction = i.of.Name
			return
		}
	}
	s.sets, s.writes = s.sets[:0], s.writes[:0]
	for _, f := range i.sets {
		s.sets = append(s.sets, f())
	}
	for e := range i.eachs {
		if each := &i.eachs[e]; s.fault != nil || each.lanes == nil || !s.inLanes(each) {
			s.each(each)
		}
	}
	if s.fault != nil {
		s.fault.Instruction = i.of.Name
		return
	}
	for n, slot := range i.slots {
		s.scalars[slot] = s.sets[n]
	}
	for n := range s.writes {
		if w := &s.writes[n]; w.lanes != nil {
			w.m.fill(w.at, w.step, w.lanes)
		} else {
			w.m.write(w.at, w.value, w.written)
		}
	}
	if s.Trace != nil {
		s.Trace(m.of.Name, i.of.Name)
	}
}

// each computes the stores of an Each value by value.
func (s *Simulator) each(each *compiledEach) {
	for k := 0; k < each.n; k++ {
		if each.binder >= 0 {
			s.counts[each.binder] = uint64(k)
			s.stamp++
		}
		for j := range each.stores {
			st := &each.stores[j]
			if st.when != nil && st.when() == 0 {
				continue
			}
			at := st.address()
			if at >= st.m.v.Depth {
				s.fail(ila.CodeAddress, "address %d of %s, which has %d", at, st.m.v.Name, st.m.v.Depth)
				break
			}
			w := write{m: st.m, at: at, written: st.value != nil}
			if w.written {
				w.value = st.value()
			}
			s.writes = append(s.writes, w)
		}
	}
}

// Applied names the uninterpreted function that was applied last, or "" where none was: what follows from a run with
// Function.Stand in its place.
func (s *Simulator) Applied() string { return s.applied }

// Bits returns the value of a bit-vector.
func (s *Simulator) Bits(v *ila.Var) uint64 { return s.scalars[v.Slot()] }

// SetBits gives a bit-vector a value.
func (s *Simulator) SetBits(v *ila.Var, value uint64) {
	s.scalars[v.Slot()] = value & term.Ones(v.Width)
}

// Cell returns a cell of a memory and whether it was written.
func (s *Simulator) Cell(v *ila.Var, at uint64) (uint64, bool) { return s.memories[v.Slot()].read(at) }

// SetCell writes a cell of a memory; at is less than its depth.
func (s *Simulator) SetCell(v *ila.Var, at, value uint64) {
	s.memories[v.Slot()].write(at, value&term.Ones(v.Width), true)
}

func (s *Simulator) compileModel(m *ila.Model) *compiledModel {
	c := &compiledModel{of: m, decodes: s.l.Decodes[m]}
	for _, i := range m.Instructions {
		ci := compiledInstruction{of: i, decode: s.compile(i.Decode)}
		for _, check := range i.Checks {
			ci.checks = append(ci.checks, s.compile(check.Cond))
		}
		for _, set := range i.Sets {
			ci.slots = append(ci.slots, set.Var.Slot())
			ci.sets = append(ci.sets, s.compile(set.Value))
		}
		for _, e := range i.Eachs {
			ce := compiledEach{n: e.N, binder: -1}
			if e.Var != nil {
				ce.binder = s.binder(e.Var.ID())
			}
			for _, st := range e.Stores {
				cs := compiledStore{m: s.memories[st.Memory.Slot()], address: s.compile(st.Address)}
				if st.Value != nil {
					cs.value = s.compile(st.Value)
				}
				if st.When != nil {
					cs.when = s.compile(st.When)
				}
				ce.stores = append(ce.stores, cs)
			}
			ce.lanes = s.lanes(e)
			if limit := e.Limit(); limit != nil && ce.lanes != nil {
				ce.limit = s.compile(limit)
			}
			ci.eachs = append(ci.eachs, ce)
		}
		c.instructions = append(c.instructions, ci)
	}
	for _, child := range m.Children {
		c.children = append(c.children, s.compileModel(child))
	}
	return c
}

func (s *Simulator) binder(id int) int {
	slot, ok := s.binders[id]
	if !ok {
		slot = len(s.counts)
		s.binders[id] = slot
		s.counts = append(s.counts, 0)
	}
	return slot
}

// compile returns a closure for t; what an instruction uses twice is computed once a step.
func (s *Simulator) compile(t *term.Term) closure {
	slot, ok := s.l.Shared[t]
	if !ok {
		return s.operation(t)
	}
	if s.compiled[slot] == nil {
		f := s.operation(t)
		s.compiled[slot] = func() uint64 {
			if s.stamps[slot] != s.stamp {
				s.memo[slot] = f()
				s.stamps[slot] = s.stamp
			}
			return s.memo[slot]
		}
	}
	return s.compiled[slot]
}

func (s *Simulator) operation(t *term.Term) closure {
	if d, ok := s.l.Dots[t]; ok {
		return s.dot(d, t.Sort.Width)
	}
	ones := term.Ones(t.Sort.Width)
	switch t.Op {
	case term.Const:
		v, _ := t.ConstBits()
		return func() uint64 { return v }
	case term.Read:
		slot := s.l.ByTerm[t].Slot()
		return func() uint64 { return s.scalars[slot] }
	case term.Number:
		slot := s.binder(t.Index[0].Free()[0].ID())
		return func() uint64 { return s.counts[slot] & ones }
	case term.Reduce:
		slot, n, body := s.binder(t.Vars[0].ID()), ila.Iterations(t.Vars[0]), s.compile(t.Args[0])
		return func() uint64 {
			sum := uint64(0)
			for k := 0; k < n; k++ {
				s.counts[slot] = uint64(k)
				sum += body()
			}
			return sum & ones
		}
	case term.Load:
		return s.load(s.memories[s.l.ByTerm[t.Args[0]].Slot()], s.compile(t.Args[1]))
	}
	args := make([]closure, len(t.Args))
	for i, a := range t.Args {
		args[i] = s.compile(a)
	}
	width := t.Args[0].Sort.Width
	up := 64 - width
	a := args[0]
	var b closure
	if len(args) > 1 {
		b = args[1]
	}
	switch t.Op {
	case term.Add:
		if v, ok := t.Args[1].ConstBits(); ok {
			return func() uint64 { return (a() + v) & ones }
		}
		return func() uint64 { return (a() + b()) & ones }
	case term.Mul:
		return func() uint64 { return a() * b() & ones }
	case term.And:
		if t.Sort.Kind == term.Bool {
			return func() uint64 {
				if a() == 0 {
					return 0
				}
				return b()
			}
		}
		return func() uint64 { return a() & b() }
	case term.Or:
		if t.Sort.Kind == term.Bool {
			return func() uint64 {
				if a() != 0 {
					return 1
				}
				return b()
			}
		}
		return func() uint64 { return a() | b() }
	case term.Not:
		return func() uint64 { return ^a() & ones }
	case term.Equal, term.LessU:
		if f := s.compared(t); f != nil {
			return f
		}
		if t.Op == term.Equal {
			return func() uint64 { return truth(a() == b()) }
		}
		return func() uint64 { return truth(a() < b()) }
	case term.LessS:
		return func() uint64 { return truth(int64(a()<<up) < int64(b()<<up)) }
	case term.Choose:
		c := args[2]
		return func() uint64 {
			if a() != 0 {
				return b()
			}
			return c()
		}
	case term.Extract:
		low := t.Low()
		return func() uint64 { return a() >> low & ones }
	case term.ExtendU:
		return a
	case term.ExtendS:
		return func() uint64 { return uint64(int64(a()<<up)>>up) & ones }
	}
	values := make([]uint64, len(args))
	if t.Op == term.Apply {
		of := s.l.Model.LookupFunction(t.Name)
		return func() uint64 {
			for i, f := range args {
				values[i] = f()
			}
			if of.Tables == "" {
				s.applied = of.Name
			}
			return of.Stand(values) & ones
		}
	}
	return func() uint64 {
		for i, f := range args {
			values[i] = f()
		}
		return term.EvalBits(t, values)
	}
}

func truth(c bool) uint64 {
	if c {
		return 1
	}
	return 0
}

// compared returns a closure for a comparison of a bit-vector with a number, or nil: decoding is many of them a step.
func (s *Simulator) compared(t *term.Term) closure {
	v, constant := t.Args[1].ConstBits()
	if !constant || t.Args[0].Op != term.Read {
		return nil
	}
	slot := s.l.ByTerm[t.Args[0]].Slot()
	if t.Op == term.Equal {
		return func() uint64 { return truth(s.scalars[slot] == v) }
	}
	return func() uint64 { return truth(s.scalars[slot] < v) }
}

func (s *Simulator) load(m *memory, address closure) closure {
	return func() uint64 {
		at := address()
		v, ok := m.read(at)
		if !ok {
			s.failRead(m, at)
		}
		return v
	}
}

func (s *Simulator) failRead(m *memory, at uint64) {
	if at >= m.v.Depth {
		s.fail(ila.CodeAddress, "address %d of %s, which has %d", at, m.v.Name, m.v.Depth)
	} else {
		s.fail(ila.CodeUnwritten, "%s[%d] is read and was never written", m.v.Name, at)
	}
}

// dot sums products of stretches of two memories.
func (s *Simulator) dot(d ila.Dot, width int) closure {
	left, right := s.memories[d.Left.Slot()], s.memories[d.Right.Slot()]
	baseL, baseR := s.compile(d.BaseL), s.compile(d.BaseR)
	upL, upR, ones, n := 64-d.Left.Width, 64-d.Right.Width, term.Ones(width), uint64(d.N)
	return func() uint64 {
		l, r := baseL(), baseR()
		sum := uint64(0)
		if x, y := left.view(l, d.N), right.view(r, d.N); x != nil && y != nil {
			for k := range x {
				sum += uint64(int64(x[k]<<upL)>>upL) * uint64(int64(y[k]<<upR)>>upR)
			}
			return sum & ones
		}
		for k := range n {
			x, ok := left.read(l + k)
			if !ok {
				s.failRead(left, l+k)
			}
			y, ok := right.read(r + k)
			if !ok {
				s.failRead(right, r+k)
			}
			sum += uint64(int64(x<<upL)>>upL) * uint64(int64(y<<upR)>>upR)
		}
		return sum & ones
	}
}
