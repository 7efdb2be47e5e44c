package lower

import (
	"strings"
	"testing"

	"tv/semantics/domain"
	"tv/semantics/value"
)

// cases are programs at the corners of operators, for numbers and, where sizes are named, for the points.
const cases = `
(input A (shape 2 3 4))
(access-flatten (access-transpose (access A 1) (list 2 0 1)))

(input A (shape 2 3 4 5))
(access-reshape (access A 2) (access-shape (shape 6 2) (shape 2 5)))

(input A (shape 4 3 1 5))
(access-reshape (access A 2) (access-shape (shape 2 2 3) (shape 5 1)))

(input A (shape 1 6 1))
(access-reshape (access A 2) (access-shape (shape 3) (shape 1 2)))

(input A (shape M N))
(access-flatten (access A 0))

(input A (shape M N))
(access-reshape (access-flatten (access A 0)) (access-shape (shape N) (shape M)))

(input A (shape M N 3))
(access-reshape (access A 1) (access-shape (shape (* M N)) (shape 3)))

(input A (shape M N))
(access-reshape (access A 0) (access-shape (shape 6) (shape)))

(input A (shape N))
(access-reshape (access A 1) (access-shape (shape (div N 2)) (shape 2)))

(input A (shape N))
(input B (shape M))
(access-broadcast (access-reshape (access A 1) (access-shape (shape 1) (shape N)))
  (access-shape (shape M) (shape N)))

(input A (shape M N))
(access-broadcast (access A 1) (access-shape (shape 3) (shape N)))

(input A (shape N))
(input B (shape M))
(relay-operator-call relay-add A B)

(input A (shape 2 1 4))
(input B (shape 3 1))
(relay-operator-call relay-multiply A B)

(input A (shape))
(input B (shape 3 N))
(relay-operator-call relay-divide B A)

(input A (shape N 3))
(input B (shape 1 3))
(relay-operator-call relay-maximum A B)

(input A (shape 3 5))
(input B (shape 2 5))
(access-slice (access-concatenate (access A 1) (access B 1) 0) 0 1 4)

(input A (shape M 5))
(input B (shape N 5))
(access-concatenate (access-concatenate (access A 1) (access B 1) 0) (access A 1) 0)

(input A (shape M 5))
(input B (shape N 5))
(compute reduce-sum (access (access-transpose (access-concatenate (access A 1) (access B 1) 0) (list 1 0)) 1))

(input A (shape M N))
(access-slice (access A 1) 1 (div N 2) N)

(input A (shape 7 6))
(access-windows (access A 0) (shape 3 2) (shape 2 3))

(input A (shape 2 H W))
(compute reduce-max (access-windows (access A 1) (shape 2 3) (shape 1 2)))

(input A (shape H))
(access-windows (access A 0) (shape 2) (shape M))

(input A (shape 2 3))
(access-pad (access-pad (access A 1) min-padding 0 2 1) zero-padding 1 0 2)

(input A (shape N 3))
(compute reduce-max (access (access-pad (access A 1) min-padding 1 M 1) 1))

(input A (shape 2 3))
(compute relu (access-pad (access A 1) min-padding 0 1 1))

(input A (shape 2 3))
(compute negative (access-pad (access A 1) min-padding 0 1 1))

(input A (shape 2 3))
(compute dot-product (access A 1))

(input A (shape 3 2 2))
(compute dot-product (access A 0))

(input A (shape N 2 2))
(compute dot-product (access A 0))

(input A (shape 2 70 2))
(compute dot-product (access A 1))

(input A (shape (n 0) 2 2))
(compute dot-product (access A 0))

(input A (shape 0 3))
(compute dot-product (access A 0))

(input A (shape 2 0))
(compute reduce-sum (access A 1))

(input A (shape 2 0))
(compute reduce-max (access A 1))

(input A (shape 2 0))
(compute reduce-mean (access A 1))

(input A (shape 2 (n 0)))
(compute reduce-mean (access A 1))

(input A (shape 2 (n 0)))
(compute reduce-max (access A 1))

(input A (shape 2 3))
(compute reduce-max (access A 2))

(input A (shape 2 3))
(compute reduce-sum (access A 2))

(input A (shape 1 2 1 3))
(compute reduce-max (access A 0))

(input A (shape 2 70))
(compute elementwise-add (access A 1))

(input A (shape 2 N))
(compute elementwise-mul (access A 1))

(input A (shape 2 N))
(compute elementwise-div (access A 1))

(input A (shape 2 4))
(compute elementwise-div (access A 1))

(input A (shape 2 70))
(compute elementwise-div (access A 1))

(input A (shape 2 3))
(input B (shape 2 3))
(compute reduce-sum (access-pair (access A 1) (access B 1)))

(input A (shape 2 3))
(input B (shape 4 3))
(compute reduce-max (access-cartesian-product (access A 1) (access B 1)))

(input A (shape 2 3))
(input B (shape 2 3))
(compute reduce-max (access-pair (access A 2) (access B 2)))

(input A (shape 2 3))
(input B (shape 2 3))
(compute reduce-mean (compute relu (access-pair (access A 1) (access B 1))))

(input A (shape 2 300))
(compute reduce-mean (access A 1))

(input A (shape 2 N))
(compute reduce-mean (access A 1))

(input A (shape 3 2))
(compute softmax (access (compute softmax (access A 1)) 1))

(input A (shape 3 2))
(access-pair (access A 1) (compute elementwise-add (access-pair (access A 1) (access A 1))))

(input A (shape 2 3))
(access-shift-right (access-shift-right (access-shift-right (access A 1))))

(input A (shape 2 3 1))
(access-squeeze (access-insert-axis (access-insert-axis (access A 2) 2) 4) 4)

(input A (shape 2 3))
(construct-tuple (access A 1) (construct-tuple (construct-tuple) (compute relu (access A 1))))

(input A (shape 2 3))
(tuple-get-item (tuple-get-item
  (construct-tuple (access A 1) (construct-tuple (compute negative (access A 1)))) 1) 0)

(input A (shape 4))
(input W (shape 4 3))
(systolic-array 4 3 (access A 0) (access W 0))

(input A (shape K))
(input W (shape K N))
(systolic-array-with-blocking 2 1 (access A 0) (access W 0))

(input W (shape 2 2 2 1))
(input X (shape 1 2 5 6))
(systolic-array-conv2d-im2col-nchw-oihw-with-blocking 3 5 (access-tensor W) (access-tensor X) 2 1 2 3)

(input X (shape 2 2 7))
(input W (shape 3 2 2))
(relay-operator-call relay-conv1d X W (shape 2) (shape 2 0))

(input X (shape 1 2 L))
(input W (shape 3 2 K))
(relay-operator-call relay-conv1d X W (shape 1) (shape 1 1))

(input X (shape 1 2 4 5))
(input W (shape 3 2 3 2))
(relay-operator-call relay-conv2d X W (shape 2 1) (shape 1 0 2 1) 1 0 (shape 2 3 2)
  relay-activation-layout-nchw relay-kernel-layout-oihw)

(input X (shape 1 4 5 2))
(input W (shape 3 2 2 3))
(relay-operator-call relay-conv2d X W (shape 1 2) (shape 0 1 1 2) 1 0 (shape 3 2 2)
  relay-activation-layout-nhwc relay-kernel-layout-hwio)

(input X (shape 1 4 5 2))
(input W (shape 3 2 2 3))
(relay-operator-call relay-conv2d X W (shape 1 2) (shape 0 1 1 2) 1 0 (shape 3 2 2)
  relay-activation-layout-nhwc relay-kernel-layout-oihw)

(input X (shape 1 3 4 4))
(input W (shape 3 1 2 2))
(relay-operator-call relay-conv2d X W (shape 1 1) (shape 1 0 0 1) 3 0 (shape 1 2 2)
  relay-activation-layout-nchw relay-kernel-layout-oihw)

(input X (shape 1 2 5 5))
(relay-operator-call relay-max-pool2d X (shape 3 2) (shape 2 1) (shape 1 0 2 1) relay-activation-layout-nchw)

(input X (shape 1 5 5 2))
(relay-operator-call relay-avg-pool2d X (shape 3 2) (shape 2 1) (shape 1 0 2 1) relay-activation-layout-nhwc)

(input X (shape 1 2 3 3))
(relay-operator-call relay-avg-pool2d X (shape 2 2) (shape 1 1) (shape 3 0 0 3) relay-activation-layout-nchw)

(input X (shape 1 1 H W))
(relay-operator-call relay-avg-pool2d X (shape 3 3) (shape 2 2) (shape 1 1 1 1) relay-activation-layout-nchw)

(input X (shape 2 3 5 1))
(relay-operator-call relay-global-avg-pool2d X relay-activation-layout-nhwc)

(input X (shape 1 2 4 6))
(relay-operator-call relay-upsampling X 1.5 0.5 relay-activation-layout-nchw)

(input X (shape 1 2 H 6))
(relay-operator-call relay-upsampling X 3 2.0 relay-activation-layout-nchw)

(input A (shape 2 N 3))
(relay-operator-call relay-batch-flatten A)

(input A (shape 2 1 3 1))
(relay-operator-call relay-squeeze A (list 3 1))

(input A (shape 2 3))
(relay-operator-call relay-expand-dims (access A 1) -2 2)

(input A (shape 2 3))
(relay-operator-call relay-pad (access A 1) (shape 1 0 2 1))

(input A (shape 2 3))
(input B (shape 2 1))
(relay-operator-call relay-concatenate 1 (construct-tuple A B A))

(input A (shape 2 3))
(input B (shape 2 3))
(relay-operator-call relay-stack A B A B -1)

(input A (shape 2 3))
(input B (shape 2 3))
(compute reduce-sum (access (relay-operator-call relay-stack A B A 1) 1))

(input A (shape 2))
(input B (shape 2))
(compute reduce-sum (access (relay-operator-call relay-stack A B A B A B A B A B A B A B A B A B A B A B A B A B A B A B A B A B A B A B A B A B A B A B A B A B A B A B A B A B A B A B A B A B 1) 1))

(input A (shape 2 7))
(relay-operator-call relay-split A (list 2 2 5) 1)

(input A (shape 2 N))
(relay-operator-call relay-split A 3 1)

(input A (shape 4 3))
(input J (shape 2 2) int32)
(relay-operator-call relay-take A J 1)

(input A (shape 4 3))
(input J (shape) uint8)
(relay-operator-call relay-take A J 0)

(input A (shape 2 3))
(relay-operator-call relay-concatenate 0 (construct-tuple A))

(input A (shape 2 0 3))
(compute reduce-sum (access-flatten (access A 1)))

(input A (shape 2 3 M))
(relay-operator-call relay-reshape A (shape (max 6 M) (min 6 M)))

(input A (shape 2 N))
(access-slice (access A 1) 1 (mod N 2) N)

(input A (shape 2 3) int16)
(relay-operator-call relay-right-shift (access A 1) N)

(input A (shape 2 N))
(input B (shape 2 N))
(compute reduce-max (access (access-slice (access-pair (access A 1) (access B 1)) 1 1 2) 1))

(input A (shape 2 4 3))
(relay-operator-call relay-mean A 0)

(input A (shape 2 3))
(relay-operator-call relay-softmax (access A 1) 0)

(input A (shape 2 3))
(relay-operator-call relay-log-softmax (access A 1) 0)

(input A (shape 2 3))
(relay-operator-call relay-leaky-relu (access A 1) 2.5)

(input A (shape 2 3))
(relay-operator-call relay-leaky-relu (access A 1) -1)

(input A (shape 2 3))
(relay-operator-call relay-leaky-relu (access A 1) 1.0)

(input A (shape 2 3))
(relay-operator-call relay-clip (access A 1) -1.5 1e0)

(input A (shape 2 3))
(relay-operator-call relay-clip (access A 1) 2 -1)

(input A (shape 2 3))
(relay-operator-call relay-clip (access A 1) -inf 1)

(input A (shape 2 3))
(relay-operator-call relay-clip (access A 1) -1 infinity)

(input A (shape 2 3))
(compute relu (relay-operator-call relay-clip (access-pad (access A 1) min-padding 0 0 1) -2 3))

(input A (shape 2 3))
(relay-operator-call relay-right-shift (access A 1) 1)

(input A (shape 2 3))
(relay-operator-call relay-left-shift (access A 1) 7)

(input A (shape 2 3))
(relay-operator-call relay-left-shift (access A 1) 40)

(input A (shape 2 3))
(relay-operator-call relay-cast (access A 1) int8)

(input A (shape 2 3))
(relay-operator-call relay-cast (access A 1) uint8)

(input A (shape 2 3))
(relay-operator-call relay-cast (access A 1) bool)

(input A (shape 2 3))
(relay-operator-call relay-cast (access A 1) float16)

(input A (shape 2 3))
(relay-operator-call relay-cast (access A 1) float64)

(input A (shape 2 3))
(relay-operator-call relay-cast (access A 1) sat8)

(input A (shape 2 3))
(relay-operator-call relay-cast (access A 1) fix4.4)

(input A (shape 2 3))
(relay-operator-call relay-cast (access A 1) adaptive8.3)

(input A (shape 2 3))
(compute relu (relay-operator-call relay-round (access A 1)))

(input A (shape 2 3))
(relay-operator-call relay-add (access A 1) (access-literal (literal -0.5)))

(input A (shape 2 3))
(relay-operator-call relay-add (access A 1) (access-literal (literal -0.0)))

(input A (shape 2 3))
(relay-operator-call relay-multiply (access A 1) (access-literal (literal 0.1)))

(input A (shape 2 3))
(relay-operator-call relay-minimum (access A 1) (access-literal (literal 1e39)))

(input A (shape 2 3))
(relay-operator-call relay-add (access A 1) (access-tensor (constant-tensor 3 (shape 2 3))))

(input A (shape 2 N))
(relay-operator-call relay-add A (relay-operator-call relay-zeros (shape 2 N)))

(input A (shape 2 3))
(tuple-get-item (relay-operator-call relay-dropout (access A 1) 0.5) 1)

(input A (shape 16 16))
(input Q (shape 16))
(accelerator-call flex-attention A Q (shape 0))

(input A (shape 2 M))
(input G (shape M))
(accelerator-call flex-layernorm A G G)

(input X (shape 2 1 M))
(input S (shape 1 1 N))
(input V (shape (* 4 N) M))
(input W (shape (* 4 N) N))
(input B (shape (* 4 N)))
(accelerator-call flex-lstm X S S V W B B (shape 2 1 N))

(input A (shape 4 32))
(accelerator-call flex-maxpool (access A 0) (shape 0))

(input A (shape 4 32))
(accelerator-call flex-meanpool (access A 0) (shape 0))

(input X (shape 1 2 5 5))
(input W (shape 4 2 3 3))
(accelerator-call hlscnn-conv2d X W (shape 1 2 1) (shape 0 0 0 0) 1 4 (shape 2 3 3)
  relay-activation-layout-nchw relay-kernel-layout-oihw (shape 0))
`

// points of the named sizes of cases.
var points = []domain.Point{
	{"M": 1, "N": 1, "H": 3, "W": 3, "K": 2, "L": 4, "n": 0},
	{"M": 2, "N": 3, "H": 4, "W": 5, "K": 1, "L": 3, "n": 1},
	{"M": 3, "N": 2, "H": 6, "W": 4, "K": 4, "L": 5, "n": 3},
	{"M": 1, "N": 4, "H": 5, "W": 3, "K": 6, "L": 2, "n": 2},
	{"M": 3, "N": 3, "H": 2, "W": 6, "K": 3, "L": 6, "n": 5},
}

func TestCasesAgree(t *testing.T) {
	for _, text := range strings.Split(strings.TrimSpace(cases), "\n\n") {
		typed(t, text)
		last := text[strings.LastIndexByte(text, '\n')+1:]
		t.Run(last, func(t *testing.T) {
			for i, point := range points {
				for _, mode := range []value.Mode{value.Small, value.Edges} {
					compare(t, text, value.Real, point, mode, uint64(i))
				}
				for j, elem := range elemNames {
					if text := withType(text, elem); checks(text) {
						compare(t, text, value.Exact, point, modes[(i+j)%len(modes)], uint64(i))
					}
				}
			}
		})
	}
}
