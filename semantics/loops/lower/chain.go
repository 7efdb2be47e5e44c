package lower

import (
	"slices"

	"tv/semantics/domain"
	"tv/semantics/loops"
	"tv/semantics/term"
)

// A chain says that a statement updates the cell that it writes: x = x op others. Where op is a sum, some of the others
// are taken away. A least one is a maximum in the order that is turned
// round.
type chain struct {
	fold   term.Fold
	least  bool
	others []summand
	plain  bool // it is x + e or e + x, in one type: the order of sums is that of the statements
}

type summand struct {
	of    *loops.Expr
	minus bool
}

// chainOf returns how a statement updates its cell, nil if it does something else.
func (l *lowering) chainOf(s *loops.Assign) *chain {
	c, known := l.chains[s]
	if !known {
		c = l.chain(s)
		l.chains[s] = c
	}
	return c
}

func (l *lowering) chain(s *loops.Assign) *chain {
	for _, as := range []chain{{fold: term.Sum}, {fold: term.Product}, {fold: term.Maximum}, {fold: term.Maximum, least: true}} {
		var list []summand
		if as.fold == term.Maximum {
			l.extremes(as.least, s.Value, &list)
		} else {
			l.flatten(as.fold, s.Value, false, &list)
		}
		own := slices.IndexFunc(list, func(x summand) bool { return !x.minus && x.of.Op == loops.Read && x.of.From.Same(s.To) })
		if own < 0 || len(list) < 2 {
			continue
		}
		c := &chain{fold: as.fold, least: as.least, others: slices.Delete(slices.Clone(list), own, own+1)}
		c.plain = s.Value.Op == loops.Add && len(list) == 2 && !c.others[0].minus
		return c
	}
	return nil
}

// extremes lists what an element is the greatest of, or the least.
func (l *lowering) extremes(least bool, e *loops.Expr, to *[]summand) {
	a, b, ok := l.extreme(least, e)
	if !ok {
		*to = append(*to, summand{of: e})
		return
	}
	l.extremes(least, a, to)
	l.extremes(least, b, to)
}

// extreme tells of what two an element is the greater, or the lesser: also as the one of the two that a comparison says.
func (l *lowering) extreme(least bool, e *loops.Expr) (a, b *loops.Expr, ok bool) {
	if l.Sort(e.Elem).Kind == term.Float {
		return nil, nil, false
	}
	of := e
	for of.Op == loops.Convert && loops.Keeps(e.Elem, of.Args[0].Elem) { // of two of e's type, the one or the other
		of = of.Args[0]
	}
	switch of.Op {
	case loops.Maximum, loops.MaxNum:
		ok = !least
	case loops.Minimum, loops.MinNum:
		ok = least
	case loops.Choice:
		c, yes, no := of.Args[0], of.Args[1].Kept(e.Elem), of.Args[2].Kept(e.Elem)
		if c.Op != loops.IsLess && c.Op != loops.IsLessEqual || yes == nil || no == nil {
			return nil, nil, false
		}
		a, b = c.Args[0].Kept(e.Elem), c.Args[1].Kept(e.Elem)
		if !least {
			yes, no = no, yes
		}
		return a, b, a != nil && b != nil && alike(a, yes) && alike(b, no)
	}
	if ok {
		a, b = of.Args[0].Kept(e.Elem), of.Args[1].Kept(e.Elem)
	}
	return a, b, a != nil && b != nil
}

// alike tells whether two elements are written alike.
func alike(x, y *loops.Expr) bool {
	if x.Op != y.Op || x.Elem != y.Elem || x.Name != y.Name || !slices.EqualFunc(x.Args, y.Args, alike) {
		return false
	}
	switch x.Op {
	case loops.Read:
		return x.From.Same(y.From)
	case loops.Literal:
		return x.Number.Cmp(y.Number) == 0
	case loops.FromInt:
		return x.Int.Same(y.Int)
	}
	return true
}

// flatten lists what an element is the sum of, or the product.
func (l *lowering) flatten(fold term.Fold, e *loops.Expr, minus bool, to *[]summand) {
	switch {
	case fold == term.Sum && e.Op == loops.Add, fold == term.Product && e.Op == loops.Mul:
		l.flatten(fold, e.Args[0], minus, to)
		l.flatten(fold, e.Args[1], minus, to)
	case fold == term.Sum && e.Op == loops.Sub:
		l.flatten(fold, e.Args[0], minus, to)
		l.flatten(fold, e.Args[1], !minus, to)
	case fold == term.Sum && e.Op == loops.Negate:
		l.flatten(fold, e.Args[0], !minus, to)
	case e.Op == loops.Convert && l.through(e.Elem, e.Args[0].Elem):
		var list []summand
		l.flatten(fold, e.Args[0], minus, &list)
		for _, x := range list {
			*to = append(*to, summand{converted(e, x.of), x.minus})
		}
	default:
		*to = append(*to, summand{e, minus})
	}
}

// bits tells whether elements of a type are what their bits say.
func (l *lowering) bits(t domain.Elem) bool { return l.Sort(t).Kind != term.Real }

// through tells whether sums and products may be converted part by part: of integers to fewer bits, modulo which they are
// sums and products as well, and of real numbers, where a conversion between floats is none.
func (l *lowering) through(to, from domain.Elem) bool {
	if !l.bits(to) || !l.bits(from) {
		return to.Kind == domain.ElemFloat && from.Kind == domain.ElemFloat && !l.bits(to) && !l.bits(from)
	}
	return loops.IsInteger(to) && loops.IsInteger(from) && to.Width <= from.Width
}

// converted is an element converted as e converts another: a conversion there and back is none.
func converted(e, x *loops.Expr) *loops.Expr {
	if x.Elem == e.Elem {
		return x
	}
	if x.Op == loops.Convert && x.Args[0].Elem == e.Elem && x.Elem.Width >= e.Elem.Width {
		return x.Args[0]
	}
	return &loops.Expr{Op: loops.Convert, Elem: e.Elem, Args: []*loops.Expr{x}, At: e.At}
}
