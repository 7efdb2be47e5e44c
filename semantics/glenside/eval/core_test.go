package eval

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tv/glenside"
	"tv/semantics/domain"
	"tv/semantics/value"
)

// counted are inputs whose elements are 0, 1, 2, ... and in real 100 more for each tensor after the first.
type counted struct{ ty *glenside.Typing }

func (c counted) Element(name string, offset int64) value.Value {
	i := slices.IndexFunc(c.ty.Tensors, func(t domain.Tensor) bool { return t.Name == name })
	return integer(offset + 100*int64(i))
}

// run evaluates a program in real on counted inputs and prints all elements of the result, or what failed.
func run(t tester, text string, in value.Inputs) string {
	t.Helper()
	ty := typed(t, text)
	if in == nil {
		in = counted{ty}
	}
	e, err := New(ty, value.Real, nil, in)
	if err != nil {
		return err.Error()
	}
	values, err := all(e, nil)
	if err != nil {
		return err.Error()
	}
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = v.String()
	}
	return strings.Join(words, " ")
}

func TestCoreOperators(t *testing.T) {
	const a23, b23 = "(input A (shape 2 3))", "(input B (shape 2 3))"
	for _, test := range []struct{ text, want string }{
		{"(access-literal (literal 0.5))", "1/2"},
		{"(access-tensor (constant-tensor 7 (shape 2 2)))", "7 7 7 7"},
		{a23 + "(access-tensor A)", "0 1 2 3 4 5"},
		{a23 + "(access A 1)", "0 1 2 3 4 5"},
		{a23 + "(access-shift-right (access A 1))", "0 1 2 3 4 5"},
		{a23 + "(access-transpose (access A 1) (list 1 0))", "0 3 1 4 2 5"},
		{"(input A (shape 2 2 3))(access-transpose (access A 1) (list 2 0 1))", "0 3 6 9 1 4 7 10 2 5 8 11"},
		{a23 + "(input B (shape 1 3))(access-cartesian-product (access A 1) (access B 1))",
			"0 1 2 100 101 102 3 4 5 100 101 102"},
		{"(input A (shape 1 2))(input B (shape 3 2))(access-cartesian-product (access A 1) (access B 1))",
			"0 1 100 101 0 1 102 103 0 1 104 105"},
		{a23 + b23 + "(access-pair (access A 1) (access B 1))", "0 1 2 100 101 102 3 4 5 103 104 105"},
		{a23 + b23 + "(access-pair (access A 0) (access B 0))", "0 1 2 3 4 5 100 101 102 103 104 105"},
		{"(input A (shape 7))(access-windows (access A 0) (shape 3) (shape 3))", "0 1 2 3 4 5"},
		{"(input A (shape 2 3))(access-windows (access A 1) (shape 2) (shape 1))", "0 1 1 2 3 4 4 5"},
		{"(input A (shape 3 3))(access-windows (access A 0) (shape 2 2) (shape 1 2))", "0 1 3 4 3 4 6 7"},
		{a23 + "(access-slice (access A 1) 1 1 3)", "1 2 4 5"},
		{a23 + "(access-slice (access A 1) 0 1 1)", ""},
		{a23 + "(input B (shape 2 1))(access-concatenate (access A 1) (access B 1) 1)", "0 1 2 100 3 4 5 101"},
		{a23 + "(access-pad (access A 1) zero-padding 1 1 2)", "0 0 1 2 0 0 0 3 4 5 0 0"},
		{a23 + "(access-pad (access A 1) min-padding 0 0 1)", "0 1 2 3 4 5 min min min"},
		{"(input A (shape 2 1 2))(access-squeeze (access A 1) 1)", "0 1 2 3"},
		{a23 + "(access-insert-axis (access A 1) 1)", "0 1 2 3 4 5"},
		{"(input A (shape 1 2))(access-broadcast (access A 0) (access-shape (shape 3) (shape 2)))", "0 1 0 1 0 1"},
		{a23 + "(access-reshape (access-transpose (access A 1) (list 1 0)) (access-shape (shape 6) (shape)))", "0 3 1 4 2 5"},
		{a23 + "(access-flatten (access-transpose (access A 0) (list 1 0)))", "0 3 1 4 2 5"},
		{a23 + "(access-reshape (access A 1) (access-shape (slice-shape (shape-of A) 1) (shape-insert-axis (shape 2) 1)))",
			"0 1 2 3 4 5"},
		{a23 + "(construct-tuple (access A 1) (construct-tuple (access A 0)))", "0 1 2 3 4 5 0 1 2 3 4 5"},
		{a23 + "(tuple-get-item (construct-tuple (access A 1) (access-slice (access A 0) 0 1 2)) 1)", "3 4 5"},

		{a23 + "(compute reduce-sum (access A 1))", "3 12"},
		{a23 + "(compute reduce-sum (access A 2))", "0 1 2 3 4 5"},
		{a23 + "(compute reduce-sum (access-slice (access A 1) 1 0 0))", "0 0"},
		{a23 + "(compute reduce-max (access A 0))", "5"},
		{a23 + "(compute reduce-max (access-slice (access A 1) 1 0 0))", "min min"},
		{a23 + "(compute reduce-mean (access A 1))", "1 4"},
		{a23 + "(compute reduce-mean (access A 2))", "0 1 2 3 4 5"},
		{a23 + b23 + "(compute dot-product (access-pair (access A 1) (access B 1)))", "305 1250"},
		{"(input A (shape 1 3))(compute dot-product (access A 1))", "0"},
		{"(input A (shape 1 1 3))(compute dot-product (access A 1))", "3"},
		{"(input A (shape 6 2))(compute dot-product (access A 0))", "10395"},
		{"(input A (shape 2 3))(compute dot-product (access-slice (access A 0) 0 0 0))", "3"},
		{a23 + b23 + "(compute elementwise-add (access-pair (access A 0) (access B 0)))", "100 102 104 106 108 110"},
		{"(input A (shape 3 2))(compute elementwise-add (access A 0))", "6 9"},
		{"(input A (shape 1 3 2))(compute elementwise-mul (access A 1))", "0 15"},
		{"(input A (shape 1 3))(compute elementwise-mul (access-slice (access A 0) 0 0 0))", "1 1 1"},
		{"(input A (shape 3 3))(compute elementwise-div (access-slice (access A 0) 1 1 3))", "1/28 1/20"},
		{"(input A (shape 3))(compute negative (access A 0))", "0 -1 -2"},
		{"(input A (shape 3))(compute relu (compute negative (access A 0)))", "0 0 0"},
		{"(input A (shape 3 2))(compute sqrt (access-slice (access A 2) 1 0 1))",
			"0 [1.4142135623730950488, 1.4142135623730950489] 2"},
		{"(compute softmax (access (access-tensor (constant-tensor 0 (shape 1 4))) 1))", "1/4 1/4 1/4 1/4"},
		{"(input A (shape 2))(compute reduce-max (access-pad (access A 0) min-padding 0 1 1))", "1"},
		{"(input A (shape 1))(compute reduce-sum (access-slice (access-pad (access A 0) min-padding 0 1 0) 0 0 1))", "min"},
	} {
		if got := run(t, test.text, nil); got != test.want {
			t.Errorf("%s\n  is %s\nwant %s", test.text, got, test.want)
		}
	}
}

func TestUndefinedElements(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"(input A (shape 2))\n(compute elementwise-div (access-concatenate (access A 0) (access A 0) 0))",
			"undefined: division of 0 by 0 (element [] of elementwise-div at test.sexp:2:1)"},
		{"(input A (shape 2 1))(compute reduce-mean (access-slice (access A 1) 1 0 0))",
			"undefined: the mean of no elements (element [0] of reduce-mean at test.sexp:1:22)"},
		{"(input A (shape 2))(compute negative (access-pad (access A 0) min-padding 0 0 1))",
			"undefined: negation of MIN (element [2] of negative at test.sexp:1:20)"},
		{"(input A (shape 2))(compute negative (compute sqrt (compute negative (access A 0))))",
			"undefined: square root of -1 (element [1] of sqrt at test.sexp:1:38)"},
		{"(input A (shape 3 2))(input J (shape 2))(relay-operator-call relay-take A J 1)",
			"undefined: index 100 into an axis of 2 elements (element [0 0] of relay-take at test.sexp:1:41)"},
		{"(input A (shape 2))(compute relu (tuple-get-item (relay-operator-call relay-dropout A 0.5) 1))",
			"rests on uninterpreted the mask of relay-dropout"},
		{"(input A (shape 2))(relay-operator-call relay-clip A 0 inf)",
			"undefined: an infinite literal is not a real number (element [0] of relay-clip at test.sexp:1:20)"},
	} {
		if got := run(t, test.text, nil); got != test.want {
			t.Errorf("%s\n  is %s\nwant %s", test.text, got, test.want)
		}
	}
}

// What is not read does not matter: a slice of an undefined element, a tuple's other component.
func TestUnreadElementsMayBeUndefined(t *testing.T) {
	for _, text := range []string{
		"(access-slice (compute sqrt (compute negative (access A 0))) 0 0 1)",
		"(tuple-get-item (construct-tuple (access-slice (access A 0) 0 0 1) (compute sqrt (compute negative (access A 0)))) 0)",
		"(access-slice (access-concatenate (access A 0) (compute sqrt (compute negative (access A 0))) 0) 0 0 1)",
	} {
		if got := run(t, "(input A (shape 2))"+text, nil); got != "0" {
			t.Errorf("%s is %s", text, got)
		}
	}
}

func TestNodes(t *testing.T) {
	ty := typed(t, "(input A (shape 2 3))\n(compute negative (access-transpose (access A 1) (list 1 0)))")
	e, err := New(ty, value.Real, nil, counted{ty})
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, n := range ty.Program.Nodes {
		dims := e.NodeDims(n)
		if len(dims) == 0 {
			if _, err := e.NodeElement(n, nil); err == nil {
				t.Errorf("%s has an element", glenside.FormatNode(n))
			}
			continue
		}
		v, err := e.NodeElement(n, []int64{1, 0})
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, fmt.Sprint(dims, " ", v))
	}
	want := []string{"[2 3] 3", "[2 3] 3", "[2 3] 3", "[3 2] 1", "[3 2] -1"}
	if !slices.Equal(seen, want) {
		t.Errorf("nodes are %q, want %q", seen, want)
	}
	for _, index := range [][]int64{{0}, {3, 0}, {0, -1}, {0, 0, 0}} {
		if _, err := e.Element(nil, index); err == nil {
			t.Errorf("there is an element %d", index)
		}
	}
}

func TestSymbolicSizes(t *testing.T) {
	ty := typed(t, "(input A (shape N K))\n(compute reduce-sum (access-windows (access A 1) (shape 3) (shape (div K 3))))")
	for _, test := range []struct {
		point domain.Point
		want  string
	}{
		{domain.Point{"N": 2, "K": 6}, "3 9 21 27"},
		{domain.Point{"N": 1, "K": 2}, "test.sexp:2:21: a stride must be at least 1, got (div K 3) [zero-size]"},
		{domain.Point{"N": 1}, "test.sexp:2:21: the size K has no value [unbound-size]"},
	} {
		e, err := New(ty, value.Real, test.point, counted{ty})
		if err != nil {
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("at %v: %v, want %s", test.point, err, test.want)
			}
			continue
		}
		values, err := all(e, nil)
		if got := strings.Trim(fmt.Sprint(values), "[]"); err != nil || got != test.want {
			t.Errorf("at %v: %s, %v, want %s", test.point, got, err, test.want)
		}
	}
}

// naive is a tensor written out.
type naive struct {
	dims  []int64
	elems []int64
}

func (x naive) at(index []int64) int64 {
	offset := int64(0)
	for i, d := range x.dims {
		offset = offset*d + index[i]
	}
	return x.elems[offset]
}

// build writes out the tensor of dims whose elements f computes.
func build(dims []int64, f func(index []int64) int64) naive {
	x := naive{dims: slices.Clone(dims)}
	index := make([]int64, len(dims))
	var loop func(axis int)
	loop = func(axis int) {
		if axis == len(dims) {
			x.elems = append(x.elems, f(index))
			return
		}
		for index[axis] = 0; index[axis] < dims[axis]; index[axis]++ {
			loop(axis + 1)
		}
	}
	loop(0)
	return x
}

// Random chains of operators that move elements, against tensors written out after each step.
func TestMovesAgainstWrittenOutTensors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.SliceOfN(rapid.Int64Range(1, 4), 1, 4).Draw(t, "dims")
		count := int64(-1)
		x := build(dims, func([]int64) int64 { count++; return count })
		text := "(access A 0)"
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			text, x = drawMove(t, text, x)
		}
		program := fmt.Sprintf("(input A (shape %s))%s", joined(dims), text)
		ty := typed(t, program)
		e, err := New(ty, value.Real, nil, counted{ty})
		if err != nil {
			t.Fatalf("%s: %v", program, err)
		}
		if !slices.Equal(e.Dims(nil), x.dims) {
			t.Fatalf("%s has dims %d, want %d", program, e.Dims(nil), x.dims)
		}
		values, err := all(e, nil)
		if err != nil {
			t.Fatalf("%s: %v", program, err)
		}
		for i, v := range values {
			if value.Compare(v, integer(x.elems[i])) != value.Same {
				t.Fatalf("%s: element %d is %s, want %d", program, i, v, x.elems[i])
			}
		}
	})
}

func joined(dims []int64) string { return strings.Trim(fmt.Sprint(dims), "[]") }

// drawMove applies a random operator, with all dims compute dims.
func drawMove(t *rapid.T, text string, x naive) (string, naive) {
	rank := len(x.dims)
	axis := 0
	if rank > 0 {
		axis = rapid.IntRange(0, rank-1).Draw(t, "axis")
	}
	with := func(n int64) []int64 {
		dims := slices.Clone(x.dims)
		dims[axis] = n
		return dims
	}
	shifted := func(dims []int64, by int64) naive {
		return build(dims, func(index []int64) int64 {
			index = slices.Clone(index)
			index[axis] += by
			if index[axis] < 0 || index[axis] >= x.dims[axis] {
				return 0
			}
			return x.at(index)
		})
	}
	move := rapid.SampledFrom([]string{"transpose", "reshape", "slice", "pad", "insert", "pair", "windows", "concatenate",
		"broadcast", "negative"}).Draw(t, "move")
	if rank == 0 && move != "insert" && move != "pair" || len(x.elems) > 2000 {
		return text, x
	}
	switch move {
	case "transpose":
		order := rapid.Permutation(toInts(rank)).Draw(t, "order")
		dims := make([]int64, rank)
		for i, from := range order {
			dims[i] = x.dims[from]
		}
		text = fmt.Sprintf("(access-transpose %s (list %s))", text, joined(order))
		return text, build(dims, func(index []int64) int64 {
			from := make([]int64, rank)
			for i, axis := range order {
				from[axis] = index[i]
			}
			return x.at(from)
		})
	case "reshape":
		// The dims factored and multiplied at random.
		var dims []int64
		for n := int64(len(x.elems)); n > 1; {
			var divisors []int64
			for d := int64(2); d <= n; d++ {
				if n%d == 0 {
					divisors = append(divisors, d)
				}
			}
			d := rapid.SampledFrom(divisors).Draw(t, "factor")
			dims = append(dims, d)
			if rapid.IntRange(0, 4).Draw(t, "one") == 0 {
				dims = append(dims, 1)
			}
			n /= d
		}
		text = fmt.Sprintf("(access-reshape %s (access-shape (shape) (shape %s)))", text, joined(dims))
		return text, naive{dims, x.elems}
	case "slice":
		lo := rapid.Int64Range(0, x.dims[axis]-1).Draw(t, "low")
		hi := rapid.Int64Range(lo+1, x.dims[axis]).Draw(t, "high")
		return fmt.Sprintf("(access-slice %s %d %d %d)", text, axis, lo, hi), shifted(with(hi-lo), lo)
	case "pad":
		before, after := rapid.Int64Range(0, 2).Draw(t, "before"), rapid.Int64Range(0, 2).Draw(t, "after")
		text = fmt.Sprintf("(access-pad %s zero-padding %d %d %d)", text, axis, before, after)
		return text, shifted(with(x.dims[axis]+before+after), -before)
	case "insert":
		if rank > 5 {
			return text, x
		}
		at := rapid.IntRange(0, rank).Draw(t, "at")
		text = fmt.Sprintf("(access (access-insert-axis %s %d) 0)", text, at)
		return text, naive{slices.Insert(slices.Clone(x.dims), at, 1), x.elems}
	case "pair":
		if rank > 5 {
			return text, x
		}
		text = fmt.Sprintf("(access-pair %s (compute negative %s))", text, text)
		dims := slices.Insert(slices.Clone(x.dims), 0, 2)
		return text, build(dims, func(index []int64) int64 { return x.at(index[1:]) * (1 - 2*index[0]) })
	case "windows":
		if rank > 3 {
			return text, x
		}
		w, strides, counts := make([]int64, rank), make([]int64, rank), make([]int64, rank)
		for i, d := range x.dims {
			w[i] = rapid.Int64Range(1, d).Draw(t, "window")
			strides[i] = rapid.Int64Range(1, 2).Draw(t, "stride")
			counts[i] = (d-w[i])/strides[i] + 1
		}
		text = fmt.Sprintf("(access (access-windows %s (shape %s) (shape %s)) 0)", text, joined(w), joined(strides))
		return text, build(append(counts, w...), func(index []int64) int64 {
			from := make([]int64, rank)
			for i := range from {
				from[i] = index[i]*strides[i] + index[rank+i]
			}
			return x.at(from)
		})
	case "concatenate":
		text = fmt.Sprintf("(access-concatenate %s (compute negative %s) %d)", text, text, axis)
		n := x.dims[axis]
		return text, build(with(2*n), func(index []int64) int64 {
			index = slices.Clone(index)
			if index[axis] < n {
				return x.at(index)
			}
			index[axis] -= n
			return -x.at(index)
		})
	case "broadcast":
		if x.dims[axis] != 1 {
			return text, x
		}
		dims := with(rapid.Int64Range(1, 3).Draw(t, "copies"))
		text = fmt.Sprintf("(access-broadcast %s (access-shape (shape) (shape %s)))", text, joined(dims))
		return text, build(dims, func(index []int64) int64 {
			index = slices.Clone(index)
			index[axis] = 0
			return x.at(index)
		})
	}
	text = fmt.Sprintf("(compute negative %s)", text)
	return text, build(x.dims, func(index []int64) int64 { return -x.at(index) })
}

func toInts(n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(i)
	}
	return list
}
