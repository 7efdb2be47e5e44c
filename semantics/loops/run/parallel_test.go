package run_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"tv/semantics/loops"
	"tv/semantics/loops/run"
	"tv/semantics/value"
)

// Iterations of parallel loops that meet, and ones that do not.
func TestParallel(t *testing.T) {
	line := file(9)
	a, b, s := array("A", int32s, N), array("B", int32s, N), array("s", int32s)
	c := array("C", int32s, N, N)
	tmp := local("t", int32s)
	in := func(x loops.Access, n int) loops.Access { x.Where = line(n); return x }
	p := func(f func(i *loops.Int) []loops.Stmt, reductions ...loops.Op) loops.Stmt {
		return parallel(loop("i", num(0), N, f), reductions...)
	}
	one := lit(int32s, 1)
	plusOne := func(i *loops.Int) *loops.Int { return plus(i, num(1)) }
	for _, test := range []struct {
		name string
		body loops.Stmt
		want string
	}{
		{"own cells", p(func(i *loops.Int) []loops.Stmt { return stmts(set(at(a, i), add(read(a, i), read(b, i)))) }), ""},
		{"all read", p(func(i *loops.Int) []loops.Stmt { return stmts(set(at(a, i), read(b, num(0)))) }), ""},
		{"equal values", p(func(i *loops.Int) []loops.Stmt { return stmts(set(in(at(s), 3), one)) }),
			"p.c:3:1: parallel: an element of s that is written here was written by another iteration of i: i = 0, i = 1"},
		{"read then write", p(func(i *loops.Int) []loops.Stmt {
			return stmts(set(in(at(a, i), 3), loops.Element(in(at(a, loops.FloorMod.Of(plusOne(i), N)), 4))))
		}), "p.c:3:1: parallel: an element of A that is written here was read by another iteration of i: i = 0, i = 1"},
		{"write then read", p(func(i *loops.Int) []loops.Stmt {
			return stmts(set(in(at(a, i), 3), loops.Element(in(at(a, loops.Greatest.Of(num(0), minus(i, num(1)))), 4))))
		}), "p.c:4:1: parallel: an element of A that is read here was written by another iteration of i: i = 0, i = 1"},
		// Iteration 2 reads A[2] itself before it writes it: that hides no earlier reader.
		{"two readers", p(func(i *loops.Int) []loops.Stmt {
			return stmts(set(at(b, i), add(loops.Element(at(a, num(3))), read(a, i))),
				&loops.If{Cond: &loops.Cond{Op: loops.Equal, A: i, B: num(3)}, Then: stmts(set(in(at(a, i), 5), one))})
		}), "p.c:5:1: parallel: an element of A that is written here was read by another iteration of i: i = 2, i = 3"},
		{"private", p(func(i *loops.Int) []loops.Stmt {
			return stmts(&loops.Alloc{Buffer: tmp}, set(at(tmp), one), set(at(tmp), add(read(tmp), read(a, i))), set(at(b, i), read(tmp)))
		}), ""},
		{"reduction", p(func(i *loops.Int) []loops.Stmt { return stmts(set(at(s), add(read(s), read(a, i)))) }, loops.Add), ""},
		{"reduction on the right", p(func(i *loops.Int) []loops.Stmt {
			return stmts(set(at(s), op(loops.Maximum, read(a, i), read(s))))
		}, loops.Add, loops.Maximum), ""},
		{"undeclared", p(func(i *loops.Int) []loops.Stmt {
			return stmts(set(at(s), mul(loops.Element(in(at(s), 3)), read(a, i))))
		}, loops.Add),
			"p.c:3:1: parallel: an element of s that is read here was written by another iteration of i: i = 0, i = 1"},
		{"of itself", p(func(i *loops.Int) []loops.Stmt { return stmts(set(in(at(s), 3), add(read(s), read(s)))) }, loops.Add),
			"parallel: an element of s that is read here was updated by another iteration of i: i = 0, i = 1"},
		{"of itself by one node", p(func(i *loops.Int) []loops.Stmt {
			x := loops.Element(in(at(s), 4))
			return stmts(set(at(s), add(x, op(loops.Negate, x))))
		}, loops.Add), "p.c:4:1: parallel: an element of s that is read here was written by another iteration of i: i = 0, i = 1"},
		{"a sum that is seen", p(func(i *loops.Int) []loops.Stmt {
			return stmts(set(in(at(s), 6), add(read(s), read(a, i))), set(at(b, i), read(s)))
		}, loops.Add), "p.c:6:1: parallel: an element of s that is updated here was read by another iteration of i: i = 0, i = 1"},
		{"two reductions", p(func(i *loops.Int) []loops.Stmt {
			return stmts(&loops.If{Cond: &loops.Cond{Op: loops.Less, A: i, B: num(2)},
				Then: stmts(set(at(s), add(read(s), read(a, i)))), Else: stmts(set(in(at(s), 3), mul(read(s), read(a, i))))})
		}, loops.Add, loops.Mul), "p.c:3:1: parallel: an element of s that is updated here was updated by another iteration of i: i = 1, i = 2"},
		{"inner alone", loop("i", num(0), N, func(i *loops.Int) []loops.Stmt {
			return stmts(parallel(loop("j", num(0), N, func(j *loops.Int) []loops.Stmt {
				return stmts(set(at(a, j), add(read(a, j), read(c, i, j))))
			})))
		}), ""},
		{"outer too", p(func(i *loops.Int) []loops.Stmt {
			return stmts(parallel(loop("j", num(0), N, func(j *loops.Int) []loops.Stmt {
				return stmts(set(in(at(a, j), 3), read(c, i, j)))
			})))
		}), "p.c:3:1: parallel: an element of A that is written here was written by another iteration of i: i = 0, j = 0, i = 1, j = 0"},
		{"diagonal", p(func(i *loops.Int) []loops.Stmt {
			return stmts(parallel(loop("j", num(0), N, func(j *loops.Int) []loops.Stmt {
				return stmts(set(at(c, i, j), read(c, i, j)))
			})))
		}), ""},
		{"one after the other", loop("q", num(0), num(3), func(*loops.Int) []loops.Stmt {
			return stmts(p(func(i *loops.Int) []loops.Stmt { return stmts(set(at(a, i), read(b, i))) }),
				p(func(i *loops.Int) []loops.Stmt { return stmts(set(at(b, i), read(a, minus(minus(N, num(1)), i)))) }))
		}), ""},
	} {
		r, _ := prepared(t, procedure(stmts(test.body), a, b, s, c, tmp), value.Exact, sizes{"N": 5}, nil, 0)
		got := ""
		err := r.Do(context.Background())
		var ended *run.Ended
		if errors.As(err, &ended) {
			got = err.Error()
		} else if err != nil {
			t.Fatal(err)
		}
		if got != test.want {
			t.Errorf("%s:\n%s, want\n%s", test.name, got, test.want)
		}
	}
}

// Sums of floats may be in any order where they are real numbers, and not bit for bit.
func TestParallelFloats(t *testing.T) {
	a, s := array("A", floats, N), array("s", floats)
	for o, want := range map[loops.Op][2]bool{loops.Add: {true, false}, loops.Minimum: {true, true}, loops.MaxNum: {true, false}} {
		p := procedure(stmts(parallel(loop("i", num(0), N, func(i *loops.Int) []loops.Stmt {
			return stmts(set(at(s), op(o, read(s), read(a, i))))
		}), o)), a, s)
		for i, arith := range []value.Arith{value.Auto, value.Exact} {
			r, _ := prepared(t, p, arith, sizes{"N": 3}, nil, 0)
			if err := r.Do(context.Background()); (err == nil) != want[i] {
				t.Errorf("%s in %s: %v", o, arith, err)
			}
		}
	}
}

// Iterations that are perhaps not those that meet do not end the call for certain: the second writes in a branch that may
// not be taken, or sees what the first has written there.
func TestParallelInDoubt(t *testing.T) {
	a, s := array("A", floats, N), array("s", floats)
	perhaps := &loops.When{Cond: op(loops.IsLess, lit(floats, 0), unknownZero()), Then: stmts(set(at(s), lit(floats, 1)))}
	for name, body := range map[string]func(i *loops.Int) []loops.Stmt{
		"both in branches": func(*loops.Int) []loops.Stmt { return stmts(perhaps) },
		"one in a branch": func(i *loops.Int) []loops.Stmt {
			return stmts(&loops.If{Cond: &loops.Cond{Op: loops.Equal, A: i, B: num(0)}, Then: stmts(perhaps), Else: stmts(set(at(a, i), read(s)))})
		},
	} {
		p := procedure(stmts(parallel(loop("i", num(0), N, body))), a, s)
		r, _ := prepared(t, p, value.Auto, sizes{"N": 3}, nil, 0)
		var ended *run.Ended
		if err := r.Do(context.Background()); !errors.Is(err, value.ErrUndecided) || errors.As(err, &ended) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Random accesses in two nested parallel loops, against all pairs of accesses.
func TestParallelPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 3
		cells := rapid.IntRange(1, 12).Draw(t, "cells")
		a, s := array("A", int32s, num(int64(cells))), array("s", int32s, num(n*n*4))
		type made struct {
			iteration [2]int
			cell      int
			writes    bool
		}
		var log []made
		meets := false
		outerParallel, innerParallel := rapid.Bool().Draw(t, "outer"), rapid.Bool().Draw(t, "inner")
		slot := int64(0)
		outer := loop("i", num(0), num(n), func(i *loops.Int) []loops.Stmt {
			inner := loop("j", num(0), num(n), func(j *loops.Int) []loops.Stmt {
				var list []loops.Stmt
				for x := range n {
					for y := range n {
						var body []loops.Stmt
						for range rapid.IntRange(0, 2).Draw(t, "accesses") {
							m := made{[2]int{x, y}, rapid.IntRange(0, cells-1).Draw(t, "cell"), rapid.IntRange(0, 2).Draw(t, "kind") == 0}
							if log = append(log, m); m.writes {
								body = append(body, set(at(a, num(int64(m.cell))), lit(int32s, 1)))
							} else {
								body = append(body, set(at(s, num(slot)), read(a, num(int64(m.cell)))))
								slot++
							}
						}
						here := &loops.Cond{Op: loops.All, Conds: []*loops.Cond{
							{Op: loops.Equal, A: i, B: num(int64(x))}, {Op: loops.Equal, A: j, B: num(int64(y))}}}
						list = append(list, &loops.If{Cond: here, Then: body})
					}
				}
				return list
			})
			if innerParallel {
				parallel(inner)
			}
			return stmts(inner)
		})
		if outerParallel {
			parallel(outer)
		}
		for _, x := range log {
			for _, y := range log {
				apart := outerParallel && x.iteration[0] != y.iteration[0] ||
					innerParallel && x.iteration[0] == y.iteration[0] && x.iteration[1] != y.iteration[1]
				meets = meets || apart && x.cell == y.cell && (x.writes || y.writes)
			}
		}
		r, err := run.New(procedure(stmts(outer), a, s), run.Options{
			Input: func(*loops.Buffer, int64) value.Value { return value.IntValue(0, value.Auto, int32s) }})
		if err != nil {
			t.Fatal(err)
		}
		var ended *run.Ended
		if err := r.Do(context.Background()); errors.As(err, &ended) != meets {
			t.Fatalf("%v, want %t of %s", err, meets, fmt.Sprint(log))
		}
	})
}
