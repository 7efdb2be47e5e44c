package bits

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tv/equiv/bits/aig"
	"tv/equiv/bits/cnf"
	"tv/equiv/bits/induct"
	"tv/equiv/bits/sat"
	"tv/semantics/bits"
	"tv/semantics/bits/word"
)

// What Before leaves open is chosen: for each run of After there has to be one of Before with the same outputs. A proof has a choice as a
// word of what After has and reads at the cycle; a refutation is a run of After such that all choices lead to a difference.

// chosen are values of what Before leaves open.
type chosen struct {
	places   map[string]origin     // by place
	initials map[string]*word.Word // of registers: over After's registers, as they are when Before begins
}

// An origin is a word of After's, or, of inputs alone, one of Before's.
type origin struct {
	word   *word.Word
	before bool
}

// Limits of the search for choices.
const (
	maxChoices  = 64      // that are tried
	largeGraph  = 5000    // gates, of which few choices are tried
	fewChoices  = 12      //
	maxOpenBits = 16      // of a run that is refuted: all their values are tried when it is run again
	fewOpenBits = 8       // likewise: choices are tried first
	maxRounds   = 200     // of values that are set aside
	openCycles  = 8       // in which a refutation is looked for, more than the latency
	openEffort  = 100_000 // conflicts of the solver
	fewWords    = 24      // of After, that a place may be
)

// decideOpen answers a question where Before leaves something open.
func (m *machine) decideOpen(ctx context.Context, o Options, r *Result) error {
	tries := m.tries()
	m.build(tries[0])
	settled := func(last int, effort int64) bool {
		c, status := m.refuteSettled(ctx, m.latency+last, effort)
		if status == sat.Satisfiable {
			r.Verdict, r.Counterexample = Refuted, c
		}
		return status == sat.Satisfiable
	}
	// Of few bits all values can be ruled out, at an earlier cycle perhaps.
	if m.openBits() > fewOpenBits && (settled(soonCycles, soonEffort) || settled(settledCycles, 0)) {
		return nil
	}
	if f := m.newForward(ctx, o); f != nil {
		for _, c := range tries[:min(len(tries), fewChoices)] {
			m.build(c)
			found := m.prove(ctx, Options{Conflicts: forwardConflicts}, r)
			if found.Verdict == induct.Unknown && f.early(ctx, o) {
				f.proved(r)
			}
			if r.Verdict == Proved {
				return nil
			}
		}
	}
	for i, c := range tries {
		m.build(c)
		if i >= fewChoices && m.system.Graph.Gates() > largeGraph || ctx.Err() != nil {
			tries = tries[:i]
			break
		}
		found := m.prove(ctx, Options{Conflicts: min(o.Conflicts, openEffort)}, r)
		switch found.Verdict {
		case induct.Equal:
			return nil
		case induct.Empty:
			return m.empty(r)
		}
	}
	last := m.latency + openCycles
	for cycle := m.latency; cycle <= last; cycle++ {
		p, in, status := m.refuteOpen(ctx, cycle)
		if status == sat.Satisfiable {
			r.Verdict, r.Counterexample = Refuted, m.counterexample(p.trace(in), cycle)
			return nil
		}
		if status == sat.Unknown {
			last = cycle - 1
		}
	}
	for cycles := 2 * soonCycles; cycles <= settledCycles; cycles *= 2 {
		if settled(cycles, settledEffort) {
			return nil
		}
	}
	r.Verdict, r.Reason = Unknown, "incomplete"
	r.Detail = fmt.Sprintf("none of %d ways to choose what %s leaves open was proved, and no run of the first %d cycles refutes all", len(tries), m.Before.Name, last+1)
	if ctx.Err() != nil {
		r.Reason, r.Detail = "interrupted", ""
	}
	return nil
}

// openBits are those of registers that Before leaves open; many where it leaves open what is another value each cycle.
func (m *machine) openBits() (n int) {
	if m.open != nil {
		return maxOpenBits + 1
	}
	for _, r := range m.before {
		for i := range r.Width {
			if free(r, i) {
				n++
			}
		}
	}
	return n
}

// tries are choices, the likelier ones first: each thing that is left open has candidates in an order, and first all have theirs at the same
// place, then those come whose places have the smaller sum.
func (m *machine) tries() (out []chosen) {
	type candidates struct {
		count int
		set   func(c *chosen, i int)
	}
	var all []candidates
	for _, p := range m.open {
		list := m.sources(p)
		all = append(all, candidates{len(list), func(c *chosen, i int) { c.places[p.name] = list[i] }})
	}
	for _, r := range m.before {
		if startsFree(r) {
			list := m.starts(r)
			all = append(all, candidates{len(list), func(c *chosen, i int) { c.initials[r.Name] = list[i] }})
		}
	}
	seen := map[string]bool{}
	add := func(at []int) {
		key := fmt.Sprint(at)
		if seen[key] || len(out) >= maxChoices {
			return
		}
		seen[key] = true
		c := chosen{map[string]origin{}, map[string]*word.Word{}}
		for k, x := range all {
			x.set(&c, at[k])
		}
		out = append(out, c)
	}
	longest := 0
	for _, x := range all {
		longest = max(longest, x.count)
	}
	for i := range min(longest, maxChoices/2) {
		at := make([]int, len(all))
		for k, x := range all {
			at[k] = min(i, x.count-1)
		}
		add(at)
	}
	queue := [][]int{make([]int, len(all))}
	queued := map[string]bool{}
	for len(queue) > 0 && len(out) < maxChoices {
		at := queue[0]
		queue = queue[1:]
		add(at)
		for k, x := range all {
			if next := slices.Clone(at); at[k]+1 < x.count {
				next[k]++
				if key := fmt.Sprint(next); !queued[key] {
					queued[key] = true
					queue = append(queue, next)
				}
			}
		}
	}
	return out
}

// sources are what a place may be: what After leaves open there, its outputs, constants, what else it has of that width.
func (m *machine) sources(p place) (out []origin) {
	b := m.Before.Builder
	add := func(w *word.Word, before bool) {
		if w.Width == p.width && !slices.Contains(out, origin{w, before}) {
			out = append(out, origin{w, before})
		}
	}
	words, _ := reads(m.After)
	for _, w := range words {
		if w.Op == word.Open && w.Name == p.name {
			add(w, false)
		}
	}
	for _, o := range m.Before.Outputs {
		w := m.output(o.Name)
		add(w, false)
		if w.Width > p.width {
			add(b.Extract(w, p.width-1, 0), false)
			add(b.Extract(w, w.Width-1, w.Width-p.width), false)
		}
	}
	add(b.Int(p.width, 0), false)
	add(b.Int(p.width, -1), false)
	for _, w := range words {
		if w.Op == word.Open {
			add(w, false)
		}
	}
	for _, in := range m.Before.Inputs {
		add(b.Input(in.Name, in.Width, 0), true)
	}
	for _, w := range words {
		if w.Op != word.Const && len(out) < fewWords {
			add(w, false)
		}
	}
	return out
}

// starts are what a register may start with: what After's of that name does, what the outputs say, constants, what others start with.
func (m *machine) starts(r *bits.Register) (out []*word.Word) {
	b := m.Before.Builder
	add := func(w *word.Word) {
		if w != nil && w.Width == r.Width && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	for _, a := range m.after {
		if a.Name == r.Name {
			add(a.Now)
		}
	}
	// Synthesis keeps the names of nets, and one cell or block for each bit.
	nets := map[string]*word.Word{}
	for _, a := range m.after {
		for i, name := range netsOf(a) {
			nets[name] = b.Simplify(b.Bit(a.Now, i))
		}
	}
	named := make([]*word.Word, r.Width)
	for i := range named {
		name := fmt.Sprintf("%s[%d]", r.Name, i)
		if r.Width == 1 {
			name = r.Name
		}
		named[i] = nets[name]
	}
	add(m.joined(named))
	seen := make([]*word.Word, r.Width)
	for _, o := range m.Before.Outputs {
		if w := m.quiet(m.output(o.Name)); onlyState(w) {
			m.shown(r, m.quiet(o.Word), 0, w, seen)
		}
	}
	add(m.joined(seen))
	add(b.Int(r.Width, 0))
	add(b.Int(r.Width, -1))
	for _, a := range m.after {
		add(a.Now)
	}
	return out
}

// netsOf names the bits of a register, least first: the nets that a cell drives, and of one that is a part of a variable, as its name says, the bits
// of that.
func netsOf(r *bits.Register) (names []string) {
	if r.Nets != nil {
		return r.Nets
	}
	var high, low int
	at := strings.LastIndexByte(r.Name, '[')
	if at < 0 {
		return nil
	}
	if n, _ := fmt.Sscanf(r.Name[at:], "[%d:%d]", &high, &low); n == 1 {
		low = high
	} else if n != 2 {
		return nil
	}
	step := 1
	if high < low {
		step = -1
	}
	for i := range r.Width {
		names = append(names, fmt.Sprintf("%s[%d]", r.Name[:at], low+step*i))
	}
	return names
}

// joined is the word of bits, least first, of which those that are nil are 0; nil where all are.
func (m *machine) joined(bits []*word.Word) *word.Word {
	b := m.Before.Builder
	if !slices.ContainsFunc(bits, func(w *word.Word) bool { return w != nil }) {
		return nil
	}
	parts := make([]*word.Word, len(bits))
	for i, w := range bits {
		if w == nil {
			w = b.Int(1, 0)
		}
		parts[len(bits)-1-i] = w
	}
	return b.Simplify(b.Concat(parts...))
}

// quiet is a word where no asynchronous reset is active, nor was it in the cycle.
func (m *machine) quiet(w *word.Word) *word.Word {
	b := m.Before.Builder
	levels := map[string]int64{}
	for _, p := range m.Before.Inputs {
		if p.Of != "" {
			levels[p.Name], levels[p.Of] = 0, 0
			if p.Level == bits.Low {
				levels[p.Of] = 1
			}
		}
	}
	if len(levels) == 0 {
		return w
	}
	done := map[*word.Word]*word.Word{}
	for _, x := range word.Reach(w) {
		if level, ok := levels[x.Name]; ok && x.Op == word.Input {
			done[x] = b.Int(1, level)
			continue
		}
		args := make([]*word.Word, len(x.Args))
		for i, a := range x.Args {
			args[i] = done[a]
		}
		done[x] = b.Simplify(b.With(x, args))
	}
	return done[w]
}

// onlyState tells whether a word reads registers alone.
func onlyState(w *word.Word) bool {
	return !slices.ContainsFunc(word.Reach(w), func(w *word.Word) bool { return w.Op == word.Input || w.Op == word.Open })
}

// shown finds where w, whose bits from low on are those of y, shows bits of a register.
func (m *machine) shown(r *bits.Register, w *word.Word, low int, y *word.Word, seen []*word.Word) {
	b := m.Before.Builder
	switch w.Op {
	case word.State:
		for i := range w.Width {
			if w == r.Now && low+i < y.Width && seen[i] == nil {
				seen[i] = b.Simplify(b.Bit(y, low+i))
			}
		}
	case word.Extract:
		if w.Args[0] == r.Now {
			for i := w.Lo; i <= w.Hi; i++ {
				if at := low + i - w.Lo; at < y.Width && seen[i] == nil {
					seen[i] = b.Simplify(b.Bit(y, at))
				}
			}
		}
	case word.Concat:
		for i := len(w.Args) - 1; i >= 0; i-- {
			m.shown(r, w.Args[i], low, y, seen)
			low += w.Args[i].Width
		}
	case word.ZeroExt, word.SignExt:
		m.shown(r, w.Args[0], low, y, seen)
	case word.Not:
		m.shown(r, w.Args[0], low, b.Apply(word.Not, y), seen)
	}
}

// refuteOpen looks for a run of After that differs from all of Before's by a cycle: inputs that rule out all values so far, and then values
// that these do not rule out, in turns.
func (m *machine) refuteOpen(ctx context.Context, cycle int) (p *prefix, in []bool, status sat.Status) {
	g := aig.New()
	p = m.prefixIn(g, cycle, g.Input)
	if p == nil || len(p.legal) > 0 {
		return nil, nil, sat.Unknown
	}
	equal, before := aig.True, aig.True
	for _, x := range p.pairs {
		if x.cycle == cycle {
			continue
		}
		before = g.And(before, g.Xor(x.before, x.after).Not())
	}
	for _, x := range p.pairs {
		equal = g.And(equal, g.Xor(x.before, x.after).Not())
	}
	e, answer := cnf.New(g), cnf.New(g)
	for _, l := range p.gates.Assume {
		e.Add(e.Lit(l))
	}
	left := func(e *cnf.Encoder) int64 { return openEffort - e.Conflicts() }
	isChoice := func(s aig.Signal) bool { return s.Kind == aig.Choice }
	var run []aig.Lit // what After's run is
	values := map[aig.Signal]bool{}
	for range maxRounds {
		differ := aig.NewCopier(g, g, func(s aig.Signal) aig.Lit {
			if isChoice(s) {
				return aig.Bool(values[s])
			}
			return g.Input(s)
		}).Lit(equal).Not()
		e.Add(e.Lit(differ))
		if s := e.Solve(ctx, nil, left(e)); s != sat.Satisfiable {
			return nil, nil, s
		}
		run = run[:0]
		for _, s := range g.Signals() {
			if l := g.Input(s); !isChoice(s) {
				run = append(run, l.NotIf(!e.Value(l)))
			}
		}
		switch answer.Solve(ctx, answer.Lits(append(slices.Clone(run), equal)...), left(answer)) {
		case sat.Unknown:
			return nil, nil, sat.Unknown
		case sat.Unsatisfiable:
			return m.refuted(ctx, p, run, equal, before, answer)
		}
		clear(values)
		for _, s := range g.Signals() {
			values[s] = isChoice(s) && answer.Value(g.Input(s))
		}
	}
	return nil, nil, sat.Unknown
}

// refuted makes a run smaller, as long as no value of what Before leaves open makes outputs equal, and adds such values under which they are
// equal before the last cycle.
func (m *machine) refuted(ctx context.Context, p *prefix, run []aig.Lit, equal, before aig.Lit, e *cnf.Encoder) (*prefix, []bool, sat.Status) {
	g := p.graph
	rules := func(run []aig.Lit) bool {
		assumed := e.Lits(append(slices.Clone(run), p.gates.Assume...)...)
		return e.Solve(ctx, assumed, openEffort) == sat.Satisfiable &&
			e.Solve(ctx, e.Lits(append(slices.Clone(run), equal)...), openEffort) == sat.Unsatisfiable
	}
	for i, l := range run {
		if l.Negated() {
			continue
		}
		if less := slices.Clone(run); i < maxRounds {
			less[i] = l.Not()
			if rules(less) {
				run = less
			}
		}
	}
	fixed := map[aig.Lit]bool{}
	for _, l := range run {
		fixed[l] = true
	}
	in := func(s aig.Signal) aig.Lit {
		l := g.Input(s)
		if s.Kind == aig.Choice {
			return l
		}
		return aig.Bool(fixed[l])
	}
	open := 0
	for n, some := range g.Cone(aig.NewCopier(g, g, in).Lit(equal)) {
		if _, signal := g.InputOf(n); signal && some {
			open++
		}
	}
	if open > maxOpenBits {
		return nil, nil, sat.Unknown
	}
	if e.Solve(ctx, e.Lits(append(slices.Clone(run), before)...), openEffort) != sat.Satisfiable {
		return nil, nil, sat.Unknown // a shorter run does it, or the work is too much
	}
	out := make([]bool, len(g.Signals()))
	for i, s := range g.Signals() {
		l := g.Input(s)
		if out[i] = fixed[l]; s.Kind == aig.Choice {
			out[i] = e.Value(l)
		}
	}
	return p, out, sat.Satisfiable
}
