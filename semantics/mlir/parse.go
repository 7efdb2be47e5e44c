package mlir

import (
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"tv/internal/source"
)

// maxDepth bounds how deep regions, types and expressions nest.
const maxDepth = 200

// A parser reads operations from tokens. It fails at the first word that fits nowhere.
type parser struct {
	tokens  []token // the last is an end
	pos     int
	depth   int
	aliases map[string]*attr
	types   map[string]*typ
	skipped []source.Span
	starts  []int        // of operations, by token
	inner   map[int]bool // opening braces of regions, by offset
}

func newParser(tokens []token) *parser {
	return &parser{tokens: tokens, aliases: map[string]*attr{}, types: map[string]*typ{}, inner: map[int]bool{}}
}

func (p *parser) peek() token { return p.tokens[p.pos] }

// ahead returns a token further on.
func (p *parser) ahead(n int) token { return p.tokens[min(p.pos+n, len(p.tokens)-1)] }

func (p *parser) next() token {
	t := p.tokens[p.pos]
	if t.kind != end {
		p.pos++
	}
	return t
}

// accept takes the next token if it is one of some.
func (p *parser) accept(texts ...string) bool {
	if !p.peek().is(texts...) {
		return false
	}
	p.pos++
	return true
}

// expect takes the next token, which has to be this one.
func (p *parser) expect(s, where string) token {
	t := p.peek()
	if !t.is(s) {
		fail(t.span, "bad-syntax", "%s %s, not %s", s, where, t.text)
	}
	return p.next()
}

// take takes the next token, which has to be of a kind.
func (p *parser) take(k kind, what string) token {
	t := p.peek()
	if t.kind != k {
		fail(t.span, "bad-syntax", "%s, not %s", what, t.text)
	}
	return p.next()
}

func (p *parser) nest() func() {
	if p.depth++; p.depth > maxDepth {
		fail(p.peek().span, "too-deep", "regions, types and expressions nest at most %d deep", maxDepth)
	}
	return func() { p.depth-- }
}

// since returns the place from one to the last token taken.
func (p *parser) since(from source.Span) source.Span {
	if p.pos == 0 || p.tokens[p.pos-1].span.End < from.Start {
		return from
	}
	return join(from, p.tokens[p.pos-1].span)
}

// brackets are the tokens that open, with those that close them.
var brackets = map[string]string{"(": ")", "[": "]", "{": "}", "<": ">"}

// skipBalanced takes a bracket and all up to its other. Angles count where one of them is the bracket.
func (p *parser) skipBalanced() source.Span {
	start := p.peek()
	angles := start.is("<")
	var open []string
	for {
		t := p.next()
		switch {
		case t.kind == end:
			fail(start.span, "bad-syntax", "a %s without its %s", start.text, brackets[start.text])
		case t.is("<", ">") && !angles:
		case t.is("(", "[", "{", "<"):
			open = append(open, brackets[t.text])
		case t.is(")", "]", "}", ">"):
			if open[len(open)-1] != t.text {
				fail(t.span, "bad-syntax", "%s where %s is open", t.text, open[len(open)-1])
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return p.since(start.span)
			}
		}
	}
}

func (p *parser) skipAngles() { p.skipBalanced() }

// skipAttributes notes a dictionary without a meaning here.
func (p *parser) skipAttributes() {
	if p.peek().is("{") {
		p.skipped = append(p.skipped, p.skipBalanced())
	}
	p.location()
}

// location takes loc(..), which says where something comes from.
func (p *parser) location() {
	if p.peek().is("loc") && p.ahead(1).is("(") {
		p.next()
		p.skipBalanced()
	}
}

// operand reads %x or %x#1.
func (p *parser) operand() *use {
	t := p.take(value, "a value %NAME")
	name, number, ok := strings.Cut(t.text, "#")
	u := &use{name: name, at: t.span}
	if ok {
		n, err := strconv.Atoi(number)
		if err != nil {
			fail(t.span, "bad-syntax", "%s is no value", t.text)
		}
		u.n = n
	}
	return u
}

// operands reads values separated by commas.
func (p *parser) operands() []*use {
	out := []*use{p.operand()}
	for p.accept(",") {
		out = append(out, p.operand())
	}
	return out
}

// operandsWithin reads values in brackets.
func (p *parser) operandsWithin(open, closing string) (out []*use) {
	p.expect(open, "begins operands")
	if !p.peek().is(closing) {
		out = p.operands()
	}
	p.expect(closing, "ends operands")
	return out
}

// results reads %a, %b:2 = before an operation.
func (p *parser) results() (out []*def) {
	if p.peek().kind != value {
		return nil
	}
	for {
		t := p.take(value, "a value %NAME")
		if strings.Contains(t.text, "#") {
			fail(t.span, "bad-syntax", "a new name, not %s", t.text)
		}
		if !p.accept(":") {
			out = append(out, &def{name: t.text, at: t.span})
		} else {
			c := p.take(number, "a number of results")
			n, err := strconv.Atoi(c.text)
			if err != nil || n < 1 || n > 1<<10 {
				fail(c.span, "bad-syntax", "%s is no number of results", c.text)
			}
			for i := range n {
				out = append(out, &def{name: t.text, at: t.span, number: i})
			}
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect("=", "follows results")
	return out
}

// operation reads one of either form.
func (p *parser) operation() *oper {
	p.starts = append(p.starts, p.pos)
	start := p.peek()
	o := &oper{attrs: map[string]*attr{}}
	o.results = p.results()
	name := p.peek()
	switch name.kind {
	case text:
		p.next()
		o.name = nameToday(unquoted(name.text))
		p.generic(o)
	case word:
		p.next()
		o.name = nameToday(name.text)
		o.at = join(start.span, name.span)
		read := customs[o.name]
		if read == nil {
			fail(name.span, "unsupported-op", "%s: the subset of MLIR has none%s", name.text, suggest(name.text, customNames()))
		}
		read(p, o)
	case label:
		fail(name.span, "not-static-control", "several blocks in a region: there are for and if, no branches")
	default:
		fail(name.span, "bad-syntax", "an operation, not %s", name.text)
	}
	o.at = p.since(start.span)
	if len(o.regions) > 0 { // its heading
		o.at = join(start.span, source.Span{File: start.span.File, End: o.regions[0].at.Start})
		o.at.End = o.at.Start + len(strings.TrimRight(o.at.Text(), " \t\r\n({"))
	}
	p.location()
	p.finish(o)
	return o
}

// meant are the attributes that have a meaning here, or say how a machine is to do what is asked.
var meant = func() map[string]bool {
	out := map[string]bool{}
	for _, n := range strings.Fields("value predicate fastmath overflowFlags map operandSegmentSizes operand_segment_sizes " +
		"lowerBoundMap lower_bound upperBoundMap upper_bound step condition lowerBoundsMap lowerBoundsGroups upperBoundsMap " +
		"upperBoundsGroups steps reductions static_offsets static_sizes static_strides permutation_map in_bounds indexing_maps " +
		"iterator_types dim strides dilations cast callee alignment nontemporal doc library_call") {
		out[n] = true
	}
	return out
}()

// attributes refuses those that perhaps have a meaning that is not known here, and notes those that a dialect has for its own.
func (p *parser) attributes(o *oper) {
	for _, name := range slices.Sorted(maps.Keys(o.attrs)) {
		switch a := o.attrs[name]; {
		case meant[name]:
		case strings.Contains(name, ".") || isAffine(o.name) || strings.HasPrefix(o.name, "func."):
			p.skipped = append(p.skipped, a.at)
		default:
			fail(a.at, "unsupported-op", "attribute %s of %s", name, o.name)
		}
	}
}

// finish gives results their types.
func (p *parser) finish(o *oper) {
	p.attributes(o)
	if len(o.results) != len(o.outTypes) && (len(o.results) > 0 || !silent[o.name]) {
		fail(o.at, "type-mismatch", "%s has %d results, not %d", o.name, len(o.outTypes), len(o.results))
	}
	if o.argTypes != nil && len(o.argTypes) != len(o.args) {
		fail(o.at, "type-mismatch", "%s has %d operands and types of %d", o.name, len(o.args), len(o.argTypes))
	}
	for i, r := range o.results {
		r.op, r.typ, r.number = o, o.outTypes[i], i
	}
	if len(o.results) == 0 && len(o.outTypes) > 0 { // nobody has a name for them
		for i, t := range o.outTypes {
			o.results = append(o.results, &def{name: "%", at: o.at, op: o, typ: t, number: i})
		}
	}
}

// silent are operations whose results need no name.
var silent = map[string]bool{"affine.for": true, "affine.if": true, "affine.parallel": true, "scf.for": true, "scf.if": true,
	"scf.parallel": true}

// generic reads the form that all operations have: operands, properties, regions, attributes, types.
func (p *parser) generic(o *oper) {
	o.at = p.peek().span
	o.args = p.operandsWithin("(", ")")
	if p.peek().is("[") {
		fail(p.peek().span, "not-static-control", "several blocks in a region: there are for and if, no branches")
	}
	if p.accept("<") {
		p.dictionary(o.attrs)
		p.expect(">", "ends properties")
	}
	if p.accept("(") {
		for {
			o.regions = append(o.regions, p.region())
			if !p.accept(",") {
				break
			}
		}
		p.expect(")", "ends regions")
	}
	if p.peek().is("{") {
		p.dictionary(o.attrs)
	}
	p.expect(":", "stands before the types of "+o.name)
	o.argTypes = p.typeList()
	p.expect("->", "stands before the types of results")
	o.outTypes = p.resultTypes()
}

// region reads a block in braces.
func (p *parser) region() *region {
	defer p.nest()()
	p.inner[p.peek().span.Start] = true
	open := p.expect("{", "begins a region")
	r := &region{at: open.span}
	if p.peek().kind == label {
		p.next()
		if p.accept("(") {
			for !p.accept(")") {
				t := p.take(value, "a value %NAME")
				p.expect(":", "stands before a type")
				r.params = append(r.params, &def{name: t.text, at: t.span, typ: p.typeOf(), param: true, number: len(r.params)})
				p.location()
				if !p.accept(",") {
					p.expect(")", "ends the parameters of a block")
					break
				}
			}
		}
		p.expect(":", "follows a label")
	}
	for !p.accept("}") {
		if t := p.peek(); t.kind == end {
			fail(open.span, "bad-syntax", "a { without its }")
		}
		r.ops = append(r.ops, p.operation())
	}
	r.at = p.since(open.span)
	return r
}

// dictionary reads {name = attribute, ..} into a map.
func (p *parser) dictionary(into map[string]*attr) {
	p.expect("{", "begins attributes")
	for !p.accept("}") {
		t := p.next()
		name := t.text
		switch t.kind {
		case text:
			name = unquoted(t.text)
		case word:
		default:
			fail(t.span, "bad-syntax", "the name of an attribute, not %s", t.text)
		}
		if into[name] != nil {
			fail(t.span, "redefined-name", "attribute %s is there already", name)
		}
		into[name] = &attr{kind: stringAttr, at: t.span, s: "unit"}
		if p.accept("=") {
			into[name] = p.attribute()
		}
		if !p.accept(",") {
			p.expect("}", "ends attributes")
			break
		}
	}
}

// optionalDictionary reads attributes where there are some.
func (p *parser) optionalDictionary(o *oper) {
	if p.peek().is("{") {
		p.dictionary(o.attrs)
	}
}

func unquoted(s string) string { return s[1 : len(s)-1] }

// attribute reads one.
func (p *parser) attribute() *attr {
	defer p.nest()()
	start := p.peek()
	a := p.bareAttribute()
	if p.peek().is(":") && (a.kind == integerAttr || a.kind == floatAttr || a.kind == denseAttr) {
		p.next()
		a.typ = p.typeOf()
	}
	a.at = p.since(start.span)
	return a
}

func (p *parser) bareAttribute() *attr {
	t := p.peek()
	switch {
	case t.is("-") || t.kind == number:
		return p.numberAttribute()
	case t.kind == text:
		p.next()
		return &attr{kind: stringAttr, s: unquoted(t.text)}
	case t.kind == alias:
		return p.aliasAttribute()
	case t.is("affine_map"):
		return &attr{kind: mapAttr, m: p.affineMap(false)}
	case t.is("affine_set"):
		return &attr{kind: setAttr, m: p.affineMap(true)}
	case t.is("dense"):
		return p.denseAttribute()
	case t.is("array"):
		return p.arrayAttribute()
	case t.is("strided"):
		return p.stridedAttribute()
	case t.is("["):
		p.next()
		return &attr{kind: arrayAttr, list: p.attributesUntil("]")}
	case t.is("{"):
		a := &attr{kind: dictAttr, dict: map[string]*attr{}}
		p.dictionary(a.dict)
		return a
	case t.is("true", "false"):
		p.next()
		n := int64(0)
		if t.text == "true" {
			n = 1
		}
		return &attr{kind: integerAttr, at: t.span, n: big.NewInt(n), typ: anI1}
	case t.is("unit"):
		p.next()
		return &attr{kind: stringAttr, s: t.text}
	case t.is("loc", "distinct", "sparse", "opaque"):
		p.next()
		for p.peek().is("(", "[", "<") {
			p.skipBalanced()
		}
		return &attr{kind: opaqueAttr, s: t.text}
	case t.kind == symbol:
		p.next()
		for p.accept("::") {
			p.take(symbol, "a name @NAME")
		}
		return &attr{kind: stringAttr, s: t.text[1:]}
	case t.kind == word || t.kind == named || t.is("("):
		return &attr{kind: typeAttr, typ: p.typeOf()}
	}
	fail(t.span, "bad-syntax", "an attribute, not %s", t.text)
	return nil
}

// attributesUntil reads attributes up to a bracket.
func (p *parser) attributesUntil(closing string) (list []*attr) {
	for !p.accept(closing) {
		list = append(list, p.attribute())
		if !p.accept(",") {
			p.expect(closing, "ends a list")
			break
		}
	}
	return list
}

func (p *parser) numberAttribute() *attr {
	start := p.peek().span
	negative := p.accept("-")
	t := p.take(number, "a number")
	a := &attr{kind: integerAttr, at: p.since(start), hex: strings.HasPrefix(t.text, "0x")}
	if strings.ContainsAny(t.text, ".") {
		a.kind = floatAttr
		a.r = floatOf(t)
		if negative {
			a.r.Neg(a.r)
			a.hex = a.r.Sign() == 0 // -0.0
		}
		return a
	}
	base := 10
	digits := t.text
	if a.hex {
		base, digits = 16, t.text[2:]
	}
	if len(digits) > 40 {
		fail(t.span, "too-large", "a number of %d digits", len(digits))
	}
	a.n, _ = new(big.Int).SetString(digits, base)
	if negative {
		a.n.Neg(a.n)
	}
	return a
}

// floatOf reads a float exactly.
func floatOf(t token) *big.Rat {
	if _, e, ok := strings.Cut(strings.ToLower(t.text), "e"); ok && len(strings.TrimLeft(e, "+-0")) > 3 || len(t.text) > 2000 {
		fail(t.span, "too-large", "%.40s is no number that a float is near", t.text)
	}
	r, ok := new(big.Rat).SetString(t.text)
	if !ok {
		fail(t.span, "bad-syntax", "%s is no number", t.text)
	}
	return r
}

func (p *parser) aliasAttribute() *attr {
	t := p.next()
	if a := p.aliases[t.text[1:]]; a != nil {
		b := *a
		return &b
	}
	if !strings.Contains(t.text, ".") && !p.peek().is("<") {
		fail(t.span, "unbound-name", "%s is not defined", t.text)
	}
	a := &attr{kind: opaqueAttr, s: t.text[1:]}
	if p.peek().is("<") {
		body := p.skipBalanced().Text()
		a.body = strings.TrimSpace(body[1 : len(body)-1])
	}
	return a
}

func (p *parser) denseAttribute() *attr {
	p.next()
	p.expect("<", "follows dense")
	a := &attr{kind: denseAttr}
	if !p.accept(">") {
		a.list = p.denseElements(a.list)
		p.expect(">", "ends dense<")
	}
	return a
}

// denseElements flattens nested lists.
func (p *parser) denseElements(out []*attr) []*attr {
	defer p.nest()()
	if !p.accept("[") {
		return append(out, p.attribute())
	}
	for !p.accept("]") {
		out = p.denseElements(out)
		if !p.accept(",") {
			p.expect("]", "ends a list")
			break
		}
	}
	return out
}

// arrayAttribute reads array<i64: 1, 2>.
func (p *parser) arrayAttribute() *attr {
	p.next()
	p.expect("<", "follows array")
	t := p.typeOf()
	a := &attr{kind: arrayAttr}
	if p.accept(":") {
		a.list = p.attributesUntil(">")
		for _, b := range a.list {
			b.typ = t
		}
		return a
	}
	p.expect(">", "ends array<")
	return a
}

// stridedAttribute reads strided<[?, 1], offset: ?>.
func (p *parser) stridedAttribute() *attr {
	p.next()
	p.expect("<", "follows strided")
	p.expect("[", "begins strides")
	a := &attr{kind: arrayAttr, s: "strided"}
	number := func() *attr {
		if at := p.peek().span; p.accept("?") {
			return &attr{kind: integerAttr, at: at, n: big.NewInt(dynamic)}
		}
		return p.numberAttribute()
	}
	for !p.accept("]") {
		a.list = append(a.list, number())
		if !p.accept(",") {
			p.expect("]", "ends strides")
			break
		}
	}
	if p.accept(",") {
		p.expect("offset", "follows strides")
		p.expect(":", "follows offset")
		number()
	}
	p.expect(">", "ends strided<")
	return a
}
