package cnest

import (
	"math/big"
	"regexp"
	"sync"

	"tv/internal/source"
	"tv/proofs/loops"
	"tv/semantics/domain"
)

// overflowLine says that signed overflow of data is undefined (6.5). Then an operation is Checked
// that may overflow, as far as is known of its operands.
var overflowLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`#[ \t]*pragma[ \t]+overflow[ \t]+undefined\b`)
})

// binary is an operation of the text.
func (l *lowering) binary(op string, x *loops.Data, s ctype, y *loops.Data, t ctype,
	at source.Span) (*loops.Data, ctype) {
	out, c := binary(op, x, s, y, t, at)
	if op == "<<" && l.checked && c.signed() {
		least, _ := l.span(x)
		check(least.Sign() >= 0, at, "unsupported-op", "a shift of what may be below 0")
		check(out.Op == loops.DataMul, at, "unsupported-op", "a shift of signed integers by data")
	}
	return l.fitting(out, c, at), c
}

// fitting is what an operation gives, which may not overflow where that is undefined.
func (l *lowering) fitting(x *loops.Data, t ctype, at source.Span) *loops.Data {
	if l.checked && t.isInt() && t.signed() {
		least, most := l.exactly(x)
		x.Checked = !holds(t.elem, least, most)
	}
	return x
}

func holds(t domain.Elem, least, most *big.Int) bool {
	lo, hi := ctype{elem: t, rank: 1}.limits()
	return least.Cmp(lo) >= 0 && most.Cmp(hi) <= 0
}

// span is where an integer lies that is data.
func (l *lowering) span(x *loops.Data) (least, most *big.Int) {
	if least, most = l.exactly(x); holds(x.Elem, least, most) {
		return least, most
	}
	return ctype{elem: x.Elem, rank: 1}.limits()
}

// exactly is where the result of an operation lies that does not wrap.
func (l *lowering) exactly(x *loops.Data) (least, most *big.Int) {
	least, most = ctype{elem: x.Elem, rank: 1}.limits()
	for _, a := range x.Args {
		if a.Elem.Kind != domain.ElemInt && a.Elem.Kind != domain.ElemUint {
			return least, most
		}
	}
	side := func(i int) [2]*big.Int {
		lo, hi := l.span(x.Args[i])
		return [2]*big.Int{lo, hi}
	}
	combine := func(op func(z, x, y *big.Int) *big.Int) (least, most *big.Int) {
		for _, p := range side(0) {
			for _, q := range side(1) {
				v := op(new(big.Int), p, q)
				if least == nil || v.Cmp(least) < 0 {
					least = v
				}
				if most == nil || v.Cmp(most) > 0 {
					most = v
				}
			}
		}
		return least, most
	}
	switch x.Op {
	case loops.DataInt:
		if s, known := l.spans[x]; known {
			return s[0], s[1]
		}
	case loops.DataLiteral:
		if v, ok := new(big.Int).SetString(x.Text, 10); ok {
			return v, v
		}
	case loops.DataConvert:
		return l.span(x.Args[0])
	case loops.DataNeg:
		s := side(0)
		return new(big.Int).Neg(s[1]), new(big.Int).Neg(s[0])
	case loops.DataAdd:
		return combine((*big.Int).Add)
	case loops.DataSub:
		return combine((*big.Int).Sub)
	case loops.DataMul:
		return combine((*big.Int).Mul)
	}
	return least, most
}
