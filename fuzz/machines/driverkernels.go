package machines

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"tv/semantics/term"
)

//	driverkernels.go    integers: dense layers of VTA, the systolic array, products on the crossbar
//	adaptivekernels.go  AdaptivFloat: pools, linear layers, LSTM, layer norm and attention of FlexASR

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
	"hlscnn-conv2d":     convKernel,
	"systolic-matmul":   matmulKernel,

	"cim-gemm":       func(c *Driven) []kernelValue { return c.products(1, c.Sizes[0], c.Sizes[1], c.Sizes[2]) },
	"cim-saturating": func(c *Driven) []kernelValue { return c.products(1, c.Sizes[0], c.Sizes[1], c.Sizes[2]) },
	"cim-batched":    func(c *Driven) []kernelValue { return c.products(c.Sizes[0], c.Sizes[1], c.Sizes[2], c.Sizes[3]) },
	"cim-gemv":       gemvKernel,

	"flexasr-maxpool":  poolKernel(math.Max),
	"flexasr-meanpool": poolKernel(func(x, y float64) float64 { return (x + y) / 2 }),
	"flexasr-addpool":  poolKernel(func(x, y float64) float64 { return x + y }),
	"flexasr-linear":   linearKernel,
	"flexasr-lstm":     lstmKernel,

	"flexasr-layernorm": layerNormKernel,
	"flexasr-attention": attentionKernel,
}

// signed reads operand i of a run as a matrix of signed integers.
func (c *Driven) signed(i, rows, columns int) *mat.Dense {
	m := mat.NewDense(rows, columns, nil)
	for at, v := range c.Inputs[i] {
		m.Set(at/columns, at%columns, float64(term.Signed64(v, c.Task.Inputs[i].Width)))
	}
	return m
}

// products are a·b modulo 2^8, of a batch of m x k by k x n matrices, whose operands follow each other.
func (c *Driven) products(batch, m, n, k int) []kernelValue {
	a, b := c.signed(0, batch*m, k), c.signed(1, batch*k, n)
	var out []kernelValue
	for z := range batch {
		var product mat.Dense
		product.Mul(a.Slice(z*m, (z+1)*m, 0, k), b.Slice(z*k, (z+1)*k, 0, n))
		for _, v := range product.RawMatrix().Data {
			out = append(out, kernelValue{number: v})
		}
	}
	return out
}

// gemvKernel is a·x modulo 2^8, a of m x n.
func gemvKernel(c *Driven) []kernelValue {
	m, n := c.Sizes[0], c.Sizes[1]
	var product mat.Dense
	product.Mul(c.signed(1, m, n), c.signed(0, n, 1))
	var out []kernelValue
	for _, v := range product.RawMatrix().Data {
		out = append(out, kernelValue{number: v})
	}
	return out
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

// convKernel is a convolution in numbers: each product rounded down to a multiple of 2^-16, the sums of 8 channels to one
// of 2^-7, halves up, and all cut to what 16 bits hold.
func convKernel(c *Driven) []kernelValue {
	s := c.Sizes
	channels, rows, cols, filters, kernelRows, kernelCols, stride := s[0], s[1], s[2], s[3], s[4], s[5], s[6]
	outRows, outCols := (rows-kernelRows)/stride+1, (cols-kernelCols)/stride+1
	x, w := c.signed(0, channels, rows*cols), c.signed(1, filters*channels, kernelRows*kernelCols)
	fit := func(v float64) float64 { return math.Max(-256, math.Min(v, 256-1.0/128)) }
	var out []kernelValue
	for f := range filters {
		for i := range outRows {
			for j := range outCols {
				total := 0.0
				for first := 0; first < channels; first += 8 {
					for p := range kernelRows {
						for q := range kernelCols {
							sum := 0.0
							for ch := first; ch < min(first+8, channels); ch++ {
								product := x.At(ch, (i*stride+p)*cols+j*stride+q) / 128 * w.At(f*channels+ch, p*kernelCols+q) / 16384
								sum += math.Floor(product*65536) / 65536
							}
							total = fit(total + fit(math.Floor(sum*128+0.5)/128))
						}
					}
				}
				out = append(out, kernelValue{number: total * 128})
			}
		}
	}
	return out
}
