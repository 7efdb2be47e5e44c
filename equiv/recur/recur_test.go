package recur

import (
	"context"
	"testing"
)

// recurrences are litmus files that other engines do not prove.
var recurrences = []string{"c-jacobi-delayed", "c-jacobi-delayed-last", "c-jacobi-tiled", "c-seidel-skewed", "c-seidel-wavefront",
	"c-forward-columns", "c-lu-doolittle", "c-lu-left", "c-floyd-interchanged", "c-heat-fused", "c-fdtd-tiled", "c-prefix-in-place",
	"c-prefix-scalar", "c-product-unrolled"}

// TestProved: they are proved, also where the sizes that relations are guessed from are others altogether.
func TestProved(t *testing.T) {
	all := pairs(t)
	for _, name := range recurrences {
		for _, from := range []int64{0, 4} {
			a := typed(all[name][0], all[name][1])
			a.From = from
			p, err := Prove(context.Background(), *a)
			if err != nil {
				t.Errorf("%s, from %d: %v", name, from, err)
			} else if len(p.Explain()) == 0 {
				t.Errorf("%s: nothing is explained", name)
			}
		}
	}
}
