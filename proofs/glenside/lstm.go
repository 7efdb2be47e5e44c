package glenside

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"tv/glenside"
	"tv/proofs/algebra"
)

// behind is an element of what an LSTM has behind a timestep.
func (l *lowering) behind(p part, c *context, at []*expr) *scalar {
	n := l.ty.Program.Nodes[p.node]
	in := slices.Clone(at)
	for i, d := range l.dims(l.ty.Type(n))[1:] {
		if d.Is(1) {
			in[i] = l.B.Const(0)
		}
	}
	o := l.operation(place{n: n}, c, in)
	if !o.idealised() {
		return l.opaque(o.p, fmt.Sprintf("state %d %d", p.step, p.which), in)
	}
	if p.which == 1 {
		return o.cell(c, p.step, in)
	}
	return o.hidden(c, p.step, in)
}

// An LSTM: x, h0, c0, w-ih, w-hh, b-ih, b-hh. hidden and cell are its states after t timesteps;
// the rows of weights and biases are those of the gates i, f, g and o.
func (o *operation) hidden(c *context, t int, at []*expr) *scalar {
	if t == 0 {
		return o.start(c, 1, at)
	}
	return o.state(c, part{o.p.n.ID, t, 0}, at, func() *scalar {
		return o.l.Op2(algebra.OpMul, o.sigmoid(o.gate(c, t, 3, at)), o.tanh(o.cell(c, t, at)))
	})
}

func (o *operation) cell(c *context, t int, at []*expr) *scalar {
	if t == 0 {
		return o.start(c, 2, at)
	}
	return o.state(c, part{o.p.n.ID, t, 1}, at, func() *scalar {
		next := o.l.Op2(algebra.OpMul, o.sigmoid(o.gate(c, t, 0, at)), o.tanh(o.gate(c, t, 2, at)))
		kept := o.l.Op2(algebra.OpMul, o.sigmoid(o.gate(c, t, 1, at)), o.cell(c, t-1, at))
		return o.l.Op2(algebra.OpAdd, next, kept)
	})
}

// start is operand i, which may have a first axis of size 1 more.
func (o *operation) start(c *context, i int, at []*expr) *scalar {
	if len(o.dims(i)) > len(at) {
		at = append([]*expr{o.zero}, at...)
	}
	return o.l.at(o.arg(i), c, at)
}

// state asks once for what a timestep leaves at an index, or reads what stands for it.
func (o *operation) state(c *context, p part, at []*expr, f func() *scalar) *scalar {
	if name, cut := o.l.cuts[p]; cut {
		t := state(o.ty)
		return o.l.Read(name, o.l.dims(o.ty)[1:], at, t.Elem, true)
	}
	key := string(o.l.Key(c, at, p.node, p.step, p.which))
	known := o.l.memo[key]
	if known == nil {
		known = f()
		o.l.memo[key] = known
	}
	return known
}

// gate is row at of the gate that begins at row n·h, for what timestep t reads.
func (o *operation) gate(c *context, t, n int, at []*expr) *scalar {
	l, b, j := o.l, o.l.B, len(at)-1
	weights := o.dims(3)
	h := o.dims(4)[1]
	row := b.Add(b.Scale(algebra.Int(int64(n)), h), at[j])
	sum := func(d *expr, w int, x func(rest []*expr) *scalar) *scalar {
		return l.Reduce(algebra.FoldSum, o.elem, []*expr{d}, func(in []*expr) *scalar {
			whole := append(slices.Clone(at[:j]), in[0])
			return l.Op2(algebra.OpMul, l.at(o.arg(w), c, []*expr{row, in[0]}), x(whole))
		})
	}
	input := sum(weights[1], 3, func(rest []*expr) *scalar {
		return l.at(o.arg(0), c, append([]*expr{b.Const(int64(t - 1))}, rest...))
	})
	kept := sum(h, 4, func(rest []*expr) *scalar { return o.hidden(c, t-1, rest) })
	biases := l.Op2(algebra.OpAdd, l.at(o.arg(5), c, []*expr{row}), l.at(o.arg(6), c, []*expr{row}))
	return l.Op2(algebra.OpAdd, l.Op2(algebra.OpAdd, input, kept), biases)
}

// lstm is an element of what an LSTM leaves behind its timesteps, the cells or the states.
func (o *operation) lstm(cells bool) *scalar {
	l, which := o.l, 0
	if cells {
		which = 1
	}
	if _, ok := l.ty.Recurrent(o.p.n); !ok {
		return l.opaque(o.p, o.p.n.Op.Name, o.at)
	}
	n, ok := l.ty.Timesteps(o.p.n)
	if !ok {
		return o.rows(run{o.a[0], o.started(1), o.started(2)}, o.c, o.at, which)
	}
	return o.pieces(n, o.at[0], func(int) *expr { return o.l.B.Const(1) },
		func(t int, c *context, _ *expr) *scalar {
			if cells {
				return o.cell(c, t+1, o.at[1:])
			}
			return o.hidden(c, t+1, o.at[1:])
		})
}

// A run is an LSTM over the rows of x, with what h and c identify before the first.
type run struct {
	x    *glenside.Node
	h, c string
}

// rows states an element of the states (0) or cells (1) of a run whose timesteps are not a
// number that they could be written out for. Of these nothing is known but that runs of the same
// operands have the same, and law (L1): a run over y and z one after the other, where y has a row,
// is the one over y, and then one over z with the last state and the last cell of y before.
func (o *operation) rows(r run, c *context, at []*expr, which int) *scalar {
	l, b := o.l, o.l.B
	two := r.x.Kind == glenside.KindCall && r.x.Op.Name == "access-concatenate"
	if two && l.number(r.x.Args[2]) == 0 {
		first := run{r.x.Args[0], r.h, r.c}
		count := l.dims(l.ty.Type(first.x))[0]
		last := b.AddInt(count, -1)
		if b.Nonneg(b.Root, last) {
			second := run{r.x.Args[1], o.before(first, last, 0), o.before(first, last, 1)}
			return l.Choose(c, b.Sub(last, at[0]),
				func(c *context) *scalar { return o.rows(first, c, at, which) },
				func(c *context) *scalar {
					in := append([]*expr{b.Sub(at[0], count)}, at[1:]...)
					return o.rows(second, c, in, which)
				})
		}
	}
	dims := slices.Concat(l.dims(l.ty.Type(r.x))[:1], l.dims(o.ty)[1:])
	return l.Read(algebra.Derived+o.named(r, which), dims, at, o.ty.Elem, true)
}

// started identifies operand i, the state or cell before, with a first axis of size 1 or without.
func (o *operation) started(i int) string {
	read := o.l.reads(state(o.ty), func(at []*expr) *scalar {
		return o.start(o.l.B.Root, i, at)
	})
	if read == "" {
		return o.l.digest(o.a[i])
	}
	return read
}

// before identifies the last state or cell of a run as what a later one starts with: as operands
// are that read it, or else by the run.
func (o *operation) before(r run, last *expr, which int) string {
	read := o.l.reads(state(o.ty), func(at []*expr) *scalar {
		return o.rows(r, o.l.B.Root, append([]*expr{last}, at...), which)
	})
	if read == "" {
		return "last of " + o.named(r, which)
	}
	return read
}

// named is the name of the states or cells of a run.
func (o *operation) named(r run, which int) string {
	parts := []string{[...]string{"states", "cells"}[which], o.l.digest(r.x), r.h, r.c}
	for _, w := range o.a[3:7] {
		parts = append(parts, o.l.digest(w))
	}
	return fmt.Sprintf("lstm %x", sha256.Sum256(fmt.Appendf(nil, "%q", parts)))
}
