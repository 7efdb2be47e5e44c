package syntax

import (
	"strings"

	"tv/semantics"
	"tv/semantics/domain"
)

// Kind is what a type is made with.
type Kind uint8

const (
	Scalar Kind = iota
	Index       // the integers that elements are counted with: no machine words
	Array       // Dim elements of type A
	Pair        // of A and B
	Func        // from A to B
	Var         // while types are inferred, and in the table of patterns
)

// class says what a variable stands for, each less than the one before.
type class uint8

const (
	anything class = iota
	data           // no functions
	number         // a scalar or an index
	integer
)

// A Type is one of an expression. Those of the core hold no variables.
type Type struct {
	Kind Kind
	Elem domain.Elem // of a scalar
	Data string      // the name of an element type of which nothing is known, not even arithmetic
	Dim  domain.Size // of an array, in sizes of the text
	A, B *Type

	name  string // of a variable in the table
	class class
	is    *Type // what a variable was found to be
}

func scalar(name string) *Type {
	e, ok := domain.ParseElem(name)
	if !ok {
		panic(name)
	}
	return &Type{Kind: Scalar, Elem: e}
}

var (
	indexType = &Type{Kind: Index}
	boolType  = scalar("bool")
	scalars   = map[string]*Type{"f16": scalar("float16"), "f32": scalar("float32"), "f64": scalar("float64"),
		"i8": scalar("int8"), "i16": scalar("int16"), "i32": scalar("int32"), "i64": scalar("int64"),
		"bool": boolType, "index": indexType}
	spelt = map[domain.Elem]string{}
)

func init() {
	for name, t := range scalars {
		if t.Kind == Scalar {
			spelt[t.Elem] = name
		}
	}
}

// ElemOf is the element type of a scalar. Where counting integers are returned they are int64.
func (t *Type) ElemOf() domain.Elem {
	if t.Kind == Index {
		return scalars["i64"].Elem
	}
	return t.Elem
}

// found is a type, or what the variable was found to be.
func (t *Type) found() *Type {
	for t.is != nil {
		t = t.is
	}
	return t
}

// String prints a type as it is written: N.(M + 1).f32.
func (t *Type) String() string {
	switch t = t.found(); t.Kind {
	case Scalar:
		if t.Data != "" {
			return t.Data
		}
		return spelt[t.Elem]
	case Index:
		return "index"
	case Array:
		return dimText(t.Dim) + "." + t.A.enclosed()
	case Pair:
		return "(" + t.A.String() + ", " + t.B.String() + ")"
	case Func:
		return t.A.enclosed() + " -> " + t.B.String()
	}
	return [...]string{"?", "data", "a number", "an integer"}[t.class]
}

// enclosed prints what stands before an arrow or behind a dim.
func (t *Type) enclosed() string {
	if t.found().Kind == Func {
		return "(" + t.String() + ")"
	}
	return t.String()
}

func dimText(s domain.Size) string {
	if s.Op() == domain.SizeName && strings.HasPrefix(s.Name(), "?") {
		return "?"
	}
	text := s.Formula()
	if s.Op() != domain.SizeConst && s.Op() != domain.SizeName {
		return "(" + text + ")"
	}
	return text
}

// result is a data type as that of a result, below some axes: an array of pairs is a pair of arrays.
func (t *Type) result(axes []domain.Size, under func(domain.Size) domain.Size) *semantics.Type {
	switch t.Kind {
	case Array:
		return t.A.result(append(axes[:len(axes):len(axes)], under(t.Dim)), under)
	case Pair:
		a, b := t.A.result(axes, under), t.B.result(axes, under)
		return &semantics.Type{Tuple: true, Items: []*semantics.Type{a, b}, Text: "(" + a.Text + ", " + b.Text + ")"}
	}
	var text strings.Builder
	for _, d := range axes {
		text.WriteString(dimText(d) + ".")
	}
	return &semantics.Type{Dims: axes, Elem: t.ElemOf(), Text: text.String() + t.String()}
}

// sizes calls f for the sizes in a type.
func (t *Type) sizes(f func(domain.Size)) {
	if t.Kind == Array {
		f(t.Dim)
	}
	for _, u := range []*Type{t.A, t.B} {
		if u != nil {
			u.sizes(f)
		}
	}
}
