package rules

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"tv/internal/sexpr"
	"tv/internal/source"
	"tv/internal/tier"
	proof "tv/proofs/bits/rules"
	"tv/semantics/bits/bv"
	"tv/semantics/bits/bv/eval"
	"tv/semantics/bits/rule"
)

func parsed(t *testing.T, text string) *rule.Rule {
	t.Helper()
	forms, bad := sexpr.Read(source.NewFile("rule", text))
	if bad != nil {
		t.Fatal(bad)
	}
	r, err := rule.Parse(forms[0])
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return r
}

// drawn draws terms over words a, b and c of w bits and a Bool p.
type drawn struct{ *rand.Rand }

func (d drawn) word(depth int) string {
	leaves := []string{"a", "b", "a", "b", "c", "(_ bv0 w)", "(_ bv1 w)", "(bvnot (_ bv0 w))"}
	if depth == 0 || d.IntN(6) == 0 {
		return leaves[d.IntN(len(leaves))]
	}
	op := []string{"bvnot", "bvneg", "bvand", "bvor", "bvxor", "bvnand", "bvnor", "bvxnor", "bvadd", "bvsub", "bvmul", "bvshl1", "bvshlk", "ite",
		"low", "bvlshr", "bvudiv", "row", "high", "turned", "row"}[d.IntN(21)]
	x := func() string { return d.word(depth - 1) }
	switch op {
	case "bvnot", "bvneg":
		return fmt.Sprintf("(%s %s)", op, x())
	case "bvshl1":
		return fmt.Sprintf("(bvshl %s (_ bv1 w))", x())
	case "bvshlk":
		return fmt.Sprintf("(bvshl %s (_ bvk w))", x())
	case "ite":
		return fmt.Sprintf("(ite %s %s %s)", d.truth(depth-1), x(), x())
	case "low":
		return fmt.Sprintf("((_ extract (- w 1) 0) ((_ %s n) %s))", []string{"zero_extend", "sign_extend"}[d.IntN(2)], x())
	}
	switch op {
	case "row":
		return fmt.Sprintf("(concat ((_ extract (- w 1) k) %s) ((_ extract (- k 1) 0) %s))", x(), x())
	case "high":
		return fmt.Sprintf("((_ extract (- (+ w k) 1) k) ((_ %s k) %s))", []string{"zero_extend", "sign_extend"}[d.IntN(2)], x())
	case "turned":
		return fmt.Sprintf("((_ %s k) %s)", []string{"rotate_left", "rotate_right"}[d.IntN(2)], x())
	}
	return fmt.Sprintf("(%s %s %s)", op, x(), x())
}

func (d drawn) truth(depth int) string {
	if depth <= 0 || d.IntN(4) == 0 {
		return "p"
	}
	op := []string{"not", "and", "or", "=", "bvult", "bvule", "bvsgt", "distinct"}[d.IntN(8)]
	switch op {
	case "not":
		return fmt.Sprintf("(not %s)", d.truth(depth-1))
	case "and", "or":
		return fmt.Sprintf("(%s %s %s)", op, d.truth(depth-1), d.truth(depth-1))
	}
	return fmt.Sprintf("(%s %s %s)", op, d.word(depth-1), d.word(depth-1))
}

// changed is a term that a law, or what is nearly one, makes of another.
func (d drawn) changed(x string) string {
	y := d.word(1)
	return strings.NewReplacer("X", x, "Y", y).Replace([]string{
		"(bvnot (bvnot X))", "(bvneg (bvneg X))", "(bvadd (bvnot (bvneg X)) (_ bv1 w))", "(bvsub (bvadd X Y) Y)", "(bvxor (bvxor X Y) Y)",
		"(bvor X (bvand X Y))", "(bvand X (bvor X Y))", "(bvadd (bvand X Y) (bvand X (bvnot Y)))", "(bvsub (bvor X Y) (bvand Y (bvnot X)))",
		"(bvnot (bvadd (bvnot X) (_ bv0 w)))", "(ite p X X)", "(ite (not p) X (bvor X X))", "(bvadd X (bvmul X (_ bv0 w)))",
		"(bvsub (bvshl X (_ bv1 w)) X)", "(bvneg (bvadd (bvnot X) (_ bv1 w)))", "(bvnand (bvnot X) (bvnot X))",
		"((_ extract (- w 1) 0) ((_ sign_extend n) X))", "(bvadd (bvor X Y) (bvand X Y) (bvneg Y))",
		"(concat ((_ extract (- w 1) k) X) ((_ extract (- k 1) 0) X))", "(concat ((_ extract (- w 1) k) X) ((_ extract (- k 1) 0) (bvor X (bvand X Y))))",
		"((_ extract (- (+ w k) 1) k) (concat X ((_ extract (- k 1) 0) Y)))", "((_ rotate_left k) ((_ rotate_right k) X))",
		"((_ extract (- w 1) 0) (concat ((_ extract (- k 1) 0) Y) X))", "((_ extract (- w 1) 0) ((_ sign_extend k) (bvxor X (bvxor Y Y))))",
		// and what is wrong
		"(concat ((_ extract (- w 1) k) X) ((_ extract (- k 1) 0) Y))", "((_ rotate_left k) ((_ rotate_left k) X))",
		"((_ extract (- (+ w k) 1) k) ((_ sign_extend k) X))", "((_ extract (- (+ w k) 1) k) (concat ((_ extract (- k 1) 0) Y) X))",
		"(bvnot X)", "(bvadd X (bvand X Y))", "(bvsub (bvor X Y) Y)", "(bvadd (bvxor X Y) Y)", "(ite p X Y)", "(bvshl X (_ bv1 w))", "(bvneg (bvnot X))",
	}[d.IntN(35)])
}

// differ tells whether the sides of a rule differ at some width from 1 to 6, for some values.
func differ(t *testing.T, d drawn, r *rule.Rule) (string, bool) {
	for w := 1; w <= 6; w++ {
		for _, k := range []int{1, 2, 3} {
			in := r.At(map[string]int{"w": w, "k": k, "n": k - 1})
			if !in.Admitted {
				continue
			}
			if in.Ill != "" {
				return in.Ill, true
			}
			var sides [2]*eval.Machine
			for i := range sides {
				spec, err := bv.Parse(source.NewFile("side", in.Texts[i]))
				if err != nil {
					t.Fatal(err)
				}
				sides[i] = eval.New(spec, nil)
			}
			for range 24 {
				values := map[string]*big.Int{"p": big.NewInt(d.Int64N(2))}
				for _, v := range []string{"a", "b", "c"} {
					values[v] = big.NewInt(d.Int64N(1 << w))
				}
				x, _ := sides[0].Step(values)
				y, _ := sides[1].Step(values)
				if x[rule.Result].Cmp(y[rule.Result]) != 0 {
					return fmt.Sprint(in.Values, values), true
				}
			}
		}
	}
	return "", false
}

// TestLaws: of random terms, and of what laws and near laws make of them, neither the forms nor the checker call two equal that the evaluator
// tells apart at a width from 1 to 6. What is equal by a law is seen to be, most times: else nothing would have been tested.
func TestLaws(t *testing.T) {
	d := drawn{rand.New(rand.NewPCG(7, 7))}
	equal, accepted, both, wrong := 0, 0, 0, 0
	for range tier.Draw(250, 700, 2000) {
		left := d.word(2)
		right := d.changed(left)
		if d.IntN(8) == 0 {
			right = d.word(2)
		}
		r := parsed(t, fmt.Sprintf("(rule drawn (lang bv) (vars (a w) (b w) (c w) (p Bool)) (nats k n) (where (< 0 k) (< k w))\n  (lhs %s)\n  (rhs %s))", left, right))
		same := sameForms(r)
		_, err := proof.Check(certificate(r, allWidths, nil))
		if same {
			equal++
		}
		if err == nil {
			accepted++
		}
		if same && err == nil {
			both++
		}
		if !same && err != nil {
			continue
		}
		if how, apart := differ(t, d, r); apart {
			t.Errorf("forms %v, checker %v, and they differ at %s:\n%s", same, err, how, r.Span.Text())
			if wrong++; wrong > 5 {
				return
			}
		}
	}
	if equal < 80 || both*10 < equal*9 {
		t.Errorf("%d equal by forms, %d by the checker, %d by both: too few", equal, accepted, both)
	}
	t.Logf("%d equal by forms, %d by the checker, %d by both", equal, accepted, both)
}
