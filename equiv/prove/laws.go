package prove

import (
	"tv/equiv/normal"
	"tv/semantics/domain"
)

// laws returns the laws of what both programs are made of; ok is false where sums may not be re-ordered.
func (v *Prover) laws(arith domain.Arith) (laws normal.Laws, ok bool) {
	real, width, ok := v.numbers(arith)
	switch {
	case real || !ok:
		return normal.RealLaws, ok
	case width > 0:
		return normal.WrapLaws(width), true
	}
	return normal.Laws{}, true
}

// numbers reports whether there are real numbers among the elements of both programs, and whether all others are integers
// that wrap, with their width if it is the same everywhere.
func (v *Prover) numbers(arith domain.Arith) (real bool, width int, ok bool) {
	if arith == domain.Real {
		return true, 0, true
	}
	width = -1
	for _, p := range v.sides() {
		if len(p.Parts()) == 0 { // nothing is known of what is between
			return false, 0, false
		}
		for _, t := range p.Parts() {
			switch {
			case !t.Tensor:
				continue
			case !arith.Bits(t.Elem):
				real = true
				continue
			case t.Elem.Kind != domain.ElemInt && t.Elem.Kind != domain.ElemUint:
				return false, 0, false
			case width == -1:
				width = t.Elem.Width
			}
			if width != t.Elem.Width {
				width = 0
			}
		}
	}
	return real, max(width, 0), true
}
