package synth

import (
	"math/big"

	"tv/semantics/bits/flat"
)

// mask48 is the width of the slice's adder.
const mask48 = 1<<48 - 1

// An operand is what is connected to a data pin: an input, extended by its sign or by zeros, or all zeros or ones.
type operand struct {
	input  int // below 0: a constant
	signed bool
	ones   bool
}

// unused is a pin that nothing reads.
var unused = operand{input: -1}

// value is an operand at a pin of a width.
func (o operand) value(p *pool, sample, width int) uint64 {
	all := uint64(1)<<width - 1
	if o.input < 0 {
		if o.ones {
			return all
		}
		return 0
	}
	v := p.in[sample][o.input]
	if w := p.inputs[o.input].width; o.signed && v>>(w-1)&1 == 1 {
		v |= ^uint64(0) << w
	}
	return v & all
}

// nets are an operand as bits of a module.
func (o operand) nets(b *builder, inputs []port, width int) []flat.Bit {
	out := make([]flat.Bit, width)
	for i := range out {
		switch {
		case o.input < 0 && o.ones:
			out[i] = flat.Bit{Signal: flat.Constant, Index: 1}
		case o.input < 0:
			out[i] = flat.Bit{Signal: flat.Constant}
		case i < inputs[o.input].width:
			out[i] = flat.Bit{Signal: b.ports[inputs[o.input].name], Index: i}
		case o.signed:
			out[i] = out[i-1]
		default:
			out[i] = flat.Bit{Signal: flat.Constant}
		}
	}
	return out
}

// A pool is inputs that candidates are tried on, and what the output is for each.
type pool struct {
	inputs []port
	width  int // of the output
	in     [][]uint64
	want   []uint64
}

func (p *pool) mask() uint64 { return 1<<p.width - 1 }

// operands are what may be connected to a pin of a width, constants first.
func (p *pool) operands(width int) []operand {
	out := []operand{{input: -1}, {input: -1, ones: true}}
	for i, in := range p.inputs {
		if in.width <= width {
			out = append(out, operand{input: i})
		}
		if in.width < width {
			out = append(out, operand{input: i, signed: true})
		}
	}
	return out
}

func signExtend(v uint64, width int) uint64 { return uint64(int64(v<<(64-width)) >> (64 - width)) }

// The forms of a product: A times B, and with the sum of the pre-adder for either or both.
const (
	plain  = iota // A·B
	adTimB        // (D±A)·B
	aTimAD        // A·(D±B), of whose sum the low 18 bits count
	square        // (D±A)·(D±A)
	forms
)

// A product is what the multiplier is given.
type product struct {
	form    int
	a, b, d operand
	minus   bool // D-A or D-B
}

// value is the product for a sample, modulo 2^48.
func (m *product) value(p *pool, sample int) uint64 {
	a, b := signExtend(m.a.value(p, sample, 27), 27), signExtend(m.b.value(p, sample, 18), 18)
	if m.form == plain {
		return a * b & mask48
	}
	with := a
	if m.form == aTimAD {
		with = b
	}
	ad := m.d.value(p, sample, 27)
	if m.minus {
		ad -= with
	} else {
		ad += with
	}
	switch m.form {
	case adTimB:
		return signExtend(ad, 27) * b & mask48
	case aTimAD:
		return a * signExtend(ad, 18) & mask48
	}
	return signExtend(ad, 27) * signExtend(ad, 18) & mask48
}

// What goes into an adder of four words, by the names of its fields: W, X, Y and Z.
const (
	none = iota
	useM
	useAB   // X
	useC    // W, Y, Z
	useOnes // Y
	useRND  // W
	usePCIN // Z
)

// A slice is a configuration, without its registers.
type slice struct {
	w, x, y, z int
	alu        int
	m          product
	ab, c      operand // ab over both pins
	carry      bool
	round      uint64
	r          registers
	cascade    *slice // whose P is PCIN
}

// registers of a slice.
type registers struct{ a, b, c, d, ad, m, p int }

// sides are W+X+Y and Z for a sample; pcin is what comes from the slice before.
func (s *slice) value(p *pool, sample int) uint64 {
	m, c := uint64(0), uint64(0)
	if s.x == useM {
		m = s.m.value(p, sample)
	}
	if s.w == useC || s.y == useC || s.z == useC {
		c = s.c.value(p, sample, 48)
	}
	of := func(use int) uint64 {
		switch use {
		case useM:
			return m
		case useAB:
			return s.ab.value(p, sample, 48)
		case useC:
			return c
		case useOnes:
			return mask48
		case useRND:
			return s.round
		case usePCIN:
			return s.cascade.value(p, sample)
		}
		return 0
	}
	return s.result(of(s.w), of(s.x), of(s.y), of(s.z))
}

// result is what the adder makes of its words.
func (s *slice) result(w, x, y, z uint64) uint64 {
	carry := uint64(0)
	if s.carry {
		carry = 1
	}
	rest := w + x + y + carry
	var out uint64
	switch s.alu >> 2 {
	case 0:
		out = [...]uint64{z + rest, rest - z - 1, -(z + rest) - 1, z - rest}[s.alu]
	default:
		if s.alu&1 == 1 {
			z = ^z
		}
		if out = x ^ y ^ z; s.alu>>3 == 1 {
			out = x&y | x&z | y&z
		}
		if s.alu&2 == 2 {
			out = ^out
		}
	}
	return out & mask48
}

// staged chooses registers so that each operand is late by so many cycles; false where the slice has not as many.
func (s *slice) staged(latency int) bool {
	for _, p := range []int{1, 0} {
		for _, m := range []int{1, 0} {
			for _, ad := range []int{1, 0} {
				if s.registered(latency, registers{p: p, m: m, ad: ad}) {
					return true
				}
			}
		}
	}
	return false
}

// registered chooses the registers of operands where those behind them are given.
func (s *slice) registered(latency int, r registers) bool {
	left := latency - r.p
	within := func(n, most int) bool { return n >= 0 && n <= most }
	uses := s.w == useC || s.y == useC || s.z == useC
	if r.c = left; !uses {
		r.c = 0
	} else if !within(r.c, 1) {
		return false
	}
	switch {
	case s.x == useM:
		direct := left - r.m
		added := direct - r.ad
		if s.m.form == plain && r.ad == 1 {
			return false
		}
		r.a, r.b = direct, direct
		if s.m.form != plain {
			if r.d = added; !within(r.d, 1) {
				return false
			}
			switch s.m.form {
			case adTimB:
				r.a = added
			case aTimAD:
				r.b = added
			case square:
				r.a, r.b = added, 0
			}
		}
	case r.m == 1 || r.ad == 1:
		return false
	case s.x == useAB:
		r.a, r.b = left, left
	}
	if !within(r.a, 2) || !within(r.b, 2) {
		return false
	}
	if s.cascade != nil && (left < 0 || !s.cascade.staged(left)) {
		return false
	}
	if !uses && s.x == none && s.cascade == nil && left != 0 { // nothing that could be late
		return false
	}
	s.r = r
	return true
}

// products are all ways to use the multiplier, simple ones first.
func (p *pool) products(each func(*product) bool) {
	as, bs, ds := p.operands(27), p.operands(18), p.operands(27)
	for form := range forms {
		for _, a := range as {
			for _, b := range bs {
				if form == square && b.input >= 0 {
					continue
				}
				if form == plain {
					if a.input >= 0 || b.input >= 0 {
						if !each(&product{form: form, a: a, b: b}) {
							return
						}
					}
					continue
				}
				for _, d := range ds {
					for _, minus := range []bool{false, true} {
						if !each(&product{form: form, a: a, b: b, d: d, minus: minus}) {
							return
						}
					}
				}
			}
		}
	}
}

// adders are all ways to add to a word at X. Those without C come first.
func adders(x int, zs []int, rounds []uint64) (list []slice) {
	ys := []int{none}
	if x != useM {
		ys = []int{none, useC, useOnes}
	}
	for _, c := range []bool{false, true} {
		for _, z := range zs {
			for _, y := range ys {
				for _, w := range []int{none, useC, useRND} {
					if c != (z == useC || y == useC || w == useC) || w == useRND && len(rounds) == 0 {
						continue
					}
					for alu := range 16 {
						if alu>>2 == 2 || alu>>2 != 0 && w != none {
							continue
						}
						of := []uint64{0}
						if w == useRND {
							of = rounds
						}
						for _, r := range of {
							s := slice{w: w, x: x, y: y, z: z, alu: alu, round: r}
							if list = append(list, s); alu>>2 == 0 {
								s.carry = true
								list = append(list, s)
							}
						}
					}
				}
			}
		}
	}
	return list
}

// slices are the configurations of one slice that fit the pool, in order, until each has enough; two has a second slice in front.
func (p *pool) slices(latency int, rounds []uint64, two bool, each func(*slice) bool) {
	zs := []int{none, useC}
	if two {
		zs = []int{usePCIN}
	}
	cs := p.operands(48)
	try := func(x slice, xs []uint64, list []slice, fronts []front) bool {
		for _, k := range list {
			k.m, k.ab = x.m, x.ab
			choices := cs
			if k.w != useC && k.y != useC && k.z != useC {
				choices = cs[:1]
			}
			for _, c := range choices {
				k.c = c
				for i := range fronts {
					if !p.matches(&k, xs, &fronts[i]) {
						continue
					}
					fit := k
					if fit.cascade = fronts[i].slice; fit.cascade != nil {
						copied := *fit.cascade
						fit.cascade = &copied
					}
					if fit.staged(latency) && !each(&fit) {
						return false
					}
				}
			}
		}
		return true
	}
	words := func(f func(sample int) uint64) []uint64 {
		out := make([]uint64, len(p.want))
		for i := range out {
			out[i] = f(i)
		}
		return out
	}
	simple := []front{{values: make([]uint64, len(p.want))}}
	passes, multiplied := simple, simple
	if two {
		passes, multiplied = p.fronts()
	}
	withAB, withM := adders(useAB, zs, rounds), adders(useM, zs, rounds)
	nothing := adders(none, zs, rounds)
	zero := make([]uint64, len(p.want))
	if !try(slice{}, zero, nothing, multiplied) {
		return
	}
	for _, o := range p.operands(48) {
		if o.input >= 0 && !try(slice{ab: o}, words(func(i int) uint64 { return o.value(p, i, 48) }), withAB, multiplied) {
			return
		}
	}
	p.products(func(m *product) bool {
		fronts := passes
		if two && m.form == plain {
			fronts = append(passes[:len(passes):len(passes)], multiplied...)
		}
		return try(slice{m: *m}, words(func(i int) uint64 { return m.value(p, i) }), withM, fronts)
	})
}

// A front is a slice whose result goes to the next one, with its values.
type front struct {
	slice  *slice
	values []uint64
}

// fronts are slices that hand on an operand, and such that multiply.
func (p *pool) fronts() (passes, multiplied []front) {
	values := func(s *slice) front {
		f := front{slice: s}
		for i := range p.want {
			f.values = append(f.values, s.value(p, i))
		}
		return f
	}
	for _, c := range p.operands(48) {
		if c.input >= 0 {
			passes = append(passes, values(&slice{z: useC, c: c, ab: unused}))
		}
	}
	p.products(func(m *product) bool {
		if m.form > adTimB {
			return false
		}
		constant := m.a.input < 0 || m.b.input < 0 || m.form != plain && m.d.input < 0
		if !constant {
			multiplied = append(multiplied, values(&slice{x: useM, m: *m, c: unused, ab: unused}))
		}
		return true
	})
	return passes, multiplied
}

// matches is fits where the words at X and PCIN are known.
func (p *pool) matches(s *slice, xs []uint64, f *front) bool {
	for i := range p.want {
		c := uint64(0)
		if s.w == useC || s.y == useC || s.z == useC {
			c = s.c.value(p, i, 48)
		}
		of := func(use int) uint64 {
			switch use {
			case useM, useAB:
				return xs[i]
			case useC:
				return c
			case useOnes:
				return mask48
			case useRND:
				return s.round
			case usePCIN:
				return f.values[i]
			}
			return 0
		}
		if (s.result(of(s.w), of(s.x), of(s.y), of(s.z))^p.want[i])&p.mask() != 0 {
			return false
		}
	}
	return true
}

// place puts a slice into a module, those before it first; it returns the bits of P.
func (s *slice) place(b *builder, inputs []port) []flat.Bit { return s.placed(b, inputs, nil) }

// placed is place; pcout is what PCOUT drives, if anything.
func (s *slice) placed(b *builder, inputs []port, pcout []flat.Bit) []flat.Bit {
	row := func(signal, n int) (out []flat.Bit) {
		for i := range n {
			out = append(out, flat.Bit{Signal: signal, Index: i})
		}
		return out
	}
	number := func(v uint64, n int) (out []flat.Bit) {
		for i := range n {
			out = append(out, flat.Bit{Signal: flat.Constant, Index: int(v >> i & 1)})
		}
		return out
	}
	c := flat.Cell{Type: "DSP48E2"}
	in := func(name string, bits []flat.Bit) { c.Pins = append(c.Pins, flat.Pin{Name: name, Bits: bits}) }
	text := func(name, value string) { c.Params = append(c.Params, flat.Param{Name: name, Text: value}) }
	count := func(name string, n int) {
		c.Params = append(c.Params, flat.Param{Name: name, Value: big.NewInt(int64(n))})
	}
	inmode := uint64(0)
	multiplier := "NONE"
	a, bb, d := operand{input: -1}, operand{input: -1}, operand{input: -1}
	if s.x == useM {
		multiplier, a, bb = "MULTIPLY", s.m.a, s.m.b
		if s.m.form != plain {
			inmode, d = 4, s.m.d
			if s.m.minus {
				inmode |= 8
			}
		}
	}
	of := func(forms ...int) bool {
		for _, f := range forms {
			if s.x == useM && s.m.form == f {
				return true
			}
		}
		return false
	}
	choice := func(name, yes, no string, holds bool) {
		if holds {
			no = yes
		}
		text(name, no)
	}
	choice("AMULTSEL", "AD", "A", of(adTimB, square))
	choice("BMULTSEL", "AD", "B", of(aTimAD, square))
	choice("PREADDINSEL", "B", "A", of(aTimAD))
	text("USE_MULT", multiplier)
	for _, r := range []struct {
		name string
		n    int
	}{{"AREG", s.r.a}, {"ACASCREG", s.r.a}, {"BREG", s.r.b}, {"BCASCREG", s.r.b}, {"CREG", s.r.c}, {"DREG", s.r.d}, {"ADREG", s.r.ad}, {"MREG", s.r.m},
		{"PREG", s.r.p}, {"INMODEREG", 0}, {"OPMODEREG", 0}, {"ALUMODEREG", 0}, {"CARRYINREG", 0}, {"CARRYINSELREG", 0}} {
		count(r.name, r.n)
	}
	if s.w == useRND {
		c.Params = append(c.Params, flat.Param{Name: "RND", Width: 48, Value: new(big.Int).SetUint64(s.round)})
	}
	if s.x == useAB {
		both := s.ab.nets(b, inputs, 48)
		in("A", both[18:])
		in("B", both[:18])
	} else {
		in("A", a.nets(b, inputs, 30))
		in("B", bb.nets(b, inputs, 18))
	}
	in("C", s.c.nets(b, inputs, 48))
	in("D", d.nets(b, inputs, 27))
	if s.cascade != nil {
		pcin := row(b.wire("pc", 48), 48)
		s.cascade.placed(b, inputs, pcin)
		in("PCIN", pcin)
	}
	opmode := map[int]uint64{none: 0, useC: 3, useRND: 2}[s.w]<<7 | map[int]uint64{none: 0, useC: 3, usePCIN: 1}[s.z]<<4 |
		map[int]uint64{none: 0, useC: 3, useOnes: 2}[s.y]<<2 | map[int]uint64{none: 0, useM: 5, useAB: 3}[s.x]
	carry := uint64(0)
	if s.carry {
		carry = 1
	}
	in("OPMODE", number(opmode, 9))
	in("ALUMODE", number(uint64(s.alu), 4))
	in("INMODE", number(inmode, 5))
	in("CARRYIN", number(carry, 1))
	in("CARRYINSEL", number(0, 3))
	if b.clock >= 0 {
		in("CLK", row(b.clock, 1))
	}
	for _, name := range []string{"CEA1", "CEA2", "CEAD", "CEALUMODE", "CEB1", "CEB2", "CEC", "CECARRYIN", "CECTRL", "CED", "CEINMODE", "CEM", "CEP"} {
		in(name, number(1, 1))
	}
	for _, name := range []string{"RSTA", "RSTALLCARRYIN", "RSTALUMODE", "RSTB", "RSTC", "RSTCTRL", "RSTD", "RSTINMODE", "RSTM", "RSTP"} {
		in(name, number(0, 1))
	}
	if pcout != nil {
		c.Pins = append(c.Pins, flat.Pin{Name: "PCOUT", Output: true, Bits: pcout})
		b.cell(c)
		return nil
	}
	result := row(b.wire("p", 48), 48)
	c.Pins = append(c.Pins, flat.Pin{Name: "P", Output: true, Bits: result})
	b.cell(c)
	return result
}
