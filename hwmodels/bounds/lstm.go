package bounds

import (
	"fmt"
	"math/big"
)

// A Cell is an LSTM on FlexASR: sizes, the biases of the exponents of weights, inputs, biases and outputs, and how far the tables of
// its functions lie from these.
type Cell struct {
	States, Inputs, Steps int
	Exponents             [4]int
	Sigmoid, Tanh         *big.Rat
}

// handedOn is the step of what comes from operands that are off themselves.
const handedOn = "states and cells that are off"

// LSTM bounds the states of all timesteps, and the cells behind the last. The bound of a state is of use while it is below 1, which no state
// is beyond.
func LSTM(q Question, s Cell) *Bound {
	n, k := s.States, s.Inputs
	x, wx, wh := q.adaptive(k, s.Exponents[1]), q.adaptive(gates*n*k, s.Exponents[0]), q.adaptive(gates*n*n, s.Exponents[0])
	bias := q.adaptive(gates*n, s.Exponents[2])
	h, cell := q.adaptive(n, s.Exponents[1]), q.adaptive(n, s.Exponents[3])
	first, firstCell := h, cell
	var worst *chain
	var notes []string
	one := whole(1)
	for t := range s.Steps {
		reason := "quantising"
		if t > 0 {
			reason = handedOn
		}
		gate := s.product(x, wx, bias, k, "quantising")
		gate.join("sum of both parts", s.product(h, wh, bias, n, reason))
		gate.accumulate("a register, the sum of both parts of a gate,", whole(32))
		sigm, tanh := gate.sigmoid(s.Sigmoid), gate.tanh(s.Tanh)
		kept := startOff(cell.quantity, reason)
		kept.multiply(sigm)
		c := sigm.clone()
		c.multiply(tanh)
		c.join("sums of products of gates", kept)
		c.accumulate("a register, the cell,", whole(32))
		out := c.tanh(s.Tanh)
		out.multiply(sigm)
		out.code(s.Exponents[3])
		c.code(s.Exponents[3])
		if worst == nil || worst.err.Cmp(out.err) < 0 {
			worst = out.clone()
		}
		for _, made := range []*chain{out, c} {
			if worst.wraps == "" {
				worst.wraps = made.wraps
			}
		}
		if s.Steps > 1 {
			notes = append(notes, fmt.Sprintf("timestep %d: states are off by at most %s", t, Decimal(out.err)))
		}
		h.quantity, cell.quantity = out.quantity, c.quantity
		if t == s.Steps-1 && worst.err.Cmp(c.err) < 0 {
			wraps := worst.wraps
			worst = c.clone()
			worst.wraps = wraps
		}
		if out.err.Cmp(one) >= 0 {
			notes = append(notes, fmt.Sprintf("of no use from timestep %d on: no state is beyond 1", t))
			if t < s.Steps-1 && worst.wraps == "" { // what follows is farther off still, and registers may wrap: a trivial bound is given
				return s.trivial(notes, first, firstCell, x, wx, wh)
			}
		}
	}
	b := worst.bound((s.Steps+1)*n, x, first, firstCell, wx, wh)
	b.Notes = notes
	return b
}

const gates = 4

// trivial is what holds whatever happens: the machine's numbers are codes, no state is beyond 1, and cells grow by less than 1 a timestep.
func (s Cell) trivial(notes []string, first, cell operand, operands ...operand) *Bound {
	most := greater(whole(1), new(big.Rat).Add(cell.ideal.size(), whole(s.Steps)))
	c := &chain{quantity: quantity{span{new(big.Rat).Neg(most), most}, span{}, new(big.Rat).Add(most, greatest(s.Exponents[3]))}}
	c.step("all that there is between the greatest cell and the greatest code", c.err)
	b := c.bound((s.Steps+1)*s.States, append([]operand{first, cell}, operands...)...)
	b.Notes = notes
	return b
}

// product is the sum of so many products and a bias as a register has it.
func (s Cell) product(x, w, bias operand, count int, reason string) *chain {
	c := startOff(times(x, w, count), reason)
	c.step("products, exact", new(big.Rat))
	unit := s.Exponents[0] + s.Exponents[1] - 28
	c.accumulate("the accumulator of 32 bits", new(big.Rat).Mul(whole(1<<31), power(unit)))
	c.down("shifts to Q6.14, rounding down", power(-14), power(unit))
	c.add("biases, exact", bias.span())
	c.accumulate("the sum of 32 bits with the bias", new(big.Rat).Mul(whole(1<<31), power(-14)))
	c.clip("clip to Q6.14", span{new(big.Rat).Neg(q614()), q614()})
	return c
}

// startOff begins a chain with a quantity that is off for a reason.
func startOff(x quantity, reason string) *chain {
	c := &chain{quantity: x}
	if x.err.Sign() > 0 {
		c.step(reason, x.err)
	}
	return c
}

func (c *chain) clone() *chain {
	d := *c
	d.steps = append([]Step(nil), c.steps...)
	return &d
}

// grown scales what steps added.
func (c *chain) grown(by *big.Rat) {
	c.err = new(big.Rat).Mul(c.err, by)
	for i := range c.steps {
		c.steps[i].Adds = new(big.Rat).Mul(c.steps[i].Adds, by)
	}
}

// sigmoid is the table of a sigmoid, whose slope is at most 1/4.
func (c *chain) sigmoid(off *big.Rat) *chain {
	d := c.clone()
	d.grown(big.NewRat(1, 4))
	d.ideal = span{new(big.Rat), whole(1)}
	d.machine = span{new(big.Rat).Neg(off), new(big.Rat).Add(whole(1), off)}
	d.farther("table of the sigmoid", off)
	return d
}

// tanh is the table of a hyperbolic tangent, which is nowhere beyond its argument or 1, and whose slope is at most 1.
func (c *chain) tanh(off *big.Rat) *chain {
	d := c.clone()
	most := less(whole(1), c.ideal.size())
	d.ideal = span{new(big.Rat).Neg(most), most}
	most = new(big.Rat).Add(less(whole(1), c.machine.size()), off)
	d.machine = span{new(big.Rat).Neg(most), most}
	d.farther("table of the hyperbolic tangent", off)
	return d
}

// multiply multiplies by another number, x·y - x'·y' = x·(y - y') + y'·(x - x'), and rounds down to Q6.14.
func (c *chain) multiply(y *chain) {
	other := y.clone()
	other.grown(c.ideal.size())
	c.grown(y.machine.size())
	ideal, machine := c.ideal.product(y.ideal), c.machine.product(y.machine)
	c.err = new(big.Rat).Add(c.err, other.err)
	for _, s := range other.steps {
		c.step(s.Name, s.Adds)
	}
	if c.wraps == "" {
		c.wraps = y.wraps
	}
	c.ideal, c.machine = ideal, machine
	c.accumulate("a product of registers", whole(32))
	c.down("products of registers, rounding down", power(-14), power(-28))
}
