package mapping

import (
	"context"
	"os"
	"testing"

	"tv/glenside/rule"
	"tv/internal/source"
)

// ruleFile reads rules, without those that are wanted refuted.
func ruleFile(t *testing.T, names ...string) (list []*rule.Rule) {
	t.Helper()
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		rules, err := rule.Parse(source.NewFile(name, string(text)))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rules {
			if r.Want != "refuted" {
				list = append(list, r)
			}
		}
	}
	return list
}

// trusting lets every rule fire.
func trusting(_ context.Context, questions []Question) ([]bool, error) {
	out := make([]bool, len(questions))
	for i := range out {
		out[i] = true
	}
	return out, nil
}

func TestDense(t *testing.T) {
	const text = `(input X (shape 2 32))
(input W (shape 16 32))
(input V (shape 64 16))
(input B (shape 16))
(relay-operator-call relay-dense (relay-operator-call relay-relu (relay-operator-call relay-bias-add (relay-operator-call relay-dense X W) B 1)) V)
`
	r, err := Map(t.Context(), source.NewFile("p", text), Options{Rules: ruleFile(t, "../../hwmodels/rules/vta.rules"), Rounds: DefaultRounds,
		Nodes: DefaultNodes, Model: Calls(), Extract: ExtractDAG, Certify: trusting})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s\n%+v\n%s", r.Mapped, r, r.Explanation(nil))
}
