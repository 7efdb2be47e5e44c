package lower

import (
	"encoding/binary"
	"maps"

	"tv/internal/source"
	"tv/semantics/index"
	"tv/semantics/loops"
	"tv/semantics/term"
)

// An env has the counters of the loops around a statement, and the numbers of their iterations where the step is neither 1
// nor -1, by the names that places give them.
type env map[string]*index.Expr

// with returns e with further names.
func (e env) with(more env) env {
	out := maps.Clone(e)
	maps.Copy(out, more)
	return out
}

// outside returns what e has of the loops around a loop.
func (e env) outside(loop *loops.Place) env {
	out := env{}
	for _, pl := range loop.Around() {
		for _, name := range []string{pl.Name, pl.Iteration()} {
			if x, ok := e[name]; ok && pl != loop {
				out[name] = x
			}
		}
	}
	return out
}

// A query asks for a cell of a buffer, at an instance of a statement.
type query struct {
	env    env
	buffer *loops.Buffer
	cell   []*index.Expr
}

// A rest is what the cell of a query held before what is looked at. Of what is never reached there is none: nil.
type rest func(ctx *index.Context) *term.Term

// block is what a cell holds after some statements.
func (l *lowering) block(stmts []loops.Stmt, q query, ctx *index.Context, before rest) *term.Term {
	for len(stmts) > 0 && !l.writes(stmts[len(stmts)-1], q.buffer) {
		stmts = stmts[:len(stmts)-1]
	}
	if len(stmts) == 0 {
		return before(ctx)
	}
	last := stmts[len(stmts)-1]
	return l.after(last, q, ctx, func(ctx *index.Context) *term.Term {
		return l.block(stmts[:len(stmts)-1], q, ctx, before)
	})
}

// after is what a cell holds after a statement that may write the buffer.
func (l *lowering) after(s loops.Stmt, q query, ctx *index.Context, before rest) *term.Term {
	l.step(s.Span())
	switch s := s.(type) {
	case *loops.Alloc:
		fail(s.At, "%s is read where it may not have been written", s.Buffer.Name)
	case *loops.Assign:
		var conds []*index.Expr
		for i, x := range s.To.At {
			d := l.X.Sub(q.cell[i], l.int(x, q.env, ctx))
			conds = append(conds, d, l.X.Scale(index.Int(-1), d))
		}
		return l.where(ctx, conds, before, func(ctx *index.Context) *term.Term { return l.assigned(s, q.env, ctx) })
	case *loops.If:
		return l.branch(s.Cond, false, q.env, ctx,
			func(ctx *index.Context) *term.Term { return l.block(s.Then, q, ctx, before) },
			func(ctx *index.Context) *term.Term { return l.block(s.Else, q, ctx, before) })
	case *loops.When:
		return l.when(s, q, ctx)
	case *loops.For:
		return l.iterations(l.t.Places[s], q, nil, ctx, before)
	}
	panic("lower: a statement of another kind")
}

// step counts.
func (l *lowering) step(at source.Span) {
	if l.steps++; l.steps > maxSteps || l.X.Steps()-l.work > maxWork {
		fail(at, "it takes more than %d steps to tell what is written last", maxSteps)
	}
}

// where is Lowering.Where but for what is never reached.
func (l *lowering) where(ctx *index.Context, conds []*index.Expr, outside, inside rest) *term.Term {
	for i, c := range conds {
		l.step(l.t.Procedure.Span)
		switch l.X.Decide(ctx, c) {
		case index.True:
			continue
		case index.False:
			return outside(ctx)
		}
		not := l.X.AddInt(l.X.Scale(index.Int(-1), c), -1)
		out := outside(l.X.Assume(ctx, not))
		in := l.where(l.X.Assume(ctx, c), conds[i+1:], outside, inside)
		switch {
		case out == nil:
			return in
		case in == nil:
			return out
		}
		return l.B.If(c, in, out)
	}
	return inside(ctx)
}

// branch is yes where a condition holds, and no elsewhere.
func (l *lowering) branch(c *loops.Cond, not bool, e env, ctx *index.Context, yes, no rest) *term.Term {
	switch c.Op {
	case loops.None:
		return l.branch(c.Conds[0], !not, e, ctx, yes, no)
	case loops.All, loops.Any:
		if len(c.Conds) == 0 {
			if (c.Op == loops.All) != not {
				return yes(ctx)
			}
			return no(ctx)
		}
		first, others := c.Conds[0], &loops.Cond{Op: c.Op, Conds: c.Conds[1:]}
		further := func(ctx *index.Context) *term.Term { return l.branch(others, not, e, ctx, yes, no) }
		if (c.Op == loops.All) != not {
			return l.branch(first, not, e, ctx, further, no)
		}
		return l.branch(first, not, e, ctx, yes, further)
	}
	way := l.X.Sub(l.int(c.B, e, ctx), l.int(c.A, e, ctx))
	if not {
		yes, no = no, yes
	}
	switch c.Op {
	case loops.Less:
		return l.where(ctx, []*index.Expr{l.X.AddInt(way, -1)}, no, yes)
	case loops.LessEqual:
		return l.where(ctx, []*index.Expr{way}, no, yes)
	}
	return l.where(ctx, []*index.Expr{way, l.X.Scale(index.Int(-1), way)}, no, yes)
}

// when is what a cell holds after a branch that elements decide.
func (l *lowering) when(s *loops.When, q query, ctx *index.Context) *term.Term {
	kept := func(ctx *index.Context) *term.Term { return l.read(s, q, ctx) }
	yes, no := l.block(s.Then, q, ctx, kept), l.block(s.Else, q, ctx, kept)
	if yes == no {
		return yes
	}
	return l.choose(s.Cond, l.value(s.Cond, s, q.env, ctx), yes, no)
}

// assigned is what a statement writes.
func (l *lowering) assigned(s *loops.Assign, e env, ctx *index.Context) *term.Term {
	if l.active[s]++; l.active[s] > maxActive {
		fail(s.At, "what it writes depends on what it wrote before, again and again: there is no closed form")
	}
	defer func() { l.active[s]-- }()
	return l.value(s.Value, s, e, ctx)
}

// read is what a cell holds when an instance of a statement begins.
func (l *lowering) read(s loops.Stmt, q query, ctx *index.Context) *term.Term {
	pl := l.t.Places[s]
	key := binary.AppendUvarint(nil, uint64(pl.ID))
	for _, around := range pl.Around() {
		if around != pl {
			key = binary.AppendUvarint(key, uint64(q.env[around.Iteration()].ID()))
		}
	}
	key = append(binary.AppendUvarint(binary.AppendUvarint(key, uint64(ctx.ID())), uint64(l.Depth())), q.buffer.Name...)
	for _, x := range q.cell {
		key = append(binary.AppendUvarint(key, uint64(x.ID())), ',')
	}
	t, ok := l.memo[string(key)]
	if !ok {
		if l.deep++; l.deep > maxDeep {
			fail(s.Span(), "what %s holds depends on what was written before, again and again: there is no closed form", q.buffer.Name)
		}
		t = l.before(pl, q, ctx)
		l.deep--
		if t == nil { // nothing gets here
			t = l.B.Int(l.Sort(q.buffer.Elem), 0)
		}
		l.memo[string(key)] = t
	}
	return t
}

// before is read, worked out.
func (l *lowering) before(pl *loops.Place, q query, ctx *index.Context) *term.Term {
	return l.block(pl.Block[:pl.Number], q, ctx, func(ctx *index.Context) *term.Term {
		if pl.Parent == nil {
			return l.contents(q)(ctx)
		}
		if _, loop := pl.Parent.Stmt.(*loops.For); !loop {
			return l.before(pl.Parent, q, ctx)
		}
		return l.iterations(pl.Parent, q, q.env[pl.Parent.Iteration()], ctx,
			func(ctx *index.Context) *term.Term { return l.before(pl.Parent, q, ctx) })
	})
}

// A writerKey is a statement and a buffer.
type writerKey struct {
	stmt   loops.Stmt
	buffer *loops.Buffer
}

// writersOf lists the statements within a statement that write a buffer, or begin it. Those of all buffers are found at once:
// where there are many buffers, a search for each would look at each statement as often.
func (l *lowering) writersOf(s loops.Stmt, b *loops.Buffer) []*loops.Place {
	of, known := l.writers[s]
	if !known {
		of = map[*loops.Buffer][]*loops.Place{}
		switch s := s.(type) {
		case *loops.Alloc:
			of[s.Buffer] = []*loops.Place{l.t.Places[s]}
		case *loops.Assign:
			of[s.To.Buffer] = []*loops.Place{l.t.Places[s]}
		case *loops.For:
			l.within(s.Body, of)
		case *loops.If:
			l.within(s.Then, of)
			l.within(s.Else, of)
		case *loops.When:
			l.within(s.Then, of)
			l.within(s.Else, of)
		}
		l.writers[s] = of
	}
	return of[b]
}

// within adds the statements of a block that write a buffer, or begin it.
func (l *lowering) within(block []loops.Stmt, of map[*loops.Buffer][]*loops.Place) {
	for _, s := range block {
		l.writersOf(s, nil)
		for b, list := range l.writers[s] {
			of[b] = append(of[b], list...)
		}
	}
}

func (l *lowering) writes(s loops.Stmt, b *loops.Buffer) bool { return len(l.writersOf(s, b)) > 0 }
