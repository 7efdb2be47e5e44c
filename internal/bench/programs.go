package main

import (
	"fmt"
	"strings"
)

// A conv is a convolution: c channels of h by w, o filters of k by k, stride s, pad p on each side.
type conv struct{ c, h, w, o, k, s, p int }

func (v conv) String() string {
	return fmt.Sprintf("%dx%dx%d by %dx%dx%dx%d stride %d pad %d", v.c, v.h, v.w, v.o, v.c, v.k, v.k, v.s, v.p)
}

// resnet50 lists the distinct convolutions of ResNet-50 (He et al. 2016, table 1; the stride of a bottleneck on
// its 3x3 convolution), batch 1, 224x224 images.
func resnet50() []conv {
	out := []conv{{3, 224, 224, 64, 7, 2, 3}}
	seen := map[conv]bool{}
	add := func(v conv) {
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	in, size := 64, 56
	for stage, width := range []int{64, 128, 256, 512} {
		stride := 2
		if stage == 0 {
			stride = 1
		}
		add(conv{in, size, size, width, 1, 1, 0})
		add(conv{width, size, size, width, 3, stride, 1})
		add(conv{in, size, size, 4 * width, 1, stride, 0})
		size /= stride
		add(conv{width, size, size, 4 * width, 1, 1, 0})
		add(conv{4 * width, size, size, width, 1, 1, 0})
		add(conv{width, size, size, width, 3, 1, 1})
		in = 4 * width
	}
	return out
}

func (v conv) declarations() string {
	return fmt.Sprintf("(input activations (shape 1 %d %d %d))\n(input weights (shape %d %d %d %d))\n",
		v.c, v.h, v.w, v.o, v.c, v.k, v.k)
}

func (v conv) windows(stride int) string {
	x := "(access-tensor activations)"
	if v.p > 0 {
		for axis := 2; axis < 4; axis++ {
			x = fmt.Sprintf("(access-pad %s zero-padding %d %d %d)", x, axis, v.p, v.p)
		}
	}
	return fmt.Sprintf("(access-windows (access %s 1) (shape %d %d %d) (shape 1 %d %d))", x, v.c, v.k, v.k, v.s, stride)
}

// out returns the rows of the output; it has as many columns.
func (v conv) out() int { return (v.h+2*v.p-v.k)/v.s + 1 }

// direct is the convolution as figure 2 of the Glenside paper writes it.
func (v conv) direct() string {
	return v.declarations() + fmt.Sprintf(`(access-transpose
  (access-squeeze
    (compute dot-product (access-cartesian-product
      %s
      (access (access-tensor weights) 1)))
    1)
  (list 0 3 1 2))
`, v.windows(v.s))
}

// im2col is the form of figure 5. A defect swaps one index, stride or bound.
func (v conv) im2col(defect string) string {
	list, weights := "(list 0 3 1 2)", "(access (access-tensor weights) 1)"
	shape := fmt.Sprintf("(access-shape (shape 1 1 %d %d %d) (shape))", v.out(), v.out(), v.o)
	windows := v.windows(v.s)
	switch defect {
	case "index":
		list = "(list 0 3 2 1)"
	case "kernel":
		weights = "(access (access-transpose (access-tensor weights) (list 0 1 3 2)) 1)"
	case "bound": // one row too many above, one too few below
		windows = strings.Replace(windows, fmt.Sprintf(" 2 %d %d)", v.p, v.p), fmt.Sprintf(" 2 %d %d)", v.p+1, v.p-1), 1)
	}
	return v.declarations() + fmt.Sprintf(`(access-transpose
  (access-squeeze
    (access-reshape
      (compute dot-product (access-cartesian-product
        (access-flatten %s)
        (access-flatten %s)))
      %s)
    1)
  %s)
`, windows, weights, shape, list)
}

// chain returns two associations of a product of n matrices with named sizes.
func chain(n int) (before, after string) {
	var decl strings.Builder
	for i := range n {
		fmt.Fprintf(&decl, "(input A%d (shape N%d N%d))\n", i, i, i+1)
	}
	left := "(access-tensor A0)"
	for i := 1; i < n; i++ {
		left = matmul(left, fmt.Sprintf("(access-tensor A%d)", i))
	}
	right := fmt.Sprintf("(access-tensor A%d)", n-1)
	for i := n - 2; i >= 0; i-- {
		right = matmul(fmt.Sprintf("(access-tensor A%d)", i), right)
	}
	return decl.String() + left + "\n", decl.String() + right + "\n"
}

// distribute returns a product with a sum of n-1 matrices, and the sum of the products.
func distribute(n int) (before, after string) {
	decl := "(input A (shape M K))\n"
	sum, products := "", ""
	for i := 1; i < n; i++ {
		b := fmt.Sprintf("(access-tensor B%d)", i)
		decl += fmt.Sprintf("(input B%d (shape K N))\n", i)
		p := matmul("(access-tensor A)", b)
		if i == 1 {
			sum, products = b, p
			continue
		}
		sum, products = add(sum, b), add(products, p)
	}
	return decl + matmul("(access-tensor A)", sum) + "\n", decl + products + "\n"
}

func matmul(a, b string) string {
	return fmt.Sprintf("(compute dot-product (access-cartesian-product (access %s 1) (access (access-transpose %s (list 1 0)) 1)))", a, b)
}

func add(a, b string) string {
	return fmt.Sprintf("(compute elementwise-add (access-pair (access %s 0) (access %s 0)))", a, b)
}

// blocked returns a matmul of n by n matrices and the same in blocks of 16, as figure 7 lays it out.
func blocked(n int) (before, after string) {
	decl := fmt.Sprintf("(input A (shape %d %d))\n(input B (shape %d %d))\n", n, n, n, n)
	var s strings.Builder
	s.WriteString(decl)
	cells := n / 16
	s.WriteString(strings.Repeat("(access-concatenate ", cells-1))
	for i := range cells {
		s.WriteString(strings.Repeat("(access-concatenate ", cells-1))
		for j := range cells {
			s.WriteString(strings.Repeat("(compute reduce-sum (access-pair (access ", cells-1))
			for k := range cells {
				fmt.Fprintf(&s, "(compute dot-product (access-cartesian-product "+
					"(access-slice (access-slice (access (access-tensor A) 1) 0 %d %d) 1 %d %d) "+
					"(access-transpose (access-slice (access-slice (access (access-tensor B) 1) 0 %d %d) 1 %d %d) (list 1 0))))",
					16*i, 16*i+16, 16*k, 16*k+16, 16*k, 16*k+16, 16*j, 16*j+16)
				if k == 0 && cells > 1 {
					s.WriteString(" 2) (access ")
				} else if k > 0 {
					s.WriteString(" 2)))")
					if k < cells-1 {
						s.WriteString(" 2) (access ")
					}
				}
			}
			if j > 0 {
				s.WriteString(" 1)\n")
			}
		}
		if i > 0 {
			s.WriteString(" 0)\n")
		}
	}
	return decl + matmul("(access-tensor A)", "(access-tensor B)") + "\n", s.String()
}
