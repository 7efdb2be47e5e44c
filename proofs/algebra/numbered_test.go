package algebra

import (
	"math/rand/v2"
	"testing"
)

// TestNumbered: law (M2) of doc/certificates.md, by itself. The maximum of a window that is MIN outside of its
// image is MIN where the window has no place within; where each has one, this is seen.
func TestNumbered(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const draws = 3000
	empty, seen, all := 0, 0, 0
	for range draws {
		n, k, stride := 1+r.Int64N(6), 1+r.Int64N(5), 1+r.Int64N(3)
		before, outs := r.Int64N(6), 1+r.Int64N(6)
		touched := true
		for i := range outs {
			from := i*stride - before
			touched = touched && from < n && from+k > 0
		}
		b := NewBuilder()
		e := newEngine(b, func() {}, func(*Goal) *answer { return nil })
		l := &State{B: b, Terms: NewTerms()}
		i := b.NewVar(b.Const(0), b.Const(outs))
		v := l.Terms.variable(b, 0, b.Const(k))
		at := b.AddInt(b.Add(b.Scale(Int(stride), i.expr), v.expr), -before)
		low := l.Make(Scalar{Op: OpLowest})
		read := l.Make(Scalar{Op: OpRead, Name: "A", E: at})
		choose := func(cond *Expr, x *Scalar) *Scalar {
			return l.Make(Scalar{Op: OpIf, E: cond, Args: []*Scalar{x, low}})
		}
		body := choose(at, choose(b.Sub(b.Const(n-1), at), read))
		maximum := l.Make(Scalar{Op: OpReduce, Fold: FoldMax, Vars: []*Atom{v}, Args: []*Scalar{body}})
		lowest := e.maybe(maximum)
		switch {
		case !touched:
			if empty++; !lowest {
				t.Fatalf("a window of %d places at steps of %d, %d before an image of %d, %d times: "+
					"one has no place within, and is a number", k, stride, before, n, outs)
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
