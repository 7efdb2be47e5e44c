package netlist

import (
	"math/big"
	"slices"

	"tv/semantics/bits/cells"
)

// A Moment is a cell in a cycle of a run, with the values of its pins.
type Moment struct {
	Name, Kind string // Kind is the cell, or "operation" of an expression
	Cycle      int
	Depth      int // cells between it and the bit that was asked for
	Pins       []PinValue
	From       []int // moments whose outputs it reads
	Start      bool  // a register in the first cycle: it gives what it starts with
}

// A PinValue is what a pin carries.
type PinValue struct {
	Name   string
	Width  int
	Value  *big.Int
	Output bool
}

// History runs the netlist on inputs and returns the cells that a bit at a cycle comes from, nearest first, no more than most of them. A
// register gives what its inputs were in the cycle before.
func (n *Netlist) History(bit Bit, cycle int, inputs func(port string, bit, cycle int) uint64, most int) (out []Moment) {
	t := n.NewTrace(cycle+1, inputs)
	type key struct{ instance, cycle int }
	place := map[key]int{}
	type wanted struct {
		bit          Bit
		cycle, depth int
		by           int // of out; -1: the bit that was asked for
	}
	for list := []wanted{{bit, cycle, 0, -1}}; len(list) > 0; {
		w := list[0]
		list = list[1:]
		if w.bit < 2 || n.net(w.bit).driver != output {
			continue
		}
		k := key{int(n.net(w.bit).from), w.cycle}
		at, seen := place[k]
		if !seen {
			if len(out) == most {
				continue
			}
			in := &n.Instances[k.instance]
			at = len(out)
			place[k] = at
			m := Moment{Name: in.Name, Kind: "operation", Cycle: w.cycle, Depth: w.depth}
			if in.Model.Cell != nil {
				m.Kind = in.Model.Cell.Name
			}
			reads, read := in.all(), w.cycle
			if p := in.Model.Of[n.net(w.bit).at]; len(in.Model.Registers) > 0 && p >= 0 && len(in.Model.Parts[p].Support) == 0 {
				read-- // what the registers hold, and no input of this cycle
			} else if p >= 0 {
				reads = in.Model.Parts[p : p+1]
			}
			m.Start = read < 0
			if !m.Start {
				m.Pins = slices.DeleteFunc(t.pins(in.Model.Inputs, in.In, read, false), func(p PinValue) bool {
					return slices.ContainsFunc(in.Model.Registers, func(r cells.Register) bool { return r.Clock == p.Name }) // a run has no value for it
				})
			}
			m.Pins = append(m.Pins, t.pins(in.Model.Outputs, in.Out, w.cycle, true)...)
			out = append(out, m)
			for _, p := range reads {
				for _, pin := range p.Support {
					if !m.Start {
						list = append(list, wanted{in.In[pin], read, w.depth + 1, at})
					}
				}
			}
		}
		if w.by >= 0 && w.by != at && !slices.Contains(out[w.by].From, at) {
			out[w.by].From = append(out[w.by].From, at)
		}
	}
	return out
}

// pins reads pins that are connected, in lane 0.
func (t *Trace) pins(pins []cells.Pin, bits []Bit, cycle int, output bool) (out []PinValue) {
	at := 0
	for _, p := range pins {
		v, connected := new(big.Int), false
		for i := range p.Width {
			b := bits[at+i]
			connected = connected || b != Open
			if b != Open {
				v.SetBit(v, i, uint(t.Value(b, cycle)&1))
			}
		}
		if at += p.Width; connected {
			out = append(out, PinValue{p.Name, p.Width, v, output})
		}
	}
	return out
}
