package recur

import (
	"math/big"
	"slices"
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
	case "sums":
		wants(list, 3, "sums")
		if x.sum == nil || y.sum == nil || x.sum.op != y.sum.op {
			malformed("sums is of two sums of links")
		}
		l, r := instance{x.sum.of, x.at}, instance{y.sum.of, y.at}
		c.oneByOne(p, list, x.sum, y.sum, l, r, x.sum.positive(), y.sum.positive())
	case "pair":
		if !below {
			malformed("a pair of a piece that rests on itself")
		}
		c.related(p, list, x, y)
	default:
		c.operation(p, n, x, y)
	}
}

// operation is a proof of two values by what they are computed from.
func (c *checker) operation(p *place, n *node, x, y value) {
	word, list := n.head()
	if x.of == nil && x.entry == nil || y.of == nil && y.entry == nil {
		malformed("%s is of a read", word)
	}
	l, r := c.built(x), c.built(y)
	for word == "total" && len(list) == 4 && list[1].word == "-" {
		of := map[string]**built{"l": &l, "r": &r}[list[0].word]
		if of == nil || (*of).from != nil || (*of).total != nil {
			malformed("total of no instance")
		}
		b := **of
		b.total = c.chain(b.statement)
		wants(list[2].list, len(b.loops), "a link")
		b.first = p.forms(c, list[2].list)
		c.begins(p, b.total, b.first, b.at)
		*of, n = &b, list[3]
		word, list = n.head()
	}
	if word == "fold" {
		if l.total != nil || r.total != nil {
			malformed("fold is of two instances")
		}
		if l.from != nil || r.from != nil {
			malformed("fold is of two instances")
		}
		c.fold(p, list, l.instance, r.instance)
		return
	}
	c.computed(p, n, l, r, l.whole(), r.whole())
}

// A term is one of a sum, or an operand of another operation that has no order, with the number of
// its first read.
type term struct {
	*loops.Data
	minus bool
	first int
}

// computed is a proof that two values compute the same terms.
func (c *checker) computed(p *place, n *node, l, r *built, x, y []term) {
	c.step()
	word, list := n.head()
	switch word {
	case "if":
		wants(list, 3, "if")
		row := atLeast0(p.form(c, list[0].word))
		c.computed(p.with(row), list[1], l, r, x, y)
		c.computed(p.with(row.not()[0]), list[2], l, r, x, y)
	case "never":
		c.claim(p, "a case that does not exist")
	case "open", "total":
		c.open(p, word, list, l, r, x, y)
	case "same":
		if len(x) != len(y) {
			malformed("%s and %s compute other things", l, r)
		}
		for i, a := range x {
			if a.minus != y[i].minus {
				malformed("%s and %s compute other things", l, r)
			}
			reads := [2]int{a.first, y[i].first}
			c.alike(p, part{l, a.Data, &reads[0]}, part{r, y[i].Data, &reads[1]}, &list)
		}
		wants(list, 0, "what is left of same")
	case "expr":
		c.expression(p, list, l, r, x, y)
	default:
		malformed("no proof begins with %q", word)
	}
}

// open puts what wrote it in the place of a read, source by source. With total it is what the chain
// of a link starts from, and the sum of terms.
func (c *checker) open(p *place, word string, list []*node, l, r *built, x, y []term) {
	if len(list) < 3 {
		malformed("%s has %d parts", word, len(list))
	}
	side := slices.Index([]string{"l", "r"}, list[0].word)
	if side < 0 {
		malformed("%q is no side of open", list[0].word)
	}
	of, path := [2]*built{l, r}, list[1].word
	inner, read := of[side].inner(path)
	var first []*node
	if list = list[2:]; word == "total" {
		first, list = list[0].list, list[1:]
	}
	for _, s := range c.found(p, c.finds(inner, read)) {
		if len(list) == 0 {
			malformed("a source without a proof")
		}
		source, sides := c.built(s.value), of
		if x := c.chained(s.value.of); x != nil && word == "total" {
			wants(first, len(x.of.loops), "a link")
			source.total, source.first = x, s.at.forms(c, first)
			c.begins(s.at, x, source.first, s.value.at)
		}
		if source.data().Elem != inner.elem(read) {
			malformed("read %s of %s is of another type than its source", path, of[side])
		}
		sides[side] = of[side].with(path, source)
		c.computed(s.at, list[0], sides[0], sides[1], x, y)
		list = list[1:]
	}
	wants(list, 0, "what is left of open")
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
	_, is := c.sides[0].flat[x]
	_, also := c.sides[1].flat[y]
	if s.Name == "" || s.Name != t.Name || x.Elem != y.Elem {
		return false
	}
	if !is && !also {
		return !c.q.InRows[s.Name] && len(x.Dims) == len(y.Dims)
	}
	// Rows and columns, of a flat buffer or of one with two axes: contents are row by row.
	m, n := c.sides[0].dims(x), c.sides[1].dims(y)
	return len(m) == 2 && len(n) == 2 && m[0].minus(n[0]).zero() && m[1].minus(n[1]).zero()
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

// A part is one of a value: with the number of its first read, which moves on.
type part struct {
	of   *built
	data *loops.Data
	read *int
}

// inner is what a part is that is a read whose source was put in its place.
func (x part) inner() (part, bool) {
	if x.data.Op != loops.DataRead || x.of.opened[*x.read] == nil {
		return x, false
	}
	of := x.of.opened[*x.read]
	*x.read++
	y := part{of, of.data(), new(int)}
	if z, ok := y.inner(); ok {
		return z, true
	}
	return y, true
}

// alike checks that two elements are made alike, and that reads are related, in their order.
func (c *checker) alike(p *place, a, b part, list *[]*node) {
	a, _ = a.inner()
	b, _ = b.inner()
	x, y := a.data, b.data
	if x.Op != y.Op || x.Elem != y.Elem || len(x.Args) != len(y.Args) {
		malformed("%s and %s compute other things", a.of, b.of)
	}
	switch x.Op {
	case loops.DataRead:
		if len(*list) == 0 {
			malformed("a read without a proof")
		}
		c.proved(p, (*list)[0], c.finds(a.of, *a.read), c.finds(b.of, *b.read), true)
		*list = (*list)[1:]
		*a.read++
		*b.read++
	case loops.DataInt:
		q := p.clone()
		m, n := a.of.integer(q, x.Int), b.of.integer(q, y.Int)
		for _, row := range differs([]Form{m}, []Form{n}) {
			c.claim(q, "two integers of "+a.of.String()+" and "+b.of.String(), row)
		}
	case loops.DataLiteral:
		v, ok := spelled(x)
		w, also := spelled(y)
		minus := strings.HasPrefix(x.Text, "-") != strings.HasPrefix(y.Text, "-") // of 0
		if x.Text != y.Text && !(ok && also && v.Cmp(w) == 0 && !minus) {
			malformed("%s and %s hold other numbers", a.of, b.of)
		}
	default:
		if x.Text != y.Text {
			malformed("%s and %s compute other things", a.of, b.of)
		}
	}
	for i := range x.Args {
		c.alike(p, part{a.of, x.Args[i], a.read}, part{b.of, y.Args[i], b.read}, list)
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
