package machines

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"tv/semantics/term"
)

//	driverkernels.go    integers: dense layers of VTA, the systolic array
//	adaptivekernels.go  AdaptivFloat: pools, linear layers and LSTM of FlexASR

// A kernelValue is an element of an output by a kernel: an integer modulo two to the width of the output, or
// a number with how codes are read.
type kernelValue struct {
	number float64
	read   func(code uint64) float64 // nil: codes are integers
}

// differs tells whether a bit-vector is another value.
func (v kernelValue) differs(bits uint64, width int) bool {
	if v.read != nil {
		return v.read(bits) != v.number
	}
	return uint64(int64(v.number))&term.Ones(width) != bits
}

// String prints the number.
func (v kernelValue) String() string { return fmt.Sprintf("%g", v.number) }

// driverKernels compute with gonum, in float64, what the contracts of drivers say, by name of the driver. All
// numbers on the way are integers below 2^53, or codes with few bits, so nothing rounds.
var driverKernels = map[string]func(c *Driven) []kernelValue{
	"vta-dense":         denseKernel(-127, 1, 1<<8),
	"vta-dense-bias":    denseKernel(-127, 1, 1<<8),
	"vta-dense-relu":    denseKernel(0, 1, 1<<8),
	"vta-dense-rows":    denseKernel(-127, 1, 1<<8),
	"vta-dense-columns": denseKernel(-127, 1, 1<<8),
	"vta-dense-depth":   denseKernel(-127, 1, 1<<8),
	"vta-dense-scale":   denseKernel(-127, 77, 1<<15),
	"systolic-matmul":   matmulKernel,

	"flexasr-maxpool":  poolKernel(math.Max),
	"flexasr-meanpool": poolKernel(func(x, y float64) float64 { return (x + y) / 2 }),
	"flexasr-addpool":  poolKernel(func(x, y float64) float64 { return x + y }),
	"flexasr-linear":   linearKernel,
	"flexasr-lstm":     lstmKernel,
}

// signed reads operand i of a run as a matrix of signed integers.
func (c *Driven) signed(i, rows, columns int) *mat.Dense {
	m := mat.NewDense(rows, columns, nil)
	for at, v := range c.Inputs[i] {
		m.Set(at/columns, at%columns, float64(term.Signed64(v, c.Task.Inputs[i].Width)))
	}
	return m
}

// denseKernel is clip((a·wᵀ + bias)·scale / divisor, low, 127), rounded down, sum and product modulo 2^32.
func denseKernel(low, scale, divisor float64) func(c *Driven) []kernelValue {
	return func(c *Driven) []kernelValue {
		m, n, k := c.Sizes[0], c.Sizes[1], c.Sizes[2]
		var product mat.Dense
		product.Mul(c.signed(0, m, k), c.signed(1, n, k).T())
		out := make([]kernelValue, 0, m*n)
		for i := range m {
			for j := range n {
				sum := product.At(i, j)
				if len(c.Inputs) > 2 {
					sum += c.signed(2, 1, n).At(0, j)
				}
				sum *= scale
				sum -= math.Floor(sum/(1<<32)+0.5) * (1 << 32)
				out = append(out, kernelValue{number: math.Min(math.Max(math.Floor(sum/divisor), low), 127)})
			}
		}
		return out
	}
}

// matmulKernel is a·w modulo 2^32.
func matmulKernel(c *Driven) []kernelValue {
	m, k, n := c.Sizes[0], c.Sizes[1], c.Sizes[2]
	var product mat.Dense
	product.Mul(c.signed(0, m, k), c.signed(1, k, n))
	var out []kernelValue
	for _, v := range product.RawMatrix().Data {
		out = append(out, kernelValue{number: v})
	}
	return out
}
