// Package rise has RISE, a language of functions that apply patterns to arrays, as a row of the registry: the notation of
// papers, files .rise. Its text is read by package syntax, its elements are computed by eval and stated by lower,
// which know nothing of each other.
package rise

import (
	"slices"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/rise/eval"
	"tv/semantics/rise/lower"
	"tv/semantics/rise/syntax"
	"tv/semantics/term"
	"tv/semantics/value"
)

// Language is the row of the registry.
var Language = &semantics.Language{
	Name:       "rise",
	Extensions: []string{".rise"},
	Parse: func(f *source.File) (semantics.Source, error) {
		p, err := syntax.Parse(f)
		if err != nil {
			return nil, err
		}
		return text{Program: p}, nil
	},
	Format:    func(s semantics.Source) string { return syntax.Format(s.(text).Program) },
	Generator: syntax.Generate,
}

// A text is a program that was read.
type text struct {
	*syntax.Program
	assumes []*domain.Assume
}

// Assuming implements semantics.Assumer.
func (p text) Assuming(list []*domain.Assume) semantics.Source {
	p.assumes = slices.Concat(list, p.assumes)
	return p
}

// Declarations implements semantics.Source.
func (p text) Declarations() domain.Declarations {
	d := p.Program.Declarations()
	d.Assumes = p.assumes
	return d
}

// Infer implements semantics.Source: the text declares all there is.
func (p text) Infer() (*domain.Env, error) {
	return domain.Merge([]domain.Declarations{p.Declarations()})
}

// Language implements semantics.Source.
func (text) Language() *semantics.Language { return Language }

// Type implements semantics.Source.
func (p text) Type(env *domain.Env) (semantics.Program, error) {
	return program{p.Under(env, p)}, nil
}

// A program is one under the names of a question.
type program struct{ *syntax.Typed }

// Evaluate implements semantics.Program.
func (p program) Evaluate(a value.Arith, pt domain.Point, in value.Inputs, standing semantics.Standing) (semantics.Evaluator, error) {
	return eval.New(p.Typed, a, pt, in, standing)
}

// Lower implements semantics.Program.
func (p program) Lower(b *term.Builder, o semantics.LowerOptions) (*semantics.Lowered, error) {
	return lower.Lower(p.Typed, b, o)
}
