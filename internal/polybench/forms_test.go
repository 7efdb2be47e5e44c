package polybench

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/internal/mliropt"
	"tv/internal/tier"
)

var update = flag.Bool("update", false, "write the table anew, and what mlir-opt makes of the kernels, where it is installed")

const corpus = "../../testdata/polybench"

// A pass is what makes a form of a kernel.
type pass struct{ name, version, pipeline string }

// passes are by the version that makes a form where both make the same; where they do not, both forms are kept.
var passes = []pass{
	{"tile", "16", "affine-loop-tile{tile-sizes=4,3,8}"},
	{"unroll", "19", "affine-loop-unroll{unroll-factor=2}"},
	{"fusion", "19", "affine-loop-fusion"},
	{"scalrep", "16", "affine-scalrep"},
	{"licm", "19", "affine-loop-invariant-code-motion"},
	{"normalize", "16", "affine-loop-tile{tile-size=5},affine-loop-normalize"},
	{"parallelize", "19", "affine-parallelize"},
	{"vectorize", "16", "affine-super-vectorize{virtual-vector-size=4}"},
	{"copy", "19", "affine-data-copy-generate{generate-dma=false fast-mem-space=0 skip-non-unit-stride-loops}"},
	{"lower", "16", "lower-affine"},
	{"permute", "19", "test-loop-permutation{permutation-map=1,0}"},
}

// kernels are the names of the corpus.
func kernels(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(corpus, "*.c"))
	if err != nil || len(files) != 30 {
		t.Fatalf("%d kernels, %v", len(files), err)
	}
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".c"))
	}
	return names
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// forms are what mlir-opt made of a kernel, each below the command that made it.
func forms(t *testing.T, kernel string) []txtar.File {
	t.Helper()
	return txtar.Parse([]byte(read(t, filepath.Join("forms", kernel+".txtar")))).Files
}

// TestForms: the forms are what mlir-opt prints. With -update they are made anew.
func TestForms(t *testing.T) {
	tier.Sweep(t)
	for _, version := range []string{"16", "19"} {
		if _, err := exec.LookPath("mlir-opt-" + version); err != nil {
			t.Logf("no mlir-opt-%s: no form is made; .ci/deps mlir-16-tools mlir-19-tools installs it", version)
			return
		}
	}
	names := kernels(t)
	var texts []string
	for _, kernel := range names {
		texts = append(texts, read(t, kernel+".mlir"))
	}
	for i, files := range made(texts) {
		kernel, made := names[i], txtar.Format(&txtar.Archive{Files: files})
		name := filepath.Join(corpus, "forms", kernel+".txtar")
		if *update {
			if err := os.WriteFile(name, made, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if old := read(t, filepath.Join("forms", kernel+".txtar")); old != string(made) {
			t.Errorf("%s is not what mlir-opt prints: make polybench TESTFLAGS=-update", name)
		}
	}
}

// made are the forms of each text that differ from it and from each other, as version 19 prints them.
func made(texts []string) [][]txtar.File {
	out, seen := make([][]txtar.File, len(texts)), make([]map[string]bool, len(texts))
	for i, plain := range printed("19", texts) {
		seen[i] = map[string]bool{plain: true}
	}
	for _, p := range passes {
		other := map[string]string{"16": "19", "19": "16"}[p.version]
		for _, version := range []string{p.version, other} {
			forms, errs := mliropt.Pass(version, p.pipeline, texts)
			for i, plain := range printed("19", forms) {
				if plain == "" {
					plain = forms[i] // 19 cannot read all that 16 prints
				}
				if errs[i] != nil || seen[i][plain] { // a pass may refuse a kernel
					continue
				}
				seen[i][plain] = true
				head := fmt.Sprintf("// mlir-opt-%s --pass-pipeline='builtin.module(func.func(%s))'\n", version, p.pipeline)
				out[i] = append(out[i], txtar.File{Name: version + "-" + p.name + ".mlir", Data: []byte(head + forms[i])})
			}
		}
	}
	return out
}

// printed is what a version of mlir-opt prints of each text, nothing where it cannot read it.
func printed(version string, texts []string) []string {
	out, errs := mliropt.Each(version, texts)
	for i := range out {
		if errs[i] != nil {
			out[i] = ""
		}
	}
	return out
}
