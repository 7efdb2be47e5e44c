package mlir

import (
	"strconv"
	"strings"

	"tv/internal/source"
)

// An operation is one of the text, in either syntax, with its operands in the order that the
// generic syntax has them in.
type operation struct {
	name    string
	args    []*value
	results []*value
	attrs   map[string]*attribute
	regions []*region
	callee  *operation // of a call, the function as no other call has it
	at      source.Span
}

// A region is a block of operations.
type region struct {
	params []*value
	body   []*operation
}

// functions reads a text: its functions that have a body.
func (p *parser) functions() (out []*operation) {
	p.scopes = []map[string]*value{{}}
	for p.rest() != "" {
		if o := p.toplevel(); o != nil {
			out = append(out, o.functions()...)
		}
	}
	return out
}

func (o *operation) functions() (out []*operation) {
	if o.name == "func.func" && len(o.regions) > 0 && len(o.regions[0].body) > 0 {
		return []*operation{o}
	}
	check(o.name == "func.func" || o.name == "builtin.module", o.at, "unsupported-op",
		"%s outside of a function", o.name)
	for _, r := range o.regions {
		for _, x := range r.body {
			out = append(out, x.functions()...)
		}
	}
	return out
}

// toplevel reads the definition of an alias, resources, or an operation.
func (p *parser) toplevel() *operation {
	at := p.here()
	switch {
	case p.is("#"):
		name := p.id("#")
		check(p.maps[name] == nil && !p.skipped[name], at, "redefined-name", "#%s again", name)
		p.want("=")
		if a := p.attribute(); a.m != nil {
			p.maps[name] = a.m
		} else {
			p.skipped[name] = true
		}
		return nil
	case p.is("!"):
		name := p.id("!")
		_, again := p.types[name]
		check(!again, at, "redefined-name", "!%s again", name)
		p.want("=")
		p.types[name] = p.typ()
		return nil
	}
	return p.operation()
}

// scope opens one, and returns what closes it.
func (p *parser) scope() func() {
	p.scopes = append(p.scopes, map[string]*value{})
	return func() { p.scopes = p.scopes[:len(p.scopes)-1] }
}

// define makes a value of a name, which is not seen yet.
func (p *parser) define(name string, t typ, at source.Span) *value {
	for _, s := range p.scopes {
		check(s[name] == nil, at, "redefined-name", "%%%s is defined twice", name)
	}
	v := &value{name: name, typ: t, at: at}
	p.scopes[len(p.scopes)-1][name] = v
	return v
}

// operand reads the use of a value.
func (p *parser) operand() *value {
	at := p.here()
	name := p.id("%")
	if strings.HasPrefix(p.file.Text[p.at:], "#") {
		p.at++
		if k := p.number().String(); k != "0" {
			name += "#" + k
		}
	}
	for _, s := range p.scopes {
		if v := s[name]; v != nil {
			v.uses++
			return v
		}
	}
	refuse(at, "unbound-name", "%%%s is not defined", name)
	return nil
}

// operands reads uses with commas between them, if any are there.
func (p *parser) operands() (out []*value) {
	if !p.is("%") {
		return nil
	}
	for out = append(out, p.operand()); p.accept(","); {
		out = append(out, p.operand())
	}
	return out
}

func (p *parser) operandList(open, end string) (out []*value) {
	p.list(open, end, func() { out = append(out, p.operand()) })
	return out
}

// typed holds a value against a type that the text gives it.
func (p *parser) typed(v *value, t typ, at source.Span) {
	check(v.typ.text == t.text, at, "type-mismatch", "%%%s is of another type: %s", v.name,
		v.typ.text)
}

// operation reads one, with the names of its results.
func (p *parser) operation() *operation {
	defer p.deeper()()
	type name struct {
		text  string
		count int
		at    source.Span
	}
	var names []name
	start := p.at
	for p.is("%") {
		n := name{at: p.here(), count: 1}
		if n.text = p.id("%"); p.accept(":") {
			k := p.number()
			check(k.IsInt64() && k.Sign() > 0 && k.Int64() < 1<<10, n.at, "bad-syntax",
				"a number of results")
			n.count = int(k.Int64())
		}
		if names = append(names, n); !p.accept(",") {
			p.want("=")
		}
	}
	o := &operation{at: p.here(), attrs: map[string]*attribute{}}
	var types []typ
	if p.is(`"`) {
		types = p.generic(o)
	} else {
		types = p.custom(o)
	}
	if p.accept("loc") {
		p.balanced()
	}
	if a := o.attrs["sym_name"]; o.name == "func.func" && a != nil && p.starts != nil {
		p.starts[a.symbol()] = start
	}
	for _, n := range names {
		for k := range n.count {
			check(len(types) > 0, n.at, "bad-syntax", "%s has fewer results", o.name)
			text := n.text
			if k > 0 {
				text += "#" + strconv.Itoa(k)
			}
			v := p.define(text, types[0], n.at)
			v.by, types, o.results = o, types[1:], append(o.results, v)
		}
	}
	check(len(types) == 0 || len(names) == 0, o.at, "bad-syntax", "%s has more results", o.name)
	for range types { // those without a name
		o.results = append(o.results, &value{typ: types[len(o.results)], at: o.at, by: o})
	}
	return o
}

// old are operations whose dialects had no names.
var old = map[string]string{
	"func": "func.func", "return": "func.return", "call": "func.call", "module": "builtin.module",
	"alloc": "memref.alloc", "alloca": "memref.alloca", "dealloc": "memref.dealloc",
	"dim": "memref.dim", "load": "memref.load", "store": "memref.store", "copy": "memref.copy"}

// dialect is the name of an operation with that of its dialect.
func dialect(name string) string {
	if full, ok := old[name]; ok {
		return full
	}
	if !strings.Contains(name, ".") {
		return "arith." + name
	}
	return name
}

// generic reads an operation in the syntax that all have.
func (p *parser) generic(o *operation) (types []typ) {
	o.name = dialect(strings.Trim(p.match(quoted), `"`))
	if p.is("(") {
		o.args = p.operandList("(", ")")
	}
	check(!p.is("["), p.here(), "unsupported-op", "a branch to a block")
	if p.accept("<") {
		p.dictionary(o.attrs)
		p.want(">")
	}
	if p.is("(") {
		p.list("(", ")", func() { o.regions = append(o.regions, p.region(nil)) })
	}
	p.dictionary(o.attrs)
	p.want(":")
	at, k := p.here(), 0
	p.list("(", ")", func() {
		at := p.here()
		t := p.typ()
		check(k < len(o.args), at, "bad-syntax", "more types than operands")
		p.typed(o.args[k], t, at)
		k++
	})
	check(k == len(o.args), at, "bad-syntax", "fewer types than operands")
	p.want("->")
	types = p.results()
	for from, to := range renamed {
		if a := o.attrs[from]; a != nil {
			o.attrs[to] = a
		}
	}
	return types
}

// renamed are attributes that versions name differently.
var renamed = map[string]string{"lower_bound": "lower", "lowerBoundMap": "lower",
	"upper_bound": "upper", "upperBoundMap": "upper",
	"operand_segment_sizes": "operandSegmentSizes"}

// region reads a block between braces. Its parameters are given, or stand in front.
func (p *parser) region(given func() []*value) *region {
	defer p.deeper()()
	defer p.scope()()
	r := &region{}
	if given != nil {
		r.params = given()
	}
	p.want("{")
	if p.is("^") {
		at := p.here()
		check(given == nil, at, "unsupported-op", "a block with a name")
		if p.id("^"); p.is("(") {
			r.params = p.parameters()
		}
		p.want(":")
	}
	for !p.accept("}") {
		check(!p.is("^"), p.here(), "unsupported-op", "more than one block")
		check(p.rest() != "", p.here(), "bad-syntax", "the text ends here")
		r.body = append(r.body, p.operation())
	}
	return r
}

// parameters reads names with their types in parentheses.
func (p *parser) parameters() (out []*value) {
	p.list("(", ")", func() {
		at := p.here()
		name := p.id("%")
		p.want(":")
		v := p.define(name, p.typ(), at)
		if out = append(out, v); p.is("{") {
			p.balanced()
		}
		if p.accept("loc") {
			p.balanced()
		}
	})
	return out
}

// function reads what stands behind func.func, or module.
func (p *parser) function(o *operation) {
	for p.is("private") || p.is("public") || p.is("nested") {
		p.word()
	}
	check(p.is("@"), p.here(), "bad-syntax", "expected a name")
	o.attrs["sym_name"] = p.attribute()
	at := p.here()
	before := p.scopes // which are not seen from inside
	p.scopes = []map[string]*value{{}}
	defer func() { p.scopes = before }()
	if p.declared() {
		return
	}
	var results []typ
	r := p.region(func() []*value {
		params := p.parameters()
		if p.accept("->") {
			if p.is("(") {
				p.list("(", ")", func() {
					if results = append(results, p.typ()); p.is("{") {
						p.balanced()
					}
				})
			} else {
				results = p.results()
			}
		}
		p.attributes(o)
		return params
	})
	o.regions = []*region{r}
	check(len(r.body) > 0, at, "bad-syntax", "a function without an end")
	last := r.body[len(r.body)-1]
	check(last.name == "func.return" && len(last.args) == len(results), last.at, "bad-syntax",
		"a function returns %d values", len(results))
	for i, t := range results {
		p.typed(last.args[i], t, last.at)
	}
}

// declared skips a function without a body, if it is one.
func (p *parser) declared() bool {
	at := p.at
	p.balanced()
	if p.accept("->") {
		if p.is("(") {
			p.balanced()
		} else {
			p.typ()
		}
	}
	if p.accept("attributes") {
		p.balanced()
	}
	if p.is("{") {
		p.at = at
		return false
	}
	return true
}

// attributes reads those that follow a word.
func (p *parser) attributes(o *operation) {
	if p.accept("attributes") {
		p.dictionary(o.attrs)
	}
}
