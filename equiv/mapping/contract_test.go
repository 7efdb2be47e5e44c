package mapping

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tv/equiv"
	"tv/glenside"
	"tv/hwmodels"
	"tv/ila"
	"tv/semantics/term"
)

func driverTask(t *testing.T, c *Contract, sizes ...int) *ila.Task {
	t.Helper()
	for _, d := range hwmodels.Drivers() {
		if d.Name == c.Call {
			task, err := d.New(sizes)
			if err != nil {
				t.Fatal(err)
			}
			return task
		}
	}
	t.Fatalf("no driver is named %s", c.Call)
	return nil
}

// The driver of each contract computes it, bit by bit; a contract that says something else is refuted, and
// programs of other layers do not pass for it.
func TestContracts(t *testing.T) {
	for _, c := range Contracts() {
		for _, sizes := range [][]int{{1, 16, 16}, {5, 32, 48}, {17, 16, 80}} {
			r, err := CheckContract(context.Background(), &c, driverTask(t, &c, sizes...), equiv.Options{})
			if err != nil || r.Verdict != equiv.Proved {
				t.Errorf("%s at %v: %s %s %v", c.Call, sizes, r.Verdict, r.Detail, err)
			}
		}
	}
	dense := contracts[0]
	for _, change := range [][2]string{
		{") 8)", ") 7)"}, {"-127", "-128"}, {" 127)", " 126)"}, {"$1 int32", "$1 int16"},
		{"relay-clip", "relay-clip (relay-operator-call relay-relu"},
		{"dot-product", "reduce-max"},
	} {
		c := dense
		c.Meaning = strings.Replace(dense.Meaning, change[0], change[1], 1)
		if strings.HasSuffix(change[1], "relu") {
			c.Meaning = strings.Replace(c.Meaning, " -127 127)", ") -127 127)", 1)
		}
		if c.Meaning == dense.Meaning {
			t.Fatalf("%v changes nothing", change)
		}
		r, err := CheckContract(context.Background(), &c, driverTask(t, &c, 2, 16, 32), equiv.Options{})
		if err == nil && r.Verdict == equiv.Proved {
			t.Errorf("with %s for %s the contract is proved", change[1], change[0])
		}
	}
	// the terms of the driver's own contract are changed where no sample looks: both are proved or none is
	task := driverTask(t, &dense, 1, 16, 16)
	task.Contract = func(int) *term.Term { return task.Model.B.Bits(8, 0) }
	if r, err := CheckContract(context.Background(), &dense, task, equiv.Options{}); err != nil || r.Verdict != equiv.Proved {
		t.Errorf("what a driver says of itself is looked at: %s %v", r.Verdict, err)
	}
}

func TestExpand(t *testing.T) {
	fit := map[string]*Contract{"f": {Call: "f", Operands: []string{"x", "y"}, Meaning: "(g $1 (h $2))"}}
	for _, test := range []struct{ text, want string }{
		{"(accelerator-call f a b)", "(g a (h b))"},
		{"(accelerator-call f (p a) b (shape 0))", "(g (p a) (h b))"},
		{"(accelerator-call f (accelerator-call f a b) c)", "(g (g a (h b)) (h c))"},
		{"(accelerator-call e (accelerator-call f a b))", "(accelerator-call e (g a (h b)))"},
		{"(accelerator-call f a)", "(accelerator-call f a)"},
		{"; (accelerator-call f a b)\n(accelerator-call f a b) ; f", "; (accelerator-call f a b)\n(g a (h b)) ; f"},
		{"(accelerator-call f ; one (\n a\n b\n)\nz", "(g \n\na (h \nb\n))\nz"},
		{"(accelerator-call f $2 $1)", "(g $2 (h $1))"},
		{"(a b", "(a b"},
		{"a) (b", "a) (b"},
		{"", ""},
	} {
		got := expand(test.text, fit, false)
		if strings.Count(got, "\n") != strings.Count(test.text, "\n") {
			t.Errorf("expand(%q) = %q has other lines", test.text, got)
		}
		if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(strings.ReplaceAll(test.want, "\n", " ")), " ") {
			t.Errorf("expand(%q) = %q, want %q", test.text, got, test.want)
		}
	}
	const rule = `(rule r (doc "a ( and accelerator-call f a b)") (rhs (accelerator-call f a b)))`
	if got := expand(rule, fit, true); got != `(rule r (doc "a ( and accelerator-call f a b)") (rhs (g a (h b))))` {
		t.Errorf("expand(%s) = %s", rule, got)
	}
}

// Contracts stand for calls whose operands have their types, and for no others.
func TestApplyContracts(t *testing.T) {
	const call = "(accelerator-call vta-dense %s %s)"
	typed := func(elem, body string) *glenside.Program {
		return parse(t, "(input x (shape 3 16) "+elem+")\n(input w (shape 16 16) "+elem+")\n"+body)
	}
	on := fmt.Sprintf(call, "x", "w")
	for _, test := range []struct {
		before, after *glenside.Program
		want          string
	}{
		{typed("int8", on), typed("int8", on), "vta-dense 3x16x16"},
		{typed("int8", on), typed("int8", fmt.Sprintf(call, "(access-slice x 0 0 2)", "w")),
			"vta-dense 3x16x16, vta-dense 2x16x16"},
		{typed("int16", on), typed("int16", on), ""},
		{typed("float32", on), typed("float32", on), ""},
		{typed("uint8", on), typed("uint8", on), ""},
		// one call of another type keeps all from their contract
		{typed("int8", on), typed("int8", fmt.Sprintf(call, "(relay-operator-call relay-cast x int16)", "w")), ""},
		{typed("int8", "(access x 1)"), typed("int8", "(access x 1)"), ""},
		{typed("int8", fmt.Sprintf(call, "x", "x")), typed("int8", "(access z 1)"), ""},
	} {
		b, a, uses := ApplyContracts(test.before, test.after, nil)
		var got []string
		for _, u := range uses {
			got = append(got, u.String())
		}
		if strings.Join(got, ", ") != test.want {
			t.Errorf("%s, %s: uses %q, want %q", test.before.File.Text, test.after.File.Text, got, test.want)
		}
		if expanded := !strings.Contains(b.File.Text+a.File.Text, "accelerator-call"); expanded != (len(uses) > 0) &&
			strings.Contains(test.before.File.Text, "vta-dense") {
			t.Errorf("%q: %s => %s", test.want, b.File.Text, a.File.Text)
		}
	}
}
