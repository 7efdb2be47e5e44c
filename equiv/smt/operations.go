package smt

import (
	"fmt"
	"math/big"

	"tv/semantics/term"
)

// operation translates an operation; partial is when it has a value.
func (x *translation) operation(t *term.Term, s sort, args []formed) (v, partial *form, err error) {
	q := x.q
	yes := q.truth(true)
	if t.Op == term.Apply {
		return x.apply(t, s, args)
	}
	a := args[0].value
	switch t.Op {
	case term.Max:
		return x.greater(t.Sort, a, args[1].value), yes, nil
	case term.Min:
		return x.smaller(t.Sort, a, args[1].value), yes, nil
	case term.Convert:
		return x.convert(t.Args[0].Sort, t.Sort, s, a)
	case term.Add, term.Mul, term.Div, term.Neg:
		switch s.kind {
		case 'r':
			return x.real(t.Op, args)
		case 'f':
			return x.float(t.Op, s, args), yes, nil
		}
		return x.integer(t.Op, t.Sort, args)
	}
	return nil, nil, fmt.Errorf("%w: operation %d", ErrUnsupported, t.Op)
}

// less returns a < b; of floats, false where one is NaN.
func (x *translation) less(s term.Sort, a, b *form) *form {
	op := "bvult"
	switch {
	case s.Kind == term.Real:
		op = "<"
	case s.Kind == term.Float:
		op = "fp.lt"
	case isSigned(s):
		op = "bvslt"
	}
	return x.q.app(boolSort, op, a, b)
}

// greater returns the max of terms: b where it is greater, else a; floats skip a NaN.
func (x *translation) greater(s term.Sort, a, b *form) *form {
	return x.q.ite(x.q.or(x.less(s, a, b), x.isNaN(s, a)), b, a)
}

func (x *translation) smaller(s term.Sort, a, b *form) *form {
	return x.q.ite(x.q.or(x.less(s, b, a), x.isNaN(s, a)), b, a)
}

func (x *translation) isNaN(s term.Sort, a *form) *form {
	if s.Kind != term.Float {
		return x.q.truth(false)
	}
	return x.q.app(boolSort, "fp.isNaN", a)
}

func (x *translation) zero(s sort) *form {
	switch s.kind {
	case 'r':
		return x.q.rational(new(big.Rat))
	case 'f':
		return x.q.float(s, new(big.Int))
	}
	return x.q.int(s.n, 0)
}

// --- reals ---

func (x *translation) real(op term.Op, args []formed) (v, partial *form, err error) {
	q := x.q
	yes := q.truth(true)
	a := args[0].value
	if op == term.Neg {
		return q.app(realSort, "-", a), yes, nil
	}
	b := args[1].value
	switch op {
	case term.Add:
		return q.app(realSort, "+", a, b), yes, nil
	case term.Mul:
		return q.app(realSort, "*", a, b), yes, nil
	}
	return q.app(realSort, "/", a, b), q.not(q.equal(b, x.zero(realSort))), nil
}

// --- floats ---

func (x *translation) float(op term.Op, s sort, args []formed) *form {
	if op == term.Neg {
		return x.q.app(s, "fp.neg", args[0].value)
	}
	name := map[term.Op]string{term.Add: "fp.add", term.Mul: "fp.mul", term.Div: "fp.div"}[op]
	return x.q.rounded(s, name, nearestEven, args[0].value, args[1].value)
}

// --- integers and fixed point ---

// integer translates arithmetic on bit-vectors. Saturating operations are computed in a width that holds every
// result, and clamped; products and quotients of fixed point round down.
func (x *translation) integer(op term.Op, s term.Sort, args []formed) (v, partial *form, err error) {
	q := x.q
	yes := q.truth(true)
	n := s.Width
	if s.Kind == term.Bool {
		n = 1
	}
	a := args[0].value
	b := a
	if op != term.Neg {
		b = args[1].value
	}
	if op == term.Div {
		return x.quotient(s, n, a, b)
	}
	wide := n
	switch {
	case s.Kind == term.Saturate:
		wide = 2*n + 1
	case s.Kind == term.Fixed && op == term.Mul:
		wide = 2 * n
	}
	a, b = q.resize(wide, isSigned(s), a), q.resize(wide, isSigned(s), b)
	switch op {
	case term.Add:
		v = q.app(vector(wide), "bvadd", a, b)
	case term.Mul:
		v = q.app(vector(wide), "bvmul", a, b)
	default:
		v = q.app(vector(wide), "bvneg", a)
	}
	switch {
	case s.Kind == term.Saturate:
		return x.clamp(n, v), yes, nil
	case s.Kind == term.Fixed && op == term.Mul:
		v = q.app(vector(wide), "bvashr", v, q.int(wide, int64(s.Frac)))
	}
	return q.resize(n, true, v), yes, nil
}

// quotient divides: toward zero, fixed point down.
func (x *translation) quotient(s term.Sort, n int, a, b *form) (v, partial *form, err error) {
	q := x.q
	some := q.not(q.equal(b, q.int(n, 0)))
	switch {
	case !isSigned(s):
		return q.app(vector(n), "bvudiv", a, b), some, nil
	case s.Kind == term.Fixed:
		wide := n + s.Frac + 1
		a, b = q.resize(wide, true, a), q.resize(wide, true, b)
		a = q.app(vector(wide), "bvshl", a, q.int(wide, int64(s.Frac)))
		return q.resize(n, true, x.floorDiv(wide, a, b)), some, nil
	}
	least, minusOne := q.word(n, power2(n-1)), q.int(n, -1)
	overflows := q.and(q.equal(a, least), q.equal(b, minusOne))
	return q.app(vector(n), "bvsdiv", a, b), q.and(some, q.not(overflows)), nil
}

// floorDiv returns the quotient of signed numbers rounded toward negative infinity.
func (x *translation) floorDiv(n int, a, b *form) *form {
	q := x.q
	s, zero := vector(n), q.int(n, 0)
	quotient, remainder := q.app(s, "bvsdiv", a, b), q.app(s, "bvsrem", a, b)
	negative := func(f *form) *form { return q.app(boolSort, "bvslt", f, zero) }
	apart := q.not(q.equal(negative(a), negative(b)))
	below := q.and(apart, q.not(q.equal(remainder, zero)))
	return q.ite(below, q.app(s, "bvadd", quotient, q.int(n, -1)), quotient)
}

// clamp returns the end of the range of n signed bits where v is outside, else v.
func (x *translation) clamp(n int, v *form) *form {
	q := x.q
	w := v.sort.n
	if w <= n {
		return q.resize(n, true, v)
	}
	top := q.word(w, new(big.Int).Sub(power2(n-1), big.NewInt(1)))
	bottom := q.word(w, new(big.Int).Neg(power2(n-1)))
	v = q.ite(q.app(boolSort, "bvslt", top, v), top, v)
	v = q.ite(q.app(boolSort, "bvslt", v, bottom), bottom, v)
	return q.resize(n, true, v)
}

// --- functions ---

func (x *translation) apply(t *term.Term, s sort, args []formed) (v, partial *form, err error) {
	q := x.q
	yes := q.truth(true)
	kind := t.Sort.Kind
	want := map[string]int{relu: 1, round: 1, term.Sqrt: 1, leakyRelu: 2, leftShift: 2, rightShift: 2,
		subtract: 2, mean: 2}[t.Name]
	if want == 0 || want != len(args) {
		v, partial = x.uninterpreted(t, s, args)
		return v, partial, nil
	}
	a := args[0].value
	switch t.Name {
	case relu:
		if s.kind == 'f' { // x where x >= 0
			return q.ite(q.app(boolSort, "fp.leq", x.zero(s), a), a, x.zero(s)), yes, nil
		}
		return q.ite(x.less(t.Sort, a, x.zero(s)), x.zero(s), a), yes, nil
	case leakyRelu:
		if args[1].lowest {
			return nil, nil, ErrUnsupported
		}
		product, err := x.term(x.u.b.Mul(t.Args[1], t.Args[0]))
		if err != nil {
			return nil, nil, err
		}
		positive := x.less(t.Sort, x.zero(s), a)
		return q.ite(positive, a, product.value), q.or(positive, product.defined), nil
	}
	switch {
	case t.Name == term.Sqrt && s.kind == 'f':
		return q.rounded(s, "fp.sqrt", nearestEven, a), yes, nil
	case t.Name == term.Sqrt && s.kind == 'r':
		v, partial = x.root(a)
		return v, partial, nil
	case t.Name == term.Sqrt && kind != term.Bool:
		v, partial = x.integerRoot(t.Sort, a)
		return v, partial, nil
	case t.Name == subtract && kind == term.Saturate:
		wide := vector(t.Sort.Width + 1)
		d := q.app(wide, "bvsub", q.resize(wide.n, true, a), q.resize(wide.n, true, args[1].value))
		return x.clamp(t.Sort.Width, d), yes, nil
	case t.Name == mean:
		return x.mean(t, s, a)
	case t.Name == round && s.kind == 'f':
		return q.rounded(s, "fp.roundToIntegral", nearestAway, a), yes, nil
	case t.Name == round && kind == term.Fixed:
		return x.roundFixed(t.Sort, a), yes, nil
	case t.Name == round && s.kind == 'v':
		return a, yes, nil
	case (t.Name == leftShift || t.Name == rightShift) && s.kind == 'v':
		return x.shift(t, s, a, args[1].value)
	}
	v, partial = x.uninterpreted(t, s, args)
	return v, partial, nil
}

// root returns the y >= 0 with y·y = a.
func (x *translation) root(a *form) (v, partial *form) {
	q := x.q
	some := q.app(boolSort, "<=", x.zero(realSort), a)
	for _, c := range x.calls[term.Sqrt] {
		if c.args[0] == a {
			return c.value, some
		}
	}
	y := x.free(fmt.Sprintf("sqrt %d", len(x.calls[term.Sqrt])), realSort)
	square := q.equal(q.app(realSort, "*", y, y), a)
	q.axiom(q.implies(some, q.and(q.app(boolSort, "<=", x.zero(realSort), y), square)))
	x.calls[term.Sqrt] = append(x.calls[term.Sqrt], call{args: []*form{a}, value: y})
	return y, some
}

// integerRoot returns the root rounded down, of n/2^F in steps of 1/2^F: the greatest y with y·y <= n·2^F.
func (x *translation) integerRoot(s term.Sort, a *form) (v, partial *form) {
	q := x.q
	some := q.truth(true)
	if isSigned(s) {
		some = q.app(boolSort, "bvsle", q.int(a.sort.n, 0), a)
	}
	half := (a.sort.n+s.Frac)/2 + 1 // bits of the root
	wide := 2 * half
	y := q.resize(wide, false, x.free(fmt.Sprintf("sqrt of t%d", a.id), vector(half)))
	next := q.app(vector(wide), "bvadd", y, q.int(wide, 1))
	n := q.app(vector(wide), "bvshl", q.resize(wide, false, a), q.int(wide, int64(s.Frac)))
	square := func(f *form) *form { return q.app(vector(wide), "bvmul", f, f) }
	q.axiom(q.implies(some, q.and(
		q.app(boolSort, "bvule", square(y), n), q.app(boolSort, "bvult", n, square(next)))))
	return q.resize(a.sort.n, false, y), some
}

// mean divides by the number of summands itself, even where the sort is too narrow for it; a float by the one
// nearest to it.
func (x *translation) mean(t *term.Term, s sort, sum *form) (v, partial *form, err error) {
	q := x.q
	count := t.Args[1]
	if s.kind == 'r' || count.Op != term.Const || count.Value == nil || !count.Value.IsInt() || count.Value.Sign() < 0 {
		return nil, nil, ErrUnsupported
	}
	if count.Value.Sign() == 0 {
		return sum, q.truth(false), nil
	}
	yes := q.truth(true)
	if s.kind == 'f' {
		return q.rounded(s, "fp.div", nearestEven, sum, q.float(s, floatBits(s, count.Value))), yes, nil
	}
	wide := max(s.n, count.Value.Num().BitLen()) + 1
	a, b := q.resize(wide, isSigned(t.Sort), sum), q.word(wide, count.Value.Num())
	v = q.app(vector(wide), "bvsdiv", a, b)
	if t.Sort.Kind == term.Fixed {
		v = x.floorDiv(wide, a, b)
	}
	return q.resize(s.n, true, v), yes, nil
}

// roundFixed rounds to an integer, halves away from zero.
func (x *translation) roundFixed(s term.Sort, a *form) *form {
	q := x.q
	if s.Frac == 0 {
		return a
	}
	n := s.Width + 1
	v := q.resize(n, true, a)
	negative := q.app(boolSort, "bvslt", v, q.int(n, 0))
	half := q.word(n, power2(s.Frac-1))
	abs := q.ite(negative, q.app(vector(n), "bvneg", v), v)
	whole := q.app(vector(n), "bvlshr", q.app(vector(n), "bvadd", abs, half), q.int(n, int64(s.Frac)))
	whole = q.app(vector(n), "bvshl", whole, q.int(n, int64(s.Frac)))
	return q.resize(s.Width, true, q.ite(negative, q.app(vector(n), "bvneg", whole), whole))
}

// shift is undefined by an amount outside [0, width). A right shift is arithmetic for signed sorts; a left shift
// saturates where the sort does.
func (x *translation) shift(t *term.Term, s sort, a, by *form) (v, partial *form, err error) {
	q := x.q
	n := s.n
	partial = q.truth(true)
	if amount, ok := spelt(t.Args[1]); ok { // which the sort need not hold
		if !amount.IsInt() || amount.Sign() < 0 || amount.Cmp(big.NewRat(int64(n), 1)) >= 0 {
			return a, q.truth(false), nil
		}
		by = q.word(n, amount.Num())
	} else {
		if t.Sort.Kind == term.Fixed {
			return nil, nil, ErrUnsupported
		}
		partial = q.app(boolSort, "bvult", by, q.int(n, int64(n)))
	}
	switch {
	case t.Name == rightShift && isSigned(t.Sort):
		return q.app(s, "bvashr", a, by), partial, nil
	case t.Name == rightShift:
		return q.app(s, "bvlshr", a, by), partial, nil
	case t.Sort.Kind == term.Saturate:
		wide := 2 * n
		shifted := q.app(vector(wide), "bvshl", q.resize(wide, true, a), q.resize(wide, false, by))
		return x.clamp(n, shifted), partial, nil
	}
	return q.app(s, "bvshl", a, by), partial, nil
}

// spelt returns the number of a literal, also of one that its sort does not hold.
func spelt(t *term.Term) (*big.Rat, bool) {
	if t.Op == term.Convert {
		t = t.Args[0]
	}
	return t.Value, t.Op == term.Const && t.Value != nil
}
