package mlir_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"tv/internal/tier"
	"tv/semantics/mlir"
)

// TestAgainstLLVM: random programs leave the same bits in every parameter whether mlir-opt and clang compile them or the
// evaluator runs what they were read into. TV_MLIR=N tests N programs, TV_MLIR_FROM=S from seed S on.
func TestAgainstLLVM(t *testing.T) {
	if !installed(t) {
		return
	}
	count, from := tier.Draw(60, 150, 400), 0
	if n, err := strconv.Atoi(os.Getenv("TV_MLIR")); err == nil {
		count = n
	}
	if n, err := strconv.Atoi(os.Getenv("TV_MLIR_FROM")); err == nil {
		from = n
	}
	for ; count > 0; count -= perFile {
		compare(t, "16", drawn(from, min(count, perFile)))
		from += perFile
	}
}

// TestStressAgainstLLVM: so do ten thousand of them.
func TestStressAgainstLLVM(t *testing.T) {
	part := tier.Stress(t)
	if !installed(t) {
		return
	}
	for k := range 10_000 / perFile {
		if part.Has(k) {
			compare(t, "16", drawn(perFile*k, perFile))
		}
	}
}

// drawn are some programs of seeds from one on.
func drawn(from, count int) (batch []program) {
	for k := range count {
		seed := uint64(from + k)
		batch = append(batch, program{name: fmt.Sprint("seed ", seed), text: string(mlir.Generate(seed)), seed: seed})
	}
	return batch
}
