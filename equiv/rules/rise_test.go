package rules

import (
	"os"
	"testing"

	"tv/equiv"
	"tv/glenside/rule"
	"tv/internal/source"
	"tv/semantics/rise/syntax"
)

func riseRules(t testing.TB, name string) (list []*syntax.Rule) {
	t.Helper()
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
	return list
}

func TestTmp(t *testing.T) {
	for _, r := range riseRules(t, "/tmp/rr1.rules") {
		res, err := CheckRISE(t.Context(), r, equiv.Options{Timeout: patience, Uncertified: true})
		t.Logf("%s %v %v %v %v %v %+v", r.Name, res.Verdict, res.Reason, res.Detail, res.Elapsed, err, res.Mend)
	}
}
