package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tv/equiv"
	"tv/equiv/rules"
	"tv/glenside"
	"tv/glenside/lowering"
	"tv/glenside/recexpr"
	"tv/glenside/rule"
	rulefiles "tv/glenside/rules"
	"tv/internal/casefile"
	"tv/internal/files"
	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/relay/syntax"
	"tv/semantics/relay/translate"
)

// Formats of models.
const (
	fromRelay   = "relay"
	fromRecExpr = "recexpr"
)

// tvmVersion is what versions of TVM look like.
var tvmVersion = regexp.MustCompile(`^[0-9]+\.[0-9]`)

// importFlags are what tv import is told.
type importFlags struct {
	out, entry, version, constants string
	from, lower, format            *choice
	shapes, companion              string
	accelerators                   bool
}

func (a *app) importCommand() *cobra.Command {
	f := importFlags{from: newChoice(fromRelay, fromRecExpr), lower: newChoice("none", "glenside"), format: newChoice("text", "json")}
	cmd := &cobra.Command{
		Use:   "import MODEL",
		Short: "read a model in Relay and write it as a program",
		Long: `Import reads a model in the text of TVM's Relay (0.6 to 0.18) and writes one function of it as a program: an
input for each parameter, a definition for each call that the result reaches, operators as Relay calls. What
cannot be said is refused at its place; what was assumed is listed. doc/import.md has the details.`,
		Example: `  tv import model.relay -o model.sexp
  tv import model.relay -o model.sexp --format json
  tv import old.relay --tvm 0.7 -o old.sexp`,
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			from := f.from.value
			if !cmd.Flags().Changed("from") && filepath.Ext(args[0]) == ".json" {
				from = fromRecExpr
			}
			return a.importModel(cmd.Context(), args[0], from, &f)
		},
	}
	fs := cmd.Flags()
	fs.StringVarP(&f.out, "output", "o", "", "`FILE` for the program; standard output where there is none")
	fs.Var(f.from, "from", "format of the model, where it does not go by the extension: .json is recexpr")
	fs.StringVar(&f.entry, "entry", "main", "`NAME` of the function that is the program")
	fs.StringVar(&f.version, "tvm", "", "`VERSION` of TVM that wrote the text, where the text does not say and its meaning hangs on it: 0.7")
	fs.Var(f.lower, "lower", "none keeps operators as Relay calls, glenside takes those apart for which there are rules")
	fs.StringVar(&f.constants, "constants", "", "`DIR` to write tensors to that the metadata holds; they become inputs")
	fs.BoolVar(&f.accelerators, "accelerators", false, "annotated functions are the accelerator calls that Composite names, not their bodies")
	fs.StringVar(&f.shapes, "shapes", "", "JSON `FILE` with the shapes of a dump's tensors")
	fs.StringVar(&f.companion, "companion", "", "JSON `FILE` with the shapes of a dump's nodes, which are compared")
	fs.Var(f.format, "format", "of the report")
	return cmd
}

// An importReport is what tv import says of a model.
type importReport struct {
	Operators    map[string]int    `json:"operators"`
	Calls        int               `json:"calls"`
	TreeCalls    string            `json:"tree_calls"`
	Inputs       []importTensor    `json:"inputs"`
	Results      []importTensor    `json:"results"`
	Accelerators map[string]int    `json:"accelerators"`
	Defaults     []syntax.Default  `json:"defaults"`
	Warnings     []importWarning   `json:"warnings"`
	Constants    map[string]string `json:"constants,omitempty"` // files by input
	Lowering     *importLowering   `json:"lowering,omitempty"`
}

// An importLowering says what rules took apart.
type importLowering struct {
	Steps map[string]int `json:"steps"` // by rule
	Left  map[string]int `json:"left"`  // Relay calls that stay, by operator
}

type importTensor struct {
	Name  string  `json:"name,omitempty"`
	Shape []int64 `json:"shape"`
	Type  string  `json:"type"`
}

type importWarning struct {
	Code    string `json:"code"`
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	Message string `json:"message"`
}

func tensorOf(name string, t *syntax.Type) importTensor {
	return importTensor{name, append([]int64{}, t.Dims...), t.Elem.String()}
}

// importModel reads a model, and writes the program and the report.
func (a *app) importModel(ctx context.Context, name, from string, f *importFlags) error {
	if err := notInputs([]string{name}, []string{f.out}); err != nil {
		return err
	}
	if f.version != "" && !tvmVersion.MatchString(f.version) {
		return usageError("--tvm: %q is no version of TVM, such as 0.7 or 0.8.dev0", f.version)
	}
	file, err := files.Read(name, a.stdin)
	if err != nil {
		return err
	}
	if from == fromRecExpr {
		if f.lower.value != "none" {
			return usageError("--lower: a dump is a program of Glenside already")
		}
		if f.accelerators {
			return usageError("--accelerators: a dump has accelerator calls already")
		}
		return a.importDump(file, f)
	}
	for _, flag := range []struct{ name, value string }{{"shapes", f.shapes}, {"companion", f.companion}} {
		if flag.value != "" {
			return usageError("--%s: a text of Relay has its shapes", flag.name)
		}
	}
	m, err := syntax.Parse(file, f.entry)
	if err != nil {
		return err
	}
	g, err := m.Graph(syntax.Options{Version: f.version, Accelerators: f.accelerators})
	if err != nil {
		return err
	}
	p, err := translate.New(g, translate.Options{Constants: f.constants != ""})
	if err != nil {
		return err
	}
	report := reportOf(g, p)
	if report.Constants, err = writeConstants(f.constants, p); err != nil {
		return err
	}
	text := p.Text
	if f.lower.value != "none" {
		if text, err = lowered(ctx, text, report); err != nil {
			return err
		}
	}
	return a.deliverImport(f, text, report, slices.Concat(g.Warnings, p.Warnings))
}

// lowered takes Relay calls of a program apart by rules of the catalogue, each of which it certifies first.
func lowered(ctx context.Context, text string, report *importReport) (string, error) {
	var all []*rule.Rule
	for _, f := range []*source.File{source.NewFile("glenside.rules", rulefiles.Glenside), source.NewFile("lowering.rules", rulefiles.Lowering)} {
		rules, err := rule.Parse(f)
		if err != nil {
			return "", err
		}
		all = append(all, rules...)
	}
	all = slices.DeleteFunc(all, func(r *rule.Rule) bool {
		return r.Want == equiv.Refuted.String() || !strings.Contains(r.Name, "-relay-to-glenside") &&
			r.Name != "eliminate-expand-dims-zero-num-newaxis"
	})
	l, err := lowering.Lower(text, all)
	if err != nil {
		return "", err
	}
	for _, r := range all {
		if l.Steps[r.Name] == 0 {
			continue
		}
		verdict, err := rules.Check(ctx, r, domain.Float32, equiv.Options{})
		if err != nil {
			return "", err
		}
		if verdict.Verdict != equiv.Proved || verdict.Certificate == nil && !verdict.Trivial {
			return "", &source.Error{Name: "glenside.rules", Code: codeUncertified,
				Msg: fmt.Sprintf("the rule %s is %s, and is wanted %d times", r.Name, verdict.Verdict, l.Steps[r.Name])}
		}
	}
	report.Lowering = &importLowering{l.Steps, l.Left}
	return l.Text, nil
}

// codeUncertified is the code of a rule that is to be used and is not proved.
const codeUncertified = "rule-not-proved"

// deliverImport writes a program and the report about it.
func (a *app) deliverImport(f *importFlags, text string, report *importReport, warnings source.Errors) error {
	for _, w := range warnings {
		at := w.Position()
		report.Warnings = append(report.Warnings, importWarning{w.Code, at.Line, at.Col, w.Msg})
	}
	if f.format.value != "json" || f.out != "" {
		if err := a.output(f.out, []byte(text)); err != nil {
			return err
		}
	}
	if f.format.value == "json" {
		data, err := json.MarshalIndent(report, "", "  ")
		if err != nil {
			return err
		}
		return a.output("", append(data, '\n'))
	}
	a.warn(warnings)
	if f.out == "" || f.out == files.Stdin {
		return nil
	}
	return a.output("", []byte(report.text()))
}

// importDump reads a dump of a program of Glenside.
func (a *app) importDump(file *source.File, f *importFlags) error {
	var shapes []domain.Input
	if f.shapes != "" {
		text, err := files.Read(f.shapes, a.stdin)
		if err != nil {
			return err
		}
		if shapes, err = glenside.ParseShapes(f.shapes, []byte(text.Text)); err != nil {
			return err
		}
	}
	var companion *source.File
	if f.companion != "" {
		var err error
		if companion, err = files.Read(f.companion, a.stdin); err != nil {
			return err
		}
	}
	p, err := recexpr.Read(file, shapes, companion)
	if err != nil {
		return err
	}
	r := &importReport{Operators: p.Operators, Calls: p.Calls, TreeCalls: p.Tree.String(), Accelerators: p.Accel,
		Inputs: []importTensor{}, Results: []importTensor{}, Defaults: []syntax.Default{}, Warnings: []importWarning{}}
	for _, in := range p.Parsed.Inputs {
		r.Inputs = append(r.Inputs, importTensor{in.Name, numbersOf(in.Tensor().Dims), in.Elem.String()})
	}
	r.Results = leavesOf(p.Typing.Root())
	return a.deliverImport(f, p.Text, r, p.Warnings)
}

// leavesOf lists the tensors of a type from left to right.
func leavesOf(t *glenside.Type) (list []importTensor) {
	if t.Kind != glenside.TypeTuple {
		return []importTensor{{"", numbersOf(t.Dims), t.Elem.String()}}
	}
	for _, item := range t.Items {
		list = append(list, leavesOf(item)...)
	}
	return list
}

func numbersOf(dims []domain.Size) []int64 {
	list := make([]int64, len(dims))
	for i, d := range dims {
		list[i], _ = d.Int64()
	}
	return list
}

func reportOf(g *syntax.Graph, p *translate.Program) *importReport {
	r := &importReport{Accelerators: g.Accelerators, Defaults: append([]syntax.Default{}, g.Defaults...),
		Inputs: []importTensor{}, Results: []importTensor{}, Warnings: []importWarning{}, TreeCalls: g.TreeCalls().String()}
	r.Operators, r.Calls = g.Operators()
	for _, in := range p.Inputs {
		r.Inputs = append(r.Inputs, tensorOf(in.Name, in.Type))
	}
	result := g.Result.Type
	if n := g.Result; n.Kind == syntax.NodeCall && n.Op.Name == "nn.batch_norm" {
		result = result.Items[0]
	}
	for _, t := range result.Leaves() {
		r.Results = append(r.Results, tensorOf("", t))
	}
	return r
}

// writeConstants writes the tensors that inputs stand for.
func writeConstants(dir string, p *translate.Program) (map[string]string, error) {
	if len(p.Constants) == 0 {
		return nil, nil
	}
	if err := files.MakeDirectory(dir); err != nil {
		return nil, err
	}
	written := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(p.Constants)) {
		c := p.Constants[name]
		tensor := casefile.Tensor{Shape: append([]int64{}, c.Type.Dims...), Type: c.Type.Elem}
		for i := range c.Elements() {
			text, ok := c.Text(i)
			if !ok {
				return nil, &source.Error{Name: name, Code: syntax.CodeMetadata,
					Msg: fmt.Sprintf("element %d is no number: %#x", i, c.Bits(i))}
			}
			tensor.Data = append(tensor.Data, text)
		}
		data, err := json.Marshal(tensor)
		if err != nil {
			return nil, err
		}
		file := filepath.Join(dir, name+".json")
		if err := files.WriteAtomic(file, append(data, '\n')); err != nil {
			return nil, err
		}
		written[name] = file
	}
	return written, nil
}

// text prints a report for people.
func (r *importReport) text() string {
	var b strings.Builder
	tree := r.TreeCalls
	if len(tree) > 12 {
		tree = fmt.Sprintf("%s.%se%d", tree[:1], tree[1:2], len(tree)-1)
	}
	fmt.Fprintf(&b, "%d calls (%s as a tree), %d inputs, %d results\n", r.Calls, tree, len(r.Inputs), len(r.Results))
	names := slices.SortedFunc(maps.Keys(r.Operators), func(x, y string) int {
		return cmp.Or(r.Operators[y]-r.Operators[x], strings.Compare(x, y))
	})
	for _, name := range names {
		fmt.Fprintf(&b, "%8d %s\n", r.Operators[name], name)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Accelerators)) {
		fmt.Fprintf(&b, "accelerator: %d %s\n", r.Accelerators[name], name)
	}
	for _, d := range r.Defaults {
		fmt.Fprintf(&b, "default: %s %s=%s, %d calls\n", d.Operator, d.Attribute, d.Value, d.Calls)
	}
	if l := r.Lowering; l != nil {
		for _, name := range slices.Sorted(maps.Keys(l.Steps)) {
			fmt.Fprintf(&b, "rule: %d %s\n", l.Steps[name], name)
		}
		for _, name := range slices.Sorted(maps.Keys(l.Left)) {
			fmt.Fprintf(&b, "not lowered: %d %s\n", l.Left[name], name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Constants)) {
		fmt.Fprintf(&b, "constant: %s in %s\n", name, r.Constants[name])
	}
	return b.String()
}
