// Package language makes rows of the registry of languages that are read into procedures of package loops: each brings how
// its text is read, and shares the evaluator (run) and the lowering (lower), which know nothing of each other.
//
//	language.go   rows, sources and programs
//	evaluator.go  a run of a procedure as an evaluator
//	slices.go     runs of what a cell is made by, where the call is long and few cells are asked for
package language

import (
	"slices"
	"strings"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/loops"
	"tv/semantics/loops/lower"
	"tv/semantics/term"
	"tv/semantics/value"
)

// A Front is what a language brings.
type Front struct {
	Name       string
	Extensions []string
	Memory     bool                                                            // parameters are storage, which could overlap: see semantics.Signature.Storage
	Parse      func(f *source.File, function string) (*loops.Procedure, error) // function: empty: the text says which
	Format     func(text string) string
	Generator  func(seed uint64) []byte
}

// Row returns the row of the registry.
func (f Front) Row() *semantics.Language {
	row := &semantics.Language{Name: f.Name, Extensions: f.Extensions, Functions: true, Generator: f.Generator}
	row.Parse = func(file *source.File) (semantics.Source, error) {
		p, err := f.Parse(file, file.Function)
		if err != nil {
			return nil, err
		}
		if file.Results != "" {
			if p, err = p.Scratch(file.Results); err != nil {
				return nil, err
			}
		}
		s, err := loops.SourceOf(p, f.Memory)
		if err != nil {
			return nil, err
		}
		return text{s, row, f.Memory, nil}, nil
	}
	if f.Format != nil {
		row.Format = func(s semantics.Source) string { return f.Format(s.File().Text) }
	}
	return row
}

// A text is a program that was read.
type text struct {
	*loops.Source
	row     *semantics.Language
	memory  bool
	assumes []*domain.Assume
}

// Remarks implements semantics.Remarker: what was read over, but for lines of a preprocessor.
func (t text) Remarks() (list source.Errors) {
	for _, s := range t.Procedure.Skipped {
		if what := strings.TrimSpace(s.File.Text[s.Start:s.End]); what != "" && what[0] != '#' {
			list = append(list, &source.Error{Span: s, Msg: "this is read over, as it has no meaning here"})
		}
	}
	return list
}

// Assuming implements semantics.Assumer.
func (t text) Assuming(list []*domain.Assume) semantics.Source {
	t.assumes = slices.Concat(list, t.assumes)
	return t
}

// Declarations implements semantics.Source.
func (t text) Declarations() domain.Declarations {
	d := t.Source.Declarations()
	d.Assumes = slices.Concat(t.assumes, d.Assumes)
	return d
}

// Observing implements semantics.Observer.
func (t text) Observing(names []string) semantics.Source {
	s, err := loops.SourceOf(t.Procedure, t.memory, names...)
	if err != nil { // what is wrong with the text was said when it was read
		return t
	}
	return text{s, t.row, t.memory, t.assumes}
}

// Unsigned implements semantics.Signless.
func (t text) Unsigned(names []string) semantics.Source {
	s, err := t.row.Parse(t.File())
	if err != nil { // what is wrong with the text was said when it was read
		return t
	}
	again := s.(text)
	again.Procedure.Unsigned(names)
	out, err := loops.SourceOf(again.Procedure, t.memory)
	if err != nil {
		return t
	}
	return text{out, t.row, t.memory, t.assumes}
}

// Sized implements semantics.Sizer.
func (t text) Sized(names []string) semantics.Source {
	file := *t.File()
	file.Sizes = strings.Join(names, ",")
	again, err := t.row.Parse(&file)
	if err != nil {
		return nil
	}
	out := again.(text)
	for _, name := range names {
		if out.Program.Parameter(name) != nil {
			return nil
		}
	}
	out.assumes = t.assumes
	return out
}

// Language implements semantics.Source.
func (t text) Language() *semantics.Language { return t.row }

// Type implements semantics.Source.
func (t text) Type(env *domain.Env) (semantics.Program, error) {
	p, err := t.Sketch(env)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Sketch implements semantics.Sketcher.
func (t text) Sketch(env *domain.Env) (semantics.Program, error) {
	if err := t.Silent(); err != nil {
		return nil, err
	}
	typed, err := t.Under(env, t)
	if typed == nil {
		return nil, err
	}
	return program{typed}, err
}

// Run implements semantics.Runner.
func (t text) Run(env *domain.Env) (semantics.Program, error) {
	typed, err := t.Source.Run(env, t)
	if err != nil {
		return nil, err
	}
	return program{typed}, nil
}

// A program is one under the names of a question.
type program struct{ *loops.Typed }

// Evaluate implements semantics.Program.
func (p program) Evaluate(a value.Arith, pt domain.Point, in value.Inputs, standing semantics.Standing) (semantics.Evaluator, error) {
	return evaluate(p.Typed, a, pt, in, standing)
}

// Overlapped implements semantics.Overlapper.
func (p program) Overlapped(o semantics.Overlap) semantics.Program {
	return program{p.Typed.Overlapped(o)}
}

// Ends implements semantics.Ender.
func (p program) Ends(a value.Arith, pt domain.Point, in value.Inputs) error {
	return ends(p.Typed, a, pt, in)
}

// Lower implements semantics.Program.
func (p program) Lower(b *term.Builder, o semantics.LowerOptions) (*semantics.Lowered, error) {
	return lower.Lower(p.Typed, b, o)
}
