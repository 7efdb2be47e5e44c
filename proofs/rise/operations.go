package rise

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"tv/internal/source"
	"tv/proofs/procedures"
	"tv/semantics/domain"
)

// An operation is one of MLIR, as it is written: in the form that all operations have, in which its
// types stand, or in one of its own. Its name is that of today, with its dialect.
type operation struct {
	name    string
	at      source.Span
	result  source.Span // its name, empty where it has none
	args    []source.Span
	operand []*noted // the types of args, where they are written
	written *noted   // that of the result
	attrs   map[string]*attribute
	listed  []*attribute // without names
	region  *region
	generic bool
}

// A region is a block of operations.
type region struct {
	params []*named
	body   []*operation
	end    source.Span
}

// A named value is a parameter of a region.
type named struct {
	at source.Span
	is *noted // nil where it is not written
}

// An attribute is a natural, a type, a literal, or the words that it has.
type attribute struct {
	at    source.Span
	nat   size // of a natural
	is    *noted
	text  string   // of a literal or a string; nat
	types []*noted // of the parameters of a function
}

// nat is the text of naturals.
const nat = "nat"

// A noted type is one that is written.
type noted struct {
	at  source.Span
	typ *typ
	as  form
}

// A form says what is of a type.
type form uint8

const (
	wrapped form = iota // a value of rise
	raw                 // a number, as operations on numbers have it
	memory              // what parameters hold
)

// Signs stand alone, but in names and arrows: "<-3" is no arrow.
var operationWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([ \t\r\n]+|//.*|"([^"\\\n]|\\.)*"|->|` +
		`[%#!^@](\d+|[A-Za-z$._-][\w$.-]*)|[A-Za-z_][\w$.]*|\d+(\.\d*([eE][+-]?\d+)?)?|.)`)
})

// An operationParser reads operations.
type operationParser struct {
	*procedures.Words
	nested int
}

func (p *operationParser) deeper() func() {
	p.nested++
	check(p.nested < maxNested, p.Peek(), "too-deep", "more than %d deep", maxNested)
	return func() { p.nested-- }
}

// sigil reports whether the next word begins with a character.
func (p *operationParser) sigil(c string) bool { return startsWith(p.Peek(), c) }

// accept takes a word if it is the next one.
func (p *operationParser) accept(text string) bool {
	ok := p.Is(text)
	if ok {
		p.Next()
	}
	return ok
}

// value takes the name of one.
func (p *operationParser) value() source.Span {
	check(p.sigil("%"), p.Peek(), "bad-syntax", "expected a value")
	return p.Next()
}

func (p *operationParser) values(first, last string) (out []source.Span) {
	p.List(first, last, func() { out = append(out, p.value()) })
	return out
}

// balanced skips a bracket with all that is in it.
func (p *operationParser) balanced(first, last string) {
	at := p.Expect(first)
	for depth := 1; depth > 0; {
		check(!p.Is(""), at, "bad-syntax", "a bracket without its end")
		switch p.Next().Text() {
		case first:
			depth++
		case last:
			depth--
		}
	}
}

// operation takes one.
func (p *operationParser) operation() *operation {
	defer p.deeper()()
	o := &operation{attrs: map[string]*attribute{}}
	if p.sigil("%") {
		o.result = p.Next()
		p.Expect("=")
	}
	o.at = p.Next()
	if o.generic = startsWith(o.at, `"`); o.generic {
		o.name = today(strings.Trim(o.at.Text(), `"`))
		p.anyOperation(o)
		return o
	}
	o.name = today(o.at.Text())
	p.ownForm(o)
	return o
}

// today is the name that an operation has today: names without a dialect are of rise, of arith or
// of func.
func today(name string) string {
	if bare, ok := strings.CutPrefix(name, "std."); ok {
		name = bare
	}
	switch {
	case name == "func", name == "return":
		return "func." + name
	case name == "module":
		return "builtin.module"
	case strings.Contains(name, "."):
		return name
	case operationPatterns[name].scheme != "", slices.Contains(others, name):
		return "rise." + name
	}
	return "arith." + name
}

// others are the operations of rise that are no patterns.
var others = strings.Fields("in out lowering_unit literal lambda apply embed")

// anyOperation takes what stands behind the name of an operation in the form that all have.
func (p *operationParser) anyOperation(o *operation) {
	o.args = p.values("(", ")")
	if p.accept("<") {
		p.dictionary(o)
		p.Expect(">")
	}
	if p.Is("(") {
		p.List("(", ")", func() {
			check(o.region == nil, p.Peek(), "unsupported-op", "a second region")
			o.region = p.region(nil)
		})
	}
	p.dictionary(o)
	p.Expect(":")
	o.operand = p.types()
	check(len(o.operand) == len(o.args), o.at, "bad-syntax", "as many types as operands")
	p.Expect("->")
	results := p.results()
	named := o.result.Text() != ""
	check(len(results) == map[bool]int{true: 1}[named], o.at, "bad-syntax",
		"as many types as results")
	if named {
		o.written = results[0]
	}
}

func (p *operationParser) types() (out []*noted) {
	p.List("(", ")", func() { out = append(out, p.noted()) })
	return out
}

func (p *operationParser) results() []*noted {
	if p.Is("(") {
		return p.types()
	}
	return []*noted{p.noted()}
}

var bareWord = regexp.MustCompile(`^[A-Za-z_]`)

// dictionary takes attributes with their names, if there are any.
func (p *operationParser) dictionary(o *operation) {
	if !p.Is("{") {
		return
	}
	p.List("{", "}", func() {
		at := p.Peek()
		name := strings.Trim(at.Text(), `"`)
		if p.Next(); name == at.Text() {
			check(bareWord.MatchString(name), at, "bad-syntax", "expected a name")
		}
		check(o.attrs[name] == nil, at, "redefined-name", "%s is given twice", name)
		p.Expect("=")
		o.attrs[name] = p.attribute()
	})
}

// attribute takes one.
func (p *operationParser) attribute() *attribute {
	a := &attribute{at: p.Peek()}
	switch name := strings.TrimPrefix(strings.TrimPrefix(a.at.Text(), "#"), "rise."); {
	case !p.sigil("#") && p.Is("("): // the type of a function
		a.types = p.types()
		p.Expect("->")
		check(len(p.results()) == 0, a.at, "unsupported-op", "a function that returns values")
	case p.sigil(`"`):
		a.text = strings.Trim(p.Next().Text(), `"`)
	case !p.sigil("#"):
		a.text = p.literal()
		if p.accept(":") {
			a.is = p.noted()
		}
	case name == "arith.fastmath", name == "arith.overflow":
		p.Next()
		p.Expect("<")
		a.text = p.Expect("none").Text()
		p.Expect(">")
	case name == nat:
		p.Next()
		p.Expect("<")
		a.nat = p.natural(0)
		a.text = nat
		p.Expect(">")
	case name == "lit":
		p.Next()
		p.Expect("<")
		if a.text = p.literal(); p.accept(",") {
			a.is = p.noted()
		}
		p.Expect(">")
	default:
		p.Next()
		a.is = &noted{a.at, p.made(a.at, name), wrapped}
	}
	return a
}

// literal takes the text of a number.
func (p *operationParser) literal() (text string) {
	if p.accept("-") {
		text = "-"
	}
	at := p.Next()
	check(startsWith(at, digits), at, "bad-syntax", "expected a number")
	return text + at.Text()
}

// natural takes one that is not below a number.
func (p *operationParser) natural(least int64) size {
	at := p.Next()
	n, ok := parsed(at.Text())
	check(ok && !n.TooLarge(), at, "bad-size", "%s is no natural", at.Text())
	check(n.Sub(domain.IntSize(least)).Sign() >= 0, at, "zero-size", "less than %d", least)
	return n
}

// noted takes a type.
func (p *operationParser) noted() *noted {
	at := p.Peek()
	switch {
	case p.Is("memref"):
		return p.memref()
	case p.Is("i1"):
		p.Next()
		return &noted{at, truth, raw}
	case elems[at.Text()] != "" && !p.Is("bool"):
		return &noted{at, number(p.Next()), raw}
	}
	return &noted{at, p.risen(), wrapped}
}

// number is the type of elements that a word names.
func number(at source.Span) *typ {
	name := elems[at.Text()]
	check(name != "" && name != "bool", at, "unknown-type", "%s is no type of numbers", at.Text())
	elem, _ := domain.ParseElem(name)
	return &typ{kind: scalar, elem: elem}
}

// risen takes a type of rise. Inner ones have no prefix; data<T> is what T was called once.
func (p *operationParser) risen() *typ {
	defer p.deeper()()
	at := p.Next()
	return p.made(at, strings.TrimPrefix(at.Text(), "!rise."))
}

// made is the type that a name makes of what follows.
func (p *operationParser) made(at source.Span, name string) (t *typ) {
	p.Expect("<")
	switch name {
	case "scalar":
		t = number(p.Next())
	case "array":
		n := p.natural(1)
		p.Expect(",")
		t = &typ{kind: array, size: n, parts: [2]*typ{p.risen()}}
	case "tuple":
		x := p.risen()
		p.Expect(",")
		t = &typ{kind: pair, parts: [2]*typ{x, p.risen()}}
	case "fun":
		x := p.risen()
		p.Expect("->")
		t = arrow(x, p.risen())
	case "data":
		t = p.risen()
	default:
		check(false, at, "unknown-type", "%s is no type", name)
	}
	p.Expect(">")
	check(name != "array" && name != "tuple" && name != "data" || t.data(), at, "type-mismatch",
		"functions are no data")
	return t
}

var extents = regexp.MustCompile(`^(?:\d+x)*`)

// memref takes the type of a parameter: extents that are numbers, and elements in row-major order.
func (p *operationParser) memref() *noted {
	out := &noted{at: p.Next(), as: memory}
	first := p.Expect("<")
	last := first
	for !p.Is(">") {
		check(!p.Is(""), first, "bad-syntax", "a bracket without its end")
		last = p.Next()
	}
	p.Next()
	inner := source.Span{File: first.File, Start: first.End, End: last.End}
	dims := extents.FindString(inner.Text())
	inner.Start += len(dims)
	out.typ = number(inner)
	list := strings.Split(dims, "x")
	for _, d := range slices.Backward(list[:len(list)-1]) {
		n, ok := parsed(d)
		check(ok && n.Sign() > 0 && !n.TooLarge(), first, "zero-size", "an extent of %s", d)
		out.typ = &typ{kind: array, size: n, parts: [2]*typ{out.typ}}
	}
	return out
}

// region takes one. Its parameters are given, or stand in front.
func (p *operationParser) region(params []*named) *region {
	defer p.deeper()()
	r := &region{params: params}
	p.Expect("{")
	if p.sigil("^") {
		at := p.Next()
		check(params == nil, at, "unsupported-op", "a block with a name")
		if p.Is("(") {
			r.params = p.parameters()
		}
		p.Expect(":")
	}
	for !p.Is("}") {
		check(!p.sigil("^"), p.Peek(), "unsupported-op", "more than one block")
		check(!p.Is(""), p.Peek(), "bad-syntax", "the text ends here")
		r.body = append(r.body, p.operation())
	}
	r.end = p.Next()
	return r
}

// parameters takes names, with types where they are written.
func (p *operationParser) parameters() (out []*named) {
	p.List("(", ")", func() {
		q := &named{at: p.value()}
		if p.accept(":") {
			q.is = p.noted()
		}
		if out = append(out, q); p.Is("{") {
			p.balanced("{", "}")
		}
	})
	return out
}
