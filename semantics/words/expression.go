package words

import (
	"math/big"
	"regexp"
	"strconv"
	"sync"

	"tv/internal/source"
	"tv/semantics/domain"
)

// What Op of a leaf says, and of a call; all others are operators as they are written.
const (
	Name   = "name"
	Number = "number"
	Call   = "call" // of Args, by the name that Span is: calls are read by the language
)

// A Node is an expression.
type Node struct {
	Op   string
	Args []*Node
	Span source.Span
	Note any // what a language has found out about it
}

// Binary reads operands with operators of two between them. Levels are from the loosest to the closest; operators of one
// level associate to the left. All else is read by operand: numbers, names, calls, parentheses (which leave no node), and
// operators of one, as a node with one of Args. It refuses what is no operand: the words behind are read as operators.
func (r *Reader) Binary(levels [][]string, operand func() *Node) *Node {
	if len(levels) == 0 {
		return operand()
	}
	x := r.Binary(levels[1:], operand)
	for r.Is(levels[0]...) {
		op := r.Next().Text()
		y := r.Binary(levels[1:], operand)
		x = &Node{Op: op, Args: []*Node{x, y}, Span: r.Since(x.Span)}
	}
	return x
}

// Visit calls f for an expression, operands first.
func (n *Node) Visit(f func(*Node)) {
	for _, a := range n.Args {
		a.Visit(f)
	}
	f(n)
}

// Names are the places of the names in an expression, from left to right, but for those of calls.
func (n *Node) Names() (out []source.Span) {
	n.Visit(func(x *Node) {
		if x.Op == Name {
			out = append(out, x.Span)
		}
	})
	return out
}

// Depth is how deep operators nest; what is noted of a call stands for its operands, and is not counted.
func (n *Node) Depth() int {
	most := 0
	if n.Op != Call {
		for _, a := range n.Args {
			most = max(most, a.Depth())
		}
	}
	return most + 1
}

// decimal is that of numbers that can be written down.
// It is compiled when one is read, as that takes long.
var decimal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([0-9]{1,300}(\.[0-9]{0,300})?|\.[0-9]{1,300})([eE][+-]?[0-9]{1,3})?$`)
})

// Decimal is the value of a number, as Glenside writes literals: 12, 0.5, 1., .5, 2e-3; it refuses all else.
func (n *Node) Decimal() *big.Rat {
	if !decimal().MatchString(n.Span.Text()) {
		Fail(n.Span, "bad-syntax", "%q is no number", n.Span.Text())
	}
	v, _ := new(big.Rat).SetString(n.Span.Text())
	return v
}

// Size is the integer that an expression of numbers, names, +, - (of two or of one) and * is; names are sizes. It refuses
// all else, and numbers from 2^31 on.
func (n *Node) Size() (out domain.Size) {
	var args []domain.Size
	for _, a := range n.Args {
		args = append(args, a.Size())
	}
	switch {
	case n.Op == Name:
		out = domain.NamedSize(n.Span.Text())
	case n.Op == Number:
		v, err := strconv.ParseInt(n.Span.Text(), 10, 32)
		if err != nil {
			Fail(n.Span, "bad-syntax", "%s is no integer below 2^31", n.Span.Text())
		}
		out = domain.IntSize(v)
	case n.Op == "+":
		out = args[0].Add(args[1])
	case n.Op == "*":
		out = args[0].Mul(args[1])
	case n.Op == "-" && len(args) == 2:
		out = args[0].Sub(args[1])
	case n.Op == "-":
		out = args[0].Mul(domain.IntSize(-1))
	default:
		Fail(n.Span, "bad-syntax", "an element of %s stands where an integer should", n.Span.Text())
	}
	if out.TooLarge() {
		Fail(n.Span, "too-large", "a size is too large")
	}
	return out
}
