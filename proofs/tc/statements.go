package tc

import (
	"slices"
	"strings"

	"tv/internal/source"
	"tv/proofs/loops"
	"tv/semantics/domain"
)

// statement lowers one.
func (l *lowering) statement(s *statement) {
	t := l.tensors[s.at.Text()]
	check(t != nil, s.at, "output-unknown", "%s is no output", s.at.Text())
	check(!t.input, s.at, "writes-input", "%s is an input", s.at.Text())
	check(t.of == nil || len(t.of.Dims) == len(s.indices), s.at, "type-mismatch",
		"%s has another rank", s.at.Text())
	l.named(s)
	l.alone(s, t)
	l.ranges, l.counters, l.asked = nil, map[string]*loops.For{}, map[string]bool{}
	l.ranges = l.inferred(s, t)
	l.hold(s)
	l.nests(s, t)
}

// named finds the indices of a statement: those of the tensor that it writes, and then those that
// are on the right alone.
func (l *lowering) named(s *statement) {
	l.indices, l.places = nil, map[string]source.Span{}
	add := func(at source.Span, name string) {
		l.indices, l.places[name] = append(l.indices, name), at
	}
	for _, at := range s.indices {
		name := at.Text()
		check(l.isIndex(name), at, "unsupported-op", "%s is no index", name)
		check(!slices.Contains(l.indices, name), at, "unsupported-op", "twice the index %s", name)
		add(at, name)
	}
	s.value.visit(func(n *node) {
		named := n.op == "let"
		check(!named || l.isIndex(n.text), n.at, "unsupported-op", "%s has two meanings", n.text)
		if n.op == "name" && l.isIndex(n.text) && !slices.Contains(l.indices, n.text) {
			add(n.at, n.text)
		}
	})
	for _, e := range s.exists {
		e.visit(func(n *node) {
			check(n.op != "name" || !l.isIndex(n.text) || slices.Contains(l.indices, n.text), n.at,
				"unsupported-op", "an index that is in no value")
		})
	}
	check(s.op != "=" || len(l.indices) == len(s.indices), s.at, "unsupported-op",
		"an assignment with indices on the right alone")
}

// alone refuses reads of what a statement writes, but for those of the same cell by one that sets
// no cells before and sums nothing: in which order the others would be is not certain.
func (l *lowering) alone(s *statement, t *tensor) {
	for _, e := range s.exists {
		e.visit(func(n *node) {
			check(l.tensors[n.text] != t || n.op == "extent", n.at, "unsupported-op",
				"%s is read where it is written", n.text)
		})
	}
	s.value.visit(func(n *node) {
		if n.op != "name" && n.op != "call" || l.tensors[n.text] != t {
			return
		}
		same := func(a *node, at source.Span) bool { return a.op == "name" && a.text == at.Text() }
		check(slices.EqualFunc(n.args, s.indices, same) && !strings.HasSuffix(s.op, "!") &&
			len(l.indices) == len(s.indices), n.at, "unsupported-op",
			"%s is read where it is written", n.text)
	})
}

// nests makes the loops of a statement.
func (l *lowering) nests(s *statement, t *tensor) {
	first := t.of == nil
	b := t.of
	if first {
		b = &loops.Buffer{Name: s.at.Text(), Span: s.at}
	}
	for k, at := range s.indices {
		hi := l.ranges[at.Text()].hi
		if first {
			b.Dims = append(b.Dims, hi)
		}
		check(l.nonneg(b.Dims[k].Sub(hi)), at, "unsupported-op", "a range that may end behind %s",
			b.Name)
	}
	place := func() loops.Access {
		a := loops.Access{Buffer: b, Span: s.at}
		for _, at := range s.indices {
			a.At = append(a.At, l.form(index(at.Text())))
		}
		return a
	}
	main := l.nest(l.indices, s.at, func() {
		for _, n := range s.exists {
			l.inside(n)
		}
		v := l.data(s.value)
		if first {
			b.Elem = v.Elem
		}
		l.emit(&loops.Assign{To: place(), Value: l.assigned(s, place(), v), Span: s.at})
	})
	if strings.HasSuffix(s.op, "!") {
		*l.out = append(*l.out, l.nest(l.indices[:len(s.indices)], s.at, func() {
			l.emit(&loops.Assign{To: place(), Value: initial(s, b), Span: s.at})
		})...)
	}
	*l.out = append(*l.out, main...)
	if t.of = b; first {
		l.within.Counts(b.Dims)
	}
}

// inside asks for the subscripts of a read, and of those in it, to lie within.
func (l *lowering) inside(n *node) {
	for _, s := range l.subscripts(n) {
		x := l.control(s.x)
		both := &loops.Cond{Op: loops.CondAll, Conds: []*loops.Cond{
			l.compare(loops.CondLessEqual, zero, x), l.compare(loops.CondLess, x, s.below)}}
		l.emit(&loops.Require{Cond: both, Text: "a subscript lies within", Span: s.x.at})
	}
}

// nest makes loops over the ranges of indices, the first one outermost.
func (l *lowering) nest(indices []string, at source.Span, body func()) []loops.Stmt {
	if len(indices) == 0 {
		return l.block(body)
	}
	r := l.ranges[indices[0]]
	f := &loops.For{Step: loops.Number(1), Span: at}
	for _, x := range loops.Apart(r.lo, domain.SizeMax) {
		f.Lo = append(f.Lo, l.form(x))
	}
	for _, x := range loops.Apart(r.hi, domain.SizeMin) {
		f.Hi = append(f.Hi, l.form(x))
	}
	l.counters["#"+indices[0]] = f
	f.Body = l.nest(indices[1:], at, body)
	return []loops.Stmt{f}
}

var updates = map[string]loops.DataOp{"+=": loops.DataAdd, "*=": loops.DataMul,
	"min=": loops.DataMin, "max=": loops.DataMax}

// initial is what ! sets cells to: of floats the least and the greatest that are finite.
func initial(s *statement, b *loops.Buffer) *loops.Data {
	text := map[string]string{"+=!": "0", "*=!": "1"}[s.op]
	if text == "" {
		text = extreme(b.Elem, s.op == "min=!")
	}
	return &loops.Data{Op: loops.DataLiteral, Elem: b.Elem, Text: text, Span: s.at}
}

// assigned is what a cell is assigned. Where it is made of what it was it has to be the same in the
// type of the cell and in the common one: sums and products of integers are, modulo 2^width.
func (l *lowering) assigned(s *statement, cell loops.Access, v value) *loops.Data {
	e := cell.Buffer.Elem
	x := v.into(e, s.value.at)
	if s.op == "=" {
		return x
	}
	op := strings.TrimSuffix(s.op, "!")
	ring := (op == "+=" || op == "*=") && !isFloat(v.Elem) && !isFloat(e)
	check(v.literal != "" || ring || match(e, v.Elem, s.value.at) == e, s.at, "unsupported-op",
		"%s of %s into %s", op, v.Elem, e)
	old := &loops.Data{Op: loops.DataRead, Elem: e, From: cell, Span: s.at}
	return operation(updates[op], e, s.at, old, x)
}
