package ila

import "tv/semantics/index"

// A Family is a driver for all sizes of a domain: the points at which every fact is at least 0.
type Family struct {
	Name   string
	Sizes  []Size
	Domain []string // the domain for people: one condition each
	// New returns the nest for sizes, one expression each over the builder of a model that New made, and the
	// facts; sizes asks for the expressions.
	New func(sizes func(ix *index.Builder) []*index.Expr) (*Nest, []*index.Expr, error)
	// Print returns a point as drivers for fixed sizes take it: "64x128x32".
	Print func(point []int) string
}

// A Size is a name and its least value. Where the sizes before it determine it, Of returns it at a point.
type Size struct {
	Name  string
	Least int
	Of    func(point []int) int
}

// At returns the nest at a point, and the facts there.
func (f *Family) At(point []int) (*Nest, []*index.Expr, error) {
	return f.New(func(ix *index.Builder) []*index.Expr { return constants(ix, point) })
}

// Symbolic returns the nest with names for its sizes, and the facts about them.
func (f *Family) Symbolic() (*Nest, []*index.Expr, error) {
	return f.New(func(ix *index.Builder) []*index.Expr {
		out := make([]*index.Expr, len(f.Sizes))
		for i, s := range f.Sizes {
			out[i] = ix.Size(s.Name, int64(s.Least))
		}
		return out
	})
}

// Claim returns the contract as a formula over the names of sizes, and whether the machine has units that run at once.
func (f *Family) Claim() (claim string, units bool, err error) {
	n, _, err := f.Symbolic()
	if err != nil {
		return "", false, err
	}
	return n.Claim, n.Model.Units != nil, nil
}

// Complete puts the sizes of a point that others determine.
func (f *Family) Complete(point []int) {
	for i, s := range f.Sizes {
		if s.Of != nil {
			point[i] = s.Of(point)
		}
	}
}
