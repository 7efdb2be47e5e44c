// Package translate says graphs of Relay as programs of Glenside, in which each call of the graph is a definition.
//
//	Program    the text of one: an input for each leaf of a parameter, a definition for each call, the result
//	Options    what is done with tensors that stand in the metadata
//
// Operators stay what they are where Glenside has them as Relay calls (table in calls.go); the others are said by those there
// are, such as a difference by a sum. What cannot be said is refused, at the call. The text is read back and typed, and the type
// of each definition compared with that of its call: two readings of shapes that share no code.
package translate

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"

	"tv/glenside"
	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/relay/syntax"
)

// Options are the parameters of a translation.
type Options struct {
	Constants bool // tensors in the metadata become inputs; otherwise they are refused, but those of one number
}

// A Program is a graph as a program of Glenside.
type Program struct {
	Text      string
	Parsed    *glenside.Program
	Typing    *glenside.Typing
	Inputs    []Input
	Nodes     []int                       // of Parsed, by the graph's: of inputs and calls that the result reaches, otherwise -1
	Constants map[string]*syntax.Constant // inputs that stand for tensors in the metadata
	Warnings  source.Errors
}

// An Input is one of a program.
type Input struct {
	Name string
	Type *syntax.Type
}

// Codes of what a translation refuses, or warns of.
const (
	CodeRenamed  = "renamed-input"
	CodeConstant = "constant-tensor"
	CodeUntyped  = "untyped-constant"
	CodeIllTyped = "not-translated"
)

// New translates a graph. Errors: source.Errors with one error.
func New(g *syntax.Graph, opts Options) (*Program, error) {
	w := &writer{graph: g, opts: opts, names: make([]string, len(g.Nodes)), taken: map[string]bool{},
		program: &Program{Constants: map[string]*syntax.Constant{}}}
	if err := w.write(); err != nil {
		return nil, source.Errors{err}
	}
	return w.program, w.read()
}

// A writer writes a program.
type writer struct {
	graph   *syntax.Graph
	opts    Options
	names   []string // what stands for a node, by ID
	taken   map[string]bool
	next    int
	program *Program
	inputs  strings.Builder
	body    strings.Builder
	defined []*syntax.Node // by definition
	starts  []int          // where these begin in the body
}

func (w *writer) write() *source.Error {
	for _, n := range w.graph.Inputs {
		w.taken[n.Name] = true
	}
	for _, n := range w.graph.Inputs {
		w.names[n.ID] = domain.Quote(w.input(n.Name, n.Type, n.At))
	}
	uses := make([]int, len(w.graph.Nodes))
	for _, n := range w.graph.Nodes {
		for _, a := range n.Args {
			uses[a.ID]++
		}
	}
	for _, n := range w.graph.Nodes {
		var text string
		switch n.Kind {
		case syntax.NodeInput:
			continue
		case syntax.NodeScalar:
			text = "(access-literal (literal " + spell(n.Literal, n.Type.Elem) + "))"
		case syntax.NodeConstant:
			var err *source.Error
			if text, err = w.constant(n); err != nil {
				return err
			}
		case syntax.NodeTuple:
			text = "(construct-tuple" + w.list(n.Args) + ")"
			if len(n.Args) == 0 {
				return source.Errorf(n.At, syntax.CodeOnlyTensor, "an empty tuple has no meaning in tv")
			}
			if uses[n.ID] > 1 {
				text = w.define(n, text)
			}
		case syntax.NodeItem:
			if text = w.names[n.Args[0].ID]; n.Args[0].Op == nil || n.Args[0].Op.Name != "nn.batch_norm" {
				text = fmt.Sprintf("(tuple-get-item %s %d)", text, n.Index)
			}
		default:
			expr, err := w.call(n)
			if err != nil {
				return err
			}
			text = w.define(n, expr)
		}
		w.names[n.ID] = text
	}
	w.program.Text = w.inputs.String() + w.body.String() + w.names[w.graph.Result.ID] + "\n"
	return nil
}

// input declares an input and returns its name: its own, unless the language has that for a word.
func (w *writer) input(name string, t *syntax.Type, at source.Span) string {
	if glenside.Reserved(name) || strings.HasPrefix(name, "%") {
		old := name
		for name = "%" + name; w.taken[name]; name += "'" {
		}
		w.taken[name] = true
		w.program.Warnings = append(w.program.Warnings, source.Errorf(at, CodeRenamed,
			"the input %s is called %s: its name is a word of Glenside", old, name))
	}
	in := &domain.Input{Name: name, Elem: t.Elem}
	for _, d := range t.Dims {
		in.Dims = append(in.Dims, domain.Dim{Size: domain.IntSize(d)})
	}
	w.inputs.WriteString(glenside.FormatInput(in) + "\n")
	w.program.Inputs = append(w.program.Inputs, Input{name, t})
	return name
}

// define writes a definition and returns its name: that of the text with its sign, so that no input has it.
func (w *writer) define(n *syntax.Node, expr string) string {
	name := "%" + n.Binding
	for n.Binding == "" || w.taken[name] {
		w.next++
		if name = "%t" + strconv.Itoa(w.next); !w.taken[name] {
			break
		}
	}
	w.taken[name] = true
	w.defined = append(w.defined, n)
	w.starts = append(w.starts, w.body.Len())
	name = domain.Quote(name)
	fmt.Fprintf(&w.body, "(define %s %s)\n", name, expr)
	return name
}

// constant says a tensor of one number by that, others as inputs.
func (w *writer) constant(n *syntax.Node) (string, *source.Error) {
	if n.Literal != "" {
		return fmt.Sprintf("(access-tensor (constant-tensor %s %s))", spell(n.Literal, n.Type.Elem), shape(n.Type.Dims)), nil
	}
	ref := n.Constant.Ref
	if !w.opts.Constants {
		return "", source.Errorf(n.At, CodeConstant, "meta[%s][%d] is a tensor of numbers, which programs do not hold: with "+
			"--constants DIR it becomes an input, and its numbers a file", ref.Key, ref.Index)
	}
	name := fmt.Sprintf("%s.%d", ref.Key, ref.Index)
	if w.program.Constants[name] == nil {
		for w.taken[name] {
			name += "'"
		}
		w.taken[name] = true
		w.program.Constants[name] = n.Constant
		w.input(name, n.Type, n.At)
	}
	return domain.Quote(name), nil
}

func (w *writer) list(args []*syntax.Node) string {
	var b strings.Builder
	for _, a := range args {
		b.WriteString(" " + w.names[a.ID])
	}
	return b.String()
}

// spell writes a number so that those of one type are one literal, and those of two types two: Glenside takes the type of a
// literal from its use.
func spell(text string, elem domain.Elem) string {
	zeros := slices.Index([]string{"float32", "float64", "float16", "bfloat16"}, elem.String())
	if zeros < 0 {
		zeros = max(slices.Index([]string{"int32", "int64", "int8", "int16", "uint8", "uint16", "uint32", "uint64"}, elem.String()), 0)
		digits := strings.TrimPrefix(text, "-")
		return text[:len(text)-len(digits)] + strings.Repeat("0", zeros) + digits
	}
	exponent := ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		text, exponent = text[:i], text[i:]
	}
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text + strings.Repeat("0", zeros) + exponent
}

func shape(dims []int64) string { return numbers("shape", dims) }

func numbers(head string, list []int64) string {
	var b strings.Builder
	b.WriteString("(" + head)
	for _, d := range list {
		fmt.Fprintf(&b, " %d", d)
	}
	return b.String() + ")"
}

// read reads the text back, types it, and compares each type with the graph's. A difference is a fault of tv's, but for
// literals whose type nothing tells.
func (w *writer) read() error {
	p, err := glenside.Parse(source.NewFile("imported program", w.program.Text))
	if err != nil {
		return w.fault(nil, err)
	}
	env, err := glenside.MergeEnv([]*glenside.Program{p})
	if err != nil {
		return w.fault(nil, err)
	}
	ty, err := glenside.Check(p, env)
	if err != nil {
		return w.fault(nil, err)
	}
	w.program.Parsed, w.program.Typing = p, ty
	w.program.Nodes = slices.Repeat([]int{-1}, len(w.graph.Nodes))
	inputs := map[string]int{}
	for _, n := range p.Nodes {
		if n.Kind == glenside.KindSymbol {
			inputs[n.Text] = n.ID
		}
	}
	for i, n := range w.graph.Inputs {
		if id, read := inputs[w.program.Inputs[i].Name]; read {
			w.program.Nodes[n.ID] = id
		}
	}
	for i, d := range p.Definitions {
		if d.Reached && w.defined[i].Kind == syntax.NodeCall {
			w.program.Nodes[w.defined[i].ID] = d.Node.ID
		}
		if n := w.defined[i]; d.Reached && !same(ty.Type(d.Node), n.Type, n) {
			return w.fault(n, fmt.Errorf("%s has the type %s", d.Name, ty.Type(d.Node)))
		}
	}
	if r := w.graph.Result; !same(ty.Root(), r.Type, r) {
		return w.fault(r, fmt.Errorf("the result has the type %s", ty.Root()))
	}
	return nil
}

// fault is the error of a program that is not typed as its graph is: at the call that it is about, or else at the one given.
func (w *writer) fault(n *syntax.Node, err error) error {
	var e *source.Error
	if list := source.Errors(nil); errors.As(err, &list) && len(list) > 0 {
		e = list[0]
		at := sort.SearchInts(w.starts, e.Span.Start-w.inputs.Len()+1) - 1
		if n == nil && at >= 0 && e.Span.Start-w.inputs.Len() < w.body.Len() {
			n = w.defined[at]
		}
	}
	if n == nil {
		n = w.graph.Result
	}
	if e == nil || e.Code == "elem-mismatch" || e.Code == "ambiguous-literal" {
		return source.Errors{source.Errorf(n.At, CodeUntyped, "the program does not have the type %s: %s; a constant takes "+
			"its type from its use in Glenside", n.Type, err)}
	}
	return source.Errors{source.Errorf(n.At, CodeIllTyped, "what Glenside has for this is ill formed here: %s [%s]", e.Msg, e.Code)}
}

func same(t *glenside.Type, want *syntax.Type, n *syntax.Node) bool {
	if n.Op != nil && n.Op.Name == "nn.batch_norm" {
		want = want.Items[0]
	}
	if t.Kind == glenside.TypeTuple {
		if want.Kind != syntax.TypeTuple || len(t.Items) != len(want.Items) {
			return false
		}
		for i, item := range t.Items {
			if !same(item, want.Items[i], &syntax.Node{}) {
				return false
			}
		}
		return true
	}
	if want.Kind != syntax.TypeTensor || len(t.Dims) != len(want.Dims) || t.Elem != want.Elem {
		return false
	}
	for i, d := range t.Dims {
		if v, ok := d.Int64(); !ok || v != want.Dims[i] {
			return false
		}
	}
	return true
}

// exact tells whether a decimal number is an integer of a type, or a fraction of a float.
func exact(text string, elem domain.Elem) bool {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return false
	}
	if elem.Kind != domain.ElemInt && elem.Kind != domain.ElemUint {
		return r.IsInt() && r.Num().BitLen() <= 8
	}
	width := elem.Width
	if elem.Kind == domain.ElemInt {
		width--
	}
	return r.IsInt() && r.Num().BitLen() <= width && (r.Sign() >= 0 || elem.Kind == domain.ElemInt)
}
