package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"tv/internal/visible"
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

// templates are parsed once a page is wanted: it takes half a millisecond, which each start of tv would take otherwise.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(functions).Parse(markup))
})

var functions = template.FuncMap{
	"short":   func(s string) string { return short(s, maxText) },
	"word":    func(s string) string { return short(s, 300) },
	"lines":   func(s string) string { return short(s, maxPre) },
	"style":   func() template.CSS { return template.CSS(style) },
	"picture": func(p Panel, id, title string) *picture { return p.picture(id, title) },
	"draw":    func(p Plot, id string) *curve { return p.draw(id) },
	"graph":   func(g Graph, id string) *diagram { return g.draw(id) },
	"course":  func(t Timeline, id string) *course { return t.draw(id) },
	"id":      func(parts ...any) string { return strings.ReplaceAll(fmt.Sprint(parts...), " ", "-") },
	"class":   known,
}

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
	if err := templates().Execute(&b, p); err != nil {
		return err
	}
	_, err := io.WriteString(w, visible.Text(b.String())) // the last step, so that no text gets around it
	return err
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
