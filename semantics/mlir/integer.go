package mlir

import (
	"math/big"
	"strings"

	"tv/internal/source"
	"tv/semantics/loops"
)

// A cval is an integer of control. It lies between lo and hi wherever sizes are in the domain and what was required before
// holds.
type cval struct {
	x      *loops.Int
	lo, hi *big.Int
	size   int // operations, as a tree
}

// mostOps bounds how large an integer of control is when it is written down.
const mostOps = 1 << 12

// mostSize is the bound of the domain: sizes are below 2^60.
var mostSize = new(big.Int).Lsh(big.NewInt(1), 60)

func constant(n *big.Int) *cval { return &cval{x: loops.Num(n.Int64()), lo: n, hi: n, size: 1} }

func num(n int64) *cval { return constant(big.NewInt(n)) }

// sized is a size: an argument, which is at least 1, or an extent, which is at least 0.
func sized(name string, least int64) *cval {
	return &cval{x: loops.SizeOf(name), lo: big.NewInt(least), hi: new(big.Int).Sub(mostSize, big.NewInt(1)), size: 1}
}

// number returns what v is, if it is one number.
func (v *cval) number() (int64, bool) {
	return v.lo.Int64(), v.x.Op == loops.Number
}

// made makes a value of others, whose size is that of theirs.
func (e *elaborator) made(at source.Span, x *loops.Int, lo, hi *big.Int, of ...*cval) *cval {
	size := 1
	for _, v := range of {
		size += v.size
	}
	if size > mostOps || x.Op == loops.Number && !lo.IsInt64() {
		fail(at, "too-large", "an integer of control of more than %d operations, or beyond 2^63", mostOps)
	}
	return &cval{x: x, lo: lo, hi: hi, size: size}
}

// limits are the least and the greatest number of a signed type.
func limits(width int) (lo, hi *big.Int) {
	hi = new(big.Int).Lsh(big.NewInt(1), uint(width-1))
	lo = new(big.Int).Neg(hi)
	return lo, hi.Sub(hi, big.NewInt(1))
}

// width is that of a type of integers: index has 64 bits.
func width(t *typ) int {
	if t.family == indexType {
		return 64
	}
	return t.width
}

// fit requires a value to lie between two numbers.
func (e *elaborator) fit(v *cval, lo, hi *big.Int, at source.Span, format string, args ...any) *cval {
	if v.lo.Cmp(lo) >= 0 && v.hi.Cmp(hi) <= 0 {
		return v
	}
	out := *v
	var conds []*loops.Cond
	if v.lo.Cmp(lo) < 0 {
		conds = append(conds, &loops.Cond{Op: loops.LessEqual, A: loops.Num(lo.Int64()), B: v.x})
		out.lo = lo
	}
	if v.hi.Cmp(hi) > 0 {
		conds = append(conds, &loops.Cond{Op: loops.LessEqual, A: v.x, B: loops.Num(hi.Int64())})
		out.hi = hi
	}
	c := conds[0]
	if len(conds) == 2 {
		c = &loops.Cond{Op: loops.All, Conds: conds}
	}
	e.require(c, loops.Index, at, format, args...)
	if out.lo.Cmp(out.hi) > 0 { // no value does
		out.lo, out.hi = lo, hi
	}
	return &out
}

// inWord requires a value to lie in a type.
func (e *elaborator) inWord(v *cval, bits int, at source.Span) *cval {
	lo, hi := limits(bits)
	return e.fit(v, lo, hi, at, "%s in %d bits", show(at), bits)
}

// natural requires a value not to be below 0, where it is read without a sign.
func (e *elaborator) natural(v *cval, at source.Span) *cval {
	_, hi := limits(64)
	return e.fit(v, new(big.Int), hi, at, "%s without a sign", show(at))
}

// show is the text of an operation, for messages.
func show(at source.Span) string {
	text := strings.Join(strings.Fields(at.Text()), " ")
	if len(text) > 60 {
		text = text[:57] + "..."
	}
	return text
}

func (e *elaborator) sum(at source.Span, a, b *cval) *cval {
	return e.made(at, loops.Sum(a.x, b.x), new(big.Int).Add(a.lo, b.lo), new(big.Int).Add(a.hi, b.hi), a, b)
}

func (e *elaborator) difference(at source.Span, a, b *cval) *cval {
	return e.made(at, loops.Difference(a.x, b.x), new(big.Int).Sub(a.lo, b.hi), new(big.Int).Sub(a.hi, b.lo), a, b)
}

// product multiplies: two factors that count make nothing affine.
func (e *elaborator) product(at source.Span, a, b *cval) *cval {
	if a.x.Counts() && b.x.Counts() {
		fail(at, "not-affine", "%s: a product of two counters", show(at))
	}
	var lo, hi *big.Int
	for _, p := range []*big.Int{a.lo, a.hi} {
		for _, q := range []*big.Int{b.lo, b.hi} {
			n := new(big.Int).Mul(p, q)
			if lo == nil || n.Cmp(lo) < 0 {
				lo = n
			}
			if hi == nil || n.Cmp(hi) > 0 {
				hi = n
			}
		}
	}
	return e.made(at, loops.Product(a.x, b.x), lo, hi, a, b)
}

// quotient divides, by what does not count.
func (e *elaborator) quotient(op loops.IntOp, at source.Span, a, b *cval) *cval {
	if b.x.Counts() {
		fail(at, "not-affine", "%s: a division by a counter", show(at))
	}
	if n, ok := b.number(); ok && n == 0 {
		fail(at, "unsupported-op", "%s: a division by 0", show(at))
	}
	if a.lo.Sign() >= 0 && b.lo.Sign() > 0 { // all ways to round are one
		op = map[loops.IntOp]loops.IntOp{loops.TruncDiv: loops.FloorDiv, loops.TruncMod: loops.FloorMod,
			loops.FloorDiv: op, loops.CeilDiv: op, loops.FloorMod: op}[op]
	}
	x := loops.Quotient(op, a.x, b.x)
	if x.Op == op {
		copied := *x
		copied.At = at
		x = &copied
	}
	lo, hi := quotientLimits(op, a, b)
	return e.made(at, x, lo, hi, a, b)
}

// quotientLimits encloses a quotient or a remainder.
func quotientLimits(op loops.IntOp, a, b *cval) (lo, hi *big.Int) {
	most := func(v *cval) *big.Int {
		if v.lo.CmpAbs(v.hi) > 0 {
			return new(big.Int).Abs(v.lo)
		}
		return new(big.Int).Abs(v.hi)
	}
	if op == loops.FloorMod || op == loops.TruncMod {
		hi = most(b)
		hi.Sub(hi, big.NewInt(1))
		lo = new(big.Int).Neg(hi)
		if op == loops.FloorMod && b.lo.Sign() > 0 || op == loops.TruncMod && a.lo.Sign() >= 0 {
			lo = new(big.Int)
		}
		if a.lo.Sign() >= 0 && b.lo.Sign() > 0 && a.hi.Cmp(hi) < 0 {
			hi = a.hi
		}
		return lo, hi
	}
	d, ok := b.number()
	if !ok || d < 1 {
		hi = most(a)
		lo = new(big.Int).Neg(hi)
		if a.lo.Sign() >= 0 && b.lo.Sign() > 0 {
			lo = new(big.Int)
		}
		return lo, hi
	}
	by := big.NewInt(d)
	round := func(n *big.Int) *big.Int {
		switch op {
		case loops.TruncDiv:
			return new(big.Int).Quo(n, by)
		case loops.CeilDiv:
			m := new(big.Int).Neg(n)
			return m.Neg(m.Div(m, by))
		}
		return new(big.Int).Div(n, by)
	}
	return round(a.lo), round(a.hi)
}

// extreme is the least or the greatest of some.
func (e *elaborator) extreme(op loops.IntOp, at source.Span, list []*cval) *cval {
	var args []*loops.Int
	lo, hi := list[0].lo, list[0].hi
next:
	for _, v := range list {
		if (v.lo.Cmp(lo) < 0) == (op == loops.Least) {
			lo = v.lo
		}
		if (v.hi.Cmp(hi) < 0) == (op == loops.Least) {
			hi = v.hi
		}
		for _, x := range args {
			if loops.Same(x, v.x) {
				continue next
			}
		}
		if v.x.Op == op {
			args = append(args, v.x.Args...)
		} else {
			args = append(args, v.x)
		}
	}
	x := args[0]
	if len(args) > 1 {
		x = op.Of(args...)
	}
	return e.made(at, x, lo, hi, list...)
}

// choose returns one of two values. What lowers min, max, floordiv, ceildiv and mod writes them in such a way.
func (e *elaborator) choose(at source.Span, c *loops.Cond, a, b *cval) *cval {
	if loops.Same(a.x, b.x) {
		return a
	}
	if c.Op == loops.Less || c.Op == loops.LessEqual {
		switch {
		case loops.Same(c.A, a.x) && loops.Same(c.B, b.x):
			return e.extreme(loops.Least, at, []*cval{a, b})
		case loops.Same(c.A, b.x) && loops.Same(c.B, a.x):
			return e.extreme(loops.Greatest, at, []*cval{a, b})
		}
		if v := e.rounded(at, c, a, b); v != nil {
			return v
		}
	}
	lo, hi := a.lo, a.hi
	if b.lo.Cmp(lo) < 0 {
		lo = b.lo
	}
	if b.hi.Cmp(hi) > 0 {
		hi = b.hi
	}
	x := &loops.Int{Op: loops.Choose, Cond: c, Args: []*loops.Int{a.x, b.x}, At: at}
	return e.made(at, x, lo, hi, a, b)
}

// rounded finds, where d is a number above 0,
//
//	n < 0 ? -1 - (-1 - n)/d : n/d      where the operand of the division is chosen first: n floordiv d
//	n <= 0 ? -(-n/d) : (n - 1)/d + 1   likewise: n ceildiv d
//	n rem d < 0 ? n rem d + d : n rem d: n mod d
func (e *elaborator) rounded(at source.Span, c *loops.Cond, a, b *cval) *cval {
	n := c.A
	if !c.B.Is(0) {
		return nil
	}
	if n.Op == loops.FloorMod && c.Op == loops.Less && positive(n.Args[1]) { // never
		return b
	}
	if n.Op == loops.TruncMod && c.Op == loops.Less && loops.Same(n, b.x) && positive(n.Args[1]) &&
		loops.Same(a.x, loops.Sum(n, n.Args[1])) {
		return e.quotientOf(loops.FloorMod, at, n.Args[0], n.Args[1])
	}
	q, op := b.x, loops.FloorDiv
	down := func(n *loops.Int) *loops.Int { return loops.Difference(loops.Num(-1), n) }
	up := func(n *loops.Int) *loops.Int { return n }
	if c.Op == loops.LessEqual {
		op, down = loops.CeilDiv, loops.Negated
		up = func(n *loops.Int) *loops.Int { return loops.Sum(n, loops.Num(-1)) }
		q = loops.Sum(q, loops.Num(-1))
	}
	if q.Op != loops.TruncDiv || !positive(q.Args[1]) || !loops.Same(a.x, down(q)) {
		return nil
	}
	chosen := q.Args[0]
	if chosen.Op != loops.Choose || !loops.SameCond(chosen.Cond, c) || !loops.Same(chosen.Args[0], down(n)) ||
		!loops.Same(chosen.Args[1], up(n)) {
		return nil
	}
	return e.quotientOf(op, at, n, q.Args[1])
}

func positive(x *loops.Int) bool { return x.Op == loops.Number && x.N > 0 }

// quotientOf divides an integer of which nothing but its form is known any more.
func (e *elaborator) quotientOf(op loops.IntOp, at source.Span, n, d *loops.Int) *cval {
	lo, hi := limits(64)
	return e.quotient(op, at, &cval{x: n, lo: lo, hi: hi, size: mostOps / 4}, num(d.N))
}

// arith is an operation of arith on integers of control.
func (e *elaborator) arith(o *oper, a, b *cval) *cval {
	at, bits := o.at, width(o.outTypes[0])
	word := func(v *cval) *cval { return e.inWord(v, bits, at) }
	switch strings.TrimPrefix(o.name, "arith.") {
	case "addi":
		return word(e.sum(at, a, b))
	case "subi":
		return word(e.difference(at, a, b))
	case "muli":
		return word(e.product(at, a, b))
	case "divsi":
		return word(e.quotient(loops.TruncDiv, at, a, b))
	case "floordivsi":
		return word(e.quotient(loops.FloorDiv, at, a, b))
	case "ceildivsi":
		return word(e.quotient(loops.CeilDiv, at, a, b))
	case "remsi":
		return e.quotient(loops.TruncMod, at, a, b)
	case "divui":
		return e.quotient(loops.FloorDiv, at, e.natural(a, at), e.natural(b, at))
	case "ceildivui":
		return e.quotient(loops.CeilDiv, at, e.natural(a, at), e.natural(b, at))
	case "remui":
		return e.quotient(loops.FloorMod, at, e.natural(a, at), e.natural(b, at))
	case "maxsi":
		return e.extreme(loops.Greatest, at, []*cval{a, b})
	case "minsi":
		return e.extreme(loops.Least, at, []*cval{a, b})
	case "maxui":
		return e.extreme(loops.Greatest, at, []*cval{e.natural(a, at), e.natural(b, at)})
	case "minui":
		return e.extreme(loops.Least, at, []*cval{e.natural(a, at), e.natural(b, at)})
	case "shli", "shrsi":
		n, ok := b.number()
		if !ok || n < 0 || n >= int64(bits) || n > 62 {
			fail(at, "not-affine", "%s: a shift by what is no number below %d", show(at), bits)
		}
		power := num(1 << n)
		if o.name == "arith.shrsi" {
			return e.quotient(loops.FloorDiv, at, a, power)
		}
		return word(e.product(at, a, power))
	}
	fail(at, "not-affine", "%s: of sizes and counters there are sums, products with sizes and quotients", show(at))
	return nil
}

// affine computes an expression of a map.
func (e *elaborator) affine(x *affineExpr, args []*cval) *cval {
	if x.op == "" {
		return constant(x.n)
	}
	if x.op == "d" {
		return args[x.d]
	}
	a, b := e.affine(x.a, args), e.affine(x.b, args)
	var v *cval
	switch x.op {
	case "+":
		v = e.sum(x.at, a, b)
	case "-":
		v = e.difference(x.at, a, b)
	case "*":
		v = e.product(x.at, a, b)
	case "floordiv":
		v = e.quotient(loops.FloorDiv, x.at, a, e.divisor(x, b))
	case "ceildiv":
		v = e.quotient(loops.CeilDiv, x.at, a, e.divisor(x, b))
	case "mod":
		v = e.quotient(loops.FloorMod, x.at, a, e.divisor(x, b))
	}
	return e.inWord(v, 64, x.at)
}

// divisor requires what divides in a map to be above 0: nothing is said of others. A number that the text has there is another
// matter than one that a symbol stands for, as in coalesced loops that do not run.
func (e *elaborator) divisor(x *affineExpr, v *cval) *cval {
	n, known := v.number()
	if known && n < 1 && x.b.literal() {
		fail(x.at, "unsupported-op", "%s: in a map a divisor is above 0", show(x.at))
	}
	if v.lo.Sign() > 0 {
		return v
	}
	e.require(&loops.Cond{Op: loops.LessEqual, A: loops.Num(1), B: v.x}, loops.Arithmetic, x.at, "%s: a divisor above 0", show(x.at))
	out := *v
	if out.lo = big.NewInt(1); known { // the call has ended, whatever this would be
		out = *constant(out.lo)
	}
	return &out
}
