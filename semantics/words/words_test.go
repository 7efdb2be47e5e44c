package words

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"tv/internal/source"
)

var spelling = regexp.MustCompile(`^(?:([ \t]+)|//[^\n]*|[A-Za-z_]\w*|[0-9.]+|[-+*()\[\],\n]|)`)

// printed writes the operators of an expression before their operands.
func printed(n *Node) string {
	if len(n.Args) == 0 {
		return n.Span.Text()
	}
	var args []string
	for _, a := range n.Args {
		args = append(args, printed(a))
	}
	return n.Op + "(" + strings.Join(args, " ") + ")"
}

func expression(r *Reader) *Node {
	return r.Binary([][]string{{"+", "-"}, {"*"}}, func() *Node {
		if r.Accept("(") {
			x := expression(r)
			r.Want(")")
			return x
		}
		if IsName(r.Here()) {
			return &Node{Op: Name, Span: r.Next()}
		}
		if r.End() || r.Is("\n", "+", "-", "*") {
			r.Unexpected("a value")
		}
		return &Node{Op: Number, Span: r.Next()}
	})
}

// read prints an expression, the size that it is, and where it stands; or what is wrong with it.
func read(text string) (out string, err error) {
	defer Catch(&err)
	r := New(source.NewFile("t", text), spelling, "//")
	r.Lines()
	first := r.Here()
	n := expression(r)
	at := r.Since(first)
	if r.Lines() {
		r.Unexpected("the end")
	}
	return fmt.Sprintf("%s = %s at %s, depth %d, names %d", printed(n), n.Size(), at.Text(), n.Depth(), len(n.Names())), nil
}

func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		"a - b - 2 * c // d": "-(-(a b) *(2 c)) = (- a b (* 2 c)) at a - b - 2 * c, depth 3, names 3",
		"\n(1 + n) * 2\n\n":  "*(+(1 n) 2) = (+ (* 2 n) 2) at (1 + n) * 2, depth 3, names 1",
		"(a + [b)":           "t:1:6: [ is closed by ) [bad-syntax]",
		"(a + (b)":           "t:1:1: ( is not closed [bad-syntax]",
		"(a +\nb)":           "t:1:1: ( is not closed [bad-syntax]",
		"(a + // b)":         "t:1:1: ( is not closed [bad-syntax]",
		"a)":                 "t:1:2: ) closes nothing [bad-syntax]",
		"a + é":              "t:1:5: \"é\" is not of the language [bad-syntax]",
		"a +":                "t:1:4: a value should be here, not the end of the text [bad-syntax]",
		"a + \nb":            "t:1:5: a value should be here, not the end of the line [bad-syntax]",
		"a b":                "t:1:3: the end should be here, not b [bad-syntax]",
		"1.5":                "t:1:1: 1.5 is no integer below 2^31 [bad-syntax]",
		"2147483648":         "t:1:1: 2147483648 is no integer below 2^31 [bad-syntax]",
	} {
		got, err := read(text)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
