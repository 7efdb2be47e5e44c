package equiv

import (
	"context"
	"fmt"

	"tv/equiv/normal"
	"tv/equiv/sizes"
	"tv/equiv/smt"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/index"
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
	Normal string // the element in normal form; empty in exact arithmetic of other than integers
	SMT    string // SMT-LIB: the constant result is the element; or why there is none, as a comment
}

// Describe lowers a program and brings it into normal form. Where the domain has several cases it describes the
// first.
func Describe(p semantics.Source, opts Options) (Description, error) {
	q, err := ask(Question{Before: p, After: unassuming{p}}, opts)
	if err != nil {
		return Description{}, err
	}
	if depth := q.before.Depth(); depth > maxDepth {
		return Description{}, source.Errors{source.Errorf(p.Root(), "too-deep", "%s", tooDeep(depth))}
	}
	d := Description{Domain: q.r.Domain}
	all, ok := sizes.Cases(q.domain.Preds, q.domain.Mins)
	if !ok {
		return d, fmt.Errorf("the domain has too many cases")
	}
	b := term.NewBuilder()
	sz := sizes.NewFacts(b.Index, q.domain.Names, q.domain.Mins, all[0])
	x, err := q.before.Lower(b, semantics.LowerOptions{Arith: opts.Arith, Size: sz.Name, Whole: true})
	if err != nil {
		return d, err
	}
	d.Idealised, d.Opaque = x.Idealised, x.Opaque
	laws, polynomial := q.laws(opts.Arith)
	e := normal.NewEngine(context.Background(), b.Index, laws, opts.steps())
	root := b.Index.Root()
	for _, c := range x.Components {
		at := make([]*index.Expr, len(c.Array.Dims))
		for i, n := range c.Array.Dims {
			at[i] = b.Index.NewVar(fmt.Sprintf("i%d", i), b.Index.Const(0), n).Expr()
		}
		t := c.Array.Element(root, at)
		out := ComponentDescription{Path: c.Path, Term: t.String()}
		if f, err := smt.NewElement(b, root, t, smtTerms); err != nil {
			out.SMT = "; " + err.Error() + "\n"
		} else {
			out.SMT = f.Text()
		}
		if polynomial {
			if out.Normal, err = e.Describe(root, t); err != nil {
				return d, err
			}
			have, err := e.Obligations(root, c.Array)
			if err != nil {
				return d, err
			}
			d.Obligations = mergeNames(d.Obligations, have.Texts())
		}
		d.Components = append(d.Components, out)
	}
	return d, nil
}

// unassuming is a program as AFTER, which may not assume what it assumes as BEFORE.
type unassuming struct{ semantics.Source }

func (s unassuming) Declarations() domain.Declarations {
	d := s.Source.Declarations()
	d.Assumes = nil
	return d
}
