package prove

import (
	"encoding/binary"

	"tv/semantics/term"
)

// tabulated is how many bits the one element may have that a factor of a sum is a function of, for the factor to
// be known by its values.
const tabulated = 12

// A factors knows factors of sums by their values. Two factors that are functions of the same element, say a code
// decoded by a machine and by a contract, are one where their values agree, however they are written.
type factors struct {
	tables map[string]int // number of a table of values, by the table
	forms  map[string]int // number of the table of a form, by its key; -1 for none
	first  map[factor]*term.Term
	known  map[*term.Term]*term.Term
}

// A factor is a table of values at an element.
type factor struct {
	table int
	of    *term.Term
}

// representative returns the first factor that has the values of t, or t.
func (e *Equality) representative(t *term.Term) *term.Term {
	if t == nil || t.Op == term.Read || t.Op == term.Const {
		return t
	}
	k := &e.factors
	if r, ok := k.known[t]; ok {
		return r
	}
	if k.known == nil {
		*k = factors{map[string]int{}, map[string]int{}, map[factor]*term.Term{}, map[*term.Term]*term.Term{}}
	}
	r := t
	f := e.newForm()
	if f.add(t); !f.unfit && len(f.leaves) == 1 && f.bits <= tabulated {
		at := factor{e.table(f, t), f.order[f.leaves[0]]}
		if k.first[at] == nil {
			k.first[at] = t
		}
		r = k.first[at]
	}
	k.known[t] = r
	return r
}

// table returns the number of the table of values of t, whose form is f, sign-extended.
func (e *Equality) table(f *form, t *term.Term) int {
	key := string(f.key)
	if n, ok := e.factors.forms[key]; ok {
		return n
	}
	var text []byte
	values, leaf := make([]uint64, len(f.order)), f.leaves[0]
	of, _ := f.place(t)
	for v := range uint64(1) << f.bits {
		values[leaf] = v
		f.run(values)
		text = binary.AppendVarint(text, term.Signed64(values[of], t.Sort.Width))
	}
	n, ok := e.factors.tables[string(text)]
	if ok {
		e.result.Lemmas++ // another form with these values
	} else {
		n = len(e.factors.tables)
		e.factors.tables[string(text)] = n
	}
	e.factors.forms[key] = n
	return n
}

// represent replaces factors by those that stand for their values, and says whether any changed.
func (e *Equality) represent(list []monomial) bool {
	changed := false
	for i, m := range list {
		x, y := e.representative(m.x), e.representative(m.y)
		if x == m.x && y == m.y {
			continue
		}
		changed = true
		if y == nil {
			list[i].x = x
		} else {
			list[i] = product(x, y, m.coefficient)
		}
	}
	return changed
}

// cut decides x = f(u), for a function of a contract, against a term y of a machine: it looks for a part of y that
// equals u, and then runs through all values of that part. What is proved of every value holds of those that u
// can have.
func (e *Equality) cut(x, y *term.Term) bool {
	if x.Op != term.Apply || len(x.Args) != 1 || x.Args[0].Sort.Width > enumerated {
		return false
	}
	u := x.Args[0]
	seen := map[*term.Term]bool{}
	var find func(t *term.Term) *term.Term
	find = func(t *term.Term) *term.Term {
		if seen[t] || len(seen) > maxForm || t.Op == term.Const {
			return nil
		}
		seen[t] = true
		if t.Sort == u.Sort && e.Same(u, t) {
			return t
		}
		for _, a := range t.Args {
			if found := find(a); found != nil {
				return found
			}
		}
		return nil
	}
	part := find(y)
	if part == nil {
		return false
	}
	f := e.newForm()
	f.leaf(u)
	of, _ := f.place(u)
	f.put(part, of)
	if part.Op == term.Extract && part.Low() == 0 {
		f.lowOf = part // y may take bits of what part is the low bits of
	}
	return e.enumerateForm(f, x, y)
}
