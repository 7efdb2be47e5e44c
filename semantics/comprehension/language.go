// Package comprehension is a small language of statements over index ranges, doc/languages.md section 3: the seam between
// languages is tested with it.
//
//	language.go  the row of the registry, and what package semantics asks
//	syntax.go    the text; format.go its layout; generate.go random ones
//	types.go     a program under the names of a question; conditions.go what its accesses ask of sizes
//	eval.go      the evaluator, which knows no terms
//	lower.go     the lowering, which knows no values
package comprehension

import (
	"slices"
	"strings"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/value"
)

// Language is the row of the registry.
var Language = &semantics.Language{
	Name:       "comprehension",
	Extensions: []string{".comp"},
	Parse: func(f *source.File) (semantics.Source, error) {
		p, err := Parse(f)
		if err != nil {
			return nil, err
		}
		return p, nil
	},
	Format:    func(s semantics.Source) string { return Format(s.(*Program)) },
	Generator: Generate,
}

// Language implements semantics.Source.
func (p *Program) Language() *semantics.Language { return Language }

// File implements semantics.Source.
func (p *Program) File() *source.File { return p.file }

// Root implements semantics.Source.
func (p *Program) Root() source.Span { return p.root }

// Declarations implements semantics.Source. A dim that is a name is at least 1.
func (p *Program) Declarations() (d domain.Declarations) {
	for _, q := range p.Params {
		in := &domain.Input{Name: q.Name, Elem: q.Elem, Span: q.Span}
		for _, s := range q.Dims {
			dim := domain.Dim{Size: s}
			if s.Op() == domain.SizeName {
				dim.Min = 1
			}
			in.Dims = append(in.Dims, dim)
		}
		d.Inputs = append(d.Inputs, in)
	}
	return d
}

// Reads implements semantics.Source.
func (p *Program) Reads() (names []string) {
	for _, q := range p.Params {
		names = append(names, q.Name)
	}
	return names
}

// Infer implements semantics.Source: the heading declares all there is.
func (p *Program) Infer() (*domain.Env, error) {
	return domain.Merge([]domain.Declarations{p.Declarations()})
}

// Signature implements semantics.Source.
func (p *Program) Signature() semantics.Signature {
	s := semantics.Signature{Procedure: p.Procedure, Ordered: true}
	for _, q := range p.Params {
		s.Parameters = append(s.Parameters, semantics.Parameter{Name: q.Name, Dims: q.Dims, Elem: q.Elem, Typed: true,
			Read: q.Seen, Written: q.Written, Span: q.Span})
	}
	return s
}

// Type implements semantics.Source.
func (p *Program) Type(env *domain.Env) (semantics.Program, error) {
	t := &Typed{Program: p, env: env}
	t.conditions = t.bounds()
	t.parts = t.list()
	return t, nil
}

// Source implements semantics.Program.
func (t *Typed) Source() semantics.Source { return t.Program }

// Conditions implements semantics.Program.
func (t *Typed) Conditions() []semantics.Condition { return t.conditions }

// Inputs implements semantics.Program.
func (t *Typed) Inputs() (out []domain.Tensor) {
	for _, q := range t.Params {
		if q.Seen {
			out = append(out, t.tensor(q))
		}
	}
	return out
}

// Result implements semantics.Program.
func (t *Typed) Result() *semantics.Type {
	var items []*semantics.Type
	for _, q := range t.results() {
		x := t.tensor(q)
		items = append(items, &semantics.Type{Dims: x.Dims, Elem: x.Elem, Text: typeText(x)})
	}
	if len(items) == 1 {
		return items[0]
	}
	text := ""
	for i, item := range items {
		text += map[bool]string{true: "(", false: ", "}[i == 0] + item.Text
	}
	return &semantics.Type{Tuple: true, Items: items, Text: text + ")"}
}

// typeText is a type as headings write it.
func typeText(x domain.Tensor) string {
	dims := make([]string, len(x.Dims))
	for i, d := range x.Dims {
		dims[i] = d.Formula()
	}
	return x.Elem.String() + "[" + strings.Join(dims, ", ") + "]"
}

// Parts implements semantics.Program.
func (t *Typed) Parts() []semantics.Part { return t.parts }

// list makes the parts: doc/languages.md section 3.
func (t *Typed) list() (out []semantics.Part) {
	for _, q := range t.Params {
		x := t.tensor(q)
		out = append(out, semantics.Part{Name: q.Name, Leaf: true, Input: x.Name, Tensor: true, Dims: x.Dims, Elem: x.Elem})
	}
	for k, s := range t.Statements {
		x := t.tensor(s.Target)
		p := semantics.Part{Name: s.Op, Tensor: true, Dims: x.Dims, Elem: x.Elem, Cost: semantics.Sums}
		if s.Op != "=" || !s.whole {
			p.Operands = append(p.Operands, t.before(k, s.Target))
		}
		s.Value.visit(func(e *Expr) {
			if e.Op == 'r' && !slices.Contains(p.Operands, t.before(k, e.Tensor)) {
				p.Operands = append(p.Operands, t.before(k, e.Tensor))
			}
		})
		out = append(out, p)
	}
	results := t.resultParts()
	switch {
	case len(results) > 1:
		out = append(out, semantics.Part{Name: "results", Operands: results})
	case results[0] != len(out)-1:
		p := out[results[0]]
		p.Name, p.Leaf, p.Cost, p.Operands = "result", false, semantics.Moves, results
		out = append(out, p)
	}
	return out
}

// before is the part that a parameter is when statement k begins; after the last one where k is their number.
func (p *Program) before(k int, q *Param) int {
	for i, s := range slices.Backward(p.Statements[:k]) {
		if s.Target == q {
			return len(p.Params) + i
		}
	}
	return q.Number
}

// resultParts are the parts that the tensors of the result are.
func (p *Program) resultParts() (out []int) {
	for _, q := range p.results() {
		out = append(out, p.before(len(p.Statements), q))
	}
	return out
}

// At implements semantics.Program.
func (t *Typed) At(part int) source.Span { return t.span(part) }

// Text implements semantics.Program.
func (t *Typed) Text(part int) string {
	if part >= len(t.Params)+len(t.Statements) {
		return "the result"
	}
	return t.span(part).Text()
}

// Line implements semantics.Program: parameters are written where they stand.
func (t *Typed) Line(part int, name func(part int) string) (typ, text string) {
	switch {
	case part < len(t.Params):
		return "", ""
	case part < len(t.Params)+len(t.Statements):
		return typeText(t.tensor(t.Statements[part-len(t.Params)].Target)), t.Text(part)
	}
	var from []string
	for _, p := range t.resultParts() {
		from = append(from, name(p))
	}
	return t.Result().Text, "the result: " + strings.Join(from, ", ")
}

// Sizes implements semantics.Program.
func (t *Typed) Sizes() (out []domain.Size) {
	for _, s := range t.Statements {
		for _, i := range slices.Concat(s.Free, s.Summed) {
			out = append(out, t.size(i.Lo), t.size(i.Hi))
		}
		s.Value.visit(func(e *Expr) {
			for _, x := range e.At {
				out = append(out, t.size(x.Rest))
			}
		})
	}
	return out
}

// Depth implements semantics.Program: an element of the result asks through all statements, and each nests so deep.
func (t *Typed) Depth() int {
	depth := 1 + len(t.Statements)
	for _, s := range t.Statements {
		depth += s.Value.depth()
	}
	return depth
}

func (e *Expr) depth() int {
	most := 0
	for _, a := range e.Args {
		most = max(most, a.depth())
	}
	return most + 1
}

// Evaluate implements semantics.Program.
func (t *Typed) Evaluate(a value.Arith, pt domain.Point, in value.Inputs, standing semantics.Standing) (semantics.Evaluator, error) {
	return newEvaluator(t, a, pt, in, standing)
}
