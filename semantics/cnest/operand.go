package cnest

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"tv/internal/source"
)

// levels are the operators of two operands, from the weakest on; all associate to the left.
var levels = [][]string{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="}, {"<<", ">>"}, {"+", "-"},
	{"*", "/", "%"}}

// assignment reads an expression that may assign.
func (p *parser) assignment() *expr {
	defer p.nest()()
	x := p.conditional()
	t := p.peek()
	if _, ok := assigns(t.text); !ok || t.kind != punct || t.is("++", "--") {
		return x
	}
	p.next()
	y := p.assignment()
	return &expr{op: t.text, args: []*expr{x, y}, span: p.since(x.span)}
}

// conditional reads an expression that does not assign.
func (p *parser) conditional() *expr {
	defer p.nest()()
	c := p.binary(0)
	if !p.accept("?") {
		return c
	}
	x := p.conditional()
	p.expect(":", "stands between the values of ?:")
	y := p.conditional()
	return &expr{op: "?:", args: []*expr{c, x, y}, span: p.since(c.span)}
}

func (p *parser) binary(level int) *expr {
	if level == len(levels) {
		return p.unary()
	}
	x := p.binary(level + 1)
	for length := 0; p.peek().kind == punct && slices.Contains(levels[level], p.peek().text); length++ {
		if length > 10*maxDepth { // trees are walked by calls
			fail(p.peek().span, "too-deep", "more than %d operators in a row", 10*maxDepth)
		}
		op := p.next().text
		y := p.binary(level + 1)
		x = &expr{op: op, args: []*expr{x, y}, span: p.since(x.span)}
	}
	return x
}

func (p *parser) unary() *expr {
	defer p.nest()()
	t := p.peek()
	switch {
	case t.is("(") && startsType(p.tokens[p.pos+1]):
		return p.cast()
	case p.accept("-", "+", "!", "~", "++", "--"):
		x := p.unary()
		return &expr{op: t.text, args: []*expr{x}, span: p.since(t.span)}
	case p.accept("&"):
		x := p.unary()
		return &expr{op: opAddress, args: []*expr{x}, span: p.since(t.span)}
	case p.accept("*"):
		x := p.unary()
		return &expr{op: opContent, args: []*expr{x}, span: p.since(t.span)}
	}
	return p.postfix()
}

func (p *parser) cast() *expr {
	start := p.next().span
	t, _ := p.typeOf()
	if p.peek().is("*") {
		fail(p.peek().span, "unsupported-op", "pointers are not converted")
	}
	if t.family == void {
		fail(p.since(start), "unsupported-op", "nothing is converted to void")
	}
	p.expect(")", "ends a conversion")
	x := p.unary()
	return &expr{op: opCast, typ: t, args: []*expr{x}, span: p.since(start)}
}

func (p *parser) postfix() *expr {
	x := p.primary()
	for {
		t := p.peek()
		switch {
		case p.accept("["):
			index := p.conditional()
			p.expect("]", "ends a subscript")
			x = &expr{op: opIndex, args: []*expr{x, index}, span: p.since(x.span)}
		case p.accept("++", "--"):
			x = &expr{op: t.text, args: []*expr{x}, span: p.since(x.span)}
		case t.is(".", "->"):
			fail(t.span, "unsupported-op", "structs: the subset of C has none")
		case t.is("("):
			fail(t.span, "unsupported-op", "functions are called by their names")
		default:
			return x
		}
	}
}

func (p *parser) primary() *expr {
	p.refuse()
	t := p.peek()
	switch {
	case p.accept("("):
		x := p.conditional()
		if p.peek().is(",") {
			fail(p.peek().span, "unsupported-op", "there is no comma operator")
		}
		p.expect(")", "ends what ( began")
		y := *x
		y.span = p.since(t.span)
		return &y
	case t.kind == number:
		return constant(p.next())
	case t.kind == char:
		return character(p.next())
	case t.kind == text:
		fail(t.span, "unsupported-op", "texts: the subset of C has none")
	case t.kind != word || reserved(t.text):
		fail(t.span, "bad-syntax", "an expression, not %s", t.text)
	}
	p.next()
	if (t.text == "INFINITY" || t.text == "NAN") && !p.peek().is("(") {
		name := map[string]string{"INFINITY": "inf", "NAN": "nan"}[t.text]
		return &expr{op: opSpecial, name: name, typ: floatType, span: t.span}
	}
	if !p.accept("(") {
		return &expr{op: opName, name: t.text, span: t.span}
	}
	x := &expr{op: opCall, name: t.text}
	for !p.accept(")") {
		x.args = append(x.args, p.conditional())
		if !p.accept(",") {
			p.expect(")", "ends the arguments of a call")
			break
		}
	}
	x.span = p.since(t.span)
	return x
}

// constant returns a number with the type that its form and its suffix say.
func constant(t token) *expr {
	s := strings.ToLower(t.text)
	hex := strings.HasPrefix(s, "0x")
	x := &expr{op: opNumber, span: t.span}
	if strings.ContainsAny(s, ".p") || !hex && strings.Contains(s, "e") {
		x.typ = doubleType
		digits := s
		if cut, ok := strings.CutSuffix(s, "f"); ok {
			x.typ, digits = floatType, cut
		}
		x.num = floatNumber(t.span, digits)
		return x
	}
	digits := strings.TrimRight(s, "ul")
	suffix := s[len(digits):]
	n, ok := new(big.Int).SetString(digits, 0)
	if !ok || strings.HasPrefix(digits, "0b") || strings.HasPrefix(digits, "0o") || strings.Contains(digits, "_") {
		fail(t.span, "bad-syntax", "%s is no number of C", t.text)
	}
	list := []ctype{intType, unsignedType, longType, ulongType}
	switch suffix {
	case "":
	case "u":
		list = []ctype{unsignedType, ulongType}
	case "l", "ll":
		list = []ctype{longType, ulongType}
	case "ul", "ull", "lu", "llu":
		list = []ctype{ulongType}
	default:
		fail(t.span, "bad-syntax", "%s has a suffix that C does not know", t.text)
	}
	for _, typ := range list {
		if typ.unsigned && suffix != "u" && len(list) > 1 && digits[0] != '0' { // decimal numbers without u are signed
			continue
		}
		if _, hi := typ.limits(); n.Cmp(hi) <= 0 {
			x.typ, x.num = typ, new(big.Rat).SetInt(n)
			return x
		}
	}
	fail(t.span, "too-large", "%s is in no integer type of C", t.text)
	return nil
}

// floatNumber reads the digits of a float.
func floatNumber(at source.Span, digits string) *big.Rat {
	power := 0
	if k := strings.IndexAny(digits, "ep"); k >= 0 && (digits[k] == 'p' || !strings.HasPrefix(digits, "0x")) {
		power, _ = strconv.Atoi(digits[k+1:])
	}
	r, ok := new(big.Rat), false
	if power > -5000 && power < 5000 {
		r, ok = r.SetString(digits)
	}
	if !ok || strings.Contains(digits, "_") {
		fail(at, "bad-syntax", "%s is no number of C, or not one that a float is near", at.Text())
	}
	return r
}

// character returns the number of a character.
func character(t token) *expr {
	n := -1
	text := strings.Replace(t.text[1:len(t.text)-1], `\0`, `\000`, 1)
	if r, _, tail, err := strconv.UnquoteChar(text, '\''); err == nil && tail == "" {
		n = int(r)
	}
	if n < 0 || n > 127 {
		fail(t.span, "unsupported-op", "%s is no character of ASCII", t.text)
	}
	return &expr{op: opNumber, typ: intType, num: big.NewRat(int64(n), 1), span: t.span}
}
