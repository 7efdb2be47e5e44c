package run

import (
	"errors"
	"math/rand/v2"
	"testing"

	"tv/ila"
	"tv/semantics/index"
	"tv/semantics/term"
)

// A stretcher draws models whose one instruction stores for all values of a counter.
type stretcher struct {
	r    *rand.Rand
	m    *ila.Model
	j    *index.Atom
	in   *ila.Var
	mems []*ila.Var
}

// address returns an address in or a little beyond the memories: mostly a line in the counter and k, which may be
// nil.
func (g *stretcher) address(k *index.Atom) *term.Term {
	m, b := g.m, g.m.B
	at := m.At(m.Address(g.r.Uint64N(12)), b.MulBits(m.Address(g.r.Uint64N(4)), m.CountAt(g.j)))
	switch g.r.IntN(10) {
	case 0: // down
		at = b.AddBits(m.Address(40), b.NegBits(at))
	case 1: // not a line
		at = b.And(at, m.Address(g.r.Uint64N(64)))
	case 2: // by an input
		at = m.At(at, g.in.Term)
	case 3: // one that varies with data
		at = m.At(m.Load(g.mems[0], m.At(at)))
	}
	if k != nil {
		at = m.At(at, m.CountAt(k))
	}
	return at
}

// bits returns an expression of 12 bits.
func (g *stretcher) bits(depth int) *term.Term {
	b := g.m.B
	if depth == 0 {
		switch g.r.IntN(4) {
		case 0:
			return g.m.Count(12, g.j)
		case 1:
			return b.ExtendS(g.in.Term, 12)
		case 2:
			return b.Bits(12, g.r.Uint64())
		}
		return b.ExtendS(g.m.Load(g.mems[g.r.IntN(2)], g.address(nil)), 12)
	}
	x, y := g.bits(depth-1), g.bits(depth-1)
	switch g.r.IntN(10) {
	case 0:
		return b.AddBits(x, y)
	case 1:
		return b.MulBits(x, y)
	case 2:
		return b.Xor(x, b.NegBits(y))
	case 3:
		return b.ShrS(x, b.And(y, b.Bits(12, 7)))
	case 4:
		return b.MaxS(x, y)
	case 5:
		return b.Choose(b.LessU(b.ExtendU(g.in.Term, 12), b.Bits(12, 8)), x, y) // the same for all values
	case 6:
		return b.Choose(b.And(b.LessU(x, y), b.Equal(b.Extract(y, 2, 1), b.Bits(1, 1))), x, b.Not(y))
	case 7:
		return b.Concat(b.Extract(x, 3, 5), b.Extract(y, 0, 7))
	}
	k := g.m.Counter("k", 1+g.r.IntN(20))
	return b.Reduce(term.Sum, []*index.Atom{k}, b.MulBits(b.ExtendS(g.m.Load(g.mems[0], g.address(k)), 12),
		b.ExtendS(g.m.Load(g.mems[1], g.address(k)), 12)))
}

// model draws a model with memories of 6, 8 and 12 bits and a store or two to the last ones.
func (g *stretcher) model() {
	m := ila.New("stretch", "")
	g.m, g.in = m, m.Input("x", 4, "")
	g.mems = nil
	for _, v := range []struct {
		name  string
		width int
		depth uint64
	}{{"a", 6, 48}, {"b", 8, 2*pageSize + 8}, {"c", 12, 80}, {"d", 12, 80}} {
		g.mems = append(g.mems, m.Memory(v.name, v.width, v.depth, ""))
	}
	g.j = m.Counter("j", 2+g.r.IntN(15))
	i := m.Instruction("only", "", m.B.Truth(true))
	for range 1 + g.r.IntN(2) {
		var stores []ila.StoreTo
		for range 1 + g.r.IntN(2) {
			st := ila.StoreTo{Memory: g.mems[2+g.r.IntN(2)], Address: g.address(nil), Value: g.bits(1 + g.r.IntN(3))}
			if g.r.IntN(3) == 0 {
				st.When = m.B.LessU(g.in.Term, m.B.Bits(4, 9))
			}
			stores = append(stores, st)
		}
		if g.r.IntN(3) == 0 { // the first values of the counter only
			below := m.B.LessU(m.Count(4, g.j), g.in.Term)
			for n := range stores {
				stores[n].When = below
			}
		}
		i.Each(g.j, stores...)
	}
}

// Lanes, one value at a time, and the symbolic executor have the same faults and leave the same cells. Enough of the
// models drawn run in lanes to the end, and enough meet a fault there.
func TestLanes(t *testing.T) {
	ran, fell := 0, 0
	for seed := range uint64(4000) {
		g := &stretcher{r: rand.New(rand.NewPCG(seed, 11))}
		g.model()
		if err := ila.Validate(g.m); err != nil {
			t.Fatal(err)
		}
		lanes, single, symbolic := NewSimulator(g.m), NewSimulator(g.m), NewSymbolic(g.m)
		compiled := true
		for i := range lanes.root.instructions[0].eachs {
			compiled = compiled && lanes.root.instructions[0].eachs[i].lanes != nil
			single.root.instructions[0].eachs[i].lanes = nil
		}
		shift := uint64(0) // where the second memory lies over the edge of a page
		if g.r.IntN(2) == 0 {
			shift = pageSize - 20
		}
		for n, v := range g.mems {
			for at := range min(v.Depth, 48) {
				if g.r.IntN(400) == 0 {
					continue // never written
				}
				value := g.r.Uint64() & term.Ones(v.Width)
				if n == 1 {
					at += shift
				}
				lanes.SetCell(v, at, value)
				single.SetCell(v, at, value)
				symbolic.SetCell(v, at, g.m.B.Bits(v.Width, value))
			}
		}
		for range 2 {
			x := g.r.Uint64N(16)
			want := single.Step(x)
			for name, err := range map[string]error{"lanes": lanes.Step(x), "terms": symbolic.Step(g.m.B.Bits(4, x))} {
				var f, h *ila.Fault
				if errors.As(want, &f) != errors.As(err, &h) || f != nil && f.Error() != h.Error() {
					t.Fatalf("seed %d: %s: %v, want %v", seed, name, err, want)
				}
			}
			switch {
			case compiled && want == nil:
				ran++
			case compiled:
				fell++
			}
			for _, v := range g.mems[2:] { // those that are written
				for at := range v.Depth {
					a, okA := lanes.Cell(v, at)
					b, okB := single.Cell(v, at)
					if a != b || okA != okB {
						t.Fatalf("seed %d: %s[%d] is %d (%t) in lanes, %d (%t) one by one", seed, v.Name, at, a, okA, b, okB)
					}
					if c := symbolic.Cell(v, at); (c != nil) != okB || c != nil && c != g.m.B.Bits(v.Width, b) {
						t.Fatalf("seed %d: %s[%d] is %v as a term, %d (%t) in the simulator", seed, v.Name, at, c, b, okB)
					}
				}
			}
		}
	}
	if ran < 1000 || fell < 300 {
		t.Errorf("only %d steps ran in lanes, and %d met a fault there", ran, fell)
	}
}

// A simulator that is reset runs like a new one, whatever it ran before, faults included.
func TestReset(t *testing.T) {
	for seed := range uint64(300) {
		g := &stretcher{r: rand.New(rand.NewPCG(seed, 12))}
		g.model()
		used := NewSimulator(g.m)
		for range 3 {
			fresh := NewSimulator(g.m)
			used.Reset()
			for range g.r.IntN(150) {
				v, value := g.mems[g.r.IntN(4)], g.r.Uint64()
				at := g.r.Uint64N(v.Depth)
				used.SetCell(v, at, value&term.Ones(v.Width))
				fresh.SetCell(v, at, value&term.Ones(v.Width))
			}
			x := g.r.Uint64N(16)
			if a, b := used.Step(x), fresh.Step(x); (a == nil) != (b == nil) || a != nil && a.Error() != b.Error() {
				t.Fatalf("seed %d: %v, and anew %v", seed, a, b)
			}
			for _, v := range g.mems {
				for at := range v.Depth {
					a, okA := used.Cell(v, at)
					if b, okB := fresh.Cell(v, at); a != b || okA != okB {
						t.Fatalf("seed %d: %s[%d] is %d (%t), and anew %d (%t)", seed, v.Name, at, a, okA, b, okB)
					}
				}
			}
		}
	}
}
