package cnest

import (
	"fmt"
	"math"
	"strings"

	"tv/semantics/loops"
)

// Ints are made in one form, so that what is written in two ways is often one: numbers are combined and stand last in sums,
// and first in products; nothing is multiplied by 1.

// maxKey bounds what is compared of an Int.
const maxKey = 1 << 16

func isNumber(x *loops.Int, n int64) bool { return x.Op == loops.Number && x.N == n }

// inWord tells whether arithmetic on two numbers can be done in words with room to spare.
func inWord(a, b *loops.Int) bool {
	small := func(x *loops.Int) bool { return x.Op == loops.Number && -math.MaxInt32 < x.N && x.N < math.MaxInt32 }
	return small(a) && small(b)
}

// plus returns a sum of two.
func plus(a, b *loops.Int) *loops.Int {
	terms := append(termsOf(a), termsOf(b)...)
	last := loops.Num(0)
	var out []*loops.Int
	for _, t := range terms {
		if inWord(t, last) {
			last = loops.Num(t.N + last.N)
			continue
		}
		out = append(out, t)
	}
	if last.N != 0 {
		out = append(out, last)
	}
	switch len(out) {
	case 0:
		return last
	case 1:
		return out[0]
	}
	return loops.Plus.Of(out...)
}

func termsOf(x *loops.Int) []*loops.Int {
	if x.Op == loops.Plus {
		return x.Args[:len(x.Args):len(x.Args)]
	}
	return []*loops.Int{x}
}

// times returns a product of two.
func times(a, b *loops.Int) *loops.Int {
	if b.Op == loops.Number {
		a, b = b, a
	}
	switch {
	case inWord(a, b):
		return loops.Num(a.N * b.N)
	case isNumber(a, 0) && !divides(b): // a division may end the call
		return a
	case isNumber(a, 1):
		return b
	case a.Op == loops.Number && b.Op == loops.Plus:
		sum := loops.Num(0)
		for _, t := range b.Args {
			sum = plus(sum, times(a, t))
		}
		return sum
	case a.Op == loops.Number && b.Op == loops.Times && inWord(a, b.Args[0]):
		return times(loops.Num(a.N*b.Args[0].N), b.Args[1])
	}
	return loops.Times.Of(a, b)
}

// divides tells whether there is a division in x.
func divides(x *loops.Int) bool {
	switch x.Op {
	case loops.FloorDiv, loops.CeilDiv, loops.FloorMod, loops.TruncDiv, loops.TruncMod:
		return true
	}
	for _, a := range x.Args {
		if divides(a) {
			return true
		}
	}
	return x.Op == loops.Choose
}

func minus(a, b *loops.Int) *loops.Int { return plus(a, negated(b)) }

func negated(x *loops.Int) *loops.Int { return times(loops.Num(-1), x) }

// divided returns a quotient or a remainder; of two small numbers, that number.
func divided(op loops.IntOp, a, b *loops.Int) *loops.Int {
	if !inWord(a, b) || b.N == 0 {
		return op.Of(a, b)
	}
	q, r := a.N/b.N, a.N%b.N
	switch {
	case op == loops.TruncDiv:
		return loops.Num(q)
	case op == loops.TruncMod:
		return loops.Num(r)
	case op == loops.FloorDiv && r != 0 && (r < 0) != (b.N < 0):
		q--
	case op == loops.CeilDiv && r != 0 && (r < 0) == (b.N < 0):
		q++
	case op == loops.FloorMod:
		if r != 0 && (r < 0) != (b.N < 0) {
			r += b.N
		}
		return loops.Num(r)
	}
	return loops.Num(q)
}

// extreme returns the least or the greatest of two.
func (e *elaborator) extreme(op loops.IntOp, a, b *loops.Int) *loops.Int {
	if e.equal(a, b) {
		return a
	}
	var args []*loops.Int
	for _, x := range []*loops.Int{a, b} {
		if x.Op == op {
			args = append(args, x.Args...)
		} else {
			args = append(args, x)
		}
	}
	return op.Of(args...)
}

// choose returns one of two values. Macros for min, max and divisions that round are seen to be that.
func (e *elaborator) choose(c *loops.Cond, x, y *loops.Int) *loops.Int {
	if e.equal(x, y) {
		return x
	}
	if c.Op == loops.Less || c.Op == loops.LessEqual {
		switch {
		case e.equal(c.A, x) && e.equal(c.B, y):
			return e.extreme(loops.Least, x, y)
		case e.equal(c.A, y) && e.equal(c.B, x):
			return e.extreme(loops.Greatest, x, y)
		}
	}
	if out := e.rounding(c, x, y); out != nil {
		return out
	}
	return &loops.Int{Op: loops.Choose, Cond: c, Args: []*loops.Int{x, y}}
}

// rounding finds n < 0 ? -((-n + d - 1) / d) : n / d, which rounds down where d is a number above 0, and
// n < 0 ? -(-n / d) : (n + d - 1) / d, which rounds up.
func (e *elaborator) rounding(c *loops.Cond, x, y *loops.Int) *loops.Int {
	if c.Op != loops.Less || !isNumber(c.B, 0) || y.Op != loops.TruncDiv && y.Op != loops.FloorDiv ||
		y.Args[1].Op != loops.Number || y.Args[1].N < 1 {
		return nil
	}
	n, d := c.A, y.Args[1]
	less := loops.Num(d.N - 1)
	// both operands are at least 0 where they are taken: it does not matter how their quotients are rounded
	is := func(z, a *loops.Int, sign int64) bool {
		for _, op := range []loops.IntOp{loops.TruncDiv, loops.FloorDiv} {
			if e.equal(z, times(loops.Num(sign), divided(op, a, d))) {
				return true
			}
		}
		return false
	}
	switch {
	case is(y, n, 1) && is(x, plus(negated(n), less), -1):
		return divided(loops.FloorDiv, n, d)
	case is(y, plus(n, less), 1) && is(x, negated(n), -1):
		return divided(loops.CeilDiv, n, d)
	}
	return nil
}

func (e *elaborator) equal(a, b *loops.Int) bool { return a == b || e.key(a) == e.key(b) }

// key is a text that equal Ints have in common, and no others.
func (e *elaborator) key(x *loops.Int) string {
	var b strings.Builder
	e.writeKey(&b, x)
	return b.String()
}

func (e *elaborator) writeKey(b *strings.Builder, x *loops.Int) {
	if b.Len() > maxKey {
		fail(x.At, "too-large", "an integer that takes too many words to write down")
	}
	switch x.Op {
	case loops.Number:
		fmt.Fprintf(b, "%d", x.N)
		return
	case loops.Size:
		b.WriteString(x.Name)
		return
	case loops.Counter:
		fmt.Fprintf(b, "#%d", e.loops[x.Loop])
		return
	}
	fmt.Fprintf(b, "(%d", x.Op)
	if x.Cond != nil {
		b.WriteString(e.condKey(x.Cond))
	}
	for _, a := range x.Args {
		b.WriteByte(' ')
		e.writeKey(b, a)
	}
	b.WriteByte(')')
}

func (e *elaborator) condKey(c *loops.Cond) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%d", c.Op)
	if c.A != nil {
		fmt.Fprintf(&b, " %s %s", e.key(c.A), e.key(c.B))
	}
	for _, d := range c.Conds {
		b.WriteString(e.condKey(d))
	}
	return b.String() + "]"
}

// replace puts a value for the counter of a loop.
func replace(x *loops.Int, l *loops.For, by *loops.Int) *loops.Int {
	if !mentions(x, func(y *loops.Int) bool { return y.Op == loops.Counter && y.Loop == l }) {
		return x
	}
	if x.Op == loops.Counter {
		return by
	}
	out := *x
	out.Args = make([]*loops.Int, len(x.Args))
	for i, a := range x.Args {
		out.Args[i] = replace(a, l, by)
	}
	if x.Cond != nil {
		out.Cond = replaceIn(x.Cond, l, by)
	}
	return &out
}

func replaceIn(c *loops.Cond, l *loops.For, by *loops.Int) *loops.Cond {
	out := *c
	if c.A != nil {
		out.A, out.B = replace(c.A, l, by), replace(c.B, l, by)
	}
	out.Conds = nil
	for _, d := range c.Conds {
		out.Conds = append(out.Conds, replaceIn(d, l, by))
	}
	return &out
}

// mentions tells whether f holds of a part of x.
func mentions(x *loops.Int, f func(*loops.Int) bool) bool {
	if f(x) || x.Cond != nil && condMentions(x.Cond, f) {
		return true
	}
	for _, a := range x.Args {
		if mentions(a, f) {
			return true
		}
	}
	return false
}

func condMentions(c *loops.Cond, f func(*loops.Int) bool) bool {
	if c.A != nil && (mentions(c.A, f) || mentions(c.B, f)) {
		return true
	}
	for _, d := range c.Conds {
		if condMentions(d, f) {
			return true
		}
	}
	return false
}

// counts tells whether x depends on a counter.
func counts(x *loops.Int) bool {
	return mentions(x, func(y *loops.Int) bool { return y.Op == loops.Counter })
}

// linear splits x into factor·counter + rest, where the rest does not have the counter.
func linear(x *loops.Int, l *loops.For) (factor int64, rest *loops.Int, ok bool) {
	is := func(y *loops.Int) bool { return y.Op == loops.Counter && y.Loop == l }
	switch {
	case is(x):
		return 1, loops.Num(0), true
	case !mentions(x, is):
		return 0, x, true
	case x.Op == loops.Plus:
		rest = loops.Num(0)
		for _, a := range x.Args {
			f, r, ok := linear(a, l)
			if !ok {
				return 0, nil, false
			}
			factor, rest = factor+f, plus(rest, r)
		}
		return factor, rest, true
	case x.Op == loops.Times && x.Args[0].Op == loops.Number && inWord(x.Args[0], x.Args[0]):
		f, r, ok := linear(x.Args[1], l)
		return f * x.Args[0].N, times(x.Args[0], r), ok && f < math.MaxInt32 && f > -math.MaxInt32
	}
	return 0, nil, false
}
