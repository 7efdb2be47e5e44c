package cnest_test

import (
	"context"
	"math"
	"os/exec"
	"path/filepath"
	"testing"

	"tv/semantics/loops"
	"tv/semantics/loops/run"
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

func floatBits(f float64, width int) uint64 {
	if width == 32 {
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

func isNaN(bits uint64, width int) bool {
	if width == 32 {
		return math.IsNaN(float64(math.Float32frombits(uint32(bits))))
	}
	return math.IsNaN(math.Float64frombits(bits))
}

// dimsOf are the dims of a parameter at some sizes: those that a run of nothing has.
func dimsOf(b *loops.Buffer, sizes map[string]int64) []int64 {
	r, err := run.New(&loops.Procedure{Buffers: []*loops.Buffer{b}}, run.Options{Sizes: sizes})
	if err != nil || r.Do(context.Background()) != nil {
		panic(err)
	}
	return r.Dims(b)
}
