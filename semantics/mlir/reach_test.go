package mlir_test

import (
	"testing"

	"tv/internal/tier"
	"tv/semantics/loops/looptest"
	"tv/semantics/mlir"
)

// TestGenerateReaches: each of these is in one program of ten at least.
func TestGenerateReaches(t *testing.T) {
	total := tier.Draw(300, 400, 1000)
	count := map[string]int{}
	for seed := range uint64(total) {
		p := parsed(t, "", string(mlir.Generate(seed)))
		for what, found := range looptest.Reached(p, looptest.Sizes(p, seed)) {
			if found {
				count[what]++
			}
		}
	}
	for _, what := range []string{"distance 1", "distance -1", "distance 2", "distance -2", "empty", "negative", "max", "min", "floordiv",
		"step", "goes round", "if", "local", "narrow", "when", "parallel"} {
		if count[what] < total/10 {
			t.Errorf("%s is in %d of %d programs", what, count[what], total)
		}
	}
	t.Log(count)
}
