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
	count, from := tier.Pick(60, 400), 0
	if n, err := strconv.Atoi(os.Getenv("TV_MLIR")); err == nil {
		count = n
	}
	if n, err := strconv.Atoi(os.Getenv("TV_MLIR_FROM")); err == nil {
		from = n
	}
	for ; count > 0; count -= perFile {
		var batch []program
		for k := range min(count, perFile) {
			seed := uint64(from + k)
			batch = append(batch, program{name: fmt.Sprint("seed ", seed), text: string(mlir.Generate(seed)), seed: seed})
		}
		compare(t, "16", batch)
		from += perFile
	}
}
