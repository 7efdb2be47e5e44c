package mlir

import (
	"slices"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/loops"
)

// Values are not computed where they stand, but where they are used: C[i] = C[i] + a*b is one assignment. A value that reads
// is pending until a statement of its block executes it. What writes a buffer that it reads before its last use, a use within
// a loop or a branch, and a use that executes it on a condition, have it assigned to a local first.

// A data is a value that is an element, or a vector of elements.
type data struct {
	elem  domain.Elem
	shape []int64 // of a vector
	at    func(lanes []*loops.Int) *loops.Expr
	reads []*loops.Buffer // that may be written while it is pending
	needs []*data         // pending values that it executes and that may end the call, itself one of them
	size  int             // operations, as a tree
	def   *def            // whose value it is
	done  bool            // it was executed
}

// mostInline bounds the expressions that are made of several operations.
const mostInline = 1 << 10

// left counts a use of a value.
func (d *def) left() { d.uses-- }

// value returns an operand as data.
func (e *elaborator) value(u *use) *data {
	d := u.def
	d.left()
	switch {
	case d.data != nil:
		return d.data
	case d.x != nil:
		elem := e.elem(d.typ, u.at)
		x := &loops.Expr{Op: loops.FromInt, Elem: elem, Int: d.x.x, At: d.at}
		if n, ok := d.x.number(); ok {
			x = elementOf(elem, n, d.at)
		}
		return e.pure(elem, x)
	case d.cond != nil && len(d.cond.Conds) == 0 && d.cond.A == nil: // true or false
		n := int64(1)
		if d.cond.Op == loops.Any {
			n = 0
		}
		return e.pure(boolean, elementOf(boolean, n, d.at))
	case d.cond != nil:
		return e.pure(boolean, holds(d.cond, d.at))
	}
	fail(u.at, "type-mismatch", "%s is of type %s and no number", u.name, d.typ)
	return nil
}

func (e *elaborator) pure(elem domain.Elem, x *loops.Expr) *data {
	return &data{elem: elem, at: func([]*loops.Int) *loops.Expr { return x }, size: 1}
}

// produce makes data the value of a result.
func (e *elaborator) produce(d *def, x *data) {
	if d.data = x; x.def == nil {
		x.def = d
	}
	if len(x.needs) > 0 && (d.uses == 0 || d.nested) || x.size*max(d.uses, 1) > mostInline {
		e.materialize(x)
		return
	}
	for _, b := range x.reads {
		e.cur.pending[b] = append(e.cur.pending[b], x)
	}
	if slices.Contains(x.needs, x) {
		e.cur.unrun = append(e.cur.unrun, x)
	}
}

// ends says of a value that computing it may end the call.
func (x *data) ends() *data {
	x.needs = append(x.needs, x)
	return x
}

// combine makes a value of others.
func (e *elaborator) combine(elem domain.Elem, args []*data, f func(args []*loops.Expr) *loops.Expr) *data {
	out := &data{elem: elem, size: 1}
	for _, a := range args {
		out.size += a.size
		if out.shape == nil {
			out.shape = a.shape
		}
		for _, b := range a.reads {
			if !slices.Contains(out.reads, b) {
				out.reads = append(out.reads, b)
			}
		}
		for _, n := range a.needs {
			if !n.done {
				out.needs = append(out.needs, n)
			}
		}
	}
	make := func(lanes []*loops.Int) *loops.Expr {
		list := []*loops.Expr{}
		for _, a := range args {
			list = append(list, a.at(lanes))
		}
		return f(list)
	}
	out.at = make
	if out.shape == nil {
		var made *loops.Expr
		out.at = func([]*loops.Int) *loops.Expr {
			if made == nil {
				made = make(nil)
			}
			return made
		}
	}
	return out
}

// execute notes that a statement of this block computes a value.
func (x *data) execute() {
	x.done = true
	for _, n := range x.needs {
		n.done = true
	}
}

// materialize assigns a value to a local here, and has it read from there.
func (e *elaborator) materialize(x *data) {
	name, at := "v", source.Span{}
	if x.def != nil {
		name, at = x.def.name, x.def.at
		if x.def.op != nil {
			at = x.def.op.at
		}
	}
	b := &loops.Buffer{Elem: x.elem}
	for _, n := range x.shape {
		b.Dims = append(b.Dims, loops.Num(n))
	}
	if len(x.shape) > 0 {
		e.plainly(at, "a vector")
	}
	e.local(name, b, at)
	e.over(x.shape, at, func(lanes []*loops.Int) {
		e.emit(&loops.Assign{To: loops.Access{Buffer: b, At: lanes, Where: at}, Value: x.at(lanes), At: at})
	})
	x.execute()
	x.become(b, at)
}

// become has a value read from a local that nothing writes any more.
func (x *data) become(b *loops.Buffer, at source.Span) {
	x.reads, x.needs, x.size = nil, nil, 1
	x.at = func(lanes []*loops.Int) *loops.Expr {
		return loops.Element(loops.Access{Buffer: b, At: lanes, Where: at})
	}
}

// over makes statements for each index of a static shape.
func (e *elaborator) over(shape []int64, at source.Span, f func(lanes []*loops.Int)) {
	e.overFrom(shape, nil, at, f)
}

func (e *elaborator) overFrom(shape []int64, lanes []*loops.Int, at source.Span, f func(lanes []*loops.Int)) {
	if len(lanes) == len(shape) {
		f(lanes)
		return
	}
	l := upTo("lane", loops.Num(shape[len(lanes)]), at)
	if len(lanes) > 0 {
		l.Name += string(rune('0' + len(lanes)%10))
	}
	b := e.inside(newBlock(nil), func() {
		e.overFrom(shape, append(slices.Clip(lanes), loops.CounterOf(l)), at, f)
	})
	l.Body = b.stmts
	e.emit(l)
}

// overwrite has pending values that read a buffer, and are used later, read it now. What the next statement alone uses may
// read it there.
func (e *elaborator) overwrite(b *loops.Buffer) {
	list := e.cur.pending[b]
	delete(e.cur.pending, b)
	for _, x := range list {
		if x.def.uses > 0 && slices.Contains(x.reads, b) {
			e.materialize(x)
		}
	}
}

// assign writes a value, or each element of a vector, whose subscripts to says.
func (e *elaborator) assign(r *root, to func(lanes []*loops.Int) []*loops.Int, x *data, at source.Span) {
	e.assignWhere(r, to, x, nil, at)
}

// assignWhere writes those elements of a vector of which a condition holds.
func (e *elaborator) assignWhere(r *root, to func(lanes []*loops.Int) []*loops.Int, x *data,
	where func(lanes []*loops.Int) *loops.Cond, at source.Span) {
	e.overwrite(r.buffer)
	if len(x.shape) > 0 {
		e.plainly(at, "a vector")
		if e.crosses(x, r.buffer, to) || where != nil && len(x.needs) > 0 {
			e.materialize(x)
		}
	}
	e.over(x.shape, at, func(lanes []*loops.Int) {
		var c *loops.Cond
		if where != nil {
			c = where(lanes)
		}
		write := func() {
			e.emit(&loops.Assign{To: loops.Access{Buffer: r.buffer, At: to(lanes), Where: at}, Value: x.at(lanes), At: at})
		}
		if c == nil {
			write()
			return
		}
		e.emit(&loops.If{Cond: c, Then: e.inside(newBlock(nil), write).stmts, At: at})
	})
	x.execute()
}

// crosses tells whether a lane of a vector perhaps reads what another one writes.
func (e *elaborator) crosses(x *data, b *loops.Buffer, to func(lanes []*loops.Int) []*loops.Int) bool {
	if !slices.Contains(x.reads, b) {
		return false
	}
	var lanes []*loops.Int
	for range x.shape {
		lanes = append(lanes, loops.CounterOf(&loops.For{Name: "l"}))
	}
	different := false
	e.inside(newBlock(nil), func() { // what is required on the way is required where it is written
		written := to(lanes)
		var look func(v *loops.Expr)
		look = func(v *loops.Expr) {
			different = different || v.Op == loops.Read && v.From.Buffer == b && !slices.EqualFunc(v.From.At, written, loops.Same)
			for _, a := range v.Args {
				look(a)
			}
		}
		look(x.at(lanes))
	})
	return different
}
