package machine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tv/ila/run"

	"tv/equiv"
	"tv/equiv/sample"
	"tv/glenside"
	"tv/ila"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	language "tv/semantics/glenside"
	"tv/semantics/glenside/eval"
	"tv/semantics/value"
)

// A Pair is a typed program and a task for a machine that share their tensors.
type Pair struct {
	before  *glenside.Typing
	task    *ila.Task
	tensors map[string]tensor
	names   []string // of the tensors, sorted
	dims    []int    // of BEFORE's result
}

// A tensor of BEFORE's declarations.
type tensor struct {
	dims []int
	elem domain.Elem
}

func (t tensor) size() int {
	n := 1
	for _, d := range t.dims {
		n *= d
	}
	return n
}

// operands are the bits of the elements of tensors, by name, in row-major order.
type operands map[string][]uint64

// NewPair types BEFORE and binds the tensors of the task to its own. Errors: those of glenside.MergeEnv and
// glenside.Check, where the inputs of the task count as declarations of a program AFTER; machine-fixed-sizes.
func NewPair(before *glenside.Program, task *ila.Task, outside []equiv.Declaration) (*Pair, error) {
	after := &glenside.Program{}
	for _, x := range task.Inputs {
		in := &domain.Input{Name: x.Name, Elem: elemOf(x), Span: x.Span}
		for _, d := range x.Dims {
			in.Dims = append(in.Dims, domain.Dim{Size: domain.IntSize(int64(d))})
		}
		after.Inputs = append(after.Inputs, in)
	}
	env, err := equiv.Environment(language.Sources(before, after), outside)
	if err != nil {
		return nil, err
	}
	p := &Pair{task: task, tensors: map[string]tensor{}}
	if p.before, err = glenside.Check(before, env); err != nil {
		return nil, err
	}
	if err = semantics.Suits(language.Typed(p.before), domain.Exact); err != nil {
		return nil, err
	}
	root := p.before.Root()
	if root.Kind != glenside.TypeTuple {
		if p.dims, err = fixed(before, root.Dims, "the result"); err != nil {
			return nil, err
		}
	}
	for _, t := range p.before.Tensors {
		dims, err := fixed(before, t.Dims, t.Name)
		if err != nil {
			return nil, err
		}
		p.tensors[t.Name] = tensor{dims, t.Elem}
	}
	for _, x := range task.Inputs { // BEFORE may declare a tensor without reading it
		p.tensors[x.Name] = tensor{x.Dims, elemOf(x)}
	}
	p.names = slices.Sorted(maps.Keys(p.tensors))
	return p, nil
}

// fixed returns dims that are numbers.
func fixed(p *glenside.Program, dims []domain.Size, what string) ([]int, error) {
	out := make([]int, len(dims))
	for i, d := range dims {
		n, ok := d.Int64()
		if !ok {
			return nil, source.Errors{source.Errorf(p.Span(p.Root), CodeSizes,
				"%s has the size %s, and a listing is for fixed sizes", what, d)}
		}
		out[i] = int(n)
	}
	return out, nil
}

// whole returns in what the results differ as wholes, a reason and a line, or nothing.
func (p *Pair) whole() (reason, detail string) {
	root, out := p.before.Root(), &p.task.Output
	switch {
	case root.Kind == glenside.TypeTuple:
		return "shape", fmt.Sprintf("BEFORE is %s, AFTER a tensor", root)
	case !slices.Equal(p.dims, out.Dims):
		return "shape", fmt.Sprintf("BEFORE has dims %v, AFTER %v", p.dims, out.Dims)
	case root.Elem != elemOf(out):
		return "type", fmt.Sprintf("BEFORE is of %s, AFTER of %s", root.Elem, elemOf(out))
	}
	return "", ""
}

// Whole says in what the results differ as wholes, or nothing.
func (p *Pair) Whole() string {
	_, detail := p.whole()
	return detail
}

// zeros returns a counterexample whose operands are all 0.
func (p *Pair) zeros() *sample.Counterexample {
	x := &sample.Counterexample{}
	for _, name := range p.names {
		x.Inputs = append(x.Inputs, p.shown(name, nil))
	}
	return x
}

// shown returns a tensor as a counterexample shows it.
func (p *Pair) shown(name string, values []uint64) sample.InputValue {
	t := p.tensors[name]
	in := sample.InputValue{Name: name, Elem: t.elem, Sparse: map[int64]string{}}
	for _, n := range t.dims {
		in.Dims = append(in.Dims, int64(n))
	}
	for at, bits := range values {
		if bits != 0 {
			in.Sparse[int64(at)] = value.BitsValue(bits, t.elem).String()
		}
	}
	return in
}

// elemOf returns the element type of a tensor of a task.
func elemOf(x *ila.Tensor) domain.Elem {
	if t, ok := domain.ParseElem(x.Format); ok {
		return t
	}
	kind := domain.ElemUint
	if x.Signed {
		kind = domain.ElemInt
	}
	return domain.Elem{Kind: kind, Width: x.Width}
}

// evaluator returns BEFORE ready to run on operands.
func (p *Pair) evaluator(in operands) (*eval.Evaluator, error) {
	values := value.Tensors{}
	for _, t := range p.before.Tensors {
		list := make([]value.Value, len(in[t.Name]))
		for i, bits := range in[t.Name] {
			list[i] = value.BitsValue(bits, t.Elem)
		}
		values[t.Name] = list
	}
	return eval.New(p.before, value.Exact, nil, values)
}

// simulate runs the program on operands and returns the bits of its output. An error is an *ila.Fault.
func (p *Pair) simulate(in operands) ([]uint64, error) {
	inputs := make([][]uint64, len(p.task.Inputs))
	for i, x := range p.task.Inputs {
		inputs[i] = in[x.Name]
	}
	return run.NewSimulator(p.task.Model).Run(p.task, inputs)
}

// located returns a fault as an error at the line of its instruction.
func (p *Pair) located(f *ila.Fault) error {
	e := p.task.Problem(f)
	if free := p.unbound(); f.Code == ila.CodeUnwritten && len(free) > 0 {
		e.Msg += "; no .input says where " + strings.Join(free, ", ") + " of the program before lies"
	}
	return source.Errors{e}
}

// unbound returns the tensors that BEFORE reads and the task has no place for.
func (p *Pair) unbound() (names []string) {
	for _, t := range p.before.Tensors {
		if !slices.ContainsFunc(p.task.Inputs, func(x *ila.Tensor) bool { return x.Name == t.Name }) {
			names = append(names, t.Name)
		}
	}
	return names
}

// flat returns the row-major offset of an element of the output.
func (p *Pair) flat(index []int) int {
	at := 0
	for i, n := range index {
		at = at*p.dims[i] + n
	}
	return at
}

// at returns the index of an element of the output.
func (p *Pair) at(flat int) []int64 {
	index := make([]int64, len(p.dims))
	for i := len(p.dims) - 1; i >= 0; i-- {
		index[i] = int64(flat % p.dims[i])
		flat /= p.dims[i]
	}
	return index
}

// A difference is an element of the output that the sides do not agree on, or a fault of the program.
type difference struct {
	in            operands
	flat          int
	before, after value.Value
	fault         *ila.Fault
}

// difference runs both sides and compares an element; nil where there is no difference, or where BEFORE has
// no value there. fault says that the program was at fault: then it has to be again.
func (p *Pair) difference(in operands, flat int, fault *ila.Fault) (*difference, error) {
	e, err := p.evaluator(in)
	if err != nil {
		return nil, err
	}
	out, err := p.simulate(in)
	if err != nil {
		f, err := faultOf(err)
		if err != nil || fault == nil || f.Code != fault.Code {
			return nil, err
		}
		before, err := e.Element(nil, p.at(flat))
		if err != nil {
			return nil, nil
		}
		return &difference{in: in, flat: flat, before: before, fault: f}, nil
	}
	if fault != nil {
		return nil, nil
	}
	return p.compare(e, in, out, flat), nil
}

func faultOf(err error) (*ila.Fault, error) {
	var f *ila.Fault
	if errors.As(err, &f) {
		return f, nil
	}
	return nil, err
}

func (p *Pair) compare(e *eval.Evaluator, in operands, out []uint64, flat int) *difference {
	before, err := e.Element(nil, p.at(flat))
	if err != nil {
		return nil
	}
	after := value.BitsValue(out[flat], elemOf(&p.task.Output))
	if value.Compare(before, after) != value.Different {
		return nil
	}
	return &difference{in: in, flat: flat, before: before, after: after}
}

// A Seen is what both sides have at one element.
type Seen struct {
	Before, After string // "undefined" where a side has no value
	Differ        bool
	Detail        string // the fault of the program, where it is at fault
}

// operands reads elements given as decimal strings.
func (p *Pair) operands(values map[string][]string) (operands, error) {
	in := operands{}
	for name, t := range p.tensors {
		texts, ok := values[name]
		if !ok || len(texts) != t.size() {
			return nil, fmt.Errorf("%s has %d elements, the file %d", name, t.size(), len(texts))
		}
		for i, text := range texts {
			v, err := value.ParseValue(text, value.Exact, t.elem)
			if err != nil {
				return nil, fmt.Errorf("element %d of %s: %w", i, name, err)
			}
			bits, _ := v.Bits()
			in[name] = append(in[name], bits)
		}
	}
	return in, nil
}

// offset returns the row-major offset of an element of the result.
func (p *Pair) offset(index []int64) (flat int, err error) {
	for i, n := range index {
		if len(index) != len(p.dims) || n < 0 || n >= int64(p.dims[i]) {
			return 0, fmt.Errorf("the result has dims %v and no element %v", p.dims, index)
		}
		flat = flat*p.dims[i] + int(n)
	}
	return flat, nil
}

// Replay runs both sides on elements given as decimal strings and compares an element.
func (p *Pair) Replay(values map[string][]string, index []int64) (*Seen, error) {
	in, err := p.operands(values)
	if err != nil {
		return nil, err
	}
	flat, err := p.offset(index)
	if err != nil {
		return nil, err
	}
	s := &Seen{Before: "undefined", After: "undefined"}
	e, err := p.evaluator(in)
	if err != nil {
		return nil, err
	}
	before, errBefore := e.Element(nil, index)
	if errBefore == nil {
		s.Before = before.String()
	} else if !errors.Is(errBefore, value.ErrUndefined) {
		return nil, errBefore
	}
	out, err := p.simulate(in)
	if err != nil {
		f, err := faultOf(err)
		if err != nil {
			return nil, err
		}
		s.Detail, s.Differ = f.Error(), errBefore == nil
		return s, nil
	}
	after := value.BitsValue(out[flat], elemOf(&p.task.Output))
	s.After = after.String()
	s.Differ = errBefore == nil && value.Compare(before, after) == value.Different
	return s, nil
}
