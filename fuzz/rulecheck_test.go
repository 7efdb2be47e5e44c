package fuzz

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tv/equiv"
	rewrite "tv/glenside/rule"
	"tv/internal/source"
	"tv/internal/tier"
)

// readRules reads rule files of the tree.
func readRules(t *testing.T, patterns ...string) []*rewrite.Rule {
	t.Helper()
	var out []*rewrite.Rule
	for _, p := range patterns {
		names, err := filepath.Glob(p)
		if err != nil || len(names) == 0 {
			t.Fatal(p, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			rules, err := rewrite.Parse(source.NewFile(name, string(text)))
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, rules...)
		}
	}
	return out
}

// TestWrongRules: of the rules of the tree those that want to be refuted are found to be wrong, and no
// other; what is found replays from its file, and no longer does where the rule has a guard that excludes it.
func TestWrongRules(t *testing.T) {
	rules := readRules(t, "../testdata/rules/*.rules", "../glenside/rules/*.rules")
	wrong := map[string]bool{}
	for _, r := range rules {
		if r.Want == equiv.Refuted.String() {
			wrong[r.Name] = true
		}
	}
	c := &Campaign{Target: NewRules(rules, equiv.Real), Seed: 1, Cases: tier.Draw[int64](5_000, 12_000, 24_000), Jobs: 2}
	most := len(wrong) / tier.Draw(3, 5, 10) // that may be missed
	found := map[string]bool{}
	for _, f := range collect(t, c) {
		name, _, _ := strings.Cut(f.Key, " ")
		found[name] = true
		if !wrong[name] {
			t.Errorf("%s wants to be proved, and %s\n%s", name, f.Detail, f.Text)
		}
		kind, _, err := Replay(source.NewFile("finding.txtar", f.Text))
		if err != nil || kind != f.Kind {
			t.Errorf("%s replays as %q, %v\n%s", f.Detail, kind, err, f.Text)
		}
	}
	missed := 0
	for name := range wrong {
		if !found[name] {
			missed++
			t.Logf("not found: %s", name)
		}
	}
	if missed > most {
		t.Errorf("%d of %d wrong rules were not found", missed, len(wrong))
	}
}

// TestMendedRule: a case of a corpus is run with the rule as it is now.
func TestMendedRule(t *testing.T) {
	parse := func(text string) []*rewrite.Rule {
		rules, err := rewrite.Parse(source.NewFile("a.rules", text))
		if err != nil {
			t.Fatal(err)
		}
		return rules
	}
	const vars = "(vars (?a ((?A*) (?C*))) (?b ((?B*) (?C*))) (?r ((?D*) (?C*)))) (ints ?d)\n"
	const sides = `(lhs (access-cartesian-product (access-concatenate ?a ?b ?d) ?r))
(rhs (access-concatenate (access-cartesian-product ?a ?r) (access-cartesian-product ?b ?r) ?d)))`
	wrong := parse("(rule r " + vars + sides)
	right := parse("(rule r " + vars + "(where (<= 0 ?d) (< ?d (rank ?A*)))\n" + sides)
	dir := t.TempDir()
	if found := collect(t, &Campaign{Target: NewRules(wrong, equiv.Real), Seed: 1, Cases: 400, Corpus: dir}); len(found) == 0 {
		t.Fatal("nothing was found")
	}
	for _, test := range []struct {
		rules []*rewrite.Rule
		want  bool
	}{{wrong, true}, {right, false}, {parse("(rule s (vars (?a ((?A*) ()))) (lhs ?a) (rhs (access ?a 0)))"), false}} {
		c := &Campaign{Target: NewRules(test.rules, equiv.Real), Seed: 2, Cases: 1, Corpus: dir}
		inCorpus := false
		for _, f := range collect(t, c) {
			inCorpus = inCorpus || f.Case < 0
		}
		if inCorpus != test.want {
			t.Errorf("%s: found in the corpus: %t", test.rules[0].Span.Text(), inCorpus)
		}
	}
}
