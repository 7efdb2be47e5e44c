package machine

import (
	"slices"

	language "tv/semantics/glenside"

	"tv/equiv"
	"tv/glenside"
	"tv/glenside/rule"
	"tv/internal/source"
	"tv/semantics/domain"
)

// A RuleForm is a rule with contracts for its accelerator calls.
type RuleForm struct {
	Rule *rule.Rule // with the text of contracts, which has a value at more sizes than the calls
	// Formed has the right side of the rule beside the left one, where nothing reads it: it is right, in the reals, if
	// the calls of the right side are well formed wherever those of the left side are. Narrow is nil, or is that of a
	// rule with calls on the left: right if Rule admits no more than the rule.
	Formed, Narrow *rule.Rule
	Contracts      []*Contract // that stand in Rule, each once
}

// ApplyRuleContracts returns a rule with contracts for its accelerator calls, for tensors of the given element type; nil
// where it has none. Calls with operands of other types than the contract's, and calls in rules that are not
// stated for all numbers of dims at once, stay: they remain uninterpreted.
func ApplyRuleContracts(r *rule.Rule, elem domain.Elem) (*RuleForm, error) {
	fit, left, err := ruleCalls(r, elem)
	if err != nil || len(fit) == 0 {
		return nil, err
	}
	f := &RuleForm{}
	for i := range contracts {
		if fit[contracts[i].Name()] != nil {
			f.Contracts = append(f.Contracts, &contracts[i])
		}
	}
	lhs, rhs := r.LHS.Span, r.RHS.Span
	meaning := func(s source.Span) string { return expand(s.Text(), fit, true) }
	beside := func(first, second string) string { // of a tuple of both the first
		return "(tuple-get-item (construct-tuple " + first + " " + second + ") 0)"
	}
	if f.Rule, err = rewritten(r, meaning(lhs), meaning(rhs)); err != nil {
		return nil, err
	}
	if f.Formed, err = rewritten(r, lhs.Text(), beside(lhs.Text(), rhs.Text())); err != nil {
		return nil, err
	}
	f.Formed.Arith = equiv.Real.String()
	if left {
		if f.Narrow, err = rewritten(r, meaning(lhs), beside(meaning(lhs), lhs.Text())); err != nil {
			return nil, err
		}
		f.Narrow.Arith = equiv.Real.String()
	}
	return f, nil
}

// ruleCalls returns the contracts that fit all calls of their names in the cases of a rule, and whether there are calls
// on the left side.
func ruleCalls(r *rule.Rule, elem domain.Elem) (fit map[string]*Contract, left bool, err error) {
	cases, reason := r.Cases(elem)
	if reason != "" {
		return nil, false, nil
	}
	fit = map[string]*Contract{}
	other := map[string]bool{}
	for _, c := range cases {
		before, err := glenside.Parse(source.NewFile("before.sexp", c.Before))
		if err != nil {
			return nil, false, err
		}
		programs := language.Sources(before)
		if c.Broken == "" {
			after, err := glenside.Parse(source.NewFile("after.sexp", c.After))
			if err != nil {
				return nil, false, err
			}
			programs = append(programs, language.Of(after))
		}
		env, err := equiv.Environment(programs, nil)
		if err != nil {
			return nil, false, err
		}
		for side, p := range programs {
			p := p.(*language.Source).Program
			ty, err := glenside.Check(p, env)
			if err != nil {
				continue // no instance, or no right side: what is asked of the rule says so
			}
			for _, n := range p.Nodes {
				c := callOf(n)
				if c == nil {
					continue
				}
				if _, ok := c.use(ty, n); ok {
					fit[c.Name()] = c
				} else {
					other[c.Name()] = true
				}
				left = left || side == 0
			}
		}
	}
	for name := range other {
		delete(fit, name)
	}
	return fit, left, nil
}

// rewritten returns a rule with other sides, at the places where it stands in its file.
func rewritten(r *rule.Rule, lhs, rhs string) (*rule.Rule, error) {
	text, start := r.Span.Text(), r.Span.Start
	type part struct {
		span source.Span
		text string
	}
	parts := []part{{r.LHS.Span, lhs}, {r.RHS.Span, rhs}}
	slices.SortFunc(parts, func(x, y part) int { return y.span.Start - x.span.Start })
	for _, p := range parts { // the last first: places before it stay
		text = text[:p.span.Start-start] + p.text + text[p.span.End-start:]
	}
	file := r.Span.File
	all := file.Text[:r.Span.Start] + text
	rules, err := rule.Parse(source.NewFile(file.Name, all))
	if err != nil {
		return nil, err
	}
	return rules[len(rules)-1], nil
}
