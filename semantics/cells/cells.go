// Package cells is what evaluators have in common: a [Frame] has the parts of a program at a point of its domain, with
// their dims as numbers, and remembers their elements. A language adds what an element of a part is that is no
// input. Nothing here knows terms or index expressions, as no evaluator does.
package cells

import (
	"errors"
	"fmt"
	"math/big"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/value"
)

const maxMemo = 1 << 20 // elements that a frame remembers

// A Program is what a frame asks of one; the methods are those of semantics.Program.
type Program interface {
	Parts() []semantics.Part
	At(part int) source.Span
}

// A Frame is a program at a point. It implements semantics.Evaluator.
type Frame struct {
	program Program
	arith   value.Arith
	env     *domain.Env
	point   domain.Point
	in      value.Inputs
	parts   []part
	made    func(part int, index []int64) value.Value
	sizes   map[domain.Size]int64 // of the text
	memo    map[cell]value.Value
	err     error // the first problem of the preparation
}

type part struct {
	semantics.Part
	value.Arithmetic
	dims  []int64
	given bool   // an input, or what stands for the part
	input string // its name; empty where a leaf is no input of the program: nobody gives it a value
}

type cell struct {
	part   int
	offset int64
}

// New prepares a program under the declarations that it was typed with: no dim may be negative. Parts that are leaves
// are inputs. The language then finds out what else it has to know, calls Fail where the program is ill formed at the
// point, and at last Ready.
func New(p Program, env *domain.Env, a value.Arith, pt domain.Point, in value.Inputs,
	standing semantics.Standing) *Frame {
	f := &Frame{program: p, arith: a, env: env, point: pt, in: in,
		sizes: map[domain.Size]int64{}, memo: map[cell]value.Value{}}
	for i, x := range p.Parts() {
		v, count := part{Part: x, given: x.Leaf, input: x.Input}, big.NewInt(1)
		if name, ok := standing[i]; ok {
			v.given, v.input = true, name
		}
		if x.Tensor {
			v.Arithmetic = value.Of(a, x.Elem)
		}
		for axis, s := range x.Dims {
			n := f.evaluated(p.At(i), s)
			if v.dims = append(v.dims, n); n < 0 {
				f.Fail(p.At(i), "negative-dim", "dim %d of %s is negative: %d", axis, x.Name, n)
			}
			count.Mul(count, big.NewInt(n))
		}
		if count.BitLen() > 62 { // offsets fit in a word
			f.Fail(p.At(i), "too-large", "a tensor of dims %d has 2^62 elements or more", v.dims)
		}
		f.parts = append(f.parts, v)
	}
	return f
}

// Fail says that the program is ill formed. The first problem counts.
func (f *Frame) Fail(span source.Span, code, format string, args ...any) {
	if f.err == nil {
		f.err = source.Errorf(span, code, format, args...)
	}
}

// Ready returns the evaluator. made is an element of a part that is no input, at an index within its dims.
func (f *Frame) Ready(made func(part int, index []int64) value.Value) (semantics.Evaluator, error) {
	f.made = made
	return f, f.err
}

// Size is a size of the text as a number.
func (f *Frame) Size(span source.Span, s domain.Size) int64 {
	n, ok := f.sizes[s]
	if !ok {
		n = f.evaluated(span, f.env.Size(s))
		f.sizes[s] = n
	}
	return n
}

// evaluated is a size of the question as a number.
func (f *Frame) evaluated(span source.Span, s domain.Size) int64 {
	n, err := s.Eval(f.point)
	switch {
	case err != nil:
		f.Fail(span, "unbound-size", "%v", err)
		return 0
	case !n.IsInt64():
		f.Fail(span, "too-large", "the size %s is beyond 2^63", n)
	}
	return n.Int64()
}

// Arithmetic is that of the elements of a part.
func (f *Frame) Arithmetic(part int) value.Arithmetic { return f.parts[part].Arithmetic }

// At is an element of a part.
func (f *Frame) At(part int, index []int64) value.Value {
	v, c := &f.parts[part], cell{part: part}
	for axis, i := range index {
		if i < 0 || i >= v.dims[axis] {
			return value.NoValue(fmt.Errorf("eval: index %d of a tensor of dims %d", index, v.dims))
		}
		c.offset = c.offset*v.dims[axis] + i
	}
	if v.given {
		x := f.in.Element(v.input, c.offset)
		if err := x.Suits(f.arith, v.Elem); err != nil {
			return value.NoValue(fmt.Errorf("%s[offset %d]: %w", v.input, c.offset, err))
		}
		return x
	}
	if x, ok := f.memo[c]; ok {
		return x
	}
	x := f.made(part, index)
	err := x.Err()
	if (errors.Is(err, value.ErrUndefined) || errors.Is(err, value.ErrUndecided)) && !x.Located() {
		x = x.Locate(fmt.Sprintf("element %d at %s", index, f.program.At(part).Position()))
	}
	if len(f.memo) >= maxMemo {
		f.Reset() // what is needed again is computed again
	}
	f.memo[c] = x
	return x
}

// component is the part that a tensor of the result is: tuples are parts of their components.
func (f *Frame) component(path []int) int {
	part := len(f.parts) - 1
	for _, i := range path {
		part = f.parts[part].Operands[i]
	}
	return part
}

// Dims implements semantics.Evaluator.
func (f *Frame) Dims(path []int) []int64 { return f.parts[f.component(path)].dims }

// PartDims implements semantics.Evaluator.
func (f *Frame) PartDims(part int) []int64 { return f.parts[part].dims }

// Element implements semantics.Evaluator.
func (f *Frame) Element(path []int, index []int64) (value.Value, error) {
	return f.PartElement(f.component(path), index)
}

// PartElement implements semantics.Evaluator.
func (f *Frame) PartElement(part int, index []int64) (value.Value, error) {
	if v := f.parts[part]; !v.Tensor || len(index) != len(v.dims) {
		return value.Value{}, fmt.Errorf("eval: index %d of a tuple, or of a tensor of dims %d", index, v.dims)
	}
	x := f.At(part, index)
	return x, x.Err()
}

// Reset implements semantics.Evaluator.
func (f *Frame) Reset() { clear(f.memo) }
