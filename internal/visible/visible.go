// Package visible shows texts of others as they are: characters that are not to be seen, that move a terminal's cursor or that
// turn the direction of what follows are shown by name, so that no text looks like another one.
//
//	Hidden   tells such a character
//	Text     a text in lines
//	Line     one line
package visible

import (
	"fmt"
	"strings"
)

// Hidden tells a character that is not to be seen: all controls but line feed and tab (escape sequences begin with one), and of Unicode
// the marks of direction, the separators of lines and what has no width.
func Hidden(r rune) bool {
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

// Text shows each hidden character by name, ‹U+202E›, and what is no UTF-8 as U+FFFD. Line feeds and tabs stay.
func Text(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		if Hidden(r) {
			fmt.Fprintf(&b, "‹U+%04X›", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Line is [Text] in one line: a line feed or tab is a space.
func Line(s string) string { return Text(strings.NewReplacer("\n", " ", "\t", " ").Replace(s)) }
