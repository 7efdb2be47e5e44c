package normal

import (
	"fmt"
	"math/big"
	"slices"

	"tv/semantics/index"
	"tv/semantics/term"
)

// maxRegions bounds the regions of the output that one comparison is cut into.
const maxRegions = 1024

// A Comparison is the outcome of comparing two arrays.
type Comparison struct {
	Equal bool
	Err   error           // why the engine gave up, or nil
	Left  []string        // what did not cancel: a few summands, "+ ..." of the first array, "- ..." of the second
	Where []string        // the region in which it did not, one condition each
	At    []int64         // of Enumerate: the element at which it did not
	Words bool            // whether integers were compared as machine words
	Apart *Instance       // values of elements for which the arrays differ, if the engine knows some
	Hints [][]*index.Expr // elements at which the arrays may differ: corners of the boxes that did not cancel
}

// Compare compares the elements of two arrays at every index of dims, which both have. It is sound: Equal
// means that all elements are equal under the engine's laws wherever they are defined.
func (e *Engine) Compare(ctx *index.Context, dims []*index.Expr, x, y term.Array) Comparison {
	return e.compare(ctx, dims, x, y, maxDigits)
}

// maxDigits bounds how often axes of the output are split into digits.
const maxDigits = 3

func (e *Engine) compare(ctx *index.Context, dims []*index.Expr, x, y term.Array, digits int) (c Comparison) {
	defer func() {
		if r := recover(); r != nil {
			s, ok := r.(stop)
			if !ok {
				panic(r)
			}
			c = Comparison{Err: s.err}
		}
	}()
	vars := e.axes(dims)
	regions := 0
	c = e.compareAt(ctx, vars, x, y, &regions)
	if c.Equal || c.Err != nil {
		return c
	}
	if digits > 0 {
		if axis, q := e.divided(ctx, vars, x, y); q != nil {
			dims, x, y := e.splitAxis(dims, x, y, axis, q)
			if d := e.compare(ctx, dims, x, y, digits-1); d.Equal {
				e.used |= UsedDigits
				return d
			}
		}
	}
	// sums over numbers written out: what was a sum on one side and spelt out on the other looks alike then
	written := NewEngine(e.ctx, e.b, e.laws, min(e.budget, writtenBudget))
	written.unroll = true
	defer func() {
		e.used |= written.used
		e.budget -= writtenBudget
	}()
	if w := written.tryCompare(ctx, vars, x, y); w.Equal {
		return w
	}
	if w := e.compareStrided(ctx, vars, x, y); w.Equal {
		return w
	}
	return c
}

// maxStride bounds the number of parts that a sum over a named number of places is taken in.
const maxStride = 4

// compareStrided compares with sums and maxima over n·N places taken as n over N, which strides apart are: what one side
// reads in order may be the even places and then the odd ones on the other.
func (e *Engine) compareStrided(ctx *index.Context, vars []*index.Atom, x, y term.Array) (c Comparison) {
	at := e.indexAt(ctx, vars)
	for n := int64(2); n <= maxStride; n++ {
		seen := map[*term.Term]bool{}
		if !e.strided(x.Element(ctx, at), n, seen) && !e.strided(y.Element(ctx, at), n, seen) {
			continue
		}
		parts := NewEngine(e.ctx, e.b, e.laws, min(e.budget, writtenBudget))
		parts.stride = n
		c = parts.tryCompare(ctx, vars, x, y)
		e.budget -= writtenBudget
		e.used |= parts.used
		if c.Equal {
			return c
		}
	}
	return c
}

// strided reports whether t has a fold over a named number of places that n divides, or over as many as something is when it
// is divided by n.
func (e *Engine) strided(t *term.Term, n int64, seen map[*term.Term]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	for _, v := range t.Vars {
		if t.Op != term.Reduce {
			continue
		}
		divided := e.parts(v, n) != nil || e.partly(v, n)
		eachFloor(v.Hi, func(a *index.Atom) {
			d, ok := a.Den.Const()
			divided = divided || ok && d.Cmp(index.Int(n)) == 0
		})
		if divided {
			return true
		}
	}
	return slices.ContainsFunc(t.Args, func(a *term.Term) bool { return e.strided(a, n, seen) })
}

// inParts returns what is folded at each remainder of the places that the stride divides, and the variables that are left.
func (e *Engine) inParts(ctx *index.Context, body sum, vars []*index.Atom) (bodies []sum, left []*index.Atom) {
	bodies = []sum{body}
	for _, v := range vars {
		part := e.parts(v, e.stride)
		if part == nil {
			left = append(left, v)
			continue
		}
		w := e.b.NewVar(v.Name, e.b.Const(0), part)
		left = append(left, w)
		from := e.b.Add(v.Lo, e.b.Scale(index.Int(e.stride), w.Expr()))
		var next []sum
		for _, b := range bodies {
			for r := range e.stride {
				e.spend(1 + len(b))
				next = append(next, e.substSum(ctx, b, map[*index.Atom]*index.Expr{v: e.b.AddInt(from, r)}))
			}
		}
		bodies = next
	}
	return bodies, left
}

// sumsInParts takes the sums in x apart as inParts does: what is left of a sum over any number of places may be one over a
// number that the stride divides.
func (e *Engine) sumsInParts(ctx *index.Context, x sum) sum {
	if e.stride < 2 {
		return x
	}
	var out sum
	for _, s := range x {
		inner := *s
		inner.vars = nil
		bodies, vars := e.inParts(ctx, sum{&inner}, s.vars)
		out = append(out, summed(bodies, vars)...)
	}
	return out
}

// partly reports whether n divides the places of v but for a number of them, which may stand apart on one side.
func (e *Engine) partly(v *index.Atom, n int64) bool {
	extent := e.b.Sub(v.Hi, v.Lo)
	if _, number := extent.Const(); number {
		return false
	}
	for more := int64(1); more < n; more++ {
		if _, ok := e.b.ExactDiv(e.b.AddInt(extent, -more), e.b.Const(n)); ok {
			return true
		}
	}
	return false
}

// parts returns the places of v divided by n, if they are a named number that n divides.
func (e *Engine) parts(v *index.Atom, n int64) *index.Expr {
	extent := e.b.Sub(v.Hi, v.Lo)
	if _, number := extent.Const(); number {
		return nil
	}
	if part, ok := e.b.ExactDiv(extent, e.b.Const(n)); ok {
		return part
	}
	return nil
}

// divided returns an axis of the output whose index is divided by a number that divides its size, and the number.
func (e *Engine) divided(ctx *index.Context, vars []*index.Atom, x, y term.Array) (axis int, q *index.Expr) {
	at := e.indexAt(ctx, vars)
	look := func(d *index.Atom) {
		for i, v := range vars {
			if q != nil || d.Num != v.Expr() || !onlySizes(d.Den) {
				continue
			}
			if _, ok := e.b.ExactDiv(v.Hi, d.Den); ok && d.Den != v.Hi {
				axis, q = i, d.Den
			}
		}
	}
	for _, sum := range []sum{e.normal(ctx, x.Element(ctx, at)), e.normal(ctx, y.Element(ctx, at))} {
		for _, s := range sum {
			s.eachOffset(func(_ int, x *index.Expr) { eachFloor(x, look) })
			for _, g := range s.guards {
				eachFloor(g, look)
			}
		}
	}
	return axis, q
}

// splitAxis returns the arrays with one axis as two: its index divided by q, and the rest.
func (e *Engine) splitAxis(dims []*index.Expr, x, y term.Array, axis int, q *index.Expr) ([]*index.Expr, term.Array, term.Array) {
	high, _ := e.b.ExactDiv(dims[axis], q)
	split := slices.Concat(dims[:axis], []*index.Expr{high, q}, dims[axis+1:])
	with := func(a term.Array) term.Array {
		element := a.Element
		a.Dims = split
		a.Element = func(ctx *index.Context, at []*index.Expr) *term.Term {
			i := e.b.Add(e.b.Mul(q, at[axis]), at[axis+1])
			return element(ctx, slices.Concat(at[:axis], []*index.Expr{i}, at[axis+2:]))
		}
		return a
	}
	return split, with(x), with(y)
}

// axes returns the variables that stand for the index of an output of the given dims; the same ones each time, so
// that terms are built once.
func (e *Engine) axes(dims []*index.Expr) []*index.Atom {
	if len(e.output) == len(dims) {
		same := true
		for i, d := range dims {
			same = same && e.output[i].Hi == d
		}
		if same {
			return e.output
		}
	}
	e.output = make([]*index.Atom, len(dims))
	for i, d := range dims {
		e.output[i] = e.b.NewVar(fmt.Sprintf("i%d", i), e.b.Const(0), d)
	}
	return e.output
}

// writtenBudget bounds the work of comparing with sums written out.
const writtenBudget = 200_000

func (e *Engine) tryCompare(ctx *index.Context, vars []*index.Atom, x, y term.Array) (c Comparison) {
	defer func() {
		if r := recover(); r != nil {
			s, ok := r.(stop)
			if !ok {
				panic(r)
			}
			c = Comparison{Err: s.err}
		}
	}()
	regions := 0
	return e.compareAt(ctx, vars, x, y, &regions)
}

func (e *Engine) compareAt(ctx *index.Context, vars []*index.Atom, x, y term.Array, regions *int) Comparison {
	at := e.indexAt(ctx, vars)
	p, q := e.normal(ctx, x.Element(ctx, at)), e.normal(ctx, y.Element(ctx, at))
	minus := big.NewRat(-1, 1)
	d := append(sum(nil), p...)
	for _, s := range q {
		t := *s
		t.coef = new(big.Rat).Mul(minus, s.coef)
		d = append(d, &t)
	}
	diff := e.closeSum(ctx, d)
	if len(diff.parts) > 0 { // a box of which others have left one place is no sum, and one may have parts now
		diff = e.closeSum(ctx, e.sumsInParts(ctx, e.open(diff)))
	}
	modulus := e.laws.Modulus
	if wraps(x.Sort) && len(diff.parts) > 0 { // what is compared has so many bits
		modulus = new(big.Int).Lsh(one.Num(), uint(x.Sort.Width))
		diff = e.closeSum(ctx, modulo(e.open(diff), modulus))
	}
	real := e.real(e.scope(x.Sort))
	if len(diff.parts) == 0 || real && e.clear(ctx, diff) {
		return Comparison{Equal: true}
	}
	if real {
		if d, changed := e.byPositiveParts(ctx, diff); changed && len(d.parts) == 0 {
			return Comparison{Equal: true}
		}
	}
	if real && e.choice(diff) != nil && e.withoutConditions(diff) && e.orders(ctx, diff) {
		e.used |= UsedOrder
		return Comparison{Equal: true}
	}
	if e.b.Empty(ctx) {
		return Comparison{Equal: true}
	}
	if e.cancels(ctx, diff, modulus) {
		e.used |= UsedCuts
		return Comparison{Equal: true}
	}
	if cut := e.cut(ctx, diff); cut != nil && *regions+len(diff.parts)/2 < maxRegions {
		*regions++
		e.cuts++
		e.used |= UsedCuts
		not := e.b.AddInt(e.b.Scale(index.Int(-1), cut), -1)
		c := e.compareAt(e.b.Assume(ctx, cut), vars, x, y, regions)
		if !c.Equal {
			return c
		}
		d := e.compareAt(e.b.Assume(ctx, not), vars, x, y, regions)
		d.Words = d.Words || c.Words
		return d
	}
	c := Comparison{}
	if e.Words {
		if c.Equal, c.Apart = e.byWords(ctx, at, x.Element(ctx, at), y.Element(ctx, at)); c.Equal {
			return Comparison{Equal: true, Words: true}
		}
		e.Words = false // once it is tried in vain other forms are compared without
	}
	for i, pt := range diff.parts {
		if i == 6 {
			c.Left = append(c.Left, fmt.Sprintf("... and %d more", len(diff.parts)-i))
			break
		}
		c.Left = append(c.Left, printed(maxLeft, func(p *printer) { p.part(pt, false) }))
	}
	c.Hints = e.hints(ctx, vars, diff)
	for _, v := range vars {
		lo, hi := ctx.Bounds(v)
		if lo != v.Lo || hi != v.Hi {
			c.Where = append(c.Where, fmt.Sprintf("%s <= %s < %s", lo, v.Name, hi))
		}
	}
	return c
}

// modulo returns x with coefficients modulo a number.
func modulo(x sum, all *big.Int) (out sum) {
	for _, s := range x {
		if s.coef.IsInt() {
			n := new(big.Int).Mod(s.coef.Num(), all)
			if n.Sign() == 0 {
				continue
			}
			t := *s
			t.coef = new(big.Rat).SetInt(n)
			s = &t
		}
		out = append(out, s)
	}
	return out
}

// withoutConditions: nothing in p depends on where in the region the output's index is.
func (e *Engine) withoutConditions(p *Poly) bool {
	for _, pt := range p.parts {
		if pt.steps.segs != nil && pt.steps.dim.v != nil {
			return false
		}
		for _, g := range pt.body.guards {
			if onFreeVariables(g) {
				return false
			}
		}
	}
	return true
}

// clear multiplies out the inverses that no law took apart and reports whether nothing is left: p·inv(q) = r
// where p = r·q, for every q whose inverse is surely taken.
func (e *Engine) clear(ctx *index.Context, diff *Poly) bool {
	d := e.open(diff)
	for range 8 {
		a := e.inverse(d)
		if a == nil {
			return false
		}
		most := 0
		for _, s := range d {
			for _, f := range s.factors {
				if f.atom == a {
					most = max(most, -f.exp)
				}
			}
		}
		by := e.open(a.polys[0])
		var next sum
		for _, s := range d {
			left := most
			t := *s
			t.factors = nil
			for _, f := range s.factors {
				if f.atom == a {
					left += f.exp
				} else {
					t.factors = append(t.factors, f)
				}
			}
			x := sum{&t}
			for range left {
				x = e.mul(ctx, x, by)
			}
			next = append(next, x...)
		}
		p := e.closeSum(ctx, next)
		if len(p.parts) == 0 {
			e.used |= UsedField
			return true
		}
		d = e.open(p)
	}
	return false
}

// inverse returns an atom of which some summand, without conditions and free of bound variables in the atom,
// holds an inverse: its base is not 0 wherever the programs are defined.
func (e *Engine) inverse(d sum) *Atom {
	for _, s := range d {
		if len(s.guards) > 0 || !e.somewhere(s.vars) {
			continue
		}
		for _, f := range s.factors {
			if f.atom.kind == powerAtom && f.exp < 0 && !mentionsAtom(f.atom, s.vars) && !e.inverseBound(d, f.atom) {
				return f.atom
			}
		}
	}
	return nil
}

func mentionsAtom(a *Atom, vars []*index.Atom) bool {
	for _, v := range vars {
		if a.mentions(v) {
			return true
		}
	}
	return false
}

// inverseBound reports whether a occurs where its free variables are bound by a summand.
func (e *Engine) inverseBound(d sum, a *Atom) bool {
	for _, s := range d {
		if mentionsAtom(a, s.vars) {
			return true
		}
	}
	return false
}

// cut proposes a condition e >= 0 on the output's index, open at ctx, that decides a condition left in p.
func (e *Engine) cut(ctx *index.Context, p *Poly) *index.Expr {
	seen := map[*Poly]bool{}
	if c := e.cutIn(ctx, p, seen); c != nil {
		return c
	}
	for i := range p.parts {
		pt := p.parts[(i+first(len(p.parts)))%len(p.parts)]
		for s := pt.steps; s != nil && s.dim.v != nil && len(s.segs) > 0; s = s.segs[0].to {
			for _, g := range s.segs {
				for _, c := range []*index.Expr{
					e.b.Sub(s.dim.v.Expr(), g.lo), e.b.AddInt(e.b.Sub(g.hi, s.dim.v.Expr()), -1)} {
					if e.b.Decide(ctx, c) == index.Open {
						return c
					}
				}
			}
		}
	}
	return nil
}

// manyParts is how many parts are cut off one after the other: of more, those in the middle come first, as what is left is
// computed anew in each region.
const manyParts = 16

// first returns the number of the part, of so many, that is looked at first.
func first(parts int) int {
	if parts > manyParts {
		return parts / 2
	}
	return 0
}

// cutIn proposes one from the conditions in p, those inside atoms too; what has been looked at has none.
func (e *Engine) cutIn(ctx *index.Context, p *Poly, seen map[*Poly]bool) *index.Expr {
	if seen[p] {
		return nil
	}
	seen[p] = true
	for _, pt := range p.parts {
		if c := e.cutBody(ctx, pt, seen); c != nil {
			return c
		}
	}
	return nil
}

func (e *Engine) cutBody(ctx *index.Context, pt part, seen map[*Poly]bool) *index.Expr {
	for _, g := range pt.body.guards {
		least, most := g, g
		bs := boxes(pt.steps)
		if len(bs) == 0 {
			continue
		}
		for _, r := range bs[0].ranges {
			if r.dim.v != nil {
				continue
			}
			slot := e.b.Slot(r.dim.slot)
			c, _, ok := e.b.Linear(g, slot)
			if !ok || c.IsZero() {
				continue
			}
			lo, hi := r.lo, e.b.AddInt(r.hi, -1)
			if !e.b.Nonneg(ctx, c) {
				lo, hi = hi, lo
			}
			least = e.b.Subst(ctx, least, map[*index.Atom]*index.Expr{slot: lo})
			most = e.b.Subst(ctx, most, map[*index.Atom]*index.Expr{slot: hi})
		}
		for _, x := range []*index.Expr{least, most} {
			if onFreeVariables(x) && e.b.Decide(ctx, x) == index.Open {
				return x
			}
		}
	}
	for _, f := range pt.body.factors {
		for _, q := range f.atom.polys {
			if c := e.cutIn(ctx, q, seen); c != nil {
				return c
			}
		}
	}
	return nil
}

// onFreeVariables: some variable, no slots.
func onFreeVariables(x *index.Expr) bool {
	some := false
	for _, a := range x.Free() {
		if a.Kind == index.Slot {
			return false
		}
		some = some || a.Kind == index.Var
	}
	return some
}

// maxHints bounds the elements that a comparison names.
const maxHints = 16

// hints lists the first and last corners of the boxes over the output that p's steps have at ctx.
func (e *Engine) hints(ctx *index.Context, vars []*index.Atom, p *Poly) [][]*index.Expr {
	var out [][]*index.Expr
	for _, pt := range p.parts {
		for _, b := range boxes(pt.steps) {
			if len(out) >= maxHints {
				return out
			}
			first, last := make([]*index.Expr, len(vars)), make([]*index.Expr, len(vars))
			for i, v := range vars {
				lo, hi := ctx.Bounds(v)
				for _, r := range b.ranges {
					if r.dim.v == v {
						lo, hi = r.lo, r.hi
					}
				}
				first[i], last[i] = lo, e.b.AddInt(hi, -1)
			}
			out = append(out, first, last)
		}
	}
	return out
}

// Describe returns t in normal form.
func (e *Engine) Describe(ctx *index.Context, t *term.Term) (form string, err error) {
	defer func() {
		if r := recover(); r != nil {
			s, ok := r.(stop)
			if !ok {
				panic(r)
			}
			err = s.err
		}
	}()
	closed := e.closeSum(ctx, e.normal(ctx, t))
	return printed(0, func(p *printer) { p.poly(closed) }), nil
}
