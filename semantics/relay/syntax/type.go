package syntax

import (
	"fmt"
	"slices"
	"strings"

	"tv/semantics/domain"
)

// TypeKind sorts types.
type TypeKind uint8

const (
	TypeTensor   TypeKind = iota // Dims, Elem
	TypeTuple                    // Items
	TypeFunction                 // nothing more is known of it
	TypeNamed                    // of a type definition, or a variable: Name
)

// A Type is that of an expression.
type Type struct {
	Kind  TypeKind
	Dims  []int64 // of a tensor, one that is not known is Open
	Elem  domain.Elem
	Items []*Type
	Name  string
}

// Open is a dim that the text leaves open: "?".
const Open = -1

// Tensor returns the type of a tensor.
func Tensor(elem domain.Elem, dims ...int64) *Type { return &Type{Dims: dims, Elem: elem} }

// String prints a type as Relay does.
func (t *Type) String() string {
	var b strings.Builder
	switch t.Kind {
	case TypeTensor:
		if len(t.Dims) == 0 {
			return t.Elem.String()
		}
		b.WriteString("Tensor[(")
		for i, d := range t.Dims {
			if i > 0 {
				b.WriteString(", ")
			}
			if d == Open {
				b.WriteString("?")
			} else {
				fmt.Fprint(&b, d)
			}
		}
		if len(t.Dims) == 1 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "), %s]", t.Elem)
	case TypeTuple:
		b.WriteString("(")
		for i, item := range t.Items {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(item.String())
		}
		if len(t.Items) == 1 {
			b.WriteString(",")
		}
		b.WriteString(")")
	case TypeFunction:
		return "a function"
	default:
		return t.Name
	}
	return b.String()
}

// Equal compares types.
func (t *Type) Equal(u *Type) bool {
	return t.Kind == u.Kind && t.Name == u.Name && t.Elem == u.Elem && slices.Equal(t.Dims, u.Dims) &&
		slices.EqualFunc(t.Items, u.Items, (*Type).Equal)
}

// open tells whether a dim is left open.
func (t *Type) open() bool {
	return slices.Contains(t.Dims, Open) || slices.ContainsFunc(t.Items, (*Type).open)
}

// Leaves lists the tensors of a type from left to right.
func (t *Type) Leaves() (list []*Type) {
	if t.Kind != TypeTuple {
		return []*Type{t}
	}
	for _, item := range t.Items {
		list = append(list, item.Leaves()...)
	}
	return list
}
