package lower

import (
	"fmt"
	"slices"

	"tv/semantics/arrays"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/loops"
	"tv/semantics/term"
)

// What is known in a system beside sizes and counters: the index of the cell that is asked for, and the iteration that is
// about to begin, before which the cell was written. No text has such names.
const untilName = "#until"

func cellName(axis int) string { return fmt.Sprintf("#%d", axis) }

// A solveKey is a question about a writer in a loop: which instances write a cell, before an iteration or at all.
type solveKey struct {
	loop, writer *loops.Place
	bounded      bool
}

// A solution is the last iteration of a loop in which a writer writes a cell, where the conditions, each at least 0, hold;
// where they do not it never does.
type solution struct {
	conds   []domain.Size
	last    domain.Size
	counter domain.Size // in that iteration
}

// iterations is what a cell holds after the iterations of a loop that come before one, or all.
func (l *lowering) iterations(loop *loops.Place, q query, until *index.Expr, ctx *index.Context, before rest) *term.Term {
	if !l.writes(loop.Stmt, q.buffer) {
		return before(ctx)
	}
	q.env = q.env.outside(loop)
	if u := l.updateOf(loop, q.buffer); u != nil {
		return l.updated(u, loop, q, until, ctx)
	}
	if axis, groups := l.apartOf(loop, q.buffer); groups != nil {
		return l.updatedApart(axis, groups, loop, q, until, ctx, before)
	}
	var list []candidate
	for _, w := range l.writersOf(loop.Stmt, q.buffer) {
		if _, ok := w.Stmt.(*loops.Assign); !ok {
			fail(w.Stmt.Span(), "%s is read where it may not have been written", q.buffer.Name)
		}
		for _, s := range l.solve(solveKey{loop, w, until != nil}) {
			names := l.names(q, until)
			c := candidate{last: l.size(s.last, names, ctx), counter: l.size(s.counter, names, ctx)}
			for _, x := range s.conds {
				c.conds = append(c.conds, l.size(x, names, ctx))
			}
			c.conds, c.implied = l.needed(c.conds, ctx)
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(x, y candidate) int { return len(x.conds) - len(y.conds) })
	down := l.down(loop)
	return l.latest(list, down, nil, ctx, before, func(ctx *index.Context, c *candidate) *term.Term {
		in := q
		in.env = q.env.with(env{loop.Iteration(): c.last})
		in.env[loop.Name] = c.counter
		return l.block(loop.Stmt.(*loops.For).Body, in, ctx, func(*index.Context) *term.Term { return nil })
	})
}

// needed leaves out conditions that others imply: that there is a full tile at all, where the cell lies in one. So fewer cases are
// told apart, and those of sizes alone do not stand around those of the cell.
func (l *lowering) needed(conds []*index.Expr, ctx *index.Context) (needed, implied []*index.Expr) {
	for i := 0; i < len(conds) && len(conds) > 1; {
		others, at := slices.Delete(slices.Clone(conds), i, i+1), ctx
		for _, x := range others {
			at = l.X.Assume(at, x)
		}
		if l.X.Decide(at, conds[i]) == index.True {
			if _, number := conds[i].Const(); !number {
				implied = append(implied, conds[i])
			}
			conds = others
		} else {
			i++
		}
	}
	return conds, implied
}

// A candidate is an instance of a solution.
type candidate struct {
	conds         []*index.Expr
	implied       []*index.Expr // by conds
	last, counter *index.Expr
}

// latest asks found for the latest of some candidates that are there, where it is the latest.
func (l *lowering) latest(list []candidate, down bool, best *candidate, ctx *index.Context, none rest,
	found func(*index.Context, *candidate) *term.Term,
) *term.Term {
	for len(list) > 0 && best != nil && list[0].last == best.last {
		list = list[1:]
	}
	if len(list) == 0 {
		if best == nil {
			return none(ctx)
		}
		return found(ctx, best)
	}
	c, others := list[0], list[1:]
	stay := func(ctx *index.Context) *term.Term { return l.latest(others, down, best, ctx, none, found) }
	move := func(ctx *index.Context) *term.Term {
		for _, x := range c.implied { // so they are at hand
			ctx = l.X.Assume(ctx, x)
		}
		return l.latest(others, down, &c, ctx, none, found)
	}
	return l.where(ctx, c.conds, stay, func(ctx *index.Context) *term.Term {
		if best == nil {
			return move(ctx)
		}
		later := l.X.Sub(c.last, best.last)
		if down {
			later = l.X.Sub(best.last, c.last)
		}
		return l.where(ctx, []*index.Expr{later}, stay, move)
	})
}

// down tells whether a loop's counter, as far as it is the unknown, falls.
func (l *lowering) down(loop *loops.Place) bool {
	return loop.Iteration() == loop.Name && loop.Stmt.(*loops.For).Step.N < 0
}

// enter returns the counter of a loop in an iteration.
func (l *lowering) enter(loop *loops.Place, iteration *index.Expr, e env, ctx *index.Context) env {
	if loop.Iteration() == loop.Name {
		return env{loop.Name: iteration}
	}
	s := loop.Stmt.(*loops.For)
	counter := l.X.Add(l.int(loops.Greatest.Of(s.Lo...), e, ctx), l.X.Mul(l.int(s.Step, e, ctx), iteration))
	return env{loop.Iteration(): iteration, loop.Name: counter}
}

// names are what the names of a system stand for.
func (l *lowering) names(q query, until *index.Expr) map[string]*index.Expr {
	names := map[string]*index.Expr{untilName: until}
	for name, x := range q.env {
		names[name] = x
	}
	for axis, x := range q.cell {
		names[cellName(axis)] = x
	}
	return names
}

// systems are the instances of a writer in a loop that write the cell asked for. Equations are solved. They are the caller's.
func (l *lowering) systems(k solveKey) []*loops.System {
	if l.instances[k] == nil {
		l.instances[k] = l.writing(k)
	}
	out := make([]*loops.System, len(l.instances[k]))
	for i, sys := range l.instances[k] {
		out[i] = sys.Clone()
	}
	return out
}

// writing makes them.
func (l *lowering) writing(k solveKey) []*loops.System {
	s := k.writer.Stmt.(*loops.Assign)
	list, ok := l.t.Places.Instances(k.writer, k.loop, l.t.Sign)
	if !ok {
		fail(s.At, "the loops around it are not affine")
	}
	iteration := domain.NamedSize(k.loop.Iteration())
	out := []*loops.System{}
	for _, sys := range list {
		for axis, x := range s.To.At {
			at, ok := l.t.Places.Size(x)
			if !ok {
				fail(s.To.Where, "a subscript of %s is not affine", s.To.Buffer.Name)
			}
			at, cell := at.Subst(sys.Values), domain.NamedSize(cellName(axis))
			if len(s.To.At) == 1 {
				sys.Zero = append(sys.Zero, l.equal(k.writer, sys, at, cell)...)
				continue
			}
			sys.Zero = append(sys.Zero, at.Sub(cell))
		}
		if k.bounded {
			way := domain.NamedSize(untilName).Sub(iteration)
			if l.down(k.loop) {
				way = iteration.Sub(domain.NamedSize(untilName))
			}
			sys.Natural = append(sys.Natural, way.Sub(domain.IntSize(1)))
		}
		cases, ok := sys.Plain()
		for _, c := range cases {
			ok = ok && c.Equate()
		}
		if !ok {
			fail(s.To.Where, "which iteration writes a cell of %s cannot be told", s.To.Buffer.Name)
		}
		out = append(out, cases...)
	}
	return out
}

// solve finds when a writer writes a cell last.
func (l *lowering) solve(k solveKey) []*solution {
	if known, ok := l.solved[k]; ok {
		return known
	}
	var out []*solution
	for _, sys := range l.systems(k) {
		if s := l.last(k, sys); !slices.ContainsFunc(s.conds, l.never) {
			out = append(out, s)
		}
	}
	l.solved[k] = out
	return out
}

// never tells whether a condition holds nowhere.
func (l *lowering) never(x domain.Size) bool { return l.t.Sign(x) < 0 }

// last is the last iteration in a system.
func (l *lowering) last(k solveKey, sys *loops.System) *solution {
	lost := func() {
		fail(k.writer.Stmt.Span(), "which iteration of the loop over %s writes a cell last cannot be told",
			k.loop.Stmt.(*loops.For).Name)
	}
	name := k.loop.Iteration()
	open := slices.Contains(sys.Unknowns, name)
	for _, u := range slices.Backward(sys.Unknowns) {
		sys.Sparing(u)                                                  // less of each bound is left to compare with what is known where a cell is asked for
		needed := !open && slices.Contains(sys.Values[name].Names(), u) // the iteration depends on it: it has one value
		if u != name && !(needed && sys.Pin(u)) && !sys.Eliminate(u) {
			lost()
		}
	}
	var out solution
	if open {
		sys.Unknowns = nil // but the one whose bounds are taken
		lower, upper, ok := sys.Bounds(name)
		if !ok {
			lost()
		}
		for _, lo := range lower {
			for _, hi := range upper {
				sys.Known = append(sys.Known, sys.Between(lo, hi))
			}
		}
		if l.down(k.loop) {
			out.last = lower[0].Least()
			for _, b := range lower[1:] {
				out.last = out.last.Max(b.Least())
			}
		} else {
			out.last = upper[0].Most()
			for _, b := range upper[1:] {
				out.last = out.last.Min(b.Most())
			}
		}
	} else {
		out.last = sys.Values[name]
		for _, u := range l.inner(k) {
			if slices.Contains(out.last.Names(), u) {
				lost()
			}
		}
	}
	if sys.Wide {
		lost()
	}
	sys.Settle()
	out.conds, out.counter = sys.Known, out.last
	if name != k.loop.Name {
		out.counter = sys.Values[k.loop.Name].Subst(map[string]domain.Size{name: out.last})
	}
	return &out
}

// inner are the unknowns of the loops between a loop and a writer.
func (l *lowering) inner(k solveKey) (out []string) {
	around := k.writer.Around()
	for _, pl := range around[slices.Index(around, k.loop)+1:] {
		out = append(out, pl.Iteration())
	}
	return out
}

// An update says that a loop does nothing to a buffer but update its cells, by one fold.
type update struct {
	fold    term.Fold
	least   bool
	writers []*loops.Place
}

// updateOf returns how a loop updates a buffer, nil where it does something else to it.
func (l *lowering) updateOf(loop *loops.Place, b *loops.Buffer) *update {
	key := writerKey{loop.Stmt, b}
	if known, ok := l.updates[key]; ok {
		return known
	}
	u := l.updating(loop, b, l.writersOf(loop.Stmt, b))
	l.updates[key] = u
	return u
}

// updating returns how some statements of a loop update a buffer, nil where one does something else to it.
func (l *lowering) updating(loop *loops.Place, b *loops.Buffer, writers []*loops.Place) *update {
	u := &update{writers: writers}
	for i, w := range u.writers {
		s, ok := w.Stmt.(*loops.Assign)
		if !ok {
			return nil
		}
		c := l.chainOf(s)
		if c == nil || under(w, loop) && (c.fold == term.Maximum || l.Sort(b.Elem).Kind == term.Float) || i > 0 && (c.fold != u.fold || c.least != u.least) {
			return nil
		}
		u.fold, u.least = c.fold, c.least
	}
	return u
}

// A share is what a loop does to the cells of a buffer that have a number as one subscript: it only updates them.
type share struct {
	number int64
	of     *update
}

// apartOf returns an axis in which all statements of a loop that write a buffer have a number as subscript, and how those update it
// that have the same. There are several, or none where one does something else.
func (l *lowering) apartOf(loop *loops.Place, b *loops.Buffer) (axis int, groups []share) {
	writers := l.writersOf(loop.Stmt, b)
	for axis := range b.Dims {
		by := map[int64][]*loops.Place{}
		var numbers []int64
		for _, w := range writers {
			s, ok := w.Stmt.(*loops.Assign)
			if !ok || s.To.At[axis].Op != loops.Number {
				by = nil
				break
			}
			n := s.To.At[axis].N
			if by[n] == nil {
				numbers = append(numbers, n)
			}
			by[n] = append(by[n], w)
		}
		if len(by) < 2 || len(by) > maxShares {
			continue
		}
		groups = nil
		for _, n := range numbers {
			if u := l.updating(loop, b, by[n]); u != nil {
				groups = append(groups, share{n, u})
			}
		}
		if len(groups) == len(by) {
			return axis, groups
		}
	}
	return 0, nil
}

// maxShares bounds the cells of one buffer that a loop updates each in a way of its own.
const maxShares = 16

// updatedApart is what a cell holds after a loop that updates some, each in its way, and leaves the others.
func (l *lowering) updatedApart(axis int, groups []share, loop *loops.Place, q query, until *index.Expr, ctx *index.Context, others rest) *term.Term {
	if len(groups) == 0 {
		return others(ctx)
	}
	d := l.X.AddInt(q.cell[axis], -groups[0].number)
	return l.where(ctx, []*index.Expr{d, l.X.Scale(index.Int(-1), d)},
		func(ctx *index.Context) *term.Term {
			return l.updatedApart(axis, groups[1:], loop, q, until, ctx, others)
		},
		func(ctx *index.Context) *term.Term { return l.updated(groups[0].of, loop, q, until, ctx) })
}

// under tells whether elements decide if a statement in a loop is executed.
func under(w, loop *loops.Place) bool {
	for pl := w.Parent; pl != loop; pl = pl.Parent {
		if _, ok := pl.Stmt.(*loops.When); ok {
			return true
		}
	}
	return false
}

// updated is what a cell holds after a loop that only updates it: what it held before, and the fold over all instances
// that write it. In floats, whose sums have an order, one statement adds to 0: that is 0 + f, as a fold starts with its first
// element, and 0 + a1 + a2 + ... differs from a1 + a2 + ... where all are -0 alone, and there by the sign that 0 + f has, too.
func (l *lowering) updated(u *update, loop *loops.Place, q query, until *index.Expr, ctx *index.Context) *term.Term {
	sort := l.Sort(q.buffer.Elem)
	total := l.read(loop.Stmt, q, ctx)
	if sort.Kind == term.Float {
		if len(u.writers) > 1 || u.fold != term.Sum || total != l.Nothing(u.fold, sort) || !l.chainOf(u.writers[0].Stmt.(*loops.Assign)).plain {
			fail(u.writers[0].Stmt.Span(), "a sum of %s in an order of its own", q.buffer.Elem)
		}
		around := u.writers[0].Around()
		for _, pl := range around[slices.Index(around, loop):] { // folds go up
			step, ok := l.t.Places.Size(pl.Stmt.(*loops.For).Step)
			if !ok || l.t.Sign(step) <= 0 {
				fail(pl.Stmt.Span(), "a sum of %s from the last term on", q.buffer.Elem)
			}
		}
	}
	for _, w := range u.writers {
		for _, sys := range l.systems(solveKey{loop, w, until != nil}) {
			f := l.over(u.fold, w, sys, q, l.names(q, until), ctx)
			switch {
			case u.fold == term.Sum:
				total = l.B.Add(total, f)
			case u.fold == term.Product:
				total = l.B.Mul(total, f)
			case u.least:
				total = l.mirrored(l.B.Max(l.mirrored(total), f))
			default:
				total = l.greatest(total, f)
			}
		}
	}
	return total
}

// A box is one unknown of a fold with its bounds.
type side struct {
	name         string
	lower, upper []loops.Bound
}

// over folds what a statement adds over the instances of a system.
func (l *lowering) over(f term.Fold, w *loops.Place, sys *loops.System, q query, names map[string]*index.Expr, ctx *index.Context) *term.Term {
	s := w.Stmt.(*loops.Assign)
	unknowns := slices.Clone(sys.Unknowns)
	sides := make([]side, len(unknowns))
	for i, u := range slices.Backward(unknowns) { // what bounds an inner one holds those further out
		sys.Unknowns = unknowns[:i]
		lower, upper, ok := sys.Bounds(u)
		if !ok || len(lower) == 0 || len(upper) == 0 {
			fail(s.At, "which iterations update a cell of %s cannot be told", q.buffer.Name)
		}
		sides[i] = side{u, lower, upper}
	}
	sys.Settle()
	sort := l.Sort(q.buffer.Elem)
	nothing := func(*index.Context) *term.Term { return l.Nothing(f, sort) }
	var conds []*index.Expr
	for _, x := range sys.Known {
		conds = append(conds, l.size(x, names, ctx))
	}
	if sort.Kind == term.Float {
		return l.where(ctx, conds, nothing, func(ctx *index.Context) *term.Term {
			return l.inOrder(f, w, sys, sides, q, names, ctx)
		})
	}
	var fold func(sides []side, ctx *index.Context) *term.Term
	fold = func(sides []side, ctx *index.Context) *term.Term {
		if len(sides) == 0 {
			return l.added(w, l.instance(w, sys, q, names, ctx), ctx)
		}
		of := sides[0]
		lo, hi, more := l.ends(of, names, ctx)
		return l.Fold(f, sort, []arrays.Range{{Lo: lo, Hi: hi}}, func(at []*index.Expr) *term.Term {
			names[of.name] = at[0]
			defer delete(names, of.name)
			var guards []*index.Expr
			for _, x := range more {
				guards = append(guards, l.size(x, names, ctx))
			}
			return l.where(ctx, guards, nothing, func(ctx *index.Context) *term.Term { return fold(sides[1:], ctx) })
		})
	}
	return l.where(ctx, conds, nothing, func(ctx *index.Context) *term.Term { return fold(sides, ctx) })
}

// inOrder is a fold over all sides at once, the last varying fastest: a fold of folds would add up what each of them comes to.
func (l *lowering) inOrder(f term.Fold, w *loops.Place, sys *loops.System, sides []side, q query, names map[string]*index.Expr,
	ctx *index.Context,
) *term.Term {
	for i, pl := range w.Around() { // later terms are those of later iterations, outermost first
		for _, inner := range w.Around()[i+1:] {
			if slices.Contains(sys.Values[pl.Iteration()].Names(), inner.Iteration()) {
				fail(w.Stmt.Span(), "a sum of %s in the order of an inner loop", q.buffer.Elem)
			}
		}
	}
	var box []arrays.Range
	for _, of := range sides {
		for _, b := range slices.Concat(of.lower, of.upper) {
			for _, other := range sides {
				if slices.Contains(b.Rest.Names(), other.name) || slices.Contains(b.Factor.Names(), other.name) {
					fail(w.Stmt.Span(), "a sum of %s over what is no box", q.buffer.Elem)
				}
			}
		}
		lo, hi, more := l.ends(of, names, ctx)
		if len(more) > 0 {
			fail(w.Stmt.Span(), "a sum of %s over what is no box", q.buffer.Elem)
		}
		box = append(box, arrays.Range{Lo: lo, Hi: hi})
	}
	return l.Fold(f, l.Sort(q.buffer.Elem), box, func(at []*index.Expr) *term.Term {
		for i, of := range sides {
			names[of.name] = at[i]
			defer delete(names, of.name)
		}
		return l.added(w, l.instance(w, sys, q, names, ctx), ctx)
	})
}

// ends returns a range for an unknown, and the bounds that are left, as conditions that are at least 0. Of several the
// two are taken whose distance has the fewest names: boxes with plain sizes are the easiest to compare.
func (l *lowering) ends(of side, names map[string]*index.Expr, ctx *index.Context) (lo, hi *index.Expr, more []domain.Size) {
	of.lower, of.upper = l.strict(of.lower, false, names, ctx), l.strict(of.upper, true, names, ctx)
	a, b, least := 0, 0, -1
	for i, x := range of.lower {
		for k, y := range of.upper {
			if n := len(y.Most().Sub(x.Least()).Names()); least < 0 || n < least {
				a, b, least = i, k, n
			}
		}
	}
	u := domain.NamedSize(of.name)
	for i, x := range of.lower {
		if i != a {
			more = append(more, u.Mul(x.Factor).Sub(x.Rest))
		}
	}
	for i, x := range of.upper {
		if i != b {
			more = append(more, x.Rest.Sub(u.Mul(x.Factor)))
		}
	}
	return l.size(of.lower[a].Least(), names, ctx), l.X.AddInt(l.size(of.upper[b].Most(), names, ctx), 1), more
}

// strict leaves out bounds that others imply.
func (l *lowering) strict(list []loops.Bound, upper bool, names map[string]*index.Expr, ctx *index.Context) []loops.Bound {
	end := func(b loops.Bound) *index.Expr {
		if upper {
			return l.size(b.Most(), names, ctx)
		}
		return l.X.Scale(index.Int(-1), l.size(b.Least(), names, ctx))
	}
	var out []loops.Bound
	for i, x := range list {
		implied := func(y loops.Bound) bool { return l.X.Nonneg(ctx, l.X.Sub(end(x), end(y))) }
		if !slices.ContainsFunc(out, implied) && !slices.ContainsFunc(list[i+1:], implied) {
			out = append(out, x)
		}
	}
	return out
}

// instance returns the counters of the loops around a writer, those of a system among them.
func (l *lowering) instance(w *loops.Place, sys *loops.System, q query, names map[string]*index.Expr, ctx *index.Context) env {
	out := q.env.with(nil)
	for _, pl := range w.Around() {
		for _, name := range []string{pl.Iteration(), pl.Name} {
			if _, known := q.env[name]; known {
				continue
			}
			if v, ok := sys.Values[name]; ok {
				out[name] = l.size(v, names, ctx)
			} else {
				out[name] = names[name]
			}
		}
	}
	return out
}

// added is what an update adds.
func (l *lowering) added(w *loops.Place, e env, ctx *index.Context) *term.Term {
	s := w.Stmt.(*loops.Assign)
	if l.active[s]++; l.active[s] > maxActive {
		fail(s.At, "what it adds depends on what it added before, again and again: there is no closed form")
	}
	defer func() { l.active[s]-- }()
	c := l.chainOf(s)
	var total *term.Term
	for _, x := range c.others {
		t := l.value(x.of, s, e, ctx)
		switch {
		case x.minus:
			t = l.B.Neg(t)
		case c.least:
			t = l.mirrored(t)
		}
		switch {
		case total == nil:
			total = t
		case c.fold == term.Sum:
			total = l.B.Add(total, t)
		case c.fold == term.Product:
			total = l.B.Mul(total, t)
		default:
			total = l.B.Max(total, t)
		}
	}
	if c.fold == term.Sum || c.fold == term.Product {
		total = l.whereDecided(w, total, l.Nothing(c.fold, total.Sort), e, ctx)
	}
	return total
}

// whereDecided is a value where data decides that a statement is executed, and elsewhere nothing.
func (l *lowering) whereDecided(w *loops.Place, t, nothing *term.Term, e env, ctx *index.Context) *term.Term {
	for pl := w; pl.Parent != nil; pl = pl.Parent {
		when, ok := pl.Parent.Stmt.(*loops.When)
		if !ok {
			break
		}
		yes, no := t, nothing
		if pl.Else {
			yes, no = no, yes
		}
		t = l.choose(when.Cond, l.value(when.Cond, when, e, ctx), yes, no)
	}
	return t
}

// mirrored is x in an order that is turned round: -x, or of integers that wrap -1 - x.
func (l *lowering) mirrored(x *term.Term) *term.Term {
	if x.Sort.Kind == term.Real {
		return l.B.Neg(x)
	}
	if x.Op == term.Neg && x.Args[0].Op == term.Add && x.Args[0].Args[1] == l.B.Int(x.Sort, 1) {
		return x.Args[0].Args[0]
	}
	return l.B.Neg(l.B.Add(x, l.B.Int(x.Sort, 1)))
}
