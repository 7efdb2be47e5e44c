package bits

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// induction is a certificate of kind machine, with a body as given; texts that begin with module are Verilog.
func induction(before, after, clock string, latency int, body string) []byte {
	var b strings.Builder
	fmt.Fprintln(&b, firstLine)
	tops := []string{"-", "-"}
	for i, text := range []string{before, after} {
		language := "bv"
		if strings.HasPrefix(text, "module") {
			language, tops[i] = "verilog", "m"
		}
		fmt.Fprintf(&b, "%s %s %s %d x\n%s\n", []string{"before", "after"}[i], language, digest(text), len(text), text)
	}
	fmt.Fprintf(&b, "top-before %s\ntop-after %s\narch-before -\narch-after -\nclock %s\nlatency %d\nkind machine\n%s\nend\n",
		tops[0], tops[1], clock, latency, strings.TrimSpace(body))
	return []byte(b.String())
}

// TestInduction has each rule that a body of kind machine may break, by a certificate that keeps all others.
func TestInduction(t *testing.T) {
	hold := func(initial string) string {
		return "(spec (in e 1) (state s 1 " + initial + " s) (out y 1 s))"
	}
	// Both hold what they began with: the invariant shows itself.
	kept := "history 0\nstep 2 0 0 0 2 0\nb s 0\na s 0\nv 3 4 0\nv 2 5 0\nshown 1 2\nbase 0 0 0 0 0\nshown 0 0"
	chosen := "history 0\nstep 2 0 0 0 2 0\nb s 0\na s 0\nv 3 4 0\nv 2 5 0\nshown 1 2\nbase 1 0 1 0 0\na s 0\nc s 0 2\nshown 0 0"
	late := func(next string) string { return "(spec (in e 1) (state s 1 #b0 " + next + ") (out y 1 s))" }
	division := "module m(input [1:0] a, b, output [1:0] y); assign y = a / b; endmodule"
	place := "1:56"
	refined := "history 0\nstep 2 0 2 0 0 0\no " + place + " 0 0\no " + place + " 1 0\nc " + place + " 0 2\nc " + place + " 1 4\nshown\nbase 0 0 0 0 0\nshown"
	for _, c := range []struct {
		name, before, after string
		latency             int
		body, why           string // why it is refused; empty: it is not
	}{
		{"both hold", hold("#b0"), hold("#b0"), 0, kept, ""},
		{"an invariant that does not hold at first", hold("#b0"), hold("#b1"), 0, kept, "of the invariant"},
		{"any against any, as it is", hold("any"), hold("any"), 0, chosen, ""},
		{"any against any, not chosen", hold("any"), hold("any"), 0, kept, "of the invariant"},
		{"any of the second is for all", hold("#b0"), hold("any"), 0, chosen, "of the invariant"},
		{"any of the first is chosen to be 0", hold("any"), hold("#b0"), 0, kept, ""},
		{"and not to be 1", hold("any"), hold("#b1"), 0, kept, "of the invariant"},
		{"chosen to be 1", hold("any"), hold("#b1"), 0, strings.Replace(kept, "base 0 0 0 0 0\n", "base 0 0 1 0 0\nc s 0 1\n", 1), ""},
		{"chosen twice", hold("any"), hold("#b1"), 0, strings.Replace(kept, "base 0 0 0 0 0\n", "base 0 0 2 0 0\nc s 0 0\nc s 0 1\n", 1), "two choices"},
		{"chosen by the input of a cycle that the start does not have", hold("any"), hold("#b0"), 0,
			strings.Replace(kept, "base 0 0 0 0 0\n", "base 1 0 1 0 0\ni e 0 0\nc s 0 2\n", 1), "is no input of this body"},
		{"chosen by itself", hold("any"), hold("#b0"), 0,
			strings.Replace(kept, "base 0 0 0 0 0\n", "base 1 0 1 0 0\nb s 0\nc s 0 2\n", 1), "is no input of this body"},
		{"chosen by what has a value", hold("any"), hold("#b0"), 0,
			strings.Replace(kept, "base 0 0 0 0 0\n", "base 1 0 1 0 0\na s 0\nc s 0 2\n", 1), "is no input of this body"},
		{"the next state for the invariant", late("e"), late("(bvnot e)"), 0, kept, "of the invariant"},
		{"no invariant", hold("#b0"), hold("#b0"), 0, "history 0\nstep 0 0 0 0 0 0\nshown\nbase 0 0 0 0 0\nshown", "not shown to be equal"},
		{"a register that is not there", hold("#b0"), hold("#b0"), 0, strings.Replace(kept, "b s 0", "b t 0", 1), "no bit 0 of a register t"},
		{"a bit that is not there", hold("#b0"), hold("#b0"), 0, strings.Replace(kept, "b s 0", "b s 1", 1), "no bit 1 of a register s"},
		{"an input of the cycle itself in the invariant", hold("#b0"), hold("#b0"), 0,
			"history 0\nstep 1 0 0 0 1 0\ni e 0 0\nv 2 0\nshown 1\nbase 0 0 0 0 0\nshown 0", "reads an input of the cycle"},
		{"what is open in the invariant", division, division, 0,
			strings.Replace(strings.Replace(strings.Replace(refined, "step 2 0 2 0 0 0", "step 2 0 2 0 1 0", 1), "shown\n", "v 2 0\nshown 1\n", 1), "0 0\nshown", "0 0\nshown 0", 1),
			"reads what is open"},
		{"an input from before the history", hold("#b0"), hold("#b0"), 0, strings.Replace(kept, "step 2 0 0 0 2 0\n", "step 3 0 0 0 2 0\ni e 0 1\n", 1), "is no input of this body"},
		{"a history shorter than the latency", hold("#b0"), hold("#b0"), 1, kept, "a latency of 1 in a history of 0"},
		{"an invariant that is dropped", hold("#b0"), hold("#b0"), 0, strings.Replace(strings.Replace(kept, "0 2 0\nb", "0 2 1\nb", 1), "shown 1", "d 1 0\n3 4 0 0\nshown 1", 1), "no lemma 1 to drop"},
		{"a number of a clause that is not there", hold("#b0"), hold("#b0"), 0, strings.Replace(kept, "shown 1 2", "shown 1 3", 1), "no lemma 3"},
		{"a number less", hold("#b0"), hold("#b0"), 0, strings.Replace(kept, "shown 1 2", "shown 1", 1), "1 numbers for 2 clauses"},
		{"a division, as the second has it", division, division, 0, refined, ""},
		{"a division, not chosen", division, division, 0, "history 0\nstep 0 0 0 0 0 0\nshown\nbase 0 0 0 0 0\nshown", "not shown to be equal"},
		{"a place in a history of more cycles", division, division, 0, strings.Replace(refined, "history 0", "history 1", 1), "choices in a history|asked for in the first cycles"},
		{"what is open a cycle ago", division, division, 0, strings.Replace(refined, " 1 0\nc", " 1 1\nc", 1), "is no input of this body"},
	} {
		claims, err := Check(induction(c.before, c.after, "-", c.latency, c.body))
		if c.why == "" {
			if err != nil || claims[0].Kind != "machine" {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		matches := false
		for _, why := range strings.Split(c.why, "|") {
			matches = matches || err != nil && strings.Contains(err.Error(), why)
		}
		if !matches {
			t.Errorf("%s: %v, not %s", c.name, err, c.why)
		}
	}
}

// An assumption on registers of which a value is chosen would be broken by the choice: then anything followed.
func TestChoiceAgainstAssumption(t *testing.T) {
	before := "(spec (in e 1) (assume (= s #b1)) (state s 1 %s s) (out y 1 s))"
	after := "(spec (in e 1) (out y 1 #b1))"
	body := "history 0\nstep 1 0 0 1 0 0\nb s 0\nu 2\nshown\nbase 0 0 0 0 0\nshown"
	if _, err := Check(induction(fmt.Sprintf(before, "#b1"), after, "-", 0, body)); err != nil {
		t.Error(err)
	}
	_, err := Check(induction(fmt.Sprintf(before, "any"), after, "-", 0, body))
	if err == nil || !strings.Contains(err.Error(), "a unit that nothing assumes") {
		t.Error(err)
	}
}

// Assumptions count in the cycles that there are, and for what they say there.
func TestAssumptionsOfCycles(t *testing.T) {
	before := "(spec (in e 1) (assume (= e #b1)) (state s 1 #b1 e) (out y 1 s))"
	after := "(spec (in e 1) (out y 1 #b1))"
	// s is the input of the cycle before, which was 1: the invariant is b.
	right := "history 0\nstep 2 0 0 1 1 0\nb s 0\ni e 0 0\nu 4\nv 2 0\nshown 1\nbase 0 0 0 0 0\nshown 0"
	if _, err := Check(induction(before, after, "-", 0, right)); err != nil {
		t.Error(err)
	}
	for name, wrong := range map[string]string{
		"at a cycle that is not there": strings.Replace(strings.Replace(right, "i e 0 0", "i e 0 1", 1), "history 0", "history 0", 1),
		"of a state":                   strings.Replace(right, "u 4", "u 2", 1),
		"for its complement":           strings.Replace(right, "u 4", "u 5", 1),
		"at the start":                 strings.Replace(right, "base 0 0 0 0 0", "base 1 0 0 1 0\ni e 0 0\nu 2", 1),
	} {
		if _, err := Check(induction(before, after, "-", 0, wrong)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// Certificates of others, with what they state changed: nothing else is accepted by their proof.
func TestStatements(t *testing.T) {
	data, err := os.ReadFile("testdata/machine-retimed-latency.cert")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	if _, err := Check(data); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{"latency 1\nkind", "latency 0\nkind"},
		{"latency 1\nkind", "latency 2\nkind"},
		{"history 1", "history 0"},
		{"\nb s 0\n", "\nb s 1\n"},
		{"\na t 0\n", "\na s 0\n"},
		{"\ni e 0 1\n", "\ni e 0 0\n"},
		{"\ni a 0 1\n", "\ni b 0 1\n"},
		{"clock -", "clock clk"},
		{"top-after -", "top-after m"},
		{"kind machine", "kind gates"},
		{"kind machine\n", "kind machine\nkind machine\n"},
	} {
		if !strings.Contains(text, c[0]) {
			t.Fatalf("no %q", c[0])
		}
		if _, err := Check([]byte(strings.Replace(text, c[0], c[1], 1))); err == nil {
			t.Errorf("%q for %q is accepted", c[1], c[0])
		}
	}
	// another text with its digest: one register holds another value first, or the step is another
	for _, c := range [][2]string{{"(state s 4 #x0 (ite (= e #b1) (bvadd a b) s)) (state", "(state s 4 #x1 (ite (= e #b1) (bvadd a b) s)) (state"}, {"(bvadd a b) s)) (state", "(bvsub a b) s)) (state"}, {"(out y 4 t)", "(out y 4 s)"}} {
		i := strings.LastIndex(text, c[0])
		if i < 0 {
			t.Fatalf("no %q", c[0])
		}
		after := text[strings.Index(text, "\nafter bv"):]
		body := after[strings.Index(after, "(spec"):strings.Index(after, "\n\ntop-before")] + "\n"
		changed := strings.Replace(body, c[0], c[1], 1)
		forged := strings.Replace(strings.Replace(text, body, changed, 1), digest(body), digest(changed), 1)
		_, err := Check([]byte(forged))
		if err == nil || strings.Contains(err.Error(), "digest") {
			t.Errorf("%s: %v", c[1], err)
		}
	}
}
