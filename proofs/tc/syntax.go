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
	exists  []*node // reads that take part in finding ranges, and have to lie within, and no more
}

// A clause stands behind where: the range of an index.
type clause struct {
	name   source.Span
	lo, hi *node
}

// A node is an expression.
type node struct {
	// op is number, name, extent, of a name and a number, call, of a tensor, function or type, neg,
	// !, ?:, let, of what a name stands for, or an operator of two operands.
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
var reserved = []string{"def", "where", "in", "exists", "min", "max", "bool", "float16", "int8",
	"int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "float",
	"double"}

// A parser reads words.
type parser struct {
	*procedures.Words
	nested int
}

// definitions are those of a text.
func definitions(w *procedures.Words) (out []*definition) {
	for p := (&parser{Words: w}); !p.Is(""); {
		out = append(out, p.definition())
	}
	return out
}

// name takes a name.
func (p *parser) name() source.Span { return named(p.Next()) }

func named(at source.Span) source.Span {
	s := at.Text()
	begins := s != "" && (s[0] == '_' || s[0]|32 >= 'a' && s[0]|32 <= 'z')
	check(begins && !strings.Contains(s, "=") && !slices.Contains(reserved, s), at, "bad-syntax",
		"expected a name")
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
			check(n.op == "number" || n.op == "name", n.at, "bad-syntax", "a dim expected")
			x.dims = append(x.dims, n)
		})
	}
	x.name = p.name()
	return x
}

func (p *parser) statement() *statement {
	s := &statement{at: p.name()}
	if p.Is("(") {
		p.List("(", ")", func() { s.indices = append(s.indices, p.name()) })
	}
	s.op = p.Expect("=", "+=", "*=", "min=", "max=", "+=!", "*=!", "min=!", "max=!").Text()
	s.value = p.expression()
	lets := map[string]*node{}
	for last := "where"; p.Is(last); last = "," {
		p.Next()
		p.clause(s, lets)
	}
	check(!p.Is("<=>"), s.at, "unsupported-op", "<=>")
	s.resolve(lets)
	return s
}

// clause takes a range, what a name stands for, or a read.
func (p *parser) clause(s *statement, lets map[string]*node) {
	at := p.Next()
	if at.Text() == "exists" {
		n := p.expression()
		check(n.op == "call", n.at, "unsupported-op", "an exists of what is no read")
		s.exists = append(s.exists, n)
		return
	}
	c := clause{name: named(at)}
	if p.Is("=") {
		p.Next()
		check(lets[at.Text()] == nil, at, "redefined-name", "%s is named twice", at.Text())
		lets[at.Text()] = p.expression()
		return
	}
	p.Expect("in")
	c.lo = p.expression()
	p.Expect(":")
	c.hi = p.expression()
	s.clauses = append(s.clauses, c)
}

// resolve puts what names stand for into a statement. One that is used nowhere is refused, as it is
// not certain whether its reads count then.
func (s *statement) resolve(lets map[string]*node) {
	used, within := map[string]bool{}, map[string]bool{}
	var put func(n *node)
	put = func(n *node) {
		x := lets[n.text]
		if n.op != "name" || x == nil {
			for _, a := range n.args {
				put(a)
			}
			return
		}
		check(!within[n.text], n.at, "redefined-name", "%s stands for itself", n.text)
		if n.op, n.args = "let", []*node{x}; used[n.text] {
			return // it has been resolved
		}
		within[n.text] = true
		put(x)
		used[n.text], within[n.text] = true, false
	}
	for _, n := range append([]*node{s.value}, s.exists...) {
		put(n)
	}
	for _, c := range s.clauses {
		put(c.lo)
		put(c.hi)
		check(lets[c.name.Text()] == nil, c.name, "redefined-name", "%s has a range", c.name.Text())
	}
	for _, at := range s.indices {
		check(lets[at.Text()] == nil, at, "redefined-name", "%s is an index", at.Text())
	}
	for name, x := range lets {
		check(used[name], x.at, "unsupported-op", "a name that is not used")
	}
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
	n := &node{text: at.Text(), at: at}
	switch text := at.Text(); {
	case text == "-" || text == "!":
		n.op, n.args = map[string]string{"-": "neg", "!": "!"}[text], []*node{p.unary()}
		n.at.End = n.args[0].at.End
		return n
	case text == "(":
		n = p.expression()
		p.Expect(")")
		return n
	case text != "" && text[0] >= '0' && text[0] <= '9':
		n.op = "number"
		return n
	case text == "min" || text == "max" || slices.Contains(reserved[6:], text):
		check(p.Is("("), at, "bad-syntax", "expected %s of something", text)
	default:
		named(at)
	}
	switch {
	case p.Is("."):
		p.Next()
		k := p.Next()
		n.op, n.args, n.at.End = "extent", []*node{{op: "number", text: k.Text(), at: k}}, k.End
	case p.Is("("):
		n.op = "call"
		p.List("(", ")", func() { n.args = append(n.args, p.expression()) })
	default:
		n.op = "name"
	}
	return n
}
