package mlir

import (
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

// parallel are loops in no order, one in the other.
func (l *lowering) parallel(o *operation, list []heading) {
	params := o.regions[0].params
	check(len(o.results) == 0, o.at, "unsupported-op", "a reduction of no order")
	l.check(o, len(params) == len(list) && len(list) > 0)
	var nest func(k int)
	nest = func(k int) {
		if k == len(list) {
			l.body(o.regions[0], l.hand(nil, o.at))
			return
		}
		l.check(o, params[k].typ.text == "index")
		l.nested(list[k], o.at, func(c size) {
			params[k].num = &number{x: c}
			nest(k + 1)
		}).Unordered = true
	}
	nest(0)
}
