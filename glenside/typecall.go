package glenside

import (
	"tv/internal/source"
	"tv/semantics/domain"
)

// TypeCall types one call by the types of its operands, for those who keep expressions in a form of their own. Of an operand the
// node says what the type does not: the text of a word or a number. A pattern made of literals alone has the element type that
// is given. Errors: source.Errors; also where the call has a type only under conditions on named sizes (sizes-open).
func TypeCall(op *Op, operands []*Node, types []*Type, literals domain.Elem) (*Type, error) {
	n := &Node{Kind: KindCall, Op: op, Args: make([]*Node, len(operands)), ID: len(operands)}
	c := newChecker(&Program{Nodes: []*Node{n}}, &domain.Env{})
	for i, a := range operands {
		operand := *a
		operand.ID = i
		n.Args[i] = &operand
	}
	c.types = append(append(make([]*Type, 0, len(types)+1), types...), nil)
	t := c.node(n)
	if len(c.errs) == 0 && len(c.conds) > 0 {
		cond := c.conds[0]
		c.errs = source.Errors{source.Errorf(source.Span{}, CodeSizesOpen, "%s: %s", op.Name, cond.Msg)}
	}
	if len(c.errs) > 0 {
		return nil, c.errs
	}
	if (t.Kind == TypeAccess || t.Kind == TypeTensor) && t.Elem == (domain.Elem{}) {
		typed := *t
		typed.Elem = literals
		t = &typed
	}
	return t, nil
}

// CodeSizesOpen is the code of what asks for numbers where a program has named sizes.
const CodeSizesOpen = "sizes-open"
