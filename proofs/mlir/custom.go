package mlir

import (
	"math/big"
	"slices"
	"strings"
)

// custom reads an operation in the syntax of its own, and returns the types of its results.
func (p *parser) custom(o *operation) []typ {
	o.name = dialect(p.word())
	switch family, _, _ := strings.Cut(o.name, "."); {
	case o.name == "builtin.module":
		if p.is("@") {
			p.id("@")
		}
		p.attributes(o)
		o.regions = []*region{p.region(nil)}
	case o.name == "func.func":
		p.function(o)
	case o.name == "func.return", strings.HasSuffix(o.name, ".yield"), o.name == "scf.reduce":
		p.dictionary(o.attrs)
		if o.args = p.operands(); len(o.args) > 0 {
			p.want(":")
			p.typeEach(o.args)
		}
	case o.name == "affine.for", o.name == "scf.for":
		return p.loop(o)
	case o.name == "affine.if", o.name == "scf.if":
		return p.branch(o)
	case o.name == "affine.parallel":
		return p.affineParallel(o)
	case o.name == "scf.parallel":
		return p.parallel(o)
	case family == "arith", family == "math":
		return p.arith(o)
	case family == "affine":
		return p.affineOp(o)
	case family == "memref":
		return p.memory(o)
	case family == "linalg":
		return p.linalg(o)
	case family == "vector":
		return p.vector(o)
	default:
		refuse(o.at, "unsupported-op", "%s is not read", o.name)
	}
	return nil
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

// sameType are operations of two operands whose result has their type.
var sameType = strings.Fields("addi subi muli divsi divui floordivsi ceildivsi ceildivui remsi remui " +
	"andi ori xori shli shrsi shrui addf subf mulf divf remf maxf minf maximumf minimumf maxnumf " +
	"minnumf maxsi minsi maxui minui")

// arith reads an operation on numbers.
func (p *parser) arith(o *operation) []typ {
	_, op, _ := strings.Cut(o.name, ".")
	switch {
	case op == "constant":
		p.dictionary(o.attrs)
		a := p.attribute()
		o.attrs["value"] = a
		if a.text == "true" || a.text == "false" {
			a.typ = known["i1"]
		}
		return []typ{a.typ}
	case op == "cmpi" || op == "cmpf":
		at := p.here()
		a := &attribute{at: at, text: strings.Trim(p.match(quoted), `"`)}
		if a.text == "" {
			a.text = p.word()
		}
		o.attrs["predicate"] = a
		p.want(",")
	}
	o.args = p.operands()
	p.flags(o)
	p.want(":")
	at := p.here()
	t := p.typ()
	count := map[bool]int{true: 2, false: 1}[slices.Contains(sameType, op)]
	switch {
	case op == "select" && len(o.args) == 3:
		if p.accept(",") {
			p.typed(o.args[0], t, at)
			t = p.typ()
		}
		p.typed(o.args[1], t, at)
		p.typed(o.args[2], t, at)
		return []typ{t}
	case op == "cmpi" || op == "cmpf":
		count = 2
	}
	check(len(o.args) == count, o.at, "unsupported-op", "%s of %d operands", o.name, len(o.args))
	for _, v := range o.args {
		p.typed(v, t, at)
	}
	switch {
	case op == "cmpi" || op == "cmpf":
		return []typ{t.bits()}
	case p.accept("to"):
		return []typ{p.typ()}
	}
	return []typ{t}
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

// affineOp reads an operation without a region.
func (p *parser) affineOp(o *operation) []typ {
	switch o.name {
	case "affine.apply", "affine.min", "affine.max":
		m := p.mapping()
		o.attrs["map"] = &attribute{at: o.at, m: m}
		o.args = p.inputs(m)
		p.dictionary(o.attrs)
		return []typ{index}
	case "affine.load", "affine.vector_load":
		a := p.operand()
		o.args = []*value{a}
		p.subscripts(o)
		return p.loaded(o, a)
	case "affine.store", "affine.vector_store":
		v := p.operand()
		p.want(",")
		a := p.operand()
		o.args = []*value{v, a}
		p.subscripts(o)
		p.stored(o, v, a)
		return nil
	}
	refuse(o.at, "unsupported-op", "%s is not read", o.name)
	return nil
}

// loaded reads the types of a load.
func (p *parser) loaded(o *operation, a *value) []typ {
	p.dictionary(o.attrs)
	p.want(":")
	at := p.here()
	t := p.typ()
	if p.typed(a, t, at); strings.HasPrefix(o.name, "memref") || o.name == "affine.load" {
		return []typ{t.single()}
	}
	p.want(",")
	return []typ{p.typ()}
}

// stored reads the types of a store.
func (p *parser) stored(o *operation, v, a *value) {
	p.dictionary(o.attrs)
	p.want(":")
	at := p.here()
	if p.typed(a, p.typ(), at); p.accept(",") {
		at := p.here()
		p.typed(v, p.typ(), at)
	}
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
	check(!p.is("reduce"), p.here(), "unsupported-op", "a reduction of no order")
	p.body(o, params)
	return nil
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
	check(len(groups.list) == count, o.at, "bad-syntax", "another number of bounds than of counters")
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
		check(len(list) == len(params), o.at, "bad-syntax", "another number of bounds than of counters")
		o.args = append(o.args, list...)
	}
	check(!p.is("init"), p.here(), "unsupported-op", "a reduction of no order")
	p.body(o, params)
	return nil
}

// memory reads an operation on memrefs.
func (p *parser) memory(o *operation) []typ {
	_, op, _ := strings.Cut(o.name, ".")
	switch op {
	case "load":
		o.args = []*value{p.operand()}
		o.args = append(o.args, p.operandList("[", "]")...)
		return p.loaded(o, o.args[0])
	case "store":
		v := p.operand()
		p.want(",")
		a := p.operand()
		o.args = append([]*value{v, a}, p.operandList("[", "]")...)
		p.stored(o, v, a)
		return nil
	case "alloc", "alloca":
		o.args = p.operandList("(", ")")
		check(!p.is("["), p.here(), "unsupported-op", "symbols of a layout")
		p.dictionary(o.attrs)
		p.want(":")
		return []typ{p.typ()}
	case "subview":
		return p.subview(o)
	case "dealloc", "dim", "copy", "cast":
	default:
		refuse(o.at, "unsupported-op", "%s is not read", o.name)
	}
	o.args = p.operands()
	p.dictionary(o.attrs)
	check(len(o.args) == map[string]int{"dealloc": 1, "dim": 2, "copy": 2, "cast": 1}[op], o.at,
		"bad-syntax", "%s of %d operands", o.name, len(o.args))
	p.want(":")
	at := p.here()
	p.typed(o.args[0], p.typ(), at)
	switch op {
	case "dim":
		return []typ{index}
	case "dealloc":
		return nil
	}
	p.want("to")
	at = p.here()
	t := p.typ()
	if op == "cast" {
		return []typ{t}
	}
	p.typed(o.args[1], t, at)
	return nil
}

func (p *parser) subview(o *operation) []typ {
	refuse(o.at, "unsupported-op", "%s is not read", o.name)
	return nil
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

// vector reads an operation of dialect vector.
func (p *parser) vector(o *operation) []typ {
	_, op, _ := strings.Cut(o.name, ".")
	v := p.operand()
	o.args = []*value{v}
	switch op {
	case "broadcast", "splat":
		p.want(":")
		at := p.here()
		t := p.typ()
		if op == "splat" {
			p.typed(v, t.single(), at)
			return []typ{t}
		}
		p.typed(v, t, at)
		p.want("to")
		return []typ{p.typ()}
	case "load":
		o.args = append(o.args, p.operandList("[", "]")...)
		return p.loaded(o, v)
	case "transfer_read":
		o.args = append(o.args, p.operandList("[", "]")...)
		p.want(",")
		o.args = append(o.args, p.operand())
		check(!p.is(","), p.here(), "unsupported-op", "a mask")
		return p.loaded(o, v)
	case "store", "transfer_write":
		p.want(",")
		a := p.operand()
		o.args = append([]*value{v, a}, p.operandList("[", "]")...)
		check(!p.is(","), p.here(), "unsupported-op", "a mask")
		p.dictionary(o.attrs)
		p.want(":")
		if op == "store" {
			v, a = a, v
		}
		p.typeEach([]*value{v, a})
		return nil
	}
	refuse(o.at, "unsupported-op", "%s is not read", o.name)
	return nil
}
