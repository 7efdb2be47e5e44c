package sample

import (
	"math/big"
	"slices"

	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/value"
)

// What late inputs are drawn from: multiples of a sixteenth up to so many, and so many constants.
const (
	sixteenths    = 40
	mostConstants = 16
)

// Late has further kinds of inputs tried, before all others: with numbers that the programs name, fractions, and ends of types.
func (s *Sampler) Late() { s.late = true }

// lateModes lists the kinds of late inputs that suit the programs.
func (s *Sampler) lateModes() (modes []mode) {
	if len(s.constants()) > 0 {
		modes = append(modes, named)
	}
	if s.Reals() {
		modes = append(modes, fractions)
	}
	if s.some(s.arith.Bits) {
		modes = append(modes, tops, bottoms, powers)
	}
	return modes
}

// constants are the numbers that elements of the programs are made of or compared with, ascending.
func (s *Sampler) constants() (out []*big.Rat) {
	for _, p := range []semantics.Program{s.before, s.after} {
		if c, ok := p.(semantics.Constants); ok {
			for _, r := range c.Constants() {
				if len(out) < mostConstants {
					out = append(out, r)
				}
			}
		}
	}
	slices.SortFunc(out, (*big.Rat).Cmp)
	return slices.CompactFunc(out, func(x, y *big.Rat) bool { return x.Cmp(y) == 0 })
}

// lateTable lists what each input draws from in a late mode.
func (s *Sampler) lateTable(m mode) map[string][]value.Value {
	values := map[string][]value.Value{}
	var numbers []*big.Rat
	add := func(r *big.Rat) { numbers = append(numbers, r) }
	switch m {
	case named:
		one, half, last := big.NewRat(1, 1), big.NewRat(1, 2), (*big.Rat)(nil)
		for _, r := range s.constants() {
			if last != nil { // what is between
				between := new(big.Rat).Add(last, r)
				add(between.Mul(between, half))
			}
			last = r
			add(r)
			add(new(big.Rat).Add(r, one))
			add(new(big.Rat).Sub(r, one))
			add(new(big.Rat).Neg(r))
		}
		add(new(big.Rat))
	case fractions:
		for k := int64(-sixteenths); k <= sixteenths; k++ {
			add(big.NewRat(k, 16))
		}
	}
	for _, list := range [][]domain.Tensor{s.before.Inputs(), s.after.Inputs()} {
		for _, t := range list {
			if values[t.Name] != nil {
				continue
			}
			for _, r := range numbers {
				if v, ok := s.number(r, t.Elem); ok {
					values[t.Name] = append(values[t.Name], v)
				}
			}
			if low, top, ok := ends(t.Elem); ok && (m == tops || m == bottoms) && s.arith.Bits(t.Elem) {
				if m == bottoms {
					top = low
				}
				if v, ok := s.number(new(big.Rat).SetInt(top), t.Elem); ok {
					values[t.Name] = append(values[t.Name], v)
				}
			}
			if low, top, ok := ends(t.Elem); ok && m == powers && s.arith.Bits(t.Elem) {
				for _, n := range magnitudes(low, top) {
					if v, ok := s.number(new(big.Rat).SetInt(n), t.Elem); ok {
						values[t.Name] = append(values[t.Name], v)
					}
				}
			}
			if values[t.Name] == nil {
				values[t.Name] = []value.Value{value.IntValue(0, s.arith, t.Elem), value.IntValue(1, s.arith, t.Elem)}
			}
		}
	}
	return values
}

// magnitudes are powers of two, and those times 3/2, of both signs between two ends.
func magnitudes(low, top *big.Int) (out []*big.Int) {
	add := func(n *big.Int) {
		if n.Cmp(low) >= 0 && n.Cmp(top) <= 0 {
			out = append(out, n)
		}
	}
	for n := big.NewInt(1); n.Cmp(top) <= 0; n = new(big.Int).Lsh(n, 1) {
		more := new(big.Int).Rsh(new(big.Int).Mul(n, big.NewInt(3)), 1)
		for _, x := range []*big.Int{n, more} {
			add(x)
			add(new(big.Int).Neg(x))
		}
	}
	return out
}

// number is a number as an element of a type, if it is one.
func (s *Sampler) number(r *big.Rat, t domain.Elem) (v value.Value, ok bool) {
	if !s.arith.Bits(t) {
		end := t.Greatest() // what inputs hold lies between the ends of their type
		return value.RatValue(r), end == nil || new(big.Rat).Abs(r).Cmp(end) <= 0
	}
	text := r.RatString()
	if !r.IsInt() {
		if t.Kind != domain.ElemFloat {
			return v, false
		}
		text = r.FloatString(maxDigits)
	}
	v, err := value.ParseValue(text, s.arith, t)
	return v, err == nil
}

// maxDigits are those of a fraction as an element of a float type.
const maxDigits = 20

// ends are the least and the greatest number of an integer type.
func ends(t domain.Elem) (low, top *big.Int, ok bool) {
	one := big.NewInt(1)
	switch t.Kind {
	case domain.ElemInt:
		top = new(big.Int).Lsh(one, uint(t.Width-1))
		return new(big.Int).Neg(top), new(big.Int).Sub(top, one), true
	case domain.ElemUint:
		top = new(big.Int).Lsh(one, uint(t.Width))
		return new(big.Int), top.Sub(top, one), true
	}
	return nil, nil, false
}
