package tc

import (
	"math/big"
	"slices"
	"strings"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/loops"
)

// A subscript is one of a tensor whose extents are known.
type subscript struct {
	tensor *tensor
	of     string      // the name of the tensor
	axis   int         // of the subscript
	at     *expr       // the subscript
	names  []string    // of the indices in it
	size   domain.Size // the same, in which some of them may have cancelled
	extent domain.Size
	used   bool // an index was solved by it
}

// subscripts lists those by which indices may be solved: of all reads, and of the left side if its extents are known.
func (c *scope) subscripts() (out []*subscript) {
	add := func(t *tensor, of string, axis int, at *expr) {
		s := &subscript{tensor: t, of: of, axis: axis, at: at, size: c.size(at, nil), extent: t.dims[axis]}
		at.visit(func(x *expr) {
			if x.op == opName && c.indices[x.name] != nil && !slices.Contains(s.names, x.name) {
				s.names = append(s.names, x.name)
			}
		})
		out = append(out, s)
	}
	for _, x := range append([]*expr{c.value}, c.exists...) {
		c.reads(x, func(t *tensor, read *expr, axis int) { add(t, read.name, axis, read.args[axis]) })
	}
	if c.target.known {
		for axis, n := range c.stmt.indices {
			add(c.target, c.stmt.to.text, axis, &expr{op: opName, name: n.text, span: n.span})
		}
	}
	return out
}

// infer finds the ranges of all indices, and requires that those which have to hold something do.
func (c *scope) infer() []*subscript {
	for _, i := range c.order {
		if i.range_ != nil {
			c.given(i)
		}
	}
	list := c.subscripts()
	for {
		var open []*index
		for _, i := range c.order {
			if !i.solved {
				open = append(open, i)
			}
		}
		if len(open) == 0 {
			return list
		}
		open = slices.DeleteFunc(open, func(i *index) bool { return !c.solve(i, list) })
		if len(open) == 0 {
			c.unsolved(list)
		}
		for _, i := range open {
			i.solved = true
			c.measure(i)
			c.inhabited(i, i.span, "the range of "+i.text+", inferred,")
		}
	}
}

// given takes a range that is written.
func (c *scope) given(i *index) {
	bound := func(x *expr) domain.Size {
		x = c.resolve(x)
		x.visit(func(y *expr) {
			if y.op == opName && c.sizes[y.name] == nil {
				fail(y.span, "range-inference", "%s is no size: a range is the same for all iterations", y.name)
			}
		})
		return c.size(x, func(y *expr, v domain.Size) { c.fits(y, v) })
	}
	i.lo, i.hi, i.solved = bound(i.range_.x), bound(i.range_.y), true
	i.rooms = []room{{one, i.hi.Sub(one)}}
	if domain.Le(i.hi, i.lo).Decide(&domain.Facts{}) == domain.Always {
		fail(i.range_.span, "range-inference", "%s in %s:%s holds nothing, at any sizes", i.text, i.lo.Formula(), i.hi.Formula())
	}
	c.measure(i)
}

// measure encloses the values of an index whose range is known.
func (c *scope) measure(i *index) {
	i.reach = interval{c.reach(i.lo).lo, new(big.Int).Sub(c.reach(i.hi).hi, big.NewInt(1))}
	i.reach.hi = greater(i.reach.hi, i.reach.lo)
}

// inhabited requires that the range of an index holds something: that factor·lo <= room for each upper bound.
func (c *scope) inhabited(i *index, at source.Span, what string) {
	cond := &loops.Cond{Op: loops.All, At: at}
	for _, lo := range parts(i.lo, domain.SizeMax) {
		for _, r := range i.rooms {
			least := r.factor.Mul(lo)
			switch domain.Le(least, r.room).Decide(&domain.Facts{}) {
			case domain.Never:
				fail(at, "range-inference", "%s is %s <= %s < %s: it holds nothing, at any sizes", what, i.lo.Formula(), i.text, i.hi.Formula())
			case domain.Undecided:
				c.held = append(c.held, [2]domain.Size{least, r.room})
				cond.Conds = append(cond.Conds, &loops.Cond{Op: loops.LessEqual, A: c.integer(least, at), B: c.integer(r.room, at), At: at})
			}
		}
	}
	if len(cond.Conds) == 1 {
		cond = cond.Conds[0]
	}
	if cond.Op != loops.All || len(cond.Conds) > 0 {
		c.require(cond, "range "+i.lo.String()+i.hi.String(), loops.Bounds, at, what+" holds something")
	}
}

// parts are the operands of a maximum or a minimum, or what is neither.
func parts(s domain.Size, op domain.SizeOp) []domain.Size {
	if s.Op() == op {
		return s.Operands()
	}
	return []domain.Size{s}
}

// extreme is the greatest or the least of two sizes: one of them, if it is known which.
func (c *scope) extreme(op domain.SizeOp, a, b domain.Size) domain.Size {
	both, first := domain.Size.Min, domain.Le(a, b)
	if op == domain.SizeMax {
		both, first = domain.Size.Max, domain.Le(b, a)
	}
	if !c.indexed(a) && !c.indexed(b) {
		switch first.Decide(&domain.Facts{}) {
		case domain.Always:
			return a
		case domain.Never:
			return b
		}
	}
	return both(a, b)
}

// unknowns lists the indices among some names that are not solved.
func (c *scope) unknowns(names []string) (out []*index) {
	for _, n := range names {
		if i := c.indices[n]; i != nil && !i.solved {
			out = append(out, i)
		}
	}
	return out
}

// solved tells whether all indices of a size are.
func (c *scope) solved(s domain.Size) bool { return len(c.unknowns(s.Names())) == 0 }

// solve finds the range of an index by all subscripts in which no other index is unsolved. It is false where there are none.
func (c *scope) solve(i *index, list []*subscript) bool {
	found := false
	for _, s := range list {
		if open := c.unknowns(s.names); len(open) != 1 || open[0] != i || !slices.Contains(s.size.Names(), i.text) {
			continue
		}
		factor, rest, ok := linear(s.size, i.text)
		way := c.sign(factor)
		if _, number := factor.Const(); !ok || !number && factor.Op() != domain.SizeName || way == 0 {
			fail(s.at.span, "range-inference", "the range of %s is inferred from subscripts in which its factor is a number or a size, "+
				"not from %s: write where %s in LO:HI", i.text, show(s.at.span), i.text)
		}
		least, most := c.extremes(rest, s.at.span)
		low, high := least, room{factor, s.extent.Sub(one).Sub(most)}
		if way < 0 { // least - |factor|·i >= 0, and most - |factor|·i < extent
			low, high = high.room, room{zero.Sub(factor), least}
		}
		lo, hi := zero.Sub(low.Div(high.factor)), high.room.Div(high.factor).Add(one)
		if found {
			lo, hi = c.extreme(domain.SizeMax, i.lo, lo), c.extreme(domain.SizeMin, i.hi, hi)
		}
		if !slices.ContainsFunc(i.rooms, func(r room) bool { return r.factor.Equal(high.factor) && r.room.Equal(high.room) }) {
			i.rooms = append(i.rooms, high)
		}
		i.lo, i.hi, found, s.used = lo, hi, true, true
	}
	return found
}

// unsolved says why a range cannot be inferred.
func (c *scope) unsolved(list []*subscript) {
	for _, i := range c.order {
		if i.solved {
			continue
		}
		for _, s := range list {
			if open := c.unknowns(s.names); len(open) > 1 && slices.Contains(open, i) {
				var names []string
				for _, j := range open {
					names = append(names, j.text)
				}
				fail(i.span, "range-inference", "the range of %s cannot be inferred: %s has more than one index without a range (%s); "+
					"write where %s in LO:HI", i.text, show(s.at.span), strings.Join(names, ", "), i.text)
			}
		}
		fail(i.span, "range-inference", "the range of %s cannot be inferred: no subscript says it; write where %s in LO:HI", i.text, i.text)
	}
}

// linear splits a size into factor·name + rest, neither of which has the name.
func linear(s domain.Size, name string) (factor, rest domain.Size, ok bool) {
	has := func(x domain.Size) bool { return slices.Contains(x.Names(), name) }
	terms := []domain.Size{s}
	if s.Op() == domain.SizeAdd {
		terms = s.Operands()
	}
	for _, t := range terms {
		if !has(t) {
			rest = rest.Add(t)
			continue
		}
		parts, f, times := []domain.Size{t}, one, 0
		if t.Op() == domain.SizeMul {
			parts = t.Operands()
		}
		for _, p := range parts {
			switch {
			case p.Name() == name:
				times++
			case has(p):
				return factor, rest, false
			default:
				f = f.Mul(p)
			}
		}
		if times != 1 {
			return factor, rest, false
		}
		factor = factor.Add(f)
	}
	return factor, rest, true
}

// indexed tells whether an index occurs in a size: what is known of names of sizes does not hold of it.
func (c *scope) indexed(s domain.Size) bool {
	return slices.ContainsFunc(s.Names(), func(n string) bool { return c.indices[n] != nil })
}

// sign is that of a size, 0 where it is not known, as of one with indices.
func (c *scope) sign(s domain.Size) int {
	switch {
	case c.indexed(s):
		return 0
	case domain.Le(one, s).Decide(&domain.Facts{}) == domain.Always:
		return 1
	case domain.Le(s, domain.IntSize(-1)).Decide(&domain.Facts{}) == domain.Always:
		return -1
	}
	return 0
}

// extremes are the least and the greatest value of a size for all values of its indices, which are solved. Those whose
// range is written have to have some.
func (c *scope) extremes(s domain.Size, at source.Span) (least, most domain.Size) {
	least, most = s, s
	for _, n := range s.Names() {
		i := c.indices[n]
		if i == nil {
			continue
		}
		if i.range_ != nil {
			c.inhabited(i, i.range_.span, "the range of "+i.text+", by which another index is solved,")
		}
		var ok1, ok2 bool
		least, ok1 = c.end(least, i, domain.SizeMin)
		most, ok2 = c.end(most, i, domain.SizeMax)
		if !ok1 || !ok2 {
			fail(at, "range-inference", "the range of an index is inferred from sums of products, not from %s: write where", show(at))
		}
	}
	return least, most
}

// end is the least or the greatest value of what is linear in an index, at one of its ends. A multilinear function on a box
// has its extremes at corners, so one index after the other may be put at its ends as long as each step is linear.
func (c *scope) end(s domain.Size, i *index, op domain.SizeOp) (domain.Size, bool) {
	if s.Op() == op { // of corners, among which indices that are left decide
		var list []domain.Size
		for _, x := range s.Operands() {
			y, ok := c.end(x, i, op)
			if list = append(list, y); !ok {
				return s, false
			}
		}
		out := list[0]
		for _, y := range list[1:] {
			out = c.extreme(op, out, y)
		}
		return out, true
	}
	factor, rest, ok := linear(s, i.text)
	first, last := rest.Add(factor.Mul(i.lo)), rest.Add(factor.Mul(i.hi.Sub(one)))
	switch way := c.sign(factor); {
	case way == 0:
		return c.extreme(op, first, last), ok
	case way > 0 == (op == domain.SizeMax):
		return last, ok
	}
	return first, ok
}
