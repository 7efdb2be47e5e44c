package eval

import (
	"errors"
	"math/bits"
	"slices"

	"tv/semantics/value"
)

// An affine is base + the sum of by*index[axis] over its terms, which are ordered by axis and not 0.
type affine struct {
	base  int64
	terms []affineTerm
}

type affineTerm struct {
	axis int
	by   int64
}

// axisOf returns index[axis].
func axisOf(axis int) affine { return affine{terms: []affineTerm{{axis, 1}}} }

// at returns the number at an index.
func (e affine) at(index []int64) int64 {
	n := e.base
	for _, t := range e.terms {
		n += t.by * index[t.axis]
	}
	return n
}

// plus returns e + by*f.
func (e affine) plus(f affine, by int64) affine {
	sum := affine{base: e.base + by*f.base}
	if by == 0 || len(f.terms) == 0 {
		sum.terms = e.terms
		return sum
	}
	i := 0
	for _, t := range f.terms {
		for i < len(e.terms) && e.terms[i].axis < t.axis {
			sum.terms = append(sum.terms, e.terms[i])
			i++
		}
		coefficient := by * t.by
		if i < len(e.terms) && e.terms[i].axis == t.axis {
			coefficient += e.terms[i].by
			i++
		}
		if coefficient != 0 {
			sum.terms = append(sum.terms, affineTerm{t.axis, coefficient})
		}
	}
	sum.terms = append(sum.terms, e.terms[i:]...)
	return sum
}

// compose returns e with index[i] replaced by by[i].
func (e affine) compose(by []affine) affine {
	sum := affine{base: e.base}
	for _, t := range e.terms {
		sum = sum.plus(by[t.axis], t.by)
	}
	return sum
}

// coefficient returns what index[axis] is multiplied by.
func (e affine) coefficient(axis int) int64 {
	for _, t := range e.terms {
		if t.axis == axis {
			return t.by
		}
	}
	return 0
}

// without returns e without the terms of some axes.
func (e affine) without(axis func(int) bool) affine {
	e.terms = slices.DeleteFunc(slices.Clone(e.terms), func(t affineTerm) bool { return axis(t.axis) })
	return e
}

func (e affine) equal(f affine) bool { return e.base == f.base && slices.Equal(e.terms, f.terms) }

// bounds returns the least and greatest number over the indices within dims, none of which is 0.
func (e affine) bounds(dims []int64) (least, greatest int64) {
	least, greatest = e.base, e.base
	for _, t := range e.terms {
		if far := t.by * (dims[t.axis] - 1); far < 0 {
			least += far
		} else {
			greatest += far
		}
	}
	return least, greatest
}

// rowMajor returns the offset of the index of the axes first, first+1, ... with the given dims. Axes of
// one element do not occur: their index is always 0.
func rowMajor(dims []int64, first int) affine {
	var e affine
	stride := int64(1)
	for i := len(dims) - 1; i >= 0; i-- {
		if dims[i] != 1 {
			e.terms = append(e.terms, affineTerm{first + i, stride})
		}
		stride *= dims[i]
	}
	slices.Reverse(e.terms)
	return e
}

// volume returns the number of elements.
func volume(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}

// unflatten writes the index at a row-major offset.
func unflatten(offset int64, dims, index []int64) {
	if bits.Len64(uint64(offset)) <= 32 {
		rest := uint32(offset)
		for i := len(dims) - 1; i > 0; i-- {
			if d := dims[i]; d == 1 {
				index[i] = 0
			} else if d <= int64(rest) {
				q := rest / uint32(d)
				index[i] = int64(rest - q*uint32(d))
				rest = q
			} else {
				index[i] = int64(rest)
				rest = 0
			}
		}
		if len(dims) > 0 {
			index[0] = int64(rest)
		}
		return
	}
	for i := len(dims) - 1; i > 0; i-- {
		index[i] = offset % dims[i]
		offset /= dims[i]
	}
	if len(dims) > 0 {
		index[0] = offset
	}
}

// Elements are what a row-major offset finds: an input tensor or the result of an operation.
type elements interface {
	at(offset int64) value.Value
}

// A view is a tensor as a function of the index: dims, and a tree that finds the element. All operators
// that only move elements compose views, so that they cost nothing at each element.
type view struct {
	dims []int64
	tree *tree
}

// A tree tells where the element at an index is: at the inner nodes, where 0 <= on < n, the subtree in has
// it, else the subtree out. A leaf is an element of from, at the offset on, or a constant.
type tree struct {
	on      affine
	n       int64
	in, out *tree // both or neither
	from    elements
	value   value.Value
	leaves  int // in the tree
}

func leaf(from elements, offset affine) *tree { return &tree{from: from, on: offset, leaves: 1} }

func constant(v value.Value) *tree { return &tree{value: v, leaves: 1} }

func branch(on affine, n int64, in, out *tree) *tree {
	return &tree{on: on, n: n, in: in, out: out, leaves: in.leaves + out.leaves}
}

func (t *tree) at(index []int64) value.Value {
	for t.in != nil {
		if uint64(t.on.at(index)) < uint64(t.n) {
			t = t.in
		} else {
			t = t.out
		}
	}
	if t.from == nil {
		return t.value
	}
	return t.from.at(t.on.at(index))
}

// compose returns the tree over indices within dims that finds at index what t finds at by(index).
// Branches that no such index takes are left out.
func (t *tree) compose(by []affine, dims []int64) *tree {
	if t.in == nil {
		if t.from == nil {
			return t
		}
		return leaf(t.from, t.on.compose(by))
	}
	on := t.on.compose(by)
	switch least, greatest := on.bounds(dims); {
	case least >= 0 && greatest < t.n:
		return t.in.compose(by, dims)
	case greatest < 0 || least >= t.n:
		return t.out.compose(by, dims)
	}
	return branch(on, t.n, t.in.compose(by, dims), t.out.compose(by, dims))
}

// each calls f for the tree and its subtrees.
func (t *tree) each(f func(*tree)) {
	f(t)
	if t.in != nil {
		t.in.each(f)
		t.out.each(f)
	}
}

// maxLeaves is the size from which on a tree is hidden behind elements instead of being copied further.
const maxLeaves = 16

// viewOf returns all of from, whose dims are given.
func viewOf(from elements, dims []int64) view { return view{dims, leaf(from, rowMajor(dims, 0))} }

// noElements returns the view of dims one of which is 0.
func noElements(dims []int64) view {
	return view{dims, constant(value.NoValue(errors.New("an element of a tensor without elements")))}
}

// small returns v behind a tree that is cheap to copy.
func (v view) small() view {
	if v.tree.leaves > maxLeaves {
		return viewOf(newFlattened(v), v.dims)
	}
	return v
}

// move returns the view of dims whose element at index is that of v at by(index).
func (v view) move(dims []int64, by []affine) view {
	if volume(dims) == 0 {
		return noElements(dims)
	}
	for i, e := range by {
		for _, t := range e.terms {
			if dims[t.axis] == 1 {
				by[i] = e.without(func(axis int) bool { return dims[axis] == 1 })
				break
			}
		}
	}
	return view{dims, v.small().tree.compose(by, dims)}
}

// pad returns v with elements before and after along an axis, all of them value.
func (v view) pad(axis int, before, after int64, value value.Value) view {
	dims := slices.Clone(v.dims)
	dims[axis] += before + after
	by := identity(len(dims))
	by[axis] = axisOf(axis).plus(affine{base: 1}, -before)
	if volume(dims) == 0 {
		return noElements(dims)
	}
	on := by[axis]
	inner := v.move(dims, by)
	if before == 0 && after == 0 {
		return inner
	}
	return view{dims, branch(on, v.dims[axis], inner.tree, constant(value))}
}

// concatenate joins parts, of which there is at least one, along an axis.
func concatenate(axis int, parts []view) view {
	if len(parts) == 1 {
		return parts[0]
	}
	left, right := concatenate(axis, parts[:len(parts)/2]), concatenate(axis, parts[len(parts)/2:])
	dims := slices.Clone(left.dims)
	dims[axis] += right.dims[axis]
	by := identity(len(dims))
	by[axis] = axisOf(axis).plus(affine{base: 1}, -left.dims[axis])
	if volume(dims) == 0 {
		return noElements(dims)
	}
	return view{dims, branch(axisOf(axis), left.dims[axis], left.small().tree, right.move(dims, by).tree)}
}

// stack joins parts along a new axis.
func stack(axis int, parts []view) view {
	for i, p := range parts {
		parts[i] = p.insertAxis(axis)
	}
	return concatenate(axis, parts)
}

// insertAxis inserts an axis of one element.
func (v view) insertAxis(axis int) view {
	by := identity(len(v.dims) + 1)
	return v.move(slices.Insert(slices.Clone(v.dims), axis, 1), slices.Delete(by, axis, axis+1))
}

// fix returns v at one place of an axis, which is removed.
func (v view) fix(axis int, at int64) view {
	by := slices.Insert(identity(len(v.dims)-1), axis, affine{base: at})
	return v.move(slices.Delete(slices.Clone(v.dims), axis, axis+1), by)
}

// transpose returns the view whose axis i is axis order[i] of v.
func (v view) transpose(order []int64) view {
	dims, by := make([]int64, len(order)), make([]affine, len(order))
	for i, from := range order {
		dims[i] = v.dims[from]
		by[from] = axisOf(i)
	}
	return v.move(dims, by)
}

// last returns v with an axis moved to the end.
func (v view) last(axis int) view {
	order := make([]int64, 0, len(v.dims))
	for i := range v.dims {
		if i != axis {
			order = append(order, int64(i))
		}
	}
	return v.transpose(append(order, int64(axis)))
}

// slice returns v from lo on, n long, along an axis.
func (v view) slice(axis int, lo, n int64) view {
	dims := slices.Clone(v.dims)
	dims[axis] = n
	by := identity(len(dims))
	by[axis] = by[axis].plus(affine{base: 1}, lo)
	return v.move(dims, by)
}

// along returns v, whose axes are those of dims that axes lists, repeated along the other axes of dims. An
// axis of v of one element is repeated too.
func (v view) along(dims []int64, axes ...int) view {
	by := make([]affine, len(axes))
	for i, axis := range axes {
		if v.dims[i] != 1 {
			by[i] = axisOf(axis)
		}
	}
	return v.move(dims, by)
}

// broadcast returns v repeated to dims, the last axes of both being matched.
func (v view) broadcast(dims []int64) view {
	axes := make([]int, len(v.dims))
	for i := range axes {
		axes[i] = len(dims) - len(v.dims) + i
	}
	return v.along(dims, axes...)
}

// identity returns the map that moves nothing.
func identity(rank int) []affine {
	by := make([]affine, rank)
	for i := range by {
		by[i] = axisOf(i)
	}
	return by
}

// flat tells whether v is all of its elements in row-major order.
func (v view) flat() (elements, bool) {
	if v.tree.from == nil || !v.tree.on.equal(rowMajor(v.dims, 0)) {
		return nil, false
	}
	return v.tree.from, true
}

// flattened reads a view by row-major offset.
type flattened struct {
	view
	index []int64
}

func newFlattened(v view) *flattened { return &flattened{view: v, index: make([]int64, len(v.dims))} }

func (f *flattened) at(offset int64) value.Value {
	unflatten(offset, f.dims, f.index)
	return f.tree.at(f.index)
}

// reshape returns v with other dims and as many elements, in row-major order. Where the two lists of dims
// fall into groups of equal products, an old axis that is alone in its group is an affine function of the
// new ones, and so are several that everything in the tree depends on through their offset only.
func (v view) reshape(dims []int64) view {
	if slices.Equal(v.dims, dims) {
		return v
	}
	if volume(dims) == 0 {
		return noElements(dims)
	}
	by := make([]affine, len(v.dims))
	for i, j := 0, 0; i < len(v.dims) || j < len(dims); {
		firstOld, firstNew := i, j
		old, fresh := int64(1), int64(1)
		for i < len(v.dims) || j < len(dims) {
			if i < len(v.dims) && (old <= fresh || j == len(dims)) {
				old *= v.dims[i]
				i++
			} else {
				fresh *= dims[j]
				j++
			}
			if old == fresh {
				break
			}
		}
		offset := rowMajor(dims[firstNew:j], firstNew)
		last := -1 // the innermost old axis of more than one element
		for axis := i - 1; axis >= firstOld; axis-- {
			switch {
			case v.dims[axis] == 1:
			case last < 0:
				last = axis
				by[axis] = offset
			case !v.tree.joins(axis, last, v.dims):
				return viewOf(newFlattened(v), v.dims).reshape(dims)
			}
		}
	}
	return v.move(dims, by)
}

// joins tells whether the tree depends on two axes, inner being the next one of more than one element,
// through outer*(elements from there to inner) + inner alone.
func (t *tree) joins(outer, inner int, dims []int64) bool {
	ok := true
	stride := volume(dims[outer+1 : inner+1])
	t.each(func(t *tree) {
		if t.on.coefficient(outer) != stride*t.on.coefficient(inner) {
			ok = false
		}
	})
	return ok
}

// A cursor reads a view at the indices of a loop, updating what the tree looks at instead of computing it
// anew.
type cursor struct {
	nodes []cursorNode // of the tree, the root first
	on    []affine     // the different affines of the tree
	at    []int64      // their values
	steps [][]cursorStep
}

type cursorNode struct {
	n       int64
	in, out int32 // nodes; 0 is none
	on      int32
	from    elements
	value   value.Value
}

// A cursorStep is added to at[on] when an axis of the loop advances and those inside it restart.
type cursorStep struct {
	on int
	by int64
}

// newCursor returns a cursor over v, whose last axes are those of the loop.
func newCursor(v view, loop int) *cursor {
	c := &cursor{steps: make([][]cursorStep, loop)}
	c.add(v.tree)
	c.at = make([]int64, len(c.on))
	outer := len(v.dims) - loop
	for k := range c.steps {
		for on, e := range c.on {
			by := e.coefficient(outer + k)
			for inner := k + 1; inner < loop; inner++ {
				by -= e.coefficient(outer+inner) * (v.dims[outer+inner] - 1)
			}
			if by != 0 {
				c.steps[k] = append(c.steps[k], cursorStep{on, by})
			}
		}
	}
	for i, e := range c.on {
		// The loop starts at 0, so that only the outer axes count at the start.
		c.on[i] = e.without(func(axis int) bool { return axis >= outer })
	}
	return c
}

func (c *cursor) add(t *tree) int32 {
	id := len(c.nodes)
	on := slices.IndexFunc(c.on, t.on.equal)
	if on < 0 {
		on = len(c.on)
		c.on = append(c.on, t.on)
	}
	c.nodes = append(c.nodes, cursorNode{n: t.n, on: int32(on), from: t.from, value: t.value})
	if t.in != nil {
		in := c.add(t.in)
		out := c.add(t.out)
		c.nodes[id].in, c.nodes[id].out = in, out
	}
	return int32(id)
}

// start goes to the first element of the loop at an index of the outer axes.
func (c *cursor) start(index []int64) {
	for i := range c.on {
		c.at[i] = c.on[i].at(index)
	}
}

// read returns the element that the cursor is at.
func (c *cursor) read() value.Value {
	n := &c.nodes[0]
	for n.in != 0 {
		if uint64(c.at[n.on]) < uint64(n.n) {
			n = &c.nodes[n.in]
		} else {
			n = &c.nodes[n.out]
		}
	}
	if n.from == nil {
		return n.value
	}
	return n.from.at(c.at[n.on])
}

// A loop drives cursors over the last axes of their views in row-major order.
type loop struct {
	dims    []int64
	count   []int64
	cursors []*cursor
}

// newLoop returns a loop over the last axes of views, which agree in their dims.
func newLoop(axes int, views ...view) *loop {
	dims := views[0].dims
	l := &loop{dims: dims[len(dims)-axes:], count: make([]int64, axes)}
	for _, v := range views {
		l.cursors = append(l.cursors, newCursor(v, axes))
	}
	return l
}

// start goes to the first element at an index of the outer axes; false if there is none.
func (l *loop) start(index []int64) bool {
	for _, d := range l.dims {
		if d == 0 {
			return false
		}
	}
	clear(l.count)
	for _, c := range l.cursors {
		c.start(index)
	}
	return true
}

// next goes to the next element; false if there is none.
func (l *loop) next() bool {
	for k := len(l.dims) - 1; k >= 0; k-- {
		if l.count[k]++; l.count[k] < l.dims[k] {
			for _, c := range l.cursors {
				for _, s := range c.steps[k] {
					c.at[s.on] += s.by
				}
			}
			return true
		}
		l.count[k] = 0
	}
	return false
}
