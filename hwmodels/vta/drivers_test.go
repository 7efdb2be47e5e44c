package vta

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"tv/ila"
	"tv/ila/prove"
	"tv/internal/tier"
	"tv/semantics/index"
)

// runPlain runs the program of a task on the machine in plain Go; it returns the output, or false at a fault.
func runPlain(t *ila.Task, c Config, inputs [][]uint64) ([]int8, bool) {
	m := Plain(c)
	e := t.Environment(inputs)
	for _, in := range t.Init {
		m.DRAM.At[in.Address] = uint32(e.Value(in.Value))
	}
	for _, s := range t.Steps {
		if faults := m.Step(e.Value(s.Values[0]), e.Value(s.Values[1])); faults != nil {
			return nil, false
		}
	}
	if !m.MayEnd() {
		return nil, false
	}
	out := make([]int8, t.Output.Size())
	for flat := range out {
		v, ok := m.DRAM.At[t.Places(flat)[0].Address]
		if !ok {
			return nil, false
		}
		out[flat] = int8(v)
	}
	return out, true
}

// dense8 is the dense layer in plain Go: a [m][k], w [n][k], bias [n].
func dense8(m, n, k int, inputs [][]uint64, o DenseOptions) []int8 {
	out := make([]int8, m*n)
	for i := range m {
		for j := range n {
			sum := int32(0)
			if o.Bias {
				sum = int32(uint32(inputs[2][j]))
			}
			for x := range k {
				sum += int32(int8(inputs[0][i*k+x])) * int32(int8(inputs[1][j*k+x]))
			}
			if o.Scale > 1 {
				sum *= int32(o.Scale)
			}
			out[i*n+j] = int8(min(max(sum>>o.Shift, int32(lowest(o))), 127))
		}
	}
	return out
}

// A driver with any field of any instruction changed, or an instruction left out, is proved only where the machine in
// plain Go computes the layer all the same; and most are not.
func TestDenseFields(t *testing.T) {
	tier.Sweep(t)
	const m, n, k = 3, 32, 48
	base := DenseOptions{Bias: true, Scale: 5, Shift: 7, ChunkM: 2, ChunkK: 2}
	seen := map[string]line{}
	var kinds []string
	collect := base
	collect.mutate = func(_ *index.Builder, f line) bool {
		if name := kind(f); seen[name] == nil {
			kinds = append(kinds, name)
			seen[name] = f
		}
		return true
	}
	if _, err := Dense(Configs[0], m, n, k, collect); err != nil {
		t.Fatal(err)
	}
	count := map[prove.Verdict]int{}
	for _, name := range kinds {
		op, _ := seen[name]["op"].ConstTerm().Int64()
		fields := []string{""}
		for _, x := range slices.Concat(common[1:], fieldsOf(uint64(op), false)) {
			fields = append(fields, x.name)
		}
		for _, field := range fields {
			for change, to := range []func(v int64) int64{
				func(v int64) int64 { return v + 1 }, func(v int64) int64 { return v - 1 },
				func(int64) int64 { return 0 }, func(v int64) int64 { return 2 * v },
			} {
				if field == "" && change > 0 {
					continue
				}
				same := true
				o := base
				o.mutate = func(ix *index.Builder, f line) bool {
					if kind(f) != name {
						return true
					}
					if field == "" {
						same = false
						return false
					}
					was := int64(0)
					if f[field] != nil {
						was, _ = f[field].ConstTerm().Int64()
					}
					same = same && to(was) == was
					f[field] = ix.Const(to(was))
					return true
				}
				task, err := Dense(Configs[0], m, n, k, o)
				if err != nil || same {
					continue // no such instruction, or the driver as it is
				}
				r, err := prove.Verify(context.Background(), task)
				if err != nil {
					t.Fatal(err)
				}
				count[r.Verdict]++
				what := fmt.Sprintf("%s, field %q, change %d", name, field, change)
				if r.Verdict == prove.Unknown {
					t.Logf("%s: unknown: %s", what, r.Detail)
				}
				for run := range uint64(4) {
					random := rand.New(rand.NewPCG(run, 5))
					inputs := make([][]uint64, len(task.Inputs))
					for i, x := range task.Inputs {
						inputs[i] = make([]uint64, x.Size())
						for at := range inputs[i] {
							inputs[i][at] = random.Uint64() >> (64 - x.Width)
						}
					}
					got, ok := runPlain(task, Configs[0], inputs)
					if r.Verdict == prove.Proved && (!ok || !slices.Equal(got, dense8(m, n, k, inputs, base))) {
						t.Fatalf("%s is proved, and wrong", what)
					}
				}
			}
		}
	}
	// a clip that takes place twice is right, and not seen to be
	if t.Logf("%v", count); count[prove.Refuted] < 150 || count[prove.Unknown] > 4 {
		t.Errorf("%v", count)
	}
}
