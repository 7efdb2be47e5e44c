package synth

import (
	"fmt"
	"math/big"

	"tv/semantics/bits/flat"
)

// fixedBit is a constant.
func fixedBit(v bool) []flat.Bit {
	b := flat.Bit{Signal: flat.Constant}
	if v {
		b.Index = 1
	}
	return []flat.Bit{b}
}

// mult18 is MULT18X18D: a product, and up to three registers on the way.
func mult18(p *pool, s *search, each func(placing) bool) {
	if p.width > 36 || s.Latency > 3 {
		return
	}
	p.factors(18, func(x, y operand, signedA, signedB bool) bool {
		return each(func(b *builder) []flat.Bit {
			c := flat.Cell{Type: "MULT18X18D"}
			for i, name := range []string{"OUTPUT", "PIPELINE", "INPUTA", "INPUTB"} {
				clock := "NONE"
				if min(i, 2) < s.Latency {
					clock = "CLK0"
				}
				c.Params = append(c.Params, flat.Param{Name: "REG_" + name + "_CLK", Text: clock})
			}
			pin := func(name string, bits []flat.Bit) { c.Pins = append(c.Pins, flat.Pin{Name: name, Bits: bits}) }
			xs, ys := x.nets(b, s.inputs, 18), y.nets(b, s.inputs, 18)
			for i := range 18 {
				pin(fmt.Sprintf("A%d", i), xs[i:i+1])
			}
			for i := range 18 {
				pin(fmt.Sprintf("B%d", i), ys[i:i+1])
			}
			pin("SIGNEDA", fixedBit(signedA))
			pin("SIGNEDB", fixedBit(signedB))
			pin("SOURCEA", fixedBit(false))
			pin("SOURCEB", fixedBit(false))
			clock := fixedBit(false)
			if b.clock >= 0 {
				clock = []flat.Bit{{Signal: b.clock}}
			}
			pin("CLK0", clock)
			pin("CE0", fixedBit(true))
			pin("RST0", fixedBit(false))
			out := b.row("p", 36)
			for i := range 36 {
				c.Pins = append(c.Pins, flat.Pin{Name: fmt.Sprintf("P%d", i), Output: true, Bits: out[i : i+1]})
			}
			b.cell(c)
			return out[:p.width]
		})
	})
}

// row is a new wire as bits.
func (b *builder) row(name string, width int) []flat.Bit {
	w := b.wire(name, width)
	out := make([]flat.Bit, width)
	for i := range out {
		out[i] = flat.Bit{Signal: w, Index: i}
	}
	return out
}

// mistral has the multipliers of Cyclone V, the smallest first, and then that of Cyclone 10 LP. The first has no registers: the operands have.
func mistral(p *pool, s *search, each func(placing) bool) {
	more := true
	for _, m := range []struct {
		typ   string
		width int
	}{{"MISTRAL_MUL9X9", 9}, {"MISTRAL_MUL18X18", 18}, {"MISTRAL_MUL27X27", 27}} {
		if !more || p.width > 2*m.width {
			continue
		}
		p.factors(m.width, func(x, y operand, signedA, signedB bool) bool {
			more = each(func(b *builder) []flat.Bit {
				flag := func(name string, v bool) flat.Param {
					return flat.Param{Name: name, Width: 1, Value: new(big.Int).SetUint64(uint64(fixedBit(v)[0].Index))}
				}
				late := map[flat.Bit]flat.Bit{}
				out := b.row("p", 2*m.width)
				b.cell(flat.Cell{Type: m.typ, Params: []flat.Param{flag("A_SIGNED", signedA), flag("B_SIGNED", signedB)}, Pins: []flat.Pin{
					{Name: "A", Bits: b.delayed(x.nets(b, s.inputs, m.width), s.Latency, late)},
					{Name: "B", Bits: b.delayed(y.nets(b, s.inputs, m.width), s.Latency, late)},
					{Name: "Y", Output: true, Bits: out}}})
				return out[:p.width]
			})
			return more
		})
	}
	if more && p.width <= 36 && s.Latency <= 2 {
		cyclone10(p, s, each)
	}
}

// delayed is bits so many cycles ago; late has those that there are.
func (b *builder) delayed(bits []flat.Bit, cycles int, late map[flat.Bit]flat.Bit) []flat.Bit {
	out := make([]flat.Bit, len(bits))
	for i, bit := range bits {
		out[i] = bit
		if bit.Signal == flat.Constant || cycles == 0 {
			continue
		}
		if _, ok := late[bit]; !ok {
			q := bit
			for range cycles {
				next := b.row("r", 1)[0]
				b.cell(flop(b.arch, flat.Bit{Signal: b.clock}, q, next))
				q = next
			}
			late[bit] = q
		}
		out[i] = late[bit]
	}
	return out
}

// cyclone10 is cyclone10lp_mac_mult, with a register at the operands and, in mac_out, one behind the product.
func cyclone10(p *pool, s *search, each func(placing) bool) {
	p.factors(18, func(x, y operand, signedA, signedB bool) bool {
		return each(func(b *builder) []flat.Bit {
			clock := func(name string, at int) flat.Param {
				if s.Latency > at {
					return flat.Param{Name: name, Text: "0"}
				}
				return flat.Param{Name: name, Text: "none"}
			}
			pins := func(list ...flat.Pin) []flat.Pin {
				if b.clock >= 0 {
					list = append(list, flat.Pin{Name: "clk", Bits: []flat.Bit{{Signal: b.clock}}})
				}
				return append(list, flat.Pin{Name: "aclr", Bits: fixedBit(false)}, flat.Pin{Name: "ena", Bits: fixedBit(true)})
			}
			m := b.row("m", 36)
			b.cell(flat.Cell{Type: "cyclone10lp_mac_mult",
				Params: []flat.Param{clock("dataa_clock", 1), clock("datab_clock", 1), {Name: "signa_clock", Text: "none"}, {Name: "signb_clock", Text: "none"}},
				Pins: pins(flat.Pin{Name: "dataa", Bits: x.nets(b, s.inputs, 18)}, flat.Pin{Name: "datab", Bits: y.nets(b, s.inputs, 18)},
					flat.Pin{Name: "signa", Bits: fixedBit(signedA)}, flat.Pin{Name: "signb", Bits: fixedBit(signedB)},
					flat.Pin{Name: "dataout", Output: true, Bits: m})})
			out := b.row("p", 36)
			b.cell(flat.Cell{Type: "cyclone10lp_mac_out", Params: []flat.Param{clock("output_clock", 0)},
				Pins: pins(flat.Pin{Name: "dataa", Bits: m}, flat.Pin{Name: "dataout", Output: true, Bits: out})})
			return out[:p.width]
		})
	})
}
