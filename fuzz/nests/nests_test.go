package nests_test

import (
	"testing"

	"tv/fuzz/nests"
	"tv/internal/source"
	"tv/semantics/cnest"
	"tv/semantics/mlir"
)

// TestDraw: programs are read in both languages, and what is smaller is smaller in the end.
func TestDraw(t *testing.T) {
	features := map[string]int{}
	const count = 300
	for seed := range uint64(count) {
		p := nests.Draw(seed)
		if text := p.MLIR("f"); text != p.Clone().MLIR("f") || text != nests.Draw(seed).MLIR("f") {
			t.Fatal("a copy is another program")
		} else if _, err := mlir.Parse(source.NewFile("a.mlir", text), ""); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		text := nests.CHeader + p.C("f")
		if _, err := cnest.Parse(source.NewFile("a.c", text), ""); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		for _, f := range p.Features() {
			features[f]++
		}
	}
	for _, f := range []string{"size", "local", "if", "in place", "step", "carried value", "max or min bound", "bound by a counter",
		"negative trip count", "empty", "nest", "floordiv or mod", "stride", "sequence"} {
		if features[f]*50 < count {
			t.Errorf("%s is in %d of %d programs", f, features[f], count)
		}
	}
}

// TestSmaller: whichever smaller program is taken, there is an end, and it is a program until then.
func TestSmaller(t *testing.T) {
	for seed := range uint64(40) {
		p := nests.Draw(seed)
		for steps := uint64(0); ; steps++ {
			list := p.Smaller()
			if len(list) == 0 {
				break
			}
			if p = list[int((seed+3*steps)%uint64(len(list)))]; steps > 400 {
				t.Fatalf("seed %d: no end\n%s", seed, p.MLIR("f"))
			}
			if _, err := mlir.Parse(source.NewFile("a.mlir", p.MLIR("f")), ""); err != nil && len(p.Arrays) > 0 {
				t.Fatalf("seed %d: %v\n%s", seed, err, p.MLIR("f"))
			}
		}
	}
}
