package tc

import (
	"math/big"

	"tv/internal/source"
	"tv/semantics/domain"
)

// An expr is an expression as it is written. Parentheses leave nothing.
type expr struct {
	op     string // of the list below, or an operator: "-" with one of args or two
	args   []*expr
	name   string      // of opName, opExtent and opApply
	axis   int         // of opExtent
	num    *big.Rat    // of opNumber
	float  bool        // of opNumber: it has a point or an exponent
	typ    domain.Elem // of opCast
	span   source.Span
	weight int // how many nodes it has, those that are shared counted each time
}

// What op says where it is no operator.
const (
	opName   = "name"
	opNumber = "number"
	opExtent = "extent" // A.1
	opApply  = "apply"  // a read of a tensor or a call; min and max too
	opCast   = "cast"
)

// visit calls f for an expression and all in it, in the order of the text.
func (x *expr) visit(f func(*expr)) {
	f(x)
	for _, a := range x.args {
		a.visit(f)
	}
}

// A definition is one as it is written.
type definition struct {
	name    name
	params  []*param
	outs    []name
	stmts   []*stmt
	heading source.Span
}

// A name is a word at its place.
type name struct {
	text string
	span source.Span
}

// A param is an input. A dim is a name or a number.
type param struct {
	elem domain.Elem
	dims []*expr
	name name
	span source.Span
}

// A stmt is a statement.
type stmt struct {
	to      name
	indices []name
	left    source.Span // of the two
	op      string      // = += *= min= max=
	init    bool        // !
	value   *expr
	skipped source.Span // of <=> and what is behind it
	where   []*clause
	span    source.Span
}

// A clause is one behind where.
type clause struct {
	op   clauseOp
	name name  // of ranges and lets
	x, y *expr // of a range its bounds; of the others x
	span source.Span
}

type clauseOp uint8

const (
	ranges clauseOp = iota
	lets
	exists
)

// join is the place from one to another.
func join(a, b source.Span) source.Span { return source.Span{File: a.File, Start: a.Start, End: b.End} }
