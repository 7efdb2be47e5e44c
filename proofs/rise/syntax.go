package rise

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"tv/internal/source"
	"tv/proofs/procedures"
)

// A node is an expression.
type node struct {
	op     string // "number", "name", "call", "fun", "pair", "array"; an operator, "~" for - of one
	at     source.Span
	text   string   // of a number
	args   []*node  // of a call: the function, and what it is applied to, one after the other
	params []*param // of a fun, whose body is the only operand
	typing
}

type param struct {
	at      source.Span
	written *written // nil where there is none
	*variable
}

// A written is a type as it is written.
type written struct {
	at    source.Span
	dims  []*node
	name  string      // of an element type
	parts [2]*written // of a pair, or of a function
	arrow bool
}

type parser struct {
	*procedures.Words
	nested int
}

// Types have points between words, numbers within: what a number is is found later.
var word = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([ \t\r\n]+|(#|//).*|[A-Za-z_]\w*|\d+([eE][+-]?\d+)?|` +
		`\|>|>>|->|[<>=]=|[-+*/%<>(),.:\[\]])`)
})

var check = procedures.Check

// maxNested bounds how deep expressions nest: they are taken apart by recursion.
const maxNested = 2000

// deeper counts what is open until the function that it returns is called.
func (p *parser) deeper() func() {
	p.nested++
	check(p.nested < maxNested, p.Peek(), "too-deep", "more than %d deep", maxNested)
	return func() { p.nested-- }
}

func (p *parser) expression() *node {
	defer p.deeper()()
	x := p.composition()
	for n := 0; p.Is("|>"); n++ {
		check(n < maxNested, p.Next(), "too-deep", "more than %d calls", maxNested)
		x = applied(p.composition(), x)
	}
	return x
}

// applied is f of x. A call of a call is one call.
func applied(f *node, x ...*node) *node {
	if f.op != "call" {
		f = &node{op: "call", at: f.at, args: []*node{f}}
	}
	return &node{op: "call", at: f.at, args: append(f.args[:len(f.args):len(f.args)], x...)}
}

// operators has those of two operands, the weakest first. Of comparisons there is one at most.
var operators = [][]string{{">>"}, comparisons, {"+", "-"}, {"*", "/", "%"}}

var comparisons = []string{"<", ">", "==", "<=", ">="}

func (p *parser) composition() *node { return p.binary(0) }

func (p *parser) binary(level int) *node {
	if level == len(operators) {
		return p.unary()
	}
	x := p.binary(level + 1)
	for n := 0; p.Is(operators[level]...) && (n == 0 || !slices.Contains(comparisons, x.op)); n++ {
		at := p.Next()
		check(n < maxNested, at, "too-deep", "more than %d operands", maxNested)
		x = &node{op: at.Text(), at: at, args: []*node{x, p.binary(level + 1)}}
	}
	return x
}

func (p *parser) unary() *node {
	if !p.Is("-") {
		return p.post()
	}
	defer p.deeper()()
	at := p.Next()
	return &node{op: "~", at: at, args: []*node{p.unary()}}
}

func (p *parser) post() *node {
	x := p.atom()
	for n := 0; p.Is("("); n++ {
		check(n < maxNested, p.Peek(), "too-deep", "more than %d calls", maxNested)
		x = applied(x, p.list("(", ")")...)
	}
	return x
}

func (p *parser) list(first, last string) (out []*node) {
	p.List(first, last, func() { out = append(out, p.expression()) })
	return out
}

func (p *parser) atom() *node {
	switch at := p.Peek(); {
	case startsWith(at, digits):
		return p.number()
	case p.Is("("):
		p.Next()
		x := p.expression()
		if p.Is(",") {
			p.Next()
			x = &node{op: "pair", at: at, args: []*node{x, p.expression()}}
		}
		p.Expect(")")
		return x
	case p.Is("["):
		return &node{op: "array", at: at, args: p.list("[", "]")}
	case p.Is("fun"):
		return p.fun()
	default:
		return &node{op: "name", at: p.Name()}
	}
}

const digits = "0123456789"

func startsWith(at source.Span, with string) bool {
	return at.Text() != "" && strings.Contains(with, at.Text()[:1])
}

// number takes one: digits, and what follows them without a blank between.
func (p *parser) number() *node {
	at := p.Next()
	text := at.Text()
	for _, with := range []string{".", digits} {
		next := p.Peek()
		plain := !strings.ContainsAny(text, "eE") && (with == "." || strings.HasSuffix(text, "."))
		if plain && next.Start == at.End && startsWith(next, with) {
			text += p.Next().Text()
			at.End = next.End
		}
	}
	return &node{op: "number", at: at, text: text}
}

// fun takes a function: of one parameter, or of several with types.
func (p *parser) fun() *node {
	n := &node{op: "fun", at: p.Next()}
	p.Expect("(")
	if p.Is("(") {
		p.List("(", ")", func() { n.params = append(n.params, p.param()) })
	} else {
		n.params = []*param{{at: p.Name()}}
	}
	p.Expect(",")
	n.args = []*node{p.expression()}
	p.Expect(")")
	return n
}

func (p *parser) param() *param {
	q := &param{at: p.Name()}
	if p.Is(":") {
		p.Next()
		q.written = p.written()
	}
	return q
}

// written takes a type.
func (p *parser) written() *written {
	defer p.deeper()()
	t := &written{at: p.Peek()}
	for {
		switch in := p.parenthesised(); {
		case in == "->":
			p.Next()
			f := p.function()
			p.Expect(")")
			f.dims = t.dims
			return f
		case in == ",":
			p.Next()
			t.parts[0] = p.function()
			p.Expect(",")
			t.parts[1] = p.function()
			p.Expect(")")
			return t
		case in != "":
			p.Next()
			t.dims = append(t.dims, p.expression())
			p.Expect(")")
		case startsWith(p.Peek(), digits):
			at := p.Next()
			t.dims = append(t.dims, &node{op: "number", at: at, text: at.Text()})
		default:
			at := p.Name()
			if !p.Is(".") {
				t.name = at.Text()
				return t
			}
			t.dims = append(t.dims, &node{op: "name", at: at})
		}
		p.Expect(".")
	}
}

// function takes a type, which may be that of functions: so the types of patterns are written.
func (p *parser) function() *written {
	defer p.deeper()()
	t := p.written()
	if !p.Is("->") {
		return t
	}
	p.Next()
	return &written{at: t.at, parts: [2]*written{t, p.function()}, arrow: true}
}

// parenthesised tells what the parentheses are that come next: with "," there is a pair in them,
// with "->" a function, with ")" an expression. It is empty if none come next.
func (p *parser) parenthesised() string {
	if !p.Is("(") {
		return ""
	}
	ahead := *p.Words
	for depth := 0; ; {
		switch at := ahead.Next().Text(); {
		case at == "(" || at == "[":
			depth++
		case (at == ")" || at == "]") && depth == 1, at == "":
			return ")"
		case at == ")" || at == "]":
			depth--
		case (at == "," || at == "->") && depth == 1:
			return at
		}
	}
}
