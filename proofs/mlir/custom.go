package mlir

import (
	"math/big"
	"slices"
	"strings"
)

// custom reads an operation in the syntax of its own, and returns the types of its results.
func (p *parser) custom(o *operation) []typ {
	o.name = dialect(p.word())
	family, op, _ := strings.Cut(o.name, ".")
	format, listed := formats[o.name]
	switch {
	case listed:
		return p.formatted(o, format)
	case o.name == "builtin.module":
		if p.is("@") {
			p.id("@")
		}
		p.attributes(o)
		o.regions = []*region{p.region(nil)}
	case o.name == "func.func":
		p.function(o)
	case o.name == "func.return", op == "yield", o.name == "scf.reduce.return":
		p.dictionary(o.attrs)
		if o.args = p.operands(); len(o.args) > 0 {
			p.want(":")
			p.typeEach(o.args)
		}
	case o.name == "scf.reduce":
		p.reduce(o)
	case o.name == "func.call":
		return p.call(o)
	case o.name == "affine.for", o.name == "scf.for":
		return p.loop(o)
	case o.name == "affine.if", o.name == "scf.if":
		return p.branch(o)
	case o.name == "affine.parallel":
		return p.affineParallel(o)
	case o.name == "scf.parallel":
		return p.parallel(o)
	case o.name == "arith.constant":
		p.dictionary(o.attrs)
		a := p.attribute()
		if o.attrs["value"] = a; a.text == "true" || a.text == "false" {
			a.typ = known["i1"]
		}
		return []typ{a.typ}
	case family == "arith", family == "math":
		if slices.Contains(casts, op) {
			return p.formatted(o, "% F : t0 to r")
		}
		return p.formatted(o, "%* F : s")
	case family == "linalg":
		return p.linalg(o)
	default:
		refuse(o.at, "unsupported-op", "%s is not read", o.name)
	}
	return nil
}

// formats are how operations are written: % is an operand, %* are some, [%] and (%) are some in
// brackets, offsets and so on are some or numbers, [a] are affine subscripts of operands, m is a
// map with its inputs, A are attributes, F are flags and attributes, p is a predicate, t0 is the
// type of operand 0, s that of all operands and of the result, r that of the result; e stands
// behind all for a result that is an element of operand 0, i for an index, b for the bits of
// operand 0.
var formats = map[string]string{
	"arith.cmpi": "p , % , % F : s b", "arith.cmpf": "p , % , % F : s b",
	"memref.load": "% [%] A : t0 e", "memref.store": "% , % [%] A : t1",
	"memref.alloc": "(%) A : r", "memref.alloca": "(%) A : r", "memref.dealloc": "% A : t0",
	"memref.dim": "% , % A : t0 i", "memref.copy": "% , % A : t0 to t1",
	"memref.cast": "% A : t0 to r", "memref.subview": "% offsets sizes strides A : t0 to r",
	"affine.load": "% [a] A : t0 e", "affine.store": "% , % [a] A : t1",
	"affine.vector_load": "% [a] A : t0 , r", "affine.vector_store": "% , % [a] A : t1 , t0",
	"affine.apply": "m A i", "affine.min": "m A i", "affine.max": "m A i",
	"vector.load": "% [%] A : t0 , r", "vector.store": "% , % [%] A : t1 , t0",
	"vector.transfer_read":  "% [%] , % A : t0 , r",
	"vector.transfer_write": "% , % [%] A : t0 , t1",
	"vector.broadcast":      "% A : t0 to r", "vector.splat": "% A : r",
}

// casts are operations whose result has another type than their operand.
var casts = strings.Fields("index_cast index_castui extsi extui trunci sitofp uitofp " +
	"fptosi fptoui extf truncf bitcast")

// formatted reads an operation in a format.
func (p *parser) formatted(o *operation, format string) (types []typ) {
	for _, s := range strings.Fields(format) {
		at := p.here()
		switch s {
		case "%":
			o.args = append(o.args, p.operand())
		case "%*":
			o.args = p.operands()
		case "[%]":
			o.args = append(o.args, p.operandList("[", "]")...)
		case "(%)":
			o.args = p.operandList("(", ")")
		case "[a]":
			p.subscripts(o)
		case "offsets", "sizes", "strides":
			p.mixed(o, "static_"+s)
		case "m":
			m := p.mapping()
			o.attrs["map"], o.args = &attribute{at: at, m: m}, p.inputs(m)
		case "A":
			p.dictionary(o.attrs)
		case "F":
			p.flags(o)
		case "p":
			a := &attribute{at: at, text: strings.Trim(p.match(quoted), `"`)}
			if a.text == "" {
				a.text = p.word()
			}
			o.attrs["predicate"] = a
		case "t0", "t1":
			p.typed(o.args[s[1]-'0'], p.typ(), at)
		case "s":
			types = p.same(o)
		case "r":
			types = []typ{p.typ()}
		case "e":
			types = []typ{o.args[0].typ.single()}
		case "i":
			types = []typ{index}
		case "b":
			types = []typ{o.args[0].typ.bits()}
		default:
			p.want(s)
		}
	}
	return types
}

// mixed reads numbers and operands. The numbers are an attribute.
func (p *parser) mixed(o *operation, name string) {
	a := &attribute{at: p.here()}
	o.attrs[name] = a
	p.list("[", "]", func() {
		x := &attribute{at: p.here(), text: dynamic}
		if a.list = append(a.list, x); p.is("%") {
			o.args = append(o.args, p.operand())
		} else {
			x.text = p.number().String()
		}
	})
}

// dynamic stands for a number that is an operand.
const dynamic = "-9223372036854775808"

// same reads the type of all operands and of the result, but for the condition of a select, whose
// type may stand in front.
func (p *parser) same(o *operation) []typ {
	at, args := p.here(), o.args
	t := p.typ()
	if o.name == "arith.select" && len(args) == 3 {
		if p.accept(",") {
			p.typed(args[0], t, at)
			at, t = p.here(), p.typ()
		}
		args = args[1:]
	}
	for _, v := range args {
		p.typed(v, t, at)
	}
	return []typ{t}
}

// typeEach reads the types of values.
func (p *parser) typeEach(list []*value) {
	for i, v := range list {
		if i > 0 {
			p.want(",")
		}
		at := p.here()
		p.typed(v, p.typ(), at)
	}
}

// flags reads what may stand between operands and types.
func (p *parser) flags(o *operation) {
	for _, s := range []string{"fastmath", "overflow", "exact"} {
		if at := p.here(); p.accept(s) {
			if o.attrs[s] = (&attribute{at: at}); p.is("<") {
				p.balanced()
			}
			o.attrs[s].text = p.from(at).Text()
		}
	}
	p.dictionary(o.attrs)
}

// inputs reads the operands of a map: dims in parentheses, symbols in brackets.
func (p *parser) inputs(m *mapping) (out []*value) {
	at := p.here()
	out = p.operandList("(", ")")
	dims := len(out)
	if p.is("[") {
		out = append(out, p.operandList("[", "]")...)
	}
	check(dims == len(m.dims) && len(out)-dims == len(m.syms), at, "bad-syntax",
		"another number of operands than inputs of the map")
	return out
}

// inline reads affine expressions of values, as a map and its operands.
func (p *parser) inline(m *mapping, args []*value, one func(element func() *node)) []*value {
	leaf := func() *node {
		at, symbol := p.here(), p.accept("symbol")
		if symbol {
			p.want("(")
		}
		v := p.operand()
		if symbol {
			p.want(")")
		}
		k := slices.Index(args, v)
		if k < 0 {
			k, args = len(args), append(args, v)
			m.dims = append(m.dims, v.name)
		} else {
			v.uses--
		}
		return &node{op: "input", k: k, at: at}
	}
	one(func() *node { return p.affine(leaf) })
	return args
}

// subscripts reads those of an affine access.
func (p *parser) subscripts(o *operation) {
	m := &mapping{}
	args := p.inline(m, nil, func(element func() *node) {
		p.list("[", "]", func() { m.results = append(m.results, element()) })
	})
	o.args = append(o.args, args...)
	o.attrs["map"] = &attribute{at: o.at, m: m}
}

// bound reads one of a loop: a number, a value, or a map, of several results with a word in front.
func (p *parser) bound(o *operation, name, word string) {
	at, several := p.here(), p.accept(word)
	a := &attribute{at: at}
	switch {
	case several, p.is("#"), p.is("affine_map"):
		a.m = p.mapping()
		check(several || len(a.m.results) == 1, at, "bad-syntax", "expected %s", word)
		o.args = append(o.args, p.inputs(a.m)...)
	case p.is("%"):
		a.m = &mapping{syms: []string{"s0"}, results: []*node{{op: "input", at: at}}}
		o.args = append(o.args, p.operand())
	default:
		a.m = &mapping{results: []*node{{op: "number", n: p.number(), at: at}}}
	}
	o.attrs[name] = a
}

// loop reads a for of either dialect.
func (p *parser) loop(o *operation) (types []typ) {
	at := p.here()
	params := []*value{{name: p.id("%"), typ: index, at: at}}
	p.want("=")
	if o.name == "affine.for" {
		p.bound(o, "lower", "max")
		p.want("to")
		p.bound(o, "upper", "min")
		o.attrs["step"] = &attribute{at: at, text: "1"}
		if p.accept("step") {
			o.attrs["step"].text = p.number().String()
		}
	} else {
		o.args = append(o.args, p.operand())
		p.want("to")
		o.args = append(o.args, p.operand())
		p.want("step")
		o.args = append(o.args, p.operand())
	}
	params, types = p.carried(o, params)
	if o.name == "scf.for" && p.accept(":") {
		at := p.here()
		t := p.typ()
		check(t.text == "index", at, "unsupported-op", "a counter that is no index")
	}
	p.body(o, params)
	return types
}

// carried reads what iterations hand on.
func (p *parser) carried(o *operation, params []*value) ([]*value, []typ) {
	if !p.accept("iter_args") {
		return params, nil
	}
	n := len(params)
	p.list("(", ")", func() {
		params = append(params, &value{at: p.here(), name: p.id("%")})
		p.want("=")
		o.args = append(o.args, p.operand())
	})
	p.want("->")
	at := p.here()
	types := p.results()
	check(len(types) == len(params)-n, at, "bad-syntax", "another number of types than of values")
	for i, t := range types {
		params[n+i].typ = t
		p.typed(o.args[len(o.args)-len(types)+i], t, at)
	}
	return params, types
}

// body reads the region of a loop.
func (p *parser) body(o *operation, params []*value) {
	o.regions = append(o.regions, p.region(func() []*value {
		for i, v := range params {
			params[i] = p.define(v.name, v.typ, v.at)
		}
		return params
	}))
	p.dictionary(o.attrs)
}

// branch reads an if of either dialect.
func (p *parser) branch(o *operation) (types []typ) {
	if o.name == "affine.if" {
		at := p.here()
		m := p.mapping()
		o.attrs["condition"] = &attribute{at: at, m: m}
		o.args = p.inputs(m)
	} else {
		o.args = []*value{p.operand()}
	}
	if p.accept("->") {
		types = p.results()
	}
	none := func() []*value { return nil }
	if o.regions = append(o.regions, p.region(none)); p.accept("else") {
		o.regions = append(o.regions, p.region(none))
	}
	p.dictionary(o.attrs)
	return types
}

// affineParallel reads loops that are in no order.
func (p *parser) affineParallel(o *operation) []typ {
	var params []*value
	p.list("(", ")", func() {
		params = append(params, &value{at: p.here(), name: p.id("%"), typ: index})
	})
	p.want("=")
	p.bounds(o, "lower", "max", len(params))
	p.want("to")
	p.bounds(o, "upper", "min", len(params))
	steps := &attribute{at: o.at}
	o.attrs["steps"] = steps
	if p.accept("step") {
		p.list("(", ")", func() {
			steps.list = append(steps.list, &attribute{at: o.at, text: p.number().String()})
		})
	} else {
		for range params {
			steps.list = append(steps.list, &attribute{at: o.at, text: "1"})
		}
	}
	var types []typ
	if p.accept("reduce") {
		kinds := &attribute{at: o.at}
		o.attrs["reductions"] = kinds
		p.list("(", ")", func() {
			kinds.list = append(kinds.list, &attribute{at: p.here(), text: p.match(quoted)})
		})
		p.want("->")
		types = p.results()
	}
	p.body(o, params)
	return types
}

// bounds reads those of loops: an expression each, or several with a word in front.
func (p *parser) bounds(o *operation, name, word string, count int) {
	m, groups := &mapping{}, &attribute{at: o.at}
	args := p.inline(m, nil, func(element func() *node) {
		p.list("(", ")", func() {
			before := len(m.results)
			if p.accept(word) {
				p.list("(", ")", func() { m.results = append(m.results, element()) })
			} else {
				m.results = append(m.results, element())
			}
			n := big.NewInt(int64(len(m.results) - before))
			groups.list = append(groups.list, &attribute{at: o.at, text: n.String()})
		})
	})
	check(len(groups.list) == count, o.at, "bad-syntax", "another number of bounds")
	o.args = append(o.args, args...)
	o.attrs[name+"BoundsMap"] = &attribute{at: o.at, m: m}
	o.attrs[name+"BoundsGroups"] = groups
}

// parallel reads loops that are in no order, whose bounds are values.
func (p *parser) parallel(o *operation) []typ {
	var params []*value
	p.list("(", ")", func() {
		params = append(params, &value{at: p.here(), name: p.id("%"), typ: index})
	})
	p.want("=")
	for i, s := range []string{"", "to", "step"} {
		if i > 0 {
			p.want(s)
		}
		list := p.operandList("(", ")")
		check(len(list) == len(params), o.at, "bad-syntax", "another number of bounds")
		o.args = append(o.args, list...)
	}
	var types []typ
	if p.accept("init") {
		o.args = append(o.args, p.operandList("(", ")")...)
		p.want("->")
		types = p.results()
	}
	p.body(o, params)
	return types
}

// reduce reads operands in parentheses, their types in them or behind, and a region for each.
func (p *parser) reduce(o *operation) {
	p.dictionary(o.attrs)
	if !p.accept("(") {
		return
	}
	o.args = p.operands()
	inside := p.accept(":")
	if inside {
		p.typeEach(o.args)
	}
	p.want(")")
	if !inside {
		p.want(":")
		p.typeEach(o.args)
	}
	for p.is("{") || len(o.regions) > 0 && p.accept(",") {
		o.regions = append(o.regions, p.region(nil))
	}
}

// linalg reads an operation of dialect linalg.
func (p *parser) linalg(o *operation) []typ {
	if o.name == "linalg.index" {
		o.attrs["dim"] = &attribute{at: o.at, text: p.number().String()}
		p.want(":")
		return []typ{p.typ()}
	}
	p.dictionary(o.attrs)
	counts := &attribute{at: o.at}
	for _, s := range []string{"ins", "outs"} {
		before := len(o.args)
		if p.accept(s) {
			p.want("(")
			o.args = append(o.args, p.operands()...)
			p.want(":")
			p.typeEach(o.args[before:])
			p.want(")")
		}
		n := big.NewInt(int64(len(o.args) - before))
		counts.list = append(counts.list, &attribute{at: o.at, text: n.String()})
	}
	o.attrs["operandSegmentSizes"] = counts
	if p.accept("attrs") {
		p.want("=")
		p.dictionary(o.attrs)
	}
	if o.name == "linalg.generic" {
		o.regions = []*region{p.region(nil)}
	}
	p.dictionary(o.attrs)
	check(!p.is("->"), p.here(), "unsupported-op", "%s of tensors", o.name)
	return nil
}
