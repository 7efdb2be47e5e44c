// Package sexpr reads the lists and words that files of rules are made of (sexpr.go), and lays them out (layout.go).
package sexpr

import (
	"strings"

	"tv/internal/source"
)

// A Form is an atom or a list.
type Form struct {
	Span   source.Span
	Atom   string // of an atom; without the quotes of a string
	List   []*Form
	IsList bool
	Quoted bool
}

// Errorf is an error at the place of a form.
func (x *Form) Errorf(code, format string, args ...any) *source.Error {
	return source.Errorf(x.Span, code, format, args...)
}

// Head returns the first word of a list, or "".
func (x *Form) Head() string {
	if x.IsList && len(x.List) > 0 && !x.List[0].IsList {
		return x.List[0].Atom
	}
	return ""
}

// maxDepth bounds how deep the lists of a rule file nest.
const maxDepth = 1000

// Read reads the lists of a file. Comments go from ";" to the end of the line.
func Read(f *source.File) ([]*Form, *source.Error) {
	var top []*Form
	var open []*Form
	text := f.Text
	pos := 0
	if strings.HasPrefix(text, "\ufeff") {
		pos = len("\ufeff")
	}
	fail := func(start, end int, code, format string, args ...any) ([]*Form, *source.Error) {
		return nil, source.Errorf(source.Span{File: f, Start: start, End: end}, code, format, args...)
	}
	add := func(x *Form) {
		if len(open) == 0 {
			top = append(top, x)
			return
		}
		l := open[len(open)-1]
		l.List = append(l.List, x)
	}
	for pos < len(text) {
		switch c := text[pos]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			pos++
		case c == ';':
			for pos < len(text) && text[pos] != '\n' {
				pos++
			}
		case c == '(':
			if len(open) == maxDepth {
				return fail(pos, pos+1, "too-deep", "lists nest more than %d deep", maxDepth)
			}
			x := &Form{IsList: true, Span: source.Span{File: f, Start: pos, End: pos + 1}}
			add(x)
			open = append(open, x)
			pos++
		case c == ')':
			if len(open) == 0 {
				return fail(pos, pos+1, "unopened-list", "this parenthesis closes nothing")
			}
			pos++
			open[len(open)-1].Span.End = pos
			open = open[:len(open)-1]
		case c == '"':
			end := strings.IndexByte(text[pos+1:], '"')
			if end < 0 {
				return fail(pos, pos+1, "unclosed-quote", "this quote is not closed")
			}
			end += pos + 2
			add(&Form{Quoted: true, Atom: text[pos+1 : end-1], Span: source.Span{File: f, Start: pos, End: end}})
			pos = end
		default:
			start := pos
			for pos < len(text) && !strings.ContainsRune(" \t\r\n();\"", rune(text[pos])) {
				if text[pos] < ' ' {
					return fail(pos, pos+1, "bad-character", "a word holds a control character")
				}
				pos++
			}
			add(&Form{Atom: text[start:pos], Span: source.Span{File: f, Start: start, End: pos}})
		}
	}
	if len(open) > 0 {
		s := open[len(open)-1].Span.Start
		return fail(s, s+1, "unclosed-list", "this list is not closed")
	}
	return top, nil
}
