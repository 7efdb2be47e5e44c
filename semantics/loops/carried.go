package loops

import (
	"slices"

	"tv/semantics/domain"
)

// Carried returns a body in which what each iteration reads of a cell that the one before it wrote is carried in a scalar:
//
//	for (i = lo; i < hi; i++) b[i] = b[i-1] + x;   is   if (lo < hi) { s = b[lo-1]; for (...) { s = s + x; b[i] = s; } }
//
// Nothing else in the loop writes b, and nothing decides whether that statement is executed. A scalar that is updated is a fold, which
// has a closed form. The cell that the first iteration reads is read where there is one, so that accesses stay the same; each
// of the others is of what was just written. Where there is none the statements are those of the body.
func (p *Procedure) Carried(body []Stmt) []Stmt {
	if p.extentsCount() || !slices.ContainsFunc(body, mayCarry) {
		return body
	}
	body = copier{}.block(body)
	return carrier{PlacesOf(&Procedure{Body: body})}.block(body)
}

// mayCarry tells whether there is a statement in a loop in s that reads the array that it writes.
func mayCarry(s Stmt) bool {
	switch s := s.(type) {
	case *For:
		return slices.ContainsFunc(s.Body, func(t Stmt) bool {
			a, ok := t.(*Assign)
			return ok && len(readsOf(a.To.Buffer, a.Value)) > 0 && len(a.To.At) > 0 || mayCarry(t)
		})
	case *If:
		return slices.ContainsFunc(s.Then, mayCarry) || slices.ContainsFunc(s.Else, mayCarry)
	}
	return false
}

// readsOf lists the reads of a buffer in an element.
func readsOf(b *Buffer, e *Expr) (out []*Expr) {
	if e.Op == Read && e.From.Buffer == b {
		out = append(out, e)
	}
	for _, a := range e.Args {
		out = append(out, readsOf(b, a)...)
	}
	return out
}

// A carrier is the work on a body that is a copy.
type carrier struct{ places Places }

func (c carrier) block(list []Stmt) (out []Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *For:
			s.Body = c.block(s.Body)
			out = append(out, c.loop(s))
			continue
		case *If:
			s.Then, s.Else = c.block(s.Then), c.block(s.Else)
		}
		out = append(out, s)
	}
	return out
}

// loop carries what a loop reads of what it wrote.
func (c carrier) loop(f *For) Stmt {
	if f.Parallel != nil || f.Step.Op != Number || f.Step.N == 0 || len(f.Lo) != 1 {
		return f
	}
	var body, first []Stmt
	for k, s := range f.Body {
		a, ok := s.(*Assign)
		if !ok || !c.carries(f, k, a) {
			body = append(body, s)
			continue
		}
		scalar := Access{Buffer: &Buffer{Name: a.To.Buffer.Name + ", carried", Kind: Local, Elem: a.To.Buffer.Elem, Span: a.At}, Where: a.At}
		start := readsOf(a.To.Buffer, a.Value)[0].From
		start.At = copier{f: f.Lo[0]}.ints(start.At)
		first = append(first, &Alloc{Buffer: scalar.Buffer, At: a.At}, &Assign{To: scalar, Value: Element(start), At: a.At})
		body = append(body, &Assign{To: scalar, Value: carriedIn(scalar, a.To.Buffer, a.Value), At: a.At},
			&Assign{To: a.To, Value: Element(scalar), At: a.At})
	}
	if first == nil {
		return f
	}
	f.Body = body
	runs := &Cond{Op: All, At: f.At}
	for _, hi := range f.Hi {
		less := &Cond{Op: Less, A: f.Lo[0], B: hi, At: f.At}
		if f.Step.N < 0 {
			less.A, less.B = hi, f.Lo[0]
		}
		runs.Conds = append(runs.Conds, less)
	}
	return &If{Cond: runs, Then: append(first, f), At: f.At}
}

// carries tells whether all that a statement of a loop reads of the array that it writes is the cell that it wrote an iteration
// before, and no other statement of the loop writes that array.
func (c carrier) carries(f *For, number int, a *Assign) bool {
	b := a.To.Buffer
	reads := readsOf(b, a.Value)
	if len(a.To.At) == 0 || len(reads) == 0 || a.To.Number != nil {
		return false
	}
	for k, s := range f.Body {
		if k != number && begins(s, b) {
			return false
		}
	}
	back := map[string]domain.Size{}
	counter := c.places[f].Name
	back[counter] = domain.NamedSize(counter).Sub(domain.IntSize(f.Step.N))
	for _, r := range reads {
		if r.From.Number != nil {
			return false
		}
		moves := false // a cell that stays is updated, which is a fold as it is
		for axis, x := range a.To.At {
			to, ok := c.places.Size(x)
			from, too := c.places.Size(r.From.At[axis])
			if !ok || !too || !to.Subst(back).Equal(from) {
				return false
			}
			moves = moves || !to.Equal(from)
		}
		if !moves {
			return false
		}
	}
	return true
}

// begins tells whether a statement writes a buffer, or begins it.
func begins(s Stmt, b *Buffer) bool {
	within := func(t Stmt) bool { return begins(t, b) }
	switch s := s.(type) {
	case *Assign:
		return s.To.Buffer == b
	case *Alloc:
		return s.Buffer == b
	case *For:
		return slices.ContainsFunc(s.Body, within)
	case *If:
		return slices.ContainsFunc(s.Then, within) || slices.ContainsFunc(s.Else, within)
	case *When:
		return slices.ContainsFunc(s.Then, within) || slices.ContainsFunc(s.Else, within)
	}
	return false
}

// carriedIn is an element in which reads of a buffer are reads of a scalar.
func carriedIn(scalar Access, b *Buffer, e *Expr) *Expr {
	if e.Op == Read && e.From.Buffer == b {
		return Element(scalar)
	}
	out := *e
	out.Args = make([]*Expr, len(e.Args))
	for i, a := range e.Args {
		out.Args[i] = carriedIn(scalar, b, a)
	}
	return &out
}
