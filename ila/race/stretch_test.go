package race

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tv/hwmodels/vta"
	"tv/internal/source"
)

// The stretches of a schedule are those of its lines, by the instructions that each unit takes next.
func TestStretches(t *testing.T) {
	f := source.NewFile("a.vta", `.input a dram=0 shape=1x16 type=int8
.output out dram=0x40 shape=1x16 type=int8
load inp dram=0 y=1 x=1 stride=1 push_next
gemm reset end=0 out=0 in=0 pop_prev push_next
store out dram=4 y=1 x=1 stride=1 pop_prev push_prev
load uop dram=0 y=0 x=0 pop_next
finish
`)
	task, err := vta.ParseListing(f, vta.Configs[0])
	if err != nil {
		t.Fatal(err)
	}
	list, err := Stretches(task, "load start\nload end\ncompute start\ncompute end\nstore start\n")
	want := []Stretch{{0, 0, 0, 1}, {1, 1, 2, 3}, {2, 2, 4, -1}}
	if diff := cmp.Diff(want, list); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, bad := range []string{"store start", "load start\nload start", "press start"} {
		if _, err := Stretches(task, bad); err == nil {
			t.Errorf("%q is followed", bad)
		}
	}
}
