package prove

import (
	"tv/semantics/term"
)

// A machine and a contract often differ, or do not, in what they make of one number: a sum that both have. Then the question is one about
// two functions of that number, its scalar lemma. It is decided for all values by stretches of them, on which all bits of both results are
// known, where running through them one by one is out of reach; where it fails, values at which it does are found.

const (
	mostEntries    = 16      // numbers that an element may be a function of that are looked at
	mostStretches  = 1 << 18 // of the values of a number, in one lemma
	mostDifferent  = 6       // values of a number of one sign at which a lemma fails that are kept, about
	mostBelowEntry = 1 << 11 // terms between an element and such a number
)

// A Difference is a number that two elements are functions of, as a term over operands, and values of it at which these functions differ.
type Difference struct {
	Of     *term.Term
	Values []uint64
}

// Scalar decides whether two terms have the same value by a lemma about one number that both are functions of. Where there is such a number and
// the lemma fails, it says where.
func (e *Equality) Scalar(x, y *term.Term) (same bool, differ []Difference) {
	if x.Sort != y.Sort {
		return false, nil
	}
	ends := entries(y)
	for _, u := range entries(x) {
		for _, v := range ends {
			if u.Sort != v.Sort || !e.Same(u, v) {
				continue
			}
			switch equal, values := e.stretches(x, u, y, v); {
			case equal:
				return true, nil
			case len(values) > 0:
				differ = append(differ, Difference{u, values})
			}
		}
	}
	return false, differ
}

// entries returns the terms below t that all of what it reads comes through: t is a function of each of them alone. Those nearest to t come first.
func entries(t *term.Term) (list []*term.Term) {
	seen := map[*term.Term]bool{t: true}
	for at := []*term.Term{t}; len(at) > 0 && len(list) < mostEntries && len(seen) < mostBelowEntry; {
		u := at[0]
		at = at[1:]
		if u != t && u.Sort.Kind == term.Unsigned && u.Sort.Width <= 64 && only(t, u) {
			list = append(list, u)
		}
		for _, a := range u.Args {
			if a.Op != term.Const && !seen[a] {
				seen[a] = true
				at = append(at, a)
			}
		}
	}
	return list
}

// only tells whether t is a function of u alone.
func only(t, u *term.Term) bool {
	seen := map[*term.Term]bool{u: true}
	var visit func(t *term.Term) bool
	visit = func(t *term.Term) bool {
		if seen[t] || t.Op == term.Const {
			return true
		}
		seen[t] = true
		if len(t.Args) == 0 || len(seen) > mostBelowEntry {
			return false
		}
		for _, a := range t.Args {
			if !visit(a) {
				return false
			}
		}
		return true
	}
	return visit(t)
}

// stretches compares x as a function of u with y as a function of v for all values of these. It says so if they are equal, or at which values,
// some of them, they are not; neither where that takes too many stretches.
func (e *Equality) stretches(x, u, y, v *term.Term) (equal bool, differ []uint64) {
	f := e.newForm()
	f.leaf(u)
	f.unfit = false // however many bits it has: its values are not run through
	at, _ := f.place(u)
	f.put(v, at)
	f.add(x)
	f.add(y)
	xAt, okX := f.place(x)
	yAt, okY := f.place(y)
	if f.unfit || len(f.leaves) != 1 || !okX || !okY {
		return false, nil
	}
	key := "stretches " + string(f.key)
	if known, ok := e.result.scalars[key]; ok {
		if known.equal {
			e.result.lemmaFormsSeen++
		}
		return known.equal, known.differ
	}
	w := u.Sort.Width
	left, values, parts := mostStretches, make([]uint64, len(f.order)), make([]ternary, len(f.order))
	most := 0
	var visit func(from uint64, free int) bool
	visit = func(from uint64, free int) bool {
		if left--; left < 0 || len(differ) >= most {
			return false
		}
		if free == 0 {
			values[at] = from
			f.run(values)
			if values[xAt] != values[yAt] {
				differ = append(differ, from)
				return false
			}
			return true
		}
		e.around(f, parts, ternary{from, term.Ones(free)})
		if a, b := parts[xAt], parts[yAt]; a.mask == 0 && b.mask == 0 {
			if a.value == b.value {
				return true
			}
			differ = append(differ, from, from|term.Ones(free)) // and all between
			return false
		}
		near, far := from, from|1<<(free-1) // to 0
		if from>>(w-1) != 0 {
			near, far = far, near
		}
		first := visit(near, free-1)
		return visit(far, free-1) && first
	}
	equal = true
	for sign := range uint64(2) { // values of either sign are kept, those near 0 first
		most = len(differ) + mostDifferent
		equal = visit(sign<<(w-1), w-1) && equal
	}
	if equal {
		e.result.Lemmas++
	}
	e.result.scalars[key] = scalarLemma{equal, differ}
	return equal, differ
}

// A scalarLemma is what was found of one.
type scalarLemma struct {
	equal  bool
	differ []uint64
}

// around computes what is known of all terms of a form with one leaf from what is known of that.
func (e *Equality) around(f *form, parts []ternary, leaf ternary) {
	var buffer [8]ternary
	start := 0
	for i, t := range f.order {
		from := start
		start = f.ends[i]
		switch {
		case i == f.leaves[0]:
			parts[i] = leaf
		case t.Op == term.Const:
			n, _ := t.ConstBits()
			parts[i] = ternary{n, 0}
		default:
			list := buffer[:0]
			for _, a := range f.args[from:start] {
				list = append(list, parts[a])
			}
			if t.Op == term.Apply {
				parts[i] = e.applied(t, list)
			} else {
				parts[i] = ternaryOf(t, list)
			}
		}
	}
}

// applied computes what is known of a function: its value, where it has one for all that its last argument may be, and the others are known.
func (e *Equality) applied(t *term.Term, list []ternary) ternary {
	args, last := make([]uint64, len(list)), len(list)-1
	for i, p := range list {
		if args[i] = p.value; p.mask != 0 && i < last {
			return ternary{0, term.Ones(t.Sort.Width)}
		}
	}
	if mask := list[last].mask; mask != 0 {
		s, ok := e.scalars[t.Name]
		one := mask&(mask+1) == 0 && mask>>(t.Args[last].Sort.Width-1) == 0 // a stretch of numbers of one sign
		if !ok || !one || s.Constant == nil || !s.Constant(args, args[last]|mask) {
			return ternary{0, term.Ones(t.Sort.Width)}
		}
	}
	return ternary{e.tables[t.Name](args) & term.Ones(t.Sort.Width), 0}
}
