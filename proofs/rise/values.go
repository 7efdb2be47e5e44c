package rise

import (
	"slices"

	"tv/proofs/algebra"
	"tv/proofs/procedures"
	"tv/semantics/domain"
)

// Short names of what every signature has.
type (
	expr    = algebra.Expr
	context = algebra.Context
	element = algebra.Scalar
)

// A value is what an expression stands for. One of its fields is there, by its type. Contexts come
// from where elements are asked for: so nothing is kept that holds in one place and not in another.
type value struct {
	scalar func(*context) *element
	place  func(*context) *expr   // of a natural
	holds  func(*context) []*expr // of a comparison of places: none of these is negative
	either *[3]*value             // of a natural: a comparison, what it is then, and else
	parts  *[2]*value
	at     func(*context, *expr) *value // of an array
	apply  func(*value) *value
}

// A lowering states the elements of a program in a case of the domain.
type lowering struct {
	*procedures.Elements
	t       *typed
	whole   *value // the result
	deep    int    // calls that are open
	work    int
	markers int // accumulators so far

	joinings map[*element]joining
	strands  map[*element]strand
	frees    map[*element]bool // functions of which nothing is known, of their arguments
}

// Bounds of the work that values take: of calls within each other, and of all calls.
const (
	maxDeep = 4000
	maxWork = 1 << 20
)

// deeper counts a call as open until the function that it returns is called.
func (l *lowering) deeper() func() {
	l.deep++
	l.work++
	if l.deep > maxDeep || l.work > maxWork {
		algebra.Fail(algebra.CodeLimit, "too many functions are applied")
	}
	return func() { l.deep-- }
}

// Elements implements algebra.Program.
func (t *typed) Elements(s *algebra.State, cuts map[int]string) algebra.Elements {
	l := &lowering{Elements: t.Typing.Elements(s, cuts), t: t, joinings: map[*element]joining{},
		strands: map[*element]strand{}, frees: map[*element]bool{}}
	l.places(s.B.Root, t.p.body, nil)
	if t.p.rule != nil && t.p.rule.with != nil {
		l.places(s.B.Root, t.p.rule.with, nil)
	}
	return l
}

// At implements algebra.Elements.
func (l *lowering) At(part int, path []int, c *context, at []*expr) *element {
	if part != l.t.Root() {
		return l.Elements.At(part, nil, c, at)
	}
	if l.whole == nil {
		e := l.inputs(l.t.p.scope)
		if r := l.t.p.rule; r != nil && r.equal != nil {
			e = &environment{r.equal, l.value(r.with, e), e}
		}
		l.whole = l.value(l.t.p.body, e)
	}
	v, t := l.whole, l.t.p.body.typ.find()
	for t.kind != scalar {
		if t.kind == array {
			v, t, at = v.at(c, at[0]), t.part(0), at[1:]
		} else {
			v, t, path = v.parts[path[0]], t.part(path[0]), path[1:]
		}
	}
	return v.scalar(c)
}

// Forget implements algebra.Elements.
func (l *lowering) Forget() {
	l.Elements.Forget()
	l.whole = nil
}

// inputs are the parameters as values.
func (l *lowering) inputs(s *scope) *environment {
	if s == nil {
		return nil
	}
	if s.param == 0 {
		return &environment{s.variable, l.symbol(s.variable), l.inputs(s.up)}
	}
	v := l.tensor(s.typ, nil, nil, func(c *context, _ []int, at []*expr, _ domain.Elem) *element {
		return l.Elements.At(s.param-1, nil, c, at)
	})
	return &environment{s.variable, v, l.inputs(s.up)}
}

// A reading states an element by the way to it: which components of pairs and places in arrays.
type reading func(c *context, path []int, at []*expr, elem domain.Elem) *element

// tensor is the value of type t whose elements read states, which is on the way to it.
func (l *lowering) tensor(t *typ, path []int, at []*expr, read reading) *value {
	switch t = t.find(); t.kind {
	case scalar:
		return l.scalar(func(c *context) *element { return read(c, path, at, t.elem) })
	case pair:
		var parts [2]*value
		for i := range parts {
			parts[i] = l.tensor(t.parts[i], append(slices.Clip(path), i), at, read)
		}
		return &value{parts: &parts}
	case array:
		return l.array(t.size, func(_ *context, i *expr) *value {
			return l.tensor(t.parts[0], path, append(slices.Clip(at), i), read)
		})
	}
	algebra.Fail(algebra.CodeUnsupported, "a tensor of what is no data")
	return nil
}

// scalar is one that is stated once for each context.
func (l *lowering) scalar(state func(*context) *element) *value {
	known := map[string]*element{}
	return &value{scalar: func(c *context) *element {
		key := string(l.Key(c, nil, 0))
		if known[key] == nil {
			done := l.deeper()
			known[key] = state(c)
			done()
		}
		return known[key]
	}}
}

// array is one of n parts, which are stated once for each place and context.
func (l *lowering) array(n size, part func(*context, *expr) *value) *value {
	known, single := map[string]*value{}, l.Place(n).Is(1)
	return &value{at: func(c *context, i *expr) *value {
		if single {
			i = l.B.Const(0)
		}
		key := string(l.Key(c, []*expr{i}, 0))
		if known[key] == nil {
			done := l.deeper()
			known[key] = part(c, i)
			done()
		}
		return known[key]
	}}
}

// A leaf is an element of a value, the one at the same place whatever value of a type is asked.
type leaf func(*context, *value) *element

// derived is the value of a type whose elements are made of the same elements of other values.
func (l *lowering) derived(t *typ, state func(*context, domain.Elem, leaf) *element) *value {
	return l.below(t, func(_ *context, v *value) *value { return v }, state)
}

// below is the part of such a value that part is of others.
func (l *lowering) below(t *typ, part func(*context, *value) *value,
	state func(*context, domain.Elem, leaf) *element) *value {
	switch t = t.find(); t.kind {
	case scalar:
		return l.scalar(func(c *context) *element {
			return state(c, t.elem, func(c *context, v *value) *element {
				return part(c, v).scalar(c)
			})
		})
	case pair:
		var parts [2]*value
		for i := range parts {
			parts[i] = l.below(t.parts[i], func(c *context, v *value) *value {
				return part(c, v).parts[i]
			}, state)
		}
		return &value{parts: &parts}
	case array:
		return l.array(t.size, func(_ *context, i *expr) *value {
			return l.below(t.parts[0], func(c *context, v *value) *value {
				return part(c, v).at(c, i)
			}, state)
		})
	}
	algebra.Fail(algebra.CodeUnsupported, "a choice of what is no data")
	return nil
}
