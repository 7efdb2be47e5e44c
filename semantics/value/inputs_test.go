package value

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"tv/semantics/domain"
)

// randomValues returns the first elements of tensor A of the given type.
func randomValues(t *testing.T, seed uint64, a Arith, mode Mode, typ string, n int64) []Value {
	t.Helper()
	in := Random(seed, a, mode, []domain.Tensor{{Name: "A", Elem: elem(t, typ)}})
	values := make([]Value, n)
	for i := range values {
		values[i] = in.Element("A", int64(i))
		if values[i].Err() != nil {
			t.Fatalf("%s %s %s: %s", a, mode, typ, values[i])
		}
	}
	return values
}

func TestRandomRepeats(t *testing.T) {
	// Seeds are printed in reports and must keep their meaning.
	for _, test := range []struct {
		a    Arith
		mode Mode
		typ  string
		want string
	}{
		{Real, Small, "float32", "1 3 -1 1 -3 0 3 -1"},
		{Real, NonNegative, "float32", "4 6 2 4 0 3 6 2"},
		{Real, Positive, "float32", "5 7 3 5 1 4 7 3"},
		{Real, Distinct, "float32",
			"-770046 -3928333 7817356 3474875 2271710 -5490607 -3592129 -4106576"},
		{Real, Edges, "float32", "-770046 3 8 -5/4 -3/2 0 -3592129 -1"},
		{Exact, Small, "float32", "1 3 -1 1 -3 0 3 -1"},
		{Exact, Distinct, "float16", "-0.499267578125 -0.26416015625 3.1015625 -12.375 0.4716796875 -1.392578125 -0.87353515625 6.1015625"},
		{Exact, Edges, "float16", "3.802734375 3 -inf -0 -1 0 -8.6796875 -1"},
		{Exact, Edges, "int8", "-101 3 0 -127 127 0 87 -1"},
		{Exact, Small, "fix6.14", "1 3 -1 1 -3 0 3 -1"},
		{Exact, Small, "adaptive8.3", "0.08984375 0.125 -0.21875 0.02734375 -0.044921875 0 0.11328125 -0.0546875"},
	} {
		values := randomValues(t, 1, test.a, test.mode, test.typ, 8)
		if got := strings.Trim(fmt.Sprint(values), "[]"); got != test.want {
			t.Errorf("{%v, %v, %s}: %s, want %s", test.a, test.mode, test.typ, got, test.want)
		}
	}
}

func TestRandomRanges(t *testing.T) {
	for _, test := range []struct {
		a         Arith
		mode      Mode
		typ       string
		low, high int64
	}{
		{Real, Small, "float32", -3, 3},
		{Real, NonNegative, "float32", 0, 6},
		{Real, Positive, "float32", 1, 7},
		{Exact, Small, "float16", -3, 3},
		{Exact, Small, "int8", -3, 3},
		{Exact, Small, "uint8", 0, 3},
		{Exact, NonNegative, "int8", 0, 6},
		{Exact, Positive, "uint64", 1, 7},
		{Exact, Small, "bool", 0, 1},
		{Exact, Positive, "bool", 1, 1},
		{Exact, Small, "fix8.8", -3, 3},
	} {
		seen := map[string]bool{}
		for _, v := range randomValues(t, 7, test.a, test.mode, test.typ, 300) {
			seen[v.String()] = true
		}
		for n := test.low; n <= test.high; n++ {
			if want := IntValue(n, test.a, elem(t, test.typ)).String(); !seen[want] {
				t.Errorf("%s %s %s: never %s", test.a, test.mode, test.typ, want)
			}
		}
		if want := int(test.high - test.low + 1); len(seen) != want {
			t.Errorf("%s %s %s: %d values, want %d", test.a, test.mode, test.typ, len(seen), want)
		}
	}
}

func TestRandomDistinct(t *testing.T) {
	values := randomValues(t, 3, Real, Distinct, "float32", 1<<16)
	slices.SortFunc(values, func(x, y Value) int { return compareRatios(x, y) })
	if n := len(slices.Compact(values)); n != 1<<16 {
		t.Errorf("of 2^16 elements %d are different", n)
	}
}

// TestRandomReals: what stands for contents of a float lies between the ends of its type, also of one with few of them.
func TestRandomReals(t *testing.T) {
	for _, typ := range []string{"float16", "bfloat16", "float32", "float64"} {
		end := elem(t, typ).Greatest()
		for mode := Small; mode <= Extremes; mode++ {
			for _, v := range randomValues(t, 5, Real, mode, typ, 3000) {
				if r, ok := v.Rat(); !ok || new(big.Rat).Abs(r).Cmp(end) > 0 {
					t.Fatalf("%s %s: %s", typ, mode, v)
				}
			}
		}
	}
}

// In every type and mode all elements are of the type, and edges have what the type has at its edges.
func TestRandomTypes(t *testing.T) {
	for _, typ := range exactTypes {
		for mode := Small; mode <= Extremes; mode++ {
			values := randomValues(t, 5, Exact, mode, typ, 3000)
			seen := map[string]bool{}
			for _, v := range values {
				if back := BitsValue(uint64(v.n), elem(t, typ)); back != v {
					t.Fatalf("%s %s: %s is not an element", typ, mode, v)
				}
				seen[v.String()] = true
			}
			if mode != Edges && mode != Extremes {
				continue
			}
			want := []string{MinValue(Exact, elem(t, typ)).String(), "0"}
			if strings.HasPrefix(typ, "float") {
				want = append(want, "nan", "inf", "-inf", "-0")
			}
			for _, w := range want {
				if !seen[w] {
					t.Errorf("%s %s: never %s", typ, mode, w)
				}
			}
		}
	}
}

func TestInputsThatAreMissing(t *testing.T) {
	for _, in := range []Inputs{Random(1, Real, Small, []domain.Tensor{{Name: "A", Elem: domain.Float32}}), Tensors{}} {
		if v := in.Element("B", 0); v.Err() == nil {
			t.Errorf("%T has an element %s of B", in, v)
		}
	}
}
