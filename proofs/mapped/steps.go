package mapped

import (
	"strings"

	"tv/glenside"
	"tv/glenside/rule"
	"tv/proofs"
	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// CodeStep is the code of a step that is not what the file says that it is.
const CodeStep = "certificate-step"

// An explanation is a file while it is checked.
type explanation struct {
	*reader
	checker *proofs.Checker

	names     []string
	rules     map[string]*given
	certified map[string]bool // by digest
	texts     [2]string
	programs  [2]program // source, result

	terms  []*glenside.Node
	known  map[string]int // by what they are
	typing *glenside.Typing
	ends   [2]int // the terms of the programs

	restsOn map[string]bool // contracts of calls, with their sizes

	made   map[[2]int]equal // steps, by the terms that they lead from and to
	lemmas []lemma
	steps  int
	proved ways // what the chain is proved in
}

// equal says in which arithmetics a term may stand for another, and the other for it.
type equal [2]ways

// A use is an instance of a rule in a step.
type use struct {
	*given
	values      rule.Values
	vars        []int  // the terms that the variables stand for, in the order of the rule
	key         string // what else is bound
	left, right int    // the terms of the sides
}

// A lemma is what follows from steps that follow each other.
type lemma struct {
	from, to int
	equal
}

// sections reads the file. What stands in it is used only once it is checked.
func (x *explanation) sections() {
	x.rules, x.certified = map[string]*given{}, map[string]bool{}
	x.known, x.made = map[string]int{}, map[[2]int]equal{}
	x.restsOn = map[string]bool{}
	for list, ok := x.next("rule"); ok; list, ok = x.next("rule") {
		x.rule(list)
	}
	for list, ok := x.next("certificate"); ok; list, ok = x.next("certificate") {
		x.certificate(list)
	}
	for i, name := range []string{"source", "result"} {
		list, ok := x.next(name)
		if !ok {
			malformed("no %s", name)
		}
		x.texts[i] = x.part(words(list, 1)[0])
		x.programs[i] = typed("the "+name, x.texts[i], nil)
	}
	for list, ok := x.next("term"); ok; list, ok = x.next("term") {
		x.term(list)
	}
	x.typeTerms()
	for x.step() || x.lemma() {
	}
	list, ok := x.next("chain")
	if !ok || x.rest != "" {
		malformed("a step, a lemma or, at the end, a chain is wanted")
	}
	chain := x.path(list)
	if chain.from != x.ends[0] || chain.to != x.ends[1] {
		algebra.Fail(CodeStep, "the chain does not lead from the source to the result")
	}
	if x.proved = chain.equal[forth]; x.proved == 0 {
		algebra.Fail(CodeStep, "no arithmetic is that of all steps of the chain")
	}
}

// path reads terms of which each leads to the next by a step that is there.
func (x *explanation) path(list []string) lemma {
	if len(list) == 0 {
		malformed("no terms")
	}
	first := x.node(list[0]).ID
	l := lemma{from: first, to: first, equal: equal{anyWay, anyWay}}
	for _, id := range list[1:] {
		next := x.node(id).ID
		e, ok := x.made[[2]int{l.to, next}]
		if !ok {
			algebra.Fail(CodeStep, "no step leads from term %d to term %d", l.to, next)
		}
		l.to, l.equal = next, equal{l.equal[forth] & e[forth], l.equal[back] & e[back]}
	}
	return l
}

// lemma reads a lemma.
func (x *explanation) lemma() bool {
	list, ok := x.next("lemma")
	if !ok {
		return false
	}
	if natural(list[0]) != len(x.lemmas) {
		malformed("lemmas are numbered in their order")
	}
	x.lemmas = append(x.lemmas, x.path(list[1:]))
	return true
}

// step reads a step and checks it.
func (x *explanation) step() bool {
	if !strings.HasPrefix(x.rest, "step ") {
		return false
	}
	list := strings.SplitN(x.line(), " ", 7)
	if len(list) < 6 {
		malformed("a step has two terms, a place and a reason")
	}
	from, to := x.node(list[1]).ID, x.node(list[2]).ID
	a, b := x.at2(from, to, list[3])
	if !alike(x.typing.Types[a], x.typing.Types[b]) {
		algebra.Fail(CodeStep, "there stand terms of two types, %s and %s", x.typing.Types[a],
			x.typing.Types[b])
	}
	var e equal
	switch list[4] {
	case "=":
		e = x.byLemma(a, b, list[5:])
	default:
		e = x.byRule(a, b, list[4:])
	}
	if e[forth] == 0 {
		algebra.Fail(CodeStep, "the step is not proved in this direction")
	}
	old := x.made[[2]int{from, to}]
	x.made[[2]int{from, to}] = equal{old[forth] | e[forth], old[back] | e[back]}
	x.steps++
	return true
}

// at2 returns the terms at a place of two that are equal everywhere else.
func (x *explanation) at2(a, b int, path string) (int, int) {
	if path == "." {
		return a, b
	}
	for _, word := range strings.Split(path, ".") {
		i, m, n := natural(word), x.terms[a], x.terms[b]
		if m.Kind != glenside.KindCall || m.Op != n.Op || len(m.Args) != len(n.Args) ||
			i >= len(m.Args) {
			algebra.Fail(CodeStep, "terms %d and %d are not equal but at one operand", a, b)
		}
		for j := range m.Args {
			if j != i && m.Args[j] != n.Args[j] {
				algebra.Fail(CodeStep, "terms %d and %d differ in operand %d as well", a, b, j)
			}
		}
		a, b = m.Args[i].ID, n.Args[i].ID
	}
	return a, b
}

// byLemma checks a step by a lemma.
func (x *explanation) byLemma(a, b int, list []string) equal {
	list = strings.Split(strings.Join(list, " "), " ")
	reversed := len(list) == 3 && list[2] == "reversed"
	if len(list) != 2 && !reversed || list[0] != "lemma" {
		malformed("a step is by a rule, or by lemma K")
	}
	k := natural(list[1])
	if k >= len(x.lemmas) {
		algebra.Fail(CodeStep, "there is no lemma %d yet", k)
	}
	l := x.lemmas[k]
	if reversed {
		l = lemma{l.to, l.from, equal{l.equal[back], l.equal[forth]}}
	}
	if a != l.from || b != l.to {
		algebra.Fail(CodeStep, "there stand other terms than lemma %d is about", k)
	}
	return l.equal
}

// byRule checks a step by a rule: that its sides stand there, in one direction or the other.
func (x *explanation) byRule(a, b int, list []string) equal {
	g := x.rules[list[0]]
	if g == nil {
		algebra.Fail(CodeStep, "there is no rule %.60s", list[0])
	}
	d, text := forth, ""
	switch {
	case list[1] == "<-":
		d = back
	case list[1] != "->":
		malformed("a step by a rule is -> or <-")
	}
	if len(list) == 3 {
		text = list[2]
	}
	if len(list) == 3 && text == "" {
		malformed("nothing is bound")
	}
	u := use{given: g}
	x.bindings(&u, text)
	if u.left, u.right = a, b; d == back {
		u.left, u.right = b, a
	}
	x.unwrapped(&u)
	var e equal
	var why string
	if e[forth], why = x.proves(&u, d); why != "" {
		algebra.Fail(CodeStep, "no instance of %s %s: %s", list[0], list[1], why)
	}
	e[back], _ = x.proves(&u, 1-d)
	return e
}

// unwrapped takes (access RIGHT SPLIT) apart, as which the right side of a rule stands that is
// about values and dims alone, SPLIT being the left side's.
func (x *explanation) unwrapped(u *use) {
	if u.directions[forth].Equal != "tensor" {
		return
	}
	n, split := x.terms[u.right], x.typing.Types[u.left].Split
	if n.Op != opAccess || !n.Args[1].Int.Equal(domain.IntSize(int64(split))) {
		algebra.Fail(CodeStep, "the right side is not under access, with split %d", split)
	}
	u.right = n.Args[0].ID
}

// proves checks that the sides of an instance are the terms of a step, and returns in what it is
// proved, in one direction.
func (x *explanation) proves(u *use, d int) (w ways, why string) {
	in := u.instance(d, u.values, x.elemOf(u, d), u.key)
	if in.why != "" {
		return 0, in.why
	}
	vars := x.variables(in, u.vars)
	sides := [2]int{u.left, u.right}
	for i, p := range []program{in.left, in.right} {
		if i == 1 {
			d = 1 - d
		}
		ids := x.find(p, vars)
		if ids[p.Program.Root.ID] != sides[d] {
			return 0, "the " + [...]string{"left", "right"}[d] + " side is another term"
		}
		if why := x.otherType(p, ids); why != "" {
			return 0, why
		}
	}
	if in.contract != "" {
		x.restsOn[in.contract] = true
	}
	return in.ways, ""
}
