package programs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"tv/glenside"
	"tv/internal/mix"
	"tv/semantics/domain"
)

// A corner is a pair about sizes that programs seldom have: dims of 0, names that may be 0, operands that agree
// at some sizes only, and conditions that leave one number for a name, or none in some cases of the domain. Both
// sides write one program, in other words. Nothing is said of what these mean: no answer may be a fault, and none
// that the evaluator tells apart may be proved.
type corner struct{ grower }

// cornerTries bounds the draws for one pair.
const cornerTries = 60

// Corner returns a pair at the corners, nil where no draw gives one. Equal seeds give equal pairs.
func Corner(seed uint64) (before, after *Program) {
	for range cornerTries {
		seed = mix.Spread(seed)
		c := &corner{grower{rng: rand.New(rand.NewPCG(seed, 0x636f726e6572)), named: true, corners: true}}
		c.exact, c.budget, c.max = c.n(2) == 0, c.n(4), []string{"M", "N", "K"}[:1+c.n(3)]
		if c.n(16) == 0 { // as deep as what is proved in stages
			c.budget = 14
		}
		if before, after = c.pair(); before == nil {
			continue
		}
		for _, p := range []*Program{before, after} {
			p.Exact, p.Named, p.Seed = c.exact, true, seed
		}
		return before, after
	}
	return nil, nil
}

// pair draws a pair; nil where it does not type, or where there is no question.
func (c *corner) pair() (before, after *Program) {
	elem := c.elemType()
	x := ""
	if c.n(3) > 0 {
		x = c.folded(elem)
	} else {
		x = c.root(elem)
	}
	for range c.n(2) {
		if t := c.typeOf(x); t != nil && t.Kind == glenside.TypeAccess {
			x = c.setting(x, t)
		}
	}
	texts := [2]string{x, x}
	for i := range texts {
		for range c.n(3) {
			if t := c.typeOf(texts[i]); t != nil && t.Kind == glenside.TypeAccess {
				texts[i] = c.reworded(texts[i], t)
			}
		}
	}
	assumes := c.assumes()
	before, errB := Typed("before", c.declared()+assumes+texts[0])
	after, errA := Typed("after", c.declared()+texts[1])
	if errB != nil || errA != nil || !small(before) || !small(after) || !c.inhabited(before) {
		return nil, nil
	}
	return before, after
}

// typeOf returns the type of an expression over the inputs so far, nil where it has none.
func (c *corner) typeOf(text string) *glenside.Type {
	p, err := Typed("corner", c.declared()+text)
	if err != nil {
		return nil
	}
	return p.Typing.Root()
}

// maxCorner bounds the elements of what a program computes where every name is 3: more cost the evaluator time.
const maxCorner = 2_000

func small(p *Program) bool {
	return !slices.ContainsFunc(p.Typing.Types, func(t *glenside.Type) bool {
		return t.Kind == glenside.TypeAccess && bulk(t.Dims) > maxCorner
	})
}

// inhabited tells whether the result of a program has an element at a small point of its domain.
func (c *corner) inhabited(p *Program) bool {
	typed := p.Typed()
	for range 60 {
		pt := domain.Point{}
		for name, least := range LeastSizes(p.Parsed.Inputs, c.max) {
			pt[name] = least + c.rng.Int64N(4)
		}
		if Holds(typed, pt) && hasElement(p.Typing.Root(), pt) {
			return true
		}
	}
	return false
}

// hasElement tells whether a result has an element at a point.
func hasElement(t *glenside.Type, pt domain.Point) bool {
	if t.Kind == glenside.TypeTuple {
		return slices.ContainsFunc(t.Items, func(i *glenside.Type) bool { return hasElement(i, pt) })
	}
	return !slices.ContainsFunc(t.Dims, func(d domain.Size) bool {
		n, err := d.Eval(pt)
		return err != nil || n.Sign() <= 0
	})
}

// name draws a name of a size.
func (g *grower) name() domain.Size { return domain.NamedSize(g.max[g.n(len(g.max))]) }

// cornerSize draws a size: a small number, 0 among them, a name, or what is computed of names.
func (g *grower) cornerSize() domain.Size {
	switch g.n(16) {
	case 0, 1, 2:
		return size(g.n(3))
	case 3:
		return g.name().Sub(size(1))
	case 4:
		return g.name().Sub(g.name())
	case 5:
		return g.name().Div(size(2))
	case 6:
		return g.name().Mod(size(2))
	case 7:
		return g.name().Mul(g.name())
	case 8:
		return g.name().Max(g.name())
	case 9:
		return g.name().Min(g.name())
	case 10:
		return g.name().Add(g.name())
	case 11:
		return g.name().Mul(size(2))
	}
	return g.name()
}

// some draws sizes.
func (c *corner) some(n int) []domain.Size {
	out := make([]domain.Size, n)
	for i := range out {
		out[i] = c.cornerSize()
	}
	return out
}

// odd returns dims of which one may be another size.
func (c *corner) odd(dims []domain.Size) []domain.Size {
	dims = slices.Clone(dims)
	if len(dims) > 0 {
		switch i := c.n(len(dims)); c.n(4) {
		case 0:
			dims[i] = size(1)
		case 1, 2:
			dims[i] = c.cornerSize()
		}
	}
	return dims
}

// assumes draws conditions.
func (c *corner) assumes() string {
	var s strings.Builder
	for range c.n(4) {
		text := c.condition(2)
		if c.n(2) == 0 {
			text = c.nought()
		}
		fmt.Fprintf(&s, "(assume %s)\n", text)
	}
	return s.String()
}

func (c *corner) condition(depth int) string {
	if depth > 0 {
		switch c.n(8) {
		case 0:
			return call("not", c.condition(depth-1))
		case 1:
			return call("or", c.condition(depth-1), c.condition(depth-1))
		case 2:
			return call("and", c.condition(depth-1), c.condition(depth-1))
		}
	}
	return call(c.word("=", "=", "<", "<=", "divides"), c.cornerSize(), c.cornerSize())
}

// nought draws a condition under which a size is 0, or is it in one case.
func (c *corner) nought() string {
	a, b, k := c.name(), c.cornerSize(), size(2+c.n(3))
	switch c.n(8) {
	case 0:
		return call("=", a, a.Mul(k))
	case 1:
		return call("<=", a.Mul(k), a)
	case 2:
		return call("<=", a.Add(b), b)
	case 3:
		return call("=", a.Mul(b), 0)
	case 4:
		return call("or", call("=", a, 0), call("=", a, b))
	case 5:
		return call("or", call("=", a, a.Mul(k)), call("=", a, b))
	case 6:
		return call("<", a, 1)
	}
	return call("=", a.Mul(k), b)
}

func (g *grower) word(words ...string) string { return words[g.n(len(words))] }

// folded writes an operator that folds over an axis, or several, which may be without places.
func (c *corner) folded(elem domain.Elem) string {
	in := func(rank int) string {
		dims := make([]domain.Size, rank)
		for i := range dims {
			if dims[i] = c.name(); c.n(3) == 0 { // names are declared to be 0 or more
				dims[i] = size(c.n(4))
			}
		}
		return c.grow(want{dims, elem}).text
	}
	axis := fmt.Sprint(c.n(2))
	switch c.n(12) {
	case 0, 1, 2, 3:
		op := c.word("dot-product", "reduce-sum", "reduce-max", "reduce-mean", "softmax")
		return compute(op, call("access", in(2), c.n(3)))
	case 4:
		return compute(c.word("elementwise-add", "elementwise-mul", "elementwise-div"), call("access", in(2), c.n(2)))
	case 5:
		return relay("relay-mean", in(2), axis)
	case 6:
		return relay(c.word("relay-softmax", "relay-log-softmax"), in(2), axis)
	case 7:
		return relay("relay-dense", in(2), in(2))
	case 8:
		return relay("relay-batch-matmul", in(3), in(3))
	case 9:
		return relay("relay-conv1d", in(3), in(3), shapeText(c.some(1)...), shapeText(c.some(2)...))
	case 10:
		return relay(c.word("relay-max-pool2d", "relay-avg-pool2d"), in(4), shapeText(c.some(2)...),
			shapeText(c.some(2)...), shapeText(c.some(4)...), c.layout())
	}
	return relay("relay-global-avg-pool2d", in(4), c.layout())
}

// setting writes an operator around x whose other operands agree with it at some sizes only.
func (c *corner) setting(x string, t *glenside.Type) string {
	r := len(t.Dims)
	leaf := func(dims ...domain.Size) string { return c.leaf(want{dims, t.Elem}).text }
	shape := func(dims []domain.Size) string {
		return call("access-shape", shapeText(dims[:t.Split]...), shapeText(dims[t.Split:]...))
	}
	if r == 0 {
		return relay("relay-add", x, leaf(c.some(1)...))
	}
	axis, dims := c.n(r), c.odd(t.Dims)
	switch c.n(12) {
	case 0:
		op := c.word("relay-add", "relay-multiply", "relay-divide", "relay-maximum", "relay-minimum")
		return relay(op, x, leaf(dims...))
	case 1:
		return call("access-broadcast", x, shape(dims))
	case 2:
		return call("access-slice", x, axis, c.cornerSize(), c.cornerSize())
	case 3:
		return call("access-pad", x, c.word("zero-padding", "min-padding"), axis, c.cornerSize(), c.cornerSize())
	case 4:
		c.rng.Shuffle(r, func(i, j int) { dims[i], dims[j] = dims[j], dims[i] })
		return call("access-reshape", x, shape(dims))
	case 5:
		dims[axis] = c.cornerSize()
		return call("access-concatenate", x, call("access", leaf(dims...), t.Split), axis)
	case 6:
		n := r - t.Split
		return call("access-windows", x, shapeText(c.some(n)...), shapeText(c.some(n)...))
	case 7:
		cuts := "(list" + sizesText(c.some(1+c.n(2))) + ")"
		return call("tuple-get-item", relay("relay-split", x, cuts, fmt.Sprint(axis)), 1)
	case 8:
		return compute(c.word("reduce-sum", "reduce-max", "reduce-mean", "dot-product"), call("access", x, c.n(r+1)))
	case 9:
		return relay("relay-mean", x, fmt.Sprint(axis))
	case 10:
		return compute(c.word("elementwise-add", "elementwise-mul", "elementwise-div"), call("access", x, axis))
	}
	flat := call("access-reshape", x, call("access-shape", shapeText(c.some(2)...), "(shape)"))
	return relay("relay-dense", flat, leaf(c.some(2)...))
}

// reworded returns a program whose result is that of p in other words. Errors: it does not type.
func Reworded(p *Program, seed uint64) (*Program, error) {
	c := &corner{grower{rng: rand.New(rand.NewPCG(seed, 0x776f726473))}}
	text := c.reworded(glenside.FormatNode(p.Parsed.Root), p.Typing.Root())
	return Typed("after", Declarations(p.Parsed)+c.declared()+text)
}

// reworded writes x in other words, which mean the same in some arithmetics.
func (c *corner) reworded(x string, t *glenside.Type) string {
	r := len(t.Dims)
	switch c.n(12) {
	case 0:
		return c.word(compute("relu", x), relay("relay-relu", x), relay("relay-maximum", lit("0"), x),
			relay("relay-maximum", x, lit("0")), relay("relay-leaky-relu", x, "0"), relay("relay-clip", x, "0", "2"))
	case 1:
		return c.word(relay("relay-add", x, lit("0")), relay("relay-multiply", lit("1"), x), relay("relay-divide", x, lit("1")))
	case 2:
		return compute("negative", compute("negative", x))
	case 3:
		return compute("sqrt", relay("relay-multiply", x, x))
	case 4:
		return c.word(relay("relay-minimum", x, x), relay("relay-left-shift", x, "0"), relay("relay-round", x))
	case 5:
		return relay(c.word("relay-sigmoid", "relay-tanh", "relay-erf"), x)
	case 6:
		return relay("relay-cast", relay("relay-cast", x, c.elemType().String()), t.Elem.String())
	case 7: // over one place
		op := c.word("reduce-sum", "reduce-max", "reduce-mean", "elementwise-div", "dot-product")
		return compute(op, call("access", call("access-insert-axis", x, r), r))
	case 8:
		return call("access-squeeze", compute("softmax", call("access", call("access-insert-axis", x, r), r)), r)
	case 9:
		pair := call("access-pair", call("access", x, r), call("access", x, r))
		return compute(c.word("reduce-max", "reduce-mean", "elementwise-add", "elementwise-div"), pair)
	case 10:
		return reshape(call("access-flatten", x), t.Dims, t.Split)
	}
	return c.spread(x, t)
}

// spread writes x with nothing beside it on an axis.
func (c *corner) spread(x string, t *glenside.Type) string {
	if len(t.Dims) == 0 {
		return x
	}
	axis := c.n(len(t.Dims))
	switch c.n(4) {
	case 0:
		return call("access-pad", x, "min-padding", axis, 0, 0)
	case 1:
		dims := slices.Clone(t.Dims)
		dims[axis] = size(0)
		return call("access-concatenate", x, call("access", c.leaf(want{dims, t.Elem}).text, t.Split), axis)
	case 2:
		return call("access-slice", x, axis, 0, t.Dims[axis])
	}
	return relay(c.word("relay-softmax", "relay-log-softmax"), x, fmt.Sprint(axis))
}
