package cache

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	store "github.com/rogpeppe/go-internal/cache"

	"tv/equiv"
	"tv/equiv/sample"
	"tv/semantics/domain"
)

func elem(t *testing.T, name string) domain.Elem {
	t.Helper()
	e, ok := domain.ParseElem(name)
	if !ok {
		t.Fatalf("no element type %s", name)
	}
	return e
}

// memos returns one of each kind, with every field in use.
func memos(t *testing.T) map[string]*equiv.Memo {
	c := &sample.Counterexample{
		Point: domain.Point{"N": 3}, Path: []int{1, 0}, Index: []int64{0, 2}, Before: "0x1p-3", After: "undefined",
		Inputs: []sample.InputValue{
			{Name: `odd "name`, Elem: elem(t, "adaptive8.3"), Dims: []int64{2, 1 << 40},
				Sparse: map[int64]string{1 << 40: "-0"}},
			{Name: "s", Elem: elem(t, "bool"), Sparse: map[int64]string{0: "1"}},
		},
		Seed: 7,
	}
	return map[string]*equiv.Memo{
		"proof": {
			Engine: "normal-form", Stats: equiv.Stats{Nodes: 1, Terms: 2, Queries: 3, Contexts: 4, Samples: 5},
			Certificate: []byte("tv-certificate\n<&>\x01\n"),
			Exact:       &equiv.ExactMemo{Verdict: "yes", Certificate: []byte("another\n")},
		},
		"real": {
			Engine: "enumerate", Certificate: []byte("c"),
			Exact: &equiv.ExactMemo{Verdict: "no", Reason: "values", Witness: c},
		},
		"refutation": {Engine: "sample", Counterexample: c, FoundPath: []int{1}, FoundIndex: []int64{4}},
	}
}

func open(t *testing.T, dir string) *Cache {
	t.Helper()
	c, err := Open(dir, "build")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// closed closes an entry and wants no warning.
func closed(t *testing.T, e *Entry) {
	t.Helper()
	if w := e.Close(); len(w) > 0 {
		t.Errorf("warnings: %q", w)
	}
}

// content is the file of what an entry holds.
func content(t *testing.T, e *Entry) string {
	t.Helper()
	file, _, err := e.cache.store.(*store.Cache).GetFile(e.id)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "when needed")
	want := memos(t)
	e := open(t, dir).Entry("statement", "parameters")
	for key, m := range want {
		if e.Recall(key) != nil {
			t.Errorf("%s is there before it was kept", key)
		}
		e.Keep(key, m)
	}
	closed(t, e)
	again := open(t, dir).Entry("statement", "parameters")
	if diff := cmp.Diff(want, again.memos); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	// What is only read is not written.
	if err := os.Remove(content(t, again)); err != nil {
		t.Fatal(err)
	}
	closed(t, again)
	if _, err := os.Stat(again.cache.store.(*store.Cache).OutputFile(sha256.Sum256(again.bytes()))); err == nil {
		t.Error("an entry without news was written")
	}
}

// Whatever may change a report is in the name of the file.
func TestKeys(t *testing.T) {
	dir := t.TempDir()
	other, err := Open(dir, "another build")
	if err != nil {
		t.Fatal(err)
	}
	c, seen := open(t, dir), map[store.ActionID]bool{}
	for _, e := range []*Entry{
		c.Entry("s", "p"), c.Entry("s", "q"), c.Entry("t", "p"), other.Entry("s", "p"), c.Entry("s p", ""),
		c.Entry("", "s p"),
	} {
		if seen[e.id] {
			t.Errorf("%+v has the file of another question", e.question)
		}
		seen[e.id] = true
	}
	if c.Entry("s", "p").id != open(t, dir).Entry("s", "p").id {
		t.Error("a question has two files")
	}
}

// An entry that was damaged anywhere is not used, is reported and is written over.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir)
	e := c.Entry("s", "p")
	for key, m := range memos(t) {
		e.Keep(key, m)
	}
	closed(t, e)
	file := content(t, e)
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string][]byte{"empty": nil, "longer": append(bytes.Clone(good), "\n"...)}
	for at := 0; at < len(good); at += 7 {
		cases[fmt.Sprintf("cut at %d", at)] = good[:at]
		flipped := bytes.Clone(good)
		flipped[at] ^= 4
		cases[fmt.Sprintf("flipped at %d", at)] = flipped
	}
	for name, data := range cases {
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
		bad := c.Entry("s", "p")
		if bad.Recall("proof") != nil || bad.Recall("refutation") != nil {
			t.Errorf("%s: used", name)
		}
		for key, m := range memos(t) {
			bad.Keep(key, m)
		}
		if w := bad.Close(); len(w) != 1 || !strings.Contains(w[0], "warning: is damaged and not used") {
			t.Errorf("%s: warnings %q", name, w)
		}
		if fixed := c.Entry("s", "p"); fixed.Recall("proof") == nil || len(fixed.Close()) > 0 {
			t.Errorf("%s: not written over", name)
		}
	}
}

// A whole entry that is about another question, or of another form, is not used either.
func TestForged(t *testing.T) {
	c := open(t, t.TempDir())
	other := c.Entry("other", "p")
	other.Keep("proof", memos(t)["proof"])
	for _, body := range [][]byte{other.bytes(), []byte("{"), []byte(`{"memos": 1}`)} {
		e := c.Entry("s", "p")
		if err := c.store.PutBytes(e.id, body); err != nil {
			t.Fatal(err)
		}
		bad := c.Entry("s", "p")
		if w := bad.Close(); bad.Recall("proof") != nil || len(w) != 1 || !strings.Contains(w[0], "warning: is damaged and not used") {
			t.Errorf("%s: warnings %q", body, w)
		}
	}
}

// What nobody asked for in five days goes, what was asked for stays; a day passes between two looks.
func TestTrimmed(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir)
	for _, name := range []string{"old", "used"} {
		e := c.Entry(name, "p")
		e.Keep("proof", memos(t)["proof"])
		closed(t, e)
		past := time.Now().Add(-6 * 24 * time.Hour)
		for _, file := range []string{content(t, e), e.name()} {
			if err := os.Chtimes(file, past, past); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.Entry("used", "p")
	if open(t, dir); c.Entry("old", "p").Recall("proof") == nil {
		t.Error("looked for twice in a day")
	}
	past := time.Now().Add(-6 * 24 * time.Hour)
	for _, file := range []string{content(t, c.Entry("old", "p")), c.Entry("old", "p").name()} {
		if err := os.Chtimes(file, past, past); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "trim.txt")); err != nil {
		t.Fatal(err)
	}
	c = open(t, dir)
	if c.Entry("old", "p").Recall("proof") != nil || c.Entry("used", "p").Recall("proof") == nil {
		t.Error("not what was old and unused is gone")
	}
}

// A memo that was refused is gone, and the others stay.
func TestRefuse(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir).Entry("s", "p")
	for key, m := range memos(t) {
		e.Keep(key, m)
	}
	e.Refuse("proof", os.ErrInvalid)
	if w := e.Close(); len(w) != 1 || !strings.Contains(w[0], "does not answer the question: invalid argument") {
		t.Errorf("warnings %q", w)
	}
	again := open(t, dir).Entry("s", "p")
	if again.Recall("proof") != nil || again.Recall("refutation") == nil {
		t.Errorf("left: %v", again.memos)
	}
}

// Writers at the same time leave one whole entry, and readers see none that is not.
func TestConcurrent(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 10 {
				e := c.Entry("s", "p")
				e.Keep("proof", memos(t)["proof"])
				if w := e.Close(); len(w) > 0 {
					t.Errorf("warnings: %q", w)
				}
			}
		})
	}
	group.Wait()
	if c.Entry("s", "p").Recall("proof") == nil {
		t.Error("nothing is left")
	}
	if list, err := filepath.Glob(filepath.Join(dir, "*", "*-*")); err != nil || len(list) != 2 {
		t.Errorf("the directory holds %v, %v", list, err)
	}
}

func TestUnusable(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, filepath.Join(file, "below"), "/proc/cache"} {
		if _, err := Open(name, ""); err == nil || !strings.HasSuffix(err.Error(), "[file-unwritable]") {
			t.Errorf("Open(%s): %v", name, err)
		}
	}
	// A directory that goes away while there is work: the answer stands.
	gone := filepath.Join(dir, "gone")
	e := open(t, gone).Entry("s", "p")
	e.Keep("proof", memos(t)["proof"])
	if err := os.RemoveAll(gone); err != nil {
		t.Fatal(err)
	}
	if w := e.Close(); len(w) != 1 || !strings.Contains(w[0], "cannot be written") {
		t.Errorf("warnings %q", w)
	}
}

// TestInMemory: what a cache in memory collects is taken over by a directory and by another in memory, and by names of entries alone.
func TestInMemory(t *testing.T) {
	found := InMemory("build")
	e := found.Entry("s", "p")
	for key, m := range memos(t) {
		e.Keep(key, m)
	}
	closed(t, e)
	entries := found.Entries()
	if len(entries) != 1 {
		t.Fatalf("%d entries", len(entries))
	}
	for _, c := range []*Cache{InMemory("build"), open(t, t.TempDir())} {
		for name, data := range entries {
			if err := c.Add(name, data); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(memos(t), c.Entry("s", "p").memos); diff != "" {
			t.Errorf("taken over (-want +got):\n%s", diff)
		}
		if c.Entry("s", "q").Recall("proof") != nil {
			t.Error("another question is answered")
		}
		for _, name := range []string{"", "../../away", "00", strings.Repeat("g", 64), strings.Repeat("0", 66)} {
			if err := c.Add(name, nil); err == nil {
				t.Errorf("%q names an entry", name)
			}
		}
	}
	for name := range entries { // one that is about another question, and one that is none
		for _, data := range []string{"{}", "nothing", ""} {
			c := InMemory("build")
			if err := c.Add(name, []byte(data)); err != nil {
				t.Fatal(err)
			}
			if e := c.Entry("s", "p"); len(e.memos) > 0 || len(e.Close()) != 1 {
				t.Errorf("%q is used, or nothing is said of it", data)
			}
		}
	}
}
