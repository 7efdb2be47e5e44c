package induct

import (
	"slices"

	"tv/ila"
	"tv/ila/prove"
	"tv/semantics/index"
	"tv/semantics/term"
)

// pick returns the instruction of a model that decodes, or nil.
func (p *inductor) pick(m *ila.Model) *ila.Instruction {
	var found *ila.Instruction
	for _, i := range m.Instructions {
		if !p.truth(i.Decode) {
			continue
		}
		if found != nil {
			p.stuck("both %s and %s decode", found.Name, i.Name)
		}
		found = i
	}
	return found
}

// truth returns a condition that does not depend on data.
func (p *inductor) truth(t *term.Term) bool {
	c := p.eval(t)
	v, ok := c.ConstBits()
	if !ok {
		p.stuck("%s depends on data", prove.Shorten(c.String()))
	}
	return v != 0
}

// take lets an instruction take place in the current frame.
func (p *inductor) take(i *ila.Instruction) {
	p.checks(i)
	sets := p.sets(i)
	p.stores(i)
	for slot, t := range sets {
		if t != nil {
			p.cur.scalars[slot] = t
		}
	}
}

func (p *inductor) checks(i *ila.Instruction) {
	for _, c := range i.Checks {
		if !p.truth(c.Cond) {
			p.stuck("%s: %s [%s]", i.Name, c.Msg, c.Code)
		}
	}
}

// sets returns what an instruction sets bit-vectors to, by slot; nil for others.
func (p *inductor) sets(i *ila.Instruction) []*term.Term {
	out := make([]*term.Term, len(p.cur.scalars))
	for _, s := range i.Sets {
		out[s.Var.Slot()] = p.eval(s.Value)
	}
	return out
}

// stores writes what an instruction stores; all addresses and values are computed before.
func (p *inductor) stores(i *ila.Instruction) {
	type written struct {
		slot int
		w    *region
	}
	var list []written
	for _, e := range i.Eachs {
		var vars []*index.Atom
		below := p.below(e)
		if e.Var != nil {
			most := p.ix.Const(int64(e.N))
			if below != nil {
				most = below
			}
			if n, ok := ila.ConstInt(most); ok && n == 1 {
				p.env[e.Var.ID()] = p.ix.Const(0)
			} else {
				v := p.ix.NewVar(e.Var.Name, p.ix.Const(0), most)
				p.env[e.Var.ID()] = v.Expr()
				vars = []*index.Atom{v}
			}
		}
		for n, s := range e.Stores {
			for _, o := range e.Stores[:n] {
				if o.Memory == s.Memory && len(vars) > 0 {
					p.stuck("%s stores to %s twice an iteration", i.Name, s.Memory.Name)
				}
			}
			if s.When != nil && below == nil && !p.truth(s.When) {
				continue
			}
			w := &region{vars: vars, at: p.value(p.eval(s.Address))}
			p.inside(s.Memory, w.at)
			if s.Value != nil {
				w.value = p.eval(s.Value)
			}
			list = append(list, written{s.Memory.Slot(), w})
		}
	}
	for at := 0; at < len(list); {
		end := at
		for end < len(list) && list[end].slot == list[at].slot && len(list[end].w.vars) == 0 {
			end++
		}
		if end-at > 1 {
			group := make([]*region, 0, end-at)
			for _, x := range list[at:end] {
				group = append(group, x.w)
			}
			p.cur.writes[list[at].slot] = append(p.cur.writes[list[at].slot], p.roll(group)...)
			at = end
			continue
		}
		p.cur.writes[list[at].slot] = append(p.cur.writes[list[at].slot], list[at].w)
		at++
	}
}

// below returns the number below which the counter of an Each has to be for its stores to take place, where that is what
// all of them ask: their number then, which is at least 1; else nil.
func (p *inductor) below(e ila.Each) *index.Expr {
	limit := e.Limit()
	if limit == nil {
		return nil
	}
	most := p.value(p.eval(limit))
	p.must(p.ix.AddInt(most, -1))
	p.must(p.ix.Sub(p.ix.Const(int64(e.N)), most))
	return most
}

// inside makes sure that an address lies in a memory.
func (p *inductor) inside(v *ila.Var, at *index.Expr) {
	if !p.nonneg(p.ix.AddInt(p.ix.Sub(p.ix.Const(int64(v.Depth)), at), -1)) {
		p.stuck("address %s of %s, which has %d, is not known to lie within [%s]", at, v.Name, v.Depth, ila.CodeAddress)
	}
}

// roll joins cells at equal distances whose values follow one pattern to one region.
func (p *inductor) roll(list []*region) []*region {
	step := p.ix.Sub(list[1].at, list[0].at)
	if list[0].value == nil || list[1].value == nil {
		return list
	}
	j := p.ix.NewVar("lane", p.ix.Const(0), p.ix.Const(int64(len(list))))
	value := p.extrapolate(list[0].value, list[1].value, j)
	if value == nil {
		return list
	}
	w := &region{vars: []*index.Atom{j}, at: p.ix.Add(list[0].at, p.ix.Mul(j.Expr(), step)), value: value}
	for n, x := range list {
		m := map[*index.Atom]*index.Expr{j: p.ix.Const(int64(n))}
		if x.value == nil || p.ix.Subst(p.ctx, w.at, m) != x.at || p.subst(value, m) != x.value {
			return list
		}
	}
	return []*region{w}
}

// extrapolate returns a term that is x at j = 0 and y at j = 1, if they differ in indices only.
func (p *inductor) extrapolate(x, y *term.Term, j *index.Atom) *term.Term {
	if x == y {
		return x
	}
	if x.Op != y.Op || x.Sort != y.Sort || x.Tensor != y.Tensor || x.Name != y.Name || len(x.Args) != len(y.Args) ||
		len(x.Index) != len(y.Index) {
		return nil
	}
	line := func() *index.Expr {
		return p.ix.Add(x.Index[0], p.ix.Mul(j.Expr(), p.ix.Sub(y.Index[0], x.Index[0])))
	}
	switch {
	case x.Op == term.Number:
		return p.number(x.Sort, line())
	case x.Op == term.Read && len(x.Index) == 1:
		return p.b.Read(x.Tensor, []*index.Expr{line()})
	case x.Op == term.Const || x.Op == term.Read || x.Op == term.Reduce || x.Op == term.If ||
		x.Op == term.Extract && x.Low() != y.Low():
		return nil
	}
	args := make([]*term.Term, len(x.Args))
	for i := range args {
		if args[i] = p.extrapolate(x.Args[i], y.Args[i], j); args[i] == nil {
			return nil
		}
	}
	return ila.Remake(p.b, x, args)
}

// eval returns a term of the model, or of a driver, in the current state. Numbers are computed with; what depends
// on data is a term.
func (p *inductor) eval(t *term.Term) *term.Term { return p.evaluate(t, map[*term.Term]*term.Term{}) }

// evaluate is eval; memo holds the values of terms met before.
func (p *inductor) evaluate(t *term.Term, memo map[*term.Term]*term.Term) *term.Term {
	if v := memo[t]; v != nil {
		return v
	}
	v := p.once(t, memo)
	memo[t] = v
	return v
}

func (p *inductor) once(t *term.Term, memo map[*term.Term]*term.Term) *term.Term {
	eval := func(t *term.Term) *term.Term { return p.evaluate(t, memo) }
	switch t.Op {
	case term.Const:
		return t
	case term.Read:
		v := p.l.ByTerm[t]
		if v == nil {
			return t
		}
		if p.cur.scalars[v.Slot()] == nil {
			p.stuck("%s is read, and what it is after a loop is not known", v.Name)
		}
		return p.cur.scalars[v.Slot()]
	case term.Number:
		m := map[*index.Atom]*index.Expr{}
		for _, a := range t.Index[0].Free() {
			if e := p.env[a.ID()]; e != nil {
				m[a] = e
			}
		}
		return p.number(t.Sort, p.ix.Subst(p.ctx, t.Index[0], m))
	case term.If:
		if p.ask(t.Index[0]) {
			return eval(t.Args[0])
		}
		return eval(t.Args[1])
	case term.Reduce:
		v := p.ix.NewVar(t.Vars[0].Name, t.Vars[0].Lo, t.Vars[0].Hi)
		p.env[t.Vars[0].ID()] = v.Expr()
		return p.b.Reduce(t.Fold, []*index.Atom{v}, p.eval(t.Args[0])) // the counter has a value of its own
	case term.Load:
		memory := p.l.ByTerm[t.Args[0]]
		at := p.value(eval(t.Args[1]))
		p.inside(memory, at)
		return p.read(memory.Slot(), at)
	case term.Choose:
		c := eval(t.Args[0])
		if v, ok := c.ConstBits(); ok {
			return eval(t.Args[2-int(v)])
		}
		return p.b.Choose(c, eval(t.Args[1]), eval(t.Args[2]))
	case term.And, term.Or:
		if t.Sort == term.BoolSort {
			x := eval(t.Args[0])
			if v, ok := x.ConstBits(); ok {
				if (v == 0) == (t.Op == term.And) {
					return x
				}
				return eval(t.Args[1])
			}
			return p.b.Rebuild(t, []*term.Term{x, eval(t.Args[1])})
		}
	}
	args := make([]*term.Term, len(t.Args))
	for i, a := range t.Args {
		args[i] = eval(a)
	}
	if out := p.arithmetic(t, args); out != nil {
		return out
	}
	return ila.Remake(p.b, t, args)
}

// arithmetic returns an operation on numbers as a number or truth value, or nil where it is none.
func (p *inductor) arithmetic(t *term.Term, args []*term.Term) *term.Term {
	constant := true
	for _, a := range args {
		_, ok := a.ConstBits()
		constant = constant && ok
	}
	if constant {
		return nil // the builder folds it
	}
	if t.Op == term.Concat {
		if joined := p.b.Concat(args[0], args[1]); joined.Op != term.Concat {
			return joined
		}
	}
	x, okX := p.num(args[0])
	var y *index.Expr
	okY := true
	if len(args) > 1 {
		y, okY = p.num(args[1])
	}
	if !okX || !okY {
		return nil
	}
	switch t.Op {
	case term.Add:
		return p.number(t.Sort, p.ix.Add(x, y))
	case term.Mul:
		return p.number(t.Sort, p.ix.Mul(x, y))
	case term.Neg:
		return p.number(t.Sort, p.neg(x))
	case term.Extract:
		e, _ := p.bitsOf(args[0], t.Low(), t.Sort.Width)
		return p.number(t.Sort, e)
	case term.ExtendU:
		return p.number(t.Sort, p.value(args[0]))
	case term.ExtendS:
		return p.number(t.Sort, p.signed(args[0]))
	case term.Concat:
		high := p.ix.Mul(p.ix.Num(power(args[1].Sort.Width)), x)
		return p.number(t.Sort, p.ix.Add(high, p.value(args[1])))
	case term.Equal:
		return p.b.Truth(p.askZero(p.ix.Sub(p.value(args[0]), p.value(args[1]))))
	case term.LessU:
		return p.b.Truth(p.ask(p.ix.AddInt(p.ix.Sub(p.value(args[1]), p.value(args[0])), -1)))
	case term.LessS:
		return p.b.Truth(p.ask(p.ix.AddInt(p.ix.Sub(p.signed(args[1]), p.signed(args[0])), -1)))
	case term.Shl, term.ShrU:
		n, ok := args[1].ConstBits()
		if !ok || n >= uint64(t.Sort.Width) {
			return nil
		}
		by := p.ix.Num(power(int(n)))
		if t.Op == term.Shl {
			return p.number(t.Sort, p.ix.Mul(x, by))
		}
		return p.number(t.Sort, p.div(p.value(args[0]), by))
	case term.Or: // with a number below what divides the other
		n, ok := args[1].ConstBits()
		if !ok {
			return nil
		}
		free := p.ix.Num(power(term.WidthFor(n + 1)))
		if !p.mod(p.value(args[0]), free).IsZero() {
			return nil
		}
		return p.number(t.Sort, p.ix.Add(x, y))
	}
	return nil
}

// An oracle decides open conditions in a given way and remembers them, in order.
type oracle struct {
	choices []bool
	conds   []*index.Expr // that were asked for being 0
}

func (o *oracle) answer(e *index.Expr) bool {
	if at := slices.Index(o.conds, e); at >= 0 {
		return o.choices[at]
	}
	o.conds = append(o.conds, e)
	if len(o.choices) < len(o.conds) {
		o.choices = append(o.choices, false)
	}
	return o.choices[len(o.conds)-1]
}

// askZero tells whether e = 0.
func (p *inductor) askZero(e *index.Expr) bool {
	switch {
	case p.zero(e):
		return true
	case p.nonneg(p.ix.AddInt(e, -1)), p.nonneg(p.ix.AddInt(p.neg(e), -1)):
		return false
	case p.oracle != nil:
		return p.oracle.answer(e)
	}
	p.undecided([]*index.Expr{e, p.neg(e)}, "whether %s is 0 is open", e)
	return false
}

// ask tells whether e >= 0.
func (p *inductor) ask(e *index.Expr) bool {
	switch {
	case p.nonneg(e):
		return true
	case p.nonneg(p.ix.AddInt(p.neg(e), -1)):
		return false
	case p.oracle != nil:
		p.stuck("a loop goes on as long as an inequality holds")
	}
	p.undecided([]*index.Expr{e}, "whether %s is negative is open", e)
	return false
}

// must makes sure that e >= 0, in this case or in cases of its own.
func (p *inductor) must(e *index.Expr) {
	if !p.nonneg(e) {
		p.undecided([]*index.Expr{e}, "whether %s is negative is open", e)
	}
}

// undecided ends the run because of open conditions: by a loop whose first or last iteration is to be run by
// itself, outer loops first; by a case over sizes; or for good.
func (p *inductor) undecided(conds []*index.Expr, format string, args ...any) {
	if p.final {
		for _, e := range conds {
			if !p.nonneg(e) && !p.nonneg(p.ix.AddInt(p.neg(e), -1)) {
				panic(splitElement{e})
			}
		}
	}
	var frames []*frame
	for f := p.cur; f != nil; f = f.outer {
		if f.v != nil {
			frames = append([]*frame{f}, frames...)
		}
	}
	for _, both := range []bool{true, false} {
		for _, e := range conds {
			for _, f := range frames {
				if !e.Mentions(f.v) {
					continue
				}
				for _, at := range []*index.Expr{p.ix.AddInt(f.lo, 1), p.ix.AddInt(f.hi, -1)} {
					below, above := p.decided(e, f.v, f.lo, at), p.decided(e, f.v, at, f.hi)
					if below && above || !both && (below || above) {
						p.splitAt(f, at, format, args...)
					}
				}
			}
		}
	}
	for _, e := range conds {
		if onlySizes(e) {
			panic(splitCase{e})
		}
	}
	p.stuck(format, args...)
}

// splitAt ends the run because a loop, if it has an iteration, is to be run as two.
func (p *inductor) splitAt(f *frame, at *index.Expr, format string, args ...any) {
	some := p.ix.AddInt(p.ix.Sub(f.hi, f.lo), -1)
	switch {
	case !p.nonneg(some):
		if onlySizes(some) {
			panic(splitCase{some})
		}
	case p.splits >= maxSplits:
		p.stuck("more than %d loops are split; "+format, append([]any{maxSplits}, args...)...)
	default:
		p.splits++
		panic(splitLoop{f, at})
	}
}

// decided tells whether e >= 0 is known or known to be wrong for lo <= v < hi.
func (p *inductor) decided(e *index.Expr, v *index.Atom, lo, hi *index.Expr) bool {
	part := p.ix.NewVar(v.Name, lo, hi)
	e = p.ix.Subst(p.ctx, e, map[*index.Atom]*index.Expr{v: part.Expr()})
	return p.nonneg(e) || p.nonneg(p.ix.AddInt(p.neg(e), -1))
}

func onlySizes(e *index.Expr) bool {
	return !slices.ContainsFunc(e.Free(), func(a *index.Atom) bool { return a.Kind != index.Size })
}
