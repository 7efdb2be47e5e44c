package run_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"tv/semantics/domain"
	"tv/semantics/loops"
	"tv/semantics/loops/run"
	"tv/semantics/value"
)

// A program of uint8 and int8 against Go's.
func TestBytes(t *testing.T) {
	a, b, c := array("A", uint8s, N), array("B", int8s, N), array("C", uint8s, N)
	shift := array("s", int32s, N)
	p := procedure(stmts(loop("i", num(0), N, func(i *loops.Int) []loops.Stmt {
		x, y := read(a, i), convert(uint8s, read(b, i))
		high := op(loops.ShiftRight, read(b, i), read(shift, i))
		return stmts(
			set(at(c, i), op(loops.BitXor, op(loops.Sub, mul(x, x), y), op(loops.ShiftLeft, x, read(shift, i)))),
			set(at(a, i), op(loops.BitOr, op(loops.DivUp, x, lit(uint8s, 7)), op(loops.BitNot, op(loops.BitAnd, x, y)))),
			set(at(b, i), op(loops.Minimum, op(loops.Absolute, read(b, i)), op(loops.DivDown, high, lit(int8s, -3)))),
		)
	})), a, b, c, shift)
	n := 256
	in := contents{"A": nil, "B": nil, "s": nil}
	var wantA, wantB, wantC []int64
	for i := range n {
		x, y, s := uint8(i), int8(i*37), i%8
		in["A"], in["B"], in["s"] = append(in["A"], int64(x)), append(in["B"], int64(y)), append(in["s"], int64(s))
		wantC = append(wantC, int64(x*x-uint8(y)^x<<s))
		up := x / 7
		if x%7 != 0 {
			up++
		}
		wantA = append(wantA, int64(up|^(x&uint8(y))))
		abs := y
		if abs < 0 {
			abs = -abs
		}
		wantB = append(wantB, min(int64(abs), int64(int8(math.Floor(float64(y>>s)/-3)))))
	}
	r := call(t, p, value.Auto, sizes{"N": int64(n)}, in)
	expect(t, r, a, wantA)
	expect(t, r, b, wantB)
	expect(t, r, c, wantC)
}

// Sums of float32 bit for bit, in the order of the loops, against Go's float32.
func TestFloats(t *testing.T) {
	a, b := array("A", floats, N), array("B", floats, N)
	acc := local("acc", floats)
	p := procedure(stmts(loop("i", num(0), N, func(i *loops.Int) []loops.Stmt {
		return stmts(
			&loops.Alloc{Buffer: acc}, set(at(acc), convert(floats, read(array0, i))),
			loop("j", num(0), N, func(j *loops.Int) []loops.Stmt {
				x := op(loops.Div, add(mul(read(acc), read(a, j)), lit(floats, 1)), lit(floats, 3))
				return stmts(set(at(acc), op(loops.Sub, x, read(a, i))))
			}),
			set(at(b, i), op(loops.Choice, op(loops.IsLess, read(acc), lit(floats, 0)), op(loops.Negate, read(acc)), read(acc))),
		)
	})), a, b, array0, acc)
	const n = 20
	r := call(t, p, value.Exact, sizes{"N": n}, nil)
	var in [n]float32
	for i := range in {
		in[i] = float32(input(i))
	}
	for i := range n {
		acc := float32(float64(input(i)))
		for j := range n {
			acc = float32(float32(acc*in[j])+1)/3 - in[i]
		}
		if acc < 0 {
			acc = -acc
		}
		if bits, _ := r.Value(b, int64(i)).Bits(); bits != uint64(math.Float32bits(acc)) {
			t.Errorf("B[%d] is %s, want %g", i, r.Value(b, int64(i)), acc)
		}
	}
}

var array0 = array("Z", doubles, N)

// Conversions between types.
func TestConversions(t *testing.T) {
	out := array("o", int64s)
	for _, test := range []struct {
		n    int64
		via  []domain.Elem
		want any
	}{
		{-1, []domain.Elem{uint8s}, 255},
		{300, []domain.Elem{int8s}, 44},
		{200, []domain.Elem{int8s, uint8s}, 200},
		{-56, []domain.Elem{int8s, uint8s, floats, int8s}, "ends"},
		{1<<24 + 1, []domain.Elem{floats}, 1 << 24},
		{5, []domain.Elem{boolean}, 1},
		{1<<53 + 1, []domain.Elem{doubles}, 1 << 53},
		{-129, []domain.Elem{doubles, int8s}, "ends"},
		{-128, []domain.Elem{doubles, int8s}, -128},
	} {
		x := lit(int64s, test.n)
		for _, via := range test.via {
			x = convert(via, x)
		}
		r, _ := prepared(t, procedure(stmts(set(at(out), convert(int64s, x))), out), value.Exact, nil, nil, 0)
		var ended *run.Ended
		if err := r.Do(context.Background()); errors.As(err, &ended) {
			if test.want != "ends" || ended.Obligation != loops.Arithmetic {
				t.Errorf("%d: %v", test.n, err)
			}
			continue
		}
		expect(t, r, out, []any{test.want})
	}
}

func special(name string) *loops.Expr {
	return &loops.Expr{Op: loops.Special, Elem: floats, Name: name}
}

func function(name string, args ...*loops.Expr) *loops.Expr {
	return &loops.Expr{Op: loops.Function, Elem: args[0].Elem, Name: name, Args: args}
}

// sqrt of 2 and what is 0 but not known to be.
func root() *loops.Expr { return function("sqrt", lit(floats, 2)) }
func unknownZero() *loops.Expr {
	return op(loops.Sub, function("exp", function("log", lit(floats, 3))), lit(floats, 3))
}

// In auto what is undefined or not known is an element, and the call goes on; bit for bit it is what IEEE-754 says.
func TestRealElements(t *testing.T) {
	zero, one := lit(floats, 0), lit(floats, 1)
	toInt := func(x *loops.Expr) *loops.Expr { return convert(int32s, x) }
	for _, test := range []struct {
		x         *loops.Expr
		real, bit string
	}{
		{op(loops.Div, one, zero), "undefined", "inf"},
		{add(one, op(loops.Div, one, zero)), "undefined", "inf"},
		{function("sqrt", lit(floats, -1)), "undefined", "nan"},
		{function("log", zero), "undefined", "uninterpreted"},
		{mul(root(), root()), "[1.9999999999999999998, 2.0000000000000000002]", "0x1.fffffep+0"},
		{function("sin", one), "uninterpreted", "uninterpreted"},
		{function("pow", lit(floats, 3), lit(floats, -2)), "1/9", "uninterpreted"},
		{function("fma", lit(floats, 3), lit(floats, 4), one), "13", "13"},
		{function("floor", op(loops.Div, lit(floats, -7), lit(floats, 2))), "-4", "-4"},
		{special("inf"), "undefined", "inf"},
		{special("-0"), "0", "-0"},
		{op(loops.Minimum, special("nan"), one), "undefined", "nan"},
		{op(loops.MinNum, special("nan"), one), "undefined", "1"},
		{op(loops.Choice, op(loops.IsLess, root(), one), zero, one), "1", "1"},
		{op(loops.Choice, op(loops.IsLess, zero, unknownZero()), zero, one), "undecided", "uninterpreted"},
		{op(loops.Choice, op(loops.IsLess, zero, unknownZero()), one, one), "1", "1"},
		{op(loops.Choice, op(loops.IsLess, zero, op(loops.Div, one, zero)), one, one), "undefined", "1"},
		{op(loops.Div, one, unknownZero()), "undecided", "uninterpreted"},
		{toInt(op(loops.Div, lit(floats, -7), lit(floats, 2))), "-3", "-3"},
		{toInt(root()), "1", "1"},
		{toInt(op(loops.Div, one, zero)), "undefined", "ends: cast of inf"},
		{toInt(mul(root(), root())), "undecided", "1"},
		{toInt(mul(mul(root(), root()), lit(floats, 1<<30))), "not known", "2147483520"},
		{toInt(lit(floats, 1<<31)), "ends: conversion", "ends: conversion"},
		{op(loops.Div, lit(int32s, 7), toInt(op(loops.Div, one, zero))), "undefined", "ends"},
		{op(loops.Div, lit(int32s, 7), toInt(mul(root(), root()))), "not known", "7"},
		{op(loops.Div, lit(int32s, 7), toInt(unknownZero())), "ends: division of 7 by 0", "not known"},
		{op(loops.Div, toInt(mul(root(), root())), lit(int32s, 0)), "ends: division", "ends: division"},
		{op(loops.Div, toInt(mul(root(), root())), lit(int32s, 7)), "undecided", "0"},
		{op(loops.Div, toInt(mul(root(), root())), lit(int32s, -1)), "not known", "-1"},
		{op(loops.Choice, op(loops.IsLess, zero, unknownZero()), op(loops.Div, lit(int32s, 1), lit(int32s, 0)), lit(int32s, 0)),
			"not known", "not known"},
	} {
		for arith, want := range map[value.Arith]string{value.Auto: test.real, value.Exact: test.bit} {
			out, after := array("o", test.x.Elem), array("a", int8s)
			p := procedure(stmts(set(at(out), test.x), set(at(after), lit(int8s, 1))), out, after)
			r, _ := prepared(t, p, arith, nil, nil, 0)
			err := r.Do(context.Background())
			var ended *run.Ended
			got := texts(r, out)[0]
			switch {
			case errors.As(err, &ended):
				got = "ends: " + ended.Message
			case err != nil:
				got = "not known"
			case texts(r, after)[0] != "1":
				t.Error("the call did not go on")
			}
			if got != want && !(strings.HasPrefix(want, "ends") && strings.HasPrefix(got, want)) {
				t.Errorf("%s in %s: %s (%v), want %s", loops.Format(p), arith, got, err, want)
			}
		}
	}
}

// Where it is not known which branch is taken, what both leave is known.
func TestUndecidedBranches(t *testing.T) {
	a, b := array("A", floats, num(6)), array("B", floats)
	tmp := local("t", floats)
	w := func(i int64, x *loops.Expr) loops.Stmt { return set(at(a, num(i)), x) }
	n := func(x int64) *loops.Expr { return lit(floats, x) }
	undecided := op(loops.IsLess, n(0), unknownZero())
	undefined := op(loops.IsLess, n(0), op(loops.Div, n(1), n(0)))
	when := func(cond *loops.Expr, then []loops.Stmt, els ...loops.Stmt) loops.Stmt {
		return &loops.When{Cond: cond, Then: then, Else: els}
	}
	for name, test := range map[string]struct {
		body []loops.Stmt
		want string // of A, or how the call ends
	}{
		"agree": {stmts(when(undecided, stmts(w(0, n(5)), w(1, n(6)), w(2, n(7)), w(5, n(2))),
			w(0, n(5)), w(1, n(8)), w(3, read(a, num(4))), w(5, n(9)))),
			"5 undecided undecided undecided 3 undecided"},
		"undefined": {stmts(when(undefined, stmts(w(0, n(5)), w(1, n(6))), w(0, n(5)))), "undefined undefined 0 7 3 -1"},
		"each from the same contents": {stmts(when(undecided, stmts(w(0, n(5))), w(1, read(a, num(0))))),
			"undecided undecided 0 7 3 -1"},
		"not written is as before": {stmts(w(0, n(5)), when(undecided, stmts(w(0, n(5)), w(1, n(4))))), "5 4 0 7 3 -1"},
		"nested": {stmts(when(undecided, stmts(when(undecided, stmts(w(0, n(1)), w(1, n(2))), w(0, n(1)), w(1, n(3)), w(2, n(9))),
			w(2, n(0))), w(0, n(1)), w(1, n(2)))), "1 undecided 0 7 3 -1"},
		"one ends":            {stmts(when(undecided, stmts(set(at(a, num(6)), n(1))))), "not known"},
		"both end":            {stmts(when(undecided, stmts(set(at(a, num(6)), n(1))), set(at(a, num(-1)), n(1)))), "bounds: A[6] where axis 0 has 6 elements"},
		"one ends, undefined": {stmts(when(undefined, stmts(set(at(a, num(6)), n(1))))), "not known"},
		"perhaps, undefined":  {stmts(&loops.Alloc{Buffer: tmp}, when(undefined, stmts(set(at(tmp), n(1)))), w(0, read(tmp))), "not known"},
		"perhaps":             {stmts(&loops.Alloc{Buffer: tmp}, when(undecided, stmts(set(at(tmp), n(1)))), w(0, read(tmp))), "not known"},
		"certainly":           {stmts(&loops.Alloc{Buffer: tmp}, when(undecided, stmts(set(at(tmp), n(1))), set(at(tmp), n(1))), w(0, read(tmp))), "1 4 0 7 3 -1"},
		"overwritten": {stmts(&loops.Alloc{Buffer: tmp}, when(undecided, stmts(set(at(tmp), n(1)))), set(at(tmp), n(2)), w(0, read(tmp))),
			"2 4 0 7 3 -1"},
		"anew": {stmts(&loops.Alloc{Buffer: tmp}, when(undecided, stmts(set(at(tmp), n(1)))), &loops.Alloc{Buffer: tmp}, w(0, read(tmp))),
			"initialised: t is read and was not written"},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := prepared(t, procedure(test.body, a, b, tmp), value.Auto, nil, nil, 0)
			err := r.Do(context.Background())
			got := strings.Join(texts(r, a), " ")
			var ended *run.Ended
			switch {
			case errors.As(err, &ended):
				got = err.Error()
			case errors.Is(err, value.ErrUndecided):
				got = "not known"
			case err != nil:
				t.Fatal(err)
			}
			if got != test.want {
				t.Errorf("got %s (%v), want %s", got, err, test.want)
			}
		})
	}
}
