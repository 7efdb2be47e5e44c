package sat

import (
	"context"
	"math/rand/v2"
	"testing"

	_ "tv/internal/tier"
)

// check follows a proof from the definition: with a lemma's literals false, each hint has one literal left that is not false, which
// becomes true, and the last has none.
func check(t *testing.T, axioms [][]Lit, p *Proof) {
	t.Helper()
	clauses := append([][]Lit{nil}, axioms...)
	for id := ID(len(axioms) + 1); id <= p.Last(); id++ {
		lits, hints := p.Lemma(id)
		if !follows(clauses, lits, hints) {
			t.Fatalf("lemma %d: %v does not follow by %v", id, lits, hints)
		}
		clauses = append(clauses, lits)
	}
}

func follows(clauses [][]Lit, lits []Lit, hints []ID) bool {
	no := map[Lit]bool{}
	for _, l := range lits {
		no[l] = true
	}
	for i, h := range hints {
		if int(h) >= len(clauses) {
			return false
		}
		var left []Lit
		for _, l := range clauses[h] {
			if !no[l] {
				left = append(left, l)
			}
		}
		switch {
		case len(left) == 0:
			return i == len(hints)-1
		case len(left) > 1 || no[left[0].Not()]:
			return false
		}
		no[left[0].Not()] = true
	}
	return false
}

func holds(clauses [][]Lit, value func(v int) bool) bool {
	for _, c := range clauses {
		some := false
		for _, l := range c {
			some = some || value(l.Var()) == (l&1 == 0)
		}
		if !some {
			return false
		}
	}
	return true
}

func brute(clauses [][]Lit, vars int) bool {
	for m := range 1 << vars {
		if holds(clauses, func(v int) bool { return m>>v&1 != 0 }) {
			return true
		}
	}
	return false
}

func load(clauses [][]Lit, vars int) (*Solver, *Proof, []int) {
	p := NewProof(len(clauses))
	s := New(p)
	var all []int
	for range vars {
		all = append(all, s.NewVar())
	}
	for i, c := range clauses {
		s.Add(ID(i+1), c...)
	}
	return s, p, all
}

func draw(r *rand.Rand, vars, count, most int) [][]Lit {
	var out [][]Lit
	for range count {
		perm := r.Perm(vars)[:1+r.IntN(most)]
		var c []Lit
		for _, v := range perm {
			c = append(c, Lit(2*v+r.IntN(2)))
		}
		out = append(out, c)
	}
	return out
}

func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1500 {
		vars := 3 + r.IntN(10)
		clauses := draw(r, vars, 1+r.IntN(6*vars), 3)
		s, p, all := load(clauses, vars)
		// The same solver is asked again and again, under assumptions.
		for range 6 {
			var given [][]Lit
			var assumed []Lit
			for _, v := range r.Perm(vars)[:r.IntN(4)] {
				l := Lit(2*v + r.IntN(2))
				assumed = append(assumed, l)
				given = append(given, []Lit{l})
			}
			want := brute(append(given, clauses...), vars)
			switch s.Solve(context.Background(), all, assumed, 1<<20) {
			case Satisfiable:
				if !want || !holds(append(given, clauses...), s.Value) {
					t.Fatalf("%v under %v: a model that is none", clauses, assumed)
				}
			case Unsatisfiable:
				lits, _ := clauseOf(p, clauses, s.Lemma())
				for _, l := range lits {
					var found bool
					for _, a := range assumed {
						found = found || a == l.Not()
					}
					if !found {
						t.Fatalf("lemma %v under %v", lits, assumed)
					}
				}
				if want {
					t.Fatalf("%v under %v: refused", clauses, assumed)
				}
			default:
				t.Fatal("unknown")
			}
		}
		check(t, clauses, p)
	}
}

// clauseOf returns the literals of an axiom or a lemma.
func clauseOf(p *Proof, axioms [][]Lit, id ID) ([]Lit, []ID) {
	if int(id) <= len(axioms) {
		return axioms[id-1], nil
	}
	return p.Lemma(id)
}

func pigeons(n int) (clauses [][]Lit, vars int) {
	for i := range n + 1 {
		var c []Lit
		for j := range n {
			c = append(c, Lit(2*(i*n+j)))
		}
		clauses = append(clauses, c)
	}
	for j := range n {
		for i := range n + 1 {
			for k := range i {
				clauses = append(clauses, []Lit{Lit(2*(i*n+j) + 1), Lit(2*(k*n+j) + 1)})
			}
		}
	}
	return clauses, n * (n + 1)
}

func TestPigeons(t *testing.T) {
	clauses, vars := pigeons(7)
	s, p, all := load(clauses, vars)
	if got := s.Solve(context.Background(), all, nil, 10); got != Unknown {
		t.Errorf("within 10 conflicts: %d", got)
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if got := s.Solve(stopped, all, nil, 1<<30); got != Unknown {
		t.Errorf("stopped: %d", got)
	}
	if got := s.Solve(context.Background(), all, nil, 1<<20); got != Unsatisfiable {
		t.Fatalf("pigeons: %d", got)
	}
	if lits, _ := p.Lemma(s.Lemma()); len(lits) != 0 {
		t.Errorf("the last lemma is %v", lits)
	}
	check(t, clauses, p)
	t.Logf("%d conflicts, %d lemmas, %d used", s.Conflicts, int(p.Last())-p.Axioms(), len(p.Used(s.Lemma())))
}

// Large enough for clauses to be forgotten.
func TestThresholdFormulas(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	found := map[Status]int{}
	for range 6 {
		const vars = 150
		var clauses [][]Lit
		for range 640 {
			var c []Lit
			for _, v := range r.Perm(vars)[:3] {
				c = append(c, Lit(2*v+r.IntN(2)))
			}
			clauses = append(clauses, c)
		}
		s, p, all := load(clauses, vars)
		s.reduceAt, s.reduceStep = 100, 100
		got := s.Solve(context.Background(), all, nil, 1<<20)
		if got == Satisfiable && !holds(clauses, s.Value) {
			t.Fatal("a model that is none")
		}
		found[got]++
		check(t, clauses, p)
		t.Logf("%d: %d conflicts", got, s.Conflicts)
	}
	if found[Satisfiable] == 0 || found[Unsatisfiable] == 0 {
		t.Errorf("all alike: %v", found)
	}
}
