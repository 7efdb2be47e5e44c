package flexasr

import (
	"context"
	"slices"
	"testing"

	"tv/ila"
	"tv/ila/ilatest"
	"tv/ila/induct"
	"tv/ila/prove"
	"tv/internal/tier"
	"tv/semantics/index"
	"tv/semantics/term"
)

func TestPoolAll(t *testing.T) {
	for _, f := range []*ila.Family{MaxPoolAll(0), MaxPoolAll(7), MeanPoolAll(2), AddPoolAll(2)} {
		r, err := induct.Verify(context.Background(), f)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != prove.Proved || r.Lemmas != 1 || r.Samples < 10 {
			t.Errorf("%s: %s at %v: %s", f.Name, r.Verdict, r.Point, r.Detail)
		}
	}
}

// The facts of the family are what MaxPool asks of sizes.
func TestMaxPoolDomain(t *testing.T) {
	f := MaxPoolAll(0)
	for _, p := range []int{1, 2, 8, 9, 128, 129, 32767, 32768} {
		for _, v := range []int{1, 2, 16, 31, 32, 64, 255, 256} {
			_, facts, err := f.New(func(ix *index.Builder) []*index.Expr {
				return []*index.Expr{ix.Const(int64(p)), ix.Const(int64(v))}
			})
			if err != nil {
				t.Fatal(err)
			}
			inside := true
			for _, e := range facts {
				n, _ := e.Const()
				inside = inside && n.Sign() >= 0
			}
			large := p*v > 1<<10
			if large && inside {
				continue // it fits, and takes long to make
			}
			if _, err := MaxPool(2*p, 16*v, 0); (err == nil) != inside {
				t.Errorf("P = %d, V = %d: in the domain %t, MaxPool: %v", p, v, inside, err)
			}
		}
	}
}

// backwards returns a machine that reduces the last timestep first: it overwrites what it has yet to read.
func backwards() *Machine {
	m := NewModel()
	b := m.B
	ts, numTs := m.Lookup("ts"), m.Lookup("num_ts")
	for _, i := range m.Instructions {
		for n, s := range i.Sets {
			if i.Name == "start-reduce" && s.Var == ts {
				half := b.ShrU(numTs.Term, b.Bits(16, 1))
				i.Sets[n].Value = b.SubBits(half, b.Bits(16, 1))
			}
		}
	}
	step := m.Children[0].Instructions[0]
	for n, s := range step.Sets {
		switch s.Var.Name {
		case "ts":
			end := b.Equal(b.AddBits(m.Lookup("vec").Term, b.Bits(8, 1)), m.Lookup("num_vec").Term)
			step.Sets[n].Value = b.Choose(end, b.SubBits(ts.Term, b.Bits(16, 1)), ts.Term)
		case "run":
			end := b.And(b.Equal(b.AddBits(m.Lookup("vec").Term, b.Bits(8, 1)), m.Lookup("num_vec").Term),
				b.Equal(ts.Term, b.Bits(16, 0)))
			step.Sets[n].Value = b.Choose(end, b.Bits(1, 0), b.Bits(1, 1))
		}
	}
	return m
}

// lateMutants take the prover minutes to give up.
var lateMutants = []string{"a timestep less reduced", "high byte of timesteps lost"}

// Drivers and machines with one mistake are refuted, and not proved where nothing is run.
func TestMaxPoolAllMutants(t *testing.T) {
	tier.Sweep(t)
	wrongPools(t, func(late bool, _ int) bool { return !late })
}

// TestStressMaxPoolAllMutants is TestMaxPoolAllMutants with those that the prover gives up late, after minutes.
func TestStressMaxPoolAllMutants(t *testing.T) {
	part := tier.Stress(t)
	wrongPools(t, func(_ bool, n int) bool { return part.Has(n) })
}

// wrongPools refutes all drivers with a mistake, and asks the prover alone of those that proof picks.
func wrongPools(t *testing.T, proof func(late bool, n int) bool) {
	last := func(n *ila.Nest, k int) *ila.Node { return &n.Body[len(n.Body)-k] }
	for n, test := range []struct {
		name  string
		model func() *Machine
		wreck func(*ila.Nest)
	}{
		{"timesteps backwards", backwards, nil},
		{"a timestep less stored", NewModel, func(n *ila.Nest) {
			n.Body[0].Count = n.Model.B.Index.AddInt(n.Body[0].Count, -1)
		}},
		{"a timestep less reduced", NewModel, func(n *ila.Nest) {
			b := n.Model.B
			steps := b.Number(term.BitsSort(16), b.Index.AddInt(n.Body[0].Count, -2))
			last(n, 3).Values[1+8], last(n, 3).Values[1+9] = b.Extract(steps, 0, 8), b.Extract(steps, 8, 8)
		}},
		{"high byte of timesteps lost", NewModel, func(n *ila.Nest) { last(n, 3).Values[1+9] = n.Model.B.Bits(8, 0) }},
		{"a vector too many", NewModel, func(n *ila.Nest) {
			b := n.Model.B
			last(n, 3).Values[1+6] = b.AddBits(last(n, 3).Values[1+6], b.Bits(8, 1))
		}},
		{"not started", NewModel, func(n *ila.Nest) { n.Body = n.Body[:len(n.Body)-1] }},
		{"started before the stores", NewModel, func(n *ila.Nest) {
			n.Body[0], n.Body[1], n.Body[2], n.Body[3] = n.Body[1], n.Body[2], n.Body[3], n.Body[0]
		}},
		{"mean instead of max", NewModel, func(n *ila.Nest) { last(n, 3).Values[1+1] = n.Model.B.Bits(8, 1) }},
		{"no memory manager", NewModel, func(n *ila.Nest) { n.Body[2] = n.Body[1] }},
		{"stored a vector further", NewModel, func(n *ila.Nest) {
			body, b := n.Body[0].Body, n.Model.B
			n.Body[0].Body = func(i *index.Expr) []ila.Node {
				inner := body(i)
				vectors := inner[0].Body
				inner[0].Body = func(v *index.Expr) []ila.Node {
					list := vectors(v)
					list[0].Values[0] = b.AddBits(list[0].Values[0], b.Bits(32, 16))
					return list
				}
				return inner
			}
		}},
		{"two lanes swapped", NewModel, func(n *ila.Nest) {
			body := n.Body[0].Body
			n.Body[0].Body = func(i *index.Expr) []ila.Node {
				inner := body(i)
				vectors := inner[0].Body
				inner[0].Body = func(v *index.Expr) []ila.Node {
					list := vectors(v)
					x := list[0].Values
					x[3], x[4] = x[4], x[3]
					return list
				}
				return inner
			}
		}},
		{"the element beside it", NewModel, func(n *ila.Nest) {
			place, ix := n.Place, n.Model.B.Index
			n.Place = func(at []*index.Expr) ila.Cell {
				c := place(at)
				c.Address = ix.AddInt(c.Address, 16)
				return c
			}
		}},
	} {
		f := poolAll(test.model, modeMax, 2, test.wreck)
		r := prove.NewResult()
		if late := slices.Contains(lateMutants, test.name); proof(late, n) {
			if err := induct.Prove(context.Background(), f, r); err != nil || r.Verdict != prove.Unknown {
				t.Errorf("%s: %s, %v", test.name, r.Verdict, err)
			}
		}
		a, err := induct.Verify(context.Background(), f)
		if err != nil || a.Verdict != prove.Refuted {
			t.Errorf("%s: %s, %v; proof: %s", test.name, a.Verdict, err, r.Detail)
		}
		t.Logf("%s: %s", test.name, r.Detail)
	}
}

// A machine with any one thing changed is proved only where no run shows it wrong.
func TestMachinesAll(t *testing.T) {
	tier.Sweep(t)
	changedMachines(t, tier.Part{N: 74})
}

// TestStressMachines is TestMachinesAll with all changes.
func TestStressMachines(t *testing.T) { changedMachines(t, tier.Stress(t)) }

func changedMachines(t *testing.T, part tier.Part) {
	proved, n := 0, part.I
	for ; ; n += part.N {
		var what string
		f := poolAll(func() *Machine {
			m := NewModel()
			what = ilatest.Mutate(m.Model, n)
			return m
		}, modeMax, 2, nil)
		ok, wrong, err := ilatest.Judge(f)
		if what == "" {
			break
		}
		if ok && wrong {
			t.Errorf("%s: proved, and wrong", what)
		}
		if ok {
			proved++
			t.Logf("proved: %s (%v)", what, err)
		}
	}
	if n < 60 {
		t.Errorf("only %d changes", n)
	}
	t.Logf("%d machines, %d of them proved", n/part.N, proved)
}
