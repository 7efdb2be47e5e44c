package cnest

import (
	"math/big"

	"tv/semantics/domain"
	"tv/semantics/loops"
)

// OverflowLine is the line by which signed overflow of data is undefined in a text; without it data wraps.
const OverflowLine = "#pragma overflow undefined"

// AliasLine is the line by which parameters of a text may overlap that are not restrict; without it they do not.
const AliasLine = "#pragma alias may"

// An interval has the integers from lo to hi.
type interval struct{ lo, hi *big.Int }

// overflowing has an operation checked that may overflow, where that is undefined.
func (e *elaborator) overflowing(v dval) dval {
	if !e.strict || v.typ.family != integer || v.typ.unsigned {
		return v
	}
	lo, hi := v.typ.limits()
	if got, ok := e.exactRange(v.x); ok && (got.lo.Cmp(lo) < 0 || got.hi.Cmp(hi) > 0) {
		v.x.Checked = true
	}
	return v
}

// rangeOf is where an element of an integer type lies.
func (e *elaborator) rangeOf(x *loops.Expr) interval {
	if known, ok := e.ranges[x]; ok {
		return known
	}
	t := ctype{integer, x.Elem.Width, x.Elem.Kind == domain.ElemUint}
	if x.Elem == boolean {
		t = ctype{integer, 1, true}
	}
	lo, hi := t.limits()
	out := interval{lo, hi}
	if got, ok := e.exactRange(x); ok && got.lo.Cmp(lo) >= 0 && got.hi.Cmp(hi) <= 0 {
		out = got
	}
	e.ranges[x] = out
	return out
}

// exactRange is where the result of an operation lies among the integers of mathematics, for some operations. A shift of
// what may be below 0 has no result.
func (e *elaborator) exactRange(x *loops.Expr) (out interval, ok bool) {
	var args []interval
	for _, a := range x.Args {
		if a.Elem.Kind == domain.ElemFloat {
			return interval{}, false
		}
		args = append(args, e.rangeOf(a))
	}
	corners := func(op func(z, x, y *big.Int) *big.Int) interval {
		var out interval
		for _, p := range []*big.Int{args[0].lo, args[0].hi} {
			for _, q := range []*big.Int{args[1].lo, args[1].hi} {
				n := op(new(big.Int), p, q)
				if out.lo == nil {
					out = interval{n, n}
				}
				out = interval{lesser(out.lo, n), greater(out.hi, n)}
			}
		}
		return out
	}
	switch x.Op {
	case loops.Literal:
		return interval{x.Number.Num(), x.Number.Num()}, x.Number.IsInt()
	case loops.Convert:
		return args[0], true
	case loops.Negate:
		return interval{new(big.Int).Neg(args[0].hi), new(big.Int).Neg(args[0].lo)}, true
	case loops.Absolute:
		most := greater(new(big.Int).Abs(args[0].lo), new(big.Int).Abs(args[0].hi))
		return interval{new(big.Int), most}, true
	case loops.Add:
		return corners((*big.Int).Add), true
	case loops.Sub:
		return corners((*big.Int).Sub), true
	case loops.Mul:
		return corners((*big.Int).Mul), true
	case loops.Choice:
		return interval{lesser(args[1].lo, args[2].lo), greater(args[1].hi, args[2].hi)}, true
	case loops.ShiftLeft:
		by, beyond := args[1].hi, new(big.Int).Lsh(big.NewInt(1), 100)
		if args[0].lo.Sign() < 0 || args[1].lo.Sign() < 0 || by.Cmp(big.NewInt(64)) > 0 {
			return interval{new(big.Int).Neg(beyond), beyond}, true
		}
		return interval{new(big.Int), new(big.Int).Lsh(args[0].hi, uint(by.Int64()))}, true
	}
	return interval{}, false
}
