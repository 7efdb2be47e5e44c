//go:build !js

package cli

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tv/ci"
	"tv/equiv"
	"tv/equiv/machine"
	"tv/hwmodels"
	"tv/hwmodels/crossbar"
	"tv/hwmodels/flexasr"
	"tv/hwmodels/vta"
	"tv/ila"
	"tv/ila/race"
	"tv/ila/refine"
	"tv/internal/source"
	"tv/internal/spelling"
	listing "tv/semantics/vta"
)

// codeMachine is the code of a name that no machine or driver has.
const codeMachine = "machine-unknown"

// ilaCodes are the codes of packages ila and hwmodels.
var ilaCodes = []Code{
	{Name: codeMachine, Meaning: "there is no machine or driver of that name; see tv ila list",
		Example: "tv ila show npu\n"},
	{Name: "machine-sizes", Meaning: "a driver cannot map an operation of these sizes onto its machine",
		Example: "tv ila verify vta-dense --sizes 16x16x17\n"},
	{Name: codeBias, Meaning: "an exponent bias that has no 3 bits, or of a tensor that a driver does not have",
		Example: "tv ila verify flexasr-linear --sizes 1x16x16 --set weights=8\n"},
	{Name: flexasr.CodeTables, Meaning: "tables of a machine's functions that cannot be read, or have a wrong number of entries",
		run: "tv ila show flexasr --tables a.tables\n-- a.tables --\nrelease mine\nexp2 slopes 194 230 273\n"},
	{Name: codeRange, Meaning: "a range of operands has no number in it",
		Example: "tv ila error flexasr-linear --sizes 64x64 --range 1..-1\n"},
	{Name: machine.CodeSizes, Meaning: "a program with named sizes is compared with a listing, which is for fixed ones",
		run: "tv check a.sexp b.vta\n-- a.sexp --\n(input A (shape 4) int8)\n(input B (shape N) int8)\n" +
			"(compute reduce-sum (access B 0))\n-- b.vta --\n.input A dram=0 shape=4 type=int8\n" +
			".output out dram=64 shape=1 type=int8\nfinish\n"},
	{Name: vta.CodeListing, Meaning: "a listing of a machine's instructions cannot be read",
		Example: "load inp dram=oops\n"},
	{Name: listing.CodeLowered, Meaning: "a listing is run bit for bit: it has no terms, no normal form and no real numbers",
		run: "tv show --normal-form a.vta\n-- a.vta --\n.input a dram=0 shape=1x16 type=int8\n.output out dram=256 shape=1x16 type=int8\n" +
			"load acc8 y=1 x=1 stride=1 push_next\nstore out dram=16 y=1 x=1 stride=1 pop_prev\nfinish\n"},
	{Name: ila.CodeModel, Meaning: "a model is not one: sorts that do not fit, state that is not its own, a child of itself"},
	{Name: codeRefinement, Meaning: "two machines cannot be compared: state that nothing is said of, instructions that are not there",
		Example: "tv ila verify systolic-step --against systolic\n"},
	{Name: ila.CodeInvariant, Meaning: "a model does not keep an invariant that it states"},
	{Name: ila.CodeAddress, Meaning: "an instruction uses an address beyond a memory"},
	{Name: ila.CodeUnwritten, Meaning: "an instruction reads a cell of a memory that nobody wrote"},
	{Name: ila.CodeDecode, Meaning: "no instruction of a model decodes, or more than one"},
	{Name: ila.CodeToken, Meaning: "an instruction waits for a token that never comes; in program order, it pops an empty queue, or pushes a full one"},
	{Name: race.CodeSchedule, Meaning: "a schedule of the units of a machine is none that they can follow",
		run: "tv ila run a.vta --schedule a.schedule\n-- a.vta --\n.input a dram=0 shape=1x16 type=int8\n" +
			".output out dram=256 shape=1x16 type=int8\nload acc8 y=1 x=1 stride=1 push_next\n" +
			"store out dram=16 y=1 x=1 stride=1 pop_prev\nfinish\n-- a.schedule --\nstore start\n"},
	{Name: ila.CodeReserved, Meaning: "an instruction has bits that must be 0"},
	{Name: ila.CodeSteps, Meaning: "the micro-instructions of an instruction do not come to an end"},
	{Name: ila.CodeSymbolic, Meaning: "what a machine does next, or where, depends on the values of data"},
	{Name: ila.CodeFinish, Meaning: "a program ends without the instruction that the host waits for before it reads",
		run: "tv ila run a.vta\n-- a.vta --\n.input a dram=0 shape=1x16 type=int8\n.output out dram=256 shape=1x16 type=int8\n" +
			"load acc8 y=1 x=1 stride=1 push_next\nstore out dram=16 y=1 x=1 stride=1 pop_prev\n"},
	{Name: ila.CodeOperand, Meaning: "an instruction or an operand that the machine does not have"},
	{Name: crossbar.CodeBusy, Meaning: "the host writes a register before it has seen that the machine is done"},
	{Name: crossbar.CodeConfig, Meaning: "a machine is not built, or a driver does not work, with such a choice"},
	{Name: crossbar.CodeLayout, Meaning: "operands that a driver does not take: a leading dimension below a row, matrices that overlap or run beyond the memory"},
}

func (a *app) ilaCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ila",
		Short: "models of accelerators, and proofs that mappings onto them are right",
		Long: `Ila works with instruction-level models of accelerators: what each instruction does to the state that
programs can see. A driver turns an operation on tensors into instructions; its contract says what the
operation means, bit by bit.`,
	}
	cmd.AddCommand(a.ilaListCommand(), a.ilaShowCommand(), a.ilaCheckCommand(), a.ilaRunCommand(),
		a.ilaVerifyCommand(), a.ilaErrorCommand(), a.ilaCoverageCommand())
	return cmd
}

func (a *app) ilaListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "the machines and the drivers", Args: exactly(0),
		Long: "List prints the machines and the drivers, each with what it is; of a driver what its sizes are as well.",
		RunE: func(*cobra.Command, []string) error {
			var b strings.Builder
			b.WriteString("machines\n")
			for _, m := range hwmodels.All() {
				fmt.Fprintf(&b, "  %-18s %s\n", m.Name, m.Doc)
			}
			b.WriteString("drivers\n")
			for _, d := range hwmodels.Drivers() {
				fmt.Fprintf(&b, "  %-18s %s; --sizes %s\n", d.Name, d.Doc, d.Sizes)
			}
			return a.output("", []byte(b.String()))
		},
	}
}

func (a *app) ilaShowCommand() *cobra.Command {
	format := newChoice("text", "json", "smt2")
	var tables string
	cmd := &cobra.Command{
		Use: "show MACHINE", Short: "the manual of a machine, printed from its model", Args: exactly(1),
		Long: `Show prints the manual of a machine, the same as JSON (ci/schema/model.schema.json), or its transition relation
in SMT-LIB 2: state before and after, and for each instruction when it decodes, when it is at fault and what it
does. Of functions that the machine computes by tables the manual says how far they lie from the functions that they stand for, over all
arguments; --tables takes the tables from a file.`,
		Example: "  tv ila show vta\n  tv ila show vta --format smt2",
		RunE: func(_ *cobra.Command, args []string) error {
			m, err := machineNamed(args[0])
			if err != nil {
				return err
			}
			if tables != "" {
				if m.Tabled == nil {
					return usageError("%s has no tables", m.Name)
				}
				t, err := a.readTables(tables)
				if err != nil {
					return err
				}
				m.New = func() *ila.Model { return m.Tabled(t) }
			}
			var b bytes.Buffer
			write := map[string]func(io.Writer, *ila.Model) error{
				"text": ila.Manual, "json": ila.JSON, "smt2": ila.SMTLIB,
			}[format.value]
			err = write(&b, m.New())
			if err != nil {
				return err
			}
			return a.output("", b.Bytes())
		},
	}
	cmd.Flags().Var(format, "format", "format of the manual")
	registerTables(cmd.Flags(), &tables)
	return cmd
}

// machineNamed returns the machine of a name. Errors: machine-unknown, with the nearest name.
func machineNamed(name string) (hwmodels.Machine, error) {
	var known []string
	for _, m := range hwmodels.All() {
		if m.Name == name {
			return m, nil
		}
		known = append(known, m.Name)
	}
	return hwmodels.Machine{}, unknownName("machine", name, known)
}

func driver(name string) (hwmodels.Driver, error) {
	var known []string
	for _, d := range hwmodels.Drivers() {
		if d.Name == name {
			return d, nil
		}
		known = append(known, d.Name)
	}
	return hwmodels.Driver{}, unknownName("driver", name, known)
}

func unknownName(kind, name string, known []string) error {
	hint := "there are " + strings.Join(known, ", ")
	if near := spelling.Nearest(name, known); near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	}
	return &source.Error{Code: codeMachine, Msg: fmt.Sprintf("there is no %s %q; %s", kind, name, hint)}
}

func (a *app) ilaCheckCommand() *cobra.Command {
	flags := &reportFlags{}
	cmd := &cobra.Command{
		Use: "check [MACHINE...]", Short: "judges models by themselves (without a name: all)",
		Long: `Check judges a model by itself: sorts fit, no child is a child of itself; for every state and input,
decodes do not overlap and every input decodes; the invariants that it states hold at first, and every
instruction keeps them; in every state that satisfies them, indices do not wrap and lie in their memories,
and cells are written before they are read, but where the manual says that programs see to that. What is
wrong is refuted by a state, with the code that tv explain knows.`,
		Example: "  tv ila check\n  tv ila check vta --format json",
		RunE: func(cmd *cobra.Command, names []string) error {
			if len(names) == 0 {
				for _, m := range hwmodels.All() {
					names = append(names, m.Name)
				}
			}
			plan, err := a.plan(flags, nil)
			if err != nil {
				return err
			}
			run := &ci.Run{Args: append([]string{"ila", "check"}, names...)}
			for _, name := range names {
				m, err := machineNamed(name)
				if err != nil {
					return err
				}
				start := time.Now()
				findings, err := refine.Check(m.New())
				if err != nil {
					return err
				}
				took := time.Since(start) / time.Duration(max(1, len(findings))) // they are decided together
				for _, f := range findings {
					r := equiv.Result{Before: f.Question, After: f.Model, Arith: equiv.Exact, Engine: "cases",
						Verdict: verdictOf(f.Verdict), Elapsed: took, SHA256: digest("check", f.Model, f.Question)}
					if f.Code != ila.CodeDecode {
						r.Engine = "ranges"
					}
					if r.Verdict == equiv.Unknown {
						r.Reason = "incomplete"
					} else if r.Verdict == equiv.Refuted {
						r.Reason = "values"
					}
					r.Detail = f.Detail
					if r.Verdict == equiv.Refuted {
						r.Detail += " [" + f.Code + "]"
					}
					r.Stats.Samples = f.Cases
					run.Items = append(run.Items, ci.Item{Kind: "ila", Result: r})
				}
			}
			return a.deliver(run, flags, plan, nil)
		},
	}
	flags.register(cmd)
	return cmd
}

// digest returns the SHA-256 of a statement.
func digest(parts ...string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(parts, "\x00"))))
}
