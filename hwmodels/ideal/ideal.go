// Package ideal says what drivers compute in the reals, in float64, for measuring how far machines are from it: what codes
// stand for, how software quantises, and the operators. Numbers on the way are small multiples of powers of two, so that
// nothing rounds. It shares nothing with package bounds.
//
// The operators: Linear, Pool, LSTM, LayerNorm, Attention (FlexASR, the last three in lstm.go and norm.go), Dense (VTA), Conv2D (HLSCNN), Product (the
// crossbar).
package ideal

import "math"

// An Operator is an operation in the reals, and how its operands and its result are stored.
type Operator struct {
	Decode []func(code uint64) float64        // by input
	Encode []func(x float64) uint64           // by input: what software quantises a number to
	Output func(code uint64) float64          // of the output
	Of     func(inputs [][]float64) []float64 // row-major, as the machine's output
	Round  func(x float64) float64            // of the output: what software quantises a number to
	Wraps  func(inputs [][]float64) (at int)  // an element at which an accumulator of the machine overflows, or -1; nil: none has one that wraps
}

// A format is how numbers are stored.
type format struct {
	decode func(code uint64) float64
	encode func(x float64) uint64
}

func operator(out format, in ...format) Operator {
	o := Operator{Output: out.decode, Round: func(x float64) float64 { return out.decode(out.encode(x)) }}
	for _, f := range in {
		o.Decode, o.Encode = append(o.Decode, f.decode), append(o.Encode, f.encode)
	}
	return o
}

// fixed is signed integers of so many bits, in units of 2^-frac; rounded to nearest, halves to even.
func fixed(width, frac int) format {
	unit := math.Ldexp(1, -frac)
	most := math.Ldexp(1, width-1)
	return format{
		decode: func(code uint64) float64 { return float64(int64(code<<(64-width))>>(64-width)) * unit },
		encode: func(x float64) uint64 {
			n := math.Min(math.Max(math.RoundToEven(x/unit), -most), most-1)
			return uint64(int64(n)) & (1<<width - 1)
		},
	}
}

// adaptive is AdaptivFloat<8,3>: the nearest number, of two the one with the even code. Numbers of codes are looked up: a sample of a layer has millions.
func adaptive(bias int) format {
	var numbers [256]float64
	for code := range numbers {
		exponent, mantissa := code>>4&7, float64(code&15)
		if exponent == 0 && mantissa == 0 {
			continue
		}
		if numbers[code] = math.Ldexp(1+mantissa/16, exponent+bias-10); code > 127 {
			numbers[code] = -numbers[code]
		}
	}
	encode := func(x float64) uint64 {
		size := math.Abs(x)
		code := uint64(0) // the greatest whose number is at most that
		for bit := uint64(64); bit > 0; bit /= 2 {
			if numbers[code+bit] <= size {
				code += bit
			}
		}
		if code < 127 {
			down, up := size-numbers[code], numbers[code+1]-size
			if up < down || up == down && code%2 == 1 {
				code++
			}
		}
		if x < 0 && code > 0 {
			code += 128
		}
		return code
	}
	return format{decode: func(code uint64) float64 { return numbers[code%256] }, encode: encode}
}

// Linear is one row of a linear layer with bias on FlexASR, out[j] = sum x[i]·w[j,i] + bias[j]; exponents are the biases
// of weights, inputs, biases and outputs.
func Linear(n, k int, exponents [4]int) Operator {
	o := operator(adaptive(exponents[3]), adaptive(exponents[1]), adaptive(exponents[0]), adaptive(exponents[2]))
	product := func(in [][]float64, j int) (sum float64) {
		for i, x := range in[0] {
			sum += x * in[1][j*k+i]
		}
		return sum
	}
	o.Of = func(in [][]float64) []float64 {
		out := make([]float64, n)
		for j := range out {
			out[j] = product(in, j) + in[2][j]
		}
		return out
	}
	end := math.Ldexp(1, 31+exponents[0]+exponents[1]-28)
	o.Wraps = func(in [][]float64) int {
		for j := range n {
			if sum := product(in, j); sum >= end || sum < -end {
				return j
			}
		}
		return -1
	}
	return o
}

// Pool is a function of pairs of timesteps on FlexASR.
func Pool(width, bias int, of func(x, y float64) float64) Operator {
	o := operator(adaptive(bias), adaptive(bias))
	o.Of = func(in [][]float64) (out []float64) {
		for at := 0; at < len(in[0]); at += 2 * width {
			for v := range width {
				out = append(out, of(in[0][at+v], in[0][at+width+v]))
			}
		}
		return out
	}
	return o
}

// Dense is one row of a dense layer on VTA: out[j] = sum a[i]·w[j,i] / 2^shift.
func Dense(n, k, shift int) Operator {
	o := operator(fixed(8, 0), fixed(8, 0), fixed(8, 0))
	o.Of = func(in [][]float64) []float64 {
		out := make([]float64, n)
		for j := range out {
			for i, x := range in[0] {
				out[j] += x * in[1][j*k+i]
			}
			out[j] = math.Ldexp(out[j], -shift)
		}
		return out
	}
	return o
}

// Conv2D is a convolution on HLSCNN, of sizes channels, rows, columns, filters, rows and columns of kernels, and stride.
func Conv2D(s []int) Operator {
	channels, rows, cols, filters, kernelRows, kernelCols, stride := s[0], s[1], s[2], s[3], s[4], s[5], s[6]
	o := operator(fixed(16, 7), fixed(16, 7), fixed(16, 14))
	o.Of = func(in [][]float64) (out []float64) {
		for f := range filters {
			for r := 0; r+kernelRows <= rows; r += stride {
				for c := 0; c+kernelCols <= cols; c += stride {
					sum := 0.0
					for ch := range channels {
						for p := range kernelRows {
							for q := range kernelCols {
								sum += in[0][(ch*rows+r+p)*cols+c+q] * in[1][((f*channels+ch)*kernelRows+p)*kernelCols+q]
							}
						}
					}
					out = append(out, sum)
				}
			}
		}
		return out
	}
	return o
}

// Product is a product of m x k and k x n numbers of 8 bits on the crossbar.
func Product(m, n, k int) Operator {
	o := operator(fixed(8, 0), fixed(8, 0), fixed(8, 0))
	o.Of = func(in [][]float64) []float64 {
		out := make([]float64, m*n)
		for at := range out {
			for l := range k {
				out[at] += in[0][at/n*k+l] * in[1][l*n+at%n]
			}
		}
		return out
	}
	o.Wraps = func(in [][]float64) int {
		for at, v := range o.Of(in) {
			if v > 127 || v < -128 {
				return at
			}
		}
		return -1
	}
	return o
}
