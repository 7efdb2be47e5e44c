package cnest

import (
	"math/big"

	"tv/internal/source"
	"tv/semantics/loops"
)

// A cval is an integer of control in its type, or a whole number in a float type. It lies between lo and hi wherever sizes
// are in the domain and what was required before holds.
type cval struct {
	typ    ctype
	x      *loops.Int // nil of a number of 2^63 or more
	lo, hi *big.Int
	at     source.Span // where x is nil
}

func constantOf(typ ctype, n *big.Int) cval {
	v := cval{typ: typ, lo: n, hi: n}
	if n.IsInt64() {
		v.x = loops.Num(n.Int64())
	}
	return v
}

// constant returns the number that v is, if it is one.
func (v cval) constant() (*big.Int, bool) { return v.lo, v.lo.Cmp(v.hi) == 0 }

// in tells whether v lies between two numbers.
func (v cval) in(lo, hi *big.Int) bool { return v.lo.Cmp(lo) >= 0 && v.hi.Cmp(hi) <= 0 }

// control returns the value of an expression of control. Each value on the way is required to lie in its type.
func (e *elaborator) control(x *expr) cval {
	v := e.controlled(x)
	if v.x == nil {
		fail(x.span, "too-large", "%s: integers of control are below 2^63", show(x.span))
	}
	if v.x.At.File == nil && v.x.Op != loops.Counter && v.x.Op != loops.Size {
		at := *v.x
		at.At = x.span
		v.x = &at
	}
	return v
}

// show is the text of an expression, for messages.
func show(at source.Span) string {
	text := at.Text()
	if len(text) > 60 {
		text = text[:57] + "..."
	}
	return text
}

func (e *elaborator) controlled(x *expr) cval {
	if n, d, ok := quotient(x); ok {
		return e.floatQuotient(x, n, d)
	}
	switch x.op {
	case opName:
		return e.standing(x)
	case opNumber:
		if x.typ.family != integer {
			fail(x.span, "not-static-control", "%s is no integer: it cannot be in a subscript, a bound or an extent", show(x.span))
		}
		v := constantOf(x.typ, x.num.Num())
		v.at = x.span
		return v
	case opCast:
		if x.typ.family != integer {
			break
		}
		return e.fit(e.controlled(x.args[0]), x.typ, x.span, "")
	case opCall:
		if x.call != nil {
			return e.controlCall(x)
		}
		if isIntrinsic(x.name) {
			return e.intrinsic(x)
		}
	case "?:", "&&", "||", "!", "<", "<=", ">", ">=", "==", "!=":
		return e.truthValue(x)
	case opSpecial, opAddress:
	case opIndex, opContent:
		fail(x.span, "not-static-control", "%s is data: it cannot be in a subscript, a bound or an extent", show(x.span))
	default:
		if len(x.args) == 1 {
			return e.unary(x)
		}
		return e.binary(x)
	}
	fail(x.span, "not-static-control", "%s is no integer of sizes and counters", show(x.span))
	return cval{}
}

// standing returns what a scalar of control is here.
func (e *elaborator) standing(x *expr) cval {
	s := x.sym
	if !s.control {
		what := "data"
		if s.array {
			what = "an array"
		}
		fail(x.span, "not-static-control", "%s is %s: it cannot be in a subscript, a bound or an extent", s.name, what)
	}
	st, ok := e.env.of[s]
	if !ok || st.none != "" {
		if ok && st.none == unsaid {
			fail(x.span, "", "")
		}
		why := "it is read before it is assigned"
		if ok {
			why = st.none
		}
		fail(x.span, "not-static-control", "%s is no function of sizes and counters here: %s", s.name, why)
	}
	return st.value
}

// unsaid is why a scalar has no value whose assignment was refused: that is said already.
const unsaid = "-"

// fit converts a value to a type in which it is required to lie.
func (e *elaborator) fit(v cval, t ctype, at source.Span, what string) cval {
	lo, hi := t.limits()
	v.typ = t
	if v.in(lo, hi) || e.loose {
		return v
	}
	if what == "" {
		what = show(at)
	}
	if v.x == nil {
		fail(at, "too-large", "%s: integers of control are below 2^63", what)
	}
	article := "a"
	if t == intType || t.unsigned {
		article = "an"
	}
	var conds []*loops.Cond
	if v.lo.Cmp(lo) < 0 {
		conds = append(conds, &loops.Cond{Op: loops.LessEqual, A: loops.Num(lo.Int64()), B: v.x})
		v.lo = lo
	}
	if v.hi.Cmp(hi) > 0 {
		conds = append(conds, atMost(v.x, hi))
		v.hi = hi
	}
	c := conds[0]
	if len(conds) == 2 {
		c = &loops.Cond{Op: loops.All, Conds: conds}
	}
	e.require(c, loops.Index, at, "%s as %s %s", what, article, t)
	if v.lo.Cmp(v.hi) > 0 { // no value does
		v.lo, v.hi = lo, hi
	}
	return v
}

// atMost says that x is at most a number, which may be one of 64 bits without a sign.
func atMost(x *loops.Int, n *big.Int) *loops.Cond {
	if n.IsInt64() {
		return &loops.Cond{Op: loops.LessEqual, A: x, B: loops.Num(n.Int64())}
	}
	const half = 1 << 32
	return &loops.Cond{Op: loops.Less, A: loops.FloorDiv.Of(x, loops.Num(half)), B: loops.Num(half)}
}

// operands returns both operands of an operator in their common type.
func (e *elaborator) operands(x *expr) (a, b cval, t ctype) {
	a, b = e.controlled(x.args[0]), e.controlled(x.args[1])
	t = usual(a.typ, b.typ)
	return e.fit(a, t, x.args[0].span, ""), e.fit(b, t, x.args[1].span, ""), t
}

func (e *elaborator) unary(x *expr) cval {
	a := e.controlled(x.args[0])
	t := a.typ.promoted()
	a.typ = t
	switch x.op {
	case "+":
		return a
	case "-":
		return e.fit(e.product(constantOf(t, big.NewInt(-1)), a), t, x.span, "")
	case "~":
		if n, ok := a.constant(); ok && t.family == integer {
			v := e.word(t, new(big.Int).Not(n))
			v.at = x.span
			return v
		}
	}
	fail(x.span, "not-affine", "%s: of sizes and counters there are sums, products with sizes and quotients", show(x.span))
	return cval{}
}

// word is a constant of a type modulo 2^width: a pattern of bits.
func (e *elaborator) word(t ctype, n *big.Int) cval {
	m := new(big.Int).Lsh(big.NewInt(1), uint(t.width))
	n = new(big.Int).Mod(n, m)
	if _, hi := t.limits(); n.Cmp(hi) > 0 {
		n.Sub(n, m)
	}
	return constantOf(t, n)
}

func (e *elaborator) binary(x *expr) cval {
	switch x.op {
	case "<<", ">>":
		return e.shift(x)
	case "&", "|", "^":
		return e.mask(x)
	}
	a, b, t := e.operands(x)
	switch x.op {
	case "+":
		v := e.sum(a, b, 1)
		if _, most := t.limits(); v.hi.Cmp(most) > 0 { // what is said of the sum is said of parts of it
			e.drop(b.x, most, a)
			e.drop(a.x, most, b)
		}
		return e.fit(v, t, x.span, "")
	case "-":
		return e.fit(e.sum(a, b, -1), t, x.span, "")
	case "*":
		e.affine(x, a, b)
		return e.fit(e.product(a, b), t, x.span, "")
	case "/", "%":
		if t.family != integer {
			fail(x.span, "not-affine", "%s: a quotient of floats in a subscript or a bound is an argument of floor or ceil",
				show(x.span))
		}
		op := loops.TruncDiv
		if x.op == "%" {
			op = loops.TruncMod
		}
		return e.fit(e.quotient(x, op, a, b), t, x.span, "")
	}
	fail(x.span, "unsupported-op", "%s in a subscript, a bound or an extent", x.op)
	return cval{}
}

// drop takes the last Require back if it says that x is at most a number, which another says of the sum of x and what is
// not below 0.
func (e *elaborator) drop(x *loops.Int, most *big.Int, other cval) {
	n := len(e.cur.stmts)
	if n == 0 || other.lo.Sign() < 0 {
		return
	}
	if r, ok := e.cur.stmts[n-1].(*loops.Require); ok && r.Obligation == loops.Index {
		if key := e.condKey(atMost(x, most)); key == e.condKey(r.Cond) {
			e.cur.stmts = e.cur.stmts[:n-1]
			delete(e.cur.known, string(r.Obligation)+key)
		}
	}
}

// affine refuses products of two counters.
func (e *elaborator) affine(x *expr, a, b cval) {
	if a.x != nil && b.x != nil && a.x.Counts() && b.x.Counts() {
		fail(x.span, "not-affine", "%s: a product of two counters", show(x.span))
	}
}

// whole returns the Int of a value, which has to have one.
func (e *elaborator) whole(v cval) *loops.Int {
	if v.x == nil {
		fail(v.at, "too-large", "%s: integers of control are below 2^63", show(v.at))
	}
	return v.x
}

func (e *elaborator) sum(a, b cval, sign int64) cval {
	y := e.whole(b)
	out := cval{typ: a.typ}
	if sign < 0 {
		out.x = loops.Difference(e.whole(a), y)
		out.lo, out.hi = new(big.Int).Sub(a.lo, b.hi), new(big.Int).Sub(a.hi, b.lo)
	} else {
		out.x = loops.Sum(e.whole(a), y)
		out.lo, out.hi = new(big.Int).Add(a.lo, b.lo), new(big.Int).Add(a.hi, b.hi)
	}
	return out
}

func (e *elaborator) product(a, b cval) cval {
	out := cval{typ: a.typ, x: loops.Product(e.whole(a), e.whole(b))}
	for _, p := range []*big.Int{a.lo, a.hi} {
		for _, q := range []*big.Int{b.lo, b.hi} {
			n := new(big.Int).Mul(p, q)
			if out.lo == nil || n.Cmp(out.lo) < 0 {
				out.lo = n
			}
			if out.hi == nil || n.Cmp(out.hi) > 0 {
				out.hi = n
			}
		}
	}
	return out
}

// quotient divides: by what is free of counters.
func (e *elaborator) quotient(x *expr, op loops.IntOp, a, b cval) cval {
	if e.whole(b).Counts() {
		fail(x.span, "not-affine", "%s: a division by a counter", show(x.span))
	}
	if n, ok := b.constant(); ok && n.Sign() == 0 {
		fail(x.span, "unsupported-op", "%s: a division by 0", show(x.span))
	}
	if a.lo.Sign() >= 0 && b.lo.Sign() >= 0 { // all ways to round are one; by 0 there is none
		switch op {
		case loops.TruncDiv:
			op = loops.FloorDiv
		case loops.TruncMod:
			op = loops.FloorMod
		}
	}
	out := cval{typ: a.typ, x: loops.Quotient(op, e.whole(a), b.x)}
	if out.x.Op == op {
		out.x.At = x.span
	}
	most := func(p, q *big.Int) *big.Int { // the greater of two magnitudes
		if p.CmpAbs(q) < 0 {
			p = q
		}
		return new(big.Int).Abs(p)
	}
	n := most(a.lo, a.hi)
	if op == loops.TruncMod || op == loops.FloorMod {
		n = most(b.lo, b.hi)
		n.Sub(n, big.NewInt(1))
	}
	out.lo, out.hi = new(big.Int).Neg(n), n
	if a.lo.Sign() >= 0 && b.lo.Sign() >= 0 {
		out.lo = new(big.Int)
		if (op == loops.TruncMod || op == loops.FloorMod) && a.hi.Cmp(out.hi) < 0 {
			out.hi = a.hi
		}
	}
	if d, ok := b.constant(); ok && d.Sign() > 0 && op != loops.TruncMod && op != loops.FloorMod {
		round := map[loops.IntOp]func(*big.Int) *big.Int{
			loops.TruncDiv: func(p *big.Int) *big.Int { return new(big.Int).Quo(p, d) },
			loops.FloorDiv: func(p *big.Int) *big.Int { return new(big.Int).Div(p, d) },
			loops.CeilDiv: func(p *big.Int) *big.Int {
				return new(big.Int).Neg(new(big.Int).Div(new(big.Int).Neg(p), d))
			},
		}[op]
		out.lo, out.hi = round(a.lo), round(a.hi)
	}
	if op == loops.FloorMod {
		out.lo = new(big.Int)
		if b.lo.Sign() < 0 {
			out.lo = new(big.Int).Neg(out.hi)
		}
	}
	if c, ok := out.constant(); ok && out.x.Op == op && a.x.Op == loops.Number && b.x.Op == loops.Number {
		out.x = loops.Num(c.Int64())
	}
	return out
}

// shift is a product with a power of 2, or a quotient that is rounded down.
func (e *elaborator) shift(x *expr) cval {
	a, b := e.controlled(x.args[0]), e.controlled(x.args[1])
	t := a.typ.promoted()
	n, ok := b.constant()
	if !ok || t.family != integer {
		fail(x.span, "not-affine", "%s: a shift by what is no number", show(x.span))
	}
	if n.Sign() < 0 || n.Cmp(big.NewInt(int64(t.width))) >= 0 {
		fail(x.span, "unsupported-op", "%s: a shift by %s of a type of %d bits", show(x.span), n, t.width)
	}
	a.typ = t
	power := constantOf(t, new(big.Int).Lsh(big.NewInt(1), uint(n.Int64())))
	if x.op == ">>" {
		if power.x == nil {
			fail(x.span, "not-affine", "%s: a shift that far", show(x.span))
		}
		return e.quotient(x, loops.FloorDiv, a, power)
	}
	return e.fit(e.product(a, power), t, x.span, "")
}

// mask is the remainder of a power of 2, x & 7, or the multiple below x, x & ~7. Of two constants it is any operation on bits.
func (e *elaborator) mask(x *expr) cval {
	a, b := e.controlled(x.args[0]), e.controlled(x.args[1])
	t := usual(a.typ, b.typ)
	for _, v := range []*cval{&a, &b} {
		if n, ok := v.constant(); ok && t.family == integer { // ~7 as an unsigned is a pattern of bits
			*v = e.word(t, n)
		} else {
			*v = e.fit(*v, t, x.span, "")
		}
	}
	if _, ok := a.constant(); ok {
		a, b = b, a
	}
	m, ok := b.constant()
	n, both := a.constant()
	switch {
	case both && x.op == "&":
		return constantOf(t, new(big.Int).And(n, m))
	case both && x.op == "|":
		return constantOf(t, new(big.Int).Or(n, m))
	case both:
		return constantOf(t, new(big.Int).Xor(n, m))
	case ok && x.op == "&" && t.family == integer:
		power := new(big.Int).Add(m, big.NewInt(1)) // of x & 7, 8
		if power.Sign() > 0 && power.IsInt64() && new(big.Int).And(power, m).Sign() == 0 {
			return e.quotient(x, loops.FloorMod, a, constantOf(t, power))
		}
		rest := new(big.Int).Neg(m) // of x & ~7, 8
		if t.unsigned {
			rest.Add(rest, new(big.Int).Lsh(big.NewInt(1), uint(t.width)))
		}
		if rest.Sign() > 0 && rest.IsInt64() && new(big.Int).And(rest, new(big.Int).Sub(rest, big.NewInt(1))).Sign() == 0 {
			p := constantOf(t, rest)
			return e.product(p, e.quotient(x, loops.FloorDiv, a, p))
		}
	}
	fail(x.span, "not-affine", "%s: of operations on bits there are remainders of powers of 2", show(x.span))
	return cval{}
}

// intrinsic is min, max, floord or ceild of integers of control.
func (e *elaborator) intrinsic(x *expr) cval {
	a, b, _ := e.operands(x)
	switch x.name {
	case "floord":
		return e.fit(e.quotient(x, loops.FloorDiv, a, b), a.typ, x.span, "")
	case "ceild":
		return e.fit(e.quotient(x, loops.CeilDiv, a, b), a.typ, x.span, "")
	case "min":
		least := e.extreme(loops.Least, e.whole(a), e.whole(b))
		return cval{typ: a.typ, x: least, lo: lesser(a.lo, b.lo), hi: lesser(a.hi, b.hi)}
	}
	most := e.extreme(loops.Greatest, e.whole(a), e.whole(b))
	return cval{typ: a.typ, x: most, lo: greater(a.lo, b.lo), hi: greater(a.hi, b.hi)}
}

func lesser(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

func greater(a, b *big.Int) *big.Int {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}

// floatQuotient is floor or ceil of a quotient of doubles: that of the integers, as both are below 2^53. A quotient k - 1/d is
// further from k than doubles near it are from each other.
func (e *elaborator) floatQuotient(x, n, d *expr) cval {
	a, b := e.fit(e.controlled(n), doubleType, n.span, ""), e.fit(e.controlled(d), doubleType, d.span, "")
	op := loops.FloorDiv
	if x.name == "ceil" {
		op = loops.CeilDiv
	}
	return e.quotient(x, op, a, b)
}
