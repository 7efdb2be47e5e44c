package rise_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"tv/equiv/witness"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/proofs"
	"tv/proofs/algebra"
	"tv/proofs/rise"
	"tv/semantics/domain"
)

// inputs are the parameters of random programs at a point.
func inputs(sizes map[string]int) env {
	at := env{sizes, map[string]val{"b": number(held("b", 0))}}
	at.vars["x"] = listOf(sizes["n"], func(i int) val { return number(held("x", i)) })
	at.vars["y"] = listOf(sizes["m"], func(i int) val {
		return listOf(sizes["k"], func(j int) val { return number(held("y", i*sizes["k"]+j)) })
	})
	return at
}

const heading = "fun((x: n.i32, y: m.k.i32, b: i32),\n  "

// program draws one, and a point at which it is well formed.
func program(seed int64) (exp, env) {
	r := &maker{Rand: rand.New(rand.NewSource(seed))}
	r.at = inputs(map[string]int{"n": 1 + r.Intn(6), "m": 1 + r.Intn(4), "k": 1 + r.Intn(4)})
	name := []string{"x", "y"}[r.Intn(2)]
	x := exp{name, shape{arrays: 1 + map[string]int{"y": 1}[name]}, func(e env) val { return e.vars[name] }}
	return r.grown(x, 1+r.Intn(5)), r.at
}

// TestRandom holds elements as they are stated, for numbers and for names of sizes, against programs
// that are run; and conditions on sizes against points at which these are well formed or not.
func TestRandom(t *testing.T) {
	compared, refused, points, why := 0, 0, [2]int{}, map[string]int{}
	for seed := range tier.Draw(150, 400, 1000) {
		x, at := program(int64(seed))
		p, err := read(heading + x.text + ")")
		if err != nil {
			t.Errorf("%s\n%v", x.text, err)
			continue
		}
		for k := range 6 {
			e := at
			if k > 0 {
				r := rand.New(rand.NewSource(int64(seed*7 + k)))
				e = inputs(map[string]int{"n": 1 + r.Intn(6), "m": 1 + r.Intn(4), "k": 1 + r.Intn(4)})
			}
			want, err := runs(x, e)
			if err == errEmpty {
				continue
			}
			ok := err == nil
			if holds(p, e.sizes) != ok && (ok || !refuses(p, e)) {
				t.Errorf("%s\nat %v: it is %v that it is well formed", x.text, e.sizes, ok)
			}
			points[map[bool]int{true: 1}[ok]]++
			if !ok {
				continue
			}
			for _, named := range []bool{false, true} {
				n, err := compare(p, want, e, named)
				if compared += n; err != nil && source.AsErrors(err) != nil {
					refused++
					why[source.AsErrors(err)[0].Msg]++
				} else if err != nil {
					t.Errorf("%s\nat %v, names %v: %v", x.text, e.sizes, named, err)
				}
			}
		}
	}
	t.Logf("%d elements, %d programs refused, %d points well formed, %d not", compared, refused, points[1], points[0])
	for text, n := range why {
		t.Logf("%d refused: %s", n, text)
	}
}

func read(text string) (algebra.Program, error) {
	p, err := rise.Reading{}.Read(source.NewFile("test", text))
	if err != nil {
		return nil, err
	}
	e, err := domain.Merge([]domain.Declarations{p.Declarations()})
	if err != nil {
		return nil, err
	}
	return p.Type(e)
}

func runs(x exp, e env) (v val, err error) {
	defer func() {
		switch r := recover(); r {
		case nil:
		case any(errIll), any(errEmpty):
			err = r.(error)
		default:
			panic(r)
		}
	}()
	return x.run(e), nil
}

func holds(p algebra.Program, sizes map[string]int) bool {
	at := domain.Point{}
	for name, n := range sizes {
		at[name] = int64(n)
	}
	for _, c := range p.Conditions() {
		if ok, err := c.Pred.Eval(at); !ok || err != nil {
			return false
		}
	}
	return true
}

// refuses reports whether the elements of a program are not stated at a point.
func refuses(p algebra.Program, e env) bool {
	_, err := compare(p, val{}, e, false)
	return source.AsErrors(err) != nil
}

// compare holds all elements against those of a value.
func compare(p algebra.Program, want val, e env, named bool) (n int, err error) {
	defer algebra.Recovered("test", &err)
	b := algebra.NewBuilder()
	var size func(x domain.Size) *algebra.Expr
	point := domain.Point{}
	for name, n := range e.sizes {
		point[name] = int64(n)
	}
	size = func(x domain.Size) *algebra.Expr {
		n, err := x.Eval(point)
		if err != nil {
			panic(err)
		}
		if !named || len(x.Names()) == 0 {
			return b.Num(algebra.BigNum(n))
		}
		var args []*algebra.Expr
		for _, a := range x.Operands() {
			args = append(args, size(a))
		}
		switch x.Op() {
		case domain.SizeName:
			return b.Size(x.Name(), 1)
		case domain.SizeAdd:
			return b.Add(args...)
		case domain.SizeMul:
			return b.Mul(args...)
		case domain.SizeDiv:
			return b.Div(b.Root, args[0], args[1])
		}
		panic("a size that is no polynomial")
	}
	state := &algebra.State{B: b, Arith: domain.Exact, Size: size, Terms: algebra.NewTerms()}
	l := p.Elements(state, nil)
	for _, r := range p.Results() {
		var dims []int64
		var axes []*algebra.Expr
		index := map[*algebra.Atom]int64{}
		total := int64(1)
		for _, d := range r.Dims {
			n, _ := d.Eval(point)
			dims, total = append(dims, n.Int64()), total*n.Int64()
			axes = append(axes, b.NewVar(b.Const(0), size(d)).Expr())
		}
		if total == 0 {
			continue
		}
		term := l.At(p.Root(), r.Path, b.Root, axes)
		for k := range total {
			at := make([]int64, len(dims))
			for i, rest := len(dims)-1, k; i >= 0; i-- {
				at[i], rest = rest%dims[i], rest/dims[i]
				if a := axes[i].Terms(); len(a) > 0 {
					index[a[0].Atoms()[0]] = at[i]
				}
			}
			got, err := run(&terms{env: e, index: index}, term)
			if err != nil {
				return n, source.Errors{source.Errorf(source.Span{}, "work", "%v", err)}
			}
			if v := element(want, r.Path, at); got != v {
				return n, fmt.Errorf("element %v of %v is %d, not %d", at, r.Path, v, got)
			}
			n++
		}
	}
	return n, nil
}

func run(r *terms, t *algebra.Scalar) (v int32, err error) {
	defer func() {
		if r := recover(); r == any(errWork) {
			err = errWork
		} else if r != nil {
			panic(r)
		}
	}()
	return r.run(t), nil
}

var errShape = errors.New("a value of another shape")

// element is the number on the way to it.
func element(v val, path []int, at []int64) int32 {
	for len(path) > 0 || len(at) > 0 {
		switch {
		case v.pair && len(path) > 0:
			v, path = v.list[path[0]], path[1:]
		case !v.pair && len(at) > 0:
			v, at = v.list[at[0]], at[1:]
		default:
			panic(errShape)
		}
	}
	return v.num
}

// tensors are the arrays of numbers that a value is: an array of pairs is the same as a pair of arrays.
func tensors(v val) []val {
	switch {
	case v.pair:
		return append(tensors(v.list[0]), tensors(v.list[1])...)
	case len(v.list) == 0: // a number, or nothing
		return []val{v}
	}
	var out []val
	for i, x := range v.list {
		for k, y := range tensors(x) {
			if i == 0 {
				out = append(out, val{})
			}
			out[k].list = append(out[k].list, y)
		}
	}
	return out
}

// empty reports whether a value has an array without elements.
func empty(v val) bool {
	return v.list != nil && len(v.list) == 0 || slices.ContainsFunc(v.list, empty)
}

// TestRandomPairs: where the checker accepts that two programs are equal, they are: at each point at
// which the first is well formed the second is, and has the same value.
func TestRandomPairs(t *testing.T) {
	accepted, refused := 0, 0
	for seed := range tier.Draw(60, 110, 250) {
		r := &maker{Rand: rand.New(rand.NewSource(int64(seed)))}
		r.at = inputs(map[string]int{"n": 1 + r.Intn(6), "m": 1 + r.Intn(4), "k": 1 + r.Intn(4)})
		name := []string{"x", "y"}[r.Intn(2)]
		x := exp{name, shape{arrays: 1 + map[string]int{"y": 1}[name]}, func(e env) val { return e.vars[name] }}
		x = r.grown(x, 1+r.Intn(3))
		before := r.behind(x, 2)
		for range 6 {
			after := r.behind(x, 2)
			if r.Intn(3) == 0 {
				after = r.behind(after, 1)
			}
			s := proofs.Statement{Arith: domain.Exact, Before: heading + before.text + ")",
				After: heading + after.text + ")", Languages: [2]string{"rise", "rise"}}
			if _, err := witness.Find(context.Background(), s, witness.Search{Steps: 1 << 12}); err != nil {
				refused++
				continue
			}
			if before.text != after.text {
				accepted++
			}
			for range 8 {
				e := inputs(map[string]int{"n": 1 + r.Intn(6), "m": 1 + r.Intn(4), "k": 1 + r.Intn(4)})
				v, err := runs(before, e)
				if err != nil {
					continue
				}
				w, err := runs(after, e)
				if empty(v) && (err != nil || empty(w)) {
					continue // of one type or another
				}
				if err != nil && err != errEmpty || err == nil && fmt.Sprint(tensors(v)) != fmt.Sprint(tensors(w)) {
					t.Errorf("accepted, and wrong at %v:\n%s\n%s\n%v %v %v", e.sizes, before.text, after.text, v, w, err)
					break
				}
			}
		}
	}
	t.Logf("%d pairs accepted, %d refused", accepted, refused)
}
