package smt

import (
	"errors"
	"fmt"
	"math/big"

	"tv/semantics/index"
	"tv/semantics/term"
)

// ErrUnsupported says that a term has no formula.
var ErrUnsupported = errors.New("smt: unsupported")

// ErrTooLarge says that a term grows beyond its limit when it is written out.
var ErrTooLarge = errors.New("smt: too large")

// NewQuery asks whether s equals t wherever s is defined, at ctx. Reads at one offset are one constant; reductions must be
// over numbers, conditions decided at ctx. limit bounds the terms that writing them out makes.
func NewQuery(b *term.Builder, ctx *index.Context, s, t *term.Term, limit int) (*Query, error) {
	u := &unroller{b: b, ctx: ctx, limit: limit}
	s, err := u.term(s)
	if err != nil {
		return nil, err
	}
	if t, err = u.term(t); err != nil {
		return nil, err
	}
	q := newQuery()
	x := &translation{q: q, b: b, memo: map[*term.Term]formed{}}
	fs, err := x.term(s)
	if err != nil {
		return nil, err
	}
	ft, err := x.term(t)
	if err != nil {
		return nil, err
	}
	// s is defined, and t is not or differs
	// "=" is equality of bits in floats too, all NaNs being one value
	q.formula = q.and(fs.defined, q.not(q.and(ft.defined, q.equal(fs.value, ft.value))))
	return q, nil
}

// NewElement asks for a value of t: the constant "result" is t, where t is defined.
func NewElement(b *term.Builder, ctx *index.Context, t *term.Term, limit int) (*Query, error) {
	t, err := (&unroller{b: b, ctx: ctx, limit: limit}).term(t)
	if err != nil {
		return nil, err
	}
	q := newQuery()
	f, err := (&translation{q: q, b: b, memo: map[*term.Term]formed{}}).term(t)
	if err != nil {
		return nil, err
	}
	q.formula = q.and(f.defined, q.equal(q.constant("result", f.value.sort), f.value))
	return q, nil
}

// --- writing out ---

type unroller struct {
	b     *term.Builder
	ctx   *index.Context
	limit int
}

// term writes the reductions in t out, in row-major order, from left to right.
func (u *unroller) term(t *term.Term) (*term.Term, error) { return u.at(t, newPlace(nil)) }

// A place gives index variables values; what was written out there is kept.
type place struct {
	m    map[*index.Atom]*index.Expr
	done map[*term.Term]*term.Term
}

func newPlace(m map[*index.Atom]*index.Expr) *place {
	return &place{m, map[*term.Term]*term.Term{}}
}

func (u *unroller) at(t *term.Term, p *place) (*term.Term, error) {
	if x := p.done[t]; x != nil {
		return x, nil
	}
	x, err := u.write(t, p)
	if err == nil {
		p.done[t] = x
	}
	return x, err
}

func (u *unroller) write(t *term.Term, p *place) (*term.Term, error) {
	if u.limit--; u.limit < 0 {
		return nil, ErrTooLarge
	}
	b := u.b
	subst := func(e *index.Expr) *index.Expr { return b.Index.Subst(u.ctx, e, p.m) }
	switch t.Op {
	case term.Const, term.Lowest:
		return t, nil
	case term.Number:
		return b.Number(t.Sort, subst(t.Index[0])), nil
	case term.Read:
		at := make([]*index.Expr, len(t.Index))
		for i, e := range t.Index {
			at[i] = subst(e)
		}
		return b.Read(t.Tensor, at), nil
	case term.If:
		switch b.Index.Decide(u.ctx, subst(t.Index[0])) {
		case index.True:
			return u.at(t.Args[0], p)
		case index.False:
			return u.at(t.Args[1], p)
		}
		return nil, ErrUnsupported
	case term.Reduce:
		return u.reduce(t, p)
	case term.Gather:
		return nil, ErrUnsupported
	}
	args := make([]*term.Term, len(t.Args))
	for i, a := range t.Args {
		x, err := u.at(a, p)
		if err != nil {
			return nil, err
		}
		args[i] = x
	}
	switch t.Op {
	case term.Add:
		return b.Add(args[0], args[1]), nil
	case term.Mul:
		return b.Mul(args[0], args[1]), nil
	case term.Div:
		return b.Div(args[0], args[1]), nil
	case term.Neg:
		return b.Neg(args[0]), nil
	case term.Max:
		return b.Max(args[0], args[1]), nil
	case term.Min:
		return b.Min(args[0], args[1]), nil
	case term.Apply:
		return b.Apply(t.Sort, t.Name, args...), nil
	}
	return b.Convert(t.Sort, args[0]), nil
}

func (u *unroller) reduce(t *term.Term, p *place) (*term.Term, error) {
	b := u.b
	var acc *term.Term
	if t.Fold == term.Maximum { // a max starts from MIN, which NaN does not exceed
		acc = b.Lowest(t.Sort)
	}
	var walk func(k int, m map[*index.Atom]*index.Expr) error
	walk = func(k int, m map[*index.Atom]*index.Expr) error {
		if k == len(t.Vars) {
			x, err := u.at(t.Args[0], newPlace(m))
			switch {
			case err != nil:
				return err
			case acc == nil:
				acc = x
			case t.Fold == term.Sum:
				acc = b.Add(acc, x)
			case t.Fold == term.Product:
				acc = b.Mul(acc, x)
			default:
				acc = b.Max(acc, x)
			}
			return nil
		}
		lo, okLo := t.Vars[k].Lo.Const()
		hi, okHi := t.Vars[k].Hi.Const()
		n, small := hi.Sub(lo).Int64()
		if !okLo || !okHi || !small || n > int64(u.limit) {
			return ErrTooLarge
		}
		for i := range max(n, 0) {
			next := map[*index.Atom]*index.Expr{t.Vars[k]: b.Index.Num(lo.Add(index.Int(i)))}
			for a, x := range m {
				next[a] = x
			}
			if err := walk(k+1, next); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(0, p.m); err != nil {
		return nil, err
	}
	if acc == nil {
		return b.Int(t.Sort, map[term.Fold]int64{term.Sum: 0, term.Product: 1}[t.Fold]), nil
	}
	return acc, nil
}

// --- terms to formulas ---

// formed is the value of a term and when it has one.
type formed struct {
	value, defined *form
}

type translation struct {
	q    *Query
	b    *term.Builder
	memo map[*term.Term]formed
}

// sortOf returns the sort of formulas that stands for a sort of terms. AdaptivFloat has none.
func sortOf(s term.Sort) (sort, error) {
	switch s.Kind {
	case term.Real:
		return realSort, nil
	case term.Bool:
		return vector(1), nil
	case term.Signed, term.Unsigned, term.Saturate, term.Fixed:
		return vector(s.Width), nil
	case term.Float:
		return floatSort(s.Width), nil
	}
	return sort{}, ErrUnsupported
}

func (x *translation) term(t *term.Term) (formed, error) {
	if f, ok := x.memo[t]; ok {
		return f, nil
	}
	f, err := x.translate(t)
	if err == nil {
		x.memo[t] = f
	}
	return f, err
}

func (x *translation) translate(t *term.Term) (formed, error) {
	q := x.q
	s, err := sortOf(t.Sort)
	if err != nil {
		return formed{}, err
	}
	yes := q.truth(true)
	switch t.Op {
	case term.Const:
		v, err := x.constant(t, s)
		return formed{v, yes}, err
	case term.Lowest:
		v, err := x.lowest(t.Sort, s)
		return formed{v, yes}, err
	case term.Number:
		return formed{q.constant("size "+t.Index[0].String(), s), yes}, nil
	case term.Read:
		offset := x.b.Index.Const(0)
		for i, d := range t.Tensor.Dims {
			offset = x.b.Index.Add(x.b.Index.Mul(offset, d), t.Index[i])
		}
		return formed{q.constant(t.Tensor.Name+"@"+offset.String(), s), yes}, nil
	}
	args := make([]formed, len(t.Args))
	defined := yes
	for i, a := range t.Args {
		if args[i], err = x.term(a); err != nil {
			return formed{}, err
		}
		defined = q.and(defined, args[i].defined)
	}
	v, partial, err := x.operation(t, s, args)
	if err != nil {
		return formed{}, err
	}
	if partial != nil {
		defined = q.and(defined, partial)
	}
	return formed{v, defined}, nil
}

// scaled returns the integer that a number of the sort is stored as.
func scaled(s term.Sort, v *big.Rat) (*big.Rat, error) {
	if s.Kind == term.Fixed {
		v = new(big.Rat).Mul(v, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(s.Frac))))
	}
	if !v.IsInt() {
		return nil, ErrUnsupported
	}
	return v, nil
}

func (x *translation) constant(t *term.Term, s sort) (*form, error) {
	q := x.q
	switch s.kind {
	case 'r':
		if t.Name != "" {
			return nil, ErrUnsupported
		}
		return q.number(s, t.Value), nil
	case 'v':
		if t.Name != "" {
			return nil, ErrUnsupported
		}
		n, err := scaled(t.Sort, t.Value)
		if err != nil {
			return nil, err
		}
		return q.number(s, n), nil
	}
	var bits *big.Int
	if t.Name != "" {
		bits = specialBits(s, t.Name)
	} else {
		bits = floatBits(s, t.Value)
	}
	if bits == nil {
		return nil, ErrUnsupported
	}
	raw := q.number(vector(s.n+s.m), new(big.Rat).SetInt(bits))
	return q.mk(form{op: "to_fp", name: "bits", params: []int{s.n, s.m}, args: []*form{raw}, sort: s}), nil
}

func specialBits(s sort, name string) *big.Int {
	shift := func(n int64, by int) *big.Int { return new(big.Int).Lsh(big.NewInt(n), uint(by)) }
	sign := shift(1, s.n+s.m-1)
	inf := shift(1<<s.n-1, s.m-1)
	switch name {
	case "-0":
		return sign
	case "inf":
		return inf
	case "-inf":
		return inf.Or(inf, sign)
	case "nan":
		return inf.Or(inf, shift(1, s.m-2))
	}
	return nil
}

// floatBits returns the bits of a number that the format has, else nil.
func floatBits(s sort, v *big.Rat) *big.Int {
	if v.Sign() == 0 {
		return new(big.Int)
	}
	bias := 1<<(s.n-1) - 1
	abs := new(big.Rat).Abs(v)
	e := abs.Num().BitLen() - abs.Denom().BitLen()
	if power(e).Cmp(abs) > 0 {
		e--
	}
	e = max(e, 1-bias)
	m := new(big.Rat).Mul(abs, power(s.m-1-e)) // the significand as an integer
	if !m.IsInt() || e > bias || m.Num().BitLen() > s.m {
		return nil
	}
	bits := new(big.Int).Set(m.Num())
	if bits.BitLen() == s.m { // normal: the leading bit is implied
		bits.SetBit(bits, s.m-1, 0)
		bits.Or(bits, new(big.Int).Lsh(big.NewInt(int64(e+bias)), uint(s.m-1)))
	}
	if v.Sign() < 0 {
		bits.SetBit(bits, s.n+s.m-1, 1)
	}
	return bits
}

func power(e int) *big.Rat {
	p := new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e)))
	if e < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), p)
	}
	return new(big.Rat).SetInt(p)
}

// lowest returns the least number of a sort that is finite.
func (x *translation) lowest(t term.Sort, s sort) (*form, error) {
	q := x.q
	switch {
	case s.kind == 'r':
		return nil, ErrUnsupported
	case t.Kind == term.Unsigned || t.Kind == term.Bool:
		return q.number(s, new(big.Rat)), nil
	case s.kind == 'v':
		return q.number(s, power(s.n-1)), nil
	}
	bits := new(big.Int).Lsh(big.NewInt(1), uint(s.n+s.m)) // sign 1, exponent 1..10, significand all ones
	bits.Sub(bits, big.NewInt(1))
	bits.SetBit(bits, s.m-1, 0)
	raw := q.number(vector(s.n+s.m), new(big.Rat).SetInt(bits))
	return q.mk(form{op: "to_fp", name: "bits", params: []int{s.n, s.m}, args: []*form{raw}, sort: s}), nil
}

// operation translates an operation; partial is when it has a value, or nil for always.
func (x *translation) operation(t *term.Term, s sort, args []formed) (v, partial *form, err error) {
	q := x.q
	a := args[0].value
	var b *form
	if len(args) > 1 {
		b = args[1].value
	}
	zero := func() *form { return q.number(s, new(big.Rat)) }
	signed := t.Sort.Kind == term.Signed || t.Sort.Kind == term.Saturate || t.Sort.Kind == term.Fixed
	less := func(u, w *form) *form { // u < w
		switch {
		case s.kind == 'r':
			return q.app(boolSort, "<", u, w)
		case s.kind == 'f':
			return q.app(boolSort, "fp.lt", u, w)
		case signed:
			return q.app(boolSort, "bvslt", u, w)
		}
		return q.app(boolSort, "bvult", u, w)
	}
	switch t.Op {
	case term.Add, term.Mul, term.Neg, term.Div:
		return x.arithmetic(t, s, a, b)
	case term.Max:
		if s.kind == 'f' { // keeps the earlier of equal ones, skips NaN
			return q.ite(q.app(boolSort, "fp.isNaN", a), b, q.ite(less(a, b), b, a)), nil, nil
		}
		return q.ite(less(a, b), b, a), nil, nil
	case term.Min:
		if s.kind == 'f' {
			return nil, nil, ErrUnsupported
		}
		return q.ite(less(b, a), b, a), nil, nil
	case term.Convert:
		return x.convert(t.Args[0].Sort, t.Sort, s, a)
	case term.Apply:
		switch {
		case t.Name == "relu" && s.kind == 'f':
			z := q.mk(form{op: "to_fp", name: "bits", params: []int{s.n, s.m},
				args: []*form{q.number(vector(s.n+s.m), new(big.Rat))}, sort: s})
			return q.ite(q.or(q.app(boolSort, "fp.isNaN", a), less(a, z)), z, a), nil, nil
		case t.Name == "relu":
			return q.ite(less(a, zero()), zero(), a), nil, nil
		case t.Name == "round" && (t.Sort.Kind == term.Signed || t.Sort.Kind == term.Unsigned || t.Sort.Kind == term.Saturate):
			return a, nil, nil
		case t.Name == "round" && t.Args[0].Op == term.Const && t.Args[0].Value != nil && s.kind == 'f':
			c := x.b.Const(t.Sort, roundHalfAway(t.Args[0].Value))
			v, err := x.constant(c, s)
			return v, nil, err
		case (t.Name == "left-shift" || t.Name == "right-shift") && (t.Sort.Kind == term.Signed || t.Sort.Kind == term.Unsigned):
			op := map[bool]string{true: "bvashr", false: "bvlshr"}[signed]
			if t.Name == "left-shift" {
				op = "bvshl"
			}
			width := q.number(s, new(big.Rat).SetInt64(int64(s.n)))
			return q.app(s, op, a, b), q.app(boolSort, "bvult", b, width), nil
		case t.Name == term.Sqrt && s.kind == 'f':
			return q.app(s, "fp.sqrt", a), nil, nil
		case t.Name == term.Exp || t.Name == term.Log || t.Name == term.Erf:
			return q.constant(fmt.Sprintf("%s(t%d)", t.Name, a.id), s), nil, nil // a function: equal arguments, equal values
		}
	}
	return nil, nil, ErrUnsupported
}

func roundHalfAway(v *big.Rat) *big.Rat {
	half := big.NewRat(1, 2)
	abs := new(big.Rat).Add(new(big.Rat).Abs(v), half)
	n := new(big.Int).Quo(abs.Num(), abs.Denom())
	if v.Sign() < 0 {
		n.Neg(n)
	}
	return new(big.Rat).SetInt(n)
}

func (x *translation) arithmetic(t *term.Term, s sort, a, b *form) (v, partial *form, err error) {
	q := x.q
	switch s.kind {
	case 'r':
		if t.Op == term.Div {
			quotient := q.constant(fmt.Sprintf("t%d/t%d", a.id, b.id), s)
			zero := q.number(s, new(big.Rat))
			// the quotient is what gives the dividend back
			return quotient, q.and(q.not(q.equal(b, zero)), q.equal(q.app(s, "*", quotient, b), a)), nil
		}
		return q.app(s, map[term.Op]string{term.Add: "+", term.Mul: "*", term.Neg: "-"}[t.Op], operands(t.Op, a, b)...), nil, nil
	case 'f':
		return q.app(s, map[term.Op]string{term.Add: "fp.add", term.Mul: "fp.mul", term.Div: "fp.div", term.Neg: "fp.neg"}[t.Op],
			operands(t.Op, a, b)...), nil, nil
	}
	plain := map[term.Op]string{term.Add: "bvadd", term.Mul: "bvmul", term.Neg: "bvneg"}[t.Op]
	least := q.number(s, power(s.n-1))
	switch {
	case t.Op == term.Div && (t.Sort.Kind == term.Signed || t.Sort.Kind == term.Unsigned):
		some := q.not(q.equal(b, q.number(s, new(big.Rat))))
		if t.Sort.Kind == term.Unsigned {
			return q.app(s, "bvudiv", a, b), some, nil
		}
		minusOne := q.number(s, big.NewRat(-1, 1))
		return q.app(s, "bvsdiv", a, b), q.and(some, q.not(q.and(q.equal(a, least), q.equal(b, minusOne)))), nil
	case t.Op == term.Div:
		return nil, nil, ErrUnsupported
	case t.Sort.Kind == term.Fixed && t.Op == term.Mul: // the product, rounded down to the format
		wide := vector(2 * s.n)
		p := q.app(wide, "bvmul", q.indexed(wide, "sign_extend", []int{s.n}, a), q.indexed(wide, "sign_extend", []int{s.n}, b))
		down := q.app(wide, "bvashr", p, q.number(wide, new(big.Rat).SetInt64(int64(t.Sort.Frac))))
		return q.indexed(s, "extract", []int{s.n - 1, 0}, down), nil, nil
	case t.Sort.Kind == term.Saturate:
		wide := vector(2*s.n + 1)
		up := func(f *form) *form { return q.indexed(wide, "sign_extend", []int{s.n + 1}, f) }
		ops := []*form{up(a)}
		if b != nil {
			ops = append(ops, up(b))
		}
		return q.clamp(s, wide, q.app(wide, plain, ops...)), nil, nil
	}
	return q.app(s, plain, operands(t.Op, a, b)...), nil, nil
}

// clamp saturates a wide number to s.
func (q *Query) clamp(s, wide sort, r *form) *form {
	top := new(big.Rat).Sub(power(s.n-1), big.NewRat(1, 1))
	low := new(big.Rat).Neg(power(s.n - 1))
	r = q.ite(q.app(boolSort, "bvslt", q.number(wide, top), r), q.number(wide, top), r)
	r = q.ite(q.app(boolSort, "bvslt", r, q.number(wide, low)), q.number(wide, low), r)
	return q.indexed(s, "extract", []int{s.n - 1, 0}, r)
}

func operands(op term.Op, a, b *form) []*form {
	if op == term.Neg {
		return []*form{a}
	}
	return []*form{a, b}
}

// convert translates a conversion between integers that wrap, and of integers to floats and back.
func (x *translation) convert(from, to term.Sort, s sort, a *form) (v, partial *form, err error) {
	q := x.q
	integer := func(k term.SortKind) bool { return k == term.Signed || k == term.Unsigned }
	switch {
	case integer(from.Kind) && integer(to.Kind):
		switch d := to.Width - from.Width; {
		case d > 0 && from.Kind == term.Signed:
			return q.indexed(s, "sign_extend", []int{d}, a), nil, nil
		case d > 0:
			return q.indexed(s, "zero_extend", []int{d}, a), nil, nil
		case d < 0:
			return q.indexed(s, "extract", []int{to.Width - 1, 0}, a), nil, nil
		}
		return a, nil, nil
	case from.Kind == term.Signed && to.Kind == term.Float:
		return q.mk(form{op: "to_fp", name: "signed", params: []int{s.n, s.m}, args: []*form{a}, sort: s}), nil, nil
	case from.Kind == term.Float && to.Kind == term.Signed:
		f := floatSort(from.Width)
		// in range: between the neighbours of the ends, which the format holds or rounds outwards
		low, high := floatBits(f, new(big.Rat).Neg(power(to.Width-1))), floatBits(f, power(to.Width-1))
		if low == nil || high == nil {
			return nil, nil, ErrUnsupported
		}
		end := func(bits *big.Int) *form {
			return q.mk(form{op: "to_fp", name: "bits", params: []int{f.n, f.m},
				args: []*form{q.number(vector(f.n+f.m), new(big.Rat).SetInt(bits))}, sort: f})
		}
		// truncation toward zero: -2^(w-1) - 1 < x < 2^(w-1); the lower end exactly only where the format has it
		lower := floatBits(f, new(big.Rat).Sub(new(big.Rat).Neg(power(to.Width-1)), big.NewRat(1, 1)))
		above := q.app(boolSort, "fp.leq", end(low), a)
		if lower != nil {
			above = q.app(boolSort, "fp.lt", end(lower), a)
		}
		in := q.and(above, q.app(boolSort, "fp.lt", a, end(high)))
		return q.mk(form{op: "fp.to_sbv", params: []int{to.Width}, args: []*form{a}, sort: s}), in, nil
	}
	return nil, nil, ErrUnsupported
}
