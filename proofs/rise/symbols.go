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

// A joining is what an element is that an operation with laws joins, in order.
type joining struct {
	by   *symbol
	runs []run
}

// A run is one element; or as many as n, all that the steps of a fold join. What it is told by,
// from a place on, is the sum of a symbol of each of its elements and of where it stands.
type run struct {
	one  *element
	n    *expr
	told func(from *expr) *element
}

// joined is x op y for an operation with laws (of a rule): of an associative one a symbol of
// all that is joined, as op(op(x, y), z) and op(x, op(y, z)) are one, so that it is a function of
// the list of its operands: of how many there are, and which stands where. Of a commutative one it
// is a symbol of the sum of a symbol of each, which says of what it is made and not in which order;
// and a unit is not joined.
func (l *lowering) joined(s *symbol, x, y *element) *element {
	return l.join(s, x.Elem, slices.Concat(l.runs(s, x), l.runs(s, y)))
}

// neutral is the unit of an operation, and nil of one that has none.
func (l *lowering) neutral(s *symbol) *element {
	for _, u := range l.t.p.rule.free {
		if u.of == s {
			return l.unit(u.variable, nil, nil, u.typ.find().elem)
		}
	}
	return nil
}

// runs are what an operation joins in x.
func (l *lowering) runs(s *symbol, x *element) []run {
	if x == l.neutral(s) {
		return nil
	}
	if j := l.joinings[x]; j.by == s && s.associative {
		return j.runs
	}
	return []run{{one: x, n: l.B.Const(1)}}
}

func (l *lowering) join(s *symbol, elem domain.Elem, all []run) *element {
	if len(all) == 0 {
		return l.neutral(s)
	} else if len(all) == 1 && all[0].one != nil {
		return all[0].one
	}
	var ones []*element
	for _, r := range all {
		if r.one != nil {
			ones = append(ones, r.one)
		}
	}
	out := l.spread(ones, func(ones []*element) *element {
		ones = slices.Clone(ones)
		name := fmt.Sprint("free ", s.name, " of ", len(all))
		if s.associative && !s.commutative {
			list := slices.Clone(all)
			for i := range list {
				if list[i].one != nil {
					list[i].one, ones = ones[0], ones[1:]
				}
			}
			n, told := l.tell(s, list, l.B.Const(0))
			return l.Function(elem, "free "+s.name+" of a list", l.Number(domain.Elem{}, n), told)
		}
		if s.commutative {
			for i, x := range ones {
				one := l.Function(domain.Elem{}, name+" one", x)
				if ones[i] = one; i > 0 {
					ones[i] = l.Op2(algebra.OpAdd, ones[i-1], one)
				}
			}
			ones = ones[len(ones)-1:]
		}
		return l.Function(elem, name, ones...)
	})
	l.joinings[out] = joining{s, all}
	return out
}

// numbered is the number that a place in a list has. Nothing is known of it: so lists of which
// elements are told together with it are the same for numbers that differ, too.
func (l *lowering) numbered(place *expr) *element {
	return l.Make(element{Op: algebra.OpRead, E: place, Name: algebra.Derived + "place"})
}

// tell is how many elements runs have, and what they are told by from a place on.
func (l *lowering) tell(s *symbol, runs []run, from *expr) (n *expr, told *element) {
	n = l.B.Const(0)
	for i, r := range runs {
		at, own := l.B.Add(from, n), (*element)(nil)
		if r.one != nil {
			own = l.Function(domain.Elem{}, "free "+s.name+" has", l.numbered(at), r.one)
		} else {
			own = r.told(at)
		}
		if n = l.B.Add(n, r.n); i == 0 {
			told = own
		} else {
			told = l.Op2(algebra.OpAdd, told, own)
		}
	}
	return n, told
}

// function is a symbol of elements: of one that data chooses, that of each that may be chosen.
func (l *lowering) function(elem domain.Elem, name string, args []*element) *element {
	return l.spread(args, func(args []*element) *element {
		return l.freely(elem, name, args)
	})
}

func (l *lowering) spread(args []*element, made func([]*element) *element) *element {
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
			return l.spread(other, made)
		}
		return l.Chosen(a.Args[0], of(1), of(2))
	}
	return made(args)
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
