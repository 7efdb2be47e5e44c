package netlist

import (
	"slices"

	"tv/internal/source"
	"tv/semantics/bits"
	"tv/semantics/bits/cells"
	"tv/semantics/bits/word"
)

// An asynchronous reset acts at any time. A cycle sees two things of it: the level of its input when the outputs are read, and whether the
// level that resets was there at some time before that, since the last edge of the clock. That is an input of its own, PORT.high or PORT.low by
// the level: what is proved holds for all sequences of edges of the clock and of the reset.

// A reset is such an input.
type reset struct {
	port string
	low  bool
	bit  Bit
}

// pulsePin is no name of a pin.
const pulsePin = " pulse"

// asynchronous connects the reset of a register to the input that says that it was active.
func (n *Netlist) asynchronous(in *Instance, known map[*cells.Model]*cells.Model) error {
	b, low, err := n.root(in, in.Model.Async.Active)
	switch {
	case err != nil:
		return err
	case b == Zero:
		return nil
	case b != One && b != Open:
		if b, err = n.pulse(b, low); err != nil {
			return err
		}
	default:
		b = Zero
	}
	model := known[in.Model]
	if model == nil {
		model = in.Model.Resettable(pulsePin)
		known[in.Model] = model
	}
	in.Model, in.In = model, append(in.In, b)
	return nil
}

// pulse is the bit that says that an input was at a level.
func (n *Netlist) pulse(b Bit, low bool) (Bit, error) {
	port := n.Inputs[n.net(b).from]
	for _, r := range n.resets {
		if r.port == port.Name && r.low == low {
			return r.bit, nil
		}
	}
	level := bits.High
	if low {
		level = bits.Low
	}
	p := Port{bits.Port{Name: port.Name + "." + string(level), Width: 1, Span: port.Span, Of: port.Name, Level: level}, nil}
	if slices.ContainsFunc(n.Inputs, func(o Port) bool { return o.Name == p.Name }) {
		return 0, source.Errorf(port.Span, "unsupported", "an asynchronous reset %s beside an input %s", port.Name, p.Name)
	}
	sig := &signal{name: p.Name, span: port.Span}
	n.declare(sig, 1)
	p.Bits = sig.bits
	if err := n.drive(sig.bits[0], input, int32(len(n.Inputs)), 0, port.Span); err != nil {
		return 0, err
	}
	n.Inputs = append(n.Inputs, p)
	n.resets = append(n.resets, reset{port.Name, low, sig.bits[0]})
	return sig.bits[0], nil
}

// root follows what activates a reset back to the input that does, through what has one bit that is not constant, or to a constant; Open where
// nothing drives it, which is said elsewhere. low says that the input does it where it is 0.
func (n *Netlist) root(in *Instance, p cells.Part) (root Bit, low bool, err error) {
	at, first := 0, in
	for range len(n.Instances) + 1 {
		var b Bit
		for _, x := range p.Support {
			switch y, err := n.source(in.In[x]); {
			case err != nil:
				return 0, false, err
			case y == Open:
				return Open, false, nil
			case y < 2 || y == b:
			case b != 0:
				return 0, false, notInput(first)
			default:
				b = y
			}
		}
		var is [2]*word.Word
		for v := range is {
			builder := word.NewBuilder()
			w := n.lower(builder, in, p, func(x Bit) *word.Word {
				if x, _ = n.source(x); x < 2 {
					return builder.Bool(x == One)
				}
				return builder.Bool(v == 1)
			})
			if is[v] = builder.Simplify(builder.Bit(w, at)); is[v].Op != word.Const {
				return 0, false, notInput(first)
			}
		}
		zero, one := is[0].Value.Bit(0), is[1].Value.Bit(0)
		if zero == one {
			if (zero == 1) != low {
				return One, false, nil
			}
			return Zero, false, nil
		}
		low = low != (zero == 1)
		switch t := n.net(b); {
		case t.driver == input && n.Inputs[t.from].Width == 1:
			return b, low, nil
		case t.driver == output:
			in = &n.Instances[t.from]
			part := in.Model.Of[t.at]
			p = in.Model.Parts[part]
			at = int(t.at) - p.At
		case t.driver == nothing || t.driver == unknown || t.driver == unmodelled:
			return Open, false, nil
		default:
			return 0, false, notInput(first)
		}
	}
	return 0, false, notInput(first)
}

func notInput(in *Instance) error {
	return source.Errorf(in.Span, "unsupported", "the asynchronous reset of %s is no input", in.Name)
}
