package run

import (
	"tv/ila"
	"tv/semantics/index"
	"tv/semantics/term"
)

// The stores of an Each are computed for all values of its counter at once: a term is a lane a value, loops over
// machine words stand for closures called a value at a time, and what does not depend on the counter is computed
// once. Nothing here knows instructions by name, and nothing here says what is wrong: where a lane would be at
// fault, the whole Each is run value by value instead (Simulator.each), which names the fault that comes first.

// A lane is a term for all values of a counter.
type lane struct {
	out   []uint64
	round uint64 // of the run that computed it
	ok    bool   // no value is at fault
	run   func(out []uint64) bool
}

// A laneStore is a store for all values of a counter: it writes value[k] at address + k·step.
type laneStore struct {
	m             *memory
	address, when closure // when is nil or does not depend on the counter
	step          uint64
	value         *lane
}

// A laneCompiler compiles the stores of one Each.
type laneCompiler struct {
	s    *Simulator
	v    *index.Atom
	n    int
	made map[*term.Term]*lane
}

// lanes returns the stores of an Each for all values of its counter, or nil where their order matters (two of them
// write one memory) or a part of them has no form for lanes: a function that stands for another, a store that
// spoils a cell, a condition or an address that is no line in the counter.
func (s *Simulator) lanes(e ila.Each) []laneStore {
	if e.Var == nil || e.N < 2 {
		return nil
	}
	c := &laneCompiler{s: s, v: e.Var, n: e.N, made: map[*term.Term]*lane{}}
	limited := e.Limit() != nil && !s.open(e.Limit()) // the Each looks at it once
	written := map[*ila.Var]bool{}
	var list []laneStore
	for _, st := range e.Stores {
		step, line := stepOf(st.Address, e.Var)
		if st.Value == nil || written[st.Memory] || !line || s.open(st.Value) || s.open(st.Address) ||
			st.When != nil && !limited && (ila.Mentions(st.When, e.Var) || s.open(st.When)) {
			return nil
		}
		written[st.Memory] = true
		ls := laneStore{m: s.memories[st.Memory.Slot()], address: s.compile(st.Address), step: step, value: c.lane(st.Value)}
		if st.When != nil && !limited {
			ls.when = s.compile(st.When)
		}
		list = append(list, ls)
	}
	return list
}

// open tells whether an uninterpreted function is below t.
func (s *Simulator) open(t *term.Term) bool {
	seen := map[*term.Term]bool{}
	var visit func(*term.Term) bool
	visit = func(t *term.Term) bool {
		if seen[t] {
			return false
		}
		seen[t] = true
		for _, a := range t.Args {
			if visit(a) {
				return true
			}
		}
		return t.Op == term.Apply && s.l.Model.LookupFunction(t.Name).Tables == ""
	}
	return visit(t)
}

// stepOf returns by how much t grows with a counter, modulo 2^width, where that is the same everywhere.
func stepOf(t *term.Term, v *index.Atom) (step uint64, line bool) {
	if !ila.Mentions(t, v) {
		return 0, true
	}
	ones := term.Ones(t.Sort.Width)
	switch t.Op {
	case term.Number:
		return 1, true
	case term.Add:
		x, okX := stepOf(t.Args[0], v)
		y, okY := stepOf(t.Args[1], v)
		return (x + y) & ones, okX && okY
	case term.Neg:
		x, ok := stepOf(t.Args[0], v)
		return -x & ones, ok
	case term.Mul:
		for i := range 2 {
			if k, ok := t.Args[i].ConstBits(); ok {
				x, ok := stepOf(t.Args[1-i], v)
				return k * x & ones, ok
			}
		}
	}
	return 0, false
}

// compute returns the values of a lane, each computed once a round; nil where one is at fault.
func (s *Simulator) compute(l *lane) []uint64 {
	if l.round != s.round {
		l.ok = l.run(l.out[:s.count])
		l.round = s.round
	}
	if !l.ok {
		return nil
	}
	return l.out[:s.count]
}

// inLanes computes the stores of an Each and tells whether none is at fault; the writes are pending then.
func (s *Simulator) inLanes(e *compiledEach) bool {
	s.round++
	s.at(e.binder, 0)
	s.count = e.n
	if e.limit != nil {
		if s.count = int(min(e.limit(), uint64(e.n))); s.count == 0 {
			return s.fault == nil
		}
	}
	pending := len(s.writes)
	for i := range e.lanes {
		st := &e.lanes[i]
		if st.when != nil && st.when() == 0 {
			continue
		}
		at, values := st.address(), s.compute(st.value)
		if values == nil || s.fault != nil || !st.m.within(at, st.step, len(values)) {
			s.writes, s.fault = s.writes[:pending], nil
			return false
		}
		s.writes = append(s.writes, write{m: st.m, at: at, lanes: values, step: st.step})
	}
	return true
}

// at gives a counter a value; what was computed at another is forgotten.
func (s *Simulator) at(binder int, k uint64) {
	if s.counts[binder] != k {
		s.counts[binder] = k
		s.stamp++
	}
}

// lane returns t for all values of the counter.
func (c *laneCompiler) lane(t *term.Term) *lane {
	l := c.made[t]
	if l == nil {
		l = &lane{out: make([]uint64, c.n), run: c.loop(t)}
		c.made[t] = l
	}
	return l
}

// loop returns what fills the values of t.
func (c *laneCompiler) loop(t *term.Term) func(out []uint64) bool {
	s := c.s
	if !ila.Mentions(t, c.v) {
		f := s.compile(t)
		return func(out []uint64) bool {
			v := f()
			for k := range out {
				out[k] = v
			}
			return s.fault == nil
		}
	}
	if f := c.table(t); f != nil {
		return f
	}
	switch t.Op {
	case term.Number:
		ones := term.Ones(t.Sort.Width)
		return func(out []uint64) bool {
			for k := range out {
				out[k] = uint64(k) & ones
			}
			return true
		}
	case term.Reduce:
		if d, ok := s.l.Dots[t]; ok {
			if f := c.dots(d, t.Sort.Width); f != nil {
				return f
			}
		}
		return c.oneByOne(t)
	case term.Load:
		return c.load(s.memories[s.l.ByTerm[t.Args[0]].Slot()], t.Args[1])
	case term.Choose:
		return c.choose(t)
	case term.Apply:
		return c.oneByOne(t)
	}
	args := make([]*lane, len(t.Args))
	for i, a := range t.Args {
		args[i] = c.lane(a)
	}
	switch len(args) {
	case 1:
		f := loop1(t)
		return func(out []uint64) bool {
			x := s.compute(args[0])
			if x == nil {
				return false
			}
			f(out, x)
			return true
		}
	case 2:
		f := loop2(t)
		return func(out []uint64) bool {
			x, y := s.compute(args[0]), s.compute(args[1])
			if x == nil || y == nil {
				return false
			}
			f(out, x, y)
			return true
		}
	}
	return c.oneByOne(t)
}

// tableBits is how many bits a part of the model may read for its values to be a table.
const tableBits = 12

// table returns what looks the values of a part of the model up, or nil: the number of a code takes many operations.
func (c *laneCompiler) table(t *term.Term) func(out []uint64) bool {
	inputs, width := c.s.l.Model.Parts[t], 0
	for _, in := range inputs {
		width += in.Sort.Width
	}
	if len(inputs) == 0 || width > tableBits {
		return nil
	}
	part, ok := linePart(t, inputs)
	if !ok {
		return nil
	}
	values := make([]uint64, 1<<width)
	for n := range values {
		rest := uint64(n)
		for i, in := range inputs {
			part.values[i] = rest & term.Ones(in.Sort.Width)
			rest >>= in.Sort.Width
		}
		values[n] = part.value()
	}
	s, args := c.s, make([]*lane, len(inputs))
	for i, in := range inputs {
		args[i] = c.lane(in)
	}
	if len(inputs) == 1 {
		return c.tableOfOne(values, inputs[0])
	}
	return func(out []uint64) bool {
		for k := range out {
			out[k] = 0
		}
		low := 0
		for i, a := range args {
			x := s.compute(a)
			if x == nil {
				return false
			}
			for k, v := range x {
				out[k] |= v << low
			}
			low += inputs[i].Sort.Width
		}
		for k, at := range out {
			out[k] = values[at]
		}
		return true
	}
}

// tableOfOne looks up what depends on one input. Cells that follow each other are looked up where they are.
func (c *laneCompiler) tableOfOne(values []uint64, in *term.Term) func(out []uint64) bool {
	s, arg := c.s, c.lane(in)
	lookUp := func(out, x []uint64) bool {
		for k, v := range x {
			out[k] = values[v]
		}
		return x != nil
	}
	if in.Op == term.Load {
		if step, line := stepOf(in.Args[1], c.v); line && step == 1 {
			m, base := s.memories[s.l.ByTerm[in.Args[0]].Slot()], s.compile(in.Args[1])
			return func(out []uint64) bool {
				if x := m.view(base(), len(out)); x != nil {
					return lookUp(out, x) && s.fault == nil
				}
				return lookUp(out, s.compute(arg))
			}
		}
	}
	return func(out []uint64) bool { return lookUp(out, s.compute(arg)) }
}

// A part is a term in the order in which it is computed, for terms below it whose values are given: those come first.
type part struct {
	values []uint64
	ops    []partOp
	args   []uint64
	result int // which of values is the term's
}

// A partOp computes the values of a term, the next one, from those at some places.
type partOp struct {
	of *term.Term
	at []int
}

// linePart puts t in order; ok is false where it depends on anything but inputs.
func linePart(t *term.Term, inputs []*term.Term) (p *part, ok bool) {
	p = &part{}
	at := map[*term.Term]int{}
	for i, in := range inputs {
		at[in] = i
	}
	p.values = make([]uint64, len(inputs))
	var visit func(*term.Term) bool
	visit = func(t *term.Term) bool {
		if _, seen := at[t]; seen {
			return true
		}
		v, constant := t.ConstBits()
		op := partOp{of: t}
		switch {
		case constant:
			op.of = nil
		case len(t.Args) == 0 || t.Op == term.Load || t.Op == term.Apply || t.Op == term.Reduce || t.Op == term.Dot:
			return false
		default:
			for _, a := range t.Args {
				if !visit(a) {
					return false
				}
				op.at = append(op.at, at[a])
			}
		}
		at[t] = len(p.values)
		p.values = append(p.values, v)
		p.ops = append(p.ops, op)
		return true
	}
	if !visit(t) {
		return nil, false
	}
	p.result = at[t]
	return p, true
}

// value returns the value of the term where its inputs have the first values.
func (p *part) value() uint64 {
	next := len(p.values) - len(p.ops)
	for _, op := range p.ops {
		if op.of != nil {
			p.args = p.args[:0]
			for _, at := range op.at {
				p.args = append(p.args, p.values[at])
			}
			p.values[next] = term.EvalBits(op.of, p.args)
		}
		next++
	}
	return p.values[p.result]
}

// loop1 returns the loop of an operation with one argument; hot ones have loops of their own.
func loop1(t *term.Term) func(out, x []uint64) {
	ones, up := term.Ones(t.Sort.Width), 64-t.Args[0].Sort.Width
	switch t.Op {
	case term.Extract:
		low := t.Low()
		return func(out, x []uint64) {
			for k := range out {
				out[k] = x[k] >> low & ones
			}
		}
	case term.ExtendU:
		return func(out, x []uint64) { copy(out, x) }
	case term.ExtendS:
		return func(out, x []uint64) {
			for k := range out {
				out[k] = uint64(int64(x[k]<<up)>>up) & ones
			}
		}
	}
	return func(out, x []uint64) {
		for k := range out {
			out[k] = term.EvalBits(t, x[k:k+1])
		}
	}
}

// loop2 returns the loop of an operation with two arguments.
func loop2(t *term.Term) func(out, x, y []uint64) {
	ones, up := term.Ones(t.Sort.Width), 64-t.Args[0].Sort.Width
	switch t.Op {
	case term.Add:
		return func(out, x, y []uint64) {
			for k := range out {
				out[k] = (x[k] + y[k]) & ones
			}
		}
	case term.Mul:
		return func(out, x, y []uint64) {
			for k := range out {
				out[k] = x[k] * y[k] & ones
			}
		}
	case term.Concat:
		low := t.Args[1].Sort.Width
		return func(out, x, y []uint64) {
			for k := range out {
				out[k] = x[k]<<low | y[k]
			}
		}
	case term.LessS:
		return func(out, x, y []uint64) {
			for k := range out {
				out[k] = 0
				if int64(x[k]<<up) < int64(y[k]<<up) {
					out[k] = 1
				}
			}
		}
	}
	args := make([]uint64, 2)
	return func(out, x, y []uint64) {
		for k := range out {
			args[0], args[1] = x[k], y[k]
			out[k] = term.EvalBits(t, args)
		}
	}
}

// choose computes one branch where the condition is the same for all values, else both.
func (c *laneCompiler) choose(t *term.Term) func(out []uint64) bool {
	s, then, other := c.s, c.lane(t.Args[1]), c.lane(t.Args[2])
	if !ila.Mentions(t.Args[0], c.v) {
		cond := s.compile(t.Args[0])
		return func(out []uint64) bool {
			from := other
			if cond() != 0 {
				from = then
			}
			x := s.compute(from)
			copy(out, x)
			return x != nil && s.fault == nil
		}
	}
	cond := c.lane(t.Args[0])
	return func(out []uint64) bool {
		which, x, y := s.compute(cond), s.compute(then), s.compute(other)
		if which == nil || x == nil || y == nil {
			return false
		}
		for k := range out {
			out[k] = y[k]
			if which[k] != 0 {
				out[k] = x[k]
			}
		}
		return true
	}
}

// oneByOne computes t as outside of lanes.
func (c *laneCompiler) oneByOne(t *term.Term) func(out []uint64) bool {
	s, f, binder := c.s, c.s.compile(t), c.s.binder(c.v.ID())
	return func(out []uint64) bool {
		for k := range out {
			s.at(binder, uint64(k))
			out[k] = f()
		}
		s.at(binder, 0)
		return s.fault == nil
	}
}

func (c *laneCompiler) load(m *memory, address *term.Term) func(out []uint64) bool {
	s := c.s
	if step, ok := stepOf(address, c.v); ok {
		base := s.compile(address)
		return func(out []uint64) bool { return m.stretch(base(), step, out) && s.fault == nil }
	}
	at := c.lane(address)
	return func(out []uint64) bool {
		addresses := s.compute(at)
		for k, a := range addresses {
			v, ok := m.read(a)
			if !ok {
				return false
			}
			out[k] = v
		}
		return addresses != nil
	}
}

// dots computes a sum of products for all values of the counter, or nil where the stretches do not lie on lines. A
// stretch that is the same for all values is read once.
func (c *laneCompiler) dots(d ila.Dot, width int) func(out []uint64) bool {
	stepL, okL := stepOf(d.BaseL, c.v)
	stepR, okR := stepOf(d.BaseR, c.v)
	if !okL || !okR {
		return nil
	}
	s := c.s
	left, right := s.memories[d.Left.Slot()], s.memories[d.Right.Slot()]
	baseL, baseR := s.compile(d.BaseL), s.compile(d.BaseR)
	upL, upR, ones := 64-d.Left.Width, 64-d.Right.Width, term.Ones(width)
	x, y := make([]uint64, d.N), make([]uint64, d.N)
	extend := func(x []uint64, up int) {
		for k, v := range x {
			x[k] = uint64(int64(v<<up) >> up)
		}
	}
	return func(out []uint64) bool {
		l, r := baseL(), baseR()
		if s.fault != nil || !left.within(l, stepL, len(out)) || !right.within(r, stepR, len(out)) {
			return false
		}
		fresh := true // x or y is to be read
		for j := range out {
			if fresh || stepL != 0 {
				if !left.stretch(l, 1, x) {
					return false
				}
				extend(x, upL)
			}
			row := right.view(r, len(y))
			if row == nil {
				if !right.stretch(r, 1, y) {
					return false
				}
				row = y
			}
			sum := uint64(0)
			row = row[:len(x)]
			for k, v := range x {
				sum += v * uint64(int64(row[k]<<upR)>>upR)
			}
			out[j] = sum & ones
			l, r, fresh = l+stepL, r+stepR, false
		}
		return true
	}
}
