package bits

import (
	"strings"
	"testing"
)

// TestCycles has each rule that a body of kind cycles may break, by a certificate that keeps all others.
func TestCycles(t *testing.T) {
	late := func(initial, next string) string {
		return "(spec (in e 1) (state s 1 " + initial + " " + next + ") (out y 1 s))"
	}
	tried := "depth 1\nchoices 0\ncycle 0 exhaustive\nlater exhaustive"
	chosen := func(lines ...string) string {
		return strings.Replace(tried, "choices 0", "choices "+string(rune('0'+len(lines)))+"\n"+strings.Join(lines, "\n"), 1)
	}
	twice := "(spec (in e 1) (state r 1 #b0 e) (state s 1 #b0 r) (out y 1 s))"
	for _, c := range []struct {
		name, before, after string
		latency             int
		body, why           string // why it is refused; empty: it is not
	}{
		{"both a cycle late", late("#b0", "e"), late("#b0", "e"), 0, tried, ""},
		{"with gates", late("#b0", "e"), late("#b0", "e"), 0, strings.ReplaceAll(tried, "exhaustive", "gates\ngates 0 0 0 0"), ""},
		{"a later cycle is tried", late("#b0", "e"), late("#b0", "e"), 0, "depth 2\nchoices 0\ncycle 0 exhaustive\ncycle 1 exhaustive\nlater exhaustive", ""},
		{"two cycles late", twice, twice, 0, "depth 2\nchoices 0\ncycle 0 exhaustive\ncycle 1 exhaustive\nlater exhaustive", ""},
		{"one is late by the latency", "(spec (in e 1) (out y 1 e))", late("#b0", "e"), 1, "depth 1\nchoices 0\nlater exhaustive", ""},
		{"other initial values", late("#b0", "e"), late("#b1", "e"), 0, tried, "bit 0 differs|not equal|differ"},
		{"another next value", late("#b0", "e"), late("#b0", "(bvnot e)"), 0, tried, "differ"},
		{"another next value, with gates", late("#b0", "e"), late("#b0", "(bvnot e)"), 0, strings.ReplaceAll(tried, "exhaustive", "gates\ngates 0 0 0 0"), "not shown to be equal"},
		{"a cycle less", late("#b0", "e"), late("#b0", "e"), 0, "depth 0\nchoices 0\nlater exhaustive", "reaches back"},
		{"one of two cycles", twice, twice, 0, tried, "reaches back"},
		{"a cycle that is not shown", late("#b0", "e"), late("#b0", "e"), 0, "depth 1\nchoices 0\nlater exhaustive", "no line cycle 0"},
		{"cycles in another order", twice, twice, 0, "depth 2\nchoices 0\ncycle 1 exhaustive\ncycle 0 exhaustive\nlater exhaustive", "no line cycle 0"},
		{"a depth below the latency", "(spec (in e 1) (out y 1 e))", late("#b0", "e"), 1, "depth 0\nchoices 0\nlater exhaustive", "a depth of 0"},
		{"a register that keeps what it has", late("#b0", "(bvand e s)"), late("#b0", "(bvand e s)"), 0, tried, "reaches back"},
		{"a latency of the second text", late("#b0", "e"), "(spec (in e 1) (latency 1) (out y 1 e))", 1, "depth 2\nchoices 0\ncycle 1 exhaustive\nlater exhaustive", "cycles late|differ"},
		{"any of the first is chosen to be 0", late("any", "e"), late("#b0", "e"), 0, tried, ""},
		{"and not to be 1", late("any", "e"), late("#b1", "e"), 0, tried, "differ"},
		{"chosen to be 1", late("any", "e"), late("#b1", "e"), 0, chosen("c s 0 1"), ""},
		{"chosen to be 1 where it is 0", late("any", "e"), late("#b0", "e"), 0, chosen("c s 0 1"), "differ"},
		{"what has a value is not chosen", late("#b0", "e"), late("#b1", "e"), 0, chosen("c s 0 1"), "differ"},
		{"any of the second is for all", late("#b0", "e"), late("any", "e"), 0, tried, "differ"},
		{"any against any, as it is", late("any", "e"), late("any", "e"), 0, chosen("c s 0 s 0"), ""},
		{"any against any, not chosen", late("any", "e"), late("any", "e"), 0, tried, "differ"},
		{"chosen twice", late("any", "e"), late("#b1", "e"), 0, chosen("c s 0 0", "c s 0 1"), "two choices"},
		{"a register that is not there", late("any", "e"), late("any", "e"), 0, chosen("c s 0 t 0"), "no bit 0 of a register t"},
		{"a bit that is not there", late("any", "e"), late("any", "e"), 0, chosen("c s 0 s 1"), "no bit 1 of a register s"},
		{"a choice that is none", late("any", "e"), late("any", "e"), 0, chosen("c s 0"), "no choice"},
		{"a kind about all cycles", late("#b0", "e"), late("#b0", "e"), 0, strings.Replace(tried, "later exhaustive", "later machine", 1), "the kind"},
	} {
		data := strings.Replace(string(induction(c.before, c.after, "-", c.latency, c.body)), "kind machine", "kind cycles", 1)
		claims, err := Check([]byte(data))
		switch {
		case c.why == "" && (err != nil || claims[0].Kind != "cycles"):
			t.Errorf("%s: refused: %v", c.name, err)
		case c.why != "" && err == nil:
			t.Errorf("%s: accepted", c.name)
		case c.why != "":
			found := false
			for _, why := range strings.Split(c.why, "|") {
				found = found || strings.Contains(err.Error(), why)
			}
			if !found {
				t.Errorf("%s: refused as %v, not as %q", c.name, err, c.why)
			}
		}
	}
}
