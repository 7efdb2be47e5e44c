package witness_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tv/internal/languages"
	"tv/semantics/domain"

	"tv/semantics"
	language "tv/semantics/glenside"

	"tv/equiv"
	"tv/equiv/witness"
	"tv/internal/source"
	"tv/proofs"
)

// TestBlocks certifies a matmul in n³ blocks. The n² products with one block of the inner axis are one sum at n²
// places, whose goals are asked once; from four on the checker makes one sum of those that follow each other by itself, and asks
// for nothing.
func TestBlocks(t *testing.T) {
	for n, answers := range map[int]int{3: 2, 4: 0} { // of three the first is where it should be
		blocks(t, n, answers)
	}
}

func blocks(t *testing.T, n, answers int) {
	const size = 20
	block := func(of string, i, j int) string {
		return fmt.Sprintf("(access-slice (access-slice (access %s 1) 0 %d %d) 1 %d %d)",
			of, size*i, size*(i+1), size*j, size*(j+1))
	}
	join := func(axis int, parts []string) string {
		text := parts[0]
		for _, p := range parts[1:] {
			text = fmt.Sprintf("(access-concatenate %s %s %d)", text, p, axis)
		}
		return text
	}
	product := func(a, b string) string {
		return "(compute dot-product (access-cartesian-product " + a + " (access-transpose " + b + " (list 1 0))))"
	}
	var rows []string
	for i := range n {
		var row []string
		for j := range n {
			text := product(block("A", i, 0), block("B", 0, j))
			for k := 1; k < n; k++ {
				text = fmt.Sprintf("(compute elementwise-add (access-pair (access %s 0) (access %s 0)))", text,
					product(block("A", i, k), block("B", k, j)))
			}
			row = append(row, "(access "+text+" 1)")
		}
		rows = append(rows, join(1, row))
	}
	declared := fmt.Sprintf("(input A (shape %d %d))\n(input B (shape %d %d))\n", n*size, n*size, n*size, n*size)
	parse := func(name, text string) semantics.Source {
		p, err := language.Language.Parse(source.NewFile(name, declared+text))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	before, after := parse("before", product("(access A 1)", "(access B 1)")), parse("after", join(0, rows))
	env, err := equiv.Environment([]semantics.Source{before, after}, nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := witness.Certify(context.Background(), witness.State(before, after, env, nil, domain.Real, false), witness.Search{})
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := proofs.Parse("certificate", data)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(pairs[0].Witness, "\n"); got != answers {
		t.Errorf("%d blocks: %d answers, not %d:\n%s", n, got, answers, pairs[0].Witness)
	}
	if _, err := languages.Checker.Check("certificate", data); err != nil {
		t.Error(err)
	}
}
