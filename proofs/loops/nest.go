package loops

import (
	"slices"

	"tv/proofs/algebra"
)

// A place is one in a text and in time: in front of a statement of a block, in certain iterations
// of the loops around it.
type place struct {
	up        *place // that of the loop or branch whose block it is
	block     []Stmt
	index     int
	loop      *For  // whose body the block is, if it is no branch
	iteration *expr // that increases in time
	counter   *expr
}

func (p *place) before() *place {
	q := *p
	q.index--
	return &q
}

// count is the counter of a loop around p.
func (p *place) count(l *For) *expr {
	for ; p != nil; p = p.up {
		if p.loop == l {
			return p.counter
		}
	}
	algebra.Fail(algebra.CodeUnsupported, "a counter outside its loop")
	return nil
}

// An integers computes Ints.
type integers struct {
	*algebra.Builder
	size func(string) *expr
}

// of is the value of x at p.
func (n integers) of(x *Int, p *place, c *context) (out *expr) {
	switch x.Op {
	case IntNumber:
		return n.Num(algebra.BigNum(x.N))
	case IntSize:
		return n.size(x.Name)
	case IntCounter:
		return p.count(x.Loop)
	}
	for i, a := range x.Args {
		y := n.of(a, p, c)
		switch {
		case i == 0:
			out = y
		case x.Op == IntAdd:
			out = n.Add(out, y)
		case x.Op == IntMul:
			out = n.Mul(out, y)
		case x.Op == IntMax:
			out = n.Max(c, out, y)
		case x.Op == IntMin:
			out = n.Min(c, out, y)
		case !n.Nonneg(n.Root, n.AddInt(y, -1)):
			unsupported("a divisor that is not known to be positive")
		default:
			out = n.Div(c, out, y)
		}
	}
	return out
}

func (n integers) all(list []*Int, p *place, c *context) (out []*expr) {
	for _, x := range list {
		out = append(out, n.of(x, p, c))
	}
	return out
}

// A way is one in which a condition holds, or does not: every zero is 0 and no rest is negative.
type way struct{ zero, rest []*expr }

func both(x, y []way) (out []way) {
	if len(x)*len(y) > maxWork {
		algebra.Fail(algebra.CodeLimit, "a condition holds in too many ways")
	}
	for _, v := range x {
		for _, w := range y {
			out = append(out, way{slices.Concat(v.zero, w.zero), slices.Concat(v.rest, w.rest)})
		}
	}
	return out
}

// ways are those in which a condition holds, or with not does not hold: never two at once.
func (n integers) ways(x *Cond, not bool, p *place, c *context) (out []way) {
	switch x.Op {
	case CondNot:
		return n.ways(x.Conds[0], !not, p, c)
	case CondAll, CondAny:
		if (x.Op == CondAll) != not {
			out = []way{{}}
			for _, y := range x.Conds {
				out = both(out, n.ways(y, not, p, c))
			}
			return out
		}
		others := []way{{}} // those before do not: the first that does tells ways apart
		for _, y := range x.Conds {
			out = append(out, both(others, n.ways(y, not, p, c))...)
			others = both(others, n.ways(y, !not, p, c))
		}
		return out
	}
	d := n.Sub(n.of(x.Y, p, c), n.of(x.X, p, c))
	back := n.Scale(algebra.Int(-1), d)
	less := func(e *expr) way { return way{rest: []*expr{n.AddInt(e, -1)}} }
	switch {
	case x.Op == CondLess && !not:
		return []way{less(d)}
	case x.Op == CondLess:
		return []way{{rest: []*expr{back}}}
	case x.Op == CondLessEqual && !not:
		return []way{{rest: []*expr{d}}}
	case x.Op == CondLessEqual:
		return []way{less(back)}
	case not:
		return []way{less(d), less(back)}
	}
	return []way{{zero: []*expr{d}}}
}

// A reached is a statement in a block, for some instances.
type reached struct {
	at    *place // in front of it
	where *instances
}

func (r reached) statement() Stmt { return r.at.block[r.at.index] }

// visit calls f for every statement of a block that satisfies wanted, in the order of the text:
// once for each way through the conditions around it. from is the place in front of the first, and
// where are the instances of that.
func (n integers) visit(from reached, wanted func(Stmt) bool, f func(reached)) {
	for i, s := range from.at.block {
		at := *from.at
		at.index = i
		here := reached{&at, from.where}
		if wanted(s) {
			f(here)
		}
		switch s := s.(type) {
		case *For:
			n.visit(n.enter(here, s, nil), wanted, f)
		case *If:
			n.branch(here, s, wanted, f)
		}
	}
}

func (n integers) branch(here reached, s *If, wanted func(Stmt) bool, f func(reached)) {
	for k, block := range [][]Stmt{s.Then, s.Else} {
		if len(block) == 0 {
			continue
		}
		for _, w := range n.ways(s.Cond, k == 1, here.at, here.where.c) {
			where := here.where.clone()
			where.zero, where.rest = append(where.zero, w.zero...), append(where.rest, w.rest...)
			n.visit(reached{&place{up: here.at, block: block}, where}, wanted, f)
		}
	}
}

// enter is the body of a loop (law 5) in an iteration that is a new unknown, before one if that is
// given.
//
// The iteration is the counter itself where that goes up by 1, from whatever end is the greatest.
// Else it is t in lo + step·t, from 0 on; there is a t for every counter and the other way round,
// also where the step does not divide the range: the counter alone is held against its end.
func (n integers) enter(here reached, l *For, until *expr) reached {
	where := here.where.clone()
	c, step := where.c, n.of(l.Step, here.at, where.c)
	los, his := n.all(l.Lo, here.at, c), n.all(l.Hi, here.at, c)
	up, down := where.positive(step), where.positive(where.negated(step))
	if len(los) == 0 || len(his) == 0 || !up && !down {
		unsupported("a loop without a bound, or with a step of no known sign")
	}
	for len(los) > 1 && !step.Is(1) { // it begins at one of them
		first := n.Max
		if down {
			first = n.Min
		}
		los = append([]*expr{first(c, los[0], los[1])}, los[2:]...)
	}
	ahead := func(x, y *expr) *expr { // how far y is behind x
		if down {
			x, y = y, x
		}
		return n.Sub(y, x)
	}
	first, end := los[0], his[0]
	if !step.Is(1) {
		size := ahead(n.Const(0), step)
		first, end = n.Const(0), where.ceiling(ahead(first, end), size)
	}
	v := n.NewVar(first, end)
	counter := v.Expr()
	if !step.Is(1) {
		counter = n.Add(los[0], n.Mul(step, v.Expr()))
		where.rest = append(where.rest, v.Expr())
	} else {
		for _, lo := range los {
			where.rest = append(where.rest, n.Sub(counter, lo))
		}
	}
	for _, hi := range his {
		where.rest = append(where.rest, n.AddInt(ahead(counter, hi), -1))
	}
	if until != nil {
		where.rest = append(where.rest, n.AddInt(n.Sub(until, v.Expr()), -1))
	}
	where.unknowns = append(where.unknowns, v)
	body := &place{up: here.at, block: l.Body, loop: l, iteration: v.Expr(), counter: counter}
	return reached{body, where}
}
