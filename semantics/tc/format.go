package tc

import (
	"strings"

	"tv/internal/source"
)

// Format returns a text in the layout of this package: a statement a line, comments where they were, one empty line where
// there were some. A text that is no list of definitions is left as it is.
func Format(src string) string {
	f := &formatter{file: source.NewFile("", src), fresh: true, waiting: []int{0}}
	if attempt(func() { definitions(f.file); f.tokens = lex(f.file) }) != nil {
		return src
	}
	for f.pos = range f.tokens {
		switch t := f.tokens[f.pos]; t.kind {
		case comment:
			f.comment(t)
		case end:
		default:
			f.emit(t)
		}
	}
	if f.out.Len() == 0 {
		return ""
	}
	return f.out.String() + "\n"
}

// A formatter prints tokens, one after the other.
type formatter struct {
	file    *source.File
	tokens  []token
	pos     int
	out     strings.Builder
	depth   int   // 1 within a definition
	within  int   // of parentheses
	fresh   bool  // the next token starts a line
	last    token // that was printed, no comment
	end     int   // where what was printed ends in the text
	unary   bool  // last is an operator of one operand
	range_  bool  // last is the : of a range
	waiting []int // for the text outside of parentheses and for each that is open: how many ? wait for their :

}

// begins tells whether a token begins a line: a definition, a statement, or the end of statements. A statement begins where
// a word follows what ends an operand.
func (f *formatter) begins(t token) bool {
	switch {
	case t.is("def", "}") || f.last.is("{"):
		return true
	case f.depth == 0 || f.within > 0 || t.kind != word || t.is("where", "in"):
		return false
	}
	return f.operand()
}

// operand tells whether the last token ends an operand.
func (f *formatter) operand() bool {
	return f.last.kind == number || f.last.is(")") || f.last.kind == word && !reserved(f.last.text)
}

// breakLine starts a line, after an empty one if the text has some.
func (f *formatter) breakLine(next token, depth int) {
	if f.out.Len() > 0 {
		f.out.WriteByte('\n')
		if strings.Count(f.file.Text[f.end:next.span.Start], "\n") > 1 {
			f.out.WriteByte('\n')
		}
	}
	f.out.WriteString(strings.Repeat("  ", depth))
}

// indent is how deep a line stands that a token, or a comment before it, begins.
func (f *formatter) indent(t token) int {
	switch {
	case t.kind == end || t.is("}", "def"):
		return 0
	case f.begins(t):
		return f.depth
	}
	return f.depth + 2
}

func (f *formatter) comment(t token) {
	next := f.pos
	for f.tokens[next].kind == comment {
		next++
	}
	switch depth := f.indent(f.tokens[next]); {
	case f.out.Len() > 0 && !strings.Contains(f.file.Text[f.end:t.span.Start], "\n"):
		f.out.WriteByte(' ')
	case f.tokens[next].is("}"):
		f.breakLine(t, 1)
	default:
		f.breakLine(t, depth)
	}
	f.out.WriteString(t.text)
	f.end, f.fresh = t.span.End, true
}

func (f *formatter) emit(t token) {
	waits := &f.waiting[len(f.waiting)-1]
	colon := t.is(":") && *waits == 0
	switch {
	case f.fresh || f.begins(t):
		if t.is("}") {
			f.depth = 0
		}
		f.breakLine(t, f.indent(t))
	case !colon && f.spaced(t):
		f.out.WriteByte(' ')
	}
	f.unary = t.is("-", "!") && !f.operand()
	f.range_ = colon
	switch {
	case t.is("{", "}"):
		f.depth = map[string]int{"{": 1}[t.text]
	case t.is("("):
		f.within++
		f.waiting = append(f.waiting, 0)
	case t.is(")"):
		f.within--
		f.waiting = f.waiting[:len(f.waiting)-1]
	case t.is("?"):
		*waits++
	case t.is(":") && !colon:
		*waits--
	}
	f.out.WriteString(t.text)
	f.last, f.end, f.fresh = t, t.span.End, false
}

// spaced tells whether there is a blank before the next token.
func (f *formatter) spaced(t token) bool {
	l := f.last
	switch {
	case t.is(")", ",", ".") || l.is("(", ".") || f.unary || f.range_:
		return false
	case t.is("("):
		return !(l.kind == word && !l.is("where", "in", "exists"))
	}
	return true
}
