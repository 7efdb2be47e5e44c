package loops

import (
	"math/big"
	"slices"
)

// carry keeps in a scalar what an iteration writes to an element and the next one reads there (law
// 13), inner loops first. What it reads of the element that it writes it reads before that.
func carry(list []Stmt) (out []Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *For:
			s.Body = carry(s.Body)
			if inner := s.within(); inner != nil {
				inner[len(inner)-1].Body = []Stmt{s.carrying()}
				out = append(out, inner[0])
			} else {
				out = append(out, s.carrying())
			}
		case *If:
			s.Then, s.Else = carry(s.Then), carry(s.Else)
			out = append(out, s)
		default:
			out = append(out, s)
		}
	}
	return out
}

// within lists the loops inside which f may be put, from the outermost on, for f to carry what the
// only statement in them reads (law 15); f is left with that statement. It is nil where f may not.
func (f *For) within() (inner []*For) {
	if f.Unordered || f.Step.Op != IntNumber || len(f.Lo) != 1 {
		return nil
	}
	body, all := f.Body, []*For{f}
	for len(body) == 1 {
		g, loop := body[0].(*For)
		if !loop {
			break
		}
		if g.Unordered || g.Step.Op != IntNumber ||
			slices.ContainsFunc(slices.Concat(g.Lo, g.Hi), f.steers) {
			return nil
		}
		inner, all, body = append(inner, g), append(all, g), g.Body
	}
	if len(inner) == 0 || len(body) != 1 {
		return nil
	}
	a, ok := body[0].(*Assign)
	if !ok || a.Guarded || a.Reduces {
		return nil
	}
	for _, g := range all {
		if !slices.ContainsFunc(a.To.At, func(x *Int) bool { return g.alone(x, all) }) {
			return nil
		}
	}
	value, n := f.beforehand(a.Value, a.To, Access{Buffer: &Buffer{Elem: a.To.Buffer.Elem}})
	if n == 0 || value.readsOf(a.To.Buffer) > value.readsAt(a.To) {
		return nil
	}
	f.Body = body
	return inner
}

// steers reports whether the counter of f is in x.
func (f *For) steers(x *Int) bool {
	return x.Op == IntCounter && x.Loop == f || slices.ContainsFunc(x.Args, f.steers)
}

// alone reports whether x is the counter of f, or its negative, and what none of the counters of
// loops is in: with f alone it grows by as much, or falls.
func (f *For) alone(x *Int, loops []*For) bool {
	names := map[string]int{}
	ahead := func(g *For, n int64) string {
		return (&writing{f: g, ahead: big.NewInt(n), names: names}).text(x)
	}
	for _, g := range loops {
		if g != f && ahead(g, 1) != ahead(g, 0) {
			return false
		}
	}
	by := func(n int64) string {
		y := IntAdd.Of(x, &Int{Op: IntNumber, N: big.NewInt(n)})
		return (&writing{f: f, ahead: new(big.Int), names: names}).text(y)
	}
	return ahead(f, 1) == by(1) || ahead(f, 1) == by(-1)
}

// carrying is f with what it carries from one iteration to the next.
func (f *For) carrying() Stmt {
	if f.Unordered || f.Step.Op != IntNumber || len(f.Lo) != 1 {
		return f
	}
	var before, body []Stmt
	for i, s := range f.Body {
		a, ok := s.(*Assign)
		if !ok || a.Guarded || a.Reduces || len(a.To.At) == 0 ||
			writes(f.Body[:i], a.To.Buffer) || writes(f.Body[i+1:], a.To.Buffer) {
			body = append(body, s)
			continue
		}
		now := Access{Buffer: &Buffer{Name: a.To.Buffer.Name + ", before", Elem: a.To.Buffer.Elem,
			Span: a.Span}, Span: a.Span}
		value, n := f.beforehand(a.Value, a.To, now)
		if n == 0 || value.readsOf(a.To.Buffer) > value.readsAt(a.To) {
			body = append(body, s)
			continue
		}
		first := &Data{Op: DataRead, Elem: a.To.Buffer.Elem, From: a.To, Span: a.Span}
		first.From.At = nil
		for _, x := range a.To.At {
			first.From.At = append(first.From.At, f.put(x, IntAdd.Of(f.Lo[0],
				&Int{Op: IntNumber, N: new(big.Int).Neg(f.Step.N)})))
		}
		same := *a
		same.Value = &Data{Op: DataRead, Elem: now.Buffer.Elem, From: now, Span: a.Span}
		before = append(before, &Alloc{Buffer: now.Buffer, Span: a.Span},
			&Assign{To: now, Value: first, Span: a.Span})
		body = append(body, &Assign{To: now, Value: value, Span: a.Span}, &same)
	}
	if before == nil {
		return f
	}
	f.Body = body
	begins := &Cond{Op: CondAll}
	for _, hi := range f.Hi {
		x, y := f.Lo[0], hi
		if f.Step.N.Sign() < 0 {
			x, y = y, x
		}
		begins.Conds = append(begins.Conds, &Cond{Op: CondLess, X: x, Y: y})
	}
	return &If{Cond: begins, Then: append(before, f), Span: f.Span}
}

// beforehand is d with a scalar where it reads the element that the iteration before wrote, which
// it does n times.
func (f *For) beforehand(d *Data, to, now Access) (out *Data, n int) {
	if d.Op == DataRead && d.From.Buffer == to.Buffer {
		names := map[string]int{}
		here := &writing{f: f, ahead: new(big.Int), names: names}
		earlier := &writing{f: f, ahead: f.Step.N, names: names}
		moves := false // an element that stays is updated, which is law 3
		same := func(x, y *Int) bool {
			moves = moves || here.text(x) != here.text(y)
			return here.text(x) == earlier.text(y)
		}
		if slices.EqualFunc(d.From.At, to.At, same) && moves {
			return &Data{Op: DataRead, Elem: d.Elem, From: now, Span: d.Span}, 1
		}
		return d, 0
	}
	changed := *d
	changed.Args = nil
	for _, a := range d.Args {
		x, more := f.beforehand(a, to, now)
		changed.Args, n = append(changed.Args, x), n+more
	}
	return &changed, n
}

// readsAt counts the reads of an element that are written like it.
func (d *Data) readsAt(x Access) (n int) {
	if d.Op == DataRead && d.From.Buffer == x.Buffer && slices.EqualFunc(d.From.At, x.At, sameInt) {
		n++
	}
	for _, a := range d.Args {
		n += a.readsAt(x)
	}
	return n
}

// put is x with something in place of the counter.
func (f *For) put(x, by *Int) *Int {
	if x.Op == IntCounter && x.Loop == f {
		return by
	}
	out := *x
	out.Args = nil
	for _, a := range x.Args {
		out.Args = append(out.Args, f.put(a, by))
	}
	return &out
}
