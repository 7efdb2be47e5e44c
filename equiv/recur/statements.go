package recur

import (
	"slices"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/loops"
)

// maxCases bounds the cases of a statement.
const maxCases = 16

// maxStatements bounds the statements, each of which may have written what another reads.
const maxStatements = 500

// newSide reads the statements of a procedure.
func newSide(n *names, t *loops.Typed) *side {
	s := &side{names: n, typed: t, loops: map[*loops.For]int{}, whens: map[*loops.When][]loops.Stmt{}}
	if a, b, found := t.Procedure.Overlapping(); found {
		give(b.Span, "%s and %s may overlap, and what that leaves is not told", a.Name, b.Name)
	}
	s.flats()
	s.block(t.Procedure.Body, &stmt{}, [][]fact{n.sizeFacts})
	if len(s.stmts) > maxStatements {
		give(t.Procedure.Span, "there are more than %d assignments", maxStatements)
	}
	number := 0
	for i, st := range s.stmts {
		st.order = i
		st.number = -1
		if !st.begin {
			st.number = number
			number++
		}
	}
	return s
}

// ending is the end of the call for a parameter.
func (s *side) ending(b *loops.Buffer) *stmt {
	st := &stmt{at: b.Span, number: -1, order: len(s.stmts), end: true, buffer: b}
	x := &instance{of: st, facts: slices.Clone(s.sizeFacts)}
	var cell []lin
	for _, extent := range s.dims(b) {
		v := s.fresh()
		st.counters = append(st.counters, v)
		cell = append(cell, variable(v))
		x.facts = append(x.facts, natural(variable(v)), natural(extent.minus(variable(v)).add(-1)))
	}
	x.from = [][]lin{cell}
	st.reads = []*loops.Expr{{Op: loops.Read, Elem: b.Elem, From: loops.Access{Buffer: b}}}
	st.trees = make([]*tree, 1)
	st.cases = []*instance{x}
	return st
}

// dims are the extents of a buffer; of a flat one there are two.
func (s *side) dims(b *loops.Buffer) (out []lin) {
	if f, ok := s.flat[b]; ok {
		return []lin{f.rows, f.width}
	}
	for _, d := range b.Dims {
		size, ok := s.typed.Places.Size(d)
		if !ok {
			give(b.Span, "an extent is not affine")
		}
		out = append(out, s.size(size, b.Span))
	}
	return out
}

// block adds the statements of a block, which is reached in some cases.
func (s *side) block(list []loops.Stmt, around *stmt, cases [][]fact) {
	if len(cases) > maxCases {
		give(source.Span{}, "conditions have more than %d cases", maxCases)
	}
	for _, x := range list {
		switch x := x.(type) {
		case *loops.For:
			s.loop(x, around, cases)
		case *loops.If:
			s.block(x.Then, around, both(cases, s.cond(x.Cond, false)))
			s.block(x.Else, around, both(cases, s.cond(x.Cond, true)))
		case *loops.When:
			s.block(s.taken(x), around, cases)
		case *loops.Assign:
			s.assign(x, around, cases)
		case *loops.Alloc:
			s.alloc(x, around, cases)
		}
	}
}

// loop adds a loop. Its counter is below each of its bounds; one that steps by more than 1 is a multiple of that from where it
// starts, in each case of which of its lower bounds that is.
func (s *side) loop(l *loops.For, around *stmt, cases [][]fact) {
	if l.Step.Op != loops.Number || l.Step.N == 0 {
		give(l.At, "a step that is no number is not looked at")
	}
	if l.Parallel != nil && len(l.Parallel.Reductions) > 0 {
		give(l.At, "a reduction in any order is not looked at")
	}
	v := s.fresh()
	counter, later := variable(v), int64(1)
	if l.Step.N < 0 {
		later = -1
	}
	start, bound := loops.Greatest, loops.Least
	if later < 0 {
		start, bound = loops.Least, loops.Greatest
	}
	within := func(list []*loops.Int, op loops.IntOp, says func(lin) lin) {
		for _, x := range parts(list, op) {
			var ways [][]fact
			for _, v := range s.int(x) {
				ways = append(ways, append(slices.Clip(v.facts), natural(says(v.lin).times(later))))
			}
			cases = both(cases, ways)
		}
	}
	within(l.Hi, bound, func(x lin) lin { return x.minus(counter).add(-later) })
	if step := magnitudeOf(l.Step.N); step == 1 {
		within(l.Lo, start, counter.minus)
	} else {
		var starts [][]fact
		for _, v := range s.int(start.Of(l.Lo...)) {
			from := counter.minus(v.lin).times(later)
			q, facts := s.quotient(from, step)
			facts = append(facts, equation(from.plus(-step, variable(q))), natural(from))
			starts = append(starts, slices.Concat(v.facts, facts))
		}
		cases = both(cases, starts)
	}
	s.loops[l] = v
	s.block(l.Body, &stmt{around: append(slices.Clip(around.around), l), later: append(slices.Clip(around.later), later),
		counters: append(slices.Clip(around.counters), v)}, cases)
	delete(s.loops, l)
}

// parts are the integers of a list of which one is the least, or the greatest, taken apart.
func parts(list []*loops.Int, op loops.IntOp) (out []*loops.Int) {
	for _, x := range list {
		if x.Op == op {
			out = append(out, parts(x.Args, op)...)
		} else {
			out = append(out, x)
		}
	}
	return out
}

func (s *side) alloc(a *loops.Alloc, around *stmt, cases [][]fact) {
	st := &stmt{at: a.At, around: around.around, later: around.later, counters: around.counters, buffer: a.Buffer, begin: true}
	for _, c := range cases {
		st.cases = append(st.cases, &instance{of: st, facts: c})
	}
	s.stmts = append(s.stmts, st)
}

// assign adds an assignment.
func (s *side) assign(a *loops.Assign, around *stmt, cases [][]fact) {
	st := &stmt{at: a.At, around: around.around, later: around.later, counters: around.counters, buffer: a.To.Buffer, assign: a, value: a.Value}
	var ints []*loops.Expr
	var walk func(e *loops.Expr)
	walk = func(e *loops.Expr) {
		s.allowed(e)
		switch e.Op {
		case loops.Read:
			st.reads = append(st.reads, e)
		case loops.FromInt:
			ints = append(ints, e)
		}
		for _, x := range e.Args {
			walk(x)
		}
	}
	walk(a.Value)
	st.trees = make([]*tree, len(st.reads))
	for _, c := range cases {
		list := []*instance{{of: st, facts: c}}
		each := func(x *loops.Int, put func(*instance, value)) {
			var next []*instance
			for _, in := range list {
				for _, v := range s.int(x) {
					y := *in
					y.facts = slices.Concat(in.facts, v.facts)
					put(&y, v)
					next = append(next, &y)
				}
			}
			list = next
		}
		axes := func(a loops.Access, put func(*instance, lin)) {
			f, flat := s.flat[a.Buffer]
			for _, x := range a.At {
				if flat {
					s.width = &f.width
				}
				each(x, func(in *instance, v value) {
					if flat {
						v.row, v.lin = f.carried(v.row, v.lin)
						put(in, v.row)
						in.rows = append(slices.Clip(in.rows), natural(v.lin), natural(f.width.minus(v.lin).add(-1)))
					}
					put(in, v.lin)
				})
				s.width = nil
			}
		}
		axes(a.To, func(in *instance, v lin) { in.cell = append(slices.Clip(in.cell), v) })
		for _, r := range st.reads {
			for _, in := range list {
				in.from = append(slices.Clip(in.from), nil)
			}
			axes(r.From, func(in *instance, v lin) {
				in.from = slices.Clone(in.from)
				n := len(in.from) - 1
				in.from[n] = append(slices.Clip(in.from[n]), v)
			})
		}
		for _, e := range ints {
			each(e.Int, func(in *instance, v value) { in.ints = append(slices.Clip(in.ints), v.lin) })
		}
		st.cases = append(st.cases, list...)
	}
	for _, in := range st.cases {
		for _, f := range in.rows {
			if !(place{facts: in.facts}).implies(f) {
				give(a.At, "a subscript of a matrix in one axis may cross rows")
			}
		}
	}
	if len(st.cases) > maxCases {
		give(a.At, "conditions have more than %d cases", maxCases)
	}
	s.stmts = append(s.stmts, st)
}

// allowed refuses what may end a call: whether it is executed would have to be shown apart from what results hold.
func (s *side) allowed(e *loops.Expr) {
	wraps := e.Elem.Kind != domain.ElemFloat
	if e.Checked {
		give(e.At, "signed overflow may end the call here, which contents decide")
	}
	switch e.Op {
	case loops.Div, loops.Rem, loops.DivDown, loops.DivUp:
		if wraps && !(e.Args[1].Op == loops.Literal && e.Args[1].Number.Sign() > 0) {
			give(e.At, "a division of integers by data is not looked at")
		}
	case loops.ShiftLeft, loops.ShiftRight:
		if n := e.Args[1].Number; e.Args[1].Op != loops.Literal || n.Sign() < 0 || n.Num().Int64() >= int64(e.Elem.Width) {
			give(e.At, "a shift by data is not looked at")
		}
	case loops.Convert:
		if wraps && e.Args[0].Elem.Kind == domain.ElemFloat {
			give(e.At, "a conversion of a float to an integer is not looked at")
		}
	}
}
