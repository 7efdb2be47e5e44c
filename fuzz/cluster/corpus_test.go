package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"tv/fuzz"
)

// corpusWith makes a directory with files.
func corpusWith(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// corpusText prints a directory and what is below it, but for the state that campaigns of one machine go on with.
func corpusText(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) == ".json" {
			return err
		}
		data, err := os.ReadFile(name)
		fmt.Fprintf(&b, "%s\n%s", strings.TrimPrefix(name, dir), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestCorpus: workers with a corpus end with the report and the directory of one run of the whole with that corpus, whatever it held: a case
// that covers something, a finding that is still there, one that is mended, and a file that is damaged. Who comes
// late takes the cases that others wrote, and what is no such case in the store is written anew.
func TestCorpus(t *testing.T) {
	const cases = 400
	for name, held := range map[string]map[string]string{
		"empty": {},
		"with files": {"toy-case-1.txtar": "# tv fuzz toy: case\n-- a --\n2000000003\n", "toy-toy-2.txtar": "# tv fuzz toy: toy\n-- a --\n3000\n",
			"toy-toy-3.txtar": "# tv fuzz toy: toy\n-- a --\n1\n", "self-case-4.txtar": "# tv fuzz self: twin\n-- a --\n1\n", "toy-5.txtar": "# tv fuzz toy: case\n-- a --\nx\n", "notes.txtar": "mine\n"},
	} {
		t.Run(name, func(t *testing.T) {
			local := corpusWith(t, held)
			c := &fuzz.Campaign{Target: &toy{}, Seed: 1, Cases: cases, Corpus: local}
			whole := &fuzz.Lines{Start: c.Start("tv", fmt.Sprintf("%dx", cases))}
			if err := c.Run(context.Background(), func(f fuzz.Finding) { whole.Findings = append(whole.Findings, f) }); err != nil {
				t.Fatal(err)
			}
			p := c.Progress()
			whole.End = &fuzz.End{Line: "end", Cases: p.Cases, Coverage: p.Coverage, Findings: p.Findings, SetAside: p.SetAside}
			want, files := strings.ReplaceAll(text(t, whole), local, ""), corpusText(t, local)

			s := serve(t, t.TempDir(), "127.0.0.1:0")
			defer s.Stop()
			run := func(target *toy) {
				t.Helper()
				dir := corpusWith(t, held)
				worker := campaign(t, target, cases)
				worker.Corpus = dir
				got, err := worker.Run(context.Background(), Server{URL: s.URL()})
				if err != nil {
					t.Error(err)
					return
				}
				if got := strings.ReplaceAll(text(t, got), dir, ""); got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
				if got := corpusText(t, dir); got != files {
					t.Errorf("got\n%s\nwant\n%s", got, files)
				}
			}
			done := make(chan bool)
			go func() { run(&toy{}); close(done) }()
			run(&toy{})
			<-done
			late := &toy{}
			run(late)
			if n := late.ran.Load(); n != 0 {
				t.Errorf("a worker that came late ran %d cases", n)
			}
			store := openCorpus(t, s.URL())
			list, err := store.List(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for i, o := range list { // an empty one says that the target writes none
				forged := []string{"nothing", "# tv fuzz self: twin\n-- a --\n1\n", "# tv fuzz toy: case\n-- a --\nnone\n"}[i%3]
				if _, err := store.PutString(context.Background(), o.Name, forged); err != nil {
					t.Fatal(err)
				}
			}
			again := &toy{}
			run(again)
			if n := again.ran.Load(); n != int64(len(list)) {
				t.Errorf("%d cases were run again of %d that were forged", n, len(list))
			}
		})
	}
}

// openCorpus opens the only object store of a server.
func openCorpus(t *testing.T, url string) jetstream.ObjectStore {
	t.Helper()
	nc, js, err := (Server{URL: url}).connect(func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	name, ok := <-js.ObjectStoreNames(context.Background()).Name()
	if !ok {
		t.Fatal("there is no object store")
	}
	store, err := js.ObjectStore(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	return store
}
