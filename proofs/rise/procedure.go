package rise

import (
	"regexp"
	"slices"
	"strings"

	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/proofs/procedures"
	"tv/semantics/domain"
)

// A procedure is a function of MLIR with operations of rise: what its parameters hold, memrefs or
// numbers, goes in, and what is written to others comes out. None of those is taken in.
type procedure struct {
	*program
	names  []*param // of what operations compute
	values []*node
	outs   []*variable // what is written, for each step that does
}

// inOperations matches texts of operations by their first word behind comments, of either notation:
// programs in that of papers begin with other words.
var inOperations = regexp.MustCompile(
	`^(?:\s|(?:#|//)[^\n]*(?:\n|$))*(?:module\b|func\b|builtin\.|["!])`)

// readOperations reads the function of a text that is meant: the one of that name, or the only one
// with operations of rise.
func readOperations(file *source.File) (algebra.Source, error) {
	out := &procedure{program: &program{}}
	err := procedures.Read(file, operationWord(), " \t\r\n", func(w *procedures.Words) {
		p := &operationParser{Words: w}
		list := p.functions("")
		if file.Function != "" {
			list = slices.DeleteFunc(list, func(f *functionText) bool {
				return f.name != file.Function
			})
		}
		check(len(list) == 1, source.Span{File: file}, "unbound-name",
			"%d functions with operations of rise are meant", len(list))
		b := &builder{inference: newInference(out.program), made: out}
		b.function(list[0])
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// A parameter is one of the heading while it is read.
type parameter struct {
	named
	typ         *typ
	taken, done bool // its contents are taken in, or written
}

// function reads one.
func (b *builder) function(f *functionText) {
	b.Procedure = true
	in := b.opened(func() {
		for i, q := range f.region.params {
			if f.types != nil {
				b.same(q.is, f.types[i])
			}
			b.parameter(q)
		}
		b.outside(f.region)
	})
	n := len(f.region.body)
	check(n > 0 && f.region.body[n-1].name == "func.return", f.region.end, "bad-syntax",
		"a function ends with return")
	check(len(b.made.outs) > 0, f.at, "no-result", "nothing is written")
	b.made.names, b.made.values = in.names, in.values
	b.complete()
	for _, n := range b.literals {
		e := n.typ.find().elem
		check(e.Kind != domain.ElemInt || b.spells(n, e), n.at, "bad-literal", "no %s", e)
	}
	for _, q := range b.parameters {
		dims, elem, ok := q.typ.dims()
		check(ok && elem != algebra.Truth, q.at, "unknown-type", "what %s holds is not known",
			q.at.Text())
		check(!q.taken || !q.done, q.at, "unsupported-op", "%s is taken in and written",
			q.at.Text())
		name := strings.TrimPrefix(q.at.Text(), "%")
		b.Declare(&procedures.Param{Name: name, Elem: elem, Dims: dims, Span: q.at})
	}
	b.deep = len(b.nodes)
}

// parameter makes one known. A number is one of the values of the text.
func (b *builder) parameter(q *named) {
	out := &parameter{named: *q, typ: &typ{}}
	held := &held{memory: out}
	b.parameters = append(b.parameters, out)
	if q.is != nil {
		out.typ = q.is.typ
		check(q.is.as != wrapped, q.at, "type-mismatch", "a parameter is a memref or a number")
		if q.is.as == raw {
			out.taken = true
			held = b.taken(out, raw)
		}
	}
	b.define(q.at, held)
}

// taken is what a parameter holds.
func (b *builder) taken(q *parameter, as form) *held {
	v := &variable{name: q.at.Text(), typ: q.typ, param: slices.Index(b.parameters, q) + 1}
	b.scope = &scope{v, b.scope}
	return &held{variable: v, as: as}
}

// Written implements algebra.Observer.
func (p *procedure) Written() (names []string) {
	for i, q := range p.Params {
		if slices.Contains(p.Steps[:len(p.outs)], i) {
			names = append(names, q.Name)
		}
	}
	return names
}

// Observing implements algebra.Observer: what is not written is a step that leaves it alone.
func (p *procedure) Observing(names []string) algebra.Source {
	inner, out := *p.program, *p
	out.program = &inner
	inner.Steps = slices.Clone(p.Steps[:len(p.outs)])
	for i, q := range p.Params {
		if slices.Contains(names, q.Name) && !slices.Contains(inner.Steps, i) {
			inner.Steps = append(inner.Steps, i)
		}
	}
	return &out
}

// Type implements algebra.Source.
func (p *procedure) Type(env *domain.Env) (algebra.Program, error) {
	t, err := p.under(env)
	if err != nil {
		return nil, err
	}
	return &performed{t.Typing, t, p}, nil
}

// A performed procedure has the parts of procedures.
type performed struct {
	*procedures.Typing
	t *typed
	p *procedure
}

// Conditions implements algebra.Program.
func (t *performed) Conditions() []algebra.Condition { return t.t.Conditions() }

// Elems implements algebra.Program.
func (t *performed) Elems() []domain.Elem { return t.t.Elems() }

// A performance states the elements of a procedure.
type performance struct {
	*procedures.Elements
	l      *lowering
	values *environment // nil until it is asked for
}

// Elements implements algebra.Program.
func (t *performed) Elements(s *algebra.State, cuts map[int]string) algebra.Elements {
	out := &performance{Elements: t.Typing.Elements(s, cuts)}
	out.l = &lowering{Elements: out.Elements, t: t.t}
	out.Written = func(step int, c *context, at []*expr) *element {
		if step >= len(t.p.outs) {
			return out.Before(step, t.Steps[step], c, at)
		}
		if out.values == nil {
			out.values = out.l.inputs(t.p.scope)
			for i, q := range t.p.names {
				v := out.l.value(t.p.values[i], out.values)
				out.values = &environment{q.variable, v, out.values}
			}
		}
		v := out.values.find(t.p.outs[step])
		for _, i := range at {
			v = v.at(c, i)
		}
		return v.scalar(c)
	}
	return out
}

// Forget implements algebra.Elements.
func (p *performance) Forget() {
	p.Elements.Forget()
	p.values = nil
}
