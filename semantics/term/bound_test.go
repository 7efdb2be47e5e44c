package term

import (
	"testing"

	"tv/semantics/index"
)

// TestBound makes folds that differ in nothing: they are one term, at one depth only, and none may stand inside one
// with the same variable.
func TestBound(t *testing.T) {
	b := NewBuilder()
	size := b.Index.Const(8)
	in := b.Input("A", []*index.Expr{size}, Sort{})
	fold := func(depth int, body func(v *index.Atom) *Term) *Term {
		v := b.Bound(depth, size)
		return b.Reduce(Sum, []*index.Atom{v}, body(v))
	}
	read := func(v *index.Atom) *Term { return b.Read(in, []*index.Expr{v.Expr()}) }
	outer, again := fold(0, read), fold(0, read)
	if outer != again {
		t.Error("two folds that differ in nothing are two terms")
	}
	if outer == fold(1, read) {
		t.Error("folds at two depths are one term")
	}
	if deep, again := fold(64, read), fold(64, read); deep == again {
		t.Error("folds too deep to be told apart share a variable")
	}
	inside := fold(1, read)
	fold(0, func(v *index.Atom) *Term { return b.Mul(read(v), inside) })
	defer func() {
		if recover() == nil {
			t.Error("a fold stands inside one with the same variable")
		}
	}()
	fold(0, func(v *index.Atom) *Term { return b.Mul(read(v), outer) })
}
