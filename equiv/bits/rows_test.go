package bits

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/semantics/bits/cells"
)

// TestRows: each cell of the tables has a netlist that is right and one that is wrong, each trap of its tables both, and the slides and
// publications whose netlists are wrong a refutation or an error.
func TestRows(t *testing.T) {
	verdicts := map[string]map[string]int{} // by cell
	all := map[string]string{}
	for _, name := range cases(t, "testdata/netlists/*.txtar") {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		verdict, _, _ := strings.Cut(string(a.Files[len(a.Files)-1].Data), " ")
		all[strings.TrimSuffix(filepath.Base(name), ".txtar")] = verdict
		used := map[string]bool{}
		for _, word := range regexp.MustCompile(`\w+`).FindAllString(string(a.Files[1].Data), -1) {
			used[word] = true
		}
		for word := range used {
			if verdicts[word] == nil {
				verdicts[word] = map[string]int{}
			}
			verdicts[word][verdict]++
		}
	}
	rows := 0
	for _, arch := range cells.Arches {
		for _, c := range cells.All(arch) {
			rows++
			if v := verdicts[c.Name]; v["proved"] == 0 || v["refuted"] == 0 {
				t.Errorf("%s of %s: %d netlists are proved and %d refuted", c.Name, arch, v["proved"], v["refuted"])
			}
		}
	}
	if rows < 50 {
		t.Errorf("the tables have %d cells", rows)
	}
	for name, want := range map[string]string{
		// where the word of a conjunction stands in a LUT6_2; what a CCU2C generates by; the adders of Yosys
		"lut6-2-trap-low": "proved", "lut6-2-trap": "refuted", "seed-list-ones": "proved", "seed-list-mixed-bad": "refuted",
		"lattice-ccu2c-nibble": "proved", "lattice-ccu2c-nibble-bad": "refuted", "lattice-ccu2c": "proved", "lattice-ccu2c-bad": "refuted",
		// the slides: words of 96 and 72 bits, a pair compared with a bit, inputs that nothing pads, a module of the name and
		"seed-memory-96": "after.v:2:18:", "seed-memory-72": "after.v:2:18:", "seed-memory-literal": "after.v:2:18:", "seed-memory-0-bad": "refuted",
		"seed-pair": "error", "seed-pair-extended-bad": "refuted", "seed-pair-both": "proved", "seed-list": "after.v:2:3:",
		"seed-module-and": "after.v:1:8:", "seed-module": "proved",
		// published: equality as the table of a conjunction; a slice of which there is no public model
		"reticle-eq-bad": "refuted", "reticle-eq": "proved", "lattice-alu54b": "after.v:2:3:",
	} {
		if all[name] != want {
			t.Errorf("%s is %q, not %s", name, all[name], want)
		}
	}
}
