package calls

import (
	"slices"

	"tv/semantics/loops"
)

// unscalared writes sums that are made in a local scalar into the element that gets them: of
//
//	s = e;  for ... s += t;  x = a·s + h
//
// it makes x = a·e + h and for ... x += a·t, where nothing else has s and t does not read what x is of.
func unscalared(list []*node) []*node {
	for _, n := range list {
		n.body = unscalared(n.body)
	}
	for at, n := range list {
		alloc, ok := n.stmt.(*loops.Alloc)
		if !ok || len(alloc.Buffer.Dims) > 0 || len(list) < at+4 {
			continue
		}
		if made := accumulated(alloc.Buffer, list[at+1], list[at+2], list[at+3]); made != nil && lastOf(alloc.Buffer, list[at+4:]) < 0 {
			out := append(slices.Clone(list[:at]), made...)
			return unscalared(append(out, list[at+4:]...))
		}
	}
	return list
}

// accumulated makes the statements that need no scalar of an initialisation, a nest and a use of it; none where they are
// not such.
func accumulated(s *loops.Buffer, first, nest, last *node) []*node {
	begin, _ := first.stmt.(*loops.Assign)
	around, add := nest.perfect()
	end, _ := last.stmt.(*loops.Assign)
	if begin == nil || add == nil || len(around) == 0 || end == nil || begin.To.Buffer != s || add.To.Buffer != s || end.To.Buffer == s {
		return nil
	}
	of := func(b *loops.Buffer) func(loops.Access) bool {
		return func(x loops.Access) bool { return x.Buffer == b }
	}
	rest, ok := without(terms(add.Value), add.To)
	if !ok || slices.ContainsFunc(reads(begin.Value), of(s)) || slices.ContainsFunc(reads(begin.Value), of(end.To.Buffer)) {
		return nil
	}
	for _, t := range rest {
		if r := reads(t.element(add.Value)); slices.ContainsFunc(r, of(s)) || slices.ContainsFunc(r, of(end.To.Buffer)) {
			return nil
		}
	}
	// a and h: the one summand that has s as a factor, and the others
	var factor *term
	var others []term
	for _, t := range terms(end.Value) {
		at := slices.IndexFunc(t.factors, func(f *loops.Expr) bool { return f.Op == loops.Read && f.From.Buffer == s })
		if at < 0 {
			if slices.ContainsFunc(reads(t.element(end.Value)), of(s)) {
				return nil
			}
			others = append(others, t)
			continue
		}
		t.factors = slices.Delete(slices.Clone(t.factors), at, at+1)
		if factor != nil || slices.ContainsFunc(reads(t.element(end.Value)), of(s)) {
			return nil
		}
		factor = &t
	}
	if factor == nil {
		return nil
	}
	scaled := func(t term) term {
		return term{t.negative != factor.negative, slices.Concat(factor.factors, t.factors)}
	}
	if !isZero(begin.Value) {
		others = append(others, scaled(term{false, []*loops.Expr{begin.Value}}))
	}
	grown := []term{{false, []*loops.Expr{loops.Element(end.To)}}}
	for _, t := range rest {
		grown = append(grown, scaled(t))
	}
	inner := &node{stmt: &loops.Assign{To: end.To, Value: sum(grown, end.Value), At: add.At}}
	for _, f := range slices.Backward(around) {
		inner = &node{stmt: f, body: []*node{inner}}
	}
	return []*node{{stmt: &loops.Assign{To: end.To, Value: sum(others, end.Value), At: end.At}}, inner}
}
