// Package vta is the language of VTA's listings: a program is what the machine leaves in its output, bit for bit, as the
// simulator of package ila runs it. Sizes are numbers.
//
//	Language   the row of the registry; a text is read for the first implementation of the machine
//	Read       the same for another implementation
//	format.go  the layout of a text
//
// A listing is evaluated and has no lowering: what it leaves is proved by the machine's own engine (tv check, with a program
// of Glenside before it), and checked by no certificate.
package vta

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tv/hwmodels/vta"
	"tv/ila"
	"tv/ila/prove"
	"tv/ila/run"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/term"
	"tv/semantics/value"
)

// Language is the row of the registry.
var Language = &semantics.Language{
	Name:       "vta",
	Extensions: []string{".vta"},
	Exact:      true,
	Parse:      func(f *source.File) (semantics.Source, error) { return Read(f, vta.Configs[0]) },
	Format:     func(s semantics.Source) string { return Format(s.File().Text) },
}

// CodeLowered is the code of a question that wants a listing as terms.
const CodeLowered = "machine-lowered"

// A Source is a listing that was read.
type Source struct {
	Task   *ila.Task // to be read, not run: a machine's model is not safe for concurrent use
	config vta.Config
	file   *source.File
}

// Read reads a listing for an implementation. Errors: those of vta.ParseListing.
func Read(f *source.File, c vta.Config) (semantics.Source, error) {
	task, err := vta.ParseListing(f, c)
	if err != nil {
		return nil, err
	}
	return &Source{task, c, f}, nil
}

// Language implements semantics.Source.
func (s *Source) Language() *semantics.Language { return Language }

// File implements semantics.Source.
func (s *Source) File() *source.File { return s.file }

// Root implements semantics.Source: the output.
func (s *Source) Root() source.Span { return s.Task.Output.Span }

// input is a tensor of the listing as a declaration.
func input(x *ila.Tensor) *domain.Input {
	in := &domain.Input{Name: x.Name, Elem: elemOf(x), Span: x.Span}
	for _, d := range x.Dims {
		in.Dims = append(in.Dims, domain.Dim{Size: domain.IntSize(int64(d))})
	}
	return in
}

func elemOf(x *ila.Tensor) domain.Elem {
	if x.Signed {
		return domain.Elem{Kind: domain.ElemInt, Width: x.Width}
	}
	return domain.Elem{Kind: domain.ElemUint, Width: x.Width}
}

// Declarations implements semantics.Source.
func (s *Source) Declarations() (d domain.Declarations) {
	for _, x := range s.Task.Inputs {
		d.Inputs = append(d.Inputs, input(x))
	}
	return d
}

// Reads implements semantics.Source.
func (s *Source) Reads() (names []string) {
	for _, x := range s.Task.Inputs {
		names = append(names, x.Name)
	}
	return names
}

// Infer implements semantics.Source: directives declare all there is.
func (s *Source) Infer() (*domain.Env, error) {
	return domain.Merge([]domain.Declarations{s.Declarations()})
}

// Signature implements semantics.Source: a function of tensors that are known by name.
func (s *Source) Signature() (out semantics.Signature) {
	for _, x := range s.Task.Inputs {
		t := input(x).Tensor()
		out.Parameters = append(out.Parameters, semantics.Parameter{Name: t.Name, Typed: true, Dims: t.Dims, Elem: t.Elem,
			Read: true, Span: x.Span})
	}
	return out
}

// Type implements semantics.Source.
func (s *Source) Type(env *domain.Env) (semantics.Program, error) {
	p := &Program{source: s}
	for _, x := range s.Task.Inputs {
		t := input(x).Tensor()
		t.Name = env.Tensor(x.Name).Name
		p.inputs = append(p.inputs, t)
		p.parts = append(p.parts, semantics.Part{Name: x.Name, Leaf: true, Input: t.Name, Tensor: true, Dims: t.Dims, Elem: t.Elem})
	}
	for _, step := range s.Task.Steps {
		p.parts = append(p.parts, semantics.Part{Name: step.Text})
	}
	out := input(&s.Task.Output).Tensor()
	p.result = &semantics.Type{Dims: out.Dims, Elem: out.Elem, Text: fmt.Sprintf("(%s) %s", strings.Trim(fmt.Sprint(s.Task.Output.Dims), "[]"), out.Elem)}
	root := semantics.Part{Name: s.Task.Output.Name, Tensor: true, Dims: out.Dims, Elem: out.Elem, Cost: semantics.Sums}
	for i := range p.inputs {
		root.Operands = append(root.Operands, i)
	}
	p.parts = append(p.parts, root)
	return p, nil
}

// A Program is a listing under the names of a question. Its parts are the inputs, the instructions, which are no tensors, and
// the output.
type Program struct {
	source *Source
	inputs []domain.Tensor
	parts  []semantics.Part
	result *semantics.Type
}

// The methods of semantics.Program that a listing has little to say to.
func (p *Program) Source() semantics.Source          { return p.source }
func (p *Program) Conditions() []semantics.Condition { return nil }
func (p *Program) Inputs() []domain.Tensor           { return p.inputs }
func (p *Program) Result() *semantics.Type           { return p.result }
func (p *Program) Parts() []semantics.Part           { return p.parts }
func (p *Program) Sizes() []domain.Size              { return nil }
func (p *Program) Depth() int                        { return 1 }
func (p *Program) Limits() domain.Limits             { return domain.Limits{} }

// At implements semantics.Program.
func (p *Program) At(part int) source.Span {
	task, n := p.source.Task, len(p.inputs)
	switch {
	case part < n:
		return task.Inputs[part].Span
	case part < n+len(task.Steps):
		return task.Steps[part-n].Span
	}
	return task.Output.Span
}

// Text implements semantics.Program.
func (p *Program) Text(part int) string { return p.parts[part].Name }

// Line implements semantics.Program.
func (p *Program) Line(part int, _ func(part int) string) (typ, text string) {
	switch {
	case part < len(p.inputs):
		return "", ""
	case part == len(p.parts)-1:
		return p.result.Text, p.Text(part)
	}
	return "instruction", p.Text(part)
}

// Lower implements semantics.Program. Errors: a *source.Error with code machine-lowered.
func (p *Program) Lower(*term.Builder, semantics.LowerOptions) (*semantics.Lowered, error) {
	return nil, source.Errorf(p.source.Root(), CodeLowered, "a listing is run, and has no terms or certificates of its own")
}

// Evaluate implements semantics.Program: every element is of one run of the simulator. Standing parts are none but inputs.
func (p *Program) Evaluate(a value.Arith, _ domain.Point, in value.Inputs, standing semantics.Standing) (semantics.Evaluator, error) {
	if a != value.Exact {
		return nil, source.Errorf(p.source.Root(), CodeLowered, "a listing computes bit for bit, not in real numbers")
	}
	return &evaluator{p: p, in: in, standing: standing}, nil
}

// An evaluator runs the listing when the first element is asked for.
type evaluator struct {
	p        *Program
	in       value.Inputs
	standing semantics.Standing
	task     *ila.Task // its own
	ran      bool
	out      []uint64
	err      error
}

// run simulates the listing. A fault of the machine leaves no element with a value.
func (e *evaluator) run() {
	if e.ran {
		return
	}
	e.ran = true
	if e.task == nil {
		if e.task, e.err = vta.ParseListing(e.p.source.file, e.p.source.config); e.err != nil {
			return
		}
	}
	task := prove.Sequence(e.task)
	inputs := make([][]uint64, len(task.Inputs))
	for i, x := range task.Inputs {
		inputs[i] = make([]uint64, x.Size())
		for at := range inputs[i] {
			v, err := e.input(i, int64(at))
			if err != nil {
				e.err = err
				return
			}
			inputs[i][at], _ = v.Bits()
		}
	}
	var fault *ila.Fault
	if e.out, e.err = run.NewSimulator(task.Model).Run(task, inputs); errors.As(e.err, &fault) {
		e.err = value.Undefinedf("%v", task.Problem(fault)).Err()
	}
}

// input is an element of an input, as the name of the question gives it.
func (e *evaluator) input(part int, offset int64) (value.Value, error) {
	name := e.p.inputs[part].Name
	if other, ok := e.standing[part]; ok {
		name = other
	}
	v := e.in.Element(name, offset)
	if err := v.Suits(value.Exact, e.p.inputs[part].Elem); err != nil {
		return v, fmt.Errorf("%s[offset %d]: %w", name, offset, err)
	}
	return v, v.Err()
}

// PartDims implements semantics.Evaluator.
func (e *evaluator) PartDims(part int) (dims []int64) {
	x := &e.p.source.Task.Output
	if part < len(e.p.inputs) {
		x = e.p.source.Task.Inputs[part]
	}
	for _, d := range x.Dims {
		dims = append(dims, int64(d))
	}
	return dims
}

// Dims implements semantics.Evaluator.
func (e *evaluator) Dims([]int) []int64 { return e.PartDims(len(e.p.parts) - 1) }

// PartElement implements semantics.Evaluator.
func (e *evaluator) PartElement(part int, index []int64) (value.Value, error) {
	dims, at := e.PartDims(part), int64(0)
	if len(index) != len(dims) || slices.ContainsFunc(index, func(i int64) bool { return i < 0 }) {
		return value.Value{}, fmt.Errorf("eval: index %d of a tensor of dims %d", index, dims)
	}
	for axis, i := range index {
		if i >= dims[axis] {
			return value.Value{}, fmt.Errorf("eval: index %d of a tensor of dims %d", index, dims)
		}
		at = at*dims[axis] + i
	}
	if part < len(e.p.inputs) {
		return e.input(part, at)
	}
	if e.run(); e.err != nil {
		return value.Value{}, e.err
	}
	return value.BitsValue(e.out[at], e.p.result.Elem), nil
}

// Element implements semantics.Evaluator.
func (e *evaluator) Element(_ []int, index []int64) (value.Value, error) {
	return e.PartElement(len(e.p.parts)-1, index)
}

// Reset implements semantics.Evaluator.
func (e *evaluator) Reset() { e.ran, e.out, e.err = false, nil, nil }
