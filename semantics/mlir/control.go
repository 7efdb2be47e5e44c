package mlir

import (
	"math/big"
	"strings"
)

// Which integers steer is known before anything is elaborated: those in subscripts, bounds, extents and steps, and those that
// they are computed from. An argument of the function that steers is a size. A condition of which all operands are
// numbers, sizes and counters steers, too; so does one on which loops depend, whatever it is made of.

// steering returns the operands of an operation that are subscripts, bounds, extents or steps.
func steering(o *oper) []*use {
	args := o.args
	from := func(n int) []*use { return args[min(n, len(args)):] }
	switch o.name {
	case "affine.load", "affine.vector_load", "vector.load", "memref.load", "memref.subview", "memref.dim":
		return from(1)
	case "affine.store", "affine.vector_store", "vector.store", "memref.store":
		return from(2)
	case "vector.transfer_read":
		return args[min(1, len(args)):max(len(args)-1, min(1, len(args)))]
	case "vector.transfer_write":
		return from(2)
	case "affine.apply", "affine.min", "affine.max", "affine.if", "affine.parallel", "memref.alloc", "memref.alloca":
		return args
	case "affine.for":
		lower, upper := o.attr("lowerBoundMap", "lower_bound"), o.attr("upperBoundMap", "upper_bound")
		if lower != nil && upper != nil && lower.m != nil && upper.m != nil {
			return args[:min(len(args), lower.m.dims+lower.m.symbols+upper.m.dims+upper.m.symbols)]
		}
	case "scf.for":
		return args[:min(3, len(args))]
	case "scf.parallel":
		return args[:len(args)-len(o.outTypes)]
	case "scf.if":
		if !plain(o) {
			return args
		}
	}
	return nil
}

// plain tells whether the branches of an if hold assignments and such ifs alone, so that they may depend on data.
func plain(o *oper) bool {
	found := false
	for _, r := range o.regions {
		each(r, func(inner *oper) {
			found = found || len(inner.regions) > 0 && inner.name != "scf.if" && inner.name != "affine.if" ||
				strings.HasPrefix(inner.name, "memref.all") || inner.name == "memref.copy" || strings.HasPrefix(inner.name, "linalg.")
			for _, d := range inner.results {
				found = found || d.typ.family == vectorType
			}
		})
	}
	return !found
}

// each calls f for the operations of a region, inner ones too.
func each(b *region, f func(*oper)) {
	for _, o := range b.ops {
		f(o)
		for _, r := range o.regions {
			each(r, f)
		}
	}
}

// steer marks what steers.
func steer(body *region) {
	var conditions []*use
	each(body, func(o *oper) {
		for _, u := range steering(o) {
			mark(u.def)
		}
		if len(o.args) > 0 && (o.name == "scf.if" || o.name == "arith.select") {
			conditions = append(conditions, o.args[0])
		}
	})
	for _, u := range conditions {
		if u.def.typ.same(anI1) && controllable(u.def) && total(u.def, map[*def]bool{}) {
			mark(u.def)
		}
	}
}

// mark marks a value that steers, and what it is computed from.
func mark(d *def) {
	work := []*def{d}
	for len(work) > 0 {
		d := work[len(work)-1]
		work = work[:len(work)-1]
		if d.steers || !d.typ.whole() {
			continue
		}
		d.steers = true
		if d.param {
			continue
		}
		if computes(d.op) {
			for _, u := range d.op.args {
				work = append(work, u.def)
			}
		}
		for _, u := range yielded(d) {
			work = append(work, u.def)
		}
		if d.op.name == "scf.if" && len(d.op.args) == 1 {
			work = append(work, d.op.args[0].def)
		}
	}
}

// yielded returns what the branches of an if give for one of its results.
func yielded(d *def) (out []*use) {
	if d.op.name != "scf.if" && d.op.name != "affine.if" {
		return nil
	}
	for _, r := range d.op.regions {
		if n := len(r.ops); n > 0 && d.number < len(r.ops[n-1].args) {
			out = append(out, r.ops[n-1].args[d.number])
		}
	}
	return out
}

// controls are operations on integers that integers of control have too.
var controls = func() map[string]bool {
	out := map[string]bool{}
	for _, n := range strings.Fields("addi subi muli divsi divui remsi remui floordivsi ceildivsi ceildivui maxsi minsi maxui minui " +
		"shli shrsi andi ori xori cmpi select index_cast index_castui extsi extui trunci") {
		out["arith."+n] = true
	}
	return out
}()

func computes(o *oper) bool { return controls[o.name] }

// controllable tells whether a value is made of numbers, sizes and counters, in a way that control can be.
func controllable(d *def) bool {
	if d.control == unknown {
		d.control = no // of what refers to itself
		d.control = known(isControl(d))
	}
	return d.control == yes
}

func isControl(d *def) bool {
	if d.typ.family == vectorType || !d.typ.whole() {
		return false
	}
	if d.param {
		return isCounter(d) || d.op == nil && d.steers && !d.typ.same(anI1)
	}
	switch d.op.name {
	case "arith.constant", "memref.dim", "affine.apply", "affine.min", "affine.max", "linalg.index":
		return true
	case "scf.if", "affine.if":
		list := yielded(d)
		for _, u := range list {
			if !controllable(u.def) {
				return false
			}
		}
		return len(list) == 2 && !d.typ.same(anI1) && (d.op.name == "affine.if" || controllable(d.op.args[0].def))
	}
	if !computes(d.op) {
		return false
	}
	for _, u := range d.op.args {
		if !controllable(u.def) {
			return false
		}
	}
	return d.typ.same(anI1) || linearOp(d.op)
}

// isCounter tells whether a parameter of a region counts iterations.
func isCounter(d *def) bool {
	if !d.param || d.op == nil {
		return false
	}
	switch d.op.name {
	case "affine.for", "scf.for":
		return d.number == 0
	case "affine.parallel", "scf.parallel":
		return true
	}
	return false
}

// linearOp tells whether an operation on integers of control is one that control has: products and divisions by what does
// not count, shifts by numbers.
func linearOp(o *oper) bool {
	if len(o.args) < 2 {
		return true
	}
	a, b := o.args[0].def, o.args[1].def
	switch strings.TrimPrefix(o.name, "arith.") {
	case "muli":
		return !counts(a) || !counts(b)
	case "divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "ceildivui":
		return !counts(b)
	case "shli", "shrsi":
		return b.op != nil && b.op.name == "arith.constant"
	case "andi", "ori", "xori":
		return false
	}
	return true
}

// total tells whether a value of control is the number that it is as data: nothing on the way wraps, or is read without a
// sign. Else what is required of control would be required of a condition that may as well be data.
func total(d *def, seen map[*def]bool) bool {
	if seen[d] || d.param {
		return true
	}
	seen[d] = true
	switch name := strings.TrimPrefix(d.op.name, "arith."); {
	case name == "constant", d.op.name == "memref.dim":
		return true
	case name == "cmpi":
		k := d.op.attr("predicate")
		if k == nil || k.kind != integerAttr || k.n.Cmp(big.NewInt(5)) > 0 {
			return false
		}
	case d.typ.family != indexType && !d.typ.same(anI1) && name != "extsi":
		return false
	case strings.HasSuffix(name, "ui"):
		return false
	}
	for _, u := range d.op.args {
		if !total(u.def, seen) {
			return false
		}
	}
	for _, u := range yielded(d) {
		if !total(u.def, seen) {
			return false
		}
	}
	return true
}

// counts tells whether a value of control depends on a counter.
func counts(d *def) bool {
	if d.counted == unknown {
		d.counted = no
		found := isCounter(d)
		if !d.param {
			found = d.op.name == "linalg.index"
			for _, u := range d.op.args {
				found = found || d.op.name != "memref.dim" && counts(u.def)
			}
			for _, u := range yielded(d) {
				found = found || counts(u.def)
			}
		}
		d.counted = known(found)
	}
	return d.counted == yes
}
