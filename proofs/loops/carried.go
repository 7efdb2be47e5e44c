package loops

import (
	"math/big"
	"slices"
)

// carry keeps in a scalar what an iteration writes to an element and the next one reads there (law
// 13), inner loops first.
func carry(list []Stmt) (out []Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *For:
			s.Body = carry(s.Body)
			out = append(out, s.carrying())
		case *If:
			s.Then, s.Else = carry(s.Then), carry(s.Else)
			out = append(out, s)
		default:
			out = append(out, s)
		}
	}
	return out
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
		if n == 0 || value.readsOf(a.To.Buffer) > 0 {
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
