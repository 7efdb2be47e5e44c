package netlist

import (
	"fmt"
	"math/big"

	"tv/semantics/bits/cells"
	"tv/semantics/bits/word"
)

// A Machine runs a netlist cycle by cycle, cell by cell: the second opinion about what a design of words says. Values are bits, and
// operations on them are done as one does them by hand. It is not safe for concurrent use.
type Machine struct {
	n      *Netlist
	values []bool // of nets
	state  map[string][]bool
}

// NewMachine returns the machine in its initial state. What may start as anything is as initial has it, by the names of registers; absent
// ones are 0.
func (n *Netlist) NewMachine(initial map[string]*big.Int) *Machine {
	m := &Machine{n: n, values: make([]bool, len(n.nets)), state: map[string][]bool{}}
	for i := range n.Instances {
		in := &n.Instances[i]
		for _, r := range in.Model.Registers {
			v := bitsOf(r.Initial, r.Width)
			if r.Open != nil {
				for bit, free := range bitsOf(r.Open, r.Width) {
					v[bit] = v[bit] && !free || free && initial[in.register(r.Name)] != nil && initial[in.register(r.Name)].Bit(bit) == 1
				}
			}
			m.state[in.register(r.Name)] = v
		}
	}
	return m
}

func bitsOf(v *big.Int, width int) []bool {
	out := make([]bool, width)
	for i := range out {
		out[i] = v.Bit(i) == 1
	}
	return out
}

func (m *Machine) value(b Bit) bool {
	if b < 2 {
		return b == One
	}
	return m.values[b-2]
}

// Step computes the outputs of a cycle from its inputs, and goes on to the next cycle. Absent inputs are 0.
func (m *Machine) Step(inputs map[string]*big.Int) map[string]*big.Int {
	for _, p := range m.n.Inputs {
		for i, b := range p.Bits {
			m.values[b-2] = inputs[p.Name] != nil && inputs[p.Name].Bit(i) == 1
		}
	}
	for _, p := range m.n.order {
		in := &m.n.Instances[p.instance]
		model := &in.Model.Parts[p.part]
		for i, v := range m.compute(in, *model) {
			if out := in.Out[model.At+i]; out >= 2 {
				m.values[out-2] = v
			}
		}
	}
	outputs := map[string]*big.Int{}
	for _, o := range m.n.Outputs {
		v := new(big.Int)
		for i, b := range o.Bits {
			if m.value(b) {
				v.SetBit(v, i, 1)
			}
		}
		outputs[o.Name] = v
	}
	next := map[string][]bool{}
	for i := range m.n.Instances {
		in := &m.n.Instances[i]
		for _, r := range in.Model.Registers {
			next[in.register(r.Name)] = m.compute(in, r.Next)
		}
	}
	m.state = next
	return outputs
}

// compute is the value of a part of a cell, bit by bit, least first.
func (m *Machine) compute(in *Instance, p cells.Part) []bool {
	values := map[*word.Word][]bool{}
	for _, w := range p.Reach {
		switch w.Op {
		case word.Input:
			at := cells.Offset(in.Model.Inputs, w.Name)
			v := make([]bool, w.Width)
			for i := range v {
				v[i] = m.value(in.In[at+i])
			}
			values[w] = v
		case word.State:
			values[w] = m.state[in.register(w.Name)]
		default:
			args := make([][]bool, len(w.Args))
			for i, a := range w.Args {
				args[i] = values[a]
			}
			values[w] = operate(w, args)
		}
	}
	return values[p.Word]
}

func number(v []bool) (n int) {
	for i, b := range v {
		if b && i < 30 {
			n |= 1 << i
		} else if b {
			return 1 << 30 // more than any width
		}
	}
	return n
}

func plus(a, b []bool, carry bool) ([]bool, bool) {
	out := make([]bool, len(a))
	for i := range a {
		ones := 0
		for _, x := range [...]bool{a[i], b[i], carry} {
			if x {
				ones++
			}
		}
		out[i], carry = ones&1 == 1, ones >= 2
	}
	return out, carry
}

func inverted(a []bool) []bool {
	out := make([]bool, len(a))
	for i, x := range a {
		out[i] = !x
	}
	return out
}

// less tells whether a < b as unsigned numbers.
func less(a, b []bool) bool {
	for i := len(a) - 1; i >= 0; i-- {
		if a[i] != b[i] {
			return b[i]
		}
	}
	return false
}

// flipped is a with its sign inverted: signed numbers are ordered as unsigned ones are then.
func flipped(a []bool) []bool {
	out := append([]bool(nil), a...)
	out[len(a)-1] = !out[len(a)-1]
	return out
}

func equal(a, b []bool) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// operate applies the operation of w.
func operate(w *word.Word, args [][]bool) []bool {
	truth := func(t bool) []bool { return []bool{t} }
	fold := func(f func(a, b bool) bool) []bool {
		out := append([]bool(nil), args[0]...)
		for _, a := range args[1:] {
			for i := range out {
				out[i] = f(out[i], a[i])
			}
		}
		return out
	}
	count := func(v []bool) (n int) {
		for _, b := range v {
			if b {
				n++
			}
		}
		return n
	}
	shifted := func(fill bool, by int) []bool { // by > 0: to the left
		out := make([]bool, w.Width)
		for i := range out {
			out[i] = fill
			if from := i - by; from >= 0 && from < len(args[0]) {
				out[i] = args[0][from]
			}
		}
		return out
	}
	switch w.Op {
	case word.Const:
		return bitsOf(w.Value, w.Width)
	case word.Not:
		return inverted(args[0])
	case word.Neg:
		out, _ := plus(inverted(args[0]), make([]bool, w.Width), true)
		return out
	case word.And:
		return fold(func(a, b bool) bool { return a && b })
	case word.Or:
		return fold(func(a, b bool) bool { return a || b })
	case word.Xor:
		return fold(func(a, b bool) bool { return a != b })
	case word.Add:
		out := args[0]
		for _, a := range args[1:] {
			out, _ = plus(out, a, false)
		}
		return out
	case word.Sub:
		out, _ := plus(args[0], inverted(args[1]), true)
		return out
	case word.Mul:
		out := args[0]
		for _, b := range args[1:] {
			sum := make([]bool, w.Width)
			for i, one := range b {
				if one {
					sum, _ = plus(sum, append(make([]bool, i), out[:w.Width-i]...), false)
				}
			}
			out = sum
		}
		return out
	case word.Shl:
		return shifted(false, number(args[1]))
	case word.LShr:
		return shifted(false, -number(args[1]))
	case word.AShr:
		return shifted(args[0][w.Width-1], -number(args[1]))
	case word.Eq:
		return truth(equal(args[0], args[1]))
	case word.ULT:
		return truth(less(args[0], args[1]))
	case word.ULE:
		return truth(!less(args[1], args[0]))
	case word.SLT:
		return truth(less(flipped(args[0]), flipped(args[1])))
	case word.SLE:
		return truth(!less(flipped(args[1]), flipped(args[0])))
	case word.Ite:
		if args[0][0] {
			return args[1]
		}
		return args[2]
	case word.Concat:
		var out []bool
		for i := len(args) - 1; i >= 0; i-- {
			out = append(out, args[i]...)
		}
		return out
	case word.Extract:
		return args[0][w.Lo : w.Hi+1]
	case word.ZeroExt:
		return append(append([]bool(nil), args[0]...), make([]bool, w.Width-len(args[0]))...)
	case word.SignExt:
		out := append([]bool(nil), args[0]...)
		for len(out) < w.Width {
			out = append(out, args[0][len(args[0])-1])
		}
		return out
	case word.Lookup:
		at := 0
		for i, a := range args {
			if a[0] {
				at += 1 << i
			}
		}
		return truth(w.Value.Bit(at) == 1)
	case word.RedAnd:
		return truth(count(args[0]) == len(args[0]))
	case word.RedOr:
		return truth(count(args[0]) > 0)
	case word.RedXor:
		return truth(count(args[0])%2 == 1)
	}
	panic(fmt.Sprintf("netlist: no operation %s", w.Op))
}
