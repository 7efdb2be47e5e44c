package rise

import (
	"slices"
	"strings"

	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// A strand is what steps of which nothing is known make of a number, one after the other. As
// (h after g) after f is h after (g after f), it is a function of the list of its steps and of the
// number alone, however the steps came to stand there: as those of a fold, or of one that starts
// from a fold; or of a fold whose steps are folds, or more than one step each; or as a function
// that is applied to a fold or that a fold starts from.
type strand struct {
	from *element
	legs []leg
	ends []end
}

// A leg is as many steps as n. They are told by a sum, over the places of the steps in the list, of
// symbols of the place and of what the step makes of a number that stands for any. What that is
// called is a matter of the level: how many variables there are around the list.
type leg struct {
	n    *expr
	told func(place *expr, level int) *element
}

// An end is how a number is taken up by a step: a function, and which argument of it.
type end struct {
	name string
	arg  int
}

// any stands for each number that a step may be given.
func (l *lowering) any(elem domain.Elem, level int) *element {
	name := unnamed("accumulated", elem.String(), []int{level}, nil)
	return l.Make(element{Op: algebra.OpRead, E: l.B.Const(0), Elem: elem, Name: name})
}

// step tells of one step.
func (l *lowering) step(place *expr, makes *element) *element {
	return l.Function(domain.Elem{}, "step "+makes.Elem.String(), l.numbered(place), makes)
}

// takes is the step of t, a free function, that takes up one of its arguments. None of the others
// may lack a value: the list would not say for which numbers.
func (l *lowering) takes(t *element, arg int) (leg, bool) {
	for i, a := range t.Args {
		if i != arg && a.Partial() {
			return leg{}, false
		}
	}
	return leg{l.B.Const(1), func(place *expr, level int) *element {
		args := slices.Clone(t.Args)
		args[arg] = l.any(args[arg].Elem, level)
		return l.step(place, l.Function(t.Elem, t.Name, args...))
	}}, true
}

// untwined are the steps that lead from the mark of the fold to t: not ok if t has it elsewhere
// than where the first of them takes it up.
func (u *updates) untwined(t *element) (legs []leg, ends []end, ok bool) {
	if t == u.target {
		return nil, nil, true
	}
	holds := func(x *element) bool { return u.marked(x, map[*element]bool{}) }
	if s, known := u.l.strands[t]; known {
		_, told := u.l.tellAll(s.legs, u.l.B.Const(0), u.l.Bound)
		if holds(told) {
			return nil, nil, false
		}
		legs, ends, ok = u.untwined(s.from)
		return append(legs, s.legs...), append(ends, s.ends...), ok
	}
	arg := slices.IndexFunc(t.Args, holds)
	if !u.l.frees[t] || arg < 0 || slices.ContainsFunc(t.Args[arg+1:], holds) {
		return nil, nil, false
	}
	own, ok := u.l.takes(t, arg)
	if !ok {
		return nil, nil, false
	}
	legs, ends, ok = u.untwined(t.Args[arg])
	return append(legs, own), append(ends, end{t.Name, arg}), ok
}

// tellAll is how many steps there are, and what they are told by from a place on.
func (l *lowering) tellAll(legs []leg, from *expr, level int) (n *expr, told *element) {
	n, told = l.B.Const(0), l.Int(domain.Elem{}, 0)
	for _, g := range legs {
		told = l.Op2(algebra.OpAdd, told, g.told(l.B.Add(from, n), level))
		n = l.B.Add(n, g.n)
	}
	return n, told
}

// twined is what steps make of a number. What this is made of by steps that end alike is taken
// apart too.
func (l *lowering) twined(sort domain.Elem, s strand) *element {
	for {
		if before, known := l.strands[s.from]; known {
			s = strand{before.from, append(slices.Clip(before.legs), s.legs...),
				append(slices.Clip(before.ends), s.ends...)}
			continue
		}
		i := slices.IndexFunc(s.ends, func(e end) bool { return s.from.Name == e.name })
		if i < 0 || !l.frees[s.from] {
			break
		}
		first, ok := l.takes(s.from, s.ends[i].arg)
		if !ok {
			break
		}
		s = strand{s.from.Args[s.ends[i].arg], append([]leg{first}, s.legs...), s.ends}
	}
	n, told := l.tellAll(s.legs, l.B.Const(0), l.Bound)
	out := l.Function(sort, "fold "+sort.String(), l.Number(domain.Elem{}, n), s.from, told)
	l.strands[out] = s
	return out
}

// freely is a function of which nothing is known, of some arguments. One that goes on as a strand
// does is its next step.
func (l *lowering) freely(elem domain.Elem, name string, args []*element) *element {
	t := l.Function(elem, name, args...)
	if !strings.HasPrefix(name, "free ") {
		return t
	}
	l.frees[t] = true
	for i, a := range args {
		s, known := l.strands[a]
		if e := (end{name, i}); known && slices.Contains(s.ends, e) {
			if next, ok := l.takes(t, i); ok {
				return l.twined(elem, strand{a, []leg{next}, []end{e}})
			}
		}
	}
	return t
}

// unknown is a fold of steps of which nothing is known. A step that does not look at what was
// accumulated says all, if it is the last.
func (l *lowering) unknown(c *context, g folding, u *updates, from *element,
	term func(*context, *expr) *element) *element {
	if !slices.ContainsFunc(l.t.Elems(), isFloat) {
		unread() // without floats, numbers of places would count modulo some power of 2
	}
	n := g.n
	if g.last != nil {
		n = l.B.AddInt(g.last, 1)
	}
	// steps are those of one element. Of one that is not a list of functions all is one step.
	steps := func(k *expr) (list []leg, ends []end) {
		t := term(c, k)
		if list, ends, ok := u.untwined(t); ok {
			return list, ends
		}
		return []leg{{l.B.Const(1), func(place *expr, level int) *element {
			return l.step(place, u.named(t, l.any(u.sort, level), map[*element]*element{}))
		}}}, nil
	}
	whichever := l.B.NewVar(l.B.Const(0), n)
	t := term(c, whichever.Expr())
	if !u.marked(t, map[*element]bool{}) {
		last := l.B.AddInt(n, -1)
		return l.Choose(c, last, func(c *context) *element { return term(c, last) },
			func(*context) *element { return from })
	}
	if from.Partial() {
		unread()
	}
	list, ends := steps(whichever.Expr())
	each, _ := l.tellAll(list, l.B.Const(0), l.Bound)
	if each.Mentions(whichever) {
		algebra.Fail(algebra.CodeUnsupported, "a fold whose steps differ")
	}
	all := leg{l.B.Mul(n, each), func(place *expr, level int) *element {
		return l.Reduce(algebra.FoldSum, domain.Elem{}, []*expr{n}, func(in []*expr) *element {
			list, _ := steps(in[0])
			m, told := l.tellAll(list, l.B.Add(place, l.B.Mul(in[0], each)), level)
			if m != each {
				algebra.Fail(algebra.CodeUnsupported, "a fold whose steps differ")
			}
			return told
		})
	}}
	return l.twined(u.sort, strand{from, []leg{all}, ends})
}
