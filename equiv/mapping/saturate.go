package mapping

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tv/equiv/egraph"
	"tv/glenside"
	"tv/glenside/rule"
	"tv/semantics/domain"
)

// An instance is a rule with terms and numbers for its names: two terms that were united.
type instance struct {
	rule     int
	binding  *binding
	from, to egraph.Term
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
	names [][]string // of each rule, sorted

	instances []instance // by the reason of their union
	seen      map[string]bool
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
	s := &saturation{g: g, opts: opts, seen: map[string]bool{}, certified: map[asked]bool{}, matches: make([]int, len(opts.Rules)),
		banned: make([]int, len(opts.Rules)), bans: make([]int, len(opts.Rules))}
	for _, r := range opts.Rules {
		s.names = append(s.names, namesOf(r))
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
	for i, r := range s.opts.Rules {
		if s.banned[i] > s.rounds {
			waiting = true
			continue
		}
		var of []match
		m := &matcher{evaluator: evaluator{s.g, r, newBinding()}, given: s.opts.Given}
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
				delete(s.seen, s.key(&x.instance))
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
	r := s.opts.Rules[i]
	left, err := m.tree(r.LHS)
	if err != nil {
		return match{}, false
	}
	from, err := s.g.add(left)
	if err != nil {
		return match{}, false
	}
	x := match{instance: instance{rule: i, from: from, binding: &binding{terms: maps.Clone(m.terms), ints: maps.Clone(m.ints),
		lists: maps.Clone(m.lists), words: maps.Clone(m.words), elem: m.elem}}}
	key := s.key(&x.instance)
	if s.seen[key] {
		return match{}, false
	}
	s.seen[key] = true
	right, err := m.tree(r.RHS)
	if err != nil {
		return match{}, false
	}
	if r.Equal == "tensor" {
		split := &value{kind: intValue, ints: []int64{int64(left.typ.Split)}}
		if right, err = s.g.call(&operator{op: opAccess, slots: []*value{nil, split}}, right); err != nil {
			return match{}, false
		}
	}
	if !sameType(left.typ, right.typ) {
		return match{}, false
	}
	x.right = right
	return x, true
}

var opAccess = glenside.LookupOp("access")

// key tells instances apart.
func (s *saturation) key(x *instance) string {
	return fmt.Sprintf("%d %d%s", x.rule, x.from, x.binding.text(s.opts.Rules[x.rule], s.names[x.rule], func(t egraph.Term) string { return fmt.Sprint(t) }))
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
func (b *binding) text(r *rule.Rule, names []string, term func(egraph.Term) string) string {
	var out strings.Builder
	for _, name := range names {
		out.WriteString(" " + name + "=")
		if t, ok := b.terms[name]; ok {
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
