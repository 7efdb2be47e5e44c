package rules

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tv/equiv"
	"tv/glenside/rule"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/proofs"
	"tv/semantics/domain"
)

// weakerCertificate returns the certificate of the second verdict of a rule, and what it states.
func weakerCertificate(t *testing.T, name string) (proofs.RuleStatement, []proofs.Pair, []byte) {
	t.Helper()
	rules := readRules(t, "../../testdata/rules/formed.rules")
	r := rules[slices.IndexFunc(rules, func(r *rule.Rule) bool { return r.Name == name })]
	res, err := Check(t.Context(), r, domain.Float32, equiv.Options{Timeout: patience, Unmended: true})
	if err != nil || res.Verdict != equiv.Refuted || res.WhereBoth == nil || res.WhereBoth.Verdict != equiv.Proved {
		t.Fatalf("%s: %v, %+v %v", name, res.Verdict, res.WhereBoth, err)
	}
	if res.Certificate != nil || res.SHA256 == res.WhereBoth.SHA256 {
		t.Fatal("the rule has a certificate, or the hash of the weaker statement")
	}
	s, pairs, err := languages.Checker.CheckRuleRest("c", res.WhereBoth.Certificate)
	if err != nil {
		t.Fatal(err)
	}
	return s, pairs, res.WhereBoth.Certificate
}

// refused fails unless an error has the code.
func refused(t *testing.T, what, code string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("accepted: %s", what)
	} else if got := source.AsErrors(err)[0].Code; code != "" && got != code {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

// TestWeakerCertificates: a certificate of a second verdict says so, and whoever wants one of the rule is told. Called one of
// the rule, in whole or in part, it is refused.
func TestWeakerCertificates(t *testing.T) {
	for _, name := range []string{"difference-of-pair", "first-of-pair", "dense-split-anywhere", "start-not-clamped"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, pairs, data := weakerCertificate(t, name)
			if !s.WhereBoth || !strings.Contains(s.String(), "only where both sides are well formed") ||
				!bytes.HasPrefix(data, []byte("tv-rule-certificate 2\nweaker: only where both sides are well formed and have one type\n")) {
				t.Errorf("it does not say that it is weaker: %s", s)
			}
			_, err := languages.Checker.CheckRule("c", data)
			refused(t, "the weaker certificate for one of the rule", "certificate-weaker", err)
			inner := proofs.Format(pairs)
			_, err = languages.Checker.Check("c", inner)
			refused(t, "weaker pairs for pairs", "certificate-weaker", err)

			rule, mixed := s, slices.Clone(pairs)
			rule.WhereBoth = false
			_, _, err = languages.Checker.CheckRuleRest("c", proofs.FormatRule(rule, pairs))
			refused(t, "another header", "certificate-statement", err)
			for i := range mixed {
				mixed[i].WhereBoth = false
			}
			_, err = languages.Checker.CheckRule("c", proofs.FormatRule(rule, mixed))
			refused(t, "other headers throughout", "", err)
			_, _, err = languages.Checker.CheckRuleRest("c", proofs.FormatRule(s, mixed))
			refused(t, "stronger pairs of a weaker rule", "", err)
			for i := range pairs {
				_, _, err = languages.Checker.CheckRuleRest("c", proofs.FormatRule(s, slices.Delete(slices.Clone(pairs), i, i+1)))
				refused(t, "a case less", "", err)
			}
		})
	}
}

// TestWeakerPairs: headers are not mixed, and what the weaker statement takes for granted does not prove the stronger one.
func TestWeakerPairs(t *testing.T) {
	s := proofs.Statement{WhereBoth: true, Before: "(input A (shape N))\n(input B (shape M))\n(compute relu (access-tensor A))\n",
		After: "(tuple-get-item (construct-tuple (compute relu (access-tensor A)) (access-pair (access A 0) (access B 0))) 0)\n"}
	weaker := proofs.Format([]proofs.Pair{{Statement: s}})
	if _, err := languages.Checker.CheckRest("c", weaker); err != nil {
		t.Fatal(err)
	}
	_, err := languages.Checker.Check("c", weaker)
	refused(t, "a weaker statement", "certificate-weaker", err)
	full := s
	full.WhereBoth = false
	_, err = languages.Checker.CheckRest("c", proofs.Format([]proofs.Pair{{Statement: full}}))
	refused(t, "the stronger statement", "certificate-statement", err)
	forged := bytes.Replace(weaker, []byte("3 semantics 1\nweaker: only where both sides are well formed and have one type\n"),
		[]byte("1 semantics 1\n"), 1)
	forged = forged[:bytes.LastIndex(forged, []byte("sha256 "))]
	_, err = languages.Checker.CheckRest("c", fmt.Appendf(forged, "sha256 %x\n", sha256.Sum256(forged)))
	refused(t, "another header, signed again", "certificate-statement", err)
	wrong := s // right in form, wrong in values
	wrong.After = "(compute relu (access-tensor B))\n"
	_, err = languages.Checker.CheckRest("c", proofs.Format([]proofs.Pair{{Statement: wrong}}))
	refused(t, "another tensor of the same dims", "certificate-goal", err)
	named := s
	named.Languages = [2]string{"comprehension", proofs.Glenside}
	_, err = languages.Checker.CheckRest("c", proofs.Format([]proofs.Pair{{Statement: named}}))
	refused(t, "a header that is not written", "", err)
}
