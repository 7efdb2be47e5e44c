package planted_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tv/internal/planted"
)

const root = "../.."

func names(t *testing.T, list string) []string {
	t.Helper()
	f, err := planted.Read(filepath.Join(root, list))
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(slices.Values(f.Names))
}

// TestFit: every edit fits the tree as it is, what comes of them is Go, every fault of the prover has a false pair, and every
// one of the checker is in a step in which the prover has one.
func TestFit(t *testing.T) {
	all, err := planted.ReadAll(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all.Paths() {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Error(err)
			continue
		}
		_, errs := all.Apply(path, text)
		for _, err := range errs {
			t.Error(err)
		}
	}
	if _, err := all.Overlay(root, t.TempDir()); err != nil {
		t.Error(err)
	}
	for list, least := range map[string]int{planted.Prover: 40, planted.Loops: 16, planted.Circuits: 16, planted.Maps: 10} {
		files, err := filepath.Glob(filepath.Join(root, filepath.Dir(list), "*.txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range files {
			files[i] = strings.TrimSuffix(filepath.Base(name), ".txtar")
		}
		if names := names(t, list); !slices.Equal(files, names) || len(names) < least {
			t.Errorf("pairs for %q, faults %q", files, names)
		}
	}
	loops, checker := names(t, planted.Loops), names(t, planted.Checker)
	for _, f := range checker {
		if own, ok := strings.CutPrefix(f, planted.InChecker); !ok || !slices.Contains(loops, own) {
			t.Errorf("no fault of the prover is in the step of %s", f)
		}
	}
	for _, n := range []int{len(checker), len(names(t, planted.CircuitChecker))} {
		if n < 16 {
			t.Errorf("only %d faults in a checker", n)
		}
	}
}

// TestPages: the pages that say how many faults there are say it right.
func TestPages(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "doc/certificates.md"))
	for _, list := range []string{planted.Circuits, planted.CircuitChecker} {
		if says := fmt.Sprintf("%d faults", len(names(t, list))); err != nil || !strings.Contains(string(text), says) {
			t.Errorf("doc/certificates.md does not say %q of circuits (%v)", says, err)
		}
	}
	prover := len(names(t, planted.Prover)) + len(names(t, planted.Loops))
	for _, page := range []string{"README.md", "doc/certificates.md"} {
		text, err := os.ReadFile(filepath.Join(root, page))
		for _, n := range []int{prover, len(names(t, planted.Checker))} {
			if says := fmt.Sprintf("%d faults", n); err != nil || !strings.Contains(string(text), says) {
				t.Errorf("%s does not say %q (%v)", page, says, err)
			}
		}
	}
}

// TestEdits: an edit has to occur exactly once and by itself, and a list of faults has to be whole.
func TestEdits(t *testing.T) {
	const text = "// Package p.\npackage p\n\nfunc f(x int) bool { return x > 0 && x < 9 }\n"
	read := func(list string) (*planted.Faults, error) {
		name := filepath.Join(t.TempDir(), "faults.txt")
		if err := os.WriteFile(name, []byte(list), 0o666); err != nil {
			t.Fatal(err)
		}
		return planted.Read(name)
	}
	f, err := read("# c\n== p.go\nlow: no lower end\n- x > 0\n+ (x > 0 || FAULT)\nhigh: no upper end\n- x < 9\n+ (x < 9 || FAULT)\n")
	if err != nil {
		t.Fatal(err)
	}
	got, errs := f.Apply("p.go", []byte(text))
	want := "// Package p.\npackage p; import \"tv/internal/planted\"\n\nfunc f(x int) bool { return " +
		"(x > 0 || planted.Here(\"low\")) && (x < 9 || planted.Here(\"high\")) }\n"
	if len(errs) > 0 || string(got) != want {
		t.Errorf("%v\n%s", errs, got)
	}
	for old, says := range map[string]string{
		"x > 1": "fault low is to be renewed: p.go has 0 times, not once: x > 1", "x ": "has 3 times",
		"0 && x": "fault high edits what another one edits",
	} {
		f, err := read("== p.go\nlow: no end\n- " + old + "\n+ FAULT\nhigh: the same\n- x < 9\n+ FAULT\n")
		if err != nil {
			t.Fatal(err)
		}
		if _, errs := f.Apply("p.go", []byte(text)); len(errs) != 1 || !strings.Contains(errs[0].Error(), says) {
			t.Errorf("%s: %v, want %s", old, errs, says)
		}
	}
	for _, list := range []string{
		"- x\n+ FAULT\n", "== p.go\n- x\n+ FAULT\n", "== p.go\na: b\n", "== p.go\na: b\n- x\n", "== p.go\na: b\n- x\n+ y\n",
		"== p.go\na: b\n- x\n+ FAULT\na: b\n- y\n+ FAULT\n", "== p.go\na\n- x\n+ FAULT\n", "== p.go\na: b\n+ FAULT\n",
	} {
		if _, err := read(list); err == nil || !strings.Contains(err.Error(), "faults.txt:") {
			t.Errorf("%q: %v", list, err)
		}
	}
}

// TestPlant: a process has the faults that were planted last, and none to begin with.
func TestPlant(t *testing.T) {
	remove := planted.Plant("a")
	if !planted.Here("a") || planted.Here("b") {
		t.Error("a is not the fault")
	}
	planted.Plant("b", "c")
	if planted.Here("a") || !planted.Here("b") || !planted.Here("c") {
		t.Error("b and c are not the faults")
	}
	if remove(); planted.Here("b") || planted.Here("") {
		t.Error("a fault is left")
	}
}
