package rules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tv/equiv"
	"tv/equiv/witness"
	"tv/glenside/rule"
	"tv/internal/languages"
	"tv/internal/sexpr"
	"tv/internal/source"
	"tv/proofs"
	"tv/semantics/domain"
	"tv/semantics/rise/syntax"
)

// riseRules reads the rules of RISE in files.
func riseRules(t testing.TB, pattern string) (list []*syntax.Rule) {
	t.Helper()
	names, _ := filepath.Glob(pattern)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, others, err := rule.ParseAll(source.NewFile(name, string(text)))
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range others {
			r, err := syntax.ParseRule(x)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, r)
		}
	}
	return list
}

// TestRISERules decides the rules of RISE that are written down, each as it says; what is proved has a certificate.
func TestRISERules(t *testing.T) {
	for _, r := range riseRules(t, "../../semantics/rise/rules/*.rules") {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			want := equiv.Proved
			if r.Want == "refuted" {
				want = equiv.Refuted
			}
			res, err := CheckRISE(t.Context(), r, equiv.Options{Timeout: patience, Unmended: true})
			if err != nil || res.Verdict != want || (want == equiv.Proved) != (res.Certificate != nil) {
				t.Errorf("%v (%s: %s), want %v %v", res.Verdict, res.Reason, res.Detail, want, err)
			}
		})
	}
}

// TestRISEMended looks for guards of wrong rules.
func TestRISEMended(t *testing.T) {
	guards := map[string]string{
		"splitJoin":                `(where "n % k == 0")`, // divisibility
		"slideBeforeSplit":         `(where "s == 1")`,     // a number
		"takeTake-back":            `(where "n <= k")`,     // an order
		"load-join":                `(where "m == n")`,
		"dropInSlide":              `(where "r <= w")`,
		"createJoinSplit":          `(where "1 <= m")`,
		"padCstBeforeMap-same":     `(where "l == 0" "r == 0")`, // a conjunction
		"blockedReduction":         "(op assoc (unit e))",       // laws
		"interleavedReduction":     "(op comm)",
		"zipSame-of-two":           `(where "y == x")`, // an equation of arrays
		"selectBeforeTwo-apart":    `(where "d == c")`,
		"unitRight-of-any":         `(where "b == e")`, // a unit
		"removeSplitTransposeJoin": `(where "m == 1")`,
		"idx-reduction-0_3":        `(where "b == a")`,
	}
	for _, r := range riseRules(t, "../../semantics/rise/rules/*.rules") {
		want, ok := guards[r.Name]
		if !ok {
			continue
		}
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			res, err := CheckRISE(t.Context(), r, equiv.Options{Timeout: patience})
			if err != nil || res.Verdict != equiv.Refuted {
				t.Fatalf("%v (%s) %v", res.Verdict, res.Detail, err)
			}
			if got := res.Mend; got == nil && want != "" || got != nil && got.Guard != want {
				t.Errorf("%+v, want %s", got, want)
			}
		})
	}
}

// TestRISENearMisses: rules that differ from right ones in one place are refuted, some of them only where there is no element
// or no window.
func TestRISENearMisses(t *testing.T) {
	for name, text := range map[string]string{
		"rest dropped": `(nats (n 0) (k 1)) (data t) (vars (x "n.t")) (lhs "x |> take(n / k * k)") (rhs "x")`,
		"no element":   `(nats (n 0)) (data t) (vars (x "n.t") (e "t")) (lhs "[e]") (rhs "[reduceSeq(fun((a, y), y), e, x)]")`,
		"start twice": `(nats (n 0)) (data t) (funs (op "t -> t -> t" assoc comm)) (vars (x "n.t") (e "t"))
			(lhs "reduce(op, e, x)") (rhs "op(e, reduce(op, e, x))")`,
		"fold from the right": `(nats (n 0)) (data t) (funs (op "t -> t -> t" comm)) (vars (x "n.t") (e "t"))
			(lhs "x |> reduceSeq(op, e)") (rhs "x |> reorder(n, fun(i, n - 1 - i), fun(i, n - 1 - i)) |> reduceSeq(op, e)")`,
		"unit of one side": `(data t) (funs (op "t -> t -> t" comm)) (vars (x "t") (e "t")) (lhs "op(x, e)") (rhs "x")`,
		"windows": `(nats (n 0) (w 0)) (data t u) (funs (f "n.t -> u")) (vars (x "(w + n).t"))
			(lhs "x |> slide(n, 1) |> map(f)") (rhs "generate(1 + w, fun(i, f(take(n, x))))")`,
		"a function of two": `(data t u) (funs (f "(t, t) -> u")) (vars (x "t") (y "t")) (lhs "f(makePair(x, y))") (rhs "f(makePair(y, x))")`,
		"an array returned": `(nats (n 1)) (data t u) (funs (f "t -> n.u")) (vars (x "t"))
			(lhs "f(x) |> take(1)") (rhs "f(x) |> drop(n - 1)")`,
	} {
		if res := decided(t, text); res.Verdict != equiv.Refuted {
			t.Errorf("%s: %v (%s)", name, res.Verdict, res.Detail)
		}
	}
}

// TestRISEFunctions: what free functions are given and return, and laws that are asked for and not used.
func TestRISEFunctions(t *testing.T) {
	for name, text := range map[string]string{
		"of windows": `(nats (n 0) (w 0)) (data t u) (funs (f "n.t -> u")) (vars (x "(w + n).t"))
			(lhs "x |> slide(n, 1) |> map(f)") (rhs "generate(1 + w, fun(i, f(generate(n, fun(j, idx(i + j, x))))))")`,
		"of pairs": `(nats (n 0)) (data t u v) (funs (f "(t, u) -> v")) (vars (x "n.t") (y "n.u"))
			(lhs "zip(x, y) |> map(f)") (rhs "generate(n, fun(i, f(makePair(idx(i, x), idx(i, y)))))")`,
		"to arrays": `(nats (n 0) (m 0)) (data t u) (funs (f "t -> m.u")) (vars (x "n.t"))
			(lhs "x |> map(f) |> transpose |> transpose") (rhs "x |> map(f)")`,
		"to pairs": `(nats (n 0)) (data t u v) (funs (f "t -> (u, v)")) (vars (x "n.t"))
			(lhs "x |> map(f)") (rhs "zip(x |> map(f) |> map(fst), x |> map(f) |> map(snd))")`,
		"of numbers": `(nats (n 0)) (funs (f "i8 -> f32")) (vars (x "n.i8"))
			(lhs "x |> map(fun(a, f(a + a)))") (rhs "x |> map(fun(a, a + a)) |> map(f)")`,
		"sum": `(nats (n 0) (m 0)) (data t) (funs (op "t -> t -> t" assoc comm (unit e))) (vars (x "n.m.t"))
			(lhs "x |> map(reduce(op, e)) |> reduce(op, e)") (rhs "x |> transpose |> map(reduce(op, e)) |> reduce(op, e)")`,
		"order kept": `(nats (n 0) (k 1)) (data t) (funs (op "t -> t -> t" assoc (unit e))) (vars (x "(n*k).t"))
			(lhs "x |> reduce(op, e)") (rhs "x |> split(k) |> map(reduce(op, e)) |> reduce(op, e)")`,
	} {
		if res := decided(t, text); res.Verdict != equiv.Proved {
			t.Errorf("%s: %v (%s)", name, res.Verdict, res.Detail)
		}
	}
}

func decided(t *testing.T, clauses string) Result {
	t.Helper()
	r := parsedRISE("(rule r (lang rise) " + clauses + ")")
	if r == nil {
		t.Fatalf("no rule: %s", clauses)
	}
	res, err := CheckRISE(t.Context(), r, equiv.Options{Timeout: patience, Unmended: true})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestRISEVacuous: a rule without an instance is an error.
func TestRISEVacuous(t *testing.T) {
	r := parsedRISE(`(rule r (lang rise) (nats (n 0)) (data t) (vars (x "n.t")) (where "n < 0") (lhs "x") (rhs "x |> id"))`)
	_, err := CheckRISE(t.Context(), r, equiv.Options{})
	if err == nil || source.AsErrors(err)[0].Code != "vacuous" {
		t.Error(err)
	}
}

// TestRISELowering holds the rows by which accesses are resolved, as they are printed, to what is known of them.
func TestRISELowering(t *testing.T) {
	rows := map[string]string{ // by row, what it is as printed
		"load-cast": "right", "load-embed": "right", "load-fst": "right", "load-snd": "right", "load-idx": "right", "load-zip": "right",
		"load-split": "right", "load-join": "wrong", "load-transpose": "right", "load-slide": "right", "load-pad": "unbound-name",
		"store-assign": "right", "store-cast": "right", "store-idx": "right", "store-split": "right", "store-split/onto": "right",
		"store-join": "right", "store-join/onto": "right", "store-transpose": "right", "store-transpose/onto": "right",
		"store-unchanged-1": "right", "store-unchanged-2": "right",
	}
	list := riseRules(t, "../../semantics/rise/rules/lowering.rules")
	for _, r := range list {
		as := map[string]string{"": "right", "proved": "right", "refuted": "wrong"}[r.Want]
		if want, ok := rows[r.Name]; ok && as != want {
			t.Errorf("%s: %s, want %s", r.Name, as, want)
		}
		delete(rows, r.Name)
	}
	const pad = `(rule load-pad (lang rise) (nats (n 1) (l 0) (r 0)) (data t) (vars (x "n.t"))
  (lhs "x |> pad(l, r)")
  (rhs "generate(l + n + r, fun(i, select(i < l, idx(0, x), select(i < l + n, idx(index, x), idx(n - 1, x)))))"))`
	top, _ := sexpr.Read(source.NewFile("r", pad))
	if _, err := syntax.ParseRule(top[0]); err == nil || err.Error() != "r:3:83: index is not declared [unbound-name]" {
		t.Errorf("load-pad: %v", err)
	} else {
		delete(rows, "load-pad")
	}
	for name := range rows {
		t.Errorf("%s: no rule", name)
	}
}

// TestRISEManual decides the examples of doc/rules.md.
func TestRISEManual(t *testing.T) {
	text, err := os.ReadFile("../../doc/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := strings.Split(string(text), "```rise-rule\n")[1:]
	if len(examples) == 0 {
		t.Error("no examples")
	}
	for _, part := range examples {
		block, _, _ := strings.Cut(part, "```")
		if r := parsedRISE(block); r == nil {
			t.Errorf("no rule: %s", block)
		} else if res, err := CheckRISE(t.Context(), r, equiv.Options{}); err != nil || res.Verdict != equiv.Proved {
			t.Errorf("%s: %v %v", r.Name, res.Verdict, err)
		}
	}
}

// TestRISECertificates changes what a certificate of a rule of RISE says or holds and makes its digests anew: none is accepted.
func TestRISECertificates(t *testing.T) {
	const split = `(rule r (lang rise) (nats (n 0) (k 1)) (data t u) (funs (f "t -> u")) (vars (x "n.t"))
		(where "n % k == 0") (arith real) (lhs "x |> map(f)") (rhs "x |> split(k) |> map(map(f)) |> join"))`
	const blocked = `(rule r (lang rise) (nats (n 0) (k 1)) (data t) (funs (op "t -> t -> t" assoc comm (unit e)) (g "t -> t -> t"))
		(vars (x "(n*k).t") (z "t")) (lhs "x |> reduce(op, e)") (rhs "x |> split(k) |> map(reduce(op, e)) |> reduce(op, e)"))`
	const folded = `(rule r (lang rise) (nats (n 0)) (data t u) (funs (f "t -> u") (g "u -> u -> u")) (vars (x "n.t") (e "u"))
		(lhs "x |> map(f) |> reduceSeq(g, e)") (rhs "x |> reduceSeq(fun((a, y), g(a, f(y))), e)"))`
	const turned = `(rule r (lang rise) (nats (n 0) (m 0)) (data t) (funs (op "t -> t -> t" assoc comm (unit e)))
		(vars (x "n.m.t")) (lhs "x |> map(reduce(op, e)) |> reduce(op, e)")
		(rhs "x |> transpose |> map(reduce(op, e)) |> reduce(op, e)"))`
	replaced := func(old, by string) func(*proofs.RuleStatement, *[]proofs.Pair) {
		return func(s *proofs.RuleStatement, pairs *[]proofs.Pair) {
			if !strings.Contains(s.Text, old) {
				t.Fatalf("no %s", old)
			}
			s.Text = strings.Replace(s.Text, old, by, 1)
			(*pairs)[0].Before, (*pairs)[0].After = s.Text, s.Text
		}
	}
	certificates := map[string][]byte{} // of each text
	for _, c := range []struct {
		name, text string
		change     func(*proofs.RuleStatement, *[]proofs.Pair)
	}{
		{"guard dropped", split, replaced(`(where "n % k == 0")`, "")},
		{"guard weakened", split, replaced("n % k == 0", "k <= n")},
		{"another size", split, replaced("split(k)", "split(n)")},
		{"a function dropped", split, replaced("map(map(f))", "map(id)")},
		{"a name twice", split, replaced("(data t u)", "(data t u t)")},
		{"undeclared", split, replaced("(k 1)", "")},
		{"other arithmetic", split, replaced("(arith real)", "(arith exact)")},
		{"arithmetic claimed", split, func(s *proofs.RuleStatement, pairs *[]proofs.Pair) {
			s.Arith, (*pairs)[0].Arith = domain.Exact, domain.Exact
		}},
		{"ranks", split, func(s *proofs.RuleStatement, _ *[]proofs.Pair) { s.Ranks = 0 }},
		{"another type", split, func(s *proofs.RuleStatement, _ *[]proofs.Pair) { s.Elem.Width = 64 }},
		{"a weaker statement", split, func(s *proofs.RuleStatement, _ *[]proofs.Pair) { s.WhereBoth = true }},
		{"no pair", split, func(_ *proofs.RuleStatement, pairs *[]proofs.Pair) { *pairs = nil }},
		{"a pair twice", split, func(_ *proofs.RuleStatement, pairs *[]proofs.Pair) { *pairs = append(*pairs, (*pairs)[0]) }},
		{"one side", split, func(_ *proofs.RuleStatement, pairs *[]proofs.Pair) { (*pairs)[0].Functions[1] = "lhs" }},
		{"sides exchanged", split, func(_ *proofs.RuleStatement, pairs *[]proofs.Pair) { (*pairs)[0].Functions = [2]string{"rhs", "lhs"} }},
		{"assumed", split, func(_ *proofs.RuleStatement, pairs *[]proofs.Pair) { (*pairs)[0].Assume = []string{"(= n 0)"} }},
		{"another rule", split, func(_ *proofs.RuleStatement, pairs *[]proofs.Pair) { (*pairs)[0].Before = blocked }},
		{"not commutative", turned, replaced("assoc comm", "assoc")},
		{"not associative", blocked, replaced("assoc comm", "comm")},
		{"no unit", blocked, func(s *proofs.RuleStatement, pairs *[]proofs.Pair) {
			replaced(" (unit e)", "")(s, pairs)
			replaced(`(z "t")`, `(z "t") (e "t")`)(s, pairs)
		}},
		{"a start that is no unit", blocked, replaced("|> map(reduce(op, e))", "|> map(reduce(op, z))")},
		{"a step without laws", blocked, replaced("|> map(reduce(op, e))", "|> map(reduce(g, e))")},
		{"arguments exchanged", folded, replaced("g(a, f(y))", "g(f(y), a)")},
		{"the function dropped", folded, replaced("map(f)", "map(f) |> map(fun(b, g(b, b)))")},
		{"an element left out", folded, replaced("|> reduceSeq(g, e)", "|> drop(1) |> reduceSeq(g, e)")},
		{"another start", folded, replaced("g(a, f(y))), e)", "g(a, f(y))), g(e, e))")},
	} {
		if certificates[c.text] == nil {
			res := Result{}
			if r := parsedRISE(c.text); r != nil {
				res, _ = CheckRISE(t.Context(), r, equiv.Options{Timeout: patience, Unmended: true})
			}
			if res.Verdict != equiv.Proved {
				t.Fatalf("%s: %v (%s)", c.name, res.Verdict, res.Detail)
			}
			certificates[c.text] = res.Certificate
		}
		s, pairs, err := languages.Checker.CheckRuleRest("c", certificates[c.text])
		if err != nil {
			t.Fatal(err)
		}
		c.change(&s, &pairs)
		if _, err := languages.Checker.CheckRule("c", proofs.FormatRule(s, pairs)); err == nil {
			t.Errorf("%s: accepted", c.name)
		}
	}
}

// TestRISENothing: what has no value is not taken away by what is made of it. The evaluator refutes these rules; nor does
// the checker accept a certificate of one.
func TestRISENothing(t *testing.T) {
	for name, text := range map[string]string{
		"difference": `(nats (n 0)) (vars (x "n.f32") (y "(n + 1).f32")) (lhs "y")
			(rhs "zip(x |> padEmpty(1) |> map(fun(a, a - a)), y) |> map(add)")`,
		"product": `(nats (n 0)) (vars (x "n.f32") (y "(n + 1).f32")) (lhs "y")
			(rhs "zip(x |> padEmpty(1) |> map(fun(a, a * 0)), y) |> map(add)")`,
		"bits": `(nats (n 0)) (vars (x "n.i8") (y "(n + 1).i8")) (lhs "y")
			(rhs "zip(x |> padEmpty(1) |> map(fun(a, a - a)), y) |> map(add)")`,
		"argument": `(nats (n 0)) (funs (g "f32 -> f32 -> f32")) (vars (x "n.f32") (y "(n + 1).f32") (z "f32")) (lhs "y |> map(g(z - z))")
			(rhs "zip(x |> padEmpty(1), y) |> map(fun(p, g(fst(p) - fst(p), snd(p))))")`,
		"sum": `(nats (n 0)) (data t) (funs (op "t -> t -> t" assoc comm (unit e))) (vars (x "n.t")) (lhs "x |> reduce(op, e)")
			(rhs "x |> padEmpty(1) |> reduce(op, e)")`,
	} {
		if res := decided(t, text); res.Verdict != equiv.Refuted {
			t.Errorf("%s: %v (%s)", name, res.Verdict, res.Detail)
		}
		rule := "(rule r (lang rise) " + text + ")"
		_, err := witness.Certify(t.Context(), proofs.Statement{Before: rule, After: rule, Languages: [2]string{proofs.RISERule, proofs.RISERule},
			Functions: [2]string{"lhs", "rhs"}}, witness.Search{Steps: 10_000})
		if err == nil {
			t.Errorf("%s: certified", name)
		}
	}
}
