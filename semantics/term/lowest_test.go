package term

import (
	"math/rand/v2"
	"testing"

	"tv/semantics/index"
)

// Law (M2) of doc/certificates.md, by itself: the maximum of a window that is MIN outside of its image is MIN where the window has no
// place within, for any sizes, strides and zeros around; where each has one, this is seen.
func TestSomewhereNumber(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const draws = 3000
	empty, seen, all := 0, 0, 0
	for range draws {
		n, k, stride, before, outs := 1+r.Int64N(6), 1+r.Int64N(5), 1+r.Int64N(3), r.Int64N(6), 1+r.Int64N(6)
		touched := true
		for i := range outs {
			from := i*stride - before
			touched = touched && from < n && from+k > 0
		}
		b := NewBuilder()
		x := b.Index
		in := b.Input("A", []*index.Expr{x.Const(n)}, Sort{})
		i := x.NewVar("i", x.Const(0), x.Const(outs))
		v := b.Bound(0, x.Const(k))
		at := x.AddInt(x.Add(x.Scale(index.Int(stride), i.Expr()), v.Expr()), -before)
		low := b.Lowest(Sort{})
		body := b.If(at, b.If(x.Sub(x.Const(n-1), at), b.Read(in, []*index.Expr{at}), low), low)
		lowest := b.Reduce(Maximum, []*index.Atom{v}, body).MayBeLowest()
		switch {
		case !touched:
			if empty++; !lowest {
				t.Fatalf("a window of %d places at steps of %d, %d before an image of %d, %d times: one has no place within, and is a number", k, stride, before, n, outs)
			}
		default:
			if all++; !lowest {
				seen++
			}
		}
	}
	if empty < draws/10 || seen < all/2 {
		t.Errorf("%d windows without a place; of %d others %d are seen", empty, all, seen)
	}
}
