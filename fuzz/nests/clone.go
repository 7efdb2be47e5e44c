package nests

import "slices"

// Clone returns a copy that shares nothing.
func (p *Program) Clone() *Program {
	q := &Program{Elem: p.Elem}
	c := copier{}
	for _, a := range p.Arrays {
		b := &Array{Name: a.Name, Dims: slices.Clone(a.Dims), Local: a.Local}
		c[a], q.Arrays = b, append(q.Arrays, b)
	}
	q.Body = c.stmts(p.Body)
	return q
}

// A copier says which array is the copy of which.
type copier map[*Array]*Array

func (c copier) stmts(list []Stmt) (out []Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *Assign:
			out = append(out, &Assign{c.access(s.To), c.expr(s.Value)})
		case *If:
			out = append(out, &If{affines(s.Cond), s.Equal, c.stmts(s.Then), c.stmts(s.Else)})
		case *Loop:
			l := &Loop{Name: s.Name, Lower: affines(s.Lower), Upper: affines(s.Upper), Step: s.Step, Body: c.stmts(s.Body)}
			if s.Carry != nil {
				l.Carry = &Carry{s.Carry.Op, c.expr(s.Carry.Init), c.expr(s.Carry.Term), c.access(s.Carry.To)}
			}
			out = append(out, l)
		}
	}
	return out
}

func (c copier) access(a Access) Access { return Access{c[a.Array], affines(a.At)} }

func (c copier) expr(e *Expr) *Expr {
	out := &Expr{Op: e.Op, Const: e.Const, Name: e.Name}
	if e.Op == "read" {
		out.Read = c.access(e.Read)
	}
	for _, a := range e.Args {
		out.Args = append(out.Args, c.expr(a))
	}
	return out
}

func affines(list []Affine) []Affine {
	out := slices.Clone(list)
	for i := range out {
		out[i].Terms = slices.Clone(out[i].Terms)
	}
	return out
}
