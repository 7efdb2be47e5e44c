package normal

import (
	"math/big"

	"tv/semantics/index"
	"tv/semantics/term"
)

// Enumerate compares two arrays of numeric dims element by element, with every sum and maximum over a range of
// numbers written out: slower than Compare and more patient. It gives up where the arrays have more than limit
// elements. Definedness is compared element by element too.
func (e *Engine) Enumerate(ctx *index.Context, dims []*index.Expr, limit int, x, y term.Array) (c Comparison) {
	defer func() {
		if r := recover(); r != nil {
			s, ok := r.(stop)
			if !ok {
				panic(r)
			}
			c = Comparison{Err: s.err}
		}
	}()
	e.unroll = true
	defer func() { e.unroll = false }()
	ends := make([]int64, len(dims))
	total := int64(1)
	for i, d := range dims {
		n, ok := d.Const()
		m, small := n.Int64()
		if !ok || !small || m > int64(limit) || total*max(m, 1) > int64(limit) {
			return Comparison{Err: ErrBudget}
		}
		ends[i] = m
		total *= m
	}
	if total == 0 {
		return Comparison{Equal: true}
	}
	at := make([]*index.Expr, len(dims))
	position := make([]int64, len(dims))
	for more := true; more; more = index.Next(position, ends) {
		for i, p := range position {
			at[i] = e.b.Const(p)
		}
		if c := e.element(ctx, append([]*index.Expr(nil), at...), x, y); !c.Equal {
			c.At = append([]int64(nil), position...)
			return c
		}
	}
	return Comparison{Equal: true}
}

// element compares the arrays at one index.
func (e *Engine) element(ctx *index.Context, at []*index.Expr, x, y term.Array) Comparison {
	s, t := x.Element(ctx, at), y.Element(ctx, at)
	d := append(sum(nil), e.normal(ctx, s)...)
	minus := big.NewRat(-1, 1)
	for _, m := range e.normal(ctx, t) {
		n := *m
		n.coef = new(big.Rat).Mul(minus, m.coef)
		d = append(d, &n)
	}
	diff := e.closeSum(ctx, d)
	if len(diff.parts) > 0 && !(e.real(e.scope(x.Sort)) && e.clear(ctx, diff)) {
		return Comparison{Left: []string{printed(maxLeft, func(p *printer) { p.poly(diff) })}}
	}
	have := e.obligationsOf(ctx, s)
	if left := e.discharged(ctx, have, e.obligationsOf(ctx, t)); len(left) > 0 {
		return Comparison{Left: left}
	}
	return Comparison{Equal: true}
}

func (e *Engine) obligationsOf(ctx *index.Context, t *term.Term) *Obligations {
	o := newObligations()
	e.collect(o, map[visit]bool{}, ctx, nil, nil, t)
	return o
}

// written replaces each variable by every number of its range, the last fastest, and returns the results in that
// order. ok is false where a range is not of numbers.
func (e *Engine) written(ctx *index.Context, body sum, vars []*index.Atom) (out []sum, ok bool) {
	out = []sum{body}
	for _, v := range vars {
		lo, okLo := v.Lo.Const()
		hi, okHi := v.Hi.Const()
		n, small := hi.Sub(lo).Int64()
		if !okLo || !okHi || !small {
			return nil, false
		}
		var next []sum
		for _, b := range out {
			for i := range max(n, 0) {
				e.spend(1 + len(b))
				next = append(next, e.substSum(ctx, b, map[*index.Atom]*index.Expr{v: e.b.Num(lo.Add(index.Int(i)))}))
			}
		}
		out = next
	}
	return out, true
}
