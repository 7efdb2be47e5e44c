// Package source knows where things are in input files and how problems there are reported.
//
//	File      a named text; turns byte offsets into lines and columns
//	Position  file, line and column, counted from 1, columns in runes
//	Span      a stretch of a file in byte offsets
//	Error     a problem at a span with a stable code (see tv explain CODE)
//	Errors    several of them, in the order found
package source

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// A File is a named input text. It is safe for concurrent use.
type File struct {
	Name  string // as the user wrote it; "-" is standard input
	Text  string
	Above int // lines of the file above Text, where Text is a section of it

	// Function is the one that is meant of a text that has several; empty: the text says which.
	Function string
	// Results names the parameters of a procedure that are results, with commas; those that it writes besides are scratch,
	// and begin undefined. Empty: all that it writes are.
	Results string
	// Sizes names the parameters of a procedure that are sizes though nothing in its text makes them so, with commas: in the
	// program that it is compared with they are.
	Sizes string

	once  sync.Once
	lines []int // byte offset of the first byte of each line
}

// NewFile returns a file with the given name and text.
func NewFile(name, text string) *File { return &File{Name: name, Text: text} }

// Position returns the line and column of a byte offset. Offsets outside the text are clamped.
func (f *File) Position(offset int) Position {
	if f == nil {
		return Position{}
	}
	f.once.Do(func() {
		f.lines = append(f.lines, 0)
		for i := 0; i < len(f.Text); i++ {
			if f.Text[i] == '\n' {
				f.lines = append(f.lines, i+1)
			}
		}
	})
	offset = min(max(offset, 0), len(f.Text))
	line := sort.SearchInts(f.lines, offset+1) - 1
	return Position{File: f.Name, Line: f.Above + line + 1, Col: utf8.RuneCountInString(f.Text[f.lines[line]:offset]) + 1}
}

// A Position is a place in a file. Line and Col count from 1, columns in runes; the zero value is
// "no position".
type Position struct {
	File      string
	Line, Col int
}

// String prints "file:line:col", or the file alone when there is no line.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// A Span is the bytes [Start, End) of File. A nil File is "no span".
type Span struct {
	File       *File
	Start, End int
}

// Position returns where the span starts.
func (s Span) Position() Position { return s.File.Position(s.Start) }

// EndPosition returns where the span ends, exclusively.
func (s Span) EndPosition() Position { return s.File.Position(s.End) }

// Text returns the bytes of the span.
func (s Span) Text() string {
	if s.File == nil {
		return ""
	}
	return s.File.Text[s.Start:s.End]
}

// An Error is a problem at a known place in an input file or, with a zero Span, of a whole run.
type Error struct {
	Span Span
	Name string // file name for a problem that has no place in the text, such as an unreadable file
	Code string // stable, such as "shape-mismatch"; see tv explain CODE
	Msg  string // lower case, no full stop
	Err  error  // cause, or nil
}

// Errorf makes an Error with the given code at the given span.
func Errorf(span Span, code, format string, args ...any) *Error {
	e := &Error{Span: span, Code: code, Msg: fmt.Sprintf(format, args...)}
	for _, a := range args {
		if err, ok := a.(error); ok {
			e.Err = err
		}
	}
	return e
}

// Position returns where the problem is.
func (e *Error) Position() Position {
	if e.Span.File == nil {
		return Position{File: e.Name}
	}
	return e.Span.Position()
}

// Error prints "file:line:col: message [code]".
func (e *Error) Error() string {
	if p := e.Position(); p != (Position{}) {
		return fmt.Sprintf("%s: %s [%s]", p, e.Msg, e.Code)
	}
	return fmt.Sprintf("%s [%s]", e.Msg, e.Code)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errors is a list of problems, in the order found.
type Errors []*Error

// Error prints one problem a line.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// AsErrors flattens err into coded errors; an error without a code becomes one with code "internal".
func AsErrors(err error) Errors {
	if err == nil {
		return nil
	}
	var list Errors
	if errors.As(err, &list) {
		return list
	}
	var one *Error
	if errors.As(err, &one) {
		return Errors{one}
	}
	return Errors{{Code: "internal", Msg: err.Error(), Err: err}}
}
