// Package eval runs Verilog texts cycle by cycle on integers, from their syntax: the reference for texts with behaviour. It knows no words of
// designs. Texts are such as netlist.Elaborate takes; others may make it panic.
//
//	eval.go        Machine: settling what is combinational, and the edge of the clock
//	scope.go       instances of modules: variables, parameters, what runs
//	expression.go  expressions, with the widths and signs of the standard
//	statement.go   statements
//	loads.go       which bits of variables blocks load, and what these start as
//	cell.go        vendors' cells, from their table
package eval

import (
	"math/big"
	"slices"

	"tv/semantics/bits/verilog"
)

// Options say what the text leaves to who asks about it; the netlist of the text has found them.
type Options struct{ Top, Arch, Clock string }

// A Machine runs a text. It is not safe for concurrent use.
type Machine struct {
	file    *verilog.File
	modules map[string]*verilog.Module
	options Options
	choose  func(name string, width, cycle int) *big.Int
	cycle   int

	top     *scope
	all     []*process // what is combinational
	queue   []*process
	clocked []clocked
	cells   []*cell
	running *process   // that reads now; nil: none
	free    []*process // that have read what is open in this cycle
	written map[*variable]*big.Int
	later   []later
	starts  []*scope
}

// A variable is a net, variable or parameter of an instance of a module.
type variable struct {
	name      string // with the path
	width     int
	lsb       int
	ascending bool
	signed    bool
	value     *big.Int
	known     *big.Int // bits that initial blocks have assigned
	readers   []*process
	local     bool // of a function, block or loop: nobody else reads it
	constant  bool // a parameter, or what a generating loop counts
}

// A process is what runs when what it has read changes.
type process struct {
	run    func()
	queued bool
	block  bool // its own assignments do not wake it
}

// clocked is what runs at an edge.
type clocked struct {
	scope *scope
	block *verilog.Always
}

// later is an assignment that happens when all at the edge have run.
type later struct {
	v     *variable
	low   int
	width int
	value *big.Int
}

// New returns the machine in its initial state; choose gives what the text leaves open its values, as bits.Choose.
func New(f *verilog.File, o Options, choose func(name string, width, cycle int) *big.Int) *Machine {
	m := &Machine{file: f, modules: map[string]*verilog.Module{}, options: o, choose: choose, cycle: -1}
	for _, x := range f.Modules {
		m.modules[x.Name] = x
	}
	m.top = m.enter(m.modules[o.Top], "", nil)
	m.top.connect()
	m.start()
	m.cycle = 0
	for _, p := range m.all {
		m.wake(p)
	}
	return m
}

// Step computes the outputs of a cycle from its inputs, and goes on to the next. Absent inputs are 0. A text assumes nothing.
func (m *Machine) Step(inputs map[string]*big.Int) (outputs map[string]*big.Int, assumed bool) {
	outputs = map[string]*big.Int{}
	module := m.top.module
	for i := range module.Decls {
		if d := &module.Decls[i]; d.Dir == verilog.In && d.Text != m.options.Clock {
			v := inputs[d.Text]
			if v == nil {
				v = new(big.Int)
			}
			m.set(m.top.vars[d.Text], v)
		}
	}
	m.pulses(inputs)
	for i := range module.Decls {
		if d := &module.Decls[i]; d.Dir == verilog.Out {
			outputs[d.Text] = m.top.vars[d.Text].value
		}
	}
	m.edge()
	m.cycle++
	for _, p := range m.free {
		m.wake(p)
	}
	m.free = nil
	return outputs, true
}

// pulses runs what happens between two edges of the clock: an input at a level for a while, as NAME.high and NAME.low say, then all as they are at
// the end of the cycle. What waits for a level of a reset runs at each.
func (m *Machine) pulses(inputs map[string]*big.Int) {
	for i := range m.top.module.Decls {
		d := &m.top.module.Decls[i]
		if d.Dir != verilog.In {
			continue
		}
		v := m.top.vars[d.Text]
		last := v.value
		for level, name := range []string{".low", ".high"} {
			if was := inputs[d.Text+name]; was != nil && was.Sign() != 0 {
				m.set(v, big.NewInt(int64(level)))
				m.reset()
				m.set(v, last)
			}
		}
	}
	m.reset()
}

// reset runs the blocks and cells whose asynchronous reset is active.
func (m *Machine) reset() {
	m.settle()
	m.edges(func() {
		for _, c := range m.clocked {
			if a := c.block; a.Reset != nil && (c.scope.find(a.Reset.Text).value.Sign() == 0) == a.Low {
				(&frame{scope: c.scope}).statement(a.Body)
			}
		}
	})
	for _, c := range m.cells {
		if c.reset() {
			m.wake(c.process)
		}
	}
	m.settle()
}

// maxRuns is more than a text without cycles needs.
const maxRuns = 1 << 22

// settle runs what is combinational until nothing changes.
func (m *Machine) settle() {
	for runs := 0; len(m.queue) > 0; runs++ {
		if runs > maxRuns {
			panic("eval: the text does not settle")
		}
		p := m.queue[0]
		m.queue = m.queue[1:]
		p.queued = false
		m.running, m.written = p, map[*variable]*big.Int{}
		p.run()
		m.flush()
		m.running = nil
		written := m.written
		m.written = nil
		for v, old := range written {
			if v.value.Cmp(old) != 0 {
				m.changed(v, p)
			}
		}
	}
}

// edge is the rising edge of the clock. Cells load what they read before it.
func (m *Machine) edge() {
	for _, c := range m.cells {
		c.load()
	}
	m.edges(func() {
		for _, c := range m.clocked {
			(&frame{scope: c.scope}).statement(c.block.Body)
		}
	})
	for _, c := range m.cells {
		if c.store() {
			m.wake(c.process)
		}
	}
}

// edges runs blocks that an edge starts, and then what they put off.
func (m *Machine) edges(blocks func()) {
	changed := map[*variable]*big.Int{}
	m.written = changed
	blocks()
	m.flush()
	m.written = nil
	for v, old := range changed {
		if v.value.Cmp(old) != 0 {
			m.changed(v, nil)
		}
	}
}

// flush does the assignments that were put off.
func (m *Machine) flush() {
	list := m.later
	m.later = nil
	for _, l := range list {
		m.put(l.v, l.low, l.width, l.value)
	}
}

func (m *Machine) wake(p *process) {
	if !p.queued {
		p.queued = true
		m.queue = append(m.queue, p)
	}
}

// changed wakes what has read a variable; a block is not woken by itself.
func (m *Machine) changed(v *variable, by *process) {
	for _, p := range v.readers {
		if p != by || !p.block {
			m.wake(p)
		}
	}
}

// get reads a variable.
func (m *Machine) get(v *variable) *big.Int {
	if p := m.running; p != nil && !v.local && !slices.Contains(v.readers, p) {
		v.readers = append(v.readers, p)
	}
	return v.value
}

// set assigns a whole variable.
func (m *Machine) set(v *variable, value *big.Int) {
	if v.local {
		v.value = value
		return
	}
	if m.written != nil {
		if _, ok := m.written[v]; !ok {
			m.written[v] = v.value
		}
		v.value = value
		return
	}
	if v.value.Cmp(value) != 0 {
		v.value = value
		m.changed(v, nil)
	}
}

// put assigns width bits from low on. Bits that the variable does not have go nowhere.
func (m *Machine) put(v *variable, low, width int, value *big.Int) {
	out := new(big.Int).Set(v.value)
	for i := range width {
		if at := low + i; at >= 0 && at < v.width {
			out.SetBit(out, at, value.Bit(i))
			if v.known != nil {
				v.known.SetBit(v.known, at, 1)
			}
		}
	}
	m.set(v, out)
}

// open is what the text leaves open. It is another value in each cycle.
func (m *Machine) open(name string, width int) *big.Int {
	if m.running != nil {
		m.free = append(m.free, m.running)
	}
	if m.choose != nil {
		if v := m.choose(name, width, m.cycle); v != nil {
			return wrap(v, width)
		}
	}
	return new(big.Int)
}

// wrap is v modulo 2^width.
func wrap(v *big.Int, width int) *big.Int {
	n := new(big.Int).Lsh(big.NewInt(1), uint(width))
	return n.Mod(v, n)
}
