// Package rise has RISE, a language of functions that apply patterns to arrays, as a row of the registry: the notation of
// papers, files .rise. Its text is read by package syntax, its elements are computed by eval and stated by lower,
// which know nothing of each other.
package rise

import (
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
		return text{p}, nil
	},
	Format:    func(s semantics.Source) string { return syntax.Format(s.(text).Program) },
	Generator: syntax.Generate,
}

// Rules is the language of the sides of rules: a text is a rule with (lang rise), of which the function that is meant, lhs or
// rhs, is a side.
var Rules = &semantics.Language{
	Name:       "rise-rule",
	Extensions: []string{".rise-rule"},
	Functions:  true,
	Parse:      parseSide,
}

func parseSide(f *source.File) (semantics.Source, error) {
	p, err := syntax.ParseSide(f)
	if err != nil {
		return nil, err
	}
	return text{p}, nil
}

// Side is a side of a rule as a program, at its place in the file of the rule.
func Side(p *syntax.Program) semantics.Source { return text{p} }

// A text is a program that was read.
type text struct{ *syntax.Program }

// Language implements semantics.Source.
func (t text) Language() *semantics.Language {
	if t.Rule() != nil {
		return Rules
	}
	return Language
}

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
