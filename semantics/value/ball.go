package value

import (
	"math"
	"math/big"
)

// A ball is the numbers that are at most rad from mid: what is known of a real number where sixteen digits do. Every
// operation returns a ball that holds its results for all numbers of its operands, as enclosures do with ends of 192 bits,
// in a word and without new numbers. A radius also counts what rounding it cost, as it is multiplied by 1 + 2^-40. Products
// that are added are converted to float64 by name, which keeps compilers from rounding once instead of twice.
type ball struct{ mid, rad float64 }

const (
	ballEps   = 0x1p-52          // more than half the last digit of 1: what an operation that rounds is off by, over its result
	ballLibm  = 8 * ballEps      // the same of exp, log and erf in package math
	ballSlack = 1 + 0x1p-40      // for radii, which are rounded to the nearest
	ballTiny  = 0x1p-1000        // more than what a result below the normal numbers is off by
	ballMost  = 700              // the greatest argument of exp
	rootPi2   = 1.12837916709552 // a little more than 2/sqrt(pi), the greatest slope of erf
)

// Ball returns a real number as a ball, and 0, MIN and failures as they are. What is computed with a ball is one, but for
// products with 0. Balls are for guesses: no two of them are ever the same.
func Ball(v Value) Value {
	if v.isZero() || !v.isRational() && v.tag != formEnclosure {
		return v
	}
	return ballOf(v).value()
}

// ballOf returns a real number as a ball.
func ballOf(v Value) ball {
	switch v.tag {
	case formBall:
		return ball{math.Float64frombits(uint64(v.n)), float64(math.Float32frombits(v.d))}
	case formRational:
		if v.d == 0 && int64(float64(v.n)) == v.n && magnitude(v.n) < 1<<53 {
			return ball{mid: float64(v.n)}
		}
		mid := float64(v.n) / (float64(v.d) + 1) // two roundings
		return ball{mid, math.Abs(mid) * (2 * ballEps)}
	case formWideRatio:
		mid, exact := v.x.ratio.Float64()
		if exact {
			return ball{mid: mid}
		}
		return ball{mid, math.Abs(mid)*ballEps + ballTiny}
	}
	lo, _ := v.x.lo.Float64()
	hi, _ := v.x.hi.Float64()
	mid := lo + (hi-lo)/2
	return ball{mid, max(hi-mid, mid-lo) + (math.Abs(lo)+math.Abs(hi)+math.Abs(mid))*ballEps + ballTiny}
}

// value returns b as a value, with a radius that has been rounded up.
func (b ball) value() Value {
	rad := float32(b.rad * ballSlack)
	if float64(rad) < b.rad*ballSlack {
		rad = math.Nextafter32(rad, math.MaxFloat32)
	}
	if !(math.Abs(b.mid) <= 0x1p1000) || !(rad < math.MaxFloat32) { // NaN is neither
		return Undecidedf("a number beyond the range of float64")
	}
	return Value{tag: formBall, n: int64(math.Float64bits(b.mid)), d: math.Float32bits(rad)}
}

// enclosure returns ends around the ball.
func (b ball) enclosure() enclosure {
	mid, rad := new(big.Float).SetFloat64(b.mid), new(big.Float).SetFloat64(b.rad)
	return enclosure{lo: below().Sub(mid, rad), hi: above().Add(mid, rad)}
}

// ends returns numbers between which the ball lies.
func (b ball) ends() (lo, hi float64) {
	off := math.Abs(b.mid) * ballEps
	return b.mid - b.rad - off, b.mid + b.rad + off
}

func (b ball) holdsZero() bool { return !(math.Abs(b.mid) > b.rad) }

func (b ball) neg() ball { return ball{-b.mid, b.rad} }

func (b ball) add(c ball) ball {
	mid := b.mid + c.mid
	return ball{mid, b.rad + c.rad + math.Abs(mid)*ballEps}
}

func (b ball) mul(c ball) ball {
	mid := float64(b.mid * c.mid)
	return ball{mid, math.Abs(b.mid)*c.rad + math.Abs(c.mid)*b.rad + b.rad*c.rad + math.Abs(mid)*ballEps + ballTiny}
}

// quo divides by a ball that does not hold 0: (m + e)/(n + f) is off m/n by (e - f·m/n)/(n + f).
func (b ball) quo(c ball) ball {
	mid := b.mid / c.mid
	off := (b.rad + math.Abs(mid)*c.rad) / (math.Abs(c.mid) - c.rad)
	return ball{mid, off*ballSlack + math.Abs(mid)*ballEps + ballTiny}
}

// image returns the ball of a function that does not fall, from its value at mid and at both ends; rounding is what each
// of the three is off by, over its magnitude.
func image(mid, lo, hi, rounding float64) ball {
	off := max(math.Abs(mid), math.Abs(lo), math.Abs(hi)) * rounding
	return ball{mid, max(hi-mid, mid-lo, 0) + 2*off + ballTiny}
}

// sqrt takes the root of a ball above 0.
func (b ball) sqrt() ball {
	lo, hi := b.ends()
	return image(math.Sqrt(b.mid), math.Sqrt(max(lo, 0)), math.Sqrt(hi), ballEps)
}

// exp takes e to the numbers of a ball up to ballMost.
func (b ball) exp() ball {
	lo, hi := b.ends()
	return image(math.Exp(b.mid), math.Exp(lo), math.Exp(hi), ballLibm)
}

// log takes the logarithm of a ball above 0. Next to 1 it is less exact than its magnitude says.
func (b ball) log() ball {
	lo, hi := b.ends()
	out := image(math.Log(b.mid), math.Log(lo), math.Log(hi), ballLibm)
	out.rad += ballLibm
	return out
}

func (b ball) erf() ball {
	mid := math.Erf(b.mid)
	return ball{mid, b.rad*rootPi2 + math.Abs(mid)*ballLibm + ballTiny}
}

// less tells whether all numbers of b are below those of c.
func (b ball) less(c ball) bool {
	return b.mid+b.rad < c.mid-c.rad-(math.Abs(b.mid)+math.Abs(c.mid))*ballEps
}

// isBall tells whether one of the values is a ball, and the others are numbers.
func isBall(values ...Value) bool {
	some := false
	for _, v := range values {
		if v.tag > formBall {
			return false
		}
		some = some || v.tag == formBall
	}
	return some
}
