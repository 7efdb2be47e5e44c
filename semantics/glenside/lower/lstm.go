package lower

import (
	"fmt"
	"slices"

	"tv/glenside"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/term"
)

// lowerLSTM: out[t] = h[t+1], of the cells c[t+1], with h[t+1] = sigmoid(o) · tanh(c[t+1]), c[t+1] = sigmoid(f) · c[t] + sigmoid(i) · tanh(g), where i, f,
// g and o are the quarters of w-ih · x[t] + b-ih + w-hh · h[t] + b-hh, in this order. Of other operands than those of an LSTM it is
// uninterpreted.
func lowerLSTM(l *lowering, n *glenside.Node) meaning {
	_, recurrent := l.ty.Recurrent(n)
	steps, fixed := l.ty.Timesteps(n)
	switch {
	case !recurrent:
		return l.opaqueTensor(n)
	case !fixed:
		return ideal(func(l *lowering, n *glenside.Node) meaning { return meaning{array: l.recurrence(n)} })(l, n)
	}
	return ideal(func(l *lowering, n *glenside.Node) meaning {
		x, wx, wh, bx, bh := l.array(n.Args[0]), l.array(n.Args[3]), l.array(n.Args[4]), l.array(n.Args[5]), l.array(n.Args[6])
		dims := l.dims(l.ty.Type(n).Dims)[1:] // of a state
		last := len(dims) - 1
		sigmoid, tanh := l.sigmoid(n), l.tanh(n)
		product := func(ctx *index.Context, of element, sizes, in, row []*index.Expr, w *array) *term.Term {
			return l.reduce(term.Sum, x.sort, sizes, in, func() *term.Term {
				return l.b.Mul(of(ctx, in), w.elem(ctx, l.joined(row, in[len(in)-1:])))
			})
		}
		h, c := l.before(l.array(n.Args[1]), dims).elem, l.before(l.array(n.Args[2]), dims).elem
		keep := func(step int, cells bool, of element) *array { // or what stands for it
			key := glenside.State{Call: n, Step: step, Cells: cells}
			a := &array{dims: dims, split: len(dims), sort: x.sort, elem: l.remember(of), binds: true, remembers: true, chosen: -1}
			if name, cut := l.opts.Cuts[key]; cut {
				a = l.tensor(l.stateType(n), name, true)
			}
			l.states[key] = a
			return a
		}
		all, cells := make([]*array, steps), make([]*array, steps)
		for t := range all {
			oldState, oldCell := h, c
			gate := func(ctx *index.Context, at []*index.Expr, quarter int64) *term.Term {
				row := []*index.Expr{l.x.Add(l.x.Scale(index.Int(quarter), dims[last]), at[last])}
				in, state := l.vector(last+2), l.vector(last+1)
				in[0] = l.size(domain.IntSize(int64(t)))
				copy(in[1:], at[:last])
				copy(state, at[:last])
				sum := l.b.Add(product(ctx, x.elem, x.dims, in, row, wx), product(ctx, oldState, dims, state, row, wh))
				return l.b.Add(sum, l.b.Add(bx.elem(ctx, row), bh.elem(ctx, row)))
			}
			cell := keep(t+1, true, func(ctx *index.Context, at []*index.Expr) *term.Term {
				kept := l.b.Mul(sigmoid(gate(ctx, at, 1)), oldCell(ctx, at))
				return l.b.Add(kept, l.b.Mul(sigmoid(gate(ctx, at, 0)), tanh(gate(ctx, at, 2))))
			})
			all[t] = keep(t+1, false, func(ctx *index.Context, at []*index.Expr) *term.Term {
				return l.b.Mul(sigmoid(gate(ctx, at, 3)), tanh(cell.elem(ctx, at)))
			})
			h, c, cells[t] = all[t].elem, cell.elem, cell
		}
		if n.Op.Name == "flex-lstm-cells" {
			return l.stack(n, 0, cells)
		}
		return l.stack(n, 0, all)
	})(l, n)
}

// stateType is the type of what an LSTM has behind a timestep.
func (l *lowering) stateType(n *glenside.Node) *glenside.Type {
	t := *l.ty.Type(n)
	t.Dims, t.Split = t.Dims[1:], len(t.Dims)-1
	return &t
}

// state is what an LSTM has behind a timestep: nothing is known of it where the call has no meaning.
func (l *lowering) state(s glenside.State) *array {
	if a := l.states[s]; a != nil {
		return a
	}
	return l.unknown(l.stateType(s.Call), fmt.Sprintf("%d %t of %s", s.Step, s.Cells, s.Call.Op.Name), s.Call)
}

// before is what an LSTM has before its first timestep: an operand of the dims of a state, which may have a first axis of size 1.
func (l *lowering) before(a *array, dims []*index.Expr) *array {
	if len(a.dims) == len(dims) {
		return a
	}
	return &array{dims: dims, split: len(dims), sort: a.sort, chosen: -1, elem: func(ctx *index.Context, at []*index.Expr) *term.Term {
		return a.elem(ctx, l.joined([]*index.Expr{l.zero}, at))
	}}
}

// recurrence is a call of an LSTM of as many timesteps as its operand x has, which is no number that they could be written out for.
func (l *lowering) recurrence(n *glenside.Node) *array {
	dims := l.dims(l.ty.Type(n).Dims)[1:]
	states, cells := l.after(n, n.Args[0], "", l.before(l.array(n.Args[1]), dims), l.before(l.array(n.Args[2]), dims))
	if n.Op.Name == "flex-lstm-cells" {
		return cells
	}
	return states
}

// after returns the states and the cells of an LSTM that reads x and has h and c before. They are tensors that the operands name, but
// for law (L1): those of (access-concatenate y z 0), where y has a timestep, are those of y, and then those of z where what y ends with
// is before. path leads from operand x of the call to x.
func (l *lowering) after(n, x *glenside.Node, path string, h, c *array) (states, cells *array) {
	t := l.ty.Type(n)
	if x.Kind == glenside.KindCall && x.Op.Name == "access-concatenate" && l.int(x.Args[2]) == 0 {
		last := l.x.AddInt(l.array(x.Args[0]).dims[0], -1)
		if l.x.Nonneg(l.x.Root(), last) {
			h1, c1 := l.after(n, x.Args[0], path+"y", h, c)
			h2, c2 := l.after(n, x.Args[1], path+"z", l.row(h1, last), l.row(c1, last))
			return l.append(t, 0, h1, h2), l.append(t, 0, c1, c2)
		}
	}
	var w writer
	w.visits, w.labels = maxVisits, map[*index.Atom]string{}
	for i, a := range []*array{l.array(x), h, c, l.array(n.Args[3]), l.array(n.Args[4]), l.array(n.Args[5]), l.array(n.Args[6])} {
		if i > 0 {
			w.text.WriteString(", ")
		}
		w.array(l, a)
	}
	text := w.text.String()
	if w.visits <= 0 { // not all of them is written: x is found in the text of the call
		text = "#" + l.digest(n) + " " + path
	} else if len(text) > maxText {
		text = "#" + hashed(text)
	}
	named := func(what string) *array {
		l.opaque[what] = true
		sizes := slices.Concat(l.ty.Type(x).Dims[:1], t.Dims[1:])
		return l.tensor(&glenside.Type{Kind: t.Kind, Dims: sizes, Split: len(sizes), Elem: t.Elem}, what+` "`+text+`"`, true)
	}
	return named("flex-lstm"), named("flex-lstm-cells")
}

// row is row i of a tensor.
func (l *lowering) row(a *array, i *index.Expr) *array {
	return &array{dims: a.dims[1:], split: len(a.dims) - 1, sort: a.sort, chosen: -1,
		elem: func(ctx *index.Context, at []*index.Expr) *term.Term {
			return a.elem(ctx, l.joined([]*index.Expr{i}, at))
		}}
}
