package eval

// hardwareRules are the systolic arrays. The numbers of rows and columns do not change the values.
var hardwareRules = map[string]rule{
	"systolic-array":               systolicProduct,
	"systolic-array-with-blocking": systolicProduct,

	"systolic-array-conv2d-nchw-oihw-with-blocking":        systolicConvolution(nchw, oihw),
	"systolic-array-conv2d-nhwc-hwio-with-blocking":        systolicConvolution(nhwc, hwio),
	"systolic-array-conv2d-im2col-nchw-oihw-with-blocking": systolicConvolution(nchw, oihw),
	"systolic-array-conv2d-im2col-nhwc-hwio-with-blocking": systolicConvolution(nhwc, hwio),
}

// systolicProduct is out[i j] = sum over k of x[i k]*w[k j], where x may lack i.
func systolicProduct(k *call) result {
	x, w := k.arg(2), k.arg(3)
	rank := len(k.dims) // of the result: the loop runs over the axis after it
	dims := append(append([]int64{}, k.dims...), w.dims[0])
	rows := []int{1}
	if rank == 2 {
		rows = []int{0, 2}
	}
	return result{view: k.perElement(k.dims, k.products(1, x.along(dims, rows...), w.along(dims, rank, rank-1)))}
}

// An imageLayout says which axis of an image is which, a kernelLayout which of the weights.
type (
	imageLayout  struct{ n, c, h, w int }
	kernelLayout struct{ o, i, h, w int }
)

var (
	nchw = imageLayout{n: 0, c: 1, h: 2, w: 3}
	nhwc = imageLayout{n: 0, h: 1, w: 2, c: 3}
	oihw = kernelLayout{o: 0, i: 1, h: 2, w: 3}
	hwio = kernelLayout{h: 0, w: 1, i: 2, o: 3}
)

func systolicConvolution(image imageLayout, kernel kernelLayout) rule {
	return func(k *call) result {
		strides := [2]int64{k.int(6), k.int(7)}
		return result{view: k.convolution(k.arg(3), k.arg(2), image, kernel, strides, [4]int64{}, 1)}
	}
}

// convolution is, for an image in any layout,
//
//	out[n o i j] = sum over c, p, q of x'[n c i*sh+p j*sw+q] * w[o c p q]
//
// where x' is x with zeros at the top, left, bottom and right. With groups, of which there are as many as
// output channels, the channel of x' is o*I + c for I input channels of the weights.
func (k *call) convolution(x, w view, image imageLayout, kernel kernelLayout,
	strides [2]int64, padding [4]int64, groups int64) view {
	const c, p, q = 4, 5, 6 // axes of the loop, after those of the result
	channels := w.dims[kernel.i]
	dims := append(append([]int64{}, k.dims...), channels, w.dims[kernel.h], w.dims[kernel.w])

	from := make([]affine, 4)
	from[image.n] = axisOf(image.n)
	from[image.c] = axisOf(c)
	if groups != 1 {
		from[image.c] = axisOf(c).plus(axisOf(image.c), channels)
	}
	from[image.h] = axisOf(p).plus(axisOf(image.h), strides[0])
	from[image.w] = axisOf(q).plus(axisOf(image.w), strides[1])
	padded := x.pad(image.h, padding[0], padding[2], k.Zero()).pad(image.w, padding[1], padding[3], k.Zero())

	weights := make([]affine, 4)
	weights[kernel.o], weights[kernel.i] = axisOf(image.c), axisOf(c)
	weights[kernel.h], weights[kernel.w] = axisOf(p), axisOf(q)
	return k.perElement(k.dims, k.products(3, padded.move(dims, from), w.move(dims, weights)))
}
