package prove

import (
	"encoding/binary"

	"tv/semantics/term"
)

// Enumerate runs through all values of what both terms read, if that is few bits. The pair is known by its
// form, in which elements are numbered by first use: elements of the same form need one run.
func (e *Equality) Enumerate(x, y *term.Term) bool {
	return e.enumerateForm(e.newForm(), x, y)
}

// enumerateForm is Enumerate for a form that has leaves of its own already.
func (e *Equality) enumerateForm(f *form, x, y *term.Term) bool {
	f.add(x)
	f.add(y)
	if f.bits > enumerated || f.unfit {
		return false
	}
	if known, ok := e.result.lemma[string(f.key)]; ok {
		if known {
			e.result.lemmaFormsSeen++
		}
		return known
	}
	equal := true
	values := make([]uint64, len(f.order))
	xAt, _ := f.place(x)
	yAt, _ := f.place(y)
	for n := uint64(0); n < 1<<f.bits && equal; n++ {
		rest := n
		for _, l := range f.leaves {
			values[l] = rest & term.Ones(f.order[l].Sort.Width)
			rest >>= f.order[l].Sort.Width
		}
		f.run(values)
		equal = values[xAt] == values[yAt]
	}
	e.result.lemma[string(f.key)] = equal
	if equal {
		e.result.Lemmas++
	}
	return equal
}

// A form is a graph of terms in an order in which arguments come first.
type form struct {
	order  []*term.Term
	args   []int // places of arguments, those of a term after those of the one before it
	ends   []int // where the arguments of a term end in args
	leaves []int
	bits   int
	unfit  bool
	key    []byte
	tables map[string]func([]uint64) uint64 // functions that may be applied
	lowOf  *term.Term                       // a leaf that is low bits of a term: bits of that are bits of the leaf

	places []place // of terms, by their number
	number int32   // of the form, among those that used places
}

// A place is where a term stands in the form of a number.
type place struct{ form, at int32 }

const (
	enumerated = 20      // bits that a scalar lemma may read
	maxForm    = 1 << 12 // terms of a form
)

// newForm returns an empty form. It takes the memory of the one made before.
func (e *Equality) newForm() *form {
	f := &e.form
	*f = form{order: f.order[:0], args: f.args[:0], ends: f.ends[:0], leaves: f.leaves[:0], key: f.key[:0],
		tables: e.tables, places: f.places, number: f.number + 1}
	return f
}

// place returns where a term stands, and whether it does.
func (f *form) place(t *term.Term) (int, bool) {
	if t.ID() >= len(f.places) || f.places[t.ID()].form != f.number {
		return 0, false
	}
	return int(f.places[t.ID()].at), true
}

// put says where a term stands.
func (f *form) put(t *term.Term, at int) {
	if n := t.ID() + maxForm - len(f.places); n >= maxForm {
		f.places = append(f.places, make([]place, n)...)
	}
	f.places[t.ID()] = place{f.number, int32(at)}
}

// end puts a term, whose arguments are in args, at the end of the order.
func (f *form) end(t *term.Term) {
	f.put(t, len(f.order))
	f.order = append(f.order, t)
	f.ends = append(f.ends, len(f.args))
}

// leaf adds a term that stands for any value.
func (f *form) leaf(t *term.Term) {
	f.bits += t.Sort.Width
	f.leaves = append(f.leaves, len(f.order))
	f.key = append(f.key, 'r', byte(t.Sort.Width))
	f.unfit = f.unfit || f.bits > enumerated
	f.end(t)
}

func (f *form) add(t *term.Term) {
	if f.unfit {
		return
	}
	if at, ok := f.place(t); ok {
		f.key = binary.AppendUvarint(append(f.key, '='), uint64(at))
		return
	}
	if len(f.order) > maxForm {
		f.unfit = true
		return
	}
	switch t.Op {
	case term.Read:
		f.leaf(t)
		return
	case term.Const:
		v, _ := t.ConstBits()
		f.key = binary.AppendUvarint(append(f.key, 'c', byte(t.Sort.Width)), v)
		f.end(t)
		return
	}
	if !t.Op.IsBits() && t.Op != term.Apply && t.Op != term.Add && t.Op != term.Mul && t.Op != term.Neg ||
		t.Op == term.Apply && f.tables[t.Name] == nil || t.Sort.Kind == term.Memory {
		f.unfit = true
		return
	}
	f.key = append(f.key, 'o', byte(t.Op), byte(t.Sort.Kind), byte(t.Sort.Width))
	if t.Op == term.Extract {
		f.key = append(f.key, byte(t.Low()))
	}
	if t.Op == term.Apply {
		f.key = append(append(f.key, t.Name...), 0)
	}
	f.key = binary.AppendUvarint(f.key, uint64(len(t.Args)))
	for _, a := range t.Args {
		f.add(f.argument(t, a))
	}
	if f.unfit {
		return
	}
	for _, a := range t.Args {
		at, _ := f.place(f.argument(t, a))
		f.args = append(f.args, at)
	}
	f.end(t)
}

// argument returns an argument of a term, or the leaf that holds the bits which the term takes of it.
func (f *form) argument(t, a *term.Term) *term.Term {
	if l := f.lowOf; l != nil && t.Op == term.Extract && a == l.Args[0] && t.Low()+t.Sort.Width <= l.Sort.Width {
		return l
	}
	return a
}

// run computes all terms from the values of the leaves.
func (f *form) run(values []uint64) {
	var buffer [8]uint64
	leaves, start := f.leaves, 0
	for i, t := range f.order {
		from := start
		start = f.ends[i]
		switch {
		case len(leaves) > 0 && leaves[0] == i:
			leaves = leaves[1:]
		case t.Op == term.Const:
			values[i], _ = t.ConstBits()
		default:
			args := buffer[:0]
			for _, a := range f.args[from:start] {
				args = append(args, values[a])
			}
			if t.Op == term.Apply {
				values[i] = f.tables[t.Name](args)
			} else {
				values[i] = term.EvalBits(t, args)
			}
		}
	}
}
