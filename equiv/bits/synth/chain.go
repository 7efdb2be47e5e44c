package synth

import "slices"

// chain is a chain of carries over rows: the result is sum xor carry, and a carry is the one before where sum is 1, else generate. last
// is the carry behind the last place.
func (s *Sketch) chain(sum, generate []net, ci net) (out []net, last func() net) {
	switch s.arch {
	case "xilinx":
		return s.carries8(sum, generate, ci)
	case "lattice":
		rows := [][]net{sum, generate}
		// With D at 1 the sum is what the high half of the table has, A; what is generated the lowest nibble has, B.
		return s.ccu2c(rows, fixed(4, func(i uint) bool { return i>>3 == 1 && i&1 == 1 || i>>3 == 0 && i>>1&1 == 1 }), []net{zero, one}, ci)
	case "intel": // {CO, SO} = q0 + not q1 + CI: q0 is what is generated, q1 where that and the sum are equal
		return s.arith([][]net{sum, generate}, fixed(4, func(i uint) bool { return i>>1&1 == 1 }),
			fixed(4, func(i uint) bool { return i&1 == i>>1&1 }), ci)
	}
	return s.lutChain([][]net{sum, generate}, fixed(3, func(i uint) bool { return (i^i>>2)&1 == 1 }),
		fixed(3, func(i uint) bool { return i>>(1+i&1)&1 == 1 }), ci)
}

// ownChain is a chain over rows whose cells have tables of their own, which are holes.
func (s *Sketch) ownChain(rows [][]net, ci net) (out []net, last func() net) {
	switch s.arch {
	case "lattice":
		// Which input is at which pin matters: what is generated reads two of the four alone.
		var order [][]net
		for range 2 {
			pins := s.ways("pin", len(rows))
			var r []net
			for i := range rows[0] {
				r = append(r, s.choose(pins, column(rows, i)...))
			}
			order = append(order, r)
		}
		if len(rows) > 2 {
			order = append(order, rows[2])
		}
		return s.ccu2c(order, s.hole("table", 16), s.hole("tie", 4-len(order)), ci)
	case "intel":
		return s.arith(rows, s.hole("table0_", 16), s.hole("table1_", 16), ci)
	}
	return s.lutChain(rows, s.table("sum", len(rows)+1), s.table("carry", len(rows)+1), ci)
}

// carries8 is a chain of CARRY8. What is beyond the last place hands the carry on.
func (s *Sketch) carries8(sum, generate []net, ci net) (out []net, last func() net) {
	top := ci
	for first := 0; first < len(sum); first += 8 {
		n := min(8, len(sum)-first)
		o, co := s.drive("o", 8), s.drive("co", 8)
		spare := 8 - n
		s.place(part{typ: "CARRY8", params: []param{{name: "CARRY_TYPE", text: "SINGLE_CY8"}},
			in: []pin{{"CI", []net{top}}, {"CI_TOP", []net{zero}}, {"DI", slices.Concat(generate[first:first+n], slices.Repeat([]net{zero}, spare))},
				{"S", slices.Concat(sum[first:first+n], slices.Repeat([]net{one}, spare))}},
			out: []pin{{"O", o}, {"CO", co}}})
		out, top = append(out, o[:n]...), co[7]
	}
	return out, func() net { return top }
}

// ccu2c is a chain of CCU2C over two rows, at A and B, and what C and D are tied to; a third row is at C.
func (s *Sketch) ccu2c(rows [][]net, t, ties []net, ci net) (out []net, last func() net) {
	pins := []string{"A", "B", "C", "D"}
	width := len(rows[0])
	top := ci
	half := func(i int) (in []net, table []net) {
		if i < width {
			return append(column(rows, i), ties...), t
		}
		return []net{zero, zero, zero, zero}, fixed(4, func(uint) bool { return false })
	}
	for first := 0; first < width; first += 2 {
		n := min(2, width-first)
		o, co := s.drive("o", n), s.drive("co", 1)
		p := part{typ: "CCU2C", in: []pin{{"CIN", []net{top}}}}
		for k := range 2 {
			suffix := string(rune('0' + k))
			in, table := half(first + k)
			if k == 1 && n == 1 { // which hands the carry on
				table = fixed(4, func(uint) bool { return true })
			}
			for j, name := range pins {
				p.in = append(p.in, pin{name + suffix, in[j : j+1]})
			}
			p.params = append(p.params, param{name: "INIT" + suffix, bits: table}, param{name: "INJECT1_" + suffix, text: "NO"})
			if k < n {
				p.out = append(p.out, pin{"S" + suffix, o[k : k+1]})
			}
		}
		p.out = append(p.out, pin{"COUT", co})
		s.place(p)
		out, top = append(out, o...), co[0]
	}
	return out, func() net { // a carry leaves a chain through a sum alone
		o := s.drive("o", 1)
		p := part{typ: "CCU2C", in: []pin{{"CIN", []net{top}}}, out: []pin{{"S0", o}}}
		for _, suffix := range []string{"0", "1"} {
			for _, name := range pins {
				p.in = append(p.in, pin{name + suffix, []net{zero}})
			}
			p.params = append(p.params, param{name: "INIT" + suffix, bits: fixed(4, func(uint) bool { return false })},
				param{name: "INJECT1_" + suffix, text: "NO"})
		}
		s.place(p)
		return o[0]
	}
}

// arith is a chain of MISTRAL_ALUT_ARITH over at most three rows.
func (s *Sketch) arith(rows [][]net, t0, t1 []net, ci net) (out []net, last func() net) {
	top := ci
	cell := func(in []net, t0, t1 []net, o, co []net) {
		in = append(slices.Clone(in), slices.Repeat([]net{zero}, 3-len(in))...)
		s.place(part{typ: "MISTRAL_ALUT_ARITH", params: []param{{name: "LUT0", bits: t0}, {name: "LUT1", bits: t1}},
			in:  []pin{{"A", in[:1]}, {"B", in[1:2]}, {"C", in[2:]}, {"D0", []net{zero}}, {"D1", []net{zero}}, {"CI", []net{top}}},
			out: []pin{{"SO", o}, {"CO", co}}})
	}
	for i := range rows[0] {
		o, co := s.drive("o", 1), s.drive("co", 1)
		cell(column(rows, i), t0, t1, o, co)
		out, top = append(out, o...), co[0]
	}
	return out, func() net {
		o := s.drive("o", 1)
		cell(nil, fixed(4, func(uint) bool { return false }), fixed(4, func(uint) bool { return true }), o, nil)
		return o[0]
	}
}

// lutChain has two tables a place: of the bits at the place, and the carry as the highest input.
func (s *Sketch) lutChain(rows [][]net, sum, carry table, ci net) (out []net, last func() net) {
	top := ci
	width := len(rows[0])
	o, co := s.drive("o", width), s.drive("co", width)
	for i := range width {
		in := append(column(rows, i), top)
		s.lutTo(o[i], sum, in...)
		s.lutTo(co[i], carry, in...)
		top = co[i]
	}
	return o, func() net { return top }
}
