package glenside

// An Op is a row of the operator table, which drives the parser, the shape rules, the lowering and
// doc/operators.md.
type Op struct {
	Name     string   // Glenside's token: "access-windows", "dot-product", "relay-add"
	Aliases  []string // other spellings accepted: the paper's, and what Glenside prints but cannot read
	Category Category
	Operands []Operand
	Shapes   string // operand and result shapes, for the reference
	Meaning  string // element formula, for the reference
	Example  string // a complete small program, for the reference; a test parses, types and evaluates it

	typ func(*checker, *Node, []*Type) (*Type, error)
}

// Category says how a call is spelt.
type Category uint8

const (
	CatCore        Category = iota // (access-windows ...)
	CatCompute                     // (compute dot-product ...)
	CatHardware                    // (systolic-array ...)
	CatRelay                       // (relay-operator-call relay-add ...)
	CatAccelerator                 // (accelerator-call flex-linear ...)
)

// An Operand describes one operand of an operator.
type Operand struct {
	Name     string
	Sort     Sort
	Optional bool // may be left out (and so may all that follow)
	Variadic bool // the last one: any number
}

// Sort is the sort of an operand.
type Sort uint8

const (
	SortAccess      Sort = iota // an access pattern; in the paper's spelling a tensor name too
	SortTensor                  // a raw tensor
	SortInt                     // an integer or a size expression; negative only where the operator says so
	SortShape                   // a list of sizes
	SortAccessShape             // two shapes, or any access pattern
	SortList                    // a list of integers
	SortFloat                   // a decimal literal, or an integer where one is meant
	SortLiteral                 // a (literal F)
	SortTuple
	SortToken // a word, one of those that the operator knows
	SortAny
)

// Ops returns the operator table in the order of the reference. It must not be changed.
func Ops() []*Op { panic("stub") }

// LookupOp returns the operator with the given canonical name, or nil.
func LookupOp(name string) *Op { panic("stub") }
