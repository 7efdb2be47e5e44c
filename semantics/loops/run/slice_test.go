package run_test

import (
	"context"
	"testing"

	"tv/semantics/loops"
	"tv/semantics/loops/run"
	"tv/semantics/value"
)

// What slices execute: the iterations that a cell is made by, found through tiles, divisions and scalars, and all where they are not found.
func TestSlices(t *testing.T) {
	n := num(64)
	a, b, c := array("A", int8s, n, n), array("B", int8s, n, n), array("C", int8s, n, n)
	flat := array("F", int8s, num(4096))
	up := func(i, j, k *loops.Int) []loops.Stmt {
		return stmts(set(at(c, i, j), add(read(c, i, j), mul(read(a, i, k), read(b, k, j)))))
	}
	zero := lit(int8s, 0)
	sum := local("s", int8s)
	one := func(body loops.Stmt) *loops.Procedure { return procedure(stmts(body), a, b, c, flat) }
	for _, x := range []struct {
		name  string
		p     *loops.Procedure
		of    *loops.Buffer
		at    []int64
		most  int64 // steps of the slice
		least int64 // what is surely executed
	}{
		{"product", one(loop("i", num(0), n, func(i *loops.Int) []loops.Stmt {
			return stmts(loop("j", num(0), n, func(j *loops.Int) []loops.Stmt {
				return stmts(set(at(c, i, j), zero), loop("k", num(0), n, func(k *loops.Int) []loops.Stmt { return up(i, j, k) }))
			}))
		})), c, []int64{63, 5}, 600, 64},
		{"tiles, downward", one(steps("i0", num(48), num(-16), -16, func(i0 *loops.Int) []loops.Stmt {
			return stmts(loop("j", num(0), n, func(j *loops.Int) []loops.Stmt {
				return stmts(loop("i", i0, plus(i0, num(16)), func(i *loops.Int) []loops.Stmt {
					return stmts(loop("k", num(0), n, func(k *loops.Int) []loops.Stmt { return up(i, j, k) }))
				}))
			}))
		})), c, []int64{17, 0}, 600, 64},
		{"coalesced", one(loop("x", num(0), num(4096), func(x *loops.Int) []loops.Stmt {
			i, j := loops.FloorDiv.Of(x, n), loops.FloorMod.Of(x, n)
			return stmts(loop("k", num(0), n, func(k *loops.Int) []loops.Stmt { return up(i, j, k) }))
		})), c, []int64{40, 41}, 600, 64},
		{"coalesced, in C", one(loop("x", num(0), num(4096), func(x *loops.Int) []loops.Stmt {
			i, j := loops.TruncDiv.Of(x, n), loops.TruncMod.Of(x, n)
			return stmts(loop("k", num(0), n, func(k *loops.Int) []loops.Stmt { return up(i, j, k) }))
		})), c, []int64{40, 41}, 600, 64},
		{"rounded towards 0", one(loop("x", num(-63), num(64), func(x *loops.Int) []loops.Stmt {
			return stmts(set(at(flat, loops.TruncDiv.Of(x, n)), read(flat, loops.Greatest.Of(x, num(0)))))
		})), flat, []int64{0}, 1 << 20, 127},
		{"a flat array", one(loop("i", num(0), n, func(i *loops.Int) []loops.Stmt {
			return stmts(loop("j", num(0), n, func(j *loops.Int) []loops.Stmt {
				return stmts(set(at(flat, plus(times(i, n), j)), read(a, j, i)))
			}))
		})), flat, []int64{4095}, 10, 1},
		{"a scalar of each iteration", procedure(stmts(loop("i", num(0), n, func(i *loops.Int) []loops.Stmt {
			return stmts(&loops.Alloc{Buffer: sum}, set(at(sum), zero), loop("k", num(0), n, func(k *loops.Int) []loops.Stmt {
				return stmts(set(at(sum), add(read(sum), read(a, i, k))))
			}), set(at(flat, i), read(sum)))
		})), a, flat, sum), flat, []int64{7}, 400, 64},
		{"cells of cells", one(loop("i", num(1), n, func(i *loops.Int) []loops.Stmt {
			return stmts(set(at(flat, i), add(read(flat, minus(i, num(1))), read(a, i, i))))
		})), flat, []int64{63}, 400, 63},
		{"products of counters", one(loop("i", num(0), n, func(i *loops.Int) []loops.Stmt {
			return stmts(loop("j", num(0), n, func(j *loops.Int) []loops.Stmt {
				return stmts(set(at(flat, times(i, j)), read(a, i, j)))
			}))
		})), flat, []int64{0}, 1 << 20, 4096},
		{"nothing", one(loop("i", num(1), n, func(i *loops.Int) []loops.Stmt {
			return stmts(set(at(flat, i), zero))
		})), flat, []int64{0}, 3, 0},
	} {
		if !run.Sliceable(x.p) {
			t.Errorf("%s: is not sliceable", x.name)
			continue
		}
		given := func(_ *loops.Buffer, offset int64) value.Value {
			return value.IntValue(input(int(offset)), value.Auto, int8s)
		}
		whole, err := run.New(x.p, run.Options{Sizes: sizes{}, Input: given})
		if err != nil {
			t.Fatal(err)
		}
		part, err := run.New(x.p, run.Options{Sizes: sizes{}})
		if err != nil {
			t.Fatal(err)
		}
		part.Only(given, run.Slice(x.p, sizes{}, x.of, x.at))
		if err := whole.Do(context.Background()); err != nil {
			t.Fatal(err)
		}
		if err := part.Do(context.Background()); err != nil {
			t.Fatal(err)
		}
		offset := x.at[0]
		if len(x.at) == 2 {
			offset = 64*x.at[0] + x.at[1]
		}
		if v, w := whole.Value(x.of, offset), part.Value(x.of, offset); v.String() != w.String() {
			t.Errorf("%s: %s in a slice, %s in the call", x.name, w, v)
		}
		if n := part.Steps(); n > x.most || n < x.least {
			t.Errorf("%s: %d steps, want %d to %d", x.name, n, x.least, x.most)
		}
	}
}

// What may end a call, or read what is not known to be set, is not taken apart.
func TestNotSliceable(t *testing.T) {
	a, s, row := array("A", int8s, num(4)), local("s", int8s), local("T", int8s, num(4))
	f := array("F", floats, num(4))
	k := num(0)
	begin := &loops.Alloc{Buffer: s}
	fill := func(to *loops.Buffer) loops.Stmt {
		return loop("i", num(0), num(4), func(i *loops.Int) []loops.Stmt { return stmts(set(at(to, i), lit(int8s, 1))) })
	}
	checked := add(read(a, k), read(a, k))
	checked.Checked = true
	for name, p := range map[string]*loops.Procedure{
		"a division by data":    procedure(stmts(set(at(a, k), op(loops.Div, lit(int8s, 4), read(a, k)))), a),
		"a shift by data":       procedure(stmts(set(at(a, k), op(loops.ShiftLeft, lit(int8s, 4), read(a, k)))), a),
		"a checked sum":         procedure(stmts(set(at(a, k), checked)), a),
		"a float to an integer": procedure(stmts(set(at(a, k), &loops.Expr{Op: loops.Convert, Elem: int8s, Args: []*loops.Expr{read(f, k)}})), a, f),
		"a scalar read first":   procedure(stmts(begin, set(at(a, k), read(s)), set(at(s), lit(int8s, 1))), a, s),
		"a scalar set by half":  procedure(stmts(begin, fill(a), set(at(s), lit(int8s, 1))), a, s),
		"a quotient by a size":  procedure(stmts(set(at(a, loops.FloorDiv.Of(num(3), N)), lit(int8s, 1))), a),
		"a local array":         procedure(stmts(&loops.Alloc{Buffer: row}, fill(row), set(at(a, k), read(row, k))), a, row),
		"a step by a size":      procedure(stmts(&loops.For{Name: "i", Lo: ints(k), Hi: ints(num(4)), Step: N, Body: stmts(set(at(a, k), lit(int8s, 1)))}), a),
	} {
		if run.Sliceable(p) {
			t.Errorf("%s: is sliceable", name)
		}
	}
	if p := procedure(stmts(fill(a)), a); !run.Sliceable(p) {
		t.Error("a fill is not sliceable")
	}
}
