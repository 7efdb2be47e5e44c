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
	if max(m, n, k) > mostSize || int64(m)*int64(k)+int64(n)*int64(k)+int64(m)*int64(n) > mostBytes {
		return nil, fmt.Errorf("%dx%dx%d is too large: sizes are at most %d, operands together 256 MiB", m, n, k, mostSize)
	}
	mc, nc, kc := chunks(m, n/lanes, k/lanes, o)
	machine := NewModel(c)
	num := func(v int) *index.Expr { return machine.b.Index.Const(int64(v)) }
	count := func(size, chunk int) *index.Expr { return num((size + chunk - 1) / chunk) }
	last := func(size, chunk int) *index.Expr { return num((size-1)%chunk + 1) }
	nest, err := dense(machine, cut{m: num(m), n: num(n / lanes), k: num(k / lanes), mc: num(mc), nc: num(nc),
		kc: num(kc), ml: last(m, mc), nl: last(n/lanes, nc), kl: last(k/lanes, kc), ms: count(m, mc), ns: count(n/lanes, nc), ks: count(k/lanes, kc)}, o)
	if err != nil {
		return nil, err
	}
	t := nest.Task()
	t.Name = fmt.Sprintf("vta-dense %dx%dx%d", m, n, k)
	return t, nil
}

// What sizes of dense layers, and the bytes of operands and result, are at most, so that strides and offsets fit their fields.
const (
	mostSize  = 1 << 14
	mostBytes = 1 << 28
)

// A cut is the sizes of a dense layer, n and k in tiles, those of a chunk, the numbers of chunks, and the sizes of the last
// chunks, which may be smaller than the others; none is empty.
type cut struct{ m, n, k, mc, nc, kc, ms, ns, ks, ml, nl, kl *index.Expr }

// dense returns the loop nest of Dense. An error says which field an instruction does not fit.
func dense(machine *Machine, s cut, o DenseOptions) (*ila.Nest, error) {
	l := newLayer(machine, s, o)
	l.lay()
	l.nest.Body = l.body()
	l.nest.Result("out", 8, true, s.m, l.width)
	l.nest.Place = func(at []*index.Expr) ila.Cell {
		return ila.Cell{Memory: machine.DRAM, Address: l.sum(l.atOut, l.ix.Mul(at[0], l.width), at[1])}
	}
	l.nest.Contract = l.contract
	return l.nest, l.p.err
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
func (p *program) chunks(name string, count, chunk, rest *index.Expr,
	body func(i, at, size *index.Expr) []ila.Node) []ila.Node {
	ix := p.b.Index
	last := ix.AddInt(count, -1)
	before := ix.Mul(last, chunk)
	all := ila.Loop(name, last, func(i *index.Expr) []ila.Node { return body(i, ix.Mul(i, chunk), chunk) })
	return append([]ila.Node{all}, body(last, before, rest)...)
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
