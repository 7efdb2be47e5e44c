package vta

import (
	"cmp"
	"fmt"

	"tv/hwmodels/vta/plain"
	"tv/ila"
	"tv/semantics/index"
	"tv/semantics/term"
)

// Config holds the choices on which official implementations differ.
type Config struct {
	Name      string // of the implementation, or of a mixture
	Older     bool   // instruction words of before the widening of memory types and operations to 3 bits
	StoreAcc  bool   // STORE truncates accumulators instead of reading a memory of outputs
	ResetOut  bool   // GEMM with reset spoils the outputs: the low bits of what it would have computed
	Mul       string // what operation 4 of ALU does: mul, none (a fault)
	Shift     string // the amount of SHR: signed (negative is left), signed5, imm5 (left where imm is negative): the low 5 bits
	WrapIndex bool   // indices of memories wrap at their depth instead of being a fault
	Loads     string // whose LOADs, and counts of 0, it follows: fsim, hls, opencl or chisel (loads.go)
	NoFinish  bool   // a program may end without FINISH, as its last instruction ends it
	Tokens    int    // that a queue between units holds; 0: 8
	Commands  int    // instructions that wait before a unit; 0: 512
}

// depths returns the depths of queues.
func (c Config) depths() (tokens, commands int) {
	return cmp.Or(c.Tokens, 8), cmp.Or(c.Commands, 512)
}

// Configs are the four official implementations.
var Configs = []Config{
	{Name: "fsim", StoreAcc: true, Mul: "mul", Shift: "signed", Loads: "fsim"},
	{Name: "hls", ResetOut: true, Mul: "none", Shift: "signed5", Loads: "hls"},
	{Name: "opencl", ResetOut: true, Mul: "mul", Shift: "signed", Loads: "opencl", NoFinish: true},
	{Name: "chisel", Mul: "none", Shift: "imm5", Loads: "chisel"},
}

// Implementation returns the choices of an official implementation by its name.
func Implementation(name string) (Config, bool) {
	for _, c := range Configs {
		if c.Name == name {
			return c, true
		}
	}
	return Config{}, false
}

// Plain returns the machine in plain Go with the choices of c.
func Plain(c Config) *plain.Machine {
	return plain.New(plain.Choices{Older: c.Older, StoreAcc: c.StoreAcc, ResetOut: c.ResetOut, Mul: c.Mul, Shift: c.Shift,
		Wrap: c.WrapIndex, Loads: c.Loads, NoFinish: c.NoFinish})
}

// The machine's memories.
const (
	lanes    = 16
	wgtTile  = lanes * lanes
	inpTiles = 2048
	wgtTiles = 1024
	accTiles = 2048
	uops     = 8192
	dramSize = 1 << 32 // bytes
)

// Values of the register that says which loop runs.
const (
	idle = iota
	runUop
	runWgt
	runInp
	runAcc
	runAcc8
	runStore
	runGemm
	runReset
	runALU // and the operation
)

// A Machine is the model and those of its parts that drivers name.
type Machine struct {
	*ila.Model
	Config                        Config
	loading                       loading
	DRAM, Inp, Wgt, Acc, Out, Uop *ila.Var

	lo, hi, run        *ila.Var
	y, x, sram         *ila.Var
	itOut, itIn, u     *ila.Var
	l2g, g2l, g2s, s2g *ila.Var
	b                  *term.Builder
}

// field returns a field of the instruction word.
func (m *Machine) field(fields []field, name string) *term.Term {
	for _, f := range fields {
		if f.name == name {
			if f.low >= 64 {
				return m.b.Extract(m.hi.Term, f.low-64, f.width)
			}
			return m.b.Extract(m.lo.Term, f.low, f.width)
		}
	}
	panic("vta: no field " + name)
}

func (m *Machine) is(t *term.Term, n uint64) *term.Term {
	return m.b.Equal(t, m.b.Bits(t.Sort.Width, n))
}

func (m *Machine) all(list ...*term.Term) *term.Term {
	t := m.b.Truth(true)
	for _, x := range list {
		t = m.b.And(t, x)
	}
	return t
}

// NewModel returns the machine.
func NewModel(c Config) *Machine {
	model := ila.New("vta", "VTA: loads, stores, matrix products and element-wise operations on tiles.")
	m := &Machine{Model: model, Config: c, loading: loadingOf(c.Loads), b: model.B}
	m.Params = []ila.Param{
		{Name: ila.ParamImplementation, Value: c.Name, Doc: "whose choices the others are"},
		{Name: "older layout", Value: fmt.Sprint(c.Older), Doc: "memory types and operations of 2 bits"},
		{Name: "store reads accumulators", Value: fmt.Sprint(c.StoreAcc), Doc: "else a memory of outputs, " +
			"which LOAD ACC leaves stale"},
		{Name: "reset writes outputs", Value: fmt.Sprint(c.ResetOut), Doc: "with the low bits of old sum and product: no program may read them"},
		{Name: "operation 4", Value: c.Mul, Doc: "mul or none (a fault)"},
		{Name: "shift amounts", Value: c.Shift, Doc: "signed, signed5 or imm5 (5 bits, to the left where the immediate is negative)"},
		{Name: "indices wrap", Value: fmt.Sprint(c.WrapIndex), Doc: "else one beyond a memory is a fault"},
	}
	m.Params = append(m.Params, m.loading.params()...)
	m.Params = append(m.Params, ila.Param{Name: "ends without finish", Value: fmt.Sprint(c.NoFinish),
		Doc: "else a program without FINISH is a fault: the host waits for it"})
	tokens, commands := c.depths()
	m.Params = append(m.Params, ila.Param{Name: "depth of token queues", Value: fmt.Sprint(tokens), Doc: "a unit that pushes to a full one waits"},
		ila.Param{Name: "depth of instruction queues", Value: fmt.Sprint(commands), Doc: "instructions that wait before a unit"})
	m.Units = &ila.Units{Names: []string{"load", "compute", "store"}, Commands: commands, Recheck: m.recheck, Queues: []ila.TokenQueue{
		{Name: "load_to_gemm", From: "load", To: "compute", Depth: tokens}, {Name: "gemm_to_load", From: "compute", To: "load", Depth: tokens},
		{Name: "gemm_to_store", From: "compute", To: "store", Depth: tokens}, {Name: "store_to_gemm", From: "store", To: "compute", Depth: tokens}}}
	m.lo = m.Input("insn_lo", 64, "bits 63:0 of the instruction")
	m.hi = m.Input("insn_hi", 64, "bits 127:64 of the instruction")
	m.DRAM = m.Memory("dram", 8, dramSize, "shared memory, bytes").AddressedByPrograms()
	m.Inp = m.Memory("inp", 8, inpTiles*lanes, "inputs, 2048 tiles of 16").AddressedByPrograms()
	m.Wgt = m.Memory("wgt", 8, wgtTiles*wgtTile, "weights, 1024 tiles of 16x16, a row an output").AddressedByPrograms()
	m.Acc = m.Memory("acc", 32, accTiles*lanes, "accumulators, 2048 tiles of 16").AddressedByPrograms()
	m.Out = m.Memory("out", 8, accTiles*lanes, "outputs, 2048 tiles of 16").AddressedByPrograms()
	m.Uop = m.Memory("uop", 32, uops, "micro-operations: dst 10:0, src 21:11, wgt 31:22").AddressedByPrograms()
	m.l2g = m.Bits("load_to_gemm", 16, "tokens")
	m.g2l = m.Bits("gemm_to_load", 16, "tokens")
	m.g2s = m.Bits("gemm_to_store", 16, "tokens")
	m.s2g = m.Bits("store_to_gemm", 16, "tokens")
	m.run = m.Bits("run", 4, "the loop that runs; 0: none")
	done := m.Bits("done", 1, "FINISH was met")
	if !c.NoFinish {
		m.RequireEnd(m.is(done.Term, 1), ila.CodeFinish, "the program does not come to finish, which the host waits for")
	}
	m.y = m.Bits("y", 17, "row of a LOAD or STORE, padding included")
	m.x = m.Bits("x", 17, "column of a LOAD or STORE, padding included")
	m.sram = m.Bits("sram", 34, "tile of the memory that a LOAD writes or a STORE reads")
	m.itOut = m.Bits("it_out", 14, "outer iteration of GEMM or ALU")
	m.itIn = m.Bits("it_in", 14, "inner iteration of GEMM or ALU")
	m.u = m.Bits("u", 14, "micro-operation of GEMM or ALU")

	m.Invariant("run", "There is a loop of every number in run.",
		m.b.Not(m.b.LessU(m.b.Bits(4, runALU+uint64(len(aluNames))-1), m.run.Term)))
	m.instructions(done)
	m.loads()
	m.stores()
	m.gemm()
	m.alu()
	return m
}

// start adds an instruction that starts a loop.
func (m *Machine) start(name, doc string, decode *term.Term, run uint64, fields []field, unit string) *ila.Instruction {
	i := m.Instruction(name, doc, decode)
	i.Require(m.is(m.field(fields, "reserved"), 0), ila.CodeReserved, "reserved bits are set")
	var some *term.Term // whether the loop has an iteration
	if run <= runStore {
		some = m.walks(i, fields, run)
		i.Set(m.y, m.b.Bits(17, 0))
		i.Set(m.x, m.b.Bits(17, 0))
		i.Set(m.sram, m.b.ExtendU(m.field(fields, "sram"), 34))
	} else {
		begin := m.b.ExtendU(m.field(fields, "begin"), 14)
		some = m.all(m.b.Not(m.is(m.field(fields, "out"), 0)), m.b.Not(m.is(m.field(fields, "in"), 0)),
			m.b.LessU(begin, m.field(fields, "end")))
		if m.loading.around {
			i.Require(some, ila.CodeOperand, "this implementation counts round where there is no iteration or micro-operation")
		}
		i.Set(m.itOut, m.b.Bits(14, 0))
		i.Set(m.itIn, m.b.Bits(14, 0))
		i.Set(m.u, begin)
	}
	i.Set(m.run, m.b.Choose(some, m.b.Bits(4, run), m.b.Bits(4, idle)))
	m.tokens(i, unit)
	return i
}

// tokens adds what the four dependency bits of an instruction do; unit is load, compute or store.
func (m *Machine) tokens(i *ila.Instruction, unit string) {
	i.Issue = &ila.Issue{Unit: unit}
	type queue struct{ pop, push *ila.Var }
	prev, next := queue{}, queue{}
	switch unit {
	case "load":
		next = queue{m.g2l, m.l2g}
	case "compute":
		prev, next = queue{m.l2g, m.g2l}, queue{m.s2g, m.g2s}
	case "store":
		prev = queue{m.g2s, m.s2g}
	}
	for _, side := range []struct {
		name string
		q    queue
	}{{"prev", prev}, {"next", next}} {
		pop, push := m.field(common, "pop_"+side.name), m.field(common, "push_"+side.name)
		if side.q.pop == nil {
			i.Require(m.is(m.b.Or(pop, push), 0), ila.CodeReserved,
				"the "+unit+" unit has no queue to the "+side.name+" unit")
			continue
		}
		none := m.is(side.q.pop.Term, 0)
		i.Require(m.b.Or(m.is(pop, 0), m.b.Not(none)), ila.CodeToken, "pops "+side.q.pop.Name+", which is empty")
		full := m.is(side.q.push.Term, 1<<16-1)
		i.Require(m.b.Or(m.is(push, 0), m.b.Not(full)), ila.CodeToken, "pushes "+side.q.push.Name+", which is full")
		i.Set(side.q.pop, m.b.SubBits(side.q.pop.Term, m.b.ExtendU(pop, 16)))
		i.Set(side.q.push, m.b.AddBits(side.q.push.Term, m.b.ExtendU(push, 16)))
		i.Issue.Pops = append(i.Issue.Pops, ila.Token{Queue: m.Units.QueueNamed(side.q.pop.Name), When: pop})
		i.Issue.Pushes = append(i.Issue.Pushes, ila.Token{Queue: m.Units.QueueNamed(side.q.push.Name), When: push})
	}
}

func (m *Machine) instructions(done *ila.Var) {
	b := m.b
	op := m.field(common, "op")
	memory := memoryFields(m.Config.Older)
	mem := m.field(memory, "mem")
	legal := b.Truth(false)
	either := func(t *term.Term) *term.Term { legal = b.Or(legal, t); return t }
	kinds := []struct {
		mem, run uint64
		unit     string
	}{{MemUop, runUop, "compute"}, {MemWgt, runWgt, "load"}, {MemInp, runInp, "load"}, {MemAcc, runAcc, "compute"},
		{MemAcc8, runAcc8, "compute"}}
	for _, k := range kinds {
		if k.mem >= 1<<mem.Sort.Width {
			continue // the older layout cannot say it
		}
		decode := either(m.all(m.is(op, OpLoad), m.is(mem, k.mem)))
		i := m.start("load-"+memNames[k.mem], m.loading.doc(k.mem), decode, k.run, memory, k.unit)
		if k.mem == MemAcc8 && !m.loading.acc8 {
			i.Require(b.Truth(false), ila.CodeOperand, "this implementation has no memory type acc8")
		}
	}
	out := either(m.is(op, OpStore))
	store := m.start("store", "Stores y rows of x tiles of 16 bytes, rows stride tiles apart in DRAM.",
		out, runStore, memory, "store")
	if mem.Sort.Width == 3 {
		store.Require(m.is(mem, MemOut), ila.CodeOperand, "only the memory of outputs is stored")
	}
	for _, pad := range []string{"ypad0", "ypad1", "xpad0", "xpad1"} {
		store.Require(m.is(m.field(memory, pad), 0), ila.CodeReserved, "a store has no padding")
	}
	reset := m.field(gemmFields, "reset")
	m.start("gemm", "Adds inp[src]·wgt[wgt] to acc[dst] for each outer, inner iteration and micro-operation.",
		either(m.all(m.is(op, OpGemm), m.is(reset, 0))), runGemm, gemmFields, "compute")
	m.start("gemm-reset", "Writes zeros to acc[dst] for each outer, inner iteration and micro-operation.",
		either(m.all(m.is(op, OpGemm), m.is(reset, 1))), runReset, gemmFields, "compute")
	alu := aluFields(m.Config.Older)
	code := m.field(alu, "alu")
	for n, name := range aluNames {
		if n >= 1<<code.Sort.Width {
			continue
		}
		decode := either(m.all(m.is(op, OpALU), m.is(code, uint64(n))))
		i := m.start("alu-"+name, "Replaces acc[dst] by its "+name+" with acc[src] or an immediate number.",
			decode, runALU+uint64(n), alu, "compute")
		if n == ALUMul && m.Config.Mul == "none" {
			i.Require(m.b.Truth(false), ila.CodeOperand, "this implementation has no operation 4")
		}
	}
	finish := m.Instruction("finish", "Ends the program.", either(m.is(op, OpFinish)))
	finish.Set(done, b.Bits(1, 1))
	finish.Issue = &ila.Issue{Unit: "compute", Last: true}
	for _, name := range []string{"pop_prev", "pop_next", "push_prev", "push_next"} {
		finish.Require(m.is(m.field(common, name), 0), ila.CodeReserved, "finish waits for no token and gives none")
	}
	illegal := m.Instruction("illegal", "Everything else: a fault.", b.Not(legal))
	illegal.Require(b.Truth(false), ila.CodeOperand, "no such opcode, memory type or operation")
	illegal.Issue = &ila.Issue{Unit: "compute"}
}

// index returns a tile of a memory as an address, wrapped where the implementation does.
func (m *Machine) index(t *term.Term, tiles uint64) *term.Term {
	if m.Config.WrapIndex {
		return m.At(m.b.Extract(t, 0, term.WidthFor(tiles)))
	}
	return m.At(t)
}

// next2 adds the step of the loop over rows and columns.
func (m *Machine) next2(i *ila.Instruction, fields []field, run uint64) {
	b := m.b
	one := b.Bits(17, 1)
	x := b.AddBits(m.x.Term, one)
	y := b.AddBits(m.y.Term, one)
	row := b.Equal(x, m.width(fields, run))
	last := b.And(row, b.Equal(y, m.height(fields, run)))
	i.Set(m.x, b.Choose(row, b.Bits(17, 0), x))
	i.Set(m.y, b.Choose(row, y, m.y.Term))
	i.Set(m.sram, b.AddBits(m.sram.Term, b.Bits(34, 1)))
	i.Set(m.run, b.Choose(last, b.Bits(4, idle), m.run.Term))
}

func (m *Machine) stores() {
	b := m.b
	fields := memoryFields(m.Config.Older)
	i := m.Child("store", "One tile of a STORE.").Instruction("tile", "One tile.", m.is(m.run.Term, runStore))
	tile := b.AddBits(m.At(m.field(fields, "dram"), b.MulBits(m.At(m.y.Term), m.At(m.field(fields, "stride")))),
		m.At(m.x.Term))
	j := m.Counter("j", lanes)
	from := b.AddBits(b.MulBits(m.Address(lanes), m.index(m.sram.Term, accTiles)), m.CountAt(j))
	value := m.Load(m.Out, from)
	if m.Config.StoreAcc {
		value = b.Extract(m.Load(m.Acc, from), 0, 8)
	}
	i.Each(j, ila.StoreTo{Memory: m.DRAM,
		Address: b.AddBits(b.MulBits(m.Address(lanes), tile), m.CountAt(j)), Value: value})
	m.next2(i, fields, runStore)
}

// affine returns first + it_out·outer + it_in·inner, a tile.
func (m *Machine) affine(fields []field, first *term.Term, outer, inner string) *term.Term {
	b := m.b
	return m.At(first, b.MulBits(m.At(m.itOut.Term), m.At(m.field(fields, outer))),
		b.MulBits(m.At(m.itIn.Term), m.At(m.field(fields, inner))))
}

// next3 adds the step of the loop over iterations and micro-operations.
func (m *Machine) next3(i *ila.Instruction, fields []field) {
	b := m.b
	one := b.Bits(14, 1)
	u, in, out := b.AddBits(m.u.Term, one), b.AddBits(m.itIn.Term, one), b.AddBits(m.itOut.Term, one)
	endU := b.Equal(u, m.field(fields, "end"))
	endIn := b.And(endU, b.Equal(in, m.field(fields, "in")))
	endOut := b.And(endIn, b.Equal(out, m.field(fields, "out")))
	i.Set(m.u, b.Choose(endU, b.ExtendU(m.field(fields, "begin"), 14), u))
	i.Set(m.itIn, b.Choose(endIn, b.Bits(14, 0), b.Choose(endU, in, m.itIn.Term)))
	i.Set(m.itOut, b.Choose(endIn, out, m.itOut.Term))
	i.Set(m.run, b.Choose(endOut, b.Bits(4, idle), m.run.Term))
}

func (m *Machine) gemm() {
	b := m.b
	child := m.Child("gemm", "One micro-operation of a GEMM.")
	uop := m.Load(m.Uop, m.At(m.u.Term))
	dst := m.index(m.affine(gemmFields, b.Extract(uop, 0, 11), "dst_out", "dst_in"), accTiles)
	src := m.index(m.affine(gemmFields, b.Extract(uop, 11, 11), "src_out", "src_in"), inpTiles)
	wgt := m.index(m.affine(gemmFields, b.Extract(uop, 22, 10), "wgt_out", "wgt_in"), wgtTiles)
	for _, reset := range []bool{false, true} {
		name, run := "multiply", uint64(runGemm)
		doc := "acc[dst][j] += the sum over k < 16 of inp[src][k]·wgt[wgt][j][k], modulo 2^32; out is its low byte."
		if reset {
			name, run, doc = "reset", runReset, "acc[dst][j] = 0."
		}
		i := child.Instruction(name, doc, m.is(m.run.Term, run))
		j, k := m.Counter("j", lanes), m.Counter("k", lanes)
		left := b.AddBits(b.MulBits(m.Address(lanes), src), m.CountAt(k))
		row := b.AddBits(b.MulBits(m.Address(wgtTile), wgt), b.MulBits(m.Address(lanes), m.CountAt(j)))
		right := b.AddBits(row, m.CountAt(k))
		at := b.AddBits(b.MulBits(m.Address(lanes), dst), m.CountAt(j))
		sum := b.Reduce(term.Sum, []*index.Atom{k}, b.MulBits(b.ExtendS(m.Load(m.Inp, left), 32),
			b.ExtendS(m.Load(m.Wgt, right), 32)))
		value := b.AddBits(m.Load(m.Acc, at), sum)
		stores := []ila.StoreTo{{Memory: m.Acc, Address: at, Value: value},
			{Memory: m.Out, Address: at, Value: b.Extract(value, 0, 8)}}
		if reset {
			stores[0].Value = b.Bits(32, 0)
			stores[1].Value = nil // what the outputs hold afterwards depends on sums that may have no value
			if !m.Config.ResetOut {
				stores = stores[:1]
			}
		}
		i.Each(j, stores...)
		m.next3(i, gemmFields)
	}
}

func (m *Machine) alu() {
	b := m.b
	fields := aluFields(m.Config.Older)
	child := m.Child("alu", "One micro-operation of an ALU instruction.")
	uop := m.Load(m.Uop, m.At(m.u.Term))
	dst := m.index(m.affine(fields, b.Extract(uop, 0, 11), "dst_out", "dst_in"), accTiles)
	src := m.index(m.affine(fields, b.Extract(uop, 11, 11), "src_out", "src_in"), accTiles)
	for n, name := range aluNames {
		if n >= 1<<m.field(fields, "alu").Sort.Width {
			continue
		}
		i := child.Instruction(name, "acc[dst][j] = acc[dst][j] "+name+" the operand; out is its low byte.",
			m.is(m.run.Term, runALU+uint64(n)))
		j := m.Counter("j", lanes)
		at := b.AddBits(b.MulBits(m.Address(lanes), dst), m.CountAt(j))
		from := b.AddBits(b.MulBits(m.Address(lanes), src), m.CountAt(j))
		x := m.Load(m.Acc, at)
		y := b.Choose(m.is(m.field(fields, "use_imm"), 1), b.ExtendS(m.field(fields, "imm"), 32), m.Load(m.Acc, from))
		value := m.operation(n, x, y, m.is(b.Extract(m.field(fields, "imm"), 15, 1), 1))
		i.Each(j, ila.StoreTo{Memory: m.Acc, Address: at, Value: value},
			ila.StoreTo{Memory: m.Out, Address: at, Value: b.Extract(value, 0, 8)})
		m.next3(i, fields)
	}
}

// operation returns what an operation of ALU computes, in 32 bits; negative tells whether its immediate is.
func (m *Machine) operation(n int, x, y, negative *term.Term) *term.Term {
	b := m.b
	zero := b.Bits(32, 0)
	switch n {
	case ALUMin:
		return b.MinS(x, y)
	case ALUMax:
		return b.MaxS(x, y)
	case ALUAdd:
		return b.AddBits(x, y)
	case ALUShr:
		amount := y
		switch m.Config.Shift {
		case "imm5":
			low := b.Extract(y, 0, 5)
			return b.Choose(negative, b.Shl(x, b.ExtendU(b.NegBits(low), 32)), b.ShrS(x, b.ExtendU(low, 32)))
		case "signed5":
			amount = b.ExtendS(b.Extract(y, 0, 5), 32)
		}
		return b.Choose(b.LessS(amount, zero), b.Shl(x, b.NegBits(amount)), b.ShrS(x, amount))
	}
	return b.MulBits(x, y)
}
