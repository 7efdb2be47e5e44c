package rules

import (
	"os"
	"path/filepath"
	"testing"

	"tv/equiv"
	"tv/glenside/rule"
	"tv/internal/source"
	"tv/semantics/rise/syntax"
)

// riseRules reads the rules of RISE in files.
func riseRules(t testing.TB, pattern string) (list []*syntax.Rule) {
	t.Helper()
	names, _ := filepath.Glob(pattern)
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

// TestRISERules decides the rules of RISE that are written down, each as it says. Certificates are for others to ask for.
func TestRISERules(t *testing.T) {
	for _, r := range riseRules(t, "../../semantics/rise/rules/*.rules") {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			want := equiv.Proved
			if r.Want == "refuted" {
				want = equiv.Refuted
			}
			res, err := CheckRISE(t.Context(), r, equiv.Options{Timeout: patience, Uncertified: true, Unmended: true})
			if err != nil || res.Verdict != want {
				t.Errorf("%v (%s: %s), want %v %v", res.Verdict, res.Reason, res.Detail, want, err)
			}
		})
	}
}
