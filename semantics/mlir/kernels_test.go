package mlir_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tv/semantics/loops"
	"tv/semantics/loops/looptest"
	"tv/semantics/mlir"
)

var update = flag.Bool("update", false, "write the golden files anew")

// A kernel is a file of the corpus.
type kernel struct{ name, text string }

// kernels are the files of the corpus.
func kernels(t *testing.T) []kernel { return kernelsIn(t, "languages/mlir", 10) }

// kernelsIn are the files of a directory of testdata, so many at least.
func kernelsIn(t *testing.T, dir string, least int) (out []kernel) {
	t.Helper()
	files, err := filepath.Glob("../../testdata/" + dir + "/*.mlir")
	if err != nil || len(files) < least {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, kernel{file, string(text)})
	}
	return out
}

// TestGolden: each file of the corpus is in canonical layout, and read into the procedure that stands beside it.
func TestGolden(t *testing.T) {
	for _, k := range kernels(t) {
		t.Run(filepath.Base(k.name), func(t *testing.T) {
			got := loops.Format(parsed(t, k.name, k.text))
			golden := strings.TrimSuffix(k.name, ".mlir") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(k.name, []byte(mlir.Format(k.text)), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || string(want) != got {
				t.Errorf("%v: %s is\n%s\nwant\n%s", err, k.name, got, want)
			}
			if layout := mlir.Format(k.text); layout != k.text {
				t.Errorf("%s is laid out as\n%s", k.name, layout)
			}
		})
	}
}

// TestKernels: what compiled code leaves is what the evaluator leaves.
func TestKernels(t *testing.T) {
	if !installed(t) {
		return
	}
	var batch []program
	for _, k := range append(kernels(t), kernelsIn(t, "polybench", 30)...) {
		for seed := range uint64(6) {
			batch = append(batch, program{name: k.name, text: k.text, seed: seed, sizes: alike(t, k.text, seed), mayEnd: true})
		}
	}
	if n := compare(t, "16", batch); n < len(batch)/4 {
		t.Errorf("%d calls come to their end", n)
	}
}

// alike draws sizes, most often one number for all.
func alike(t *testing.T, text string, seed uint64) map[string]int64 {
	sizes := looptest.Sizes(parsed(t, "", text), seed)
	for name := range sizes {
		if seed%3 > 0 {
			sizes[name] = int64(1 + 2*seed%7)
		}
	}
	return sizes
}
