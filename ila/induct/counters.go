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
	r := &round{m: m, list: []*ila.Instruction{i}}
	levels, starts := p.levels(r, entry)
	for starts == nil { // the round has further instructions
		levels, starts = p.levels(r, entry)
	}
	p.readsOwn(r)
	known := len(r.list)
	p.micro++
	at := func(its []*index.Expr) []*term.Term { // its holds the iteration of each level, the innermost first
		out := slices.Clone(entry)
		for slot := range starts {
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
	p.bounded(levels, len(r.list))
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
		got, found := p.after(r, at(its))
		if found != i {
			p.stuck("the loops of %s end before their last iteration", m.Name)
		}
		to := at(next)
		for _, v := range p.l.Scalars {
			if _, ok := starts[v.Slot()]; ok && !p.equalBits(got[v.Slot()], to[v.Slot()]) {
				p.stuck("no invariant of %s of %s is found: %s is not %s", v.Name, m.Name, got[v.Slot()], to[v.Slot()])
			}
		}
	}
	var its []*index.Expr
	for n := range levels {
		its = append(its, last(n))
	}
	exit, found := p.after(r, at(its))
	if found != nil {
		p.stuck("the loops of %s go on after their last iteration", m.Name)
	}
	if len(r.list) > known { // what it sets was not looked at
		p.stuck("%s takes place in some iterations of %s only", r.list[known].Name, m.Name)
	}
	p.cur.scalars = entry
	p.iterate(r, levels, nil, at)
	p.cur.scalars = exit
}

// bounded makes sure that a child comes to rest within the steps that it may take, of so many a round.
func (p *inductor) bounded(levels []level, steps int) {
	bits := term.WidthFor(uint64(steps))
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

// A round is the instructions of a child from the first on until that decodes again, or none does.
type round struct {
	m    *ila.Model
	list []*ila.Instruction // those that rounds were seen to have, the first of each round first
}

// maxRound bounds the instructions of a round.
const maxRound = 8

// readsOwn gives up a round whose bit-vectors depend on a memory that it writes: they are looked at with the memories as the
// loop finds them.
func (p *inductor) readsOwn(r *round) {
	var stored []*ila.Var
	for _, i := range r.list {
		for _, e := range i.Eachs {
			for _, s := range e.Stores {
				stored = append(stored, s.Memory)
			}
		}
	}
	seen := map[*term.Term]bool{}
	var visit func(*term.Term) bool
	visit = func(t *term.Term) bool {
		if seen[t] {
			return false
		}
		seen[t] = true
		return t.Op == term.Read && slices.Contains(stored, p.l.ByTerm[t]) || slices.ContainsFunc(t.Args, visit)
	}
	for _, i := range r.m.Instructions {
		terms := []*term.Term{i.Decode}
		if slices.Contains(r.list, i) {
			for _, s := range i.Sets {
				terms = append(terms, s.Value)
			}
		}
		if slices.ContainsFunc(terms, visit) {
			p.stuck("%s of %s depends on memory that its loop writes", i.Name, r.m.Name)
		}
	}
}

// after returns the bit-vectors after a round that starts from some, and the instruction that decodes then: the first
// of the round, or nil.
func (p *inductor) after(r *round, from []*term.Term) (out []*term.Term, found *ila.Instruction) {
	i := r.list[0]
	for range maxRound {
		p.cur.scalars = from
		out = slices.Clone(from)
		for slot, t := range p.sets(i) {
			if t != nil {
				out[slot] = t
			}
		}
		p.cur.scalars = out
		if found = p.pick(r.m); found == nil || found == r.list[0] {
			return out, found
		}
		if i, from = found, out; !slices.Contains(r.list, i) {
			r.list = append(r.list, i)
		}
	}
	p.stuck("%s takes more than %d instructions until one comes round", r.m.Name, maxRound)
	return nil, nil
}

// iterate stores what a round stores in all iterations, the outermost loop first.
func (p *inductor) iterate(r *round, levels []level, its []*index.Expr, at func([]*index.Expr) []*term.Term) {
	n := len(levels) - len(its)
	if n == 0 {
		i := r.list[0]
		p.cur.scalars = at(its)
		for range maxRound {
			if len(r.list) == 1 {
				p.checks(i)
				p.stores(i)
				return
			}
			p.take(i)
			if i = p.pick(r.m); i == nil || i == r.list[0] {
				return
			}
		}
		p.stuck("%s takes more than %d instructions until one comes round", r.m.Name, maxRound)
	}
	p.loop(r.m.Name, p.ix.Const(0), levels[n-1].count, true, func(v *index.Expr) {
		p.iterate(r, levels, append([]*index.Expr{v}, its...), at)
	})
}

// A path is what a round does under one outcome of its conditions.
type path struct {
	conds   []*index.Expr
	choices []bool
	next    []*term.Term
	goesOn  bool
}

// maxLevels bounds the nested loops of a child.
const maxLevels = 6

// levels guesses the loops of a child from one round at arbitrary values of its counters, and returns what these are as
// the loops are met; nil where the round turns out to have further instructions.
func (p *inductor) levels(r *round, entry []*term.Term) ([]level, map[int]*index.Expr) {
	m, size := r.m, len(r.list)
	starts := map[int]*index.Expr{}
	var sets []ila.Set
	for _, i := range r.list {
		sets = append(sets, i.Sets...)
	}
	for _, s := range sets {
		if _, ok := p.num(entry[s.Var.Slot()]); !ok {
			p.stuck("%s of %s starts from a value that is not known", s.Var.Name, m.Name)
		}
		starts[s.Var.Slot()] = p.value(entry[s.Var.Slot()])
	}
	counters := map[int]*index.Atom{}
	first := map[*index.Atom]*index.Expr{}
	start := slices.Clone(entry)
	for _, s := range sets {
		if steady(s.Value, s.Var.Term) || counters[s.Var.Slot()] != nil {
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
		x := p.step(r, start, first, n)
		if len(r.list) > size {
			p.cur.scalars = entry
			return nil, nil
		}
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
	return levels, starts
}

// step returns the path of one round whose first n open conditions hold and the next does not.
func (p *inductor) step(r *round, start []*term.Term, first map[*index.Atom]*index.Expr, n int) path {
	o := &oracle{starts: first}
	for range n {
		o.choices = append(o.choices, true)
	}
	p.oracle = o
	defer func() { p.oracle = nil }()
	next, found := p.after(r, start)
	return path{o.conds, o.choices, next, found != nil}
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
