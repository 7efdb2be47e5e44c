package egraph

import (
	"errors"
	"testing"

	"pgregory.net/rapid"
)

// sorts is an analysis with the data of a sort: operators from 1000 to 1999 are of sort 1, and none of them may have
// arguments of different sorts.
type sorts struct{}

var errSorts = errors.New("sorts")

func (sorts) Make(op Op, children []int) (int, error) {
	for _, c := range children {
		if c != children[0] {
			return 0, errSorts
		}
	}
	if op >= 1000 && op < 2000 {
		return 1, nil
	}
	return 0, nil
}

func (sorts) Same(a, b int) bool { return a == b }

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func TestErrors(t *testing.T) {
	g := New(sorts{})
	x, y := must(g.Add(1)), must(g.Add(1001))
	if _, err := g.Add(2, x, y); !errors.Is(err, errSorts) {
		t.Errorf("error %v", err)
	}
	if classes, nodes := g.Size(); classes != 2 || nodes != 2 || g.Terms() != 2 {
		t.Errorf("after an error there are %d classes, %d nodes, %d terms", classes, nodes, g.Terms())
	}
	var mismatch *Mismatch
	if done, err := g.Union(x, y, 7); done || !errors.As(err, &mismatch) || *mismatch != (Mismatch{x, y}) {
		t.Errorf("union of different sorts: %v, %v", done, err)
	}
	if g.Class(x) == g.Class(y) || g.Explain(x, y) != nil {
		t.Error("different sorts are one class")
	}
}

// naive has the congruence closure of terms and unions, from the definition: pairs are made equal until nothing changes.
type naive struct {
	ops    []Op
	args   [][]Term
	parent []int
}

func (n *naive) find(t Term) int {
	for i := int(t); ; i = n.parent[i] {
		if n.parent[i] == i {
			return i
		}
	}
}

func (n *naive) union(a, b Term) { n.parent[n.find(a)] = n.find(b) }

func (n *naive) close() {
	for changed := true; changed; {
		changed = false
		for i := range n.ops {
		next:
			for j := range i {
				if n.ops[i] != n.ops[j] || len(n.args[i]) != len(n.args[j]) || n.find(Term(i)) == n.find(Term(j)) {
					continue
				}
				for k := range n.args[i] {
					if n.find(n.args[i][k]) != n.find(n.args[j][k]) {
						continue next
					}
				}
				n.union(Term(i), Term(j))
				changed = true
			}
		}
	}
}

// grow makes the same random calls of both, and returns the unions by reason.
func grow(rt *rapid.T, g *Graph[int], n *naive) [][2]Term {
	var unions [][2]Term
	for range rapid.IntRange(1, 40).Draw(rt, "calls") {
		some := func() Term { return Term(rapid.IntRange(0, len(n.ops)-1).Draw(rt, "term")) }
		switch what := rapid.IntRange(0, 9).Draw(rt, "what"); {
		case len(n.ops) == 0 || what == 0:
			add(g, n, Op(rapid.IntRange(0, 5).Draw(rt, "leaf")))
		case what <= 5:
			op := Op(rapid.IntRange(10, 12).Draw(rt, "op"))
			children := make([]Term, op-9)
			for i := range children {
				children[i] = some()
			}
			add(g, n, op, children...)
		case what <= 8:
			a, b := some(), some()
			must(g.Union(a, b, Reason(len(unions))))
			n.union(a, b)
			unions = append(unions, [2]Term{a, b})
		default:
			must(0, g.Rebuild())
		}
	}
	must(0, g.Rebuild())
	n.close()
	return unions
}

func add(g *Graph[int], n *naive, op Op, children ...Term) {
	if t := must(g.Add(op, children...)); int(t) == len(n.ops) {
		n.ops, n.args, n.parent = append(n.ops, op), append(n.args, children), append(n.parent, len(n.parent))
	}
}

func TestCongruenceClosure(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g, n := New(sorts{}), &naive{}
		unions := grow(rt, g, n)
		for a := range Term(len(n.ops)) {
			for b := range a {
				if same := g.Class(a) == g.Class(b); same != (n.find(a) == n.find(b)) {
					rt.Fatalf("terms %d and %d: equal is %v", a, b, same)
				}
			}
		}
		checkView(rt, g)
		for a := range Term(len(n.ops)) {
			for b := range Term(len(n.ops)) {
				checkProof(rt, g, a, b, unions)
			}
		}
		// what proofs add is congruent to what was there
		for t := len(n.ops); t < g.Terms(); t++ {
			n.ops, n.args, n.parent = append(n.ops, g.Op(Term(t))), append(n.args, g.Args(Term(t))), append(n.parent, t)
		}
		n.close()
		for a := range Term(g.Terms()) {
			for b := range a {
				if same := g.Class(a) == g.Class(b); same != (n.find(a) == n.find(b)) {
					rt.Fatalf("terms %d and %d, one of a proof: equal is %v", a, b, same)
				}
			}
		}
	})
}

// checkView holds the view to the terms: each class has the nodes that its terms are, once, and is found by them.
func checkView(rt *rapid.T, g *Graph[int]) {
	type node struct {
		op   Op
		args string
	}
	want := map[node]Class{}
	key := func(op Op, classes []Class) node {
		text := ""
		for _, c := range classes {
			text += string(rune(c)) + ","
		}
		return node{op, text}
	}
	oldest := map[Class]Term{}
	for t := range Term(g.Terms()) {
		var classes []Class
		for _, a := range g.Args(t) {
			classes = append(classes, g.Class(a))
		}
		k, c := key(g.Op(t), classes), g.Class(t)
		if other, ok := want[k]; ok && other != c {
			rt.Fatalf("term %d has a node of another class", t)
		}
		want[k] = c
		if _, ok := oldest[c]; !ok {
			oldest[c] = t
		}
	}
	classes, nodes := 0, 0
	byHead := map[int32][]Class{}
	for c := range g.Classes() {
		classes++
		if g.Find(c) != c || g.Representative(c) != oldest[c] {
			rt.Fatalf("class %d is %d now, its oldest term %d", c, g.Find(c), g.Representative(c))
		}
		last := int32(-1)
		for _, n := range g.Nodes(c) {
			nodes++
			if k := key(n.Op, n.Children); want[k] != c || g.Op(n.Term) != n.Op || g.Class(n.Term) != c {
				rt.Fatalf("class %d has the node %v", c, n)
			}
			if h := int32(n.Op); h != last {
				byHead[h], last = append(byHead[h], c), h
			}
			found := false
			for _, m := range g.NodesOf(c, int32(n.Op)) {
				found = found || m.Term == n.Term
			}
			if !found {
				rt.Fatalf("NodesOf has not %v", n)
			}
		}
	}
	if c, n := g.Size(); len(want) != nodes || n != nodes || c != classes {
		rt.Fatalf("%d nodes of %d in %d classes; the graph says %d and %d", nodes, len(want), classes, n, c)
	}
	for h := range int32(20) {
		got := g.ByHead(h)
		if len(got) != len(byHead[h]) {
			rt.Fatalf("head %d: classes %v, want %v", h, got, byHead[h])
		}
		for i := range got {
			if got[i] != byHead[h][i] {
				rt.Fatalf("head %d: classes %v, want %v", h, got, byHead[h])
			}
		}
	}
}

// checkProof checks each step of the proof that a and b are equal, or that there is none.
func checkProof(rt *rapid.T, g *Graph[int], a, b Term, unions [][2]Term) {
	p := g.Explain(a, b)
	if (p != nil) != (g.Class(a) == g.Class(b)) {
		rt.Fatalf("terms %d and %d: proof %v", a, b, p)
	}
	if p == nil {
		return
	}
	for i, l := range p.Lemmas {
		if l.From == l.To {
			rt.Fatalf("lemma %d says nothing", i)
		}
		checkChain(rt, g, p.Lemmas[:i], l.From, l.To, l.Chain, unions)
	}
	checkChain(rt, g, p.Lemmas, a, b, p.Chain, unions)
}

func checkChain(rt *rapid.T, g *Graph[int], lemmas []Lemma, from, to Term, chain []Step, unions [][2]Term) {
	for _, s := range chain {
		if s.From != from {
			rt.Fatalf("a step from %d follows %d", s.From, from)
		}
		from = s.To
		if s.Argument < 0 {
			if u := unions[s.Reason]; !s.Reversed && u != [2]Term{s.From, s.To} || s.Reversed && u != [2]Term{s.To, s.From} {
				rt.Fatalf("step %v of the union %v", s, u)
			}
			continue
		}
		if g.Op(s.From) != g.Op(s.To) || s.Lemma >= len(lemmas) {
			rt.Fatalf("step %v", s)
		}
		l := lemmas[s.Lemma]
		if s.Reversed {
			l.From, l.To = l.To, l.From
		}
		for i, x := range g.Args(s.From) {
			if y := g.Args(s.To)[i]; i == s.Argument && (x != l.From || y != l.To) || i != s.Argument && x != y {
				rt.Fatalf("step %v by lemma %v: argument %d is %d and %d", s, l, i, x, y)
			}
		}
	}
	if from != to {
		rt.Fatalf("a chain ends at %d, not %d", from, to)
	}
}
