package mlir_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics/loops"
	"tv/semantics/loops/looptest"
	"tv/semantics/mlir"
)

// nestPasses are passes over functions, as mlir-opt-16 and mlir-opt-19 know them.
var nestPasses = []string{
	"affine-loop-tile{tile-sizes=2,3,4}", "affine-loop-unroll{unroll-factor=4}", "affine-loop-unroll{unroll-full}",
	"affine-loop-unroll-jam{unroll-jam-factor=3}", "affine-loop-fusion", "affine-loop-fusion{fusion-maximal}",
	"affine-loop-fusion{mode=sibling}", "affine-scalrep", "affine-loop-invariant-code-motion", "affine-loop-normalize",
	"affine-loop-coalescing", "affine-loop-tile{tile-sizes=3,3,3},affine-loop-coalescing", "affine-parallelize",
	"affine-parallelize{parallel-reductions}", "affine-super-vectorize{virtual-vector-size=8}",
	"affine-super-vectorize{virtual-vector-size=4,2}",
	"affine-data-copy-generate{generate-dma=false fast-mem-space=0 skip-non-unit-stride-loops}",
	"affine-data-copy-generate{generate-dma=false fast-mem-space=0 fast-mem-capacity=1}", "test-loop-permutation{permutation-map=1,0}",
	"convert-linalg-to-affine-loops", "convert-linalg-to-loops", "lower-affine", "affine-loop-tile{tile-sizes=2,2},lower-affine",
	"cse", "canonicalize",
}

// TestPasses: what passes make of kernels is read, and the evaluator leaves what it leaves when it is compiled.
func TestPasses(t *testing.T) {
	if !installed(t, "mlir-opt-19") {
		return
	}
	names := tier.Pick([]string{"16"}, []string{"16", "19"})
	kept := tier.Pick(4, 1) // of how many outputs one is run
	for _, version := range names {
		var batch []program
		seen := map[string]bool{}
		for _, kernel := range kernels(t) {
			name := filepath.Base(kernel.name)
			for k, pass := range nestPasses {
				text, err := piped(t, kernel.text, "mlir-opt-"+version, "--pass-pipeline=builtin.module(func.func("+pass+"))")
				if err != nil {
					t.Logf("%s of %s: %.200v", pass, name, err) // a pass may refuse a kernel
					continue
				}
				if p, err := mlir.Parse(source.NewFile(pass, text), ""); err != nil {
					t.Errorf("%s of %s by %s: %v\n%s", pass, name, version, err, text)
				} else if format := loops.Format(p); (len(batch)+k)%kept == 0 && !seen[format] {
					seen[format] = true
					for seed := range uint64(3) {
						batch = append(batch, program{name: name + " " + pass, text: text, seed: seed, sizes: alike(t, text, seed), mayEnd: true})
					}
				}
			}
		}
		t.Log(version, len(batch), "calls,", compare(t, version, batch), "compared")
	}
}

// TestPassesOnPrograms: so is what they make of random programs, whether that is right or not.
func TestPassesOnPrograms(t *testing.T) {
	if !installed(t, "mlir-opt-19") {
		return
	}
	for _, version := range []string{"16", "19"} {
		var batch []program
		for seed := range uint64(tier.Pick(20, 200)) {
			text, pass := string(mlir.Generate(seed)), nestPasses[int(seed)%len(nestPasses)]
			out, err := piped(t, text, "mlir-opt-"+version, "--pass-pipeline=builtin.module(func.func("+pass+"))")
			if err != nil {
				t.Logf("%s of seed %d by %s: %.300v", pass, seed, version, err)
				continue
			}
			p, err := mlir.Parse(source.NewFile("x.mlir", out), "")
			if err != nil {
				t.Errorf("%s of seed %d by %s: %v\n%s", pass, seed, version, err, out)
				continue
			}
			batch = append(batch, program{name: fmt.Sprint(pass, " of seed ", seed), text: out, seed: seed, sizes: looptest.Sizes(p, seed), mayEnd: true})
		}
		t.Log(version, compare(t, version, batch), "are compared")
	}
}

// TestGenericForm: the generic form of kernels, and of programs, is read into the same.
func TestGenericForm(t *testing.T) {
	if !installed(t, "mlir-opt-19") {
		return
	}
	var texts []string
	for _, k := range kernels(t) {
		texts = append(texts, k.text)
	}
	for seed := range uint64(tier.Pick(10, 60)) {
		texts = append(texts, string(mlir.Generate(seed)))
	}
	for _, text := range texts {
		for _, version := range []string{"16", "19"} {
			var read []string
			for _, flags := range [][]string{{"--mlir-print-local-scope"}, {}, {"--mlir-print-op-generic"}} {
				printed, err := piped(t, text, "mlir-opt-"+version, flags...)
				if err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
				p, err := mlir.Parse(source.NewFile(strings.Join(flags, " "), printed), "")
				if err != nil {
					t.Fatalf("%v\n%s", err, printed)
				}
				read = append(read, left(t, p, printed))
			}
			if read[0] != read[1] || read[0] != read[2] {
				t.Errorf("%s is read in three ways by %s:\n%s\n%s\n%s", text, version, read[0], read[1], read[2])
			}
		}
	}
}

// left is what a procedure leaves at some sizes.
func left(t *testing.T, p *loops.Procedure, text string) string {
	t.Helper()
	out := ""
	for seed := range uint64(3) {
		after, err := looptest.Evaluated(p, alike(t, text, seed), seed)
		if err != nil {
			after = "it ends"
		}
		out += after
	}
	return out
}
