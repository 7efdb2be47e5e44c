package equiv

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"tv/glenside/rule"
	"tv/internal/source"
)

// mutations of a rule's text: each gives one mutant for each place where it applies.
var mutations = []struct {
	name string
	re   *regexp.Regexp
	by   func(match string) string
}{
	{"rank off by one", regexp.MustCompile(`\(rank \?[A-Za-z0-9]+\*?\)`), func(m string) string { return "(+ " + m + " 1)" }},
	{"inverse forgotten", regexp.MustCompile(`\(inverse (\?[A-Z]\*)\)`), func(m string) string { return m[len("(inverse ") : len(m)-1] }},
	{"element forgotten", regexp.MustCompile(`\(at \?[A-Z]\* (\?[a-z])\)`), func(m string) string { return strings.TrimSuffix(m[strings.LastIndex(m, " ")+1:], ")") }},
	{"axis off by one", regexp.MustCompile(` \?d\b`), func(string) string { return " (+ ?d 1)" }},
	{"bound off by one", regexp.MustCompile(` \?h\b`), func(string) string { return " (+ ?h 1)" }},
	{"bound dropped", regexp.MustCompile(` \?l\b`), func(string) string { return " 0" }},
	{"compose swapped", regexp.MustCompile(`\(compose \?L\* \?M\*\)`), func(string) string { return "(compose ?M* ?L*)" }},
	{"sum for max", regexp.MustCompile(`reduce-max`), func(string) string { return "reduce-sum" }},
	{"product for sum", regexp.MustCompile(`elementwise-add`), func(string) string { return "elementwise-mul" }},
	{"min for zero padding", regexp.MustCompile(`zero-padding`), func(string) string { return "min-padding" }},
	{"another window", regexp.MustCompile(`\(shape \?w\)`), func(string) string { return "(shape (+ ?w 1))" }},
	{"other operand", regexp.MustCompile(` \?b\b`), func(string) string { return " ?a" }},
}

// mutants returns the texts that differ from a rule's right side or guard by one defect.
func mutants(r *rule.Rule) []string {
	text := r.Span.Text()
	rhs := r.RHS.Span.Start - r.Span.Start
	end := r.RHS.Span.End - r.Span.Start
	var out []string
	for _, m := range mutations {
		for _, at := range m.re.FindAllStringIndex(text[rhs:end], -1) {
			lo, hi := rhs+at[0], rhs+at[1]
			out = append(out, text[:lo]+m.by(text[lo:hi])+text[hi:])
		}
	}
	for _, g := range r.Where {
		lo, hi := g.Span.Start-r.Span.Start, g.Span.End-r.Span.Start
		out = append(out, text[:lo]+text[hi:])
	}
	return out
}

// TestRuleMutants decides near misses of the rules that are right. Some of them are right too (a guard that only the
// public code wants, a bound that does not matter): those have to hold in the evaluator at random instances.
func TestRuleMutants(t *testing.T) {
	count := map[Verdict]int{}
	for _, r := range readRules(t, "../testdata/rules/*.rules", "../glenside/rules/*.rules") {
		if r.Want == "refuted" {
			continue
		}
		for i, text := range mutants(r) {
			if testing.Short() && i%4 != 0 {
				continue
			}
			rules, err := rule.Parse(source.NewFile(fmt.Sprintf("%s, mutant %d", r.Name, i), text))
			if err != nil {
				continue // a defect that the language does not let pass
			}
			m := rules[0]
			elem := typesOf(m)[0]
			res, err := CheckRule(context.Background(), m, elem, Options{Unmended: true})
			if err != nil {
				continue // vacuous
			}
			count[res.Verdict]++
			if res.Verdict != Proved {
				continue
			}
			if _, wrong := instances(t, m, elem, res); wrong != "" {
				t.Errorf("proved, but not in the evaluator:\n%s\n%s", text, wrong)
			}
		}
	}
	t.Logf("%d refuted, %d proved, %d unknown", count[Refuted], count[Proved], count[Unknown])
	if count[Refuted] < 100 {
		t.Errorf("only %d mutants are refuted", count[Refuted])
	}
}
