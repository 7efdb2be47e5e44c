package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	store "github.com/rogpeppe/go-internal/cache"

	"tv/internal/tier"
)

// A false proof, planted in the cache with the right key and the right digest, is not believed.
func TestForgedEntry(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"a.sexp": "(input A (shape 2 2))\n(access A 1)",
		"b.sexp": "(access-transpose (access-transpose (access A 1) (list 1 0)) (list 1 0))",
		"c.sexp": "(access-transpose (access A 1) (list 1 0))",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	type document struct {
		Question map[string]string                     `json:"question"`
		Memos    map[string]map[string]json.RawMessage `json:"memos"`
	}
	opened := func(dir string) *store.Cache {
		c, err := store.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	// asked returns the only entry that a question leaves, and its only memo.
	asked := func(dir, after string, want int) (id store.ActionID, doc document, key string) {
		if exit, _, stderr := run("check", "--cache", dir, "a.sexp", after); exit != want || stderr != "" {
			t.Fatalf("%s: exit %d, %s", after, exit, stderr)
		}
		list, err := filepath.Glob(filepath.Join(dir, "*", "*-a"))
		if err != nil || len(list) != 1 {
			t.Fatalf("entries %v, %v", list, err)
		}
		if _, err := hex.Decode(id[:], []byte(strings.TrimSuffix(filepath.Base(list[0]), "-a"))); err != nil {
			t.Fatal(err)
		}
		body, _, err := opened(dir).GetBytes(id)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(body, &doc); err != nil || len(doc.Memos) != 1 {
			t.Fatalf("%d memos, %v", len(doc.Memos), err)
		}
		for key = range doc.Memos {
		}
		return id, doc, key
	}
	_, right, rightKey := asked("right", "b.sexp", 0)
	id, doc, key := asked("wrong", "c.sexp", 1)
	_, plain, _ := run("check", "--no-timing", "a.sexp", "c.sexp")

	proof := right.Memos[rightKey]
	var certificate string
	if err := json.Unmarshal(proof["certificate"], &certificate); err != nil {
		t.Fatal(err)
	}
	lie := strings.Replace(certificate, "(access-transpose (access-transpose (access A 1) (list 1 0)) (list 1 0))",
		"(access-transpose (access A 1) (list 1 0))", 1)
	lie = strings.Replace(lie, "after 72\n", "after 42\n", 1)
	lie = lie[:strings.LastIndex(lie, "sha256 ")]
	lie += fmt.Sprintf("sha256 %x\n", sha256.Sum256([]byte(lie)))
	for name, text := range map[string]string{"of another pair": certificate, "for this pair": lie} {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		proof["certificate"] = quoted
		doc.Memos[key] = proof
		body, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		if err := opened("wrong").PutBytes(id, body); err != nil {
			t.Fatal(err)
		}
		exit, stdout, stderr := run("check", "--no-timing", "--cache", "wrong", "a.sexp", "c.sexp")
		if exit != exitRefuted || stdout != plain {
			t.Errorf("a proof %s: exit %d\n%s", name, exit, stdout)
		}
		if !strings.Contains(stderr, "warning: does not answer the question") {
			t.Errorf("a proof %s: stderr %q", name, stderr)
		}
		if exit, _, stderr := run("check", "--cache", "wrong", "a.sexp", "c.sexp"); exit != exitRefuted || stderr != "" {
			t.Errorf("a proof %s is still there: exit %d, %s", name, exit, stderr)
		}
	}
}

// A report is the same without a cache, with an empty one and with a full one, for litmus files of all kinds.
func TestCachedReports(t *testing.T) {
	list, err := filepath.Glob(filepath.Join(root, "testdata", "check", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	args := []string{"check", "--no-timing", "--format", "json", "--timeout", "1h"}
	var some []string
	for i, name := range list {
		if i%tier.Draw(60, 12, 6) == 3 {
			some = append(some, name)
		}
	}
	if len(some) < tier.Draw(10, 50, 100) {
		t.Fatalf("%d litmus files only", len(some))
	}
	plainExit, plain, _ := run(append(args, some...)...)
	for _, state := range []string{"empty", "full"} {
		exit, got, stderr := run(append(append(args, "--cache", dir), some...)...)
		if exit != plainExit || got != plain {
			t.Errorf("with a cache that is %s: exit %d, and %d bytes for %d", state, exit, len(got), len(plain))
		}
		if stderr != "" {
			t.Errorf("with a cache that is %s: %s", state, stderr)
		}
	}
}
