package lower

import (
	"tv/glenside"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/term"
)

// computeOps holds the functions of compute.
var computeOps = map[string]lowerer{
	"dot-product": lowerDotProduct,
	"reduce-sum":  func(l *lowering, n *glenside.Node) meaning { return l.reduction(n, term.Sum) },
	"reduce-max":  func(l *lowering, n *glenside.Node) meaning { return l.reduction(n, term.Maximum) },
	"reduce-mean": lowerMean,
	"elementwise-add": func(l *lowering, n *glenside.Node) meaning {
		return l.elementwise(n, term.Sum)
	},
	"elementwise-mul": func(l *lowering, n *glenside.Node) meaning {
		return l.elementwise(n, term.Product)
	},
	"elementwise-div": lowerElementwiseDiv,
	"relu":            func(l *lowering, n *glenside.Node) meaning { return l.each(n, l.relu(n)) },
	"negative":        func(l *lowering, n *glenside.Node) meaning { return l.each(n, l.b.Neg) },
	"sqrt":            func(l *lowering, n *glenside.Node) meaning { return l.each(n, l.unary(n, term.Sqrt)) },
	"softmax": func(l *lowering, n *glenside.Node) meaning {
		x := l.array(n.Args[0])
		return l.softmax(n, x, x.split)
	},
}

// each applies a function to every element of the first operand.
func (l *lowering) each(n *glenside.Node, f func(*term.Term) *term.Term) meaning {
	x := l.array(n.Args[0])
	a := l.result(n, func(ctx *index.Context, at []*index.Expr) *term.Term { return f(x.elem(ctx, at)) })
	a.chosen = x.chosen
	return meaning{array: a}
}

// unary returns the function of a name, of one argument of the result's type.
func (l *lowering) unary(n *glenside.Node, name string) func(*term.Term) *term.Term {
	f := l.function(name, l.sort(l.ty.Type(n).Elem))
	return func(x *term.Term) *term.Term { return f(x) }
}

// bits reports whether the elements of n are what their bits say, and not real numbers.
func (l *lowering) bits(n *glenside.Node) bool { return l.opts.Arith.Bits(l.ty.Type(n).Elem) }

func (l *lowering) relu(n *glenside.Node) func(*term.Term) *term.Term {
	if l.bits(n) {
		return l.unary(n, fnRelu)
	}
	zero := l.b.Int(term.Sort{}, 0)
	return func(x *term.Term) *term.Term { return l.b.Max(x, zero) }
}

// --- reductions ---

// reduce returns the fold of body over new bound variables, which take the places of at that are still
// empty; dims are the sizes of its axes. An axis of size 1 has no variable.
func (l *lowering) reduce(f term.Fold, s term.Sort, dims, at []*index.Expr,
	body func() *term.Term) *term.Term {
	depth := l.depth
	shared := func(d *index.Expr) *index.Atom {
		l.depth++
		return l.b.Bound(l.depth-1, d)
	}
	defer func() { l.depth = depth }()
	return l.reduceOver(shared, f, s, dims, at, body)
}

// unshared returns a bound variable of its own.
func (l *lowering) unshared(d *index.Expr) *index.Atom { return l.x.NewVar("k", l.zero, d) }

// reduceOver does the same with variables that variable makes.
func (l *lowering) reduceOver(variable func(d *index.Expr) *index.Atom, f term.Fold, s term.Sort, dims, at []*index.Expr,
	body func() *term.Term) *term.Term {
	var vars []*index.Atom
	for i, d := range dims {
		switch {
		case at[i] != nil:
		case isEmpty(d):
			return l.nothing(f, s)
		case isOne(d):
			at[i] = l.zero
		default:
			v := variable(d)
			vars = append(vars, v)
			at[i] = v.Expr()
		}
	}
	if len(vars) == 0 {
		return l.one(f, body())
	}
	return l.b.Reduce(f, vars, body())
}

// fold returns the fold of the elements of x whose index begins with at. Where the index on an axis
// picks one of a few operands, their folds are combined, unless that changes the order of a fold in
// exact arithmetic.
func (l *lowering) fold(ctx *index.Context, f term.Fold, x *array, at []*index.Expr) *term.Term {
	part := func(i *index.Expr) *term.Term {
		in := l.vector(len(x.dims))
		copy(in, at)
		if i != nil {
			in[x.chosen] = i
		}
		return l.reduce(f, x.sort, x.dims, in, func() *term.Term { return x.elem(ctx, in) })
	}
	if x.chosen < len(at) || x.sort.Kind != term.Real && !l.alone(x, len(at)) {
		return part(nil)
	}
	n, ok := l.few(x.dims[x.chosen])
	if !ok {
		return part(nil)
	}
	return l.unrolled(f, x.sort, n, part)
}

// alone reports whether the chosen axis of x is the only one from k on that has a size other than 1.
func (l *lowering) alone(x *array, k int) bool {
	for i, d := range x.dims[k:] {
		if k+i != x.chosen && !isOne(d) {
			return false
		}
	}
	return true
}

// few returns a size that is a number of operands small enough to write out.
func (l *lowering) few(dim *index.Expr) (int, bool) {
	c, ok := dim.Const()
	n, fits := c.Int64()
	return int(n), ok && fits && n <= maxUnroll
}

// unrolled returns the fold of item(0) ... item(n-1), from the left.
func (l *lowering) unrolled(f term.Fold, s term.Sort, n int, item func(i *index.Expr) *term.Term) *term.Term {
	if n <= 0 {
		return l.nothing(f, s)
	}
	t := item(l.zero)
	for i := 1; i < n; i++ {
		t = l.combine(f, t, item(l.size(domain.IntSize(int64(i)))))
	}
	return t
}

// foldAxis returns the fold of x along one axis at an index, whose place for the axis is not looked at.
func (l *lowering) foldAxis(ctx *index.Context, f term.Fold, x *array, at []*index.Expr,
	axis int) *term.Term {
	item := func(i *index.Expr) *term.Term { return x.elem(ctx, l.replaced(at, axis, i)) }
	dim := x.dims[axis]
	if n, ok := l.few(dim); ok {
		return l.unrolled(f, x.sort, n, item)
	}
	v := l.b.Bound(l.depth, dim)
	l.depth++
	t := l.b.Reduce(f, []*index.Atom{v}, item(v.Expr()))
	l.depth--
	return t
}

// bound returns an array of the type of n whose elements are made with bound variables.
func (l *lowering) bound(n *glenside.Node, elem element) meaning {
	a := l.result(n, elem)
	a.binds = true
	return meaning{array: a}
}

// lowerDotProduct: out[s] = sum over c of the product over i of x[s i c].
func lowerDotProduct(l *lowering, n *glenside.Node) meaning {
	x := l.array(n.Args[0])
	return l.bound(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		in := l.vector(len(x.dims))
		in[copy(in, at)] = l.zero
		return l.reduce(term.Sum, x.sort, x.dims, in, func() *term.Term {
			return l.foldAxis(ctx, term.Product, x, in, len(at))
		})
	})
}

func (l *lowering) reduction(n *glenside.Node, f term.Fold) meaning {
	x := l.array(n.Args[0])
	return l.bound(n, func(ctx *index.Context, at []*index.Expr) *term.Term { return l.fold(ctx, f, x, at) })
}

// lowerMean: out[s] = (sum over c of x[s c]) / |C|.
func lowerMean(l *lowering, n *glenside.Node) meaning {
	x := l.array(n.Args[0])
	count := l.count(x.dims[x.split:])
	return l.bound(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		return l.average(l.fold(ctx, term.Sum, x, at), count)
	})
}

// count returns the number of elements of dims.
func (l *lowering) count(dims []*index.Expr) *index.Expr {
	n := l.x.Const(1)
	for _, d := range dims {
		n = l.x.Mul(n, d)
	}
	return n
}

func (l *lowering) elementwise(n *glenside.Node, f term.Fold) meaning {
	x := l.array(n.Args[0])
	return l.bound(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		in := l.gap(at, x.split)
		return l.foldAxis(ctx, f, x, in, x.split)
	})
}

// gap returns at with an empty place for an axis more.
func (l *lowering) gap(at []*index.Expr, axis int) []*index.Expr {
	in := l.vector(len(at) + 1)
	copy(in, at[:axis])
	copy(in[axis+1:], at[axis:])
	return in
}

// lowerElementwiseDiv: out[s c] = x[s 0 c] / x[s 1 c] / ..., from the left. In the reals that is the
// first divided by the product of the others; a longer chain in exact is left uninterpreted.
func lowerElementwiseDiv(l *lowering, n *glenside.Node) meaning {
	x := l.array(n.Args[0])
	s := x.split
	count, few := l.few(x.dims[s])
	if !few && l.bits(n) {
		return l.opaqueTensor(n)
	}
	return l.bound(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		in := l.gap(at, s)
		in[s] = l.zero
		t := x.elem(ctx, in)
		if few {
			for i := 1; i < count; i++ {
				t = l.b.Div(t, x.elem(ctx, l.replaced(in, s, l.x.Const(int64(i)))))
			}
			return t
		}
		quotient := func(ctx *index.Context) *term.Term {
			v := l.x.NewVar("k", l.x.Const(1), x.dims[s])
			rest := l.b.Reduce(term.Product, []*index.Atom{v}, x.elem(ctx, l.replaced(in, s, v.Expr())))
			return l.b.Div(x.elem(ctx, in), rest)
		}
		some := l.x.AddInt(x.dims[s], -2)
		switch l.x.Decide(ctx, some) { // alone it is not divided
		case index.True:
			return quotient(ctx)
		case index.False:
			return t
		}
		return l.b.If(some, quotient(l.assume(ctx, some)), x.elem(l.assume(ctx, l.not(some)), in))
	})
}

// --- softmax ---

// softmax: out[i] = exp(x[i]) / sum, where sum is that of exp(x[j]) over an axis.
func (l *lowering) softmax(n *glenside.Node, x *array, axis int) meaning {
	exp := l.unary(n, term.Exp)
	sum := l.sumOfExp(x, axis, exp)
	return l.bound(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		return l.b.Div(exp(x.elem(ctx, at)), sum(ctx, at))
	})
}

// sumOfExp returns the sum of exp(x) over an axis. It remembers its answers without the index on the
// axis: a softmax of a softmax asks for the same sum at every element.
func (l *lowering) sumOfExp(x *array, axis int, exp func(*term.Term) *term.Term) element {
	sum := l.remember(func(ctx *index.Context, at []*index.Expr) *term.Term {
		in := l.vector(len(at))
		copy(in, at)
		in[axis] = nil
		return l.reduce(term.Sum, x.sort, x.dims, in, func() *term.Term { return exp(x.elem(ctx, in)) })
	})
	return func(ctx *index.Context, at []*index.Expr) *term.Term {
		return sum(ctx, l.replaced(at, axis, l.zero))
	}
}
