// Package yosys reads netlists in the JSON that Yosys writes, as the modules that their Verilog would have.
//
//	yosys.go     Parse: modules, ports, nets and cells
//	operator.go  Yosys' own cells ($add, $mux, $_AND_, $lut) as expressions
//	adder.go     those that add by carries or many at once ($alu, $macc), and that choose or join ($bmux, $_AOI3_)
//	register.go  its registers ($dff, $sdffe, $_DFF_P_), and what they hold first
//	json.go      JSON with the places of its values
//
// Nets are numbers there, and names belong to them: a bit of a port is that port's, any other is a wire of the first name that it has.
package yosys

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"tv/internal/source"
	"tv/semantics/bits/verilog"
)

// Parse reads a text. Modules that are black or white boxes are left out: they say of a cell what it looks like.
func Parse(f *source.File) (*verilog.File, error) {
	top, err := readJSON(f)
	if err != nil {
		return nil, err
	}
	modules := top.get("modules")
	if modules == nil || modules.kind != object {
		return nil, top.errorf("no-module", "the text has no modules")
	}
	out := &verilog.File{Source: f}
	for _, field := range modules.fields {
		m := &reader{of: field.value, nets: map[int]*verilog.Expr{},
			module: &verilog.Module{Name: field.name, Span: field.value.span}}
		if m.flag("blackbox") || m.flag("whitebox") || m.flag("lib_whitebox") {
			continue
		}
		m.module.Top = m.flag("top")
		if err := m.read(); err != nil {
			return nil, err
		}
		out.Modules = append(out.Modules, m.module)
	}
	if len(out.Modules) == 0 {
		return nil, modules.errorf("no-module", "the text has no module that is no box")
	}
	return out, nil
}

// reader reads a module.
type reader struct {
	of     *value
	module *verilog.Module
	nets   map[int]*verilog.Expr // what a net is called
	names  map[string]bool
	init   map[int]byte      // what the register that drives a net holds first: '0' or '1'
	pins   map[string]*value // of the cell at hand
}

// flag tells whether the module has an attribute that is not 0.
func (r *reader) flag(name string) bool {
	attributes := r.of.get("attributes")
	if attributes == nil {
		return false
	}
	v := attributes.get(name)
	return v != nil && strings.Trim(v.text, "0") != ""
}

func (r *reader) read() error {
	if memories := r.of.get("memories"); memories != nil && len(memories.fields) > 0 {
		return memories.errorf("unsupported", "a memory")
	}
	r.names, r.init = map[string]bool{}, map[int]byte{}
	if err := r.starts(); err != nil {
		return err
	}
	if err := r.ports(); err != nil {
		return err
	}
	if err := r.wires(); err != nil {
		return err
	}
	cells := r.of.get("cells")
	if cells == nil {
		return nil
	}
	for _, c := range cells.fields {
		if err := r.cell(c.name, c.value); err != nil {
			return err
		}
	}
	return nil
}

func ident(name string, span source.Span) *verilog.Expr {
	return &verilog.Expr{Kind: verilog.Ident, Text: name, Span: span}
}

func (r *reader) ports() error {
	ports := r.of.get("ports")
	if ports == nil {
		return nil
	}
	for _, p := range ports.fields {
		bits, direction := p.value.get("bits"), p.value.get("direction")
		if bits == nil || bits.kind != array || len(bits.list) == 0 || direction == nil {
			return p.value.errorf("syntax", "port %s has no bits or no direction", p.name)
		}
		d := verilog.Decl{Name: verilog.Name{Text: p.name, Span: p.value.span}, MSB: len(bits.list) - 1, Ranged: len(bits.list) > 1}
		switch direction.text {
		case "input":
			d.Dir = verilog.In
		case "output":
			d.Dir = verilog.Out
		default:
			return direction.errorf("unsupported", "a port of direction %s", direction.text)
		}
		if d.Width() > verilog.MaxWidth {
			return bits.errorf("unsupported", "a port of %d bits", d.Width())
		}
		r.names[p.name] = true
		r.module.Ports, r.module.Decls = append(r.module.Ports, d.Name), append(r.module.Decls, d)
		for i, b := range bits.list {
			here := ident(p.name, b.span)
			if d.Ranged {
				here = &verilog.Expr{Kind: verilog.Select, Args: []*verilog.Expr{here}, Hi: i, Lo: i, Span: b.span}
			}
			n, isNet := b.net()
			if isNet && r.nets[n] == nil {
				r.nets[n] = here
				continue
			}
			if d.Dir == verilog.In {
				return b.errorf("two-drivers", "bit %d of input %s is a constant or another input", i, p.name)
			}
			from, err := r.bit(b)
			if err != nil {
				return err
			}
			r.module.Assigns = append(r.module.Assigns, verilog.Assign{Left: here, Right: from, Span: b.span})
		}
	}
	return nil
}

// wires names the nets that are no bits of ports. Visible names go before hidden ones.
func (r *reader) wires() error {
	names := r.of.get("netnames")
	if names == nil {
		return nil
	}
	for _, hidden := range []bool{false, true} {
		for _, n := range names.fields {
			bits, hide := n.value.get("bits"), n.value.get("hide_name")
			if bits == nil || (hide != nil && hide.text == "1") != hidden {
				continue
			}
			for i, b := range bits.list {
				k, isNet := b.net()
				if !isNet || r.nets[k] != nil {
					continue
				}
				name := n.name
				if len(bits.list) > 1 {
					name = fmt.Sprintf("%s[%d]", n.name, i)
				}
				r.wire(k, name, n.value.span)
			}
		}
	}
	return nil
}

func (r *reader) wire(net int, name string, span source.Span) *verilog.Expr {
	if r.names[name] {
		name = fmt.Sprintf("%s$%d", name, net)
	}
	r.names[name] = true
	r.module.Decls = append(r.module.Decls, verilog.Decl{Name: verilog.Name{Text: name, Span: span}})
	r.nets[net] = ident(name, span)
	return r.nets[net]
}

// bit is the expression of a bit: a net or a constant.
func (r *reader) bit(b *value) (*verilog.Expr, error) {
	if n, ok := b.net(); ok {
		e := r.nets[n]
		if e == nil {
			e = r.wire(n, fmt.Sprintf("$%d", n), b.span)
		}
		at := *e
		at.Span = b.span
		return &at, nil
	}
	e := &verilog.Expr{Kind: verilog.Literal, Width: 1, Value: new(big.Int), Span: b.span}
	switch b.text {
	case "0":
	case "1":
		e.Value.SetInt64(1)
	case "x", "z":
		e.Unknown = big.NewInt(1)
	default:
		return nil, b.errorf("syntax", "a bit is a number of a net, or \"0\", \"1\", \"x\", \"z\"")
	}
	return e, nil
}

// word is the concatenation of bits, which are least first. All its bits that are x or z stand where the first of them does: they are one error.
func (r *reader) word(v *value) (*verilog.Expr, error) {
	if v.kind != array || len(v.list) == 0 {
		return nil, v.errorf("syntax", "bits are expected")
	}
	out := &verilog.Expr{Kind: verilog.Concat, Span: v.span}
	var unknown []*verilog.Expr
	for i := len(v.list) - 1; i >= 0; i-- {
		b, err := r.bit(v.list[i])
		if err != nil {
			return nil, err
		}
		out.Args = append(out.Args, b)
		if b.Unknown != nil {
			unknown = append(unknown, b)
		}
	}
	for _, b := range unknown {
		b.Span = unknown[len(unknown)-1].Span
	}
	return out, nil
}

// cell reads an instance of a primitive or module, or one of Yosys' own cells.
func (r *reader) cell(name string, c *value) error {
	typ := c.get("type")
	if typ == nil || typ.kind != text {
		return c.errorf("syntax", "cell %s has no type", name)
	}
	in := verilog.Instance{Type: verilog.Name{Text: typ.text, Span: typ.span}, Name: verilog.Name{Text: name, Span: c.span}, Span: c.span}
	if p := c.get("parameters"); p != nil {
		for _, f := range p.fields {
			e, err := parameter(f.value)
			if err != nil {
				return err
			}
			in.Params = append(in.Params, verilog.Connection{Name: verilog.Name{Text: f.name, Span: f.value.span}, Expr: e})
		}
	}
	r.pins = map[string]*value{}
	if p := c.get("connections"); p != nil {
		for _, f := range p.fields {
			r.pins[f.name] = f.value
			conn := verilog.Connection{Name: verilog.Name{Text: f.name, Span: f.value.span}}
			if f.value.kind == array && len(f.value.list) > 0 {
				e, err := r.word(f.value)
				if err != nil {
					return err
				}
				conn.Expr = e
			}
			in.Pins = append(in.Pins, conn)
		}
	}
	if strings.HasPrefix(typ.text, "$") {
		return r.operator(in)
	}
	r.module.Instances = append(r.module.Instances, in)
	return nil
}

// parameter reads a value: digits 0 and 1 (highest first) are a number, of 32 digits one without a width; any other text is a text, and
// one that looks like a number has a blank behind it.
func parameter(v *value) (*verilog.Expr, error) {
	e := &verilog.Expr{Kind: verilog.Literal, Span: v.span}
	switch {
	case v.kind == number:
		n, err := strconv.ParseInt(v.text, 10, 32)
		if err != nil {
			return nil, v.errorf("syntax", "a parameter is a text, or a number of 32 bits")
		}
		e.Value, e.Width, e.Unsized = big.NewInt(n), 32, true
		return e, nil
	case v.kind != text:
		return nil, v.errorf("syntax", "a parameter is a text, or a number of 32 bits")
	case v.text == "" || strings.Trim(v.text, "01xz") != "":
		e.Kind, e.Text = verilog.String, v.text
		if trimmed := strings.TrimRight(v.text, " "); trimmed != v.text && strings.Trim(trimmed, "01xz") == "" {
			e.Text = v.text[:len(v.text)-1]
		}
		return e, nil
	}
	e.Width, e.Unsized = len(v.text), len(v.text) == 32
	e.Value = new(big.Int)
	for i, c := range []byte(v.text) {
		bit := len(v.text) - 1 - i
		switch c {
		case '1':
			e.Value.SetBit(e.Value, bit, 1)
		case 'x', 'z':
			if e.Unknown == nil {
				e.Unknown = new(big.Int)
			}
			e.Unknown.SetBit(e.Unknown, bit, 1)
		}
	}
	return e, nil
}

// pin is a connection of an instance, or nil.
func pin(in verilog.Instance, name string) *verilog.Expr {
	i := slices.IndexFunc(in.Pins, func(c verilog.Connection) bool { return c.Text == name })
	if i < 0 {
		return nil
	}
	return in.Pins[i].Expr
}
