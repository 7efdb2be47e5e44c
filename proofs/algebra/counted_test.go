package algebra

import (
	"math/rand/v2"
	"testing"
)

// TestCountable: of a variable that conditions alone mention as many places are counted as meet
// them, wherever the other variable is.
func TestCountable(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	counted, bounded := 0, 0
	for range 4000 {
		b := NewBuilder()
		e := newEngine(b, func() {}, func(*Goal) *answer { return nil })
		const n = 5
		v, w := b.NewVar(b.Const(0), b.Const(n)), b.NewVar(b.Const(0), b.Const(n))
		s := *ofAtom(e.atom(atom{kind: readAtom, name: "A", e: w.expr}))[0]
		s.vars = []*Atom{v, w}
		for range 1 + r.IntN(3) {
			g := b.Add(b.Scale(Int(r.Int64N(5)-2), v.expr), b.Scale(Int(r.Int64N(3)-1), w.expr), b.Const(r.Int64N(9)-4))
			s.guards = append(s.guards, g)
		}
		x := e.countable(b.Root, &s)
		if x == nil {
			continue
		}
		if counted++; len(x.rest) < len(s.guards) {
			bounded++
		}
		for j := range int64(n) {
			at := func(i int64, g *Expr) int64 {
				sum, ok := g.at(func(a *Atom) (Num, bool) {
					switch a {
					case v:
						return Int(i), true
					case w:
						return Int(j), true
					}
					panic("a quotient")
				})
				k, _ := sum.Int64()
				if !ok {
					t.Fatal("not known")
				}
				return k
			}
			places := int64(0)
			if x.of == v {
				for i := range int64(n) {
					met := true
					for _, g := range s.guards {
						met = met && at(i, g) >= 0
					}
					if met {
						places++
					}
				}
			}
			rest := true
			for _, g := range x.rest {
				rest = rest && at(0, g) >= 0
			}
			said, divided := int64(0), false
			func() {
				defer func() { divided = recover() != nil }()
				said = at(0, x.places)
			}()
			if rest && !divided && said != places {
				t.Fatalf("%d places are counted, there are %d", said, places)
			}
		}
	}
	if counted < 200 || bounded < 100 {
		t.Errorf("%d of 4000 are counted, %d of them bounded", counted, bounded)
	}
}
