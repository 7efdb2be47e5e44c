package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tv/ci"
	"tv/internal/files"
	"tv/internal/source"
	"tv/internal/terminal"
)

// reportFlags are the flags of every command that judges that say what to report, and where.
type reportFlags struct {
	format         *choice
	output         string
	reports        []string
	baseline       string
	noTiming       bool
	color          *choice // nil: the report has none
	quiet, verbose bool
	formats        []string
}

// register adds the flags to a command.
func (r *reportFlags) register(cmd *cobra.Command) {
	r.registerOutputs(cmd)
	r.color = newChoice("auto", "always", "never")
	fs := cmd.Flags()
	fs.Var(r.color, "color", "colour the text report")
	fs.BoolVarP(&r.verbose, "verbose", "v", false, "show counts of work as well")
}

// registerOutputs adds those that are not about how results are told; more are formats of the command's own.
func (r *reportFlags) registerOutputs(cmd *cobra.Command, more ...string) {
	r.registerFormats(cmd, more...)
	cmd.Flags().StringVar(&r.baseline, "baseline", "",
		"do not fail for refutations that this earlier JSON report `file` has")
}

// registerFormats adds those that a command has which refutes nothing.
func (r *reportFlags) registerFormats(cmd *cobra.Command, more ...string) {
	r.formats = slices.Concat(ci.Formats, more)
	r.format = newChoice(r.formats[0], r.formats[1:]...)
	fs := cmd.Flags()
	fs.Var(r.format, "format", "format of the report")
	fs.StringVarP(&r.output, "output", "o", "", "write the report to a `file` instead of standard output")
	fs.StringArrayVar(&r.reports, "report", nil,
		"write another report: `KIND=FILE`, KIND one of the formats (repeatable)")
	fs.BoolVar(&r.noTiming, "no-timing", false, "leave times out of the report, and progress out where standard error is no terminal")
	fs.BoolVarP(&r.quiet, "quiet", "q", false, "only the first line of each result")
}

// A reportFile is a report to write: its format and the name of its file.
type reportFile struct{ format, name string }

// reportPlan is what has to be known before a run: reports to write, the standard one first, and the baseline.
type reportPlan struct {
	files    []reportFile
	baseline map[string]bool
}

// plan reads the flags. So that no run is in vain, it finds out whether the reports and the other outputs of the
// run can be written; inputs are the files that the run reads.
func (a *app) plan(r *reportFlags, inputs []string, others ...string) (*reportPlan, error) {
	if r.quiet && r.verbose {
		return nil, usageError("--quiet and --verbose do not go together")
	}
	p := &reportPlan{files: []reportFile{{r.format.value, r.output}}}
	for _, value := range r.reports {
		format, name, ok := strings.Cut(value, "=")
		if !ok || name == "" || !slices.Contains(r.formats, format) {
			return nil, usageError("--report takes KIND=FILE, KIND one of %s, not %q",
				strings.Join(r.formats, ", "), value)
		}
		p.files = append(p.files, reportFile{format, name})
	}
	outputs := others
	for _, f := range p.files {
		outputs = append(outputs, f.name)
	}
	if err := notInputs(append([]string{r.baseline}, inputs...), outputs); err != nil {
		return nil, err
	}
	if err := distinct(outputs); err != nil {
		return nil, err
	}
	var errs source.Errors
	for _, name := range outputs {
		if name != "" && name != files.Stdin {
			errs = append(errs, source.AsErrors(files.Writable(name))...)
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	if r.baseline == "" {
		return p, nil
	}
	f, err := files.Read(r.baseline, a.stdin)
	if err != nil {
		return nil, err
	}
	p.baseline, err = ci.ReadBaseline(f)
	return p, err
}

// distinct refuses to write two outputs to one regular file.
func distinct(outputs []string) error {
	seen := map[string]bool{}
	for _, name := range outputs {
		if name == "" || name == files.Stdin {
			continue
		}
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
			continue
		}
		name = filepath.Clean(name)
		if seen[name] {
			return usageError("two outputs go to %s", name)
		}
		seen[name] = true
	}
	return nil
}

// deliver ends a run: it sets the exit status, prints the errors and writes all reports, each whether or not
// the others can be written. made are reports in formats of the command's own.
func (a *app) deliver(run *ci.Run, flags *reportFlags, plan *reportPlan, made map[string][]byte) error {
	a.delivering.Store(true)
	run.Version, run.Timing = version(), !flags.noTiming
	run.Baseline = plan.baseline
	write := ci.WriteShown
	if isWhole {
		run.Meaning, write = meaning, ci.Write
	}
	run.Exit = exitStatus(run)
	if a.delivered != nil {
		a.delivered(run)
	}
	a.printErrors(run.AllErrors())
	a.exit = run.Exit
	var errs source.Errors
	for _, f := range plan.files {
		color := "never"
		if flags.color != nil {
			color = flags.color.value
		}
		if f.name != "" && color == "auto" {
			color = "never"
		}
		var err error
		data, ok := made[f.format]
		if !ok {
			var b bytes.Buffer
			err = write(&b, f.format, run, ci.TextOptions{
				Color: terminal.Color(color, a.stdout), Quiet: flags.quiet, Verbose: flags.verbose,
			})
			data = b.Bytes()
		}
		if err == nil {
			err = a.output(f.name, data)
		}
		errs = append(errs, source.AsErrors(err)...)
	}
	if name := os.Getenv("GITHUB_STEP_SUMMARY"); isWhole && name != "" && flags.format.value == "github" {
		var b bytes.Buffer
		err := ci.StepSummary(&b, run)
		if err == nil {
			err = files.Append(name, b.Bytes())
		}
		errs = append(errs, source.AsErrors(err)...)
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}

// meaning says what an error code means.
func meaning(code string) string {
	list := Codes()
	i, ok := slices.BinarySearchFunc(list, code,
		func(c Code, name string) int { return strings.Compare(c.Name, name) })
	if !ok {
		return ""
	}
	return list[i].Meaning
}

// notInputs refuses to write over a file that is read.
func notInputs(inputs, outputs []string) error {
	for _, out := range outputs {
		outInfo, err := os.Stat(out)
		if err != nil || !outInfo.Mode().IsRegular() {
			continue
		}
		for _, in := range inputs {
			if inInfo, err := os.Stat(in); err == nil && os.SameFile(inInfo, outInfo) {
				return usageError("%s is read and would be written over", filepath.Clean(out))
			}
		}
	}
	return nil
}
