package recur

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// A lin is a sum of integers with factors, and a number. Variables are numbers: who makes a lin says what they are.
// Terms ascend by variable, and no factor is 0. A lin is immutable.
type lin struct {
	terms []scaled
	c     int64
}

type scaled struct {
	v int
	k int64
}

// tooLarge is what arithmetic beyond words ends with: whoever asks gives up on what it was for.
type tooLarge struct{}

func add(x, y int64) int64 {
	z := x + y
	if (z > x) != (y > 0) && y != 0 || z == math.MinInt64 {
		panic(tooLarge{})
	}
	return z
}

func mul(x, y int64) int64 {
	if x == 0 || y == 0 {
		return 0
	}
	hi, lo := bits.Mul64(magnitude(x), magnitude(y))
	if hi != 0 || lo > math.MaxInt64 {
		panic(tooLarge{})
	}
	if (x < 0) != (y < 0) {
		return -int64(lo)
	}
	return int64(lo)
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return uint64(-x)
	}
	return uint64(x)
}

func gcd(x, y int64) int64 {
	x, y = max(x, -x), max(y, -y)
	for y != 0 {
		x, y = y, x%y
	}
	return x
}

// floor is x/d rounded down, d above 0.
func floor(x, d int64) int64 {
	q := x / d
	if x%d < 0 {
		q--
	}
	return q
}

func number(n int64) lin { return lin{c: n} }

func variable(v int) lin { return lin{terms: []scaled{{v, 1}}} }

// plus is a + k·b.
func (a lin) plus(k int64, b lin) lin {
	if k == 0 {
		return a
	}
	out := lin{terms: make([]scaled, 0, len(a.terms)+len(b.terms)), c: add(a.c, mul(k, b.c))}
	i, j := 0, 0
	for i < len(a.terms) || j < len(b.terms) {
		switch {
		case j == len(b.terms) || i < len(a.terms) && a.terms[i].v < b.terms[j].v:
			out.terms = append(out.terms, a.terms[i])
			i++
		case i == len(a.terms) || b.terms[j].v < a.terms[i].v:
			out.terms = append(out.terms, scaled{b.terms[j].v, mul(k, b.terms[j].k)})
			j++
		default:
			if n := add(a.terms[i].k, mul(k, b.terms[j].k)); n != 0 {
				out.terms = append(out.terms, scaled{a.terms[i].v, n})
			}
			i++
			j++
		}
	}
	return out
}

func (a lin) add(n int64) lin { return lin{a.terms, add(a.c, n)} }

func (a lin) times(k int64) lin { return lin{}.plus(k, a) }

func (a lin) minus(b lin) lin { return a.plus(-1, b) }

// factor is that of a variable.
func (a lin) factor(v int) int64 {
	i, ok := slices.BinarySearchFunc(a.terms, v, func(t scaled, v int) int { return cmp.Compare(t.v, v) })
	if !ok {
		return 0
	}
	return a.terms[i].k
}

// put is a with a lin for a variable.
func (a lin) put(v int, x lin) lin {
	k := a.factor(v)
	if k == 0 {
		return a
	}
	return a.plus(-k, variable(v)).plus(k, x)
}

// with is a with lins for variables, all at once: values may hold the variables.
func (a lin) with(vars []int, values []lin) lin {
	out := lin{c: a.c}
	for _, t := range a.terms {
		if i := slices.Index(vars, t.v); i >= 0 {
			out = out.plus(t.k, values[i])
		} else {
			out = out.plus(t.k, variable(t.v))
		}
	}
	return out
}

// renamed is a with other variables.
func (a lin) renamed(to func(int) int) lin {
	out := lin{terms: make([]scaled, len(a.terms)), c: a.c}
	for i, t := range a.terms {
		out.terms[i] = scaled{to(t.v), t.k}
	}
	slices.SortFunc(out.terms, func(s, t scaled) int { return cmp.Compare(s.v, t.v) })
	for i := 1; i < len(out.terms); i++ {
		if out.terms[i].v == out.terms[i-1].v {
			panic("recur: two variables become one")
		}
	}
	return out
}

// content is the greatest divisor that all factors have; 0 of a number.
func (a lin) content() (g int64) {
	for _, t := range a.terms {
		g = gcd(g, t.k)
	}
	return g
}

// over is a/d rounded down, where d divides all factors.
func (a lin) over(d int64) lin {
	out := lin{terms: make([]scaled, len(a.terms)), c: floor(a.c, d)}
	for i, t := range a.terms {
		out.terms[i] = scaled{t.v, t.k / d}
	}
	return out
}

func (a lin) equal(b lin) bool { return a.c == b.c && slices.Equal(a.terms, b.terms) }

// at is the value where variables have values.
func (a lin) at(value func(int) int64) int64 {
	n := a.c
	for _, t := range a.terms {
		n = add(n, mul(t.k, value(t.v)))
	}
	return n
}

// spelt is a as text: "i - 2*T + 1".
func (a lin) spelt(name func(int) string) string {
	var b strings.Builder
	for _, t := range a.terms {
		sign := " + "
		if t.k < 0 {
			sign = " - "
		}
		if b.Len() == 0 {
			sign = strings.TrimPrefix(strings.TrimSpace(sign), "+")
		}
		b.WriteString(sign)
		if k := magnitude(t.k); k != 1 {
			fmt.Fprintf(&b, "%d*", k)
		}
		b.WriteString(name(t.v))
	}
	switch {
	case b.Len() == 0:
		return fmt.Sprint(a.c)
	case a.c > 0:
		fmt.Fprintf(&b, " + %d", a.c)
	case a.c < 0:
		fmt.Fprintf(&b, " - %d", -a.c)
	}
	return b.String()
}

// A fact is a lin that is at least 0, or 0.
type fact struct {
	lin
	zero bool
	// defines tells that the fact bounds a quotient, which there is whatever the rest says: it is never negated.
	defines bool
}

func natural(x lin) fact { return fact{lin: x} }

func equation(x lin) fact { return fact{lin: x, zero: true} }

// denied lists the facts of which one holds where f does not.
func (f fact) denied() []fact {
	out := []fact{natural(f.times(-1).add(-1))}
	if f.zero {
		out = append(out, natural(f.lin.add(-1)))
	}
	return out
}

func (f fact) renamed(to func(int) int) fact {
	f.lin = f.lin.renamed(to)
	return f
}

func (f fact) put(v int, x lin) fact {
	f.lin = f.lin.put(v, x)
	return f
}

// holds tells whether a fact holds where variables have values.
func (f fact) holds(value func(int) int64) bool {
	n := f.at(value)
	return n == 0 || n > 0 && !f.zero
}
