//go:build !js

package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tv/ci"
	"tv/equiv"
	"tv/equiv/machine"
	"tv/equiv/sample"
	"tv/hwmodels"
	"tv/hwmodels/crossbar"
	"tv/ila"
	"tv/ila/induct"
	"tv/ila/prove"
	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/term"
)

// ilaLimit is gcLimit of a verification.
const ilaLimit = 3 << 30

// manyElements is how many elements the operands of a program have for gcLimit to be the usual one.
const manyElements = 1 << 20

func (a *app) ilaVerifyCommand() *cobra.Command {
	flags := &reportFlags{}
	var sizes []string
	var all bool
	var c claim
	find := newChoice("", "adc")
	var choices choiceFlags
	cmd := &cobra.Command{
		Use:   "verify {DRIVER {--sizes AxB... | --all-sizes | --find adc} | MACHINE} [--against MACHINE]",
		Short: "proves that a driver's program computes its contract, or that machines agree",
		Long: `Verify runs the program that a driver makes for an operation of the given sizes, for all values of the
operands at once, and compares each element of the result with the contract, whatever the timing of units that run
at once; --sequential takes instructions in program order. --sizes may be given several times; tv ila list says what
the numbers are. --all-sizes proves it for all sizes by one induction over the
loops of driver and machine; the first line says for which. --set gives choices of a driver by name: of the crossbar such as
lda=300; of FlexASR exponent biases of tensors, 2 unless set, such as weights=3,inputs=0. --all-biases proves it for all of these at
once, and --tables takes the tables of its functions from a file. --find adc finds the least width of converters with which products
on a crossbar are exact.

With --against it compares machines. Of a driver: does its program leave what it leaves on the other machine,
after all micro-steps? Of a machine: does each instruction and micro-instruction do what that of the same name
(or the one that --pair says) does, in every state and for all inputs? Inputs and bit-vectors of the other machine
are those of the same name, or what --map says: word=op++x{3:0}++0:4 is the bits of op above the low four of x
above four zeros. A counterexample is a state.`,
		Example: "  tv ila verify vta-dense --sizes 64x128x32\n  tv ila verify vta-dense --all-sizes\n" +
			"  tv ila verify systolic-matmul --sizes 5x4x4 --against systolic-step\n  tv ila verify vta --against vta-opencl",
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			left, err := machineNamed(args[0])
			if err == nil {
				return a.ilaCompare(cmd.Context(), flags, left, c, len(sizes) > 0 || all || len(choices.args()) > 0)
			}
			d, err := driver(args[0])
			if err != nil {
				return err
			}
			if d.Nest != nil {
				c.settings, choices.set = choices.set, nil
			}
			if d, err = a.choose(&choices, d); err != nil {
				return err
			}
			c.choices = choices.args()
			if find.value != "" {
				if len(sizes) > 0 || all || c.against != "" || d.Name != "cim-gemm" {
					return usageError("--find adc is for cim-gemm, without sizes: they are 1 x 1 x rows")
				}
				return a.ilaAsk(cmd.Context(), flags, d, c, []ilaQuestion{{[]string{"--find=adc"}, d.Name,
					func(ctx context.Context) (ci.Item, error) { return ilaFindADC(ctx, d, c.settings) }}})
			}
			questions, err := ilaQuestions(d, sizes, all, c)
			if err != nil {
				return err
			}
			return a.ilaAsk(cmd.Context(), flags, d, c, questions)
		},
	}
	cmd.Flags().StringArrayVar(&sizes, "sizes", nil, "the sizes of the operation: `64x128x32` (repeatable)")
	cmd.Flags().BoolVar(&all, "all-sizes", false, "prove it for all sizes that the driver takes")
	cmd.Flags().Var(find, "find", "find the least: adc, the `width` of converters")
	cmd.Flags().StringVar(&c.against, "against", "", "compare with another `MACHINE`")
	cmd.Flags().StringArrayVar(&c.maps, "map", nil, "what an input or bit-vector of the other machine is: `NAME=PARTS` (repeatable)")
	cmd.Flags().StringArrayVar(&c.paired, "pair", nil, "compare these instructions only: `LEFT=RIGHT` (repeatable)")
	registerSequential(cmd.Flags(), &c.sequential)
	choices.register(cmd.Flags())
	flags.register(cmd)
	return cmd
}

// ilaCompare compares two machines.
func (a *app) ilaCompare(ctx context.Context, flags *reportFlags, left hwmodels.Machine, c claim, sized bool) error {
	if c.against == "" || sized {
		return usageError("%s is a machine: it wants --against, no sizes and no biases", left.Name)
	}
	plan, err := a.plan(flags, nil)
	if err != nil {
		return err
	}
	run := &ci.Run{Args: []string{"ila", "verify", left.Name, "--against=" + c.against}}
	run.Items, err = ilaRefinement(ctx, left, c)
	if err != nil {
		return err
	}
	return a.deliver(run, flags, plan, nil)
}

// An ilaQuestion is one of a run about a driver.
type ilaQuestion struct {
	args []string // the flags that pose it
	name string   // of the driver's program
	ask  func(ctx context.Context) (ci.Item, error)
}

// ilaQuestions returns what the flags ask of a driver: all sizes, then each of sizes.
func ilaQuestions(d hwmodels.Driver, sizes []string, all bool, c claim) ([]ilaQuestion, error) {
	switch {
	case c.against != "" && len(c.choices) > 0:
		return nil, usageError("--against takes no --set, --all-biases or --tables")
	case len(c.maps)+len(c.paired) > 0 || c.against != "" && all:
		return nil, usageError("%s is a driver: it takes --against with --sizes, and no --map or --pair", d.Name)
	case len(sizes) == 0 && !all:
		return nil, usageError("%s wants --sizes %s or --all-sizes", d.Name, d.Sizes)
	case len(c.settings) > 0 && (d.Nest == nil || all || c.against != ""):
		return nil, usageError("%s takes no --set, or none with these flags", d.Name)
	case all && d.All == nil:
		return nil, usageError("there is no proof for all sizes of %s; give --sizes %s", d.Name, d.Sizes)
	}
	var list []ilaQuestion
	if all {
		list = append(list, ilaQuestion{[]string{"--all-sizes"}, d.Name,
			func(ctx context.Context) (ci.Item, error) { return ilaVerifyAll(ctx, d) }})
	}
	for _, text := range sizes {
		dims, err := parseDims(text, d)
		if err != nil {
			return nil, err
		}
		q := ilaQuestion{[]string{"--sizes=" + text}, d.Name + " " + text,
			func(ctx context.Context) (ci.Item, error) { return ilaVerify(ctx, d, text, dims, c) }}
		if d.Nest != nil {
			q.ask = func(ctx context.Context) (ci.Item, error) { return ilaVerifyNest(ctx, d, text, dims, c.settings) }
		}
		if c.against != "" {
			q.ask = func(ctx context.Context) (ci.Item, error) { return ilaPrograms(ctx, d, text, dims, c) }
		}
		list = append(list, q)
	}
	return list, nil
}

// ilaAsk asks the questions about a driver, one after the other, and reports the answers: also those that there are
// when it is interrupted, or when another question cannot be asked.
func (a *app) ilaAsk(ctx context.Context, flags *reportFlags, d hwmodels.Driver, c claim, questions []ilaQuestion) error {
	plan, err := a.plan(flags, nil)
	if err != nil {
		return err
	}
	run := &ci.Run{Args: []string{"ila", "verify", d.Name}}
	if c.against != "" {
		run.Args = append(run.Args, "--against="+c.against)
	}
	for _, text := range c.settings {
		run.Args = append(run.Args, "--set="+text)
	}
	if c.sequential {
		run.Args = append(run.Args, "--"+sequentialFlag)
	}
	run.Args = append(run.Args, c.choices...)
	answered := 0
	for _, q := range questions {
		run.Args = append(run.Args, q.args...)
		var item ci.Item
		err := ctx.Err()
		if err == nil {
			item, err = q.ask(ctx)
		}
		if err != nil {
			item = ci.Item{Kind: "ila", Result: equiv.Result{Before: "contract", After: q.name, Arith: equiv.Exact}}
			if item.Open = ctx.Err() != nil; !item.Open {
				item.Errors = source.AsErrors(err)
			}
		}
		if !item.Open {
			answered++
		}
		run.Items = append(run.Items, item)
	}
	if ctx.Err() != nil {
		run.Errors = append(run.Errors, &source.Error{Code: codeInterrupted,
			Msg: fmt.Sprintf("stopped with %d of %d questions answered", answered, len(questions))})
	}
	return a.deliver(run, flags, plan, nil)
}

// parseDims reads the sizes of a driver: "64x128x32", if it does not read them itself.
func parseDims(text string, d hwmodels.Driver) ([]int, error) {
	if d.Parse != nil {
		dims, ok := d.Parse(text)
		if !ok {
			return nil, usageError("--sizes takes %s, not %q", d.Sizes, text)
		}
		return dims, nil
	}
	parts := strings.Split(text, "x")
	dims := make([]int, len(parts))
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 0 || len(parts) < d.Arity || len(parts) > d.Arity+d.Optional {
			return nil, usageError("--sizes takes %s, such as 64x128x32 for three numbers, not %q", d.Sizes, text)
		}
		dims[i] = n
	}
	return dims, nil
}

// ilaVerify proves or refutes a driver for the sizes of a text, which are dims.
func ilaVerify(ctx context.Context, d hwmodels.Driver, text string, dims []int, c claim) (ci.Item, error) {
	item := ci.Item{Kind: "ila"}
	// all terms of a task live to its end: with the limit of other commands large ones only collect garbage
	defer gcLimit.Store(gcLimit.Swap(ilaLimit))
	start := time.Now()
	task, err := d.New(dims)
	if err != nil {
		return item, sizesError(d, text, err)
	}
	elements := 0
	for _, x := range task.Inputs {
		elements += x.Size()
	}
	if elements > manyElements { // memory counts more than time
		gcLimit.Store(gcUsual)
	}
	ask, order := prove.Verify, ""
	if c.sequential && task.Model.Units != nil {
		ask, order = inOrder, machine.ProgramOrder
	}
	r, err := ask(ctx, task)
	if err != nil {
		return item, err
	}
	item.Result = ilaResult(task, r, task.Claim, d.Name+" "+text+d.With, start)
	item.Result.Order = order
	if order == "" {
		item.Result.Trusts = append(item.Result.Trusts, prove.Assumptions(task.Model)...)
	}
	item.Result.SHA256 = digest("verify", d.Name, text+d.With, task.Claim, order)
	if r.Verdict == prove.Refuted {
		replay := append([]string{"tv", "ila", "verify", d.Name, "--sizes", text}, c.choices...)
		if order != "" {
			replay = append(replay, "--"+sequentialFlag)
		}
		item.Replay = shellQuote(replay...)
	}
	return item, nil
}

// inOrder is prove.InOrder that nobody watches.
func inOrder(ctx context.Context, t *ila.Task) (*prove.Result, error) {
	return prove.InOrder(ctx, t, nil)
}

// ownInduction is what a verdict of package induct rests on.
const ownInduction = "the induction: its invariants were found and checked by one engine (no certificate)"

// ilaVerifyNest is ilaVerify of a driver that is proved as a loop nest.
func ilaVerifyNest(ctx context.Context, d hwmodels.Driver, text string, dims []int, settings []string) (ci.Item, error) {
	item := ci.Item{Kind: "ila"}
	defer gcLimit.Store(gcLimit.Swap(ilaLimit))
	start := time.Now()
	nest := func() (*ila.Nest, error) { return d.Nest(dims, settings) }
	if _, err := nest(); err != nil {
		return item, sizesError(d, text, err)
	}
	task, r, err := induct.VerifyNest(ctx, nest, nest)
	if err != nil {
		return item, err
	}
	after := strings.Join(append([]string{d.Name, text}, settings...), " ")
	item.Result = ilaResult(task, r, task.Claim, after, start)
	if r.Verdict != prove.Refuted {
		item.Result.Engine = "induction"
	}
	if r.Verdict == prove.Proved {
		item.Result.Explanation = []string{fmt.Sprintf("%d instructions, %d loops, %d scalar lemmas", r.Steps, r.Loops, r.Lemmas)}
		item.Result.Trusts = append(item.Result.Trusts, ownInduction)
	}
	item.Result.SHA256 = digest("verify", d.Name, after, task.Claim)
	if r.Verdict == prove.Refuted {
		words := []string{"tv", "ila", "verify", d.Name, "--sizes", text}
		for _, s := range settings {
			words = append(words, "--set", s)
		}
		item.Replay = shellQuote(words...)
	}
	return item, nil
}

// ilaFindADC finds the least width of converters, proves it, and shows what is lost with a bit less.
func ilaFindADC(ctx context.Context, d hwmodels.Driver, settings []string) (ci.Item, error) {
	item := ci.Item{Kind: "ila"}
	start := time.Now()
	o := crossbar.Defaults()
	if err := o.Set(settings); err != nil {
		return item, err
	}
	type answer struct {
		task *ila.Task
		*prove.Result
	}
	var proof, below answer // of the last question, and of the one before
	width, err := crossbar.LeastADC(o, func(nest func() (*ila.Nest, error)) (proved, wrong bool, err error) {
		below = proof
		proof.task, proof.Result, err = induct.VerifyNest(ctx, nest, nest)
		if err != nil {
			return false, false, err
		}
		return proof.Verdict == prove.Proved, proof.Verdict == prove.Refuted, nil
	})
	if err != nil {
		return item, err
	}
	with := func(bits int) []string { return append(slices.Clone(settings), fmt.Sprintf("adc=%d", bits)) }
	text := fmt.Sprintf("1x1x%d", o.Config.Rows)
	after := strings.Join(append([]string{d.Name, text}, with(width)...), " ")
	item.Result = ilaResult(proof.task, proof.Result, proof.task.Claim, after, start)
	item.Result.Engine = "induction"
	item.Result.Trusts = append(item.Result.Trusts, ownInduction)
	item.Result.SHA256 = digest("find", after, proof.task.Claim)
	replay := []string{"tv", "ila", "verify", d.Name, "--sizes", text}
	for _, s := range with(width - 1) {
		replay = append(replay, "--set", s)
	}
	lines := []string{fmt.Sprintf("converters of %d bits are the least: with less, down to 2, runs differ", width),
		fmt.Sprintf("with %d bits, where", width-1)}
	loss := ilaCounterexample(below.task, below.Result)
	for _, in := range loss.Inputs {
		lines = append(lines, "  "+ci.InputString(in))
	}
	lines = append(lines, fmt.Sprintf("  the result is %s, not %s", loss.After, loss.Before), "  replay: "+shellQuote(replay...))
	item.Result.Explanation = lines
	return item, nil
}

// sizesError is the error of sizes that a driver does not take, or the driver's own where that says more.
func sizesError(d hwmodels.Driver, text string, err error) error {
	var own *source.Error
	if errors.As(err, &own) && own.Code != "" {
		return &source.Error{Code: own.Code, Msg: fmt.Sprintf("%s %s: %s", d.Name, text, own.Msg), Err: err}
	}
	return &source.Error{Code: "machine-sizes", Msg: fmt.Sprintf("%s %s: %v", d.Name, text, err), Err: err}
}

// ilaResult returns what prove.Verify says of a task, as a result between two names.
func ilaResult(task *ila.Task, r *prove.Result, before, after string, start time.Time) equiv.Result {
	res := equiv.Result{
		Before: before, After: after, Arith: equiv.Exact, Verdict: verdictOf(r.Verdict),
		Reason: r.Reason, Detail: r.Detail, Engine: "symbolic", Elapsed: time.Since(start),
	}
	if r.Verdict == prove.Refuted {
		res.Engine = "sample"
		res.Counterexample = ilaCounterexample(task, r)
	}
	if r.Verdict == prove.Proved {
		res.Explanation = append(res.Explanation, fmt.Sprintf("%d instructions, %d micro-steps; %s", r.Steps, r.Micro, r))
	}
	res.Trusts = task.Rests
	res.Stats.Terms = r.Terms
	res.Stats.Samples = r.Samples
	return res
}

// ilaVerifyAll proves or refutes a driver for all sizes.
func ilaVerifyAll(ctx context.Context, d hwmodels.Driver) (ci.Item, error) {
	item := ci.Item{Kind: "ila"}
	start := time.Now()
	f := d.All()
	claim, units, err := f.Claim()
	if err != nil {
		return item, err
	}
	answer, err := induct.Verify(ctx, f)
	if err != nil {
		return item, err
	}
	r := answer.Result
	res := equiv.Result{
		Before: claim, After: d.Name + d.With, Arith: equiv.Exact, Verdict: verdictOf(r.Verdict), Reason: r.Reason, Detail: r.Detail,
		Domain: f.Domain, Engine: "induction", Elapsed: time.Since(start),
		SHA256: digest("verify-all", d.Name+d.With, claim, strings.Join(f.Domain, "\x00")),
	}
	if units { // races are looked for at sizes
		res.Order = machine.ProgramOrder
	}
	if r.Verdict == prove.Refuted {
		res.Engine = "sample"
		res.Counterexample = ilaCounterexample(answer.Task, r)
		res.Counterexample.Point = domain.Point{}
		for i, s := range f.Sizes {
			res.Counterexample.Point[s.Name] = int64(answer.Point[i])
		}
		res.Detail = answer.Task.Name
		if r.Detail != "" {
			res.Detail += ": " + r.Detail
		}
	}
	if r.Verdict == prove.Proved {
		res.Explanation = append(res.Explanation, fmt.Sprintf("%d cases of sizes, %d loops; run on numbers at %d sizes",
			r.Cases, r.Loops, r.Samples))
		res.Trusts = append(res.Trusts, ownInduction)
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
func ilaCounterexample(task *ila.Task, r *prove.Result) *sample.Counterexample {
	c := &sample.Counterexample{}
	switch {
	case r.Race != nil:
		c.Schedule = r.Race.Schedule.String()
	case r.Deadlock != nil:
		c.Schedule = r.Deadlock.Schedule.String()
	}
	for i, x := range task.Inputs {
		in := sample.InputValue{Name: x.Name, Elem: elemType(x), Sparse: map[int64]string{}}
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

func elemType(x *ila.Tensor) domain.Elem {
	name := "uint"
	if x.Signed {
		name = "int"
	}
	if t, ok := domain.ParseElem(name + strconv.Itoa(x.Width)); ok || !x.Signed {
		return t
	}
	return domain.Elem{Kind: domain.ElemInt, Width: x.Width}
}

func decimal(x *ila.Tensor, v uint64) string {
	if x.Signed {
		return strconv.FormatInt(term.Signed64(v, x.Width), 10)
	}
	return strconv.FormatUint(v, 10)
}
