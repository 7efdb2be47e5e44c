package domain

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tv/internal/source"
)

// An Input is the declaration of a tensor: (input NAME (shape DIM...) [TYPE]).
type Input struct {
	Name string
	Dims []Dim
	Elem Elem // Float32 where the declaration says nothing
	Span source.Span
	// Unsized tells of one of a text that does not say how many places axis 0 has: its dim is a name of its own, and stands
	// for what a declaration from outside says.
	Unsized bool
}

// A Dim is the size of an axis of an input. Min is its least value: 1 for named sizes unless
// declared as (NAME 0); 0 for numbers.
type Dim struct {
	Size Size
	Min  int64
}

// An Assume is a condition on named sizes, legal in BEFORE only.
type Assume struct {
	Pred *Pred
	Span source.Span
}

// A Tensor is a declared input.
type Tensor struct {
	Name string
	Dims []Size
	Elem Elem
}

// Env holds the tensors that are declared, by files, --shapes and --input.
type Env struct {
	Tensors map[string]Tensor
	Mins    map[string]int64 // least value of each named size that a declaration uses: 1 unless declared

	// Of a program whose own names are others: what it calls a tensor or a size, and what that is here. What is missing is
	// called the same.
	Names map[string]string
	Sizes map[string]Size
}

// Equal tells whether programs have the same types under both.
func (e *Env) Equal(f *Env) bool {
	return e == f || maps.EqualFunc(e.Tensors, f.Tensors, Tensor.equal) && maps.Equal(e.Mins, f.Mins) &&
		maps.Equal(e.Names, f.Names) && maps.EqualFunc(e.Sizes, f.Sizes, Size.Equal)
}

func (t Tensor) equal(u Tensor) bool {
	return t.Name == u.Name && t.Elem == u.Elem && slices.EqualFunc(t.Dims, u.Dims, Size.Equal)
}

// Tensor returns what a program calls by a name.
func (e *Env) Tensor(name string) Tensor {
	if other, ok := e.Names[name]; ok {
		name = other
	}
	return e.Tensors[name]
}

// Size returns a size of a program as the sizes here.
func (e *Env) Size(s Size) Size {
	if len(e.Sizes) == 0 {
		return s
	}
	return s.Subst(e.Sizes)
}

// Declarations are what a text says of tensors and sizes, and the sizes that it names.
type Declarations struct {
	Inputs  []*Input
	Assumes []*Assume
	Sizes   []SizeUse // each name once, where it is used first
}

// A SizeUse is a place at which a text names a size.
type SizeUse struct {
	Name string
	Span source.Span
}

// Merge unites the declarations of programs that are compared, the first of which is BEFORE, with those from outside. The
// first program's and the outside ones may repeat each other; those of a later program must repeat them: BEFORE sets the
// domain. With no declaration anywhere the result has no tensors.
//
// Errors: source.Errors. input-conflict: a tensor with two shapes, element types or least values, or declared by a later
// program only. size-unbound: an unsized tensor that nobody else declares. assume-in-after: an assume in a later program.
// unknown-size: a later program names a size that neither the first program nor a declaration does.
func Merge(programs []Declarations, outside ...Input) (*Env, error) {
	m := merger{
		env:   &Env{Tensors: map[string]Tensor{}, Mins: map[string]int64{}},
		first: map[string]*Input{},
	}
	for i := range outside {
		m.add(&outside[i], false)
	}
	for i := range programs {
		for _, in := range programs[i].Inputs {
			m.add(in, i > 0)
		}
		if i > 0 {
			m.later(&programs[i], &programs[0])
		}
	}
	if len(m.errs) > 0 {
		return nil, m.errs
	}
	return m.env, nil
}

type merger struct {
	env   *Env
	first map[string]*Input // the first declaration of each tensor
	errs  source.Errors
}

func (m *merger) errorf(span source.Span, code, format string, args ...any) {
	m.errs = append(m.errs, source.Errorf(span, code, format, args...))
}

// add adds a declaration; later says that it is not of the program that sets the domain.
func (m *merger) add(in *Input, later bool) {
	other := m.first[in.Name]
	switch {
	case in.Unsized:
		m.sized(in, other)
		return
	case other == nil && later:
		m.errorf(in.Span, "input-conflict", "%s is declared here and not in the program before, which "+
			"sets the domain", in.Name)
	case other == nil:
		m.first[in.Name] = in
		m.env.Tensors[in.Name] = in.Tensor()
	case !in.sameType(other):
		m.errorf(in.Span, "input-conflict", "%s is declared as %s, but as %s at %s",
			in.Name, in.describe(), other.describe(), other.Span.Position())
	}
	for _, d := range in.Dims {
		name := d.Size.Name()
		least, ok := m.env.Mins[name]
		switch {
		case name == "":
		case later && ok && d.Min < least:
			m.errorf(in.Span, "input-conflict", "%s may be %d here, but is at least %d in the program "+
				"before", name, d.Min, least)
		case !later && (!ok || d.Min < least):
			m.env.Mins[name] = d.Min
		}
	}
}

// unboundSize is a code that other packages have as well.
const unboundSize = "size-unbound"

// sized finds out how many places axis 0 of an unsized tensor has: what is declared from outside says it.
func (m *merger) sized(in, other *Input) {
	rest := func(x *Input) []Dim { return x.Dims[min(1, len(x.Dims)):] }
	same := func(x, y Dim) bool { return x.Size.Equal(y.Size) }
	switch {
	case other == nil:
		m.errorf(in.Span, unboundSize, "the text does not say how many elements %s has: say so with --input, as in "+
			"--input %s=%s:%s", in.Name, in.Name, in.example(), in.Elem)
		return
	case in.Elem != other.Elem || len(in.Dims) != len(other.Dims) || !slices.EqualFunc(rest(in), rest(other), same):
		m.errorf(in.Span, "input-conflict", "%s has %s here, but is declared as %s at %s", in.Name, in.missing(),
			other.describe(), other.Span.Position())
		return
	}
	if m.env.Sizes == nil {
		m.env.Sizes = map[string]Size{}
	}
	m.env.Sizes[in.Dims[0].Size.Name()] = other.Dims[0].Size
}

// example is what a declaration of an unsized tensor may say of its dims.
func (in *Input) example() string {
	if len(in.Dims) == 1 {
		return "N*K"
	}
	text := "N"
	for _, d := range in.Dims[1:] {
		text += "," + d.Size.Formula()
	}
	return text
}

// missing says what is known of an unsized tensor.
func (in *Input) missing() string {
	if len(in.Dims) == 1 {
		return "one dim, of " + in.Elem.String()
	}
	var dims []string
	for _, d := range in.Dims[1:] {
		dims = append(dims, d.Size.Formula())
	}
	return fmt.Sprintf("%d dims, the last of which are (%s), of %s", len(in.Dims), strings.Join(dims, ", "), in.Elem)
}

// Tensor returns the tensor that is declared.
func (in *Input) Tensor() Tensor {
	t := Tensor{Name: in.Name, Dims: make([]Size, len(in.Dims)), Elem: in.Elem}
	for i, d := range in.Dims {
		t.Dims[i] = d.Size
	}
	return t
}

func (in *Input) sameType(other *Input) bool {
	if len(in.Dims) != len(other.Dims) || in.Elem != other.Elem {
		return false
	}
	for i, d := range in.Dims {
		if !d.Size.Equal(other.Dims[i].Size) {
			return false
		}
	}
	return true
}

// describe prints the dims and the element type: "(32 N) int8".
func (in *Input) describe() string {
	var b strings.Builder
	b.WriteByte('(')
	for i, d := range in.Dims {
		if i > 0 {
			b.WriteByte(' ')
		}
		d.Size.write(&b)
	}
	return b.String() + ") " + in.Elem.String()
}

// later checks what a program may not do that does not set the domain.
func (m *merger) later(p, before *Declarations) {
	for _, a := range p.Assumes {
		m.errorf(a.Span, "assume-in-after", "only the program before may assume; nothing that the one "+
			"after needs is assumed")
	}
	known := map[string]bool{}
	for name := range m.env.Mins {
		known[name] = true
	}
	for _, t := range m.env.Tensors {
		for _, d := range t.Dims { // a dim may be an expression over names
			d.addNames(known)
		}
	}
	for _, u := range before.Sizes {
		known[u.Name] = true
	}
	for _, a := range before.Assumes {
		a.Pred.addNames(known)
	}
	for _, u := range p.Sizes {
		if !known[u.Name] {
			m.errorf(u.Span, "unknown-size", "the size %s occurs neither in the program before nor in a declaration", u.Name)
		}
	}
}
