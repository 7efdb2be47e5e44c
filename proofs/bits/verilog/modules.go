package verilog

import (
	"slices"

	"tv/proofs/bits/circuit"
	"tv/proofs/bits/gates"
)

// netlist is modules flattened: each net has what drives it.
type netlist struct {
	*circuit.View
	modules   map[string]*module
	arch      string
	nets      []net
	registers []*circuit.Register
	trusts    map[string]bool
	clocks    []circuit.Wire
	checks    []func() // of pins that have to be constant
	active    []string
}

// A net has one driver, or none as yet. What it is, is computed once for each delay.
type net struct {
	wire   circuit.Wire
	delays []int
	values []gates.Lit
	busy   []int // delays that are being computed
}

// edge is the delay at which clocks are asked what clocks them: data is never asked at it.
const edge = -1

// A bus is the nets of a name.
type bus struct {
	first, width int
	signed       bool
	isRanged     bool
	left, right  int
}

// A frame is an instance of a module.
type frame struct {
	*netlist
	module *module
	path   string
	buses  map[string]*bus
	kinds  map[string]string // of ports
}

// flatten is the circuit of module top.
func flatten(v *circuit.View, modules map[string]*module, top, arch string) *circuit.Circuit {
	n := &netlist{View: v, modules: modules, arch: arch, trusts: map[string]bool{}}
	m := n.modules[top]
	gates.Need(m != nil, "no module %s", top)
	f := n.open(m, "")
	c := &circuit.Circuit{Clock: v.Clock}
	for _, name := range m.ports {
		b := f.buses[name]
		if f.kinds[name] == "output" {
			c.Out = append(c.Out, circuit.Port{Name: name, Width: b.width})
			continue
		}
		isClock := name == v.Clock
		if !isClock {
			c.In = append(c.In, circuit.Port{Name: name, Width: b.width})
		}
		for i := range b.width {
			w := v.Input(name, i)
			n.drive(b.first+i, func(delay int) gates.Lit {
				gates.Need(isClock == (delay == edge), "the clock is read as data, or data as one")
				return w(delay)
			})
		}
	}
	f.connect()
	for _, w := range n.clocks {
		right := v.Clock != "" && w(edge) == v.Input(v.Clock, 0)(edge)
		gates.Need(right, "a register that %q does not clock", v.Clock)
	}
	for _, check := range n.checks {
		check()
	}
	c.Assume = func(int) []gates.Lit { return nil }
	c.Outputs = func(name string, delay int) gates.Vec {
		gates.Need(f.kinds[name] == "output", "no output %s", name)
		return circuit.At(f.part(&node{op: "name", text: name}), delay)
	}
	for t := range n.trusts {
		c.Trusts = append(c.Trusts, t)
	}
	slices.Sort(c.Trusts)
	c.Registers = n.registers
	return c
}

func (n *netlist) drive(at int, w circuit.Wire) {
	gates.Need(n.nets[at].wire == nil, "a net with two drivers")
	n.nets[at].wire = w
}

// value is a net as it was delay cycles ago. A net that waits for itself is a loop.
func (n *netlist) value(at, delay int) gates.Lit {
	w := &n.nets[at]
	if i := slices.Index(w.delays, delay); i >= 0 {
		return w.values[i]
	}
	gates.Need(w.wire != nil, "a net that nothing drives")
	gates.Need(!slices.Contains(w.busy, delay), "a loop without a register")
	w.busy = append(w.busy, delay)
	l := w.wire(delay)
	w = &n.nets[at] // nets may have been declared meanwhile
	w.busy = w.busy[:len(w.busy)-1]
	w.delays, w.values = append(w.delays, delay), append(w.values, l)
	return l
}

// open declares the nets of a module.
func (n *netlist) open(m *module, path string) *frame {
	f := &frame{n, m, path, map[string]*bus{}, map[string]string{}}
	for i := range m.declared {
		d := &m.declared[i]
		old := f.buses[d.name]
		if d.kind != "wire" {
			gates.Need(slices.Contains(m.ports, d.name) && f.kinds[d.name] == "", "port %s", d.name)
			f.kinds[d.name] = d.kind
		}
		if old != nil {
			same := old.isRanged == d.isRanged && old.left == d.left && old.right == d.right
			gates.Need(same, "%s has two ranges", d.name)
			old.signed = old.signed || d.signed
			continue
		}
		f.place(d.name, &bus{width: d.width(), signed: d.signed, isRanged: d.isRanged,
			left: d.left, right: d.right})
	}
	for i, p := range m.ports {
		gates.Need(f.kinds[p] != "" && !slices.Contains(m.ports[:i], p), "port %s", p)
	}
	return f
}

func (f *frame) place(name string, b *bus) {
	gates.Need(len(f.nets)+b.width <= 1<<24, "too many nets")
	b.first = len(f.nets)
	for range b.width {
		f.nets = append(f.nets, net{})
	}
	f.buses[name] = b
}

// find is a name; one that is not declared is a wire of one bit.
func (f *frame) find(name string) *bus {
	b := f.buses[name]
	if b == nil {
		b = &bus{width: 1}
		f.place(name, b)
	}
	return b
}

// numbers are the nets of a name or of a part of it, least first.
func (f *frame) numbers(x *node) []int {
	b := f.find(x.text)
	lo, hi := 0, b.width-1
	if x.op == "part" {
		gates.Need(b.isRanged, "%s has no range", x.text)
		lo, hi = x.lo-b.right, x.hi-b.right
		if b.left < b.right {
			lo, hi = b.right-x.lo, b.right-x.hi
		}
		gates.Need(0 <= lo && lo <= hi && hi < b.width, "bits of %s that are not there", x.text)
	}
	var out []int
	for i := lo; i <= hi; i++ {
		out = append(out, b.first+i)
	}
	return out
}

func (f *frame) part(x *node) []circuit.Wire {
	var out []circuit.Wire
	for _, net := range f.numbers(x) {
		out = append(out, func(delay int) gates.Lit { return f.value(net, delay) })
	}
	return out
}

// target are the nets that something drives.
func (f *frame) target(x *node) []int {
	switch x.op {
	case "name", "part":
		return f.numbers(x)
	case "row":
		var out []int
		for i := len(x.args) - 1; i >= 0; i-- {
			out = append(out, f.target(x.args[i])...)
		}
		return out
	}
	gates.Refuse("no net to drive")
	return nil
}

// connect drives the nets of an instance of a module.
func (f *frame) connect() {
	m := f.module
	gates.Need(!slices.Contains(f.active, m.name), "module %s is within itself", m.name)
	f.active = append(f.active, m.name)
	names := map[string]bool{}
	for i := range m.instances {
		in := &m.instances[i]
		gates.Need(!names[in.name], "instance %s twice", in.name)
		names[in.name] = true
		inner := f.modules[in.kind]
		if inner == nil {
			f.cell(in)
			continue
		}
		gates.Need(len(in.params) == 0, "parameters of a module")
		g := f.open(inner, f.path+in.name+".")
		for pin, x := range in.pins {
			kind := g.kinds[pin]
			gates.Need(kind != "", "module %s has no port %s", in.kind, pin)
			if x == nil {
				continue
			}
			nets := g.numbers(&node{op: "name", text: pin})
			if kind == "output" {
				f.fill(f.target(x), g.part(&node{op: "name", text: pin}))
			} else {
				f.fill(nets, f.exactly(x, len(nets)))
			}
		}
		g.connect()
	}
	for _, a := range m.assigned {
		to := f.target(a[0])
		w, signed := f.shape(a[1])
		f.fill(to, f.wires(a[1], max(w, len(to)), signed)[:len(to)])
	}
	f.active = f.active[:len(f.active)-1]
}

// exactly is an expression that has a width by itself.
func (f *frame) exactly(x *node, width int) []circuit.Wire {
	w, signed := f.shape(x)
	gates.Need(w == width, "a connection of %d bits to a pin of %d", w, width)
	return f.wires(x, w, signed)
}

func (f *frame) fill(nets []int, w []circuit.Wire) {
	gates.Need(len(nets) == len(w), "%d bits for %d", len(w), len(nets))
	for i, net := range nets {
		f.drive(net, w[i])
	}
}
