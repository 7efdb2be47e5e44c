package mlir

import (
	"math/big"
	"slices"
	"strings"

	"tv/internal/source"
)

// An attribute is a value of the text, as far as it matters.
type attribute struct {
	at   source.Span
	text string // of a number, a string without its quotes, or all of it
	m    *mapping
	list []*attribute
	typ  typ // of a number, where one is given
}

// A mapping is an affine map or set: results of inputs, dims first.
type mapping struct {
	dims, syms []string
	results    []*node
	zero       []bool // of a set: a result is 0, else it is not negative
}

// A node is an affine expression.
type node struct {
	op   string // "input", "number", "+", "*", "floordiv", "ceildiv", "mod"
	k    int    // of an input
	n    *big.Int
	args []*node
	at   source.Span
}

// attribute reads one.
func (p *parser) attribute() *attribute {
	defer p.deeper()()
	at := p.here()
	a := &attribute{at: at}
	element := func() { a.list = append(a.list, p.attribute()) }
	switch rest := p.rest(); {
	case p.is("#") && p.maps[p.peekID()] != nil, p.is("affine_map"), p.is("affine_set"):
		a.m = p.mapping()
	case p.is("#"), p.is("@"):
		if p.at++; !strings.HasPrefix(p.rest(), `"`) {
			p.match(suffix)
		} else {
			p.match(quoted)
		}
		if p.is("<") {
			p.balanced()
		}
	case p.is("["):
		p.list("[", "]", element)
	case p.is("{"):
		p.balanced()
	case p.is(`"`):
		a.text = strings.Trim(p.match(quoted), `"`)
		return a
	case p.accept("dense"):
		p.want("<")
		element()
		p.want(">")
		if p.accept(":") {
			a.typ = p.typ()
		}
		a.text, a.list = a.list[0].text, a.list[0].list
		return a
	case p.accept("array"):
		p.want("<")
		for p.typ(); !p.accept(">"); {
			if !p.accept(":") {
				p.want(",")
			}
			element()
		}
	case numeral(rest) > 0, p.is("true"), p.is("false"):
		if a.text = p.match(numeral); a.text == "" {
			a.text = p.word()
		}
		if p.accept(":") {
			a.typ = p.typ()
		}
		return a
	default:
		p.typ()
	}
	a.text = p.from(at).Text()
	return a
}

// integer is an attribute that is one.
func (a *attribute) integer() (*big.Int, bool) {
	if a == nil {
		return nil, false
	}
	return new(big.Int).SetString(a.text, 0)
}

// dictionary reads attributes with their names, if any are there.
func (p *parser) dictionary(into map[string]*attribute) {
	if !p.is("{") {
		return
	}
	p.list("{", "}", func() {
		at, name := p.here(), strings.Trim(p.match(quoted), `"`)
		if name == "" {
			name = p.word()
		}
		check(into[name] == nil, at, "redefined-name", "%s is given twice", name)
		if into[name] = (&attribute{at: at, text: "unit"}); p.accept("=") {
			into[name] = p.attribute()
		}
	})
}

// mapping reads an affine map or set, or the alias of one.
func (p *parser) mapping() *mapping {
	at := p.here()
	if p.is("#") {
		m := p.maps[p.id("#")]
		check(m != nil, at, "unbound-name", "an alias that is not known")
		return m
	}
	set := p.is("affine_set")
	check(set || p.is("affine_map"), at, "bad-syntax", "expected a map")
	p.word()
	p.want("<")
	m := &mapping{}
	input := func(list *[]string) func() {
		return func() {
			s, at := p.word(), p.here()
			check(!slices.Contains(m.dims, s) && !slices.Contains(m.syms, s), at, "redefined-name",
				"%s is an input twice", s)
			*list = append(*list, s)
		}
	}
	if p.list("(", ")", input(&m.dims)); p.is("[") {
		p.list("[", "]", input(&m.syms))
	}
	leaf := func() *node {
		at := p.here()
		s := p.word()
		k := slices.Index(slices.Concat(m.dims, m.syms), s)
		check(k >= 0, at, "unbound-name", "%s is no input", s)
		return &node{op: "input", k: k, at: at}
	}
	if set {
		p.want(":")
		p.list("(", ")", func() { p.constraint(m, leaf) })
	} else {
		p.want("->")
		p.list("(", ")", func() { m.results = append(m.results, p.affine(leaf)) })
	}
	p.want(">")
	return m
}

// constraint reads one of a set.
func (p *parser) constraint(m *mapping, leaf func() *node) {
	x := p.affine(leaf)
	equal, most := p.accept("=="), p.accept("<=")
	if !equal && !most {
		p.want(">=")
	}
	y := p.affine(leaf)
	if most {
		x, y = y, x
	}
	m.results, m.zero = append(m.results, minus(x, y)), append(m.zero, equal)
}

func minus(x, y *node) *node {
	if y.op == "number" && y.n.Sign() == 0 {
		return x
	}
	return &node{op: "+", args: []*node{x, negated(y)}, at: x.at}
}

func negated(x *node) *node {
	m := &node{op: "number", n: big.NewInt(-1), at: x.at}
	return &node{op: "*", args: []*node{x, m}, at: x.at}
}

// affine reads an affine expression.
func (p *parser) affine(leaf func() *node) *node {
	x := p.product(leaf)
	for {
		at := p.here()
		switch {
		case p.accept("+"):
			x = &node{op: "+", args: []*node{x, p.product(leaf)}, at: at}
		case p.accept("-"):
			x = minus(x, p.product(leaf))
		default:
			return x
		}
	}
}

func (p *parser) product(leaf func() *node) *node {
	x := p.factor(leaf)
	for {
		at, op := p.here(), ""
		for _, s := range []string{"*", "floordiv", "ceildiv", "mod"} {
			if op == "" && p.accept(s) {
				op = s
			}
		}
		if op == "" {
			return x
		}
		x = &node{op: op, args: []*node{x, p.factor(leaf)}, at: at}
	}
}

func (p *parser) factor(leaf func() *node) *node {
	defer p.deeper()()
	at := p.here()
	switch {
	case p.accept("-"):
		return negated(p.factor(leaf))
	case p.accept("("):
		x := p.affine(leaf)
		p.want(")")
		return x
	case whole(p.rest()) > 0:
		return &node{op: "number", n: p.number(), at: at}
	}
	return leaf()
}
