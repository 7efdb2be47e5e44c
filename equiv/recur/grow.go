package recur

import (
	"fmt"
	"slices"

	"tv/internal/source"
)

func spell(v int) string { return fmt.Sprintf("v%d", v) }

// A grower makes the tree of a read from its candidates.
type grower struct {
	*side
	reader *stmt
	count  int
}

// grow makes a tree for a path: of the cases of the reader those that get there, of the candidates those that may be it, the
// latest first. made are the quotients on the path.
func (g *grower) grow(path []fact, made []int, cases []*instance, list []candidate) *tree {
	g.grown++
	if g.count++; g.count > maxLeaves || g.grown > maxAllLeaves {
		give(g.reader.at, "who wrote what this reads has more than %d cases, or all reads more than %d", maxLeaves, maxAllLeaves)
	}
	cases = slices.DeleteFunc(slices.Clone(cases), func(x *instance) bool { return empty(slices.Concat(x.facts, path)) })
	if len(cases) == 0 {
		return &tree{kind: never}
	}
	list = slices.DeleteFunc(slices.Clone(list), func(c candidate) bool {
		return !slices.ContainsFunc(cases, func(x *instance) bool { return !empty(slices.Concat(x.facts, path, c.facts)) })
	})
	if len(list) == 0 {
		return &tree{kind: entry}
	}
	first := list[0]
	if f, ok := g.open(path, cases, first.facts); ok {
		return g.split(path, made, cases, list, f)
	}
	if len(list) > 1 && list[1].rank == first.rank {
		other := list[1]
		if f, ok := g.open(path, cases, other.facts); ok {
			return g.split(path, made, cases, list, f)
		}
		f, which := g.compared(path, cases, first, other)
		if which < 0 {
			return g.split(path, made, cases, list, f)
		}
		lost := 1
		if which == 1 {
			lost = 0
		}
		return g.grow(path, made, cases, slices.Delete(slices.Clone(list), lost, lost+1))
	}
	return g.making(made, first.counters, func([]int) *tree {
		return &tree{kind: written, writer: first.writer, counters: first.counters}
	})
}

// open is a fact of some that does not hold on all of a path.
func (g *grower) open(path []fact, cases []*instance, facts []fact) (lin, bool) {
	for _, f := range facts {
		ways := []lin{f.lin}
		if f.zero {
			ways = append(ways, f.times(-1))
		}
		for _, a := range ways {
			if !f.defines && !g.holds(path, cases, a) {
				return a, true
			}
		}
	}
	return lin{}, false
}

// holds tells whether a form is at least 0 on all of a path.
func (g *grower) holds(path []fact, cases []*instance, a lin) bool {
	not := natural(a).denied()[0]
	return !slices.ContainsFunc(cases, func(x *instance) bool { return !empty(append(slices.Concat(x.facts, path), not)) })
}

// compared tells which of two that both hold is later: 0 or 1; -1 where that depends on a form.
func (g *grower) compared(path []fact, cases []*instance, a, b candidate) (lin, int) {
	for k := range shared(a.writer, b.writer) {
		way := b.counters[k].minus(a.counters[k]).times(a.writer.later[k])
		after, before := way.add(-1), way.times(-1).add(-1)
		switch {
		case g.holds(path, cases, after):
			return lin{}, 1
		case g.holds(path, cases, before):
			return lin{}, 0
		case !g.holds(path, cases, before.times(-1).add(-1)):
			return before, -1
		case !g.holds(path, cases, after.times(-1).add(-1)):
			return after, -1
		}
	}
	if a.writer.order < b.writer.order {
		return lin{}, 1
	}
	return lin{}, 0
}

// split makes a branch.
func (g *grower) split(path []fact, made []int, cases []*instance, list []candidate, f lin) *tree {
	return g.making(made, []lin{f}, func(made []int) *tree {
		full := path
		for _, q := range made {
			d := g.quotients[q]
			full = extended(full, defining(q, d.of, d.by)...)
		}
		t := &tree{kind: branch, when: f}
		t.yes = g.grow(extended(full, natural(f)), made, cases, list)
		t.no = g.grow(extended(full, natural(f).denied()[0]), made, cases, list)
		if sameLeaf(t.yes, t.no) {
			return t.yes
		}
		return t
	})
}

// making makes the quotients that forms have, and then a tree.
func (g *grower) making(made []int, list []lin, then func(made []int) *tree) *tree {
	need := g.missing(made, g.reader.counters, list)
	out := then(append(slices.Clip(made), need...))
	for _, q := range slices.Backward(need) {
		out = &tree{kind: divide, quotient: q, yes: out}
	}
	return out
}

// missing lists quotients of forms that are not made, each behind those that it is made of.
func (n *names) missing(made, counters []int, list []lin) (need []int) {
	var see func(a lin)
	see = func(a lin) {
		for _, t := range a.terms {
			if t.v < len(n.sizes) || slices.Contains(counters, t.v) || slices.Contains(made, t.v) || slices.Contains(need, t.v) {
				continue
			}
			q, ok := n.quotients[t.v]
			if !ok {
				give(source.Span{}, "a form has a variable of which nothing is known")
			}
			see(q.of)
			need = append(need, t.v)
		}
	}
	for _, a := range list {
		see(a)
	}
	return need
}
