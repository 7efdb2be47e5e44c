package value

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"tv/semantics/domain"
)

type word interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// drawBits draws words, many of them at the edges of types.
func drawBits(t *rapid.T, label string) uint64 {
	edge := rapid.SampledFrom([]uint64{0, 1, 2, 7, 8, 31, 63, 64, 127, 128, 255, 1<<15 - 1, 1 << 15, 1<<31 - 1, 1 << 31, 1<<63 - 1, 1 << 63})
	return rapid.OneOf(rapid.Uint64(), edge, rapid.Map(edge, func(n uint64) uint64 { return -n })).Draw(t, label)
}

// checkWords compares the operations with those of Go and of big.Int.
func checkWords[T word](t *rapid.T, name string) {
	typ := elem(t, name)
	s := ScalarsOf(Exact, typ)
	p, q := T(drawBits(t, "x")), T(drawBits(t, "y"))
	x, y := BitsValue(uint64(p), typ), BitsValue(uint64(q), typ)
	check := func(op string, got Value, want T) {
		t.Helper()
		if got != BitsValue(uint64(want), typ) {
			t.Fatalf("%s: %s %s %s = %s, want %d", name, x, op, y, got, want)
		}
	}
	check("&", s.And(x, y), p&q)
	check("|", s.Or(x, y), p|q)
	check("^", s.Xor(x, y), p^q)
	check("~", s.Not(x), ^p)
	if p < 0 {
		check("abs", s.Abs(x), -p)
	} else {
		check("abs", s.Abs(x), p)
	}
	check("minimum", s.Minimum(x, y), min(p, q))
	check("maximum", s.Maximum(x, y), max(p, q))
	truth := func(op string, got Value, want bool) {
		t.Helper()
		if holds, err := got.Holds(); err != nil || holds != want || !got.Is(TagOf(Exact, elem(t, "bool"))) {
			t.Fatalf("%s: %s %s %s is %s, want %t", name, x, op, y, got, want)
		}
	}
	truth("==", s.Equal(x, y), p == q)
	truth("!=", s.NotEqual(x, y), p != q)
	truth("<", s.Less(x, y), p < q)
	truth("<=", s.LessEqual(x, y), p <= q)
	if q == 0 || q+1 == 0 && q < 0 && p == -p && p != 0 {
		for _, v := range []Value{s.Quotient(x, y, TowardsZero), s.Quotient(x, y, Down), s.Quotient(x, y, Up), s.Rem(x, y)} {
			if outcome(v) != "undefined" {
				t.Fatalf("%s by %s is %s", x, y, v)
			}
		}
		return
	}
	check("/", s.Quotient(x, y, TowardsZero), p/q)
	check("%", s.Rem(x, y), p%q)
	n, _ := x.Rat()
	d, _ := y.Rat()
	ratio := new(big.Rat).Quo(n, d)
	// Rounded down it is the only whole number in (ratio - 1, ratio], and up that in [ratio, ratio + 1).
	one := big.NewRat(1, 1)
	down, _ := s.Quotient(x, y, Down).Rat()
	up, _ := s.Quotient(x, y, Up).Rat()
	if below := new(big.Rat).Sub(ratio, down); !down.IsInt() || below.Sign() < 0 || below.Cmp(one) >= 0 {
		t.Fatalf("%s by %s, rounded down, is %s", x, y, down)
	}
	if above := new(big.Rat).Sub(up, ratio); !up.IsInt() || above.Sign() < 0 || above.Cmp(one) >= 0 {
		t.Fatalf("%s by %s, rounded up, is %s", x, y, up)
	}
}

func TestWordsLikeGo(t *testing.T) {
	for name, f := range map[string]func(*rapid.T, string){
		"int8": checkWords[int8], "int16": checkWords[int16], "int32": checkWords[int32], "int64": checkWords[int64],
		"uint8": checkWords[uint8], "uint16": checkWords[uint16], "uint32": checkWords[uint32], "uint64": checkWords[uint64],
	} {
		t.Run(name, func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { f(t, name) }) })
	}
}

// shifted and converted are Go's, from a word that holds the operand.
func shifted[T word](n int64, by uint64, left bool) int64 {
	if left {
		return int64(T(n) << by)
	}
	return int64(T(n) >> by)
}

func converted[T word](n int64) int64 { return int64(T(n)) }

// truncated converts a float that the type holds.
func truncated[T word](f float64) int64 { return int64(T(f)) }

type goWord struct {
	shifted   func(n int64, by uint64, left bool) int64
	converted func(n int64) int64
	truncated func(f float64) int64
}

var goWords = map[string]goWord{
	"int8": {shifted[int8], converted[int8], truncated[int8]}, "uint8": {shifted[uint8], converted[uint8], truncated[uint8]},
	"int16": {shifted[int16], converted[int16], truncated[int16]}, "uint16": {shifted[uint16], converted[uint16], truncated[uint16]},
	"int32": {shifted[int32], converted[int32], truncated[int32]}, "uint32": {shifted[uint32], converted[uint32], truncated[uint32]},
	"int64": {shifted[int64], converted[int64], truncated[int64]}, "uint64": {shifted[uint64], converted[uint64], truncated[uint64]},
}

var wordTypes = exactTypes[1:9]

// Shifts by amounts of another type, and conversions between integer types.
func TestShiftsAndConversionsLikeGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from, to := rapid.SampledFrom(wordTypes).Draw(t, "type"), rapid.SampledFrom(wordTypes).Draw(t, "other type")
		typ, other := elem(t, from), elem(t, to)
		x, y := BitsValue(drawBits(t, "x"), typ), BitsValue(drawBits(t, "y"), other)
		for _, left := range []bool{false, true} {
			got := ScalarsOf(Exact, typ).Shift(x, y, left)
			amount, _ := y.Rat()
			if amount.Sign() < 0 || amount.Cmp(big.NewRat(int64(typ.Width), 1)) >= 0 {
				if outcome(got) != "undefined" {
					t.Fatalf("%s %s shifted by %s is %s", from, x, y, got)
				}
			} else if want := goWords[from].shifted(x.n, amount.Num().Uint64(), left); got.n != want || got.tag != x.tag {
				t.Fatalf("%s %s shifted by %s is %s, want %d", from, x, y, got, want)
			}
		}
		got := Conversion(Exact, typ, other)(x)
		if want := goWords[to].converted(x.n); got.n != want || got.tag != y.tag {
			t.Fatalf("%s %s as %s is %s, want %d", from, x, to, got, want)
		}
		if slow := Cast(Exact, x, typ, other); slow != got {
			t.Fatalf("%s %s as %s is %s, but cast %s", from, x, to, got, slow)
		}
		truth := Conversion(Exact, typ, elem(t, "bool"))(x)
		if holds, _ := truth.Holds(); holds != (x.n != 0) {
			t.Fatalf("%s as bool is %s", x, truth)
		}
		if back := Conversion(Exact, elem(t, "bool"), typ)(truth); back.n != truth.n || back.tag != x.tag {
			t.Fatalf("%s as %s is %s", truth, from, back)
		}
		want32, want64 := float32(x.n), float64(x.n)
		if typ.Kind == domain.ElemUint {
			want32, want64 = float32(uint64(x.n)), float64(uint64(x.n))
		}
		if f := Conversion(Exact, typ, elem(t, "float32"))(x); f.n != int64(math.Float32bits(want32)) {
			t.Fatalf("%s as float32 is %s, want %g", x, f, want32)
		}
		if f := Conversion(Exact, typ, elem(t, "float64"))(x); f.n != int64(math.Float64bits(want64)) {
			t.Fatalf("%s as float64 is %s, want %g", x, f, want64)
		}
		r, _ := x.Rat()
		if f := Conversion(Auto, typ, elem(t, "float32"))(x); Compare(f, RatValue(r)) != Same {
			t.Fatalf("%s as a number is %s", x, f)
		}
	})
}

// drawFloat draws floats of all sizes, and the ones that are something else.
func drawFloat(t *rapid.T, label string) float64 {
	return rapid.OneOf(rapid.Float64(), rapid.Float64Range(-300, 300), rapid.Map(rapid.Int64(), func(n int64) float64 { return float64(n) / 4 }),
		rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 0.5, -0.5, 127.9, -128.9,
			1 << 31, 1 << 63, -1 << 63, 0x1p-149, 0x1.fffffep127, 1, 1 + 0x1p-23})).Draw(t, label)
}

// From a float, bit for bit and as a real number, to integers: towards 0 where the type has it, else undefined.
func TestTruncationsLikeGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		to := rapid.SampledFrom(wordTypes).Draw(t, "type")
		typ, double := elem(t, to), elem(t, "float64")
		f := drawFloat(t, "f")
		x := floatValue(f, double)
		holds := false
		if !math.IsNaN(f) && !math.IsInf(f, 0) {
			n, _ := new(big.Float).SetFloat64(f).Int(nil)
			least, greatest := big.NewInt(0), new(big.Int).SetUint64(1<<typ.Width-1)
			if typ.Kind == domain.ElemInt {
				least, greatest = big.NewInt(-1<<(typ.Width-1)), big.NewInt(1<<(typ.Width-1)-1)
			}
			holds = n.Cmp(least) >= 0 && n.Cmp(greatest) <= 0
			if real := RatValue(new(big.Rat).SetFloat64(f)); Lands(real, typ) != holds {
				t.Fatalf("%g lands in %s: %t", f, to, !holds)
			} else if got := Conversion(Auto, double, typ)(real); got != Cast(Exact, x, double, typ) && !got.Failed() {
				t.Fatalf("%g as %s is %s", f, to, got)
			}
		}
		got := Conversion(Exact, double, typ)(x)
		switch {
		case !holds && outcome(got) != "undefined":
			t.Fatalf("%g as %s is %s", f, to, got)
		case holds && got.n != goWords[to].truncated(f):
			t.Fatalf("%g as %s is %s, want %d", f, to, got, goWords[to].truncated(f))
		}
		if truth, _ := Conversion(Exact, double, elem(t, "bool"))(x).Holds(); truth != (f != 0) {
			t.Fatalf("%g as bool is %t", f, truth)
		}
		if narrow := Conversion(Exact, double, elem(t, "float32"))(x); f == f && narrow.n != int64(math.Float32bits(float32(f))) {
			t.Fatalf("%g as float32 is %s", f, narrow)
		}
	})
}

// Floats bit for bit, against Go's float32.
func TestFloatsLikeGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := elem(t, "float32")
		s := ScalarsOf(Exact, typ)
		p, q, r := float32(drawFloat(t, "x")), float32(drawFloat(t, "y")), float32(drawFloat(t, "z"))
		x, y, z := floatValue(float64(p), typ), floatValue(float64(q), typ), floatValue(float64(r), typ)
		check := func(op string, got Value, want float32) {
			t.Helper()
			if want != want && isNaN(got) {
				return
			}
			if got.n != int64(math.Float32bits(want)) || got.tag != x.tag {
				t.Fatalf("%s of %s, %s, %s = %s, want %g", op, x, y, z, got, want)
			}
		}
		check("minimum", s.Minimum(x, y), min(p, q))
		check("maximum", s.Maximum(x, y), max(p, q))
		if p == p && q == q && p != q {
			check("min", s.Min(x, y), min(p, q))
			check("max", s.Max(x, y), max(p, q))
		} else if p == p && q != q {
			check("min", s.Min(x, y), p)
			check("max", s.Max(y, x), p)
		}
		check("abs", s.Abs(x), float32(math.Abs(float64(p))))
		for name, f := range map[string]func(float64) float64{"floor": math.Floor, "ceil": math.Ceil, "round": math.Round, "trunc": math.Trunc} {
			c, _ := s.Function(name)
			check(name, c.Call(x, Value{}, Value{}), float32(f(float64(p))))
		}
		for name, got := range map[string][2]any{
			"==": {s.Equal(x, y), p == q}, "!=": {s.NotEqual(x, y), p != q}, "<": {s.Less(x, y), p < q}, "<=": {s.LessEqual(x, y), p <= q},
		} {
			if holds, err := got[0].(Value).Holds(); err != nil || holds != got[1].(bool) {
				t.Fatalf("%s %s %s is %t", x, name, y, holds)
			}
		}
		fma, _ := s.Function("fma")
		want := float32(p*q) + r // right where p or q is no number, and where the product is 0
		if e := new(big.Float).SetPrec(1500); finite(p) && finite(q) && !finite(r) {
			want = r // the product is finite before it is rounded: it does not meet r as an infinity
		} else if finite(p) && finite(q) && p != 0 && q != 0 {
			e.Add(e.Mul(big.NewFloat(float64(p)), big.NewFloat(float64(q))), big.NewFloat(float64(r)))
			if want, _ = e.Float32(); e.Sign() == 0 && r == 0 {
				want = p*q + r
			}
		}
		check("fma", fma.Call(x, y, z), want)
	})
}

func finite(f float32) bool { return f-f == 0 }

// Comparisons, absolute values, whole numbers and powers of reals, against big.Rat.
func TestRealScalars(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := ScalarsOf(Auto, elem(t, "float32"))
		x, y := drawRational(t, "x"), drawRational(t, "y")
		p, _ := x.Rat()
		q, _ := y.Rat()
		c := p.Cmp(q)
		for name, got := range map[string][2]any{
			"==": {s.Equal(x, y), c == 0}, "!=": {s.NotEqual(x, y), c != 0}, "<": {s.Less(x, y), c < 0}, "<=": {s.LessEqual(x, y), c <= 0},
		} {
			if holds, err := got[0].(Value).Holds(); err != nil || holds != got[1].(bool) {
				t.Fatalf("%s %s %s is %t", x, name, y, holds)
			}
		}
		is := func(name string, got Value, want *big.Rat) {
			t.Helper()
			if r, ok := got.Rat(); !ok || r.Cmp(want) != 0 {
				t.Fatalf("%s of %s is %s, want %s", name, x, got, want.RatString())
			}
		}
		is("abs", s.Abs(x), new(big.Rat).Abs(p))
		for name, within := range map[string][2]*big.Rat{ // the whole number is in (x + first, x + second]
			"floor": {big.NewRat(-1, 1), new(big.Rat)}, "ceil": {big.NewRat(-1, 1), new(big.Rat)},
			"round": {big.NewRat(-1, 2), big.NewRat(1, 2)}, "trunc": {big.NewRat(-1, 1), new(big.Rat)},
		} {
			f, _ := s.Function(name)
			got, ok := f.Call(x, Value{}, Value{}).Rat()
			z := new(big.Rat).Set(p)
			// Ceilings are floors of what is below 0, and the other two work on magnitudes.
			if ok && (name == "ceil" || name != "floor" && p.Sign() < 0) {
				got, z = got.Neg(got), z.Neg(z)
			}
			if !ok || !got.IsInt() || got.Cmp(new(big.Rat).Add(z, within[0])) <= 0 || got.Cmp(new(big.Rat).Add(z, within[1])) > 0 {
				t.Fatalf("%s of %s is %v", name, x, got)
			}
		}
		n := rapid.Int64Range(-9, 9).Draw(t, "n")
		pow, _ := s.Function("pow")
		power := big.NewRat(1, 1)
		for i := int64(0); i < n || i < -n; i++ {
			power.Mul(power, p)
		}
		got := pow.Call(x, Value{n: n}, Value{})
		switch {
		case n < 0 && p.Sign() == 0:
			if outcome(got) != "undefined" {
				t.Fatalf("0^%d is %s", n, got)
			}
		case n < 0:
			is("power", got, power.Inv(power))
		default:
			is("power", got, power)
		}
	})
}

// What is known of operations on enclosures, on what is undefined, and of what has no meaning in real.
func TestRealScalarTable(t *testing.T) {
	s, ints, bools := ScalarsOf(Auto, elem(t, "float32")), ScalarsOf(Real, elem(t, "int32")), ScalarsOf(Real, elem(t, "bool"))
	n := func(n int64) Value { return Value{n: n} }
	e, two := s.Exp(n(1)), n(2)
	wide := s.Sub(s.Mul(s.Sqrt(two), s.Sqrt(two)), two) // 0, and known to be about that
	call := func(name string, x ...Value) Value {
		f, ok := s.Function(name)
		if !ok || f.Operands != len(x) {
			t.Fatalf("no function %s", name)
		}
		x = append(x, Value{}, Value{})
		return f.Call(x[0], x[1], x[2])
	}
	nothing := s.Div(n(1), n(0))
	for _, test := range []struct {
		call string
		got  Value
		want string
	}{
		{"e < 3", s.Less(e, n(3)), "1"},
		{"3 < e", s.Less(n(3), e), "0"},
		{"e = e", s.Equal(e, e), "1"},
		{"e < e", s.Less(e, e), "0"},
		{"e != 2", s.NotEqual(e, two), "1"},
		{"0 < wide", s.Less(n(0), wide), "undecided"},
		{"0 = wide", s.Equal(n(0), wide), "undecided"},
		{"wide <= 1", s.LessEqual(wide, n(1)), "1"},
		{"MIN < -5", s.Less(s.Lowest(), n(-5)), "1"},
		{"e < MIN", s.Less(e, s.Lowest()), "0"},
		{"nothing < 1", s.Less(nothing, n(1)), "undefined"},
		{"1 < nothing", s.Less(n(1), nothing), "undefined"},
		{"abs nothing", s.Abs(nothing), "undefined"},
		{"abs MIN", s.Abs(s.Lowest()), "undefined"},
		{"floor e", call("floor", e), "2"},
		{"ceil -e", call("ceil", s.Neg(e)), "-2"},
		{"round e", call("round", e), "3"},
		{"trunc -e", call("trunc", s.Neg(e)), "-2"},
		{"floor wide", call("floor", wide), "undecided"},
		{"rsqrt 1/4", call("rsqrt", Value{n: 1, d: 3}), "2"},
		{"rsqrt 0", call("rsqrt", n(0)), "undefined"},
		{"fma", call("fma", n(2), n(3), n(4)), "10"},
		{"sin", call("sin", n(0)), "uninterpreted"},
		{"tan nothing", call("tan", nothing), "undefined"},
		{"pow 0 0", call("pow", n(0), n(0)), "1"},
		{"pow 0 1/2", call("pow", n(0), Value{n: 1, d: 1}), "0"},
		{"pow 0 -1/2", call("pow", n(0), Value{n: -1, d: 1}), "undefined"},
		{"pow -2 1/2", call("pow", n(-2), Value{n: 1, d: 1}), "undefined"},
		{"pow 9 1/2", call("pow", n(9), Value{n: 1, d: 1}), "3"},
		{"pow -1 5000", call("pow", n(-1), n(5000)), "undecided"},
		{"pow wide e", call("pow", wide, e), "undecided"},
		{"pow 2 nothing", call("pow", two, nothing), "undefined"},
		{"9 < 2^e", s.Less(n(6), call("pow", two, e)), "1"},
		{"2^e < 7", s.Less(call("pow", two, e), n(7)), "1"},
		{"real 7/2 of integers", ints.Quotient(n(7), two, TowardsZero), "uninterpreted"},
		{"real 7/0 of integers", ints.Quotient(n(7), n(0), Down), "undefined"},
		{"real 7%2", ints.Rem(n(7), two), "uninterpreted"},
		{"real 7&2", ints.And(n(7), two), "uninterpreted"},
		{"real ~7", ints.Not(n(7)), "uninterpreted"},
		{"real 7<<2", ints.Shift(n(7), two, true), "uninterpreted"},
		{"true and false", bools.And(n(1), n(0)), "0"},
		{"true or false", bools.Or(n(1), n(0)), "1"},
		{"true xor true", bools.Xor(n(1), n(1)), "0"},
		{"not false", bools.Not(n(0)), "1"},
		{"true and nothing", bools.And(n(1), nothing), "undefined"},
		{"not nothing", bools.Not(nothing), "undefined"},
	} {
		if got := outcome(test.got); got != test.want {
			t.Errorf("%s = %s (%s), want %s", test.call, got, test.got, test.want)
		}
	}
	if a := s.Abs(wide); a.Failed() || enclosureOf(a).lo.Sign() < 0 {
		t.Errorf("the magnitude of %s is %s", wide, a)
	}
	if a := s.Abs(s.Neg(e)); Compare(a, n(2)) != Different || enclosureOf(a).lo.Sign() <= 0 {
		t.Errorf("the magnitude of -e is %s", a)
	}
	for _, test := range []struct {
		x    Value
		to   string
		want bool
	}{{e, "int8", true}, {s.Mul(e, n(100)), "int8", false}, {wide, "uint8", true}, {s.Add(wide, n(128)), "int8", false}, {s.Lowest(), "int8", false}} {
		if Lands(test.x, elem(t, test.to)) != test.want {
			t.Errorf("%s lands in %s: %t", test.x, test.to, !test.want)
		}
	}
	if _, ok := ints.Function("exp"); ok {
		t.Error("int32 has exp")
	}
}

// Special values of floats, bit for bit and in real.
func TestSpecials(t *testing.T) {
	for name, want := range map[string][2]string{"inf": {"inf", "undefined"}, "-inf": {"-inf", "undefined"}, "nan": {"nan", "undefined"}, "-0": {"-0", "0"}} {
		for i, a := range []Arith{Exact, Real} {
			if v, ok := ScalarsOf(a, elem(t, "float16")).Special(name); !ok || outcome(v) != want[i] {
				t.Errorf("%s in %s is %s", name, a, v)
			}
		}
	}
	if _, ok := ScalarsOf(Exact, elem(t, "int8")).Special("inf"); ok {
		t.Error("int8 has inf")
	}
}

// Integer is a cast of a whole number, however fast.
func TestIntegerIsCast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := elem(t, rapid.SampledFrom(exactTypes).Draw(t, "type"))
		n := int64(drawBits(t, "n"))
		if got, want := IntValue(n, Exact, typ), convert(big.NewRat(n, 1), true, typ); got != want {
			t.Fatalf("%d in %s is %s, want %s", n, typ, got, want)
		}
	})
}
