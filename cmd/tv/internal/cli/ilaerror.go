//go:build !js

package cli

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tv/ci"
	"tv/equiv"
	"tv/hwmodels"
	"tv/hwmodels/bounds"
	"tv/ila"
	"tv/ila/accuracy"
	"tv/ila/prove"
	"tv/internal/source"
)

// codeRange is the code of a range without a number.
const codeRange = "machine-range"

// An errorQuestion is what tv ila error asks of a driver.
type errorQuestion struct {
	sizes   []string
	text    string // of the range
	asGiven bool
	samples int
	seed    uint64
	choices []string // flags
	q       bounds.Question
}

func (a *app) ilaErrorCommand() *cobra.Command {
	flags := &reportFlags{}
	var e errorQuestion
	var choices choiceFlags
	var table bool
	var widths []int
	cmd := &cobra.Command{
		Use:   "error {DRIVER --sizes AxB... --range LO..HI | --table}",
		Short: "proves how far a driver's result is from the operator in the reals",
		Long: `Error proves a bound on abs(ideal - machine), of every element and as a 2-norm, for all operands whose elements lie in
the range: ideal is the operator in the reals on the operands as quantised, or with --before-quantising on those
given. The bound counts clipping; the steps that it consists of follow. Samples, half of them uniform and half at
places where errors are large, are measured beside it. Where an accumulator may wrap in the range there is no bound: a
sample that wraps refutes it. Layers are of one row: --sizes n x k. Of an LSTM the bound says from which timestep on it is of no use.

--table measures FlexASR's operators at widths of 64 to 512 as publications do: inputs uniform in 0..0.2, 2-norm of the difference over that of the
ideal result, as it is and quantised to codes, mean and standard deviation in percent, with the published ones beside them.`,
		Example: "  tv ila error flexasr-linear --sizes 64x64 --range -1..1\n  tv ila error vta-dense --sizes 64x64 --range -128..127 --samples 100",
		Args: func(cmd *cobra.Command, args []string) error {
			if table {
				return exactly(0)(cmd, args)
			}
			return exactly(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if table {
				return a.errorTable(cmd.Context(), widths, e)
			}
			d, err := driver(args[0])
			if err != nil {
				return err
			}
			if d, err = a.choose(&choices, d); err != nil {
				return err
			}
			e.choices = choices.args()
			if d.Errors == nil || d.Errors.Bound == nil {
				return usageError("there is no bound on errors of %s%s; there are those of %s", d.Name, d.With, strings.Join(bounded(), ", "))
			}
			if err := e.parse(d); err != nil {
				return err
			}
			return a.ilaErrors(cmd.Context(), flags, d, e)
		},
	}
	cmd.Flags().StringArrayVar(&e.sizes, "sizes", nil, "the sizes of the operation: `64x64` (repeatable)")
	cmd.Flags().StringVar(&e.text, "range", "", "where elements of operands lie: `LO..HI`, decimal numbers")
	cmd.Flags().BoolVar(&e.asGiven, "before-quantising", false, "the ideal result is that of the operands before they are quantised")
	cmd.Flags().IntVar(&e.samples, "samples", 1000, "how many `N` samples are measured")
	cmd.Flags().Uint64Var(&e.seed, "seed", 1, "decides the samples: `N`")
	cmd.Flags().BoolVar(&table, "table", false, "measure FlexASR's operators as publications do, --samples of them (100 there), and print the published figures too")
	cmd.Flags().IntSliceVar(&widths, "widths", []int{64, 128, 256, 512}, "the `WIDTHS` of --table")
	choices.register(cmd.Flags())
	flags.register(cmd)
	return cmd
}

// bounded are the drivers that have bounds.
func bounded() (names []string) {
	for _, d := range hwmodels.Drivers() {
		if d.Errors != nil && d.Errors.Bound != nil {
			names = append(names, d.Name)
		}
	}
	return names
}

// endOfRange is a number of a range: short, so that exact arithmetic on it is quick.
var endOfRange = regexp.MustCompile(`^-?[0-9]{1,9}(\.[0-9]{1,18})?$`)

// parse reads the range. Errors: usage, and codeRange where it is empty.
func (e *errorQuestion) parse(d hwmodels.Driver) error {
	lo, hi, ok := strings.Cut(e.text, "..")
	switch {
	case len(e.sizes) == 0 || e.text == "":
		return usageError("%s wants --sizes %s and --range LO..HI", d.Name, errorSizes(d))
	case !ok || !endOfRange.MatchString(lo) || !endOfRange.MatchString(hi):
		return usageError("--range takes LO..HI, such as -1..1 or 0..0.25, not %q", e.text)
	case e.samples < 1 || e.samples > 1e7:
		return usageError("--samples takes 1 to 10000000, not %d", e.samples)
	}
	e.q.Lo, _ = new(big.Rat).SetString(lo)
	e.q.Hi, _ = new(big.Rat).SetString(hi)
	e.q.AsGiven = e.asGiven
	if e.q.Lo.Cmp(e.q.Hi) > 0 {
		return &source.Error{Code: codeRange, Msg: fmt.Sprintf("--range %s is empty: no number is at least %s and at most %s", e.text, lo, hi)}
	}
	return nil
}

func errorSizes(d hwmodels.Driver) string {
	if d.Errors.Sizes != "" {
		return d.Errors.Sizes
	}
	return d.Sizes
}

// ilaErrors bounds and measures at each of the sizes.
func (a *app) ilaErrors(ctx context.Context, flags *reportFlags, d hwmodels.Driver, e errorQuestion) error {
	plan, err := a.plan(flags, nil)
	if err != nil {
		return err
	}
	run := &ci.Run{Args: append([]string{"ila", "error", d.Name}, e.args()...)}
	for _, text := range e.sizes {
		run.Args = append(run.Args, "--sizes="+text)
		item, err := ilaError(ctx, d, text, e)
		if err != nil {
			return err
		}
		run.Items = append(run.Items, item)
	}
	return a.deliver(run, flags, plan, nil)
}

// args are the flags that pose the question, but for sizes.
func (e *errorQuestion) args() []string {
	list := []string{"--range=" + e.text, fmt.Sprintf("--samples=%d", e.samples), fmt.Sprintf("--seed=%d", e.seed)}
	if e.asGiven {
		list = append(list, "--before-quantising")
	}
	return append(list, e.choices...)
}

// ilaError bounds and measures at one size.
func ilaError(ctx context.Context, d hwmodels.Driver, text string, e errorQuestion) (ci.Item, error) {
	start := time.Now()
	sized := d
	if d.Errors.Rows {
		sized.Arity, sized.Sizes = d.Arity-1, errorSizes(d)
	}
	sizes, err := parseDims(text, sized)
	if err != nil {
		return ci.Item{}, err
	}
	all := sizes
	if d.Errors.Rows {
		all = append([]int{1}, sizes...)
	}
	task, err := d.New(all)
	if err != nil {
		return ci.Item{}, sizesError(d, text, err)
	}
	bound := d.Errors.Bound(e.q, sizes)
	var contract *prove.Result
	if bound.Wraps == "" {
		if contract, err = prove.Verify(ctx, task); err != nil {
			return ci.Item{}, err
		}
	}
	when := "quantised"
	if e.asGiven {
		when = "given"
	}
	res := equiv.Result{After: fmt.Sprintf("%s %s%s, elements in %s as %s", d.Name, text, d.With, e.text, when), Arith: equiv.Exact, Engine: "intervals",
		Trusts: append([]string{"the model of " + task.Model.Title() + ", symbolic execution, and the steps of the bound, which are written from the contract by hand (no certificate)"},
			append(task.Rests, prove.Assumptions(task.Model)...)...)}
	item := ci.Item{Kind: "ila", Replay: shellQuote(append([]string{"tv", "ila", "error", d.Name, "--sizes=" + text}, e.args()...)...)}
	if bound.Wraps == "" {
		res.Before = "abs(ideal - machine) <= " + bounds.Decimal(bound.Max)
	} else {
		res.Before = "abs(ideal - machine) is bounded"
	}
	lo, _ := e.q.Lo.Float64()
	hi, _ := e.q.Hi.Float64()
	m, err := accuracy.Measure(ctx, task, accuracy.Operator(d.Errors.Ideal(sizes)),
		accuracy.Plan{Lo: lo, Hi: hi, AsGiven: e.asGiven, Samples: e.samples, Seed: e.seed,
			Wrap: bound.Wraps != ""})
	if err != nil {
		return ci.Item{}, err
	}
	judgeError(&res, bound, m, contract, task)
	if res.Verdict != equiv.Refuted {
		item.Replay = ""
	}
	res.Stats.Samples, res.Elapsed = m.Samples, time.Since(start)
	res.SHA256 = digest("error", d.Name, text, d.With, e.text, when, res.Before)
	item.Result = res
	return item, nil
}

// judgeError says what a bound and a measurement come to.
func judgeError(res *equiv.Result, bound *bounds.Bound, m *accuracy.Measurement, contract *prove.Result, task *ila.Task) {
	switch limit, _ := bound.Max.Float64(); {
	case bound.Wraps != "" && m.Wrapped != nil:
		w := m.Wrapped
		res.Verdict, res.Reason, res.Engine = equiv.Refuted, "values", "sample"
		res.Detail = fmt.Sprintf("%s wraps: before and after are the ideal number and the machine's", bound.Wraps)
		res.Counterexample = ilaCounterexample(task, &prove.Result{Inputs: w.Inputs, Element: w.Element, Got: w.Code})
		res.Counterexample.Before, res.Counterexample.After = fmt.Sprintf("%g", w.Ideal), fmt.Sprintf("%g", w.Machine)
		return
	case bound.Wraps != "":
		res.Verdict, res.Reason = equiv.Unknown, "incomplete"
		res.Detail = fmt.Sprintf("%s may wrap in this range, and no sample does", bound.Wraps)
	case contract.Verdict != prove.Proved:
		res.Verdict, res.Reason = equiv.Unknown, "incomplete"
		res.Detail = "the bound is of the contract, which is not proved: " + contract.Detail
	case m.Error > math.Nextafter(limit, math.Inf(1)):
		res.Verdict, res.Reason = equiv.Unknown, "incomplete"
		res.Detail = fmt.Sprintf("a sample is off by %g: the bound is wrong, which is a fault of tv", m.Error)
	default:
		res.Verdict = equiv.Proved
		norm := "the 2-norm of an operand is 0"
		if bound.Norm != nil {
			norm = "<= " + bounds.Decimal(bound.Norm)
		}
		res.Explanation = append(res.Explanation, "2-norm of the difference / product of bounds of the operands' 2-norms: "+norm)
		for _, s := range bound.Steps {
			res.Explanation = append(res.Explanation, fmt.Sprintf("%s: %s", s.Name, bounds.Decimal(s.Adds)))
		}
		res.Explanation = append(append(res.Explanation, bound.Notes...), "rests on the contract: "+contract.String())
	}
	line := fmt.Sprintf("%d samples: at most %.4g, at %v", m.Samples, m.Error, m.Worst.Element)
	if m.Uniform > 0 {
		line += fmt.Sprintf("; of %d uniform ones the 2-norm of the difference is %.3f %% of that of the ideal result, standard deviation %.3f", m.Uniform, m.Mean, m.Std)
	}
	res.Explanation = append(res.Explanation, line)
}
