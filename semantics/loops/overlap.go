package loops

import (
	"slices"

	"tv/semantics/domain"
)

// Overlapping returns two parameters of which one is written and that may overlap, where the text has them so.
func (p *Procedure) Overlapping() (a, b *Buffer, found bool) {
	if !p.Alias {
		return nil, nil, false
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
			if array(a) && array(b) && (written[a] || written[b]) && compatible(a.Elem, b.Elem) {
				return b, a, true
			}
		}
	}
	return nil, nil, false
}

// compatible tells whether memory may be accessed as elements of either type: characters are in all, and a sign does not
// count.
func compatible(a, b domain.Elem) bool {
	float := a.Kind == domain.ElemFloat
	return a.Width == 8 || b.Width == 8 || a.Width == b.Width && float == (b.Kind == domain.ElemFloat)
}
