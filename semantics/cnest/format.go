package cnest

import (
	"strings"

	"tv/internal/source"
)

// Format returns a text in the layout of this package: a statement a line, two blanks a level, comments where they were,
// one empty line where there were some. A text with words that C does not have, or with brackets that do not match, is left as
// it is.
func Format(src string) string {
	f := &formatter{file: source.NewFile("", src), fresh: true}
	if attempt(func() { f.tokens = lex(f.file, 0, len(src), false) }) != nil || !matched(f.tokens) {
		return src
	}
	for f.peek().kind != end {
		f.item()
	}
	f.comments()
	if f.out.Len() == 0 {
		return ""
	}
	return strings.TrimRight(f.out.String(), "\n") + "\n"
}

// matched tells whether each bracket has its other, and no # stands within a line.
func matched(tokens []token) bool {
	var open []string
	for _, t := range tokens {
		switch {
		case t.is("(", "[", "{"):
			open = append(open, map[string]string{"(": ")", "[": "]", "{": "}"}[t.text])
		case t.is(")", "]", "}"):
			n := len(open)
			if n == 0 || open[n-1] != t.text {
				return false
			}
			open = open[:n-1]
		case t.is("#", "##"):
			return false
		}
	}
	return len(open) == 0
}

// A formatter prints tokens, one after the other. Lines end when the next token is printed, so that comments behind
// a statement stay on its line.
type formatter struct {
	file   *source.File
	tokens []token
	pos    int
	out    strings.Builder
	depth  int
	fresh  bool   // the next token starts a line
	within int    // of brackets and parentheses
	last   token  // that was printed, no comment
	end    int    // where what was printed ends in the text
	unary  bool   // last is an operator of one operand that stands before it
	casts  []bool // for each open parenthesis, whether it is that of a conversion
	cast   bool   // last is the parenthesis that ends a conversion
	top    bool   // outside functions, where * is a pointer's
	begun  int    // tokens of the statement so far
}

// peek returns the next token that is no comment and no directive.
func (f *formatter) peek() token { return f.tokens[f.ahead()] }

func (f *formatter) ahead() int {
	k := f.pos
	for f.tokens[k].kind == comment || f.tokens[k].kind == directive {
		k++
	}
	return k
}

// newline ends the line before the next token, and the statement.
func (f *formatter) newline() { f.fresh, f.begun = true, 0 }

// breakLine starts a line, after an empty one if the text has some.
func (f *formatter) breakLine(next source.Span, depth int) {
	if f.out.Len() > 0 {
		f.out.WriteByte('\n')
		if strings.Count(f.file.Text[f.end:next.Start], "\n") > 1 {
			f.out.WriteByte('\n')
		}
	}
	f.out.WriteString(strings.Repeat("  ", depth))
}

// comments prints the comments and directives before the next token.
func (f *formatter) comments() {
	for ; f.tokens[f.pos].kind == comment || f.tokens[f.pos].kind == directive; f.pos++ {
		t := f.tokens[f.pos]
		behind := f.out.Len() > 0 && !strings.Contains(f.file.Text[f.end:t.span.Start], "\n")
		switch {
		case t.kind == directive:
			f.breakLine(t.span, 0)
			f.fresh = true
		case f.fresh && !behind:
			f.breakLine(t.span, f.depth)
		case f.out.Len() > 0:
			f.out.WriteByte(' ')
		}
		f.out.WriteString(t.text)
		f.end = t.span.End
		if strings.HasPrefix(t.text, "//") {
			f.fresh = true
		}
	}
}

// emit prints the next token.
func (f *formatter) emit() token {
	t := f.peek()
	f.comments()
	f.pos++
	switch {
	case f.fresh && f.begun > 0: // a comment has ended the line within a statement
		f.breakLine(source.Span{Start: f.end}, f.depth+2)
	case f.fresh:
		f.breakLine(t.span, f.depth)
	case f.spaced(t) || glued(f.last, t):
		f.out.WriteByte(' ')
	}
	f.note(t)
	f.out.WriteString(t.text)
	f.last, f.end, f.fresh = t, t.span.End, false
	f.begun++
	return t
}

// operand tells whether the last token ends an operand.
func (f *formatter) operand() bool {
	switch l := f.last; l.kind {
	case number, char, text:
		return true
	case word:
		return !startsType(l) && l.text != "return"
	default:
		return l.is(")") && !f.cast || l.is("]") || l.is("++", "--") && !f.unary
	}
}

// pointer tells whether a * says that a declaration is one of a pointer.
func (f *formatter) pointer(t token) bool {
	return t.is("*") && (startsType(f.last) || f.top && f.within < 2 || f.begun == 1 && f.last.kind == word)
}

// spaced tells whether there is a blank before the next token.
func (f *formatter) spaced(t token) bool {
	l := f.last
	switch {
	case f.begun == 0 && l.is("}", ")"): // else, or what a heading is of
		return true
	case t.is(")", "]", ",", ";"), l.is("(", "["), t.is("["), t.is(".", "->"), l.is(".", "->"):
		return false
	case t.is("++", "--") && f.operand(), f.cast && !t.is("?", ":"), f.unary:
		return false
	case t.is("("):
		return !(l.kind == word && !reserved(l.text) || l.is(")", "]"))
	case l.is("{") || t.is("}"):
		return false
	}
	return true
}

// glued tells whether two tokens without a blank between them are read as others.
func glued(a, b token) bool {
	if a.is("(", ")", "[", "]", "{", "}", ",", ";") || b.is("(", ")", "[", "]", "{", "}", ",", ";") {
		return false
	}
	both := source.NewFile("", a.text+b.text)
	var tokens []token
	err := attempt(func() { tokens = lex(both, 0, len(both.Text), true) })
	return err != nil || len(tokens) != 2 || tokens[0].text != a.text
}

// note keeps what the blanks behind a token depend on.
func (f *formatter) note(t token) {
	sign := t.is("+", "-", "*", "&", "!", "~", "++", "--")
	unary := sign && (!f.operand() || f.pointer(t))
	cast := false
	switch {
	case t.is("("):
		f.within++
		f.casts = append(f.casts, f.conversion())
	case t.is("["):
		f.within++
	case t.is("]"):
		f.within--
	case t.is(")"):
		f.within--
		if n := len(f.casts); n > 0 {
			cast, f.casts = f.casts[n-1], f.casts[:n-1]
		}
	}
	f.unary, f.cast = unary, cast
}

// conversion tells whether the parenthesis that is printed is that of (int)x: there are words of types alone in it, and no
// function is called.
func (f *formatter) conversion() bool {
	if f.last.kind == word && !reserved(f.last.text) || f.top {
		return false
	}
	some := false
	for _, t := range f.tokens[f.pos:] {
		switch {
		case t.is(")"):
			return some
		case startsType(t):
			some = true
		case t.kind != comment:
			return false
		}
	}
	return false
}

// item prints a function or a declaration outside.
func (f *formatter) item() {
	f.top = true
	f.newline()
	for {
		switch t := f.peek(); {
		case t.kind == end:
			f.top = false
			return
		case t.is("{") && f.within == 0:
			f.top = false
			f.block()
			return
		case t.is(";", "}") && f.within <= 0:
			f.emit()
			f.top, f.within = false, 0
			return
		}
		f.emit()
	}
}

// block prints statements in braces.
func (f *formatter) block() {
	f.emit()
	f.depth++
	f.newline()
	for !f.peek().is("}") && f.peek().kind != end {
		f.statement()
		f.newline()
	}
	f.comments()
	f.depth--
	if f.peek().is("}") {
		f.newline()
		f.emit()
		f.begun = 0
	}
}

// statement prints one, with those that it is the heading of.
func (f *formatter) statement() {
	switch t := f.peek(); {
	case t.is("{"):
		f.block()
	case t.is("for", "while", "switch"):
		f.heading()
		f.body()
	case t.is("if"):
		f.heading()
		braces := f.body()
		if !f.peek().is("else") {
			return
		}
		if !braces {
			f.newline()
		}
		f.emit()
		if f.begun = 1; f.peek().is("if") {
			f.statement()
			return
		}
		f.body()
	default:
		f.simple()
	}
}

// heading prints for (...) or if (...).
func (f *formatter) heading() {
	f.emit()
	if !f.peek().is("(") {
		return
	}
	depth := f.within
	for f.emit(); f.within > depth && f.peek().kind != end; {
		f.emit()
	}
}

// body prints what a heading is of, and tells whether it has braces.
func (f *formatter) body() bool {
	if f.peek().is("{") {
		f.block()
		return true
	}
	f.depth++
	f.newline()
	f.statement()
	f.depth--
	return false
}

// simple prints what ends in a ; outside of brackets and braces.
func (f *formatter) simple() {
	depth, braces := f.within, 0
	for {
		t := f.peek()
		if t.kind == end || t.is("}") && braces == 0 {
			return
		}
		f.emit()
		switch {
		case t.is("{"):
			braces++
		case t.is("}"):
			braces--
		case t.is(";") && f.within <= depth && braces <= 0:
			f.within = depth
			return
		}
	}
}
