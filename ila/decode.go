package ila

import (
	"slices"
	"sort"

	"tv/semantics/term"
)

// A Decodes says which instructions of a model decode, where all of them ask comparisons of one bit-vector with numbers: a bus address
// tells instructions apart by dozens of these, and a program has many instructions.
type Decodes struct {
	Var    *Var
	starts []uint64 // of stretches of values at which the same decode
	of     [][]int  // the instructions of each stretch
	last   int      // the stretch asked for last: addresses follow each other
}

// At returns the numbers of the instructions that decode where the bit-vector is n.
func (d *Decodes) At(n uint64) []int {
	if n < d.starts[d.last] || d.last+1 < len(d.starts) && n >= d.starts[d.last+1] {
		d.last = sort.Search(len(d.starts), func(i int) bool { return d.starts[i] > n }) - 1
	}
	return d.of[d.last]
}

// decodes returns what decodes in m, or nil where that depends on anything else.
func (l *Linked) decodes(m *Model) *Decodes {
	d := &Decodes{starts: []uint64{0}}
	cut := func(n, most uint64) {
		if n <= most {
			d.starts = append(d.starts, n)
		}
	}
	var fits func(t *term.Term) bool
	fits = func(t *term.Term) bool {
		switch t.Op {
		case term.Const:
			return true
		case term.And, term.Or, term.Not:
			for _, a := range t.Args {
				if t.Sort.Kind != term.Bool || !fits(a) {
					return false
				}
			}
			return true
		case term.Equal, term.LessU:
			x, y := t.Args[0], t.Args[1]
			n, number := y.ConstBits()
			if !number {
				x, y = y, x
				n, number = y.ConstBits()
			}
			v := l.ByTerm[x]
			if !number || v == nil || v.Depth > 0 || d.Var != nil && d.Var != v {
				return false
			}
			d.Var = v
			most := term.Ones(v.Width)
			if cut(n, most); n < most {
				cut(n+1, most)
			}
			return true
		}
		return false
	}
	for _, i := range m.Instructions {
		if !fits(i.Decode) {
			return nil
		}
	}
	if d.Var == nil {
		return nil
	}
	slices.Sort(d.starts)
	d.starts = slices.Compact(d.starts)
	for _, n := range d.starts {
		var of []int
		for k, i := range m.Instructions {
			if l.truth(i.Decode, n) != 0 {
				of = append(of, k)
			}
		}
		d.of = append(d.of, of)
	}
	return d
}

// truth returns the value of a decode where the bit-vector that it compares is n.
func (l *Linked) truth(t *term.Term, n uint64) uint64 {
	if v, ok := t.ConstBits(); ok {
		return v
	}
	if l.ByTerm[t] != nil {
		return n
	}
	args := make([]uint64, len(t.Args))
	for i, a := range t.Args {
		args[i] = l.truth(a, n)
	}
	return term.EvalBits(t, args)
}
