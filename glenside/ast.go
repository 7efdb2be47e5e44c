package glenside

import (
	"tv/internal/source"
	"tv/semantics/domain"
)

// A Program is one file: declarations, assumes, definitions and one expression.
type Program struct {
	File    *source.File
	Inputs  []*domain.Input // in the order of the file
	Assumes []*domain.Assume
	Root    *Node
	Nodes   []*Node // of the expression, with what it uses of the definitions: each distinct node once, operands before the node; Nodes[n.ID] == n

	Definitions []*Definition // in the order of the file

	result    source.Span // of the expression, as it is written
	unreached *Program    // the definitions that the expression does not use, and their nodes

	lost map[*Node][]domain.Size // divisors that an integer's text names and its normal form does not
}

// Depth returns how deep calls nest: 1 for one whose operands are none.
func (p *Program) Depth() int {
	most, depth := 0, make([]int, len(p.Nodes))
	for _, n := range p.Nodes {
		for _, a := range n.Args {
			depth[n.ID] = max(depth[n.ID], depth[a.ID])
		}
		if n.Kind == KindCall {
			depth[n.ID]++
		}
		most = max(most, depth[n.ID])
	}
	return most
}

// Span returns the place of the first occurrence of n in p's file.
func (p *Program) Span(n *Node) source.Span {
	return source.Span{File: p.File, Start: int(n.Start), End: int(n.End)}
}

// OperandSpan returns the place of operand i of the first occurrence of n, that of n for i < 0. (The first
// occurrence of an operand itself may be elsewhere: nodes are shared.)
func (p *Program) OperandSpan(n *Node, i int) source.Span {
	span := p.Span(n)
	if i < 0 || n.Kind != KindCall || p.File == nil || p.File.Text[n.Start] != '(' {
		return span
	}
	r := &parser{text: p.File.Text, pos: int(n.Start) + 1}
	words := 1
	if n.Op.Category.callWord() != "" {
		words = 2
	}
	for range words + i {
		if !r.element() {
			return span
		}
	}
	start := r.skip()
	if !r.element() {
		return span
	}
	span.Start, span.End = start, r.pos
	return span
}

// Kind tells the sorts of nodes apart.
type Kind uint8

const (
	KindCall   Kind = iota // Op applied to Args
	KindSymbol             // a tensor name: Text
	KindInt                // an integer or a size expression: Int
	KindFloat              // a decimal literal: Text as written ("2.0", "1e-5", "inf")
	KindToken              // a word that an operator takes as an operand, such as zero-padding or int8: Text
)

// A Node is one expression of a program. Nodes are shared and immutable: two equal expressions of
// one program are the same node, whatever their spelling (the paper's or Glenside's).
//
// A call of compute, relay-operator-call or accelerator-call is a node whose Op is the operator
// called (dot-product, relay-add, flex-linear) and whose Args do not hold its name, nor the dummy
// (shape 0) that ends some accelerator calls. A tensor name that stands for an access pattern is an
// argument of an OpAccessTensor node. "(shape ...)" and "(list ...)" are calls of OpShape and OpList
// whose Args are KindInt nodes.
type Node struct {
	ID         int
	Kind       Kind
	Op         *Op // of a KindCall, else nil
	Args       []*Node
	Text       string // of a KindInt: as written, where its normal form has lost a divisor; else empty
	Int        domain.Size
	Start, End int32 // byte offsets of the first occurrence in the file
}

// number returns the value of an integer that is a number.
func (n *Node) number() int64 {
	v, _ := n.Int.Int64()
	return v
}
