// Package machine decides whether a program for an accelerator computes a Glenside program, bit by bit.
//
//	Check       the question: BEFORE, a program of fixed sizes, against a task of package ila (machine.go)
//	Pair        both sides ready to run on the same operands
//	Scene       what the machine does on a counterexample, for pages (scene.go)
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
	"tv/equiv/sample"
	"tv/glenside"
	"tv/ila"
	"tv/ila/prove"
	"tv/ila/race"
	"tv/internal/source"
	language "tv/semantics/glenside"
)

// ProgramOrder is what the domain of an answer says where units that run at once were not asked about: instructions take place one after the
// other, as the program has them.
const ProgramOrder = "in program order"

// Options are those of a question, and of the machine.
type Options struct {
	equiv.Options
	Sequential bool // instructions take place in program order, whatever units run at once
}

// CodeSizes is the code of a program with named sizes on the left of a listing.
const CodeSizes = "machine-fixed-sizes"

// Check decides whether the program of a task leaves what before says, in the exact arithmetic and for every
// value of the inputs. An error (source.Errors) means that the question could not be asked: a tensor that the
// sides do not share, or a program that is at fault whatever the inputs hold (with the instruction's place).
func Check(ctx context.Context, before *glenside.Program, task *ila.Task, opts Options) (equiv.Result, error) {
	start := time.Now()
	p, err := NewPair(before, task, opts.Tensors)
	if err != nil {
		return equiv.Result{}, err
	}
	c := &check{p: p, opts: opts, r: equiv.Result{
		Before: before.File.Name, After: task.Name, Arith: equiv.Exact, Equal: equiv.Tensor,
		Types:  equiv.Elements(equiv.Exact, language.Typed(p.before)),
		SHA256: statement(p),
	}}
	if opts.Sequential {
		c.r.Order = ProgramOrder
	}
	c.r.Stats.Nodes = len(before.Nodes)
	if c.shapes() {
		c.r.Elapsed = time.Since(start)
		return c.r, nil
	}
	c.r.Trusts = []string{"the model of " + p.task.Model.Title()}
	ctx, cancel := equiv.Limit(ctx, opts.Options)
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
		r.Reason, r.Detail = equiv.Spent(ctx, opts.Options)
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
	for i := range p.task.Steps {
		fmt.Fprintln(h, p.task.Steps[i].Terms(p.task.Model))
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
	opts Options
	r    equiv.Result
	race *race.Race // whose schedule p.task follows, or nil
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
	program := c.p.task
	var order *race.Order
	if !c.opts.Sequential {
		var dead *race.Deadlock
		var err error
		if order, dead, err = prove.Ordered(program); err != nil {
			c.r.Reason, c.r.Detail = "unsupported", err.Error()
			return nil
		}
		if dead != nil {
			c.stopped(dead)
			return nil
		}
	}
	if order != nil {
		c.p.task = order.Reordered(program)
	}
	found, err := c.sample(ctx)
	if err != nil || found {
		return err
	}
	t, err := c.p.contract()
	if err != nil {
		c.r.Reason, c.r.Detail = "unsupported", err.Error()
		return nil
	}
	var cells *race.Recorder
	if order != nil {
		cells = race.NewRecorder()
	}
	r, err := prove.InOrder(ctx, t, cells)
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
	if order != nil && r.Verdict != prove.Refuted {
		if races := order.Races(program, cells); len(races) > 0 {
			return c.raced(ctx, program, races)
		}
	}
	if order != nil && r.Verdict == prove.Proved {
		if err := prove.Recheck(program, order); err != nil {
			c.r.Reason, c.r.Detail = "certificate", err.Error()
			return nil
		}
	}
	switch r.Verdict {
	case prove.Proved:
		c.r.Verdict = equiv.Proved
		c.r.Trusts = append(c.r.Trusts, "the lowering of BEFORE and symbolic execution (no certificate)")
		c.r.Trusts = append(c.r.Trusts, t.Rests...)
		if order != nil {
			c.r.Trusts = append(c.r.Trusts, prove.Assumptions(t.Model)...)
		}
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

// stopped reports a deadlock, which every run ends in.
func (c *check) stopped(d *race.Deadlock) {
	t := c.p.task
	c.r.Verdict, c.r.Engine, c.r.Reason, c.r.Detail = equiv.Refuted, "order", "deadlock", prove.DescribeDeadlock(t, d)
	c.r.Blame = []sample.Blame{{Side: "after", Span: t.Steps[d.Step].Span, Text: t.Steps[d.Step].Text}}
	x := c.p.zeros()
	x.After, x.Schedule, x.Index = "undefined", d.Schedule.String(), c.p.at(0)
	if x.Before = "undefined"; c.p.task.Output.Size() > 0 {
		if e, err := c.p.evaluator(c.p.none()); err == nil {
			if v, err := e.Element(nil, c.p.at(0)); err == nil {
				x.Before = v.String()
			}
		}
	}
	c.r.Counterexample = x
}

// raced runs the schedules of races, in each of which the second instruction takes place before the first. Where all leave what BEFORE says,
// the answer is unknown, by the first.
func (c *check) raced(ctx context.Context, program *ila.Task, races []*race.Race) error {
	for _, r := range races {
		c.race, c.p.task = r, r.Task(program)
		found, err := c.sample(ctx)
		if err != nil {
			return err
		}
		c.r.Reason, c.r.Detail = "race", r.Describe(program)
		if ctx.Err() != nil {
			return nil
		}
		if found {
			c.showRace(program)
			return nil
		}
	}
	c.r.Detail = races[0].Describe(program)
	return nil
}

// showRace names the instructions of the race whose schedule shows a difference, and the schedule.
func (c *check) showRace(program *ila.Task) {
	c.r.Counterexample.Schedule = c.race.Schedule.String()
	c.r.Blame = nil
	for _, n := range []int{c.race.First, c.race.Second} {
		if n >= 0 {
			c.r.Blame = append(c.r.Blame, sample.Blame{Side: "after", Span: program.Steps[n].Span, Text: program.Steps[n].Text})
		}
	}
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
