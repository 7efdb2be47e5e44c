// Package planted plants faults in the prover and in the checker. It is there to see that what stands behind the prover
// notices: the checker of certificates accepts no proof that a faulty prover gives, the soundness hunt of package fuzz finds
// every fault, and a faulty checker alone has nothing false proved.
//
//	Faults   the edits that make the faults, read from a list; Lists are those of the tree
//	Overlay  the sources with all of the edits, for "go test -overlay"
//	Plant    chooses the faults of a process that is built with the overlay
//	Here     is what the edits ask
//
// The tree itself has no place that asks for a fault: only the overlay does, in which every fault is asleep until it
// is planted, so that one build serves all of them. The tests that plant are built with the tag planted;
// "make planted" makes the overlay (internal/planted/overlay) and runs them.
package planted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
)

// The lists of faults, in the tree. What is planted in the checker bears the name of the prover's fault in the same step, after
// InChecker.
const (
	Prover    = "testdata/planted/faults.txt"
	Loops     = "testdata/planted/loops/faults.txt" // also of the prover: in what reads loops
	Checker   = "testdata/planted/loops/checker.txt"
	InChecker = "checker-"

	Circuits       = "testdata/planted/bits/faults.txt" // in the prover of circuits
	CircuitChecker = "testdata/planted/bits/checker.txt"

	Maps       = "testdata/planted/maps/faults.txt"  // in what maps programs
	MapChecker = "testdata/planted/maps/checker.txt" // in the checker of explanations
)

// Lists are all lists of faults.
var Lists = []string{Prover, Loops, Checker, Circuits, CircuitChecker, Maps, MapChecker}

var here atomic.Pointer[[]string]

// Here reports whether the fault of a name is planted.
func Here(name string) bool {
	p := here.Load()
	return p != nil && slices.Contains(*p, name)
}

// Plant plants faults, instead of what was planted before, and returns the function that removes them. The whole
// process has the same faults: tests that plant do not run in parallel.
func Plant(names ...string) (remove func()) {
	here.Store(&names)
	return func() { here.Store(nil) }
}

// An Edit is a place that goes wrong while a fault is planted.
type Edit struct {
	Fault    string
	File     string // the list of faults
	Path     string // of the source, in the tree
	Old, New string // a piece of one line that occurs once, and what stands for it
	Line     int    // in File
}

// Faults is a list of faults.
type Faults struct {
	File  string   // empty of several lists
	Names []string // in the order of the list
	Edits []Edit
}

// Read reads a list of faults; testdata/planted/README.md has its form.
func Read(file string) (*Faults, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	f := &Faults{File: file}
	var path, fault, old string
	for i, line := range strings.Split(string(data), "\n") {
		fail := func(text string) error { return fmt.Errorf("%s:%d: %s", file, i+1, text) }
		mark, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || mark == "#":
		case mark == "==":
			path, fault = rest, ""
		case mark == "-" && path != "" && fault != "" && old == "":
			old = rest
		case mark == "+" && old != "":
			if !strings.Contains(rest, "FAULT") || strings.Contains(old, "FAULT") {
				return nil, fail("FAULT has to be in the line after + and not in the one after -")
			}
			f.Edits = append(f.Edits, Edit{fault, file, path, old, rest, i})
			old = ""
		case strings.HasSuffix(mark, ":") && rest != "" && old == "":
			if fault = strings.TrimSuffix(mark, ":"); slices.Contains(f.Names, fault) {
				return nil, fail("what " + fault + " is has been said")
			}
			f.Names = append(f.Names, fault)
		case rest == "" && old == "" && slices.Contains(f.Names, mark):
			fault = mark
		default:
			return nil, fail("want == FILE, FAULT: what it is, FAULT again, - OLD, or + NEW after it")
		}
	}
	return f, f.complete(old)
}

// ReadAll reads all lists of faults of the tree at root as one.
func ReadAll(root string) (*Faults, error) {
	all := &Faults{}
	for _, name := range Lists {
		f, err := Read(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		for _, n := range f.Names {
			if slices.Contains(all.Names, n) {
				return nil, fmt.Errorf("%s: what %s is has been said in another list", f.File, n)
			}
		}
		all.Names, all.Edits = append(all.Names, f.Names...), append(all.Edits, f.Edits...)
	}
	return all, nil
}

// complete reports what a list of faults lacks.
func (f *Faults) complete(old string) error {
	if old != "" {
		return fmt.Errorf("%s: nothing stands for %s", f.File, old)
	}
	for _, name := range f.Names {
		if !slices.ContainsFunc(f.Edits, func(e Edit) bool { return e.Fault == name }) {
			return fmt.Errorf("%s: %s has no edit", f.File, name)
		}
	}
	return nil
}

// Paths returns the files that have edits.
func (f *Faults) Paths() []string {
	var out []string
	for _, e := range f.Edits {
		out = append(out, e.Path)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Apply returns the text of a file with all of its edits, and what is wrong with those that do not fit.
func (f *Faults) Apply(path string, text []byte) ([]byte, []error) {
	type place struct {
		Edit
		at int
	}
	var places []place
	var errs []error
	for _, e := range f.Edits {
		if e.Path != path {
			continue
		}
		if n := bytes.Count(text, []byte(e.Old)); n != 1 {
			errs = append(errs, fmt.Errorf("%s:%d: fault %s is to be renewed: %s has %d times, not once: %s",
				e.File, e.Line, e.Fault, path, n, e.Old))
			continue
		}
		places = append(places, place{e, bytes.Index(text, []byte(e.Old))})
	}
	slices.SortFunc(places, func(x, y place) int { return x.at - y.at })
	var out bytes.Buffer
	done := 0
	for _, p := range places {
		if p.at < done {
			errs = append(errs, fmt.Errorf("%s:%d: fault %s edits what another one edits", p.File, p.Line, p.Fault))
			continue
		}
		out.Write(text[done:p.at])
		out.WriteString(strings.ReplaceAll(p.New, "FAULT", fmt.Sprintf("planted.Here(%q)", p.Fault)))
		done = p.at + len(p.Old)
	}
	out.Write(text[done:])
	return imported(out.Bytes()), errs
}

// imported adds the import of this package, in the line of the package's name: lines keep their numbers.
func imported(text []byte) []byte {
	at := 0
	if !bytes.HasPrefix(text, []byte("package ")) {
		at = bytes.Index(text, []byte("\npackage ")) + 1
	}
	end := at + bytes.IndexByte(text[at:], '\n')
	return slices.Concat(text[:end], []byte(`; import "tv/internal/planted"`), text[end:])
}

// Overlay writes the sources of the tree at root with all edits into dir, and overlay.json, which names them for the
// go command. It returns the name of that file.
func (f *Faults) Overlay(root, dir string) (string, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	replace := map[string]string{}
	for _, path := range f.Paths() {
		from, to := filepath.Join(root, path), filepath.Join(dir, path+".faulty") // not .go: dir is no part of the tree
		text, err := os.ReadFile(from)
		if err != nil {
			return "", fmt.Errorf("there are faults for a file: %w", err)
		}
		edited, errs := f.Apply(path, text)
		if len(errs) > 0 {
			return "", errs[0]
		}
		if _, err := format.Source(edited); err != nil {
			return "", fmt.Errorf("%s with its faults: %w", path, err)
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return "", err
		}
		if err := os.WriteFile(to, edited, 0o666); err != nil {
			return "", err
		}
		replace[from] = to
	}
	list, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, append(list, '\n'), 0o666)
}
