package vta

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tv/ila"
	"tv/ila/prove"
	"tv/ila/race"
	"tv/ila/run"
	"tv/internal/source"
	"tv/proofs/races"
)

// raced says what the two say of a task: ila/race, by a run on terms, and the checker of races, from words alone. ok is false where the task meets a
// fault, or deadlocks.
func raced(t *testing.T, task *ila.Task) (found *race.Race, refused error, ok bool) {
	t.Helper()
	order, dead, err := prove.Ordered(task)
	if err != nil {
		t.Fatal(err)
	}
	if dead != nil {
		return nil, nil, false
	}
	s := run.NewSymbolic(task.Model)
	s.Load(task)
	cells := race.NewRecorder()
	s.Access = cells.Access
	for _, step := range order.Reordered(task).Steps {
		if err := s.Step(step.Values...); err != nil {
			return nil, nil, false
		}
		cells.Next()
	}
	if all := order.Races(task, cells); len(all) > 0 {
		found = all[0]
	}
	return found, task.Model.Units.Recheck(task, order.Steps), true
}

// Two instructions that nothing orders race by their cells, or do not: what they touch is read from a run of the model, and by the checker from the fields
// of words. The two share no code.
func TestFootprints(t *testing.T) {
	draw := rand.New(rand.NewPCG(4, 4))
	n := func(limit int) int { return draw.IntN(limit) }
	const few = 4
	loads := func(kind string, tile int) string {
		return fmt.Sprintf("load %s sram=%d dram=%d y=%d x=%d stride=%d ypad0=%d xpad1=%d", kind, n(few), 4096/tile+n(few), n(3), n(3), n(4), n(2), n(2))
	}
	units := []func() string{
		func() string {
			if n(2) == 0 {
				return loads("inp", 16)
			}
			return loads("wgt", 256)
		},
		func() string {
			loop := fmt.Sprintf("begin=%d end=%d out=%d in=%d dst_out=%d dst_in=%d src_out=%d src_in=%d", n(2), n(4), n(3), 1+n(2), n(3), n(3), n(3), n(3))
			switch n(6) {
			case 0:
				return loads("uop", 4)
			case 1:
				return loads("acc", 64)
			case 2:
				return "alu max imm=3 " + loop
			case 3:
				return "alu add " + loop
			case 4:
				return "gemm reset " + loop
			}
			return fmt.Sprintf("gemm %s wgt_out=%d wgt_in=%d", loop, n(2), n(2))
		},
		func() string {
			return fmt.Sprintf("store out sram=%d dram=%d y=%d x=%d stride=%d", n(8), 250+n(12), n(3), n(3), n(4))
		},
	}
	seen := map[bool]int{}
	for k := range 250 {
		first := draw.IntN(3)
		second := (first + 1 + draw.IntN(2)) % 3
		text := ".input a dram=0 shape=16x512 type=int8\n.output out dram=4128 shape=16 type=int8\n.uop dram=65536\n"
		for i := range 7 {
			text += fmt.Sprintf(".uop dram=%d dst=%d src=%d wgt=%d\n", 65540+4*i, n(4), n(4), n(2))
		}
		// memories hold something, and all units have ended what makes it so
		text += `load uop dram=16384 y=1 x=8 stride=8
load acc dram=0 y=1 x=16 stride=16
alu max imm=-1 end=1 out=16 in=1 dst_out=1 src_out=1
load inp dram=0 y=1 x=14 stride=14
load wgt dram=0 y=1 x=6 stride=6 push_next
alu max imm=0 end=1 out=1 in=1 pop_prev push_next push_prev
load inp pop_next
store out dram=500 pop_prev
` + units[first]() + "\n" + units[second]() + "\nfinish\n"
		c := Configs[draw.IntN(len(Configs))]
		task, err := ParseListing(source.NewFile("x.vta", text), c)
		if err != nil {
			t.Fatal(err)
		}
		found, refused, ok := raced(t, task)
		if !ok {
			continue
		}
		if (found != nil) != (refused != nil) && !strings.Contains(fmt.Sprint(refused), "depends on data") {
			what := "no race"
			if found != nil {
				what = found.Describe(task)
			}
			t.Fatalf("program %d on %s: %s; the checker says %v\n%s", k, c.Name, what, refused, text)
		}
		seen[found != nil]++
	}
	if seen[true] < 15 || seen[false] < 100 {
		t.Errorf("%d programs race, %d do not", seen[true], seen[false])
	}
}

// Tokens dropped, added and moved in a layer of several chunks: both say the same.
func TestRecheckTokens(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 5))
	right, err := Dense(Configs[0], 4, 32, 32, DenseOptions{Shift: 6, ChunkM: 2, ChunkN: 1, ChunkK: 1})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for range 150 {
		steps := len(right.Steps)
		at := []int{draw.IntN(steps), draw.IntN(steps)}
		token := []string{"pop_prev", "pop_next", "push_prev", "push_next"}[draw.IntN(4)]
		i := 0
		task := rewritten(t, right, func(f Fields) bool {
			if i == at[0] || i == at[1] && draw.IntN(2) == 0 {
				if f["op"] == OpFinish || f["op"] == OpStore && strings.HasSuffix(token, "next") ||
					f["op"] == OpLoad && (f["mem"] == MemInp || f["mem"] == MemWgt) && strings.HasSuffix(token, "prev") {
					i++
					return true
				}
				f[token] = 1 - f[token]
			}
			i++
			return true
		})
		found, refused, ok := raced(t, task)
		switch {
		case !ok:
			seen["stops"]++
		case (found != nil) != (refused != nil):
			t.Fatalf("race %+v; the checker says %v\n%s", found, refused, Listing(task, false))
		case found != nil:
			seen["races"]++
		default:
			seen["right"]++
		}
	}
	if seen["stops"] < 20 || seen["races"] < 20 || seen["right"] < 10 {
		t.Errorf("%v", seen)
	}
}

// What a witness may not be.
func TestRecheckOrder(t *testing.T) {
	task, err := Dense(Configs[0], 2, 16, 32, DenseOptions{Shift: 6, ChunkK: 1})
	if err != nil {
		t.Fatal(err)
	}
	var right []int
	for i := range task.Steps {
		right = append(right, i)
	}
	if err := task.Model.Units.Recheck(task, right); err != nil {
		t.Fatal(err)
	}
	last := len(right) - 1
	changed := func(change func(o []int)) []int {
		o := append([]int(nil), right...)
		change(o)
		return o
	}
	for name, order := range map[string][]int{
		"one less":            right[:last],
		"twice":               changed(func(o []int) { o[3] = o[2] }),
		"not there":           changed(func(o []int) { o[3] = 99 }),
		"against a unit":      changed(func(o []int) { o[0], o[1] = o[1], o[0] }),
		"before its token":    changed(func(o []int) { o[3], o[4] = o[4], o[3] }),
		"after the last":      changed(func(o []int) { o[last-2], o[last-1], o[last] = o[last-1], o[last], o[last-2] }),
		"finish not the last": changed(func(o []int) { o[last-1], o[last] = o[last], o[last-1] }),
	} {
		if err := task.Model.Units.Recheck(task, order); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if err := races.Check(races.Machine{Loads: "fsim", Tokens: 8, Commands: 512}, races.Program{}, nil); err == nil {
		t.Error("no instruction: accepted")
	}
	// Few instructions wait before a unit: what is fetched late cannot start early.
	words := [][2]uint64{}
	for _, f := range []Fields{{"op": OpLoad, "mem": MemInp}, {"op": OpLoad, "mem": MemInp}, {"op": OpLoad, "mem": MemInp}, {"op": OpFinish}} {
		w, err := Encode(f, false)
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, [2]uint64{w.Low, w.High})
	}
	late := races.Program{Words: words, Byte: func(uint64) (byte, bool) { return 0, false }}
	for commands, order := range map[int][]int{1: {3, 0, 1, 2}, 2: {0, 1, 2, 3}} {
		if err := races.Check(races.Machine{Loads: "fsim", Tokens: 8, Commands: commands}, late, order); (err == nil) != (commands == 2) {
			t.Errorf("queues of %d instructions: %v", commands, err)
		}
	}
}
