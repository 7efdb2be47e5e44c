package glenside

import (
	"fmt"
	"strings"

	"tv/internal/spelling"
	"tv/semantics/domain"
)

// notElemType says that a text is not the name of an element type, and which name it is near.
func notElemType(text string) string {
	names := domain.ElemNames() // int7 is nearer to int8 than to the other spelling of int32
	hint := "tv help arithmetic names them"
	if near := spelling.Nearest(text, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return fmt.Sprintf("%s is not an element type; %s", newWord(text, 0), hint)
}

// TypeKind is the kind of a value.
type TypeKind uint8

const (
	TypeAccess      TypeKind = iota // an access pattern: Dims, Split, Elem
	TypeTensor                      // a raw tensor: Dims, Elem; Split is 0
	TypeLiteral                     // a 0-dimensional literal
	TypeFloat                       // a decimal literal
	TypeInt                         // Int
	TypeShape                       // Dims
	TypeAccessShape                 // Dims, Split
	TypeList                        // Ints
	TypeTuple                       // Items
	TypeToken
)

// A Type is the type of a node. Dims are outermost first, access dims before compute dims; the access
// dims are Dims[:Split]. Types are immutable and may be shared.
type Type struct {
	Kind  TypeKind
	Dims  []domain.Size
	Split int
	Elem  domain.Elem
	Int   domain.Size
	Ints  []domain.Size
	Items []*Type
}

// Access returns the dims iterated over.
func (t *Type) Access() []domain.Size { return t.Dims[:t.Split] }

// Compute returns the dims of an item.
func (t *Type) Compute() []domain.Size { return t.Dims[t.Split:] }

// String prints "((2 3) (4)) int8", "(tuple ...)", "(shape 2 3)" and so on.
func (t *Type) String() string {
	var b strings.Builder
	t.write(&b)
	return b.String()
}

func (t *Type) write(b *strings.Builder) {
	switch t.Kind {
	case TypeAccess, TypeAccessShape:
		b.WriteByte('(')
		writeList(b, "", t.Access())
		b.WriteByte(' ')
		writeList(b, "", t.Compute())
		b.WriteByte(')')
		if t.Kind == TypeAccess {
			b.WriteByte(' ')
			b.WriteString(t.Elem.String())
		}
	case TypeTensor:
		writeList(b, "tensor", t.Dims)
		b.WriteByte(' ')
		b.WriteString(t.Elem.String())
	case TypeShape:
		writeList(b, "shape", t.Dims)
	case TypeList:
		writeList(b, "list", t.Ints)
	case TypeInt:
		b.WriteString(t.Int.String())
	case TypeTuple:
		b.WriteString("(tuple")
		for _, item := range t.Items {
			b.WriteByte(' ')
			item.write(b)
		}
		b.WriteByte(')')
	case TypeLiteral:
		b.WriteString("literal")
	case TypeFloat:
		b.WriteString("number")
	case TypeToken:
		b.WriteString("word")
	}
}

func writeList(b *strings.Builder, head string, list []domain.Size) {
	b.WriteByte('(')
	b.WriteString(head)
	for i, a := range list {
		if i > 0 || head != "" {
			b.WriteByte(' ')
		}
		b.WriteString(a.String())
	}
	b.WriteByte(')')
}

// A Cond is a condition on named sizes under which a node is well formed.
type Cond struct {
	Pred *domain.Pred
	Node *Node
	Code string // the error that its failure is: "window-too-long"
	Msg  string // its message, in terms of the program's sizes: "window 3 is longer than axis 0 (N)"
}

// A Typing holds the types of a program's nodes and the conditions under which they hold.
type Typing struct {
	Program *Program
	Types   []*Type         // by Node.ID
	Conds   []Cond          // in the order found; conditions without names are decided, not listed
	Tensors []domain.Tensor // the declared tensors that the program reads, in the order of first occurrence

	adopted map[*Node]bool // of literals alone
}

// Type returns the type of n.
func (t *Typing) Type(n *Node) *Type { return t.Types[n.ID] }

// Adopted tells whether n, a pattern made of literals alone, has its element type from its use: in another place the same
// text may have another type.
func (t *Typing) Adopted(n *Node) bool { return t.adopted[n] }

// Root returns the type of the program's expression.
func (t *Typing) Root() *Type { return t.Types[t.Program.Root.ID] }
