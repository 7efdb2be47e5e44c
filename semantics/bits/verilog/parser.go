package verilog

import (
	"math/big"
	"strconv"
	"strings"

	"tv/internal/source"
)

// MaxWidth bounds nets: a range of more is no netlist that can be meant.
const MaxWidth = 1 << 16

type parser struct {
	lexer
	tok      token
	literals map[string]*Expr // by their texts
	top      bool             // an attribute top stands before
	blocks   int              // generated, that are open
	genvars  []string         // of the module that is read
	calls    map[string]int   // of functions, in the module that is read
	model    bool             // it is a vendor's: delays are passed
	behaves  bool             // the module that is read has what no netlist has
}

// Parse reads a text.
func Parse(f *source.File) (*File, error) { return parse(f, false) }

// parse reads a text, or a vendor's model.
func parse(f *source.File, model bool) (*File, error) {
	p := &parser{lexer: lexer{file: f, s: f.Text}, model: model}
	p.pos = len(f.Text) - len(strings.TrimPrefix(f.Text, "\ufeff"))
	if err := p.advance(); err != nil {
		return nil, err
	}
	out := &File{Source: f}
	for p.tok.kind != end {
		if !p.keyword("module") {
			return nil, p.refused("a module")
		}
		m, err := p.module()
		if err != nil {
			return nil, err
		}
		for _, other := range out.Modules {
			if other.Name == m.Name {
				return nil, source.Errorf(m.Span, "syntax", "module %s is there twice", m.Name)
			}
		}
		out.Modules = append(out.Modules, m)
	}
	if len(out.Modules) == 0 {
		return nil, source.Errorf(source.Span{File: f}, "no-module", "the text has no module")
	}
	return out, nil
}

// advance reads the next token; attributes are passed, but for top.
func (p *parser) advance() error {
	for {
		t, err := p.next()
		if err != nil {
			return err
		}
		if t.kind != attribute {
			p.tok = t
			return nil
		}
		name, value, _ := strings.Cut(t.text, "=")
		if value = strings.TrimSpace(value); strings.TrimSpace(name) == "top" && value != "0" && value != `"0"` {
			p.top = true
		}
	}
}

func (p *parser) span() source.Span { return p.spanOf(p.tok) }

func (p *parser) spanOf(t token) source.Span {
	return source.Span{File: p.file, Start: t.start, End: t.end}
}

func (p *parser) keyword(s string) bool { return p.tok.kind == word && p.tok.text == s }
func (p *parser) is(s string) bool      { return p.tok.kind == mark && p.tok.text == s }

// keywords of constructs that netlists of this subset lack.
var keywords = map[string]bool{"always": true, "always_comb": true, "always_ff": true, "always_latch": true, "initial": true, "reg": true,
	"logic": true, "integer": true, "parameter": true, "localparam": true, "defparam": true, "function": true, "task": true,
	"generate": true, "genvar": true, "specify": true, "inout": true, "supply0": true, "supply1": true, "tri": true, "wand": true,
	"wor": true, "and": true, "or": true, "not": true, "nand": true, "nor": true, "xor": true, "xnor": true, "buf": true, "bufif0": true,
	"bufif1": true, "primitive": true, "real": true, "time": true, "for": true, "if": true, "case": true, "casez": true, "begin": true,
	"tri0": true, "tri1": true, "trireg": true, "event": true, "package": true, "interface": true, "class": true}

// reserved are the words that are no names.
var reserved = map[string]bool{"module": true, "endmodule": true, "input": true, "output": true, "wire": true, "assign": true, "signed": true,
	"end": true, "endcase": true, "else": true, "default": true, "endfunction": true, "endgenerate": true, "posedge": true, "negedge": true}

// refused says that something else was expected, or that what is there is not supported.
func (p *parser) refused(want string) error {
	switch {
	case p.tok.kind == end:
		return source.Errorf(p.span(), "syntax", "%s is expected, and the text ends", want)
	case p.tok.kind == word && keywords[p.tok.text]:
		return source.Errorf(p.span(), "unsupported", "%s", p.tok.text)
	}
	return source.Errorf(p.span(), "syntax", "%s is expected, and this is %q", want, p.span().Text())
}

func (p *parser) expect(s string) error {
	if !p.is(s) {
		return p.refused(strconv.Quote(s))
	}
	return p.advance()
}

func (p *parser) name(what string) (Name, error) {
	if p.tok.kind != escaped && (p.tok.kind != word || keywords[p.tok.text] || reserved[p.tok.text]) {
		return Name{}, p.refused(what)
	}
	n := Name{p.tok.text, p.span()}
	return n, p.advance()
}

func (p *parser) module() (*Module, error) {
	m := &Module{Top: p.top}
	p.top, p.behaves, p.calls = false, false, nil
	if err := p.advance(); err != nil {
		return nil, err
	}
	name, err := p.name("the name of a module")
	if err != nil {
		return nil, err
	}
	m.Name, m.Span = name.Text, name.Span
	if p.is("#") {
		if err := p.parameterPorts(m); err != nil {
			return nil, err
		}
	}
	if p.is("(") {
		if err := p.header(m); err != nil {
			return nil, err
		}
	}
	if err := p.expect(";"); err != nil {
		return nil, err
	}
	for !p.keyword("endmodule") {
		if err := p.item(m); err != nil {
			return nil, err
		}
	}
	p.genvars = nil
	m.Behaves, m.Calls = p.behaves, p.calls
	return m, p.advance()
}

// header reads the ports: names, or declarations, of which each holds until the next.
func (p *parser) header(m *Module) error {
	if err := p.advance(); err != nil {
		return err
	}
	var decl *Decl
	for !p.is(")") {
		if len(m.Ports) > 0 {
			if err := p.expect(","); err != nil {
				return err
			}
		}
		if p.keyword("input") || p.keyword("output") {
			d, err := p.declaration()
			if err != nil {
				return err
			}
			decl = &d
		}
		name, err := p.name("a port")
		if err != nil {
			return err
		}
		if decl != nil {
			d := *decl
			d.Name = name
			if p.is("=") {
				if d.Init, err = p.initial(d); err != nil {
					return err
				}
			}
			m.Decls = append(m.Decls, d)
		}
		m.Ports = append(m.Ports, name)
	}
	return p.advance()
}

// declaration reads what stands before the names.
func (p *parser) declaration() (d Decl, err error) {
	switch p.tok.text {
	case "input":
		d.Dir = In
	case "output":
		d.Dir = Out
	}
	if d.Dir != Wire {
		if err := p.advance(); err != nil {
			return d, err
		}
	}
	switch {
	case p.keyword("integer"), p.keyword("int"):
		d.Variable, d.Signed, d.Ranged, d.MSB = true, true, true, 31
		return d, p.advance()
	case p.keyword("reg"), p.keyword("logic") && d.Dir != In:
		d.Variable = true
		if err := p.advance(); err != nil {
			return d, err
		}
	case p.keyword("wire"), p.keyword("logic"):
		if err := p.advance(); err != nil {
			return d, err
		}
	}
	if p.keyword("signed") || p.keyword("unsigned") {
		d.Signed = p.keyword("signed")
		if err := p.advance(); err != nil {
			return d, err
		}
	}
	if !p.is("[") {
		return d, nil
	}
	at := p.span()
	if err := p.advance(); err != nil {
		return d, err
	}
	d.Ranged = true
	for i, bound := range []*int{&d.MSB, &d.LSB} {
		e, err := p.expr()
		if err != nil {
			return d, err
		}
		if *bound, err = intOf(e); err != nil {
			p.behaves = true
			d.Range[i] = e
		}
		if i == 0 {
			if err := p.expect(":"); err != nil {
				return d, err
			}
		}
	}
	for i, bound := range []int{d.MSB, d.LSB} {
		if d.Range[0] != nil || d.Range[1] != nil {
			if d.Range[i] == nil {
				d.Range[i] = &Expr{Kind: Literal, Width: 32, Unsized: true, Signed: true, Value: big.NewInt(int64(bound)), Span: at}
			}
			*[]*int{&d.MSB, &d.LSB}[i] = 0
		}
	}
	if d.Width() > MaxWidth {
		return d, source.Errorf(at, "unsupported", "a net of %d bits", d.Width())
	}
	if err := p.expect("]"); err != nil {
		return d, err
	}
	if p.is("[") {
		return d, source.Errorf(p.span(), "unsupported", "a packed array")
	}
	return d, nil
}

// intOf is a number as it is written, which may have a sign.
func intOf(e *Expr) (int, error) {
	switch {
	case e.Kind == Literal && e.Unknown == nil && e.Value.IsInt64() && e.Value.Int64() < 1<<30:
		return int(e.Value.Int64()), nil
	case e.Kind == Unary && e.Op == "-" && e.Args[0].Kind == Literal:
		n, err := intOf(e.Args[0])
		return -n, err
	}
	return 0, source.Errorf(e.Span, "unsupported", "an index that is not a number")
}

func (p *parser) item(m *Module) error {
	switch {
	case p.is(";"):
		return p.advance()
	case p.keyword("int"):
		at := len(m.Decls)
		err := p.declare(m)
		for i := at; i < len(m.Decls); i++ { // it has two values, and starts with 0
			if d := &m.Decls[i]; d.Init == nil {
				d.Init = &Expr{Kind: Literal, Width: 32, Unsized: true, Signed: true, Value: new(big.Int), Span: d.Span}
			}
		}
		p.behaves = true
		return err
	case p.keyword("input"), p.keyword("output"), p.keyword("wire"), p.keyword("reg"), p.keyword("logic"), p.keyword("integer"):
		return p.declare(m)
	case p.tok.kind == word && behaviour[p.tok.text] != nil:
		p.behaves = true
		return behaviour[p.tok.text](p, m)
	case p.keyword("assign"):
		if err := p.advance(); err != nil {
			return err
		}
		if err := p.delay(); err != nil {
			return err
		}
		for {
			left, err := p.primary()
			if err != nil {
				return err
			}
			if err := p.assignment(m, left); err != nil {
				return err
			}
			if !p.is(",") {
				return p.expect(";")
			}
			if err := p.advance(); err != nil {
				return err
			}
		}
	}
	return p.instances(m)
}

// assignment reads = and the right side.
func (p *parser) assignment(m *Module, left *Expr) error {
	if err := p.expect("="); err != nil {
		return err
	}
	right, err := p.expr()
	if err != nil {
		return err
	}
	m.Assigns = append(m.Assigns, Assign{left, right, joined(left.Span, right.Span)})
	return nil
}

func joined(a, b source.Span) source.Span {
	return source.Span{File: a.File, Start: a.Start, End: b.End}
}

func (p *parser) declare(m *Module) error {
	d, err := p.declaration()
	if err != nil {
		return err
	}
	for {
		if d.Name, err = p.name("the name of a net"); err != nil {
			return err
		}
		if p.is("[") {
			return source.Errorf(p.span(), "unsupported", "a memory")
		}
		one := d
		switch {
		case p.is("=") && d.Variable:
			if one.Init, err = p.initial(d); err != nil {
				return err
			}
		case p.is("="):
			if err := p.assignment(m, &Expr{Kind: Ident, Text: d.Text, Span: d.Span}); err != nil {
				return err
			}
		}
		m.Decls = append(m.Decls, one)
		if !p.is(",") {
			return p.expect(";")
		}
		if err := p.advance(); err != nil {
			return err
		}
	}
}

// instances reads TYPE #(parameters) NAME (pins), ...;
func (p *parser) instances(m *Module) error {
	typ, err := p.name("an item of a module")
	if err != nil {
		return err
	}
	var params []Connection
	if p.is("#") {
		if err := p.advance(); err != nil {
			return err
		}
		if params, err = p.connections("parameter"); err != nil {
			return err
		}
	}
	for {
		in := Instance{Type: typ, Params: params}
		if in.Name, err = p.name("the name of an instance"); err != nil {
			return err
		}
		if p.is("[") {
			return source.Errorf(p.span(), "unsupported", "an array of instances")
		}
		if in.Pins, err = p.connections("pin"); err != nil {
			return err
		}
		in.Span = joined(typ.Span, in.Name.Span)
		m.Instances = append(m.Instances, in)
		if !p.is(",") {
			return p.expect(";")
		}
		if err := p.advance(); err != nil {
			return err
		}
	}
}

func (p *parser) connections(what string) (out []Connection, err error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	for !p.is(")") {
		if len(out) > 0 {
			if err := p.expect(","); err != nil {
				return nil, err
			}
		}
		if !p.is(".") {
			if p.is("*") || p.is(",") {
				return nil, p.refused("a named " + what)
			}
			return nil, source.Errorf(p.span(), "unsupported", "a %s without its name", what)
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
		name, err := p.name("the name of a " + what)
		if err != nil {
			return nil, err
		}
		for _, c := range out {
			if c.Text == name.Text {
				code := "pin-twice"
				if what == "parameter" {
					code = "syntax"
				}
				return nil, source.Errorf(name.Span, code, "%s %s is there twice", what, name.Text)
			}
		}
		c := Connection{Name: name}
		if err := p.expect("("); err != nil {
			return nil, err
		}
		if !p.is(")") {
			if c.Expr, err = p.expr(); err != nil {
				return nil, err
			}
		}
		if err := p.expect(")"); err != nil {
			return nil, err
		}
		if out == nil {
			out = make([]Connection, 0, 6) // as many pins as most cells have
		}
		out = append(out, c)
	}
	return out, p.advance()
}
