package rule

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/semantics/domain"
)

// files holds the rule files of the repository.
func files(t *testing.T) []*source.File {
	t.Helper()
	var list []*source.File
	for _, pattern := range []string{"../rules/*.rules", "../../testdata/rules/*.rules"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: no files (%v)", pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, source.NewFile(name, string(text)))
		}
	}
	return list
}

// TestFormat: parsing what is printed gives a rule that prints the same and has the same cases.
func TestFormat(t *testing.T) {
	count := 0
	for _, f := range files(t) {
		rules, err := Parse(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rules {
			count++
			text := Format(r)
			again, err := Parse(source.NewFile(r.Name, text))
			if err != nil {
				t.Errorf("%v\n%s", err, text)
				continue
			}
			if got := Format(again[0]); got != text {
				t.Errorf("printed twice:\n%s\n%s", text, got)
			}
			x, why := r.Cases(domain.Float32)
			y, whyAgain := again[0].Cases(domain.Float32)
			if len(x) != len(y) || why != whyAgain {
				t.Errorf("%s: %d cases (%s), then %d (%s)", r.Name, len(x), why, len(y), whyAgain)
				continue
			}
			for i := range x {
				if x[i].Before != y[i].Before || x[i].After != y[i].After || x[i].Broken != y[i].Broken {
					t.Errorf("%s: case %d differs", r.Name, i)
				}
			}
		}
	}
	if count < 100 {
		t.Errorf("only %d rules", count)
	}
}

// TestErrors holds what is wrong with rules, and where.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ rules, want string }{
		{"(rule r (vars (?a ((?A*) ()))) (lhs ?a) (rhs ?b))", "r:1:46: ?b is not declared [unbound-name]"},
		{"(rule r (vars (?a ((?A*) ()))) (ints ?a) (lhs ?a) (rhs ?a))", "?a is declared already"},
		{"(rule r (vars (?a ((?A*) ()))) (lhs ?a))", "has no clause rhs [bad-rule]"},
		{"(rule r (vars (?a ((?A*) ()))) (lhs ?a) (lhs ?a) (rhs ?a))", "a second clause lhs [bad-rule]"},
		{"(rule r (vars (?a ((?A*) ()))) (lhs (access ?a)) (rhs ?a))", "access takes 2 operands, got 1 [wrong-arity]"},
		{"(define H (access A 1))", "rules have no definitions: each side writes out what it uses [bad-rule]"},
		{"(rule r (vars (?a ((?A*) ()))) (define H ?a) (lhs H) (rhs ?a))", "rules have no definitions: each side writes out what it uses [bad-rule]"},
		{"(rule r (vars (?a ((?A*) ()))) (lhs (define H ?a)) (rhs ?a))", "rules have no definitions: each side writes out what it uses [bad-rule]"},
		{"(rule r (vars (?a ((?A*) ()))) (lhs (acess ?a 1)) (rhs ?a))", "there is no operator acess [unknown-operator]"},
		{"(rule r (vars (?a ((?A*) ()))) (lhs (access ?a ?a)) (rhs ?a))", "an integer is wanted here, not ?a, which is a tensor [wrong-operand]"},
		{"(rule r (vars (?a ((?A*) ()))) (lhs ?a) (rhs (access ?a (size (list)))))", "a tensor is wanted here, not (list) [wrong-operand]"},
		{"(rule r (vars (?a ((?A*) ()))) (lhs ?a) (rhs (shape 2)))", "a tensor is wanted here, not (shape 2) [wrong-operand]"},
		{"(rule r (vars (?a ((?A*) ()))) (lhs (access ?a ?A*)) (rhs ?a))", "an integer is wanted here"},
		{"(rule r (vars (?a (?A*))) (lhs ?a) (rhs ?a))", "a shape is ((DIM ...) (DIM ...))"},
		{"(rule r (vars (?a ((?A*) ()) int7)) (lhs ?a) (rhs ?a))", "int7 is not an element type [unknown-type]"},
		{"(rule r (vars (?a ((-1) ()))) (lhs ?a) (rhs ?a))", "a dim must not be negative: -1 [negative-number]"},
		{"(rule 7 (vars) (lhs ?a) (rhs ?a))", "a rule has a name that starts with a letter [bad-rule]"},
		{"(rule r (vars (?a ((?A*) ()))) (where (> 1 2)) (lhs ?a) (rhs ?a))", "[bad-condition]"},
		{"(rule r (vars (?a ((?A*) ()))) (lhs ?a) (rhs ?a)", "[unclosed-list]"},
		{"(rule r (vars (?a ((?A*) ()))) (lhs ?a) (rhs ?a)))", "[unopened-list]"},
		{`(rule r (doc "x) (lhs ?a))`, "[unclosed-quote]"},
		{"(rule r (vars (?a ((?A*) ()))) (lhs ()) (rhs ?a))", "[empty-list]"},
		{"(rule r (vars (?a ((?A*) ()))) (lhs ((x))) (rhs ?a))", "[head-is-list]"},
		{"(rule r (vars (?a ((?A*) ()))) (want maybe) (lhs ?a) (rhs ?a))", "want takes one of proved refuted [bad-rule]"},
		{"(rule r (vars (?a ((?A*) ()))) (tokens (?t min-padding none)) (lhs (access-pad ?a ?t 0 1 1)) (rhs ?a))",
			"?t may be none, which is not one of the words zero-padding min-padding [wrong-operand]"},
		{"(rule r (vars (?a (() (2 16)))) (lhs (accelerator-call flex-maxpool ?a (shape 1))) (rhs ?a))",
			"(shape 0), or left out is wanted here, not (shape 1)"},
		{"(rule r (vars (?a ((?A*) ()))) (use) (lhs ?a) (rhs ?a))", "use takes some of ideal join pad split, in this order [bad-rule]"},
		{"(rule r (vars (?a ((?A*) ()))) (use cut) (lhs ?a) (rhs ?a))", "use takes some of ideal join pad split [bad-rule]"},
		{"(rule r (vars (?a ((?A*) ()))) (use pad pad) (lhs ?a) (rhs ?a))", "use takes some of ideal join pad split, in this order [bad-rule]"},
		{"(rule r (vars (?a ((?A*) ()))) (use split pad) (lhs ?a) (rhs ?a))", "use takes some of ideal join pad split, in this order [bad-rule]"},
		{strings.Repeat("(", 2000), "[too-deep]"},
		{"; nothing", "there is no rule in the file [no-rule]"},
	} {
		_, err := Parse(source.NewFile("r", c.rules))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80s:\n got %v\nwant %s", c.rules, err, c.want)
		}
	}
}

// TestCases holds how groups and axes are taken apart.
func TestCases(t *testing.T) {
	for _, c := range []struct {
		rule  string
		cases []string // choices of each, joined
		why   string
	}{
		{"(rule r (vars (?a ((?A*) (?B*)))) (lhs (compute relu ?a)) (rhs ?a))", []string{""}, ""},
		{"(rule r (vars (?a ((?A*) ()))) (lhs (access-flatten ?a)) (rhs ?a))", []string{
			"A* is empty", "A* is (A.1 A.2*)"}, "the results are"},
		{"(rule r (vars (?a ((?A*) ()))) (ints ?d) (lhs (access-slice ?a ?d 0 1)) (rhs ?a))", []string{
			"A* is (A.1* A.3 A.2*), ?d = |A.1*|"}, ""},
		{"(rule r (vars (?a ((?A*) ()))) (ints ?k) (lhs (access ?a ?k)) (rhs ?a))", []string{
			"A* is (A.1* A.2*), ?k = |A.1*|"}, "the results are"},
		{"(rule r (vars (?a ((?n) ()))) (ints ?k) (where (<= ?k 3)) (lhs ?a) (rhs ?a))", []string{
			"", "?k = (+ (* -1 k) -1)"}, ""},
		{"(rule r (vars (?a ((?A*) ()))) (lists ?L*) (lhs (access-transpose ?a ?L*)) (rhs ?a))", nil, "the results are permuted by"},
		{"(rule r (vars (?a ((?A*) ()))) (lhs (access-slice ?a 0 0 (rank ?A*))) (rhs ?a))", nil, "used as a size"},
	} {
		rules, err := Parse(source.NewFile("r", c.rule))
		if err != nil {
			t.Fatal(err)
		}
		cases, why := rules[0].Cases(domain.Float32)
		if !strings.Contains(why, c.why) || (why == "") != (c.why == "") {
			t.Errorf("%s: %q, want %q", c.rule, why, c.why)
			continue
		}
		if why != "" {
			continue
		}
		var got []string
		for _, x := range cases {
			got = append(got, strings.Join(x.Choices, ", "))
		}
		if strings.Join(got, "\n") != strings.Join(c.cases, "\n") {
			t.Errorf("%s:\n got %q\nwant %q", c.rule, got, c.cases)
		}
	}
}

// TestInstance holds which instances are admitted.
func TestInstance(t *testing.T) {
	rules, err := Parse(source.NewFile("r", `(rule r (vars (?a ((?A* ?n) (?B*)))) (ints ?d) (lists ?L*) (tokens (?t zero-padding min-padding))
		(where (< 1 ?n) (or (= ?d 0) (divides 2 (div ?n ?d)))) (lhs (access-pad (access-transpose ?a ?L*) ?t ?d 1 0)) (rhs ?a))`))
	if err != nil {
		t.Fatal(err)
	}
	base := func() Values {
		return Values{Groups: map[string][]int64{"?A*": {3}, "?B*": {}}, Sizes: map[string]int64{"?n": 2, "?d": 1},
			Lists: map[string][]int{"?L*": {1, 0}}, Tokens: map[string]string{"?t": "min-padding"}}
	}
	for _, c := range []struct {
		change func(*Values)
		want   string // of the error; "" for admitted
	}{
		{func(*Values) {}, ""},
		{func(v *Values) { v.Sizes["?d"] = 0 }, ""}, // the division has no value, and the other part is true
		{func(v *Values) { v.Sizes["?d"] = -1 }, "not admitted"},
		{func(v *Values) { v.Sizes["?d"] = 2 }, "not admitted"},
		{func(v *Values) { v.Sizes["?n"] = 1 }, "not admitted"},
		{func(v *Values) { v.Lists["?L*"] = []int{0, 0} }, "not admitted"},
		{func(v *Values) { v.Lists["?L*"] = []int{0} }, "not admitted"},
		{func(v *Values) { v.Groups["?B*"] = []int64{4} }, "not admitted"},
		{func(v *Values) { delete(v.Sizes, "?n") }, "?n has no value"},
	} {
		v := base()
		c.change(&v)
		_, err := rules[0].Instance(v, domain.Float32)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", v, err, c.want)
		}
	}
}

// TestConverse turns rules round: the text is the rule's but for the name, the sides and what is wanted.
func TestConverse(t *testing.T) {
	r := parsed(t, `(rule cut/fixed (use pad split) ; (lhs is below
  (rhs (access (compute relu ?a) 1)) (want refuted (well-formed proved))
  (lhs (compute relu (access ?a 1))) (equal tensor) (vars (?a ((?n) ()))) (where (< 0 ?n)))`)
	c, err := r.Converse()
	if err != nil {
		t.Fatal(err)
	}
	const want = `(rule cut/fixed/converse (use pad split) ; (lhs is below
  (rhs (compute relu (access ?a 1)))` + " " + `
  (lhs (access (compute relu ?a) 1)) (equal tensor) (vars (?a ((?n) ()))) (where (< 0 ?n)))`
	if got := c.Span.Text(); got != want || c.Want != "" || c.WantWhereBoth != "" || c.Equal != "tensor" || !slices.Equal(c.Use, r.Use) {
		t.Errorf("the converse is\n%s", got)
	}
	if back, err := c.Converse(); err != nil || back.LHS.String() != r.LHS.String() || back.RHS.String() != r.RHS.String() {
		t.Errorf("and back: %v", err)
	}
	if text := Format(r); !strings.Contains(text, "\n  (use pad split)") {
		t.Errorf("formatted:\n%s", text)
	}
}
