package rules

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"

	"tv/equiv"
	"tv/internal/languages"

	language "tv/semantics/glenside"

	"tv/glenside"
	"tv/glenside/rule"
	"tv/internal/source"
	"tv/proofs"
	"tv/semantics/domain"
)

// certificates are those of rules that tests have proved, by text and type: many tests change one.
var certificates sync.Map

// ruleCertificate proves a rule and returns the statement and the pairs of its certificate.
func ruleCertificate(t *testing.T, text string, elem domain.Elem) (proofs.RuleStatement, []proofs.Pair, []byte) {
	t.Helper()
	key := elem.String() + text
	kept, ok := certificates.Load(key)
	if !ok {
		rules, err := rule.Parse(source.NewFile("r", text))
		if err != nil {
			t.Fatal(err)
		}
		res, err := Check(context.Background(), rules[0], elem, equiv.Options{Timeout: patience})
		if err != nil || res.Verdict != equiv.Proved {
			t.Fatalf("%s: %v (%s) %v", rules[0].Name, res.Verdict, res.Detail, err)
		}
		kept = res.Certificate
		certificates.Store(key, kept)
	}
	certificate := kept.([]byte)
	s, err := languages.Checker.CheckRule("c", certificate)
	if err != nil {
		t.Fatal(err)
	}
	inner := certificate[bytes.Index(certificate, []byte("tv-certificate ")):]
	inner = inner[:bytes.LastIndex(inner, []byte("sha256 "))]
	pairs, err := proofs.Parse("c", inner)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(proofs.FormatRule(s, pairs), certificate) {
		t.Fatal("a certificate is not what its parts make")
	}
	return s, pairs, certificate
}

const (
	// several cases, for all ranks: one for each word, and one for each sign of ?p
	slicedPad = `(rule r (vars (?a ((?A*) (?B*)))) (tokens (?t zero-padding min-padding)) (ints ?d ?l ?h ?e ?p)
		(where (not (= ?d ?e))) (lhs (access-pad (access-slice ?a ?d ?l ?h) ?t ?e ?p 1))
		(rhs (access-slice (access-pad ?a ?t ?e ?p 1) ?d ?l ?h)))`
	// up to a rank only
	transposed = `(rule r (vars (?a ((?A*) ()))) (lists ?L*) (lhs (compute reduce-sum (access (access-transpose ?a ?L*) 0)))
		(rhs (compute reduce-sum (access ?a 0))))`
	// for all ranks; its programs hold no transpose
	behind = `(rule r (vars (?a ((?A*) ()))) (lists ?L*) (ints ?d) (lhs (access-slice (access-transpose ?a ?L*) ?d 0 1))
		(rhs (access-transpose (access-slice ?a (at ?L* ?d) 0 1) ?L*)))`
	undone     = `(rule r (vars (?a ((?A*) ()))) (lists ?L*) (lhs (access-transpose (access-transpose ?a ?L*) (inverse ?L*))) (rhs ?a))`
	exactTwice = `(rule r (vars (?a ((?A*) ()))) (arith exact) (types int8 int16) (lhs (compute negative (compute negative ?a))) (rhs ?a))`
	unsplit    = `(rule r (vars (?a ((?A*) (?B*)))) (equal tensor) (lhs ?a) (rhs (access ?a 0)))`
)

// TestRuleCertificates changes what a certificate of a rule says or holds and makes its digests anew: none is accepted.
func TestRuleCertificates(t *testing.T) {
	int8Type, _ := domain.ParseElem("int8")
	int16Type, _ := domain.ParseElem("int16")
	type parts struct {
		s     *proofs.RuleStatement
		pairs *[]proofs.Pair
	}
	for _, c := range []struct {
		name, text string
		elem       domain.Elem
		change     func(p parts)
	}{
		{"first case left out", slicedPad, domain.Float32, func(p parts) { *p.pairs = (*p.pairs)[1:] }},
		{"last case left out", slicedPad, domain.Float32, func(p parts) { *p.pairs = (*p.pairs)[:len(*p.pairs)-1] }},
		{"no case", slicedPad, domain.Float32, func(p parts) { *p.pairs = nil }},
		{"a case twice", slicedPad, domain.Float32, func(p parts) { *p.pairs = append(*p.pairs, (*p.pairs)[0]) }},
		{"cases swapped", slicedPad, domain.Float32, func(p parts) { q := *p.pairs; q[0], q[1] = q[1], q[0] }},
		{"guard dropped", slicedPad, domain.Float32, func(p parts) {
			p.s.Text = strings.Replace(p.s.Text, "(where (not (= ?d ?e)))", "", 1)
		}},
		{"side changed", slicedPad, domain.Float32, func(p parts) { p.s.Text = strings.Replace(p.s.Text, "?d ?l ?h)))", "?e ?l ?h)))", 1) }},
		{"word added", slicedPad, domain.Float32, func(p parts) {
			p.s.Text = strings.Replace(p.s.Text, "(?t zero-padding min-padding)", "(?t zero-padding min-padding zero-padding)", 1)
		}},
		{"a transpose dropped", behind, domain.Float32, func(p parts) {
			p.s.Text = strings.Replace(p.s.Text, "(access-transpose (access-slice ?a (at ?L* ?d) 0 1) ?L*)", "(access-slice ?a (at ?L* ?d) 0 1)", 1)
		}},
		{"transposes dropped", behind, domain.Float32, func(p parts) {
			p.s.Text = strings.Replace(p.s.Text, "(access-slice (access-transpose ?a ?L*) ?d 0 1)", "(access-slice ?a ?d 0 1)", 1)
		}},
		{"the inverse of a list", behind, domain.Float32, func(p parts) {
			p.s.Text = strings.Replace(p.s.Text, "0 1) ?L*)", "0 1) (inverse ?L*))", 1)
		}},
		{"another axis", behind, domain.Float32, func(p parts) { p.s.Text = strings.Replace(p.s.Text, "(at ?L* ?d)", "?d", 1) }},
		{"all ranks claimed", transposed, domain.Float32, func(p parts) { p.s.Ranks = -1 }},
		{"a higher rank claimed", transposed, domain.Float32, func(p parts) { p.s.Ranks++ }},
		{"a very high rank claimed", transposed, domain.Float32, func(p parts) { p.s.Ranks = 1 << 40 }},
		{"a lower rank claimed", transposed, domain.Float32, func(p parts) { p.s.Ranks-- }},
		{"the inverse forgotten", undone, domain.Float32, func(p parts) { p.s.Text = strings.Replace(p.s.Text, "(inverse ?L*)", "?L*", 1) }},
		{"other arithmetic", exactTwice, int8Type, func(p parts) { p.s.Arith = domain.Real }},
		{"another of its types", exactTwice, int8Type, func(p parts) { p.s.Elem = int16Type }},
		{"a type that it has not", exactTwice, int8Type, func(p parts) { p.s.Elem = domain.Float32 }},
		{"a stronger equality", unsplit, domain.Float32, func(p parts) { p.s.Text = strings.Replace(p.s.Text, "(equal tensor)", "", 1) }},
		{"two rules", unsplit, domain.Float32, func(p parts) { p.s.Text += strings.Replace(p.s.Text, "rule r", "rule q", 1) }},
		{"another program", unsplit, domain.Float32, func(p parts) { (*p.pairs)[0].After = (*p.pairs)[0].Before }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, pairs, _ := ruleCertificate(t, c.text, c.elem)
			before := proofs.FormatRule(s, pairs)
			c.change(parts{&s, &pairs})
			data := proofs.FormatRule(s, pairs)
			if bytes.Equal(data, before) {
				t.Fatal("nothing changed")
			}
			if _, err := languages.Checker.CheckRule("c", data); err == nil {
				t.Errorf("accepted:\n%s", data)
			}
		})
	}
}

// TestDamagedRuleCertificate flips bytes, cuts and joins: each is refused with a code, and nothing panics.
func TestDamagedRuleCertificate(t *testing.T) {
	_, _, data := ruleCertificate(t, unsplit, domain.Float32)
	check := func(data []byte) {
		t.Helper()
		if _, err := languages.Checker.CheckRule("c", data); err == nil {
			t.Errorf("accepted:\n%s", data)
		} else if source.AsErrors(err)[0].Code == "internal" {
			t.Errorf("no code: %v", err)
		}
	}
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 1
		check(bad)
		check(data[:i])
	}
	check(append(bytes.Clone(data), '\n'))
	check(append(bytes.Clone(data), data...))
}

// TestUnstatedCases: a case whose left side is beyond what programs may be is not one without instances.
func TestUnstatedCases(t *testing.T) {
	for _, r := range readRules(t, "../../testdata/rules/numbers.rules") {
		cases, reason := r.RankedCases(0, domain.Float32)
		if reason != "" || len(cases) != 1 {
			t.Fatalf("%s: %d cases (%s)", r.Name, len(cases), reason)
		}
		before, err := glenside.Parse(source.NewFile("before", cases[0].Before))
		if err != nil {
			t.Fatal(err)
		}
		after, err := glenside.Parse(source.NewFile("after", cases[0].After))
		if err != nil {
			t.Fatal(err)
		}
		res, err := equiv.CheckCase(context.Background(), equiv.Question{Before: language.Of(before), After: language.Of(after)}, equiv.Options{Timeout: patience}, equiv.Case{})
		if err != nil || res.Verdict != equiv.Proved {
			t.Fatalf("%s: %v %v", r.Name, res.Verdict, err)
		}
		pairs, err := proofs.Parse("c", res.Certificate)
		if err != nil {
			t.Fatal(err)
		}
		for ranks := -1; ranks <= 1; ranks++ {
			s := proofs.RuleStatement{Text: r.Span.Text(), Elem: domain.Float32, Ranks: ranks}
			_, err := languages.Checker.CheckRule("c", proofs.FormatRule(s, pairs))
			if accepted := err == nil; accepted != (ranks == 0) {
				t.Errorf("%s, ranks %d: %v", r.Name, ranks, err)
			}
		}
	}
}
