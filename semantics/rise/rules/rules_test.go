// Package rules has rules of RISE, in files: those of its compiler Shine, of an e-graph, and of its lowering to loops. Each says
// whether it is right; package equiv/rules decides them.
package rules

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"

	"tv/glenside/rule"
	"tv/internal/source"
	"tv/semantics/rise/syntax"
)

func catalogue(t *testing.T) (list []*syntax.Rule) {
	t.Helper()
	names, err := filepath.Glob("*.rules")
	if err != nil || len(names) == 0 {
		t.Fatal("no rules", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, others, err := rule.ParseAll(source.NewFile(name, string(text)))
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range others {
			r, err := syntax.ParseRule(x)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, r)
		}
	}
	return list
}

// TestTwins: names are there once, and a wrong rule has a twin that is right, under a guard.
func TestTwins(t *testing.T) {
	right, seen := map[string]bool{}, map[string]bool{}
	list := catalogue(t)
	for _, r := range list {
		if seen[r.Name] {
			t.Errorf("two rules %s", r.Name)
		}
		seen[r.Name], right[r.Name] = true, r.Want != "refuted"
	}
	twins := map[string]string{"load-pad/i": "load-pad/guarded", "blockedReduction-any-start": "blockedReduction/guarded"}
	for _, r := range list {
		if twin := cmp.Or(twins[r.Name], r.Name+"/guarded"); r.Want == "refuted" && !right[twin] {
			t.Errorf("%s has no twin that is right", r.Name)
		}
	}
	if len(list) < 100 {
		t.Errorf("%d rules", len(list))
	}
}
