package mlir

import (
	"math/big"
	"slices"
	"strings"

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
	kinds := o.attrs["reductions"]
	l.check(o, kinds == nil && len(o.results) == 0 || len(kinds.list) == len(o.results))
	var sums []reduction
	for i, v := range o.results {
		sums = append(sums, l.reduction(o, kinds.list[i], v))
	}
	l.parallel(o, list, func() {
		l.body(o.regions[0], func(args []*value, at source.Span) {
			check(len(args) == len(sums), o.at, "bad-syntax", "%d values are reduced", len(sums))
			for i, v := range args {
				l.reduce(sums[i], v, o.at)
			}
		})
	})
	l.reduced(o, sums)
}

// A reduction is a local that iterations in no order update.
type reduction struct {
	to *loops.Buffer // of unsigned integers, for those of maxu and minu
	op loops.DataOp
}

// kinds are reductions of affine.parallel by their numbers, with what each begins with.
var kinds = strings.Fields("addf addi assign maximumf maxs maxu minimumf mins minu mulf muli ori " +
	"andi maxnumf minnumf")

// reduction begins the local of an affine.parallel with what its operation changes nothing by.
func (l *lowering) reduction(o *operation, a *attribute, v *value) reduction {
	kind := strings.Trim(a.text, `"`)
	if n, ok := a.integer(); ok && n.IsInt64() && n.Int64() >= 0 && n.Int64() < int64(len(kinds)) {
		kind = kinds[n.Int64()]
	}
	check(v.typ.kind == scalar && v.typ.isFloat() == strings.HasSuffix(kind, "f"), o.at,
		"type-mismatch", "a reduction %s of %s", kind, v.typ.text)
	t := v.typ
	least, most := t.limits()
	first, op := "", loops.DataOp(0)
	switch kind {
	case "addf", "addi":
		first, op = "0", loops.DataAdd
	case "mulf", "muli":
		first, op = "1", loops.DataMul
	case "ori":
		first, op = "0", loops.DataBitOr
	case "andi":
		first, op = "-1", loops.DataBitAnd
	case "maxs":
		first, op = least.String(), loops.DataMax
	case "mins":
		first, op = most.String(), loops.DataMin
	case "maxu":
		first, op, t = "0", loops.DataMax, typ{elem: unsigned(t.elem)}
	case "minu":
		all := new(big.Int).Sub(loops.Beyond(uint(t.elem.Width)), big.NewInt(1))
		first, op, t = all.String(), loops.DataMin, typ{elem: unsigned(t.elem)}
	case "maximumf", "maxf", "maxnumf":
		first, op = "-inf", loops.DataMax
	case "minimumf", "minf", "minnumf":
		first, op = "inf", loops.DataMin
	default:
		refuse(o.at, "unsupported-op", "a reduction %s", kind)
	}
	out := reduction{l.local("%"+v.name, t.elem, nil, o.at), op}
	l.Emit(&loops.Assign{To: access(out.to, o.at), Span: o.at,
		Value: &loops.Data{Op: loops.DataLiteral, Elem: t.elem, Text: first, Span: o.at}})
	return out
}

// reduce updates a local.
func (l *lowering) reduce(r reduction, v *value, at source.Span) {
	check(v.typ.kind == scalar && v.typ.elem.Width == r.to.Elem.Width &&
		v.typ.isFloat() == (r.to.Elem.Kind == domain.ElemFloat), at, "type-mismatch",
		"%%%s is of another type", v.name)
	t := typ{elem: r.to.Elem}
	x := operator(r.op, t, at, read(access(r.to, at)), convert(l.data(v, at), r.to.Elem))
	l.Emit(&loops.Assign{To: access(r.to, at), Value: x, Reduces: true, Span: at})
}

// reduced gives results what their locals hold.
func (l *lowering) reduced(o *operation, sums []reduction) {
	for i, v := range o.results {
		v.fix(convert(read(access(sums[i].to, o.at)), v.typ.elem))
	}
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
	l.check(o, len(o.regions) == 1 && len(o.args) == 3*len(o.regions[0].params)+len(o.results))
	n := len(o.regions[0].params)
	var list []heading
	for i := range n {
		list = append(list, l.heading(o, o.args[i], o.args[n+i], o.args[2*n+i]))
	}
	to := l.carry(o)
	l.hand(to, o.at)(o.args[3*n:], o.at)
	var sums []reduction
	for _, b := range to {
		sums = append(sums, reduction{to: b})
	}
	l.parallel(o, list, func() {
		k := 0
		do := func(x *operation) {
			for i, v := range x.args {
				l.check(x, len(x.args) == len(x.regions) && k < len(sums))
				sums[k].op = x.combining(x.regions[i], v.typ)
				l.reduce(sums[k], v, x.at)
				k++
			}
		}
		list := o.regions[0].body
		for _, x := range list {
			switch {
			case x.name == "scf.reduce":
				do(x)
			case x.name == "scf.yield":
				l.check(x, x == list[len(list)-1] && len(x.args) == 0)
			default:
				l.operation(x)
			}
		}
		l.check(o, k == len(sums))
	})
	l.reduced(o, sums)
}

// combining is the one operation of which a region of an scf.reduce consists, of its parameters.
func (o *operation) combining(r *region, t typ) loops.DataOp {
	ok := len(r.params) == 2 && len(r.body) == 2 && r.body[1].name == "scf.reduce.return"
	if !ok {
		refuse(o.at, "unsupported-op", "a reduction by more than one operation")
	}
	x, last := r.body[0], r.body[1]
	family, name, _ := strings.Cut(x.name, ".")
	op, known := exact[name]
	l, m := r.params[0], r.params[1]
	commutes := slices.Contains([]loops.DataOp{loops.DataAdd, loops.DataMul, loops.DataMax,
		loops.DataMin, loops.DataBitAnd, loops.DataBitOr}, op)
	operands := len(x.args) == 2 && (x.args[0] == l && x.args[1] == m ||
		x.args[0] == m && x.args[1] == l)
	check(family == "arith" && known && commutes && operands && x.elementary() &&
		!strings.HasSuffix(name, "ui") && t.isFloat() == strings.HasSuffix(name, "f") &&
		len(x.results) == 1 && len(last.args) == 1 && last.args[0] == x.results[0] &&
		l.typ.text == t.text && m.typ.text == t.text && x.results[0].typ.text == t.text, x.at,
		"unsupported-op", "a reduction by %s", x.name)
	return op
}

// parallel are loops in no order, one in the other.
func (l *lowering) parallel(o *operation, list []heading, do func()) {
	params := o.regions[0].params
	l.check(o, len(params) == len(list) && len(list) > 0)
	var nest func(k int)
	nest = func(k int) {
		if k == len(list) {
			do()
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
