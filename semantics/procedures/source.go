// Package procedures is what languages have in common whose programs are a heading of parameters and steps that
// write them, one after the other: comprehensions, and nests of loops. A language reads its text into a
// [Program], embeds it in what it gives as semantics.Source, and the [Typed] one in its semantics.Program; it adds
// what only it knows: Sizes, Depth, Evaluate and Lower.
//
//	source.go  headings and steps: the methods of semantics.Source
//	typed.go   the methods of semantics.Program: the parts are the parameters, the steps and the result
//	affine.go  subscripts that are affine in indices, and the conditions under which they lie within a dim
package procedures

import (
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
)

// A Program is a text that was read.
type Program struct {
	Text       *source.File
	Heading    source.Span
	Procedure  bool // the contents of parameters before the call become those after it
	Name       string
	Parameters []*Parameter
	Steps      []*Step
	Sizes      []semantics.SizeParameter
	AtOnce     bool // steps happen at once: each sees what there was before the call
}

// A Parameter is a tensor of the heading.
type Parameter struct {
	Number   int // in the heading, from 0
	Name     string
	Elem     domain.Elem
	Dims     []domain.Size // in sizes of the text
	Span     source.Span
	Unsized  bool // Dims[0] is a name that nothing in the text says anything about
	Signless bool // integers are bits
	Written  bool // by a step
	Seen     bool // its contents before the call can be seen
}

// A Step writes cells of one parameter. It reads all that it reads before it writes.
type Step struct {
	Target *Parameter
	Reads  []*Parameter // in order, each once or more
	Name   string       // of the operator
	Adds   bool         // what it writes depends on what the cell held
	Whole  bool         // it writes all cells, whether it adds or not
	Span   source.Span
}

// Parameter returns the parameter of a name, or nil.
func (p *Program) Parameter(name string) *Parameter {
	for _, q := range p.Parameters {
		if q.Name == name {
			return q
		}
	}
	return nil
}

// Add adds a parameter to the heading. It returns false where there is one of that name.
func (p *Program) Add(q *Parameter) bool {
	if p.Parameter(q.Name) != nil {
		return false
	}
	q.Number = len(p.Parameters)
	p.Parameters = append(p.Parameters, q)
	return true
}

// Then adds a step, and finds out which contents before the call it sees: those of a parameter that no step before
// has written all of. At the end, Done has to be called.
func (p *Program) Then(s *Step) {
	covered := func(q *Parameter) bool {
		for _, before := range p.Steps {
			if before.Target == q && before.Whole {
				return true
			}
		}
		return false
	}
	for _, q := range s.Reads {
		q.Seen = q.Seen || !covered(q)
	}
	s.Target.Seen = s.Target.Seen || s.Adds && !covered(s.Target)
	s.Target.Written = true
	p.Steps = append(p.Steps, s)
}

// Done finds out which parameters keep contents from before the call: those that are written, and by no step
// as a whole.
func (p *Program) Done() {
	for _, s := range p.Steps {
		whole := false
		for _, other := range p.Steps {
			whole = whole || other.Target == s.Target && other.Whole
		}
		s.Target.Seen = s.Target.Seen || !whole
	}
}

// File implements semantics.Source.
func (p *Program) File() *source.File { return p.Text }

// Root implements semantics.Source: the last step.
func (p *Program) Root() source.Span {
	if n := len(p.Steps); n > 0 {
		return p.Steps[n-1].Span
	}
	return p.Heading
}

// Declarations implements semantics.Source. A dim that is a name is at least 1.
func (p *Program) Declarations() (d domain.Declarations) {
	for _, q := range p.Parameters {
		in := &domain.Input{Name: q.Name, Elem: q.Elem, Span: q.Span, Unsized: q.Unsized}
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
	for _, q := range p.Parameters {
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
	s := semantics.Signature{Procedure: p.Procedure, Ordered: true, Sizes: p.Sizes}
	for _, q := range p.Parameters {
		s.Parameters = append(s.Parameters, semantics.Parameter{Name: q.Name, Dims: q.Dims, Elem: q.Elem, Typed: true,
			Read: q.Seen, Written: q.Written, Unsized: q.Unsized, Signless: q.Signless, Span: q.Span})
	}
	return s
}
