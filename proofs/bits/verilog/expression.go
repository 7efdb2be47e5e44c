package verilog

import (
	"tv/proofs/bits/circuit"
	"tv/proofs/bits/gates"
)

// shape is the width and sign that an expression has by itself (Verilog-2001, 4.4 and 4.5).
func (s *frame) shape(x *node) (width int, signed bool) {
	switch x.op {
	case "number":
		width, signed = x.width, x.signed
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
		return circuit.Whole(width, func(d int) gates.Vec { return f(circuit.At(a, d), circuit.At(b, d)) })
	}
	holds := func(y *node) func(int) gates.Lit {
		w := s.alone(y)
		return func(d int) gates.Lit { return gates.Along(g.Or, circuit.At(w, d)) }
	}
	switch x.op {
	case "number":
		gates.Need(!x.unknown, "a bit that is x or z")
		w := make([]circuit.Wire, x.width)
		for i := range w {
			w[i] = circuit.Fixed(gates.Bit(x.value.Bit(i) == 1))
		}
		return circuit.Stretched(w, width, signed)
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
		gate := map[string]func(a, b gates.Lit) gates.Lit{"all": g.And, "some": g.Or, "parity": g.Xor}[name]
		return one(func(d int) gates.Lit { return gates.Along(gate, circuit.At(w, d)) ^ gates.Bit(negated) })
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

// power squares and multiplies from the highest bit of the exponent on. What a sign of the exponent says is not read.
func (s *frame) power(x *node, width int, signed bool) []circuit.Wire {
	g := s.Graph
	w, isSigned := s.shape(x.args[1])
	base, exponent := s.wires(x.args[0], width, signed), s.wires(x.args[1], w, isSigned)
	if isSigned {
		gates.Need(s.isConstant(x.args[1]) && s.constant(x.args[1]) >= 0, "an exponent with a sign")
	} else {
		gates.Need(!signed || s.isConstant(x.args[1]), "a power of a number with a sign")
	}
	return circuit.Whole(width, func(d int) gates.Vec {
		a, e := circuit.At(base, d), circuit.At(exponent, d)
		r := gates.Number(1, width)
		for i := len(e) - 1; i >= 0; i-- {
			r = g.Mul(r, r)
			if e[i] != gates.No {
				r = g.Choose(e[i], g.Mul(r, a), r)
			}
		}
		return r
	})
}

// moving is a part of a name that an index chooses: a table of what there is at each index, open where nothing is.
func (s *frame) moving(x *node) []circuit.Wire {
	b := s.find(x.text)
	gates.Need(b.isRanged, "%s has no range", x.text)
	n, _ := s.shape(x)
	at, least := s.position(b, x)
	whole, open := s.bits(b), s.opened(x, n)
	out := make([]circuit.Wire, n)
	for k := range out {
		out[k] = circuit.Once(func(d int) gates.Lit {
			p := circuit.At(at, d)
			// entry i is bit least + i + k: beyond the last one, all are open
			var table gates.Vec
			for len(table) < 1<<min(len(p), 17) && least+len(table)+k < b.width {
				if i := least + len(table) + k; i < 0 {
					table = append(table, open[k](d))
				} else {
					table = append(table, whole[i](d))
				}
			}
			return s.tabled(table, p, open[k](d))
		})
	}
	return out
}

// tabled reads a table at an address; beyond its end is otherwise.
func (s *frame) tabled(table, address gates.Vec, otherwise gates.Lit) gates.Lit {
	used := 0
	for used < len(address) && 1<<used < len(table) {
		used++
	}
	full := table.Wide(1<<used, otherwise)
	l := s.Graph.Lookup(full, address[:used])
	if used == len(address) {
		return l
	}
	beyond := gates.Along(s.Graph.Or, address[used:])
	if beyond == gates.No {
		return l
	}
	return s.Graph.Mux(beyond, otherwise, l)
}

// position is where the least bit of a moving part is, counted from least, a position that may be negative: then the number
// is none, and those before it are beyond all others.
func (s *frame) position(b *bus, x *node) (at []circuit.Wire, least int) {
	w, signed := s.shape(x.args[0])
	index := s.wires(x.args[0], w, signed)
	n, _ := s.shape(x)
	descends := b.left >= b.right
	// the declared index of the part's least bit is index + by, of its first position lo
	by := 0
	if x.op == "up" && !descends {
		by = n - 1
	} else if x.op == "down" && descends {
		by = 1 - n
	}
	if least = 1 - n; descends && !signed && by >= b.right {
		least = 0
	}
	width := max(w, 18) + 2
	return circuit.Whole(width, func(d int) gates.Vec {
		g := s.Graph
		v := circuit.At(circuit.Stretched(index, width, signed), d)
		fill := func(k int) gates.Vec {
			c := make(gates.Vec, width)
			for i := range c {
				c[i] = gates.Bit(k>>min(i, 62)&1 == 1)
			}
			return c
		}
		if descends {
			return g.Sum(v, fill(by-b.right-least))
		}
		return g.Sub(fill(b.right-by-least), v)
	}), least
}
