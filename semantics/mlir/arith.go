package mlir

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/loops"
)

var boolean = domain.Elem{Kind: domain.ElemBool, Width: 1}

// literal is a number as an element.
func literal(t domain.Elem, r *big.Rat, at source.Span) *loops.Expr {
	return &loops.Expr{Op: loops.Literal, Elem: t, Number: r, At: at}
}

func elementOf(t domain.Elem, n int64, at source.Span) *loops.Expr {
	return literal(t, wrapped(big.NewInt(n), t), at)
}

// wrapped is an integer modulo the width of a type.
func wrapped(n *big.Int, t domain.Elem) *big.Rat {
	m := new(big.Int).Lsh(big.NewInt(1), uint(t.Width))
	n = new(big.Int).Mod(n, m)
	if t.Kind == domain.ElemInt && n.Bit(t.Width-1) == 1 {
		n.Sub(n, m)
	}
	return new(big.Rat).SetInt(n)
}

// holds is a condition of control as an element.
func holds(c *loops.Cond, at source.Span) *loops.Expr {
	int64s := domain.Elem{Kind: domain.ElemInt, Width: 64}
	one := &loops.Int{Op: loops.Choose, Cond: c, Args: []*loops.Int{loops.Num(1), loops.Num(0)}, At: at}
	is := &loops.Expr{Op: loops.FromInt, Elem: int64s, Int: one, At: at}
	return apply(loops.IsNotEqual, boolean, at, is, elementOf(int64s, 0, at))
}

func apply(op loops.Op, t domain.Elem, at source.Span, args ...*loops.Expr) *loops.Expr {
	return &loops.Expr{Op: op, Elem: t, Args: args, At: at}
}

func convert(t domain.Elem, at source.Span, x *loops.Expr) *loops.Expr {
	if x.Elem == t {
		return x
	}
	return apply(loops.Convert, t, at, x)
}

// unsigned is the type of the same bits without a sign.
func unsigned(t domain.Elem) domain.Elem {
	if t.Kind == domain.ElemInt {
		t.Kind = domain.ElemUint
	}
	return t
}

// An arithOp is an operation on data of one type.
type arithOp struct {
	op       loops.Op
	kind     string // int, float, any
	unsigned bool   // operands are read without a sign
	ends     bool   // it may end the call
	function string
}

var arithOps = func() map[string]arithOp {
	out := map[string]arithOp{
		"arith.addi": {op: loops.Add}, "arith.subi": {op: loops.Sub}, "arith.muli": {op: loops.Mul},
		"arith.divsi": {op: loops.Div, ends: true}, "arith.divui": {op: loops.Div, unsigned: true, ends: true},
		"arith.remsi": {op: loops.Rem, ends: true}, "arith.remui": {op: loops.Rem, unsigned: true, ends: true},
		"arith.floordivsi": {op: loops.DivDown, ends: true}, "arith.ceildivsi": {op: loops.DivUp, ends: true},
		"arith.ceildivui": {op: loops.DivUp, unsigned: true, ends: true},
		"arith.andi":      {op: loops.BitAnd}, "arith.ori": {op: loops.BitOr}, "arith.xori": {op: loops.BitXor},
		"arith.shli": {op: loops.ShiftLeft, ends: true}, "arith.shrsi": {op: loops.ShiftRight, ends: true},
		"arith.shrui": {op: loops.ShiftRight, unsigned: true, ends: true},
		"arith.maxsi": {op: loops.Maximum}, "arith.minsi": {op: loops.Minimum},
		"arith.maxui": {op: loops.Maximum, unsigned: true}, "arith.minui": {op: loops.Minimum, unsigned: true},
		"math.absi":  {op: loops.Absolute},
		"arith.addf": {op: loops.Add, kind: "float"}, "arith.subf": {op: loops.Sub, kind: "float"},
		"arith.mulf": {op: loops.Mul, kind: "float"}, "arith.divf": {op: loops.Div, kind: "float"},
		"arith.negf": {op: loops.Negate, kind: "float"}, "math.absf": {op: loops.Absolute, kind: "float"},
		"arith.maximumf": {op: loops.Maximum, kind: "float"}, "arith.minimumf": {op: loops.Minimum, kind: "float"},
		"arith.maxnumf": {op: loops.MaxNum, kind: "float"}, "arith.minnumf": {op: loops.MinNum, kind: "float"},
		"math.powf": {op: loops.Function, kind: "float", function: "pow"},
	}
	for _, n := range strings.Fields("exp sqrt log erf sin cos tan tanh floor ceil round trunc rsqrt fma") {
		out["math."+n] = arithOp{op: loops.Function, kind: "float", function: n}
	}
	return out
}()

// arithmetic is an operation on operands of one type, which the result has, too.
func (e *elaborator) arithmetic(o *oper) {
	op := arithOps[o.name]
	count := 2
	switch {
	case op.op == loops.Negate || op.op == loops.Absolute || op.op == loops.Function && op.function != "pow" && op.function != "fma":
		count = 1
	case op.function == "fma":
		count = 3
	}
	o.takes(count, count, 1)
	d := o.results[0]
	for _, u := range o.args {
		typedAs(u, d.typ)
	}
	if op.kind == "float" != d.typ.floating() || op.kind != "float" && !d.typ.whole() {
		fail(o.at, "type-mismatch", "%s of type %s", o.name, d.typ)
	}
	e.strict(o)
	if e.steered(o) {
		return
	}
	e.exact(o)
	elem := e.elem(d.typ.scalar(), o.at)
	bits := op.op == loops.BitAnd || op.op == loops.BitOr || op.op == loops.BitXor
	if elem == boolean && !bits {
		fail(o.at, "unsupported-op", "%s of i1", o.name)
	}
	x := e.combine(elem, e.values(o.args), func(args []*loops.Expr) *loops.Expr { return op.of(elem, o.at, args) })
	if op.ends && !harmless(x, op.op) {
		x.ends()
	}
	e.produce(d, x)
}

func (e *elaborator) values(list []*use) []*data {
	out := make([]*data, len(list))
	for i, u := range list {
		out[i] = e.value(u)
	}
	return out
}

// harmless tells whether a division is by a number, which is neither 0 nor -1, or a shift one within the width.
func harmless(x *data, op loops.Op) bool {
	lanes := make([]*loops.Int, len(x.shape))
	for i := range lanes {
		lanes[i] = loops.Num(0)
	}
	v := x.at(lanes)
	if v.Op == loops.Convert {
		v = v.Args[0]
	}
	by := v.Args[1]
	for by.Op == loops.Convert {
		by = by.Args[0]
	}
	if by.Op != loops.Literal {
		return false
	}
	if op == loops.ShiftLeft || op == loops.ShiftRight {
		return by.Number.Sign() >= 0 && by.Number.Cmp(new(big.Rat).SetInt64(int64(v.Elem.Width))) < 0
	}
	return by.Number.Sign() > 0 || by.Number.Cmp(big.NewRat(-1, 1)) < 0
}

// of makes the operation.
func (op arithOp) of(t domain.Elem, at source.Span, args []*loops.Expr) *loops.Expr {
	u := t
	if op.unsigned {
		u = unsigned(t)
	}
	list := make([]*loops.Expr, len(args))
	for i, a := range args {
		list[i] = convert(u, at, a)
	}
	if op.op == loops.ShiftLeft || op.op == loops.ShiftRight { // a shift by what is negative is one by far too much
		list[1] = convert(unsigned(t), at, args[1])
	}
	x := apply(op.op, u, at, list...)
	x.Name = op.function
	return convert(t, at, x)
}

// strict refuses flags of floats: which results they allow no arithmetic says.
func (e *elaborator) strict(o *oper) {
	if a := o.attr("fastmath"); a != nil && a.body != "none" && a.body != "" {
		fail(a.at, "unsupported-op", "fastmath<%s>: floats are rounded operation by operation, or are reals", a.body)
	}
}

// exact refuses flags that say that data does not overflow: what does is poison, of which nothing follows where nobody reads it.
func (e *elaborator) exact(o *oper) {
	if a := o.attr("overflowFlags"); a != nil && a.body != "none" && a.body != "" {
		fail(a.at, "unsupported-op", "overflow<%s> of data", a.body)
	}
}

// steered gives a result of an operation on integers its value of control, where it steers.
func (e *elaborator) steered(o *oper) bool {
	d := o.results[0]
	if !d.steers || !controllable(d) {
		if d.steers && !d.typ.same(anI1) && computes(o) && made(o) { // it steers, and is not affine
			e.arith(o, e.control(o.args[0]), e.control(o.args[1]))
		}
		return false
	}
	if d.typ.same(anI1) {
		d.cond = e.logic(o)
		return true
	}
	a, b := e.control(o.args[0]), e.control(o.args[1])
	d.x = e.arith(o, a, b)
	if f := o.attr("overflowFlags"); f != nil && strings.Contains(f.body, "nuw") {
		d.x = e.unsignedToo(o, a, b)
	}
	return true
}

// made tells whether an operation has two operands, both of control.
func made(o *oper) bool {
	return len(o.args) == 2 && controllable(o.args[0].def) && controllable(o.args[1].def)
}

// unsignedToo requires operands and result not to be below 0: then without a sign nothing wraps either.
func (e *elaborator) unsignedToo(o *oper, a, b *cval) *cval {
	_, hi := limits(64)
	for _, v := range []*cval{a, b} {
		e.fit(v, new(big.Int), hi, o.at, "%s without a sign", show(o.at))
	}
	x := o.results[0].x
	return e.fit(x, new(big.Int), hi, o.at, "the result of %s without a sign", show(o.at))
}

// logic is an operation on conditions of control.
func (e *elaborator) logic(o *oper) *loops.Cond {
	a, b := e.condition(o.args[0]), e.condition(o.args[1])
	switch o.name {
	case "arith.andi", "arith.muli":
		return &loops.Cond{Op: loops.All, Conds: []*loops.Cond{a, b}}
	case "arith.ori":
		return &loops.Cond{Op: loops.Any, Conds: []*loops.Cond{a, b}}
	case "arith.xori":
		if d := o.args[1].def; d.op != nil && d.op.name == "arith.constant" && len(b.Conds) == 0 && b.Op == loops.All {
			return loops.Not(a)
		}
		only := func(a, b *loops.Cond) *loops.Cond {
			return &loops.Cond{Op: loops.All, Conds: []*loops.Cond{a, loops.Not(b)}}
		}
		return &loops.Cond{Op: loops.Any, Conds: []*loops.Cond{only(a, b), only(b, a)}}
	}
	fail(o.at, "unsupported-op", "%s of i1", o.name)
	return nil
}

// condition returns the condition of control that a value is.
func (e *elaborator) condition(u *use) *loops.Cond {
	u.def.left()
	if u.def.cond == nil {
		fail(u.at, "not-static-control", "%s is data: loops and memrefs do not depend on it", u.name)
	}
	return u.def.cond
}

// constant is arith.constant.
func (e *elaborator) constant(o *oper) {
	o.takes(0, 0, 1)
	a, d := o.needed("value"), o.results[0]
	if a.typ != nil && !a.typ.same(d.typ) {
		mismatch(o.at, d.name, a.typ, d.typ)
	}
	if d.typ.family == vectorType {
		if a.kind != denseAttr || len(a.list) != 1 {
			fail(a.at, "unsupported-op", "constants of vectors are splats: dense<0.0>")
		}
		a = a.list[0]
	}
	t := d.typ.scalar()
	elem := e.elem(t, o.at)
	if a.kind == integerAttr && t.whole() {
		lo, hi := limits(width(t))
		if hi.Lsh(hi, 1); a.n.Cmp(lo) < 0 || a.n.Cmp(hi.Add(hi, big.NewInt(1))) > 0 {
			fail(a.at, "type-mismatch", "%s is no number of type %s", a.n, t)
		}
	}
	x := e.constantOf(a, t, elem)
	switch {
	case d.typ.family == vectorType:
	case t.same(anI1):
		d.cond = &loops.Cond{Op: loops.All}
		if x.Number.Sign() == 0 {
			d.cond.Op = loops.Any
		}
		return
	case t.whole():
		d.x = constant(x.Number.Num())
		return
	}
	v := e.pure(elem, x)
	v.shape = d.typ.dims
	e.produce(d, v)
}

// constantOf is an element that an attribute says.
func (e *elaborator) constantOf(a *attr, t *typ, elem domain.Elem) *loops.Expr {
	at := a.at
	switch {
	case a.kind == integerAttr && t.whole():
		return literal(elem, wrapped(a.n, elem), at)
	case a.kind == integerAttr && t.family == floatType && a.hex:
		return e.floatBits(a, t, elem)
	case a.kind == floatAttr && t.family == floatType && a.hex:
		return &loops.Expr{Op: loops.Special, Elem: elem, Name: "-0", At: at}
	case a.kind == floatAttr && t.family == floatType:
		return literal(elem, spelt(a.r, t), at)
	}
	fail(at, "type-mismatch", "%s is no number of type %s", show(at), t)
	return nil
}

// spelt is a decimal as the shortest one that is the same float. A text says which float is meant, and tools print it with
// other digits than they read; they read f32 by way of f64.
func spelt(r *big.Rat, t *typ) *big.Rat {
	x, _ := r.Float64()
	digits := strconv.FormatFloat(x, 'e', -1, 64)
	switch {
	case t.width == 32:
		if math.IsInf(float64(float32(x)), 0) {
			return r
		}
		digits = strconv.FormatFloat(float64(float32(x)), 'e', -1, 32)
	case t.width != 64 || math.IsInf(x, 0):
		return r
	}
	out, _ := new(big.Rat).SetString(digits)
	return out
}

// floatBits is a float that is written as its bits.
func (e *elaborator) floatBits(a *attr, t *typ, elem domain.Elem) *loops.Expr {
	mantissa := map[int]uint{16: 10, 32: 23, 64: 52}[t.width]
	if t.bfloat {
		mantissa = 7
	}
	exponent := uint(t.width) - 1 - mantissa
	if a.n.Sign() < 0 || a.n.BitLen() > t.width {
		fail(a.at, "type-mismatch", "%s is no number of type %s", show(a.at), t)
	}
	bits := a.n.Uint64()
	negative := bits>>(t.width-1) == 1
	f, x := bits&(1<<mantissa-1), int64(bits>>mantissa&(1<<exponent-1))
	special := func(name string) *loops.Expr { return &loops.Expr{Op: loops.Special, Elem: elem, Name: name, At: a.at} }
	bias := int64(1)<<(exponent-1) - 1
	switch {
	case x == 1<<exponent-1 && f != 0:
		return special("nan")
	case x == 1<<exponent-1 && negative:
		return special("-inf")
	case x == 1<<exponent-1:
		return special("inf")
	case x == 0 && f == 0 && negative:
		return special("-0")
	case x == 0:
		x = 1
	default:
		f |= 1 << mantissa
	}
	r := new(big.Rat).SetInt(new(big.Int).SetUint64(f))
	power := x - bias - int64(mantissa)
	two := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(power, -power))))
	if power < 0 {
		two.Inv(two)
	}
	if r.Mul(r, two); negative {
		r.Neg(r)
	}
	return literal(elem, spelt(r, t), a.at)
}
