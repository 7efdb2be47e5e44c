// Package glenside is the language Glenside as the rest of tv knows programs: what package semantics asks of a language,
// answered by the syntax and types of package glenside of the tree's root, its evaluator (eval) and its lowering (lower).
//
//	Language   the row of the registry
//	Of, Typed  a program that was read, or typed, by whoever needs more of it than the seam says; TypeOf, a type
package glenside

import (
	"slices"
	"strings"
	"sync/atomic"

	"tv/glenside"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/glenside/eval"
	"tv/semantics/glenside/lower"
	"tv/semantics/term"
	"tv/semantics/value"
)

// Language is Glenside.
var Language = &semantics.Language{
	Name:       "glenside",
	Extensions: []string{".sexp"},
	Parse: func(f *source.File) (semantics.Source, error) {
		p, err := glenside.Parse(f)
		if err != nil {
			return nil, err
		}
		return Of(p), nil
	},
	Format: func(s semantics.Source) string { return glenside.Format(s.(*Source).Program) },
}

// A Source is a program that was read.
type Source struct {
	Program *glenside.Program
	typed   atomic.Pointer[typed]
}

// typed is what the declarations make of a program.
type typed struct {
	env *domain.Env
	ty  *glenside.Typing
}

// Remarks implements semantics.Remarker.
func (s *Source) Remarks() source.Errors { return s.Program.Remarks() }

// Assuming implements semantics.Assumer.
func (s *Source) Assuming(list []*domain.Assume) semantics.Source {
	with := *s.Program
	with.Assumes = slices.Concat(list, with.Assumes)
	return Of(&with)
}

// Of returns a program as a source.
func Of(p *glenside.Program) *Source { return &Source{Program: p} }

// Check returns what glenside.Check does, which looks once where it is asked the same again. Errors: source.Errors.
func (s *Source) Check(env *domain.Env) (*glenside.Typing, error) {
	if t := s.typed.Load(); t != nil && t.env.Equal(env) {
		return t.ty, nil
	}
	ty, err := glenside.Check(s.Program.Under(env.Names, env.Sizes), env)
	if err == nil {
		s.typed.Store(&typed{env, ty})
	}
	return ty, err
}

// Sources returns programs as sources.
func Sources(programs ...*glenside.Program) []semantics.Source {
	var out []semantics.Source
	for _, p := range programs {
		out = append(out, Of(p))
	}
	return out
}

// Language implements semantics.Source.
func (s *Source) Language() *semantics.Language { return Language }

// File implements semantics.Source.
func (s *Source) File() *source.File { return s.Program.File }

// Root implements semantics.Source.
func (s *Source) Root() source.Span { return s.Program.Span(s.Program.Root) }

// Declarations implements semantics.Source.
func (s *Source) Declarations() domain.Declarations { return s.Program.Declarations() }

// Reads implements semantics.Source.
func (s *Source) Reads() (names []string) {
	for _, n := range s.Program.Nodes {
		if n.Kind == glenside.KindSymbol {
			names = append(names, n.Text)
		}
	}
	return names
}

// Signature implements semantics.Source: a function of the tensors that it reads, in the order of first occurrence.
func (s *Source) Signature() (out semantics.Signature) {
	declared := map[string]*domain.Input{}
	for _, in := range s.Program.Inputs {
		declared[in.Name] = in
	}
	for _, n := range s.Program.Nodes {
		if n.Kind != glenside.KindSymbol {
			continue
		}
		p := semantics.Parameter{Name: n.Text, Read: true, Span: s.Program.Span(n)}
		if in := declared[n.Text]; in != nil {
			p.Typed, p.Dims, p.Elem, p.Span = true, in.Tensor().Dims, in.Elem, in.Span
		}
		out.Parameters = append(out.Parameters, p)
	}
	return out
}

// Infer implements semantics.Source.
func (s *Source) Infer() (*domain.Env, error) { return glenside.Infer(s.Program) }

// Type implements semantics.Source.
func (s *Source) Type(env *domain.Env) (semantics.Program, error) {
	ty, err := s.Check(env)
	if err != nil {
		return nil, err
	}
	if !isResult(ty.Root()) {
		return nil, source.Errors{source.Errorf(s.Root(), "not-a-tensor", "the program is not a tensor but %s", ty.Root())}
	}
	p := Typed(ty)
	p.source = s
	return p, nil
}

// A Program is a typed program. Its parts are the nodes of the text, with their numbers.
type Program struct {
	Typing     *glenside.Typing
	conditions []semantics.Condition
	result     *semantics.Type
	parts      []semantics.Part
	source     *Source
}

// Typed returns a typing as a program.
func Typed(ty *glenside.Typing) *Program {
	p := &Program{Typing: ty, result: TypeOf(ty.Root()), source: Of(ty.Program)}
	for _, c := range ty.Conds {
		p.conditions = append(p.conditions, semantics.Condition{Pred: c.Pred, Part: c.Node.ID, Code: c.Code, Msg: c.Msg})
	}
	p.parts = partsOf(ty)
	return p
}

// isResult reports whether t is of tensors.
func isResult(t *glenside.Type) bool {
	switch t.Kind {
	case glenside.TypeAccess, glenside.TypeTensor, glenside.TypeLiteral:
		return true
	case glenside.TypeTuple:
		return !slices.ContainsFunc(t.Items, func(item *glenside.Type) bool { return !isResult(item) })
	}
	return false
}

// TypeOf returns a type as that of a result.
func TypeOf(t *glenside.Type) *semantics.Type {
	out := &semantics.Type{Dims: t.Dims, Split: t.Split, Elem: t.Elem, Text: t.String()}
	if t.Kind == glenside.TypeTuple {
		out.Tuple = true
		for _, item := range t.Items {
			out.Items = append(out.Items, TypeOf(item))
		}
	}
	return out
}

func partsOf(ty *glenside.Typing) []semantics.Part {
	nodes := ty.Program.Nodes
	parts := make([]semantics.Part, len(nodes))
	operands := 0
	for _, n := range nodes {
		operands += len(n.Args)
	}
	all := make([]int, 0, operands) // one allocation: texts have as many nodes as they are long
	for i, n := range nodes {
		p := &parts[i]
		if n.Kind == glenside.KindCall {
			p.Name, p.Cost, p.Divides, p.Of, p.Applies = n.Op.Name, costs[n.Op.Cost], n.Op.Divides, n.Op.Of, true
		} else {
			p.Name, p.Leaf = glenside.FormatNode(n), true
		}
		if n.Kind == glenside.KindSymbol {
			p.Input = n.Text
		}
		first := len(all)
		for _, a := range n.Args {
			all = append(all, a.ID)
		}
		p.Operands = all[first:len(all):len(all)]
		if t := ty.Type(n); t != nil && (t.Kind == glenside.TypeAccess || t.Kind == glenside.TypeTensor) {
			p.Tensor, p.Dims, p.Elem = true, t.Dims, t.Elem
		}
	}
	return parts
}

var costs = [...]semantics.Cost{glenside.Moves: semantics.Moves, glenside.Scales: semantics.Scales,
	glenside.Sums: semantics.Sums, glenside.Function: semantics.Function, glenside.Enclosed: semantics.Enclosed}

// Source implements semantics.Program.
func (p *Program) Source() semantics.Source { return p.source }

// Conditions implements semantics.Program.
func (p *Program) Conditions() []semantics.Condition { return p.conditions }

// Inputs implements semantics.Program.
func (p *Program) Inputs() []domain.Tensor { return p.Typing.Tensors }

// Result implements semantics.Program.
func (p *Program) Result() *semantics.Type { return p.result }

// Parts implements semantics.Program.
func (p *Program) Parts() []semantics.Part { return p.parts }

// At implements semantics.Program.
func (p *Program) At(part int) source.Span {
	return p.Typing.Program.Span(p.Typing.Program.Nodes[part])
}

// Text implements semantics.Program.
func (p *Program) Text(part int) string { return p.source.Program.Text(p.source.Program.Nodes[part]) }

// Line implements semantics.Program: a call, with names for those of its operands that have a line.
func (p *Program) Line(part int, name func(part int) string) (typ, text string) {
	n := p.Typing.Program.Nodes[part]
	if !p.listed(n) {
		return "", ""
	}
	typ = p.Typing.Type(n).String()
	if n.Kind != glenside.KindCall {
		return typ, p.Text(part)
	}
	words := []string{n.Op.Name}
	for _, arg := range n.Args {
		if p.listed(arg) {
			words = append(words, name(arg.ID))
		} else {
			words = append(words, p.Text(arg.ID))
		}
	}
	return typ, "(" + strings.Join(words, " ") + ")"
}

// listed tells whether a node has a line of its own: numbers, shapes and words are printed where they stand.
func (p *Program) listed(n *glenside.Node) bool {
	switch p.Typing.Type(n).Kind {
	case glenside.TypeAccess, glenside.TypeTensor, glenside.TypeTuple, glenside.TypeAccessShape:
		return n.Kind != glenside.KindSymbol
	}
	return false
}

// Sizes implements semantics.Program.
func (p *Program) Sizes() (sizes []domain.Size) {
	for _, n := range p.Typing.Program.Nodes {
		if n.Kind == glenside.KindInt {
			sizes = append(sizes, n.Int)
		}
	}
	return sizes
}

// Depth implements semantics.Program.
func (p *Program) Limits() domain.Limits { return domain.Limits{} }

// Depth implements semantics.Program.
func (p *Program) Depth() int { return p.Typing.Program.Depth() }

// Evaluate implements semantics.Program.
func (p *Program) Evaluate(a value.Arith, pt domain.Point, in value.Inputs, standing semantics.Standing) (semantics.Evaluator, error) {
	e, err := eval.NewWith(p.Typing, a, pt, in, p.nodes(standing))
	if err != nil {
		return nil, err
	}
	return evaluator{e, p.Typing.Program.Nodes}, nil
}

func (p *Program) nodes(standing semantics.Standing) map[*glenside.Node]string {
	nodes := make(map[*glenside.Node]string, len(standing))
	for part, name := range standing {
		nodes[p.Typing.Program.Nodes[part]] = name
	}
	return nodes
}

// An evaluator numbers nodes.
type evaluator struct {
	*eval.Evaluator
	nodes []*glenside.Node
}

// PartDims implements semantics.Evaluator.
func (e evaluator) PartDims(part int) []int64 { return e.NodeDims(e.nodes[part]) }

// PartElement implements semantics.Evaluator.
func (e evaluator) PartElement(part int, index []int64) (value.Value, error) {
	return e.NodeElement(e.nodes[part], index)
}

// Lower implements semantics.Program.
func (p *Program) Lower(b *term.Builder, o semantics.LowerOptions) (*semantics.Lowered, error) {
	opts := lower.Options{Arith: o.Arith, Size: o.Size, Cuts: p.nodes(o.Cuts)}
	if !o.Whole {
		opts.Root = p.Typing.Program.Nodes[o.Part]
	}
	low, err := lower.Lower(b, p.Typing, opts)
	if err != nil {
		return nil, err
	}
	out := &semantics.Lowered{Idealised: low.Idealised, Opaque: low.Opaque}
	for _, c := range low.Components {
		out.Components = append(out.Components, semantics.LoweredComponent(c))
	}
	return out, nil
}
