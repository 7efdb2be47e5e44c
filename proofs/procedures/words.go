// Package procedures is what the checker's readings have in common of languages whose programs are
// a heading of parameters and steps that write them. It is written for the checker alone: it shares
// nothing with what the prover reads texts with.
//
//	words.go       words, names, lists
//	expression.go  operators, the sizes that expressions are, subscripts
//	program.go     what a heading declares, conditions, parts
//	elements.go    an element of a part, by its index
package procedures

import (
	"regexp"
	"slices"
	"strings"

	"tv/internal/source"
)

// Words are those of a text that are still to be read.
type Words struct {
	list []source.Span // the last one is empty
}

// maxText bounds texts, which are taken apart by recursion.
const maxText = 1 << 17

// Read takes a text apart. What word matches, which is from the begin on, is a word; it is skipped
// where one of blank begins it, or // does.
func Read(f *source.File, word *regexp.Regexp, blank string, read func(*Words)) error {
	return Caught(func() { read(words(f, word, blank)) })
}

// Caught returns what Check has ended f with, if it has.
func Caught(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case source.Errors:
			err = r
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

func words(f *source.File, word *regexp.Regexp, blank string) *Words {
	Check(len(f.Text) <= maxText, source.Span{File: f}, "too-large", "more than %d bytes", maxText)
	w := &Words{}
	for at, n := 0, 0; at < len(f.Text); at += n {
		n = len(word.FindString(f.Text[at:]))
		s := source.Span{File: f, Start: at, End: at + n}
		Check(n > 0, s, "bad-syntax", "a character that no word begins with")
		if !begins(s, blank) && !strings.HasPrefix(s.Text(), "//") {
			w.list = append(w.list, s)
		}
	}
	w.list = append(w.list, source.Span{File: f, Start: len(f.Text), End: len(f.Text)})
	return w
}

// Check ends the reading where something does not hold.
func Check(ok bool, at source.Span, code, format string, args ...any) {
	if !ok {
		panic(source.Errors{source.Errorf(at, code, format, args...)})
	}
}

// Is reports whether the next word is one of some; "" is that of the end.
func (w *Words) Is(texts ...string) bool { return slices.Contains(texts, w.list[0].Text()) }

// Peek is the next word.
func (w *Words) Peek() source.Span { return w.list[0] }

// Next takes a word.
func (w *Words) Next() source.Span {
	s := w.list[0]
	w.list = w.list[min(1, len(w.list)-1):]
	return s
}

// Expect takes one of some words.
func (w *Words) Expect(texts ...string) source.Span {
	Check(w.Is(texts...), w.list[0], "bad-syntax", "expected %q", texts)
	return w.Next()
}

// Lines takes ends of lines, and reports whether something stands behind them.
func (w *Words) Lines() bool {
	for w.Is("\n") {
		w.Next()
	}
	return !w.Is("")
}

const letters = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// begins reports whether a word begins with one of some characters.
func begins(s source.Span, with string) bool {
	return s.Text() != "" && strings.Contains(with, s.Text()[:1])
}

// Name takes a name.
func (w *Words) Name() source.Span {
	Check(begins(w.list[0], letters), w.list[0], "bad-syntax", "expected a name")
	return w.Next()
}

// List takes items with commas between.
func (w *Words) List(first, last string, item func()) {
	if w.Expect(first); w.Is(last) {
		w.Next()
		return
	}
	for item(); w.Expect(",", last).Text() == ","; {
		item()
	}
}
