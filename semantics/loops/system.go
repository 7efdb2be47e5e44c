package loops

import (
	"slices"

	"tv/semantics/domain"
)

// A System is a conjunction of conditions in integers that are not known, and in others that are: sizes, counters of loops
// further out, the index of a cell. All are names. Solving is exact: it says where there is a solution, and only there.
type System struct {
	Unknowns []string               // of loops, outermost first
	Zero     []domain.Size          // that are 0
	Natural  []domain.Size          // that are at least 0
	Known    []domain.Size          // that are at least 0 and hold no unknown: the conditions under which there is a solution
	Values   map[string]domain.Size // of unknowns that were eliminated, in terms of the others
	Sign     func(domain.Size) int  // of a coefficient: 1 or -1 where it is known to be above or below 0, else 0

	// Fractions are solutions too.
	Fractions bool
	// Wide tells that unknowns were left out in a way that may have added solutions: that there is none is exact still.
	Wide bool

	quotients int // names of unknowns that Plain has made
}

// Linear splits x into factor·name + rest, where name occurs in neither. It fails where x is not linear in it.
func Linear(x domain.Size, name string) (factor, rest domain.Size, ok bool) {
	if factor, rest, ok = x.Linear(name); ok {
		return factor, rest, true
	}
	at := func(n int64) domain.Size { return x.Subst(map[string]domain.Size{name: domain.IntSize(n)}) }
	rest = at(0)
	factor = at(1).Sub(rest)
	return factor, rest, x.Equal(factor.Mul(domain.NamedSize(name)).Add(rest))
}

// holds tells whether x has one of some names.
func holds(x domain.Size, names []string) bool {
	return slices.ContainsFunc(names, x.Has)
}

// Open tells whether x has an unknown.
func (s *System) Open(x domain.Size) bool { return holds(x, s.Unknowns) }

// put replaces an unknown by its value everywhere, where factor·unknown + rest = 0. What has a multiple of that needs no
// division.
func (s *System) put(name string, factor, rest, value domain.Size) {
	replaced := func(x domain.Size) domain.Size {
		if f, r, ok := Linear(x, name); ok {
			if m := f.Div(factor); m.Mul(factor).Equal(f) {
				return r.Sub(m.Mul(rest))
			}
		}
		return x.Subst(map[string]domain.Size{name: value})
	}
	for _, list := range [][]domain.Size{s.Zero, s.Natural} {
		for i, x := range list {
			list[i] = replaced(x)
		}
	}
	for k, x := range s.Values {
		s.Values[k] = replaced(x)
	}
	s.Values[name] = value
	s.Unknowns = slices.DeleteFunc(slices.Clone(s.Unknowns), func(n string) bool { return n == name })
}

// Equate eliminates an unknown by each equation that has one: by one whose factor is 1 or -1 if possible, the innermost
// first, else by the only one in an equation, which has to divide the rest. It returns false where equations are left.
func (s *System) Equate() bool {
	for {
		for i, x := range s.Natural { // while common factors show
			s.Natural[i] = tight(x)
		}
		for i, x := range s.Zero {
			s.Zero[i] = reduced(x)
		}
		i, name, factor, rest := s.equation()
		if i < 0 {
			break
		}
		s.Zero = slices.Delete(slices.Clone(s.Zero), i, i+1)
		if s.Sign(factor) < 0 {
			factor, rest = minus(factor), minus(rest)
		}
		q := quotient(minus(rest), factor)
		if !one(factor) {
			s.Known = append(s.Known, divides(factor, rest)...)
		}
		s.put(name, factor, rest, q)
	}
	for _, x := range s.Zero {
		if holds(x, s.Unknowns) {
			return false
		}
		s.Known = append(s.Known, x, minus(x))
	}
	s.Zero = nil
	return true
}

// tight has the truth of x >= 0 without a factor that all terms but its number have: of 4·q - 4·u - 1 >= 0 that is
// q - u - 1 >= 0.
func tight(x domain.Size) domain.Size {
	if common := common(x); x.Op() == domain.SizeAdd && common >= 2 {
		return x.Div(domain.IntSize(common))
	}
	return x
}

// reduced has the truth of x = 0 without a factor that all terms but its number have: 3·u - 3·v = 0 is u - v = 0, and
// 3·u - 3·v + 1 = 0 never holds, as 1 = 0.
func reduced(x domain.Size) domain.Size {
	common := common(x)
	if common < 2 {
		return x
	}
	if _, number := split(x); number%common != 0 {
		return domain.IntSize(1)
	}
	return x.Div(domain.IntSize(common))
}

// common is the greatest number that divides all terms of x but its number.
func common(x domain.Size) int64 {
	terms := []domain.Size{x}
	if x.Op() == domain.SizeAdd {
		terms = x.Operands()
	}
	var common int64
	for _, t := range terms {
		if _, ok := t.Int64(); ok {
			continue
		}
		n := int64(1)
		if t.Op() == domain.SizeMul {
			if k, ok := t.Operands()[0].Int64(); ok {
				n = k
			}
		}
		for n != 0 {
			common, n = n, common%n
		}
	}
	return max(common, -common)
}

// divides are conditions, each at least 0, that hold where a factor divides x. Where it is a number they name the residue
// of what is not one in x, so that the residues of several conditions can be compared.
func divides(factor, x domain.Size) []domain.Size {
	d, ok := factor.Int64()
	if !ok {
		return []domain.Size{minus(x.Mod(factor))}
	}
	rest, number := split(x)
	wanted := ((-number)%d + d) % d
	residue := rest.Mod(factor)
	switch wanted {
	case 0:
		return []domain.Size{minus(residue)}
	case d - 1:
		return []domain.Size{residue.Sub(domain.IntSize(wanted))}
	}
	return []domain.Size{residue.Sub(domain.IntSize(wanted)), domain.IntSize(wanted).Sub(residue)}
}

// split takes the number of a sum apart.
func split(x domain.Size) (rest domain.Size, number int64) {
	terms := []domain.Size{x}
	if x.Op() == domain.SizeAdd {
		terms = x.Operands()
	}
	for _, t := range terms {
		if n, ok := t.Int64(); ok {
			number = n
		} else {
			rest = rest.Add(t)
		}
	}
	return rest, number
}

// quotient is x/d where d divides x: by the quotient of what is not a number in x, of which divides names the residue.
func quotient(x, factor domain.Size) domain.Size {
	d, ok := factor.Int64()
	if !ok || d == 1 {
		return x.Div(factor)
	}
	rest, number := split(x)
	wanted := ((-number)%d + d) % d
	return rest.Div(factor).Add(domain.IntSize((number + wanted) / d))
}

func minus(x domain.Size) domain.Size { return domain.IntSize(0).Sub(x) }

// equation returns an equation to eliminate an unknown by, -1 if there is none.
func (s *System) equation() (at int, name string, factor, rest domain.Size) {
	at = -1
	for i, x := range s.Zero {
		for _, u := range slices.Backward(s.Unknowns) {
			f, r, ok := Linear(x, u)
			if !ok || f.Equal(domain.Size{}) || holds(f, s.Unknowns) {
				continue
			}
			if n, number := f.Int64(); number && (n == 1 || n == -1) {
				return i, u, f, r
			}
			if at < 0 && s.Sign(f) != 0 && !holds(r, s.Unknowns) {
				at, name, factor, rest = i, u, f, r
			}
		}
	}
	return at, name, factor, rest
}

// A Bound of an unknown u says that Factor·u >= Rest, of a lower one, or Factor·u <= Rest. Factor is above 0, or, where it is
// weak, at least 0.
type Bound struct {
	Factor, Rest domain.Size
	weak         bool
}

// Least is the least integer that a lower bound allows.
func (b Bound) Least() domain.Size {
	if one(b.Factor) {
		return b.Rest
	}
	return b.Rest.Add(b.Factor).Sub(domain.IntSize(1)).Div(b.Factor)
}

// Most is the greatest integer that an upper bound allows.
func (b Bound) Most() domain.Size {
	if one(b.Factor) {
		return b.Rest
	}
	return b.Rest.Div(b.Factor)
}

func one(x domain.Size) bool {
	n, ok := x.Int64()
	return ok && n == 1
}

// Bounds takes the conditions on an unknown out of the system. It fails where one is not linear in it, or the sign of a
// factor is not known.
func (s *System) Bounds(name string) (lower, upper []Bound, ok bool) { return s.bounds(name, false) }

// bounds is Bounds; with weak factors may be 0 at some sizes.
func (s *System) bounds(name string, weak bool) (lower, upper []Bound, ok bool) {
	one := domain.IntSize(1)
	var others []domain.Size
	for _, x := range s.Natural {
		f, r, linear := Linear(x, name)
		switch {
		case !linear:
			return nil, nil, false
		case f.Equal(domain.Size{}):
			others = append(others, x)
			continue
		}
		switch sign := s.Sign(f); {
		case sign > 0: // f·u + r >= 0
			lower = append(lower, Bound{Factor: f, Rest: minus(r)})
		case sign < 0: // -f·u <= r
			upper = append(upper, Bound{Factor: minus(f), Rest: r})
		case weak && s.Sign(f.Add(one)) > 0:
			lower = append(lower, Bound{f, minus(r), true})
		case weak && s.Sign(f.Sub(one)) < 0:
			upper = append(upper, Bound{minus(f), r, true})
		default:
			return nil, nil, false
		}
	}
	s.Natural = others
	return lower, upper, true
}

// Between returns a condition, at least 0, that holds where an integer lies between two bounds. Where that can be said by
// a division alone, and the rests have unknowns that are still to be eliminated, it holds in other places too: Wide.
func (s *System) Between(lower, upper Bound) domain.Size {
	if lower.weak || upper.weak { // with f·u >= l: g·l <= f·r where g·u <= r, which at f = 0 says that l <= 0, as it should
		s.Wide = s.Wide || lower.weak && !one(upper.Factor) || upper.weak && !one(lower.Factor)
		return upper.Rest.Mul(lower.Factor).Sub(lower.Rest.Mul(upper.Factor))
	}
	if one(lower.Factor) || one(upper.Factor) { // l <= u and f·u <= r: f·l <= r
		return upper.Rest.Mul(lower.Factor).Sub(lower.Rest.Mul(upper.Factor))
	}
	way, alike := upper.Rest.Sub(lower.Rest), lower.Factor.Equal(upper.Factor)
	if n, ok := way.Sub(lower.Factor).Int64(); alike && ok && n >= -1 {
		return domain.IntSize(0) // a multiple lies among as many neighbours
	}
	if n, ok := way.Int64(); alike && ok && n < 0 {
		return way // none lies where there is nothing
	}
	if s.Fractions || holds(upper.Rest, s.Unknowns) || holds(lower.Rest, s.Unknowns) {
		s.Wide = true
		return upper.Rest.Mul(lower.Factor).Sub(lower.Rest.Mul(upper.Factor)) // a fraction does
	}
	if alike {
		return way.Sub(upper.Rest.Mod(lower.Factor))
	}
	return upper.Most().Sub(lower.Least())
}

// maxConditions bounds a system: each unknown that is left out may square the number of its conditions.
const maxConditions = 96

// Eliminate leaves an unknown out: what remains holds where some value of it does. It fails where that has too many conditions.
func (s *System) Eliminate(name string) bool {
	s.Unknowns = slices.DeleteFunc(slices.Clone(s.Unknowns), func(n string) bool { return n == name })
	lower, upper, ok := s.bounds(name, true)
	weak := func(b Bound) bool { return b.weak }
	alone := len(upper) == 0 && slices.ContainsFunc(lower, weak) || len(lower) == 0 && slices.ContainsFunc(upper, weak)
	if !ok || alone || len(s.Natural)+len(lower)*len(upper) > maxConditions {
		return false
	}
	for _, l := range lower {
		for _, u := range upper {
			x := tight(s.Between(l, u))
			if n, number := x.Int64(); number && n >= 0 || slices.ContainsFunc(s.Natural, x.Equal) {
				continue
			}
			s.Natural = append(s.Natural, x)
		}
	}
	return true
}

// Pin puts the only value of an unknown for it, where two of its bounds are so near that there is one multiple of their factor
// between them: f·u <= r and f·u >= r - f + 1 make u = r div f.
func (s *System) Pin(name string) bool {
	lower, upper, ok := s.Clone().Bounds(name)
	if !ok {
		return false
	}
	for _, l := range lower {
		for _, u := range upper {
			way := u.Rest.Sub(l.Rest).Sub(u.Factor)
			if n, ok := way.Int64(); !ok || n != -1 || !l.Factor.Equal(u.Factor) || holds(u.Rest, s.Unknowns) {
				continue
			}
			value := map[string]domain.Size{name: u.Rest.Div(u.Factor)}
			for i, x := range s.Natural {
				s.Natural[i] = x.Subst(value)
			}
			for k, x := range s.Values {
				s.Values[k] = x.Subst(value)
			}
			s.Values[name] = value[name]
			s.Unknowns = slices.DeleteFunc(slices.Clone(s.Unknowns), func(n string) bool { return n == name })
			return true
		}
	}
	return false
}

// EliminateAll leaves all unknowns out, innermost first, but those before that can be left out exactly: where a loop that steps
// by 4 is around one that steps by 1, the latter, whichever is inside. Where that is not exact, as of 2·i + k in tiles of i and
// of k, those are left out first of which the fewest conditions are left.
func (s *System) EliminateAll() bool {
	other := s.Clone()
	ok := s.innermostFirst()
	if (!ok || s.Wide && !other.Wide) && other.fewestFirst() {
		*s, ok = *other, true
	}
	return ok
}

func (s *System) innermostFirst() bool {
	for len(s.Unknowns) > 0 {
		best := s.Unknowns[len(s.Unknowns)-1]
		for _, u := range slices.Backward(s.Unknowns) {
			try := s.Clone()
			if try.Eliminate(u) && try.Wide == s.Wide {
				best = u
				break
			}
		}
		if !s.Eliminate(best) {
			return false
		}
	}
	return true
}

// fewestFirst leaves all unknowns out exactly, or fails.
func (s *System) fewestFirst() bool {
	for len(s.Unknowns) > 0 {
		var best *System
		for _, u := range slices.Backward(s.Unknowns) {
			try := s.Clone()
			if try.Sparing(u); try.Eliminate(u) && try.Wide == s.Wide &&
				(best == nil || len(try.Natural) < len(best.Natural)) {
				best = try
			}
		}
		if best == nil {
			return false
		}
		*s = *best
	}
	return true
}

// Sparing drops bounds of an unknown that follow from others, of the same factor, and from a condition without it: 4·u <= n from
// 4·u <= i and i <= n.
func (s *System) Sparing(name string) {
	holds := func(x domain.Size) bool {
		n, number := x.Int64()
		return number && n >= 0 || slices.ContainsFunc(s.Natural, func(y domain.Size) bool {
			n, number := x.Sub(y).Int64()
			return number && n >= 0
		})
	}
	list := slices.Clone(s.Natural)
	for i := 0; i < len(list); {
		f, r, ok := Linear(list[i], name)
		if ok && !f.Equal(domain.Size{}) && slices.ContainsFunc(list, func(x domain.Size) bool {
			g, q, ok := Linear(x, name)
			return ok && f.Equal(g) && !x.Equal(list[i]) && holds(r.Sub(q))
		}) {
			list = slices.Delete(list, i, i+1)
		} else {
			i++
		}
	}
	s.Natural = list
}

// Settle moves the conditions without unknowns to those that are known.
func (s *System) Settle() {
	s.Natural = slices.DeleteFunc(s.Natural, func(x domain.Size) bool {
		if holds(x, s.Unknowns) {
			return false
		}
		s.Known = append(s.Known, x)
		return true
	})
}

// Clone returns a system that can be solved in another way.
func (s *System) Clone() *System {
	out := *s
	out.Unknowns, out.Zero, out.Natural = slices.Clone(s.Unknowns), slices.Clone(s.Zero), slices.Clone(s.Natural)
	out.Known, out.Values = slices.Clone(s.Known), map[string]domain.Size{}
	for k, v := range s.Values {
		out.Values[k] = v
	}
	return &out
}
