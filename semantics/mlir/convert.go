package mlir

import (
	"slices"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/loops"
)

// conversion is index_cast, extsi and the like.
func (e *elaborator) conversion(o *oper) {
	o.takes(1, 1, 1)
	u, d := o.args[0], o.results[0]
	from, to := u.def.typ.scalar(), d.typ.scalar()
	if !u.def.typ.same(d.typ.shaped(from)) || !converts(o.name, from, to) {
		fail(o.at, "type-mismatch", "%s from %s to %s", o.name, u.def.typ, d.typ)
	}
	e.strict(o)
	e.exact(o)
	if d.steers && controllable(d) {
		e.controlConversion(o, from, to)
		return
	}
	elem := e.elem(to, o.at)
	if u.def.x != nil && (o.name == "arith.index_cast" || o.name == "arith.extsi" || o.name == "arith.trunci") && elem != boolean {
		if _, ok := u.def.x.number(); !ok {
			u.def.left()
			e.produce(d, e.pure(elem, &loops.Expr{Op: loops.FromInt, Elem: elem, Int: u.def.x.x, At: o.at}))
			return
		}
	}
	x := e.combine(elem, []*data{e.value(u)}, func(args []*loops.Expr) *loops.Expr {
		return converted(o.name, elem, o.at, args[0])
	})
	if o.name == "arith.fptosi" || o.name == "arith.fptoui" {
		x.ends()
	}
	e.produce(d, x)
}

// converts tells whether a conversion is between such types.
func converts(name string, from, to *typ) bool {
	whole, floating := from.whole(), from.floating()
	switch name {
	case "arith.index_cast", "arith.index_castui":
		return whole && to.whole() && (from.family == indexType) != (to.family == indexType)
	case "arith.extsi", "arith.extui":
		return from.family == integerType && to.family == integerType && from.width < to.width
	case "arith.trunci":
		return from.family == integerType && to.family == integerType && from.width > to.width
	case "arith.sitofp", "arith.uitofp":
		return from.family == integerType && to.floating()
	case "arith.fptosi", "arith.fptoui":
		return floating && to.family == integerType
	case "arith.extf":
		return floating && to.floating() && from.width < to.width
	case "arith.truncf":
		return floating && to.floating() && from.width > to.width
	}
	return false
}

// converted converts an element.
func converted(name string, to domain.Elem, at source.Span, x *loops.Expr) *loops.Expr {
	narrow := domain.Elem{Kind: domain.ElemInt, Width: 8}
	switch name {
	case "arith.extui", "arith.uitofp", "arith.index_castui":
		if x.Elem != boolean {
			x = convert(unsigned(x.Elem), at, x)
		}
		if to.Kind == domain.ElemInt {
			return convert(to, at, convert(unsigned(to), at, x))
		}
	case "arith.extsi", "arith.sitofp", "arith.index_cast":
		if x.Elem == boolean { // true is -1
			x = apply(loops.Negate, narrow, at, convert(narrow, at, x))
		}
	case "arith.fptoui":
		if to != boolean {
			return convert(to, at, convert(unsigned(to), at, x))
		}
	}
	if to == boolean && x.Elem.Kind == domain.ElemInt { // the last bit
		x = apply(loops.BitAnd, x.Elem, at, x, elementOf(x.Elem, 1, at))
	}
	return convert(to, at, x)
}

// controlConversion is one of integers of control, whose value stays.
func (e *elaborator) controlConversion(o *oper, from, to *typ) {
	u, d := o.args[0], o.results[0]
	if from.same(anI1) {
		c := e.condition(u)
		one := num(1)
		if o.name == "arith.extsi" || o.name == "arith.index_cast" {
			one = num(-1)
		}
		d.x = e.choose(o.at, c, one, num(0))
		return
	}
	x := e.control(u)
	if to.same(anI1) {
		odd := e.quotient(loops.FloorMod, o.at, x, num(2))
		d.cond = &loops.Cond{Op: loops.Equal, A: odd.x, B: loops.Num(1)}
		return
	}
	if o.name == "arith.extui" || o.name == "arith.index_castui" {
		x = e.natural(x, o.at)
	}
	d.x = e.inWord(x, width(to), o.at)
}

// compare is cmpi or cmpf.
func (e *elaborator) compare(o *oper) {
	o.takes(2, 2, 1)
	d, t := o.results[0], o.args[0].def.typ
	typedAs(o.args[1], t)
	o.gives(t.shaped(anI1))
	list := predicates[o.name]
	k := o.needed("predicate").int64("a predicate")
	if k < 0 || k >= int64(len(list)) {
		fail(o.at, "bad-syntax", "%d is no predicate of %s", k, o.name)
	}
	if o.name == "arith.cmpf" != t.floating() || o.name == "arith.cmpi" && !t.whole() {
		fail(o.at, "type-mismatch", "%s of type %s", o.name, t)
	}
	e.strict(o)
	name := list[k]
	if d.steers && controllable(d) {
		d.cond = e.compared(o, name)
		return
	}
	elem := e.elem(t.scalar(), o.at)
	if elem == boolean && name != "eq" && name != "ne" {
		fail(o.at, "unsupported-op", "cmpi %s of i1", name)
	}
	e.produce(d, e.combine(boolean, e.values(o.args), func(args []*loops.Expr) *loops.Expr {
		return comparison(name, elem, o.at, args[0], args[1])
	}))
}

// compared compares integers of control.
func (e *elaborator) compared(o *oper, name string) *loops.Cond {
	if o.args[0].def.cond != nil {
		a, b := e.condition(o.args[0]), e.condition(o.args[1])
		both := &loops.Cond{Op: loops.All, Conds: []*loops.Cond{a, b}}
		none := &loops.Cond{Op: loops.All, Conds: []*loops.Cond{loops.Not(a), loops.Not(b)}}
		c := &loops.Cond{Op: loops.Any, Conds: []*loops.Cond{both, none}}
		switch name {
		case "eq":
			return c
		case "ne":
			return loops.Not(c)
		}
		fail(o.at, "unsupported-op", "cmpi %s of i1", name)
	}
	a, b := e.control(o.args[0]), e.control(o.args[1])
	if name[0] == 'u' {
		a, b = e.natural(a, o.at), e.natural(b, o.at)
	}
	x, y := a.x, b.x
	if name = name[len(name)-2:]; name[0] == 'g' {
		x, y = y, x
	}
	switch name {
	case "eq":
		return &loops.Cond{Op: loops.Equal, A: x, B: y, At: o.at}
	case "ne":
		return loops.Not(&loops.Cond{Op: loops.Equal, A: x, B: y, At: o.at})
	case "lt", "gt":
		return &loops.Cond{Op: loops.Less, A: x, B: y, At: o.at}
	}
	return &loops.Cond{Op: loops.LessEqual, A: x, B: y, At: o.at}
}

// comparison compares elements.
func comparison(name string, t domain.Elem, at source.Span, a, b *loops.Expr) *loops.Expr {
	is := func(op loops.Op, a, b *loops.Expr) *loops.Expr { return apply(op, boolean, at, a, b) }
	not := func(x *loops.Expr) *loops.Expr { return apply(loops.BitNot, boolean, at, x) }
	truth := func(n int64) *loops.Expr { return elementOf(boolean, n, at) }
	if t.Kind != domain.ElemFloat {
		if name[0] == 'u' {
			a, b = convert(unsigned(t), at, a), convert(unsigned(t), at, b)
		}
		switch name[len(name)-2:] {
		case "eq":
			return is(loops.IsEqual, a, b)
		case "ne":
			return is(loops.IsNotEqual, a, b)
		case "lt":
			return is(loops.IsLess, a, b)
		case "le":
			return is(loops.IsLessEqual, a, b)
		case "gt":
			return is(loops.IsLess, b, a)
		}
		return is(loops.IsLessEqual, b, a)
	}
	different := func() *loops.Expr { return is(loops.BitOr, is(loops.IsLess, a, b), is(loops.IsLess, b, a)) }
	ordered := func() *loops.Expr { return is(loops.BitAnd, is(loops.IsEqual, a, a), is(loops.IsEqual, b, b)) }
	switch name {
	case "false":
		return truth(0)
	case "true":
		return truth(1)
	case "oeq":
		return is(loops.IsEqual, a, b)
	case "ogt":
		return is(loops.IsLess, b, a)
	case "oge":
		return is(loops.IsLessEqual, b, a)
	case "olt":
		return is(loops.IsLess, a, b)
	case "ole":
		return is(loops.IsLessEqual, a, b)
	case "one":
		return different()
	case "ord":
		return ordered()
	case "ueq":
		return not(different())
	case "ugt":
		return not(is(loops.IsLessEqual, a, b))
	case "uge":
		return not(is(loops.IsLess, a, b))
	case "ult":
		return not(is(loops.IsLessEqual, b, a))
	case "ule":
		return not(is(loops.IsLess, b, a))
	case "une":
		return is(loops.IsNotEqual, a, b)
	}
	return not(ordered()) // uno
}

// choice is arith.select.
func (e *elaborator) choice(o *oper) {
	o.takes(3, 3, 1)
	e.strict(o)
	d := o.results[0]
	typedAs(o.args[1], d.typ)
	typedAs(o.args[2], d.typ)
	if c := o.args[0].def.typ; !c.same(anI1) && !c.same(d.typ.shaped(anI1)) {
		mismatch(o.args[0].at, o.args[0].name, c, anI1)
	}
	switch {
	case d.steers && controllable(d) && d.typ.same(anI1):
		c, a, b := e.condition(o.args[0]), e.condition(o.args[1]), e.condition(o.args[2])
		d.cond = &loops.Cond{Op: loops.Any, Conds: []*loops.Cond{{Op: loops.All, Conds: []*loops.Cond{c, a}},
			{Op: loops.All, Conds: []*loops.Cond{loops.Not(c), b}}}}
		return
	case d.steers && controllable(d):
		d.x = e.choose(o.at, e.condition(o.args[0]), e.control(o.args[1]), e.control(o.args[2]))
		return
	case d.typ.family == memrefType:
		fail(o.at, "unsupported-op", "a choice of memrefs")
	}
	args := e.values(o.args)
	for _, x := range args[1:] {
		e.unconditional(args, x)
	}
	elem := e.elem(d.typ.scalar(), o.at)
	shape := d.typ.dims
	x := e.combine(elem, args, func(args []*loops.Expr) *loops.Expr { return apply(loops.Choice, elem, o.at, args...) })
	if x.shape = nil; d.typ.family == vectorType {
		x.shape = shape
	}
	e.produce(d, x)
}

// unconditional has an operand of a choice assigned to a local if it may end the call where the choice would not execute it:
// in MLIR it is executed in any case.
func (e *elaborator) unconditional(args []*data, x *data) {
	for _, n := range x.needs {
		always := slices.Contains(args[0].needs, n) || slices.Contains(args[1].needs, n) && slices.Contains(args[2].needs, n)
		if !n.done && !always {
			e.materialize(x)
			return
		}
	}
}
