package mapping

import (
	"slices"

	"tv/glenside"
)

// published are the targets that [Published] counts for.
var published = []string{"flexasr", "vta", "hlscnn"}

// HasPublished tells whether [Published] counts for a target.
func HasPublished(target string) bool { return slices.Contains(published, target) }

// Published counts the matches of the patterns that publications map by: for each target that has one the occurrences in the text
// of a program, each once. Limits of machines are not asked of.
//
//	flexasr  a bias-add of a dense, along the last axis
//	vta      a dense, and a bias-add
//	hlscnn   a conv2d of one group
//
// A text is taken as it is written: equal calls count as often as they are there, and what a definition stands for counts
// once. What the result does not reach counts not at all.
func Published(p *glenside.Program) map[string]int {
	counts := map[string]int{}
	for _, target := range published {
		counts[target] = 0
	}
	w := p.Written()
	named := map[string]*glenside.Node{}
	for _, d := range w.Definitions {
		named[d.Name] = d.Node
	}
	// meant is what a call is given: of the name of a definition, what it stands for.
	meant := func(n *glenside.Node) *glenside.Node {
		for {
			name := n
			if n.Op == glenside.OpAccessTensor {
				name = n.Args[0]
			}
			if name.Kind != glenside.KindSymbol || named[name.Text] == nil {
				return n
			}
			n = named[name.Text]
		}
	}
	visit := func(n *glenside.Node) {
		if n.Op == nil {
			return
		}
		switch n.Op.Name {
		case "relay-dense":
			counts["vta"]++
		case "relay-bias-add":
			counts["vta"]++
			if x := meant(n.Args[0]); x.Op != nil && x.Op.Name == "relay-dense" && (is(n.Args[2], 1) || is(n.Args[2], -1)) {
				counts["flexasr"]++
			}
		case "relay-conv2d":
			if is(n.Args[4], 1) {
				counts["hlscnn"]++
			}
		}
	}
	texts := []*glenside.Node{w.Root}
	for i, d := range w.Definitions {
		if p.Definitions[i].Reached {
			texts = append(texts, d.Node)
		}
	}
	for len(texts) > 0 {
		n := texts[len(texts)-1]
		texts = append(texts[:len(texts)-1], n.Args...)
		visit(n)
	}
	return counts
}

// is tells whether an operand is that number.
func is(n *glenside.Node, number int64) bool {
	v, ok := n.Int.Int64()
	return n.Kind == glenside.KindInt && ok && v == number
}
