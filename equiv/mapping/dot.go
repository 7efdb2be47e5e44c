package mapping

import (
	"fmt"
	"strconv"
	"strings"

	"tv/glenside"
)

// A Box is an operator or an input of a program that is drawn, with the words, shapes and numbers among its operands. What a program has
// twice is drawn once; access and access-tensor, which do nothing to elements, are left out.
type Box struct {
	Text, Type string
	From       []int // boxes of its operands, before it in the list
	Input      bool
	Call       bool // of an accelerator
	Host       bool // an operator that computes on the host; of what is neither nothing is computed
}

// Boxes returns what is drawn of a program, operands first: the last is the result.
func Boxes(p *glenside.Program, typing *glenside.Typing) []Box {
	d := &drawing{typing: typing, ids: map[*glenside.Node]int{}}
	d.draw(p.Root)
	return d.boxes
}

// Dot draws a program as a graph in the language of Graphviz, operands above what is made of them: calls of accelerators are filled
// boxes, host operators ellipses, inputs plain text.
func Dot(p *glenside.Program, typing *glenside.Typing) string {
	var b strings.Builder
	b.WriteString("digraph mapped {\n  node [fontname=\"monospace\"];\n")
	list := Boxes(p, typing)
	for id, x := range list {
		fmt.Fprintf(&b, "  n%d [label=%s%s];\n", id, strconv.Quote(x.Text+"\n"+x.Type), x.style())
		for _, f := range x.From {
			fmt.Fprintf(&b, "  n%d -> n%d;\n", f, id)
		}
	}
	b.WriteString("  result [shape=plaintext];\n")
	fmt.Fprintf(&b, "  n%d -> result;\n}\n", len(list)-1)
	return b.String()
}

func (x *Box) style() string {
	switch {
	case x.Input:
		return ", shape=plaintext"
	case x.Call:
		return ", shape=box, style=filled, fillcolor=lightblue"
	case x.Host:
		return ""
	}
	return ", style=dotted"
}

type drawing struct {
	typing *glenside.Typing
	ids    map[*glenside.Node]int
	boxes  []Box
}

// isDrawn tells whether a node is drawn on its own: what has elements is.
func (d *drawing) isDrawn(n *glenside.Node) bool {
	t := d.typing.Type(n)
	return t != nil && (t.Kind == glenside.TypeAccess || t.Kind == glenside.TypeTensor || t.Kind == glenside.TypeTuple)
}

// seen is what is drawn for a node: itself, or the operand of what does nothing.
func seen(n *glenside.Node) *glenside.Node {
	for n.Op != nil && (n.Op.Name == "access" || n.Op.Name == "access-tensor") {
		n = n.Args[0]
	}
	return n
}

// draw draws what is below a node first, without recursion: programs are as deep as they like.
func (d *drawing) draw(root *glenside.Node) {
	stack := []*glenside.Node{seen(root)}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		if _, done := d.ids[n]; done {
			stack = stack[:len(stack)-1]
			continue
		}
		ready := true
		var from []int
		for _, a := range n.Args {
			if !d.isDrawn(a) {
				continue
			}
			a = seen(a)
			id, done := d.ids[a]
			if !done {
				stack, ready = append(stack, a), false
			}
			from = append(from, id)
		}
		if !ready {
			continue
		}
		stack = stack[:len(stack)-1]
		d.ids[n] = len(d.boxes)
		d.boxes = append(d.boxes, d.box(n, from))
	}
}

// box has the operator with its words and numbers, and the type.
func (d *drawing) box(n *glenside.Node, from []int) Box {
	x := Box{Type: d.typing.Type(n).String(), From: from, Input: n.Op == nil}
	if x.Input {
		x.Text = n.Text
		return x
	}
	x.Text, x.Call, x.Host = n.Op.Name, isCall(n.Op), isHost(n.Op)
	for _, a := range n.Args {
		if !d.isDrawn(a) {
			x.Text += " " + glenside.FormatNode(a)
		}
	}
	return x
}
