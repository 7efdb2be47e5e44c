package verilog

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"tv/proofs/bits/circuit"
	"tv/proofs/bits/gates"
)

// An env is what a process, or a function that is called, has assigned so far. Nothing is computed
// while it runs: what a bit is assigned is a wire, and where paths meet a wire chooses among them.
// So a bit waits for no more than it reads.
type env struct {
	process *process
	scopes  []map[string]*bus // of blocks, the outermost first
	isCall  bool              // of a function, which sees nothing of the module but parameters
	layers  []map[key]slot    // of branches, the outermost first
	outside map[int]bool      // nets that were read as the module has them
	steps   []int             // of loops, the outermost first
}

// A key is a net, as it is from now on or as it will be in the next cycle.
type key struct {
	at   int
	next bool
}

type slot struct {
	circuit.Wire
	isConstant bool
}

func (e *env) find(f *frame, name string) *bus {
	for i := len(e.scopes) - 1; i >= 0; i-- {
		if b := e.scopes[i][name]; b != nil {
			return b
		}
	}
	b := f.known(name)
	gates.Need(b != nil, "nothing is named %s", name)
	gates.Need(!e.isCall || b.value != nil, "a function reads %s, which is not its own", name)
	return b
}

func (e *env) isClocked() bool { return e.process != nil && e.process.kind == "clocked" }

func (e *env) known(k key) (slot, bool) {
	for i := len(e.layers) - 1; i >= 0; i-- {
		if s, ok := e.layers[i][k]; ok {
			return s, true
		}
	}
	return slot{}, false
}

func (e *env) set(k key, s slot) { e.layers[len(e.layers)-1][k] = s }

// unassigned is what a bit is on a path on which nothing is assigned to it.
func unassigned(b *bus) circuit.Wire {
	return func(int) gates.Lit {
		gates.Refuse("%s is not assigned to on all paths: a latch", b.name)
		return gates.No
	}
}

// read is a net as the process sees it.
func (e *env) read(f *frame, at int) circuit.Wire {
	if s, ok := e.known(key{at, false}); ok {
		return s.Wire
	}
	if b := f.nets[at].bus; b.isLocal {
		return unassigned(b)
	}
	e.outside[at] = true
	return func(delay int) gates.Lit { return f.value(at, delay) }
}

// old is what a bit is if nothing more is assigned to it.
func (e *env) old(f *frame, k key) slot {
	if s, ok := e.known(k); ok {
		return s
	}
	if k.next {
		return slot{func(delay int) gates.Lit { return f.value(k.at, delay) }, false}
	}
	return slot{unassigned(f.nets[k.at].bus), false}
}

// isConstant tells whether an expression has no more in it than numbers, parameters and variables
// that hold such.
func (f *frame) isConstant(x *node) bool {
	switch x.op {
	case "number":
		return !x.unknown
	case "name", "bit", "part", "up", "down":
		b := f.find(x.text)
		if b.value == nil {
			for i := range b.width {
				if f.env == nil {
					return false
				}
				if s, ok := f.env.known(key{b.first + i, false}); !ok || !s.isConstant {
					return false
				}
			}
		}
	case "text":
		return false
	}
	return !slices.ContainsFunc(x.args, func(y *node) bool { return !f.isConstant(y) })
}

// constantBits are the bits of a constant within what gives it a width and a sign.
func (f *frame) constantBits(x *node, width int, signed bool) gates.Vec {
	v, ok := f.tried(x, width, signed)
	gates.Need(ok, "a constant is expected")
	return v
}

func (f *frame) tried(x *node, width int, signed bool) (gates.Vec, bool) {
	if !f.isConstant(x) {
		return nil, false
	}
	v := circuit.At(f.wires(x, width, signed), 0)
	return v, !slices.ContainsFunc(v, func(l gates.Lit) bool { return l > gates.Yes })
}

// constant is the number that an expression is.
func (f *frame) constant(x *node) int {
	n, ok := f.counted(x)
	gates.Need(ok, "a constant is expected")
	return n
}

// counted is the number that an expression is, if it is one.
func (f *frame) counted(x *node) (int, bool) {
	if x.op == "number" && !x.unknown && x.bare && x.value.BitLen() < 31 {
		return int(x.value.Int64()), true
	}
	w, signed := f.shape(x)
	v, ok := f.tried(x, w, signed)
	if !ok {
		return 0, false
	}
	n := new(big.Int)
	for i, l := range v {
		n.SetBit(n, i, uint(l&1))
	}
	if signed && v.Top() == gates.Yes {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(w)))
	}
	return int(n.Int64()), n.BitLen() < 31
}

// decided is a condition that is constant.
func (f *frame) decided(x *node) (holds, ok bool) {
	if !f.isConstant(x) {
		return false, false
	}
	w, signed := f.shape(x)
	v, ok := f.tried(x, w, signed)
	return slices.Contains(v, gates.Yes), ok
}

// runAll runs the processes of a module, and drives what they assign to.
func (f *frame) runAll() {
	registers := map[*bus][]load{}
	// what combinational blocks assign to integers, which may be counters of more than one
	counters := map[int][]circuit.Wire{}
	all := f.frames()
	for _, g := range all {
		for _, p := range g.module.processes {
			g.drives(p, registers, counters)
		}
	}
	for at, wires := range counters {
		if len(wires) == 1 {
			f.drive(at, wires[0])
		}
	}
	for _, g := range all {
		g.hold(registers)
	}
}

// drives runs a process, and drives what it assigns to.
func (f *frame) drives(p *process, registers map[*bus][]load, counters map[int][]circuit.Wire) {
	e := f.run(p)
	f.awaited(p, e)
	cleared, values := f.cleared(p)
	keys := slices.SortedFunc(maps.Keys(e.layers[0]), func(a, b key) int {
		return cmp.Compare(a.at, b.at)
	})
	for _, k := range keys {
		s, b := e.layers[0][k], f.nets[k.at].bus
		switch {
		case b.isLocal:
		case p.kind == "initial":
			f.started(b, k.at, s)
		case k.next:
			gates.Need(b.owner == nil || b.owner.kind == "clocked",
				"%s is assigned to in two blocks", b.name)
			registers[b] = append(registers[b], load{k.at - b.first, s.Wire, e,
				nil, gates.No})
			if v, ok := values[k.at]; ok {
				l := &registers[b][len(registers[b])-1]
				l.clear, l.value = cleared, v
			}
		case p.kind == "comb":
			gates.Need(!e.outside[k.at], "%s is read before it is assigned to", b.name)
			if b.form == "integer" {
				counters[k.at] = append(counters[k.at], s.Wire)
			} else {
				f.drive(k.at, s.Wire)
			}
		}
		if p.kind != "initial" && b.owner == nil {
			b.owner = p
		}
	}
	for _, k := range keys {
		f.nets[k.at].bus.isCounter = true
	}
}

// awaited refuses a block that lists what it waits for and reads something else.
func (f *frame) awaited(p *process, e *env) {
	if p.waits == nil {
		return
	}
	listed := map[int]bool{}
	for _, x := range p.waits {
		b := f.find(x.text)
		gates.Need(!f.moves(x), "a block that waits for a part of %s that moves", x.text)
		for lo, n := f.chosen(b, x); n > 0; n-- {
			listed[b.first+lo+n-1] = true
		}
	}
	for at := range e.outside {
		name := f.nets[at].bus.name
		gates.Need(listed[at], "a block that reads %s and does not wait for it", name)
	}
}

// A load is what a block makes of a bit of a register at an edge.
type load struct {
	bit  int
	next circuit.Wire
	by   *env // the run of the block
	// an asynchronous reset, and what it makes of the bit; nil: there is none
	clear *circuit.Clear
	value gates.Lit
}

// clears declares an asynchronous reset; what it is is asked when all is connected.
func (n *netlist) clears(active circuit.Wire, what string) *circuit.Clear {
	c := &circuit.Clear{Active: active, What: what}
	n.resets = append(n.resets, c)
	return c
}

// cleared is what a block's asynchronous reset is, and what it makes of nets.
func (f *frame) cleared(p *process) (*circuit.Clear, map[int]gates.Lit) {
	if p.reset == "" {
		return nil, nil
	}
	b := f.find(p.reset)
	gates.Need(b.width == 1, "an asynchronous reset of %d bits", b.width)
	active := f.bits(b)[0]
	if p.isLow {
		high := active
		active = func(d int) gates.Lit { return high(d).Not() }
	}
	f.env = &env{process: p, layers: []map[key]slot{{}}, outside: map[int]bool{}}
	f.do(p.body().inside[0])
	values := map[int]gates.Lit{}
	for k, s := range f.env.layers[0] {
		if !k.next {
			continue // of the block's own
		}
		l := gates.Lit(2)
		if s.isConstant {
			l = s.Wire(0)
		}
		gates.Need(l <= gates.Yes, "an asynchronous reset to what is not constant")
		values[k.at] = l
	}
	f.env = nil
	return f.clears(active, f.path+"a block"), values
}

// hold makes the registers of a module, and what variables are that nothing assigns to.
func (f *frame) hold(registers map[*bus][]load) {
	names := slices.Sorted(maps.Keys(f.buses))
	for _, name := range names {
		b := f.buses[name]
		loads := registers[b]
		if loads == nil && b.owner != nil {
			continue
		}
		if loads == nil {
			for i, l := range b.initial {
				if at := b.first + i; f.nets[at].wire == nil && l != circuit.Unknown {
					f.drive(at, circuit.Fixed(l))
				}
			}
			continue
		}
		if b.initial == nil {
			b.initial = slices.Repeat(gates.Vec{circuit.Unknown}, b.width)
		}
		isShared := slices.ContainsFunc(loads, func(l load) bool { return l.by != loads[0].by })
		if !isShared { // one register, of which bits that are never loaded stay as they are
			all := make([]load, b.width)
			for _, l := range loads {
				all[l.bit] = l
			}
			f.register(b, 0, all)
			continue
		}
		// one for each run of bits of a block
		slices.SortStableFunc(loads, func(a, b load) int { return cmp.Compare(a.bit, b.bit) })
		for len(loads) > 0 {
			n := 1
			for n < len(loads) && loads[n].by == loads[0].by && loads[n].bit == loads[0].bit+n {
				n++
			}
			f.register(b, loads[0].bit, loads[:n])
			loads = loads[n:]
		}
	}
}

// register makes one of bits of a bus from some place on. What has no next value stays.
func (f *frame) register(b *bus, from int, loads []load) {
	width := len(loads)
	r := &circuit.Register{Name: f.path + b.name, Initial: b.initial[from : from+width]}
	if width < b.width {
		index := func(at int) int {
			if b.left < b.right {
				return b.right - at
			}
			return b.right + at
		}
		r.Name += fmt.Sprintf("[%d:%d]", index(from+width-1), index(from))
		if width == 1 {
			r.Name = fmt.Sprintf("%s%s[%d]", f.path, b.name, index(from))
		}
	}
	for i, w := range f.Held(r, width) {
		l := loads[i]
		if l.clear != nil {
			w = l.clear.Seen(f.Graph, w, l.value)
			l.next = l.clear.Next(f.Graph, l.next, l.value)
		}
		f.drive(b.first+from+i, w)
		if l.next != nil {
			w = l.next
		}
		r.Next = append(r.Next, w)
	}
	f.registers = append(f.registers, r)
}

// started is what an initial block assigns.
func (f *frame) started(b *bus, at int, s slot) {
	l := gates.Lit(2)
	if s.isConstant {
		l = s.Wire(0)
	}
	if l > gates.Yes {
		gates.Need(b.form == "integer", "the initial value of %s is no constant", b.name)
		return
	}
	if b.form == "integer" { // a counter, perhaps of more than one block
		if b.isCounter {
			b.initial[at-b.first] = circuit.Unknown
			return
		}
	}
	f.starts(b, at-b.first, gates.Vec{l})
}

func (f *frame) run(p *process) *env {
	e := &env{process: p, layers: []map[key]slot{{}}, outside: map[int]bool{}}
	if p.kind == "clocked" {
		f.clocked(f.bits(f.find(p.clock))[0], p.falls)
		gates.Need(f.find(p.clock).width == 1, "a clock of more than one bit")
	}
	f.env = e
	f.do(p.does)
	f.env = nil
	return e
}

func (f *frame) do(s *statement) {
	switch s.op {
	case "block":
		f.block(s.declared, s.inside)
	case "if":
		if c, ok := f.decided(s.args[0]); ok {
			if c {
				f.do(s.inside[0])
			} else {
				f.do(s.inside[1])
			}
			return
		}
		f.branch(f.holds(s.args[0]), func() { f.do(s.inside[0]) }, func() { f.do(s.inside[1]) })
	case "case", "casez":
		f.choose(s)
	case "for":
		f.loop(s)
	case "=", "<=":
		f.assign(s.op, s.args[0], s.args[1])
	}
}

// holds is an expression as a condition.
func (f *frame) holds(x *node) circuit.Wire {
	w := f.alone(x)
	return circuit.Once(func(d int) gates.Lit { return gates.Along(f.Graph.Or, circuit.At(w, d)) })
}

func (f *frame) block(declared []declaration, inside []*statement) {
	e := f.env
	scope := map[string]*bus{}
	for i := range declared {
		f.local(scope, &declared[i])
	}
	e.scopes = append(e.scopes, scope)
	for _, s := range inside {
		f.do(s)
	}
	e.scopes = e.scopes[:len(e.scopes)-1]
}

// local declares a variable of a block or function.
func (f *frame) local(scope map[string]*bus, d *declaration) *bus {
	gates.Need(scope[d.name] == nil, "%s is declared twice", d.name)
	b := &bus{name: d.name, width: 1, signed: d.signed, form: d.form, isLocal: true}
	if d.rng != nil {
		b.isRanged, b.left, b.right = true, f.constant(d.rng[0]), f.constant(d.rng[1])
		b.width = sizeOf(b.left, b.right)
	}
	gates.Need(len(f.nets)+b.width <= 1<<24, "too many nets")
	b.first = len(f.nets)
	for range b.width {
		f.nets = append(f.nets, net{bus: b})
	}
	scope[d.name] = b
	return b
}

// branch runs both ways of a condition, and joins what they assign.
func (f *frame) branch(c circuit.Wire, yes, no func()) {
	e := f.env
	run := func(way func()) map[key]slot {
		e.layers = append(e.layers, map[key]slot{})
		way()
		n := len(e.layers) - 1
		layer := e.layers[n]
		e.layers = e.layers[:n]
		return layer
	}
	a, b := run(yes), run(no)
	for k, s := range a {
		t, ok := b[k]
		if !ok {
			t = e.old(f, k)
		}
		e.set(k, slot{f.either(c, s.Wire, t.Wire), false})
	}
	for k, t := range b {
		if _, ok := a[k]; !ok {
			e.set(k, slot{f.either(c, e.old(f, k).Wire, t.Wire), false})
		}
	}
}

// maxSteps bounds the loops of a design together.
const maxSteps = 1 << 15

// loop runs as often as constants say.
func (f *frame) loop(s *statement) {
	f.do(s.inside[0])
	e := f.env
	outer := e.steps
	defer func() { e.steps = outer }()
	for n := 0; ; n++ {
		e.steps = append(outer[:len(outer):len(outer)], n)
		goes, ok := f.decided(s.args[0])
		gates.Need(ok, "a loop whose end is not constant")
		if !goes {
			return
		}
		f.steps++
		gates.Need(f.steps < maxSteps, "loops of more than %d steps", maxSteps)
		f.do(s.inside[2])
		f.do(s.inside[1])
	}
}

// choose is a case: the first label that matches.
func (f *frame) choose(s *statement) {
	own, signed := f.shape(s.args[0])
	width := own
	for _, c := range s.choices {
		for _, l := range c.labels {
			w, isSigned := f.shape(l)
			width, signed = max(width, w), signed && isSigned
		}
	}
	if !isOperand(s.args[0]) { // what is computed is computed in the width of the labels
		own = width
	}
	selected := f.wires(s.args[0], width, signed)
	var covered []pattern
	var from func(i int)
	from = func(i int) {
		if i == len(s.choices) {
			return
		}
		c := s.choices[i]
		if c.labels == nil {
			f.do(c.does)
			return
		}
		var matches []circuit.Wire
		for _, l := range c.labels {
			m, p := f.label(s.op, selected, l, width, signed)
			matches = append(matches, m)
			if p = p.cut(own, signed); p != nil {
				covered = append(covered, p)
			}
		}
		if own <= 20 && complete(covered, own) {
			f.do(c.does)
			return
		}
		match := circuit.Once(func(d int) gates.Lit {
			return gates.Along(f.Graph.Or, circuit.At(matches, d))
		})
		f.branch(match, func() { f.do(c.does) }, func() { from(i + 1) })
	}
	from(0)
}

// isOperand tells whether an expression has no more bits than it has by itself, wherever it stands.
func isOperand(e *node) bool {
	switch e.op {
	case "number", "name", "bit", "part", "up", "down", "call", "row", "times":
		return true
	}
	return false
}

// A pattern is a label: bits that are 0, 1 or anything, 2.
type pattern []byte

// cut is what of the words of so many bits that are extended match a pattern; nil where it is none
// of them.
func (p pattern) cut(width int, signed bool) pattern {
	if p == nil {
		return nil
	}
	fill := byte(0)
	if signed {
		fill = p[width-1]
	}
	for _, b := range p[width:] {
		if b != 2 && b != fill {
			return nil
		}
	}
	return p[:width]
}

// label is whether a label matches, and what it is if it is constant.
func (f *frame) label(op string, selected []circuit.Wire, l *node, width int,
	signed bool) (circuit.Wire, pattern) {
	var wild *big.Int
	if l.op == "number" && l.unknown {
		gates.Need(op == "casez" && l.wild != nil, "a label that is x or z")
		wild = l.wild
		known := *l
		known.unknown = false
		l = &known
	}
	w := f.wires(l, width, signed)
	var p pattern
	if v, ok := f.tried(l, width, signed); ok {
		for i, b := range v {
			p = append(p, byte(b))
			if wild != nil && wild.Bit(i) == 1 {
				p[i] = 2
			}
		}
	}
	return circuit.Once(func(d int) gates.Lit {
		g := f.Graph
		a, b := circuit.At(selected, d), circuit.At(w, d)
		if wild != nil {
			for i := range a {
				if wild.Bit(i) == 1 {
					a[i], b[i] = gates.No, gates.No
				}
			}
		}
		return g.Equal(a, b)
	}), p
}

// complete tells whether each word of so many bits matches one of the patterns.
func complete(of []pattern, width int) bool {
	if len(of) == 0 {
		return false
	}
	if width == 0 {
		return true
	}
	top := width - 1
	var zero, one []pattern
	for _, p := range of {
		if p[top] != 1 {
			zero = append(zero, p)
		}
		if p[top] != 0 {
			one = append(one, p)
		}
	}
	if len(zero) == len(of) && len(one) == len(of) {
		return complete(of, top)
	}
	return complete(zero, top) && complete(one, top)
}

// assign assigns to a target what an expression is now.
func (f *frame) assign(op string, to, x *node) {
	e := f.env
	gates.Need(op == "=" || e.isClocked(), "<= where nothing clocks")
	width := f.targetWidth(to)
	w, signed := f.shape(x)
	isConstant := f.isConstant(x)
	wires := f.wires(x, max(w, width), signed)[:width]
	slots := make([]slot, width)
	for i, w := range wires {
		slots[i] = slot{w, isConstant}
	}
	f.store(op == "<=", to, slots)
}

func (f *frame) targetWidth(to *node) (n int) {
	if to.op == "row" {
		for _, x := range to.args {
			n += f.targetWidth(x)
		}
		return n
	}
	n, _ = f.shape(to)
	return n
}

// store assigns bits to a target. Bits that are not there are not assigned.
func (f *frame) store(next bool, to *node, v []slot) {
	if to.op == "row" {
		for i := len(to.args) - 1; i >= 0; i-- {
			n := f.targetWidth(to.args[i])
			f.store(next, to.args[i], v[:n])
			v = v[n:]
		}
		return
	}
	e, b := f.env, f.find(to.text)
	gates.Need(b.value == nil && b.form != "wire", "%s is no variable", to.text)
	// = beside a clock is for what is used within the block alone
	isRight := !b.isLocal || !next
	if !next && e.isClocked() {
		isRight = b.isLocal || b.form == "integer"
	}
	gates.Need(isRight, "the wrong assignment to %s", to.text)
	if !f.moves(to) {
		lo, n := f.chosen(b, to)
		for i := range n {
			if at := lo + i; at >= 0 && at < b.width {
				e.set(key{b.first + at, next}, v[i])
			}
		}
		return
	}
	old, value := make([]circuit.Wire, b.width), make([]circuit.Wire, len(v))
	for i := range old {
		old[i] = e.old(f, key{b.first + i, next}).Wire
	}
	for i := range v {
		value[i] = v[i].Wire
	}
	for i, w := range f.placed(old, value, f.span(to)) {
		e.set(key{b.first + i, next}, slot{w, false})
	}
}

// valued is the width and sign of what a function is.
func (f *frame) valued(fn *function) (width int, signed bool) {
	width = 1
	if r := fn.value.rng; r != nil {
		width = sizeOf(f.constant(r[0]), f.constant(r[1]))
	}
	return width, fn.value.signed
}

// call is the value of a function. Each call has variables of its own, which hold nothing at first.
func (f *frame) call(x *node) (value []circuit.Wire, isConstant bool) {
	fn := f.module.functions[x.text]
	gates.Need(fn != nil, "no function %s", x.text)
	gates.Need(len(x.args) == len(fn.inputs), "function %s has %d inputs", x.text, len(fn.inputs))
	f.deep++
	gates.Need(f.deep < 64, "calls nest too deeply")
	scope := map[string]*bus{}
	e := &env{scopes: []map[string]*bus{scope}, isCall: true, layers: []map[key]slot{{}},
		outside: map[int]bool{}}
	var given [][]slot
	for i := range fn.inputs {
		given = append(given, f.argument(x.args[i], &fn.inputs[i]))
	}
	outer := f.env
	f.env = e
	for i := range fn.inputs {
		b := f.local(scope, &fn.inputs[i])
		for j := range b.width {
			e.set(key{b.first + j, false}, given[i][j])
		}
	}
	result := f.local(scope, &fn.value)
	for i := range fn.declared {
		f.local(scope, &fn.declared[i])
	}
	f.do(fn.does)
	isConstant = true
	for i := range result.width {
		s := e.old(f, key{result.first + i, false})
		value, isConstant = append(value, s.Wire), isConstant && s.isConstant
	}
	f.env = outer
	f.deep--
	return value, isConstant
}

// argument is an expression as an assignment to an input has it.
func (f *frame) argument(x *node, to *declaration) []slot {
	width := 1
	if to.rng != nil {
		outer := f.env
		f.env = nil
		width = sizeOf(f.constant(to.rng[0]), f.constant(to.rng[1]))
		f.env = outer
	}
	w, signed := f.shape(x)
	isConstant := f.isConstant(x)
	var out []slot
	for _, w := range f.wires(x, max(w, width), signed)[:width] {
		out = append(out, slot{w, isConstant})
	}
	return out
}
