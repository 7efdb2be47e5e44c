package race

import (
	"container/heap"
	"fmt"
	"slices"

	"tv/ila"
)

// An event of an instruction. The pops of an instruction are events of their own before its start, its pushes after its end.
type event struct {
	step  int
	kind  kind
	queue int // of pop and push
}

type kind uint8

const (
	fetch kind = iota
	pop
	start
	end
	push
)

// An Order is what comes before what in all runs of a program (rules R1 to R5 of the package).
type Order struct {
	p      *Program
	events []event
	after  [][]int // by event, the events that come later
	starts []int   // by step
	ends   []int
	// Steps are the instructions of the program in an order that it may be run in: its own, where that is one.
	Steps []int
	// clocks has, by step and unit, how many instructions of the unit have ended when the step starts.
	clocks [][]int
	places []int // of each step among those of its unit
}

// A Deadlock is why a program does not come to its end: an instruction that waits for ever.
type Deadlock struct {
	Step     int
	Reason   string
	Schedule Schedule // a run up to where nothing can go on
}

// Order returns the order of a program, or why there is none.
func (p *Program) Order() (*Order, *Deadlock) {
	o := &Order{p: p}
	pops, pushes := o.make()
	for q := range p.units.Queues {
		if n := len(pushes[q]); len(pops[q]) > n {
			return nil, o.deadlock(o.events[pops[q][n]].step, fmt.Sprintf("waits for a token of %s, which gets %d",
				p.units.Queues[q].Name, n))
		}
	}
	sorted := o.sort(o.tokens(pops, pushes)...)
	if sorted == nil {
		if d := o.stuck(); d != nil {
			return nil, d
		}
		sorted = o.sort() // what waits for ever is a push that nothing waits for
	}
	o.clock(sorted)
	for _, e := range sorted {
		if o.events[e].kind == end {
			o.Steps = append(o.Steps, o.events[e].step)
		}
	}
	return o, nil
}

// add makes an event that comes after others; -1 is none.
func (o *Order) add(e event, before ...int) int {
	n := len(o.events)
	o.events = append(o.events, e)
	o.after = append(o.after, nil)
	for _, b := range before {
		o.before(b, n)
	}
	return n
}

func (o *Order) before(a, b int) {
	if a >= 0 {
		o.after[a] = append(o.after[a], b)
	}
}

// make makes the events and their order by R1, R2 and R5, and returns the pops and pushes of each queue in its units' order.
func (o *Order) make() (pops, pushes [][]int) {
	p := o.p
	pops, pushes = make([][]int, len(p.units.Queues)), make([][]int, len(p.units.Queues))
	fetched := -1
	done := make([]int, len(p.units.Names)) // the last event of each unit
	started := make([][]int, len(p.units.Names))
	for u := range done {
		done[u] = -1
	}
	for n, i := range p.steps {
		fetched = o.add(event{n, fetch, 0}, fetched)
		if d := len(started[i.unit]) - p.units.Commands; p.units.Commands > 0 && d >= 0 {
			o.before(started[i.unit][d], fetched)
		}
		at := o.add(event{n, start, 0}, fetched, done[i.unit])
		// Pops come before the start: they are made behind it, and the start is what waits.
		previous := -1
		for _, q := range i.pops {
			e := o.add(event{n, pop, q}, fetched, done[i.unit], previous)
			o.before(e, at)
			pops[q] = append(pops[q], e)
			previous = e
		}
		started[i.unit] = append(started[i.unit], at)
		last := o.add(event{n, end, 0}, at)
		o.starts, o.ends = append(o.starts, at), append(o.ends, last)
		for _, q := range i.pushes {
			last = o.add(event{n, push, q}, last)
			pushes[q] = append(pushes[q], last)
		}
		done[i.unit] = last
	}
	return pops, pushes
}

// tokens adds R3 and R4, and returns the pushes that wait for ever: each comes after itself.
func (o *Order) tokens(pops, pushes [][]int) (blocked [][2]int) {
	for q, queue := range o.p.units.Queues {
		for i, e := range pops[q] {
			o.before(pushes[q][i], e)
			if later := i + queue.Depth; later < len(pushes[q]) {
				o.before(e, pushes[q][later])
			}
		}
		for i := len(pops[q]) + queue.Depth; i < len(pushes[q]); i++ {
			blocked = append(blocked, [2]int{pushes[q][i], pushes[q][i]})
		}
	}
	return blocked
}

// sort returns the events in an order that extends what is known and further pairs: of those that may come next, the one of the earliest step
// of the program. It is nil where there is a cycle.
func (o *Order) sort(more ...[2]int) []int {
	waits := make([]int, len(o.events))
	further := map[int][]int{}
	for _, list := range o.after {
		for _, b := range list {
			waits[b]++
		}
	}
	for _, pair := range more {
		waits[pair[1]]++
		further[pair[0]] = append(further[pair[0]], pair[1])
	}
	ready := &queue{o: o}
	for e, n := range waits {
		if n == 0 {
			ready.list = append(ready.list, e)
		}
	}
	heap.Init(ready)
	var sorted []int
	for len(ready.list) > 0 {
		e := heap.Pop(ready).(int)
		sorted = append(sorted, e)
		for _, b := range slices.Concat(o.after[e], further[e]) {
			if waits[b]--; waits[b] == 0 {
				heap.Push(ready, b)
			}
		}
	}
	if len(sorted) < len(o.events) {
		return nil
	}
	return sorted
}

// queue has events that may come next, the earliest step first.
type queue struct {
	o    *Order
	list []int
}

func (q *queue) Len() int { return len(q.list) }
func (q *queue) Less(i, j int) bool {
	a, b := q.list[i], q.list[j]
	if x, y := q.o.events[a].step, q.o.events[b].step; x != y {
		return x < y
	}
	return a < b
}
func (q *queue) Swap(i, j int) { q.list[i], q.list[j] = q.list[j], q.list[i] }
func (q *queue) Push(e any)    { q.list = append(q.list, e.(int)) }
func (q *queue) Pop() any {
	e := q.list[len(q.list)-1]
	q.list = q.list[:len(q.list)-1]
	return e
}

// stuck names what waits for ever: the units run as far as they come, and the first instruction of the program that does not end is told. It
// is nil where all end.
func (o *Order) stuck() *Deadlock {
	r := newReplay(o.p)
	r.greedy()
	if n := r.stuck(); n >= 0 {
		return o.deadlock(n, r.waits(n))
	}
	return nil
}

// deadlock is one of an instruction, with a run up to where all stop.
func (o *Order) deadlock(step int, reason string) *Deadlock {
	r := newReplay(o.p)
	return &Deadlock{step, reason, r.greedy()}
}

// clock computes the clocks of starts: a clock of an event has at least those of all before it.
func (o *Order) clock(sorted []int) {
	units := len(o.p.units.Names)
	clocks := make([]int, units*len(o.events))
	o.clocks = make([][]int, len(o.p.steps))
	ended := make([]int, units)
	for _, e := range sorted {
		own := clocks[units*e : units*(e+1)]
		switch ev := o.events[e]; ev.kind {
		case start:
			o.clocks[ev.step] = own
		case end:
			u := o.p.steps[ev.step].unit
			ended[u]++ // a unit's instructions end in its order
			own = slices.Clone(own)
			own[u] = max(own[u], ended[u])
		}
		for _, b := range o.after[e] {
			later := clocks[units*b : units*(b+1)]
			for u := range later {
				later[u] = max(later[u], own[u])
			}
		}
	}
}

// Reordered returns the task with its instructions in the order that they may be run in.
func (o *Order) Reordered(t *ila.Task) *ila.Task { return reorder(t, o.Steps) }

func reorder(t *ila.Task, steps []int) *ila.Task {
	out := *t
	out.Steps = make([]ila.Step, len(steps))
	for i, n := range steps {
		out.Steps[i] = t.Steps[n]
	}
	return &out
}

// InOrder tells whether the program's own order is one that it may be run in.
func (o *Order) InOrder() bool {
	for i, n := range o.Steps {
		if i != n {
			return false
		}
	}
	return true
}
