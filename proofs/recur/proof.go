package recur

import (
	"math/big"
	"strings"

	"tv/proofs/loops"
)

// proved refuses the certificate unless n proves that two values are equal, or BEFORE's is none.
// Below tells that one of them is executed strictly before what is to be shown, and none later.
func (c *checker) proved(p *place, n *node, x, y value, below bool) {
	c.step()
	word, list := n.head()
	switch word {
	case "if":
		wants(list, 3, "if")
		r := atLeast0(p.form(c, list[0].word))
		c.proved(p.with(r), list[1], x, y, below)
		c.proved(p.with(r.not()[0]), list[2], x, y, below)
	case "div":
		wants(list, 3, "div")
		q := p.clone()
		q.divided(p.form(c, list[0].word), divisor(list[1].word))
		c.proved(q, list[2], x, y, below)
	case "never":
		c.claim(p, "a case that does not exist")
	case "l":
		list := list
		for _, s := range c.found(p, x) {
			if len(list) == 0 {
				malformed("a source without a proof")
			}
			c.proved(s.at, list[0], s.value, y, true)
			list = list[1:]
		}
		wants(list, 0, "what is left of l")
	case "r":
		list := list
		for _, s := range c.found(p, y) {
			if len(list) == 0 {
				malformed("a source without a proof")
			}
			c.proved(s.at, list[0], x, s.value, true)
			list = list[1:]
		}
		wants(list, 0, "what is left of r")
	case "entry":
		c.entries(p, x, y)
	case "pair":
		if !below {
			malformed("a pair of a piece that rests on itself")
		}
		c.related(p, list, x, y)
	default:
		c.operation(p, n, x, y)
	}
}

// operation is a proof of two instances by what they compute.
func (c *checker) operation(p *place, n *node, x, y value) {
	word, list := n.head()
	if x.of == nil || y.of == nil {
		malformed("%s is of two instances", word)
	}
	l, r := instance{x.of, x.at}, instance{y.of, y.at}
	if word == "fold" {
		c.fold(p, list, l, r)
		return
	}
	whole := func(x instance) []term { return []term{{Data: x.assign.Value}} }
	c.computed(p, n, l, r, whole(l), whole(r))
}

// A term is one of a sum, or an operand of another operation that has no order, with the number of
// its first read.
type term struct {
	*loops.Data
	minus bool
	first int
}

// computed is a proof that two instances compute the same terms.
func (c *checker) computed(p *place, n *node, l, r instance, x, y []term) {
	word, list := n.head()
	switch word {
	case "same":
		for i, a := range x {
			if len(x) != len(y) || a.minus != y[i].minus {
				malformed("%s and %s compute other things", l, r)
			}
			reads := [2]int{a.first, y[i].first}
			c.alike(p, l, r, a.Data, y[i].Data, &list, &reads)
		}
		wants(list, 0, "what is left of same")
	case "expr":
		c.expression(p, list, l, r, x, y)
	default:
		malformed("no proof begins with %q", word)
	}
}

// found are the sources of a read, or of an instance that copies one.
func (c *checker) found(p *place, v value) []source {
	t := v.table
	if v.of != nil {
		if !v.of.copies() {
			malformed("%s %s is no copy", v.of.side, v.of.name)
		}
		t = c.table(v.of, 0)
	}
	if t == nil {
		malformed("there is nothing before the call that a cell comes from")
	}
	list := t.sources(c, p, t.tree, v.at, nil)
	if !v.starts {
		return list
	}
	var out []source
	for _, s := range list {
		if s.value.of != t.reader {
			out = append(out, s)
		}
	}
	return out
}

// entries: two cells hold the same before the call.
func (c *checker) entries(p *place, x, y value) {
	if x.entry == nil || y.entry == nil {
		malformed("entry is of two cells before the call")
	}
	if !c.parameters(x.entry, y.entry) {
		malformed("%s and %s are two tensors", x.entry.Name, y.entry.Name)
	}
	for _, r := range differs(x.at, y.at) {
		c.claim(p, "two cells of "+x.entry.Name+" before the call", r)
	}
}

// parameters reports whether two parameters stand for one tensor, index by index.
func (c *checker) parameters(x, y *loops.Buffer) bool {
	s, t := c.sides[0].env.Tensor(x.Name), c.sides[1].env.Tensor(y.Name)
	return s.Name != "" && s.Name == t.Name && len(x.Dims) == len(y.Dims) && x.Elem == y.Elem &&
		!c.q.InRows[s.Name]
}

// related: two instances are a pair of a piece.
func (c *checker) related(p *place, list []*node, x, y value) {
	if len(list) == 0 {
		malformed("a pair of no piece")
	}
	k := natural(list[0].word)
	if k >= len(c.pieces) {
		malformed("there is no piece %d", k)
	}
	z := c.pieces[k]
	wants(list[1:], z.vars, "a pair of piece "+list[0].word)
	if x.of != z.of[0] || y.of != z.of[1] {
		malformed("piece %d is about other statements", k)
	}
	env := p.forms(c, list[1:])
	about := "a pair that is none of piece " + list[0].word
	for i, v := range []value{x, y} {
		for _, r := range differs(v.at, c.at(z.at[i], env)) {
			c.claim(p, about+": "+instance{v.of, v.at}.String(), r)
		}
	}
	for _, f := range c.at(z.where, env) {
		c.claim(p, about, atLeast0(f).not()[0])
	}
}

// at are forms where #0, #1, ... have values.
func (c *checker) at(list []*node, env []Form) (out []Form) {
	for _, w := range words(list) {
		out = append(out, c.form(w, env))
	}
	return out
}

// form is one where #0, #1, ... have values.
func (c *checker) form(text string, env []Form) Form {
	return parse(text, func(name string) (Form, bool) {
		if name[0] == '#' && digits(name[1:]) && natural(name[1:]) < len(env) {
			return env[natural(name[1:])], true
		}
		return named(name), c.sizes[name]
	})
}

// alike checks that two elements are made alike, and that reads are related, in their order.
func (c *checker) alike(p *place, l, r instance, x, y *loops.Data, list *[]*node, reads *[2]int) {
	if x.Op != y.Op || x.Elem != y.Elem || len(x.Args) != len(y.Args) {
		malformed("%s and %s compute other things", l, r)
	}
	switch x.Op {
	case loops.DataRead:
		if len(*list) == 0 {
			malformed("a read without a proof")
		}
		c.proved(p, (*list)[0], c.reads(l, reads[0]), c.reads(r, reads[1]), true)
		*list = (*list)[1:]
		reads[0]++
		reads[1]++
	case loops.DataInt:
		q := p.clone()
		for _, row := range differs([]Form{l.integer(q, x.Int)}, []Form{r.integer(q, y.Int)}) {
			c.claim(q, "two integers of "+l.String()+" and "+r.String(), row)
		}
	case loops.DataLiteral:
		v, ok := spelled(x)
		w, also := spelled(y)
		minus := strings.HasPrefix(x.Text, "-") != strings.HasPrefix(y.Text, "-") // of 0
		if x.Text != y.Text && !(ok && also && v.Cmp(w) == 0 && !minus) {
			malformed("%s and %s hold other numbers", l, r)
		}
	default:
		if x.Text != y.Text {
			malformed("%s and %s compute other things", l, r)
		}
	}
	for i := range x.Args {
		c.alike(p, l, r, x.Args[i], y.Args[i], list, reads)
	}
}

// spelled is the number that a literal spells.
func spelled(d *loops.Data) (*big.Rat, bool) {
	if i := strings.IndexAny(d.Text, "eE"); i >= 0 && len(d.Text)-i > 5 || len(d.Text) > 64 ||
		strings.Contains(d.Text, "/") {
		return nil, false
	}
	return new(big.Rat).SetString(d.Text)
}

// reads is the value that a read of an instance finds.
func (c *checker) reads(x instance, read int) value {
	return value{table: c.table(x.statement, read), at: x.at}
}
