package loops

import (
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
	case DataConvert, DataEnds:
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
		return t.Test(algebra.Less, args[0], args[1])
	case DataEqual:
		return t.Test(algebra.Equal, args[0], args[1])
	case DataLessEqual:
		return t.Test(algebra.AtMost, args[0], args[1])
	case DataBoth:
		return t.Both(args[0], args[1])
	case DataEither:
		return t.Not(t.Both(t.Not(args[0]), t.Not(args[1])))
	case DataNot:
		return t.Not(args[0])
	}
	return t.Chosen(args[0], args[1], args[2])
}

// bits is an operation on integers that polynomials have not. Whatever the operands are it has a
// value, as a call that it ends leaves nothing (law 12).
func (t *trace) bits(d *Data, x, y *scalar) *scalar {
	if !integer(t.Elem(d.Elem)) {
		unsupported("an operation on bits of %s", d.Elem)
	}
	if v := t.masked(d, x, y); v != nil {
		return v
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
		return t.Function(x.Elem, byData[op], x, y)
	}
	return t.Function(x.Elem, names[d.Op], x, y)
}

// masked is an operation on bits by what conditions say: of 1 or 0 they are conditions again, and
// by -1 or 0, all bits or none, a number is taken or not.
func (t *trace) masked(d *Data, x, y *scalar) *scalar {
	one, zero := t.Int(x.Elem, 1), t.Int(x.Elem, 0)
	bit := func(v *scalar) *scalar {
		switch {
		case v.Op != algebra.OpFunction || v.Name != algebra.Chosen:
		case v.Args[1] == one && v.Args[2] == zero:
			return v.Args[0]
		case v.Args[1] == zero && v.Args[2] == one:
			return t.Not(v.Args[0])
		}
		return nil
	}
	p, q := bit(x), bit(y)
	switch {
	case d.Op == DataBitAnd && p != nil && q != nil:
		return t.Chosen(t.Both(p, q), one, zero)
	case d.Op == DataBitOr && p != nil && q != nil:
		return t.Chosen(t.Not(t.Both(t.Not(p), t.Not(q))), one, zero)
	case d.Op != DataBitAnd:
	case y.Op == algebra.OpNeg && bit(y.Args[0]) != nil:
		return t.Chosen(bit(y.Args[0]), x, zero)
	case x.Op == algebra.OpNeg && bit(x.Args[0]) != nil:
		return t.Chosen(bit(x.Args[0]), y, zero)
	}
	return nil
}

// byData are functions that no law of polynomials is about.
var byData = map[DataOp]string{DataQuotient: algebra.DividedByData,
	DataRemainder: algebra.RemainderByData, DataShift: algebra.ShiftByData,
	DataShiftLeft: algebra.ShiftLeftByData}

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
	case d.Op == DataConvert && d.Args[0].Elem == to && algebra.Wider(d.Elem, to):
		return d.Args[0]
	case number && algebra.Exact(to, v) && algebra.Exact(d.Elem, v):
		return &Data{Op: DataLiteral, Elem: to, Text: d.Text, Span: d.Span}
	}
	return nil
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

// extreme is a choice as the maximum or minimum that it is, if it is one of integers or of real
// numbers.
func (t *trace) extreme(d *Data) *Data {
	if d.Op != DataChoose || len(d.Args) != 3 {
		return d
	}
	if sort := t.Elem(d.Elem); !algebra.IsReal(sort) && !integer(sort) {
		return d
	}
	out, _ := Extreme(d)
	return out
}

// Extreme is a choice, of integers or of real numbers, as the maximum or minimum that it is, and by
// what it chooses; d itself if it is none.
func Extreme(d *Data) (out, by *Data) {
	if d.Op != DataChoose || len(d.Args) != 3 {
		return d, nil
	}
	c, swap := d.Args[0], false
	for c.Op == DataNot && len(c.Args) == 1 {
		c, swap = c.Args[0], !swap
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
		return &Data{Op: op, Elem: d.Elem, Args: []*Data{x, y}, Span: d.Span}, d.Args[0]
	}
	return d, nil
}

// sameData reports whether two elements of one place are one.
func sameData(x, y *Data) bool {
	if x.Op != y.Op || x.Elem != y.Elem || x.Checked != y.Checked ||
		!slices.EqualFunc(x.Args, y.Args, sameData) {
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
