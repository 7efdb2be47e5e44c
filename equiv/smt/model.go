package smt

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"tv/semantics/term"
)

// An Assignment is the value of a constant in a model.
type Assignment struct {
	Name   string       // as in the text of the query: "A[0, 2]"
	Tensor *term.Tensor // that is read; nil where the constant stands for something else
	At     []int64      // the index
	Value  string       // in the form of the reference evaluator: "3", "-7/2", "0x1p-3", "nan", "-0"
}

// value returns the text of a value: a rational for reals, the bits of all else.
func (c constant) value(r *big.Rat, bits *big.Int) string {
	s := c.form.sort
	switch s.kind {
	case 'b':
		return strconv.FormatBool(bits.Sign() != 0)
	case 'r':
		return r.RatString()
	case 'f':
		return floatText(s, bits)
	}
	if c.tensor == nil && c.sort == (term.Sort{}) {
		return bits.String()
	}
	return dyadicText(decode(c.sort, s.n, bits))
}

// floatText prints the bits of a float.
func floatText(s sort, bits *big.Int) string {
	r := floatRat(s, bits)
	switch {
	case r == nil && bits.Cmp(specialBits(s, "inf")) == 0:
		return "inf"
	case r == nil && bits.Cmp(specialBits(s, "-inf")) == 0:
		return "-inf"
	case r == nil:
		return "nan"
	case r.Sign() == 0 && bits.Sign() != 0:
		return "-0"
	}
	f, _ := r.Float64() // exact in all of the formats
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if back, ok := new(big.Rat).SetString(text); ok && back.Cmp(r) == 0 {
		return text
	}
	return shortExponent(strconv.FormatFloat(f, 'x', -1, 64))
}

// dyadicText prints a fraction whose denominator is a power of two: a decimal if that is short.
func dyadicText(r *big.Rat) string {
	places := r.Denom().BitLen() - 1
	if places == 0 {
		return r.Num().String()
	}
	if text := r.FloatString(places); len(text) <= 24 {
		return text
	}
	f := new(big.Float).SetPrec(uint(max(64, r.Num().BitLen()))).SetInt(r.Num())
	return shortExponent(f.SetMantExp(f, -places).Text('x', -1))
}

// shortExponent drops what Go adds to the exponent of a hexadecimal float: "0x1p-03" becomes "0x1p-3".
func shortExponent(text string) string {
	mantissa, exponent, _ := strings.Cut(text, "p")
	e, _ := strconv.Atoi(exponent)
	return fmt.Sprintf("%sp%+d", mantissa, e)
}
