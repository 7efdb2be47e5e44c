package lower

import (
	"math/big"
	"strings"

	"tv/glenside"
	"tv/semantics/arrays"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/term"
)

// Functions of Apply besides those of package term. In exact they are operations on the sort, as the
// language defines them, but for sigmoid and tanh, which are uninterpreted; in real the first two are
// written with max and min, sigmoid and tanh with exp, and round and the shifts are uninterpreted. A
// cast in the arithmetic real is the function "cast int8" of one argument.
const (
	fnRelu       = "relu"
	fnLeakyRelu  = "leaky-relu" // of x and the slope, which is not looked at where x is positive
	fnSigmoid    = "sigmoid"
	fnTanh       = "tanh"
	fnRound      = "round"
	fnLeftShift  = "left-shift" // of x and the number of bits
	fnRightShift = "right-shift"
	fnSubtract   = "subtract" // of saturating numbers, of which x + (-y) is not x - y
	fnMean       = "mean"     // of a sum and the number of summands, a real; undefined where that is 0
	fnCast       = "cast "
)

// interpreted reports whether the arithmetic of a sort gives a function a meaning.
func interpreted(name string, s term.Sort) bool {
	switch name {
	case term.Exp, term.Log, term.Erf:
		return s.Kind == term.Real
	case term.Sqrt:
		return true
	case fnLeftShift, fnRightShift:
		return s.Kind != term.Real && s.Kind != term.Float && s.Kind != term.Adaptive
	case fnRelu, fnLeakyRelu, fnRound:
		return s.Kind != term.Real
	}
	return false
}

// sort returns the sort of an element type.
func (l *lowering) sort(t domain.Elem) term.Sort {
	return arrays.Sort(l.opts.Arith, t)
}

// function returns the function of a name with values of a sort. It is called while the program is
// lowered, so that what is opaque is known before any element is asked for.
func (l *lowering) function(name string, s term.Sort) func(args ...*term.Term) *term.Term {
	if !interpreted(name, s) {
		l.opaque[name] = true
	}
	return func(args ...*term.Term) *term.Term { return l.b.Apply(s, name, args...) }
}

func (l *lowering) sub(x, y *term.Term) *term.Term {
	if x.Sort.Kind == term.Saturate {
		return l.b.Apply(x.Sort, fnSubtract, x, y)
	}
	return l.b.Sub(x, y)
}

// combine returns the fold of two values.
func (l *lowering) combine(f term.Fold, x, y *term.Term) *term.Term {
	switch f {
	case term.Sum:
		return l.b.Add(x, y)
	case term.Product:
		return l.b.Mul(x, y)
	}
	return l.b.Max(x, y)
}

// nothing returns the fold of no values.
func (l *lowering) nothing(f term.Fold, s term.Sort) *term.Term {
	switch f {
	case term.Sum:
		return l.b.Int(s, 0)
	case term.Product:
		return l.b.Int(s, 1)
	}
	return l.b.Lowest(s)
}

// one returns the fold of one value: a max starts from MIN, which NaN and -inf do not exceed.
func (l *lowering) one(f term.Fold, x *term.Term) *term.Term {
	if f == term.Maximum && x.Sort.Kind == term.Float {
		return l.b.Max(l.b.Lowest(x.Sort), x)
	}
	return x
}

// --- constants ---

// literal returns the number that a literal spells.
func (l *lowering) literal(s term.Sort, n *glenside.Node) *term.Term {
	text := n.Text
	if v, ok := glenside.ParseDecimal(text); ok {
		if v.Sign() == 0 && s.Kind == term.Float && strings.HasPrefix(text, "-") {
			return l.b.Special(s, "-0")
		}
		return l.constant(s, v)
	}
	name := infinite(text)
	if name == "" {
		l.fail("the number %s is out of range", text)
		return l.b.Int(s, 0)
	}
	if s.Kind == term.Float {
		return l.b.Special(s, name)
	}
	l.opaque[name] = true // no number of the sort
	return l.b.Apply(s, name)
}

// infinite returns "inf" or "-inf" if a literal spells that, else "".
func infinite(text string) string {
	name := strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(text), "+"), "inity")
	if name == "inf" || name == "-inf" {
		return name
	}
	return ""
}

// constant returns the number v of a sort, converted as from the reals. A conversion that is left is to an
// AdaptivFloat, or has no value.
func (l *lowering) constant(s term.Sort, v *big.Rat) *term.Term {
	if s.Kind == term.Float {
		r, name := roundFloat(s.Width, v)
		if name != "" {
			return l.b.Special(s, name)
		}
		return l.b.Const(s, r)
	}
	if s.Kind == term.Bool && v.Sign() != 0 {
		return l.b.Int(s, 1)
	}
	if held := nearby(s, v); representable(s, held) {
		return l.b.Const(s, held)
	}
	return l.b.Convert(s, l.b.Const(term.Sort{}, v))
}

// nearby returns the number that v is converted to where its sort has numbers on both sides of it: integers
// truncate, fixed point rounds down.
func nearby(s term.Sort, v *big.Rat) *big.Rat {
	n := new(big.Int)
	switch s.Kind {
	case term.Signed, term.Unsigned, term.Saturate:
		return new(big.Rat).SetInt(n.Quo(v.Num(), v.Denom()))
	case term.Fixed:
		units := new(big.Rat).Mul(v, power2(s.Frac))
		n.Div(units.Num(), units.Denom()) // rounds down, as the divisor is positive
		return new(big.Rat).Quo(new(big.Rat).SetInt(n), power2(s.Frac))
	}
	return v
}

// number returns an integer as a value.
func (l *lowering) number(s term.Sort, e *index.Expr) *term.Term {
	if n, ok := e.Const(); ok {
		return l.constant(s, new(big.Rat).SetInt(n.Big()))
	}
	return l.b.Number(s, e)
}

// average returns a sum divided by the number of summands, which is rounded to no sort first. It is
// undefined where that is 0, in floats too.
func (l *lowering) average(sum *term.Term, count *index.Expr) *term.Term {
	s := sum.Sort
	c, ok := count.Const()
	if s.Kind == term.Real || ok && c.Sign() > 0 && representable(s, new(big.Rat).SetInt(c.Big())) {
		return l.b.Div(sum, l.b.Number(s, count))
	}
	return l.b.Apply(s, fnMean, sum, l.b.Number(term.Sort{}, count))
}

// representable reports whether v is a value of a sort. Which numbers an AdaptivFloat has depends on the
// bias of its tensor; 0 it always has.
func representable(s term.Sort, v *big.Rat) bool {
	switch s.Kind {
	case term.Real:
		return true
	case term.Adaptive:
		return v.Sign() == 0
	case term.Float:
		r, name := roundFloat(s.Width, v)
		return name == "" && r.Cmp(v) == 0
	}
	scaled := v
	if s.Kind == term.Fixed {
		scaled = new(big.Rat).Mul(v, power2(s.Frac))
	}
	if !scaled.IsInt() {
		return false
	}
	n := scaled.Num()
	if s.Kind == term.Unsigned || s.Kind == term.Bool {
		return n.Sign() >= 0 && n.BitLen() <= s.Width
	}
	if n.Sign() < 0 {
		n = new(big.Int).Not(n) // -n-1 has the bits of the magnitude
	}
	return n.BitLen() < s.Width
}

// roundFloat rounds v to an IEEE-754 binary number of 16, 32 or 64 bits, to nearest, ties to even. A
// result that is not a rational is given by its name.
func roundFloat(width int, v *big.Rat) (*big.Rat, string) {
	precision, most := 53, 1023
	switch width {
	case 16:
		precision, most = 11, 15
	case 32:
		precision, most = 24, 127
	}
	if v.Sign() == 0 {
		return v, ""
	}
	abs := new(big.Rat).Abs(v)
	// 2^e <= |v| < 2^(e+1); the last place of a number is 2^(e-precision+1), of a subnormal that of the
	// least e
	e := abs.Num().BitLen() - abs.Denom().BitLen()
	if abs.Cmp(power2(e)) < 0 {
		e--
	}
	place := power2(max(e, 1-most) - precision + 1)
	n := roundEven(new(big.Rat).Quo(abs, place))
	r := new(big.Rat).Mul(new(big.Rat).SetInt(n), place)
	sign := ""
	if v.Sign() < 0 {
		sign = "-"
		r.Neg(r)
	}
	switch {
	case n.Sign() == 0 && sign == "-":
		return nil, "-0"
	case new(big.Rat).Abs(r).Cmp(power2(most+1)) >= 0:
		return nil, sign + "inf"
	}
	return r, ""
}

func power2(e int) *big.Rat {
	p := new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e)))
	if e < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), p)
	}
	return new(big.Rat).SetInt(p)
}

// roundEven rounds a number that is not negative to an integer, ties to even.
func roundEven(v *big.Rat) *big.Int {
	q, r := new(big.Int).QuoRem(v.Num(), v.Denom(), new(big.Int))
	switch c := r.Lsh(r, 1).Cmp(v.Denom()); {
	case c > 0, c == 0 && q.Bit(0) == 1:
		q.Add(q, big.NewInt(1))
	}
	return q
}
