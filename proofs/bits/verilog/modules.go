package verilog

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

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
	edges     map[bool]bool // of clocks: rising, falling
	checks    []func()      // of pins that have to be constant
	resets    []*circuit.Clear
	illegal   []circuit.Wire
	pcouts    [][]circuit.Wire // of DSP slices
	active    []string
	places    map[evaluation]int // how often what is open was read
	steps     int                // of loops
	deep      int                // of calls
	text      string
}

// An evaluation is what is read at a place.
type evaluation struct {
	of    *node
	place string
}

// A net has one driver, or none as yet. What it is, is computed once for each delay.
type net struct {
	bus    *bus
	wire   circuit.Wire
	delays []int
	values []gates.Lit
	busy   []int // delays that are being computed
}

// edge is the delay at which clocks are asked what clocks them: data is never asked at it.
const edge = -1

// A bus is the nets of a name; a parameter is a value and has none.
type bus struct {
	name         string
	first, width int
	signed       bool
	isRanged     bool
	left, right  int
	form         string // wire, reg, logic or integer
	value        []circuit.Wire
	initial      gates.Vec // of a variable, once it is said
	owner        *process  // the one that assigns to it
	isLocal      bool      // of a block or a function
	isCounter    bool      // a block before this one assigns to it
}

// A frame is an instance of a module.
type frame struct {
	*netlist
	module *module
	path   string
	buses  map[string]*bus
	kinds  map[string]string // of ports
	env    *env              // of the process that runs
	around map[string]*bus   // of a generated block: what it sees and does not have itself
	blocks []*frame          // blocks that are generated
}

// flatten is the circuit of module top.
func flatten(v *circuit.View, text string, modules map[string]*module, top,
	arch string) *circuit.Circuit {
	n := &netlist{View: v, text: text, modules: modules, arch: arch, trusts: map[string]bool{},
		places: map[evaluation]int{}, edges: map[bool]bool{}}
	m := n.modules[top]
	gates.Need(m != nil, "no module %s", top)
	f := n.open(m, "", nil)
	gates.Need(arch == "" || models[arch] != nil, "no architecture %s", arch)
	c := &circuit.Circuit{}
	for _, name := range m.ports {
		b := f.buses[name]
		if f.kinds[name] == "output" {
			c.Out = append(c.Out, circuit.Port{Name: name, Width: b.width})
			continue
		}
		isClock := name == v.Clock
		if isClock {
			c.Clock = name
		} else {
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
	c.Registers = n.registers
	for _, w := range n.clocks {
		right := v.Clock != "" && w(edge) == v.Input(v.Clock, 0)(edge)
		gates.Need(right, "a register that %q does not clock", v.Clock)
	}
	for _, check := range n.checks {
		check()
	}
	ports := len(c.In)
	for _, r := range n.resets {
		r.Find(v, c, ports)
	}
	c.Illegal = n.illegal
	c.Outputs = func(name string, delay int) gates.Vec {
		gates.Need(f.kinds[name] == "output", "no output %s", name)
		return circuit.At(f.bits(f.buses[name]), delay)
	}
	for t := range n.trusts {
		c.Trusts = append(c.Trusts, t)
	}
	for falls := range n.edges { // one at most
		if c.Edge = "rising"; falls {
			c.Edge = "falling"
			c.Trusts = append(c.Trusts, "cycles that end at the falling edge of "+c.Clock)
		}
	}
	slices.Sort(c.Trusts)
	c.Trusts = slices.Compact(c.Trusts)
	return c
}

// clocked is said of each register: all have one clock, and load on the same edge of it.
func (n *netlist) clocked(clock circuit.Wire, falls bool) {
	n.clocks = append(n.clocks, clock)
	n.edges[falls] = true
	gates.Need(len(n.edges) == 1, "registers on both edges of the clock")
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

// open declares the parameters and nets of a module; given are the parameters that an instance
// sets.
func (n *netlist) open(m *module, path string, given map[string]*bus) *frame {
	f := &frame{netlist: n, module: m, path: path, buses: map[string]*bus{},
		kinds: map[string]string{}}
	f.declareAll(given)
	for name := range given {
		gates.Need(f.buses[name] != nil, "module %s has no parameter %s", m.name, name)
	}
	for i, p := range m.ports {
		gates.Need(f.kinds[p] != "" && !slices.Contains(m.ports[:i], p), "port %s", p)
	}
	return f
}

// declareAll makes parameters and nets.
func (f *frame) declareAll(given map[string]*bus) {
	m := f.module
	for i := range m.params {
		d := &m.params[i]
		gates.Need(f.buses[d.name] == nil, "parameter %s twice", d.name)
		from := given[d.name]
		if from == nil {
			from = f.evaluated(d.first)
		}
		gates.Need(!m.local[d.name] || given[d.name] == nil, "the local parameter %s", d.name)
		f.buses[d.name] = f.converted(d, from)
	}
	for i := range m.declared {
		f.declare(&m.declared[i])
	}
}

// evaluated is a constant, with the width and sign that it has by itself.
func (f *frame) evaluated(x *node) *bus {
	w, signed := f.shape(x)
	v := f.constantBits(x, w, signed)
	return &bus{width: w, signed: signed, value: circuit.Constant(v)}
}

// converted is a parameter's value: as it is, or as its declaration says.
func (f *frame) converted(d *declaration, from *bus) *bus {
	b := &bus{name: d.name, width: from.width, signed: from.signed || d.signed,
		left: from.width - 1, isRanged: true}
	if d.rng != nil {
		b.left, b.right = f.constant(d.rng[0]), f.constant(d.rng[1])
		b.width, b.signed = sizeOf(b.left, b.right), d.signed
	}
	b.value = circuit.Stretched(from.value, max(b.width, from.width), from.signed)[:b.width]
	return b
}

// sizeOf is how many bits a range has.
func sizeOf(left, right int) int {
	w := max(left-right, right-left) + 1
	gates.Need(w <= 1<<16, "a net of %d bits", w)
	return w
}

// declare places the nets of a declaration. That of a port may come in two parts.
func (f *frame) declare(d *declaration) {
	b := &bus{name: d.name, width: 1, signed: d.signed, form: d.form}
	if d.rng != nil {
		b.isRanged, b.left, b.right = true, f.constant(d.rng[0]), f.constant(d.rng[1])
		b.width = sizeOf(b.left, b.right)
	}
	if d.kind != "" {
		isNew := slices.Contains(f.module.ports, d.name) && f.kinds[d.name] == ""
		gates.Need(isNew, "port %s", d.name)
		f.kinds[d.name] = d.kind
	}
	if old := f.buses[d.name]; old != nil {
		same := old.value == nil && old.isRanged == b.isRanged && old.left == b.left &&
			old.right == b.right
		gates.Need(same, "%s has two ranges", d.name)
		isSecond := f.kinds[d.name] != "" && (old.form == "wire" || b.form == "wire")
		gates.Need(isSecond, "%s is declared twice", d.name)
		old.signed = old.signed || b.signed
		if b.form != "wire" {
			old.form = b.form
		}
		b = old
	} else {
		f.put(b)
	}
	if d.first != nil {
		f.begin(b, d.first)
	}
}

// begin says what a variable holds first.
func (f *frame) begin(b *bus, x *node) {
	w, signed := f.shape(x)
	v := f.constantBits(x, max(w, b.width), signed)
	f.starts(b, 0, v[:b.width])
}

func (f *frame) starts(b *bus, from int, v gates.Vec) {
	if b.initial == nil {
		b.initial = slices.Repeat(gates.Vec{circuit.Unknown}, b.width)
	}
	for i, l := range v {
		gates.Need(b.initial[from+i] == circuit.Unknown, "%s has two initial values", b.name)
		b.initial[from+i] = l
	}
}

// put gives a bus its nets.
func (f *frame) put(b *bus) {
	gates.Need(len(f.nets)+b.width <= 1<<24, "too many nets")
	b.first = len(f.nets)
	for range b.width {
		f.nets = append(f.nets, net{bus: b})
	}
	f.buses[b.name] = b
}

// known is what is declared under a name, here or around a block; nil: nothing is.
func (f *frame) known(name string) *bus {
	if b := f.buses[name]; b != nil {
		return b
	}
	return f.around[name]
}

// find is what a name stands for; one that is not declared is a wire of one bit.
func (f *frame) find(name string) *bus {
	if f.env != nil {
		return f.env.find(f, name)
	}
	b := f.known(name)
	if b == nil {
		gates.Need(f.module.functions[name] == nil, "%s is a function", name)
		b = &bus{name: name, width: 1, form: "wire"}
		f.put(b)
	}
	return b
}

// bits are the wires of a bus, least first.
func (f *frame) bits(b *bus) []circuit.Wire {
	if b.value != nil {
		return b.value
	}
	out := make([]circuit.Wire, b.width)
	for i := range out {
		out[i] = f.bit(b.first + i)
	}
	return out
}

// bit is a net, as the process that runs sees it.
func (f *frame) bit(at int) circuit.Wire {
	if f.env != nil {
		return f.env.read(f, at)
	}
	return func(delay int) gates.Lit { return f.value(at, delay) }
}

// part is a name, or a part of it that constants choose, least bit first. Bits that are not there
// are open.
func (f *frame) part(x *node) []circuit.Wire {
	b := f.find(x.text)
	lo, n := f.chosen(b, x)
	out := make([]circuit.Wire, n)
	var open []circuit.Wire
	for i := range out {
		switch at := lo + i; {
		case at < 0 || at >= b.width:
			if open == nil {
				open = f.opened(x, n)
			}
			out[i] = open[i]
		case b.value != nil:
			out[i] = b.value[at]
		default:
			out[i] = f.bit(b.first + at)
		}
	}
	return out
}

// chosen is the first bit of a name or of a constant part of it, counted from its least, and how
// many follow.
func (f *frame) chosen(b *bus, x *node) (lo, n int) {
	if x.op == "name" {
		return 0, b.width
	}
	gates.Need(b.isRanged, "%s has no range", x.text)
	from := f.constant(x.args[0])
	to := from
	if len(x.args) > 1 {
		by := f.constant(x.args[1])
		switch x.op {
		case "part":
			to = by
		case "up":
			to = from + by - 1
		case "down":
			to = from - by + 1
		}
		gates.Need(x.op == "part" || by >= 1, "a part of %d bits", by)
	}
	descends := b.left >= b.right
	gates.Need(x.op != "part" || from == to || (from > to) == descends,
		"a part of %s that runs against its range", x.text)
	lo, hi := min(from, to)-b.right, max(from, to)-b.right
	if !descends {
		lo, hi = b.right-max(from, to), b.right-min(from, to)
	}
	gates.Need(hi-lo < 1<<16, "a part of %d bits", hi-lo+1)
	return lo, hi - lo + 1
}

// moves tells whether an expression is a select by something that is not constant.
func (f *frame) moves(x *node) bool {
	if x.op == "part" || len(x.args) == 0 {
		return false
	}
	_, ok := f.counted(x.args[0])
	return !ok
}

// target are the nets that something drives.
func (f *frame) target(x *node) []int {
	if x.op == "row" {
		var out []int
		for i := len(x.args) - 1; i >= 0; i-- {
			out = append(out, f.target(x.args[i])...)
		}
		return out
	}
	b := f.find(x.text)
	gates.Need(b.value == nil && (b.form == "wire" || b.form == "logic"),
		"%s is no net to drive", x.text)
	lo, n := f.chosen(b, x)
	gates.Need(lo >= 0 && lo+n <= b.width, "bits of %s that are not there", x.text)
	out := make([]int, n)
	for i := range out {
		out[i] = b.first + lo + i
	}
	return out
}

// opened is a word that the text leaves open where x stands, in each evaluation another one: in
// steps of loops, which have numbers, in instances, and in calls. A quotient or rest and what is
// open at the left end of its first operand have one place: of the two the second counts only where
// the divisor is not 0, and so the first does not.
func (f *frame) opened(x *node, width int) []circuit.Wire {
	line := 1 + strings.Count(f.text[:x.at], "\n")
	column := 1 + utf8.RuneCountInString(f.text[strings.LastIndexByte(f.text[:x.at], '\n')+1:x.at])
	place := fmt.Sprintf("%s%d:%d", f.path, line, column)
	if x.cell != "" {
		place = f.path + x.cell
	}
	if f.env != nil {
		for _, n := range f.env.steps {
			place += fmt.Sprintf("[%d]", n)
		}
	}
	of := evaluation{x, place}
	f.places[of]++
	if n := f.places[of]; n > 1 {
		place = fmt.Sprintf("%s#%d", place, n)
	}
	out := make([]circuit.Wire, width)
	for i := range out {
		out[i] = f.Open(place, i)
	}
	return out
}

// connect drives the nets of an instance of a module.
func (f *frame) connect() {
	m := f.module
	isWithin := f.around == nil && slices.Contains(f.active, m.name)
	gates.Need(!isWithin, "module %s is within itself", m.name)
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
		given := map[string]*bus{}
		for _, p := range slices.Sorted(maps.Keys(in.params)) {
			x := in.params[p]
			gates.Need(x != nil, "parameter %s of nothing", p)
			given[p] = f.evaluated(x)
		}
		g := f.open(inner, f.path+in.name+".", given)
		for _, pin := range slices.Sorted(maps.Keys(in.pins)) {
			x := in.pins[pin]
			kind := g.kinds[pin]
			gates.Need(kind != "", "module %s has no port %s", in.kind, pin)
			if x == nil {
				continue
			}
			port := g.buses[pin]
			if kind == "output" {
				f.fill(f.target(x), g.bits(port))
				continue
			}
			for i, w := range f.exactly(x, port.width) {
				f.drive(port.first+i, w)
			}
		}
		g.connect()
	}
	for _, a := range m.assigned {
		to := f.target(a[0])
		w, signed := f.shape(a[1])
		f.fill(to, f.wires(a[1], max(w, len(to)), signed)[:len(to)])
	}
	for _, g := range m.generated {
		f.generate(g)
	}
	if f.around == nil {
		f.runAll()
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
