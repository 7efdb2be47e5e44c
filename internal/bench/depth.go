package main

import (
	"fmt"
	"os"

	"tv/internal/networks"
)

// What each depth may cost: of a right pair, and of one with a wrong layer; and a question that has none.
const (
	rightMS = 1000
	rightMB = 150
	wrongMS = 2000
	smallMS = 6 // of a small question, whole process
)

// deep lists a pair whose cost is that of the processor.
func (b *bench) deep(name, want string, texts func() (before, after string), ms, mb float64) {
	b.pair(name, want, texts, ms, mb)
	b.list[len(b.list)-1].Processor = true
}

// depths lists stacks of layers at several depths, right and with one wrong layer, and long ways of moving elements.
func (b *bench) depths() {
	for _, n := range networks.All() {
		for _, depth := range n.Depths {
			name := fmt.Sprintf("depth: %d %s", depth, n.Name)
			b.deep(name, "proved", func() (string, string) { return n.Texts(depth, -1) }, rightMS, rightMB)
			b.deep(name+", one wrong", "refuted", func() (string, string) { return n.Texts(depth, depth/2) }, wrongMS, 0)
		}
	}
	const way = "depth: 64 transposes and reshapes and back"
	b.deep(way, "proved", func() (string, string) { return networks.Walk(64) }, rightMS, 0)
	b.deep("depth: 512 concatenated slices", "proved", func() (string, string) { return networks.Slices(512) }, rightMS, 0)
	b.deep("depth: a constant of 4096 numbers transposed", "proved",
		func() (string, string) { return networks.Constant(64, 64) }, rightMS, 0)
}

// small lists a small question: what it takes to start tv, most of all.
func (b *bench) small() {
	const decl, once = "(input A (shape 4 4))\n", "(compute relu (access (access-tensor A) 0))"
	b.deep("a small question, less what starting a process takes", "proved", func() (string, string) {
		return decl + "(compute relu " + once + ")\n", decl + once + "\n"
	}, smallMS, 0)
	b.list[len(b.list)-1].started = true
}

// growth compares the cost of the deepest stack with that of two layers: it should be no more than in proportion.
func (b *bench) growth() (out []ratio) {
	for _, n := range networks.All() {
		var first, last *run
		most := 0
		for _, depth := range n.Depths {
			for _, r := range b.list {
				if r.Name != fmt.Sprintf("depth: %d %s", depth, n.Name) {
					continue
				}
				if last, most = r, depth; depth == 2 {
					first = r
				}
			}
		}
		if first == nil || first == last {
			continue
		}
		q := ratio{Name: fmt.Sprintf("%d %s against 2", most, n.Name), Ratio: last.MedianMS / first.MedianMS, Limit: float64(most) / 2}
		q.Met = q.Ratio <= q.Limit
		fmt.Fprintf(os.Stderr, "%-64s %.2f (limit %.1f) %s\n", q.Name, q.Ratio, q.Limit, map[bool]string{true: "met", false: "MISSED"}[q.Met])
		out = append(out, q)
	}
	return out
}
