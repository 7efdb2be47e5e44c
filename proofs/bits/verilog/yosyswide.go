package verilog

import (
	"math/big"
	"slices"
	"strings"

	"tv/proofs/bits/gates"
)

// An ownCell is one of Yosys' own cells that no operator of Verilog says: bits of its outputs are
// assigned one by one.
type ownCell struct {
	name, kind   string
	pins, params map[string]*node
}

// low are the bits of a pin, lowest first.
func (c *ownCell) low(name string) []*node {
	p := c.pins[name]
	gates.Need(p != nil && p.op == "row", "pin %s of %s is open", name, c.name)
	out := slices.Clone(p.args)
	slices.Reverse(out)
	return out
}

// bit is a pin of one bit.
func (c *ownCell) bit(name string) *node {
	w := c.low(name)
	gates.Need(len(w) == 1, "pin %s of %s has %d bits", name, c.name, len(w))
	return w[0]
}

// value is a parameter.
func (c *ownCell) value(name string) *big.Int {
	n := c.params[name]
	gates.Need(n != nil && n.op == "number" && !n.unknown, "parameter %s of %s", name, c.name)
	return n.value
}

func (c *ownCell) isSet(name string) bool { return c.value(name).Sign() != 0 }

func operator(op string, args ...*node) *node { return &node{op: op, args: args} }

func digit(isOne bool) *node {
	n := &node{op: "number", width: 1, value: new(big.Int)}
	if isOne {
		n.value.SetInt64(1)
	}
	return n
}

// assign says what bits of an output are, lowest first. One that is open is read by nothing.
func (m *module) assign(c *ownCell, name string, bits []*node) {
	if c.pins[name] == nil {
		return
	}
	out := c.low(name)
	gates.Need(len(out) == len(bits), "pin %s of %s has %d bits, not %d", name, c.name, len(out),
		len(bits))
	for i, b := range out {
		m.assigned = append(m.assigned, [2]*node{b, bits[i]})
	}
}

// stretched has bits at a width, with the highest or 0 above.
func stretched(bits []*node, width int, signed bool) []*node {
	out := slices.Clone(bits[:min(len(bits), width)])
	for len(out) < width {
		if fill := digit(false); !signed {
			out = append(out, fill)
		} else {
			out = append(out, bits[len(bits)-1])
		}
	}
	return out
}

// above turns bits into a word.
func above(bits []*node) *node {
	row := &node{op: "row", args: slices.Clone(bits)}
	slices.Reverse(row.args)
	return row
}

// wide reads adders, cells that choose and join, and gates of many inputs; false where the cell is
// none of these.
func (m *module) wide(c *ownCell) bool {
	switch c.kind {
	case "$alu":
		m.alu(c)
	case "$lcu":
		carry, p, g := c.bit("CI"), c.low("P"), c.low("G")
		out := c.low("CO")
		gates.Need(len(p) == len(g) && len(p) == len(out), "the widths of %s", c.name)
		for i, to := range out {
			m.assigned = append(m.assigned,
				[2]*node{to, operator("|", g[i], operator("&", p[i], carry))})
			carry = to
		}
	case "$fa":
		x, y, z := c.low("A"), c.low("B"), c.low("C")
		gates.Need(len(x) == len(y) && len(y) == len(z), "the widths of %s", c.name)
		var sums, carries []*node
		for i := range x {
			differ := operator("^", x[i], y[i])
			sums = append(sums, operator("^", differ, z[i]))
			carries = append(carries,
				operator("|", operator("&", x[i], y[i]), operator("&", differ, z[i])))
		}
		m.assign(c, "Y", sums)
		m.assign(c, "X", carries)
	case "$macc":
		m.macc(c)
	case "$bmux":
		a, s, width := c.low("A"), c.low("S"), len(c.low("Y"))
		gates.Need(len(s) <= 16 && len(a) == width<<len(s), "the widths of %s", c.name)
		for _, bit := range s { // halves, quarters and so on, by the lowest bit first
			var left []*node
			for i := 0; i < len(a); i += 2 * width {
				for k := range width {
					left = append(left, operator("?", bit, a[i+width+k], a[i+k]))
				}
			}
			a = left
		}
		m.assign(c, "Y", a)
	case "$demux":
		a, s := c.low("A"), c.low("S")
		gates.Need(len(s) <= 16, "pin S of %s", c.name)
		var out []*node
		for i := range 1 << len(s) {
			here := digit(true)
			for k, bit := range s {
				if i>>k&1 == 0 {
					bit = operator("~", bit)
				}
				here = operator("&", here, bit)
			}
			for _, bit := range a {
				out = append(out, operator("&", here, bit))
			}
		}
		m.assign(c, "Y", out)
	case "$concat":
		m.assign(c, "Y", slices.Concat(c.low("A"), c.low("B")))
	case "$slice":
		a, at, width := c.low("A"), c.value("OFFSET"), len(c.low("Y"))
		gates.Need(at.IsInt64() && at.Int64() <= int64(len(a)-width), "the offset of %s", c.name)
		m.assign(c, "Y", a[at.Int64():][:width])
	case "$_AOI3_", "$_OAI3_", "$_AOI4_", "$_OAI4_":
		first, then := "&", "|"
		if strings.HasPrefix(c.kind, "$_O") {
			first, then = "|", "&"
		}
		last := c.bit("C")
		if c.kind[5] == '4' {
			last = operator(first, last, c.bit("D"))
		}
		all := operator(then, operator(first, c.bit("A"), c.bit("B")), last)
		m.assign(c, "Y", []*node{operator("~", all)})
	case "$_MUX4_", "$_MUX8_", "$_MUX16_":
		n := map[string]int{"$_MUX4_": 2, "$_MUX8_": 3, "$_MUX16_": 4}[c.kind]
		var words []*node
		for i := range 1 << n {
			words = append(words, c.bit(string("ABCDEFGHIJKLMNOP"[i])))
		}
		for k := range n {
			bit := c.bit(string("STUV"[k]))
			for i := range len(words) / 2 {
				words[i] = operator("?", bit, words[2*i+1], words[2*i])
			}
			words = words[:len(words)/2]
		}
		m.assign(c, "Y", words)
	default:
		return false
	}
	return true
}

// alu adds A, B (its complement where BI is 1) and CI. Of each place 1 is carried where both have
// one, and where one of them has and the sum has not: then another 1 came from below.
func (m *module) alu(c *ownCell) {
	signed := c.isSet("A_SIGNED")
	gates.Need(signed == c.isSet("B_SIGNED"), "%s of operands of two kinds", c.name)
	n := c.value("Y_WIDTH")
	gates.Need(n.IsInt64() && n.Int64() >= 1 && n.Int64() < 1<<16, "the width of %s", c.name)
	width := int(n.Int64())
	a := above(stretched(c.low("A"), width, signed))
	b := above(stretched(c.low("B"), width, signed))
	b = operator("?", c.bit("BI"), operator("~", b), b)
	sum := operator("+", operator("+", a, b), c.bit("CI"))
	differ := operator("^", a, b)
	carries := operator("|", operator("&", a, b), operator("&", differ, operator("~", sum)))
	for pin, is := range map[string]*node{"X": differ, "Y": sum, "CO": carries} {
		if c.pins[pin] != nil {
			gates.Need(len(c.low(pin)) == width, "pin %s of %s", pin, c.name)
			m.assigned = append(m.assigned, [2]*node{c.pins[pin], is})
		}
	}
}

// macc adds terms of A, and bits of B. CONFIG has them, from its lowest bit on.
func (m *module) macc(c *ownCell) {
	config, a, width := c.value("CONFIG"), c.low("A"), len(c.low("Y"))
	at := 0
	take := func(n int) (v int) {
		for i := range n {
			v += int(config.Bit(at)) << i
			at++
		}
		return v
	}
	sum := above(stretched([]*node{digit(false)}, width, false))
	digits := take(4)
	for len(a) > 0 {
		signed, op := take(1) == 1, "+"
		if take(1) == 1 {
			op = "-"
		}
		n := take(digits)
		k := take(digits)
		gates.Need(n > 0 && n+k <= len(a), "CONFIG of %s", c.name)
		term := above(stretched(a[:n], width, signed))
		if k > 0 {
			term = operator("*", term, above(stretched(a[n:n+k], width, signed)))
		}
		sum, a = operator(op, sum, term), a[n+k:]
	}
	if c.pins["B"] != nil {
		for _, bit := range c.low("B") {
			sum = operator("+", sum, above(stretched([]*node{bit}, width, false)))
		}
	}
	m.assigned = append(m.assigned, [2]*node{c.pins["Y"], sum})
}
