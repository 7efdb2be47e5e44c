package mlir

import (
	"strings"

	"tv/internal/source"
)

// Format returns a text in the layout of this package: an operation a line, two blanks a level, comments where they were, one
// empty line where there were some. A text that cannot be read is left as it is.
func Format(src string) string {
	file := source.NewFile("", src)
	f := &formatter{file: file, starts: map[int]bool{}, fresh: true}
	err := attempt(func() {
		f.tokens = lex(file, true)
		p := newParser(lex(file, false))
		for _, fn := range p.file() {
			if fn.start > 0 {
				p.body(fn)
			}
		}
		for _, k := range p.starts {
			f.starts[p.tokens[k].span.Start] = true
		}
		f.regions = p.inner
	})
	if err != nil {
		return src
	}
	for f.tokens[f.pos].kind != end {
		f.token()
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
	starts  map[int]bool // offsets at which lines begin
	regions map[int]bool // offsets of the braces of regions
	out     strings.Builder
	depth   int
	fresh   bool // the next token starts a line
	last    token
	before  token // the one before the last
	open    []bracket
	unary   bool // last is a sign
}

// A bracket is one that is open.
type bracket struct {
	text   string
	region bool
	before token // what stands before it
}

// breakLine starts a line, after an empty one if the text has some.
func (f *formatter) breakLine(next source.Span, depth int) {
	if f.out.Len() > 0 {
		f.out.WriteByte('\n')
		if strings.Count(f.file.Text[f.last.span.End:next.Start], "\n") > 1 {
			f.out.WriteByte('\n')
		}
	}
	f.out.WriteString(strings.Repeat("  ", depth))
}

// token prints the next one.
func (f *formatter) token() {
	t := f.tokens[f.pos]
	f.pos++
	if t.kind == comment {
		f.comment(t)
		return
	}
	closes := t.is("}") && len(f.open) > 0 && f.open[len(f.open)-1].region
	if closes {
		f.depth--
	}
	switch start := f.starts[t.span.Start] || t.kind == label && f.inRegion() || closes; {
	case start && (f.out.Len() > 0 || f.fresh):
		f.breakLine(t.span, f.depth)
	case f.fresh: // a comment ended the line
		f.breakLine(t.span, f.depth+2)
	case f.spaced(t):
		f.out.WriteByte(' ')
	}
	f.out.WriteString(t.text)
	f.note(t)
	f.before, f.last, f.fresh = f.last, t, false
}

// comment prints one behind a token, or on a line of its own, and ends the line.
func (f *formatter) comment(t token) {
	switch {
	case f.out.Len() > 0 && !strings.Contains(f.file.Text[f.last.span.End:t.span.Start], "\n"):
		f.out.WriteByte(' ')
	default:
		f.breakLine(t.span, f.depth)
	}
	f.out.WriteString(t.text)
	f.before, f.last, f.fresh = f.last, t, true
}

// inRegion tells whether no bracket but that of a region is open.
func (f *formatter) inRegion() bool { return len(f.open) == 0 || f.open[len(f.open)-1].region }

// note keeps which brackets are open, and what is a sign.
func (f *formatter) note(t token) {
	f.unary = t.is("-") && !f.operand()
	switch {
	case t.is("(", "[", "{", "<"):
		region := t.is("{") && f.regions[t.span.Start]
		f.open = append(f.open, bracket{t.text, region, f.last})
		if region {
			f.depth++
		}
	case t.is(")", "]", "}", ">"):
		if n := len(f.open); n > 0 {
			f.open = f.open[:n-1]
		}
	}
}

// operand tells whether the last token ends an operand of an affine expression.
func (f *formatter) operand() bool {
	l := f.last
	switch l.kind {
	case value, number:
		return true
	case word:
		return !f.inRegion() && !l.is("floordiv", "ceildiv", "mod")
	}
	return l.is(")", "]")
}

// tight are words behind which a parenthesis stands without a blank.
var tight = []string{"iter_args", "symbol", "ins", "outs", "loc", "memref.alloc", "memref.alloca", "alloc", "alloca", "scf.reduce",
	"max", "min"}

// spaced tells whether there is a blank before a token.
func (f *formatter) spaced(t token) bool {
	l := f.last
	adjacent := l.span.End == t.span.Start
	switch {
	case adjacent && (t.text[0] == 'x' && (l.kind == number || l.is("?", "*")) || t.is("?") && strings.HasSuffix(l.text, "x")):
		return false // an extent
	case t.is(")", "]", ">", ",", "}", "::", "#-}"), l.is("(", "[", "<", "::"), l.is("{") && !f.inRegion(), f.unary:
		return false
	case t.is("("):
		return !(l.kind == symbol || l.kind == alias || l.kind == text || l.kind == label || l.is(tight...) ||
			l.is(">") && !f.before.is("}"))
	case t.is("["):
		return !(l.kind == value || l.kind == symbol || l.kind == alias || l.is(")"))
	case t.is("<"):
		return l.is(")")
	case t.is(":"):
		return !f.tightColon()
	case l.is(":") && t.kind == number:
		return !(f.before.kind == value && f.tokens[f.pos].is("=", ","))
	}
	return true
}

// tightColon tells whether the colon that is next stands behind its word: of a parameter, of a label, of %a:2 and the like.
func (f *formatter) tightColon() bool {
	l := f.last
	if l.is("offset") || l.kind == label || l.is(")") && f.labelled() {
		return true
	}
	if l.kind == value && f.tokens[f.pos].kind == number && f.tokens[min(f.pos+1, len(f.tokens)-1)].is("=", ",") {
		return true
	}
	if f.inRegion() {
		return false
	}
	b := f.open[len(f.open)-1]
	switch {
	case b.text == "(":
		return l.kind == value && (b.before.kind == symbol || b.before.kind == label)
	case b.text == "<":
		return b.before.is("array")
	}
	return false
}

// labelled tells whether the parenthesis that was just closed is that of a label: its line begins with it.
func (f *formatter) labelled() bool {
	text := f.out.String()
	line := text[strings.LastIndexByte(text, '\n')+1:]
	return strings.HasPrefix(strings.TrimLeft(line, " "), "^")
}
