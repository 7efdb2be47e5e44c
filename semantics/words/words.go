// Package words takes the texts of languages apart: what every parser asks of words and their places, and
// expressions of operators. A language brings the spelling of its words; its errors have code bad-syntax
// where a word stands where another should.
//
//	words.go       words, brackets, names, lists
//	expression.go  operators that bind differently, and the sizes that expressions are
//
// Methods fail by a panic that [Catch] turns into an error: so parsers return what they read, and nothing else.
package words

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"tv/internal/source"
)

// A Reader reads a text word by word.
type Reader struct {
	words []source.Span // still to be read; the last one is empty
	last  source.Span   // that was read
}

// largest bounds texts in bytes: they are taken apart by recursion.
const largest = 1 << 20

// Split returns the words of a text, comments among them. What spelling matches with its first group
// stands between words; it matches at the begin of what is given to it. Of alternatives the first that matches
// counts, not the longest: "+=" stands before "+".
func Split(f *source.File, spelling *regexp.Regexp) (out []source.Span) {
	return SplitPart(Whole(f), spelling)
}

// Whole is the place of all of a text.
func Whole(f *source.File) source.Span { return source.Span{File: f, End: len(f.Text)} }

// SplitPart is Split for a part of a text.
func SplitPart(of source.Span, spelling *regexp.Regexp) (out []source.Span) {
	f := of.File
	if of.End-of.Start > largest {
		Fail(source.Span{File: f}, "too-large", "a text of more than %d bytes", largest)
	}
	for at := of.Start; at < of.End; {
		m := spelling.FindStringSubmatchIndex(f.Text[at:of.End])
		if m == nil || m[1] == 0 {
			_, n := utf8.DecodeRuneInString(f.Text[at:])
			s := source.Span{File: f, Start: at, End: at + n}
			Fail(s, "bad-syntax", "%q is not of the language", s.Text())
		}
		if m[2] < 0 {
			out = append(out, source.Span{File: f, Start: at, End: at + m[1]})
		}
		at += m[1]
	}
	return out
}

// New returns a reader of the words of a text but for those that begin as comments do, if they do somehow. Brackets
// have to be closed, and where ends of lines are words on the same line: a bracket too few is told where it opens,
// before anything else.
func New(f *source.File, spelling *regexp.Regexp, comment string) *Reader {
	return Part(Whole(f), spelling, comment)
}

// Part is New for a part of a text.
func Part(of source.Span, spelling *regexp.Regexp, comment string) *Reader {
	r := &Reader{}
	var open []source.Span
	closed := func() {
		if n := len(open); n > 0 {
			Fail(open[n-1], "bad-syntax", "%s is not closed", open[n-1].Text())
		}
	}
	for _, w := range SplitPart(of, spelling) {
		text := w.Text()
		if comment != "" && strings.HasPrefix(text, comment) {
			continue
		}
		r.words = append(r.words, w)
		switch n := len(open); {
		case text == "\n":
			closed()
		case strings.Contains("([{", text):
			open = append(open, w)
		case !strings.Contains(")]}", text):
		case n == 0:
			Fail(w, "bad-syntax", "%s closes nothing", text)
		case strings.Index(")]}", text) != strings.Index("([{", open[n-1].Text()):
			Fail(open[n-1], "bad-syntax", "%s is closed by %s", open[n-1].Text(), text)
		default:
			open = open[:n-1]
		}
	}
	closed()
	r.words = append(r.words, source.Span{File: of.File, Start: of.End, End: of.End})
	return r
}

// Fail stops the reading.
func Fail(at source.Span, code, format string, args ...any) {
	panic(source.Errorf(at, code, format, args...))
}

// Catch is deferred by whoever reads a text: it returns what Fail was called with as source.Errors.
func Catch(err *error) {
	switch e := recover().(type) {
	case nil:
	case *source.Error:
		*err = source.Errors{e}
	default:
		panic(e)
	}
}

// Here is the place of the next word, an empty one at the end of the text.
func (r *Reader) Here() source.Span { return r.words[0] }

// End tells whether there is no word any more.
func (r *Reader) End() bool { return len(r.words) == 1 }

// Lines reads ends of lines, and tells whether a word stands behind them.
func (r *Reader) Lines() bool {
	for r.Accept("\n") {
	}
	return !r.End()
}

// Is tells whether the next word is one of some.
func (r *Reader) Is(words ...string) bool {
	return !r.End() && slices.Contains(words, r.words[0].Text())
}

// Next reads a word.
func (r *Reader) Next() source.Span {
	r.last = r.words[0]
	if !r.End() {
		r.words = r.words[1:]
	}
	return r.last
}

// Since is the place of what was read from a word on.
func (r *Reader) Since(first source.Span) source.Span {
	return source.Span{File: first.File, Start: first.Start, End: r.last.End}
}

// Accept reads a word if it is the one given.
func (r *Reader) Accept(word string) bool {
	ok := r.Is(word)
	if ok {
		r.Next()
	}
	return ok
}

// Want reads one of some words, "\n" for the end of a line; the end of the text is no word.
func (r *Reader) Want(words ...string) source.Span {
	if !r.Is(words...) {
		var names []string
		for _, w := range words {
			names = append(names, spelt(w))
		}
		r.Unexpected(strings.Join(names, " or "))
	}
	return r.Next()
}

// Unexpected fails, as something else than the next word should be here.
func (r *Reader) Unexpected(what string) {
	Fail(r.words[0], "bad-syntax", "%s should be here, not %s", what, spelt(r.words[0].Text()))
}

// spelt is a word in a message.
func spelt(word string) string {
	switch word {
	case "":
		return "the end of the text"
	case "\n":
		return "the end of the line"
	}
	return word
}

// IsName tells whether a word is a name, not a number or a sign: a letter or _ begins it, and it has no point. Words of
// element types may have one: fix6.14.
func IsName(w source.Span) bool {
	text := w.Text()
	return text != "" && !strings.Contains(text, ".") &&
		(text[0] == '_' || text[0]|0x20 >= 'a' && text[0]|0x20 <= 'z')
}

// Name reads a name.
func (r *Reader) Name(what string) source.Span {
	if !IsName(r.words[0]) {
		r.Unexpected(what)
	}
	return r.Next()
}

// List reads items with commas between, if any, and the word behind them.
func (r *Reader) List(end string, item func()) {
	if r.Accept(end) {
		return
	}
	for item(); r.Want(",", end).Text() == ","; {
		item()
	}
}
