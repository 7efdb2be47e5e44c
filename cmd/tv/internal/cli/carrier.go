//go:build !js

package cli

import (
	"context"
	"fmt"

	"tv/equiv"
	"tv/equiv/machine"
	"tv/hwmodels"
	"tv/ila"
	"tv/ila/prove"
)

// contractWork bounds the products of a call whose contract is proved on demand.
const contractWork = 1 << 21

// proveContract proves that a driver's program computes its contract at the sizes of a call; why says why there
// is no proof.
func proveContract(ctx context.Context, use machine.Use, implementation string, opts equiv.Options,
) (v equiv.Verdict, trusts []string, why string) {
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
	d, ok := hwmodels.Carrier(use.Contract.Name())
	if !ok {
		return equiv.Unknown, nil, "no driver carries it out"
	}
	if d.Nest != nil {
		return proveNest(ctx, use.Contract, d, sizes)
	}
	program := d.New
	if on := d.On["vta-"+implementation]; on != nil {
		program = on
	}
	task, err := program(sizes)
	if err != nil {
		return equiv.Unknown, nil, err.Error()
	}
	r, err := machine.CheckContract(ctx, use.Contract, task, opts)
	if err != nil {
		return equiv.Unknown, nil, err.Error()
	}
	if r.Verdict == equiv.Proved {
		return r.Verdict, r.Trusts, ""
	}
	return r.Verdict, nil, fmt.Sprintf("%s %s", r.Reason, r.Detail)
}

// proveNest is proveContract of a driver that is proved as a loop nest.
func proveNest(ctx context.Context, c *machine.Contract, d hwmodels.Driver, sizes []int) (v equiv.Verdict, trusts []string, why string) {
	r, err := machine.CheckContractNest(ctx, c, func() (*ila.Nest, error) { return d.Nest(sizes, nil) })
	switch {
	case err != nil:
		return equiv.Unknown, nil, err.Error()
	case r.Verdict != prove.Proved:
		return verdictOf(r.Verdict), nil, fmt.Sprintf("%s %s", r.Reason, r.Detail)
	}
	return equiv.Proved, []string{"the models of machines", inductionTrust}, ""
}

// inductionTrust is what a contract rests on that is proved by induction.
const inductionTrust = "the lowering of contracts and induction over loops (no certificate)"

// provenForAll proves that the driver of a contract computes it for all sizes that it takes, once a run.
func (a *app) provenForAll(ctx context.Context, c *machine.Contract, opts equiv.Options) *forAll {
	known, _ := a.contracts.LoadOrStore(c.Name(), &forAll{})
	p := known.(*forAll)
	p.once.Do(func() {
		d, ok := hwmodels.Carrier(c.Name())
		if !ok || d.All == nil {
			p.why = "there is no such proof"
			return
		}
		f := d.All()
		p.domain = f.Domain
		ctx, cancel := equiv.Limit(ctx, opts)
		defer cancel()
		r, err := machine.CheckContractAll(ctx, c, f)
		if err != nil {
			p.why = err.Error()
			return
		}
		p.verdict, p.why = verdictOf(r.Verdict), r.Detail
		p.trusts = []string{"the models of machines", inductionTrust}
		if _, units, err := f.Claim(); err == nil && units {
			p.trusts = append(p.trusts, "tokens that keep units in program order, which are looked at for sizes that are numbers")
		}
	})
	return p
}

// verdictOf is a verdict of package ila as one of equiv.
func verdictOf(v prove.Verdict) equiv.Verdict {
	return map[prove.Verdict]equiv.Verdict{
		prove.Unknown: equiv.Unknown, prove.Proved: equiv.Proved, prove.Refuted: equiv.Refuted,
	}[v]
}
