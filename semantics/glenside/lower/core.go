package lower

import (
	"maps"

	"tv/glenside"
	"tv/semantics/index"
	"tv/semantics/term"
)

// A lowerer turns a call into its meaning, from those of its operands.
type lowerer func(l *lowering, n *glenside.Node) meaning

// lowerings holds the lowering of each operator.
var lowerings = lowerers()

func lowerers() map[*glenside.Op]lowerer {
	table := map[*glenside.Op]lowerer{}
	for _, part := range []map[string]lowerer{coreOps, computeOps, relayOps, hardwareOps, acceleratorOps} {
		for name, f := range maps.All(part) {
			table[glenside.LookupOp(name)] = f
		}
	}
	return table
}

// coreOps holds the operators of the core. Those that make sizes have no tensor to lower.
var coreOps = map[string]lowerer{
	"literal":           noTensor,
	"shape":             noTensor,
	"list":              noTensor,
	"access-shape":      noTensor,
	"get-access-shape":  noTensor,
	"shape-of":          noTensor,
	"slice-shape":       noTensor,
	"shape-insert-axis": noTensor,
	"shape-remove-axis": noTensor,

	"construct-tuple": func(l *lowering, n *glenside.Node) meaning {
		items := make([]meaning, len(n.Args))
		for i, a := range n.Args {
			items[i] = *l.value(a)
		}
		return meaning{items: items}
	},
	"tuple-get-item": func(l *lowering, n *glenside.Node) meaning {
		return l.value(n.Args[0]).items[l.int(n.Args[1])]
	},

	"access-literal":     func(l *lowering, n *glenside.Node) meaning { return l.filled(n, n.Args[0].Args[0]) },
	"constant-tensor":    func(l *lowering, n *glenside.Node) meaning { return l.filled(n, n.Args[0]) },
	"access-tensor":      func(l *lowering, n *glenside.Node) meaning { return l.as(n, l.array(n.Args[0])) },
	"access":             func(l *lowering, n *glenside.Node) meaning { return l.as(n, l.array(n.Args[0])) },
	"access-shift-right": func(l *lowering, n *glenside.Node) meaning { return l.as(n, l.array(n.Args[0])) },
	"access-transpose": func(l *lowering, n *glenside.Node) meaning {
		return l.transpose(n, l.array(n.Args[0]), l.ty.Type(n.Args[1]).Ints)
	},
	"access-cartesian-product": lowerCartesianProduct,
	"access-pair":              lowerPair,
	"access-windows": func(l *lowering, n *glenside.Node) meaning {
		return l.windows(n, l.array(n.Args[0]), l.dims(l.ty.Type(n.Args[2]).Dims))
	},
	"access-slice": func(l *lowering, n *glenside.Node) meaning {
		return l.shift(l.ty.Type(n), l.array(n.Args[0]), l.int(n.Args[1]), l.size(n.Args[2].Int))
	},
	"access-concatenate": func(l *lowering, n *glenside.Node) meaning {
		return l.concatenate(n, l.int(n.Args[2]), []*array{l.array(n.Args[0]), l.array(n.Args[1])})
	},
	"access-pad": lowerPad,
	"access-squeeze": func(l *lowering, n *glenside.Node) meaning {
		x := l.array(n.Args[0])
		dropped := make([]bool, len(x.dims))
		dropped[l.int(n.Args[1])] = true
		return l.drop(n, x, dropped)
	},
	"access-insert-axis": func(l *lowering, n *glenside.Node) meaning {
		return l.insert(n, l.array(n.Args[0]), l.int(n.Args[1]), 1)
	},
	"access-broadcast": func(l *lowering, n *glenside.Node) meaning {
		x := l.array(n.Args[0])
		return l.view(n, x, l.broadcast(x, l.dims(l.ty.Type(n).Dims)))
	},
	"access-reshape": lowerReshape,
	"access-flatten": lowerReshape,
}

func noTensor(*lowering, *glenside.Node) meaning { return meaning{} }

// filled returns a tensor all of whose elements are the number that a literal spells.
func (l *lowering) filled(n, literal *glenside.Node) meaning {
	return l.constantly(n, l.literal(l.sort(l.ty.Type(n).Elem), literal))
}

func (l *lowering) constantly(n *glenside.Node, t *term.Term) meaning {
	a := l.result(n, func(*index.Context, []*index.Expr) *term.Term { return t })
	a.plain = true
	return meaning{array: a}
}

// lowerCartesianProduct: out[s t 0 c] = x[s c], out[s t 1 c] = y[t c].
func lowerCartesianProduct(l *lowering, n *glenside.Node) meaning {
	x, y := l.array(n.Args[0]), l.array(n.Args[1])
	s, t := x.split, y.split
	a := l.result(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		return l.pick(ctx, at[s+t], 0, []*array{x, y}, func(k int) []*index.Expr {
			if k == 0 {
				return l.joined(at[:s], at[s+t+1:])
			}
			return l.joined(at[s:s+t], at[s+t+1:])
		})
	})
	a.chosen = s + t
	return meaning{array: a}
}

// lowerPair: out[s 0 c] = x[s c], out[s 1 c] = y[s c].
func lowerPair(l *lowering, n *glenside.Node) meaning {
	x, y := l.array(n.Args[0]), l.array(n.Args[1])
	return l.stack(n, x.split, []*array{x, y})
}

// stack: the arrays side by side on a new axis.
func (l *lowering) stack(n *glenside.Node, axis int, xs []*array) meaning {
	a := l.result(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		in := l.joined(at[:axis], at[axis+1:])
		return l.pick(ctx, at[axis], 0, xs, func(int) []*index.Expr { return in })
	})
	a.chosen = axis
	return meaning{array: a}
}

func lowerPad(l *lowering, n *glenside.Node) meaning {
	x := l.array(n.Args[0])
	pads := make([]padding, len(x.dims))
	for i := range pads {
		pads[i] = padding{l.zero, l.zero}
	}
	pads[l.int(n.Args[2])] = padding{l.size(n.Args[3].Int), l.size(n.Args[4].Int)}
	outside := l.b.Int(x.sort, 0)
	if n.Args[1].Text == "min-padding" {
		outside = l.b.Lowest(x.sort)
	}
	return l.pad(n, x, pads, outside)
}
