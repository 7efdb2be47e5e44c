package glenside

import (
	"slices"

	"tv/semantics/domain"
)

// The functions of accelerator-call, with their ideal meaning on tensors. The result has the element type of
// the first operand; the others may have types of their own.
var acceleratorOps = []*Op{
	{
		Name: "cim-gemm", Category: CatAccelerator, Cost: Sums,
		Operands: operands("a:access b:access c:access alpha:float beta:float dummy:shape?"),
		Shapes:   "(m k), (k n), (m n), two numbers -> ((m n) ())",
		Meaning:  "memristor crossbar: out[i j] = alpha * the sum over l of a[i l] * b[l j], plus beta * c[i j]; beta = 0 does not read c",
		Example: "(input A (shape 2 4))\n(input B (shape 4 3))\n(input C (shape 2 3))\n" +
			"(accelerator-call cim-gemm A B C 1 0 (shape 0))",
		elems: elemsFree,
		typ:   typeCimGemm,
	},
	{
		Name: "flex-attention", Category: CatAccelerator, Cost: Enclosed, Operands: operands("m:access q:access dummy:shape?"),
		elems:   elemsFree,
		Shapes:  "((t h) ()), ((h) ()), 16 divides t and h -> ((h) ())",
		Meaning: "FlexASR: out[j] = sum over t of s[t] * m[t j], where s is the softmax of the sums over k of m[t k] * q[k]",
		Example: "(input M (shape 16 16))\n(input Q (shape 16))\n(accelerator-call flex-attention M Q (shape 0))",
		typ:     typeFlexAttention,
	},
	{
		Name: "flex-layernorm", Category: CatAccelerator, Cost: Enclosed,
		Operands: operands("x:access gamma:access beta:access dummy:shape?"),
		elems:    elemsFree,
		Shapes:   "((t h) ()), two of ((h) ()) -> ((t h) ())",
		Meaning: "FlexASR: out[i j] = (x[i j] - m) / sqrt(v) * gamma[j] + beta[j] with mean m and variance v of row i; " +
			"no epsilon is added",
		Example: "(input X (shape 2 4))\n(input G (shape 4))\n(input B (shape 4))\n" +
			"(accelerator-call flex-layernorm X G B (shape 0))",
		typ: typeFlexLayernorm,
	},
	{
		Name: "flex-linear", Category: CatAccelerator, Cost: Sums,
		Operands: operands("x:access w:access bias:access dummy:shape?"),
		Shapes:   "(m k), (n k), (n) or (1 n) -> ((m n) ())",
		Meaning:  "FlexASR: out[i j] = sum over k of x[i k] * w[j k], plus bias[j]",
		Example: "(input A (shape 2 4))\n(input W (shape 3 4))\n(input B (shape 3))\n" +
			"(accelerator-call flex-linear A W B (shape 0))",
		elems: elemsFree,
		typ: func(k *call) *Type {
			k.elem = k.args[0].Elem
			t := typeDense(k)
			if k.err == nil {
				k.biasVector(2, k.args[1].Dims[0])
			}
			return t
		},
	},
	{
		Name: "flex-lstm", Category: CatAccelerator, Cost: Sums, elems: elemsFree,
		Operands: operands("x:access h0:access c0:access w-ih:access w-hh:access b-ih:access b-hh:access " +
			"more:access* shape:shape"),
		Shapes: "seven patterns or more of any shape, E -> ((E) ())",
		Meaning: "FlexASR: the states h of an LSTM of t timesteps, where x is (t s... i), E is (t s... h) for no or one s, " +
			"h0 and c0 are (s... h) or (1 s... h), w-ih is (4h i), w-hh is (4h h), b-ih and b-hh are (4h), " +
			"and there are no more; else uninterpreted. Where t is no number or above 128, all that is known is that the states of " +
			"(access-concatenate y z 0) are those of y and then, from the last of these on, those of z. At each timestep the sums over k of x[s k] * w-ih[r k] and of h[s k] * w-hh[r k], " +
			"plus b-ih[r] + b-hh[r], are, h rows r each, i, f, g and o; then c = sigmoid(f) * c + sigmoid(i) * tanh(g) and h = sigmoid(o) * tanh(c)",
		Example: "(input X (shape 3 1 4))\n(input H (shape 1 4))\n(input W (shape 16 4))\n" +
			"(input B (shape 16))\n" +
			"(accelerator-call flex-lstm X H H W W B B (shape 3 1 4))",
		typ: typeLSTM,
	},
	{
		Name: "flex-lstm-cells", Category: CatAccelerator, Cost: Sums, elems: elemsFree,
		Operands: operands("x:access h0:access c0:access w-ih:access w-hh:access b-ih:access b-hh:access " +
			"more:access* shape:shape"),
		Shapes:  "seven patterns or more of any shape, E -> ((E) ())",
		Meaning: "the cells c that flex-lstm has behind each timestep: what steps of tv map are stated by; the machine does not return them",
		Example: "(input X (shape 3 1 4))\n(input H (shape 1 4))\n(input W (shape 16 4))\n" +
			"(input B (shape 16))\n" +
			"(accelerator-call flex-lstm-cells X H H W W B B (shape 3 1 4))",
		typ: typeLSTM,
	},
	{
		Name: "flex-maxpool", Category: CatAccelerator, Cost: Sums, Operands: operands("x:access dummy:shape?"),
		elems:   elemsFree,
		Shapes:  "(() (t h)), 2 divides t, 16 divides h -> (() (t/2 h))",
		Meaning: "FlexASR: out[i j] = max(x[2i j], x[2i+1 j])",
		Example: "(input A (shape 4 16))\n(accelerator-call flex-maxpool (access A 0))",
		typ:     typePairs,
	},
	{
		Name: "flex-meanpool", Category: CatAccelerator, Cost: Sums, Operands: operands("x:access dummy:shape?"),
		elems:   elemsFree,
		Shapes:  "(() (t h)), 2 divides t, 16 divides h -> (() (t/2 h))",
		Meaning: "FlexASR: out[i j] = (x[2i j] + x[2i+1 j]) / 2",
		Example: "(input A (shape 4 16))\n(accelerator-call flex-meanpool (access A 0))",
		typ:     typePairs,
	},
	{
		Name: "vta-dense", Category: CatAccelerator, Cost: Sums, Operands: operands("x:access w:access"),
		elems:   elemsFree,
		Shapes:  "(m k), (n k) -> ((m n) ())",
		Meaning: "VTA: out[i j] = sum over k of x[i k] * w[j k]",
		Example: "(input A (shape 2 4))\n(input W (shape 3 4))\n(accelerator-call vta-dense A W)",
		typ: func(k *call) *Type {
			k.elem = k.args[0].Elem
			return typeDense(k)
		},
	},
	{
		Name: "vta-conv1d", Category: CatAccelerator, Cost: Sums, Operands: operands("operands:access*"),
		elems:   elemsFree,
		Shapes:  "any patterns -> (() ())",
		Meaning: "VTA: a placeholder of Glenside's; uninterpreted",
		Example: "(input A (shape 4))\n(accelerator-call vta-conv1d A)",
		typ: func(k *call) *Type {
			if k.untyped = true; len(k.args) > 0 {
				k.elem = k.args[0].Elem
			}
			return k.access(nil, 0)
		},
	},
	{
		Name: "hlscnn-conv2d", Category: CatAccelerator, Cost: Sums, elems: elemsFree,
		Operands: operands("x:access w:access strides:shape padding:shape groups:int channels:int " +
			"kernel:shape layout:" + layouts + " kernel-layout:" + kernelLayouts + " dummy:shape?"),
		Shapes: "the operands of relay-conv2d with one group; strides (sh sw), or (1 sh sw) as windows over " +
			"the channels have them -> ((n o h' w') ()) or ((n h' w' o) ())",
		Meaning: "HLSCNN: relay-conv2d",
		Example: "(input X (shape 1 2 5 5))\n(input W (shape 4 2 3 3))\n" +
			"(accelerator-call hlscnn-conv2d X W (shape 1 1) (shape 1 1 1 1) 1 0 (shape 2 3 3)\n" +
			"  relay-activation-layout-nchw relay-kernel-layout-oihw (shape 0))",
		typ: typeHLSCNN,
	},
}

func typeLSTM(k *call) *Type {
	k.elem = k.args[0].Elem
	dims := k.args[len(k.args)-1].Dims
	return k.access(dims, len(dims))
}

func typeCimGemm(k *call) *Type {
	k.elem = k.args[0].Elem
	for i := range 3 {
		k.rank(i, 2)
	}
	if k.err != nil {
		return nil
	}
	a, b, c := k.args[0].Dims, k.args[1].Dims, k.args[2].Dims
	k.equal(1, a[1], b[0], "shape-mismatch", "b has as many rows as a has columns")
	k.equal(2, a[0], c[0], "shape-mismatch", "c has as many rows as a")
	k.equal(2, b[1], c[1], "shape-mismatch", "c has as many columns as b")
	return k.access([]domain.Size{a[0], b[1]}, 2)
}

// MostTimesteps bounds the timesteps of a flex-lstm that has a meaning step by step: each is written out.
const MostTimesteps = 128

// IsLSTM tells whether a node is a call of flex-lstm, or of what has its cells.
func (n *Node) IsLSTM() bool {
	return n.Kind == KindCall && (n.Op.Name == "flex-lstm" || n.Op.Name == "flex-lstm-cells")
}

// Timesteps returns the number of timesteps of a call of flex-lstm whose operands are those of an LSTM, where it is a number that
// gives it a meaning step by step.
func (t *Typing) Timesteps(n *Node) (steps int, ok bool) {
	count, ok := t.Recurrent(n)
	if s, fixed := count.Int64(); ok && fixed && s >= 1 && s <= MostTimesteps {
		return int(s), true
	}
	return 0, false
}

// Recurrent returns the number of timesteps of a call of flex-lstm whose operands are those of an LSTM; of another one nothing is
// known.
func (t *Typing) Recurrent(n *Node) (steps domain.Size, ok bool) {
	if len(n.Args) != 8 {
		return domain.Size{}, false
	}
	dims := func(i int) []domain.Size { return t.Type(n.Args[i]).Dims }
	are := func(i int, want ...domain.Size) bool { return slices.EqualFunc(dims(i), want, domain.Size.Equal) }
	x, out := dims(0), dims(7)
	if rank := len(x); rank < 2 || rank > 3 || len(out) != rank {
		return domain.Size{}, false
	}
	last := len(x) - 1
	inputs, states := x[last], out[last]
	gates := domain.IntSize(4).Mul(states)
	leading := slices.Insert(slices.Clone(out[1:]), 0, domain.IntSize(1))
	return out[0], are(0, slices.Concat(out[:last], []domain.Size{inputs})...) &&
		(are(1, out[1:]...) || are(1, leading...)) && (are(2, out[1:]...) || are(2, leading...)) &&
		are(3, gates, inputs) && are(4, gates, states) && are(5, gates) && are(6, gates)
}

// A State is what a call of flex-lstm with a meaning has behind a timestep, from 1 on: the cells c, or the states h.
type State struct {
	Call  *Node
	Step  int
	Cells bool
}

// rows states that operand i is a tensor of a rank, all dims of which are access dims.
func (k *call) rows(i, rank int) {
	if k.rank(i, rank); k.err == nil && k.args[i].Split != rank {
		k.fail(i, "split-mismatch", "all dims of %s of %s are access dims, got %s", k.operandName(i), k.n.Op.Name, k.args[i].shape())
	}
}

func typeFlexLayernorm(k *call) *Type {
	k.elem = k.args[0].Elem
	k.rows(0, 2)
	for i := 1; i <= 2 && k.err == nil; i++ {
		k.vector(i, k.args[0].Dims[1])
		k.rows(i, 1)
	}
	return typeAsX(k)
}

func typeFlexAttention(k *call) *Type {
	k.elem = k.args[0].Elem
	if k.rows(0, 2); k.err == nil {
		k.vector(1, k.args[0].Dims[1])
		k.rows(1, 1)
	}
	if k.err != nil {
		return nil
	}
	m := k.args[0].Dims
	k.divides(0, domain.IntSize(16), m[0], "16", "the number of timesteps")
	k.divides(0, domain.IntSize(16), m[1], "16", "the number of features")
	return k.access(m[1:], 1)
}

// typePairs is the type of a pool over pairs of timesteps.
func typePairs(k *call) *Type {
	x := k.args[0]
	k.elem = x.Elem
	if k.rank(0, 2); k.err == nil && x.Split != 0 {
		k.fail(0, "split-mismatch", "x of %s is (() (t h)), got %s", k.n.Op.Name, x.shape())
	}
	if k.err != nil {
		return nil
	}
	k.divides(0, domain.IntSize(2), x.Dims[0], "2", "the number of timesteps")
	k.divides(0, domain.IntSize(16), x.Dims[1], "16", "the number of features")
	return k.access([]domain.Size{x.Dims[0].Div(domain.IntSize(2)), x.Dims[1]}, 0)
}

func typeHLSCNN(k *call) *Type {
	k.elem = k.args[0].Elem
	strides := k.args[2].Dims
	if len(strides) == 3 {
		k.require(2, domain.Eq(strides[0], domain.IntSize(1)), "bad-stride",
			"the first of 3 strides is that of the channels, 1, got %s", strides[0])
		strides = strides[1:]
	} else {
		k.lengths(2, 2)
	}
	k.require(4, domain.Eq(k.args[4].Int, domain.IntSize(1)), "bad-groups", "hlscnn-conv2d has one group, got %s",
		k.args[4].Int)
	if k.err != nil {
		return nil
	}
	return k.conv2d(strides)
}
