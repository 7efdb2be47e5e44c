package mlir

import (
	"slices"
	"strings"

	"tv/internal/source"
	"tv/internal/spelling"
	"tv/semantics/loops"
)

// A function is one of the file.
type function struct {
	name    string
	at      source.Span // of its heading
	params  []*def
	results []*typ
	start   int // token of the { of its body, 0 of a declaration
	generic bool
	calls   map[string]bool // what is named in it
}

// Parse reads a function of a file. Without a name it is the one that has a body and that no other function names.
func Parse(f *source.File, name string) (*loops.Procedure, error) {
	var proc *loops.Procedure
	var names source.Errors
	err := attempt(func() {
		p := newParser(lex(f, false))
		list := p.file()
		fn := choose(f, list, name)
		body := p.body(fn)
		if names = resolve(fn, body); len(names) > 0 {
			return
		}
		(&inliner{parser: p, functions: list}).calls(fn, body)
		proc = elaborate(f, fn, body)
		proc.Skipped = p.skipped
	})
	switch {
	case err != nil:
		return nil, err
	case len(names) > 0:
		return nil, names
	}
	return proc, nil
}

// body reads the operations of a function.
func (p *parser) body(fn *function) *region {
	p.pos = fn.start
	r := p.region()
	if fn.generic {
		fn.params, r.params = r.params, nil
	} else if len(r.params) > 0 {
		fail(r.at, "bad-syntax", "the body of a function has no parameters of its own")
	}
	return r
}

// file reads aliases and the headings of functions; bodies are skipped.
func (p *parser) file() (list []*function) {
	list = p.items(list, false)
	if t := p.peek(); t.kind != end {
		fail(t.span, "bad-syntax", "a function, not %s", t.text)
	}
	seen := map[string]*function{}
	for _, fn := range list {
		if other := seen[fn.name]; other != nil {
			fail(fn.at, "redefined-name", "function %s is defined already, at %s", fn.name, other.at.Position())
		}
		seen[fn.name] = fn
	}
	return list
}

// items reads what stands in a module.
func (p *parser) items(list []*function, inside bool) []*function {
	defer p.nest()()
	for {
		t := p.peek()
		switch {
		case t.kind == end, inside && t.is("}"):
			return list
		case t.kind == alias && p.ahead(1).is("="):
			p.starts = append(p.starts, p.pos)
			p.next()
			p.next()
			p.aliases[t.text[1:]] = p.attribute()
		case t.kind == named && p.ahead(1).is("="):
			p.starts = append(p.starts, p.pos)
			p.next()
			p.next()
			p.accept("type")
			p.types[t.text[1:]] = p.typeOf()
		case t.is("module", "builtin.module"):
			list = p.module(list)
		case t.is("func", "func.func"):
			list = append(list, p.heading())
		case t.kind == text && nameToday(unquoted(t.text)) == "func.func":
			list = append(list, p.genericFunction())
		case t.kind == text && unquoted(t.text) == "builtin.module":
			list = p.genericModule(list)
		case t.is("{-#"):
			p.starts = append(p.starts, p.pos)
			for !p.accept("#-}") {
				if p.next().kind == end {
					fail(t.span, "bad-syntax", "a {-# without its #-}")
				}
			}
			p.skipped = append(p.skipped, p.since(t.span))
		case t.kind == text || t.kind == word:
			fail(t.span, "unsupported-op", "%s: of what stands outside functions there are modules alone", t.text)
		default:
			fail(t.span, "bad-syntax", "a function, not %s", t.text)
		}
	}
}

func (p *parser) module(list []*function) []*function {
	p.starts = append(p.starts, p.pos)
	p.next()
	if p.peek().kind == symbol {
		p.next()
	}
	p.attributesOf()
	p.inner[p.peek().span.Start] = true
	p.expect("{", "begins a module")
	list = p.items(list, true)
	p.expect("}", "ends a module")
	p.location()
	return list
}

// attributesOf notes attributes {..}, which have no meaning here.
func (p *parser) attributesOf() {
	start := p.peek().span
	if p.accept("attributes") {
		p.skipBalanced()
		p.skipped = append(p.skipped, p.since(start))
	}
}

func (p *parser) genericModule(list []*function) []*function {
	p.starts = append(p.starts, p.pos)
	p.next()
	p.expect("(", "begins operands")
	p.expect(")", "ends operands")
	if p.peek().is("<") {
		p.skipped = append(p.skipped, p.skipBalanced())
	}
	p.expect("(", "begins regions")
	p.inner[p.peek().span.Start] = true
	p.expect("{", "begins a region")
	list = p.items(list, true)
	p.expect("}", "ends a region")
	p.expect(")", "ends regions")
	p.skipAttributes()
	p.expect(":", "stands before types")
	p.typeOf()
	p.location()
	return list
}

// heading reads func.func @f(%A: memref<..>) -> .. {, and skips the body.
func (p *parser) heading() *function {
	p.starts = append(p.starts, p.pos)
	start := p.next()
	p.accept("private", "public", "nested")
	name := p.take(symbol, "a name @NAME")
	fn := &function{name: strings.Trim(name.text[1:], `"`)}
	p.expect("(", "begins parameters")
	for !p.accept(")") {
		if p.peek().kind == value {
			t := p.next()
			p.expect(":", "stands before a type")
			fn.params = append(fn.params, &def{name: t.text, at: t.span, typ: p.typeOf(), param: true, number: len(fn.params)})
		} else {
			p.typeOf() // of a declaration
		}
		p.skipAttributes()
		if !p.accept(",") {
			p.expect(")", "ends parameters")
			break
		}
	}
	if p.accept("->") {
		fn.results = p.resultTypes()
	}
	fn.at = p.since(start.span)
	p.attributesOf()
	if p.peek().is("{") {
		fn.start = p.pos
		p.skipBody(fn)
	}
	p.location()
	return fn
}

// skipBody takes the braces of a body, and notes which functions are named in it.
func (p *parser) skipBody(fn *function) {
	from := p.pos
	p.skipBalanced()
	fn.calls = map[string]bool{}
	for _, t := range p.tokens[from:p.pos] {
		if t.kind == symbol {
			fn.calls[strings.Trim(t.text[1:], `"`)] = true
		}
	}
}

// genericFunction reads "func.func"() ({..}) {sym_name = "f"} : () -> ().
func (p *parser) genericFunction() *function {
	p.starts = append(p.starts, p.pos)
	start := p.next()
	fn := &function{at: start.span, generic: true}
	attrs := map[string]*attr{}
	p.expect("(", "begins operands")
	p.expect(")", "ends operands")
	if p.accept("<") {
		p.dictionary(attrs)
		p.expect(">", "ends properties")
	}
	p.expect("(", "begins regions")
	if !p.peek().is("{") {
		fail(p.peek().span, "bad-syntax", "{ begins a region, not %s", p.peek().text)
	}
	fn.start = p.pos
	p.skipBody(fn)
	if p.tokens[fn.start+1].is("}") {
		fn.start = 0
	}
	p.expect(")", "ends regions")
	if p.peek().is("{") {
		at := p.peek().span
		p.dictionary(attrs)
		p.skipped = append(p.skipped, p.since(at))
	}
	p.expect(":", "stands before types")
	p.typeOf()
	p.location()
	name, signature := attrs["sym_name"], attrs["function_type"]
	if name == nil || name.kind != stringAttr || signature == nil || signature.typ == nil || signature.typ.family != functionType {
		fail(start.span, "bad-syntax", "a function has sym_name and function_type")
	}
	fn.name, fn.results = name.s, signature.typ.out
	return fn
}

// choose returns the function of a name, or the one that is meant without a name.
func choose(f *source.File, list []*function, name string) *function {
	start := source.Span{File: f}
	var names []string
	called := map[string]bool{} // by another function
	for _, fn := range list {
		for name := range fn.calls {
			called[name] = called[name] || fn.name != name
		}
	}
	var candidates []*function
	for _, fn := range list {
		if fn.start == 0 {
			continue
		}
		if fn.name == name {
			return fn
		}
		names = append(names, fn.name)
		if !called[fn.name] {
			candidates = append(candidates, fn)
		}
	}
	switch {
	case name != "":
		fail(start, "unbound-name", "there is no function %s%s", name, suggest(name, names))
	case len(names) == 0:
		fail(start, "unbound-name", "a file without a function")
	case len(candidates) != 1:
		fail(start, "unbound-name", "which function: %s?", spelling.List(names))
	}
	return candidates[0]
}

// suggest returns what to say of a name that is near one of others.
func suggest(name string, others []string) string {
	slices.Sort(others)
	if near := spelling.Nearest(name, others); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}
