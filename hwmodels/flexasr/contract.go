package flexasr

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

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

// An exponent is the bias of a tensor's codes: a number, or a term of 3 bits that may be any.
type exponent struct {
	number int
	term   *term.Term
}

// The functions that contracts apply by name; those for a number as bias have it behind their name.
const (
	tableUnits = "adaptive8.3-units" // of a code, without its bias: 13 bits
	tableValue = "adaptive8.3-value" // of a bias and a code: Q6.14
	tableCode  = "adaptive8.3-code"  // of a bias and a number in Q6.14: a code
	tableFine  = "adaptive8.3-fine"  // of a bias and a number of 26 bits, 20 of them behind the point: a code
	tableShare = "adaptive8.3-share" // of a bias and a number of 10 bits, 8 of them behind the point: a code
)

// format826 is what attention rounds to codes.
var format826 = number.Fixed{Width: 26, Frac: 20}

// use has the functions of a table for a bias; those of tableUnits have none.
func (h *host) use(table string, e exponent) string {
	name, any := table, e.term != nil
	if table != tableUnits && !any {
		name = fmt.Sprint(table, e.number)
	}
	if h.Tables == nil {
		h.Tables, h.Scalars = map[string]func([]uint64) uint64{}, map[string]ila.Scalar{}
	}
	if h.Tables[name] != nil {
		return name
	}
	add := func(width, result int, each func(bias int) func(x uint64) uint64, rounds bool) {
		of := make([]func(uint64) uint64, 8)
		for bias := range of {
			if any || bias == e.number {
				of[bias] = each(bias)
			}
		}
		fn, args := func(args []uint64) uint64 { return of[args[0]](args[1]) }, []int{3, width}
		if !any {
			fn, args = func(args []uint64) uint64 { return of[e.number](args[0]) }, args[1:]
		}
		s := ila.Scalar{Args: args, Width: result}
		if rounds { // codes do not fall while numbers of one sign rise away from 0
			s.Constant = func(args []uint64, to uint64) bool {
				other := slices.Clone(args)
				other[len(other)-1] = to
				return fn(args) == fn(other)
			}
		}
		h.Tables[name], h.Scalars[name] = fn, s
	}
	rounded := func(f number.Fixed, signed bool) func(bias int) func(x uint64) uint64 {
		return func(bias int) func(x uint64) uint64 {
			known := map[uint64]uint64{}
			return func(x uint64) uint64 {
				code, ok := known[x]
				if !ok {
					if signed {
						code, _ = codes.Code(number.Hardware, f.Value(x), bias)
					} else {
						code, _ = codes.Code(number.Hardware, number.Fixed{Width: 64, Frac: f.Frac}.Value(x), bias)
					}
					known[x] = code
				}
				return code
			}
		}
	}
	switch table {
	case tableUnits:
		var list [1 << 8]uint64
		for c := range list {
			list[c] = units(uint64(c))
		}
		h.Tables[name] = func(args []uint64) uint64 { return list[args[0]] }
		h.Scalars[name] = ila.Scalar{Args: []int{8}, Width: 13}
	case tableValue:
		add(8, 20, func(bias int) func(uint64) uint64 {
			var list [1 << 8]uint64
			for c := range list {
				list[c], _ = number.Q614.Code(codes.Value(uint64(c), bias))
			}
			return func(c uint64) uint64 { return list[c] }
		}, false)
	case tableCode:
		add(20, 8, rounded(number.Q614, true), true)
	case tableFine:
		add(26, 8, rounded(format826, true), true)
	case tableShare:
		add(10, 8, rounded(number.Fixed{Width: 10, Frac: 8}, false), true)
	}
	return name
}

// apply applies a function of a table, which was used before.
func (h *host) apply(table string, width int, e exponent, x *term.Term) *term.Term {
	args := []*term.Term{x}
	if e.term != nil {
		args = []*term.Term{e.term, x}
	}
	return h.m.B.Apply(term.BitsSort(width), h.use(table, e), args...)
}

// value and code are what a code stands for in Q6.14, and the code of a number in Q6.14.
func (h *host) value(code *term.Term, e exponent) *term.Term { return h.apply(tableValue, 20, e, code) }

func (h *host) code(x *term.Term, e exponent) *term.Term { return h.apply(tableCode, 8, e, x) }

// A layerBiases is the biases of the tensors of a linear layer.
type layerBiases struct{ weights, inputs, biases, outputs exponent }

// layer returns the biases of a task: numbers, or elements of a tensor; where outputs are inputs later they have the bias of these.
func (h *host) layer(o LinearOptions, again bool) layerBiases {
	e := h.exponents(o.AllBiases, o.Weights, o.Inputs, o.Biases, o.Outputs)
	l := layerBiases{e[0], e[1], e[2], e[3]}
	if again {
		l.outputs = l.inputs
	}
	h.use(tableUnits, exponent{})
	h.use(tableValue, l.biases)
	h.use(tableValue, l.outputs)
	h.use(tableCode, l.outputs)
	return l
}

// exponents returns biases as given, or as elements of a tensor of their own, which may be any.
func (h *host) exponents(all bool, numbers ...int) []exponent {
	list := make([]exponent, len(numbers))
	var tensor *ila.Tensor
	if all {
		tensor = h.Declare("exponents", 3, false, len(numbers))
	}
	for i, n := range numbers {
		list[i].number = n
		if all {
			list[i].term = h.Element(tensor, i)
		}
	}
	return list
}

// bits returns a bias as a term of a width.
func (e exponent) bits(b *term.Builder, width int) *term.Term {
	if e.term == nil {
		return b.Bits(width, uint64(e.number))
	}
	return b.ExtendU(e.term, width)
}

// shift is what separates the units of products, 2^(weights+inputs-28), from those of Q6.14.
func (l layerBiases) shift(b *term.Builder) *term.Term {
	return b.SubBits(b.Bits(32, 14), b.AddBits(l.weights.bits(b, 32), l.inputs.bits(b, 32)))
}

// shiftText is the same in the claim of a task.
func (o LinearOptions) shiftText() string {
	if o.AllBiases {
		return "(14 - weights - inputs)"
	}
	return fmt.Sprint(14 - o.Weights - o.Inputs)
}

// codesOf returns the first elements of a tensor as terms.
func (h *host) codesOf(x *ila.Tensor, n int) []*term.Term {
	list := make([]*term.Term, n)
	for i := range list {
		list[i] = h.Element(x, i)
	}
	return list
}

// row returns k elements of a tensor from one on as factors.
func (h *host) row(x *ila.Tensor, from, k int) ila.Factors {
	return ila.Factors{Stretch: ila.Stretch{Tensor: x, From: from, Count: k}}
}

// product returns the inner product of codes without their biases, modulo 2^32; sixteen at a time, as this many have one term.
func (h *host) product(x, w ila.Factors) *term.Term {
	sum := h.m.B.Bits(32, 0)
	for from := 0; from < w.Len(); from += lanes {
		n := min(w.Len()-from, lanes)
		sum = h.m.B.AddBits(sum, h.m.Products(32, tableUnits, w.Part(from, n), x.Part(from, n)))
	}
	return sum
}

// sum returns the inner product of codes, in Q6.14, plus an element of a tensor of biases where there is one, modulo 2^32, cut to
// ±(2^19 - 1): 20 bits.
func (h *host) sum(l layerBiases, x, w ila.Factors, bias *ila.Tensor, at int) *term.Term {
	b := h.m.B
	sum := b.ShrS(h.product(x, w), l.shift(b))
	if bias != nil {
		sum = b.AddBits(sum, b.ExtendS(h.value(h.Element(bias, at), l.biases), 32))
	}
	const most = 1<<19 - 1
	num := func(width int, v int64) *term.Term { return b.Bits(width, uint64(v)) }
	return b.Choose(b.LessS(num(32, most), sum), num(20, most),
		b.Choose(b.LessS(sum, num(32, -most)), num(20, -most), b.Extract(sum, 0, 20)))
}

// times returns the product of numbers in Q6.14: 40 bits, shifted right by 14, of which 20 are kept.
func (h *host) times(x, y *term.Term) *term.Term {
	b := h.m.B
	return b.Extract(b.ShrS(b.MulBits(b.ExtendS(x, 40), b.ExtendS(y, 40)), b.Bits(40, 14)), 0, 20)
}

// restsOn says whose tables functions are computed by.
func (m *Machine) restsOn(functions ...string) string {
	return strings.Join(functions, ", ") + " by the tables of " + m.config.Tables.Release
}
