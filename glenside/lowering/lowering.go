// Package lowering takes Relay calls of a program apart by rewrite rules: each step puts the right side of an instance where the
// left side stands.
//
//	Lower   a program and rules; which of them were used, and how often
//
// What a rule says stands in the rule alone. A match binds the names of the left side to the operands of a call, and is believed
// only where package rule makes an instance of it whose left side is that call, letter by letter: the right side of that
// instance is what is written. Whoever calls decides which rules may be used, and whether they are proved.
package lowering

import (
	"maps"
	"slices"
	"strings"

	"tv/glenside"
	"tv/glenside/rule"
	"tv/internal/source"
	"tv/semantics/domain"
)

// A Result is a program in which calls are taken apart.
type Result struct {
	Text  string
	Steps map[string]int // by rule
	Left  map[string]int // Relay calls that no rule takes apart, by operator
}

// mostRounds bounds how often what rules make is taken apart again.
const mostRounds = 64

// Lower takes apart the Relay calls of a program for which there is a rule, the first that fits in the order given. Calls on other
// elements than floats stay: the rules are of real numbers. Errors: source.Errors, of a program that is ill typed.
func Lower(text string, rules []*rule.Rule) (*Result, error) {
	out := &Result{Text: text, Steps: map[string]int{}}
	for range mostRounds {
		l := &lowering{rules: rules, steps: out.Steps, left: map[string]int{}}
		next, steps, err := l.round(out.Text)
		if err != nil {
			return nil, err
		}
		out.Left = l.left
		if steps == 0 {
			break
		}
		out.Text = next
	}
	return out, nil
}

// A lowering is one round over a program.
type lowering struct {
	rules   []*rule.Rule
	steps   map[string]int
	left    map[string]int
	program *glenside.Program
	typing  *glenside.Typing
	made    map[*glenside.Node]string // right sides, with "(access-tensor NAME)" for operands
	bound   map[*glenside.Node]map[string]*glenside.Node
	names   map[*glenside.Node]string
	parts   strings.Builder
}

func (l *lowering) round(text string) (string, int, error) {
	var err error
	if l.program, err = glenside.Parse(source.NewFile("program", text)); err != nil {
		return "", 0, err
	}
	env, err := glenside.MergeEnv([]*glenside.Program{l.program})
	if err != nil {
		return "", 0, err
	}
	if l.typing, err = glenside.Check(l.program, env); err != nil {
		return "", 0, err
	}
	l.made, l.bound = map[*glenside.Node]string{}, map[*glenside.Node]map[string]*glenside.Node{}
	l.names = map[*glenside.Node]string{}
	for _, n := range l.program.Nodes {
		if n.Kind == glenside.KindCall && n.Op.Category == glenside.CatRelay && !l.apply(n) {
			l.left[n.Op.Name]++
		}
	}
	for _, in := range l.program.Inputs {
		l.parts.WriteString(glenside.FormatInput(in) + "\n")
	}
	for _, d := range l.program.Definitions {
		if !d.Reached {
			continue
		}
		l.parts.WriteString("(define " + domain.Quote(d.Name) + " ")
		if l.names[d.Node] != "" {
			l.parts.WriteString(domain.Quote(l.names[d.Node]))
		} else {
			l.write(d.Node, true)
			l.names[d.Node] = d.Name
		}
		l.parts.WriteString(")\n")
	}
	l.write(l.program.Root, false)
	l.parts.WriteString("\n")
	return l.parts.String(), len(l.made), nil
}

// heads are the words before the names of operators.
var heads = map[glenside.Category]string{glenside.CatCompute: "compute ", glenside.CatRelay: "relay-operator-call ",
	glenside.CatAccelerator: "accelerator-call "}

// write writes a node. What is not defined nests no deeper than a definition is written.
func (l *lowering) write(n *glenside.Node, top bool) {
	made, lowered := l.made[n]
	switch {
	case l.names[n] != "" && !top:
		l.parts.WriteString(domain.Quote(l.names[n]))
	case n.Kind != glenside.KindCall || len(n.Args) == 0:
		l.parts.WriteString(glenside.FormatNode(n))
	case lowered:
		l.substitute(made, l.bound[n])
	default:
		l.parts.WriteString("(" + heads[n.Op.Category] + n.Op.Name)
		for _, a := range n.Args {
			l.parts.WriteByte(' ')
			l.write(a, false)
		}
		l.parts.WriteByte(')')
	}
}

// substitute writes a right side with operands for its tensors: an input is all access dims, and so is what stands for it.
func (l *lowering) substitute(text string, bound map[string]*glenside.Node) {
	const leaf = "(access-tensor "
	for {
		before, after, found := strings.Cut(text, leaf)
		l.parts.WriteString(before)
		if !found {
			return
		}
		name, rest, _ := strings.Cut(after, ")")
		n := bound[name]
		l.parts.WriteString("(access ")
		l.write(n, false)
		l.parts.WriteString(" " + domain.IntSize(int64(len(l.typing.Type(n).Dims))).String() + ")")
		text = rest
	}
}

// apply finds the first rule of which a call is an instance.
func (l *lowering) apply(n *glenside.Node) bool {
	if t := l.typing.Type(n); t.Kind != glenside.TypeAccess || t.Elem.Kind != domain.ElemFloat {
		return false
	}
	for _, r := range l.rules {
		if r.LHS.Op != n.Op {
			continue
		}
		m := &match{typing: l.typing, rule: r, bound: map[string]*glenside.Node{}}
		for _, v := range m.expr(r.LHS, n, rule.Values{}) {
			if made, ok := m.instance(n, v); ok {
				l.made[n], l.bound[n] = made, m.operands()
				l.steps[r.Name]++
				return true
			}
		}
	}
	return false
}

// A match is of a call with the left side of a rule.
type match struct {
	typing *glenside.Typing
	rule   *rule.Rule
	bound  map[string]*glenside.Node // by variable
}

// plain is the name that a variable has in instances.
func plain(v string) string { return strings.TrimPrefix(v, "?") }

func (m *match) operands() map[string]*glenside.Node {
	out := map[string]*glenside.Node{}
	for v, n := range m.bound {
		out[plain(v)] = n
	}
	return out
}

// with returns values in which a name stands for something more.
func with[T any](in map[string]T, name string, v T) map[string]T {
	out := maps.Clone(in)
	if out == nil {
		out = map[string]T{}
	}
	out[name] = v
	return out
}

// expr lists the values under which an expression of a rule is a node.
func (m *match) expr(x *rule.Expr, n *glenside.Node, v rule.Values) []rule.Values {
	switch x.Kind {
	case rule.Call:
		if x.Op == nil || n.Op != x.Op || len(x.Args) != len(n.Args) {
			return nil
		}
		all := []rule.Values{v}
		for i, a := range x.Args {
			var next []rule.Values
			for _, v := range all {
				next = append(next, m.expr(a, n.Args[i], v)...)
			}
			all = next
		}
		return all
	case rule.Tensor:
		return m.tensor(x.Text, n, v)
	case rule.Int, rule.IntName:
		if d, ok := n.Int.Int64(); ok && n.Kind == glenside.KindInt {
			return integer(x, d, v)
		}
	case rule.Shape:
		if d, ok := numbers(n); ok && n.Op == glenside.OpShape {
			return dims(x.Args, d, v)
		}
	case rule.ListName:
		if d, ok := numbers(n); ok {
			list := make([]int, len(d))
			for i := range d {
				list[i] = int(d[i])
			}
			if old, ok := v.Lists[x.Text]; ok && !slices.Equal(old, list) {
				return nil
			}
			v.Lists = with(v.Lists, x.Text, list)
			return []rule.Values{v}
		}
	case rule.ListOp:
		if d, ok := numbers(n); ok && x.Text == "list" {
			return dims(x.Args, d, v)
		}
	case rule.Token, rule.Number:
		if n.Text == x.Text {
			return []rule.Values{v}
		}
	}
	return nil
}

// numbers are the integers of a shape or a list.
func numbers(n *glenside.Node) (list []int64, ok bool) {
	if n.Kind != glenside.KindCall {
		return nil, false
	}
	list = []int64{}
	for _, a := range n.Args {
		d, ok := a.Int.Int64()
		if a.Kind != glenside.KindInt || !ok {
			return nil, false
		}
		list = append(list, d)
	}
	return list, true
}

// tensor binds a variable, whose shape is that of the operand, all dims being access dims.
func (m *match) tensor(name string, n *glenside.Node, v rule.Values) []rule.Values {
	t := m.typing.Type(n)
	if t == nil || t.Kind != glenside.TypeAccess || t.Elem.Kind != domain.ElemFloat || m.bound[name] != nil && m.bound[name] != n {
		return nil
	}
	i := slices.IndexFunc(m.rule.Vars, func(v *rule.Var) bool { return v.Name == name })
	if i < 0 || m.rule.Vars[i].Elem != nil {
		return nil
	}
	m.bound[name] = n
	d := make([]int64, len(t.Dims))
	for i, s := range t.Dims {
		var ok bool
		if d[i], ok = s.Int64(); !ok {
			return nil
		}
	}
	var out []rule.Values
	for _, v := range dims(m.rule.Vars[i].Access, d, v) {
		out = append(out, dims(m.rule.Vars[i].Compute, nil, v)...)
	}
	return out
}

func integer(x *rule.Expr, d int64, v rule.Values) []rule.Values {
	switch x.Kind {
	case rule.Int:
		// An axis from the end is one from the beginning in an instance, which is compared with the call.
		if x.Value.Sign() < 0 || x.Value.IsInt64() && x.Value.Int64() == d {
			return []rule.Values{v}
		}
	case rule.IntName:
		if old, ok := v.Sizes[x.Text]; ok && old != d {
			return nil
		}
		v.Sizes = with(v.Sizes, x.Text, d)
		return []rule.Values{v}
	}
	return nil
}

// dims lists the values under which integers and groups are a list of dims.
func dims(exprs []*rule.Expr, d []int64, v rule.Values) []rule.Values {
	if len(exprs) == 0 {
		if len(d) > 0 {
			return nil
		}
		return []rule.Values{v}
	}
	x, rest := exprs[0], exprs[1:]
	var out []rule.Values
	if x.Kind != rule.Group {
		if len(d) == 0 {
			return nil
		}
		for _, v := range integer(x, d[0], v) {
			out = append(out, dims(rest, d[1:], v)...)
		}
		return out
	}
	if old, ok := v.Groups[x.Text]; ok {
		if len(old) > len(d) || !slices.Equal(old, d[:len(old)]) {
			return nil
		}
		return dims(rest, d[len(old):], v)
	}
	for n := range len(d) + 1 {
		u := v
		u.Groups = with(v.Groups, x.Text, slices.Clone(d[:n]))
		out = append(out, dims(rest, d[n:], u)...)
	}
	return out
}

// instance makes an instance, and returns its right side if its left side is the call.
func (m *match) instance(n *glenside.Node, v rule.Values) (string, bool) {
	in, err := m.rule.Instance(v, m.typing.Type(n).Elem)
	if err != nil || in.Broken != "" {
		return "", false
	}
	before, after, err := in.Programs()
	if err != nil {
		return "", false
	}
	for _, d := range before.Inputs {
		t := m.typing.Type(m.operands()[d.Name])
		if t == nil || !slices.EqualFunc(d.Tensor().Dims, t.Dims, domain.Size.Equal) || d.Elem != t.Elem {
			return "", false
		}
	}
	if !alike(n, before.Root, m.operands()) {
		return "", false
	}
	return glenside.FormatNode(after.Root), true
}

// alike tells whether a node is the left side of an instance, in which tensors stand for operands.
func alike(n, left *glenside.Node, operands map[string]*glenside.Node) bool {
	if left.Op == glenside.OpAccessTensor {
		return operands[left.Args[0].Text] == n
	}
	if n.Kind != left.Kind || n.Op != left.Op || len(n.Args) != len(left.Args) {
		return false
	}
	if n.Kind != glenside.KindCall {
		return n.Text == left.Text && n.Int.Equal(left.Int)
	}
	for i := range n.Args {
		if !alike(n.Args[i], left.Args[i], operands) {
			return false
		}
	}
	return true
}
