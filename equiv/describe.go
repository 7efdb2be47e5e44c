package equiv

import (
	"context"
	"fmt"

	"tv/equiv/normal"
	"tv/glenside"
	"tv/semantics/lower"
	"tv/semantics/term"
)

// A Description is what tv makes of one program.
type Description struct {
	Domain      []string // the conditions under which the program is well formed, one each
	Components  []ComponentDescription
	Idealised   []string // accelerator calls taken by their ideal meaning
	Opaque      []string // symbols that the arithmetic does not interpret
	Obligations []string // the conditions under which an element is defined: "D[i0] != 0"
}

// A ComponentDescription is a tensor of the result, at the symbolic index i0, i1, ...
type ComponentDescription struct {
	Path   []int  // of indices into tuples
	Term   string // the element as it is lowered
	Normal string // the element in normal form, in the reals
}

// Describe lowers a program and brings it into normal form. Where the domain has several cases it describes the
// first.
func Describe(p *glenside.Program, opts Options) (Description, error) {
	q, err := ask(p, p, opts)
	if err != nil {
		return Description{}, err
	}
	d := Description{Domain: q.r.Domain}
	all, ok := cases(q.domain.preds)
	if !ok {
		return d, fmt.Errorf("the domain has too many cases")
	}
	b := term.NewBuilder()
	sz := newSizes(b.Index, q.domain.names, q.domain.mins, all[0])
	x, err := lower.Lower(b, q.before, lower.Options{Exact: opts.Arith == Exact, Size: sz.name})
	if err != nil {
		return d, err
	}
	d.Idealised, d.Opaque = x.Idealised, x.Opaque
	e := normal.NewEngine(context.Background(), b.Index, normal.RealLaws, normalBudget)
	root := b.Index.Root()
	for _, c := range x.Components {
		lowered, form, err := e.Describe(root, c.Array)
		if err != nil {
			return d, err
		}
		d.Components = append(d.Components, ComponentDescription{Path: c.Path, Term: lowered, Normal: form})
		have, _, err := e.Obligations(root, c.Array.Dims, c.Array, c.Array)
		if err != nil {
			return d, err
		}
		d.Obligations = mergeNames(d.Obligations, have.Texts())
	}
	return d, nil
}
