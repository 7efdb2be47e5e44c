package refine

import (
	"context"
	"strings"
	"testing"

	"tv/ila"
	"tv/ila/ilatest/examples"
	"tv/ila/prove"
	"tv/semantics/term"
)

// Machines that let programs end differently are not the same.
func TestEndsOfModels(t *testing.T) {
	one := func(b *term.Builder, _ *term.Term) *term.Term { return b.Bits(8, 1) }
	left, right := examples.Door(2, one).Model, examples.Door(2, one).Model
	for _, want := range []prove.Verdict{prove.Proved, prove.Refuted} {
		list, err := (&Refinement{Left: left, Right: right}).Check(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		last := list[len(list)-1]
		if last.Question != "ends agree" || last.Verdict != want {
			t.Errorf("%s: %s, want ends agree: %s", last.Question, last.Verdict, want)
		}
		right.Ends = nil
	}
	if _, err := VerifyAgainst(context.Background(), examples.Door(2, one), examples.Door(1, one)); err == nil || !strings.Contains(err.Error(), ila.CodeFinish) {
		t.Errorf("compared with a program that has no end: %v", err)
	}
}
