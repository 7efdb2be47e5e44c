package spelling

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	words := []string{"check", "certify", "eval", "fmt", "exit-status"}
	for _, test := range []struct{ name, want string }{
		{"chek", "check"},
		{"chcek", "check"},
		{"kechc", ""}, // two slips in five letters
		{"certfiy", "certify"},
		{"exit-stauts", "exit-status"},
		{"fm", "fmt"},
		{"eval", "eval"},
		{"f", ""}, // anything is near a letter
		{"prove", ""},
		{strings.Repeat("e", 61), ""},
		{"", ""},
	} {
		if got := Nearest(test.name, words); got != test.want {
			t.Errorf("Nearest(%q) = %q, want %q", test.name, got, test.want)
		}
	}
	if got := Nearest("chack", []string{"chock", "check"}); got != "chock" {
		t.Errorf("of two words equally near the first is wanted, got %q", got)
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0},
		{"abc", "abd", 1}, {"abc", "ac", 1}, {"ac", "abc", 1}, {"ab", "ba", 1}, {"abc", "cab", 2}, {"ca", "abc", 3}, {"kitten", "sitting", 3},
	} {
		if got := distance(test.a, test.b); got != test.want {
			t.Errorf("distance(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
	}
}

func TestList(t *testing.T) {
	names := strings.Fields("a b c d e f g h i j k l m n o p q r s t u v w")
	for _, test := range []struct {
		n    int
		want string
	}{
		{0, ""},
		{2, "a, b"},
		{21, "a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u"},
		{23, "a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t and 3 more"},
	} {
		if got := List(names[:test.n]); got != test.want {
			t.Errorf("%d names: %s, want %s", test.n, got, test.want)
		}
	}
}
