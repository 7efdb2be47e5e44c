package glenside

import (
	"fmt"
	"strings"
	"testing"

	"tv/internal/source"
)

// TestAround: the lists around each marked place, innermost first, with the operand that the place is in.
func TestAround(t *testing.T) {
	const text = "(input A (shape 4 4)) ; (a comment\n(define x (compute reduce-sum (access (access-tensor A) 1)))\n" +
		"(access-transpose (relay-operator-call relay-add (access x 0) ( access x 0 )) (list 1 0))"
	p, err := Parse(source.NewFile("a.sexp", text))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		mark string
		skip int // places of the mark before the one that is meant
		want string
	}{
		{"reduce-sum", 0, "reduce-sum -1, define -1"},
		{"A) 1", 0, "access-tensor 0, access 0, reduce-sum 0, define -1"},
		{"relay-add", 0, "relay-add -1, access-transpose 0"},
		{"x 0", 0, "access 0, relay-add 0, access-transpose 0"},
		{"x 0", 1, "access 0, relay-add 1, access-transpose 0"}, // an equal term at another place
		{"1 0", 0, "(list 0), access-transpose 1"},
		{"comment", 0, ""},
	} {
		offset := -1
		for range test.skip + 1 {
			offset += 1 + strings.Index(text[offset+1:], test.mark)
		}
		var got []string
		for _, c := range p.Around(offset) {
			s := fmt.Sprintf("%s %d", c.Name, c.Operand)
			if !c.Value {
				s = "(" + s + ")"
			}
			got = append(got, s)
			if c.Start > offset || c.End <= offset || text[c.Start] != '(' || text[c.End-1] != ')' {
				t.Errorf("%s: %d to %d", s, c.Start, c.End)
			}
		}
		if strings.Join(got, ", ") != test.want {
			t.Errorf("around %q: %s, want %s", text[offset:], strings.Join(got, ", "), test.want)
		}
	}
}

// TestLike: words that may stand in place of others are of their category and take what these take.
func TestLike(t *testing.T) {
	for word, test := range map[string]struct{ has, not string }{
		"reduce-sum":       {"reduce-max", "relay-mean"},
		"relay-add":        {"relay-multiply", "relay-relu"},
		"relay-max-pool2d": {"relay-avg-pool2d", "relay-conv2d"},
		"zero-padding":     {"min-padding", "int8"},
		"access-flatten":   {"access-shift-right", "access-transpose"},
		"no-such-word":     {},
	} {
		list := strings.Join(Like(word), " ") + " "
		if !strings.Contains(list, test.has+" ") || test.not != "" && strings.Contains(list, test.not+" ") || strings.Contains(list, word+" ") {
			t.Errorf("like %s: %s", word, list)
		}
	}
}
