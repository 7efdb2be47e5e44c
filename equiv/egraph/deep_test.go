package egraph

import (
	"fmt"
	"slices"
	"testing"
	"testing/quick"

	"pgregory.net/rapid"
)

const (
	leafX Op = iota
	leafY
	opF Op = 10 // of one argument
	opG Op = 11 // of two
)

// deep is f(f(... x)), n times.
func deep(g *Graph[int], n int, x Term) Term {
	for range n {
		x = must(g.Add(opF, x))
	}
	return x
}

func steps(p *Proof) int {
	n := len(p.Chain)
	for _, l := range p.Lemmas {
		n += len(l.Chain)
	}
	return n
}

func TestDeep(t *testing.T) {
	const n = 100_000
	t.Run("arguments", func(t *testing.T) { // f(...x) = f(...y) by x = y: one lemma a level
		g := New(sorts{})
		x, y := must(g.Add(leafX)), must(g.Add(leafY))
		a, b := deep(g, n, x), deep(g, n, y)
		must(g.Union(x, y, 0))
		must(0, g.Rebuild())
		if p := g.Explain(a, b); p == nil || steps(p) != n+1 {
			t.Errorf("proof of %d steps", steps(p))
		}
	})
	t.Run("unions", func(t *testing.T) { // a chain of unions
		g := New(sorts{})
		var list []Term
		for i := range n {
			list = append(list, must(g.Add(Op(100_000+i))))
		}
		for i := range n - 1 {
			must(g.Union(list[i+1], list[i], Reason(i)))
		}
		if p := g.Explain(list[n-1], list[0]); p == nil || steps(p) != n-1 || p.Chain[0].Reversed || p.Chain[0].Reason != n-2 {
			t.Errorf("proof of %d steps", steps(p))
		}
	})
	t.Run("cycle", func(t *testing.T) { // x = f(x): all of f(f(... x)) are one
		g := New(sorts{})
		x := must(g.Add(leafX))
		top := deep(g, n, x)
		must(g.Union(must(g.Add(opF, x)), x, 0))
		must(0, g.Rebuild())
		if classes, nodes := g.Size(); classes != 1 || nodes != 2 {
			t.Errorf("%d classes, %d nodes", classes, nodes)
		}
		if p := g.Explain(top, x); p == nil || steps(p) > 3*n {
			t.Errorf("proof of %d steps", steps(p))
		}
		if classes, nodes := g.Size(); classes != 1 || nodes != 2 {
			t.Errorf("a proof makes %d classes, %d nodes", classes, nodes)
		}
	})
	t.Run("dag", func(t *testing.T) { // g(g(..), g(..)): trees of 2^n leaves
		g := New(sorts{})
		x, y := must(g.Add(leafX)), must(g.Add(leafY))
		a, b := x, y
		for range n / 10 {
			a, b = must(g.Add(opG, a, a)), must(g.Add(opG, b, b))
		}
		must(g.Union(x, y, 0))
		must(0, g.Rebuild())
		if p := g.Explain(a, b); p == nil || steps(p) != 2*n/10+1 {
			t.Errorf("proof of %d steps", steps(p))
		}
	})
}

// TestIdentity: a class that contains itself, below an operator and beside it, has proofs that end.
func TestIdentity(t *testing.T) {
	g := New(sorts{})
	x, y := must(g.Add(leafX)), must(g.Add(leafY))
	fx := must(g.Add(opF, x))
	gxy := must(g.Add(opG, fx, y))
	unions := [][2]Term{{fx, x}, {gxy, fx}, {y, x}}
	for i, u := range unions {
		must(g.Union(u[0], u[1], Reason(i)))
		must(0, g.Rebuild())
	}
	if classes, nodes := g.Size(); classes != 1 || nodes != 4 {
		t.Errorf("%d classes, %d nodes", classes, nodes)
	}
	for a := range Term(4) {
		for b := range Term(4) {
			rapid.Check(t, func(rt *rapid.T) { checkProof(rt, g, a, b, unions) })
		}
	}
}

// TestSame: the same calls give the same numbers, views and proofs.
func TestSame(t *testing.T) {
	run := func(seed uint64) string {
		g, out := New(sorts{}), ""
		next := func(n int) int {
			seed = seed*6364136223846793005 + 1442695040888963407
			return int(seed>>33) % n
		}
		for range 20 {
			must(g.Add(Op(next(10))))
		}
		for range 300 {
			a, b := Term(next(g.Terms())), Term(next(g.Terms()))
			switch next(8) {
			case 0:
				must(g.Union(a, b, Reason(next(1000))))
			case 1:
				must(0, g.Rebuild())
			default:
				must(g.Add(opG+Op(next(3)), a, b))
			}
		}
		must(0, g.Rebuild())
		for c := range g.Classes() {
			out += fmt.Sprintln(c, g.Representative(c), g.Nodes(c))
		}
		for range 20 {
			if p := g.Explain(Term(next(g.Terms())), Term(next(g.Terms()))); p != nil {
				out += fmt.Sprintln(*p)
			}
		}
		return out
	}
	if err := quick.Check(func(seed uint64) bool { first := run(seed); return run(seed) == first }, &quick.Config{MaxCount: 30}); err != nil {
		t.Error(err)
	}
}

// TestViewStays: what is read between two rebuildings stays as it was.
func TestViewStays(t *testing.T) {
	g := New(sorts{})
	x, y := must(g.Add(leafX)), must(g.Add(leafY))
	fx, fy := must(g.Add(opF, x)), must(g.Add(opF, y))
	must(0, g.Rebuild())
	before := slices.Collect(g.Classes())
	must(g.Union(x, y, 0))
	z := must(g.Add(opG, fx, fy))
	if now := slices.Collect(g.Classes()); !slices.Equal(now, before) || len(g.ByHead(int32(opF))) != 2 {
		t.Errorf("classes %v have become %v", before, now)
	}
	if g.Nodes(g.Class(z)) != nil || g.ByHead(int32(opG)) != nil {
		t.Error("a term is seen before the graph is rebuilt")
	}
	must(0, g.Rebuild())
	if len(g.Nodes(g.Class(z))) != 1 || len(g.ByHead(int32(opF))) != 1 || g.Class(fx) != g.Class(fy) {
		t.Error("the graph is not rebuilt")
	}
}

// BenchmarkRounds grows a graph to 100,000 nodes in rounds as a saturation does: sums of leaves, made commutative and
// associative.
func BenchmarkRounds(b *testing.B) {
	for b.Loop() {
		g := New(sorts{})
		var last Term
		for i := range 2000 {
			t := must(g.Add(Op(100_000 + i)))
			if i > 0 {
				t = must(g.Add(opG, last, t))
			}
			last = t
		}
		rounds := 0
		for must(0, g.Rebuild()); ; rounds++ {
			if _, nodes := g.Size(); nodes >= 100_000 {
				break
			}
			for _, c := range g.ByHead(int32(opG)) {
				for _, n := range g.NodesOf(c, int32(opG)) {
					l, r := g.Representative(n.Children[0]), g.Representative(n.Children[1])
					from := must(g.Add(opG, l, r))
					must(g.Union(from, must(g.Add(opG, r, l)), 0))
					for _, m := range g.NodesOf(n.Children[0], int32(opG)) {
						p, q := g.Representative(m.Children[0]), g.Representative(m.Children[1])
						from := must(g.Add(opG, must(g.Add(opG, p, q)), r))
						must(g.Union(from, must(g.Add(opG, p, must(g.Add(opG, q, r)))), 1))
					}
				}
			}
			must(0, g.Rebuild())
		}
		c := g.Class(last)
		n := 0
		for t := range Term(g.Terms()) {
			if n < 100 && g.Class(t) == c && t != last {
				n++
				g.Explain(last, t)
			}
		}
		_, nodes := g.Size()
		b.ReportMetric(float64(nodes), "nodes")
		b.ReportMetric(float64(g.Terms()), "terms")
		b.ReportMetric(float64(rounds), "rounds")
	}
}
