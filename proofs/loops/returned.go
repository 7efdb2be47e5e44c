package loops

import (
	"fmt"
	"slices"

	"tv/semantics/domain"
)

// Return declares what a call returns: a parameter that is written, and whose contents before the
// call cannot be read, as a local of the whole body. It comes last among the results, so all
// parameters are there before.
func (p *Procedure) Return(elem domain.Elem) *Buffer {
	b := &Buffer{Name: "return", Elem: elem, Span: p.Span}
	named := func(q *Buffer) bool { return q.Name == b.Name }
	for i := 2; slices.ContainsFunc(p.Params, named); i++ {
		b.Name = fmt.Sprintf("return.%d", i)
	}
	p.Params = append(p.Params, b)
	p.Body = append([]Stmt{&Alloc{Buffer: b, Span: p.Span}}, p.Body...)
	return b
}

// Given reports whether a buffer is a parameter that holds something before the call.
func (p *Procedure) Given(b *Buffer) bool {
	var begun func(block []Stmt) bool
	begun = func(block []Stmt) bool {
		return slices.ContainsFunc(block, func(s Stmt) bool {
			switch s := s.(type) {
			case *Alloc:
				return s.Buffer == b
			case *For:
				return begun(s.Body)
			case *If:
				return begun(s.Then) || begun(s.Else)
			}
			return false
		})
	}
	return slices.Contains(p.Params, b) && !begun(p.Body)
}
