package lowering_test

import (
	"context"
	"strings"
	"testing"

	"tv/equiv"
	"tv/glenside"
	"tv/glenside/lowering"
	"tv/glenside/rule"
	catalogue "tv/glenside/rules"
	"tv/internal/source"
	language "tv/semantics/glenside"
)

func readRules(t *testing.T, text string) []*rule.Rule {
	all, err := rule.Parse(source.NewFile("test.rules", text))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// lowered takes a program apart by rules that are not wrong.
func lowered(t *testing.T, program string, all []*rule.Rule) *lowering.Result {
	var right []*rule.Rule
	for _, r := range all {
		if r.Want != "refuted" {
			right = append(right, r)
		}
	}
	out, err := lowering.Lower(program, right)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Calls become what the rules of the catalogue say, and mean the same.
func TestLower(t *testing.T) {
	all := readRules(t, catalogue.Glenside)
	relay := all[:0:0]
	for _, r := range all {
		if strings.Contains(r.Name, "-relay-to-glenside") || r.Name == "eliminate-expand-dims-zero-num-newaxis" {
			relay = append(relay, r)
		}
	}
	for _, c := range []struct{ name, program, rule string }{
		{"conv2d", "(input X (shape 1 2 5 5))\n(input W (shape 3 2 3 3))\n(relay-operator-call relay-conv2d X W (shape 1 2) " +
			"(shape 1 0 1 2) 1 3 (shape 2 3 3) relay-activation-layout-nchw relay-kernel-layout-oihw)", "conv2d-relay-to-glenside-nchw/fixed"},
		{"softmax", "(input X (shape 2 3))\n(relay-operator-call relay-softmax X 1)", "softmax-relay-to-glenside"},
		{"within", "(input X (shape 2 3))\n(define R (relay-operator-call relay-relu (relay-operator-call relay-negative X)))\n" +
			"(relay-operator-call relay-add R R)", "negative-relay-to-glenside"},
		{"twice", "(input X (shape 2 3))\n(relay-operator-call relay-add X X)", "add-relay-to-glenside-same-shape"},
		{"axes", "(input X (shape 2 3))\n(relay-operator-call relay-expand-dims X 1 2)", "expand-dims-relay-to-glenside/fixed"},
		{"broadcast", "(input X (shape 2 3 4))\n(input Y (shape 2 1 4))\n(relay-operator-call relay-divide X Y)",
			"divide-relay-to-glenside-same-rank"},
		{"transpose", "(input X (shape 2 3 4))\n(relay-operator-call relay-transpose X (list 2 0 1))", "transpose-relay-to-glenside"},
		{"concatenate", "(input X (shape 2 3))\n(relay-operator-call relay-concatenate 1 (construct-tuple X X))",
			"concatenate-relay-to-glenside-2/fixed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := lowered(t, c.program, relay)
			if out.Steps[c.rule] == 0 || strings.Contains(out.Text, "relay-operator-call") {
				t.Errorf("steps %v:\n%s", out.Steps, out.Text)
			}
			before, after := read(t, c.program), read(t, out.Text)
			r, err := equiv.Check(context.Background(), equiv.Question{Before: before, After: after}, equiv.Options{})
			if err != nil || r.Verdict != equiv.Proved {
				t.Errorf("%v %v:\n%s", r.Verdict, err, out.Text)
			}
		})
	}
}

func read(t *testing.T, text string) *language.Source {
	p, err := glenside.Parse(source.NewFile("program.sexp", text))
	if err != nil {
		t.Fatal(err)
	}
	return language.Of(p)
}

// What no rule is about stays: another axis, elements that are no floats, a guard that does not hold, one variable for two
// tensors.
func TestLeft(t *testing.T) {
	all := readRules(t, catalogue.Glenside)
	same := readRules(t, `(rule same (vars (?x ((?S*) (?C*)))) (equal tensor) (lhs (relay-operator-call relay-add ?x ?x))
  (rhs (relay-operator-call relay-multiply ?x (access-literal (literal 2)))))`)
	for _, c := range []struct {
		name, program string
		rules         []*rule.Rule
	}{
		{"softmax", "(input X (shape 2 3))\n(relay-operator-call relay-softmax X 0)", all},
		{"integers", "(input X (shape 2 3) int8)\n(relay-operator-call relay-relu X)", all},
		{"guard", "(input X (shape 3))\n(relay-operator-call relay-batch-flatten X)", all},
		{"variable", "(input X (shape 2 3))\n(input Y (shape 2 3))\n(relay-operator-call relay-add X Y)", same},
	} {
		t.Run(c.name, func(t *testing.T) {
			if out := lowered(t, c.program, c.rules); len(out.Steps) > 0 || len(out.Left) != 1 {
				t.Errorf("steps %v:\n%s", out.Steps, out.Text)
			}
		})
	}
}
