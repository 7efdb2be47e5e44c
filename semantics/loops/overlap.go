package loops

import (
	"slices"

	"tv/semantics"
	"tv/semantics/domain"
)

// Overlapping returns two parameters of which one is written and that may overlap, where the text has them so.
func (p *Procedure) Overlapping() (a, b *Buffer, found bool) {
	for a, b := range p.overlapping {
		return a, b, true
	}
	return nil, nil, false
}

// overlapping yields all such pairs.
func (p *Procedure) overlapping(yield func(a, b *Buffer) bool) {
	if !p.Alias {
		return
	}
	written := map[*Buffer]bool{}
	for _, pl := range PlacesOf(p) {
		if s, ok := pl.Stmt.(*Assign); ok {
			written[s.To.Buffer] = true
		}
	}
	array := func(b *Buffer) bool {
		return (b.Kind <= In || slices.Contains(p.Scratched, b)) && len(b.Dims) > 0 && !b.Restricted
	}
	for i, a := range p.Buffers {
		for _, b := range p.Buffers[:i] {
			if array(a) && array(b) && (written[a] || written[b]) && (p.Untyped || compatible(a.Elem, b.Elem)) {
				if !yield(b, a) {
					return
				}
			}
		}
	}
}

// Overlaps implements semantics.Overlapper: the pairs of one element type. What bytes of another type are nobody says here.
func (t *Typed) Overlaps() (out []semantics.Overlap) {
	for a, b := range t.Procedure.overlapping {
		if a.Elem == b.Elem && !slices.Contains(t.Procedure.Scratched, a) && !slices.Contains(t.Procedure.Scratched, b) {
			out = append(out, semantics.Overlap{Of: t.known(b), Behind: t.known(a)})
		}
	}
	return out
}

// known is the name of a parameter in the question.
func (t *Typed) known(b *Buffer) string { return t.Parts()[t.Part(b)].Input }

// Overlapped is the procedure called with parameters that overlap, to be run.
func (t *Typed) Overlapped(o semantics.Overlap) *Typed {
	out := *t
	out.Overlap = &o
	return &out
}

// compatible tells whether memory may be accessed as elements of either type: characters are in all, and a sign does not
// count.
func compatible(a, b domain.Elem) bool {
	float := a.Kind == domain.ElemFloat
	return a.Width == 8 || b.Width == 8 || a.Width == b.Width && float == (b.Kind == domain.ElemFloat)
}
