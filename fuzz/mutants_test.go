package fuzz

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	language "tv/semantics/glenside"

	"pgregory.net/rapid"

	"tv/equiv"
	"tv/fuzz/programs"
	"tv/semantics/domain"
)

// samples is the number of samples after which two programs count as not told apart.
const samples = 1000

// TestMutants: a mutant that the evaluator tells apart is not proved, neither by Check nor by the engines alone,
// without the samples that Check takes before; one that it does not tell apart is not refuted, unless Check's
// counterexample holds in the evaluator. Both kinds are counted.
func TestMutants(t *testing.T) {
	var kinds, defects, used tally
	batches(t, 5, func(t *rapid.T, salt uint64) {
		p := anyProgram(programs.Params{Salt: 5000 + salt, MaxOps: 6}).Draw(t, "program")
		m := programs.Mutate(p, p.Seed)
		if m == nil {
			kinds.add("no mutant", 1)
			return
		}
		used.operators(p.Parsed)
		defects.add(m.Defect, 1)
		pair := func(format string, args ...any) {
			t.Helper()
			t.Fatalf("%s\n%s\nBEFORE (exact: %t)\n%s\nAFTER\n%s", m.Defect, fmt.Sprintf(format, args...), p.Exact, p.Text, m.Text)
		}
		j := Judge(p.Typed(), m.Typed(), domain.ArithOf(p.Exact), samples, p.Seed)
		if j.Apart {
			kinds.add("told apart", 1)
			defects.add(m.Defect+": told apart", 1)
			if proved, err := equiv.Prove(context.Background(), equiv.Question{Before: language.Of(p.Parsed), After: language.Of(m.Parsed)}, smallOptions(p)); err == nil && proved {
				pair("the engines prove it, and it is wrong: %s", j.How)
			}
			if rand.New(rand.NewPCG(p.Seed, 1)).IntN(4) > 0 {
				return
			}
		}
		r, err := check(p, m.Program)
		switch {
		case err != nil:
			kinds.add("not a question", 1)
		case j.Apart && r.Verdict == equiv.Proved:
			pair("proved, and it is wrong: %s", j.How)
		case j.Apart:
			kinds.add("told apart: "+r.Verdict.String(), 1)
		case r.Verdict == equiv.Refuted:
			if how := Confirm(p.Typed(), m.Typed(), domain.ArithOf(p.Exact), &r); how != "" {
				pair("refuted (%s %s), and the evaluator does not see it: %s", r.Reason, r.Detail, how)
			}
			kinds.add("told apart by tv's counterexample alone", 1)
		default:
			kinds.add("not told apart: "+r.Verdict.String(), 1)
		}
	})
	t.Logf("%s", &kinds)
	t.Logf("defects:%s", &defects)
	apart := kinds.counts["told apart"] + kinds.counts["told apart by tv's counterexample alone"]
	all := apart + kinds.counts["not told apart: proved"] + kinds.counts["not told apart: unknown"]
	if apart*10 < all*4 {
		t.Errorf("%d mutants of %d are told apart, want two in five", apart, all)
	}
	used.atLeast(t, 10, operators())
	for _, d := range programs.Defects() {
		if n := defects.counts[d.Name]; n == 0 || n >= 10 && defects.counts[d.Name+": told apart"] == 0 {
			t.Errorf("of %d mutants by %q none was told apart", n, d.Name)
		}
	}
}
