package hlscnn

import (
	"fmt"

	"tv/ila"
	"tv/semantics/term"
)

// contract returns what an element of the output must be: outputs gather what the machine scatters. Nothing but the
// choices is shared with the model.
func (d *conv2D) contract(flat int) *term.Term {
	b, c := d.m.B, d.m.choices
	at := ila.Unravel([]int{d.Filters, d.outRows, d.outCols}, flat)
	f, row, col := at[0], at[1]*d.Stride, at[2]*d.Stride
	if c.Original {
		row, col = row-d.KernelRows/2, col-d.KernelCols/2
	}
	number := func(v int64) *term.Term { return b.Bits(32, uint64(v)) }
	short := func(x *term.Term) *term.Term {
		low := b.Extract(x, 0, 16)
		if c.Wrap {
			return low
		}
		return b.Choose(b.LessS(number(32767), x), b.Bits(16, 32767), b.Choose(b.LessS(x, number(-32768)), b.Bits(16, 32768), low))
	}
	round := func(x *term.Term) *term.Term {
		down := func(x *term.Term) *term.Term { return b.ShrS(x, number(9)) }
		switch c.Rounding {
		case HalfUp:
			return down(b.AddBits(x, number(256)))
		case HalfEven: // an even quotient takes one more to come to the next
			odd := b.And(down(x), number(1))
			return down(b.AddBits(b.AddBits(x, number(255)), odd))
		}
		return down(x)
	}
	acc := number(0)
	for block := range d.blocks {
		for tap := range d.KernelRows * d.KernelCols {
			kr, kc := tap/d.KernelCols, tap%d.KernelCols
			if row+kr < 0 || row+kr >= d.Rows || col+kc < 0 || col+kc >= d.Cols {
				continue
			}
			group := number(0)
			for ch := block * lanes; ch < min((block+1)*lanes, d.Channels); ch++ {
				x := d.Element(d.x, (ch*d.Rows+row+kr)*d.Cols+col+kc)
				w := d.Element(d.w, ((f*d.Channels+ch)*d.KernelRows+kr)*d.KernelCols+kc)
				if d.Narrow {
					w = b.Concat(w, b.Bits(8, 0))
				}
				group = b.AddBits(group, b.ShrS(b.MulBits(b.ExtendS(w, 32), b.ExtendS(x, 32)), number(5)))
			}
			sum := b.ExtendS(short(round(group)), 32)
			if acc != number(0) {
				sum = b.AddBits(sum, b.ExtendS(acc, 32))
			}
			if block == d.blocks-1 && kr == d.KernelRows-1 && kc == d.KernelCols-1 {
				if d.Bias {
					sum = b.AddBits(sum, b.ExtendS(d.Element(d.bias, f), 32))
				}
				if d.Relu {
					sum = b.MaxS(sum, number(0))
				}
			}
			acc = short(sum)
		}
	}
	if acc == number(0) { // no tap lies in the input
		return b.Bits(16, 0)
	}
	return acc
}

// claim is the contract as a formula.
func (d *conv2D) claim() string {
	c := d.m.choices
	round := map[string]string{Truncate: "rounded down", HalfUp: "halves up", HalfEven: "halves to even"}[c.Rounding]
	fit := "saturated to int16"
	if c.Wrap {
		fit = "modulo 2^16"
	}
	shift, from := 5, fmt.Sprintf("x[c,%d*i+p,%d*j+q]", d.Stride, d.Stride)
	if d.Stride == 1 {
		from = "x[c,i+p,j+q]"
	}
	if c.Original {
		from = fmt.Sprintf("x[c,i+p-%d,j+q-%d]", d.KernelRows/2, d.KernelCols/2)
	}
	weight := fmt.Sprintf("w[f,c,p,q]·%s >> %d", from, shift)
	if d.Narrow {
		weight = fmt.Sprintf("256·w[f,c,p,q]·%s >> %d", from, shift)
	}
	end := ""
	if d.Bias {
		end = ", after the last tap + bias[f]"
	}
	if d.Relu {
		end += ", after the last tap max(., 0)"
	}
	return fmt.Sprintf("out[f,i,j] = a sum over blocks of 8 channels, then taps p < %d, q < %d: + (sum(c in block) (%s)) / 2^9, %s, all %s%s",
		d.KernelRows, d.KernelCols, weight, round, fit, end)
}
