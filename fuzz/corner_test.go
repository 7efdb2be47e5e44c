package fuzz

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"testing"

	"tv/equiv/fault"
	language "tv/semantics/glenside"

	"tv/equiv"
	"tv/equiv/prove"
	"tv/fuzz/programs"
	"tv/glenside"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/proofs"
	"tv/semantics/domain"
)

// noFault fails with the case at hand where f panics.
func noFault(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			stack := debug.Stack()
			if f, ok := r.(*fault.Fault); ok {
				stack = f.Stack
			}
			t.Errorf("%s\n%s\n%s", fault.Text(r), what, stack)
		}
	}()
	f()
}

// TestCorners: no answer to a pair at the corners is a fault, none that the evaluator tells apart is proved, certificates
// are accepted again, and counterexamples are those of the evaluator.
func TestCorners(t *testing.T) {
	n := tier.Draw(16, 30, 48)
	var verdicts tally
	for k := range n {
		p, q := programs.Corner(uint64(k) + salt*1_000_000)
		if p == nil {
			t.Fatalf("case %d: no pair", k)
		}
		what := fmt.Sprintf("case %d, exact %t\n%s\n-- after --\n%s", k, p.Exact, p.Text, q.Text)
		if kind, detail := contestOf(p, q).examine(context.Background(), p.Typed(), q.Typed(), false); kind != "" {
			t.Errorf("%s: %s\n%s", kind, detail, what)
		}
		opts := options(domain.ArithOf(p.Exact))
		opts.Explain, opts.Seed = k%4 == 0, uint64(k)
		if k%3 == 0 {
			opts.Equal = equiv.Access
		}
		noFault(t, what, func() {
			r, err := equiv.Check(context.Background(), equiv.Question{Before: language.Of(p.Parsed), After: language.Of(q.Parsed)}, opts)
			if err != nil {
				verdicts.add("no question", 1)
				return
			}
			verdicts.add(r.Verdict.String(), 1)
			if r.Certificate == nil {
				return
			}
			if _, err := languages.Checker.Check("certificate", r.Certificate); err != nil {
				t.Errorf("the certificate is not accepted again: %v\n%s", err, what)
			}
		})
	}
	t.Logf("%s", &verdicts)
	for _, v := range []string{"proved", "refuted"} {
		if verdicts.counts[v]*8 < n {
			t.Errorf("%d of %d are %s", verdicts.counts[v], n, v)
		}
	}
}

// TestFormulas: what is asked of a solver about any operator, in any arithmetic and element type, is a formula or
// unsupported.
func TestFormulas(t *testing.T) {
	n := tier.Draw(120, 180, 300)
	var told tally
	ask := func(before, after *programs.Program) {
		var left []string
		for i := range before.Typed().Result().Components() {
			left = append(left, fmt.Sprint(i))
		}
		p := proofs.Pair{Witness: "left " + strings.Join(left, " ") + "\n",
			Statement: proofs.Statement{Before: before.Text, After: after.Text, Arith: domain.ArithOf(before.Exact)}}
		what := fmt.Sprintf("exact %t\n%s\n-- after --\n%s", before.Exact, before.Text, after.Text)
		noFault(t, what, func() {
			_, err := prove.Obligations(p, languages.Named) // which the pair has not: an error says so, or that there is no formula
			text, _, _ := strings.Cut(fmt.Sprint(err), " about ")
			told.add(text, 1)
		})
	}
	list := operators()
	for k := range n {
		if p, q := programs.Corner(uint64(k) + salt*1_000_000); p != nil && programs.SameType(p.Typed().Result(), q.Typed().Result()) == "" {
			ask(p, q)
		}
		params := programs.Params{Salt: uint64(k) + salt*1_000_000, MaxOps: 3, Op: list[k%len(list)]}
		if ok, realOnly := programs.Writes(params.Op); !ok {
			params.Op = ""
		} else if params.Exact = k%3 > 0; realOnly {
			params.Exact, params.Real = false, true
		}
		p := programs.Random(params, uint64(k))
		if p.Typing.Root().Kind != glenside.TypeAccess {
			continue
		}
		if q, err := programs.Reworded(p, uint64(k)^salt<<32); err == nil {
			ask(p, q)
		}
	}
	t.Logf("%s", &told)
	if said := told.counts["obligation 1: no formula says it"]; said == 0 || said*2 > n {
		t.Errorf("of %d pairs no formula was made", said)
	}
}

// TestCornerRules: rules whose integers have no sense in some cases are taken apart, instantiated and decided
// without a fault.
func TestCornerRules(t *testing.T) {
	n, decided := tier.Draw(160, 240, 480), 16 // one in so many is decided
	var told tally
	for k := range n {
		r := programs.CornerRule(uint64(k) + salt*1_000_000)
		if r == nil {
			t.Fatalf("case %d: no rule", k)
		}
		elem := programs.Element(uint64(k))
		noFault(t, r.Span.Text(), func() {
			if k%decided == 0 {
				if fault := examineRule(context.Background(), r, uint64(k)); fault != "" {
					t.Errorf("%s\n%s", fault, r.Span.Text())
				}
			}
			list, reason := r.Cases(elem)
			for rank := 0; rank < 3 && reason != ""; rank++ {
				more, why := r.RankedCases(rank, elem)
				if list = append(list, more...); why != "" {
					break
				}
			}
			for _, c := range list {
				told.add("cases", 1)
				if c.Broken != "" {
					told.add("cases without a right side", 1)
				}
			}
			rng := rand.New(rand.NewPCG(uint64(k), salt))
			for range 10 {
				if in, err := r.Instance(r.RandomValues(rng, 3, 3), elem); err == nil {
					told.add("instances", 1)
					if in.Broken != "" {
						told.add("instances without a right side", 1)
					}
				}
			}
		})
	}
	t.Logf("%s", &told)
	told.atLeast(t, n/4, []string{"cases", "cases without a right side", "instances", "instances without a right side"})
}

// TestCornersReplay: a finding about a rule, or about a pair with assumes, is read back from its file and examined again.
func TestCornersReplay(t *testing.T) {
	for name, body := range map[string]string{
		"rule": "# asked as: rule\n# drawn as: 3\n-- corner.rules --\n(rule corner (vars (?x ((?A*) (?n)))) (dims ?h)\n" +
			"  (lhs (access-slice ?x (rank ?A*) (- (rank ?A*) 1) ?h)) (rhs (access-slice ?x (rank ?A*) (- (rank ?A*) 1) ?h)))\n",
		"pair": "# asked as: mutant\n# drawn as: 3\n-- before.sexp --\n(input C (shape (M 0)))\n(assume (= M (* 4 M)))\n" +
			"(compute relu (compute dot-product (access C 0)))\n-- after.sexp --\n(input C (shape (M 0)))\n" +
			"(relay-operator-call relay-maximum (compute dot-product (access C 0)) (access-literal (literal 0)))\n",
	} {
		kind, detail, err := Replay(source.NewFile(name, headline("self", kindFault)+body))
		if kind != "" || err != nil {
			t.Errorf("%s: %s %s %v", name, kind, detail, err)
		}
	}
	if _, _, err := Replay(source.NewFile("none", headline("self", kindFault)+"-- corner.rules --\n(rule\n")); err == nil {
		t.Error("what is no rule was examined")
	}
}
