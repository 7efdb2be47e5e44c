package procedures

import (
	"math/big"
	"slices"

	"tv/internal/source"
	"tv/semantics/domain"
)

// A Node is an expression: a dim, an end of a range, a subscript or a value. Expression reads it;
// of a read, Span is the name of the tensor and Args are the subscripts, and the language sets
// Param and Subs.
type Node struct {
	Op    byte // '0' a number, 'x' a name, '(' a read, or an operator; '~' is '-' of one operand
	Span  source.Span
	Args  []*Node
	Depth int
	Param int      // that a read reads
	Subs  []Affine // its subscripts
}

// An Affine is a sum of indices, by name, each times a number, and of a size, which stands at "".
type Affine map[string]domain.Size

// An Index takes the values from Lo to Hi - 1.
type Index struct {
	Name   string
	Lo, Hi domain.Size
}

func join(op byte, at source.Span, args ...*Node) *Node {
	n := &Node{Op: op, Span: at, Args: args, Depth: 1}
	for _, a := range args {
		n.Depth = max(n.Depth, a.Depth+1)
	}
	return n
}

// Expression takes products of factors with + and - between. A factor is a number, a name, a read
// NAME(SUBSCRIPT, ...), "-" with a factor, or an expression in parentheses, which leave no node.
// What of these a language has not, it refuses.
func (w *Words) Expression() *Node {
	x := w.product()
	for w.Is("+", "-") {
		at := w.Next()
		x = join(at.Text()[0], at, x, w.product())
	}
	return x
}

func (w *Words) product() *Node {
	x := w.factor()
	for w.Is("*") {
		x = join('*', w.Next(), x, w.factor())
	}
	return x
}

// factor takes an operand; "-" of one binds closest.
func (w *Words) factor() *Node {
	if w.Is("-") {
		return join('~', w.Next(), w.factor())
	}
	at := w.Next()
	switch named := begins(at, letters); {
	case named && w.Is("("):
		n := join('(', at)
		w.List("(", ")", func() { n = join('(', at, append(n.Args, w.Expression())...) })
		return n
	case named:
		return join('x', at)
	case begins(at, ".0123456789"):
		return join('0', at)
	}
	Check(at.Text() == "(", at, "bad-syntax", "expected an operand")
	x := w.Expression()
	w.Expect(")")
	return x
}

// Names visits the names of n from left to right, but for those of tensors.
func (n *Node) Names(visit func(source.Span)) {
	if n.Op == 'x' {
		visit(n.Span)
	}
	for _, a := range n.Args {
		a.Names(visit)
	}
}

// Size is the value of n over its names.
func (n *Node) Size() (out domain.Size) {
	var args []domain.Size
	Check(n.Op != '(', n.Span, "bad-syntax", "a read stands where an integer does")
	for _, a := range n.Args {
		args = append(args, a.Size())
	}
	switch n.Op {
	case '0':
		v, ok := new(big.Int).SetString(n.Span.Text(), 10)
		Check(ok, n.Span, "bad-syntax", "%s is no integer", n.Span.Text())
		out = domain.BigSize(v)
	case 'x':
		out = domain.NamedSize(n.Span.Text())
	case '+':
		out = args[0].Add(args[1])
	case '-':
		out = args[0].Sub(args[1])
	case '~':
		out = out.Sub(args[0])
	case '*':
		out = args[0].Mul(args[1])
	}
	Check(!out.TooLarge(), n.Span, "too-large", "a size is too large")
	return out
}

// Affine takes a subscript apart by indices.
func (n *Node) Affine(indices []*Index) Affine {
	whole := n.Size()
	out, rest := Affine{}, whole
	for _, x := range indices {
		at := func(v int64) domain.Size {
			return whole.Subst(map[string]domain.Size{x.Name: domain.IntSize(v)})
		}
		c := at(1).Sub(at(0))
		_, number := c.Const()
		Check(number, n.Span, "not-affine", "%s times what is no number", x.Name)
		out[x.Name], rest = c, rest.Sub(c.Mul(domain.NamedSize(x.Name)))
	}
	for _, x := range indices {
		Check(!slices.Contains(rest.Names(), x.Name), n.Span, "not-affine", "%s twice", x.Name)
	}
	out[""] = rest
	return out
}
