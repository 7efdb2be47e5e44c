package mlir

import (
	"slices"
	"strconv"
	"strings"

	"tv/semantics/domain"
)

// family is what types have in common.
type family uint8

const (
	indexType family = iota
	integerType
	floatType
	memrefType
	vectorType
	functionType
	otherType // one that is known by name alone
)

// A typ is a type.
type typ struct {
	family family
	width  int // of integers and floats
	bfloat bool
	name   string  // of another type, and i32 of an integer that is signless
	dims   []int64 // dynamic of ?
	elem   *typ
	layout *layout
	in     []*typ // of a function
	out    []*typ
}

// A layout says where the elements of a memref lie. Without one they lie in row-major order.
type layout struct {
	text    string
	strides []int64 // dynamic of ?; nil of a map
	m       *affineMap
}

// dynamic is an extent, or a stride, that the type does not say.
const dynamic = -1 << 63

var (
	anIndex = &typ{family: indexType}
	anI1    = &typ{family: integerType, width: 1, name: "i1"}
)

func (t *typ) String() string {
	switch t.family {
	case indexType:
		return "index"
	case memrefType, vectorType:
		s := map[family]string{memrefType: "memref<", vectorType: "vector<"}[t.family]
		for _, d := range t.dims {
			if d == dynamic {
				s += "?x"
			} else {
				s += strconv.FormatInt(d, 10) + "x"
			}
		}
		s += t.elem.String()
		if t.layout != nil {
			s += ", " + t.layout.text
		}
		return s + ">"
	case functionType:
		return "a function"
	}
	return t.name
}

// same tells whether two types are one. Layouts count only as far as they are the same text.
func (t *typ) same(u *typ) bool {
	if t == u {
		return true
	}
	if t.family != u.family || t.name != u.name || !slices.Equal(t.dims, u.dims) || (t.elem == nil) != (u.elem == nil) {
		return false
	}
	return t.elem == nil || t.elem.same(u.elem)
}

// scalar is the type of the elements of a vector, or the type itself.
func (t *typ) scalar() *typ {
	if t.family == vectorType {
		return t.elem
	}
	return t
}

// shaped returns a vector of other elements, or the type of the elements of a scalar.
func (t *typ) shaped(elem *typ) *typ {
	if t.family != vectorType {
		return elem
	}
	return &typ{family: vectorType, dims: t.dims, elem: elem}
}

// whole tells whether the type is one of integers, or of vectors of them.
func (t *typ) whole() bool {
	s := t.scalar()
	return s.family == indexType || s.family == integerType
}

// floating tells whether the type is one of floats, or of vectors of them.
func (t *typ) floating() bool { return t.scalar().family == floatType }

// elemOf returns the type of data that stands for a type.
func (t *typ) elemOf() (domain.Elem, bool) {
	switch s := t.scalar(); s.family {
	case indexType:
		return domain.Elem{Kind: domain.ElemInt, Width: 64}, true
	case integerType:
		switch s.width {
		case 1:
			return domain.Elem{Kind: domain.ElemBool, Width: 1}, true
		case 8, 16, 32, 64:
			return domain.Elem{Kind: domain.ElemInt, Width: s.width}, true
		}
	case floatType:
		if s.bfloat {
			return domain.BFloat16, true
		}
		return domain.Elem{Kind: domain.ElemFloat, Width: s.width}, true
	}
	return domain.Elem{}, false
}

// typeOf reads a type.
func (p *parser) typeOf() *typ {
	defer p.nest()()
	t := p.peek()
	switch {
	case t.is("index"):
		p.next()
		return anIndex
	case t.is("f16", "f32", "f64", "bf16"):
		p.next()
		width, _ := strconv.Atoi(strings.TrimLeft(t.text, "bf"))
		return &typ{family: floatType, width: width, bfloat: t.text == "bf16", name: t.text}
	case t.is("memref", "vector"):
		return p.shapedType()
	case t.is("tensor"):
		return p.opaqueType()
	case t.is("("):
		in := p.typeList()
		p.expect("->", "stands in the type of a function")
		return &typ{family: functionType, in: in, out: p.resultTypes()}
	case t.kind == named:
		return p.namedType()
	case t.kind == word && t.text[0] == 'i' && len(t.text) > 1 && digits(t.text[1:]) == len(t.text)-1:
		p.next()
		width, err := strconv.Atoi(t.text[1:])
		if err != nil || width < 1 || width > 1<<16 {
			fail(t.span, "bad-syntax", "%s is no type", t.text)
		}
		return &typ{family: integerType, width: width, name: t.text}
	case t.kind == word:
		return p.opaqueType()
	}
	fail(t.span, "bad-syntax", "a type, not %s", t.text)
	return nil
}

// opaqueType reads a type of which nothing but its text is known: values of it have no operation here.
func (p *parser) opaqueType() *typ {
	start := p.next().span
	if p.peek().is("<") {
		p.skipAngles()
	}
	return &typ{family: otherType, name: p.since(start).Text()}
}

func (p *parser) namedType() *typ {
	t := p.peek()
	if a := p.types[t.text[1:]]; a != nil {
		p.next()
		return a
	}
	if !strings.Contains(t.text, ".") {
		fail(t.span, "unbound-name", "%s is not defined", t.text)
	}
	return p.opaqueType()
}

// shapedType reads memref<..> or vector<..>.
func (p *parser) shapedType() *typ {
	start := p.next()
	t := &typ{family: memrefType}
	if start.text == "vector" {
		t.family = vectorType
	}
	p.expect("<", "follows "+start.text)
	if p.peek().is("*") {
		fail(p.peek().span, "unsupported-op", "memrefs without a rank")
	}
	t.dims = p.shape(t.family == vectorType)
	t.elem = p.typeOf()
	if p.accept(",") {
		p.layoutOf(t)
	}
	p.expect(">", "ends "+start.text+"<")
	if _, ok := t.elem.elemOf(); t.family == vectorType && (!ok || t.elem.family == vectorType) {
		fail(p.since(start.span), "unsupported-op", "vectors of %s", t.elem)
	}
	return t
}

// shape reads extents, which are not tokens: 4x?xf32 begins with a number, and then a word.
func (p *parser) shape(static bool) (dims []int64) {
	for {
		t := p.peek()
		pos, s := t.span.Start, t.span.File.Text
		n := digits(s[pos:])
		if p.peek().is("?") {
			n = 1
		}
		if p.peek().is("[") {
			fail(t.span, "unsupported-op", "vectors of scalable length")
		}
		if n == 0 {
			return dims
		}
		if pos+n >= len(s) || s[pos+n] != 'x' {
			fail(t.span, "bad-syntax", "x follows an extent")
		}
		d := int64(dynamic)
		if !t.is("?") {
			var err error
			if d, err = strconv.ParseInt(s[pos:pos+n], 10, 64); err != nil {
				fail(t.span, "too-large", "an extent of 2^63 or more")
			}
		} else if static {
			fail(t.span, "bad-syntax", "the extents of a vector are numbers")
		}
		if dims = append(dims, d); len(dims) > maxRank {
			fail(t.span, "too-large", "more than %d extents", maxRank)
		}
		p.seek(pos + n + 1)
	}
}

// maxRank bounds the rank of memrefs.
const maxRank = 64

// seek continues at an offset of the text, which may lie within a token.
func (p *parser) seek(offset int) {
	for p.tokens[p.pos].span.End <= offset && p.tokens[p.pos].kind != end {
		p.pos++
	}
	t := p.tokens[p.pos]
	if t.span.Start >= offset {
		return
	}
	rest := t.span.File.Text[offset:t.span.End]
	k := word
	if digit(rest[0]) { // the rest of x4xf32
		k = number
	}
	t.kind, t.text, t.span.Start = k, rest, offset
	p.tokens[p.pos] = t
}

// spaces are the attributes that say in which memory a memref is, beside numbers and texts: nothing about its elements.
var spaces = []string{"gpu.address_space", "spirv.storage_class"}

// layoutOf reads what follows the elements in a memref: a layout, a space or both.
func (p *parser) layoutOf(t *typ) {
	if t.family == vectorType {
		fail(p.peek().span, "bad-syntax", "> ends vector<")
	}
	for {
		start := p.peek().span
		a := p.attribute()
		switch {
		case a.kind == mapAttr:
			t.layout = &layout{text: p.since(start).Text(), m: a.m}
			if a.m.dims != len(t.dims) {
				fail(start, "type-mismatch", "a layout of %d subscripts of a memref of rank %d", a.m.dims, len(t.dims))
			}
		case a.s == "strided":
			strides := a.ints("a stride")
			t.layout = &layout{text: p.since(start).Text(), strides: strides}
			if len(strides) != len(t.dims) {
				fail(start, "type-mismatch", "%d strides of a memref of rank %d", len(strides), len(t.dims))
			}
		case a.kind != integerAttr && a.kind != stringAttr && !slices.Contains(spaces, a.s):
			fail(p.since(start), "unsupported-op", "%s: a layout that is not known", p.since(start).Text())
		}
		if !p.accept(",") {
			return
		}
	}
}

// typeList reads types in parentheses.
func (p *parser) typeList() (out []*typ) {
	p.expect("(", "begins a list of types")
	for !p.accept(")") {
		out = append(out, p.typeOf())
		p.skipAttributes()
		if !p.accept(",") {
			p.expect(")", "ends a list of types")
			break
		}
	}
	return out
}

// resultTypes reads one type, or several in parentheses.
func (p *parser) resultTypes() []*typ {
	if p.peek().is("(") {
		return p.typeList()
	}
	return []*typ{p.typeOf()}
}

// typesSeparated reads types separated by commas.
func (p *parser) typesSeparated() []*typ {
	out := []*typ{p.typeOf()}
	for p.accept(",") {
		out = append(out, p.typeOf())
	}
	return out
}
