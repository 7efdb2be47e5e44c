package terminal

import (
	"bytes"
	"strings"
	"testing"

	"tv/internal/source"
)

func TestPrintErrors(t *testing.T) {
	long := strings.Repeat("x", 100) + "here" + strings.Repeat("y", 100)
	for _, test := range []struct {
		name       string
		text       string
		start, end int
		want       string
	}{
		{"word", "(a\n\t(bc d))", 5, 7, "f:2:3: msg [code]\n   (bc d))\n    ^^\n"},
		{"runes", "äöü x", 7, 8, "f:1:5: msg [code]\n  äöü x\n      ^\n"},
		{"wide runes", "中文 x", 7, 8, "f:1:4: msg [code]\n  中文 x\n       ^\n"},
		{"under wide runes", "a 中文", 2, 8, "f:1:3: msg [code]\n  a 中文\n    ^^^^\n"},
		{"an accent on its own", "e\u0301 x", 4, 5, "f:1:4: msg [code]\n  e\u0301 x\n    ^\n"},
		{"past the line", "(a\nb)", 0, 5, "f:1:1: msg [code]\n  (a\n  ^^\n"},
		{"end", "(a", 2, 2, "f:1:3: msg [code]\n  (a\n    ^\n"},
		{"long line", long, 100, 104, "f:1:101: msg [code]\n  ..." + strings.Repeat("x", 60) + "here" +
			strings.Repeat("y", 56) + "...\n  " + strings.Repeat(" ", 63) + "^^^^\n"},
		{"carriage return", "(a\r\n(b", 0, 1, "f:1:1: msg [code]\n  (a\n  ^\n"},
		{"control characters", "a\x1b[31m", 1, 2, "f:1:2: msg [code]\n  a?[31m\n   ^\n"},
		{"marks of direction", "a\u202e\u009b2J", 1, 2, "f:1:2: msg [code]\n  a??2J\n   ^\n"},
		{"empty file", "", 0, 0, "f:1:1: msg [code]\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			span := source.Span{File: source.NewFile("f", test.text), Start: test.start, End: test.end}
			var b bytes.Buffer
			PrintErrors(&b, source.Errors{source.Errorf(span, "code", "msg")})
			if b.String() != test.want {
				t.Errorf("got\n%s\nwant\n%s", b.String(), test.want)
			}
		})
	}
}

func TestColor(t *testing.T) {
	var b bytes.Buffer
	for mode, want := range map[string]bool{"auto": false, "always": true, "never": false} {
		if got := Color(mode, &b); got != want {
			t.Errorf("Color(%q, buffer) = %t, want %t", mode, got, want)
		}
	}
}
