package lower

import (
	"fmt"
	"strings"
	"testing"

	"tv/semantics/term"
)

// blockedMatmul returns the multiplication of two n x n matrices in blocks: concatenations of sums of
// products of slices.
func blockedMatmul(n, block int) string {
	slice := func(name string, i, k int) string {
		rows := fmt.Sprintf("(slice (access %s 1) 0 %d %d)", name, i*block, i*block+block)
		return fmt.Sprintf("(slice %s 1 %d %d)", rows, k*block, k*block+block)
	}
	var s strings.Builder
	fmt.Fprintf(&s, "(input A (shape %d %d))\n(input B (shape %d %d))\n", n, n, n, n)
	m := n / block
	product := func(i, j, k int) {
		fmt.Fprintf(&s, "(compute dotProd (cartProd %s (transpose %s (list 1 0))))",
			slice("A", i, k), slice("B", k, j))
	}
	cell := func(i, j int) {
		for range m - 1 {
			s.WriteString("(compute reduceSum (pair ")
		}
		product(i, j, 0)
		for k := 1; k < m; k++ {
			product(i, j, k)
			s.WriteString("))")
		}
	}
	joined := func(axis int, part func(i int)) {
		for range m - 1 {
			s.WriteString("(concat ")
		}
		part(0)
		for i := 1; i < m; i++ {
			part(i)
			fmt.Fprintf(&s, " %d)\n", axis)
		}
	}
	joined(0, func(i int) { joined(1, func(j int) { cell(i, j) }) })
	return s.String()
}

// BenchmarkBlockedMatmul lowers 32,768 small products and asks for their element at one symbolic index.
func BenchmarkBlockedMatmul(b *testing.B) {
	text := blockedMatmul(512, 16)
	ty := typed(b, text)
	b.ReportAllocs()
	for b.Loop() {
		tb, p := lowered(b, ty, false)
		a := p.Components[0].Array
		e := a.Element(tb.Index.Root(), somewhere(tb, a.Dims))
		if e.Op != term.If {
			b.Fatal(e.Op)
		}
		b.ReportMetric(float64(tb.Terms()), "terms/op")
		b.ReportMetric(float64(tb.Index.Exprs()), "exprs/op")
	}
}
