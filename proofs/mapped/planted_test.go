//go:build planted

package mapped_test

import (
	"os"
	"strings"
	"testing"

	"tv/internal/planted"
)

// onlyFaulty has for each fault of the checker an explanation that is refused without it: by its title in faults.txt, or a file.
var onlyFaulty = map[string]string{
	"checker-map-case-uncovered":       "ranks-beyond",
	"checker-map-of-another-type":      "# the type of an instance is not the certificate's",
	"checker-map-backwards-unproved":   "# a one-way rule in a lemma that is reversed",
	"checker-map-lemma-of-others":      "# a lemma the wrong way round",
	"checker-map-step-skipped":         "# a skipped step",
	"checker-map-chain-elsewhere":      "# the result is a term, and not that of the chain",
	"checker-map-sides-unread":         "# another permutation",
	"checker-map-types-unread":         "# the binding of a size is another",
	"checker-map-lemma-both-ways":      "# the same, without the certificate of the converse",
	"checker-map-arrow-unread":         "# swapped direction",
	"checker-map-contract-beyond":      "contract-memories",
	"checker-map-contract-of-anything": "contract-shift",
}

// TestPlantedChecker has for each fault of the checker an explanation that is refused; with the fault it is accepted, so that a test
// that holds it against the checker finds the fault.
func TestPlantedChecker(t *testing.T) {
	faults, err := planted.Read("../../" + planted.MapChecker)
	if err != nil {
		t.Fatal(err)
	}
	if len(faults.Names) != len(onlyFaulty) {
		t.Errorf("%d explanations for %d faults", len(onlyFaulty), len(faults.Names))
	}
	for _, fault := range faults.Names {
		data := faultyExplanation(t, onlyFaulty[fault])
		if _, err := check(data); err == nil {
			t.Errorf("%s: accepted without the fault", fault)
		} else {
			t.Logf("%s: %v", fault, err)
		}
		remove := planted.Plant(fault)
		if _, err := check(data); err != nil {
			t.Errorf("%s: refused with the fault: %v", fault, err)
		}
		remove()
	}
}

// faultyExplanation is that of a title in faults.txt, or a file.
func faultyExplanation(t *testing.T, title string) []byte {
	t.Helper()
	if !strings.HasPrefix(title, "#") {
		return read(t, title).bytes()
	}
	text, err := os.ReadFile(maps + "faults.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(text), title+"\n")
	if !found {
		t.Fatalf("no fault has the title %s", title)
	}
	block, _, _ = strings.Cut(block, "\n\n")
	lines := strings.Split(strings.TrimSpace(block), "\n")
	name, _, _ := strings.Cut(lines[0], " ")
	p := read(t, name)
	return edited(t, p, p.bytes(), lines[1:])
}
