//go:build !js

package cli

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tv/equiv"
	"tv/equiv/machine"
	"tv/hwmodels"
	"tv/hwmodels/bounds"
	"tv/ila"
	"tv/ila/accuracy"
	"tv/ila/induct"
	"tv/ila/prove"
	"tv/semantics/domain"
)

// coverageSamples is how many samples errors of a mapping are measured on.
const coverageSamples = 100

func (a *app) ilaCoverageCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "coverage",
		Short: "what there is of each operation that publications map onto a machine",
		Long: `Coverage prints a table of the operations that publications map onto machines: which driver makes the program, whether the
contract of the call is proved of it, and at which sizes; whether the driver's own contract is proved at sizes and for all sizes, and that units that
run at once cannot race; a bound on its error, and the largest error of 100 samples. Each entry is run.`,
		Example: "  tv ila coverage",
		Args:    exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			table, err := a.coverage(cmd.Context())
			if err != nil {
				return err
			}
			return a.output("", []byte(table))
		},
	}
}

// coverage is the table, each entry of which is run.
func (a *app) coverage(ctx context.Context) (string, error) {
	lines := [][]string{{"operation", "model", "driver", "contract", "proved at", "all sizes", "races", "error at most", "measured"}}
	all := map[string]string{} // by driver
	for _, m := range hwmodels.Mappings() {
		c := covering{Mapping: m}
		err := c.run(ctx, all)
		if err != nil {
			return "", err
		}
		lines = append(lines, []string{m.Pattern, m.Machine, m.Driver, c.contract, c.sized, all[m.Driver], c.races, c.bound, c.measured})
	}
	widths := make([]int, len(lines[0]))
	for _, l := range lines {
		for i, text := range l {
			widths[i] = max(widths[i], len(text))
		}
	}
	var b strings.Builder
	for _, l := range lines {
		var row strings.Builder
		for i, text := range l {
			fmt.Fprintf(&row, "%-*s  ", widths[i], text)
		}
		b.WriteString(strings.TrimRight(row.String(), " ") + "\n")
	}
	return b.String(), nil
}

// A covering is what came out for a mapping.
type covering struct {
	hwmodels.Mapping
	contract, sized, races, bound, measured string
}

// absent stands where nothing is there.
const absent = "-"

func (c *covering) run(ctx context.Context, all map[string]string) error {
	d, err := driver(c.Driver)
	if err != nil {
		return err
	}
	sizes, err := parseDims(c.Sizes, d)
	if err != nil {
		return err
	}
	task, r, err := provedAt(ctx, d, sizes)
	if err != nil {
		return err
	}
	if c.sized = c.Sizes; r.Verdict != prove.Proved {
		c.sized = r.Verdict.String()
	}
	switch c.races = "one unit"; {
	case task.Model.Units == nil && task.Model.Turns == nil:
	case r.Verdict == prove.Proved:
		c.races = "none"
	default:
		c.races = "open"
	}
	if c.contract = absent; c.Call != "" {
		c.contract = c.proveCall(ctx, sizes)
	}
	if _, known := all[c.Driver]; !known {
		if all[c.Driver], err = provedAll(ctx, d); err != nil {
			return err
		}
	}
	return c.errors(ctx, d)
}

// provedAt proves a driver at sizes.
func provedAt(ctx context.Context, d hwmodels.Driver, sizes []int) (*ila.Task, *prove.Result, error) {
	if d.Nest != nil {
		nest := func() (*ila.Nest, error) { return d.Nest(sizes, nil) }
		return induct.VerifyNest(ctx, nest, nest)
	}
	task, err := d.New(sizes)
	if err != nil {
		return nil, nil, err
	}
	r, err := prove.Verify(ctx, task)
	return task, r, err
}

// provedAll says whether a driver is proved for all sizes.
func provedAll(ctx context.Context, d hwmodels.Driver) (string, error) {
	if d.All == nil {
		return absent, nil
	}
	f := d.All()
	_, units, err := f.Claim()
	if err != nil {
		return "", err
	}
	answer, err := induct.Verify(ctx, f)
	switch {
	case err != nil:
		return "", err
	case answer.Result.Verdict != prove.Proved:
		return answer.Result.Verdict.String(), nil
	case units:
		return "in program order", nil
	}
	return "proved", nil
}

// proveCall proves the contract of the call, if there is one, of the driver that carries the call out.
func (c *covering) proveCall(ctx context.Context, sizes []int) string {
	list := machine.Contracts()
	at := slices.IndexFunc(list, func(x machine.Contract) bool { return x.Name() == c.Call })
	if at < 0 {
		return absent
	}
	use := machine.Use{Contract: &list[at]}
	for _, n := range sizes {
		use.Sizes = append(use.Sizes, domain.IntSize(int64(n)))
	}
	v, _, _ := proveContract(ctx, use, "", equiv.Options{})
	if v != equiv.Proved {
		return v.String()
	}
	return c.Call
}

// errors bounds the error of the driver, and measures it.
func (c *covering) errors(ctx context.Context, d hwmodels.Driver) error {
	if c.bound, c.measured = absent, absent; c.Range == "" {
		return nil
	}
	sized := d
	if d.Errors.Rows {
		sized.Arity--
	}
	sizes, err := parseDims(c.Errors, sized)
	if err != nil {
		return err
	}
	all := sizes
	if d.Errors.Rows {
		all = append([]int{1}, sizes...)
	}
	task, err := d.New(all)
	if err != nil {
		return err
	}
	low, high, _ := strings.Cut(c.Range, "..")
	q := bounds.Question{}
	q.Lo, _ = new(big.Rat).SetString(low)
	q.Hi, _ = new(big.Rat).SetString(high)
	lo, _ := q.Lo.Float64()
	hi, _ := q.Hi.Float64()
	m, err := accuracy.Measure(ctx, task, accuracy.Operator(d.Errors.Ideal(sizes)), accuracy.Plan{Lo: lo, Hi: hi, Samples: coverageSamples, Seed: 1})
	if err != nil {
		return err
	}
	c.measured = fmt.Sprintf("%.3g", m.Error)
	switch b := d.Errors.Bound(q, sizes); {
	case b.Wraps != "":
		c.bound = "may wrap"
	default:
		c.bound = bounds.Decimal(b.Max) + " in " + c.Range
	}
	return nil
}
