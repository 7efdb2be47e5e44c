package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tv/ci"
	"tv/equiv"
	"tv/equiv/bits/synth"
	"tv/internal/files"
	"tv/internal/source"
	"tv/internal/terminal"
	proof "tv/proofs/bits"
	"tv/semantics/bits/cells"
	"tv/semantics/bits/languages"
	"tv/semantics/bits/word"
)

// synthFlags are what tv synth is told.
type synthFlags struct {
	arch, template, format, least *choice
	latency, slices               int
	lang                          *choice
	out, certificate, top         string
	reports                       []string
	timeout                       time.Duration
	noTiming, quiet               bool
}

func newSynthFlags() *synthFlags {
	return &synthFlags{arch: newChoice("", cells.Arches...), template: newChoice(synth.Templates()[0], synth.Templates()[1:]...),
		format: newChoice("verilog", "json"), least: newChoice("cells", "depth"), lang: newChoice("", circuitLangNames()...), latency: -1, slices: 2}
}

func (a *app) synthCommand() *cobra.Command {
	f := newSynthFlags()
	cmd := &cobra.Command{
		Use:   "synth SPEC --arch A",
		Short: "find a netlist of an architecture's cells that computes a specification",
		Long: `Synth fills the holes of templates: tables, constants, what pins are connected to. What is right for some inputs is
compared with SPEC for all, and an input that shows a difference is one more to be right for, until a netlist is proved or no
words for the holes are left, which is proved too (unknown: no-mapping). The netlist goes to standard output, or to -o FILE. Its
text has been read and compared with SPEC as tv check does, and that proof has a certificate. doc/fpga.md has the templates.`,
		Example: `  tv synth and.bv --arch xilinx
  tv synth add.bv --arch lattice --template carry -o add.v --certificate add.cert
  tv synth mac.bv --arch xilinx --template dsp --latency 2 --format json -o mac.json`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.synthesize(cmd.Context(), args[0], f) },
	}
	fs := cmd.Flags()
	fs.Var(f.arch, "arch", "the architecture")
	fs.Var(f.template, "template", "the shape of the netlist; auto tries all, the cheapest first")
	fs.IntVar(&f.latency, "latency", -1, "cycles after which the outputs are there (default: what SPEC says)")
	fs.IntVar(&f.slices, "slices", 2, "how many slices of DSP48E2 the template dsp may have, 1 or 2")
	fs.StringVarP(&f.out, "output", "o", "", "`FILE` for the netlist; standard output where there is none")
	fs.Var(f.format, "format", "of the netlist; json is that of Yosys")
	fs.DurationVar(&f.timeout, "timeout", time.Minute, "time for the search, and for the check of its result")
	fs.Var(f.least, "min", "of what there is to be least")
	fs.Var(f.lang, "lang", "the language of SPEC, where its name does not say")
	fs.StringVar(&f.top, "top", "", "the module of SPEC, where that is Verilog")
	fs.StringVar(&f.certificate, "certificate", "", "`FILE` for the certificate, of the netlist or of that there is none")
	fs.StringArrayVar(&f.reports, "report", nil, "write a report: `KIND=FILE`, KIND one of the formats (repeatable)")
	fs.BoolVar(&f.noTiming, "no-timing", false, "leave times out of the report")
	fs.BoolVarP(&f.quiet, "quiet", "q", false, "only the first line of the report")
	return cmd
}

// mostLatency bounds registers: each cycle is one for each bit that passes a stage.
const mostLatency = 64

// synthesize finds a netlist and has its text checked.
func (a *app) synthesize(ctx context.Context, name string, f *synthFlags) error {
	if f.arch.value == "" {
		return usageError("--arch is wanted: one of %s", strings.Join(cells.Arches, ", "))
	}
	if f.latency < -1 || f.latency > mostLatency {
		return usageError("--latency is from 0 to %d, not %d", mostLatency, f.latency)
	}
	if f.slices != 1 && f.slices != 2 {
		return usageError("--slices is 1 or 2, not %d", f.slices)
	}
	lang := circuitLang(name, f.lang.value, true)
	if lang == nil {
		return usageError("%s is no specification over bit-vectors: .bv is one, --lang says it", name)
	}
	report := reportFlags{format: newChoice(ci.Formats[0], ci.Formats[1:]...), reports: f.reports, noTiming: f.noTiming, quiet: f.quiet, formats: ci.Formats}
	plan, err := a.plan(&report, []string{name}, f.out, f.certificate)
	if err != nil {
		return err
	}
	plan.files = plan.files[1:]
	texts, err := a.readCircuits([]string{name}, []*languages.Language{lang}, circuitOptions{Top: f.top})
	if err != nil {
		return err
	}
	spec := texts[0]
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	start := time.Now()
	ans, err := a.synthAnswer(ctx, spec, f)
	run := &ci.Run{Args: f.args(name)}
	if errors.Is(context.Cause(ctx), context.Canceled) && (ans == nil || ans.item.Result.Verdict == equiv.Unknown) {
		return context.Canceled
	}
	if err != nil {
		run.Errors = source.AsErrors(err)
	}
	if ans != nil {
		ans.item.Result.Elapsed = time.Since(start)
		run.Items = []ci.Item{ans.item}
	}
	if f.certificate != "" && ans != nil {
		err := writeCertificate(f.certificate, run)
		if ans.absence != nil {
			err = files.WriteAtomic(f.certificate, ans.absence)
		}
		run.Errors = append(run.Errors, source.AsErrors(err)...)
	}
	summary := files.Stdin // the netlist is on standard output
	if ans != nil && ans.netlist != "" && len(run.Errors) == 0 {
		if err := a.output(f.out, []byte(ans.netlist)); err != nil {
			return err
		}
		if f.out != "" && f.out != files.Stdin {
			summary = ""
		}
	} else {
		summary = ""
	}
	if err := a.deliver(run, &report, plan, nil); err != nil {
		return err
	}
	to := a.stdout
	if summary != "" {
		to = a.stderr
	}
	run.Version, run.Timing = version(), !f.noTiming
	return ci.Write(to, ci.Formats[0], run, ci.TextOptions{Quiet: f.quiet})
}

// args are what the report calls the question.
func (f *synthFlags) args(name string) []string {
	out := []string{"synth", "--arch=" + f.arch.value, "--template=" + f.template.value, "--min=" + f.least.value}
	if f.latency >= 0 {
		out = append(out, fmt.Sprintf("--latency=%d", f.latency))
	}
	return append(out, name)
}

// A synthAnswer is a netlist, or why there is none.
type synthAnswer struct {
	item    ci.Item
	netlist string
	absence []byte // certificates that sketches have no netlist
}

func (a *app) synthAnswer(ctx context.Context, spec *circuitText, f *synthFlags) (*synthAnswer, error) {
	latency := f.latency
	if latency < 0 {
		latency = spec.program.Latency()
	}
	b := word.NewBuilder()
	clock := spec.options().Clock
	if clock == "" {
		clock = "clk"
	}
	q := synth.Question{Spec: spec.program.Design(b), Arch: f.arch.value, Template: f.template.value, Latency: latency,
		Depth: f.least.value == "depth", Slices: f.slices, Name: moduleName(spec.file.Name), Clock: clock}
	found, err := synth.Run(ctx, q, synth.Options{Progress: a.saying(f)})
	if err != nil {
		return nil, err
	}
	ans := &synthAnswer{item: ci.Item{Kind: "synth", Want: equiv.Proved, Synth: found}}
	r := &ans.item.Result
	r.Arith, r.Equal, r.Domain = equiv.Exact, equiv.Bits, circuitDomain(nil, latency, false)
	after := "netlist" + map[string]string{"verilog": ".v", "json": ".json"}[f.format.value]
	if f.out != "" && f.out != files.Stdin {
		after = f.out
	}
	if found.Module == nil {
		r.Before, r.After = spec.file.Name, f.arch.value
		r.Reason, r.Detail = found.Reason, found.Detail
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			r.Reason, r.Detail = "timeout", ""
		}
		ans.absences(found, spec, f.arch.value)
		return ans, nil
	}
	text, lang := found.Module.Verilog(), languages.Named("verilog")
	if f.format.value == "json" {
		text, lang = found.Module.JSON(), languages.Named("yosys")
	}
	netlist, err := parseCircuit(source.NewFile(after, text), lang)
	if err == nil {
		err = netlist.elaborate(circuitOptions{Arch: f.arch.value, Clock: spec.options().Clock})
	}
	if err != nil {
		return nil, fmt.Errorf("the netlist that was found cannot be read: %w", err)
	}
	checked, err := askCircuit(ctx, spec, netlist, latency, 0)
	if err != nil {
		return nil, err
	}
	kept := *r
	*r = checked.result
	r.Arith, r.Equal = kept.Arith, kept.Equal
	r.Before, r.After = spec.file.Name, after
	if r.Verdict != equiv.Proved || r.Certificate == nil { // such a netlist is not given away
		if r.Verdict == equiv.Proved {
			r.Reason, r.Detail = "certificate", "what was found has none"
		}
		r.Verdict = equiv.Unknown
		return ans, nil
	}
	ans.netlist = text
	return ans, nil
}

// absences are the proofs that there is no netlist, which are checked before it is said.
func (ans *synthAnswer) absences(found *synth.Result, spec *circuitText, arch string) {
	if len(found.Outputs) == 0 {
		return
	}
	r := &ans.item.Result
	o := &found.Outputs[len(found.Outputs)-1]
	data := o.Absences(arch, spec.text())
	if len(data) == 0 {
		return
	}
	list, err := proof.CheckAbsence(data)
	if err == nil && r.Reason == "no-mapping" && len(list) != len(o.Tried) {
		err = errors.New("it is not of all that was tried")
	}
	if ans.absence = data; err != nil {
		r.Reason, r.Detail, ans.absence = "certificate", "that there is none is not shown: "+err.Error(), nil
	}
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9_]`)

// moduleName is the name of the module for a file.
func moduleName(file string) string {
	base := filepath.Base(file)
	name := notInNames.ReplaceAllString(strings.TrimSuffix(base, filepath.Ext(base)), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "m" + name
	}
	return name
}

// saying tells on a terminal what is tried.
func (a *app) saying(f *synthFlags) func(string) {
	if f.quiet || !terminal.Is(a.stderr) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return func(what string) { fmt.Fprintf(a.stderr, "trying %s\n", what) }
}
