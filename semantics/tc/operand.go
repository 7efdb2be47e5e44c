package tc

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"tv/internal/source"
)

// levels are the operators of two operands, from the weakest on; all associate to the left.
var levels = [][]string{{"||"}, {"&&"}, {"<", ">", "<=", ">=", "==", "!="}, {"+", "-"}, {"*", "/", "%"}}

// make returns a node, with its weight.
func (x expr) make() *expr {
	x.weight = 1
	for _, a := range x.args {
		x.weight = min(x.weight+a.weight, 1<<30)
	}
	return &x
}

func (p *parser) expression() *expr {
	defer p.nest()()
	c := p.binary(0)
	if !p.accept("?") {
		return c
	}
	x := p.expression()
	p.expect(":", "stands between the values of ?:")
	y := p.expression()
	return expr{op: "?:", args: []*expr{c, x, y}, span: p.since(c.span)}.make()
}

func (p *parser) binary(level int) *expr {
	if level == len(levels) {
		return p.unary()
	}
	x := p.binary(level + 1)
	for length := 0; p.peek().kind == punct && slices.Contains(levels[level], p.peek().text); length++ {
		if length > maxChain { // trees are walked by calls
			fail(p.peek().span, "too-deep", "more than %d operators in a row", maxChain)
		}
		op := p.next().text
		y := p.binary(level + 1)
		x = expr{op: op, args: []*expr{x, y}, span: p.since(x.span)}.make()
	}
	return x
}

func (p *parser) unary() *expr {
	defer p.nest()()
	t := p.peek()
	if p.accept("-", "!") {
		x := p.unary()
		return expr{op: t.text, args: []*expr{x}, span: p.since(t.span)}.make()
	}
	return p.primary()
}

func (p *parser) primary() *expr {
	t := p.peek()
	elem, cast := scalars[t.text]
	switch {
	case p.accept("("):
		x := p.expression()
		p.expect(")", "ends what ( began")
		y := *x
		y.span = p.since(t.span)
		return &y
	case t.kind == number:
		return numeral(p.next())
	case t.kind != word || reserved(t.text) && !cast && t.text != "min" && t.text != "max":
		fail(t.span, "bad-syntax", "an expression, not %s", t.text)
	}
	p.next()
	x := expr{op: opName, name: t.text}
	switch {
	case p.peek().is("(") || reserved(t.text):
		x.op, x.typ = opApply, elem
		p.list("operands", func() { x.args = append(x.args, p.expression()) })
		if cast {
			x.op = opCast
		}
		if cast && len(x.args) != 1 {
			fail(p.since(t.span), "bad-syntax", "%s( ) converts one value", t.text)
		}
	case p.accept("."):
		n := p.peek()
		axis, err := strconv.Atoi(n.text)
		if n.kind != number || err != nil {
			fail(n.span, "bad-syntax", "the number of an axis of %s, not %s", t.text, n.text)
		}
		p.next()
		x.op, x.axis = opExtent, axis
	}
	x.span = p.since(t.span)
	return x.make()
}

// numeral returns a number.
func numeral(t token) *expr {
	x := expr{op: opNumber, span: t.span, float: strings.ContainsAny(t.text, ".eE")}
	if k := strings.IndexAny(t.text, "eE"); k >= 0 {
		if power, err := strconv.Atoi(t.text[k+1:]); err != nil || power < -5000 || power > 5000 {
			fail(t.span, "too-large", "%s is near no float", show(t.span))
		}
	}
	if len(t.text) > 5000 {
		fail(t.span, "too-large", "a number of %d digits", len(t.text))
	}
	text := strings.TrimLeft(t.text, "0") // which is no prefix of octal numbers here
	if text == "" || !digit(text[0]) {
		text = "0" + text
	}
	x.num, _ = new(big.Rat).SetString(text)
	if x.num == nil {
		fail(t.span, "bad-syntax", "%s is no number", show(t.span))
	}
	return x.make()
}

// show is the text of an expression on one line, for messages.
func show(at source.Span) string {
	text := at.Text()
	text = strings.Join(strings.Fields(text[:min(len(text), 1000)]), " ")
	if len(text) > 60 {
		text = text[:57] + "..."
	}
	return text
}
