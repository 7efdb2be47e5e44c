package mlir

import (
	"tv/internal/source"
)

// A resolver finds what operands stand for, and holds their types against those that the text says.
type resolver struct {
	names map[string][]*def
	known []string

	unbound map[string]bool // names that are reported
	errs    source.Errors
}

// maxErrors bounds how many problems with names are reported of one text.
const maxErrors = 20

// resolve gives each operand of a function its value. It goes on behind what is wrong with a name: such problems are reported
// together.
func resolve(fn *function, body *region) source.Errors {
	r := &resolver{names: map[string][]*def{}, unbound: map[string]bool{}}
	for _, d := range fn.params {
		d.block = body
		r.try(func() { r.define(d) })
	}
	r.region(nil, body)
	return r.errs
}

func (r *resolver) try(f func()) {
	if err := attempt(f); err != nil && len(r.errs) < maxErrors {
		r.errs = append(r.errs, err)
	}
}

// define makes a value known. Those of one operation that share a name are a list.
func (r *resolver) define(d *def) {
	list := r.names[d.name]
	shares := !d.param && len(list) > 0 && list[0].op == d.op && !list[0].param
	if d.name == "%" {
		return
	}
	if len(list) > 0 && !shares {
		fail(d.at, "redefined-name", "%s is defined already, at %s", d.name, list[0].at.Position())
	}
	r.names[d.name] = append(list, d)
	r.known = append(r.known, d.name)
}

func (r *resolver) region(o *oper, b *region) {
	mark := len(r.known)
	for _, d := range b.params {
		d.op, d.block = o, b
		r.try(func() { r.define(d) })
	}
	for _, o := range b.ops {
		for i, u := range o.args {
			r.try(func() { r.use(o, i, u, b) })
		}
		for _, inner := range o.regions {
			r.region(o, inner)
		}
		for _, d := range o.results {
			d.block = b
			r.try(func() { r.define(d) })
		}
	}
	for ; len(r.known) > mark; r.known = r.known[:len(r.known)-1] {
		delete(r.names, r.known[len(r.known)-1])
	}
}

func (r *resolver) use(o *oper, i int, u *use, b *region) {
	list := r.names[u.name]
	if len(list) == 0 && r.unbound[u.name] {
		return
	}
	if len(list) == 0 {
		r.unbound[u.name] = true
		var names []string
		if len(r.known) < 1000 {
			names = append(names, r.known...)
		}
		fail(u.at, "unbound-name", "%s is not defined%s", u.name, suggest(u.name, names))
	}
	k := u.n // among the results of one operation the names may be several
	if k >= len(list) {
		fail(u.at, "unbound-name", "%s has %d results", u.name, len(list))
	}
	u.def = list[k]
	u.def.uses++
	if u.def.block != b {
		u.def.nested = true
	}
	if o.argTypes != nil && o.argTypes[i] != nil {
		typedAs(u, o.argTypes[i])
	}
}

func mismatch(at source.Span, what string, is, wanted *typ) {
	fail(at, "type-mismatch", "%s is of type %s, not %s", what, is, wanted)
}

// typedAs holds an operand against a type.
func typedAs(u *use, t *typ) {
	if !u.def.typ.same(t) {
		mismatch(u.at, u.name, u.def.typ, t)
	}
}
