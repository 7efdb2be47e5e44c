package tc

import (
	"strings"

	"tv/semantics/domain"
)

var zero, one = domain.IntSize(0), domain.IntSize(1)

// steers tells whether an expression is a condition on integers of control.
func (c *scope) steers(x *expr) bool {
	switch x.op {
	case "&&", "||":
		return c.steers(x.args[0]) && c.steers(x.args[1])
	case "!":
		return c.steers(x.args[0])
	}
	_, ok := comparisons[x.op]
	return ok && c.counts(x.args[0]) && c.counts(x.args[1])
}

// counts tells whether an expression is an integer of control in a form that conditions can have.
func (c *scope) counts(x *expr) bool {
	switch x.op {
	case opNumber:
		return !x.float
	case opName, opExtent:
		return true
	case opApply:
		if x.name != "min" && x.name != "max" {
			return false
		}
	case opCast:
		if !isInteger(x.typ) {
			return false
		}
	case "/", "%":
		d := x.args[1]
		return c.counts(x.args[0]) && (d.op == opNumber && !d.float && d.num.Sign() != 0 || d.op == opName && c.sizes[d.name] != nil)
	case "+", "-", "*":
	default:
		return false
	}
	for _, a := range x.args {
		if !c.counts(a) {
			return false
		}
	}
	return true
}

// size returns an integer of control. Where each is given, it is called for every value on the way to it.
func (c *scope) size(x *expr, each func(x *expr, v domain.Size)) domain.Size {
	v := c.sizeOf(x, each)
	if each != nil && x.op != opNumber && x.op != opName && x.op != opExtent {
		each(x, v)
	}
	return v
}

func (c *scope) sizeOf(x *expr, each func(*expr, domain.Size)) domain.Size {
	switch x.op {
	case opNumber:
		if x.float {
			fail(x.span, "not-static-control", "%s is no integer: it cannot be in a subscript or a bound", show(x.span))
		}
		return domain.BigSize(x.num.Num())
	case opName:
		return domain.NamedSize(x.name)
	case opExtent:
		return c.tensors[x.name].dims[x.axis]
	case opApply:
		if x.name != "min" && x.name != "max" {
			fail(x.span, "not-static-control", "%s is data: it cannot be in a subscript or a bound", show(x.span))
		}
	case opCast:
		if !isInteger(x.typ) {
			fail(x.span, "not-static-control", "%s is no integer: it cannot be in a subscript or a bound", show(x.span))
		}
	case "+", "-", "*", "/", "%":
	default:
		fail(x.span, "not-static-control", "%s is no integer of sizes and indices", show(x.span))
	}
	var args []domain.Size
	for _, a := range x.args {
		args = append(args, c.size(a, each))
	}
	switch {
	case x.op == opCast: // each sees to it that the type has the value
		return args[0]
	case len(args) == 1:
		return zero.Sub(args[0])
	case x.op == "/" || x.op == "%":
		return c.quotient(x, args[0], args[1])
	}
	return map[string]func(a, b domain.Size) domain.Size{"+": domain.Size.Add, "-": domain.Size.Sub, "*": domain.Size.Mul,
		"min": domain.Size.Min, "max": domain.Size.Max}[strings.TrimPrefix(x.op, opApply)+x.name](args[0], args[1])
}

// quotient is a division that goes towards 0, or its remainder; the divisor is a number or a size.
func (c *scope) quotient(x *expr, n, d domain.Size) domain.Size {
	sign := domain.IntSize(int64(max(d.Sign(), -1)))
	switch _, number := d.Const(); {
	case number && d.Sign() == 0:
		fail(x.span, "not-affine", "%s divides by 0", show(x.span))
	case number:
		d = d.Mul(sign) // x / -d is -(x / d), and x % -d is x % d
	case d.Op() == domain.SizeName && c.indices[d.Name()] == nil:
		sign = one
	default:
		fail(x.span, "not-affine", "%s: in a subscript or a bound a divisor is a number or a size", show(x.span))
	}
	trunc := n.Max(zero).Div(d).Sub(zero.Sub(n).Max(zero).Div(d)) // one of the two is 0
	if c.solved(n) && c.reach(n).lo.Sign() >= 0 {
		trunc = n.Div(d)
	}
	if x.op == "%" {
		return n.Sub(d.Mul(trunc))
	}
	return trunc.Mul(sign)
}
