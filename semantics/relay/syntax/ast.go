package syntax

import (
	"strings"

	"tv/internal/source"
)

// A Module is a text that was read.
type Module struct {
	File     *source.File
	Version  string // of the header: "0.0.4", "0.0.5", or "" where there is none
	Entry    *Func
	Metadata *Metadata // nil: the text has none
	Warnings source.Errors
}

// A Func is a function of a text.
type Func struct {
	Name   string // of a global
	Params []*Param
	Attrs  []Attr
	Result *Type // nil: not said
	Body   *Expr
	At     source.Span
}

// Annotation returns the value of an attribute of a function that is a string, such as Composite.
func (f *Func) Annotation(name string) string {
	for _, a := range f.Attrs {
		if a.Name == name && a.Value.Kind == ValueString {
			return a.Value.Text
		}
	}
	return ""
}

// A Param is a parameter of a function.
type Param struct {
	Name string // without %
	Type *Type  // nil: not said
	At   source.Span

	of    *Func
	index int
}

// ExprKind sorts expressions.
type ExprKind uint8

const (
	ExprCall     ExprKind = iota // Name, the operator, applied to Args; Attrs, Meta
	ExprApply                    // Args[0], a function, applied to the others
	ExprParam                    // Param
	ExprNumber                   // Number
	ExprBool                     // Name
	ExprConstant                 // Meta, of the metadata
	ExprTuple                    // Args
	ExprItem                     // Index of Args[0]
	ExprFunc                     // Func
	ExprIf                       // Args: condition, then, else
	ExprOutside                  // something outside the subset, which is an error if the result reaches it: Name says what
)

// An Expr is an expression as it is written.
type Expr struct {
	Kind    ExprKind
	Name    string
	Args    []*Expr
	Attrs   []Attr
	Meta    *MetaRef
	Param   *Param
	Number  Number
	Index   int
	Func    *Func
	Binding string // the name that the text gives it, without %
	At      source.Span
	Note    *Type // that a comment tells, or nil
	NoteAt  source.Span

	of *Func // in whose body it stands
}

// A Number is one that is written in an expression or an attribute.
type Number struct {
	Text   string // with its sign, without a suffix
	Suffix string // "f", "f64", "i64", or ""
}

// A MetaRef is meta[Key][Index].
type MetaRef struct {
	Key   string
	Index int
	At    source.Span
}

// An Attr is NAME=VALUE.
type Attr struct {
	Name  string
	Value Value
	At    source.Span
}

// ValueKind sorts values of attributes.
type ValueKind uint8

const (
	ValueNone   ValueKind = iota
	ValueNumber           // Number
	ValueString           // Text
	ValueBool             // Bool
	ValueList             // List
	ValueMeta             // Meta
)

// A Value is that of an attribute.
type Value struct {
	Kind   ValueKind
	Number Number
	Text   string
	Bool   bool
	List   []Value
	Meta   *MetaRef
	At     source.Span
}

// String prints a value as Relay does.
func (v Value) String() string {
	switch v.Kind {
	case ValueNumber:
		return v.Number.Text + v.Number.Suffix
	case ValueString:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v.Text) + `"`
	case ValueBool:
		if v.Bool {
			return "True"
		}
		return "False"
	case ValueList:
		s := "["
		for i, x := range v.List {
			if i > 0 {
				s += ", "
			}
			s += x.String()
		}
		return s + "]"
	case ValueMeta:
		return v.Meta.String()
	}
	return "None"
}
