package mlir

import (
	"math/big"
	"slices"

	"tv/internal/source"
	"tv/proofs/loops"
	"tv/semantics/domain"
)

// affineParallel are loops in no order whose bounds are maps.
func (l *lowering) affineParallel(o *operation) {
	lower, upper := o.attrs["lowerBoundsMap"].mapping(), o.attrs["upperBoundsMap"].mapping()
	n := len(lower.dims) + len(lower.syms)
	l.check(o, len(o.args) == o.inputs() && len(o.regions) == 1 && o.attrs["steps"] != nil)
	los := l.ends(o, "lowerBoundsGroups", l.results(lower, o.args[:n], o.at), domain.SizeMax)
	his := l.ends(o, "upperBoundsGroups", l.results(upper, o.args[n:], o.at), domain.SizeMin)
	var list []heading
	l.check(o, len(los) == len(o.attrs["steps"].list))
	for i, a := range o.attrs["steps"].list {
		step, ok := a.integer()
		l.check(o, ok && step.Sign() > 0)
		list = append(list, heading{los[i], his[i], domain.BigSize(step)})
	}
	l.parallel(o, list)
}

// ends are bounds of loops, some for each as an attribute counts them.
func (l *lowering) ends(o *operation, name string, list []*number,
	op domain.SizeOp) (out [][]size) {
	counts := o.attrs[name]
	l.check(o, counts != nil)
	for range o.regions[0].params {
		text := counts.text // of all the same
		if counts.list != nil {
			l.check(o, len(out) < len(counts.list))
			text = counts.list[len(out)].text
		}
		n, ok := (&attribute{text: text}).integer()
		l.check(o, ok && n.IsInt64() && n.Int64() > 0 && n.Int64() <= int64(len(list)))
		var ends []size
		for _, x := range list[:n.Int64()] {
			ends = append(ends, loops.Apart(l.required(x, o.at), op)...)
		}
		out, list = append(out, ends), list[n.Int64():]
	}
	l.check(o, len(list) == 0)
	return out
}

// scfParallel are loops in no order whose bounds are values.
func (l *lowering) scfParallel(o *operation) {
	l.check(o, len(o.regions) == 1 && len(o.args) == 3*len(o.regions[0].params))
	n := len(o.args) / 3
	var list []heading
	for i := range n {
		list = append(list, l.heading(o, o.args[i], o.args[n+i], o.args[2*n+i]))
	}
	l.parallel(o, list)
}

// parallel are loops whose iterations have nothing to do with each other: then any order is right.
func (l *lowering) parallel(o *operation, list []heading) {
	params := o.regions[0].params
	check(len(o.results) == 0, o.at, "unsupported-op", "a reduction of no order")
	l.check(o, len(params) == len(list) && len(list) > 0)
	var made []*loops.For
	var nest func(k int)
	nest = func(k int) {
		if k == len(list) {
			l.body(o.regions[0], l.hand(nil, o.at))
			return
		}
		l.check(o, params[k].typ.text == "index")
		made = append(made, l.nested(list[k], o.at, func(c size) {
			params[k].num = &number{x: c}
			nest(k + 1)
		}))
	}
	nest(0)
	l.independent(made[0].Body, made, o.at) // the innermost is made first
}

// independent holds iterations of loops around a block against each other.
func (l *lowering) independent(block []loops.Stmt, list []*loops.For, at source.Span) {
	all := &accesses{of: map[*loops.Buffer][][]*loops.Int{}, written: map[*loops.Buffer]bool{},
		own: map[*loops.Buffer]bool{}}
	all.block(block)
	for b := range all.written {
		for _, f := range list {
			check(all.own[b] || all.apart(b, f), at, "unsupported-op",
				"iterations in no order that may not leave cells to each other")
		}
	}
}

// accesses are those of a block.
type accesses struct {
	of           map[*loops.Buffer][][]*loops.Int // subscripts
	written, own map[*loops.Buffer]bool           // own are those that begin in it
}

func (a *accesses) block(list []loops.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *loops.Assign:
			a.written[s.To.Buffer] = true
			a.of[s.To.Buffer] = append(a.of[s.To.Buffer], s.To.At)
			walk(s.Value, func(d *loops.Data) {
				if d.Op == loops.DataRead {
					a.of[d.From.Buffer] = append(a.of[d.From.Buffer], d.From.At)
				}
			})
		case *loops.For:
			a.block(s.Body)
		case *loops.If:
			a.block(s.Then)
			a.block(s.Else)
		case *loops.Alloc:
			a.own[s.Buffer] = true
		}
	}
}

// apart reports whether no element of a buffer is accessed by two iterations of a loop: on one axis
// all subscripts are a·i + b, i being its counter, and a·i + b = a·j + c for none of these b and c
// but where i = j, or i and j lie further apart than the loop is long.
func (a *accesses) apart(b *loops.Buffer, f *loops.For) bool {
	length := span(f)
	for k := range b.Dims {
		var list [][2]*big.Int
		all := !slices.ContainsFunc(a.of[b], func(at []*loops.Int) bool {
			factor, rest, ok := linear(at[k], f)
			list = append(list, [2]*big.Int{factor, rest})
			return !ok || factor.Sign() == 0 || factor.Cmp(list[0][0]) != 0
		})
		if all && never(list, length) {
			return true
		}
	}
	return false
}

// never reports whether no differences of the numbers b of subscripts a·i + b are those of two
// iterations.
func never(list [][2]*big.Int, length *big.Int) bool {
	for i, x := range list {
		for _, y := range list[:i] {
			way, rest := new(big.Int).QuoRem(new(big.Int).Sub(x[1], y[1]), x[0], new(big.Int))
			far := length != nil && new(big.Int).Abs(way).Cmp(length) >= 0
			if rest.Sign() == 0 && way.Sign() != 0 && !far {
				return false
			}
		}
	}
	return true
}

// span is the length of the range of a counter, nil where that is no number.
func span(f *loops.For) *big.Int {
	lo, hi := f.Lo[0], f.Hi[0]
	if len(f.Lo) != 1 || len(f.Hi) != 1 || lo.Op != loops.IntNumber || hi.Op != loops.IntNumber {
		return nil
	}
	return new(big.Int).Sub(hi.N, lo.N)
}

// linear splits x into a·i + b with numbers a and b, i being the counter of a loop.
func linear(x *loops.Int, f *loops.For) (a, b *big.Int, ok bool) {
	a, b = new(big.Int), new(big.Int)
	switch x.Op {
	case loops.IntNumber:
		return a, x.N, true
	case loops.IntCounter:
		return big.NewInt(1), b, x.Loop == f
	case loops.IntAdd:
		for _, y := range x.Args {
			c, d, ok := linear(y, f)
			if !ok {
				return nil, nil, false
			}
			a.Add(a, c)
			b.Add(b, d)
		}
		return a, b, true
	case loops.IntMul:
		b.SetInt64(1)
		for _, y := range x.Args { // (a·i + b)·(c·i + d), where a or c is 0
			c, d, ok := linear(y, f)
			if !ok || a.Sign() != 0 && c.Sign() != 0 {
				return nil, nil, false
			}
			a.Add(a.Mul(a, d), c.Mul(c, b))
			b = new(big.Int).Mul(b, d)
		}
		return a, b, true
	}
	return nil, nil, false
}
