package equiv_test

import (
	"context"
	"strings"
	"testing"

	language "tv/semantics/glenside"

	"tv/equiv"
	"tv/glenside"
	"tv/internal/networks"
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
		r, err := equiv.Check(context.Background(), equiv.Question{Before: language.Of(before), After: language.Of(after)}, equiv.Options{Timeout: patience})
		if got := r.Verdict.String() + " " + r.Reason; err != nil || got != want {
			t.Errorf("%s (%v), want %s", got, err, want)
		}
		if want == "refuted values" && len(r.Blame) != 2 {
			t.Errorf("%d subterms are to blame, want the roots", len(r.Blame))
		}
	}
	if _, err := equiv.Describe(language.Of(before), equiv.Options{}); err == nil || !strings.Contains(err.Error(), "[too-deep]") {
		t.Errorf("Describe: %v, want too-deep", err)
	}
}

// A stack of layers costs what its layers do: the terms that are made grow with its depth, whatever depth that is, and so
// does what the exactness line takes, which is there.
func TestCostAgainstDepth(t *testing.T) {
	for _, n := range networks.All() {
		t.Run(n.Name, func(t *testing.T) {
			t.Parallel()
			terms := map[int]int{}
			for _, depth := range []int{1, 2, 4, 8} {
				before, after := n.Texts(depth, -1)
				r, err := equiv.Check(context.Background(), questionOf(t, before, after),
					equiv.Options{Steps: 300_000, Solver: "none"})
				if err != nil || r.Verdict != equiv.Proved || len(r.Certificate) == 0 || len(r.Exact) != 1 {
					t.Fatalf("%d layers: %s %s %s, %v", depth, r.Verdict, r.Reason, r.Detail, err)
				}
				if e := r.Exact[0]; e.Verdict != "yes" && e.Reason != "deep" && !strings.HasPrefix(n.Name, "encoder") {
					t.Errorf("%d layers bit for bit: %s %s", depth, e.Verdict, e.Reason)
				}
				terms[depth] = r.Stats.Terms
			}
			for _, depth := range []int{4, 8} {
				if terms[depth] > 3*max(terms[depth/2], 50) {
					t.Errorf("%d layers make %d terms, half as many %d", depth, terms[depth], terms[depth/2])
				}
			}
			t.Logf("terms by depth: %v", terms)
		})
	}
}

// A wrong layer of a stack is told by the values.
func TestWrongLayer(t *testing.T) {
	for _, n := range networks.All() {
		before, after := n.Texts(3, 1)
		r, err := equiv.Check(context.Background(), questionOf(t, before, after), equiv.Options{})
		if err != nil || r.Verdict != equiv.Refuted || r.Counterexample == nil {
			t.Errorf("%s: %s %s %s, %v", n.Name, r.Verdict, r.Reason, r.Detail, err)
		}
	}
}

// Five hundred layers, which have more subterms than programs had that were proved in stages, are proved in as many steps as
// their number asks for.
func TestLongChain(t *testing.T) {
	for _, n := range networks.All() {
		if n.Name != "residual relu" && n.Name != "minimum and maximum" {
			continue
		}
		before, after := n.Texts(500, -1)
		r, err := equiv.Check(context.Background(), questionOf(t, before, after), equiv.Options{Steps: 300_000, Solver: "none"})
		if err != nil || r.Verdict != equiv.Proved || len(r.Certificate) == 0 {
			t.Errorf("%s: %s %s %s, %v", n.Name, r.Verdict, r.Reason, r.Detail, err)
		}
	}
}

func questionOf(t *testing.T, before, after string) equiv.Question {
	t.Helper()
	return equiv.Question{Before: language.Of(programFrom(t, "b.sexp", before)), After: language.Of(programFrom(t, "a.sexp", after))}
}

// Long ways of moving elements cost what they are long: the checker and the prover remember what they were asked of
// divisions inside others, tell halves of many parts apart first, and the output is cut in the middle. What is almost the
// same is told by the values.
func TestMovesAgainstLength(t *testing.T) {
	for _, test := range []struct {
		name    string
		texts   func() (before, after string)
		was, by string // in a near miss
	}{
		{"64 moves", func() (string, string) { return networks.Walk(64) }, "(list 1 2 0)", "(list 2 1 0)"},
		{"512 rows", func() (string, string) { return networks.Slices(512) }, " 0 300 301)", " 0 301 302)"},
		{"a constant", func() (string, string) { return networks.Constant(64, 64) }, "(constant-tensor -11 ", "(constant-tensor 11 "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			before, after := test.texts()
			wrong := strings.Replace(after, test.was, test.by, 1)
			for text, want := range map[string]equiv.Verdict{after: equiv.Proved, wrong: equiv.Refuted} {
				r, err := equiv.Check(context.Background(), questionOf(t, before, text),
					equiv.Options{Steps: 200_000, Solver: "none"})
				if err != nil || r.Verdict != want || (len(r.Certificate) == 0) == (want == equiv.Proved) {
					t.Errorf("%s %s %s, want %s, %v", r.Verdict, r.Reason, r.Detail, want, err)
				}
			}
		})
	}
}
