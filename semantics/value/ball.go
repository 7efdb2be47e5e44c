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
	ballEps   = 0x1p-52     // more than half the last digit of 1: what an operation that rounds is off by, over its result
	ballLibm  = 8 * ballEps // the same of exp, log and erf in package math
	ballSlack = 1 + 0x1p-40 // for radii, which are rounded to the nearest
	ballTiny  = 0x1p-1000   // more than what a result below the normal numbers is off by
	ballMost  = 80          // the greatest argument of exp, of which the result is one of balls, and the least
	// Balls are for numbers between these: rounding a radius to a float32 costs little there.
	ballLeast, ballGreatest = 0x1p-120, 0x1p+120

	rootPi2 = 1.12837916709552 // a little more than 2/sqrt(pi), the greatest slope of erf
)

// Ball returns a real number as a ball, and 0, MIN and failures as they are. What is computed with a ball is one, but for
// products with 0 and for what is beyond the numbers that balls are for. Balls are for guesses: no two of them are ever the same.
func Ball(v Value) Value {
	if v.isZero() || !v.isRational() && v.tag != formEnclosure {
		return v
	}
	return loosely(enclosureOf(v))
}

// ballOf returns a real number as a ball; ok is false of what is beyond the numbers that balls are for.
func ballOf(v Value) (b ball, ok bool) {
	switch v.tag {
	case formBall:
		return ball{math.Float64frombits(uint64(v.n)), float64(math.Float32frombits(v.d))}, true
	case formRational:
		if v.d == 0 && magnitude(v.n) < 1<<53 {
			return ball{mid: float64(v.n)}, true
		}
		mid := float64(v.n) / (float64(v.d) + 1) // two roundings
		return ball{mid, math.Abs(mid) * (2 * ballEps)}, true
	case formWideRatio:
		mid, _ := v.x.ratio.Float64()
		b = ball{mid, math.Abs(mid)*ballEps + ballTiny}
		_, ok = b.value()
		return b, ok
	}
	if v.d == 0 {
		b, ok = enclosureOf(v).ball()
	}
	return b, ok
}

// ball returns a ball around e, if it is one of the numbers that balls are for.
func (e enclosure) ball() (b ball, ok bool) {
	lo, _ := e.lo.Float64()
	hi, _ := e.hi.Float64()
	mid := lo + (hi-lo)/2
	b = ball{mid, max(hi-mid, mid-lo) + (math.Abs(lo)+math.Abs(hi)+math.Abs(mid))*ballEps + ballTiny}
	_, ok = b.value()
	return b, ok
}

// value returns b as a value, with a radius that has been rounded up. Radii have the exponents of float32: ok is false where
// they have none for numbers as great, or for those as small.
func (b ball) value() (v Value, ok bool) {
	if b == (ball{}) {
		return v, true
	}
	rad := float32(b.rad * ballSlack)
	if float64(rad) < b.rad*ballSlack {
		rad = math.Nextafter32(rad, math.MaxFloat32)
	}
	size := math.Abs(b.mid) + b.rad
	ok = size < ballGreatest && size > ballLeast && rad < math.MaxFloat32 // of NaN none is true
	return Value{tag: formBall, n: int64(math.Float64bits(b.mid)), d: math.Float32bits(rad)}, ok
}

// loosely returns e as a value that is computed with as balls are: a ball, where one will do. An enclosure of a number that is
// too great or too small for balls, such as exp of 800, is marked as one that stands for a ball.
func loosely(e enclosure) Value {
	if b, ok := e.ball(); ok {
		v, _ := b.value()
		return v
	}
	v := e.value()
	if v.tag == formEnclosure {
		v.d = 1
	}
	return v
}

// isLoose tells whether v is a ball or stands for one.
func (v Value) isLoose() bool { return v.tag == formBall || v.tag == formEnclosure && v.d != 0 }

// roughly applies an operation to two numbers of which one is loose, in balls if they hold the operands and the result.
func roughly(x, y Value, balls func(a, b ball) ball, ends func(a, b enclosure) enclosure) Value {
	if a, ok := ballOf(x); ok {
		if b, ok := ballOf(y); ok {
			if v, ok := balls(a, b).value(); ok {
				return v
			}
		}
	}
	return loosely(ends(enclosureOf(x), enclosureOf(y)))
}

// quickly applies an operation to two numbers of which one is a ball, if balls hold operands and result: one whose operands have
// to be in its domain gives what is none where they are not.
func quickly(x, y Value, f func(a, b ball) ball) (v Value, ok bool) {
	if x.tag != formBall && y.tag != formBall {
		return v, false
	}
	a, ok := ballOf(x)
	b, both := ballOf(y)
	if !ok || !both {
		return v, false
	}
	return f(a, b).value()
}

// roughlyOf is roughly of one number.
func roughlyOf(x Value, balls func(ball) ball, ends func(enclosure) enclosure) Value {
	return roughly(x, x, func(a, _ ball) ball { return balls(a) }, func(a, _ enclosure) enclosure { return ends(a) })
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

// outside is what a function gives where it may have no value, or one that no ball holds.
var outside = ball{mid: math.Inf(1)}

// quo divides by a ball that does not hold 0: (m + e)/(n + f) is off m/n by (e - f·m/n)/(n + f).
func (b ball) quo(c ball) ball {
	if c.holdsZero() {
		return outside
	}
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
	if lo <= 0 {
		return outside
	}
	return image(math.Sqrt(b.mid), math.Sqrt(lo), math.Sqrt(hi), ballEps)
}

// exp takes e to the numbers of a ball; where they are not within ballMost the result is too great for a ball.
func (b ball) exp() ball {
	lo, hi := b.ends()
	if lo < -ballMost || hi > ballMost {
		return outside
	}
	return image(math.Exp(b.mid), math.Exp(lo), math.Exp(hi), ballLibm)
}

// log takes the logarithm of a ball above 0. Next to 1 it is less exact than its magnitude says.
func (b ball) log() ball {
	lo, hi := b.ends()
	if lo <= 0 {
		return outside
	}
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
