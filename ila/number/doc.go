// Package number defines the number formats of machines by the numbers that their codes stand for, exactly, in
// rational arithmetic. Contracts are written on it.
//
//	Adaptive   AdaptivFloat: a float whose exponents are relative to a bias of the tensor
//	Quantiser  how a number without a code is rounded to one that has one
//	Fixed      Qm.n: a signed integer of units of 2^-n
//
// Models of machines compute with terms (package format): the two share nothing, so that a proof of one against
// the other says something about both.
//
// Source: T. Tambe et al., Algorithm-Hardware Co-Design of Adaptive Floating-Point Encodings for Resilient Deep
// Learning Inference, DAC 2020, and the public sources of FlexASR for the three ways to round.
package number

import "math/big"

// power returns 2^e.
func power(e int) *big.Rat {
	n := new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e)))
	if e < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), n)
	}
	return new(big.Rat).SetInt(n)
}

// floor returns the greatest integer that is at most v.
func floor(v *big.Rat) *big.Int { return new(big.Int).Div(v.Num(), v.Denom()) }
