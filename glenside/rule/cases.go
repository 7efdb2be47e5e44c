package rule

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"tv/glenside"
	"tv/internal/source"
	"tv/semantics/domain"
)

// A Case is a shape of instances: two programs over named sizes, which stand for the sides of the rule in all
// instances of that shape. Sizes may be 0.
type Case struct {
	Choices []string // what the groups, axes, lists and words are, for people
	Before  string   // the left side, with declarations and the guard as assumes
	After   string   // the right side; where Broken says why it has no meaning, as it is written, or ""
	Broken  string

	// What the names of the rule are in these instances; a name that has no entry may be anything.
	Groups map[string][]Part
	Ints   map[string]domain.Size // over numbers of dims, or over a name that is any number from 0
	Words  map[string]string
	Lists  map[string][]int // that are numbers
}

// A Part of a group is one dim of that size or, where Rank is not empty, any number of dims, which Ints call Rank.
type Part struct{ Size, Rank string }

// A Cover says which instances the cases of a rule are.
type Cover struct {
	All    bool   // all of them
	Ranks  int    // otherwise those in which each variable has at most so many dims from groups
	Reason string // why not all
}

// tooMany is why a rule is not taken further apart.
const tooMany = "too many cases"

// Limits of the cases of one rule.
const (
	maxCases = 2000  // made
	maxSeen  = 40000 // looked at
	maxNames = 60    // choices in one
)

// Cases takes a rule apart into cases that cover all instances, for tensors of the given element type where a variable
// has none of its own. Groups stand for any number of dims. Where they cannot, the reason is not empty and there are no
// cases; see RankedCases. A case whose left side is nowhere well formed, or whose guard is nowhere true, is left out
// where that is seen without numbers.
func (r *Rule) Cases(elem domain.Elem) (cases []*Case, reason string) {
	return r.expand([]*assignment{r.start()}, elem)
}

// MaxRank is the number of dims, over the groups of a variable, up to which a rule is written out that cannot be
// stated for all: enough for permutations that do not commute and are not their own inverses.
func (r *Rule) MaxRank() int {
	if len(r.Lists) > 0 {
		return 3
	}
	return 4
}

// RankedCases takes the instances apart in which the groups of some variable have just as many dims as rank says, in
// all, and those of the others no more. The reason is not empty where that cannot be done.
func (r *Rule) RankedCases(rank int, elem domain.Elem) (cases []*Case, reason string) {
	return r.expand(r.ranked(rank), elem)
}

// start returns the assignment in which each group is a block.
func (r *Rule) start() *assignment {
	a := r.blank()
	for _, g := range r.groupNames() {
		a.groups[g] = []seg{blockSeg(strings.TrimPrefix(g, "?"))}
	}
	return a
}

func (r *Rule) blank() *assignment {
	return &assignment{groups: map[string][]seg{}, ints: map[string]domain.Size{}, signed: map[string]bool{},
		places: map[string]position{}, words: map[string]word{}, lists: map[string][]run{}, tokens: map[string]string{}, fresh: map[string]int{}}
}

func (r *Rule) groupNames() []string {
	var out []string
	for _, n := range slices.Sorted(maps.Keys(r.names)) {
		if r.names[n] == groupName {
			out = append(out, n)
		}
	}
	return out
}

// ranked returns the assignments in which the groups of each variable have at most n dims in all, and so have those
// that no variable has, and some have n; few dims first.
func (r *Rule) ranked(n int) []*assignment {
	out := []*assignment{r.blank()}
	out[0].ranked = true
	for _, g := range r.groupNames() {
		var next []*assignment
		for _, a := range out {
			for k := 0; k <= n; k++ {
				c := a.clone()
				segs := []seg{}
				for range k {
					segs = append(segs, dimSeg(domain.NamedSize(c.freshName(strings.TrimPrefix(g, "?"), false))))
				}
				c.groups[g] = segs
				c.note("%s is %s", strings.TrimPrefix(g, "?"), segsText(segs))
				if r.within(c, n) {
					next = append(next, c)
				}
			}
		}
		out = next
	}
	if n > 0 {
		out = slices.DeleteFunc(out, func(a *assignment) bool { return r.within(a, n-1) })
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].dims() < out[j].dims() })
	return out
}

// within tells whether the groups of each variable have at most n dims in an assignment, and so have the others.
func (r *Rule) within(a *assignment, n int) bool {
	rest := map[string]int{}
	for g, segs := range a.groups {
		rest[g] = len(segs)
	}
	for _, v := range r.Vars {
		total := 0
		for _, d := range append(slices.Clone(v.Access), v.Compute...) {
			if d.Kind == Group {
				total += len(a.groups[d.Text])
				delete(rest, d.Text)
			}
		}
		if total > n {
			return false
		}
	}
	total := 0
	for _, k := range rest {
		total += k
	}
	return total <= n
}

func (a *assignment) dims() int {
	n := 0
	for _, g := range a.groups {
		n += len(g)
	}
	return n
}

// expand elaborates assignments, taking cases apart where they ask for it. reason is not empty where one cannot be
// stated.
func (r *Rule) expand(todo []*assignment, elem domain.Elem) (cases []*Case, reason string) {
	for _, t := range r.Tokens { // each word a case
		var next []*assignment
		for _, a := range todo {
			for _, w := range t.Tokens {
				c := a.clone()
				c.tokens[t.Name] = w
				c.note("%s is %s", t.Name, w)
				next = append(next, c)
			}
		}
		todo = next
	}
	slices.Reverse(todo) // a stack: the first case on top
	for seen := 0; len(todo) > 0; seen++ {
		a := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen == maxSeen || len(cases) == maxCases || len(a.trail) > maxNames {
			return nil, tooMany
		}
		c, alts, why := r.elaborate(a, elem)
		if why != "" {
			return nil, why
		}
		for i := len(alts) - 1; i >= 0; i-- {
			b := a.clone()
			alts[i](b)
			todo = append(todo, b)
		}
		if c != nil {
			cases = append(cases, c)
		}
	}
	return cases, ""
}

// elaborate makes the case of an assignment, or says how to take it apart. All results are empty where no instance is
// admitted.
func (r *Rule) elaborate(a *assignment, elem domain.Elem) (c *Case, alts []alternative, reason string) {
	e := &elaborator{rule: r, a: a, intNames: map[string]string{}, elem: &elem, lengths: map[string]domain.Size{}}
	for _, n := range r.Ints {
		e.intNames[programName(n)] = n
	}
	var left, right *value
	var conditions []*domain.Pred
	out := attempt(func() {
		e.shapes()
		left = e.expr(r.LHS)
		if r.both {
			right = e.expr(r.RHS)
			e.oneType(left, right)
		}
		e.together()
		e.settleAxes()
		conditions = e.guards()
	})
	if out.stopped() || out.bad != "" || conditions == nil {
		return nil, out.alternatives, out.reason
	}
	var side outcome
	if !r.both {
		e.right = true
		side = attempt(func() {
			right = e.expr(r.RHS)
			e.agree(left, right)
		})
		e.right = false
	}
	if side.stopped() {
		return nil, side.alternatives, side.reason
	}
	out = attempt(func() {
		e.signs()
		text := ""
		if side.bad == "" {
			text = right.text
		}
		c = e.programs(conditions, left.text, text)
		if side.bad != "" {
			c.Broken = side.bad
		}
		if c.Broken != "" && c.Before != "" {
			c.After = e.asWritten(c.Before)
		}
	})
	if out.stopped() || c.Before == "" || r.both && c.Broken != "" {
		return nil, out.alternatives, out.reason
	}
	return c, nil, ""
}

// An outcome is how the work on a side ended, if early.
type outcome struct {
	alternatives []alternative // the case is taken apart
	reason       string        // ranks have to be numbers
	bad          string        // the side has no meaning
}

func (o outcome) stopped() bool { return o.alternatives != nil || o.reason != "" }

func attempt(f func()) (out outcome) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case split:
			out.alternatives = p.alternatives
		case escape:
			out.reason = p.reason
		case illFormed:
			out.bad = p.msg
		case noValue:
			out.bad = p.msg
		case unknownList:
			out.reason = fmt.Sprintf("nothing fixes the elements of %s", p.name)
		default:
			panic(p)
		}
	}()
	f()
	return out
}

// guards returns the conditions of the guard that depend on sizes; nil where it is not true.
func (e *elaborator) guards() []*domain.Pred {
	// What a term in a guard needs is not what the left side needs: nothing may be concluded from it.
	e.right = true
	defer func() { e.right = false }()
	out := []*domain.Pred{}
	for _, g := range e.rule.Where {
		switch c := e.guard(g); c.truth {
		case isFalse, isUnknown:
			return nil
		case isOpen:
			out = append(out, c.pred)
		}
	}
	for _, p := range out {
		for _, n := range p.Names() {
			if isRank(n) {
				panic(escape{fmt.Sprintf("a guard counts the dims of %s", n[1:len(n)-1])})
			}
		}
	}
	return out
}

// agree states that blocks stand in the same places of both results: blocks are not compared by size alone.
func (e *elaborator) agree(x, y *value) {
	if x.tuple && y.tuple && len(x.items) == len(y.items) {
		for i := range x.items {
			e.agree(x.items[i], y.items[i])
		}
		return
	}
	if w, u := x.anyWord(), y.anyWord(); len(w) > 0 || len(u) > 0 {
		if !slices.Equal(w, u) || len(x.segs) != len(y.segs) || !sameBlocks(x.segs, y.segs) ||
			!x.cut.Equal(y.cut) && e.rule.Equal != "tensor" {
			panic(escape{fmt.Sprintf("the results are permuted by %s and %s", w, u)})
		}
		return
	}
	if x.tuple || y.tuple || !hasBlock(x.segs) && !hasBlock(y.segs) {
		return // numbers of dims that differ are for the programs to show
	}
	if len(x.segs) != len(y.segs) || !sameBlocks(x.segs, y.segs) || x.split != y.split && e.rule.Equal != "tensor" {
		panic(escape{fmt.Sprintf("the results are (%s %s) and (%s %s)", segsText(x.access()), segsText(x.compute()),
			segsText(y.access()), segsText(y.compute()))})
	}
}

// oneType puts the dims of one result for those of the other, block by block: where they are not the same, nothing is
// asked. The sizes of dims are compared by whoever decides the case.
func (e *elaborator) oneType(x, y *value) {
	const what = "the sides have one type"
	switch {
	case x.tuple != y.tuple || len(x.items) != len(y.items):
		panic(illFormed{what})
	case x.tuple:
		for i := range x.items {
			e.oneType(x.items[i], y.items[i])
		}
	case len(x.word)+len(y.word) > 0:
		e.agree(x, y)
	case e.rule.Equal == "tensor":
		e.unify(x.segs, y.segs, what)
	default:
		e.unify(x.access(), y.access(), what)
		e.unify(x.compute(), y.compute(), what)
	}
}

// signs takes the case apart by the signs of the integers that are left: sizes of programs are not negative.
func (e *elaborator) signs() {
	for _, q := range e.rule.Ints {
		_, settled := e.a.ints[q]
		if _, placed := e.a.places[q]; settled || placed || e.a.signed[q] {
			continue
		}
		name := programName(q)
		panic(split{[]alternative{
			func(a *assignment) { a.signed[q] = true },
			func(a *assignment) {
				a.ints[q] = domain.IntSize(-1).Sub(domain.NamedSize(name))
				a.signed[q] = true
				a.note("%s = %s", q, a.ints[q])
			},
		}})
	}
}

// programs writes the programs of a case. Before is empty where the left side is nowhere well formed, After where
// Broken says that of the right side, or right is empty.
func (e *elaborator) programs(conditions []*domain.Pred, left, right string) *Case {
	var b strings.Builder
	names := map[string]bool{}
	declared := map[string]bool{}
	if refused := addNames(names, left); refused != "" {
		return &Case{}
	}
	broken := ""
	if right != "" {
		if broken = addNames(names, right); broken != "" {
			right = ""
		}
	}
	b.WriteString(e.declarations())
	for _, v := range e.rule.Vars {
		for _, s := range cat(e.varShape(v.Access), e.varShape(v.Compute)) {
			if n := s.size.Name(); n != "" {
				declared[n] = true
			}
			for _, n := range s.size.Names() {
				names[n] = true
			}
		}
	}
	var assumes strings.Builder
	for _, p := range conditions {
		fmt.Fprintf(&assumes, "(assume %s)\n", p)
		for _, n := range p.Names() {
			names[n] = true
		}
	}
	var rest []seg
	for _, n := range slices.Sorted(maps.Keys(names)) {
		if !declared[n] {
			rest = append(rest, dimSeg(domain.NamedSize(n)))
		}
	}
	if len(rest) > 0 { // sizes of programs start at 1 unless a declaration says otherwise
		fmt.Fprintf(&b, "(input %s %s)\n", e.unusedName(), declaredShape(rest))
	}
	b.WriteString(assumes.String())
	b.WriteString(left)
	b.WriteByte('\n')
	c := e.named()
	c.Before, c.Broken = b.String(), broken
	if right != "" {
		c.After = right + "\n"
	}
	if err := typed(c.Before); glenside.Unsupported(err) {
		panic(escape{firstMessage(err)})
	} else if err != nil {
		c.Before = ""
	}
	return c
}

// named returns the case without its programs: what the names of the rule are.
func (e *elaborator) named() *Case {
	c := &Case{Choices: slices.Clone(e.a.trail), Groups: map[string][]Part{}, Ints: maps.Clone(e.a.ints), Words: e.a.tokens,
		Lists: map[string][]int{}}
	for name, l := range e.a.lists {
		if n, ok := numbers(l); ok {
			c.Lists[name] = n
		}
	}
	for g, segs := range e.a.groups {
		for _, s := range segs {
			p := Part{Size: s.size.String()}
			if s.block != "" {
				p.Rank = rankName(s.block)
			}
			c.Groups[g] = append(c.Groups[g], p)
		}
	}
	for q := range e.a.signed {
		if _, known := c.Ints[q]; !known {
			c.Ints[q] = domain.NamedSize(programName(q))
		}
	}
	return c
}

// numbers returns the elements of a list in which each is a number.
func numbers(l []run) (out []int, ok bool) {
	for _, r := range l {
		lo, okLo := r.lo.Int64()
		hi, okHi := r.hi.Int64()
		if !okLo || !okHi || hi-lo > maxSeen {
			return nil, false
		}
		for n := lo; n < hi; n++ {
			out = append(out, int(n))
		}
	}
	return out, true
}

// unusedName is the name of a declaration that is there for the sizes in its shape.
func (e *elaborator) unusedName() string {
	name := "sizes"
	for e.rule.names["?"+name] != unbound {
		name += "_"
	}
	return name
}

// addNames adds the names of sizes that the text of a side mentions. refused is not empty where the side is ill formed
// whatever the sizes are: it has a negative number where the language takes none.
func addNames(set map[string]bool, text string) (refused string) {
	p, err := glenside.Parse(source.NewFile("", text))
	if err != nil {
		if source.AsErrors(err)[0].Code == "negative-number" {
			return firstMessage(err)
		}
		panic(fmt.Sprintf("rule: %v\n%s", err, text))
	}
	for _, n := range p.Nodes {
		if n.Kind == glenside.KindInt {
			for _, name := range n.Int.Names() {
				set[name] = true
			}
		}
	}
	return ""
}
