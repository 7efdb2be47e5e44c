package prove

import (
	"encoding/binary"

	"tv/semantics/term"
)

// A Product is coefficient · x · y, factors sign-extended.
type Product struct {
	Coefficient uint64
	X, Y        *term.Term
}

// A digit is a factor that is a function of one element, such as the high half of a weight: Σ coefficient · digits of u
// and v may be the product of u and v.
type digit struct {
	of   *term.Term // the element, or nil
	form int        // number of the function
}

// digits knows factors as functions of elements, and sums of products of such.
type digits struct {
	known  map[*term.Term]digit
	forms  map[string]int
	values [][]int64           // of functions, by the values of their elements
	sums   map[string]combined // of products, by functions, coefficients and width
}

// A part is one product of a sum: of functions of two elements.
type part struct {
	coefficient uint64
	x, y        int
}

// A combined is a sum of products that is coefficient · u · v for all values of u and v, or is not.
type combined struct {
	coefficient uint64
	ok          bool
}

// ElementOf returns the element that a factor is a function of, where that has few bits; else nil.
func (e *Equality) ElementOf(t *term.Term) *term.Term { return e.digit(t).of }

func (e *Equality) digit(t *term.Term) digit {
	k := &e.digits
	if d, ok := k.known[t]; ok {
		return d
	}
	if k.known == nil {
		*k = digits{known: map[*term.Term]digit{}, forms: map[string]int{}, sums: map[string]combined{}}
	}
	d := digit{}
	f := e.newForm()
	if f.add(t); !f.unfit && len(f.leaves) == 1 && f.bits <= tabulated {
		d.of = f.order[f.leaves[0]]
		n, ok := k.forms[string(f.key)]
		if !ok {
			n = len(k.values)
			k.forms[string(f.key)] = n
			k.values = append(k.values, f.table(t))
		}
		d.form = n
	}
	k.known[t] = d
	return d
}

// table returns the values of t, signed, for all values of the one element that it reads.
func (f *form) table(t *term.Term) []int64 {
	values, leaf := make([]uint64, len(f.order)), f.leaves[0]
	of, _ := f.place(t)
	out := make([]int64, 1<<f.bits)
	for v := range out {
		values[leaf] = uint64(v)
		f.run(values)
		out[v] = term.Signed64(values[of], t.Sort.Width)
	}
	return out
}

// Recombine tells whether a sum of products, all of them functions of the elements u and v, is coefficient · u · v
// modulo 2^width whatever those are: it runs through all their values, once for sums of one form.
func (e *Equality) Recombine(width int, u, v *term.Term, list []Product) (coefficient uint64, ok bool) {
	if u == v || u.Sort.Width+v.Sort.Width > enumerated {
		return 0, false
	}
	parts := make([]part, len(list))
	for i, p := range list {
		x, y := e.digit(p.X), e.digit(p.Y)
		if x.of == v {
			x, y = y, x
		}
		if x.of != u || y.of != v {
			return 0, false
		}
		parts[i] = part{p.Coefficient & term.Ones(width), x.form, y.form}
	}
	return e.combine(width, u.Sort.Width, v.Sort.Width, parts)
}

// combine is Recombine of functions of elements of the given widths.
func (e *Equality) combine(width, wu, wv int, parts []part) (uint64, bool) {
	key := []byte{byte(width), byte(wu), byte(wv)}
	for _, p := range parts {
		key = binary.AppendUvarint(key, p.coefficient)
		key = binary.AppendUvarint(key, uint64(p.x))
		key = binary.AppendUvarint(key, uint64(p.y))
	}
	k := &e.digits
	if known, ok := k.sums[string(key)]; ok {
		if known.ok {
			e.result.lemmaFormsSeen++
		}
		return known.coefficient, known.ok
	}
	ones := term.Ones(width)
	at := func(u, v int) uint64 {
		total := uint64(0)
		for _, p := range parts {
			total += p.coefficient * uint64(k.values[p.x][u]) * uint64(k.values[p.y][v])
		}
		return total & ones
	}
	one := func(w int) int { return min(1, 1<<w-1) }
	c := combined{coefficient: at(one(wu), one(wv)), ok: true}
	if wu == 1 || wv == 1 { // the one that is not 0 stands for -1
		c.ok = false
	}
	for u := 0; u < 1<<wu && c.ok; u++ {
		for v := 0; v < 1<<wv && c.ok; v++ {
			product := uint64(term.Signed64(uint64(u), wu)) * uint64(term.Signed64(uint64(v), wv))
			c.ok = at(u, v) == c.coefficient*product&ones
		}
	}
	k.sums[string(key)] = c
	if c.ok {
		e.result.Lemmas++
	}
	return c.coefficient, c.ok
}

// recombine replaces products of digits of two elements by the product of the elements, where they add up to it. It
// says whether it replaced any.
func (e *Equality) recombine(list []monomial, width int) ([]monomial, bool) {
	groups := map[[2]*term.Term][]monomial{}
	var order [][2]*term.Term
	out := list[:0]
	for _, m := range list {
		var key [2]*term.Term
		if m.y != nil {
			key = [2]*term.Term{e.ElementOf(m.x), e.ElementOf(m.y)}
		}
		if key[0] == nil || key[1] == nil {
			out = append(out, m)
			continue
		}
		if key[1].ID() < key[0].ID() {
			key[0], key[1] = key[1], key[0]
		}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], m)
	}
	changed := false
	for _, key := range order {
		group := groups[key]
		if len(group) == 1 && group[0].x.Op == term.Read && group[0].y.Op == term.Read {
			out = append(out, group[0])
			continue
		}
		products := make([]Product, len(group))
		for i, m := range group {
			products[i] = Product{m.coefficient, m.x, m.y}
		}
		c, ok := e.Recombine(width, key[0], key[1], products)
		if !ok {
			out = append(out, group...)
			continue
		}
		out = append(out, product(key[0], key[1], c))
		changed = true
	}
	return out, changed
}
