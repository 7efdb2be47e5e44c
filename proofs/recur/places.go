package recur

import (
	"fmt"
	"math/big"
	"slices"

	"tv/proofs/loops"
	"tv/semantics/domain"
)

// A place is what is known where something is claimed: variables, and rows over them and sizes.
type place struct {
	rows   []Row
	vars   int // variables #0, #1, ... so far
	hidden int // variables ~0, ~1, ... so far
	divs   []div
}

// A div is a quotient that a place has a variable for.
type div struct {
	of string
	by *big.Int
	is Form
}

func (p *place) clone() *place {
	q := *p
	q.rows, q.divs = slices.Clip(q.rows), slices.Clip(q.divs)
	return &q
}

// with is a place where more is known.
func (p *place) with(rows ...Row) *place {
	q := p.clone()
	q.know(rows...)
	return q
}

func (p *place) know(rows ...Row) {
	for _, r := range rows {
		p.rows = append(p.rows, r.reduced())
	}
}

// open adds n variables.
func (p *place) open(n int) (out []Form) {
	for range n {
		out = append(out, named(fmt.Sprintf("#%d", p.vars)))
		p.vars++
	}
	return out
}

// divided adds a variable for f div n, that certificates name.
func (p *place) divided(f Form, n *big.Int) Form {
	q := p.open(1)[0]
	p.know(quotient(f, n, q)...)
	return q
}

// form reads a form over the variables of the place.
func (p *place) form(c *checker, text string) Form {
	return parse(text, func(name string) (Form, bool) {
		if name[0] == '#' && digits(name[1:]) {
			return named(name), natural(name[1:]) < p.vars
		}
		return named(name), c.sizes[name]
	})
}

func (p *place) forms(c *checker, list []*node) (out []Form) {
	for _, w := range words(list) {
		out = append(out, p.form(c, w))
	}
	return out
}

// An instance is a statement with values for its counters.
type instance struct {
	*statement
	at []Form
}

// integer is the value of an integer of control of an instance. A quotient becomes a variable that
// only the checker names.
func (x instance) integer(p *place, e *loops.Int) Form {
	switch e.Op {
	case loops.IntNumber:
		return Form{N: e.N}
	case loops.IntSize:
		return x.size(domain.NamedSize(e.Name))
	case loops.IntCounter:
		return x.at[slices.Index(x.loops, e.Loop)]
	}
	var args []Form
	for _, a := range e.Args {
		args = append(args, x.integer(p, a))
	}
	out := args[0]
	for _, y := range args[1:] {
		switch e.Op {
		case loops.IntAdd:
			out = out.plus(1, y)
		case loops.IntMul:
			out = product(out, y)
		case loops.IntDiv:
			out = p.floor(out, y)
		default:
			unsupported("a maximum or minimum that is no bound of a loop")
		}
	}
	return out
}

// floor is f div g. It is the same variable each time.
func (p *place) floor(f, g Form) Form {
	n, ok := g.constant()
	if !ok || n.Sign() <= 0 {
		unsupported("a divisor that is no positive number")
	}
	if k, ok := f.constant(); ok {
		return Form{N: new(big.Int).Div(k, n)} // Euclidean: by a positive number it rounds down
	}
	key := f.String()
	for _, d := range p.divs {
		if d.of == key && d.by.Cmp(n) == 0 {
			return d.is
		}
	}
	q := named(fmt.Sprintf("~%d", p.hidden))
	p.hidden++
	p.know(quotient(f, n, q)...)
	p.divs = append(p.divs, div{key, n, q})
	return q
}

func (x instance) integers(p *place, list []*loops.Int) (out []Form) {
	for _, e := range list {
		out = append(out, x.integer(p, e))
	}
	return out
}

// subscripts are those of what an instance writes.
func (x instance) subscripts(p *place) []Form { return x.index(p, x.assign.To) }

// ways are those in which a condition holds, or with not does not hold: rows that hold together.
func (x instance) ways(p *place, c *loops.Cond, not bool) (out [][]Row) {
	switch c.Op {
	case loops.CondNot:
		return x.ways(p, c.Conds[0], !not)
	case loops.CondAll, loops.CondAny:
		if (c.Op == loops.CondAny) != not {
			for _, d := range c.Conds {
				out = append(out, x.ways(p, d, not)...)
			}
			return out
		}
		out = [][]Row{nil}
		for _, d := range c.Conds {
			out = both(out, x.ways(p, d, not))
		}
		return out
	}
	l, r := x.integer(p, c.X), x.integer(p, c.Y)
	var row Row
	switch c.Op {
	case loops.CondLess:
		row = below(l, r)
	case loops.CondLessEqual:
		row = atLeast0(r.minus(l))
	default:
		row = equal0(r.minus(l))
	}
	if !not {
		return [][]Row{{row}}
	}
	for _, other := range row.not() {
		out = append(out, []Row{other})
	}
	return out
}

// both are the ways in which one of x and one of y hold.
func both(x, y [][]Row) (out [][]Row) {
	if len(x)*len(y) > maxWays {
		limit("a condition holds in more than %d ways", maxWays)
	}
	for _, v := range x {
		for _, w := range y {
			out = append(out, slices.Concat(v, w))
		}
	}
	return out
}

// stride is the step of a loop, a number that is not 0.
func (x instance) stride(l *loops.For) *big.Int {
	n, ok := x.integer(&place{}, l.Step).constant()
	if !ok || n.Sign() == 0 {
		unsupported("a loop whose step is no number")
	}
	return n
}

// bounds says that a counter is within the bounds of its loop.
func (x instance) bounds(p *place, l *loops.For, counter Form) (rows []Row) {
	down := x.stride(l).Sign() < 0
	ahead := func(f, g Form) Form {
		if down {
			f, g = g, f
		}
		return g.minus(f)
	}
	for _, lo := range x.integers(p, l.Lo) {
		rows = append(rows, atLeast0(ahead(lo, counter)))
	}
	for _, hi := range x.integers(p, l.Hi) {
		rows = append(rows, atLeast0(ahead(counter, hi).shifted(-1)))
	}
	return rows
}

// offset is how far a counter is from where its loop starts, and in which steps, if not of 1.
func (x instance) offset(p *place, l *loops.For, counter Form) (f Form, steps *big.Int) {
	steps = new(big.Int).Abs(x.stride(l))
	if steps.Cmp(big.NewInt(1)) == 0 {
		return f, nil
	}
	if len(l.Lo) > 1 {
		unsupported("a loop with a step from several ends")
	}
	return counter.minus(x.integer(p, l.Lo[0])), steps
}

// instances are the places, one for each way, where an instance is executed.
func (x instance) instances(p *place) []*place {
	list := []*place{p.clone()}
	for _, g := range x.path {
		var next []*place
		for _, q := range list {
			if g.loop == nil {
				for _, w := range x.ways(q, g.cond, g.not) {
					next = append(next, q.with(w...))
				}
				continue
			}
			counter := x.at[slices.Index(x.loops, g.loop)]
			q.know(x.bounds(q, g.loop, counter)...)
			if f, n := x.offset(q, g.loop, counter); n != nil { // f = n·t for some t
				t := named(fmt.Sprintf("~%d", q.hidden))
				q.hidden++
				q.know(equal0(f.minus(t.times(n))))
			}
			next = append(next, q)
		}
		if list = next; len(list) > maxWays {
			limit("a statement is reached in more than %d ways", maxWays)
		}
	}
	return list
}

// executed refuses the certificate unless an instance is executed wherever a place is.
func (x instance) executed(c *checker, p *place) {
	for _, g := range x.path {
		if g.loop == nil {
			q := p.clone()
			for _, w := range x.ways(q, g.cond, !g.not) {
				c.claim(q, x.String()+" is not reached", w...)
			}
			continue
		}
		q := p.clone()
		counter := x.at[slices.Index(x.loops, g.loop)]
		for _, r := range x.bounds(q, g.loop, counter) {
			c.claim(q, x.String()+" is out of the bounds of a loop", r.not()[0])
		}
		if f, n := x.offset(q, g.loop, counter); n != nil {
			rest := f.minus(q.floor(f, Form{N: n}).times(n))
			c.claim(q, x.String()+" is off the stride of a loop", atLeast0(rest.shifted(-1)))
		}
	}
}

// String names an instance.
func (x instance) String() string {
	text := x.side + " " + x.name
	for _, f := range x.at {
		text += " " + f.String()
	}
	return text
}

// earlier are the ways in which an instance is executed strictly before another of its side, for
// each loop around both one, and one for all of them. A nil statement is the end of the call.
func (x instance) earlier(than instance) (out [][]Row) {
	if than.statement == nil {
		return [][]Row{nil}
	}
	var same []Row
	for k := range min(len(x.loops), len(than.loops)) {
		l := x.loops[k]
		if l != than.loops[k] {
			break
		}
		first := below(x.at[k], than.at[k])
		if x.stride(l).Sign() < 0 {
			first = below(than.at[k], x.at[k])
		}
		out = append(out, append(slices.Clip(same), first))
		same = append(same, equal0(x.at[k].minus(than.at[k])))
	}
	if x.pos < than.pos {
		out = append(out, same)
	}
	return out
}

// equal are the ways in which an index is another one: none.
func differs(x, y []Form) (out []Row) {
	for i, f := range x {
		if d := f.minus(y[i]); !d.zero() {
			out = append(out, equal0(d).not()...)
		}
	}
	return out
}

// same says that two indices are one.
func same(x, y []Form) (out []Row) {
	for i, f := range x {
		out = append(out, equal0(f.minus(y[i])))
	}
	return out
}
