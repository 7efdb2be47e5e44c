package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each command and each topic has a page, which says what the help says; twice made it is the same.
func TestPages(t *testing.T) {
	dir, again := t.TempDir(), t.TempDir()
	for _, d := range []string{dir, again} {
		if err := run([]string{filepath.Join(d, "man")}, "2026-01-31"); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string][]string{
		"tv.1":                {"tv-check(1)", "tv-files(7)", "prove or refute that two tensor programs mean the same"},
		"tv-check.1":          {"--timeout", "Jan 2026"},
		"tv-ila-verify.1":     {"--all-sizes"},
		"tv-fuzz-self.1":      {"--budget"},
		"tv-files.7":          {"Litmus", "Counterexample"},
		"tv-exit-status.7":    {"130"},
		"tv-arithmetic.7":     {"exact"},
		"tv-completion-zsh.1": {"zsh"},
	} {
		page, err := os.ReadFile(filepath.Join(dir, "man", name))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, w := range want {
			if !strings.Contains(string(page), w) {
				t.Errorf("%s does not say %s", name, w)
			}
		}
		if twin, err := os.ReadFile(filepath.Join(again, "man", name)); err != nil || string(twin) != string(page) {
			t.Errorf("%s: another page the second time, %v", name, err)
		}
	}
	for _, args := range [][]string{nil, {"a", "b"}} {
		if run(args, "") == nil {
			t.Errorf("%q is taken", args)
		}
	}
	if run([]string{dir}, "yesterday") == nil {
		t.Error("a day that is none is taken")
	}
}
