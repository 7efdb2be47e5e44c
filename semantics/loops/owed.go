package loops

import (
	"fmt"
	"slices"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
)

// owed states what a statement owes as conditions on sizes: each access lies within its buffer and each Require
// holds wherever it is executed, and nowhere else is anything asked.
func (t *Typed) owed(pl *Place) *source.Error {
	switch s := pl.Stmt.(type) {
	case *Assign:
		if err := t.within(pl, false, s.To); err != nil {
			return err
		}
		return t.reads(pl, s.Value, false, certain(s.Value, nil))
	case *When:
		return t.reads(pl, s.Cond, false, certain(s.Cond, nil))
	case *Require:
		cases, ok := t.Places.literals(s.Cond, true)
		if !ok {
			return unstated(s.At, s.Message)
		}
		msg := s.Message
		if s.Obligation == Index { // the value that has to fit
			msg += ": beyond the type"
		}
		return t.never(pl, false, cases, string(s.Obligation), msg, s.At)
	case *For:
		if s.Parallel != nil {
			return t.independent(pl, s.Parallel)
		}
	}
	return nil
}

func unstated(at source.Span, what string) *source.Error {
	return source.Errorf(at, "not-affine", "%s: where that happens is no condition on sizes that tv can state", what)
}

// certain adds the accesses that are executed whenever an element is computed.
func certain(e *Expr, list []Access) []Access {
	if e.Op == Read {
		list = append(list, e.From)
	}
	for i, a := range e.Args {
		if e.Op != Choice || i == 0 {
			list = certain(a, list)
		}
	}
	return list
}

// reads states what the reads of an element owe; perhaps tells that it is not known whether it is computed. Then nothing is
// owed for an access that the statement executes in any case.
func (t *Typed) reads(pl *Place, e *Expr, perhaps bool, sure []Access) *source.Error {
	again := func(a Access) bool { return a.Buffer == e.From.Buffer && slices.EqualFunc(a.At, e.From.At, Same) }
	if e.Op == Read && !(perhaps && slices.ContainsFunc(sure, again)) {
		if err := t.within(pl, perhaps, e.From); err != nil {
			return err
		}
	}
	for i, a := range e.Args {
		if err := t.reads(pl, a, perhaps || e.Op == Choice && i > 0, sure); err != nil {
			return err
		}
	}
	return nil
}

// outside is the code of an access that is none of an element.
const outside = "index-out-of-bounds"

// within states that an access is within its buffer.
func (t *Typed) within(pl *Place, perhaps bool, a Access) *source.Error {
	if a.Number != nil {
		return t.among(pl, perhaps, a)
	}
	for axis, x := range a.At {
		at, ok := t.Places.Size(x)
		dim, okDim := t.Places.Size(a.Buffer.Dims[axis])
		if !ok || !okDim {
			return unstated(a.Where, "a subscript of "+a.Buffer.Name)
		}
		in, pair := bound{pl.Parent, pl.Else, perhaps, at.Hash(), dim.Hash()}, [2]domain.Size{at, dim}
		same := func(p [2]domain.Size) bool { return p[0].Equal(at) && p[1].Equal(dim) }
		if slices.ContainsFunc(t.stated[in], same) {
			continue
		}
		cases := [][]literal{{{of: minus(at).Sub(domain.IntSize(1))}}, {{of: at.Sub(dim)}}}
		shown := dim
		if a.Buffer.Unsized && axis == 0 { // the text has no words for it
			shown = t.Size(dim)
		}
		msg := fmt.Sprintf("a subscript of %s is outside axis %d (%s)", a.Buffer.Name, axis, shown.Formula())
		if err := t.never(pl, perhaps, cases, outside, msg, a.Where); err != nil {
			return err
		}
		t.stated[in] = append(t.stated[in], pair)
	}
	return nil
}

// A bound is a block of statements that are executed together, with what is known of the elements that are computed in it, and
// the hashes of a subscript and of an extent. Where one of the statements owes that the one is less than the other, the next
// owes nothing more for the same.
type bound struct {
	parent          *Place
	second          bool
	perhaps         bool
	subscript, size uint64
}

// among states that the number of an element is below that of all elements.
func (t *Typed) among(pl *Place, perhaps bool, a Access) *source.Error {
	at, ok := t.Places.Size(a.Number)
	count := domain.IntSize(1)
	for _, d := range a.Buffer.Dims {
		dim, okDim := t.Places.Size(d)
		count, ok = count.Mul(dim), ok && okDim
	}
	if !ok {
		return unstated(a.Where, "a subscript of "+a.Buffer.Name)
	}
	cases := [][]literal{{{of: minus(at).Sub(domain.IntSize(1))}}, {{of: at.Sub(count)}}}
	msg := fmt.Sprintf("an element of %s is outside its %s", a.Buffer.Name, count.Formula())
	return t.never(pl, perhaps, cases, outside, msg, a.Where)
}

// never requires that no instance of a statement meets one of some cases. Of what is executed for some contents alone that has
// to be so for all sizes: otherwise it is no condition on sizes.
func (t *Typed) never(pl *Place, perhaps bool, cases [][]literal, code, msg string, at source.Span) *source.Error {
	instances, ok := t.Places.Instances(pl, nil, t.Sign)
	if !ok {
		return unstated(at, msg)
	}
	return t.excluded(product(instances, cases), perhaps || data(pl), code, msg, at)
}

// excluded requires that none of some systems has a solution.
func (t *Typed) excluded(systems []*System, perhaps bool, code, msg string, at source.Span) *source.Error {
	var list []*System
	for _, sys := range systems {
		plain, ok := sys.Plain()
		if !ok {
			return unstated(at, msg)
		}
		list = append(list, plain...)
	}
	for _, sys := range list {
		if !sys.Equate() {
			return unstated(at, msg)
		}
		fractions := sys.Clone()
		if !sys.EliminateAll() {
			return unstated(at, msg)
		}
		sys.Settle()
		if p := t.not(sys.Known); p != nil && !t.withoutFractions(fractions) {
			if sys.Wide || perhaps && p.Decide(&domain.Facts{Mins: t.Env.Mins}) != domain.Always {
				return unstated(at, msg)
			}
			owed := code
			if code == outside {
				owed = string(Bounds)
			}
			t.Owe(semantics.Condition{Pred: p, Part: len(t.Parts()) - 1, Code: code, Msg: msg, Owed: owed, At: at})
		}
	}
	return nil
}

// withoutFractions tells whether a system has no solution even in fractions: products of sizes, which that asks about, have limits
// where quotients by sizes, which integers ask about, have none.
func (t *Typed) withoutFractions(s *System) bool {
	if s.Fractions = true; !s.EliminateAll() {
		return false
	}
	s.Settle()
	return t.not(s.Known) == nil
}

// data tells whether what is executed at a place depends on elements.
func data(pl *Place) bool {
	for pl = pl.Parent; pl != nil; pl = pl.Parent {
		if _, ok := pl.Stmt.(*When); ok {
			return true
		}
	}
	return false
}

// not says that a conjunction of conditions, each at least 0, does not hold; nil where it never does.
func (t *Typed) not(conds []domain.Size) *domain.Pred {
	known := &domain.Facts{Mins: t.Env.Mins}
	var some []*domain.Pred
	seen := map[string]bool{}
	for i, c := range conds {
		for _, d := range conds[:i] {
			if n, ok := c.Add(d).Int64(); ok && n < 0 { // both cannot be
				return nil
			}
		}
		more, less := signs(t.Size(c).Add(domain.IntSize(1)))
		p := domain.Le(more, less) // c + 1 <= 0
		switch p.Decide(known) {
		case domain.Always:
			return nil
		case domain.Never:
			continue
		}
		if text := p.String(); !seen[text] {
			seen[text] = true
			some = append(some, p)
		}
	}
	if slices.ContainsFunc(conds, t.out) { // last: that takes longest
		return nil
	}
	return domain.Or(some...)
}

// signs splits a sum into what is added and what is taken away.
func signs(x domain.Size) (more, less domain.Size) {
	terms := []domain.Size{x}
	if x.Op() == domain.SizeAdd {
		terms = x.Operands()
	}
	for _, term := range terms {
		if negative(term) {
			less = less.Sub(term)
		} else {
			more = more.Add(term)
		}
	}
	return more, less
}

// negative tells whether the factor of a term is below 0.
func negative(term domain.Size) bool {
	if term.Op() == domain.SizeMul {
		term = term.Operands()[0]
	}
	n, ok := term.Const()
	return ok && n.Sign() < 0
}
