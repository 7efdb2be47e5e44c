package lower

import (
	"tv/glenside"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/term"
)

// rewrite returns the index of an operand's element.
type rewrite func(ctx *index.Context, at []*index.Expr) []*index.Expr

// view returns x read at other indices, with the type of n.
func (l *lowering) view(n *glenside.Node, x *array, f rewrite) meaning {
	return l.viewed(l.ty.Type(n), x, f)
}

func (l *lowering) viewed(t *glenside.Type, x *array, f rewrite) meaning {
	a := l.typed(t, func(ctx *index.Context, at []*index.Expr) *term.Term { return x.elem(ctx, f(ctx, at)) })
	a.plain = x.plain
	return meaning{array: a}
}

// as returns x with the type of n, which has the same dims.
func (l *lowering) as(n *glenside.Node, x *array) meaning {
	a := *x
	a.split = l.ty.Type(n).Split
	return meaning{array: &a}
}

// transpose: out[i_0 ... i_{r-1}] = x[j] with j[axes[a]] = i_a.
func (l *lowering) transpose(n *glenside.Node, x *array, list []domain.Size) meaning {
	axes := make([]int64, len(list))
	for i, a := range list {
		axes[i], _ = a.Int64()
	}
	return l.view(n, x, func(_ *index.Context, at []*index.Expr) []*index.Expr {
		in := l.vector(len(at))
		for i, a := range axes {
			in[a] = at[i]
		}
		return in
	})
}

// shift: out[... i ...] = x[... i+low ...] on an axis.
func (l *lowering) shift(t *glenside.Type, x *array, axis int, low *index.Expr) meaning {
	if isOne(x.dims[axis]) || low.IsZero() {
		low = l.zero
	}
	return l.viewed(t, x, func(_ *index.Context, at []*index.Expr) []*index.Expr {
		return l.replaced(at, axis, l.on(x.dims[axis], l.x.Add(at[axis], low)))
	})
}

// drop: out has axes of x left out, those marked, whose index is 0.
func (l *lowering) drop(n *glenside.Node, x *array, dropped []bool) meaning {
	return l.view(n, x, func(_ *index.Context, at []*index.Expr) []*index.Expr {
		in := l.vector(len(dropped))
		from := 0
		for i, d := range dropped {
			if d {
				in[i] = l.zero
			} else {
				in[i] = at[from]
				from++
			}
		}
		return in
	})
}

// insert: out has count axes of size 1 before an axis of x.
func (l *lowering) insert(n *glenside.Node, x *array, axis, count int) meaning {
	return l.view(n, x, func(_ *index.Context, at []*index.Expr) []*index.Expr {
		return l.joined(at[:axis], at[axis+count:])
	})
}

// windows: out[s o j] = x[s o*stride+j].
func (l *lowering) windows(n *glenside.Node, x *array, strides []*index.Expr) meaning {
	s, c := x.split, len(strides)
	return l.view(n, x, func(_ *index.Context, at []*index.Expr) []*index.Expr {
		in := l.vector(len(x.dims))
		copy(in, at[:s])
		for i, stride := range strides {
			in[s+i] = l.on(x.dims[s+i], l.x.Add(l.x.Mul(at[s+i], stride), at[s+c+i]))
		}
		return in
	})
}

// broadcast reads x at indices of dims, aligned at the right: 0 where x has size 1, the index where it
// has the same size, else (x has one of these sizes, depending on named sizes) the index modulo the
// size.
func (l *lowering) broadcast(x *array, dims []*index.Expr) rewrite {
	const (
		toZero = iota
		toSame
		modulo
	)
	ahead := len(dims) - len(x.dims)
	modes := make([]uint8, len(x.dims))
	identity := ahead == 0
	for i, d := range x.dims {
		switch {
		case isOne(d):
			modes[i] = toZero
			identity = identity && isOne(dims[ahead+i])
		case l.same(d, dims[ahead+i]):
			modes[i] = toSame
		default:
			modes[i], identity = modulo, false
		}
	}
	if identity {
		return func(_ *index.Context, at []*index.Expr) []*index.Expr { return at }
	}
	return func(ctx *index.Context, at []*index.Expr) []*index.Expr {
		in := l.vector(len(modes))
		for i, m := range modes {
			switch m {
			case toZero:
				in[i] = l.zero
			case toSame:
				in[i] = at[ahead+i]
			default:
				in[i] = l.x.Mod(ctx, at[ahead+i], x.dims[i])
			}
		}
		return in
	}
}

// --- reshape ---

// A regroup is a part of a reshape: axes of the operand that hold, in row-major order, what axes of the
// result hold. Axes of size 1 belong to none.
type regroup struct {
	from, to []int
	equal    bool // the products of the dims are the same expression, not only of the same value
}

// regroups splits a reshape into parts as small as possible: where the products of the leading dims
// agree, what follows is a part of its own. Equal dims at the end are matched first, since they may
// agree where the products before them do so only by a condition on named sizes.
func (l *lowering) regroups(from, to []*index.Expr) []regroup {
	f, t := l.notOne(from), l.notOne(to)
	var last []regroup
	for len(f) > 0 && len(t) > 0 && l.same(from[f[len(f)-1]], to[t[len(t)-1]]) {
		last = append(last, regroup{f[len(f)-1:], t[len(t)-1:], true})
		f, t = f[:len(f)-1], t[:len(t)-1]
	}
	var out []regroup
	for len(f)+len(t) > 0 {
		i, j, equal := l.firstPart(from, to, f, t)
		out = append(out, regroup{f[:i], t[:j], equal})
		f, t = f[i:], t[j:]
	}
	return append(out, last...)
}

// firstPart returns how many of the axes f and t make up the first part, and whether their products are equal.
func (l *lowering) firstPart(from, to []*index.Expr, f, t []int) (i, j int, equal bool) {
	p := l.x.Const(1)
	for i, a := range f {
		p = l.x.Mul(p, from[a])
		q := l.x.Const(1)
		for j, c := range t {
			if q = l.x.Mul(q, to[c]); q == p {
				return i + 1, j + 1, true
			}
		}
	}
	return len(f), len(t), false
}

func (l *lowering) notOne(dims []*index.Expr) []int {
	var axes []int
	for i, d := range dims {
		if !isOne(d) {
			axes = append(axes, i)
		}
	}
	return axes
}

// lowerReshape reads the elements of the first operand in row-major order.
func lowerReshape(l *lowering, n *glenside.Node) meaning {
	x := l.array(n.Args[0])
	to := l.dims(l.ty.Type(n).Dims)
	for _, d := range append(x.dims[:len(x.dims):len(x.dims)], to...) {
		if isEmpty(d) { // no element is asked for
			none := l.b.Int(x.sort, 0)
			return meaning{array: l.result(n, func(*index.Context, []*index.Expr) *term.Term { return none })}
		}
	}
	parts := l.regroups(x.dims, to)
	return l.view(n, x, func(ctx *index.Context, at []*index.Expr) []*index.Expr {
		in := l.vector(len(x.dims))
		for i := range in {
			in[i] = l.zero
		}
		for _, p := range parts {
			if len(p.from) == 0 {
				continue
			}
			offset, inside, dims := l.zero, p.equal, l.vector(len(p.from))
			for _, a := range p.to {
				offset = l.x.Add(l.x.Mul(offset, to[a]), at[a])
				inside = inside && l.x.Inside(ctx, at[a], to[a])
			}
			for i, a := range p.from {
				dims[i] = x.dims[a]
			}
			for i, digit := range l.x.Digits(ctx, offset, dims, inside) {
				in[p.from[i]] = digit
			}
		}
		return in
	})
}

// --- parts ---

// concatenate: the arrays one after the other on an axis.
func (l *lowering) concatenate(n *glenside.Node, axis int, xs []*array) meaning {
	a := xs[0]
	for _, y := range xs[1:] {
		before := a
		a = l.append(l.ty.Type(n), axis, before, y)
		a.joined = &joined{axis: axis, count: before.pieces(axis) + 1, before: before, last: y}
		if a.joined.count > manyPieces {
			a.elem = l.halved(a)
		}
	}
	if len(xs) == 1 {
		return l.as(n, a)
	}
	return meaning{array: a}
}

// manyPieces is how many arrays one after the other are told apart one by one: of more, the halves are told apart first,
// as each is asked for under the conditions of all that are told apart before it.
const manyPieces = 16

// joined says that an array is others one after the other on an axis: count of them, of which last is the last.
type joined struct {
	axis, count  int
	before, last *array
}

// pieces returns how many arrays are one after the other on an axis in a.
func (a *array) pieces(axis int) int {
	if a.joined != nil && a.joined.axis == axis {
		return a.joined.count
	}
	return 1
}

// halved returns the elements of many arrays one after the other.
func (l *lowering) halved(a *array) func(*index.Context, []*index.Expr) *term.Term {
	axis := a.joined.axis
	var pieces []*array
	var from []*index.Expr // where each begins
	list := func() {
		pieces, from = make([]*array, a.joined.count), make([]*index.Expr, a.joined.count)
		for x := a; ; x = x.joined.before {
			k := x.pieces(axis) - 1
			if k == 0 {
				pieces[0], from[0] = x, l.zero
				return
			}
			pieces[k], from[k] = x.joined.last, x.joined.before.dims[axis]
		}
	}
	var among func(ctx *index.Context, at []*index.Expr, i, j int) *term.Term // pieces i to j-1
	among = func(ctx *index.Context, at []*index.Expr, i, j int) *term.Term {
		if j == i+1 {
			return pieces[i].elem(ctx, l.replaced(at, axis, l.on(pieces[i].dims[axis], l.x.Sub(at[axis], from[i]))))
		}
		m := (i + j) / 2
		left := l.x.Sub(l.x.AddInt(from[m], -1), at[axis])
		switch l.x.Decide(ctx, left) {
		case index.True:
			return among(ctx, at, i, m)
		case index.False:
			return among(ctx, at, m, j)
		}
		return l.b.If(left, among(l.assume(ctx, left), at, i, m), among(l.assume(ctx, l.not(left)), at, m, j))
	}
	return func(ctx *index.Context, at []*index.Expr) *term.Term {
		if pieces == nil {
			list()
		}
		return among(ctx, at, 0, len(pieces))
	}
}

// append, of a type but for the size of the axis: out[... i ...] = x[... i ...] for i < n, else y[... i-n ...], where n is the size of the axis
// of x.
func (l *lowering) append(t *glenside.Type, axis int, x, y *array) *array {
	size := x.dims[axis]
	last := l.x.AddInt(size, -1)
	a := l.typed(t, func(ctx *index.Context, at []*index.Expr) *term.Term {
		i := at[axis]
		left := l.x.Sub(last, i)
		truth := l.x.Decide(ctx, left)
		if truth == index.True {
			return x.elem(ctx, l.replaced(at, axis, l.on(size, i)))
		}
		right := l.x.Sub(i, size)
		shifted := l.replaced(at, axis, l.on(y.dims[axis], right))
		if truth == index.False {
			return y.elem(ctx, shifted)
		}
		return l.b.If(left,
			x.elem(l.assume(ctx, left), l.replaced(at, axis, l.on(size, i))),
			y.elem(l.assume(ctx, right), shifted))
	})
	a.dims[axis] = l.x.Add(size, y.dims[axis])
	return a
}

// pick returns the element of one of xs, numbered from 0: of that whose number is i, which is not below
// k. inner gives the index to ask each with.
func (l *lowering) pick(ctx *index.Context, i *index.Expr, k int, xs []*array,
	inner func(k int) []*index.Expr) *term.Term {
	if v, ok := i.Const(); ok {
		n, _ := v.Int64()
		return xs[n].elem(ctx, inner(int(n)))
	}
	for ; k < len(xs)-1; k++ {
		this := l.x.AddInt(l.x.Scale(index.Int(-1), i), int64(k))
		switch l.x.Decide(ctx, this) {
		case index.True:
			return xs[k].elem(ctx, inner(k))
		case index.Open:
			return l.b.If(this, xs[k].elem(l.assume(ctx, this), inner(k)),
				l.pick(l.assume(ctx, l.not(this)), i, k+1, xs, inner))
		}
	}
	return xs[k].elem(ctx, inner(k))
}

// padding is a number of elements before and after those of an axis.
type padding struct{ before, after *index.Expr }

// pad returns x with elements around it: outside on the axes with padding, which may be nil.
func (l *lowering) pad(n *glenside.Node, x *array, pads []padding, outside *term.Term) meaning {
	a := l.result(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		return l.padded(ctx, x, at, pads, outside)
	})
	a.plain = x.plain
	return meaning{array: a}
}

// padded returns the element of x with padding at an index, or outside.
func (l *lowering) padded(ctx *index.Context, x *array, at []*index.Expr, pads []padding,
	outside *term.Term) *term.Term {
	in := l.vector(len(at))
	var conds []*index.Expr
	for i, p := range pads {
		pos := l.x.Sub(at[i], p.before)
		conds = append(conds, l.inside(p, pos, x.dims[i])...)
		in[i] = l.on(x.dims[i], pos)
	}
	return l.within(ctx, conds, outside, func(ctx *index.Context) *term.Term { return x.elem(ctx, in) })
}

// inside returns the conditions that a position of an axis of some size is not in the padding.
func (l *lowering) inside(p padding, pos, size *index.Expr) []*index.Expr {
	var conds []*index.Expr
	if !p.before.IsZero() {
		conds = append(conds, pos)
	}
	if !p.after.IsZero() {
		conds = append(conds, l.x.AddInt(l.x.Sub(size, pos), -1))
	}
	return conds
}

// within returns inside where all conds hold, else outside.
func (l *lowering) within(ctx *index.Context, conds []*index.Expr, outside *term.Term,
	inside func(*index.Context) *term.Term) *term.Term {
	for i, c := range conds {
		switch l.x.Decide(ctx, c) {
		case index.False:
			return outside
		case index.Open:
			return l.b.If(c, l.within(l.assume(ctx, c), conds[i+1:], outside, inside), outside)
		}
	}
	return inside(ctx)
}
