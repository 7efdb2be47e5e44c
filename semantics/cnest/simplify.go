package cnest

import (
	"fmt"
	"math"
	"strings"

	"tv/semantics/loops"
)

// maxKey bounds what is compared of an Int.
const maxKey = 1 << 16

// inWord tells whether arithmetic on two numbers can be done in words with room to spare.
func inWord(a, b *loops.Int) bool {
	small := func(x *loops.Int) bool { return x.Op == loops.Number && -math.MaxInt32 < x.N && x.N < math.MaxInt32 }
	return small(a) && small(b)
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
		// a < b ? x : y with x - y = a - b, or, as b - a is at least 1 where it is above 0, x - y = a - b + 1
		one := int64(1)
		if c.Op == loops.LessEqual {
			one = -1
		}
		apart, way := loops.Difference(x, y), loops.Difference(c.A, c.B)
		for _, more := range []int64{0, one} {
			switch {
			case e.equal(apart, loops.Sum(way, loops.Num(more))):
				return e.extreme(loops.Least, x, y)
			case e.equal(loops.Negated(apart), loops.Sum(way, loops.Num(more))):
				return e.extreme(loops.Greatest, x, y)
			}
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
	if c.Op != loops.Less || !c.B.Is(0) || y.Op != loops.TruncDiv && y.Op != loops.FloorDiv ||
		y.Args[1].Op != loops.Number || y.Args[1].N < 1 {
		return nil
	}
	n, d := c.A, y.Args[1]
	less := loops.Num(d.N - 1)
	// both operands are at least 0 where they are taken: it does not matter how their quotients are rounded
	is := func(z, a *loops.Int, sign int64) bool {
		for _, op := range []loops.IntOp{loops.TruncDiv, loops.FloorDiv} {
			if e.equal(z, loops.Product(loops.Num(sign), loops.Quotient(op, a, d))) {
				return true
			}
		}
		return false
	}
	switch {
	case is(y, n, 1) && is(x, loops.Sum(loops.Negated(n), less), -1):
		return loops.Quotient(loops.FloorDiv, n, d)
	case is(y, loops.Sum(n, less), 1) && is(x, loops.Negated(n), -1):
		return loops.Quotient(loops.CeilDiv, n, d)
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
	if !x.Mentions(func(y *loops.Int) bool { return y.Op == loops.Counter && y.Loop == l }) {
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

// linear splits x into factor·counter + rest, where the rest does not have the counter.
func linear(x *loops.Int, l *loops.For) (factor int64, rest *loops.Int, ok bool) {
	is := func(y *loops.Int) bool { return y.Op == loops.Counter && y.Loop == l }
	switch {
	case is(x):
		return 1, loops.Num(0), true
	case !x.Mentions(is):
		return 0, x, true
	case x.Op == loops.Plus:
		rest = loops.Num(0)
		for _, a := range x.Args {
			f, r, ok := linear(a, l)
			if !ok {
				return 0, nil, false
			}
			factor, rest = factor+f, loops.Sum(rest, r)
		}
		return factor, rest, true
	case x.Op == loops.Times && x.Args[0].Op == loops.Number && inWord(x.Args[0], x.Args[0]):
		f, r, ok := linear(x.Args[1], l)
		return f * x.Args[0].N, loops.Product(x.Args[0], r), ok && f < math.MaxInt32 && f > -math.MaxInt32
	}
	return 0, nil, false
}
