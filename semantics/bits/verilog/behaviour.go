package verilog

import (
	"fmt"
	"strings"

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

// An Always is a block that runs again and again: when what it reads changes, or at an edge of a clock.
type Always struct {
	Span  source.Span
	Clock *Expr   // nil: it is combinational
	Reset *Expr   // an asynchronous reset, which Body, an If, asks for first; nil: there is none
	Low   bool    // it resets at 0
	Falls bool    // it waits for the falling edge of Clock
	Reads []*Expr // of a combinational one, where the text lists what it waits for; nil: all that it reads
	Comb  bool    // always_comb: it waits for what functions read, too
	Body  *Stmt
}

// Branches are what the block of a reset does, while it is active and at the edges of the clock while it is not.
func (a *Always) Branches() (reset, clocked *Stmt) {
	s := only(a.Body)
	return s.Then, s.Else
}

// only is a statement without blocks around it that have nothing else.
func only(s *Stmt) *Stmt {
	for s.Kind == Block && len(s.Body) == 1 && len(s.Locals) == 0 {
		s = s.Body[0]
	}
	return s
}

// asked tells of a condition that asks for the level of a name which these are: r, !r, ~r, r == 1'b0.
func asked(e *Expr) (name string, low, ok bool) {
	switch {
	case e.Kind == Ident:
		return e.Text, false, true
	case e.Kind == Unary && (e.Op == "!" || e.Op == "~"):
		name, low, ok = asked(e.Args[0])
		return name, !low, ok
	case e.Kind == Binary && (e.Op == "==" || e.Op == "!=") && e.Args[1].Kind == Literal && e.Args[1].Unknown == nil && e.Args[1].Value.BitLen() < 2:
		name, low, ok = asked(e.Args[0])
		return name, low != (e.Op == "==" && e.Args[1].Value.Sign() == 0 || e.Op == "!=" && e.Args[1].Value.Sign() != 0), ok && e.Args[0].Kind == Ident
	}
	return "", false, false
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
	Locals      []Decl // of Block
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

// Place is where an expression begins: what it leaves open has that in its name. What begins at one place is told apart by a mark for each
// operand inside it that begins there and may leave something open, too.
func (e *Expr) Place() string {
	if e.At != "" {
		return e.At
	}
	p := e.Span.Position()
	inner := 0
	for x := e; x.Kind == Binary || x.Kind == Cond; {
		if x = x.Args[0]; x.Span.Start == e.Span.Start && x.opens() {
			inner++
		}
	}
	return fmt.Sprintf("%d:%d%s", p.Line, p.Col, strings.Repeat("'", inner))
}

// Operand tells whether an expression is as wide as it stands, whatever it is compared with: a name, a part of one, or a concatenation.
func (e *Expr) Operand() bool {
	switch e.Kind {
	case Ident, Literal, Select, Concat, Repeat, Index, Part, PartUp, PartDown, Call:
		return true
	}
	return false
}

// opens tells whether an expression may leave something open itself.
func (e *Expr) opens() bool {
	switch e.Kind {
	case Index, PartUp, PartDown:
		return true
	case Binary:
		return e.Op == "/" || e.Op == "%" || e.Op == "**"
	}
	return false
}
