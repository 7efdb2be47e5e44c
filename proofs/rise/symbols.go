package rise

import (
	"fmt"
	"slices"

	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// symbol is the value of a function of a rule, or of the unit of one.
func (l *lowering) symbol(v *variable) *value {
	free := l.t.p.rule.free
	s := free[slices.IndexFunc(free, func(s *symbol) bool { return s.variable == v })]
	elem := func(s *symbol) domain.Elem { return l.Elem(s.typ.part(0).elem) }
	switch {
	case s.is != nil:
		return l.pattern(s.is, nil)
	case s.of != nil && s.of.sum && algebra.IsReal(elem(s.of)):
		return l.scalar(func(*context) *element { return l.Int(elem(s.of), 0) })
	case s.of != nil:
		return l.tensor(v.typ, nil, nil,
			func(_ *context, path []int, at []*expr, elem domain.Elem) *element {
				return l.unit(v, path, at, elem)
			})
	case s.sum && algebra.IsReal(elem(s)):
		return &value{apply: func(x *value) *value {
			return &value{apply: func(y *value) *value {
				return l.scalar(func(c *context) *element {
					return l.Op2(algebra.OpAdd, x.scalar(c), y.scalar(c))
				})
			}}
		}}
	}
	if s.associative || s.commutative || s.unital {
		return &value{apply: func(x *value) *value {
			return &value{apply: func(y *value) *value {
				return l.scalar(func(c *context) *element {
					return l.joined(s, x.scalar(c), y.scalar(c))
				})
			}}
		}}
	}
	return l.applied("free "+v.name, v.typ, nil)
}

// A joining is what an element is that an associative operation joins.
type joining struct {
	by *symbol
	of []*element
}

// joined is x op y for an operation with laws (of a rule): of an associative one a symbol of
// all that is joined, as op(op(x, y), z) and op(x, op(y, z)) are one; of a commutative one a symbol
// of the sum of a symbol of each, which says of what it is made and not in which order; and a unit
// is not joined.
func (l *lowering) joined(s *symbol, x, y *element) *element {
	parts := func(z *element) []*element {
		for _, u := range l.t.p.rule.free {
			if u.of == s && z == l.unit(u.variable, nil, nil, u.typ.find().elem) {
				return nil
			}
		}
		if j := l.joinings[z]; j.by == s && s.associative {
			return j.of
		}
		return []*element{z}
	}
	all := slices.Concat(parts(x), parts(y))
	switch len(all) {
	case 0:
		return x
	case 1:
		return all[0]
	}
	name, args := fmt.Sprint("free ", s.name, " of ", len(all)), all
	if s.commutative {
		one := func(z *element) *element { return l.Function(domain.Elem{}, name+" one", z) }
		sum := one(all[0])
		for _, z := range all[1:] {
			sum = l.Op2(algebra.OpAdd, sum, one(z))
		}
		args = []*element{sum}
	}
	out := l.function(x.Elem, name, args)
	l.joinings[out] = joining{s, all}
	return out
}

// function is a symbol of elements: of one that data chooses, that of each that may be chosen.
func (l *lowering) function(elem domain.Elem, name string, args []*element) *element {
	for _, a := range args {
		if a.Op != algebra.OpFunction || a.Name != algebra.Chosen {
			continue
		}
		of := func(k int) *element {
			other := slices.Clone(args)
			for i, b := range args {
				if b.Op == a.Op && b.Name == a.Name && b.Args[0] == a.Args[0] {
					other[i] = b.Args[k]
				}
			}
			return l.function(elem, name, other)
		}
		return l.Chosen(a.Args[0], of(1), of(2))
	}
	return l.Function(elem, name, args...)
}

// unit is the unit of a function of a rule.
func (l *lowering) unit(v *variable, path []int, at []*expr, elem domain.Elem) *element {
	return l.Read(unnamed("unit", v.name, path, at), nil, nil, elem, false)
}

// unnamed names a tensor of one element, which no text can name: by the way to it.
func unnamed(kind, name string, path []int, at []*expr) string {
	var ids []int
	for _, e := range at {
		ids = append(ids, e.ID)
	}
	return fmt.Sprint(algebra.Derived, kind, " ", name, " ", path, ids)
}

// applied is a function of which nothing is known, of the values that it is applied to and wants:
// one of all numbers that those are made of, for each component of what it returns.
func (l *lowering) applied(name string, t *typ, have []func(*context) []*element) *value {
	if t = t.find(); t.kind == function {
		return &value{apply: func(x *value) *value {
			parts := func(c *context) []*element {
				return l.encoded(c, fmt.Sprint(name, " ", len(have)), t.part(0), x)
			}
			return l.applied(name, t.parts[1], append(slices.Clip(have), parts))
		}}
	}
	read := func(c *context, path []int, at []*expr, elem domain.Elem) *element {
		var args []*element
		for _, parts := range have {
			args = append(args, parts(c)...)
		}
		for _, i := range at {
			args = append(args, l.Number(domain.Elem{}, i))
		}
		return l.function(l.Elem(elem), fmt.Sprint(name, path), args)
	}
	return l.tensor(t, nil, nil, read)
}

// encoded are numbers that say what a value is: an array is the sum over its places of a symbol of
// the place and of what stands there. Only of equal arrays is that the same for all symbols.
func (l *lowering) encoded(c *context, name string, t *typ, v *value) (out []*element) {
	switch t.kind {
	case scalar:
		return []*element{v.scalar(c)}
	case natural:
		return []*element{l.Number(domain.Elem{}, v.place(c))}
	case pair:
		for i := range v.parts {
			out = append(out, l.encoded(c, fmt.Sprint(name, ".", i), t.part(i), v.parts[i])...)
		}
		return out
	case array:
		return []*element{l.listing(name, l.Place(t.size), func(i *expr) []*element {
			return l.encoded(c, name+" of", t.part(0), v.at(c, i))
		})}
	}
	algebra.Fail(algebra.CodeUnsupported, "a free function of functions")
	return nil
}

// listing says what stands at the places of a list.
func (l *lowering) listing(name string, n *expr, at func(i *expr) []*element) *element {
	return l.Reduce(algebra.FoldSum, domain.Elem{}, []*expr{n}, func(in []*expr) *element {
		args := append([]*element{l.Number(domain.Elem{}, in[0])}, at(in[0])...)
		return l.Function(domain.Elem{}, name, args...)
	})
}
