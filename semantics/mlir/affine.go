package mlir

import (
	"math/big"

	"tv/internal/source"
)

// An affineMap has a list of expressions over dims and symbols, which are numbered together, dims first.
type affineMap struct {
	dims, symbols int
	exprs         []*affineExpr
	equal         []bool // of a set: the expression is 0, not at least 0
}

// An affineExpr is one of a map.
type affineExpr struct {
	op   string // "" a number, "d" an operand, + - * floordiv ceildiv mod
	n    *big.Int
	d    int
	a, b *affineExpr
	at   source.Span
}

// literal tells whether an expression has no operands.
func (x *affineExpr) literal() bool {
	return x.op == "" || x.op != "d" && x.a.literal() && x.b.literal()
}

// mostNodes bounds the maps of a text.
const mostNodes = 1 << 12

// An affineParser reads expressions. Names are those of a map, or it finds what values stand for.
type affineParser struct {
	*parser
	names map[string]int
	value func(symbol bool) int // reads a value, where a subscript has some
	nodes int
}

// affineMap reads what stands in affine_map<..> or affine_set<..>.
func (p *parser) affineMap(set bool) *affineMap {
	p.next()
	p.expect("<", "begins a map")
	m := &affineMap{}
	a := &affineParser{parser: p, names: map[string]int{}}
	m.dims = a.declare("(", ")")
	if p.peek().is("[") {
		m.symbols = a.declare("[", "]")
	}
	if set {
		p.expect(":", "follows the dims of a set")
	} else {
		p.expect("->", "follows the dims of a map")
	}
	p.expect("(", "begins the expressions of a map")
	for !p.accept(")") {
		m.exprs = append(m.exprs, a.sum())
		if set {
			a.relation(m)
		}
		if !p.accept(",") {
			p.expect(")", "ends the expressions of a map")
			break
		}
	}
	p.expect(">", "ends a map")
	return m
}

// relation reads what a condition of a set asks of its expression, and makes it one that is 0 or at least 0.
func (a *affineParser) relation(m *affineMap) {
	t := a.next()
	equal := t.is("==")
	if t.is("<") { // <= is two tokens
		a.expect("=", "follows <")
	} else if !equal && !t.is(">=") {
		fail(t.span, "bad-syntax", "==, >= or <= in a condition of a set, not %s", t.text)
	}
	right := a.sum()
	last := len(m.exprs) - 1
	left := m.exprs[last]
	if t.is("<") {
		left, right = right, left
	}
	if right.op != "" || right.n.Sign() != 0 {
		left = &affineExpr{op: "-", a: left, b: right, at: join(left.at, right.at)}
	}
	m.exprs[last] = left
	m.equal = append(m.equal, equal)
}

// declare reads the names of dims or symbols.
func (a *affineParser) declare(open, closing string) (count int) {
	a.expect(open, "begins names")
	for !a.accept(closing) {
		t := a.next()
		if _, ok := a.names[t.text]; ok {
			fail(t.span, "redefined-name", "%s is a name of the map already", t.text)
		}
		if t.kind != word {
			fail(t.span, "bad-syntax", "a name, not %s", t.text)
		}
		a.names[t.text] = len(a.names)
		count++
		if !a.accept(",") {
			a.expect(closing, "ends names")
			break
		}
	}
	return count
}

func (a *affineParser) node(e *affineExpr) *affineExpr {
	if a.nodes++; a.nodes > mostNodes {
		fail(e.at, "too-large", "a map of more than %d operations", mostNodes)
	}
	return e
}

func (a *affineParser) sum() *affineExpr {
	x := a.product()
	for a.peek().is("+", "-") {
		op := a.next().text
		y := a.product()
		x = a.node(&affineExpr{op: op, a: x, b: y, at: join(x.at, y.at)})
	}
	return x
}

func (a *affineParser) product() *affineExpr {
	x := a.factor()
	for a.peek().is("*", "floordiv", "ceildiv", "mod") {
		op := a.next().text
		y := a.factor()
		x = a.node(&affineExpr{op: op, a: x, b: y, at: join(x.at, y.at)})
	}
	return x
}

func (a *affineParser) factor() *affineExpr {
	defer a.nest()()
	t := a.peek()
	switch {
	case a.accept("-"):
		x := a.factor()
		minusOne := &affineExpr{n: big.NewInt(-1), at: t.span}
		return a.node(&affineExpr{op: "*", a: minusOne, b: x, at: join(t.span, x.at)})
	case a.accept("("):
		x := a.sum()
		a.expect(")", "ends an expression")
		return x
	case t.kind == number:
		a.next()
		n, ok := new(big.Int).SetString(t.text, 0)
		if !ok || !n.IsInt64() {
			fail(t.span, "too-large", "%s is no integer of 64 bits", t.text)
		}
		return a.node(&affineExpr{n: n, at: t.span})
	case a.value != nil && t.kind == value:
		d := a.value(false)
		return a.node(&affineExpr{op: "d", d: d, at: t.span})
	case a.value != nil && t.is("symbol"):
		a.next()
		a.expect("(", "follows symbol")
		d := a.value(true)
		a.expect(")", "ends symbol(")
		return a.node(&affineExpr{op: "d", d: d, at: a.since(t.span)})
	}
	d, ok := a.names[t.text]
	if !ok {
		if t.kind == word && a.value == nil {
			fail(t.span, "unbound-name", "%s is no name of the map", t.text)
		}
		fail(t.span, "bad-syntax", "an operand of an affine expression, not %s", t.text)
	}
	a.next()
	return a.node(&affineExpr{op: "d", d: d, at: t.span})
}

// subscripts reads [%i + 1, symbol(%n)] as a map with its operands.
func (p *parser) subscripts() (*affineMap, []*use) {
	p.expect("[", "begins subscripts")
	m, args := p.affineList("]")
	return m, args
}

// affineList reads expressions over values up to a bracket.
func (p *parser) affineList(closing string) (*affineMap, []*use) {
	var args []*use
	a := &affineParser{parser: p}
	a.value = func(bool) int {
		args = append(args, p.operand())
		return len(args) - 1
	}
	m := &affineMap{}
	for !p.accept(closing) {
		m.exprs = append(m.exprs, a.sum())
		if !p.accept(",") {
			p.expect(closing, "ends a list")
			break
		}
	}
	m.dims = len(args)
	return m, args
}

// constantMap is a map of one number.
func constantMap(n *big.Int, at source.Span) *affineMap {
	return &affineMap{exprs: []*affineExpr{{n: n, at: at}}}
}

// identity is (d0, ..) -> (d0, ..).
func identity(dims int, at source.Span) *affineMap {
	m := &affineMap{dims: dims}
	for d := range dims {
		m.exprs = append(m.exprs, &affineExpr{op: "d", d: d, at: at})
	}
	return m
}
