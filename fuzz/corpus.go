package fuzz

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/txtar"

	"tv/internal/files"
	"tv/internal/source"
)

// Pairs that are examined to make one smaller, at most: a finding, a case for a corpus.
const (
	shrinkTries = 600
	entryTries  = 40
)

// writtenBy begins each file that a campaign writes.
const writtenBy = "# tv fuzz "

// CodeCorpus is the code of a file of a corpus that holds no case.
const CodeCorpus = "corpus-file"

// An Entry is a file of a corpus: a case that covers what none did before, or a finding.
type Entry struct {
	File    *source.File
	Kind    string            // after the target in its first line: "twin", "wrong proof"
	Comment []string          // the lines after the first, without "# "
	Parts   map[string]string // sections by name
	covered []string
	found   bool // it shows something wrong
}

// readEntry takes a file apart. ours is false for a case of another target.
func readEntry(target string, f *source.File) (e *Entry, ours bool, err error) {
	a := txtar.Parse([]byte(f.Text))
	lines := strings.Split(strings.TrimRight(string(a.Comment), "\n"), "\n")
	rest, ok := strings.CutPrefix(lines[0], writtenBy)
	of, kind, colon := strings.Cut(rest, ": ")
	if !ok || !colon || len(a.Files) == 0 {
		return nil, false, &source.Error{Name: f.Name, Code: CodeCorpus,
			Msg: "is not what a campaign writes: it begins with # tv fuzz TARGET: KIND and has sections"}
	}
	if of != target {
		return nil, false, nil
	}
	e = &Entry{File: f, Kind: kind, Parts: map[string]string{}}
	for _, line := range lines[1:] {
		e.Comment = append(e.Comment, strings.TrimPrefix(line, "# "))
	}
	for _, part := range a.Files {
		e.Parts[part.Name] = string(part.Data)
	}
	return e, true, nil
}

// value returns what a comment line "key: value" says.
func (e *Entry) value(key string) string {
	for _, line := range e.Comment {
		if v, ok := strings.CutPrefix(line, key+": "); ok {
			return v
		}
	}
	return ""
}

// bad is the error of an entry that a target cannot run.
func (e *Entry) bad(err error) error {
	var own *source.Error
	if list := source.Errors(nil); errors.As(err, &list) && len(list) > 0 {
		own = list[0]
	} else if !errors.As(err, &own) {
		own = &source.Error{Msg: err.Error()}
	}
	return &source.Error{Name: e.File.Name, Code: CodeCorpus, Msg: "its case cannot be run: " + own.Msg}
}

// quarantine is the directory of a corpus that damaged files are moved to.
const quarantine = "quarantine"

// targets are the names of all targets: files of a corpus are named TARGET-KIND-DIGEST.txtar or TARGET-I-of-N.json.
var targets = []string{"self", "check", "rules", "models", "passes", "tools", "cells"}

// named tells whether campaigns give a file such a name.
func named(name string) bool {
	target, _, ok := strings.Cut(name, "-")
	return ok && slices.Contains(targets, target) && slices.Contains([]string{".txtar", ".json"}, filepath.Ext(name))
}

// readCorpus reads the cases of the target in the corpus, in the order of their names, and sets damaged files aside.
func (c *Campaign) readCorpus() (out []*Entry, err error) {
	list, err := os.ReadDir(c.Corpus)
	if err != nil {
		return nil, &source.Error{Name: c.Corpus, Code: "file-unreadable", Msg: "cannot be read: " + files.Cause(err),
			Err: err}
	}
	for _, d := range list {
		if filepath.Ext(d.Name()) != ".txtar" {
			continue
		}
		name := filepath.Join(c.Corpus, d.Name())
		f, err := files.Read(name, nil)
		if err != nil {
			if _, gone := os.Lstat(name); errors.Is(gone, fs.ErrNotExist) {
				continue // another shard has removed it: others cover the same
			}
			if !damaged(err) {
				return nil, err
			}
			if err := c.setAside(name, "", err); err != nil {
				return nil, err
			}
			continue
		}
		e, ours, err := readEntry(c.Target.Name(), f)
		switch {
		case err != nil:
			if err := c.setAside(name, f.Text, err); err != nil {
				return nil, err
			}
		case ours:
			out = append(out, e)
		}
	}
	return out, nil
}

// damaged tells an error that is of one file from one of the machine, such as too many open files, which would be that of every file.
func damaged(err error) bool {
	var e *source.Error
	return errors.As(err, &e) && (e.Code != "file-unreadable" || errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) ||
		errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.EIO))
}

// setAside moves a file of the corpus that holds no case into quarantine and says why. A file that no campaign wrote, by its name
// or its first line, is somebody's own: it is left where it is. Errors: file-unwritable where it cannot be moved.
func (c *Campaign) setAside(name, text string, why error) error {
	reason := strings.TrimSpace(strings.TrimPrefix(why.Error(), name+":"))
	if !named(filepath.Base(name)) && !strings.HasPrefix(text, writtenBy) {
		c.aside.Add(1)
		c.warn("%s: warning: %s; no campaign gave it that name: it is left where it is", name, reason)
		return nil
	}
	to, moved, err := files.Move(name, filepath.Join(c.Corpus, quarantine))
	if err != nil {
		return slices.Concat(source.AsErrors(why), source.AsErrors(err))
	}
	if moved { // or else another shard has said so
		c.aside.Add(1)
		c.warn("%s: warning: %s; it is now %s", name, reason, to)
	}
	return nil
}

func (c *Campaign) warn(format string, args ...any) {
	if c.Warn != nil {
		c.Warn(fmt.Sprintf(format, args...))
	}
}

// replay runs the corpus, before any case: what it covers is known, and what it shows wrong is reported.
func (c *Campaign) replay(ctx context.Context, workers []Worker, report func(Finding)) error {
	if c.Corpus == "" {
		return nil
	}
	var err error
	if c.corpus, err = c.readCorpus(); err != nil {
		return err
	}
	outcomes := make([]Outcome, len(c.corpus))
	errs := make([]error, len(c.corpus))
	var taken atomic.Int64
	var g errgroup.Group
	for _, w := range workers {
		g.Go(func() error {
			for ctx.Err() == nil {
				i := int(taken.Add(1)) - 1
				if i >= len(c.corpus) {
					return nil
				}
				outcomes[i], errs[i] = w.Again(c.corpus[i])
			}
			return ctx.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if err := c.setFailedAside(errs); err != nil {
		return err
	}
	entries := c.corpus
	c.corpus = nil
	for i, e := range entries {
		if errs[i] != nil {
			continue
		}
		c.corpus = append(c.corpus, e)
		e.covered = outcomes[i].Covered
		for _, pair := range e.covered {
			c.covered[pair] = true
		}
		s := outcomes[i].Suspect
		if s == nil {
			continue
		}
		if e.found = true; c.known[s.Key] {
			continue
		}
		c.known[s.Key] = true
		f := s.Finding()
		f.Case, f.Key, f.Target, f.File, f.Text = -1, s.Key, c.Target.Name(), e.File.Name, e.File.Text
		c.findings.Add(1)
		report(f)
	}
	c.coverage.Store(int64(len(c.covered)))
	return nil
}

// setFailedAside sets the cases of the corpus aside that cannot be run. An error that is not of the file ends the campaign.
func (c *Campaign) setFailedAside(errs []error) error {
	for i, err := range errs {
		if err == nil {
			continue
		}
		var e *source.Error
		if !errors.As(err, &e) || e.Code != CodeCorpus {
			return err
		}
		if err := c.setAside(c.corpus[i].File.Name, c.corpus[i].File.Text, err); err != nil {
			return err
		}
	}
	return nil
}

// keep adds a case to the corpus.
func (c *Campaign) keep(text []byte, w Worker) error {
	sum := sha256.Sum256(text)
	name := filepath.Join(c.Corpus, fmt.Sprintf("%s-case-%x.txtar", c.Target.Name(), sum[:6]))
	if err := c.writeFile(name, text); err != nil {
		return err
	}
	e, _, err := readEntry(c.Target.Name(), source.NewFile(name, string(text)))
	if err != nil {
		return err
	}
	e.covered = w.Covered(e)
	c.corpus = append(c.corpus, e)
	return nil
}

// minimise removes the cases of the corpus whose coverage others have: of the smallest cases first, those
// stay that bring something. Files that show something wrong stay.
func (c *Campaign) minimise() error {
	if c.Corpus == "" {
		return nil
	}
	list := slices.DeleteFunc(slices.Clone(c.corpus), func(e *Entry) bool { return e.found || isFinding(e) })
	slices.SortFunc(list, func(a, b *Entry) int {
		return cmp.Or(cmp.Compare(len(a.File.Text), len(b.File.Text)), strings.Compare(a.File.Name, b.File.Name))
	})
	left := map[string]bool{}
	for _, e := range list {
		for _, pair := range e.covered {
			left[pair] = true
		}
	}
	covers := func(e *Entry) bool {
		return slices.ContainsFunc(e.covered, func(pair string) bool { return left[pair] })
	}
	kept := map[*Entry]bool{}
	for _, e := range list {
		if !covers(e) {
			continue
		}
		kept[e] = true
		maps.DeleteFunc(left, func(pair string, _ bool) bool { return slices.Contains(e.covered, pair) })
	}
	for _, e := range list {
		if !kept[e] {
			if err := files.Remove(e.File.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// isFinding tells a finding from a case by the name of its file.
func isFinding(e *Entry) bool { return !strings.Contains(filepath.Base(e.File.Name), "-case-") }
