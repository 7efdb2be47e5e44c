package loops

import (
	"math/big"
	"slices"

	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// tally is the type of sums of what is counted (law 12): real numbers, in which nothing is lost.
var tally = domain.Elem{Kind: domain.ElemFloat, Width: 64}

// count puts in front of statements what counts the operations that they execute and that may end
// the call (law 12).
func (p *Procedure) count() {
	p.ends = &Buffer{Name: "ends", Elem: tally, Span: p.Span}
	n := &counter{p: p}
	body := n.block(p.Body)
	if !n.some {
		p.ends = nil
		return
	}
	zero := &Data{Op: DataLiteral, Elem: tally, Text: "0", Span: p.Span}
	first := []Stmt{&Alloc{Buffer: p.ends, Span: p.Span},
		&Assign{To: Access{Buffer: p.ends, Span: p.Span}, Value: zero, tally: true, Span: p.Span}}
	p.Body = append(first, body...)
}

type counter struct {
	p    *Procedure
	some bool
}

func (n *counter) block(list []Stmt) (out []Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *Assign:
			if s.tally { // of another reading of the same text
				continue
			}
			under := make([]guard, len(s.Under))
			for i, c := range s.Under {
				under[i].cond = c
			}
			n.data(s, s.Value, under, &out)
		case *For:
			s.Body = n.block(s.Body)
		case *If:
			s.Then, s.Else = n.block(s.Then), n.block(s.Else)
		}
		out = append(out, s)
	}
	return out
}

// A guard is a condition on elements, or that it does not hold.
type guard struct {
	cond *Data
	not  bool
}

// data counts what s executes where d is computed, under conditions.
func (n *counter) data(s *Assign, d *Data, under []guard, out *[]Stmt) {
	for k, a := range d.Args {
		in := under
		switch {
		case k > 0 && d.Op == DataChoose:
			in = append(slices.Clip(under), guard{d.Args[0], k == 2})
		case k > 0 && (d.Op == DataBoth || d.Op == DataEither):
			in = append(slices.Clip(under), guard{d.Args[0], d.Op == DataEither})
		}
		n.data(s, a, in, out)
	}
	one := n.p.ending(d)
	if one == nil {
		return
	}
	if n.some = true; s.Guarded && !s.Known {
		unsupported("what may end the call is executed under conditions that are not known")
	}
	for _, g := range slices.Backward(under) {
		c := g.cond
		if g.not {
			c = &Data{Op: DataNot, Elem: algebra.Truth, Args: []*Data{c}, Span: d.Span}
		}
		zero := &Data{Op: DataLiteral, Elem: tally, Text: "0", Span: d.Span}
		one = &Data{Op: DataChoose, Elem: tally, Args: []*Data{c, one, zero}, Span: d.Span}
	}
	to := Access{Buffer: n.p.ends, Span: d.Span}
	old := &Data{Op: DataRead, Elem: tally, From: to, Span: d.Span}
	sum := &Data{Op: DataAdd, Elem: tally, Args: []*Data{old, one}, Span: d.Span}
	*out = append(*out, &Assign{To: to, Value: sum, Guarded: s.Guarded, tally: true, Span: d.Span})
}

// ending is a function of what decides whether an operation ends the call: of a divisor, and of the
// dividend where the least one by -1 does; of what is shifted by; of the operands of what is
// Checked, in both orders where that is one sum or product.
func (p *Procedure) ending(d *Data) *Data {
	out := &Data{Op: DataEnds, Elem: tally, Span: d.Span}
	what := map[DataOp]string{DataNeg: "negation", DataAdd: "sum", DataSub: "difference",
		DataMul: "product"}[d.Op]
	switch d.Op {
	case DataNeg, DataAdd, DataSub, DataMul:
		if !d.Checked {
			return nil
		}
		out.Text, out.Args = "a "+what+" of "+d.Elem.String()+" beyond it", d.Args
		if d.Op == DataAdd || d.Op == DataMul {
			back := &Data{Op: DataEnds, Elem: tally, Text: out.Text, Span: d.Span,
				Args: []*Data{d.Args[1], d.Args[0]}}
			return &Data{Op: DataAdd, Elem: tally, Args: []*Data{out, back}, Span: d.Span}
		}
	case DataQuotient, DataRemainder:
		if p.above0(d.Args[1]) {
			return nil
		}
		out.Text, out.Args = "a division of "+d.Elem.String(), d.Args
		if d.Elem.Kind == domain.ElemUint {
			out.Args = d.Args[1:]
		}
	case DataShift, DataShiftLeft:
		if d.Args[1].below(int64(d.Elem.Width)) {
			return nil
		}
		out.Text, out.Args = "a shift of "+d.Elem.String(), d.Args[1:]
	default:
		return nil
	}
	return out
}

// below reports whether an integer is surely one of 0 ... n-1, for an n of 64 at most: a literal,
// x & m for such an m, a counter, or a sum of counters and numbers.
func (d *Data) below(n int64) bool {
	for d.Op == DataConvert && integer(d.Args[0].Elem) && d.Elem.Width > 7 {
		d = d.Args[0]
	}
	if d.Elem.Width < 8 { // what is below 64 keeps its value in others
		return false
	}
	switch d.Op {
	case DataBitAnd:
		return slices.ContainsFunc(d.Args, func(a *Data) bool {
			return a.Op == DataLiteral && a.below(n)
		})
	case DataInt:
		least, most := d.Int.span()
		return least != nil && least.Sign() >= 0 && most.Cmp(big.NewInt(n)) < 0
	}
	v, ok := d.literal()
	return ok && v.IsInt() && v.Sign() >= 0 && v.Cmp(big.NewRat(n, 1)) < 0
}

// span returns numbers that x is between, them included; nil where none are known.
func (x *Int) span() (least, most *big.Int) {
	switch x.Op {
	case IntNumber:
		return x.N, x.N
	case IntCounter:
		return x.Loop.span()
	case IntAdd, IntMul:
		least, most = x.Args[0].span()
		for _, a := range x.Args[1:] {
			lo, hi := a.span()
			if least == nil || lo == nil {
				return nil, nil
			}
			corners := []*big.Int{new(big.Int).Add(least, lo), new(big.Int).Add(most, hi)}
			if x.Op == IntMul {
				corners = nil
				for _, p := range []*big.Int{least, most} {
					for _, q := range []*big.Int{lo, hi} {
						corners = append(corners, new(big.Int).Mul(p, q))
					}
				}
			}
			least = slices.MinFunc(corners, (*big.Int).Cmp)
			most = slices.MaxFunc(corners, (*big.Int).Cmp)
		}
		return least, most
	}
	return nil, nil
}

// span is that of a counter in its loop: it is at least each of Lo and below each of Hi, or, where
// it goes down, at most each of Lo and above each of Hi.
func (f *For) span() (least, most *big.Int) {
	first := func(list []*Int) *big.Int {
		for _, x := range list {
			if x.Op == IntNumber {
				return x.N
			}
		}
		return nil
	}
	from, to, one := first(f.Lo), first(f.Hi), big.NewInt(1)
	switch {
	case from == nil || to == nil || f.Step.Op != IntNumber || f.Step.N.Sign() == 0:
		return nil, nil
	case f.Step.N.Sign() < 0:
		return new(big.Int).Add(to, one), from
	}
	return from, new(big.Int).Sub(to, one)
}

// above0 reports whether a divisor is a literal above 0, or a size in a type that has all sizes
// within the limits of the text.
func (p *Procedure) above0(d *Data) bool {
	for d.Op == DataConvert && integer(d.Args[0].Elem) && d.Elem.Width >= d.Args[0].Elem.Width {
		d = d.Args[0]
	}
	v, number := d.literal()
	most := p.MostOf()
	return number && v.Sign() > 0 || d.Op == DataInt && d.Int.Op == IntSize &&
		integer(d.Elem) && most != nil && most.BitLen() < d.Elem.Width
}

// ended is an element of what a call leaves that counts what may end it: a function of both.
func (t *trace) ended(v *scalar, p *Procedure, c *context) *scalar {
	if p.ends == nil || v == t.never {
		return v
	}
	all := t.back(&cell{of: p.ends}, &place{block: p.Body, index: len(p.Body)}, false, c)
	return t.Function(v.Elem, "ended", v, all)
}

// counted refuses a procedure that counts what may end the call where none of its results has an
// element, an integer, at all sizes.
func (t *typing) counted() {
	if t.p.ends == nil {
		return
	}
	for _, step := range t.Steps {
		q := t.p.Params[step]
		some := integer(q.Elem)
		for _, d := range q.Dims {
			some = some && t.bound.Nonneg(t.Env.Size(d).Sub(size1))
		}
		if some {
			return
		}
	}
	unsupported("data may end a call that leaves no integer at all sizes")
}
