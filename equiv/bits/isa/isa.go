// Package isa finds the instructions that specifications over bit-vectors can be made of: terms with holes, applied to what stands
// in the holes, in all terms that certified rules make of the specifications.
//
//	isa.go        Run: rounds of rules and of instructions, the report
//	terms.go      operators in the e-graph, terms of specifications
//	match.go      instances of rules
//	enumerate.go  instructions: what of a term is kept, and what becomes a hole
//	explain.go    why a specification is what an instruction is applied to, checked step by step
//	cover.go      the fewest instructions that make all specifications
//	print.go      instructions as text, and as specifications
//
// An instruction is a term with holes and a number for each hole: f(x,y,x) is f of three holes with the numbers 0 1 0, as the first
// and third have one argument. An operator of a term becomes an instruction when of each child is decided whether it stays as a
// part, which takes an instruction applied in the child's class, or becomes a hole. Applications are terms of the e-graph
// (apply(instruction, arguments)), so that rules and instructions go on together; an application of an application is fused by that.
package isa

import (
	"context"
	"fmt"
	"slices"

	"tv/equiv/egraph"
	"tv/internal/source"
	"tv/semantics/bits/bv"
	"tv/semantics/bits/rule"
)

// Why a search stopped.
const (
	Saturated = "saturated"
	Rounds    = "rounds"
	Nodes     = "nodes"
)

// Options bound the search. Zeros are the defaults.
type Options struct {
	Holes  int // of an instruction; 0: DefaultHoles
	Nodes  int // of the e-graph; 0: DefaultNodes
	Rounds int // 0: DefaultRounds
	Rules  []Rule
}

// The defaults.
const (
	DefaultHoles  = 4
	DefaultNodes  = 20_000
	DefaultRounds = 8
)

// A Rule may be applied from left to right where Admits says so: it is certified for the numbers that its names stand for.
type Rule struct {
	*rule.Rule
	Admits func(values map[string]int) bool
}

// A Spec is a specification and its name in the report.
type Spec struct {
	Name string
	*bv.Spec
}

// An Instruction is one, with how often it is applied: to different arguments, or where.
type Instruction struct {
	Text      string // (bvnot (bvand i0 i1))
	Spec      string // as a specification, with the inputs i0, i1, .. and the output y
	Holes     []int  // the width of each argument, by its number
	Numbers   []int  // of the holes, in order
	Width     int    // of the result; 0: a Bool
	Operators int
	Uses      int
	Specs     []string // in which of the specifications
}

// A Report is what was found.
type Report struct {
	Instructions []Instruction // those with fewer operators first
	Stopped      string
	Rounds       int
	Nodes        int
	Classes      int
	Matches      []int // of each rule: the instances that were news
	Cover        Cover
	Explained    int // applications of which a checked explanation says why they are the term
	Steps        int // of these explanations
}

// Run enumerates. Errors: source.Errors of specifications with registers (unsupported).
func Run(ctx context.Context, specs []Spec, o Options) (*Report, error) {
	o.Holes, o.Nodes, o.Rounds = orElse(o.Holes, DefaultHoles), orElse(o.Nodes, DefaultNodes), orElse(o.Rounds, DefaultRounds)
	s := newSearch(o)
	for i, spec := range specs {
		if err := s.enter(i, spec); err != nil {
			return nil, err
		}
	}
	for s.stopped == "" {
		if s.rounds == o.Rounds {
			s.stopped = Rounds
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.rounds++
		s.round()
	}
	return s.report(specs)
}

func orElse(n, other int) int {
	if n == 0 {
		return other
	}
	return n
}

// A search is an e-graph and what it came from.
type search struct {
	*terms
	o       Options
	roots   []egraph.Term
	of      []int // the specification of each root
	reasons []reason
	sides   map[string]bool // instances of rules that were looked at
	matches []int
	rounds  int
	stopped string
}

func newSearch(o Options) *search {
	return &search{terms: newTerms(), o: o, sides: map[string]bool{}, matches: make([]int, len(o.Rules))}
}

// enter adds the outputs of a specification. Its assumptions say nothing of which terms are equal for all inputs.
func (s *search) enter(i int, spec Spec) error {
	if len(spec.States) > 0 {
		return source.Errors{source.Errorf(spec.States[0].Span, "unsupported", "instructions of a specification with registers")}
	}
	for _, o := range spec.Outputs {
		t, err := s.entered(i, o.Term)
		if err != nil {
			return err
		}
		s.roots, s.of = append(s.roots, t), append(s.of, i)
	}
	return nil
}

// round applies rules to what is there, then makes instructions of it.
func (s *search) round() {
	changed := false
	for _, step := range []func() bool{s.rewrite, s.enumerate} {
		if s.stopped == "" && step() {
			changed = true
		}
		if err := s.g.Rebuild(); err != nil {
			panic("isa: " + err.Error()) // widths of equal terms differ
		}
	}
	if !changed && s.stopped == "" {
		s.stopped = Saturated
	}
}

// full tells whether the graph has no room left, and stops the search then.
func (s *search) full() bool {
	if _, nodes := s.g.Size(); nodes >= s.o.Nodes {
		s.stopped = Nodes
	}
	return s.stopped != ""
}

func (s *search) report(specs []Spec) (*Report, error) {
	r := &Report{Stopped: s.stopped, Rounds: s.rounds, Matches: s.matches}
	r.Classes, r.Nodes = s.g.Size()
	applied := s.applications()
	steps, err := s.explainAll(applied)
	if err != nil {
		return nil, err
	}
	r.Explained, r.Steps = len(applied), steps
	below := s.below(len(specs))
	index := map[int]int{}
	for _, a := range applied {
		k := s.ops[s.g.Op(a.term)].instruction
		at, ok := index[k]
		if !ok {
			at = len(r.Instructions)
			index[k] = at
			r.Instructions = append(r.Instructions, s.printed(k))
		}
		in := &r.Instructions[at]
		in.Uses++
		for i, spec := range specs {
			if below[i][a.class] && !slices.Contains(in.Specs, spec.Name) {
				in.Specs = append(in.Specs, spec.Name)
			}
		}
	}
	r.Cover = s.cover(applied, index)
	s.sort(r)
	return r, nil
}

// sort puts instructions with fewer operators first, and the cover after them.
func (s *search) sort(r *Report) {
	order := make([]int, len(r.Instructions))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &r.Instructions[i], &r.Instructions[j]
		if a.Operators != b.Operators {
			return a.Operators - b.Operators
		}
		if len(a.Text) != len(b.Text) {
			return len(a.Text) - len(b.Text)
		}
		return compare(fmt.Sprint(a.Text, a.Holes), fmt.Sprint(b.Text, b.Holes))
	})
	var sorted []Instruction
	place := make([]int, len(order))
	for to, from := range order {
		sorted = append(sorted, r.Instructions[from])
		place[from] = to
	}
	r.Instructions = sorted
	for i, k := range r.Cover.Instructions {
		r.Cover.Instructions[i] = place[k]
	}
	slices.Sort(r.Cover.Instructions)
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// below are the classes that each specification's outputs may be made of.
func (s *search) below(specs int) []map[egraph.Class]bool {
	out := make([]map[egraph.Class]bool, specs)
	for i := range out {
		out[i] = map[egraph.Class]bool{}
	}
	for r, root := range s.roots {
		seen := out[s.of[r]]
		for stack := []egraph.Class{s.g.Class(root)}; len(stack) > 0; {
			c := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if seen[c] {
				continue
			}
			seen[c] = true
			for _, n := range s.g.Nodes(c) {
				for _, child := range n.Children {
					stack = append(stack, s.g.Find(child))
				}
			}
		}
	}
	return out
}
