package tc

import (
	"slices"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/loops"
)

// An elaborator makes the statements of a procedure.
type elaborator struct {
	proc    *loops.Procedure
	sizes   map[string]*size
	tensors map[string]*tensor
	cur     *frame
	errs    source.Errors
	done    []*scope // statements that were read, for those who describe them
}

// A frame is a list of statements that is being made.
type frame struct {
	stmts []loops.Stmt
	under *frame
	known map[string]bool // what is required before, on each way here
}

// elaborate makes a procedure of a definition. What is wrong is found statement by statement.
func elaborate(f *source.File, d *definition) *elaborator {
	e := &elaborator{sizes: map[string]*size{}, tensors: map[string]*tensor{}}
	e.proc = &loops.Procedure{File: f, Name: d.name.text, Span: d.heading}
	e.attempt(func() { e.heading(d) })
	if len(e.errs) > 0 { // nearly all else would follow from it
		return e
	}
	e.proc.Body = e.inside(func() {
		e.given()
		for _, s := range d.stmts {
			if t := e.tensors[s.to.text]; !e.attempt(func() { e.statement(s) }) && t != nil {
				t.broken = t.broken || !t.known
			}
		}
	}).stmts
	for _, o := range d.outs {
		if t := e.tensors[o.text]; len(e.errs) == 0 && !t.known {
			e.errs = append(e.errs, source.Errorf(o.span, "output-unknown", "%s is never written", o.text))
		}
	}
	slices.SortStableFunc(e.errs, func(a, b *source.Error) int { return a.Span.Start - b.Span.Start })
	return e
}

// heading makes sizes, inputs and outputs.
func (e *elaborator) heading(d *definition) {
	scalars := map[string]*param{}
	for _, p := range d.params {
		if e.tensors[p.name.text] != nil {
			fail(p.name.span, "redefined-name", "%s is an input already", p.name.text)
		}
		e.tensors[p.name.text] = &tensor{input: true, known: true}
		if len(p.dims) == 0 {
			scalars[p.name.text] = p
		}
	}
	given := func(name string) {
		if p := scalars[name]; p != nil && isInteger(p.elem) {
			e.sizes[name] = &size{elem: p.elem, span: p.name.span}
		}
	}
	for _, p := range d.params {
		for _, x := range p.dims {
			given(x.name)
			if e.tensors[x.name] != nil && e.sizes[x.name] == nil {
				fail(x.span, "redefined-name", "%s is an input, and no scalar integer: it is no extent", x.name)
			}
		}
	}
	for _, s := range d.stmts {
		e.steering(s, given)
	}
	for name := range e.sizes {
		delete(e.tensors, name)
	}
	for _, p := range d.params {
		e.input(p)
	}
	for _, o := range d.outs {
		e.output(o)
	}
}

// given requires that sizes lie in their types, where those are narrower than sizes are large.
func (e *elaborator) given() {
	for _, h := range e.proc.Heading {
		if h.Buffer != nil || h.Extent {
			continue
		}
		if s := e.sizes[h.Size]; s.elem.Width < 32 {
			_, hi := limits(s.elem)
			cond := &loops.Cond{Op: loops.LessEqual, A: loops.SizeOf(h.Size), B: loops.Num(hi.Int64()), At: h.Span}
			e.require(cond, "given "+h.Size, loops.Index, h.Span, h.Size+" as "+article(s.elem))
		}
	}
}

// input adds a parameter: a scalar that is a size, or a buffer behind the sizes that its extents name.
func (e *elaborator) input(p *param) {
	if s := e.sizes[p.name.text]; s != nil && s.span == p.name.span {
		e.proc.Heading = append(e.proc.Heading, &loops.Parameter{Size: p.name.text, Span: p.span})
		return
	} else if s != nil {
		fail(p.name.span, "redefined-name", "%s is a size already, at %s", p.name.text, s.span.Position())
	}
	t := e.tensors[p.name.text]
	t.buffer = &loops.Buffer{Name: p.name.text, Kind: loops.In, Elem: p.elem, Span: p.name.span}
	for _, x := range p.dims {
		if x.op == opNumber {
			t.dims = append(t.dims, domain.BigSize(x.num.Num()))
			t.buffer.Dims = append(t.buffer.Dims, &loops.Int{Op: loops.Number, N: x.num.Num().Int64(), At: x.span})
			continue
		}
		if e.sizes[x.name] == nil {
			e.sizes[x.name] = &size{elem: int32s, span: x.span}
			e.proc.Heading = append(e.proc.Heading, &loops.Parameter{Size: x.name, Extent: true, Span: x.span})
		}
		t.dims = append(t.dims, domain.NamedSize(x.name))
		t.buffer.Dims = append(t.buffer.Dims, &loops.Int{Op: loops.Size, Name: x.name, At: x.span})
	}
	e.parameter(t.buffer, p.span)
}

// output adds a parameter whose type and extents the first statement says that writes it.
func (e *elaborator) output(o name) {
	switch t := e.tensors[o.text]; {
	case e.sizes[o.text] != nil:
		fail(o.span, "redefined-name", "%s is a size already, at %s", o.text, e.sizes[o.text].span.Position())
	case t != nil && t.input:
		fail(o.span, "writes-input", "%s is an input, which is never written", o.text)
	case t != nil:
		fail(o.span, "redefined-name", "%s is an output already", o.text)
	}
	t := &tensor{buffer: &loops.Buffer{Name: o.text, Kind: loops.InOut, Span: o.span}}
	e.tensors[o.text] = t
	e.parameter(t.buffer, o.span)
}

func (e *elaborator) parameter(b *loops.Buffer, at source.Span) {
	e.proc.Buffers = append(e.proc.Buffers, b)
	e.proc.Heading = append(e.proc.Heading, &loops.Parameter{Buffer: b, Span: at})
}

// attempt calls f and notes what it fails with. A failure without a message follows from another.
func (e *elaborator) attempt(f func()) bool {
	err := attempt(f)
	if err != nil && err.Msg != "" {
		e.errs = append(e.errs, err)
	}
	return err == nil
}

// inside calls f with a new list of statements within the current one, and returns it.
func (e *elaborator) inside(f func()) *frame {
	b := &frame{under: e.cur, known: map[string]bool{}}
	e.cur = b
	defer func() { e.cur = b.under }()
	f()
	return b
}

func (e *elaborator) emit(s loops.Stmt) { e.cur.stmts = append(e.cur.stmts, s) }

// require states what has to hold here, unless something of the same key is required before.
func (e *elaborator) require(c *loops.Cond, key string, o loops.Obligation, at source.Span, message string) {
	for b := e.cur; b != nil; b = b.under {
		if b.known[key] {
			return
		}
	}
	e.cur.known[key] = true
	e.emit(&loops.Require{Cond: c, Obligation: o, Message: message, At: at})
}
