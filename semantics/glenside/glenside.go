// Package glenside is the language Glenside as the rest of tv knows programs: what package semantics asks of a language,
// answered by the syntax and types of package glenside of the tree's root, its evaluator (eval) and its lowering (lower).
//
//	Language   the row of the registry
//	Of, Typed  a program that was read, or typed, by whoever needs more of it than the seam says; TypeOf, a type
package glenside

import (
	"fmt"
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
	Like:   glenside.Like,
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

// Around implements semantics.Nested.
func (s *Source) Around(offset int) (out []semantics.Enclosing) {
	for _, c := range s.Program.Around(offset) {
		at := source.Span{File: s.Program.File, Start: c.Start, End: c.End}
		out = append(out, semantics.Enclosing{Span: at, Name: c.Name, Operand: c.Operand, Value: c.Value})
	}
	return out
}

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

// A Program is a typed program. Its parts are the nodes of the text and, before a call of flex-lstm that has a meaning, cells and
// states behind each timestep.
type Program struct {
	Typing     *glenside.Typing
	conditions []semantics.Condition
	result     *semantics.Type
	parts      []semantics.Part
	places     []glenside.State // by part; of a node itself Step is 0
	numbers    []int            // of nodes as parts, by Node.ID
	source     *Source
}

// Typed returns a typing as a program.
func Typed(ty *glenside.Typing) *Program {
	p := &Program{Typing: ty, result: TypeOf(ty.Root()), source: Of(ty.Program)}
	p.number()
	for _, c := range ty.Conds {
		p.conditions = append(p.conditions, semantics.Condition{Pred: c.Pred, Part: p.numbers[c.Node.ID], Code: c.Code, Msg: c.Msg})
	}
	return p
}

// Number returns the part that a node is, by Node.ID.
func (p *Program) Number(id int) int { return p.numbers[id] }

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

// number makes the parts.
func (p *Program) number() {
	ty, nodes := p.Typing, p.Typing.Program.Nodes
	p.numbers = make([]int, len(nodes))
	p.parts, p.places = make([]semantics.Part, 0, len(nodes)), make([]glenside.State, 0, len(nodes))
	operands := 0
	for _, n := range nodes {
		operands += len(n.Args)
	}
	all := make([]int, 0, operands) // one allocation: texts have as many nodes as they are long
	for id, n := range nodes {
		states := p.states(n)
		p.numbers[id] = len(p.parts)
		part := semantics.Part{}
		if n.Kind == glenside.KindCall {
			part.Name, part.Cost, part.Divides, part.Of, part.Applies = n.Op.Name, costs[n.Op.Cost], n.Op.Divides, n.Op.Of, true
		} else {
			part.Name, part.Leaf = glenside.FormatNode(n), true
		}
		if n.Kind == glenside.KindSymbol {
			part.Input = n.Text
		}
		first := len(all)
		for _, a := range n.Args {
			all = append(all, p.numbers[a.ID])
		}
		part.Operands = all[first:len(all):len(all)]
		if len(states) > 0 { // side by side
			part.Operands, part.Cost = states, semantics.Moves
		}
		if t := ty.Type(n); t != nil && (t.Kind == glenside.TypeAccess || t.Kind == glenside.TypeTensor) {
			part.Tensor, part.Dims, part.Split, part.Elem = true, t.Dims, t.Split, t.Elem
		}
		p.parts, p.places = append(p.parts, part), append(p.places, glenside.State{Call: n})
	}
}

// states makes parts of cells and states behind each timestep of an LSTM, and returns which the rows of the call are.
func (p *Program) states(n *glenside.Node) (rows []int) {
	steps := 0
	if n.IsLSTM() {
		steps, _ = p.Typing.Timesteps(n)
	}
	var operands []int
	for _, a := range n.Args[:min(7, len(n.Args))] {
		operands = append(operands, p.numbers[a.ID])
	}
	t := p.Typing.Type(n)
	var before []int
	for step := range steps {
		for _, cells := range []bool{true, false} {
			name := fmt.Sprintf("state %d of flex-lstm", step+1)
			if cells {
				name = fmt.Sprintf("cell %d of flex-lstm", step+1)
			}
			if !cells {
				before = append(before, len(p.parts)-1)
			}
			p.parts = append(p.parts, semantics.Part{Name: name, Inner: name, Applies: true, Operands: slices.Concat(operands, before), Tensor: true,
				Dims: t.Dims[1:], Elem: t.Elem, Cost: semantics.Enclosed, Of: n.Op.Of})
			p.places = append(p.places, glenside.State{Call: n, Step: step + 1, Cells: cells})
		}
		before = []int{len(p.parts) - 2, len(p.parts) - 1}
		if n.Op.Name == "flex-lstm" {
			rows = append(rows, len(p.parts)-1)
		} else {
			rows = append(rows, len(p.parts)-2)
		}
	}
	return rows
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
	return p.Typing.Program.Span(p.places[part].Call)
}

// Text implements semantics.Program.
func (p *Program) Text(part int) string {
	text := p.source.Program.Text(p.source.Program.Nodes[p.places[part].Call.ID])
	if inner := p.parts[part].Inner; inner != "" {
		return inner + ", " + text
	}
	return text
}

// Line implements semantics.Program: a call, with names for those of its operands that have a line.
func (p *Program) Line(part int, name func(part int) string) (typ, text string) {
	n := p.places[part].Call
	if !p.listed(n) || p.places[part].Step > 0 {
		return "", ""
	}
	typ = p.Typing.Type(n).String()
	if n.Kind != glenside.KindCall {
		return typ, p.Text(part)
	}
	words := []string{n.Op.Name}
	for _, arg := range n.Args {
		if p.listed(arg) {
			words = append(words, name(p.numbers[arg.ID]))
		} else {
			words = append(words, p.Text(p.numbers[arg.ID]))
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
	e, err := eval.NewWith(p.Typing, a, pt, in, p.standing(standing))
	if err != nil {
		return nil, err
	}
	return evaluator{e, p.places}, nil
}

func (p *Program) standing(parts semantics.Standing) map[glenside.State]string {
	out := make(map[glenside.State]string, len(parts))
	for part, name := range parts {
		out[p.places[part]] = name
	}
	return out
}

// An evaluator numbers parts.
type evaluator struct {
	*eval.Evaluator
	places []glenside.State
}

// PartDims implements semantics.Evaluator.
func (e evaluator) PartDims(part int) []int64 {
	if s := e.places[part]; s.Step == 0 {
		return e.NodeDims(s.Call)
	}
	return e.NodeDims(e.places[part].Call)[1:]
}

// PartElement implements semantics.Evaluator.
func (e evaluator) PartElement(part int, index []int64) (value.Value, error) {
	if s := e.places[part]; s.Step > 0 {
		return e.StateElement(s, index)
	}
	return e.NodeElement(e.places[part].Call, index)
}

// Lower implements semantics.Program.
func (p *Program) Lower(b *term.Builder, o semantics.LowerOptions) (*semantics.Lowered, error) {
	opts := lower.Options{Arith: o.Arith, Size: o.Size, Cuts: p.standing(o.Cuts)}
	if !o.Whole {
		opts.Root = &p.places[o.Part]
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
