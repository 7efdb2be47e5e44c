package programs

import (
	"fmt"
	"slices"

	"tv/glenside"
	"tv/semantics/domain"
)

// allLaws are the laws that twins are made by: identities around any access pattern, then those of operators.
// Section 9 of doc/semantics.md says which holds where.
var allLaws = []*Law{
	{Name: "transpose twice", in: inAll, apply: func(w *weaver, c site) expr {
		p := w.rng.Perm(c.rank())
		return expr{call("access-transpose", call("access-transpose", c.text, list(p)), list(inverse(p))), c.t.Split}
	}},
	{Name: "flatten and reshape", in: inAll, apply: func(w *weaver, c site) expr {
		return expr{reshape(call("access-flatten", c.text), c.t.Dims, c.t.Split), c.t.Split}
	}},
	{Name: "pad and slice", in: inAll, apply: func(w *weaver, c site) expr {
		if c.rank() == 0 {
			return expr{}
		}
		a, b := w.rng.IntN(c.rank()), w.rng.IntN(2)
		kind := []string{"zero-padding", "min-padding"}[w.rng.IntN(2)]
		return expr{call("access-slice", call("access-pad", c.text, kind, a, b, 1), a, b, c.t.Dims[a].Add(size(b))), c.t.Split}
	}},
	{Name: "slice and concatenate", copies: true, in: inAll, apply: func(w *weaver, c site) expr {
		if !cuttable(want{dims: c.t.Dims}) {
			return expr{}
		}
		a := w.rng.IntN(c.rank())
		for {
			if n, ok := number(c.t.Dims[a]); ok && n >= 2 {
				m := 1 + w.rng.IntN(n-1)
				return expr{call("access-concatenate", call("access-slice", c.text, a, 0, m),
					call("access-slice", c.text, a, m, n), a), c.t.Split}
			}
			a = (a + 1) % c.rank()
		}
	}},
	{Name: "insert and squeeze", in: inAll, apply: func(w *weaver, c site) expr {
		a := w.rng.IntN(c.rank() + 1)
		return expr{call("access-squeeze", call("access-insert-axis", c.text, a), a), c.t.Split}
	}},
	{Name: "access again", in: inAll, apply: func(w *weaver, c site) expr {
		k := w.rng.IntN(c.rank() + 1)
		return expr{call("access", c.text, k), k}
	}},
	{Name: "relay-reshape back", in: inAll, apply: func(w *weaver, c site) expr {
		return expr{relay("relay-reshape", relay("relay-reshape", c.text, shapeText(product(c.t.Dims))),
			shapeText(c.t.Dims...)), 0}
	}},
	{Name: "relay-transpose twice", in: inAll, apply: func(w *weaver, c site) expr {
		p := w.rng.Perm(c.rank())
		return expr{relay("relay-transpose", relay("relay-transpose", c.text, list(p)), list(inverse(p))), c.rank()}
	}},
	{Name: "expand and squeeze", in: inAll, apply: func(w *weaver, c site) expr {
		a := w.rng.IntN(c.rank() + 1)
		return expr{relay("relay-squeeze", relay("relay-expand-dims", c.text, fmt.Sprint(a), "2"), list([]int{a, a + 1})), c.rank()}
	}},
	{Name: "relay-pad and strided slice", in: inAll, apply: func(w *weaver, c site) expr {
		var amounts, low, high []domain.Size
		for _, d := range c.t.Dims {
			b := size(w.rng.IntN(2))
			amounts, low, high = append(amounts, b, size(1)), append(low, b), append(high, d.Add(b))
		}
		return expr{relay("relay-strided-slice", relay("relay-pad", c.text, shapeText(amounts...)), shapeText(low...),
			shapeText(high...), shapeText(ones(c.rank())...)), c.rank()}
	}},
	{Name: "split and concatenate", typed: true, copies: true, in: inAll, apply: func(w *weaver, c site) expr {
		if !cuttable(want{dims: c.t.Dims}) {
			return expr{}
		}
		a := w.rng.IntN(c.rank())
		for {
			if n, ok := number(c.t.Dims[a]); ok && n >= 2 {
				s := relay("relay-split", c.text, fmt.Sprintf("(list %d)", 1+w.rng.IntN(n-1)), fmt.Sprint(a))
				return expr{relay("relay-concatenate", fmt.Sprint(a), call("construct-tuple", call("tuple-get-item", s, 0),
					call("tuple-get-item", s, 1))), c.rank()}
			}
			a = (a + 1) % c.rank()
		}
	}},
	{Name: "a component of a tuple", in: inAll, apply: func(w *weaver, c site) expr {
		i := w.rng.IntN(2)
		items := []any{lit("1"), lit("1")}
		items[i] = c.text
		return expr{call("tuple-get-item", call("construct-tuple", items...), i), c.t.Split}
	}},
	{Name: "broadcast to itself", in: inAll, apply: func(w *weaver, c site) expr {
		return expr{call("access-broadcast", c.text, call("access-shape", shapeText(c.t.Access()...), shapeText(c.t.Compute()...))),
			c.t.Split}
	}},
	{Name: "broadcast and slice", in: inAll, apply: func(w *weaver, c site) expr {
		x := reshape(c.text, insert(c.t.Dims, 0, size(1)), c.t.Split+1)
		x = call("access-broadcast", x, call("access-shape", shapeText(insert(c.t.Dims, 0, size(3))...), "(shape)"))
		lo := w.rng.IntN(3)
		return expr{call("access-squeeze", call("access-slice", x, 0, lo, lo+1), 0), c.t.Split}
	}},
	{Name: "windows of one", in: inAll, apply: func(w *weaver, c site) expr {
		if !nonEmpty(c.t.Compute()) { // a window fits nowhere
			return expr{}
		}
		n := len(c.t.Compute())
		return expr{reshape(call("access-windows", c.text, shapeText(ones(n)...), shapeText(ones(n)...)), c.t.Dims, c.t.Split),
			c.t.Split}
	}},
	{Name: "stack and slice", copies: true, in: inAll, apply: func(w *weaver, c site) expr {
		a, i := w.rng.IntN(c.rank()+1), w.rng.IntN(2)
		s := relay("relay-stack", c.text, c.text, fmt.Sprint(a))
		return expr{call("access-squeeze", call("access-slice", s, a, i, i+1), a), c.rank()}
	}},
	{Name: "copy", in: inAll, apply: func(w *weaver, c site) expr {
		return expr{relay("relay-copy", c.text), c.t.Split}
	}},
	{Name: "dropout", typed: true, in: inAll, apply: func(w *weaver, c site) expr {
		return expr{call("tuple-get-item", relay("relay-dropout", c.text, "0.3"), 0), c.t.Split}
	}},
	{Name: "shift right", in: inAll, apply: func(w *weaver, c site) expr {
		return expr{call("access-shift-right", c.text), max(c.t.Split-1, 0)}
	}},
	{Name: "cast to its type", typed: true, in: inAll, apply: func(w *weaver, c site) expr {
		return expr{relay("relay-cast", c.text, c.t.Elem.String()), c.t.Split}
	}},
	{Name: "sum of one", in: inAll, apply: func(w *weaver, c site) expr {
		x := reshape(c.text, slices.Concat(c.t.Dims, ones(2)), c.rank())
		return expr{compute([]string{"reduce-sum", "dot-product"}[w.rng.IntN(2)], x), c.rank()}
	}},
	{Name: "maximum of copies", in: inReal | inWrap, beyond: inSat | inFix,
		apply: func(w *weaver, c site) expr {
			x := reshape(c.text, slices.Concat(c.t.Dims, ones(1)), c.rank())
			x = call("access-broadcast", x, call("access-shape", shapeText(c.t.Dims...), "(shape 3)"))
			return expr{compute("reduce-max", splitAt(expr{x, c.rank()}, c.rank())), c.rank()}
		}},
	{Name: "add nothing", in: inNormal, beyond: inBool | inSat | inFix, strict: true,
		apply: func(w *weaver, c site) expr {
			return expr{relay("relay-add", c.text, lit("0")), c.rank()}
		}},
	{Name: "times one", in: inNormal, beyond: inBool | inSat | inFix | inFloat, strict: true,
		apply: func(w *weaver, c site) expr {
			return expr{relay("relay-multiply", lit("1"), c.text), c.rank()}
		}},
	{Name: "negative twice", in: inNormal, beyond: inBool | inFix | inFloat, strict: true,
		apply: func(w *weaver, c site) expr {
			return expr{relay("relay-negative", compute("negative", c.text)), c.t.Split}
		}},
	{Name: "add and take off", copies: true, in: inNormal, beyond: inBool | inFix, strict: true,
		apply: func(w *weaver, c site) expr {
			return expr{relay("relay-add", relay("relay-add", c.text, c.text), relay("relay-negative", c.text)), c.rank()}
		}},
	{Name: "distribute", copies: true, in: inReal | inWrap, strict: true, apply: func(w *weaver, c site) expr {
		return expr{relay("relay-add", relay("relay-multiply", c.text, lit("3")),
			compute("negative", relay("relay-multiply", lit("2"), c.text))), c.rank()}
	}},
	{Name: "add zero times", copies: true, in: inNormal, beyond: inBool | inSat, strict: true,
		apply: func(w *weaver, c site) expr {
			return expr{relay("relay-add", relay("relay-multiply", c.text, lit("0")), c.text), c.rank()}
		}},

	// computes
	{Name: "sum in stages", in: inNormal, beyond: inBool | inFix, Op: "reduce-sum",
		apply: func(w *weaver, c site) expr {
			if w.items(c) < 2 {
				return expr{}
			}
			return expr{compute("reduce-sum", compute("elementwise-add", c.args[0])), c.t.Split}
		}},
	{Name: "sum as elementwise-add", in: inAll, Op: "reduce-sum", apply: func(w *weaver, c site) expr {
		if w.items(c) != 1 {
			return expr{}
		}
		return expr{compute("elementwise-add", c.args[0]), c.t.Split}
	}},
	{Name: "sum in another order", in: inNormal, beyond: inBool | inFix, Op: "reduce-sum",
		apply: func(w *weaver, c site) expr {
			return expr{compute("reduce-sum", w.shuffled(c)), c.t.Split}
		}},
	{Name: "sum in pieces", copies: true, in: inNormal, beyond: inBool | inFix, Op: "reduce-sum",
		apply: func(w *weaver, c site) expr {
			lo, hi, ok := w.pieces(c)
			if !ok {
				return expr{}
			}
			return expr{relay("relay-add", compute("reduce-sum", lo), compute("reduce-sum", hi)), c.rank()}
		}},
	{Name: "sum as dot-product", in: inAll, Op: "reduce-sum", apply: func(w *weaver, c site) expr {
		x := w.ty.Type(c.n.Args[0])
		return expr{compute("dot-product", reshape(c.args[0], insert(x.Dims, x.Split, size(1)), x.Split)), c.t.Split}
	}},
	{Name: "items as vectors", in: inAll, Op: "reduce-sum reduce-max reduce-mean",
		apply: func(w *weaver, c site) expr {
			x := w.ty.Type(c.n.Args[0])
			dims := slices.Concat(x.Access(), []domain.Size{product(x.Compute())})
			return expr{compute(c.n.Op.Name, reshape(c.args[0], dims, x.Split)), c.t.Split}
		}},
	{Name: "maximum in another order", in: inNormal, beyond: inBool | inSat | inFix, Op: "reduce-max",
		apply: func(w *weaver, c site) expr {
			return expr{compute("reduce-max", w.shuffled(c)), c.t.Split}
		}},
	{Name: "maximum in pieces", copies: true, in: inNormal, beyond: inBool | inSat | inFix, Op: "reduce-max",
		apply: func(w *weaver, c site) expr {
			lo, hi, ok := w.pieces(c)
			if !ok {
				return expr{}
			}
			return expr{relay("relay-maximum", compute("reduce-max", hi), compute("reduce-max", lo)), c.rank()}
		}},
	{Name: "maximum scaled", in: inReal, strict: true, Op: "reduce-max", apply: func(w *weaver, c site) expr {
		if !nonEmpty(w.ty.Type(c.n.Args[0]).Compute()) {
			return expr{}
		}
		x := splitAt(expr{relay("relay-multiply", c.args[0], lit("2")), len(w.dims(c.n.Args[0]))}, w.split(c.n.Args[0]))
		return expr{relay("relay-multiply", compute("reduce-max", x), lit("0.5")), c.rank()}
	}},
	{Name: "maximum shifted", in: inReal, strict: true, Op: "reduce-max", apply: func(w *weaver, c site) expr {
		if !nonEmpty(w.ty.Type(c.n.Args[0]).Compute()) {
			return expr{}
		}
		x := splitAt(expr{relay("relay-add", c.args[0], lit("2")), len(w.dims(c.n.Args[0]))}, w.split(c.n.Args[0]))
		return expr{relay("relay-add", compute("reduce-max", x), lit("-2")), c.rank()}
	}},
	{Name: "mean as quotient", in: inReal, beyond: inFloat, Op: "reduce-mean",
		apply: func(w *weaver, c site) expr {
			n, ok := number(product(w.ty.Type(c.n.Args[0]).Compute()))
			if !ok || n == 0 {
				return expr{}
			}
			return expr{relay("relay-divide", compute("reduce-sum", c.args[0]), lit(fmt.Sprint(n))), c.rank()}
		}},
	{Name: "fold unrolled", copies: true, in: inAll, Op: "elementwise-add elementwise-mul elementwise-div",
		apply: func(w *weaver, c site) expr {
			x := w.ty.Type(c.n.Args[0])
			n, ok := number(x.Compute()[0])
			if !ok || n < 1 || n > 3 {
				return expr{}
			}
			op := map[string]string{"elementwise-add": "relay-add", "elementwise-mul": "relay-multiply", "elementwise-div": "relay-divide"}
			part := func(i int) string {
				s := call("access-squeeze", call("access-slice", c.args[0], x.Split, i, i+1), x.Split)
				return splitAt(expr{s, x.Split}, c.rank())
			}
			acc := part(0)
			for i := 1; i < n; i++ {
				acc = relay(op[c.n.Op.Name], acc, part(i))
			}
			return expr{acc, c.rank()}
		}},
	{Name: "dot-product as product and sum", in: inAll, Op: "dot-product", apply: func(w *weaver, c site) expr {
		n, ok := number(w.ty.Type(c.n.Args[0]).Compute()[0])
		if !ok || n < 1 {
			return expr{}
		}
		return expr{compute("reduce-sum", compute("elementwise-mul", c.args[0])), c.t.Split}
	}},
	{Name: "dot-product turned round", copies: true, in: inAll, Op: "dot-product",
		apply: func(w *weaver, c site) expr {
			x := w.ty.Type(c.n.Args[0])
			if n, ok := number(x.Compute()[0]); !ok || n != 2 {
				return expr{}
			}
			part := func(i int) string { return call("access-slice", c.args[0], x.Split, i, i+1) }
			return expr{compute("dot-product", call("access-concatenate", part(1), part(0), x.Split)), c.t.Split}
		}},
	{Name: "map over a vector", in: inAll, Op: "relu negative sqrt relay-relu relay-negative relay-sqrt relay-sigmoid relay-tanh " +
		"relay-erf relay-round relay-left-shift relay-right-shift relay-clip relay-leaky-relu relay-cast",
		apply: func(w *weaver, c site) expr {
			args := slices.Clone(c.args)
			args[0] = reshape(args[0], []domain.Size{product(c.t.Dims)}, 1)
			return expr{reshape(callText(c.n, args), c.t.Dims, c.t.Split), c.t.Split}
		}},
	{Name: "relay or compute", in: inAll, Op: "relu negative sqrt softmax relay-relu relay-negative relay-sqrt relay-softmax",
		apply: func(w *weaver, c site) expr {
			switch name := c.n.Op.Name; name {
			case "softmax":
				return expr{relay("relay-softmax", c.args[0], fmt.Sprint(c.rank()-1)), c.t.Split}
			case "relay-softmax":
				a := (c.num(1) + c.rank()) % c.rank()
				p := make([]int, 0, c.rank())
				for i := range c.rank() {
					if i != a {
						p = append(p, i)
					}
				}
				p = append(p, a)
				x := splitAt(expr{call("access-transpose", c.args[0], list(p)), c.t.Split}, c.rank()-1)
				return expr{call("access-transpose", compute("softmax", x), list(inverse(p))), c.rank() - 1}
			case "relu", "negative", "sqrt":
				return expr{relay("relay-"+name, c.args[0]), c.t.Split}
			default:
				return expr{compute(name[len("relay-"):], c.args[0]), c.t.Split}
			}
		}},
	{Name: "softmax shifted", in: inReal, strict: true, Op: "softmax relay-softmax relay-log-softmax",
		apply: func(w *weaver, c site) expr {
			x := splitAt(expr{relay("relay-add", c.args[0], lit("1")), c.rank()}, w.split(c.n.Args[0]))
			if c.n.Op.Name == "relay-log-softmax" {
				return expr{callText(c.n, []string{x, c.args[1]}), c.t.Split}
			}
			return expr{callText(c.n, append([]string{x}, c.args[1:]...)), c.t.Split}
		}},
	{Name: "tanh by sigmoid", in: inReal, strict: true, Op: "relay-tanh", apply: func(w *weaver, c site) expr {
		s := relay("relay-sigmoid", relay("relay-multiply", c.args[0], lit("2")))
		return expr{relay("relay-add", relay("relay-multiply", s, lit("2")), lit("-1")), c.rank()}
	}},
	{Name: "relu as maximum", in: inNormal, beyond: inBool | inSat | inFix, Op: "relu relay-relu",
		apply: func(w *weaver, c site) expr {
			return expr{relay("relay-maximum", c.args[0], relay("relay-zeros", shapeText(c.t.Dims...))), c.rank()}
		}},

	// patterns
	{Name: "pair as stack", in: inAll, Op: "access-pair", apply: func(w *weaver, c site) expr {
		return expr{relay("relay-stack", c.args[0], c.args[1], fmt.Sprint(c.t.Split)), c.rank()}
	}},
	{Name: "product as pair", in: inAll, Op: "access-cartesian-product", apply: func(w *weaver, c site) expr {
		x, y := w.ty.Type(c.n.Args[0]), w.ty.Type(c.n.Args[1])
		all := slices.Concat(x.Access(), y.Access(), x.Compute())
		k := x.Split + y.Split
		spread := func(s string, dims []domain.Size) string {
			return splitAt(expr{call("access-broadcast", reshape(s, dims, k), call("access-shape", shapeText(all...), "(shape)")), k}, k)
		}
		return expr{call("access-pair", spread(c.args[0], slices.Concat(x.Access(), ones(y.Split), x.Compute())),
			spread(c.args[1], slices.Concat(ones(x.Split), y.Access(), y.Compute()))), k}
	}},
	{Name: "relay or access, moving", in: inAll, Op: "relay-transpose relay-reshape relay-squeeze relay-batch-flatten relay-expand-dims " +
		"relay-copy relay-pad relay-strided-slice", apply: func(w *weaver, c site) expr {
		x := c.args[0]
		switch c.n.Op.Name {
		case "relay-transpose":
			return expr{call("access-transpose", x, c.args[1]), w.split(c.n.Args[0])}
		case "relay-copy":
			return expr{x, w.split(c.n.Args[0])}
		case "relay-pad":
			for a := range c.rank() {
				p := c.n.Args[1]
				if p.Op != glenside.OpShape {
					return expr{}
				}
				x = call("access-pad", x, "zero-padding", a, p.Args[2*a].Int, p.Args[2*a+1].Int)
			}
			return expr{x, w.split(c.n.Args[0])}
		case "relay-strided-slice":
			for a := range c.rank() {
				x = call("access-slice", x, a, c.n.Args[1].Args[a].Int, c.n.Args[2].Args[a].Int)
			}
			return expr{x, w.split(c.n.Args[0])}
		}
		return expr{reshape(x, c.t.Dims, c.t.Split), c.t.Split}
	}},
	{Name: "relay or access, joining", in: inAll, Op: "relay-concatenate relay-stack",
		apply: func(w *weaver, c site) expr {
			if c.n.Op.Name == "relay-stack" {
				n := len(c.args) - 1
				a := (c.num(n) + c.rank()) % c.rank()
				dims := slices.Clone(c.t.Dims)
				dims[a] = size(1)
				x := reshape(c.args[0], dims, c.rank())
				for _, y := range c.args[1:n] {
					x = call("access-concatenate", x, reshape(y, dims, c.rank()), a)
				}
				return expr{x, c.rank()}
			}
			t := c.n.Args[1]
			if t.Op == nil || t.Op.Name != "construct-tuple" {
				return expr{}
			}
			x := splitAt(expr{w.text(t.Args[0]), -1}, c.rank())
			for _, y := range t.Args[1:] {
				x = call("access-concatenate", x, splitAt(expr{w.text(y), -1}, c.rank()), c.num(0))
			}
			return expr{x, c.rank()}
		}},
	{Name: "upsampling by broadcast", in: inAll, Op: "relay-upsampling", apply: func(w *weaver, c site) expr {
		scale := map[string]int{"1.0": 1, "2.0": 2}
		h, v := scale[c.n.Args[1].Text], scale[c.n.Args[2].Text]
		if h == 0 || v == 0 {
			return expr{}
		}
		d := w.dims(c.n.Args[0])
		x := reshape(c.args[0], []domain.Size{d[0], d[1], d[2], size(1), d[3], size(1)}, 6)
		x = call("access-broadcast", x, call("access-shape", shapeText(d[0], d[1], d[2], size(h), d[3], size(v)), "(shape)"))
		return expr{reshape(x, c.t.Dims, 4), 4}
	}},

	// arithmetic
	{Name: "operands swapped", in: inAll, Op: "relay-add relay-multiply", apply: func(w *weaver, c site) expr {
		return expr{relay(c.n.Op.Name, c.args[1], c.args[0]), c.rank()}
	}},
	{Name: "maximum swapped", in: inNormal, beyond: inBool | inSat | inFix, Op: "relay-maximum relay-minimum",
		apply: func(w *weaver, c site) expr {
			return expr{relay(c.n.Op.Name, c.args[1], c.args[0]), c.rank()}
		}},
	{Name: "minimum as maximum", in: inReal, strict: true, Op: "relay-minimum",
		apply: func(w *weaver, c site) expr {
			return expr{relay("relay-negative", relay("relay-maximum", relay("relay-negative", c.args[0]),
				compute("negative", c.args[1]))), c.rank()}
		}},
	{Name: "quotient as product", in: inReal, Op: "relay-divide", apply: func(w *weaver, c site) expr {
		return expr{relay("relay-multiply", c.args[0], relay("relay-divide", lit("1"), c.args[1])), c.rank()}
	}},
	{Name: "clip by max and min", in: inNormal, beyond: inFolds, Op: "relay-clip",
		apply: func(w *weaver, c site) expr {
			return expr{relay("relay-minimum", relay("relay-maximum", c.args[0], lit(c.args[1])), lit(c.args[2])), c.rank()}
		}},
	{Name: "leaky relu by max and min", in: inReal, strict: true, Op: "relay-leaky-relu",
		apply: func(w *weaver, c site) expr {
			return expr{relay("relay-add", relay("relay-maximum", c.args[0], lit("0")),
				relay("relay-multiply", lit(c.args[1]), relay("relay-minimum", c.args[0], lit("0")))), c.rank()}
		}},
	{Name: "bias by broadcast", in: inAll, Op: "relay-bias-add", apply: func(w *weaver, c site) expr {
		return expr{relay("relay-add", c.args[0], w.column(c, 1, (c.num(2)+c.rank())%c.rank())), c.rank()}
	}},
	{Name: "batch norm spelt out", in: inReal | inWrap, beyond: inFloat, Op: "relay-batch-norm-inference",
		apply: func(w *weaver, c site) expr {
			a := c.num(5)
			centred := relay("relay-add", c.args[0], relay("relay-negative", w.column(c, 3, a)))
			root := relay("relay-sqrt", relay("relay-add", w.column(c, 4, a), lit(c.args[6])))
			return expr{relay("relay-add", relay("relay-multiply", relay("relay-divide", centred, root), w.column(c, 1, a)),
				w.column(c, 2, a)), c.rank()}
		}},

	// products
	{Name: "dense by dot-product", in: inAll, Op: "relay-dense vta-dense", apply: func(w *weaver, c site) expr {
		rows := call("access-cartesian-product", call("access", c.args[0], 1), call("access", c.args[1], 1))
		return expr{compute("dot-product", rows), 2}
	}},
	{Name: "dense transposed", in: inAll, Op: "relay-dense vta-dense", apply: func(w *weaver, c site) expr {
		return expr{call("access-transpose", relay("relay-dense", c.args[1], c.args[0]), "(list 1 0)"), 2}
	}},
	{Name: "linear by dense", in: inReal, Op: "flex-linear", apply: func(w *weaver, c site) expr {
		b := reshape(c.args[2], []domain.Size{c.t.Dims[1]}, 1)
		return expr{relay("relay-bias-add", relay("relay-dense", c.args[0], c.args[1]), b, "1"), 2}
	}},
	{Name: "systolic by dense", in: inAll, Op: "systolic-array systolic-array-with-blocking",
		apply: func(w *weaver, c site) expr {
			x, d := c.args[2], w.dims(c.n.Args[2])
			if len(d) == 1 {
				x = reshape(x, insert(d, 0, size(1)), 1)
			}
			y := relay("relay-dense", x, call("access-transpose", c.args[3], "(list 1 0)"))
			return expr{reshape(y, c.t.Dims, c.rank()), c.rank()}
		}},
	{Name: "batches one by one", copies: true, in: inAll, Op: "relay-batch-matmul",
		apply: func(w *weaver, c site) expr {
			b, ok := number(c.t.Dims[0])
			if !ok || b > 3 {
				return expr{}
			}
			var items []string
			for i := range b {
				part := func(k int) string { return call("access-squeeze", call("access-slice", c.args[k], 0, i, i+1), 0) }
				items = append(items, relay("relay-dense", part(0), part(1)))
			}
			return expr{relay("relay-stack", append(items, "0")...), 3}
		}},
	{Name: "conv1d by conv2d", in: inAll, Op: "relay-conv1d", apply: func(w *weaver, c site) expr {
		s, p := c.n.Args[2], c.n.Args[3]
		if s.Op != glenside.OpShape || p.Op != glenside.OpShape {
			return expr{}
		}
		x, k := w.dims(c.n.Args[0]), w.dims(c.n.Args[1])
		y := relay("relay-conv2d", reshape(c.args[0], insert(x, 2, size(1)), 4), reshape(c.args[1], insert(k, 2, size(1)), 4),
			shapeText(size(1), s.Args[0].Int), shapeText(size(0), p.Args[0].Int, size(0), p.Args[1].Int), "1", "0",
			"(shape 0 0 0)", nchwWord, oihwWord)
		return expr{reshape(y, c.t.Dims, 0), 0}
	}},
	{Name: "convolution by windows", in: inAll, Op: "relay-conv2d", apply: func(w *weaver, c site) expr {
		if c.num(4) != 1 || c.n.Args[7].Text != nchwWord || c.n.Args[8].Text != oihwWord {
			return expr{}
		}
		x := c.args[0]
		s, p, k := c.n.Args[2].Args, c.n.Args[3].Args, w.dims(c.n.Args[1])
		x = call("access-pad", call("access-pad", x, "zero-padding", 2, p[0].Int, p[2].Int), "zero-padding", 3, p[1].Int, p[3].Int)
		win := call("access-windows", call("access", x, 1), shapeText(k[1:]...), shapeText(size(1), s[0].Int, s[1].Int))
		y := call("access-cartesian-product", call("access", c.args[1], 1), call("access-squeeze", win, 1))
		return expr{call("access-transpose", compute("dot-product", y), "(list 1 0 2 3)"), 4}
	}},
	{Name: "convolution in the other layout", in: inAll, Op: "relay-conv2d",
		apply: func(w *weaver, c site) expr {
			if c.num(4) != 1 {
				return expr{}
			}
			to, back, layout := "(list 0 2 3 1)", "(list 0 3 1 2)", nhwcWord
			if c.n.Args[7].Text == nhwcWord {
				to, back, layout = back, to, nchwWord
			}
			args := slices.Clone(c.args)
			args[0], args[7] = call("access-transpose", args[0], to), layout
			return expr{call("access-transpose", relay("relay-conv2d", args...), back), 4}
		}},
	{Name: "systolic convolution by relay", in: inAll, Op: "systolic-array-conv2d-nchw-oihw-with-blocking " +
		"systolic-array-conv2d-nhwc-hwio-with-blocking systolic-array-conv2d-im2col-nchw-oihw-with-blocking " +
		"systolic-array-conv2d-im2col-nhwc-hwio-with-blocking", apply: func(w *weaver, c site) expr {
		layout, kernel := nchwWord, oihwWord
		if slices.Contains([]string{"systolic-array-conv2d-nhwc-hwio-with-blocking",
			"systolic-array-conv2d-im2col-nhwc-hwio-with-blocking"}, c.n.Op.Name) {
			layout, kernel = nhwcWord, hwioWord
		}
		return expr{relay("relay-conv2d", c.args[3], c.args[2], "(shape "+c.args[6]+" "+c.args[7]+")", "(shape 0 0 0 0)", "1",
			"0", "(shape 0 0 0)", layout, kernel), 4}
	}},
	{Name: "hlscnn by relay", in: inReal, Op: "hlscnn-conv2d", apply: func(w *weaver, c site) expr {
		args := slices.Clone(c.args[:9])
		s := c.n.Args[2].Args
		args[2] = shapeText(s[len(s)-2].Int, s[len(s)-1].Int)
		return expr{relay("relay-conv2d", args...), 4}
	}},
	{Name: "max pool by windows", in: inAll, Op: "relay-max-pool2d", apply: func(w *weaver, c site) expr {
		return w.pool(c, "reduce-max")
	}},
	{Name: "average pool by windows", in: inAll, Op: "relay-avg-pool2d", apply: func(w *weaver, c site) expr {
		for _, p := range c.n.Args[3].Args {
			if !isNumber(p.Int, 0) {
				return expr{}
			}
		}
		return w.pool(c, "reduce-mean")
	}},
	{Name: "pool in the other layout", in: inAll, Op: "relay-max-pool2d relay-avg-pool2d",
		apply: func(w *weaver, c site) expr {
			to, back, layout := "(list 0 2 3 1)", "(list 0 3 1 2)", nhwcWord
			if c.n.Args[4].Text == nhwcWord {
				to, back, layout = back, to, nchwWord
			}
			args := slices.Clone(c.args)
			args[0], args[4] = call("access-transpose", args[0], to), layout
			return expr{call("access-transpose", relay(c.n.Op.Name, args...), back), c.t.Split}
		}},
	{Name: "flex-maxpool by reduce-max", in: inReal, Op: "flex-maxpool", apply: func(w *weaver, c site) expr {
		x := reshape(c.args[0], []domain.Size{c.t.Dims[0], size(2), c.t.Dims[1]}, 0)
		return expr{compute("reduce-max", call("access", call("access-transpose", x, "(list 0 2 1)"), 2)), 2}
	}},
	{Name: "global pool by mean", in: inAll, Op: "relay-global-avg-pool2d",
		apply: func(w *weaver, c site) expr {
			x := c.args[0]
			if c.n.Args[1].Text == nhwcWord {
				x = call("access-transpose", x, "(list 0 3 1 2)")
			}
			return expr{reshape(compute("reduce-mean", call("access", x, 2)), c.t.Dims, c.t.Split), c.t.Split}
		}},
	{Name: "relay-mean by reduce-mean", in: inAll, Op: "relay-mean", apply: func(w *weaver, c site) expr {
		r, a := c.rank()+1, c.num(1)
		p := []int{}
		for i := range r {
			if i != a {
				p = append(p, i)
			}
		}
		return expr{compute("reduce-mean", call("access", call("access-transpose", c.args[0], list(append(p, a))), r-1)), r - 1}
	}},
}

// items returns the number of compute dims of the operand.
func (w *weaver) items(c site) int { return len(w.ty.Type(c.n.Args[0]).Compute()) }

// shuffled returns the operand with its compute axes in another order.
func (w *weaver) shuffled(c site) string {
	x := w.ty.Type(c.n.Args[0])
	p := make([]int, len(x.Dims))
	for i := range p {
		p[i] = i
	}
	item := p[x.Split:]
	w.rng.Shuffle(len(item), func(i, j int) { item[i], item[j] = item[j], item[i] })
	return call("access-transpose", c.args[0], list(p))
}

// pieces cuts the operand in two on a compute axis.
func (w *weaver) pieces(c site) (lo, hi string, ok bool) {
	x := w.ty.Type(c.n.Args[0])
	for i, d := range x.Compute() {
		if n, isN := number(d); isN && n >= 2 {
			m := 1 + w.rng.IntN(n-1)
			a := x.Split + i
			return call("access-slice", c.args[0], a, 0, m), call("access-slice", c.args[0], a, m, n), true
		}
	}
	return "", "", false
}

// column returns operand i, a vector along an axis of the result, so that it broadcasts.
func (w *weaver) column(c site, i, axis int) string {
	dims := slices.Concat(w.dims(c.n.Args[i]), ones(c.rank()-1-axis))
	return reshape(c.args[i], dims, len(dims))
}

// pool writes a pool as a reduction of windows.
func (w *weaver) pool(c site, reduce string) expr {
	if c.n.Args[4].Text != nchwWord {
		return expr{}
	}
	p := c.n.Args[3].Args
	x := c.args[0]
	if reduce == "reduce-max" {
		x = call("access-pad", call("access-pad", x, "min-padding", 2, p[0].Int, p[2].Int), "min-padding", 3, p[1].Int, p[3].Int)
	}
	return expr{compute(reduce, call("access-windows", call("access", x, 2), c.args[1], c.args[2])), 4}
}
