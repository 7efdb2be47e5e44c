package rule

import (
	"strings"

	"tv/internal/source"
)

// A sexpr is an atom or a list.
type sexpr struct {
	span   source.Span
	atom   string // of an atom; without the quotes of a string
	list   []*sexpr
	isList bool
	quoted bool
}

func (x *sexpr) errorf(code, format string, args ...any) *source.Error {
	return source.Errorf(x.span, code, format, args...)
}

// head returns the first word of a list, or "".
func (x *sexpr) head() string {
	if x.isList && len(x.list) > 0 && !x.list[0].isList {
		return x.list[0].atom
	}
	return ""
}

// maxDepth bounds how deep the lists of a rule file nest.
const maxDepth = 1000

// readAll reads the lists of a file. Comments go from ";" to the end of the line.
func readAll(f *source.File) ([]*sexpr, *source.Error) {
	var top []*sexpr
	var open []*sexpr
	text := f.Text
	pos := 0
	if strings.HasPrefix(text, "\ufeff") {
		pos = len("\ufeff")
	}
	fail := func(start, end int, code, format string, args ...any) ([]*sexpr, *source.Error) {
		return nil, source.Errorf(source.Span{File: f, Start: start, End: end}, code, format, args...)
	}
	add := func(x *sexpr) {
		if len(open) == 0 {
			top = append(top, x)
			return
		}
		l := open[len(open)-1]
		l.list = append(l.list, x)
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
			x := &sexpr{isList: true, span: source.Span{File: f, Start: pos, End: pos + 1}}
			add(x)
			open = append(open, x)
			pos++
		case c == ')':
			if len(open) == 0 {
				return fail(pos, pos+1, "unopened-list", "this parenthesis closes nothing")
			}
			pos++
			open[len(open)-1].span.End = pos
			open = open[:len(open)-1]
		case c == '"':
			end := strings.IndexByte(text[pos+1:], '"')
			if end < 0 {
				return fail(pos, pos+1, "unclosed-quote", "this quote is not closed")
			}
			end += pos + 2
			add(&sexpr{quoted: true, atom: text[pos+1 : end-1], span: source.Span{File: f, Start: pos, End: end}})
			pos = end
		default:
			start := pos
			for pos < len(text) && !strings.ContainsRune(" \t\r\n();\"", rune(text[pos])) {
				if text[pos] < ' ' {
					return fail(pos, pos+1, "bad-character", "a word holds a control character")
				}
				pos++
			}
			add(&sexpr{atom: text[start:pos], span: source.Span{File: f, Start: start, End: pos}})
		}
	}
	if len(open) > 0 {
		s := open[len(open)-1].span.Start
		return fail(s, s+1, "unclosed-list", "this list is not closed")
	}
	return top, nil
}
