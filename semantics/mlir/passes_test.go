package mlir_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"tv/internal/mliropt"
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

// textsOf are those of kernels.
func textsOf(list []kernel) (texts []string) {
	for _, k := range list {
		texts = append(texts, k.text)
	}
	return texts
}

// TestPasses: what passes make of kernels is read, and the evaluator leaves what it leaves when it is compiled.
func TestPasses(t *testing.T) {
	if !installed(t, "mlir-opt-19") {
		return
	}
	names := tier.Pick([]string{"16"}, []string{"16", "19"})
	kept := tier.Draw(4, 2, 1) // of how many outputs one is run
	for _, version := range names {
		var batch []program
		seen := map[string]bool{}
		list := kernels(t)
		for k, pass := range nestPasses {
			out, errs := mliropt.Pass(version, pass, textsOf(list))
			for i, kernel := range list {
				name, text := filepath.Base(kernel.name), out[i]
				if err := errs[i]; err != nil {
					t.Logf("%s of %s: %.200v", pass, name, err) // a pass may refuse a kernel
					continue
				}
				if p, err := mlir.Parse(source.NewFile(pass, text), ""); err != nil {
					t.Errorf("%s of %s by %s: %v\n%s", pass, name, version, err, text)
				} else if format := loops.Format(p); (i+k)%kept == 0 && !seen[format] {
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
		for k, pass := range nestPasses {
			var texts []string
			for seed := k; seed < tier.Draw(20, 40, 80); seed += len(nestPasses) {
				texts = append(texts, string(mlir.Generate(uint64(seed))))
			}
			out, errs := mliropt.Pass(version, pass, texts)
			for i, text := range out {
				seed := uint64(k + i*len(nestPasses))
				if errs[i] != nil {
					t.Logf("%s of seed %d by %s: %.300v", pass, seed, version, errs[i])
					continue
				}
				p, err := mlir.Parse(source.NewFile("x.mlir", text), "")
				if err != nil {
					t.Errorf("%s of seed %d by %s: %v\n%s", pass, seed, version, err, text)
					continue
				}
				batch = append(batch, program{name: fmt.Sprint(pass, " of seed ", seed), text: text, seed: seed, sizes: looptest.Sizes(p, seed), mayEnd: true})
			}
		}
		t.Log(version, compare(t, version, batch), "are compared")
	}
}

// TestGenericForm: the generic form of kernels, and of programs, is read into the same.
func TestGenericForm(t *testing.T) {
	if !installed(t, "mlir-opt-19") {
		return
	}
	texts := textsOf(kernels(t))
	for seed := range uint64(tier.Draw(10, 20, 60)) {
		texts = append(texts, string(mlir.Generate(seed)))
	}
	for _, version := range []string{"16", "19"} {
		var read [3][]string // by flags
		for k, flags := range [][]string{{"--mlir-print-local-scope"}, {}, {"--mlir-print-op-generic"}} {
			out, errs := mliropt.Each(version, texts, flags...)
			for i, printed := range out {
				if errs[i] != nil {
					t.Fatalf("%v\n%s", errs[i], texts[i])
				}
				p, err := mlir.Parse(source.NewFile(strings.Join(flags, " "), printed), "")
				if err != nil {
					t.Fatalf("%v\n%s", err, printed)
				}
				read[k] = append(read[k], left(t, p, printed))
			}
		}
		for i, text := range texts {
			if read[0][i] != read[1][i] || read[0][i] != read[2][i] {
				t.Errorf("%s is read in three ways by %s:\n%s\n%s\n%s", text, version, read[0][i], read[1][i], read[2][i])
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
