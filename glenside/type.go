package glenside

// ElemKind is the family of an element type.
type ElemKind uint8

const (
	ElemFloat    ElemKind = iota // IEEE-754 binary: Width 16, 32 or 64
	ElemInt                      // signed, wraps: Width 8, 16, 32 or 64
	ElemUint                     // unsigned, wraps
	ElemBool                     // Width 1
	ElemSat                      // signed, saturates: satN, Width 8, 16 or 32
	ElemFix                      // fixM.F: signed fixed point, M integer bits (sign included), F fraction bits; Width M+F, Frac F
	ElemAdaptive                 // adaptiveN.E: AdaptivFloat of N bits, E of them exponent; Width N, Frac E
)

// An ElemType is the type of an element of a tensor. It is comparable.
type ElemType struct {
	Kind  ElemKind
	Width int // bits
	Frac  int // fraction bits of ElemFix, exponent bits of ElemAdaptive, else 0
}

// Float32 is the element type of a tensor whose declaration names none.
var Float32 = ElemType{Kind: ElemFloat, Width: 32}

// ParseElemType reads "int8", "float32", "sat16", "fix6.14", "adaptive8.3"; "int" and "float" mean 32 bits.
func ParseElemType(s string) (ElemType, bool) { panic("stub") }

// String returns the canonical spelling.
func (t ElemType) String() string { panic("stub") }

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

// String prints "((2 3) (4)) int8", "(tuple ...)", "(shape 2 3)" and so on.
func (t *Type) String() string { panic("stub") }

// A Cond is a condition on named sizes under which a node is well formed.
type Cond struct {
	Pred *Pred
	Node *Node
	Code string // the error that its failure is: "window-too-long"
	Msg  string // the message that its failure is, in terms of the program's sizes: "window 3 is longer than axis 0 (N)"
}

// A Typing holds the types of a program's nodes and the conditions under which they hold.
type Typing struct {
	Program *Program
	Types   []*Type  // by Node.ID
	Conds   []Cond   // in the order found; conditions without names are decided, not listed
	Tensors []Tensor // the declared tensors that the program reads, in the order of first occurrence
}

// A Tensor is a declared input.
type Tensor struct {
	Name string
	Dims []Size
	Elem ElemType
}

// Type returns the type of n.
func (t *Typing) Type(n *Node) *Type { return t.Types[n.ID] }

// Root returns the type of the program's expression.
func (t *Typing) Root() *Type { return t.Types[t.Program.Root.ID] }

// Env holds the tensors that are declared, by files, --shapes and --input.
type Env struct {
	Tensors map[string]Tensor
	Mins    map[string]int64 // least value of each named size that a declaration uses: 1 unless declared
}

// Check types a program. Ranks, splits, element types and everything that depends on numbers alone are
// decided: a violation is an error. What depends on named sizes becomes a condition. Errors:
// source.Errors, the first in operand order.
func Check(p *Program, env *Env) (*Typing, error) { panic("stub") }

type checker struct{}
