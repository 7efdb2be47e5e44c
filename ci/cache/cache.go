// Package cache keeps verdicts between runs, in a directory with an entry for each question.
//
//	Cache   the directory, for one build of tv and the solvers that it finds
//	Entry   what is kept of a question: what equiv.Check found of it, and of the cases that it was taken apart into
//	memo    the content of an entry, as JSON (memo.go)
//
// The directory is that of go-internal/cache, the cache of the go command: two files for each entry, its name and its content,
// in 256 folders by the first byte of their names.
//
// An entry is a hint and no more: equiv.Check has the checker accept the certificates in it and runs its
// counterexamples again, for the question at hand. So a cache may be shared and restored from anywhere; a file in it
// can slow tv down, but not make it say what is not so. Files that are damaged, or that do not answer, are reported
// and written anew.
//
// A cache may be in memory too: it collects what a process finds for another, which takes it over with [Cache.Add].
//
// The name of an entry is the SHA-256 of all that may change what a report says: the build of tv, the solvers, the
// statement and the parameters of the question. A timeout does not make a proof less of one, but it is among the
// parameters: with another one the same command would have another answer without the cache.
package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"

	store "github.com/rogpeppe/go-internal/cache"

	"tv/equiv"
	"tv/internal/files"
	"tv/internal/source"
)

// A Cache is a directory of entries. It is safe for concurrent use, by several processes of one machine too.
type Cache struct {
	dir   string
	store keeper
	build string
}

// A keeper keeps bytes by name: a directory, or memory.
type keeper interface {
	Get(id store.ActionID) (store.Entry, error)
	GetBytes(id store.ActionID) ([]byte, store.Entry, error)
	PutBytes(id store.ActionID, data []byte) error
}

// memory is a keeper that ends with its process.
type memory struct {
	mu   sync.Mutex
	kept map[store.ActionID][]byte
}

// Get tells whether something was put, or returns fs.ErrNotExist.
func (m *memory) Get(id store.ActionID) (store.Entry, error) {
	_, entry, err := m.GetBytes(id)
	return entry, err
}

// GetBytes returns what was put, or fs.ErrNotExist.
func (m *memory) GetBytes(id store.ActionID) ([]byte, store.Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	data, ok := m.kept[id]
	if !ok {
		return nil, store.Entry{}, fs.ErrNotExist
	}
	return data, store.Entry{}, nil
}

// PutBytes keeps data.
func (m *memory) PutBytes(id store.ActionID, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept[id] = data
	return nil
}

// InMemory returns a cache that is empty and in no directory. build is as for [Open].
func InMemory(build string) *Cache {
	return &Cache{dir: "memory", store: &memory{kept: map[store.ActionID][]byte{}}, build: build}
}

// Entries are those of a cache in memory, by their names of 64 hexadecimal digits; of a directory there are none.
func (c *Cache) Entries() map[string][]byte {
	out := map[string][]byte{}
	if m, ok := c.store.(*memory); ok {
		m.mu.Lock()
		defer m.mu.Unlock()
		for id, data := range m.kept {
			out[fmt.Sprintf("%x", id)] = data
		}
	}
	return out
}

// Add takes over an entry of [Cache.Entries]: a hint as any other. Errors: a name that is none; that it cannot be written.
func (c *Cache) Add(name string, data []byte) error {
	var id store.ActionID
	raw, err := hex.DecodeString(name)
	if err != nil || len(raw) != len(id) {
		return fmt.Errorf("%.80q names no entry", name)
	}
	copy(id[:], raw)
	return c.store.PutBytes(id, data)
}

// Open returns the cache in a directory, which is made if it is not there, and takes out of it what nobody has asked for
// in five days; it looks for that once a day. build tells builds of tv and sets of solvers apart.
// Errors: a *source.Error with code file-unwritable.
func Open(dir, build string) (*Cache, error) {
	if err := files.MakeDirectory(dir); err != nil {
		return nil, err
	}
	s, err := store.Open(dir)
	if err == nil {
		err = s.Trim()
	}
	if err != nil {
		return nil, &source.Error{Name: dir, Code: "file-unwritable", Msg: "cannot be written: " + files.Cause(err), Err: err}
	}
	return &Cache{dir: dir, store: s, build: build}, nil
}

// Entry reads the entry of a question; parameters are those that may change the answer, in any form. The entry is
// never nil: without a readable file it is empty.
func (c *Cache) Entry(statement, parameters string) *Entry {
	e := &Entry{cache: c, question: question{c.build, statement, parameters}, memos: map[string]*equiv.Memo{}}
	e.id = sha256.Sum256(fmt.Appendf(nil, "%q", e.question))
	if _, err := c.store.Get(e.id); err != nil { // none, or another process is about to write one
		return e
	}
	data, _, err := c.store.GetBytes(e.id)
	if err == nil {
		err = e.read(data)
	} else if why := errors.Unwrap(err); why != nil {
		err = why // "bad checksum", without "cache entry not found" before it
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
	cache    *Cache
	id       store.ActionID
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

// name is that of the entry's file in the directory, by which warnings know it.
func (e *Entry) name() string {
	return filepath.Join(e.cache.dir, fmt.Sprintf("%02x", e.id[0]), fmt.Sprintf("%x-a", e.id))
}

func (e *Entry) warn(format string, args ...any) {
	e.warnings = append(e.warnings, fmt.Sprintf("%s: warning: %s", e.name(), fmt.Sprintf(format, args...)))
}

// Close writes the entry if there is something new, and returns what is to be said about it, one line each. That a
// file cannot be written is no error: the answer stands.
func (e *Entry) Close() (warnings []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.changed {
		if err := e.cache.store.PutBytes(e.id, e.bytes()); err != nil {
			e.warn("cannot be written: %s", files.Cause(err))
		}
	}
	return e.warnings
}

// bytes returns the content of an entry.
func (e *Entry) bytes() []byte {
	doc := document{Question: e.question, Memos: map[string]memo{}}
	for key, m := range e.memos {
		doc.Memos[key] = newMemo(m)
	}
	body, err := json.Marshal(doc)
	if err != nil {
		panic(fmt.Sprintf("cache: %v", err)) // strings and numbers only
	}
	return body
}

// read takes over what an entry holds.
func (e *Entry) read(body []byte) error {
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
