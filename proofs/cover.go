package proofs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

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
			return among(c, v, groups, map[string][]int64{})
		}) && r.Admits(v, elem) == nil { // of a weaker statement both sides
			return fmt.Sprint(v)
		}
	}
	return ""
}

// among tells whether an instance is one of a case: its groups have the parts that the case says,
// those of one name with the same dims, and its words, integers and lists are the case's.
func among(c *rule.Case, v rule.Values, groups []string, parts map[string][]int64) bool {
	if len(groups) > 0 {
		return filled(c.Groups[groups[0]], v.Groups[groups[0]], parts, func() bool {
			return among(c, v, groups[1:], parts)
		})
	}
	is := func(name string, w string) bool { return v.Tokens[name] == w }
	at := func(q string, x domain.Size) bool { return agrees(x, v.Sizes[q], parts) }
	lists := func(name string, l []int) bool { return slices.Equal(l, v.Lists[name]) }
	return all(c.Words, is) && all(c.Ints, at) && all(c.Lists, lists)
}

func all[T any](m map[string]T, f func(string, T) bool) bool {
	for name, x := range m {
		if !f(name, x) {
			return false
		}
	}
	return true
}

// filled gives dims to the parts of a group, until rest is content. Those of a block are known by
// the name of their number, one dim by its size: what is written alike is alike.
func filled(parts []rule.Part, dims []int64, known map[string][]int64, rest func() bool) bool {
	if len(parts) == 0 {
		return len(dims) == 0 && rest()
	}
	name, least, most := parts[0].Rank, 0, len(dims)
	if name == "" {
		name, least, most = parts[0].Size, 1, min(1, most)
	}
	next := func(k int) bool { return filled(parts[1:], dims[k:], known, rest) }
	if n, err := strconv.ParseInt(name, 10, 64); err == nil {
		known[name] = []int64{n}
	}
	if has, ok := known[name]; ok {
		return slices.Equal(has, dims[:min(len(has), len(dims))]) && next(len(has))
	}
	defer delete(known, name)
	for k := least; k <= most; k++ {
		if known[name] = dims[:k]; next(k) {
			return true
		}
	}
	return false
}

// agrees tells whether x can be n: its names are numbers of dims, or one that may be any from 0.
func agrees(x domain.Size, n int64, parts map[string][]int64) bool {
	by := map[string]domain.Size{}
	free := ""
	for _, name := range x.Names() {
		if dims, ok := parts[name]; ok {
			by[name] = domain.IntSize(int64(len(dims)))
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
