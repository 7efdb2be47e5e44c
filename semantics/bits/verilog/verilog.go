// Package verilog reads Verilog texts: modules of nets, instances, assignments, and of behaviour.
//
//	verilog.go    the syntax tree of netlists
//	behaviour.go  that of parameters, functions, blocks and statements
//	lexer.go      words, literals, comments and attributes
//	parser.go     Parse: modules, declarations, instances
//	statement.go  parameters, functions, blocks and statements
//	generate.go   items that are generated
//	expr.go       expressions
//	model.go      ReadModels: vendors' models of cells, one at a time
//	eval          the reference evaluator of behaviour, cycle by cycle on integers
//
// Names, widths and drivers are netlist's to judge; what the subset lacks is refused by name (unsupported).
package verilog

import (
	"math/big"

	"tv/internal/source"
)

// A File is a text: its modules in order.
type File struct {
	Source  *source.File
	Modules []*Module
}

// A Module is a module with its items in text order.
type Module struct {
	Name      string
	Span      source.Span
	Ports     []Name // in the order of the header
	Decls     []Decl
	Assigns   []Assign
	Instances []Instance
	Top       bool // attribute top

	Generates []*Generate
	Params    []Param
	Functions []*Function
	Always    []*Always
	Initial   []*Stmt
	Calls     map[string]int // how often functions are called, by name
	Behaves   bool           // it has any of these, a variable, or an expression that no netlist has
}

// A Name is a name at a place.
type Name struct {
	Text string
	Span source.Span
}

// A Direction says what a declaration declares.
type Direction uint8

const (
	Wire Direction = iota
	In
	Out
)

// A Decl declares a net or port. A port may be declared again as a wire.
type Decl struct {
	Name
	Dir      Direction
	Signed   bool
	Ranged   bool
	MSB, LSB int      // of the range; MSB may be the lesser
	Range    [2]*Expr // the range, where it is one of parameters; else nil
	Variable bool     // reg, logic, integer: it may be what statements assign
	Init     *Expr    // of a variable
}

// Width is the number of bits.
func (d *Decl) Width() int {
	if d.MSB < d.LSB {
		return d.LSB - d.MSB + 1
	}
	return d.MSB - d.LSB + 1
}

// An Assign drives Left.
type Assign struct {
	Left, Right *Expr
	Span        source.Span
}

// An Instance is a cell or module with named connections.
type Instance struct {
	Type, Name Name
	Params     []Connection
	Pins       []Connection
	Span       source.Span
}

// A Connection names a pin or parameter. A pin without Expr is open.
type Connection struct {
	Name
	Expr *Expr
}

// A Kind is a kind of expression.
type Kind uint8

const (
	Ident    Kind = iota // Name
	Literal              // Value, Width; Unsized: Width 32 or more
	String               // Text
	Select               // Args[0] is an Ident, bits Hi..Lo as written
	Concat               // Args, highest first
	Repeat               // Args[0] Count times, or, where there is one, Args[1] times
	Unary                // Op of Args[0]: - + ~ ! & | ^ ~& ~| ~^, $signed, $unsigned
	Binary               // Op of Args
	Cond                 // Args[0] ? Args[1] : Args[2]
	Index                // bit Args[1] of the Ident Args[0]
	Part                 // bits Args[1]..Args[2] of the Ident Args[0], as written, both constant
	PartUp               // Args[2] bits of the Ident Args[0], Args[1] the least of their indices (+:)
	PartDown             // likewise, Args[1] the greatest (-:)
	Call                 // the function Text of Args
	Open                 // any value of Width bits; no text of Verilog has it
)

// An Expr is an expression.
type Expr struct {
	Kind    Kind
	Span    source.Span
	Text    string // of Ident and String
	At      string // what Place is of an expression that stands in no text of Verilog; else empty
	Op      string
	Args    []*Expr
	Value   *big.Int
	Unknown *big.Int // bits of a literal that are x or z; nil: none
	Wild    *big.Int // of these those that are z
	Width   int
	Unsized bool
	Signed  bool // of a literal
	Hi, Lo  int
	Count   int
}
