package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tv/equiv"
	circuits "tv/equiv/bits"
	"tv/equiv/bits/isa"
	"tv/internal/files"
	"tv/internal/sexpr"
	"tv/internal/source"
	"tv/semantics/bits/bv"
	"tv/semantics/bits/rule"
	bitrules "tv/semantics/bits/rules"
	"tv/semantics/domain"
)

// isaFlags are what tv isa is told.
type isaFlags struct {
	rules                []string
	holes, nodes, rounds int
	format               *choice
	output               string
}

func (a *app) isaCommand() *cobra.Command {
	f := isaFlags{format: newChoice("text", "json")}
	cmd := &cobra.Command{
		Use:   "isa SPEC...",
		Short: "which instructions can specifications over bit-vectors be made of?",
		Long: `Isa lists the instructions that specifications (.bv) can be made of: terms with holes, in all terms that rules make of
the specifications. Rules are certified before they are applied, and each application of an instruction has an explanation that has
been checked. The cover is a smallest set of instructions that make all outputs. doc/fpga.md has the details.`,
		Example: `  tv isa examples/nand.bv
  tv isa --rules de-morgan.rules --max-holes 3 a.bv b.bv
  tv isa --format json a.bv`,
		Args: arguments(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runISA(cmd.Context(), &f, args) },
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&f.rules, "rules", nil, "use the rules of a `file` in place of those that tv has (repeatable)")
	fs.IntVar(&f.holes, "max-holes", isa.DefaultHoles, "most holes of an instruction")
	fs.IntVar(&f.nodes, "max-nodes", isa.DefaultNodes, "most nodes of the e-graph")
	fs.IntVar(&f.rounds, "iters", isa.DefaultRounds, "most rounds")
	fs.Var(f.format, "format", "of the report")
	fs.StringVarP(&f.output, "output", "o", "", "write the report to `FILE`")
	return cmd
}

// An isaReport is what tv isa says; ci/schema/isa.schema.json describes it.
type isaReport struct {
	Schema       string           `json:"schema"`
	Kind         string           `json:"kind"`
	Specs        []string         `json:"specs"`
	Stopped      string           `json:"stopped"`
	Rounds       int              `json:"rounds"`
	Nodes        int              `json:"nodes"`
	Classes      int              `json:"classes"`
	Instructions []isaInstruction `json:"instructions"`
	Cover        isaCover         `json:"cover"`
	Rules        []isaRule        `json:"rules"`
	Explanations isaExplanations  `json:"explanations"`
}

type isaInstruction struct {
	Text      string   `json:"text"`
	Holes     []int    `json:"holes"` // widths by the number of the argument; 0 is a Bool
	Numbers   []int    `json:"numbers"`
	Width     int      `json:"width"`
	Operators int      `json:"operators"`
	Uses      int      `json:"uses"`
	Specs     []string `json:"specs"`
	Spec      string   `json:"spec"`
}

type isaCover struct {
	Instructions []int `json:"instructions"`
	None         bool  `json:"none"` // no set of instructions does
	Smallest     bool  `json:"smallest"`
	AtLeast      int   `json:"at_least"`
}

type isaRule struct {
	Name    string   `json:"name"`
	Domain  []string `json:"domain"`
	Matches int      `json:"matches"`
}

type isaExplanations struct {
	Checked int `json:"checked"`
	Steps   int `json:"steps"`
}

func (a *app) runISA(ctx context.Context, f *isaFlags, args []string) error {
	if f.holes < 1 || f.nodes < 1 || f.rounds < 1 {
		return usageError("--max-holes, --max-nodes and --iters take numbers from 1 on")
	}
	args, err := files.Expand(args, []string{".bv"})
	if err != nil {
		return err
	}
	var specs []isa.Spec
	var errs source.Errors
	for _, name := range args {
		if l := circuitLang(name, "", false); l == nil || l.Name != "bv" {
			return usageError("isa reads specifications over bit-vectors (.bv), and %s is none", name)
		}
		f, err := files.Read(name, a.stdin)
		var spec *bv.Spec
		if err == nil {
			spec, err = bv.Parse(f)
		}
		errs = append(errs, source.AsErrors(err)...)
		specs = append(specs, isa.Spec{Name: name, Spec: spec})
	}
	if len(errs) > 0 {
		return errs
	}
	list, domains, err := a.isaRules(ctx, f.rules)
	if err != nil {
		return err
	}
	found, err := isa.Run(ctx, specs, isa.Options{Holes: f.holes, Nodes: f.nodes, Rounds: f.rounds, Rules: list})
	if err != nil {
		return err
	}
	r := &isaReport{Schema: "tv.report/v1", Kind: "isa", Specs: args, Stopped: found.Stopped, Rounds: found.Rounds, Nodes: found.Nodes, Classes: found.Classes,
		Cover: isaCover{found.Cover.Instructions, found.Cover.None, found.Cover.Smallest, found.Cover.AtLeast}, Explanations: isaExplanations{found.Explained, found.Steps},
		Rules: []isaRule{}}
	for _, in := range found.Instructions {
		r.Instructions = append(r.Instructions, isaInstruction{in.Text, in.Holes, in.Numbers, in.Width, in.Operators, in.Uses, in.Specs, in.Spec})
	}
	for i, of := range list {
		r.Rules = append(r.Rules, isaRule{of.Name, domains[i], found.Matches[i]})
	}
	if f.format.value == "json" {
		data, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return err
		}
		return a.output(f.output, append(data, '\n'))
	}
	return a.output(f.output, []byte(r.text()))
}

// isaRules reads rules and has them certified. A rule that is not proved is an error: nothing may rest on it.
func (a *app) isaRules(ctx context.Context, names []string) (list []isa.Rule, domains [][]string, err error) {
	sources := []*source.File{source.NewFile("isa.rules", bitrules.ISA)}
	if len(names) > 0 {
		sources = nil
	}
	for _, name := range names {
		f, err := files.Read(name, a.stdin)
		if err != nil {
			return nil, nil, err
		}
		sources = append(sources, f)
	}
	for _, f := range sources {
		forms, bad := sexpr.Read(f)
		if bad != nil {
			return nil, nil, source.Errors{bad}
		}
		for _, x := range forms {
			r, err := rule.Parse(x)
			if err != nil {
				return nil, nil, err
			}
			if r.Want == equiv.Refuted.String() {
				continue
			}
			proved, err := provedBitsRule(ctx, r)
			if err != nil {
				return nil, nil, err
			}
			if proved.Verdict != circuits.Proved {
				return nil, nil, source.Errors{source.Errorf(r.Span, codeUncertified, "rule %s is not proved: tv certify says why", r.Name)}
			}
			list = append(list, isa.Rule{Rule: r, Admits: a.admits(ctx, r, proved.Domain)})
			domains = append(domains, proved.Domain)
		}
	}
	return list, domains, nil
}

// admits says at which numbers a rule may be applied: where it is proved, or its instance is.
func (a *app) admits(ctx context.Context, r *rule.Rule, proved []string) func(map[string]int) bool {
	if slices.Equal(proved, []string{"all widths"}) {
		return func(map[string]int) bool { return true }
	}
	known := map[string]bool{}
	return func(values map[string]int) bool {
		in := r.At(values)
		key := strings.Join(in.Texts[:], "")
		if _, ok := known[key]; !ok {
			answer, err := refutingInstance(ctx, in, equiv.Options{})
			known[key] = err == nil && answer.result.Verdict == equiv.Proved && answer.certificate != nil
		}
		return known[key]
	}
}

// text prints a report for people.
func (r *isaReport) text() string {
	var b strings.Builder
	of := fmt.Sprintf("%d specifications", len(r.Specs))
	if len(r.Specs) == 1 {
		of = r.Specs[0]
	}
	fmt.Fprintf(&b, "isa: %s of %s (%s, %d rounds, %d nodes, %d classes)\n", counted(len(r.Instructions), "instruction"), of, r.Stopped, r.Rounds, r.Nodes, r.Classes)
	for _, in := range r.Instructions {
		fmt.Fprintf(&b, "%6d x  %-40s %s\n", in.Uses, in.Text, in.widths())
	}
	switch c := r.Cover; {
	case c.None:
		b.WriteString("cover: none: an operator takes more than --max-holes\n")
	case c.Smallest:
		fmt.Fprintf(&b, "cover: %s, and no fewer do\n", counted(len(c.Instructions), "instruction"))
	default:
		fmt.Fprintf(&b, "cover: %s; at least %d are needed\n", counted(len(c.Instructions), "instruction"), c.AtLeast)
	}
	for _, k := range r.Cover.Instructions {
		fmt.Fprintf(&b, "  %s\n", r.Instructions[k].Text)
	}
	for _, of := range r.Rules {
		if of.Matches > 0 {
			fmt.Fprintf(&b, "rule: %s (%s), %s\n", of.Name, domain.Conjunction(of.Domain), counted(of.Matches, "instance"))
		}
	}
	fmt.Fprintf(&b, "explanations: %d checked, %d steps\n", r.Explanations.Checked, r.Explanations.Steps)
	return b.String()
}

// widths are those of the arguments and of the result.
func (in *isaInstruction) widths() string {
	name := func(w int) string {
		if w == 0 {
			return "Bool"
		}
		return fmt.Sprint(w)
	}
	var parts []string
	for _, w := range in.Holes {
		parts = append(parts, name(w))
	}
	return strings.Join(append(parts, "->", name(in.Width)), " ")
}
