package run

import (
	"errors"
	"fmt"
	"strings"

	"tv/semantics/domain"
	"tv/semantics/loops"
	"tv/semantics/value"
)

// An access is a loops.Access, compiled.
type access struct {
	buffer   *buffer
	dims     []int64 // the buffer's
	counters []int64 // the run's
	at       []integer
	plain    []multiple // the same, if that is all they are
	r        *Run
	site     site
	meets    []meeting // with other iterations of parallel loops
}

// A multiple is a subscript of at most one counter, as most are.
type multiple struct {
	factor, constant int64
	slot             int
}

// multiples returns subscripts as multiples of counters, or nil.
func multiples(list []integer) []multiple {
	out := make([]multiple, 0, len(list))
	for _, x := range list {
		if x.compute != nil || len(x.terms) > 1 {
			return nil
		}
		m := multiple{constant: x.constant}
		if len(x.terms) == 1 {
			m.factor, m.slot = x.terms[0].factor, x.terms[0].slot
		}
		out = append(out, m)
	}
	return out
}

func (c *compiler) access(a loops.Access, k kind) access {
	b := c.r.buffers[a.Buffer]
	if b == nil || len(a.At) != len(b.dims) {
		c.fail("internal", "an access to %s with %d subscripts", a.Buffer.Name, len(a.At))
	}
	level, ok := c.live[a.Buffer]
	if !ok {
		c.fail("internal", "an access to %s where no Alloc of it stands before", a.Buffer.Name)
	}
	out := access{buffer: b, dims: b.dims, counters: c.r.counters, r: c.r, site: c.site(a.Where)}
	for _, x := range a.At {
		out.at = append(out.at, c.integer(x))
	}
	out.plain = multiples(out.at)
	if b.Kind != loops.In {
		out.meets = c.meetings(a, k, level)
	}
	return out
}

// offset returns the row-major offset of the element.
func (a *access) offset() int64 {
	n := int64(0)
	if a.plain != nil {
		for axis := range a.plain {
			x := &a.plain[axis]
			i, dim := x.constant+x.factor*a.counters[x.slot], a.dims[axis]
			if uint64(i) >= uint64(dim) {
				a.outside(axis)
			}
			n = n*dim + i
		}
		return n
	}
	for axis := range a.at {
		i, dim := a.at[axis].at(a.counters), a.dims[axis]
		if uint64(i) >= uint64(dim) {
			a.outside(axis)
		}
		n = n*dim + i
	}
	return n
}

// outside ends the call, which is beyond the buffer on an axis. A subscript that has no value counts first: all are
// computed before the access.
func (a *access) outside(axis int) {
	text := a.buffer.Name
	for i := range a.at {
		text += fmt.Sprintf("[%d]", a.at[i].at(a.r.counters))
	}
	elements := "elements"
	if a.buffer.dims[axis] == 1 {
		elements = "element"
	}
	a.site.end(a.r, loops.Bounds, "%s where axis %d has %d %s", text, axis, a.buffer.dims[axis], elements)
}

func (a *access) read() value.Value {
	offset := a.offset()
	if a.meets != nil {
		a.meet(offset)
	}
	if c := a.buffer.at(offset); c.at > a.buffer.since {
		return c.Value
	}
	return a.unwritten(offset)
}

// unwritten returns an element that was not written yet, if it is one of a parameter.
func (a *access) unwritten(offset int64) value.Value {
	b := a.buffer
	c := b.at(offset)
	switch {
	case b.input:
		return a.r.ask(b, offset).Value
	case c.at == b.since:
		a.site.unsure(c.Err(), "an element of "+b.Name+" was written before it is read")
	}
	text, list := "", make([]string, len(b.dims))
	for axis := len(b.dims) - 1; axis >= 0; axis-- {
		list[axis] = fmt.Sprintf("[%d]", offset%b.dims[axis])
		offset /= b.dims[axis]
	}
	text = b.Name + strings.Join(list, "")
	a.site.end(a.r, loops.Initialised, "%s is read and was not written", text)
	return value.Value{}
}

// element compiles an Expr to what computes it.
func (c *compiler) element(e *loops.Expr) func() value.Value {
	if c.shares() {
		if f, ok := c.elements[e]; ok {
			return f
		}
	}
	f := c.operation(e)
	if c.elements != nil {
		f = once(c.r, f)
		c.elements[e] = f
	}
	return f
}

func (c *compiler) operation(e *loops.Expr) func() value.Value {
	c.steps++
	s := value.ScalarsOf(c.r.arith, e.Elem)
	if e.Checked && c.r.arith.Bits(e.Elem) {
		return c.checked(s, e)
	}
	switch e.Op {
	case loops.Read:
		a := c.access(e.From, c.update.kindOf(e))
		if e.Elem != a.buffer.Elem {
			c.fail("internal", "an element of %s is read as %s", a.buffer.Elem, e.Elem)
		}
		return a.read
	case loops.Literal, loops.Special:
		v := c.literal(s, e)
		return func() value.Value { return v }
	case loops.FromInt:
		n, r := c.integer(e.Int), c.r
		return func() value.Value { return s.Integer(n.at(r.counters)) }
	case loops.Convert:
		return c.conversion(e)
	case loops.Choice:
		return c.choice(e)
	case loops.IsEqual, loops.IsNotEqual, loops.IsLess, loops.IsLessEqual:
		return c.comparison(e)
	case loops.Function:
		return c.function(s, e)
	case loops.Negate, loops.BitNot, loops.Absolute:
		return c.unary(s, e)
	case loops.Div, loops.Rem, loops.DivDown, loops.DivUp, loops.ShiftLeft, loops.ShiftRight:
		return c.partial(s, e)
	}
	return c.binary(s, e)
}

// operands compiles the operands of an operation, of which there must be so many, of the type of the result.
func (c *compiler) operands(e *loops.Expr, count int) []func() value.Value {
	if len(e.Args) != count {
		c.fail("internal", "operation %d has %d operands", e.Op, len(e.Args))
	}
	var out []func() value.Value
	for i, a := range e.Args {
		shift := i == 1 && (e.Op == loops.ShiftLeft || e.Op == loops.ShiftRight)
		if a.Elem != e.Elem && !shift || shift && !whole(a.Elem) {
			c.fail("internal", "an operand of %s of operation %d of type %s", a.Elem, e.Op, e.Elem)
		}
		out = append(out, c.element(a))
	}
	return out
}

// whole tells whether the elements of a type are integers, bools left out.
func whole(t domain.Elem) bool { return t.Kind == domain.ElemInt || t.Kind == domain.ElemUint }

func (c *compiler) literal(s *value.Scalars, e *loops.Expr) value.Value {
	if e.Op == loops.Special {
		v, ok := s.Special(e.Name)
		if !ok {
			c.fail("internal", "%s of type %s", e.Name, e.Elem)
		}
		return v
	}
	v := s.Constant(e.Number)
	if e.Elem.Kind != domain.ElemFloat && (v.Failed() || !e.Number.IsInt()) {
		c.fail("internal", "the literal %s is no element of %s", e.Number.RatString(), e.Elem)
	}
	return v
}

func (c *compiler) unary(s *value.Scalars, e *loops.Expr) func() value.Value {
	x := c.operands(e, 1)[0]
	op := map[loops.Op]func(value.Value) value.Value{
		loops.Negate: s.Neg, loops.BitNot: s.Not, loops.Absolute: s.Abs,
	}[e.Op]
	return func() value.Value { return op(x()) }
}

func (c *compiler) binary(s *value.Scalars, e *loops.Expr) func() value.Value {
	args := c.operands(e, 2)
	x, y := args[0], args[1]
	switch e.Op { // the three that there are many of, without a call through a value
	case loops.Add:
		return func() value.Value { return s.Add(x(), y()) }
	case loops.Sub:
		return func() value.Value { return s.Sub(x(), y()) }
	case loops.Mul:
		return func() value.Value { return s.Mul(x(), y()) }
	}
	op := map[loops.Op]func(x, y value.Value) value.Value{
		loops.BitAnd: s.And, loops.BitOr: s.Or, loops.BitXor: s.Xor,
		loops.Minimum: s.Minimum, loops.Maximum: s.Maximum, loops.MinNum: s.Min, loops.MaxNum: s.Max,
	}[e.Op]
	if op == nil || e.Elem.Kind == domain.ElemFloat && (e.Op == loops.BitAnd || e.Op == loops.BitOr || e.Op == loops.BitXor) {
		c.fail("internal", "operation %d of type %s", e.Op, e.Elem)
	}
	return func() value.Value { return op(x(), y()) }
}

// comparison compiles what gives a bool from two operands of one type.
func (c *compiler) comparison(e *loops.Expr) func() value.Value {
	if len(e.Args) != 2 || e.Args[0].Elem != e.Args[1].Elem || e.Elem.Kind != domain.ElemBool {
		c.fail("internal", "a comparison of type %s", e.Elem)
	}
	s := value.ScalarsOf(c.r.arith, e.Args[0].Elem)
	op := map[loops.Op]func(x, y value.Value) value.Value{
		loops.IsEqual: s.Equal, loops.IsNotEqual: s.NotEqual, loops.IsLess: s.Less, loops.IsLessEqual: s.LessEqual,
	}[e.Op]
	x, y := c.element(e.Args[0]), c.element(e.Args[1])
	return func() value.Value { return op(x(), y()) }
}

func (c *compiler) function(s *value.Scalars, e *loops.Expr) func() value.Value {
	f, ok := s.Function(e.Name)
	if !ok {
		c.fail("internal", "function %s of type %s", e.Name, e.Elem)
	}
	args := c.operands(e, f.Operands)
	switch len(args) {
	case 1:
		return func() value.Value { return f.Call(args[0](), value.Value{}, value.Value{}) }
	case 2:
		return func() value.Value { return f.Call(args[0](), args[1](), value.Value{}) }
	}
	return func() value.Value { return f.Call(args[0](), args[1](), args[2]()) }
}

// partial compiles what has no value for some operands. Of integers, bit for bit, the call ends there.
func (c *compiler) partial(s *value.Scalars, e *loops.Expr) func() value.Value {
	args := c.operands(e, 2)
	x, y := args[0], args[1]
	if e.Elem.Kind == domain.ElemFloat {
		if e.Op != loops.Div {
			c.fail("internal", "operation %d of type %s", e.Op, e.Elem)
		}
		return func() value.Value { return s.Div(x(), y()) }
	}
	var op func(x, y value.Value) value.Value
	switch e.Op {
	case loops.Div:
		op = func(x, y value.Value) value.Value { return s.Quotient(x, y, value.TowardsZero) }
	case loops.DivDown:
		op = func(x, y value.Value) value.Value { return s.Quotient(x, y, value.Down) }
	case loops.DivUp:
		op = func(x, y value.Value) value.Value { return s.Quotient(x, y, value.Up) }
	case loops.Rem:
		op = s.Rem
	default:
		op = func(x, y value.Value) value.Value { return s.Shift(x, y, e.Op == loops.ShiftLeft) }
	}
	if !c.r.arith.Bits(e.Elem) {
		return func() value.Value { return op(x(), y()) }
	}
	ends := ending{c.r, s, op, c.site(e.At)}
	return func() value.Value {
		a, b := x(), y()
		v := op(a, b)
		if v.Failed() {
			return ends.judge(a, b, v)
		}
		return v
	}
}

// An ending is an operation that may end the call.
type ending struct {
	r    *Run
	s    *value.Scalars
	op   func(x, y value.Value) value.Value
	site site
}

// judge says what a failure of the operation means. An operand that is undefined, as a quotient of reals may be, makes the
// element so; of one that is not known it is not known whether the call ends, if other numbers in its place decide that.
func (e *ending) judge(x, y, failed value.Value) value.Value {
	switch {
	case !x.Failed() && !y.Failed():
		e.site.end(e.r, loops.Arithmetic, "%s", reason(failed))
	case y.Failed() && !errors.Is(y.Err(), value.ErrUndefined):
		e.site.unsure(y.Err(), "an operation on integers has a value")
	case y.Failed():
		return failed
	}
	if v := e.op(e.s.Integer(1), y); v.Failed() {
		e.site.end(e.r, loops.Arithmetic, "%s", reason(v))
	}
	if v := e.op(e.s.Lowest(), y); v.Failed() && !errors.Is(x.Err(), value.ErrUndefined) {
		e.site.unsure(x.Err(), "an operation on integers has a value")
	}
	return failed
}

// reason returns why an operation has no value, without the word for it.
func reason(v value.Value) string {
	return strings.TrimPrefix(v.Err().Error(), value.ErrUndefined.Error()+": ")
}

// conversion compiles a conversion: a float beyond an integer type ends the call.
func (c *compiler) conversion(e *loops.Expr) func() value.Value {
	if len(e.Args) != 1 {
		c.fail("internal", "a conversion of %d operands", len(e.Args))
	}
	from, r := e.Args[0].Elem, c.r
	x, f := c.element(e.Args[0]), value.Conversion(r.arith, from, e.Elem)
	if from.Kind != domain.ElemFloat || !whole(e.Elem) || !r.arith.Bits(e.Elem) {
		return func() value.Value { return f(x()) }
	}
	at := c.site(e.At)
	return func() value.Value {
		v := x()
		out := f(v)
		switch {
		case !out.Failed() || v.Failed() && errors.Is(v.Err(), value.ErrUndefined):
		case !v.Failed() && errors.Is(out.Err(), value.ErrUndefined):
			at.end(r, loops.Arithmetic, "%s", reason(out))
		case v.Failed() || !value.Lands(v, e.Elem):
			at.unsure(out.Err(), "a conversion to "+e.Elem.String()+" has a value")
		}
		return out
	}
}
