package networks_test

import (
	"fmt"
	"strings"
	"testing"

	"tv/glenside"
	"tv/internal/networks"
	"tv/internal/source"
)

// nodes lists the nodes of a program, and what they are made of.
func nodes(t *testing.T, text string) string {
	t.Helper()
	p, err := glenside.Parse(source.NewFile("p.sexp", text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := glenside.Check(p, nil); err != nil {
		t.Fatal(err)
	}
	if rest := p.Remarks(); len(rest) > 0 {
		t.Error(rest)
	}
	var b strings.Builder
	for _, n := range p.Nodes {
		fmt.Fprint(&b, n.Kind, n.Text, n.Int)
		if n.Op != nil {
			b.WriteString(n.Op.Name)
		}
		for _, a := range n.Args {
			fmt.Fprint(&b, " ", a.ID)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// The texts are the graphs of the trees, node by node, and grow with the depth.
func TestTextsAreTrees(t *testing.T) {
	for _, n := range networks.All() {
		for _, wrong := range []int{-1, 1} {
			x, y := n.Texts(3, wrong)
			before, after := n.Trees(3, wrong)
			if nodes(t, x) != nodes(t, before) || nodes(t, y) != nodes(t, after) {
				t.Errorf("%s: the text is another program than the tree", n.Name)
			}
		}
		for depth, most := range map[int]int{12: 275, 48: 1100} {
			x, _ := n.Texts(depth, -1)
			p, err := glenside.Parse(source.NewFile("p.sexp", x))
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Count(glenside.Format(p), "\n")
			if n.Name == "encoder layers" {
				most *= 5
			}
			if lines > most {
				t.Errorf("%d %s: %d lines", depth, n.Name, lines)
			}
		}
	}
}
