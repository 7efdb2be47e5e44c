package race

import (
	"fmt"
	"slices"
	"strings"

	"tv/ila"
	"tv/internal/source"
)

// CodeSchedule is the code of a schedule that the units of a machine cannot follow.
const CodeSchedule = "machine-schedule"

// A Schedule is a run of the units in time: a line for each start and each end of an instruction. What an instruction does is done when
// it ends. Pops and pushes take place as soon as they can.
//
//	load start
//	load end
type Schedule []Move

// A Move is the start of the next instruction of a unit, or the end of the one that runs.
type Move struct {
	Unit string
	End  bool
}

// String prints a line for each move.
func (s Schedule) String() string {
	var b strings.Builder
	for _, m := range s {
		b.WriteString(m.String() + "\n")
	}
	return b.String()
}

// String prints "load start".
func (m Move) String() string {
	if m.End {
		return m.Unit + " end"
	}
	return m.Unit + " start"
}

// Follow returns the task with its instructions in the order in which a schedule ends them, up to the one after which the host reads; or the
// deadlock that the schedule ends in. All problems have code machine-schedule and the place of the line: a word that is no unit or neither start nor
// end, an instruction that cannot start yet, an end without one, a schedule that stops before the host reads.
func Follow(t *ila.Task, f *source.File) (*ila.Task, *Deadlock, error) {
	p, err := Read(t)
	if err != nil {
		return nil, nil, source.Errorf(source.Span{File: f}, CodeSchedule, "%v", err)
	}
	if p == nil {
		return nil, nil, source.Errorf(source.Span{File: f}, CodeSchedule, "%s takes one instruction after the other", t.Model.Name)
	}
	r := newReplay(p)
	offset := 0
	for line := range strings.Lines(f.Text) {
		span := source.Span{File: f, Start: offset, End: offset + len(strings.TrimRight(line, "\r\n"))}
		offset += len(line)
		text, _, _ := strings.Cut(line, ";")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if len(words) != 2 || words[1] != "start" && words[1] != "end" {
			return nil, nil, source.Errorf(span, CodeSchedule, "a line is a unit, and start or end: %q", strings.TrimSpace(text))
		}
		if problem := r.move(Move{words[0], words[1] == "end"}); problem != "" {
			return nil, nil, source.Errorf(span, CodeSchedule, "%s", problem)
		}
	}
	if r.ended[p.last] {
		return reorder(t, r.order), nil, nil
	}
	if n := r.stuck(); n >= 0 {
		return nil, &Deadlock{Step: n, Reason: r.waits(n)}, nil
	}
	return nil, nil, source.Errorf(source.Span{File: f, Start: offset, End: offset}, CodeSchedule, "the schedule stops before the last instruction, %s, has ended",
		t.Steps[p.last].Text)
}

// A Stretch is an instruction as a schedule runs it: the lines that start and end it, counted from 0; End is -1 of one that has not ended.
type Stretch struct {
	Step, Unit int // of the program, and of Model.Units.Names
	Start, End int
}

// Stretches returns the instructions of a schedule that Follow takes, in the order in which they start.
func Stretches(t *ila.Task, schedule string) ([]Stretch, error) {
	p, err := Read(t)
	if err != nil || p == nil {
		return nil, err
	}
	var out []Stretch
	r := newReplay(p)
	running := map[string]int{} // the place in out
	for n, line := range strings.Split(strings.TrimSpace(schedule), "\n") {
		name, what, _ := strings.Cut(line, " ")
		if problem := r.move(Move{name, what == "end"}); problem != "" {
			return nil, fmt.Errorf("line %d of the schedule: %s", n+1, problem)
		}
		if what == "end" {
			out[running[name]].End = n
			continue
		}
		u := slices.Index(p.units.Names, name)
		running[name] = len(out)
		out = append(out, Stretch{Step: r.running[u], Unit: u, Start: n, End: -1})
	}
	return out, nil
}

// stuck is the first instruction of the program that has not ended where no unit can go on; else -1.
func (r *replay) stuck() int {
	for u := range r.waiting {
		if r.running[u] >= 0 || len(r.waiting[u]) > 0 && r.waits(r.waiting[u][0]) == "" {
			return -1
		}
	}
	for n, ended := range r.ended {
		if !ended {
			return n
		}
	}
	return -1
}

// A replay is the state of the units of a machine in time.
type replay struct {
	p       *Program
	fetched int     // instructions that are in a queue, or were
	waiting [][]int // by unit, instructions that were fetched and have not started
	popped  []int   // by unit, the pops that the first of these has made
	running []int   // by unit, or -1
	owed    [][]int // by unit, pushes of the one that ended last
	tokens  []int
	ended   []bool
	order   []int // the instructions that ended before the host reads
}

func newReplay(p *Program) *replay {
	n := len(p.units.Names)
	r := &replay{p: p, waiting: make([][]int, n), popped: make([]int, n), running: make([]int, n), owed: make([][]int, n),
		tokens: make([]int, len(p.units.Queues)), ended: make([]bool, len(p.steps))}
	for u := range r.running {
		r.running[u] = -1
	}
	r.settle()
	return r
}

// settle fetches, pops and pushes what can be. These never keep one another from taking place, so their order does not matter.
func (r *replay) settle() {
	for moved := true; moved; {
		moved = false
		for r.fetched < len(r.p.steps) {
			u := r.p.steps[r.fetched].unit
			if r.p.units.Commands > 0 && len(r.waiting[u]) == r.p.units.Commands {
				break
			}
			r.waiting[u] = append(r.waiting[u], r.fetched)
			r.fetched++
			moved = true
		}
		for u := range r.waiting {
			for len(r.owed[u]) > 0 && r.tokens[r.owed[u][0]] < r.p.units.Queues[r.owed[u][0]].Depth {
				r.tokens[r.owed[u][0]]++
				r.owed[u] = r.owed[u][1:]
				moved = true
			}
			for r.mayPop(u) {
				r.tokens[r.p.steps[r.waiting[u][0]].pops[r.popped[u]]]--
				r.popped[u]++
				moved = true
			}
		}
	}
}

func (r *replay) mayPop(u int) bool {
	if r.running[u] >= 0 || len(r.owed[u]) > 0 || len(r.waiting[u]) == 0 {
		return false
	}
	pops := r.p.steps[r.waiting[u][0]].pops
	return r.popped[u] < len(pops) && r.tokens[pops[r.popped[u]]] > 0
}

// move starts or ends an instruction, or says why it cannot.
func (r *replay) move(m Move) (problem string) {
	u := -1
	for i, name := range r.p.units.Names {
		if name == m.Unit {
			u = i
		}
	}
	switch {
	case u < 0:
		return fmt.Sprintf("%q is no unit: there are %s", m.Unit, strings.Join(r.p.units.Names, ", "))
	case m.End && r.running[u] < 0:
		return fmt.Sprintf("%s runs no instruction that could end", m.Unit)
	case m.End:
		r.end(u)
		return ""
	case r.running[u] >= 0:
		return fmt.Sprintf("%s still runs instruction %d", m.Unit, r.running[u])
	case len(r.waiting[u]) == 0:
		return fmt.Sprintf("%s has no further instruction", m.Unit)
	}
	if why := r.waits(r.waiting[u][0]); why != "" {
		return fmt.Sprintf("instruction %d cannot start: it %s", r.waiting[u][0], why)
	}
	r.start(u)
	return ""
}

func (r *replay) start(u int) {
	r.running[u], r.waiting[u], r.popped[u] = r.waiting[u][0], r.waiting[u][1:], 0
	r.settle()
}

func (r *replay) end(u int) {
	n := r.running[u]
	if !r.ended[r.p.last] {
		r.order = append(r.order, n)
	}
	r.ended[n], r.running[u], r.owed[u] = true, -1, r.p.steps[n].pushes
	r.settle()
}

// waits says what an instruction waits for, or nothing.
func (r *replay) waits(n int) string {
	u := r.p.steps[n].unit
	switch {
	case len(r.waiting[u]) == 0 || r.waiting[u][0] != n:
		return "waits for instructions before it"
	case len(r.owed[u]) > 0:
		return fmt.Sprintf("waits for the instruction before it, which pushes a token to %s, which is full", r.p.units.Queues[r.owed[u][0]].Name)
	case r.popped[u] < len(r.p.steps[n].pops):
		return fmt.Sprintf("waits for a token of %s", r.p.units.Queues[r.p.steps[n].pops[r.popped[u]]].Name)
	}
	return ""
}

// greedy starts and ends whatever can, until nothing does, and returns what it did.
func (r *replay) greedy() (s Schedule) {
	for moved := true; moved; {
		moved = false
		for u := range r.waiting {
			if r.running[u] < 0 && len(r.waiting[u]) > 0 && r.waits(r.waiting[u][0]) == "" {
				r.start(u)
				r.end(u)
				name := r.p.units.Names[u]
				s = append(s, Move{name, false}, Move{name, true})
				moved = true
			}
		}
	}
	return s
}

// schedule is a run in which events come in a given order.
func (o *Order) schedule(sorted []int) (s Schedule) {
	for _, e := range sorted {
		if ev := o.events[e]; ev.kind == start || ev.kind == end {
			s = append(s, Move{o.p.units.Names[o.p.steps[ev.step].unit], ev.kind == end})
			if ev.kind == end && ev.step == o.p.last {
				break
			}
		}
	}
	return s
}
