package rules_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	language "tv/semantics/glenside"

	"tv/equiv"
	"tv/glenside/rule"
	"tv/semantics/domain"
)

// tells runs both sides of an instance and says in one line what tells them apart; "" where nothing does, or where the
// instance is not admitted.
func tells(t *testing.T, r *rule.Rule, v rule.Values) string {
	t.Helper()
	in, err := r.Instance(v, domain.Float32)
	if err != nil {
		return ""
	}
	if in.Broken != "" {
		return "right side undefined: " + in.Broken
	}
	before, after, err := in.Programs()
	if err != nil {
		t.Fatal(err)
	}
	opts := equiv.Options{Equal: equiv.Access, Timeout: time.Hour, Solver: "none"}
	if r.Equal == "tensor" {
		opts.Equal = equiv.Tensor
	}
	res, err := equiv.Check(context.Background(), equiv.Question{Before: language.Of(before), After: language.Of(after)}, opts)
	switch {
	case err != nil && strings.Contains(err.Error(), "empty-output"):
		return ""
	case err != nil:
		t.Fatalf("%s at %v: %v", r.Name, v, err)
	case res.Verdict != equiv.Refuted:
		return ""
	case res.Reason != "values":
		return res.Detail
	}
	var inputs []string
	c := res.Counterexample
	for _, x := range c.Inputs {
		inputs = append(inputs, fmt.Sprintf("%s = %v", x.Name, x.Data()))
	}
	return fmt.Sprintf("%s: element %v is %s before, %s after", strings.Join(inputs, ", "), c.Index, c.Before, c.After)
}

// smaller returns the instances that have one dim less, or one number nearer to 0.
func smaller(v rule.Values) []rule.Values {
	var out []rule.Values
	for _, name := range slices.Sorted(maps.Keys(v.Groups)) {
		for i, d := range v.Groups[name] {
			w := v
			w.Groups = maps.Clone(v.Groups)
			w.Groups[name] = slices.Delete(slices.Clone(v.Groups[name]), i, i+1)
			out = append(out, w)
			if d > 0 {
				u := v
				u.Groups = maps.Clone(v.Groups)
				u.Groups[name] = slices.Clone(v.Groups[name])
				u.Groups[name][i]--
				out = append(out, u)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.Sizes)) {
		n := v.Sizes[name]
		if n == 0 {
			continue
		}
		w := v
		w.Sizes = maps.Clone(v.Sizes)
		w.Sizes[name] = n - n/max(n, -n)
		out = append(out, w)
	}
	return out
}

// A finding is a section of doc/found.md.
type finding struct {
	name, file, values, shows, mended string
}

// readFindings reads the blocks of doc/found.md: a command, an instance, what it shows, the mended rule.
func readFindings(t *testing.T) []finding {
	t.Helper()
	text, err := os.ReadFile("../../doc/found.md")
	if err != nil {
		t.Fatal(err)
	}
	form := regexp.MustCompile("```found\\n\\$ tv certify --only (.*) glenside/rules/(.*)\\n" +
		"instance (.*)\\nshows (.*)\\nmended (.*)\\n```\\n")
	var out []finding
	for _, section := range strings.Split(string(text), "\n### ")[1:] {
		name, _, _ := strings.Cut(section, "\n")
		m := form.FindStringSubmatch(section)
		if m == nil || m[1] != name {
			t.Fatalf("the section of %s is not of the form", name)
		}
		out = append(out, finding{name, m[2], m[3], m[4], m[5]})
	}
	return out
}

// TestFound runs doc/found.md: there is a section for every rule that is wrong, what it shows is so and has nothing
// smaller beside it, and the mended rule is right. That both are decided so is TestRules' of equiv/rules.
func TestFound(t *testing.T) {
	catalogue := map[string]*rule.Rule{}
	open := map[string]bool{}
	for _, file := range []string{"paper.rules", "glenside.rules"} {
		for _, r := range readRules(t, file) {
			catalogue[file+":"+r.Name] = r
			if r.Want == "refuted" {
				open[file+":"+r.Name] = true
			}
		}
	}
	for _, f := range readFindings(t) {
		key := f.file + ":" + f.name
		r, mended := catalogue[key], catalogue[f.file+":"+f.mended]
		if r == nil || mended == nil || !open[key] {
			t.Errorf("%s: no such rule, not known to be wrong, or there twice", f.name)
			continue
		}
		delete(open, key)
		v, err := parseValues(r, f.values)
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		if got := tells(t, r, v); got != f.shows {
			t.Errorf("%s: %q, want %q", f.name, got, f.shows)
		}
		for _, w := range smaller(v) {
			if got := tells(t, r, w); got != "" {
				t.Errorf("%s: %v is smaller: %s", f.name, w, got)
			}
		}
		if mended.Want == "refuted" {
			t.Errorf("%s is wrong too", mended.Name)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(open)) {
		t.Errorf("doc/found.md does not tell of %s", key)
	}
}
