package netlist

import (
	"fmt"
	"math/big"

	"tv/semantics/bits"
	"tv/semantics/bits/cells"
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
			l.state[name] = constant(v, r.Width)
		}
	}
	return l
}

// constant is a word that is the same in all lanes, least bit first.
func constant(v *big.Int, width int) []uint64 {
	out := make([]uint64, width)
	for i := range out {
		out[i] = -uint64(v.Bit(i))
	}
	return out
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
	if w := p.Word; w.Op == word.Lookup && len(p.Reach) == len(w.Args)+1 { // of pins: most cells are
		var address [16]uint64
		for i, a := range w.Args {
			address[i] = l.Value(in.In[cells.Offset(in.Model.Inputs, a.Name)])
		}
		return []uint64{lookup(w.Value, 0, address[:len(w.Args)])}
	}
	values := make(map[*word.Word][]uint64, len(p.Reach))
	for _, w := range p.Reach {
		switch w.Op {
		case word.Input:
			at := cells.Offset(in.Model.Inputs, w.Name)
			v := make([]uint64, w.Width)
			for i := range v {
				v[i] = l.Value(in.In[at+i])
			}
			values[w] = v
		case word.State:
			values[w] = l.state[in.register(w.Name)]
		default:
			args := make([][]uint64, len(w.Args))
			for i, a := range w.Args {
				args[i] = values[a]
			}
			values[w] = operate(w, args)
		}
	}
	return values[p.Word]
}

// lookup is bit {address} of a table, of which base are the higher bits of the address.
func lookup(table *big.Int, base int, address []uint64) uint64 {
	n := len(address) - 1
	if n < 0 {
		return -uint64(table.Bit(base))
	}
	return address[n]&lookup(table, base+1<<n, address[:n]) | ^address[n]&lookup(table, base, address[:n])
}

func plus(a, b []uint64, carry uint64) []uint64 {
	out := make([]uint64, len(a))
	for i := range a {
		out[i] = a[i] ^ b[i] ^ carry
		carry = a[i]&b[i] | a[i]&carry | b[i]&carry
	}
	return out
}

func inverted(a []uint64) []uint64 {
	out := make([]uint64, len(a))
	for i, x := range a {
		out[i] = ^x
	}
	return out
}

// less tells in which lanes a < b as unsigned numbers: the highest bit that differs decides.
func less(a, b []uint64) uint64 {
	var below, decided uint64
	for i := len(a) - 1; i >= 0; i-- {
		differ := (a[i] ^ b[i]) &^ decided
		below |= differ & b[i]
		decided |= differ
	}
	return below
}

// flipped is a with its sign inverted: signed numbers are ordered as unsigned ones are then.
func flipped(a []uint64) []uint64 {
	out := append([]uint64(nil), a...)
	out[len(a)-1] = ^out[len(a)-1]
	return out
}

// operate applies the operation of w.
func operate(w *word.Word, args [][]uint64) []uint64 {
	bit := func(v uint64) []uint64 { return []uint64{v} }
	fold := func(f func(a, b uint64) uint64) []uint64 {
		out := append([]uint64(nil), args[0]...)
		for _, a := range args[1:] {
			for i := range out {
				out[i] = f(out[i], a[i])
			}
		}
		return out
	}
	along := func(v []uint64, f func(a, b uint64) uint64) uint64 {
		out := v[0]
		for _, x := range v[1:] {
			out = f(out, x)
		}
		return out
	}
	and := func(a, b uint64) uint64 { return a & b }
	or := func(a, b uint64) uint64 { return a | b }
	xor := func(a, b uint64) uint64 { return a ^ b }
	// shifted tries each amount by itself.
	shifted := func(fill uint64, left bool) []uint64 {
		out := make([]uint64, w.Width)
		rest := ^uint64(0) // lanes whose amount was not met
		for by := range w.Width {
			is := ^uint64(0)
			for i, x := range args[1] {
				if i < 31 && by>>i&1 == 1 {
					is &= x
				} else {
					is &= ^x
				}
			}
			if len(args[1]) < 31 && by>>len(args[1]) != 0 {
				is = 0
			}
			rest &^= is
			for i := range out {
				from, v := i+by, fill
				if left {
					from = i - by
				}
				if from >= 0 && from < w.Width {
					v = args[0][from]
				}
				out[i] |= is & v
			}
		}
		for i := range out {
			out[i] |= rest & fill
		}
		return out
	}
	zeros := func() []uint64 { return make([]uint64, w.Width) }
	switch w.Op {
	case word.Const:
		return constant(w.Value, w.Width)
	case word.Not:
		return inverted(args[0])
	case word.Neg:
		return plus(inverted(args[0]), zeros(), ^uint64(0))
	case word.And:
		return fold(and)
	case word.Or:
		return fold(or)
	case word.Xor:
		return fold(xor)
	case word.Add:
		out := args[0]
		for _, a := range args[1:] {
			out = plus(out, a, 0)
		}
		return out
	case word.Sub:
		return plus(args[0], inverted(args[1]), ^uint64(0))
	case word.Mul:
		out := args[0]
		for _, b := range args[1:] {
			sum := zeros()
			for i, one := range b {
				row := zeros()
				for j := i; j < w.Width; j++ {
					row[j] = out[j-i] & one
				}
				sum = plus(sum, row, 0)
			}
			out = sum
		}
		return out
	case word.Shl:
		return shifted(0, true)
	case word.LShr:
		return shifted(0, false)
	case word.AShr:
		return shifted(args[0][w.Width-1], false)
	case word.Eq:
		return bit(^along(fold(xor), or))
	case word.ULT:
		return bit(less(args[0], args[1]))
	case word.ULE:
		return bit(^less(args[1], args[0]))
	case word.SLT:
		return bit(less(flipped(args[0]), flipped(args[1])))
	case word.SLE:
		return bit(^less(flipped(args[1]), flipped(args[0])))
	case word.Ite:
		out := zeros()
		for i := range out {
			out[i] = args[0][0]&args[1][i] | ^args[0][0]&args[2][i]
		}
		return out
	case word.Concat:
		var out []uint64
		for i := len(args) - 1; i >= 0; i-- {
			out = append(out, args[i]...)
		}
		return out
	case word.Extract:
		return args[0][w.Lo : w.Hi+1]
	case word.ZeroExt, word.SignExt:
		out := append([]uint64(nil), args[0]...)
		for len(out) < w.Width {
			if w.Op == word.SignExt {
				out = append(out, args[0][len(args[0])-1])
			} else {
				out = append(out, 0)
			}
		}
		return out
	case word.Lookup:
		address := make([]uint64, len(args))
		for i, a := range args {
			address[i] = a[0]
		}
		return bit(lookup(w.Value, 0, address))
	case word.RedAnd:
		return bit(along(args[0], and))
	case word.RedOr:
		return bit(along(args[0], or))
	case word.RedXor:
		return bit(along(args[0], xor))
	}
	panic(fmt.Sprintf("netlist: no operation %s", w.Op))
}
