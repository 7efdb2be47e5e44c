package index

// Bounds of the quotients that Div tries one by one: by a number, by a name.
const (
	maxCells = 4
	maxNear  = 8
)

// Div returns t div q, floor division. The divisor must be positive at ctx. The result is exact: the part
// of t that q divides is taken out as a polynomial, and what is left vanishes where it lies in [0, q).
// Facts that contradict each other, and axes without an index, make divisors that are not positive; as
// there is no place at which anybody asks, the quotient is 0 there.
func (b *Builder) Div(ctx *Context, t, q *Expr) *Expr {
	if n, ok := q.Const(); ok {
		if n.Sign() <= 0 {
			return b.Const(0)
		}
		if n.IsOne() {
			return t
		}
		if m, ok := t.Const(); ok {
			k, _ := m.DivMod(n)
			return b.Num(k)
		}
	}
	if b.inRange(ctx, t, q) {
		return b.Const(0)
	}
	a, r := b.divide(t, q)
	if r.IsZero() {
		return a
	}
	if is := b.known(ctx, r, q); is != nil {
		return b.Add(a, is)
	}
	if r != t && b.inRange(ctx, r, q) {
		return a
	}
	if n, ok := q.Const(); ok {
		if iv := b.interval(ctx, r); !iv.noLo && !iv.noHi {
			lo, _ := iv.lo.DivMod(n)
			hi, _ := iv.hi.DivMod(n)
			if lo.Cmp(hi) == 0 {
				return b.Add(a, b.Num(lo))
			}
			if cells, small := hi.Sub(lo).Int64(); small && cells < maxCells && ctx != b.bare && ctx != b.root {
				for m := lo; m.Cmp(hi) <= 0; m = m.Add(Int(1)) { // facts may leave one of a few
					if b.inRange(ctx, b.Sub(r, b.Num(m.Mul(n))), q) {
						return b.Add(a, b.Num(m))
					}
				}
			}
		}
	} else if b.inRange(ctx, b.Add(r, q), q) {
		return b.AddInt(a, -1)
	} else if k := b.near(ctx, r, q); k > 0 {
		return b.AddInt(a, k)
	}
	is := b.quotient(ctx, r, q)
	b.quotients[b.quotientKey(ctx, r, q)] = quotient{r, is}
	return b.Add(a, is)
}

// known returns r div q as it follows from a division made before, or nil.
func (b *Builder) known(ctx *Context, r, q *Expr) *Expr {
	k, ok := b.quotients[b.quotientKey(ctx, r, q)]
	if !ok {
		return nil
	}
	by, exact := b.ExactDiv(b.Sub(r, k.r), q)
	if !exact {
		return nil
	}
	return b.Add(by, k.is)
}

func (b *Builder) quotientKey(ctx *Context, r, q *Expr) quotientKey {
	return quotientKey{ctx.id, b.canonical(r, q).id, q.id}
}

// Digits returns the index into an array of dims, not empty, of the element that has offset at ctx. Where the offset is
// below the number of elements (inside), the first of the index is below its dim: that is remembered, as it
// cannot be read off the offset of an index made of these.
func (b *Builder) Digits(ctx *Context, offset *Expr, dims []*Expr, inside bool) []*Expr {
	out := make([]*Expr, len(dims))
	for i := len(dims) - 1; i > 0; i-- {
		q := b.Div(ctx, offset, dims[i])
		out[i] = b.Sub(offset, b.Mul(q, dims[i]))
		offset = q
	}
	out[0] = offset
	if inside && !b.Inside(ctx, offset, dims[0]) {
		a, r := b.divide(offset, dims[0])
		b.quotients[b.quotientKey(ctx, r, dims[0])] = quotient{r, b.Scale(Int(-1), a)}
	}
	return out
}

// Inside reports whether 0 <= t < q by the ranges of what t is made of, or by a division made before.
func (b *Builder) Inside(ctx *Context, t, q *Expr) bool {
	if iv := b.interval(ctx, t); !iv.noLo && !iv.noHi && iv.lo.Sign() >= 0 {
		if n, ok := q.Const(); ok && iv.hi.Cmp(n) < 0 {
			return true
		}
	}
	if n, ok := q.Const(); !ok || n.Sign() <= 0 {
		return false
	}
	a, r := b.divide(t, q)
	is := b.known(ctx, r, q)
	return is != nil && b.Add(a, is).IsZero()
}

// quotient returns r div q, where q divides no part of r and nothing is known of where r lies.
func (b *Builder) quotient(ctx *Context, r, q *Expr) *Expr {
	if d := soleFloor(r); d != nil { // (x + t1 div p) div q = (p·x + t1) div (p·q)
		x := b.Sub(r, d.expr)
		return b.Div(ctx, b.Add(b.Mul(d.Den, x), d.Num), b.Mul(d.Den, q))
	}
	for _, g := range b.commonFactors(r, q) { // (g·x + y) div (g·k) = x div k for 0 <= y < g
		x, y := b.divideBy(r, g)
		if !x.IsZero() && b.inRange(ctx, y, g) {
			k, _ := b.divide(q, g)
			return b.Div(ctx, x, k)
		}
	}
	return b.binary(Floor, r, q)
}

// canonical returns what all x = r + q·p have in common for a number q: every coefficient modulo q.
func (b *Builder) canonical(r, q *Expr) *Expr {
	n, ok := q.Const()
	if !ok {
		return r
	}
	out := make([]Term, 0, len(r.terms))
	for _, t := range r.terms {
		if _, k := t.Coef.DivMod(n); k.Sign() != 0 {
			out = append(out, Term{k, t.mono})
		}
	}
	return b.intern(out)
}

// Mod returns t mod q = t - q·(t div q).
func (b *Builder) Mod(ctx *Context, t, q *Expr) *Expr {
	return b.Sub(t, b.Mul(q, b.Div(ctx, t, q)))
}

func (b *Builder) inRange(ctx *Context, t, q *Expr) bool {
	below := b.AddInt(b.Sub(q, t), -1)
	return !b.refuted(ctx, below) && b.Nonneg(ctx, t) && b.Nonneg(ctx, below)
}

// near returns the k > 0 for which r is in [k·q, (k+1)·q), if it is small and known, else 0.
func (b *Builder) near(ctx *Context, r, q *Expr) int64 {
	for k := int64(1); k <= maxNear; k++ {
		r = b.Sub(r, q)
		if !b.Nonneg(ctx, r) {
			break
		}
		if b.Nonneg(ctx, b.AddInt(b.Sub(q, r), -1)) {
			return k
		}
	}
	return 0
}

// divide splits t = q·a + r as polynomials, taking out of t what the leading term of q divides. Coefficients
// are divided by floor where they reach the divisor's, so that r is small.
func (b *Builder) divide(t, q *Expr) (a, r *Expr) {
	lead := q.terms[0]
	a, r = b.Const(0), b.Const(0)
	for len(t.terms) > 0 {
		head := t.terms[0]
		m, ok := b.over(head.mono, lead.mono)
		if ok {
			var k Num
			if lead.Coef.Sign() > 0 {
				k, _ = head.Coef.DivMod(lead.Coef)
				// a coefficient between -q and 0 stays, except in the constant: -i is not 15·i - 16·i
				if len(head.mono.atoms) > 0 && head.Coef.Sign() < 0 && head.Coef.Add(lead.Coef).Sign() > 0 {
					k = Num{}
				}
			}
			if k.Sign() != 0 {
				part := b.intern([]Term{{k, m}})
				a = b.Add(a, part)
				t = b.Sub(t, b.Mul(part, q))
				if len(t.terms) == 0 || t.terms[0].mono != head.mono {
					continue
				}
				head = t.terms[0]
			}
		}
		first := b.intern([]Term{head})
		r = b.Add(r, first)
		t = b.Sub(t, first)
	}
	return a, r
}

// divideBy splits t = g·x + y termwise for a single-term g: y takes the terms that g does not divide.
func (b *Builder) divideBy(t, g *Expr) (x, y *Expr) {
	lead := g.terms[0]
	var in, out []Term
	for _, term := range t.terms {
		m, ok := b.over(term.mono, lead.mono)
		if !ok {
			out = append(out, term)
			continue
		}
		k, rem := term.Coef.DivMod(lead.Coef)
		if rem.Sign() != 0 && len(term.mono.atoms) > 0 {
			out = append(out, term)
			continue
		}
		if k.Sign() != 0 {
			in = append(in, Term{k, m})
		}
		if rem.Sign() != 0 {
			out = append(out, Term{rem, term.mono})
		}
	}
	return b.sum(in), b.sum(out)
}

// soleFloor returns the floor division that is a term of r with coefficient 1, if there is exactly one.
func soleFloor(r *Expr) *Atom {
	var d *Atom
	for _, t := range r.terms {
		for _, a := range t.mono.atoms {
			if a.Kind < Floor {
				continue
			}
			if d != nil || a.Kind != Floor || len(t.mono.atoms) != 1 || !t.Coef.IsOne() {
				return nil
			}
			d = a
		}
	}
	return d
}

// commonFactors returns single-term divisors of a single-term q that divide some term of r, greatest first.
func (b *Builder) commonFactors(r, q *Expr) []*Expr {
	if len(q.terms) != 1 {
		return nil
	}
	lead := q.terms[0]
	var out []*Expr
	for _, t := range r.terms {
		if len(t.mono.atoms) == 0 {
			continue
		}
		var common []*Atom
		i, j := 0, 0
		for i < len(t.mono.atoms) && j < len(lead.mono.atoms) {
			x, y := t.mono.atoms[i], lead.mono.atoms[j]
			switch {
			case x == y:
				common = append(common, x)
				i, j = i+1, j+1
			case x.id < y.id:
				i++
			default:
				j++
			}
		}
		g := b.intern([]Term{{t.Coef.GCD(lead.Coef), b.mono(common)}})
		if n, ok := g.Const(); ok && n.IsOne() || g == q {
			continue
		}
		known := false
		for _, o := range out {
			known = known || o == g
		}
		if !known {
			out = append(out, g)
		}
	}
	for i := range out { // few: insertion sort, by degree, then by coefficient
		for j := i; j > 0 && greater(out[j].terms[0], out[j-1].terms[0]); j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out
}

func greater(x, y Term) bool {
	if len(x.mono.atoms) != len(y.mono.atoms) {
		return len(x.mono.atoms) > len(y.mono.atoms)
	}
	return x.Coef.Cmp(y.Coef) > 0
}

// ExactDiv returns t / q where q divides t as a polynomial.
func (b *Builder) ExactDiv(t, q *Expr) (*Expr, bool) {
	if q.IsZero() {
		return nil, false
	}
	if n, ok := q.Const(); ok && n.Sign() < 0 {
		t, q = b.Scale(Int(-1), t), b.Num(n.Neg())
	}
	a, r := b.divide(t, q)
	return a, r.IsZero()
}

// Quotient returns the polynomial part of t div q: t = q·a + r where the leading term of q divides no term of r.
func (b *Builder) Quotient(t, q *Expr) *Expr {
	if n, ok := q.Const(); ok && n.Sign() <= 0 {
		return b.Const(0)
	}
	a, _ := b.divide(t, q)
	return a
}
