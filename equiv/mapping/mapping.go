package mapping

import (
	"context"
	"fmt"
	"slices"

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
	to, optimal, err := g.extract(ctx, from, &opts)
	if err != nil {
		return nil, err
	}
	if from != to && opts.Model.calls && g.counts(to).Total() == 0 {
		to, optimal = from, false // nothing maps: the program stays as it is
	}
	out.Optimal = optimal
	out.Before, out.After = *g.counts(from), *g.counts(to)
	out.Cost = [2]egraph.Cost{g.cost(from, opts.Model), g.cost(to, opts.Model)}
	out.Mapped = glenside.Share(g.written(to, p.Inputs))
	out.explanation = s.explain(from, to)
	for i, r := range opts.Rules {
		out.Rules = append(out.Rules, Rule{r.Name, s.matches[i], out.explanation.used[i]})
	}
	return out, nil
}

// cost is that of a term, each of its parts once.
func (g *graph) cost(root egraph.Term, m *Model) (sum egraph.Cost) {
	for _, t := range g.below(root) {
		args := make([]*glenside.Type, len(g.Args(t)))
		for i, a := range g.Args(t) {
			args[i] = g.Data(g.Class(a))
		}
		sum = sum.Add(m.node(g.operator(t), g.Data(g.Class(t)), args))
	}
	return sum
}

// costs are those of nodes by a model, but for those of operators that are not to be in the result.
func (g *graph) costs(m *Model, without []string) egraph.Costs {
	return func(c egraph.Class, n egraph.Node) (egraph.Cost, bool) {
		if op := g.ops.list[n.Op].op; op != nil && slices.Contains(without, op.Name) {
			return egraph.Cost{}, false
		}
		args := make([]*glenside.Type, len(n.Children))
		for i, a := range n.Children {
			args[i] = g.Data(a)
		}
		return m.node(g.ops.list[n.Op], g.Data(c), args), true
	}
}

// extract chooses a cheapest term of the class of a term. Where the choice is no cheaper the term itself stays.
func (g *graph) extract(ctx context.Context, from egraph.Term, opts *Options) (to egraph.Term, optimal bool, err error) {
	root := g.Class(from)
	without := slices.DeleteFunc(slices.Clone(opts.Steps), func(name string) bool {
		return slices.ContainsFunc(g.below(from), func(t egraph.Term) bool { return g.operator(t).op != nil && g.operator(t).op.Name == name })
	})
	choice, optimal, err := choose(ctx, g, root, g.costs(opts.Model, without), opts.Extract)
	if err != nil {
		return 0, false, err
	}
	if to, err = g.Build(choice); err != nil {
		return 0, false, err
	}
	if g.Class(to) != root {
		return 0, false, fmt.Errorf("mapping: the extracted term is not in the class of the program")
	}
	if g.cost(from, opts.Model).Compare(g.cost(to, opts.Model)) <= 0 {
		return from, optimal, nil
	}
	return to, optimal, nil
}
