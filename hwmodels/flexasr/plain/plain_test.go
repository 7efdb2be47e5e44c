package plain

import (
	"fmt"
	"math"
	"testing"

	"tv/ila/number"
)

// vector parses a vector as sources print them: the highest byte first.
func vector(t *testing.T, text string) (v [16]byte) {
	t.Helper()
	for j := range v {
		if _, err := fmt.Sscanf(text[30-2*j:32-2*j], "%02x", &v[j]); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

// The published program: a max-pool of two timesteps.
func TestGolden(t *testing.T) {
	m := New()
	for _, w := range []struct {
		addr uint64
		data string
	}{
		{0x33800010, "00000002000000020001000000000001"}, {0x33400010, "00000000000000000000000000000001"},
		{0x33500000, "03C5ACB7A2CC234751CA3281B0231DB4"}, {0x33500010, "24D3B0D1B2CB33505FC4178149004ACB"},
		{0x33000020, "00000000000000000000000000000001"},
	} {
		if faults := m.Step(w.addr, vector(t, w.data)); faults != nil {
			t.Fatalf("%x: %v", w.addr, faults)
		}
	}
	for j, want := range vector(t, "24C5ACB7A2CB33505FC4328149234AB4") {
		if got, _ := m.Cell("large", uint64(j)); got != uint64(want) {
			t.Errorf("byte %d is %02x, want %02x", j, got, want)
		}
	}
}

// Codes are what package number says, for all numbers of Q6.14 and both ways to saturate.
func TestCodes(t *testing.T) {
	for _, bias := range []int{0, 2, 7} {
		for q, m := range map[number.Quantiser]*Machine{number.Hardware: {}, number.SignLost: {SignLost: true}} {
			table := number.AdaptivFloat83.Table(q, number.Q614, bias)
			for n, want := range table {
				if got := m.encode(signed(int64(n), 20), 14, bias); got != int64(want) {
					t.Fatalf("bias %d, %s: %#x becomes %02x, want %02x", bias, fmt.Sprint(q), n, got, want)
				}
			}
		}
		for c := range int64(256) {
			want, _ := number.Q614.Code(number.AdaptivFloat83.Value(uint64(c), bias))
			if got := decode(c, bias); got&(1<<20-1) != int64(want) {
				t.Errorf("bias %d: %02x is %d", bias, c, got)
			}
		}
	}
}

// Functions are near those that they stand for, where these have a value that the result can hold.
func TestFunctions(t *testing.T) {
	const unit = 1.0 / (1 << 14)
	for x := int64(-1 << 19); x < 1<<19; x++ {
		v := float64(x) * unit
		if d := math.Abs(float64(Sigmoid(x))*unit - 1/(1+math.Exp(-v))); d > 0.007 {
			t.Fatalf("sigmoid(%g) is off by %g", v, d)
		}
		if d := math.Abs(float64(Tanh(x))*unit - math.Tanh(v)); d > 0.006 {
			t.Fatalf("tanh(%g) is off by %g", v, d)
		}
		if want := 1 / math.Sqrt(v); x > 4 && math.Abs(float64(InverseRoot(x))*unit-want) > 0.004*want {
			t.Fatalf("1/sqrt(%g) is off: %g", v, float64(InverseRoot(x))*unit)
		}
	}
	for x := int64(-20 << 20); x < 7<<20; x += 997 {
		v := float64(x) / (1 << 20)
		if d := math.Abs(float64(Exponential(x))/(1<<20) - math.Exp(v)); d > 0.004*math.Exp(v)+2e-6 {
			t.Fatalf("exp(%g) is off by %g", v, d)
		}
	}
	for _, test := range [][3]int64{{1 << 20, 2 << 20, 128}, {1 << 20, 1 << 20, 256}, {1 << 20, 4 << 20, 1023}, {5 << 20, 1 << 20, 256},
		{3 << 18, 1 << 20, 192}, {1<<16 - 1, 1 << 20, 0}} {
		if got := Share(test[0], test[1]); got != test[2] {
			t.Errorf("%d / %d is %d, want %d", test[0], test[1], got, test[2])
		}
	}
}
