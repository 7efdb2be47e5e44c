package dialect

import (
	"math/big"
	"strconv"
	"strings"

	"tv/internal/source"
)

// An attr is an attribute: a natural number, a type, a literal or a word.
type attr struct {
	span  source.Span
	nat   *int64
	typ   *typ
	value *big.Rat // of a literal; its type is typ, if it has one
	text  string   // of a string or a number
}

// maxNat bounds numbers of elements.
const maxNat = 1 << 31

// attribute reads #rise.nat<4>, #rise.scalar<f32>, #rise.lit<0.0, scalar<f32>>, "scf", 2 : i64; rise. may be left out.
func (p *parser) attribute() *attr {
	t := p.next()
	a := &attr{span: t.span}
	defer func() { a.span = p.since(t.span) }()
	name, ok := strings.CutPrefix(t.text, "#")
	switch name = strings.TrimPrefix(name, "rise."); {
	case ok && name == "nat":
		a.nat = p.natural()
	case ok && name == "lit":
		p.literal(a)
	case ok:
		a.typ = p.made(t, name)
	case t.text != "" && t.text[0] == '"':
		a.text = strings.Trim(t.text, `"`)
	case t.is("-") || isDigit(t.text):
		if a.text = t.text; t.is("-") {
			a.text += p.next().text
		}
		if p.accept(":") {
			p.typ()
		}
	default:
		p.stop(t.span, "an attribute should be here, not %s", t.shown())
	}
	return a
}

func isDigit(text string) bool { return text != "" && text[0] >= '0' && text[0] <= '9' }

// natural reads <4>.
func (p *parser) natural() *int64 {
	p.expect("<")
	t := p.next()
	n, err := strconv.ParseInt(t.text, 10, 64)
	if err != nil || n > maxNat {
		p.fault(t.span, "bad-syntax", "a natural number of at most 2^31 should be here, not %s", t.shown())
	}
	p.close()
	return &n
}

// literal reads <0.0> and <0.0, scalar<f32>>.
func (p *parser) literal(a *attr) {
	p.expect("<")
	a.value = p.decimal()
	if p.accept(",") {
		a.typ = p.typ()
	}
	p.close()
}

// decimal reads -1.5e3.
func (p *parser) decimal() *big.Rat {
	first := p.here().span
	text := ""
	if p.accept("-") {
		text = "-"
	}
	t := p.next()
	text += t.text
	value, ok := new(big.Rat).SetString(text)
	exp := strings.IndexAny(text, "eE")
	large := exp > 0 && len(text)-exp > 5
	if !ok || !isDigit(t.text) || strings.Contains(text, "x") || large {
		p.fault(p.since(first), "bad-syntax", "a number should be here, not %s", t.shown())
		return new(big.Rat)
	}
	return value
}

// typ reads a type: !rise.array<4, scalar<f32>>, f32, memref<4xf32>; inner ones without !rise.
func (p *parser) typ() *typ {
	defer p.enter()()
	t := p.next()
	name := strings.TrimPrefix(strings.TrimPrefix(t.text, "!"), "rise.")
	switch {
	case name == "memref":
		return p.memref(t)
	case elems[t.text].Width > 0:
		return &typ{kind: plain, elem: t.text}
	}
	return p.made(t, name)
}

// madeOf says what types are made of.
var madeOf = map[string]string{"scalar": "an element type, as in <f32>", "array": "a number and a type",
	"tuple": "two types", "fun": "types, as in <a -> b>", "data": "a type"}

// made reads the rest of a type that t begins.
func (p *parser) made(t token, name string) *typ {
	if !p.here().is("<") {
		if of, ok := madeOf[name]; ok {
			p.fault(t.span, "unknown-type", "%s is made of %s", t.text, of)
		} else {
			p.fault(t.span, "unknown-type", "%s is no type", t.shown())
		}
		return fresh()
	}
	p.next()
	out := fresh()
	switch name {
	case "scalar":
		if e := p.next(); elems[e.text].Width > 0 {
			out = number(e.text)
		} else {
			p.fault(e.span, "unknown-type", "%s is no element type: f16, f32, f64, i1, i8, i16, i32 and i64 are", e.shown())
		}
	case "array":
		n := p.next()
		count, err := strconv.ParseInt(n.text, 10, 64)
		if err != nil || count > maxNat {
			p.fault(n.span, "unknown-type", "a number of elements of at most 2^31 should be here, not %s", n.shown())
		}
		p.expect(",")
		out = arrayOf(count, p.inner())
	case "tuple":
		a := p.inner()
		p.expect(",")
		out = pairOf(a, p.inner())
	case "fun":
		a := p.inner()
		p.expect("->")
		out = function(a, p.inner())
	case "data": // of 2019
		out = p.inner()
	default:
		p.fault(t.span, "unknown-type", "%s is no type%s", t.shown(),
			suggest(name, []string{"scalar", "array", "tuple", "fun"}))
		p.pos--
		p.skipAngles()
		return out
	}
	p.close()
	return out
}

// skipAngles reads <...>.
func (p *parser) skipAngles() {
	for depth := 0; ; {
		switch t := p.next(); t.text {
		case "<":
			depth++
		case ">":
			depth--
		case "":
			p.stop(t.span, "< is not closed")
		}
		if depth == 0 {
			return
		}
	}
}

// inner is a type in another: there numbers are those of scalar.
func (p *parser) inner() *typ {
	at := p.here().span
	t := p.typ()
	if t.kind == plain || t.kind == memref {
		p.fault(p.since(at), "unknown-type", "%s is no type of rise: !rise.scalar<%s> is", t, t.elem)
		return fresh()
	}
	return t
}

// memref reads the rest of memref<4x4xf32>.
func (p *parser) memref(first token) *typ {
	p.expect("<")
	from := p.here().span
	for depth := 0; !p.here().is("") && (depth > 0 || !p.here().is(">")); {
		switch p.next().text {
		case "<":
			depth++
		case ">":
			depth--
		}
	}
	dims := strings.Split(p.since(from).Text(), "x")
	p.close()
	at := p.since(first.span)
	elem := dims[len(dims)-1]
	if elems[elem].Width == 0 {
		p.fault(at, "unsupported-op", "of memrefs those of numbers without a layout are read")
		return &typ{kind: memref, a: fresh()}
	}
	of := number(elem)
	for i := len(dims) - 2; i >= 0; i-- {
		n, err := strconv.ParseInt(dims[i], 10, 64)
		if err != nil || n > maxNat {
			p.fault(at, "unsupported-op", "an extent is a number of at most 2^31, not %s", dims[i])
			return &typ{kind: memref, a: fresh()}
		}
		of = arrayOf(n, of)
	}
	return &typ{kind: memref, a: of}
}
