package algebra

import (
	"encoding/binary"
	"slices"
)

// leastAdjacent is the number of sums that have to follow each other.
const leastAdjacent = 4

// adjacent makes one of sums over one variable, from 0 to a number, that follow each other: where
// t(k) is s(k + n), as they are written, and n the number of places of s, all of s and all of t are
// s over as many places as both have. A sum in blocks is one before what is summed is taken apart.
// The same holds of sets of members.
func (e *engine) adjacent(c *Context, x sum) sum {
	places, all, several := make([]Num, len(x)), Int(0), 0
	for i, s := range x {
		if len(s.vars) == 1 && s.vars[0].Lo == e.Const(0) {
			if n, number := s.vars[0].Hi.Const(); number && n.Sign() > 0 {
				places[i], all, several = n, all.Add(n), several+1
			}
		}
	}
	if several < leastAdjacent {
		return x
	}
	k := e.NewVar(e.Const(0), e.Num(all))
	at := make([]*summand, len(x))
	known := map[string][]int{}
	for i, s := range x {
		if places[i].Sign() > 0 {
			at[i] = e.bare(c, s, s.vars[0], k.expr)
		}
		if at[i] != nil {
			name := e.name(c, at[i])
			known[name] = append(known[name], i)
		}
	}
	next, follows := make([]int, len(x)), make([]bool, len(x)) // next: a place plus 1, or 0
	for i, s := range at {
		if s != nil {
			s = e.bare(c, s, k, e.Add(k.expr, e.Num(places[i])))
		}
		if s == nil {
			continue
		}
		name := e.name(c, s)
		if list := known[name]; len(list) > 0 && list[0] != i {
			next[i], follows[list[0]], known[name] = list[0]+1, true, list[1:]
		}
	}
	var out sum
	gone := make([]bool, len(x))
	for i := range x {
		n, chain := places[i], []int{i}
		for j := next[i]; j > 0 && !follows[i]; j = next[j-1] {
			n, chain = n.Add(places[j-1]), append(chain, j-1)
		}
		if len(chain) < leastAdjacent {
			continue
		}
		v := e.NewVar(e.Const(0), e.Num(n))
		if s := e.bare(c, at[i], k, v.expr); s != nil {
			s.vars = []*Atom{v}
			out = append(out, s)
			for _, j := range chain {
				gone[j] = true
			}
		}
	}
	for i, s := range x {
		if !gone[i] {
			out = append(out, s)
		}
	}
	return out
}

// bare is what a summand adds up, or takes together, with an expression for its variable; nil where
// that is a sum.
func (e *engine) bare(c *Context, s *summand, v *Atom, place *Expr) *summand {
	t := *s
	t.vars = nil
	out := e.subst(c, &t, map[*Atom]*Expr{v: place})
	if len(out) != 1 || len(out[0].vars) > 0 {
		return nil
	}
	return out[0]
}

// name tells what summands without variables are apart.
func (e *engine) name(c *Context, s *summand) string {
	guards := slices.Clone(s.guards)
	slices.SortFunc(guards, func(x, y *Expr) int { return x.ID - y.ID })
	t := summand{guards: guards, factors: s.factors}
	name := s.coef.RatString() + " " + t.key(c)
	if s.member {
		name += string(binary.AppendUvarint(nil, uint64(e.closeSum(c, s.value).id)))
	}
	return name
}
