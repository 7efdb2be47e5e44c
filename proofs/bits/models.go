package bits

import (
	"fmt"
	"slices"
	"strings"
)

// A cell is an instance of a primitive, with what of its parameters and pins was asked for.
type cell struct {
	*frame
	in     *instance
	params map[string]bool
	pins   map[string]bool
}

// cell connects a primitive. A model says by itself which parameters and pins there are.
func (f *frame) cell(in *instance) {
	model := models[f.arch][in.kind]
	if in.kind == "$_DFF_P_" { // Yosys' own
		model = func(c *cell) {
			c.output("Q", c.register(c.ones("D"), c.one("C"), fixed(yes), fixed(no), no)...)
		}
	}
	need(model != nil, "%s is no cell of %q", in.kind, f.arch)
	c := &cell{f, in, map[string]bool{}, map[string]bool{}}
	model(c)
	for p := range in.params {
		need(c.params[p], "%s has no parameter %s", in.kind, p)
	}
	for p := range in.pins {
		need(c.pins[p], "%s has no pin %s", in.kind, p)
	}
}

// table is a parameter of bits, 0 where there is none.
func (c *cell) table(name string, width int) vec { return c.word(name, number(0, width)) }

// word is a parameter of as many bits as what it is without being given. Of INIT of a register
// nothing is read, so x may stand there.
func (c *cell) word(name string, otherwise vec) vec {
	c.params[name] = true
	x, given := c.in.params[name]
	if !given {
		return otherwise
	}
	need(x != nil && x.op == "number" && !x.unknown, "parameter %s", name)
	need(x.bare || x.width == len(otherwise), "parameter %s has another width", name)
	need(x.value.BitLen() <= len(otherwise), "parameter %s is too large", name)
	v := make(vec, len(otherwise))
	for i := range v {
		v[i] = bit(x.value.Bit(i) == 1)
	}
	return v
}

// text is a parameter that is one of some texts, the first where it is not given.
func (c *cell) text(name string, texts ...string) string {
	c.params[name] = true
	x, given := c.in.params[name]
	if !given {
		return texts[0]
	}
	need(x != nil, "parameter %s", name)
	s := x.text
	if x.op == "number" && !x.unknown {
		s = x.value.String()
	} else {
		need(x.op == "text", "parameter %s", name)
	}
	need(slices.Contains(texts, s), "parameter %s is %q", name, s)
	return s
}

func (c *cell) ignore(params ...string) {
	for _, p := range params {
		c.params[p] = true
	}
}

// input is a pin of some bits. Open ones are refused when they are asked for.
func (c *cell) input(pin string, width int) []wire {
	c.pins[pin] = true
	if x := c.in.pins[pin]; x != nil {
		return c.exactly(x, width)
	}
	open := func(int) lit {
		refuse("pin %s is open", pin)
		return no
	}
	return slices.Repeat([]wire{open}, width)
}

// or is a pin that reads a constant where it is open.
func (c *cell) or(pin string, width int, open lit) []wire {
	if c.in.pins[pin] == nil {
		c.pins[pin] = true
		return slices.Repeat([]wire{fixed(open)}, width)
	}
	return c.input(pin, width)
}

func (c *cell) one(pin string) wire             { return c.input(pin, 1)[0] }
func (c *cell) oneOr(pin string, open lit) wire { return c.or(pin, 1, open)[0] }
func (c *cell) ones(pins ...string) (out []wire) {
	for _, p := range pins {
		out = append(out, c.one(p))
	}
	return out
}

// output says what a pin is.
func (c *cell) output(pin string, w ...wire) {
	c.pins[pin] = true
	if x := c.in.pins[pin]; x != nil {
		c.fill(c.target(x), w)
	}
}

// lut reads a table at an address. What it does not depend on is not asked for.
func (c *cell) lut(table vec, address []wire) wire {
	var used []wire
	for i := 0; i < len(address); {
		var low, high vec
		for k := range table {
			if k>>i&1 == 0 {
				low, high = append(low, table[k]), append(high, table[k|1<<i])
			}
		}
		if slices.Equal(low, high) {
			table, address = low, slices.Delete(slices.Clone(address), i, i+1)
			continue
		}
		i++
	}
	used = address
	return single(func(d int) lit { return c.g.lookup(table, at(used, d)) })
}

func (c *cell) not(w wire) wire { return func(d int) lit { return w(d).not() } }

func (c *cell) mux(s, a, b wire) wire {
	return single(func(d int) lit { return c.g.mux(s(d), a(d), b(d)) })
}

// flip is w, inverted if a parameter of one bit says so.
func (c *cell) flip(w wire, param string) wire {
	if c.table(param, 1)[0] == yes {
		return c.not(w)
	}
	return w
}

// never refuses a pin that is not constant: 0, or 1 where active is 0.
func (c *cell) never(w wire, what string) {
	c.checks = append(c.checks, func() { need(w(0) == no, "%s of %s%s", what, c.path, c.in.name) })
}

// register holds what it reads for a cycle, or value if it is reset. Its enable is constant 1: one
// that may stay as it is looks back for ever. Before the first cycle it has its initial value: so
// it is asked for no earlier, constant as what it reads may be.
func (c *cell) register(data []wire, clock, enable, reset wire, value lit) []wire {
	c.clocks = append(c.clocks, clock)
	out := make([]wire, len(data))
	for i, w := range data {
		out[i] = single(func(d int) lit {
			need(d < c.late, "a register that reaches back more than %d cycles", c.late)
			need(enable(d+1) == yes, "a register that may stay as it is")
			return c.g.mux(reset(d+1), value, w(d+1))
		})
	}
	return out
}

// names are PREFIX0, PREFIX1, ...
func names(prefix string, n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprint(prefix, i))
	}
	return out
}

// product multiplies words that are extended to the width of both together.
func (c *cell) product(a, b []wire, signA, signB wire) []wire {
	n := len(a) + len(b)
	wide := func(w []wire, sign wire, d int) vec {
		v := at(w, d)
		return v.wide(n, c.g.and(sign(d), v.top()))
	}
	return whole(n, func(d int) vec { return c.g.mul(wide(a, signA, d), wide(b, signB, d)) })
}

const neverGSR = "GSR is never asserted"

// models are by architecture and name; doc/fpga.md, section 4, has what they say.
var models map[string]map[string]func(*cell)

func init() {
	xilinx := map[string]func(*cell){
		"LUT6_2": func(c *cell) {
			init, in := c.table("INIT", 64), c.lutPins(names("I", 6))
			c.output("O6", c.lut(init, in))
			c.output("O5", c.lut(init[:32], in[:5]))
		},
		"CARRY4": func(c *cell) {
			ci, cy := c.oneOr("CI", no), c.oneOr("CYINIT", no)
			first := single(func(d int) lit { return c.g.or(ci(d), cy(d)) })
			c.carries(4, first, c.input("DI", 4), c.input("S", 4), nil)
		},
		"CARRY8": func(c *cell) {
			var second wire
			top := c.oneOr("CI_TOP", no)
			if c.text("CARRY_TYPE", "SINGLE_CY8", "DUAL_CY4") == "DUAL_CY4" {
				second = top
			}
			c.carries(8, c.oneOr("CI", no), c.or("DI", 8, no), c.or("S", 8, no), second)
		},
		"INV":     func(c *cell) { c.output("O", c.not(c.one("I"))) },
		"DSP48E2": dsp,
		"GND":     func(c *cell) { c.output("G", fixed(no)) },
		"VCC":     func(c *cell) { c.output("P", fixed(yes)) },
	}
	for n := 1; n <= 6; n++ {
		xilinx[fmt.Sprint("LUT", n)] = func(c *cell) {
			c.output("O", c.lut(c.table("INIT", 1<<n), c.lutPins(names("I", n))))
		}
	}
	for _, name := range []string{"MUXF7", "MUXF8", "MUXF9"} {
		xilinx[name] = func(c *cell) {
			i0, i1, s := c.one("I0"), c.one("I1"), c.one("S")
			c.output("O", c.mux(s, i1, i0))
		}
	}
	for _, name := range []string{"IBUF", "OBUF", "BUFG"} {
		xilinx[name] = func(c *cell) {
			c.ignore("IBUF_LOW_PWR", "IOSTANDARD", "DRIVE", "SLEW", "CAPACITANCE",
				"IBUF_DELAY_VALUE", "IFD_DELAY_VALUE", "SIM_DEVICE", "CCIO_EN")
			c.output("O", c.one("I"))
		}
	}
	resets := map[string]string{"FDRE": "R", "FDSE": "S", "FDCE": "CLR", "FDPE": "PRE"}
	for name, reset := range resets {
		xilinx[name] = func(c *cell) {
			c.ignore("INIT")
			need(c.table("IS_C_INVERTED", 1)[0] == no, "a register on the falling edge")
			data := c.flip(c.one("D"), "IS_D_INVERTED")
			enable := c.flip(c.oneOr("CE", yes), "IS_CE_INVERTED")
			r := c.flip(c.oneOr(reset, no), "IS_"+reset+"_INVERTED")
			if name == "FDCE" || name == "FDPE" {
				c.never(r, "the asynchronous reset")
			}
			value := bit(name == "FDSE" || name == "FDPE")
			c.output("Q", c.register([]wire{data}, c.one("C"), enable, r, value)...)
		}
	}
	lattice := map[string]func(*cell){
		"LUT4": func(c *cell) {
			c.output("Z", c.lut(c.table("INIT", 16), c.zeroPins("A", "B", "C", "D")))
		},
		"LUT2": func(c *cell) { c.output("Z", c.lut(c.table("INIT", 4), c.zeroPins("A", "B"))) },
		"PFUMX": func(c *cell) {
			a, b := c.one("ALUT"), c.one("BLUT")
			c.output("Z", c.mux(c.one("C0"), a, b))
		},
		"L6MUX21": func(c *cell) {
			d0, d1 := c.one("D0"), c.one("D1")
			c.output("Z", c.mux(c.one("SD"), d1, d0))
		},
		"CCU2C": func(c *cell) {
			carry := c.one("CIN")
			for i := range 2 {
				of := func(name string) string { return fmt.Sprint(name, i) }
				init := c.table(of("INIT"), 16)
				in := c.ones(of("A"), of("B"), of("C"), of("D"))
				l4, l2 := c.lut(init, in), c.lut(init[:4], in[:2])
				before := carry
				if c.text(of("INJECT1_"), "YES", "NO") == "YES" {
					c.output(of("S"), l4)
					carry = single(func(d int) lit { return c.g.and(l4(d), before(d)) })
				} else {
					sum := func(d int) lit { return c.g.xor(l4(d), before(d)) }
					c.output(of("S"), single(sum))
					carry = c.mux(l4, before, l2)
				}
			}
			c.output("COUT", carry)
		},
		"TRELLIS_FF": func(c *cell) {
			c.netlist.trusts[neverGSR] = true
			c.text("GSR", "ENABLED", "DISABLED")
			value := bit(c.text("REGSET", "RESET", "SET") == "SET")
			need(c.text("CLKMUX", "CLK", "INV") == "CLK", "a register on the falling edge")
			c.or("M", 1, no)
			ce, lsr := c.one("CE"), c.one("LSR")
			switch c.text("CEMUX", "1", "CE", "INV", "0") {
			case "1":
				ce = fixed(yes)
			case "0":
				ce = fixed(no)
			case "INV":
				ce = c.not(ce)
			}
			if c.text("LSRMUX", "LSR", "INV") == "INV" {
				lsr = c.not(lsr)
			}
			if c.text("SRMODE", "LSR_OVER_CE", "ASYNC") == "ASYNC" {
				c.never(lsr, "the asynchronous reset")
			}
			c.output("Q", c.register(c.ones("DI"), c.one("CLK"), ce, lsr, value)...)
		},
		"MULT18X18D": latticeProduct,
		"INV":        func(c *cell) { c.output("Z", c.not(c.one("A"))) },
		"VHI":        func(c *cell) { c.output("Z", fixed(yes)) },
		"VLO":        func(c *cell) { c.output("Z", fixed(no)) },
	}
	sofa := map[string]func(*cell){
		// Ranges ascend: the first index is the highest bit of a word.
		"frac_lut4": func(c *cell) {
			in, sram, mode := c.input("in", 4), c.input("sram", 16), c.one("mode")
			c.or("sram_inv", 16, no)
			c.or("mode_inv", 1, no)
			s0, s1, s2 := in[3], in[2], in[1]
			s3 := single(func(d int) lit { return c.g.or(in[0](d), mode(d)) })
			read := func(n []wire, address ...wire) wire {
				return single(func(d int) lit { return c.g.lookup(at(n, d), at(address, d)) })
			}
			c.output("lut4_out", read(sram, s0, s1, s2, s3))
			c.output("lut3_out", read(sram[:8], s0, s1, s2), read(sram[8:], s0, s1, s2))
			c.output("lut2_out", read(sram[:4], s0, s1), read(sram[4:8], s0, s1))
		},
	}
	intel := map[string]func(*cell){
		"MISTRAL_NOT": func(c *cell) { c.output("Q", c.not(c.one("A"))) },
		"MISTRAL_ALUT_ARITH": func(c *cell) {
			low := c.lutPins([]string{"A", "B", "C"})
			q0 := c.lut(c.table("LUT0", 16), append(slices.Clone(low), c.one("D0")))
			q1 := c.lut(c.table("LUT1", 16), append(slices.Clone(low), c.one("D1")))
			ci := c.one("CI")
			both := whole(2, func(d int) vec {
				s, carry := c.g.add(vec{q0(d)}, vec{q1(d).not()}, ci(d))
				return append(s, carry)
			})
			c.output("SO", both[0])
			c.output("CO", both[1])
		},
		"MISTRAL_FF": func(c *cell) {
			c.never(c.not(c.one("ACLR")), "the clear")
			load := c.mux(c.one("SLOAD"), c.one("SDATA"), c.one("DATAIN"))
			enable, reset := c.one("ENA"), c.one("SCLR")
			c.output("Q", c.register([]wire{load}, c.one("CLK"), enable, reset, no)...)
		},
		"MISTRAL_IB":     func(c *cell) { c.output("O", c.one("PAD")) },
		"MISTRAL_OB":     func(c *cell) { c.output("PAD", c.one("I")) },
		"MISTRAL_CLKBUF": func(c *cell) { c.output("Q", c.one("A")) },
	}
	for n := 2; n <= 6; n++ {
		intel[fmt.Sprint("MISTRAL_ALUT", n)] = func(c *cell) {
			c.output("Q", c.lut(c.table("LUT", 1<<n), c.lutPins(strings.Split("ABCDEF"[:n], ""))))
		}
	}
	for _, n := range []int{9, 18, 27} {
		intel[fmt.Sprintf("MISTRAL_MUL%dX%d", n, n)] = func(c *cell) {
			a, b := c.word("A_SIGNED", vec{yes})[0], c.word("B_SIGNED", vec{yes})[0]
			c.output("Y", c.product(c.input("A", n), c.input("B", n), fixed(a), fixed(b))...)
		}
	}
	for _, name := range []string{"cyclone10lp", "cycloneiv", "cycloneive", "fiftyfivenm"} {
		intel[name+"_lcell_comb"] = func(c *cell) {
			c.ignore("lpm_type", "dont_touch")
			mask := c.word("lut_mask", number(0xffff, 16))
			in := c.ones("dataa", "datab", "datac", "datad")
			carry := c.one("cin")
			third := in[2]
			if c.text("sum_lutc_input", "datac", "cin") == "cin" {
				third = carry
			}
			c.output("combout", c.lut(mask, []wire{in[0], in[1], third, in[3]}))
			c.output("cout", c.lut(mask[:8], []wire{in[0], in[1], carry}))
		}
	}
	for _, name := range []string{"cyclone10lp", "fiftyfivenm"} {
		intel[name+"_mac_mult"], intel[name+"_mac_out"] = intelProduct, intelOutput
	}
	models = map[string]map[string]func(*cell){"xilinx": xilinx, "lattice": lattice, "sofa": sofa,
		"intel": intel}
}

func (c *cell) lutPins(pins []string) []wire { return c.ones(pins...) }

func (c *cell) zeroPins(pins ...string) (out []wire) {
	for _, p := range pins {
		out = append(out, c.oneOr(p, no))
	}
	return out
}

// carries is a chain: bit i of O is S xor carry, and the carry goes on where S is, else DI is the
// next. The second half may begin anew.
func (c *cell) carries(n int, carry wire, di, s []wire, second wire) {
	var o, co []wire
	for i := range n {
		if i == 4 && second != nil {
			carry = second
		}
		before := carry
		o = append(o, single(func(d int) lit { return c.g.xor(s[i](d), before(d)) }))
		carry = c.mux(s[i], before, di[i])
		co = append(co, carry)
	}
	c.output("O", o...)
	c.output("CO", co...)
}

// latticeProduct is MULT18X18D, each of whose four registers is there if it has a clock.
func latticeProduct(c *cell) {
	c.netlist.trusts[neverGSR] = true
	c.ignore("REG_INPUTC_CLK", "REG_INPUTC_CE", "REG_INPUTC_RST", "CLK0_DIV", "CLK1_DIV",
		"CLK2_DIV", "CLK3_DIV", "HIGHSPEED_CLK", "CAS_MATCH_REG", "SOURCEB_MODE", "MULT_BYPASS")
	for _, chain := range []string{"C", "SRIA", "SRIB"} {
		for _, pin := range names(chain, 18) {
			c.or(pin, 1, no)
		}
	}
	c.text("GSR", "ENABLED", "DISABLED")
	async := c.text("RESETMODE", "SYNC", "ASYNC") == "ASYNC"
	var clk, ce, rst []wire
	for i := range 4 {
		clk = append(clk, c.one(fmt.Sprint("CLK", i)))
		ce = append(ce, c.one(fmt.Sprint("CE", i)))
		rst = append(rst, c.one(fmt.Sprint("RST", i)))
	}
	stage := func(name string, w []wire) []wire {
		choice := func(what string, first ...string) int {
			all := append(first, names(what, 4)...)
			return slices.Index(all, c.text("REG_"+name+"_"+what, all...)) - len(first)
		}
		k, e, r := choice("CLK", "NONE"), choice("CE"), choice("RST")
		if k < 0 {
			return w
		}
		if async {
			c.never(rst[r], "the asynchronous reset")
		}
		return c.register(w, clk[k], ce[e], rst[r], no)
	}
	c.never(c.oneOr("SOURCEA", no), "the shift chain")
	c.never(c.oneOr("SOURCEB", no), "the shift chain")
	a := stage("INPUTA", c.ones(names("A", 18)...))
	b := stage("INPUTB", c.ones(names("B", 18)...))
	m := c.product(a, b, c.one("SIGNEDA"), c.one("SIGNEDB"))
	p := stage("OUTPUT", stage("PIPELINE", m))
	for i, w := range p {
		c.output(fmt.Sprint("P", i), w)
	}
}

// held is w, through a register where a clock is named.
func (c *cell) held(param string, w ...wire) []wire {
	clocks := append([]string{"none", "0", "1", "2", "3"}, names("clock", 4)...)
	if c.text(param, clocks...) == "none" {
		return w
	}
	c.never(c.one("aclr"), "the asynchronous clear")
	return c.register(w, c.one("clk"), c.one("ena"), fixed(no), no)
}

func (c *cell) intelPins() {
	c.ignore("lpm_type", "dataa_width", "datab_width")
	c.one("clk")
	c.one("ena")
	c.one("aclr")
	c.never(c.not(c.oneOr("devclrn", yes)), "devclrn")
	c.never(c.not(c.oneOr("devpor", yes)), "devpor")
}

func intelProduct(c *cell) {
	c.intelPins()
	a := c.held("dataa_clock", c.input("dataa", 18)...)
	b := c.held("datab_clock", c.input("datab", 18)...)
	signA := c.held("signa_clock", c.one("signa"))
	signB := c.held("signb_clock", c.one("signb"))
	c.output("dataout", c.product(a, b, signA[0], signB[0])...)
}

func intelOutput(c *cell) {
	c.intelPins()
	c.output("dataout", c.held("output_clock", c.input("dataa", 36)...)...)
}
