package taso_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"tv/glenside/taso"
)

// This file says a second time, on numbers, what the operators mean: it knows neither sizes nor programs, and shares
// nothing with the package but the terms. What is claimed of all shapes is held against it at small ones.

// A tensor is a value: dims, elements in row-major order, and where axes were concatenated. An element of padding of a
// maximum is -infinity.
type tensor struct {
	dims []int
	vals []float64
	cuts map[int]int
}

// undefined ends the evaluation of a term without a value.
type undefined struct{}

func require(ok bool) {
	if !ok {
		panic(undefined{})
	}
}

func size(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// make1 makes a tensor, element by element.
func make1(dims []int, at func(i []int) float64) *tensor {
	t := &tensor{dims: dims, vals: make([]float64, size(dims)), cuts: map[int]int{}}
	i := make([]int, len(dims))
	for o := range t.vals {
		t.vals[o] = at(i)
		for a := len(dims) - 1; a >= 0; a-- {
			if i[a]++; i[a] < dims[a] {
				break
			}
			i[a] = 0
		}
	}
	return t
}

func (t *tensor) at(i ...int) float64 {
	o := 0
	for a, n := range i {
		o = o*t.dims[a] + n
	}
	return t.vals[o]
}

// A machine evaluates terms.
type machine struct {
	grouped bool
	inputs  map[string]*tensor
}

// value returns the value of a term, nil if it has none.
func (m *machine) value(t *taso.Term) (out *tensor) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(undefined); !ok {
				panic(r)
			}
			out = nil
		}
	}()
	return m.eval(t, nil)
}

func number(t *taso.Term) int {
	n, err := strconv.Atoi(t.Name)
	if err != nil {
		panic(err)
	}
	return n
}

// constant tells whether the shape of a term comes from where it is used.
func constant(t *taso.Term) bool {
	operands := map[string][]int{"smul": {0}, "relu": {0}, "transpose": {0}, "ewadd": {0, 1}, "ewmul": {0, 1}}[t.Name]
	if t.Name == "poolavg" || t.Name == "poolmax" {
		if number(t.Args[2]) == 1 && number(t.Args[3]) == 1 && number(t.Args[4]) == 0 {
			operands = []int{5}
		}
	}
	for _, i := range operands {
		if !constant(t.Args[i]) {
			return false
		}
	}
	return len(operands) > 0 || strings.HasPrefix(t.Name, "I") || t.Name == "Cpool"
}

// eval is value for a term that is used at a shape, nil if nothing says which.
func (m *machine) eval(t *taso.Term, used []int) *tensor {
	if in := m.inputs[t.Name]; in != nil {
		return &tensor{in.dims, in.vals, map[int]int{}}
	}
	require(used != nil || !constant(t))
	switch t.Name {
	case "Iewmul":
		return make1(used, func([]int) float64 { return 1 })
	case "Imatmul":
		require(len(used) == 2 && used[0] == used[1])
		return make1(used, func(i []int) float64 {
			if i[0] == i[1] {
				return 1
			}
			return 0
		})
	case "Iconv", "Cpool":
		require(len(used) == 4)
		kx, ky := number(t.Args[0]), number(t.Args[1])
		return make1([]int{used[0], used[1], kx, ky}, func(i []int) float64 {
			switch {
			case t.Name == "Cpool":
				return 1 / float64(kx*ky)
			case i[2] == kx/2 && i[3] == ky/2:
				return 1
			}
			return 0
		})
	case "matmul":
		return m.matmul(t)
	case "ewadd", "ewmul":
		first, second := 0, 1
		if constant(t.Args[0]) {
			first, second = 1, 0
		}
		x := m.eval(t.Args[first], used)
		y := m.eval(t.Args[second], x.dims)
		require(slices.Equal(x.dims, y.dims))
		return x.with(y, func(a, b float64) float64 {
			if t.Name == "ewadd" {
				return a + b
			}
			return a * b
		})
	case "smul":
		x, s := m.eval(t.Args[0], used), m.eval(t.Args[1], nil)
		require(len(s.dims) == 0)
		return x.with(x, func(a, _ float64) float64 { return a * s.vals[0] })
	case "relu":
		x := m.eval(t.Args[0], used)
		return x.with(x, func(a, _ float64) float64 { return max(a, 0) })
	case "transpose":
		if used != nil {
			require(len(used) == 2)
			used = []int{used[1], used[0]}
		}
		x := m.eval(t.Args[0], used)
		require(len(x.dims) == 2)
		y := make1([]int{x.dims[1], x.dims[0]}, func(i []int) float64 { return x.at(i[1], i[0]) })
		for a, c := range x.cuts {
			y.cuts[1-a] = c
		}
		return y
	case "concat":
		return concat(number(t.Args[0]), m.eval(t.Args[1], nil), m.eval(t.Args[2], nil))
	case "split_0", "split_1":
		axis, x := number(t.Args[0]), m.eval(t.Args[1], nil)
		c, ok := x.cuts[axis]
		require(ok)
		dims, from := slices.Clone(x.dims), 0
		if dims[axis] = c; t.Name == "split_1" {
			dims[axis], from = x.dims[axis]-c, c
		}
		y := make1(dims, func(i []int) float64 {
			j := slices.Clone(i)
			j[axis] += from
			return x.at(j...)
		})
		for a, c := range x.cuts {
			if a != axis {
				y.cuts[a] = c
			}
		}
		return y
	case "enlarge":
		x := m.eval(t.Args[2], nil)
		require(len(x.dims) == 4)
		dims := slices.Clone(x.dims)
		before := [2]int{}
		for i := range 2 {
			more := max(number(t.Args[i])-dims[2+i], 0)
			dims[2+i] += more
			before[i] = more / 2
		}
		y := make1(dims, func(i []int) float64 { return x.padded(0, i[0], i[1], i[2]-before[0], i[3]-before[1]) })
		y.keep(x)
		return y
	case "conv2d":
		return m.conv2d(t)
	case "poolmax", "poolavg":
		x := m.eval(t.Args[5], used)
		require(len(x.dims) == 4)
		kx, ky := number(t.Args[0]), number(t.Args[1])
		h, top, ok := span(x.dims[2], kx, number(t.Args[2]), number(t.Args[4]))
		w, left, okW := span(x.dims[3], ky, number(t.Args[3]), number(t.Args[4]))
		require(ok && okW)
		y := make1([]int{x.dims[0], x.dims[1], h, w}, func(i []int) float64 {
			sum, most := 0.0, math.Inf(-1)
			for a := range kx {
				for b := range ky {
					r, c := i[2]*number(t.Args[2])+a-top, i[3]*number(t.Args[3])+b-left
					sum += x.padded(0, i[0], i[1], r, c)
					most = max(most, x.padded(math.Inf(-1), i[0], i[1], r, c))
				}
			}
			if t.Name == "poolmax" {
				return most
			}
			return sum / float64(kx*ky)
		})
		y.keep(x)
		return y
	}
	panic("no operator " + t.Name)
}

// with combines elements; a cut stays where both have it at one place.
func (t *tensor) with(y *tensor, f func(a, b float64) float64) *tensor {
	out := &tensor{dims: t.dims, cuts: map[int]int{}}
	for o := range t.vals {
		out.vals = append(out.vals, f(t.vals[o], y.vals[o]))
	}
	for a, c := range t.cuts {
		if d, ok := y.cuts[a]; ok && c == d {
			out.cuts[a] = c
		}
	}
	return out
}

// keep takes over the cuts of axes 0 and 1.
func (t *tensor) keep(x *tensor) {
	for a := range 2 {
		if c, ok := x.cuts[a]; ok {
			t.cuts[a] = c
		}
	}
}

// padded is an element of a tensor of rank 4, or what stands around it.
func (t *tensor) padded(around float64, n, c, y, x int) float64 {
	if y < 0 || x < 0 || y >= t.dims[2] || x >= t.dims[3] {
		return around
	}
	return t.at(n, c, y, x)
}

// span returns the number of windows on an axis and what is put before it.
func span(n, k, stride, pad int) (windows, before int, ok bool) {
	if pad == 1 {
		return (n-k)/stride + 1, 0, k >= 1 && k <= n
	}
	total := max(k-stride, 0)
	if n%stride != 0 {
		total = max(k-n%stride, 0)
	}
	return (n + stride - 1) / stride, (total + 1) / 2, k >= 1
}

func concat(axis int, x, y *tensor) *tensor {
	require(len(x.dims) == len(y.dims) && axis < len(x.dims))
	for a := range x.dims {
		require(a == axis || x.dims[a] == y.dims[a])
	}
	dims := slices.Clone(x.dims)
	dims[axis] += y.dims[axis]
	out := make1(dims, func(i []int) float64 {
		if i[axis] < x.dims[axis] {
			return x.at(i...)
		}
		j := slices.Clone(i)
		j[axis] -= x.dims[axis]
		return y.at(j...)
	})
	for a, c := range x.cuts {
		if d, ok := y.cuts[a]; ok && c == d {
			out.cuts[a] = c
		}
	}
	out.cuts[axis] = x.dims[axis]
	return out
}

func (m *machine) matmul(t *taso.Term) *tensor {
	var x, y *tensor
	if constant(t.Args[0]) {
		y = m.eval(t.Args[1], nil)
		require(len(y.dims) == 2)
		x = m.eval(t.Args[0], []int{y.dims[0], y.dims[0]})
	} else {
		x = m.eval(t.Args[0], nil)
		require(len(x.dims) == 2)
		y = m.eval(t.Args[1], []int{x.dims[1], x.dims[1]})
	}
	require(len(x.dims) == 2 && len(y.dims) == 2 && x.dims[1] == y.dims[0])
	out := make1([]int{x.dims[0], y.dims[1]}, func(i []int) float64 {
		sum := 0.0
		for k := range x.dims[1] {
			sum += x.at(i[0], k) * y.at(k, i[1])
		}
		return sum
	})
	if c, ok := x.cuts[0]; ok {
		out.cuts[0] = c
	}
	if c, ok := y.cuts[1]; ok {
		out.cuts[1] = c
	}
	return out
}

// weights evaluates the weights of a convolution over so many channels.
func (m *machine) weights(t *taso.Term, channels int) *tensor {
	if t.Name == "concat" && number(t.Args[0]) == 0 && constant(t.Args[1]) != constant(t.Args[2]) {
		var parts [2]*tensor
		for i := range parts { // the part with a shape first
			if !constant(t.Args[1+i]) {
				parts[i] = m.weights(t.Args[1+i], channels)
				require(len(parts[i].dims) == 4)
				parts[1-i] = m.eval(t.Args[2-i], []int{channels, parts[i].dims[1], 1, 1})
			}
		}
		return concat(0, parts[0], parts[1])
	}
	return m.eval(t, []int{channels, 1, 1, 1})
}

func (m *machine) conv2d(t *taso.Term) *tensor {
	sx, sy, pad, acti := number(t.Args[0]), number(t.Args[1]), number(t.Args[2]), number(t.Args[3])
	x := m.eval(t.Args[4], nil)
	require(len(x.dims) == 4)
	w := m.weights(t.Args[5], x.dims[1])
	require(len(w.dims) == 4)
	channels, filters, per := x.dims[1], w.dims[0], w.dims[1]
	groups := 1
	if m.grouped {
		require(channels%per == 0)
		groups = channels / per
		require(filters%groups == 0)
	}
	require(channels == per*groups)
	h, top, ok := span(x.dims[2], w.dims[2], sx, pad)
	v, left, okV := span(x.dims[3], w.dims[3], sy, pad)
	require(ok && okV)
	out := make1([]int{x.dims[0], filters, h, v}, func(i []int) float64 {
		first := i[1] / (filters / groups) * per
		sum := 0.0
		for c := range per {
			for a := range w.dims[2] {
				for b := range w.dims[3] {
					sum += x.padded(0, i[0], first+c, i[2]*sx+a-top, i[3]*sy+b-left) * w.at(i[1], c, a, b)
				}
			}
		}
		if acti == 2 {
			sum = max(sum, 0)
		}
		return sum
	})
	if c, ok := x.cuts[0]; ok {
		out.cuts[0] = c
	}
	if c, ok := w.cuts[0]; ok {
		out.cuts[1] = c
	}
	return out
}

// same tells whether a term that has a value may be replaced by one with the other.
func same(x, y *tensor) bool {
	if y == nil || !slices.Equal(x.dims, y.dims) {
		return false
	}
	for o := range x.vals {
		if x.vals[o] != y.vals[o] && !(math.Abs(x.vals[o]-y.vals[o]) <= 1e-6) {
			return false
		}
	}
	return true
}

// ranks guesses the ranks of the inputs of a term: what the operators at hand ask for, and one rank for the rest.
func ranks(rest int, terms ...*taso.Term) map[string]int {
	out := map[string]int{}
	var walk func(t *taso.Term, rank int)
	walk = func(t *taso.Term, rank int) {
		if strings.HasPrefix(t.Name, "input_") {
			if old, ok := out[t.Name]; !ok || old == rest {
				out[t.Name] = rank
			}
			return
		}
		for i, a := range t.Args {
			switch {
			case t.Name == "smul" && i == 1:
				walk(a, 0)
			case t.Name == "matmul" || t.Name == "transpose":
				walk(a, 2)
			case t.Name == "conv2d" || t.Name == "enlarge" || strings.HasPrefix(t.Name, "pool"):
				walk(a, 4)
			default:
				walk(a, rank)
			}
		}
	}
	for _, t := range terms {
		walk(t, rest)
	}
	return out
}

// instance makes inputs for an equation. Most of their dims agree by axis, so that both sides often have a value.
func instance(rng *rand.Rand, e *taso.Equation) map[string]*tensor {
	rest := []int{4, 2, 2, 3, 1, 0}[rng.IntN(6)]
	guess := ranks(rest, e.Left, e.Right)
	if rng.IntN(2) == 0 { // what the right side asks for does not count
		for n, r := range ranks(rest, e.Left) {
			guess[n] = r
		}
	}
	common := [4]int{1 + rng.IntN(3), 1 + rng.IntN(3), 1 + rng.IntN(4), 1 + rng.IntN(4)}
	if rng.IntN(3) > 0 { // filters and channels agree in chains of convolutions
		common[1] = common[0]
	}
	wild := []float64{0, 0.1, 0.3}[rng.IntN(3)]
	var names []string
	for n := range guess {
		names = append(names, n)
	}
	slices.Sort(names)
	out := map[string]*tensor{}
	for _, n := range names {
		dims := make([]int, guess[n])
		for a := range dims {
			dims[a] = common[a]
			if rng.Float64() < wild {
				dims[a] = 1 + rng.IntN(4)
			}
			if a >= 2 && rng.IntN(16) == 0 { // beyond what kernels are enlarged to
				dims[a] = 1 + rng.IntN(10)
			}
		}
		out[n] = make1(dims, func([]int) float64 { return float64(rng.IntN(7) - 3) })
	}
	return out
}
