// Package netlist makes of modules one flat netlist of cells and nets of one bit, and of that a design, or a run.
//
//	netlist.go    Netlist: nets, instances, ports; drivers and the order of evaluation
//	elaborate.go  Elaborate: Verilog modules flattened
//	expr.go       Verilog expressions as instances of operations
//	parameter.go  parameters, and what is constant
//	process.go    blocks, and expressions that no netlist has, as instances
//	statement.go  what statements make of what variables hold
//	words.go      expressions of these as words
//	arch.go       which architecture the cells are of, and what their parameters make of them
//	generate.go   blocks that are generated
//	reset.go      asynchronous resets
//	design.go     Design: the words that outputs and registers are
//	simulate.go   Machine and Lanes: run cell by cell, bit by bit, not through words
//	history.go    the cells that a bit of a run comes from
//	change.go     single changes of a netlist, and what they do to a run
//
// What a netlist may not be is said here, with a code: two-drivers, undriven, comb-cycle, unknown-cell, unknown-pin, unknown-parameter,
// width, four-valued, illegal-configuration, arch-unknown, top-unknown, clock-unknown, two-clocks, unsupported.
package netlist

import (
	"fmt"
	"slices"

	"tv/internal/source"
	"tv/semantics/bits"
	"tv/semantics/bits/cells"
	"tv/semantics/bits/verilog"
	"tv/semantics/bits/word"
)

// A Bit is a constant or a net.
type Bit int32

// The constants, and a pin that is connected to nothing.
const (
	Open Bit = -1
	Zero Bit = 0
	One  Bit = 1
)

// A Port is an input or output with its bits, least first.
type Port struct {
	bits.Port
	Bits []Bit
}

// An Instance is a cell or an operation.
type Instance struct {
	Name   string // its path; empty of an operation
	Span   source.Span
	Model  *cells.Model
	In     []Bit                        // by the bits of the model's inputs
	Out    []Bit                        // Open: nothing reads it
	params map[string]cells.Value       // of a cell, as the text has them
	open   map[string]bool              // input pins that are not connected
	duties []int                        // of Model.Inactive: what pins do not decide
	stuck  map[string]uint8             // registers: 2 where they keep what they have, 1 where they do not
	place  func(pin string) source.Span // of a connection
}

// A Netlist is flat. Nets are numbered from 2.
type Netlist struct {
	Name      string
	Top       string
	Arch      string // empty: no vendor's cell
	Inputs    []Port // without the clock
	Outputs   []Port
	Instances []Instance
	Clock     string // the input that clocks the registers; empty: none does
	Warnings  []*source.Error
	Rests     []string // what a verdict rests on besides cells

	nets    []net
	order   []part
	falling bool // all registers load on the falling edge
	resets  []reset
	hasty   []hasty
	blocks  map[int32]*verilog.Always // of registers, by instances
}

// A part of an instance, by its place in Instances and in Parts.
type part struct{ instance, part int32 }

// A driver says what a net is.
type driver uint8

const (
	nothing    driver = iota
	alias             // the bit from
	input             // bit at of input port from
	output            // bit at of the outputs of instance from
	unmodelled        // likewise, of an output that the table of cells says nothing of
	unknown           // x or z: only what nothing reads may be that
)

type net struct {
	of     *signal
	index  int32 // of the bit in the signal
	driver driver
	from   int32
	at     int32
	span   source.Span // of the driver
}

// A signal is what a declaration of nets is in one instance of a module.
type signal struct {
	name       string // with the path
	span       source.Span
	bits       []Bit
	lsb        int
	ascending  bool
	signed     bool
	undeclared bool
	ranged     bool
	variable   bool        // statements may assign it
	unsized    bool        // a parameter: a number without a width
	local      int         // the width of a variable of a function, which has no bits; else 0
	assigned   source.Span // the first assignment of a variable
}

func (n *Netlist) net(b Bit) *net { return &n.nets[b-2] }

// called is the name of a bit.
func (n *Netlist) called(b Bit) string {
	t := n.net(b)
	if !t.of.ranged {
		return t.of.name
	}
	return t.of.name + t.of.written(int(t.index), int(t.index))
}

// written is a select of the bits from the place low to high, as the text would have it.
func (s *signal) written(high, low int) string {
	index := func(place int) int {
		if s.ascending {
			return s.lsb - place
		}
		return s.lsb + place
	}
	if high == low {
		return fmt.Sprintf("[%d]", index(low))
	}
	return fmt.Sprintf("[%d:%d]", index(high), index(low))
}

// declare makes the nets of a signal.
func (n *Netlist) declare(s *signal, width int) {
	s.bits = make([]Bit, width)
	n.nets = roomy(n.nets, width)
	for i := range s.bits {
		s.bits[i] = Bit(len(n.nets) + 2)
		n.nets = append(n.nets, net{of: s, index: int32(i)})
	}
}

// roomy doubles what is full: append copies large slices four times as often.
func roomy[T any](s []T, more int) []T {
	if len(s)+more > cap(s) {
		return slices.Grow(s, max(len(s), more))
	}
	return s
}

// drive says what a bit is; a second time is an error.
func (n *Netlist) drive(b Bit, d driver, from, at int32, span source.Span) error {
	if b < 2 {
		return source.Errorf(span, "two-drivers", "a constant is driven")
	}
	t := n.net(b)
	if t.driver != nothing {
		return source.Errorf(span, "two-drivers", "%s is driven here and at %s", n.called(b), t.span.Position())
	}
	t.driver, t.from, t.at, t.span = d, from, at, span
	return nil
}

// source follows aliases to a constant, an input, an output of an instance, or a net that nothing drives. Nets on a way of aliases get
// the end of it, so that a long one is walked once.
func (n *Netlist) source(b Bit) (Bit, error) {
	end := b
	for steps := 0; end >= 2 && n.net(end).driver == alias; steps++ {
		if steps > len(n.nets) {
			return b, source.Errorf(n.net(b).span, "comb-cycle", "%s is assigned to itself", n.called(b))
		}
		end = Bit(n.net(end).from)
	}
	for b >= 2 && n.net(b).driver == alias {
		t := n.net(b)
		b, t.from = Bit(t.from), int32(end)
	}
	return end, nil
}

// finish resolves aliases, holds what is read against what is driven, finds the clock and the order.
func (n *Netlist) finish(clock string) error {
	var errs source.Errors
	fail := func(err error) { errs = append(errs, source.AsErrors(err)...) }
	for i := range n.nets {
		if _, err := n.source(Bit(i + 2)); err != nil {
			return err
		}
	}
	settled := func(bits []Bit) {
		for i, b := range bits {
			bits[i], _ = n.source(b)
		}
	}
	for _, p := range n.Outputs {
		settled(p.Bits)
		for i, b := range p.Bits {
			if b >= 2 && n.net(b).driver == nothing {
				fail(source.Errorf(p.Span, "undriven", "output %s", n.undriven(bitName(p.Port, i), b)))
				break
			}
			if err := n.known(b); err != nil {
				fail(err)
				break
			}
		}
	}
	resettable := map[*cells.Model]*cells.Model{}
	for i := range n.Instances {
		in := &n.Instances[i]
		settled(in.In)
		if in.Model.Async != nil {
			if err := n.asynchronous(in, resettable); err != nil {
				fail(err)
				continue
			}
		}
		errs = append(errs, n.configured(in)...)
		if in.Model.Control() {
			in.Model = in.Model.Specialise(func(at int) (bool, bool) { return in.In[at] == One, in.In[at] == One || in.In[at] == Zero })
		}
		for _, p := range in.all() {
			for _, at := range p.Support {
				if err := n.readable(in, at); err != nil {
					fail(err)
					break
				}
			}
		}
	}
	if len(errs) > 0 {
		return sorted(errs)
	}
	if err := n.clocked(clock); err != nil {
		return err
	}
	if err := n.sort(); err != nil {
		return err
	}
	return n.races()
}

// configured says what a cell may not be, or not be as it is connected.
func (n *Netlist) configured(in *Instance) (errs source.Errors) {
	fail := func(err *source.Error) { errs = append(errs, err) }
	for i, x := range in.Model.Inactive {
		if !n.concerns(in, x) {
			continue
		}
		// It is a word of the pins, which are constants where the cell is one that is meant.
		w := n.constant(in, x.Part)
		switch {
		case w == nil && x.Illegal:
			in.duties = append(in.duties, i)
		case w != nil && w.Value.Sign() == 0:
		case x.Illegal:
			fail(source.Errorf(in.Span, "illegal-configuration", "%s: %s", in.Name, x.What))
		default:
			fail(source.Errorf(in.Span, "unsupported", "%s: %s", in.Name, x.What))
		}
	}
	return errs
}

// concerns tells whether what must be 0 is said of an instance as it is connected.
func (n *Netlist) concerns(in *Instance, x cells.Inactive) bool {
	if x.Open == "" || in.open[x.Open] {
		return true
	}
	at := cells.Offset(in.Model.Inputs, x.Open)
	for i := range in.Model.Cell.Input(x.Open).Width {
		b := in.In[at+i]
		if b == Zero || b == One {
			continue
		}
		if b == Open || n.net(b).driver != output && n.net(b).driver != unmodelled {
			return true
		}
		from := &n.Instances[n.net(b).from]
		if from.Model.Cell == nil || from.Model.Cell.Name != in.Model.Cell.Name || cells.Offset(from.Model.Outputs, x.From)+i != int(n.net(b).at) {
			return true
		}
	}
	return false
}

func bitName(p bits.Port, i int) string {
	if p.Width == 1 {
		return p.Name
	}
	return fmt.Sprintf("%s[%d]", p.Name, i)
}

// undriven says that a name is the bit that nothing drives.
func (n *Netlist) undriven(name string, b Bit) string {
	switch end := n.called(b); {
	case n.net(b).of.undeclared:
		return fmt.Sprintf("%s: %s is not declared, and nothing drives it", name, end)
	case end != name:
		return fmt.Sprintf("%s: nothing drives %s", name, end)
	}
	return name + ": nothing drives it"
}

// known is the error of a bit that has a driver and no value: an output of a cell that tv has no model of, or x.
func (n *Netlist) known(b Bit) error {
	if b < 2 {
		return nil
	}
	switch t := n.net(b); t.driver {
	case unmodelled:
		in := &n.Instances[t.from]
		pin, _ := outputOf(in.Model, int(t.at))
		return source.Errorf(in.place(pin.Name), "unsupported", "what %s of %s computes", pin.Name, in.Name)
	case unknown:
		return source.Errorf(t.span, "four-valued", "a bit that is x or z")
	}
	return nil
}

// sorted puts errors in the order of the text, each once.
func sorted(errs source.Errors) source.Errors {
	slices.SortStableFunc(errs, func(a, b *source.Error) int { return a.Span.Start - b.Span.Start })
	return slices.CompactFunc(errs, func(a, b *source.Error) bool {
		return a.Span == b.Span && a.Code == b.Code && a.Msg == b.Msg
	})
}

// connected tells whether anything of an output's part goes on: of what is not connected no pin is read.
func (in *Instance) connected(p cells.Part) bool {
	return slices.ContainsFunc(in.Out[p.At:p.At+p.Word.Width], func(b Bit) bool { return b != Open })
}

// all are the parts of the outputs that are connected, of the registers, and what has to be inactive.
func (in *Instance) all() []cells.Part {
	out := slices.DeleteFunc(slices.Clone(in.Model.Parts), func(p cells.Part) bool { return !in.connected(p) })
	for _, r := range in.Model.Registers {
		out = append(out, r.Next)
	}
	if in.Model.Async != nil {
		out = append(out, in.Model.Async.Active)
	}
	for i, x := range in.Model.Inactive {
		out = append(out, x.Part)
		if slices.Contains(in.duties, i) {
			out = append(out, x.Held)
		}
	}
	return out
}

// pin is the pin that bit at of the inputs belongs to.
func (in *Instance) pin(at int) (pin cells.Pin, bit int) {
	for _, p := range in.Model.Inputs {
		if at < p.Width {
			return p, at
		}
		at -= p.Width
	}
	panic("netlist: no such bit of the inputs")
}

// readable tells whether bit at of the inputs has a value.
func (n *Netlist) readable(in *Instance, at int) error {
	b := in.In[at]
	pin, bit := in.pin(at)
	switch {
	case n.known(b) != nil:
		return n.known(b)
	case b >= 2 && n.net(b).driver != nothing || b == Zero || b == One:
		return nil
	}
	if b == Open {
		return source.Errorf(in.Span, "undriven", "pin %s of %s is open", pin.Name, in.Name)
	}
	if in.Model.Cell == nil {
		return source.Errorf(in.Span, "undriven", "%s", n.undriven(n.called(b), b))
	}
	name := fmt.Sprintf("pin %s of %s", bitName(bits.Port{Name: pin.Name, Width: pin.Width}, bit), in.Name)
	return source.Errorf(in.place(pin.Name), "undriven", "%s", n.undriven(name, b))
}

// constant is the value of a part that reads constants only, or nil.
func (n *Netlist) constant(in *Instance, p cells.Part) *word.Word {
	b := word.NewBuilder()
	w := b.Simplify(n.lower(b, in, p, func(bit Bit) *word.Word {
		if bit < 2 {
			return b.Bool(bit == One)
		}
		return b.Input(fmt.Sprint(bit), 1, 0)
	}))
	if w.Op != word.Const {
		return nil
	}
	return w
}

// clocked finds the one input that clocks all registers, and takes it from the inputs.
func (n *Netlist) clocked(want string) error {
	isInput := func(name string) bool {
		return slices.ContainsFunc(n.Inputs, func(p Port) bool { return p.Name == name })
	}
	for i := range n.Instances {
		in := &n.Instances[i]
		for _, r := range in.Model.Registers {
			at := cells.Offset(in.Model.Inputs, r.Clock)
			if in.In[at] == Open {
				return source.Errorf(in.Span, "undriven", "pin %s of %s is open", r.Clock, in.Name)
			}
			b, err := n.through(in.In[at])
			if err != nil {
				return err
			}
			if b < 2 || n.net(b).driver != input || n.Inputs[n.net(b).from].Width != 1 {
				return source.Errorf(in.place(r.Clock), "clock-unknown", "the clock of %s is no input", in.Name)
			}
			if n.Clock != "" && r.Falling != n.falling {
				return source.Errorf(in.Span, "unsupported", "registers on both edges of the clock: %s, and others before it", in.Name)
			}
			n.falling = r.Falling
			name := n.Inputs[n.net(b).from].Name
			if n.Clock != "" && n.Clock != name {
				return source.Errorf(in.place(r.Clock), "two-clocks", "%s is clocked by %s, and others by %s", in.Name, name, n.Clock)
			}
			if want != "" && want != name {
				return source.Errorf(in.place(r.Clock), "clock-unknown", "%s is clocked by %s, not by %s", in.Name, name, want)
			}
			n.Clock = name
		}
	}
	if n.Clock == "" && isInput(want) { // nothing is clocked
		n.Clock = want
	}
	if n.Clock == "" {
		return nil
	}
	at := slices.IndexFunc(n.Inputs, func(p Port) bool { return p.Name == n.Clock })
	clock := n.Inputs[at].Bits[0]
	for i := range n.Instances {
		in := &n.Instances[i]
		if through := in.Model.Cell != nil && len(in.Model.Registers) == 0 && passes(in.Model); through {
			continue // a buffer; what reads it is asked itself
		}
		for _, p := range in.all() {
			for _, s := range p.Support {
				if b, err := n.through(in.In[s]); err != nil {
					return err
				} else if b == clock {
					return source.Errorf(in.Span, "unsupported", "the clock %s is read as data", n.Clock)
				}
			}
		}
	}
	for _, o := range n.Outputs {
		for _, b := range o.Bits {
			if b, err := n.through(b); err != nil {
				return err
			} else if b == clock {
				return source.Errorf(o.Span, "unsupported", "the clock %s is an output", n.Clock)
			}
		}
	}
	return nil
}

// passes tells whether a model is a wire.
func passes(m *cells.Model) bool {
	return len(m.Parts) == 1 && m.Parts[0].Word.Op == word.Input && m.Parts[0].Word.Width == 1
}

// through follows a bit back through buffers.
func (n *Netlist) through(b Bit) (Bit, error) {
	for range len(n.nets) + 1 {
		if b < 2 || n.net(b).driver != output {
			return b, nil
		}
		in := &n.Instances[n.net(b).from]
		if !passes(in.Model) {
			return b, nil
		}
		b = in.In[in.Model.Parts[0].Support[0]]
	}
	return b, source.Errorf(n.net(b).span, "comb-cycle", "%s is made of itself", n.called(b))
}

// before are the parts that a part reads.
func (n *Netlist) before(p part) []part {
	in := &n.Instances[p.instance]
	return n.reads(in, in.Model.Parts[p.part])
}

// reads are the parts that a part of an instance reads.
func (n *Netlist) reads(in *Instance, p cells.Part) (out []part) {
	for _, at := range p.Support {
		b := in.In[at]
		if b < 2 {
			continue
		}
		if t := n.net(b); t.driver == output {
			out = append(out, part{t.from, int32(n.Instances[t.from].Model.Of[t.at])})
		}
	}
	return out
}

// sort finds an order in which each part comes after those that it reads.
func (n *Netlist) sort() error {
	var all []part
	for i := range n.Instances {
		for j, p := range n.Instances[i].Model.Parts {
			if n.Instances[i].connected(p) {
				all = append(all, part{int32(i), int32(j)})
			}
		}
	}
	cycle := bits.Postorder(all, n.before, func(p part) { n.order = append(n.order, p) })
	if cycle == nil {
		return nil
	}
	first := slices.MinFunc(cycle, func(a, b part) int {
		return n.Instances[a.instance].Span.Start - n.Instances[b.instance].Span.Start
	})
	in := &n.Instances[first.instance]
	out := in.Out[in.Model.Parts[first.part].At]
	name := in.Name
	if out >= 2 {
		name = n.called(out)
	}
	return source.Errorf(in.Span, "comb-cycle", "%s is made of itself, through no register (parts of cells on the way: %d)", name, len(cycle))
}
