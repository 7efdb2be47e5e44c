package proofs

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"tv/glenside/rule"
	"tv/semantics/domain"
)

// This file holds the cases of a rule against instances with numbers for everything, which are made
// without the blocks, and without the cases for axes, that a fault may be in.

// Bounds of the instances: how many are drawn, the dims of a group, which few rules allow to be
// many, and sizes.
const (
	maxTried = 128
	fewDims  = 2
	mostDims = 4
	mostSize = 2
)

// uncovered looks for an instance of a rule that none of the cases is, and returns "" where it
// finds none among those that it draws.
func uncovered(r *rule.Rule, elem domain.Elem, cases []*rule.Case) string {
	groups, _ := r.Names()
	rng := rand.New(rand.NewPCG(1, 2))
	for try := range maxTried {
		v := r.RandomValues(rng, []int{fewDims, mostDims}[try%2], mostSize)
		for _, q := range r.Ints {
			if rng.IntN(3) == 0 { // axes may be counted from the end
				v.Sizes[q] = -v.Sizes[q]
			}
		}
		if !slices.ContainsFunc(cases, func(c *rule.Case) bool {
			return among(c, v, groups, map[string]int64{})
		}) && r.Admits(v, elem) == nil { // of a weaker statement both sides
			return fmt.Sprint(v)
		}
	}
	return ""
}

// among tells whether an instance is one of a case: its groups have the parts that the case says,
// those of one name with the same numbers of dims, and its words and integers are the case's.
func among(c *rule.Case, v rule.Values, groups []string, ranks map[string]int64) bool {
	if len(groups) > 0 {
		return filled(c.Groups[groups[0]], int64(len(v.Groups[groups[0]])), ranks, func() bool {
			return among(c, v, groups[1:], ranks)
		})
	}
	for name, w := range c.Words {
		if v.Tokens[name] != w {
			return false
		}
	}
	for q, x := range c.Ints {
		if !agrees(x, v.Sizes[q], ranks) {
			return false
		}
	}
	return true
}

// filled gives numbers of dims to the parts of a group of n, until rest is content.
func filled(parts []rule.Part, n int64, ranks map[string]int64, rest func() bool) bool {
	if len(parts) == 0 {
		return n == 0 && rest()
	}
	next := func(k int64) bool { return k <= n && filled(parts[1:], n-k, ranks, rest) }
	name := parts[0].Rank
	if name == "" {
		return next(1)
	} else if k, known := ranks[name]; known {
		return next(k)
	}
	defer delete(ranks, name)
	for k := range n + 1 {
		if ranks[name] = k; next(k) {
			return true
		}
	}
	return false
}

// agrees tells whether x can be n: its names are numbers of dims, or one that may be any from 0.
func agrees(x domain.Size, n int64, ranks map[string]int64) bool {
	by := map[string]domain.Size{}
	free := ""
	for _, name := range x.Names() {
		if k, ok := ranks[name]; ok {
			by[name] = domain.IntSize(k)
		} else {
			free = name
		}
	}
	return slices.ContainsFunc([]int64{max(n, 0), max(-1-n, 0)}, func(k int64) bool {
		by[free] = domain.IntSize(k)
		m, ok := x.Subst(by).Int64()
		return ok && m == n
	})
}
