package ci

import (
	"bytes"
	"math/big"
	"strings"
	"testing"

	"tv/equiv"
	circuits "tv/equiv/bits"
	"tv/semantics/bits"
)

// Words have all of their digits, differing bits are named in runs, and inputs of several cycles are lists.
func TestCircuit(t *testing.T) {
	port := func(name string, width int) bits.Port { return bits.Port{Name: name, Width: width} }
	late := &circuits.Counterexample{Cycle: 1, Smallest: false,
		Inputs:  []circuits.Stream{{Port: port("a", 9), Values: []*big.Int{big.NewInt(0x1f), big.NewInt(0)}}},
		Outputs: []circuits.Difference{{Port: port("y", 9), Before: big.NewInt(0b101100111), After: new(big.Int)}}}
	now := &circuits.Counterexample{Smallest: true,
		Inputs:  []circuits.Stream{{Port: port("a", 1), Values: []*big.Int{big.NewInt(1)}}},
		Outputs: []circuits.Difference{{Port: port("y", 4), Before: big.NewInt(8), After: new(big.Int)}}}
	run := &Run{Exit: 1}
	for _, c := range []*circuits.Counterexample{late, now} {
		run.Items = append(run.Items, Item{Circuit: c, Want: equiv.Proved,
			Result: equiv.Result{Before: "a.bv", After: "b.bv", SHA256: strings.Repeat("0", 64), Verdict: equiv.Refuted, Reason: "values",
				Engine: "sweep", Arith: equiv.Exact, Equal: equiv.Bits, Domain: []string{"all inputs"}}})
	}
	var text, doc bytes.Buffer
	if err := textReport(&text, run, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	const want = `refuted: a.bv => b.bv (exact, bits, all inputs, sweep)
  at cycle 1
  a = 0x01f, 0x000, from cycle 0
  y: 0x167 before, 0x000 after; bits 8, 6:5, 2:0 differ
  smaller inputs may do: the search for them was given up
refuted: a.bv => b.bv (exact, bits, all inputs, sweep)
  a = 0x1
  y: 0x8 before, 0x0 after; bit 3 differs
0 proved, 2 refuted, 0 unknown
`
	if text.String() != want {
		t.Errorf("got %s", text.String())
	}
	if err := jsonReport(&doc, run); err != nil {
		t.Fatal(err)
	}
	validate(t, doc.Bytes())
	for _, part := range []string{`"inputs":{"a":["0x01f","0x000"]}`, `"inputs":{"a":"0x1"}`, `"y":{"spec":"0x8","netlist":"0x0"}`} {
		if !strings.Contains(doc.String(), part) {
			t.Errorf("no %s in %s", part, doc.String())
		}
	}
}
