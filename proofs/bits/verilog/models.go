package verilog

import (
	"fmt"
	"slices"
	"strings"

	"tv/proofs/bits/circuit"
	"tv/proofs/bits/gates"
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
	if in.own != nil {
		model = in.own.model
	} else if in.kind == "$_DFF_P_" { // Yosys' own, in Verilog
		model = (&ownRegister{width: 1}).model
	}
	gates.Need(model != nil, "%s is no cell of %q", in.kind, f.arch)
	c := &cell{f, in, map[string]bool{}, map[string]bool{}}
	model(c)
	for p := range in.params {
		gates.Need(c.params[p], "%s has no parameter %s", in.kind, p)
	}
	for p := range in.pins {
		gates.Need(c.pins[p], "%s has no pin %s", in.kind, p)
	}
}

// table is a parameter of bits, 0 where there is none.
func (c *cell) table(name string, width int) gates.Vec {
	return c.word(name, gates.Number(0, width))
}

// initial is a parameter that says what a register of one bit holds first; x: anything.
func (c *cell) initial(name string, otherwise gates.Lit) gates.Lit {
	if x := c.in.params[name]; x != nil && x.op == "number" && x.unknown && x.width == 1 {
		c.params[name] = true
		return circuit.Unknown
	}
	return c.word(name, gates.Vec{otherwise})[0]
}

// word is a parameter of as many bits as what it is without being given.
func (c *cell) word(name string, otherwise gates.Vec) gates.Vec {
	c.params[name] = true
	x, given := c.in.params[name]
	if !given {
		return otherwise
	}
	gates.Need(x != nil && x.op == "number" && !x.unknown, "parameter %s", name)
	gates.Need(x.bare || x.width == len(otherwise), "parameter %s has another width", name)
	gates.Need(x.value.BitLen() <= len(otherwise), "parameter %s is too large", name)
	v := make(gates.Vec, len(otherwise))
	for i := range v {
		v[i] = gates.Bit(x.value.Bit(i) == 1)
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
	gates.Need(x != nil, "parameter %s", name)
	s := x.text
	if x.op == "number" && !x.unknown {
		s = x.value.String()
	} else {
		gates.Need(x.op == "text", "parameter %s", name)
	}
	gates.Need(slices.Contains(texts, s), "parameter %s is %q", name, s)
	return s
}

func (c *cell) ignore(params ...string) {
	for _, p := range params {
		c.params[p] = true
	}
}

// input is a pin of some bits. Open ones are refused when they are asked for.
func (c *cell) input(pin string, width int) []circuit.Wire {
	c.pins[pin] = true
	if x := c.in.pins[pin]; x != nil {
		return c.exactly(x, width)
	}
	open := func(int) gates.Lit {
		gates.Refuse("pin %s is open", pin)
		return gates.No
	}
	return slices.Repeat([]circuit.Wire{open}, width)
}

// or is a pin that reads a constant where it is open.
func (c *cell) or(pin string, width int, open gates.Lit) []circuit.Wire {
	if c.in.pins[pin] == nil {
		c.pins[pin] = true
		return slices.Repeat([]circuit.Wire{circuit.Fixed(open)}, width)
	}
	return c.input(pin, width)
}

func (c *cell) one(pin string) circuit.Wire                   { return c.input(pin, 1)[0] }
func (c *cell) oneOr(pin string, open gates.Lit) circuit.Wire { return c.or(pin, 1, open)[0] }
func (c *cell) ones(pins ...string) (out []circuit.Wire) {
	for _, p := range pins {
		out = append(out, c.one(p))
	}
	return out
}

// output says what a pin is.
func (c *cell) output(pin string, w ...circuit.Wire) {
	c.pins[pin] = true
	if x := c.in.pins[pin]; x != nil {
		c.fill(c.target(x), w)
	}
}

// lut reads a table at an address. What it does not depend on is not asked for.
func (c *cell) lut(table gates.Vec, address []circuit.Wire) circuit.Wire {
	var used []circuit.Wire
	for i := 0; i < len(address); {
		var low, high gates.Vec
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
	return circuit.Once(func(d int) gates.Lit { return c.Graph.Lookup(table, circuit.At(used, d)) })
}

func (c *cell) not(w circuit.Wire) circuit.Wire {
	return func(d int) gates.Lit {
		return w(d).Not()
	}
}

func (c *cell) mux(s, a, b circuit.Wire) circuit.Wire {
	return circuit.Once(func(d int) gates.Lit { return c.Graph.Mux(s(d), a(d), b(d)) })
}

// flip is w, inverted if a parameter of one bit says so.
func (c *cell) flip(w circuit.Wire, param string) circuit.Wire {
	if c.table(param, 1)[0] == gates.Yes {
		return c.not(w)
	}
	return w
}

// never refuses a pin that is not constant: 0, or 1 where active is 0.
func (c *cell) never(w circuit.Wire, what string) {
	c.checks = append(c.checks, func() {
		gates.Need(w(circuit.Probe) == gates.No, "%s of %s%s", what, c.path, c.in.name)
	})
}

// A flop is a register of a cell. Its reset beats its enable, unless it is within what is enabled.
type flop struct {
	name                 string // of several in a cell
	data                 []circuit.Wire
	clock, enable, reset circuit.Wire
	value                gates.Lit // after a reset
	initial              gates.Lit // circuit.Unknown: any
	values, initials     gates.Vec // where bits differ
	isWithin             bool
	falls                bool           // it loads on the falling edge
	clear                *circuit.Clear // an asynchronous reset to the value; nil: there is none
}

// register is what a flop holds. Where its enable is constant 1 it does not look back at itself.
func (c *cell) register(f flop) []circuit.Wire {
	c.clocked(f.clock, f.falls)
	name := c.path + c.in.name
	if f.name != "" {
		name += "." + f.name
	}
	r := &circuit.Register{Name: name, Loads: circuit.Once(func(d int) gates.Lit {
		return c.Graph.Or(f.enable(d), f.reset(d))
	})}
	held := c.Held(r, len(f.data))
	of := func(i int) (value, initial gates.Lit) {
		if f.values != nil {
			return f.values[i], f.initials[i]
		}
		return f.value, f.initial
	}
	if f.clear != nil {
		loads := r.Loads
		r.Loads = circuit.Once(func(d int) gates.Lit {
			return c.Graph.Or(loads(d), f.clear.Active(d))
		})
		held = slices.Clone(held)
		for i, w := range held {
			value, _ := of(i)
			held[i] = f.clear.Seen(c.Graph, w, value)
		}
	}
	for i, w := range f.data {
		value, initial := of(i)
		kept := func(d int, otherwise gates.Lit) gates.Lit {
			enable := f.enable(d)
			if enable == gates.Yes {
				return otherwise
			}
			return c.Graph.Mux(enable, otherwise, held[i](d))
		}
		next := func(d int) gates.Lit {
			reset := f.reset(d)
			switch {
			case reset == gates.Yes && !f.isWithin:
				return value
			case f.isWithin:
				return kept(d, c.Graph.Mux(reset, value, w(d)))
			}
			return c.Graph.Mux(reset, value, kept(d, w(d)))
		}
		r.Initial, r.Next = append(r.Initial, initial), append(r.Next, circuit.Once(next))
	}
	if f.clear != nil {
		for i, next := range r.Next {
			value, _ := of(i)
			r.Next[i] = f.clear.Next(c.Graph, next, value)
		}
	}
	c.registers = append(c.registers, r)
	return held
}

// names are PREFIX0, PREFIX1, ...
func names(prefix string, n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprint(prefix, i))
	}
	return out
}

// product multiplies words that are extended to the width of both together.
func (c *cell) product(a, b []circuit.Wire, signA, signB circuit.Wire) []circuit.Wire {
	n := len(a) + len(b)
	wide := func(w []circuit.Wire, sign circuit.Wire, d int) gates.Vec {
		v := circuit.At(w, d)
		return v.Wide(n, c.Graph.And(sign(d), v.Top()))
	}
	return circuit.Whole(n, func(d int) gates.Vec {
		return c.Graph.Mul(wide(a, signA, d), wide(b, signB, d))
	})
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
			ci, cy := c.oneOr("CI", gates.No), c.oneOr("CYINIT", gates.No)
			first := circuit.Once(func(d int) gates.Lit { return c.Graph.Or(ci(d), cy(d)) })
			c.carries(4, first, c.input("DI", 4), c.input("S", 4), nil)
		},
		"CARRY8": func(c *cell) {
			var second circuit.Wire
			top := c.oneOr("CI_TOP", gates.No)
			if c.text("CARRY_TYPE", "SINGLE_CY8", "DUAL_CY4") == "DUAL_CY4" {
				second = top
			}
			c.carries(8, c.oneOr("CI", gates.No), c.or("DI", 8, gates.No), c.or("S", 8,
				gates.No), second)
		},
		"INV":     func(c *cell) { c.output("O", c.not(c.one("I"))) },
		"DSP48E2": dsp,
		"GND":     func(c *cell) { c.output("G", circuit.Fixed(gates.No)) },
		"VCC":     func(c *cell) { c.output("P", circuit.Fixed(gates.Yes)) },
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
			falls := c.table("IS_C_INVERTED", 1)[0] == gates.Yes
			data := c.flip(c.one("D"), "IS_D_INVERTED")
			enable := c.flip(c.oneOr("CE", gates.Yes), "IS_CE_INVERTED")
			r := c.flip(c.oneOr(reset, gates.No), "IS_"+reset+"_INVERTED")
			value := gates.Bit(name == "FDSE" || name == "FDPE")
			f := flop{data: []circuit.Wire{data}, clock: c.one("C"), enable: enable, reset: r,
				value: value, initial: c.initial("INIT", value), falls: falls}
			if name == "FDCE" || name == "FDPE" {
				f.reset, f.clear = circuit.Fixed(gates.No), c.clears(r, c.path+c.in.name)
			}
			c.output("Q", c.register(f)...)
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
					carry = circuit.Once(func(d int) gates.Lit {
						return c.Graph.And(l4(d), before(d))
					})
				} else {
					sum := func(d int) gates.Lit { return c.Graph.Xor(l4(d), before(d)) }
					c.output(of("S"), circuit.Once(sum))
					carry = c.mux(l4, before, l2)
				}
			}
			c.output("COUT", carry)
		},
		"TRELLIS_FF": func(c *cell) {
			c.trusts[neverGSR] = true
			c.text("GSR", "ENABLED", "DISABLED")
			value := gates.Bit(c.text("REGSET", "RESET", "SET") == "SET")
			falls := c.text("CLKMUX", "CLK", "INV") == "INV"
			c.or("M", 1, gates.No)
			ce, lsr := c.one("CE"), c.one("LSR")
			switch c.text("CEMUX", "1", "CE", "INV", "0") {
			case "1":
				ce = circuit.Fixed(gates.Yes)
			case "0":
				ce = circuit.Fixed(gates.No)
			case "INV":
				ce = c.not(ce)
			}
			if c.text("LSRMUX", "LSR", "INV") == "INV" {
				lsr = c.not(lsr)
			}
			f := flop{data: c.ones("DI"), clock: c.one("CLK"), enable: ce, reset: lsr,
				value: value, initial: value, falls: falls}
			if c.text("SRMODE", "LSR_OVER_CE", "ASYNC") == "ASYNC" {
				f.reset, f.clear = circuit.Fixed(gates.No), c.clears(lsr, c.path+c.in.name)
			}
			c.output("Q", c.register(f)...)
		},
		"MULT18X18D": latticeProduct,
		"INV":        func(c *cell) { c.output("Z", c.not(c.one("A"))) },
		"VHI":        func(c *cell) { c.output("Z", circuit.Fixed(gates.Yes)) },
		"VLO":        func(c *cell) { c.output("Z", circuit.Fixed(gates.No)) },
	}
	sofa := map[string]func(*cell){
		// Ranges ascend: the first index is the highest bit of a word.
		"frac_lut4": func(c *cell) {
			in, sram, mode := c.input("in", 4), c.input("sram", 16), c.one("mode")
			c.or("sram_inv", 16, gates.No)
			c.or("mode_inv", 1, gates.No)
			s0, s1, s2 := in[3], in[2], in[1]
			s3 := circuit.Once(func(d int) gates.Lit { return c.Graph.Or(in[0](d), mode(d)) })
			read := func(n []circuit.Wire, address ...circuit.Wire) circuit.Wire {
				return circuit.Once(func(d int) gates.Lit {
					return c.Graph.Lookup(circuit.At(n, d), circuit.At(address, d))
				})
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
			both := circuit.Whole(2, func(d int) gates.Vec {
				s, carry := c.Graph.Add(gates.Vec{q0(d)}, gates.Vec{q1(d).Not()}, ci(d))
				return append(s, carry)
			})
			c.output("SO", both[0])
			c.output("CO", both[1])
		},
		"MISTRAL_FF": func(c *cell) {
			clear := c.clears(c.not(c.one("ACLR")), c.path+c.in.name)
			load := c.mux(c.one("SLOAD"), c.one("SDATA"), c.one("DATAIN"))
			enable, reset := c.one("ENA"), c.one("SCLR")
			c.output("Q", c.register(flop{data: []circuit.Wire{load}, clock: c.one("CLK"),
				enable: enable, reset: reset,
				isWithin: true, clear: clear})...)
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
			a, b := c.word("A_SIGNED", gates.Vec{gates.Yes})[0], c.word("B_SIGNED",
				gates.Vec{gates.Yes})[0]
			c.output("Y", c.product(c.input("A", n), c.input("B", n), circuit.Fixed(a),
				circuit.Fixed(b))...)
		}
	}
	for _, name := range []string{"cyclone10lp", "cycloneiv", "cycloneive", "fiftyfivenm"} {
		intel[name+"_lcell_comb"] = func(c *cell) {
			c.ignore("lpm_type", "dont_touch")
			mask := c.word("lut_mask", gates.Number(0xffff, 16))
			in := c.ones("dataa", "datab", "datac", "datad")
			carry := c.one("cin")
			third := in[2]
			if c.text("sum_lutc_input", "datac", "cin") == "cin" {
				third = carry
			}
			c.output("combout", c.lut(mask, []circuit.Wire{in[0], in[1], third, in[3]}))
			c.output("cout", c.lut(mask[:8], []circuit.Wire{in[0], in[1], carry}))
		}
	}
	for _, name := range []string{"cyclone10lp", "fiftyfivenm"} {
		intel[name+"_mac_mult"], intel[name+"_mac_out"] = intelProduct, intelOutput
	}
	models = map[string]map[string]func(*cell){"xilinx": xilinx, "lattice": lattice, "sofa": sofa,
		"intel": intel}
}

func (c *cell) lutPins(pins []string) []circuit.Wire { return c.ones(pins...) }

func (c *cell) zeroPins(pins ...string) (out []circuit.Wire) {
	for _, p := range pins {
		out = append(out, c.oneOr(p, gates.No))
	}
	return out
}

// carries is a chain: bit i of O is S xor carry, and the carry goes on where S is, else DI is the
// next. The second half may begin anew.
func (c *cell) carries(n int, carry circuit.Wire, di, s []circuit.Wire, second circuit.Wire) {
	var o, co []circuit.Wire
	for i := range n {
		if i == 4 && second != nil {
			carry = second
		}
		before := carry
		o = append(o, circuit.Once(func(d int) gates.Lit {
			return c.Graph.Xor(s[i](d), before(d))
		}))
		carry = c.mux(s[i], before, di[i])
		co = append(co, carry)
	}
	c.output("O", o...)
	c.output("CO", co...)
}

// latticeRegisters are the names of the registers of MULT18X18D (doc/certificates.md, 7).
var latticeRegisters = map[string]string{
	"INPUTA": "a", "INPUTB": "b", "PIPELINE": "m", "OUTPUT": "p"}

// latticeProduct is MULT18X18D, each of whose four registers is there if it has a clock.
func latticeProduct(c *cell) {
	c.trusts[neverGSR] = true
	c.ignore("REG_INPUTC_CLK", "REG_INPUTC_CE", "REG_INPUTC_RST", "CLK0_DIV", "CLK1_DIV",
		"CLK2_DIV", "CLK3_DIV", "HIGHSPEED_CLK", "CAS_MATCH_REG", "SOURCEB_MODE", "MULT_BYPASS")
	for _, chain := range []string{"C", "SRIA", "SRIB"} {
		for _, pin := range names(chain, 18) {
			c.or(pin, 1, gates.No)
		}
	}
	c.text("GSR", "ENABLED", "DISABLED")
	async := c.text("RESETMODE", "SYNC", "ASYNC") == "ASYNC"
	var clk, ce, rst []circuit.Wire
	for i := range 4 {
		clk = append(clk, c.one(fmt.Sprint("CLK", i)))
		ce = append(ce, c.one(fmt.Sprint("CE", i)))
		rst = append(rst, c.one(fmt.Sprint("RST", i)))
	}
	stage := func(name string, w []circuit.Wire) []circuit.Wire {
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
		c.checks = append(c.checks, func() { // which of the two wins is not published
			gates.Need(ce[e](circuit.Probe) <= gates.Yes || rst[r](circuit.Probe) <= gates.Yes,
				"an enable beside a reset")
		})
		return c.register(flop{name: latticeRegisters[name], data: w, clock: clk[k],
			enable: ce[e], reset: rst[r]})
	}
	c.never(c.oneOr("SOURCEA", gates.No), "the shift chain")
	c.never(c.oneOr("SOURCEB", gates.No), "the shift chain")
	a := stage("INPUTA", c.ones(names("A", 18)...))
	b := stage("INPUTB", c.ones(names("B", 18)...))
	m := c.product(a, b, c.one("SIGNEDA"), c.one("SIGNEDB"))
	p := stage("OUTPUT", stage("PIPELINE", m))
	for i, w := range p {
		c.output(fmt.Sprint("P", i), w)
	}
}

// held is w, through a register where a clock is named.
func (c *cell) held(param string, w ...circuit.Wire) []circuit.Wire {
	clocks := append([]string{"none", "0", "1", "2", "3"}, names("clock", 4)...)
	if c.text(param, clocks...) == "none" {
		return w
	}
	c.never(c.one("aclr"), "the asynchronous clear")
	return c.register(flop{name: strings.TrimSuffix(param, "_clock"), data: w,
		clock: c.one("clk"), enable: c.one("ena"),
		reset: circuit.Fixed(gates.No)})
}

func (c *cell) intelPins() {
	c.ignore("lpm_type", "dataa_width", "datab_width")
	c.one("clk")
	c.one("ena")
	c.one("aclr")
	c.never(c.not(c.oneOr("devclrn", gates.Yes)), "devclrn")
	c.never(c.not(c.oneOr("devpor", gates.Yes)), "devpor")
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
