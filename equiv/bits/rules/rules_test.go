package rules

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"tv/equiv/bits"
	"tv/internal/sexpr"
	"tv/internal/source"
	proof "tv/proofs/bits/rules"
	"tv/semantics/bits/rule"
)

func read(t *testing.T, name string) (out []*rule.Rule) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	forms, bad := sexpr.Read(source.NewFile(name, string(data)))
	if bad != nil {
		t.Fatal(bad)
	}
	for _, x := range forms {
		r, err := rule.Parse(x)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// TestCatalogue: each rule of the catalogue has the verdict that it wants.
func TestCatalogue(t *testing.T) {
	files, _ := filepath.Glob("../../../semantics/bits/rules/*.rules")
	count := map[string]int{}
	for _, name := range files {
		for _, r := range read(t, name) {
			out, err := Check(context.Background(), r, Options{})
			if err != nil {
				t.Errorf("%s: %v", r.Name, err)
				continue
			}
			want := bits.Proved
			if r.Want == "refuted" {
				want = bits.Refuted
			}
			if out.Verdict != want {
				t.Errorf("%s: %s %s %s %v", r.Name, out.Verdict, out.Reason, out.Detail, out.Refuting)
			}
			if out.Verdict == bits.Proved {
				if _, err := proof.Check(out.Certified); err != nil {
					t.Errorf("%s: its certificate is refused: %v", r.Name, err)
				}
			} else if _, err := proof.Check(certificate(r, allWidths, nil)); err == nil {
				t.Errorf("%s: a certificate of what is wrong is accepted", r.Name)
			}
			count[out.Verdict.String()+" "+out.Engine]++
			t.Logf("%-32s %s %s %v %v", r.Name, out.Verdict, out.Engine, out.Domain, Values(r, out.Refuting))
		}
	}
	t.Log(count)
}
