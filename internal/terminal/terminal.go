// Package terminal prints for people: problems with the line they are in, and colour where it is wanted.
package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-runewidth"
	"golang.org/x/term"

	"tv/internal/source"
	"tv/internal/visible"
)

// Is tells whether w is a terminal.
func Is(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Color tells whether to write colours to w. Mode is auto, always or never; auto means a terminal that
// is not dumb, unless the environment says NO_COLOR (no-color.org).
func Color(mode string, w io.Writer) bool {
	if mode != "auto" {
		return mode == "always"
	}
	return Is(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// PrintErrors writes each problem as file:line:col: message [code], followed by the source line and a
// caret under the place.
func PrintErrors(w io.Writer, errs source.Errors) {
	for _, e := range errs {
		fmt.Fprintln(w, oneLine(e.Error()))
		if line, caret, ok := excerpt(e.Span); ok {
			fmt.Fprintf(w, "  %s\n  %s\n", line, caret)
		}
	}
}

const (
	around   = 60 // runes shown before and after the place where the line is longer
	maxCaret = 40 // runes underlined
)

// excerpt returns the part of the line that span starts in and a line with carets under the span.
func excerpt(span source.Span) (line, caret string, ok bool) {
	if span.File == nil || span.File.Text == "" {
		return "", "", false
	}
	text := span.File.Text
	at := min(span.Start, len(text))
	start := strings.LastIndexByte(text[:at], '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		end = at + i
	}
	if end > at && text[end-1] == '\r' {
		end--
	}
	before, after := clean(text[start:at]), clean(text[at:end])
	if before == "" && after == "" {
		return "", "", false
	}
	prefix, suffix := "", ""
	if runes := []rune(before); len(runes) > around {
		prefix, before = "...", string(runes[len(runes)-around:])
	}
	if runes := []rune(after); len(runes) > around {
		suffix, after = "...", string(runes[:around])
	}
	length := Width(clean(text[at:max(at, min(span.End, end))]))
	length = min(max(length, 1), maxCaret, max(Width(after), 1))
	indent := strings.Repeat(" ", Width(prefix+before))
	return strings.TrimRight(prefix+before+after+suffix, " "), indent + strings.Repeat("^", length), true
}

// widths are those of characters on a terminal, the same whatever the environment says: output is.
var widths = runewidth.Condition{StrictEmojiNeutral: true}

// Width is how many columns of a terminal a text takes: two for each character of Chinese, none for an accent on its own.
func Width(s string) int { return widths.StringWidth(s) }

// clean makes every rune of a line harmless: a tab is one column wide, and what is hidden is shown.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r == '\n' || visible.Hidden(r): // one for one, so that carets stand under what they are about
			return '?'
		}
		return r
	}, s)
}

// oneLine keeps what came from a file from moving the cursor.
func oneLine(s string) string { return clean(strings.ReplaceAll(s, "\n", " ")) }
