//go:build !js

package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tv/ci"
	"tv/equiv"
	"tv/hwmodels"
	"tv/ila/prove"
	"tv/ila/refine"
	"tv/internal/source"
)

// codeRefinement is the code of a comparison of machines that makes no sense.
const codeRefinement = "machine-refinement"

// A claim is what tv ila verify --against is asked beside two names.
type claim struct {
	sequential   bool // instructions of a driver in program order
	against      string
	maps, paired []string
	settings     []string // choices of a driver
	choices      []string // flags that a driver was told
}

func refinementError(err error) error {
	return &source.Error{Code: codeRefinement, Msg: err.Error(), Err: err}
}

// ilaRefinement compares two machines, one item a pair of instructions.
func ilaRefinement(ctx context.Context, left hwmodels.Machine, c claim) ([]ci.Item, error) {
	right, err := machineNamed(c.against)
	if err != nil {
		return nil, err
	}
	r := &refine.Refinement{Left: left.New(), Right: right.New()}
	for _, text := range c.maps {
		if err := r.Say(text); err != nil {
			return nil, refinementError(err)
		}
	}
	for _, text := range c.paired {
		x, y, ok := strings.Cut(text, "=")
		if !ok {
			return nil, usageError("--pair takes LEFT=RIGHT, the names of two instructions, not %q", text)
		}
		r.Pairs = append(r.Pairs, [2]string{x, y})
	}
	start := time.Now()
	findings, err := r.Check(ctx)
	if err != nil {
		return nil, refinementError(err)
	}
	took := time.Since(start) / time.Duration(max(1, len(findings))) // they are decided together
	var items []ci.Item
	for _, f := range findings {
		before, after, paired := strings.Cut(f.Model, " and ")
		if !paired {
			after = "nothing"
		}
		n := len(items) - 1
		if n < 0 || items[n].Result.Before != before || items[n].Result.After != after {
			items = append(items, ci.Item{Kind: "ila", Result: equiv.Result{Before: before, After: after, Arith: equiv.Exact,
				Verdict: equiv.Proved, Engine: "refinement",
				SHA256: digest("refinement", before, after, strings.Join(c.maps, "\x00"))}})
			n++
		}
		res := &items[n].Result
		res.Elapsed += took
		res.Stats.Samples += f.Cases
		if f.Verdict == prove.Proved || res.Verdict == equiv.Refuted || f.Verdict == prove.Unknown && res.Verdict == equiv.Unknown {
			continue
		}
		res.Verdict, res.Reason, res.Detail = verdictOf(f.Verdict), "values", "not so: "
		if f.Verdict == prove.Unknown {
			res.Reason, res.Detail = "incomplete", "open: "
		}
		res.Detail += f.Question + "; " + f.Detail
	}
	return items, nil
}

// ilaPrograms compares what the program of a driver leaves on its machine with what it leaves on another.
func ilaPrograms(ctx context.Context, d hwmodels.Driver, text string, dims []int, c claim) (ci.Item, error) {
	item := ci.Item{Kind: "ila"}
	other := d.On[c.against]
	if other == nil {
		if _, err := machineNamed(c.against); err != nil {
			return item, err
		}
		return item, refinementError(fmt.Errorf("there is no program of %s for %s", d.Name, c.against))
	}
	start := time.Now()
	left, err := d.New(dims)
	if err != nil {
		return item, sizesError(d, text, err)
	}
	right, err := other(dims)
	if err != nil {
		return item, sizesError(d, text, err)
	}
	right.Name = d.Name + " on " + c.against
	r, err := refine.VerifyAgainst(ctx, left, right)
	if err != nil {
		return item, refinementError(err)
	}
	item.Result = ilaResult(left, r, right.Name+" "+text, d.Name+" "+text, start)
	item.Result.SHA256 = digest("verify-against", d.Name, text, c.against)
	if r.Verdict == prove.Refuted {
		item.Replay = shellQuote("tv", "ila", "verify", d.Name, "--sizes", text, "--against", c.against)
	}
	return item, nil
}
