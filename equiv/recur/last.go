package recur

import (
	"slices"
)

// Limits of the search for last writers.
const (
	maxRows      = 300  // of a projection
	maxLeaves    = 200  // of a tree
	maxAllLeaves = 5000 // of all trees
)

// A candidate wrote what is read, where its facts hold: the latest instance of a statement among those of one rank. Ranks are
// the ways of [earlier], of all writers: what has a greater rank is later.
type candidate struct {
	facts    []fact
	writer   *stmt
	counters []lin
	rank     int
}

// source returns the tree of a read.
func (s *side) source(r *stmt, read int) *tree {
	buffer := r.reads[read].From.Buffer
	var list []candidate
	for _, w := range s.stmts {
		if w.buffer != buffer {
			continue
		}
		for _, x := range r.cases {
			list = append(list, s.candidates(x, read, w)...)
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return b.rank - a.rank })
	g := &grower{side: s, reader: r}
	t := g.grow(nil, nil, r.cases, list)
	s.verify(r, read, t)
	return t
}

// candidates are those of a writer for a case of a reader.
func (s *side) candidates(x *instance, read int, w *stmt) (out []candidate) {
	for _, c := range w.cases {
		for rank := range 2*shared(x.of, w) + 1 {
			first := s.next
			y, counters := s.copied(c)
			ways := earlier(w, counters, x.of, forms(x.of.counters))
			n := (rank + 1) / 2
			if rank%2 == 1 {
				n--
			}
			if rank%2 == 0 && rank < 2*shared(x.of, w) || n >= len(ways) {
				continue // there is one way that is no earlier iteration
			}
			m := &latest{side: s, known: x.facts, unknown: map[int]bool{}, writer: w, rank: rank}
			for v := first; v < s.next; v++ {
				m.unknown[v] = true
				if q, ok := s.quotients[v]; ok {
					m.divided = append(m.divided, v)
					counters = append(counters, q.of)
				}
			}
			m.find(slices.Concat(y.facts, sameCell(y.cell, x.from[read]), ways[n]), counters, 0)
			out = append(out, m.found...)
		}
	}
	return out
}

// A latest is the search for the latest instance of a statement that meets facts.
type latest struct {
	*side
	known   []fact // of the reader
	unknown map[int]bool
	divided []int // unknown quotients
	writer  *stmt
	rank    int
	found   []candidate
}

// find determines the counters from the k-th on. Behind them stand what unknown quotients are of.
func (m *latest) find(facts []fact, counters []lin, k int) {
	facts, counters = m.settle(facts, counters)
	facts, counters = m.divide(facts, counters)
	if facts == nil || empty(slices.Concat(m.known, facts)) {
		return
	}
	n := len(m.writer.counters)
	for ; k < n; k++ {
		var in []scaled
		for _, t := range counters[k].terms {
			if m.unknown[t.v] {
				in = append(in, t)
			}
		}
		switch len(in) {
		case 0:
			continue
		case 1:
			m.extreme(facts, counters, k, in[0].v, in[0].k*m.writer.later[k] > 0)
			return
		}
		give(m.writer.at, "which iteration writes last depends on two unknowns")
	}
	out := m.projected(facts, -1)
	m.found = append(m.found, candidate{out, m.writer, counters[:n], m.rank})
}

// divide puts a quotient that the reader can make for each unknown one of what is known.
func (m *latest) divide(facts []fact, counters []lin) ([]fact, []lin) {
	for again := facts != nil; again; {
		again = false
		for i, v := range m.divided {
			of := counters[len(m.writer.counters)+i]
			here := slices.ContainsFunc(facts, func(f fact) bool { return f.factor(v) != 0 }) ||
				slices.ContainsFunc(counters, func(a lin) bool { return a.factor(v) != 0 })
			if !here || m.holds(of, -1) {
				continue
			}
			q, more := m.quotient(of, m.quotients[v].by)
			for k := range facts {
				facts[k] = facts[k].put(v, variable(q))
			}
			for k := range counters {
				counters[k] = counters[k].put(v, variable(q))
			}
			facts, again = append(facts, more...), true
		}
		if again {
			facts, counters = m.settle(facts, counters)
			again = facts != nil
		}
	}
	return facts, counters
}

// settle eliminates unknowns by equations. It returns nil where they contradict each other.
func (m *latest) settle(facts []fact, counters []lin) ([]fact, []lin) {
	facts, counters = slices.Clone(facts), slices.Clone(counters)
	for {
		at, v := -1, 0
		for i, f := range facts {
			g := f.content()
			if g == 0 && (f.c < 0 || f.zero && f.c != 0) || g > 1 && f.zero && f.c%g != 0 {
				return nil, nil
			}
			if g > 1 {
				facts[i].lin = f.over(g)
			}
			for _, t := range facts[i].terms {
				if f.zero && at < 0 && m.unknown[t.v] && (t.k == 1 || t.k == -1) {
					at, v = i, t.v
				}
			}
		}
		if at < 0 {
			return facts, counters
		}
		e := facts[at].lin
		value := variable(v).plus(-e.factor(v), e)
		facts = slices.Delete(facts, at, at+1)
		for i := range facts {
			facts[i] = facts[i].put(v, value)
		}
		for i := range counters {
			counters[i] = counters[i].put(v, value)
		}
	}
}

// A bound of an unknown u: k·u <= most, or k·u >= most; k above 0.
type bound struct {
	k    int64
	most lin
}

// extreme puts the greatest value of an unknown, or the least, in each case of which bound it is that it meets.
func (m *latest) extreme(facts []fact, counters []lin, k, u int, greatest bool) {
	var bounds []bound
	var others []fact
	for _, f := range m.projected(facts, u) {
		switch n := f.factor(u); {
		case n != 0 && f.zero: // k·u + rest = 0: there is no choice
			rest := f.plus(-n, variable(u)).times(-1)
			if n < 0 {
				rest = rest.times(-1)
			}
			m.put(facts, counters, k, u, bound{magnitudeOf(n), rest}, true, nil)
			return
		case n == 0:
			others = append(others, f)
		case (n < 0) == greatest: // n·u + rest >= 0
			rest := f.plus(-n, variable(u))
			if n > 0 {
				rest = rest.times(-1)
			}
			bounds = append(bounds, bound{magnitudeOf(n), rest})
		}
	}
	bounds = m.tightest(bounds, slices.Concat(m.known, others), greatest)
	if len(bounds) == 0 {
		give(m.writer.at, "which iteration writes last has no bound")
	}
	for _, b := range bounds {
		m.put(facts, counters, k, u, b, greatest, bounds)
	}
}

// put goes on where an unknown is what a bound says, which meets all others.
func (m *latest) put(facts []fact, counters []lin, k, u int, b bound, greatest bool, bounds []bound) {
	value, more := m.value(b, greatest)
	for _, o := range bounds {
		way := o.most.plus(-o.k, value)
		if !greatest {
			way = way.times(-1)
		}
		more = append(more, natural(way))
	}
	next := make([]fact, 0, len(facts)+len(more))
	for _, f := range facts {
		next = append(next, f.put(u, value))
	}
	at := slices.Clone(counters)
	for i := range at {
		at[i] = at[i].put(u, value)
	}
	m.find(append(next, more...), at, k)
}

// value is the greatest integer that a bound allows, or the least.
func (m *latest) value(b bound, greatest bool) (lin, []fact) {
	switch {
	case b.k == 1:
		return b.most, nil
	case greatest:
		q, facts := m.quotient(b.most, b.k)
		return variable(q), facts
	}
	q, facts := m.quotient(b.most.times(-1), b.k)
	return variable(q).times(-1), facts
}

// tightest leaves out bounds that another one implies.
func (m *latest) tightest(list []bound, known []fact, greatest bool) (out []bound) {
	implied := func(b, by bound) bool { // b.most/b.k >= by.most/by.k
		way := b.most.times(by.k).plus(-b.k, by.most)
		if !greatest {
			way = way.times(-1)
		}
		return empty(extended(known, natural(way.times(-1).add(-1))))
	}
	for i, b := range list {
		needed := true
		for k, o := range list {
			if needed && k != i && implied(b, o) && (k < i || !implied(o, b)) {
				needed = false
			}
		}
		if needed {
			out = append(out, b)
		}
	}
	return out
}

// projected leaves all unknowns but one out of facts: what is left holds wherever the facts have a solution.
func (m *latest) projected(facts []fact, but int) []fact {
	var rows []fact
	for _, f := range facts {
		if f.zero && m.holds(f.lin, but) {
			rows = append(rows, natural(f.times(-1)))
			f.zero = false
		}
		rows = append(rows, f)
	}
	for {
		v := -1
		for _, f := range rows {
			for _, t := range f.terms {
				if m.unknown[t.v] && t.v != but && (v < 0 || t.v > v) {
					v = t.v
				}
			}
		}
		if v < 0 {
			return rows
		}
		rows = without(rows, v)
		if len(rows) > maxRows {
			give(m.writer.at, "who writes last has more than %d conditions", maxRows)
		}
	}
}

func (m *latest) holds(a lin, but int) bool {
	return slices.ContainsFunc(a.terms, func(t scaled) bool { return m.unknown[t.v] && t.v != but })
}

// without leaves a variable out of rows that are at least 0, by all pairs of its bounds.
func without(rows []fact, v int) (out []fact) {
	var lower, upper []lin
	seen := map[string]bool{}
	keep := func(f fact) {
		if g := f.content(); g == 0 && f.c >= 0 {
			return
		} else if g > 1 && !f.zero {
			f.lin = f.over(g)
		}
		if key := f.spelt(spell); !seen[key] {
			seen[key] = true
			out = append(out, f)
		}
	}
	for _, f := range rows {
		switch k := f.factor(v); {
		case k > 0:
			lower = append(lower, f.lin)
		case k < 0:
			upper = append(upper, f.lin)
		default:
			keep(f)
		}
	}
	for _, a := range lower {
		for _, b := range upper {
			k, n := a.factor(v), -b.factor(v)
			g := gcd(k, n)
			keep(natural(a.times(n/g).plus(k/g, b)))
		}
	}
	return out
}
