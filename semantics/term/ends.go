package term

import (
	"maps"
	"math/big"
	"slices"
)

// An end of the values of terms: below which there are none, or beyond which.
type end int

// An endKey is a question about the end of a maximum or minimum: terms are graphs, and each is looked at once.
type endKey struct {
	end end
	of  *Term
}

const (
	least    end = -1
	greatest end = 1
)

// settles reports whether a literal c counts for nothing beside t in a maximum (least) or a minimum (greatest), as no value
// of t is beyond it. What may be MIN has no end.
func (b *Builder) settles(e end, c, t *Term) bool {
	value := literal(c)
	if value == nil {
		return false
	}
	at := b.endOf(e, t)
	if at == nil || value.Cmp(at) != 0 && value.Cmp(at) != int(e) {
		return false
	}
	b.limitedBy(e, t)
	return true
}

// limitedBy notes the tensors of which the ends of a term are, where a maximum or minimum rests on them.
func (b *Builder) limitedBy(e end, t *Term) {
	key := endKey{e, t}
	if b.noted[key] {
		return
	}
	b.noted[key] = true
	switch {
	case t.Op == Read && t.Sort.Kind == Real && t.Tensor.Limit != nil:
		b.limited[t.Tensor.Name] = true
	case t.Op == Neg:
		b.limitedBy(-e, t.Args[0])
	case t.Op == Reduce || t.Op == Max || t.Op == Min:
		for _, a := range t.Args {
			b.limitedBy(e, a)
		}
	}
}

// Limited lists the tensors, by name, of which terms that were built take it for granted that they hold finite numbers of
// their type (doc/semantics.md 6a.5).
func (b *Builder) Limited() []string { return slices.Sorted(maps.Keys(b.limited)) }

// literal is the number that a term is, nil where it is none: a conversion of what is beyond the type has no value.
func literal(c *Term) *big.Rat {
	switch {
	case c.Op == Const:
		return c.Value
	case c.Op == Convert && c.Sort.Kind == Signed && c.Args[0].Op == Const:
		n := c.Args[0].Value
		if n == nil || !n.IsInt() || n.Cmp(endOfSigned(least, c.Sort)) < 0 || n.Cmp(endOfSigned(greatest, c.Sort)) > 0 {
			return nil
		}
		return n
	case c.Op == Neg && c.Sort.Kind == Real && c.Args[0].Op == Const && c.Args[0].Value != nil:
		return new(big.Rat).Neg(c.Args[0].Value)
	}
	return nil
}

// endOf is a number that t is surely not beyond, nil where none is known: the end of a signed type, or of the numbers that a
// tensor holds.
func (b *Builder) endOf(e end, t *Term) *big.Rat {
	switch {
	case t.lowest:
		return nil
	case t.Sort.Kind == Signed:
		return endOfSigned(e, t.Sort)
	case t.Sort.Kind != Real:
		return nil
	}
	switch t.Op {
	case Read:
		if limit := t.Tensor.Limit; limit != nil {
			return new(big.Rat).Mul(limit, big.NewRat(int64(e), 1))
		}
	case Neg:
		if at := b.endOf(-e, t.Args[0]); at != nil {
			return new(big.Rat).Neg(at)
		}
	case Reduce:
		if t.Fold == Maximum {
			return b.endOf(e, t.Args[0])
		}
	case Max, Min:
		key := endKey{e, t}
		at, known := b.ends[key]
		if !known {
			at = b.endOfTwo(e, t)
			b.ends[key] = at
		}
		return at
	}
	return nil
}

// endOfSigned is the least or the greatest number of a signed type.
func endOfSigned(e end, s Sort) *big.Rat {
	n := new(big.Int).Lsh(big.NewInt(1), uint(s.Width-1))
	if e == least {
		return new(big.Rat).SetInt(n.Neg(n))
	}
	return new(big.Rat).SetInt(n.Sub(n, big.NewInt(1)))
}

// endOfTwo is endOf for a maximum or minimum: either operand keeps a maximum from being less, both keep it from being more.
func (b *Builder) endOfTwo(e end, t *Term) *big.Rat {
	x, y := b.endOf(e, t.Args[0]), b.endOf(e, t.Args[1])
	one := (t.Op == Max) == (e == least)
	switch {
	case one && x == nil:
		return y
	case one && y == nil:
		return x
	case x == nil || y == nil:
		return nil
	case (x.Cmp(y) > 0) == (t.Op == Max):
		return x
	}
	return y
}
