package rules

import (
	"context"
	"testing"

	"tv/equiv"
)

// TestMend holds the guards that are found for the rules of testdata/mend.rules: what doc says of each. A guard is only
// printed if the rule is proved with it.
func TestMend(t *testing.T) {
	for _, r := range readRules(t, "testdata/mend.rules") {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			res, err := Check(context.Background(), r, typesOf(r)[0], equiv.Options{Timeout: patience})
			if err != nil || res.Verdict != equiv.Refuted || res.Mend == nil {
				t.Fatalf("%v, %v, guard %v", res.Verdict, err, res.Mend)
			}
			got := "sufficient: " + res.Mend.Guard
			if res.Mend.Exact {
				got = "exact: " + res.Mend.Guard
			}
			if got != r.Doc {
				t.Errorf("%s, want %s", got, r.Doc)
			}
		})
	}
}
