package run_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"tv/semantics/loops"
	"tv/semantics/loops/run"
	"tv/semantics/value"
)

// matmul is C = A·B, with C set to 0 first.
func matmul(a, b, c *loops.Buffer) *loops.Procedure {
	body := loop("i", num(0), N, func(i *loops.Int) []loops.Stmt {
		return stmts(loop("j", num(0), M, func(j *loops.Int) []loops.Stmt {
			return stmts(set(at(c, i, j), lit(c.Elem, 0)), loop("k", num(0), K, func(k *loops.Int) []loops.Stmt {
				return stmts(set(at(c, i, j), add(read(c, i, j), mul(read(a, i, k), read(b, k, j)))))
			}))
		}))
	})
	return procedure(stmts(body), a, b, c)
}

func TestMatmul(t *testing.T) {
	n, k, m := 3, 4, 5
	for _, arith := range []value.Arith{value.Real, value.Exact, value.Auto} {
		a, b, c := array("A", int8s, N, K), array("B", int8s, K, M), array("C", int8s, N, M)
		r := call(t, matmul(a, b, c), arith, sizes{"N": 3, "K": 4, "M": 5}, nil)
		want := make([]int64, n*m)
		for i := range n {
			for j := range m {
				for l := range k {
					want[i*m+j] += input(i*k+l) * input(l*m+j)
				}
				if arith != value.Real {
					want[i*m+j] = int64(int8(want[i*m+j]))
				}
			}
		}
		expect(t, r, c, want)
		if w, ok := r.Writer(c, 7); !ok || !slices.Equal(w.Iteration, []run.Counter{{"i", 1}, {"j", 2}, {"k", 3}}) {
			t.Errorf("C[7] was written last in %v, %t", w.Iteration, ok)
		}
		if _, ok := r.Writer(a, 0); ok {
			t.Error("somebody wrote A")
		}
	}
}

// A triangle, through a local whose dim is a counter and that begins anew in each iteration, and a prefix sum in place.
func TestTriangles(t *testing.T) {
	a, sums, tmp := array("A", int32s, N, N), array("S", int32s, N), local("t", int32s)
	row := local("row", int32s)
	triangle := loop("i", num(0), N, func(i *loops.Int) []loops.Stmt {
		row.Dims = ints(minus(N, i))
		return stmts(
			&loops.Alloc{Buffer: row},
			loop("j", i, N, func(j *loops.Int) []loops.Stmt {
				return stmts(set(at(row, minus(j, i)), read(a, i, j)))
			}),
			&loops.Alloc{Buffer: tmp},
			set(at(tmp), lit(int32s, 0)),
			loop("j", num(0), minus(N, i), func(j *loops.Int) []loops.Stmt {
				return stmts(set(at(tmp), add(read(tmp), read(row, j))))
			}),
			set(at(sums, i), read(tmp)),
		)
	})
	prefix := loop("i", num(1), N, func(i *loops.Int) []loops.Stmt {
		return stmts(set(at(sums, i), add(read(sums, minus(i, num(1))), read(sums, i))))
	})
	r := call(t, procedure(stmts(triangle, prefix), a, sums, row, tmp), value.Exact, sizes{"N": 6}, nil)
	want := make([]int64, 6)
	for i := range want {
		for j := i; j < 6; j++ {
			want[i] += input(6*i + j)
		}
	}
	for i := 1; i < 6; i++ {
		want[i] += want[i-1]
	}
	expect(t, r, sums, want)
}

// trace is a procedure that writes the counters of a loop to A, one after the other, and how many into n.
func trace(f func(body func(i *loops.Int) []loops.Stmt) *loops.For) (*loops.Procedure, *loops.Buffer) {
	a, n := array("A", int32s, num(40)), array("n", int32s)
	one := &loops.For{Name: "q", Lo: ints(num(0)), Hi: ints(num(40)), Step: num(1)}
	q := loops.CounterOf(one)
	l := f(func(i *loops.Int) []loops.Stmt {
		// A subscript cannot be data: the element at n is found by comparing.
		one.Body = stmts(&loops.When{
			Cond: op(loops.IsEqual, &loops.Expr{Op: loops.FromInt, Elem: int32s, Int: q}, read(n)),
			Then: stmts(set(at(a, q), &loops.Expr{Op: loops.FromInt, Elem: int32s, Int: i})),
		})
		return stmts(one, set(at(n), add(read(n), lit(int32s, 1))))
	})
	return procedure(stmts(l), a, n), a
}

// Loops run as those of Go do, with bounds taken first: downwards, in steps that do not divide, not at all.
func TestTrips(t *testing.T) {
	for _, x := range []struct{ lo, hi, step int64 }{
		{0, 10, 1}, {0, 10, 3}, {1, 10, 3}, {0, 9, 3}, {5, 5, 1}, {5, 4, 1}, {9, -5, 2}, {-7, 7, 5},
		{9, 0, -1}, {9, -1, -1}, {9, 0, -4}, {8, 0, -4}, {0, 9, -1}, {0, 0, -3}, {3, 4, 1 << 62}, {4, 3, -1 << 63},
	} {
		var want []int64
		for i := x.lo; (x.step > 0 && i < x.hi) || (x.step < 0 && i > x.hi); i += x.step {
			if want = append(want, i); x.step > 100 || x.step < -100 {
				break
			}
		}
		trips := len(want)
		for i := trips; i < 40; i++ {
			want = append(want, input(i))
		}
		for name, f := range map[string]func(body func(i *loops.Int) []loops.Stmt) *loops.For{
			"number": func(body func(i *loops.Int) []loops.Stmt) *loops.For {
				return steps("i", num(x.lo), num(x.hi), x.step, body)
			},
			"size": func(body func(i *loops.Int) []loops.Stmt) *loops.For {
				l := steps("i", loops.SizeOf("lo"), loops.SizeOf("hi"), 1, body)
				l.Step = loops.SizeOf("step")
				return l
			},
		} {
			p, a := trace(f)
			r := call(t, p, value.Exact, sizes{"lo": x.lo, "hi": x.hi, "step": x.step}, contents{"n": {0}})
			t.Run(name, func(t *testing.T) { expect(t, r, a, want) })
		}
		l := &loops.For{Name: "i", Lo: ints(num(x.lo)), Hi: ints(num(x.hi)), Step: num(x.step)}
		out := array("o", int64s, num(2))
		if x.step>>60 != 0 && x.step>>60 != -1 {
			continue
		}
		r := call(t, procedure(stmts(
			set(at(out, num(0)), &loops.Expr{Op: loops.FromInt, Elem: int64s, Int: loops.Trips(l)}),
			set(at(out, num(1)), &loops.Expr{Op: loops.FromInt, Elem: int64s, Int: loops.After(l)}),
		), out), value.Exact, nil, nil)
		expect(t, r, out, []int64{int64(trips), x.lo + x.step*int64(trips)})
	}
}

// A loop has several bounds: tiles with a rest.
func TestTiles(t *testing.T) {
	for n := range int64(12) {
		a, b := array("A", int32s, N), array("B", int32s, N)
		tiled := steps("t", num(0), N, 4, func(x *loops.Int) []loops.Stmt {
			inner := loop("i", x, N, func(i *loops.Int) []loops.Stmt {
				return stmts(set(at(b, i), add(read(a, i), &loops.Expr{Op: loops.FromInt, Elem: int32s, Int: i})))
			})
			inner.Lo, inner.Hi = append(inner.Lo, num(2)), append(inner.Hi, plus(x, num(4)))
			return stmts(inner)
		})
		r := call(t, procedure(stmts(tiled), a, b), value.Exact, sizes{"N": n}, nil)
		var want []int64
		for i := range int(n) {
			if want = append(want, input(i)+int64(i)); i < 2 {
				want[i] = input(i)
			}
		}
		expect(t, r, b, want)
	}
}

// Divisions of integers of control round as they say.
func TestControl(t *testing.T) {
	for _, d := range []int64{-3, -1, 1, 2, 7} {
		for n := int64(-9); n < 10; n++ {
			var list []loops.Stmt
			out := array("o", int64s, num(8))
			put := func(x *loops.Int) {
				list = append(list, set(at(out, num(int64(len(list)))), &loops.Expr{Op: loops.FromInt, Elem: int64s, Int: x}))
			}
			x, y := loops.SizeOf("x"), loops.SizeOf("y")
			for _, o := range []loops.IntOp{loops.FloorDiv, loops.CeilDiv, loops.FloorMod, loops.TruncDiv, loops.TruncMod,
				loops.Least, loops.Greatest} {
				put(o.Of(x, y))
			}
			less := &loops.Cond{Op: loops.Less, A: x, B: y}
			equal := &loops.Cond{Op: loops.Equal, A: x, B: y}
			both := &loops.Cond{Op: loops.Any, Conds: []*loops.Cond{less, equal}}
			not := &loops.Cond{Op: loops.None, Conds: []*loops.Cond{{Op: loops.All, Conds: []*loops.Cond{
				{Op: loops.LessEqual, A: x, B: y}, both}}}}
			put(&loops.Int{Op: loops.Choose, Cond: not, Args: ints(x, loops.FloorDiv.Of(num(1), minus(y, y)))})
			if n <= d {
				list = list[:7]
			}
			r := call(t, procedure(list, out), value.Exact, sizes{"x": n, "y": d}, nil)
			floor := n / d
			if n%d != 0 && (n < 0) != (d < 0) {
				floor--
			}
			up := floor
			if n%d != 0 {
				up++
			}
			want := []int64{floor, up, n - d*floor, n / d, n % d, min(n, d), max(n, d), n}
			if n <= d {
				want[7] = input(7)
			}
			expect(t, r, out, want)
		}
	}
}

// What is assigned under a condition on data; a branch that is not taken executes nothing.
func TestWhen(t *testing.T) {
	a, b := array("A", int32s, N), array("B", int32s, N)
	zero := lit(int32s, 0)
	p := procedure(stmts(loop("i", num(0), N, func(i *loops.Int) []loops.Stmt {
		return stmts(&loops.When{
			Cond: op(loops.IsEqual, read(a, i), zero),
			Then: stmts(set(at(b, i), lit(int32s, 100))),
			Else: stmts(
				set(at(b, i), op(loops.Div, lit(int32s, 60), read(a, i))),
				&loops.When{Cond: op(loops.IsLess, read(b, i), zero), Then: stmts(set(at(b, i), op(loops.Negate, read(b, i))))},
			),
		}, set(at(a, i), op(loops.Choice, op(loops.IsLess, zero, read(a, i)), op(loops.Rem, lit(int32s, 7), read(a, i)), zero)))
	})), a, b)
	r := call(t, p, value.Exact, sizes{"N": 5}, contents{"A": {0, 7, -7, 2, 0}})
	expect(t, r, b, []int64{100, 8, 8, 30, 100})
	expect(t, r, a, []int64{0, 0, 0, 1, 0})
	for offset, want := range []*loops.Assign{
		p.Body[0].(*loops.For).Body[0].(*loops.When).Then[0].(*loops.Assign),
		p.Body[0].(*loops.For).Body[0].(*loops.When).Else[0].(*loops.Assign),
		p.Body[0].(*loops.For).Body[0].(*loops.When).Else[1].(*loops.When).Then[0].(*loops.Assign),
	} {
		if w, ok := r.Writer(b, int64(offset)); !ok || w.Stmt != want || w.Iteration[0].Value != int64(offset) {
			t.Errorf("B[%d] was written by %+v", offset, w)
		}
	}
}

// A call ends with what is owed, its place, numbers and iteration; nothing behind it is executed.
func TestEnds(t *testing.T) {
	line := file(20)
	a, x, tmp := array("A", int32s, N, num(4)), array("x", int32s), local("t", int32s, num(3))
	f, ret := array("f", floats), &loops.Buffer{Name: "return", Kind: loops.Returned, Elem: int32s}
	i := func(body ...func(i *loops.Int) loops.Stmt) loops.Stmt {
		return loop("i", num(0), N, func(i *loops.Int) []loops.Stmt {
			var list []loops.Stmt
			for _, s := range body {
				list = append(list, s(i))
			}
			return list
		})
	}
	value1 := lit(int32s, 1)
	place := func(e *loops.Expr, n int) *loops.Expr { e.At = line(n); return e }
	in := func(a loops.Access, n int) loops.Access { a.Where = line(n); return a }
	for _, test := range []struct {
		name string
		body []loops.Stmt
		want string
	}{
		{"bounds", stmts(i(func(i *loops.Int) loops.Stmt {
			return set(in(at(a, i, plus(i, num(2))), 3), value1)
		})), "p.c:3:1: bounds: A[2][4] where axis 1 has 4 elements, i = 2"},
		{"below", stmts(i(func(i *loops.Int) loops.Stmt {
			return set(in(at(a, minus(num(1), i), num(0)), 3), value1)
		})), "p.c:3:1: bounds: A[-1][0] where axis 0 has 5 elements, i = 2"},
		{"read", stmts(&loops.Assign{To: at(x), Value: loops.Element(in(at(a, num(5), num(0)), 4)), At: line(2)}),
			"p.c:4:1: bounds: A[5][0] where axis 0 has 5 elements"},
		{"unwritten", stmts(&loops.Alloc{Buffer: tmp}, set(at(tmp, num(0)), value1), i(func(i *loops.Int) loops.Stmt {
			return set(at(x), loops.Element(in(at(tmp, i), 9)))
		})), "p.c:9:1: initialised: t[1] is read and was not written, i = 1"},
		{"anew", stmts(i(func(*loops.Int) loops.Stmt { return &loops.Alloc{Buffer: tmp} },
			func(i *loops.Int) loops.Stmt {
				return &loops.If{Cond: &loops.Cond{Op: loops.Equal, A: i, B: num(0)}, Then: stmts(set(at(tmp, num(1)), value1))}
			},
			func(i *loops.Int) loops.Stmt { return set(at(x), loops.Element(in(at(tmp, num(1)), 9))) },
		)), "p.c:9:1: initialised: t[1] is read and was not written, i = 1"},
		{"returned", stmts(set(at(x), loops.Element(in(at(ret), 5)))), "p.c:5:1: initialised: return is read and was not written"},
		{"division", stmts(set(at(x), place(op(loops.Div, lit(int32s, 5), op(loops.Sub, read(x), read(x))), 6))),
			"p.c:6:1: value: division of 5 by 0"},
		{"least", stmts(set(at(x), place(op(loops.Rem, lit(int32s, -1<<31), lit(int32s, -1)), 6))),
			"p.c:6:1: value: division of -2147483648, the least int32, by -1"},
		{"shift", stmts(set(at(x), place(op(loops.ShiftLeft, value1, convert(int64s, lit(int32s, 32))), 6))),
			"p.c:6:1: value: shift of an element of int32 by 32"},
		{"shift below", stmts(set(at(x), place(op(loops.ShiftRight, value1, lit(int32s, -1)), 6))),
			"p.c:6:1: value: shift of an element of int32 by -1"},
		{"conversion", stmts(set(at(x), &loops.Expr{Op: loops.Convert, Elem: int32s, At: line(6),
			Args: []*loops.Expr{mul(lit(floats, 1<<16), lit(floats, 1<<15))}})),
			"p.c:6:1: value: conversion of 2147483648 to int32"},
		{"require", stmts(i(func(i *loops.Int) loops.Stmt {
			c := &loops.Cond{Op: loops.All, Conds: []*loops.Cond{
				{Op: loops.LessEqual, A: num(0), B: i}, {Op: loops.Less, A: times(i, i), B: num(9)}}}
			return &loops.Require{Cond: c, Obligation: loops.Overflow, Message: "i * i as a char", At: line(7)}
		})), "p.c:7:1: overflow: i * i as a char: 9 < 9 does not hold, i = 3"},
		{"step", stmts(&loops.For{Name: "i", Lo: ints(num(0)), Hi: ints(num(0)), Step: minus(N, N), At: line(8)}),
			"p.c:8:1: termination: the step of i is 0"},
		{"control", stmts(&loops.Assign{To: at(a, loops.FloorDiv.Of(num(7), minus(N, num(5))), num(0)), Value: value1, At: line(8)}),
			"p.c:8:1: value: division of 7 by 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			body := append(stmts(set(at(f), lit(floats, 9))), test.body...)
			body = append(body, set(at(x), lit(int32s, 77)))
			r, _ := prepared(t, procedure(body, a, x, tmp, f, ret), value.Exact, sizes{"N": 5}, nil, 0)
			err := r.Do(context.Background())
			var ended *run.Ended
			if !errors.As(err, &ended) || err.Error() != test.want {
				t.Errorf("the call ended with\n%v, want\n%s", err, test.want)
			}
			if got := r.Value(x, 0).String(); got == "77" {
				t.Error("the call went on")
			}
		})
	}
}

// Nothing is executed where nothing is asked for: empty loops, branches on sizes.
func TestNotExecuted(t *testing.T) {
	a := array("A", int32s, N)
	bad := set(at(a, num(100)), op(loops.Div, lit(int32s, 1), lit(int32s, 0)))
	p := procedure(stmts(
		loop("i", N, num(0), func(*loops.Int) []loops.Stmt { return stmts(bad) }),
		&loops.If{Cond: &loops.Cond{Op: loops.Less, A: N, B: num(0)}, Then: stmts(bad), Else: stmts(set(at(a, num(0)), lit(int32s, 1)))},
		&loops.When{Cond: op(loops.IsLess, read(a, num(0)), lit(int32s, 0)), Then: stmts(bad)},
	), a)
	r, count := prepared(t, p, value.Exact, sizes{"N": 3}, nil, 0)
	if err := r.Do(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(count) != 0 {
		t.Errorf("asked for %v", count)
	}
	expect(t, r, a, []int64{1, input(1), input(2)})
}

func TestNew(t *testing.T) {
	a := array("A", int32s, N)
	other := &loops.For{Name: "i"}
	tmp := local("t", int32s)
	for name, test := range map[string]struct {
		p    *loops.Procedure
		n    sizes
		want string
	}{
		"missing":  {procedure(nil, a), nil, "unbound-size"},
		"negative": {procedure(nil, a), sizes{"N": -1}, "negative-dim"},
		"large":    {procedure(nil, array("A", int32s, N, N, N, N)), sizes{"N": 1 << 40}, "too-large"},
		"many":     {procedure(nil, array("A", int32s, N), array("B", int32s, N)), sizes{"N": 5 << 20}, "too-large"},
		"counter":  {procedure(stmts(set(at(a, loops.CounterOf(other)), lit(int32s, 1))), a), sizes{"N": 1}, "not around"},
		"type":     {procedure(stmts(set(at(a, num(0)), lit(int8s, 1))), a), sizes{"N": 1}, "is assigned"},
		"literal":  {procedure(stmts(set(at(array("B", int8s)), lit(int8s, 200))), array("B", int8s)), nil, "no element"},
		"alloc":    {procedure(stmts(set(at(tmp), lit(int32s, 1))), tmp), nil, "no Alloc"},
		"late": {procedure(stmts(&loops.If{Cond: &loops.Cond{Op: loops.All}, Then: stmts(&loops.Alloc{Buffer: tmp})},
			set(at(tmp), lit(int32s, 1))), tmp), nil, "no Alloc"},
	} {
		if _, err := run.New(test.p, run.Options{Sizes: test.n}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := call(t, procedure(nil, array("A", int32s, N, N, N, N, num(0))), value.Exact, sizes{"N": 1 << 40}, nil)
	_ = r
}

// A run ends by steps, by its context, and by numbers that do not fit.
func TestStops(t *testing.T) {
	x := array("x", int32s)
	endless := procedure(stmts(loop("i", num(0), num(1<<40), func(*loops.Int) []loops.Stmt {
		return stmts(loop("j", num(0), num(3), func(*loops.Int) []loops.Stmt { return nil }))
	}), set(at(x), lit(int32s, 1))), x)
	for _, limit := range []int{1, 10, 100000} {
		r, _ := prepared(t, endless, value.Exact, nil, nil, limit)
		if !r.Longer(int64(limit)) {
			t.Errorf("limit %d: no longer than that", limit)
		}
		if err := r.Do(context.Background()); !errors.Is(err, run.ErrLimit) {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	reading := procedure(stmts(loop("i", num(0), num(1<<40), func(i *loops.Int) []loops.Stmt {
		return stmts(set(at(x), read(x)))
	})), x)
	r, err := run.New(reading, run.Options{Input: func(b *loops.Buffer, _ int64) value.Value {
		cancel()
		return value.IntValue(1, value.Auto, b.Elem)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Do(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for name, n := range map[string]*loops.Int{
		"product": times(num(1<<40), times(num(1<<40), N)),
		"sum":     plus(num(1<<62), num(1<<62), N),
		"least":   loops.TruncDiv.Of(plus(num(-1<<63), minus(N, N)), num(-1)),
	} {
		r, _ := prepared(t, procedure(stmts(&loops.If{Cond: &loops.Cond{Op: loops.Equal, A: n, B: N}}), x), value.Exact, sizes{"N": 3}, nil, 0)
		if err := r.Do(context.Background()); !errors.Is(err, run.ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Far up, but within words.
	a := array("A", int32s, num(3))
	far := loop("i", num(1<<44), num(1<<44+3), func(i *loops.Int) []loops.Stmt {
		return stmts(set(at(a, minus(i, num(1<<44))), lit(int32s, 5)))
	})
	expect(t, call(t, procedure(stmts(far), a), value.Exact, nil, nil), a, []int{5, 5, 5})
}

// A run may be used again on other contents.
func TestAgain(t *testing.T) {
	a, tmp := array("A", int32s, N), local("t", int32s)
	p := procedure(stmts(&loops.Alloc{Buffer: tmp}, loop("i", num(0), N, func(i *loops.Int) []loops.Stmt {
		return stmts(set(at(a, i), add(read(a, i), read(a, num(0)))))
	})), a, tmp)
	r := call(t, p, value.Exact, sizes{"N": 3}, contents{"A": {1, 2, 3}})
	expect(t, r, a, []int{2, 4, 5})
	r.Again(func(b *loops.Buffer, offset int64) value.Value {
		return value.IntValue(10*offset+1, value.Exact, b.Elem)
	})
	if err := r.Do(context.Background()); err != nil {
		t.Fatal(err)
	}
	expect(t, r, a, []int{2, 13, 23})
	if w, ok := r.Writer(a, 2); !ok || w.Iteration[0].Value != 2 {
		t.Errorf("A[2] was written in %v", w)
	}
	if r.Do(context.Background()) == nil {
		t.Error("a second call on the same contents")
	}
}

// What a call wrote last is not taken for what the next one may have written.
func TestAgainAfterTheLastWrite(t *testing.T) {
	x, ret := array("x", floats), &loops.Buffer{Name: "return", Kind: loops.Returned, Elem: floats}
	zero := lit(floats, 0)
	p := procedure(stmts(&loops.When{Cond: op(loops.IsLess, read(x), zero), Then: stmts(set(at(ret), op(loops.Div, read(x), zero)))}), x, ret)
	r := call(t, p, value.Auto, nil, contents{"x": {-1}})
	if got := r.Value(ret, 0).Err(); got == nil || !strings.Contains(got.Error(), "by 0") {
		t.Errorf("the first call left %v", got)
	}
	r.Again(func(b *loops.Buffer, _ int64) value.Value { return value.IntValue(1, value.Auto, b.Elem) })
	if err := r.Do(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := r.Value(ret, 0).Err(); got == nil || !strings.Contains(got.Error(), "not written") {
		t.Errorf("the second call left %v", got)
	}
}

// Expressions are graphs: a sum of what is there twice, over and over, takes no longer than its text.
func TestShared(t *testing.T) {
	a, b := array("A", int64s, num(3)), array("B", int64s)
	x, n, wide := read(a, num(0)), times(N, N), plus(N)
	p := procedure(stmts(loop("i", num(0), num(3), func(i *loops.Int) []loops.Stmt {
		n = plus(i, num(1))
		for range 60 {
			x = add(x, x)
			n = loops.FloorDiv.Of(plus(n, n, num(1)), num(2))
			wide = loops.FloorMod.Of(plus(wide, wide), num(1<<40))
		}
		x = op(loops.Choice, op(loops.IsEqual, x, lit(int64s, 0)), lit(int64s, 7), x)
		cell := loops.FloorMod.Of(n, num(3))
		return stmts(set(at(a, cell), x), set(at(b), &loops.Expr{Op: loops.FromInt, Elem: int64s, Int: wide}))
	})), a, b)
	r := call(t, p, value.Exact, sizes{"N": 1}, contents{"A": {5, 1, 2}, "B": {0}})
	expect(t, r, a, []int64{5 << 60, 5 << 60, 5 << 60}) // A[1], A[2] and, of what A[0] was until then, A[0]
	expect(t, r, b, []int64{0})
}
