// Package comb reads the comb, hw and seq dialects of CIRCT, in their text form: one hw.module of values with the types iN.
//
//	comb.go   Parse: modules, ports, values and their order
//	op.go     operations
//	reset.go  asynchronous resets
package comb

import (
	"strings"

	"tv/internal/source"
	"tv/semantics/bits"
	"tv/semantics/bits/flow"
)

// A Text is what was parsed: each module, as it stands.
type Text struct {
	File    *source.File
	modules []*module
}

// module is an hw.module.
type module struct {
	name string
	span source.Span
	p    *flow.Program
	err  error // that of the module, if it is the one that is meant
}

// Is tells whether a text is one of circuits: whether it has an hw.module.
func Is(text string) bool { return strings.Contains(text, "hw.module") }

// Parse reads a text.
func Parse(f *source.File) (*Text, error) {
	l := &flow.Lexer{File: f, Extra: "%@$.#!^", Names: "-", Marks: []string{"->"}}
	r := &reader{Lexer: l, text: &Text{File: f}}
	if err := l.Next(); err != nil {
		return nil, err
	}
	if err := r.file(); err != nil {
		return nil, err
	}
	if len(r.text.modules) == 0 {
		return nil, source.Errorf(source.Span{File: f}, "no-module", "the text has no hw.module")
	}
	return r.text, nil
}

// Program is the module of a name, or the only one.
func (t *Text) Program(top string) (*flow.Program, error) {
	for _, m := range t.modules {
		if m.name == top || top == "" && len(t.modules) == 1 {
			return m.p, m.err
		}
	}
	if top != "" {
		return nil, source.Errorf(source.Span{File: t.File}, "top-unknown", "the text has no module %s", top)
	}
	var names []string
	for _, m := range t.modules {
		names = append(names, m.name)
	}
	return nil, source.Errorf(t.modules[1].span, "top-unknown", "--top says which module is meant: %s", strings.Join(names, ", "))
}

type reader struct {
	*flow.Lexer
	text *Text
	p    *flow.Program
	// of the module that is read
	values  map[string]int
	types   map[int]string // what a value is, where it is no word: !seq.clock, i0
	pending []pending      // names that are used before they are defined
	clocks  map[string]source.Span

	registers []*flow.Register
	async     map[int]source.Span // values of registers whose reset is asynchronous, and where that is
}

// pending is a use of a name: put gets its value.
type pending struct {
	name  string
	typ   string
	span  source.Span
	where *int
}

// file reads modules, which may be in a module of MLIR.
func (r *reader) file() error {
	nested := false
	for r.Tok.Kind != flow.End {
		switch {
		case r.Is("module") && !nested:
			for !r.Is("{") {
				if r.Tok.Kind == flow.End {
					return r.Refused(`"{"`)
				}
				if err := r.Next(); err != nil {
					return err
				}
			}
			nested = true
			if err := r.Next(); err != nil {
				return err
			}
		case r.Is("}") && nested:
			nested = false
			if err := r.Next(); err != nil {
				return err
			}
		case r.Is("hw.module"):
			if err := r.module(); err != nil {
				return err
			}
		case r.Tok.Kind == flow.Word && r.Tok.Text[0] == '#': // a name for a place
			for r.Tok.Kind != flow.End && !r.Is("hw.module") && !r.Is("module") && !r.Is("}") {
				if err := r.Next(); err != nil {
					return err
				}
			}
		case r.Tok.Kind == flow.Word && strings.Contains(r.Tok.Text, "."):
			return r.Errorf("unsupported", "%s", r.Tok.Text)
		default:
			return r.Refused("hw.module")
		}
	}
	if nested {
		return r.Refused(`"}"`)
	}
	return nil
}

func (r *reader) module() error {
	if err := r.Next(); err != nil {
		return err
	}
	if _, err := r.Accept("private"); err != nil {
		return err
	}
	name, at, err := r.Name("the name of a module")
	if err != nil {
		return err
	}
	if name[0] != '@' || len(name) == 1 {
		return source.Errorf(at, "syntax", "the name of a module begins with @")
	}
	for _, m := range r.text.modules {
		if m.name == name[1:] {
			return source.Errorf(at, "syntax", "module %s is there twice", name)
		}
	}
	r.p = &flow.Program{Name: r.File.Name, Top: name[1:]}
	r.values, r.types, r.pending, r.clocks = map[string]int{}, map[int]string{}, nil, map[string]source.Span{}
	r.registers, r.async = nil, map[int]source.Span{}
	m := &module{name: name[1:], span: at, p: r.p}
	if r.Is("<") {
		return r.Errorf("unsupported", "parameters of a module")
	}
	outs, err := r.ports()
	if err != nil {
		return err
	}
	if ok, err := r.Accept("attributes"); err != nil {
		return err
	} else if ok {
		if err := r.dictionary(); err != nil {
			return err
		}
	}
	if err := r.Expect("{"); err != nil {
		return err
	}
	for !r.Is("hw.output") {
		if err := r.operation(); err != nil {
			return err
		}
	}
	if err := r.output(outs); err != nil {
		return err
	}
	if err := r.Expect("}"); err != nil {
		return err
	}
	m.err = r.finish()
	r.text.modules = append(r.text.modules, m)
	return nil
}

// ports reads (in %a: i8, out y: i8).
func (r *reader) ports() (outs []bits.Port, err error) {
	if err := r.Expect("("); err != nil {
		return nil, err
	}
	for n := 0; !r.Is(")"); n++ {
		if n > 0 {
			if err := r.Expect(","); err != nil {
				return nil, err
			}
		}
		dir, at, err := r.Name("in or out")
		if err != nil {
			return nil, err
		}
		if dir != "in" && dir != "out" {
			return nil, source.Errorf(at, "unsupported", "a port that is %s", dir)
		}
		name, span, err := r.Name("the name of a port")
		if err != nil {
			return nil, err
		}
		if err := r.Expect(":"); err != nil {
			return nil, err
		}
		typ, where, err := r.typ()
		if err != nil {
			return nil, err
		}
		if r.Is("{") {
			if err := r.dictionary(); err != nil {
				return nil, err
			}
		}
		width := widthOf(typ)
		if width == 0 && typ != clockType {
			return nil, source.Errorf(where, "unsupported", "a port of type %s", typ)
		}
		if dir == "out" {
			if typ == clockType {
				return nil, source.Errorf(where, "unsupported", "a clock that is an output")
			}
			outs = append(outs, bits.Port{Name: name, Width: width, Span: span})
			continue
		}
		if name[0] != '%' {
			return nil, source.Errorf(span, "syntax", "the name of an input begins with %%")
		}
		port := bits.Port{Name: name[1:], Width: width, Span: span}
		v, err := r.define(name, span, typ)
		if err != nil {
			return nil, err
		}
		if typ != clockType {
			r.p.Inputs, r.p.Inner = append(r.p.Inputs, port), append(r.p.Inner, v)
		}
	}
	return outs, r.Next()
}

const clockType = "!seq.clock"

// typ reads iN or !seq.clock.
func (r *reader) typ() (string, source.Span, error) {
	name, at, err := r.Name("a type")
	if err != nil {
		return "", at, err
	}
	if name == clockType || name == "i0" || widthOf(name) > 0 {
		return name, at, nil
	}
	return "", at, source.Errorf(at, "unsupported", "the type %s", name)
}

// widthOf is the width of iN, else 0.
func widthOf(typ string) int {
	if len(typ) < 2 || typ[0] != 'i' || typ[1] == '0' {
		return 0
	}
	n := 0
	for _, c := range typ[1:] {
		if c < '0' || c > '9' || n > flow.MaxWidth {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	if n > flow.MaxWidth {
		return 0
	}
	return n
}

// define gives a name its value. Clocks and words without bits are values of one bit that nothing reads as data.
func (r *reader) define(name string, at source.Span, typ string) (int, error) {
	if _, ok := r.values[name]; ok {
		return 0, source.Errorf(at, "syntax", "%s is defined twice", name)
	}
	v := r.p.Add(flow.Value{Name: strings.TrimPrefix(name, "%"), Width: max(widthOf(typ), 1), Span: at})
	r.values[name], r.types[v] = v, typ
	return v, nil
}

// use is a name that stands for a value of a type, which may be defined further down.
func (r *reader) use(typ string, name string, at source.Span, where *int) {
	r.pending = append(r.pending, pending{name, typ, at, where})
}

// operand reads a name.
func (r *reader) operand() (string, source.Span, error) {
	name, at, err := r.Name("a value")
	if err == nil && (name[0] != '%' || len(name) == 1) {
		err = source.Errorf(at, "syntax", "the name of a value begins with %%, and this is %q", name)
	}
	return name, at, err
}

// dictionary passes {attributes}.
func (r *reader) dictionary() error {
	for depth := 0; ; {
		switch {
		case r.Tok.Kind == flow.End:
			return r.Refused(`"}"`)
		case r.Is("{"), r.Is("["), r.Is("("):
			depth++
		case r.Is("}"), r.Is("]"), r.Is(")"):
			depth--
		}
		if err := r.Next(); err != nil || depth == 0 {
			return err
		}
	}
}

// output reads hw.output %a, %b : i8, i8.
func (r *reader) output(outs []bits.Port) error {
	at := r.Span()
	if err := r.Next(); err != nil {
		return err
	}
	if len(outs) == 0 {
		return nil
	}
	r.p.Outputs = make([]flow.Output, len(outs))
	names := make([]string, len(outs))
	spans := make([]source.Span, len(outs))
	for i := range outs {
		if i > 0 {
			if err := r.Expect(","); err != nil {
				return err
			}
		}
		var err error
		if names[i], spans[i], err = r.operand(); err != nil {
			return err
		}
	}
	if r.Is(",") {
		return source.Errorf(at, "ill-typed", "more outputs than the module has")
	}
	if err := r.Expect(":"); err != nil {
		return err
	}
	for i := range outs {
		if i > 0 {
			if err := r.Expect(","); err != nil {
				return err
			}
		}
		typ, where, err := r.typ()
		if err != nil {
			return err
		}
		if widthOf(typ) != outs[i].Width {
			return source.Errorf(where, "ill-typed", "output %s is i%d, and this %s", outs[i].Name, outs[i].Width, typ)
		}
		r.p.Outputs[i].Port = outs[i]
		r.use(typ, names[i], spans[i], &r.p.Outputs[i].Value)
	}
	return nil
}

// finish gives all uses their values.
func (r *reader) finish() error {
	for _, u := range r.pending {
		v, ok := r.values[u.name]
		if !ok {
			return source.Errorf(u.span, "undriven", "nothing defines %s", u.name)
		}
		if t := r.types[v]; t != u.typ {
			return source.Errorf(u.span, "ill-typed", "%s is %s, and %s is read here", u.name, t, u.typ)
		}
		*u.where = v
	}
	if len(r.clocks) > 1 {
		var second source.Span
		names := ""
		for name, at := range r.clocks {
			if second.File == nil || at.Start > second.Start {
				second, names = at, name
			}
		}
		return source.Errorf(second, "two-clocks", "a register is clocked by %s, and another one by another clock", names)
	}
	for name, at := range r.clocks {
		v, ok := r.values[name]
		if !ok || r.types[v] != clockType {
			return source.Errorf(at, "clock-unknown", "%s is no clock", name)
		}
		r.p.Clocked = r.p.Values[v].Name
	}
	for _, x := range r.registers {
		r.p.Registers = append(r.p.Registers, *x)
	}
	if err := r.p.Ordered(); err != nil {
		return err
	}
	return r.asynchronous()
}
