package visible

import "testing"

func TestText(t *testing.T) {
	for _, test := range []struct{ in, text, line string }{
		{"plain é 漢 ⟨x⟩", "plain é 漢 ⟨x⟩", "plain é 漢 ⟨x⟩"},
		{"two\n\tlines", "two\n\tlines", "two  lines"},
		{"\x1b[2J\x1b]0;title\a", "‹U+001B›[2J‹U+001B›]0;title‹U+0007›", "‹U+001B›[2J‹U+001B›]0;title‹U+0007›"},
		{"\u009b31m", "‹U+009B›31m", "‹U+009B›31m"}, // the same sequence by one character
		{"a\u202eb\u2066c\u200b", "a‹U+202E›b‹U+2066›c‹U+200B›", "a‹U+202E›b‹U+2066›c‹U+200B›"},
		{"a\rb\x7f\x00", "a‹U+000D›b‹U+007F›‹U+0000›", "a‹U+000D›b‹U+007F›‹U+0000›"},
		{"\xff", "\ufffd", "\ufffd"},
		{"\u00a0\u2010", "\u00a0\u2010", "\u00a0\u2010"}, // the neighbours of what is hidden
	} {
		if got := Text(test.in); got != test.text {
			t.Errorf("Text(%q) = %q, want %q", test.in, got, test.text)
		}
		if got := Line(test.in); got != test.line {
			t.Errorf("Line(%q) = %q, want %q", test.in, got, test.line)
		}
	}
}
