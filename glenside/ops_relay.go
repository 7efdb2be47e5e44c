package glenside

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"tv/semantics/domain"
)

// The operators of relay-operator-call. Their meaning is that of TVM Relay's operators with the attributes
// that Glenside's importer takes for granted. D are the dims of x over both sides of the split, r their
// number; "as x" means the dims and the split of x.
var relayOps = []*Op{
	broadcastOp("relay-add", Scales, "x[i] + y[i]", ""),
	broadcastOp("relay-multiply", Scales, "x[i] * y[i]", "relay-mul"),
	broadcastOp("relay-divide", Function, "x[i] / y[i]; undefined where y[i] = 0", ""),
	broadcastOp("relay-maximum", Function, "max(x[i], y[i])", ""),
	broadcastOp("relay-minimum", Function, "min(x[i], y[i])", ""),
	mapOp("relay-relu", Function, "x[i] where that is >= 0, else 0"),
	mapOp("relay-sqrt", Enclosed, "the square root of x[i]; undefined where that is negative"),
	mapOp("relay-negative", Sums, "-x[i]"),
	realOp(mapOp("relay-sigmoid", Enclosed, "1 / (1 + exp(-x[i]))")),
	realOp(mapOp("relay-tanh", Enclosed, "tanh(x[i])")),
	realOp(mapOp("relay-erf", Enclosed, "erf(x[i])")),
	mapOp("relay-round", Sums, "x[i] rounded to an integer, halves away from zero"),
	mapOp("relay-copy", Moves, "x[i]"),
	{
		Name: "relay-leaky-relu", Category: CatRelay, Cost: Function, Operands: operands("x:access slope:float"),
		Shapes:  "D, a number -> as x",
		Meaning: "out[i] = x[i] where that is > 0, else slope * x[i]",
		Example: "(input A (shape 2 3))\n(relay-operator-call relay-leaky-relu (access A 1) 0.1)",
		typ:     typeAsX,
	},
	{
		Name: "relay-clip", Category: CatRelay, Cost: Function, Operands: operands("x:access low:float high:float"),
		Shapes:  "D, two numbers -> as x",
		Meaning: "out[i] = min(max(x[i], low), high)",
		Example: "(input A (shape 2 3))\n(relay-operator-call relay-clip (access A 1) 0 6)",
		typ:     typeAsX,
	},
	shiftOp("relay-left-shift", Sums, "x[i] shifted left by bits"),
	shiftOp("relay-right-shift", Sums, "x[i] shifted right by bits, arithmetically for signed types"),
	{
		Name: "relay-cast", Category: CatRelay, Cost: Sums, Operands: operands("x:access to:type"), elems: elemsFree,
		Shapes:  "D, an element type -> as x but for the element type",
		Meaning: "out[i] = x[i] converted: to an integer toward zero, undefined where out of range",
		Example: "(input A (shape 2 3))\n(relay-operator-call relay-cast (access A 1) int8)",
		typ: func(k *call) *Type {
			k.elem, _ = domain.ParseElem(k.n.Args[1].Text)
			return k.access(k.args[0].Dims, k.args[0].Split)
		},
	},
	realOp(softmaxOp("relay-softmax", Enclosed, "exp(x[i]) / sum")),
	realOp(softmaxOp("relay-log-softmax", Enclosed, "x[i] - log(sum)")),
	{
		Name: "relay-batch-norm-inference", Category: CatRelay, Cost: Enclosed, Divides: []int{4},
		Operands: operands("x:access gamma:access beta:access mean:access variance:access axis:int " +
			"epsilon:float"),
		Shapes: "D, four vectors of length D[axis], 0 <= axis < r, a number -> as x",
		Meaning: "out[i] = (x[i] - mean[a]) / sqrt(variance[a] + epsilon) * gamma[a] + beta[a] with a = " +
			"i[axis]",
		Example: "(input A (shape 2 3))\n(input G (shape 3))\n(input B (shape 3))\n(input M (shape 3))\n" +
			"(input V (shape 3))\n" +
			"(relay-operator-call relay-batch-norm-inference A G B M V 1 1e-5)",
		typ: func(k *call) *Type {
			a := k.axis(5, len(k.args[0].Dims))
			for i := 1; i <= 4 && k.err == nil; i++ {
				k.vector(i, k.args[0].Dims[a])
			}
			return typeAsX(k)
		},
	},
	{
		Name: "relay-layer-norm", Category: CatRelay, Cost: Enclosed, Operands: operands("x:access gamma:access beta:access"),
		Shapes: "D of rank >= 1, two vectors of length D[r-1] -> as x",
		Meaning: "out[i] = (x[i] - m) / sqrt(v + 1e-5) * gamma[a] + beta[a] with a the last index, m and v " +
			"mean and variance over the last axis",
		Example: "(input A (shape 2 3))\n(input G (shape 3))\n(input B (shape 3))\n" +
			"(relay-operator-call relay-layer-norm A G B)",
		typ: func(k *call) *Type {
			k.rankAtLeastOne(0)
			for i := 1; i <= 2 && k.err == nil; i++ {
				k.vector(i, k.args[0].Dims[len(k.args[0].Dims)-1])
			}
			return typeAsX(k)
		},
	},
	{
		Name: "relay-dropout", Category: CatRelay, Cost: Sums, Operands: operands("x:access rate:float"),
		Shapes:  "D, a number -> a tuple of two, each as x",
		Meaning: "the first component is x (inference); the second, the mask, is uninterpreted",
		Example: "(input A (shape 2 3))\n" +
			"(tuple-get-item (relay-operator-call relay-dropout (access A 1) 0.5) 0)",
		typ: func(k *call) *Type {
			k.defaultElem()
			x := k.same(0)
			return k.newType(Type{Kind: TypeTuple, Items: []*Type{x, x}})
		},
	},
	{
		Name: "relay-bias-add", Category: CatRelay, Cost: Sums, Operands: operands("x:access bias:access axis:signed"),
		Shapes:  "D, a vector of length D[axis], -r <= axis < r -> as x",
		Meaning: "out[i] = x[i] + bias[i[axis]]",
		Example: "(input A (shape 2 3))\n(input B (shape 3))\n(relay-operator-call relay-bias-add A B -1)",
		typ: func(k *call) *Type {
			if a := k.axis(2, len(k.args[0].Dims)); k.err == nil {
				k.vector(1, k.args[0].Dims[a])
			}
			return typeAsX(k)
		},
	},
	{
		Name: "relay-dense", Category: CatRelay, Cost: Sums, Operands: operands("x:access w:access"),
		Shapes:  "(m k), (n k) -> ((m n) ())",
		Meaning: "out[i j] = sum over k of x[i k] * w[j k]",
		Example: "(input A (shape 2 4))\n(input W (shape 3 4))\n(relay-operator-call relay-dense A W)",
		typ:     typeDense,
	},
	{
		Name: "relay-batch-matmul", Category: CatRelay, Cost: Sums, Operands: operands("x:access y:access"),
		Shapes:  "(b m k), (b n k) -> ((b m n) ())",
		Meaning: "out[b i j] = sum over k of x[b i k] * y[b j k]",
		Example: "(input A (shape 2 3 4))\n(input B (shape 2 5 4))\n" +
			"(relay-operator-call relay-batch-matmul A B)",
		typ: func(k *call) *Type {
			k.rank(0, 3)
			k.rank(1, 3)
			if k.err != nil {
				return nil
			}
			x, y := k.args[0].Dims, k.args[1].Dims
			k.equal(1, x[0], y[0], "shape-mismatch", "the operands of relay-batch-matmul have one batch size")
			k.equal(1, x[2], y[2], "shape-mismatch", "the rows of x and y have one length")
			return k.access([]domain.Size{x[0], x[1], y[1]}, 3)
		},
	},
	{
		Name: "relay-conv1d", Category: CatRelay, Cost: Sums,
		Operands: operands("x:access w:access stride:shape padding:shape"),
		Shapes: "(n c l), (o c k), (s), (before after), s >= 1 -> (() (n o l')) with l' = (before + l + " +
			"after - k) div s + 1",
		Meaning: "out[n o i] = sum over c, p of x'[n c i*s+p] * w[o c p], x' being x padded with zeros",
		Example: "(input X (shape 1 2 5))\n(input W (shape 4 2 3))\n" +
			"(relay-operator-call relay-conv1d X W (shape 1) (shape 1 1))",
		typ: typeConv1d,
	},
	{
		Name: "relay-conv2d", Category: CatRelay, Cost: Sums,
		Operands: operands("x:access w:access strides:shape padding:shape groups:int channels:int " +
			"kernel:shape layout:" + layouts + " kernel-layout:" + kernelLayouts),
		Shapes: "x (n c h w) or (n h w c), w (o c kh kw) or (kh kw c o), (sh sw), (top left bottom right), a " +
			"number of groups; channels and kernel are not looked at; h' = (top + h + bottom - kh) div " +
			"sh + 1, w' alike -> ((n o h' w') ()) or ((n h' w' o) ()). Groups other than 1 in layout " +
			"nchw and oihw only, with c = o = groups and weights (o 1 kh kw); groups that are named are " +
			"that c and o",
		Meaning: "out[n o i j] = sum over c, p, q of x'[n c i*sh+p j*sw+q] * w[o c p q], x' being x padded " +
			"with zeros; with groups out[n o i j] = sum over p, q of x'[n o i*sh+p j*sw+q] * w[o 0 p q]",
		Example: "(input X (shape 1 2 5 5))\n(input W (shape 4 2 3 3))\n" +
			"(relay-operator-call relay-conv2d X W (shape 1 1) (shape 1 1 1 1) 1 0 (shape 2 3 3)\n" +
			"  relay-activation-layout-nchw relay-kernel-layout-oihw)",
		typ: typeConv2d,
	},
	poolOp("relay-max-pool2d", Function, "max of MIN and the elements of x"),
	poolOp("relay-avg-pool2d", Sums, "mean of the elements of x"),
	{
		Name: "relay-global-avg-pool2d", Category: CatRelay, Cost: Sums, Operands: operands("x:access layout:" + layouts),
		Shapes:  "(n c h w) or (n h w c) -> h and w become 1, split as x",
		Meaning: "out[n c 0 0] = mean over h, w of x[n c h w]",
		Example: "(input X (shape 1 2 4 4))\n" +
			"(relay-operator-call relay-global-avg-pool2d X relay-activation-layout-nchw)",
		typ: func(k *call) *Type {
			if k.rank(0, 4); k.err != nil {
				return nil
			}
			l, x := k.layout(1), k.args[0]
			return k.access(l.imageDims(x.Dims[l.n], x.Dims[l.c], domain.IntSize(1), domain.IntSize(1)), x.Split)
		},
	},
	{
		Name: "relay-upsampling", Category: CatRelay, Cost: Sums,
		Operands: operands("x:access height:float width:float layout:relay-activation-layout-nchw"),
		Shapes: "((n c h w) ()), two positive decimal factors that make integers of h and w -> ((n c " +
			"height*h width*w) ())",
		Meaning: "out[n c i j] = x[n c i' j'] with i' = i / height and j' = j / width, rounded down",
		Example: "(input X (shape 1 2 3 3))\n" +
			"(relay-operator-call relay-upsampling X 2.0 2.0 relay-activation-layout-nchw)",
		typ: typeUpsampling,
	},
	{
		Name: "relay-batch-flatten", Category: CatRelay, Cost: Moves, Operands: operands("x:access"),
		Shapes:  "(d e...) -> ((d |e|) ())",
		Meaning: "the elements in row-major order",
		Example: "(input A (shape 2 3 4))\n(relay-operator-call relay-batch-flatten A)",
		typ: func(k *call) *Type {
			if k.rankAtLeastOne(0); k.err != nil {
				return nil
			}
			x := k.args[0].Dims
			return k.access([]domain.Size{x[0], product(x[1:])}, 2)
		},
	},
	{
		Name: "relay-reshape", Category: CatRelay, Cost: Moves, Operands: operands("x:access shape:shape"),
		Shapes:  "D, E with as many elements -> (() (E))",
		Meaning: "the elements in row-major order",
		Example: "(input A (shape 2 3))\n(relay-operator-call relay-reshape A (shape 3 2))",
		typ: func(k *call) *Type {
			k.sameCount(1, k.args[0].Dims, k.args[1].Dims)
			return k.access(k.args[1].Dims, 0)
		},
	},
	{
		Name: "relay-transpose", Category: CatRelay, Cost: Moves, Operands: operands("x:access axes:list"),
		Shapes:  "D, L a permutation of 0 ... r-1 -> ((D[L[0]] ... D[L[r-1]]) ())",
		Meaning: "out[i_0 ... i_{r-1}] = x[j] with j[L[a]] = i_a",
		Example: "(input A (shape 2 3))\n(relay-operator-call relay-transpose A (list 1 0))",
		typ:     func(k *call) *Type { return k.access(k.transposed(), len(k.args[0].Dims)) },
	},
	{
		Name: "relay-squeeze", Category: CatRelay, Cost: Moves, Operands: operands("x:access axes:list"),
		Shapes:  "D, a list of axes of size 1 -> ((D without them) ())",
		Meaning: "out[...] = x[...] with 0 at the axes",
		Example: "(input A (shape 2 1 3))\n(relay-operator-call relay-squeeze A (list 1))",
		typ:     typeRelaySqueeze,
	},
	{
		Name: "relay-expand-dims", Category: CatRelay, Cost: Moves, Operands: operands("x:access axis:signed count:int"),
		Shapes: "((S) (C)), -r-1 <= axis <= r, n -> n ones inserted before the axis, which a negative one " +
			"counts from the end of the result with one more; they are access dims if axis < |S|",
		Meaning: "out[... 0 ... ...] = x[... ...]",
		Example: "(input A (shape 2 3))\n(relay-operator-call relay-expand-dims (access A 1) 0 2)",
		typ:     typeExpandDims,
	},
	{
		Name: "relay-pad", Category: CatRelay, Cost: Sums, Operands: operands("x:access amounts:shape"),
		Shapes:  "D, (b_0 e_0 b_1 e_1 ...) -> D[a] becomes b_a + D[a] + e_a, split as x",
		Meaning: "out[i] = x[i - b] where that is in range, else 0",
		Example: "(input A (shape 2 3))\n(relay-operator-call relay-pad (access A 1) (shape 0 0 1 1))",
		typ: func(k *call) *Type {
			x, p := k.args[0], k.args[1].Dims
			if k.lengths(1, 2*len(x.Dims)); k.err != nil {
				return nil
			}
			dims := make([]domain.Size, len(x.Dims))
			for i, d := range x.Dims {
				dims[i] = d.Add(p[2*i]).Add(p[2*i+1])
			}
			return k.access(dims, x.Split)
		},
	},
	{
		Name: "relay-concatenate", Category: CatRelay, Cost: Moves, Operands: operands("axis:int tensors:tuple"),
		elems:   elemsFree,
		Shapes:  "axis, a tuple of patterns that agree but on it -> ((D with the sum at axis) ())",
		Meaning: "the tensors one after the other on the axis",
		Example: "(input A (shape 2 3))\n(input B (shape 4 3))\n" +
			"(relay-operator-call relay-concatenate 0 (construct-tuple A B))",
		typ: typeRelayConcatenate,
	},
	{
		Name: "relay-stack", Category: CatRelay, Cost: Moves, Operands: operands("x:access more:access* axis:signed"),
		Shapes:  "n >= 1 patterns of dims D, -r-1 <= axis <= r -> ((D with n inserted before axis) ())",
		Meaning: "out[... t ...] = tensor t at [... ...]",
		Example: "(input A (shape 2 3))\n(input B (shape 2 3))\n(relay-operator-call relay-stack A B 0)",
		typ: func(k *call) *Type {
			n := len(k.args) - 1
			for i := 1; i < n; i++ {
				k.sameShape(0, i, false)
			}
			x := k.args[0].Dims
			a := k.axis(n, len(x)+1)
			return k.access(replace(x, a, a, domain.IntSize(int64(n))), len(x)+1)
		},
	},
	{
		Name: "relay-split", Category: CatRelay, Cost: Moves, Operands: operands("x:access sections:sections axis:int"),
		Shapes: "D, n >= 1 that divides D[axis], or cuts 0 <= c_0 <= c_1 <= ... <= D[axis] -> a tuple of n " +
			"parts, or of one more than there are cuts, each (() (...))",
		Meaning: "x cut in equal parts, or at the given indices",
		Example: "(input A (shape 2 6))\n(tuple-get-item (relay-operator-call relay-split A (list 2 3) 1) 2)",
		typ:     typeSplit,
	},
	{
		Name: "relay-strided-slice", Category: CatRelay, Cost: Moves,
		Operands: operands("x:access begin:shape end:shape strides:shape"),
		Shapes:   "D, b, e, r ones, b_a <= e_a <= D[a], b_a < D[a] -> ((e - b) ())",
		Meaning:  "out[i] = x[i + b]",
		Example: "(input A (shape 2 5))\n" +
			"(relay-operator-call relay-strided-slice A (shape 0 1) (shape 2 4) (shape 1 1))",
		typ: typeStridedSlice,
	},
	{
		Name: "relay-take", Category: CatRelay, Cost: Sums, Operands: operands("x:access indices:access axis:int"),
		elems:   elemsFree,
		Shapes:  "D, indices of dims J, of any integer type -> ((D with J in place of the axis) ())",
		Meaning: "out[... j ...] = x[... indices[j] ...] on the axis; undefined where the index is outside",
		Example: "(input A (shape 4 3))\n(input J (shape 2) int32)\n(relay-operator-call relay-take A J 0)",
		typ: func(k *call) *Type {
			k.elem = k.args[0].Elem
			x, j := k.args[0].Dims, k.args[1]
			a := k.axis(2, len(x))
			if k.err != nil {
				return nil
			}
			return k.access(replace(x, a, a+1, j.Dims...), len(x)-1+len(j.Dims))
		},
	},
	{
		Name: "relay-mean", Category: CatRelay, Cost: Sums, Operands: operands("x:access axis:int"),
		Shapes:  "D, 0 <= axis < r -> (() (D without the axis))",
		Meaning: "out[... ...] = mean over i of x[... i ...]",
		Example: "(input A (shape 2 4))\n(relay-operator-call relay-mean A 1)",
		typ: func(k *call) *Type {
			x := k.args[0].Dims
			a := k.axis(1, len(x))
			if k.err != nil {
				return nil
			}
			return k.access(replace(x, a, a+1), 0)
		},
	},
	{
		Name: "relay-zeros", Category: CatRelay, Cost: Sums, Operands: operands("shape:shape"),
		Shapes:  "E -> ((E) ())",
		Meaning: "out[i] = 0, in the element type of the operator that uses it",
		Example: "(relay-operator-call relay-zeros (shape 2 3))",
		typ: func(k *call) *Type {
			k.untyped = true
			return k.access(k.args[0].Dims, len(k.args[0].Dims))
		},
	},
}

func broadcastOp(name string, cost Cost, meaning, alias string) *Op {
	op := &Op{
		Name: name, Category: CatRelay, Cost: cost, Operands: operands("x:access y:access"),
		Shapes:  "D, E -> ((B) ()), B by broadcasting: aligned at the right, dims equal, 1 or missing",
		Meaning: "out[i] = " + meaning + ", with index 0 where an operand has size 1",
		Example: "(input A (shape 2 3))\n(input B (shape 3))\n(relay-operator-call " + name + " A B)",
		typ:     typeRelayBroadcast,
	}
	if alias != "" {
		op.Aliases = []string{alias}
	}
	if name == "relay-divide" {
		op.Divides = []int{1}
	}
	return op
}

func mapOp(name string, cost Cost, meaning string) *Op {
	example := "(relay-operator-call " + name + " (access A 1))"
	if name == "relay-sqrt" {
		example = "(relay-operator-call relay-sqrt (relay-operator-call relay-multiply A A))"
	}
	op := &Op{
		Name: name, Category: CatRelay, Cost: cost, Operands: operands("x:access"),
		Shapes: "D -> as x", Meaning: "out[i] = " + meaning,
		Example: "(input A (shape 2 3))\n" + example,
		typ:     typeAsX,
	}
	if name == "relay-sqrt" {
		op.Divides = []int{0}
	}
	return op
}

func shiftOp(name string, cost Cost, meaning string) *Op {
	return &Op{
		Name: name, Category: CatRelay, Cost: cost, Of: domain.BitKinds, Operands: operands("x:access bits:int"),
		Shapes:  "D, n >= 0 -> as x",
		Meaning: "out[i] = " + meaning + "; undefined for a number of bits that the type does not have",
		Example: "(input A (shape 2 3) int32)\n(relay-operator-call " + name + " (access A 1) 2)",
		typ:     typeAsX,
	}
}

// realOp makes an operator one of real numbers: exact types have none but their own.
func realOp(op *Op) *Op {
	op.Of = domain.RealKinds
	return op
}

func softmaxOp(name string, cost Cost, meaning string) *Op {
	return &Op{
		Name: name, Category: CatRelay, Cost: cost, Operands: operands("x:access axis:signed"),
		Shapes:  "D, -r <= axis < r -> as x",
		Meaning: "out[i] = " + meaning + ", where sum is that of exp(x[j]) over the axis",
		Example: "(input A (shape 2 3))\n(relay-operator-call " + name + " (access A 1) -1)",
		typ: func(k *call) *Type {
			k.axis(1, len(k.args[0].Dims))
			return typeAsX(k)
		},
	}
}

func poolOp(name string, cost Cost, meaning string) *Op {
	return &Op{
		Name: name, Category: CatRelay, Cost: cost,
		Operands: operands("x:access pool:shape strides:shape padding:shape layout:" + layouts),
		Shapes: "(n c h w) or (n h w c), (kh kw), (sh sw), (top left bottom right) -> h' = (top + h + bottom " +
			"- kh) div sh + 1 and w' alike in place of h and w, split as x",
		Meaning: "out[n c i j] = " + meaning + "[n c i*sh+p-top j*sw+q-left] over p < kh, q < kw, those " +
			"in the padding left out",
		Example: "(input X (shape 1 2 4 4))\n(relay-operator-call " + name +
			" X (shape 2 2) (shape 2 2) (shape 0 0 0 0) relay-activation-layout-nchw)",
		typ: typePool,
	}
}

func typeAsX(k *call) *Type { return k.same(0) }

// defaultElem gives literals the default type, for operators whose result cannot pass one on.
func (k *call) defaultElem() {
	if k.elem == (domain.Elem{}) {
		k.elem = domain.Float32
	}
}

func (k *call) rankAtLeastOne(i int) {
	if len(k.args[i].Dims) == 0 {
		k.fail(i, "rank-mismatch", "%s of %s has at least one axis", k.operandName(i), k.n.Op.Name)
	}
}

func typeRelayBroadcast(k *call) *Type {
	x, y := k.args[0].Dims, k.args[1].Dims
	long, short := x, y
	if len(y) > len(x) {
		long, short = y, x
	}
	ahead := len(long) - len(short)
	dims := concat(long)
	for i, d := range short {
		dims[ahead+i] = k.broadcast(long[ahead+i], d, i-len(short))
	}
	return k.access(dims, len(dims))
}

// broadcast returns the size that two sizes of an axis, counted from the end, have together.
func (k *call) broadcast(a, b domain.Size, axis int) domain.Size {
	one := domain.IntSize(1)
	switch {
	case a.Equal(b) || b.Equal(one):
		return a
	case a.Equal(one):
		return b
	}
	k.require(1, domain.Or(domain.Eq(a, b), domain.Eq(a, one), domain.Eq(b, one)), "shape-mismatch",
		"the operands of %s do not broadcast: axis %d is %s and %s", k.n.Op.Name, axis, a, b)
	if _, ok := a.Const(); ok {
		return a // which is not 1, so that b is a or 1
	}
	if _, ok := b.Const(); ok {
		return b
	}
	if a.AtLeastGiven(1, &k.known) && b.AtLeastGiven(1, &k.known) {
		return a.Max(b)
	}
	return a.Mul(b).Min(a.Max(b)) // 0 and 1 give 0
}

func typeDense(k *call) *Type {
	k.rank(0, 2)
	k.rank(1, 2)
	if k.err != nil {
		return nil
	}
	x, w := k.args[0].Dims, k.args[1].Dims
	k.equal(1, x[1], w[1], "shape-mismatch", "the rows of x and w have one length")
	return k.access([]domain.Size{x[0], w[0]}, 2)
}

func typeConv1d(k *call) *Type {
	k.rank(0, 3)
	k.rank(1, 3)
	k.lengths(2, 1)
	k.lengths(3, 2)
	if k.err != nil {
		return nil
	}
	x, w, padding := k.args[0].Dims, k.args[1].Dims, k.args[3].Dims
	k.equal(1, x[1], w[1], "shape-mismatch", "the weights have the channels of x")
	length := k.windows(1, "the padded x", x[2].Add(padding[0]).Add(padding[1]), w[2], k.args[2].Dims[0])
	return k.access([]domain.Size{x[0], w[0], length}, 0)
}

// layout returns the layout in operand i.
func (k *call) layout(i int) layout {
	if k.n.Args[i].Text == layoutNHWC {
		return nhwc
	}
	return nchw
}

func typeConv2d(k *call) *Type {
	k.lengths(2, 2)
	if k.err != nil {
		return nil
	}
	return k.conv2d(k.args[2].Dims)
}

// conv2d types the 9 operands of a convolution, with the strides (sh sw).
func (k *call) conv2d(strides []domain.Size) *Type {
	k.rank(0, 4)
	k.rank(1, 4)
	k.lengths(3, 4)
	if k.err != nil {
		return nil
	}
	groups := k.args[4].Int
	x, w := k.args[0].Dims, k.args[1].Dims
	l, kernel := k.layout(7), nhwc
	if k.n.Args[8].Text == kernelOIHW {
		kernel = nchw
	}
	one := domain.IntSize(1)
	// Where the groups are a name, which may be 1, it says what it does for any number if there are as many channels on both
	// sides: a single channel has one meaning.
	if _, number := groups.Const(); !number && (l != nchw || kernel != nchw || !groups.Equal(x[l.c]) || !groups.Equal(w[kernel.o])) {
		k.fail(4, "symbolic-axis", "groups of %s must be a number, or the channels of x and of the result in layout nchw and oihw, "+
			"not %s", k.n.Op.Name, groups)
		return nil
	}
	if groups.Equal(one) {
		k.equal(1, x[l.c], w[kernel.i], "shape-mismatch", "the weights have the channels of x")
	} else {
		if l != nchw || kernel != nchw {
			k.fail(4, "bad-groups", "%s supports groups in layout nchw and oihw only", k.n.Op.Name)
		}
		k.equal(4, groups, x[l.c], "bad-groups", "groups other than 1 are as many as the channels")
		k.equal(4, groups, w[kernel.o], "bad-groups",
			"groups other than 1 are as many as the output channels")
		k.equal(1, one, w[kernel.i], "bad-groups", "weights for groups have one input channel")
	}
	h, v := k.slide(l, w[kernel.kh], w[kernel.kw], strides, k.args[3].Dims)
	return k.access(l.imageDims(x[l.n], w[kernel.o], h, v), 4)
}

// slide returns how often a kernel fits operand 0, an image, from top to bottom and from left to right, with
// padding (top left bottom right).
func (k *call) slide(l layout, kh, kw domain.Size, strides, padding []domain.Size) (h, w domain.Size) {
	x := k.args[0].Dims
	h = k.windows(0, "the height of the padded x", x[l.h].Add(padding[0]).Add(padding[2]), kh, strides[0])
	w = k.windows(0, "the width of the padded x", x[l.w].Add(padding[1]).Add(padding[3]), kw, strides[1])
	return h, w
}

func typePool(k *call) *Type {
	k.rank(0, 4)
	k.lengths(1, 2)
	k.lengths(2, 2)
	k.lengths(3, 4)
	if k.err != nil {
		return nil
	}
	x, pool, l := k.args[0], k.args[1].Dims, k.layout(4)
	h, w := k.slide(l, pool[0], pool[1], k.args[2].Dims, k.args[3].Dims)
	return k.access(l.imageDims(x.Dims[l.n], x.Dims[l.c], h, w), x.Split)
}

func typeUpsampling(k *call) *Type {
	x := k.args[0]
	if k.rank(0, 4); k.err == nil && x.Split != 4 {
		k.fail(0, "split-mismatch", "all dims of x are access dims, got %s", x.shape())
	}
	if k.err != nil {
		return nil
	}
	h := k.scaled(1, x.Dims[2])
	w := k.scaled(2, x.Dims[3])
	return k.access([]domain.Size{x.Dims[0], x.Dims[1], h, w}, 4)
}

// scaled returns a size multiplied by the decimal factor in operand i.
func (k *call) scaled(i int, a domain.Size) domain.Size {
	text := k.n.Args[i].Text
	f, ok := ParseDecimal(text)
	if !ok || f.Sign() <= 0 {
		k.fail(i, "bad-scale", "a scale is a positive decimal number, got %s", text)
		return a
	}
	whole, divisor := a.Mul(domain.BigSize(f.Num())), domain.BigSize(f.Denom())
	k.require(i, domain.Divides(divisor, whole), "bad-scale",
		"the scaled size is an integer, got %s times %s", a, text)
	return whole.Div(divisor)
}

// ParseDecimal returns the value of a decimal literal. It fails for inf, and for numbers beyond maxDigits
// and maxExponent.
func ParseDecimal(text string) (*big.Rat, bool) {
	if !isDecimal(text) || len(text) > maxDigits {
		return nil, false
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		if e, err := strconv.Atoi(text[i+1:]); err != nil || e < -maxExponent || e > maxExponent {
			return nil, false
		}
	}
	return new(big.Rat).SetString(text)
}

func typeRelaySqueeze(k *call) *Type {
	x := k.args[0].Dims
	drop := make([]bool, len(x))
	for _, a := range k.args[1].Ints {
		n, ok := a.Int64()
		switch {
		case !ok:
			k.fail(1, "symbolic-axis", "the axes of relay-squeeze must be numbers, not %s", a)
		case n < 0 || n >= int64(len(x)):
			k.fail(1, "bad-axis", "there is no axis %d: the operand has %s", n,
				plural(len(x), "axis", "axes"))
		case drop[n]:
			k.fail(1, "bad-axis", "axis %d is listed twice", n)
		}
		if k.err != nil {
			return nil
		}
		drop[n] = true
		k.isOne(1, x, int(n))
	}
	var dims []domain.Size
	for i, d := range x {
		if !drop[i] {
			dims = append(dims, d)
		}
	}
	return k.access(dims, len(dims))
}

func typeExpandDims(k *call) *Type {
	x := k.args[0]
	a := k.axis(1, len(x.Dims)+1)
	n := k.number(2)
	if k.err == nil && n > maxRank {
		k.fail(2, "too-large", "a rank of %d; at most %d are supported", n, maxRank)
	}
	if k.err != nil {
		return nil
	}
	ones := make([]domain.Size, n)
	for i := range ones {
		ones[i] = domain.IntSize(1)
	}
	split := x.Split
	if a < split {
		split += len(ones)
	}
	return k.access(replace(x.Dims, a, a, ones...), split)
}

func typeRelayConcatenate(k *call) *Type {
	items := k.args[1].Items
	if len(items) == 0 {
		k.fail(1, "wrong-operand", "relay-concatenate takes at least one tensor")
		return nil
	}
	for i, t := range items {
		if t.Kind != TypeAccess {
			k.fail(1, "wrong-operand", "component %d is not an access pattern but %s", i, t.describe())
			return nil
		}
		if k.elem == (domain.Elem{}) {
			k.elem = t.Elem
		} else if t.Elem != k.elem && t.Elem != (domain.Elem{}) {
			k.fail(1, "elem-mismatch", "the tensors to concatenate have one element type, got %s and %s",
				k.elem, t.Elem)
			return nil
		}
	}
	x := items[0].Dims
	a := k.axis(0, len(x))
	if k.err != nil {
		return nil
	}
	sum := x[a]
	for i, t := range items[1:] {
		if len(t.Dims) != len(x) {
			k.fail(1, "shape-mismatch", "the tensors to concatenate have one rank, got %s and %s",
				items[0].shape(), t.shape())
			return nil
		}
		k.concatenable(1, x, t.Dims, a)
		if sum = sum.Add(t.Dims[a]); sum.TooLarge() {
			k.fail(1, "too-large", "the sum of %d sizes has more than %d parts", i+2, domain.LargestWeight)
			return nil
		}
	}
	return k.access(replace(x, a, a+1, sum), len(x))
}

const maxSections = 4096 // parts of a relay-split

func typeSplit(k *call) *Type {
	k.defaultElem()
	x := k.args[0].Dims
	a := k.axis(2, len(x))
	if k.err != nil {
		return nil
	}
	part := func(size domain.Size) *Type { return k.access(replace(x, a, a+1, size), 0) }
	t := k.newType(Type{Kind: TypeTuple})
	if k.args[1].Kind == TypeInt {
		n := k.number(1)
		if k.err == nil && (n < 1 || n > maxSections) {
			k.fail(1, "bad-sections", "relay-split makes 1 to %d parts, not %d", maxSections, n)
		}
		if k.err != nil {
			return nil
		}
		k.divides(1, domain.IntSize(n), x[a], "the number of parts", fmt.Sprintf("axis %d", a))
		equal := part(x[a].Div(domain.IntSize(n)))
		for range n {
			t.Items = append(t.Items, equal)
		}
		return t
	}
	cuts := k.args[1].Ints
	if len(cuts) >= maxSections {
		k.fail(1, "bad-sections", "relay-split makes 1 to %d parts, not %d", maxSections, len(cuts)+1)
	}
	from := domain.Size{}
	for _, c := range append(cuts[:len(cuts):len(cuts)], x[a]) {
		if k.err != nil {
			return nil
		}
		k.require(1, domain.Le(from, c), "slice-bounds", "relay-split cuts at %s after %s", c, from)
		t.Items = append(t.Items, part(c.Sub(from)))
		from = c
	}
	return t
}

func typeStridedSlice(k *call) *Type {
	x := k.args[0].Dims
	for i := 1; i <= 3; i++ {
		k.lengths(i, len(x))
	}
	if k.err != nil {
		return nil
	}
	dims := make([]domain.Size, len(x))
	for i, d := range x {
		dims[i] = k.slice(1, 2, i, d, k.args[1].Dims[i], k.args[2].Dims[i])
		stride := k.args[3].Dims[i]
		k.require(3, domain.Eq(stride, domain.IntSize(1)), "bad-stride",
			"the strides of relay-strided-slice are 1, got %s", stride)
	}
	return k.access(dims, len(dims))
}
