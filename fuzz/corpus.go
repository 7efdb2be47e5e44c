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
	"time"

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
	rest, ok := strings.CutPrefix(lines[0], "# tv fuzz ")
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

// staleAfter is the age at which a temporary file is of a process that was killed.
const staleAfter = time.Minute

// sweep removes what processes that were killed left half written. Other shards may be at work in the
// directory.
func sweep(dir string) error {
	left, err := filepath.Glob(filepath.Join(dir, "*.tmp"))
	if err != nil {
		return err
	}
	for _, name := range left {
		if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > staleAfter {
			if err := files.Remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// readCorpus reads the cases of the target in a directory, in the order of their names.
func readCorpus(dir, target string) ([]*Entry, error) {
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &source.Error{Name: dir, Code: "file-unreadable", Msg: "cannot be read: " + files.Cause(err),
			Err: err}
	}
	var out []*Entry
	var errs source.Errors
	for _, d := range list {
		if filepath.Ext(d.Name()) != ".txtar" {
			continue
		}
		f, err := files.Read(filepath.Join(dir, d.Name()), nil)
		if err != nil {
			errs = append(errs, source.AsErrors(err)...)
			continue
		}
		e, ours, err := readEntry(target, f)
		if err != nil {
			errs = append(errs, source.AsErrors(err)...)
		} else if ours {
			out = append(out, e)
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return out, nil
}

// replay runs the corpus, before any case: what it covers is known, and what it shows wrong is reported.
func (c *Campaign) replay(ctx context.Context, workers []Worker, report func(Finding)) error {
	if c.Corpus == "" {
		return nil
	}
	var err error
	if c.corpus, err = readCorpus(c.Corpus, c.Target.Name()); err != nil {
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
	var bad source.Errors
	for _, err := range errs {
		bad = append(bad, source.AsErrors(err)...)
	}
	if len(bad) > 0 {
		return bad
	}
	for i, e := range c.corpus {
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
