package cnest

import (
	"math/big"
	"slices"
)

// A unit may have constants outside its functions: enums, and what is const and has a value. A scalar stands for that value
// wherever its name does, an array is one of the function that is read, filled before all else.

// constant reads what stands outside functions, up to the ; or the { at stop, and returns what is behind it; nil where it is no constant.
func (u *unit) constant(tokens []token, stop int) []token {
	switch {
	case tokens[0].is("enum") && tokens[stop].is("{"):
		last := closing(tokens, stop)
		if !tokens[last+1].is(";") {
			return nil
		}
		u.enum(newParser(tokens[stop+1:last], tokens[last]))
		return tokens[last+2:]
	case !slices.ContainsFunc(tokens[:stop], func(t token) bool { return t.is("=") }):
		return nil
	}
	for depth := 0; depth > 0 || !tokens[stop].is(";"); stop++ { // of a list
		switch {
		case tokens[stop].kind == end:
			return nil
		case tokens[stop].is("{"):
			depth++
		case tokens[stop].is("}"):
			depth--
		}
	}
	p := newParser(tokens[:stop+1], tokens[stop])
	p.accept("static")
	if t := p.peek(); !startsType(t) {
		return nil
	}
	s := p.locals(true)
	for _, d := range s.decls {
		if !d.constant || d.init == nil {
			fail(d.span, "unsupported-op", "variables outside functions: the subset of C has const ones with a value alone")
		}
		u.known(d.name, d)
		if d.array {
			one := *s
			one.decls = []*declaration{d}
			u.arrays = append(u.arrays, &one)
			continue
		}
		u.constants[d.name] = &expr{op: opCast, typ: d.typ, args: []*expr{d.init.one()}, span: d.span}
	}
	return tokens[stop+1:]
}

func (u *unit) known(name string, d *declaration) {
	if u.constants[name] != nil || u.byName[name] != nil || slices.ContainsFunc(u.arrays, func(s *stmt) bool { return s.decls[0].name == name }) {
		fail(d.span, "redefined-name", "%s is defined already", name)
	}
}

// enum reads the names of an enum: each is one more than the one before it, or what it says.
func (u *unit) enum(p *parser) {
	last := &expr{op: opNumber, typ: intType, num: big.NewRat(-1, 1), span: p.peek().span}
	for p.peek().kind != end {
		d := &declaration{span: p.peek().span, typ: intType}
		d.name = p.newName()
		u.known(d.name, d)
		next := &expr{op: opNumber, typ: intType, num: big.NewRat(1, 1), span: d.span}
		x := &expr{op: "+", args: []*expr{last, next}, span: d.span}
		if p.accept("=") {
			x = p.conditional()
		}
		last = &expr{op: opCast, typ: intType, args: []*expr{x}, span: d.span}
		u.constants[d.name] = last
		if !p.accept(",") {
			break
		}
	}
	if t := p.peek(); t.kind != end {
		fail(t.span, "bad-syntax", "a name of an enum, not %s", t.text)
	}
}

// constant is what a name outside functions stands for, nil if it does for nothing.
func (r *resolver) constant(x *expr) *expr {
	c := r.unit.constants[x.name]
	if c == nil {
		return nil
	}
	for _, scope := range r.scopes {
		if scope[x.name] != nil {
			return nil
		}
	}
	was := r.scopes
	r.scopes = nil // it is made of others alone
	defer func() { r.scopes = was }()
	out := *r.expr(c)
	out.span = x.span
	return &out
}

// global declares the arrays that stand outside functions and that some function names.
func (r *resolver) global() (out []*stmt) {
	r.scopes = []map[string]*symbol{{}}
	for _, s := range r.unit.arrays {
		if slices.ContainsFunc(r.unit.functions, func(f *function) bool {
			return slices.ContainsFunc(f.body, func(t token) bool { return t.kind == word && t.text == s.decls[0].name })
		}) {
			out = append(out, r.statement(s))
		}
	}
	r.outside, r.scopes = r.scopes[0], nil
	return out
}
