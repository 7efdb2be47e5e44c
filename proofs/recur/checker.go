// Package recur checks proofs by recurrences: of two nests of loops that do the same although no
// closed form says what (doc/certificates.md 5.4, which has the format and why it is right). It
// reads instances, accesses and their order from the texts, and takes from a certificate where
// values come from, which instances are related, and multipliers: it looks for nothing.
//
//	checker.go  lines of a certificate, pieces, results
//	text.go     nodes of lines
//	forms.go    affine forms, and rows: that one is 0, or not negative
//	goals.go    what has to be empty, and refutations
//	nests.go    the statements of a text
//	places.go   what is known at a place; instances and their order
//	flat.go     matrices in one axis
//	tables.go   where values come from
//	proof.go    proofs that two values are equal
//	built.go    values with the sources of reads in their place
//	folds.go    reductions
//	algebra.go  values that are equal by laws
package recur

import (
	"slices"
	"strings"

	"tv/proofs/algebra"
	"tv/proofs/loops"
	"tv/semantics/domain"
)

// A checker checks the lines of one certificate.
type checker struct {
	q      *algebra.Question
	sides  [2]*nest
	sizes  map[string]bool
	facts  *place    // what is known of sizes
	ors    [][][]Row // and in one of several ways
	tables []*table
	chains []*chain
	pieces []*piece
	answer func(*Goal) string
	goals  int
	steps  int
}

// A piece relates instances.
type piece struct {
	of    [2]*statement
	vars  int
	where []*node
	at    [2][]*node
	proof *node
}

// A result is a parameter of BEFORE and of AFTER, with a proof.
type result struct {
	of    [2]*loops.Buffer
	proof *node
}

// Check refuses a statement unless lines prove it, and conditions of AFTER that are open. Goals are
// answered by lines, or by answer if that is not nil; then there are none in lines. No other
// conditions of the question are looked at.
func Check(q *algebra.Question, open []algebra.Condition, lines string, answer func(*Goal) string) {
	c := &checker{q: q, sizes: map[string]bool{}, facts: &place{}, answer: answer}
	for i, p := range q.Programs {
		c.sides[i] = newNest(sides[i], p)
	}
	c.known()
	written := map[int]string{}
	if answer == nil {
		c.answer = func(g *Goal) string { return written[g.N] }
	}
	results := c.lines(lines, written)
	c.conditions(open)
	c.columns()
	for _, t := range c.tables {
		t.check(c)
	}
	for _, x := range c.chains {
		x.check(c)
	}
	for _, z := range c.pieces {
		c.piece(z)
	}
	for _, r := range results {
		p := c.facts.clone()
		at := p.open(len(c.sides[0].dims(r.of[0])))
		p.know(within(at, c.sides[0].dims(r.of[0]))...)
		c.proved(p, r.proof, value{table: c.end(0, r.of[0]), at: at},
			value{table: c.end(1, r.of[1]), at: at}, true)
	}
	for n := range written {
		if n > c.goals {
			malformed("there is no goal %d", n)
		}
	}
}

// known states what is known of sizes.
func (c *checker) known() {
	names, mins, preds := c.q.Domain()
	for _, name := range names {
		if plain(name) {
			c.sizes[name] = true
			c.facts.know(atLeast0(named(name).shifted(-mins[name])))
		}
	}
	for _, p := range preds {
		switch list, ok := ways(c.facts, p, false); {
		case ok && len(list) == 1:
			c.facts.know(list[0]...)
		case ok && len(list) <= maxWays:
			for _, w := range list {
				for i, r := range w {
					w[i] = r.reduced()
				}
			}
			c.ors = append(c.ors, list)
		}
	}
}

// ways are those in which a condition on sizes holds, or with not does not hold, as far as it is
// affine; ok is false where there may be others.
func ways(at *place, p *domain.Pred, not bool) (out [][]Row, ok bool) {
	switch p.Op {
	case domain.PredNot:
		return ways(at, p.Args[0], !not)
	case domain.PredAnd, domain.PredOr:
		all := (p.Op == domain.PredAnd) != not
		if out = nil; all {
			out = [][]Row{nil}
		}
		for _, q := range p.Args {
			list, ok := ways(at, q, not)
			switch {
			case ok && all:
				out = both(out, list)
			case ok:
				out = append(out, list...)
			case !all: // of what holds together, some may be left out: less is known then
				return nil, false
			}
		}
		return out, true
	case domain.PredLe, domain.PredLt, domain.PredEq:
		d, ok := at.affine(p.B.Sub(p.A))
		row := atLeast0(d)
		switch {
		case !ok:
			return nil, false
		case p.Op == domain.PredLt:
			row = atLeast0(d.shifted(-1))
		case p.Op == domain.PredEq:
			row = equal0(d)
		}
		if !not {
			return [][]Row{{row}}, true
		}
		for _, r := range row.not() {
			out = append(out, []Row{r})
		}
		return out, true
	}
	return nil, false
}

// conditions refuses a statement unless conditions of AFTER hold that are not known to.
func (c *checker) conditions(open []algebra.Condition) {
	for _, x := range open {
		p := c.facts.clone()
		list, ok := ways(p, x.Pred, true)
		if !ok {
			algebra.Fail(algebra.CodeStatement, "not known to hold: %s", x.Msg)
		}
		for _, w := range list {
			c.claim(p, "not known to hold: "+x.Msg, w...)
		}
	}
}

// order is that of lines.
var order = []string{"read", "end", "chain", "piece", "result", "goal"}

// lines reads those of a certificate.
func (c *checker) lines(text string, written map[int]string) (results []result) {
	last, goal := 0, 0
	for text != "" {
		line, rest, ok := strings.Cut(text, "\n")
		word, body, _ := strings.Cut(line, " ")
		k := slices.Index(order, word)
		if text = rest; !ok || k < last {
			malformed("the line %.40q is not written as lines are, or not in order", line)
		}
		last = k
		if word == "goal" {
			number, answer, _ := strings.Cut(body, " ")
			if n := natural(number); n <= goal {
				malformed("goal %s is not in order", number)
			}
			goal = natural(number)
			written[goal] = answer
			continue
		}
		list := read(body)
		least := map[string]int{"read": 4, "end": 3, "chain": 3, "piece": 7, "result": 2}[word]
		if len(list) < least || word != "chain" && len(list) > least {
			malformed("the line %.40q has %d parts", line, len(list))
		}
		switch word {
		case "read":
			s, n := c.side(list[0]).find(list[1].word), natural(list[2].word)
			if n >= len(s.reads) {
				malformed("%s has no read %d", s.name, n)
			}
			c.add(&table{nest: s.nest, reader: s, read: n, buffer: s.reads[n].From.Buffer,
				tree: list[3]})
		case "end":
			n := c.side(list[0])
			c.add(&table{nest: n, buffer: n.parameter(list[1].word), tree: list[2]})
		case "chain":
			s := c.side(list[0]).find(list[1].word)
			c.chains = append(c.chains, c.newChain(s, natural(list[2].word), list[3:]))
		case "piece":
			c.pieces = append(c.pieces, &piece{vars: natural(list[2].word), where: list[3].list,
				of:    [2]*statement{c.sides[0].find(list[0].word), c.sides[1].find(list[1].word)},
				at:    [2][]*node{list[4].list, list[5].list},
				proof: list[6]})
		case "result":
			results = append(results, result{proof: list[1],
				of: [2]*loops.Buffer{c.sides[0].parameter(list[0].word)}})
		}
	}
	c.complete(results)
	return results
}

// complete finds AFTER's parameter of each result, and refuses results that are not all.
func (c *checker) complete(results []result) {
	writes := [2][]string{c.q.Programs[0].Writes(), c.q.Programs[1].Writes()}
	if len(results) != len(writes[0]) || len(results) != len(writes[1]) {
		malformed("%d results are written, %d have a proof", len(writes[0]), len(results))
	}
	done := map[*loops.Buffer]bool{}
	for i := range results {
		r := &results[i]
		for _, name := range writes[1] {
			if b := c.sides[1].parameter(name); c.parameters(r.of[0], b) && r.of[1] == nil {
				r.of[1] = b
			}
		}
		if r.of[1] == nil || done[r.of[0]] || done[r.of[1]] ||
			!slices.Contains(writes[0], r.of[0].Name) {
			malformed("%s is no result, or one twice", r.of[0].Name)
		}
		done[r.of[0]], done[r.of[1]] = true, true
	}
}

func (c *checker) side(n *node) *nest {
	k := slices.Index(sides[:], n.word)
	if k < 0 {
		malformed("%q is no side", n.word)
	}
	return c.sides[k]
}

// add adds a table; there is one for each read and each end.
func (c *checker) add(t *table) {
	for _, u := range c.tables {
		if u.nest == t.nest && u.reader == t.reader && u.read == t.read &&
			(t.reader != nil || u.buffer == t.buffer) {
			malformed("%s has two trees", t)
		}
	}
	c.tables = append(c.tables, t)
}

// table returns that of a read.
func (c *checker) table(s *statement, read int) *table {
	for _, t := range c.tables {
		if t.reader == s && t.read == read {
			return t
		}
	}
	malformed("read %d of %s %s has no tree", read, s.side, s.name)
	return nil
}

// end returns the table of a parameter.
func (c *checker) end(side int, b *loops.Buffer) *table {
	for _, t := range c.tables {
		if t.reader == nil && t.nest == c.sides[side] && t.buffer == b {
			return t
		}
	}
	malformed("the end of %s, %s, has no tree", b.Name, sides[side])
	return nil
}

// piece checks that a piece is about instances, and that they write the same.
func (c *checker) piece(z *piece) {
	p := c.facts.clone()
	env := p.open(z.vars)
	for _, f := range c.at(z.where, env) {
		p.know(atLeast0(f))
	}
	var v [2]value
	for i, s := range z.of {
		wants(z.at[i], len(s.loops), "an instance of "+s.name)
		v[i] = value{of: s, at: c.at(z.at[i], env)}
		instance{s, v[i].at}.executed(c, p)
	}
	c.proved(p, z.proof, v[0], v[1], false)
}
