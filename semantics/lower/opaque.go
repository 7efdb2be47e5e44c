package lower

import (
	"crypto/sha256"
	"fmt"

	"tv/glenside"
	"tv/semantics/index"
	"tv/semantics/term"
)

// opaqueTensor returns a call as an input of its own: nothing is known of its elements but that the same
// call on the same operands has the same.
func (l *lowering) opaqueTensor(n *glenside.Node) value {
	return value{array: l.unknown(l.ty.Type(n), n.Op.Name, n)}
}

// unknown returns an input for what a call makes. Its name holds the call, and a quote and a blank,
// which no name of a tensor holds both.
func (l *lowering) unknown(t *glenside.Type, what string, n *glenside.Node) *array {
	l.opaque[what] = true
	text := l.digest(n).text
	if l.digest(n).size <= maxText {
		text = glenside.FormatNode(n)
	}
	in := l.b.Input(what+` "`+text+`"`, l.dims(t.Dims), l.sort(t.Elem))
	a := l.typed(t, func(_ *index.Context, at []*index.Expr) *term.Term { return l.b.Read(in, at) })
	a.plain = true
	return a
}

// maxText is the number of nodes, counted wherever they occur, up to which a call is printed.
const maxText = 64

// A digest stands for the text of a node, which can be much longer than the program: subterms are shared.
type digest struct {
	text string // hexadecimal digits of a hash
	size int    // nodes of the text, or more than maxText
}

func (l *lowering) digest(n *glenside.Node) digest {
	if d, ok := l.digests[n]; ok {
		return d
	}
	d := digest{size: 1}
	h := sha256.New()
	if n.Kind == glenside.KindCall {
		fmt.Fprintf(h, "(%s", n.Op.Name)
		for _, a := range n.Args {
			inner := l.digest(a)
			fmt.Fprintf(h, " %s", inner.text)
			d.size = min(d.size+inner.size, maxText+1)
		}
		fmt.Fprint(h, ")")
	} else {
		fmt.Fprint(h, glenside.FormatNode(n))
	}
	d.text = fmt.Sprintf("%x", h.Sum(nil)[:16])
	l.digests[n] = d
	return d
}
