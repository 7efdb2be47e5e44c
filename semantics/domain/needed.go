package domain

import "slices"

// needed leaves out of a list of conditions, which hold together, those that the facts or the rest imply. Sizes at which a
// condition has no value are none of the domain, so one is left out only if it is known to have a value everywhere.
func needed(conds []*Pred, known *Facts) []*Pred {
	var open []*Pred
	for _, p := range conds {
		if p.total(known) {
			if p = p.plain(known); p.Decide(known) == Always || p.covers(known) {
				continue
			}
		}
		open = append(open, p)
	}
	// one after the other: what is left out is implied by what is still there, of two equal ones the later
	for i := len(open) - 1; i >= 0; i-- {
		rest := slices.Delete(slices.Clone(open), i, i+1)
		equal := slices.ContainsFunc(rest[:i], func(p *Pred) bool { return infix(p) == infix(open[i]) })
		if equal || open[i].total(known) && slices.ContainsFunc(rest, func(p *Pred) bool { return p.implies(open[i], known) }) {
			open = rest
		}
	}
	return open
}

// implies tells whether q is known to hold wherever p does. Alternatives imply what each of them does.
func (p *Pred) implies(q *Pred, known *Facts) bool {
	switch {
	case p.Op == PredOr:
		return !slices.ContainsFunc(p.Args, func(a *Pred) bool { return !a.implies(q, known) })
	case q.Op == PredOr:
		return slices.ContainsFunc(q.Args, func(a *Pred) bool { return p.implies(a, known) })
	}
	t, ok := q.slack()
	if !ok {
		return false
	}
	if p.Op == PredEq { // any multiple of what is 0 may be added
		d := p.A.Sub(p.B)
		return t.Add(d).AtLeastGiven(0, known) || t.Sub(d).AtLeastGiven(0, known)
	}
	s, ok := p.slack()
	return ok && t.Sub(s).AtLeastGiven(0, known)
}

// slack is a size that is not negative where p holds, and there only.
func (p *Pred) slack() (s Size, ok bool) {
	switch p.Op {
	case PredLe:
		return p.B.Sub(p.A), true
	case PredLt:
		return p.B.Sub(p.A).Sub(IntSize(1)), true
	}
	return Size{}, false
}

// covers tells whether two alternatives hold everywhere together: s >= 0 or t >= 0, if s + t is at least -1, as where the
// first does not hold s is at most -1.
func (p *Pred) covers(known *Facts) bool {
	if p.Op != PredOr {
		return false
	}
	var slacks []Size
	for _, q := range p.Args {
		s, ok := q.slack()
		if !ok {
			continue
		}
		if slices.ContainsFunc(slacks, func(t Size) bool { return s.Add(t).AtLeastGiven(-1, known) }) {
			return true
		}
		slacks = append(slacks, s)
	}
	return false
}

// total tells whether a condition is known to have a value everywhere: each divisor is at least 1.
func (p *Pred) total(known *Facts) bool {
	if p.Op == PredDivides || !p.A.total(known) || !p.B.total(known) {
		return false
	}
	return !slices.ContainsFunc(p.Args, func(q *Pred) bool { return !q.total(known) })
}

func (a Size) total(known *Facts) bool {
	args := a.Operands()
	if op := a.Op(); (op == SizeDiv || op == SizeMod) && !args[1].AtLeastGiven(1, known) {
		return false
	}
	return !slices.ContainsFunc(args, func(x Size) bool { return !x.total(known) })
}

// plain leaves out alternatives that hold nowhere or only where another does, and of what is at most the least of several sizes,
// or at least the greatest, those of which this is known.
func (p *Pred) plain(known *Facts) *Pred {
	if p.Op == PredLe {
		return p.bounded(known)
	}
	if p.Op != PredOr {
		return p
	}
	var some []*Pred
	for _, q := range p.Args {
		q = q.plain(known)
		if q.Decide(known) == Never || slices.ContainsFunc(some, func(o *Pred) bool { return q.implies(o, known) }) {
			continue
		}
		some = slices.DeleteFunc(some, func(o *Pred) bool { return o.implies(q, known) })
		some = append(some, q)
	}
	switch len(some) {
	case 0:
		return p
	case 1:
		return some[0]
	}
	return Or(some...)
}

// bounded is a <= b where b is a least of sizes without those that a is known not to exceed: M <= min(M, N) is M <= N. Where
// a is a greatest of sizes, it is without those that are known not to exceed b.
func (p *Pred) bounded(known *Facts) *Pred {
	a, b := p.A, p.B
	left := func(list []Size, join func(x, y Size) Size, holds func(Size) bool) (Size, bool) {
		list = slices.DeleteFunc(slices.Clone(list), holds)
		if len(list) == 0 {
			return Size{}, false
		}
		out := list[0]
		for _, x := range list[1:] {
			out = join(out, x)
		}
		return out, true
	}
	if b.Op() == SizeMin {
		if s, some := left(b.Operands(), Size.Min, func(x Size) bool { return x.Sub(a).AtLeastGiven(0, known) }); some {
			b = s
		}
	}
	if a.Op() == SizeMax {
		if s, some := left(a.Operands(), Size.Max, func(x Size) bool { return b.Sub(x).AtLeastGiven(0, known) }); some {
			a = s
		}
	}
	return Le(a, b)
}
