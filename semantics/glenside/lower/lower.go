// Package lower turns typed Glenside programs into arrays of terms.
//
//	Options   the arithmetic and what the named sizes are
//	Program   the components of a program's result (one, unless it returns a tuple)
//	lowering  the work on one program: an array for each node, and the answers it has given
//	array     a tensor as a function from an index to a term
//
// Start with [Lower]. Access-pattern transformers only rewrite the index; compute builds terms. The
// operators are in core.go and shape.go, compute.go, relay.go, conv.go, hardware.go and lstm.go; scalar.go holds
// the arithmetics, opaque.go what is left uninterpreted.
//
// Two invariants hold everywhere: an index vector is not changed once an array has been asked with it,
// and on an axis whose size is the constant 1 the index is the constant 0.
package lower

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"tv/glenside"
	"tv/internal/mix"
	"tv/semantics/arrays"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/term"
)

// Options are the parameters of a lowering.
type Options struct {
	Arith domain.Arith                  // whose exact element types have sorts of their own; all others are real
	Size  func(name string) *index.Expr // the expression that a named size stands for
	Root  *glenside.State               // the subterm (of Step 0) or state of an LSTM to lower; nil: the whole program
	Cuts  map[glenside.State]string     // those that stand as tensors of their own, by these names
}

// A Program is a lowered program.
type Program struct {
	Components []Component
	Idealised  []string // accelerator calls that were given their ideal meaning, sorted, each once
	Opaque     []string // symbols that the arithmetic does not interpret, sorted, each once
}

// A Component is a tensor of the result.
type Component struct {
	Path  []int // of indices into tuples; empty where the program returns a tensor
	Array term.Array
}

// Lower lowers a program. Both programs of a question are lowered with one builder. Opaque and Idealised
// are complete when it returns; terms are made when the arrays are asked for elements. Errors: a size
// divides by a number that is not positive, or a literal is one that [glenside.ParseDecimal] does not read.
func Lower(b *term.Builder, ty *glenside.Typing, opts Options) (*Program, error) {
	l := &lowering{
		b: b, x: b.Index, ty: ty, opts: opts, zero: b.Index.Const(0),
		at:        make([]int32, len(ty.Program.Nodes)),
		small:     make([]*index.Expr, smallSizes),
		sizes:     map[domain.Size]*index.Expr{},
		assumed:   map[assumption]*index.Context{},
		answers:   map[uint64]*answer{},
		digests:   map[*glenside.Node]string{},
		states:    map[glenside.State]*array{},
		idealised: map[string]bool{},
		opaque:    map[string]bool{},
	}
	root := glenside.State{Call: ty.Program.Root}
	if opts.Root != nil {
		root = *opts.Root
	}
	list := l.needed(root)
	l.values, l.uses = make([]meaning, len(list)), make([]uint8, len(list))
	for i, n := range list {
		l.at[n.ID] = int32(i)
	}
	for _, n := range list {
		if l.isCut(n) {
			continue
		}
		for _, a := range n.Args {
			u := &l.uses[l.at[a.ID]]
			*u = min(*u, 1) + 1
			if ty.Type(n).Kind == glenside.TypeTuple {
				*u = 2 // a component of a tuple can be taken more than once
			}
		}
	}
	for i, n := range list { // operands come before the node
		if l.values[i] = l.node(n); l.err != nil {
			return nil, l.err
		}
	}
	p := &Program{}
	if root.Step > 0 {
		l.components(p, meaning{array: l.state(root)}, nil)
	} else {
		l.components(p, *l.value(root.Call), nil)
	}
	p.Idealised = slices.Sorted(maps.Keys(l.idealised))
	p.Opaque = slices.Sorted(maps.Keys(l.opaque))
	return p, l.err
}

// needed lists the nodes that are part of root, operands first; what a cut stands for is not looked at. It costs what they are, and
// not what the program is.
func (l *lowering) needed(root glenside.State) []*glenside.Node {
	list := []*glenside.Node{root.Call}
	l.at[root.Call.ID] = 1
	for i := 0; i < len(list); i++ {
		if l.isCut(list[i]) {
			continue
		}
		for _, a := range list[i].Args {
			if l.at[a.ID] == 0 {
				l.at[a.ID] = 1
				list = append(list, a)
			}
		}
	}
	slices.SortFunc(list, func(a, b *glenside.Node) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// isCut reports whether a node stands as a tensor of its own.
func (l *lowering) isCut(n *glenside.Node) bool {
	_, cut := l.opts.Cuts[glenside.State{Call: n}]
	return cut
}

func (l *lowering) components(p *Program, v meaning, path []int) {
	if a := v.array; a != nil {
		p.Components = append(p.Components, Component{slices.Clone(path), term.Array{
			Dims: a.dims, Split: a.split, Sort: a.sort,
			Element: func(ctx *index.Context, at []*index.Expr) *term.Term {
				in := l.vector(len(at))
				for i, e := range at {
					in[i] = l.on(a.dims[i], e)
				}
				return a.elem(ctx, in)
			},
		}})
	}
	for i, item := range v.items {
		l.components(p, item, append(path, i))
	}
}

// A meaning is what a node stands for: a tensor or a tuple. Sizes, shapes and words are read from the
// typing.
type meaning struct {
	array *array
	items []meaning
}

// An element returns the term of the element at an index within the dims at ctx.
type element func(ctx *index.Context, at []*index.Expr) *term.Term

// An array is a tensor.
type array struct {
	dims  []*index.Expr
	split int
	sort  term.Sort
	elem  element

	plain     bool // reads one input at a rewritten index: cheap, and the same term when asked again
	binds     bool // makes bound variables
	remembers bool // gives the answer of the first time
	chosen    int  // axis on which the index says which operand is read, or -1

	joined *joined // of arrays one after the other
}

// A lowering is the work on one program. It lives as long as its arrays.
type lowering struct {
	b    *term.Builder
	x    *index.Builder
	ty   *glenside.Typing
	opts Options
	zero *index.Expr
	err  error

	at     []int32   // by Node.ID: where what is known of the node is, if it is needed
	values []meaning // of the nodes that are needed
	uses   []uint8   // of these: how many operands the node is, 2 standing for more

	small   []*index.Expr // the numbers below smallSizes that occurred
	sizes   map[domain.Size]*index.Expr
	slab    []*index.Expr // free places for index vectors
	slabs   int           // places in the last one that was made
	assumed map[assumption]*index.Context
	answers map[uint64]*answer
	asked   int // element functions that remember
	depth   int // variables bound around the element that is asked for
	digests map[*glenside.Node]string
	states  map[glenside.State]*array // of LSTMs

	idealised, opaque map[string]bool
}

const (
	smallSizes = 1024
	leastSlab  = 64
	mostSlab   = 4096
	maxUnroll  = 64 // operands of a fold along one axis that are written out
)

// node lowers a node whose operands are lowered.
func (l *lowering) node(n *glenside.Node) meaning {
	if name, cut := l.opts.Cuts[glenside.State{Call: n}]; cut {
		return meaning{array: l.tensor(l.ty.Type(n), name, true)}
	}
	switch n.Kind {
	case glenside.KindSymbol:
		return meaning{array: l.tensor(l.ty.Type(n), n.Text, false)}
	case glenside.KindCall:
		v := lowerings[n.Op](l, n)
		if a := v.array; a != nil && !a.plain && !a.remembers && (a.binds || l.uses[l.at[n.ID]] > 1) {
			a.elem, a.remembers = l.remember(a.elem), true
		}
		return v
	}
	return meaning{}
}

// array returns the tensor that n stands for.
func (l *lowering) array(n *glenside.Node) *array { return l.value(n).array }

// value returns what n stands for.
func (l *lowering) value(n *glenside.Node) *meaning { return &l.values[l.at[n.ID]] }

// result returns an array of the type of n.
func (l *lowering) result(n *glenside.Node, elem element) *array {
	return l.typed(l.ty.Type(n), elem)
}

func (l *lowering) typed(t *glenside.Type, elem element) *array {
	return &array{dims: l.dims(t.Dims), split: t.Split, sort: l.sort(t.Elem), elem: elem, chosen: -1}
}

// tensor returns an input of a name; partial: nothing is known of its elements, nor that they have a value.
func (l *lowering) tensor(t *glenside.Type, name string, partial bool) *array {
	in := l.b.Input(name, l.dims(t.Dims), l.sort(t.Elem))
	in.Partial = partial
	a := l.typed(t, func(_ *index.Context, at []*index.Expr) *term.Term { return l.b.Read(in, at) })
	if a.plain = !l.b.InRows(in.Dims, a.dims); !a.plain { // it is known with other dims, row by row
		a.elem = func(ctx *index.Context, at []*index.Expr) *term.Term {
			return l.b.Read(in, l.b.Reshaped(ctx, at, a.dims, in.Dims))
		}
	}
	return a
}

// --- sizes and index vectors ---

func (l *lowering) dims(list []domain.Size) []*index.Expr {
	out := l.vector(len(list))
	for i, s := range list {
		out[i] = l.size(s)
	}
	return out
}

// size returns a size as an expression.
func (l *lowering) size(s domain.Size) *index.Expr {
	if n, ok := s.Int64(); ok {
		if n < 0 || n >= smallSizes {
			return l.x.Const(n)
		}
		if l.small[n] == nil {
			l.small[n] = l.x.Const(n)
		}
		return l.small[n]
	}
	e := l.sizes[s]
	if e == nil {
		var err error
		if e, err = arrays.Size(l.x, l.opts.Size, s); err != nil {
			l.fail("%v", err)
			e = l.zero
		}
		l.sizes[s] = e
	}
	return e
}

func (l *lowering) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf("lower: "+format, args...)
	}
}

// int returns the value of an integer operand that the typing knows to be a number.
func (l *lowering) int(n *glenside.Node) int {
	v, _ := l.ty.Type(n).Int.Int64()
	return int(v)
}

// axis returns an operand that names one of rank axes, from the end where it is negative.
func (l *lowering) axis(n *glenside.Node, rank int) int {
	a := l.int(n)
	if a < 0 {
		a += rank
	}
	return a
}

// vector returns a vector of n places.
func (l *lowering) vector(n int) []*index.Expr {
	if len(l.slab) < n {
		l.slabs = min(max(2*l.slabs, leastSlab), mostSlab) // of small programs most of a large one would be left
		l.slab = make([]*index.Expr, max(n, l.slabs))
	}
	v := l.slab[:n:n]
	l.slab = l.slab[n:]
	return v
}

// replaced returns at with e on an axis.
func (l *lowering) replaced(at []*index.Expr, axis int, e *index.Expr) []*index.Expr {
	if at[axis] == e {
		return at
	}
	out := l.vector(len(at))
	copy(out, at)
	out[axis] = e
	return out
}

// joined returns x and y in one vector.
func (l *lowering) joined(x, y []*index.Expr) []*index.Expr {
	out := l.vector(len(x) + len(y))
	copy(out, x)
	copy(out[len(x):], y)
	return out
}

// on returns e, or 0 where it is the index on an axis of size 1.
func (l *lowering) on(dim, e *index.Expr) *index.Expr {
	if isOne(dim) {
		return l.zero
	}
	return e
}

func isOne(e *index.Expr) bool {
	n, ok := e.Const()
	return ok && n.IsOne()
}

// isEmpty reports whether a size is a number of which there is no index.
func isEmpty(dim *index.Expr) bool {
	n, ok := dim.Const()
	return ok && n.Sign() <= 0
}

// same reports whether two sizes are known to be equal.
func (l *lowering) same(d, e *index.Expr) bool {
	if d == e {
		return true
	}
	diff := l.x.Sub(d, e)
	if _, ok := diff.Const(); ok {
		return false
	}
	root := l.x.Root()
	return l.x.Nonneg(root, diff) && l.x.Nonneg(root, l.x.Scale(index.Int(-1), diff))
}

// --- conditions ---

type assumption struct{ ctx, cond int }

// assume returns ctx with cond >= 0, the same context for the same question: what is remembered of a
// context is lost on a copy.
func (l *lowering) assume(ctx *index.Context, cond *index.Expr) *index.Context {
	key := assumption{ctx.ID(), cond.ID()}
	c := l.assumed[key]
	if c == nil {
		c = l.x.Assume(ctx, cond)
		l.assumed[key] = c
	}
	return c
}

// not returns the condition that e >= 0 does not hold.
func (l *lowering) not(e *index.Expr) *index.Expr {
	return l.x.AddInt(l.x.Scale(index.Int(-1), e), -1)
}

// --- memory ---

// An answer is the term that an element function gave to a question.
type answer struct {
	function, ctx, depth int
	at                   []*index.Expr
	term                 *term.Term
	next                 *answer // of the same hash
}

// remember returns f with a memory, so that sharing within sharing costs no more than its nodes. An answer holds
// variables that are named by the depth at which they are bound, and is one at that depth only.
func (l *lowering) remember(f element) element {
	l.asked++
	function := l.asked
	return func(ctx *index.Context, at []*index.Expr) *term.Term {
		h := mix.Word(mix.Word(uint64(function), uint64(ctx.ID())), uint64(l.depth))
		for _, e := range at {
			h = mix.Word(h, uint64(e.ID()))
		}
		for a := l.answers[h]; a != nil; a = a.next {
			if a.function == function && a.ctx == ctx.ID() && a.depth == l.depth && slices.Equal(a.at, at) {
				return a.term
			}
		}
		t := f(ctx, at)
		l.answers[h] = &answer{function, ctx.ID(), l.depth, at, t, l.answers[h]}
		return t
	}
}
