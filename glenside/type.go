package glenside

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tv/internal/spelling"
)

// ElemKind is the family of an element type.
type ElemKind uint8

const (
	ElemFloat    ElemKind = iota // IEEE-754 binary: Width 16, 32 or 64
	ElemInt                      // signed, wraps: Width 8, 16, 32 or 64
	ElemUint                     // unsigned, wraps
	ElemBool                     // Width 1
	ElemSat                      // signed, saturates: satN, Width 8, 16 or 32
	ElemFix                      // fixM.F: signed, M integer bits with the sign, F fraction bits; Width M+F
	ElemAdaptive                 // adaptiveN.E: AdaptivFloat of N bits, E of them exponent; Width N
)

// An ElemType is the type of an element of a tensor. It is comparable. The zero value is no type.
type ElemType struct {
	Kind  ElemKind
	Width int // bits
	Frac  int // fraction bits of ElemFix, exponent bits of ElemAdaptive, else 0
}

// Float32 is the element type of a tensor whose declaration names none.
var Float32 = ElemType{Kind: ElemFloat, Width: 32}

var elemTypes = map[string]ElemType{
	"bool": {ElemBool, 1, 0},
	"int":  {ElemInt, 32, 0}, "int8": {ElemInt, 8, 0}, "int16": {ElemInt, 16, 0},
	"int32": {ElemInt, 32, 0}, "int64": {ElemInt, 64, 0},
	"uint": {ElemUint, 32, 0}, "uint8": {ElemUint, 8, 0}, "uint16": {ElemUint, 16, 0},
	"uint32": {ElemUint, 32, 0}, "uint64": {ElemUint, 64, 0},
	"float": {ElemFloat, 32, 0}, "float16": {ElemFloat, 16, 0}, "float32": {ElemFloat, 32, 0},
	"float64": {ElemFloat, 64, 0},
	"sat8":    {ElemSat, 8, 0}, "sat16": {ElemSat, 16, 0}, "sat32": {ElemSat, 32, 0},
}

// ParseElemType reads "int8", "float32", "sat16", "fix6.14", "adaptive8.3"; "int", "uint" and "float" mean
// 32 bits. Fixed point has 1 to 64 bits, at least one of them before the point; AdaptivFloat has 3 to 32
// bits, of which one is the sign and at least one the exponent.
func ParseElemType(s string) (ElemType, bool) {
	if t, ok := elemTypes[s]; ok {
		return t, true
	}
	if m, f, ok := dottedNumbers(s, "fix"); ok && m >= 1 && m+f <= 64 {
		return ElemType{ElemFix, m + f, f}, true
	}
	if n, e, ok := dottedNumbers(s, "adaptive"); ok && n >= 3 && n <= 32 && e >= 1 && e < n {
		return ElemType{ElemAdaptive, n, e}, true
	}
	return ElemType{}, false
}

// notElemType says that a text is not the name of an element type, and which name it is near.
func notElemType(text string) string {
	var names []string
	for name, t := range elemTypes {
		if name == t.String() { // int7 is nearer to int8 than to the other spelling of int32
			names = append(names, name)
		}
	}
	slices.Sort(names)
	hint := "tv help arithmetic names them"
	if near := spelling.Nearest(text, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return fmt.Sprintf("%s is not an element type; %s", newWord(text, 0), hint)
}

// dottedNumbers reads two numbers of at most two digits, without leading zeros: prefix, number, ".", number.
func dottedNumbers(s, prefix string) (a, b int, ok bool) {
	rest, ok := strings.CutPrefix(s, prefix)
	if !ok {
		return 0, 0, false
	}
	left, right, _ := strings.Cut(rest, ".")
	a, errA := strconv.Atoi(left)
	b, errB := strconv.Atoi(right)
	ok = errA == nil && errB == nil && len(rest) <= 5 && fmt.Sprintf("%d.%d", a, b) == rest && b >= 0
	return a, b, ok
}

// String returns the canonical spelling.
func (t ElemType) String() string {
	switch t.Kind {
	case ElemInt:
		return fmt.Sprintf("int%d", t.Width)
	case ElemUint:
		return fmt.Sprintf("uint%d", t.Width)
	case ElemBool:
		return "bool"
	case ElemSat:
		return fmt.Sprintf("sat%d", t.Width)
	case ElemFix:
		return fmt.Sprintf("fix%d.%d", t.Width-t.Frac, t.Frac)
	case ElemAdaptive:
		return fmt.Sprintf("adaptive%d.%d", t.Width, t.Frac)
	default:
		return fmt.Sprintf("float%d", t.Width)
	}
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
	Dims  []Size
	Split int
	Elem  ElemType
	Int   Size
	Ints  []Size
	Items []*Type
}

// Access returns the dims iterated over.
func (t *Type) Access() []Size { return t.Dims[:t.Split] }

// Compute returns the dims of an item.
func (t *Type) Compute() []Size { return t.Dims[t.Split:] }

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
		t.Int.write(b)
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

func writeList(b *strings.Builder, head string, list []Size) {
	b.WriteByte('(')
	b.WriteString(head)
	for i, a := range list {
		if i > 0 || head != "" {
			b.WriteByte(' ')
		}
		a.write(b)
	}
	b.WriteByte(')')
}

// A Cond is a condition on named sizes under which a node is well formed.
type Cond struct {
	Pred *Pred
	Node *Node
	Code string // the error that its failure is: "window-too-long"
	Msg  string // its message, in terms of the program's sizes: "window 3 is longer than axis 0 (N)"
}

// A Typing holds the types of a program's nodes and the conditions under which they hold.
type Typing struct {
	Program *Program
	Types   []*Type  // by Node.ID
	Conds   []Cond   // in the order found; conditions without names are decided, not listed
	Tensors []Tensor // the declared tensors that the program reads, in the order of first occurrence

	adopted map[*Node]bool // of literals alone
}

// A Tensor is a declared input.
type Tensor struct {
	Name string
	Dims []Size
	Elem ElemType
}

// Type returns the type of n.
func (t *Typing) Type(n *Node) *Type { return t.Types[n.ID] }

// Adopted tells whether n, a pattern made of literals alone, has its element type from its use: in another place the same
// text may have another type.
func (t *Typing) Adopted(n *Node) bool { return t.adopted[n] }

// Root returns the type of the program's expression.
func (t *Typing) Root() *Type { return t.Types[t.Program.Root.ID] }

// Env holds the tensors that are declared, by files, --shapes and --input.
type Env struct {
	Tensors map[string]Tensor
	Mins    map[string]int64 // least value of each named size that a declaration uses: 1 unless declared
}
