// Package flexasr models the global buffer of FlexASR and its layer reduction over pairs of timesteps, bit by
// bit in AdaptivFloat<8,3>, and maps max-pooling onto it.
//
// An instruction is one write of 16 bytes to the bus. Modelled are the large buffer, the configuration of the
// layer reduction with memory index 0, and max-pooling. Everything else on the bus is a fault.
//
//	NewModel  the machine
//	MaxPool   the program for a max-pool over pairs of timesteps, and its contract
//
// Source: T. Tambe et al., A 16-nm SoC for Noise-Robust Speech and NLP Edge AI Inference, IEEE JSSC 2022, and
// the public sources of the accelerator.
package flexasr

import (
	"fmt"
	"math/big"

	"tv/ila"
	"tv/semantics/index"
	"tv/semantics/term"
)

// Addresses on the bus.
const (
	addrStartReduce = 0x33000020
	addrManager     = 0x33400010
	addrLarge       = 0x33500000
	addrReduce      = 0x33800010
	largeSize       = 1 << 20
	lanes           = 16
)

// A Machine is the model and the variables that drivers name.
type Machine struct {
	*ila.Model
	Large *ila.Var
}

// NewModel returns the machine.
func NewModel() *Machine {
	model := ila.New("flexasr", "The global buffer of FlexASR: vectors of 16 AdaptivFloat<8,3>, layer reduction.")
	b := model.B
	m := &Machine{Model: model}
	addr := m.Input("addr", 32, "bus address")
	var lane [lanes]*term.Term
	for j := range lane {
		lane[j] = m.Input(fmt.Sprintf("lane%d", j), 8, "byte of the data, lowest first").Term
	}
	m.Large = m.Memory("large", 8, largeSize, "large buffer, vectors of 16 bytes")
	manager := m.Bits("manager", 1, "the memory manager of index 0 is configured")
	valid := m.Bits("valid", 1, "layer reduction: configuration is valid")
	mode := m.Bits("mode", 3, "layer reduction: 0 max, 1 mean, 2 add")
	numVec := m.Bits("num_vec", 8, "vectors of a timestep")
	numTs := m.Bits("num_ts", 16, "timesteps")
	bias := m.Bits("bias", 3, "exponent bias of the tensor; max-pooling does not depend on it")
	run := m.Bits("run", 1, "a reduction runs")
	ts := m.Bits("ts", 16, "timestep of the output")
	vec := m.Bits("vec", 8, "vector of the timestep")

	at := func(n uint64) *term.Term { return b.Equal(addr.Term, b.Bits(32, n)) }
	inLarge := b.And(b.Not(b.LessU(addr.Term, b.Bits(32, addrLarge))),
		b.LessU(addr.Term, b.Bits(32, addrLarge+largeSize)))
	zero := func(t *term.Term) *term.Term { return b.Equal(t, b.Bits(t.Sort.Width, 0)) }

	store := m.Instruction("store-large", "Writes a vector of the large buffer.", inLarge)
	store.Require(zero(b.Extract(addr.Term, 0, 4)), ila.CodeOperand, "an address that 16 does not divide")
	for j := range lane {
		offset := b.SubBits(m.At(addr.Term), m.Address(addrLarge-uint64(j)))
		store.Store(m.Large, offset, lane[j])
	}
	conf := m.Instruction("config-manager", "Configures the memory managers of the large buffer.", at(addrManager))
	word := b.Equal(lane[0], b.Bits(8, 0x10))
	for _, x := range lane[1:] {
		word = b.And(word, zero(x))
	}
	conf.Require(word, ila.CodeOperand, "only the word 0x10, index 0 with base 0, is modelled")
	conf.Set(manager, b.Bits(1, 1))

	reduce := m.Instruction("config-reduce", "Configures the layer reduction.", at(addrReduce))
	reduce.Require(zero(b.Extract(lane[4], 0, 3)), ila.CodeOperand, "only memory index 0 is modelled")
	reduce.Set(valid, b.Extract(lane[0], 0, 1))
	reduce.Set(mode, b.Extract(lane[1], 0, 3))
	reduce.Set(numVec, lane[6])
	reduce.Set(numTs, b.Concat(lane[9], lane[8]))
	reduce.Set(bias, b.Extract(lane[12], 0, 3))

	start := m.Instruction("start-reduce", "Reduces pairs of timesteps in place: 2t and 2t+1 to t.",
		at(addrStartReduce))
	one := func(v *ila.Var) *term.Term { return b.Equal(v.Term, b.Bits(1, 1)) }
	start.Require(b.And(one(valid), one(manager)), ila.CodeOperand, "the layer reduction is not configured")
	start.Require(zero(mode.Term), ila.CodeOperand, "only max-pooling is modelled")
	start.Require(zero(b.Extract(numTs.Term, 0, 1)), ila.CodeOperand, "an odd number of timesteps")
	some := b.And(b.Not(zero(numVec.Term)), b.Not(zero(numTs.Term)))
	start.Set(run, b.Choose(some, b.Bits(1, 1), b.Bits(1, 0)))
	start.Set(ts, b.Bits(16, 0))
	start.Set(vec, b.Bits(8, 0))

	known := b.Or(b.Or(inLarge, at(addrManager)), b.Or(at(addrReduce), at(addrStartReduce)))
	m.Instruction("illegal", "Everything else: a fault.", b.Not(known)).
		Require(b.Truth(false), ila.CodeOperand, "the model has nothing at this address")

	child := m.Child("reduce", "Layer reduction, a vector a step.")
	step := child.Instruction("max", "large[t][v] = max(large[2t][v], large[2t+1][v]), -0 becomes 0.", one(run))
	// a vector lies at t mod 16 + ((t div 16)·num_vec + v)·16
	place := func(t *term.Term) *term.Term {
		block := b.MulBits(m.At(b.ShrU(t, b.Bits(16, 4))), m.At(numVec.Term))
		vector := b.AddBits(b.MulBits(m.Address(16), b.AddBits(block, m.At(vec.Term))), m.At(b.Extract(t, 0, 4)))
		return b.MulBits(m.Address(lanes), vector)
	}
	j := m.Counter("j", lanes)
	even := b.Shl(ts.Term, b.Bits(16, 1))
	x := m.Load(m.Large, b.AddBits(place(even), m.CountAt(j)))
	y := m.Load(m.Large, b.AddBits(place(b.Or(even, b.Bits(16, 1))), m.CountAt(j)))
	step.Each(j, ila.StoreTo{Memory: m.Large, Address: b.AddBits(place(ts.Term), m.CountAt(j)), Value: maximum(b, x, y)})
	nextVec, nextTs := b.AddBits(vec.Term, b.Bits(8, 1)), b.AddBits(ts.Term, b.Bits(16, 1))
	endVec := b.Equal(nextVec, numVec.Term)
	end := b.And(endVec, b.Equal(b.Shl(nextTs, b.Bits(16, 1)), numTs.Term))
	step.Set(vec, b.Choose(endVec, b.Bits(8, 0), nextVec))
	step.Set(ts, b.Choose(endVec, nextTs, ts.Term))
	step.Set(run, b.Choose(end, b.Bits(1, 0), b.Bits(1, 1)))
	return m
}

// maximum returns the code of the greater value: codes order like numbers of sign and magnitude.
func maximum(b *term.Builder, x, y *term.Term) *term.Term {
	canonical := func(c *term.Term) *term.Term {
		return b.Choose(b.Equal(c, b.Bits(8, 0x80)), b.Bits(8, 0), c)
	}
	number := func(c *term.Term) *term.Term {
		magnitude := b.ExtendU(b.Extract(c, 0, 7), 9)
		return b.Choose(b.Equal(b.Extract(c, 7, 1), b.Bits(1, 1)), b.NegBits(magnitude), magnitude)
	}
	x, y = canonical(x), canonical(y)
	return b.Choose(b.LessS(number(x), number(y)), y, x)
}

// Value returns the value of an AdaptivFloat<8,3> code: (-1)^s · 2^(exp + bias - 10) · (1 + man/16), and 0
// where exp and man are 0.
func Value(code uint8, bias int) *big.Rat {
	if code&0x7f == 0 {
		return new(big.Rat)
	}
	exponent, mantissa := int(code>>4&7)+bias-10, int64(16+code&15)
	v := big.NewRat(mantissa, 16)
	two := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(exponent, -exponent))))
	if exponent < 0 {
		two.Inv(two)
	}
	v.Mul(v, two)
	if code >= 0x80 {
		v.Neg(v)
	}
	return v
}

// maxTable returns the function that takes two codes to the code, not 0x80, of the greater of their values.
func maxTable(bias int) func([]uint64) uint64 {
	codes := map[string]uint64{}
	var values [256]*big.Rat
	for c := range values {
		values[c] = Value(uint8(c), bias)
		if c != 0x80 {
			codes[values[c].RatString()] = uint64(c)
		}
	}
	var table [1 << 16]uint8
	for a := range values {
		for c := range values {
			most := values[a]
			if values[c].Cmp(most) > 0 {
				most = values[c]
			}
			table[a<<8|c] = uint8(codes[most.RatString()])
		}
	}
	return func(args []uint64) uint64 { return uint64(table[args[0]<<8|args[1]]) }
}

// MaxPool returns the program for out[t,w] = max(x[2t,w], x[2t+1,w]) on codes of AdaptivFloat<8,3> with the
// given bias, x [timesteps][width], and its contract: the code of the greater value, 0 for either zero. 16
// divides width, timesteps is even. An error says which size does not fit.
func MaxPool(timesteps, width, bias int) (*ila.Task, error) {
	vectors := width / lanes
	switch {
	case timesteps < 2 || timesteps%2 != 0 || timesteps >= 1<<16:
		return nil, fmt.Errorf("%d timesteps: the machine takes an even number from 2 to 65534", timesteps)
	case width < lanes || width%lanes != 0 || vectors > 255:
		return nil, fmt.Errorf("width %d: the machine takes a multiple of 16 from 16 to 4080", width)
	case (timesteps+15)/16*16*width > largeSize:
		return nil, fmt.Errorf("%dx%d does not fit the large buffer of %d bytes", timesteps, width, largeSize)
	case bias < 0 || bias > 7:
		return nil, fmt.Errorf("bias %d: it has 3 bits", bias)
	}
	m := NewModel()
	ix := m.B.Index
	return maxPool(m, ix.Const(int64(timesteps/2)), ix.Const(int64(vectors)), bias).Task(), nil
}

// maxPool returns the loop nest of MaxPool for 2·pairs timesteps of 16·vectors lanes.
func maxPool(m *Machine, pairs, vectors *index.Expr, bias int) *ila.Nest {
	b, ix := m.B, m.B.Index
	timesteps, width := ix.Scale(index.Int(2), pairs), ix.Scale(index.Int(lanes), vectors)
	n := &ila.Nest{Name: "flexasr-maxpool", Model: m.Model}
	n.Claim = "out[t,w] = max(x[2t,w], x[2t+1,w]) in AdaptivFloat<8,3>, -0 taken as 0"
	x := n.Declare("x", 8, false, timesteps, width)
	add := func(addr *index.Expr, text string, data [lanes]*term.Term) ila.Node {
		values := []*term.Term{b.Number(term.BitsSort(32), addr)}
		return ila.Node{Values: append(values, data[:]...), Text: text}
	}
	at := func(addr int64, text string, data map[int]*term.Term) ila.Node {
		var all [lanes]*term.Term
		for j := range all {
			if all[j] = data[j]; all[j] == nil {
				all[j] = b.Bits(8, 0)
			}
		}
		return add(ix.Const(addr), text, all)
	}
	num := func(v int64) *term.Term { return b.Bits(8, uint64(v)) }
	// offset is where a lane of a timestep lies in the large buffer
	offset := func(ts, lane *index.Expr) *index.Expr {
		sixteen := ix.Const(16)
		block, in := ix.Div(ix.Root(), ts, sixteen), ix.Mod(ix.Root(), ts, sixteen)
		v, j := ix.Div(ix.Root(), lane, ix.Const(lanes)), ix.Mod(ix.Root(), lane, ix.Const(lanes))
		vector := ix.Add(in, ix.Scale(index.Int(16), ix.Add(ix.Mul(block, vectors), v)))
		return ix.Add(ix.Scale(index.Int(lanes), vector), j)
	}
	store := func(ts, v *index.Expr) ila.Node {
		var data [lanes]*term.Term
		first := ix.Scale(index.Int(lanes), v)
		row := ix.Add(ix.Mul(ts, width), first)
		for j := range data {
			data[j] = n.Element(x, ix.AddInt(row, int64(j)))
		}
		return add(ix.AddInt(offset(ts, first), addrLarge), fmt.Sprintf("store timestep %s, vector %s", ts, v), data)
	}
	steps := b.Number(term.BitsSort(16), timesteps)
	n.Body = []ila.Node{
		ila.Loop("timestep", timesteps, func(ts *index.Expr) []ila.Node {
			return []ila.Node{ila.Loop("vector", vectors, func(v *index.Expr) []ila.Node {
				return []ila.Node{store(ts, v)}
			})}
		}),
		at(addrReduce, "configure the reduction", map[int]*term.Term{0: num(1), 6: b.Number(term.BitsSort(8), vectors),
			8: b.Extract(steps, 0, 8), 9: b.Extract(steps, 8, 8), 12: num(int64(bias))}),
		at(addrManager, "configure the memory manager", map[int]*term.Term{0: num(0x10)}),
		at(addrStartReduce, "start the reduction", map[int]*term.Term{0: num(1)}),
	}
	n.Result("out", 8, false, pairs, width)
	n.Place = func(at []*index.Expr) ila.Cell { return ila.Cell{Memory: m.Large, Address: offset(at[0], at[1])} }
	n.Tables = map[string]func([]uint64) uint64{"adaptive8.3-max": maxTable(bias)}
	n.Contract = func(at []*index.Expr) *term.Term {
		first := ix.Add(ix.Scale(index.Int(2), ix.Mul(at[0], width)), at[1])
		return b.Apply(term.BitsSort(8), "adaptive8.3-max", n.Element(x, first), n.Element(x, ix.Add(first, width)))
	}
	return n
}
