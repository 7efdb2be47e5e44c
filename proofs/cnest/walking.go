package cnest

// Pointers that go along an array (6.5.2.4, 6.5.6): such a one stays where it began, and an integer
// says how many elements it has gone from there.

// steps reports whether tokens change a name by ++, --, += or -=.
func steps(list []token, name string) bool {
	is := func(i int, texts ...string) bool {
		for _, t := range texts {
			if i >= 0 && i < len(list) && list[i].text == t {
				return true
			}
		}
		return false
	}
	for i, t := range list {
		if t.text == name && (is(i+1, "++", "--", "+=", "-=") || is(i-1, "++", "--")) {
			return true
		}
	}
	return false
}

// walks gives v, which is declared in front of what is left of the function, such an integer if it
// is a pointer that goes, and returns the statement that begins it.
func (p *parser) walks(v *variable) []*stmt {
	if !v.array || len(v.dims) != 1 || !v.param && !v.pointer() || !steps(p.list, v.name) {
		return nil
	}
	v.gone = &variable{name: v.name + " gone", typ: long, at: v.at}
	none := &node{op: "number", text: "0", at: v.at}
	return []*stmt{{op: "declare", v: v.gone, x: none, at: v.at}}
}

// arrived is the address of the element that a pointer has gone to.
func arrived(x *node) *node {
	far := &node{op: "name", text: x.v.gone.name, v: x.v.gone, at: x.at}
	return &node{op: "addr", args: []*node{{op: "[]", args: []*node{x, far}, at: x.at}}, at: x.at}
}

// far is the integer that says how far a pointer has gone, if n is the address of that element.
func (n *node) far() *node {
	if n.op != "addr" || n.args[0].op != "[]" || n.args[0].args[0].v == nil {
		return nil
	}
	v, at := n.args[0].args[0].v, n.args[0].args[1]
	if v.gone == nil || at.v != v.gone && !(assigns0(at) && at.args[0].v == v.gone) {
		return nil
	}
	return at
}

// walked is x, a step of n, as the address of the element that it leaves: that of an element by a
// step of the integer.
func (n *node) walked(x *node) *node {
	at := n.far()
	if at == nil {
		return x
	}
	x.args[0] = at
	y := &node{op: "[]", args: []*node{n.args[0].args[0], x}, at: x.at}
	return &node{op: "addr", args: []*node{y}, at: x.at}
}

// element is *n, or n[k].
func (n *node) element(k *node, x *node) *node {
	at := n.far()
	if at == nil {
		return x
	}
	if k != nil {
		at = &node{op: "+", args: []*node{at, k}, at: k.at}
	}
	return &node{op: "[]", args: []*node{n.args[0].args[0], at}, at: x.at}
}

// alone is an expression that is a statement: a step of a pointer is one of its integer.
func alone(n *node) *node {
	if n.op == "," {
		return &node{op: ",", args: []*node{alone(n.args[0]), alone(n.args[1])}, at: n.at}
	}
	if at := n.far(); at != nil && assigns0(at) {
		return at
	}
	return n
}
