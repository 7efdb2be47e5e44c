package glenside

import (
	"fmt"
	"strings"

	"tv/semantics/domain"
)

const (
	lineWidth = 100
	maxIndent = 60 // deeper lists are not indented further: text must not grow with the square of the depth
)

// Format returns the canonical text of a program: declarations, assumes, then the expression,
// indented. Parsing it gives an equal program. Shared nodes are written out at each use.
func Format(p *Program) string {
	var f formatter
	for _, in := range p.Inputs {
		fmt.Fprintln(&f.text, FormatInput(in))
	}
	for _, a := range p.Assumes {
		fmt.Fprintf(&f.text, "(assume %s)\n", a.Pred)
	}
	f.widths = make([]int, len(p.Nodes))
	for _, n := range p.Nodes {
		f.widths[n.ID] = f.width(n)
	}
	f.expression(p.Root)
	f.text.WriteByte('\n')
	return f.text.String()
}

// FormatNode returns the canonical text of one expression on one line.
func FormatNode(n *Node) string {
	var f formatter
	f.flat(n)
	return f.text.String()
}

// FormatInput returns a declaration: (input A (shape 2 N (M 0)) int8).
func FormatInput(in *domain.Input) string {
	var b strings.Builder
	fmt.Fprintf(&b, "(input %s (shape", domain.Quote(in.Name))
	for _, d := range in.Dims {
		if _, number := d.Size.Const(); number || d.Min == 1 {
			fmt.Fprintf(&b, " %s", d.Size)
		} else {
			fmt.Fprintf(&b, " (%s %d)", d.Size, d.Min)
		}
	}
	b.WriteByte(')')
	if in.Elem != domain.Float32 {
		fmt.Fprintf(&b, " %s", in.Elem)
	}
	b.WriteByte(')')
	return b.String()
}

// A formatter writes expressions without recursion: programs nest to any depth.
type formatter struct {
	text   strings.Builder
	widths []int // of each node on one line, by ID; more than lineWidth is lineWidth+1
}

// leafText returns the text of a node without operands.
func leafText(n *Node) string {
	switch {
	case n.Kind == KindSymbol:
		return domain.Quote(n.Text)
	case n.Kind == KindInt && n.Text == "":
		return n.Int.String()
	default:
		return n.Text
	}
}

// tail returns what a call ends with: the dummy operand that Glenside wants and the parenthesis.
func (op *Op) tail() string {
	if op.hasDummy() {
		return " (shape 0))"
	}
	return ")"
}

func (f *formatter) width(n *Node) int {
	if n.Kind != KindCall {
		return min(len(leafText(n)), lineWidth+1)
	}
	w := 1 + len(n.Op.head()) + len(n.Op.tail())
	for _, a := range n.Args {
		w = min(w+1+f.widths[a.ID], lineWidth+1)
	}
	return w
}

// A visit is a node being written: its operands up to next are.
type visit struct {
	n    *Node
	next int
}

// flat writes n on one line.
func (f *formatter) flat(n *Node) {
	stack := []visit{{n, 0}}
	for len(stack) > 0 {
		v := &stack[len(stack)-1]
		switch {
		case v.n.Kind != KindCall:
			f.text.WriteString(leafText(v.n))
		case v.next < len(v.n.Args):
			if v.next == 0 {
				f.open(v.n.Op)
			}
			f.text.WriteByte(' ')
			v.next++
			stack = append(stack, visit{v.n.Args[v.next-1], 0})
			continue
		default:
			if v.next == 0 {
				f.open(v.n.Op)
			}
			f.text.WriteString(v.n.Op.tail())
		}
		stack = stack[:len(stack)-1]
	}
}

func (f *formatter) open(op *Op) {
	f.text.WriteByte('(')
	f.text.WriteString(op.head())
}

// expression writes n on as many lines as it takes: a list that does not fit on one has a line for each
// operand that is a list, and for each run of others.
func (f *formatter) expression(n *Node) {
	stack := []visit{{n, 0}}
	for len(stack) > 0 {
		v := &stack[len(stack)-1]
		indent := min(2*len(stack)-2, maxIndent)
		if v.next == 0 && (v.n.Kind != KindCall || indent+f.widths[v.n.ID] <= lineWidth) {
			f.flat(v.n)
			stack = stack[:len(stack)-1]
			continue
		}
		if v.next == 0 {
			f.open(v.n.Op)
		}
		if v.next == len(v.n.Args) {
			f.text.WriteString(v.n.Op.tail())
			stack = stack[:len(stack)-1]
			continue
		}
		a := v.n.Args[v.next]
		if a.Kind != KindCall && (v.next == 0 || v.n.Args[v.next-1].Kind != KindCall) {
			f.text.WriteByte(' ')
		} else {
			f.text.WriteByte('\n')
			for range min(2*len(stack), maxIndent) {
				f.text.WriteByte(' ')
			}
		}
		v.next++
		stack = append(stack, visit{a, 0})
	}
}
