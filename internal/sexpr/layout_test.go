package sexpr

import (
	"testing"

	"tv/internal/source"
)

func TestLayout(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"nothing", " \n\n", ""},
		{"comments alone", "\n; one\n\n\n; two\n", "; one\n\n; two\n"},
		{"a line", "( a\n b   \"c  d\" )", "(a b \"c  d\")\n"},
		{"below the first operand", "(plus (first operand) (second operand) (third operand))",
			"(plus (first operand) (second operand)\n      (third operand))\n"},
		{"long operands", "(plus (first operand which is long) x (second operand which is long))",
			"(plus (first operand which is long)\n      x\n      (second operand which is long))\n"},
		{"closing parentheses count", "(a (b (c 123456789012345678901234)))", "(a (b (c 123456789012345678901234)))\n"},
		{"and do not fit", "(a (b (c 123456789012345678901234567)))", "(a (b (c 123456789012345678901234567)))\n"},
		{"clauses", "(rule name (lhs x) (rhs y))", "(rule name\n  (lhs x)\n  (rhs y))\n"},
		{"comments inside", "(rule name ; of it\n ; above\n\n (lhs x) ; left\n (rhs y) ; right\n)\n; end",
			"(rule name ; of it\n  ; above\n  (lhs x) ; left\n  (rhs y) ; right\n  )\n; end\n"},
		{"comments between", "(a)  ; of a\n\n\n; of b\n(b)", "(a) ; of a\n\n; of b\n(b)\n"},
		{"lists of lists", "((first operand here) (second operand here) (x))", "((first operand here)\n (second operand here) (x))\n"},
		{"a comment before the head", "(; c\n a b)", "( ; c\n  a\n  b)\n"},
		{"an empty list with a comment", "( ; c\n)", "( ; c\n )\n"},
		{"byte order", "\ufeff(a)\r\n(b)\r\n", "(a)\n(b)\n"},
	} {
		layout := func(text string) string {
			f := source.NewFile("x", text)
			forms, err := Read(f)
			if err != nil {
				t.Fatal(tc.name, err)
			}
			return Layout(f, forms, 40, "rule")
		}
		got := layout(tc.text)
		if got != tc.want {
			t.Errorf("%s:\n%s\nwant\n%s", tc.name, got, tc.want)
		}
		if again := layout(got); again != got {
			t.Errorf("%s: the layout of\n%s\nis\n%s", tc.name, got, again)
		}
	}
}
