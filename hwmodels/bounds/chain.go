package bounds

import (
	"math/big"

	"tv/ila/number"
)

func whole(n int) *big.Rat { return new(big.Rat).SetInt64(int64(n)) }

// power returns 2^n.
func power(n int) *big.Rat {
	p := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(n, -n))))
	if n < 0 {
		p.Inv(p)
	}
	return p
}

func greater(x, y *big.Rat) *big.Rat {
	if x.Cmp(y) < 0 {
		return y
	}
	return x
}

func less(x, y *big.Rat) *big.Rat {
	if x.Cmp(y) < 0 {
		return x
	}
	return y
}

// A span is the numbers from lo to hi.
type span struct{ lo, hi *big.Rat }

// size is the greatest absolute value.
func (s span) size() *big.Rat { return greater(new(big.Rat).Abs(s.lo), new(big.Rat).Abs(s.hi)) }

func (s span) plus(t span) span {
	return span{new(big.Rat).Add(s.lo, t.lo), new(big.Rat).Add(s.hi, t.hi)}
}

func (s span) by(f *big.Rat) span { return span{new(big.Rat).Mul(s.lo, f), new(big.Rat).Mul(s.hi, f)} }

func (s span) product(t span) span {
	out := span{}
	for _, x := range []*big.Rat{s.lo, s.hi} {
		for _, y := range []*big.Rat{t.lo, t.hi} {
			p := new(big.Rat).Mul(x, y)
			if out.lo == nil {
				out = span{p, p}
			}
			out = span{less(out.lo, p), greater(out.hi, p)}
		}
	}
	return out
}

func (s span) clip(t span) span {
	return span{less(greater(s.lo, t.lo), t.hi), less(greater(s.hi, t.lo), t.hi)}
}

// A quantity is a number as it should be and as it is in the machine: where each lies, and how far they are apart.
type quantity struct {
	ideal, machine span
	err            *big.Rat
}

// An operand is what every element of a tensor of so many is.
type operand struct {
	quantity
	count int
}

func (x operand) span() quantity { return x.quantity }

// operand is the elements of a question, whose quantised numbers lie in machine, none farther off than err.
func (q Question) operand(count int, machine span, err *big.Rat) operand {
	if !q.AsGiven {
		return operand{quantity{machine, machine, new(big.Rat)}, count}
	}
	return operand{quantity{span{q.Lo, q.Hi}, machine, err}, count}
}

// adaptive are elements as AdaptivFloat<8,3>: halves to even, at least the least number from half of it on.
func (q Question) adaptive(count, bias int) operand {
	f := number.AdaptivFloat83
	// end is what an end of the range becomes; half the least number, which has no code, is taken for the worse of its
	// neighbours
	end := func(v *big.Rat, inside int) *big.Rat {
		code, ok := f.Code(number.Reference, v, bias)
		if !ok && v.Sign() == inside {
			return new(big.Rat)
		}
		if !ok {
			code, _ = f.Code(number.Float, v, bias)
		}
		return f.Value(code, bias)
	}
	size := span{q.Lo, q.Hi}.size()
	most := greatest(bias)
	err := greater(halfStep(less(size, most)), less(size, new(big.Rat).Mul(f.Least(bias), big.NewRat(1, 2)))) // below half the least: all is lost
	err = greater(err, new(big.Rat).Sub(size, most))
	return q.operand(count, span{end(q.Lo, 1), end(q.Hi, -1)}, err)
}

// greatest is the greatest number of AdaptivFloat<8,3>.
func greatest(bias int) *big.Rat { return number.AdaptivFloat83.Value(0x7f, bias) }

// halfStep is half the distance of two numbers of 5 significant bits next to each other, where they are as great as v.
func halfStep(v *big.Rat) *big.Rat {
	if v.Sign() == 0 {
		return new(big.Rat)
	}
	e := v.Num().BitLen() - v.Denom().BitLen()
	if v.Cmp(power(e)) < 0 {
		e--
	}
	return power(e - 5)
}

// fixed are elements rounded to nearest, and cut to what there is.
func (q Question) fixed(count int, f number.Fixed) operand {
	unit := power(-f.Frac)
	ends := span{new(big.Rat).Mul(power(f.Width-1), new(big.Rat).Neg(unit)), new(big.Rat).Mul(new(big.Rat).Sub(power(f.Width-1), whole(1)), unit)}
	half := new(big.Rat).Mul(unit, big.NewRat(1, 2))
	// the range of quantised numbers: a multiple of the unit at most half of one beyond
	near := func(v *big.Rat, up bool) *big.Rat {
		u := new(big.Rat).Quo(v, unit)
		if up {
			u.Add(u, big.NewRat(1, 2))
		} else {
			u.Sub(u, big.NewRat(1, 2))
			u.Neg(u)
		}
		n := new(big.Int).Div(u.Num(), u.Denom())
		if !up {
			n.Neg(n)
		}
		return new(big.Rat).Mul(new(big.Rat).SetInt(n), unit)
	}
	machine := span{near(q.Lo, false), near(q.Hi, true)}.clip(ends)
	beyond := greater(new(big.Rat).Sub(q.Hi, ends.hi), new(big.Rat).Sub(ends.lo, q.Lo))
	return q.operand(count, machine, greater(half, beyond))
}

// integer are elements as signed integers of so many bits.
func (q Question) integer(count, width int) operand {
	return q.fixed(count, number.Fixed{Width: width})
}

// times is a sum of so many products: xw - x'w' = x(w - w') + w'(x - x').
func times(x, w operand, count int) quantity {
	n := whole(count)
	err := new(big.Rat).Add(new(big.Rat).Mul(x.ideal.size(), w.err), new(big.Rat).Mul(w.machine.size(), x.err))
	return quantity{x.ideal.product(w.ideal).by(n), x.machine.product(w.machine).by(n), err.Mul(err, n)}
}

// A chain is a quantity on its way through a machine, and what each step added to its error.
type chain struct {
	quantity
	steps []Step
	wraps string
}

// start begins a chain with what quantising operands has done already.
func (q Question) start(name string, x quantity) *chain {
	c := &chain{quantity: x}
	if q.AsGiven {
		c.steps = []Step{{"quantising", x.err}}
	}
	c.step(name, new(big.Rat))
	return c
}

// step adds a step, to the one of its name where there is one.
func (c *chain) step(name string, adds *big.Rat) {
	for i := range c.steps {
		if c.steps[i].Name == name {
			c.steps[i].Adds = new(big.Rat).Add(c.steps[i].Adds, adds)
			return
		}
	}
	c.steps = append(c.steps, Step{name, adds})
}

// farther says that the error grows.
func (c *chain) farther(name string, by *big.Rat) {
	c.err = new(big.Rat).Add(c.err, by)
	c.step(name, by)
}

// add adds another quantity.
func (c *chain) add(name string, x quantity) {
	c.ideal, c.machine = c.ideal.plus(x.ideal), c.machine.plus(x.machine)
	c.err = new(big.Rat).Add(c.err, x.err)
	if x.err.Sign() > 0 {
		c.step("quantising", x.err)
	}
	c.step(name, new(big.Rat))
}

// join adds another chain, with its steps.
func (c *chain) join(name string, x *chain) {
	c.ideal, c.machine = c.ideal.plus(x.ideal), c.machine.plus(x.machine)
	c.err = new(big.Rat).Add(c.err, x.err)
	for _, s := range x.steps {
		c.step(s.Name, s.Adds)
	}
	if c.wraps == "" {
		c.wraps = x.wraps
	}
	c.step(name, new(big.Rat))
}

// scale multiplies by a number above 0, exactly.
func (c *chain) scale(name string, f *big.Rat) {
	c.ideal, c.machine, c.err = c.ideal.by(f), c.machine.by(f), new(big.Rat).Mul(c.err, f)
	for i := range c.steps {
		c.steps[i].Adds = new(big.Rat).Mul(c.steps[i].Adds, f)
	}
	c.step(name, new(big.Rat))
}

// accumulate says that the number is kept modulo 2·end, from -end on: that it may wrap where it does not fit.
func (c *chain) accumulate(name string, end *big.Rat) {
	if c.wraps == "" && (c.machine.hi.Cmp(end) >= 0 || c.machine.lo.Cmp(new(big.Rat).Neg(end)) < 0) {
		c.wraps = name
	}
}

// down rounds a multiple of one unit down to one of another.
func (c *chain) down(name string, unit, from *big.Rat) { c.each(1, name, unit, from) }

// each rounds so many addends down.
func (c *chain) each(count int, name string, unit, from *big.Rat) {
	lost := new(big.Rat).Sub(unit, from)
	if lost.Sign() <= 0 {
		return
	}
	lost.Mul(lost, whole(count))
	c.machine = span{new(big.Rat).Sub(c.machine.lo, lost), c.machine.hi}
	c.farther(name, lost)
}

// nearest rounds to a multiple of a unit.
func (c *chain) nearest(name string, unit *big.Rat) {
	half := new(big.Rat).Mul(unit, big.NewRat(1, 2))
	c.machine = span{new(big.Rat).Sub(c.machine.lo, half), new(big.Rat).Add(c.machine.hi, half)}
	c.farther(name, half)
}

// clip cuts the number to a span: where it lies beyond, so does the ideal number, or it is nearer than it was.
func (c *chain) clip(name string, to span) {
	beyond := greater(new(big.Rat).Sub(c.ideal.hi, to.hi), new(big.Rat).Sub(to.lo, c.ideal.lo))
	reach := c.machine.hi.Cmp(to.hi) > 0 || c.machine.lo.Cmp(to.lo) < 0
	c.machine = c.machine.clip(to)
	if reach && beyond.Cmp(c.err) > 0 {
		c.farther(name, new(big.Rat).Sub(beyond, c.err))
	}
}

// code rounds to a code of AdaptivFloat<8,3> as the hardware does: to 5 significant bits, what is then at most
// 2^(bias-10) to 0, what is too large to the greatest number.
func (c *chain) code(bias int) {
	most := greatest(bias)
	c.clip("clip to the greatest code", span{new(big.Rat).Neg(most), most})
	size := c.machine.size()
	small := less(size, new(big.Rat).Mul(power(bias-10), big.NewRat(33, 32)))
	lost := greater(halfStep(size), small)
	c.machine = span{new(big.Rat).Sub(c.machine.lo, lost), new(big.Rat).Add(c.machine.hi, lost)}
	c.farther("rounding to a code", lost)
}
