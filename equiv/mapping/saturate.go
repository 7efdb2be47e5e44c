package mapping

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tv/equiv/egraph"
	"tv/glenside"
	"tv/glenside/rule"
	"tv/internal/mix"
	"tv/semantics/domain"
)

// An instance is a rule with terms and numbers for its names: two terms that were united.
type instance struct {
	rule     int
	binding  *binding
	terms    []egraph.Term // of the variables, in the order of the rule; where there are none the binding has them
	from, to egraph.Term
}

// term is what a variable of a rule stands for.
func (x *instance) term(r *rule.Rule, name string) (egraph.Term, bool) {
	if x.terms == nil {
		t, ok := x.binding.terms[name]
		return t, ok
	}
	i := slices.IndexFunc(r.Vars, func(v *rule.Var) bool { return v.Name == name })
	if i < 0 {
		return 0, false
	}
	return x.terms[i], true
}

// A match is an instance whose right side is not in the graph yet.
type match struct {
	instance
	right *tree
}

// A saturation makes a graph grow by the instances of rules.
type saturation struct {
	g     *graph
	opts  *Options
	rules []int // those that are searched for

	names    [][]string // of each rule, sorted
	integers [][]string // those that are sizes and integers

	instances []instance // by the reason of their union
	seen      map[fingerprint]bool
	matches   []int // by rule
	certified map[asked]bool
	banned    []int // by rule: the round in which it may match again
	bans      []int

	rounds  int
	stopped string
}

// asked is a rule at an element type.
type asked struct {
	rule int
	elem domain.Elem
}

// The limits of the back-off scheduler: a rule with more matches in a round than most, doubled at each ban, sits out some
// rounds, doubled as well.
const (
	backoffMatches = 1000
	backoffRounds  = 5
)

// Why a saturation stopped.
const (
	Saturated   = "saturated"
	StopRounds  = "rounds"
	StopNodes   = "nodes"
	StopTimeout = "timeout"
)

func newSaturation(g *graph, opts *Options) *saturation {
	s := &saturation{g: g, opts: opts, seen: map[fingerprint]bool{}, certified: map[asked]bool{}, matches: make([]int, len(opts.Rules)),
		banned: make([]int, len(opts.Rules)), bans: make([]int, len(opts.Rules))}
	for i, r := range opts.Rules {
		_, integers := r.Names()
		s.names, s.integers = append(s.names, namesOf(r)), append(s.integers, integers)
		if !opts.cuts(r.LHS.Op) {
			s.rules = append(s.rules, i)
		}
	}
	return s
}

// run goes through rounds. Errors: those of certifying a rule that matches.
func (s *saturation) run(ctx context.Context) error {
	if err := s.g.Rebuild(); err != nil {
		return err
	}
	for s.stopped == "" {
		if s.rounds == s.opts.Rounds {
			s.stopped = StopRounds
			break
		}
		s.rounds++
		if err := s.round(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *saturation) round(ctx context.Context) error {
	found, waiting := s.search(ctx)
	if ctx.Err() != nil {
		s.stopped = StopTimeout
		return nil
	}
	if err := s.certify(ctx, found); err != nil {
		return err
	}
	if ctx.Err() != nil {
		s.stopped = StopTimeout
		return nil
	}
	changed := false
	for i := range found {
		if !s.certified[asked{found[i].rule, found[i].binding.elem}] {
			continue
		}
		if s.apply(&found[i]) {
			changed = true
		}
		if _, nodes := s.g.Size(); nodes >= s.opts.Nodes {
			s.stopped = StopNodes
			break
		}
		if ctx.Err() != nil {
			s.stopped = StopTimeout
			break
		}
	}
	if err := s.g.Rebuild(); err != nil {
		return err
	}
	if !changed && !waiting && s.stopped == "" {
		s.stopped = Saturated
	}
	return nil
}

// search finds the new matches of all rules, in the order of rules and classes; waiting tells whether a rule sits out.
func (s *saturation) search(ctx context.Context) (found []match, waiting bool) {
	for _, i := range s.rules {
		r := s.opts.Rules[i]
		if s.banned[i] > s.rounds {
			waiting = true
			continue
		}
		var of []match
		m := s.matcher(i)
		m.yield = func() {
			if x, ok := s.instance(i, m); ok {
				of = append(of, x)
			}
		}
		for _, c := range s.candidates(r.LHS) {
			if ctx.Err() != nil {
				return nil, false
			}
			m.root(c)
		}
		if most := backoffMatches << s.bans[i]; s.opts.Backoff && len(of) > most {
			for _, x := range of {
				delete(s.seen, s.fingerprint(x.rule, x.binding))
			}
			s.banned[i] = s.rounds + backoffRounds<<s.bans[i]
			s.bans[i]++
			waiting = true
			continue
		}
		s.matches[i] += len(of)
		found = append(found, of...)
	}
	return found, waiting
}

// candidates are the classes that may have an instance of a left side.
func (s *saturation) candidates(x *rule.Expr) []egraph.Class {
	if x.Kind == rule.Call && x.Op != nil {
		if head, ok := s.g.ops.head(x.Op); ok {
			return s.g.ByHead(head)
		}
		return nil
	}
	return slices.Collect(s.g.Classes())
}

// instance makes the sides of a match. The left one is put in the graph as a term, in which variables stand for the oldest
// terms of their classes; what does not type is no match.
func (s *saturation) instance(i int, m *matcher) (match, bool) {
	r, key := s.opts.Rules[i], s.fingerprint(i, m.binding)
	if s.seen[key] {
		return match{}, false
	}
	s.seen[key] = true
	left, err := m.tree(r.LHS)
	if err != nil {
		return match{}, false
	}
	right, ok := s.right(r, m, left.typ)
	if !ok {
		return match{}, false
	}
	from, err := s.g.add(left)
	if err != nil {
		return match{}, false
	}
	return match{instance{rule: i, from: from, binding: m.clone()}, right}, true
}

// matcher is one of a rule.
func (s *saturation) matcher(i int) *matcher {
	r := s.opts.Rules[i]
	return &matcher{evaluator: evaluator{s.g, r, newBinding()}, given: s.opts.Given, integers: s.integers[i]}
}

// right makes the right side of a match, of the type of the left one. What does not type is no match.
func (s *saturation) right(r *rule.Rule, m *matcher, left *glenside.Type) (*tree, bool) {
	right, err := m.tree(r.RHS)
	if err == nil && r.Equal == "tensor" {
		split := &value{kind: intValue, ints: []int64{int64(left.Split)}}
		right, err = s.g.call(&operator{op: opAccess, slots: []*value{nil, split}}, right)
	}
	return right, err == nil && sameType(left, right.typ)
}

var opAccess = glenside.LookupOp("access")

// A fingerprint tells instances apart. Were two to share one, an instance would be lost and nothing else.
type fingerprint [2]uint64

func (s *saturation) fingerprint(i int, b *binding) fingerprint {
	f := fingerprint{uint64(i), ^uint64(i)}
	word := func(x uint64) {
		f[0], f[1] = mix.Word(f[0], x), mix.Word(f[1], mix.Spread(x))
	}
	for _, name := range s.names[i] {
		if t, ok := b.terms[name]; ok {
			word(uint64(t))
		} else if n, ok := b.ints[name]; ok {
			word(uint64(n))
		} else if l, ok := b.lists[name]; ok {
			word(uint64(len(l)))
			for _, n := range l {
				word(uint64(n))
			}
		} else {
			word(mix.String(0, b.words[name]))
		}
	}
	return f
}

// namesOf lists the names of a rule, sorted.
func namesOf(r *rule.Rule) []string {
	groups, integers := r.Names()
	names := append(slices.Concat(groups, integers, r.Lists), make([]string, 0, len(r.Vars)+len(r.Tokens))...)
	for _, v := range r.Vars {
		names = append(names, v.Name)
	}
	for _, t := range r.Tokens {
		names = append(names, t.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// text writes what names stand for, each after a blank: ?x=#12 ?m=5 ?S*=[2 3] ?p=(1 0) ?op=relay-add.
func (x *instance) text(r *rule.Rule, names []string, term func(egraph.Term) string) string {
	var out strings.Builder
	b := x.binding
	for _, name := range names {
		out.WriteString(" " + name + "=")
		if t, ok := x.term(r, name); ok {
			out.WriteString("#" + term(t))
		} else if n, ok := b.ints[name]; ok {
			fmt.Fprint(&out, n)
		} else if l, ok := b.lists[name]; ok {
			text := strings.Trim(fmt.Sprint(l), "[]")
			if slices.Contains(r.Lists, name) {
				out.WriteString("(" + text + ")")
			} else {
				out.WriteString("[" + text + "]")
			}
		} else {
			out.WriteString(b.words[name])
		}
	}
	return out.String()
}

// apply unites the sides of an instance, and tells whether that was news.
func (s *saturation) apply(x *match) bool {
	to, err := s.g.add(x.right)
	if err != nil {
		return false
	}
	x.to = to
	united, err := s.g.Union(x.from, to, egraph.Reason(len(s.instances)))
	if err != nil || !united {
		return false
	}
	s.instances = append(s.instances, x.instance)
	return true
}

// certify has the rules of new matches certified that were not yet.
func (s *saturation) certify(ctx context.Context, found []match) error {
	var list []asked
	for _, x := range found {
		q := asked{x.rule, x.binding.elem}
		if _, known := s.certified[q]; !known {
			s.certified[q] = false
			list = append(list, q)
		}
	}
	return s.ask(ctx, list)
}

// fires tells whether a rule may fire at a type.
func (s *saturation) fires(ctx context.Context, q asked) (bool, error) {
	if _, known := s.certified[q]; !known {
		if err := s.ask(ctx, []asked{q}); err != nil {
			return false, err
		}
	}
	return s.certified[q], nil
}

// ask has rules certified.
func (s *saturation) ask(ctx context.Context, list []asked) error {
	if len(list) == 0 {
		return nil
	}
	questions := make([]Question, len(list))
	for i, q := range list {
		questions[i] = Question{s.opts.Rules[q.rule], q.elem}
	}
	answers, err := s.opts.Certify(ctx, questions)
	if err != nil {
		return err
	}
	for i, q := range list {
		s.certified[q] = answers[i]
	}
	return nil
}
