package index

import (
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// world is a builder with a few sizes and variables, and values for them.
type world struct {
	b     *Builder
	ctx   *Context
	atoms []*Atom
	vals  map[*Atom]*big.Int
}

func (w *world) at(a *Atom) *big.Int { return w.vals[a] }

func drawWorld(t *rapid.T) *world {
	b := NewBuilder()
	w := &world{b: b, ctx: b.Root(), vals: map[*Atom]*big.Int{}}
	var sizes []*Expr
	for i := range rapid.IntRange(0, 3).Draw(t, "sizes") {
		least := rapid.Int64Range(0, 2).Draw(t, "least")
		e := b.Size(fmt.Sprintf("N%d", i), least)
		sizes = append(sizes, e)
		w.atoms = append(w.atoms, e.free[0])
		w.vals[e.free[0]] = big.NewInt(least + rapid.Int64Range(0, 6).Draw(t, "size"))
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "vars") {
		hi := b.Const(rapid.Int64Range(1, 9).Draw(t, "extent"))
		if len(sizes) > 0 && rapid.Bool().Draw(t, "named") {
			hi = b.Add(rapid.SampledFrom(sizes).Draw(t, "extent"), b.Const(rapid.Int64Range(0, 2).Draw(t, "plus")))
		}
		lo := b.Const(0)
		n, err := hi.Eval(w.at)
		if err != nil || n.Sign() <= 0 {
			continue
		}
		v := b.NewVar(fmt.Sprintf("v%d", i), lo, hi)
		w.atoms = append(w.atoms, v)
		w.vals[v] = big.NewInt(rapid.Int64Range(0, n.Int64()-1).Draw(t, "value"))
	}
	return w
}

// draw returns a random expression together with its value computed without the builder's simplifier.
func (w *world) draw(t *rapid.T, depth int) (*Expr, *big.Int) {
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	switch {
	case kind == 0 || len(w.atoms) == 0 && (depth == 0 || kind < 3):
		n := rapid.Int64Range(-3, 12).Draw(t, "n")
		return w.b.Const(n), big.NewInt(n)
	case depth == 0 || kind < 3:
		a := rapid.SampledFrom(w.atoms).Draw(t, "atom")
		return a.expr, w.vals[a]
	}
	x, vx := w.draw(t, depth-1)
	switch kind {
	case 3:
		y, vy := w.draw(t, depth-1)
		return w.b.Add(x, y), new(big.Int).Add(vx, vy)
	case 4:
		y, vy := w.draw(t, depth-1)
		return w.b.Mul(x, y), new(big.Int).Mul(vx, vy)
	case 5:
		y, vy := w.draw(t, depth-1)
		return w.b.Sub(x, y), new(big.Int).Sub(vx, vy)
	}
	q, vq := w.divisor(t)
	return w.b.Div(w.ctx, x, q), new(big.Int).Div(vx, vq)
}

// divisor returns an expression that is positive whatever the sizes are.
func (w *world) divisor(t *rapid.T) (*Expr, *big.Int) {
	n := rapid.Int64Range(1, 6).Draw(t, "divisor")
	q, vq := w.b.Const(n), big.NewInt(n)
	for _, a := range w.atoms {
		if a.Kind == Size && rapid.IntRange(0, 2).Draw(t, "with") == 0 {
			if a.Least > 0 {
				q, vq = w.b.Mul(q, a.expr), new(big.Int).Mul(vq, w.vals[a])
			} else {
				q, vq = w.b.Add(q, a.expr), new(big.Int).Add(vq, w.vals[a])
			}
		}
	}
	return q, vq
}

func TestValuesAreKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		e, want := w.draw(t, 4)
		got, err := e.Eval(w.at)
		if err != nil || got.Cmp(want) != 0 {
			t.Fatalf("%s = %v (%v), want %v", e, got, err, want)
		}
	})
}

func TestNonnegIsSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		// facts that hold at the values
		for range rapid.IntRange(0, 2).Draw(t, "facts") {
			e, v := w.draw(t, 2)
			if v.Sign() >= 0 && w.b.Decide(w.ctx, e) == Open {
				w.ctx = w.b.Assume(w.ctx, e)
			}
		}
		e, v := w.draw(t, 3)
		if w.b.Nonneg(w.ctx, e) && v.Sign() < 0 {
			t.Fatalf("%s >= 0 accepted, value %v at %v", e, v, w.vals)
		}
		if w.b.Decide(w.ctx, e) == False && v.Sign() >= 0 {
			t.Fatalf("%s < 0 accepted, value %v", e, v)
		}
	})
}

func TestConditionKeepsSigns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		e, v := w.draw(t, 3)
		got, err := w.b.Condition(e).Eval(w.at)
		if err != nil || (got.Sign() >= 0) != (v.Sign() >= 0) {
			t.Fatalf("%s = %v became %s = %v (%v)", e, v, w.b.Condition(e), got, err)
		}
	})
}

func TestCoarseKeepsSigns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		e, v := w.draw(t, 3)
		f, u := w.draw(t, 3)
		k := rapid.Int64Range(2, 9).Draw(t, "k") // of two that add up, one is often the small one
		e, v = w.b.Add(w.b.Scale(Int(k), e), f), new(big.Int).Add(new(big.Int).Mul(big.NewInt(k), v), u)
		coarse := w.b.Coarse(w.ctx, e)
		got, err := coarse.Eval(w.at)
		if err != nil || (got.Sign() >= 0) != (v.Sign() >= 0) {
			t.Fatalf("%s = %v became %s = %v (%v)", e, v, coarse, got, err)
		}
	})
}

func TestCoarse(t *testing.T) {
	b := NewBuilder()
	i, j, k := b.NewVar("i", b.Const(0), b.Const(9)).Expr(), b.NewVar("j", b.Const(0), b.Const(3)).Expr(), b.NewVar("k", b.Const(0), b.Const(4)).Expr()
	at := func(ni, nj, nk, n int64) *Expr {
		return b.AddInt(b.Add(b.Add(b.Scale(Int(ni), i), b.Scale(Int(nj), j)), b.Scale(Int(nk), k)), n)
	}
	for _, c := range []struct{ e, want *Expr }{
		{at(12, 4, 1, -12), at(1, 0, 0, -1)},
		{at(-12, -4, -1, 71), at(-1, 0, 0, 5)},
		{at(11, 4, 1, -11), at(11, 4, 1, -11)}, // 4·j + k is 11 at its greatest
		{at(12, 4, 1, -13), at(12, 4, 1, -13)},
		{at(24, 8, 1, -5), at(3, 1, 0, -1)}, // k + 3 is less than 8
	} {
		if got := b.Coarse(b.Root(), c.e); got != c.want {
			t.Errorf("%s became %s, want %s", c.e, got, c.want)
		}
	}
}

func TestSubstKeepsValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		e, want := w.draw(t, 3)
		m := map[*Atom]*Expr{}
		for _, a := range w.atoms {
			if rapid.Bool().Draw(t, "replace") { // a = fresh + k
				k := rapid.Int64Range(-3, 3).Draw(t, "k")
				f := w.b.NewVar("f", w.b.Const(-1000), w.b.Const(1000))
				w.vals[f] = new(big.Int).Sub(w.vals[a], big.NewInt(k))
				m[a] = w.b.AddInt(f.expr, k)
			}
		}
		s := w.b.Subst(w.ctx, e, m)
		if got, err := s.Eval(w.at); err != nil || got.Cmp(want) != 0 {
			t.Fatalf("%s became %s = %v (%v), want %v", e, s, got, err, want)
		}
	})
}

// TestCollisions: where all hashes are equal, expressions are told apart all the same.
func TestCollisions(t *testing.T) {
	hashMask = 0
	defer func() { hashMask = ^uint64(0) }()
	TestDecisions(t)
	TestValuesAreKept(t)
}

// TestDecisions lists the questions that programs ask.
func TestDecisions(t *testing.T) {
	b := NewBuilder()
	I, J, K, H, s := b.Size("I", 1), b.Size("J", 1), b.Size("K", 1), b.Size("H", 1), b.Size("s", 1)
	c0 := b.Const(0)
	i, j, k := b.NewVar("i", c0, I).expr, b.NewVar("j", c0, J).expr, b.NewVar("k", c0, K).expr
	ij := b.Add(b.Mul(i, J), j)
	root := b.Root()
	for _, test := range []struct {
		got, want *Expr
	}{
		{b.Div(root, ij, J), i},
		{b.Mod(root, ij, J), j},
		{b.Div(root, b.Add(b.Mul(ij, K), k), b.Mul(J, K)), i},
		{b.Mod(root, b.Div(root, b.Add(b.Mul(ij, K), k), K), J), j},
		{b.Div(root, b.Add(b.Mul(ij, K), k), K), ij},
		{b.Add(b.Mul(b.Div(root, k, b.Const(4)), b.Const(4)), b.Mod(root, k, b.Const(4))), k},
		{b.Mod(root, b.Mod(root, k, b.Const(12)), b.Const(4)), b.Mod(root, k, b.Const(4))},
		{b.Div(root, b.Div(root, k, b.Const(3)), b.Const(4)), b.Div(root, k, b.Const(12))},
		{b.Div(root, b.Mod(root, k, b.Const(12)), b.Const(4)), b.Mod(root, b.Div(root, k, b.Const(4)), b.Const(3))},
	} {
		if test.got != test.want {
			t.Errorf("got %s, want %s", test.got, test.want)
		}
	}
	if !b.Nonneg(root, b.AddInt(b.Sub(b.Mul(I, J), ij), -1)) {
		t.Error("i·J + j < I·J not proved")
	}
	// windows: y·s + kh < H for y < (H-3) div s + 1, kh < 3, under H >= 3
	ctx := root.With(b.AddInt(H, -3))
	rows := b.AddInt(b.Div(ctx, b.AddInt(H, -3), s), 1)
	y, kh := b.NewVar("y", c0, rows).expr, b.NewVar("kh", c0, b.Const(3)).expr
	if !b.Nonneg(ctx, b.AddInt(b.Sub(H, b.Add(b.Mul(y, s), kh)), -1)) {
		t.Error("window leaves the axis")
	}
	// 2^62 and products of sizes do not wrap
	big62 := b.Const(1 << 62)
	if got := b.Mul(big62, b.Const(4)).String(); got != "18446744073709551616" {
		t.Errorf("2^62·4 = %s", got)
	}
}

// TestDivisorIsPutIn puts 0 in for a divisor, which a decision may try where no place is left.
func TestDivisorIsPutIn(t *testing.T) {
	b := NewBuilder()
	n, m := b.Size("n", 0), b.Size("m", 1)
	for _, e := range []*Expr{b.Div(b.Root(), m, n), b.Mod(b.Root(), m, n), b.Div(b.Root(), m, b.Div(b.Root(), m, n))} {
		b.Subst(b.Root(), e, map[*Atom]*Expr{n.Free()[0]: b.Const(0)})
	}
	if b.Nonneg(b.Root(), b.Sub(n, m)) {
		t.Error("n >= m")
	}
}

// TestFactsAreCompared holds the comparisons with facts that make no expression to the differences that they stand for.
func TestFactsAreCompared(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		x, _ := w.draw(t, 3)
		y, _ := w.draw(t, 3)
		if rapid.Bool().Draw(t, "related") {
			y = w.b.Add(x, w.b.Scale(Int(rapid.Int64Range(0, 1).Draw(t, "times")), y))
			y = w.b.AddInt(y, rapid.Int64Range(-2, 2).Draw(t, "plus"))
		}
		before := w.b.nexpr
		exceeds := x.exceeds(y)
		var cancels []bool
		for _, a := range w.atoms {
			cancels = append(cancels, x.cancels(y, a))
		}
		if w.b.nexpr != before {
			t.Fatalf("comparing %s with %s makes expressions", x, y)
		}
		d := w.b.Sub(x, y)
		if n, ok := d.Const(); exceeds != (ok && n.Sign() >= 0) {
			t.Fatalf("%s exceeds %s: %v", x, y, exceeds)
		}
		for i, a := range w.atoms {
			if cancels[i] == d.Mentions(a) {
				t.Fatalf("%s cancels in %s - (%s): %v", a, x, y, cancels[i])
			}
		}
	})
}

// TestSubstDeep: the cost of a substitution does not double with each level of a nested maximum.
func TestSubstDeep(t *testing.T) {
	b := NewBuilder()
	ctx := b.Root()
	x, y := b.Size("x", 1), b.Size("y", 1)
	e, want := x, y
	for k := range int64(200) {
		size := b.Size(fmt.Sprint("n", k), 1)
		e, want = b.Max(ctx, b.Sub(e, size), size), b.Max(ctx, b.Sub(want, size), size)
	}
	if got := b.Subst(ctx, e, map[*Atom]*Expr{x.Free()[0]: y}); got != want {
		t.Errorf("got %d terms, want %d", len(got.terms), len(want.terms))
	}
}
