// Package arrays is what lowerings have in common: a [Lowering] makes arrays of terms of the parts of a program, with
// tensors that stand for parts, and remembers them. A language adds what an element of a part is that is no input.
// Nothing here knows numbers of elements (semantics/value), as no lowering does.
//
//	arrays.go  parts, inputs, sizes, sorts
//	terms.go   what terms are made of: cells that are written or not, sums over boxes, differences, literals
package arrays

import (
	"encoding/binary"
	"fmt"
	"slices"

	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/term"
)

// A Program is what a lowering asks of one; the methods are those of semantics.Program.
type Program interface {
	Parts() []semantics.Part
	Sizes() []domain.Size
}

// A Lowering is the work on one program.
type Lowering struct {
	B     *term.Builder
	X     *index.Builder
	opts  semantics.LowerOptions
	parts []semantics.Part
	sizes []domain.Size // of the text
	made  Element
	memo  map[string]*term.Term
	depth int // variables of sums around the element that is asked for
}

// An Element is the element of a part at an index within its dims in a context.
type Element func(part int, ctx *index.Context, at []*index.Expr) *term.Term

// New begins to lower a program. Parts that are leaves are inputs.
func New(p Program, b *term.Builder, o semantics.LowerOptions) *Lowering {
	return &Lowering{B: b, X: b.Index, opts: o, parts: p.Parts(), sizes: p.Sizes(), memo: map[string]*term.Term{}}
}

// Arrays returns the tensors that are asked for. made is an element of a part that is no input; within
// it, elements of other parts are asked with At.
func (l *Lowering) Arrays(made Element) (*semantics.Lowered, error) {
	l.made = made
	sizes, root := l.sizes, l.opts.Part
	for _, p := range l.parts {
		sizes = append(slices.Clip(sizes), p.Dims...)
	}
	for _, s := range sizes { // so that nothing fails when elements are asked for
		if _, err := Size(l.X, l.opts.Size, s); err != nil {
			return nil, err
		}
	}
	if l.opts.Whole {
		root = len(l.parts) - 1
	}
	return &semantics.Lowered{Components: l.components(root, nil)}, nil
}

// components are the tensors of a part.
func (l *Lowering) components(part int, path []int) (out []semantics.LoweredComponent) {
	p := l.parts[part]
	if !p.Tensor {
		for i, of := range p.Operands {
			out = append(out, l.components(of, append(slices.Clip(path), i))...)
		}
		return out
	}
	element := l.At
	if !l.opts.Whole { // what is lowered is what is to be shown: it does not stand for itself
		element = l.part
	}
	return []semantics.LoweredComponent{{Path: path, Array: term.Array{Dims: l.dims(p), Sort: l.Sort(p.Elem),
		Element: func(ctx *index.Context, at []*index.Expr) *term.Term { return element(part, ctx, at) }}}}
}

// At is an element of a part, or of the tensor that stands for it.
func (l *Lowering) At(part int, ctx *index.Context, at []*index.Expr) *term.Term {
	if name, ok := l.opts.Cuts[part]; ok {
		return l.input(name, part, ctx, at, true)
	}
	return l.part(part, ctx, at)
}

// part is an element of a part that does not stand as a tensor.
func (l *Lowering) part(part int, ctx *index.Context, at []*index.Expr) *term.Term {
	if p := l.parts[part]; p.Leaf {
		return l.input(p.Input, part, ctx, at, false)
	}
	// variables are named by the depth at which they are bound: an element is the same at that depth only
	key := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(part)), uint64(ctx.ID()))
	key = binary.AppendUvarint(key, uint64(l.depth))
	for _, e := range at {
		key = binary.AppendUvarint(key, uint64(e.ID()))
	}
	t := l.memo[string(key)]
	if t == nil {
		t = l.made(part, ctx, at)
		l.memo[string(key)] = t
	}
	return t
}

// input is an element of a tensor of the dims of a part, or of other dims that hold as many elements; partial: it may have no
// value.
func (l *Lowering) input(name string, part int, ctx *index.Context, at []*index.Expr, partial bool) *term.Term {
	dims := l.dims(l.parts[part])
	in := slices.Clone(at)
	for i, d := range dims { // where there is one place it is 0
		if n, ok := d.Const(); ok && n.IsOne() {
			in[i] = l.X.Const(0)
		}
	}
	elem := l.parts[part].Elem
	t := l.B.Input(name, dims, l.Sort(elem))
	if t.Partial = t.Partial || partial; !t.Partial && l.opts.Arith == domain.Auto {
		t.Limit = elem.Greatest()
	}
	if l.B.InRows(t.Dims, dims) {
		in = l.B.Reshaped(ctx, in, dims, t.Dims)
	}
	return l.B.Read(t, in)
}

func (l *Lowering) dims(p semantics.Part) (out []*index.Expr) {
	for _, s := range p.Dims {
		out = append(out, l.Size(s))
	}
	return out
}

// Size is a size of the question as an index expression: of one of the text, Env.Size comes first. It is made of dims
// of parts and of what the program gives as Sizes.
func (l *Lowering) Size(s domain.Size) *index.Expr {
	e, err := Size(l.X, l.opts.Size, s)
	if err != nil {
		panic(err) // Arrays has refused it
	}
	return e
}

// SizeAt is Size in a context, where some names stand for other expressions.
func (l *Lowering) SizeAt(ctx *index.Context, s domain.Size, names map[string]*index.Expr) (*index.Expr, error) {
	return sizeAt(l.X, ctx, func(name string) *index.Expr {
		if e, ok := names[name]; ok {
			return e
		}
		return l.opts.Size(name)
	}, s)
}

// Size is a size as an index expression, in which names stand for what named says.
func Size(x *index.Builder, named func(string) *index.Expr, s domain.Size) (*index.Expr, error) {
	return sizeAt(x, x.Root(), named, s)
}

func sizeAt(x *index.Builder, ctx *index.Context, named func(string) *index.Expr, s domain.Size) (*index.Expr, error) {
	op := s.Op()
	switch op {
	case domain.SizeConst:
		n, _ := s.Const()
		return x.Num(index.BigNum(n)), nil
	case domain.SizeName:
		return named(s.Name()), nil
	}
	var e *index.Expr
	for i, o := range s.Operands() {
		y, err := sizeAt(x, ctx, named, o)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			e = y
		} else if e = combined(x, ctx, op, e, y); e == nil {
			n, _ := y.Const()
			return nil, fmt.Errorf("the divisor of size %s is %s", s, n)
		}
	}
	return e, nil
}

// combined is an operation on two sizes, nil where it is a division by a number that is not positive.
func combined(x *index.Builder, ctx *index.Context, op domain.SizeOp, e, y *index.Expr) *index.Expr {
	switch op {
	case domain.SizeAdd:
		return x.Add(e, y)
	case domain.SizeMul:
		return x.Mul(e, y)
	case domain.SizeMax:
		return x.Max(ctx, e, y)
	case domain.SizeMin:
		return x.Min(ctx, e, y)
	}
	if n, ok := y.Const(); ok && n.Sign() <= 0 {
		return nil
	}
	if op == domain.SizeDiv {
		return x.Div(ctx, e, y)
	}
	return x.Mod(ctx, e, y)
}

// Sort is that of elements of a type.
func (l *Lowering) Sort(t domain.Elem) term.Sort { return Sort(l.opts.Arith, t) }

// Sort is that of elements of a type in an arithmetic: real unless the arithmetic has the type bit for bit.
func Sort(a domain.Arith, t domain.Elem) term.Sort {
	if !a.Bits(t) {
		return term.Sort{}
	}
	kinds := [...]term.SortKind{
		domain.ElemFloat: term.Float, domain.ElemInt: term.Signed, domain.ElemUint: term.Unsigned,
		domain.ElemBool: term.Bool, domain.ElemSat: term.Saturate, domain.ElemFix: term.Fixed,
		domain.ElemAdaptive: term.Adaptive,
	}
	return term.Sort{Kind: kinds[t.Kind], Width: t.Width, Frac: t.Frac}
}
