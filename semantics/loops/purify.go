package loops

import (
	"fmt"
	"slices"

	"tv/semantics/domain"
)

// Plain returns systems without divisions, maxima and minima of unknowns: a quotient is a further unknown, which a division
// by what is above 0 determines, and which of two is the greater is told apart by cases. Their solutions, together, are
// those of s, each in one of them. It fails where a divisor is not known to be above 0.
func (s *System) Plain() ([]*System, bool) {
	atom, ok := s.atom()
	if !ok {
		return []*System{s}, true
	}
	var cases []*System
	args := atom.Operands()
	switch atom.Op() {
	case domain.SizeDiv, domain.SizeMod:
		x := args[0]
		if s.Sign(args[1]) <= 0 {
			return nil, false
		}
		d, coarser := s.finest(x, args[1])
		name := fmt.Sprintf("quotient#%d", s.quotients)
		s.quotients++
		s.Unknowns = append(slices.Clone(s.Unknowns), name) // the innermost: loops further out determine it
		q := domain.NamedSize(name)
		rest := x.Sub(d.Mul(q))
		for _, e := range coarser { // x div (d·g) is (x div d) div g
			by := q.Div(e.Div(d))
			s.swap(x.Div(e), by)
			s.swap(x.Mod(e), x.Sub(e.Mul(by)))
		}
		s.swap(x.Div(d), q) // one quotient for both: they determine each other
		s.swap(x.Mod(d), rest)
		s.Natural = append(s.Natural, rest, d.Sub(rest).Sub(domain.IntSize(1)))
		cases = []*System{s}
	default: // args[i] is the first of the greatest, or of the least
		for i, x := range args {
			c := s.Clone()
			for k, y := range args {
				way := x.Sub(y)
				if atom.Op() == domain.SizeMin {
					way = minus(way)
				}
				if k < i {
					way = way.Sub(domain.IntSize(1))
				}
				if k != i {
					c.Natural = append(c.Natural, way)
				}
			}
			c.swap(atom, x)
			cases = append(cases, c)
		}
	}
	var out []*System
	for _, c := range cases {
		plain, ok := c.Plain()
		if !ok {
			return nil, false
		}
		out = append(out, plain...)
	}
	return out, true
}

// finest returns a divisor of d by which x is divided, the last one that others lead to, or d; and those of which it is a divisor
// in turn: so the digits of a number share quotients.
func (s *System) finest(x, d domain.Size) (finest domain.Size, coarser []domain.Size) {
	var divisors []domain.Size
	var look func(y domain.Size)
	look = func(y domain.Size) {
		args := y.Operands()
		for _, a := range args {
			look(a)
		}
		if (y.Op() == domain.SizeDiv || y.Op() == domain.SizeMod) && args[0].Equal(x) && !slices.ContainsFunc(divisors, args[1].Equal) {
			divisors = append(divisors, args[1])
		}
	}
	for _, list := range [][]domain.Size{s.Zero, s.Natural} {
		for _, y := range list {
			look(y)
		}
	}
	divides := func(f, d domain.Size) bool {
		g := d.Div(f)
		return !one(g) && !one(f) && g.Mul(f).Equal(d) && s.Sign(f) > 0 && s.Sign(g) > 0
	}
	for _, f := range divisors {
		if divides(f, d) {
			d = f
		}
	}
	return d, slices.DeleteFunc(divisors, func(e domain.Size) bool { return !divides(d, e) })
}

// atom returns a division, a maximum or a minimum that holds an unknown and none that does.
func (s *System) atom() (domain.Size, bool) {
	for _, list := range [][]domain.Size{s.Zero, s.Natural} {
		for _, x := range list {
			if a, ok := s.inside(x); ok {
				return a, true
			}
		}
	}
	return domain.Size{}, false
}

func (s *System) inside(x domain.Size) (domain.Size, bool) {
	if x.Polynomial() || !holds(x, s.Unknowns) {
		return domain.Size{}, false
	}
	for _, a := range x.Operands() {
		if found, ok := s.inside(a); ok {
			return found, true
		}
	}
	switch x.Op() {
	case domain.SizeDiv, domain.SizeMod, domain.SizeMax, domain.SizeMin:
		return x, true
	}
	return domain.Size{}, false
}

// swap puts another size in the place of an atom everywhere.
func (s *System) swap(atom, by domain.Size) {
	for _, list := range []*[]domain.Size{&s.Zero, &s.Natural} {
		*list = slices.Clone(*list)
		for i, x := range *list {
			(*list)[i] = exchanged(x, atom, by)
		}
	}
	for name, x := range s.Values {
		s.Values[name] = exchanged(x, atom, by)
	}
}

// exchanged is x with another size in the place of an atom.
func exchanged(x, atom, by domain.Size) domain.Size {
	if x.Equal(atom) {
		return by
	}
	if x.Polynomial() && !atom.Polynomial() {
		return x
	}
	args := x.Operands()
	if len(args) == 0 {
		return x
	}
	combine := map[domain.SizeOp]func(x, y domain.Size) domain.Size{domain.SizeAdd: domain.Size.Add, domain.SizeMul: domain.Size.Mul,
		domain.SizeDiv: domain.Size.Div, domain.SizeMod: domain.Size.Mod, domain.SizeMax: domain.Size.Max,
		domain.SizeMin: domain.Size.Min}[x.Op()]
	out := exchanged(args[0], atom, by)
	for _, a := range args[1:] {
		out = combine(out, exchanged(a, atom, by))
	}
	return out
}
