package equiv_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tv/equiv"
)

// graph is a text of a thousand operators, which uses what it defines twice each time; as a tree it has 2^times leaves or
// more. The first operator reads leaf.
func graph(leaf, twice string, times int) string {
	var b strings.Builder
	b.WriteString("(input X (shape N N))\n(input Y (shape N N))\n")
	fmt.Fprintf(&b, "(define t0 %s)\n", leaf)
	every := 1000 / times
	for i := range 1000 {
		switch x := fmt.Sprint("t", i); {
		case (i+1)%every == 0:
			fmt.Fprintf(&b, "(define t%d (relay-operator-call relay-%s %s (access-transpose %s (list 1 0))))\n", i+1, twice, x, x)
		case i%2 == 0:
			fmt.Fprintf(&b, "(define t%d (access-transpose %s (list 1 0)))\n", i+1, x)
		default:
			fmt.Fprintf(&b, "(define t%d (compute relu %s))\n", i+1, x)
		}
	}
	b.WriteString("t1000\n")
	return b.String()
}

// Programs are graphs: a tree of 10^13 leaves is proved against itself, with a certificate, and a wrong leaf is found and
// blamed, by steps that grow with the text.
func TestGraphs(t *testing.T) {
	const x, y = "(access-tensor X)", "(access-tensor Y)"
	for _, twice := range []string{"add", "maximum"} {
		for _, times := range []int{43, 500} {
			t.Run(fmt.Sprint(twice, " ", times), func(t *testing.T) {
				t.Parallel()
				before := graph(x, twice, times)
				r, err := equiv.Check(context.Background(), questionOf(t, before, before), equiv.Options{Steps: 500_000, Solver: "none"})
				if err != nil || r.Verdict != equiv.Proved || len(r.Certificate) == 0 {
					t.Errorf("%s %s %s, %v", r.Verdict, r.Reason, r.Detail, err)
				}
				r, err = equiv.Check(context.Background(), questionOf(t, before, graph(y, twice, times)), equiv.Options{Solver: "none"})
				if err != nil || r.Verdict != equiv.Refuted || r.Counterexample == nil || len(r.Blame) < 2 {
					t.Fatalf("%s %s %s, %v", r.Verdict, r.Reason, r.Detail, err)
				}
				for _, b := range r.Blame {
					if len(b.Text) > 100 || b.Span.File == nil {
						t.Errorf("blame %s", b.Text)
					}
				}
			})
		}
	}
}

// Sums of what is there twice, over and over: coefficients add up before summands double.
func TestDoubledSums(t *testing.T) {
	text := func(operator string) string {
		var b strings.Builder
		b.WriteString("(input X (shape N))\n(input Y (shape N))\n(define t0 X)\n(define t1 (relay-operator-call relay-add X Y))\n")
		for i := 2; i <= 60; i++ { // as many summands as the numbers of Fibonacci say
			fmt.Fprintf(&b, "(define t%d (relay-operator-call relay-%s t%d t%d))\n", i, operator, i-1, i-2)
		}
		return b.String() + "t60\n"
	}
	for _, exact := range []string{"", " int8"} {
		before := strings.ReplaceAll(text("add"), "(shape N))", "(shape N)"+exact+")")
		swapped := strings.ReplaceAll(before, "t0 X)", "t0 (compute negative (compute negative X)))")
		opts := equiv.Options{Steps: 100_000, Solver: "none"}
		if exact != "" {
			opts.Arith = equiv.Exact
		}
		r, err := equiv.Check(context.Background(), questionOf(t, before, swapped), opts)
		if err != nil || r.Verdict != equiv.Proved || len(r.Certificate) == 0 {
			t.Errorf("%s: %s %s %s, %v", exact, r.Verdict, r.Reason, r.Detail, err)
		}
		wrong := strings.Replace(before, "relay-add t9 t8", "relay-add t9 t7", 1)
		if r, err = equiv.Check(context.Background(), questionOf(t, before, wrong), opts); err != nil || r.Verdict != equiv.Refuted {
			t.Errorf("%s: %s %s %s, %v", exact, r.Verdict, r.Reason, r.Detail, err)
		}
	}
}
