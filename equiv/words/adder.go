package words

import (
	"math/bits"
	"slices"
)

// node returns the diagrams of the bits of a node, the lowest first, those of its operands being known.
func (f *forest) node(n *Node) []diagram {
	var x, y, z []diagram
	for i, to := range []*[]diagram{&x, &y, &z} {
		if n.Args[i] != nil {
			*to = f.bits[n.Args[i]]
		}
	}
	switch n.Kind {
	case Input:
		out := make([]diagram, n.Bits)
		for i := range out {
			out[i] = f.vertex(uint32(i*len(f.inputs))+f.inputs[n], never, always)
		}
		return out
	case Literal:
		return literal(n.Bits, n.Number)
	case Plus:
		return f.plus(x, y, never)
	case Minus:
		return f.minus(x)
	case Times:
		return f.times(x, y)
	case Over:
		q, _ := f.over(n.Signed, x, y)
		return q
	case Remainder:
		_, r := f.over(n.Signed, x, y)
		return r
	case Both, Either, Differ:
		out := make([]diagram, n.Bits)
		for i := range out {
			out[i] = f.apply(n.Kind, x[i], y[i])
		}
		return out
	case Up, Down:
		return f.shifted(n, x, y)
	case Below:
		return []diagram{f.below(n.Signed, x, y)}
	case Alike:
		return []diagram{f.alike(x, y)}
	case Pick:
		return f.picks(x[0], y, z)
	}
	return fit(x, n.Bits, n.Signed)
}

func literal(width int, n uint64) []diagram {
	out := make([]diagram, width)
	for i := range out {
		if n>>i&1 == 1 {
			out[i] = always
		}
	}
	return out
}

func fit(x []diagram, width int, signed bool) []diagram {
	out := make([]diagram, width)
	for i := range out {
		if i < len(x) {
			out[i] = x[i]
		} else if signed {
			out[i] = x[len(x)-1]
		}
	}
	return out
}

func (f *forest) picks(c diagram, x, y []diagram) []diagram {
	out := make([]diagram, len(x))
	for i := range out {
		out[i] = f.pick(c, x[i], y[i])
	}
	return out
}

func (f *forest) plus(x, y []diagram, carry diagram) []diagram {
	out := make([]diagram, len(x))
	for i := range out {
		half := f.differ(x[i], y[i])
		out[i] = f.differ(half, carry)
		carry = f.either(f.both(x[i], y[i]), f.both(half, carry))
	}
	return out
}

func (f *forest) complement(x []diagram) []diagram {
	out := make([]diagram, len(x))
	for i := range out {
		out[i] = f.not(x[i])
	}
	return out
}

func (f *forest) minus(x []diagram) []diagram {
	return f.plus(f.complement(x), literal(len(x), 0), always)
}

// mostFactor bounds the bits of the smaller factor, or divisor: the middle bits of a product of two of so many have diagrams that no
// bound of a forest holds, and are not begun.
const mostFactor = 20

// narrow gives up on two operands of which neither has few bits of its own.
func (f *forest) narrow(x, y []diagram) {
	own := func(x []diagram) int {
		kinds := slices.Clone(x)
		slices.Sort(kinds)
		return len(slices.DeleteFunc(slices.Compact(kinds), func(d diagram) bool { return d <= always }))
	}
	if own(x) > mostFactor && own(y) > mostFactor {
		panic(errLarge)
	}
}

// times adds up one factor for each bit of the other: of two that with more literal zeros. A literal with more ones than zeros, such as
// -3, is the negative of one with fewer: partial sums of 30 rows have diagrams that their total has not.
func (f *forest) times(x, y []diagram) []diagram {
	f.narrow(x, y)
	for range 2 {
		if ones := literalOnes(y); ones > 1 && literalOnes(f.minus(y)) < ones {
			return f.minus(f.times(x, f.minus(y)))
		}
		x, y = y, x
	}
	sparse := func(x []diagram) int {
		return len(slices.DeleteFunc(slices.Clone(x), func(d diagram) bool { return d == never }))
	}
	if sparse(x) < sparse(y) {
		x, y = y, x
	}
	out := literal(len(x), 0)
	for shift, by := range y {
		if by == never {
			continue
		}
		row := literal(len(x), 0)
		for i := shift; i < len(x); i++ {
			row[i] = f.both(by, x[i-shift])
		}
		out = f.plus(out, row, never)
	}
	return out
}

// literalOnes counts the ones of a literal; of another word there are none.
func literalOnes(x []diagram) (ones int) {
	for _, d := range x {
		if d > always {
			return 0
		}
		ones += int(d)
	}
	return ones
}

// over divides as on paper, without signs, and sets these afterwards.
func (f *forest) over(signed bool, x, y []diagram) (quotient, rest []diagram) {
	f.narrow(x, y)
	a, b := x, y
	width := len(x)
	minusX, minusQ := never, never
	if signed {
		minusX = x[width-1]
		minusQ = f.differ(minusX, y[width-1])
		a, b = f.picks(minusX, f.minus(x), x), f.picks(y[width-1], f.minus(y), y)
	}
	by := fit(b, width+1, false)
	r, q := literal(width+1, 0), literal(width, 0)
	for i := width - 1; i >= 0; i-- {
		r = append([]diagram{a[i]}, r[:width]...)
		q[i] = f.not(f.below(false, r, by))
		r = f.picks(q[i], f.plus(r, f.complement(by), always), r)
	}
	zero := literal(width, 0)
	none := f.alike(y, zero)
	quotient = f.picks(none, zero, f.picks(minusQ, f.minus(q), q))
	return quotient, f.picks(none, x, f.picks(minusX, f.minus(r[:width]), r[:width]))
}

// shifted moves bits by 1, 2, 4 and so on, as the bits of the distance say.
func (f *forest) shifted(n *Node, x, by []diagram) []diagram {
	fill := never
	if n.Kind == Down && n.Signed {
		fill = x[len(x)-1]
	}
	for k := range bits.Len(uint(n.Bits)) - 1 {
		step := 1 << k
		if n.Kind == Up {
			step = -step
		}
		moved := make([]diagram, len(x))
		for i := range moved {
			if from := i + step; from >= 0 && from < len(x) {
				moved[i] = x[from]
			} else {
				moved[i] = fill
			}
		}
		x = f.picks(by[k], moved, x)
	}
	return x
}

func (f *forest) below(signed bool, x, y []diagram) diagram {
	out := never
	for i := range x {
		a, b := x[i], y[i]
		if signed && i == len(x)-1 {
			a, b = b, a
		}
		out = f.pick(f.differ(a, b), f.both(f.not(a), b), out)
	}
	return out
}

func (f *forest) alike(x, y []diagram) diagram {
	out := always
	for i := range x {
		out = f.both(out, f.not(f.differ(x[i], y[i])))
	}
	return out
}
