package flexasr

import (
	"math/big"

	"tv/ila/number"
)

// What drivers compute, as functions on codes, from what the numbers are. Nothing here is shared with the model: it
// computes with package format, contracts with package number.

// codes is the format of every datum.
var codes = number.AdaptivFloat83

// units returns the number that a code stands for, in units of 2^(bias-14), as 13 bits: in them every number is an
// integer, whatever the bias.
func units(code uint64) uint64 {
	n, _ := number.Fixed{Width: 13, Frac: 14}.Code(codes.Value(code, 0))
	return n
}

// fixed returns the number that a code of a tensor with the given bias stands for, in Q6.14.
func fixed(bias int) func(args []uint64) uint64 {
	var table [1 << 8]uint64
	for c := range table {
		table[c], _ = number.Q614.Code(codes.Value(uint64(c), bias))
	}
	return func(args []uint64) uint64 { return table[args[0]] }
}

// rounded returns the code that the hardware gives to a number in Q6.14.
func rounded(bias int) func(args []uint64) uint64 {
	var table []uint64
	return func(args []uint64) uint64 {
		if table == nil {
			table = codes.Table(number.Hardware, number.Q614, bias)
		}
		return table[args[0]]
	}
}

// ofPairs returns the function that takes two codes to the code that the hardware gives to f of their numbers. f
// computes in halves of units of 2^(bias-14): maximum, mean and sum scale with them, so that the bias cancels.
func ofPairs(f func(x, y int64) int64) func(args []uint64) uint64 {
	var halves [1 << 8]int64
	for c := range halves {
		halves[c] = 2 * (int64(units(uint64(c))<<51) >> 51)
	}
	known := map[int64]uint64{}
	return func(args []uint64) uint64 {
		v := f(halves[args[0]], halves[args[1]])
		code, ok := known[v]
		if !ok {
			v2 := new(big.Rat).SetFrac(big.NewInt(v), big.NewInt(1<<15))
			code, _ = codes.Code(number.Hardware, v2, 0)
			known[v] = code
		}
		return code
	}
}
