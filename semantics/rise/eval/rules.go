package eval

import (
	"math/big"

	"tv/semantics/rise/syntax"
	"tv/semantics/value"
)

// An element type of which nothing is known has the values 0, 1, 2 and 3: a number stands for the remainder of its floor
// by 4. A free function is a table, which has an axis for each number that it is given, and one for each array: of an
// array that is the sum of what its elements say, the first once, the second twice, and so on.

// canonical is a value of an element type of which nothing is known.
func (e *evaluator) canonical(t *syntax.Type, x value.Value) value.Value {
	if t.Kind != syntax.Scalar || t.Data == "" || x.Failed() {
		return x
	}
	return e.numbers(t).Integer(remainder(x))
}

// remainder is that of the floor of a number by 4; of what is no number, 0.
func remainder(x value.Value) int64 {
	if n, _, ok := x.Integer(); ok && n >= 0 { // nearly all are: one that fits in no word is -1
		return n % syntax.Values
	}
	r, ok := x.Rat()
	if !ok {
		return 0
	}
	return new(big.Int).Mod(new(big.Int).Div(r.Num(), r.Denom()), big.NewInt(syntax.Values)).Int64()
}

// seen is what a table sees of an argument, or why it has no value.
func (e *evaluator) seen(t *syntax.Type, v val) (at []int64, failed *value.Value) {
	switch t.Kind {
	case syntax.Array:
		a, sum := v.(*array), int64(0)
		for i := range a.n {
			of, failed := e.seen(t.A, a.element(i))
			if failed != nil {
				return nil, failed
			}
			for j, n := range of {
				sum += (i + int64(j) + 1) * n
			}
		}
		return []int64{sum % syntax.Values}, nil
	case syntax.Pair:
		x, failed := e.seen(t.A, v.(pair).a)
		if failed != nil {
			return nil, failed
		}
		y, failed := e.seen(t.B, v.(pair).b)
		return append(x, y...), failed
	}
	x := v.(value.Value)
	if x.Failed() {
		return nil, &x
	}
	return []int64{remainder(x)}, nil
}

// free is a free function.
func (e *evaluator) free(c *syntax.Core) val {
	f := c.Function
	return curried(len(f.Args), nil, func(x []val) val {
		var at []int64
		for i, t := range f.Args {
			more, failed := e.seen(t, x[i])
			if failed != nil {
				return e.undefined(c, f.Result, *failed)
			}
			at = append(at, more...)
		}
		table := e.t.Tables(f)
		return e.tabled(c, f.Result, &table, at)
	})
}

// tabled is what the tables from one on hold at a place.
func (e *evaluator) tabled(c *syntax.Core, t *syntax.Type, table *int, at []int64) val {
	if t.Kind == syntax.Pair {
		a := e.tabled(c, t.A, table, at)
		return pair{a, e.tabled(c, t.B, table, at)}
	}
	first := *table
	*table += leaves(t)
	return e.rows(c, t, first, at)
}

// rows is what tables hold below a place: an array of pairs is in several.
func (e *evaluator) rows(c *syntax.Core, t *syntax.Type, table int, at []int64) val {
	switch t.Kind {
	case syntax.Array:
		return newArray(e.Size(c.Span, t.Dim), func(i int64) val {
			return e.rows(c, t.A, table, append(at[:len(at):len(at)], i))
		})
	case syntax.Pair:
		return pair{e.rows(c, t.A, table, at), e.rows(c, t.B, table+leaves(t.A), at)}
	}
	return e.canonical(t, e.At(table, at))
}

// leaves are the tables of a result.
func leaves(t *syntax.Type) int {
	switch t.Kind {
	case syntax.Array:
		return leaves(t.A)
	case syntax.Pair:
		return leaves(t.A) + leaves(t.B)
	}
	return 1
}

// lawless says which law a table does not have: then nothing is asked of the rule.
func (e *evaluator) lawless() (why *value.Value) {
	r := e.t.Rule()
	if r == nil {
		return nil
	}
	for _, f := range r.Functions {
		if f.Is != "" || !f.Assoc && !f.Comm && f.Unit == nil {
			continue
		}
		op := func(x, y int64) int64 { return remainder(e.At(e.t.Tables(f), []int64{x, y})) }
		if law := broken(f, op, e.unit(f)); law != "" {
			v := value.Undefinedf("the table of %s is not %s", f.Name, law)
			return &v
		}
	}
	return nil
}

// unit is the value of the unit of a function, if it has one.
func (e *evaluator) unit(f *syntax.Function) int64 {
	for i, q := range e.t.Parameters {
		if q == f.Unit {
			return remainder(e.At(i, nil))
		}
	}
	return 0
}

// broken names a law that an operation on 0 to 3 does not have.
func broken(f *syntax.Function, op func(x, y int64) int64, unit int64) string {
	for x := range int64(syntax.Values) {
		if f.Unit != nil && (op(x, unit) != x || op(unit, x) != x) {
			return "one with that unit"
		}
		for y := range int64(syntax.Values) {
			if f.Comm && op(x, y) != op(y, x) {
				return "commutative"
			}
			for z := range int64(syntax.Values) {
				if f.Assoc && op(op(x, y), z) != op(x, op(y, z)) {
					return "associative"
				}
			}
		}
	}
	return ""
}
