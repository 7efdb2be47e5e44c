package normal

import (
	"context"
	"testing"

	"tv/semantics/index"
	"tv/semantics/term"
)

// lab builds arrays by hand.
type lab struct {
	t *testing.T
	b *term.Builder
	x *index.Builder
}

func newLab(t *testing.T) *lab {
	b := term.NewBuilder()
	return &lab{t, b, b.Index}
}

func (l *lab) size(name string) *index.Expr { return l.x.Size(name, 1) }
func (l *lab) c(n int64) *index.Expr        { return l.x.Const(n) }

func (l *lab) input(name string, dims ...*index.Expr) term.Array {
	in := l.b.Input(name, dims, term.Sort{})
	return term.Array{Dims: dims, Element: func(_ *index.Context, at []*index.Expr) *term.Term { return l.b.Read(in, at) }}
}

func (l *lab) matmul(x, y term.Array) term.Array {
	return term.Array{Dims: []*index.Expr{x.Dims[0], y.Dims[1]}, Element: func(ctx *index.Context, at []*index.Expr) *term.Term {
		k := l.x.NewVar("k", l.c(0), x.Dims[1])
		return l.b.Reduce(term.Sum, []*index.Atom{k}, l.b.Mul(
			x.Element(ctx, []*index.Expr{at[0], k.Expr()}), y.Element(ctx, []*index.Expr{k.Expr(), at[1]})))
	}}
}

func (l *lab) slice(x term.Array, axis int, lo, hi *index.Expr) term.Array {
	dims := append([]*index.Expr(nil), x.Dims...)
	dims[axis] = l.x.Sub(hi, lo)
	return term.Array{Dims: dims, Element: func(ctx *index.Context, at []*index.Expr) *term.Term {
		in := append([]*index.Expr(nil), at...)
		in[axis] = l.x.Add(in[axis], lo)
		return x.Element(ctx, in)
	}}
}

func (l *lab) concat(x, y term.Array, axis int) term.Array {
	dims := append([]*index.Expr(nil), x.Dims...)
	n := x.Dims[axis]
	dims[axis] = l.x.Add(n, y.Dims[axis])
	return term.Array{Dims: dims, Element: func(ctx *index.Context, at []*index.Expr) *term.Term {
		left := l.x.AddInt(l.x.Sub(n, at[axis]), -1)
		right := l.x.Sub(at[axis], n)
		in := append([]*index.Expr(nil), at...)
		in[axis] = right
		switch l.x.Decide(ctx, left) {
		case index.True:
			return x.Element(ctx, at)
		case index.False:
			return y.Element(ctx, in)
		}
		return l.b.If(left, x.Element(l.x.Assume(ctx, left), at), y.Element(l.x.Assume(ctx, right), in))
	}}
}

func (l *lab) zip(f func(x, y *term.Term) *term.Term, x, y term.Array) term.Array {
	return term.Array{Dims: x.Dims, Element: func(ctx *index.Context, at []*index.Expr) *term.Term {
		return f(x.Element(ctx, at), y.Element(ctx, at))
	}}
}

func (l *lab) each(f func(x *term.Term) *term.Term, x term.Array) term.Array {
	return term.Array{Dims: x.Dims, Element: func(ctx *index.Context, at []*index.Expr) *term.Term {
		return f(x.Element(ctx, at))
	}}
}

func (l *lab) check(name string, x, y term.Array, want bool) {
	l.t.Helper()
	e := NewEngine(context.Background(), l.x, RealLaws, 1_000_000)
	c := e.Compare(l.x.Root(), x.Dims, x, y)
	if c.Equal != want {
		l.t.Errorf("%s: equal %v, want %v; err %v\nleft:", name, c.Equal, want, c.Err)
		for _, s := range c.Left {
			l.t.Error("  ", s)
		}
	}
}

func TestMatmulLaws(t *testing.T) {
	l := newLab(t)
	m, k, n, p := l.size("M"), l.size("K"), l.size("N"), l.size("P")
	a, b, c := l.input("A", m, k), l.input("B", k, n), l.input("C", n, p)
	b2 := l.input("B2", k, n)
	l.check("assoc", l.matmul(l.matmul(a, b), c), l.matmul(a, l.matmul(b, c)), true)
	l.check("distr", l.matmul(a, l.zip(l.b.Add, b, b2)), l.zip(l.b.Add, l.matmul(a, b), l.matmul(a, b2)), true)
	l.check("distr wrong", l.matmul(a, l.zip(l.b.Add, b, b2)), l.zip(l.b.Add, l.matmul(a, b), l.matmul(a, b)), false)
}

func TestBlocks(t *testing.T) {
	for _, bad := range []bool{false, true} {
		l := newLab(t)
		n := int64(32)
		a, b := l.input("A", l.c(n), l.c(n)), l.input("B", l.c(n), l.c(n))
		blk := func(i, j, k int64) term.Array {
			kb := k
			if bad && i == 1 && j == 1 {
				kb = 0
			}
			return l.matmul(l.slice(l.slice(a, 0, l.c(16*i), l.c(16*i+16)), 1, l.c(16*k), l.c(16*k+16)),
				l.slice(l.slice(b, 0, l.c(16*kb), l.c(16*kb+16)), 1, l.c(16*j), l.c(16*j+16)))
		}
		cell := func(i, j int64) term.Array { return l.zip(l.b.Add, blk(i, j, 0), blk(i, j, 1)) }
		whole := l.concat(l.concat(cell(0, 0), cell(0, 1), 1), l.concat(cell(1, 0), cell(1, 1), 1), 0)
		l.check("blocked", l.matmul(a, b), whole, !bad)
		relu := func(x *term.Term) *term.Term { return l.b.Max(x, l.b.Int(term.Sort{}, 0)) }
		l.check("relu blocked", l.each(relu, l.matmul(a, b)), l.each(relu, whole), !bad)
		sq := func(x *term.Term) *term.Term { return l.b.Mul(x, x) }
		l.check("square blocked", l.each(sq, l.matmul(a, b)), l.each(sq, whole), !bad)
		exp := func(x *term.Term) *term.Term { return l.b.Apply(term.Sort{}, term.Exp, x) }
		l.check("exp blocked", l.each(exp, l.matmul(a, b)), l.each(exp, whole), !bad)
	}
}

func TestSoftmaxShift(t *testing.T) {
	l := newLab(t)
	m, n := l.size("M"), l.size("N")
	x := l.input("X", m, n)
	exp := func(v *term.Term) *term.Term { return l.b.Apply(term.Sort{}, term.Exp, v) }
	softmax := func(x term.Array) term.Array {
		return term.Array{Dims: x.Dims, Element: func(ctx *index.Context, at []*index.Expr) *term.Term {
			k := l.x.NewVar("k", l.c(0), n)
			return l.b.Div(exp(x.Element(ctx, at)), l.b.Reduce(term.Sum, []*index.Atom{k}, exp(x.Element(ctx, []*index.Expr{at[0], k.Expr()}))))
		}}
	}
	shifted := term.Array{Dims: x.Dims, Element: func(ctx *index.Context, at []*index.Expr) *term.Term {
		k := l.x.NewVar("k", l.c(0), n)
		return l.b.Sub(x.Element(ctx, at), l.b.Reduce(term.Maximum, []*index.Atom{k}, x.Element(ctx, []*index.Expr{at[0], k.Expr()})))
	}}
	l.check("stable softmax", softmax(x), softmax(shifted), true)
	doubled := l.each(func(v *term.Term) *term.Term { return l.b.Add(v, v) }, x)
	l.check("softmax of 2x", softmax(x), softmax(doubled), false)
	sigmoid := func(v *term.Term) *term.Term {
		return l.b.Div(l.b.Int(term.Sort{}, 1), l.b.Add(l.b.Int(term.Sort{}, 1), exp(l.b.Neg(v))))
	}
	one := func(*term.Term) *term.Term { return l.b.Int(term.Sort{}, 1) }
	l.check("sigmoid(x) + sigmoid(-x) = 1",
		l.each(func(v *term.Term) *term.Term { return l.b.Add(sigmoid(v), sigmoid(l.b.Neg(v))) }, x), l.each(one, x), true)
}

func TestWindowsAndReshape(t *testing.T) {
	l := newLab(t)
	b := l.x
	h := l.size("H")
	root := b.Root().With(b.AddInt(h, -5))
	x := l.input("X", b.AddInt(h, 0))
	win := func(x term.Array, w, s int64) term.Array { // max over windows
		n := b.AddInt(b.Div(root, b.AddInt(x.Dims[0], -w), l.c(s)), 1)
		return term.Array{Dims: []*index.Expr{n}, Element: func(ctx *index.Context, at []*index.Expr) *term.Term {
			k := b.NewVar("k", l.c(0), l.c(w))
			return l.b.Reduce(term.Maximum, []*index.Atom{k}, x.Element(ctx, []*index.Expr{b.Add(b.Scale(index.Int(s), at[0]), k.Expr())}))
		}}
	}
	all := func(x term.Array) term.Array {
		return term.Array{Element: func(ctx *index.Context, at []*index.Expr) *term.Term {
			k := b.NewVar("k", l.c(0), x.Dims[0])
			return l.b.Reduce(term.Maximum, []*index.Atom{k}, x.Element(ctx, []*index.Expr{k.Expr()}))
		}}
	}
	e := NewEngine(context.Background(), b, RealLaws, 100000)
	if c := e.Compare(root, nil, all(x), all(win(x, 3, 1))); !c.Equal {
		t.Error("overlapping windows", c.Left, c.Err)
	}
	if c := e.Compare(root, nil, all(x), all(win(x, 1, 2))); c.Equal {
		t.Error("windows with gaps")
	}
	// flatten: sum over t < 12 of A[t div 4, t mod 4]·A[t div 4, t mod 4] = sum over i, j
	a := l.input("A", l.c(3), l.c(4))
	v := l.input("V", l.c(4))
	flat := term.Array{Element: func(ctx *index.Context, at []*index.Expr) *term.Term {
		k := b.NewVar("t", l.c(0), l.c(12))
		i, j := b.Div(ctx, k.Expr(), l.c(4)), b.Mod(ctx, k.Expr(), l.c(4))
		return l.b.Reduce(term.Sum, []*index.Atom{k}, l.b.Mul(a.Element(ctx, []*index.Expr{i, j}), v.Element(ctx, []*index.Expr{j})))
	}}
	nested := term.Array{Element: func(ctx *index.Context, at []*index.Expr) *term.Term {
		i, j := b.NewVar("i", l.c(0), l.c(3)), b.NewVar("j", l.c(0), l.c(4))
		return l.b.Reduce(term.Sum, []*index.Atom{j, i}, l.b.Mul(a.Element(ctx, []*index.Expr{i.Expr(), j.Expr()}), v.Element(ctx, []*index.Expr{j.Expr()})))
	}}
	l.check("digits", flat, nested, true)
}

// TestClampedWindows: the offsets of a sum over a window beyond the ends, under min and max, neither rise nor fall with
// its variable.
func TestClampedWindows(t *testing.T) {
	l := newLab(t)
	n := l.size("N")
	a := l.input("A", n)
	clamped := func(ctx *index.Context, i *index.Expr) *term.Term {
		return a.Element(ctx, []*index.Expr{l.x.Min(ctx, l.x.Max(ctx, i, l.c(0)), l.x.AddInt(n, -1))})
	}
	summed := func(last int64) term.Array {
		return term.Array{Dims: a.Dims, Element: func(ctx *index.Context, at []*index.Expr) *term.Term {
			k := l.x.NewVar("k", l.c(0), l.c(3))
			return l.b.Reduce(term.Sum, []*index.Atom{k}, clamped(ctx, l.x.AddInt(l.x.Add(at[0], k.Expr()), last-2)))
		}}
	}
	written := term.Array{Dims: a.Dims, Element: func(ctx *index.Context, at []*index.Expr) *term.Term {
		t := clamped(ctx, l.x.AddInt(at[0], -1))
		return l.b.Add(l.b.Add(t, clamped(ctx, at[0])), clamped(ctx, l.x.AddInt(at[0], 1)))
	}}
	l.check("a window", summed(1), summed(1), true)
	l.check("the next window", summed(1), summed(2), false)
	l.check("a window and its elements", summed(1), written, true)
}

// TestCollisions: where all hashes are equal, terms are told apart all the same.
func TestCollisions(t *testing.T) {
	hashMask = 0
	defer func() { hashMask = ^uint64(0) }()
	TestMatmulLaws(t)
	TestSoftmaxShift(t)
	TestWindowsAndReshape(t)
}

// TestFarOffsets: elements as far apart as a word is wide are different elements.
func TestFarOffsets(t *testing.T) {
	for _, bits := range []uint{31, 32, 63, 64} {
		l := newLab(t)
		far := l.c(1)
		for range bits {
			far = l.x.Scale(index.Int(2), far)
		}
		x := l.input("X", l.c(2), far, l.c(2)) // the second row begins 2^(bits+1) elements after the first
		row := func(i int64) term.Array {
			return term.Array{Dims: []*index.Expr{l.c(2)}, Element: func(ctx *index.Context, at []*index.Expr) *term.Term {
				return x.Element(ctx, []*index.Expr{l.c(i), l.c(0), at[0]})
			}}
		}
		last := term.Array{Dims: []*index.Expr{l.c(2)}, Element: func(ctx *index.Context, at []*index.Expr) *term.Term {
			return x.Element(ctx, []*index.Expr{l.c(0), far, at[0]}) // one past the first row: the second
		}}
		l.check("same row", row(0), row(0), true)
		l.check("rows 2^n apart", row(0), row(1), false)
		l.check("the same row by another way", last, row(1), true)
	}
}

// Terms are graphs: what is left of a difference is printed in bounded length, however large it is as a tree.
func TestWhatIsLeftIsShort(t *testing.T) {
	for _, sort := range []term.Sort{{}, {Kind: term.Float, Width: 32}} {
		l := newLab(t)
		in := l.b.Input("A", []*index.Expr{l.c(4)}, sort)
		tower := func(name string) term.Array {
			return term.Array{Dims: in.Dims, Element: func(_ *index.Context, at []*index.Expr) *term.Term {
				x := l.b.Read(in, at)
				for range 60 { // a tree of 2^60 reads
					x = l.b.Apply(sort, name, l.b.Apply(sort, "f", x), l.b.Apply(sort, "g", x))
				}
				return x
			}}
		}
		x, y := tower("p"), tower("q")
		var c Comparison
		if sort.Kind == term.Float {
			c = NewOrdered(context.Background(), l.x, 10_000).Compare(l.x.Root(), x.Dims, x, y)
		} else {
			c = NewEngine(context.Background(), l.x, RealLaws, 10_000).Compare(l.x.Root(), x.Dims, x, y)
		}
		if c.Equal || c.Err != nil || len(c.Left) == 0 {
			t.Fatalf("%s: %v", sort, c)
		}
		for _, s := range c.Left {
			if len(s) > maxLeft+10 {
				t.Errorf("%s: %d bytes are printed", sort, len(s))
			}
		}
	}
}
