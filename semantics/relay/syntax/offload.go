package syntax

import (
	"cmp"
	"slices"

	"tv/internal/source"
)

// Offloads are the annotations of functions that name an accelerator's call, with that.
var Offloads = map[string]*Op{
	"ilaflex.linear": {Name: "ilaflex.linear", operands: 3},
	"ilaflex.lstm":   {Name: "ilaflex.lstm", operands: 7, optional: 100},
	"ilavta.dense":   {Name: "ilavta.dense", operands: 2},
	"ilacnn.conv2d":  {Name: "ilacnn.conv2d", operands: 2},
}

// offload makes the node of a call of a function whose annotation names an accelerator's call: of the parameters, in their order.
// What the body is says the type, and the attributes of a convolution; nothing else of it counts. It is nil of other functions.
func (r *reader) offload(e *Expr, in *instance, body *Node) (*Node, *source.Error) {
	op := Offloads[in.of.Annotation("Composite")]
	if op == nil {
		return nil, nil
	}
	n := &Node{Kind: NodeCall, Op: op, Ints: map[string][]int64{}, Words: map[string]string{}}
	for i, v := range in.args {
		if v.node == nil || v.node.Type.Kind != TypeTensor {
			return nil, source.Errorf(e.Args[i+1].At, CodeType, "%s takes tensors", op.Name)
		}
		n.Args = append(n.Args, v.node)
	}
	if len(n.Args) < op.operands || len(n.Args) > op.operands+op.optional {
		return nil, source.Errorf(e.At, CodeArity, "%s takes %d operands, got %d", op.Name, op.operands, len(n.Args))
	}
	if body == nil || body.Type.Kind != TypeTensor {
		return nil, source.Errorf(e.At, CodeType, "%s gives a tensor, and the function does not", op.Name)
	}
	n.Type = body.Type
	fits := func(ok bool) *source.Error {
		if !ok {
			return source.Errorf(e.At, CodeShape, "%s does not make %s of its operands", op.Name, body.Type)
		}
		return nil
	}
	x, y := n.Args[0].Type.Dims, n.Args[1].Type.Dims
	switch op.Name {
	case "ilaflex.linear", "ilavta.dense":
		ok := len(x) == 2 && len(y) == 2 && x[1] == y[1] && slices.Equal(body.Type.Dims, []int64{x[0], y[0]})
		if len(n.Args) == 3 && ok {
			b := n.Args[2].Type.Dims
			ok = slices.Equal(b, []int64{y[0]}) || slices.Equal(b, []int64{1, y[0]})
		}
		return n, fits(ok)
	case "ilacnn.conv2d":
		c, err := r.convolution(e, body)
		if err != nil {
			return nil, err
		}
		n.Ints, n.Words = c.Ints, c.Words
		a, b := c.Args[0].Type, c.Args[1].Type
		return n, fits(a.Equal(n.Args[0].Type) && b.Equal(n.Args[1].Type) && c.Type.Equal(body.Type))
	}
	return n, nil
}

// convolution finds the one that a body makes: its attributes are those of the call.
func (r *reader) convolution(e *Expr, body *Node) (c *Node, err *source.Error) {
	seen := map[*Node]bool{body: true}
	for stack := []*Node{body}; len(stack) > 0; {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n.Kind == NodeCall && n.Op.Name == "nn.conv2d" {
			if c != nil {
				return nil, source.Errorf(e.At, CodeMeaning, "the function has two convolutions, and ilacnn.conv2d is one")
			}
			c = n
			continue // its operands are outside
		}
		for _, a := range n.Args {
			if !seen[a] {
				seen[a] = true
				stack = append(stack, a)
			}
		}
	}
	if c == nil {
		return nil, source.Errorf(e.At, CodeMeaning, "the function has no convolution, whose attributes ilacnn.conv2d has")
	}
	if c.Ints["groups"][0] != 1 || c.Words["kernel_layout"] == "HWOI" {
		return nil, source.Errorf(e.At, CodeMeaning, "ilacnn.conv2d has one group, and the convolution has %d", cmp.Or(c.Ints["groups"][0], 1))
	}
	return c, nil
}
