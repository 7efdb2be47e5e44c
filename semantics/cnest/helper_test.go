package cnest_test

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// installed tells whether there is a gcc to compare with.
func installed(t *testing.T) bool {
	t.Helper()
	_, err := exec.LookPath("gcc")
	if err != nil {
		t.Log("no gcc: nothing is compared")
	}
	return err == nil
}

// corpus lists the files of C that are there to be read.
func corpus(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../testdata/languages/c/*.c")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	return files
}
