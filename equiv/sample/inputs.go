package sample

import (
	"errors"
	"math/big"
	"math/bits"

	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/value"
)

// A mode is a kind of random inputs.
type mode uint8

const (
	mixed    mode = iota // small numbers of both signs
	positive             // small numbers above 0, so that quotients and roots are defined
	negative             // small numbers below 0, so that padding is greater
	wide                 // numbers that seldom repeat
	indices              // 0, 1, 2, ...: for programs that take elements by index
	sparse               // few numbers, so that long sums stay small: behind exp, large ones all look alike
	edges                // exact arithmetic: the ends of integer types, ulps of floats, fractions
	specials             // exact arithmetic: -0, infinities and NaN among a few numbers
	rooted               // as mixed, but above 0 what is divided by or under a root
	level                // as rooted, and few and so small in large tensors that sums stay small through many layers
	uniform              // exact arithmetic: few numbers an input, for the signs of zeros; and all modes up to named
)

// Kinds of inputs that are tried last, where nothing else tells the programs apart.
const (
	named     mode = 100 + iota // numbers that the programs name, those next to them, and those between
	fractions                   // real numbers with a sixteenth as their unit
	tops                        // integers: the greatest of each type
	bottoms                     // the least
	powers                      // integers of all magnitudes: powers of two and numbers between them
)

// randomInputs gives every element of every input a value that depends on seed, name and offset alone, without
// ever holding a tensor.
type randomInputs struct {
	seed   uint64
	mode   mode
	values map[string][]value.Value                  // what each input draws from
	reads  int                                       // elements asked for: the unit in which sampling is bounded
	most   int                                       // reads at which it panics with errTooMuch; 0: never
	lent   map[string]func(offset int64) value.Value // see [Signer.Lend]
}

// smallest numbers first: an element's value is drawn from the front part of these in modes that want it
var draws = map[mode][]int64{
	mixed:    {-3, -2, -1, 0, 1, 2, 3, 1, 2, -1},
	positive: {1, 2, 3, 4, 5, 1, 2, 3},
	negative: {-1, -2, -3, -4, -5, -6, -7, -8},
	wide:     {-128, 127, -127, 126, 64, -64, 85, -86, 7, 100, 31, -17, 53, -101, 0, 1},
	indices:  {0, 1, 0, 2, 1, 0, 3, 1},
	sparse:   {0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0},
	edges:    {1, -1, 3},
	specials: {0, 1, -1, 2},
	rooted:   {-3, -2, -1, 0, 1, 2, 3, 1, 2, -1},
	level:    {-2, -1, -1, 1, 1, 1, 2, 1},
	uniform:  {0, 0, 1},
}

// edgeValues lists what edges draws from besides, for an element type.
func edgeValues(t domain.Elem) []string {
	switch t.Kind {
	case domain.ElemFloat:
		// 2^p + 1 is not representable next to 2^p: sums of these tell orders apart
		big := map[int]string{16: "2048", 32: "16777216", 64: "9007199254740992"}[t.Width]
		if t == domain.BFloat16 {
			big = "256"
		}
		return []string{big, "-" + big, "0.5", "10", "7", "0.1", "-0.3", "1.5"}
	case domain.ElemAdaptive:
		return adaptiveValues(t)
	case domain.ElemInt, domain.ElemSat, domain.ElemFix:
		fractions := []string{"0.5", "0.25", "-0.25", "1.75", "-0.5", "-1.5", "0.125"}
		top := new(big.Int).Lsh(big.NewInt(1), uint(t.Width-1))
		if t.Kind == domain.ElemFix {
			top.Rsh(top, uint(t.Frac))
		}
		low := new(big.Int).Neg(top)
		top.Sub(top, big.NewInt(1))
		if t.Kind == domain.ElemFix {
			return append(fractions, top.String(), low.String())
		}
		return []string{top.String(), low.String(), new(big.Int).Sub(top, big.NewInt(1)).String(), "3", "-3", "7", "-7", "5"}
	case domain.ElemUint:
		top := new(big.Int).Lsh(big.NewInt(1), uint(t.Width))
		return []string{top.Sub(top, big.NewInt(1)).String(), "128", "3", "7"}
	}
	return nil
}

// adaptiveValues lists numbers of an AdaptivFloat type with their last mantissa bit set, from its least exponent to its
// largest: small integers are beyond most of these types and round to their ends.
func adaptiveValues(t domain.Elem) (list []string) {
	mantissa, exponents := t.Width-1-t.Frac, 1<<t.Frac
	for e := 0; e < exponents; e += max(exponents/4, 1) {
		for _, significand := range []int64{1<<mantissa + 1, -(1<<mantissa + 3), 2<<mantissa - 1} {
			v, shift := new(big.Rat).SetInt64(significand), e-10-mantissa // v * 2^shift
			power := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(shift, -shift))))
			if shift < 0 {
				power.Inv(power)
			}
			list = append(list, v.Mul(v, power).FloatString(max(-shift, 0)))
		}
	}
	return list
}

// extraValues lists what a mode draws from besides, for an element type; others than floats have no -0.
func extraValues(m mode, t domain.Elem) []string {
	switch min(m, uniform) {
	case edges:
		return edgeValues(t)
	case specials:
		return []string{"-0", "inf", "-inf", "nan"}
	case uniform:
		return []string{"-0", "-0", "-1"}
	}
	return nil
}

// table lists what each input draws from in a mode.
func table(arith value.Arith, m mode, tensors ...[]domain.Tensor) map[string][]value.Value {
	values := map[string][]value.Value{}
	for _, list := range tensors {
		for _, t := range list {
			if values[t.Name] != nil {
				continue
			}
			for _, n := range draws[min(m, uniform)] {
				if t.Elem.Kind == domain.ElemUint && n < 0 && arith.Bits(t.Elem) {
					n = -n
				}
				values[t.Name] = append(values[t.Name], value.IntValue(n, arith, t.Elem))
			}
			if texts := extraValues(m, t.Elem); arith.Bits(t.Elem) || arith == value.Auto && m == edges {
				for _, text := range texts {
					if v, err := value.ParseValue(text, arith, t.Elem); err == nil {
						values[t.Name] = append(values[t.Name], v)
					}
				}
			}
		}
	}
	return values
}

// levelled returns the table of level: in tensors with long rows, mostly zeros, which cost little, and numbers of both
// signs times a power of two, about one over the root of how many of them a row has, so that sums over rows are not
// greater than what is summed; in rooted inputs, numbers above 0.
func levelled(arith value.Arith, rooted map[string]bool, tensors ...[]domain.Tensor) map[string][]value.Value {
	values := table(arith, level, tensors...)
	for name, list := range table(arith, positive, tensors...) {
		if rooted[name] {
			values[name] = list
		}
	}
	for _, list := range tensors {
		for _, t := range list {
			if rooted[t.Name] || len(t.Dims) < 2 || arith.Bits(t.Elem) {
				continue
			}
			all, most := int64(1), int64(1)
			for _, d := range t.Dims {
				if n, ok := d.Int64(); ok && n > 0 && n < 1<<20 && all < 1<<40 {
					all, most = all*n, max(most, n)
				}
			}
			row, of := all/most, int64(len(draws[level]))
			drawn := make([]value.Value, min(max(row, of), 8*of)) // the others are 0
			some := row * of / int64(len(drawn))
			scale := new(big.Rat).SetFrac64(1, 1<<(bits.Len64(uint64(some))/2))
			for i := range drawn {
				drawn[i] = value.IntValue(0, value.Real, t.Elem)
				if i < len(draws[level]) {
					drawn[i] = value.RatValue(new(big.Rat).Mul(scale, new(big.Rat).SetInt64(draws[level][i])))
				}
			}
			values[t.Name] = drawn
		}
	}
	return values
}

// errTooMuch ends an evaluation that reads more than it may.
var errTooMuch = errors.New("too much is read")

func newRandomInputs(seed uint64, m mode, values map[string][]value.Value) *randomInputs {
	return &randomInputs{seed: seed, mode: m, values: values}
}

// fork returns the same inputs, counting anew.
func (in *randomInputs) fork() *randomInputs {
	return &randomInputs{seed: in.seed, mode: in.mode, values: in.values, most: in.most}
}

func scramble(x uint64) uint64 { // splitmix64's finaliser
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// Element implements value.Inputs.
func (in *randomInputs) Element(name string, offset int64) value.Value { return in.Open(name)(offset) }

// Open implements value.Opener.
func (in *randomInputs) Open(name string) func(int64) value.Value {
	if of := in.lent[name]; of != nil {
		return of
	}
	values, base := in.values[name], in.seed*0x9e3779b97f4a7c15+0x7476
	for i := 0; i < len(name); i++ {
		base = scramble(base ^ uint64(name[i]))
	}
	n := uint64(len(values))
	if in.mode >= uniform && in.mode < named { // one number alone, or besides zeros of both signs what is less
		one := values[(base>>32)*n>>32]
		if base&3 == 0 {
			values = []value.Value{values[0], values[n/2], values[n-1], values[n-1]}
		} else {
			values = []value.Value{one}
		}
		n = uint64(len(values))
	}
	return func(offset int64) value.Value {
		if in.reads++; in.reads == in.most {
			panic(errTooMuch)
		}
		h := scramble(base + uint64(offset)*0x9e3779b97f4a7c15)
		return values[(h>>32)*n>>32]
	}
}

// current gives the elements of the inputs that it was given last.
type current struct{ of value.Inputs }

// Element implements value.Inputs.
func (c *current) Element(name string, offset int64) value.Value { return c.of.Element(name, offset) }

// Open implements value.Opener.
func (c *current) Open(name string) func(int64) value.Value {
	var last value.Inputs
	var read func(int64) value.Value
	return func(offset int64) value.Value {
		if c.of != last {
			last = c.of
			read = open(last, name)
		}
		return read(offset)
	}
}

// open returns an input as a function of the offset.
func open(in value.Inputs, name string) func(int64) value.Value {
	if o, ok := in.(value.Opener); ok {
		return o.Open(name)
	}
	return func(offset int64) value.Value { return in.Element(name, offset) }
}

// sparseInputs is 0 but for the elements that are set.
type sparseInputs struct {
	zero map[string]value.Value
	set  map[string]map[int64]value.Value // by name and offset
}

// newSparseInputs returns inputs of zeros.
func newSparseInputs(arith value.Arith, programs ...semantics.Program) *sparseInputs {
	in := &sparseInputs{zero: map[string]value.Value{}, set: map[string]map[int64]value.Value{}}
	for _, p := range programs {
		for _, t := range p.Inputs() {
			in.zero[t.Name] = value.IntValue(0, arith, t.Elem)
			in.set[t.Name] = map[int64]value.Value{}
		}
	}
	return in
}

// Zeros are inputs of zeros for the programs.
func Zeros(arith value.Arith, programs ...semantics.Program) value.Inputs {
	return newSparseInputs(arith, programs...)
}

// Plainly are a few inputs that are as plain as can be, zeros first: then each tensor has a number of its own, and then each
// element.
func Plainly(arith value.Arith, programs ...semantics.Program) []value.Inputs {
	elems, at := map[string]domain.Elem{}, map[string]int64{}
	for _, p := range programs {
		for _, t := range p.Inputs() {
			if _, known := at[t.Name]; !known {
				elems[t.Name], at[t.Name] = t.Elem, int64(len(at))
			}
		}
	}
	out := []value.Inputs{Zeros(arith, programs...)}
	for _, r := range []rising{{first: 1}, {first: 1, step: 1}, {first: 7, step: -1}, {first: 1, step: 2, rise: 1}} {
		r.arith, r.elems, r.at = arith, elems, at
		out = append(out, &r)
	}
	return out
}

// rising inputs begin with a number, to which each further tensor and each further element adds another.
type rising struct {
	arith             value.Arith
	elems             map[string]domain.Elem
	at                map[string]int64 // which tensor it is
	first, step, rise int64
}

// Element implements value.Inputs.
func (in *rising) Element(name string, offset int64) value.Value {
	return value.IntValue(in.first+in.step*in.at[name]+in.rise*(offset%64), in.arith, in.elems[name])
}

// A place is an element of an input.
type place struct {
	name   string
	offset int64
}

// Element implements value.Inputs.
func (in *sparseInputs) Element(name string, offset int64) value.Value {
	if v, ok := in.set[name][offset]; ok {
		return v
	}
	return in.zero[name]
}

// Open implements value.Opener.
func (in *sparseInputs) Open(name string) func(int64) value.Value {
	set, zero := in.set[name], in.zero[name]
	return func(offset int64) value.Value {
		if v, ok := set[offset]; ok {
			return v
		}
		return zero
	}
}

// recorder notes which elements are read, in the order of first reading.
type recorder struct {
	from  value.Inputs
	reads int // with repetition
	seen  map[place]bool
	order []place
}

func newRecorder(from value.Inputs) *recorder { return &recorder{from: from, seen: map[place]bool{}} }

// Element implements value.Inputs.
func (r *recorder) Element(name string, offset int64) value.Value { return r.Open(name)(offset) }

// Open implements value.Opener.
func (r *recorder) Open(name string) func(int64) value.Value {
	read := open(r.from, name)
	return func(offset int64) value.Value {
		r.reads++
		p := place{name, offset}
		if !r.seen[p] {
			r.seen[p] = true
			r.order = append(r.order, p)
		}
		return read(offset)
	}
}
