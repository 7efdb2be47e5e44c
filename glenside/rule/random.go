package rule

import (
	"maps"
	"math/rand/v2"
	"slices"

	"tv/semantics/domain"
)

// RandomValues draws values for the names of a rule: groups of up to rank dims, sizes and dims up to size, integers a
// little beyond. Permutations have the length that the guard says, or that of some variable's rank. Most rules admit only some of them.
func (r *Rule) RandomValues(rng *rand.Rand, rank int, size int64) Values {
	v := Values{Groups: map[string][]int64{}, Sizes: map[string]int64{}, Lists: map[string][]int{}, Tokens: map[string]string{}}
	rank = rng.IntN(rank + 1) // of this instance: small ranks meet guards more often
	few := []int64{1, rng.Int64N(size + 1), rng.Int64N(size + 1)}
	draw := func() int64 { // few different sizes: equalities are met more often
		if rng.IntN(4) > 0 {
			return few[rng.IntN(len(few))]
		}
		return rng.Int64N(size + 1)
	}
	for _, name := range slices.Sorted(maps.Keys(r.names)) {
		switch r.names[name] {
		case groupName:
			dims := make([]int64, rng.IntN(rank+1))
			for i := range dims {
				dims[i] = draw()
			}
			v.Groups[name] = dims
		case sizeName:
			v.Sizes[name] = draw()
		case intName:
			if v.Sizes[name] = rng.Int64N(size+2) - 1; rng.IntN(2) == 0 {
				v.Sizes[name] = draw()
			}
		}
	}
	r.alike(rng, v, size)
	length := 0
	if len(r.Vars) > 0 {
		x := r.Vars[rng.IntN(len(r.Vars))]
		for _, d := range append(slices.Clone(x.Access), x.Compute...) {
			if d.Kind == Group {
				length += len(v.Groups[d.Text])
			} else {
				length++
			}
		}
	}
	for _, t := range r.Tokens {
		v.Tokens[t.Name] = t.Tokens[rng.IntN(len(t.Tokens))]
	}
	for _, l := range r.Lists {
		v.Lists[l] = nil
	}
	for _, l := range r.Lists {
		if n, ok := r.permuted(l, v); ok {
			v.Lists[l] = rng.Perm(n)
		} else {
			v.Lists[l] = rng.Perm(length)
		}
	}
	return v
}

// permuted returns how many elements the guard says that a list permutes, in an instance whose lists are not drawn yet.
func (r *Rule) permuted(list string, v Values) (n int, ok bool) {
	for _, g := range r.Where {
		if g.Op != "permutation" || g.A.Kind != ListName || g.A.Text != list {
			continue
		}
		a, err := r.settled(v)
		if err != nil {
			return 0, false
		}
		e := &elaborator{rule: r, a: a, intNames: map[string]string{}, elem: &domain.Elem{}}
		out := attempt(func() {
			if k, number := e.int(g.B).Int64(); number && k >= 0 && k < 20 {
				n, ok = int(k), true
			}
		})
		return n, ok && out.bad == "" && !out.stopped()
	}
	return 0, false
}

// alike gives some groups the dims of others, often all but one: operands that have to agree would seldom do so.
func (r *Rule) alike(rng *rand.Rand, v Values, size int64) {
	names := r.groupNames()
	for i := 1; i < len(names); i++ {
		if rng.IntN(2) == 0 {
			continue
		}
		dims := slices.Clone(v.Groups[names[rng.IntN(i)]])
		if len(dims) > 0 && rng.IntN(2) == 0 {
			dims[rng.IntN(len(dims))] = rng.Int64N(size + 1)
		}
		v.Groups[names[i]] = dims
	}
}
