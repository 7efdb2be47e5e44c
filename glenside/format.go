package glenside

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"tv/internal/source"
	"tv/semantics/domain"
)

const (
	lineWidth = 100
	maxIndent = 60 // deeper lists are not indented further: text must not grow with the square of the depth
)

// Format returns the canonical text of a program: declarations, assumes, definitions, then the expression, indented.
// Parsing it gives an equal program. Definitions stay as they are written; without one, what is used twice is written
// twice.
func Format(p *Program) string { return joined(Forms(p)) }

// Share is Format, and defines what is used more than once: the text grows with the nodes of the program, not with those
// of the tree that they stand for.
func Share(p *Program) string { return joined(SharedForms(p)) }

func joined(forms []Form) string {
	slices.SortStableFunc(forms, func(a, b Form) int { return cmp.Compare(a.Kind, b.Kind) })
	var b strings.Builder
	for _, f := range forms {
		b.WriteString(f.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

// A Form is a part of a program that stands by itself.
type Form struct {
	Kind FormKind
	Span source.Span // of what is written; empty for what is not
	Text string      // in canonical layout, without a line end
}

// FormKind sorts forms: the canonical layout has them in this order.
type FormKind uint8

const (
	FormInput FormKind = iota
	FormAssume
	FormDefine
	FormResult
)

// Forms returns the forms of a program, those of a kind in the order of the file.
func Forms(p *Program) []Form { return forms(p, false) }

// SharedForms returns the forms of a program with definitions of what is used more than once, but for tensors and
// literals as they are. The new ones are called t1, t2 and so on, and stand after all others, operands first.
func SharedForms(p *Program) []Form { return forms(p, true) }

func forms(p *Program, share bool) []Form {
	var list []Form
	for _, in := range p.Inputs {
		list = append(list, Form{FormInput, in.Span, FormatInput(in)})
	}
	for _, a := range p.Assumes {
		list = append(list, Form{FormAssume, a.Span, fmt.Sprintf("(assume %s)", a.Pred)})
	}
	w := p.Written()
	f := formatter{widths: make([]int, len(w.Nodes))}
	if share {
		f.names = w.shares()
	}
	for _, n := range w.Nodes {
		f.widths[n.ID] = f.width(n)
	}
	for _, d := range w.Definitions {
		list = append(list, Form{FormDefine, d.Span, f.definition(d.Name, d.Node)})
	}
	for _, n := range w.Nodes {
		if name := f.names[n]; name != "" && !w.defines(n) {
			list = append(list, Form{Kind: FormDefine, Text: f.definition(name, n)})
		}
	}
	f.text.Reset()
	f.expression(f.operand(w.Root), 0)
	return append(list, Form{FormResult, p.result, f.text.String()})
}

// Written returns p as a program in which the names of definitions stand for themselves, like tensors.
func (p *Program) Written() *Program {
	if len(p.Definitions) == 0 {
		return p
	}
	r := newParser(p.File)
	r.asWritten = true
	if err := r.program(); err != nil {
		panic("glenside: a program that was read is not: " + err.Error())
	}
	return r.prog
}

// defines tells whether a definition is of n.
func (p *Program) defines(n *Node) bool {
	return slices.ContainsFunc(p.Definitions, func(d *Definition) bool { return d.Node == n })
}

// shares names the nodes that would be written more than once, and those that have a name already. What has no name,
// such as a shape, is written at each use, and what it holds as often as it is.
func (p *Program) shares() map[*Node]string {
	times, names := make([]int, len(p.Nodes)), p.names()
	taken := map[string]bool{}
	for _, d := range p.Definitions {
		taken[d.Name] = true
		times[d.Node.ID]++
	}
	for _, in := range p.Inputs {
		taken[in.Name] = true
	}
	times[p.Root.ID]++
	var shared []*Node
	for _, n := range slices.Backward(p.Nodes) {
		if n.Kind == KindSymbol {
			taken[n.Text] = true
		}
		uses := times[n.ID]
		if uses > 1 && n.nameable() && names[n] == "" {
			shared = append(shared, n)
			uses = 1
		} else if names[n] != "" {
			uses = 1
		}
		for _, a := range n.Args {
			times[a.ID] = min(times[a.ID]+uses, 2)
		}
	}
	if names == nil {
		names = map[*Node]string{}
	}
	next := 0
	for _, n := range slices.Backward(shared) {
		for next++; taken[fmt.Sprint("t", next)]; next++ {
		}
		names[n] = fmt.Sprint("t", next)
	}
	return names
}

// nameable tells whether a definition of n would be worth its line and may be one: whether it is a tensor, an access
// pattern or a tuple, and more than a name or a number.
func (n *Node) nameable() bool {
	if n.Kind != KindCall || n.Op.sized {
		return false
	}
	switch n.Op.Name {
	case "access-tensor", "constant-tensor", "access-literal":
		return false
	case "tuple-get-item": // tuples may hold shapes
		item := component(n.Args[0], n.Args[1].number())
		return item != nil && item.Kind == KindCall && !item.Op.sized
	}
	return true
}

// FormatNode returns the canonical text of one expression on one line. A text of more than maxNodeText bytes is cut:
// nodes are shared, and trees of them may be longer than any file.
func FormatNode(n *Node) string {
	text, whole := FormatWithin(n, maxNodeText)
	if !whole {
		text = strings.ToValidUTF8(text[:maxNodeText], "") + "..."
	}
	return text
}

// maxNodeText bounds what FormatNode returns.
const maxNodeText = 1 << 20

// FormatWithin returns the canonical text of one expression on one line, or tells that it has more than so many bytes
// and returns at least its beginning.
func FormatWithin(n *Node, most int) (text string, whole bool) {
	var f formatter
	whole = f.flat(f.top(n), most)
	return f.text.String(), whole
}

// Text returns one expression of p on one line, in which those that have a name by a definition are written as that.
func (p *Program) Text(n *Node) string {
	f := formatter{names: p.names()}
	f.flat(f.top(n), math.MaxInt)
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
	widths []int            // of each node on one line, by ID; more than lineWidth is lineWidth+1
	names  map[*Node]string // what is written in place of a node within another
}

// definition returns the definition of a node.
func (f *formatter) definition(name string, n *Node) string {
	f.text.Reset()
	f.text.WriteString("(define " + domain.Quote(name))
	v := f.top(n)
	if other := f.names[n]; other != "" && other != name {
		v = f.operand(n)
	}
	if v.leaf || f.text.Len()+f.widths[n.ID]+2 <= lineWidth {
		f.text.WriteByte(' ')
		f.flat(v, math.MaxInt)
	} else {
		f.text.WriteString("\n  ")
		f.expression(v, 1)
	}
	f.text.WriteByte(')')
	return f.text.String()
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
		of := f.widths[a.ID]
		if name := f.names[a]; name != "" {
			of = len(domain.Quote(name))
		}
		w = min(w+1+of, lineWidth+1)
	}
	return w
}

// A visit is a node being written: its operands up to next are. A leaf is written as its text.
type visit struct {
	n    *Node
	next int
	leaf bool
	text string
}

// top returns the visit of a node that is written out.
func (f *formatter) top(n *Node) visit {
	if n.Kind != KindCall {
		return visit{leaf: true, text: leafText(n)}
	}
	return visit{n: n}
}

// operand returns the visit of a node that is written by its name, if it has one.
func (f *formatter) operand(n *Node) visit {
	if name := f.names[n]; name != "" {
		return visit{leaf: true, text: domain.Quote(name)}
	}
	return f.top(n)
}

// flat writes a node on one line. It stops when the text is longer than so many bytes, and is false then.
func (f *formatter) flat(of visit, most int) bool {
	stack := []visit{of}
	for len(stack) > 0 {
		v := &stack[len(stack)-1]
		switch {
		case f.text.Len() > most:
			return false
		case v.leaf:
			f.text.WriteString(v.text)
		case v.next < len(v.n.Args):
			if v.next == 0 {
				f.open(v.n.Op)
			}
			f.text.WriteByte(' ')
			v.next++
			stack = append(stack, f.operand(v.n.Args[v.next-1]))
			continue
		default:
			if v.next == 0 {
				f.open(v.n.Op)
			}
			f.text.WriteString(v.n.Op.tail())
		}
		stack = stack[:len(stack)-1]
	}
	return f.text.Len() <= most
}

func (f *formatter) open(op *Op) {
	f.text.WriteByte('(')
	f.text.WriteString(op.head())
}

// expression writes a node on as many lines as it takes, within so many lists: a list that does not fit on one has a line
// for each operand that is a list, and for each run of others.
func (f *formatter) expression(of visit, within int) {
	stack := []visit{of}
	for len(stack) > 0 {
		v := &stack[len(stack)-1]
		indent := min(2*(within+len(stack)-1), maxIndent)
		if v.next == 0 && (v.leaf || indent+f.widths[v.n.ID] <= lineWidth) {
			f.flat(*v, math.MaxInt)
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
		a := f.operand(v.n.Args[v.next])
		if a.leaf && (v.next == 0 || f.operand(v.n.Args[v.next-1]).leaf) {
			f.text.WriteByte(' ')
		} else {
			f.text.WriteByte('\n')
			for range min(2*(within+len(stack)), maxIndent) {
				f.text.WriteByte(' ')
			}
		}
		v.next++
		stack = append(stack, a)
	}
}
