package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tv/ci"
	"tv/equiv"
	"tv/equiv/mapping"
	"tv/glenside"
	"tv/hwmodels"
	"tv/hwmodels/vta"
	"tv/ila"
	"tv/internal/source"
	"tv/internal/spelling"
	"tv/semantics/term"
)

// ilaLimit is the heap beyond which a verification collects garbage as often as it takes, in bytes.
const ilaLimit = 3 << 30

// codeMachine is the code of a name that no machine or driver has.
const codeMachine = "machine-unknown"

// ilaCodes are the codes of packages ila and hwmodels.
var ilaCodes = []Code{
	{Name: codeMachine, Meaning: "there is no machine or driver of that name; see tv ila list",
		Example: "tv ila show npu\n"},
	{Name: "machine-sizes", Meaning: "a driver cannot map an operation of these sizes onto its machine",
		Example: "tv ila verify vta-dense --sizes 16x16x17\n"},
	{Name: mapping.CodeSizes, Meaning: "a program with named sizes is compared with a listing, which is for fixed ones",
		run: "tv check a.sexp b.vta\n-- a.sexp --\n(input A (shape 4) int8)\n(input B (shape N) int8)\n" +
			"(compute reduce-sum (access B 0))\n-- b.vta --\n.input A dram=0 shape=4 type=int8\n" +
			".output out dram=64 shape=1 type=int8\nfinish\n"},
	{Name: vta.CodeListing, Meaning: "a listing of a machine's instructions cannot be read",
		Example: "load inp dram=oops\n"},
	{Name: ila.CodeModel, Meaning: "a model is not one: sorts that do not fit, state that is not its own, a child of itself"},
	{Name: codeRefinement, Meaning: "two machines cannot be compared: state that nothing is said of, instructions that are not there",
		Example: "tv ila verify systolic-step --against systolic\n"},
	{Name: ila.CodeInvariant, Meaning: "a model does not keep an invariant that it states"},
	{Name: ila.CodeAddress, Meaning: "an instruction uses an address beyond a memory"},
	{Name: ila.CodeUnwritten, Meaning: "an instruction reads a cell of a memory that nobody wrote"},
	{Name: ila.CodeDecode, Meaning: "no instruction of a model decodes, or more than one"},
	{Name: ila.CodeToken, Meaning: "an instruction pops an empty queue of dependency tokens, or pushes a full one"},
	{Name: ila.CodeReserved, Meaning: "an instruction has bits that must be 0"},
	{Name: ila.CodeSteps, Meaning: "the micro-instructions of an instruction do not come to an end"},
	{Name: ila.CodeSymbolic, Meaning: "what a machine does next, or where, depends on the values of data"},
	{Name: ila.CodeOperand, Meaning: "an instruction or an operand that the machine does not have"},
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
		a.ilaVerifyCommand())
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
	cmd := &cobra.Command{
		Use: "show MACHINE", Short: "the manual of a machine, printed from its model", Args: exactly(1),
		Long: `Show prints the manual of a machine, the same as JSON (ci/schema/model.schema.json), or its transition relation
in SMT-LIB 2: state before and after, and for each instruction when it decodes, when it is at fault and what it
does.`,
		Example: "  tv ila show vta\n  tv ila show vta --format smt2",
		RunE: func(_ *cobra.Command, args []string) error {
			m, err := machine(args[0])
			if err != nil {
				return err
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
	completeChoice(cmd, "format")
	return cmd
}

func machine(name string) (hwmodels.Machine, error) {
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
				m, err := machine(name)
				if err != nil {
					return err
				}
				start := time.Now()
				findings, err := ila.Check(m.New())
				if err != nil {
					return err
				}
				for _, f := range findings {
					r := equiv.Result{Before: f.Question, After: f.Model, Arith: equiv.Exact, Engine: "cases",
						Verdict: verdictOf(f.Verdict), Elapsed: time.Since(start), SHA256: digest("check", f.Model, f.Question)}
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

func verdictOf(v ila.Verdict) equiv.Verdict {
	return map[ila.Verdict]equiv.Verdict{
		ila.Unknown: equiv.Unknown, ila.Proved: equiv.Proved, ila.Refuted: equiv.Refuted,
	}[v]
}

// digest returns the SHA-256 of a statement.
func digest(parts ...string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(parts, "\x00"))))
}

func (a *app) ilaVerifyCommand() *cobra.Command {
	flags := &reportFlags{}
	var sizes []string
	var all bool
	var c claim
	cmd := &cobra.Command{
		Use:   "verify {DRIVER {--sizes AxB... | --all-sizes} | MACHINE} [--against MACHINE]",
		Short: "proves that a driver's program computes its contract, or that machines agree",
		Long: `Verify runs the program that a driver makes for an operation of the given sizes, for all values of the
operands at once, and compares each element of the result with the contract. --sizes may be given several
times; tv ila list says what the numbers are. --all-sizes proves it for all sizes by one induction over the
loops of driver and machine; the first line says for which.

With --against it compares machines. Of a driver: does its program leave what it leaves on the other machine,
after all micro-steps? Of a machine: does each instruction and micro-instruction do what that of the same name
(or the one that --pair says) does, in every state and for all inputs? Inputs and bit-vectors of the other machine
are those of the same name, or what --map says: word=op++x{3:0}++0:4 is the bits of op above the low four of x
above four zeros. A counterexample is a state.`,
		Example: "  tv ila verify vta-dense --sizes 64x128x32\n  tv ila verify vta-dense --all-sizes\n" +
			"  tv ila verify systolic-matmul --sizes 5x4x4 --against systolic-step\n  tv ila verify vta --against vta-opencl",
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			left, errMachine := machine(args[0])
			if errMachine == nil {
				if c.against == "" || len(sizes) > 0 || all {
					return usageError("%s is a machine: it wants --against and no sizes", left.Name)
				}
				plan, err := a.plan(flags, nil)
				if err != nil {
					return err
				}
				run := &ci.Run{Args: []string{"ila", "verify", left.Name, "--against=" + c.against}}
				run.Items, err = ilaRefinement(cmd.Context(), left, c)
				if err != nil {
					return err
				}
				return a.deliver(run, flags, plan, nil)
			}
			d, err := driver(args[0])
			if err != nil {
				return err
			}
			if len(c.maps)+len(c.paired) > 0 || c.against != "" && all {
				return usageError("%s is a driver: it takes --against with --sizes, and no --map or --pair", d.Name)
			}
			if len(sizes) == 0 && !all {
				return usageError("%s wants --sizes %s or --all-sizes", d.Name, d.Sizes)
			}
			plan, err := a.plan(flags, nil)
			if err != nil {
				return err
			}
			run := &ci.Run{Args: []string{"ila", "verify", d.Name}}
			verify := a.ilaVerify
			if c.against != "" {
				run.Args = append(run.Args, "--against="+c.against)
				verify = func(ctx context.Context, d hwmodels.Driver, text string) (ci.Item, error) {
					return ilaPrograms(ctx, d, text, c)
				}
			}
			if all {
				if d.All == nil {
					return usageError("there is no proof for all sizes of %s; give --sizes %s", d.Name, d.Sizes)
				}
				run.Args = append(run.Args, "--all-sizes")
				item, err := a.ilaVerifyAll(cmd.Context(), d)
				if err != nil {
					return err
				}
				run.Items = append(run.Items, item)
			}
			for _, text := range sizes {
				run.Args = append(run.Args, "--sizes="+text)
				item, err := verify(cmd.Context(), d, text)
				if err != nil {
					return err
				}
				run.Items = append(run.Items, item)
			}
			return a.deliver(run, flags, plan, nil)
		},
	}
	cmd.Flags().StringArrayVar(&sizes, "sizes", nil, "the sizes of the operation: `64x128x32` (repeatable)")
	cmd.Flags().BoolVar(&all, "all-sizes", false, "prove it for all sizes that the driver takes")
	cmd.Flags().StringVar(&c.against, "against", "", "compare with another `MACHINE`")
	cmd.Flags().StringArrayVar(&c.maps, "map", nil, "what an input or bit-vector of the other machine is: `NAME=PARTS` (repeatable)")
	cmd.Flags().StringArrayVar(&c.paired, "pair", nil, "compare these instructions only: `LEFT=RIGHT` (repeatable)")
	flags.register(cmd)
	return cmd
}

// parseDims reads "64x128x32".
func parseDims(text string, arity int, names string) ([]int, error) {
	parts := strings.Split(text, "x")
	dims := make([]int, len(parts))
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 0 || len(parts) != arity {
			return nil, usageError("--sizes takes %s, such as 64x128x32 for three numbers, not %q", names, text)
		}
		dims[i] = n
	}
	return dims, nil
}

func (a *app) ilaVerify(ctx context.Context, d hwmodels.Driver, text string) (ci.Item, error) {
	item := ci.Item{Kind: "ila"}
	dims, err := parseDims(text, d.Arity, d.Sizes)
	if err != nil {
		return item, err
	}
	// all terms of a task live to its end: with the limit of other commands large ones only collect garbage
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(ilaLimit))
	start := time.Now()
	task, err := d.New(dims)
	if err != nil {
		return item, sizesError(d, text, err)
	}
	r, err := ila.Verify(ctx, task)
	if err != nil {
		return item, err
	}
	item.Result = ilaResult(task, r, task.Claim, d.Name+" "+text, start)
	item.Result.SHA256 = digest("verify", d.Name, text, task.Claim)
	if r.Verdict == ila.Refuted {
		item.Replay = shellQuote("tv", "ila", "verify", d.Name, "--sizes", text)
	}
	return item, nil
}

func sizesError(d hwmodels.Driver, text string, err error) error {
	return &source.Error{Code: "machine-sizes", Msg: fmt.Sprintf("%s %s: %v", d.Name, text, err), Err: err}
}

// ilaResult returns what ila.Verify says of a task, as a result between two names.
func ilaResult(task *ila.Task, r *ila.Result, before, after string, start time.Time) equiv.Result {
	res := equiv.Result{
		Before: before, After: after, Arith: equiv.Exact, Verdict: verdictOf(r.Verdict),
		Reason: r.Reason, Detail: r.Detail, Engine: "symbolic", Elapsed: time.Since(start),
	}
	if r.Verdict == ila.Refuted {
		res.Engine = "sample"
		res.Counterexample = ilaCounterexample(task, r)
	}
	if r.Verdict == ila.Proved {
		res.Explanation = append(res.Explanation, fmt.Sprintf("%d instructions, %d micro-steps; %s", r.Steps, r.Micro, r))
	}
	res.Trusts = task.Rests
	res.Stats.Terms = r.Terms
	res.Stats.Samples = r.Samples
	return res
}

// ilaVerifyAll proves or refutes a driver for all sizes.
func (a *app) ilaVerifyAll(ctx context.Context, d hwmodels.Driver) (ci.Item, error) {
	item := ci.Item{Kind: "ila"}
	start := time.Now()
	f := d.All()
	claim, err := f.Claim()
	if err != nil {
		return item, err
	}
	answer, err := ila.VerifyAll(ctx, f)
	if err != nil {
		return item, err
	}
	r := answer.Result
	res := equiv.Result{
		Before: claim, After: d.Name, Arith: equiv.Exact, Verdict: verdictOf(r.Verdict), Reason: r.Reason, Detail: r.Detail,
		Domain: f.Domain, Engine: "induction", Elapsed: time.Since(start),
		SHA256: digest("verify-all", d.Name, claim, strings.Join(f.Domain, "\x00")),
	}
	if r.Verdict == ila.Refuted {
		res.Engine = "sample"
		res.Counterexample = ilaCounterexample(answer.Task, r)
		res.Counterexample.Point = glenside.Point{}
		for i, s := range f.Sizes {
			res.Counterexample.Point[s.Name] = int64(answer.Point[i])
		}
		res.Detail = answer.Task.Name
		if r.Detail != "" {
			res.Detail += ": " + r.Detail
		}
	}
	if r.Verdict == ila.Proved {
		res.Explanation = append(res.Explanation, fmt.Sprintf("%d cases of sizes, %d loops; run on numbers at %d sizes",
			r.Cases, r.Loops, r.Samples))
		if r.Lemmas > 0 {
			res.Explanation = append(res.Explanation, fmt.Sprintf("%d scalar lemmas", r.Lemmas))
		}
	}
	res.Stats.Terms = r.Terms
	res.Stats.Samples = r.Samples
	item.Result = res
	return item, nil
}

// ilaCounterexample returns the values of the operands and of the element that differs.
func ilaCounterexample(task *ila.Task, r *ila.Result) *equiv.Counterexample {
	c := &equiv.Counterexample{}
	for i, x := range task.Inputs {
		in := equiv.InputValue{Name: x.Name, Elem: elemType(x), Sparse: map[int64]string{}}
		for _, d := range x.Dims {
			in.Dims = append(in.Dims, int64(d))
		}
		for at, v := range r.Inputs[i] {
			if v != 0 {
				in.Sparse[int64(at)] = decimal(x, v)
			}
		}
		c.Inputs = append(c.Inputs, in)
	}
	if r.Fault == nil {
		for _, i := range r.Element {
			c.Index = append(c.Index, int64(i))
		}
		c.Before, c.After = decimal(&task.Output, r.Want), decimal(&task.Output, r.Got)
	}
	return c
}

func elemType(x *ila.Tensor) glenside.ElemType {
	name := "uint"
	if x.Signed {
		name = "int"
	}
	t, _ := glenside.ParseElemType(name + strconv.Itoa(x.Width))
	return t
}

func decimal(x *ila.Tensor, v uint64) string {
	if x.Signed {
		return strconv.FormatInt(term.Signed64(v, x.Width), 10)
	}
	return strconv.FormatUint(v, 10)
}
