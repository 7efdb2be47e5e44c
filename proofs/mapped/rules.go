package mapped

import (
	"fmt"
	"slices"
	"strings"

	"tv/glenside"
	"tv/glenside/rule"
	"tv/internal/source"
	"tv/proofs"
	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// ways are arithmetics: a set of those in which something is proved.
type ways uint8

// arithmetics are auto, in which integers are taken bit for bit and floats for real numbers, exact,
// in which both are, and real, in which neither is.
var arithmetics = [...]domain.Arith{domain.Auto, domain.Exact, domain.Real}

const anyWay = ways(1<<len(arithmetics) - 1)

func (w ways) ariths() (list []domain.Arith) {
	for i, a := range arithmetics {
		if w&(1<<i) != 0 {
			list = append(list, a)
		}
	}
	return list
}

// waysOf are the arithmetics that agree with one on all of some types.
func waysOf(proved domain.Arith, types map[domain.Elem]bool) (w ways) {
	for i, a := range arithmetics {
		same := true
		for t := range types {
			same = same && a.Bits(t) == proved.Bits(t)
		}
		if same {
			w |= 1 << i
		}
	}
	return w
}

// A given rule is one of the file, with its certificates: of the rule, and of its converse.
type given struct {
	directions [2]*rule.Rule // the converse is about instances with two sides alone
	proofs     [2][]*proofs.Covered
	names      []string // of all that is bound, sorted
	instances  map[string]*instance
}

// The directions of steps.
const (
	forth = iota
	back
)

// rule reads a rule.
func (x *explanation) rule(list []string) {
	list = words(list, 3)
	text := x.digested(list[1], list[2])
	rules, err := rule.Parse(source.NewFile("rule", text))
	if err != nil || len(rules) != 1 || rules[0].Name != list[0] || rules[0].Span.Text() != text {
		algebra.Fail(algebra.CodeStatement, "this is not the text of a rule of this name")
	}
	if n := len(x.names); n > 0 && x.names[n-1] >= list[0] {
		malformed("rules do not ascend by their names")
	}
	converse, err := rules[0].Converse()
	if err != nil {
		algebra.Fail(algebra.CodeStatement, "the rule has no converse: %v", err)
	}
	r := rules[0]
	g := &given{instances: map[string]*instance{}}
	g.directions = [2]*rule.Rule{r, converse.WhereBoth()}
	groups, numbers := r.Names()
	g.names = slices.Concat(groups, numbers, r.Lists)
	for _, v := range r.Vars {
		g.names = append(g.names, v.Name)
	}
	for _, t := range r.Tokens {
		g.names = append(g.names, t.Name)
	}
	slices.Sort(g.names)
	x.names = append(x.names, r.Name)
	x.rules[r.Name] = g
}

// certificate reads a certificate and has it checked: one of a rule that is given, or a weaker one
// of its converse, byte for byte.
func (x *explanation) certificate(list []string) {
	list = words(list, 2)
	text := x.digested(list[0], list[1])
	if x.certified[list[0]] {
		malformed("this certificate is there already")
	}
	x.certified[list[0]] = true
	cv, err := x.checker.CoverRule("certificate", []byte(text))
	if err != nil {
		e := source.AsErrors(err)[0]
		algebra.Fail(e.Code, "%s", e.Msg)
	}
	for _, g := range x.rules {
		for d, r := range g.directions {
			if cv.Text == r.Span.Text() && cv.WhereBoth == (d == back) {
				g.proofs[d] = append(g.proofs[d], cv)
				return
			}
		}
	}
	algebra.Fail(algebra.CodeStatement,
		"the certificate is of no rule that is given, nor a weaker one of a converse")
}

// A variable of a rule in a step.
type variable struct {
	pattern, raw int  // the term that it is, and the one where a raw tensor is wanted; -1: none
	wide         bool // it has compute dims
}

// An instance of a rule in one direction: what does not depend on which terms its variables are.
type instance struct {
	why         string // it is none
	left, right program
	inputs      []string // the names that the variables have in both, in their order
	wide        []bool   // whether these have compute dims
	ways        ways
	contract    string // of a call, and its sizes: it is stated, and no certificate is wanted
}

// bindings reads what the names of a rule stand for, in the order of the names.
func (x *explanation) bindings(u *use, text string) {
	r := u.directions[forth]
	u.values = rule.Values{Groups: map[string][]int64{}, Sizes: map[string]int64{},
		Lists: map[string][]int{}, Tokens: map[string]string{}}
	u.vars = make([]int, len(r.Vars))
	for i, name := range u.names {
		if i > 0 {
			text = after(text, " ")
		}
		text = after(text, name+"=")
		end := strings.IndexByte(text+" ", ' ')
		if text != "" && (text[0] == '[' || text[0] == '(') {
			end = strings.IndexAny(text+")", "])") + 1
		}
		if end > len(text) {
			malformed("the value of %s does not end", name)
		}
		value := text[:end]
		text = text[end:]
		if t := slices.IndexFunc(r.Vars, func(t *rule.Var) bool { return t.Name == name }); t >= 0 {
			u.vars[t] = x.node(after(value, "#")).ID
			continue
		}
		u.key += value + " "
		bind(r, u.values, name, value)
	}
	if text != "" {
		malformed("more is bound than the rule has names")
	}
}

func after(text, prefix string) string {
	rest, ok := strings.CutPrefix(text, prefix)
	if !ok {
		malformed("%q is wanted, not %.40q", prefix, text)
	}
	return rest
}

// bind gives a name its value: groups and sizes have no negative numbers, words are the rule's.
func bind(r *rule.Rule, v rule.Values, name, value string) {
	list := func(open, end string) (out []int64) {
		value = after(value, open)
		if !strings.HasSuffix(value, end) {
			malformed("the value of %s ends in another way", name)
		}
		if value = strings.TrimSuffix(value, end); value == "" {
			return []int64{}
		}
		for n := range strings.SplitSeq(value, " ") {
			out = append(out, integer(n))
		}
		return out
	}
	natural := func(n int64) int64 {
		if n < 0 {
			algebra.Fail(CodeStep, "%s is negative", name)
		}
		return n
	}
	groups, _ := r.Names()
	switch {
	case slices.Contains(groups, name):
		v.Groups[name] = list("[", "]")
		for _, n := range v.Groups[name] {
			natural(n)
		}
	case slices.Contains(r.Lists, name):
		v.Lists[name] = []int{}
		for _, n := range list("(", ")") {
			v.Lists[name] = append(v.Lists[name], int(n))
		}
	case slices.ContainsFunc(r.Tokens, func(t *rule.TokenVar) bool { return t.Name == name }):
		v.Tokens[name] = value
		if !slices.ContainsFunc(r.Tokens, func(t *rule.TokenVar) bool {
			return t.Name == name && slices.Contains(t.Tokens, value)
		}) {
			algebra.Fail(CodeStep, "%s is no word of the rule", name)
		}
	default:
		if v.Sizes[name] = integer(value); !slices.Contains(r.Ints, name) {
			natural(v.Sizes[name])
		}
	}
}

// elemOf is the element type of an instance: that of the variables that have none of their own.
func (x *explanation) elemOf(u *use, d int) domain.Elem {
	var elem domain.Elem
	for i, v := range u.directions[forth].Vars {
		t := x.typing.Types[u.vars[i]]
		switch {
		case t.Kind != glenside.TypeAccess && t.Kind != glenside.TypeTensor:
			algebra.Fail(CodeStep, "%s is no tensor", v.Name)
		case v.Elem != nil:
		case elem == domain.Elem{}:
			elem = t.Elem
		case elem != t.Elem:
			algebra.Fail(CodeStep, "variables of no type of their own are %s and %s", elem, t.Elem)
		}
	}
	if elem == (domain.Elem{}) && len(u.proofs[d]) > 0 { // the rule is about no other type
		elem = u.proofs[d][0].Elem
	}
	return elem
}

// instance makes an instance of a rule, once: the guard is true, its sides are typed, and a
// certificate has a case that it is one of.
func (g *given) instance(d int, v rule.Values, elem domain.Elem, key string) *instance {
	key = fmt.Sprint(d, elem, " ", key)
	in := g.instances[key]
	if in == nil {
		in = g.made(d, v, elem)
		g.instances[key] = in
	}
	return in
}

func (g *given) made(d int, v rule.Values, elem domain.Elem) *instance {
	r := g.directions[d]
	made, err := r.Instance(v, elem)
	switch {
	case err != nil:
		return &instance{why: err.Error()}
	case made.Broken != "":
		return &instance{why: "its right side is ill formed: " + made.Broken}
	}
	in := &instance{left: typed("the left side", made.Before, nil)}
	env, err := glenside.MergeEnv([]*glenside.Program{in.left.Program})
	if err != nil {
		return &instance{why: err.Error()}
	}
	in.right = typed("the right side", made.After, env)
	types := map[domain.Elem]bool{}
	for _, p := range []program{in.left, in.right} {
		for _, t := range p.Types {
			elems(t, types)
		}
	}
	for i, t := range r.Vars {
		rank := 0
		for _, d := range t.Compute {
			if d.Kind == rule.Group {
				rank += len(v.Groups[d.Text])
			} else {
				rank++
			}
		}
		in.inputs, in.wide = append(in.inputs, in.left.Inputs[i].Name), append(in.wide, rank > 0)
	}
	in.why = fmt.Sprintf("no certificate of %s in %s has a case that it is one of", r.Name, elem)
	for _, cv := range g.proofs[d] {
		if cv.Elem == elem && cv.Has(v) {
			in.ways |= waysOf(cv.Arith, types)
			in.why = "the certificate is about other arithmetic than one of all its types"
		}
	}
	if in.ways == 0 {
		if in.contract = byContract(in.left, in.right); in.contract != "" {
			in.ways = waysOf(domain.Exact, types)
		}
	}
	if in.ways != 0 {
		in.why = ""
	}
	return in
}

// elems collects the element types in a type.
func elems(t *glenside.Type, set map[domain.Elem]bool) {
	if t.Kind == glenside.TypeAccess || t.Kind == glenside.TypeTensor {
		set[t.Elem] = true
	}
	for _, item := range t.Items {
		elems(item, set)
	}
}

// variables gives the inputs of an instance the terms that they are.
func (x *explanation) variables(in *instance, vars []int) map[string]*variable {
	out := map[string]*variable{}
	for i, name := range in.inputs {
		v := &variable{pattern: vars[i], raw: -1, wide: in.wide[i]}
		if x.typing.Types[vars[i]].Kind == glenside.TypeTensor {
			v.raw, v.pattern = vars[i], x.lookup(fmt.Sprintf("op access-tensor %d", vars[i]))
			if v.wide {
				v.pattern = -1
			}
		}
		out[name] = v
	}
	return out
}

// variableOf returns the variable that a node of an instance is, or nil: (access NAME SPLIT) of one
// that has compute dims, (access-tensor NAME) of others.
func variableOf(n *glenside.Node, vars map[string]*variable) *variable {
	if vars == nil || n.Kind != glenside.KindCall {
		return nil
	}
	wide := n.Op == opAccess
	if wide {
		n = n.Args[0]
	}
	if n.Op != glenside.OpAccessTensor || n.Args[0].Kind != glenside.KindSymbol {
		return nil
	}
	if v := vars[n.Args[0].Text]; v.wide == wide {
		return v
	}
	return nil
}

var opAccess = glenside.LookupOp("access")
