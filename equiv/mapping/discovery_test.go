package mapping_test

import (
	"path"
	"strings"
	"testing"

	"tv/equiv/mapping"
	"tv/glenside/rule"
	"tv/internal/source"
)

// without leaves rules out by name.
func without(rules []*rule.Rule, pattern string) (list []*rule.Rule) {
	for _, r := range rules {
		if matches, _ := path.Match(pattern, r.Name); !matches {
			list = append(list, r)
		}
	}
	return list
}

// What "Pure Tensor Program Rewriting via Access Patterns" discovers is found by rules that know no convolutions: im2col, blocks, and
// what its own search does not end for, zeros for an array of 64 by 64.
func TestDiscoveries(t *testing.T) {
	const conv = `(input X (shape 1 C 10 10))
(input W (shape 32 C 3 3))
(access-transpose (compute dot-product (access-cartesian-product (access W 1)
  (access (access-squeeze (access-windows (access X 1) (shape C 3 3) (shape 1 1 1)) 1) 3))) (list 1 0 2 3))
`
	const product = `(input A (shape 32 32))
(input B (shape 32 32))
(compute dot-product (access-cartesian-product (access A 1) (access B 1)))
`
	channels := func(n string) string { return strings.ReplaceAll(conv, "C", n) }
	for _, c := range []struct {
		name, text, target, mode string
		group                    string
		calls, host              int
		has                      map[string]int // operators of the text, as often as they are written
	}{
		{"im2col on vta", channels("16"), "vta", "fit", "vta", 1, 7, map[string]int{"access-windows": 1}},
		{"im2col on an array", channels("16"), "systolic-blocking=16x16", "fit", "systolic", 1, 8, map[string]int{"access-windows": 1}},
		{"blocks of 16", product, "systolic=16x16", "fit", "systolic", 4, 15, map[string]int{"systolic-array": 4, "access-slice": 8}},
		{"an array of 64 with zeros", channels("3"), "systolic=64x64", "pad", "systolic", 1, 12, map[string]int{"systolic-array": 1}},
		{"blocks of 64 with zeros", channels("3"), "systolic-blocking=64x64", "pad", "systolic", 1, 12, map[string]int{"systolic-array-with-blocking": 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			target, err := mapping.ParseTarget(c.target)
			if err != nil {
				t.Fatal(err)
			}
			r := mapped(t, source.NewFile("p.sexp", c.text), without(shipped(t, target.Name, c.mode), "conv*"), target)
			if r.After.Calls[c.group] != c.calls || r.After.Host > c.host || r.After.Work > 0 {
				t.Errorf("%v, %d operators of the host with %d multiply-adds:\n%s", r.After.Calls, r.After.Host, r.After.Work, r.Mapped)
			}
			for word, n := range c.has {
				if got := strings.Count(r.Mapped, "("+word+" "); got != n {
					t.Errorf("%d times %s, wanted %d:\n%s", got, word, n, r.Mapped)
				}
			}
		})
	}
}

// No single step towards a discovery lowers the cost, so that who takes only steps that do gets nowhere: after one round, in which
// every instance of every rule is in the graph, the program itself is the cheapest.
func TestGreedyStepsStop(t *testing.T) {
	const conv = `(input X (shape 1 16 10 10))
(input W (shape 32 16 3 3))
(access-transpose (compute dot-product (access-cartesian-product (access W 1)
  (access (access-squeeze (access-windows (access X 1) (shape 16 3 3) (shape 1 1 1)) 1) 3))) (list 1 0 2 3))
`
	const product = `(input A (shape 32 32))
(input B (shape 32 32))
(compute dot-product (access-cartesian-product (access A 1) (access B 1)))
`
	for _, c := range []struct{ text, target string }{{conv, "vta"}, {product, "systolic=16x16"}} {
		target, err := mapping.ParseTarget(c.target)
		if err != nil {
			t.Fatal(err)
		}
		for rounds, found := range map[int]bool{1: false, mapping.DefaultRounds: true} {
			r, err := mapping.Map(t.Context(), source.NewFile("p.sexp", c.text), mapping.Options{Rules: without(shipped(t, target.Name, "fit"), "conv*"),
				Given: target.Given, Steps: target.Steps, Rounds: rounds, Nodes: 20_000, Model: mapping.Calls(), Extract: mapping.ExtractOptimum, Certify: believed})
			if err != nil {
				t.Fatal(err)
			}
			if (r.After.Total() > 0) != found || (r.Cost[1] != r.Cost[0]) != found {
				t.Errorf("%s after %d rounds: %d calls, cost %v of %v", c.target, rounds, r.After.Total(), r.Cost[1], r.Cost[0])
			}
		}
	}
}

// Batches are taken apart where that is allowed.
func TestBatches(t *testing.T) {
	const text = `(input X (shape 5 16 32))
(input Y (shape 5 16 32))
(relay-operator-call relay-batch-matmul X Y)
`
	for mode, calls := range map[string]int{"fit": 0, "split": 5} {
		if r := mapped(t, source.NewFile("p.sexp", text), shipped(t, "vta", mode), mapping.Target{}); r.After.Calls["vta"] != calls {
			t.Errorf("%s: %v, wanted %d calls:\n%s", mode, r.After.Calls, calls, r.Mapped)
		}
	}
}

// Maxima and means of windows are taken in pairs, which does as many comparisons and additions as there were.
func TestPools(t *testing.T) {
	for _, c := range []struct {
		text  string
		calls int
	}{
		{"(input A (shape 32 8))\n(compute reduce-POOL (access-windows (access A 1) (shape 2) (shape 2)))", 1},
		{"(input A (shape 32 8))\n(compute reduce-POOL (access A 1))", 3},
		{"(input A (shape 4 8 16))\n(compute reduce-POOL (access A 2))", 4},
		{"(input A (shape 32 6))\n(compute reduce-POOL (access A 1))", 1},
		{"(input A (shape 32 7))\n(compute reduce-POOL (access A 1))", 0},
		{"(input A (shape 1 16 4 2))\n(relay-operator-call relay-POOL-pool2d A (shape 2 2) (shape 2 2) (shape 0 0 0 0) relay-activation-layout-nchw)", 2},
		{"(input A (shape 2 4 4 8))\n(relay-operator-call relay-POOL-pool2d A (shape 2 3) (shape 1 1) (shape 0 0 0 0) relay-activation-layout-nhwc)", 1},
		{"(input A (shape 2 4 4 8))\n(relay-operator-call relay-POOL-pool2d A (shape 3 3) (shape 1 1) (shape 0 0 0 0) relay-activation-layout-nhwc)", 0},
	} {
		for _, of := range []struct{ reduced, relay, group string }{{"reduce-max", "relay-max", "flexasr-maxpool"}, {"reduce-mean", "relay-avg", "flexasr-meanpool"}} {
			text := strings.NewReplacer("reduce-POOL", of.reduced, "relay-POOL", of.relay).Replace(c.text)
			r := mapped(t, source.NewFile("p.sexp", text), shipped(t, "flexasr", "fit"), mapping.Target{})
			if got := r.After.Calls[of.group]; got != c.calls {
				t.Errorf("%s: %d calls, wanted %d:\n%s", text, got, c.calls, r.Mapped)
			}
			if needed := r.Before.Work - r.After.Work; r.After.Done != needed {
				t.Errorf("%s: %d comparisons or additions in calls, of %d", text, r.After.Done, needed)
			}
		}
	}
}
