package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"unicode/utf8"
)

//go:embed page.html
var markup string

//go:embed page.css
var style string

// What is shown of a text that is not a program, in characters.
const (
	maxText = 2_000
	maxPre  = 16_000
)

var templates = template.Must(template.New("page").Funcs(template.FuncMap{
	"short":   func(s string) string { return short(s, maxText) },
	"word":    func(s string) string { return short(s, 300) },
	"lines":   func(s string) string { return short(s, maxPre) },
	"style":   func() template.CSS { return template.CSS(style) },
	"picture": func(p Panel, id, title string) *picture { return p.picture(id, title) },
	"id":      func(parts ...any) string { return strings.ReplaceAll(fmt.Sprint(parts...), " ", "-") },
	"class":   known,
}).Parse(markup))

// known is a verdict as the style sheet knows it.
func known(verdict string) string {
	switch verdict {
	case "proved", "refuted", "unknown":
		return verdict
	}
	return "other"
}

// Write writes a page.
func Write(w io.Writer, p *Page) error {
	var b bytes.Buffer
	if err := templates.Execute(&b, p); err != nil {
		return err
	}
	_, err := io.WriteString(w, harmless(b.String()))
	return err
}

// harmless names the characters that are not to be seen, and those that turn the direction of what follows: a text would
// look like another one. It is the last step, so that no text gets around it.
func harmless(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s { // what is no UTF-8 becomes U+FFFD
		if hidden(r) {
			fmt.Fprintf(&b, "‹U+%04X›", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < ' ' || 0x7f <= r && r < 0xa0: // controls
		return true
	case r == 0x061c || 0x200b <= r && r <= 0x200f || 0x2028 <= r && r <= 0x202e || 0x2060 <= r && r <= 0x206f || r == 0xfeff:
		return true
	}
	return false
}

// short cuts a text to n characters.
func short(s string, n int) string {
	if len(s) <= n {
		return s
	}
	at := 0
	for range n - 1 {
		_, size := utf8.DecodeRuneInString(s[at:])
		if at += size; at >= len(s) {
			return s
		}
	}
	if _, size := utf8.DecodeRuneInString(s[at:]); at+size >= len(s) {
		return s
	}
	return s[:at] + "…"
}
