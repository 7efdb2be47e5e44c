package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	circuits "tv/equiv/bits"
	"tv/internal/files"
	"tv/internal/source"
	"tv/semantics/bits"
	"tv/semantics/bits/cells"
	"tv/semantics/bits/languages"
)

// circuitLang is the language of a text about circuits, or nil where it is none. A file whose extension others have too is one where
// its text says so, or, if texts of the language do not tell, where other arguments are about circuits.
func circuitLang(name, lang string, others bool) *languages.Language {
	if lang != "" {
		return languages.Named(lang)
	}
	l := languages.Of(extensionOf(name))
	switch {
	case l == nil || l.Shared && !others:
		return nil
	case l.Is != nil:
		if f, err := files.Read(name, nil); err != nil || !l.Is(f.Text) {
			return nil
		}
	}
	return l
}

// circuitLangNames are the names of the languages, for --lang.
func circuitLangNames() (names []string) {
	if !hasCircuits {
		return nil
	}
	for _, l := range languages.All {
		names = append(names, l.Name)
	}
	return names
}

// circuitOptions are what flags say of netlists. Empty: it is found.
type circuitOptions struct {
	Arch  string `json:"arch,omitempty"`
	Top   string `json:"top,omitempty"`
	Clock string `json:"clock,omitempty"`
	// Models is a file of simulation models.
	Models string `json:"models,omitempty"`
	models *source.File
}

// String is what the options are in the hash of a question.
func (o circuitOptions) String() string {
	text := fmt.Sprintf("{%s %s %s}", o.Arch, o.Top, o.Clock)
	if o.models != nil {
		text += o.models.Text
	}
	return text
}

func (o *circuitOptions) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.Arch, "arch", "", "the architecture of a netlist's cells: "+strings.Join(cells.Arches, ", ")+" (default: that of its cells)")
	cmd.Flags().StringVar(&o.Top, "top", "", "the module that a netlist is (default: the one that no other has)")
	cmd.Flags().StringVar(&o.Clock, "clock", "", "the input that clocks a netlist (default: the one that does)")
	cmd.Flags().StringVar(&o.Models, "models", "", "a vendor's simulation models, a Verilog `file`: of cells that the tables lack")
}

// A circuitText is a text about circuits: parsed, and with options a program.
type circuitText struct {
	file    *source.File
	lang    *languages.Language
	parsed  bits.Text
	program bits.Program
	models  *source.File // of cells that the tables lack; nil: none were given
}

// parseCircuit parses a text. It is not elaborated yet: specifications may say what the clock of a netlist is.
func parseCircuit(f *source.File, lang *languages.Language) (*circuitText, error) {
	parsed, err := lang.Parse(f)
	if err != nil {
		return nil, err
	}
	return &circuitText{file: f, lang: lang, parsed: parsed}, nil
}

func (c *circuitText) elaborate(o circuitOptions) (err error) {
	c.program, err = c.parsed.Elaborate(bits.Options{Top: o.Top, Arch: o.Arch, Clock: o.Clock, Models: o.models})
	c.models = o.models
	return err
}

// readCircuits reads files. What is wrong with one is said once, and that of all.
func (a *app) readCircuits(names []string, langs []*languages.Language, o circuitOptions) ([]*circuitText, error) {
	texts := make([]*circuitText, len(names))
	var errs source.Errors
	for i, name := range names {
		f, err := files.Read(name, a.stdin)
		if err == nil {
			texts[i], err = parseCircuit(f, langs[i])
		}
		errs = append(errs, source.AsErrors(err)...)
	}
	if o.Models != "" {
		var err error
		if o.models, err = files.Read(o.Models, a.stdin); err != nil {
			return nil, err
		}
	}
	for _, c := range texts {
		if c != nil && o.Clock == "" {
			o.Clock = c.parsed.Clock()
		}
	}
	for _, c := range texts {
		if c != nil {
			errs = append(errs, source.AsErrors(c.elaborate(o))...)
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return texts, nil
}

// text is what certificates include of it.
func (c *circuitText) text() circuits.Text {
	return circuits.Text{Language: c.lang.Name, Name: c.file.Name, Data: c.file.Text, Top: c.program.Options().Top}
}

// options are those that the text was elaborated with.
func (c *circuitText) options() circuitOptions {
	o := c.program.Options()
	out := circuitOptions{Arch: o.Arch, Top: o.Top, Clock: o.Clock}
	if c.models != nil {
		out.Models, out.models = c.models.Name, c.models
	}
	return out
}

// circuitSection finds the one section of a counterexample that is a text of a role.
func circuitSection(sections map[string]*source.File, role string) (*circuitText, error) {
	for _, l := range languages.All {
		for _, ext := range l.Extensions {
			if f := sections[role+ext]; f != nil {
				return parseCircuit(f, l)
			}
		}
	}
	return nil, nil
}
