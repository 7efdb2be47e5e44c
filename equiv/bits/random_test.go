package bits

import (
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"tv/internal/source"
	"tv/semantics/bits/bv"
	"tv/semantics/bits/bv/eval"
	"tv/semantics/bits/bv/lower"
	"tv/semantics/bits/word"
)

// term draws a term of so many bits over a and b, both of width bits.
func term(t *rapid.T, width, depth int) string {
	pick := func(list ...string) string { return rapid.SampledFrom(list).Draw(t, "op") }
	if depth == 0 {
		return pick("a", "b", fmt.Sprintf("(_ bv%d %d)", rapid.IntRange(0, 1<<width-1).Draw(t, "constant"), width))
	}
	sub := func() string { return term(t, width, depth-1) }
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		return fmt.Sprintf("(%s %s)", pick("bvnot", "bvneg"), sub())
	case 1:
		return fmt.Sprintf("(ite (%s %s %s) %s %s)", pick("=", "distinct", "bvult", "bvule", "bvsgt", "bvsge", "bvslt"), sub(), sub(), sub(), sub())
	case 2:
		low := rapid.IntRange(0, width-1).Draw(t, "low")
		if low == 0 {
			return sub()
		}
		return fmt.Sprintf("(concat ((_ extract %d 0) %s) ((_ extract %d %d) %s))", low-1, sub(), width-1, low, sub())
	case 3:
		return fmt.Sprintf("((_ %s %d) %s)", pick("rotate_left", "rotate_right"), rapid.IntRange(0, 2*width).Draw(t, "by"), sub())
	}
	return fmt.Sprintf("(%s %s %s)", pick("bvand", "bvor", "bvxor", "bvnand", "bvxnor", "bvadd", "bvsub", "bvmul", "bvudiv", "bvurem", "bvsdiv",
		"bvsrem", "bvsmod", "bvshl", "bvlshr", "bvashr"), sub(), sub())
}

// The verdict is that of the reference evaluator, run on all inputs: of texts that are drawn, by both engines.
func TestVerdictIsTheEvaluators(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 4).Draw(t, "width")
		left := term(t, width, rapid.IntRange(0, 3).Draw(t, "depth"))
		right := term(t, width, rapid.IntRange(0, 3).Draw(t, "depth"))
		if rapid.Bool().Draw(t, "near") { // the same but for some inputs
			right = fmt.Sprintf("(bvxor %s (ite (= a %s) %s (_ bv0 %d)))", left, term(t, width, 1), term(t, width, 1), width)
		}
		assume := fmt.Sprintf("(bvule %s %s)", term(t, width, 1), term(t, width, 1))
		spec := func(name, body string) *bv.Spec {
			text := fmt.Sprintf("(spec (in a %d) (in b %d) (assume %s) (out y %d %s))", width, width, assume, width, body)
			s, err := bv.Parse(source.NewFile(name, text))
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		before, after := spec("before.bv", left), spec("after.bv", right)
		x, y := eval.New(before, nil), eval.New(after, nil)
		differ, some := false, false
		for n := range 1 << (2 * width) {
			in := map[string]*big.Int{"a": big.NewInt(int64(n >> width)), "b": big.NewInt(int64(n & (1<<width - 1)))}
			p, assumed := x.Step(in)
			q, _ := y.Step(in)
			if assumed {
				some = true
				differ = differ || p["y"].Cmp(q["y"]) != 0
			}
		}
		b := word.NewBuilder()
		q := Question{Before: lower.Design(before, b), After: lower.Design(after, b)}
		for _, few := range []int{16, -1} {
			r, err := check(t.Context(), q, Options{}, few)
			switch {
			case !some:
				if err == nil || r.Verdict != Unknown {
					t.Fatalf("%v where nothing is asked about", r.Verdict)
				}
			case err != nil:
				t.Fatal(err)
			case r.Verdict == Unknown || (r.Verdict == Refuted) != differ:
				t.Fatalf("%v, and they differ: %v", r.Verdict, differ)
			}
		}
	})
}

// A normal form has the value of the word, for all inputs.
func TestNormalFormIsEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 4).Draw(t, "width")
		body := term(t, width, rapid.IntRange(1, 4).Draw(t, "depth"))
		if high := rapid.IntRange(0, width-1).Draw(t, "high"); high < width-1 {
			body = fmt.Sprintf("((_ zero_extend %d) ((_ extract %d 0) %s))", width-1-high, high, body)
		}
		text := fmt.Sprintf("(spec (in a %d) (in b %d) (out y %d %s))", width, width, width, body)
		s, err := bv.Parse(source.NewFile("a.bv", text))
		if err != nil {
			t.Fatal(err)
		}
		b := word.NewBuilder()
		w := lower.Design(s, b).Outputs[0].Word
		form := newNormalizer(b).normal(w)
		reference := eval.New(s, nil)
		for n := range 1 << (2 * width) {
			in := map[string]*big.Int{"a": big.NewInt(int64(n >> width)), "b": big.NewInt(int64(n & (1<<width - 1)))}
			got := word.Eval(func(w *word.Word) *big.Int { return in[w.Name] }, form)[form]
			if want, _ := reference.Step(in); got.Cmp(want["y"]) != 0 {
				t.Fatalf("%s at a = %s, b = %s: %s, and its normal form is %s", text, in["a"], in["b"], want["y"], got)
			}
		}
	})
}
