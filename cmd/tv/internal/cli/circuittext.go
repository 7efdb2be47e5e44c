package cli

import (
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	circuits "tv/equiv/bits"
	"tv/internal/files"
	"tv/internal/source"
	"tv/semantics/bits"
	"tv/semantics/bits/bv"
	"tv/semantics/bits/bv/eval"
	"tv/semantics/bits/bv/lower"
	"tv/semantics/bits/cells"
	"tv/semantics/bits/netlist"
	"tv/semantics/bits/verilog"
	"tv/semantics/bits/word"
	"tv/semantics/bits/yosys"
)

// The kinds of texts about circuits, by their names for --lang.
const (
	langSpec    = "bv"
	langVerilog = "verilog"
	langYosys   = "yosys"
)

// circuitExtensions are those of texts about circuits.
var circuitExtensions = map[string]string{".bv": langSpec, ".v": langVerilog, ".sv": langVerilog, ".json": langYosys}

// circuitLang is the kind of a text about circuits, or empty where it is none. JSON may be of many kinds: it is a netlist where other
// arguments are about circuits.
func circuitLang(name, lang string, others bool) string {
	switch lang {
	case langSpec, langVerilog, langYosys:
		return lang
	case "":
		if l := circuitExtensions[extensionOf(name)]; others || l != langYosys {
			return l
		}
	}
	return ""
}

// circuitOptions are what flags say of netlists. Empty: it is found.
type circuitOptions struct {
	Arch  string `json:"arch,omitempty"`
	Top   string `json:"top,omitempty"`
	Clock string `json:"clock,omitempty"`
}

func (o *circuitOptions) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.Arch, "arch", "", "the architecture of a netlist's cells: "+strings.Join(cells.Arches, ", ")+" (default: that of its cells)")
	cmd.Flags().StringVar(&o.Top, "top", "", "the module that a netlist is (default: the one that no other has)")
	cmd.Flags().StringVar(&o.Clock, "clock", "", "the input that clocks a netlist (default: the one that does)")
}

// A circuitText is a specification over bit-vectors, or a netlist.
type circuitText struct {
	file *source.File
	lang string
	spec *bv.Spec         // or
	net  *netlist.Netlist // one of both
}

// parseCircuit parses a text. A netlist is not elaborated yet: specifications may say what its clock is.
func parseCircuit(f *source.File, lang string) (c *circuitText, elaborate func(circuitOptions) error, err error) {
	c = &circuitText{file: f, lang: lang}
	if lang == langSpec {
		c.spec, err = bv.Parse(f)
		return c, func(circuitOptions) error { return nil }, err
	}
	read := verilog.Parse
	if lang == langYosys {
		read = yosys.Parse
	}
	v, err := read(f)
	if err != nil {
		return nil, nil, err
	}
	return c, func(o circuitOptions) (err error) {
		c.net, err = netlist.Elaborate(v, netlist.Options{Top: o.Top, Arch: o.Arch, Clock: o.Clock})
		return err
	}, nil
}

// readCircuits reads files. What is wrong with one is said once, and that of all.
func (a *app) readCircuits(names []string, langs []string, o circuitOptions) ([]*circuitText, error) {
	texts := make([]*circuitText, len(names))
	elaborate := make([]func(circuitOptions) error, len(names))
	var errs source.Errors
	for i, name := range names {
		f, err := files.Read(name, a.stdin)
		if err == nil {
			texts[i], elaborate[i], err = parseCircuit(f, langs[i])
		}
		errs = append(errs, source.AsErrors(err)...)
	}
	for i := range names {
		if s := texts[i]; s != nil && s.spec != nil && o.Clock == "" {
			o.Clock = s.spec.Clock
		}
	}
	for i := range names {
		if texts[i] != nil && elaborate[i] != nil {
			errs = append(errs, source.AsErrors(elaborate[i](o))...)
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return texts, nil
}

// latency is that of a specification.
func (c *circuitText) latency() int {
	if c.spec != nil {
		return c.spec.Latency
	}
	return 0
}

// design is what the text denotes.
func (c *circuitText) design(b *word.Builder) *bits.Design {
	if c.spec != nil {
		return lower.Design(c.spec, b)
	}
	return c.net.Design(b)
}

// A circuitPort is an input or output.
type circuitPort struct {
	name  string
	width int
}

func (c *circuitText) ports() (in, out []circuitPort) {
	if c.spec != nil {
		for _, p := range c.spec.Inputs {
			in = append(in, circuitPort{p.Name, p.Width})
		}
		for _, p := range c.spec.Outputs {
			out = append(out, circuitPort{p.Name, p.Width})
		}
		return in, out
	}
	for _, p := range c.net.Inputs {
		if p.Name != c.net.Clock {
			in = append(in, circuitPort{p.Name, p.Width})
		}
	}
	for _, p := range c.net.Outputs {
		out = append(out, circuitPort{p.Name, p.Width})
	}
	return in, out
}

// machine returns the step function of the reference evaluator: outputs of a cycle, and whether what is assumed holds.
func (c *circuitText) machine() func(map[string]*big.Int) (map[string]*big.Int, bool) {
	if c.spec != nil {
		return eval.New(c.spec, nil).Step
	}
	m := c.net.NewMachine(nil)
	return func(in map[string]*big.Int) (map[string]*big.Int, bool) { return m.Step(in), true }
}

// extension is that of a file of the text's kind.
func (c *circuitText) extension() string {
	switch c.lang {
	case langSpec:
		return ".bv"
	case langYosys:
		return ".json"
	}
	return ".v"
}

// text is what certificates include of it.
func (c *circuitText) text() circuits.Text {
	t := circuits.Text{Language: c.lang, Name: c.file.Name, Data: c.file.Text}
	if c.net != nil {
		t.Top = c.net.Top
	}
	return t
}

// options are those that the text was elaborated with.
func (c *circuitText) options() circuitOptions {
	if c.net == nil {
		return circuitOptions{Clock: c.spec.Clock}
	}
	return circuitOptions{c.net.Arch, c.net.Top, c.net.Clock}
}

// circuitSection finds the one section of a counterexample that is a text of a role.
func circuitSection(sections map[string]*source.File, role string) (*circuitText, func(circuitOptions) error, error) {
	for _, ext := range slices.Sorted(maps.Keys(circuitExtensions)) {
		if f := sections[role+ext]; f != nil {
			return parseCircuit(f, circuitExtensions[ext])
		}
	}
	return nil, nil, nil
}
