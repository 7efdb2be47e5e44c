package syntax

import (
	"strings"
	"testing"

	"tv/internal/sexpr"
	"tv/internal/source"
)

func parseRule(t *testing.T, text string) (*Rule, error) {
	t.Helper()
	top, bad := sexpr.Read(source.NewFile("r", text))
	if bad != nil {
		t.Fatal(bad)
	}
	return ParseRule(top[0])
}

// TestRuleErrors: what is no rule, with the place, within texts too.
func TestRuleErrors(t *testing.T) {
	for clauses, want := range map[string]string{
		`(data t) (vars (x "n.t")) (lhs "x") (rhs "x")`:                                   `r:2:20: n is not declared [unbound-name]`,
		`(nats (n 0)) (vars (x "n.t")) (lhs "x") (rhs "x")`:                               `r:2:26: t is no element type`,
		`(nats (n 0)) (data t) (vars (x "n.t")) (lhs "x |> map(g)") (rhs "x")`:            `r:2:55: g is not declared [unbound-name]`,
		`(nats (n 0)) (data t) (vars (x "n.t")) (lhs "x |> split(k)") (rhs "x")`:          `r:2:57: k is not declared [unbound-name]`,
		`(nats (n 0)) (data t) (vars (x "n.t")) (lhs "x") (rhs "x |> take(x)")`:           `r:2:66: x is a variable, and a size should be here [size-wanted]`,
		`(nats (n 0)) (data t) (vars (x "n.t")) (where "k <= n") (lhs "x") (rhs "x")`:     `r:2:48: k is not declared [unbound-name]`,
		`(nats (n 0) (n 1)) (lhs "n") (rhs "n")`:                                          `r:2:14: n is a natural number already [redefined-name]`,
		`(nats (n 0)) (data n) (lhs "n") (rhs "n")`:                                       `r:2:20: n is a natural number already [redefined-name]`,
		`(data map) (lhs "1") (rhs "1")`:                                                  `r:2:7: map is a word of the language already [redefined-name]`,
		`(data t) (vars (x "t")) (lhs "x + x") (rhs "x")`:                                 `[type-mismatch]`,
		`(data t) (vars (x "t")) (lhs "x") (rhs "x * 0")`:                                 `[type-mismatch]`,
		`(data t u) (funs (f "t -> u")) (vars (x "u")) (lhs "f(x)") (rhs "f(x)")`:         `r:2:55: x is u, where t should be [type-mismatch]`,
		`(data t) (funs (f "(t -> t) -> t")) (lhs "1") (rhs "1")`:                         `[unsupported-op]`,
		`(data t) (funs (f "t")) (lhs "1") (rhs "1")`:                                     `r:2:20: t is no function [type-mismatch]`,
		`(data t u) (funs (f "t -> u" comm)) (lhs "1") (rhs "1")`:                         `[bad-rule]`,
		`(data t) (funs (f "t -> t -> t" idempotent)) (lhs "1") (rhs "1")`:                `r:2:33: a law is one of assoc comm (unit NAME) [bad-rule]`,
		`(funs (f "i8 -> i8 -> i8" = split)) (lhs "1") (rhs "1")`:                         `[bad-rule]`,
		`(funs (f "i8 -> i8" = add)) (lhs "1") (rhs "1")`:                                 `[type-mismatch]`,
		`(funs (f "f32 -> f32 -> f32" = mod)) (lhs "1") (rhs "1")`:                        `[type-mismatch]`,
		`(data t u) (funs (f "t -> t -> t" (unit e))) (vars (e "u")) (lhs "e") (rhs "e")`: `r:2:56: e is the unit of f, so of type t [type-mismatch]`,
		`(nats (n 0)) (data t) (vars (x "n.t")) (where "x == x") (lhs "x") (rhs "x")`:     `[size-wanted]`,
		`(nats (n 0)) (data t) (vars (x "n.t")) (where "n + 1") (lhs "x") (rhs "x")`:      `[bad-rule]`,
		`(nats (n 0)) (data t) (vars (x "n.t") (p "n.(t, t)")) (lhs "x") (rhs "x")`:       `[unsupported-op]`,
		`(nats (n 0)) (data t) (vars (x "n.t")) (lhs "x |> ") (rhs "x")`:                  `[bad-syntax]`,
		`(nats (n -1)) (lhs "n") (rhs "n")`:                                               `[bad-rule]`,
		`(data t) (vars (x t)) (lhs "x") (rhs "x")`:                                       `[bad-rule]`,
		`(lhs "1")`:                    `rule r has no clause rhs [bad-rule]`,
		`(dims n) (lhs "1") (rhs "1")`: `[bad-rule]`,
		`(nats (l 0) (r 0) (n 1)) (data t) (vars (x "n.t")) (lhs "x |> pad(l, r)")
		(rhs "generate(l + n + r, fun(i, select(i < l, idx(0, x), select(i < l + n, idx(index, x), idx(n - 1, x)))))")`: `r:3:83: index is not declared [unbound-name]`,
	} {
		_, err := parseRule(t, "(rule r (lang rise)\n"+clauses+")")
		if err == nil {
			t.Errorf("%s: no error, want %s", clauses, want)
		} else if got := err.Error(); !strings.Contains(got, want) {
			t.Errorf("%s:\n%s, want\n%s", clauses, got, want)
		}
	}
}

// TestRuleWarnings: what only the right side mentions.
func TestRuleWarnings(t *testing.T) {
	r, err := parseRule(t, `(rule r (lang rise) (data t) (funs (f "t -> t")) (vars (x "t") (y "t")) (lhs "x") (rhs "f(y)"))`)
	if err != nil || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Msg, "mentions y, f") {
		t.Errorf("%v %v", r.Warnings, err)
	}
}

// TestRuleUnit: a unit may be declared as the element that it is.
func TestRuleUnit(t *testing.T) {
	r, err := parseRule(t, `(rule r (lang rise) (data t) (funs (op "t -> t -> t" (unit e))) (vars (x "t") (e "t")) (lhs "op(x, e)") (rhs "x"))`)
	if err != nil || len(r.Vars) != 2 {
		t.Errorf("%d variables, %v", len(r.Vars), err)
	}
}
