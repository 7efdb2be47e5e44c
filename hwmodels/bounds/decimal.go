package bounds

import (
	"fmt"
	"math/big"
)

// digits is how many significant digits bounds are printed with.
const digits = 4

// Decimal prints a number that is not below 0, rounded up to a few significant digits.
func Decimal(v *big.Rat) string {
	if v.Sign() == 0 {
		return "0"
	}
	exponent := 0 // 10^exponent <= v < 10^(exponent+1)
	ten := big.NewRat(10, 1)
	for t := new(big.Rat).Set(v); t.Cmp(ten) >= 0; exponent++ {
		t.Quo(t, ten)
	}
	for t := new(big.Rat).Set(v); t.Cmp(big.NewRat(1, 1)) < 0; exponent-- {
		t.Mul(t, ten)
	}
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(digits-1-exponent, exponent-digits+1))), nil))
	if exponent > digits-1 {
		scale.Inv(scale)
	}
	n := up(new(big.Rat).Mul(v, scale))
	rounded := new(big.Rat).Quo(new(big.Rat).SetInt(n), scale)
	if exponent < -5 {
		f, _ := rounded.Float64()
		return fmt.Sprintf("%.*e", digits-1, f)
	}
	return rounded.FloatString(max(0, digits-1-exponent))
}

// up rounds up to an integer.
func up(v *big.Rat) *big.Int {
	n := new(big.Int).Neg(v.Num())
	return n.Neg(n.Div(n, v.Denom()))
}

// rootUp returns a number whose square is at least v, by less than 2^-60 of it.
func rootUp(v *big.Rat) *big.Rat {
	const scale = 128 // bits
	n := new(big.Int).Mul(v.Num(), v.Denom())
	n.Lsh(n, 2*scale)
	root := new(big.Int).Sqrt(n)
	if new(big.Int).Mul(root, root).Cmp(n) != 0 {
		root.Add(root, big.NewInt(1))
	}
	return new(big.Rat).SetFrac(root, new(big.Int).Lsh(v.Denom(), scale))
}
