package value

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"tv/semantics/domain"
)

// Codes of numbers in units of 2^-14, as the encoder of the hardware gives them, at several biases.
func TestAdaptiveCodes(t *testing.T) {
	for _, test := range []struct {
		x    int64
		bias int
		want uint64
	}{
		{16384, 2, 0x7f}, {-16384, 2, 0xff}, {16384, 7, 0x30},
		{17, 0, 0x01}, {16, 0, 0x00}, {33, 0, 0x11}, {-33, 0, 0x90}, {63, 0, 0x20}, {-63, 0, 0x9f},
		{1008, 2, 0x40}, {-1008, 2, 0xbf}, {524287, 0, 0x7f}, {-524288, 0, 0xff},
		{0, 0, 0x00}, {15, 0, 0x00}, {-15, 0, 0x00}, {3968, 0, 0x7f}, {3969, 0, 0x7f},
	} {
		a := newAdaptive(elem(t, "adaptive8.3"), test.bias)
		for name, v := range map[string]Value{
			"encode":      a.encode(big.NewRat(test.x, 1<<14)),
			"encodeFloat": a.encodeFloat(float64(test.x) / (1 << 14)),
		} {
			if got, _ := v.Bits(); got != test.want {
				t.Errorf("%s(%d, bias %d) = %#02x, want %#02x", name, test.x, test.bias, got, test.want)
			}
		}
	}
}

// Decoding is ±(16+man) << (exp+bias) in units of 2^-14, and encoding gives the code back, except for zeros.
func TestAdaptiveDecodes(t *testing.T) {
	typ := elem(t, "adaptive8.3")
	for bias := range 8 {
		a := newAdaptive(typ, bias)
		for code := range uint64(256) {
			v := BitsValue(code, typ)
			want := int64(16+code&15) << (int(code>>4&7) + bias)
			if code&0x7f == 0 {
				want = 0
			}
			if code&0x80 != 0 {
				want = -want
			}
			if a.rat(v).Cmp(big.NewRat(want, 1<<14)) != 0 || a.float(v) != float64(want)/(1<<14) {
				t.Fatalf("code %#02x at bias %d is %s, want %d/2^14", code, bias, a.rat(v).RatString(), want)
			}
			back, _ := a.encode(a.rat(v)).Bits()
			if want != 0 && back != code || want == 0 && back != 0 {
				t.Fatalf("code %#02x at bias %d is encoded as %#02x", code, bias, back)
			}
		}
	}
}

// encodeInteger is the recipe on integers in units of 2^-14: round to five significant bits, halves up.
func encodeInteger(x int64, bias int) uint64 {
	if x == 0 {
		return 0
	}
	var sign uint64
	size := x
	if x < 0 {
		sign, size = 0x80, -x
	}
	p := 0
	for size>>p > 1 {
		p++
	}
	e := p - 4 - bias
	q := x << 8 // with 8 more bits, shifted so that five are left of the point
	q = (q + 1<<(p+8-4-1)) >> (p + 8 - 4)
	if q < 0 {
		q = -q
	}
	if q == 32 {
		q, e = 16, e+1
	}
	switch {
	case e < 0:
		return 0
	case e > 7:
		return sign | 0x7f
	}
	return sign | uint64(e)<<4 | uint64(q&15)
}

func TestAdaptiveEncodesAllIntegers(t *testing.T) {
	typ := elem(t, "adaptive8.3")
	for _, bias := range []int{0, 2, 7} {
		a := newAdaptive(typ, bias)
		for x := int64(-1 << 19); x < 1<<19; x += 1 + (x*x)>>24 {
			if got, _ := a.encodeFloat(float64(x) / (1 << 14)).Bits(); got != encodeInteger(x, bias) {
				t.Fatalf("%d at bias %d is encoded as %#02x, want %#02x", x, bias, got, encodeInteger(x, bias))
			}
		}
	}
}

// The operations in float64 and in rational numbers agree.
func TestAdaptiveFormats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom([]string{"adaptive8.3", "adaptive4.2", "adaptive16.5", "adaptive8.1"}).Draw(t, "type")
		e, ok := domain.ParseElem(typ)
		if !ok {
			t.Fatalf("%s is not an element type", typ)
		}
		fast := newAdaptive(e, 0)
		copied := *fast
		slow := &copied
		slow.narrow = false
		x, y := BitsValue(rapid.Uint64().Draw(t, "x"), e), BitsValue(rapid.Uint64().Draw(t, "y"), e)
		check := func(op string, got, want Value) {
			t.Helper()
			if got != want {
				t.Fatalf("%s: %s %s %s = %s, want %s", typ, x, op, y, got, want)
			}
		}
		check("+", fast.Add(x, y), slow.Add(x, y))
		check("-", fast.Sub(x, y), slow.Sub(x, y))
		check("*", fast.Mul(x, y), slow.Mul(x, y))
		check("max", fast.Max(x, y), slow.Max(x, y))
		check("min", fast.Min(x, y), slow.Min(x, y))
		if r := fast.rat(x); r.Sign() > 0 {
			f, _ := r.Float64()
			check("root", fast.Sqrt(x), fast.encodeFloat(math.Sqrt(f)))
		}
	})
}
