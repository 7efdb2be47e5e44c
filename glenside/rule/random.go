package rule

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// RandomValues draws values for the names of a rule: groups of up to rank dims, sizes and dims up to size, integers a
// little beyond. Permutations have the length of some variable's rank. Most rules admit only some of them.
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
	for _, l := range r.Lists {
		v.Lists[l] = rng.Perm(length)
	}
	for _, t := range r.Tokens {
		v.Tokens[t.Name] = t.Tokens[rng.IntN(len(t.Tokens))]
	}
	return v
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
