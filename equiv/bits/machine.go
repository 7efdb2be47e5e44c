package bits

import (
	"fmt"
	"slices"

	"tv/equiv/bits/aig"
	"tv/equiv/bits/induct"
	"tv/equiv/bits/sweep"
	"tv/semantics/bits"
	"tv/semantics/bits/word"
)

// A machine is a question about designs whose registers may reach themselves: the two run side by side, Before as many cycles behind as
// the latency says, with the last inputs as a part of the state.
type machine struct {
	Question
	latency       int // that of the question, less that of After
	history       int // how many cycles of inputs are a part of the state
	system        *induct.System
	before, after []*bits.Register
	open          []place       // what Before leaves open in every cycle
	chosen        chosen        // its value, and the initial values of registers
	places        []sweep.Named // likewise bit by bit, over the signals of the step
	initials      []sweep.Named // and of the start
}

// A place is one that a text leaves open.
type place struct {
	name  string
	width int
}

// reads are the words that outputs, assumptions and what is forbidden depend on, through registers; and the registers.
func reads(d *bits.Design) (words []*word.Word, registers []*bits.Register) {
	at := map[string]*bits.Register{}
	for i := range d.Registers {
		at[d.Registers[i].Name] = &d.Registers[i]
	}
	var roots []*word.Word
	for _, o := range d.Outputs {
		roots = append(roots, o.Word)
	}
	for _, a := range slices.Concat(d.Assume, d.Forbid) {
		roots = append(roots, a.Word)
	}
	bits.Postorder(roots, func(w *word.Word) []*word.Word { return w.Args }, func(w *word.Word) { words = append(words, w) })
	seen := map[*word.Word]bool{}
	for _, w := range words {
		seen[w] = true
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w.Op != word.State {
			continue
		}
		r := at[w.Name]
		registers = append(registers, r)
		for _, x := range word.Reach(r.Next) {
			if !seen[x] {
				seen[x] = true
				words = append(words, x)
			}
		}
	}
	slices.SortFunc(registers, func(a, b *bits.Register) int { return a.Now.ID - b.Now.ID })
	return words, registers
}

// opens are the places that words have.
func opens(words []*word.Word) (out []place) {
	for _, w := range words {
		if p := (place{w.Name, w.Width}); w.Op == word.Open && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// free tells whether bit i of a register may start as anything.
func free(r *bits.Register, i int) bool {
	return r.Initial == nil || r.Open != nil && r.Open.Bit(i) != 0
}

// lookback tells of registers how many cycles ago the inputs were that they depend on at most; those that reach themselves, or depend on
// one that does, are not in it.
func lookback(registers []*bits.Register) map[string]int {
	next := map[string]*word.Word{}
	for _, r := range registers {
		next[r.Name] = r.Next
	}
	before := func(w *word.Word) []*word.Word {
		if w.Op == word.State {
			return []*word.Word{next[w.Name]}
		}
		return w.Args
	}
	type frame struct {
		w       *word.Word
		rest    []*word.Word
		depth   int
		endless bool
	}
	type known struct {
		depth   int
		endless bool // also of those that are on the way: who meets them depends on a cycle
	}
	done := map[*word.Word]known{}
	enter := func(w *word.Word) frame {
		done[w] = known{endless: true}
		return frame{w: w, rest: before(w)}
	}
	for _, r := range registers {
		if _, ok := done[r.Now]; ok {
			continue
		}
		for stack := []frame{enter(r.Now)}; len(stack) > 0; {
			top := &stack[len(stack)-1]
			if len(top.rest) > 0 {
				w := top.rest[0]
				if k, ok := done[w]; ok {
					top.depth, top.endless = max(top.depth, k.depth), top.endless || k.endless
					top.rest = top.rest[1:]
				} else {
					stack = append(stack, enter(w))
				}
				continue
			}
			k := known{top.depth, top.endless || top.w.Op == word.Open}
			if top.w.Op == word.State {
				k.depth++
			}
			done[top.w] = k
			stack = stack[:len(stack)-1]
		}
	}
	out := map[string]int{}
	for _, r := range registers {
		if k := done[r.Now]; !k.endless {
			out[r.Name] = k.depth
		}
	}
	return out
}

// mostHistory bounds the cycles of inputs that are a part of the state, where the latency alone does not ask for more.
const mostHistory = 16

// newMachine makes a system of a question; nil where it cannot be, with why.
func newMachine(q Question) (*machine, string) {
	m := &machine{Question: q, latency: q.Latency - q.After.Latency}
	if m.latency < 0 {
		return nil, "outputs that are later than those they are compared with"
	}
	var left, right []*word.Word
	left, m.before = reads(q.Before)
	right, m.after = reads(q.After)
	m.open = opens(left)
	for _, a := range slices.Concat(q.Before.Assume, q.After.Assume) {
		if opens(word.Reach(a.Word)) != nil || m.leavesOpen() && stateful(a.Word) {
			return nil, "an assumption about what is left open"
		}
	}
	if tooLarge(append(left, right...)...) {
		return nil, fmt.Sprintf("more than %d gates", maxGates)
	}
	m.history = m.latency
	if m.open == nil {
		for _, depth := range lookback(m.before) {
			m.history = max(m.history, m.latency+min(depth, mostHistory))
		}
		for _, depth := range lookback(m.after) {
			m.history = max(m.history, min(depth, m.latency+mostHistory))
		}
	}
	return m, ""
}

// leavesOpen tells whether Before's values are to be chosen.
func (m *machine) leavesOpen() bool {
	return m.open != nil || slices.ContainsFunc(m.before, startsFree)
}

// startsFree tells whether a bit of a register may start as anything.
func startsFree(r *bits.Register) bool {
	for i := range r.Width {
		if free(r, i) {
			return true
		}
	}
	return false
}

// side is a design's words as gates.
type side struct {
	*lowering
	*bits.Design
	registers []*bits.Register
}

// cell is a bit of a register.
func cell(kind aig.Kind, r *bits.Register, i int) aig.Signal {
	return aig.Signal{Kind: kind, Port: r.Name, Bit: i}
}

// build makes the step and the start, where what Before leaves open is what was chosen.
func (m *machine) build(c chosen) {
	m.chosen, m.places, m.initials = c, nil, nil
	s := &induct.System{Graph: aig.New(), Start: aig.New()}
	m.system = s
	g := s.Graph
	a := side{newLowering(g), m.After, m.after}
	a.of, a.open = aig.After, g.Input
	b := side{newLowering(g), m.Before, m.before}
	b.of, b.delay = aig.Before, m.latency
	values := map[string]aig.Word{}
	for _, p := range m.open {
		l := a.lowering
		if c.places[p.name].before {
			l = newLowering(g)
			l.delay = m.latency
		}
		values[p.name] = l.word(c.places[p.name].word)
		for i, x := range values[p.name] {
			m.places = append(m.places, sweep.Named{Name: p.name, Bit: i, Value: x})
			s.Keep = append(s.Keep, x)
		}
	}
	b.open = func(x aig.Signal) aig.Lit { return values[x.Port][x.Bit] }
	for _, x := range []side{b, a} {
		shallow := lookback(x.registers)
		for _, r := range x.registers {
			now, next, twin := x.word(r.Now), x.word(r.Next), make(aig.Word, r.Width)
			if d, ok := shallow[r.Name]; ok && x.delay+d <= m.history {
				twin = newLowering(g).word(x.Delayed(m.Before.Builder, r.Now, x.delay))
			}
			for i := range now {
				s.State = append(s.State, induct.Bit{Now: now[i], Next: next[i], Twin: twin[i]})
			}
		}
		for _, f := range x.Forbid {
			s.Before, s.After = append(s.Before, x.word(f.Word)[0]), append(s.After, aig.False)
		}
	}
	for _, o := range m.Before.Outputs {
		s.Before = append(s.Before, b.word(o.Word)...)
		s.After = append(s.After, a.word(m.output(o.Name))...)
	}
	for delay := m.history; delay >= 0; delay-- {
		then := newLowering(g)
		then.delay = delay
		s.Assume = append(s.Assume, m.assumed(then, b, delay)...)
	}
	for i := 0; i < len(g.Signals()); i++ { // those of earlier cycles come from later ones
		if x := g.Signals()[i]; x.Kind == aig.Port && x.Delay > 0 {
			later := x
			later.Delay--
			s.State = append(s.State, induct.Bit{Now: g.Input(x), Next: g.Input(later)})
		}
	}
	m.start()
}

// output is that of After.
func (m *machine) output(name string) *word.Word {
	i := slices.IndexFunc(m.After.Outputs, func(p bits.Output) bool { return p.Name == name })
	return m.After.Outputs[i].Word
}

// assumed are the assumptions at a delay: those that read registers only where Before is.
func (m *machine) assumed(then *lowering, b side, delay int) (out []aig.Lit) {
	for _, x := range m.Before.Assume {
		about := stateful(x.Word)
		switch {
		case about && delay == m.latency:
			out = append(out, b.word(x.Word)[0])
		case !about:
			out = append(out, then.word(x.Word)[0])
		}
	}
	return out
}

// start makes the first states: those at cycle history, from the initial values on.
func (m *machine) start() {
	s := m.system
	u := m.unroll(s.Start, m.history, m.history-m.latency, nil)
	for _, r := range m.before {
		for i := range r.Width {
			if free(r, i) {
				x := u.initial[r.Name][i]
				m.initials = append(m.initials, sweep.Named{Name: r.Name, Bit: i, Value: x})
				s.StartKeep = append(s.StartKeep, x)
			}
		}
	}
	now := map[aig.Signal]aig.Lit{}
	for _, r := range m.before {
		for i, l := range u.before[r.Name] {
			now[cell(aig.Before, r, i)] = l
		}
	}
	for _, r := range m.after {
		for i, l := range u.after[r.Name] {
			now[cell(aig.After, r, i)] = l
		}
	}
	for _, b := range s.State {
		at, _ := s.Graph.InputOf(b.Now.Node())
		x := s.Graph.Signals()[at]
		if l, ok := now[x]; ok {
			s.Initial = append(s.Initial, l)
		} else {
			s.Initial = append(s.Initial, s.Start.Input(x))
		}
	}
	for _, p := range u.pairs {
		s.First, s.Second = append(s.First, p.before), append(s.Second, p.after)
	}
	s.StartAssume = u.assume
}

// A pair is of what is to be equal at a cycle of After.
type pair struct {
	cycle         int
	before, after aig.Lit
	output        int              // of Before
	forbidden     *bits.Assumption // where it is no output, but this, which is to be false
}

// unrolled are the first cycles from the initial values on: what is to be equal there, and what registers are then.
type unrolled struct {
	pairs         []pair
	assume        []aig.Lit // about inputs
	about         []aig.Lit // about registers, too
	before, after map[string]aig.Word
	initial       map[string]aig.Word // of Before
}

// unroll makes the first cycles of After, and so many of Before. Inputs of a cycle are signals of the delay that it has when all cycles of
// After are over. Bits that Before leaves open are what choose says, which is asked for initial ones with delay 0, and for those of a
// cycle with the delay of that; without it initial ones are what was chosen.
func (m *machine) unroll(g *aig.Graph, cycles, early int, choose func(aig.Signal) aig.Lit) *unrolled {
	u := &unrolled{}
	at := func(d *bits.Design, registers []*bits.Register, cycle int, state map[string]aig.Word) side {
		l := newLowering(g)
		l.delay, l.state, l.open = cycles-cycle, state, g.Input
		return side{l, d, registers}
	}
	u.after = m.initial(m.after, func(r *bits.Register, i int) aig.Lit { return g.Input(cell(aig.After, r, i)) })
	var later []side
	for cycle := range cycles {
		a := at(m.After, m.after, cycle, u.after)
		for _, x := range m.Before.Assume {
			if !stateful(x.Word) {
				u.assume = append(u.assume, at(nil, nil, cycle, nil).word(x.Word)[0])
			}
		}
		u.forbid(a, cycle)
		later = append(later, a)
		u.after = a.stepped()
	}
	begins := at(m.After, m.after, cycles, u.after) // After when Before begins
	if m.latency < cycles {
		begins = later[m.latency]
	}
	u.initial = m.initial(m.before, func(r *bits.Register, i int) aig.Lit {
		if choose != nil {
			return choose(cell(aig.Choice, r, i))
		}
		return begins.word(m.chosen.initials[r.Name])[i]
	})
	u.before = u.initial
	for cycle := range early {
		b := at(m.Before, m.before, cycle, u.before)
		b.open = func(s aig.Signal) aig.Lit {
			s.Kind = aig.Choice
			return choose(s)
		}
		for _, x := range m.Before.Assume {
			if stateful(x.Word) {
				u.about = append(u.about, b.word(x.Word)[0])
			}
		}
		u.forbid(b, cycle)
		if c := cycle + m.latency; c < cycles {
			for k, o := range m.Before.Outputs {
				x, y := b.word(o.Word), later[c].word(m.output(o.Name))
				for i := range x {
					u.pairs = append(u.pairs, pair{cycle: c, before: x[i], after: y[i], output: k})
				}
			}
		}
		u.before = b.stepped()
	}
	slices.SortStableFunc(u.pairs, func(a, b pair) int { return a.cycle - b.cycle })
	return u
}

// initial are the words that registers start with.
func (m *machine) initial(registers []*bits.Register, open func(r *bits.Register, i int) aig.Lit) map[string]aig.Word {
	out := map[string]aig.Word{}
	for _, r := range registers {
		w := make(aig.Word, r.Width)
		for i := range w {
			if free(r, i) {
				w[i] = open(r, i)
			} else {
				w[i] = aig.Bool(r.Initial.Bit(i) != 0)
			}
		}
		out[r.Name] = w
	}
	return out
}

// forbid has what a design forbids be false.
func (u *unrolled) forbid(x side, cycle int) {
	for i := range x.Forbid {
		u.pairs = append(u.pairs, pair{cycle: cycle, before: x.word(x.Forbid[i].Word)[0], after: aig.False, forbidden: &x.Forbid[i]})
	}
}

// stateful tells whether a word reads registers.
func stateful(w *word.Word) bool {
	return slices.ContainsFunc(word.Reach(w), func(w *word.Word) bool { return w.Op == word.State })
}

// stepped are the registers a cycle later.
func (x side) stepped() map[string]aig.Word {
	out := map[string]aig.Word{}
	for _, r := range x.registers {
		out[r.Name] = x.word(r.Next)
	}
	return out
}
