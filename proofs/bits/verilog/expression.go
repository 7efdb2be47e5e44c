package verilog

import (
	"math/bits"
	"slices"

	"tv/proofs/bits/circuit"
	"tv/proofs/bits/gates"
)

// shape is the width and sign that an expression has by itself (Verilog-2001, 4.4 and 4.5).
func (s *frame) shape(x *node) (width int, signed bool) {
	switch x.op {
	case "number":
		width, signed = x.width, x.signed
	case "open":
		width = x.width
	case "name":
		n := s.find(x.text)
		width, signed = n.width, n.signed
	case "bit":
		s.find(x.text)
		width = 1
	case "part":
		_, width = s.chosen(s.find(x.text), x)
	case "up", "down":
		s.find(x.text)
		width = s.constant(x.args[1])
		gates.Need(width >= 1, "a part of %d bits", width)
	case "call":
		f := s.module.functions[x.text]
		gates.Need(f != nil, "no function %s", x.text)
		width, signed = s.valued(f)
	case "row":
		for _, a := range x.args {
			gates.Need(a.op != "number" || !a.bare, "a number without a width in braces")
			w, _ := s.shape(a)
			width += w
		}
	case "times":
		w, _ := s.shape(x.args[1])
		n := s.constant(x.args[0])
		gates.Need(n >= 1 && n <= 1<<16, "a count of %d", n)
		width = w * n
	case "neg", "pos", "~":
		width, signed = s.shape(x.args[0])
	case "$signed", "$unsigned":
		width, _ = s.shape(x.args[0])
		signed = x.op == "$signed"
	case "<<", ">>", "<<<", ">>>", "**":
		width, signed = s.shape(x.args[0])
		s.shape(x.args[1])
	case "+", "-", "*", "/", "%", "&", "|", "^", "~^", "^~":
		width, signed = s.wider(x.args[0], x.args[1])
	case "?":
		s.shape(x.args[0])
		width, signed = s.wider(x.args[1], x.args[2])
	case "text":
		gates.Refuse("a text as a number")
	default: // reductions, comparisons and what joins them
		for _, a := range x.args {
			s.shape(a)
		}
		width = 1
	}
	gates.Need(width <= 1<<16, "an expression of %d bits", width)
	return width, signed
}

func (s *frame) wider(a, b *node) (width int, signed bool) {
	v, p := s.shape(a)
	w, q := s.shape(b)
	return max(v, w), p && q
}

func (s *frame) alone(x *node) []circuit.Wire {
	w, signed := s.shape(x)
	return s.wires(x, w, signed)
}

// wires is an expression within others that give it a width, not less than its own, and a sign.
func (s *frame) wires(x *node, width int, signed bool) []circuit.Wire {
	g := s.Graph
	one := func(f func(delay int) gates.Lit) []circuit.Wire {
		return circuit.Stretched([]circuit.Wire{circuit.Once(f)}, width, false)
	}
	bitwise := func(f func(a, b gates.Lit) gates.Lit) []circuit.Wire {
		a, b := s.wires(x.args[0], width, signed), s.wires(x.args[1], width, signed)
		out := make([]circuit.Wire, width)
		for i := range out {
			out[i] = circuit.Once(func(d int) gates.Lit { return f(a[i](d), b[i](d)) })
		}
		return out
	}
	both := func(f func(a, b gates.Vec) gates.Vec) []circuit.Wire {
		a, b := s.wires(x.args[0], width, signed), s.wires(x.args[1], width, signed)
		return circuit.Whole(width, func(d int) gates.Vec {
			return f(circuit.At(a, d), circuit.At(b, d))
		})
	}
	holds := func(y *node) func(int) gates.Lit {
		w := s.alone(y)
		return func(d int) gates.Lit { return gates.Along(g.Or, circuit.At(w, d)) }
	}
	switch x.op {
	case "number":
		w := make([]circuit.Wire, x.width)
		for i := range w {
			if x.unknown { // which nothing may read
				w[i] = func(int) gates.Lit {
					gates.Refuse("a bit that is x or z")
					return gates.No
				}
				continue
			}
			w[i] = circuit.Fixed(gates.Bit(x.value.Bit(i) == 1))
		}
		return circuit.Stretched(w, width, signed)
	case "open":
		return circuit.Stretched(s.opened(x, x.width), width, false)
	case "name":
		return circuit.Stretched(s.bits(s.find(x.text)), width, signed)
	case "part", "bit", "up", "down":
		if s.moves(x) {
			return circuit.Stretched(s.moving(x), width, signed)
		}
		return circuit.Stretched(s.part(x), width, signed)
	case "call":
		w, _ := s.call(x)
		return circuit.Stretched(w, width, signed)
	case "row":
		var w []circuit.Wire
		for i := len(x.args) - 1; i >= 0; i-- {
			w = append(w, s.alone(x.args[i])...)
		}
		return circuit.Stretched(w, width, signed)
	case "times":
		part := s.alone(x.args[1])
		var w []circuit.Wire
		for range s.constant(x.args[0]) {
			w = append(w, part...)
		}
		return circuit.Stretched(w, width, signed)
	case "pos":
		return s.wires(x.args[0], width, signed)
	case "neg":
		a := s.wires(x.args[0], width, signed)
		return circuit.Whole(width, func(d int) gates.Vec { return g.Neg(circuit.At(a, d)) })
	case "~":
		a := s.wires(x.args[0], width, signed)
		out := make([]circuit.Wire, width)
		for i := range out {
			out[i] = func(d int) gates.Lit { return a[i](d).Not() }
		}
		return out
	case "$signed", "$unsigned":
		return circuit.Stretched(s.alone(x.args[0]), width, signed)
	case "!":
		f := holds(x.args[0])
		return one(func(d int) gates.Lit { return f(d).Not() })
	case "all", "some", "parity", "not all", "not some", "not parity":
		w := s.alone(x.args[0])
		name, negated := x.op, len(x.op) > 4 && x.op[:4] == "not "
		if negated {
			name = name[4:]
		}
		gate := map[string]func(a, b gates.Lit) gates.Lit{"all": g.And, "some": g.Or,
			"parity": g.Xor}[name]
		return one(func(d int) gates.Lit {
			return gates.Along(gate, circuit.At(w, d)) ^ gates.Bit(negated)
		})
	case "&&", "||":
		a, b := holds(x.args[0]), holds(x.args[1])
		gate := g.And
		if x.op == "||" {
			gate = g.Or
		}
		return one(func(d int) gates.Lit { return gate(a(d), b(d)) })
	case "==", "!=", "===", "!==", "<", "<=", ">", ">=":
		w, sign := s.wider(x.args[0], x.args[1])
		a, b := s.wires(x.args[0], w, sign), s.wires(x.args[1], w, sign)
		less := g.Below
		if sign {
			less = g.BelowSigned
		}
		return one(func(d int) gates.Lit {
			p, q := circuit.At(a, d), circuit.At(b, d)
			switch x.op {
			case "==", "===":
				return g.Equal(p, q)
			case "!=", "!==":
				return g.Equal(p, q).Not()
			case "<":
				return less(p, q)
			case ">":
				return less(q, p)
			case "<=":
				return less(q, p).Not()
			}
			return less(p, q).Not()
		})
	case "&":
		return bitwise(g.And)
	case "|":
		return bitwise(g.Or)
	case "^":
		return bitwise(g.Xor)
	case "~^", "^~":
		return bitwise(func(a, b gates.Lit) gates.Lit { return g.Xor(a, b).Not() })
	case "+":
		return both(g.Sum)
	case "-":
		return both(g.Sub)
	case "*":
		return both(g.Mul)
	case "/", "%":
		open := s.opened(x, width)
		a, b := s.wires(x.args[0], width, signed), s.wires(x.args[1], width, signed)
		return circuit.Whole(width, func(d int) gates.Vec {
			p, q := circuit.At(a, d), circuit.At(b, d)
			byZero := g.Equal(q, make(gates.Vec, width))
			if byZero == gates.No {
				return s.divided(x.op, p, q, signed)
			}
			return g.Choose(byZero, circuit.At(open, d), s.divided(x.op, p, q, signed))
		})
	case "**":
		return s.power(x, width, signed)
	case "<<", ">>", "<<<", ">>>":
		a, amount := s.wires(x.args[0], width, signed), s.alone(x.args[1])
		return circuit.Whole(width, func(d int) gates.Vec {
			v, fill := circuit.At(a, d), gates.No
			if x.op == ">>>" && signed {
				fill = v.Top()
			}
			return g.Shift(v, circuit.At(amount, d), x.op[0] == '<', fill)
		})
	case "?":
		if c, ok := s.decided(x.args[0]); ok {
			chosen := x.args[2]
			if c {
				chosen = x.args[1]
			}
			return s.wires(chosen, width, signed)
		}
		c := holds(x.args[0])
		a, b := s.wires(x.args[1], width, signed), s.wires(x.args[2], width, signed)
		out := make([]circuit.Wire, width)
		for i := range out {
			out[i] = s.either(c, a[i], b[i])
		}
		return out
	}
	gates.Refuse("the operation %s", x.op)
	return nil
}

// either is s ? a : b, of which a constant s asks for one alone.
func (s *frame) either(c, a, b circuit.Wire) circuit.Wire {
	return circuit.Once(func(d int) gates.Lit {
		switch l := c(d); l {
		case gates.Yes:
			return a(d)
		case gates.No:
			return b(d)
		default:
			return s.Graph.Mux(l, a(d), b(d))
		}
	})
}

func (s *frame) divided(op string, a, b gates.Vec, signed bool) gates.Vec {
	g := s.Graph
	switch {
	case op == "/" && signed:
		return g.Sdiv(a, b)
	case op == "%" && signed:
		return g.Srem(a, b)
	}
	q, r := g.Divide(a, b)
	if op == "/" {
		return q
	}
	return r
}

// power multiplies the squares of squares that the exponent's bits choose, from the lowest on; a
// power of 2 is a shift. What a sign of the exponent says is not read.
func (s *frame) power(x *node, width int, signed bool) []circuit.Wire {
	g := s.Graph
	w, isSigned := s.shape(x.args[1])
	base, exponent := s.wires(x.args[0], width, signed), s.wires(x.args[1], w, isSigned)
	if isSigned {
		n, ok := s.counted(x.args[1])
		gates.Need(ok && n >= 0, "an exponent with a sign")
	} else {
		gates.Need(!signed || s.isConstant(x.args[1]), "a power of a number with a sign")
	}
	return circuit.Whole(width, func(d int) gates.Vec {
		square, e := circuit.At(base, d), circuit.At(exponent, d)
		r := gates.Number(1, width)
		if slices.Equal(square, gates.Number(2, width)) {
			return g.Shift(r, e, true, gates.No)
		}
		for i, l := range e {
			if l != gates.No {
				r = g.Choose(l, g.Mul(r, square), r)
			}
			if slices.ContainsFunc(e[i+1:], func(l gates.Lit) bool { return l != gates.No }) {
				square = g.Mul(square, square)
			}
		}
		return r
	})
}

// A span is what a select by an index names: so many bits from low on, a position that may be
// negative or beyond the last bit.
type span struct {
	bus      *bus
	low      []circuit.Wire
	width    int
	isInside func() bool // whatever the index is, there are such bits: asked for when all is driven
}

// span is that of a moving select. Its position has bits enough for all that can come of the index.
func (s *frame) span(x *node) span {
	b := s.find(x.text)
	gates.Need(b.isRanged, "%s has no range", x.text)
	n, _ := s.shape(x)
	w, signed := s.shape(x.args[0])
	index := s.wires(x.args[0], w, signed)
	descends := b.left >= b.right
	back := 0 // by how much the position of the least bit is before that of the index
	if x.op != "bit" && (x.op == "down") == descends {
		back = n - 1
	}
	width := max(w, bits.Len(uint(b.width))+bits.Len(uint(n))+bits.Len(uint(max(b.right,
		-b.right)))) + 3
	g := s.Graph
	at := circuit.Whole(width, func(d int) gates.Vec {
		v := circuit.At(circuit.Stretched(index, width, signed), d)
		if descends {
			return g.Sub(v, whole(b.right+back, width))
		}
		return g.Sub(whole(b.right-back, width), v)
	})
	inside := circuit.Once(func(int) gates.Lit {
		return gates.Bit(s.within(b, index, signed, back, n))
	})
	return span{b, at, n, func() bool { return inside(circuit.Probe) == gates.Yes }}
}

// within tells whether a select of n bits has all of them, whatever its index is.
func (s *frame) within(b *bus, index []circuit.Wire, signed bool, back, n int) bool {
	v := circuit.At(index, circuit.Probe)
	for !signed && len(v) > 1 && v.Top() == gates.No {
		v = v[:len(v)-1]
	}
	if len(v) > 24 {
		return false
	}
	first, last := 0, 1<<len(v)-1
	if signed {
		first, last = -1<<(len(v)-1), 1<<(len(v)-1)-1
	}
	position := func(i int) int {
		if b.left >= b.right {
			return i - b.right - back
		}
		return b.right - i - back
	}
	least, most := min(position(first), position(last)), max(position(first), position(last))
	return least >= 0 && most+n <= b.width
}

// whole is a constant that may be negative.
func whole(k, width int) gates.Vec {
	v := make(gates.Vec, width)
	for i := range v {
		v[i] = gates.Bit(k>>min(i, 62)&1 == 1)
	}
	return v
}

// moving is what a moving select reads: the word shifted to the right; a bit that is not there is
// open.
func (s *frame) moving(x *node) []circuit.Wire {
	g := s.Graph
	p := s.span(x)
	word, open := s.bits(p.bus), s.opened(x, p.width)
	shifted := circuit.Whole(len(word), func(d int) gates.Vec {
		return g.Shift(circuit.At(word, d), circuit.At(p.low, d), false, gates.No)
	})
	out := make([]circuit.Wire, p.width)
	for k := range out {
		out[k] = circuit.Once(func(d int) gates.Lit {
			if p.isInside() {
				return shifted[k](d)
			}
			at := g.Sum(circuit.At(p.low, d), whole(k, len(p.low)))
			has := g.Below(at, whole(p.bus.width, len(at)))
			return g.Mux(has, g.Shift(circuit.At(word, d), at, false, gates.No)[0], open[k](d))
		})
	}
	return out
}

// placed is a word with the bits of a moving select replaced. Below it there is room for as many:
// what begins before the least bit goes there in part, and what is beyond the last one nowhere.
func (s *frame) placed(old, value []circuit.Wire, p span) []circuit.Wire {
	g := s.Graph
	n, all := p.width, len(old)+p.width
	return circuit.Whole(len(old), func(d int) gates.Vec {
		at := g.Sum(circuit.At(p.low, d), whole(n, len(p.low)))
		mask := g.Shift(slices.Repeat(gates.Vec{gates.Yes}, n).Wide(all, gates.No), at, true,
			gates.No)
		data := g.Shift(circuit.At(value, d).Wide(all, gates.No), at, true, gates.No)
		kept := gates.Each(g.And, append(make(gates.Vec, n), circuit.At(old, d)...), mask.Not())
		return gates.Each(g.Or, kept, data)[n:]
	})
}
