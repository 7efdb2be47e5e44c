package value

// A Sum adds up real numbers from the left, as [AddReal] and [MulReal] do and with their results: sums of many enclosures,
// which networks are made of, in place instead of with new numbers for each. The zero value is 0.
type Sum struct {
	so   Value     // the sum, unless it is open
	open bool      // the sum is ends, an enclosure that is a value
	ends enclosure // with product numbers of its own, which no value shares
	last enclosure // the last product
}

// Start sets the sum to x, which may be MIN.
func (s *Sum) Start(x Value) { s.so, s.open = x, false }

// Value returns the sum.
func (s *Sum) Value() Value {
	if !s.open {
		return s.so
	}
	r := blank()
	r.lo.Set(s.ends.lo)
	r.hi.Set(s.ends.hi)
	return Value{tag: formEnclosure, x: &wide{lo: r.lo, hi: r.hi}}
}

// Add adds x.
func (s *Sum) Add(x Value) {
	wide := s.open || s.so.tag == formEnclosure
	switch {
	case s.open && x.isZero():
	case x.tag == formEnclosure && (wide || s.so.isRational()), wide && x.isRational() && !x.isZero():
		s.enclose(enclosureOf(x))
	default:
		s.so, s.open = AddReal(s.Value(), x), false
	}
}

// AddProduct adds x·y.
func (s *Sum) AddProduct(x, y Value) {
	if x.tag|y.tag == formRational && s.so.tag == formRational && !s.open {
		s.so = AddReal(s.so, MulReal(x, y))
		return
	}
	if !x.scales(y) && !y.scales(x) {
		s.Add(MulReal(x, y))
		return
	}
	if s.last.lo == nil {
		s.last = blank()
	}
	p := enclosureOf(x).product(enclosureOf(y), s.last)
	if !p.bounded() || p.isPoint() || !s.open && s.so.tag != formEnclosure && !s.so.isRational() {
		s.Add(p.value())
		return
	}
	s.enclose(p)
}

// scales tells whether v is an enclosure and its product with w is one of two enclosures, by a rule without exceptions.
func (v Value) scales(w Value) bool {
	return v.tag == formEnclosure && (w.tag == formEnclosure || w.isRational() && !w.isZero() && w != Value{n: 1})
}

// enclose adds an enclosure to the sum, which is an enclosure or rational.
func (s *Sum) enclose(e enclosure) {
	if s.ends.lo == nil {
		s.ends = blank()
	}
	switch {
	case s.open:
		s.ends.setSum(s.ends, e)
	case s.so.isZero():
		s.ends.lo.Set(e.lo)
		s.ends.hi.Set(e.hi)
	default:
		s.ends.setSum(enclosureOf(s.so), e)
	}
	if s.open = s.ends.bounded() && !s.ends.isPoint(); !s.open {
		s.so = s.ends.value()
	}
}
