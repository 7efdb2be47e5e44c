package prove

import (
	"slices"

	"tv/equiv/normal"
	"tv/semantics"
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
	for side, p := range v.sides() {
		if len(p.Parts()) == 0 { // nothing is known of what is between
			return false, 0, false
		}
		if v.elems[side] == nil {
			v.elems[side] = computed(p)
		}
		for _, t := range v.elems[side] {
			switch {
			case !arith.Bits(t):
				real = true
				continue
			case t.Kind != domain.ElemInt && t.Kind != domain.ElemUint:
				return false, 0, false
			case width == -1:
				width = t.Width
			}
			if width != t.Width {
				width = 0
			}
		}
	}
	return real, max(width, 0), true
}

// computed lists the types that a program computes in, each once: numbers of one are no numbers of another. Truths are none.
func computed(p semantics.Program) (out []domain.Elem) {
	parts := p.Parts()
	for i := range parts {
		if t := &parts[i]; t.Tensor && !slices.Contains(out, t.Elem) {
			out = append(out, t.Elem)
		}
	}
	if c, ok := p.(semantics.Computer); ok {
		for _, t := range c.Computes() {
			if t.Kind != domain.ElemBool {
				out = append(out, t)
			}
		}
	}
	return out
}
