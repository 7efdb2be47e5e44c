package netlist

import (
	"math/big"

	"tv/semantics/bits"
	"tv/semantics/bits/cells"
	"tv/semantics/bits/cells/run"
	"tv/semantics/bits/word"
)

// A Machine runs a netlist cycle by cycle, cell by cell: the second opinion about what a design of words says. It is not safe for
// concurrent use.
type Machine struct {
	n     *Netlist
	lanes *Lanes
}

// NewMachine returns the machine in its initial state.
func (n *Netlist) NewMachine(choose bits.Choose) *Machine {
	return &Machine{n, n.NewLanes(choose)}
}

// Step computes the outputs of a cycle from its inputs, and goes on to the next cycle. Absent inputs are 0. A netlist assumes nothing.
func (m *Machine) Step(inputs map[string]*big.Int) (outputs map[string]*big.Int, assumed bool) {
	m.lanes.Step(func(port string, bit int) uint64 {
		if v := inputs[port]; v != nil {
			return uint64(v.Bit(bit))
		}
		return 0
	})
	outputs = map[string]*big.Int{}
	for _, o := range m.n.Outputs {
		v := new(big.Int)
		for i, b := range o.Bits {
			v.SetBit(v, i, uint(m.lanes.Value(b)&1))
		}
		outputs[o.Name] = v
	}
	return outputs, true
}

// Lanes run a netlist on 64 streams of inputs at once. Values are bits of 64 lanes, and operations on them are done as one does them by
// hand.
type Lanes struct {
	n      *Netlist
	values []uint64 // of nets
	state  map[string][]uint64
}

// NewLanes returns lanes in the initial state, as NewMachine has it.
func (n *Netlist) NewLanes(choose bits.Choose) *Lanes {
	l := &Lanes{n: n, values: make([]uint64, len(n.nets)), state: map[string][]uint64{}}
	for i := range n.Instances {
		in := &n.Instances[i]
		for _, r := range in.Model.Registers {
			name := in.register(r.Name)
			v := new(big.Int).Set(r.Initial)
			if r.Open != nil {
				free := choose.Value(name, r.Width, -1)
				v.Or(v.AndNot(v, r.Open), free.And(free, r.Open))
			}
			l.state[name] = run.Constant(v, r.Width)
		}
	}
	return l
}

// Value is a bit in the cycle that was stepped through last.
func (l *Lanes) Value(b Bit) uint64 {
	if b < 2 {
		return -uint64(b)
	}
	return l.values[b-2]
}

// Step goes through a cycle.
func (l *Lanes) Step(inputs func(port string, bit int) uint64) {
	for _, p := range l.n.Inputs {
		for i, b := range p.Bits {
			l.values[b-2] = inputs(p.Name, i)
		}
	}
	for _, p := range l.n.order {
		in := &l.n.Instances[p.instance]
		model := &in.Model.Parts[p.part]
		for i, v := range l.compute(in, *model) {
			if out := in.Out[model.At+i]; out >= 2 {
				l.values[out-2] = v
			}
		}
	}
	next := map[string][]uint64{}
	for i := range l.n.Instances {
		in := &l.n.Instances[i]
		for _, r := range in.Model.Registers {
			next[in.register(r.Name)] = l.compute(in, r.Next)
		}
	}
	l.state = next
}

// compute is the value of a part of a cell, least bit first.
func (l *Lanes) compute(in *Instance, p cells.Part) []uint64 {
	if p.Narrow {
		return []uint64{run.Bit(p, func(at int32) uint64 { return l.Value(in.In[at]) },
			func(register string, bit int) uint64 { return l.state[in.register(register)][bit] })}
	}
	return run.Part(p, func(w *word.Word) []uint64 {
		if w.Op == word.State {
			return l.state[in.register(w.Name)]
		}
		at := cells.Offset(in.Model.Inputs, w.Name)
		v := make([]uint64, w.Width)
		for i := range v {
			v[i] = l.Value(in.In[at+i])
		}
		return v
	})
}
