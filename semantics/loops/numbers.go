package loops

import (
	"math/big"
	"slices"

	"tv/semantics/domain"
)

// What Numbers and Constants list at most, and the least number of a condition or a bound that is worth a look.
const (
	mostNumbers = 24
	leastNumber = 5
)

// Numbers implements semantics.Stepper: the numbers that loops step by, tiles and factors of unrolled ones among them, those
// that bounds, conditions and subscripts name, and those from which on sums of ones are beyond a narrow type.
func (t *Typed) Numbers() (out []int64) {
	add := func(n int64) {
		if n = max(n, -n); n > 1 && !slices.Contains(out, n) && len(out) < mostNumbers {
			out = append(out, n)
		}
	}
	for _, pl := range PlacesOf(t.Procedure).Ordered() {
		if f, ok := pl.Stmt.(*For); ok && f.Step.Op == Number {
			add(f.Step.N)
		}
	}
	t.visit(func(*Expr) {}, func(x *Int) {
		if x.Op == Number && (x.N >= leastNumber || x.N <= -leastNumber) {
			add(x.N)
		}
	})
	for _, e := range t.Computes() {
		if (e.Kind == domain.ElemInt || e.Kind == domain.ElemUint) && e.Width < 32 {
			add(1 << (e.Width - 1))
			add(1 << e.Width)
		}
	}
	return out
}

// Constants implements semantics.Constants: the numbers that elements are made of or compared with.
func (t *Typed) Constants() (out []*big.Rat) {
	t.visit(func(e *Expr) {
		if e.Op == Literal && len(out) < mostNumbers && !slices.ContainsFunc(out, func(r *big.Rat) bool { return r.Cmp(e.Number) == 0 }) {
			out = append(out, e.Number)
		}
	}, func(*Int) {})
	return out
}

// Integers calls a function with each integer of control of the text.
func (t *Typed) Integers(f func(*Int)) { t.visit(func(*Expr) {}, f) }

// visit calls functions with each element and each integer of control of the text, once: they may be graphs.
func (t *Typed) visit(element func(*Expr), integer func(*Int)) {
	exprs, ints, conds := map[*Expr]bool{}, map[*Int]bool{}, map[*Cond]bool{}
	var visitInt func(x *Int)
	var visitCond func(c *Cond)
	visitCond = func(c *Cond) {
		if c == nil || conds[c] {
			return
		}
		conds[c] = true
		for _, d := range c.Conds {
			visitCond(d)
		}
		visitInt(c.A)
		visitInt(c.B)
	}
	visitInt = func(x *Int) {
		if x == nil || ints[x] {
			return
		}
		ints[x] = true
		integer(x)
		visitCond(x.Cond)
		for _, a := range x.Args {
			visitInt(a)
		}
	}
	list := func(xs []*Int) {
		for _, x := range xs {
			visitInt(x)
		}
	}
	var visitExpr func(e *Expr)
	visitExpr = func(e *Expr) {
		if e == nil || exprs[e] {
			return
		}
		exprs[e] = true
		element(e)
		list(e.From.At)
		visitInt(e.Int)
		for _, a := range e.Args {
			visitExpr(a)
		}
	}
	for _, pl := range PlacesOf(t.Procedure).Ordered() {
		switch s := pl.Stmt.(type) {
		case *For:
			list(s.Lo)
			list(s.Hi)
		case *If:
			visitCond(s.Cond)
		case *When:
			visitExpr(s.Cond)
		case *Assign:
			list(s.To.At)
			visitExpr(s.Value)
		}
	}
}
