package rules

import "strings"

// A frame is what is known of numbers at every instance that is admitted.
type frame struct {
	*rule
	known []sum    // each at least 0
	fit   [][2]sum // the first is a number of so many bits as the second
	right bool     // conditions are to be shown, no longer to be collected
}

// everywhere shows that the rule is right at all numbers: the right side is well formed where the left one is, of one width with
// it, and equal by identity.go.
func (r *rule) everywhere() {
	f := &frame{rule: r}
	for _, g := range r.where {
		f.suppose(g)
	}
	for _, v := range r.vars {
		if !v.bool {
			f.known = append(f.known, v.width.minus(1, plain(1)))
		}
	}
	f.measure(r.sides[0])
	f.right = true
	f.measure(r.sides[1])
	a, b := r.sides[0], r.sides[1]
	need(a.truth || a.width.is(b.width), "the sides are not seen to be of one width")
	c := &comparison{frame: f}
	need(c.same(f.plainer(a), f.plainer(b)), "the sides are not seen to be equal at every width")
}

// suppose takes what a condition says of orders; of others nothing is taken.
func (f *frame) suppose(g list) {
	switch g.head() {
	case "and":
		for _, h := range g.of[1:] {
			f.suppose(h)
		}
	case "=", "<", "<=":
		need(len(g.of) == 3, "no condition")
		a, b := f.number(g.of[1]), f.number(g.of[2])
		switch d := b.minus(1, a); g.head() {
		case "<":
			f.known = append(f.known, d.minus(1, plain(1)))
		case "=":
			f.known = append(f.known, d, sum{}.minus(1, d))
		default:
			f.known = append(f.known, d)
		}
	}
}

// atLeast0 collects a condition of the left side, and shows one of the right side.
func (f *frame) atLeast0(s sum) {
	if !f.right {
		f.known = append(f.known, s)
		return
	}
	need(f.shown(s), "a number of the right side is not seen to be at least 0")
}

// shown tells whether s is a sum of at most three of what is known and of what cannot be negative.
func (f *frame) shown(s sum) bool {
	if f.positive(s) {
		return true
	}
	for i, a := range f.known {
		one := s.minus(1, a)
		if f.positive(one) {
			return true
		}
		for j, b := range f.known[i:] {
			two := one.minus(1, b)
			if f.positive(two) {
				return true
			}
			for _, c := range f.known[i+j:] {
				if f.positive(two.minus(1, c)) {
					return true
				}
			}
		}
	}
	return false
}

// positive tells whether no coefficient is negative when each name is its least value and a natural number.
func (f *frame) positive(s sum) bool {
	out := sum{}
	for p, n := range s {
		part := plain(n)
		for _, name := range strings.Fields(p) {
			part = part.times(sum{name: 1}.minus(-1, plain(int64(f.least[f.index(name)]))))
		}
		out = out.minus(-1, part)
	}
	for _, n := range out {
		if n < 0 {
			return false
		}
	}
	return true
}

// fitting collects, or shows, that a number is one of so many bits.
func (f *frame) fitting(n, w sum) {
	if !f.right {
		f.fit = append(f.fit, [2]sum{n, w})
		if v, ok := n.number(); ok && v > 0 { // at every instance that is admitted w has the bits of v
			f.known = append(f.known, w.minus(1, plain(length(v))))
		}
		return
	}
	for _, g := range f.fit {
		if n.is(g[0]) && w.is(g[1]) {
			return
		}
	}
	if v, ok := n.number(); ok {
		need(v >= 0 && f.shown(w.minus(1, plain(length(v)))), "a constant is not seen to fit")
		return
	}
	// n <= w < 2^w
	need(f.shown(n) && f.shown(w.minus(1, n)), "a number is not seen to fit")
}

// length is the number of digits of a number that is not negative.
func length(v int64) (n int64) {
	for ; v > 0; v /= 2 {
		n++
	}
	return n
}

// measure finds the widths of a term and its parts.
func (f *frame) measure(t *term) {
	for _, a := range t.args {
		f.measure(a)
	}
	same := func(from []*term) {
		for _, a := range from {
			need(a.truth || a.width.is(from[0].width), "words of %s are not seen to be of one width", t.op)
		}
	}
	switch t.op {
	case "var":
		t.width = t.signal.width
	case "literal":
		if !t.truth {
			t.width = plain(int64(len(t.text)-2) * map[byte]int64{'b': 1, 'x': 4}[t.text[1]])
		}
	case "number":
		f.atLeast0(t.at[1].minus(1, plain(1)))
		f.fitting(t.at[0], t.at[1])
		t.width = t.at[1]
	case "concat":
		t.width = sum{}
		for _, a := range t.args {
			t.width = t.width.minus(-1, a.width)
		}
	case "extract":
		f.atLeast0(t.at[1])
		f.atLeast0(t.at[0].minus(1, t.at[1]))
		f.atLeast0(t.args[0].width.minus(1, t.at[0]).minus(1, plain(1)))
		t.width = t.at[0].minus(1, t.at[1]).minus(-1, plain(1))
	case "zero_extend", "sign_extend":
		f.atLeast0(t.at[0])
		t.width = t.args[0].width.minus(-1, t.at[0])
	case "repeat":
		f.atLeast0(t.at[0].minus(1, plain(1)))
		t.width = t.args[0].width.times(t.at[0])
	case "rotate_left", "rotate_right":
		f.atLeast0(t.at[0])
		t.width = t.args[0].width
	case "bvcomp", "bool->bitvector":
		same(t.args)
		t.width = plain(1)
	case "ite":
		same(t.args[1:])
		t.width = t.args[1].width
	default:
		same(t.args)
		if !t.truth {
			t.width = t.args[0].width
		}
	}
}
