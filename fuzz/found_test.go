package fuzz

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tv/fuzz/passes"
	"tv/internal/files"
	"tv/internal/tier"
)

// TestFoundInMLIR: each miscompile of mlir-opt that is kept has its section on the page, with its texts; where the tools are, the
// command still prints what is kept, and the compiled programs show that it is wrong.
func TestFoundInMLIR(t *testing.T) {
	page, err := os.ReadFile("../doc/found-mlir.md")
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob("../testdata/languages/mlir-found-*-bad.txtar")
	if err != nil || len(names) < 10 {
		t.Fatalf("%d files: %v", len(names), err)
	}
	tools := mlirTools(t)
	again := tier.Draw(4, 2, 1) // of how many one is compiled
	for k, name := range names {
		f, err := files.Read(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		e, ours, err := readEntry("passes", f)
		if err != nil || !ours || e.Kind != kindMiscompile {
			t.Fatalf("%s is no finding: %v", name, err)
		}
		section := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), "mlir-found-"), "-bad.txtar")
		for _, text := range []string{"\n## " + section + "\n", e.value(printedBy), e.Parts["before.mlir"], e.Parts["after.mlir"], e.value("compiled")} {
			if !strings.Contains(string(page), text) {
				t.Errorf("doc/found-mlir.md lacks this of %s:\n%s", section, text)
			}
		}
		if !tools || k%again > 0 {
			continue
		}
		words, err := passes.Split(e.value(printedBy))
		if err != nil {
			t.Fatal(err)
		}
		target := &Passes{Command: words, Language: "mlir"}
		out, failure := target.transformed(context.Background(), e.Parts["before.mlir"])
		if failure != nil || strings.TrimSpace(out) != strings.TrimSpace(e.Parts["after.mlir"]) {
			t.Errorf("%s: the command now prints\n%s%v", section, out, failure)
		}
		o, err := target.Worker().Again(e)
		if err != nil || o.Suspect == nil {
			t.Errorf("%s: nothing is wrong: %v", section, err)
		} else if found := o.Suspect.Finding(); found.Kind != kindMiscompile {
			t.Errorf("%s: %s: %s", section, found.Kind, found.Detail)
		}
	}
}

// mlirTools tells whether there is what compiles MLIR.
func mlirTools(t *testing.T) bool {
	t.Helper()
	for _, tool := range []string{"mlir-opt-19", "mlir-opt-16", "mlir-translate-16", "clang-16"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Logf("no %s: nothing is compiled; .ci/deps mlir-16-tools mlir-19-tools clang-16 installs it", tool)
			return false
		}
	}
	return true
}
