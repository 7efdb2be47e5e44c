package lsp

import (
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"tv/internal/source"
)

// A document is one version of a text that an editor has open. It does not change.
type document struct {
	uri     string
	version int
	text    string
	lines   []int // byte offsets of their first bytes
}

func newDocument(uri string, version int, text string) *document {
	d := &document{uri: uri, version: version, text: text, lines: []int{0}}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	return d
}

// name is that of its file; what is no file is called by its last part, which tells the language.
func (d *document) name() string {
	u, err := url.Parse(d.uri)
	switch {
	case err != nil:
		return filepath.Base(d.uri)
	case u.Scheme == "file":
		return filepath.FromSlash(u.Path)
	case u.Opaque != "":
		return u.Opaque
	}
	return u.Path
}

func (d *document) file() *source.File { return source.NewFile(d.name(), d.text) }

// line is the text of a line, with its end.
func (d *document) line(n int) string {
	if n+1 < len(d.lines) {
		return d.text[d.lines[n]:d.lines[n+1]]
	}
	return d.text[d.lines[n]:]
}

// offset is that of a position, in bytes. Positions outside are clamped, as the protocol has it.
func (d *document) offset(p position) int {
	switch {
	case p.Line < 0:
		return 0
	case p.Line >= len(d.lines):
		return len(d.text)
	}
	line, units := strings.TrimRight(d.line(p.Line), "\r\n"), 0
	for i, r := range line {
		if units >= p.Character {
			return d.lines[p.Line] + i
		}
		units += unitsOf(r)
	}
	return d.lines[p.Line] + len(line)
}

// position is that of a byte offset.
func (d *document) position(offset int) position {
	offset = min(max(offset, 0), len(d.text))
	low, high := 0, len(d.lines) // the line is in [low, high)
	for high-low > 1 {
		if mid := (low + high) / 2; d.lines[mid] <= offset {
			low = mid
		} else {
			high = mid
		}
	}
	return position{Line: low, Character: units(d.text[d.lines[low]:offset])}
}

func (d *document) rangeOf(start, end int) textRange {
	return textRange{d.position(start), d.position(max(start, end))}
}

// at is the offset of a place that was counted in lines and runes: that of a problem in a section of the text.
func (d *document) at(p source.Position) int {
	if p.Line < 1 || p.Line > len(d.lines) {
		return 0
	}
	offset, line := d.lines[p.Line-1], d.line(p.Line-1)
	for range p.Col - 1 {
		_, size := utf8.DecodeRuneInString(line)
		offset, line = offset+size, line[size:]
	}
	return offset
}

// units is the length of a text in UTF-16.
func units(text string) (n int) {
	for _, r := range text {
		n += unitsOf(r)
	}
	return n
}

// unitsOf is 2 of a rune that is a surrogate pair.
func unitsOf(r rune) int {
	if r > 0xffff {
		return 2
	}
	return 1
}

// changed is the text after changes, each of the text that the ones before it made.
func (d *document) changed(version int, changes []change) *document {
	for _, c := range changes {
		text := c.Text
		if c.Range != nil {
			start := d.offset(c.Range.Start)
			end := max(start, d.offset(c.Range.End))
			text = d.text[:start] + c.Text + d.text[end:]
		}
		d = newDocument(d.uri, version, text)
	}
	return d
}
