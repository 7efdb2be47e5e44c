package loops

import (
	"slices"

	"tv/semantics"
	"tv/semantics/domain"
)

// Computes implements semantics.Computer: the types of all elements, in the order of the text.
func (t *Typed) Computes() (out []domain.Elem) {
	add := func(e domain.Elem) {
		if !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	var element func(e *Expr)
	element = func(e *Expr) {
		add(e.Elem)
		for _, a := range e.Args {
			element(a)
		}
	}
	for _, pl := range t.Places.Ordered() {
		switch s := pl.Stmt.(type) {
		case *Assign:
			add(s.To.Buffer.Elem)
			element(s.Value)
		case *When:
			element(s.Cond)
		}
	}
	return out
}

// Obligations implements semantics.Debtor: for each result its value, or that it is kept.
func (t *Typed) Obligations() (out []semantics.Obligation) {
	counts := map[Obligation]int{Frame: t.observed, Arithmetic: len(t.Steps) - t.observed}
	accessed := func(a Access) {
		if len(a.At) > 0 {
			counts[Bounds]++
		}
	}
	var reads func(e *Expr)
	reads = func(e *Expr) {
		if e.Op == Read {
			accessed(e.From)
			if e.From.Buffer.Kind > In {
				counts[Initialised]++
			}
		}
		for _, a := range e.Args {
			reads(a)
		}
	}
	for _, pl := range PlacesOf(t.Procedure).Ordered() {
		switch s := pl.Stmt.(type) {
		case *Assign:
			accessed(s.To)
			reads(s.Value)
		case *When:
			reads(s.Cond)
		case *Require:
			counts[s.Obligation]++
		case *For:
			counts[Termination]++
			if s.Parallel != nil {
				counts[Independent]++
			}
		}
	}
	counts[Kinds] = len(t.Parameters)
	for _, name := range []Obligation{Arithmetic, Frame, Kinds, Bounds, Index, Initialised, Called, Overflow, Independent, Termination} {
		if counts[name] > 0 {
			out = append(out, semantics.Obligation{Name: string(name), Count: counts[name]})
		}
	}
	return out
}
