package flexasr

import (
	"math/big"

	"tv/ila"
	"tv/ila/number"
	"tv/semantics/term"
)

// What drivers compute, as functions on codes, from what the numbers are. Nothing here is shared with the model: it
// computes with package format, contracts with package number.

// codes is the format of every datum, and its name.
var codes = number.AdaptivFloat83

const codesName = "adaptive8.3"

// units returns the number that a code stands for, in units of 2^(bias-14), as 13 bits: in them every number is an
// integer, whatever the bias.
func units(code uint64) uint64 {
	n, _ := number.Fixed{Width: 13, Frac: 14}.Code(codes.Value(code, 0))
	return n
}

// withoutBias is units as a function that contracts apply.
func withoutBias() func(args []uint64) uint64 {
	var table [1 << 8]uint64
	for c := range table {
		table[c] = units(uint64(c))
	}
	return func(args []uint64) uint64 { return table[args[0]] }
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

// The functions that contracts apply by name.
const (
	tableUnits  = "adaptive8.3-units"  // of a code, without its bias: 13 bits
	tableBias   = "adaptive8.3-bias"   // of a code of the biases: Q6.14
	tableOutput = "adaptive8.3-output" // of a code of the outputs: Q6.14
	tableCode   = "adaptive8.3-code"   // of a number in Q6.14: a code of the outputs
)

func (o LinearOptions) tables() map[string]func([]uint64) uint64 {
	return map[string]func([]uint64) uint64{
		tableUnits: withoutBias(), tableBias: fixed(o.Biases), tableOutput: fixed(o.Outputs),
		tableCode: rounded(o.Outputs),
	}
}

// shift is what separates the units of products, 2^(Weights+Inputs-28), from those of Q6.14.
func (o LinearOptions) shift() int { return 14 - o.Weights - o.Inputs }

// A row is elements of a tensor from one on.
type row struct {
	*ila.Tensor
	from int
}

// sum returns the inner product of two rows of k codes, modulo 2^32, in Q6.14, plus an element of a tensor of biases
// where there is one, cut to ±(2^19 - 1): 20 bits.
func (o LinearOptions) sum(t *ila.Task, x, w row, k int, bias *ila.Tensor, at int) *term.Term {
	b := t.Model.B
	number := func(r row, i int) *term.Term {
		return b.Apply(term.BitsSort(13), tableUnits, t.Element(r.Tensor, r.from+i))
	}
	pairs := make([]*term.Term, 0, 2*k)
	for i := range k {
		pairs = append(pairs, number(x, i), number(w, i))
	}
	sum := b.ShrS(b.Dot(32, pairs...), b.Bits(32, uint64(o.shift())))
	if bias != nil {
		sum = b.AddBits(sum, b.ExtendS(b.Apply(term.BitsSort(20), tableBias, t.Element(bias, at)), 32))
	}
	const most = 1<<19 - 1
	num := func(width int, v int64) *term.Term { return b.Bits(width, uint64(v)) }
	return b.Choose(b.LessS(num(32, most), sum), num(20, most),
		b.Choose(b.LessS(sum, num(32, -most)), num(20, -most), b.Extract(sum, 0, 20)))
}

// code returns the code of a number in Q6.14.
func (o LinearOptions) code(b *term.Builder, v *term.Term) *term.Term {
	return b.Apply(term.BitsSort(8), tableCode, v)
}
