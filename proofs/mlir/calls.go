package mlir

import (
	"slices"
	"strings"

	"tv/internal/source"
)

// symbol is the name that an attribute is, with @ or as a string.
func (a *attribute) symbol() string { return strings.Trim(strings.TrimPrefix(a.text, "@"), `"`) }

// chosen is the function that is meant, or without one that no other calls.
func chosen(list []*operation, whole source.Span) *operation {
	name := whole.File.Function
	list = slices.DeleteFunc(slices.Clone(list), func(f *operation) bool {
		if a := f.attrs["sym_name"]; name != "" {
			return a == nil || a.symbol() != name
		}
		return slices.ContainsFunc(list, func(g *operation) bool { return g != f && g.names(f) })
	})
	check(len(list) == 1, whole, "unsupported-op", "%d functions that may be meant", len(list))
	return list[0]
}

// names reports whether f is called in an operation.
func (o *operation) names(f *operation) bool {
	callee, name := o.attrs["callee"], f.attrs["sym_name"]
	if o.name == "func.call" && callee != nil && name != nil && callee.symbol() == name.symbol() {
		return true
	}
	return slices.ContainsFunc(o.regions, func(r *region) bool {
		return slices.ContainsFunc(r.body, func(x *operation) bool { return x.names(f) })
	})
}

// returned are the operands of the return of a function.
func (o *operation) returned() []*value {
	body := o.regions[0].body
	return body[len(body)-1].args
}

// maxCalls is how often functions are read for calls.
const maxCalls = 1 << 10

// expand reads functions once more for each call of them in an operation.
func (p *parser) expand(o *operation, active []string) {
	if a := o.attrs["sym_name"]; o.name == "func.func" && a != nil {
		active = append(slices.Clip(active), a.symbol())
	}
	for _, r := range o.regions {
		for _, x := range r.body {
			p.expand(x, active)
		}
	}
	if o.name != "func.call" {
		return
	}
	a := o.attrs["callee"]
	check(a != nil, o.at, "bad-syntax", "a call of nothing")
	start, ok := p.starts[a.symbol()]
	p.calls++
	check(ok && !slices.Contains(active, a.symbol()) && p.calls <= maxCalls, o.at, "unknown-call",
		"a call of %s", a.text)
	p.at, p.scopes = start, []map[string]*value{{}}
	f := p.operation()
	check(len(f.functions()) == 1, o.at, "unknown-call", "%s has no body", a.text)
	body := f.regions[0].body
	check(body[len(body)-1].name == "func.return" && len(f.returned()) == len(o.results) &&
		len(f.regions[0].params) == len(o.args), o.at, "bad-syntax", "%s has other types", a.text)
	for i, v := range f.regions[0].params {
		v.given = o.args[i]
		check(v.typ.text == v.given.typ.text, o.at, "type-mismatch", "%%%s is of another type",
			v.given.name)
	}
	for i, v := range f.returned() {
		check(v.typ.text == o.results[i].typ.text, o.at, "type-mismatch",
			"a result of another type")
	}
	o.callee = f
	p.expand(f, active)
}

// call does what a function does of operands.
func (l *lowering) call(o *operation) {
	for _, v := range o.callee.regions[0].params {
		l.stand(v, v.given, o.at)
	}
	l.body(o.callee.regions[0], func(args []*value, at source.Span) {
		for i, v := range o.results {
			l.stand(v, args[i], at)
		}
	})
}

// stand makes v what another value is.
func (l *lowering) stand(v, x *value, at source.Span) {
	switch {
	case v.typ.kind == memref:
		m := *l.viewed(x, at)
		v.mem = &m
	case x.num != nil:
		v.num = x.num
	default:
		check(v.typ.kind == scalar, at, "unsupported-op", "a call with %s", v.typ.text)
		l.set(v, l.data(x, at))
	}
}

// call reads the call of a function.
func (p *parser) call(o *operation) []typ {
	check(p.is("@"), p.here(), "bad-syntax", "expected a name")
	o.attrs["callee"] = p.attribute()
	o.args = p.operandList("(", ")")
	p.dictionary(o.attrs)
	p.want(":")
	k := 0
	p.list("(", ")", func() {
		at := p.here()
		t := p.typ()
		check(k < len(o.args), at, "bad-syntax", "more types than operands")
		p.typed(o.args[k], t, at)
		k++
	})
	check(k == len(o.args), o.at, "bad-syntax", "fewer types than operands")
	p.want("->")
	return p.results()
}
