package files

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestSweep: what killed processes left of tv's files goes, and nothing else.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-time.Hour)
	files := map[string]bool{ // whether they stay
		"self-case-1.txtar.12-0.tmp": false, "self-0-of-1.json.4194304-100.tmp": false, "probe.7-0.tmp": false,
		"self-case-1.txtar": true, "notes.txt.12-0.tmp": true, "self-case-1.txtar.tmp": true, "self-case-1.txtar.12.tmp": true,
		"self-case-1.txtar.x-0.tmp": true, "self-case-1.txtar.12-0": true, "self-case-1.txtar.-0.tmp": true, ".12-0.tmp": true,
		"self-young.txtar.12-0.tmp": true, "self-dir.txtar.12-0.tmp/file": true,
	}
	for name := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(name, "young") {
			if err := os.Chtimes(name, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := Sweep(dir, func(name string) bool { return strings.HasPrefix(name, "self-") }); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != files[name] {
			t.Errorf("%s: stays %v, want %v", name, err == nil, files[name])
		}
	}
	// What WriteAtomic leaves when it is killed has such a name.
	temp, err := createTemp(filepath.Join(dir, "self-x.json"), 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer temp.Close()
	if name, ok := temporaryOf(filepath.Base(temp.Name())); !ok || name != "self-x.json" {
		t.Errorf("%s is one of %q, %v", temp.Name(), name, ok)
	}
	if err := Sweep(filepath.Join(dir, "none"), nil); err == nil || !strings.Contains(err.Error(), "[file-unreadable]") {
		t.Errorf("a directory that is not there: %v", err)
	}
}

func TestMove(t *testing.T) {
	dir := t.TempDir()
	name, to := filepath.Join(dir, "a.txtar"), filepath.Join(dir, "q")
	for i, want := range []string{"a.txtar", "a-2.txtar", "a-3.txtar"} {
		if err := os.WriteFile(name, []byte{byte('0' + i)}, 0o666); err != nil {
			t.Fatal(err)
		}
		got, moved, err := Move(name, to)
		if err != nil || !moved || got != filepath.Join(to, want) {
			t.Errorf("Move = %s, %v, %v, want %s", got, moved, err, want)
		}
		if text, err := os.ReadFile(got); err != nil || string(text) != string(rune('0'+i)) {
			t.Errorf("%s holds %q, %v", got, text, err)
		}
	}
	if got, moved, err := Move(name, to); moved || err != nil {
		t.Errorf("a file that is gone: %s, %v, %v", got, moved, err)
	}
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	_, _, err := Move(name, filepath.Join(to, "a.txtar"))
	if err == nil || !strings.Contains(err.Error(), "cannot be moved to "+to) || !strings.Contains(err.Error(), "[file-unwritable]") {
		t.Errorf("into a file: %v", err)
	}
	if _, err := os.Stat(name); err != nil {
		t.Errorf("what could not be moved is gone: %v", err)
	}
}
