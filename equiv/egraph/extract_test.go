package egraph

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// brute finds the cheapest choice of all, from the definition.
func brute(g *Graph[int], root Class, costs Costs) (best Cost, found bool) {
	chosen := map[Class]Node{}
	var choose func(open []Class, sum Cost)
	choose = func(open []Class, sum Cost) {
		if found && !sum.Less(best) {
			return
		}
		if len(open) == 0 {
			if acyclic(chosen, root) {
				best, found = sum, true
			}
			return
		}
		c := open[0]
		if _, ok := chosen[c]; ok {
			choose(open[1:], sum)
			return
		}
		for _, n := range g.Nodes(c) {
			if cost, ok := costs(c, n); ok {
				chosen[c] = n
				choose(append(append([]Class(nil), open[1:]...), n.Children...), sum.Add(cost))
				delete(chosen, c)
			}
		}
	}
	choose([]Class{root}, Cost{})
	return best, found
}

func acyclic(chosen map[Class]Node, root Class) bool {
	state := map[Class]int{}
	var walk func(Class) bool
	walk = func(c Class) bool {
		switch state[c] {
		case 1:
			return false
		case 2:
			return true
		}
		state[c] = 1
		for _, d := range chosen[c].Children {
			if !walk(d) {
				return false
			}
		}
		state[c] = 2
		return true
	}
	return walk(root)
}

// termCost adds up what a term costs, what is shared once or as often as it occurs.
func termCost(g *Graph[int], t Term, costs Costs, shared bool) Cost {
	seen := map[Term]bool{}
	var walk func(Term) Cost
	walk = func(t Term) Cost {
		if shared && seen[t] {
			return Cost{}
		}
		seen[t] = true
		c := g.Class(t)
		var sum Cost
		for _, n := range g.Nodes(c) {
			same := n.Op == g.Op(t) && len(n.Children) == len(g.Args(t))
			for i, a := range g.Args(t) {
				same = same && g.Class(a) == n.Children[i]
			}
			if same {
				sum, _ = costs(c, n)
			}
		}
		for _, a := range g.Args(t) {
			sum = sum.Add(walk(a))
		}
		return sum
	}
	return walk(t)
}

// drawCosts costs operators at random, up to top.
func drawCosts(rt *rapid.T, top uint64) Costs {
	table := map[Op]Cost{}
	return func(_ Class, n Node) (Cost, bool) {
		c, ok := table[n.Op]
		if !ok {
			place := rapid.IntRange(0, 2).Draw(rt, "place")
			c[place] = rapid.Uint64Range(0, top).Draw(rt, "cost")
			c[3] = 1
			table[n.Op] = c
		}
		return c, n.Op != 5 && n.Op != 19
	}
}

func TestExtract(t *testing.T) {
	missed, proved := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		g := New(sorts{})
		for range rapid.IntRange(1, 6).Draw(rt, "leaves") {
			must(g.Add(Op(rapid.IntRange(0, 8).Draw(rt, "leaf"))))
		}
		for range rapid.IntRange(1, 25).Draw(rt, "terms") {
			children := rapid.SliceOfN(rapid.IntRange(0, g.Terms()-1), 1, 3).Draw(rt, "children")
			args := make([]Term, len(children))
			for i, c := range children {
				args[i] = Term(c)
			}
			must(g.Add(Op(10+rapid.IntRange(0, 9).Draw(rt, "op")), args...))
		}
		for i := range rapid.IntRange(0, 12).Draw(rt, "unions") {
			a, b := rapid.IntRange(0, g.Terms()-1).Draw(rt, "a"), rapid.IntRange(0, g.Terms()-1).Draw(rt, "b")
			must(g.Union(Term(a), Term(b), Reason(i)))
		}
		must(0, g.Rebuild())
		costs := drawCosts(rt, rapid.SampledFrom([]uint64{2, 30, 1 << 40}).Draw(rt, "top"))
		root := g.Class(Term(rapid.IntRange(0, g.Terms()-1).Draw(rt, "root")))
		want, possible := brute(g, root, costs)
		tree, treeErr := g.Tree(root, costs)
		shared, sharedErr := g.Shared(root, costs)
		best, optimal, err := g.Optimum(context.Background(), root, costs, Limit{})
		if !possible {
			var nothing *ErrNothing
			if !errors.As(treeErr, &nothing) || !errors.As(sharedErr, &nothing) || !errors.As(err, &nothing) {
				rt.Fatalf("no term, but %v, %v, %v", treeErr, sharedErr, err)
			}
			return
		}
		for _, c := range []*Choice{tree, shared, best} {
			term := must(g.Build(c))
			if g.Class(term) != root {
				rt.Fatal("a term of another class")
			}
			if got := termCost(g, term, costs, c != tree); got != c.Cost {
				rt.Fatalf("a term costs %v, not %v", got, c.Cost)
			}
			if c.Cost.Less(want) {
				rt.Fatalf("a term costs %v, less than the least, %v", c.Cost, want)
			}
			if _, _, ok := g.terms.find(g.Op(term), g.Args(term)); !ok {
				rt.Fatal("the term is not there")
			}
		}
		if optimal {
			proved++
			if best.Cost != want {
				rt.Fatalf("optimal at %v, but there is one of %v", best.Cost, want)
			}
		}
		if shared.Cost.Less(best.Cost) {
			rt.Fatalf("greedy %v, optimum %v", shared.Cost, best.Cost)
		}
		if want.Less(shared.Cost) {
			missed++
		}
	})
	t.Logf("greedy missed the best %d times; %d proved", missed, proved)
	if proved == 0 {
		t.Error("nothing is proved optimal")
	}
}

// a small language of terms, for examples
func build(g *Graph[int], ops map[string]Op, text any) Term {
	switch x := text.(type) {
	case string:
		if _, ok := ops[x]; !ok {
			ops[x] = Op(len(ops))
		}
		return must(g.Add(ops[x]))
	case []any:
		name := fmt.Sprint(x[0], "/", len(x)-1)
		if _, ok := ops[name]; !ok {
			ops[name] = Op(len(ops))
		}
		var args []Term
		for _, a := range x[1:] {
			args = append(args, build(g, ops, a))
		}
		return must(g.Add(ops[name], args...))
	}
	panic("a term")
}

type list = []any

// TestExtractShared: where the ways to extract differ. Costs are those of operators, by name, or 1.
func TestExtractShared(t *testing.T) {
	for _, test := range []struct {
		name                  string
		root                  list
		equal                 [][2]any
		costs                 map[string]uint64
		tree, shared, optimum uint64 // shared once each
	}{
		{ // one by one the parts are cheaper without what they could share
			name:  "together",
			root:  list{"pair", list{"f", "a"}, list{"g", "b"}},
			equal: [][2]any{{list{"f", "a"}, list{"f", "s"}}, {list{"g", "b"}, list{"g", "s"}}},
			costs: map[string]uint64{"a": 4, "b": 4, "s": 5},
			tree:  11, shared: 11, optimum: 8,
		},
		{ // a tree pays s twice and avoids it
			name:  "twice",
			root:  list{"f", "x"},
			equal: [][2]any{{"x", list{"g", "s", "s"}}, {"x", list{"h", "t"}}},
			costs: map[string]uint64{"x": 100, "s": 5, "t": 8},
			tree:  10, shared: 7, optimum: 7,
		},
		{ // a class that contains itself behind two reshapes
			name:  "circle",
			root:  list{"r", list{"q", "x"}},
			equal: [][2]any{{"x", list{"r", list{"q", "x"}}}, {"x", list{"u", "y"}}},
			costs: map[string]uint64{"x": 50, "y": 20},
			tree:  21, shared: 21, optimum: 21,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, ops := New(sorts{}), map[string]Op{}
			root := build(g, ops, test.root)
			for i, e := range test.equal {
				must(g.Union(build(g, ops, e[0]), build(g, ops, e[1]), Reason(i)))
			}
			must(0, g.Rebuild())
			names := map[Op]string{}
			for name, op := range ops {
				names[op] = name
			}
			costs := func(_ Class, n Node) (Cost, bool) {
				if c, ok := test.costs[names[n.Op]]; ok {
					return Cost{c}, true
				}
				return Cost{1}, true
			}
			tree := must(g.Tree(g.Class(root), costs))
			shared := must(g.Shared(g.Class(root), costs))
			best, optimal, err := g.Optimum(context.Background(), g.Class(root), costs, Limit{})
			if err != nil || !optimal {
				t.Fatalf("optimal %v, %v", optimal, err)
			}
			if got := termCost(g, must(g.Build(tree)), costs, true)[0]; got != test.tree {
				t.Errorf("tree costs %d, want %d", got, test.tree)
			}
			if shared.Cost[0] != test.shared || best.Cost[0] != test.optimum {
				t.Errorf("shared %d, optimum %d, want %d, %d", shared.Cost[0], best.Cost[0], test.shared, test.optimum)
			}
		})
	}
}

// covers makes a class that needs all of n elements, each in some of k sets: to use a set costs 1.
func covers(n, k int, seed uint64) (g *Graph[int], root Class, costs Costs, in [][]int) {
	g = New(sorts{})
	sets := make([]Term, k)
	for i := range sets {
		sets[i] = must(g.Add(Op(100 + i)))
	}
	in = make([][]int, n)
	elements := make([]Term, n)
	for e := range elements {
		elements[e] = must(g.Add(Op(200 + e)))
		for i := range sets {
			seed = seed*6364136223846793005 + 1442695040888963407
			if seed>>33%5 == 0 || i == e%k {
				in[e] = append(in[e], i)
				must(g.Union(elements[e], must(g.Add(Op(300+e), sets[i])), 0))
			}
		}
	}
	all := must(g.Add(Op(99), elements...))
	must(0, g.Rebuild())
	return g, g.Class(all), func(_ Class, n Node) (Cost, bool) {
		switch {
		case n.Op >= 200 && n.Op < 300:
			return Cost{}, false
		case n.Op >= 100 && n.Op < 200:
			return Cost{1}, true
		}
		return Cost{0, 1}, true
	}, in
}

// TestOptimumCovers: the least number of sets that cover all elements, which is hard in general.
func TestOptimumCovers(t *testing.T) {
	better := 0
	for seed := range uint64(12) {
		const n, k = 24, 12
		g, root, costs, in := covers(n, k, seed)
		least := k
		for some := range 1 << k {
			size := 0
			for i := range k {
				size += some >> i & 1
			}
			all := size < least
			for e := 0; e < n && all; e++ {
				one := false
				for _, i := range in[e] {
					one = one || some>>i&1 != 0
				}
				all = one
			}
			if all {
				least = size
			}
		}
		shared := must(g.Shared(root, costs))
		best, optimal, err := g.Optimum(context.Background(), root, costs, Limit{})
		if err != nil || !optimal || best.Cost[0] != uint64(least) {
			t.Errorf("%d sets suffice; optimum has %d, optimal %v, %v", least, best.Cost[0], optimal, err)
		}
		if best.Cost.Less(shared.Cost) {
			better++
		}
	}
	if better == 0 {
		t.Error("greedy always found the best: the test is too easy")
	}
}

// TestOptimumLimit: where a limit or the context ends the search nothing is called optimal, and there is a choice.
func TestOptimumLimit(t *testing.T) {
	g, root, costs, _ := covers(60, 30, 1)
	shared := must(g.Shared(root, costs))
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	for _, test := range []struct {
		ctx   context.Context
		limit Limit
	}{
		{context.Background(), Limit{Conflicts: 3}},
		{context.Background(), Limit{Clauses: 10}},
		{stopped, Limit{}},
	} {
		var first Cost
		for range 2 {
			c, optimal, err := g.Optimum(test.ctx, root, costs, test.limit)
			if err != nil || optimal || shared.Cost.Less(c.Cost) {
				t.Fatalf("%+v: cost %v, greedy %v, optimal %v, %v", test.limit, c.Cost, shared.Cost, optimal, err)
			}
			if test.ctx == stopped {
				break // how far it got is chance
			}
			if first != (Cost{}) && c.Cost != first {
				t.Errorf("%+v: cost %v, then %v", test.limit, first, c.Cost)
			}
			first = c.Cost
		}
	}
}

// BenchmarkExtract extracts from a graph of 100,000 nodes: a chain of layers, each written in several ways.
func BenchmarkExtract(b *testing.B) {
	g := New(sorts{})
	x := must(g.Add(0))
	for i := range 1000 {
		w := must(g.Add(Op(1_000_000 + i)))
		y := must(g.Add(10, x, w))
		for j := range 30 {
			way := must(g.Add(Op(11+j), must(g.Add(Op(50+j), x)), must(g.Add(Op(90+j), w))))
			must(g.Union(y, way, 0))
		}
		x = y
	}
	must(0, g.Rebuild())
	costs := func(c Class, n Node) (Cost, bool) { return Cost{uint64(n.Op) * 7919 % 31, 1}, true }
	_, nodes := g.Size()
	for _, how := range []struct {
		name string
		run  func() (*Choice, error)
	}{
		{"tree", func() (*Choice, error) { return g.Tree(g.Class(x), costs) }},
		{"shared", func() (*Choice, error) { return g.Shared(g.Class(x), costs) }},
		{"optimum", func() (*Choice, error) {
			c, optimal, err := g.Optimum(context.Background(), g.Class(x), costs, Limit{})
			if !optimal {
				b.Error("not optimal")
			}
			return c, err
		}},
	} {
		b.Run(how.name, func(b *testing.B) {
			for b.Loop() {
				must(how.run())
			}
			b.ReportMetric(float64(nodes), "nodes")
		})
	}
}
