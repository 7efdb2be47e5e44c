package cli

import (
	"path/filepath"
	"sync/atomic"
	"testing"

	"tv/equiv"
	"tv/internal/casefile"
	"tv/internal/files"
	"tv/internal/source"
	"tv/internal/tier"
)

// Every counterexample that check writes for the litmus files is read back and shows its difference.
func TestReplayLitmus(t *testing.T) {
	tier.Sweep(t)
	names, err := filepath.Glob(filepath.Join(root, "testdata", "check", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	var replayed atomic.Int64
	t.Run("files", func(t *testing.T) {
		for _, name := range names {
			t.Run(filepath.Base(name), func(t *testing.T) {
				t.Parallel()
				if replayLitmus(t, name) {
					replayed.Add(1)
				}
			})
		}
	})
	if t.Logf("replayed %d counterexamples", replayed.Load()); replayed.Load() < 100 {
		t.Error("too few")
	}
}

// replayLitmus writes and reads the counterexample of a file that has one.
func replayLitmus(t *testing.T, name string) bool {
	f, err := files.Read(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := casefile.ReadLitmus(f)
	if err != nil {
		t.Fatal(err)
	}
	if l.Want != equiv.Refuted {
		return false
	}
	p, err := loadLitmus(newQuestionFlags(), nil, l)
	if err != nil {
		t.Fatal(err)
	}
	r, err := equiv.Check(t.Context(), equiv.Question{Before: p.before, After: p.after, Bind: p.bind}, p.opts)
	if err != nil || r.Verdict != equiv.Refuted {
		return false // the litmus suite tests the verdicts
	}
	c, ok := casefile.NewCounterexample(p.before.File(), p.after.File(), &r)
	if !ok {
		return false // the sides differ in type: there is nothing to run
	}
	c.Extensions = l.Extensions
	data, err := c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if !replays(t, name, data) {
		t.Logf("%s", data)
	}
	return true
}

// replays tells whether a counterexample shows its difference, and the values that it says.
func replays(t *testing.T, name string, data []byte) bool {
	t.Helper()
	c, err := casefile.ReadCounterexample(source.NewFile("cx.txtar", string(data)))
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return false
	}
	r, err := newReplay(c)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return false
	}
	text, differ, err := r.run()
	if err != nil || !differ {
		t.Errorf("%s: %s%v", name, text, err)
		return false
	}
	return true
}
