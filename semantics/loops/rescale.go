package loops

import "slices"

// A loop that was unrolled by k, and then normalized, has a counter that occurs as k times itself alone, and a body that is k times
// the same.

// scaled returns the number that the counter of a loop from 0 in steps of 1 is multiplied with wherever it occurs in the body, 0 if
// there is none.
func scaled(f *For) int64 {
	if f.Step.Op != Number || f.Step.N != 1 || len(f.Lo) != 1 || f.Lo[0].Op != Number || f.Lo[0].N != 0 || f.Parallel != nil {
		return 0
	}
	k, alone := int64(0), true
	var see func(x *Int)
	see = func(x *Int) {
		if n, ok := multiple(x, f); ok {
			alone = alone && (k == 0 || k == n)
			k = n
			return
		}
		alone = alone && !(x.Op == Counter && x.Loop == f)
		if x.Cond != nil {
			alone = alone && !x.Cond.Mentions(func(y *Int) bool { return y.Op == Counter && y.Loop == f })
		}
		for _, a := range x.Args {
			see(a)
		}
	}
	mapped(f.Body, func(x *Int) *Int { see(x); return x })
	if !alone || k < 2 {
		return 0
	}
	return k
}

// multiple returns k of k times the counter of a loop.
func multiple(x *Int, f *For) (k int64, ok bool) {
	if x.Op != Times || len(x.Args) != 2 {
		return 0, false
	}
	for i, a := range x.Args {
		if b := x.Args[1-i]; a.Op == Number && b.Op == Counter && b.Loop == f {
			return a.N, true
		}
	}
	return 0, false
}

// rescale has a loop count in steps of k what was k times its counter, and returns what takes that back.
func rescale(f *For, k int64) (undo func()) {
	lo, hi, step, body := f.Lo, f.Hi, f.Step, f.Body
	var within func(x *Int) *Int
	within = func(x *Int) *Int {
		if _, ok := multiple(x, f); ok {
			return CounterOf(f)
		}
		if len(x.Args) == 0 {
			return x
		}
		out := *x
		out.Args = make([]*Int, len(x.Args))
		for i, a := range x.Args {
			out.Args[i] = within(a)
		}
		return &out
	}
	f.Hi = slices.Clone(hi)
	for i, x := range hi {
		f.Hi[i] = Product(Num(k), x)
	}
	f.Step, f.Body = Num(k), mapped(body, within)
	return func() { f.Lo, f.Hi, f.Step, f.Body = lo, hi, step, body }
}

// mapped are assignments whose integers of control are others; nil where there is another statement.
func mapped(list []Stmt, f func(*Int) *Int) (out []Stmt) {
	ints := func(xs []*Int) []*Int {
		var out []*Int
		for _, x := range xs {
			out = append(out, f(x))
		}
		return out
	}
	access := func(a Access) Access {
		a.At = ints(a.At)
		if a.Number != nil {
			a.Number = f(a.Number)
		}
		return a
	}
	var element func(e *Expr) *Expr
	element = func(e *Expr) *Expr {
		out := *e
		out.Args = make([]*Expr, len(e.Args))
		for i, a := range e.Args {
			out.Args[i] = element(a)
		}
		if e.Op == Read {
			out.From = access(e.From)
		}
		if e.Int != nil {
			out.Int = f(e.Int)
		}
		return &out
	}
	for _, s := range list {
		a, ok := s.(*Assign)
		if !ok {
			return nil
		}
		out = append(out, &Assign{To: access(a.To), Value: element(a.Value), At: a.At})
	}
	return out
}
