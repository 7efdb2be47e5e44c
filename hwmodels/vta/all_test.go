package vta

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"tv/ila"
	"tv/ila/ilatest"
	"tv/ila/induct"
	"tv/ila/prove"
	"tv/internal/tier"
	"tv/semantics/index"
)

func TestDenseAll(t *testing.T) {
	prove := func(c Config, o DenseOptions) {
		r, err := induct.Verify(context.Background(), DenseAll("vta-dense", c, o))
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != prove.Proved || r.Samples < 10 {
			t.Errorf("%s with %+v: %s at %v: %s", c.Name, o, r.Verdict, r.Point, r.Detail)
		}
	}
	for _, c := range Configs[:tier.Pick(1, len(Configs))] {
		prove(c, DenseOptions{Shift: 8})
	}
	prove(Configs[0], DenseOptions{Shift: 8, Bias: true})
	prove(Configs[0], DenseOptions{Bias: true, Relu: true})
}

// kind tells instructions of a driver apart: "load.2", "gemm.reset".
func kind(f line) string {
	n := func(name string) int64 {
		if f[name] == nil {
			return 0
		}
		v, _ := f[name].ConstTerm().Int64()
		return v
	}
	return fmt.Sprintf("%s.%d", opNames[n("op")], n("mem")*100+n("alu")*10+n("reset"))
}

// A driver with any field of any instruction wrong, or an instruction dropped, is proved for all sizes only where
// running it shows no difference. All changes take half an hour.
func TestDenseAllFields(t *testing.T) {
	tier.Sweep(t)
	changedFields(t, tier.Part{N: 37})
}

// TestStressFields is TestDenseAllFields with all changes.
func TestStressFields(t *testing.T) { changedFields(t, tier.Stress(t)) }

func changedFields(t *testing.T, part tier.Part) {
	seen := map[string]line{}
	var kinds []string
	collect := func(_ *index.Builder, f line) bool {
		if k := kind(f); seen[k] == nil {
			kinds = append(kinds, k)
			seen[k] = f
		}
		return true
	}
	if err := induct.Prove(context.Background(), DenseAll("", Configs[0], DenseOptions{Shift: 4, mutate: collect}),
		prove.NewResult()); err != nil {
		t.Fatal(err)
	}
	count, proved := 0, 0
	for _, k := range kinds {
		var names []string
		for _, x := range slices.Concat(common, fieldsOf(map[byte]uint64{'l': OpLoad, 's': OpStore, 'g': OpGemm, 'a': OpALU,
			'f': OpFinish}[k[0]], false)) {
			names = append(names, x.name)
		}
		for _, name := range append(names[1:], "") {
			for n, change := range []func(ix *index.Builder, e *index.Expr) *index.Expr{
				func(ix *index.Builder, e *index.Expr) *index.Expr { return ix.AddInt(e, 1) },
				func(ix *index.Builder, e *index.Expr) *index.Expr { return ix.AddInt(e, -1) },
				func(ix *index.Builder, e *index.Expr) *index.Expr { return ix.Const(0) },
				func(ix *index.Builder, e *index.Expr) *index.Expr { return ix.Scale(index.Int(2), e) },
			} {
				if name == "" && n > 0 {
					continue
				}
				count++
				if !part.Has(count) {
					continue
				}
				f := DenseAll("", Configs[0], DenseOptions{Shift: 4, mutate: func(ix *index.Builder, f line) bool {
					if kind(f) != k {
						return true
					}
					if name == "" {
						return false
					}
					e := f[name]
					if e == nil {
						e = ix.Const(0)
					}
					f[name] = change(ix, e)
					return true
				}})
				ok, wrong, err := ilatest.Judge(f)
				if err != nil {
					wrong = true // an instruction that has no encoding
				}
				if ok {
					proved++
					t.Logf("%s %s %d: proved", k, name, n)
				}
				if ok && wrong {
					t.Errorf("%s, field %q, change %d: proved for all sizes, and wrong", k, name, n)
				}
			}
		}
	}
	t.Logf("%d drivers, %d proved", count/part.N, proved)
}

// A machine with any one thing changed is proved only where no run shows it wrong.
func TestDenseAllMachines(t *testing.T) {
	tier.Sweep(t)
	changedMachines(t, tier.Part{N: 149})
}

// TestStressMachines is TestDenseAllMachines with all changes.
func TestStressMachines(t *testing.T) { changedMachines(t, tier.Stress(t)) }

func changedMachines(t *testing.T, part tier.Part) {
	proved, n := 0, part.I
	for ; ; n += part.N {
		var what string
		ok, wrong, err := ilatest.Judge(denseAll("", func() *Machine {
			m := NewModel(Configs[0])
			what = ilatest.Mutate(m.Model, n)
			return m
		}, DenseOptions{Shift: 4}, nil))
		if what == "" {
			break
		}
		if ok && (wrong || err != nil) {
			t.Errorf("%s: proved, and wrong (%v)", what, err)
		}
		if ok {
			proved++
		}
	}
	if n < 300 {
		t.Errorf("only %d changes", n)
	}
	t.Logf("%d machines, %d of them proved", n/part.N, proved)
}

// Programs in another order, and those that a line cannot say, are not proved, and are refuted.
func TestDenseAllOrder(t *testing.T) {
	move := func(from, to int) func(*ila.Nest) {
		return func(n *ila.Nest) {
			x := n.Body[from]
			n.Body = slices.Insert(slices.Delete(n.Body, from, from+1), to, x)
		}
	}
	// uops, no chunks of m, n; reset, no chunks of k, inp, wgt, gemm; shr, max, min, store, finish
	for name, wreck := range map[string]func(*ila.Nest){
		"store before the arithmetic": move(11, 8),
		"store before the product":    move(11, 5),
		"reset after the product":     move(3, 7),
		"inputs after the product":    move(5, 7),
		"clip before the shift":       move(8, 10),
		"one tile of k too few": func(n *ila.Nest) {
			n.Body[7].Count = n.Model.B.Index.AddInt(n.Body[7].Count, -1)
		},
		"the output is transposed": func(n *ila.Nest) {
			place := n.Place
			n.Place = func(at []*index.Expr) ila.Cell { return place([]*index.Expr{at[1], at[0]}) }
		},
	} {
		f := denseAll(name, func() *Machine { return NewModel(Configs[0]) }, DenseOptions{Shift: 4}, wreck)
		r := prove.NewResult()
		if err := induct.Prove(context.Background(), f, r); err != nil || r.Verdict != prove.Unknown {
			t.Errorf("%s: %s, %v", name, r.Verdict, err)
		}
		a, err := induct.Verify(context.Background(), f)
		if err != nil || a.Verdict != prove.Refuted {
			t.Errorf("%s: %v, %v; proof: %s", name, a, err, r.Detail)
		}
	}
}

// Chunks of rows one after the other are proved for all sizes.
func TestDenseRowsAll(t *testing.T) {
	tier.Sweep(t)
	r, err := induct.Verify(context.Background(), DenseRowsAll("vta-dense-rows", Configs[0], DenseOptions{Shift: 8}))
	if err != nil || r.Verdict != prove.Proved {
		t.Errorf("%v, %v", r, err)
	}
	for _, bad := range [][4]int{{8, 16, 16, 0}, {8, 16, 16, 9}, {4096, 32, 16 * 400, 16}, {8, 16 * 400, 16 * 400, 2}} {
		if _, err := DenseRows(Configs[0], bad[0], bad[1], bad[2], bad[3], DenseOptions{}); err == nil {
			t.Errorf("DenseRows(%v) succeeds", bad)
		}
	}
}

// Drivers that store or load a chunk of rows at the wrong place, or not all of it, are refuted.
func TestDenseRowsAllMutants(t *testing.T) {
	wrongRows(func(name string, f *ila.Family) {
		if a, err := induct.Verify(context.Background(), f); err != nil || a.Verdict != prove.Refuted {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	})
}

// The prover alone does not prove them either, which takes it minutes to say.
func TestStressDenseRows(t *testing.T) {
	part, n := tier.Stress(t), 0
	wrongRows(func(name string, f *ila.Family) {
		if n++; !part.Has(n) {
			return
		}
		r := prove.NewResult()
		if err := induct.Prove(context.Background(), f, r); err != nil || r.Verdict != prove.Unknown {
			t.Errorf("%s: %s, %v", name, r.Verdict, err)
		}
	})
}

// wrongRows hands over drivers with one mistake.
func wrongRows(each func(name string, f *ila.Family)) {
	mutants := map[string]func(ix *index.Builder, f line) bool{
		"one row of each chunk is not stored": func(ix *index.Builder, f line) bool {
			if kind(f) == "store.400" {
				f["y"] = ix.AddInt(f["y"], -1)
			}
			return true
		},
		"a chunk is stored a row too low": func(ix *index.Builder, f line) bool {
			if kind(f) == "store.400" {
				f["dram"] = ix.Add(f["dram"], f["stride"])
			}
			return true
		},
		"inputs a row too low": func(ix *index.Builder, f line) bool {
			if kind(f) == "load.200" {
				f["dram"] = ix.Add(f["dram"], f["stride"])
			}
			return true
		},
		"no reset": func(_ *index.Builder, f line) bool { return kind(f) != "gemm.1" },
	}
	for _, name := range slices.Sorted(maps.Keys(mutants)) {
		each(name, DenseRowsAll(name, Configs[0], DenseOptions{Shift: 4, mutate: mutants[name]}))
	}
}

// Chunks of tiles of n, and of k, one after the other are proved for all sizes.
func TestDenseChunksAll(t *testing.T) {
	tier.Sweep(t)
	for _, dims := range []string{"n", "k"} {
		r, err := induct.Verify(context.Background(), DenseChunksAll("vta-dense", Configs[0], DenseOptions{Shift: 8}, dims))
		if err != nil || r.Verdict != prove.Proved {
			t.Errorf("%s: %s at %v, %v: %s", dims, r.Verdict, r.Point, err, r.Detail)
		}
	}
}

// Drivers that take chunks of n or k at the wrong place, or not all of one, are refuted at small sizes.
func TestDenseChunksAllMutants(t *testing.T) {
	wrongChunks(t, false)
	for _, bad := range [][4]int{{8, 32, 16, 0}, {8, 32, 16, 3}, {4096, 32, 16, 1}} {
		if _, err := DenseColumns(Configs[0], bad[0], bad[1], bad[2], bad[3], DenseOptions{}); err == nil {
			t.Errorf("DenseColumns(%v) succeeds", bad)
		}
		if _, err := DenseDepth(Configs[0], bad[0], bad[2], bad[1], bad[3], DenseOptions{}); err == nil {
			t.Errorf("DenseDepth(%v) succeeds", bad)
		}
	}
}

// The proof alone, without a run at sizes, does not prove them either.
func TestDenseChunksAllUnproved(t *testing.T) {
	tier.Sweep(t)
	wrongChunks(t, true)
}

// wrongChunks asks for the drivers that take chunks wrongly: the prover alone, or with runs at sizes.
func wrongChunks(t *testing.T, prover bool) {
	for _, test := range []struct {
		name, dims string
		soon       bool // the prover gives up soon
		mutate     func(ix *index.Builder, f line) bool
	}{
		{"inputs a tile too low", "k", false, func(ix *index.Builder, f line) bool {
			if kind(f) == "load.200" {
				f["dram"] = ix.AddInt(f["dram"], 1)
			}
			return true
		}},
		{"weights a tile too low", "k", false, func(ix *index.Builder, f line) bool {
			if kind(f) == "load.100" {
				f["dram"] = ix.AddInt(f["dram"], 1)
			}
			return true
		}},
		{"weights of a row of n too low", "n", false, func(ix *index.Builder, f line) bool {
			if kind(f) == "load.100" {
				f["dram"] = ix.Add(f["dram"], f["stride"])
			}
			return true
		}},
		{"a chunk is stored a tile too low", "n", true, func(ix *index.Builder, f line) bool {
			if kind(f) == "store.400" {
				f["dram"] = ix.AddInt(f["dram"], 1)
			}
			return true
		}},
		{"rows of the result lie too close", "n", false, func(ix *index.Builder, f line) bool {
			if kind(f) == "store.400" {
				f["stride"] = f["x"]
			}
			return true
		}},
		{"no reset", "k", true, func(_ *index.Builder, f line) bool { return kind(f) != "gemm.1" }},
	} {
		f := DenseChunksAll(test.name, Configs[0], DenseOptions{Shift: 4, mutate: test.mutate}, test.dims)
		if prover && !test.soon {
			continue
		}
		if prover {
			r := prove.NewResult()
			if err := induct.Prove(context.Background(), f, r); err != nil || r.Verdict != prove.Unknown {
				t.Errorf("%s: %s, %v", test.name, r.Verdict, err)
			}
			continue
		}
		a, err := induct.Verify(context.Background(), f)
		if err != nil || a.Verdict != prove.Refuted {
			t.Errorf("%s: %v, %v", test.name, a, err)
		}
	}
}
