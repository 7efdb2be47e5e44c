package equiv

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	language "tv/semantics/glenside"

	"tv/equiv/prove"
	"tv/equiv/smt"
	"tv/glenside"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/proofs"
)

// longest is longer than any test: what tests ask about ends by steps.
const longest = time.Hour

// proved has a pair proved and returns the pair of its certificate.
func proved(t *testing.T, before, after string, opts Options) (proofs.Pair, []byte) {
	t.Helper()
	p, err := glenside.Parse(source.NewFile("before", before))
	if err != nil {
		t.Fatal(err)
	}
	o, err := glenside.Parse(source.NewFile("after", after))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Check(context.Background(), Question{Before: language.Of(p), After: language.Of(o)}, opts)
	if err != nil || r.Verdict != Proved || r.Certificate == nil {
		t.Fatalf("%s (%s %s) %v", r.Verdict, r.Reason, r.Detail, err)
	}
	pairs, err := languages.Checker.CheckRest("certificate", r.Certificate)
	if err != nil {
		t.Fatal(err)
	}
	if len(pairs[0].Obligations) > 0 == (len(r.Trusts) == 0) {
		t.Errorf("trusts %v, with %d obligations", r.Trusts, len(pairs[0].Obligations))
	}
	return pairs[0], r.Certificate
}

// leftPairs are proved by a solver in some way: which of their tensors are left to it, and with what obligations.
var leftPairs = []struct {
	name, before, after string
	left                []int
	about               []string
}{
	{"everywhere", "(input A (shape 3) sat8)\n" + twice("(access-tensor A)"), twice(twice("(access-tensor A)")),
		[]int{0}, []string{"every element"}},
	{"one by one", three + twice("(access-concatenate (access-concatenate "+vectors[0]+vectors[1]+"0)"+vectors[2]+"0)"),
		twice(twice("(access-concatenate" + vectors[0] + "(access-concatenate " + vectors[1] + vectors[2] + "0) 0)")),
		[]int{0}, []string{"element [0]", "element [1]", "element [2]"}},
	{"one tensor of two", three + "(construct-tuple " + vectors[0] + twice(vectors[1]) + ")",
		"(construct-tuple " + vectors[0] + twice(twice(vectors[1])) + ")", []int{1}, []string{"element [0] of tensor 2 of 2"}},
	{"a domain in cases", "(input A (shape N) sat8)\n(input B (shape M) sat8)\n" + twice(sum), twice(twice(sum)),
		[]int{0}, []string{
			"every element, case 1 of 3: (= N M)", "every element, case 2 of 3: (= N 1)", "every element, case 3 of 3: (= M 1)",
		}},
	{"a divisor", "(input A (shape 3) int8)\n" + self, twice("(relay-operator-call relay-multiply " + self + " " + self + ")"),
		[]int{0}, []string{"every element"}},
}

const (
	three = "(input A (shape 1) sat8)\n(input B (shape 1) sat8)\n(input C (shape 1) sat8)\n"
	self  = "(relay-operator-call relay-divide (access-tensor A) (access-tensor A))"
	sum   = "(relay-operator-call relay-add (access-tensor A) (access-tensor B))"
)

var vectors = []string{" (access (access-tensor A) 0) ", " (access (access-tensor B) 0) ", " (access (access-tensor C) 0) "}

// twice negates twice, which changes the least number of a type that saturates.
func twice(x string) string { return "(compute negative (compute negative " + x + "))" }

// TestLeft makes certificates of pairs that a solver proves, twice, and has other solvers prove them again.
func TestLeft(t *testing.T) {
	for _, test := range leftPairs {
		p, data := proved(t, test.before, test.after, Options{Arith: Exact})
		if _, again := proved(t, test.before, test.after, Options{Arith: Exact, Solver: "cvc5"}); string(data) != string(again) {
			t.Errorf("%s: another certificate the second time", test.name)
		}
		if !slices.Equal(p.Left(), test.left) {
			t.Errorf("%s: tensors %v are left, want %v", test.name, p.Left(), test.left)
		}
		list, err := prove.Obligations(p, languages.Named)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		var about []string
		for _, o := range list {
			about = append(about, o.About)
			for _, solver := range []string{"auto", "z3", "cvc5"} {
				r := o.Decide(context.Background(), smt.Options{Solver: solver, Timeout: longest})
				if r.Answer != smt.Valid {
					t.Errorf("%s, %s: %s says %s (%s)", test.name, o.About, solver, r.Answer, r.Reason)
				}
			}
		}
		if !slices.Equal(about, test.about) {
			t.Errorf("%s: obligations %q, want %q", test.name, about, test.about)
		}
		if _, err := languages.Checker.Check("certificate", data); err == nil {
			t.Errorf("%s: accepted without the obligations", test.name)
		}
	}
}

// A forgery changes a pair of a certificate.
type forgery struct {
	name  string
	forge func(p *proofs.Pair)
}

// scripts makes a forgery of the first script.
func scripts(f func(script string) string) func(p *proofs.Pair) {
	return func(p *proofs.Pair) { p.Obligations[0] = f(p.Obligations[0]) }
}

func replaced(old, by string) func(p *proofs.Pair) {
	return scripts(func(s string) string { return strings.Replace(s, old, by, 1) })
}

var forgeries = []forgery{
	{"nothing but false", scripts(func(string) string { return "(set-logic QF_BV)\n(assert false)\n(check-sat)\n" })},
	{"false beside the goal", replaced("(assert ", "(assert false)\n(assert ")},
	{"no goal", scripts(func(s string) string {
		at := strings.LastIndex(s, "(assert ")
		return s[:at] + "(check-sat)\n"
	})},
	{"the goal negated", scripts(func(s string) string {
		at := strings.LastIndex(s, "(assert ")
		goal := strings.TrimSuffix(strings.TrimPrefix(s[at:], "(assert "), ")\n(check-sat)\n")
		return s[:at] + "(assert (not " + goal + "))\n(check-sat)\n"
	})},
	{"a question before the goal", replaced("(assert ", "(check-sat)\n(assert ")},
	{"two questions", scripts(func(s string) string { return s + "(check-sat)\n" })},
	{"an end in front", replaced("(set-logic", "(exit)\n(set-logic")},
	{"an answer that is printed", replaced("(set-logic", "(echo \"unsat\")\n(set-logic")},
	{"another logic", replaced("QF_BV", "QF_LRA")},
	{"another comment", replaced("; ", "; it holds: ")},
	{"a blank", replaced("(assert ", "(assert  ")},
	{"an empty script", scripts(func(string) string { return "" })},
	{"an obligation twice", func(p *proofs.Pair) { p.Obligations = append(p.Obligations, p.Obligations[0]) }},
	{"an obligation dropped", func(p *proofs.Pair) { p.Obligations = p.Obligations[1:] }},
	{"the last dropped", func(p *proofs.Pair) { p.Obligations = p.Obligations[:len(p.Obligations)-1] }},
	{"all dropped", func(p *proofs.Pair) { p.Obligations = nil }},
	{"nothing left", func(p *proofs.Pair) { p.Witness = strings.SplitAfterN(p.Witness, "\n", 2)[1] }},
	{"nothing left and all dropped", func(p *proofs.Pair) {
		p.Witness, p.Obligations = strings.SplitAfterN(p.Witness, "\n", 2)[1], nil
	}},
	{"a tensor that is none", func(p *proofs.Pair) { p.Witness = strings.Replace(p.Witness, "\n", " 7\n", 1) }},
	{"another arithmetic", func(p *proofs.Pair) { p.Arith = Real }},
	{"another AFTER", func(p *proofs.Pair) { p.After = strings.Replace(p.After, "negative", "relu", 1) }},
	{"another type", func(p *proofs.Pair) { p.Before = strings.ReplaceAll(p.Before, "sat8", "sat16") }},
	{"one size more", func(p *proofs.Pair) { p.Before = strings.ReplaceAll(p.Before, "(shape ", "(shape 2 ") }},
}

// TestForged: no certificate is accepted whose obligations are not those of its statement, whatever the digest says.
func TestForged(t *testing.T) {
	all := slices.Clone(forgeries)
	var others []proofs.Pair
	for _, test := range leftPairs {
		p, _ := proved(t, test.before, test.after, Options{Arith: Exact})
		others = append(others, p)
	}
	for i, o := range others {
		all = append(all, forgery{"those of " + leftPairs[i].name, func(p *proofs.Pair) { p.Obligations = slices.Clone(o.Obligations) }})
	}
	for i, p := range others {
		for _, f := range all {
			forged := p
			forged.Obligations = slices.Clone(p.Obligations)
			f.forge(&forged)
			before, after := proofs.Format([]proofs.Pair{p}), proofs.Format([]proofs.Pair{forged})
			if string(before) == string(after) {
				continue
			}
			pairs, err := languages.Checker.CheckRest("certificate", after)
			if err == nil {
				_, err = prove.Obligations(pairs[0], languages.Named)
			}
			if err == nil {
				t.Errorf("%s, %s: accepted", leftPairs[i].name, f.name)
			}
		}
	}
}

// TestForeignSize: sizes of AFTER that BEFORE does not have are no sizes.
func TestForeignSize(t *testing.T) {
	s := proofs.Statement{Arith: Exact, Before: "(input A (shape N) sat8)\n" + twice("(access-tensor A)")}
	for size, foreign := range map[string]bool{"N": false, "K": true} {
		s.After = twice("(access-slice (access (access-tensor A) 0) 0 0 " + size + ")")
		if _, err := prove.Obligations(proofs.Pair{Statement: s, Witness: "left 0\n"}, languages.Named); err == nil ||
			(source.AsErrors(err)[0].Code == "unknown-size") != foreign {
			t.Errorf("%s: %v", size, err)
		}
	}
}
