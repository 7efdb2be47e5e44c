// Package languages is the table of the languages of texts about circuits: a further one is a row, and a package that parses its texts.
package languages

import (
	"slices"

	"tv/internal/source"
	"tv/semantics/bits"
	"tv/semantics/bits/bv"
	"tv/semantics/bits/bv/eval"
	"tv/semantics/bits/bv/lower"
	"tv/semantics/bits/calyx"
	"tv/semantics/bits/comb"
	"tv/semantics/bits/netlist"
	"tv/semantics/bits/reticle"
	"tv/semantics/bits/verilog"
	run "tv/semantics/bits/verilog/eval"
	"tv/semantics/bits/word"
	"tv/semantics/bits/yosys"
)

// A Language is a kind of texts about circuits.
type Language struct {
	Name       string   // for --lang, and in certificates
	What       string   // a text of it, with its article
	Extensions []string // of its files; new ones get the first
	// Shared tells whether texts of other worlds have its extensions too: by its name alone a file is then none of this one.
	Shared bool
	// Is tells from a text whether it is one, where others have its extensions; nil: the extension says so.
	Is    func(text string) bool
	Parse func(*source.File) (bits.Text, error)
}

// All are the languages.
var All = []*Language{
	{Name: "bv", What: "a specification over bit-vectors", Extensions: []string{".bv"}, Parse: specification},
	{Name: "verilog", What: "a Verilog text", Extensions: []string{".v", ".sv"}, Parse: modules(verilog.Parse)},
	{Name: "yosys", What: "a netlist of Yosys", Extensions: []string{".json"}, Shared: true, Parse: modules(yosys.Parse)},
	{Name: "comb", What: "a module of CIRCT", Extensions: []string{".mlir"}, Is: comb.Is, Parse: func(f *source.File) (bits.Text, error) {
		t, err := comb.Parse(f)
		if err != nil {
			return nil, err
		}
		return flowing{t.Program}, nil
	}},
	{Name: "calyx", What: "a Calyx component", Extensions: []string{".futil"}, Parse: operations(calyx.Parse)},
	{Name: "reticle", What: "a Reticle function", Extensions: []string{".ir"}, Parse: operations(reticle.Parse)},
}

// Named is the language of a name, or nil.
func Named(name string) *Language {
	return find(func(l *Language) bool { return l.Name == name })
}

// Of is the language of files with an extension, or nil.
func Of(extension string) *Language {
	return find(func(l *Language) bool { return slices.Contains(l.Extensions, extension) })
}

func find(is func(*Language) bool) *Language {
	if i := slices.IndexFunc(All, is); i >= 0 {
		return All[i]
	}
	return nil
}

// spec is a specification, as a text and as a program: it depends on nothing.
type spec struct{ *bv.Spec }

func specification(f *source.File) (bits.Text, error) {
	s, err := bv.Parse(f)
	if err != nil {
		return nil, err
	}
	return spec{s}, nil
}

func (s spec) Clock() string                                { return s.Spec.Clock }
func (s spec) Elaborate(bits.Options) (bits.Program, error) { return s, nil }
func (s spec) Options() bits.Options                        { return bits.Options{Clock: s.Spec.Clock} }
func (s spec) Latency() int                                 { return s.Spec.Latency }
func (s spec) Design(b *word.Builder) *bits.Design          { return lower.Design(s.Spec, b) }
func (s spec) Machine(choose bits.Choose) bits.Machine      { return eval.New(s.Spec, choose) }

func (s spec) Ports() (in, out []bits.Port) {
	port := func(p bv.Port) bits.Port { return bits.Port{Name: p.Name, Width: p.Width, Span: p.Span} }
	for _, p := range s.Inputs {
		in = append(in, port(p))
	}
	for _, p := range s.Outputs {
		out = append(out, port(p.Port))
	}
	return in, out
}

// file is a text of modules: flattened when options are known.
type file struct{ *verilog.File }

func modules(parse func(*source.File) (*verilog.File, error)) func(*source.File) (bits.Text, error) {
	return func(f *source.File) (bits.Text, error) {
		v, err := parse(f)
		if err != nil {
			return nil, err
		}
		return file{v}, nil
	}
}

func (f file) Clock() string { return "" }

func (f file) Elaborate(o bits.Options) (bits.Program, error) {
	n, err := netlist.Elaborate(f.File, o)
	if err != nil {
		return nil, err
	}
	return modular{n, f.File}, nil
}

// modular is a text of modules as a program.
type modular struct {
	*netlist.Netlist
	text *verilog.File
}

// Machine runs a netlist cell by cell, and a text with behaviour by its syntax.
func (p modular) Machine(choose bits.Choose) bits.Machine {
	if !p.text.Behaves() {
		return p.NewMachine(choose)
	}
	o := p.Options()
	return run.New(p.text, run.Options{Top: o.Top, Arch: o.Arch, Clock: o.Clock}, choose)
}

// Cells is the netlist that a program is, or nil where it is more than one.
func Cells(p bits.Program) *netlist.Netlist {
	if m, ok := p.(modular); ok && !m.text.Behaves() {
		return m.Netlist
	}
	return nil
}
