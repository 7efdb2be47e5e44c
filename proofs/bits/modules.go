package bits

import "slices"

// netlist is modules flattened: each net has what drives it.
type netlist struct {
	g       *graph
	modules map[string]*module
	arch    string
	nets    []wire         // nil: nothing drives it
	values  []map[int]lit  // of nets, by delay
	busy    []map[int]bool // nets that are being computed
	late    int            // the greatest delay that may be asked for
	trusts  map[string]bool
	clocks  []wire
	checks  []func() // of pins that have to be constant
	active  []string
	clocked bool // clocks are being asked
	clock   string
}

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

// flatten is the circuit of module top. Registers may look back as far as late cycles.
func flatten(g *graph, modules map[string]*module, top, arch, clock string, late int) *circuit {
	n := &netlist{g: g, modules: modules, arch: arch, late: late, clock: clock}
	n.trusts = map[string]bool{}
	m := n.modules[top]
	need(m != nil, "no module %s", top)
	need(arch == "" || models[arch] != nil, "no architecture %s", arch)
	f := n.open(m, "")
	c := &circuit{}
	for _, name := range m.ports {
		b := f.buses[name]
		if f.kinds[name] == "output" {
			c.out = append(c.out, port{name, b.width})
			continue
		}
		if name == clock {
			c.clock = clock
		} else {
			c.in = append(c.in, port{name, b.width})
		}
		for i := range b.width {
			s := signal{port: name, bit: i}
			n.drive(b.first+i, func(delay int) lit {
				need((s.port == clock) == n.clocked, "the clock is read as data, or data as one")
				return g.input(signal{s.port, s.bit, delay})
			})
		}
	}
	f.connect()
	n.clocked = true
	for _, w := range n.clocks {
		right := w(0) == g.input(signal{port: clock})
		need(clock != "" && right, "a register that %q does not clock", clock)
	}
	n.clocked = false
	for i := range n.values { // what clocks were asked for is no data
		n.values[i] = nil
	}
	for _, check := range n.checks {
		check()
	}
	c.assume = func(int) []lit { return nil }
	c.outputs = func(name string, delay int) vec {
		need(f.kinds[name] == "output", "no output %s", name)
		return at(f.part(&node{op: "name", text: name}), delay)
	}
	for t := range n.trusts {
		c.trusts = append(c.trusts, t)
	}
	slices.Sort(c.trusts)
	return c
}

func (n *netlist) drive(net int, w wire) {
	need(n.nets[net] == nil, "a net with two drivers")
	n.nets[net] = w
}

// value is a net as it was delay cycles ago. A net that waits for itself is a loop.
func (n *netlist) value(net, delay int) lit {
	if l, ok := n.values[net][delay]; ok {
		return l
	}
	need(delay <= n.late, "a register that reaches back more than %d cycles", n.late)
	need(n.nets[net] != nil, "a net that nothing drives")
	need(!n.busy[net][delay], "a loop without a register")
	if n.busy[net] == nil {
		n.busy[net] = map[int]bool{}
	}
	n.busy[net][delay] = true
	l := n.nets[net](delay)
	delete(n.busy[net], delay)
	if n.values[net] == nil {
		n.values[net] = map[int]lit{}
	}
	n.values[net][delay] = l
	return l
}

// open declares the nets of a module.
func (n *netlist) open(m *module, path string) *frame {
	f := &frame{n, m, path, map[string]*bus{}, map[string]string{}}
	for i := range m.declared {
		d := &m.declared[i]
		old := f.buses[d.name]
		if d.kind != "wire" {
			need(slices.Contains(m.ports, d.name) && f.kinds[d.name] == "", "port %s", d.name)
			f.kinds[d.name] = d.kind
		}
		if old != nil {
			same := old.isRanged == d.isRanged && old.left == d.left && old.right == d.right
			need(same, "%s has two ranges", d.name)
			old.signed = old.signed || d.signed
			continue
		}
		f.place(d.name, &bus{width: d.width(), signed: d.signed, isRanged: d.isRanged,
			left: d.left, right: d.right})
	}
	for i, p := range m.ports {
		need(f.kinds[p] != "" && !slices.Contains(m.ports[:i], p), "port %s", p)
	}
	return f
}

func (f *frame) place(name string, b *bus) {
	need(len(f.nets)+b.width <= 1<<24, "too many nets")
	b.first = len(f.nets)
	for range b.width {
		f.nets = append(f.nets, nil)
		f.values = append(f.values, nil)
		f.busy = append(f.busy, nil)
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
		need(b.isRanged, "%s has no range", x.text)
		lo, hi = x.lo-b.right, x.hi-b.right
		if b.left < b.right {
			lo, hi = b.right-x.lo, b.right-x.hi
		}
		need(0 <= lo && lo <= hi && hi < b.width, "bits of %s that are not there", x.text)
	}
	var out []int
	for i := lo; i <= hi; i++ {
		out = append(out, b.first+i)
	}
	return out
}

func (f *frame) part(x *node) []wire {
	var out []wire
	for _, net := range f.numbers(x) {
		out = append(out, func(delay int) lit { return f.value(net, delay) })
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
	refuse("no net to drive")
	return nil
}

// connect drives the nets of an instance of a module.
func (f *frame) connect() {
	m := f.module
	need(!slices.Contains(f.active, m.name), "module %s is within itself", m.name)
	f.active = append(f.active, m.name)
	names := map[string]bool{}
	for i := range m.instances {
		in := &m.instances[i]
		need(!names[in.name], "instance %s twice", in.name)
		names[in.name] = true
		inner := f.modules[in.kind]
		if inner == nil {
			f.cell(in)
			continue
		}
		need(len(in.params) == 0, "parameters of a module")
		g := f.open(inner, f.path+in.name+".")
		for pin, x := range in.pins {
			kind := g.kinds[pin]
			need(kind != "", "module %s has no port %s", in.kind, pin)
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
func (f *frame) exactly(x *node, width int) []wire {
	w, signed := f.shape(x)
	need(w == width, "a connection of %d bits to a pin of %d", w, width)
	return f.wires(x, w, signed)
}

func (f *frame) fill(nets []int, w []wire) {
	need(len(nets) == len(w), "%d bits for %d", len(w), len(nets))
	for i, net := range nets {
		f.drive(net, w[i])
	}
}
