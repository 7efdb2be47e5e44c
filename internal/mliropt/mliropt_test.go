package mliropt

import (
	"os/exec"
	"testing"
)

// TestEach: texts together are what each is alone, also where one is refused or none is left.
func TestEach(t *testing.T) {
	const (
		one   = "func.func @f(%m: memref<?xf32>) {\n  affine.for %i = 0 to 4 {\n    %x = affine.load %m[%i] : memref<?xf32>\n" + "    affine.store %x, %m[%i + 1] : memref<?xf32>\n  }\n  return\n}\n"
		two   = "func.func @g() {\n  return\n}"
		wrong = "func.func @f() {\n  oops\n}\n"
	)
	for version := range separators {
		if _, err := exec.LookPath("mlir-opt-" + version); err != nil {
			t.Logf("no mlir-opt-%s: nothing is run; .ci/deps mlir-16-tools mlir-19-tools installs it", version)
			continue
		}
		for _, texts := range [][]string{{}, {one}, {wrong}, {one, two}, {wrong, one}, {one, wrong, wrong, two}, {two, one, wrong}} {
			out, errs := Pass(version, "affine-loop-unroll{unroll-factor=2}", texts)
			for k, text := range texts {
				want, err := run(version, text, []string{"--pass-pipeline=builtin.module(func.func(affine-loop-unroll{unroll-factor=2}))"})
				if out[k] != want || (errs[k] == nil) != (err == nil) || (err == nil) != (text != wrong) {
					t.Errorf("%s, text %d of %d:\n%q, %v\nalone\n%q, %v", version, k+1, len(texts), out[k], errs[k], want, err)
				}
			}
		}
		for _, pipeline := range []string{"lower-affine", "no-such-pass"} {
			if out, errs := Pass(version, pipeline, []string{one, two}); (errs[1] == nil) != (pipeline == "lower-affine") {
				t.Errorf("%s %s: %q, %v", version, pipeline, out, errs)
			}
		}
	}
}
