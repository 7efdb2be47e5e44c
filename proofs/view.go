package proofs

import (
	"fmt"
	"maps"
	"slices"

	"tv/glenside/rule"
	"tv/internal/source"
	"tv/proofs/algebra"
)

// This file shows statements, goals and expressions to people and to whoever answers goals. A
// checker without it accepts the same certificates.

// Conditions lists the conditions on sizes under which the statement holds, as tv check prints them.
func (c *Checker) Conditions(s Statement) []string {
	return c.question(s, false).Conditions()
}

// String prints "rule NAME (real, float32, all ranks)"; of a weaker statement also where it holds.
func (s RuleStatement) String() string {
	name := "?"
	rules, others, err := rule.ParseAll(source.NewFile("", s.Text))
	switch {
	case err == nil && len(rules) > 0:
		name = rules[0].Name
	case err == nil:
		return fmt.Sprintf("rule %s (%s, RISE)", others[0].List[1].Atom, s.Arith)
	}
	ranks := "all ranks"
	if s.Ranks >= 0 {
		ranks = fmt.Sprintf("ranks up to %d", s.Ranks)
	}
	if s.WhereBoth {
		name += " only where both sides are well formed and have one type"
	}
	return fmt.Sprintf("rule %s (%s, %s, %s)", name, s.Arith, s.Elem, ranks)
}

// Cuts returns the cuts of the witness of a pair that was accepted.
func (p Pair) Cuts() []algebra.Cut {
	_, witness := readSplits(p.Witness)
	cuts, _, _ := readWitness(witness)
	return cuts
}

// Left returns the tensors of the result that such a pair leaves to a solver, counted from 0.
func (p Pair) Left() []int {
	_, witness := readSplits(p.Witness)
	_, left, _ := readWitness(witness)
	return left
}

// Bindings says which functions are meant, where a text may have several, which parameters are
// results, where not all are that are written, and what AFTER's names
// stand for, where they are its own: "X of AFTER is A".
func (s Statement) Bindings() (out []string) {
	for i, side := range []string{"BEFORE", "AFTER"} {
		if f := s.Functions[i]; f != "" {
			out = append(out, fmt.Sprintf("%s is the function %s", side, f))
		}
		if list := s.Results[i]; list != "" {
			out = append(out, fmt.Sprintf("the results of %s are %s", side, list))
		}
	}
	for _, p := range s.Assume {
		out = append(out, "it is assumed that "+p)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Names)) {
		out = append(out, fmt.Sprintf("%s of AFTER is %s", name, s.Names[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Sizes)) {
		out = append(out, fmt.Sprintf("the size %s of AFTER is %s", name, s.Sizes[name].Formula()))
	}
	return out
}
