// Package eval runs texts of operations cycle by cycle on integers: the reference for comb, Calyx and Reticle. It knows no words.
package eval

import (
	"fmt"
	"math/big"

	"tv/semantics/bits/flow"
)

// A Machine runs a program. It is not safe for concurrent use.
type Machine struct {
	p      *flow.Program
	choose func(name string, width, cycle int) *big.Int
	values []*big.Int
	cycle  int
}

// New returns the machine in its initial state; choose gives what the text leaves open its values, as bits.Choose.
func New(p *flow.Program, choose func(name string, width, cycle int) *big.Int) *Machine {
	m := &Machine{p: p, choose: choose, values: make([]*big.Int, len(p.Values)), cycle: -1}
	for _, r := range p.Registers {
		v := p.Values[r.Value]
		if r.Initial != nil {
			m.values[r.Value] = wrap(r.Initial, v.Width)
		} else {
			m.values[r.Value] = m.open(v.Name, v.Width)
		}
	}
	m.cycle = 0
	return m
}

// Step computes the outputs of a cycle from its inputs, and goes on to the next. Absent inputs are 0. A text assumes nothing.
func (m *Machine) Step(inputs map[string]*big.Int) (outputs map[string]*big.Int, assumed bool) {
	for i, port := range m.p.Inputs {
		v := inputs[port.Name]
		if v == nil {
			v = new(big.Int)
		}
		m.values[m.p.Inner[i]] = wrap(v, port.Width)
	}
	for _, r := range m.p.Registers {
		if r.Clear != nil && (m.active(r.Clear) || m.values[r.Clear.Was].Sign() != 0) {
			m.values[r.Value] = r.Clear.To
		}
	}
	for i := range m.p.Ops {
		o := &m.p.Ops[i]
		m.values[o.Result] = wrap(m.compute(o), m.p.Values[o.Result].Width)
	}
	outputs = map[string]*big.Int{}
	for _, o := range m.p.Outputs {
		outputs[o.Name] = m.values[o.Value]
	}
	var next []*big.Int
	for _, r := range m.p.Registers {
		v := m.values[r.Value]
		switch {
		case r.Clear != nil && m.active(r.Clear): // it holds what it is reset to
		case r.Clear == nil && r.Reset >= 0 && m.values[r.Reset].Sign() != 0:
			v = m.values[r.ResetTo]
		case r.Enable < 0 || m.values[r.Enable].Sign() != 0:
			v = m.values[r.Input]
		}
		next = append(next, v)
	}
	for i, r := range m.p.Registers {
		m.values[r.Value] = next[i]
	}
	m.cycle++
	return outputs, true
}

// active tells whether an asynchronous reset is.
func (m *Machine) active(c *flow.Clear) bool { return (m.values[c.Input].Sign() == 0) == c.Low }

func (m *Machine) open(name string, width int) *big.Int {
	if m.choose != nil {
		if v := m.choose(name, width, m.cycle); v != nil {
			return wrap(v, width)
		}
	}
	return new(big.Int)
}

// wrap is v modulo 2^width.
func wrap(v *big.Int, width int) *big.Int {
	n := new(big.Int).Lsh(big.NewInt(1), uint(width))
	return n.Mod(v, n)
}

// integer is the number that v is in two's complement.
func integer(v *big.Int, width int) *big.Int {
	if v.Bit(width-1) == 0 {
		return v
	}
	return new(big.Int).Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(width)))
}

func bit(b bool) *big.Int {
	if b {
		return big.NewInt(1)
	}
	return new(big.Int)
}

// compute is the value of an operation, modulo the width of its result.
func (m *Machine) compute(o *flow.Op) *big.Int {
	f := operations[o.Kind]
	if f == nil {
		panic("eval: no operation " + o.Kind)
	}
	result := m.p.Values[o.Result]
	args := make([]*big.Int, len(o.Args))
	for i, a := range o.Args {
		args[i] = m.values[a]
	}
	if result.Lanes == 1 || whole[o.Kind] {
		return f(&call{m, o, args, m.p.Values[o.Result].Width, func(i int) int { return m.p.Values[o.Args[i]].Width }})
	}
	out, width := new(big.Int), result.Width/result.Lanes
	for lane := result.Lanes - 1; lane >= 0; lane-- {
		parts := make([]*big.Int, len(args))
		for i, a := range o.Args {
			parts[i] = args[i]
			if v := m.p.Values[a]; v.Lanes > 1 {
				w := v.Width / v.Lanes
				parts[i] = wrap(new(big.Int).Rsh(args[i], uint(lane*w)), w)
			}
		}
		c := &call{m, o, parts, width, func(i int) int { v := m.p.Values[o.Args[i]]; return v.Width / v.Lanes }}
		out.Or(out.Lsh(out, uint(width)), wrap(f(c), width))
	}
	return out
}

// whole are operations on vectors that are not done lane by lane.
var whole = map[string]bool{"reticle.const": true}

// A call is an operation with the values of its arguments.
type call struct {
	m     *Machine
	o     *flow.Op
	v     []*big.Int
	width int
	size  func(i int) int // of argument i
}

// s is argument i as a signed number.
func (c *call) s(i int) *big.Int { return integer(c.v[i], c.size(i)) }

// n is argument i: signed if its type is.
func (c *call) n(i int) *big.Int {
	if c.m.p.Values[c.o.Args[i]].Signed {
		return c.s(i)
	}
	return c.v[i]
}

func fold(f func(z, x, y *big.Int) *big.Int) func(*call) *big.Int {
	return func(c *call) *big.Int {
		z := new(big.Int).Set(c.v[0])
		for _, x := range c.v[1:] {
			f(z, z, x)
		}
		return z
	}
}

// compare is a comparison of the arguments as read has them.
func compare(read func(c *call, i int) *big.Int, holds func(order int) bool) func(*call) *big.Int {
	return func(c *call) *big.Int { return bit(holds(read(c, 0).Cmp(read(c, 1)))) }
}

func unsigned(c *call, i int) *big.Int { return c.v[i] }
func signed(c *call, i int) *big.Int   { return c.s(i) }
func typed(c *call, i int) *big.Int    { return c.n(i) }

func eq(o int) bool { return o == 0 }
func ne(o int) bool { return o != 0 }
func lt(o int) bool { return o < 0 }
func le(o int) bool { return o <= 0 }
func gt(o int) bool { return o > 0 }
func ge(o int) bool { return o >= 0 }

// divided is a division or remainder, which is open by 0.
func divided(read func(c *call, i int) *big.Int, f func(z, x, y *big.Int) *big.Int) func(*call) *big.Int {
	return func(c *call) *big.Int {
		y := read(c, 1)
		if y.Sign() == 0 {
			p := c.m.p.Values[c.o.Result].Span.Position()
			return c.m.open(fmt.Sprintf("%d:%d", p.Line, p.Col), c.width)
		}
		return f(new(big.Int), read(c, 0), y)
	}
}

// amount is a number to shift by, at most the width.
func (c *call) amount(v *big.Int) uint {
	if v.IsUint64() && v.Uint64() < uint64(c.width) {
		return uint(v.Uint64())
	}
	return uint(c.width)
}

func left(c *call) *big.Int  { return new(big.Int).Lsh(c.v[0], c.amount(c.v[1])) }
func right(c *call) *big.Int { return new(big.Int).Rsh(c.v[0], c.amount(c.v[1])) }
func arithmetic(c *call) *big.Int {
	return new(big.Int).Rsh(c.s(0), c.amount(c.v[1]))
}
func choice(c *call) *big.Int {
	if c.v[0].Sign() != 0 {
		return c.v[1]
	}
	return c.v[2]
}
func not(c *call) *big.Int { return new(big.Int).Not(c.v[0]) }

// row puts arguments beside each other; the first is the high part.
func row(c *call) *big.Int {
	z := new(big.Int)
	for i, x := range c.v {
		z.Or(z.Lsh(z, uint(c.size(i))), x)
	}
	return z
}

// field is bits from the first number on.
func field(c *call) *big.Int { return new(big.Int).Rsh(c.v[0], uint(c.o.Numbers[0])) }
func same(c *call) *big.Int  { return c.v[0] }

func constant(c *call) *big.Int {
	z, width := new(big.Int), c.width/len(c.o.Consts)
	for i := len(c.o.Consts) - 1; i >= 0; i-- {
		z.Or(z.Lsh(z, uint(width)), wrap(c.o.Consts[i], width))
	}
	return z
}

// operations are what operations compute, by kind.
var operations = map[string]func(*call) *big.Int{
	"comb.constant": constant,
	"comb.add":      fold((*big.Int).Add), "comb.mul": fold((*big.Int).Mul), "comb.and": fold((*big.Int).And), "comb.or": fold((*big.Int).Or),
	"comb.xor": fold((*big.Int).Xor), "comb.sub": fold((*big.Int).Sub),
	"comb.divu": divided(unsigned, (*big.Int).Quo), "comb.divs": divided(signed, (*big.Int).Quo),
	"comb.modu": divided(unsigned, (*big.Int).Rem), "comb.mods": divided(signed, (*big.Int).Rem), // the sign is that of the dividend
	"comb.shl": left, "comb.shru": right, "comb.shrs": arithmetic,
	"comb.icmp.eq": compare(unsigned, eq), "comb.icmp.ne": compare(unsigned, ne),
	"comb.icmp.slt": compare(signed, lt), "comb.icmp.sle": compare(signed, le), "comb.icmp.sgt": compare(signed, gt), "comb.icmp.sge": compare(signed, ge),
	"comb.icmp.ult": compare(unsigned, lt), "comb.icmp.ule": compare(unsigned, le), "comb.icmp.ugt": compare(unsigned, gt),
	"comb.icmp.uge": compare(unsigned, ge),
	"comb.extract":  field, "comb.concat": row, "comb.mux": choice, "comb.wire": same,
	"comb.replicate": func(c *call) *big.Int {
		z := new(big.Int)
		for range c.width / c.size(0) {
			z.Or(z.Lsh(z, uint(c.size(0))), c.v[0])
		}
		return z
	},
	"comb.parity": func(c *call) *big.Int {
		odd := uint(0)
		for i := range c.size(0) {
			odd ^= c.v[0].Bit(i)
		}
		return new(big.Int).SetUint64(uint64(odd))
	},
	"comb.reverse": func(c *call) *big.Int {
		z := new(big.Int)
		for i := range c.width {
			z.SetBit(z, c.width-1-i, c.v[0].Bit(i))
		}
		return z
	},
	"comb.truth_table": func(c *call) *big.Int { // the first input is the highest digit of the entry
		entry := 0
		for _, x := range c.v {
			entry = 2*entry + int(x.Bit(0))
		}
		return c.o.Consts[entry]
	},

	"std_const": constant, "std_wire": same, "std_slice": same, "std_pad": same, "std_cat": row, "std_bit_slice": field,
	"std_not": not, "std_and": fold((*big.Int).And), "std_or": fold((*big.Int).Or), "std_xor": fold((*big.Int).Xor),
	"std_add": fold((*big.Int).Add), "std_sub": fold((*big.Int).Sub), "std_mult": fold((*big.Int).Mul),
	"std_gt": compare(unsigned, gt), "std_lt": compare(unsigned, lt), "std_eq": compare(unsigned, eq), "std_neq": compare(unsigned, ne),
	"std_ge": compare(unsigned, ge), "std_le": compare(unsigned, le),
	"std_sgt": compare(signed, gt), "std_slt": compare(signed, lt), "std_seq": compare(signed, eq), "std_sneq": compare(signed, ne),
	"std_sge": compare(signed, ge), "std_sle": compare(signed, le),
	"std_lsh": left, "std_rsh": right, "std_slsh": left, "std_srsh": arithmetic, "std_mux": choice,
	"std_sadd": fold((*big.Int).Add), "std_ssub": fold((*big.Int).Sub),
	"std_signext":    func(c *call) *big.Int { return c.s(0) },
	"std_const_mult": func(c *call) *big.Int { return new(big.Int).Mul(c.v[0], c.o.Consts[0]) },

	"reticle.const": constant, "reticle.id": same, "reticle.not": not, "reticle.mux": choice,
	"reticle.add": fold((*big.Int).Add), "reticle.sub": fold((*big.Int).Sub), "reticle.mul": fold((*big.Int).Mul),
	"reticle.and": fold((*big.Int).And), "reticle.or": fold((*big.Int).Or), "reticle.xor": fold((*big.Int).Xor),
	"reticle.eq": compare(unsigned, eq), "reticle.neq": compare(unsigned, ne),
	"reticle.gt": compare(typed, gt), "reticle.lt": compare(typed, lt), "reticle.ge": compare(typed, ge), "reticle.le": compare(typed, le),
	"reticle.sll": func(c *call) *big.Int { return new(big.Int).Lsh(c.v[0], uint(c.o.Numbers[0])) },
	"reticle.srl": field,
	"reticle.sra": func(c *call) *big.Int { return new(big.Int).Rsh(c.s(0), uint(c.o.Numbers[0])) },
	"reticle.ext": field,
	"reticle.cat": func(c *call) *big.Int { // the first is the low part
		z, at := new(big.Int), uint(0)
		for i, x := range c.v {
			z.Or(z, new(big.Int).Lsh(x, at))
			at += uint(c.size(i))
		}
		return z
	},
}
