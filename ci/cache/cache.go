// Package cache keeps verdicts between runs, in a directory with a file for each question.
//
//	Cache   the directory, for one build of tv and the solvers that it finds
//	Entry   the file of a question: what equiv.Check kept of it, and of the cases that it was taken apart into
//
// An entry is a hint and no more: equiv.Check has the checker accept the certificates in it and runs its
// counterexamples again, for the question at hand. So a cache may be shared and restored from anywhere; a file in it
// can slow tv down, but not make it say what is not so. Files that are damaged, or that do not answer, are reported
// and written anew.
//
// The name of a file is the SHA-256 of all that may change what a report says: the build of tv, the solvers, the
// statement and the parameters of the question. A timeout does not make a proof less of one, but it is among the
// parameters: with another one the same command would have another answer without the cache.
package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"tv/equiv"
	"tv/internal/files"
)

// A Cache is a directory of entries. It is safe for concurrent use, by several processes too.
type Cache struct {
	dir   string
	build string
}

// Open returns the cache in a directory, which is made if it is not there. build tells builds of tv and sets of
// solvers apart. Errors: a *source.Error with code file-unwritable.
func Open(dir, build string) (*Cache, error) {
	err := files.MakeDirectory(dir)
	if err == nil {
		err = files.Sweep(dir, func(name string) bool { return filepath.Ext(name) == extension })
	}
	return &Cache{dir: dir, build: build}, err
}

// extension is that of an entry's file.
const extension = ".tvcache"

func (c *Cache) file(key string) string { return filepath.Join(c.dir, key+extension) }

// Entry reads the entry of a question; parameters are those that may change the answer, in any form. The entry is
// never nil: without a readable file it is empty.
func (c *Cache) Entry(statement, parameters string) *Entry {
	e := &Entry{question: question{c.build, statement, parameters}, memos: map[string]*equiv.Memo{}}
	key := sha256.Sum256(fmt.Appendf(nil, "%q", e.question))
	e.file = c.file(fmt.Sprintf("%x", key))
	data, err := os.ReadFile(e.file)
	if os.IsNotExist(err) {
		return e
	}
	if err == nil {
		err = e.read(data)
	}
	if err != nil {
		e.warn("is damaged and not used: %s", files.Cause(err))
		e.memos = map[string]*equiv.Memo{}
	}
	return e
}

// question is what an entry is about.
type question struct{ Build, Statement, Parameters string }

// An Entry implements equiv.Memos.
type Entry struct {
	file     string
	question question

	mu       sync.Mutex
	memos    map[string]*equiv.Memo
	changed  bool
	warnings []string
}

// Recall implements equiv.Memos.
func (e *Entry) Recall(key string) *equiv.Memo {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.memos[key]
}

// Keep implements equiv.Memos.
func (e *Entry) Keep(key string, m *equiv.Memo) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.memos[key], e.changed = m, true
}

// Refuse implements equiv.Memos.
func (e *Entry) Refuse(key string, why error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.memos, key)
	e.changed = true
	e.warn("does not answer the question: %v", why)
}

func (e *Entry) warn(format string, args ...any) {
	e.warnings = append(e.warnings, fmt.Sprintf("%s: warning: %s", e.file, fmt.Sprintf(format, args...)))
}

// Close writes the entry if there is something new, and returns what is to be said about it, one line each. That a
// file cannot be written is no error: the answer stands.
func (e *Entry) Close() (warnings []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.changed {
		if err := files.WriteAtomic(e.file, e.bytes()); err != nil {
			e.warnings = append(e.warnings, "warning: "+err.Error())
		}
	}
	return e.warnings
}

// header is the first line of a file; a digest of the rest is the second.
const header = "tv cache 1\n"

// bytes returns the content of the file.
func (e *Entry) bytes() []byte {
	doc := document{Question: e.question, Memos: map[string]memo{}}
	for key, m := range e.memos {
		doc.Memos[key] = newMemo(m)
	}
	body, err := json.Marshal(doc)
	if err != nil {
		panic(fmt.Sprintf("cache: %v", err)) // strings and numbers only
	}
	return fmt.Appendf(nil, "%s%x\n%s\n", header, sha256.Sum256(body), body)
}

// read takes over what a file holds.
func (e *Entry) read(data []byte) error {
	rest, ok := bytes.CutPrefix(data, []byte(header))
	digest, body, cut := bytes.Cut(rest, []byte("\n"))
	if !ok || !cut || len(body) == 0 {
		return fmt.Errorf("not a cache entry of this version")
	}
	body = body[:len(body)-1]
	if fmt.Sprintf("%x", sha256.Sum256(body)) != string(digest) {
		return fmt.Errorf("the digest is not that of the content")
	}
	var doc document
	if err := json.Unmarshal(body, &doc); err != nil {
		return err
	}
	if doc.Question != e.question {
		return fmt.Errorf("it is about another question")
	}
	for key, m := range doc.Memos {
		memo, err := m.memo()
		if err != nil {
			return err
		}
		e.memos[key] = memo
	}
	return nil
}
