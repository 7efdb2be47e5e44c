package mlir

import (
	"slices"
	"strings"
)

// An inliner puts the operations of functions of the file in the place of their calls.
type inliner struct {
	*parser
	functions []*function
	active    []string // which are being called
	ops       int      // that were put in
}

// maxCalled is how many operations calls may stand for.
const maxCalled = 1 << 16

// calls does so in a function, whose operands have their values.
func (n *inliner) calls(fn *function, body *region) {
	n.active = append(n.active, fn.name)
	stand := map[*def]*def{} // results, and parameters, and what they are
	if n.region(body, stand); len(stand) == 0 && n.ops == 0 {
		return
	}
	of := func(d *def) *def {
		for stand[d] != nil {
			d = stand[d]
		}
		return d
	}
	each(body, func(o *oper) {
		for _, u := range o.args {
			u.def = of(u.def)
			u.def.uses, u.def.nested = 0, false
		}
	})
	count(body)
}

// count counts how often values are used, once more.
func count(b *region) {
	for _, o := range b.ops {
		for _, u := range o.args {
			u.def.uses++
			u.def.nested = u.def.nested || u.def.block != b
		}
		for _, r := range o.regions {
			count(r)
		}
	}
}

// region replaces the calls of a block.
func (n *inliner) region(b *region, stand map[*def]*def) {
	var out []*oper
	for _, o := range b.ops {
		if o.name == "func.call" {
			out = append(out, n.called(o, b, stand)...)
			continue
		}
		for _, r := range o.regions {
			n.region(r, stand)
		}
		out = append(out, o)
	}
	b.ops = out
}

// called are the operations that a call in a block stands for.
func (n *inliner) called(o *oper, b *region, stand map[*def]*def) []*oper {
	fn := n.callee(o)
	if len(o.args) != len(fn.params) || len(o.results) != len(fn.results) {
		fail(o.at, "type-mismatch", "%s has %d parameters and %d results", fn.name, len(fn.params), len(fn.results))
	}
	for i, d := range fn.params {
		typedAs(o.args[i], d.typ)
		stand[d] = o.args[i].def
	}
	body := n.body(fn)
	if errs := resolve(fn, body); len(errs) > 0 {
		panic(errs[0])
	}
	n.active = append(n.active, fn.name)
	n.region(body, stand)
	n.active = n.active[:len(n.active)-1]
	if n.ops += len(body.ops); n.ops > maxCalled {
		fail(o.at, "too-large", "calls stand for more than %d operations", maxCalled)
	}
	last := len(body.ops) - 1
	if last < 0 || body.ops[last].name != "func.return" || len(body.ops[last].args) != len(fn.results) {
		fail(o.at, "bad-syntax", "%s ends in a return of %d values", fn.name, len(fn.results))
	}
	for i, d := range o.results {
		u := body.ops[last].args[i]
		typedAs(u, fn.results[i])
		if !d.typ.same(fn.results[i]) {
			mismatch(d.at, d.name, d.typ, fn.results[i])
		}
		stand[d] = u.def
	}
	for _, inner := range body.ops {
		for _, d := range inner.results {
			d.block = b
		}
	}
	return body.ops[:last]
}

// callee is the function that is called, with parameters of its own.
func (n *inliner) callee(o *oper) *function {
	a := o.needed("callee")
	name := strings.Trim(strings.TrimPrefix(a.s, "@"), `"`)
	k := slices.IndexFunc(n.functions, func(fn *function) bool { return fn.name == name })
	switch {
	case k < 0:
		fail(a.at, "unknown-call", "there is no function %s", name)
	case n.functions[k].start == 0:
		fail(a.at, "unknown-call", "%s has no body", name)
	case slices.Contains(n.active, name):
		fail(o.at, "unsupported-op", "%s calls itself", name)
	}
	fn := *n.functions[k]
	fn.params = nil
	for _, d := range n.functions[k].params {
		own := *d
		own.uses, own.nested = 0, false
		fn.params = append(fn.params, &own)
	}
	return &fn
}

// callOp reads @f(%a, %b) : (T, U) -> V.
func (p *parser) callOp(o *oper) {
	name := p.take(symbol, "a name @NAME")
	o.attrs["callee"] = &attr{kind: stringAttr, at: name.span, s: name.text}
	o.args = p.operandsWithin("(", ")")
	p.optionalDictionary(o)
	p.expect(":", "stands before a type")
	t := p.typeOf()
	if t.family != functionType || len(t.in) != len(o.args) {
		fail(o.at, "bad-syntax", "a call has the type of a function of %d operands", len(o.args))
	}
	o.argTypes, o.outTypes = t.in, t.out
}
