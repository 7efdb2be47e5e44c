package rise_test

import (
	"context"
	"testing"

	"tv/equiv/witness"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/proofs"
	"tv/proofs/algebra"
	"tv/proofs/rise"
	"tv/semantics/domain"
)

// The registry may not have the language yet.
func init() { languages.Checker.Readings["rise-rule"] = rise.RuleReading{} }

// ruled is why the sides of a rule are not known to be equal.
func ruled(arith domain.Arith, text string) string {
	s := proofs.Statement{Arith: arith, Before: text, After: text,
		Languages: [2]string{"rise-rule", "rise-rule"}, Functions: [2]string{"lhs", "rhs"}}
	data, err := witness.Certify(context.Background(), s, witness.Search{Steps: 1 << 16})
	if err == nil {
		_, err = languages.Checker.Check("rule", data)
	}
	if err == nil {
		return ""
	}
	return source.AsErrors(err)[0].Code
}

func TestRules(t *testing.T) {
	const (
		mapped  = `(nats (n 0) (k 1)) (data t u) (funs (f "t -> u")) (vars (x "n.t"))`
		plain   = `(nats (n 0)) (data t) (funs (op "t -> t -> t")) (vars (x "n.t") (a "t") (b "t")) `
		monoid  = `(nats (n 0)) (data t) (funs (op "t -> t -> t" assoc comm (unit e)) (f "t -> t")) (vars (x "n.t") (a "t") (b "t")) `
		ordered = `(nats (n 0)) (data t) (funs (op "t -> t -> t" assoc (unit e))) (vars (x "n.t") (a "t") (b "t")) `
		rows    = `(nats (n 0) (m 0)) (data t) (funs (op "t -> t -> t" assoc (unit e))) (vars (x "n.m.t") (a "t")) `
		split   = `(nats (n 0) (m 0)) (data t u) (funs (g "u -> t -> t")) (vars (x "(n+m).u") (a "t") (b "t")) `
		data    = `(nats (n 2)) (data t) (funs (f "t -> t")) (vars (ix "n.i32") (jx "n.i32") (x "n.t") (i "i32") (k "i32")) `
		whole   = `(nats (n 0)) (data t u) (funs (f "n.t -> u") (g "n.t -> n.u") (h "(t, u) -> (u, t)")) (vars (x "n.t") (y "n.u")) `
		blocks  = `(nats (n 0) (k 1)) (data t) (vars (x "(n*k).t")) `
		numbers = `(nats (n 1)) (funs (plus "f32 -> f32 -> f32" = add) (f "f32 -> f32")) (vars (x "n.f32") (y "n.f32")) `
		ill     = algebra.CodeStatement
	)
	for _, test := range []struct{ rule, lhs, rhs, code string }{
		{mapped, "x |> map(f)", "x |> split(k) |> map(map(f)) |> join", ill},
		{mapped + `(where "n % k == 0")`, "x |> map(f)", "x |> split(k) |> map(map(f)) |> join", ""},
		{mapped + `(where "n % k == 0" "n == 1" "2 <= k")`, "x |> map(f)", "x |> map(f)", ill}, // nowhere
		{mapped + `(where "n % k == 1")`, "x |> map(f)", "x |> split(k) |> map(map(f)) |> join", ill},
		{mapped, "x |> map(f)", "x |> split(1) |> map(map(f)) |> join", ""},
		{mapped, "x |> take(k)", "x |> take(k) |> id", ""},
		{mapped, "x |> map(add)", "x |> map(add)", ill}, // no data has sums
		{mapped, "x |> map(fun(a, 0))", "x |> map(fun(a, 0))", ill},
		{mapped, "x", "x |> map(f)", ill},
		{mapped + `(where "n == 0")`, "x", "x |> map(f)", ill}, // of another type, also where it is empty
		{plain, "op(a, b)", "op(a, b)", ""},
		{plain, "op(a, b)", "op(b, a)", other},
		{plain, "x |> reduceSeq(op, a)", "x |> reduceSeq(fun((v, w), op(v, w)), a)", ""},
		{plain, "x |> reduceSeq(op, a)", "x |> reduceSeq(fun((v, w), op(w, v)), a)", other},
		{plain, "x |> reduceSeq(op, a)", "x |> reduceSeq(op, b)", other},
		{plain, "x |> reduceSeq(op, a)", "op(x |> reduceSeq(op, a), a)", other},
		{plain, "x |> scanSeq(op, a)", "x |> scanSeq(fun((v, w), op(v, w)), a)", ""},
		{plain, "x |> scanSeq(op, a)", "x |> scanSeq(fun((v, w), op(w, v)), a)", other},
		{plain, "x |> reduceSeq(fun((v, w), op(v, op(v, w))), a)", "x |> map(id) |> reduceSeq(fun((v, w), op(v, op(v, w))), a)", ""},
		{monoid, "op(a, b)", "op(b, op(e, a))", ""},
		{monoid, "op(a, a)", "a", other},
		{monoid, "op(a, b)", "op(a, a)", other},
		{monoid, "f(op(a, b))", "f(op(b, a))", ""},
		{monoid, "f(op(a, b))", "op(f(a), f(b))", other},
		{monoid, "f(e)", "e", other},
		{monoid, "x |> reduce(op, a)", "op(x |> reduce(op, e), a)", ""},
		{monoid, "x |> map(fun(v, op(v, a))) |> reduce(op, e)", "op(x |> reduce(op, e), a)", other},
		{monoid, "x |> map(f) |> scanSeq(op, e)", "x |> scanSeq(fun((v, w), op(f(v), w)), e)", ""},
		{ordered, "op(a, b)", "op(b, a)", other},
		{ordered, "op(e, op(a, e))", "a", ""},
		{ordered, "op(op(a, b), a)", "op(a, op(b, a))", ""},
		{ordered, "op(op(a, b), a)", "op(a, op(a, b))", other},
		{ordered, "op(e, a)", "e", other},
		{ordered, "x |> reduceSeq(op, a)", "op(a, x |> reduceSeq(op, e))", ""},
		{ordered, "x |> reduceSeq(op, a)", "op(x |> reduceSeq(op, e), a)", other},
		{ordered, "x |> reduceSeq(fun((v, w), op(w, v)), a)", "op(x |> reduceSeq(fun((v, w), op(w, v)), e), a)", ""},
		{ordered, "x |> reduceSeq(fun((v, w), op(w, v)), a)", "op(a, x |> reduceSeq(fun((v, w), op(w, v)), e))", other},
		{ordered, "x |> reduceSeq(fun((v, w), op(w, v)), e)",
			"x |> reorder(n, fun(i, n - 1 - i), fun(i, n - 1 - i)) |> reduceSeq(op, e)", ""},
		{ordered, "x |> reduceSeq(fun((v, w), op(w, v)), e)", "x |> reduceSeq(op, e)", other},
		{ordered, "x |> reduceSeq(fun((v, w), op(op(v, w), v)), a)", "x |> reduceSeq(fun((v, w), op(v, op(w, v))), a)", ""},
		{ordered, "x |> reduceSeq(fun((v, w), op(op(v, w), v)), a)", "x |> reduceSeq(fun((v, w), op(v, w)), a)", other},
		{ordered, "x |> reduceSeq(fun((v, w), op(op(v, w), b)), a)", "x |> map(fun(w, op(w, b))) |> reduceSeq(op, a)", ""},
		{ordered, "x |> reduceSeq(fun((v, w), op(op(v, w), b)), a)", "x |> map(fun(w, op(b, w))) |> reduceSeq(op, a)", other},
		{ordered, "x |> reduceSeq(op, a)", "x |> take(n) |> reduceSeq(op, b)", other},
		{ordered, "x |> reduceSeq(op, e)", "x |> map(fun(v, op(v, v))) |> reduceSeq(op, e)", other},
		{rows, "x |> join |> reduceSeq(op, e)", "x |> map(reduceSeq(op, e)) |> reduceSeq(op, e)", ""},
		{rows, "x |> join |> reduceSeq(op, e)", "x |> transpose |> map(reduceSeq(op, e)) |> reduceSeq(op, e)", other},
		{rows, "x |> join |> reduceSeq(op, e)", "x |> map(reduceSeq(op, e)) |> reduceSeq(fun((v, w), op(w, v)), e)", other},
		{rows, "x |> join |> reduceSeq(op, a)", "x |> map(reduceSeq(op, a)) |> reduceSeq(op, a)", other},
		{data, "gather(ix, x) |> map(f)", "gather(ix, x |> map(f))", ""},
		{data, "gather(ix, x)", "gather(jx, x)", other},
		{data, "gather(ix, x)", "ix |> map(fun(i, idx(i, x)))", ""},
		{data, "gather(jx, gather(ix, x))", "gather(gather(jx, ix), x)", ""},
		{data, "gather(jx, gather(ix, x))", "gather(gather(ix, jx), x)", other},
		{data, "gather(ix, concat(x, x))", "gather(ix, x)", other}, // of more places there is a value
		{data, "idx(i, x |> map(f))", "f(idx(i, x))", ""},
		{data, "idx(i, x)", "idx(k, x)", other},
		{data, "idx(i, x)", "idx(0, x)", other},
		{data, "idx(0, x)", "select(i == i, idx(0, x), idx(i, x))", algebra.CodeUnsupported}, // which may have no value
		{data, "x |> padClamp(1, 0)", "generate(1 + n, fun(i, idx(select(i == 0, 0, i - 1), x)))", ""},
		{data, "x |> padClamp(1, 0)", "generate(1 + n, fun(i, idx(select(i == 0, 1, i - 1), x)))", other},
		{data, "x |> padClamp(1, 0)", "generate(1 + n, fun(i, idx(select(i == 1, 0, i - 1), x)))", algebra.CodeUnsupported},
		{data, "x |> padClamp(1, 1)", "generate(2 + n, fun(i, idx(select(i < 1, 0, select(i <= n, i - 1, n - 1)), x)))", ""},
		{data, "x |> padClamp(1, 1)", "generate(2 + n, fun(i, idx(select(i < 1, 0, select(i <= n, i - 1, n)), x)))", algebra.CodeUnsupported},
		{split, "x |> scanSeq(g, a) |> take(n)", "x |> take(n) |> scanSeq(g, a)", ""},
		{split, "x |> scanSeq(g, a) |> take(n)", "x |> take(n) |> scanSeq(g, b)", other},
		{split, "x |> scanSeq(g, a) |> drop(m)", "x |> drop(m) |> scanSeq(g, a)", other},
		{data, "(idx(i, x), x)", "(idx(i, zip(x, x)) |> snd, x)", ""},
		{`(data t) (funs (p "t -> t -> t" assoc comm) (q "t -> t -> t" assoc comm)) (vars (a "t") (b "t")) `, "p(a, b)", "q(a, b)", other},
		{`(data t) (funs (p "t -> t -> t" assoc comm)) (vars (a "t") (b "t") (c "t")) `, "p(p(a, b), c)", "p(c, p(b, a))", ""},
		{`(data t) (funs (q "t -> t -> t" comm)) (vars (a "t") (b "t") (c "t")) `, "q(a, b)", "q(b, a)", ""},
		{`(data t) (funs (q "t -> t -> t" comm)) (vars (a "t") (b "t") (c "t")) `, "q(q(a, b), c)", "q(a, q(b, c))", other},
		{`(data t) (funs (q "t -> t -> t" comm)) (vars (a "t") (b "t") (c "t")) `, "q(a, a)", "q(a, b)", other},
		{`(data t) (funs (p "t -> t -> t" assoc comm) (q "t -> t -> t" assoc comm)) (vars (a "t") (b "t")) `,
			"q(p(a, b), q(a, b))", "q(b, q(p(b, a), a))", ""},
		{`(data t u) (funs (h "t -> u")) (vars (c "bool") (d "bool") (a "t") (b "t")) `,
			"h(select(c, a, b))", "select(c, h(a), h(b))", ""},
		{`(data t u) (funs (h "t -> u")) (vars (c "bool") (d "bool") (a "t") (b "t")) `,
			"h(select(c, a, b))", "select(d, h(a), h(b))", other},
		{whole, "f(x)", "f(x |> map(id))", ""},
		{whole, "f(x)", "f(x |> reorder(n, fun(i, n - 1 - i), fun(i, n - 1 - i)))", other},
		{whole, "g(x) |> map(id)", "g(x)", ""},
		{whole, "g(x)", "g(x) |> reorder(n, fun(i, n - 1 - i), fun(i, n - 1 - i))", other},
		{whole, "zip(x, y) |> map(h) |> map(fst)", "zip(x, y) |> map(fun(p, fst(h(p))))", ""},
		{whole, "zip(x, y) |> map(h) |> map(fst)", "y", other},
		{whole, "zip(x, g(x)) |> map(h >> fst)", "zip(x, y) |> map(h >> fst)", other},
		{whole + `(where "y == g(x)")`, "zip(x, g(x)) |> map(h >> fst)", "zip(x, y) |> map(h >> fst)", ""},
		{whole + `(where "y == x |> g")`, "zip(x, g(x)) |> map(h >> fst)", "zip(x, y) |> map(h >> fst)", ""},
		{whole, "zip(x, y)", "zip(x, y) |> unzip", ill}, // of another type
		{whole, "zip(x, y)", "zip(y, x) |> map(fun(p, (snd(p), fst(p))))", ""},
		{whole + `(where "y == y")`, "y", "y", ill},
		{blocks, "x |> split(k) |> join", "x", ""},
		{blocks, "x |> padEmpty(1) |> take(n*k)", "x", ""},
		{blocks, "x |> split(m) |> join", "x", ill},
		{numbers, "x |> map(fun(a, plus(a, a))) |> reduceSeq(plus, 0)", "2 * (x |> reduceSeq(plus, 0))", ""},
		{numbers, "zip(x, y) |> map(add >> f)", "zip(y, x) |> map(plus >> f)", ill}, // plus takes no pair
		{numbers, "zip(x, y) |> map(add >> f)", "zip(y, x) |> map(fun(p, f(plus(fst(p), snd(p)))))", ""},
		{numbers, "zip(x, y) |> map(add >> f)", "zip(y, x) |> map(fun(p, plus(f(fst(p)), f(snd(p)))))", other},
		{`(nats (n 2)) (data t) (vars (x "n.t")) `, "x |> take(2)", "[idx(0, x), idx(1, x)]", ""},
		{`(nats (n 1)) (data t) (vars (x "n.t")) `, "x", "x |> take(2) |> concat(x) |> take(n)", ill},
	} {
		text := "(rule r (lang rise) " + test.rule + `(lhs "` + test.lhs + `") (rhs "` + test.rhs + `"))`
		if got := ruled(domain.Auto, text); got != test.code {
			t.Errorf("%s: %q, want %q", text, got, test.code)
		}
	}
	// bit for bit there are no sums of data, but the law
	for rhs, want := range map[string]string{"op(b, a)": "", "op(a, a)": other} {
		text := "(rule r (lang rise) " + monoid + `(lhs "op(a, b)") (rhs "` + rhs + `"))`
		if got := ruled(domain.Exact, text); got != want {
			t.Errorf("exact: %s: %q", rhs, got)
		}
	}
}

func TestRuleTexts(t *testing.T) {
	for _, test := range []struct{ text, code string }{
		{"", "bad-rule"}, {"(rule r)", "bad-rule"}, {"(rule r (lang rise)", "bad-rule"}, {"(rule r) (rule q)", "bad-rule"},
		{`(rule r (lang c) (lhs "1") (rhs "1"))`, "bad-rule"}, {`(rule r (lang rise) (rhs "1"))`, "bad-rule"},
		{`(rule r (lang rise) (vars (x "f32") (x "f32")) (lhs "x"))`, "redefined-name"},
		{`(rule r (lang rise) (nats (x 0)) (vars (x "f32")) (lhs "x"))`, "redefined-name"},
		{`(rule r (lang rise) (vars (nats "f32")) (lhs "nats"))`, "bad-rule"},
		{`(rule r (lang rise) (vars (x "t")) (lhs "x"))`, "unknown-type"},
		{`(rule r (lang rise) (vars (x "n.f32")) (lhs "x"))`, "unbound-name"},
		{`(rule r (lang rise) (vars (x "f32")) (lhs "x") (lhs "x"))`, "bad-rule"},
		{`(rule r (lang rise) (vars (x "f32")) (ints n) (lhs "x"))`, "bad-rule"},
		{`(rule r (lang rise) (vars (x "f32") (y "f32")) (where "x < y") (lhs "x"))`, "unsupported-op"},
		{`(rule r (lang rise) (funs (f "f32")) (lhs "f"))`, "type-mismatch"},
		{`(rule r (lang rise) (data t) (funs (f "t -> t -> t" = add)) (vars (x "t")) (lhs "f(x, x)"))`, "type-mismatch"},
		{`(rule r (lang rise) (data t) (funs (f "t -> t" commutes)) (vars (x "t")) (lhs "f(x)"))`, "bad-rule"},
		{`(rule r (lang rise) (nats (n (1))) (vars (x "n.f32")) (lhs "x"))`, "bad-rule"},
		{`(rule r (lang rise) (vars (x "f32")) (lhs "x) (rhs "x"))`, "unclosed-quote"},
		{`(rule r (lang rise) (vars (x "f32")) (lhs "x"))) ; a comment`, "unopened-list"},
		{`(rule r (lang rise) (vars (x "f32")) (doc "a ( b") (lhs "x")) ; a comment`, ""},
	} {
		f := source.NewFile("rule", test.text)
		f.Function = "lhs"
		_, err := rise.RuleReading{}.Read(f)
		got := ""
		if err != nil {
			got = source.AsErrors(err)[0].Code
		}
		if got != test.code {
			t.Errorf("%s: %v, want %q", test.text, err, test.code)
		}
	}
}
