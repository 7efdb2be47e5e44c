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
		d := args[1]
		if s.Sign(d) <= 0 {
			return nil, false
		}
		if by, ok := s.nested(args[0], d); ok {
			if atom.Op() == domain.SizeMod {
				by = args[0].Sub(d.Mul(by))
			}
			s.swap(atom, by)
			return s.Plain()
		}
		name := fmt.Sprintf("quotient#%d", s.quotients)
		s.quotients++
		s.Unknowns = append(slices.Clone(s.Unknowns), name) // the innermost: loops further out determine it
		q := domain.NamedSize(name)
		rest := args[0].Sub(d.Mul(q))
		s.swap(args[0].Div(d), q) // one quotient for both: they determine each other
		s.swap(args[0].Mod(d), rest)
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

// nested is x div d as (x div f) div (d div f), for an f of which d is a multiple and by which x is divided elsewhere, if there is
// one: so the digits of a number share quotients.
func (s *System) nested(x, d domain.Size) (by domain.Size, ok bool) {
	var look func(y domain.Size)
	look = func(y domain.Size) {
		for _, a := range y.Operands() {
			look(a)
		}
		if ok || y.Op() != domain.SizeDiv && y.Op() != domain.SizeMod || !y.Operands()[0].Equal(x) {
			return
		}
		f := y.Operands()[1]
		if g := d.Div(f); !one(g) && !one(f) && g.Mul(f).Equal(d) && s.Sign(f) > 0 && s.Sign(g) > 0 {
			by, ok = x.Div(f).Div(g), true
		}
	}
	for _, list := range [][]domain.Size{s.Zero, s.Natural} {
		for _, y := range list {
			look(y)
		}
	}
	return by, ok
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
	if !holds(x, s.Unknowns) {
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
