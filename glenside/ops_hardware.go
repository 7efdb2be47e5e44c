package glenside

import "tv/semantics/domain"

// The systolic arrays: calls with a plain mathematical meaning. The numbers rows and cols are the size of the
// array, from 1 on; they do not change the value.
var hardwareOps = []*Op{
	{
		Name: "systolic-array", Aliases: []string{"systolicArray"}, Category: CatHardware, Cost: Sums,
		Operands: operands("rows:int cols:int x:access w:access"),
		Shapes:   "rows, cols, ((m) (rows)) or (() (rows)), (() (rows cols)) -> ((m cols) ()) or ((cols) ())",
		Meaning:  "out[i j] = sum over k of x[i k] * w[k j]",
		Example: "(input A (shape 2 4))\n(input W (shape 4 3))\n" +
			"(systolic-array 4 3 (access A 1) (access W 0))",
		typ: func(k *call) *Type {
			t := typeSystolic(k)
			if k.err == nil {
				w := k.args[3].Dims
				k.equal(3, k.args[0].Int, w[0], "shape-mismatch",
					"the weights have as many rows as the array")
				k.equal(3, k.args[1].Int, w[1], "shape-mismatch",
					"the weights have as many columns as the array")
			}
			return t
		},
	},
	{
		Name: "systolic-array-with-blocking", Category: CatHardware, Cost: Sums,
		Operands: operands("rows:int cols:int x:access w:access"),
		Shapes: "rows, cols, ((m) (n)) or (() (n)), (() (n p)), rows divides n, cols divides p -> ((m p) ()) " +
			"or ((p) ())",
		Meaning: "out[i j] = sum over k of x[i k] * w[k j]",
		Example: "(input A (shape 2 4))\n(input W (shape 4 6))\n" +
			"(systolic-array-with-blocking 2 3 (access A 1) (access W 0))",
		typ: func(k *call) *Type {
			t := typeSystolic(k)
			if k.err == nil {
				w := k.args[3].Dims
				k.divides(3, k.args[0].Int, w[0], "the rows of the array", "those of the weights")
				k.divides(3, k.args[1].Int, w[1], "the columns of the array", "those of the weights")
			}
			return t
		},
	},
	systolicConv("systolic-array-conv2d-nchw-oihw-with-blocking", nchw, true),
	systolicConv("systolic-array-conv2d-nhwc-hwio-with-blocking", nhwc, true),
	systolicConv("systolic-array-conv2d-im2col-nchw-oihw-with-blocking", nchw, false),
	systolicConv("systolic-array-conv2d-im2col-nhwc-hwio-with-blocking", nhwc, false),
}

func typeSystolic(k *call) *Type {
	k.atLeastOne(0, k.args[0].Int, "rows")
	k.atLeastOne(1, k.args[1].Int, "cols")
	x, w := k.args[2], k.args[3]
	if x.Split > 1 || len(x.Compute()) != 1 {
		k.fail(2, "rank-mismatch", "x of %s is ((m) (n)) or (() (n)), got %s", k.n.Op.Name, x.shape())
	}
	if w.Split != 0 || len(w.Dims) != 2 {
		k.fail(3, "rank-mismatch", "w of %s is (() (n p)), got %s", k.n.Op.Name, w.shape())
	}
	if k.err != nil {
		return nil
	}
	k.equal(3, x.Compute()[0], w.Dims[0], "shape-mismatch", "the items of x are as long as the columns of w")
	return k.access(concat(x.Access(), w.Dims[1:]), x.Split+1)
}

// divides states that a divides b.
func (k *call) divides(i int, a, b domain.Size, what, whole string) {
	k.require(i, domain.Divides(a, b), "not-divisible", "%s (%s) must divide %s (%s)", what, a, whole, b)
}

// A layout says which axis of an image and of convolution weights is which.
type layout struct {
	n, c, h, w     int // of images
	o, i, kh, kw   int // of weights
	image, weights string
}

var (
	nchw = layout{0, 1, 2, 3, 0, 1, 2, 3, "N C H W", "O C kh kw"}
	nhwc = layout{0, 3, 1, 2, 3, 2, 0, 1, "N H W C", "kh kw C O"}
)

// imageDims arranges the dims of an image.
func (l layout) imageDims(n, c, h, w domain.Size) []domain.Size {
	dims := make([]domain.Size, 4)
	dims[l.n], dims[l.c], dims[l.h], dims[l.w] = n, c, h, w
	return dims
}

// systolicConv returns a convolution on a systolic array; a blocked one has channels that it divides.
func systolicConv(name string, l layout, blocked bool) *Op {
	op := &Op{
		Name: name, Category: CatHardware, Cost: Sums,
		Operands: operands("rows:int cols:int weights:access x:access kh:int kw:int sh:int sw:int"),
		Shapes: "rows, cols, weights of dims (" + l.weights + "), x of dims (" + l.image + "), " +
			"kh <= H, kw <= W, sh, sw >= 1; H' = (H - kh) div sh + 1, W' = (W - kw) div sw + 1 -> ",
		typ: func(k *call) *Type { return typeSystolicConv(k, l, blocked) },
	}
	if blocked {
		op.Shapes += "rows divides C, cols divides O; "
	}
	if l == nchw {
		op.Shapes += "((N O H' W') ())"
		op.Meaning = "out[n o i j] = sum over c, p, q of x[n c i*sh+p j*sw+q] * weights[o c p q]"
		op.Example = "(input W (shape 4 2 3 3))\n(input X (shape 1 2 5 5))\n(" + name +
			" 2 4 (access-tensor W) (access-tensor X) 3 3 1 1)"
		return op
	}
	op.Shapes += "((N H' W' O) ())"
	op.Meaning = "out[n i j o] = sum over c, p, q of x[n i*sh+p j*sw+q c] * weights[p q c o]"
	op.Example = "(input W (shape 3 3 2 4))\n(input X (shape 1 5 5 2))\n(" + name +
		" 2 4 (access-tensor W) (access-tensor X) 3 3 1 1)"
	return op
}

func typeSystolicConv(k *call, l layout, blocked bool) *Type {
	k.atLeastOne(0, k.args[0].Int, "rows")
	k.atLeastOne(1, k.args[1].Int, "cols")
	k.rank(2, 4)
	k.rank(3, 4)
	if k.err != nil {
		return nil
	}
	w, x := k.args[2].Dims, k.args[3].Dims
	kh, kw := k.args[4].Int, k.args[5].Int
	k.equal(2, x[l.c], w[l.i], "shape-mismatch", "the weights have the channels of x")
	k.equal(2, kh, w[l.kh], "shape-mismatch", "the weights have the height of the kernel")
	k.equal(2, kw, w[l.kw], "shape-mismatch", "the weights have the width of the kernel")
	if blocked {
		k.divides(0, k.args[0].Int, w[l.i], "rows", "the channels")
		k.divides(1, k.args[1].Int, w[l.o], "cols", "the output channels")
	}
	h := k.windows(3, "the height of x", x[l.h], kh, k.args[6].Int)
	v := k.windows(3, "the width of x", x[l.w], kw, k.args[7].Int)
	return k.access(l.imageDims(x[l.n], w[l.o], h, v), 4)
}
