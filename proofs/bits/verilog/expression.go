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
	case "part":
		width = len(s.part(x))
	case "row":
		for _, a := range x.args {
			gates.Need(a.op != "number" || !a.bare, "a number without a width in braces")
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
	case "name", "part":
		return circuit.Stretched(s.part(x), width, signed)
	case "row":
		var w []circuit.Wire
		for i := len(x.args) - 1; i >= 0; i-- {
			w = append(w, s.alone(x.args[i])...)
		}
		return circuit.Stretched(w, width, signed)
	case "times":
		part := s.alone(x.args[0])
		var w []circuit.Wire
		for range x.hi {
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
		c := holds(x.args[0])
		a, b := s.wires(x.args[1], width, signed), s.wires(x.args[2], width, signed)
		out := make([]circuit.Wire, width)
		for i := range out {
			out[i] = circuit.Once(func(d int) gates.Lit { return g.Mux(c(d), a[i](d), b[i](d)) })
		}
		return out
	}
	gates.Refuse("the operation %s", x.op)
	return nil
}
