package systolic

import (
	"context"
	"math/rand/v2"
	"testing"

	"tv/ila"
	"tv/ila/ilatest"
	"tv/ila/prove"
	"tv/ila/refine"
	"tv/ila/run"
	"tv/semantics/term"
)

func verify(t *testing.T, task *ila.Task, err error) *prove.Result {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	r, err := prove.Verify(context.Background(), task)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestMatMul(t *testing.T) {
	for _, size := range [][3]int{{1, 1, 1}, {5, 4, 4}, {3, 1, 6}, {2, 7, 1}, {16, 8, 16}} {
		task, err := MatMul(size[0], size[1], size[2])
		if r := verify(t, task, err); r.Verdict != prove.Proved || r.Micro != size[0]+size[1]+size[2]-2 {
			t.Errorf("%v: %s after %d cycles: %s", size, r.Verdict, r.Micro, r.Detail)
		}
	}
	for _, size := range [][3]int{{0, 1, 1}, {1, 65, 1}, {1, 1, 0}, {1025, 1, 1}} {
		if _, err := MatMul(size[0], size[1], size[2]); err == nil {
			t.Errorf("MatMul(%v) succeeds", size)
		}
	}
}

func TestMutants(t *testing.T) {
	for _, test := range []struct {
		name   string
		mutate func(*ila.Task)
	}{
		{"a cycle too few", func(t *ila.Task) {
			b := t.Model.B
			left := &t.Model.Instructions[0].Sets[1]
			left.Value = b.SubBits(left.Value, b.Bits(16, 1))
		}},
		{"sums that do not move", func(t *ila.Task) {
			step := t.Model.Children[0].Instructions[0]
			for i := range step.Eachs {
				if s := &step.Eachs[i].Stores[0]; s.Memory.Name == "p" && s.Value.Op == term.Add {
					s.Value = s.Value.Args[1]
				}
			}
		}},
		{"weights transposed", func(t *ila.Task) {
			for i := range t.Init {
				if in := &t.Init[i]; in.Memory.Name == "w" {
					in.Address = in.Address%maxSide*maxSide + in.Address/maxSide
				}
			}
		}},
		{"a row too few", func(t *ila.Task) { t.Steps[0].Values[0] = t.Model.B.Bits(16, 4) }},
	} {
		task, err := MatMul(5, 3, 3)
		if err != nil {
			t.Fatal(err)
		}
		test.mutate(task)
		r := verify(t, task, nil)
		if r.Verdict != prove.Refuted {
			t.Errorf("%s: %s: %s", test.name, r.Verdict, r.Detail)
		}
	}
}

// The skewed pipeline leaves what the one-step specification leaves; other specifications are refuted.
func TestPipelineRefinesStep(t *testing.T) {
	for _, sizes := range [][3]int{{1, 1, 1}, {5, 4, 3}, {3, 8, 8}} {
		m, k, n := sizes[0], sizes[1], sizes[2]
		for _, test := range []struct {
			name   string
			change func(right *ila.Task)
			want   prove.Verdict
		}{
			{"as it is", func(*ila.Task) {}, prove.Proved},
			{"other weights", func(right *ila.Task) { right.Init[len(right.Init)-1].Value = right.Model.B.Bits(8, 1) }, prove.Refuted},
			{"rows in another order", func(right *ila.Task) {
				places := right.Places
				right.Places = func(flat int) []ila.Place { return places((flat + n) % (m * n)) }
			}, prove.Refuted},
		} {
			if m == 1 && test.name == "rows in another order" {
				continue
			}
			left, err := MatMul(m, k, n)
			if err != nil {
				t.Fatal(err)
			}
			right, err := OneStep(m, k, n)
			if err != nil {
				t.Fatal(err)
			}
			test.change(right)
			r, err := refine.VerifyAgainst(context.Background(), left, right)
			if err != nil || r.Verdict != test.want {
				t.Errorf("%v, %s: %v, %v; want %s", sizes, test.name, r, err, test.want)
			}
		}
	}
}

// endless tells whether the one instruction of a task does not come to an end.
func endless(task *ila.Task) (endless bool) {
	s := run.NewSimulator(task.Model)
	taken := 0
	s.Trace = func(string, string) {
		if taken++; taken > 10000 {
			panic("endless")
		}
	}
	defer func() { endless = recover() != nil }()
	inputs := make([][]uint64, len(task.Inputs))
	for i, x := range task.Inputs {
		inputs[i] = make([]uint64, x.Size())
	}
	_, _ = s.Run(task, inputs) // a fault is for the proof to find
	return false
}

// An array with any one thing changed is refuted, or else computes the product on random operands all the same.
func TestModelMutants(t *testing.T) {
	const m, k, n = 4, 3, 3
	refuted, same := 0, 0
	for change := 0; ; change++ {
		what := ""
		task, err := matMul(func(rows, columns int) *Machine {
			machine := NewModel(rows, columns)
			what = ilatest.Mutate(machine.Model, change)
			return machine
		}, m, k, n)
		if what == "" {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		// a row by itself first, so that what it leaves behind shows
		one := ila.Step{Values: []*term.Term{task.Model.B.Bits(16, 1)}}
		task.Steps = append([]ila.Step{one}, task.Steps...)
		if endless(task) {
			refuted++
			continue
		}
		r := verify(t, task, nil)
		if r.Verdict == prove.Refuted {
			refuted++
			continue
		}
		same++
		t.Logf("%s: %s", what, r.Verdict)
		for seed := range uint64(6) {
			random := rand.New(rand.NewPCG(seed, 6))
			a, w := make([]uint64, m*k), make([]uint64, k*n)
			for _, x := range [][]uint64{a, w} {
				for i := range x {
					x[i] = random.Uint64() & 255
				}
			}
			out, err := run.NewSimulator(task.Model).Run(task, [][]uint64{a, w})
			if err != nil {
				t.Errorf("%s: %s, and a run ends with %v", what, r.Verdict, err)
				break
			}
			for at, got := range out {
				sum := int32(0)
				for x := range k {
					sum += int32(int8(a[at/n*k+x])) * int32(int8(w[x*n+at%n]))
				}
				if uint32(sum) != uint32(got) {
					t.Fatalf("%s: %s, and element %d is %d, not %d", what, r.Verdict, at, got, sum)
				}
			}
		}
	}
	if t.Logf("%d refuted, %d are the same", refuted, same); refuted < 80 || same > 24 {
		t.Errorf("only %d changes are refuted", refuted)
	}
}
