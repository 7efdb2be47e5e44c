//go:build planted

package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/equiv"
	"tv/internal/planted"
	"tv/internal/source"
	"tv/semantics/bits/languages"
)

// plantedCircuits asks about the pair of a fault in the prover of circuits.
func plantedCircuits(t *testing.T, fault string) (*circuitAnswer, error) {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("../../../..", filepath.Dir(planted.Circuits), fault+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Files) != 2 || !strings.Contains(string(a.Comment), "want: refuted") {
		t.Fatalf("%s: want two texts, and the pair refuted", fault)
	}
	var texts []*circuitText
	for i, f := range a.Files {
		o := circuitOptions{}
		if i > 0 {
			o.Clock = texts[0].parsed.Clock()
		}
		x, err := parseCircuit(source.NewFile(f.Name, string(f.Data)), languages.Named(languages.Of(filepath.Ext(f.Name)).Name))
		if err == nil {
			err = x.elaborate(o)
		}
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, x)
	}
	return askCircuit(t.Context(), texts[0], texts[1], texts[0].program.Latency(), 0)
}

// TestPlantedCircuits plants each fault in the prover of circuits. With it the prover proves the fault's pair, and the checker refuses what
// it says; without it the pair is refuted.
func TestPlantedCircuits(t *testing.T) {
	faults, err := planted.Read(filepath.Join("../../../..", planted.Circuits))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults.Names {
		t.Run(f, func(t *testing.T) {
			if ans, err := plantedCircuits(t, f); err != nil || ans.result.Verdict != equiv.Refuted {
				t.Errorf("without the fault: %v, %v", ans, err)
			}
			defer planted.Plant(f)()
			ans, err := plantedCircuits(t, f)
			if err != nil || ans.result.Verdict != equiv.Unknown || ans.result.Reason != "certificate" {
				t.Fatalf("with the fault: %+v, %v", ans, err)
			}
			t.Log(ans.result.Detail)
		})
	}
}
