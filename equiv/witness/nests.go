package witness

import (
	"fmt"
	"math/big"
	"slices"

	"tv/internal/languages"
	"tv/proofs"
	checked "tv/proofs/loops"
	"tv/semantics/domain"
	"tv/semantics/loops"
)

// Nests returns the nests of loops that the checker reads in the texts of a statement, as the prover writes nests: with the
// checker's statements, and their reads, in its order. A relation of their instances is one of the instances that the
// checker knows, whatever locals it keeps values in. They say nothing about what the texts mean to the prover.
func Nests(s proofs.Statement) (before, after *loops.Procedure, err error) {
	programs, err := languages.Checker.Programs("certificate", s)
	if err != nil {
		return nil, nil, err
	}
	var out [2]*loops.Procedure
	for i, p := range programs {
		nest, _, ok := checked.Nest(p)
		if !ok {
			return nil, nil, fmt.Errorf("no nest of loops")
		}
		n := &nesting{buffers: map[*checked.Buffer]*loops.Buffer{}, loops: map[*checked.For]*loops.For{}}
		if out[i] = n.procedure(nest); n.failed != "" {
			return nil, nil, fmt.Errorf("%s in a nest of loops", n.failed)
		}
	}
	return out[0], out[1], nil
}

// A nesting is a nest on its way from one form into the other.
type nesting struct {
	buffers map[*checked.Buffer]*loops.Buffer
	loops   map[*checked.For]*loops.For
	out     *loops.Procedure
	failed  string // what the other form has not
}

func (n *nesting) procedure(p *checked.Procedure) *loops.Procedure {
	n.out = &loops.Procedure{File: p.Span.File, Name: p.Span.File.Function, Span: p.Span, Wide: p.Limits.Sizes > 32}
	for _, name := range p.Sizes {
		n.out.Heading = append(n.out.Heading, &loops.Parameter{Size: name, Span: p.Span})
	}
	var returned []*loops.Buffer
	for _, b := range p.Params {
		switch to := n.buffer(b, loops.InOut); {
		case p.Given(b):
			n.out.Heading = append(n.out.Heading, &loops.Parameter{Buffer: to, Span: b.Span})
			n.out.Buffers = append(n.out.Buffers, to)
		default:
			to.Kind = loops.Returned
			returned = append(returned, to)
		}
	}
	n.out.Body = n.block(p.Body)
	n.out.Buffers = append(n.out.Buffers, returned...)
	return n.out
}

// buffer is one of the other form, with a name of its own.
func (n *nesting) buffer(b *checked.Buffer, kind loops.Kind) *loops.Buffer {
	if to := n.buffers[b]; to != nil {
		return to
	}
	to := &loops.Buffer{Name: b.Name, Kind: kind, Elem: b.Elem, Span: b.Span}
	taken := func(other *loops.Buffer) bool { return other.Name == to.Name }
	for i := 2; slices.ContainsFunc(n.out.Buffers, taken); i++ {
		to.Name = fmt.Sprintf("%s.%d", b.Name, i)
	}
	for _, d := range b.Dims {
		to.Dims = append(to.Dims, n.integer(checked.IntOf(d, nil)))
	}
	if n.buffers[b] = to; kind == loops.Local {
		n.out.Buffers = append(n.out.Buffers, to)
	}
	return to
}

func (n *nesting) block(list []checked.Stmt) (out []loops.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *checked.Assign:
			out = append(out, &loops.Assign{To: n.access(s.To), Value: n.element(s.Value), At: s.Span})
		case *checked.For:
			f := &loops.For{Lo: n.integers(s.Lo), Hi: n.integers(s.Hi), Step: n.integer(s.Step), At: s.Span}
			n.loops[s] = f
			f.Name = fmt.Sprintf("i%d", len(n.loops))
			f.Body = n.block(s.Body)
			out = append(out, f)
		case *checked.If:
			out = append(out, &loops.If{Cond: n.condition(s.Cond), Then: n.block(s.Then), Else: n.block(s.Else), At: s.Span})
		case *checked.Require:
			out = append(out, &loops.Require{Cond: n.condition(s.Cond), Obligation: loops.Index, Message: s.Text, At: s.Span})
		case *checked.Alloc:
			if b := n.buffer(s.Buffer, loops.Local); b.Kind == loops.Local {
				out = append(out, &loops.Alloc{Buffer: b, At: s.Span})
			}
		}
	}
	return out
}

func (n *nesting) access(a checked.Access) loops.Access {
	return loops.Access{Buffer: n.buffer(a.Buffer, loops.Local), At: n.integers(a.At), Where: a.Span}
}

func (n *nesting) integers(list []*checked.Int) (out []*loops.Int) {
	for _, x := range list {
		out = append(out, n.integer(x))
	}
	return out
}

func (n *nesting) integer(x *checked.Int) *loops.Int {
	switch x.Op {
	case checked.IntNumber:
		if !x.N.IsInt64() {
			n.failed = "a number that is too large"
			return loops.Num(0)
		}
		return loops.Num(x.N.Int64())
	case checked.IntSize:
		return loops.SizeOf(x.Name)
	case checked.IntCounter:
		return loops.CounterOf(n.loops[x.Loop])
	}
	op := map[checked.IntOp]loops.IntOp{checked.IntAdd: loops.Plus, checked.IntMul: loops.Times,
		checked.IntDiv: loops.FloorDiv, checked.IntMax: loops.Greatest, checked.IntMin: loops.Least}[x.Op]
	args := n.integers(x.Args)
	out := args[0]
	for _, y := range args[1:] {
		out = op.Of(out, y)
	}
	return out
}

func (n *nesting) condition(c *checked.Cond) *loops.Cond {
	op := map[checked.CondOp]loops.CondOp{checked.CondLess: loops.Less, checked.CondLessEqual: loops.LessEqual,
		checked.CondEqual: loops.Equal, checked.CondAll: loops.All, checked.CondAny: loops.Any, checked.CondNot: loops.None}[c.Op]
	out := &loops.Cond{Op: op}
	if c.Op <= checked.CondEqual {
		out.A, out.B = n.integer(c.X), n.integer(c.Y)
	}
	for _, d := range c.Conds {
		out.Conds = append(out.Conds, n.condition(d))
	}
	return out
}

// operations are those of elements that both forms have under some name.
var operations = map[checked.DataOp]loops.Op{
	checked.DataRead: loops.Read, checked.DataLiteral: loops.Literal, checked.DataInt: loops.FromInt,
	checked.DataConvert: loops.Convert, checked.DataNeg: loops.Negate, checked.DataAdd: loops.Add, checked.DataSub: loops.Sub,
	checked.DataMul: loops.Mul, checked.DataDiv: loops.Div, checked.DataMax: loops.Maximum, checked.DataMin: loops.Minimum,
	checked.DataApply: loops.Function, checked.DataChoose: loops.Choice, checked.DataLess: loops.IsLess,
	checked.DataLessEqual: loops.IsLessEqual, checked.DataEqual: loops.IsEqual, checked.DataBoth: loops.BitAnd,
	checked.DataEither: loops.BitOr, checked.DataNot: loops.BitNot, checked.DataBitAnd: loops.BitAnd,
	checked.DataBitOr: loops.BitOr, checked.DataBitXor: loops.BitXor, checked.DataShift: loops.ShiftRight,
	checked.DataQuotient: loops.Div, checked.DataRemainder: loops.Rem,
}

func (n *nesting) element(d *checked.Data) *loops.Expr {
	op, ok := operations[d.Op]
	if !ok {
		n.failed = "an operation on elements"
	}
	out := &loops.Expr{Op: op, Elem: d.Elem, At: d.Span}
	switch d.Op {
	case checked.DataRead:
		out.From = n.access(d.From)
	case checked.DataInt:
		out.Int = n.integer(d.Int)
	case checked.DataApply:
		out.Name = d.Text
	case checked.DataLiteral:
		n.literal(out, d.Text)
	}
	for _, a := range d.Args {
		out.Args = append(out.Args, n.element(a))
	}
	return out
}

// literal is a number, or one of those that only floats have.
func (n *nesting) literal(out *loops.Expr, text string) {
	v, ok := new(big.Rat).SetString(text)
	switch {
	case len(text) > 400:
		n.failed = "a number that is too long"
	case ok && v.Sign() == 0 && text[0] == '-' && out.Elem.Kind == domain.ElemFloat:
		out.Op, out.Name = loops.Special, "-0"
	case ok:
		out.Number = v
	default:
		out.Op, out.Name = loops.Special, text
	}
}
