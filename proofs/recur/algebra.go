package recur

import (
	"fmt"

	"tv/proofs/algebra"
	"tv/proofs/loops"
	"tv/semantics/domain"
)

// An expression is a value with names for what it reads.
type expression struct {
	c      *checker
	p      *place
	values map[string]*loops.Buffer // by class
	out    *loops.Buffer
}

// quiet answers no goal.
type quiet struct{}

func (quiet) Answer(*algebra.Goal) string { return "" }
func (quiet) Alive()                      {}

// expression checks that two values are computed alike by laws, where some of their reads are
// related: each class of these is an element of a tensor of its own, of which nothing is known, not
// even that it has a value, unless all that both sides compute has one.
func (c *checker) expression(p *place, list []*node, l, r *built, x, y []term) {
	class := [2]map[string]string{{}, {}}
	for i, n := range list {
		wants(n.list, 3, "an expression")
		x, y := n.list[0].word, n.list[1].word
		a, k := l.inner(x)
		b, m := r.inner(y)
		if a.elem(k) != b.elem(m) {
			malformed("reads %s and %s are of two types", x, y)
		}
		c.proved(p, n.list[2], c.finds(a, k), c.finds(b, m), true)
		join(class, x, y, fmt.Sprintf("c%d", i))
	}
	e := &expression{c: c, p: p.clone(), values: map[string]*loops.Buffer{},
		out: &loops.Buffer{Name: "out", Elem: l.data().Elem}}
	op := l.data().Op
	e.check([2]*loops.Data{e.together(l, op, x, class[0], "u"), e.together(r, op, y, class[1], "")})
}

// together are terms as one element.
func (e *expression) together(x *built, op loops.DataOp, list []term, class map[string]string,
	others string) (out *loops.Data) {
	of := func(op loops.DataOp, args ...*loops.Data) *loops.Data {
		return &loops.Data{Op: op, Elem: x.data().Elem, Args: args}
	}
	for _, t := range list {
		read := t.first
		d := e.data(names{x, "", class, others}, t.Data, &read)
		switch {
		case t.minus && out == nil:
			out = of(loops.DataNeg, d)
		case t.minus:
			out = of(loops.DataSub, out, d)
		case out == nil:
			out = d
		case op == loops.DataSub:
			out = of(loops.DataAdd, out, d)
		default:
			out = turned(of(op, out, d))
		}
	}
	return out
}

// join puts read x of BEFORE and read y of AFTER into one class, with all that are in one with
// either.
func join(class [2]map[string]string, x, y, name string) {
	old := [2]string{class[0][x], class[1][y]}
	class[0][x], class[1][y] = name, name
	for _, of := range class {
		for k, was := range of {
			if was != "" && (was == old[0] || was == old[1]) {
				of[k] = name
			}
		}
	}
}

// names are those of reads of a value: by path, which begins with prefix. What is in no class has
// others for its name, unless that is empty.
type names struct {
	*built
	prefix string
	class  map[string]string
	others string
}

// data is an element with names for what it reads, and for integers of counters.
func (e *expression) data(x names, d *loops.Data, read *int) *loops.Data {
	out := *d
	switch d.Op {
	case loops.DataRead:
		path := x.prefix + fmt.Sprint(*read)
		opened := x.opened[*read]
		if *read++; opened != nil {
			return e.data(names{opened, path + ".", x.class, x.others}, opened.data(), new(int))
		}
		name := x.class[path]
		if name == "" && x.others == "" {
			malformed("read %s of %s is related to none", path, x)
		} else if name == "" {
			name = x.others + path
		}
		out.From = loops.Access{Buffer: e.buffer(name, d.Elem)}
	case loops.DataInt:
		f := x.integer(e.p, d.Int)
		if n, ok := f.constant(); ok {
			out.Int = &loops.Int{Op: loops.IntNumber, N: n}
		} else {
			out = loops.Data{Op: loops.DataRead, Elem: d.Elem, Span: d.Span,
				From: loops.Access{Buffer: e.buffer("i "+f.String(), d.Elem)}}
		}
	}
	out.Args = nil
	for _, a := range d.Args {
		out.Args = append(out.Args, e.data(x, a, read))
	}
	return turned(&out)
}

// turned is the lesser one of two integers as -1 - max(-1 - x, -1 - y), which is a law, signed or
// not: -1 - x turns the order of a type round and does not wrap.
func turned(d *loops.Data) *loops.Data {
	if k := d.Elem.Kind; k != domain.ElemInt && k != domain.ElemUint {
		return d
	}
	y, _ := loops.Extreme(d)
	if y.Op != loops.DataMin {
		return d
	}
	of := func(op loops.DataOp, args ...*loops.Data) *loops.Data {
		return &loops.Data{Op: op, Elem: d.Elem, Args: args, Span: d.Span}
	}
	rest := func(x *loops.Data) *loops.Data {
		last := of(loops.DataInt)
		if last.Int = loops.Number(-1); x.Op == loops.DataSub && loops.Same(x.Args[0], last) {
			return x.Args[1]
		}
		return of(loops.DataSub, last, x)
	}
	return rest(of(loops.DataMax, rest(y.Args[0]), rest(y.Args[1])))
}

// buffer is that of a class.
func (e *expression) buffer(class string, elem domain.Elem) *loops.Buffer {
	key := class + " " + elem.String()
	if e.values[key] == nil {
		e.values[key] = &loops.Buffer{Name: fmt.Sprintf("v%d", len(e.values)), Elem: elem}
	}
	return e.values[key]
}

// check compares two values as programs that write them.
func (e *expression) check(body [2]*loops.Data) {
	params := []*loops.Buffer{e.out}
	for i := range len(e.values) {
		for _, b := range e.values {
			if b.Name == fmt.Sprintf("v%d", i) {
				params = append(params, b)
			}
		}
	}
	q := &algebra.Question{Arith: e.c.q.Arith}
	var cuts []algebra.Cut
	for i, d := range body {
		set := &loops.Assign{To: loops.Access{Buffer: e.out}, Value: d}
		p := &loops.Procedure{Params: params, Body: []loops.Stmt{set}}
		if i == 0 {
			var err error
			q.Declared = p.Declarations()
			if q.Env, err = domain.Merge([]domain.Declarations{q.Declared}); err != nil {
				unsupported("%v", err)
			}
		}
		var err error
		if q.Programs[i], err = p.Type(q.Env); err != nil {
			unsupported("%v", err)
		}
	}
	last := algebra.Cut{Before: q.Programs[0].Root(), After: q.Programs[1].Root()}
	for i := range params[1:] {
		if e.c.sides[0].valued() && e.c.sides[1].valued() {
			break
		}
		cuts = append(cuts, algebra.Cut{Before: i + 1, After: i + 1})
		last.Uses = append(last.Uses, i)
	}
	q.Check(append(cuts, last), nil, quiet{})
}
