package tc

import (
	"slices"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/loops"
)

// maxWeight bounds an expression whose lets are replaced by what they stand for.
const maxWeight = 100000

// A tensor is an input or an output.
type tensor struct {
	buffer *loops.Buffer
	dims   []domain.Size
	input  bool
	known  bool // its type and its extents are: it is an input, or written before
	broken bool // the statement that would have said them is wrong
}

// A size is a name of an extent, or a scalar integer that steers subscripts, bounds or extents.
type size struct {
	elem domain.Elem // as an element
	span source.Span
}

// An index is one of a statement. It takes the values from lo to hi - 1.
type index struct {
	name
	left   bool    // of the left side; otherwise it is reduced
	range_ *clause // that says its values; nil: they are inferred
	solved bool
	lo, hi domain.Size
	rooms  []room     // that hi is the least of
	reach  interval   // of its values, in the domain
	loop   *loops.For // the innermost of its name that is around
}

// A room is an upper bound of an index: factor·index <= room, where the factor is above 0.
type room struct{ factor, room domain.Size }

// A scope has the names of a statement.
type scope struct {
	*elaborator
	stmt    *stmt
	indices map[string]*index
	order   []*index // of the left side, then those that are reduced in the order of occurrence
	lets    map[string]*let
	value   *expr   // with lets in place
	exists  []*expr // likewise
	target  *tensor
	again   bool             // the target was written before
	used    []*subscript     // by which ranges were inferred, and the others
	held    [][2]domain.Size // required of ranges: the first is at most the second
	fixed   map[string]bool  // conditions of ?: that are decided here: see choice
	dry     bool             // what is made is left out
}

// A let is a name for an expression.
type let struct {
	*clause
	value *expr // with lets in place, when it is there
	open  bool  // it is being made
}

// scope finds out what the names of a statement stand for.
func (e *elaborator) scope(s *stmt) *scope {
	c := &scope{elaborator: e, stmt: s, target: e.tensors[s.to.text], indices: map[string]*index{}, lets: map[string]*let{},
		fixed: map[string]bool{}}
	for _, n := range s.indices {
		c.fresh(n)
		c.indices[n.text] = &index{name: n, left: true}
	}
	for _, w := range s.where {
		if w.op == lets {
			c.fresh(w.name)
			c.lets[w.name.text] = &let{clause: w}
		}
	}
	c.value = c.resolve(s.value)
	for _, w := range s.where {
		switch w.op {
		case lets:
			c.letValue(c.lets[w.name.text])
		case exists:
			c.exists = append(c.exists, c.resolve(w.x))
		}
	}
	for _, n := range s.indices {
		c.order = append(c.order, c.indices[n.text])
	}
	c.value.visit(func(x *expr) {
		if x.op == opName && e.sizes[x.name] == nil && c.indices[x.name] == nil {
			c.indices[x.name] = &index{name: name{x.name, x.span}}
			c.order = append(c.order, c.indices[x.name])
		}
	})
	c.ranges()
	c.occurrences()
	return c
}

// fresh sees to it that a name is new.
func (c *scope) fresh(n name) {
	what := ""
	switch {
	case c.indices[n.text] != nil:
		what = "an index of the left side"
	case c.lets[n.text] != nil:
		what = "the name of an expression"
	case c.sizes[n.text] != nil:
		what = "a size"
	case c.tensors[n.text] != nil:
		what = "a tensor"
	default:
		return
	}
	fail(n.span, "redefined-name", "%s is %s already", n.text, what)
}

// ranges takes the clauses NAME in LO:HI.
func (c *scope) ranges() {
	for _, w := range c.stmt.where {
		if w.op != ranges {
			continue
		}
		i := c.indices[w.name.text]
		switch {
		case i == nil:
			if c.sizes[w.name.text] != nil || c.tensors[w.name.text] != nil || c.lets[w.name.text] != nil {
				c.fresh(w.name)
			}
			fail(w.name.span, "unbound-name", "%s is no index of this statement", w.name.text)
		case i.range_ != nil:
			fail(w.name.span, "redefined-name", "%s has a range already, at %s", i.text, i.range_.span.Position())
		}
		i.range_ = w
	}
}

// occurrences refuses indices that are not allowed where they are.
func (c *scope) occurrences() {
	for _, x := range c.exists {
		x.visit(func(y *expr) {
			if y.op == opName && c.sizes[y.name] == nil && c.indices[y.name] == nil {
				fail(y.span, "unbound-name", "%s is no size, and no index of what is computed", y.name)
			}
		})
	}
	inside := map[string]bool{} // names in subscripts
	for _, x := range append(slices.Clone(c.exists), c.value) {
		c.reads(x, func(_ *tensor, read *expr, axis int) {
			read.args[axis].visit(func(y *expr) { inside[y.name] = inside[y.name] || y.op == opName })
		})
	}
	for _, i := range c.order {
		switch {
		case i.left:
		case !inside[i.text] && i.range_ == nil:
			fail(i.span, "unbound-name", "%s is no size and no tensor, and no subscript says its range%s", i.text,
				suggest(i.text, c.readable()))
		case c.stmt.op == "=":
			fail(i.span, "free-index", "%s is no index of %s, and = does not reduce: write +=!, *=!, min=! or max=!", i.text,
				show(c.stmt.left))
		}
	}
}

// readable lists the names that may stand alone.
func (c *scope) readable() (names []string) {
	for n := range c.sizes {
		names = append(names, n)
	}
	for n, t := range c.tensors {
		if len(t.dims) == 0 {
			names = append(names, n)
		}
	}
	for n := range c.lets {
		names = append(names, n)
	}
	return names
}

// reads calls f for each subscript of a tensor in an expression, those in other subscripts included.
func (c *scope) reads(x *expr, f func(t *tensor, read *expr, axis int)) {
	x.visit(func(y *expr) {
		if t := c.tensors[y.name]; y.op == opApply && t != nil {
			for axis := range y.args {
				f(t, y, axis)
			}
		}
	})
}

// resolve returns an expression with lets in place, whose names are sizes, indices and reads of tensors of full rank.
func (c *scope) resolve(x *expr) *expr {
	switch x.op {
	case opName:
		switch t := c.tensors[x.name]; {
		case c.lets[x.name] != nil:
			return c.letValue(c.lets[x.name])
		case c.sizes[x.name] != nil || t == nil:
			return x
		}
		read := *x
		read.op = opApply
		c.rank(c.known(x), &read)
		return &read
	case opExtent:
		if t := c.known(x); x.axis >= len(t.dims) {
			fail(x.span, "bad-rank", "%s has %d extents, from %s.0 on", x.name, len(t.dims), x.name)
		}
		return x
	case opApply:
		if c.tensors[x.name] != nil {
			c.rank(c.known(x), x)
		} else {
			c.callable(x)
		}
	}
	out := *x
	out.args = nil
	for _, a := range x.args {
		out.args = append(out.args, c.resolve(a))
	}
	y := out.make()
	if y.weight > maxWeight {
		fail(x.span, "too-large", "an expression of more than %d operators and names, with names of lets replaced", maxWeight)
	}
	return y
}

// letValue returns what a name stands for.
func (c *scope) letValue(l *let) *expr {
	if l.value == nil {
		if l.open {
			fail(l.name.span, "unbound-name", "%s stands for what it occurs in", l.name.text)
		}
		l.open = true
		l.value = c.resolve(l.x)
	}
	return l.value
}

// known returns the tensor of a name, whose extents have to be known.
func (c *scope) known(x *expr) *tensor {
	t := c.tensors[x.name]
	switch {
	case t == nil:
		var names []string
		for n := range c.tensors {
			names = append(names, n)
		}
		fail(x.span, "unbound-name", "%s is no tensor%s", x.name, suggest(x.name, names))
	case t.broken:
		fail(x.span, "", "")
	case !t.known:
		fail(x.span, "unbound-name", "%s is read before it is written: its type and its extents are not known", x.name)
	}
	return t
}

func (c *scope) rank(t *tensor, x *expr) {
	if len(t.dims) != len(x.args) {
		fail(x.span, "bad-rank", "%s has %d extents, and %d subscripts here", x.name, len(t.dims), len(x.args))
	}
}

// callable sees to it that a function is known and has as many operands as it takes.
func (c *scope) callable(x *expr) {
	count, ok := functions[baseName(x.name)]
	if !ok {
		var names []string
		for n := range functions {
			names = append(names, n)
		}
		for n := range c.tensors {
			names = append(names, n)
		}
		fail(x.span, "unknown-call", "%s is no tensor and no function%s", x.name, suggest(x.name, names))
	}
	if len(x.args) != count {
		fail(x.span, "unknown-call", "%s takes %d operands, not %d", x.name, count, len(x.args))
	}
}

// steering marks the scalars of a statement that occur in subscripts and in bounds of ranges.
func (e *elaborator) steering(s *stmt, mark func(name string)) {
	byName := map[string]*clause{}
	for _, w := range s.where {
		if w.op == lets {
			byName[w.name.text] = w
		}
	}
	var all func(x *expr)
	all = func(x *expr) {
		x.visit(func(y *expr) {
			if w := byName[y.name]; y.op == opName && w != nil {
				delete(byName, y.name)
				all(w.x)
			} else if y.op == opName {
				mark(y.name)
			}
		})
	}
	subscripts := func(x *expr) {
		x.visit(func(y *expr) {
			if y.op == opApply && e.tensors[y.name] != nil {
				for _, a := range y.args {
					all(a)
				}
			}
		})
	}
	subscripts(s.value)
	for _, w := range s.where {
		switch w.op {
		case ranges:
			all(w.x)
			all(w.y)
		default:
			subscripts(w.x)
		}
	}
}
