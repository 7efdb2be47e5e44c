package vta

import (
	"fmt"

	"tv/ila"
	"tv/semantics/term"
)

// DenseOptions are what a dense layer does after the product.
type DenseOptions struct {
	Bias  bool // adds bias[j], int32
	Relu  bool // max(x, 0) instead of max(x, -127)
	Shift int  // divides by 2^Shift, rounding down; 0 to 31

	// Choices of the driver that change no value. A chunk of 0 is as large as fits.
	ChunkM, ChunkN, ChunkK int    // tiles
	Order                  string // nm or mn (default): which chunk loop is the outer one

	// mutate changes an instruction before it is encoded, or drops it; tests only.
	mutate func(n int, f Fields) bool
}

// Dense returns the program for out = clip((a·wᵀ + bias) >> shift) with a [m][k], w [n][k] and out [m][n]
// int8, all sizes multiples of 16, and its contract: the sum is of int32 modulo 2^32, the shift rounds down,
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
	const most = 1 << 14 // so that strides and offsets fit their fields
	if max(m, n, k) > most || int64(m)*int64(k)+int64(n)*int64(k)+int64(m)*int64(n) > 1<<28 {
		return nil, fmt.Errorf("%dx%dx%d is too large: sizes are at most %d, operands together 256 MiB", m, n, k, most)
	}
	nt, kt := n/lanes, k/lanes
	machine := NewModel(c)
	b := machine.b
	t := &ila.Task{Name: fmt.Sprintf("vta-dense %dx%dx%d", m, n, k), Model: machine.Model}
	t.Claim = fmt.Sprintf("out[i,j] = min(max((sum(k < %d) a[i,k]·w[j,k]%s) >> %d, %d), 127), sums modulo 2^32",
		k, map[bool]string{true: " + bias[j]"}[o.Bias], o.Shift, lowest(o))
	a := t.Declare("a", 8, true, m, k)
	w := t.Declare("w", 8, true, n, k)
	var bias *ila.Tensor
	if o.Bias {
		bias = t.Declare("bias", 32, true, n)
	}

	// where things lie in DRAM, in bytes
	next := uint64(0)
	area := func(size int) uint64 {
		at := next
		next += (uint64(size) + 4095) / 4096 * 4096
		return at
	}
	atA, atW, atOut, atUop := area(m*k), area(n*k), area(m*n), area(16*lanes)
	atBias := uint64(0)
	if o.Bias {
		// accumulators are loaded m rows deep, each row the same
		atBias = area(4 * n)
	}
	for i := range m {
		for x := range k {
			t.PutBytes(machine.DRAM, atA+uint64(i*k+x), t.Element(a, i*k+x))
		}
	}
	for j := range n {
		for x := range k {
			at := ((j/lanes*kt+x/lanes)*lanes+j%lanes)*lanes + x%lanes
			t.PutBytes(machine.DRAM, atW+uint64(at), t.Element(w, j*k+x))
		}
	}
	if o.Bias {
		for j := range n {
			t.PutBytes(machine.DRAM, atBias+uint64(4*j), t.Element(bias, j))
		}
	}
	// one micro-operation: tile 0 of everything; the factors of the loops do the rest
	t.PutBytes(machine.DRAM, atUop, b.Bits(32, 0))

	p := program{t: t, older: c.Older, mutate: o.mutate}
	p.add(Fields{"op": OpLoad, "mem": MemUop, "dram": atUop / 4, "y": 1, "x": 1, "stride": 1, "push_prev": 0})
	mc, nc, kc := chunks(m, nt, kt, o)
	chunk := func(mb, nb int) {
		rows, tiles := min(mc, m-mb), min(nc, nt-nb)
		loop := Fields{"end": 1, "out": uint64(rows), "in": uint64(tiles), "dst_out": uint64(tiles), "dst_in": 1}
		with := func(extra Fields) Fields {
			f := Fields{}
			for _, from := range []Fields{loop, extra} {
				for name, v := range from {
					f[name] = v
				}
			}
			return f
		}
		if o.Bias {
			// a LOAD with stride 0 repeats the row of biases
			p.add(Fields{"op": OpLoad, "mem": MemAcc, "dram": atBias/64 + uint64(nb), "y": uint64(rows),
				"x": uint64(tiles), "stride": 0})
		} else {
			p.add(with(Fields{"op": OpGemm, "reset": 1}))
		}
		for kb := 0; kb < kt; kb += kc {
			depth := min(kc, kt-kb)
			first := uint64(0)
			if kb > 0 || mb > 0 || nb > 0 {
				first = 1
			}
			p.add(Fields{"op": OpLoad, "mem": MemInp, "dram": atA/lanes + uint64(mb*kt+kb), "y": uint64(rows),
				"x": uint64(depth), "stride": uint64(kt), "pop_next": first})
			p.add(Fields{"op": OpLoad, "mem": MemWgt, "dram": atW/wgtTile + uint64(nb*kt+kb), "y": uint64(tiles),
				"x": uint64(depth), "stride": uint64(kt), "push_next": 1})
			// one GEMM a tile of k: rows outside, tiles of n inside
			for d := range depth {
				f := with(Fields{"op": OpGemm, "src_out": uint64(depth), "wgt_in": uint64(depth)})
				f["begin"], f["end"] = uint64(d), uint64(d+1)
				if d == 0 {
					f["pop_prev"] = 1
				}
				if d == depth-1 {
					f["push_prev"] = 1
				}
				p.add(f)
			}
		}
		if o.Shift > 0 {
			p.add(with(Fields{"op": OpALU, "alu": ALUShr, "use_imm": 1, "imm": uint64(o.Shift), "src_out": uint64(tiles),
				"src_in": 1}))
		}
		p.add(with(Fields{"op": OpALU, "alu": ALUMax, "use_imm": 1, "imm": uint64(uint16(lowest(o))),
			"src_out": uint64(tiles), "src_in": 1}))
		p.add(with(Fields{"op": OpALU, "alu": ALUMin, "use_imm": 1, "imm": 127, "src_out": uint64(tiles), "src_in": 1,
			"push_next": 1}))
		mem := uint64(MemOut)
		if c.Older {
			mem = 0 // its two bits cannot say OUT, and STORE knows nothing else
		}
		p.add(Fields{"op": OpStore, "mem": mem, "dram": atOut/lanes + uint64(mb*nt+nb), "y": uint64(rows),
			"x": uint64(tiles), "stride": uint64(nt), "pop_prev": 1, "push_prev": 1})
		p.pendingStore = true
	}
	if o.Order == "nm" {
		for nb := 0; nb < nt; nb += nc {
			for mb := 0; mb < m; mb += mc {
				chunk(mb, nb)
			}
		}
	} else {
		for mb := 0; mb < m; mb += mc {
			for nb := 0; nb < nt; nb += nc {
				chunk(mb, nb)
			}
		}
	}
	p.add(Fields{"op": OpFinish})
	// micro-operation d reads tile d of a row of inputs and of weights
	for d := 1; d < kc; d++ {
		t.PutBytes(machine.DRAM, atUop+uint64(4*d), b.Bits(32, uint64(d)<<11|uint64(d)<<22))
	}
	if kc > 1 {
		t.Steps[0] = p.step(Fields{"op": OpLoad, "mem": MemUop, "dram": atUop / 4, "y": 1, "x": uint64(kc), "stride": 1})
	}
	if p.err != nil {
		return nil, p.err
	}

	t.Output = ila.Tensor{Name: "out", Dims: []int{m, n}, Width: 8, Signed: true}
	t.Places = func(flat int) []ila.Place {
		return []ila.Place{{Memory: machine.DRAM, Address: atOut + uint64(flat)}}
	}
	t.Contract = func(flat int) *term.Term {
		i, j := flat/n, flat%n
		pairs := make([]*term.Term, 0, 2*k)
		for x := range k {
			pairs = append(pairs, t.Element(a, i*k+x), t.Element(w, j*k+x))
		}
		sum := b.Dot(32, pairs...)
		if o.Bias {
			sum = b.AddBits(sum, t.Element(bias, j))
		}
		if o.Shift > 0 {
			sum = b.ShrS(sum, b.Bits(32, uint64(o.Shift)))
		}
		least, most := b.Bits(32, uint64(int64(lowest(o)))), b.Bits(32, 127)
		low := b.Choose(b.LessS(sum, least), least, sum)
		return b.Extract(b.Choose(b.LessS(low, most), low, most), 0, 8)
	}
	return t, nil
}

func lowest(o DenseOptions) int {
	if o.Relu {
		return 0
	}
	return -127
}

// chunks returns how many rows, tiles of n and tiles of k a chunk has, so that operands and accumulators fit.
func chunks(m, nt, kt int, o DenseOptions) (mc, nc, kc int) {
	pick := func(wanted, size, limit int) int {
		if wanted <= 0 {
			wanted = size
		}
		return max(1, min(wanted, size, limit))
	}
	kc = pick(o.ChunkK, kt, 64) // a micro-operation each
	nc = pick(o.ChunkN, nt, wgtTiles/kc)
	mc = pick(o.ChunkM, m, min(inpTiles/kc, accTiles/nc))
	return mc, nc, kc
}

// A program collects the instructions of a driver.
type program struct {
	t            *ila.Task
	older        bool
	count        int
	mutate       func(int, Fields) bool
	pendingStore bool // a store is on its way whose token the next chunk takes
	err          error
}

func (p *program) add(f Fields) {
	if f["op"] == OpGemm || f["op"] == OpLoad && f["mem"] == MemAcc {
		// the first to write accumulators after a store waits for it
		if p.pendingStore {
			f["pop_next"] = 1
			p.pendingStore = false
		}
	}
	p.count++
	if p.mutate != nil && !p.mutate(p.count-1, f) {
		return
	}
	p.t.Steps = append(p.t.Steps, p.step(f))
}

func (p *program) step(f Fields) ila.Step {
	w, err := Encode(f, p.older)
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("%v: %w", f, err)
	}
	return p.word(w, f)
}

func (p *program) word(w Word, f Fields) ila.Step {
	b := p.t.Model.B
	return ila.Step{Values: []*term.Term{b.Bits(64, w.Low), b.Bits(64, w.High)}, Text: f.String()}
}
