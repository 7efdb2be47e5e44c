package value

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"tv/semantics/domain"
)

// A Value is one element: 24 bytes, no allocation unless it is a rational number that does not fit in a
// word, an enclosure or a failure. The zero value is the real number 0.
//
//	tag         n            d               x
//	rational    numerator    denominator-1           a real number in lowest terms
//	wideRatio                                ratio   one that does not fit the row above
//	enclosure                 1 for a ball   lo, hi  a real number known to lie in [lo, hi], lo < hi
//	ball        bits of mid  bits of rad             a real number known to lie in [mid - rad, mid + rad]: see [Ball]
//	lowest                                           MIN of the arithmetic real
//	exact type  bits                                 an element of that type, sign-extended where signed
//	failure                                  err     no value, and why
type Value struct {
	n   int64
	x   *wide
	d   uint32
	tag Tag
}

// wide is the part of a value that does not fit in a word.
type wide struct {
	ratio  *big.Rat
	lo, hi *big.Float
	err    error
	placed bool // err says already which element of which operator failed
}

// A Tag is the form of a value in its low byte and, for formExact, the element type in the others.
type Tag uint32

const (
	formRational Tag = iota
	formWideRatio
	formEnclosure
	formBall
	formLowest
	formFailure
	formExact
)

func (t Tag) form() Tag { return t & 0xff }

// TagOf returns the tag that the elements of type t have under an arithmetic, if it is exact, else that of integers.
func TagOf(a Arith, t domain.Elem) Tag {
	if !a.Bits(t) {
		return formRational
	}
	return exactTag(t)
}

// Is tells whether v has a tag.
func (v Value) Is(t Tag) bool { return v.tag == t }

// Suits returns nil if v is an element of type t under an arithmetic, or a failure, and otherwise says why it is not.
func (v Value) Suits(a Arith, t domain.Elem) error {
	switch {
	case v.tag == formFailure, !a.Bits(t) && v.tag.form() != formExact, a.Bits(t) && v.tag == exactTag(t):
		return nil
	case !a.Bits(t) && v.tag.form() == formExact:
		return fmt.Errorf("%s is an element of %s, not a real number", v, v.tag.elem())
	}
	return typeError(v, t)
}

// exactTag returns the tag of the elements of type t.
func exactTag(t domain.Elem) Tag {
	return formExact | Tag(t.Kind)<<8 | Tag(t.Width)<<16 | Tag(t.Frac)<<24
}

// elem returns the element type that a formExact tag holds.
func (t Tag) elem() domain.Elem {
	kind, width, frac := domain.ElemKind(t>>8&0xff), int(t>>16&0xff), int(t>>24)
	return domain.Elem{Kind: kind, Width: width, Frac: frac}
}

// ErrUndecided says that the enclosures are too wide to tell whether an element has a value, or that a
// number is too large to handle: a divisor whose enclosure holds 0, exp of 10^12.
var ErrUndecided = errors.New("undecided")

// NoValue returns a value that stands for the absence of one. Every operation on it, and the element that
// rests on it, fails with err. Implementations of [Inputs] return it for elements that they do not have.
func NoValue(err error) Value { return Value{tag: formFailure, x: &wide{err: err}} }

// Failed tells whether v is no value.
func (v Value) Failed() bool { return v.tag == formFailure }

// Locate adds to a failure where it happened, unless somebody did.
func (v Value) Locate(where string) Value {
	if v.x.placed {
		return v
	}
	return Value{tag: formFailure, x: &wide{err: fmt.Errorf("%w (%s)", v.x.err, where), placed: true}}
}

// Located tells whether a failure says where it happened.
func (v Value) Located() bool { return v.x.placed }

// Err returns why v is not a value, or nil if it is one.
func (v Value) Err() error {
	if v.tag == formFailure {
		return v.x.err
	}
	return nil
}

// undefined returns the failure of an operation that has no value for its operands.
func Undefinedf(format string, args ...any) Value {
	return NoValue(fmt.Errorf("%w: %s", ErrUndefined, fmt.Sprintf(format, args...)))
}

// Uninterpreted returns the failure of resting on a symbol.
func Uninterpreted(symbol string) Value { return NoValue(&UninterpretedError{Symbol: symbol}) }

// undecided returns the failure of not knowing enough.
func Undecidedf(format string, args ...any) Value {
	return NoValue(fmt.Errorf("%w: %s", ErrUndecided, fmt.Sprintf(format, args...)))
}

// RatValue returns the real number r. It keeps no reference to r.
func RatValue(r *big.Rat) Value { return ratio(new(big.Rat).Set(r)) }

// MinValue returns MIN: below all numbers of reals; of exact types the lowest finite number of type t.
func MinValue(a Arith, t domain.Elem) Value { return Of(a, t).Lowest() }

// BitsValue returns the element of type t with the given bits, in exact. Bits above the width are ignored.
func BitsValue(bits uint64, t domain.Elem) Value {
	return Value{n: extend(bits, t), tag: exactTag(t)}
}

// extend sign-extends the low t.Width bits for signed types and zero-extends them for the others.
func extend(bits uint64, t domain.Elem) int64 {
	shift := 64 - uint(t.Width)
	switch t.Kind {
	case domain.ElemInt, domain.ElemSat, domain.ElemFix:
		return int64(bits<<shift) >> shift
	}
	return int64(bits << shift >> shift)
}

// Bits returns the bits of an element in exact; false for any other value.
func (v Value) Bits() (uint64, bool) {
	if v.tag.form() != formExact {
		return 0, false
	}
	shift := 64 - uint(v.tag.elem().Width)
	return uint64(v.n) << shift >> shift, true
}

// IsMin tells whether v is MIN of real.
func (v Value) IsMin() bool { return v.tag == formLowest }

// Rat returns the number that v is, if v is exactly one: not an enclosure, MIN, a NaN or an infinity.
func (v Value) Rat() (*big.Rat, bool) {
	switch v.tag.form() {
	case formRational:
		return big.NewRat(v.n, 1).Quo(big.NewRat(v.n, 1), big.NewRat(int64(v.d)+1, 1)), true
	case formWideRatio:
		return new(big.Rat).Set(v.x.ratio), true
	case formExact:
		return exactRat(v)
	}
	return nil, false
}

// Compare tells whether two results are the same: in real, equal numbers (disjoint enclosures are Different);
// in exact, equal bits, all NaNs being one value. Values of different arithmetics or element types are
// Different; a failure compared with anything is Undecided.
func Compare(x, y Value) Relation {
	if x.tag == formFailure || y.tag == formFailure {
		return Undecided
	}
	same := false
	switch {
	case x.tag.form() == formExact || y.tag.form() == formExact:
		same = x.tag == y.tag && (x.n == y.n || isNaN(x) && isNaN(y))
	case x.tag == formLowest || y.tag == formLowest:
		same = x.tag == y.tag
	case x.tag == formEnclosure || y.tag == formEnclosure || x.tag == formBall || y.tag == formBall:
		if p, ok := ballOf(x); ok && x.isLoose() {
			if q, ok := ballOf(y); ok && (p.less(q) || q.less(p)) {
				return Different
			}
			if y.tag == formBall {
				return Undecided
			}
		}
		a, b := enclosureOf(x), enclosureOf(y)
		if a.hi.Cmp(b.lo) < 0 || b.hi.Cmp(a.lo) < 0 {
			return Different
		}
		return Undecided
	default:
		same = compareRatios(x, y) == 0
	}
	if same {
		return Same
	}
	return Different
}

// String prints the value. A real number is an integer or a fraction in lowest terms; an enclosure is the
// pair of its ends in 20 digits, rounded outward; MIN is "min". An element of a type is a decimal if one of
// at most 24 characters is the exact value, else a hexadecimal float: "3", "-7/2", "0.375", "0x1.99999ap-4",
// "-0", "nan", "-inf". A failure prints its reason in parentheses.
func (v Value) String() string {
	switch v.tag.form() {
	case formRational:
		if v.d == 0 {
			return strconv.FormatInt(v.n, 10)
		}
		return strconv.FormatInt(v.n, 10) + "/" + strconv.FormatUint(uint64(v.d)+1, 10)
	case formWideRatio:
		return v.x.ratio.RatString()
	case formEnclosure, formBall:
		lo, hi := v.Ends()
		return "[" + outward(lo, big.ToNegativeInf) + ", " + outward(hi, big.ToPositiveInf) + "]"
	case formLowest:
		return "min"
	case formFailure:
		return "(" + v.x.err.Error() + ")"
	}
	return exactString(v)
}

// Ends returns two numbers between which v lies, which is a real number: the same twice if it is one of them.
func (v Value) Ends() (lo, hi *big.Float) {
	e := enclosureOf(v)
	return e.lo, e.hi
}

// outward prints f in 20 significant digits so that the number printed lies on the side of f that mode
// names. The digits are hexadecimal where decimals would take long to compute.
func outward(f *big.Float, mode big.RoundingMode) string {
	if e := f.MantExp(nil); f.Sign() != 0 && (e > 4096 || e < -4096) {
		return hexString(new(big.Float).SetPrec(80).SetMode(mode).Set(f).Text('x', -1))
	}
	s := f.Text('g', 20)
	exact, _ := f.Rat(nil)
	printed, _ := new(big.Rat).SetString(s)
	c := printed.Cmp(exact)
	if mode == big.ToNegativeInf && c <= 0 || mode == big.ToPositiveInf && c >= 0 {
		return s
	}
	// One unit of the last digit towards the wanted side.
	unit := new(big.Rat).Abs(exact)
	unit.Mul(unit, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(19), nil)))
	if mode == big.ToNegativeInf {
		unit.Neg(unit)
	}
	moved := new(big.Float).SetPrec(200).SetMode(mode).SetRat(printed.Add(printed, unit))
	return moved.Text('g', 20)
}

// The exponents of numbers read from text are bounded; they would otherwise take any amount of memory. Those
// of hexadecimal floats may be as large as in enclosures, which are printed so.
const (
	maxDecimalExponent = 20000
	maxBinaryExponent  = exponentLimit
)

// ParseRat reads an integer, fraction, decimal or hexadecimal float.
func ParseRat(s string) (*big.Rat, error) {
	if i := strings.LastIndexAny(s, "eEpP"); i >= 0 && !strings.Contains(s, "/") {
		limit := maxDecimalExponent
		if s[i] == 'p' || s[i] == 'P' {
			limit = maxBinaryExponent
		}
		if hex := strings.Contains(strings.ToLower(s), "0x"); !hex || limit == maxBinaryExponent {
			if e, err := strconv.Atoi(s[i+1:]); err != nil || e > limit || e < -limit {
				return nil, fmt.Errorf("the exponent of %q is not an integer from -%d to %d", s, limit, limit)
			}
		}
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil, fmt.Errorf("%q is not a number", s)
	}
	return r, nil
}

// ParseValue reads what String prints, and decimals, for an element of type t under arithmetic a. A number
// that a floating-point or adaptive type does not hold is rounded as its arithmetic rounds; one that an
// integer or fixed-point type does not hold is an error.
func ParseValue(s string, a Arith, t domain.Elem) (Value, error) {
	s = strings.TrimSpace(s)
	if !a.Bits(t) {
		return parseReal(s)
	}
	if t.Kind == domain.ElemFloat {
		switch s {
		case "nan":
			return floatValue(math.NaN(), t), nil
		case "inf", "+inf":
			return floatValue(math.Inf(1), t), nil
		case "-inf":
			return floatValue(math.Inf(-1), t), nil
		}
	}
	if t.Kind == domain.ElemBool && (s == "true" || s == "false") {
		return BitsValue(map[string]uint64{"false": 0, "true": 1}[s], t), nil
	}
	r, err := ParseRat(s)
	if err != nil {
		return Value{}, err
	}
	if r.Sign() == 0 && strings.HasPrefix(s, "-") {
		return NegativeZero(t), nil
	}
	v := roundRat(r, t)
	if err := v.Err(); err != nil {
		return Value{}, fmt.Errorf("%s is outside the range of %s", s, t)
	}
	switch t.Kind {
	case domain.ElemFloat, domain.ElemAdaptive:
		return v, nil
	}
	if got, _ := v.Rat(); got.Cmp(r) != 0 {
		return Value{}, fmt.Errorf("%s is not an element of %s", s, t)
	}
	return v, nil
}

// parseReal reads a value of the arithmetic real.
func parseReal(s string) (Value, error) {
	if s == "min" {
		return Value{tag: formLowest}, nil
	}
	if inner, ok := strings.CutPrefix(s, "["); ok {
		inner, closed := strings.CutSuffix(inner, "]")
		low, high, two := strings.Cut(inner, ",")
		if !closed || !two {
			return Value{}, fmt.Errorf("%q is not an enclosure", s)
		}
		lo, err := ParseRat(strings.TrimSpace(low))
		if err != nil {
			return Value{}, err
		}
		hi, err := ParseRat(strings.TrimSpace(high))
		if err != nil {
			return Value{}, err
		}
		if lo.Cmp(hi) > 0 {
			return Value{}, fmt.Errorf("the ends of %s are in the wrong order", s)
		}
		return enclosure{lo: below().SetRat(lo), hi: above().SetRat(hi)}.value(), nil
	}
	r, err := ParseRat(s)
	if err != nil {
		return Value{}, err
	}
	return ratio(r), nil
}

// IntValue returns n as an element of type t, converted as a cast would (in real: n itself).
func IntValue(n int64, a Arith, t domain.Elem) Value { return Of(a, t).Integer(n) }

// exactString prints an element of an exact type.
func exactString(v Value) string {
	t := v.tag.elem()
	switch t.Kind {
	case domain.ElemFloat:
		return floatString(floatOf(v), t)
	case domain.ElemUint, domain.ElemBool:
		return strconv.FormatUint(uint64(v.n), 10)
	case domain.ElemInt, domain.ElemSat:
		return strconv.FormatInt(v.n, 10)
	}
	r, _ := v.Rat()
	if r.Sign() == 0 && v.n != 0 {
		return "-0" // adaptive: the code with nothing but a sign
	}
	return dyadicString(r)
}

// dyadicString prints a fraction whose denominator is a power of two: a decimal if that is short.
func dyadicString(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	if s := r.FloatString(r.Denom().BitLen() - 1); len(s) <= 24 {
		return s
	}
	f := new(big.Float).SetPrec(uint(max(64, r.Num().BitLen()))).SetInt(r.Num())
	return hexString(f.SetMantExp(f, 1-r.Denom().BitLen()).Text('x', -1))
}

// floatString prints an element of a floating-point type.
func floatString(f float64, t domain.Elem) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case f == 0 && math.Signbit(f):
		return "-0"
	}
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if r, ok := new(big.Rat).SetString(s); ok && r.Cmp(new(big.Rat).SetFloat64(f)) == 0 {
		return s
	}
	return hexString(strconv.FormatFloat(f, 'x', -1, 64))
}

// hexString drops what Go adds to the exponent of a hexadecimal float: "0x1p-03" becomes "0x1p-3".
func hexString(s string) string {
	mantissa, exponent, _ := strings.Cut(s, "p")
	e, _ := strconv.Atoi(exponent)
	return fmt.Sprintf("%sp%+d", mantissa, e)
}

// Integer returns the integer that v is; one that does not fit in a word is -1, which is no index either.
func (v Value) Integer() (n int64, failed Value, ok bool) {
	switch {
	case v.isInt():
		return v.n, v, true
	case v.tag == formFailure:
		return 0, v, false
	case v.tag == formEnclosure, v.tag == formBall:
		return 0, Undecidedf("index %s", v), false
	case v.tag.form() == formExact && v.tag.elem().Kind == domain.ElemInt:
		return v.n, v, true
	}
	r, isNumber := v.Rat()
	switch {
	case !isNumber || !r.IsInt():
		return 0, Undefinedf("index %s, which is not an integer", v), false
	case !r.Num().IsInt64():
		return -1, v, true
	}
	return r.Num().Int64(), v, true
}
