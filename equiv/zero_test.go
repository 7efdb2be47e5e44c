package equiv_test

import (
	"context"
	"testing"

	"tv/internal/languages"

	"tv/equiv"
	"tv/equiv/rules"
	"tv/glenside/rule"
	"tv/internal/source"
	"tv/semantics/domain"
)

// TestZeroOptions: a caller that sets no option asks as the command line does, for a proof that the checker has
// accepted and for a guard that mends what is wrong.
func TestZeroOptions(t *testing.T) {
	ctx := context.Background()
	r, err := equiv.Check(ctx, questionOf(t, memoBefore, memoRight), equiv.Options{})
	if err != nil || r.Verdict != equiv.Proved {
		t.Fatalf("%s (%s) %v", r.Verdict, r.Detail, err)
	}
	if _, err := languages.Checker.Check("certificate", r.Certificate); err != nil {
		t.Errorf("a pair: %v", err)
	}
	right, wrong := ruleFrom(t, `(rule right (vars (?a ((?A*) (?B*)))) (lhs (compute negative (compute negative ?a))) (rhs ?a))`),
		ruleFrom(t, `(rule wrong (vars (?a ((?n) ()))) (where (<= 3 ?n)) (ints ?h)
			(lhs (access-slice (access-slice ?a 0 0 3) 0 0 ?h)) (rhs (access-slice ?a 0 0 3)))`)
	s, err := rules.Check(ctx, right, domain.Float32, equiv.Options{})
	if err != nil || s.Verdict != equiv.Proved {
		t.Fatalf("%s (%s) %v", s.Verdict, s.Detail, err)
	}
	if _, err := languages.Checker.CheckRule("certificate", s.Certificate); err != nil {
		t.Errorf("a rule: %v", err)
	}
	cases, why := right.Cases(domain.Float32)
	if s, err = rules.CheckCases(ctx, right.Name, right.Span, cases, equiv.Options{Equal: equiv.Access}); err != nil || why != "" {
		t.Fatalf("%s (%s%s) %v", s.Verdict, s.Detail, why, err)
	}
	if _, err := languages.Checker.Check("certificate", s.Certificate); err != nil {
		t.Errorf("cases: %v", err)
	}
	if s, err = rules.Check(ctx, wrong, domain.Float32, equiv.Options{}); err != nil || s.Mend == nil {
		t.Errorf("no guard: %s (%s) %v", s.Verdict, s.Detail, err)
	}
}

func ruleFrom(t *testing.T, text string) *rule.Rule {
	t.Helper()
	rules, err := rule.Parse(source.NewFile("test.rules", text))
	if err != nil {
		t.Fatal(err)
	}
	return rules[0]
}
