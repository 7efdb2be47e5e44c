package verilog

import (
	"fmt"

	"tv/internal/source"
)

// A Param is a parameter of a module. Without a type it has that of its value.
type Param struct {
	Name
	Local    bool // instances cannot change it
	Typed    bool
	Signed   bool
	MSB, LSB *Expr // of a typed one; nil: one bit, or, of an integer, 32
	Integer  bool
	Value    *Expr
}

// A Function computes a word from words, in no time.
type Function struct {
	Name
	Result Decl
	Inputs []Decl
	Locals []Decl
	Body   *Stmt
}

// An Always is a block that runs again and again: when what it reads changes, or at the rising edge of a clock.
type Always struct {
	Span  source.Span
	Clock *Expr   // nil: it is combinational
	Reads []*Expr // of a combinational one, where the text lists what it waits for; nil: all that it reads
	Comb  bool    // always_comb: it waits for what functions read, too
	Body  *Stmt
}

// A StmtKind is a kind of statement.
type StmtKind uint8

// The statements.
const (
	Null        StmtKind = iota
	Block                // Body in order
	If                   // Cond ? Then : Else; Else may be nil
	Case                 // Items by Cond
	For                  // Init; while Cond: Then, Step
	Blocking             // Left = Right
	NonBlocking          // Left <= Right
)

// A Stmt is a statement.
type Stmt struct {
	Kind        StmtKind
	Span        source.Span
	Cond        *Expr
	Left, Right *Expr
	Body        []*Stmt
	Then, Else  *Stmt
	Items       []CaseItem
	Wild        bool // of Case: bits of labels that are z or ? are not compared (casez)
	Init, Step  *Stmt
	Variable    *Decl // of For: declared there
}

// A CaseItem is what a Case does at one of its labels.
type CaseItem struct {
	Labels  []*Expr
	Default bool
	Body    *Stmt
}

// Behaves tells whether a text has what no netlist has: blocks, functions, parameters and the like.
func (f *File) Behaves() bool {
	for _, m := range f.Modules {
		if m.Behaves {
			return true
		}
	}
	return false
}

// Place is where an expression stands, by its operator, bracket or first character: what it leaves open has that in its name. No two that may
// leave something open have one place.
func (e *Expr) Place() string {
	at := e.Span
	if e.At.File != nil {
		at = e.At
	}
	p := at.Position()
	return fmt.Sprintf("%d:%d", p.Line, p.Col)
}
