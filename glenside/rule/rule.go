package rule

import (
	"math/big"

	"tv/glenside"
	"tv/internal/source"
	"tv/semantics/domain"
)

// A Rule says that wherever its left side is well formed and its guard holds, the right side may stand for it.
type Rule struct {
	Name   string
	Span   source.Span
	Vars   []*Var
	Dims   []string // sizes and groups that no variable's shape mentions
	Ints   []string
	Lists  []string
	Tokens []*TokenVar
	Where  []*Guard // all of them have to hold
	Equal  string   // "access", "tensor" or, where the rule says nothing, ""
	Arith  string   // "auto", "real", "exact" or ""
	Types  []domain.Elem
	LHS    *Expr
	RHS    *Expr
	Source string
	Doc    string
	Want   string // "proved", "refuted" or ""

	// Use says what a rewriter has to be allowed to do before it may apply the rule: some of Uses, ascending. It is no
	// part of what is asked of the rule.
	Use []string

	// WantWhereBoth is the verdict wanted of a refuted rule wherever both sides are well formed: "proved", "refuted",
	// "unknown" or "".
	WantWhereBoth string

	// Warnings are remarks on a rule that is legal, such as a variable that only the right side mentions.
	Warnings source.Errors

	names map[string]nameSort
	both  bool // see WhereBoth
}

// WhereBoth returns the rule that says less: it is about those instances alone in which the right side is well formed as
// well, and has the type of the left side. What the right side needs is then taken for granted like what the left side does.
func (r *Rule) WhereBoth() *Rule {
	weaker := *r
	weaker.both = true
	return &weaker
}

// Uses are what a rewriter may be allowed: machines without limits, joining and padding operands, and taking them apart.
var Uses = []string{"ideal", "join", "pad", "split"}

// A Var is a tensor variable: an access pattern whose dims are Access, then Compute.
type Var struct {
	Name            string
	Access, Compute []*Expr // integers and groups
	Elem            *domain.Elem
	Span            source.Span
}

// A TokenVar stands for one of several words.
type TokenVar struct {
	Name   string
	Tokens []string
}

// nameSort is what a name stands for.
type nameSort uint8

const (
	unbound nameSort = iota
	tensorName
	sizeName
	groupName
	intName
	listName
	tokenName
)

var nameSorts = [...]string{"nothing", "a tensor", "a size", "a group", "an integer", "a list", "a word"}

// Kind tells the sorts of expressions apart.
type Kind uint8

const (
	Call      Kind = iota // Op, or for a word that a variable stands for Text, applied to Args
	Tensor                // Text
	Int                   // Value
	IntName               // Text: a size or an integer
	IntOp                 // Text: + - * min max div mod rank size dim at
	ListName              // Text
	ListOp                // Text: list iota range append compose inverse
	Group                 // Text, in a shape
	Shape                 // Args: integers and groups
	ShapeOp               // Text: shape-of slice-shape shape-insert-axis shape-remove-axis
	AccessOf              // get-access-shape of Args[0]
	Access                // access-shape of Args[0], Args[1]
	Number                // Text: a decimal literal
	Token                 // Text
	TokenName             // Text
)

// An Expr is a node of a rule.
type Expr struct {
	Kind  Kind
	Text  string
	Op    *glenside.Op
	Value *big.Int
	Args  []*Expr
	Span  source.Span

	category glenside.Category // of a call whose operator is a TokenName
}

// Category is that of the operators that a call has whose operator is a word variable.
func (x *Expr) Category() glenside.Category { return x.category }

// A Guard is a condition: Op is one of = < <= divides permutation not and or. A comparison of lists has lists
// as A and B; permutation has a list and an integer.
type Guard struct {
	Op   string
	A, B *Expr
	Args []*Guard
	Span source.Span
}
