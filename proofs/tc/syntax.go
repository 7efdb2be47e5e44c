package tc

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"tv/internal/source"
	"tv/proofs/procedures"
)

// check ends the reading where something does not hold.
var check = procedures.Check

func refuse(at source.Span, code, format string, args ...any) {
	check(false, at, code, format, args...)
}

// A definition is a text behind def.
type definition struct {
	name   source.Span
	params []*param
	outs   []source.Span
	body   []*statement
}

type param struct {
	typ  source.Span
	dims []*node // numbers and names
	name source.Span
}

// A statement writes one tensor.
type statement struct {
	at      source.Span // of the tensor
	indices []source.Span
	op      string
	value   *node
	clauses []clause
}

// A clause stands behind where: "in" is a range, "exists" an access.
type clause struct {
	op     string
	name   source.Span
	x, end *node
}

// A node is an expression.
type node struct {
	// op is number, name, extent, of a name and a number, call, of a tensor or function, cast, neg,
	// "!", "?:" or an operator of two operands.
	op   string
	text string // of a number or name
	at   source.Span
	args []*node
}

func (n *node) visit(f func(*node)) {
	f(n)
	for _, a := range n.args {
		a.visit(f)
	}
}

const maxNested = 200 // of expressions, which are taken apart by recursion

var word = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([ \t\r\n]+|#[^\n]*|(min|max)=!?|[A-Za-z_]\w*|` +
		`[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]{1,4})?|->|<=>|[+*]=!?|<=|>=|==|!=|&&|\|\||` +
		`[-(){},.:?=<>+*/%!])`)
})

// reserved are the words that are no names.
var reserved = []string{"def", "where", "in", "exists", "min", "max", "bool", "int8", "int16",
	"int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
	"float", "double"}

// A parser reads words.
type parser struct {
	*procedures.Words
	nested int
}

// definitions are those of a text.
func definitions(f *source.File) (out []*definition, err error) {
	err = procedures.Read(f, word(), " \t\r\n#", func(w *procedures.Words) {
		for p := (&parser{Words: w}); !p.Is(""); {
			out = append(out, p.definition())
		}
	})
	return out, err
}

// name takes a name.
func (p *parser) name() source.Span {
	at := p.Name()
	check(!slices.Contains(reserved, at.Text()) && !strings.Contains(at.Text(), "="), at,
		"bad-syntax", "expected a name")
	return at
}

func (p *parser) definition() *definition {
	p.Expect("def")
	d := &definition{name: p.name()}
	p.List("(", ")", func() { d.params = append(d.params, p.param()) })
	p.Expect("->")
	p.List("(", ")", func() { d.outs = append(d.outs, p.name()) })
	for p.Expect("{"); !p.Is("}"); {
		d.body = append(d.body, p.statement())
	}
	p.Next()
	return d
}

func (p *parser) param() *param {
	x := &param{typ: p.Next()}
	if p.Is("(") {
		p.List("(", ")", func() {
			n := p.unary()
			check(n.op == "number" || n.op == "name", n.at, "bad-syntax", "a dim is a number or name")
			x.dims = append(x.dims, n)
		})
		check(x.dims != nil, x.typ, "bad-syntax", "no dims in parentheses")
	}
	x.name = p.name()
	return x
}

var assigns = []string{"=", "+=", "*=", "min=", "max=", "+=!", "*=!", "min=!", "max=!"}

func (p *parser) statement() *statement {
	s := &statement{at: p.name()}
	if p.Is("(") {
		p.List("(", ")", func() { s.indices = append(s.indices, p.name()) })
	}
	s.op = p.Expect(assigns...).Text()
	if s.value = p.expression(); p.Is("<=>") {
		refuse(p.Next(), "unsupported-op", "<=>")
	}
	if !p.Is("where") {
		return s
	}
	for p.Next(); ; p.Next() {
		s.clauses = append(s.clauses, p.clause())
		if !p.Is(",") {
			return s
		}
	}
}

func (p *parser) clause() (c clause) {
	if p.Is("exists") {
		c.name = p.Next()
		return clause{op: "exists", name: c.name, x: p.expression()}
	}
	c.name = p.name()
	if c.op = p.Expect("in", "=").Text(); c.op == "=" {
		refuse(c.name, "unsupported-op", "a name for an expression")
	}
	c.x = p.expression()
	p.Expect(":")
	c.end = p.expression()
	return c
}

// expression takes a choice, which binds least.
func (p *parser) expression() *node {
	x := p.operators(0)
	if !p.Is("?") {
		return x
	}
	p.Next()
	y := p.expression()
	p.Expect(":")
	return join("?:", x, y, p.expression())
}

func join(op string, args ...*node) *node {
	at := args[0].at
	at.End = args[len(args)-1].at.End
	return &node{op: op, at: at, args: args}
}

var levels = [][]string{{"||"}, {"&&"}, {"<", ">", "<=", ">=", "==", "!="}, {"+", "-"},
	{"*", "/", "%"}}

func (p *parser) operators(level int) *node {
	if level == len(levels) {
		return p.unary()
	}
	x := p.operators(level + 1)
	for p.Is(levels[level]...) {
		x = join(p.Next().Text(), x, p.operators(level+1))
	}
	return x
}

func (p *parser) unary() *node {
	at := p.Next()
	p.nested++
	defer func() { p.nested-- }()
	check(p.nested <= maxNested, at, "too-large", "expressions nest deeper than %d", maxNested)
	switch text := at.Text(); {
	case text == "-":
		return p.of("neg", at, p.unary())
	case text == "!":
		return p.of("!", at, p.unary())
	case text == "(":
		x := p.expression()
		p.Expect(")")
		return x
	case text != "" && text[0] >= '0' && text[0] <= '9':
		return &node{op: "number", text: text, at: at}
	case types[text].Width > 0 || slices.Contains(reserved[6:], text):
		p.Expect("(")
		x := p.expression()
		p.Expect(")")
		return p.of("cast", at, x)
	case text == "min" || text == "max":
		check(p.Is("("), at, "bad-syntax", "operands of %s expected", text)
	default:
		check(isName(text) && !slices.Contains(reserved, text), at, "bad-syntax",
			"expected an operand")
	}
	if p.Is(".") {
		p.Next()
		k := p.Next()
		return &node{op: "extent", text: at.Text(), at: span(at, k),
			args: []*node{{op: "number", text: k.Text(), at: k}}}
	} else if !p.Is("(") {
		return &node{op: "name", text: at.Text(), at: at}
	}
	n := &node{op: "call", text: at.Text(), at: at}
	p.List("(", ")", func() { n.args = append(n.args, p.expression()) })
	return n
}

// of is an operation that begins with a word.
func (p *parser) of(op string, at source.Span, x *node) *node {
	return &node{op: op, text: at.Text(), at: span(at, x.at), args: []*node{x}}
}

func span(first, last source.Span) source.Span {
	first.End = last.End
	return first
}

func isName(s string) bool {
	return s != "" && (s[0] == '_' || s[0]|32 >= 'a' && s[0]|32 <= 'z') && !strings.Contains(s, "=")
}
