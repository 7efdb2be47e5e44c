package dialect

import (
	"regexp"
	"strings"
	"sync"

	"tv/internal/source"
)

// A token is a word of the text; the last one is empty.
type token struct {
	text string
	span source.Span
}

func (t token) is(texts ...string) bool {
	for _, s := range texts {
		if t.text == s {
			return true
		}
	}
	return false
}

// shown is a token in messages.
func (t token) shown() string {
	if t.text == "" {
		return "the end of the file"
	}
	return t.text
}

// Names have points; %a@i and %a&b are none, but those of figures.
var words = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:%[\w$.-]*(?:#[0-9]+|(?:[@&][\w$.-]+)+)?|[@^][\w$.-]*|[#!][A-Za-z_][\w$.]*` +
		`|[0-9]+(?:x[\w?]+|(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?)|[A-Za-z_][\w$.]*|"(?:[^"\\\n]|\\.)*"|->|<-|[^\s])`)
})

// lex takes a text apart.
func lex(f *source.File) (out []token) {
	for pos := 0; ; {
		rest := strings.TrimLeft(f.Text[pos:], " \t\r\n")
		pos = len(f.Text) - len(rest)
		if strings.HasPrefix(rest, "//") {
			pos += strings.IndexByte(rest+"\n", '\n')
			if pos >= len(f.Text) {
				pos = len(f.Text)
			}
			continue
		}
		n := len(words().FindString(rest))
		if strings.HasPrefix(rest, "<-") && len(rest) > 2 && rest[2] >= '0' && rest[2] <= '9' { // <-1.0>
			n = 1
		}
		out = append(out, token{rest[:n], source.Span{File: f, Start: pos, End: pos + n}})
		if n == 0 {
			return out
		}
		pos += n
	}
}
