package normal

import (
	"context"
	"fmt"
	"testing"

	"tv/semantics/index"
	"tv/semantics/term"
)

// blockedMatmul returns A·B of n by n matrices, whole and in blocks of size w.
func (l *lab) blockedMatmul(n, w int64) (whole, blocked term.Array) {
	a, b := l.input("A", l.c(n), l.c(n)), l.input("B", l.c(n), l.c(n))
	cut := func(x term.Array, i, j int64) term.Array {
		return l.slice(l.slice(x, 0, l.c(w*i), l.c(w*i+w)), 1, l.c(w*j), l.c(w*j+w))
	}
	var rows term.Array
	for i := range n / w {
		var row term.Array
		for j := range n / w {
			var cell term.Array
			for k := range n / w {
				p := l.matmul(cut(a, i, k), cut(b, k, j))
				if k == 0 {
					cell = p
				} else {
					cell = l.zip(l.b.Add, cell, p)
				}
			}
			if j == 0 {
				row = cell
			} else {
				row = l.concat(row, cell, 1)
			}
		}
		if i == 0 {
			rows = row
		} else {
			rows = l.concat(rows, row, 0)
		}
	}
	return l.matmul(a, b), rows
}

func BenchmarkBlockedMatmul(b *testing.B) {
	for _, n := range []int64{128, 256, 512} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for range b.N {
				tb := term.NewBuilder()
				l := &lab{nil, tb, tb.Index}
				x, y := l.blockedMatmul(n, 16)
				e := NewEngine(context.Background(), l.x, RealLaws, 100_000_000)
				if c := e.Compare(l.x.Root(), []*index.Expr{l.c(n), l.c(n)}, x, y); !c.Equal {
					b.Fatal(c.Left, c.Err)
				}
			}
		})
	}
}
