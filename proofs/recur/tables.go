package recur

import (
	"slices"

	"tv/proofs/loops"
)

// A table says where a value comes from: that of a read of a statement, or, at the end of the call,
// that of a cell of a parameter.
type table struct {
	*nest
	reader *statement // nil at the end
	read   int
	buffer *loops.Buffer
	tree   *node
}

// A value is one of a side: what a read finds, what an instance writes, or what a cell held before
// the call.
type value struct {
	*table               // of a read, which has this index, or these counters
	of     *statement    // of an instance, with these counters
	entry  *loops.Buffer // of a cell, at this index
	at     []Form
	starts bool   // of a read of a chain: links are left out
	sum    *chain // of the terms of links up to one, with these counters
}

// A source is a leaf of a table at a place.
type source struct {
	at    *place
	value value
}

// instance is the reader with values for its counters.
func (t *table) instance(at []Form) instance { return instance{t.reader, at} }

// cell is the index that the reader reads.
func (t *table) cell(p *place, at []Form) []Form {
	if t.reader == nil {
		return at
	}
	return t.instance(at).index(p, t.reader.reads[t.read].From)
}

// variables are as many as a tree begins with.
func (t *table) variables() int {
	if t.reader == nil {
		return len(t.dims(t.buffer))
	}
	return len(t.reader.loops)
}

// begin are the places of a table: where the reader is executed, or the index is within.
func (t *table) begin(c *checker) (list []*place, at []Form) {
	p := c.facts.clone()
	at = p.open(t.variables())
	if t.reader != nil {
		return t.instance(at).instances(p), at
	}
	p.know(within(at, t.dims(t.buffer))...)
	return []*place{p}, at
}

// within says that an index is within dims.
func within(at, dims []Form) (out []Row) {
	for i, f := range at {
		out = append(out, atLeast0(f), below(f, dims[i]))
	}
	return out
}

// sources are the leaves of a tree where its variables have values, from left to right. Of never
// there is none: f is called there, if it is not nil.
func (t *table) sources(c *checker, p *place, n *node, env []Form, f func(*place)) (out []source) {
	c.step()
	word, list := n.head()
	form := func(n *node) Form {
		return parse(n.word, func(name string) (Form, bool) {
			if name[0] == '#' && digits(name[1:]) && natural(name[1:]) < len(env) {
				return env[natural(name[1:])], true
			}
			return named(name), c.sizes[name]
		})
	}
	switch word {
	case "if":
		wants(list, 3, "if")
		r := atLeast0(form(list[0]))
		out = t.sources(c, p.with(r), list[1], env, f)
		return append(out, t.sources(c, p.with(r.not()[0]), list[2], env, f)...)
	case "div":
		wants(list, 3, "div")
		q := p.clone()
		x := q.divided(form(list[0]), divisor(list[1].word))
		return t.sources(c, q, list[2], append(slices.Clip(env), x), f)
	case "at":
		if len(list) == 0 {
			malformed("an instance of no statement")
		}
		s := t.find(list[0].word)
		wants(list[1:], len(s.loops), "an instance of "+s.name)
		v := value{of: s}
		for _, w := range list[1:] {
			v.at = append(v.at, form(w))
		}
		return []source{{p, v}}
	case "entry":
		q := p.clone()
		cell := t.cell(q, env[:t.variables()])
		return []source{{q, value{entry: t.buffer, at: cell}}}
	case "never":
		if f != nil {
			f(p)
		}
		return nil
	}
	malformed("no tree begins with %q", word)
	return nil
}

// check refuses a table unless each leaf is what its reader finds.
func (t *table) check(c *checker) {
	list, at := t.begin(c)
	for _, p := range list {
		never := func(p *place) { c.claim(p, t.String()+": there is such an instance") }
		for _, s := range t.sources(c, p, t.tree, at, never) {
			t.leaf(c, s, at)
		}
	}
}

// String names what a table is of.
func (t *table) String() string {
	if t.reader == nil {
		return "the end of " + t.buffer.Name + ", " + t.side
	}
	return "a read of " + t.buffer.Name + ", " + t.side + " " + t.reader.name
}

// leaf checks one of a table whose reader, or end, has counters, or an index.
func (t *table) leaf(c *checker, s source, at []Form) {
	p := s.at.clone()
	cell, reader := t.cell(p, at), instance{at: at}
	if t.reader != nil {
		reader = t.instance(at)
	}
	if s.value.entry != nil {
		if !t.p.Given(t.buffer) {
			malformed("%s: it holds nothing before the call", t)
		}
		t.between(c, p, cell, reader, nil)
		return
	}
	w := instance{s.value.of, s.value.at}
	if w.buffer != t.buffer {
		malformed("%s comes from another buffer, by %s", t, w)
	}
	w.executed(c, p)
	for _, r := range differs(w.subscripts(p), cell) {
		c.claim(p, t.String()+": another cell is written by "+w.String(), r)
	}
	for _, rows := range late(w, reader) {
		c.claim(p, t.String()+": too late is "+w.String(), rows...)
	}
	t.between(c, p, cell, reader, &w)
}

// late are the ways in which an instance is not executed strictly before another.
func late(x, than instance) (out [][]Row) {
	if than.statement == nil {
		return nil
	}
	out = than.earlier(x)
	if x.statement == than.statement {
		out = append(out, same(x.at, than.at))
	}
	return out
}

// between refuses what another instance writes, or begins anew, after a writer, if there is one,
// and before the reader.
func (t *table) between(c *checker, p *place, cell []Form, reader instance, w *instance) {
	for _, v := range t.writers(t.buffer) {
		q := p.clone()
		x := instance{v, q.open(len(v.loops))}
		for _, q := range x.instances(q) {
			if v.assign != nil {
				q.know(same(x.subscripts(q), cell)...)
			}
			after := [][]Row{nil}
			if w != nil {
				after = w.earlier(x)
			}
			for _, rows := range after {
				q := q.with(rows...)
				for _, before := range x.earlier(reader) {
					c.claim(q, t.String()+": in between is "+x.String(), before...)
				}
			}
		}
	}
}
