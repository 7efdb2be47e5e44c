package mapping

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"tv/equiv/egraph"
	"tv/glenside"
	"tv/glenside/rule"
	"tv/internal/source"
	"tv/semantics/domain"
)

// A Question is a rule at an element type: may it fire?
type Question struct {
	Rule *rule.Rule
	Elem domain.Elem
}

// Options say how a program is mapped.
type Options struct {
	Rules   []*rule.Rule // in this order; their names differ
	Given   map[string]int64
	Steps   []string // operators that the result may have only where the program has them
	Cuts    []string // operators that are taken apart after the search, by the rules that have them on the left
	Rounds  int
	Nodes   int
	Backoff bool
	Model   *Model
	Extract string // ExtractGreedy, ExtractDAG or ExtractOptimum

	// Certify tells of each question whether the rule may fire: whether it is certified in both directions. An error ends the
	// mapping.
	Certify func(ctx context.Context, questions []Question) ([]bool, error)
}

// The ways to extract.
const (
	ExtractGreedy  = "greedy"
	ExtractDAG     = "dag"
	ExtractOptimum = "optimum"
)

// The limits where nobody says others.
const (
	DefaultRounds = 30
	DefaultNodes  = 100_000
)

// A Rule says what became of a rule.
type Rule struct {
	Name    string
	Matches int // instances found
	Used    int // of these those that the explanation rests on
}

// A Result is a mapped program.
type Result struct {
	Source *glenside.Program
	Mapped string // the text of the program

	Before, After Counts
	Cost          [2]egraph.Cost // before and after
	Optimal       bool           // no term of the graph is cheaper: proved

	Rounds, Nodes, Classes int
	Stopped                string // Saturated, StopRounds, StopNodes or StopTimeout
	Rules                  []Rule // in the order of Options.Rules

	explanation *explanation
}

// Map maps a program. Errors: source.Errors, of a program that is ill typed or has named sizes; those of Options.Certify. Where the
// context ends, the best so far is the result, and Stopped says so.
func Map(ctx context.Context, file *source.File, opts Options) (*Result, error) {
	p, err := glenside.Parse(file)
	if err != nil {
		return nil, err
	}
	typing, err := glenside.Check(p, nil)
	if err != nil {
		return nil, err
	}
	if len(typing.Conds) > 0 {
		return nil, open(p, typing.Conds[0].Node)
	}
	g := newGraph()
	from, err := g.program(p, typing)
	if err != nil {
		return nil, err
	}
	s := newSaturation(g, &opts)
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	out := &Result{Source: p, Rounds: s.rounds, Stopped: s.stopped}
	out.Classes, out.Nodes = g.Size()
	c, err := s.extract(ctx, from)
	if err != nil {
		return nil, err
	}
	to := c.to
	if from != to && opts.Model.calls && g.counts(to).Total() == 0 {
		c = chosen{from: from, in: from, to: from} // nothing maps: the program stays as it is
		to = from
	}
	out.Optimal, out.Stopped = c.optimal, s.stopped
	out.Before, out.After = *g.counts(from), *g.counts(to)
	out.Cost = [2]egraph.Cost{g.cost(from, opts.Model), g.cost(to, opts.Model)}
	out.Mapped = glenside.Share(g.written(to, p.Inputs))
	out.explanation = s.explain(c)
	for i, r := range opts.Rules {
		out.Rules = append(out.Rules, Rule{r.Name, s.matches[i], out.explanation.used[i]})
	}
	return out, nil
}

// cost is that of a term, each of its parts once.
func (g *graph) cost(root egraph.Term, m *Model) (sum egraph.Cost) {
	for _, t := range g.below(root) {
		sum = sum.Add(g.costOf(t, m))
	}
	return sum
}

// costOf is that of the operator of a term.
func (g *graph) costOf(t egraph.Term, m *Model) egraph.Cost {
	args := make([]*glenside.Type, len(g.Args(t)))
	for i, a := range g.Args(t) {
		args[i] = g.Data(g.Class(a))
	}
	return m.node(g.operator(t), g.Data(g.Class(t)), args)
}

// A chosen program is the term of a class, and what it comes apart into.
type chosen struct {
	from    egraph.Term // the program
	in      egraph.Term // the term that is chosen of its class
	to      egraph.Term
	lemmas  []egraph.Lemma // of what comes apart; the last is that in is to, where these are two
	optimal bool
}

// extract chooses a cheapest term of the class of a term, and takes apart what is to be. Where the choice is no cheaper the term itself
// stays.
func (s *saturation) extract(ctx context.Context, from egraph.Term) (chosen, error) {
	own := map[string]bool{}
	for _, t := range s.g.below(from) {
		if op := s.g.operator(t).op; op != nil {
			own[op.Name] = true
		}
	}
	without := map[string]bool{}
	for _, name := range s.opts.Steps {
		without[name] = !own[name]
	}
	cuts := s.newCutter()
	out, err := s.choose(ctx, from, without, cuts)
	switch {
	case ctx.Err() != nil:
		s.stopped = StopTimeout
	case errors.Is(err, errCut), cuts != nil && cuts.sum > cuts.most:
		s.stopped = StopNodes
	}
	if errors.Is(err, errCut) { // there is no time for it, or more than may be: then nothing comes apart
		for _, name := range s.opts.Cuts {
			without[name] = !own[name]
		}
		out, err = s.choose(ctx, from, without, nil)
	}
	if err == nil && s.g.cost(from, s.opts.Model).Compare(s.g.cost(out.to, s.opts.Model)) <= 0 {
		out = chosen{from: from, in: from, to: from, optimal: out.optimal}
	}
	return out, err
}

// choose is extract, with the operators that the result may not have.
func (s *saturation) choose(ctx context.Context, from egraph.Term, without map[string]bool, cuts *cutter) (out chosen, err error) {
	var failed error
	costs := func(c egraph.Class, n egraph.Node) (egraph.Cost, bool) {
		x := s.g.ops.list[n.Op]
		if cuts != nil && s.opts.cuts(x.op) {
			p, err := cuts.cost(ctx, n)
			if err != nil {
				failed = err
			}
			if p.ok || without[x.op.Name] {
				return p.cost, p.ok
			}
		}
		if x.op != nil && without[x.op.Name] {
			return egraph.Cost{}, false
		}
		return s.g.costOf(n.Term, s.opts.Model), true
	}
	out = chosen{from: from}
	root := s.g.Class(from)
	choice, optimal, err := pick(ctx, s.g, root, costs, s.opts.Extract)
	if err = cmp.Or(failed, err); err != nil {
		return out, err
	}
	if out.in, err = s.g.Build(choice); err != nil {
		return out, err
	}
	if s.g.Class(out.in) != root {
		return out, fmt.Errorf("mapping: the extracted term is not in the class of the program")
	}
	out.to, out.optimal = out.in, optimal
	if cuts != nil {
		if out.to, err = cuts.program(ctx, out.in); err != nil {
			return out, err
		}
		out.lemmas = cuts.lemmas
		out.optimal = optimal && out.to == out.in // what several products share is paid once, and counted for each
	}
	return out, nil
}
