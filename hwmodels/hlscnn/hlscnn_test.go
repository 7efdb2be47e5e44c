package hlscnn

import (
	"context"
	"testing"

	"tv/ila"
	"tv/ila/prove"
	"tv/ila/refine"
)

func verify(t *testing.T, task *ila.Task, err error) *prove.Result {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	r, err := prove.Verify(context.Background(), task)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// configs are the choices that tests go through: each rounding and each overflow, both versions.
func configs() map[string]Config {
	return map[string]Config{"default": {}, "truncate": {Rounding: Truncate}, "half-even": {Rounding: HalfEven}, "wrap": {Wrap: true},
		"narrow by default": {Weights: 8}, "original": {Original: true}, "original, wrap, half-even": {Original: true, Wrap: true, Rounding: HalfEven},
		"original, wide by default": {Original: true, Weights: 16}}
}

// The program of the driver computes its contract, with every choice, in other orders and other tiles.
func TestConv2D(t *testing.T) {
	prove1 := func(name string, c Config, s Sizes, o Options) {
		task, err := Conv2D(c, s, o)
		if r := verify(t, task, err); r.Verdict != prove.Proved {
			t.Errorf("%s, %v, %+v: %s: %s %v want %d, got %d", name, s, o, r.Verdict, r.Detail, r.Element, r.Want, r.Got)
		}
	}
	for name, c := range configs() {
		for _, s := range []Sizes{{1, 1, 1, 1, 1, 1, 1}, {9, 4, 3, 2, 2, 3, 1}, {8, 5, 4, 1, 3, 3, 2}, {3, 5, 5, 2, 2, 1, 3}} {
			if c.Original && s.Stride > 1 {
				continue
			}
			for _, o := range []Options{{}, {Narrow: true}, {Bias: true, Relu: true}, {Relu: true, BlockTile: 1}} {
				prove1(name, c, s, o)
			}
		}
	}
	wide := Sizes{17, 3, 10, 9, 2, 2, 1} // more than a burst, a vector of outputs, and two blocks
	for _, o := range []Options{{}, {FilterTile: 2}, {FilterTile: 8, BlockTile: 2}, {FilterTile: 8, BlockTile: 1, BlocksOutside: true}} {
		prove1("tiles", Config{}, wide, o)
		prove1("tiles of the original", Config{Original: true}, wide, o)
	}
}

// Each choice is sound by itself.
func TestCheck(t *testing.T) {
	for name, c := range configs() {
		list, err := refine.Check(NewModel(c).Model)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			if f.Verdict != prove.Proved {
				t.Errorf("%s: %s: %s: %s: %s", name, f.Model, f.Question, f.Verdict, f.Detail)
			}
		}
	}
}
