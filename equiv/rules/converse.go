package rules

import (
	"context"

	"tv/equiv"
	"tv/glenside/rule"
	"tv/semantics/domain"
)

// CheckConverse asks of the converse of a rule whether it is right wherever both sides are well formed and have one type, in the
// arithmetic and the equality of the rule. Errors: those of [Check]; a converse that no instance is admitted by is unknown.
func CheckConverse(ctx context.Context, r *rule.Rule, elem domain.Elem, opts equiv.Options) (Result, error) {
	c, err := r.Converse()
	if err != nil {
		return Result{}, err
	}
	out, err := checkRule(ctx, c.WhereBoth(), elem, converseOptions(c, opts))
	if err == nil || ctx.Err() != nil {
		return out, err
	}
	out.Name = c.Name
	out.without(err)
	return out, nil
}

// ConverseStatement returns the SHA-256, in hexadecimal digits, of what CheckConverse asks.
func ConverseStatement(r *rule.Rule, elem domain.Elem, opts equiv.Options) (string, error) {
	c, err := r.Converse()
	if err != nil {
		return "", err
	}
	return ruleStatement(c, elem, converseOptions(c, opts)), nil
}

func converseOptions(c *rule.Rule, opts equiv.Options) options {
	asked := ruleOptions(c, opts)
	asked.WhereBoth, asked.Unmended, asked.FirstOnly = true, true, true
	return asked
}

// Both decides a rule in both directions, the converse only if the rule is proved: then back is nil where it is not. Where
// back is proved as well, the rule is two-way: its sides may stand for each other wherever both are well formed. Both
// certificates are those of the results. Errors: those of [Check].
func Both(ctx context.Context, r *rule.Rule, elem domain.Elem, opts equiv.Options) (forth Result, back *Result, err error) {
	opts.Unmended, opts.FirstOnly = true, true
	forth, err = Check(ctx, r, elem, opts)
	if err != nil || forth.Verdict != equiv.Proved {
		return forth, nil, err
	}
	converse, err := CheckConverse(ctx, r, elem, opts)
	return forth, &converse, err
}

// TwoWay tells whether a rule is proved in both directions.
func (r *Result) TwoWay() bool {
	return r.Verdict == equiv.Proved && r.Converse != nil && r.Converse.Verdict == equiv.Proved
}
