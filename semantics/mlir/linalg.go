package mlir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tv/semantics/domain"
	"tv/semantics/loops"
)

// A contraction is a named operation of linalg as a specification: out = out op f(in, window), over the axes of the output and
// then over the others, as subscripts say. s0 and d0 are the first stride and dilation.
type contraction struct {
	in, other, out string
	op             loops.Op // Add of a product, or of a pooling what combines
	pools          bool
	unsigned       bool
}

var contractions = func() map[string]contraction {
	out := map[string]contraction{}
	for _, line := range strings.Split(contractionTexts, "\n") {
		name, maps, ok := strings.Cut(line, ": ")
		if !ok {
			continue
		}
		list := strings.Split(maps, ";")
		for i := range list {
			list[i] = strings.TrimSpace(list[i])
		}
		c := contraction{in: list[0], other: list[1], out: list[2], op: loops.Add}
		if !strings.HasPrefix(name, "pooling") {
			out["linalg."+name] = c
			continue
		}
		c.pools = true
		for suffix, op := range map[string]loops.Op{"sum": loops.Add, "max": loops.Maximum, "min": loops.Minimum} {
			c.op = op
			out["linalg."+name+"_"+suffix] = c
			if op != loops.Add {
				u := c
				u.unsigned = true
				out["linalg."+name+"_"+suffix+"_unsigned"] = u
			}
		}
	}
	return out
}()

const contractionTexts = `matmul: m k; k n; m n
matmul_transpose_a: k m; k n; m n
matmul_transpose_b: m k; n k; m n
batch_matmul: b m k; b k n; b m n
batch_matmul_transpose_a: b k m; b k n; b m n
batch_matmul_transpose_b: b m k; b n k; b m n
matvec: m n; n; m
vecmat: k; k n; n
batch_matvec: b m k; b k; b m
dot: m; m;
conv_1d: w+x; x; w
conv_2d: h+y w+x; y x; h w
conv_3d: d+z h+y w+x; z y x; d h w
conv_1d_nwc_wcf: n w*s0+x*d0 c; x c f; n w f
conv_1d_ncw_fcw: n c w*s0+x*d0; f c x; n f w
conv_2d_nhwc_hwcf: n h*s0+y*d0 w*s1+x*d1 c; y x c f; n h w f
conv_2d_nhwc_fhwc: n h*s0+y*d0 w*s1+x*d1 c; f y x c; n h w f
conv_2d_nchw_fchw: n c h*s0+y*d0 w*s1+x*d1; f c y x; n f h w
conv_3d_ndhwc_dhwcf: n d*s0+z*d0 h*s1+y*d1 w*s2+x*d2 c; z y x c f; n d h w f
depthwise_conv_1d_nwc_wc: n w*s0+x*d0 c; x c; n w c
depthwise_conv_2d_nhwc_hwc: n h*s0+y*d0 w*s1+x*d1 c; y x c; n h w c
depthwise_conv_2d_nchw_chw: n c h*s0+y*d0 w*s1+x*d1; c y x; n c h w
depthwise_conv_2d_nhwc_hwcm: n h*s0+y*d0 w*s1+x*d1 c; y x c m; n h w c m
pooling_nwc: n w*s0+x*d0 c; x; n w c
pooling_ncw: n c w*s0+x*d0; x; n c w
pooling_nhwc: n h*s0+y*d0 w*s1+x*d1 c; y x; n h w c
pooling_nchw: n c h*s0+y*d0 w*s1+x*d1; y x; n c h w
`

// An operand of linalg is a memref with a subscript by axis, or a scalar without any.
type linalgOperand struct {
	view  *view
	index []*affineExpr
	use   *use
}

// linalgSpace finds the extents of a space of iterations: that of a dim is the extent of the first axis of which it is the
// subscript, and all others of which it is are as long.
func (e *elaborator) linalgSpace(o *oper, count int, list []linalgOperand) []*cval {
	dims := make([]*cval, count)
	for _, v := range list {
		for axis, x := range v.index {
			switch {
			case x.op != "d":
			case dims[x.d] == nil:
				dims[x.d] = v.view.dims[axis]
			default:
				e.equal(dims[x.d], v.view.dims[axis], o.at, axis)
			}
		}
	}
	if k := slices.Index(dims, nil); k >= 0 {
		fail(o.at, "unsupported-op", "no operand says how far dim %d goes", k)
	}
	return dims
}

// at returns the subscripts of an operand in an iteration.
func (e *elaborator) subscriptsOf(v linalgOperand, index []*cval) []*cval {
	out := make([]*cval, len(v.index))
	for k, x := range v.index {
		out[k] = e.affine(x, index)
	}
	return out
}

// independent refuses an operation whose result depends on the order of its iterations: one that writes a cell in several of
// those that may run in any order, or reads what another one writes. ordered tells which dims are those of a reduction.
func independent(o *oper, list []linalgOperand, outs int, ordered func(k int) bool, dims int) {
	for i, w := range list[len(list)-outs:] {
		for k := range dims {
			if !ordered(k) && !slices.ContainsFunc(w.index, func(x *affineExpr) bool { return x.op == "d" && x.d == k }) {
				fail(w.use.at, "unsupported-op", "%s is written at the same place for each value of dim %d", w.use.name, k)
			}
		}
		for j, v := range list {
			if v.view == nil || v.view.root != w.view.root || j == len(list)-outs+i {
				continue
			}
			if v.use.def != w.use.def || !slices.EqualFunc(v.index, w.index, sameExpr) {
				fail(v.use.at, "unsupported-op", "%s is read and written at different places by iterations in any order", v.use.name)
			}
		}
	}
}

func sameExpr(x, y *affineExpr) bool {
	if x.op != y.op || x.d != y.d {
		return false
	}
	if x.op == "" {
		return x.n.Cmp(y.n) == 0
	}
	return x.op == "d" || sameExpr(x.a, y.a) && sameExpr(x.b, y.b)
}

// outputs splits the operands of linalg.
func (o *oper) outputs() (ins, outs []*use) {
	groups := o.segments(2)
	if len(o.results) > 0 {
		fail(o.at, "unsupported-op", "tensors: the subset of MLIR has memrefs")
	}
	return groups[0], groups[1]
}

// linalgGeneric runs its region for each index.
func (e *elaborator) linalgGeneric(o *oper) {
	e.plainly(o.at, "a loop")
	ins, outs := o.outputs()
	maps, kinds := o.needed("indexing_maps"), o.needed("iterator_types")
	if len(maps.list) != len(o.args) || len(o.regions) != 1 || len(o.regions[0].params) != len(o.args) {
		fail(o.at, "bad-syntax", "linalg.generic has a map and a parameter of its region for each operand")
	}
	for _, k := range kinds.list {
		if !strings.Contains(k.s+k.body, "parallel") && !strings.Contains(k.s+k.body, "reduction") {
			fail(k.at, "unsupported-op", "a kind of iterators that is neither parallel nor reduction")
		}
	}
	var list []linalgOperand
	for i, u := range slices.Concat(ins, outs) {
		list = append(list, e.mappedOperand(u, maps.list[i], len(kinds.list), i >= len(ins)))
	}
	dims := e.linalgSpace(o, len(kinds.list), list)
	ordered := func(k int) bool { return strings.Contains(kinds.list[k].s+kinds.list[k].body, "reduction") }
	independent(o, list, len(outs), ordered, len(dims))
	e.nest(o, "d", dims, func(index []*cval) {
		body := o.regions[0]
		e.cur.index = index
		for i, d := range body.params {
			v := list[i]
			switch {
			case d.uses == 0:
			case v.view == nil:
				e.produce(d, e.combine(e.elem(d.typ, d.at), []*data{e.value(v.use)}, func(args []*loops.Expr) *loops.Expr { return args[0] }))
			default:
				e.produce(d, e.loaded(o, v.view, e.subscriptsOf(v, index)))
			}
		}
		e.block(body)
		args := e.yields(o)
		if len(args) != len(outs) {
			fail(o.at, "type-mismatch", "linalg.generic yields %d values, not %d", len(args), len(outs))
		}
		for i, u := range args {
			v := list[len(ins)+i]
			typedAs(u, v.use.def.typ.elem)
			at := e.access(v.view, o.at, e.subscriptsOf(v, index))
			e.assign(v.view.root, func([]*loops.Int) []*loops.Int { return at }, e.value(u), o.at)
		}
	})
}

// mappedOperand is an operand with its map.
func (e *elaborator) mappedOperand(u *use, a *attr, dims int, out bool) linalgOperand {
	if a.m == nil || a.m.dims != dims || a.m.symbols != 0 {
		fail(a.at, "type-mismatch", "a map of %d dims", dims)
	}
	v := linalgOperand{index: a.m.exprs, use: u}
	rank := 0
	if u.def.typ.family == memrefType || out {
		v.view = e.memref(u)
		rank = len(v.view.dims)
	}
	if len(a.m.exprs) != rank {
		fail(a.at, "type-mismatch", "a map to %d subscripts of %s", len(a.m.exprs), u.name)
	}
	return v
}

func (e *elaborator) linalgIndex(o *oper) {
	o.takes(0, 0, 1)
	k := o.needed("dim").int64("a dim")
	if e.cur.index == nil || k < 0 || k >= int64(len(e.cur.index)) {
		fail(o.at, "bad-syntax", "linalg.index of a dim of the operation around")
	}
	o.results[0].x = e.cur.index[k]
}

// linalgFill sets all elements.
func (e *elaborator) linalgFill(o *oper) {
	e.plainly(o.at, "a loop")
	ins, outs := o.outputs()
	if len(ins) != 1 || len(outs) != 1 {
		fail(o.at, "bad-syntax", "linalg.fill has a number and a memref")
	}
	x, v := e.value(ins[0]), e.memref(outs[0])
	typedAs(ins[0], outs[0].def.typ.elem)
	if len(x.needs) > 0 { // it is read once
		e.materialize(x)
	}
	e.nest(o, "d", v.dims, func(index []*cval) {
		at := e.access(v, o.at, index)
		e.assign(v.root, func([]*loops.Int) []*loops.Int { return at }, x, o.at)
	})
}

func (e *elaborator) linalgCopy(o *oper) {
	if ins, outs := o.outputs(); len(ins) != 1 || len(outs) != 1 {
		fail(o.at, "bad-syntax", "linalg.copy has two memrefs")
	}
	e.copy(o)
}

// contraction runs a named operation.
func (e *elaborator) contraction(o *oper) {
	e.plainly(o.at, "a loop")
	c := contractions[o.name]
	ins, outs := o.outputs()
	if len(ins) != 2 || len(outs) != 1 {
		fail(o.at, "bad-syntax", "%s has two inputs and an output", o.name)
	}
	for _, name := range []string{"cast", "indexing_maps"} {
		if a := o.attr(name); a != nil && !strings.Contains(a.body, "cast_signed") {
			fail(a.at, "unsupported-op", "%s of %s", name, o.name)
		}
	}
	names := slices.Compact(strings.Fields(c.out))
	for _, text := range []string{c.other, c.in} {
		for _, f := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" +*", r) }) {
			if len(f) == 1 && !slices.Contains(names, f) {
				names = append(names, f)
			}
		}
	}
	var list []linalgOperand
	for i, u := range slices.Concat(ins, outs) {
		v := linalgOperand{view: e.memref(u), use: u}
		for _, f := range strings.Fields([]string{c.in, c.other, c.out}[i]) {
			v.index = append(v.index, o.subscript(f, names))
		}
		if len(v.index) != len(v.view.dims) {
			fail(u.at, "type-mismatch", "%s of a memref of rank %d, not %d", o.name, len(v.view.dims), len(v.index))
		}
		list = append(list, v)
	}
	results := len(strings.Fields(c.out))
	independent(o, list, 1, func(k int) bool { return k >= results }, len(names))
	elem := list[2].view.root.buffer.Elem
	e.nest(o, "d", e.linalgSpace(o, len(names), list), func(index []*cval) {
		at := e.access(list[2].view, o.at, e.subscriptsOf(list[2], index))
		x := e.widened(o, e.loaded(o, list[0].view, e.subscriptsOf(list[0], index)), elem)
		if !c.pools {
			y := e.widened(o, e.loaded(o, list[1].view, e.subscriptsOf(list[1], index)), elem)
			x = e.combine(elem, []*data{x, y}, func(args []*loops.Expr) *loops.Expr { return apply(loops.Mul, elem, o.at, args...) })
		}
		to := loops.Access{Buffer: list[2].view.root.buffer, At: at, Where: o.at}
		f := arithOp{op: c.op, unsigned: c.unsigned}
		e.emit(&loops.Assign{To: to, Value: f.of(elem, o.at, []*loops.Expr{loops.Element(to), x.at(nil)}), At: o.at})
	})
}

// widened converts an input to the type of the output.
func (e *elaborator) widened(o *oper, x *data, elem domain.Elem) *data {
	if x.elem == elem {
		return x
	}
	if x.elem.Kind != elem.Kind || x.elem.Width > elem.Width || elem == boolean {
		fail(o.at, "unsupported-op", "%s from %s to %s", o.name, x.elem, elem)
	}
	return e.combine(elem, []*data{x}, func(args []*loops.Expr) *loops.Expr { return convert(elem, o.at, args[0]) })
}

// subscript makes an expression of a text such as h*s0+y*d0.
func (o *oper) subscript(s string, names []string) *affineExpr {
	var sum *affineExpr
	for _, term := range strings.Split(s, "+") {
		name, factor, scaled := strings.Cut(term, "*")
		x := &affineExpr{op: "d", d: slices.Index(names, name), at: o.at}
		if scaled {
			x = &affineExpr{op: "*", a: x, b: o.window(factor), at: o.at}
		}
		if sum == nil {
			sum = x
		} else {
			sum = &affineExpr{op: "+", a: sum, b: x, at: o.at}
		}
	}
	return sum
}

// window is a stride or a dilation, 1 where the text does not say.
func (o *oper) window(name string) *affineExpr {
	attrs := map[byte]string{'s': "strides", 'd': "dilations"}
	k, _ := strconv.Atoi(name[1:])
	n := int64(1)
	if a := o.attr(attrs[name[0]]); a != nil {
		list := a.ints(attrs[name[0]])
		if len(list) == 1 { // a splat
			k = 0
		}
		if k >= len(list) || list[k] < 1 {
			fail(a.at, "bad-syntax", "%s of %s", fmt.Sprint(list), o.name)
		}
		n = list[k]
	}
	return &affineExpr{n: num(n).lo, at: o.at}
}
