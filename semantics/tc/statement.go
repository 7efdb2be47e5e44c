package tc

import (
	"math/big"

	"tv/semantics/domain"
	"tv/semantics/loops"
)

// maxDecided bounds how many conditions on indices a statement is divided by, maxCopies how much of its right side that makes.
const (
	maxDecided = 6
	maxCopies  = 1 << 18
)

// updates are the operators that combine what was there with a value.
var updates = map[string]string{"+=": "+", "*=": "*", "min=": "min", "max=": "max"}

// statement elaborates one.
func (e *elaborator) statement(s *stmt) {
	t := e.writable(s)
	c := e.scope(s)
	if t.known && len(t.dims) != len(s.indices) {
		fail(s.left, "bad-rank", "%s has %d extents, and %d indices here", s.to.text, len(t.dims), len(s.indices))
	}
	c.used = c.infer()
	c.again = t.known
	if s.skipped.File != nil {
		e.proc.Skipped = append(e.proc.Skipped, s.skipped)
	}
	if !t.known {
		c.define()
	}
	if left := c.order[:len(s.indices)]; s.init {
		c.nest(left, func() { c.assign(c.initial()) })
	}
	c.nest(c.order, func() { c.decided(func() { c.assign(c.combined()) }) })
	e.done = append(e.done, c)
}

// writable returns the output that a statement writes.
func (e *elaborator) writable(s *stmt) *tensor {
	t, n := e.tensors[s.to.text], s.to.text
	switch {
	case e.sizes[n] != nil:
		fail(s.to.span, "writes-input", "%s is a size, which is never written", n)
	case t == nil:
		fail(s.to.span, "output-unknown", "%s is written, but not among the outputs behind ->%s", n, suggest(n, e.outputs()))
	case t.input:
		fail(s.to.span, "writes-input", "%s is an input, which is never written", n)
	case t.broken:
		fail(s.to.span, "", "")
	}
	return t
}

func (e *elaborator) outputs() (names []string) {
	for n, t := range e.tensors {
		if !t.input {
			names = append(names, n)
		}
	}
	return names
}

// define gives an output the type of the right side, and the ends of the ranges of its indices as extents.
func (c *scope) define() {
	t := c.target
	v := c.branch(c.value, true).settled()
	if v.elem == boolean && c.stmt.op != "=" {
		fail(c.stmt.span, "type-mismatch", "%s of bools: convert them, as in int32(...)", c.stmt.op)
	}
	t.buffer.Elem = v.elem
	for _, i := range c.order[:len(c.stmt.indices)] {
		t.dims = append(t.dims, i.hi)
		t.buffer.Dims = append(t.buffer.Dims, c.integer(i.hi, i.span))
	}
	t.known = true
}

// nest emits loops over the ranges of indices, the first outermost.
func (c *scope) nest(list []*index, body func()) {
	if len(list) == 0 {
		body()
		return
	}
	i := list[0]
	i.loop = &loops.For{Name: i.text, Lo: c.bounds(i.lo, domain.SizeMax, i.span), Hi: c.bounds(i.hi, domain.SizeMin, i.span),
		Step: loops.Num(1), At: c.stmt.span}
	loop := i.loop
	loop.Body = c.inside(func() { c.nest(list[1:], body) }).stmts
	c.emit(loop)
}

// to is the element that is written.
func (c *scope) to() loops.Access {
	a := loops.Access{Buffer: c.target.buffer, Where: c.stmt.left}
	for _, n := range c.stmt.indices {
		a.At = append(a.At, c.integer(domain.NamedSize(n.text), n.span))
	}
	return a
}

func (c *scope) assign(v element) {
	c.emit(&loops.Assign{To: c.to(), Value: v.converted(c.target.buffer.Elem).x, At: c.stmt.span})
}

// initial is what ! sets cells to.
func (c *scope) initial() element {
	t := c.target.buffer.Elem
	lo, hi := limits(t)
	n := map[string]*big.Int{"+=": new(big.Int), "*=": big.NewInt(1), "min=": hi, "max=": lo}[c.stmt.op]
	return literalOf(t, new(big.Rat).SetInt(n), c.stmt.left)
}

// combined is what is assigned.
func (c *scope) combined() element {
	v := c.element(c.value)
	op, ok := updates[c.stmt.op]
	if !ok {
		return v
	}
	to := c.to()
	old := element{elem: to.Buffer.Elem, x: loops.Element(to), at: to.Where}
	return c.arithmetic(op, old, v, c.stmt.span)
}

// An undecided condition on indices is in the way of what is to be emitted.
type undecided struct {
	key  string
	cond *expr
}

// decided emits what f does, where need be in branches in which a condition on indices holds or not: so an access that a
// ?: leaves out is not there.
func (c *scope) decided(f func()) {
	var open *undecided
	b := c.inside(func() {
		defer func() {
			switch r := recover().(type) {
			case nil:
			case undecided:
				open = &r
			default:
				panic(r)
			}
		}()
		f()
	})
	if open == nil {
		c.cur.stmts = append(c.cur.stmts, b.stmts...)
		return
	}
	cond := c.condition(open.cond)
	branch := func(holds bool) []loops.Stmt {
		c.fixed[open.key] = holds
		defer delete(c.fixed, open.key)
		return c.inside(func() { c.decided(f) }).stmts
	}
	then, other := branch(true), branch(false)
	c.emit(&loops.If{Cond: cond, Then: then, Else: other, At: open.cond.span})
}

// fits requires that a value on the way to an integer of control lies in its type.
func (c *scope) fits(x *expr, v domain.Size) {
	if x.op == opCast {
		c.within(v, x.typ, x.args[0].span)
		return
	}
	c.within(v, int32s, x.span)
}

// access is the element that a read names.
func (c *scope) access(x *expr) loops.Access {
	t := c.tensors[x.name]
	a := loops.Access{Buffer: t.buffer, Where: x.span}
	for _, at := range x.args {
		v := c.size(at, func(y *expr, v domain.Size) {
			if y != at || y.op == opCast { // of the subscript itself the extent says more
				c.fits(y, v)
			}
		})
		a.At = append(a.At, c.integer(v, at.span))
	}
	return a
}
