package comprehension

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/value"
)

const maxMemo = 1 << 20 // cells that an evaluator remembers

// An evaluator is the reference: what doc/languages.md section 3 says, one element at a time.
type evaluator struct {
	t              *Typed
	arith          value.Arith
	point          domain.Point
	in             value.Inputs
	parts, results []*version            // the last part is what the program returns
	sizes          map[domain.Size]int64 // of the text
	ranges         map[*Index][2]int64
	at             map[*Index]int64 // the values now: a statement rests on earlier ones, so it is never entered again
	memo           map[cell]value.Value
	err            error // the first problem of the preparation
}

// A version is what a parameter holds before the call or after a statement; a tuple has no parameter.
type version struct {
	value.Arithmetic
	*Param
	dims  []int64
	name  string     // of an input
	by    *Statement // nil: an input
	found []*version // the parameters before the statement
}

type cell struct {
	of     *version
	offset int64
}

func newEvaluator(t *Typed, a value.Arith, pt domain.Point, in value.Inputs, standing semantics.Standing) (semantics.Evaluator, error) {
	e := &evaluator{t: t, arith: a, point: pt, in: in, sizes: map[domain.Size]int64{},
		ranges: map[*Index][2]int64{}, at: map[*Index]int64{}, memo: map[cell]value.Value{}}
	for _, q := range t.Params {
		v, count := &version{Arithmetic: value.Of(a, q.Elem), Param: q, name: t.tensor(q).Name}, big.NewInt(1)
		for i, d := range q.Dims {
			if v.dims = append(v.dims, e.size(q.Span, d)); v.dims[i] < 0 {
				e.fail(q.Span, "negative-dim", "dim %d of %s is negative: %d", i, q.Name, v.dims[i])
			}
			count.Mul(count, big.NewInt(v.dims[i]))
		}
		if count.BitLen() > 62 { // offsets fit in a word
			e.fail(q.Span, "too-large", "a tensor of dims %d has 2^62 elements or more", v.dims)
		}
		e.parts = append(e.parts, v)
	}
	now := slices.Clone(e.parts)
	for _, s := range t.Statements {
		v := *now[s.Target.Number]
		v.by, v.found = s, slices.Clone(now)
		e.check(&v)
		now[s.Target.Number], e.parts = &v, append(e.parts, &v)
	}
	for part, name := range standing {
		e.parts[part].by, e.parts[part].name = nil, name
	}
	for _, q := range t.results() {
		e.results = append(e.results, now[q.Number])
	}
	if len(e.results) > 1 {
		e.parts = append(e.parts, &version{})
	}
	return e, e.err
}

func (e *evaluator) fail(span source.Span, code, format string, args ...any) {
	if e.err == nil {
		e.err = source.Errorf(span, code, format, args...)
	}
}

func (e *evaluator) size(span source.Span, s domain.Size) int64 {
	if n, ok := e.sizes[s]; ok {
		return n
	}
	n, err := e.t.size(s).Eval(e.point)
	if err != nil {
		e.fail(span, "unbound-size", "%v", err)
	} else if e.sizes[s] = n.Int64(); !n.IsInt64() {
		e.fail(span, "too-large", "the size %s is beyond 2^63", n)
	}
	return e.sizes[s]
}

// check finds the ranges of a statement and whether it keeps within bounds. Where no combination of free indices is left it
// writes nothing, and where none of all indices is it reads nothing.
func (e *evaluator) check(v *version) {
	empty := false
	ranges := func(list []*Index) {
		for _, i := range list {
			r := [2]int64{e.size(v.by.Span, i.Lo), e.size(v.by.Span, i.Hi)}
			e.ranges[i], empty = r, empty || r[1] <= r[0]
		}
	}
	if ranges(v.by.Free); !empty {
		for axis, i := range v.by.Free {
			e.inside(v, axis, Subscript{Terms: []Product{{1, i}}, Span: v.by.Span})
		}
	}
	if ranges(v.by.Summed); empty {
		return
	}
	v.by.Value.visit(func(x *Expr) {
		for axis, s := range x.At {
			e.inside(v.found[x.Tensor.Number], axis, s)
		}
	})
}

// inside checks that a subscript is within its dim: it is least and greatest at ends of ranges.
func (e *evaluator) inside(of *version, axis int, s Subscript) {
	least, most := big.NewInt(e.size(s.Span, s.Rest)), big.NewInt(e.size(s.Span, s.Rest))
	for _, p := range s.Terms {
		first, last := big.NewInt(e.ranges[p.Index][0]), big.NewInt(e.ranges[p.Index][1]-1)
		if p.Factor < 0 {
			first, last = last, first
		}
		least.Add(least, first.Mul(first, big.NewInt(p.Factor)))
		most.Add(most, last.Mul(last, big.NewInt(p.Factor)))
	}
	if least.Sign() < 0 || most.Cmp(big.NewInt(of.dims[axis])) >= 0 {
		e.fail(s.Span, "index-out-of-bounds", "%s to %s on axis %d of %s, whose dim is %d",
			least, most, axis, of.Name, of.dims[axis])
	}
}

// element is an element of a version.
func (e *evaluator) element(v *version, index []int64) value.Value {
	c := cell{of: v}
	for axis, i := range index {
		if i < 0 || i >= v.dims[axis] {
			return value.NoValue(fmt.Errorf("eval: index %d of a tensor of dims %d", index, v.dims))
		}
		c.offset = c.offset*v.dims[axis] + i
	}
	if v.by == nil {
		x := e.in.Element(v.name, c.offset)
		if err := x.Suits(e.arith, v.Elem); err != nil {
			return value.NoValue(fmt.Errorf("%s[offset %d]: %w", v.name, c.offset, err))
		}
		return x
	}
	if x, ok := e.memo[c]; ok {
		return x
	}
	x := e.after(v, index)
	err := x.Err()
	if (errors.Is(err, value.ErrUndefined) || errors.Is(err, value.ErrUndecided)) && !x.Located() {
		x = x.Locate(fmt.Sprintf("element %d of %s at %s", index, v.Name, v.by.Span.Position()))
	}
	if len(e.memo) >= maxMemo {
		e.Reset() // what is needed again is computed again
	}
	e.memo[c] = x
	return x
}

// after is what a cell of TARGET holds after a statement.
func (e *evaluator) after(v *version, index []int64) value.Value {
	before := v.found[v.Number]
	for axis, i := range v.by.Free {
		if e.at[i] = index[axis]; index[axis] < e.ranges[i][0] || index[axis] >= e.ranges[i][1] {
			return e.element(before, index)
		}
	}
	sum, some := v.Zero(), false
	e.each(v.by.Summed, func() {
		if x := e.value(v, v.by.Value); some {
			sum = v.Add(sum, x)
		} else {
			sum, some = x, true
		}
	})
	if v.by.Op == "+=" {
		return v.Add(e.element(before, index), sum)
	}
	return sum
}

// each calls f for the combinations of indices in row-major order.
func (e *evaluator) each(indices []*Index, f func()) {
	if len(indices) == 0 {
		f()
		return
	}
	for i := e.ranges[indices[0]][0]; i < e.ranges[indices[0]][1]; i++ {
		e.at[indices[0]] = i
		e.each(indices[1:], f)
	}
}

// value is that of an expression of a statement at the indices.
func (e *evaluator) value(v *version, x *Expr) value.Value {
	arg := func(i int) value.Value { return e.value(v, x.Args[i]) }
	switch x.Op {
	case '+':
		return v.Add(arg(0), arg(1))
	case '-':
		return v.Sub(arg(0), arg(1))
	case '*':
		return v.Mul(arg(0), arg(1))
	case '~':
		return v.Neg(arg(0))
	case '#':
		r, err := value.ParseRat(x.Number)
		if err != nil {
			return value.NoValue(source.Errorf(x.Span, "too-large", "%v", err))
		}
		return v.Constant(r)
	}
	index := make([]int64, len(x.At))
	for axis, s := range x.At {
		index[axis] = e.size(s.Span, s.Rest)
		for _, p := range s.Terms {
			index[axis] += p.Factor * e.at[p.Index] // sums that wrap come back, as check has seen
		}
	}
	return e.element(v.found[x.Tensor.Number], index)
}

func (e *evaluator) component(path []int) *version {
	if len(path) == 0 {
		return e.parts[len(e.parts)-1]
	}
	return e.results[path[0]]
}

func (e *evaluator) ask(v *version, index []int64) (value.Value, error) {
	if v.Param == nil || len(index) != len(v.dims) {
		return value.Value{}, fmt.Errorf("eval: index %d of a tuple, or of a tensor of dims %d", index, v.dims)
	}
	x := e.element(v, index)
	return x, x.Err()
}

// The methods of semantics.Evaluator.
func (e *evaluator) Dims(path []int) []int64   { return e.component(path).dims }
func (e *evaluator) PartDims(part int) []int64 { return e.parts[part].dims }
func (e *evaluator) Element(path []int, at []int64) (value.Value, error) {
	return e.ask(e.component(path), at)
}
func (e *evaluator) PartElement(part int, at []int64) (value.Value, error) {
	return e.ask(e.parts[part], at)
}
func (e *evaluator) Reset() { clear(e.memo) }
