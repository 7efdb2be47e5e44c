package tc

import (
	"slices"
	"strings"

	"tv/internal/source"
	"tv/internal/spelling"
	"tv/semantics/domain"
	"tv/semantics/loops"
)

// maxDepth bounds how deep expressions nest, maxChain how many operators stand in a row, maxStatements how many
// statements the definitions of a file have.
const (
	maxDepth      = 200
	maxChain      = 2000
	maxStatements = 10000
)

// Parse reads a definition of a file: that of a name, or without a name the only one. The error has one problem or
// several, in the order of the text.
func Parse(f *source.File, function string) (*loops.Procedure, error) {
	e, err := read(f, function)
	if err != nil {
		return nil, err
	}
	return e.proc, nil
}

// read elaborates a definition of a file.
func read(f *source.File, function string) (e *elaborator, err error) {
	var d *definition
	if failed := attempt(func() { d = choose(f, definitions(f), function) }); failed != nil {
		return nil, failed
	}
	switch e = elaborate(f, d); {
	case len(e.errs) == 1:
		return nil, e.errs[0]
	case len(e.errs) > 1:
		return nil, e.errs
	}
	return e, nil
}

// choose returns the definition of a name, or the only one.
func choose(f *source.File, list []*definition, function string) *definition {
	start := source.Span{File: f}
	var names []string
	for _, d := range list {
		if d.name.text == function {
			return d
		}
		names = append(names, d.name.text)
	}
	switch {
	case function != "":
		fail(start, "unbound-name", "there is no definition %s%s", function, suggest(function, names))
	case len(list) == 0:
		fail(start, "unbound-name", "a file without a definition")
	case len(list) > 1:
		fail(start, "unbound-name", "which definition: %s?", spelling.List(names))
	}
	return list[0]
}

// suggest returns what to say of a name that is near one of others.
func suggest(name string, others []string) string {
	others = slices.Sorted(slices.Values(others))
	if near := spelling.Nearest(name, others); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// A parser reads trees from tokens. It fails at the first word that fits nowhere.
type parser struct {
	lexer *lexer
	ahead []token // that are not taken yet, without comments
	last  token   // that was taken
	depth int
	stmts int // of all definitions so far
}

// definitions reads all definitions of a file.
func definitions(f *source.File) (list []*definition) {
	p := &parser{lexer: &lexer{file: f}}
	byName := map[string]*definition{}
	for p.peek().kind != end {
		d := p.definition()
		if old := byName[d.name.text]; old != nil {
			fail(d.name.span, "redefined-name", "%s is defined already, at %s", d.name.text, old.name.span.Position())
		}
		byName[d.name.text] = d
		list = append(list, d)
	}
	return list
}

func (p *parser) peek() token { return p.look(0) }

// look returns one of the next tokens.
func (p *parser) look(k int) token {
	for len(p.ahead) <= k {
		if t := p.lexer.next(); t.kind != comment {
			p.ahead = append(p.ahead, t)
		}
	}
	return p.ahead[k]
}

func (p *parser) next() token {
	p.last = p.peek()
	p.ahead = append(p.ahead[:0], p.ahead[1:]...)
	return p.last
}

// accept takes the next token if it is one of some.
func (p *parser) accept(texts ...string) bool {
	if !p.peek().is(texts...) {
		return false
	}
	p.next()
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
		fail(p.peek().span, "too-deep", "expressions nest at most %d deep", maxDepth)
	}
	return func() { p.depth-- }
}

// since returns the place from one to the last token taken.
func (p *parser) since(from source.Span) source.Span { return join(from, p.last.span) }

// scalars are the words for element types.
var scalars = func() map[string]domain.Elem {
	out := map[string]domain.Elem{}
	for _, s := range strings.Fields("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 float") {
		out[s], _ = domain.ParseElem(s)
	}
	out["double"] = out["float64"]
	return out
}()

func reserved(s string) bool {
	switch s {
	case "def", "where", "in", "exists", "min", "max":
		return true
	}
	_, scalar := scalars[s]
	return scalar
}

// newName takes a name.
func (p *parser) newName(what string) name {
	t := p.peek()
	if t.kind != word || reserved(t.text) {
		fail(t.span, "bad-syntax", "%s, not %s", what, t.text)
	}
	p.next()
	return name{t.text, t.span}
}

// list reads what stands between parentheses, divided by commas.
func (p *parser) list(what string, item func()) {
	p.expect("(", "begins "+what)
	for {
		item()
		if !p.accept(",") {
			break
		}
	}
	p.expect(")", "ends "+what)
}

func (p *parser) definition() *definition {
	d := &definition{}
	start := p.expect("def", "begins a definition").span
	d.name = p.newName("the name of a definition")
	if p.peek().is("(") && p.look(1).is(")") {
		p.next()
		p.next()
	} else {
		p.list("the inputs", func() { d.params = append(d.params, p.param()) })
	}
	p.expect("->", "follows the inputs")
	p.list("the outputs", func() { d.outs = append(d.outs, p.newName("the name of an output")) })
	d.heading = p.since(start)
	p.expect("{", "begins the statements")
	for !p.accept("}") {
		if t := p.peek(); t.kind != word || reserved(t.text) {
			fail(t.span, "bad-syntax", "a statement NAME(...) = ..., or the } that ends them, not %s", t.text)
		}
		if p.stmts++; p.stmts > maxStatements {
			fail(p.peek().span, "too-large", "more than %d statements", maxStatements)
		}
		d.stmts = append(d.stmts, p.statement())
	}
	return d
}

func (p *parser) param() *param {
	t := p.peek()
	elem, ok := scalars[t.text]
	if t.kind != word || !ok {
		fail(t.span, "bad-syntax", "an input TYPE(EXTENTS) NAME, not %s%s", t.text, suggestType(t.text))
	}
	p.next()
	q := &param{elem: elem}
	if p.peek().is("(") {
		p.list("the extents", func() { q.dims = append(q.dims, p.dim()) })
	}
	q.name = p.newName("the name of an input")
	q.span = p.since(t.span)
	return q
}

func suggestType(s string) string {
	var names []string
	for name := range scalars {
		names = append(names, name)
	}
	return suggest(s, names)
}

// dim reads an extent of an input.
func (p *parser) dim() *expr {
	if t := p.peek(); t.kind == number {
		x := numeral(p.next())
		if x.float || x.num.Sign() <= 0 || !x.num.Num().IsInt64() {
			fail(t.span, "bad-syntax", "an extent is a size or a number from 1 on, not %s", t.text)
		}
		return x
	}
	n := p.newName("an extent is a size or a number")
	return &expr{op: opName, name: n.text, span: n.span}
}

func (p *parser) statement() *stmt {
	s := &stmt{to: p.newName("the name of an output")}
	if p.peek().is("(") {
		p.list("the indices of an output", func() {
			s.indices = append(s.indices, p.newName("an index"))
			if t := p.peek(); !t.is(",", ")") {
				fail(t.span, "bad-syntax", "the left side has names of indices alone, not expressions: %s", t.text)
			}
		})
	}
	s.left = p.since(s.to.span)
	t := p.peek()
	if s.op = strings.TrimSuffix(t.text, "!"); t.kind != punct || !slices.Contains([]string{"=", "+=", "*=", "min=", "max="}, s.op) {
		fail(t.span, "bad-syntax", "= += *= min= max=, or one of them with !, not %s", t.text)
	}
	s.init = s.op != t.text
	p.next()
	s.value = p.expression()
	s.span = p.since(s.to.span)
	if t := p.peek(); p.accept("<=>") {
		p.newName("the name of an equivalent definition")
		p.list("the operands of an equivalent definition", func() { p.expression() })
		s.skipped = p.since(t.span)
	}
	if p.accept("where") {
		for {
			s.where = append(s.where, p.clause())
			if !p.accept(",") {
				break
			}
		}
	}
	return s
}

func (p *parser) clause() *clause {
	start := p.peek().span
	c := &clause{op: exists}
	if p.accept("exists") {
		c.x = p.expression()
		c.span = p.since(start)
		return c
	}
	c.name = p.newName("a range NAME in LO:HI, NAME = ..., or exists ...")
	if p.accept("=") {
		c.op, c.x = lets, p.expression()
	} else {
		p.expect("in", "or = follows a name behind where")
		c.op, c.x = ranges, p.expression()
		p.expect(":", "stands between the bounds of a range")
		c.y = p.expression()
	}
	c.span = p.since(start)
	return c
}
