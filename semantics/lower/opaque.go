package lower

import (
	"crypto/sha256"
	"fmt"

	"tv/glenside"
	"tv/semantics/index"
	"tv/semantics/term"
)

// opaqueTensor returns a call as an input of its own: nothing is known of its elements but that the same call on
// the same operands has the same. Its name is the operation and a digest of the call.
func (l *lowering) opaqueTensor(n *glenside.Node) value {
	return value{array: l.unknown(l.ty.Type(n), n.Op.Name, n)}
}

func (l *lowering) unknown(t *glenside.Type, what string, n *glenside.Node) *array {
	l.opaque[what] = true
	in := l.b.Input(what+" "+l.digest(n), l.dims(t.Dims), l.sort(t.Elem))
	a := l.typed(t, func(_ *index.Context, at []*index.Expr) *term.Term { return l.b.Read(in, at) })
	a.plain = true
	return a
}

// digest identifies a node by its text, without printing subterms that are shared more than once.
func (l *lowering) digest(n *glenside.Node) string {
	if d, ok := l.texts[n]; ok {
		return d
	}
	h := sha256.New()
	if n.Kind == glenside.KindCall {
		fmt.Fprintf(h, "(%s", n.Op.Name)
		for _, a := range n.Args {
			fmt.Fprintf(h, " %s", l.digest(a))
		}
		fmt.Fprint(h, ")")
	} else {
		fmt.Fprintf(h, "%d %s %s", n.Kind, n.Text, n.Int)
	}
	d := fmt.Sprintf("%x", h.Sum(nil)[:16])
	l.texts[n] = d
	return d
}
