package glenside

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"

	"tv/glenside"
	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// Short names of what every signature has.
type (
	expr    = algebra.Expr
	context = algebra.Context
	scalar  = algebra.Scalar
)

// A lowering states the elements of a program's tensors.
type lowering struct {
	*algebra.State
	ty       *glenside.Typing
	numbered []part
	cuts     map[part]string // tensors that stand for subterms
	memo     map[string]*scalar
	dimsOf   map[*glenside.Type][]*expr
	digests  map[*glenside.Node]string
	joined   map[*glenside.Node][]place // what many concatenations put together
	begins   map[*glenside.Node][]*expr // and where each part of that begins
}

// A place is a tensor of a program: a node and, where that is a tuple, the way into it.
type place struct {
	n    *glenside.Node
	path []int
}

func (l *lowering) typeOf(p place) *glenside.Type {
	t := l.ty.Type(p.n)
	for _, i := range p.path {
		t = t.Items[i]
	}
	return t
}

func (l *lowering) dims(t *glenside.Type) []*expr {
	if d, ok := l.dimsOf[t]; ok {
		return d
	}
	d := make([]*expr, len(t.Dims))
	for i, s := range t.Dims {
		d[i] = l.Size(s)
	}
	l.dimsOf[t] = d
	return d
}

// cheap holds the operators that only rewrite the index: to ask again costs no more than a look.
var cheap = map[string]bool{"access": true, "access-tensor": true, "access-transpose": true,
	"access-slice": true, "access-shift-right": true, "access-squeeze": true,
	"access-insert-axis": true, "access-broadcast": true, "access-windows": true}

// at returns the element of a tensor at an index, which lies within its dims at c.
func (l *lowering) at(p place, c *context, at []*expr) *scalar {
	dims := l.dims(l.typeOf(p))
	in := slices.Clone(at)
	for i, d := range dims {
		if d.Is(1) {
			in[i] = l.B.Const(0)
		}
	}
	switch name, cut := l.cuts[part{node: p.n.ID}]; {
	case cut:
		return l.element(p, name, in, true) // it may have no value
	case p.n.Kind == glenside.KindSymbol:
		return l.element(p, p.n.Text, in, false)
	}
	if cheap[p.n.Op.Name] {
		return l.call(p, c, in)
	}
	key := l.Key(c, in, p.n.ID, p.path...)
	t := l.memo[string(key)]
	if t == nil {
		t = l.call(p, c, in)
		l.memo[string(key)] = t
	}
	return t
}

// element reads a tensor of the dims of p. Where it asks, it may have no value.
func (l *lowering) element(p place, name string, at []*expr, asks bool) *scalar {
	t := l.typeOf(p)
	return l.Read(name, l.dims(t), at, t.Elem, asks)
}

// spelled is the number that a literal spells.
func (l *lowering) spelled(elem domain.Elem, text string) *scalar {
	v, _ := glenside.ParseDecimal(text)
	return l.Literal(elem, text, v)
}

// sides returns the axis on which a node has operands side by side, or -1, and their number.
func (l *lowering) sides(n *glenside.Node) (axis, count int) {
	for n.Kind == glenside.KindCall && (n.Op.Name == "access" || n.Op.Name == "access-tensor") {
		n = n.Args[0]
	}
	if n.Kind != glenside.KindCall {
		return -1, 0
	}
	switch n.Op.Name {
	case "access-pair":
		return l.ty.Type(n.Args[0]).Split, 2
	case "access-cartesian-product":
		return l.ty.Type(n.Args[0]).Split + l.ty.Type(n.Args[1]).Split, 2
	}
	return -1, 0
}

// opaque returns the element of a tensor of which nothing is known but that the same call on the
// same operands makes the same.
func (l *lowering) opaque(p place, what string, at []*expr) *scalar {
	name := algebra.Derived + what + " " + l.written(p.n)
	return l.element(p, name, at, true) // nor is it known whether it has a value
}

// read identifies a node that reads one tensor: by its dims, split and the offset at any index.
func (l *lowering) read(n *glenside.Node) string {
	t := l.ty.Type(n)
	if t.Kind > glenside.TypeTensor {
		return ""
	}
	return l.reads(t, func(at []*expr) *scalar { return l.at(place{n: n}, l.B.Root, at) })
}

// reads identifies a tensor of a type whose elements are those of one other.
func (l *lowering) reads(t *glenside.Type, elem func(at []*expr) *scalar) string {
	names := map[*algebra.Atom]string{}
	var at []*expr
	for i, d := range l.dims(t) {
		v := l.B.NewVar(l.B.Const(0), d)
		names[v] = fmt.Sprintf("%d:%s", i, algebra.Formatted(d))
		at = append(at, v.Expr())
	}
	x := elem(at)
	if x.Op != algebra.OpRead {
		return ""
	}
	name := func(a *algebra.Atom) string {
		if a.Kind == algebra.KindSize {
			return strconv.Quote(a.Name) // which may hold blanks and parentheses
		}
		return names[a]
	}
	return fmt.Sprintf("%q %d %s %s", x.Name, t.Split, t, x.E.Format(name))
}

// digest identifies a node by what it reads or how it is written.
func (l *lowering) digest(n *glenside.Node) string {
	d, ok := l.digests[n]
	if !ok {
		if d = l.read(n); d == "" {
			d = l.written(n)
		}
		l.digests[n] = d
	}
	return d
}

func (l *lowering) written(n *glenside.Node) string {
	text := glenside.FormatNode
	if n.Kind == glenside.KindCall {
		text = func(n *glenside.Node) string {
			parts := []string{n.Op.Name}
			for _, a := range n.Args {
				parts = append(parts, l.digest(a))
			}
			return fmt.Sprintf("%q", parts)
		}
	}
	return fmt.Sprintf("%d:%x", n.Kind, sha256.Sum256([]byte(text(n))))
}
