// Package relay has Relay, TVM's graph language, as a row of the registry.
//
//	relay.go    the row: a text is read (syntax), and said as a program of Glenside (translate), whose evaluator and lowering it has
//	generate.go random texts
//	program.go  its parts: the parameters and the calls of the text, each of which is a node of that program
//
// What the checker takes a text to be it reads by itself (proofs/relay).
package relay

import (
	"slices"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	language "tv/semantics/glenside"
	"tv/semantics/relay/syntax"
	"tv/semantics/relay/translate"
)

// Language is the row of the registry.
var Language = &semantics.Language{
	Name:       "relay",
	Extensions: []string{".relay"},
	Functions:  true,
	Parse:      parse,
	Generator:  generate,
	Format:     func(s semantics.Source) string { return s.(*Source).module.Print() },
}

// A Source is a text that was read.
type Source struct {
	module   *syntax.Module
	graph    *syntax.Graph
	program  *translate.Program
	glenside *language.Source
}

func parse(f *source.File) (semantics.Source, error) {
	m, err := syntax.Parse(f, f.Function)
	if err != nil {
		return nil, err
	}
	g, err := m.Graph(syntax.Options{})
	if err != nil {
		return nil, err
	}
	p, err := translate.New(g, translate.Options{})
	if err != nil {
		return nil, err
	}
	return &Source{m, g, p, language.Of(p.Parsed)}, nil
}

// Language implements semantics.Source.
func (s *Source) Language() *semantics.Language { return Language }

// File implements semantics.Source.
func (s *Source) File() *source.File { return s.module.File }

// Imported is the program of Glenside that the text is, as tv import writes it.
func (s *Source) Imported() string { return s.program.Text }

// Root implements semantics.Source.
func (s *Source) Root() source.Span { return s.graph.Result.At }

// Remarks implements semantics.Remarker.
func (s *Source) Remarks() source.Errors { return append(s.graph.Warnings, s.program.Warnings...) }

// Declarations implements semantics.Source.
func (s *Source) Declarations() domain.Declarations {
	d := s.glenside.Declarations()
	d.Inputs = slices.Clone(d.Inputs)
	for i := range d.Inputs {
		in := *d.Inputs[i]
		in.Span = s.graph.Inputs[i].At
		d.Inputs[i] = &in
	}
	return d
}

// Reads implements semantics.Source.
func (s *Source) Reads() []string { return s.glenside.Reads() }

// Signature implements semantics.Source: a function of tensors in order.
func (s *Source) Signature() semantics.Signature {
	out := semantics.Signature{Ordered: true, Function: s.module.Entry.Name}
	for i, in := range s.program.Inputs {
		p := semantics.Parameter{Name: in.Name, Typed: true, Elem: in.Type.Elem, Span: s.graph.Inputs[i].At}
		p.Read = s.program.Nodes[s.graph.Inputs[i].ID] >= 0
		for _, d := range in.Type.Dims {
			p.Dims = append(p.Dims, domain.IntSize(d))
		}
		out.Parameters = append(out.Parameters, p)
	}
	return out
}

// Infer implements semantics.Source: the text declares all there is.
func (s *Source) Infer() (*domain.Env, error) {
	return domain.Merge([]domain.Declarations{s.Declarations()})
}

// Type implements semantics.Source.
func (s *Source) Type(env *domain.Env) (semantics.Program, error) {
	ty, err := s.glenside.Check(env)
	if err != nil {
		return nil, s.placed(err)
	}
	return newProgram(s, language.Typed(ty)), nil
}

// placed moves errors about the program that a text stands for to the function.
func (s *Source) placed(err error) error {
	var out source.Errors
	for _, e := range source.AsErrors(err) {
		moved := *e
		moved.Span = s.module.Entry.At
		out = append(out, &moved)
	}
	return out
}
