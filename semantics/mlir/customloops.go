package mlir

import (
	"math/big"

	"tv/internal/source"
)

// applyOp reads #map(%i)[%n].
func (p *parser) applyOp(o *oper) {
	o.attrs["map"], o.args = p.applied(mapAttr)
	p.optionalDictionary(o)
	o.argTypes, o.outTypes = accessTypes(o), []*typ{anIndex}
}

// applied reads a map or a set with its operands.
func (p *parser) applied(k attrKind) (*attr, []*use) {
	a := p.attribute()
	if a.kind != k {
		fail(a.at, "bad-syntax", "a map or a set with operands")
	}
	args := p.operandsWithin("(", ")")
	if len(args) != a.m.dims {
		fail(a.at, "type-mismatch", "the map has %d dims and gets %d", a.m.dims, len(args))
	}
	count := len(args)
	if p.peek().is("[") {
		args = append(args, p.operandsWithin("[", "]")...)
	}
	if len(args)-count != a.m.symbols {
		fail(a.at, "type-mismatch", "the map has %d symbols and gets %d", a.m.symbols, len(args)-count)
	}
	return a, args
}

// bound reads a bound of affine.for: a number, a value, a map with operands, or the max or min of one.
func (p *parser) bound(word string) (*attr, []*use) {
	t := p.peek()
	several := p.accept(word)
	t = p.peek()
	switch {
	case t.kind == value && !several:
		u := p.operand()
		return &attr{kind: mapAttr, at: t.span, m: &affineMap{symbols: 1, exprs: identity(1, t.span).exprs}}, []*use{u}
	case (t.kind == number || t.is("-")) && !several:
		a := p.numberAttribute()
		return &attr{kind: mapAttr, at: p.since(t.span), m: constantMap(integerOf(a, p.since(t.span)), p.since(t.span))}, nil
	}
	a, args := p.applied(mapAttr)
	if len(a.m.exprs) == 0 || len(a.m.exprs) > 1 && !several {
		fail(a.at, "bad-syntax", "a bound of %d values is %s of a map", len(a.m.exprs), word)
	}
	return a, args
}

func integerOf(a *attr, at source.Span) *big.Int {
	if a.kind != integerAttr || !a.n.IsInt64() {
		fail(at, "bad-syntax", "an integer of 64 bits")
	}
	return a.n
}

// iterArgs reads iter_args(%a = %x) -> (T) of a loop, and adds the values before it to the operands.
func (p *parser) iterArgs(o *oper, params *[]*def) (count int) {
	if !p.accept("iter_args") {
		return 0
	}
	p.expect("(", "follows iter_args")
	for {
		t := p.take(value, "a value %NAME")
		p.expect("=", "stands before what a loop begins with")
		o.args = append(o.args, p.operand())
		*params = append(*params, &def{name: t.text, at: t.span, param: true})
		count++
		if !p.accept(",") {
			break
		}
	}
	p.expect(")", "ends iter_args(")
	p.expect("->", "stands before the types of results")
	o.outTypes = p.resultTypes()
	if len(o.outTypes) != count {
		fail(o.at, "type-mismatch", "%d values go round, and there are types of %d", count, len(o.outTypes))
	}
	for i, t := range o.outTypes {
		(*params)[len(*params)-count+i].typ = t
	}
	return count
}

// bodyOf reads the region of an operation whose heading has its parameters.
func (p *parser) bodyOf(o *oper, params []*def) {
	r := p.region()
	if len(r.params) > 0 {
		fail(r.at, "bad-syntax", "%s has its parameters in its heading", o.name)
	}
	for i, d := range params {
		d.number = i
	}
	r.params = params
	o.regions = append(o.regions, r)
}

func (p *parser) counter(t *typ) *def {
	name := p.take(value, "a value %NAME")
	return &def{name: name.text, at: name.span, typ: t, param: true}
}

// affineFor reads %i = 0 to %n step 2 iter_args(..) -> (..) {..}.
func (p *parser) affineFor(o *oper) {
	params := []*def{p.counter(anIndex)}
	p.expect("=", "follows a counter")
	lower, lowerArgs := p.bound("max")
	p.expect("to", "stands between bounds")
	upper, upperArgs := p.bound("min")
	o.attrs["lowerBoundMap"], o.attrs["upperBoundMap"] = lower, upper
	o.args = append(lowerArgs, upperArgs...)
	o.attrs["step"] = &attr{kind: integerAttr, at: o.at, n: big.NewInt(1)}
	if p.accept("step") {
		o.attrs["step"] = p.attribute()
	}
	count := p.iterArgs(o, &params)
	setSegments(o, len(lowerArgs), len(upperArgs), count)
	p.bodyOf(o, params)
	p.optionalDictionary(o)
}

// affineIf reads #set(%i)[%n] -> T {..} else {..}.
func (p *parser) affineIf(o *oper) {
	o.attrs["condition"], o.args = p.applied(setAttr)
	o.argTypes = accessTypes(o)
	p.branches(o)
}

func (p *parser) branches(o *oper) {
	if p.accept("->") {
		o.outTypes = p.resultTypes()
	}
	o.regions = append(o.regions, p.region())
	if p.accept("else") {
		o.regions = append(o.regions, p.region())
	}
	p.optionalDictionary(o)
}

// affineParallel reads (%i, %j) = (0, max(%a, %b)) to (%n, 4) step (1, 2) reduce ("addf") -> (T) {..}.
func (p *parser) affineParallel(o *oper) {
	params := p.counters(anIndex)
	p.expect("=", "follows counters")
	p.parallelBounds(o, "lower", "max")
	p.expect("to", "stands between bounds")
	p.parallelBounds(o, "upper", "min")
	steps := &attr{kind: arrayAttr, at: o.at}
	if p.accept("step") {
		p.expect("(", "begins steps")
		steps.list = p.attributesUntil(")")
	} else {
		for range params {
			steps.list = append(steps.list, &attr{kind: integerAttr, n: big.NewInt(1), at: o.at})
		}
	}
	o.attrs["steps"] = steps
	if p.accept("reduce") {
		p.expect("(", "begins reductions")
		o.attrs["reductions"] = &attr{kind: arrayAttr, at: o.at, list: p.attributesUntil(")")}
		p.expect("->", "stands before the types of results")
		o.outTypes = p.resultTypes()
	}
	p.bodyOf(o, params)
	p.optionalDictionary(o)
	o.argTypes = accessTypes(o)
}

func (p *parser) counters(t *typ) (params []*def) {
	p.expect("(", "begins counters")
	for !p.accept(")") {
		params = append(params, p.counter(t))
		if !p.accept(",") {
			p.expect(")", "ends counters")
			break
		}
	}
	return params
}

// parallelBounds reads a list of expressions over values, or of max(..) or min(..) of several.
func (p *parser) parallelBounds(o *oper, which, word string) {
	groups := &attr{kind: denseAttr, at: o.at}
	m := &affineMap{}
	var args []*use
	a := &affineParser{parser: p, value: func(bool) int {
		args = append(args, p.operand())
		return len(args) - 1
	}}
	p.expect("(", "begins bounds")
	for !p.accept(")") {
		count := len(m.exprs)
		if p.peek().is(word) && p.ahead(1).is("(") {
			p.next()
			p.next()
			for more := true; more; more = p.accept(",") {
				m.exprs = append(m.exprs, a.sum())
			}
			p.expect(")", "ends "+word)
		} else {
			m.exprs = append(m.exprs, a.sum())
		}
		groups.list = append(groups.list, &attr{kind: integerAttr, n: big.NewInt(int64(len(m.exprs) - count)), at: o.at})
		if !p.accept(",") {
			p.expect(")", "ends bounds")
			break
		}
	}
	m.dims = len(args)
	o.args = append(o.args, args...)
	o.attrs[which+"BoundsMap"] = &attr{kind: mapAttr, at: o.at, m: m}
	o.attrs[which+"BoundsGroups"] = groups
}

// scfFor reads %i = %a to %b step %s iter_args(..) -> (..) : T {..}.
func (p *parser) scfFor(o *oper) {
	params := []*def{p.counter(anIndex)}
	p.expect("=", "follows a counter")
	o.args = []*use{p.operand()}
	p.expect("to", "stands between bounds")
	o.args = append(o.args, p.operand())
	p.expect("step", "follows bounds")
	o.args = append(o.args, p.operand())
	p.iterArgs(o, &params)
	if p.accept(":") {
		params[0].typ = p.typeOf()
	}
	p.bodyOf(o, params)
	p.optionalDictionary(o)
	t := params[0].typ
	o.argTypes = append([]*typ{t, t, t}, o.outTypes...)
}

func (p *parser) scfIf(o *oper) {
	o.args = []*use{p.operand()}
	o.argTypes = []*typ{anI1}
	p.branches(o)
}

// scfParallel reads (%i) = (%a) to (%b) step (%s) init (%x) -> T {..}.
func (p *parser) scfParallel(o *oper) {
	params := p.counters(anIndex)
	p.expect("=", "follows counters")
	o.args = p.operandsWithin("(", ")")
	p.expect("to", "stands between bounds")
	o.args = append(o.args, p.operandsWithin("(", ")")...)
	p.expect("step", "follows bounds")
	o.args = append(o.args, p.operandsWithin("(", ")")...)
	n := len(params)
	if len(o.args) != 3*n {
		fail(o.at, "type-mismatch", "%d counters have as many bounds and steps", n)
	}
	o.argTypes = accessTypes(o)
	inits := 0
	if p.accept("init") {
		args := p.operandsWithin("(", ")")
		inits = len(args)
		o.args = append(o.args, args...)
		p.expect("->", "stands before the types of results")
		o.outTypes = p.resultTypes()
		o.argTypes = append(o.argTypes, o.outTypes...)
	}
	setSegments(o, n, n, n, inits)
	p.bodyOf(o, params)
	p.optionalDictionary(o)
}

// scfReduce reads (%x) : T {..} or, as what ends a body, (%x, %y : T, U) {..}, {..}.
func (p *parser) scfReduce(o *oper) {
	if !p.accept("(") {
		return
	}
	o.args = p.operands()
	inside := p.accept(":")
	if inside {
		o.argTypes = p.typesSeparated()
	}
	p.expect(")", "ends operands")
	if !inside {
		p.expect(":", "stands before types")
		o.argTypes = p.typesSeparated()
	}
	for range o.args {
		if len(o.regions) > 0 {
			p.expect(",", "stands before the next reduction")
		}
		o.regions = append(o.regions, p.region())
	}
}
