package eval

import (
	"math/big"

	"tv/semantics/domain"
	"tv/semantics/rise/syntax"
	"tv/semantics/value"
)

// numbers are the operations on numbers of a type. Integers that count have any size.
func (e *evaluator) numbers(t *syntax.Type) *value.Scalars {
	if t.Kind == syntax.Index {
		return value.ScalarsOf(domain.Real, t.ElemOf())
	}
	return value.ScalarsOf(e.arith, t.Elem)
}

// counting is an integer that counts.
func (e *evaluator) counting(i int64) val { return value.RatValue(new(big.Rat).SetInt64(i)) }

// ofNumbers is a function of numbers.
func (e *evaluator) ofNumbers(c *syntax.Core) val {
	of := c.Type.A
	one := func(f func(x value.Value) value.Value) val {
		return function(func(x val) val { return f(x.(value.Value)) })
	}
	switch c.Name {
	case "neg":
		return one(e.numbers(of).Neg)
	case "cast":
		return one(func(x value.Value) value.Value { return convert(e.arith, x, of, c.Type.B) })
	case "select":
		return curried(3, nil, func(x []val) val {
			yes, err := x[0].(value.Value).Holds()
			switch {
			case err != nil:
				return e.undefined(c, c.Type.B.A, value.NoValue(err))
			case yes:
				return x[1]
			}
			return x[2]
		})
	}
	if of.Kind == syntax.Pair {
		f := e.binary(c.Name, of.A)
		return function(func(p val) val { return f(p.(pair).a.(value.Value), p.(pair).b.(value.Value)) })
	}
	f := e.binary(c.Name, of)
	return curried(2, nil, func(x []val) val { return f(x[0].(value.Value), x[1].(value.Value)) })
}

// binary is a function of two numbers of a type.
func (e *evaluator) binary(name string, t *syntax.Type) func(x, y value.Value) value.Value {
	s := e.numbers(t)
	whole := t.Kind == syntax.Index || t.Elem.Kind != domain.ElemFloat
	switch name {
	case "add":
		return s.Add
	case "sub":
		return s.Sub
	case "mult":
		return s.Mul
	case "min":
		return s.Min
	case "max":
		return s.Max
	case "minimumf": // of the dialect, as IEEE 754 has them
		return s.Minimum
	case "maximumf":
		return s.Maximum
	case "==":
		return s.Equal
	case "<":
		return s.Less
	case "<=":
		return s.LessEqual
	case ">":
		return func(x, y value.Value) value.Value { return s.Less(y, x) }
	case ">=":
		return func(x, y value.Value) value.Value { return s.LessEqual(y, x) }
	case "div":
		if !whole {
			return s.Div
		}
		return func(x, y value.Value) value.Value { return floor(s, t, x, y) }
	}
	return func(x, y value.Value) value.Value { return s.Sub(x, s.Mul(y, floor(s, t, x, y))) }
}

// floor is the quotient of integers, rounded down.
func floor(s *value.Scalars, t *syntax.Type, x, y value.Value) value.Value {
	if t.Kind != syntax.Index {
		return s.Quotient(x, y, value.Down)
	}
	for _, v := range []value.Value{x, y} {
		if v.Failed() {
			return v
		}
	}
	a, _ := x.Rat()
	b, _ := y.Rat()
	if b.Sign() == 0 {
		return value.Undefinedf("division of %s by 0", x)
	}
	q, m := new(big.Int).DivMod(a.Num(), b.Num(), new(big.Int))
	if m.Sign() != 0 && b.Sign() < 0 { // DivMod leaves a remainder that is not negative
		q.Sub(q, big.NewInt(1))
	}
	return value.RatValue(new(big.Rat).SetInt(q))
}

// convert is a conversion between types of numbers.
func convert(a value.Arith, x value.Value, from, to *syntax.Type) value.Value {
	switch {
	case x.Failed() || from.Kind == syntax.Index && to.Kind == syntax.Index:
		return x
	case from.Kind == syntax.Index:
		r, _ := x.Rat()
		if a.Bits(to.Elem) && to.Elem.Kind == domain.ElemInt { // it wraps: the last 64 bits say all
			low := new(big.Int).And(r.Num(), new(big.Int).SetUint64(1<<64-1))
			return value.Of(a, to.Elem).Integer(int64(low.Uint64()))
		}
		return value.Of(a, to.Elem).Constant(r)
	case to.Kind == syntax.Index:
		n, failed, ok := x.Integer()
		if !ok {
			return failed
		}
		return value.RatValue(new(big.Rat).SetInt64(n))
	}
	return value.Conversion(a, from.Elem, to.Elem)(x)
}

// dependent are the patterns with places that are computed.
func (e *evaluator) dependent(c *syntax.Core, out *syntax.Type, x []val) val {
	switch c.Name {
	case "idx":
		return e.element(c, x[0], x[1].(*array), out)
	case "gather":
		ix := x[0].(*array)
		return newArray(ix.n, func(i int64) val { return e.element(c, ix.element(i), x[1].(*array), out.A) })
	}
	ix, a := x[0].(*array), x[1].(*array)
	var from []int64 // who writes each place; -1: nobody yet
	var failed *value.Value
	written := func() {
		from = make([]int64, a.n)
		for i := range from {
			from[i] = -1
		}
		for i := range ix.n {
			to, why, ok := ix.element(i).(value.Value).Integer()
			switch {
			case !ok:
				failed = &why
			case to < 0 || to >= a.n:
				why = value.Undefinedf("scatter writes place %d of %d", to, a.n)
				failed = &why
			case from[to] >= 0:
				why = value.Undefinedf("scatter writes place %d twice", to)
				failed = &why
			default:
				from[to] = i
				continue
			}
			return
		}
	}
	return newArray(a.n, func(i int64) val {
		if from == nil {
			written()
		}
		switch {
		case failed != nil:
			return e.undefined(c, out.A, *failed)
		case from[i] < 0:
			return e.undefined(c, out.A, value.Undefinedf("scatter does not write place %d", i))
		}
		return a.element(from[i])
	})
}

// element is the element of an array at a place that is computed.
func (e *evaluator) element(c *syntax.Core, at val, a *array, t *syntax.Type) val {
	i, failed, ok := at.(value.Value).Integer()
	switch {
	case !ok:
		return e.undefined(c, t, failed)
	case i < 0 || i >= a.n:
		return e.undefined(c, t, value.Undefinedf("element %d of an array of %d", i, a.n))
	}
	return a.element(i)
}

// maxReordered bounds arrays that are reordered: functions are asked for each place.
const maxReordered = 1 << 20

// checkPermutations tells whether the functions that reorder is given map the places of the array into itself, and are
// inverses of each other.
func (e *evaluator) checkPermutations() {
	e.t.Body.Visit(func(c *syntax.Core) {
		if c.Form != syntax.Apply || c.Args[0].Form != syntax.Apply || c.Args[0].Args[0].Name != "reorder" {
			return
		}
		reorder := c.Args[0].Args[0]
		n := e.given(reorder)[0]
		if n > maxReordered {
			e.Fail(c.Span, "too-large", "more than %d places are reordered", maxReordered)
			return
		}
		f, g := e.eval(c.Args[0].Args[1], nil), e.eval(c.Args[1], nil)
		for i := range n {
			to, _, ok := call(f, e.counting(i)).(value.Value).Integer()
			if !ok || to < 0 || to >= n {
				e.Fail(c.Span, "not-a-permutation", "place %d of %d goes to none of them", i, n)
				return
			}
			if back, _, ok := call(g, e.counting(to)).(value.Value).Integer(); !ok || back != i {
				e.Fail(c.Span, "not-a-permutation", "place %d goes to %d, which does not go back", i, to)
				return
			}
		}
	})
}
