// Package eval is the reference evaluator of comprehensions: what doc/languages.md section 3 says, one element at a time.
package eval

import (
	"math/big"

	"tv/semantics"
	"tv/semantics/cells"
	"tv/semantics/comprehension/syntax"
	"tv/semantics/domain"
	"tv/semantics/procedures"
	"tv/semantics/value"
	"tv/semantics/words"
)

type evaluator struct {
	*cells.Frame
	t      *syntax.Typed
	ranges map[*procedures.Index][2]int64
	at     map[*procedures.Index]int64 // the values now: a statement rests on earlier ones, so it is never entered again
}

// New implements semantics.Program.Evaluate for t.
func New(t *syntax.Typed, a value.Arith, pt domain.Point, in value.Inputs,
	standing semantics.Standing) (semantics.Evaluator, error) {
	e := &evaluator{cells.New(t, t.Env, a, pt, in, standing), t,
		map[*procedures.Index][2]int64{}, map[*procedures.Index]int64{}}
	for _, s := range t.Statements {
		e.check(s)
	}
	return e.Ready(e.after)
}

// check finds the ranges of a statement and whether it keeps within bounds. Where no combination of free indices is left it
// writes nothing, and where none of all indices is it reads nothing.
func (e *evaluator) check(s *syntax.Statement) {
	empty := false
	ranges := func(list []*procedures.Index) {
		for _, i := range list {
			r := [2]int64{e.Size(s.Span, i.Lo), e.Size(s.Span, i.Hi)}
			e.ranges[i], empty = r, empty || r[1] <= r[0]
		}
	}
	if ranges(s.Free); !empty {
		for axis, i := range s.Free {
			e.inside(s.Target, axis, procedures.Subscript{Terms: []procedures.Product{{Factor: 1, Index: i}}, Span: s.Span})
		}
	}
	if ranges(s.Summed); empty {
		return
	}
	s.Calls(func(x *syntax.Read) {
		for axis, sub := range x.At {
			e.inside(x.Tensor, axis, sub)
		}
	})
}

// inside checks that a subscript is within its dim: it is least and greatest at ends of ranges.
func (e *evaluator) inside(q *procedures.Parameter, axis int, s procedures.Subscript) {
	least, most := big.NewInt(e.Size(s.Span, s.Rest)), big.NewInt(e.Size(s.Span, s.Rest))
	for _, p := range s.Terms {
		first, last := big.NewInt(e.ranges[p.Index][0]), big.NewInt(e.ranges[p.Index][1]-1)
		if p.Factor < 0 {
			first, last = last, first
		}
		least.Add(least, first.Mul(first, big.NewInt(p.Factor)))
		most.Add(most, last.Mul(last, big.NewInt(p.Factor)))
	}
	if dim := e.Size(q.Span, q.Dims[axis]); least.Sign() < 0 || most.Cmp(big.NewInt(dim)) >= 0 {
		e.Fail(s.Span, "index-out-of-bounds", "%s to %s on axis %d of %s, whose dim is %d", least, most, axis, q.Name, dim)
	}
}

// after is what a cell of the target holds after a statement.
func (e *evaluator) after(part int, index []int64) value.Value {
	k := part - len(e.t.Parameters)
	if k == len(e.t.Statements) { // the result is what an earlier statement has left
		return e.At(e.t.Parts()[part].Operands[0], index)
	}
	s, v := e.t.Statements[k], e.Arithmetic(part)
	before := e.t.Before(k, s.Target)
	for axis, i := range s.Free {
		if e.at[i] = index[axis]; index[axis] < e.ranges[i][0] || index[axis] >= e.ranges[i][1] {
			return e.At(before, index)
		}
	}
	sum, some := v.Zero(), false
	e.each(s.Summed, func() {
		if x := e.value(k, v, s.Value); some {
			sum = v.Add(sum, x)
		} else {
			sum, some = x, true
		}
	})
	if s.Adds {
		return v.Add(e.At(before, index), sum)
	}
	return sum
}

// each calls f for the combinations of indices in row-major order.
func (e *evaluator) each(indices []*procedures.Index, f func()) {
	if len(indices) == 0 {
		f()
		return
	}
	for i := e.ranges[indices[0]][0]; i < e.ranges[indices[0]][1]; i++ {
		e.at[indices[0]] = i
		e.each(indices[1:], f)
	}
}

// value is that of an expression of statement k at the indices.
func (e *evaluator) value(k int, v value.Arithmetic, n *words.Node) value.Value {
	switch note := n.Note.(type) {
	case *big.Rat:
		return v.Constant(note)
	case *syntax.Read:
		index := make([]int64, len(note.At))
		for axis, s := range note.At {
			index[axis] = e.Size(s.Span, s.Rest)
			for _, p := range s.Terms {
				index[axis] += p.Factor * e.at[p.Index] // sums that wrap come back, as check has seen
			}
		}
		return e.At(e.t.Before(k, note.Tensor), index)
	}
	x := e.value(k, v, n.Args[0])
	if len(n.Args) == 1 {
		return v.Neg(x)
	}
	y := e.value(k, v, n.Args[1])
	switch n.Op {
	case "+":
		return v.Add(x, y)
	case "-":
		return v.Sub(x, y)
	}
	return v.Mul(x, y)
}
