// Package networks makes pairs of programs whose cost is measured, and bounded by tests, against how deep they are:
//
//	networks.go  stacks of layers: residual blocks, convolutions, encoders; dense layers
//	moves.go     programs that only move elements, through many operators
//	relay.go     networks of the sizes that they have in publications, as texts of Relay: texts DIR writes them to files
//	random.go    random networks of a few layers, as texts of Relay
//	mapped.go    programs with all products on an accelerator, right and with one of them wrong
//
// Texts define each layer, and what a layer uses more than once. As trees they would double with each residual block.
package networks

import (
	"fmt"
	"strings"
)

// A Network is a stack of layers, as one compiler writes it and as another does. One layer of AFTER may be wrong.
type Network struct {
	Name   string
	Depths []int // of the stacks that are measured
	inputs func(depth int) string
	before func(t *text, x string, at int) string             // a layer of BEFORE; x is its operand
	after  func(t *text, x string, at int, wrong bool) string // the same of AFTER
}

// Texts returns both sides of a stack; the layer of number wrong, if there is one, computes something else in AFTER.
func (n Network) Texts(depth, wrong int) (before, after string) { return n.texts(depth, wrong, false) }

// Trees returns the same programs without definitions: what is used twice is written twice.
func (n Network) Trees(depth, wrong int) (before, after string) { return n.texts(depth, wrong, true) }

func (n Network) texts(depth, wrong int, tree bool) (before, after string) {
	of := func(layer func(t *text, x string, at int) string) string {
		t, x := &text{tree: tree}, "(access-tensor X)"
		for at := range depth {
			x = t.define(layer(t, x, at))
		}
		return n.inputs(depth) + t.definitions.String() + x + "\n"
	}
	return of(n.before), of(func(t *text, x string, at int) string { return n.after(t, x, at, at == wrong) })
}

// A text is a program that is being written.
type text struct {
	tree        bool // has no definitions
	definitions strings.Builder
	defined     int
}

// define returns what stands for an expression that is used more than once.
func (t *text) define(expr string) string {
	if t.tree {
		return expr
	}
	t.defined++
	name := fmt.Sprint("t", t.defined)
	fmt.Fprintf(&t.definitions, "(define %s %s)\n", name, expr)
	return name
}

// Sizes of the networks: proofs do not depend on them, but what samples read does.
const (
	channels = 4
	pixels   = 8
	words    = 4 // of a sentence
	features = 8
	hidden   = 16
	heads    = 2
)

// All lists the stacks whose cost is measured against their depth. BEFORE calls convolutions, AFTER has them as
// products of unfolded images (im2col), and adds in the other order; pools become maxima over windows; an encoder's scale
// is folded into its queries. Images keep their size: pools move by one, and the convolution before pads one more.
func All() []Network { return append(layers(), chains()...) }

func layers() []Network {
	return []Network{
		{"residual blocks", upTo(16), images(2),
			func(_ *text, x string, at int) string {
				return relu(add2(conv2d(relu(conv2d(x, at, 0, 1)), at, 1, 1), x))
			},
			func(_ *text, x string, at int, wrong bool) string {
				return relu(add2(x, unfolded(relu(unfolded(x, at, 0, 1, wrong)), at, 1, 1, false)))
			}},
		{"conv-relu", upTo(16), images(1),
			func(_ *text, x string, at int) string { return relu(conv2d(x, at, 0, 1)) },
			func(_ *text, x string, at int, wrong bool) string { return relu(unfolded(x, at, 0, 1, wrong)) }},
		{"conv-relu-pool", upTo(8), images(1),
			func(_ *text, x string, at int) string {
				return call("max-pool2d", relu(conv2d(x, at, 0, 2)), "(shape 2 2) (shape 1 1) (shape 0 0 0 0)",
					"relay-activation-layout-nchw")
			},
			func(_ *text, x string, at int, wrong bool) string {
				return "(compute reduce-max (access-windows (access " + relu(unfolded(x, at, 0, 2, wrong)) +
					" 2) (shape 2 2) (shape 1 1)))"
			}},
		{"encoder layers", upTo(12), sentences, encoder, foldedEncoder},
		{"dense layers", []int{2, 8, 16, 32, 64}, matrices,
			func(_ *text, x string, at int) string { return relu(dense(x, fmt.Sprint("W", at))) },
			func(_ *text, x string, at int, wrong bool) string {
				w := fmt.Sprintf("(access-tensor W%d)", at)
				if wrong {
					w = "(access-transpose " + w + " (list 1 0))"
				}
				return "(compute relu (compute dot-product (access-cartesian-product (access " + x + " 1) (access " + w + " 1))))"
			}},
	}
}

// chains are stacks of cheap layers, hundreds of them.
func chains() []Network {
	depths := []int{2, 62, 125, 250, 500}
	square := func(int) string { return "(input X (shape 4 4))\n(input Y (shape 4 4))\n" }
	swapped := func(wrong bool, x, y string) string {
		if wrong {
			return call("multiply", x, y)
		}
		return add2(x, y)
	}
	least, most := func(x string) string { return call("minimum", x, "(access-tensor Y)") },
		func(x string) string { return call("maximum", "(access-tensor Y)", x) }
	return []Network{
		{"residual relu", depths, square,
			func(_ *text, x string, _ int) string { return add2(relu(x), x) },
			func(_ *text, x string, _ int, wrong bool) string { return swapped(wrong, x, relu(x)) }},
		{"residual tanh", depths, square,
			func(_ *text, x string, _ int) string { return add2(call("tanh", x), x) },
			func(_ *text, x string, _ int, wrong bool) string { return swapped(wrong, x, call("tanh", x)) }},
		{"minimum and maximum", depths, square,
			func(_ *text, x string, _ int) string { return add2(least(x), most(x)) },
			func(_ *text, x string, _ int, wrong bool) string { return swapped(wrong, most(x), least(x)) }},
	}
}

// upTo lists all depths: cost has bent upward in the middle, and come down again.
func upTo(most int) []int {
	list := make([]int, most)
	for i := range list {
		list[i] = i + 1
	}
	return list
}

// call applies an operator of Relay.
func call(name string, operands ...string) string {
	return "(relay-operator-call relay-" + name + " " + strings.Join(operands, " ") + ")"
}

func relu(x string) string    { return call("relu", x) }
func add2(x, y string) string { return call("add", x, y) }
func dense(x, w string) string {
	return call("dense", x, "(access-tensor "+w+")")
}

// images declares an image and the filters of stacks with so many convolutions a layer.
func images(each int) func(depth int) string {
	return func(depth int) string {
		var b strings.Builder
		fmt.Fprintf(&b, "(input X (shape 1 %d %d %d))\n", channels, pixels, pixels)
		for at := range depth {
			for k := range each {
				fmt.Fprintf(&b, "(input %s (shape %d %d 3 3))\n", filter(at, k), channels, channels)
			}
		}
		return b.String()
	}
}

func filter(at, k int) string { return fmt.Sprintf("W%d.%d", at, k) }

// conv2d is a convolution of an image padded by 1 before and by after behind.
func conv2d(x string, at, k, after int) string {
	return call("conv2d", x, "(access-tensor "+filter(at, k)+")", fmt.Sprintf("(shape 1 1) (shape 1 1 %d %d)", after, after),
		"1 0 (shape 3 3) relay-activation-layout-nchw relay-kernel-layout-oihw")
}

// unfolded is the same as a product with the unfolded image; where it is wrong, the filter is turned.
func unfolded(x string, at, k, after int, wrong bool) string {
	w := "(access-tensor " + filter(at, k) + ")"
	if wrong {
		w = "(access-transpose " + w + " (list 0 1 3 2))"
	}
	padded := fmt.Sprintf("(access-pad (access-pad %s zero-padding 2 1 %d) zero-padding 3 1 %d)", x, after, after)
	size := pixels - 1 + after
	return fmt.Sprintf("(access-reshape (compute dot-product (access-cartesian-product (access-flatten (access %s 1)) "+
		"(access-flatten (access-squeeze (access-windows (access %s 1) (shape %d 3 3) (shape 1 1 1)) 1)))) "+
		"(access-shape (shape 1 %d %d %d) (shape)))", w, padded, channels, channels, size, size)
}

// sentences declares the inputs of encoders.
func sentences(depth int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "(input X (shape %d %d))\n", words, features)
	for at := range depth {
		for _, name := range []string{"Q", "K", "V", "O"} {
			fmt.Fprintf(&b, "(input %s%d (shape %d %d))\n", name, at, features, features)
		}
		for _, name := range []string{"g", "b", "h", "c"} {
			fmt.Fprintf(&b, "(input %s%d (shape %d))\n", name, at, features)
		}
		fmt.Fprintf(&b, "(input U%d (shape %d %d))\n(input D%d (shape %d %d))\n", at, hidden, features, at, features, hidden)
	}
	return b.String()
}

// matrices declares the inputs of dense layers.
func matrices(depth int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "(input X (shape %d %d))\n", words, hidden)
	for at := range depth {
		fmt.Fprintf(&b, "(input W%d (shape %d %d))\n", at, hidden, hidden)
	}
	return b.String()
}

// attention is what the heads say, from queries, keys and values; scaled is what is done to the scores.
func attention(q, k, v string, scaled func(scores string) string) string {
	split := func(x string) string {
		return call("transpose", call("reshape", x, fmt.Sprintf("(shape %d %d %d)", words, heads, features/heads)), "(list 1 0 2)")
	}
	scores := call("softmax", scaled(call("batch-matmul", split(q), split(k))), "-1")
	said := call("batch-matmul", scores, call("transpose", split(v), "(list 0 2 1)"))
	return call("reshape", call("transpose", said, "(list 1 0 2)"), fmt.Sprintf("(shape %d %d)", words, features))
}

func layerNorm(x, g, b string, at int) string {
	return call("layer-norm", x, fmt.Sprintf("(access-tensor %s%d) (access-tensor %s%d)", g, at, b, at))
}

// encoder is a layer of an encoder.
func encoder(t *text, x string, at int) string {
	w := func(name string) string { return fmt.Sprint(name, at) }
	said := attention(dense(x, w("Q")), dense(x, w("K")), dense(x, w("V")),
		func(scores string) string { return call("multiply", scores, "(access-literal (literal 0.25))") })
	y := t.define(layerNorm(add2(x, dense(said, w("O"))), "g", "b", at))
	return layerNorm(add2(y, dense(relu(dense(y, w("U"))), w("D"))), "h", "c", at)
}

// foldedEncoder is the same with the scale in the queries; where it is wrong, keys and values are of one matrix.
func foldedEncoder(t *text, x string, at int, wrong bool) string {
	w := func(name string) string { return fmt.Sprint(name, at) }
	key := w("K")
	if wrong {
		key = w("V")
	}
	q := call("dense", x, call("multiply", "(access-tensor "+w("Q")+")", "(access-literal (literal 0.25))"))
	said := attention(q, dense(x, key), dense(x, w("V")), func(scores string) string { return scores })
	y := t.define(layerNorm(add2(dense(said, w("O")), x), "g", "b", at))
	return layerNorm(add2(dense(relu(dense(y, w("U"))), w("D")), y), "h", "c", at)
}
