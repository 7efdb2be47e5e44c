package ideal

import (
	"math"
	"testing"
)

// Software takes the code whose number is nearest, of two that are as near the even one, and the greatest of its sign beyond it.
func TestAdaptiveNearest(t *testing.T) {
	for bias := range 8 {
		f := adaptive(bias)
		number := func(code int) float64 { // by the format's definition
			if code%128 == 0 {
				return 0
			}
			v := math.Ldexp(float64(16+code%16), code/16%8+bias-14)
			if code >= 128 {
				return -v
			}
			return v
		}
		nearest := func(x float64) (best int) {
			for code := range 256 {
				switch d, least := math.Abs(number(code)-x), math.Abs(number(best)-x); {
				case code == 128: // a second 0, which nothing is quantised to
				case d < least, d == least && code%2 == 0:
					best = code
				}
			}
			return best
		}
		see := func(x float64) {
			if got, want := f.encode(x), nearest(x); got != uint64(want) {
				t.Errorf("bias %d: %g has code %d, not %d", bias, x, got, want)
			}
		}
		for code := range 256 {
			v, after := number(code), number(min(code%128+1, 127))
			if got := f.decode(uint64(code)); got != v {
				t.Errorf("bias %d: code %d is %g, not %g", bias, code, got, v)
			}
			half := math.Copysign((math.Abs(v)+after)/2, v)
			for _, x := range []float64{v, half, math.Nextafter(half, 100), math.Nextafter(half, -100), 3 * v} {
				see(x)
			}
		}
	}
}
