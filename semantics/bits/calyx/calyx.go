// Package calyx reads Calyx texts of one component whose wires are continuous and whose control is empty: cells of the library of
// primitives and what connects them.
//
//	calyx.go      Parse: components, ports, cells, wires
//	primitive.go  the table of primitives: parameters, pins, and what a cell is made of
package calyx

import (
	"math/big"
	"strings"

	"tv/internal/source"
	"tv/semantics/bits"
	"tv/semantics/bits/flow"
)

// A cell is an instance of a primitive.
type cell struct {
	name   string
	span   source.Span
	of     *primitive
	params []int
	inputs map[string]*wire
	values map[string]int // outputs
	number *big.Int       // of a constant
}

// A wire is what an assignment connects.
type wire struct {
	span   source.Span
	source source.Span
	value  int // of what is read; below 0: a constant
	width  int
}

type reader struct {
	*flow.Lexer
	p       *flow.Program
	cells   map[string]*cell
	order   []*cell
	inputs  map[string]int // values of the component's inputs
	outputs map[string]*wire
	reset   int // the value of the component's reset; below 0: it has none
	clock   string
}

// Parse reads a text.
func Parse(f *source.File) (*flow.Program, error) {
	r := &reader{Lexer: &flow.Lexer{File: f, Extra: "@", Marks: []string{"->", "=>", "==", "!=", "<=", ">="}}, p: &flow.Program{Name: f.Name},
		cells: map[string]*cell{}, inputs: map[string]int{}, outputs: map[string]*wire{}, reset: -1}
	if err := r.Next(); err != nil {
		return nil, err
	}
	for r.Is("import") {
		if err := r.Next(); err != nil {
			return nil, err
		}
		if r.Tok.Kind != flow.Text {
			return nil, r.Refused("the name of a library")
		}
		if err := r.Next(); err != nil {
			return nil, err
		}
		if err := r.Expect(";"); err != nil {
			return nil, err
		}
	}
	if r.Tok.Kind == flow.End {
		return nil, source.Errorf(source.Span{File: f}, "no-module", "the text has no component")
	}
	if err := r.component(); err != nil {
		return nil, err
	}
	if r.Tok.Kind != flow.End {
		if r.Is("component") {
			return nil, r.Errorf("unsupported", "a second component")
		}
		return nil, r.Refused("the end of the text")
	}
	if err := r.connect(); err != nil {
		return nil, err
	}
	return r.p, r.p.Ordered()
}

// attributes passes <"name"=1, ..>.
func (r *reader) attributes() error {
	if !r.Is("<") {
		return nil
	}
	for !r.Is(">") {
		if r.Tok.Kind == flow.End {
			return r.Refused(`">"`)
		}
		if err := r.Next(); err != nil {
			return err
		}
	}
	return r.Next()
}

func (r *reader) component() error {
	for _, word := range []string{"extern", "primitive", "comb", "static"} {
		if r.Is(word) {
			return r.Errorf("unsupported", "%s", word)
		}
	}
	if err := r.Expect("component"); err != nil {
		return err
	}
	if _, _, err := r.Name("the name of a component"); err != nil {
		return err
	}
	if err := r.attributes(); err != nil {
		return err
	}
	if err := r.ports(true); err != nil {
		return err
	}
	if err := r.Expect("->"); err != nil {
		return err
	}
	if err := r.ports(false); err != nil {
		return err
	}
	if err := r.Expect("{", "cells", "{"); err != nil {
		return err
	}
	for !r.Is("}") {
		if err := r.cell(); err != nil {
			return err
		}
	}
	if err := r.Expect("}", "wires", "{"); err != nil {
		return err
	}
	for !r.Is("}") {
		if err := r.wire(); err != nil {
			return err
		}
	}
	if err := r.Expect("}"); err != nil {
		return err
	}
	if ok, err := r.Accept("control"); err != nil {
		return err
	} else if ok {
		if err := r.Expect("{"); err != nil {
			return err
		}
		if !r.Is("}") {
			return r.Errorf("unsupported", "control that is not empty")
		}
		if err := r.Next(); err != nil {
			return err
		}
	}
	return r.Expect("}")
}

// ports reads (a: 8, @clk clk: 1).
func (r *reader) ports(in bool) error {
	if err := r.Expect("("); err != nil {
		return err
	}
	for n := 0; !r.Is(")"); n++ {
		if n > 0 {
			if err := r.Expect(","); err != nil {
				return err
			}
		}
		role := ""
		for r.Tok.Kind == flow.Word && r.Tok.Text[0] == '@' {
			role = r.Tok.Text
			if err := r.Next(); err != nil {
				return err
			}
			if r.Is("(") {
				for !r.Is(")") && r.Tok.Kind != flow.End {
					if err := r.Next(); err != nil {
						return err
					}
				}
				if err := r.Expect(")"); err != nil {
					return err
				}
			}
		}
		name, at, err := r.Name("a port")
		if err != nil {
			return err
		}
		if err := r.Expect(":"); err != nil {
			return err
		}
		where := r.Span()
		width, err := r.Int("a width")
		if err != nil {
			return err
		}
		if width < 1 || width > flow.MaxWidth {
			return source.Errorf(where, "ill-typed", "a width is 1 to %d", flow.MaxWidth)
		}
		if _, ok := r.inputs[name]; ok || r.outputs[name] != nil || name == r.clock {
			return source.Errorf(at, "syntax", "port %s is there twice", name)
		}
		port := bits.Port{Name: name, Width: width, Span: at}
		switch {
		case !in:
			r.p.Outputs = append(r.p.Outputs, flow.Output{Port: port, Value: -1})
			r.outputs[name] = &wire{value: -1}
		case role == "@clk":
			r.clock = name
		default:
			v := r.p.Add(flow.Value{Name: name, Width: width, Span: at})
			r.inputs[name] = v
			r.p.Inputs, r.p.Inner = append(r.p.Inputs, port), append(r.p.Inner, v)
			if role == "@reset" {
				r.reset = v
			}
		}
	}
	return r.Next()
}

// cell reads NAME = PRIMITIVE(NUMBER, ..);
func (r *reader) cell() error {
	for r.Tok.Kind == flow.Word && (r.Tok.Text[0] == '@' || r.Tok.Text == "ref") {
		if r.Is("ref") || r.Is("@external") {
			return r.Errorf("unsupported", "%s", r.Tok.Text)
		}
		if err := r.Next(); err != nil {
			return err
		}
		if ok, err := r.Accept("("); err != nil {
			return err
		} else if ok {
			if _, err := r.Int("a number"); err != nil {
				return err
			}
			if err := r.Expect(")"); err != nil {
				return err
			}
		}
	}
	name, at, err := r.Name("a cell")
	if err != nil {
		return err
	}
	if r.cells[name] != nil {
		return source.Errorf(at, "syntax", "cell %s is there twice", name)
	}
	if err := r.Expect("="); err != nil {
		return err
	}
	kind, where, err := r.Name("a primitive")
	if err != nil {
		return err
	}
	c := &cell{name: name, span: at, of: primitives[kind], inputs: map[string]*wire{}, values: map[string]int{}}
	if c.of == nil {
		if strings.Contains(kind, "mem") {
			return source.Errorf(where, "unsupported", "a memory: %s", kind)
		}
		return source.Errorf(where, "unknown-cell", "there is no primitive %s", kind)
	}
	if err := r.Expect("("); err != nil {
		return err
	}
	var value *big.Int
	for n := 0; !r.Is(")"); n++ {
		if n > 0 {
			if err := r.Expect(","); err != nil {
				return err
			}
		}
		here := r.Span()
		v, err := r.Big("a parameter")
		if err != nil {
			return err
		}
		if c.of.valued && n == 1 { // the number of a constant may be wide
			value = v
			c.params = append(c.params, 0)
			continue
		}
		if !v.IsInt64() || v.Sign() < 0 || v.Int64() > flow.MaxWidth {
			return source.Errorf(here, "illegal-configuration", "parameter %d of %s is %s", n+1, kind, v)
		}
		c.params = append(c.params, int(v.Int64()))
	}
	if len(c.params) != c.of.params {
		return source.Errorf(where, "unknown-parameter", "%s has %d parameters, and here %d", kind, c.of.params, len(c.params))
	}
	if err := r.Expect(")", ";"); err != nil {
		return err
	}
	if value != nil && (value.Sign() < 0 || value.BitLen() > c.params[0]) {
		return source.Errorf(where, "literal-width", "%s does not fit into %d bits", value, c.params[0])
	}
	if !c.of.legal(c.params) {
		return source.Errorf(where, "illegal-configuration", "%s of these parameters", kind)
	}
	r.cells[name] = c
	r.order = append(r.order, c)
	c.of.make(r, c, value)
	return nil
}

// wire reads CELL.PORT = CELL.PORT; names alone are ports of the component, and 8'd5 is a constant.
func (r *reader) wire() error {
	for _, word := range []string{"group", "comb", "static"} {
		if r.Is(word) {
			return r.Errorf("unsupported", "a group")
		}
	}
	start := r.Tok.Start
	name, at, err := r.Name("a port")
	if err != nil {
		return err
	}
	dot, err := r.Accept(".")
	if err != nil {
		return err
	}
	w := &wire{value: -1}
	var width int
	if dot {
		pin, where, err := r.Name("a port of a cell")
		if err != nil {
			return err
		}
		c := r.cells[name]
		if c == nil {
			return source.Errorf(at, "undriven", "there is no cell %s", name)
		}
		var ok bool
		if width, ok = c.of.inputs(c.params)[pin]; !ok {
			if _, out := c.values[pin]; out {
				return source.Errorf(where, "two-drivers", "%s.%s is an output of a cell", name, pin)
			}
			return source.Errorf(where, "unknown-pin", "%s has no port %s", name, pin)
		}
		if old := c.inputs[pin]; old != nil {
			return source.Errorf(where, "two-drivers", "%s.%s is driven here and at %s", name, pin, old.span.Position())
		}
		c.inputs[pin] = w
	} else {
		if r.outputs[name] == nil {
			return source.Errorf(at, "unknown-pin", "the component has no output %s", name)
		}
		if old := r.outputs[name]; old.span.File != nil {
			return source.Errorf(at, "two-drivers", "%s is driven here and at %s", name, old.span.Position())
		}
		for _, o := range r.p.Outputs {
			if o.Name == name {
				width = o.Width
			}
		}
		r.outputs[name] = w
	}
	w.span = r.From(start)
	if err := r.Expect("="); err != nil {
		return err
	}
	from := r.Tok.Start
	if r.Is("!") || r.Is("(") {
		return r.Errorf("unsupported", "a guard")
	}
	if err := r.read(w); err != nil {
		return err
	}
	w.source = r.From(from)
	for _, mark := range []string{"?", "&", "|", "==", "!=", "<", ">", "<=", ">="} {
		if r.Is(mark) {
			return r.Errorf("unsupported", "a guard")
		}
	}
	if w.width != width {
		return source.Errorf(w.source, "width", "this is %d wide, and %s %d", w.width, w.span.Text(), width)
	}
	return r.Expect(";")
}

// read reads what is on the right.
func (r *reader) read(w *wire) error {
	if r.Tok.Kind == flow.Number {
		return r.literal(w)
	}
	name, at, err := r.Name("a port or a constant")
	if err != nil {
		return err
	}
	dot, err := r.Accept(".")
	if err != nil {
		return err
	}
	if !dot {
		v, ok := r.inputs[name]
		switch {
		case name == r.clock:
			return source.Errorf(at, "unsupported", "the clock %s is read as data", name)
		case !ok:
			return source.Errorf(at, "undriven", "the component has no input %s", name)
		}
		w.value, w.width = v, r.p.Values[v].Width
		return nil
	}
	pin, where, err := r.Name("a port of a cell")
	if err != nil {
		return err
	}
	c := r.cells[name]
	if c == nil {
		return source.Errorf(at, "undriven", "there is no cell %s", name)
	}
	v, ok := c.values[pin]
	if !ok {
		return source.Errorf(where, "unknown-pin", "%s has no output %s", name, pin)
	}
	w.value, w.width = v, r.p.Values[v].Width
	return nil
}

// literal reads WIDTH'bDIGITS, with a base b, o, d or x.
func (r *reader) literal(w *wire) error {
	start := r.Tok.Start
	width, err := r.Int("a width")
	if err != nil {
		return err
	}
	if err := r.Expect("'"); err != nil {
		return err
	}
	// What follows is a word, which may begin with the base.
	text := r.Tok.Text
	if r.Tok.Kind != flow.Word || len(text) < 2 {
		return r.Refused("the digits of a constant")
	}
	base := map[byte]int{'b': 2, 'o': 8, 'd': 10, 'x': 16, 'h': 16}[text[0]]
	v, ok := new(big.Int).SetString(text[1:], max(base, 2))
	if base == 0 || !ok || v.Sign() < 0 {
		return r.Refused("the digits of a constant")
	}
	if err := r.Next(); err != nil {
		return err
	}
	switch {
	case width < 1 || width > flow.MaxWidth:
		return source.Errorf(r.From(start), "ill-typed", "a width is 1 to %d", flow.MaxWidth)
	case v.BitLen() > width:
		return source.Errorf(r.From(start), "literal-width", "%s does not fit into %d bits", v, width)
	}
	w.value = r.constant(width, v, r.From(start))
	w.width = width
	return nil
}

func (r *reader) constant(width int, v *big.Int, at source.Span) int {
	result := r.p.Add(flow.Value{Name: at.Text(), Width: width, Span: at})
	r.p.Ops = append(r.p.Ops, flow.Op{Kind: "std_const", Result: result, Consts: []*big.Int{v}, Span: at})
	return result
}

// connect gives cells what their inputs read.
func (r *reader) connect() error {
	var errs source.Errors
	for i := range r.p.Outputs {
		o := &r.p.Outputs[i]
		w := r.outputs[o.Name]
		if w.span.File == nil {
			errs = append(errs, source.Errorf(o.Span, "undriven", "output %s: nothing drives it", o.Name))
			continue
		}
		o.Value = w.value
	}
	if len(errs) > 0 {
		return errs
	}
	// What is read of cells is made of what drives these.
	done := map[*cell]bool{}
	var need func(v int) error
	owner := map[int]*cell{}
	for _, c := range r.order {
		for _, v := range c.values {
			owner[v] = c
		}
	}
	var pending []int
	need = func(v int) error {
		c := owner[v]
		if c == nil || done[c] {
			return nil
		}
		done[c] = true
		for _, name := range c.of.order {
			w := c.inputs[name]
			if w == nil {
				return source.Errorf(c.span, "undriven", "port %s of %s: nothing drives it", name, c.name)
			}
			pending = append(pending, w.value)
		}
		c.of.connect(r, c)
		return nil
	}
	for _, o := range r.p.Outputs {
		pending = append(pending, o.Value)
	}
	for len(pending) > 0 {
		v := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if err := need(v); err != nil {
			return err
		}
	}
	if len(r.p.Registers) > 0 {
		r.p.Clocked = r.clock
		if r.reset < 0 {
			r.p.Trusts = append(r.p.Trusts, "registers of Calyx start at 0, and are not reset later")
		}
	}
	return nil
}
