package mlir

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/proofs/loops"
	"tv/semantics/domain"
)

// A value is one of the text: defined once, by an operation or as a parameter.
type value struct {
	name   string
	typ    typ
	at     source.Span
	by     *operation
	uses   int    // that are still to come
	steers bool   // see steer
	given  *value // of a parameter of a function that is called, the operand

	// What it is, once it is defined: one of these.
	num     *number
	test    *test
	compare *comparison // or an i1 of data is that
	mem     *view
	data    *loops.Data // what the memory now makes of it
	vec     *lanes      // so are its elements

	reads   []*loops.Buffer // of data, but those that nothing writes while it is used
	done    bool            // statements so far have executed what it reads
	carried bool            // from one iteration to the next
	holding bool
}

// A comparison is a condition on data.
type comparison struct {
	predicate string
	x, y      *value
}

// A lowering is a text on its way into the form, where it is now.
//
// A value of data is an expression until a statement uses it. It is held in a local before anything
// that it reads is written, and before a loop or a branch begins or ends: so every load is executed
// where the text has it, and sees the memory that it sees there.
type lowering struct {
	*loops.Text
	live   []*value // of data, of the block, that read what may be written
	block  int      // which one it is
	blocks int
	when   []*loops.Data         // conditions on data under which it is executed
	born   map[*loops.Buffer]int // under how many of them locals begin; parameters under none
}

// Emit adds a statement. One that data decides about leaves what is there where it is not executed,
// but in locals that begin under the same conditions: nothing reads them there.
func (l *lowering) Emit(s loops.Stmt) {
	switch s := s.(type) {
	case *loops.Assign:
		n := min(l.born[s.To.Buffer], len(l.when))
		for _, c := range slices.Backward(l.when[n:]) {
			s.Value = operator(loops.DataChoose, typ{elem: s.To.Buffer.Elem}, s.Span, copied(c),
				s.Value, read(s.To))
		}
		s.Guarded, s.Known = len(l.when) > 0, true
		s.Under = slices.Clone(l.when[:n])
	case *loops.Require:
		s.Guarded = len(l.when) > 0
	}
	l.Text.Emit(s)
}

// local begins a buffer.
func (l *lowering) local(name string, elem domain.Elem, dims []size, at source.Span) *loops.Buffer {
	b := &loops.Buffer{Name: name, Elem: elem, Dims: dims, Span: at}
	l.born[b] = len(l.when)
	l.Emit(&loops.Alloc{Buffer: b, Span: at})
	return b
}

func access(b *loops.Buffer, at source.Span) loops.Access {
	return loops.Access{Buffer: b, Span: at}
}

func read(from loops.Access) *loops.Data {
	return &loops.Data{Op: loops.DataRead, Elem: from.Buffer.Elem, From: from, Span: from.Span}
}

// set makes v an expression.
func (l *lowering) set(v *value, d *loops.Data) {
	v.data, v.reads, v.done = d, reads(d), false
	if len(v.reads)+len(d.Args) > 0 {
		l.live = append(l.live, v)
	}
	nodes := 0
	if walk(d, func(*loops.Data) { nodes++ }); nodes > maxNodes {
		l.hold(v)
	}
}

// maxNodes is how much an expression computes at once.
const maxNodes = 1 << 8

// reads are the buffers that an expression reads.
func reads(d *loops.Data) (out []*loops.Buffer) {
	walk(d, func(x *loops.Data) {
		if x.Op == loops.DataRead && !slices.Contains(out, x.From.Buffer) {
			out = append(out, x.From.Buffer)
		}
	})
	return out
}

// fix makes v an expression that nothing changes as long as it is used, and whose reads are done.
func (v *value) fix(d *loops.Data) { v.data, v.reads, v.done = d, nil, true }

func walk(d *loops.Data, f func(*loops.Data)) {
	f(d)
	for _, a := range d.Args {
		walk(a, f)
	}
}

// copied is an expression once more: of two statements each has its own.
func copied(d *loops.Data) *loops.Data {
	out := *d
	out.Args = nil
	for _, a := range d.Args {
		out.Args = append(out.Args, copied(a))
	}
	return &out
}

// hold keeps a value in a local.
func (l *lowering) hold(v *value) {
	v.holding = true
	defer func() { v.holding = false }()
	if v.vec != nil {
		l.holdLanes(v)
		return
	}
	b := l.local("%"+v.name, v.typ.elem, nil, v.at)
	l.Emit(&loops.Assign{To: access(b, v.at), Value: copied(v.data), Span: v.at})
	v.fix(read(access(b, v.at)))
}

// needed reports whether something of v is still to be done.
func (v *value) needed() bool {
	reads := len(v.reads) > 0
	return !v.holding && (v.uses > 0 && (reads || v.compound()) || reads && !v.done)
}

// compound reports whether v is computed where it is used.
func (v *value) compound() bool {
	return v.data != nil && len(v.data.Args) > 0 || v.vec != nil && len(v.vec.parts) > 0
}

// flush holds what reads a buffer, but for one value.
func (l *lowering) flush(b *loops.Buffer, but *value) {
	for _, v := range l.live {
		if v != but && v.needed() && slices.Contains(v.reads, b) {
			l.hold(v)
		}
	}
	var left []*value // the blocks around have their own
	for _, v := range l.live {
		if v == but || v.needed() {
			left = append(left, v)
		}
	}
	l.live = left
}

// settle holds all of a block: before another one begins in it, and at its end.
func (l *lowering) settle() {
	list := l.live
	l.live = nil
	for _, v := range list {
		switch {
		case !v.needed():
		case v.carried:
			l.live = append(l.live, v)
		default:
			l.hold(v)
		}
	}
}

// data is a use of a value as data.
func (l *lowering) data(v *value, at source.Span) *loops.Data {
	if v.num == nil && v.uses > 1 && v.data != nil && len(v.data.Args) > 0 {
		l.hold(v)
	}
	return l.taken(v, at)
}

// taken is a use of a value as data that its statement may keep for others.
func (l *lowering) taken(v *value, at source.Span) *loops.Data {
	v.uses--
	if v.num != nil {
		return l.asData(v.num, v.typ, at)
	}
	check(v.data != nil, at, "unsupported-op", "%%%s, %s, as data", v.name, v.typ.text)
	v.done = true
	return copied(v.data)
}

// asData is an integer of control as data of a type.
func (l *lowering) asData(n *number, t typ, at source.Span) *loops.Data {
	check(!n.rough, at, "not-affine", "an integer that is data too may be none of %s", t.text)
	least, most := t.limits()
	if c, ok := n.x.Const(); ok && c.Cmp(least) >= 0 && c.Cmp(most) <= 0 {
		return literal(c, t, at)
	}
	return &loops.Data{Op: loops.DataInt, Elem: t.elem, Int: l.Integer(n.x), Span: at}
}

// store writes a value. What uses it later reads it from there.
func (l *lowering) store(to loops.Access, v *value, at source.Span) {
	d := l.taken(v, at)
	if len(l.when) > 0 { // what is there later need not be v
		l.flush(to.Buffer, nil)
		l.Emit(&loops.Assign{To: to, Value: d, Span: at})
		return
	}
	l.flush(to.Buffer, v)
	l.Emit(&loops.Assign{To: to, Value: d, Span: at})
	if v.num == nil && v.uses > 0 && (len(v.data.Args) > 0 || slices.Contains(v.reads, to.Buffer)) {
		l.set(v, read(to))
		v.done = true
	}
}

func operator(op loops.DataOp, t typ, at source.Span, args ...*loops.Data) *loops.Data {
	return &loops.Data{Op: op, Elem: t.elem, Args: args, Span: at}
}

// convert is a conversion between types of elements. A constant that both have is converted.
func convert(d *loops.Data, to domain.Elem) *loops.Data {
	switch {
	case d.Elem == to:
		return d
	case d.Op == loops.DataLiteral && d.Elem.Kind == domain.ElemInt && to.Kind == domain.ElemInt:
		v, ok := new(big.Int).SetString(d.Text, 10)
		if least, most := (typ{elem: to}).limits(); ok && v.Cmp(least) >= 0 && v.Cmp(most) <= 0 {
			return &loops.Data{Op: loops.DataLiteral, Elem: to, Text: d.Text, Span: d.Span}
		}
	}
	return &loops.Data{Op: loops.DataConvert, Elem: to, Args: []*loops.Data{d}, Span: d.Span}
}

// unsigned is the type of the same width without a sign.
func unsigned(e domain.Elem) domain.Elem {
	return domain.Elem{Kind: domain.ElemUint, Width: e.Width}
}

// exact are operations that are the same for all elements of a type.
var exact = map[string]loops.DataOp{
	"addi": loops.DataAdd, "subi": loops.DataSub, "muli": loops.DataMul,
	"addf": loops.DataAdd, "subf": loops.DataSub, "mulf": loops.DataMul, "divf": loops.DataDiv,
	"negf": loops.DataNeg, "maxf": loops.DataMax, "minf": loops.DataMin, "maximumf": loops.DataMax,
	"minimumf": loops.DataMin, "maxnumf": loops.DataMax, "minnumf": loops.DataMin,
	"maxsi": loops.DataMax, "minsi": loops.DataMin, "maxui": loops.DataMax, "minui": loops.DataMin,
	"andi": loops.DataBitAnd, "ori": loops.DataBitOr, "xori": loops.DataBitXor}

// partial are operations on integers at which a call may end: of operands with a sign, or with u in
// the name without.
var partial = map[string]loops.DataOp{
	"divsi": loops.DataQuotient, "divui": loops.DataQuotient, "remsi": loops.DataRemainder,
	"remui": loops.DataRemainder, "shli": loops.DataShiftLeft, "shrsi": loops.DataShift,
	"shrui": loops.DataShift}

// partially is one of them. A number as the second operand is a literal.
func (l *lowering) partially(op string, t typ, at source.Span, args []*loops.Data) *loops.Data {
	x, y := args[0], args[1]
	k, number := integerOf(y)
	if number && y.Op == loops.DataInt {
		y = &loops.Data{Op: loops.DataLiteral, Elem: y.Elem, Text: k.String(), Span: y.Span}
	}
	if op == "shli" && number && k.Sign() >= 0 && k.Cmp(big.NewInt(int64(t.elem.Width)-1)) < 0 {
		power := loops.Beyond(uint(k.Int64()))
		if power == nil {
			return x
		}
		y.Text = power.String()
		return operator(loops.DataMul, t, at, x, y)
	}
	if strings.Contains(op, "ui") {
		u := typ{elem: unsigned(t.elem)}
		x, y = convert(x, u.elem), convert(y, u.elem)
		return convert(operator(partial[op], u, at, x, y), t.elem)
	}
	return operator(partial[op], t, at, x, y)
}

// integerOf is the integer that an operand is, if it is a number of the text.
func integerOf(d *loops.Data) (*big.Int, bool) {
	switch {
	case d.Op == loops.DataInt && d.Int.Op == loops.IntNumber:
		return d.Int.N, true
	case d.Op == loops.DataLiteral && d.Elem.Kind != domain.ElemFloat:
		return new(big.Int).SetString(d.Text, 10)
	}
	return nil, false
}

// toward is floordivsi or ceildivsi by a number k > 0: for q = x/k rounded towards 0 and the
// remainder r = x - q·k, q - 1 where r < 0, or q + 1 where 0 < r, and else q.
func toward(op string, t typ, at source.Span, x, k *loops.Data) *loops.Data {
	of := func(op loops.DataOp, x, y *loops.Data) *loops.Data {
		return operator(op, t, at, copied(x), copied(y))
	}
	q, r := of(loops.DataQuotient, x, k), of(loops.DataRemainder, x, k)
	next := map[string]loops.DataOp{"floordivsi": loops.DataSub, "ceildivsi": loops.DataAdd}[op]
	predicate := map[string]string{"floordivsi": "slt", "ceildivsi": "sgt"}[op]
	nothing := literal(new(big.Int), t, at)
	beyond := of(next, q, literal(big.NewInt(1), t, at))
	return operator(loops.DataChoose, t, at, holds(predicate, r, nothing, at), beyond, q)
}

// functions are those of package math that the form knows.
var functions = []string{"exp", "log", "sqrt", "erf", "tanh"}

// calculate is an operation of dialects arith and math on data.
func (l *lowering) calculate(o *operation, t typ, args []*loops.Data) *loops.Data {
	family, op, _ := strings.Cut(o.name, ".")
	float := len(args) > 0 && args[0].Elem.Kind == domain.ElemFloat
	d, known := exact[op]
	switch {
	case family == "math" && op == "absf" && len(args) == 1 && float:
		minus := operator(loops.DataNeg, t, o.at, copied(args[0]))
		return operator(loops.DataMax, t, o.at, args[0], minus)
	case family == "math" && slices.Contains(functions, op) && len(args) == 1 && float:
		out := operator(loops.DataApply, t, o.at, args...)
		out.Text = op
		return out
	case family != "arith":
	case known && float == strings.HasSuffix(op, "f") && (len(args) == 2 || op == "negf"):
		if !strings.HasSuffix(op, "ui") {
			return operator(d, t, o.at, args...)
		}
		u := typ{elem: unsigned(t.elem)}
		x, y := convert(args[0], u.elem), convert(args[1], u.elem)
		return convert(operator(d, u, o.at, x, y), t.elem)
	case len(args) == 2 && partial[op] != 0 && !float:
		return l.partially(op, t, o.at, args)
	case len(args) == 2 && (op == "floordivsi" || op == "ceildivsi") && !float:
		if k, ok := integerOf(args[1]); ok && k.Sign() > 0 {
			return toward(op, t, o.at, args[0], args[1])
		}
	case len(args) == 1:
		if out := converted(op, args[0], t.elem); out != nil {
			return out
		}
	}
	refuse(o.at, "unsupported-op", "%s of data", o.name)
	return nil
}

// converted is a conversion by its name, or nil for one that is not known.
func converted(op string, x *loops.Data, to domain.Elem) *loops.Data {
	from, float := x.Elem, domain.ElemFloat
	if from == algebra.Truth {
		return ofTruth(op, x, to)
	}
	whole := from.Kind != float && to.Kind != float
	switch op {
	case "index_cast":
		if whole {
			return convert(x, to)
		}
	case "extsi", "extui", "index_castui", "trunci":
		if whole && (op == "trunci") == (to.Width < from.Width) {
			if strings.HasSuffix(op, "ui") {
				x = convert(x, unsigned(from))
			}
			return convert(x, to)
		}
	case "sitofp", "uitofp":
		if from.Kind != float && to.Kind == float {
			if op == "uitofp" {
				x = convert(x, unsigned(from))
			}
			return convert(x, to)
		}
	case "extf", "truncf":
		if from.Kind == float && to.Kind == float && (op == "extf") == (from.Width < to.Width) {
			return convert(x, to)
		}
	}
	return nil
}

// ofTruth is a conversion of a condition: to 1 where it holds, with a sign to -1, and else to 0.
func ofTruth(op string, x *loops.Data, to domain.Elem) *loops.Data {
	text, ok := map[string]string{"extui": "1", "uitofp": "1", "index_castui": "1", "extsi": "-1",
		"sitofp": "-1", "index_cast": "-1"}[op]
	if !ok || (to.Kind == domain.ElemFloat) != strings.HasSuffix(op, "fp") {
		return nil
	}
	number := func(text string) *loops.Data {
		return &loops.Data{Op: loops.DataLiteral, Elem: to, Text: text, Span: x.Span}
	}
	return operator(loops.DataChoose, typ{elem: to}, x.Span, x, number(text), number("0"))
}

// elementary reports whether fast-math or overflow flags leave an operation what it is.
func (o *operation) elementary() bool {
	for _, s := range []string{"fastmath", "overflow", "overflowFlags", "exact"} {
		if a := o.attrs[s]; a != nil && !strings.Contains(a.text, "<none>") {
			return false
		}
	}
	return true
}

// constant is a number of the text.
func (l *lowering) constant(v *value, a *attribute, at source.Span) {
	t := v.typ
	check(a != nil && (a.typ.text == "" || a.typ.text == t.text), at, "type-mismatch",
		"a constant of another type")
	n, isInt := new(big.Int).SetString(a.text, 0)
	switch {
	case t.text == "i1" && (a.text == "true" || a.text == "false" || isInt):
		op := loops.CondAny // of none
		if a.text == "true" || isInt && n.Sign() != 0 {
			op = loops.CondAll
		}
		v.test = joined(op)
	case t.kind == scalar && !t.isFloat() && isInt:
		beyond := loops.Beyond(uint(t.elem.Width))
		wrapped := new(big.Int).Mod(n, beyond)
		if _, most := t.limits(); wrapped.Cmp(most) > 0 {
			wrapped.Sub(wrapped, beyond)
		}
		v.num = &number{x: domain.BigSize(wrapped)}
	case t.kind == scalar && t.isFloat():
		v.fix(&loops.Data{Op: loops.DataLiteral, Elem: t.elem, Text: floating(a, t), Span: at})
	default:
		refuse(at, "unsupported-op", "a constant that is no number")
	}
}

// floating is the text of a float: a decimal, or the bits of an infinity.
func floating(a *attribute, t typ) string {
	bits, ok := strings.CutPrefix(a.text, "0x")
	if !ok {
		mantissa, power, _ := strings.Cut(shortest(a.text, t.elem.Width), "e")
		if strings.Contains(mantissa, ".") {
			mantissa = strings.TrimSuffix(strings.TrimRight(mantissa, "0"), ".")
		}
		if n, err := strconv.Atoi(power); err == nil && n != 0 {
			mantissa += "e" + strconv.Itoa(n)
		}
		return mantissa
	}
	n, ok := new(big.Int).SetString(bits, 16)
	check(ok, a.at, "bad-syntax", "expected a number")
	infinite := big.NewInt(0xff << 23)
	if t.elem.Width == 64 {
		infinite = new(big.Int).Lsh(big.NewInt(0x7ff), 52)
	}
	sign := loops.Beyond(uint(t.elem.Width) - 1)
	switch {
	case n.Cmp(infinite) == 0:
		return "inf"
	case n.Cmp(new(big.Int).Or(infinite, sign)) == 0:
		return "-inf"
	}
	refuse(a.at, "unsupported-op", "a float by its bits")
	return ""
}

// shortest is the decimal with the fewest digits that is the same float as a decimal of the text:
// that is rounded to f64 first.
func shortest(text string, width int) string {
	text = strings.ToLower(text)
	x, err := strconv.ParseFloat(text, 64)
	out := strconv.FormatFloat(x, 'e', -1, width)
	if y, e := strconv.ParseFloat(out, width); err != nil || e != nil || math.IsInf(y, 0) {
		return text
	}
	return out
}

// extreme is what a comparison of the first two of four chooses of the others, if that is the
// greater one, or the lesser one.
func extreme(predicate string, d [4]*loops.Data, t typ, at source.Span) *loops.Data {
	x, y, a, b := d[0], d[1], d[2], d[3]
	straight := loops.Same(x, a) && loops.Same(y, b)
	k := slices.Index([]string{"lt", "le", "gt", "ge"}, predicate[1:])
	if k < 0 || !straight && !(loops.Same(x, b) && loops.Same(y, a)) {
		return nil
	}
	op := loops.DataMin
	if (k < 2) != straight {
		op = loops.DataMax
	}
	if predicate[0] == 'u' && !t.isFloat() {
		u := typ{elem: unsigned(t.elem)}
		return convert(operator(op, u, at, convert(a, u.elem), convert(b, u.elem)), t.elem)
	}
	return operator(op, t, at, a, b)
}

// holds is whether a comparison holds: of floats, with u where one is NaN, with o where none is.
func holds(predicate string, x, y *loops.Data, at source.Span) *loops.Data {
	of := func(op loops.DataOp, args ...*loops.Data) *loops.Data {
		for i, a := range args {
			args[i] = copied(a)
		}
		return operator(op, typ{elem: algebra.Truth}, at, args...)
	}
	float := x.Elem.Kind == domain.ElemFloat
	if predicate[0] == 'u' && !float {
		x, y = convert(x, unsigned(x.Elem)), convert(y, unsigned(y.Elem))
	}
	switch predicate {
	case "eq", "oeq":
		return of(loops.DataEqual, x, y)
	case "ne", "une":
		return of(loops.DataNot, of(loops.DataEqual, x, y))
	case "one":
		return of(loops.DataEither, of(loops.DataLess, x, y), of(loops.DataLess, y, x))
	}
	k := slices.Index([]string{"lt", "le", "gt", "ge"}, predicate[1:])
	check(k >= 0, at, "unsupported-op", "a choice by the comparison %s", predicate)
	if k >= 2 {
		x, y = y, x
	}
	if predicate[0] == 'u' && float { // that y <= x, or y < x, does not hold
		op := []loops.DataOp{loops.DataLessEqual, loops.DataLess}[k%2]
		return of(loops.DataNot, of(op, y, x))
	}
	return of([]loops.DataOp{loops.DataLess, loops.DataLessEqual}[k%2], x, y)
}
