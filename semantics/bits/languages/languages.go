// Package languages is the table of the languages of texts about circuits: a further one is a row, and a package that parses its texts.
package languages

import (
	"fmt"
	"slices"

	"tv/internal/source"
	"tv/semantics/bits"
	"tv/semantics/bits/bv"
	"tv/semantics/bits/bv/eval"
	"tv/semantics/bits/bv/lower"
	"tv/semantics/bits/cells"
	"tv/semantics/bits/comb"
	"tv/semantics/bits/netlist"
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
	// Format is the canonical text, with comments; nil: there is none.
	Format func(*source.File) (string, error)
}

// All are the languages. Its rows hold functions and call none: so a program that asks for none of them has none of them in it.
var All = []*Language{
	{Name: "bv", What: "a specification over bit-vectors", Extensions: []string{".bv"}, Parse: specification, Format: bv.Format},
	{Name: "verilog", What: "a Verilog text", Extensions: []string{".v", ".sv"}, Parse: verilogSource},
	{Name: "yosys", What: "a netlist of Yosys", Extensions: []string{".json"}, Shared: true, Parse: yosysSource},
	{Name: "comb", What: "a module of CIRCT", Extensions: []string{".mlir"}, Is: comb.Is, Parse: circtSource},
	{Name: "calyx", What: "a Calyx component", Extensions: []string{".futil"}, Parse: calyxSource},
	{Name: "reticle", What: "a Reticle function", Extensions: []string{".ir"}, Parse: reticleSource},
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

func verilogSource(f *source.File) (bits.Text, error) { return modules(verilog.Parse(f)) }
func yosysSource(f *source.File) (bits.Text, error)   { return modules(yosys.Parse(f)) }

func modules(f *verilog.File, err error) (bits.Text, error) {
	if err != nil {
		return nil, err
	}
	return file{f}, nil
}

func (f file) Clock() string { return "" }

func (f file) Elaborate(o bits.Options) (bits.Program, error) {
	text, modelled, err := withModels(f.File, o.Models)
	if err != nil {
		return nil, err
	}
	n, err := netlist.Elaborate(text, o)
	if err != nil {
		return nil, err
	}
	for _, name := range modelled {
		n.Rests = append(n.Rests, fmt.Sprintf("%s as %s has it, without times, specify blocks and x", name, o.Models.Name))
	}
	return modular{n, text, modelled}, nil
}

// withModels adds to a text the modules of models that it has instances of and that neither it nor a table of cells has: modelled.
func withModels(f *verilog.File, models *source.File) (text *verilog.File, modelled []string, err error) {
	if models == nil {
		return f, nil, nil
	}
	m, err := verilog.ReadModels(models)
	if err != nil {
		return nil, nil, err
	}
	has := map[string]bool{}
	for _, x := range f.Modules {
		has[x.Name] = true
	}
	out := *f
	out.Modules = slices.Clone(f.Modules)
	for i := 0; i < len(out.Modules); i++ {
		for _, in := range out.Modules[i].Instances {
			name := in.Type.Text
			if has[name] || slices.ContainsFunc(cells.Arches, func(a string) bool { return cells.Find(a, name) != nil }) {
				continue
			}
			x, err := m.Module(name)
			if err != nil {
				return nil, nil, err
			}
			if x == nil {
				continue // which is said where it stands
			}
			has[name] = true
			out.Modules = append(out.Modules, x)
			modelled = append(modelled, name)
		}
	}
	return &out, modelled, nil
}

// modular is a text of modules as a program.
type modular struct {
	*netlist.Netlist
	text     *verilog.File
	modelled []string // modules that are of a vendor's models
}

// Modelled are the cells of a program that are of a vendor's models.
func Modelled(p bits.Program) []string {
	if m, ok := p.(modular); ok {
		return m.modelled
	}
	return nil
}

// Machine runs a netlist cell by cell, and a text with behaviour by its syntax.
func (p modular) Machine(choose bits.Choose) bits.Machine {
	if !p.text.Behaves() {
		return p.NewMachine(choose)
	}
	o := p.Options()
	return run.New(p.text, run.Options{Top: o.Top, Arch: o.Arch, Clock: o.Clock}, choose)
}

// Certain tells whether a program is of a language whose texts the checker of certificates reads all: specifications and netlists.
func Certain(p bits.Program) bool {
	_, isSpec := p.(spec)
	return isSpec || Cells(p) != nil
}

// Cells is the netlist that a program is, or nil where it is more than one.
func Cells(p bits.Program) *netlist.Netlist {
	if m, ok := p.(modular); ok && !m.text.Behaves() && m.modelled == nil {
		return m.Netlist
	}
	return nil
}
