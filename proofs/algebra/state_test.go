package algebra

import "testing"

// TestBoundTwice puts a fold inside one with the same variable, where a product would mix the two up.
func TestBoundTwice(t *testing.T) {
	b := NewBuilder()
	l := &State{B: b, Terms: NewTerms()}
	v := l.Terms.variable(b, 0, b.Const(8))
	sum := func(body *Scalar) *Scalar {
		return l.Make(Scalar{Op: OpReduce, Fold: FoldSum, Vars: []*Atom{v}, Args: []*Scalar{body}})
	}
	read := l.Make(Scalar{Op: OpRead, Name: "A", E: v.expr})
	defer func() {
		if why, ok := recover().(Refusal); !ok || why.Code != CodeUnsupported {
			t.Errorf("not refused: %v", why)
		}
	}()
	sum(l.Op2(OpMul, read, sum(read)))
}
