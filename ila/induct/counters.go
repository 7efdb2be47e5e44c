package induct

import (
	"slices"

	"tv/ila"
	"tv/semantics/index"
	"tv/semantics/term"
)

// rest runs the loops of a child model until none of its instructions decodes.
func (p *inductor) rest(m *ila.Model) {
	for range attempts {
		i := p.pick(m)
		if i == nil {
			return
		}
		if len(m.Children) > 0 {
			p.stuck("%s has children of its own", m.Name)
		}
		p.counted(m, i)
	}
	p.stuck("%s does not come to rest", m.Name)
}

// A level is a loop of a child model: what one step of it adds to each bit-vector, by slot, and how often it
// goes round.
type level struct {
	delta []*index.Expr
	count *index.Expr
}

// counted runs an instruction of a child as often as it decodes. The counters of the child are looked at as those
// of nested loops: where the conditions on which the instruction's updates depend fail and hold one after the
// other, each is the end of one loop. Counts and steps are guessed from that, then checked: from every iteration
// the updates lead to the next one, and from the last one out of the loops.
func (p *inductor) counted(m *ila.Model, i *ila.Instruction) {
	entry := slices.Clone(p.cur.scalars)
	starts := map[int]*index.Expr{}
	for _, s := range i.Sets {
		if _, ok := p.num(entry[s.Var.Slot()]); !ok {
			p.stuck("%s of %s starts from a value that is not known", s.Var.Name, m.Name)
		}
		starts[s.Var.Slot()] = p.value(entry[s.Var.Slot()])
	}
	levels := p.levels(m, i, entry, starts)
	p.micro++
	at := func(its []*index.Expr) []*term.Term { // its holds the iteration of each level, the innermost first
		out := slices.Clone(entry)
		for _, s := range i.Sets {
			slot := s.Var.Slot()
			e := starts[slot]
			for n, l := range levels {
				e = p.ix.Add(e, p.ix.Mul(its[n], l.delta[slot]))
			}
			out[slot] = p.number(entry[slot].Sort, e)
		}
		return out
	}
	for _, l := range levels {
		p.must(p.ix.AddInt(l.count, -1))
	}
	p.bounded(levels)
	zero := p.ix.Const(0)
	iteration := func(bound *index.Expr) *index.Expr {
		if k, ok := ila.ConstInt(bound); ok && k == 1 {
			return zero
		}
		return p.ix.NewVar(m.Name, zero, bound).Expr()
	}
	last := func(n int) *index.Expr { return p.ix.AddInt(levels[n].count, -1) }
	for n := range levels {
		if p.zero(last(n)) {
			continue
		}
		its, next := make([]*index.Expr, len(levels)), make([]*index.Expr, len(levels))
		for k := range levels {
			switch {
			case k < n:
				its[k], next[k] = last(k), zero
			case k == n:
				its[k] = iteration(last(k))
				next[k] = p.ix.AddInt(its[k], 1)
			default:
				its[k] = iteration(levels[k].count)
				next[k] = its[k]
			}
		}
		got := p.after(i, at(its))
		p.cur.scalars = got
		if p.pick(m) != i {
			p.stuck("the loops of %s end before their last iteration", m.Name)
		}
		for _, s := range i.Sets {
			if want := at(next)[s.Var.Slot()]; !p.equalBits(got[s.Var.Slot()], want) {
				p.stuck("no invariant of %s of %s is found: %s is not %s", s.Var.Name, m.Name,
					got[s.Var.Slot()], want)
			}
		}
	}
	var its []*index.Expr
	for n := range levels {
		its = append(its, last(n))
	}
	exit := p.after(i, at(its))
	p.cur.scalars = exit
	if p.pick(m) == i {
		p.stuck("the loops of %s go on after their last iteration", m.Name)
	}
	p.cur.scalars = entry
	p.iterate(m, i, levels, nil, at)
	p.cur.scalars = exit
}

// bounded makes sure that a child comes to rest within the steps that it may take.
func (p *inductor) bounded(levels []level) {
	bits := 0
	for _, l := range levels {
		n := 0
		for n < ila.AddressWidth && !p.nonneg(p.ix.Sub(p.ix.Num(power(n)), l.count)) {
			n++
		}
		bits += n
	}
	if 1<<bits > ila.MaxMicroSteps {
		p.stuck("more than %d micro-steps are possible [%s]", ila.MaxMicroSteps, ila.CodeSteps)
	}
}

// after returns the bit-vectors after an instruction that starts from some.
func (p *inductor) after(i *ila.Instruction, from []*term.Term) []*term.Term {
	p.cur.scalars = from
	out := slices.Clone(from)
	for slot, t := range p.sets(i) {
		if t != nil {
			out[slot] = t
		}
	}
	return out
}

// iterate stores what the instruction stores in all iterations, the outermost loop first.
func (p *inductor) iterate(m *ila.Model, i *ila.Instruction, levels []level, its []*index.Expr,
	at func([]*index.Expr) []*term.Term) {
	n := len(levels) - len(its)
	if n == 0 {
		p.cur.scalars = at(its)
		p.checks(i)
		p.stores(i)
		return
	}
	p.loop(m.Name, p.ix.Const(0), levels[n-1].count, true, func(v *index.Expr) {
		p.iterate(m, i, levels, append([]*index.Expr{v}, its...), at)
	})
}

// A path is what a step does under one outcome of its conditions.
type path struct {
	conds   []*index.Expr
	choices []bool
	next    []*term.Term
	goesOn  bool
}

// maxLevels bounds the nested loops of a child.
const maxLevels = 6

// levels guesses the loops of a child from one step at arbitrary values of its counters.
func (p *inductor) levels(m *ila.Model, i *ila.Instruction, entry []*term.Term, starts map[int]*index.Expr) []level {
	counters := map[int]*index.Atom{}
	first := map[*index.Atom]*index.Expr{}
	start := slices.Clone(entry)
	for _, s := range i.Sets {
		if steady(s.Value, s.Var.Term) {
			continue
		}
		v := p.ix.NewVar(s.Var.Name, p.ix.Const(0), p.ix.Num(power(s.Var.Width).Sub(index.Int(1))))
		counters[s.Var.Slot()] = v
		first[v] = starts[s.Var.Slot()]
		start[s.Var.Slot()] = p.b.Number(term.BitsSort(s.Var.Width), v.Expr())
	}
	var paths []path
	for n := 0; ; n++ {
		if n > maxLevels {
			p.stuck("%s has more than %d loops inside each other", m.Name, maxLevels)
		}
		x := p.step(m, i, start, first, n)
		paths = append(paths, x)
		if !x.goesOn || len(x.conds) == n {
			break
		}
	}
	p.cur.scalars = entry
	exit := paths[len(paths)-1]
	if exit.goesOn {
		p.stuck("the loops of %s have no end", m.Name)
	}
	var levels []level
	last := map[*index.Atom]*index.Expr{} // counters where the loops inside are at their last iteration
	for slot, v := range counters {
		last[v] = starts[slot]
	}
	for n := range exit.conds {
		l := level{delta: make([]*index.Expr, len(entry))}
		for s := range l.delta {
			l.delta[s] = p.ix.Const(0)
		}
		x := p.ix.NewVar("n", p.ix.Const(0), p.ix.Num(power(ila.AddressWidth)))
		at := map[*index.Atom]*index.Expr{}
		for slot, v := range counters {
			after, ok := p.num(paths[n].next[slot])
			if !ok {
				p.stuck("a counter of %s depends on data", m.Name)
			}
			l.delta[slot] = p.balanced(p.ix.Sub(p.ix.Subst(p.ctx, after, last), starts[slot]), entry[slot].Sort.Width)
			at[v] = p.ix.Add(last[v], p.ix.Mul(l.delta[slot], x.Expr()))
		}
		a, r, ok := p.ix.Linear(p.ix.Subst(p.ctx, exit.conds[n], at), x)
		if !ok || a.IsZero() {
			p.stuck("the end of loop %d of %s is not understood", n+1, m.Name)
		}
		end, ok := p.ix.ExactDiv(p.neg(r), a)
		if !ok {
			p.stuck("the end of loop %d of %s is not understood", n+1, m.Name)
		}
		l.count = p.ix.AddInt(end, 1)
		for slot, v := range counters {
			last[v] = p.ix.Add(last[v], p.ix.Mul(l.delta[slot], end))
		}
		levels = append(levels, l)
	}
	return levels
}

// step returns the path of one step whose first n open conditions hold and the next does not.
func (p *inductor) step(m *ila.Model, i *ila.Instruction, start []*term.Term, first map[*index.Atom]*index.Expr, n int) path {
	o := &oracle{starts: first}
	for range n {
		o.choices = append(o.choices, true)
	}
	p.oracle = o
	defer func() { p.oracle = nil }()
	next := p.after(i, start)
	p.cur.scalars = next
	found := p.pick(m)
	if found != nil && found != i {
		p.stuck("%s goes on with another instruction", m.Name)
	}
	return path{o.conds, o.choices, next, found == i}
}

// steady tells whether what a variable is set to is one of a few numbers, or itself.
func steady(t, self *term.Term) bool {
	switch t.Op {
	case term.Const:
		return true
	case term.Choose:
		return steady(t.Args[1], self) && steady(t.Args[2], self)
	}
	return t == self
}
