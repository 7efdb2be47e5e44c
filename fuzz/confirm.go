package fuzz

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"tv/equiv/sample"
	"tv/fuzz/passes"
	"tv/internal/source"
	"tv/semantics/cnest"
	"tv/semantics/loops"
	"tv/semantics/mlir"
)

// confirmed compiles a program and what the command made of it, and says what both do on the contents that tell them apart.
// The evaluator has to say the same of the first as the compiled program: what it says of the second may be that the call
// ends, which a compiled program need not show.
func (t *Passes) confirmed(ctx context.Context, p *passed, v passVerdict) (kind, detail string) {
	c := v.result.Counterexample
	if c == nil {
		return kindUnconfirmed, v.detail
	}
	x, y, err := t.calls(p, c)
	if err != nil {
		return kindUnconfirmed, err.Error()
	}
	wanted, err := x.Evaluate(ctx)
	if err != nil {
		return kindUnconfirmed, err.Error()
	}
	if y, err = x.On(y.Procedure); err != nil {
		return kindUnconfirmed, err.Error()
	}
	other, err := y.Evaluate(ctx)
	if err != nil {
		other = &passes.Outcome{Ended: err.Error()}
	}
	first, second, err := passes.Compare(ctx, t.Language, p.before, p.text, x)
	switch {
	case err != nil:
		return kindUnconfirmed, "not compiled: " + err.Error()
	case !wanted.Same(first):
		return kindEvaluator, "BEFORE: evaluator against compiled: " + x.Difference(wanted, first)
	case other.Ended == "" && !other.Same(second):
		return kindEvaluator, "AFTER: evaluator against compiled: " + x.Difference(other, second)
	case first.Same(second):
		return kindUnconfirmed, "compiled they do the same; " + cmp.Or(other.Ended, v.result.Detail)
	}
	return kindMiscompile, "compiled: " + x.Difference(first, second)
}

// calls are those of both programs on the contents of a counterexample.
func (t *Passes) calls(p *passed, c *sample.Counterexample) (x, y *passes.Call, err error) {
	parse := func(f *source.File) (*loops.Procedure, error) {
		if t.Language == "c" {
			return cnest.Parse(f, f.Function)
		}
		return mlir.Parse(f, f.Function)
	}
	before, err := parse(t.file("before", p.before, "f"))
	if err != nil {
		return nil, nil, err
	}
	after, err := parse(t.file("after", p.text, p.name))
	if err != nil {
		return nil, nil, err
	}
	contents := map[string][]string{}
	for _, in := range c.Inputs {
		contents[in.Name] = in.Data()
	}
	if x, err = passes.NewCall(before, c.Point, contents); err == nil {
		y = &passes.Call{Procedure: after}
	}
	return x, y, err
}

// Again runs the command on the program of a file; without a command what the file holds is checked as it is.
func (w *passWorker) Again(e *Entry) (Outcome, error) {
	t := &Passes{Command: w.Command, Language: w.Language, Limit: w.Limit}
	for name := range e.Parts {
		switch name {
		case "before.c":
			t.Language = "c"
		case "before.mlir":
			t.Language = "mlir"
		}
	}
	p := &passed{before: e.Parts["before."+t.Language], name: "f", text: e.Parts["after."+t.Language],
		known: e.value(knownBy)}
	if p.before == "" {
		return Outcome{}, e.bad(errors.New("it wants a program before"))
	}
	if len(t.Command) > 0 {
		p.text, p.failure = t.transformed(context.Background(), p.before)
	} else if p.text == "" { // what failed needs the command
		return Outcome{}, e.bad(fmt.Errorf("it holds no program after: run tv fuzz passes --corpus with the command %s",
			e.value(printedBy)))
	}
	v := t.examine(context.Background(), p, true)
	if v.kind == "" {
		return Outcome{}, nil
	}
	return Outcome{Suspect: t.suspect(context.Background(), p, v)}, nil
}

// Covered implements Worker: files hold findings alone.
func (w *passWorker) Covered(*Entry) []string { return nil }
