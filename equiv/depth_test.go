package equiv_test

import (
	"context"
	"strings"
	"testing"

	"tv/equiv"
	"tv/glenside"
)

// Calls that nest deeper than the prover takes are not lowered: the answer is unknown and says so. A difference is found
// still, and blamed in time and memory that grow with the programs, not with the texts of all their subterms.
func TestDepth(t *testing.T) {
	const depth = 30_000
	negatives := func(n int) *glenside.Program {
		return programFrom(t, "p.sexp", "(input A (shape 2))\n"+strings.Repeat("(compute negative ", n)+"A"+
			strings.Repeat(")", n))
	}
	before := negatives(depth)
	for after, want := range map[*glenside.Program]string{
		negatives(depth): "unknown unsupported", negatives(depth - 1): "refuted values",
	} {
		r, err := equiv.Check(context.Background(), before, after, equiv.Options{Timeout: patience})
		if got := r.Verdict.String() + " " + r.Reason; err != nil || got != want {
			t.Errorf("%s (%v), want %s", got, err, want)
		}
		if want == "refuted values" && len(r.Blame) != 2 {
			t.Errorf("%d subterms are to blame, want the roots", len(r.Blame))
		}
	}
	if _, err := equiv.Describe(before, equiv.Options{}); err == nil || !strings.Contains(err.Error(), "[too-deep]") {
		t.Errorf("Describe: %v, want too-deep", err)
	}
}
