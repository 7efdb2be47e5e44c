package normal

import (
	"context"
	"slices"

	"tv/semantics/index"
	"tv/semantics/term"
)

// Bounds of tables: the subterms that make one, and the elements that it has.
const (
	TableParts    = 256
	tableElements = 1 << 16
)

// Table compares two arrays of numeric dims that are constants: each element is asked for at numbers, so that no choice among
// all numbers of a constant is ever built. ok is false where one is something else, or has many elements.
func Table(ctx context.Context, b *index.Builder, dims []*index.Expr, x, y term.Array) (c Comparison, ok bool) {
	ends := make([]int64, len(dims))
	total := int64(1)
	for i, d := range dims {
		n, number := d.Const()
		m, small := n.Int64()
		if !number || !small || m < 1 || m > tableElements/total {
			return Comparison{}, false
		}
		ends[i], total = m, total*m
	}
	at := make([]*index.Expr, len(dims))
	for offset := range total {
		if offset%1024 == 0 && ctx.Err() != nil {
			return Comparison{Err: ctx.Err()}, true
		}
		for k, rest := len(at)-1, offset; k >= 0; k-- {
			at[k] = b.Const(rest % ends[k])
			rest /= ends[k]
		}
		s, t := x.Element(b.Root(), at), y.Element(b.Root(), at)
		switch number := s.Op == term.Const && s.Value != nil && t.Op == term.Const && t.Value != nil; {
		case !number:
			return Comparison{}, false
		case s != t: // equal terms are one pointer
			return Comparison{Left: []string{s.String(), "against", t.String()}, Hints: [][]*index.Expr{slices.Clone(at)}}, true
		}
	}
	return Comparison{Equal: true}, true
}
