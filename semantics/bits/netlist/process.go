package netlist

import (
	"math/big"
	"slices"
	"strings"

	"tv/internal/source"
	"tv/semantics/bits/cells"
	"tv/semantics/bits/verilog"
	"tv/semantics/bits/word"
)

// A process is a block, or an expression that no netlist has, while it is made an instance: words over the signals that it reads.
type process struct {
	*scope
	b        *word.Builder
	inputs   []cells.Pin
	in       []Bit
	places   map[string]source.Span  // of the first reading, by pin
	held                             // what variables hold here
	touched  map[*signal]*big.Int    // bits that statements assign
	order    []*signal               // of touched
	first    map[*signal]source.Span // where each is assigned first
	counters map[*signal]bool        // variables of loops, which the block keeps to itself
	block    *verilog.Always         // nil: an expression, or an initial block
	active   *word.Word              // of an asynchronous reset: it is active
	reset    map[*signal]*start      // what it makes of variables; open are bits that stay
	clocked  bool
	awake    bool   // it runs whenever what it or its functions read changes
	constant bool   // nothing but parameters is read
	starting bool   // it is an initial block
	at       string // iterations and calls that lead here
	calls    int
	steps    int
}

// held is what variables hold: now, and when the block is through.
type held struct {
	env, later map[*signal]*word.Word
}

func (s *scope) process() *process {
	return &process{scope: s, b: word.NewBuilder(), places: map[string]source.Span{}, held: held{map[*signal]*word.Word{}, map[*signal]*word.Word{}},
		touched: map[*signal]*big.Int{}, counters: map[*signal]bool{},
		first: map[*signal]source.Span{}}
}

// unassigned begins the names of words that stand for what nothing has assigned yet. No text can leave anything open under such a name.
const unassigned = "\x00"

// read is what a signal holds.
func (p *process) read(sig *signal, e *verilog.Expr) (*word.Word, error) {
	if w := p.env[sig]; w != nil {
		return w, nil
	}
	switch {
	case sig.local > 0 || p.counters[sig]:
		return p.b.Open(unassigned+sig.name, sig.width(), 0), nil
	case !slices.ContainsFunc(sig.bits, func(b Bit) bool { return b != Zero && b != One }):
		v := new(big.Int)
		for i, b := range sig.bits {
			v.SetBit(v, i, uint(b))
		}
		return p.b.Const(len(sig.bits), v), nil
	case p.constant:
		return nil, source.Errorf(e.Span, "unsupported", "%s is no constant", e.Text)
	case p.starting:
		return nil, source.Errorf(e.Span, "unsupported", "an initial value that is not constant: %s", e.Text)
	}
	if p.calls > 0 && !p.awake {
		return nil, source.Errorf(e.Span, "unsupported", "a function that reads %s, which is no argument: by the standard it is not called again when that changes",
			e.Text)
	}
	return p.pin(sig, e.Span), nil
}

// pin is the input that a signal is connected to.
func (p *process) pin(sig *signal, at source.Span) *word.Word {
	if _, ok := p.places[sig.name]; !ok {
		p.places[sig.name] = at
		p.inputs = append(p.inputs, cells.Pin{Name: sig.name, Width: len(sig.bits)})
		p.in = append(p.in, sig.bits...)
	}
	return p.b.Input(sig.name, len(sig.bits), 0)
}

// before is what a variable held when the block began.
func (p *process) before(sig *signal, at source.Span) *word.Word {
	if p.clocked && !p.counters[sig] && sig.local == 0 {
		return p.pin(sig, at)
	}
	return p.b.Open(unassigned+sig.name, sig.width(), 0)
}

// computed are the nets of an expression that no netlist has.
func (s *scope) computed(e *verilog.Expr, width int, signed bool) ([]Bit, error) {
	p := s.process()
	w, err := p.value(e, width, signed)
	if err != nil {
		return nil, err
	}
	if err := p.complete(w, e.Span); err != nil {
		return nil, err
	}
	sig := &signal{name: "an expression", span: e.Span, ranged: width > 1}
	s.declare(sig, width)
	return sig.bits, p.instance("", e.Span, sig.bits, w, "Y")
}

// complete tells whether a word has a value whatever was before.
func (p *process) complete(w *word.Word, at source.Span) error {
	for _, x := range word.Reach(w) {
		if x.Op == word.Open && strings.HasPrefix(x.Name, unassigned) {
			return source.Errorf(at, "unsupported", "a latch: %s is not assigned in all cases", strings.TrimPrefix(x.Name, unassigned))
		}
	}
	return nil
}

// instance makes an instance of which bits are the outputs, in pieces that depend on no more than they read.
func (p *process) instance(name string, at source.Span, bits []Bit, w *word.Word, pin string) error {
	model := &cells.Model{Inputs: p.inputs, Outputs: []cells.Pin{{Name: pin, Width: len(bits)}}}
	pieces := []*word.Word{w}
	if w.Op == word.Concat {
		pieces = w.Args
	}
	low := len(bits)
	for _, x := range pieces {
		low -= x.Width
		model.Parts = append(model.Parts, cells.NewPart(p.b, x, low, p.inputs))
	}
	return p.add(name, at, bits, cells.NewModel(model.Inputs, model.Outputs, model.Parts))
}

func (p *process) add(name string, at source.Span, out []Bit, model *cells.Model) error {
	index := int32(len(p.Instances))
	for i, b := range out {
		if err := p.drive(b, output, index, int32(i), at); err != nil {
			return err
		}
	}
	places := p.places
	p.Instances = append(p.Instances, Instance{Name: name, Span: at, Model: model, In: slices.Clone(p.in), Out: slices.Clone(out),
		place: func(pin string) source.Span {
			if s, ok := places[pin]; ok {
				return s
			}
			return at
		}})
	return nil
}

// behaviour makes instances of the blocks of a module. What variables start as is found first.
func (s *scope) behaviour() {
	starts := map[*signal]*start{}
	for _, b := range s.all() {
		own, err := b.initially()
		s.note(err)
		for sig, x := range own {
			old := starts[sig]
			if old == nil {
				starts[sig] = x
				continue
			}
			if new(big.Int).Or(old.open, x.open).Cmp(allOnes(len(sig.bits))) != 0 {
				s.note(source.Errorf(sig.assigned, "unsupported", "two initial values of %s", sig.name))
			}
			starts[sig] = &start{new(big.Int).Or(old.value, x.value), new(big.Int).And(old.open, x.open)}
		}
	}
	assigned := map[*signal]bool{}
	loaded := map[*signal]int{} // by how many blocks
	var through []*process
	for _, a := range s.always() {
		p := a.scope.process()
		a := a.block
		p.block = a
		p.clocked = a.Clock != nil
		p.awake = p.clocked || a.Comb || a.Reads != nil
		if err := p.run(); err != nil {
			s.note(err)
			continue
		}
		through = append(through, p)
		for sig := range p.touched {
			if p.clocked && !p.counters[sig] {
				loaded[sig]++
			}
		}
	}
	for _, p := range through {
		s.note(p.instances(starts, loaded))
		for sig := range p.touched {
			assigned[sig] = true
		}
		for sig := range p.counters {
			assigned[sig] = true
		}
	}
	if len(s.errs) > 0 {
		return
	}
	for _, b := range s.all() {
		b.still(starts, assigned)
	}
}

// An always is a block with the instance that it is in.
type always struct {
	scope *scope
	block *verilog.Always
}

// always are the blocks of a module and of what it generates.
func (s *scope) always() (out []always) {
	for _, b := range s.all() {
		for _, a := range b.module.Always {
			out = append(out, always{b, a})
		}
	}
	return out
}

// still makes a variable that nothing assigns what it starts as.
func (s *scope) still(starts map[*signal]*start, assigned map[*signal]bool) {
	for i := range s.module.Decls {
		sig := s.signals[s.module.Decls[i].Text]
		start := starts[sig]
		if start == nil || assigned[sig] {
			continue
		}
		for k, b := range sig.bits {
			if s.net(b).driver == nothing && start.open.Bit(k) == 0 {
				s.note(s.drive(b, alias, int32(start.value.Bit(k)), 0, sig.span))
			}
		}
		assigned[sig] = true
	}
}

// run finds what a block makes of the variables that it assigns.
func (p *process) run() error {
	a := p.block
	if err := p.statement(a.Body); err != nil {
		return err
	}
	if err := p.waits(a); err != nil || !p.clocked {
		return err
	}
	clock, err := p.named(a.Clock)
	if err != nil {
		return err
	}
	if len(clock) != 1 {
		return source.Errorf(a.Clock.Span, "clock-unknown", "a clock has one bit")
	}
	p.inputs = append(p.inputs, cells.Pin{Name: clockPin, Width: 1})
	p.in = append(p.in, clock...)
	p.places[clockPin] = a.Clock.Span
	return p.resets()
}

// resets finds what an asynchronous reset makes of variables.
func (p *process) resets() error {
	a := p.block
	if a.Reset == nil {
		return nil
	}
	sig, err := p.find(a.Reset)
	switch {
	case err != nil:
		return err
	case len(sig.bits) != 1:
		return source.Errorf(a.Reset.Span, "unsupported", "an asynchronous reset of %d bits", len(sig.bits))
	}
	p.active = p.pin(sig, a.Reset.Span)
	if a.Low {
		p.active = p.b.Apply(word.Not, p.active)
	}
	q := p.scope.process()
	q.b, q.clocked, q.awake = p.b, true, true
	reset, _ := a.Branches()
	if err := q.statement(reset); err != nil {
		return err
	}
	p.reset = map[*signal]*start{}
	for _, sig := range q.order {
		if q.counters[sig] {
			continue
		}
		w := q.env[sig]
		if w == nil {
			w = q.later[sig]
		}
		to := &start{new(big.Int), new(big.Int)}
		for i := range w.Width {
			switch x := p.b.Simplify(p.b.Bit(w, i)); {
			case x.Op == word.Const:
				to.value.SetBit(to.value, i, x.Value.Bit(0))
			case x == p.b.Simplify(p.b.Bit(p.b.Input(sig.name, w.Width, 0), i)):
				to.open.SetBit(to.open, i, 1)
			default:
				return source.Errorf(q.first[sig], "unsupported", "an asynchronous reset of %s to what is not constant", sig.name)
			}
		}
		p.reset[sig] = to
	}
	return nil
}

// instances makes instances of a block that has run: one for each variable that it assigns. Of a register that several blocks load, each has
// the runs of bits that it assigns.
func (p *process) instances(starts map[*signal]*start, loaded map[*signal]int) error {
	a := p.block
	for _, sig := range p.order {
		if p.counters[sig] {
			continue
		}
		sig.assigned = p.first[sig]
		w := p.env[sig]
		if later := p.later[sig]; later != nil {
			if w != nil {
				return source.Errorf(a.Span, "unsupported", "%s is assigned with = and with <=", sig.name)
			}
			w = later
		}
		w = p.b.Simplify(w)
		var err error
		switch {
		case !p.clocked:
			err = p.runs(sig, func(high, low int) error { return p.variable(sig, w, high, low) })
		case loaded[sig] > 1:
			err = p.runs(sig, func(high, low int) error { return p.register(sig, w, starts[sig], high, low) })
		default:
			err = p.register(sig, w, starts[sig], len(sig.bits)-1, 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// runs calls one for each run of bits that the block assigns.
func (p *process) runs(sig *signal, one func(high, low int) error) error {
	touched := p.touched[sig]
	for low := 0; low < len(sig.bits); low++ {
		if touched.Bit(low) == 0 {
			continue
		}
		high := low
		for high+1 < len(sig.bits) && touched.Bit(high+1) == 1 {
			high++
		}
		if err := one(high, low); err != nil {
			return err
		}
		low = high
	}
	return nil
}

// clockPin is no name of a signal.
const clockPin = " clock"

// variable makes an instance of what a combinational block assigns bits of a variable.
func (p *process) variable(sig *signal, w *word.Word, high, low int) error {
	part := p.b.Simplify(p.b.Extract(w, high, low))
	if err := p.complete(part, sig.assigned); err != nil {
		return err
	}
	return p.instance("", sig.assigned, sig.bits[low:high+1], part, "Y")
}

// register makes an instance of what a clocked block assigns bits of a variable.
func (p *process) register(sig *signal, w *word.Word, from *start, high, low int) error {
	w = p.b.Simplify(p.b.Extract(w, high, low))
	if err := p.complete(w, sig.assigned); err != nil {
		return err
	}
	width := high - low + 1
	name := sig.name
	if width < len(sig.bits) {
		name += sig.written(high, low)
	}
	r := cells.Register{Name: "q", Width: width, Initial: new(big.Int), Next: cells.NewPart(p.b, w, 0, p.inputs), Clock: clockPin, Falling: p.block.Falls}
	if from == nil {
		from = &start{new(big.Int), allOnes(len(sig.bits))}
	}
	part := func(v *big.Int) *big.Int { return word.Mod(new(big.Int).Rsh(v, uint(low)), width) }
	r.Initial = part(from.value)
	if open := part(from.open); open.Sign() != 0 {
		r.Open = open
	}
	model := &cells.Model{Inputs: p.inputs, Outputs: []cells.Pin{{Name: "Q", Width: width}}, Registers: []cells.Register{r}}
	model.Parts = []cells.Part{cells.NewPart(p.b, p.b.State("q", width), 0, p.inputs)}
	model.Of = make([]int, width)
	if to := p.reset[sig]; to != nil {
		if mask := new(big.Int).AndNot(allOnes(width), part(to.open)); mask.Sign() != 0 {
			model.Async = &cells.Async{Active: cells.NewPart(p.b, p.active, 0, p.inputs), Value: part(to.value), Mask: mask}
		}
	}
	if err := p.add(name, sig.assigned, sig.bits[low:high+1], model); err != nil {
		return err
	}
	if p.env[sig] != nil {
		p.hasty = append(p.hasty, hasty{int32(len(p.Instances) - 1), p.block})
	}
	p.blocks[int32(len(p.Instances)-1)] = p.block
	return nil
}

func allOnes(width int) *big.Int {
	v := new(big.Int).Lsh(big.NewInt(1), uint(width))
	return v.Sub(v, big.NewInt(1))
}

// waits holds what a combinational block reads against the list of what it waits for.
func (p *process) waits(a *verilog.Always) error {
	if a.Clock != nil || a.Reads == nil {
		return nil
	}
	listed := map[Bit]bool{}
	for _, e := range a.Reads {
		bits, err := p.awaited(e)
		if err != nil {
			return err
		}
		for _, b := range bits {
			listed[b] = true
		}
	}
	var roots []*word.Word
	for _, w := range p.env {
		roots = append(roots, w)
	}
	part := cells.NewPart(p.b, p.b.Concat(append(roots, p.b.Int(1, 0))...), 0, p.inputs)
	for _, at := range part.Support {
		if !listed[p.in[at]] {
			return source.Errorf(a.Span, "unsupported", "a block that reads %s and does not wait for it", p.inputOf(at))
		}
	}
	return nil
}

// awaited are the bits of what a block waits for: a signal, or a part of it that does not move.
func (p *process) awaited(e *verilog.Expr) ([]Bit, error) {
	name := e
	if e.Kind != verilog.Ident && len(e.Args) > 0 {
		name = e.Args[0]
	}
	sig, err := p.find(name)
	switch {
	case err != nil:
		return nil, err
	case e.Kind == verilog.Ident:
		return sig.bits, nil
	}
	return p.named(e)
}

// inputOf is the name of the input that has a bit.
func (p *process) inputOf(at int) string {
	for _, pin := range p.inputs {
		if at < pin.Width {
			return pin.Name
		}
		at -= pin.Width
	}
	panic("netlist: no such input")
}

// A start is what a variable starts as.
type start struct{ value, open *big.Int }

// initially runs initial blocks and values.
func (s *scope) initially() (map[*signal]*start, error) {
	p := s.process()
	p.starting = true
	for i := range s.module.Decls {
		d := &s.module.Decls[i]
		if d.Init == nil {
			continue
		}
		left := &verilog.Expr{Kind: verilog.Ident, Text: d.Text, Span: d.Span}
		if err := p.statement(&verilog.Stmt{Kind: verilog.Blocking, Left: left, Right: d.Init, Span: d.Span}); err != nil {
			return nil, err
		}
	}
	for _, x := range s.module.Initial {
		if err := p.statement(x); err != nil {
			return nil, err
		}
	}
	out := map[*signal]*start{}
	for _, sig := range p.order {
		w := p.env[sig]
		if w == nil {
			w = p.later[sig]
		}
		st := &start{new(big.Int), new(big.Int)}
		for i := range w.Width {
			switch x := p.b.Simplify(p.b.Bit(w, i)); {
			case x.Op == word.Const:
				st.value.SetBit(st.value, i, x.Value.Bit(0))
			case x.Op == word.Open || x.Op == word.Extract && x.Args[0].Op == word.Open && strings.HasPrefix(x.Args[0].Name, unassigned):
				st.open.SetBit(st.open, i, 1)
			default:
				return nil, source.Errorf(sig.assigned, "unsupported", "an initial value of %s that is not constant", sig.name)
			}
		}
		out[sig] = st
	}
	return out, nil
}

// hasty is a register that a clocked block assigns with =: what others see of it at the same edge depends on who comes first.
type hasty struct {
	instance int32
	block    *verilog.Always
}

// races tells whether a register of another block, or of a cell, depends on a hasty one.
func (n *Netlist) races() error {
	if len(n.hasty) == 0 {
		return nil
	}
	of := map[int32]hasty{}
	for _, h := range n.hasty {
		of[h.instance] = h
	}
	for i := range n.Instances {
		in := &n.Instances[i]
		for _, r := range in.Model.Registers {
			seen := map[Bit]bool{}
			var stack []Bit
			push := func(in *Instance, support []int) {
				for _, at := range support {
					if b := in.In[at]; b >= 2 && !seen[b] {
						seen[b] = true
						stack = append(stack, b)
					}
				}
			}
			push(in, r.Next.Support)
			for len(stack) > 0 {
				t := n.net(stack[len(stack)-1])
				stack = stack[:len(stack)-1]
				if t.driver != output {
					continue
				}
				if h, ok := of[t.from]; ok && n.blocks[int32(i)] != h.block {
					return source.Errorf(in.Span, "unsupported", "%s depends on %s, which another block assigns with = at the same edge", in.Name,
						n.Instances[t.from].Name)
				}
				from := &n.Instances[t.from]
				push(from, from.Model.Parts[from.Model.Of[t.at]].Support)
			}
		}
	}
	return nil
}
