package loops

import (
	"slices"
	"strings"

	"tv/internal/source"
)

// Scratch is a procedure of whose parameters some are results, by their names with commas: others that it writes are locals,
// which begin undefined. The error is a *source.Error.
func (p *Procedure) Scratch(results string) (*Procedure, error) {
	written := map[*Buffer]bool{}
	for _, pl := range PlacesOf(p) {
		if s, ok := pl.Stmt.(*Assign); ok {
			written[s.To.Buffer] = true
		}
	}
	names := strings.Split(results, ",")
	for _, name := range names {
		if !slices.ContainsFunc(p.Buffers, func(b *Buffer) bool { return b.Kind == InOut && b.Name == name && written[b] }) {
			return nil, source.Errorf(p.Span, "output-unknown", "%s is no parameter that %s writes", name, p.Name)
		}
	}
	out := *p
	out.Heading, out.Buffers = nil, slices.Clone(p.Buffers)
	var begin []Stmt
	for _, b := range p.Buffers {
		if b.Kind == InOut && written[b] && !slices.Contains(names, b.Name) {
			b.Kind = Local // the text was read for this alone
			begin = append(begin, &Alloc{Buffer: b, At: b.Span})
			out.Scratched = append(out.Scratched, b)
		}
	}
	slices.SortStableFunc(out.Buffers, func(a, b *Buffer) int { return rank(a.Kind) - rank(b.Kind) })
	for _, h := range p.Heading {
		if h.Buffer == nil || !slices.Contains(out.Scratched, h.Buffer) {
			out.Heading = append(out.Heading, h)
		}
	}
	out.Body = append(begin, p.Body...)
	return &out, out.extents(begin)
}

// rank orders buffers as those of a procedure are.
func rank(k Kind) int { return max(int(k), int(In)) }

// extents fails where scratch has an extent that nothing else gives.
func (p *Procedure) extents(scratch []Stmt) error {
	for _, s := range scratch {
		b := s.(*Alloc).Buffer
		for _, d := range b.Dims {
			if d == nil || d.Mentions(func(x *Int) bool { return x.Op == Size && !p.gives(x.Name) }) {
				return source.Errorf(b.Span, "output-unknown", "%s is no result, and nothing else says how many elements it has", b.Name)
			}
		}
	}
	return nil
}

// gives tells whether a parameter that is left is a size, or has it as an extent.
func (p *Procedure) gives(size string) bool {
	return slices.ContainsFunc(p.Heading, func(h *Parameter) bool {
		if h.Buffer == nil {
			return h.Size == size && !h.Extent
		}
		return slices.ContainsFunc(h.Buffer.Dims, func(d *Int) bool { return d != nil && d.Op == Size && d.Name == size })
	})
}
