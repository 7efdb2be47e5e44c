package loops

import (
	"slices"

	"tv/semantics/domain"
)

// Merged returns a body in which an if on data that assigns to the cell that its condition compares, and to no other, is an
// assignment of one of two values: if (m < x) m = x is m = max(m, x), and a loop of such is a fold. The cell is read in any
// case, so the assignment asks for no more than the if did. Where there is none the statements are those of the body.
func (p *Procedure) Merged(body []Stmt) []Stmt {
	if p.extentsCount() || !slices.ContainsFunc(body, mayMerge) {
		return body
	}
	body = copier{}.block(body)
	merge(body)
	return body
}

// mayMerge tells whether there is an if in s that is an assignment.
func mayMerge(s Stmt) bool {
	switch s := s.(type) {
	case *For:
		return slices.ContainsFunc(s.Body, mayMerge)
	case *If:
		return slices.ContainsFunc(s.Then, mayMerge) || slices.ContainsFunc(s.Else, mayMerge)
	case *When:
		return s.merged() != nil || slices.ContainsFunc(s.Then, mayMerge) || slices.ContainsFunc(s.Else, mayMerge)
	}
	return false
}

func merge(list []Stmt) {
	for i, s := range list {
		switch s := s.(type) {
		case *For:
			merge(s.Body)
		case *If:
			merge(s.Then)
			merge(s.Else)
		case *When:
			if a := s.merged(); a != nil {
				list[i] = a
				continue
			}
			merge(s.Then)
			merge(s.Else)
		}
	}
}

// merged is the assignment that w is, nil if it is none.
func (w *When) merged() *Assign {
	if len(w.Then) != 1 || len(w.Else) > 0 {
		return nil
	}
	a, ok := w.Then[0].(*Assign)
	if !ok {
		return nil
	}
	old := Element(a.To)
	switch w.Cond.Op {
	case IsLess, IsLessEqual, IsEqual, IsNotEqual:
	default:
		return nil
	}
	if !slices.ContainsFunc(w.Cond.Args, func(x *Expr) bool { y := x.Kept(old.Elem); return y != nil && old.Same(y) }) {
		return nil
	}
	out := &Expr{Op: Choice, Elem: old.Elem, Args: []*Expr{w.Cond, a.Value, old}, At: w.At}
	if op, ok := Extreme(w.Cond, a.Value, old); ok {
		out = &Expr{Op: op, Elem: old.Elem, Args: []*Expr{a.Value, old}, At: w.At}
	}
	return &Assign{To: a.To, Value: out, At: a.At}
}

// Extreme tells whether x where c holds, and else y, is the lesser or the greater one of two integers. (Of floats NaN is neither.)
func Extreme(c, x, y *Expr) (op Op, ok bool) {
	if c.Op != IsLess && c.Op != IsLessEqual || !IsInteger(x.Elem) {
		return 0, false
	}
	switch a, b := c.Args[0].Kept(x.Elem), c.Args[1].Kept(x.Elem); {
	case a == nil || b == nil:
		return 0, false
	case a.Same(x) && b.Same(y):
		return Minimum, true
	case a.Same(y) && b.Same(x):
		return Maximum, true
	}
	return 0, false
}

// IsInteger tells whether elements of a type are integers.
func IsInteger(t domain.Elem) bool { return t.Kind == domain.ElemInt || t.Kind == domain.ElemUint }

// Keeps tells whether each integer of a type is one of another.
func Keeps(from, to domain.Elem) bool {
	switch {
	case !IsInteger(from) || !IsInteger(to):
		return false
	case from.Kind == to.Kind:
		return from.Width <= to.Width
	}
	return from.Kind == domain.ElemUint && from.Width < to.Width
}

// Kept is an element as it was in a type, before it was made wider, which changes no integer and no order; nil of others.
func (e *Expr) Kept(t domain.Elem) *Expr {
	for e.Elem != t {
		if e.Op != Convert || !Keeps(e.Args[0].Elem, e.Elem) {
			return nil
		}
		e = e.Args[0]
	}
	return e
}
