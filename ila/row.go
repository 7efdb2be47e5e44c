package ila

import (
	"fmt"

	"tv/semantics/term"
)

// Sums of products of whole rows of a tensor are terms of those rows: a program that stores a matrix needs no term for each of its elements.

// A Stretch is Count elements of a tensor from an offset on.
type Stretch struct {
	Tensor      *Tensor
	From, Count int
}

// A Factors is one side of a sum of products: elements of a tensor, or terms where it has none.
type Factors struct {
	Stretch
	Terms []*term.Term
}

// Len returns how many factors there are.
func (f Factors) Len() int {
	if f.Tensor != nil {
		return f.Count
	}
	return len(f.Terms)
}

// Part returns n factors from one on.
func (f Factors) Part(from, n int) Factors {
	if f.Tensor != nil {
		return Factors{Stretch: Stretch{f.Tensor, f.From + from, n}}
	}
	return Factors{Terms: f.Terms[from : from+n]}
}

// at returns a factor as a term.
func (f Factors) at(b *term.Builder, i int) *term.Term {
	if f.Tensor != nil {
		return f.Tensor.element(b, f.From+i)
	}
	return f.Terms[i]
}

// Products names the function that takes x0, y0, x1, y1, ... to the sum of f(x)·f(y) over these pairs, f being a Scalar of one argument
// whose results have a sign: a term of many factors that are all of one function is one term.
func Products(f string) string { return "products of " + f }

// RowProducts names the same of factors, the left ones first, of which those on one side or on both are one argument, a row: its elements as
// one bit-vector, the first one lowest.
func RowProducts(f string) string { return "products of rows of " + f }

// Products returns the sum over i of f(left i)·f(right i), modulo 2^width. It is one term however factors are given: two or more that follow
// each other in a tensor are a row.
func (m *Model) Products(width int, f string, left, right Factors) *term.Term {
	left, right = m.row(left), m.row(right)
	b, n := m.B, left.Len()
	if left.Tensor == nil && right.Tensor == nil || n < 2 {
		pairs := make([]*term.Term, 0, 2*n)
		for i := range n {
			pairs = append(pairs, left.at(b, i), right.at(b, i))
		}
		return b.Apply(term.BitsSort(width), Products(f), pairs...)
	}
	var args []*term.Term
	for _, side := range [...]Factors{left, right} {
		if side.Tensor != nil {
			args = append(args, side.Tensor.row(m, side.From, n))
		} else {
			args = append(args, side.Terms...)
		}
	}
	return b.Apply(term.BitsSort(width), RowProducts(f), args...)
}

// row returns factors as a row, if they are one.
func (m *Model) row(f Factors) Factors {
	if f.Tensor != nil || len(f.Terms) == 0 {
		return f
	}
	first, from, ok := m.ElementOf(f.Terms[0])
	if !ok || from+len(f.Terms) > len(first.reads) {
		return f
	}
	for i, t := range f.Terms {
		if first.reads[from+i] != t {
			return f
		}
	}
	return Factors{Stretch: Stretch{first, from, len(f.Terms)}}
}

// ElementOf returns which element of a tensor a term is, if it is one whose offset is a number.
func (m *Model) ElementOf(t *term.Term) (x *Tensor, flat int, ok bool) {
	if t.Op != term.Read {
		return nil, 0, false
	}
	x = m.tensors[t.Tensor]
	if x == nil || len(x.reads) == 0 || len(t.Index) == 0 {
		return nil, 0, false
	}
	for _, e := range t.Index {
		if _, number := ConstInt(e); !number {
			return nil, 0, false
		}
	}
	flat = x.Offset(t)
	return x, flat, flat >= 0 && flat < len(x.reads) && x.reads[flat] == t
}

// row returns n elements as one term.
func (t *Tensor) row(m *Model, from, n int) *term.Term {
	symbol := t.rows[n]
	if symbol == nil {
		symbol = m.B.Input(fmt.Sprintf("rows of %d of %s", n, t.tensor.Name), nil, term.Sort{Kind: term.Unsigned, Width: n * t.Width})
		if t.rows == nil {
			t.rows = map[int]*term.Tensor{}
		}
		t.rows[n] = symbol
		m.rows[symbol] = t
	}
	return m.B.Read(symbol, constants(m.B.Index, []int{from}))
}

// rowOf returns the row that a term is, or none.
func (m *Model) rowOf(t *term.Term) (r Stretch, ok bool) {
	if t.Op != term.Read || m.rows[t.Tensor] == nil {
		return Stretch{}, false
	}
	x := m.rows[t.Tensor]
	from, _ := ConstInt(t.Index[0])
	return Stretch{x, from, t.Sort.Width / x.Width}, true
}

// StretchOf returns the elements that a term reads by itself: one, or a row.
func (m *Model) StretchOf(t *term.Term) (s Stretch, ok bool) {
	if s, ok = m.rowOf(t); ok {
		return s, true
	}
	x, flat, ok := m.ElementOf(t)
	return Stretch{x, flat, 1}, ok
}

// Terms returns the values of the inputs of a step: those that it has a row for are terms too.
func (s *Step) Terms(m *Model) []*term.Term {
	if s.Row.Tensor == nil {
		return s.Values
	}
	all := append([]*term.Term(nil), s.Values...)
	for i := range s.Row.Count {
		all = append(all, s.Row.Tensor.element(m.B, s.Row.From+i))
	}
	return all
}
