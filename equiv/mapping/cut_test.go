package mapping

import (
	"strings"
	"testing"

	"tv/glenside/rule"
	"tv/internal/source"
)

// cutting are options under which sums and relus are dear, and taken apart after the search, by rules that are believed.
func cutting(t *testing.T, rules string) Options {
	t.Helper()
	list, err := rule.Parse(source.NewFile("cut.rules", rules))
	if err != nil {
		t.Fatal(err)
	}
	m, err := ParseCosts(source.NewFile("costs", "tv-cost 1\nrelay-add 10\nrelay-relu 10\ndefault 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	return Options{Rules: list, Cuts: []string{"relay-add", "relay-relu"}, Rounds: DefaultRounds, Nodes: DefaultNodes, Model: m,
		Extract: ExtractDAG, Certify: trusting}
}

// cut maps a program over inputs a and b of 4 numbers, and returns the text of the result without the inputs, on one line.
func cut(t *testing.T, program string, opts Options) (string, *Result) {
	t.Helper()
	r, err := Map(t.Context(), source.NewFile("p.sexp", "(input a (shape 4))\n(input b (shape 4))\n"+program), opts)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(r.Mapped), " ")
	text = strings.TrimPrefix(text, "(input a (shape 4)) (input b (shape 4)) ")
	return strings.NewReplacer("(access-tensor a)", "a", "(access-tensor b)", "b", "relay-operator-call ", "").Replace(text), r
}

const toNegative = `(rule negative (vars (?x ((?n) ())))
  (lhs (relay-operator-call relay-add ?x ?x)) (rhs (relay-operator-call relay-negative ?x)))
`

const toTanh = `(rule tanh (vars (?x ((?n) ())) (?y ((?n) ())))
  (lhs (relay-operator-call relay-add ?x (relay-operator-call relay-negative ?y))) (rhs (relay-operator-call relay-tanh ?y)))
`

const around = `(rule around (vars (?x ((?n) ())))
  (lhs (relay-operator-call relay-relu ?x)) (rhs (relay-operator-call relay-relu (relay-operator-call relay-negative ?x))))
`

// At each place the first rule that fits is applied, arguments first. What is remembered of a place holds where the same operators stand
// above the same types; where other parts are one tensor that is another place.
func TestCut(t *testing.T) {
	for _, c := range []struct{ rules, program, want string }{
		{toNegative, "(add A A)", "(relay-negative A)"},
		{toNegative, "(add A B)", "(relay-add A B)"},
		{toNegative, "(construct-tuple (add A B) (add B B) (add B A))", "(construct-tuple (relay-add A B) (relay-negative B) (relay-add B A))"},
		{toNegative, "(construct-tuple (add B B) (add A B) (add A A))", "(construct-tuple (relay-negative B) (relay-add A B) (relay-negative A))"},
		{toNegative + toTanh, "(add B (add A A))", "(relay-tanh A)"},
		{toNegative + toTanh, "(add A (add A B))", "(relay-add A (relay-add A B))"},
		{toNegative, "(add (add A A) (add A A))", "(relay-negative (relay-negative A))"},
		{strings.ReplaceAll(toNegative, "relay-negative", "relay-tanh") + strings.ReplaceAll(toNegative, "rule negative", "rule second"),
			"(add A A)", "(relay-tanh A)"},
		// a rule that never ends is not applied at all
		{toNegative + around, "(add (add A A) (relay-relu B))", "(relay-add (relay-add A A) (relay-relu B))"},
	} {
		spell := strings.NewReplacer("(add", "(relay-add")
		program := strings.NewReplacer("(relay-", "(relay-operator-call relay-", "A", "(access a 1)", "B", "(access b 1)").
			Replace(spell.Replace(c.program))
		want := strings.NewReplacer("A", "(access a 1)", "B", "(access b 1)").Replace(c.want)
		opts := cutting(t, c.rules)
		opts.Nodes = 1000
		got, r := cut(t, program, opts)
		if got = undefined(got); got != want {
			t.Errorf("%s is %s, wanted %s", c.program, got, want)
		}
		if ends := r.Stopped == Saturated; ends == strings.Contains(c.rules, "around") {
			t.Errorf("%s: stopped by %s", c.program, r.Stopped)
		}
	}
}

// undefined writes a program without definitions.
func undefined(text string) string {
	for {
		rest, found := strings.CutPrefix(text, "(define ")
		if !found {
			return text
		}
		name, rest, _ := strings.Cut(rest, " ")
		depth, end := 0, 0
		for i, c := range rest {
			if c == '(' {
				depth++
			} else if c == ')' {
				if depth--; depth < 0 {
					end = i
					break
				}
			}
		}
		text = strings.TrimSpace(rest[end+1:])
		for _, after := range []string{" ", ")"} {
			text = strings.ReplaceAll(text, " "+name+after, " "+rest[:end]+after)
			text = strings.ReplaceAll(text, " "+name+after, " "+rest[:end]+after)
		}
	}
}
