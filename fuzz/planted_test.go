package fuzz

import (
	"context"
	"testing"
	"time"

	"tv/equiv"
	faults "tv/internal/planted"
)

// apartPairs returns the k-th pair of a program and a mutant of it, or nil where the evaluator does not tell them apart.
type pair struct {
	before, after *Program
	defect        string
}

func TestPlanted(t *testing.T) {
	var pairs []*pair
	get := func(k int) *pair {
		for len(pairs) <= k {
			salt := scramble(0x706c616e74 ^ scramble(uint64(len(pairs))))
			p := Programs(Params{Salt: salt, MaxOps: 6}).Example(int(salt >> 1))
			var found *pair
			if m := Mutate(p, p.Seed); m != nil && Judge(p.Typing, m.Typing, p.Exact, 300, p.Seed).Apart {
				found = &pair{p, m.Program, m.Defect}
			}
			pairs = append(pairs, found)
		}
		return pairs[k]
	}
	for _, f := range faults.All() {
		found := -1
		start := time.Now()
		for k := range 6000 {
			p := get(k)
			if p == nil {
				continue
			}
			remove := faults.Plant(f)
			opts := equiv.Options{Timeout: 2 * time.Second, Solver: "none"}
			if p.before.Exact {
				opts.Arith = equiv.Exact
			}
			proved, err := equiv.Prove(context.Background(), p.before.Parsed, p.after.Parsed, opts)
			remove()
			if err == nil && proved {
				found = k
				break
			}
		}
		d := ""
		if found >= 0 {
			d = pairs[found].defect
		}
		t.Logf("%-24s %5d %s %s", f, found, d, time.Since(start))
	}
}
