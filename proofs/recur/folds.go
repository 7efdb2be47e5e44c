package recur

import (
	"fmt"
	"slices"

	"tv/proofs/loops"
	"tv/semantics/domain"
)

// A chain is a statement x = x op e: what an instance leaves is what the chain of its key started
// from, op the terms of all instances with the key up to it.
type chain struct {
	of    *statement
	read  int // of x
	key   []*node
	op    loops.DataOp
	terms []term // of e
}

// newChain reads a chain: what is written is taken apart at its op.
func (c *checker) newChain(s *statement, read int, key []*node) *chain {
	x := &chain{of: s, read: read, key: key}
	ops := []loops.DataOp{loops.DataAdd, loops.DataMul, loops.DataMax, loops.DataMin}
	whole, _ := loops.Extreme(s.assign.Value)
	if x.op = whole.Op; x.op == loops.DataSub {
		x.op = loops.DataAdd
	}
	if !slices.Contains(ops, x.op) || !c.lawful(s.assign.Value.Elem) {
		malformed("%s is no reduction that may be reordered", s.name)
	}
	reads, selves := 0, 0
	var apart func(d *loops.Data, minus bool)
	apart = func(d *loops.Data, minus bool) {
		if y, by := loops.Extreme(d); y.Op == x.op && by != nil {
			reads += count(by) // which read what its operands do
			d = y
		}
		if d.Op == x.op || d.Op == loops.DataSub && x.op == loops.DataAdd {
			apart(d.Args[0], minus)
			apart(d.Args[1], minus != (d.Op == loops.DataSub))
			return
		}
		if d.Op == loops.DataRead && reads == read {
			if minus || !loops.SameAccess(d.From, s.assign.To) {
				malformed("read %d of %s is not what it writes", read, s.name)
			}
			selves++
		} else {
			x.terms = append(x.terms, term{d, minus, reads})
		}
		reads += count(d)
	}
	apart(s.assign.Value, false)
	for _, y := range c.chains {
		if y.of == s {
			malformed("%s has two chains", s.name)
		}
	}
	if selves != 1 {
		malformed("%s has no read %d that it adds to", s.name, read)
	}
	return x
}

// count is how many reads there are.
func count(d *loops.Data) (n int) {
	if d.Op == loops.DataRead {
		n++
	}
	for _, a := range d.Args {
		n += count(a)
	}
	return n
}

// lawful reports whether sums, products, maxima and minima of a type may be reordered: of real
// numbers and of integers that wrap.
func (c *checker) lawful(e domain.Elem) bool {
	integer := e.Kind == domain.ElemInt || e.Kind == domain.ElemUint
	return integer || e.Kind == domain.ElemFloat && !c.q.Arith.Bits(e)
}

// table is that of the read of x.
func (x *chain) table(c *checker) *table { return c.table(x.of, x.read) }

// about says that two instances have one key.
func (x *chain) about(c *checker, at, other []Form) []Row {
	return same(c.at(x.key, at), c.at(x.key, other))
}

// check refuses a chain unless the link before is the last instance with the key before, and it
// starts where there is none.
func (x *chain) check(c *checker) {
	t := x.table(c)
	list, at := t.begin(c)
	for _, p := range list {
		other, others := x.others(c, p, at)
		for _, q := range others {
			for _, r := range differs(instance{x.of, at}.subscripts(q), other.subscripts(q)) {
				c.claim(q, x.of.name+": two cells of one key", r)
			}
		}
		for _, s := range t.sources(c, p, t.tree, at, nil) {
			if s.value.of == x.of {
				for _, r := range differs(c.at(x.key, at), c.at(x.key, s.value.at)) {
					c.claim(s.at, x.of.name+": a link has another key", r)
				}
				continue
			}
			other, others := x.others(c, s.at, at)
			for _, q := range others {
				for _, rows := range other.earlier(instance{x.of, at}) {
					c.claim(q, "before a start the key is that of "+other.String(), rows...)
				}
			}
		}
	}
}

// others are the places of another instance, new variables, with the key of one.
func (x *chain) others(c *checker, p *place, at []Form) (other instance, list []*place) {
	q := p.clone()
	other = instance{x.of, q.open(len(x.of.loops))}
	for _, q := range other.instances(q) {
		list = append(list, q.with(x.about(c, at, other.at)...))
	}
	return other, list
}

// links are the places of a link up to an instance: new variables.
func (x *chain) links(c *checker, p *place, at []Form) (link instance, list []*place) {
	link, others := x.others(c, p, at)
	top := instance{x.of, at}
	for _, q := range others {
		for _, rows := range append(link.earlier(top), same(link.at, at)) {
			list = append(list, q.with(rows...))
		}
	}
	return link, list
}

// isLink refuses the certificate unless an instance is a link up to another.
func (x *chain) isLink(c *checker, p *place, link, at []Form) {
	l := instance{x.of, link}
	l.executed(c, p)
	for _, r := range differs(c.at(x.key, link), c.at(x.key, at)) {
		c.claim(p, l.String()+": a link of another key", r)
	}
	for _, rows := range (instance{x.of, at}).earlier(l) {
		c.claim(p, l.String()+": a link that is later", rows...)
	}
}

// fold checks that two instances are the last links of chains with the same start, and the same
// terms one by one.
func (c *checker) fold(p *place, list []*node, l, r instance) {
	wants(list, 4, "fold")
	x, y := c.chain(l.statement), c.chain(r.statement)
	if x.op != y.op || l.assign.Value.Elem != r.assign.Value.Elem {
		malformed("%s and %s are other reductions", l, r)
	}
	c.oneByOne(p, []*node{list[0], list[1], list[3]}, x, y, l, r, x.terms, y.terms)
	c.starts(p, list[2], x, y, l, r)
}

// oneByOne checks that the links of two chains up to two instances have the same terms, one by one.
func (c *checker) oneByOne(p *place, list []*node, x, y *chain, l, r instance, s, t []term) {
	wants(list[0].list, len(y.of.loops), "a link")
	wants(list[1].list, len(x.of.loops), "a link")
	link, places := x.links(c, p, l.at)
	for _, q := range places {
		to := q.forms(c, list[0].list)
		y.isLink(c, q, to, r.at)
		c.back(q, p.vars, list[1].list, to, link.at)
		c.computed(q, list[2], &built{instance: link}, &built{instance: instance{y.of, to}}, s, t)
	}
	link, places = y.links(c, p, r.at)
	for _, q := range places {
		from := q.forms(c, list[1].list)
		x.isLink(c, q, from, l.at)
		c.back(q, p.vars, list[0].list, from, link.at)
	}
}

// negative reports whether all terms of a chain are subtracted.
func (x *chain) negative() bool {
	return !slices.ContainsFunc(x.terms, func(t term) bool { return !t.minus })
}

// positive are the terms of a chain, where all are subtracted without their signs.
func (x *chain) positive() (out []term) {
	negative := x.negative()
	for _, t := range x.terms {
		t.minus = t.minus && !negative
		out = append(out, t)
	}
	return out
}

// begins refuses the certificate unless an instance is the first link of the chain of another.
func (c *checker) begins(p *place, x *chain, first, at []Form) {
	x.isLink(c, p, first, at)
	other, others := x.others(c, p, at)
	for _, q := range others {
		for _, rows := range other.earlier(instance{x.of, first}) {
			c.claim(q, "not the first link: before it is "+other.String(), rows...)
		}
	}
}

// back refuses the certificate unless a link that forms took to another is taken back by a list,
// whose variables behind the first are the other's counters.
func (c *checker) back(p *place, first int, list []*node, other, link []Form) {
	var env []Form
	for i := range first {
		env = append(env, named(fmt.Sprintf("#%d", i)))
	}
	for _, r := range differs(c.at(list, append(env, other...)), link) {
		c.claim(p, "a link that is not taken back to itself", r)
	}
}

// starts checks that two chains start from the same: wherever both do, up to their last links.
func (c *checker) starts(p *place, proof *node, x, y *chain, l, r instance) {
	first, places := x.links(c, p, l.at)
	for _, q := range places {
		second, more := y.links(c, q, r.at)
		for _, q := range more {
			c.proved(q, proof, value{table: x.table(c), at: first.at, starts: true},
				value{table: y.table(c), at: second.at, starts: true}, true)
		}
	}
}

// chain returns that of a statement.
func (c *checker) chain(s *statement) *chain {
	x := c.chained(s)
	if x == nil {
		malformed("%s %s has no chain", s.side, s.name)
	}
	return x
}

// chained returns the chain of a statement, if there is one.
func (c *checker) chained(s *statement) *chain {
	for _, x := range c.chains {
		if x.of == s && s != nil {
			return x
		}
	}
	return nil
}
