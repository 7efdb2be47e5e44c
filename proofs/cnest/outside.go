package cnest

import (
	"slices"
	"strconv"

	"tv/internal/source"
)

// What a file has outside its functions (6.9): enumeration constants (6.7.2.2), and objects that
// are const and whose initial values are constant expressions (6.6, 6.7.9).

// An outside is what all functions of a text have in common.
type outside struct {
	constants map[string]*node     // scalars, as conversions of what they are
	arrays    map[string]*variable // which begin where the function that is read does
	begin     []*stmt
}

// defines reads a declaration that ends with list[end], if it is one of these.
func (o *outside) defines(list []token, end source.Span) {
	if len(list) == 0 || !slices.ContainsFunc(list, func(t token) bool {
		return t.text == "=" || t.text == "enum"
	}) {
		return
	}
	p := &parser{list: list, end: end, scopes: []map[string]*variable{o.arrays}, out: o}
	if p.accept("enum") {
		if !p.is("{") {
			p.next()
		}
		p.enumerators()
		check(len(p.list) == 0, end, "unsupported-op", "an enum with a variable")
		return
	}
	s := p.specifiers()
	for more := true; more; more = p.accept(",") {
		v := p.declarator(s)
		check(v.readonly && p.accept("="), v.at, "unsupported-op", "%s is no constant", v.name)
		check(o.constants[v.name] == nil, v.at, "redefined-name", "%s is defined twice", v.name)
		if v.array {
			check(p.is("{"), v.at, "bad-syntax", "an array begins with a list")
			x := p.values()
			v.counts(x)
			o.begin = append(o.begin, &stmt{op: "declare", v: v, x: x, at: v.at})
			continue
		}
		o.constants[v.name] = &node{op: "cast", typ: v.typ, args: []*node{p.assignment()}, at: v.at}
		delete(o.arrays, v.name)
	}
	check(len(p.list) == 0, end, "bad-syntax", "expected ;")
}

// enumerators are one more than the one before, if they do not say what they are.
func (p *parser) enumerators() {
	first := &node{op: "number", text: "1", at: p.here()}
	last := &node{op: "neg", args: []*node{first}, at: p.here()}
	for p.want("{"); !p.accept("}"); {
		t := p.next()
		check(isName(t.text) && !slices.Contains(reserved, t.text), t.at, "bad-syntax",
			"expected a name")
		check(p.out.constants[t.text] == nil && p.out.arrays[t.text] == nil, t.at,
			"redefined-name", "%s is defined twice", t.text)
		x := &node{op: "+", args: []*node{last, {op: "number", text: "1", at: t.at}}, at: t.at}
		if p.accept("=") {
			x = p.conditional()
		}
		last = &node{op: "cast", typ: integer, args: []*node{x}, at: t.at}
		if p.out.constants[t.text] = last; !p.is("}") {
			p.want(",")
		}
	}
}

// counts gives an array without an extent that of its list.
func (v *variable) counts(x *node) {
	if v.dims[0] == nil && x.op == "list" {
		n := 0
		for range x.args {
			n++
		}
		v.dims[0] = &node{op: "number", text: strconv.Itoa(n), at: x.at}
	}
}

// fixed reports whether an initial value is made of numbers.
func fixed(x *node) bool {
	plain := x != nil
	walk(x, func(n *node) { plain = plain && n.op != "name" && n.op != "call" && !assigns0(n) })
	return plain
}

// pointer reports whether v points to where its declaration says.
func (v *variable) pointer() bool {
	return v.array && !v.param && len(v.dims) > 0 && v.dims[0] == nil
}
