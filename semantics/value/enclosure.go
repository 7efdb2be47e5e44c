package value

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
	"sync"
)

// An enclosure is a pair of numbers lo <= hi between which a real number lies. Every operation rounds lo
// down and hi up, so that the result encloses all results for numbers in the operands. The methods take
// operands whose exponents are within ±2*exponentLimit, which [enclosure.value] sees to; so no operation
// overflows or underflows in big.Float, whose exponents have 32 bits.
type enclosure struct{ lo, hi *big.Float }

const (
	precision     = 192     // bits of the mantissas; results are meant to be good to about 2^-128
	exponentLimit = 1 << 20 // largest binary exponent of an enclosure that is a value
)

// below and above return a new number that rounds down and up.
func below() *big.Float { return new(big.Float).SetPrec(precision).SetMode(big.ToNegativeInf) }
func above() *big.Float { return new(big.Float).SetPrec(precision).SetMode(big.ToPositiveInf) }

// enclosureOf returns the enclosure of a real number.
func enclosureOf(v Value) enclosure {
	switch v.tag {
	case formEnclosure:
		return enclosure{v.x.lo, v.x.hi}
	case formBall:
		b, _ := ballOf(v)
		return b.enclosure()
	case formRational:
		if d := uint64(v.d) + 1; d&(d-1) == 0 { // a whole number of halves, quarters, ...
			return encloseDyadic(v.n, bits.Len64(d)-1)
		}
	}
	return encloseRat(ratOf(v))
}

func encloseRat(r *big.Rat) enclosure { return enclosure{below().SetRat(r), above().SetRat(r)} }

// smallNumbers returns the integers, halves and quarters of which most inputs are made, from -mostSmall of them on.
var smallNumbers = sync.OnceValue(func() (lists [leastPart + 1][]*big.Float) {
	for k := range lists {
		for n := int64(-mostSmall); n <= mostSmall; n++ {
			lists[k] = append(lists[k], dyadicFloat(n, k))
		}
	}
	return lists
})

const (
	mostSmall = 128
	leastPart = 2 // quarters
)

func encloseInt(n int64) enclosure { return encloseDyadic(n, 0) }

// encloseDyadic encloses n/2^k.
func encloseDyadic(n int64, k int) enclosure {
	if k <= leastPart && -mostSmall <= n && n <= mostSmall {
		f := smallNumbers()[k][n+mostSmall]
		return enclosure{f, f}
	}
	f := dyadicFloat(n, k)
	return enclosure{f, f}
}

// dyadicFloat returns n/2^k, which is exact.
func dyadicFloat(n int64, k int) *big.Float {
	f := below().SetInt64(n)
	return f.SetMantExp(f, -k)
}

// blank returns ends to be set: two numbers that round down and up.
func blank() enclosure {
	ends := new([2]big.Float)
	ends[0].SetPrec(precision).SetMode(big.ToNegativeInf)
	ends[1].SetPrec(precision).SetMode(big.ToPositiveInf)
	return enclosure{&ends[0], &ends[1]}
}

// value returns e as a value: exactly, where lo = hi.
func (e enclosure) value() Value {
	if !e.bounded() {
		return Undecidedf("a number beyond 2^%d or below 2^-%d", exponentLimit, exponentLimit)
	}
	if e.isPoint() {
		r, _ := e.lo.Rat(nil)
		return ratio(r)
	}
	return Value{tag: formEnclosure, x: &wide{lo: e.lo, hi: e.hi}}
}

// bounded tells whether the exponents of both ends are those of values.
func (e enclosure) bounded() bool {
	for _, f := range [...]*big.Float{e.lo, e.hi} {
		if f.IsInf() || f.Sign() != 0 && (f.MantExp(nil) > exponentLimit || f.MantExp(nil) < -exponentLimit) {
			return false
		}
	}
	return true
}

func (e enclosure) isPoint() bool { return e.lo.Cmp(e.hi) == 0 }

// holdsZero tells whether 0 may be the number.
func (e enclosure) holdsZero() bool { return e.lo.Sign() <= 0 && e.hi.Sign() >= 0 }

func (e enclosure) neg() enclosure { return enclosure{below().Neg(e.hi), above().Neg(e.lo)} }

func (e enclosure) add(f enclosure) enclosure {
	r := blank()
	r.setSum(e, f)
	return r
}

// setSum sets the ends of r, which may be e or f, to those of e + f.
func (r enclosure) setSum(e, f enclosure) {
	r.lo.Add(e.lo, f.lo)
	r.hi.Add(e.hi, f.hi)
}

func (e enclosure) mul(f enclosure) enclosure { return e.product(f, blank()) }

// product multiplies the ends that the signs say are the least and greatest product; where both hold 0, all. The ends of
// r, which is neither e nor f, take the result unless it is that of the last case.
func (e enclosure) product(f, r enclosure) enclosure {
	if e.lo.Sign() < 0 && e.hi.Sign() > 0 {
		if f.lo.Sign() < 0 && f.hi.Sign() > 0 {
			return corners(e, f, (*big.Float).Mul)
		}
		e, f = f, e
	}
	if e.lo.Sign() >= 0 {
		r.lo.Mul(either(f.lo.Sign() >= 0, e.lo, e.hi), f.lo)
		r.hi.Mul(either(f.hi.Sign() >= 0, e.hi, e.lo), f.hi)
		return r
	}
	r.lo.Mul(either(f.hi.Sign() >= 0, e.lo, e.hi), f.hi)
	r.hi.Mul(either(f.lo.Sign() >= 0, e.hi, e.lo), f.lo)
	return r
}

// quo returns e/f. f does not hold 0.
func (e enclosure) quo(f enclosure) enclosure {
	r := blank()
	if f.lo.Sign() > 0 {
		r.lo.Quo(e.lo, either(e.lo.Sign() >= 0, f.hi, f.lo))
		r.hi.Quo(e.hi, either(e.hi.Sign() >= 0, f.lo, f.hi))
		return r
	}
	r.lo.Quo(e.hi, either(e.hi.Sign() >= 0, f.hi, f.lo))
	r.hi.Quo(e.lo, either(e.lo.Sign() >= 0, f.lo, f.hi))
	return r
}

func either(first bool, x, y *big.Float) *big.Float {
	if first {
		return x
	}
	return y
}

// corners returns the enclosure of op over the four pairs of ends, between which a monotone op lies.
func corners(e, f enclosure, op func(z, x, y *big.Float) *big.Float) enclosure {
	r := enclosure{op(below(), e.lo, f.lo), op(above(), e.lo, f.lo)}
	for _, p := range [...][2]*big.Float{{e.lo, f.hi}, {e.hi, f.lo}, {e.hi, f.hi}} {
		if l := op(below(), p[0], p[1]); l.Cmp(r.lo) < 0 {
			r.lo = l
		}
		if h := op(above(), p[0], p[1]); h.Cmp(r.hi) > 0 {
			r.hi = h
		}
	}
	return r
}

// hull returns the smallest enclosure of both.
func (e enclosure) hull(f enclosure) enclosure {
	return enclosure{minFloat(e.lo, f.lo), maxFloat(e.hi, f.hi)}
}

func minFloat(x, y *big.Float) *big.Float {
	if y.Cmp(x) < 0 {
		return y
	}
	return x
}

func maxFloat(x, y *big.Float) *big.Float {
	if y.Cmp(x) > 0 {
		return y
	}
	return x
}

// sqrt returns the square root. e.lo >= 0.
func (e enclosure) sqrt() enclosure {
	lo, _ := sqrtEnds(e.lo)
	_, hi := sqrtEnds(e.hi)
	return enclosure{lo, hi}
}

// sqrtEnds returns numbers just below and above the root of x >= 0. x is m*4^s for an integer m that is
// long enough for its integer root to have the wanted precision.
func sqrtEnds(x *big.Float) (lo, hi *big.Float) {
	if x.Sign() == 0 {
		return x, x
	}
	mantissa := new(big.Float)
	exponent := x.MantExp(mantissa)
	digits := 2*precision + exponent&1 // digits and exponent are both even or both odd
	m, _ := new(big.Float).SetMantExp(mantissa, digits).Int(nil)
	root := wholeRoot(m)
	half := (exponent - digits) / 2
	lo = below().SetInt(root)
	lo.SetMantExp(lo, half)
	if new(big.Int).Mul(root, root).Cmp(m) != 0 {
		root.Add(root, big.NewInt(1))
	}
	hi = above().SetInt(root)
	return lo, hi.SetMantExp(hi, half)
}

// wholeRoot returns the root of m > 0, rounded down, by Newton's method. It starts above the root and comes down to it:
// whoever is not below the root and goes no further down is there. Most of the way is saved by starting near.
func wholeRoot(m *big.Int) *big.Int {
	x := new(big.Float).SetInt(m)
	exponent := x.MantExp(x) // of m = x·2^exponent, for 1/2 <= x < 1
	f, _ := x.Float64()
	if exponent&1 == 1 {
		f, exponent = 2*f, exponent-1
	}
	start := new(big.Float).SetMantExp(big.NewFloat(math.Sqrt(f)*(1+0x1p-50)), exponent/2)
	root, _ := start.Int(nil)
	root.Add(root, one)
	next, rest := new(big.Int), new(big.Int)
	for {
		next.QuoRem(m, root, rest)
		next.Add(next, root).Rsh(next, 1)
		if next.Cmp(root) >= 0 {
			return root
		}
		root, next = next, root
	}
}

// expLimit bounds the argument of exp; beyond it the result is outside exponentLimit in any case.
const expLimit = exponentLimit

// exp returns e^x over the enclosure, which lies within ±expLimit.
func (e enclosure) exp() enclosure {
	if e.isPoint() {
		return expPoint(e.lo)
	}
	return enclosure{expPoint(e.lo).lo, expPoint(e.hi).hi}
}

// expPoint encloses e^x = 2^k * e^r for r = x - k*log 2, a little more than 0 and less than 0.7.
func expPoint(x *big.Float) enclosure {
	if x.Sign() == 0 {
		return encloseInt(1)
	}
	f, _ := x.Float64()
	k := int64(math.Floor(f/math.Ln2 - 0x1p-20))
	least, greatest := logTwo()
	if k < 0 {
		least, greatest = greatest, least
	}
	scaled := new(big.Float).SetMantExp(x, fraction) // exact: the mantissa of x keeps its bits
	r, _ := scaled.Int(nil)
	if x.Sign() < 0 {
		r.Sub(r, one)
	}
	// Between r and what is added to it below lies x - k*log 2: x was rounded down by one at most.
	by := big.NewInt(k)
	more := new(big.Int).Sub(greatest, least)
	more.Add(more.Abs(more.Mul(more, by)), one)
	r.Sub(r, by.Mul(by, greatest))
	least, greatest = expSeries(r, more)
	out := blank()
	out.lo.SetInt(least)
	out.hi.SetInt(greatest)
	out.lo.SetMantExp(out.lo, int(k)-fraction)
	out.hi.SetMantExp(out.hi, int(k)-fraction)
	return out
}

// The series are summed in integers that count 2^-fraction, once with every operation rounded down and once
// with every operation rounded up. All terms are positive.
const fraction = 256

var one = big.NewInt(1)

// times sets z to x*y, rounded down or up. Rounding up may add one where it need not.
func times(z, x, y *big.Int, up int64) {
	z.Mul(x, y).Rsh(z, fraction)
	if up != 0 {
		z.Add(z, one)
	}
}

// over divides z by n, rounded down or up.
func over(z *big.Int, n int64, up int64) {
	z.Quo(z, big.NewInt(n))
	if up != 0 {
		z.Add(z, one)
	}
}

// expSeries returns numbers below and above e^x for r <= x <= r + more, where 0 <= r and x < 0.7: e^(x/256), of which the Taylor
// series has few terms, squared eight times. All is rounded down.
//
// The sum is too small by less than 4: by 2 for its last step, less than 1 for those before, which are multiplied by less than 2^-8,
// and less than 1 for the terms that are left out. With D > 1 + more/256 for what x/256 is more than the argument, it is off by less
// than 4 + 4·D, as e^d <= 1 + 2·d. Squaring a number s below 1.5 that is off by e > 1 gives one that is off by less than 2·s·e + e·2^-200 + 1 <= 4·e.
func expSeries(r, more *big.Int) (least, greatest *big.Int) {
	const halvings = 8
	r = new(big.Int).Rsh(r, halvings)
	factors := inverseFactorials()
	sum, product := new(big.Int).Set(factors[len(factors)-1]), new(big.Int)
	for _, f := range slices.Backward(factors[:len(factors)-1]) {
		times(product, sum, r, 0)
		sum.Add(product, f)
	}
	for range halvings {
		times(product, sum, sum, 0)
		sum, product = product, sum
	}
	off := new(big.Int).Rsh(more, halvings)
	off.Add(off, big.NewInt(1+2)).Lsh(off, 2+2*halvings) // 4 + 4·D for D = more/256 + 2, rounded down
	return sum, off.Add(off, sum)
}

// inverseFactorials are 1/0!, 1/1!, ..., rounded down, as many as [expSeries] needs: with one more the term were below 2^-fraction/2.
var inverseFactorials = sync.OnceValue(func() (list []*big.Int) {
	f := new(big.Int).Lsh(one, fraction)
	for i := int64(1); i <= 24; i++ {
		list = append(list, f)
		f = new(big.Int).Quo(f, big.NewInt(i))
	}
	return list
})

// logTwo returns numbers below and above log 2 = 2*(1/3 + 1/(3*3^3) + 1/(5*3^5) + ...).
var logTwo = sync.OnceValues(func() (least, greatest *big.Int) {
	sums := [2]*big.Int{}
	for up := range sums {
		power := new(big.Int).Lsh(one, fraction+1)
		over(power, 3, int64(up))
		sum := new(big.Int).Set(power)
		for i := int64(3); power.BitLen() > 3; i += 2 {
			over(power, 9, int64(up))
			term := new(big.Int).Set(power)
			over(term, i, int64(up))
			sum.Add(sum, term)
		}
		// The rest of the series is less than the last power.
		if up != 0 {
			sum.Add(sum, power)
		}
		sums[up] = sum
	}
	return sums[0], sums[1]
})

// log returns the natural logarithm over the enclosure, whose numbers are positive.
func (e enclosure) log() enclosure {
	if e.isPoint() {
		return logPoint(e.lo)
	}
	return enclosure{logPoint(e.lo).lo, logPoint(e.hi).hi}
}

// logPoint encloses log x: l + 2*atanh((t-1)/(t+1)) where l is about log x and t = x/e^l about 1.
func logPoint(x *big.Float) enclosure {
	m := new(big.Float)
	k := x.MantExp(m)
	f, _ := m.Float64()
	l := below().SetFloat64(math.Log(f) + float64(k)*math.Ln2)
	unit := encloseInt(1)
	t := enclosure{x, x}.mul(expPoint(new(big.Float).Neg(l)))
	a := atanh(t.add(unit.neg()).quo(t.add(unit)))
	return enclosure{l, l}.add(a.add(a))
}

// atanh encloses z + z^3/3 + z^5/5 + ... for |z| <= 1/2.
func atanh(z enclosure) enclosure {
	square := z.mul(z)
	sum, power := z, z
	for i := int64(3); ; i += 2 {
		power = power.mul(square)
		term := power.quo(encloseInt(i))
		size := maxFloat(new(big.Float).Abs(term.lo), new(big.Float).Abs(term.hi))
		if size.Sign() == 0 || size.MantExp(nil) < -precision {
			// The rest of the series is at most term/(1 - z^2) <= 2*term in magnitude.
			rest := new(big.Float).SetMantExp(size, 1)
			return sum.add(enclosure{new(big.Float).Neg(rest), rest})
		}
		sum = sum.add(term)
	}
}

// rootPi encloses the root of pi = 16*atan(1/5) - 4*atan(1/239).
var rootPi = sync.OnceValue(func() enclosure {
	pi := encloseInt(16).mul(atanInverse(5)).add(encloseInt(-4).mul(atanInverse(239)))
	return pi.sqrt()
})

// atanInverse encloses atan(1/n) = 1/n - 1/3n^3 + 1/5n^5 - ..., which lies between any two partial sums.
func atanInverse(n int64) enclosure {
	power := encloseInt(1).quo(encloseInt(n))
	square := encloseInt(n * n)
	sum := power
	for i := int64(3); ; i += 2 {
		power = power.quo(square).neg()
		term := power.quo(encloseInt(i))
		next := sum.add(term)
		if term.hi.MantExp(nil) < -precision {
			return sum.hull(next)
		}
		sum = next
	}
}

// erf returns the error function over the enclosure.
func (e enclosure) erf() enclosure {
	if e.isPoint() {
		return erfPoint(e.lo)
	}
	return enclosure{erfPoint(e.lo).lo, erfPoint(e.hi).hi}
}

// erfPoint encloses erf x. Up to 16 it is 2x/sqrt(pi) * e^(-x^2) * (1 + 2x^2/3 + (2x^2)^2/(3*5) + ...), a
// series of positive terms; from there on 1 - erf x < e^(-x^2) <= 2^-369.
func erfPoint(x *big.Float) enclosure {
	if x.Sign() == 0 {
		return encloseInt(0)
	}
	if x.Sign() < 0 {
		return erfPoint(new(big.Float).Neg(x)).neg()
	}
	if x.Cmp(big.NewFloat(16)) > 0 {
		unit := encloseInt(1).lo
		return enclosure{below().Sub(unit, new(big.Float).SetMantExp(unit, -369)), unit}
	}
	arg := enclosure{x, x}
	square := arg.mul(arg)
	lo, _ := new(big.Float).SetMantExp(square.lo, fraction+1).Int(nil)
	hi, _ := new(big.Float).SetMantExp(square.hi, fraction+1).Int(nil)
	l, h := below().SetInt(erfSeries(lo, 0)), above().SetInt(erfSeries(hi.Add(hi, one), 1))
	sum := enclosure{l.SetMantExp(l, -fraction), h.SetMantExp(h, -fraction)}
	return arg.add(arg).quo(rootPi()).mul(square.neg().exp()).mul(sum)
}

// erfSeries returns a number below (up = 0) or above (up = 1) 1 + d/3 + d^2/(3*5) + d^3/(3*5*7) + ...
func erfSeries(d *big.Int, up int64) *big.Int {
	sum := new(big.Int).Lsh(one, fraction)
	term, product := new(big.Int).Set(sum), new(big.Int)
	whole := new(big.Int).Rsh(d, fraction).Int64()
	for i := int64(3); ; i += 2 {
		times(product, term, d, up)
		over(product, i, up)
		term, product = product, term
		// From here on terms are less than half their predecessors, the rest of them at most the term again.
		if i > 2*(whole+1) && term.BitLen() <= 3 {
			if up != 0 {
				sum.Add(sum, term.Lsh(term, 1))
			}
			return sum
		}
		sum.Add(sum, term)
	}
}
