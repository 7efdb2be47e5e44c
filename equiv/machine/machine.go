// Package machine decides whether a program for an accelerator computes a Glenside program, bit by bit.
//
//	Check       the question: BEFORE, a program of fixed sizes, against a task of package ila (machine.go)
//	Pair        both sides ready to run on the same operands
//	bits        terms of the lowering as terms over bit-vectors, which a task's contract is made of
//
// The right side is a task without a contract: where its tensors lie, and the instructions. BEFORE sets the
// domain, as it does for other pairs: the tensors of the task bind memory to those of BEFORE by name, with the
// same shape and element type.
//
// Before anything is proved, both sides run on sample operands: BEFORE in the reference evaluator, the program
// in the simulator of its machine. Only what they show is a refutation, and it is shrunk and shown as they show
// it. A proof is that of [prove.Verify]: the program runs once on terms, and each element of its output has to be
// the term that BEFORE lowers to. There is no certificate of it; the verdict says what it trusts.
package machine

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"tv/equiv"
	"tv/equiv/fault"
	"tv/glenside"
	"tv/ila"
	"tv/ila/prove"
	"tv/internal/source"
)

// programOrder is what the domain of an answer says of the order of instructions: those of different units take place
// one after the other, as the program has them, and that tokens make a machine do so is not asked.
const programOrder = "in program order"

// CodeSizes is the code of a program with named sizes on the left of a listing.
const CodeSizes = "machine-fixed-sizes"

// Check decides whether the program of a task leaves what before says, in the exact arithmetic and for every
// value of the inputs. An error (source.Errors) means that the question could not be asked: a tensor that the
// sides do not share, or a program that is at fault whatever the inputs hold (with the instruction's place).
func Check(ctx context.Context, before *glenside.Program, task *ila.Task, opts equiv.Options) (equiv.Result, error) {
	start := time.Now()
	p, err := NewPair(before, task, opts.Tensors)
	if err != nil {
		return equiv.Result{}, err
	}
	c := &check{p: p, opts: opts, r: equiv.Result{
		Before: before.File.Name, After: task.Name, Arith: equiv.Exact, Equal: equiv.Tensor,
		Order: programOrder, SHA256: statement(p),
	}}
	c.r.Stats.Nodes = len(before.Nodes)
	if c.shapes() {
		c.r.Elapsed = time.Since(start)
		return c.r, nil
	}
	c.r.Trusts = []string{"the model of " + p.task.Model.Title()}
	ctx, cancel := equiv.Limit(ctx, opts)
	defer cancel()
	unfinished := c.r
	done := make(chan error, 1)
	go func() { done <- fault.Catch(func() error { return c.decide(ctx) }) }()
	r := &unfinished
	select {
	case err = <-done:
		r = &c.r
	case <-ctx.Done(): // an instruction can take long, and is not waited for
	}
	if f := (*fault.Fault)(nil); errors.As(err, &f) {
		panic(f)
	}
	if ctx.Err() != nil && r.Verdict == equiv.Unknown {
		r.Reason, r.Detail = equiv.Spent(ctx, opts)
		err = nil
	}
	if err != nil {
		return equiv.Result{}, err
	}
	r.Elapsed = time.Since(start)
	return *r, nil
}

// statement is the digest of what is asked.
func statement(p *Pair) string {
	h := sha256.New()
	fmt.Fprintf(h, "tv check machine 1\n%s\n%s\n", p.before.Program.File.Text, p.task.Model.Name)
	for _, param := range p.task.Model.Params {
		fmt.Fprintf(h, "%s %s\n", param.Name, param.Value)
	}
	for _, name := range p.names {
		fmt.Fprintf(h, "%s %v %s\n", name, p.tensors[name].dims, p.tensors[name].elem)
	}
	for _, in := range p.task.Init {
		fmt.Fprintf(h, "%s %d %s\n", in.Memory.Name, in.Address, in.Value)
	}
	for _, s := range p.task.Steps {
		fmt.Fprintln(h, s.Values)
	}
	fmt.Fprintf(h, "%v %d\n", p.task.Output.Dims, p.task.Output.Width)
	for flat := range p.task.Output.Size() {
		for _, at := range p.task.Places(flat) {
			fmt.Fprintf(h, "%s %d\n", at.Memory.Name, at.Address)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

type check struct {
	p    *Pair
	opts equiv.Options
	r    equiv.Result
}

// shapes answers where the results differ as wholes.
func (c *check) shapes() bool {
	reason, detail := c.p.whole()
	if reason == "" {
		return false
	}
	c.r.Verdict, c.r.Engine, c.r.Reason, c.r.Detail = equiv.Refuted, "type", reason, detail
	c.r.Counterexample = c.p.zeros()
	return true
}

// decide samples, then proves.
func (c *check) decide(ctx context.Context) error {
	found, err := c.sample(ctx)
	if err != nil || found {
		return err
	}
	t, err := c.p.contract()
	if err != nil {
		c.r.Reason, c.r.Detail = "unsupported", err.Error()
		return nil
	}
	r, err := prove.Verify(ctx, t)
	if err != nil {
		var coded *source.Error
		if ctx.Err() != nil || errors.As(err, &coded) {
			return err
		}
		c.r.Reason, c.r.Detail = "unsupported", err.Error()
		return nil
	}
	c.r.Engine = "symbolic"
	c.r.Stats.Terms, c.r.Stats.Samples = r.Terms, c.r.Stats.Samples+r.Samples
	switch r.Verdict {
	case prove.Proved:
		c.r.Verdict = equiv.Proved
		c.r.Trusts = append(c.r.Trusts, "the lowering of BEFORE and symbolic execution (no certificate)")
		c.r.Trusts = append(c.r.Trusts, t.Rests...)
		if c.opts.Explain {
			c.r.Explanation = append(c.r.Explanation,
				fmt.Sprintf("%d instructions, %d micro-steps; %s", r.Steps, r.Micro, r))
		}
	case prove.Refuted:
		return c.verified(ctx, t, r)
	default:
		c.r.Reason, c.r.Detail = r.Reason, r.Detail
	}
	return nil
}

// verified reports a difference that the samples of prove.Verify show between the simulator and the lowering of
// BEFORE. That the reference evaluator shows none there is a fault of tv's own.
func (c *check) verified(ctx context.Context, t *ila.Task, r *prove.Result) error {
	in := operands{}
	for i, x := range t.Inputs {
		in[x.Name] = r.Inputs[i]
	}
	d, err := c.p.difference(in, c.p.flat(r.Element), r.Fault)
	if err != nil {
		return err
	}
	if d == nil {
		return fmt.Errorf("element %v of BEFORE is %d in the lowering and not in the evaluator, on operands of "+
			"a sample", r.Element, r.Want)
	}
	c.report(ctx, d)
	return nil
}
