package recur

import (
	"fmt"
	"slices"

	"tv/semantics/domain"
	"tv/semantics/loops"
)

// A chain is a statement x = x op e, one of whose sources is an instance of it: instances with one key are its links. op is a sum (x - e
// too), a product, or an extreme.
type chain struct {
	op       loops.Op
	read     int   // of x
	key      []int // counters that all links share
	negative bool  // all terms are subtracted
	terms    []term
	skipped  []int // reads of conditions, which choose an extreme
}

// A term is one of those that a link adds, with the number of its first read; minus tells that it is subtracted where others are not.
type term struct {
	of    *loops.Expr
	minus bool
	first int
}

// chains finds those of a side, whose trees are known.
func (s *side) chains(ordered bool) {
	for _, st := range s.stmts {
		if st.assign == nil {
			continue
		}
		c := chained(st.value, st.assign.To, ordered)
		if c == nil || len(st.cases) != 1 {
			continue
		}
		links := 0
		moved := make([]bool, len(st.counters))
		s.leaves(st.trees[c.read], nil, func(leaf *tree, _ []fact) {
			if leaf.kind == written && leaf.writer == st {
				links++
				for k, v := range st.counters {
					moved[k] = moved[k] || !leaf.counters[k].equal(variable(v))
				}
			}
		})
		for k, m := range moved {
			if !m {
				c.key = append(c.key, k)
			}
		}
		if links > 0 {
			st.chain = c
		}
	}
}

// chained takes a value apart at its op; nil where it is none of a chain of what is written to an access.
func chained(value *loops.Expr, to loops.Access, ordered bool) *chain {
	c, selves, read := &chain{op: value.Op, negative: true}, 0, 0
	extremes := false
	switch op, _, _, ok := extreme(value, ordered); {
	case ok:
		c.op, extremes = op, true
	case value.Op == loops.Sub:
		c.op = loops.Add
	case value.Op != loops.Add && value.Op != loops.Mul:
		return nil
	}
	var apart func(e *loops.Expr, minus bool)
	apart = func(e *loops.Expr, minus bool) {
		op, args, skipped, ok := extreme(e, ordered)
		switch {
		case extremes && ok && op == c.op:
			for k := range skipped {
				c.skipped = append(c.skipped, read+k)
			}
			read += skipped
			apart(args[0], false)
			apart(args[1], false)
			return
		case !extremes && e.Op == c.op, c.op == loops.Add && e.Op == loops.Sub:
			apart(e.Args[0], minus)
			apart(e.Args[1], minus != (e.Op == loops.Sub))
			return
		case !minus && e.Op == loops.Read && sameAccess(e.From, to):
			c.read = read
			selves++
		default:
			c.negative = c.negative && minus
			c.terms = append(c.terms, term{e, minus, read})
		}
		read += reads(e)
	}
	apart(value, false)
	if selves != 1 {
		return nil
	}
	for i := range c.terms {
		c.terms[i].minus = c.terms[i].minus && !c.negative
	}
	return c
}

func sameAccess(a, b loops.Access) bool {
	return a.Buffer == b.Buffer && slices.EqualFunc(a.At, b.At, (*loops.Int).Same)
}

// links are those of a chain up to a node of a run, the last one first.
func (n *node) chained() (links []*node) {
	for ; ; n = n.sources[n.of.chain.read] {
		links = append(links, n)
		if n.sources[n.of.chain.read].of != n.of {
			return links
		}
	}
}

// sum is a node for the terms of links up to one, whatever their order.
func (v *values) sum(n *node) *node {
	out := &node{links: n.chained(), name: "the sum of " + n.of.at.Position().String()}
	var terms []uint64
	for _, l := range out.links {
		terms = append(terms, v.term(l))
	}
	slices.Sort(terms)
	out.value = v.named(fmt.Sprint("sum", n.of.chain.op, terms))
	return out
}

// term is what a link adds, or subtracts where all do; or multiplies with, or compares.
func (v *values) term(n *node) uint64 {
	var list []uint64
	for i, x := range n.terms {
		if n.of.chain.terms[i].minus {
			x = (prime - x) % prime
		}
		list = append(list, x)
	}
	return v.together(n.of.chain.op, n.of.value.Elem, list)
}

func (v *values) together(op loops.Op, elem domain.Elem, list []uint64) uint64 {
	if op != loops.Add && op != loops.Mul {
		return v.extreme(op, elem, list)
	}
	out := list[0]
	for _, x := range list[1:] {
		if op == loops.Mul {
			out = times(out, x)
		} else {
			out = (out + x) % prime
		}
	}
	return out
}

// A sample is what runs say of two sums, or of one and its first link: rows of 1, sizes and counters.
type samples map[[2]*stmt][][]int64

// zero is what stands in the place of x in x op e, so that e is left.
var zero = &built{zero: true}

func (n *node) left() *built {
	return &built{of: n.of, node: n, opened: n.of.chain.without()}
}

// without has nothing in the place of x, and of what chooses which one of x and e it is.
func (c *chain) without() map[int]*built {
	out := map[int]*built{c.read: zero}
	for _, k := range c.skipped {
		out[k] = zero
	}
	return out
}

// sums matches the terms of two sums that are equal, and returns pairs of reads that have to be related for that.
func (g *guess) sums(a, b *node, sizes []int64) (pairs [][2]spot) {
	if len(a.links) == 0 || len(a.links) != len(b.links) || a.links[0].of.chain.op != b.links[0].of.chain.op {
		give(g.after.typed.Procedure.Span, "%s stands against %s", b.name, a.name)
	}
	top, other := a.links[0], b.links[0]
	rest := slices.Clone(b.links)
	for _, t := range a.links {
		i := slices.IndexFunc(rest, func(u *node) bool { return g.values.term(u) == g.values.term(t) })
		if i < 0 {
			give(other.of.at, "other terms are added")
		}
		u := rest[i]
		rest = slices.Delete(rest, i, i+1)
		start := slices.Concat([]int64{1}, sizes, top.counters, other.counters)
		g.to[[2]*stmt{t.of, u.of}] = append(g.to[[2]*stmt{t.of, u.of}], slices.Concat(start, t.counters, u.counters))
		g.back[[2]*stmt{t.of, u.of}] = append(g.back[[2]*stmt{t.of, u.of}], slices.Concat(start, u.counters, t.counters))
		looked := 0
		g.totals = false
		more, ok := g.aligned(t.left(), u.left(), maxOpened, &looked)
		if !ok {
			give(u.of.at, "a term is not made as what it has to be equal to")
		}
		pairs = append(pairs, more...)
	}
	for _, n := range []*node{top, other} {
		links := n.chained()
		key := [2]*stmt{n.of, n.of}
		g.first[key] = append(g.first[key], slices.Concat([]int64{1}, sizes, n.counters, links[len(links)-1].counters))
	}
	return pairs
}

// fitted are the last n columns of rows as forms of those before them, which have values.
func (p *prover) fitted(of *stmt, rows [][]int64, n int, values []lin) (out []lin) {
	if len(rows) == 0 {
		give(of.at, "no run says which links there are")
	}
	from := len(rows[0]) - n
	columns := append(p.columns(), values...)
	for k := range n {
		var part [][]int64
		for _, r := range rows {
			part = append(part, append(slices.Clone(r[:from]), r[from+k]))
		}
		form, ok := lin{}, false
		for _, e := range hull(part, -1) {
			if last := e[from]; last != 0 {
				if ok = magnitudeOf(last) == 1; ok {
					for i, x := range e[:from] {
						form = form.plus(-last*x, columns[i])
					}
				}
			}
		}
		if !ok {
			give(of.at, "which link is meant is not an affine form")
		}
		out = append(out, form)
	}
	return out
}

// totalled is a link as what its chain starts from, and the sum of its terms.
func (p *prover) totalled(v element) *built {
	first := p.fitted(v.of, p.first[[2]*stmt{v.of, v.of}], len(v.counters), v.counters)
	p.summed[v.of] = true
	return &built{of: v.of, at: v, total: true, first: first}
}

// total shows that two values are equal where the source of a read is a link of a chain, or one of the values is: path is "-" then.
func (p *prover) total(pl place, x, y *built, s step, find func(*built, string) spot) *proof {
	put := func(at spot, by *built) (*built, *built) {
		switch {
		case s.path == "-" && s.after:
			return x, by
		case s.path == "-":
			return by, y
		case s.after:
			return x, y.with(at, by)
		}
		return x.with(at, by), y
	}
	of := x
	if s.after {
		of = y
	}
	if s.path == "-" {
		by := p.totalled(of.at)
		v, w := put(spot{}, by)
		return &proof{rule: total, after: s.after, path: s.path, values: by.first, made: [][]int{nil}, parts: []*proof{p.compute(pl, v, w)}}
	}
	var first [][]lin
	at := find(of, s.path)
	out := p.follow(pl, at.element(), total, func(pl place, source element) *proof {
		by := builtOf(source)
		if by.of != nil && by.of.chain != nil {
			by = p.totalled(source)
			first = append(first, by.first)
		}
		v, w := put(at, by)
		return p.compute(pl, v, w)
	})
	out.after, out.path = s.after, s.path
	for _, f := range first {
		if out.values = first[0]; !slices.EqualFunc(f, first[0], lin.equal) {
			give(of.of.at, "there are several first links")
		}
	}
	if first == nil {
		out.rule = open
	}
	return out
}

// sums shows that two sums have the same terms. What the checker asks of links it does not show itself.
func (p *prover) sums(pl place, v, w element) *proof {
	key := [2]*stmt{v.of, w.of}
	tops := slices.Concat(v.counters, w.counters)
	link, t := p.before.copied(v.of.cases[0])
	facts := slices.Clone(link.facts)
	moved := -1
	for k := range t {
		if slices.Contains(v.of.chain.key, k) {
			facts = append(facts, equation(t[k].minus(v.counters[k])))
		} else if moved < 0 {
			moved = k
		} else {
			moved = len(t)
		}
	}
	if moved >= 0 && moved < len(t) {
		facts = append(facts, natural(v.counters[moved].minus(t[moved]).times(v.of.later[moved])))
	}
	to := p.fitted(v.of, p.to[key], len(w.counters), slices.Concat(tops, t))
	_, u := p.after.copied(w.of.cases[0])
	back := p.fitted(w.of, p.back[key], len(t), slices.Concat(tops, u))
	vars := func(list []lin) (out []int) {
		for _, x := range list {
			out = append(out, x.terms[0].v)
		}
		return out
	}
	here := place{extended(pl.facts, facts...), append(slices.Clip(pl.vars), vars(t)...)}
	left := func(of *stmt, counters []lin) *built {
		return &built{of: of, at: element{kind: anInstance, of: of, counters: counters}, opened: of.chain.without()}
	}
	terms := p.compute(here, left(v.of, t), left(w.of, to))
	p.lawful = true
	return &proof{rule: sums, values: to, back: back, made: [][]int{vars(t), vars(u)}, parts: []*proof{terms}}
}
