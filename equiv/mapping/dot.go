package mapping

import (
	"fmt"
	"strconv"
	"strings"

	"tv/glenside"
)

// Dot draws a program as a graph in the language of Graphviz, operands above what is made of them: calls of accelerators are filled
// boxes, host operators ellipses, inputs plain text. What a program has twice is drawn once. Words, shapes and numbers are written
// into the operators that have them; access and access-tensor, which do nothing to elements, are left out.
func Dot(p *glenside.Program, typing *glenside.Typing) string {
	d := &drawing{typing: typing, ids: map[*glenside.Node]int{}}
	d.b.WriteString("digraph mapped {\n  node [fontname=\"monospace\"];\n")
	result := d.draw(p.Root)
	d.b.WriteString("  result [shape=plaintext];\n")
	fmt.Fprintf(&d.b, "  n%d -> result;\n}\n", result)
	return d.b.String()
}

type drawing struct {
	typing *glenside.Typing
	ids    map[*glenside.Node]int
	b      strings.Builder
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
func (d *drawing) draw(root *glenside.Node) int {
	root = seen(root)
	stack := []*glenside.Node{root}
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
		id := len(d.ids)
		d.ids[n] = id
		fmt.Fprintf(&d.b, "  n%d [label=%s%s];\n", id, strconv.Quote(d.label(n)), style(n.Op))
		for _, f := range from {
			fmt.Fprintf(&d.b, "  n%d -> n%d;\n", f, id)
		}
	}
	return d.ids[root]
}

// label has the operator with its words and numbers, and the type.
func (d *drawing) label(n *glenside.Node) string {
	if n.Op == nil {
		return n.Text + "\n" + d.typing.Type(n).String()
	}
	text := n.Op.Name
	for _, a := range n.Args {
		if !d.isDrawn(a) {
			text += " " + glenside.FormatNode(a)
		}
	}
	return text + "\n" + d.typing.Type(n).String()
}

func style(op *glenside.Op) string {
	switch {
	case op == nil:
		return ", shape=plaintext"
	case isCall(op):
		return ", shape=box, style=filled, fillcolor=lightblue"
	case isHost(op):
		return ""
	}
	return ", style=dotted"
}
