package flexasr

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
)

// How far functions by tables lie from those that they stand for, over all arguments. Powers of e are intervals of integers, rounded
// outward; what is computed of them in floats is widened by more than its roundings.

// An interval holds a number from 0 to 1 in units of 2^-62.
type interval struct{ low, high uint64 }

func (x interval) times(y interval) interval {
	cut := func(x, y uint64) uint64 {
		high, low := bits.Mul64(x, y)
		return high<<2 | low>>62
	}
	return interval{cut(x.low, y.low), cut(x.high, y.high) + 1}
}

// power returns e^(-2^-n), n at least 1, by its series: of each two sums that follow each other one lies below it, one above.
func power(n int) interval {
	sum, summand := big.NewRat(1, 1), big.NewRat(1, 1)
	step := new(big.Rat).SetFrac(big.NewInt(-1), new(big.Int).Lsh(big.NewInt(1), uint(n)))
	for k := range int64(40) {
		summand = new(big.Rat).Mul(summand, new(big.Rat).Mul(step, big.NewRat(1, k+1)))
		sum.Add(sum, summand)
	}
	scaled := new(big.Rat).Mul(sum, new(big.Rat).SetInt64(1<<62))
	whole := new(big.Int).Quo(scaled.Num(), scaled.Denom()).Uint64()
	return interval{whole - 1, whole + 2} // what is left of the series is less than a unit
}

// powers returns the first count powers of x.
func powers(x interval, count int) []interval {
	list := []interval{{1 << 62, 1 << 62}}
	for len(list) < count {
		list = append(list, list[len(list)-1].times(x))
	}
	return list
}

// margin is more than the roundings of a few operations on floats from 0 to 1.
const margin = 1.0 / (1 << 48)

func (x interval) floats() (low, high float64) {
	return float64(x.low)/(1<<62) - margin, float64(x.high)/(1<<62) + margin
}

// A farthest is the largest distance seen so far, and where.
type farthest struct{ distance, at float64 }

// see looks at a result for an argument whose true value lies from low to high.
func (f *farthest) see(at, result, low, high float64) {
	if d := max(math.Abs(result-low), math.Abs(result-high)); d > f.distance {
		f.distance, f.at = d, at
	}
}

// String prints the distance with five digits, rounded up.
func (f *farthest) String() string {
	d := f.up()
	digits := 4 - int(math.Floor(math.Log10(d)))
	scale := math.Pow(10, float64(digits))
	return fmt.Sprintf("%.*f, at %.5g", digits, (math.Floor(d*scale)+1)/scale, f.at)
}

const unit14 = 1.0 / (1 << 14)

// SigmoidError and TanhError are how far these functions lie from those that they stand for, over all arguments, rounded up.
func (t *Tables) SigmoidError() float64 { return t.sigmoidFarthest().up() }

func (t *Tables) TanhError() float64 { return t.tanhFarthest().up() }

// up is the distance, rounded up.
func (f *farthest) up() float64 { return f.distance * (1 + margin) }

// sigmoidDistance and the like say how far a function lies from the one that it stands for.
func (t *Tables) sigmoidDistance() string {
	return t.sigmoidFarthest().String() + "; of all 1048576 arguments"
}

func (t *Tables) tanhDistance() string {
	return t.tanhFarthest().String() + "; of all 1048576 arguments"
}

func (t *Tables) sigmoidFarthest() *farthest {
	var f farthest
	for n, e := range powers(power(14), 1<<19+1) {
		low, high := e.floats()
		x := int64(n)
		if x < 1<<19 {
			f.see(float64(x)*unit14, float64(t.sigmoid(x))*unit14, 1/(1+high)-margin, 1/(1+low)+margin)
		}
		f.see(-float64(x)*unit14, float64(t.sigmoid(-x))*unit14, low/(1+low)-margin, high/(1+high)+margin)
	}
	return &f
}

func (t *Tables) tanhFarthest() *farthest {
	var f farthest
	for n, e := range powers(power(13), 1<<19+1) {
		low, high := e.floats()
		least, most := (1-high)/(1+high)-margin, (1-low)/(1+low)+margin
		x := int64(n)
		if x < 1<<19 {
			f.see(float64(x)*unit14, float64(t.tanh(x))*unit14, least, most)
		}
		f.see(-float64(x)*unit14, float64(t.tanh(-x))*unit14, -most, -least)
	}
	return &f
}

// inverseRootDistance leaves out arguments whose root has no 20 bits; square roots of floats are the nearest floats.
func (t *Tables) inverseRootDistance() string {
	var f farthest
	for x := int64(5); x < 1<<20; x++ {
		want := 1 / math.Sqrt(float64(x)*unit14)
		f.see(float64(x)*unit14, float64(t.inverseRoot(x)&(1<<20-1))*unit14, want*(1-margin), want*(1+margin))
	}
	return f.String() + "; of all 1048576 arguments but 0 to 4 units, whose root is 64 or more and wraps (0 gives all ones)"
}

// expDistance looks at both ends of each stretch of arguments with one result: e^x rises with x.
func (t *Tables) expDistance() string {
	const least = -21 // log2 from which on downward all results are 0 and all values below 2^-21
	fine, coarse := powers(power(20), 1<<10), powers(power(10), 16<<10)
	value := func(x int64) (low, high float64) {
		size := max(x, -x)
		low, high = coarse[size>>10].times(fine[size&1023]).floats()
		if x > 0 {
			low, high = 1/high*(1-margin), 1/low*(1+margin)
		}
		return low, high
	}
	var below, above farthest
	below.see(least, 0, 0, 1.0/(1<<21))
	first := func(l int64) int64 { return -(-l << 22 / 23637) } // the least x with floor(x·23637/2^22) >= l, where l <= 0
	for l := int64(least) << 12; l <= 0; l++ {
		for _, x := range []int64{first(l), min(first(l+1)-1, 0)} {
			low, high := value(x)
			below.see(float64(x)/(1<<20), float64(t.exp(x))/(1<<20), low, high)
		}
	}
	for x := int64(1); t.exp(x) < 1<<32 && x>>20 < 9; x++ {
		low, high := value(x)
		above.see(float64(x)/(1<<20), float64(t.exp(x))/(1<<20), low, high)
	}
	return below.String() + "; of all arguments up to 0, which those of attention are; " + above.String() +
		", of those above, up to where results from 4096 on wrap"
}

// shareDistance is that of operands which have their 6 bits already.
func shareDistance() string {
	var f farthest
	for x := range uint64(64) {
		for y := uint64(1); y < 64; y++ {
			if want := float64(x) / float64(y); want < 4 {
				f.see(want, float64(share(x, y))/256, want-margin, want+margin)
			}
		}
	}
	return f.String() + "; of all operands of 6 bits whose quotient is below 4; others wrap, and those of more bits are cut to these before"
}
