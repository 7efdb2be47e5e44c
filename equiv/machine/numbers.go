package machine

import (
	"fmt"
	"math/big"

	"tv/ila/number"
	"tv/semantics/term"
)

// fraction returns the fraction bits of numbers of a sort.
func fraction(s term.Sort) int {
	if s.Kind == term.Fixed {
		return s.Frac
	}
	return 0
}

// units returns the bits of a constant.
func units(t *term.Term) (uint64, error) {
	if t.Value == nil {
		return 0, fmt.Errorf("%s is no number", t)
	}
	scale := new(big.Int).Lsh(big.NewInt(1), uint(fraction(t.Sort)))
	n := new(big.Rat).Mul(t.Value, new(big.Rat).SetInt(scale))
	if !n.IsInt() {
		return 0, fmt.Errorf("%s is no %s", t, t.Sort)
	}
	modulus := new(big.Int).Lsh(big.NewInt(1), uint(t.Sort.Width))
	return new(big.Int).Mod(n.Num(), modulus).Uint64(), nil
}

// product returns the product of two numbers of a sort. That of fixed point is rounded toward negative infinity.
func (x *bits) product(s term.Sort, a, c *term.Term) (*term.Term, error) {
	b, w := x.b, s.Width
	switch {
	case fraction(s) == 0:
		return b.MulBits(a, c), nil
	case 2*w > 64:
		return nil, fmt.Errorf("products in %s are not compared with machines", s)
	}
	wide := b.MulBits(b.ExtendS(a, 2*w), b.ExtendS(c, 2*w))
	return b.Extract(b.ShrS(wide, b.Bits(2*w, uint64(s.Frac))), 0, w), nil
}

// factors returns the two factors of a product as machines multiply them, signed and not yet widened, so that a sum of
// products is one term; ok is false where the product has to be rounded. Numbers of fixed point that are
// conversions of codes are multiples of a power of two, and where those powers make up for the fraction bits of the
// product, it is the product of the multiples.
func (x *bits) factors(t *term.Term) (list []*term.Term, ok bool, err error) {
	zeros := 0 // below the factors
	for _, factor := range t.Args {
		of := factor
		if shape, ok := x.shapeOf(factor); ok {
			of, err = x.decoded(factor.Args[0], shape)
			zeros += fraction(t.Sort) - shape.Frac
		} else {
			of, err = x.term(factor)
		}
		if err != nil {
			return nil, false, err
		}
		if of.Op == term.ExtendS {
			of = of.Args[0]
		}
		list = append(list, of)
	}
	return list, zeros == fraction(t.Sort), nil
}

// tabulated is the most bits that a number has of which all conversions are tabulated.
const tabulated = 20

// shapeOf returns the narrowest fixed point that holds all numbers of the codes that a term converts exactly to fixed
// point; ok is false where it does no such thing.
func (x *bits) shapeOf(t *term.Term) (f number.Fixed, ok bool) {
	if t.Op != term.Convert || t.Sort.Kind != term.Fixed || t.Args[0].Sort.Kind != term.Adaptive {
		return f, false
	}
	a := adaptive(t.Args[0].Sort)
	// the last bit of the least number, and the highest one of the greatest
	f.Frac = -(a.Offset - (a.Width - 1 - a.Exp))
	f.Width = f.Frac + a.Offset + 1<<a.Exp + 1
	return f, a.Width <= tabulated && f.Frac <= t.Sort.Frac && f.Width+t.Sort.Frac-f.Frac <= t.Sort.Width
}

// adaptive returns the format of a sort.
func adaptive(s term.Sort) number.Adaptive {
	return number.Adaptive{Width: s.Width, Exp: s.Frac, Offset: number.AdaptivFloat83.Offset}
}

// decoded returns the number of a code in fixed point that holds all of them. Tensors have the bias 0.
func (x *bits) decoded(code *term.Term, f number.Fixed) (*term.Term, error) {
	c, err := x.term(code)
	if err != nil {
		return nil, err
	}
	a := adaptive(code.Sort)
	name := fmt.Sprintf("%s to fixed%d.%d", code.Sort, f.Width, f.Frac)
	x.tabulate(name, func() []uint64 {
		table := make([]uint64, 1<<a.Width)
		for code := range table {
			table[code], _ = f.Code(a.Value(uint64(code), 0))
		}
		return table
	})
	return x.b.Apply(term.BitsSort(f.Width), name, c), nil
}

// tabulate lets terms apply a function of one argument by a name.
func (x *bits) tabulate(name string, table func() []uint64) {
	if x.tables[name] == nil {
		values := table()
		x.tables[name] = func(args []uint64) uint64 { return values[args[0]] }
	}
}

// conversion returns a Convert. What the target does not hold wraps; from codes to fixed point nothing is lost, or the
// conversion is none that machines are compared by.
func (x *bits) conversion(t *term.Term) (*term.Term, error) {
	b, from, to := x.b, t.Args[0].Sort, t.Sort
	unknown := func() error { return fmt.Errorf("a conversion of %s to %s is not compared with machines", from, to) }
	switch {
	case from == to:
		return x.term(t.Args[0])
	case to.Kind == term.Adaptive:
		if from.Kind != term.Fixed || from.Width > tabulated {
			return nil, unknown()
		}
		n, err := x.term(t.Args[0])
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("%s to %s", from, to)
		x.tabulate(name, func() []uint64 {
			return adaptive(to).Table(number.Hardware, number.Fixed{Width: from.Width, Frac: from.Frac}, 0)
		})
		return b.Apply(term.BitsSort(to.Width), name, n), nil
	case from.Kind == term.Adaptive:
		f, ok := x.shapeOf(t)
		if !ok {
			return nil, unknown()
		}
		n, err := x.decoded(t.Args[0], f)
		if err != nil {
			return nil, err
		}
		return b.Shl(b.ExtendS(n, to.Width), b.Bits(to.Width, uint64(to.Frac-f.Frac))), nil
	case (from.Kind == term.Fixed) != (to.Kind == term.Fixed):
		return nil, unknown()
	}
	if cut, err := x.clipped(t); cut != nil || err != nil {
		return cut, err
	}
	a, err := x.term(t.Args[0])
	if err != nil {
		return nil, err
	}
	if drop := fraction(from) - fraction(to); drop > 0 {
		a = b.ShrS(a, b.Bits(from.Width, uint64(drop)))
	}
	switch w := to.Width; {
	case w <= from.Width:
		a = b.Extract(a, 0, w)
	case from.Kind == term.Unsigned:
		a = b.ExtendU(a, w)
	default:
		a = b.ExtendS(a, w)
	}
	if add := fraction(to) - fraction(from); add > 0 {
		a = b.Shl(a, b.Bits(to.Width, uint64(add)))
	}
	return a, nil
}

// clipped returns the conversion of a number between two constants to fewer bits, which hold both, as machines cut
// numbers: one choice each end, between numbers of the fewer bits. It returns nil where t is none.
func (x *bits) clipped(t *term.Term) (*term.Term, error) {
	upper := t.Args[0]
	if t.Sort.Kind != term.Fixed || upper.Sort.Frac != t.Sort.Frac || upper.Sort.Width <= t.Sort.Width ||
		upper.Op != term.Min || upper.Args[0].Op != term.Max {
		return nil, nil
	}
	low, high := upper.Args[0].Args[1], upper.Args[1]
	if low.Op != term.Const || high.Op != term.Const {
		return nil, nil
	}
	least, err := units(low)
	if err != nil {
		return nil, nil
	}
	most, err := units(high)
	if err != nil {
		return nil, nil
	}
	b, from, w := x.b, upper.Sort.Width, t.Sort.Width
	l, h := term.Signed64(least, from), term.Signed64(most, from)
	if l > h || l < -1<<(w-1) || h >= 1<<(w-1) {
		return nil, nil
	}
	n, err := x.term(upper.Args[0].Args[0])
	if err != nil {
		return nil, err
	}
	return b.Choose(b.LessS(b.Bits(from, most), n), b.Bits(w, most),
		b.Choose(b.LessS(n, b.Bits(from, least)), b.Bits(w, least), b.Extract(n, 0, w))), nil
}
