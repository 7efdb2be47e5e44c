package nests

import "slices"

// Smaller returns programs that have one thing less, those that lack more first. Each step makes a program smaller in an order
// without infinite descent, so that taking one again and again comes to an end. None names an element that its array does not
// have, also where that is never executed: it would be hard to believe that such a program is meant.
func (p *Program) Smaller() []*Program {
	var out []*Program
	for k := 0; ; k++ {
		q := p.Clone()
		list := (&editor{p: q}).edits()
		if k >= len(list) {
			return out
		}
		list[k]()
		if q.tidy(); q.plausible() {
			out = append(out, q)
		}
	}
}

// tidy removes arrays that nothing accesses.
func (p *Program) tidy() {
	used := map[*Array]bool{}
	p.accesses(func(a *Access, _ bool) { used[a.Array] = true })
	p.Arrays = slices.DeleteFunc(p.Arrays, func(a *Array) bool { return !used[a] })
}

// plausible tells whether each access by numbers lies in its array.
func (p *Program) plausible() bool {
	ok := true
	p.accesses(func(a *Access, _ bool) {
		for k, x := range a.At {
			n, constant := x.constant()
			dim := a.Array.Dims[k]
			ok = ok && (!constant || n >= 0 && (dim == 0 || n < dim))
		}
	})
	return ok
}

// An editor lists what may be left out of a program, in the same order of equal programs.
type editor struct {
	p    *Program
	list []func()
}

func (e *editor) add(f func()) { e.list = append(e.list, f) }

func (e *editor) edits() []func() {
	e.statements(&e.p.Body)
	e.declarations()
	visit(e.p.Body, func(s Stmt) {
		if l, ok := s.(*Loop); ok {
			e.loop(l)
		}
	})
	e.p.affines(e.affine)
	e.p.exprs(e.expr)
	return e.list
}

func (e *editor) statements(list *[]Stmt) {
	for i, s := range *list {
		e.add(func() { *list = slices.Delete(*list, i, i+1) })
		switch s := s.(type) {
		case *Loop:
			e.add(func() { e.unwrap(list, i, s) })
		case *If:
			e.add(func() { *list = slices.Replace(*list, i, i+1, s.Then...) })
			if len(s.Else) > 0 {
				e.add(func() { *list = slices.Replace(*list, i, i+1, s.Else...) })
			}
		}
	}
	for _, s := range *list {
		switch s := s.(type) {
		case *Loop:
			e.statements(&s.Body)
		case *If:
			e.statements(&s.Then)
			e.statements(&s.Else)
		}
	}
}

// unwrap puts the body of a loop in its place, for one value of the counter.
func (e *editor) unwrap(list *[]Stmt, i int, l *Loop) {
	e.drop(l)
	body := l.Body
	*list = slices.Delete(*list, i, i+1)
	e.substitute(body, l.Name, l.Lower[0])
	*list = slices.Insert(*list, i, body...)
}

// substitute puts an expression in the place of a counter.
func (e *editor) substitute(body []Stmt, name string, by Affine) {
	within := &Program{Body: body}
	within.affines(func(a *Affine) {
		for k := 0; k < len(a.Terms); k++ {
			t := a.Terms[k]
			if t.Name != name {
				continue
			}
			a.Terms = slices.Delete(a.Terms, k, k+1)
			a.Const += t.Coef * by.Const
			for _, u := range by.Terms {
				a.plus(u.Name, t.Coef*u.Coef)
			}
			k = -1
		}
	})
	within.exprs(func(x *Expr) {
		if x.Op == "counter" && x.Name == name {
			*x = Expr{Op: "const", Const: 1}
		}
	})
}

// plus adds a multiple of a name.
func (a *Affine) plus(name string, coef int) {
	for k := range a.Terms {
		if a.Terms[k].Name == name {
			if a.Terms[k].Coef += coef; a.Terms[k].Coef == 0 {
				a.Terms = slices.Delete(a.Terms, k, k+1)
			}
			return
		}
	}
	a.Terms = append(a.Terms, Term{name, coef})
}

// drop removes what goes round a loop.
func (e *editor) drop(l *Loop) {
	l.Carry = nil
	e.p.exprs(func(x *Expr) {
		if x.Op == "carried" && x.Name == l.Name {
			*x = Expr{Op: "const", Const: 1}
		}
	})
}

func (e *editor) loop(l *Loop) {
	if l.Carry != nil {
		e.add(func() { e.drop(l) })
	}
	if l.Step > 1 {
		e.add(func() { l.Step = 1 })
		if l.Step > 2 {
			e.add(func() { l.Step = 2 })
		}
	}
	for _, list := range []*[]Affine{&l.Lower, &l.Upper} {
		for i := range *list {
			if len(*list) > 1 {
				e.add(func() { *list = slices.Delete(*list, i, i+1) })
			}
		}
	}
	if n, ok := l.Lower[0].constant(); ok && n != 0 && len(l.Lower) == 1 {
		e.add(func() { l.Lower[0].Const = 0 })
	}
	if n, ok := l.Upper[0].constant(); ok && len(l.Upper) == 1 {
		for _, m := range []int{n / 2, n - 1} {
			if m >= 0 && m < n {
				e.add(func() { l.Upper[0].Const = m })
			}
		}
	}
}

func (e *editor) affine(a *Affine) {
	if a.Div != 0 || a.Mod != 0 {
		e.add(func() { a.Div, a.Mod = 0, 0 })
	}
	for k, t := range a.Terms {
		e.add(func() { a.Terms = slices.Delete(a.Terms, k, k+1) })
		if t.Coef > 1 {
			e.add(func() { a.Terms[k].Coef = 1 })
		}
	}
	if len(a.Terms) > 0 && a.Const != 0 {
		e.add(func() { a.Const = 0 })
		if a.Const > 1 {
			e.add(func() { a.Const-- })
		}
		if a.Const < -1 {
			e.add(func() { a.Const++ })
		}
	}
}

func (e *editor) expr(x *Expr) {
	for _, a := range x.Args {
		e.add(func() { *x = *a })
	}
	if x.Op != "const" {
		e.add(func() { *x = Expr{Op: "const", Const: 1} })
	} else if x.Const != 1 {
		e.add(func() { x.Const = 1 })
	}
}

// declarations makes arrays smaller, sizes numbers, and types common.
func (e *editor) declarations() {
	if e.p.Named() {
		for _, n := range []int{2, 4, 6} {
			e.add(func() { e.fix(n) })
		}
	}
	for _, a := range e.p.Arrays {
		if a.Local {
			e.add(func() { a.Local = false })
		}
		for k, d := range a.Dims {
			if len(a.Dims) > 1 {
				e.add(func() { e.flatten(a, k) })
			}
			for _, n := range []int{1, d / 2, d - 1} {
				if n > 0 && n < d {
					e.add(func() { a.Dims[k] = n })
				}
			}
		}
	}
	if e.p.Elem != "i32" {
		e.add(func() { e.p.Elem = "i32" })
	}
}

// fix gives the size a value.
func (e *editor) fix(n int) {
	for _, a := range e.p.Arrays {
		for k, d := range a.Dims {
			if d == 0 {
				a.Dims[k] = n
			}
		}
	}
	e.substitute(e.p.Body, size, Affine{Const: n})
}

// flatten removes an axis of an array.
func (e *editor) flatten(a *Array, axis int) {
	a.Dims = slices.Delete(a.Dims, axis, axis+1)
	e.p.accesses(func(x *Access, _ bool) {
		if x.Array == a {
			x.At = slices.Delete(x.At, axis, axis+1)
		}
	})
}
