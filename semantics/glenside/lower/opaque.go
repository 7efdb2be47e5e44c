package lower

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"tv/glenside"
	"tv/semantics/index"
	"tv/semantics/term"
)

// opaqueTensor returns a call as an input of its own: nothing is known of its elements but that the same
// call on equal operands has the same.
func (l *lowering) opaqueTensor(n *glenside.Node) meaning {
	return meaning{array: l.unknown(l.ty.Type(n), n.Op.Name, n)}
}

// unknown returns an input for what a call makes. Its name says what the operands are, and holds a quote
// and a blank, which no name of a tensor holds both.
func (l *lowering) unknown(t *glenside.Type, what string, n *glenside.Node) *array {
	l.opaque[what] = true
	text, ok := l.operands(n)
	if !ok {
		text = "#" + l.digest(n)
	} else if len(text) > maxText {
		text = "#" + hashed(text)
	}
	return l.tensor(t, what+` "`+text+`"`, true)
}

const (
	maxText    = 200     // bytes of operands that a name spells out
	maxWritten = 1 << 20 // bytes of an operand without elements, which may be written of what is shared many times
	maxVisits  = 20_000  // parts of terms that operands are identified by; else it is by how they are written
)

// operands describes the operands of a call, so that equal descriptions, of any program lowered with the
// builder, mean equal operands: a tensor by its element at any index, with variables numbered.
func (l *lowering) operands(n *glenside.Node) (string, bool) {
	w := writer{visits: maxVisits, labels: map[*index.Atom]string{}}
	for i, a := range n.Args {
		if i > 0 {
			w.text.WriteString(", ")
		}
		switch x := l.array(a); {
		case x != nil:
			if n.Op.Category == glenside.CatCompute {
				fmt.Fprintf(&w.text, "split %d of ", x.split)
			}
			w.array(l, x)
		case a.Kind == glenside.KindInt:
			w.exprs(l.size(a.Int))
		case l.ty.Type(a).Kind == glenside.TypeShape:
			w.text.WriteString("shape ")
			w.exprs(l.dims(l.ty.Type(a).Dims)...)
		default:
			text, whole := glenside.FormatWithin(a, maxWritten)
			if w.text.WriteString(text); !whole {
				w.visits = 0
			}
		}
	}
	return w.text.String(), w.visits > 0
}

// A writer prints terms so that those that differ in the names of variables alone are printed alike.
type writer struct {
	text   strings.Builder
	labels map[*index.Atom]string // of variables
	bound  int                    // variables bound around what is written
	visits int                    // left to make
}

// array prints the name of an input that is read as it is, else dims and element.
func (w *writer) array(l *lowering, x *array) {
	at := l.vector(len(x.dims))
	for i, d := range x.dims {
		v := l.x.NewVar("i", l.zero, d)
		w.labels[v] = fmt.Sprintf("i%d", i)
		at[i] = l.on(d, v.Expr())
	}
	t := x.elem(l.x.Root(), at)
	if t.Op == term.Read && slices.Equal(t.Index, at) && slices.Equal(t.Tensor.Dims, x.dims) {
		w.text.WriteString(index.Spelt(t.Tensor.Name))
		return
	}
	w.text.WriteByte('(')
	w.exprs(x.dims...)
	w.text.WriteString(" of ")
	w.term(t)
	w.text.WriteByte(')')
}

func (w *writer) term(t *term.Term) {
	if w.visits--; w.visits <= 0 {
		return
	}
	switch t.Op {
	case term.Read:
		w.text.WriteString(index.Spelt(t.Tensor.Name))
		w.exprs(t.Index...)
		return
	case term.Const:
		fmt.Fprintf(&w.text, "%s:%s", t, t.Sort)
		return
	}
	fmt.Fprintf(&w.text, "%d.%d:%s %s", t.Op, t.Fold, t.Sort, index.Spelt(t.Name))
	w.exprs(t.Index...)
	for _, v := range t.Vars {
		w.exprs(v.Lo, v.Hi)
	}
	for _, v := range t.Vars {
		w.labels[v] = fmt.Sprintf("k%d", w.bound)
		w.bound++
	}
	w.text.WriteByte('(')
	for _, a := range t.Args {
		w.text.WriteByte(' ')
		w.term(a)
	}
	w.text.WriteByte(')')
	w.bound -= len(t.Vars)
}

// exprs prints expressions in brackets, the terms of each in the order of their text.
func (w *writer) exprs(list ...*index.Expr) {
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = w.expr(e)
	}
	w.text.WriteString("[" + strings.Join(texts, " ") + "]")
}

func (w *writer) expr(e *index.Expr) string {
	if w.visits--; w.visits <= 0 {
		return ""
	}
	var terms []string
	for _, t := range e.Terms() {
		var atoms []string
		for _, a := range t.Atoms() {
			atoms = append(atoms, w.atom(a))
		}
		slices.Sort(atoms)
		if !t.Coef.IsOne() || len(atoms) == 0 {
			atoms = append([]string{t.Coef.String()}, atoms...)
		}
		terms = append(terms, strings.Join(atoms, "*"))
	}
	slices.Sort(terms)
	if len(terms) == 0 {
		return "0"
	}
	return strings.Join(terms, "+")
}

func (w *writer) atom(a *index.Atom) string {
	switch a.Kind {
	case index.Size:
		return index.Spelt(a.Name)
	case index.Var:
		return w.labels[a]
	case index.Floor:
		return "(" + w.expr(a.Num) + " div " + w.expr(a.Den) + ")"
	}
	args := []string{w.expr(a.Num), w.expr(a.Den)}
	slices.Sort(args)
	return fmt.Sprintf("%d(%s)", a.Kind, strings.Join(args, " "))
}

// digest identifies a node by how it is written, without printing what is shared more than once.
func (l *lowering) digest(n *glenside.Node) string {
	if d, ok := l.digests[n]; ok {
		return d
	}
	text := glenside.FormatNode
	if n.Kind == glenside.KindCall {
		text = func(n *glenside.Node) string {
			parts := []string{n.Op.Name}
			for _, a := range n.Args {
				parts = append(parts, l.digest(a))
			}
			return "(" + strings.Join(parts, " ") + ")"
		}
	}
	d := hashed(text(n))
	l.digests[n] = d
	return d
}

func hashed(text string) string {
	h := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%x", h[:16])
}
