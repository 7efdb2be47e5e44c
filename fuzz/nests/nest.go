// Package nests draws small programs of loops over memory, of the kind that passes over loops get wrong: a few loops one
// after the other over small buffers that they write in place, with halos, steps, bounds that make a loop not run, buffers
// that only the program knows. It writes them in MLIR and in C, and makes them smaller.
//
//	nest.go     programs
//	draw.go     random ones; bounds.go loops and subscripts of them
//	mlir.go     in MLIR
//	c.go        in C
//	shrink.go   smaller ones; clone.go copies
//	features.go what is in a program
package nests

// A Program is a function over arrays of one element type.
type Program struct {
	Elem   string // i8, i32, i64 or f32
	Arrays []*Array
	Body   []Stmt
}

// An Array is a parameter, or a local that is not defined at first.
type Array struct {
	Name  string
	Dims  []int // extents; 0 stands for the size n
	Local bool
}

// A Stmt is a *Loop, an *Assign or an *If.
type Stmt interface{ isStmt() }

// A Loop runs from the greatest of its lower bounds to below the least of its upper ones.
type Loop struct {
	Name         string
	Lower, Upper []Affine
	Step         int
	Body         []Stmt
	Carry        *Carry
}

// A Carry is a value that goes round a loop: it is Init at first, after each iteration Op of itself and Term, and To holds
// it in the end. Where the loop's body uses it, an Expr with Op "carried" stands for it.
type Carry struct {
	Op         string
	Init, Term *Expr // Term is computed at the end of the body
	To         Access
}

// An Assign writes an element.
type Assign struct {
	To    Access
	Value *Expr
}

// An If executes Then where all conditions are at least 0, or all 0 with Equal, and Else elsewhere.
type If struct {
	Cond       []Affine
	Equal      bool
	Then, Else []Stmt
}

func (*Loop) isStmt()   {}
func (*Assign) isStmt() {}
func (*If) isStmt()     {}

// An Access is an element of an array.
type Access struct {
	Array *Array
	At    []Affine
}

// An Affine is a linear expression of counters and the size n, divided by Div or modulo Mod where these are not 0.
type Affine struct {
	Terms    []Term
	Const    int
	Div, Mod int
}

// A Term is a multiple of a counter, or of the size "n".
type Term struct {
	Name string
	Coef int
}

// An Expr is an element that is computed: Op is "read", "const", "counter", "carried" or an operation on Args.
type Expr struct {
	Op    string
	Args  []*Expr
	Read  Access
	Const int64
	Name  string // of a counter, or of the loop that carries a value
}

// size is the name of the one size that has a name.
const size = "n"

// Named tells whether a program has the size n.
func (p *Program) Named() bool {
	named := false
	for _, a := range p.Arrays {
		for _, d := range a.Dims {
			named = named || d == 0
		}
	}
	p.affines(func(a *Affine) {
		for _, t := range a.Terms {
			named = named || t.Name == size
		}
	})
	return named
}

// constant tells whether an expression is a number, and which.
func (a Affine) constant() (int, bool) { return a.Const, len(a.Terms) == 0 && a.Div == 0 && a.Mod == 0 }

// visit calls f for each statement, outer ones first.
func visit(list []Stmt, f func(Stmt)) {
	for _, s := range list {
		f(s)
		switch s := s.(type) {
		case *Loop:
			visit(s.Body, f)
		case *If:
			visit(s.Then, f)
			visit(s.Else, f)
		}
	}
}

// exprs calls f for each expression of elements, with what it stands in last.
func (p *Program) exprs(f func(*Expr)) {
	var within func(*Expr)
	within = func(e *Expr) {
		f(e)
		for _, a := range e.Args {
			within(a)
		}
	}
	visit(p.Body, func(s Stmt) {
		switch s := s.(type) {
		case *Assign:
			within(s.Value)
		case *Loop:
			if s.Carry != nil {
				within(s.Carry.Init)
				within(s.Carry.Term)
			}
		}
	})
}

// accesses calls f for each access, those that write among them.
func (p *Program) accesses(f func(a *Access, writes bool)) {
	visit(p.Body, func(s Stmt) {
		switch s := s.(type) {
		case *Assign:
			f(&s.To, true)
		case *Loop:
			if s.Carry != nil {
				f(&s.Carry.To, true)
			}
		}
	})
	p.exprs(func(e *Expr) {
		if e.Op == "read" {
			f(&e.Read, false)
		}
	})
}

// affines calls f for each bound, condition and subscript.
func (p *Program) affines(f func(*Affine)) {
	each := func(list []Affine) {
		for i := range list {
			f(&list[i])
		}
	}
	visit(p.Body, func(s Stmt) {
		switch s := s.(type) {
		case *Loop:
			each(s.Lower)
			each(s.Upper)
		case *If:
			each(s.Cond)
		}
	})
	p.accesses(func(a *Access, _ bool) { each(a.At) })
}
