package algebra

import "testing"

// TestJoin: a member joins a box that it is beside, or in, where the box surely begins no later than
// it ends, or has a place.
func TestJoin(t *testing.T) {
	b := NewBuilder()
	n := b.Size("N", 1)
	at := func(k int64) *Expr { return b.AddInt(n, k) }
	for _, test := range []struct {
		lo, hi, place, from, to *Expr // nil: it does not join
	}{
		{b.Const(0), n, n, b.Const(0), at(1)},
		{b.Const(1), n, n, b.Const(1), at(1)},
		{b.Const(1), n, b.Const(0), b.Const(0), n},
		{b.Const(0), n, b.Const(0), b.Const(0), n},
		{b.Const(0), n, at(-1), b.Const(0), n},
		{b.Const(1), n, b.Const(1), nil, nil}, // no place for N = 1
		{b.Const(1), n, at(-1), nil, nil},
		{b.Const(2), n, n, nil, nil}, // which would end before it begins
		{b.Const(2), n, b.Const(1), nil, nil},
		{b.Const(0), n, at(1), nil, nil},
		{b.Const(1), n, b.Const(-1), nil, nil},
	} {
		e := newEngine(b, func() {}, func(*Goal) *answer { return nil })
		read := func(x *Expr) sum { return ofAtom(e.atom(atom{kind: readAtom, name: "A", e: x})) }
		v := b.NewVar(test.lo, test.hi)
		set := sum{memberOf(read(test.place), nil, nil), memberOf(read(v.expr), []*Atom{v}, nil)}
		got, ok := e.join(b.Root, set)
		if ok != (test.from != nil) {
			t.Errorf("A[%s] and %s <= k < %s: joined %t", Formatted(test.place), Formatted(test.lo),
				Formatted(test.hi), ok)
		} else if ok {
			w := got[0].vars[0]
			want := e.closing(b.Root, sum{memberOf(read(b.Add(w.expr, test.from)), []*Atom{w}, nil)}, setMode)
			if len(got) != 1 || w.Lo != b.Const(0) || w.Hi != b.Sub(test.to, test.from) ||
				e.closing(b.Root, got, setMode) != want {
				t.Errorf("A[%s] and %s <= k < %s: wrong box", Formatted(test.place), Formatted(test.lo),
					Formatted(test.hi))
			}
		}
	}
}
