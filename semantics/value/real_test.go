package value

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestRationalArithmetic(t *testing.T) {
	a := realArithmetic{}
	rapid.Check(t, func(t *rapid.T) {
		x, y := drawRational(t, "x"), drawRational(t, "y")
		rx, _ := x.Rat()
		ry, _ := y.Rat()
		check := func(op string, got Value, want *big.Rat) {
			t.Helper()
			r, ok := got.Rat()
			if !ok || r.Cmp(want) != 0 {
				t.Fatalf("%s %s %s = %s, want %s", x, op, y, got, want.RatString())
			}
			if canonical := ratio(want); canonical.tag != got.tag || canonical.tag == formRational && canonical != got {
				t.Fatalf("%s %s %s = %s is not in its only form", x, op, y, got)
			}
		}
		check("+", a.Add(x, y), new(big.Rat).Add(rx, ry))
		check("-", a.Sub(x, y), new(big.Rat).Sub(rx, ry))
		check("*", a.Mul(x, y), new(big.Rat).Mul(rx, ry))
		if ry.Sign() != 0 {
			check("/", a.Div(x, y), new(big.Rat).Quo(rx, ry))
		}
		larger, smaller := rx, ry
		if rx.Cmp(ry) < 0 {
			larger, smaller = ry, rx
		}
		check("max", a.Max(x, y), larger)
		check("min", a.Min(x, y), smaller)
		check("square root of square", a.Sqrt(a.Mul(x, x)), new(big.Rat).Abs(rx))
		check("negated, not", a.Neg(x), new(big.Rat).Neg(rx))
	})
}

// Results of operations on MIN, on what is undefined, and of functions at their exact points.
func TestRealTable(t *testing.T) {
	a := realArithmetic{}
	least := a.Lowest()
	three, half, e := Value{n: 3}, Value{n: 1, d: 1}, a.Exp(Value{n: 1})
	for _, test := range []struct {
		call string
		got  Value
		want string // a value, "undefined" or "uninterpreted"
	}{
		{"max(MIN, 3)", a.Max(least, three), "3"},
		{"max(3, MIN)", a.Max(three, least), "3"},
		{"max(MIN, MIN)", a.Max(least, least), "min"},
		{"min(MIN, 3)", a.Min(least, three), "min"},
		{"min(e, MIN)", a.Min(e, least), "min"},
		{"relu(MIN)", a.Relu(least), "0"},
		{"relu(-3)", a.Relu(a.Neg(three)), "0"},
		{"relu(1/2)", a.Relu(half), "1/2"},
		{"MIN + 0", a.Add(least, Value{}), "undefined"},
		{"0 * MIN", a.Mul(Value{}, least), "undefined"},
		{"3 - MIN", a.Sub(three, least), "undefined"},
		{"-MIN", a.Neg(least), "undefined"},
		{"MIN / 3", a.Div(least, three), "undefined"},
		{"exp(MIN)", a.Exp(least), "undefined"},
		{"leaky-relu(MIN)", a.LeakyRelu(least, half), "undefined"},
		{"leaky-relu(-3)", a.LeakyRelu(a.Neg(three), half), "-3/2"},
		{"leaky-relu(3)", a.LeakyRelu(three, half), "3"},
		{"3 / 0", a.Div(three, Value{}), "undefined"},
		{"0 / 0", a.Div(Value{}, Value{}), "undefined"},
		{"sqrt(-3)", a.Sqrt(a.Neg(three)), "undefined"},
		{"sqrt(9/4)", a.Sqrt(Value{n: 9, d: 3}), "3/2"},
		{"sqrt(0)", a.Sqrt(Value{}), "0"},
		{"log(0)", a.Log(Value{}), "undefined"},
		{"log(-3)", a.Log(a.Neg(three)), "undefined"},
		{"log(1)", a.Log(Value{n: 1}), "0"},
		{"exp(0)", a.Exp(Value{}), "1"},
		{"erf(0)", a.Erf(Value{}), "0"},
		{"sigmoid(0)", a.Sigmoid(Value{}), "1/2"},
		{"tanh(0)", a.Tanh(Value{}), "0"},
		{"0 * e", a.Mul(Value{}, e), "0"},
		{"exp(10^12)", a.Exp(Value{n: 1e12}), "undecided"},
		{"1 / (e - e)", a.Div(Value{n: 1}, a.Sub(e, e)), "undecided"},
		{"sqrt(e - e)", a.Sqrt(a.Sub(e, e)), "undecided"},
		{"round(3)", a.Round(three), "uninterpreted"},
		{"inf", a.Infinity(1), "undefined"},
		{"shift", a.ShiftLeft(three, 1), "uninterpreted"},
		{"MIN + failure", a.Add(least, a.Div(three, Value{})), "undefined"},
	} {
		got := outcome(test.got)
		if got != test.want {
			t.Errorf("%s = %s (%s), want %s", test.call, got, test.got, test.want)
		}
	}
}

// outcome prints a value, or in one word why there is none.
func outcome(v Value) string {
	var symbol *UninterpretedError
	switch err := v.Err(); {
	case err == nil:
		return v.String()
	case errors.Is(err, ErrUndefined):
		return "undefined"
	case errors.Is(err, ErrUndecided):
		return "undecided"
	case errors.As(err, &symbol):
		return "uninterpreted"
	}
	return "failure"
}

func TestRealCasts(t *testing.T) {
	for _, test := range []struct{ from, to, want string }{
		{"float16", "float32", "3"},
		{"float32", "float32", "3"},
		{"int8", "int8", "3"},
		{"float32", "float16", "uninterpreted"},
		{"int8", "int16", "uninterpreted"},
		{"int8", "float32", "uninterpreted"},
	} {
		got := outcome(Cast(Real, Value{n: 3}, elem(t, test.from), elem(t, test.to)))
		if got != test.want {
			t.Errorf("cast of 3 from %s to %s is %s, want %s", test.from, test.to, got, test.want)
		}
	}
}

// Digits of well-known numbers; the enclosures hold them and agree with them to 35 digits.
func TestEnclosuresOfConstants(t *testing.T) {
	a := realArithmetic{}
	n := func(n int64) Value { return Value{n: n} }
	for _, test := range []struct {
		call string
		got  Value
		want string
	}{
		{"exp(1)", a.Exp(n(1)), "2.718281828459045235360287471352662497757247093699959574966967627724"},
		{"exp(-1)", a.Exp(n(-1)), "0.367879441171442321595523770161460867445811131031767834507836801697"},
		{"log(2)", a.Log(n(2)), "0.693147180559945309417232121458176568075500134360255254120680009493"},
		{"log(10)", a.Log(n(10)), "2.302585092994045684017991454684364207601101488628772976033327900967"},
		{"sqrt(2)", a.Sqrt(n(2)), "1.414213562373095048801688724209698078569671875376948073176679737990"},
		{"erf(1)", a.Erf(n(1)), "0.842700792949714869341220635082609259296066997966302908459937897834"},
		{"erf(1/2)", a.Erf(Value{n: 1, d: 1}), "0.520499877813046537682746653891964528736451575757963700058805725647"},
		{"tanh(1)", a.Tanh(n(1)), "0.761594155955764888119458282604793590412768597257936551596810500121"},
		{"sigmoid(1)", a.Sigmoid(n(1)), "0.731058578630004879251159241821836274365144640165056519276365907919"},
	} {
		want, _ := new(big.Rat).SetString(test.want)
		e := enclosureOf(test.got)
		slack := big.NewRat(1, 1)
		slack.Quo(slack, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(50), nil)))
		low, _ := e.lo.Rat(nil)
		high, _ := e.hi.Rat(nil)
		// The digits given are off by less than the slack themselves.
		if low.Cmp(new(big.Rat).Add(want, slack)) > 0 || high.Cmp(new(big.Rat).Sub(want, slack)) < 0 {
			t.Errorf("%s = %s, want %s", test.call, test.got, test.want)
		}
		if width := high.Sub(high, low); width.Cmp(slack) > 0 {
			t.Errorf("%s = %s is %s wide", test.call, test.got, width.FloatString(60))
		}
	}
}

// Enclosures of e^x hold what its series gives with three times the digits, and are as narrow as their digits allow.
func TestEncloseExponentials(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 500 {
		x := new(big.Float).SetPrec(precision).SetFloat64((2*rng.Float64() - 1) * math.Exp2(float64(rng.IntN(12)-5)))
		x.Add(x, new(big.Float).SetMantExp(big.NewFloat(rng.Float64()), -70))
		size := new(big.Float).SetPrec(3 * fraction).Abs(x)
		sum, term := new(big.Float).SetPrec(3*fraction).SetInt64(1), new(big.Float).SetPrec(3*fraction).SetInt64(1)
		for i := int64(1); i < 600; i++ {
			term.Mul(term, size).Quo(term, new(big.Float).SetInt64(i))
			sum.Add(sum, term)
		}
		if x.Sign() < 0 {
			sum.Quo(new(big.Float).SetPrec(3*fraction).SetInt64(1), sum)
		}
		e := expPoint(x)
		if e.lo.Cmp(sum) > 0 || e.hi.Cmp(sum) < 0 {
			t.Errorf("e^%s is not between %s and %s", x, e.lo, e.hi)
		}
		width := new(big.Float).Sub(e.hi, e.lo)
		if width.Quo(width, e.lo); width.Sign() != 0 && width.MantExp(nil) > 2-precision {
			t.Errorf("e^%s is off by %s", x, width)
		}
	}
}

// Enclosures hold what float64 computes, up to its error.
func TestEnclosuresHoldFloats(t *testing.T) {
	a := realArithmetic{}
	rapid.Check(t, func(t *rapid.T) {
		x := Value{n: rapid.Int64Range(-20000, 20000).Draw(t, "n"), d: uint32(rapid.IntRange(0, 999).Draw(t, "d"))}
		x = smallRatio(x.n, int64(x.d)+1)
		r, _ := x.Rat()
		f, _ := r.Float64()
		check := func(name string, v Value, want float64) {
			t.Helper()
			if math.IsInf(want, 0) || want == 0 || math.Abs(want) < 0x1p-1000 {
				return
			}
			e := enclosureOf(v)
			lo, _ := e.lo.Float64()
			hi, _ := e.hi.Float64()
			// The error of f moves the result by |f*f'(f)| of it.
			slack := math.Abs(want) * (1 + math.Abs(f)) * 0x1p-48
			if lo > want+slack || hi < want-slack {
				t.Fatalf("%s(%s) = %s, want %g", name, x, v, want)
			}
			width := new(big.Float).Sub(e.hi, e.lo)
			if width.Sign() < 0 || width.Cmp(new(big.Float).Mul(big.NewFloat(math.Abs(want)), big.NewFloat(0x1p-120))) > 0 {
				t.Fatalf("%s(%s) = %s is too wide", name, x, v)
			}
		}
		check("exp", a.Exp(x), math.Exp(f))
		check("erf", a.Erf(x), math.Erf(f))
		if f > 0 && (f < 0.9 || f > 1.1) {
			check("log", a.Log(x), math.Log(f))
			check("sqrt", a.Sqrt(x), math.Sqrt(f))
		}
	})
}

// What is enclosed stays enclosed: each function of an enclosure holds the function of every number in it.
func TestEnclosuresAreMonotone(t *testing.T) {
	a := realArithmetic{}
	rapid.Check(t, func(t *rapid.T) {
		point := func(label string) Value {
			return smallRatio(rapid.Int64Range(-400, 400).Draw(t, label), rapid.Int64Range(1, 60).Draw(t, label+" denominator"))
		}
		between := func(label string) (Value, Value) {
			x, y := point(label), point(label+" end")
			lo, hi := a.Min(x, y), a.Max(x, y)
			part := smallRatio(rapid.Int64Range(0, 8).Draw(t, label+" part"), 8)
			inside := a.Add(lo, a.Mul(part, a.Sub(hi, lo)))
			return enclosure{enclosureOf(lo).lo, enclosureOf(hi).hi}.value(), inside
		}
		x, p := between("x")
		y, q := between("y")
		check := func(op string, wide, narrow Value) {
			t.Helper()
			if wide.Err() != nil {
				return // undecided
			}
			if narrow.Err() != nil {
				t.Fatalf("%s of %s, %s is %s, but of %s, %s it is %s", op, x, y, wide, p, q, narrow)
			}
			outer, inner := enclosureOf(wide), enclosureOf(narrow)
			if inner.hi.Cmp(outer.lo) < 0 || inner.lo.Cmp(outer.hi) > 0 {
				t.Fatalf("%s of %s, %s is %s, but of %s, %s it is %s", op, x, y, wide, p, q, narrow)
			}
		}
		check("+", a.Add(x, y), a.Add(p, q))
		check("-", a.Sub(x, y), a.Sub(p, q))
		check("*", a.Mul(x, y), a.Mul(p, q))
		check("/", a.Div(x, y), a.Div(p, q))
		check("max", a.Max(x, y), a.Max(p, q))
		check("min", a.Min(x, y), a.Min(p, q))
		check("relu", a.Relu(x), a.Relu(p))
		check("exp", a.Exp(x), a.Exp(p))
		check("log", a.Log(x), a.Log(p))
		check("sqrt", a.Sqrt(x), a.Sqrt(p))
		check("erf", a.Erf(x), a.Erf(p))
		check("sigmoid", a.Sigmoid(x), a.Sigmoid(p))
		check("tanh", a.Tanh(x), a.Tanh(p))
		slope := point("slope")
		check("leaky-relu", a.LeakyRelu(x, slope), a.LeakyRelu(p, slope))
	})
}

// Products and quotients are of the ends that signs tell: the same as the least and greatest of all four.
func TestEndsBySigns(t *testing.T) {
	ends := []int64{-700, -3, -1, 0, 1, 2, 1000}
	var all []enclosure
	for i, lo := range ends {
		for _, hi := range ends[i:] {
			e := enclosure{encloseInt(lo).lo, encloseInt(hi).hi}
			all = append(all, e, e.quo(encloseInt(7)), e.quo(enclosureOf(Value{n: 3, d: 1023})))
		}
	}
	for _, e := range all {
		for _, f := range all {
			got, want := e.mul(f), corners(e, f, (*big.Float).Mul)
			if got.lo.Cmp(want.lo) != 0 || got.hi.Cmp(want.hi) != 0 {
				t.Errorf("[%g, %g]·[%g, %g] = [%g, %g], want [%g, %g]", e.lo, e.hi, f.lo, f.hi, got.lo, got.hi, want.lo, want.hi)
			}
			if f.holdsZero() {
				continue
			}
			got, want = e.quo(f), corners(e, f, (*big.Float).Quo)
			if got.lo.Cmp(want.lo) != 0 || got.hi.Cmp(want.hi) != 0 {
				t.Errorf("[%g, %g]/[%g, %g] = [%g, %g], want [%g, %g]", e.lo, e.hi, f.lo, f.hi, got.lo, got.hi, want.lo, want.hi)
			}
		}
	}
}

// Whole numbers of halves, quarters and so on are enclosed without a division, and exactly.
func TestEncloseFractions(t *testing.T) {
	for _, v := range []Value{{n: 5}, {n: -129}, {n: 129}, {n: 3, d: 1}, {n: -7, d: 1023}, {n: 1<<62 + 1, d: 1<<31 - 1}} {
		e := enclosureOf(v)
		if r, _ := e.lo.Rat(nil); !e.isPoint() || r.Cmp(ratOf(v)) != 0 || e.lo.Prec() != precision {
			t.Errorf("%v is [%g, %g]", v, e.lo, e.hi)
		}
	}
	if e := enclosureOf(Value{n: 1, d: 2}); e.isPoint() {
		t.Error("a third is a point")
	}
}

// TestLong: a square of a square and so on ends where it is too long, and is no number then.
func TestLong(t *testing.T) {
	x := Value{n: 3}
	for range 60 {
		x = MulReal(x, x)
	}
	if x.Err() == nil || !errors.Is(x.Err(), ErrUndecided) {
		t.Errorf("3^(2^60) is %s", x)
	}
}
