package lower

import (
	"slices"

	"tv/semantics/domain"
	"tv/semantics/loops"
)

// maxBounds is how many bounds of counters a remainder may take, one after the other.
const maxBounds = 8

// equal lists what is 0 where a subscript is that of a cell. Rows that are laid out one behind the other are taken apart: of
// d·q + r with 0 <= r < d that is q where the cell is divided by d, and r where that leaves a remainder. Then counters have
// factors of 1, as subscripts of several axes do.
func (l *lowering) equal(w *loops.Place, sys *loops.System, at, cell domain.Size) []domain.Size {
	for _, u := range sys.Unknowns {
		d, _, ok := loops.Linear(at, u)
		if _, number := d.Int64(); !ok || number || sys.Sign(d) <= 0 || sys.Open(d) {
			continue
		}
		q, r := divided(at, d, sys.Unknowns)
		if l.remainder(w, r, d) {
			return append(l.equal(w, sys, q, cell.Div(d)), l.equal(w, sys, r, cell.Mod(d))...)
		}
	}
	return []domain.Size{at.Sub(cell)}
}

// divided is x as d·q + r, with all in q that d divides: of the factors of unknowns, and of what has none.
func divided(x, d domain.Size, unknowns []string) (q, r domain.Size) {
	rest := x
	for _, u := range unknowns {
		f, left, ok := loops.Linear(rest, u)
		if !ok {
			continue
		}
		if m := f.Div(d); m.Mul(d).Equal(f) {
			q, rest = q.Add(m.Mul(domain.NamedSize(u))), left
		}
	}
	terms := []domain.Size{rest}
	if rest.Op() == domain.SizeAdd {
		terms = rest.Operands()
	}
	for _, t := range terms {
		if m := t.Div(d); m.Mul(d).Equal(t) {
			q = q.Add(m)
		} else {
			r = r.Add(t)
		}
	}
	return q, r
}

// remainder tells whether 0 <= r < d for all instances of a writer.
func (l *lowering) remainder(w *loops.Place, r, d domain.Size) bool {
	around := w.Around()
	all, ok := l.t.Places.Instances(w, around[0], l.t.Sign)
	if !ok {
		return false
	}
	for _, sys := range all {
		// the counters of loops further out are unknown here, and what they are in terms of iterations
		x, y := r.Subst(sys.Values), d.Subst(sys.Values)
		if !surely(sys, x, maxBounds) || !surely(sys, y.Sub(x).Sub(domain.IntSize(1)), maxBounds) {
			return false
		}
	}
	return true
}

// surely tells whether x >= 0 in a system: by bounds of its unknowns with the factor 1, innermost first.
func surely(sys *loops.System, x domain.Size, depth int) bool {
	for _, u := range slices.Backward(sys.Unknowns) {
		f, r, ok := loops.Linear(x, u)
		if ok && f.Equal(domain.Size{}) {
			continue
		}
		sign := sys.Sign(f)
		if !ok || depth == 0 || sign == 0 || sys.Open(f) {
			return false
		}
		return slices.ContainsFunc(sys.Natural, func(n domain.Size) bool {
			g, end, ok := loops.Linear(n, u)
			k, number := g.Int64()
			switch {
			case !ok || !number:
				return false
			case sign > 0 && k == 1: // u >= -end
				return surely(sys, r.Sub(f.Mul(end)), depth-1)
			case sign < 0 && k == -1: // u <= end
				return surely(sys, r.Add(f.Mul(end)), depth-1)
			}
			return false
		})
	}
	return sys.Sign(x.Add(domain.IntSize(1))) > 0
}
