package cnest

import (
	"slices"
	"strings"

	"tv/semantics/loops"
)

// digit splits the number of an element by the extent d of an axis: n = high·d + low with 0 <= low < d, where terms show it:
// of i*K + l by K, with l a counter below K, these are i and l. Everything is said of where n is computed.
func (e *elaborator) digit(n, d *loops.Int) (high, low *loops.Int, ok bool) {
	for _, form := range []*loops.Int{n, e.spread(n)} { // as it is written d may be a sum
		high, low = loops.Num(0), loops.Num(0)
		for _, t := range terms(form) {
			if q := e.divided(t, d); q != nil {
				high = loops.Sum(high, q)
			} else {
				low = loops.Sum(low, t)
			}
		}
		steps := maxBounding
		if e.atLeast(e.spread(low), 0, &steps) && e.atLeast(e.spread(loops.Difference(d, low)), 1, &steps) {
			return high, low, true
		}
	}
	return nil, nil, false
}

// maxBounding bounds the work to find out where a digit lies.
const maxBounding = 400

func terms(x *loops.Int) []*loops.Int {
	if x.Op == loops.Plus {
		return x.Args
	}
	return []*loops.Int{x}
}

// factors are those of a product.
func factors(x *loops.Int) []*loops.Int {
	if x.Op != loops.Times {
		return []*loops.Int{x}
	}
	return append(factors(x.Args[0]), factors(x.Args[1])...)
}

// divided is a term without the factors of d, nil where it does not have them.
func (e *elaborator) divided(t, d *loops.Int) *loops.Int {
	list := slices.Clone(factors(t))
	for _, f := range factors(d) {
		k := slices.IndexFunc(list, func(g *loops.Int) bool {
			if f.Op == loops.Number && g.Op == loops.Number {
				return f.N != 0 && g.N%f.N == 0
			}
			return e.equal(f, g)
		})
		switch {
		case k < 0:
			return nil
		case f.Op == loops.Number:
			list[k] = loops.Num(list[k].N / f.N)
		default:
			list = slices.Delete(list, k, k+1)
		}
	}
	out := loops.Num(1)
	for _, f := range list {
		out = loops.Product(out, f)
	}
	return out
}

// atLeast tells whether it can be seen that x is at least a number, wherever it is computed: innermost counters first, each
// is held against a bound of its loop, and then sizes are at least 1.
func (e *elaborator) atLeast(x *loops.Int, n int64, steps *int) bool {
	if *steps--; *steps < 0 {
		return false
	}
	var inner *loops.For
	x.Mentions(func(y *loops.Int) bool {
		if y.Op == loops.Counter && (inner == nil || e.loops[y.Loop] > e.loops[inner]) {
			inner = y.Loop
		}
		return false
	})
	if inner == nil {
		return e.leastOf(x) >= n
	}
	factor, ok := e.factor(x, inner)
	if !ok || inner.Step == nil || inner.Step.Op != loops.Number { // without a step it is what a scalar holds at first
		return false
	}
	up := inner.Step.N > 0
	ends := inner.Lo // from which the counter goes away
	if (factor > 0) != up {
		ends = inner.Hi
	}
	for _, end := range ends {
		for _, by := range parts(end, factor > 0) {
			switch {
			case factor > 0 && !up:
				by = loops.Sum(by, loops.Num(1))
			case factor < 0 && up:
				by = loops.Sum(by, loops.Num(-1))
			}
			if e.atLeast(e.spread(replace(x, inner, by)), n, steps) {
				return true
			}
		}
	}
	return false
}

// factor is the sign of the factor of a counter in x, where x is linear in it and the sign is seen: 1 or -1.
func (e *elaborator) factor(x *loops.Int, l *loops.For) (sign int64, ok bool) {
	is := func(y *loops.Int) bool { return y.Op == loops.Counter && y.Loop == l }
	for _, t := range terms(x) {
		if !t.Mentions(is) {
			continue
		}
		s, times := int64(1), 0
		for _, f := range factors(t) {
			switch {
			case is(f):
				times++
			case f.Op == loops.Number && f.N < 0:
				s = -s
			case f.Op != loops.Number && f.Op != loops.Size: // sizes are above 0
				return 0, false
			}
		}
		if times != 1 || sign != 0 && s != sign {
			return 0, false
		}
		sign = s
	}
	return sign, sign != 0
}

// parts are numbers that a bound is known not to be above, or with below not to be below: of a least one, each of its parts.
func parts(x *loops.Int, below bool) []*loops.Int {
	if op := map[bool]loops.IntOp{true: loops.Greatest, false: loops.Least}[below]; x.Op == op {
		return x.Args
	}
	return []*loops.Int{x}
}

// leastOf is a number that x is at least, as sizes are at least 1; far below 0 where none is seen. A quotient by a number,
// rounded down, is at most that without rounding, and more than that less 1.
func (e *elaborator) leastOf(x *loops.Int) int64 {
	const none = -1 << 40
	sum := map[string]int64{}
	out := int64(0)
	list := slices.Clone(terms(x))
	for len(list) > 0 && len(list) < maxBounding {
		t := list[0]
		list = list[1:]
		k, names, q := int64(1), []string(nil), (*loops.Int)(nil)
		for _, f := range factors(t) {
			switch {
			case f.Op == loops.Number && inWord(f, loops.Num(k)):
				k *= f.N
			case f.Op == loops.Size:
				names = append(names, f.Name)
			case f.Op == loops.FloorDiv && f.Args[1].Op == loops.Number && f.Args[1].N > 0 && q == nil:
				q = f
			default:
				return none
			}
		}
		switch {
		case q != nil && (names != nil || k%q.Args[1].N != 0):
			return none
		case q != nil:
			by, y := q.Args[1].N, q.Args[0]
			if k > 0 {
				y = loops.Sum(y, loops.Num(1-by))
			}
			list = append(list, terms(e.spread(loops.Product(loops.Num(k/by), y)))...)
		case names == nil:
			out += k
		default:
			slices.Sort(names)
			sum[strings.Join(names, " ")] += k
		}
	}
	for _, k := range sum {
		if k < 0 || len(list) > 0 {
			return none
		}
		out += k
	}
	return out
}

// spread is x as a sum of products, as far as it is made of sums and products, each product once.
func (e *elaborator) spread(x *loops.Int) *loops.Int {
	type product struct {
		of    *loops.Int // without its number
		times int64
	}
	var list []*product
	known := map[string]*product{}
	for _, t := range e.products(x) {
		times, of := int64(1), t
		switch {
		case t.Op == loops.Number:
			times, of = t.N, loops.Num(1)
		case t.Op == loops.Times && t.Args[0].Op == loops.Number:
			times, of = t.Args[0].N, t.Args[1]
		}
		key := e.key(of)
		if known[key] == nil {
			known[key] = &product{of, 0}
			list = append(list, known[key])
		}
		known[key].times += times
	}
	out := loops.Num(0)
	for _, p := range list {
		out = loops.Sum(out, loops.Product(loops.Num(p.times), p.of))
	}
	return out
}

func (e *elaborator) products(x *loops.Int) (out []*loops.Int) {
	switch x.Op {
	case loops.Plus:
		for _, a := range x.Args {
			out = append(out, e.products(a)...)
		}
		return out
	case loops.Times:
		for _, a := range e.products(x.Args[0]) {
			for _, b := range e.products(x.Args[1]) {
				out = append(out, terms(e.ordered(loops.Product(a, b)))...)
			}
		}
		return out
	}
	return []*loops.Int{x}
}

// ordered is a product with its factors in one order.
func (e *elaborator) ordered(x *loops.Int) *loops.Int {
	list := factors(x)
	slices.SortStableFunc(list, func(a, b *loops.Int) int { return strings.Compare(e.key(a), e.key(b)) })
	out := loops.Num(1)
	for _, f := range list {
		out = loops.Product(out, f)
	}
	return out
}
