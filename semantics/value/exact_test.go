package value

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tv/semantics/domain"
)

// machine returns the operations of a Go integer type on elements.
func machine[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64]() func(op string, x, y Value) int64 {
	return func(op string, x, y Value) int64 {
		a, b := T(x.n), T(y.n)
		switch op {
		case "add":
			a += b
		case "sub":
			a -= b
		case "mul":
			a *= b
		case "div":
			a /= b
		case "max":
			a = max(a, b)
		case "min":
			a = min(a, b)
		case "neg":
			a = -a
		case "relu":
			a = max(a, 0)
		case "shl":
			a <<= uint64(b)
		case "shr":
			a >>= uint64(b)
		}
		return int64(a)
	}
}

func TestIntegersWrapLikeGo(t *testing.T) {
	machines := map[string]func(string, Value, Value) int64{
		"int8": machine[int8](), "int16": machine[int16](), "int32": machine[int32](), "int64": machine[int64](),
		"uint8": machine[uint8](), "uint16": machine[uint16](), "uint32": machine[uint32](), "uint64": machine[uint64](),
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(exactTypes[1:9]).Draw(t, "type")
		typ := elem(t, name)
		a := newIntegers(typ)
		draw := rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 3), rapid.SampledFrom([]uint64{1<<63 - 1, 1 << 63, 1<<64 - 1}))
		x, y := BitsValue(draw.Draw(t, "x"), typ), BitsValue(draw.Draw(t, "y"), typ)
		check := func(op string, got Value) {
			t.Helper()
			if want := machines[name](op, x, y); got.n != want || got.tag != a.tag {
				t.Fatalf("%s: %s %s %s = %s, want %d", name, x, op, y, got, want)
			}
		}
		check("add", a.Add(x, y))
		check("sub", a.Sub(x, y))
		check("mul", a.Mul(x, y))
		check("max", a.Max(x, y))
		check("min", a.Min(x, y))
		check("neg", a.Neg(x))
		check("relu", a.Relu(x))
		if q := a.Div(x, y); outcome(q) != "undefined" {
			check("div", q)
		} else if y.n != 0 && !(a.signed && x.n == a.least && y.n == -1) {
			t.Fatalf("%s / %s of %s is undefined", x, y, name)
		}
		if uint64(y.n) < uint64(typ.Width) {
			check("shl", a.ShiftLeft(x, y.n))
			check("shr", a.ShiftRight(x, y.n))
		} else if outcome(a.ShiftLeft(x, y.n)) != "undefined" || outcome(a.ShiftRight(x, y.n)) != "undefined" {
			t.Fatalf("%s shifted by %d is defined", x, y.n)
		}
		if root := a.Sqrt(x); outcome(root) != "undefined" {
			r := new(big.Int).SetUint64(uint64(root.n))
			square := new(big.Int).Mul(r, r)
			next := new(big.Int).Add(square, new(big.Int).Add(new(big.Int).Lsh(r, 1), big.NewInt(1)))
			of, _ := x.Rat()
			if square.Cmp(of.Num()) > 0 || next.Cmp(of.Num()) <= 0 {
				t.Fatalf("the root of %s is %s", x, root)
			}
		} else if !a.signed || x.n >= 0 {
			t.Fatalf("the root of %s is undefined", x)
		}
	})
}

// Operations in the exact types, in printed form.
func TestExactTable(t *testing.T) {
	for _, test := range []struct{ typ, call, want string }{
		{"int8", "add 127 1", "-128"},
		{"int8", "mul -128 -1", "-128"},
		{"int8", "neg -128", "-128"},
		{"int8", "div -7 2", "-3"},
		{"int8", "div 7 -2", "-3"},
		{"int8", "div 1 0", "undefined"},
		{"int8", "div -128 -1", "undefined"},
		{"int8", "mean -7 2", "-3"},
		{"int8", "mean 100 300", "0"},
		{"uint8", "sub 0 1", "255"},
		{"uint8", "max 200 100", "200"},
		{"uint8", "relu 200", "200"},
		{"uint64", "max 18446744073709551615 1", "18446744073709551615"},
		{"uint64", "div 18446744073709551615 2", "9223372036854775807"},
		{"bool", "add 1 1", "0"},
		{"bool", "mul 1 1", "1"},
		{"bool", "max 0 1", "1"},
		{"int8", "sqrt 99", "9"},
		{"int8", "sqrt -1", "undefined"},
		{"int8", "round 5", "5"},
		{"int8", "exp 0", "uninterpreted"},
		{"int8", "leaky -3 2", "-6"},
		{"int8", "leaky 3 2", "3"},
		{"uint8", "leaky 200 2", "200"},
		{"int8", "shl 1 7", "-128"},
		{"int8", "shl 1 8", "undefined"},
		{"int8", "shl 1 -1", "undefined"},
		{"int8", "shr -128 7", "-1"},
		{"uint8", "shr 128 7", "1"},

		{"sat8", "add 127 1", "127"},
		{"sat8", "add -128 -1", "-128"},
		{"sat8", "sub -128 1", "-128"},
		{"sat8", "mul -128 -1", "127"},
		{"sat8", "mul -128 127", "-128"},
		{"sat8", "neg -128", "127"},
		{"sat8", "div -128 -1", "undefined"},
		{"sat8", "mean -128 3", "-42"},
		{"sat8", "shl 64 1", "127"},
		{"sat8", "leaky -100 3", "-128"},
		{"sat32", "mul -2147483648 -2147483648", "2147483647"},
		{"sat32", "add 2147483647 2147483647", "2147483647"},

		{"fix4.4", "mul 0.25 0.25", "0.0625"},
		{"fix4.4", "mul 0.0625 0.5", "0"},
		{"fix4.4", "mul -0.0625 0.5", "-0.0625"},
		{"fix4.4", "mul 4 4", "0"},
		{"fix4.4", "add 7.9375 0.0625", "-8"},
		{"fix4.4", "div 1 3", "0.3125"},
		{"fix4.4", "div -1 3", "-0.375"},
		{"fix4.4", "div 1 -3", "-0.375"},
		{"fix4.4", "div 1 0", "undefined"},
		{"fix4.4", "mean -0.0625 2", "-0.0625"},
		{"fix4.4", "sqrt 2", "1.375"},
		{"fix4.4", "sqrt -1", "undefined"},
		{"fix4.4", "round 2.5", "3"},
		{"fix4.4", "round -2.5", "-3"},
		{"fix4.4", "round 7.5", "-8"},
		{"fix4.4", "relu -1", "0"},
		{"fix4.4", "leaky -1 0.5", "-0.5"},
		{"fix4.4", "shl 1 1", "2"},
		{"fix1.63", "mul -1 -1", "-1"},

		{"float32", "add 16777216 1", "1.6777216e+07"},
		{"float32", "add 0.5 -0.5", "0"},
		{"float32", "div 1 0", "inf"},
		{"float32", "div 1 -0", "-inf"},
		{"float32", "div 0 0", "nan"},
		{"float32", "sqrt -1", "nan"},
		{"float32", "sqrt -0", "-0"},
		{"float32", "neg 0", "-0"},
		{"float32", "relu -0", "-0"},
		{"float32", "relu nan", "0"},
		{"float32", "relu -inf", "0"},
		{"float32", "max -0 0", "-0"},
		{"float32", "max 0 -0", "0"},
		{"float32", "max nan 1", "1"},
		{"float32", "max 1 nan", "1"},
		{"float32", "max nan nan", "nan"},
		{"float32", "min nan -inf", "-inf"},
		{"float32", "min -0 0", "-0"},
		{"float32", "leaky -0 0.5", "-0"},
		{"float32", "leaky nan 0.5", "nan"},
		{"float32", "round 2.5", "3"},
		{"float32", "round -2.5", "-3"},
		{"float32", "round -0.25", "-0"},
		{"float32", "mean 1 3", "0x1.555556p-2"},
		{"float32", "exp 0", "uninterpreted"},
		{"float32", "shl 1 1", "uninterpreted"},
		{"float16", "mean 65504 70000", "0"},
		{"float16", "add 2048 1", "2048"},
		{"float16", "mul 256 256", "inf"},

		{"adaptive8.3", "mul 0.125 0.125", "0.015625"},
		{"adaptive8.3", "add 0.2421875 0.2421875", "0.2421875"},
		{"adaptive8.3", "sub -0.2421875 0.2421875", "-0.2421875"},
		{"adaptive8.3", "sub 0.125 0.125", "0"},
		{"adaptive8.3", "neg 0", "0"},
		{"adaptive8.3", "div 0.125 0", "undefined"},
		{"adaptive8.3", "div 0.0625 0.5", "0.2421875"},
		{"adaptive8.3", "sqrt 0.015625", "0.125"},
		{"adaptive8.3", "sqrt -0.125", "undefined"},
		{"adaptive8.3", "max -0 0", "-0"},
		{"adaptive8.3", "max 0.125 0.1875", "0.1875"},
		{"adaptive8.3", "min 0.125 0.1875", "0.125"},
		{"adaptive8.3", "relu -0.125", "0"},
		{"adaptive8.3", "leaky -0.125 0.125", "-0.015625"},
		{"adaptive8.3", "mean 0.125 2", "0.0625"},
		{"adaptive8.3", "round 0.125", "0"},
	} {
		typ := elem(t, test.typ)
		words := strings.Fields(test.call)
		parse := func(i int) Value {
			v, err := ParseValue(words[i], Exact, typ)
			if err != nil {
				t.Fatalf("%s %s: %v", test.typ, test.call, err)
			}
			return v
		}
		number := func(i int) int64 {
			n, _ := new(big.Int).SetString(words[i], 10)
			return n.Int64()
		}
		a := Of(Exact, typ)
		x := parse(1)
		var got Value
		switch words[0] {
		case "add":
			got = a.Add(x, parse(2))
		case "sub":
			got = a.Sub(x, parse(2))
		case "mul":
			got = a.Mul(x, parse(2))
		case "div":
			got = a.Div(x, parse(2))
		case "mean":
			got = a.Mean(x, number(2))
		case "max":
			got = a.Max(x, parse(2))
		case "min":
			got = a.Min(x, parse(2))
		case "leaky":
			got = a.LeakyRelu(x, parse(2))
		case "neg":
			got = a.Neg(x)
		case "relu":
			got = a.Relu(x)
		case "sqrt":
			got = a.Sqrt(x)
		case "round":
			got = a.Round(x)
		case "exp":
			got = a.Exp(x)
		case "shl":
			got = a.ShiftLeft(x, number(2))
		case "shr":
			got = a.ShiftRight(x, number(2))
		default:
			t.Fatal(test.call)
		}
		if got := outcome(got); got != test.want {
			t.Errorf("%s: %s = %s, want %s", test.typ, test.call, got, test.want)
		}
	}
}

func TestExactCasts(t *testing.T) {
	for _, test := range []struct{ from, value, to, want string }{
		{"int32", "300", "int8", "44"},
		{"int32", "-1", "uint8", "255"},
		{"uint64", "18446744073709551615", "int64", "-1"},
		{"int8", "-1", "uint64", "18446744073709551615"},
		{"int32", "300", "sat8", "127"},
		{"sat16", "300", "int8", "44"},
		{"bool", "1", "int8", "1"},
		{"int8", "2", "bool", "1"},
		{"float32", "-1.75", "int8", "-1"},
		{"float32", "127.5", "int8", "127"},
		{"float32", "128", "int8", "undefined"},
		{"float32", "-0.5", "uint8", "0"},
		{"float32", "-1", "uint8", "undefined"},
		{"float32", "nan", "int8", "undefined"},
		{"float32", "inf", "int8", "undefined"},
		{"float32", "inf", "sat8", "127"},
		{"float32", "-inf", "sat8", "-128"},
		{"float32", "nan", "sat8", "undefined"},
		{"float32", "-300.5", "sat8", "-128"},
		{"float32", "0.5", "bool", "1"},
		{"float32", "-0", "bool", "0"},
		{"float32", "nan", "bool", "1"},
		{"float64", "0x1.0000010000001p+0", "float32", "0x1.000002p+0"},
		{"float64", "0x1.000001p+0", "float32", "1"},
		{"float64", "1e300", "float32", "inf"},
		{"float32", "-0", "float16", "-0"},
		{"float16", "nan", "float64", "nan"},
		{"int64", "16777217", "float32", "1.6777216e+07"},
		{"int64", "9007199254740993", "float64", "9.007199254740992e+15"},
		{"float32", "-0.03125", "fix4.4", "-0.0625"},
		{"float32", "8", "fix4.4", "undefined"},
		{"int8", "9", "fix4.4", "-7"},
		{"fix4.4", "-1.5", "int8", "-1"},
		{"fix16.4", "300", "int8", "undefined"},
		{"fix6.14", "0.99993896484375", "fix4.4", "0.9375"},
		{"fix6.14", "9", "fix4.4", "-7"},
		{"float32", "0.13", "adaptive8.3", "0.1328125"},
		{"float32", "nan", "adaptive8.3", "undefined"},
		{"float32", "-inf", "adaptive8.3", "-0.2421875"},
		{"float32", "-0", "adaptive8.3", "0"},
		{"adaptive8.3", "0.125", "float32", "0.125"},
		{"adaptive8.3", "-0", "float32", "0"},
		{"adaptive8.3", "-0.125", "int8", "0"},
	} {
		x, err := ParseValue(test.value, Exact, elem(t, test.from))
		if err != nil {
			t.Errorf("%s %s: %v", test.from, test.value, err)
			continue
		}
		if got := outcome(Cast(Exact, x, elem(t, test.from), elem(t, test.to))); got != test.want {
			t.Errorf("cast of %s from %s to %s is %s, want %s", test.value, test.from, test.to, got, test.want)
		}
	}
}

// Products and quotients of fixed point against rational numbers rounded down.
func TestFixedPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"fix1.7", "fix8.8", "fix6.14", "fix32.32", "fix1.63", "fix64.0"}).Draw(t, "type")
		typ, ok := domain.ParseElem(name)
		if !ok {
			t.Fatalf("%s is not an element type", name)
		}
		a := fixed{*newIntegers(typ)}
		x, y := BitsValue(rapid.Uint64().Draw(t, "x"), typ), BitsValue(rapid.Uint64().Draw(t, "y"), typ)
		rx, _ := x.Rat()
		ry, _ := y.Rat()
		check := func(op string, got Value, want *big.Rat) {
			if want := convert(want, true, typ); got != want {
				t.Fatalf("%s: %s %s %s = %s, want %s", name, x, op, y, got, want)
			}
		}
		check("*", a.Mul(x, y), new(big.Rat).Mul(rx, ry))
		if y.n != 0 {
			check("/", a.Div(x, y), new(big.Rat).Quo(rx, ry))
		}
		n := rapid.Int64Range(1, 1000).Draw(t, "n")
		check("mean", a.Mean(x, n), new(big.Rat).Quo(rx, big.NewRat(n, 1)))
	})
}

// nearest returns the element of a binary floating-point format nearest to r, to even, computed from the
// definition: p bits of precision, exponents up to emax.
func nearest(r *big.Rat, p, emax int) float64 {
	if r.Sign() == 0 {
		return 0
	}
	size := new(big.Rat).Abs(r)
	exponent := 1 - emax // of the least normal number
	for scale(big.NewRat(1, 1), exponent+1).Cmp(size) <= 0 {
		exponent++
	}
	unit := scale(big.NewRat(1, 1), exponent-p+1)
	q := new(big.Rat).Quo(size, unit)
	n, rest := new(big.Int).QuoRem(q.Num(), q.Denom(), new(big.Int))
	switch c := new(big.Int).Lsh(rest, 1).Cmp(q.Denom()); {
	case c > 0, c == 0 && n.Bit(0) == 1:
		n.Add(n, big.NewInt(1))
	}
	f, _ := unit.Mul(unit, new(big.Rat).SetInt(n)).Float64()
	if f >= math.Ldexp(1, emax+1) {
		f = math.Inf(1)
	}
	if r.Sign() < 0 {
		f = -f
	}
	return f
}

func TestHalfPrecisionCodes(t *testing.T) {
	typ := elem(t, "float16")
	for bits := range 1 << 16 {
		f := halfToFloat(uint16(bits))
		switch back := halfFromFloat(f); {
		case math.IsNaN(f):
			if bits&0x7c00 != 0x7c00 || bits&0x3ff == 0 || back != 0x7e00 {
				t.Fatalf("%#x is a NaN, and back %#x", bits, back)
			}
		case int(back) != bits:
			t.Fatalf("%#x is %g and back %#x", bits, f, back)
		case bits < 0x7c00:
			// The value by definition.
			exponent, mantissa := bits>>10, bits&0x3ff
			want := math.Ldexp(float64(mantissa), -24)
			if exponent > 0 {
				want = math.Ldexp(1+float64(mantissa)/1024, exponent-15)
			}
			if f != want {
				t.Fatalf("%#x is %g, want %g", bits, f, want)
			}
			// The middle between it and the next is rounded to the even one of them.
			next := halfToFloat(uint16(bits + 1))
			if bits == 0x7bff {
				next = 65536
			}
			even := bits + bits&1
			for _, c := range []struct {
				f    float64
				want int
			}{
				{(f + next) / 2, even},
				{math.Nextafter((f+next)/2, 0), bits},
				{math.Nextafter((f+next)/2, math.Inf(1)), bits + 1},
			} {
				if got := halfFromFloat(c.f); int(got) != c.want {
					t.Fatalf("%g is rounded to %#x, want %#x", c.f, got, c.want)
				}
				if got := roundToFloat(new(big.Rat).SetFloat64(c.f), typ); int(got.n) != c.want {
					t.Fatalf("the fraction %g is rounded to %s", c.f, got)
				}
			}
		}
	}
}

// brainBits rounds a float32 to bfloat16 by integers alone: half of the last place is added, less one where that place is 0,
// and the lower half cut off. A carry reaches the exponent, and infinity.
func brainBits(f float32) uint16 {
	b := math.Float32bits(f)
	if b&0x7fffffff > 0x7f800000 {
		return 0x7fc0
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

// Every bfloat16, and what lies between it and the next: as a float32, and as what a float32 or float64 becomes.
func TestBrainFloats(t *testing.T) {
	brain, single, double := elem(t, "bfloat16"), elem(t, "float32"), elem(t, "float64")
	for bits := range uint32(1 << 16) {
		x := BitsValue(uint64(bits), brain)
		wide := math.Float32frombits(bits << 16)
		for _, to := range []domain.Elem{single, double} {
			got := Cast(Exact, x, brain, to)
			if want := floatValue(float64(wide), to); got != want {
				t.Fatalf("%#x is %s in %s, want %s", bits, got, to, want)
			}
			if back := Cast(Exact, got, to, brain); back != floatValue(float64(wide), brain) || wide == wide && back != x {
				t.Fatalf("%#x comes back from %s as %s", bits, to, back)
			}
		}
		if r, ok := exactRat(x); ok { // a sign, (e, f) and what they mean, by the definition of the format
			e, f := int(bits>>7&0xff), int64(bits&0x7f)
			if e > 0 {
				f += 0x80
			}
			want := scale(big.NewRat(f, 1), max(e, 1)-127-7)
			if bits>>15 == 1 {
				want.Neg(want)
			}
			if e == 0xff || r.Cmp(want) != 0 {
				t.Fatalf("%#x is %s, want %s", bits, r, want)
			}
		} else if bits>>7&0xff != 0xff {
			t.Fatalf("%#x is no number", bits)
		}
		for _, low := range []uint32{0, 1, 0x1234, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff} {
			f := math.Float32frombits(bits<<16 | low)
			want := BitsValue(uint64(brainBits(f)), brain)
			if got := floatValue(float64(f), brain); got != want {
				t.Fatalf("%g (%#x) becomes %s, want %s", f, bits<<16|low, got, want)
			}
		}
	}
	for _, c := range []struct {
		f    float64
		want string
	}{ // by way of float32 these would be rounded twice
		{0x1.01p0 + 0x1p-40, "1.0078125"}, {0x1.01p0 - 0x1p-40, "1"}, {0x1.01p0, "1"}, {0x1.03p0, "1.015625"},
		{0x1.ffp127, "inf"}, {math.Nextafter(0x1.ffp127, 0), "0x1.fep+127"}, {0x1p-134, "0"}, {-0x1p-134, "-0"},
		{math.Nextafter(0x1p-134, 1), "0x1p-133"}, {0x1.8p-133, "0x1p-132"}, {1e300, "inf"}, {5e-324, "0"},
	} {
		if got := floatValue(c.f, brain).String(); got != c.want {
			t.Errorf("%g becomes %s, want %s", c.f, got, c.want)
		}
		if got := roundToFloat(new(big.Rat).SetFloat64(c.f), brain).String(); got != c.want && c.want != "-0" {
			t.Errorf("the fraction %g becomes %s, want %s", c.f, got, c.want)
		}
	}
}

// Operations in the narrow formats against the definition of rounding.
func TestFloatsRoundOnce(t *testing.T) {
	for _, format := range []struct {
		typ     string
		p, emax int
	}{{"float16", 11, 15}, {"bfloat16", 8, 127}, {"float32", 24, 127}, {"float64", 53, 1023}} {
		t.Run(format.typ, func(t *testing.T) {
			typ := elem(t, format.typ)
			a := ieee{newExact(typ)}
			rapid.Check(t, func(t *rapid.T) {
				numbers := rapid.Custom(func(t *rapid.T) Value { return BitsValue(rapid.Uint64().Draw(t, "bits"), typ) }).
					Filter(func(v Value) bool { _, ok := v.Rat(); return ok })
				draw := func(label string) (Value, *big.Rat) {
					v := numbers.Draw(t, label)
					r, _ := v.Rat()
					return v, r
				}
				x, rx := draw("x")
				y, ry := draw("y")
				check := func(op string, got Value, want *big.Rat) {
					t.Helper()
					if f := nearest(want, format.p, format.emax); floatOf(got) != f {
						t.Fatalf("%s %s %s = %s, want %g", x, op, y, got, f)
					}
				}
				check("+", a.Add(x, y), new(big.Rat).Add(rx, ry))
				check("-", a.Sub(x, y), new(big.Rat).Sub(rx, ry))
				check("*", a.Mul(x, y), new(big.Rat).Mul(rx, ry))
				if ry.Sign() != 0 {
					check("/", a.Div(x, y), new(big.Rat).Quo(rx, ry))
				}
				if rx.Sign() > 0 {
					// The root to 300 bits, with what is left marked in a bit below.
					m := new(big.Int).Sqrt(scale(new(big.Rat).Set(rx), 4000).Num())
					root := new(big.Rat).SetInt(m.Lsh(m, 1))
					if exact := new(big.Rat).Mul(root, root); scale(exact, -4002).Cmp(rx) != 0 {
						root.Add(root, big.NewRat(1, 1))
					}
					check("root", a.Sqrt(x), scale(root, -2001))
				}
				n := rapid.Int64().Draw(t, "n")
				check("of an integer", a.Integer(n), big.NewRat(n, 1))
				d := rapid.Int64Range(1, math.MaxInt64).Draw(t, "d")
				check("of a fraction", a.Constant(big.NewRat(n, d)), big.NewRat(n, d))
			})
		})
	}
}
