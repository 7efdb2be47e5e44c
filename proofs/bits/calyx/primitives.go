package calyx

import (
	"math/big"
	"strings"

	"tv/proofs/bits/circuit"
	"tv/proofs/bits/gates"
)

// input declares a pin that wires drive, and is what it reads.
func (c *component) input(cell, name string, width int) []circuit.Wire {
	full := cell + "." + name
	p := &pin{width: width}
	p.waits(full)
	c.pins[full] = p
	return p.driven
}

// output declares a pin that wires read.
func (c *component) output(cell, name string, w []circuit.Wire) {
	c.pins[cell+"."+name] = &pin{width: len(w), source: w}
}

// A binary is a cell with left, right and out.
type binary struct {
	word  func(g *gates.Graph, a, b gates.Vec) gates.Vec
	truth func(g *gates.Graph, a, b gates.Vec) gates.Lit
}

func below(g *gates.Graph, a, b gates.Vec) gates.Lit       { return g.Below(a, b) }
func belowSigned(g *gates.Graph, a, b gates.Vec) gates.Lit { return g.BelowSigned(a, b) }
func equal(g *gates.Graph, a, b gates.Vec) gates.Lit       { return g.Equal(a, b) }

type comparison = func(g *gates.Graph, a, b gates.Vec) gates.Lit

func not(f comparison) comparison {
	return func(g *gates.Graph, a, b gates.Vec) gates.Lit { return f(g, a, b).Not() }
}
func swapped(f comparison) comparison {
	return func(g *gates.Graph, a, b gates.Vec) gates.Lit { return f(g, b, a) }
}

func gate(f func(g *gates.Graph, a, b gates.Lit) gates.Lit) binary {
	return binary{word: func(g *gates.Graph, a, b gates.Vec) gates.Vec {
		return gates.Each(func(x, y gates.Lit) gates.Lit { return f(g, x, y) }, a, b)
	}}
}

func shift(left, signed bool) binary {
	return binary{word: func(g *gates.Graph, a, b gates.Vec) gates.Vec {
		fill := gates.No
		if signed {
			fill = a.Top()
		}
		return g.Shift(a, b, left, fill)
	}}
}

var (
	sum        = binary{word: (*gates.Graph).Sum}
	difference = binary{word: (*gates.Graph).Sub}
)

// binaries are cells of one width; comparisons without an s are unsigned.
var binaries = map[string]binary{
	"add": sum, "sadd": sum, "sub": difference, "ssub": difference,
	"and": gate((*gates.Graph).And), "or": gate((*gates.Graph).Or), "xor": gate((*gates.Graph).Xor),
	"lsh": shift(true, false), "slsh": shift(true, false), "rsh": shift(false,
		false), "srsh": shift(false, true),
	"lt": {truth: below}, "gt": {truth: swapped(below)}, "ge": {truth: not(below)},
	"le":  {truth: not(swapped(below))},
	"slt": {truth: belowSigned}, "sgt": {truth: swapped(belowSigned)},
	"sge": {truth: not(belowSigned)},
	"sle": {truth: not(swapped(belowSigned))},
	"eq":  {truth: equal}, "seq": {truth: equal},
	"neq": {truth: not(equal)}, "sneq": {truth: not(equal)},
}

// cell declares the pins of a primitive.
func (c *component) cell(name, kind string, numbers []*big.Int) {
	kind, ok := strings.CutPrefix(kind, "std_")
	gates.Need(ok, "the cell %s", kind)
	count := func(n int) {
		gates.Need(len(numbers) == n, "%s has %d parameters", kind, n)
	}
	g := c.Graph
	if b, ok := binaries[kind]; ok {
		count(1)
		w := counted(numbers)[0]
		gates.Need(w > 0, "%s of no bits", kind)
		left, right := c.input(name, "left", w), c.input(name, "right", w)
		if b.truth != nil {
			c.output(name, "out", []circuit.Wire{circuit.Once(func(d int) gates.Lit {
				return b.truth(g, circuit.At(left, d), circuit.At(right, d))
			})})
			return
		}
		c.output(name, "out", circuit.Whole(w, func(d int) gates.Vec {
			return b.word(g, circuit.At(left, d), circuit.At(right, d))
		}))
		return
	}
	switch kind {
	case "const", "const_mult":
		count(2)
		w := counted(numbers[:1])[0]
		gates.Need(numbers[1].BitLen() <= w && w > 0, "a constant of %d bits", w)
		value := bits(numbers[1], w)
		if kind == "const" {
			c.output(name, "out", circuit.Constant(value))
			return
		}
		in := c.input(name, "in", w)
		c.output(name, "out", circuit.Whole(w, func(d int) gates.Vec {
			return g.Mul(circuit.At(in, d), value)
		}))
	case "wire", "not":
		count(1)
		w := counted(numbers)[0]
		gates.Need(w > 0, "%s of no bits", kind)
		out := c.input(name, "in", w)
		if kind == "not" {
			in := out
			out = circuit.Whole(w, func(d int) gates.Vec { return circuit.At(in, d).Not() })
		}
		c.output(name, "out", out)
	case "slice", "pad", "signext":
		count(2)
		n := counted(numbers)
		from, to := n[0], n[1]
		gates.Need(from > 0 && to > 0 && (from >= to) == (kind == "slice") || from == to &&
			from > 0,
			"%s from %d to %d bits", kind, from, to)
		in := c.input(name, "in", from)
		c.output(name, "out", circuit.Stretched(in, max(from, to), kind == "signext")[:to])
	case "cat":
		count(3)
		n := counted(numbers)
		gates.Need(n[0] > 0 && n[1] > 0 && n[2] == n[0]+n[1],
			"%d bits of %d and %d", n[2], n[0], n[1])
		left, right := c.input(name, "left", n[0]), c.input(name, "right", n[1])
		c.output(name, "out", append(append([]circuit.Wire(nil), right...), left...))
	case "bit_slice":
		count(4)
		n := counted(numbers)
		in, start, end, out := n[0], n[1], n[2], n[3]
		gates.Need(start <= end && end < in && out == end-start+1,
			"bits %d to %d of %d", start, end, in)
		c.output(name, "out", c.input(name, "in", in)[start:end+1])
	case "mux":
		count(1)
		w := counted(numbers)[0]
		gates.Need(w > 0, "%s of no bits", kind)
		cond, yes, no := c.input(name, "cond", 1)[0], c.input(name, "tru", w), c.input(name,
			"fal", w)
		out := make([]circuit.Wire, w)
		for i := range out {
			out[i] = circuit.Once(func(d int) gates.Lit {
				return g.Mux(cond(d), yes[i](d), no[i](d))
			})
		}
		c.output(name, "out", out)
	case "reg":
		count(1)
		w := counted(numbers)[0]
		gates.Need(w > 0, "%s of no bits", kind)
		c.register(name, w)
	case "mult_pipe":
		count(1)
		w := counted(numbers)[0]
		gates.Need(w > 0, "%s of no bits", kind)
		c.multiplier(name, w)
	default:
		gates.Refuse("the cell std_%s", kind)
	}
}

// loads makes a register that starts at 0 and is 0 after a reset.
func (c *component) loads(name string, width int, next func(d int) gates.Vec) []circuit.Wire {
	r := &circuit.Register{Name: name, Initial: make(gates.Vec, width)}
	held := c.Held(r, width)
	for _, w := range circuit.Whole(width, next) {
		r.Next = append(r.Next, circuit.Once(func(d int) gates.Lit {
			return c.Graph.Mux(c.reset(d), gates.No, w(d))
		}))
	}
	c.circuit.Registers = append(c.circuit.Registers, r)
	return held
}

// multiplier is std_mult_pipe: operands are held from one cycle of go to the next, their product a
// cycle later, and done says that go has been 1 in the two cycles before.
func (c *component) multiplier(name string, width int) {
	g := c.Graph
	start := c.input(name, "go", 1)[0]
	// what is held of a word while go is 1, else something else
	going := func(word, otherwise []circuit.Wire) func(d int) gates.Vec {
		return func(d int) gates.Vec {
			return g.Choose(start(d), circuit.At(word, d), circuit.At(otherwise, d))
		}
	}
	zero := circuit.Constant(make(gates.Vec, width))
	left, right := c.input(name, "left", width), c.input(name, "right", width)
	a := c.loads(name+".left", width, going(left, zero))
	b := c.loads(name+".right", width, going(right, zero))
	var out []circuit.Wire
	product := circuit.Whole(width, func(d int) gates.Vec {
		return g.Mul(circuit.At(a, d), circuit.At(b, d))
	})
	out = c.loads(name+".out", width, func(d int) gates.Vec { return going(product, out)(d) })
	started := c.loads(name+".started", 1, func(d int) gates.Vec { return gates.Vec{start(d)} })
	done := c.loads(name+".done", 1, func(d int) gates.Vec {
		return gates.Vec{g.And(start(d), started[0](d))}
	})
	c.output(name, "out", out)
	c.output(name, "done", done)
}

// register is std_reg: a reset beats write_en, and done says that the cycle before has written.
func (c *component) register(name string, width int) {
	in, write := c.input(name, "in", width), c.input(name, "write_en", 1)[0]
	var held []circuit.Wire
	held = c.loads(name+".out", width, func(d int) gates.Vec {
		if write(d) == gates.Yes {
			return circuit.At(in, d)
		}
		return c.Graph.Choose(write(d), circuit.At(in, d), circuit.At(held, d))
	})
	c.output(name, "out", held)
	c.output(name, "done",
		c.loads(name+".done", 1, func(d int) gates.Vec { return gates.Vec{write(d)} }))
}
