package cli

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	language "tv/semantics/glenside"

	"tv/equiv"
	"tv/equiv/machine"
	"tv/equiv/rules"
	"tv/glenside"
	"tv/glenside/rule"
	"tv/semantics"
	"tv/semantics/domain"
)

// applyContracts puts contracts in the place of accelerator calls, where the arithmetic is that of the machines.
func (p *pair) applyContracts() (uses []machine.Use) {
	switch {
	case p.machine != nil: // bit by bit, whatever the flag says
		if before, ok := glensideOf(p.before); ok {
			before, _, uses = machine.ApplyContracts(before, before, p.opts.Tensors)
			p.before = language.Of(before)
		}
	case p.opts.Arith != equiv.Real:
		before, ok := glensideOf(p.before)
		after, both := glensideOf(p.after)
		switch {
		case ok && both:
			before, after, uses = machine.ApplyContracts(before, after, p.opts.Tensors)
			p.before, p.after = language.Of(before), language.Of(after)
		case ok:
			p.before, uses = p.alone(before)
		case both:
			p.after, uses = p.alone(after)
		}
	}
	return uses
}

// alone puts contracts in one of two programs of which the other is in another language, with names of its own: only at sizes that
// are numbers, which the names of the other do not make others.
func (p *pair) alone(g *glenside.Program) (semantics.Source, []machine.Use) {
	with, _, uses := machine.ApplyContracts(g, g, p.opts.Tensors)
	for _, u := range uses {
		for _, n := range u.Sizes {
			if _, number := n.Int64(); !number {
				return language.Of(g), nil
			}
		}
	}
	return language.Of(with), uses
}

// restOn proves the contracts that a result rests on, at the sizes of the calls, and says so. Without a proof
// nothing is known of what the machine computes, and the result is unknown, but for sides that differ in kind. What
// VTA computes it does as the given implementation; none is the usual one.
func restOn(ctx context.Context, r *equiv.Result, uses []machine.Use, implementation string, opts equiv.Options) {
	if r.Verdict == equiv.Unknown || r.Verdict == equiv.Refuted && !slices.Contains([]string{"values", "undefined", "race"}, r.Reason) {
		return
	}
	start, open := time.Now(), ""
	for _, use := range uses {
		verdict, trusts, why := proveContract(ctx, use, implementation, opts)
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
		forget(r, open)
	}
}

// forget makes a result unknown, as a contract it rests on is open.
func forget(r *equiv.Result, open string) {
	*r = equiv.Result{Before: r.Before, After: r.After, SHA256: r.SHA256, Reason: "unsupported", Detail: open,
		Engine: r.Engine, Arith: r.Arith, Types: r.Types, Equal: r.Equal, Domain: r.Domain, Order: r.Order, RestsOn: r.RestsOn, Stats: r.Stats,
		Elapsed: r.Elapsed}
}

// exactRule decides a rule bit for bit where types are exact, with contracts for its accelerator calls: ask decides the rule with
// their texts. The verdict says for which sizes the machines are proved to do what the contracts say.
func (a *app) exactRule(ctx context.Context, f *machine.RuleForm, elem domain.Elem, opts equiv.Options,
	ask func(*rule.Rule) (rules.Result, error),
) (rules.Result, error) {
	aside := opts
	aside.Uncertified, aside.Unmended, aside.FirstOnly = true, true, true // the arithmetic is not what the text says
	formed, err := rules.Check(ctx, f.Formed, elem, aside)
	if err != nil || formed.Verdict != equiv.Proved {
		formed.Arith = rules.Arith(f.Rule, opts)
		return formed, err
	}
	r, err := ask(f.Rule)
	r.WhereBoth = nil // it would rest on the contracts too
	if err != nil || r.Verdict == equiv.Unknown {
		return r, err
	}
	if r.Verdict == equiv.Refuted && f.Narrow != nil {
		narrow, err := rules.Check(ctx, f.Narrow, elem, aside)
		if err != nil {
			return r, err
		}
		if narrow.Verdict != equiv.Proved {
			forget(&r.Result, "refuted by contracts, at sizes that the calls of the left side may not admit")
			return r, nil
		}
	}
	open := ""
	for _, c := range f.Contracts {
		p := a.provenForAll(ctx, c, opts)
		r.RestsOn = append(r.RestsOn, equiv.Contract{Name: c.Name() + p.where(), Verdict: p.verdict})
		for _, t := range p.trusts {
			if !slices.Contains(r.Trusts, t) {
				r.Trusts = append(r.Trusts, t)
			}
		}
		if p.verdict != equiv.Proved && open == "" {
			open = fmt.Sprintf("rests on the contract of %s, which is not proved for all sizes: %s", c.Name(), p.why)
		}
	}
	if open != "" {
		forget(&r.Result, open)
	}
	return r, nil
}

// A forAll is what is known of a contract for all sizes of its driver.
type forAll struct {
	once           sync.Once
	verdict        equiv.Verdict
	domain, trusts []string
	why            string // there is no proof
}

// where says for which sizes something is known.
func (p *forAll) where() string {
	if len(p.domain) == 0 {
		return " at all sizes"
	}
	return " where " + domain.Conjunction(p.domain)
}
