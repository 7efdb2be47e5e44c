package fuzz

import (
	"strings"
	"testing"

	"tv/fuzz/programs"
	"tv/internal/mix"

	"pgregory.net/rapid"
)

// TestKernels: the evaluator agrees with gonum on every kernel, at 1,000 draws each.
func TestKernels(t *testing.T) {
	var used tally
	var names []string
	for _, k := range programs.Kernels() {
		names = append(names, k.Name)
	}
	batches(t, 2*len(names), func(t *rapid.T, salt uint64) {
		k := programs.Kernels()[salt%1_000_000%uint64(len(names))]
		c := k.Draw(mix.Spread(salt) ^ mix.Spread(rapid.Uint64().Draw(t, "seed")) ^ mix.Spread(mix.Spread(rapid.Uint64().Draw(t, "seed"))))
		if err := c.Check(); err != nil {
			t.Fatalf("%s: %v\n%s\n%v", k.Name, err, c.Text, c.Inputs)
		}
		used.add(k.Name, 1)
	})
	used.atLeast(t, 1000, names)
	t.Logf("kernels:%s", &used)
}

// TestKernelsNotice: a kernel tells another program from its own, and a wrong number from its result.
func TestKernelsNotice(t *testing.T) {
	for _, k := range programs.Kernels() {
		c := k.Draw(7)
		c.Want[len(c.Want)-1] += 0.001
		if err := c.Check(); err == nil {
			t.Errorf("%s: a wrong number was not noticed", k.Name)
		}
	}
	for seed := range uint64(20) {
		c := drawAdd(seed)
		c.Text = strings.Replace(c.Text, "relay-add", "relay-maximum", 1)
		if err := c.Check(); err == nil {
			t.Errorf("seed %d: another operator was not noticed", seed)
		}
	}
}

// drawAdd returns a sum in which neither operand is 0 at the first element.
func drawAdd(seed uint64) *programs.Case {
	for _, k := range programs.Kernels() {
		if k.Name == "add" {
			for ; ; seed += 1000 {
				c := k.Draw(seed)
				if c.Inputs["X"][0] != 0 && c.Inputs["Y"][0] != 0 {
					return c
				}
			}
		}
	}
	panic("no kernel add")
}
