package recur

import (
	"slices"

	"tv/semantics/domain"
	"tv/semantics/loops"
)

// taken is what a branch on data does as assignments that are executed in any case, each of what it assigns or of what the cell
// holds. What is said of values is said of both: that nothing outside of an array is touched is not asked here. A condition of which
// something is written before the last of them is kept.
func (s *side) taken(w *loops.When) []loops.Stmt {
	if out, ok := s.whens[w]; ok {
		return out
	}
	both := func(cond *loops.Expr) (out []loops.Stmt) {
		not := &loops.Expr{Op: loops.BitNot, Elem: cond.Elem, Args: []*loops.Expr{cond}, At: w.At}
		return append(s.chosen(w.Then, w.Then, cond), s.chosen(w.Else, w.Else, not)...)
	}
	list := both(w.Cond)
	if stale(w.Cond, list) {
		to := loops.Access{Buffer: &loops.Buffer{Name: "condition", Kind: loops.Local, Elem: w.Cond.Elem, Span: w.At}, Where: w.At}
		list = append([]loops.Stmt{&loops.Alloc{Buffer: to.Buffer, At: w.At}, &loops.Assign{To: to, Value: w.Cond, At: w.At}},
			both(loops.Element(to))...)
	}
	s.whens[w] = list
	return list
}

// chosen are the assignments of a branch, of which the condition has a value in any case. What is declared in the branch nobody
// reads elsewhere, nor a scalar that is written first, before it is read, and accessed in the branch of the text alone.
func (s *side) chosen(branch, text []loops.Stmt, cond *loops.Expr) (out []loops.Stmt) {
	own := map[*loops.Buffer]bool{}
	for i, x := range branch {
		if a, ok := x.(*loops.Assign); ok && a.To.Buffer.Kind == loops.Local && len(a.To.Buffer.Dims) == 0 &&
			!readsOf(a.Value, a.To.Buffer) && accesses(branch[:i], a.To.Buffer) == 0 &&
			accesses(text, a.To.Buffer) == accesses(s.typed.Procedure.Body, a.To.Buffer) {
			own[a.To.Buffer] = true
		}
	}
	for _, x := range branch {
		switch x := x.(type) {
		case *loops.Alloc:
			own[x.Buffer] = true
			out = append(out, x)
		case *loops.Assign:
			a := *x
			if !own[x.To.Buffer] {
				a.Value = &loops.Expr{Op: loops.Choice, Elem: x.Value.Elem, Args: []*loops.Expr{cond, x.Value, loops.Element(x.To)}, At: x.At}
			}
			out = append(out, &a)
		case *loops.When:
			out = append(out, s.chosen(s.taken(x), text, cond)...)
		default:
			give(x.Span(), "a branch on data that holds more than assignments is not looked at")
		}
	}
	return out
}

// accesses counts those of a buffer.
func accesses(list []loops.Stmt, b *loops.Buffer) (n int) {
	var in func(e *loops.Expr)
	in = func(e *loops.Expr) {
		if e.Op == loops.Read && e.From.Buffer == b {
			n++
		}
		for _, a := range e.Args {
			in(a)
		}
	}
	for _, x := range list {
		switch x := x.(type) {
		case *loops.Assign:
			if in(x.Value); x.To.Buffer == b {
				n++
			}
		case *loops.For:
			n += accesses(x.Body, b)
		case *loops.If:
			n += accesses(x.Then, b) + accesses(x.Else, b)
		case *loops.When:
			in(x.Cond)
			n += accesses(x.Then, b) + accesses(x.Else, b)
		}
	}
	return n
}

// stale tells whether something that a condition reads is written before the last of some assignments.
func stale(cond *loops.Expr, list []loops.Stmt) bool {
	for _, x := range list[:max(len(list)-1, 0)] {
		if a, ok := x.(*loops.Assign); ok && readsOf(cond, a.To.Buffer) {
			return true
		}
	}
	return false
}

func readsOf(e *loops.Expr, b *loops.Buffer) bool {
	return e.Op == loops.Read && e.From.Buffer == b || slices.ContainsFunc(e.Args, func(a *loops.Expr) bool { return readsOf(a, b) })
}

// reads counts those of an element.
func reads(e *loops.Expr) (n int) {
	if e.Op == loops.Read {
		n++
	}
	for _, a := range e.Args {
		n += reads(a)
	}
	return n
}

// extreme tells of which two an element is the lesser or the greater one, of integers and, where laws hold, of real numbers; skipped
// are the reads of the condition that chooses one of them.
func extreme(e *loops.Expr, ordered bool) (op loops.Op, args []*loops.Expr, skipped int, ok bool) {
	if ordered {
		return 0, nil, 0, false
	}
	switch e.Op {
	case loops.Minimum, loops.MinNum:
		return loops.Minimum, e.Args, 0, true
	case loops.Maximum, loops.MaxNum:
		return loops.Maximum, e.Args, 0, true
	case loops.Choice:
		c, swap := e.Args[0], false
		for c.Op == loops.BitNot {
			c, swap = c.Args[0], !swap
		}
		if c.Op != loops.IsLess && c.Op != loops.IsLessEqual || e.Elem.Kind == domain.ElemBool {
			return 0, nil, 0, false
		}
		x, y := e.Args[1], e.Args[2]
		straight := c.Args[0].Same(x) && c.Args[1].Same(y)
		if !straight && !(c.Args[0].Same(y) && c.Args[1].Same(x)) {
			return 0, nil, 0, false
		}
		if op = loops.Maximum; straight != swap {
			op = loops.Minimum
		}
		return op, e.Args[1:], reads(c), true
	}
	return 0, nil, 0, false
}
