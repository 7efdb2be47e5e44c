package glenside

import (
	"fmt"

	"tv/semantics/domain"
)

// The operators of Glenside's core. Source: the public project gussmith23/glenside, and the paper "Pure
// Tensor Program Rewriting via Access Patterns" (MAPS 2021) for the other spellings. Of an operand x, S are
// the access dims, C the compute dims, D both and r their number.
var coreOps = []*Op{
	{
		Name: "literal", Cost: Moves, sized: true, Operands: operands("value:float"),
		Shapes:  "a number -> a literal",
		Meaning: "the number as a value without axes",
		Example: "(access-literal (literal 0.5))",
		typ:     func(*call) *Type { return literalType },
	},
	{
		Name: "access-literal", Cost: Moves, Operands: operands("value:literal"),
		Shapes:  "a literal -> (() ())",
		Meaning: "out[] = value, in the element type of the operator that uses it",
		Example: "(input A (shape 2))\n" +
			"(relay-operator-call relay-add (access A 1) (access-literal (literal 0.5)))",
		typ: typeAccessLiteral,
	},
	{
		Name: "constant-tensor", Cost: Moves, Operands: operands("value:float dims:shape"),
		Shapes:  "a number, D -> a tensor D",
		Meaning: "out[i...] = value, in the element type of the operator that uses it",
		Example: "(access-tensor (constant-tensor 0 (shape 2 3)))",
		typ:     typeConstantTensor,
	},
	{
		Name: "shape", Cost: Moves, sized: true, Operands: operands("dims:int*"),
		Shapes:  "d... -> the shape (d...)",
		Meaning: "a list of sizes; (shape) is that of a scalar",
		Example: "(input A (shape 6))\n(access-reshape (access A 1) (access-shape (shape 2) (shape 3)))",
		typ:     func(k *call) *Type { return k.newType(Type{Kind: TypeShape, Dims: k.ints()}) },
	},
	{
		Name: "list", Cost: Moves, sized: true, Operands: operands("items:int*"),
		Shapes:  "n... -> the list (n...)",
		Meaning: "a list of integers from 0 on",
		Example: "(input A (shape 2 3))\n(access-transpose (access A 0) (list 1 0))",
		typ:     func(k *call) *Type { return k.newType(Type{Kind: TypeList, Ints: k.ints()}) },
	},
	{
		Name: "access-shape", Cost: Moves, sized: true, Operands: operands("access:shape compute:shape"),
		Shapes:  "S, C -> ((S) (C))",
		Meaning: "the shape of an access pattern",
		Example: "(input A (shape 6))\n(access-reshape (access A 1) (access-shape (shape 2) (shape 3)))",
		typ: func(k *call) *Type {
			s, c := k.args[0].Dims, k.args[1].Dims
			return k.newType(Type{Kind: TypeAccessShape, Dims: concat(s, c), Split: len(s)})
		},
	},
	{
		Name: "get-access-shape", Cost: Moves, sized: true, Operands: operands("x:access"),
		Shapes:  "((S) (C)) -> the access shape ((S) (C))",
		Meaning: "the shape of x; its elements are not read",
		Example: "(input A (shape 2 3))\n" +
			"(access-reshape (access-flatten (access A 1)) (get-access-shape (access A 1)))",
		typ: func(k *call) *Type {
			return k.newType(Type{Kind: TypeAccessShape, Dims: k.args[0].Dims, Split: k.args[0].Split})
		},
	},
	{
		Name: "shape-of", Cost: Moves, sized: true, Operands: operands("t:tensor"),
		Shapes:  "a tensor D -> the shape D",
		Meaning: "the shape of a raw tensor; its elements are not read",
		Example: "(input A (shape 2 3))\n(access-reshape (access A 1) (access-shape (shape-of A) (shape)))",
		typ:     func(k *call) *Type { return k.newType(Type{Kind: TypeShape, Dims: k.args[0].Dims}) },
	},
	{
		Name: "slice-shape", Cost: Moves, sized: true, Operands: operands("dims:shape from:int"),
		Shapes:  "D, n with 0 <= n <= r -> (D[n] ... D[r-1])",
		Meaning: "the dims from index n on",
		Example: "(input A (shape 2 3))\n" +
			"(access-reshape (access A 1) (access-shape (shape 2) (slice-shape (shape-of A) 1)))",
		typ: func(k *call) *Type {
			n := k.position(1, len(k.args[0].Dims))
			return k.newType(Type{Kind: TypeShape, Dims: k.args[0].Dims[n:]})
		},
	},
	{
		Name: "shape-insert-axis", Cost: Moves, sized: true, Operands: operands("dims:shape axis:int"),
		Shapes:  "D, n with 0 <= n <= r -> D with 1 inserted before index n",
		Meaning: "the dims with one more",
		Example: "(input A (shape 2 3))\n" +
			"(access-reshape (access A 1) (access-shape (shape-insert-axis (shape-of A) 0) (shape)))",
		typ: func(k *call) *Type {
			n := k.position(1, len(k.args[0].Dims))
			return k.newType(Type{Kind: TypeShape, Dims: replace(k.args[0].Dims, n, n, domain.IntSize(1))})
		},
	},
	{
		Name: "shape-remove-axis", Cost: Moves, sized: true, Operands: operands("dims:shape axis:int"),
		Shapes:  "D, n with 0 <= n < r -> D without index n",
		Meaning: "the dims with one less, whatever it is",
		Example: "(input A (shape 1 3))\n" +
			"(access-reshape (access A 1) (access-shape (shape-remove-axis (shape-of A) 0) (shape)))",
		typ: func(k *call) *Type {
			n := k.axis(1, len(k.args[0].Dims))
			if k.err != nil {
				return nil
			}
			return k.newType(Type{Kind: TypeShape, Dims: replace(k.args[0].Dims, n, n+1)})
		},
	},
	{
		Name: "construct-tuple", Cost: Moves, Operands: operands("items:any*"), elems: elemsFree,
		Shapes:  "any values -> their tuple",
		Meaning: "the values side by side",
		Example: "(input A (shape 2))\n(construct-tuple (access A 0) (access A 1))",
		typ:     func(k *call) *Type { return k.tupleOf(k.n) },
	},
	{
		Name: "tuple-get-item", Cost: Moves, Operands: operands("tuple:tuple index:int"), elems: elemsFree,
		Shapes:  "a tuple of n values, 0 <= i < n -> the type of component i",
		Meaning: "component i, counted from 0",
		Example: "(input A (shape 2))\n(tuple-get-item (construct-tuple (access A 0) (access A 1)) 1)",
		typ:     typeTupleGetItem,
	},
	{
		Name: "access-tensor", Cost: Moves, Operands: operands("t:tensor"),
		Shapes: "a tensor D -> ((D) ())",
		Meaning: "the tensor as an access pattern, all of whose dims are access dims; may be left out before " +
			"a tensor name",
		Example: "(input A (shape 2 3))\n(access-tensor A)",
		typ:     func(k *call) *Type { return k.access(k.args[0].Dims, len(k.args[0].Dims)) },
	},
	{
		Name: "access", Cost: Moves, Operands: operands("x:access split:int"),
		Shapes:  "((S) (C)), 0 <= n <= r -> ((D[:n]) (D[n:]))",
		Meaning: "x split before axis n",
		Example: "(input A (shape 2 3))\n(access (access-tensor A) 1)",
		typ: func(k *call) *Type {
			n := k.position(1, len(k.args[0].Dims))
			return k.access(k.args[0].Dims, n)
		},
	},
	{
		Name: "access-transpose", Cost: Moves, Aliases: []string{"transpose"}, Operands: operands("x:access axes:list"),
		Shapes:  "((S) (C)), L a permutation of 0 ... r-1 -> dims D[L[0]] ... D[L[r-1]], split as before",
		Meaning: "out[i_0 ... i_{r-1}] = x[j] with j[L[a]] = i_a",
		Example: "(input A (shape 2 3))\n(access-transpose (access A 1) (list 1 0))",
		typ:     func(k *call) *Type { return k.access(k.transposed(), k.args[0].Split) },
	},
	{
		Name: "access-cartesian-product", Cost: Moves, Aliases: []string{"cartProd"},
		Operands: operands("x:access y:access"),
		Shapes:   "((S) (C)), ((T) (C)) -> ((S T) (2 C))",
		Meaning:  "out[s t 0 c] = x[s c], out[s t 1 c] = y[t c]",
		Example: "(input A (shape 2 4))\n(input B (shape 3 4))\n" +
			"(access-cartesian-product (access A 1) (access B 1))",
		typ: typeCartesianProduct,
	},
	{
		Name: "access-pair", Cost: Moves, Aliases: []string{"pair"}, Operands: operands("x:access y:access"),
		Shapes:  "((S) (C)), ((S) (C)) -> ((S) (2 C))",
		Meaning: "out[s 0 c] = x[s c], out[s 1 c] = y[s c]",
		Example: "(input A (shape 2 3))\n(input B (shape 2 3))\n(access-pair (access A 1) (access B 1))",
		typ: func(k *call) *Type {
			k.sameShape(0, 1, true)
			x := k.args[0]
			return k.access(replace(x.Dims, x.Split, x.Split, domain.IntSize(2)), x.Split)
		},
	},
	{
		Name: "access-windows", Cost: Moves, Aliases: []string{"windows"},
		Operands: operands("x:access window:shape strides:shape"),
		Shapes: "((S) (C)), |w| = |t| = |C|, 1 <= w_i <= C_i, t_i >= 1 -> ((S O) (w)) with O_i = (C_i - w_i) " +
			"div t_i + 1",
		Meaning: "out[s o j] = x[s o*t+j]; what no full window covers is dropped",
		Example: "(input A (shape 5))\n(access-windows (access A 0) (shape 3) (shape 2))",
		typ:     typeWindows,
	},
	{
		Name: "access-slice", Cost: Moves, Aliases: []string{"slice"},
		Operands: operands("x:access axis:int low:int high:int"),
		Shapes:   "((S) (C)), 0 <= lo <= hi <= D[a], lo < D[a] -> D[a] becomes hi - lo",
		Meaning:  "out[... i ...] = x[... i+lo ...] on axis a",
		Example:  "(input A (shape 2 5))\n(access-slice (access A 1) 1 1 4)",
		typ:      typeSlice,
	},
	{
		Name: "access-concatenate", Cost: Moves, Aliases: []string{"concat"},
		Operands: operands("x:access y:access axis:int"),
		Shapes:   "two patterns with the same split whose dims agree but on axis a -> D[a] becomes the sum",
		Meaning:  "out[... i ...] = x[... i ...] for i < D_x[a], else y[... i-D_x[a] ...]",
		Example: "(input A (shape 2 3))\n(input B (shape 4 3))\n" +
			"(access-concatenate (access A 1) (access B 1) 0)",
		typ: typeConcatenate,
	},
	{
		Name: "access-pad", Cost: Moves,
		Operands: operands("x:access kind:" + padTypes + " axis:int before:int after:int"),
		Shapes:   "((S) (C)), b, e >= 0 -> D[a] becomes b + D[a] + e",
		Meaning: "out[... i ...] = x[... i-b ...] where that is in range on axis a, else 0 (zero-padding) or " +
			"MIN (min-padding)",
		Example: "(input A (shape 2 3))\n(access-pad (access A 1) zero-padding 1 1 1)",
		typ: func(k *call) *Type {
			x := k.args[0]
			a := k.axis(2, len(x.Dims))
			if k.err != nil {
				return nil
			}
			return k.access(replace(x.Dims, a, a+1, x.Dims[a].Add(k.args[3].Int).Add(k.args[4].Int)), x.Split)
		},
	},
	{
		Name: "access-squeeze", Cost: Moves, Aliases: []string{"squeeze"}, Operands: operands("x:access axis:int"),
		Shapes:  "((S) (C)), D[a] = 1 -> D without axis a; the split moves if a was an access dim",
		Meaning: "out[... ...] = x[... 0 ...] on axis a",
		Example: "(input A (shape 2 1))\n(access-squeeze (access A 1) 1)",
		typ:     typeSqueeze,
	},
	{
		Name: "access-insert-axis", Cost: Moves, Operands: operands("x:access axis:int"),
		Shapes:  "((S) (C)), 0 <= a <= r -> 1 inserted before axis a; it is an access dim if a <= |S|",
		Meaning: "out[... 0 ...] = x[... ...] on axis a",
		Example: "(input A (shape 2 3))\n(access-insert-axis (access A 1) 0)",
		typ: func(k *call) *Type {
			x := k.args[0]
			a := k.position(1, len(x.Dims))
			split := x.Split
			if a <= split {
				split++
			}
			return k.access(replace(x.Dims, a, a, domain.IntSize(1)), split)
		},
	},
	{
		Name: "access-broadcast", Cost: Moves, Operands: operands("x:access shape:ashape"),
		Shapes:  "((S) (C)), a shape E of r dims, D[i] = E[i] or D[i] = 1 -> dims E, split as before",
		Meaning: "out[i...] = x[j...] with j_a = i_a, or 0 where D[a] = 1",
		Example: "(input A (shape 1 3))\n(access-broadcast (access A 1) (access-shape (shape 2) (shape 3)))",
		typ:     typeBroadcast,
	},
	{
		Name: "access-reshape", Cost: Moves, Aliases: []string{"reshape"}, Operands: operands("x:access shape:ashape"),
		Shapes:  "((S) (C)), an access shape with as many elements -> that shape, with its split",
		Meaning: "the elements in row-major order",
		Example: "(input A (shape 2 3))\n(access-reshape (access A 1) (access-shape (shape 3) (shape 2)))",
		typ: func(k *call) *Type {
			k.sameCount(1, k.args[0].Dims, k.args[1].Dims)
			return k.access(k.args[1].Dims, k.args[1].Split)
		},
	},
	{
		Name: "access-flatten", Cost: Moves, Aliases: []string{"flatten"}, Operands: operands("x:access"),
		Shapes:  "((S) (C)) -> ((|S|) (|C|)), the numbers of elements; a side without dims stays as it is",
		Meaning: "the elements in row-major order",
		Example: "(input A (shape 2 3 4))\n(access-flatten (access A 1))",
		typ:     typeFlatten,
	},
	{
		Name: "access-shift-right", Cost: Moves, Operands: operands("x:access"),
		Shapes:  "((S) (C)) -> split before axis max(|S|-1, 0)",
		Meaning: "x with its last access dim handed to the computation",
		Example: "(input A (shape 2 3))\n(access-shift-right (access A 2))",
		typ: func(k *call) *Type {
			return k.access(k.args[0].Dims, max(k.args[0].Split-1, 0))
		},
	},
}

func typeAccessLiteral(k *call) *Type {
	k.untyped = true
	return k.access(nil, 0)
}

func typeConstantTensor(k *call) *Type {
	k.untyped = true
	return k.newType(Type{Kind: TypeTensor, Dims: k.args[1].Dims})
}

// ints returns the integer operands.
func (k *call) ints() []domain.Size {
	list := make([]domain.Size, len(k.args))
	for i, t := range k.args {
		list[i] = t.Int
	}
	return list
}

// position returns operand i, a place before one of rank axes or after the last.
func (k *call) position(i, rank int) int {
	n := k.number(i)
	if k.err == nil && n > int64(rank) {
		k.fail(i, "bad-axis", "%s of %s is at most %d, the rank of its operand, got %d",
			k.operandName(i), k.n.Op.Name, rank, n)
	}
	if k.err != nil {
		return 0
	}
	return int(n)
}

// transposed returns the dims of operand 0 in the order of the axes in operand 1.
func (k *call) transposed() []domain.Size {
	x, axes := k.args[0].Dims, k.args[1].Ints
	dims := make([]domain.Size, len(x))
	seen := make([]bool, len(x))
	if len(axes) != len(x) {
		k.fail(1, "not-a-permutation", "%s lists %d of %s", k.n.Op.Name, len(axes),
			plural(len(x), "axis", "axes"))
		return nil
	}
	for i, a := range axes {
		n, ok := a.Int64()
		switch {
		case !ok:
			k.fail(1, "symbolic-axis", "the axes of %s must be numbers, not %s", k.n.Op.Name, a)
			return nil
		case n < 0 || n >= int64(len(x)) || seen[n]:
			k.fail(1, "not-a-permutation", "%s is not a permutation of the axes 0 to %d", k.args[1], len(x)-1)
			return nil
		}
		seen[n] = true
		dims[i] = x[n]
	}
	return dims
}

func typeTupleGetItem(k *call) *Type {
	items := k.args[0].Items
	n := k.number(1)
	if k.err == nil && n >= int64(len(items)) {
		k.fail(1, "bad-index", "there is no component %d: the tuple has %s", n,
			plural(len(items), "component", "components"))
	}
	if k.err != nil {
		return nil
	}
	return items[n]
}

func typeCartesianProduct(k *call) *Type {
	x, y := k.args[0], k.args[1]
	if len(x.Compute()) != len(y.Compute()) {
		k.fail(-1, "shape-mismatch", "the operands of access-cartesian-product have one item shape, "+
			"got %s and %s",
			x.shape(), y.shape())
		return nil
	}
	for i, d := range x.Compute() {
		k.equal(-1, d, y.Compute()[i], "shape-mismatch",
			"the operands of access-cartesian-product have one item shape; compute axis %d", i)
	}
	access := x.Split + y.Split
	return k.access(concat(x.Access(), y.Access(), []domain.Size{domain.IntSize(2)}, x.Compute()), access)
}

// windows returns the number of windows w on a dim with a stride: (dim - w) div stride + 1.
func (k *call) windows(i int, what string, dim, w, stride domain.Size) domain.Size {
	k.atLeastOne(i, w, "a window")
	k.atLeastOne(i, stride, "a stride")
	k.require(i, domain.Le(w, dim), "window-too-long", "window %s is longer than %s (%s)", w, what, dim)
	return dim.Sub(w).Div(stride).Add(domain.IntSize(1))
}

func (k *call) atLeastOne(i int, a domain.Size, what string) {
	if n, ok := a.Int64(); !ok || n < 1 {
		k.require(i, domain.Le(domain.IntSize(1), a), "zero-size", "%s must be at least 1, got %s", what, a)
	}
}

func typeWindows(k *call) *Type {
	x, w, strides := k.args[0], k.args[1].Dims, k.args[2].Dims
	c := x.Compute()
	k.lengths(1, len(c))
	k.lengths(2, len(c))
	if k.err != nil {
		return nil
	}
	counts := make([]domain.Size, len(c))
	for i := range c {
		counts[i] = k.windows(1, fmt.Sprintf("axis %d", x.Split+i), c[i], w[i], strides[i])
	}
	return k.access(concat(x.Access(), counts, w), len(x.Dims))
}

func typeSlice(k *call) *Type {
	x := k.args[0]
	a := k.axis(1, len(x.Dims))
	if k.err != nil {
		return nil
	}
	length := k.slice(2, 3, a, x.Dims[a], k.args[2].Int, k.args[3].Int)
	return k.access(replace(x.Dims, a, a+1, length), x.Split)
}

// slice returns the length of the slice [low, high) of a dim; operands i and j hold the bounds.
func (k *call) slice(i, j, axis int, dim, low, high domain.Size) domain.Size {
	k.require(j, domain.Le(low, high), "slice-bounds", "the slice ends at %s, before its start at %s", high, low)
	k.require(j, domain.Le(high, dim), "slice-bounds", "the slice ends at %s, after the end of axis %d (%s)",
		high, axis, dim)
	k.require(i, domain.Lt(low, dim), "slice-bounds",
		"the slice starts at %s, after the last of axis %d (%s)", low, axis, dim)
	return high.Sub(low)
}

func typeConcatenate(k *call) *Type {
	x, y := k.args[0], k.args[1]
	if len(x.Dims) != len(y.Dims) || x.Split != y.Split {
		k.fail(-1, "shape-mismatch", "the operands of access-concatenate are split alike, got %s and %s",
			x.shape(), y.shape())
	}
	a := k.axis(2, len(x.Dims))
	if k.err != nil {
		return nil
	}
	k.concatenable(-1, x.Dims, y.Dims, a)
	return k.access(replace(x.Dims, a, a+1, x.Dims[a].Add(y.Dims[a])), x.Split)
}

// concatenable states that two lists of dims of one length agree but on one axis.
func (k *call) concatenable(i int, x, y []domain.Size, axis int) {
	for d := range x {
		if d != axis {
			k.equal(i, x[d], y[d], "shape-mismatch", "the operands of %s agree but on axis %d; axis %d",
				k.n.Op.Name, axis, d)
		}
	}
}

func typeSqueeze(k *call) *Type {
	x := k.args[0]
	a := k.axis(1, len(x.Dims))
	if k.err != nil {
		return nil
	}
	k.isOne(1, x.Dims, a)
	split := x.Split
	if a < split {
		split--
	}
	return k.access(replace(x.Dims, a, a+1), split)
}

func (k *call) isOne(i int, dims []domain.Size, axis int) {
	k.require(i, domain.Eq(dims[axis], domain.IntSize(1)), "not-one", "axis %d has size %s, not 1", axis, dims[axis])
}

func typeBroadcast(k *call) *Type {
	x, to := k.args[0].Dims, k.args[1].Dims
	if len(x) != len(to) {
		k.fail(1, "rank-mismatch", "access-broadcast keeps the rank, got %s and %s", k.args[0].shape(),
			k.args[1].shape())
		return nil
	}
	one := domain.IntSize(1)
	for i, d := range x {
		if !d.Equal(one) && !d.Equal(to[i]) {
			k.require(1, domain.Or(domain.Eq(d, to[i]), domain.Eq(d, one)), "shape-mismatch",
				"access-broadcast keeps a size or expands 1; axis %d is %s and becomes %s", i, d, to[i])
		}
	}
	return k.access(to, k.args[0].Split)
}

// sameCount states that two lists of dims have the same number of elements.
func (k *call) sameCount(i int, from, to []domain.Size) {
	k.equal(i, product(from), product(to), "count-mismatch", "%s keeps the number of elements", k.n.Op.Name)
}

func typeFlatten(k *call) *Type {
	x := k.args[0]
	var dims []domain.Size
	split := 0
	if x.Split > 0 {
		dims, split = append(dims, product(x.Access())), 1
	}
	if x.Split < len(x.Dims) {
		dims = append(dims, product(x.Compute()))
	}
	return k.access(dims, split)
}
