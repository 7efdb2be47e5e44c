package equiv_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"
	"time"

	"tv/equiv"
	"tv/glenside"
	"tv/internal/source"
)

// A value is a random expression with its shape.
type value struct {
	text  string
	dims  []int
	split int
}

// A generator writes random well-typed programs over the core constructs and the computes; sizes are small, and what
// it used is counted.
type generator struct {
	rng  *rand.Rand
	used map[string]int
}

func (g *generator) list(l []int) string { return strings.Trim(fmt.Sprint(l), "[]") }

func (g *generator) input() value {
	dims := [][]int{{2, 3}, {3, 2}, {4}, {2, 2, 3}, {3, 3}}
	k := g.rng.IntN(len(dims))
	return value{fmt.Sprintf("(access-tensor %c)", 'A'+k), dims[k], len(dims[k])}
}

const declared = "(input A (shape 2 3))\n(input B (shape 3 2))\n(input C (shape 4))\n(input D (shape 2 2 3))\n(input E (shape 3 3))\n"

func (g *generator) grow(depth int) value {
	if depth == 0 {
		return g.input()
	}
	v := g.grow(depth - 1)
	r := len(v.dims)
	out := func(name, format string, dims []int, split int, args ...any) value {
		g.used[name]++
		return value{"(" + name + " " + fmt.Sprintf(format, args...) + ")", dims, split}
	}
	with := func(axis, n int) []int {
		d := append([]int(nil), v.dims...)
		d[axis] = n
		return d
	}
	total := 1
	for _, d := range v.dims {
		total *= d
	}
	kind := g.rng.IntN(17)
	if kind >= 8 && v.split == r && r > 0 { // something to compute on
		v.split = g.rng.IntN(r)
		v.text = fmt.Sprintf("(access %s %d)", v.text, v.split)
	}
	switch kind {
	case 0:
		k := g.rng.IntN(r + 1)
		return out("access", "%s %d", v.dims, k, v.text, k)
	case 1:
		p := g.rng.Perm(r)
		d := make([]int, r)
		for i, x := range p {
			d[i] = v.dims[x]
		}
		return out("access-transpose", "%s (list %s)", d, v.split, v.text, g.list(p))
	case 2:
		if r > 0 && total <= 200 {
			axis := g.rng.IntN(r)
			return out("access-pad", "%s %s %d 1 1", with(axis, v.dims[axis]+2), v.split,
				v.text, "zero-padding", axis)
		}
	case 3:
		if r > 0 {
			axis := g.rng.IntN(r)
			lo := g.rng.IntN(v.dims[axis])
			hi := lo + 1 + g.rng.IntN(v.dims[axis]-lo)
			return out("access-slice", "%s %d %d %d", with(axis, hi-lo), v.split, v.text, axis, lo, hi)
		}
	case 4:
		if r > 0 && total <= 100 {
			axis := g.rng.IntN(r)
			return out("access-concatenate", "%s (compute negative %s) %d", with(axis, 2*v.dims[axis]), v.split, v.text, v.text, axis)
		}
	case 5:
		a, c := 1, 1
		for i, d := range v.dims {
			if i < v.split {
				a *= d
			} else {
				c *= d
			}
		}
		var d []int
		split := 0
		if v.split > 0 {
			d, split = append(d, a), 1
		}
		if v.split < r {
			d = append(d, c)
		}
		return out("access-flatten", "%s", d, split, v.text)
	case 6:
		return out("access-reshape", "%s (access-shape (shape %d) (shape))", []int{total}, 1, v.text, total)
	case 7:
		axis := g.rng.IntN(v.split + 1)
		d := append(append(append([]int(nil), v.dims[:axis]...), 1), v.dims[axis:]...)
		return out("access-insert-axis", "%s %d", d, v.split+1, v.text, axis)
	case 8:
		if total <= 100 {
			w := g.grow(depth - 1)
			if v.split < r && fmt.Sprint(w.dims[w.split:]) == fmt.Sprint(v.dims[v.split:]) && total*len(w.dims) < 200 {
				d := append(append([]int(nil), v.dims[:v.split]...), w.dims[:w.split]...)
				return out("access-cartesian-product", "%s %s", append(append(d, 2), v.dims[v.split:]...), v.split+w.split, v.text, w.text)
			}
			d := append(append(append([]int(nil), v.dims[:v.split]...), 2), v.dims[v.split:]...)
			return out("access-pair", "%s %s", d, v.split, v.text, v.text)
		}
	case 9:
		if v.split < r {
			w, o := []int{}, []int{}
			for _, d := range v.dims[v.split:] {
				k := 1 + g.rng.IntN(min(d, 2))
				w, o = append(w, k), append(o, d-k+1)
			}
			ones := strings.TrimSpace(strings.Repeat("1 ", len(w)))
			return out("access-windows", "%s (shape %s) (shape %s)",
				append(append(append([]int(nil), v.dims[:v.split]...), o...), w...), r, v.text, g.list(w), ones)
		}
	case 10, 11, 12:
		if v.split < r {
			f := []string{"reduce-sum", "reduce-max", "reduce-mean", "dot-product"}[g.rng.IntN(4)]
			g.used[f]++
			return value{"(compute " + f + " " + v.text + ")", v.dims[:v.split], v.split}
		}
	case 13, 14, 15:
		if v.split < r && v.dims[v.split] > 0 {
			f := []string{"elementwise-add", "elementwise-mul"}[g.rng.IntN(2)]
			g.used[f]++
			d := append(append([]int(nil), v.dims[:v.split]...), v.dims[v.split+1:]...)
			return value{"(compute " + f + " " + v.text + ")", d, v.split}
		}
	}
	f := []string{"relu", "negative"}[g.rng.IntN(2)]
	g.used[f]++
	return value{"(compute " + f + " " + v.text + ")", v.dims, v.split}
}

// mutate changes one number of a program's expression by one.
func mutate(rng *rand.Rand, text string) string {
	var at []int
	for i := 1; i < len(text); i++ {
		if text[i] >= '0' && text[i] <= '9' && text[i-1] == ' ' {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return text
	}
	i := at[rng.IntN(len(at))]
	digit := (int(text[i]-'0') + 1 + 8*rng.IntN(2)) % 10
	return text[:i] + fmt.Sprint(digit) + text[i+1:]
}

// TestRandomPrograms: a random program equals its twin. A mutant of it that the evaluator tells apart is not proved by
// the engines alone, and one that it does not tell apart is not refuted: both are asked of Check, whose refutations are
// replayed, so a wrong proof would show as a pair that further samples refute.
func TestRandomPrograms(t *testing.T) {
	const programs = 1500
	g := &generator{rng: rand.New(rand.NewPCG(11, 13)), used: map[string]int{}}
	verdicts := map[equiv.Verdict]int{}
	twins := 0
	for range programs {
		v := g.grow(1 + g.rng.IntN(6))
		before, err := glenside.Parse(source.NewFile("before", declared+v.text))
		if err != nil {
			t.Fatalf("%v\n%s", err, v.text)
		}
		ty, err := glenside.Check(before, nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, v.text)
		}
		w := &twin{rng: g.rng, ty: ty, wraps: map[string]int{}, every: 3}
		opts := equiv.Options{Timeout: 20 * time.Second, Solver: "none"}
		for k, text := range []string{w.text(before.Root), mutate(g.rng, v.text)} {
			after, err := glenside.Parse(source.NewFile("after", declared+text))
			if err != nil {
				continue // a mutant may be ill formed
			}
			isTwin := k == 0
			r, err := equiv.Check(context.Background(), before, after, opts)
			if err != nil {
				if isTwin {
					t.Errorf("%v\n%s\n%s", err, v.text, text)
				}
				continue
			}
			if isTwin {
				twins++
				if r.Verdict != equiv.Proved {
					t.Errorf("twin %s (%s: %s)\n%s\n%s", r.Verdict, r.Reason, r.Detail, v.text, text)
				}
				continue
			}
			verdicts[r.Verdict]++
			if r.Verdict == equiv.Proved && v.text != text { // ask again with other inputs
				for seed := range uint64(3) {
					opts := opts
					opts.Seed = 1000 + 7*seed
					if again, err := equiv.Check(context.Background(), before, after, opts); err != nil || again.Verdict != equiv.Proved {
						t.Errorf("proved, and not with other samples: %s\n%s", v.text, text)
					}
				}
			}
		}
	}
	var names []string
	for n, k := range g.used {
		names = append(names, fmt.Sprintf("%s %d", n, k))
	}
	sort.Strings(names)
	t.Logf("%d twins; mutants %v; operators: %s", twins, verdicts, strings.Join(names, ", "))
	if len(names) != 19 {
		t.Errorf("%d operators were used, want 19: %v", len(names), names)
	}
	if mutants := verdicts[equiv.Proved] + verdicts[equiv.Refuted] + verdicts[equiv.Unknown]; verdicts[equiv.Refuted]*10 < mutants*4 {
		t.Errorf("only %d mutants of %d were told apart", verdicts[equiv.Refuted], mutants)
	}
}
