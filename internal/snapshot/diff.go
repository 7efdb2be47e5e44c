package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// compare lists what differs between two snapshots, of the files that hold a text in their path: a line for each file
// that one of them lacks, two for each that is not the same.
func compare(old, new, only string) ([]string, error) {
	files := map[string]bool{}
	for _, dir := range []string{old, new} {
		if err := list(dir, only, files); err != nil {
			return nil, err
		}
	}
	var out []string
	for _, file := range slices.Sorted(maps.Keys(files)) {
		x, errOld := os.ReadFile(filepath.Join(old, file))
		y, errNew := os.ReadFile(filepath.Join(new, file))
		switch {
		case errOld != nil && errNew != nil:
			return nil, errOld
		case errOld != nil:
			out = append(out, file+": new")
		case errNew != nil:
			out = append(out, file+": gone")
		case !bytes.Equal(x, y):
			out = append(out, file+": differs", excerpts(x, y))
		}
	}
	return out, nil
}

// list adds the files below dir, by their paths in it.
func list(dir, only string, files map[string]bool) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if strings.Contains(name, only) {
			files[name] = true
		}
		return err
	})
}

// around is how much of two texts is shown on each side of the first byte that differs.
const around = 60

// excerpts shows two texts where they first differ.
func excerpts(x, y []byte) string {
	at := 0
	for at < len(x) && at < len(y) && x[at] == y[at] {
		at++
	}
	excerpt := func(text []byte) []byte { return text[max(0, at-around):min(len(text), at+around)] }
	return fmt.Sprintf("  byte %d: %q, now %q", at, excerpt(x), excerpt(y))
}
