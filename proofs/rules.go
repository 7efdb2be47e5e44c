package proofs

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"tv/glenside"
	"tv/glenside/rule"
	"tv/internal/sexpr"
	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// A RuleStatement says that a rewrite rule is right: for tensors of Elem where a variable has no
// type of its own, for groups of any number of dims or, where Ranks is not negative, for at most so
// many dims a variable.
type RuleStatement struct {
	// WhereBoth says less: that it is right in those instances alone in which its right side is
	// well formed as well, and has the type of the left side.
	WhereBoth bool

	Text  string // of the rule
	Elem  domain.Elem
	Arith domain.Arith
	Ranks int
}

// ruleArith says the arithmetic of a rule as its certificate does.
var ruleArith = map[domain.Arith]string{domain.Real: "exact false", domain.Exact: "exact true",
	domain.Auto: "arith auto"}

const (
	ruleHeader  = "tv-rule-certificate 1\n"
	ruleHeader2 = "tv-rule-certificate 2\n" + less
)

func (s RuleStatement) header() string {
	if s.WhereBoth {
		return ruleHeader2
	}
	return ruleHeader
}

// IsRule tells whether a certificate is one of a rule.
func IsRule(data []byte) bool {
	return strings.HasPrefix(string(data), ruleHeader) ||
		strings.HasPrefix(string(data), ruleHeader2)
}

// FormatRule returns the bytes of a certificate of a rule: its statement, then a certificate of the
// pairs that are its cases, in their order, without those that no instance belongs to.
func FormatRule(s RuleStatement, pairs []Pair) []byte {
	body := fmt.Appendf(nil, "%selem %s %s ranks %d\nrule %d\n%s\n%s", s.header(),
		s.Elem, ruleArith[s.Arith], s.Ranks, len(s.Text), s.Text, Format(pairs))
	return signed(body)
}

// CheckRule checks a certificate of a rule: every case of the rule is a pair that is proved, or has
// no instance. It refuses a weaker statement. Errors: those of [Parse] and [Verify].
func (c *Checker) CheckRule(name string, data []byte) (s RuleStatement, err error) {
	defer algebra.Recovered(name, &err)
	s, pairs, err := c.CheckRuleRest(name, data)
	whole(pairs)
	return s, err
}

// CheckRuleRest checks what is not left to a solver, as [CheckRest] does, of weaker statements as
// well: whoever calls it has to look at [RuleStatement.WhereBoth].
func (c *Checker) CheckRuleRest(name string, data []byte) (
	s RuleStatement, pairs []Pair, err error) {
	defer algebra.Recovered(name, &err)
	cv, pairs := c.coverRule(data)
	return cv.RuleStatement, pairs, nil
}

func (c *Checker) coverRule(data []byte) (cv *Covered, pairs []Pair) {
	s := RuleStatement{WhereBoth: strings.HasPrefix(string(data), ruleHeader2)}
	r := scanner{unsigned(data, s.header())}
	var elem, key, word string
	_, bad := fmt.Sscanf(r.line(), "elem %s %s %s ranks %d", &elem, &key, &word, &s.Ranks)
	for arith, text := range ruleArith {
		if text == key+" "+word {
			s.Arith = arith
		}
	}
	s.Elem, _ = domain.ParseElem(elem)
	s.Text = r.part("rule")
	pairs = parse([]byte(r.rest))
	if bad != nil || !bytes.Equal(FormatRule(s, pairs), data) {
		algebra.Fail(algebra.CodeMalformed, "the certificate is not written as certificates are")
	}
	cv = &Covered{RuleStatement: s}
	cv.Rule, cv.cases = c.cover(s, c.check(pairs))
	return cv, pairs
}

// cover checks that the statements of pairs are the cases of the rule, and returns the rule and the
// cases that are proved; nothing for a rule of another language.
func (ch *Checker) cover(s RuleStatement, pairs []Pair) (r *rule.Rule, proved []*rule.Case) {
	rules, others, err := rule.ParseAll(source.NewFile("rule", s.Text))
	if err == nil && len(rules) == 0 && len(others) == 1 {
		side(s, others[0], pairs)
		return nil, nil
	}
	if err != nil || len(rules) != 1 || len(others) > 0 {
		algebra.Fail(algebra.CodeStatement, "the statement holds no rule, or several")
	}
	if r = rules[0]; s.WhereBoth {
		r = r.WhereBoth()
	}
	switch {
	case r.Arith != "" && r.Arith != s.Arith.String():
		algebra.Fail(algebra.CodeStatement, "the rule is about other arithmetic")
	case len(r.Types) > 0 && !slices.Contains(r.Types, s.Elem):
		algebra.Fail(algebra.CodeStatement, "the rule is not about %s", s.Elem)
	case s.Ranks < -1 || s.Ranks > r.MaxRank():
		algebra.Fail(algebra.CodeStatement, "rules are not written out with %d dims", s.Ranks)
	}
	var cases []*rule.Case
	reason := ""
	if s.Ranks < 0 {
		cases, reason = r.Cases(s.Elem)
	}
	for rank := 0; rank <= s.Ranks && reason == ""; rank++ {
		var more []*rule.Case
		more, reason = r.RankedCases(rank, s.Elem)
		cases = append(cases, more...)
	}
	if reason != "" {
		algebra.Fail(algebra.CodeStatement, "the rule has no such cases: %s", reason)
	}
	if which := uncovered(r, s.Elem, cases); s.Ranks < 0 && which != "" {
		algebra.Fail(algebra.CodeStatement, "no case of the rule is the instance %s", which)
	}
	for _, c := range cases {
		want := Statement{WhereBoth: s.WhereBoth, Arith: s.Arith, Access: r.Equal != "tensor",
			Before: c.Before, After: c.After}
		if len(pairs) > 0 && c.Broken == "" && pairs[0].same(want) {
			pairs, proved = pairs[1:], append(proved, c)
		} else if !ch.vacuous(want) {
			algebra.Fail(algebra.CodeStatement, "a case is not proved: %s",
				strings.Join(c.Choices, ", "))
		}
	}
	if len(pairs) > 0 {
		algebra.Fail(algebra.CodeStatement, "a pair of the certificate is no case of the rule")
	}
	if len(proved) == 0 {
		algebra.Fail(algebra.CodeStatement, "the rule has no case")
	}
	return r, proved
}

// A Covered rule is one whose certificate is accepted.
type Covered struct {
	RuleStatement
	Rule  *rule.Rule // of a weaker statement the rule that says less
	cases []*rule.Case
}

// CoverRule checks a certificate of a rule of Glenside, of a weaker statement as well, in which
// nothing is left to a solver. Errors: those of [Checker.CheckRule].
func (c *Checker) CoverRule(name string, data []byte) (cv *Covered, err error) {
	defer algebra.Recovered(name, &err)
	cv, pairs := c.coverRule(data)
	if slices.ContainsFunc(pairs, func(p Pair) bool { return len(p.Obligations) > 0 }) {
		algebra.Fail(algebra.CodeObligation, "something is left to a solver")
	}
	if cv.Rule == nil {
		algebra.Fail(algebra.CodeStatement, "the rule is not one of Glenside")
	}
	return cv, nil
}

// Has tells whether an instance is one of a case that is proved.
func (cv *Covered) Has(v rule.Values) bool {
	groups, _ := cv.Rule.Names()
	return slices.ContainsFunc(cv.cases, func(c *rule.Case) bool {
		known := map[string][]int64{}
		for name, n := range v.Sizes { // a dim of a group may be a size of the rule
			if !slices.Contains(cv.Rule.Ints, name) {
				known[name[1:]] = []int64{n}
			}
		}
		return among(c, v, groups, known)
	})
}

// RISERule is the language of the sides of rules of RISE: a text is that of the rule, of which the
// function lhs or rhs is meant.
const RISERule = "rise-rule"

// side checks that the one pair of a certificate states that the sides of a rule of RISE are equal.
func side(s RuleStatement, x *sexpr.Form, pairs []Pair) {
	switch l := rule.Language(x); {
	case len(l.List) != 2 || l.List[1].Atom != "rise":
		algebra.Fail(algebra.CodeStatement, "the rule is in no language that is known")
	case s.WhereBoth || s.Ranks != -1 || s.Elem != domain.Float32:
		algebra.Fail(algebra.CodeStatement, "that is not stated of rules of RISE")
	case x.Span.Text() != s.Text:
		algebra.Fail(algebra.CodeStatement, "the statement holds more than a rule")
	case len(pairs) != 1:
		algebra.Fail(algebra.CodeStatement, "a rule of RISE is one pair")
	}
	for _, c := range x.List {
		if c.Head() == "arith" && (len(c.List) != 2 || c.List[1].Atom != s.Arith.String()) {
			algebra.Fail(algebra.CodeStatement, "the rule is about other arithmetic")
		}
	}
	p, want := pairs[0].Statement, Statement{Arith: s.Arith, Before: s.Text, After: s.Text,
		Languages: [2]string{RISERule, RISERule}, Functions: [2]string{"lhs", "rhs"}}
	if p.WhereBoth || p.Bound || p.Access || p.Arith != want.Arith || p.Before != want.Before ||
		p.After != want.After || p.Languages != want.Languages || p.Functions != want.Functions ||
		len(p.Declared)+len(p.Assume)+len(p.Names)+len(p.Sizes) > 0 {
		algebra.Fail(algebra.CodeStatement, "the pair does not say that the sides are equal")
	}
}

func (s Statement) same(o Statement) bool {
	return s.plain() && s.WhereBoth == o.WhereBoth && s.Arith == o.Arith &&
		s.Access == o.Access && s.Before == o.Before && s.After == o.After && len(s.Declared) == 0
}

// vacuous tells whether a case says nothing: its left side is well formed at no point, as its
// typing fails or its conditions contradict each other. Of a weaker statement that is asked of both
// sides, and that they have one type.
func (c *Checker) vacuous(s Statement) (never bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(algebra.Refusal); !ok {
				panic(r)
			}
			never = false
		}
	}()
	p, err := c.Readings[Glenside].Read(source.NewFile("before", s.Before))
	if err != nil {
		return false
	}
	q := &algebra.Question{Access: s.Access, WhereBoth: s.WhereBoth, Declared: p.Declarations()}
	if q.Env, err = domain.Merge([]domain.Declarations{q.Declared}); err != nil {
		return false
	}
	if q.Programs[0], err = p.Type(q.Env); err != nil {
		return !glenside.Unsupported(err) // which says nothing of all points
	}
	if s.WhereBoth {
		if p, err = c.Readings[Glenside].Read(source.NewFile("after", s.After)); err != nil {
			return false
		}
		if q.Programs[1], err = p.Type(q.Env); err != nil {
			return !glenside.Unsupported(err)
		}
	}
	return q.Nowhere()
}
