package vta

import (
	"fmt"
	"maps"

	"tv/ila"
	"tv/semantics/index"
	"tv/semantics/term"
)

// A layer is a dense layer whose loop nest is being made: what it computes (claim and contract), where its operands
// lie, and the instructions.
type layer struct {
	machine *Machine
	b       *term.Builder
	ix      *index.Builder
	cut
	o    DenseOptions
	nest *ila.Nest
	p    program

	width, depth *index.Expr // n and k in elements
	a, w, bias   *ila.Tensor
	atA, atW     *index.Expr // where things lie in DRAM, in bytes
	atOut, atUop *index.Expr
	atBias       *index.Expr
}

func newLayer(machine *Machine, s cut, o DenseOptions) *layer {
	b := machine.b
	l := &layer{machine: machine, b: b, ix: b.Index, cut: s, o: o,
		nest: &ila.Nest{Name: "vta-dense", Model: machine.Model},
		p:    program{b: b, older: machine.Config.Older, mutate: o.mutate}}
	l.width, l.depth = l.times(lanes, s.n), l.times(lanes, s.k)
	value := fmt.Sprintf("(sum(k < %s) a[i,k]·w[j,k]%s)", l.depth, map[bool]string{true: " + bias[j]"}[o.Bias])
	if o.Scale > 1 {
		value += fmt.Sprintf("·%d", o.Scale)
	}
	l.nest.Claim = fmt.Sprintf("out[i,j] = min(max(%s >> %d, %d), 127), sums modulo 2^32", value, o.Shift, lowest(o))
	l.a = l.nest.Declare("a", 8, true, s.m, l.depth)
	l.w = l.nest.Declare("w", 8, true, l.width, l.depth)
	if o.Bias {
		l.bias = l.nest.Declare("bias", 32, true, l.width)
	}
	return l
}

func (l *layer) num(n int64) *index.Expr { return l.ix.Const(n) }

func (l *layer) times(n int64, e *index.Expr) *index.Expr { return l.ix.Scale(index.Int(n), e) }

func (l *layer) sum(first *index.Expr, rest ...*index.Expr) *index.Expr {
	for _, e := range rest {
		first = l.ix.Add(first, e)
	}
	return first
}

// tile is the number of the tile of so many bytes that begins at an address.
func (l *layer) tile(at *index.Expr, bytes int64) *index.Expr {
	return l.ix.Div(l.ix.Root(), at, l.num(bytes))
}

// lay puts operands and micro-operations into DRAM, each from a page on.
func (l *layer) lay() {
	ix := l.ix
	pages := l.num(0)
	area := func(size *index.Expr) *index.Expr {
		at := l.times(4096, pages)
		pages = ix.Add(pages, ix.Div(ix.Root(), ix.AddInt(size, 4095), l.num(4096)))
		return at
	}
	l.atA, l.atW, l.atOut = area(ix.Mul(l.m, l.depth)), area(ix.Mul(l.width, l.depth)), area(ix.Mul(l.m, l.width))
	l.atUop, l.atBias = area(l.num(4*(mostDepth+1))), l.num(0)
	if l.o.Bias {
		// accumulators are loaded m rows deep, each row the same
		l.atBias = area(l.times(4, l.width))
	}
	type vector = []*index.Expr
	l.put(1, func(v vector) *index.Expr { return l.sum(l.atA, ix.Mul(v[0], l.depth), v[1]) },
		func(v vector) *term.Term { return l.nest.Element(l.a, ix.Add(ix.Mul(v[0], l.depth), v[1])) }, l.m, l.depth)
	l.put(1, func(v vector) *index.Expr {
		tile := ix.Add(ix.Mul(v[0], l.k), v[2])
		return l.sum(l.atW, l.times(wgtTile, tile), l.times(lanes, v[1]), v[3])
	}, func(v vector) *term.Term {
		row, column := ix.Add(l.times(lanes, v[0]), v[1]), ix.Add(l.times(lanes, v[2]), v[3])
		return l.nest.Element(l.w, ix.Add(ix.Mul(row, l.depth), column))
	}, l.n, l.num(lanes), l.k, l.num(lanes))
	if l.o.Bias {
		l.put(4, func(v vector) *index.Expr { return ix.Add(l.atBias, l.times(4, v[0])) },
			func(v vector) *term.Term { return l.nest.Element(l.bias, v[0]) }, l.width)
	}
	// micro-operation d reads tile d of a row of inputs and of weights, the factors of the loops do the rest
	l.put(4, func(v vector) *index.Expr { return ix.Add(l.atUop, l.times(4, v[0])) },
		func(v vector) *term.Term { return l.b.Number(term.BitsSort(32), l.times(1<<11|1<<22, v[0])) }, l.kc)
}

// put says that a number of whole bytes lies at at(v), for each v within counts.
func (l *layer) put(bytes int, at func(v []*index.Expr) *index.Expr, value func(v []*index.Expr) *term.Term,
	counts ...*index.Expr) {
	for n := range bytes {
		l.nest.Init = append(l.nest.Init, ila.Spread{Memory: l.machine.DRAM, Counts: counts,
			At: func(v []*index.Expr) (*index.Expr, *term.Term) {
				return l.ix.AddInt(at(v), int64(n)), l.b.Extract(value(v), 8*n, 8)
			}})
	}
}

// body returns the instructions: the micro-operations, then each chunk.
func (l *layer) body() []ila.Node {
	list := []ila.Node{l.p.add(l.loadUops(), nil)}
	overM := func(body func(i, at, size *index.Expr) []ila.Node) []ila.Node {
		return l.p.chunks("m", l.ms, l.mc, l.ml, body)
	}
	overN := func(body func(i, at, size *index.Expr) []ila.Node) []ila.Node {
		return l.p.chunks("n", l.ns, l.nc, l.nl, body)
	}
	if l.o.Order == "nm" {
		list = append(list, overN(func(j, nb, tiles *index.Expr) []ila.Node {
			return overM(func(i, mb, rows *index.Expr) []ila.Node {
				return l.chunk(l.ix.Add(i, j), mb, rows, nb, tiles)
			})
		})...)
	} else {
		list = append(list, overM(func(i, mb, rows *index.Expr) []ila.Node {
			return overN(func(j, nb, tiles *index.Expr) []ila.Node {
				return l.chunk(l.ix.Add(i, j), mb, rows, nb, tiles)
			})
		})...)
	}
	// FINISH waits for no unit: an instruction without effect waits for the last STORE before it
	return append(list, l.p.add(l.loadUops(), when{"pop_next": l.num(0)}), l.p.add(line{"op": l.num(OpFinish)}, nil))
}

// loadUops loads the micro-operations.
func (l *layer) loadUops() line {
	return line{"op": l.num(OpLoad), "mem": l.num(MemUop), "dram": l.tile(l.atUop, 4), "y": l.num(1), "x": l.kc, "stride": l.num(1)}
}

// chunk returns the instructions for rows x tiles outputs from row mb and tile nb on; order is 0 for the first chunk.
func (l *layer) chunk(order, mb, rows, nb, tiles *index.Expr) []ila.Node {
	ix, num, o := l.ix, l.num, l.o
	with := func(extra line) line {
		f := line{"end": num(1), "out": rows, "in": tiles, "dst_out": tiles, "dst_in": num(1)}
		maps.Copy(f, extra)
		return f
	}
	alu := func(op int, imm uint64, extra line) ila.Node {
		f := with(line{"op": num(OpALU), "alu": num(int64(op)), "use_imm": num(1), "imm": num(int64(imm)),
			"src_out": tiles, "src_in": num(1)})
		maps.Copy(f, extra)
		return l.p.add(f, nil)
	}
	// the first to write accumulators after a store waits for it
	stored := when{"pop_next": ix.AddInt(order, -1)}
	var list []ila.Node
	if o.Bias {
		// a LOAD with stride 0 repeats the row of biases
		list = append(list, l.p.add(line{"op": num(OpLoad), "mem": num(MemAcc), "dram": ix.Add(l.tile(l.atBias, 64), nb),
			"y": rows, "x": tiles}, stored))
	} else {
		list = append(list, l.p.add(with(line{"op": num(OpGemm), "reset": num(1)}), stored))
	}
	list = append(list, l.p.chunks("k", l.ks, l.kc, l.kl, func(i, kb, depth *index.Expr) []ila.Node {
		return []ila.Node{
			l.p.add(line{"op": num(OpLoad), "mem": num(MemInp), "dram": l.sum(l.tile(l.atA, lanes), ix.Mul(mb, l.k), kb),
				"y": rows, "x": depth, "stride": l.k}, when{"pop_next": l.sum(order, i, num(-1))}),
			l.p.add(line{"op": num(OpLoad), "mem": num(MemWgt), "dram": l.sum(l.tile(l.atW, wgtTile), ix.Mul(nb, l.k), kb),
				"y": tiles, "x": depth, "stride": l.k, "push_next": num(1)}, nil),
			// one GEMM a tile of k: rows outside, tiles of n inside
			ila.Loop("depth", depth, func(d *index.Expr) []ila.Node {
				return []ila.Node{l.p.add(with(line{"op": num(OpGemm), "src_out": depth, "wgt_in": depth,
					"begin": d, "end": ix.AddInt(d, 1)}),
					when{"pop_prev": l.times(-1, d), "push_prev": ix.AddInt(ix.Sub(d, depth), 1)})}
			}),
		}
	})...)
	if o.Scale > 1 {
		list = append(list, alu(ALUMul, uint64(o.Scale), nil))
	}
	if o.Shift > 0 {
		list = append(list, alu(ALUShr, uint64(o.Shift), nil))
	}
	mem := int64(MemOut)
	if l.machine.Config.Older {
		mem = 0 // its two bits cannot say OUT, and STORE knows nothing else
	}
	return append(list, alu(ALUMax, uint64(uint16(lowest(o))), nil), alu(ALUMin, 127, line{"push_next": num(1)}),
		l.p.add(line{"op": num(OpStore), "mem": num(mem), "dram": l.sum(l.tile(l.atOut, lanes), ix.Mul(mb, l.n), nb),
			"y": rows, "x": tiles, "stride": l.n, "pop_prev": num(1), "push_prev": num(1)}, nil))
}

// contract is out[i,j], written on the tensors alone.
func (l *layer) contract(at []*index.Expr) *term.Term {
	b, ix, o := l.b, l.ix, l.o
	value := l.nest.Dot(32, l.depth, ila.Row{Tensor: l.a, From: ix.Mul(at[0], l.depth), Step: l.num(1)},
		ila.Row{Tensor: l.w, From: ix.Mul(at[1], l.depth), Step: l.num(1)})
	if o.Bias {
		value = b.AddBits(value, l.nest.Element(l.bias, at[1]))
	}
	if o.Scale > 1 {
		value = b.MulBits(value, b.Bits(32, uint64(o.Scale)))
	}
	if o.Shift > 0 {
		value = b.ShrS(value, b.Bits(32, uint64(o.Shift)))
	}
	least, most := b.Bits(32, uint64(int64(lowest(o)))), b.Bits(32, 127)
	low := b.Choose(b.LessS(value, least), least, value)
	return b.Extract(b.Choose(b.LessS(low, most), low, most), 0, 8)
}

func lowest(o DenseOptions) int {
	if o.Relu {
		return 0
	}
	return -127
}
