package comprehension

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"

	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/term"
)

// A lowering makes terms of the elements of parts. Parts are versions of parameters: what a parameter holds before the
// call, and after each statement that writes it.
type lowering struct {
	*Typed
	b     *term.Builder
	x     *index.Builder
	opts  semantics.LowerOptions
	memo  map[string]*term.Term
	depth int // variables of sums around the element that is asked for
}

// Lower implements semantics.Program.
func (t *Typed) Lower(b *term.Builder, o semantics.LowerOptions) (*semantics.Lowered, error) {
	l := &lowering{Typed: t, b: b, x: b.Index, opts: o, memo: map[string]*term.Term{}}
	parts, out := []int{o.Part}, &semantics.Lowered{}
	if o.Whole {
		parts = t.resultParts()
	}
	for i, p := range parts {
		dims, err := l.dims(t.Parts()[p].Dims)
		if err != nil {
			return nil, err
		}
		c := semantics.LoweredComponent{Array: term.Array{Dims: dims, Sort: l.sort(t.Parts()[p].Elem)}}
		if len(parts) > 1 {
			c.Path = []int{i}
		}
		c.Array.Element = func(ctx *index.Context, at []*index.Expr) *term.Term {
			if !o.Whole { // what is lowered is what is to be shown: it does not stand for itself
				return l.version(p, ctx, at)
			}
			return l.element(p, ctx, at)
		}
		out.Components = append(out.Components, c)
	}
	return out, nil
}

func (l *lowering) sort(t domain.Elem) term.Sort {
	if !l.opts.Arith.Bits(t) {
		return term.Sort{}
	}
	kinds := map[domain.ElemKind]term.SortKind{domain.ElemFloat: term.Float, domain.ElemInt: term.Signed,
		domain.ElemUint: term.Unsigned, domain.ElemBool: term.Bool, domain.ElemSat: term.Saturate,
		domain.ElemFix: term.Fixed, domain.ElemAdaptive: term.Adaptive}
	return term.Sort{Kind: kinds[t.Kind], Width: t.Width, Frac: t.Frac}
}

// dims translates the sizes of a question. Dims are made of sums and products, of a question's sizes by anything.
func (l *lowering) dims(list []domain.Size) (out []*index.Expr, err error) {
	for _, s := range list {
		e, err := l.expr(s)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

func (l *lowering) expr(s domain.Size) (*index.Expr, error) {
	op := s.Op()
	switch op {
	case domain.SizeConst:
		n, _ := s.Const()
		return l.x.Num(index.BigNum(n)), nil
	case domain.SizeName:
		return l.opts.Size(s.Name()), nil
	}
	operands, err := l.dims(s.Operands())
	if err != nil {
		return nil, err
	}
	e, root := operands[0], l.x.Root()
	for _, y := range operands[1:] {
		switch op {
		case domain.SizeAdd:
			e = l.x.Add(e, y)
		case domain.SizeMul:
			e = l.x.Mul(e, y)
		case domain.SizeMax:
			e = l.x.Max(root, e, y)
		case domain.SizeMin:
			e = l.x.Min(root, e, y)
		default:
			if n, ok := y.Const(); ok && n.Sign() <= 0 {
				return nil, fmt.Errorf("the divisor of size %s is %s", s, n)
			}
			if op == domain.SizeDiv {
				e = l.x.Div(root, e, y)
			} else {
				e = l.x.Mod(root, e, y)
			}
		}
	}
	return e, nil
}

// size translates a size of the text, which has no quotients of its own.
func (l *lowering) size(s domain.Size) *index.Expr {
	e, err := l.expr(l.Typed.size(s))
	if err != nil { // of a dim of BEFORE, which its own lowering has refused
		panic(err)
	}
	return e
}

// element is an element of a part at an index within its dims, or of the tensor that stands for it.
func (l *lowering) element(part int, ctx *index.Context, at []*index.Expr) *term.Term {
	if name, ok := l.opts.Cuts[part]; ok {
		return l.input(name, l.Parts()[part], at, true)
	}
	return l.version(part, ctx, at)
}

func (l *lowering) input(name string, p semantics.Part, at []*index.Expr, partial bool) *term.Term {
	dims, _ := l.dims(p.Dims)
	in := slices.Clone(at)
	for i, d := range dims { // where there is one place it is 0
		if n, ok := d.Const(); ok && n.IsOne() {
			in[i] = l.x.Const(0)
		}
	}
	t := l.b.Input(name, dims, l.sort(p.Elem))
	t.Partial = t.Partial || partial
	return l.b.Read(t, in)
}

// version is the element of a part that does not stand as a tensor.
func (l *lowering) version(part int, ctx *index.Context, at []*index.Expr) *term.Term {
	if part < len(l.Params) {
		q := l.Params[part]
		return l.input(l.tensor(q).Name, l.Parts()[part], at, false)
	}
	key := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(part)), uint64(ctx.ID()))
	key = binary.AppendUvarint(key, uint64(l.depth))
	for _, e := range at {
		key = binary.AppendUvarint(key, uint64(e.ID()))
	}
	t := l.memo[string(key)]
	if t == nil {
		t = l.written(part-len(l.Params), ctx, at)
		l.memo[string(key)] = t
	}
	return t
}

// written is what a cell holds after a statement: outside the ranges of the free indices what it held before.
func (l *lowering) written(k int, ctx *index.Context, at []*index.Expr) *term.Term {
	s := l.Statements[k]
	before := func(ctx *index.Context) *term.Term { return l.element(l.before(k, s.Target), ctx, at) }
	var conds []*index.Expr
	values := map[*Index]*index.Expr{}
	for i, f := range s.Free {
		values[f] = at[i]
		if !f.Lo.Equal(domain.IntSize(0)) {
			conds = append(conds, l.x.Sub(at[i], l.size(f.Lo)))
		}
		if !f.Hi.Equal(s.Target.Dims[i]) {
			conds = append(conds, l.x.AddInt(l.x.Sub(l.size(f.Hi), at[i]), -1))
		}
	}
	return l.where(ctx, conds, before, func(ctx *index.Context) *term.Term {
		switch s.Op {
		case "=":
			return l.value(k, s.Value, ctx, values)
		case "+=":
			return l.b.Add(before(ctx), l.sum(k, ctx, values))
		}
		return l.sum(k, ctx, values)
	})
}

// where is inside where all conds are at least 0, else outside, each asked where it is needed.
func (l *lowering) where(ctx *index.Context, conds []*index.Expr, outside, inside func(*index.Context) *term.Term) *term.Term {
	if len(conds) == 0 {
		return inside(ctx)
	}
	c := conds[0]
	switch l.x.Decide(ctx, c) {
	case index.True:
		return l.where(ctx, conds[1:], outside, inside)
	case index.False:
		return outside(ctx)
	}
	not := l.x.AddInt(l.x.Scale(index.Int(-1), c), -1)
	return l.b.If(c, l.where(l.x.Assume(ctx, c), conds[1:], outside, inside), outside(l.x.Assume(ctx, not)))
}

// sum adds the values over the summed indices: each is Lo and a variable that counts from 0.
func (l *lowering) sum(k int, ctx *index.Context, values map[*Index]*index.Expr) *term.Term {
	s, depth := l.Statements[k], l.depth
	defer func() { l.depth = depth }()
	var vars []*index.Atom
	for _, i := range s.Summed {
		lo := l.size(i.Lo)
		places := l.x.Sub(l.size(i.Hi), lo)
		if !l.x.Nonneg(l.x.Root(), places) {
			places = l.x.Max(l.x.Root(), places, l.x.Const(0))
		}
		switch n, ok := places.Const(); {
		case ok && n.Sign() == 0:
			return l.b.Int(l.sort(s.Target.Elem), 0)
		case ok && n.IsOne():
			values[i] = lo
		default:
			v := l.b.Bound(l.depth, places)
			l.depth++
			vars, values[i] = append(vars, v), l.x.Add(lo, v.Expr())
		}
	}
	return l.b.Reduce(term.Sum, vars, l.value(k, s.Value, ctx, values))
}

// value is an expression of statement k.
func (l *lowering) value(k int, e *Expr, ctx *index.Context, values map[*Index]*index.Expr) *term.Term {
	var args []*term.Term
	for _, a := range e.Args {
		args = append(args, l.value(k, a, ctx, values))
	}
	switch e.Op {
	case '+':
		return l.b.Add(args[0], args[1])
	case '-':
		if args[0].Sort.Kind == term.Saturate { // x + (-y) is not x - y there
			return l.b.Apply(args[0].Sort, "subtract", args...)
		}
		return l.b.Sub(args[0], args[1])
	case '*':
		return l.b.Mul(args[0], args[1])
	case '~':
		return l.b.Neg(args[0])
	case '#':
		return l.number(e.Number, l.sort(l.Statements[k].Target.Elem))
	}
	at := make([]*index.Expr, len(e.At))
	for i, s := range e.At {
		at[i] = l.size(s.Rest)
		for _, t := range s.Terms {
			at[i] = l.x.Add(at[i], l.x.Scale(index.Int(t.Factor), values[t.Index]))
		}
	}
	return l.element(l.before(k, e.Tensor), ctx, at)
}

// number is a literal. Small integers are in every sort that has enough bits; what is not goes through a conversion.
func (l *lowering) number(text string, s term.Sort) *term.Term {
	v, _ := new(big.Rat).SetString(text)
	bits := min(s.Width-s.Frac-1, 10)
	if s.Kind == term.Real || s.Kind != term.Adaptive && v.IsInt() && v.Num().BitLen() <= bits {
		return l.b.Const(s, v)
	}
	return l.b.Convert(s, l.b.Const(term.Sort{}, v))
}
