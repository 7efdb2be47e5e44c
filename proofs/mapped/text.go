package mapped

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tv/internal/source"
	"tv/proofs"
	"tv/proofs/algebra"
	"tv/semantics/domain"
)

const (
	header  = "tv-map 1 semantics 1\n"
	maxSize = 1 << 30
)

// Is tells whether a file is an explanation.
func Is(data []byte) bool { return bytes.HasPrefix(data, []byte("tv-map ")) }

// A Claim is what an accepted explanation says: wherever the source has a value the result has the
// same, in each of the arithmetics, for all inputs.
type Claim struct {
	Source, Result string         // programs
	Ariths         []domain.Arith // at least one: auto, exact and real, in this order
	Rules          []string       // that are given, by name
	RestsOn        []string       // contracts of calls, which bits rest on: vta-dense 4x32x64
	Terms, Steps   int
}

// Check checks an explanation. Errors: source.Errors with one of the codes certificate-*, at the
// line that is wrong.
func Check(name string, data []byte, certificates *proofs.Checker) (c *Claim, err error) {
	r := &reader{file: source.NewFile(name, string(data)), rest: string(data)}
	defer r.place(&err)
	defer algebra.Recovered(name, &err)
	r.opened()
	x := &explanation{reader: r, checker: certificates}
	x.sections()
	return &Claim{Source: x.texts[0], Result: x.texts[1], Ariths: x.proved.ariths(), Rules: x.names,
		RestsOn: slices.Sorted(maps.Keys(x.restsOn)), Terms: len(x.terms), Steps: x.steps}, nil
}

// A reader takes a file apart, line by line. Each line has one spelling: words with one blank
// between them, numbers without leading zeros.
type reader struct {
	file *source.File
	rest string
	at   int // the offset of the line that is read
}

// place puts an error where the line is that was read last, if nothing else says where.
func (r *reader) place(err *error) {
	for _, e := range source.AsErrors(*err) {
		if e.Span.File == nil || e.Span.File.Text == "" {
			e.Span = source.Span{File: r.file, Start: r.at, End: r.at}
		}
	}
}

func malformed(format string, args ...any) { algebra.Fail(algebra.CodeMalformed, format, args...) }

// opened checks what is around the sections, and leaves them.
func (r *reader) opened() {
	text := r.file.Text
	end := len(text) - len("sha256 \n") - 2*sha256.Size
	if end < len(header) || len(text) > maxSize || !strings.HasPrefix(text, header) {
		malformed("not an explanation of a version that is known")
	}
	if text[end:] != fmt.Sprintf("sha256 %x\n", sha256.Sum256([]byte(text[:end]))) {
		algebra.Fail(algebra.CodeDigest, "the digest is not that of the text")
	}
	r.rest = text[len(header):end]
	r.at = len(header)
}

// next reads the words of the next line, if it begins with a word.
func (r *reader) next(word string) (words []string, ok bool) {
	if !strings.HasPrefix(r.rest, word+" ") {
		return nil, false
	}
	return strings.Split(r.line(), " ")[1:], true
}

// line reads a line.
func (r *reader) line() string {
	line, rest, ended := strings.Cut(r.rest, "\n")
	if !ended {
		malformed("a line that does not end")
	}
	r.at = r.offset()
	r.rest = rest
	return line
}

// offset is where the rest begins.
func (r *reader) offset() int {
	return len(r.file.Text) - len("sha256 \n") - 2*sha256.Size - len(r.rest)
}

// part reads a text of a length, and the line feed behind it.
func (r *reader) part(length string) string {
	n := natural(length)
	if n >= len(r.rest) || r.rest[n] != '\n' {
		malformed("no text of the length that is stated")
	}
	text := r.rest[:n]
	r.rest = r.rest[n+1:]
	return text
}

// digested reads a text of which the digest is stated.
func (r *reader) digested(digest, length string) string {
	text := r.part(length)
	if fmt.Sprintf("%x", sha256.Sum256([]byte(text))) != digest {
		algebra.Fail(algebra.CodeDigest, "the digest is not that of the text")
	}
	return text
}

func words(list []string, n int) []string {
	if len(list) != n {
		malformed("%d words are wanted behind the first, not %d", n, len(list))
	}
	return list
}

// integer reads a number as it is written.
func integer(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != text {
		malformed("%.40q is not a number as one is written", text)
	}
	return n
}

// natural reads one from 0.
func natural(text string) int {
	n := integer(text)
	if n < 0 || n > maxSize {
		malformed("%d is not a number from 0 to %d", n, maxSize)
	}
	return int(n)
}
