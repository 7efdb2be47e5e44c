package mlir

import (
	"slices"
	"strings"
)

// steer marks the values that subscripts, bounds of loops and extents are made of.
func steer(list []*operation) {
	for _, o := range list {
		for _, v := range o.steering() {
			mark(v)
		}
		if o.callee != nil { // whose parameters are the operands
			steer(o.callee.regions[0].body)
		}
		for _, r := range o.regions {
			steer(r.body)
		}
	}
}

// steering are the operands that subscripts, bounds and extents are made of.
func (o *operation) steering() []*value {
	switch o.name {
	case "affine.for", "affine.parallel":
		return o.args[:min(len(o.args), o.inputs())]
	case "scf.for":
		return o.args[:min(len(o.args), 3)]
	case "affine.load", "memref.load", "affine.vector_load", "vector.load", "vector.transfer_read",
		"memref.dim", "memref.subview":
		return o.args[min(len(o.args), 1):]
	case "affine.store", "memref.store", "affine.vector_store", "vector.store",
		"vector.transfer_write":
		return o.args[min(len(o.args), 2):]
	case "scf.parallel", "memref.alloc", "memref.alloca":
		return o.args
	}
	return nil
}

// inputs is how many operands the maps of bounds have.
func (o *operation) inputs() (n int) {
	for _, s := range []string{"lower", "upper", "lowerBoundsMap", "upperBoundsMap"} {
		if a := o.attrs[s]; a != nil && a.m != nil {
			n += len(a.m.dims) + len(a.m.syms)
		}
	}
	return n
}

func mark(v *value) {
	if v.steers || v.typ.kind != scalar || v.typ.isFloat() {
		return
	}
	v.steers = true
	if v.given != nil {
		mark(v.given)
	}
	if o := v.by; o != nil && o.callee != nil {
		mark(o.callee.returned()[slices.Index(o.results, v)])
	} else if o != nil && (strings.HasPrefix(o.name, "arith.") || o.name == "affine.apply" ||
		o.name == "affine.min" || o.name == "affine.max") {
		for _, a := range o.args {
			mark(a)
		}
	}
}
