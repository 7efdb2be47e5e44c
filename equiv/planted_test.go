//go:build planted

package equiv

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	language "tv/semantics/glenside"

	"golang.org/x/tools/txtar"

	"tv/glenside"
	"tv/internal/planted"
	"tv/internal/source"
	"tv/semantics/domain"
)

// plantedPair reads the false pair that a fault proves.
func plantedPair(t *testing.T, fault string) (before, after *glenside.Program, opts Options) {
	t.Helper()
	name := filepath.Join("../testdata/planted", fault+".txtar")
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	opts = Options{Timeout: longest, Solver: "none"}
	opts.Arith = domain.ArithIn(line(string(a.Comment), "args:"))
	if strings.Contains(string(a.Comment), "--equal access") {
		opts.Equal = Access
	}
	if len(a.Files) != 2 || !strings.Contains(string(a.Comment), "want: refuted") {
		t.Fatalf("%s: want two programs, and the pair refuted", name)
	}
	var ps []*glenside.Program
	for _, s := range a.Files {
		p, err := glenside.Parse(source.NewFile(s.Name, string(s.Data)))
		if err != nil {
			t.Fatal(err)
		}
		ps = append(ps, p)
	}
	return ps[0], ps[1], opts
}

// TestPlanted runs in a build with the faults ("make planted") and plants each in the prover. The prover proves the
// fault's pair with the fault, and does not without; the evaluator tells the pair apart; and the checker accepts no
// certificate, so that the proof is taken back.
func TestPlanted(t *testing.T) {
	faults, err := planted.Read("../testdata/planted/faults.txt")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for _, f := range faults.Names {
		t.Run(f, func(t *testing.T) {
			before, after, opts := plantedPair(t, f)
			if proved, err := Prove(ctx, Question{Before: language.Of(before), After: language.Of(after)}, opts); err != nil || proved {
				t.Errorf("proved without the fault: %t (%v)", proved, err)
			}
			if r, err := Check(ctx, Question{Before: language.Of(before), After: language.Of(after)}, opts); err != nil || r.Verdict != Refuted {
				t.Errorf("the pair is %s (%v), want refuted", r.Verdict, err)
			}
			remove := planted.Plant(f)
			defer remove()
			q, err := ask(Question{Before: language.Of(before), After: language.Of(after)}, opts)
			if err != nil {
				t.Fatal(err)
			}
			if r := q.types(); r != nil {
				t.Fatalf("the types are told apart: %s", r.Detail)
			}
			w := q.inquire(ctx)
			a := w.prover.Settle(ctx)
			if !a.Proved {
				t.Fatalf("not proved with the fault: %s", a.Detail)
			}
			a, c := w.prover.Certify(ctx, a, w.prover.Certifying(ctx))
			if c.Err == nil {
				t.Fatal("the checker accepts it")
			}
			t.Logf("the checker: %v", c.Err)
			if out, err := w.proved(a, c); err != nil || out.Verdict != Unknown || len(out.Certificate) > 0 {
				t.Errorf("%s (%v) with the checker on, want unknown", out.Verdict, err)
			}
			if r, err := Check(ctx, Question{Before: language.Of(before), After: language.Of(after)}, opts); err != nil || r.Verdict == Proved {
				t.Errorf("tv check with the fault: %s (%v)", r.Verdict, err)
			}
		})
	}
}
