// Package glenside is the checker's reading of Glenside: it types texts by the grammar of package
// glenside and states elements by itself.
//
//	reading.go    texts, types and parts
//	lower.go      an element of a part, by its index
//	operators.go  calls; moves.go those that move elements, computes.go those that compute
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
	return typing{ty}, nil
}

// A typing is a program that was typed. Its parts are the nodes of the text.
type typing struct{ *glenside.Typing }

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

// Elems implements Program.
func (t typing) Elems() (out []domain.Elem) {
	for _, ty := range t.Types {
		if ty != nil && ty.Kind <= glenside.TypeTensor {
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
func (t typing) Root() int { return t.Program.Root.ID }

// Part implements Program.
func (t typing) Part(n int) (algebra.Tensor, bool) {
	if n >= len(t.Types) || t.Types[n] == nil || t.Types[n].Kind > glenside.TypeTensor {
		return algebra.Tensor{}, false
	}
	return tensor(t.Types[n], nil), true
}

// Elements implements Program.
func (t typing) Elements(s *algebra.State, cuts map[int]string) algebra.Elements {
	return &lowering{State: s, ty: t.Typing, cuts: cuts, memo: map[string]*scalar{},
		dimsOf: map[*glenside.Type][]*expr{}, digests: map[*glenside.Node]string{},
		joined: map[*glenside.Node][]place{}, begins: map[*glenside.Node][]*expr{}}
}

// Fixed implements Elements.
func (l *lowering) Fixed(part int) int {
	seen := map[*glenside.Node]bool{}
	var reads func(n *glenside.Node) bool
	reads = func(n *glenside.Node) bool {
		if _, cut := l.cuts[n.ID]; cut || n.Kind == glenside.KindSymbol {
			return true
		} else if seen[n] {
			return false
		}
		seen[n] = true
		return slices.ContainsFunc(n.Args, reads)
	}
	if reads(l.ty.Program.Nodes[part]) {
		return 0
	}
	return len(seen)
}

// At implements Elements.
func (l *lowering) At(part int, path []int, c *context, at []*expr) *scalar {
	return l.at(place{l.ty.Program.Nodes[part], path}, c, at)
}

// Forget implements Elements.
func (l *lowering) Forget() { clear(l.memo) }
