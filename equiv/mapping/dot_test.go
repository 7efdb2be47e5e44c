package mapping_test

import (
	"regexp"
	"strings"
	"testing"

	"tv/equiv/mapping"
	"tv/glenside"
	"tv/internal/source"
)

// What is used twice is drawn once, with an edge for each use; what does nothing to elements is left out.
func TestDot(t *testing.T) {
	p, err := glenside.Parse(source.NewFile("p.sexp", `(input x (shape 2 4)) (input w (shape 16 4))
(define y (accelerator-call vta-dense (access x 1) (access w 1)))
(relay-operator-call relay-add (access y 2) (relay-operator-call relay-relu y))`))
	if err != nil {
		t.Fatal(err)
	}
	typing, err := glenside.Check(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := mapping.Dot(p, typing)
	nodes := map[string]string{} // names by number
	for _, m := range regexp.MustCompile(`(n\d+) \[label="([^\\]*)\\n`).FindAllStringSubmatch(text, -1) {
		nodes[m[1]] = m[2]
	}
	var edges []string
	for _, m := range regexp.MustCompile(`(n\d+) -> (\w+);`).FindAllStringSubmatch(text, -1) {
		edges = append(edges, nodes[m[1]]+">"+nodes[m[2]])
	}
	got := strings.Join(edges, " ")
	if want := "x>vta-dense w>vta-dense vta-dense>relay-relu vta-dense>relay-add relay-relu>relay-add relay-add>"; got != want || len(nodes) != 5 {
		t.Errorf("%s\nis drawn as %s, of %v", text, got, nodes)
	}
	if !strings.Contains(text, `n2 [label="vta-dense\n((2 16) ()) float32", shape=box`) {
		t.Errorf("no call in\n%s", text)
	}
}
