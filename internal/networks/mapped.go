package networks

import (
	"fmt"
	"strings"

	"tv/glenside"
	"tv/internal/source"
	"tv/semantics/domain"
)

// A Mapping says how [Mapping.Program] writes the products of a program.
type Mapping struct {
	Target string // "vta", "flexasr", "systolic" or "hlscnn", which has convolutions alone
	Turned bool   // the weights are the rows, so that the result is transposed
	Wrong  string // what is wrong, one of Faults
	At     int    // the product of which it is wrong, or the first after it that can have that wrong, from 0
}

// Faults are what may be wrong with one product of a mapped program.
var Faults = []string{"stride", "padding", "min-padding", "transposed", "slice", "bias"}

// Program maps the products of a program onto calls of an accelerator: convolutions of one group as products of windows and
// kernels, dims that the accelerator wants to be multiples as padded with zeros and cut off again, sums with a bias in the call that
// takes one. Each call is a definition, as it is in what tv import writes. Products counts them.
func (m Mapping) Program(text string) (mapped string, products int, err error) {
	w := &mapper{Mapping: m, names: map[*glenside.Node]string{}, absorbed: map[*glenside.Node]bool{}}
	if w.program, err = glenside.Parse(source.NewFile("program", text)); err != nil {
		return "", 0, err
	}
	env, err := glenside.MergeEnv([]*glenside.Program{w.program})
	if err != nil {
		return "", 0, err
	}
	if w.typing, err = glenside.Check(w.program, env); err != nil {
		return "", 0, err
	}
	var b strings.Builder
	for _, in := range w.program.Inputs {
		b.WriteString(glenside.FormatInput(in) + "\n")
	}
	uses := map[*glenside.Node]int{}
	for _, n := range w.program.Nodes {
		for _, a := range n.Args {
			uses[a]++
		}
	}
	for _, n := range w.program.Nodes {
		if w.biased(n) && uses[n.Args[0]] == 1 {
			w.absorbed[n.Args[0]] = true
		}
	}
	for _, d := range w.program.Definitions {
		if d.Reached && !w.absorbed[d.Node] {
			fmt.Fprintf(&b, "(define %s %s)\n", domain.Quote(d.Name), w.call(d.Node))
			w.names[d.Node] = domain.Quote(d.Name)
		}
	}
	b.WriteString(w.written(w.program.Root) + "\n")
	return b.String(), w.products, nil
}

// A mapper is the work on one program.
type mapper struct {
	Mapping
	program  *glenside.Program
	typing   *glenside.Typing
	names    map[*glenside.Node]string
	absorbed map[*glenside.Node]bool // products that are written where their bias is
	products int
	wrong    bool // what is wrong is written
}

// Multiples that accelerators want of the dims of a product: of what is added up, and of the columns of the result.
var multiples = map[string][2]int64{"vta": {16, 16}, "flexasr": {16, 64}, "systolic": {16, 16}}

// is reports whether the product that is written is to have this wrong.
func (w *mapper) is(fault string) bool {
	if w.wrong || w.Wrong != fault || w.products <= w.At {
		return false
	}
	w.wrong = true
	return true
}

func (w *mapper) dims(n *glenside.Node) (dims []int64) {
	for _, d := range w.typing.Type(n).Dims {
		v, _ := d.Int64()
		dims = append(dims, v)
	}
	return dims
}

// shape is what a node (shape ...) lists.
func (w *mapper) shape(n *glenside.Node) (list []int64) {
	for _, a := range n.Args {
		v, _ := a.Int.Int64()
		list = append(list, v)
	}
	return list
}

// written is a node as an operand.
func (w *mapper) written(n *glenside.Node) string {
	if name := w.names[n]; name != "" {
		return name
	}
	if n.Kind != glenside.KindCall || len(n.Args) == 0 {
		return glenside.FormatNode(n)
	}
	return w.plain(n)
}

// plain is a node that is not mapped.
func (w *mapper) plain(n *glenside.Node) string {
	head := map[glenside.Category]string{glenside.CatCompute: "compute ", glenside.CatRelay: "relay-operator-call "}[n.Op.Category]
	words := []string{head + n.Op.Name}
	for _, a := range n.Args {
		words = append(words, w.written(a))
	}
	return "(" + strings.Join(words, " ") + ")"
}

// call is what a definition is in the mapped program.
func (w *mapper) call(n *glenside.Node) string {
	if n.Kind != glenside.KindCall {
		return w.written(n)
	}
	switch n.Op.Name {
	case "relay-conv2d":
		if groups, _ := n.Args[4].Int.Int64(); groups == 1 {
			return w.conv2d(n)
		}
	case "relay-conv1d":
		if w.Target != "hlscnn" {
			return w.conv1d(n)
		}
	case "relay-dense":
		if w.Target != "hlscnn" {
			return w.dense(n, "")
		}
	case "relay-add", "relay-bias-add":
		if w.biased(n) {
			return w.dense(n.Args[0], w.written(n.Args[1]))
		}
	}
	return w.plain(n)
}

// biased reports whether a node is a product with a bias, for which the accelerator has a call.
func (w *mapper) biased(n *glenside.Node) bool {
	if w.Target != "flexasr" || w.Turned || n.Kind != glenside.KindCall || n.Op.Name != "relay-add" && n.Op.Name != "relay-bias-add" {
		return false
	}
	x := n.Args[0]
	if x.Kind != glenside.KindCall || x.Op.Name != "relay-dense" {
		return false
	}
	of := w.dims(n.Args[1])
	return len(of) == 1 && of[0] == w.dims(x)[1]
}

// dense is a product of two matrices, with a bias if there is one.
func (w *mapper) dense(n *glenside.Node, bias string) string {
	x, k := w.dims(n.Args[0]), w.dims(n.Args[1])
	p := product{w.written(n.Args[0]), w.written(n.Args[1]), x[0], k[0], k[1], bias}
	if !w.Turned {
		return w.product(p)
	}
	p.x, p.w, p.rows, p.columns = p.w, p.x, p.columns, p.rows
	return "(access-transpose (access " + w.product(p) + " 2) (list 1 0))"
}

func (w *mapper) conv1d(n *glenside.Node) string {
	x, k, out := w.dims(n.Args[0]), w.dims(n.Args[1]), w.dims(n)
	pads := w.shape(n.Args[3])
	padded := fmt.Sprintf("(access-pad (access %s 3) zero-padding 2 %d %d)", w.written(n.Args[0]), pads[0], pads[1])
	windows := fmt.Sprintf("(access-squeeze (access-windows (access %s 1) (shape %d %d) (shape 1 %d)) 1)",
		padded, k[1], k[2], w.shape(n.Args[2])[0])
	return w.windows(windows, w.written(n.Args[1]), k, []int64{x[0], out[2]})
}

func (w *mapper) conv2d(n *glenside.Node) string {
	x, k, out := w.dims(n.Args[0]), w.dims(n.Args[1]), w.dims(n)
	strides, pads := w.shape(n.Args[2]), w.shape(n.Args[3]) // top, left, bottom, right
	if pads[0] > 0 && w.is("padding") {
		pads[0], pads[2] = pads[0]-1, pads[2]+1
	}
	if w.Target == "hlscnn" {
		w.products++
		kernel := glenside.FormatNode(n.Args[6])
		return fmt.Sprintf("(accelerator-call hlscnn-conv2d (relay-operator-call relay-pad %s (shape 0 0 0 0 %d %d %d %d)) %s "+
			"(shape %d %d) (shape 0 0 0 0) 1 %d %s relay-activation-layout-nchw relay-kernel-layout-oihw (shape 0))",
			w.written(n.Args[0]), pads[0], pads[2], pads[1], pads[3], w.written(n.Args[1]), strides[0], strides[1], k[0], kernel)
	}
	padded := fmt.Sprintf("(access-pad (access-pad (access %s 4) zero-padding 2 %d %d) zero-padding 3 %d %d)",
		w.written(n.Args[0]), pads[0], pads[2], pads[1], pads[3])
	windows := fmt.Sprintf("(access-squeeze (access-windows (access %s 1) (shape %s) (shape 1 %d %d)) 1)", padded, numbers(ints(k[1:])),
		strides[0], strides[1])
	if strides[0] > 1 && w.is("stride") { // as many windows, side by side
		windows = fmt.Sprintf("(access-slice (access-slice (access-squeeze (access-windows (access %s 1) (shape %s) (shape 1 1 1)) 1) "+
			"1 0 %d) 2 0 %d)", padded, numbers(ints(k[1:])), out[2], out[3])
	}
	return w.windows(windows, w.written(n.Args[1]), k, []int64{x[0], out[2], out[3]})
}

// windows is the product of windows at so many places with kernels (o ...), the channels put where they belong.
func (w *mapper) windows(windows, kernels string, k, places []int64) string {
	p := product{rows: 1, columns: k[0], sum: 1}
	for _, d := range places {
		p.rows *= d
	}
	for _, d := range k[1:] {
		p.sum *= d
	}
	p.x = fmt.Sprintf("(access-flatten (access (access-reshape (access %s %d) (access-shape (shape %d) (shape %s))) 1))",
		windows, len(places), p.rows, numbers(ints(k[1:])))
	p.w = "(access-flatten (access " + kernels + " 1))"
	dims, order := append([]int64{}, places...), []int{0, len(places)}
	if w.Turned {
		p.x, p.w, p.rows, p.columns = p.w, p.x, p.columns, p.rows
		dims, order = append([]int64{k[0]}, dims...), []int{1, 0}
		for i := range places[1:] {
			order = append(order, i+2)
		}
	} else {
		dims = append(dims, k[0])
		for i := range places[1:] {
			order = append(order, i+1)
		}
	}
	return fmt.Sprintf("(access-transpose (access (access-reshape (access %s 2) (access-shape (shape %s) (shape))) %d) (list %s))",
		w.product(p), numbers(ints(dims)), len(dims), numbers(order))
}

// A product is that of the rows of two matrices of so many columns, which are added up.
type product struct {
	x, w               string
	rows, columns, sum int64
	bias               string // or empty
}

func (w *mapper) product(p product) string {
	m := multiples[w.Target]
	sum, columns := (m[0]-p.sum%m[0])%m[0], (m[1]-p.columns%m[1])%m[1]
	pad := func(x string, axis int, by int64) string {
		if by == 0 {
			return x
		}
		with := "zero-padding"
		if axis == 1 && w.is("min-padding") {
			with = "min-padding"
		}
		return fmt.Sprintf("(access-pad %s %s %d 0 %d)", x, with, axis, by)
	}
	w.products++
	x, k := "(access "+p.x+" 1)", "(access "+p.w+" 1)"
	if p.columns == p.sum && w.is("transposed") {
		k = fmt.Sprintf("(access (access-transpose (access (access-reshape (access %s 1) (access-shape (shape %d %d) (shape))) 2) (list 1 0)) 1)",
			p.w, p.columns, p.sum)
	}
	x, k = pad(x, 1, sum), pad(pad(k, 1, sum), 0, columns)
	out := ""
	switch w.Target {
	case "vta":
		out = "(accelerator-call vta-dense " + x + " " + k + ")"
	case "flexasr":
		bias := fmt.Sprintf("(relay-operator-call relay-zeros (shape 1 %d))", p.columns+columns)
		if p.bias != "" {
			bias = pad("(access "+p.bias+" 0)", 0, columns)
			if w.is("bias") { // by one place
				bias = pad(fmt.Sprintf("(access-concatenate (access-slice (access %s 0) 0 1 %d) (access-slice (access %s 0) 0 0 1) 0)",
					p.bias, p.columns, p.bias), 0, columns)
			}
		}
		out = "(accelerator-call flex-linear " + x + " " + k + " " + bias + " (shape 0))"
	case "systolic":
		out = fmt.Sprintf("(systolic-array-with-blocking 16 16 %s (access (access-transpose %s (list 1 0)) 0))", x, k)
	}
	from := int64(0)
	if columns > 0 && w.is("slice") {
		from = 1
	}
	if columns > 0 {
		out = fmt.Sprintf("(access-slice %s 1 %d %d)", out, from, from+p.columns)
	}
	return out
}

func ints(list []int64) (out []int) {
	for _, n := range list {
		out = append(out, int(n))
	}
	return out
}
