package rise

import (
	"regexp"
	"strings"

	"tv/internal/source"
)

// The forms that operations have of their own, and functions around them.

// ownForm takes what stands behind the name of an operation.
func (p *operationParser) ownForm(o *operation) {
	switch family, name, _ := strings.Cut(o.name, "."); {
	case family == "arith":
		p.numbersForm(o, name)
	case o.name == "func.return":
		p.returnForm(o)
	case family != "rise":
		check(false, o.at, "unsupported-op", "the checker does not read %s here", o.name)
	case name == "return":
		p.returnForm(o)
	case name == "in":
		o.args = []source.Span{p.value()}
		p.typeForm(o)
	case name == "out":
		o.args = []source.Span{p.value()}
		p.Expect("<")
		p.Expect("-")
		o.args = append(o.args, p.value())
	case name == "lowering_unit":
		o.region = p.region(nil)
	case name == "lambda":
		p.lambdaForm(o)
	case name == "apply":
		for o.args = append(o.args, p.value()); p.accept(","); {
			o.args = append(o.args, p.value())
		}
		p.typeForm(o)
	case name == "embed":
		o.args = p.values("(", ")")
		o.region = p.region(nil)
		p.typeForm(o)
	default: // patterns, and literals
		for p.dictionary(o); p.sigil("#"); {
			o.listed = append(o.listed, p.attribute())
		}
		p.typeForm(o)
	}
}

// typeForm takes the type of the result, if it is written.
func (p *operationParser) typeForm(o *operation) {
	if p.accept(":") {
		o.written = p.noted()
	}
}

func (p *operationParser) returnForm(o *operation) {
	if p.sigil("%") {
		o.args = []source.Span{p.value()}
		p.Expect(":")
		o.operand = []*noted{p.noted()}
	}
}

// lambdaForm takes parameters, and the type of the result or that of the function.
func (p *operationParser) lambdaForm(o *operation) {
	params := p.parameters()
	if p.Expect("->", ":").Text() == ":" {
		o.written = p.noted()
	} else {
		o.attrs["to"] = &attribute{is: p.noted()}
	}
	o.region = p.region(append([]*named{}, params...))
}

// numbersForm takes what stands behind the name of an operation on numbers.
func (p *operationParser) numbersForm(o *operation, name string) {
	switch {
	case name == "constant":
		a := p.attribute()
		check(a.is != nil, a.at, "bad-syntax", "a number with its type")
		o.attrs["value"], o.written = a, a.is
		return
	case name == "cmpi", name == "cmpf":
		at := p.Next()
		o.attrs["predicate"] = &attribute{at: at, text: strings.Trim(at.Text(), `"`)}
		p.Expect(",")
	}
	for o.args = append(o.args, p.value()); p.accept(","); {
		o.args = append(o.args, p.value())
	}
	p.Expect(":")
	of := p.noted()
	o.written = of
	switch name {
	case "cmpi", "cmpf":
		o.written = &noted{of.at, truth, raw}
	case "select":
		o.operand = []*noted{{of.at, truth, raw}, of, of}
	}
	for len(o.operand) < len(o.args) {
		o.operand = append(o.operand, of)
	}
	check(len(o.operand) == len(o.args), o.at, "bad-syntax", "two numbers and a condition")
	if p.accept("to") {
		o.written = p.noted()
	}
}

// A function is one of a text with operations of rise.
type functionText struct {
	name   string
	at     source.Span
	types  []*noted // that an attribute says its parameters have
	region *region
}

// functions takes those of a text or of a module that have operations of rise; of the others it
// reads nothing.
func (p *operationParser) functions(end string) (out []*functionText) {
	defer p.deeper()()
	for !p.Is(end) {
		switch at := p.Peek(); {
		case p.sigil("#!"):
			p.alias()
		case p.sigil(`"`):
			out = append(out, p.anyFunction()...)
		default:
			p.Next()
			switch today(at.Text()) {
			case "builtin.module":
				if p.sigil("@") {
					p.Next()
				}
				p.attributes()
				p.Expect("{")
				out = append(out, p.functions("}")...)
				p.Expect("}")
			case "func.func":
				out = append(out, p.function(at)...)
			default:
				check(false, at, "unsupported-op", "%s outside of a function", at.Text())
			}
		}
	}
	return out
}

// alias skips the definition of one: what uses it is not read.
func (p *operationParser) alias() {
	p.Next()
	p.Expect("=")
	for p.Next(); !p.Is("", "func", "func.func", "module", "builtin.module"); p.Next() {
		if p.sigil(`#!"`) {
			return
		}
	}
}

func (p *operationParser) attributes() {
	if p.accept("attributes") {
		p.balanced("{", "}")
	}
}

// function takes what stands behind func, if there are operations of rise in it.
func (p *operationParser) function(at source.Span) (out []*functionText) {
	for p.Is("private", "public", "nested") {
		p.Next()
	}
	check(p.sigil("@"), p.Peek(), "bad-syntax", "expected the name of a function")
	f := &functionText{name: p.Next().Text()[1:], at: at}
	again := *p.Words
	p.balanced("(", ")")
	results := p.accept("->")
	if results && p.Is("(") {
		p.balanced("(", ")")
	} else if results {
		if p.Next(); p.Is("<") {
			p.balanced("<", ">")
		}
	}
	if p.attributes(); !p.Is("{") || !p.risesIn("{", "}") {
		return nil
	}
	*p.Words = again
	params := p.parameters()
	check(!results, at, "unsupported-op", "a function that returns values")
	p.attributes()
	f.region = p.region(append([]*named{}, params...))
	return append(out, f)
}

var rising = regexp.MustCompile(`\brise\.`)

// risesIn skips a bracket, and reports whether there are operations of rise in it.
func (p *operationParser) risesIn(first, last string) bool {
	from := p.Peek()
	p.balanced(first, last)
	return rising.MatchString(from.File.Text[from.Start:p.Peek().Start])
}

// anyFunction takes an operation outside of functions in the form that all have.
func (p *operationParser) anyFunction() (out []*functionText) {
	at := p.Next()
	name := today(strings.Trim(at.Text(), `"`))
	check(name == "func.func" || name == "builtin.module", at, "unsupported-op",
		"%s outside of a function", at.Text())
	p.Expect("(")
	p.Expect(")")
	o := &operation{attrs: map[string]*attribute{}}
	again := *p.Words
	if p.accept("<") {
		p.balanced("{", "}")
		p.Expect(">")
	}
	rises := p.risesIn("(", ")")
	if name == "builtin.module" {
		*p.Words = again
		if p.accept("<") {
			p.balanced("{", "}")
			p.Expect(">")
		}
		p.Expect("(")
		p.Expect("{")
		out = p.functions("}")
		p.Expect("}")
		p.Expect(")")
	} else if rises {
		*p.Words = again
		if p.accept("<") {
			p.dictionary(o)
			p.Expect(">")
		}
		p.Expect("(")
		f := &functionText{at: at, region: p.region(nil)}
		p.Expect(")")
		p.dictionary(o)
		for _, name := range []string{"type", "function_type"} {
			if a := o.attrs[name]; a != nil {
				f.types = a.types
				check(len(a.types) == len(f.region.params), a.at, "wrong-arity",
					"as many types as parameters")
			}
		}
		if a := o.attrs["sym_name"]; a != nil {
			f.name = a.text
		}
		out = append(out, f)
	}
	if p.Is("{") {
		p.balanced("{", "}")
	}
	for _, word := range []string{":", "(", ")", "->", "(", ")"} {
		p.Expect(word)
	}
	return out
}
