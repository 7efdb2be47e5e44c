package rules

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tv/equiv/bits"
	"tv/internal/sexpr"
	"tv/internal/source"
	proof "tv/proofs/bits/rules"
	"tv/semantics/bits/rule"
)

func read(t *testing.T, name string) (out []*rule.Rule) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	forms, bad := sexpr.Read(source.NewFile(name, string(data)))
	if bad != nil {
		t.Fatal(bad)
	}
	for _, x := range forms {
		r, err := rule.Parse(x)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// TestCatalogue: each rule of the catalogue has the verdict that it wants.
func TestCatalogue(t *testing.T) {
	files, _ := filepath.Glob("../../../semantics/bits/rules/*.rules")
	count := map[string]int{}
	for _, name := range append(files, "testdata/near.rules") {
		for _, r := range read(t, name) {
			out, err := Check(context.Background(), r, Options{})
			if err != nil {
				t.Errorf("%s: %v", r.Name, err)
				continue
			}
			want := bits.Proved
			if r.Want == "refuted" {
				want = bits.Refuted
			}
			if out.Verdict != want {
				t.Errorf("%s: %s %s %s %v", r.Name, out.Verdict, out.Reason, out.Detail, out.Refuting)
			}
			if out.Verdict == bits.Proved {
				if _, err := proof.Check(out.Certified); err != nil {
					t.Errorf("%s: its certificate is refused: %v", r.Name, err)
				}
			} else if _, err := proof.Check(certificate(r, allWidths, nil)); err == nil || sameForms(r) {
				t.Errorf("%s: it is wrong, and its sides have one form, or a certificate is accepted", r.Name)
			}
			count[out.Verdict.String()+" "+out.Engine]++
		}
	}
	if count["proved forms"] < 50 || count["refuted instances"] < 60 || count["proved instances"] < 3 {
		t.Errorf("too few of a kind: %v", count)
	}
}

// TestForged: a certificate of instances has each of them once, in order, and is of no other bound; nothing but the certificate of another
// text is one of that.
func TestForged(t *testing.T) {
	r := parsed(t, "(rule drawn (lang bv) (vars (a w)) (lhs (bvslt a (_ bv0 w))) (rhs (= ((_ extract (- w 1) (- w 1)) a) #b1)))")
	out, err := Check(t.Context(), r, Options{})
	if err != nil || out.Engine != Instances || out.Bound != 12 {
		t.Fatalf("%+v %v", out, err)
	}
	text := string(out.Certified)
	if c, err := proof.Check(out.Certified); err != nil || c.All || c.Bound != 12 || c.Name != "drawn" {
		t.Fatalf("%+v %v", c, err)
	}
	const first = "tv bits certificate 1\n"
	parts := strings.SplitAfter(strings.ReplaceAll(text, first, "\x00"+first), "\x00")
	for i := range parts {
		parts[i] = strings.TrimSuffix(parts[i], "\x00")
	}
	n := len(parts)
	if n != 13 {
		t.Fatalf("%d parts", n)
	}
	last := strings.TrimSuffix(parts[n-1], "end\n")
	join := func(list ...string) string { return strings.Join(list, "") }
	all := join(parts...)
	for name, forged := range map[string]string{
		"the last is missing":   join(parts[:n-1]...) + "end\n",
		"the first is missing":  join(parts[0], join(parts[2:]...)),
		"one is there twice":    join(parts[0], parts[1], join(parts[1:]...)),
		"two are exchanged":     join(parts[0], parts[2], parts[1], join(parts[3:]...)),
		"one more at the end":   join(parts[:n-1]...) + last + last + "end\n",
		"a smaller bound":       strings.Replace(all, "widths 12\n", "widths 11\n", 1),
		"a larger bound":        strings.Replace(all, "widths 12\n", "widths 13\n", 1),
		"all widths":            strings.Replace(all, "widths 12\n", "widths all\n", 1),
		"all widths, no body":   strings.Replace(parts[0], "widths 12\n", "widths all\nend\n", 1),
		"no widths":             strings.Replace(all, "widths 12\n", "widths 0\n", 1),
		"an end that is none":   strings.TrimSuffix(all, "end\n"),
		"something at the end":  all + "\n",
		"another text":          strings.Replace(all, "(bvslt a", "(bvsle a", 1),
		"another first line":    strings.Replace(all, "rule certificate 1", "rule certificate 2", 1),
		"another certificate's": strings.Replace(all, "(out result 1 (bool->bitvector (bvslt a (_ bv0 3))))", "(out result 1 (bool->bitvector (bvslt a (_ bv0 4))))", 1),
	} {
		if forged == text {
			t.Errorf("%s: nothing is forged", name)
		}
		if _, err := proof.Check([]byte(forged)); err == nil {
			t.Errorf("%s: it is accepted", name)
		}
	}
}
