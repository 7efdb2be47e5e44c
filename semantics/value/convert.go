package value

import (
	"fmt"
	"math"
	"math/big"

	"tv/semantics/domain"
)

// typeError says that a value was given where an element of t belongs.
func typeError(v Value, t domain.Elem) error {
	if v.tag.form() == formExact {
		return fmt.Errorf("%s is an element of %s, not of %s", v, v.tag.elem(), t)
	}
	return fmt.Errorf("%s is a real number, not an element of %s", v, t)
}

// exactRat returns the number that an element of an exact type is; false for NaNs and infinities.
func exactRat(v Value) (*big.Rat, bool) {
	switch t := v.tag.elem(); t.Kind {
	case domain.ElemFloat:
		r := new(big.Rat).SetFloat64(floatOf(v))
		return r, r != nil
	case domain.ElemAdaptive:
		return newAdaptive(t, 0).rat(v), true
	case domain.ElemFix:
		return new(big.Rat).SetFrac(big.NewInt(v.n), new(big.Int).Lsh(big.NewInt(1), uint(t.Frac))), true
	case domain.ElemUint, domain.ElemBool:
		return new(big.Rat).SetFrac(new(big.Int).SetUint64(uint64(v.n)), big.NewInt(1)), true
	}
	return big.NewRat(v.n, 1), true
}

// isNaN tells whether v is a NaN of a floating-point type.
func isNaN(v Value) bool {
	return v.tag.form() == formExact && v.tag.elem().Kind == domain.ElemFloat && math.IsNaN(floatOf(v))
}

// NegativeZero returns what "-0" spells in type t: 0, where there is no other.
func NegativeZero(t domain.Elem) Value {
	switch t.Kind {
	case domain.ElemFloat, domain.ElemAdaptive:
		return BitsValue(1<<(t.Width-1), t)
	}
	return BitsValue(0, t)
}

// Cast converts an element of type from to another type. In real only a cast to the same type or to a wider float has a
// meaning, which is none. In auto, between floats it is the identity; an element of an exact type becomes the number that
// it is, and a number an element as one of a float type with that value would; MIN becomes none.
func Cast(a Arith, x Value, from, to domain.Elem) Value {
	if x.tag == formFailure {
		return x
	}
	if err := x.Suits(a, from); err != nil {
		return NoValue(err)
	}
	switch isReal, toReal := !a.Bits(from), !a.Bits(to); {
	case from == to, a == Auto && isReal && toReal:
		return x
	case a == Real:
		if from.Kind == domain.ElemFloat && to.Kind == domain.ElemFloat && from.Width < to.Width {
			return x
		}
		return Uninterpreted("cast from " + from.String() + " to " + to.String())
	case isReal:
		return ofReal(x, to)
	case toReal:
		r, _ := exactRat(x)
		return ratio(r)
	}
	return cast(x, to)
}

// ofReal converts a real number to an exact type. Conversions do not fall, so that an enclosure whose ends become the same
// element is that element; to bool they do, at 0.
func ofReal(x Value, to domain.Elem) Value {
	if failed, ok := notANumber("a cast to "+to.String(), x); ok {
		return failed
	}
	if x.isRational() {
		return roundRat(ratOf(x), to)
	}
	e := enclosureOf(x)
	lo, _ := e.lo.Rat(nil)
	hi, _ := e.hi.Rat(nil)
	low, high := roundRat(lo, to), roundRat(hi, to)
	zero := to.Kind == domain.ElemBool && e.holdsZero()
	if low.Failed() || high.Failed() || zero || low != high {
		return Undecidedf("cast of %s to %s", x, to)
	}
	return low
}

// cast converts an element of an exact type to another one.
//
//	to bool            whether the element is not 0
//	to intN, uintN     from integers (intN, uintN, bool, satN): modulo 2^N; else truncated toward zero, and
//	                   undefined outside the range of the type
//	to satN            truncated toward zero, then the nearest end of the range; undefined from NaN
//	to fixM.F          from integers and fixed point: rounded toward negative infinity, modulo 2^(M+F); else
//	                   undefined outside the range of the type
//	to floatN          the nearest, to even
//	to adaptiveN.E     as [adaptive] encodes; undefined from NaN
func cast(x Value, to domain.Elem) Value {
	from := x.tag.elem()
	if from == to {
		return x
	}
	if from.Kind == domain.ElemFloat {
		f := floatOf(x)
		switch {
		case to.Kind == domain.ElemFloat:
			return floatValue(f, to)
		case to.Kind == domain.ElemBool:
			return BitsValue(bit(f != 0), to)
		case math.IsNaN(f):
			return Undefinedf("cast of nan to %s", to)
		case math.IsInf(f, 0):
			switch to.Kind {
			case domain.ElemSat, domain.ElemAdaptive:
				f = math.Copysign(math.MaxFloat64, f) // which saturates just as well
			default:
				return Undefinedf("cast of %s to %s", x, to)
			}
		}
		return roundRat(new(big.Rat).SetFloat64(f), to)
	}
	r, _ := exactRat(x)
	wraps := from.Kind != domain.ElemAdaptive && (from.Kind != domain.ElemFix || to.Kind == domain.ElemFix)
	return convert(r, wraps, to)
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// roundRat converts a number as a cast from floating point does.
func roundRat(r *big.Rat, to domain.Elem) Value { return convert(r, false, to) }

// convert converts a number; wraps says that a number outside the range of an integer or fixed-point type
// wraps and is not undefined.
func convert(r *big.Rat, wraps bool, to domain.Elem) Value {
	switch to.Kind {
	case domain.ElemBool:
		return BitsValue(bit(r.Sign() != 0), to)
	case domain.ElemFloat:
		return roundToFloat(r, to)
	case domain.ElemAdaptive:
		return newAdaptive(to, 0).encode(r)
	}
	n := new(big.Int)
	if to.Kind == domain.ElemFix {
		n.Lsh(r.Num(), uint(to.Frac))
		n.Div(n, r.Denom()) // rounds down, the denominator being positive
	} else {
		n.Quo(r.Num(), r.Denom())
	}
	v := BitsValue(uint64(lowWord(n)), to)
	held := big.NewInt(v.n)
	if to.Kind == domain.ElemUint {
		held.SetUint64(uint64(v.n))
	}
	switch {
	case held.Cmp(n) == 0 || wraps && to.Kind != domain.ElemSat:
		return v
	case to.Kind == domain.ElemSat:
		a := newIntegers(to)
		if n.Sign() < 0 {
			return a.of(a.least)
		}
		return a.of(a.greatest)
	}
	return Undefinedf("conversion of %s to %s", r.RatString(), to)
}
