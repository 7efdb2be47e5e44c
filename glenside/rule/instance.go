package rule

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"tv/glenside"
	"tv/internal/sexpr"
	"tv/internal/source"
	"tv/semantics/domain"
)

// Values say what the names of a rule are in one instance; names as in the rule, with "?" and star.
type Values struct {
	Groups map[string][]int64
	Sizes  map[string]int64 // sizes and integers
	Lists  map[string][]int
	Tokens map[string]string
}

// An Instance is a rule with numbers for everything.
type Instance struct {
	Before string // the left side as a program with declarations
	After  string // the right side; where Broken says why it has no meaning, as it is written, or ""
	Broken string
}

// Programs parses both sides, of which the right one has a meaning.
func (in *Instance) Programs() (before, after *glenside.Program, err error) {
	if before, err = glenside.Parse(source.NewFile("left", in.Before)); err != nil {
		return nil, nil, err
	}
	after, err = glenside.Parse(source.NewFile("right", in.After))
	return before, after, err
}

// ErrNotAdmitted says that the guard of a rule is not true in an instance, or its left side not well formed; of a rule
// WhereBoth, or its right side not well formed or of another type.
var ErrNotAdmitted = errors.New("not admitted")

// Instance makes an instance, for tensors of the given element type where a variable has none of its own. Every name
// of the rule needs a value. Errors: ErrNotAdmitted, wrapped with the reason; others where a value is missing.
func (r *Rule) Instance(v Values, elem domain.Elem) (*Instance, error) {
	e, before, err := r.admitted(v, elem)
	if err != nil {
		return nil, err
	}
	var right *value
	e.right = true
	side := attempt(func() { right = e.expr(r.RHS) })
	e.right = false
	if side.stopped() {
		return nil, fmt.Errorf("an instance is not settled: %s", side.reason)
	}
	in := &Instance{Before: before, Broken: side.bad}
	if side.bad == "" {
		in.After = right.text + "\n"
		if err := typed(e.declarations() + in.After); err != nil {
			in.Broken = firstMessage(err)
		}
	} else {
		in.After = e.asWritten(in.Before)
	}
	if r.both && (in.Broken != "" || !r.sameType(in.Before, e.declarations()+in.After)) {
		return nil, fmt.Errorf("%w: the right side is ill formed, or has another type", ErrNotAdmitted)
	}
	return in, nil
}

// sameType tells whether two programs have results of one type.
func (r *Rule) sameType(before, after string) bool {
	x, errX := typing(before)
	y, errY := typing(after)
	return errX == nil && errY == nil && r.alikeTypes(x.Root(), y.Root())
}

func (r *Rule) alikeTypes(x, y *glenside.Type) bool {
	return x.Kind == y.Kind && x.Elem == y.Elem && (r.Equal == "tensor" || x.Split == y.Split) &&
		slices.EqualFunc(x.Dims, y.Dims, domain.Size.Equal) && slices.EqualFunc(x.Items, y.Items, r.alikeTypes)
}

// Admits tells whether numbers make an instance that the rule is about. Errors: those of Instance.
func (r *Rule) Admits(v Values, elem domain.Elem) error {
	if r.both {
		_, err := r.Instance(v, elem)
		return err
	}
	_, _, err := r.admitted(v, elem)
	return err
}

// admitted returns the left side of an instance, and what it was made by.
func (r *Rule) admitted(v Values, elem domain.Elem) (e *elaborator, before string, err error) {
	a, err := r.settled(v)
	if err != nil {
		return nil, "", err
	}
	e = &elaborator{rule: r, a: a, intNames: map[string]string{}, elem: &elem}
	var left *value
	var conditions []*domain.Pred
	out := attempt(func() {
		e.shapes()
		left = e.expr(r.LHS)
		conditions = e.guards()
	})
	switch {
	case out.stopped():
		return nil, "", fmt.Errorf("an instance is not settled: %s", out.reason)
	case out.bad != "":
		return nil, "", fmt.Errorf("%w: %s", ErrNotAdmitted, out.bad)
	case conditions == nil:
		return nil, "", fmt.Errorf("%w: the guard is not true", ErrNotAdmitted)
	}
	before = e.declarations() + left.text + "\n"
	if err := typed(before); err != nil {
		return nil, "", fmt.Errorf("%w: %s", ErrNotAdmitted, firstMessage(err))
	}
	return e, before, nil
}

// settled returns the assignment in which every name has its value.
func (r *Rule) settled(v Values) (*assignment, error) {
	a := r.blank()
	a.ranked = true
	a.sizes = map[string]domain.Size{}
	for name, sort := range r.names {
		var ok bool
		switch sort {
		case groupName:
			var dims []int64
			dims, ok = v.Groups[name]
			segs := []seg{}
			for _, d := range dims {
				segs = append(segs, dimSeg(domain.IntSize(d)))
			}
			a.groups[name] = segs
		case sizeName, intName:
			var n int64
			n, ok = v.Sizes[name]
			a.sizes[name] = domain.IntSize(n)
			if sort == intName {
				a.ints[name] = domain.IntSize(n)
			}
		case listName:
			var l []int
			l, ok = v.Lists[name]
			a.lists[name] = constants(l)
		case tokenName:
			a.tokens[name], ok = v.Tokens[name]
		default:
			ok = true
		}
		if !ok {
			return nil, fmt.Errorf("%s has no value", name)
		}
	}
	return a, nil
}

// shapes states that the shapes of all variables are such: a tensor has no negative size.
func (e *elaborator) shapes() {
	for _, v := range e.rule.Vars {
		e.varShape(v.Access)
		e.varShape(v.Compute)
	}
}

// declarations writes the inputs of a case.
func (e *elaborator) declarations() string {
	var b strings.Builder
	for _, v := range e.rule.Vars {
		fmt.Fprintf(&b, "(input %s %s", e.programName(v.Name), declaredShape(cat(e.varShape(v.Access), e.varShape(v.Compute))))
		elem := *e.elem
		if v.Elem != nil {
			elem = *v.Elem
		}
		if elem != domain.Float32 {
			fmt.Fprintf(&b, " %s", elem)
		}
		b.WriteString(")\n")
	}
	return b.String()
}

func typed(program string) error {
	_, err := typing(program)
	return err
}

func typing(program string) (*glenside.Typing, error) {
	p, err := glenside.Parse(source.NewFile("", program))
	if err != nil {
		return nil, err
	}
	return glenside.Check(p, nil)
}

// ParseGuard reads a condition over the names of the rule.
func (r *Rule) ParseGuard(text string) (*Guard, error) {
	top, err := sexpr.Read(source.NewFile("guard", text))
	if err != nil {
		return nil, source.Errors{err}
	}
	p := &parser{rule: r, used: map[string]bool{}}
	if len(top) != 1 {
		return nil, fmt.Errorf("one condition is wanted")
	}
	g, err := p.guard(top[0])
	if err != nil {
		return nil, source.Errors{err}
	}
	return g, nil
}

// Holds returns what tells whether a condition is true in an instance; one without a value is not.
func (r *Rule) Holds(v Values) func(g *Guard) bool {
	a, err := r.settled(v)
	e := &elaborator{rule: r, a: a, intNames: map[string]string{}, elem: &domain.Elem{}}
	return func(g *Guard) bool {
		if err != nil {
			return false
		}
		holds := false
		out := attempt(func() { holds = e.guard(g).truth == isTrue })
		return holds && !out.stopped() && out.bad == ""
	}
}

// WithGuards returns the rule under further conditions, under another name and without a wanted verdict.
func (r *Rule) WithGuards(name string, guards ...string) (*Rule, error) {
	text := r.Span.Text()
	var edits []edit
	add := " " + strings.Join(guards, " ")
	where := false
	top, err := sexpr.Read(source.NewFile(r.Span.File.Name, text))
	if err != nil {
		return nil, source.Errors{err}
	}
	for _, c := range top[0].List[1:] {
		switch {
		case c == top[0].List[1]:
			edits = append(edits, edit{c.Span.Start, c.Span.End, name})
		case c.Head() == "where":
			where = true
			edits = append(edits, edit{c.Span.End - 1, c.Span.End - 1, add})
		case c.Head() == "want":
			edits = append(edits, edit{c.Span.Start, c.Span.End, ""})
		}
	}
	if !where {
		edits = append(edits, edit{len(text) - 1, len(text) - 1, " (where" + add + ")"})
	}
	return r.edited(text, edits)
}

// Converse returns the rule from the right side to the left, under another name and without a wanted verdict. Its text is that
// of the rule but for these three edits. As a statement it is one of [Rule.WhereBoth]: nothing says that what the new right side
// needs follows.
func (r *Rule) Converse() (*Rule, error) {
	text := r.Span.Text()
	top, err := sexpr.Read(source.NewFile(r.Span.File.Name, text))
	if err != nil {
		return nil, source.Errors{err}
	}
	name := top[0].List[1]
	edits := []edit{{name.Span.Start, name.Span.End, name.Atom + ConverseSuffix}}
	sides := map[string]*sexpr.Form{}
	for _, c := range top[0].List[2:] {
		switch c.Head() {
		case "want":
			edits = append(edits, edit{c.Span.Start, c.Span.End, ""})
		case "lhs", "rhs":
			sides[c.Head()] = c.List[1]
		}
	}
	left, right := sides["lhs"].Span, sides["rhs"].Span
	edits = append(edits, edit{left.Start, left.End, right.Text()}, edit{right.Start, right.End, left.Text()})
	return r.edited(text, edits)
}

// ConverseSuffix ends the names of converses.
const ConverseSuffix = "/converse"

// edited reads the rule that edits of the text of r make.
func (r *Rule) edited(text string, edits []edit) (*Rule, error) {
	var b strings.Builder
	at := 0
	sort.Slice(edits, func(i, j int) bool { return edits[i].start < edits[j].start })
	for _, x := range edits {
		b.WriteString(text[at:x.start] + x.by)
		at = x.end
	}
	b.WriteString(text[at:])
	rules, err := Parse(source.NewFile(r.Span.File.Name, b.String()))
	if err != nil {
		return nil, err
	}
	return rules[0], nil
}

// An edit replaces bytes of a text.
type edit struct {
	start, end int
	by         string
}

// Names lists the names of the rule by what they stand for, sorted: groups, then sizes and integers.
func (r *Rule) Names() (groups, integers []string) {
	for _, n := range slices.Sorted(maps.Keys(r.names)) {
		switch r.names[n] {
		case groupName:
			groups = append(groups, n)
		case sizeName, intName:
			integers = append(integers, n)
		}
	}
	return groups, integers
}

// Numbers calls f with the numbers that both sides of the rule mention.
func (r *Rule) Numbers(f func(n int64)) {
	var walk func(x *Expr)
	walk = func(x *Expr) {
		if x.Kind == Int && x.Value.IsInt64() {
			f(x.Value.Int64())
		}
		for _, a := range x.Args {
			walk(a)
		}
	}
	walk(r.LHS)
	walk(r.RHS)
}
