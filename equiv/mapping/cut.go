package mapping

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tv/equiv/egraph"
	"tv/glenside"
	"tv/glenside/rule"
)

// cutShare bounds the instances by which a program is cut, as a multiple of the nodes that the graph may have.
const cutShare = 10

// errCut is that there would be more instances, or no time for them.
var errCut = errors.New("mapping: not all of the program can be cut")

// A cutter takes operators of Options.Cuts apart, after the search: of the rules whose left side is such an operator the first that
// fits, until none does. There is one way to do so, and nothing is looked for, so that this costs what is in the result: in a graph
// there would be all ways to cut all products at once.
type cutter struct {
	s     *saturation
	rules map[*glenside.Op][]int // by the operator that they take apart
	depth int                    // of operators in the left sides of these, at most
	costs map[string]pieces      // of what an operator comes apart into, by it and the types of its arguments
	sum   int                    // instances of what there are costs of

	whole  map[egraph.Term]egraph.Term // what terms come apart into, themselves where they do not
	lemma  map[egraph.Term]int         // of those that do, among lemmas
	lemmas []egraph.Lemma
	taken  int // instances
	most   int

	patterns  map[string]*pattern // by what parts returns
	types     map[*glenside.Type]int
	typeTexts map[string]int
	of        []egraph.Term // parts of the term that is looked at
	key       []byte
}

// pieces are what an operator comes apart into.
type pieces struct {
	cost  egraph.Cost
	taken int // instances
	ok    bool
}

// newCutter returns a cutter, or nil where no operator is taken apart.
func (s *saturation) newCutter() *cutter {
	if len(s.opts.Cuts) == 0 {
		return nil
	}
	c := &cutter{s: s, rules: map[*glenside.Op][]int{}, costs: map[string]pieces{}, most: cutShare * s.opts.Nodes,
		patterns: map[string]*pattern{}, types: map[*glenside.Type]int{}, typeTexts: map[string]int{}}
	for i, r := range s.opts.Rules {
		if s.opts.cuts(r.LHS.Op) {
			c.rules[r.LHS.Op] = append(c.rules[r.LHS.Op], i)
			c.depth = max(c.depth, nested(r.LHS))
		}
	}
	c.start(nil)
	return c
}

// nested counts the operators of an expression that are one in the other.
func nested(x *rule.Expr) (depth int) {
	if x.Kind != rule.Call {
		return 0
	}
	for _, a := range x.Args {
		depth = max(depth, nested(a))
	}
	return depth + 1
}

// start forgets what was taken apart. Some terms stay as they are.
func (c *cutter) start(kept []egraph.Term) {
	c.whole, c.lemma, c.lemmas, c.taken = map[egraph.Term]egraph.Term{}, map[egraph.Term]int{}, nil, 0
	for _, t := range kept {
		c.whole[t] = t
	}
}

// cuts tells whether an operator is taken apart after the search.
func (o *Options) cuts(op *glenside.Op) bool { return op != nil && slices.Contains(o.Cuts, op.Name) }

// program takes a program apart. Errors: errCut; those of certifying a rule that fits.
func (c *cutter) program(ctx context.Context, root egraph.Term) (egraph.Term, error) {
	c.start(nil)
	for _, t := range c.s.g.below(root) { // arguments first, so that nothing recurses but into what was cut
		if _, err := c.term(ctx, t); err != nil {
			return root, err
		}
	}
	return c.whole[root], nil
}

// term takes a term apart, its arguments first.
func (c *cutter) term(ctx context.Context, t egraph.Term) (egraph.Term, error) {
	if to, known := c.whole[t]; known {
		return to, nil
	}
	g, at := c.s.g, t
	var chain []egraph.Step
	for {
		args := slices.Clone(g.Args(at))
		for i, a := range args {
			to, err := c.term(ctx, a)
			if err != nil {
				return t, err
			}
			if to == a {
				continue
			}
			args[i] = to
			next, err := g.Add(g.Op(at), args...)
			if err != nil {
				return t, err
			}
			chain = append(chain, egraph.Step{From: at, To: next, Argument: i, Lemma: c.lemma[a]})
			at = next
		}
		x, err := c.fitting(ctx, at)
		if err != nil {
			return t, err
		}
		if x == nil {
			break
		}
		chain = append(chain, egraph.Step{From: at, To: x.to, Argument: -1, Lemma: -1, Reason: egraph.Reason(len(c.s.instances))})
		c.s.instances = append(c.s.instances, *x)
		at = x.to
	}
	c.whole[t], c.whole[at] = at, at
	if at != t {
		c.lemma[t] = len(c.lemmas)
		c.lemmas = append(c.lemmas, egraph.Lemma{From: t, To: at, Chain: chain})
	}
	return at, nil
}

// fitting returns the instance by which a term is taken apart, or nil.
func (c *cutter) fitting(ctx context.Context, t egraph.Term) (*instance, error) {
	of := c.rules[c.s.g.operator(t).op]
	if len(of) == 0 {
		return nil, nil
	}
	key := c.parts(t)
	x, known := c.patterns[key]
	if !known {
		var err error
		if x, err = c.pattern(ctx, t, of); err != nil {
			return nil, err
		}
		c.patterns[key] = x
	}
	if x == nil {
		return nil, nil
	}
	if c.taken++; c.taken > c.most || ctx.Err() != nil {
		return nil, errCut
	}
	in := &instance{rule: x.rule, binding: x.binding, from: t, terms: make([]egraph.Term, len(x.vars))}
	for i, at := range x.vars {
		in.terms[i] = c.of[at]
	}
	terms, args := slices.Clone(c.of), []egraph.Term(nil)
	for _, n := range x.nodes {
		args = args[:0]
		for _, at := range n.args {
			args = append(args, terms[at])
		}
		terms = append(terms, c.s.g.AddAs(n.typ, n.op, args...))
	}
	in.to = terms[len(terms)-1]
	return in, nil
}

// A pattern is an instance and how to make its right side of the parts of a term, for all terms whose parts are alike.
type pattern struct {
	rule    int
	binding *binding
	vars    []int         // which parts the variables of the rule are
	nodes   []patternNode // arguments first; the last is the right side
}

// A patternNode is an operator of parts and, behind these, of nodes before it.
type patternNode struct {
	op   egraph.Op
	typ  *glenside.Type
	args []int
}

// parts sets c.of to the parts of a term that a left side may be about, and returns a key that tells apart what it may make of
// them: their operators, which are the same, and the types of the last.
func (c *cutter) parts(t egraph.Term) string {
	g := c.s.g
	c.of = append(c.of[:0], t)
	key := c.key[:0]
	word := func(n int) { key = binary.AppendUvarint(key, uint64(n)) }
	for at, level, end := 0, 0, 1; at < len(c.of); at++ {
		if at == end {
			level, end = level+1, len(c.of)
		}
		u := c.of[at]
		word(slices.Index(c.of, u))
		if level == c.depth {
			word(c.typeNumber(g.Data(g.Class(u))))
			continue
		}
		word(int(g.Op(u)))
		c.of = append(c.of, g.Args(u)...)
	}
	c.key = key
	return string(key)
}

// typeNumber numbers types.
func (c *cutter) typeNumber(t *glenside.Type) int {
	n, known := c.types[t]
	if !known {
		text := t.String()
		if n, known = c.typeTexts[text]; !known {
			n = len(c.typeTexts)
			c.typeTexts[text] = n
		}
		c.types[t] = n
	}
	return n
}

// pattern finds the first rule that takes a term apart, whose parts are in c.of; nil where none does.
func (c *cutter) pattern(ctx context.Context, t egraph.Term, rules []int) (found *pattern, err error) {
	for _, i := range rules {
		m := c.s.matcher(i)
		m.yield = func() {
			if found != nil || err != nil {
				return
			}
			r := c.s.opts.Rules[i]
			right, ok := c.s.right(r, m, c.s.g.Data(c.s.g.Class(t)))
			if !ok || right.isTerm {
				return
			}
			if fires, e := c.s.fires(ctx, asked{i, m.elem}); e != nil || !fires {
				err = e
				return
			}
			found = &pattern{rule: i, binding: m.clone()}
			for _, v := range r.Vars {
				found.vars = append(found.vars, slices.Index(c.of, m.terms[v.Name]))
			}
			found.add(right, c.of)
		}
		m.term(t)
		if found != nil || err != nil {
			break
		}
	}
	return found, err
}

// add adds the nodes of a tree, and returns where it is among parts and nodes.
func (p *pattern) add(t *tree, parts []egraph.Term) int {
	if t.isTerm {
		return slices.Index(parts, t.term)
	}
	n := patternNode{op: t.op, typ: t.typ}
	for _, k := range t.kids {
		n.args = append(n.args, p.add(k, parts))
	}
	p.nodes = append(p.nodes, n)
	return len(parts) + len(p.nodes) - 1
}

// cost is that of what a node comes apart into. It has none where some of it stays as it is, or where that
// and the others that there are costs of are too many instances. Errors: those of certifying a rule that fits.
func (c *cutter) cost(ctx context.Context, n egraph.Node) (pieces, error) {
	g := c.s.g
	args := g.Args(n.Term)
	var key strings.Builder
	fmt.Fprint(&key, n.Op)
	for _, a := range args {
		fmt.Fprintf(&key, " %s", g.Data(g.Class(a)))
	}
	p, known := c.costs[key.String()]
	if !known {
		c.start(args)
		to, err := c.term(ctx, n.Term)
		if err != nil && !errors.Is(err, errCut) {
			return pieces{}, err
		}
		p = pieces{taken: c.taken, ok: err == nil}
		for _, t := range g.above(to, args) {
			p.cost = p.cost.Add(g.costOf(t, c.s.opts.Model))
			p.ok = p.ok && !c.s.opts.cuts(g.operator(t).op)
		}
		c.costs[key.String()] = p
	}
	if c.sum += p.taken; c.sum > c.most {
		p.ok = false
	}
	return p, nil
}
