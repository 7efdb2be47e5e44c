package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestCompare(t *testing.T) {
	write := func(files map[string]string) string {
		dir := t.TempDir()
		for name, text := range files {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	old := write(map[string]string{"a/said": "proved", "b/said": "proved, 1", "c/said": "gone", "e/said": "x"})
	new := write(map[string]string{"a/said": "proved", "b/said": "proved, 2", "d/said": "new", "e/said": "x"})
	got, err := compare(old, new, "")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"b/said: differs", `  byte 8: "proved, 1", now "proved, 2"`, "c/said: gone", "d/said: new"}
	if !slices.Equal(got, want) {
		t.Errorf("compare = %q, want %q", got, want)
	}
	if got, err := compare(old, new, "a/"); err != nil || len(got) > 0 {
		t.Errorf("compare of what is the same = %q, %v", got, err)
	}
}

func TestQuestions(t *testing.T) {
	t.Chdir("../..")
	list, err := questions()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, q := range list {
		if names[q.name] {
			t.Errorf("%s is asked twice", q.name)
		}
		names[q.name] = true
	}
	for _, name := range []string{"testdata/check/access-decides-axis.txtar", "glenside/rules/paper.rules",
		"examples/dense-int8.sexp=dense-int8.vta", "ila/vta-dense--all-sizes"} {
		if !names[name] {
			t.Errorf("%s is not asked", name)
		}
	}
}
