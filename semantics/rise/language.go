// Package rise has RISE, a language of functions that apply patterns to arrays, as a row of the registry. Texts in the notation
// of papers are read by package syntax, those in the notation of MLIR by dialect; elements are computed by eval and stated by
// lower, which know nothing of each other.
package rise

import (
	"regexp"
	"slices"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/rise/dialect"
	"tv/semantics/rise/eval"
	"tv/semantics/rise/lower"
	"tv/semantics/rise/syntax"
	"tv/semantics/term"
	"tv/semantics/value"
)

// Language is the row of the registry. A text is in the notation of papers or in that of MLIR.
var Language = &semantics.Language{
	Name:       "rise",
	Extensions: []string{".rise"},
	Functions:  true,
	Parse: func(f *source.File) (semantics.Source, error) {
		if inOperations.MatchString(f.Text) {
			return readOperations(f)
		}
		if f.Function != "" {
			return nil, source.Errors{source.Errorf(source.Span{File: f}, "unbound-name",
				"there is no function %s: in the notation of papers a program is one, without a name", f.Function)}
		}
		p, err := syntax.Parse(f)
		if err != nil {
			return nil, err
		}
		return text{Program: p}, nil
	},
	Format: func(s semantics.Source) string {
		if p, ok := s.(text); ok {
			return syntax.Format(p.Program)
		}
		return dialect.Format(s.File().Text)
	},
	Generator: generate,
}

// generate returns a random program, one of three in the dialect.
func generate(seed uint64) []byte {
	if seed%3 == 0 {
		return dialect.Generate(seed)
	}
	return syntax.Generate(seed)
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
	return text{Program: p}, nil
}

// Side is a side of a rule as a program, at its place in the file of the rule.
func Side(p *syntax.Program) semantics.Source { return text{Program: p} }

// inOperations matches texts in the notation of MLIR by their first word behind comments.
var inOperations = regexp.MustCompile(`^(?:\s|(?:#|//)[^\n]*(?:\n|$))*(?:module|func|builtin|["!%])`)

// Within returns the row of a language whose files may hold operations of rise: those are programs of RISE.
func Within(row *semantics.Language) *semantics.Language {
	own := row.Parse
	row.Parse = func(f *source.File) (semantics.Source, error) {
		if dialect.Is(f.Text) {
			return readOperations(f)
		}
		return own(f)
	}
	return row
}

// A text is a program that was read.
type text struct {
	*syntax.Program
	assumes []*domain.Assume
}

// Language implements semantics.Source.
func (t text) Language() *semantics.Language {
	if t.Rule() != nil {
		return Rules
	}
	return Language
}

// Assuming implements semantics.Assumer.
func (p text) Assuming(list []*domain.Assume) semantics.Source {
	p.assumes = slices.Concat(list, p.assumes)
	return p
}

// Declarations implements semantics.Source.
func (p text) Declarations() domain.Declarations {
	d := p.Program.Declarations()
	d.Assumes = slices.Concat(p.assumes, d.Assumes)
	return d
}

// Infer implements semantics.Source: the text declares all there is.
func (p text) Infer() (*domain.Env, error) {
	return domain.Merge([]domain.Declarations{p.Declarations()})
}

// Type implements semantics.Source.
func (p text) Type(env *domain.Env) (semantics.Program, error) {
	return program{p.Under(env, p)}, nil
}

// Operations are a program that was read in the notation of MLIR.
type operations struct {
	*dialect.Program
	assumes []*domain.Assume
}

func readOperations(f *source.File) (semantics.Source, error) {
	p, err := dialect.Parse(f)
	if err != nil {
		return nil, err
	}
	return operations{Program: p}, nil
}

// Language implements semantics.Source.
func (operations) Language() *semantics.Language { return Language }

// Assuming implements semantics.Assumer.
func (p operations) Assuming(list []*domain.Assume) semantics.Source {
	p.assumes = slices.Concat(list, p.assumes)
	return p
}

// Declarations implements semantics.Source.
func (p operations) Declarations() domain.Declarations {
	d := p.Program.Declarations()
	d.Assumes = p.assumes
	return d
}

// Infer implements semantics.Source: the heading declares all there is.
func (p operations) Infer() (*domain.Env, error) {
	return domain.Merge([]domain.Declarations{p.Declarations()})
}

// Type implements semantics.Source.
func (p operations) Type(env *domain.Env) (semantics.Program, error) {
	return procedure{program{p.Under(env, p)}}, nil
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

// A procedure is one in the notation of MLIR: the text of its result is the operation that writes it.
type procedure struct{ program }

// Text implements semantics.Program.
func (p procedure) Text(part int) string {
	if part < len(p.Parameters) {
		return p.Parameters[part].Name
	}
	return dialect.Line(p.At(part))
}

// Line implements semantics.Program.
func (p procedure) Line(part int, _ func(part int) string) (typ, text string) {
	if part < len(p.Parameters) {
		return "", ""
	}
	return p.Result().Text, p.Text(part)
}
