package vta

import (
	"fmt"
	"slices"

	"tv/ila"
	"tv/semantics/index"
	"tv/semantics/term"
)

// DenseOptions are what a dense layer does after the product.
type DenseOptions struct {
	Bias  bool // adds bias[j], int32
	Relu  bool // max(x, 0) instead of max(x, -127)
	Scale int  // multiplies by Scale modulo 2^32 before the shift; 0 for 1, at most 32767
	Shift int  // divides by 2^Shift, rounding down; 0 to 15

	// Choices of the driver that change no value. A chunk of 0 is as large as fits.
	ChunkM, ChunkN, ChunkK int    // tiles
	Order                  string // nm or mn (default): which chunk loop is the outer one

	// mutate changes an instruction before it is encoded, or drops it; tests only.
	mutate func(ix *index.Builder, f line) bool
}

// Dense returns the program for out = clip((a·wᵀ + bias)·scale >> shift) with a [m][k], w [n][k] and out [m][n]
// int8, n and k multiples of 16, and its contract: sum and product are of int32 modulo 2^32, the shift rounds down,
// the result lies in [-127, 127], or [0, 127] with relu. An error says which size does not fit.
//
// Operands lie in DRAM in tiles: a and out [m][k/16][16], w [n/16][k/16][16][16], bias [m][n/16][16], the same
// for every row. The loop nest cuts m, n and k into chunks that fit the memories; accumulators stay in place
// over the chunks of k.
func Dense(c Config, m, n, k int, o DenseOptions) (*ila.Task, error) {
	for _, d := range []struct {
		name string
		size int
	}{{"m", m}, {"n", n}, {"k", k}} {
		if d.size < 1 {
			return nil, fmt.Errorf("%s is %d, and must be at least 1", d.name, d.size)
		}
		if d.name != "m" && d.size%lanes != 0 {
			return nil, fmt.Errorf("%s is %d, which 16 does not divide", d.name, d.size)
		}
	}
	if o.Shift < 0 || o.Shift > 15 {
		return nil, fmt.Errorf("the shift is %d, and must be from 0 to 15", o.Shift)
	}
	if o.Scale < 0 || o.Scale >= 1<<15 {
		return nil, fmt.Errorf("the scale is %d, and must be from 0 to 32767", o.Scale)
	}
	const most = 1 << 14 // so that strides and offsets fit their fields
	if max(m, n, k) > most || int64(m)*int64(k)+int64(n)*int64(k)+int64(m)*int64(n) > 1<<28 {
		return nil, fmt.Errorf("%dx%dx%d is too large: sizes are at most %d, operands together 256 MiB", m, n, k, most)
	}
	mc, nc, kc := chunks(m, n/lanes, k/lanes, o)
	machine := NewModel(c)
	num := func(v int) *index.Expr { return machine.b.Index.Const(int64(v)) }
	count := func(size, chunk int) *index.Expr { return num((size + chunk - 1) / chunk) }
	nest, err := dense(machine, cut{m: num(m), n: num(n / lanes), k: num(k / lanes), mc: num(mc), nc: num(nc),
		kc: num(kc), ms: count(m, mc), ns: count(n/lanes, nc), ks: count(k/lanes, kc)}, o)
	if err != nil {
		return nil, err
	}
	t := nest.Task()
	t.Name = fmt.Sprintf("vta-dense %dx%dx%d", m, n, k)
	return t, nil
}

// A cut is the sizes of a dense layer, n and k in tiles, those of a chunk, and the numbers of chunks. The last
// chunk of a size may be smaller than the others; none is empty.
type cut struct{ m, n, k, mc, nc, kc, ms, ns, ks *index.Expr }

// dense returns the loop nest of Dense. An error says which field an instruction does not fit.
func dense(machine *Machine, s cut, o DenseOptions) (*ila.Nest, error) {
	b, ix := machine.b, machine.b.Index
	times := func(n int64, e *index.Expr) *index.Expr { return ix.Scale(index.Int(n), e) }
	num := ix.Const
	width, depth := times(lanes, s.n), times(lanes, s.k)
	nest := &ila.Nest{Name: "vta-dense", Model: machine.Model}
	value := fmt.Sprintf("(sum(k < %s) a[i,k]·w[j,k]%s)", depth, map[bool]string{true: " + bias[j]"}[o.Bias])
	if o.Scale > 1 {
		value += fmt.Sprintf("·%d", o.Scale)
	}
	nest.Claim = fmt.Sprintf("out[i,j] = min(max(%s >> %d, %d), 127), sums modulo 2^32", value, o.Shift, lowest(o))
	a := nest.Declare("a", 8, true, s.m, depth)
	w := nest.Declare("w", 8, true, width, depth)
	var bias *ila.Tensor
	if o.Bias {
		bias = nest.Declare("bias", 32, true, width)
	}

	// where things lie in DRAM, in bytes, each from a page on
	pages := num(0)
	area := func(size *index.Expr) *index.Expr {
		at := times(4096, pages)
		pages = ix.Add(pages, ix.Div(ix.Root(), ix.AddInt(size, 4095), num(4096)))
		return at
	}
	atA, atW, atOut := area(ix.Mul(s.m, depth)), area(ix.Mul(width, depth)), area(ix.Mul(s.m, width))
	atUop, atBias := area(num(4*(mostDepth+1))), num(0)
	if o.Bias {
		// accumulators are loaded m rows deep, each row the same
		atBias = area(times(4, width))
	}
	sum := func(first *index.Expr, rest ...*index.Expr) *index.Expr {
		for _, e := range rest {
			first = ix.Add(first, e)
		}
		return first
	}
	// put says that a number of whole bytes lies at at(v), for each v within counts
	type vector = []*index.Expr
	put := func(bytes int, at func(v vector) *index.Expr, value func(v vector) *term.Term, counts ...*index.Expr) {
		for n := range bytes {
			nest.Init = append(nest.Init, ila.Spread{Memory: machine.DRAM, Counts: counts,
				At: func(v vector) (*index.Expr, *term.Term) {
					return ix.AddInt(at(v), int64(n)), b.Extract(value(v), 8*n, 8)
				}})
		}
	}
	put(1, func(v vector) *index.Expr { return sum(atA, ix.Mul(v[0], depth), v[1]) },
		func(v vector) *term.Term { return nest.Element(a, ix.Add(ix.Mul(v[0], depth), v[1])) }, s.m, depth)
	put(1, func(v vector) *index.Expr {
		tile := ix.Add(ix.Mul(v[0], s.k), v[2])
		return sum(atW, times(wgtTile, tile), times(lanes, v[1]), v[3])
	}, func(v vector) *term.Term {
		row, column := ix.Add(times(lanes, v[0]), v[1]), ix.Add(times(lanes, v[2]), v[3])
		return nest.Element(w, ix.Add(ix.Mul(row, depth), column))
	}, s.n, num(lanes), s.k, num(lanes))
	if o.Bias {
		put(4, func(v vector) *index.Expr { return ix.Add(atBias, times(4, v[0])) },
			func(v vector) *term.Term { return nest.Element(bias, v[0]) }, width)
	}
	// micro-operation d reads tile d of a row of inputs and of weights, the factors of the loops do the rest
	put(4, func(v vector) *index.Expr { return ix.Add(atUop, times(4, v[0])) },
		func(v vector) *term.Term { return b.Number(term.BitsSort(32), times(1<<11|1<<22, v[0])) }, s.kc)

	p := program{b: b, older: machine.Config.Older, mutate: o.mutate}
	tile := func(at *index.Expr, bytes int64) *index.Expr { return ix.Div(ix.Root(), at, num(bytes)) }
	// chunk is the program for rows x tiles outputs from row mb and tile nb on; order is 0 for the first chunk
	chunk := func(order, mb, rows, nb, tiles *index.Expr) []ila.Node {
		with := func(extra line) line {
			f := line{"end": num(1), "out": rows, "in": tiles, "dst_out": tiles, "dst_in": num(1)}
			for name, v := range extra {
				f[name] = v
			}
			return f
		}
		alu := func(op int, imm uint64, extra line) ila.Node {
			f := with(line{"op": num(OpALU), "alu": num(int64(op)), "use_imm": num(1), "imm": num(int64(imm)),
				"src_out": tiles, "src_in": num(1)})
			for name, v := range extra {
				f[name] = v
			}
			return p.add(f, nil)
		}
		// the first to write accumulators after a store waits for it
		stored := when{"pop_next": ix.AddInt(order, -1)}
		var list []ila.Node
		if o.Bias {
			// a LOAD with stride 0 repeats the row of biases
			list = append(list, p.add(line{"op": num(OpLoad), "mem": num(MemAcc), "dram": ix.Add(tile(atBias, 64), nb),
				"y": rows, "x": tiles}, stored))
		} else {
			list = append(list, p.add(with(line{"op": num(OpGemm), "reset": num(1)}), stored))
		}
		list = append(list, p.chunks("k", s.ks, s.kc, s.k, func(l, kb, depth *index.Expr) []ila.Node {
			return []ila.Node{
				p.add(line{"op": num(OpLoad), "mem": num(MemInp), "dram": sum(tile(atA, lanes), ix.Mul(mb, s.k), kb),
					"y": rows, "x": depth, "stride": s.k}, when{"pop_next": sum(order, l, num(-1))}),
				p.add(line{"op": num(OpLoad), "mem": num(MemWgt), "dram": sum(tile(atW, wgtTile), ix.Mul(nb, s.k), kb),
					"y": tiles, "x": depth, "stride": s.k, "push_next": num(1)}, nil),
				// one GEMM a tile of k: rows outside, tiles of n inside
				ila.Loop("depth", depth, func(d *index.Expr) []ila.Node {
					return []ila.Node{p.add(with(line{"op": num(OpGemm), "src_out": depth, "wgt_in": depth,
						"begin": d, "end": ix.AddInt(d, 1)}),
						when{"pop_prev": times(-1, d), "push_prev": ix.AddInt(ix.Sub(d, depth), 1)})}
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
		if machine.Config.Older {
			mem = 0 // its two bits cannot say OUT, and STORE knows nothing else
		}
		return append(list, alu(ALUMax, uint64(uint16(lowest(o))), nil), alu(ALUMin, 127, line{"push_next": num(1)}),
			p.add(line{"op": num(OpStore), "mem": num(mem), "dram": sum(tile(atOut, lanes), ix.Mul(mb, s.n), nb),
				"y": rows, "x": tiles, "stride": s.n, "pop_prev": num(1), "push_prev": num(1)}, nil))
	}
	nest.Body = []ila.Node{p.add(line{"op": num(OpLoad), "mem": num(MemUop), "dram": tile(atUop, 4), "y": num(1),
		"x": s.kc, "stride": num(1)}, nil)}
	overM := func(body func(i, at, size *index.Expr) []ila.Node) []ila.Node {
		return p.chunks("m", s.ms, s.mc, s.m, body)
	}
	overN := func(body func(i, at, size *index.Expr) []ila.Node) []ila.Node {
		return p.chunks("n", s.ns, s.nc, s.n, body)
	}
	if o.Order == "nm" {
		nest.Body = append(nest.Body, overN(func(j, nb, tiles *index.Expr) []ila.Node {
			return overM(func(i, mb, rows *index.Expr) []ila.Node { return chunk(ix.Add(i, j), mb, rows, nb, tiles) })
		})...)
	} else {
		nest.Body = append(nest.Body, overM(func(i, mb, rows *index.Expr) []ila.Node {
			return overN(func(j, nb, tiles *index.Expr) []ila.Node { return chunk(ix.Add(i, j), mb, rows, nb, tiles) })
		})...)
	}
	nest.Body = append(nest.Body, p.add(line{"op": num(OpFinish)}, nil))

	nest.Result("out", 8, true, s.m, width)
	nest.Place = func(at []*index.Expr) ila.Cell {
		return ila.Cell{Memory: machine.DRAM, Address: sum(atOut, ix.Mul(at[0], width), at[1])}
	}
	nest.Contract = func(at []*index.Expr) *term.Term {
		value := nest.Dot(32, depth, ila.Row{Tensor: a, From: ix.Mul(at[0], depth), Step: num(1)},
			ila.Row{Tensor: w, From: ix.Mul(at[1], depth), Step: num(1)})
		if o.Bias {
			value = b.AddBits(value, nest.Element(bias, at[1]))
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
	return nest, p.err
}

func lowest(o DenseOptions) int {
	if o.Relu {
		return 0
	}
	return -127
}

// mostDepth is how many tiles of k a chunk may have: GEMM's factor wgt_in is that number, and has 10 bits. Each has a
// micro-operation.
const mostDepth = 1<<10 - 1

// chunks returns how many rows, tiles of n and tiles of k a chunk has, so that operands and accumulators fit.
func chunks(m, nt, kt int, o DenseOptions) (mc, nc, kc int) {
	pick := func(wanted, size, limit int) int {
		if wanted <= 0 {
			wanted = size
		}
		return max(1, min(wanted, size, limit))
	}
	kc = pick(o.ChunkK, kt, mostDepth)
	nc = pick(o.ChunkN, nt, wgtTiles/kc)
	mc = pick(o.ChunkM, m, min(inpTiles/kc, accTiles/nc))
	return mc, nc, kc
}

// A line is an instruction as Fields is, with expressions for numbers; a when says that a field of one bit is 1
// where its expression is at least 0.
type (
	line map[string]*index.Expr
	when map[string]*index.Expr
)

// A program makes the instructions of a driver.
type program struct {
	b      *term.Builder
	older  bool
	mutate func(*index.Builder, line) bool
	err    error
}

// chunks returns the nodes that run body for each chunk: its number, where it begins, and its size.
func (p *program) chunks(name string, count, chunk, size *index.Expr,
	body func(i, at, size *index.Expr) []ila.Node) []ila.Node {
	ix := p.b.Index
	last := ix.AddInt(count, -1)
	before := ix.Mul(last, chunk)
	all := ila.Loop(name, last, func(i *index.Expr) []ila.Node { return body(i, ix.Mul(i, chunk), chunk) })
	return append([]ila.Node{all}, body(last, before, ix.Sub(size, before))...)
}

// add returns the node of an instruction.
func (p *program) add(f line, bits when) ila.Node {
	if p.mutate != nil && !p.mutate(p.b.Index, f) {
		return ila.Loop("dropped", p.b.Index.Const(0), func(*index.Expr) []ila.Node { return nil })
	}
	values := Fields{}
	for name, e := range f {
		n, ok := e.Const()
		if !ok {
			return p.word(f, bits)
		}
		v, _ := n.Int64()
		values[name] = uint64(v)
	}
	for name, e := range bits {
		n, ok := e.Const()
		if !ok {
			return p.word(f, bits)
		}
		if n.Sign() >= 0 {
			values[name] = 1
		}
	}
	w, err := Encode(values, p.older)
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("%v: %w", values, err)
	}
	return ila.Node{Values: halves(p.b, w), Text: values.String()}
}

// halves returns a word as the inputs of the model.
func halves(b *term.Builder, w Word) []*term.Term {
	return []*term.Term{b.Bits(64, w.Low), b.Bits(64, w.High)}
}

// word returns the node of an instruction some of whose fields are not numbers: its words are fields side by side.
// That these fit is for a proof to show.
func (p *program) word(f line, bits when) ila.Node {
	b := p.b
	op, _ := f["op"].Const()
	code, _ := op.Int64()
	var halves [2]*term.Term
	used := [2]int{}
	layout := append(slices.Clone(common), fieldsOf(uint64(code), p.older)...)
	slices.SortFunc(layout, func(x, y field) int { return x.low - y.low })
	put := func(half, width int, value *term.Term) {
		if halves[half] == nil {
			halves[half] = value
		} else {
			halves[half] = b.Concat(value, halves[half])
		}
		used[half] += width
	}
	for _, x := range layout {
		half, s := x.low/64, term.BitsSort(x.width)
		if gap := x.low%64 - used[half]; gap > 0 {
			put(half, gap, b.Bits(gap, 0))
		}
		value := b.Bits(x.width, 0)
		if e := f[x.name]; e != nil {
			if v, ok := e.Const(); ok && (v.Sign() < 0 || v.Cmp(index.Int(1<<x.width)) >= 0) && p.err == nil {
				p.err = fmt.Errorf("%s of %s is %s and has %d bits", x.name, opNames[code], v, x.width)
				e = p.b.Index.Const(0)
			}
			value = b.Number(s, e)
		}
		if e := bits[x.name]; e != nil {
			value = b.If(e, b.Bits(x.width, 1), value)
		}
		put(half, x.width, value)
	}
	for half := range halves {
		if gap := 64 - used[half]; gap > 0 {
			put(half, gap, b.Bits(gap, 0))
		}
	}
	return ila.Node{Values: halves[:], Text: opNames[code]}
}
