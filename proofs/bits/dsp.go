package bits

import "slices"

// dsp is DSP48E2, by doc/fpga.md, section 4. Control pins are constant. What constant control does
// not select is not asked for: a sum that does not read P back is no loop.
func dsp(c *cell) {
	c.netlist.trusts["registers of DSP48E2 start at 0, and "+neverGSR] = true
	c.ignore("AUTORESET_PRIORITY", "MASK", "PATTERN", "SEL_MASK", "SEL_PATTERN",
		"USE_PATTERN_DETECT", "XORSIMD")
	c.text("AUTORESET_PATDET", "NO_RESET")
	c.text("USE_WIDEXOR", "FALSE")
	need(c.table("IS_CLK_INVERTED", 1)[0] == no, "a register on the falling edge")
	clock := c.one("CLK")
	depth := func(name string) int { return int(c.text(name, "1", "0", "2")[0] - '0') }
	inverted := func(pin string, w []wire) []wire {
		by := c.table("IS_"+pin+"_INVERTED", len(w))
		out := make([]wire, len(w))
		for i := range w {
			if out[i] = w[i]; by[i] == yes {
				out[i] = c.not(w[i])
			}
		}
		return out
	}
	control := func(pin string, n int) []wire { return inverted(pin, c.or(pin, n, no)) }
	enable := func(pin string) wire { return c.oneOr(pin, no) }
	reset := func(pin string) wire { return control(pin, 1)[0] }
	held := func(w []wire, ce, rst wire) []wire { return c.register(w, clock, ce, rst, no) }
	staged := func(param string, w []wire, ce, rst wire) []wire {
		if c.text(param, "1", "0") == "1" {
			return held(w, ce, rst)
		}
		return w
	}
	opcode, alucode := control("OPMODE", 9), control("ALUMODE", 4)
	carrycode := c.or("CARRYINSEL", 3, no)
	resetControl := reset("RSTCTRL")
	opmode := staged("OPMODEREG", opcode, enable("CECTRL"), resetControl)
	carrysel := staged("CARRYINSELREG", carrycode, enable("CECTRL"), resetControl)
	alumode := staged("ALUMODEREG", alucode, enable("CEALUMODE"), reset("RSTALUMODE"))
	inmode := staged("INMODEREG", control("INMODE", 5), enable("CEINMODE"), reset("RSTINMODE"))
	carry := staged("CARRYINREG", control("CARRYIN", 1), enable("CECARRYIN"),
		reset("RSTALLCARRYIN"))
	zeros := func(n int) []wire { return slices.Repeat([]wire{fixed(no)}, n) }

	// The paths of A and B: one register or two, of which the first is 0 where there is none.
	path := func(x string, n int) (first, second []wire) {
		r, cascaded := depth(x+"REG"), depth(x+"CASCREG")
		need(r == cascaded || r == 2 && cascaded == 1, "registers of the cascade of %s", x)
		in := c.or(x, n, yes)
		chain := c.input(x+"CIN", n)
		if c.text(x+"_INPUT", "DIRECT", "CASCADE") == "CASCADE" {
			in = chain
		}
		rst := reset("RST" + x)
		ce1, ce2 := enable("CE"+x+"1"), enable("CE"+x+"2")
		first, second = zeros(n), in
		if r > 0 {
			first = held(in, ce1, rst)
		}
		if r == 2 {
			in = first
		}
		if r > 0 {
			second = held(in, ce2, rst)
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
	d := staged("DREG", c.or("D", 27, no), enable("CED"), reset("RSTD"))
	gated, other := c.pick(inmode[2], d, zeros(27)), a
	if !ofA {
		other = stretched(b, 27, true)
	}
	less := whole(27, func(t int) vec { return c.g.sub(at(gated, t), at(other, t)) })
	more := whole(27, func(t int) vec { return c.g.sum(at(gated, t), at(other, t)) })
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
		p, q := stretched(a, 48, true), stretched(b, 48, true)
		m = whole(48, func(t int) vec { return c.g.mul(at(p, t), at(q, t)) })
	}
	need(use != "NONE" || c.text("MREG", "1", "0") == "0", "a register of no product")
	m = staged("MREG", m, enable("CEM"), reset("RSTM"))
	cc := staged("CREG", c.or("C", 48, yes), enable("CEC"), reset("RSTC"))
	pcin, rnd := c.or("PCIN", 48, no), c.table("RND", 48)
	round := make([]wire, 48)
	for i := range round {
		round[i] = fixed(rnd[i])
	}

	// P is read back before it is made.
	var p []wire
	fed := make([]wire, 48)
	for i := range fed {
		fed[i] = func(t int) lit { return p[i](t) }
	}
	down := func(w []wire) []wire { return stretched(w[17:], 48, true) }
	sel := func(code []wire, ways ...[]wire) []wire {
		for k := len(code) - 1; len(ways) > 1; k-- {
			half := len(ways) / 2
			for i := range half {
				ways[i] = c.pick(code[k], ways[i+half], ways[i])
			}
			ways = ways[:half]
		}
		return ways[0]
	}
	ones := slices.Repeat([]wire{fixed(yes)}, 48)
	x := sel(opmode[0:2], zeros(48), m, fed, append(slices.Clone(b2), a2...))
	y := sel(opmode[2:4], zeros(48), zeros(48), ones, cc)
	z := sel(opmode[4:7], zeros(48), pcin, fed, cc, fed, down(pcin), down(fed), down(fed))
	w := sel(opmode[7:9], zeros(48), fed, round, cc)
	top := func(w []wire) []wire { return w[47:] }
	not := func(w []wire) []wire { return []wire{c.not(w[0])} }
	never := []wire{func(int) lit { refuse("a carry that has no model"); return no }}
	cascaded := []wire{c.oneOr("CARRYCASCIN", no)}
	cin := sel(carrysel, carry, not(top(pcin)), cascaded, top(pcin), never,
		not(top(fed)), never, top(fed))
	c.checks = append(c.checks, func() {
		op, alu, cs := constants(opcode), constants(alucode), constants(carrycode)
		zs := op >> 4 & 7
		need((op&3 == 1) == (op>>2&3 == 1), "the product is selected in one of X and Y")
		need(zs != 7, "Z is 111")
		feeds := op&3 == 2 || op>>7 == 1 || zs == 2 || zs == 4 || zs == 6
		need(!feeds || c.text("PREG", "1", "0") == "1", "P is fed back, and no register")
		need(op&3 != 1 || use != "NONE" && simd == "ONE48", "there is no product")
		need(cs != 2 || c.text("OPMODEREG", "1", "0") == "1" && op&15 != 5, "CARRYINSEL is 2")
		need(alu>>2 != 2 && (alu>>2 == 0 || op>>7 == 0), "ALUMODE")
		need(cs != 4 && cs != 6, "CARRYINSEL is 4 or 6")
		need(zs != 4 || c.oneOr("MULTSIGNIN", no)(0) == no, "MULTSIGNIN is not 0")
		need(zs != 1 && zs != 5 || c.in.pins["PCIN"] != nil, "PCIN is open")
	})
	c.oneOr("MULTSIGNIN", no)
	za := whole(48, func(t int) vec {
		v := at(z, t)
		return c.g.choose(alumode[0](t), v.not(), v)
	})
	lanes := map[string]int{"ONE48": 1, "TWO24": 2, "FOUR12": 4}[simd]
	sum := whole(48, func(t int) vec {
		var out vec
		g, n := c.g, 48/lanes
		for k := range lanes {
			part := func(w []wire) vec { return at(w[k*n:(k+1)*n], t) }
			in := vec{no}
			if k == 0 {
				in = at(cin, t)
			}
			rest := g.sum(g.sum(g.sum(part(w), part(x)), part(y)), in.wide(n, no))
			out = append(out, g.sum(part(za), rest)...)
		}
		return out
	})
	bitwise := func(f func(a, b, c lit) lit) []wire {
		return whole(48, func(t int) vec {
			i, j, k := at(x, t), at(y, t), at(za, t)
			out := make(vec, 48)
			for n := range out {
				out[n] = f(i[n], j[n], k[n])
			}
			return out
		})
	}
	g := c.g
	parity := bitwise(func(a, b, c lit) lit { return g.xor(g.xor(a, b), c) })
	majority := bitwise(func(a, b, c lit) lit {
		return g.or(g.or(g.and(a, b), g.and(a, c)), g.and(b, c))
	})
	result := c.pick(alumode[3], majority, c.pick(alumode[2], parity, sum))
	inverse := make([]wire, 48)
	for i := range inverse {
		inverse[i] = c.not(result[i])
	}
	p = staged("PREG", c.pick(alumode[1], inverse, result), enable("CEP"), reset("RSTP"))
	out := p
	c.output("P", out...)
	c.output("PCOUT", out...)
	for _, pin := range []string{"CARRYCASCOUT", "MULTSIGNOUT", "CARRYOUT", "XOROUT", "OVERFLOW",
		"UNDERFLOW", "PATTERNDETECT", "PATTERNBDETECT"} {
		c.pins[pin] = true // there is no model of it: nothing drives what it is connected to
	}
}

// resetOf is a reset that was asked for before.
func resetOf(c *cell, pin string) wire { return c.flip(c.oneOr(pin, no), "IS_"+pin+"_INVERTED") }

// pick is s ? a : b, of which a constant s asks for one alone.
func (c *cell) pick(s wire, a, b []wire) []wire {
	out := make([]wire, len(a))
	for i := range out {
		out[i] = single(func(t int) lit {
			switch l := s(t); l {
			case yes:
				return a[i](t)
			case no:
				return b[i](t)
			default:
				return c.g.mux(l, a[i](t), b[i](t))
			}
		})
	}
	return out
}

// constants is the number that wires are.
func constants(w []wire) (n int) {
	for i, l := range at(w, 0) {
		need(l <= yes, "control that is not constant")
		n |= int(l) << i
	}
	return n
}
