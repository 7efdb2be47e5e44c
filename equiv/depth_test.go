package equiv_test

import (
	"context"
	"strings"
	"testing"

	"tv/equiv"
)

// Calls that nest deeper than the prover takes are not lowered: the answer is unknown and says so.
func TestDepth(t *testing.T) {
	const depth = 200_000
	p := programFrom(t, "p.sexp", "(input A (shape 2))\n"+strings.Repeat("(compute negative ", depth)+"A"+
		strings.Repeat(")", depth))
	r, err := equiv.Check(context.Background(), p, p, equiv.Options{})
	if err != nil || r.Verdict != equiv.Unknown || r.Reason != "unsupported" {
		t.Errorf("Check of %d negatives: %s, %s (%v), want unknown, unsupported", depth, r.Verdict, r.Reason, err)
	}
	if _, err := equiv.Describe(p, equiv.Options{}); err == nil || !strings.Contains(err.Error(), "[too-deep]") {
		t.Errorf("Describe: %v, want too-deep", err)
	}
}
