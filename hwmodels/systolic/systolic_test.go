package systolic

import (
	"context"
	"testing"

	"tv/ila"
	"tv/semantics/term"
)

func verify(t *testing.T, task *ila.Task, err error) *ila.Result {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	r, err := ila.Verify(context.Background(), task)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestMatMul(t *testing.T) {
	for _, size := range [][3]int{{1, 1, 1}, {5, 4, 4}, {3, 1, 6}, {2, 7, 1}, {16, 8, 16}} {
		task, err := MatMul(size[0], size[1], size[2])
		if r := verify(t, task, err); r.Verdict != ila.Proved || r.Micro != size[0]+size[1]+size[2]-2 {
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
		if r.Verdict != ila.Refuted {
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
			want   ila.Verdict
		}{
			{"as it is", func(*ila.Task) {}, ila.Proved},
			{"other weights", func(right *ila.Task) { right.Init[len(right.Init)-1].Value = right.Model.B.Bits(8, 1) }, ila.Refuted},
			{"rows in another order", func(right *ila.Task) {
				places := right.Places
				right.Places = func(flat int) []ila.Place { return places((flat + n) % (m * n)) }
			}, ila.Refuted},
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
			r, err := ila.VerifyAgainst(context.Background(), left, right)
			if err != nil || r.Verdict != test.want {
				t.Errorf("%v, %s: %v, %v; want %s", sizes, test.name, r, err, test.want)
			}
		}
	}
}
