package loops

import (
	"slices"

	"tv/semantics/domain"
)

// A literal is a condition on a size: that it is 0, or at least 0.
type literal struct {
	of   domain.Size
	zero bool
}

// Instances returns systems whose solutions, together, are the instances of the statement at w within a loop: values of
// the counters of that loop and of those inside it, as bounds and Ifs say. No two have one in
// common. The counters of loops further out are known. Whens count as taken. Unknowns are counters; of
// a loop whose step is neither 1 nor -1 the unknown is the number of its iteration, which Iteration names. It fails where
// something is not affine.
func (all Places) Instances(w, within *Place, sign func(domain.Size) int) ([]*System, bool) {
	var path []*Place
	for pl := w; ; pl = pl.Parent {
		path = append(path, pl)
		if pl == within || pl.Parent == nil {
			break
		}
	}
	slices.Reverse(path)
	systems := []*System{{Sign: sign, Values: map[string]domain.Size{}}}
	for i, pl := range path {
		switch s := pl.Stmt.(type) {
		case *For:
			if pl == w && within != w { // the loop as a statement: it is reached where its bounds are taken
				break
			}
			for _, sys := range systems {
				if !all.enter(sys, pl, s) {
					return nil, false
				}
			}
		case *If:
			if i+1 == len(path) {
				break
			}
			cases, ok := all.literals(s.Cond, path[i+1].Else)
			if !ok {
				return nil, false
			}
			systems = product(systems, cases)
		}
	}
	return systems, true
}

// product adds each case to each system.
func product(systems []*System, cases [][]literal) (out []*System) {
	for _, sys := range systems {
		for _, c := range cases {
			next := sys.Clone()
			for _, l := range c {
				of := l.of
				for name, v := range sys.Values { // counters in terms of iterations
					of = of.Subst(map[string]domain.Size{name: v})
				}
				if l.zero {
					next.Zero = append(next.Zero, of)
				} else {
					next.Natural = append(next.Natural, of)
				}
			}
			out = append(out, next)
		}
	}
	return out
}

// Iteration is what the unknown of a loop is called: its counter, or the number of its iteration.
func (pl *Place) Iteration() string {
	l := pl.Stmt.(*For)
	if n, ok := l.unit(); ok && (n == 1 || n == -1) {
		return pl.Name
	}
	return pl.Name + "'"
}

// unit returns the step, if it is a number.
func (l *For) unit() (int64, bool) { return l.Step.N, l.Step.Op == Number }

// enter adds the counter of a loop to a system.
func (all Places) enter(sys *System, pl *Place, l *For) bool {
	lo, ok := all.sizes(l.Lo, sys)
	hi, okHi := all.sizes(l.Hi, sys)
	step, okStep := all.Size(l.Step)
	if !ok || !okHi || !okStep || sys.Sign(step) == 0 {
		return false
	}
	name := pl.Iteration()
	sys.Unknowns = append(sys.Unknowns, name)
	counter := domain.NamedSize(name)
	one := domain.IntSize(1)
	if name != pl.Name {
		from := lo[0]
		for _, x := range lo[1:] {
			from = from.Max(x)
		}
		sys.Natural = append(sys.Natural, counter)
		counter = from.Add(step.Mul(counter))
		sys.Values[pl.Name] = counter
		lo = nil
	}
	up := sys.Sign(step) > 0
	for _, x := range lo {
		if up {
			sys.Natural = append(sys.Natural, counter.Sub(x))
		} else {
			sys.Natural = append(sys.Natural, x.Sub(counter))
		}
	}
	for _, x := range hi {
		if up {
			sys.Natural = append(sys.Natural, x.Sub(counter).Sub(one))
		} else {
			sys.Natural = append(sys.Natural, counter.Sub(x).Sub(one))
		}
	}
	return true
}

// sizes are integers of control in a system, whose counters may be known by iterations.
func (all Places) sizes(list []*Int, sys *System) (out []domain.Size, ok bool) {
	for _, x := range list {
		s, ok := all.Size(x)
		if !ok {
			return nil, false
		}
		out = append(out, s.Subst(sys.Values))
	}
	return out, true
}

// cross lists the pairs of two lists of conjunctions.
func cross(x, y [][]literal) (out [][]literal) {
	for _, a := range x {
		for _, b := range y {
			out = append(out, slices.Concat(a, b))
		}
	}
	return out
}

// literals are the cases of a condition, or of its negation. No two hold at once.
func (all Places) literals(c *Cond, not bool) ([][]literal, bool) {
	switch c.Op {
	case None:
		return all.literals(c.Conds[0], !not)
	case All, Any:
		union := (c.Op == Any) != not
		var out [][]literal
		rest := [][]literal{nil} // where the alternatives so far do not hold; of a conjunction, where its parts so far do
		for _, d := range c.Conds {
			cases, ok := all.literals(d, not)
			others, okOthers := all.literals(d, !not)
			if !ok || !okOthers {
				return nil, false
			}
			if union {
				out = append(out, cross(rest, cases)...)
				cases = others
			}
			rest = cross(rest, cases)
		}
		if union {
			return out, true
		}
		return rest, true
	}
	a, ok := all.Size(c.A)
	b, okB := all.Size(c.B)
	if !ok || !okB {
		return nil, false
	}
	way, one := b.Sub(a), domain.IntSize(1)
	switch {
	case c.Op == Equal && not:
		return [][]literal{{{of: way.Sub(one)}}, {{of: minus(way).Sub(one)}}}, true
	case c.Op == Equal:
		return [][]literal{{{of: way, zero: true}}}, true
	case (c.Op == Less) != not: // a < b; not a <= b: b < a
		if not {
			way = minus(way)
		}
		return [][]literal{{{of: way.Sub(one)}}}, true
	case not: // not a < b
		return [][]literal{{{of: minus(way)}}}, true
	}
	return [][]literal{{{of: way}}}, true
}
