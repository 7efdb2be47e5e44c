package networks_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tv/internal/networks"
	"tv/internal/source"
	"tv/semantics/relay/syntax"
)

// rows are the words of the lines of a file.
func rows(t *testing.T, file string) (list [][]string) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if words := strings.Fields(line); len(words) > 0 && words[0] != "#" {
			list = append(list, words)
		}
	}
	return list
}

// graph reads a network.
func graph(t *testing.T, name string, simplified bool) *syntax.Graph {
	t.Helper()
	m, err := syntax.Parse(source.NewFile(name, networks.Relay(name, simplified)), "")
	if err != nil {
		t.Fatal(err)
	}
	g, err := m.Graph(syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Networks have the calls of the public texts, operator by operator.
func TestRelayOperators(t *testing.T) {
	for _, row := range rows(t, "operators.txt") {
		by, all := graph(t, row[0], row[1] == "simplified").Operators()
		if fmt.Sprint(all) != row[2] {
			t.Errorf("%s, %s: %d calls, wanted %s", row[0], row[1], all, row[2])
		}
		for i := 3; i < len(row); i += 2 {
			if fmt.Sprint(by[row[i]]) != row[i+1] {
				t.Errorf("%s, %s: %d of %s, wanted %s", row[0], row[1], by[row[i]], row[i], row[i+1])
			}
			delete(by, row[i])
		}
		if len(row) > 3 && len(by) > 0 {
			t.Errorf("%s, %s has %v as well", row[0], row[1], by)
		}
	}
}

// A product has so many rows, outputs, and terms in a sum.
type product struct{ rows, outs, sum int64 }

// products lists those of a graph, by operator.
func products(g *syntax.Graph) map[string][]product {
	list := map[string][]product{}
	for _, n := range g.Nodes {
		if n.Kind != syntax.NodeCall || !slices.Contains([]string{"nn.conv2d", "nn.conv1d", "nn.dense"}, n.Op.Name) {
			continue
		}
		elements := func(n *syntax.Node) int64 {
			all := int64(1)
			for _, d := range n.Type.Dims {
				all *= d
			}
			return all
		}
		outs := n.Args[1].Type.Dims[0]
		if n.Op.Name == "nn.conv2d" {
			if n.Ints["groups"][0] != 1 {
				continue
			}
			if n.Words["kernel_layout"] == "HWIO" {
				outs = n.Args[1].Type.Dims[3]
			}
		}
		list[n.Op.Name] = append(list[n.Op.Name], product{elements(n) / outs, outs, elements(n.Args[1]) / outs})
	}
	return list
}

// Networks have the products of the public texts: as many fit, and as many multiply-adds are added where none has to.
func TestRelayProducts(t *testing.T) {
	for _, row := range rows(t, "products.txt") {
		by := products(graph(t, row[0], false))
		all := slices.Concat(by["nn.conv2d"], by["nn.conv1d"], by["nn.dense"])
		count := func(ok func(p product) bool) (n int) {
			for _, p := range all {
				if ok(p) {
					n++
				}
			}
			return n
		}
		divides := func(d, n int64) bool { return n%d == 0 }
		up := func(d, n int64) int64 { return (n + d - 1) / d * d }
		got := []int{len(by["nn.conv2d"]), len(by["nn.dense"]), len(by["nn.conv1d"])}
		for _, outs := range []int64{64, 16} {
			got = append(got, count(func(p product) bool { return divides(16, p.sum) && divides(outs, p.outs) }),
				count(func(p product) bool { return divides(16, p.sum) && (divides(outs, p.outs) || divides(outs, p.rows)) }))
		}
		got = append(got, count(func(p product) bool { return divides(16, p.sum) && divides(16, p.outs) && divides(16, p.rows) }))
		var needed, flexasr, better, vta int64
		for _, p := range all {
			needed += p.rows * p.outs * p.sum
			stands, turned := p.rows*up(64, p.outs)*up(16, p.sum), p.outs*up(64, p.rows)*up(16, p.sum)
			flexasr, better = flexasr+stands, better+min(stands, turned)
			vta += p.rows * up(16, p.outs) * up(16, p.sum)
		}
		for _, done := range []int64{flexasr, better, vta} {
			got = append(got, int(math.Round(1000*float64(done)/float64(needed))))
		}
		var want []int
		for _, word := range row[1:] {
			if n, err := strconv.Atoi(word); err == nil {
				want = append(want, n)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d, wanted %d", row[0], got, want)
		}
	}
}
