package machines

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"tv/hwmodels/flexasr/plain"
)

// The numbers of FlexASR's drivers: codes of AdaptivFloat<8,3> with bias 2, which lie between 2^-8 and 2^0 as
// exponents go, and registers of Q6.14. All of them, and all on the way, are float64s without rounding.
const (
	adaptiveBias = 2
	leastExp     = adaptiveBias - 10 // of the codes' exponents
	mostExp      = leastExp + 7
	registerOne  = 1 << 14   // 1 in Q6.14
	registerMost = 1<<19 - 1 // of 20 bits, but for the least number
)

// adaptive reads a code: sign, three bits of exponent, four of mantissa. All 0 but the sign are 0.
func adaptive(code uint64) float64 {
	if code&0x7f == 0 {
		return 0
	}
	v := math.Ldexp(1+float64(code&15)/16, int(code>>4&7)+leastExp)
	if code&0x80 != 0 {
		return -v
	}
	return v
}

// rounded is the number of the code that the hardware gives to v: the nearest one of five significant bits, halves
// upwards; 0 below the least exponent, and for the least power of two, which is the code of 0; beyond the greatest
// number that.
func rounded(v float64) float64 {
	if v == 0 {
		return 0
	}
	_, exp := math.Frexp(v) // |v| is in [2^(exp-1), 2^exp)
	unit := math.Ldexp(1, exp-5)
	r := math.Floor(v/unit+0.5) * unit
	switch size := math.Abs(r); {
	case size <= math.Ldexp(1, leastExp):
		return 0
	case size >= math.Ldexp(1, mostExp+1):
		return math.Copysign(math.Ldexp(31, mostExp-4), v)
	}
	return r
}

// poolKernel rounds f of timesteps 2t and 2t+1.
func poolKernel(f func(x, y float64) float64) func(c *Driven) []kernelValue {
	return func(c *Driven) []kernelValue {
		steps, width := c.Sizes[0], c.Sizes[1]
		var out []kernelValue
		for t := 0; t < steps; t += 2 {
			for w := range width {
				v := f(adaptive(c.Inputs[0][t*width+w]), adaptive(c.Inputs[0][(t+1)*width+w]))
				out = append(out, kernelValue{rounded(v), adaptive})
			}
		}
		return out
	}
}

// adaptiveMatrix reads operand i of a run as a matrix of codes.
func (c *Driven) adaptiveMatrix(i, rows, columns int) *mat.Dense {
	m := mat.NewDense(rows, columns, nil)
	m.Apply(func(r, col int, _ float64) float64 { return adaptive(c.Inputs[i][r*columns+col]) }, m)
	return m
}

// affine is x·wᵀ + bias as a register has it, in units of 2^-14: the products, summed modulo 2^32 in their own units
// of 2^-24, are rounded down, and the sum with the bias is cut.
func (c *Driven) affine(x *mat.Dense, w, bias, columns int) *mat.Dense {
	var out mat.Dense
	_, inner := x.Dims()
	out.Mul(x, c.adaptiveMatrix(w, columns, inner).T())
	biases := c.adaptiveMatrix(bias, 1, columns)
	out.Apply(func(_, j int, v float64) float64 {
		v *= 1 << 24
		v -= math.Floor(v/(1<<32)+0.5) * (1 << 32)
		v = math.Floor(v/(1<<10)) + biases.At(0, j)*registerOne
		return math.Min(math.Max(v, -registerMost), registerMost)
	}, &out)
	return &out
}

// linearKernel is the rounded affine map of each timestep.
func linearKernel(c *Driven) []kernelValue {
	m, n, k := c.Sizes[0], c.Sizes[1], c.Sizes[2]
	var out []kernelValue
	for _, v := range c.affine(c.adaptiveMatrix(0, m, k), 1, 2, n).RawMatrix().Data {
		out = append(out, kernelValue{rounded(v / registerOne), adaptive})
	}
	return out
}

// wrappedTo is an integer as a register of so many bits holds it.
func wrappedTo(bits int, v float64) float64 {
	all := math.Ldexp(1, bits)
	return v - math.Floor(v/all+0.5)*all
}

// wrapped is an integer as a register of 20 bits holds it.
func wrapped(v float64) float64 { return wrappedTo(20, v) }

// registerProduct is that of registers of Q6.14, rounded down.
func registerProduct(x, y float64) float64 { return wrapped(math.Floor(x * y / registerOne)) }

// lstmKernel is timesteps of an LSTM in registers. The operands are x, h, c, wx, wh, bx and bh; sigm and tanh are those of the machine in
// plain Go.
func lstmKernel(c *Driven) []kernelValue {
	n, k, steps := c.Sizes[0], c.Sizes[1], 1
	if len(c.Sizes) > 2 {
		steps = c.Sizes[2]
	}
	ofInputs := c.affine(c.adaptiveMatrix(0, steps, k), 3, 5, 4*n)
	state, cell := c.adaptiveMatrix(1, 1, n), c.adaptiveMatrix(2, 1, n).RawRowView(0)
	sigm := func(v float64) float64 { return float64(plain.Sigmoid(int64(v))) }
	tanh := func(v float64) float64 { return float64(plain.Tanh(int64(v))) }
	var out []kernelValue
	for ts := range steps {
		sums := make([]float64, 4*n) // of the gates i, f, g and o
		floats.AddTo(sums, ofInputs.RawRowView(ts), c.affine(state, 4, 6, 4*n).RawRowView(0))
		gate := func(f func(float64) float64, which, at int) float64 { return f(wrapped(sums[which*n+at])) }
		for at := range n {
			kept := registerProduct(gate(sigm, 1, at), cell[at]*registerOne)
			next := wrapped(registerProduct(gate(sigm, 0, at), gate(tanh, 2, at)) + kept)
			cell[at] = rounded(next / registerOne)
			state.Set(0, at, rounded(registerProduct(tanh(next), gate(sigm, 3, at))/registerOne))
			out = append(out, kernelValue{state.At(0, at), adaptive})
		}
	}
	for _, v := range cell {
		out = append(out, kernelValue{v, adaptive})
	}
	return out
}

// layerNormKernel normalises each timestep. The operands are x, gamma and beta; 1/sqrt is that of the machine in plain Go.
func layerNormKernel(c *Driven) []kernelValue {
	steps, width := c.Sizes[0], c.Sizes[1]
	x, gamma, beta := c.adaptiveMatrix(0, steps, width), c.adaptiveMatrix(1, 1, width), c.adaptiveMatrix(2, 1, width)
	for _, m := range []*mat.Dense{x, gamma, beta} {
		m.Scale(registerOne, m)
	}
	// mean sums sixteen numbers in a register and those sums in one of 24 bits, and cuts the quotient toward 0
	mean := func(numbers []float64) float64 {
		sum := 0.0
		for from := 0; from < width; from += 16 {
			sum += wrapped(floats.Sum(numbers[from : from+16]))
		}
		return wrapped(math.Trunc(wrappedTo(24, sum) / float64(width)))
	}
	var out []kernelValue
	for ts := range steps {
		row, squares := x.RawRowView(ts), make([]float64, width)
		for at, v := range row {
			squares[at] = registerProduct(v, v)
		}
		middle := mean(row)
		variance := wrapped(mean(squares) - registerProduct(middle, middle))
		if variance < 0 { // as a number without sign
			variance += 1 << 20
		}
		root := wrapped(float64(plain.InverseRoot(int64(variance))))
		for at, v := range row {
			scaled := registerProduct(registerProduct(wrapped(v-middle), root), gamma.At(0, at))
			out = append(out, kernelValue{rounded(wrapped(scaled+beta.At(0, at)) / registerOne), adaptive})
		}
	}
	return out
}

// attentionKernel weighs the rows of a matrix by a query. The operands are the matrix and the query; exp and the narrow division are those
// of the machine in plain Go. Sums of products are in units of 2^-24, scores and exponentials of 2^-20.
func attentionKernel(c *Driven) []kernelValue {
	const (
		one    = 1 << 20
		masked = -64 * one // the score of a sum that is 0
	)
	steps, width := c.Sizes[0], c.Sizes[1]
	matrix := mat.NewDense((steps+15)/16*16, width, nil) // rows of padding are 0
	matrix.Slice(0, steps, 0, width).(*mat.Dense).Copy(c.adaptiveMatrix(0, steps, width))
	// sums are products in 32 bits
	sums := func(a mat.Matrix, v mat.Vector) []float64 {
		var product mat.VecDense
		product.MulVec(a, v)
		list := product.RawVector().Data
		for i, v := range list {
			list[i] = wrappedTo(32, v*(1<<24))
		}
		return list
	}
	scores := sums(matrix, c.adaptiveMatrix(1, 1, width).RowView(0))
	for ts, v := range scores {
		if scores[ts] = math.Floor(v / 16); v == 0 { // of the sum, not of what is left of it
			scores[ts] = masked
		}
	}
	most, total := math.Max(-1<<30, floats.Max(scores)), 0.0
	exps := make([]float64, len(scores))
	for ts, v := range scores {
		exps[ts] = float64(plain.Exponential(int64(wrappedTo(32, v-most))))
		total += exps[ts]
	}
	total = math.Mod(total, 1<<32)
	weights := mat.NewVecDense(len(scores), nil)
	for ts, v := range exps {
		weights.SetVec(ts, rounded(float64(plain.Share(int64(v), int64(total)))/256))
	}
	var out []kernelValue
	for _, v := range sums(matrix.T(), weights) {
		out = append(out, kernelValue{rounded(wrappedTo(26, math.Floor(v/16)) / one), adaptive})
	}
	return out
}
