package loops

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// typed refuses operands of types that an operation does not have.
func (d *Data) typed() {
	elems := make([]domain.Elem, len(d.Args))
	for i, a := range d.Args {
		elems[i] = a.Elem
	}
	want := slices.Repeat([]domain.Elem{d.Elem}, len(elems))
	is := func(n int, elem domain.Elem) bool { return len(elems) == n && d.Elem == elem }
	ok := true
	switch d.Op {
	case DataConvert:
		want = elems
	case DataChoose:
		if ok = is(3, d.Elem); ok {
			want[0] = algebra.Truth
		}
	case DataLess, DataLessEqual, DataEqual:
		if ok = is(2, algebra.Truth); ok {
			want = []domain.Elem{elems[0], elems[0]}
			ok = integer(elems[0]) || elems[0].Kind == domain.ElemFloat
		}
	case DataBoth, DataEither:
		ok = is(2, algebra.Truth)
	case DataNot:
		ok = is(1, algebra.Truth)
	}
	if !ok || !slices.Equal(elems, want) {
		algebra.Fail(algebra.CodeStatement, "operands of two types")
	}
}

// conditional is a condition on elements, or a choice by one (law 8).
func (t *trace) conditional(d *Data, args []*scalar) *scalar {
	switch d.Op {
	case DataLess:
		return t.test(algebra.Less, args[0], args[1])
	case DataEqual:
		return t.test(algebra.Equal, args[0], args[1])
	case DataLessEqual:
		if sort := args[0].Elem; !algebra.IsReal(sort) && !integer(sort) { // there is NaN
			return t.test(algebra.AtMost, args[0], args[1])
		}
		return t.not(t.test(algebra.Less, args[1], args[0]))
	case DataBoth:
		return t.both(args[0], args[1])
	case DataEither:
		return t.not(t.both(t.not(args[0]), t.not(args[1])))
	case DataNot:
		return t.not(args[0])
	}
	return t.chosen(args[0], args[1], args[2])
}

func isFunction(x *scalar, name string) bool { return x.Op == algebra.OpFunction && x.Name == name }

func (t *trace) not(x *scalar) *scalar {
	if isFunction(x, algebra.Not) {
		return x.Args[0]
	}
	return t.Function(algebra.Truth, algebra.Not, x)
}

// both is whether all that x and y are whether of hold.
func (t *trace) both(x, y *scalar) *scalar {
	surely(y)
	var all []*scalar
	for _, z := range []*scalar{x, y} {
		list := []*scalar{z}
		if isFunction(z, algebra.Both) {
			list = z.Args
		}
		for _, c := range list {
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	return t.Function(algebra.Truth, algebra.Both, all...)
}

// surely refuses what may have no value, and does not count where it is not asked for.
func surely(x *scalar) {
	if x.Partial() {
		unsupported("an element that may have no value, where data does not ask for it")
	}
}

// chosen is x where c holds, and else y.
func (t *trace) chosen(c, x, y *scalar) *scalar {
	if isFunction(c, algebra.Not) {
		return t.chosen(c.Args[0], y, x)
	}
	x, y = t.under(c, true, x, map[*scalar]*scalar{}), t.under(c, false, y, map[*scalar]*scalar{})
	if v := t.ordered(c, x, y); v != nil {
		return v
	}
	if !askedBy(c, x) || !askedBy(c, y) {
		unsupported("an element that may have no value, where data does not ask for it")
	}
	switch {
	case isFunction(x, algebra.Chosen) && x.Args[2] == y: // in a branch it has a value
		return t.chosen(t.both(c, x.Args[0]), x.Args[1], y)
	case isFunction(x, algebra.Chosen) && x.Args[1] == y:
		return t.chosen(t.both(c, t.not(x.Args[0])), x.Args[2], y)
	case isFunction(y, algebra.Chosen) && y.Args[1] == x:
		return t.chosen(t.both(t.not(c), t.not(y.Args[0])), y.Args[2], x)
	case isFunction(y, algebra.Chosen) && y.Args[2] == x:
		return t.chosen(t.both(t.not(c), y.Args[0]), y.Args[1], x)
	}
	return t.Function(x.Elem, algebra.Chosen, c, x, y)
}

// askedBy reports whether x has a value where the condition c has one: it has one anywhere, or is
// an operand of c, of its operands and so on, or adds or multiplies such. What is folded, or is
// guarded by sizes, c does not ask for everywhere.
func askedBy(c, x *scalar) bool {
	if !x.Partial() {
		return true
	}
	list, seen := []*scalar{c}, map[*scalar]bool{}
	for len(list) > 0 {
		y := list[0]
		if list = list[1:]; y == x {
			return true
		}
		inside := y.Op == algebra.OpReduce || y.Op == algebra.OpIf || y.Op == algebra.OpGather
		if !seen[y] && !inside {
			list = append(list, y.Args...)
		}
		seen[y] = true
	}
	return (x.Op == algebra.OpAdd || x.Op == algebra.OpMul) &&
		!slices.ContainsFunc(x.Args, func(a *scalar) bool { return !askedBy(c, a) })
}

// ordered is the greater or lesser one of x and y if c chooses that, of integers or real numbers: c
// asks for both as well. It may compare them as they were before they were made wider.
func (t *trace) ordered(c, x, y *scalar) *scalar {
	less, _, _ := strings.Cut(c.Name, " of ")
	if c.Op != algebra.OpFunction || less != algebra.Less ||
		!algebra.IsReal(x.Elem) && !integer(x.Elem) {
		return nil
	}
	is := func(x, v *scalar) bool { return x == v || t.kept(x, v.Elem) == v }
	switch v, w := c.Args[0], c.Args[1]; {
	case is(x, v) && is(y, w):
		return t.Op2(algebra.OpMin, x, y)
	case is(y, v) && is(x, w):
		return t.Op2(algebra.OpMax, x, y)
	}
	return nil
}

// maxUnder bounds the terms of a branch in which choices are made that its condition has made.
const maxUnder = 1 << 10

// under is x where c holds, or does not: the same choice is made in it.
func (t *trace) under(c *scalar, holds bool, x *scalar, done map[*scalar]*scalar) *scalar {
	if known := done[x]; known != nil || len(done) >= maxUnder {
		return cmp.Or(known, x)
	}
	done[x] = x
	choice := isFunction(x, algebra.Chosen)
	switch {
	case choice && x.Args[0] == c && holds:
		done[x] = t.under(c, holds, x.Args[1], done)
	case choice && !holds && (x.Args[0] == c ||
		isFunction(x.Args[0], algebra.Both) && slices.Contains(x.Args[0].Args, c)):
		done[x] = t.under(c, holds, x.Args[2], done)
	case x.Op != algebra.OpReduce && x.Op != algebra.OpIf && x.Op != algebra.OpGather:
		y := scalar{Op: x.Op, Name: x.Name, Val: x.Val, E: x.E, Elem: x.Elem}
		for _, a := range x.Args {
			y.Args = append(y.Args, t.under(c, holds, a, done))
		}
		if changed := !slices.Equal(x.Args, y.Args); changed && choice {
			done[x] = t.chosen(y.Args[0], y.Args[1], y.Args[2])
		} else if changed {
			done[x] = t.Make(y)
		}
	}
	return done[x]
}

// bits is an operation on integers that polynomials have not. Whatever the operands are it has a
// value: the second is a literal where others would have none.
func (t *trace) bits(d *Data, x, y *scalar) *scalar {
	if !integer(t.Elem(d.Elem)) {
		unsupported("an operation on bits of %s", d.Elem)
	}
	by, number := d.Args[1].literal()
	number = number && by.IsInt() && y.Val != nil
	names := map[DataOp]string{DataBitAnd: algebra.BitAnd, DataBitOr: algebra.BitOr,
		DataBitXor: algebra.BitXor, DataQuotient: algebra.Divided}
	switch op := d.Op; {
	case op == DataShift && number && by.Sign() >= 0 &&
		by.Cmp(big.NewRat(int64(d.Elem.Width), 1)) < 0:
		k := t.Make(scalar{Op: algebra.OpNumber, E: t.B.Num(algebra.BigNum(by.Num()))})
		return t.Apply(x, "right-shift", x, k)
	case op == DataRemainder && number && by.Sign() > 0:
		q := t.Function(x.Elem, algebra.Divided, x, y)
		return t.Sub(x, t.Op2(algebra.OpMul, y, q))
	case names[op] == "", op == DataQuotient && !(number && by.Sign() > 0):
		unsupported("an operation on %s that may end the call", d.Elem)
	}
	return t.Function(x.Elem, names[d.Op], x, y)
}

// literal is the number that d spells, if that is one.
func (d *Data) literal() (*big.Rat, bool) {
	if d.Op != DataLiteral || len(d.Text) > 64 || strings.ContainsAny(d.Text, "eE/") {
		return nil, false
	}
	return new(big.Rat).SetString(d.Text)
}

// kept is d as one of a type, if it is one that was made wider without a change, or a literal.
func (d *Data) kept(to domain.Elem) *Data {
	switch v, number := d.literal(); {
	case d.Elem == to:
		return d
	case d.Op == DataConvert && d.Args[0].Elem == to && wider(d.Elem, to):
		return d.Args[0]
	case number && exact(to, v) && exact(d.Elem, v):
		return &Data{Op: DataLiteral, Elem: to, Text: d.Text, Span: d.Span}
	}
	return nil
}

// wider reports whether a type has all values of another, in their order.
func wider(x, than domain.Elem) bool {
	switch {
	case x.Kind == domain.ElemFloat && than.Kind == domain.ElemFloat:
		return x.Width > than.Width
	case !integer(x) || !integer(than):
		return false
	case x.Kind == than.Kind:
		return x.Width > than.Width
	}
	return x.Kind == domain.ElemInt && x.Width > than.Width
}

// exact reports whether a type surely has a number.
func exact(elem domain.Elem, v *big.Rat) (ok bool) {
	switch n := v.Num(); {
	case elem.Kind == domain.ElemFloat && elem.Width == 32:
		_, ok = v.Float32()
	case elem.Kind == domain.ElemFloat && elem.Width == 64:
		_, ok = v.Float64()
	case elem.Kind == domain.ElemUint:
		ok = v.IsInt() && n.Sign() >= 0 && n.BitLen() <= elem.Width
	case elem.Kind == domain.ElemInt:
		ok = v.IsInt() && n.BitLen() < elem.Width
	}
	return ok
}

// narrowed is a comparison of operands that were made wider as one of what they were.
func narrowed(d *Data) *Data {
	for _, a := range d.Args {
		if a.Op != DataConvert || len(a.Args) != 1 || len(d.Args) != 2 {
			continue
		}
		x, y := d.Args[0].kept(a.Args[0].Elem), d.Args[1].kept(a.Args[0].Elem)
		if x != nil && y != nil {
			return narrowed(&Data{Op: d.Op, Elem: d.Elem, Args: []*Data{x, y}, Span: d.Span})
		}
	}
	return d
}

// kept is z as one of a type, if it was one and was made wider without a change, or a number.
func (t *trace) kept(z *scalar, to domain.Elem) *scalar {
	switch {
	case z.Op == algebra.OpConvert && z.Args[0].Elem == to && wider(z.Elem, to):
		return z.Args[0]
	case z.Op == algebra.OpConst && z.Val != nil && exact(to, z.Val) && exact(z.Elem, z.Val):
		return t.Constant(to, z.Val)
	}
	return nil
}

// test is a comparison, of what operands were before they were made wider.
func (t *trace) test(name string, x, y *scalar) *scalar {
	for _, z := range []*scalar{x, y} {
		if z.Op == algebra.OpConvert {
			v, w := t.kept(x, z.Args[0].Elem), t.kept(y, z.Args[0].Elem)
			if v != nil && w != nil {
				return t.test(name, v, w)
			}
		}
	}
	return t.Function(algebra.Truth, name, x, y)
}

// extreme is a choice as the maximum or minimum that it is, if it is one of integers or of real
// numbers.
func (t *trace) extreme(d *Data) *Data {
	if d.Op != DataChoose || len(d.Args) != 3 {
		return d
	}
	c, swap := d.Args[0], false
	for c.Op == DataNot && len(c.Args) == 1 {
		c, swap = c.Args[0], !swap
	}
	if sort := t.Elem(d.Elem); !algebra.IsReal(sort) && !integer(sort) {
		return d
	}
	x, y := d.Args[1], d.Args[2]
	for _, c := range []*Data{c, narrowed(c)} {
		if c.Op != DataLess && c.Op != DataLessEqual || len(c.Args) != 2 {
			continue
		}
		straight := sameData(c.Args[0], x) && sameData(c.Args[1], y)
		if !straight && !(sameData(c.Args[0], y) && sameData(c.Args[1], x)) {
			continue
		}
		op := DataMax
		if straight != swap {
			op = DataMin
		}
		return &Data{Op: op, Elem: d.Elem, Args: []*Data{x, y}, Span: d.Span}
	}
	return d
}

// sameData reports whether two elements of one place are one.
func sameData(x, y *Data) bool {
	if x.Op != y.Op || x.Elem != y.Elem || !slices.EqualFunc(x.Args, y.Args, sameData) {
		return false
	}
	switch x.Op {
	case DataRead:
		return x.From.Buffer == y.From.Buffer && slices.EqualFunc(x.From.At, y.From.At, sameInt)
	case DataInt:
		return sameInt(x.Int, y.Int)
	}
	if v, ok := x.literal(); ok {
		w, also := y.literal()
		return also && v.Cmp(w) == 0 && x.Text[0] != '-' && y.Text[0] != '-' || x.Text == y.Text
	}
	return x.Text == y.Text
}
