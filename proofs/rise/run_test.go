package rise_test

import (
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"strings"

	"tv/proofs/algebra"
)

// This file runs programs and terms on numbers of int32.

// A val is a number, an array or, if it is one, a pair.
type val struct {
	num  int32
	list []val
	pair bool
}

func number(n int32) val { return val{num: n} }

// A shape is the type of a val: how many arrays are around a number or a pair.
type shape struct {
	arrays int
	pair   []shape // of its two components
}

var (
	errIll   = errors.New("ill formed")
	errEmpty = errors.New("nothing that a function is applied to, so that it is not run")
)

func illIf(bad bool) {
	if bad {
		panic(errIll)
	}
}

// An env is what names are: sizes, and variables.
type env struct {
	sizes map[string]int
	vars  map[string]val
}

func (e env) with(name string, v val) env {
	vars := map[string]val{name: v}
	for k, x := range e.vars {
		if k != name {
			vars[k] = x
		}
	}
	return env{e.sizes, vars}
}

// An exp is an expression, and what it is.
type exp struct {
	text  string
	shape shape
	run   func(env) val
}

// A nat is an expression over sizes.
type nat struct {
	text string
	run  func(env) int
}

// A maker draws programs that are well formed at one point.
type maker struct {
	*rand.Rand
	at   env
	vars int
}

func (r *maker) nat(n int) nat {
	names := []string{"n", "m", "k"}
	name := names[r.Intn(3)]
	d := n - r.at.sizes[name]
	switch {
	case r.Intn(2) == 0 || d > 3 || d < -3:
		return nat{fmt.Sprint(n), func(env) int { return n }}
	case d == 0:
		return nat{name, func(e env) int { return e.sizes[name] }}
	}
	return nat{fmt.Sprintf("(%s + %d)", name, d), func(e env) int { return e.sizes[name] + d }}
}

func (r *maker) fresh() string {
	r.vars++
	return fmt.Sprint("v", r.vars)
}

// grown is x with depth patterns behind it.
func (r *maker) grown(x exp, depth int) exp {
	for range depth {
		x = r.behind(x, depth-1)
	}
	return x
}

func (r *maker) behind(x exp, depth int) exp {
	switch {
	case x.shape.arrays > 0:
		return r.arrayed(x, depth)
	case x.shape.pair != nil:
		return r.paired(x)
	}
	return r.single(x)
}

func with(x exp, s shape, text string, run func(env, val) val) exp {
	return exp{x.text + " |> " + text, s, func(e env) val { return run(e, x.run(e)) }}
}

// single is a function of a number.
func (r *maker) single(x exp) exp {
	c := int32(r.Intn(9) - 4)
	k := int32(1 + r.Intn(4))
	in := func(text string, f func(int32) int32) exp {
		v := r.fresh()
		text = fmt.Sprintf("fun(%s, %s)", v, strings.ReplaceAll(text, "$", v))
		return with(x, x.shape, text, func(_ env, v val) val { return number(f(v.num)) })
	}
	floor := func(a int32) int32 { return (a - (a%k+k)%k) / k }
	switch r.Intn(9) {
	case 0:
		return in(fmt.Sprintf("$ + %d", c), func(a int32) int32 { return a + c })
	case 1:
		return in(fmt.Sprintf("%d - $ * $", c), func(a int32) int32 { return c - a*a })
	case 2:
		return in(fmt.Sprintf("max($, %d)", c), func(a int32) int32 { return max(a, c) })
	case 3:
		return in(fmt.Sprintf("min(%d)($)", c), func(a int32) int32 { return min(a, c) })
	case 4:
		return in(fmt.Sprintf("$ / %d", k), floor)
	case 5:
		return in(fmt.Sprintf("$ %% %d", k), func(a int32) int32 { return a - k*floor(a) })
	case 6:
		return in(fmt.Sprintf("select($ < %d, -$, $ + 1)", c), func(a int32) int32 {
			if a < c {
				return -a
			}
			return a + 1
		})
	case 7:
		return in(fmt.Sprintf("select($ >= %d, $, 2 * $)", c), func(a int32) int32 {
			if a >= c {
				return a
			}
			return 2 * a
		})
	}
	return in("n * $", func(a int32) int32 { return int32(r.at.sizes["n"]) * a }).sized(x)
}

// sized is n * x, wherever it is run.
func (y exp) sized(x exp) exp {
	y.run = func(e env) val { return number(int32(e.sizes["n"]) * x.run(e).num) }
	return y
}

// paired is a function of a pair.
func (r *maker) paired(x exp) exp {
	s := x.shape.pair
	flat := func(s shape) bool { return s.arrays == 0 && s.pair == nil }
	switch k := r.Intn(6); {
	case k == 0:
		return with(x, s[0], "fst", func(_ env, v val) val { return v.list[0] })
	case k == 1:
		return with(x, s[1], "snd", func(_ env, v val) val { return v.list[1] })
	case k == 2 && flat(s[0]):
		return with(x, x.shape, "mapFst(neg)", func(_ env, v val) val {
			return val{list: []val{number(-v.list[0].num), v.list[1]}, pair: true}
		})
	case k == 3 && flat(s[1]):
		return with(x, x.shape, "mapSnd(add(3))", func(_ env, v val) val {
			return val{list: []val{v.list[0], number(3 + v.list[1].num)}, pair: true}
		})
	case flat(s[0]) && flat(s[1]) && k == 4:
		return with(x, shape{}, "mult", func(_ env, v val) val { return number(v.list[0].num * v.list[1].num) })
	case flat(s[0]) && flat(s[1]):
		v := r.fresh()
		return with(x, shape{}, fmt.Sprintf("fun(%s, fst(%s) - snd(%s))", v, v, v),
			func(_ env, v val) val { return number(v.list[0].num - v.list[1].num) })
	}
	return x
}

func (s shape) inner() shape { return shape{s.arrays - 1, s.pair} }
func (s shape) outer() shape { return shape{s.arrays + 1, s.pair} }

func listOf(n int, f func(int) val) val {
	illIf(n < 0 || n > 1000)
	out := val{list: make([]val, n)}
	for i := range n {
		out.list[i] = f(i)
	}
	return out
}

// arrayed is a function of an array.
func (r *maker) arrayed(x exp, depth int) exp {
	here := x.run(r.at).list
	n := len(here)
	inner := x.shape.inner()
	switch k := r.Intn(18); {
	case k < 4 && depth > 0:
		return r.mapped(x, depth)
	case k == 4 && n > 0:
		return r.chunked(x, n)
	case k == 5 && inner.arrays > 0:
		name := []string{"join", "asScalar"}[r.Intn(2)]
		return with(x, inner, name, func(_ env, v val) val {
			var all []val
			for _, row := range v.list {
				all = append(all, row.list...)
			}
			return val{list: all}
		})
	case k == 6 && inner.arrays > 0 && n > 0:
		return with(x, x.shape, "transpose", func(_ env, v val) val {
			if len(v.list) == 0 {
				panic(errEmpty)
			}
			return listOf(len(v.list[0].list), func(i int) val {
				return listOf(len(v.list), func(j int) val { return v.list[j].list[i] })
			})
		})
	case k == 7 && n > 0:
		return r.windows(x, n)
	case k == 8 && n > 0 && n < 20:
		return r.padded(x)
	case k == 9 && n > 0:
		c := r.nat(r.Intn(n + 1))
		if r.Intn(2) == 0 {
			return with(x, x.shape, "take("+c.text+")", func(e env, v val) val {
				illIf(c.run(e) < 0 || c.run(e) > len(v.list))
				return val{list: v.list[:c.run(e)]}
			})
		}
		return with(x, x.shape, "drop("+c.text+")", func(e env, v val) val {
			illIf(c.run(e) < 0 || c.run(e) > len(v.list))
			return val{list: v.list[c.run(e):]}
		})
	case k == 10 && n < 20:
		v := r.fresh()
		return with(x, x.shape, fmt.Sprintf("let(fun(%s, concat(%s, %s)))", v, v, v),
			func(_ env, v val) val { return val{list: slices.Concat(v.list, v.list)} })
	case k == 11:
		return r.zipped(x)
	case k == 12 && n > 0:
		return r.reversed(x, n)
	case k == 13 && n > 0 && depth > 0:
		return r.indexed(x, n)
	case k == 14 && inner.pair != nil && inner.arrays == 0:
		s := shape{pair: []shape{inner.pair[0].outer(), inner.pair[1].outer()}}
		return with(x, s, "unzip", func(_ env, v val) val {
			part := func(k int) val {
				return listOf(len(v.list), func(i int) val { return v.list[i].list[k] })
			}
			return val{list: []val{part(0), part(1)}, pair: true}
		})
	case inner.arrays == 0 && inner.pair == nil:
		return r.folded(x)
	case depth > 0:
		return r.mapped(x, depth)
	}
	return x
}

func (r *maker) mapped(x exp, depth int) exp {
	v := r.fresh()
	name := []string{"map", "mapSeq", "mapPar", "mapSeqUnroll"}[r.Intn(4)]
	at := r.at
	list := x.run(at).list
	if len(list) == 0 {
		return x
	}
	r.at = at.with(v, list[0])
	body := r.grown(exp{v, x.shape.inner(), func(e env) val { return e.vars[v] }}, 1+r.Intn(depth))
	r.at = at
	text := fmt.Sprintf("%s(fun(%s, %s))", name, v, body.text)
	return with(x, body.shape.outer(), text, func(e env, list val) val {
		if len(list.list) == 0 {
			panic(errEmpty)
		}
		return listOf(len(list.list), func(i int) val { return body.run(e.with(v, list.list[i])) })
	})
}

func (r *maker) chunked(x exp, n int) exp {
	var some []int
	for k := 1; k <= n; k++ {
		if n%k == 0 {
			some = append(some, k)
		}
	}
	c := r.nat(some[r.Intn(len(some))])
	name := []string{"split", "asVector"}[r.Intn(2)]
	return with(x, x.shape.outer(), name+"("+c.text+")", func(e env, v val) val {
		k := c.run(e)
		illIf(k < 1 || len(v.list)%k != 0)
		return listOf(len(v.list)/k, func(i int) val { return val{list: v.list[i*k : i*k+k]} })
	})
}

func (r *maker) windows(x exp, n int) exp {
	size := 1 + r.Intn(n)
	var some []int
	for k := 1; k <= n; k++ {
		if (n-size)%k == 0 {
			some = append(some, k)
		}
	}
	sz, sp := r.nat(size), r.nat(some[r.Intn(len(some))])
	text := fmt.Sprintf("slide(%s, %s)", sz.text, sp.text)
	return with(x, x.shape.outer(), text, func(e env, v val) val {
		sz, sp, n := sz.run(e), sp.run(e), len(v.list)
		illIf(sz < 0 || sp < 1 || n < sz || (n-sz)%sp != 0)
		return listOf((n-sz)/sp+1, func(i int) val { return val{list: v.list[i*sp : i*sp+sz]} })
	})
}

func (r *maker) padded(x exp) exp {
	left, right := r.nat(r.Intn(4)), r.nat(r.Intn(4))
	c := int32(r.Intn(5))
	text := fmt.Sprintf("padClamp(%s, %s)", left.text, right.text)
	if r.Intn(2) == 0 {
		text = strings.Replace(text, "padClamp", "pad", 1)
	}
	constant := flatOnly(x) && r.Intn(2) == 0
	if constant {
		text = fmt.Sprintf("padCst(%s, %s, %d)", left.text, right.text, c)
	}
	return with(x, x.shape, text, func(e env, v val) val {
		l, m, n := left.run(e), right.run(e), len(v.list)
		illIf(l < 0 || m < 0 || !constant && n < 1)
		return listOf(l+n+m, func(i int) val {
			if constant && (i < l || i >= l+n) {
				return number(c)
			}
			return v.list[min(max(i-l, 0), n-1)]
		})
	})
}

func flatOnly(x exp) bool { return x.shape.arrays == 1 && x.shape.pair == nil }

func (r *maker) zipped(x exp) exp {
	v := r.fresh()
	second, other := v, x.shape.inner()
	change := func(v val) val { return v }
	if flatOnly(x) {
		second, change = fmt.Sprintf("map(mult(2), %s)", v), func(v val) val { return number(2 * v.num) }
	}
	text := fmt.Sprintf("let(fun(%s, zip(%s, %s)))", v, v, second)
	s := shape{1, []shape{x.shape.inner(), other}}
	return with(x, s, text, func(_ env, v val) val {
		return listOf(len(v.list), func(i int) val {
			return val{list: []val{v.list[i], change(v.list[i])}, pair: true}
		})
	})
}

func (r *maker) reversed(x exp, n int) exp {
	size := r.nat(n)
	text := fmt.Sprintf("reorder(%s, fun(i, %s - 1 - i), fun(i, %s - 1 - i))", size.text, size.text, size.text)
	return with(x, x.shape, text, func(e env, v val) val {
		illIf(size.run(e) != len(v.list))
		out := slices.Clone(v.list)
		slices.Reverse(out)
		return val{list: out}
	})
}

// indexed generates an array of elements of x, or takes one of them.
func (r *maker) indexed(x exp, n int) exp {
	v, i := r.fresh(), r.fresh()
	if r.Intn(2) == 0 {
		at := r.nat(r.Intn(n))
		return with(x, x.shape.inner(), "idx("+at.text+")", func(e env, v val) val {
			illIf(at.run(e) < 0 || at.run(e) >= len(v.list))
			return v.list[at.run(e)]
		})
	}
	by, many := 1+r.Intn(3), r.nat(n)
	text := fmt.Sprintf("let(fun(%s, generate(%s, fun(%s, idx(%s / %d, %s)))))", v, many.text, i, i, by, v)
	return with(x, x.shape, text, func(e env, v val) val {
		return listOf(many.run(e), func(i int) val {
			illIf(i/by >= len(v.list))
			return v.list[i/by]
		})
	})
}

// folded is a reduction or a scan of an array of numbers.
func (r *maker) folded(x exp) exp {
	from := int32(r.Intn(5) - 2)
	ops := []struct {
		text string
		run  func(acc, v int32) int32
	}{
		{"add", func(acc, v int32) int32 { return acc + v }},
		{"mult", func(acc, v int32) int32 { return acc * v }},
		{"max", func(acc, v int32) int32 { return max(acc, v) }},
		{"min", func(acc, v int32) int32 { return min(acc, v) }},
		{"fun((A, V), A + V * V + 1)", func(acc, v int32) int32 { return acc + v*v + 1 }},
		{"fun((A, V), A - 2 * V)", func(acc, v int32) int32 { return acc - 2*v }},
		{"fun((A, V), select(V < 1, A, A + V))", func(acc, v int32) int32 {
			if v < 1 {
				return acc
			}
			return acc + v
		}},
		{"fun((A, V), select(A < V, V, A))", func(acc, v int32) int32 { return max(acc, v) }},
		{"fun((A, V), V - A)", func(acc, v int32) int32 { return v - acc }}, // for few places
	}
	op := ops[r.Intn(len(ops))]
	a, v := r.fresh(), r.fresh()
	text := func(first, second string) string {
		s := strings.Replace(op.text, "(A, V)", "("+first+", "+second+")", 1)
		return strings.ReplaceAll(strings.ReplaceAll(s, "A", a), "V", v)
	}
	if r.Intn(3) == 0 {
		return with(x, x.shape, fmt.Sprintf("scanSeq(%s, %d)", text("V", "A"), from), func(_ env, v val) val {
			acc := from
			return listOf(len(v.list), func(i int) val {
				acc = op.run(acc, v.list[i].num)
				return number(acc)
			})
		})
	}
	name := []string{"reduce", "reduceSeq"}[r.Intn(2)]
	return with(x, shape{}, fmt.Sprintf("%s(%s, %d)", name, text("A", "V"), from), func(_ env, v val) val {
		acc := from
		for _, v := range v.list {
			acc = op.run(acc, v.num)
		}
		return number(acc)
	})
}

// --- terms ---

// A terms runs terms, with numbers for variables and sizes.
type terms struct {
	env
	index map[*algebra.Atom]int64
	work  int
	input func(name string, k int) int32 // nil: held
}

var errWork = errors.New("too much work")

func (r *terms) place(e *algebra.Expr) (sum int64) {
	for _, t := range e.Terms() {
		n, _ := t.Coef.Int64()
		for _, a := range t.Atoms() {
			n *= r.atom(a)
		}
		sum += n
	}
	return sum
}

func (r *terms) atom(a *algebra.Atom) int64 {
	switch a.Kind {
	case algebra.KindSize:
		return int64(r.sizes[a.Name])
	case algebra.KindFloor:
		q, _ := algebra.Int(r.place(a.X)).DivMod(algebra.Int(r.place(a.Y)))
		k, _ := q.Int64()
		return k
	case algebra.KindMax:
		return max(r.place(a.X), r.place(a.Y))
	case algebra.KindMin:
		return min(r.place(a.X), r.place(a.Y))
	}
	v, known := r.index[a]
	if !known {
		panic("a variable that is free")
	}
	return v
}

// held is element k of a parameter.
func held(name string, k int) int32 {
	return int32((int(name[0])*31+k*7+k*k*3)%23 - 11)
}

const lowest = -1 << 31

func (r *terms) run(t *algebra.Scalar) int32 {
	if r.work++; r.work > 1<<17 {
		panic(errWork)
	}
	arg := func(i int) int32 { return r.run(t.Args[i]) }
	truth := func(b bool) int32 { return map[bool]int32{true: 1}[b] }
	switch t.Op {
	case algebra.OpConst:
		n := t.Val.Num().Int64()
		return int32(n)
	case algebra.OpLowest:
		return lowest
	case algebra.OpNumber:
		return int32(r.place(t.E))
	case algebra.OpRead:
		if r.input != nil {
			return r.input(t.Name, int(r.place(t.E)))
		}
		return held(t.Name, int(r.place(t.E)))
	case algebra.OpAdd:
		return arg(0) + arg(1)
	case algebra.OpNeg:
		return -arg(0)
	case algebra.OpMul:
		return arg(0) * arg(1)
	case algebra.OpMax:
		return max(arg(0), arg(1))
	case algebra.OpMin:
		return min(arg(0), arg(1))
	case algebra.OpIf:
		if r.place(t.E) >= 0 {
			return arg(0)
		}
		return arg(1)
	case algebra.OpReduce:
		return r.over(t, t.Vars)
	case algebra.OpFunction:
		switch name, _, _ := strings.Cut(t.Name, " of "); name {
		case algebra.Chosen:
			if arg(0) == 1 {
				return arg(1)
			}
			return arg(2)
		case algebra.Equal:
			return truth(arg(0) == arg(1))
		case algebra.Less:
			return truth(arg(0) < arg(1))
		case algebra.Not:
			return truth(arg(0) == 0)
		case algebra.Both:
			for i := range t.Args {
				if arg(i) == 0 {
					return 0
				}
			}
			return 1
		default: // a quotient
			q, _ := algebra.Int(int64(arg(0))).DivMod(algebra.Int(int64(arg(1))))
			k, _ := q.Int64()
			return int32(k)
		}
	}
	panic(fmt.Sprint("an operation that these programs do not have: ", t.Op))
}

func (r *terms) over(t *algebra.Scalar, vars []*algebra.Atom) int32 {
	if len(vars) == 0 {
		return r.run(t.Args[0])
	}
	out := map[algebra.Fold]int32{algebra.FoldProduct: 1, algebra.FoldMax: lowest}[t.Fold]
	for i := r.place(vars[0].Lo); i < r.place(vars[0].Hi); i++ {
		r.index[vars[0]] = i
		switch x := r.over(t, vars[1:]); t.Fold {
		case algebra.FoldSum:
			out += x
		case algebra.FoldProduct:
			out *= x
		default:
			out = max(out, x)
		}
	}
	return out
}
