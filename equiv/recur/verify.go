package recur

import (
	"slices"

	"tv/semantics/loops"
)

// verify shows that a tree is right: that each instance that it names is one, writes the cell, is executed before the reader
// and is the last that does. What grew the tree is not believed.
func (s *side) verify(r *stmt, read int, t *tree) {
	for _, x := range r.cases {
		s.leaves(t, x.facts, func(leaf *tree, place []fact) {
			if empty(place) {
				return
			}
			cell, here := x.from[read], forms(r.counters)
			wrong := func(what string) { give(r.at, "who wrote %s is not known: %s", r.reads[read].From.Buffer.Name, what) }
			switch leaf.kind {
			case never:
				wrong("an instance that should not be")
			case written:
				if leaf.writer.begin {
					wrong("it may not be written")
				}
				if !s.writes(place, leaf.writer, leaf.counters, cell) {
					wrong("no instance")
				}
				if !s.ordered(place, leaf.writer, leaf.counters, r, here) {
					wrong("not before")
				}
			case entry:
				if r.reads[read].From.Buffer.Kind > loops.In {
					wrong("it may not be written")
				}
			}
			if !s.nobody(place, r, r.reads[read].From.Buffer, cell, leaf) {
				wrong("a write in between")
			}
		})
	}
}

// maxPlaces bounds the cases that are left of a place: each case of a statement may double them and more.
const maxPlaces = 200

// writes tells whether an instance of a statement is one, at a place, and writes a cell; not where that takes
// too many cases.
func (s *side) writes(place []fact, w *stmt, counters []lin, cell []lin) bool {
	rest := [][]fact{place} // where it is none of the cases so far
	for _, c := range w.cases {
		y := s.at(c, counters)
		known, claims := []fact{}, sameCell(y.cell, cell)
		for _, f := range y.facts {
			if f.defines {
				known = append(known, f)
			}
		}
		var next [][]fact
		for _, place := range rest {
			for _, f := range slices.Concat(y.facts, claims) {
				if f.defines {
					continue
				}
				for _, not := range f.denied() {
					if here := append(slices.Concat(place, known), not); !empty(here) {
						next = append(next, here)
					}
				}
			}
			if len(next) > maxPlaces {
				return false
			}
		}
		rest = next
	}
	return len(rest) == 0
}

// at is an instance at given counters.
func (s *side) at(x *instance, counters []lin) *instance {
	own := s.own(x)
	values := slices.Clone(counters)
	put := func(a lin) lin { return a.with(own[:len(values)], values) }
	for _, v := range own[len(counters):] { // each is of those before it
		q, _ := s.quotient(put(s.quotients[v].of), s.quotients[v].by)
		values = append(values, variable(q))
	}
	y := &instance{of: x.of}
	for _, f := range x.facts {
		f.lin = put(f.lin)
		y.facts = append(y.facts, f)
	}
	all := func(list []lin) (out []lin) {
		for _, a := range list {
			out = append(out, put(a))
		}
		return out
	}
	y.cell, y.ints = all(x.cell), all(x.ints)
	for _, a := range x.from {
		y.from = append(y.from, all(a))
	}
	return y
}

// ordered tells whether an instance is always executed before another.
func (s *side) ordered(place []fact, a *stmt, x []lin, b *stmt, y []lin) bool {
	if b.end {
		return true
	}
	late := later(a, x, b, y)
	return !slices.ContainsFunc(late, func(way []fact) bool { return !empty(slices.Concat(place, way)) })
}

// later lists the ways in which an instance of a is not executed before one of b.
func later(a *stmt, x []lin, b *stmt, y []lin) [][]fact {
	ways := earlier(b, y, a, x)
	if a == b {
		var same []fact
		for k := range x {
			same = append(same, equation(x[k].minus(y[k])))
		}
		ways = append(ways, same)
	}
	return ways
}

// nobody tells whether nothing writes a cell before a reader, and after what a leaf names.
func (s *side) nobody(place []fact, r *stmt, b *loops.Buffer, cell []lin, leaf *tree) bool {
	for _, v := range s.stmts {
		if v.buffer != b {
			continue
		}
		for _, c := range v.cases {
			y, counters := s.copied(c)
			here := slices.Concat(place, y.facts, sameCell(y.cell, cell))
			for _, before := range earlier(v, counters, r, forms(r.counters)) {
				after := [][]fact{nil}
				if leaf.kind == written {
					after = earlier(leaf.writer, leaf.counters, v, counters)
				}
				for _, way := range after {
					if !empty(slices.Concat(here, before, way)) {
						return false
					}
				}
			}
		}
	}
	return true
}
