// Package glenside is the checker's reading of Glenside: it types texts by the grammar of package
// glenside and states elements by itself.
//
//	reading.go    texts, types and parts
//	lower.go      an element of a part, by its index
//	operators.go  calls; moves.go those that move elements, computes.go those that compute,
//	              lstm.go those of an LSTM, whose timesteps are parts
package glenside

import (
	"slices"

	"tv/glenside"
	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// GlensideReading reads Glenside.
type Reading struct{}

// Read implements Reading.
func (Reading) Read(f *source.File) (algebra.Source, error) {
	p, err := glenside.Parse(f)
	if err != nil {
		return nil, err
	}
	return program{p}, nil
}

// A program that was read.
type program struct{ *glenside.Program }

// Type implements Source.
func (p program) Type(env *domain.Env) (algebra.Program, error) {
	ty, err := glenside.Check(p.Program.Under(env.Names, env.Sizes), env)
	if err != nil {
		return nil, err
	}
	return typed(ty), nil
}

// A typing is a program that was typed. Its parts are the nodes of the text and, before a call of
// flex-lstm or flex-lstm-cells that has a meaning, for each timestep its cells, then its states.
type typing struct {
	*glenside.Typing
	parts  []part
	number []int // of nodes, by Node.ID
}

// A part is a node or, from timestep 1 on, cells (which 1) or states (which 0) behind it.
type part struct{ node, step, which int }

func typed(ty *glenside.Typing) typing {
	t := typing{Typing: ty}
	for _, n := range ty.Program.Nodes {
		if steps, ok := timesteps(ty, n); ok {
			for step := 1; step <= steps; step++ {
				t.parts = append(t.parts, part{n.ID, step, 1}, part{n.ID, step, 0})
			}
		}
		t.number = append(t.number, len(t.parts))
		t.parts = append(t.parts, part{node: n.ID})
	}
	return t
}

func timesteps(ty *glenside.Typing, n *glenside.Node) (int, bool) {
	if !n.IsLSTM() {
		return 0, false
	}
	return ty.Timesteps(n)
}

// Number returns the part that a node is, by Node.ID.
func (t typing) Number(id int) int { return t.number[id] }

// Conditions implements Program.
func (t typing) Conditions() (out []algebra.Condition) {
	for _, c := range t.Conds {
		out = append(out, algebra.Condition{Pred: c.Pred, Msg: c.Msg})
	}
	return out
}

// Sizes implements Program.
func (t typing) Sizes() (out []domain.Size) {
	for _, n := range t.Program.Nodes {
		if n.Kind == glenside.KindInt {
			out = append(out, n.Int)
		}
	}
	return out
}

// Limits implements Program: there are none.
func (t typing) Limits() domain.Limits { return domain.Limits{} }

// Elems implements Program: each type once.
func (t typing) Elems() (out []domain.Elem) {
	for _, ty := range t.Types {
		if ty != nil && ty.Kind <= glenside.TypeTensor && !slices.Contains(out, ty.Elem) {
			out = append(out, ty.Elem)
		}
	}
	return out
}

// Results implements Program.
func (t typing) Results() []algebra.Tensor { return results(t.Typing.Root(), nil) }

func results(t *glenside.Type, path []int) (out []algebra.Tensor) {
	if t.Kind == glenside.TypeTuple {
		for i, item := range t.Items {
			out = append(out, results(item, append(slices.Clip(path), i))...)
		}
		return out
	}
	if t.Kind > glenside.TypeLiteral {
		algebra.Fail(algebra.CodeStatement, "the result is not a tensor")
	}
	return []algebra.Tensor{tensor(t, path)}
}

func tensor(t *glenside.Type, path []int) algebra.Tensor {
	return algebra.Tensor{Path: path, Dims: t.Dims, Elem: t.Elem, Split: t.Split, Text: t.String()}
}

// Writes implements Program.
func (t typing) Writes() []string { return nil }

// Root implements Program.
func (t typing) Root() int { return t.number[t.Program.Root.ID] }

// Part implements Program.
func (t typing) Part(n int) (algebra.Tensor, bool) {
	if n >= len(t.parts) {
		return algebra.Tensor{}, false
	}
	p := t.parts[n]
	ty := t.Types[p.node]
	if ty == nil || ty.Kind > glenside.TypeTensor {
		return algebra.Tensor{}, false
	}
	if p.step > 0 {
		return tensor(state(ty), nil), true
	}
	return tensor(ty, nil), true
}

// Elements implements Program.
func (t typing) Elements(s *algebra.State, cuts map[int]string) algebra.Elements {
	named := map[part]string{}
	for n, name := range cuts {
		named[t.parts[n]] = name
	}
	return &lowering{
		State: s, ty: t.Typing, numbered: t.parts, cuts: named, memo: map[string]*scalar{},
		dimsOf: map[*glenside.Type][]*expr{}, digests: map[*glenside.Node]string{},
		joined: map[*glenside.Node][]place{}, begins: map[*glenside.Node][]*expr{},
	}
}

// state is the type of what an LSTM of a type has behind a timestep.
func state(t *glenside.Type) *glenside.Type {
	out := *t
	out.Dims, out.Split = t.Dims[1:], len(t.Dims)-1
	return &out
}

// Fixed implements Elements.
func (l *lowering) Fixed(n int) int {
	seen := map[*glenside.Node]bool{}
	var reads func(n *glenside.Node) bool
	reads = func(n *glenside.Node) bool {
		if _, cut := l.cuts[part{node: n.ID}]; cut || n.Kind == glenside.KindSymbol {
			return true
		} else if seen[n] {
			return false
		}
		seen[n] = true
		return slices.ContainsFunc(n.Args, reads)
	}
	if reads(l.ty.Program.Nodes[l.numbered[n].node]) {
		return 0
	}
	return len(seen)
}

// At implements Elements.
func (l *lowering) At(n int, path []int, c *context, at []*expr) *scalar {
	p := l.numbered[n]
	if p.step > 0 {
		return l.behind(p, c, at)
	}
	return l.at(place{l.ty.Program.Nodes[p.node], path}, c, at)
}

// Forget implements Elements.
func (l *lowering) Forget() { clear(l.memo) }
