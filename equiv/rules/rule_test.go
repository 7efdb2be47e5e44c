package rules

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tv/equiv"
	"tv/equiv/sample"
	"tv/glenside"
	"tv/glenside/rule"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics/domain"
	language "tv/semantics/glenside"
	"tv/semantics/value"
)

// patience is longer than any test: what tests ask about ends by steps.
const patience = time.Hour

func readRules(t *testing.T, patterns ...string) []*rule.Rule {
	t.Helper()
	var list []*rule.Rule
	for _, p := range patterns {
		names, err := filepath.Glob(p)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: no files (%v)", p, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			rules, err := rule.Parse(source.NewFile(name, string(text)))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, rules...)
		}
	}
	return list
}

func typesOf(r *rule.Rule) []domain.Elem {
	if len(r.Types) > 0 {
		return r.Types
	}
	return []domain.Elem{domain.Float32}
}

// TestRules decides the rules of testdata/rules and of the catalogue, with certificates, and then asks the evaluator: no
// instance of a rule that is proved tells its sides apart, and of a rule that is refuted some instance does. The quick tier
// takes the first type of each rule.
func TestRules(t *testing.T) {
	for _, r := range readRules(t, "../../testdata/rules/*.rules", "../../glenside/rules/*.rules") {
		for _, elem := range typesOf(r)[:tier.Pick(1, len(typesOf(r)))] {
			t.Run(r.Name+"/"+elem.String(), func(t *testing.T) {
				t.Parallel()
				res, err := Check(t.Context(), r, elem, equiv.Options{Timeout: patience, Unmended: true,
					FirstOnly: r.WantWhereBoth == ""})
				if err != nil {
					t.Fatal(err)
				}
				if r.WantWhereBoth != "" {
					if second := res.SecondVerdict(); second.String() != r.WantWhereBoth {
						t.Errorf("where both sides are well formed: %v (%+v), want %s", second, res.WhereBoth, r.WantWhereBoth)
					}
					whereBoth(t, r, elem, &res)
				}
				want := equiv.Proved
				if r.Want == "refuted" {
					want = equiv.Refuted
				}
				if res.Verdict != want {
					t.Fatalf("%v (%s: %s), want %v", res.Verdict, res.Reason, res.Detail, want)
				}
				admitted, wrong := instances(t, r, elem, res)
				switch {
				case admitted < minInstances:
					t.Errorf("only %d instances were admitted", admitted)
				case want == equiv.Proved && wrong != "":
					t.Errorf("proved, but not in the evaluator:\n%s", wrong)
				case want == equiv.Refuted && wrong == "":
					t.Errorf("refuted, but right in the evaluator in all of %d instances", admitted)
				}
			})
		}
	}
}

// whereBoth holds the second verdict of a rule against the evaluator: no instance in which both sides are well formed tells
// a rule apart that is right there, and of one that is wrong some does.
func whereBoth(t *testing.T, r *rule.Rule, elem domain.Elem, res *Result) {
	t.Helper()
	second := res.SecondVerdict()
	admitted, wrong := instances(t, r.WhereBoth(), elem, Result{Result: equiv.Result{Verdict: second, Arith: res.Arith}})
	switch {
	case second == equiv.Proved && wrong != "":
		t.Errorf("right where both sides are well formed, but not in the evaluator:\n%s", wrong)
	case second == equiv.Refuted && wrong == "":
		t.Errorf("wrong where both sides are well formed, but right in the evaluator in all of %d instances", admitted)
	case second == equiv.Proved && admitted == 0:
		t.Error("no instance has sides that are both well formed")
	}
}

// Numbers of random instances of each rule.
const (
	wantInstances = 20
	minInstances  = 5
	maxTries      = 20_000
)

// instances compares the sides of a rule in the evaluator at random instances, ranks 0 to 5 and sizes 0 to 6. It
// returns how many were admitted, and one that tells the sides apart.
func instances(t *testing.T, r *rule.Rule, elem domain.Elem, res Result) (admitted int, wrong string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, uint64(len(r.Name))))
	rank, size := 5, int64(6)
	for try := 0; try < maxTries; try++ {
		if admitted >= tier.Pick(minInstances, wantInstances) && (res.Verdict == equiv.Proved || wrong != "") {
			break
		}
		if try == maxTries/2 && admitted < minInstances { // guards that ask for larger sizes
			rank, size = 2, 40
		}
		in, err := r.Instance(r.RandomValues(rng, rank, size), elem)
		if errors.Is(err, rule.ErrNotAdmitted) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if differs, ok := instanceDiffers(t, r, in, res.Arith); ok {
			admitted++
			if differs {
				wrong = in.Before + "=> " + in.After + in.Broken
			}
		}
	}
	return admitted, wrong
}

// maxElements bounds the elements of the inputs of an instance.
const maxElements = 2000

// instanceDiffers runs both sides of an instance. ok is false where it is too large.
func instanceDiffers(t *testing.T, r *rule.Rule, in *rule.Instance, arith domain.Arith) (differs, ok bool) {
	t.Helper()
	if in.Broken != "" {
		return true, true
	}
	before, after, err := in.Programs()
	if err != nil {
		t.Fatal(err)
	}
	env, err := glenside.MergeEnv([]*glenside.Program{before, after})
	if err != nil {
		t.Fatal(err)
	}
	x, err := glenside.Check(before, env)
	if err != nil {
		t.Fatal(err)
	}
	y, err := glenside.Check(after, env)
	if err != nil {
		t.Fatal(err)
	}
	for _, tensor := range x.Tensors {
		if sample.Product(sample.DimsAt(tensor.Dims, nil)) > maxElements {
			return false, false
		}
	}
	p, o, equal := language.Typed(x), language.Typed(y), equiv.Access
	if r.Equal == "tensor" {
		equal = equiv.Tensor
	}
	if !equiv.SameType(p, o, equal) {
		return true, true
	}
	differs, err = sample.Plain(p, o, value.Arith(arith), 11).Quick(t.Context(), domain.Point{}, 100)
	if err != nil {
		t.Fatal(err)
	}
	return differs, true
}

// TestRulesOfTheManual decides the examples of doc/rules.md.
func TestRulesOfTheManual(t *testing.T) {
	text, err := os.ReadFile("../../doc/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := 0
	for _, part := range strings.Split(string(text), "```rules\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		rules, err := rule.Parse(source.NewFile("doc/rules.md", block))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rules {
			examples++
			want := equiv.Proved
			if r.Want == "refuted" {
				want = equiv.Refuted
			}
			if res, err := Check(context.Background(), r, typesOf(r)[0], equiv.Options{Unmended: true}); err != nil || res.Verdict != want {
				t.Errorf("%s: %v (%s, %v), want %v", r.Name, res.Verdict, res.Detail, err, want)
			}
		}
	}
	if examples < 14 {
		t.Errorf("%d examples", examples)
	}
}

// bounded are the right rules of testdata/rules that are decided at ranks up to a bound.
var bounded = map[string]bool{"real-sum-after-a-list": true, "two-groups-by-one-list": true, "bias-behind-a-list": true,
	"a-list-that-is-known": true, "shift-right-is-access": true, "negated-difference-of-any-ranks": true,
	"transpose-through-reduction-of-last": true, "concatenation-of-transposes-by-inverse": true,
	"sum-over-everything-in-any-order": true, "slice-from-rank-less-one": true}

// TestRuleScope holds which rules are decided for any number of dims.
func TestRuleScope(t *testing.T) {
	for _, r := range readRules(t, "../../testdata/rules/*.rules") {
		cases, reason := r.Cases(typesOf(r)[0])
		if r.Want == "" && (reason == "") == bounded[r.Name] {
			t.Errorf("%s: not for any number of dims: %s", r.Name, reason)
		}
		for _, c := range cases {
			if strings.Contains(c.Before+c.After, "|") {
				t.Errorf("%s: a number of dims is left in\n%s%s", r.Name, c.Before, c.After)
			}
		}
	}
}

// TestBitsBySamples: wrong rules about floats are refuted by samples, and no solver is asked first.
func TestBitsBySamples(t *testing.T) {
	const text = `(rule %s (vars (?x ((?A*) ())) (?y ((?A*) ()))) (equal tensor) (arith exact) (types float32)
  (lhs (relay-operator-call relay-multiply (relay-operator-call relay-add ?x ?y) ?y)) (rhs %s))`
	for name, right := range map[string]string{
		"distributes":    "(relay-operator-call relay-add (relay-operator-call relay-multiply ?x ?y) (relay-operator-call relay-multiply ?y ?y))",
		"another-factor": "(relay-operator-call relay-multiply ?x (relay-operator-call relay-add ?y ?x))",
	} {
		list, err := rule.Parse(source.NewFile("bits.rules", fmt.Sprintf(text, name, right)))
		if err != nil {
			t.Fatal(err)
		}
		res, err := Check(t.Context(), list[0], domain.Float32, equiv.Options{Timeout: patience, Unmended: true})
		if err != nil || res.Verdict != equiv.Refuted || res.Stats.Queries != 0 {
			t.Errorf("%s: %v %v (%s) after %d queries", name, err, res.Verdict, res.Detail, res.Stats.Queries)
		}
	}
}
