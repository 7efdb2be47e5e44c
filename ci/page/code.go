package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What is shown of a text: all of a short one, the beginning and what is marked of a long one.
const (
	maxCode   = 24_000 // bytes
	codeHead  = 4_000
	codeNear  = 500 // on both sides of a mark
	maxMarked = 2_000
	maxHints  = 200
)

// A Program is a text.
type Program struct {
	Title string
	File  string
	Text  string
	Above int // lines of the file before the text
	Marks []Mark
	Hints []Mark // as marks, of words
}

// A Mark is a stretch of a text in bytes, and what there is to say of it.
type Mark struct {
	Start, End int
	Title      string
}

// A segment is a stretch of a text that is shown in one way.
type segment struct {
	Text   string
	Marked bool
	Title  string // of a mark, or of a word
	Hint   bool
	Gap    string // in place of what is left out
}

// A codeLine is a line with its number.
type codeLine struct {
	Number   int
	Segments []segment
}

type stretch struct{ from, to int }

// Lines are what is shown of the text.
func (p Program) Lines() (out []codeLine) {
	number, at := p.Above+1, 0
	for _, s := range p.shown() {
		if at < s.from {
			skipped := strings.Count(p.Text[at:s.from], "\n")
			out = append(out, codeLine{Segments: []segment{{Gap: strconv.Itoa(s.from-at) + " bytes are left out"}}})
			number += skipped
		}
		for start := s.from; start < s.to; {
			end, next := s.to, s.to
			if i := strings.IndexByte(p.Text[start:s.to], '\n'); i >= 0 {
				end, next = start+i, start+i+1
			}
			out = append(out, codeLine{number, p.segments(start, end)})
			if next > end {
				number++
			}
			start = next
		}
		at = s.to
	}
	if at < len(p.Text) {
		out = append(out, codeLine{Segments: []segment{{Gap: strconv.Itoa(len(p.Text)-at) + " bytes are left out"}}})
	}
	return out
}

// shown are the stretches of the text that are shown, in order and apart.
func (p Program) shown() []stretch {
	if len(p.Text) <= maxCode {
		return []stretch{{0, len(p.Text)}}
	}
	list := []stretch{{0, codeHead}}
	for _, m := range p.Marks[:min(len(p.Marks), 8)] {
		list = append(list, stretch{m.Start - codeNear, min(m.End, m.Start+maxMarked) + codeNear})
	}
	slices.SortFunc(list, func(x, y stretch) int { return cmp.Compare(x.from, y.from) })
	var out []stretch
	for _, s := range list {
		s.from, s.to = p.boundary(s.from), p.boundary(s.to)
		if last := len(out) - 1; last >= 0 && s.from <= out[last].to {
			out[last].to = max(out[last].to, s.to)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// boundary returns the nearest offset at or before one at which a rune begins.
func (p Program) boundary(at int) int {
	at = min(max(at, 0), len(p.Text))
	for at > 0 && at < len(p.Text) && !utf8.RuneStart(p.Text[at]) {
		at--
	}
	return at
}

// segments takes a stretch apart where marks and words begin or end. Marks may nest and overlap: no tag has to.
func (p Program) segments(start, end int) (out []segment) {
	cuts := []int{start, end}
	hints := p.Hints[:min(len(p.Hints), maxHints)]
	for _, list := range [][]Mark{p.Marks, hints} {
		for _, m := range list {
			for _, at := range []int{m.Start, m.End} {
				if start < at && at < end {
					cuts = append(cuts, at)
				}
			}
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	for i, to := range cuts[1:] {
		from := cuts[i]
		s := segment{Text: p.Text[from:to]}
		for _, m := range p.Marks {
			if m.Start <= from && to <= m.End {
				s.Marked = true
			}
		}
		for _, h := range hints {
			if h.Start <= from && to <= h.End {
				s.Title, s.Hint = h.Title, true
			}
		}
		out = append(out, s)
	}
	return out
}
