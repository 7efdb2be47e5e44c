package cli

import (
	"context"
	"path/filepath"
	"testing"

	"tv/equiv"
	"tv/internal/casefile"
	"tv/internal/files"
	"tv/internal/source"
)

// Every counterexample that check writes for the litmus files is read back and shows its difference.
func TestReplayLitmus(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(root, "testdata", "check", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	replayed := 0
	for _, name := range names {
		f, err := files.Read(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		l, err := casefile.ReadLitmus(f)
		if err != nil {
			t.Fatal(err)
		}
		if l.Want != equiv.Refuted {
			continue
		}
		p, err := loadLitmus(newQuestionFlags(), nil, l)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r, err := equiv.Check(context.Background(), p.before, p.after, p.opts)
		if err != nil || r.Verdict != equiv.Refuted {
			continue // the litmus suite tests the verdicts
		}
		c, ok := casefile.NewCounterexample(p.before.File, p.after.File, &r)
		if !ok {
			continue // the sides differ in type: there is nothing to run
		}
		data, err := c.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		replayed++
		if !replays(t, name, data) {
			t.Logf("%s", data)
		}
	}
	if replayed < 100 {
		t.Errorf("replayed %d counterexamples only", replayed)
	}
	t.Logf("replayed %d counterexamples", replayed)
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
