package race

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tv/ila"
)

// drawn is a small program: two or three units, queues between them of one or two tokens, short queues of instructions.
func drawn(draw *rand.Rand) *Program {
	units := &ila.Units{Names: []string{"a", "b", "c"}[:2+draw.IntN(2)], Commands: draw.IntN(4)}
	n := len(units.Names)
	for range 1 + draw.IntN(3) {
		from := draw.IntN(n)
		to := (from + 1 + draw.IntN(n-1)) % n
		units.Queues = append(units.Queues, ila.TokenQueue{Name: fmt.Sprint("q", len(units.Queues)), From: units.Names[from], To: units.Names[to],
			Depth: 1 + draw.IntN(2)})
	}
	p := &Program{units: units}
	for range 2 + draw.IntN(4) {
		i := instruction{unit: draw.IntN(n)}
		for q, queue := range units.Queues {
			if queue.To == units.Names[i.unit] && draw.IntN(3) == 0 {
				i.pops = append(i.pops, q)
			}
			if queue.From == units.Names[i.unit] && draw.IntN(2) == 0 {
				i.pushes = append(i.pushes, q)
			}
		}
		p.steps = append(p.steps, i)
	}
	p.last = len(p.steps) - 1
	return p
}

// A walk tries all runs of a program in time.
type walk struct {
	p      *Program
	runs   int
	stops  int // runs that end before all instructions have
	always [][]bool
	seen   map[string]bool
}

func (w *walk) from(moves []Move) {
	r := newReplay(w.p)
	at := make([][2]int, len(w.p.steps)) // when steps start and end
	for i := range at {
		at[i] = [2]int{1 << 30, 1 << 30}
	}
	for when, m := range moves {
		u := unitOf(w.p, m.Unit)
		if m.End {
			at[r.running[u]][1] = when
		} else {
			at[r.waiting[u][0]][0] = when
		}
		if problem := r.move(m); problem != "" {
			panic(problem)
		}
	}
	// Runs that reach the same state in the same past order go on alike; the past counts for what is ordered, so it is part of the key.
	key := fmt.Sprint(at)
	if w.seen[key] {
		return
	}
	w.seen[key] = true
	over := true
	for u, name := range w.p.units.Names {
		if r.running[u] >= 0 {
			over = false
			w.from(append(moves[:len(moves):len(moves)], Move{name, true}))
		} else if len(r.waiting[u]) > 0 && r.waits(r.waiting[u][0]) == "" {
			over = false
			w.from(append(moves[:len(moves):len(moves)], Move{name, false}))
		}
	}
	if !over {
		return
	}
	w.runs++
	for n := range w.p.steps {
		if !r.ended[n] {
			w.stops++
			return
		}
	}
	for a := range w.p.steps {
		for b := range w.p.steps {
			w.always[a][b] = w.always[a][b] && at[a][1] < at[b][0]
		}
	}
}

func unitOf(p *Program, name string) int {
	for u, n := range p.units.Names {
		if n == name {
			return u
		}
	}
	panic(name)
}

// What the rules order is what all runs in time order, and a program stops for ever by the rules iff a run does, and then all do. The runs are those of
// the replay of schedules, which knows queues and no rules.
func TestOrder(t *testing.T) {
	draw := rand.New(rand.NewPCG(7, 7))
	deadlocks, ordered, reordered := 0, 0, 0
	for n := range 600 {
		p := drawn(draw)
		w := &walk{p: p, always: make([][]bool, len(p.steps)), seen: map[string]bool{}}
		for a := range w.always {
			w.always[a] = make([]bool, len(p.steps))
			for b := range w.always[a] {
				w.always[a][b] = a != b
			}
		}
		w.from(nil)
		o, dead := p.Order()
		if (dead != nil) != (w.stops > 0) || w.stops > 0 && w.stops < w.runs {
			t.Fatalf("program %d: deadlock %v; %d of %d runs stop\n%+v %+v", n, dead, w.stops, w.runs, p.steps, p.units)
		}
		if dead != nil {
			deadlocks++
			continue
		}
		if !o.InOrder() {
			reordered++
		}
		for a := range p.steps {
			for b := range p.steps {
				if p.steps[a].unit == p.steps[b].unit {
					continue
				}
				if got := o.ordered(a, b); got != w.always[a][b] {
					t.Fatalf("program %d: %d before %d: %v by the rules, %v in all %d runs\n%+v %+v", n, a, b, got, w.always[a][b], w.runs, p.steps, p.units)
				}
				if w.always[a][b] {
					ordered++
				}
			}
		}
		for i, s := range o.Steps { // an order that the program may be run in
			for j := range i {
				if o.ordered(s, o.Steps[j]) && p.steps[s].unit != p.steps[o.Steps[j]].unit {
					t.Fatalf("program %d: %v is no order of it", n, o.Steps)
				}
			}
		}
	}
	if deadlocks < 50 || ordered < 50 || reordered < 5 {
		t.Errorf("%d deadlocks, %d ordered pairs, %d programs in another order", deadlocks, ordered, reordered)
	}
}

// A race is found iff two instructions touch a cell, one of them writing, and a run in time does not keep their order; its schedule is one of
// the program, in which the second ends before the first.
func TestRace(t *testing.T) {
	draw := rand.New(rand.NewPCG(8, 8))
	memory := &ila.Var{Name: "m", Depth: 64}
	races := 0
	for n := range 400 {
		p := drawn(draw)
		o, dead := p.Order()
		if dead != nil {
			continue
		}
		type touch struct {
			low, high uint64
			write     bool
		}
		touched := make([][]touch, len(p.steps))
		for s := range touched {
			for range draw.IntN(3) {
				low := uint64(draw.IntN(8))
				touched[s] = append(touched[s], touch{low, low + 1 + uint64(draw.IntN(3)), draw.IntN(2) == 0})
			}
		}
		r := NewRecorder()
		for _, s := range o.Steps {
			for _, x := range touched[s] {
				for at := x.low; at < x.high; at++ {
					r.Access(memory, at, x.write)
				}
			}
			r.Next()
		}
		want := false
		for a := range p.steps {
			for b := range p.steps {
				for _, x := range touched[a] {
					for _, y := range touched[b] {
						apart := p.steps[a].unit == p.steps[b].unit || o.ordered(a, b) || o.ordered(b, a)
						want = want || !apart && x.low < y.high && y.low < x.high && (x.write || y.write)
					}
				}
			}
		}
		task := &ila.Task{Output: ila.Tensor{Dims: []int{1}}, Steps: make([]ila.Step, len(p.steps)),
			Places: func(int) []ila.Place { return []ila.Place{{Memory: &ila.Var{}, Address: 0}} }}
		var found *Race
		if all := o.Races(task, r); len(all) > 0 {
			found = all[0]
		}
		if (found != nil) != want {
			t.Fatalf("program %d: race %+v, want %v", n, found, want)
		}
		if found == nil {
			continue
		}
		races++
		again := newReplay(p)
		for _, m := range found.Schedule {
			if problem := again.move(m); problem != "" {
				t.Fatalf("program %d: %s", n, problem)
			}
		}
		place := map[int]int{}
		for i, s := range again.order {
			place[s] = i + 1
		}
		// one that always comes after the host's reads is not in it
		if first, second := place[found.First], place[found.Second]; first != 0 && (second == 0 || first < second) {
			t.Fatalf("program %d: the schedule of %+v ends %v", n, found, again.order)
		}
	}
	if races < 50 {
		t.Errorf("%d races", races)
	}
}
