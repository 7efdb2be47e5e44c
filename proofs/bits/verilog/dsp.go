package verilog

import (
	"slices"
	"strings"

	"tv/proofs/bits/circuit"
	"tv/proofs/bits/gates"
)

// dsp is DSP48E2, by doc/fpga.md, section 4. What constant control does not select is not asked
// for: a sum that does not read P back is no loop.
func dsp(c *cell) {
	c.trusts["registers of DSP48E2 start at 0, and "+neverGSR] = true
	c.ignore("AUTORESET_PRIORITY", "MASK", "PATTERN", "SEL_MASK", "SEL_PATTERN",
		"USE_PATTERN_DETECT", "XORSIMD")
	c.text("AUTORESET_PATDET", "NO_RESET")
	c.text("USE_WIDEXOR", "FALSE")
	falls := c.table("IS_CLK_INVERTED", 1)[0] == gates.Yes
	clock := c.one("CLK")
	depth := func(name string) int { return int(c.text(name, "1", "0", "2")[0] - '0') }
	inverted := func(pin string, w []circuit.Wire) []circuit.Wire {
		by := c.table("IS_"+pin+"_INVERTED", len(w))
		out := make([]circuit.Wire, len(w))
		for i := range w {
			if out[i] = w[i]; by[i] == gates.Yes {
				out[i] = c.not(w[i])
			}
		}
		return out
	}
	control := func(pin string, n int) []circuit.Wire {
		return inverted(pin, c.or(pin, n, gates.No))
	}
	enable := func(pin string) circuit.Wire { return c.oneOr(pin, gates.No) }
	reset := func(pin string) circuit.Wire { return control(pin, 1)[0] }
	held := func(name string, w []circuit.Wire, ce, rst circuit.Wire) []circuit.Wire {
		return c.register(flop{name: name, data: w, clock: clock, enable: ce, reset: rst,
			falls: falls})
	}
	staged := func(param string, w []circuit.Wire, ce, rst circuit.Wire) []circuit.Wire {
		if c.text(param, "1", "0") == "1" {
			return held(strings.TrimSuffix(param, "REG"), w, ce, rst)
		}
		return w
	}
	opcode, alucode := control("OPMODE", 9), control("ALUMODE", 4)
	carrycode := c.or("CARRYINSEL", 3, gates.No)
	resetControl := reset("RSTCTRL")
	opmode := staged("OPMODEREG", opcode, enable("CECTRL"), resetControl)
	carrysel := staged("CARRYINSELREG", carrycode, enable("CECTRL"), resetControl)
	alumode := staged("ALUMODEREG", alucode, enable("CEALUMODE"), reset("RSTALUMODE"))
	inmode := staged("INMODEREG", control("INMODE", 5), enable("CEINMODE"), reset("RSTINMODE"))
	carry := staged("CARRYINREG", control("CARRYIN", 1), enable("CECARRYIN"),
		reset("RSTALLCARRYIN"))
	zeros := func(n int) []circuit.Wire {
		return slices.Repeat([]circuit.Wire{circuit.Fixed(gates.No)}, n)
	}

	// The paths of A and B: one register or two, of which the first is 0 where there is none.
	path := func(x string, n int) (first, second []circuit.Wire) {
		r, cascaded := depth(x+"REG"), depth(x+"CASCREG")
		gates.Need(r == cascaded || r == 2 && cascaded == 1, "registers of the cascade of %s", x)
		in := c.or(x, n, gates.Yes)
		chain := c.input(x+"CIN", n)
		if c.text(x+"_INPUT", "DIRECT", "CASCADE") == "CASCADE" {
			in = chain
		}
		rst := reset("RST" + x)
		ce1, ce2 := enable("CE"+x+"1"), enable("CE"+x+"2")
		first, second = zeros(n), in
		if r > 0 {
			first = held(x+"1", in, ce1, rst)
		}
		if r == 2 {
			in = first
		}
		if r > 0 {
			second = held(x+"2", in, ce2, rst)
		}
		if r == 2 && cascaded == 1 {
			c.output(x+"COUT", first...)
		} else {
			c.output(x+"COUT", second...)
		}
		return first, second
	}
	a1, a2 := path("A", 30)
	b1, b2 := path("B", 18)
	a := c.pick(inmode[0], a1[:27], a2[:27])
	b := c.pick(inmode[4], b1, b2)
	ofA := c.text("PREADDINSEL", "A", "B") == "A"
	if ofA {
		a = c.pick(inmode[1], zeros(27), a)
	} else {
		b = c.pick(inmode[1], zeros(18), b)
	}
	d := staged("DREG", c.or("D", 27, gates.No), enable("CED"), reset("RSTD"))
	gated, other := c.pick(inmode[2], d, zeros(27)), a
	if !ofA {
		other = circuit.Stretched(b, 27, true)
	}
	less := circuit.Whole(27, func(t int) gates.Vec {
		return c.Graph.Sub(circuit.At(gated, t), circuit.At(other, t))
	})
	more := circuit.Whole(27, func(t int) gates.Vec {
		return c.Graph.Sum(circuit.At(gated, t), circuit.At(other, t))
	})
	ad := staged("ADREG", c.pick(inmode[3], less, more), enable("CEAD"), resetOf(c, "RSTD"))
	if c.text("AMULTSEL", "A", "AD") == "AD" {
		a = ad
	}
	if c.text("BMULTSEL", "B", "AD") == "AD" {
		b = ad[:18]
	}
	use := c.text("USE_MULT", "MULTIPLY", "DYNAMIC", "NONE")
	simd := c.text("USE_SIMD", "ONE48", "TWO24", "FOUR12")
	m := zeros(48)
	if use != "NONE" {
		p, q := circuit.Stretched(a, 48, true), circuit.Stretched(b, 48, true)
		m = circuit.Whole(48, func(t int) gates.Vec {
			return c.Graph.Mul(circuit.At(p, t), circuit.At(q, t))
		})
	}
	gates.Need(use != "NONE" || c.text("MREG", "1", "0") == "0", "a register of no product")
	m = staged("MREG", m, enable("CEM"), reset("RSTM"))
	cc := staged("CREG", c.or("C", 48, gates.Yes), enable("CEC"), reset("RSTC"))
	pcin, rnd := c.or("PCIN", 48, gates.No), c.table("RND", 48)
	round := make([]circuit.Wire, 48)
	for i := range round {
		round[i] = circuit.Fixed(rnd[i])
	}

	// P is read back before it is made, where it has a register.
	var p []circuit.Wire
	fed := zeros(48)
	if c.text("PREG", "1", "0") == "1" {
		for i := range fed {
			fed[i] = func(t int) gates.Lit { return p[i](t) }
		}
	}
	down := func(w []circuit.Wire) []circuit.Wire { return circuit.Stretched(w[17:], 48, true) }
	sel := func(code []circuit.Wire, ways ...[]circuit.Wire) []circuit.Wire {
		for _, bit := range code { // the highest bit is asked first, and so joined last
			var halves [][]circuit.Wire
			for i := 0; i < len(ways); i += 2 {
				halves = append(halves, c.pick(bit, ways[i+1], ways[i]))
			}
			ways = halves
		}
		return ways[0]
	}
	ones := slices.Repeat([]circuit.Wire{circuit.Fixed(gates.Yes)}, 48)
	x := sel(opmode[0:2], zeros(48), m, fed, append(slices.Clone(b2), a2...))
	y := sel(opmode[2:4], zeros(48), zeros(48), ones, cc)
	z := sel(opmode[4:7], zeros(48), pcin, fed, cc, fed, down(pcin), down(fed), down(fed))
	w := sel(opmode[7:9], zeros(48), fed, round, cc)
	top := func(w []circuit.Wire) []circuit.Wire { return w[47:] }
	not := func(w []circuit.Wire) []circuit.Wire { return []circuit.Wire{c.not(w[0])} }
	cascaded := []circuit.Wire{c.oneOr("CARRYCASCIN", gates.No)}
	rounds := []circuit.Wire{circuit.Once(func(t int) gates.Lit {
		return c.Graph.Xor(a[26](t), b[17](t)).Not()
	})}
	cin := sel(carrysel, carry, not(top(pcin)), cascaded, top(pcin), not(top(fed)),
		not(top(fed)), rounds, top(fed))
	direct := c.text("MREG", "1", "0") == "0" && c.text("AMULTSEL", "A", "AD") == "A" &&
		c.text("BMULTSEL", "B", "AD") == "B"
	c.checks = append(c.checks, func() {
		pins := control3{opcode, alucode, carrycode}.apart(c)
		may := func(value uint64) bool {
			return c.is(pins.carrysel, value)(circuit.Probe) != gates.No
		}
		gates.Need(!may(4), "CARRYINSEL may be 4")
		for _, i := range []int{0, 1, 4} {
			direct = direct && inmode[i](circuit.Probe) == gates.No
		}
		gates.Need(!may(6) || direct,
			"CARRYINSEL may be 6, and there is something before the product")
	})
	c.forbid(control3{opcode, alucode, carrycode}, control3{opmode, alumode, carrysel},
		use != "NONE" && simd == "ONE48")
	c.oneOr("MULTSIGNIN", gates.No)
	za := circuit.Whole(48, func(t int) gates.Vec {
		v := circuit.At(z, t)
		return c.Graph.Choose(alumode[0](t), v.Not(), v)
	})
	lanes := map[string]int{"ONE48": 1, "TWO24": 2, "FOUR12": 4}[simd]
	sum := circuit.Whole(48, func(t int) gates.Vec {
		var out gates.Vec
		g, n := c.Graph, 48/lanes
		for k := range lanes {
			part := func(w []circuit.Wire) gates.Vec { return circuit.At(w[k*n:(k+1)*n], t) }
			in := gates.Vec{gates.No}
			if k == 0 {
				in = circuit.At(cin, t)
			}
			rest := g.Sum(g.Sum(g.Sum(part(w), part(x)), part(y)), in.Wide(n, gates.No))
			out = append(out, g.Sum(part(za), rest)...)
		}
		return out
	})
	bitwise := func(f func(a, b, c gates.Lit) gates.Lit) []circuit.Wire {
		return circuit.Whole(48, func(t int) gates.Vec {
			i, j, k := circuit.At(x, t), circuit.At(y, t), circuit.At(za, t)
			out := make(gates.Vec, 48)
			for n := range out {
				out[n] = f(i[n], j[n], k[n])
			}
			return out
		})
	}
	g := c.Graph
	parity := bitwise(func(a, b, c gates.Lit) gates.Lit { return g.Xor(g.Xor(a, b), c) })
	majority := bitwise(func(a, b, c gates.Lit) gates.Lit {
		return g.Or(g.Or(g.And(a, b), g.And(a, c)), g.And(b, c))
	})
	result := c.pick(alumode[3], majority, c.pick(alumode[2], parity, sum))
	inverse := make([]circuit.Wire, 48)
	for i := range inverse {
		inverse[i] = c.not(result[i])
	}
	p = staged("PREG", c.pick(alumode[1], inverse, result), enable("CEP"), reset("RSTP"))
	out := p
	c.output("P", out...)
	c.output("PCOUT", out...)
	c.pcouts = append(c.pcouts, out)
	for _, pin := range []string{"CARRYCASCOUT", "MULTSIGNOUT", "CARRYOUT", "XOROUT", "OVERFLOW",
		"UNDERFLOW", "PATTERNDETECT", "PATTERNBDETECT"} {
		c.pins[pin] = true // there is no model of it: nothing drives what it is connected to
	}
}

// resetOf is a reset that was asked for before.
func resetOf(c *cell, pin string) circuit.Wire {
	return c.flip(c.oneOr(pin, gates.No), "IS_"+pin+"_INVERTED")
}

// pick is s ? a : b, of which a constant s asks for one alone.
func (c *cell) pick(s circuit.Wire, a, b []circuit.Wire) []circuit.Wire {
	out := make([]circuit.Wire, len(a))
	for i := range out {
		out[i] = circuit.Once(func(t int) gates.Lit {
			switch l := s(t); l {
			case gates.Yes:
				return a[i](t)
			case gates.No:
				return b[i](t)
			default:
				return c.Graph.Mux(l, a[i](t), b[i](t))
			}
		})
	}
	return out
}

// control3 are OPMODE, ALUMODE and CARRYINSEL.
type control3 struct{ opmode, alumode, carrysel []circuit.Wire }

// forbid says what control must not be. Where pins alone rule that out, whatever those of them are
// that are not constant, nothing is owed; where they demand it, the cell is refused.
func (c *cell) forbid(pins, behind control3, hasProduct bool) {
	c.checks = append(c.checks, func() {
		c.later("MULTSIGNIN", pins)
		atPins := c.forbidden(pins.apart(c), hasProduct)
		for i, w := range c.forbidden(behind, hasProduct) {
			switch atPins[i](circuit.Probe) {
			case gates.Yes:
				gates.Refuse("the control of %s%s is illegal", c.path, c.in.name)
			case gates.No:
			default:
				c.illegal = append(c.illegal, w)
			}
		}
	})
}

// apart has a bit of its own for each that is not constant.
func (k control3) apart(c *cell) control3 {
	n := 0
	free := func(w []circuit.Wire) []circuit.Wire {
		out := make([]circuit.Wire, len(w))
		for i := range w {
			n++
			if out[i] = w[i]; w[i](circuit.Probe) > gates.Yes {
				out[i] = c.Open(c.path+c.in.name, n)
			}
		}
		return out
	}
	return control3{free(k.opmode), free(k.alumode), free(k.carrysel)}
}

// is compares bits with a constant.
func (c *cell) is(w []circuit.Wire, value uint64) circuit.Wire {
	return circuit.Once(func(d int) gates.Lit {
		return c.Graph.Equal(circuit.At(w, d), gates.Number(value, len(w)))
	})
}

// forbidden are conditions that must not hold, in the order of doc/certificates.md.
func (c *cell) forbidden(k control3, hasProduct bool) []circuit.Wire {
	g := c.Graph
	x, y, z, w := k.opmode[0:2], k.opmode[2:4], k.opmode[4:7], k.opmode[7:9]
	join := func(f func(a, b gates.Lit) gates.Lit, a, b circuit.Wire) circuit.Wire {
		return circuit.Once(func(d int) gates.Lit { return f(a(d), b(d)) })
	}
	out := []circuit.Wire{
		join(g.Xor, c.is(x, 1), c.is(y, 1)),
		c.is(z, 7),
		c.is(k.alumode[2:4], 2),
		join(g.And, c.not(c.is(k.alumode[2:4], 0)), c.not(c.is(w, 0))),
	}
	if c.text("PREG", "1", "0") == "0" {
		of := join(g.Or, join(g.Or, c.is(z, 2), c.is(z, 4)), c.is(z, 6))
		out = append(out, join(g.Or, join(g.Or, c.is(x, 2), c.is(w, 1)), of))
	}
	if !hasProduct {
		out = append(out, c.is(x, 1))
	}
	cascade := c.is(k.carrysel, 2)
	if c.text("OPMODEREG", "1", "0") == "1" {
		cascade = join(g.And, cascade, c.is(k.opmode[0:4], 5))
	}
	out = append(out, cascade)
	if !c.cascades("PCIN") {
		out = append(out, join(g.Or, c.is(z, 1), c.is(z, 5)))
	}
	return out
}

// cascades tells whether each bit of a pin is constant or the same bit of a PCOUT.
func (c *cell) cascades(pin string) bool {
	if c.in.pins[pin] == nil {
		return false
	}
	for i, w := range c.input(pin, 48) {
		l := w(circuit.Probe)
		isThat := func(from []circuit.Wire) bool { return from[i](circuit.Probe) == l }
		if l > gates.Yes && !slices.ContainsFunc(c.pcouts, isThat) {
			return false
		}
	}
	return true
}

// later refuses a sign that comes from another slice, where Z may be 100.
func (c *cell) later(pin string, pins control3) {
	may := c.is(pins.apart(c).opmode[4:7], 4)(circuit.Probe) != gates.No
	gates.Need(!may || c.oneOr(pin, gates.No)(circuit.Probe) == gates.No, "%s is not 0", pin)
}
