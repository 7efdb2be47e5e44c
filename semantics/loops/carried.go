package loops

import (
	"slices"

	"tv/semantics/domain"
)

// Carried returns a body in which what each iteration reads of a cell that the one before it wrote is carried in a scalar:
//
//	for (i = lo; i < hi; i++) b[i] = b[i-1] + x;   is   if (lo < hi) { s = b[lo-1]; for (...) { s = s + x; b[i] = s; } }
//
// Nothing else in the loop writes b, and nothing decides whether that statement is executed; x may read b[i], as b[i] += b[i-1] does. A scalar that is updated is a fold, which
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
			if around := c.inside(s); around != nil {
				around[len(around)-1].Body = []Stmt{c.loop(s)}
				out = append(out, around[0])
			} else {
				out = append(out, c.loop(s))
			}
			continue
		case *If:
			s.Then, s.Else = c.block(s.Then), c.block(s.Else)
		}
		out = append(out, s)
	}
	return out
}

// inside finds that the iterations of a loop may be the innermost of a nest, as nothing orders those of the loops in it: of
//
//	for (i = ...) for (j = ...) b[i][j] = b[i-1][j] + x;
//
// each iteration writes a cell of its own, and reads of b what another i wrote at the same j. So it is a fold for each j, and carried.
// It returns the loops around, and leaves f with the statement; nil where there is another order to keep.
func (c carrier) inside(f *For) (around []*For) {
	body := f.Body
	for len(body) == 1 {
		g, ok := body[0].(*For)
		if !ok {
			break
		}
		ofF := func(x *Int) bool { return x.Op == Counter && x.Loop == f }
		turns := func(x *Int) bool { return x.Mentions(ofF) }
		if g.Parallel != nil || g.Step.Op != Number || slices.ContainsFunc(g.Lo, turns) || slices.ContainsFunc(g.Hi, turns) {
			return nil
		}
		around, body = append(around, g), g.Body
	}
	if len(around) == 0 || len(body) != 1 || f.Parallel != nil || f.Step.Op != Number || len(f.Lo) != 1 {
		return nil
	}
	a, ok := body[0].(*Assign)
	if !ok || !c.carriesIn(f, a) || !c.apart(a, append([]*For{f}, around...)) {
		return nil
	}
	f.Body = body
	return around
}

// apart tells whether a statement writes a cell of its own in each iteration of some loops: there is a subscript for each counter,
// which it moves by 1 or -1, and no other of them at all.
func (c carrier) apart(a *Assign, nest []*For) bool {
	var names []string
	for _, f := range nest {
		names = append(names, c.places[f].Name)
	}
	free := func(x domain.Size) bool {
		return !slices.ContainsFunc(x.Names(), func(n string) bool { return slices.Contains(names, n) })
	}
	for _, n := range names {
		if !slices.ContainsFunc(a.To.At, func(x *Int) bool {
			at, ok := c.places.Size(x)
			return ok && (free(at.Sub(domain.NamedSize(n))) || free(at.Add(domain.NamedSize(n))))
		}) {
			return false
		}
	}
	return true
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
		reads := readsOf(a.To.Buffer, a.Value)
		start := reads[slices.IndexFunc(reads, func(r *Expr) bool { return c.ahead(f, a, r) })].From
		start.At = copier{f: f.Lo[0]}.ints(start.At)
		first = append(first, &Alloc{Buffer: scalar.Buffer, At: a.At}, &Assign{To: scalar, Value: Element(start), At: a.At})
		body = append(body, &Assign{To: scalar, Value: c.carriedIn(f, a, scalar, a.Value), At: a.At},
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
// before, which it reads, and the cell that it writes, and no other statement of the loop writes that array.
func (c carrier) carries(f *For, number int, a *Assign) bool {
	for k, s := range f.Body {
		if k != number && begins(s, a.To.Buffer) {
			return false
		}
	}
	return c.carriesIn(f, a)
}

// carriesIn is carries of a statement that alone writes its array in a loop, which it need not be directly in.
func (c carrier) carriesIn(f *For, a *Assign) bool {
	if len(a.To.At) == 0 || a.To.Number != nil {
		return false
	}
	some := false
	for _, r := range readsOf(a.To.Buffer, a.Value) {
		switch {
		case c.ahead(f, a, r):
			some = true
		case !r.From.Same(a.To):
			return false
		}
	}
	return some
}

// ahead tells whether what r reads is the cell that a statement wrote an iteration before. A cell that stays is none: it is updated,
// which is a fold as it is.
func (c carrier) ahead(f *For, a *Assign, r *Expr) bool {
	if r.From.Number != nil {
		return false
	}
	counter := c.places[f].Name
	back := map[string]domain.Size{counter: domain.NamedSize(counter).Sub(domain.IntSize(f.Step.N))}
	moves := false
	for axis, x := range a.To.At {
		to, ok := c.places.Size(x)
		from, too := c.places.Size(r.From.At[axis])
		if !ok || !too || !to.Subst(back).Equal(from) {
			return false
		}
		moves = moves || !to.Equal(from)
	}
	return moves
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

// carriedIn is an element in which reads of what a statement wrote an iteration before are reads of a scalar.
func (c carrier) carriedIn(f *For, a *Assign, scalar Access, e *Expr) *Expr {
	if e.Op == Read && e.From.Buffer == a.To.Buffer && c.ahead(f, a, e) {
		return Element(scalar)
	}
	out := *e
	out.Args = make([]*Expr, len(e.Args))
	for i, x := range e.Args {
		out.Args[i] = c.carriedIn(f, a, scalar, x)
	}
	return &out
}
