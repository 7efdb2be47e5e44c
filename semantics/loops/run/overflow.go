package run

import (
	"math/big"

	"tv/semantics/loops"
	"tv/semantics/value"
)

// checked compiles an operation on integers with a sign at which the call ends where the result is none of the type.
func (c *compiler) checked(s *value.Scalars, e *loops.Expr) func() value.Value {
	var args []func() value.Value
	for _, a := range e.Args {
		args = append(args, c.element(a))
	}
	wraps := wrapping(s, e.Op)
	at, r := c.site(e.At), c.r
	if wraps == nil || len(args) != 1 && len(args) != 2 {
		c.fail("internal", "operation %d is checked", e.Op)
	}
	return func() value.Value {
		var numbers []*big.Int
		var list [2]value.Value
		for i, f := range args {
			list[i] = f()
		}
		for _, v := range list[:len(args)] {
			q, ok := v.Rat()
			if v.Failed() || !ok {
				at.unsure(v.Err(), "signed integers overflow")
			}
			numbers = append(numbers, q.Num())
		}
		if exact := exactly(e.Op, numbers); exact == nil || !within(exact, e.Elem.Width) {
			at.end(r, loops.Overflow, "signed overflow")
		}
		return wraps(list[0], list[1])
	}
}

// wrapping is an operation that is defined for all operands.
func wrapping(s *value.Scalars, op loops.Op) func(x, y value.Value) value.Value {
	switch op {
	case loops.Negate:
		return func(x, _ value.Value) value.Value { return s.Neg(x) }
	case loops.Absolute:
		return func(x, _ value.Value) value.Value { return s.Abs(x) }
	case loops.Add:
		return s.Add
	case loops.Sub:
		return s.Sub
	case loops.Mul:
		return s.Mul
	case loops.ShiftLeft:
		return func(x, y value.Value) value.Value { return s.Shift(x, y, true) }
	}
	return nil
}

// exactly is the result among the integers of mathematics, nil where there is none.
func exactly(op loops.Op, x []*big.Int) *big.Int {
	switch op {
	case loops.Negate:
		return new(big.Int).Neg(x[0])
	case loops.Absolute:
		return new(big.Int).Abs(x[0])
	case loops.Add:
		return new(big.Int).Add(x[0], x[1])
	case loops.Sub:
		return new(big.Int).Sub(x[0], x[1])
	case loops.Mul:
		return new(big.Int).Mul(x[0], x[1])
	}
	if x[0].Sign() < 0 || x[1].Sign() < 0 || x[1].Cmp(big.NewInt(64)) >= 0 {
		return nil
	}
	return new(big.Int).Lsh(x[0], uint(x[1].Int64()))
}

// within tells whether an integer is one of a type with a sign.
func within(n *big.Int, width int) bool {
	half := new(big.Int).Lsh(big.NewInt(1), uint(width-1))
	return n.Cmp(half) < 0 && new(big.Int).Neg(n).Cmp(half) <= 0
}
