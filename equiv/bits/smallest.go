package bits

import (
	"context"
	"math/bits"
	"slices"
	"strings"

	"tv/equiv/bits/aig"
	"tv/equiv/bits/cnf"
	"tv/equiv/bits/sat"
)

// tries bounds the gates that are simulated in search of a small counterexample.
const tries = 1 << 28

// smallest returns, of the assignments that make outputs differ, that with the fewest ones, and of several the smallest: inputs are the
// digits of one number, the first input of the first cycle being the highest. least is false where the search was given up.
func (c *circuit) smallest(ctx context.Context, found []bool, conflicts int64) (in []bool, least bool) {
	places := c.places()
	ones := count(found)
	t := c.newTrial()
	work := 0
	weight := 0
	for ; weight <= ones; weight++ {
		cost := choose(len(places), weight, tries) / 64 * c.graph.Len()
		if work += cost; work > tries || ctx.Err() != nil {
			break
		}
		if in := t.lightest(places, weight); in != nil {
			return in, true
		}
	}
	if weight > ones || ctx.Err() != nil {
		return found, weight > ones
	}
	return c.solve(ctx, places, weight, found, conflicts)
}

func count(in []bool) (n int) {
	for _, b := range in {
		if b {
			n++
		}
	}
	return n
}

// places returns the signals from the lowest digit up.
func (c *circuit) places() []int {
	at := map[string]int{}
	for i, p := range c.Before.Inputs {
		at[p.Name] = i
	}
	signals := c.graph.Signals()
	order := make([]int, len(signals))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := signals[i], signals[j]
		if a.Kind != b.Kind { // inputs are highest
			return int(b.Kind) - int(a.Kind)
		}
		if a.Delay != b.Delay { // the later cycle is lower
			return a.Delay - b.Delay
		}
		if a.Port != b.Port && a.Kind != aig.Port {
			return strings.Compare(b.Port, a.Port)
		}
		if a.Port != b.Port {
			return at[b.Port] - at[a.Port]
		}
		return a.Bit - b.Bit
	})
	return order
}

// choose is the number of ways to take k of n, or most if that is less.
func choose(n, k, most int) int {
	ways := 1
	for i := range min(k, n) {
		if ways = ways * (n - i) / (i + 1); ways >= most {
			return most
		}
	}
	return ways
}

// glance tries no ones and a single one, before anything is built that takes longer than that: most errors show there, in a netlist of
// many cells too.
func (c *circuit) glance() []bool {
	places := c.places()
	t := c.newTrial()
	for weight := range 2 {
		if in := t.lightest(places, weight); in != nil {
			return in
		}
	}
	return nil
}

// lightest tries all assignments with weight ones, in the order of the numbers they are, and returns the first that differs.
func (t *trial) lightest(places []int, weight int) []bool {
	if weight > len(places) {
		return nil
	}
	in := make([]uint64, len(places))
	fill := 0
	flush := func() []bool {
		_, different := t.run(in)
		if fill < 64 {
			different &= 1<<fill - 1
		}
		if different != 0 {
			return lane(in, different)
		}
		clear(in)
		fill = 0
		return nil
	}
	chosen := make([]int, weight) // ascending; the next in order moves the lowest that can be
	for i := range chosen {
		chosen[i] = i
	}
	for {
		for _, k := range chosen {
			in[places[k]] |= 1 << fill
		}
		if fill++; fill == 64 {
			if found := flush(); found != nil {
				return found
			}
		}
		i := 0
		for ; i < weight; i++ {
			next := len(places)
			if i+1 < weight {
				next = chosen[i+1]
			}
			if chosen[i]+1 < next {
				chosen[i]++
				for j := range i {
					chosen[j] = j
				}
				break
			}
		}
		if i == weight {
			return flush()
		}
	}
}

// solve has the solver find the fewest ones, from weight on, and then digit by digit the smallest number.
func (c *circuit) solve(ctx context.Context, places []int, weight int, found []bool, conflicts int64) ([]bool, bool) {
	g := c.graph
	differ := aig.False
	for i, l := range c.gates.Before {
		differ = g.Or(differ, g.Xor(l, c.gates.After[i]))
	}
	inputs := make([]aig.Lit, len(places))
	for i, s := range g.Signals() {
		inputs[i] = g.Input(s)
	}
	width := bits.Len(uint(len(places))) + 1
	ones := make(aig.Word, width)
	for _, l := range inputs {
		ones, _ = g.Add(ones, make(aig.Word, width), l)
	}
	e := cnf.New(g)
	must := append(slices.Clone(c.gates.Assume), differ)
	ask := func(more ...aig.Lit) sat.Status {
		status := e.Solve(ctx, e.Lits(append(slices.Clone(must), more...)...), conflicts-e.Conflicts())
		if status == sat.Satisfiable {
			for i, l := range inputs {
				found[i] = e.Value(l)
			}
		}
		return status
	}
	found = slices.Clone(found)
	atMost := func(n int) aig.Lit { return g.ULt(ones, number(n+1, width)) }
	for low, high := weight, count(found); low < high; {
		middle := (low + high) / 2
		switch ask(atMost(middle)) {
		case sat.Satisfiable:
			high = count(found)
		case sat.Unsatisfiable:
			low = middle + 1
		default:
			return found, false
		}
	}
	must = append(must, atMost(count(found)))
	for i := len(places) - 1; i >= 0; i-- {
		l := inputs[places[i]]
		if !found[places[i]] {
			must = append(must, l.Not())
			continue
		}
		switch ask(l.Not()) {
		case sat.Satisfiable:
			must = append(must, l.Not())
		case sat.Unsatisfiable:
			must = append(must, l)
		default:
			return found, false
		}
	}
	return found, true
}

func number(n, width int) aig.Word {
	w := make(aig.Word, width)
	for i := range w {
		w[i] = aig.Bool(n>>i&1 != 0)
	}
	return w
}
