package words

import "slices"

// Words as bits, the lowest first.

func (g *graph) and(x, y bit) bit { return g.choose(x, y, no) }
func (g *graph) or(x, y bit) bit  { return g.choose(x, yes, y) }
func (g *graph) not(x bit) bit    { return g.choose(x, no, yes) }
func (g *graph) xor(x, y bit) bit { return g.choose(x, g.not(y), y) }

// word returns the bits of a word.
func (g *graph) word(p *Program, n int, words [][]bit) []bit {
	w := &p.words[n]
	x, y := words[w.Args[0]], words[w.Args[1]]
	switch w.Op {
	case Leaf:
		return g.leaf(w.Width, g.order[n])
	case Const:
		return number(w.Width, w.Value)
	case Add:
		return g.add(x, y, no)
	case Neg:
		return g.negative(x)
	case Mul:
		return g.multiply(x, y)
	case Div:
		return g.divide(w, x, y)
	case Rem: // x - y·(x/y)
		return g.add(x, g.inverted(g.multiply(y, g.divide(w, x, y))), yes)
	case And:
		return each(x, y, g.and)
	case Or:
		return each(x, y, g.or)
	case Xor:
		return each(x, y, g.xor)
	case ShiftLeft:
		return reversed(g.shift(reversed(x), y, no))
	case ShiftRight:
		fill := no
		if w.Signed {
			fill = x[len(x)-1]
		}
		return g.shift(x, y, fill)
	case Less:
		return []bit{g.less(w.Signed, x, y)}
	case Equal:
		return []bit{g.equal(x, y)}
	case Choose:
		return g.chosen(x[0], y, words[w.Args[2]])
	}
	fill := no // Convert
	if w.Signed {
		fill = x[len(x)-1]
	}
	out := slices.Clone(x[:min(len(x), w.Width)])
	for len(out) < w.Width {
		out = append(out, fill)
	}
	return out
}

func (g *graph) leaf(width, place int) []bit {
	out := make([]bit, width)
	for i := range out {
		out[i] = g.node(i*len(g.order)+place, no, yes)
	}
	return out
}

func number(width int, value uint64) []bit {
	out := make([]bit, width)
	for i := range out {
		out[i] = bit(value >> i & 1)
	}
	return out
}

func each(x, y []bit, f func(bit, bit) bit) []bit {
	out := make([]bit, len(x))
	for i := range out {
		out[i] = f(x[i], y[i])
	}
	return out
}

func reversed(x []bit) []bit {
	out := slices.Clone(x)
	slices.Reverse(out)
	return out
}

func (g *graph) inverted(x []bit) []bit {
	return each(x, x, func(b, _ bit) bit { return g.not(b) })
}

func (g *graph) chosen(c bit, x, y []bit) []bit {
	return each(x, y, func(a, b bit) bit { return g.choose(c, a, b) })
}

// add is x + y, and 1 more where the carry is.
func (g *graph) add(x, y []bit, carry bit) []bit {
	out := make([]bit, len(x))
	for i := range out {
		differ := g.xor(x[i], y[i])
		out[i] = g.xor(differ, carry)
		carry = g.choose(differ, carry, x[i])
	}
	return out
}

func (g *graph) negative(x []bit) []bit {
	return g.add(number(len(x), 0), g.inverted(x), yes)
}

// hopeless gives up where two operands of a product or quotient have more than wide different bits
// each that are not known: no graph within the bounds has their middle bits.
func (g *graph) hopeless(x, y []bit) {
	unknown := func(x []bit) int {
		seen := map[bit]bool{}
		for _, b := range x {
			if b != no && b != yes {
				seen[b] = true
			}
		}
		return len(seen)
	}
	if unknown(x) > wide && unknown(y) > wide {
		panic(tooLarge{})
	}
}

const wide = 20

// multiply adds up x for the bits of y, which is the one with more of them known to be 0: of a
// number such as -3, which has few, it is the negative of what 3 makes.
func (g *graph) multiply(x, y []bit) []bit {
	g.hopeless(x, y)
	for range 2 {
		if ones := known(x); ones > 1 && known(g.negative(x)) < ones {
			return g.negative(g.multiply(g.negative(x), y))
		}
		x, y = y, x
	}
	zeros := func(x []bit) (n int) {
		for _, b := range x {
			if b == no {
				n++
			}
		}
		return n
	}
	if zeros(x) > zeros(y) {
		x, y = y, x
	}
	out := number(len(x), 0)
	for i, b := range y {
		if b != no {
			part := make([]bit, len(x)) // x·2^i where the bit is 1
			for k := i; k < len(x); k++ {
				part[k] = g.and(b, x[k-i])
			}
			out = g.add(out, part, no)
		}
	}
	return out
}

// known counts the ones of a number; of another word it is 0.
func known(x []bit) (ones int) {
	for _, b := range x {
		switch b {
		case yes:
			ones++
		case no:
		default:
			return 0
		}
	}
	return ones
}

// divide is the quotient, towards 0: that of what both are without their signs.
func (g *graph) divide(w *Word, x, y []bit) []bit {
	g.hopeless(x, y)
	negative := no
	if w.Signed {
		signX, signY := x[len(x)-1], y[len(y)-1]
		negative = g.xor(signX, signY)
		x, y = g.chosen(signX, g.negative(x), x), g.chosen(signY, g.negative(y), y)
	}
	by := append(slices.Clone(y), no)
	rest, out := number(len(by), 0), make([]bit, len(x))
	for i := len(x) - 1; i >= 0; i-- {
		rest = append([]bit{x[i]}, rest[:len(x)]...)
		out[i] = g.not(g.less(false, rest, by))
		rest = g.chosen(out[i], g.add(rest, g.inverted(by), yes), rest)
	}
	out = g.chosen(g.equal(y, number(len(y), 0)), number(len(y), 0), out)
	return g.chosen(negative, g.negative(out), out)
}

// shift is x without as many of its lowest bits as by says, and fill from above.
func (g *graph) shift(x, by []bit, fill bit) []bit {
	for k := range short(len(x)) {
		moved := make([]bit, len(x))
		for i := range moved {
			moved[i] = fill
			if from := i + 1<<k; from < len(x) {
				moved[i] = x[from]
			}
		}
		x = g.chosen(by[k], moved, x)
	}
	return x
}

func (g *graph) less(sign bool, x, y []bit) bit {
	out := no
	for i := range x {
		a, b := x[i], y[i]
		if sign && i == len(x)-1 { // 1 is below 0 there
			a, b = b, a
		}
		out = g.choose(g.xor(a, b), b, out)
	}
	return out
}

func (g *graph) equal(x, y []bit) bit {
	out := yes
	for i := range x {
		out = g.and(out, g.not(g.xor(x[i], y[i])))
	}
	return out
}
