package bits

// A wire is a bit as it was a number of cycles ago.
type wire func(delay int) lit

// shape is the width and sign that an expression has by itself (Verilog-2001, 4.4 and 4.5).
func (s *frame) shape(x *node) (width int, signed bool) {
	switch x.op {
	case "number":
		width, signed = x.width, x.signed
	case "name":
		n := s.find(x.text)
		width, signed = n.width, n.signed
	case "part":
		width = len(s.part(x))
	case "row":
		for _, a := range x.args {
			need(a.op != "number" || !a.bare, "a number without a width in braces")
			w, _ := s.shape(a)
			width += w
		}
	case "times":
		w, _ := s.shape(x.args[0])
		width = w * x.hi
	case "neg", "pos", "~":
		width, signed = s.shape(x.args[0])
	case "$signed", "$unsigned":
		width, _ = s.shape(x.args[0])
		signed = x.op == "$signed"
	case "<<", ">>", "<<<", ">>>":
		width, signed = s.shape(x.args[0])
		s.shape(x.args[1])
	case "+", "-", "*", "&", "|", "^", "~^", "^~":
		width, signed = s.wider(x.args[0], x.args[1])
	case "?":
		s.shape(x.args[0])
		width, signed = s.wider(x.args[1], x.args[2])
	case "text":
		refuse("a text as a number")
	default: // reductions, comparisons and what joins them
		for _, a := range x.args {
			s.shape(a)
		}
		width = 1
	}
	need(width <= 1<<16, "an expression of %d bits", width)
	return width, signed
}

func (s *frame) wider(a, b *node) (width int, signed bool) {
	v, p := s.shape(a)
	w, q := s.shape(b)
	return max(v, w), p && q
}

func (s *frame) alone(x *node) []wire {
	w, signed := s.shape(x)
	return s.wires(x, w, signed)
}

func fixed(l lit) wire { return func(int) lit { return l } }

// stretched is w with its sign or zeros above.
func stretched(w []wire, width int, signed bool) []wire {
	out := append([]wire(nil), w...)
	for len(out) < width {
		if signed {
			out = append(out, w[len(w)-1])
		} else {
			out = append(out, fixed(no))
		}
	}
	return out
}

// at are the bits of wires at a delay.
func at(w []wire, delay int) vec {
	v := make(vec, len(w))
	for i, f := range w {
		v[i] = f(delay)
	}
	return v
}

// whole are the wires of a word that is computed from all bits of others, once for each delay.
func whole(width int, f func(delay int) vec) []wire {
	known := map[int]vec{}
	out := make([]wire, width)
	for i := range out {
		out[i] = func(delay int) lit {
			v, ok := known[delay]
			if !ok {
				v = f(delay)
				known[delay] = v
			}
			return v[i]
		}
	}
	return out
}

// single is a wire that is computed once for each delay.
func single(f func(delay int) lit) wire {
	return whole(1, func(delay int) vec { return vec{f(delay)} })[0]
}

// wires is an expression within others that give it a width, not less than its own, and a sign.
func (s *frame) wires(x *node, width int, signed bool) []wire {
	g := s.g
	one := func(f func(delay int) lit) []wire { return stretched([]wire{single(f)}, width, false) }
	bitwise := func(f func(a, b lit) lit) []wire {
		a, b := s.wires(x.args[0], width, signed), s.wires(x.args[1], width, signed)
		out := make([]wire, width)
		for i := range out {
			out[i] = single(func(d int) lit { return f(a[i](d), b[i](d)) })
		}
		return out
	}
	both := func(f func(a, b vec) vec) []wire {
		a, b := s.wires(x.args[0], width, signed), s.wires(x.args[1], width, signed)
		return whole(width, func(d int) vec { return f(at(a, d), at(b, d)) })
	}
	holds := func(y *node) func(int) lit {
		w := s.alone(y)
		return func(d int) lit { return along(g.or, at(w, d)) }
	}
	switch x.op {
	case "number":
		need(!x.unknown, "a bit that is x or z")
		w := make([]wire, x.width)
		for i := range w {
			w[i] = fixed(bit(x.value.Bit(i) == 1))
		}
		return stretched(w, width, signed)
	case "name", "part":
		return stretched(s.part(x), width, signed)
	case "row":
		var w []wire
		for i := len(x.args) - 1; i >= 0; i-- {
			w = append(w, s.alone(x.args[i])...)
		}
		return stretched(w, width, signed)
	case "times":
		part := s.alone(x.args[0])
		var w []wire
		for range x.hi {
			w = append(w, part...)
		}
		return stretched(w, width, signed)
	case "pos":
		return s.wires(x.args[0], width, signed)
	case "neg":
		a := s.wires(x.args[0], width, signed)
		return whole(width, func(d int) vec { return g.neg(at(a, d)) })
	case "~":
		a := s.wires(x.args[0], width, signed)
		out := make([]wire, width)
		for i := range out {
			out[i] = func(d int) lit { return a[i](d).not() }
		}
		return out
	case "$signed", "$unsigned":
		return stretched(s.alone(x.args[0]), width, signed)
	case "!":
		f := holds(x.args[0])
		return one(func(d int) lit { return f(d).not() })
	case "all", "some", "parity", "not all", "not some", "not parity":
		w := s.alone(x.args[0])
		name, negated := x.op, len(x.op) > 4 && x.op[:4] == "not "
		if negated {
			name = name[4:]
		}
		gate := map[string]func(a, b lit) lit{"all": g.and, "some": g.or, "parity": g.xor}[name]
		return one(func(d int) lit { return along(gate, at(w, d)) ^ bit(negated) })
	case "&&", "||":
		a, b := holds(x.args[0]), holds(x.args[1])
		gate := g.and
		if x.op == "||" {
			gate = g.or
		}
		return one(func(d int) lit { return gate(a(d), b(d)) })
	case "==", "!=", "===", "!==", "<", "<=", ">", ">=":
		w, sign := s.wider(x.args[0], x.args[1])
		a, b := s.wires(x.args[0], w, sign), s.wires(x.args[1], w, sign)
		less := g.below
		if sign {
			less = g.belowSigned
		}
		return one(func(d int) lit {
			p, q := at(a, d), at(b, d)
			switch x.op {
			case "==", "===":
				return g.equal(p, q)
			case "!=", "!==":
				return g.equal(p, q).not()
			case "<":
				return less(p, q)
			case ">":
				return less(q, p)
			case "<=":
				return less(q, p).not()
			}
			return less(p, q).not()
		})
	case "&":
		return bitwise(g.and)
	case "|":
		return bitwise(g.or)
	case "^":
		return bitwise(g.xor)
	case "~^", "^~":
		return bitwise(func(a, b lit) lit { return g.xor(a, b).not() })
	case "+":
		return both(g.sum)
	case "-":
		return both(g.sub)
	case "*":
		return both(g.mul)
	case "<<", ">>", "<<<", ">>>":
		a, amount := s.wires(x.args[0], width, signed), s.alone(x.args[1])
		return whole(width, func(d int) vec {
			v, fill := at(a, d), no
			if x.op == ">>>" && signed {
				fill = v.top()
			}
			return g.shift(v, at(amount, d), x.op[0] == '<', fill)
		})
	case "?":
		c := holds(x.args[0])
		a, b := s.wires(x.args[1], width, signed), s.wires(x.args[2], width, signed)
		out := make([]wire, width)
		for i := range out {
			out[i] = single(func(d int) lit { return g.mux(c(d), a[i](d), b[i](d)) })
		}
		return out
	}
	refuse("the operation %s", x.op)
	return nil
}
