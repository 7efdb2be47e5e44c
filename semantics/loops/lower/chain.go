package lower

import (
	"slices"

	"tv/semantics/domain"
	"tv/semantics/loops"
	"tv/semantics/term"
)

// A chain says that a statement updates the cell that it writes: x = x op others. Where op is a sum, some of the others
// are taken away.
type chain struct {
	fold   term.Fold
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
	for _, fold := range []term.Fold{term.Sum, term.Product, term.Maximum} {
		var list []summand
		l.flatten(fold, s.Value, false, &list)
		own := slices.IndexFunc(list, func(x summand) bool { return !x.minus && x.of.Op == loops.Read && same(x.of.From, s.To) })
		if own < 0 || len(list) < 2 {
			continue
		}
		c := &chain{fold: fold, others: slices.Delete(slices.Clone(list), own, own+1)}
		c.plain = s.Value.Op == loops.Add && len(list) == 2 && !c.others[0].minus
		return c
	}
	return nil
}

// flatten lists what an element is the sum of, or the product, or the greatest.
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
	case fold == term.Maximum && (e.Op == loops.Maximum || e.Op == loops.MaxNum) && !l.bits(e.Elem):
		l.flatten(fold, e.Args[0], minus, to)
		l.flatten(fold, e.Args[1], minus, to)
	case e.Op == loops.Convert && fold != term.Maximum && l.through(e.Elem, e.Args[0].Elem):
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
	integer := func(t domain.Elem) bool { return t.Kind == domain.ElemInt || t.Kind == domain.ElemUint }
	if !l.bits(to) || !l.bits(from) {
		return to.Kind == domain.ElemFloat && from.Kind == domain.ElemFloat && !l.bits(to) && !l.bits(from)
	}
	return integer(to) && integer(from) && to.Width <= from.Width
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

// same tells whether two accesses are written alike.
func same(x, y loops.Access) bool {
	return x.Buffer == y.Buffer && slices.EqualFunc(x.At, y.At, equal)
}

// equal tells whether two integers are written alike.
func equal(x, y *loops.Int) bool {
	return x == y || x.Op == y.Op && x.Op != loops.Choose && x.N == y.N && x.Name == y.Name && x.Loop == y.Loop &&
		slices.EqualFunc(x.Args, y.Args, equal)
}
