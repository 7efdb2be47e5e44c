package prove

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"tv/equiv/normal"
	"tv/equiv/sizes"
	"tv/equiv/smt"
	"tv/semantics"
	"tv/semantics/index"
	"tv/semantics/term"
)

// A Description is what tv makes of one program.
type Description struct {
	Domain      []string // the conditions under which the program is well formed, one each
	Cases       int      // of the domain, of which the first is described
	Components  []ComponentDescription
	Idealised   []string // accelerator calls taken by their ideal meaning
	Opaque      []string // symbols that the arithmetic does not interpret
	Obligations []string // the conditions under which an element is defined: "D[i0] != 0"
}

// A ComponentDescription is a tensor of the result, at the symbolic index i0, i1, ...
type ComponentDescription struct {
	Path   []int // of indices into tuples
	Dims   []string
	Pieces []Piece
	Term   string // the element as it is lowered
	Normal string // the element in normal form; empty in exact arithmetic of other than integers
	SMT    string // SMT-LIB: the constant result is the element; or why there is none, as a comment
}

// A Piece is what an element is where conditions on its index hold.
type Piece struct {
	Where []string
	Value string
}

// maxPieces bounds the pieces of a component: beyond it the rest is one, with its conditions inside.
const maxPieces = 64

// pieces takes conditions apart that stand around a term.
func pieces(t *term.Term, where []string, out []Piece) []Piece {
	if t.Op != term.If || len(out) >= maxPieces {
		return append(out, Piece{where, t.String()})
	}
	where = where[:len(where):len(where)]
	out = pieces(t.Args[0], append(where, t.Index[0].String()+" >= 0"), out)
	return pieces(t.Args[1], append(where, t.Index[0].String()+" < 0"), out)
}

// distinct numbers the variables of a term that share a name with another one, as k0, k1, in the order in which they are read: who
// reads "sum(k < 3, k < 5) A[k, k]" cannot tell them apart. Its builder makes nothing further.
func distinct(t *term.Term) {
	named := map[string][]*index.Atom{}
	seen := map[*term.Term]bool{}
	var visit func(t *term.Term)
	visit = func(t *term.Term) {
		if seen[t] {
			return
		}
		seen[t] = true
		for _, v := range t.Vars {
			if !slices.Contains(named[v.Name], v) {
				named[v.Name] = append(named[v.Name], v)
			}
		}
		for _, a := range t.Args {
			visit(a)
		}
	}
	visit(t)
	for name, list := range named {
		for i, v := range list {
			if len(list) > 1 {
				v.Name = fmt.Sprint(name, i)
			}
		}
	}
}

// ErrLong is returned of elements that are longer than somebody reads.
var ErrLong = errors.New("the elements are long")

// written is how many operators a term has as it is printed, with what is shared at each place; not much more than most.
func written(t *term.Term, most int) int {
	memo := map[*term.Term]int{}
	var count func(t *term.Term) int
	count = func(t *term.Term) int {
		n, known := memo[t]
		if known {
			return n
		}
		n = 1
		for _, a := range t.Args {
			n = min(n+count(a), most+1)
		}
		memo[t] = n
		return n
	}
	return count(t)
}

// Describe lowers BEFORE and brings it into normal form. Where the domain has several cases it describes the first. Of elements with more than
// most operators, unless that is 0, the error is ErrLong.
func (v *Prover) Describe(most int) (Description, error) {
	d := Description{Domain: v.Domain.Conditions()}
	all, ok := sizes.Cases(v.Domain.Preds, v.Domain.Mins)
	if !ok {
		return d, fmt.Errorf("the domain has too many cases")
	}
	d.Cases = len(all)
	b := term.NewBuilder()
	sz := sizes.NewFacts(b.Index, v.Domain.Names, v.Domain.Mins, all[0])
	sz.Limit(v.Domain)
	x, err := v.Before.Lower(b, semantics.LowerOptions{Arith: v.Arith, Size: sz.Name, Whole: true})
	if err != nil {
		return d, err
	}
	d.Idealised, d.Opaque = x.Idealised, x.Opaque
	laws, polynomial := v.laws(v.Arith)
	e := normal.NewEngine(context.Background(), b.Index, laws, v.Steps)
	root := b.Index.Root()
	for _, c := range x.Components {
		at := make([]*index.Expr, len(c.Array.Dims))
		for i, n := range c.Array.Dims {
			at[i] = b.Index.NewVar(fmt.Sprintf("i%d", i), b.Index.Const(0), n).Expr()
		}
		t := c.Array.Element(root, at)
		if most > 0 && written(t, most) > most {
			return d, ErrLong
		}
		out := ComponentDescription{Path: c.Path}
		for _, n := range c.Array.Dims {
			out.Dims = append(out.Dims, n.String())
		}
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
			d.Obligations = MergeNames(d.Obligations, have.Texts())
		}
		distinct(t)
		out.Term, out.Pieces = t.String(), pieces(t, nil, nil)
		d.Components = append(d.Components, out)
	}
	return d, nil
}
