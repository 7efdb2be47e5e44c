package value

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"tv/semantics/domain"
)

func elem(t interface{ Fatalf(string, ...any) }, name string) domain.Elem {
	e, ok := domain.ParseElem(name)
	if !ok {
		t.Fatalf("%s is no element type", name)
	}
	return e
}

func TestValueIsSmall(t *testing.T) {
	if size := unsafe.Sizeof(Value{}); size > 32 {
		t.Errorf("a Value takes %d bytes", size)
	}
	if (Value{}).String() != "0" {
		t.Error("the zero value is not 0")
	}
}

// Texts and the values they spell; in exact after "type:".
func TestParseValue(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"3", "3"},
		{"-7/2", "-7/2"},
		{"0.125", "1/8"},
		{"1e-5", "1/100000"},
		{"0x1p-3", "1/8"},
		{"-0", "0"},
		{"min", "min"},
		{"9223372036854775808", "9223372036854775808"},
		{"1/4294967296", "1/4294967296"},
		{"1/4294967297", "1/4294967297"},
		{"[1, 1]", "1"},
		{"[1, 2]", "[1, 2]"},
		{"[2, 1]", "error"},
		{"[1", "error"},
		{"x", "error"},
		{"", "error"},
		{"inf", "error"},
		{"1e99999999", "error"},
		{"int8:-128", "-128"},
		{"int8:128", "error"},
		{"int8:0.5", "error"},
		{"int8:0x10", "16"},
		{"uint8:255", "255"},
		{"uint8:-1", "error"},
		{"uint64:18446744073709551615", "18446744073709551615"},
		{"int64:-9223372036854775808", "-9223372036854775808"},
		{"sat8:127", "127"},
		{"bool:true", "1"},
		{"bool:0", "0"},
		{"bool:2", "error"},
		{"float32:0.5", "0.5"},
		{"float32:0.1", "0x1.99999ap-4"},
		{"float32:-0", "-0"},
		{"float32:-0.0", "-0"},
		{"float32:nan", "nan"},
		{"float32:-inf", "-inf"},
		{"float32:16777217", "1.6777216e+07"},
		{"float32:1e39", "inf"},
		{"float32:0x1p-149", "0x1p-149"},
		{"float64:1e-400", "0"},
		{"float16:65519", "65504"},
		{"float16:65520", "inf"},
		{"float16:0x1p-24", "0x1p-24"},
		{"bfloat16:257", "256"},
		{"bfloat16:259", "260"},
		{"bfloat16:0x1p-133", "0x1p-133"},
		{"bfloat16:0x1p-135", "0"},
		{"fix4.4:-1.0625", "-1.0625"},
		{"fix4.4:8", "error"},
		{"fix4.4:0.01", "error"},
		{"adaptive8.3:0.125", "0.125"},
		{"adaptive8.3:-0", "-0"},
		{"adaptive8.3:1", "0.2421875"},
	} {
		a, typ, text := Real, domain.Elem{}, test.text
		if name, rest, ok := strings.Cut(test.text, ":"); ok {
			a, typ, text = Exact, elem(t, name), rest
		}
		got := "error"
		v, err := ParseValue(text, a, typ)
		if err == nil {
			got = v.String()
		}
		if got != test.want {
			t.Errorf("ParseValue(%s) = %s (%v), want %s", test.text, got, err, test.want)
		}
	}
}

// exactTypes are element types of all kinds.
var exactTypes = []string{
	"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
	"float16", "bfloat16", "float32", "float64", "sat8", "sat16", "sat32",
	"fix1.7", "fix8.8", "fix6.14", "fix32.32", "fix1.63", "adaptive8.3", "adaptive16.5", "adaptive4.2",
}

func TestExactValuesPrintAndParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(exactTypes).Draw(t, "type")
		typ, _ := domain.ParseElem(name)
		v := BitsValue(rapid.Uint64().Draw(t, "bits"), typ)
		back, err := ParseValue(v.String(), Exact, typ)
		if err != nil || Compare(v, back) != Same {
			t.Fatalf("%s %s is read as %s, %v", name, v, back, err)
		}
	})
}

func TestRealValuesPrintAndParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawRational(t, "v")
		back, err := ParseValue(v.String(), Real, domain.Elem{})
		if err != nil || Compare(v, back) != Same {
			t.Fatalf("%s is read as %s, %v", v, back, err)
		}
		e := realArithmetic{}.Erf(v)
		back, err = ParseValue(e.String(), Real, domain.Elem{})
		if err != nil || Compare(e, back) == Different {
			t.Fatalf("%s is read as %s, %v", e, back, err)
		}
		if e.tag == formEnclosure {
			inner, outer := enclosureOf(e), enclosureOf(back)
			if outer.lo.Cmp(inner.lo) > 0 || outer.hi.Cmp(inner.hi) < 0 {
				t.Fatalf("%s does not enclose what it prints", e)
			}
		}
	})
}

// drawRational draws a rational number, small or large.
func drawRational(t *rapid.T, label string) Value {
	n := new(big.Int).SetInt64(rapid.OneOf(rapid.Int64(), rapid.Int64Range(-9, 9),
		rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64, 1 << 30, -1 << 31, 1 << 32})).Draw(t, label+" numerator"))
	d := rapid.OneOf(rapid.Int64Range(1, 9), rapid.Int64Range(1, math.MaxInt64),
		rapid.SampledFrom([]int64{1, 1 << 31, 1 << 32, 1<<32 + 1})).Draw(t, label+" denominator")
	if rapid.IntRange(0, 9).Draw(t, label+" is large") == 0 {
		n.Lsh(n, 70).Add(n, big.NewInt(1))
	}
	den := big.NewInt(d)
	if rapid.IntRange(0, 3).Draw(t, label+" has a power of two") == 0 {
		den.Lsh(big.NewInt(1), uint(rapid.IntRange(0, 200).Draw(t, label+" exponent")))
	}
	return ratio(new(big.Rat).SetFrac(n, den))
}

func TestCompare(t *testing.T) {
	f32 := elem(t, "float32")
	parse := func(text string) Value {
		a, typ, rest := Real, domain.Elem{}, text
		if name, after, ok := strings.Cut(text, ":"); ok {
			a, typ, rest = Exact, elem(t, name), after
		}
		v, err := ParseValue(rest, a, typ)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, test := range []struct {
		x, y string
		want Relation
	}{
		{"1", "1", Same},
		{"1/3", "2/6", Same},
		{"1", "2", Different},
		{"36893488147419103232", "36893488147419103232", Same},
		{"36893488147419103232", "36893488147419103233", Different},
		{"min", "min", Same},
		{"min", "-5", Different},
		{"min", "[1, 2]", Different},
		{"[1, 2]", "[2, 3]", Undecided},
		{"[1, 2]", "[1, 2]", Undecided},
		{"[1, 2]", "3", Different},
		{"[1, 2]", "3/2", Undecided},
		{"float32:0", "float32:-0", Different},
		{"float32:nan", "float32:nan", Same},
		{"float32:1", "float64:1", Different},
		{"float32:1", "1", Different},
		{"adaptive8.3:0", "adaptive8.3:-0", Different},
	} {
		if got := Compare(parse(test.x), parse(test.y)); got != test.want {
			t.Errorf("Compare(%s, %s) = %s, want %s", test.x, test.y, got, test.want)
		}
	}
	if got := Compare(BitsValue(0x7fc00000, f32), BitsValue(0xffc00001, f32)); got != Same {
		t.Errorf("two NaNs are %s", got)
	}
	if got := Compare(NoValue(errors.New("none")), Value{}); got != Undecided {
		t.Errorf("no value and 0 are %s", got)
	}
}

func TestIntValue(t *testing.T) {
	for _, test := range []struct {
		n          int64
		typ, value string
	}{
		{300, "int8", "44"}, {-1, "uint8", "255"}, {300, "sat8", "127"}, {-300, "sat8", "-128"},
		{-1, "uint64", "18446744073709551615"}, {2, "bool", "1"}, {70000, "float16", "inf"},
		{1<<24 + 1, "float32", "1.6777216e+07"}, {9, "fix4.4", "-7"}, {1, "adaptive8.3", "0.2421875"},
		{-1, "fix6.14", "-1"},
	} {
		if got := IntValue(test.n, Exact, elem(t, test.typ)).String(); got != test.value {
			t.Errorf("IntValue(%d, %s) = %s, want %s", test.n, test.typ, got, test.value)
		}
	}
	if got := IntValue(300, Real, elem(t, "int8")).String(); got != "300" {
		t.Errorf("in real 300 is %s", got)
	}
}

func TestMinValue(t *testing.T) {
	for typ, want := range map[string]string{
		"int8": "-128", "uint8": "0", "bool": "0", "sat16": "-32768", "float16": "-65504", "bfloat16": "-0x1.fep+127",
		"float32": "-0x1.fffffep+127", "fix4.4": "-8", "adaptive8.3": "-0.2421875",
	} {
		if got := MinValue(Exact, elem(t, typ)).String(); got != want {
			t.Errorf("MIN of %s is %s, want %s", typ, got, want)
		}
	}
}

func TestParseValueOfAnyText(t *testing.T) {
	text := rapid.StringOf(rapid.SampledFrom([]rune("0123456789+-./eEpPxXabfinmts[], _")))
	rapid.Check(t, func(t *rapid.T) {
		s := text.Draw(t, "text")
		for _, name := range append([]string{""}, exactTypes...) {
			a, typ := Real, domain.Elem{}
			if name != "" {
				a, typ = Exact, elem(t, name)
			}
			v, err := ParseValue(s, a, typ)
			if err != nil {
				continue
			}
			if back, err := ParseValue(v.String(), a, typ); err != nil || Compare(v, back) == Different {
				t.Fatalf("%q is %s, which is read as %s, %v", s, v, back, err)
			}
		}
	})
}

func TestHugeEnclosuresPrintAndParse(t *testing.T) {
	for _, n := range []int64{700_000, -700_000, 3000, -3000} {
		v := realArithmetic{}.Exp(Value{n: n})
		back, err := ParseValue(v.String(), Real, domain.Elem{})
		if err != nil || Compare(v, back) == Different {
			t.Errorf("exp(%d) = %s is read as %s, %v", n, v, back, err)
		}
	}
}
