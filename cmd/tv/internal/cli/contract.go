package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"tv/equiv"
	"tv/equiv/mapping"
	"tv/hwmodels"
)

// contractWork bounds the products of a call whose contract is proved on demand.
const contractWork = 1 << 21

// applyContracts puts contracts in the place of accelerator calls, where the arithmetic is that of the machines.
func (p *pair) applyContracts() (uses []mapping.Use) {
	switch {
	case p.machine != nil: // bit by bit, whatever the flag says
		p.before, _, uses = mapping.ApplyContracts(p.before, p.before, p.opts.Tensors)
	case p.opts.Arith == equiv.Exact:
		p.before, p.after, uses = mapping.ApplyContracts(p.before, p.after, p.opts.Tensors)
	}
	return uses
}

// restOn proves the contracts that a result rests on, at the sizes of the calls, and says so. Without a proof
// nothing is known of what the machine computes, and the result is unknown, but for sides that differ in kind.
func restOn(ctx context.Context, r *equiv.Result, uses []mapping.Use, opts equiv.Options) {
	if r.Verdict == equiv.Unknown || r.Verdict == equiv.Refuted && r.Reason != "values" && r.Reason != "undefined" {
		return
	}
	start, open := time.Now(), ""
	for _, use := range uses {
		verdict, trusts, why := proveContract(ctx, use, opts)
		r.RestsOn = append(r.RestsOn, equiv.Contract{Name: use.String(), Verdict: verdict})
		for _, t := range trusts {
			if !slices.Contains(r.Trusts, t) {
				r.Trusts = append(r.Trusts, t)
			}
		}
		if verdict != equiv.Proved && open == "" {
			open = fmt.Sprintf("rests on the contract of %s, which is not proved: %s", use, why)
		}
	}
	r.Elapsed += time.Since(start)
	if open != "" {
		*r = equiv.Result{Before: r.Before, After: r.After, SHA256: r.SHA256, Reason: "unsupported", Detail: open,
			Engine: r.Engine, Arith: r.Arith, Equal: r.Equal, Domain: r.Domain, RestsOn: r.RestsOn, Stats: r.Stats,
			Elapsed: r.Elapsed}
	}
}

// proveContract proves that a driver's program computes its contract at the sizes of a call; why says why there
// is no proof.
func proveContract(ctx context.Context, use mapping.Use, opts equiv.Options) (v equiv.Verdict, trusts []string, why string) {
	sizes, work := make([]int, len(use.Sizes)), int64(1)
	for i, s := range use.Sizes {
		n, ok := s.Int64()
		if !ok {
			return equiv.Unknown, nil, fmt.Sprintf("the size %s is not a number", s)
		}
		if n < 1 || n > contractWork || work*n > contractWork {
			return equiv.Unknown, nil, fmt.Sprintf("sizes are at least 1, and their product at most %d", contractWork)
		}
		sizes[i] = int(n)
		work *= n
	}
	d, ok := hwmodels.Carrier(use.Contract.Call)
	if !ok {
		return equiv.Unknown, nil, "no driver carries it out"
	}
	task, err := d.New(sizes)
	if err != nil {
		return equiv.Unknown, nil, err.Error()
	}
	r, err := mapping.CheckContract(ctx, use.Contract, task, opts)
	if err != nil {
		return equiv.Unknown, nil, err.Error()
	}
	if r.Verdict == equiv.Proved {
		return r.Verdict, r.Trusts, ""
	}
	return r.Verdict, nil, fmt.Sprintf("%s %s", r.Reason, r.Detail)
}
