package eval

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"tv/semantics/bits/verilog"
)

// A scope is an instance of a module.
type scope struct {
	*Machine
	module *verilog.Module
	path   string
	vars   map[string]*variable
}

// A typed number is the value of a parameter.
type typed struct {
	value  *big.Int
	width  int
	signed bool
}

// enter declares what an instance of a module has.
func (m *Machine) enter(x *verilog.Module, path string, given map[string]typed) *scope {
	s := &scope{m, x, path, map[string]*variable{}}
	s.declare(given)
	return s
}

// declare makes the parameters and variables of an instance, or of a generated block, which hide what is around it.
func (s *scope) declare(given map[string]typed) {
	x, own := s.module, map[string]*variable{}
	for i := range x.Params {
		p := &x.Params[i]
		v, ok := given[p.Text]
		if !ok || p.Local {
			f := &frame{scope: s}
			v.width, v.signed = f.size(p.Value)
			v.value = f.value(p.Value, v.width, v.signed)
		}
		s.vars[p.Text] = s.parameter(p, v)
	}
	for i := range x.Decls {
		d := &x.Decls[i]
		if old := own[d.Text]; old != nil { // a port and its variable
			old.signed = old.signed || d.Signed
			continue
		}
		own[d.Text] = s.declared(d, s.path)
		s.vars[d.Text] = own[d.Text]
	}
}

// generate connects the blocks of what is generated.
func (s *scope) generate(g *verilog.Generate) {
	block := func(m *verilog.Module, label string, vars map[string]*variable) {
		own := *m
		own.Functions = append(own.Functions[:len(own.Functions):len(own.Functions)], s.module.Functions...)
		own.Calls = s.module.Calls
		b := &scope{s.Machine, &own, s.path + label + ".", maps.Clone(vars)}
		b.declare(nil)
		b.connect()
	}
	f := &frame{scope: s}
	if g.Of != nil {
		if body := f.labelled(g); body != nil {
			block(body, g.Label(body), s.vars)
		}
		return
	}
	if !g.Loop {
		for _, a := range g.Arms {
			if a.Cond == nil || f.truth(a.Cond) {
				block(a.Body, g.Label(a.Body), s.vars)
				return
			}
		}
		return
	}
	name, value := g.Init.Left.Text, f.number(g.Init.Right)
	for {
		in := &scope{s.Machine, s.module, s.path, maps.Clone(s.vars)}
		in.vars[name] = &variable{name: s.path + name, width: 32, signed: true, constant: true, value: wrap(big.NewInt(int64(value)), 32)}
		counted := &frame{scope: in}
		if !counted.truth(g.Arms[0].Cond) {
			return
		}
		block(g.Arms[0].Body, fmt.Sprintf("%s[%d]", g.Label(g.Arms[0].Body), value), in.vars)
		value = counted.number(g.Step.Right)
	}
}

// labelled is the block of a case whose label is what the case is of, or that of the default, or nil.
func (f *frame) labelled(g *verilog.Generate) (other *verilog.Module) {
	width, signed := f.size(g.Of)
	for _, a := range g.Arms {
		for _, l := range a.Labels {
			w, s := f.size(l)
			width, signed = max(width, w), signed && s
		}
	}
	value := f.value(g.Of, width, signed)
	for _, a := range g.Arms {
		if a.Labels == nil {
			other = a.Body
		}
		for _, l := range a.Labels {
			if f.value(l, width, signed).Cmp(value) == 0 {
				return a.Body
			}
		}
	}
	return other
}

func (s *scope) parameter(p *verilog.Param, v typed) *variable {
	out := &variable{constant: true, name: s.path + p.Text, width: v.width, signed: v.signed, value: v.value}
	if !p.Typed {
		return out
	}
	number := v.value
	if v.signed {
		number = integer(v.value, v.width)
	}
	out.signed = p.Signed
	switch {
	case p.Integer:
		out.width = 32
	case p.MSB != nil:
		f := &frame{scope: s}
		msb, lsb := f.number(p.MSB), f.number(p.LSB)
		out.width, out.lsb, out.ascending = max(msb-lsb, lsb-msb)+1, lsb, msb < lsb
	}
	out.value = wrap(number, out.width)
	return out
}

// declared makes a variable of a declaration.
func (s *scope) declared(d *verilog.Decl, path string) *variable {
	msb, lsb := d.MSB, d.LSB
	if d.Range[0] != nil {
		f := &frame{scope: s}
		msb, lsb = f.number(d.Range[0]), f.number(d.Range[1])
	}
	return &variable{name: path + d.Text, width: max(msb-lsb, lsb-msb) + 1, lsb: lsb, ascending: msb < lsb, signed: d.Signed, value: new(big.Int)}
}

// find is the variable of a name. What is not declared is a net of one bit.
func (s *scope) find(name string) *variable {
	v := s.vars[name]
	if v == nil {
		v = &variable{name: s.path + name, width: 1, value: new(big.Int)}
		s.vars[name] = v
	}
	return v
}

// process makes something that runs when what it reads changes.
func (m *Machine) process(run func()) *process {
	p := &process{run: run}
	m.all = append(m.all, p)
	return p
}

// connect makes processes of what the instance has.
func (s *scope) connect() {
	for i := range s.module.Assigns {
		a := &s.module.Assigns[i]
		s.process(func() {
			f := &frame{scope: s}
			f.assign(a.Left, f.assigned(a.Right, f.leftWidth(a.Left)), false)
		})
	}
	for i := range s.module.Instances {
		in := &s.module.Instances[i]
		if child := s.modules[in.Type.Text]; child != nil {
			s.submodule(in, child)
		} else {
			s.cell(in)
		}
	}
	for _, a := range s.module.Always {
		if a.Clock != nil {
			s.clocked = append(s.clocked, clocked{s, a})
			continue
		}
		p := s.process(func() { (&frame{scope: s}).statement(a.Body) })
		p.block = true
	}
	s.Machine.starts = append(s.Machine.starts, s)
	for _, g := range s.module.Generates {
		s.generate(g)
	}
}

// submodule connects an instance of a module.
func (s *scope) submodule(in *verilog.Instance, x *verilog.Module) {
	given := map[string]typed{}
	outer := &frame{scope: s}
	for _, c := range in.Params {
		if c.Expr != nil {
			width, signed := outer.size(c.Expr)
			given[c.Text] = typed{outer.value(c.Expr, width, signed), width, signed}
		}
	}
	child := s.enter(x, s.path+in.Name.Text+".", given)
	for _, c := range in.Pins {
		if c.Expr == nil {
			continue
		}
		v := child.vars[c.Text]
		out := slices.ContainsFunc(x.Decls, func(d verilog.Decl) bool { return d.Text == c.Text && d.Dir == verilog.Out })
		s.process(func() {
			if out {
				outer.assign(c.Expr, s.get(v), false)
			} else {
				s.set(v, outer.alone(c.Expr))
			}
		})
	}
	child.connect()
}

// start runs initial blocks, and chooses what registers start as where these do not say it.
func (m *Machine) start() {
	for _, s := range m.starts {
		for _, v := range s.vars {
			if v.known == nil { // of a block around this one it may be there
				v.known = new(big.Int)
			}
		}
		f := &frame{scope: s}
		for i := range s.module.Decls {
			if d := &s.module.Decls[i]; d.Init != nil {
				v := s.vars[d.Text]
				m.put(v, 0, v.width, f.assigned(d.Init, v.width))
			}
		}
		for _, x := range s.module.Initial {
			f.statement(x)
		}
		m.flush()
	}
	m.choices()
	for _, s := range m.starts {
		for _, v := range s.vars {
			v.known = nil
		}
	}
}

func ones(width int) *big.Int {
	v := new(big.Int).Lsh(big.NewInt(1), uint(width))
	return v.Sub(v, big.NewInt(1))
}
