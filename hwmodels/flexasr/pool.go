package flexasr

import (
	"fmt"

	"tv/ila"
	"tv/semantics/index"
	"tv/semantics/term"
)

// A pooling is a mode of the layer reduction and what it does to two numbers, in halves of a unit.
type pooling struct {
	driver, table, formula string
	mode                   uint64
	of                     func(x, y int64) int64
}

var poolings = [...]pooling{
	modeMax: {"flexasr-maxpool", "adaptive8.3-max", "max(x[2t,w], x[2t+1,w]) in AdaptivFloat<8,3>, -0 taken as 0", modeMax,
		func(x, y int64) int64 { return max(x, y) }},
	modeMean: {"flexasr-meanpool", "adaptive8.3-mean", "code((x[2t,w] + x[2t+1,w]) / 2) in AdaptivFloat<8,3>", modeMean,
		func(x, y int64) int64 { return (x + y) / 2 }},
	modeAdd: {"flexasr-addpool", "adaptive8.3-add", "code(x[2t,w] + x[2t+1,w]) in AdaptivFloat<8,3>", modeAdd,
		func(x, y int64) int64 { return x + y }},
}

// MaxPool returns the program for out[t,w] = max(x[2t,w], x[2t+1,w]) on codes of AdaptivFloat<8,3> with the
// given bias, x [timesteps][width], and its contract: the code of the greater value, 0 for either zero. 16
// divides width, timesteps is even. An error says which size does not fit.
func MaxPool(timesteps, width, bias int) (*ila.Task, error) {
	return pool(NewModel(), modeMax, timesteps, width, bias)
}

// MeanPool is MaxPool with (x[2t,w] + x[2t+1,w]) / 2, rounded to a code as the hardware rounds.
func MeanPool(timesteps, width, bias int) (*ila.Task, error) {
	return pool(NewModel(), modeMean, timesteps, width, bias)
}

// AddPool is MaxPool with x[2t,w] + x[2t+1,w], rounded to a code as the hardware rounds.
func AddPool(timesteps, width, bias int) (*ila.Task, error) {
	return pool(NewModel(), modeAdd, timesteps, width, bias)
}

// AnyBias stands for all exponent biases of a pooling at once: its task has an input "exponents" of one element.
const AnyBias = -1

func pool(m *Machine, mode, timesteps, width, bias int) (*ila.Task, error) {
	vectors := width / lanes
	switch {
	case timesteps < 2 || timesteps%2 != 0 || timesteps >= 1<<16:
		return nil, fmt.Errorf("%d timesteps: the machine takes an even number from 2 to 65534", timesteps)
	case width < lanes || width%lanes != 0 || vectors > 255:
		return nil, fmt.Errorf("width %d: the machine takes a multiple of 16 from 16 to 4080", width)
	case (timesteps+15)/16*16*width > largeSize:
		return nil, fmt.Errorf("%dx%d does not fit the large buffer of %d bytes", timesteps, width, largeSize)
	case bias < AnyBias || bias > 7:
		return nil, fmt.Errorf("bias %d: it has 3 bits", bias)
	}
	ix := m.B.Index
	return reduce(m, poolings[mode], ix.Const(int64(timesteps/2)), ix.Const(int64(vectors)), bias).Task(), nil
}

// reduce returns the loop nest of a pooling for 2·pairs timesteps of 16·vectors lanes.
func reduce(m *Machine, p pooling, pairs, vectors *index.Expr, bias int) *ila.Nest {
	b, ix := m.B, m.B.Index
	timesteps, width := ix.Scale(index.Int(2), pairs), ix.Scale(index.Int(lanes), vectors)
	n := &ila.Nest{Name: p.driver, Model: m.Model}
	n.Claim = "out[t,w] = " + p.formula
	x := n.Declare("x", 8, false, timesteps, width)
	x.Format = codesName
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
	exponent := num(int64(bias))
	if bias == AnyBias {
		exponent = b.ExtendU(n.Element(n.Declare("exponents", 3, false, ix.Const(1)), ix.Const(0)), 8)
	}
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
		at(addrReduce, "configure the reduction", map[int]*term.Term{0: num(1), 1: num(int64(p.mode)),
			6: b.Number(term.BitsSort(8), vectors), 8: b.Extract(steps, 0, 8), 9: b.Extract(steps, 8, 8),
			12: exponent}),
		at(addrManager, "configure the memory manager", map[int]*term.Term{0: b.Number(term.BitsSort(8), vectors)}),
		at(addrStartReduce, "start the reduction", map[int]*term.Term{0: num(1)}),
	}
	n.Result("out", 8, false, pairs, width)
	n.Output.Format = codesName
	n.Place = func(at []*index.Expr) ila.Cell { return ila.Cell{Memory: m.Large, Address: offset(at[0], at[1])} }
	n.Tables = map[string]func([]uint64) uint64{p.table: ofPairs(p.of)}
	n.Contract = func(at []*index.Expr) *term.Term {
		first := ix.Add(ix.Scale(index.Int(2), ix.Mul(at[0], width)), at[1])
		return b.Apply(term.BitsSort(8), p.table, n.Element(x, first), n.Element(x, ix.Add(first, width)))
	}
	return n
}
