package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"tv/equiv"
	"tv/glenside/rule"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics/domain"
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

// ruleMutants counts verdicts on near misses of rules.
type ruleMutants struct {
	sync.Mutex
	count map[equiv.Verdict]int
	both  bool // second verdicts too
}

// try decides a mutant, and holds proofs against the evaluator at random instances.
func (m *ruleMutants) try(t *testing.T, name, text string, elem domain.Elem) {
	rules, err := rule.Parse(source.NewFile(name, text))
	if err != nil {
		return // a defect that the language does not let pass
	}
	if !slices.Contains(typesOf(rules[0]), elem) {
		return
	}
	opts := equiv.Options{Unmended: true, FirstOnly: !m.both, Timeout: patience, Steps: mutantSteps}
	res, err := Check(t.Context(), rules[0], elem, opts)
	if err != nil {
		return // vacuous
	}
	if res.WhereBoth != nil {
		whereBoth(t, rules[0], elem, &res)
	}
	m.Lock()
	m.count[res.Verdict]++
	m.Unlock()
	if res.Verdict != equiv.Proved {
		return
	}
	if _, wrong := instances(t, rules[0], elem, res); wrong != "" {
		t.Errorf("proved, but not in the evaluator:\n%s\n%s", text, wrong)
	}
}

// mutantSteps is what the engines may take on a mutant, many of which are beyond them.
const mutantSteps = 1_000_000

// TestRuleMutants decides near misses of the rules that are right. Some of them are right too (a guard that only the
// public code wants, a bound that does not matter): those have to hold in the evaluator at random instances.
func TestRuleMutants(t *testing.T) {
	tier.Sweep(t)
	m := ruleMutants{count: map[equiv.Verdict]int{}}
	t.Run("rules", func(t *testing.T) {
		for _, r := range readRules(t, "../../testdata/rules/*.rules", "../../glenside/rules/*.rules") {
			if r.Want == "refuted" {
				continue
			}
			t.Run(r.Name, func(t *testing.T) {
				t.Parallel()
				for i, text := range mutants(r) {
					m.try(t, fmt.Sprintf("%s, mutant %d", r.Name, i), text, typesOf(r)[0])
				}
			})
		}
	})
	t.Logf("%d refuted, %d proved, %d unknown", m.count[equiv.Refuted], m.count[equiv.Proved], m.count[equiv.Unknown])
	if m.count[equiv.Refuted] < 100 {
		t.Errorf("only %d mutants are refuted", m.count[equiv.Refuted])
	}
}

// TestStressRuleMutants decides mutants of mutants, in all types of each rule.
func TestStressRuleMutants(t *testing.T) {
	part := tier.Stress(t)
	m := ruleMutants{count: map[equiv.Verdict]int{}, both: true}
	t.Run("rules", func(t *testing.T) {
		n := 0
		for _, r := range readRules(t, "../../testdata/rules/*.rules", "../../glenside/rules/*.rules") {
			for i, once := range mutants(r) {
				if n++; !part.Has(n) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%d", r.Name, i), func(t *testing.T) {
					t.Parallel()
					all := []string{once}
					if rules, err := rule.Parse(source.NewFile("once", once)); err == nil {
						all = append(all, mutants(rules[0])...)
					}
					for k, text := range all {
						for _, elem := range typesOf(r) {
							m.try(t, fmt.Sprintf("%s, mutant %d.%d", r.Name, i, k), text, elem)
						}
					}
				})
			}
		}
	})
	t.Logf("%d refuted, %d proved, %d unknown", m.count[equiv.Refuted], m.count[equiv.Proved], m.count[equiv.Unknown])
}
