package nests

import "slices"

// one is a counter plus a number.
func one(name string, plus int) Affine { return Affine{Terms: []Term{{name, 1}}, Const: plus} }

// extentOf is an extent plus a number.
func extentOf(dim, plus int) Affine {
	if dim == 0 {
		return one(size, plus)
	}
	return Affine{Const: dim + plus}
}

// loopKinds is how many kinds of headings there are.
const loopKinds = 6

// loop draws a heading, and what is known of the counter.
func (d *drawer) loop() (*Loop, counter) {
	e := d.extent
	l := &Loop{Name: d.name("i"), Lower: []Affine{{}}, Upper: []Affine{extentOf(e, 0)}, Step: 1}
	c := counter{l.Name, 0, e - 1, e == 0}
	kind := d.pick(9, 7, 3, 3, 4, 2)
	if d.theme >= 0 && d.chance(2, 3) {
		kind = d.theme
	}
	switch kind {
	case 1: // leaves out what lies at the ends
		lo, hi := d.between(0, 2), d.between(0, 3)
		l.Lower, l.Upper = []Affine{{Const: lo}}, []Affine{extentOf(e, -hi)}
		c.lo, c.hi = lo, c.hi-hi
	case 2: // a part
		end := e
		if e == 0 {
			end = 4
		}
		lo := d.between(0, end-1)
		hi := d.between(lo, end)
		l.Lower, l.Upper, c = []Affine{{Const: lo}}, []Affine{{Const: hi}}, counter{l.Name, lo, hi - 1, false}
	case 3: // does not run
		lo := d.rng.IntN(8)
		hi := d.between(-3, lo)
		l.Lower, l.Upper, c = []Affine{{Const: lo}}, []Affine{{Const: hi}}, counter{l.Name, lo, hi - 1, false}
	case 4:
		d.triangle(l, &c)
	case 5:
		d.extremes(l, &c)
	}
	l.Step = 1 + d.pick(14, 4, 2)
	return l, c
}

// triangle gives a loop a bound that depends on a loop around it; it may not run in some iterations.
func (d *drawer) triangle(l *Loop, c *counter) {
	if len(d.counters) == 0 {
		return
	}
	around, plus := d.counters[d.rng.IntN(len(d.counters))], d.between(0, 2)
	if d.chance(1, 2) {
		l.Lower = []Affine{one(around.name, plus)}
		c.lo = around.lo + plus
		return
	}
	plus = min(plus, 1)
	if around.named != c.named || around.hi > c.hi {
		l.Upper = append(l.Upper, one(around.name, plus))
		return
	}
	l.Upper = []Affine{one(around.name, plus)}
	c.hi = min(c.hi, around.hi-1+plus)
	if around.hi-1+plus > c.hi {
		l.Upper = append(l.Upper, extentOf(d.extent, 0))
	}
}

// extremes gives a loop two bounds.
func (d *drawer) extremes(l *Loop, c *counter) {
	if len(d.counters) == 0 {
		l.Upper = append(l.Upper, Affine{Const: d.between(2, 7)})
		return
	}
	around := d.counters[d.rng.IntN(len(d.counters))]
	if d.chance(1, 2) {
		l.Lower = append(l.Lower, one(around.name, -d.between(1, 3)))
		return
	}
	l.Lower = []Affine{one(around.name, 0)}
	c.lo = around.lo
	l.Upper = append(l.Upper, one(around.name, d.between(1, 3)))
}

// access draws an element of an array other than one: what was accessed before again, at times.
func (d *drawer) access(but *Array) Access {
	if d.chance(1, 4) {
		for try := 0; try < 3 && len(d.recent) > 0; try++ {
			a := d.recent[d.rng.IntN(len(d.recent))]
			if a.Array != but && d.inScope(a) {
				return Access{a.Array, slices.Clone(a.At)}
			}
		}
	}
	arrays := slices.DeleteFunc(slices.Clone(d.p.Arrays), func(a *Array) bool { return a == but })
	a := Access{Array: arrays[d.rng.IntN(len(arrays))]}
	for _, dim := range a.Array.Dims {
		a.At = append(a.At, d.subscript(dim))
	}
	d.recent = append(d.recent, a)
	return a
}

// inScope tells whether the counters of an access are there.
func (d *drawer) inScope(a Access) bool {
	for _, x := range a.At {
		for _, t := range x.Terms {
			if t.Name != size && !slices.ContainsFunc(d.counters, func(c counter) bool { return c.name == t.Name }) {
				return false
			}
		}
	}
	return true
}

// subscript draws an expression in [0, dim), or one that lies there at some sizes.
func (d *drawer) subscript(dim int) Affine {
	var fit []counter
	for _, c := range d.counters {
		if !c.named && (dim == 0 || c.hi-c.lo < dim) || c.named && dim == 0 {
			fit = append(fit, c)
		}
	}
	if len(fit) == 0 || d.chance(1, 14) {
		if dim == 0 {
			return Affine{Const: d.rng.IntN(2)}
		}
		return Affine{Const: d.rng.IntN(dim)}
	}
	c := fit[d.rng.IntN(len(fit))]
	last := dim - 1 - c.hi // how far up the counter may be moved
	if dim == 0 && !c.named {
		last = 1
	}
	if c.lo > c.hi && !c.named { // it never runs
		return one(c.name, d.between(-1, 1))
	}
	if x, ok := d.crooked(c, dim); ok {
		return x
	}
	lo, hi := max(-c.lo, -2), min(last, 2)
	if lo > hi || d.chance(1, 2) && lo <= 0 && hi >= 0 {
		return one(c.name, min(max(0, -c.lo), last))
	}
	return one(c.name, d.between(lo, hi))
}

// crooked draws an expression that is more than a counter and a number, if there is one.
func (d *drawer) crooked(c counter, dim int) (Affine, bool) {
	switch k := d.rng.IntN(24); {
	case k < 2 && dim > 0 && c.lo >= 0 && 2*c.hi < dim:
		return Affine{Terms: []Term{{c.name, 2}}, Const: d.rng.IntN(dim - 2*c.hi)}, true
	case k == 2 && dim > 0 && c.lo >= 0 && c.hi < dim:
		return Affine{Terms: []Term{{c.name, -1}}, Const: dim - 1}, true
	case k == 2 && dim == 0 && c.named && c.lo >= 0:
		return Affine{Terms: []Term{{size, 1}, {c.name, -1}}, Const: -1}, true
	case k == 3 && c.lo >= 0:
		return Affine{Terms: []Term{{c.name, 1}}, Div: 2}, true
	case k == 4 && dim > 1:
		return Affine{Terms: []Term{{c.name, 1}}, Const: d.rng.IntN(3), Mod: d.between(2, dim)}, true
	case k < 7 && len(d.counters) > 1:
		o := d.counters[d.rng.IntN(len(d.counters))]
		if o.name != c.name && !o.named && !c.named && c.lo+o.lo >= 0 && (dim == 0 || c.hi+o.hi < dim) {
			return Affine{Terms: []Term{{c.name, 1}, {o.name, 1}}}, true
		}
	}
	return Affine{}, false
}
