package value

import (
	"fmt"
	"math"
	"math/big"

	"tv/semantics/domain"
)

// Tensors are inputs given element by element, in row-major order. An element that is not there is a failure.
type Tensors map[string][]Value

// Element returns the element at a row-major offset.
func (t Tensors) Element(name string, offset int64) Value {
	if values := t[name]; offset < int64(len(values)) {
		return values[offset]
	}
	return NoValue(fmt.Errorf("no value for element %d of %s", offset, name))
}

// Open returns the elements of one tensor.
func (t Tensors) Open(name string) func(offset int64) Value {
	values := t[name]
	return func(offset int64) Value {
		if offset < int64(len(values)) {
			return values[offset]
		}
		return t.Element(name, offset)
	}
}

// A Mode says which values random inputs have.
//
//	Small        integers from -3 to 3; from 0 where the type is unsigned; multiples of a power of two where
//	             those do not fit a fixed-point type; any codes of an adaptive type
//	NonNegative  integers from 0 to 6, to 1 for bool; the like for the other types
//	Positive     integers from 1 to 7, or 1 for bool; the like
//	Distinct     in real integers from -2^23 to 2^23-1, no two of the first 2^24 elements of a tensor alike, or
//	             256ths of them where a type has none as great;
//	             in exact any bits for integers and fixed point, and for floats numbers of magnitude 1/16 to 16
//	             whose mantissas use all bits, so that every operation rounds
//	Edges        half Small, a quarter Distinct; the rest in real fractions, in exact the least and greatest
//	             numbers, zeros of both signs, subnormals, infinities and NaN, as far as the type has them
//	Extremes     in real as Distinct; in exact nothing but the edges, so that sums saturate and wrap, and signs of
//	             zeros, infinities and NaN meet
type Mode uint8

const (
	Small Mode = iota
	NonNegative
	Positive
	Distinct
	Edges
	Extremes
)

// String returns the name of the mode in lower case.
func (m Mode) String() string {
	return [...]string{"small", "non-negative", "positive", "distinct", "edges", "extremes"}[m]
}

// Random returns inputs that depend on nothing but the seed, the mode, the names of tensors and the offsets.
// They take no memory. The tensors are those listed.
func Random(seed uint64, a Arith, mode Mode, tensors ...[]domain.Tensor) Inputs {
	r := &random{arith: a, mode: mode, seed: seed, types: map[string]domain.Elem{}}
	for _, list := range tensors {
		for _, t := range list {
			r.types[t.Name] = t.Elem
		}
	}
	return r
}

type random struct {
	arith Arith
	mode  Mode
	seed  uint64
	types map[string]domain.Elem
}

// Element returns the element at a row-major offset.
func (r *random) Element(name string, offset int64) Value { return r.Open(name)(offset) }

// Open returns the elements of one tensor.
func (r *random) Open(name string) func(offset int64) Value {
	elem, ok := r.types[name]
	if !ok {
		return func(int64) Value {
			return NoValue(fmt.Errorf("no random values for tensor %s, which no program reads", name))
		}
	}
	key := mix(r.seed)
	for _, b := range []byte(name) {
		key = mix(key ^ uint64(b))
	}
	if !r.arith.Bits(elem) {
		return realElements(r.mode, key, elem)
	}
	return exactElements(r.mode, key, elem)
}

// mix scrambles the bits of h, one to one: the finalizer of SplitMix64 (Steele, Lea, Flood 2014).
func mix(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// below7 returns a number from 0 to 6.
func below7(h uint64) int64 { return int64(h >> 32 * 7 >> 32) }

// firstOf returns the least number of a mode whose numbers are seven in a row.
func (m Mode) firstOf() int64 {
	switch m {
	case NonNegative:
		return 0
	case Positive:
		return 1
	}
	return -3
}

func realElements(mode Mode, key uint64, elem domain.Elem) func(int64) Value {
	end := elem.Greatest() // of what inputs hold
	narrow := end != nil && end.Cmp(big.NewRat(1<<23, 1)) < 0
	distinct := func(offset int64) Value {
		// Odd factors and shifts to the right are one to one on 24 bits.
		const bits24 = 1<<24 - 1
		n := (uint64(offset) + key) * 0x9e3779b1 & bits24
		n = (n ^ n>>12) * 0x85ebca6b & bits24
		m := int64(n^n>>11) - 1<<23
		if narrow {
			return RatValue(big.NewRat(m, 1<<8))
		}
		return Value{n: m}
	}
	switch mode {
	case Distinct, Extremes:
		return distinct
	case Edges:
		return func(offset int64) Value {
			h := mix(key + uint64(offset))
			switch h & 3 {
			case 0:
				return smallRatio(int64(h>>8%19)-9, int64(h>>16%4)+1)
			case 1:
				return distinct(offset)
			}
			return Value{n: below7(h) - 3}
		}
	}
	first := mode.firstOf()
	return func(offset int64) Value { return Value{n: below7(mix(key+uint64(offset))) + first} }
}

func exactElements(mode Mode, key uint64, elem domain.Elem) func(int64) Value {
	first := mode.firstOf()
	small := func(h uint64) Value { return smallOf(below7(h)+first, h, elem) }
	if elem.Kind != domain.ElemAdaptive {
		var seven [7]Value
		for i := range seven {
			seven[i] = smallOf(int64(i)+first, 0, elem)
		}
		small = func(h uint64) Value { return seven[below7(h)] }
	}
	distinct := func(h uint64) Value { return distinctOf(h, elem) }
	draw := small
	switch mode {
	case Distinct:
		draw = distinct
	case Edges:
		edges := edgesOf(elem)
		draw = func(h uint64) Value {
			switch rest := h >> 8; h & 3 {
			case 0:
				return edges[rest%uint64(len(edges))]
			case 1:
				return distinct(mix(h))
			}
			return small(h)
		}
	case Extremes:
		edges := edgesOf(elem)
		draw = func(h uint64) Value { return edges[h>>8%uint64(len(edges))] }
	}
	return func(offset int64) Value { return draw(mix(key + uint64(offset))) }
}

// smallOf returns an element that stands for the small number n; h picks one of several, if there are.
func smallOf(n int64, h uint64, t domain.Elem) Value {
	switch t.Kind {
	case domain.ElemBool:
		switch {
		case n <= 0:
			n &= 1
		default:
			n = min(n, 1)
		}
	case domain.ElemUint:
		n = max(n, -n)
	case domain.ElemFix:
		// Of the width, 3 bits are enough for -3 to 3 and 4 for 0 to 7.
		return BitsValue(uint64(n)<<max(0, min(t.Frac, t.Width-4)), t)
	case domain.ElemAdaptive:
		sign := uint64(1) << (t.Width - 1)
		switch code := h >> 7 & (sign - 1); {
		case n < 0:
			return BitsValue(code|sign, t)
		case n == 0:
			return BitsValue(0, t)
		default:
			return BitsValue(max(code, 1), t)
		}
	case domain.ElemFloat:
		return floatValue(float64(n), t)
	}
	return BitsValue(uint64(n), t)
}

// mantissaOf returns how many bits the fraction of a floating-point type has.
func mantissaOf(t domain.Elem) int {
	if t == domain.BFloat16 {
		return 7
	}
	return map[int]int{16: 10, 32: 23, 64: 52}[t.Width]
}

// distinctOf returns an element that uses all bits of its type.
func distinctOf(h uint64, t domain.Elem) Value {
	if t.Kind != domain.ElemFloat {
		return BitsValue(h, t)
	}
	mantissa := mantissaOf(t)
	bias := uint64(1)<<(t.Width-mantissa-2) - 1
	exponent := bias - 4 + h>>56&7
	sign := h >> 63 << (t.Width - 1)
	return BitsValue(sign|exponent<<mantissa|h&(1<<mantissa-1), t)
}

// edgesOf returns the elements at the edges of a type.
func edgesOf(t domain.Elem) []Value {
	sign := uint64(1) << (t.Width - 1)
	bits := []uint64{0, 1, sign, sign - 1, sign | 1, 2*sign - 1} // 0, 1, least, greatest, next to it, -1
	switch t.Kind {
	case domain.ElemFloat:
		mantissa := mantissaOf(t)
		infinity, _ := floatValue(math.Inf(1), t).Bits()
		one, _ := floatValue(1, t).Bits()
		normal := uint64(1) << mantissa // the least normal number; below it are the subnormals
		bits = []uint64{infinity | 1<<(mantissa-1)}
		for _, b := range []uint64{0, 1, normal - 1, normal, one, one + 1, infinity - 1, infinity} {
			bits = append(bits, b, b|sign)
		}
	case domain.ElemAdaptive:
		bits = []uint64{0, sign, 1, sign | 1, sign - 1, 2*sign - 1}
	}
	values := make([]Value, len(bits))
	for i, b := range bits {
		values[i] = BitsValue(b, t)
	}
	return values
}
