package proofs

import (
	"os"
	"slices"
	"testing"

	"tv/glenside/rule"
	"tv/internal/source"
	"tv/semantics/domain"
)

func rulesOf(t *testing.T, text string) []*rule.Rule {
	t.Helper()
	rules, err := rule.Parse(source.NewFile("r", text))
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// TestDroppedCases leaves out one case after the other, as taking a rule apart might: all are missed. A case is there
// for each place of an axis, before, inside and after what a group stands for, for each sign and for each word.
func TestDroppedCases(t *testing.T) {
	for name, text := range map[string]string{
		"an axis among dims": `(rule r (vars (?a ((?k ?m ?n) ()))) (ints ?d) (where (<= 0 ?d)) (lhs (access-slice ?a ?d 0 1))
			(rhs (access-slice ?a ?d 0 1)))`,
		"an axis among groups": `(rule r (vars (?a ((?A* ?n) (?B*)))) (ints ?d) (lhs (access-slice ?a ?d 0 1))
			(rhs (access-slice ?a ?d 0 1)))`,
		"an axis counted from the end": `(rule r (vars (?a ((?A* ?n) ()))) (ints ?d) (lhs (relay-operator-call relay-softmax ?a ?d))
			(rhs (relay-operator-call relay-softmax ?a ?d)))`,
		"a group that may be empty": `(rule r (vars (?a ((?A*) ()))) (lhs (access-slice ?a 0 0 1)) (rhs (access-slice ?a 0 0 1)))`,
		"words": `(rule r (vars (?a ((?A* ?n) ()))) (tokens (?t zero-padding min-padding)) (lhs (access-pad ?a ?t 0 1 1))
			(rhs (access-pad ?a ?t 0 1 1)))`,
		"signs": `(rule r (vars (?a ((?A*) ()))) (ints ?p) (where (not (= ?p 7))) (lhs ?a) (rhs ?a))`,
	} {
		r := rulesOf(t, text)[0]
		cases, why := r.Cases(domain.Float32)
		if why != "" {
			t.Fatalf("%s: %s", name, why)
		}
		if which := uncovered(r, domain.Float32, cases); which != "" {
			t.Errorf("%s: %s is in no case", name, which)
		}
		for i, c := range cases {
			if uncovered(r, domain.Float32, slices.Delete(slices.Clone(cases), i, i+1)) == "" {
				t.Errorf("%s: case %q is not missed", name, c.Choices)
			}
		}
		for i, c := range cases { // each case but those of the first choice
			other := *c
			other.Ints = map[string]domain.Size{}
			for q, x := range c.Ints { // one place further, as if counted wrongly
				other.Ints[q] = x.Add(domain.IntSize(1))
			}
			wrong := slices.Clone(cases)
			if wrong[i] = &other; len(c.Ints) > 0 && uncovered(r, domain.Float32, wrong) == "" {
				t.Errorf("%s: case %q at another place is not missed", name, c.Choices)
			}
		}
	}
}

// TestCasesOfCatalogue leaves cases out of rules as they are written. Those that need larger numbers than are tried,
// or luck, are not missed.
func TestCasesOfCatalogue(t *testing.T) {
	text, err := os.ReadFile("../glenside/rules/glenside.rules")
	if err != nil {
		t.Fatal(err)
	}
	dropped, missed := 0, 0
	for _, r := range rulesOf(t, string(text)) {
		cases, why := r.Cases(domain.Float32)
		if why != "" || len(cases) > 20 {
			continue
		}
		if which := uncovered(r, domain.Float32, cases); which != "" {
			t.Errorf("%s: %s is in no case", r.Name, which)
		}
		for i := range cases {
			if dropped++; uncovered(r, domain.Float32, slices.Delete(slices.Clone(cases), i, i+1)) != "" {
				missed++
			}
		}
	}
	t.Logf("%d of %d cases are missed when they are not there", missed, dropped)
	if missed < dropped*2/5 {
		t.Error("too few")
	}
}

// TestEqualDims holds the dims of an instance against cases in which two dims, or two groups, are one: rules are proved there
// alone.
func TestEqualDims(t *testing.T) {
	r := rulesOf(t, `(rule r (vars (?a ((?A*) ())) (?b ((?B*) ()))) (ints ?d) (where (<= 0 ?d) (< ?d (rank ?A*)))
		(lhs (access-concatenate ?a ?b ?d)) (rhs (access-concatenate ?a ?b ?d)))`)[0]
	cases, why := r.Cases(domain.Float32)
	if why != "" || len(cases) != 1 {
		t.Fatalf("%d cases, %s", len(cases), why)
	}
	values := func(a, b []int64) rule.Values {
		return rule.Values{Groups: map[string][]int64{"?A*": a, "?B*": b}, Sizes: map[string]int64{"?d": 1}}
	}
	cv := Covered{Rule: r, cases: cases}
	if !cv.Has(values([]int64{2, 1, 3}, []int64{2, 5, 3})) {
		t.Error("an instance of the case is none")
	}
	for _, b := range [][]int64{{2, 5, 4}, {3, 5, 3}, {2, 5}, {2, 5, 3, 3}} {
		if cv.Has(values([]int64{2, 1, 3}, b)) {
			t.Errorf("%v: an instance with other groups is one of the case", b)
		}
	}
	alike := rulesOf(t, `(rule r (vars (?a ((?A*) ())) (?b ((?m 2) ()))) (lhs (access-pair ?a ?b)) (rhs (access-pair ?a ?b)))`)[0]
	cv = Covered{Rule: alike}
	if cv.cases, why = alike.Cases(domain.Float32); why != "" {
		t.Fatal(why)
	}
	for _, c := range []struct {
		a    []int64
		want bool
	}{{[]int64{3, 2}, true}, {[]int64{4, 2}, false}, {[]int64{3, 3}, false}, {[]int64{3}, false}} {
		v := rule.Values{Groups: map[string][]int64{"?A*": c.a}, Sizes: map[string]int64{"?m": 3}}
		if cv.Has(v) != c.want {
			t.Errorf("%v: want %t", c.a, c.want)
		}
	}
	one := *cases[0] // as if the axis had one size in both
	one.Groups = map[string][]rule.Part{"?A*": one.Groups["?A*"], "?B*": one.Groups["?A*"]}
	if uncovered(r, domain.Float32, []*rule.Case{&one}) == "" {
		t.Error("a case with one size for both is not missed")
	}
}
