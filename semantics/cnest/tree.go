package cnest

import (
	"math/big"

	"tv/internal/source"
	"tv/semantics/loops"
)

// An expr is an expression as it is written. Parentheses leave nothing.
type expr struct {
	op   string // of the list below, or an operator of C: "-" with one of args or two, "++" and "--" on either side
	args []*expr
	name string   // of opName and opCall
	typ  ctype    // of opNumber and opCast
	num  *big.Rat // of opNumber
	span source.Span
	sym  *symbol     // of opName, when names are resolved
	call *instance   // of opCall of a function of the file, likewise
	said source.Span // of a call in a contract of requires or disjoint: where it stands, span being the place of the call
}

// What op says where it is no operator.
const (
	opName    = "name"
	opNumber  = "number"
	opSpecial = "special" // name is inf or nan
	opCall    = "call"
	opIndex   = "index" // args[0][args[1]]
	opCast    = "cast"
	opAddress = "address" // &args[0]
	opContent = "content" // *args[0]
)

// visit calls f for an expression and, where f says so, for its operands; arguments of calls are operands.
func (x *expr) visit(f func(*expr) bool) {
	if x == nil || !f(x) {
		return
	}
	for _, a := range x.args {
		a.visit(f)
	}
}

// typeOf is the type of an expression whose names are resolved.
func (x *expr) typeOf() ctype {
	switch x.op {
	case opName, opIndex, opContent:
		if name := x.base(); name != nil {
			return name.sym.typ
		}
	case opNumber, opSpecial, opCast:
		return x.typ
	case opCall:
		return x.calledType()
	case "?:":
		return usual(x.args[1].typeOf(), x.args[2].typeOf())
	case "<", "<=", ">", ">=", "==", "!=", "&&", "||", "!":
		return intType
	case "<<", ">>":
		return x.args[0].typeOf().promoted()
	}
	if len(x.args) == 2 {
		return usual(x.args[0].typeOf(), x.args[1].typeOf())
	}
	return x.args[0].typeOf().promoted()
}

// calledType is the type of what a call returns.
func (x *expr) calledType() ctype {
	_, double := mathFunctions[x.name]
	switch {
	case x.call != nil:
		return x.call.fn.typ
	case isIntrinsic(x.name):
		return usual(x.args[0].typeOf(), x.args[1].typeOf())
	case x.name == "abs":
		return intType
	case double:
		return doubleType
	}
	return floatType
}

// assigns tells whether an operator is an assignment, and the operator that it combines: "" of =.
func assigns(op string) (combined string, ok bool) {
	switch op {
	case "=":
		return "", true
	case "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=":
		return op[:len(op)-1], true
	case "++", "--":
		return op[:1], true
	}
	return "", false
}

// A stmt is a statement as it is written.
type stmt struct {
	op   stmtOp
	x    *expr   // of evaluates and returns, nil where there is none; the condition of decides, iterates and repeats
	init *stmt   // of iterates; nil: none
	step *expr   // of iterates; nil: none
	more []*expr // of iterates: what stands behind the step and a comma, until names are resolved
	// placed tells of iterates that the step is a statement of the body, and not done behind it.
	placed bool
	body   []*stmt        // of encloses, iterates and repeats, and of decides where x holds
	other  []*stmt        // of decides where x does not hold
	decls  []*declaration // of declares
	span   source.Span    // of a loop and a branch, the heading
}

type stmtOp uint8

const (
	evaluates stmtOp = iota // x, an assignment or a call
	encloses                // body
	declares
	iterates
	repeats // do, until names are resolved: body, and again while x
	forgets // x, a counter that a condition has changed
	decides // if
	returns // x
)

// A declaration is one of a parameter or a local.
type declaration struct {
	name     string
	typ      ctype
	array    bool    // or a pointer
	dims     []*expr // of an array; nil: not in the text, the first alone
	constant bool
	// restricted tells of restrict behind * or in the first brackets.
	restricted bool
	init       *initialiser
	span       source.Span
	sym        *symbol // when names are resolved
}

// An initialiser is a value or a list of them.
type initialiser struct {
	x    *expr
	list []*initialiser // where x is nil
	span source.Span
}

// A function is one of the file. Its body is read when it is asked for.
type function struct {
	name    string
	at      source.Span // of the name
	static  bool
	heading []token
	body    []token
	closing token           // the } behind the body
	calls   map[string]bool // names that are called, or may be

	read   bool
	typ    ctype
	params []*declaration
	stmts  []*stmt
	err    *source.Error // of heading or body
}

// A symbol is a parameter or a local of a function, or of one copy of a function that is called.
type symbol struct {
	*declaration
	param     bool    // of the function that is read: no copy's
	scalar    bool    // of an integer or a float type
	control   bool    // an integer of control
	soft      bool    // control, as far as one could see, and data if need be
	banned    bool    // data, though it looks like control
	sized     bool    // a parameter that is a size
	handed    bool    // a parameter of a function that is called
	gone      *symbol // how far a pointer has moved; nil of one that does not
	used      bool    // named somewhere but in its declaration
	stored    bool    // assigned somewhere but in its declaration
	assigned  []*expr
	dimension []*expr // dims with names resolved
}

// An instance is a copy of a function for a call.
type instance struct {
	fn     *function
	params []*symbol
	stmts  []*stmt
	ret    *expr // what it returns, nil: nothing
	writes bool  // it writes elements of arrays
	broken bool  // statements were refused, perhaps that which returns
	taken  bool  // of a contract: see contract.go
	ends   source.Span
}

// A view is how the elements of an array, or of a block of one, are accessed.
type view struct {
	buffer *loops.Buffer
	lead   []*loops.Int // subscripts that are fixed, of the first axes
	base   *loops.Int   // what is added to the first subscript after them; nil: 0
	flat   *loops.Int   // where the block starts among all elements, row by row; nil: the subscripts are the buffer's
	dims   []*loops.Int // of the view; nil: not known
	check  bool         // the dims are not the buffer's: they are asked of every access
}
