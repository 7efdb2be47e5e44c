package race

import (
	"fmt"
	"slices"
	"sort"

	"tv/ila"
)

// A Race is two instructions of different units that touch a cell, one of them writing, and that nothing orders; or an instruction that
// writes a cell which the host reads without waiting for it.
type Race struct {
	First, Second int // steps of the program; Second is -1: the host
	Memory        *ila.Var
	Cell          uint64
	Writes        [2]bool // whether the first, the second writes
	Schedule      Schedule
	order         []int // the instructions, as the schedule ends them
}

// Task returns the task with its instructions in the order of the race's schedule, in which the second takes place before the first.
func (r *Race) Task(t *ila.Task) *ila.Task { return reorder(t, r.order) }

// Describe says what the race is.
func (r *Race) Describe(t *ila.Task) string {
	text := func(n int) string { return fmt.Sprintf("instruction %d, %s", n, t.Steps[n].Text) }
	does := map[bool]string{true: "writes", false: "reads"}
	cell := fmt.Sprintf("%s[%d]", r.Memory.Name, r.Cell)
	if r.Second < 0 {
		return fmt.Sprintf("%s, %s %s, which the host reads without waiting for it", text(r.First), does[true], cell)
	}
	return fmt.Sprintf("%s, %s %s and %s, %s it, and nothing orders them", text(r.First), does[r.Writes[0]], cell, text(r.Second), does[r.Writes[1]])
}

// A use is a footprint of a step in the order that the program is run in; the host's comes last.
type use struct {
	step  int // -1: the host
	write bool
	span
}

// maxRaces is how many pairs are told: all stem from a few tokens, and a pair that shows nothing is followed by one that does.
const maxRaces = 16

// Races returns pairs of instructions that race, in the order that the program is run in. The recorder has a run of Reordered.
func (o *Order) Races(t *ila.Task, r *Recorder) (list []*Race) {
	byMemory := map[*ila.Var][]use{}
	var memories []*ila.Var
	add := func(m *ila.Var, u use) {
		if byMemory[m] == nil {
			memories = append(memories, m)
		}
		byMemory[m] = append(byMemory[m], u)
	}
	for i, list := range r.steps {
		for _, f := range list {
			for _, s := range f.spans {
				add(f.memory, use{o.Steps[i], f.write, s})
			}
		}
	}
	host := map[*ila.Var][]span{}
	for flat := range t.Output.Size() {
		for _, p := range t.Places(flat) {
			host[p.Memory] = append(host[p.Memory], span{p.Address, p.Address + 1})
		}
	}
	for _, m := range memories {
		for _, s := range joined(host[m]) {
			add(m, use{-1, false, s})
		}
	}
	for _, m := range memories {
		if list = o.races(m, byMemory[m], list); len(list) == maxRaces {
			break
		}
	}
	return list
}

// races adds those in one memory, each pair of instructions once. Its cells are cut where a span begins or ends, so that cells of a piece have the same
// uses. Of each piece and unit the last write and the last read count: those before them are ordered before what these are.
func (o *Order) races(m *ila.Var, uses []use, list []*Race) []*Race {
	told := func(a, b int) bool {
		return slices.ContainsFunc(list, func(r *Race) bool { return r.First == a && r.Second == b })
	}
	var cuts []uint64
	for _, u := range uses {
		cuts = append(cuts, u.low, u.high)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	units := len(o.p.units.Names)
	// 1 + the step, by piece, unit, and reads or writes; 0: none
	last := make([]int32, 2*units*len(cuts))
	for _, u := range uses {
		for piece := sort.Search(len(cuts), func(i int) bool { return cuts[i] >= u.low }); cuts[piece] < u.high; piece++ {
			of := last[2*units*piece : 2*units*(piece+1)]
			for k, other := range of {
				write := k%2 == 1
				if a := int(other) - 1; a >= 0 && (u.write || write) && !o.ordered(a, u.step) && !told(a, u.step) {
					if list = append(list, o.between(m, cuts[piece], a, u.step, [2]bool{write, u.write})); len(list) == maxRaces {
						return list
					}
				}
			}
			if u.step >= 0 {
				k := 2 * o.p.steps[u.step].unit
				if u.write {
					k++
				}
				of[k] = int32(u.step) + 1
			}
		}
	}
	return list
}

// ordered tells whether step a ends before step b starts, or before the host reads.
func (o *Order) ordered(a, b int) bool {
	unit := o.p.steps[a].unit
	switch {
	case b < 0 && o.p.steps[o.p.last].unit == unit:
		return o.place(a) <= o.place(o.p.last)
	case b < 0:
		b = o.p.last
	case o.p.steps[b].unit == unit: // steps come in the order of their units
		return true
	}
	return o.place(a) < o.clocks[b][unit]
}

// place is the number of a step among those of its unit.
func (o *Order) place(n int) int {
	if o.places == nil {
		o.places = make([]int, len(o.p.steps))
		next := make([]int, len(o.p.units.Names))
		for i, s := range o.p.steps {
			o.places[i] = next[s.unit]
			next[s.unit]++
		}
	}
	return o.places[n]
}

// between is a race, with a schedule in which the second takes place before the first: nothing orders them, so there is one.
func (o *Order) between(m *ila.Var, cell uint64, first, second int, writes [2]bool) *Race {
	r := &Race{First: first, Second: second, Memory: m, Cell: cell, Writes: writes}
	if second < 0 {
		second = o.p.last
	}
	sorted := o.sort([2]int{o.ends[second], o.ends[first]})
	if sorted == nil {
		panic("race: instructions that are ordered race")
	}
	r.Schedule = o.schedule(sorted)
	for _, e := range sorted {
		if ev := o.events[e]; ev.kind == end {
			r.order = append(r.order, ev.step)
			if ev.step == o.p.last {
				break
			}
		}
	}
	return r
}
