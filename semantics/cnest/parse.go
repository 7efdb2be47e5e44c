package cnest

import (
	"math/big"
	"slices"

	"tv/internal/source"
)

// maxDepth bounds how deep expressions and statements nest.
const maxDepth = 200

// A parser reads trees from tokens. It fails at the first word that fits nowhere.
type parser struct {
	tokens []token // the last is an end
	pos    int
	depth  int
}

// newParser reads some tokens; stop is what stands behind them.
func newParser(tokens []token, stop token) *parser {
	stop.kind = end
	return &parser{tokens: append(slices.Clip(tokens), stop)}
}

func (p *parser) peek() token { return p.tokens[p.pos] }

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

func (p *parser) nest() func() {
	if p.depth++; p.depth > maxDepth {
		fail(p.peek().span, "too-deep", "expressions and statements nest at most %d deep", maxDepth)
	}
	return func() { p.depth-- }
}

// since returns the place from one to the last token taken.
func (p *parser) since(from source.Span) source.Span {
	if p.pos == 0 {
		return from
	}
	return join(from, p.tokens[p.pos-1].span)
}

// refuse fails at a word that begins what the subset has not.
func (p *parser) refuse() {
	t := p.peek()
	if t.text == "DATA_TYPE" && t.kind == word {
		fail(t.span, "unbound-name", "DATA_TYPE is defined in a header, which is not read: write #define DATA_TYPE double, or float, or int")
	}
	if what, ok := refusedWords[t.text]; ok && t.kind == word {
		fail(t.span, "unsupported-op", "%s: the subset of C has none", what)
	}
}

// qualifiers are what a declaration says before its type, or in brackets.
type qualifiers struct{ constant, static, restricted bool }

func (q *qualifiers) take(w string) bool {
	switch w {
	case "const":
		q.constant = true
	case "static":
		q.static = true
	case "restrict", "__restrict", "__restrict__":
		q.restricted = true
	case "inline", "__inline", "__inline__", "register":
	default:
		return false
	}
	return true
}

// typeOf reads a type with its qualifiers.
func (p *parser) typeOf() (t ctype, q qualifiers) {
	start := p.peek().span
	var words []string
	named := false
	for {
		p.refuse()
		w := p.peek()
		other, isNamed := namedTypes[w.text]
		switch {
		case isNamed && len(words) == 0 && !named:
			t, named = other, true
		case startsType(w) && !isNamed:
			if !q.take(w.text) {
				words = append(words, w.text)
			}
		default:
			if named && len(words) == 0 {
				return t, q
			}
			t, ok := basicType(words)
			if !ok || named {
				fail(p.since(start), "bad-syntax", "a type, not %s", p.since(start).Text())
			}
			return t, q
		}
		p.next()
	}
}

// declarator reads *name, name[N][M] or (*name)[M] after a type.
func (p *parser) declarator(t ctype, q qualifiers) *declaration {
	d := &declaration{typ: t, constant: q.constant}
	start := p.peek().span
	pointer := func() bool {
		if !p.accept("*") {
			return false
		}
		for q := (&qualifiers{}); q.take(p.peek().text); d.restricted = q.restricted {
			p.next()
		}
		if p.peek().is("*") {
			fail(p.peek().span, "unsupported-op", "pointers to pointers: the subset of C has none")
		}
		d.array, d.dims = true, []*expr{nil}
		return true
	}
	isPointer := pointer()
	inner := !isPointer && p.accept("(")
	if inner && !pointer() {
		fail(p.peek().span, "unsupported-op", "of declarations in parentheses there is (*NAME)[N]")
	}
	d.span, d.name = p.peek().span, p.newName()
	if inner {
		p.expect(")", "ends (*NAME")
		if !p.peek().is("[") {
			fail(p.peek().span, "unsupported-op", "of declarations in parentheses there is (*NAME)[N]")
		}
	} else if isPointer && p.peek().is("[") {
		fail(p.since(start), "unsupported-op", "arrays of pointers: the subset of C has none")
	}
	for p.accept("[") {
		for q := (&qualifiers{}); q.take(p.peek().text); d.restricted = d.restricted || q.restricted {
			p.next()
		}
		var dim *expr
		if !p.peek().is("]") {
			dim = p.conditional()
		} else if len(d.dims) > 0 {
			fail(p.peek().span, "bad-syntax", "only the first extent of %s may be left out", d.name)
		}
		p.expect("]", "ends an extent")
		d.array, d.dims = true, append(d.dims, dim)
	}
	if p.peek().is("(") {
		fail(p.peek().span, "unsupported-op", "functions and pointers to them are not declared in functions")
	}
	if t.family == void {
		fail(d.span, "unsupported-op", "%s is of type void", d.name)
	}
	return d
}

// newName takes a name that is declared.
func (p *parser) newName() string {
	p.refuse()
	t := p.peek()
	if t.kind != word || reserved(t.text) {
		fail(t.span, "bad-syntax", "a name, not %s", t.text)
	}
	return p.next().text
}

// declarations reads locals.
func (p *parser) declarations() *stmt { return p.locals(false) }

// locals reads declarations, of what stands outside functions or in one. There what is static is const, and made of numbers.
func (p *parser) locals(outside bool) *stmt {
	start := p.peek().span
	t, q := p.typeOf()
	if q.static && !q.constant {
		fail(p.since(start), "unsupported-op", "locals that outlive a call: the subset of C has none but const ones")
	}
	s := &stmt{op: declares}
	for {
		d := p.declarator(t, q)
		if p.accept("=") {
			d.init = p.initialiser()
			if n := len(d.dims); n > 0 && d.dims[0] == nil && d.init.x == nil { // as many as there are
				count := &expr{op: opNumber, typ: intType, num: big.NewRat(int64(len(d.init.list)), 1), span: d.init.span}
				d.dims[0] = count
			}
		}
		if q.static && (d.init == nil || !outside && d.init.named()) {
			fail(d.span, "unsupported-op", "a static local has a value that is made of numbers")
		}
		if s.decls = append(s.decls, d); !p.accept(",") {
			break
		}
	}
	p.expect(";", "ends a declaration")
	s.span = p.since(start)
	return s
}

// named tells whether a name occurs in a value.
func (in *initialiser) named() (found bool) {
	in.visit(func(x *expr) bool {
		found = found || x.op == opName || x.op == opCall
		return true
	})
	return found
}

func (p *parser) initialiser() *initialiser {
	defer p.nest()()
	start := p.peek().span
	if !p.accept("{") {
		x := p.conditional()
		return &initialiser{x: x, span: x.span}
	}
	in := &initialiser{}
	for !p.accept("}") {
		in.list = append(in.list, p.initialiser())
		if !p.accept(",") {
			p.expect("}", "ends a list")
			break
		}
	}
	in.span = p.since(start)
	return in
}

// statements reads those up to the end of the tokens, or up to a }, which it takes.
func (p *parser) statements(closing bool) (out []*stmt) {
	for {
		if closing && p.accept("}") || !closing && p.peek().kind == end {
			return out
		}
		if t := p.peek(); t.kind == end {
			fail(t.span, "bad-syntax", "} ends a block, not %s", t.text)
		}
		if s := p.statement(); s != nil {
			out = append(out, s)
		}
	}
}

// statement reads one; nil is ;.
func (p *parser) statement() *stmt {
	defer p.nest()()
	p.refuse()
	t := p.peek()
	switch {
	case p.accept(";"):
		return nil
	case p.accept("{"):
		s := &stmt{op: encloses, body: p.statements(true)}
		s.span = p.since(t.span)
		return s
	case p.accept("for"):
		return p.forLoop(t.span)
	case p.accept("while"):
		s := &stmt{op: iterates, x: p.inParentheses("while")}
		s.span = p.since(t.span)
		s.body = p.nested()
		return s
	case p.accept("do"):
		s := &stmt{op: repeats, body: p.nested()}
		p.expect("while", "ends a do")
		s.x = p.inParentheses("while")
		p.expect(";", "ends a do")
		s.span = t.span
		return s
	case p.accept("if"):
		return p.ifElse(t.span)
	case p.accept("return"):
		s := &stmt{op: returns}
		if !p.peek().is(";") {
			s.x = p.conditional()
		}
		p.expect(";", "ends a statement")
		s.span = p.since(t.span)
		return s
	case p.peek().is("else"):
		fail(t.span, "bad-syntax", "an else without its if")
	case startsType(t):
		return p.declarations()
	}
	s := p.effects()
	if p.peek().is(":") {
		fail(p.peek().span, "unsupported-op", "labels: the subset of C has none")
	}
	p.expect(";", "ends a statement")
	return s
}

// effects reads assignments and calls with commas between them, of which one is done after the other.
func (p *parser) effects() *stmt {
	start := p.peek().span
	var list []*stmt
	for len(list) == 0 || p.accept(",") {
		x := p.assignment()
		list = append(list, &stmt{op: evaluates, x: x, span: x.span})
	}
	if len(list) == 1 {
		return list[0]
	}
	return &stmt{op: encloses, body: list, span: p.since(start)}
}

// inParentheses reads the condition that follows a word.
func (p *parser) inParentheses(behind string) *expr {
	p.expect("(", "follows "+behind)
	x := p.conditional()
	p.expect(")", "ends a condition")
	return x
}

// nested reads the statement that a heading is of.
func (p *parser) nested() []*stmt {
	if p.accept("{") {
		return p.statements(true)
	}
	if s := p.statement(); s != nil {
		return []*stmt{s}
	}
	return nil
}

func (p *parser) forLoop(start source.Span) *stmt {
	s := &stmt{op: iterates}
	p.expect("(", "follows for")
	switch t := p.peek(); {
	case p.accept(";"):
	case startsType(t):
		s.init = p.declarations()
	default:
		s.init = p.effects()
		p.expect(";", "follows the first part of a for")
	}
	if !p.peek().is(";") {
		s.x = p.conditional()
	}
	p.expect(";", "follows the condition of a for")
	if !p.peek().is(")") {
		s.step = p.assignment()
		for p.accept(",") {
			s.more = append(s.more, p.assignment())
		}
	}
	p.expect(")", "ends the heading of a for")
	s.span = p.since(start)
	s.body = p.nested()
	return s
}

func (p *parser) ifElse(start source.Span) *stmt {
	s := &stmt{op: decides, x: p.inParentheses("if")}
	s.span = p.since(start)
	s.body = p.nested()
	if p.accept("else") {
		s.other = p.nested()
	}
	return s
}
