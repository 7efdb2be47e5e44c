package mapped

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tv/glenside"
	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// A program is a text that is parsed and typed.
type program struct {
	*glenside.Program
	*glenside.Typing
}

// typed reads a program of numbers alone. env declares its inputs; where it is nil, its text does.
func typed(name, text string, env *domain.Env) program {
	p, err := glenside.Parse(source.NewFile(name, text))
	if err == nil && env == nil {
		env, err = glenside.MergeEnv([]*glenside.Program{p})
	}
	var t *glenside.Typing
	if err == nil {
		t, err = glenside.Check(p, env)
	}
	switch {
	case err != nil:
		algebra.Fail(algebra.CodeStatement, "%s: %v", name, err)
	case len(p.Assumes)+len(t.Conds) > 0:
		algebra.Fail(algebra.CodeUnsupported, "%s holds only under conditions", name)
	}
	for _, in := range p.Inputs {
		for _, d := range in.Dims {
			if _, number := d.Size.Int64(); !number {
				algebra.Fail(algebra.CodeUnsupported, "%s has a size that is no number", name)
			}
		}
	}
	return program{p, t}
}

// term reads a line of a term: a node of the graph of all of them, behind those of its operands. A
// node has the place of its line, so that its errors have.
func (x *explanation) term(list []string) {
	if len(list) < 3 || natural(list[0]) != len(x.terms) {
		malformed("a term has a number, the next one, and a kind")
	}
	n := &glenside.Node{ID: len(x.terms), Start: int32(x.at), End: int32(x.at)}
	rest, key := strings.Join(list[2:], " "), strings.Join(list[1:], " ")
	switch list[1] {
	case "op":
		n.Kind, n.Op = glenside.KindCall, glenside.LookupOp(list[2])
		for _, id := range list[3:] {
			n.Args = append(n.Args, x.node(id))
		}
		x.wellCalled(n)
	case "int":
		n.Kind, n.Int = glenside.KindInt, domain.IntSize(integer(rest))
	case "number":
		n.Kind, n.Text = glenside.KindFloat, rest
		if key = numberKey(rest); key == "" {
			malformed("%.40q is not a decimal number", rest)
		}
	case "word":
		n.Kind, n.Text = glenside.KindToken, rest
	case "input":
		n.Kind, n.Text = glenside.KindSymbol, rest
		if name, ok := strings.CutPrefix(rest, `"`); ok {
			n.Text = strings.TrimSuffix(name, `"`)
		}
		if domain.Quote(n.Text) != rest {
			malformed("the name of an input is not written as names are")
		}
	default:
		malformed("a term is an op, int, number, word or input")
	}
	if _, known := x.known[key]; known {
		malformed("this term is there already")
	}
	x.known[key] = n.ID
	x.terms = append(x.terms, n)
}

// node returns the term of a number.
func (x *explanation) node(id string) *glenside.Node {
	n := natural(id)
	if n >= len(x.terms) {
		malformed("there is no term %d yet", n)
	}
	return x.terms[n]
}

// wellCalled checks what the parser of programs does, and no typing: how many operands there are,
// and which words and leaves they may be.
func (x *explanation) wellCalled(n *glenside.Node) {
	if n.Op == nil || !n.Op.Accepts(len(n.Args)) {
		malformed("there is no such operator, or it has not so many operands")
	}
	for i, a := range n.Args {
		o := n.Op.OperandAt(i, len(n.Args))
		token := a.Kind == glenside.KindToken
		if o == nil || o.Optional || token != (o.Sort == glenside.SortToken) {
			malformed("operand %d is not one that %s has", i, n.Op.Name)
		}
		elem, isType := domain.ParseElem(a.Text)
		if token && (o.Words != nil && !slices.Contains(o.Words, a.Text) ||
			o.Words == nil && (!isType || elem.String() != a.Text)) {
			malformed("operand %d of %s is another word", i, n.Op.Name)
		}
	}
}

// typeTerms types all terms at once, in the inputs of the source. So each term has one type, one of
// literals alone too: one that is used at two types is refused.
func (x *explanation) typeTerms() {
	if slices.Compare(declared(x.programs[0]), declared(x.programs[1])) != 0 {
		algebra.Fail(algebra.CodeStatement, "source and result declare other inputs")
	}
	env, err := glenside.MergeEnv([]*glenside.Program{x.programs[0].Program})
	if err != nil {
		algebra.Fail(algebra.CodeStatement, "%v", err)
	}
	for i, p := range x.programs {
		ids := x.find(p, nil)
		if x.ends[i] = ids[p.Program.Root.ID]; x.ends[i] < 0 {
			algebra.Fail(algebra.CodeStatement, "program %d is none of the terms", i)
		}
	}
	all := &glenside.Program{File: x.file, Nodes: x.terms, Root: x.terms[x.ends[0]]}
	if x.typing, err = glenside.Check(all, env); err != nil {
		e := source.AsErrors(err)[0]
		x.at = e.Span.Start
		algebra.Fail(algebra.CodeStatement, "%s", e.Msg)
	}
	if len(x.typing.Conds) > 0 {
		algebra.Fail(algebra.CodeUnsupported, "terms have types only under conditions")
	}
	for _, p := range x.programs {
		if why := x.otherType(p, x.find(p, nil)); why != "" {
			algebra.Fail(algebra.CodeStatement, "%s", why)
		}
	}
}

// declared are the inputs of a program, sorted.
func declared(p program) (list []string) {
	for _, in := range p.Inputs {
		list = append(list, glenside.FormatInput(in))
	}
	slices.Sort(list)
	return list
}

// find returns the terms that the nodes of a program are, or -1: operands first, by what a node is
// and the terms of its operands. Integers, shapes and lists are found by their values. Of an
// instance vars are the variables: inputs are none of the terms then.
func (x *explanation) find(p program, vars map[string]*variable) []int {
	ids := make([]int, len(p.Nodes))
	for i, n := range p.Nodes {
		ids[i] = x.findNode(p, n, ids, vars)
	}
	return ids
}

func (x *explanation) findNode(p program, n *glenside.Node, ids []int,
	vars map[string]*variable) int {
	switch t := p.Type(n); t.Kind {
	case glenside.TypeInt, glenside.TypeShape, glenside.TypeList, glenside.TypeAccessShape:
		return x.value(t)
	case glenside.TypeFloat:
		return x.lookup(numberKey(n.Text))
	case glenside.TypeToken:
		return x.lookup("word " + n.Text)
	}
	if n.Kind == glenside.KindSymbol {
		if vars == nil {
			return x.lookup("input " + domain.Quote(n.Text))
		}
		return vars[n.Text].raw
	}
	if v := variableOf(n, vars); v != nil {
		return v.pattern
	}
	key := "op " + n.Op.Name
	for i, a := range n.Args {
		id := ids[a.ID]
		if n.Op.OperandAt(i, len(n.Args)).Sort == glenside.SortAccessShape {
			id = x.value(p.Type(a))
		}
		if id < 0 {
			return -1
		}
		key += " " + strconv.Itoa(id)
	}
	return x.lookup(key)
}

// numberKey is that of a decimal number: of its value, as 2 and 2.0 are one.
func numberKey(text string) string {
	n, ok := glenside.ParseDecimal(text)
	switch {
	case ok && n.Sign() == 0 && text[0] == '-':
		return "number -0"
	case ok:
		return "number " + n.RatString()
	case text == "inf" || text == "-inf":
		return "number " + text
	}
	return ""
}

func (x *explanation) lookup(key string) int {
	if id, ok := x.known[key]; ok {
		return id
	}
	return -1
}

// value returns the term of a value that is no tensor; a pattern stands for its shape.
func (x *explanation) value(t *glenside.Type) int {
	list := func(key string, of []domain.Size) int {
		for _, n := range of {
			id := x.lookup("int " + n.String())
			if id < 0 {
				return -1
			}
			key += " " + strconv.Itoa(id)
		}
		return x.lookup(key)
	}
	switch t.Kind {
	case glenside.TypeInt:
		return x.lookup("int " + t.Int.String())
	case glenside.TypeShape:
		return list("op shape", t.Dims)
	case glenside.TypeList:
		return list("op list", t.Ints)
	case glenside.TypeAccess, glenside.TypeAccessShape:
		s, c := list("op shape", t.Access()), list("op shape", t.Compute())
		return x.lookup("op access-shape " + strconv.Itoa(s) + " " + strconv.Itoa(c))
	}
	return -1
}

// otherType says which term has another type than the node that it is, or "".
func (x *explanation) otherType(p program, ids []int) string {
	for i, n := range p.Nodes {
		if id := ids[i]; id >= 0 && !alike(p.Type(n), x.typing.Types[id]) {
			return fmt.Sprintf("term %d is %s, not %s", id, x.typing.Types[id], p.Type(n))
		}
	}
	return ""
}

// alike tells whether two types are one.
func alike(x, y *glenside.Type) bool {
	return x.Kind == y.Kind && x.Split == y.Split && x.Elem == y.Elem && x.Int.Equal(y.Int) &&
		slices.EqualFunc(x.Dims, y.Dims, domain.Size.Equal) &&
		slices.EqualFunc(x.Ints, y.Ints, domain.Size.Equal) &&
		slices.EqualFunc(x.Items, y.Items, alike)
}
