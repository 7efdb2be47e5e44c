package recur

import (
	"slices"
)

// Limits of the steps of proofs: of one relation, and of all that are guessed for a question.
const (
	maxProofs    = 4000
	maxAllProofs = 4 * maxProofs
)

// A proof shows that a value of BEFORE is one of AFTER.
type proof struct {
	rule     rule
	form     lin         // of test
	quotient int         // of digit: the variable that is made
	piece    *piece      // of pair
	values   []lin       // of pair: of the piece's variables
	made     [][]int     // of left, right and open: the quotients of each part
	after    bool        // of open: the read is AFTER's
	path     string      // of open and total: the read
	back     []lin       // of sums: where values take other links
	pairs    [][2]string // of expr: reads that are related, of which parts are the proofs
	parts    []*proof
}

type rule uint8

const (
	nothing  rule = iota // there is no such place
	test                 // a form is at least 0, or is not
	digit                // with a quotient
	left                 // BEFORE's value is a read, or a copy: of each of its sources
	right                // AFTER's
	pair                 // a piece
	contents             // the same cell before the call
	same                 // one operation, of related reads
	open                 // a source in the place of a read
	expr                 // equal by laws
	total                // a link as what its chain starts from and the sum of its terms
	sums                 // two sums of the same terms
)

// A place is where something is shown: what is known there, and the variables, in the order in which they came.
type place struct {
	facts []fact
	vars  []int
}

func (p place) with(more ...fact) place { return place{extended(p.facts, more...), p.vars} }

// An element is a value at a place.
type element struct {
	kind     sort
	of       *stmt
	read     int // of aRead and held
	counters []lin
	starts   bool // of a read of a chain: links are left out
}

type sort uint8

const (
	aRead      sort = iota // what a read of an instance finds
	anInstance             // what an instance writes
	aSum                   // the terms of links up to an instance
	held                   // what the cell of a read held before the call
)

// A result is the proof for a parameter, over the index of a cell.
type result struct {
	proof *proof
	vars  []int
}

// A prover shows a relation.
type prover struct {
	*question
	pieces []*piece
	moves  map[string][]step
	first  samples
	to     samples
	back   samples
	summed map[*stmt]bool // statements whose chains are used
	steps  int
	lawful bool // a law was used
}

// side is the side that a statement is of.
func (p *prover) side(s *stmt) *side {
	if slices.Contains(p.before.stmts, s) || slices.Contains(p.before.ends, s) {
		return p.before
	}
	return p.after
}

// all shows each piece, and the results from them.
func (p *prover) all() (results []result) {
	for _, q := range p.pieces {
		pl := place{slices.Concat(p.sizeFacts, q.facts), q.vars}
		q.proof = p.show(pl, element{kind: anInstance, of: q.a, counters: q.x}, element{kind: anInstance, of: q.b, counters: q.y}, q)
	}
	for i, e := range p.before.ends {
		x, counters := p.before.copied(e.cases[0])
		pl := place{slices.Concat(p.sizeFacts, x.facts), nil}
		for _, v := range counters {
			pl.vars = append(pl.vars, v.terms[0].v)
		}
		shown := p.show(pl, element{kind: aRead, of: e, counters: counters}, element{kind: aRead, of: p.after.ends[i], counters: counters}, nil)
		results = append(results, result{shown, pl.vars})
	}
	return results
}

// show proves that two elements are equal. Of a piece that is to be shown, root, the first step is a rule.
func (p *prover) show(pl place, v, w element, root *piece) *proof {
	p.proofs++
	if p.steps++; p.steps > maxProofs || p.proofs > p.most {
		give(v.of.at, "the proof of the relation has more than %d steps", min(maxProofs, p.most))
	}
	switch {
	case v.kind == aSum && w.kind == aSum:
		return p.sums(pl, v, w)
	case v.kind == aSum || w.kind == aSum:
		give(v.of.at, "a sum stands against no sum")
	case v.kind == aRead:
		return p.follow(pl, v, left, func(pl place, source element) *proof { return p.show(pl, source, w, nil) })
	case w.kind == aRead:
		return p.follow(pl, w, right, func(pl place, source element) *proof { return p.show(pl, v, source, nil) })
	case v.kind == held && w.kind == held:
		return p.sameContents(pl, v, w)
	}
	if v.kind == anInstance && w.kind == anInstance && root == nil {
		if out := p.related(pl, v, w); out != nil {
			return out
		}
	}
	switch {
	case v.kind == anInstance && v.of.copies():
		source := element{kind: aRead, of: v.of, counters: v.counters}
		return p.follow(pl, source, left, func(pl place, source element) *proof { return p.show(pl, source, w, nil) })
	case w.kind == anInstance && w.of.copies():
		source := element{kind: aRead, of: w.of, counters: w.counters}
		return p.follow(pl, source, right, func(pl place, source element) *proof { return p.show(pl, v, source, nil) })
	case root != nil || v.kind == held || w.kind == held:
		return p.compute(pl, builtOf(v), builtOf(w))
	}
	give(v.of.at, "no piece relates what this writes with what %s writes", w.of.at.Position())
	return nil
}

// follow shows something of each source of a read.
func (p *prover) follow(pl place, v element, which rule, f func(place, element) *proof) *proof {
	out, from := &proof{rule: which}, len(pl.vars)
	var walk func(t *tree, pl place, vars []int, values []lin)
	walk = func(t *tree, pl place, vars []int, values []lin) {
		switch t.kind {
		case never:
			return
		case branch:
			when := natural(t.when.with(vars, values))
			walk(t.yes, pl.with(when), vars, values)
			walk(t.no, pl.with(when.denied()[0]), vars, values)
			return
		case divide:
			q := p.quotients[t.quotient]
			here := p.made(q.of.with(vars, values), q.by)
			walk(t.yes, p.known(pl, here), append(slices.Clip(vars), t.quotient), append(slices.Clip(values), variable(here)))
			return
		}
		if v.starts && t.kind == written && t.writer == v.of {
			return
		}
		source := element{kind: held, of: v.of, read: v.read, counters: v.counters}
		if t.kind == written {
			source = element{kind: anInstance, of: t.writer}
			for _, a := range t.counters {
				source.counters = append(source.counters, a.with(vars, values))
			}
		}
		out.made = append(out.made, pl.vars[from:])
		if empty(pl.facts) {
			out.parts = append(out.parts, &proof{})
		} else {
			out.parts = append(out.parts, f(pl, source))
		}
	}
	walk(v.of.trees[v.read], pl, v.of.counters, v.counters)
	return out
}

// made is the variable x div d.
func (n *names) made(x lin, d int64) int {
	q, _ := n.quotient(x, d)
	return q
}

// known is a place with a quotient.
func (n *names) known(pl place, q int) place {
	d := n.quotients[q]
	return place{extended(pl.facts, defining(q, d.of, d.by)...), append(slices.Clip(pl.vars), q)}
}

// implies tells whether a fact holds at a place.
func (pl place) implies(f fact) bool {
	return !slices.ContainsFunc(f.denied(), func(not fact) bool { return !empty(extended(pl.facts, not)) })
}

// sameContents shows that two reads are of one cell, whichever cases of their statements there are at the place.
func (p *prover) sameContents(pl place, v, w element) *proof {
	before, after := p.side(v.of), p.side(w.of)
	if a, b := before.tensor(v.of.reads[v.read].From.Buffer), after.tensor(w.of.reads[w.read].From.Buffer); a != b {
		give(w.of.at, "it reads %s where BEFORE reads %s", b, a)
	}
	b, c := v.of.reads[v.read].From.Buffer, w.of.reads[w.read].From.Buffer
	x, y := before.dims(b), after.dims(c)
	other := len(x) != len(y)
	for k := 1; k < len(x) && !other; k++ { // of a matrix in one axis these are rows and columns
		other = !pl.implies(equation(x[k].minus(y[k])))
	}
	if other {
		give(w.of.at, "it reads %s, which BEFORE has other axes of", c.Name)
	}
	p.cases(pl, v, w, func(pl place, x, y *instance) {
		if len(x.from[v.read]) != len(y.from[w.read]) {
			give(w.of.at, "it reads an array of another rank than BEFORE's")
		}
		for _, f := range sameCell(x.from[v.read], y.from[w.read]) {
			if !pl.implies(f) {
				give(w.of.at, "it reads another cell than BEFORE")
			}
		}
	})
	return &proof{rule: contents}
}

// cases calls f for the cases of two instances that there are at a place.
func (p *prover) cases(pl place, v, w element, f func(pl place, x, y *instance)) {
	for _, x := range v.of.cases {
		x := p.before.at(x, v.counters)
		for _, y := range w.of.cases {
			y := p.after.at(y, w.counters)
			if here := pl.with(slices.Concat(x.facts, y.facts)...); !empty(here.facts) {
				f(here, x, y)
			}
		}
	}
}

// related applies pieces to two instances, in cases if need be. It returns nil where there is none.
func (p *prover) related(pl place, v, w element) *proof {
	for _, q := range p.pieces {
		if q.a != v.of || q.b != w.of {
			continue
		}
		values, need := p.values(pl, q, v, w)
		if need >= 0 {
			return &proof{rule: digit, quotient: need, parts: []*proof{p.show(p.known(pl, need), v, w, nil)}}
		}
		var facts []fact
		for _, f := range q.facts {
			f.lin = f.with(q.vars, values)
			facts = append(facts, f)
		}
		if empty(slices.Concat(pl.facts, facts)) {
			continue
		}
		for _, f := range facts {
			if f.defines {
				continue
			}
			ways := []lin{f.lin}
			if f.zero {
				ways = append(ways, f.times(-1))
			}
			for _, a := range ways {
				if when := natural(a); !pl.implies(when) {
					return &proof{rule: test, form: a, parts: []*proof{p.show(pl.with(when), v, w, nil),
						p.show(pl.with(when.denied()[0]), v, w, nil)}}
				}
			}
		}
		return &proof{rule: pair, piece: q, values: values}
	}
	return nil
}

// values are those of a piece's variables for two instances; need is a quotient that has to be made first, or -1.
func (p *prover) values(pl place, q *piece, v, w element) (values []lin, need int) {
	values = slices.Concat(v.counters, w.counters)
	for _, u := range q.vars[len(values):] {
		d := p.quotients[u]
		of := d.of.with(q.vars[:len(values)], values)
		if g := of.content(); g%d.by == 0 { // of multiples the quotient is known
			values = append(values, of.over(d.by))
			continue
		}
		found := -1
		for _, x := range pl.vars {
			if e, ok := p.quotients[x]; ok && e.by == d.by && e.of.equal(of) {
				found = x
			}
		}
		if found < 0 {
			return nil, p.made(of, d.by)
		}
		values = append(values, variable(found))
	}
	return values, -1
}

// operation shows that two values are one operation of related reads.
func (p *prover) operation(pl place, x, y *built) *proof {
	pairs, ok := computedAlike(x, y)
	if !ok {
		give(y.at.of.at, "it is not made as what it has to be equal to")
	}
	if x.of != nil && y.of != nil && len(x.opened) == 0 && len(y.opened) == 0 {
		p.cases(pl, x.at, y.at, func(pl place, v, w *instance) {
			for i, a := range v.ints {
				if !pl.implies(equation(a.minus(w.ints[i]))) {
					give(w.of.at, "an integer is not known to be equal")
				}
			}
		})
	}
	out := &proof{rule: same}
	for _, m := range pairs {
		out.parts = append(out.parts, p.show(pl, m[0].element(), m[1].element(), nil))
	}
	return out
}
