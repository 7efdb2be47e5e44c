package programs

import (
	"strings"
	"testing"

	"tv/glenside"
)

// Programs, twins and mutants are written with definitions now and then, all of which the language reads; what is defined is
// used, twice or not at all.
func TestDefinitions(t *testing.T) {
	count := map[string]int{}
	for seed := range uint64(600) {
		p := Random(Params{MaxOps: 4}, seed)
		programs := map[string]*Program{"program": p, "twin": Twin(p, seed).Program}
		if m := Mutate(p, seed); m != nil {
			programs["mutant"] = m.Program
		}
		for kind, p := range programs {
			if len(p.Parsed.Definitions) == 0 {
				continue
			}
			count[kind]++
			if strings.Contains(p.Text, "relay-add s s)") {
				count["shared"]++
			}
			if len(p.Parsed.Remarks()) > 0 {
				count["unreached"]++
			}
			if q, err := Typed("p", glenside.Format(p.Parsed)); err != nil || len(q.Parsed.Nodes) != len(p.Parsed.Nodes) {
				t.Errorf("seed %d: another program when printed: %v\n%s", seed, err, p.Text)
			}
		}
	}
	for _, kind := range []string{"program", "twin", "mutant", "shared", "unreached"} {
		if count[kind] < 10 {
			t.Errorf("%s: %d with definitions", kind, count[kind])
		}
	}
	t.Log(count)
}
