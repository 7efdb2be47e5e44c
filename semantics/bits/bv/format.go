package bv

import (
	"fmt"
	"strings"

	"tv/internal/sexpr"
	"tv/internal/source"
)

// lineWidth is where terms are broken.
const lineWidth = 100

// Format is the text of a specification in canonical layout: a line for each item, terms broken where a line would be long. Comments stay: those
// behind an item on its line, others above what follows them; a comment inside an item moves above it.
func Format(f *source.File) (string, error) {
	s, err := Parse(f)
	if err != nil {
		return "", err
	}
	forms, _ := sexpr.Read(f) // it was read before
	top := forms[0]
	var b strings.Builder
	own := func(list []string, indent string) {
		for _, c := range list {
			b.WriteString(indent + c + "\n")
		}
	}
	// behind writes the comment that follows on the line, and the others below it.
	behind := func(gap, indent string) {
		line, rest, _ := strings.Cut(gap, "\n")
		for _, c := range comments(line) {
			b.WriteString(" " + c)
		}
		b.WriteByte('\n')
		own(comments(rest), indent)
	}
	own(comments(f.Text[:top.Span.Start]), "")
	b.WriteString("(spec")
	end := top.List[0].Span.End
	for i, it := range s.order {
		x := top.List[1+i]
		behind(f.Text[end:x.Span.Start], "  ")
		own(comments(x.Span.Text()), "  ")
		b.WriteString("  ")
		s.item(&b, it)
		end = x.Span.End
	}
	last := f.Text[end : top.Span.End-1]
	if len(comments(last)) > 0 {
		behind(last, "  ")
	}
	b.WriteByte(')')
	behind(f.Text[top.Span.End:], "")
	return b.String(), nil
}

// comments are those of a text, without the blanks around them.
func comments(text string) (list []string) {
	for _, line := range strings.Split(text, "\n") {
		quoted := false
		for i, c := range line {
			if quoted = quoted != (c == '"'); c == ';' && !quoted {
				list = append(list, strings.TrimSpace(line[i:]))
				break
			}
		}
	}
	return list
}

// item prints a line of the specification.
func (s *Spec) item(b *strings.Builder, it item) {
	switch it.kind {
	case "in":
		p := s.Inputs[it.index]
		fmt.Fprintf(b, "(in %s %d)", p.Name, p.Width)
	case "clock":
		fmt.Fprintf(b, "(clock %s)", s.Clock)
	case "latency":
		fmt.Fprintf(b, "(latency %d)", s.Latency)
	case "assume":
		writeTerm(b, list("assume", printed(s.Assume[it.index].Term)), 2)
	case "state":
		st := s.States[it.index]
		initial := leaf("any")
		if st.Initial != nil {
			initial = leaf(constant(st.Width, st.Initial.Text(2), st.Initial.Text(16)))
		}
		writeTerm(b, list(fmt.Sprintf("state %s %d", st.Name, st.Width), initial, printed(st.Next)), 2)
	case "out":
		o := s.Outputs[it.index]
		writeTerm(b, list(fmt.Sprintf("out %s %d", o.Name, o.Width), printed(o.Term)), 2)
	}
}

// constant is hexadecimal where whole digits are there.
func constant(width int, binary, hex string) string {
	if width%4 == 0 {
		return "#x" + strings.Repeat("0", width/4-len(hex)) + hex
	}
	return "#b" + strings.Repeat("0", width-len(binary)) + binary
}

// node is a text: a leaf, or a list whose first line has head.
type node struct {
	head string
	args []*node
	list bool
}

func leaf(s string) *node                   { return &node{head: s} }
func list(head string, args ...*node) *node { return &node{head: head, args: args, list: true} }

func printed(t *Term) *node {
	switch t.Op {
	case OpConst:
		if t.Width == 0 {
			return leaf(map[bool]string{true: "true", false: "false"}[t.Value.Sign() != 0])
		}
		return leaf(constant(t.Width, t.Value.Text(2), t.Value.Text(16)))
	case OpSignal, OpBound:
		return leaf(t.Name)
	case OpLet:
		bound := &node{list: true}
		for i, name := range t.Names {
			bound.args = append(bound.args, list(name, printed(t.Args[i])))
		}
		return list("let", bound, printed(t.Args[len(t.Args)-1]))
	}
	n := list(t.Op)
	for _, a := range t.Args {
		n.args = append(n.args, printed(a))
	}
	switch {
	case t.Op == "bool->bitvector" && len(t.Indices) > 0:
		n.args = append(n.args, leaf(fmt.Sprint(t.Indices[0])))
	case len(t.Indices) > 0:
		n.head = "(_ " + t.Op
		for _, i := range t.Indices {
			n.head += fmt.Sprintf(" %d", i)
		}
		n.head += ")"
	}
	return n
}

func (n *node) flat() string {
	if !n.list {
		return n.head
	}
	var parts []string
	if n.head != "" {
		parts = append(parts, n.head)
	}
	for _, a := range n.args {
		parts = append(parts, a.flat())
	}
	return "(" + strings.Join(parts, " ") + ")"
}

func writeTerm(b *strings.Builder, n *node, indent int) {
	if f := n.flat(); !n.list || len(n.args) == 0 || indent+len(f) <= lineWidth {
		b.WriteString(f)
		return
	}
	b.WriteString("(" + n.head)
	for i, a := range n.args {
		if i > 0 || n.head != "" {
			b.WriteString("\n" + strings.Repeat(" ", indent+2))
		}
		writeTerm(b, a, indent+2)
	}
	b.WriteByte(')')
}
