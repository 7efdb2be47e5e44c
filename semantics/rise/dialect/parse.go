package dialect

import (
	"slices"
	"strings"

	"tv/internal/source"
	"tv/internal/spelling"
)

// An operation is one as it is written, in either form.
type operation struct {
	name     string // without rise. and arith.
	at       source.Span
	generic  bool
	results  []token
	operands []token
	attrs    map[string]*attr
	order    []*attr // those without names
	regions  []*region
	types    []written // behind the colon: of operands where an arrow follows
	result   []written // behind the arrow, or all where there is none
	arrow    bool
}

// A written type is one of the text.
type written struct {
	*typ
	at source.Span
}

// A region is a block: parameters and operations.
type region struct {
	at     source.Span
	params []param
	ops    []*operation
	result *written // of a lambda, behind its parameters
}

// A param is a name with a type, which may be left out.
type param struct {
	name token
	typ  written
}

// A funct is a function of the text.
type funct struct {
	name string
	at   source.Span
	body *region
}

type parser struct {
	tokens []token
	pos    int
	depth  int
	errs   source.Errors
}

// maxDepth bounds how deep regions and types nest.
const maxDepth = 500

type stop struct{}

// fault takes note of what is wrong, and reading goes on.
func (p *parser) fault(at source.Span, code, format string, args ...any) {
	p.errs = append(p.errs, source.Errorf(at, code, format, args...))
}

// stop ends reading.
func (p *parser) stop(at source.Span, format string, args ...any) {
	p.fault(at, "bad-syntax", format, args...)
	panic(stop{})
}

func (p *parser) here() token { return p.tokens[p.pos] }

func (p *parser) next() token {
	t := p.tokens[p.pos]
	if t.text != "" {
		p.pos++
	}
	return t
}

func (p *parser) accept(text string) bool {
	if !p.here().is(text) {
		return false
	}
	p.pos++
	return true
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.stop(p.here().span, "%s should be here, not %s", text, p.here().shown())
	}
}

// close reads a > that may be missing.
func (p *parser) close() {
	if !p.accept(">") {
		last := p.tokens[max(p.pos-1, 0)].span
		p.fault(source.Span{File: last.File, Start: last.End, End: last.End}, "bad-syntax", "> is missing")
	}
}

// since is the place from a token to the last one that was read.
func (p *parser) since(first source.Span) source.Span {
	last := p.tokens[max(p.pos-1, 0)].span
	return source.Span{File: first.File, Start: first.Start, End: max(last.End, first.Start)}
}

// enter counts what nests; the result is deferred.
func (p *parser) enter() func() {
	if p.depth++; p.depth > maxDepth {
		p.fault(p.here().span, "too-deep", "regions and types nest at most %d deep", maxDepth)
		panic(stop{})
	}
	return func() { p.depth-- }
}

// read reads the function of a name, or the only one with operations of rise.
func read(f *source.File) (fn *funct, errs source.Errors) {
	p := &parser{tokens: lex(f)}
	defer func() {
		if e := recover(); e != nil && e != any(stop{}) {
			panic(e)
		}
		errs = p.errs
	}()
	var list []*funct
	for !p.here().is("") {
		if g := p.definition(f.Function); g != nil {
			list = append(list, g)
		}
	}
	var names []string
	for _, g := range list {
		if names = append(names, g.name); g.name == f.Function {
			return g, nil
		}
	}
	start := source.Span{File: f}
	switch {
	case f.Function != "":
		p.fault(start, "unbound-name", "there is no function %s%s", f.Function, suggest(f.Function, names))
	case len(list) == 0:
		p.fault(start, "unbound-name", "a file without a function of rise")
	case len(list) == 1:
		return list[0], nil
	default:
		p.fault(start, "unbound-name", "one of %s is meant: FILE:NAME says which", strings.Join(names, ", "))
	}
	return nil, nil
}

// suggest says what a name was perhaps meant to be.
func suggest(name string, known []string) string {
	slices.Sort(known)
	if near := spelling.Nearest(name, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// definition reads what stands in a file or a module; a function is returned if it has operations of rise, or is asked for.
func (p *parser) definition(asked string) *funct {
	t := p.next()
	switch name := strings.Trim(t.text, `"`); name {
	case "module", "builtin.module": // modules are brackets
		if t.is(`"builtin.module"`) {
			p.expect("(")
			p.expect(")")
		} else if strings.HasPrefix(p.here().text, "@") {
			p.next()
		}
		return nil
	case "}", "(", "{":
		return nil
	case ")":
		if p.here().is("{") { // attributes of a generic module
			p.skip()
		}
		return nil
	case "attributes", "loc":
		p.skip()
		return nil
	case ":": // of a generic module
		p.nothing()
		return nil
	case "func", "func.func", "builtin.func":
		if t.text[0] == '"' {
			return p.genericFunction(t, asked)
		}
		return p.function(t, asked)
	}
	if t.text != "" && strings.Contains("#!", t.text[:1]) && p.accept("=") { // of an attribute or a type: none is used here
		for !p.here().is(append(beginnings, "")...) && !p.tokens[p.pos+1].is("=") {
			p.next()
		}
		return nil
	}
	p.stop(t.span, "a function should be here, not %s", t.shown())
	return nil
}

// beginnings are words with which what stands in a file begins.
var beginnings = []string{"func", "func.func", "module", `"func"`, `"func.func"`, `"builtin.module"`}

// nothing reads () -> ().
func (p *parser) nothing() {
	for _, w := range []string{"(", ")", "->", "(", ")"} {
		p.expect(w)
	}
}

// skip reads brackets and what is in them; it tells whether that has operations of rise.
func (p *parser) skip() (rises bool) {
	depth := 0
	for {
		t := p.next()
		switch {
		case t.is("{", "(", "["):
			depth++
		case t.is("}", ")", "]"):
			depth--
		case t.is(""):
			p.stop(t.span, "a bracket is not closed")
		}
		rises = rises || strings.HasPrefix(strings.Trim(t.text, `"`), "rise.")
		if depth == 0 {
			return rises
		}
	}
}

// function reads func @name(%a: memref<4xf32>) {...}.
func (p *parser) function(first token, asked string) *funct {
	for p.here().is("private", "public") {
		p.next()
	}
	name := p.next()
	if !strings.HasPrefix(name.text, "@") {
		p.stop(name.span, "the name of a function should be here, not %s", name.shown())
	}
	fn := &funct{name: name.text[1:], at: name.span}
	start := p.pos
	p.skip()
	for !p.here().is("{", "func", "func.func", "}", "") { // results and attributes
		if p.here().is("(", "[") {
			p.skip()
		} else if p.next().is("attributes") {
			p.skip()
		}
	}
	if !p.here().is("{") {
		return nil // a declaration
	}
	if rises := p.skip(); asked != fn.name && (asked != "" || !rises) {
		return nil
	}
	end := p.pos
	p.pos = start
	params := p.params(true)
	if p.accept("->") {
		p.stop(p.here().span, "a function of rise returns nothing: rise.out writes")
	}
	for !p.here().is("{") {
		p.next()
		p.skip()
	}
	fn.body = p.region()
	fn.body.params = params
	if p.pos = end; len(p.errs) > 0 {
		p.pos = end
	}
	return fn
}

// genericFunction reads "func.func"() ({...}) {sym_name = "f"} : () -> ().
func (p *parser) genericFunction(first token, asked string) *funct {
	p.expect("(")
	p.expect(")")
	fn := &funct{at: first.span}
	if p.accept("<") {
		fn.name = p.symbol()
		p.expect(">")
	}
	p.expect("(")
	start := p.pos
	rises := p.skip()
	p.expect(")")
	if p.here().is("{") {
		fn.name = p.symbol()
	}
	p.expect(":")
	p.nothing()
	if asked != fn.name && (asked != "" || !rises) {
		return nil
	}
	end := p.pos
	p.pos = start
	fn.body = p.region()
	p.pos = end
	return fn
}

// symbol reads {sym_name = "f", ...} and returns f.
func (p *parser) symbol() (name string) {
	from := p.pos
	p.skip()
	for i := from; i+2 < p.pos; i++ {
		if p.tokens[i].is("sym_name") && p.tokens[i+1].is("=") {
			name = strings.Trim(p.tokens[i+2].text, `"`)
		}
	}
	return name
}

// params reads (%a: T, %b: T), with : or without.
func (p *parser) params(named bool) (out []param) {
	p.expect("(")
	for !p.accept(")") {
		if len(out) > 0 {
			p.expect(",")
		}
		t := p.next()
		if !strings.HasPrefix(t.text, "%") || len(t.text) == 1 {
			p.stop(t.span, "a parameter should be here, not %s", t.shown())
		}
		q := param{name: t}
		if p.accept(":") {
			q.typ = p.writtenType()
		}
		if named && p.here().is("{") { // attributes of an argument
			p.skip()
		}
		out = append(out, q)
	}
	return out
}

func (p *parser) writtenType() written {
	at := p.here().span
	t := p.typ()
	return written{t, p.since(at)}
}

// region reads {...}, with ^bb0(%a: T): in front of its operations, or without.
func (p *parser) region() *region {
	defer p.enter()()
	r := &region{at: p.here().span}
	p.expect("{")
	if strings.HasPrefix(p.here().text, "^") {
		p.next()
		if p.here().is("(") {
			r.params = p.params(false)
		}
		p.expect(":")
	}
	for !p.accept("}") {
		if p.here().is("") {
			p.stop(r.at, "{ is not closed")
		}
		r.ops = append(r.ops, p.operation())
	}
	return r
}

// operation reads one operation.
func (p *parser) operation() *operation {
	op := &operation{attrs: map[string]*attr{}}
	for strings.HasPrefix(p.here().text, "%") {
		op.results = append(op.results, p.name())
		if !p.accept(",") {
			p.expect("=")
			break
		}
	}
	t := p.next()
	op.at, op.name = t.span, strings.TrimPrefix(strings.Trim(t.text, `"`), "rise.")
	if t.text != "" && t.text[0] == '"' {
		op.generic = true
		p.genericOperation(op)
		return op
	}
	if t.text == "" || !isLetter(t.text[0]) {
		p.stop(t.span, "an operation should be here, not %s", t.shown())
	}
	p.pretty(op)
	return op
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

// genericOperation reads (%a, %b) ({...}) {n = ..} : (T, T) -> T.
func (p *parser) genericOperation(op *operation) {
	p.operandsIn(op)
	if p.accept("<") {
		p.dictionary(op)
		p.expect(">")
	}
	if p.accept("(") {
		for op.regions = append(op.regions, p.region()); p.accept(","); {
			op.regions = append(op.regions, p.region())
		}
		p.expect(")")
	}
	if p.here().is("{") {
		p.dictionary(op)
	}
	if !p.here().is(":") {
		p.fault(p.here().span, "bad-syntax", "the types of %s are missing", op.name)
		return
	}
	p.trailing(op)
}

// operandsIn reads (%a, %b).
func (p *parser) operandsIn(op *operation) {
	p.expect("(")
	for !p.accept(")") {
		if len(op.operands) > 0 {
			p.expect(",")
		}
		p.operand(op)
	}
}

// operand reads %a. A lone % is an operand of which the name is missing.
func (p *parser) operand(op *operation) {
	t := p.here()
	if !strings.HasPrefix(t.text, "%") {
		p.stop(t.span, "an operand should be here, not %s", t.shown())
	}
	op.operands = append(op.operands, p.name())
}

// name reads %a, or what should be one.
func (p *parser) name() token {
	t := p.next()
	switch {
	case len(t.text) == 1:
		p.fault(t.span, "bad-syntax", "a name follows %%")
	case strings.ContainsAny(t.text, "@&"):
		p.fault(t.span, "bad-syntax", "%s is no name: letters, digits, $ . _ - are of names", t.text)
	}
	return t
}

// dictionary reads {n = #rise.nat<4>, ...}.
func (p *parser) dictionary(op *operation) {
	p.expect("{")
	for !p.accept("}") {
		if len(op.attrs) > 0 {
			p.expect(",")
		}
		name := p.next()
		p.expect("=")
		if op.attrs[name.text] != nil {
			p.fault(name.span, "redefined-name", "%s has two attributes %s", op.name, name.text)
		}
		op.attrs[name.text] = p.attribute()
	}
}

// trailing reads : T, : (T, T) -> T, or nothing.
func (p *parser) trailing(op *operation) {
	if !p.accept(":") {
		return
	}
	list := func() (out []written) {
		if !p.accept("(") {
			return []written{p.writtenType()}
		}
		for !p.accept(")") {
			if len(out) > 0 {
				p.expect(",")
			}
			out = append(out, p.writtenType())
		}
		return out
	}
	for op.result = list(); p.accept(","); {
		op.result = append(op.result, list()...)
	}
	if p.accept("->") {
		op.arrow, op.types = true, op.result
		op.result = list()
	}
}

// pretty reads the rest of an operation whose name is no string.
func (p *parser) pretty(op *operation) {
	if scalars[scalarName(op.name)] != nil || op.name == "constant" || op.name == "arith.constant" {
		p.prettyScalar(op)
		return
	}
	if strings.HasPrefix(op.name, "codegen.") {
		p.operandsIn(op)
		return
	}
	switch op.name {
	case "affine.for":
		p.loop(op)
		return
	case "return":
		if p.here().is("(") { // return(%a) : (f32) -> ()
			p.operandsIn(op)
			break
		}
		fallthrough
	case "in", "apply":
		for strings.HasPrefix(p.here().text, "%") {
			if p.operand(op); !p.accept(",") {
				break
			}
		}
	case "out":
		p.operand(op)
		p.expect("<-")
		p.operand(op)
	case "lowering_unit":
		op.regions = append(op.regions, p.region())
	case "lambda":
		p.lambda(op)
		return
	case "embed":
		p.operandsIn(op)
		op.regions = append(op.regions, p.region())
	default:
		if patterns[op.name] == nil && op.name != "literal" {
			p.fault(op.at, "unsupported-op", "%s is not read%s", op.at.Text(), suggest(op.name, operations()))
			panic(stop{})
		}
		if p.here().is("{") {
			p.dictionary(op)
		}
		for strings.HasPrefix(p.here().text, "#") {
			op.order = append(op.order, p.attribute())
		}
	}
	p.trailing(op)
}

// loop reads %i = 0 to 4 {...}, of the intermediate form.
func (p *parser) loop(op *operation) {
	op.results = append(op.results, p.name())
	for !p.here().is("{", "") {
		p.next()
	}
	op.regions = append(op.regions, p.region())
}

// operations are those that are read.
func operations() []string {
	out := []string{"in", "out", "lowering_unit", "literal", "lambda", "apply", "embed", "return", "constant"}
	for name := range patterns {
		out = append(out, name)
	}
	for name := range scalars {
		out = append(out, name)
	}
	return out
}

// lambda reads (%x : T, ..) -> T {...}; of 2019 is (%x) : !rise.fun<..> {...}.
func (p *parser) lambda(op *operation) {
	params := p.params(false)
	var result *written
	if p.accept("->") {
		t := p.writtenType()
		result = &t
	} else if p.accept(":") {
		op.result = append(op.result, p.writtenType())
	}
	r := p.region()
	r.params, r.result = params, result
	op.regions = append(op.regions, r)
}

// prettyScalar reads %a, %b : T, a constant, a comparison, or a conversion %a : T to T.
func (p *parser) prettyScalar(op *operation) {
	switch name := scalarName(op.name); name {
	case "constant":
		a := &attr{span: p.here().span}
		a.value = p.decimal()
		op.order = append(op.order, a)
	case "cmpf", "cmpi":
		t := p.next()
		op.order = append(op.order, &attr{span: t.span, text: strings.Trim(t.text, `"`)})
		p.expect(",")
		fallthrough
	default:
		for {
			if p.operand(op); !p.accept(",") {
				break
			}
		}
	}
	p.trailing(op)
	if p.here().is("to") {
		p.next()
		op.arrow, op.types = true, op.result
		op.result = []written{p.writtenType()}
	}
}
