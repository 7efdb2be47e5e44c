package value

import (
	"math"
	"math/big"

	"tv/semantics/domain"
)

// Scalars are the operations on elements of one type that languages of loops and statements have: those of its
// [Arithmetic], and the ones that machines have beside them. In real, where an element of an integer type is any real
// number, what rounds quotients or looks at bits is uninterpreted; bools are 0 and 1 in all arithmetics.
type Scalars struct {
	Arithmetic
	elem   domain.Elem
	ints   *integers // of intN, uintN and bool, bit for bit
	floats *ieee     // of floats, bit for bit
	yes    Value     // the bool 1 of the arithmetic
}

// ScalarsOf returns the operations on elements of type t, which is a float, an integer type that wraps or bool.
func ScalarsOf(a Arith, t domain.Elem) *Scalars {
	s := &Scalars{Arithmetic: Of(a, t), elem: t, yes: Value{n: 1, tag: TagOf(a, domain.Elem{Kind: domain.ElemBool, Width: 1})}}
	s.ints, _ = s.Arithmetic.(*integers)
	s.floats, _ = s.Arithmetic.(*ieee)
	return s
}

// A Rounding says which integer a quotient becomes.
type Rounding uint8

const (
	TowardsZero Rounding = iota
	Down
	Up
)

// first returns the first failure among operands; otherwise that a symbol is uninterpreted.
func first(symbol string, operands ...Value) Value {
	for _, v := range operands {
		if v.tag == formFailure {
			return v
		}
	}
	return Uninterpreted(symbol)
}

// Special returns inf, -inf, nan or -0 of a float type: in real -0 is 0, and the others are undefined.
func (s *Scalars) Special(name string) (Value, bool) {
	f, ok := map[string]float64{"inf": math.Inf(1), "-inf": math.Inf(-1), "nan": math.NaN(), "-0": math.Copysign(0, -1)}[name]
	switch {
	case !ok || s.elem.Kind != domain.ElemFloat:
		return Value{}, false
	case s.floats != nil:
		return s.floats.round64(f), true
	case name == "-0":
		return Value{}, true
	}
	return Undefinedf("%s is not a real number", name), true
}

// Quotient divides integers. It is undefined by 0, and of the least signed number by -1.
func (s *Scalars) Quotient(x, y Value, r Rounding) Value {
	if s.ints == nil {
		return s.realQuotient("integer division", x, y)
	}
	q := s.ints.Div(x, y)
	if r == TowardsZero || q.tag == formFailure {
		return q
	}
	if !s.ints.signed {
		if r == Up && uint64(x.n)%uint64(y.n) != 0 {
			q.n++
		}
		return q
	}
	// Rounding towards 0 has gone up where the quotient is negative, and down where it is positive.
	if x.n%y.n != 0 {
		switch negative := (x.n < 0) != (y.n < 0); {
		case negative && r == Down:
			q.n--
		case !negative && r == Up:
			q.n++
		}
	}
	return q
}

// realQuotient is what is known of a quotient of integers in real: that it has no value by 0.
func (s *Scalars) realQuotient(symbol string, x, y Value) Value {
	if x.tag != formFailure && y.isZero() {
		return Undefinedf("division of %s by 0", x)
	}
	return first(symbol, x, y)
}

// Rem returns x - y·Quotient(x, y, TowardsZero), and is undefined where the quotient is.
func (s *Scalars) Rem(x, y Value) Value {
	if s.ints == nil {
		return s.realQuotient("remainder", x, y)
	}
	q := s.ints.Div(x, y)
	if q.tag == formFailure {
		return q
	}
	return s.ints.wrap(x.n - y.n*q.n)
}

// bits returns an operation on the bits of integers and bools.
func (s *Scalars) bits(symbol string, x, y Value, op func(x, y int64) int64) Value {
	switch {
	case s.ints != nil && s.ints.has(x, y):
		return s.ints.of(op(x.n, y.n)) // extended operands give an extended result
	case s.ints != nil:
		return s.ints.other(x, y)
	case s.elem.Kind != domain.ElemBool:
		return first(symbol, x, y)
	}
	p, err := x.Holds()
	if err != nil {
		return NoValue(err)
	}
	q, err := y.Holds()
	if err != nil {
		return NoValue(err)
	}
	return s.Truth(op(int64(bit(p)), int64(bit(q))) != 0)
}

func (s *Scalars) And(x, y Value) Value {
	return s.bits("and", x, y, func(x, y int64) int64 { return x & y })
}

func (s *Scalars) Or(x, y Value) Value {
	return s.bits("or", x, y, func(x, y int64) int64 { return x | y })
}

func (s *Scalars) Xor(x, y Value) Value {
	return s.bits("exclusive or", x, y, func(x, y int64) int64 { return x ^ y })
}

// Not inverts all bits; of a bool the one that it has.
func (s *Scalars) Not(x Value) Value {
	switch {
	case s.ints != nil && x.tag == s.ints.tag:
		return s.ints.wrap(^x.n)
	case s.ints != nil:
		return s.ints.other(x)
	case s.elem.Kind != domain.ElemBool:
		return first("not", x)
	}
	p, err := x.Holds()
	if err != nil {
		return NoValue(err)
	}
	return s.Truth(!p)
}

// Shift shifts x by y, an element of any integer type, to the left or to the right. It is undefined where y is not below
// the width, or below 0.
func (s *Scalars) Shift(x, y Value, left bool) Value {
	switch {
	case s.ints == nil || y.tag.form() != formExact:
		return first(map[bool]string{true: "left-shift", false: "right-shift"}[left], x, y)
	case y.n < 0 || y.n >= int64(s.elem.Width): // numbers of uint64 from 2^63 on are below 0 in n
		if x.tag != s.ints.tag {
			return s.ints.other(x)
		}
		return Undefinedf("shift of an element of %s by %s", s.elem, y)
	case left:
		return s.ints.ShiftLeft(x, y.n)
	}
	return s.ints.ShiftRight(x, y.n)
}

// Truth returns the bool of the arithmetic.
func (s *Scalars) Truth(b bool) Value {
	v := s.yes
	if !b {
		v.n = 0
	}
	return v
}

// Holds tells whether a bool is not 0.
func (v Value) Holds() (bool, error) {
	switch v.tag.form() {
	case formFailure:
		return false, v.x.err
	case formEnclosure, formBall:
		if enclosureOf(v).holdsZero() {
			return false, Undecidedf("whether %s is 0", v).Err()
		}
		return true, nil
	case formRational, formExact:
		return v.n != 0, nil
	}
	return true, nil
}

// order returns the least and the greatest sign that the difference of two real numbers may have. A value and its copies
// are one number.
func order(x, y Value) (least, greatest int) {
	switch {
	case x == y && x.tag != formBall: // two balls of the same bits may be two numbers
		return 0, 0
	case x.tag == formLowest:
		return -1, -1
	case y.tag == formLowest:
		return 1, 1
	case x.isRational() && y.isRational():
		c := compareRatios(x, y)
		return c, c
	}
	a, b := enclosureOf(x), enclosureOf(y)
	return a.lo.Cmp(b.hi), a.hi.Cmp(b.lo)
}

// compared returns whether the sign of x - y is one of those asked for; of elements with a NaN it is unordered.
func (s *Scalars) compared(x, y Value, below, equal, above, unordered bool) Value {
	is := func(sign int) bool { return [...]bool{below, equal, above}[sign+1] }
	switch {
	case s.ints != nil && s.ints.has(x, y):
		switch {
		case x.n == y.n:
			return s.Truth(equal)
		case s.ints.less(x, y):
			return s.Truth(below)
		}
		return s.Truth(above)
	case s.ints != nil:
		return s.ints.other(x, y)
	case s.floats != nil && s.floats.has(x, y):
		switch f, g := s.floats.decode(x), s.floats.decode(y); {
		case f < g:
			return s.Truth(below)
		case f == g:
			return s.Truth(equal)
		case f > g:
			return s.Truth(above)
		}
		return s.Truth(unordered)
	case s.floats != nil:
		return s.floats.other(x, y)
	case x.tag == formFailure:
		return x
	case y.tag == formFailure:
		return y
	}
	least, greatest := order(x, y)
	for sign := least; sign < greatest; sign++ {
		if is(sign) != is(sign+1) {
			return Undecidedf("comparison of %s and %s", x, y)
		}
	}
	return s.Truth(is(least))
}

// Equal, NotEqual, Less and LessEqual return bools. Of floats, bit for bit, one with a NaN is false, but NotEqual.
func (s *Scalars) Equal(x, y Value) Value     { return s.compared(x, y, false, true, false, false) }
func (s *Scalars) NotEqual(x, y Value) Value  { return s.compared(x, y, true, false, true, true) }
func (s *Scalars) Less(x, y Value) Value      { return s.compared(x, y, true, false, false, false) }
func (s *Scalars) LessEqual(x, y Value) Value { return s.compared(x, y, true, true, false, false) }

// Abs returns |x|; of the least signed number it wraps, and of a float it clears the sign.
func (s *Scalars) Abs(x Value) Value {
	switch {
	case s.ints != nil:
		if x.tag != s.ints.tag {
			return s.ints.other(x)
		}
		if s.ints.signed && x.n < 0 {
			return s.ints.wrap(-x.n)
		}
		return x
	case s.floats != nil:
		if x.tag != s.floats.tag {
			return s.floats.other(x)
		}
		return s.floats.round64(math.Abs(s.floats.decode(x)))
	case x.tag == formEnclosure, x.tag == formBall:
		e := enclosureOf(x)
		switch {
		case e.lo.Sign() >= 0:
			return x
		case e.hi.Sign() > 0:
			return enclosure{encloseInt(0).lo, maxFloat(e.neg().hi, e.hi)}.value()
		}
	case x.isRational() && compareRatios(x, Value{}) >= 0:
		return x
	}
	return s.Neg(x)
}

// Minimum and Maximum are IEEE-754's: NaN if one operand is, and -0 is below 0. Min and Max skip a NaN.
func (s *Scalars) Minimum(x, y Value) Value {
	if s.floats == nil || !s.floats.has(x, y) {
		return s.Min(x, y)
	}
	return s.floats.round64(min(s.floats.decode(x), s.floats.decode(y))) // not math.Min: NaN counts for more than -inf
}

func (s *Scalars) Maximum(x, y Value) Value {
	if s.floats == nil || !s.floats.has(x, y) {
		return s.Max(x, y)
	}
	return s.floats.round64(max(s.floats.decode(x), s.floats.decode(y)))
}

// Conversion returns the conversion between two types as [Cast] has it, by words where they do.
func Conversion(a Arith, from, to domain.Elem) func(Value) Value {
	slow := func(x Value) Value { return Cast(a, x, from, to) }
	isInt := func(t domain.Elem) bool {
		return t.Kind == domain.ElemInt || t.Kind == domain.ElemUint || t.Kind == domain.ElemBool
	}
	switch {
	case from == to:
		return func(x Value) Value { return x }
	case !a.Bits(from) || !isInt(from):
		return slow
	case a.Bits(to) && isInt(to):
		return wordConversion(from, to)
	case !a.Bits(to): // to a number
		return func(x Value) Value {
			if x.tag != exactTag(from) || x.n < 0 && from.Kind == domain.ElemUint {
				return slow(x)
			}
			return Value{n: x.n}
		}
	}
	f := ScalarsOf(a, to)
	return func(x Value) Value {
		if x.tag != exactTag(from) || x.n < 0 && from.Kind == domain.ElemUint {
			return slow(x)
		}
		return f.Integer(x.n)
	}
}

// wordConversion converts between integer types: extended words hold all that another width may ask for.
func wordConversion(from, to domain.Elem) func(Value) Value {
	source, target := exactTag(from), newIntegers(to)
	return func(x Value) Value {
		switch {
		case x.tag != source:
			return (&exactType{from, source}).other(x)
		case to.Kind == domain.ElemBool:
			return target.of(int64(bit(x.n != 0)))
		}
		return target.wrap(x.n)
	}
}

// Lands tells whether a real number, of which an enclosure may be all that is known, can be cast to an integer type.
func Lands(x Value, to domain.Elem) bool {
	if x.tag == formLowest || x.tag == formFailure {
		return false
	}
	e := enclosureOf(x)
	lo, _ := e.lo.Rat(nil)
	hi, _ := e.hi.Rat(nil)
	return !roundRat(lo, to).Failed() && !roundRat(hi, to).Failed()
}

// A Callable is a function of floats by its C name: how many operands it has, and its value.
type Callable struct {
	Operands int
	Call     func(x, y, z Value) Value
}

// Function returns the function of a name, if the type has it. What is correctly rounded in IEEE-754 has a value bit for
// bit; in real floors and their like do, and what there are enclosures of.
func (s *Scalars) Function(name string) (Callable, bool) {
	if s.elem.Kind != domain.ElemFloat {
		return Callable{}, false
	}
	one := func(f func(Value) Value) (Callable, bool) {
		return Callable{1, func(x, _, _ Value) Value { return f(x) }}, true
	}
	switch name {
	case "exp":
		return one(s.Exp)
	case "log":
		return one(s.Log)
	case "sqrt":
		return one(s.Sqrt)
	case "erf":
		return one(s.Erf)
	case "tanh":
		return one(s.Tanh)
	case "sin", "cos", "tan":
		return one(func(x Value) Value { return first(name, x) })
	case "rsqrt":
		return one(s.rsqrt)
	case "floor", "ceil", "round", "trunc":
		exact := map[string]func(float64) float64{
			"floor": math.Floor, "ceil": math.Ceil, "round": math.Round, "trunc": math.Trunc}[name]
		return one(func(x Value) Value { return s.integral(name, exact, x) })
	case "pow":
		return Callable{2, func(x, y, _ Value) Value { return s.pow(x, y) }}, true
	case "fma":
		return Callable{3, s.fma}, true
	}
	return Callable{}, false
}

// rsqrt is 1/sqrt(x).
func (s *Scalars) rsqrt(x Value) Value {
	if s.floats != nil {
		return first("rsqrt", x)
	}
	return s.Div(Value{n: 1}, s.Sqrt(x))
}

// integral rounds to a whole number.
func (s *Scalars) integral(name string, exact func(float64) float64, x Value) Value {
	if s.floats != nil {
		if x.tag != s.floats.tag {
			return s.floats.other(x)
		}
		return s.floats.round64(exact(s.floats.decode(x)))
	}
	if failed, ok := notANumber(name, x); ok {
		return failed
	}
	if x.isInt() {
		return x
	}
	if x.isRational() {
		return ratio(new(big.Rat).SetInt(wholeOf(name, ratOf(x))))
	}
	e := enclosureOf(x)
	lo, _ := e.lo.Rat(nil)
	hi, _ := e.hi.Rat(nil)
	low, high := wholeOf(name, lo), wholeOf(name, hi)
	if low.Cmp(high) != 0 { // none of the four falls, so that what is between has the value of the ends
		return Undecidedf("%s of %s", name, x)
	}
	return ratio(new(big.Rat).SetInt(low))
}

// wholeOf rounds a fraction to a whole number.
func wholeOf(name string, r *big.Rat) *big.Int {
	n := new(big.Int)
	switch name {
	case "floor":
		return n.Div(r.Num(), r.Denom()) // by a positive divisor, Euclid's quotient is the floor
	case "ceil":
		return n.Neg(n.Div(n.Neg(r.Num()), r.Denom()))
	case "trunc":
		return n.Quo(r.Num(), r.Denom())
	}
	return roundHalfAway(r)
}

// mostFactors bounds the products of which a power by a whole number is made.
const mostFactors = 1 << 10

// pow is C's: x^0 = 1, 0^y is 0 for y > 0 and undefined below 0; a negative number has powers by whole numbers only.
func (s *Scalars) pow(x, y Value) Value {
	if s.floats != nil {
		return first("pow", x, y)
	}
	if failed, ok := notANumber("pow", x, y); ok {
		return failed
	}
	if y.isInt() && -mostFactors <= y.n && y.n <= mostFactors {
		p := Value{n: 1}
		for range magnitude(y.n) {
			p = s.Mul(p, x)
		}
		if y.n < 0 {
			return s.Div(Value{n: 1}, p)
		}
		return p
	}
	least, greatest := order(x, Value{})
	if least > 0 {
		if half := (Value{n: 1, d: 1}); y == half {
			return s.Sqrt(x)
		}
		return s.Exp(s.Mul(y, s.Log(x)))
	}
	if !y.isRational() || least != greatest {
		return Undecidedf("pow of %s by %s", x, y)
	}
	up := compareRatios(y, Value{}) > 0
	switch {
	case least == 0 && up:
		return Value{}
	case least == 0:
		return Undefinedf("pow of 0 by %s", y)
	case ratOf(y).IsInt():
		return Undecidedf("pow of %s by %s, beyond ±%d", x, y, mostFactors)
	}
	return Undefinedf("pow of %s by %s", x, y)
}

// fma is x·y + z, rounded once.
func (s *Scalars) fma(x, y, z Value) Value {
	if s.floats == nil {
		return s.Add(s.Mul(x, y), z)
	}
	if !s.floats.has(x, y) || z.tag != s.floats.tag {
		return s.floats.other(x, y, z)
	}
	f := math.FMA(s.floats.decode(x), s.floats.decode(y), s.floats.decode(z))
	if s.elem.Width == 64 || f == 0 || math.IsInf(f, 0) || f != f {
		// Of narrower types float64 holds all products, and sums of them round to 0 or beyond it only where they are so.
		return s.floats.round64(f)
	}
	a, _ := exactRat(x)
	b, _ := exactRat(y)
	c, _ := exactRat(z)
	return roundToFloat(a.Add(a.Mul(a, b), c), s.elem)
}
