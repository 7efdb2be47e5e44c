package value

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// addends returns values of all forms that reals have, failures included.
func addends() []Value {
	r := realArithmetic{}
	out := []Value{{}, {n: 1}, {n: -1}, {n: 7}, {n: 3, d: 3}, {n: -1, d: 1}, {n: 1, d: 2}, {n: 1 << 62},
		r.Lowest(), Undecidedf("open"), ratio(new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(one, 80)))}
	for _, x := range []int64{2, 3, 5, 7} {
		root := r.Sqrt(Value{n: x})
		out = append(out, root, r.Neg(root), r.Sub(root, root), r.Exp(Value{n: -x}))
	}
	tiny := enclosure{new(big.Float).SetMantExp(encloseInt(1).lo, -exponentLimit), new(big.Float).SetMantExp(encloseInt(2).lo, -exponentLimit)}
	return append(out, tiny.value(), r.Exp(Value{n: 700_000}))
}

// same tells whether values print alike and have the same ends.
func same(x, y Value) bool {
	if x.tag != y.tag || x.String() != y.String() {
		return false
	}
	return x.tag != formEnclosure || x.x.lo.Cmp(y.x.lo) == 0 && x.x.hi.Cmp(y.x.hi) == 0
}

// A sum in place is, end by end, what adding and multiplying one by one gives, whatever comes after what; and a value that
// it gave stays as it is.
func TestSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	all := addends()
	draw := func() Value { return all[rng.IntN(len(all))] }
	var s Sum
	for range 3_000 {
		want := draw()
		s.Start(want)
		for range rng.IntN(6) {
			before, kept := s.Value(), s.Value().String()
			if x := draw(); rng.IntN(2) == 0 {
				want = AddReal(want, x)
				s.Add(x)
			} else {
				y := draw()
				want = AddReal(want, MulReal(x, y))
				s.AddProduct(x, y)
			}
			if got := s.Value(); !same(got, want) {
				t.Fatalf("the sum is %s; one by one it is %s", got, want)
			}
			if before.String() != kept {
				t.Fatalf("%s was %s", before, kept)
			}
		}
	}
}

// TestWholeRoots compares with the library, squares and their neighbours among them.
func TestWholeRoots(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 5_000 {
		m := new(big.Int)
		for range 1 + rng.IntN(8) {
			m.Lsh(m, 64).Add(m, new(big.Int).SetUint64(rng.Uint64()))
		}
		m.Rsh(m, uint(rng.IntN(m.BitLen()))).Add(m, one)
		square := new(big.Int).Mul(m, m)
		for _, x := range []*big.Int{m, square, new(big.Int).Add(square, one), new(big.Int).Sub(square, one)} {
			if x.Sign() <= 0 {
				continue
			}
			if got, want := wholeRoot(x), new(big.Int).Sqrt(x); got.Cmp(want) != 0 {
				t.Fatalf("the root of %s is %s, not %s", x, want, got)
			}
		}
	}
}
