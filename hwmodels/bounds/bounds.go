// Package bounds proves how far results of machines are from the operators in the reals that they stand for. It computes
// in exact rationals, from the contracts of drivers, which are what machines compute bit by bit: it shares nothing with
// what measures errors.
//
//	Linear, Pool, LSTM   FlexASR      Dense   VTA      Conv2D   HLSCNN      Product   the crossbar
//
//	bounds.go     bounds, and the operators
//	lstm.go       timesteps of an LSTM
//	chain.go      a number on its way through a machine: its range, the machine's, and how far they are apart
//	decimal.go    bounds as decimals and square roots, rounded up
package bounds

import (
	"fmt"
	"math/big"

	"tv/ila/number"
)

// A Question is what operands are: every element lies in Lo..Hi, and is quantised as the software of the machine does it.
// The ideal result is that of the quantised operands, or with AsGiven of those before.
type Question struct {
	Lo, Hi  *big.Rat
	AsGiven bool
}

// A Bound is proved of every element of the output: abs(ideal - machine) <= Max. Where Wraps is not "" there is none: an
// accumulator may wrap, and Wraps says which.
type Bound struct {
	Max   *big.Rat
	Norm  *big.Rat // of the 2-norm of the difference over the product of bounds of the operands' 2-norms; nil where that is 0
	Steps []Step
	Wraps string
	Notes []string // what else there is to say, a line each
}

// A Step is what a step of the machine adds to a bound.
type Step struct {
	Name string
	Adds *big.Rat
}

// bound is what a chain comes to, for an output of so many elements and operands, of numbers of elements and ranges.
func (c *chain) bound(outputs int, operands ...operand) *Bound {
	b := &Bound{Max: c.err, Steps: c.steps, Wraps: c.wraps}
	square := new(big.Rat).Mul(c.err, c.err)
	square.Mul(square, whole(outputs))
	for _, x := range operands {
		most := x.ideal.size()
		if most.Sign() == 0 || x.count == 0 {
			return b
		}
		square.Quo(square, new(big.Rat).Mul(new(big.Rat).Mul(most, most), whole(x.count)))
	}
	b.Norm = rootUp(square)
	return b
}

// Linear bounds one row of FlexASR's linear layer with so many outputs and inputs; biases are those of the exponents of
// weights, inputs, biases and outputs.
func Linear(q Question, n, k int, exponents [4]int) *Bound {
	x, w, b := q.adaptive(k, exponents[1]), q.adaptive(n*k, exponents[0]), q.adaptive(n, exponents[2])
	c := q.start(fmt.Sprintf("%d products, exact", k), times(x, w, k))
	unit := exponents[0] + exponents[1] - 28
	c.accumulate("the accumulator of 32 bits", new(big.Rat).Mul(whole(1<<31), power(unit)))
	c.down(fmt.Sprintf("shift by %d to Q6.14, rounding down", -14-unit), power(-14), power(unit))
	c.add("bias, exact", b.span())
	c.accumulate("the sum of 32 bits with the bias", new(big.Rat).Mul(whole(1<<31), power(-14)))
	c.clip("clip to Q6.14", span{new(big.Rat).Neg(q614()), q614()})
	c.code(exponents[3])
	return c.bound(n, x, w)
}

// q614 is the greatest number of an activation register of FlexASR.
func q614() *big.Rat { return new(big.Rat).Mul(whole(1<<19-1), power(-14)) }

// Pools of FlexASR.
const (
	MaxPool  = "max"
	MeanPool = "mean"
	AddPool  = "add"
)

// Pool bounds a pool over pairs of timesteps.
func Pool(q Question, kind string, timesteps, width, bias int) *Bound {
	x := q.adaptive(timesteps*width, bias)
	c := q.start("inputs", x.span())
	switch kind {
	case MaxPool: // the greater of two is as far off as the one of them that is farther
	case MeanPool, AddPool:
		c.add("sum of two, exact", x.span())
		if kind == MeanPool {
			c.scale("half, exact", big.NewRat(1, 2))
		}
		c.code(bias)
	}
	return c.bound(timesteps/2*width, x)
}

// Dense bounds one row of VTA's dense layer with so many outputs and inputs; the ideal is the product / 2^shift.
func Dense(q Question, n, k, shift int) *Bound {
	x, w := q.integer(k, 8), q.integer(n*k, 8)
	c := q.start(fmt.Sprintf("%d products, exact", k), times(x, w, k))
	c.accumulate("the accumulator of 32 bits", whole(1<<31))
	c.scale(fmt.Sprintf("divided by 2^%d", shift), power(-shift))
	c.down(fmt.Sprintf("shift by %d, rounding down", shift), whole(1), power(-shift))
	c.clip("clip to -127..127", span{whole(-127), whole(127)})
	return c.bound(n, x, w)
}

// Product bounds a product of m x k and k x n numbers of 8 bits on the crossbar, whose results have 8 bits.
func Product(q Question, m, n, k int) *Bound {
	a, b := q.integer(m*k, 8), q.integer(k*n, 8)
	c := q.start(fmt.Sprintf("%d products, exact", k), times(a, b, k))
	c.accumulate("a result of 8 bits", whole(128))
	return c.bound(m*n, a, b)
}

// A Convolution is what Conv2D is about: HLSCNN with its default choices.
type Convolution struct {
	Channels, Rows, Cols, Filters, KernelRows, KernelCols, Stride int
}

// Conv2D bounds a convolution on HLSCNN: activations Q9.7, weights Q2.14.
func Conv2D(q Question, s Convolution) *Bound {
	outputs := s.Filters * ((s.Rows-s.KernelRows)/s.Stride + 1) * ((s.Cols-s.KernelCols)/s.Stride + 1)
	x := q.fixed(s.Channels*s.Rows*s.Cols, number.Fixed{Width: 16, Frac: 7})
	w := q.fixed(s.Filters*s.Channels*s.KernelRows*s.KernelCols, number.Fixed{Width: 16, Frac: 14})
	activation := span{whole(-256), new(big.Rat).Sub(whole(256), power(-7))}
	total := q.start("products, exact", times(x, w, 0))
	for first := 0; first < s.Channels; first += 8 {
		channels := min(8, s.Channels-first)
		for range s.KernelRows * s.KernelCols {
			c := q.start("products, exact", times(x, w, channels))
			c.each(channels, "products cut to Q16.16", power(-16), power(-21))
			c.nearest("sums of taps rounded to Q9.7", power(-7))
			c.clip("sums of taps saturated", activation)
			total.join("products, exact", c)
			total.clip("outputs saturated", activation)
		}
	}
	return total.bound(outputs, x, w)
}
