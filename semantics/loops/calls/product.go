package calls

import (
	"slices"

	"tv/semantics/loops"
)

// A role is what a counter is in a product: of C by rows and columns, of the sum, or of one product of many.
type role uint8

const (
	row role = iota
	column
	summed
	batch
)

// An update is x += alpha·a·b in a perfect nest.
type update struct {
	around []*loops.For // all loops of the nest, the outermost first
	to     loops.Access
	a, b   loops.Access
	alpha  term
	at     *loops.Assign
}

// updates are the products that the leaf of a nest adds to an element, one for each summand; none where it does anything else.
func updates(around []*loops.For, leaf *loops.Assign) (out []*update) {
	rest, ok := without(terms(leaf.Value), leaf.To)
	if !ok {
		return nil
	}
	for _, t := range rest {
		u := &update{around: around, to: leaf.To, alpha: term{negative: t.negative}, at: leaf}
		var operands []loops.Access
		for _, f := range t.factors {
			varies := f.Op == loops.Read && slices.ContainsFunc(f.From.At, func(x *loops.Int) bool { return mentions(x, around...) })
			switch {
			case varies:
				operands = append(operands, f.From)
			case constant(f, leaf.To.Buffer):
				u.alpha.factors = append(u.alpha.factors, f)
			default:
				return nil
			}
		}
		if len(operands) != 2 {
			return nil
		}
		for _, x := range operands {
			if x.Buffer == leaf.To.Buffer || x.Buffer.Elem != leaf.To.Buffer.Elem {
				return nil
			}
		}
		u.a, u.b = operands[0], operands[1]
		out = append(out, u)
	}
	return out
}

// constant tells whether a factor is the same for all iterations: a literal, or a scalar that is not written.
func constant(e *loops.Expr, written *loops.Buffer) bool {
	return e.Op == loops.Literal || e.Op == loops.Read && len(e.From.Buffer.Dims) == 0 && e.From.Buffer != written
}

// A place is where the counter of a loop stands in an access: the axis of which the subscript is the counter and something
// that the loops of the product do not change.
type place struct {
	axis int
	rest *loops.Int // what is added to the counter
}

// places finds the axis of each loop that an access has, and tells whether all are found: each counter in one subscript, by
// itself, and one in each subscript at most.
func places(x loops.Access, among []*loops.For) (out map[*loops.For]place, ok bool) {
	out = map[*loops.For]place{}
	for axis, e := range x.At {
		if !mentions(e, among...) {
			continue
		}
		terms := sumOf(e)
		at := slices.IndexFunc(terms, func(t *loops.Int) bool { return t.Op == loops.Counter && slices.Contains(among, t.Loop) })
		if at < 0 {
			return nil, false
		}
		f := terms[at].Loop
		rest := loops.Plus.Of(slices.Delete(slices.Clone(terms), at, at+1)...)
		if _, twice := out[f]; twice || mentions(rest, among...) {
			return nil, false
		}
		out[f] = place{axis, rest}
	}
	return out, true
}

// box tells whether loops have steps of 1 and bounds that do not depend on each other.
func box(list []*loops.For) bool {
	return !slices.ContainsFunc(list, func(f *loops.For) bool {
		return f.Step.Op != loops.Number || f.Step.N != 1 || len(f.Lo) != 1 || len(f.Hi) != 1 ||
			mentions(f.Lo[0], list...) || mentions(f.Hi[0], list...)
	})
}

// A shape is a choice of loops for roles, of which those that a gemv and a plain gemm have not are nil.
type shape [4]*loops.For

// shaped finds the roles of loops in an update: those of most roles first, the innermost loops first.
func (u *update) shaped() (out shape, ok bool) {
	best := -1
	n := len(u.around)
	for r := n - 1; r >= 0; r-- {
		for c := n - 1; c >= -1; c-- {
			for k := n - 1; k >= 0; k-- {
				s := shape{row: u.around[r], summed: u.around[k]}
				roles := 2
				if c >= 0 {
					s[column] = u.around[c]
					roles++
				}
				if r == k || c == r || c == k || roles <= best || !u.fits(s) {
					continue
				}
				out, ok, best = s, true, roles
			}
		}
	}
	if ok && out[column] != nil {
		for _, f := range u.around {
			s := out
			s[batch] = f
			if !slices.Contains(out[:], f) && u.fits(s) && u.batched(s) {
				return s, true
			}
		}
	}
	return out, ok
}

// loops are those that have a role.
func (s shape) loops() (out []*loops.For) {
	for _, f := range s {
		if f != nil {
			out = append(out, f)
		}
	}
	return out
}

// fits tells whether loops have the roles of a shape, and each operand a counter of the product in its last axis.
func (u *update) fits(s shape) bool {
	among := s.loops()
	if !box(among) || u.stays(among) {
		return false
	}
	for i, x := range []loops.Access{u.to, u.a, u.b} {
		at, ok := places(x, among)
		if !ok {
			return false
		}
		in := func(r role) bool { _, is := at[s[r]]; return s[r] != nil && is }
		want := [3][4]bool{{row: true, column: true, batch: true}, {row: true, summed: true, batch: true},
			{column: true, summed: true, batch: true}}[i]
		for r := row; r <= batch; r++ {
			if s[r] != nil && in(r) != want[r] {
				return false
			}
		}
		matrix := s[column] != nil || i == 1
		last := len(x.At) - 1
		unit := slices.ContainsFunc([]role{row, column, summed}, func(r role) bool { return in(r) && at[s[r]].axis == last })
		if matrix && !unit {
			return false
		}
	}
	return true
}

// stays tells whether a loop that has no role would have to be within one that has.
func (u *update) stays(among []*loops.For) bool {
	return slices.ContainsFunc(u.around, func(f *loops.For) bool {
		return !slices.Contains(among, f) && slices.ContainsFunc(slices.Concat(f.Lo, f.Hi, []*loops.Int{f.Step}), func(x *loops.Int) bool {
			return mentions(x, among...)
		})
	})
}

// exchanged is the update with its operands exchanged.
func (u *update) exchanged() *update {
	v := *u
	v.a, v.b = u.b, u.a
	return &v
}

// outer are the loops of the nest that a call stays within.
func (u *update) outer(s shape) (out []*loops.For) {
	for _, f := range u.around {
		if !slices.Contains(s.loops(), f) {
			out = append(out, f)
		}
	}
	return out
}

// initialised tells whether a nest before an update sets all cells that it adds to, and no others, and what they are
// multiplied by: nil for a 0 that is written.
func (u *update) initialised(before *node, s shape) (beta *term, ok bool) {
	around, leaf := before.perfect()
	if leaf == nil || leaf.To.Buffer != u.to.Buffer || len(leaf.To.At) != len(u.to.At) || !box(around) {
		return nil, false
	}
	among := append(u.outer(s), s.loops()...)
	set, ok := places(leaf.To, around)
	added, ok2 := places(u.to, among)
	if !ok || !ok2 || len(set) != len(around) || len(added) != len(set) {
		return nil, false
	}
	for _, f := range u.outer(s) {
		if _, in := added[f]; !in { // adds to one cell again and again
			return nil, false
		}
	}
	for f, at := range set {
		g := counterAt(added, at.axis)
		if g == nil || !box([]*loops.For{g}) || !f.Lo[0].Same(g.Lo[0]) || !f.Hi[0].Same(g.Hi[0]) || !at.rest.Same(added[g].rest) {
			return nil, false
		}
	}
	for axis, e := range u.to.At {
		if counterAt(added, axis) == nil && !e.Same(leaf.To.At[axis]) {
			return nil, false
		}
	}
	if isZero(leaf.Value) {
		return nil, true
	}
	list := terms(leaf.Value)
	if len(list) != 1 {
		return nil, false
	}
	t := list[0]
	at := slices.IndexFunc(t.factors, func(f *loops.Expr) bool { return f.Op == loops.Read && f.From.Same(leaf.To) })
	if at < 0 {
		return nil, false
	}
	t.factors = slices.Delete(slices.Clone(t.factors), at, at+1)
	if slices.ContainsFunc(t.factors, func(f *loops.Expr) bool { return !constant(f, leaf.To.Buffer) }) {
		return nil, false
	}
	return &t, true
}

func counterAt(at map[*loops.For]place, axis int) *loops.For {
	for f, p := range at {
		if p.axis == axis {
			return f
		}
	}
	return nil
}

// function is what the library has for the roles of a shape.
func (u *update) function(s shape) string {
	switch {
	case s[batch] != nil:
		return "cimblas_batched_gemm"
	case s[column] != nil:
		return "cimblas_gemm"
	}
	return "cimblas_gemv"
}

// extent is how many iterations a loop of a box has.
func extent(f *loops.For) *loops.Int {
	if f.Lo[0].Op == loops.Number && f.Lo[0].N == 0 {
		return f.Hi[0]
	}
	return loops.Minus(f.Hi[0], f.Lo[0])
}

// batched tells whether the matrices of all operands of a batch lie one behind the other, as the library has them: the axis of
// the batch is followed by that of the stored rows, which the product takes whole.
func (u *update) batched(s shape) bool {
	return !slices.ContainsFunc([]loops.Access{u.to, u.a, u.b}, func(x loops.Access) bool {
		at, _ := places(x, s.loops())
		for _, r := range []role{row, column, summed} {
			if p, in := at[s[r]]; in && p.axis != len(x.At)-1 {
				return p.axis != at[s[batch]].axis+1 || !x.Buffer.Dims[p.axis].Same(extent(s[r]))
			}
		}
		return true
	})
}
