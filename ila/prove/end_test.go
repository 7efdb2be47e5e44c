package prove

import (
	"context"
	"testing"

	"tv/ila"
	"tv/ila/ilatest/examples"
	"tv/semantics/term"
)

// A program that ends before its machine has said so is never proved: where it never says so, the run is at fault; where
// that hangs on data, what samples do not meet is open.
func TestEnds(t *testing.T) {
	one := func(b *term.Builder, _ *term.Term) *term.Term { return b.Bits(8, 1) }
	for _, test := range []struct {
		name   string
		steps  int
		stop   func(b *term.Builder, x *term.Term) *term.Term
		want   Verdict
		reason string
	}{
		{"said", 2, one, Proved, ""},
		{"not said", 1, one, Refuted, "undefined"},
		{"taken back", 2, func(b *term.Builder, _ *term.Term) *term.Term { return b.Bits(8, 2) }, Refuted, "undefined"},
		{"by an even number", 2, func(_ *term.Builder, x *term.Term) *term.Term { return x }, Refuted, "undefined"},
		{"but for one number", 2, func(b *term.Builder, x *term.Term) *term.Term {
			return b.Choose(b.Equal(x, b.Bits(8, 77)), b.Bits(8, 0), b.Bits(8, 1))
		}, Unknown, "unsupported"},
	} {
		task := examples.Door(test.steps, test.stop)
		r, err := Verify(context.Background(), task)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != test.want || r.Reason != test.reason {
			t.Errorf("%s: %s, %s: %s", test.name, r.Verdict, r.Reason, r.Detail)
		}
		if r.Fault != nil && (r.Fault.Code != ila.CodeFinish || !r.Fault.AtEnd || r.Fault.Step != test.steps) {
			t.Errorf("%s: %v after %d steps, want the end after %d", test.name, r.Fault, r.Fault.Step, test.steps)
		}
	}
	for steps, want := range map[int]bool{1: true, 2: false} {
		fault := &ila.Fault{Code: ila.CodeFinish, Step: steps, AtEnd: true}
		if got := faultsAnyway(examples.Door(steps, one), fault); got != want {
			t.Errorf("after %d steps: at fault whatever functions are: %t", steps, got)
		}
	}
}
