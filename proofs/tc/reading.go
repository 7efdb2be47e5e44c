// Package tc is the checker's reading of Tensor Comprehensions. It was written from what these mean
// for all sizes. Where it is not certain what a text means, and where the form of package loops
// cannot say it, the text is refused: integers made of floats, float16 and bool, <=>.
//
//	reading.go     definitions and their headings
//	syntax.go      words, expressions, statements
//	types.go       types of elements, literals
//	control.go     subscripts and bounds
//	ranges.go      the ranges of indices
//	statements.go  statements as nests of loops
//	data.go        elements
//
// # What is read
//
// A statement is a nest of loops over the ranges of its indices: those of the tensor that it
// writes, in order, and in them those that occur on the right alone, in the order in which they do.
// With ! one over those of the tensor is in front, which sets each cell.
//
//   - Each range that is found, and each by which another one is, has to hold something, for all
//     sizes: that is required where it is not evident. Others that a text gives may hold nothing.
//   - A tensor has the extents that the first statement that writes it gives it: the ends of the
//     ranges. If the ranges of a statement that writes it again would be others if its own extents
//     took part in finding them, or if an end is not evidently within the extent, that is refused.
//   - A name behind where stands for its expression, wherever it is used; what exists reads
//     has to lie within, at all indices, and is not read.
//   - A statement reads what it writes at the same cell alone, and sums nothing then.
//   - Subscripts and bounds are integers of mathematics that have to lie in 32 bits: that is
//     required wherever limits of sizes do not make it so.
//   - A literal takes the type of the operand beside it. Where it matters which operand that is, or
//     which of two rules for types comes first, the text is refused.
package tc

import (
	"math/big"
	"slices"

	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/proofs/loops"
	"tv/proofs/procedures"
	"tv/semantics/domain"
)

// Reading reads Tensor Comprehensions.
type Reading struct{}

// Read implements algebra.Reading.
func (Reading) Read(f *source.File) (algebra.Source, error) {
	p, err := Procedure(f)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Procedure reads a text: the definition that is meant, or without one the only one. Errors:
// source.Errors.
func Procedure(file *source.File) (out *loops.Procedure, err error) {
	err = procedures.Read(file, word(), " \t\r\n#", func(w *procedures.Words) {
		d := chosen(definitions(w), source.Span{File: file})
		limits := domain.Limits{Sizes: 28, Counts: 30}
		p := &loops.Procedure{Span: d.name, Limits: limits}
		l := &lowering{p: p, out: &p.Body, tensors: map[string]*tensor{}}
		l.within = &loops.Ranges{Of: l.bounds, Count: loops.Beyond(limits.Counts)}
		out = l.procedure(d)
	})
	return out, err
}

// chosen is the definition that is meant, or without one the only one.
func chosen(list []*definition, whole source.Span) *definition {
	list = slices.DeleteFunc(list, func(d *definition) bool {
		return whole.File.Function != "" && d.name.Text() != whole.File.Function
	})
	check(len(list) > 0, whole, "unbound-name", "there is no such definition")
	check(len(list) == 1, whole, "unsupported-op", "%d definitions that may be meant", len(list))
	return list[0]
}

// A lowering is a text on its way into the form.
type lowering struct {
	p        *loops.Procedure
	tensors  map[string]*tensor
	within   *loops.Ranges
	out      *[]loops.Stmt
	indices  []string              // of the statement, in the order of its loops
	ranges   map[string]interval   // of those that are known
	asked    map[string]bool       // those of whose values ranges were found
	counters map[string]*loops.For // by their names
	places   map[string]source.Span
}

// A tensor is an input, or an output, which has a buffer from the first on that writes it.
type tensor struct {
	of    *loops.Buffer
	input bool
}

// procedure lowers a definition.
func (l *lowering) procedure(d *definition) *loops.Procedure {
	for _, q := range d.params {
		b := &loops.Buffer{Name: q.name.Text(), Elem: elem(q.typ, q.typ.Text()), Span: q.name}
		for _, n := range q.dims {
			b.Dims = append(b.Dims, l.dim(n))
		}
		l.declare(q.name, &tensor{b, true})
		l.within.Counts(b.Dims)
		l.p.Params = append(l.p.Params, b)
	}
	for _, at := range d.outs {
		l.declare(at, &tensor{})
	}
	for _, s := range d.body {
		l.statement(s)
	}
	for _, at := range d.outs {
		b := l.tensors[at.Text()].of
		check(b != nil, at, "output-unknown", "%s is not written", at.Text())
		l.p.Params = append(l.p.Params, b)
	}
	return l.p
}

func (l *lowering) declare(at source.Span, t *tensor) {
	name := at.Text()
	check(l.tensors[name] == nil && !slices.Contains(l.p.Sizes, name), at, "redefined-name",
		"%s is declared already", name)
	l.tensors[name] = t
}

// dim is an extent of an input.
func (l *lowering) dim(n *node) size {
	if n.op == "number" {
		x := integer(n)
		check(l.nonneg(x) && l.nonneg(domain.IntSize(1<<28).Sub(one).Sub(x)), n.at, "too-large",
			"an extent is below 2^28")
		return x
	}
	check(l.tensors[n.text] == nil, n.at, "unsupported-op", "a tensor as an extent")
	if !slices.Contains(l.p.Sizes, n.text) {
		l.p.Sizes = append(l.p.Sizes, n.text)
	}
	return domain.NamedSize(n.text)
}

// bounds is what names are known to be: sizes, and with a # indices.
func (l *lowering) bounds(name string) (least, most *big.Int) {
	if name[0] != '#' {
		return big.NewInt(1), l.p.MostOf()
	}
	if r, known := l.ranges[name[1:]]; known {
		least, _ = l.within.Bounds(r.lo)
		_, most = l.within.Bounds(r.hi.Sub(one))
	}
	return least, most
}
