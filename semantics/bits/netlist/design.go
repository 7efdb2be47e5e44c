package netlist

import (
	"fmt"
	"slices"
	"strings"

	"tv/semantics/bits"
	"tv/semantics/bits/cells"
	"tv/semantics/bits/word"
)

// Design is what the netlist denotes, in words of b. A register that constant pins keep as it is holds its initial value.
func (n *Netlist) Design(b *word.Builder) *bits.Design {
	d := &bits.Design{Name: n.Name, Builder: b, Clock: n.Clock, Arch: n.Arch, Warnings: n.Warnings, Trusts: n.Trusts()}
	words := make([]*word.Word, len(n.nets))
	for _, p := range n.Inputs {
		if p.Name != n.Clock { // which only buffers read
			d.Inputs = append(d.Inputs, p.Port)
		}
		w := b.Input(p.Name, p.Width, 0)
		for i, bit := range p.Bits {
			words[bit-2] = b.Bit(w, i)
		}
	}
	of := func(bit Bit) *word.Word {
		if bit < 2 {
			return b.Bool(bit == One)
		}
		return words[bit-2]
	}
	for _, p := range n.order {
		in := &n.Instances[p.instance]
		model := &in.Model.Parts[p.part]
		w := b.Simplify(n.lower(b, in, *model, of))
		for i := range w.Width {
			if out := in.Out[model.At+i]; out >= 2 {
				words[out-2] = b.Simplify(b.Bit(w, i))
			}
		}
	}
	for i := range n.Instances {
		in := &n.Instances[i]
		for _, r := range in.Model.Registers {
			if n.stuck(in, r) {
				continue
			}
			name := in.register(r.Name)
			d.Registers = append(d.Registers, bits.Register{Name: name, Width: r.Width, Initial: r.Initial, Open: r.Open,
				Now: b.State(name, r.Width), Next: b.Simplify(n.lower(b, in, r.Next, of)), Nets: n.driven(in), Span: in.Span})
		}
	}
	if len(d.Registers) > 0 {
		if d.Edge = bits.Rising; n.falling {
			d.Edge = bits.Falling
			d.Trusts = append(slices.Clone(d.Trusts), "cycles that end at the falling edge of "+n.Clock)
		}
	}
	for i := range n.Instances {
		in := &n.Instances[i]
		for _, k := range in.duties {
			x := in.Model.Inactive[k]
			d.Forbid = append(d.Forbid, bits.Assumption{Word: b.Simplify(n.lower(b, in, x.Held, of)), Text: in.Name + ": " + x.What, Span: in.Span})
		}
	}
	for _, o := range n.Outputs {
		d.Outputs = append(d.Outputs, bits.Output{Port: o.Port, Word: b.Simplify(row(b, o.Bits, of))})
	}
	return d
}

// driven are the names of the nets that a cell of one register drives.
func (n *Netlist) driven(in *Instance) (out []string) {
	if in.Model.Cell == nil || len(in.Model.Registers) != 1 || len(in.Out) != in.Model.Registers[0].Width {
		return nil
	}
	for _, b := range in.Out {
		name := ""
		if b >= 2 {
			name = n.called(b)
		}
		out = append(out, name)
	}
	return out
}

// Ports are those of the netlist but for the clock.
func (n *Netlist) Ports() (in, out []bits.Port) {
	for _, p := range n.Inputs {
		if p.Name != n.Clock {
			in = append(in, p.Port)
		}
	}
	for _, p := range n.Outputs {
		out = append(out, p.Port)
	}
	return in, out
}

// Options are those that were found.
func (n *Netlist) Options() bits.Options {
	return bits.Options{Top: n.Top, Arch: n.Arch, Clock: n.Clock}
}

// Latency is that of no specification.
func (n *Netlist) Latency() int { return 0 }

// Machine is NewMachine.
func (n *Netlist) Machine(choose bits.Choose) bits.Machine { return n.NewMachine(choose) }

// Trusts are what a verdict about the netlist rests on.
func (n *Netlist) Trusts() (out []string) {
	out = append(out, n.Rests...)
	for _, r := range n.resets {
		if t := r.port + " changes at no edge of " + n.Clock; !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	for i := range n.Instances {
		for _, t := range n.Instances[i].Model.Trusts {
			if !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	return out
}

// register is the name of a register: that of the instance, and of cells that may have several the register's own. Tables call some
// NAME_register, where a pin is NAME: here they are in capitals.
func (in *Instance) register(name string) string {
	if in.Model.Cell == nil || !in.Model.Cell.Several() {
		return in.Name
	}
	if short, ok := strings.CutSuffix(name, "_register"); ok {
		name = strings.ToUpper(short)
	}
	return in.Name + "." + name
}

// state is what a register holds.
func (n *Netlist) state(b *word.Builder, in *Instance, x *word.Word) *word.Word {
	for _, r := range in.Model.Registers {
		if r.Name == x.Name && n.stuck(in, r) {
			return b.Const(x.Width, r.Initial)
		}
	}
	return b.State(in.register(x.Name), x.Width)
}

// stuck tells whether constant pins keep a register as it is, from the start, and this is a number.
func (n *Netlist) stuck(in *Instance, r cells.Register) bool {
	if r.Open != nil {
		return false
	}
	known := in.stuck[r.Name]
	if known == 0 {
		b := word.NewBuilder()
		states := map[string]*word.Word{}
		w := b.Simplify(n.lowered(b, in, r.Next, func(x *word.Word) *word.Word {
			states[x.Name] = b.State(x.Name, x.Width)
			return states[x.Name]
		}, func(bit Bit) *word.Word {
			if bit < 2 {
				return b.Bool(bit == One)
			}
			return b.Input(fmt.Sprint(bit), 1, 0)
		}))
		known = 1
		if w == states[r.Name] {
			known = 2
		}
		if in.stuck == nil {
			in.stuck = map[string]uint8{}
		}
		in.stuck[r.Name] = known
	}
	return known == 2
}

// row is the word of bits, least first.
func row(b *word.Builder, bits []Bit, of func(Bit) *word.Word) *word.Word {
	parts := make([]*word.Word, len(bits))
	for i, bit := range bits {
		parts[len(bits)-1-i] = of(bit)
	}
	return b.Concat(parts...)
}

// lower is the word of a part of an instance; of is the word of a bit that it reads.
func (n *Netlist) lower(b *word.Builder, in *Instance, p cells.Part, of func(Bit) *word.Word) *word.Word {
	return n.lowered(b, in, p, func(x *word.Word) *word.Word { return n.state(b, in, x) }, of)
}

// lowered is lower where state is the word of a register.
func (n *Netlist) lowered(b *word.Builder, in *Instance, p cells.Part, state func(*word.Word) *word.Word,
	of func(Bit) *word.Word,
) *word.Word {
	done := make([]*word.Word, len(p.Reach))
	get := func(k int32) *word.Word {
		if x := p.Reach[k]; x.Op == word.Input { // read whole; where only a field is, the rest may have no word yet
			at := int(p.Steps[k].At)
			return b.Simplify(row(b, in.In[at:at+x.Width], of))
		}
		return done[k]
	}
	for i, x := range p.Reach {
		step := &p.Steps[i]
		switch {
		case x.Op == word.Input:
		case x.Op == word.State:
			done[i] = state(x)
		case x.Op == word.Extract && x.Args[0].Op == word.Input:
			done[i] = b.Simplify(row(b, in.In[step.At:int(step.At)+x.Width], of))
		default:
			args := make([]*word.Word, len(step.Args))
			for k, a := range step.Args {
				args[k] = get(a)
			}
			done[i] = b.With(x, args)
		}
	}
	w := get(int32(len(p.Reach) - 1)) // Word was built last
	if w == nil {
		panic(fmt.Sprintf("netlist: %s has no word", in.Name))
	}
	return w
}
