package cluster

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tv/internal/source"
)

// hintOf is what a part of a test leaves.
func hintOf(b *Batch, part int64) Hint {
	text := fmt.Sprintf("%s %v part %d of %d:", b.Command, b.Flags, part, b.Parts)
	for _, f := range b.Of(part) {
		text += " " + f.Name + "=" + f.Text
	}
	return Hint{fmt.Sprintf("%x", sha256.Sum256([]byte(text))), []byte(text)}
}

// crew notes which parts it worked on.
type testCrew struct {
	Crew
	mu    sync.Mutex
	parts []int64
	said  []string
}

func newCrew(t *testing.T, build string) *testCrew {
	c := &testCrew{}
	c.Crew = Crew{Build: build, Jobs: 2, AckWait: patience, Log: func(text string) {
		t.Log(text)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.said = append(c.said, text)
	}, Work: func(ctx context.Context, b *Batch, part int64) ([]Hint, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.parts = append(c.parts, part)
		return []Hint{hintOf(b, part), {"../../away", []byte("x")}}, nil
	}}
	return c
}

// serving has a crew serve until stop is called.
func (c *testCrew) serving(url string) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan bool)
	go func() { _ = c.Serve(ctx, Server{URL: url}); close(ended) }()
	return func() { cancel(); <-ended }
}

// count is how many parts a crew worked on, and what it said.
func (c *testCrew) count() (int, string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.parts), strings.Join(c.said, "\n")
}

func testBatch(parts int64, byFile bool) *Batch {
	b := &Batch{Command: "check", Flags: []string{"--expect=true"}, ByFile: byFile, Parts: parts}
	for i := range 7 {
		b.Files = append(b.Files, BatchFile{BatchName(i, ".txtar"), fmt.Sprintf("text %d", i%3)})
	}
	return b
}

// wanted is what a batch leaves.
func wanted(b *Batch) map[string]string {
	out := map[string]string{}
	for n := range b.Parts {
		h := hintOf(b, n)
		out[h.Name] = string(h.Data)
	}
	return out
}

func texts(hints map[string][]byte) map[string]string {
	out := map[string]string{}
	for name, data := range hints {
		out[name] = string(data)
	}
	return out
}

func TestNames(t *testing.T) {
	for name, want := range map[string]bool{BatchName(0, ".txtar"): true, BatchName(99_999, ".C"): true, "f1": false, "f1.": false, "f.c": false, "1.c": false, "f1.c/..": false,
		"../f1.c": false, "f1.a.c": false, "f1234567.c": false, "f1.\n": false, "": false, "f1.abcdefghijklmnopq": false} {
		if isBatchFile(name) != want {
			t.Errorf("isBatchFile(%q) is not %t", name, want)
		}
	}
	digest := strings.Repeat("0a", 32)
	for name, want := range map[string]bool{digest: true, digest[1:]: false, digest + "0": false, "g" + digest[1:]: false, strings.ToUpper(digest): false, digest[:31] + "." + digest[32:]: false} {
		if isKept(name) != want {
			t.Errorf("isKept(%q) is not %t", name, want)
		}
	}
}

// TestBatch: who asks has what all parts leave, by whichever crew; one of another build says so and works on nothing; who asks again has the same at once.
func TestBatch(t *testing.T) {
	s := serve(t, t.TempDir(), "127.0.0.1:0")
	defer s.Stop()
	other, helper := newCrew(t, "another"), newCrew(t, "b")
	defer other.serving(s.URL())()
	defer helper.serving(s.URL())()
	for _, b := range []*Batch{testBatch(1, false), testBatch(40, false), testBatch(7, true), testBatch(3, true)} {
		asker := newCrew(t, "b")
		asker.Work = func(ctx context.Context, b *Batch, part int64) ([]Hint, error) {
			for n, _ := helper.count(); n == 0; n, _ = helper.count() { // so that the helper has one
				time.Sleep(10 * time.Millisecond)
			}
			return []Hint{hintOf(b, part)}, nil
		}
		if b.Parts == 1 {
			asker.Work = func(ctx context.Context, b *Batch, part int64) ([]Hint, error) { return []Hint{hintOf(b, part)}, nil }
		}
		got, err := asker.Ask(context.Background(), Server{URL: s.URL()}, b)
		if err != nil || !maps.Equal(texts(got), wanted(b)) {
			t.Errorf("%d parts: %v\n%v\nwant\n%v", b.Parts, err, texts(got), wanted(b))
		}
		again := newCrew(t, "b")
		got, err = again.Ask(context.Background(), Server{URL: s.URL()}, b)
		if n, _ := again.count(); err != nil || n != 0 || !maps.Equal(texts(got), wanted(b)) {
			t.Errorf("asked again %d parts are worked on: %v", n, err)
		}
	}
	for range 100 {
		if _, said := other.count(); strings.Contains(said, "[cluster-build]") {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if n, said := other.count(); n != 0 || !strings.Contains(said, "is of build \"b\" of tv and its solvers, and this is another: it is left alone [cluster-build]") {
		t.Errorf("another build worked on %d parts and said %q", n, said)
	}
}

// TestForgedBatch: a batch whose manifest or file is another than was said is left alone, and so is one that a crew does not serve; hints
// that are not there are left out.
func TestForgedBatch(t *testing.T) {
	s := serve(t, t.TempDir(), "127.0.0.1:0")
	defer s.Stop()
	ctx := context.Background()
	nc, js, err := (Server{URL: s.URL()}).connect(func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	// put writes a batch without working on it, each object through change.
	put := func(b *Batch, change func(name string, data []byte) []byte) {
		c := newCrew(t, "b")
		l := newLedger(js, c.Log)
		encoded := encode(b.manifest())
		l.description = c.describe(b, encoded)
		store, err := l.objects(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range b.manifest().Files {
			if err := putObject(ctx, store, f.object(), change("file", []byte(b.Files[i].Text))); err != nil {
				t.Fatal(err)
			}
		}
		if err := putObject(ctx, store, manifestObject, change("manifest", encoded)); err != nil {
			t.Fatal(err)
		}
		if _, err := open(ctx, js, l.description, patience, c.Log); err != nil {
			t.Fatal(err)
		}
	}
	replaced := func(of, old, with string) func(string, []byte) []byte {
		return func(name string, data []byte) []byte {
			if name == of {
				return []byte(strings.ReplaceAll(string(data), old, with))
			}
			return data
		}
	}
	put(testBatch(2, false), replaced("file", "text", "next"))
	put(testBatch(3, false), replaced("manifest", "--expect=true", "--report=/etc/passwd"))
	put(testBatch(4, false), replaced("manifest", "{", "["))
	way := testBatch(5, false)
	way.Files[2].Name = "../../etc/passwd"
	put(way, replaced("", "", ""))
	twice := testBatch(6, false)
	twice.Files[2].Name = twice.Files[1].Name
	put(twice, replaced("", "", ""))
	refusing := newCrew(t, "b")
	work := refusing.Work
	refusing.Work = func(ctx context.Context, b *Batch, part int64) ([]Hint, error) {
		if b.Command != "check" {
			return nil, &source.Error{Code: CodeMessage, Msg: "is not served"}
		}
		return work(ctx, b, part)
	}
	command := testBatch(7, false)
	command.Command = "fuzz"
	put(command, replaced("", "", ""))
	right := testBatch(8, false)
	put(right, replaced("", "", ""))
	stop := refusing.serving(s.URL())
	for range 200 {
		if n, said := refusing.count(); n == 8 && strings.Count(said, "[cluster-message]") >= 6 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	stop()
	n, said := refusing.count()
	for _, want := range []string{"is not what its digest says", "manifest: is that of another batch", "manifest: is not one of tv's", `has a file "../../etc/passwd"`,
		`has a file "f1.txtar"`, "is not served"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said in\n%s", want, said)
		}
	}
	if n != 8 {
		t.Errorf("%d parts are worked on, want 8", n)
	}
	// A hint that somebody took away, and one that was changed: who asks is handed what there is.
	l := newLedger(js, func(string) {})
	l.description = newCrew(t, "b").describe(right, encode(right.manifest()))
	store, err := l.objects(ctx)
	if err != nil {
		t.Fatal(err)
	}
	names := slices.Sorted(maps.Keys(wanted(right)))
	if err := store.Delete(ctx, names[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := store.PutString(ctx, names[1], "forged"); err != nil {
		t.Fatal(err)
	}
	asker := newCrew(t, "b")
	got, err := asker.Ask(ctx, Server{URL: s.URL()}, right)
	want := wanted(right)
	delete(want, names[0])
	want[names[1]] = "forged"
	if err != nil || !maps.Equal(texts(got), want) {
		t.Errorf("%v\n%v", err, texts(got))
	}
	if _, said := asker.count(); !strings.Contains(said, names[0]) {
		t.Errorf("nothing is said of %s: %s", names[0], said)
	}
	if _, err := store.GetInfo(ctx, "nothing"); !errors.Is(err, jetstream.ErrObjectNotFound) {
		t.Error(err)
	}
}
