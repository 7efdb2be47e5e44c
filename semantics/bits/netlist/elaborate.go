package netlist

import (
	"slices"
	"strings"

	"tv/internal/source"
	"tv/semantics/bits"
	"tv/semantics/bits/cells"
	"tv/semantics/bits/verilog"
)

// Options say what the text leaves open.
type Options = bits.Options

// maxBits bounds a netlist.
const maxBits = 1 << 24

// elaborator flattens a file.
type elaborator struct {
	*Netlist
	file    *verilog.File
	modules map[string]*verilog.Module
	models  map[operation]*cells.Model
	active  []*verilog.Module
	errs    source.Errors
}

// scope is an instance of a module.
type scope struct {
	*elaborator
	module    *verilog.Module
	path      string
	signals   map[string]*signal
	frame     map[string]*signal       // variables of a function, block or loop
	generated bool                     // it is a block of one
	inner     []*scope                 // that are generated, in the order of the text
	decls     map[string]*verilog.Decl // ports
}

// Elaborate flattens the modules of a file. Errors are source.Errors.
func Elaborate(f *verilog.File, o Options) (*Netlist, error) {
	e := &elaborator{Netlist: &Netlist{Name: f.Source.Name, blocks: map[int32]*verilog.Always{}}, file: f, modules: map[string]*verilog.Module{},
		models: map[operation]*cells.Model{}}
	for _, m := range f.Modules {
		e.modules[m.Name] = m
		for _, a := range cells.Arches {
			if cells.Find(a, m.Name) != nil && !slices.ContainsFunc(e.Warnings, func(w *source.Error) bool { return w.Span == m.Span }) {
				e.Warnings = append(e.Warnings, source.Errorf(m.Span, "module-wins", "%s is this module, not the cell of that name", m.Name))
			}
		}
	}
	top, err := e.top(o.Top)
	if err != nil {
		return nil, err
	}
	e.Top = top.Name
	if e.Arch, err = e.architecture(o.Arch, top); err != nil {
		return nil, err
	}
	s, err := e.enter(top, "", nil)
	if err != nil {
		return nil, err
	}
	for _, name := range top.Ports {
		d := s.decls[name.Text]
		sig := s.signals[name.Text]
		p := Port{bits.Port{Name: name.Text, Width: len(sig.bits), Span: d.Span}, sig.bits}
		if d.Dir == verilog.In {
			for i, b := range sig.bits {
				if err := e.drive(b, input, int32(len(e.Inputs)), int32(i), d.Span); err != nil {
					return nil, err
				}
			}
			e.Inputs = append(e.Inputs, p)
		} else {
			e.Outputs = append(e.Outputs, p)
		}
	}
	if err := s.items(); err != nil {
		return nil, err
	}
	if len(e.errs) > 0 {
		return nil, sorted(e.errs)
	}
	if err := e.finish(o.Clock); err != nil {
		return nil, err
	}
	return e.Netlist, nil
}

// top finds the module that the netlist is.
func (e *elaborator) top(name string) (*verilog.Module, error) {
	used := map[string]bool{}
	var marked, roots []*verilog.Module
	for _, m := range e.file.Modules {
		for _, b := range m.Blocks() {
			for i := range b.Instances {
				used[b.Instances[i].Type.Text] = true
			}
		}
	}
	for _, m := range e.file.Modules {
		if m.Name == name {
			return m, nil
		}
		if m.Top {
			marked = append(marked, m)
		}
		if !used[m.Name] {
			roots = append(roots, m)
		}
	}
	if len(marked) > 0 {
		roots = marked
	}
	var names []string
	for _, m := range roots {
		names = append(names, m.Name)
	}
	where := source.Span{File: e.file.Source}
	switch {
	case name != "":
		return nil, source.Errorf(where, "top-unknown", "the text has no module %s", name)
	case len(roots) == 0:
		return nil, source.Errorf(where, "top-unknown", "each module is a part of another")
	case len(roots) > 1:
		return nil, source.Errorf(roots[1].Span, "top-unknown", "--top says which module is meant: %s", strings.Join(names, ", "))
	}
	return roots[0], nil
}

// enter declares the nets of an instance of a module.
func (e *elaborator) enter(m *verilog.Module, path string, given map[string]parameter) (*scope, error) {
	s := &scope{elaborator: e, module: m, path: path, signals: map[string]*signal{}, decls: map[string]*verilog.Decl{}}
	ports := map[string]bool{}
	for _, p := range m.Ports {
		if ports[p.Text] {
			return nil, source.Errorf(p.Span, "syntax", "port %s is there twice", p.Text)
		}
		ports[p.Text] = true
	}
	if err := s.declared(given, ports); err != nil {
		return nil, err
	}
	for _, p := range m.Ports {
		if s.decls[p.Text] == nil {
			return nil, source.Errorf(p.Span, "syntax", "port %s is not declared", p.Text)
		}
	}
	return s, nil
}

// declared makes the parameters and nets of an instance, or of a block that hides what its module has of the same names.
func (s *scope) declared(given map[string]parameter, ports map[string]bool) error {
	e, m, path := s.elaborator, s.module, s.path
	if err := s.parameters(given); err != nil {
		return err
	}
	wires, own := map[string]bool{}, map[string]*signal{}
	for i := range m.Params {
		own[m.Params[i].Text] = s.signals[m.Params[i].Text]
	}
	for i := range m.Decls {
		d, err := s.resolved(&m.Decls[i])
		if err != nil {
			return err
		}
		if d.Dir != verilog.Wire {
			if !ports[d.Text] {
				return source.Errorf(d.Span, "syntax", "%s is no port of %s", d.Text, m.Name)
			}
			if s.decls[d.Text] != nil {
				return source.Errorf(d.Span, "syntax", "port %s is declared twice", d.Text)
			}
			s.decls[d.Text] = d
		} else if wires[d.Text] {
			return source.Errorf(d.Span, "syntax", "%s is declared twice", d.Text)
		} else {
			wires[d.Text] = true
		}
		if old := own[d.Text]; old != nil { // a port and its wire
			if len(old.bits) != d.Width() || old.lsb != d.LSB || old.ranged != d.Ranged {
				return source.Errorf(d.Span, "width", "%s has another range at %s", d.Text, old.span.Position())
			}
			old.signed, old.variable = old.signed || d.Signed, old.variable || d.Variable
			continue
		}
		if len(e.nets)+d.Width() > maxBits {
			return source.Errorf(d.Span, "unsupported", "a netlist of more than %d nets", maxBits)
		}
		sig := &signal{name: path + d.Text, span: d.Span, lsb: d.LSB, ascending: d.MSB < d.LSB, signed: d.Signed, ranged: d.Ranged, variable: d.Variable}
		e.declare(sig, d.Width())
		s.signals[d.Text], own[d.Text] = sig, sig
	}
	return nil
}

// items connects what a module has. Errors of single items are gathered.
func (s *scope) items() error {
	m := s.module
	if slices.Contains(s.active, m) {
		return source.Errorf(m.Span, "unsupported", "module %s is a part of itself", m.Name)
	}
	s.active = append(s.active, m)
	names := map[string]bool{}
	for i := range m.Instances {
		in := &m.Instances[i]
		if names[in.Name.Text] {
			s.note(source.Errorf(in.Name.Span, "syntax", "instance %s is there twice", in.Name.Text))
		}
		names[in.Name.Text] = true
		var err error
		if child := s.modules[in.Type.Text]; child != nil {
			err = s.submodule(in, child)
		} else {
			err = s.cell(in)
		}
		s.note(err)
		if len(s.errs) > maxErrors {
			return sorted(s.errs)
		}
	}
	for i := range m.Assigns {
		s.note(s.assign(&m.Assigns[i]))
		if len(s.errs) > maxErrors {
			return sorted(s.errs)
		}
	}
	for _, g := range m.Generates {
		s.note(s.generate(g))
		if len(s.errs) > maxErrors {
			return sorted(s.errs)
		}
	}
	if !s.generated {
		s.behaviour()
	}
	s.active = s.active[:len(s.active)-1]
	return nil
}

// maxErrors bounds how many are said of one text.
const maxErrors = 20

func (e *elaborator) note(err error) {
	if err != nil {
		e.errs = append(e.errs, source.AsErrors(err)...)
	}
}

// submodule connects a module of the text.
func (s *scope) submodule(in *verilog.Instance, m *verilog.Module) error {
	given, err := s.overrides(in, m)
	if err != nil {
		return err
	}
	child, err := s.enter(m, s.path+in.Name.Text+".", given)
	if err != nil {
		return err
	}
	for _, c := range in.Pins {
		d := child.decls[c.Text]
		if d == nil {
			return source.Errorf(c.Span, "unknown-pin", "module %s has no port %s", m.Name, c.Text)
		}
		if c.Expr == nil {
			continue
		}
		inner := child.signals[c.Text].bits
		if d.Dir == verilog.Out {
			outer, err := s.lvalue(c.Expr)
			if err != nil {
				return err
			}
			if err := widths(c, len(outer), len(inner)); err != nil {
				return err
			}
			for i, b := range outer {
				if err := s.drive(b, alias, int32(inner[i]), 0, c.Expr.Span); err != nil {
					return err
				}
			}
			continue
		}
		outer, err := s.pin(c, len(inner))
		if err != nil {
			return err
		}
		for i, b := range inner {
			if err := s.drive(b, alias, int32(outer[i]), 0, c.Expr.Span); err != nil {
				return err
			}
		}
	}
	return child.items()
}

func widths(c verilog.Connection, got, want int) error {
	if got != want {
		return source.Errorf(c.Expr.Span, "width", "%s is %d wide, and this %d", c.Text, want, got)
	}
	return nil
}

// cell connects a primitive.
func (s *scope) cell(in *verilog.Instance) error {
	c := cells.Find(s.Arch, in.Type.Text)
	if c == nil { // of an instance that was not asked about: there is none
		return source.Errorf(in.Type.Span, "unknown-cell", "%s is no module of this text and no cell", in.Type.Text)
	}
	values := map[string]cells.Value{}
	spans := map[string]source.Span{}
	for _, p := range in.Params {
		if c.Ignores(p.Text) {
			continue
		}
		v, err := s.cellValue(p)
		if err != nil {
			return err
		}
		values[p.Text], spans[p.Text] = v, p.Span
		if p.Expr != nil {
			spans[p.Text] = p.Expr.Span
		}
	}
	model, err := c.Configure(values)
	if err != nil {
		wrong := err.(*cells.Error)
		span := in.Span
		if at, ok := spans[wrong.Param]; ok {
			span = at
		}
		return source.Errorf(span, wrong.Code, "%s", wrong.Text)
	}
	out := Instance{Name: s.path + in.Name.Text, Span: in.Span, Model: model, In: make([]Bit, cells.Width(model.Inputs)),
		Out: make([]Bit, cells.Width(model.Outputs)), params: values, open: map[string]bool{}, place: func(pin string) source.Span { return place(in, pin) }}
	for i := range out.Out {
		out.Out[i] = Open
	}
	at := 0
	for _, p := range model.Inputs {
		out.open[p.Name] = true
		for i := range p.Width {
			out.In[at+i] = Open
			if p.Default != nil {
				out.In[at+i] = Bit(p.Default.Bit(i))
			}
		}
		at += p.Width
	}
	for _, conn := range in.Pins {
		if c.Ignores(conn.Text) {
			continue
		}
		if p := c.Input(conn.Text); p != nil {
			if conn.Expr == nil {
				continue
			}
			delete(out.open, p.Name)
			from, err := s.pin(conn, p.Width)
			if err != nil {
				return err
			}
			copy(out.In[cells.Offset(model.Inputs, p.Name):], from)
			continue
		}
		p := c.Output(conn.Text)
		if p == nil {
			return source.Errorf(conn.Span, "unknown-pin", "%s has no pin %s", c.Name, conn.Text)
		}
		if conn.Expr == nil {
			continue
		}
		to, err := s.lvalue(conn.Expr)
		if err != nil {
			return err
		}
		if err := widths(conn, len(to), p.Width); err != nil {
			return err
		}
		at := cells.Offset(model.Outputs, p.Name)
		copy(out.Out[at:], to)
		// Operations in connections of inputs are instances too, so this one's place is not yet known.
	}
	index := int32(len(s.Instances))
	for at, b := range out.Out {
		if b == Open {
			continue
		}
		pin, _ := outputOf(model, at)
		kind := output
		if model.Of[at] < 0 {
			kind = unmodelled
		}
		if err := s.drive(b, kind, index, int32(at), place(in, pin.Name)); err != nil {
			return err
		}
	}
	s.Instances = append(roomy(s.Instances, 1), out)
	return nil
}

// outputOf is the pin that bit at of the outputs belongs to.
func outputOf(m *cells.Model, at int) (cells.Pin, int) {
	for _, p := range m.Outputs {
		if at < p.Width {
			return p, at
		}
		at -= p.Width
	}
	panic("netlist: no such bit of the outputs")
}

// place is where a pin is connected, or the instance where it is not.
func place(in *verilog.Instance, pin string) source.Span {
	for _, c := range in.Pins {
		if c.Text == pin && c.Expr != nil {
			return c.Expr.Span
		}
	}
	return in.Span
}

// assign drives the left side. Verilog extends or cuts the right one.
func (s *scope) assign(a *verilog.Assign) error {
	left, err := s.lvalue(a.Left)
	if err != nil {
		return err
	}
	width, signed, err := s.size(a.Right)
	if err != nil {
		return err
	}
	right, err := s.value(a.Right, max(width, len(left)), signed)
	if err != nil {
		return err
	}
	for i, b := range left {
		if err := s.drive(b, alias, int32(right[i]), 0, a.Left.Span); err != nil {
			return err
		}
	}
	return nil
}

// lvalue are the nets that an expression names, least first.
func (s *scope) lvalue(e *verilog.Expr) ([]Bit, error) {
	switch e.Kind {
	case verilog.Ident, verilog.Select, verilog.Index, verilog.Part, verilog.PartUp, verilog.PartDown:
		return s.named(e)
	case verilog.Concat:
		var out []Bit
		for i := len(e.Args) - 1; i >= 0; i-- {
			part, err := s.lvalue(e.Args[i])
			if err != nil {
				return nil, err
			}
			out = append(out, part...)
		}
		return out, nil
	}
	return nil, source.Errorf(e.Span, "syntax", "a net is expected here, which this drives")
}

// named are the bits of a name, or of a part of it. A name that is not declared is a wire of one bit, as Verilog has it.
func (s *scope) named(e *verilog.Expr) ([]Bit, error) {
	name := e.Text
	if e.Kind != verilog.Ident {
		name = e.Args[0].Text
	}
	sig := s.signals[name]
	if sig == nil {
		sig = &signal{name: s.path + name, span: e.Span, undeclared: true}
		s.declare(sig, 1)
		s.signals[name] = sig
	}
	if e.Kind == verilog.Ident {
		return sig.bits, nil
	}
	hi, lo, err := s.bounds(e, sig)
	if err != nil {
		return nil, err
	}
	if hi, lo, err = inRange(e, sig, hi, lo); err != nil {
		return nil, err
	}
	return sig.bits[lo : hi+1], nil
}
